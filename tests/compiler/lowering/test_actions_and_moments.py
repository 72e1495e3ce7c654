"""Tests of actions, their exceptions, and moments with their menus."""

from __future__ import annotations

from textwrap import indent

import pytest

from edict.compiler.pipeline.pipeline import build_program
from helpers import GAME, Run, compile_program, make_module, make_phase, play_text, run_steps

HUTS = """
kind hut "hut/huts"
  works if hut is in owned of you
keep owned of player as set of hut
"""
OWN = "add huts to owned of you"


def make_huts(*bodies: str) -> str:
    """Return huts called h0, h1 ... with these abilities."""
    return HUTS + "".join(f'hut h{i} "Hut {i}"\n{indent(body, "  ")}\n' for i, body in enumerate(bodies))


# --- actions -----------------------------------------------------------------------------------------

BUYING = """
kind ware
  price number
ware apple
  price 1
ware boot
  price 3
ware crown
  price 9
keep have of player as set of ware
action buy "Buy something"
  choose a ware as what
  rule affordable
    require price of what <= coin of you
    because "you have not got the coins"
  rule only-once
    require what is not in have of you
    because "you have it"
  then
    lose price of what coin
    add what to have of you
"""


def test_action_offers_only_options_that_keep_its_rules() -> None:
    run = run_steps("gain 4 coin", "do buy", "do buy", "do buy", rules=BUYING)
    assert run.options == ["apple", "boot"]
    run.answer("boot")
    assert run.is_over and run.describe_value("have", 0) == ["apple", "boot"] and run.asked == ["Choose a ware"]


def test_declined_action_equals_action_without_options() -> None:
    lines = 'may do buy else "No"\n  gain 1 fame\nelse\n  gain 1 stick'
    offered, nothing = run_steps("gain 1 coin", lines, rules=BUYING), run_steps(lines, rules=BUYING)
    assert offered.options == ["apple", "-"] and not nothing.asked
    taken = Run(offered.program).answer("apple")
    declined = offered.answer("-")
    found = [(run.get_value("fame", 0), run.get_value("stick", 0)) for run in (taken, declined, nothing)]
    assert found == [(1, 0), (0, 1), (0, 1)]


PAIRS = """
kind card
  rank number
card one
  rank 1
card two
  rank 2
card three
  rank 3
keep sum-of as number
action pair
  choose a card as low
  choose a card as high where it is not low
  rule rising
    require rank of low < rank of high
    because "the second is the higher one"
  then
    set sum-of to rank of low * 10 + rank of high
"""


def test_choice_that_cannot_be_completed_is_not_offered() -> None:
    run = run_steps("do pair", rules=PAIRS)
    assert run.options == ["one", "two"]
    assert run.answer("two").get_value("sum-of") == 23 and run.asked == ["Choose a card"]


def test_exception_can_depend_on_a_later_choice() -> None:
    rules = PAIRS + "exception any to pair.rising if rank of high = 1\n  allow\n"
    run = run_steps("do pair", rules=rules, answers=["three"])
    assert run.get_value("sum-of") == 31
    run = run_steps("do pair", rules=rules, answers=["two"])
    assert run.options == ["one", "three"]


def test_action_without_choices_asks_for_confirmation() -> None:
    rules = 'action rest "Take a rest"\n  rule tired\n    require coin of you > 0\n  then\n    gain 1 fame\n'
    run = run_steps("gain 1 coin", 'may do rest else "Go on"\n  gain 1 stick', rules=rules)
    assert (run.options, run.question.prompt, run.question.decline) == (["Yes", "-"], "Take a rest.", "Go on")
    run.answer("Yes")
    assert [run.get_value(x, 0) for x in ("fame", "stick")] == [1, 1]
    assert run_steps("may do rest\n  gain 1 stick", rules=rules).get_value("fame", 0) == 0
    assert run_steps("gain 1 coin", "do rest", rules=rules).get_value("fame", 0) == 1


def test_choice_can_belong_to_another_player() -> None:
    rules = BUYING.replace("choose a ware as what", "choose a ware as what asking left of you")
    assert run_steps("gain 9 coin", "do buy", rules=rules).seat == 1


# --- exceptions ----------------------------------------------------------------------------------------


def test_allowing_exception_can_have_a_price() -> None:
    rules = BUYING + "exception credit to buy.affordable if stick of you > 0\n  allow\n  then\n    lose 1 stick\n"
    run = run_steps("gain 1 coin and 1 stick", "do buy", rules=rules)
    assert run.options == ["apple", "boot", "crown"]
    free, paid = Run(run.program).answer("apple"), run.answer("crown")
    assert [free.get_value(x, 0) for x in ("stick", "coin")] == [1, 0]
    assert [paid.get_value(x, 0) for x in ("stick", "coin")] == [0, 0]


def test_free_exception_avoids_the_price_of_another() -> None:
    priced = "exception credit to buy.affordable if stick of you > 0\n  allow\n  then\n    lose 1 stick\n"
    dearer = "exception loan to buy.affordable\n  allow\n  then\n    lose 1 brick\n"
    gift = "exception gift to buy.affordable if what = boot\n  allow\n"
    run = run_steps("gain 1 stick and 1 brick", "do buy", rules=BUYING + priced + dearer + gift)
    given, bought = Run(run.program).answer("boot"), run.answer("crown")
    assert given.is_over and [given.get_value(x, 0) for x in ("stick", "brick")] == [1, 1]
    assert bought.options == ["Credit", "Loan"], "of several with a price one is chosen"
    bought.answer("Loan")
    assert [bought.get_value(x, 0) for x in ("stick", "brick")] == [1, 0]


def test_exception_can_replace_the_requirement() -> None:
    rules = BUYING + "exception cheap to buy.affordable if fame of you > 0\n  require price of what <= 1\n"
    assert run_steps("gain 9 coin and 1 fame", "do buy", rules=rules).describe_value("have", 0) == ["apple"]
    assert run_steps("gain 9 coin", "do buy", rules=rules).options == ["apple", "boot", "crown"]


def test_exception_of_a_thing_applies_to_its_owner() -> None:
    rules = BUYING + make_huts("exception to buy.affordable\n  allow")
    assert run_steps(OWN, "do buy", rules=rules).options == ["apple", "boot", "crown"]
    assert not run_steps("do buy", rules=rules).asked


# --- moments -------------------------------------------------------------------------------------------


def test_ownerless_ability_runs_once_and_owned_ability_for_each_player() -> None:
    rules = make_huts("when tick\n  gain 1 coin") + "moment tick\nwhen tick\n  gain 1 stick\n"
    run = run_steps("each player\n  add huts to owned of you", "trigger tick", rules=rules, players=3)
    assert [run.get_value("coin", p) for p in range(3)] == [1, 1, 1]
    assert [run.get_value("stick", p) for p in range(3)] == [1, 0, 0]


def test_ability_for_the_whole_table_runs_once(subtests: pytest.Subtests) -> None:
    rules = """
kind card
  works if card = lying
keep lying as card or none
moment tick
card sun
  when tick
    gain 1 coin
card rain
  when tick
    each player
      gain 1 stick
"""
    for card, expected in (("none", [0, 0, 0]), ("sun", [1, 0, 0]), ("rain", [10, 10, 10])):
        with subtests.test(card=card):
            run = run_steps(f"set lying to {card}", "trigger tick", rules=rules, players=3)
            assert [run.get_value("coin", p) + 10 * run.get_value("stick", p) for p in range(3)] == expected


def test_moment_passes_its_arguments() -> None:
    rules = "moment won with player called winner and number called n\n" + (
        "when won if n > 2\n  each player in winner\n    gain n coin\n"
    )
    run = run_steps("trigger won with left of you and 4", "trigger won with you and 2", rules=rules)
    assert [run.get_value("coin", p) for p in range(2)] == [0, 4]


def test_phase_raises_start_and_end_moments() -> None:
    rules = """
phase day
  add coin of you * 10 to seen
when start of day
  gain 1 coin
when end of day
  lose 1 coin
  gain 1 fame
keep seen as number
"""
    run = run_steps("play day", "play day", rules=rules)
    assert run.get_value("seen") == 20 and [run.get_value(x, 0) for x in ("coin", "fame")] == [0, 2]


def test_once_per_limit_counts_per_phase_and_player() -> None:
    rules = (
        "phase day\n  repeat 3 times\n    each player\n      trigger tick\nmoment tick\n"
        "when tick, once per day\n  gain 1 coin\n"
    )
    run = run_steps("play day", "play day", rules=rules)
    assert [run.get_value("coin", p) for p in range(2)] == [2, 2]


# --- once in a while --------------------------------------------------------------------------------

DAYS = """
moment tick
phase day
  trigger tick
  trigger tick
phase trial-run
  play day
  play day
"""
CHARMS = """
kind charm "charm/charms"
  works if charm is in worn of you
keep worn of player as set of charm starting at charms
charm ring
  when tick, once per day
    may spend 1 stick
      gain 1 coin
"""
START = "when start of trial-run\n  each player in first of everyone\n    gain 4 stick\n"


def test_declining_limited_ability_does_not_use_it_up(subtests: pytest.Subtests) -> None:
    """Two days with two chances each allow one use a day, at the first or the second chance."""
    made = compile_program(DAYS + START + CHARMS)
    for answers, coins in (("YY", 2), ("Y-Y", 2), ("--Y", 1), ("----", 0), ("-YY", 2)):
        with subtests.test(answers=answers):
            run = Run(made).answer(*("1 stick" if answer == "Y" else "-" for answer in answers))
            assert run.is_over and run.get_value("coin", 0) == coins
    nobodys = "when tick, once per day\n  may spend 1 brick\n    gain 1 coin\n"
    assert play_text(DAYS + START.replace("4 stick", "1 brick") + nobodys, ["-", "1 brick"]).is_over


# --- which come first, and which are asked about ------------------------------------------------------

TICK = 'moment tick "Tick"\n'


def run_tick(*bodies: str, before: str = "nothing") -> Run:
    """Run a game whose first player owns huts with these abilities, and raise the moment."""
    return run_steps(OWN, before, "trigger tick", rules=make_huts(*(f"when {body}" for body in bodies)) + TICK)


def test_free_gains_run_automatically() -> None:
    run = run_tick("tick\n  may gain 1 coin", "tick\n  may gain 2 stick", "tick\n  gain 1 fame")
    assert run.is_over and not run.asked
    assert [run.get_value(x, 0) for x in ("coin", "stick", "fame")] == [1, 2, 1]


def test_gained_die_or_price_is_asked() -> None:
    assert run_tick("tick\n  may gain 1 cube").options == ["Yes", "-"]
    assert run_tick("tick\n  may spend 1 coin\n    gain 1 fame", before="gain 1 coin").options == ["1 coin", "-"]
    assert run_tick("tick\n  may spend 1 coin\n    gain 1 fame").is_over  # what cannot be paid is not offered


def test_menu_repeats_until_the_player_stops() -> None:
    spends = [f"tick\n  may spend {n} coin\n    gain {n} fame" for n in (1, 2)]
    run = run_tick(*spends, before="gain 3 coin")
    assert run.question.prompt == "Tick: which effect do you use?"
    assert run.options[0].startswith("Hut 0: Spend 1 coin") and run.options[2] == "-"
    run.answer("Hut 1")
    assert run.options == ["1 coin", "-"]  # the last one left asks for itself
    run.answer("1 coin")
    assert run.is_over and run.get_value("fame", 0) == 3
    assert run_tick(*spends, before="gain 3 coin").answer("-").get_value("coin", 0) == 3


def test_applicable_abilities_are_determined_anew_after_each() -> None:
    abilities = (
        "tick if coin of you = 0\n  may spend 1 stick\n    gain 1 coin",
        "tick if coin of you = 1\n  may spend 1 brick\n    gain 1 fame",
    )
    run = run_tick(*abilities, before="gain 1 stick and 1 brick")
    assert run.options == ["1 stick", "-"]
    run.answer("1 stick")
    assert run.options == ["1 brick", "-"]


def test_mandatory_abilities_cannot_be_declined_but_ordered() -> None:
    abilities = ("tick if coin of you < 3\n  lose 1 stick", "tick if stick of you < 5\n  gain 3 coin")
    run = run_tick(*abilities, before="gain 4 stick")
    assert [option.partition(":")[0] for option in run.options] == ["Hut 0", "Hut 1"] and "-" not in run.options
    first = Run(run.program).answer("Hut 0")
    assert first.is_over and [first.get_value(x, 0) for x in ("stick", "coin")] == [3, 3]
    run.answer("Hut 1")
    assert run.is_over and [run.get_value(x, 0) for x in ("stick", "coin")] == [4, 3]


def test_resource_under_a_local_name_counts_as_dependency(subtests: pytest.Subtests) -> None:
    """An ability that needs a player without bricks comes before the gain of bricks."""
    rules = TICK + "routine hand-out with stuff\n  gain 1 stuff\n"
    poor = "when tick if brick of you = 0\n  gain 5 fame"
    for gain in (
        "let g = brick\n  gain 1 g",
        "choose a stuff from brick as g\n  gain 1 g",
        "each stuff in stuff\n    gain 1 stuff",
        "do hand-out with brick",
    ):
        with subtests.test(gain=gain):
            run = run_steps(OWN, "trigger tick", rules=make_huts(f"when tick\n  {gain}", poor) + rules)
            assert run.is_over and [run.get_value(x, 0) for x in ("fame", "brick")] == [5, 1]
            run = run_steps(
                OWN, "trigger tick", rules=make_huts(f"when tick if fame of you = 0\n  {gain}", poor) + rules
            )
            assert [option.partition(":")[0] for option in run.options] == ["Hut 0", "Hut 1"]


def test_condition_on_local_depends_on_its_sources() -> None:
    run = run_tick(
        "tick\n  lose 1 stick", "tick\n  let n = stick of you\n  if n > 0\n    gain 1 fame", before="gain 1 stick"
    )
    assert run.is_over and run.get_value("fame", 0) == 1


def test_independent_abilities_run_automatically() -> None:
    run = run_tick("tick\n  gain 1 coin", "tick\n  lose 1 fame", "tick if stick of you > 9\n  gain 1 brick")
    assert run.is_over and not run.asked and run.get_value("coin", 0) == 1


def test_offer_inside_mandatory_ability_remains_optional() -> None:
    run = run_tick("tick\n  gain 1 coin\n  may spend 1 coin\n    gain 1 fame")
    assert run.options == ["1 coin", "-"]


def test_setting_can_ask_about_gains() -> None:
    game = GAME.replace("  score", "  ask about gains if careful\n  score")
    text = (
        make_huts("when tick\n  may gain 1 coin") + TICK + "setting careful is off\n" + make_phase(OWN, "trigger tick")
    )
    program = build_program((make_module(text, game),)).unwrap()
    assert Run(program).is_over and Run(program, 2, {"careful": 1}).options == ["Yes", "-"]


def test_offers_and_menus_omit_what_cannot_be_completed(subtests: pytest.Subtests) -> None:
    assert run_steps("may\n  do buy", rules=BUYING).is_over
    assert run_steps("gain 1 coin", "may\n  do buy", rules=BUYING).options == ["Yes", "-"]
    bodies = "do buy", "spend 1 stick\n    gain 1 fame", "spend 1 stick\n    gain 2 fame"
    rules = make_huts(*(f"when tick\n  may {body}" for body in bodies)) + TICK + BUYING
    for before, options in (("gain 2 stick", 3), ("gain 1 coin and 2 stick", 4)):
        with subtests.test(before=before):
            assert len(run_steps(OWN, before, "trigger tick", rules=rules).options) == options
