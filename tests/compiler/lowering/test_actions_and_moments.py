"""Actions and their exceptions, moments and their menus."""

from __future__ import annotations

from textwrap import indent

from edict.compiler.pipeline.pipeline import build
from helpers import GAME, Run, does, module, play, program, steps

HUTS = """
kind hut "hut/huts"
  works if hut is in owned of you
keep owned of player as set of hut
"""
OWN = "add huts to owned of you"


def huts(*bodies: str) -> str:
    """Huts called h0, h1 ... with these abilities."""
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


def test_only_what_keeps_the_rules_is_offered() -> None:
    run = does("gain 4 coin", "do buy", "do buy", "do buy", rules=BUYING)
    assert run.options == ["apple", "boot"]
    run.answer("boot")
    assert run.over and run.told("have", 0) == ["apple", "boot"] and run.asked == ["Choose a ware"]


def test_declining_an_action_and_having_nothing_to_choose_come_to_the_same() -> None:
    lines = 'may do buy else "No"\n  gain 1 fame\nelse\n  gain 1 stick'
    offered, nothing = does("gain 1 coin", lines, rules=BUYING), does(lines, rules=BUYING)
    assert offered.options == ["apple", "-"] and not nothing.asked
    taken = Run(offered.program).answer("apple")
    declined = offered.answer("-")
    found = [(run.value("fame", 0), run.value("stick", 0)) for run in (taken, declined, nothing)]
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


def test_a_choice_that_cannot_be_completed_is_not_offered() -> None:
    run = does("do pair", rules=PAIRS)
    assert run.options == ["one", "two"]
    assert run.answer("two").value("sum-of") == 23 and run.asked == ["Choose a card"]


def test_an_exception_may_ask_about_a_later_choice() -> None:
    rules = PAIRS + "exception any to pair.rising if rank of high = 1\n  allow\n"
    run = does("do pair", rules=rules, answers=["three"])
    assert run.value("sum-of") == 31
    run = does("do pair", rules=rules, answers=["two"])
    assert run.options == ["one", "three"]


def test_an_action_without_choices_asks_whether() -> None:
    rules = 'action rest "Take a rest"\n  rule tired\n    require coin of you > 0\n  then\n    gain 1 fame\n'
    run = does("gain 1 coin", 'may do rest else "Go on"\n  gain 1 stick', rules=rules)
    assert (run.options, run.question.prompt, run.question.decline) == (["Yes", "-"], "Take a rest.", "Go on")
    run.answer("Yes")
    assert [run.value(x, 0) for x in ("fame", "stick")] == [1, 1]
    assert does("may do rest\n  gain 1 stick", rules=rules).value("fame", 0) == 0
    assert does("gain 1 coin", "do rest", rules=rules).value("fame", 0) == 1


def test_a_choice_may_be_somebody_elses() -> None:
    rules = BUYING.replace("choose a ware as what", "choose a ware as what asking left of you")
    assert does("gain 9 coin", "do buy", rules=rules).seat == 1


# --- exceptions ----------------------------------------------------------------------------------------


def test_an_exception_that_allows_may_have_a_price() -> None:
    rules = BUYING + "exception credit to buy.affordable if stick of you > 0\n  allow\n  then\n    lose 1 stick\n"
    run = does("gain 1 coin and 1 stick", "do buy", rules=rules)
    assert run.options == ["apple", "boot", "crown"]
    free, paid = Run(run.program).answer("apple"), run.answer("crown")
    assert [free.value(x, 0) for x in ("stick", "coin")] == [1, 0]
    assert [paid.value(x, 0) for x in ("stick", "coin")] == [0, 0]


def test_who_may_do_it_for_nothing_does_not_pay_the_price_of_another_exception() -> None:
    priced = "exception credit to buy.affordable if stick of you > 0\n  allow\n  then\n    lose 1 stick\n"
    dearer = "exception loan to buy.affordable\n  allow\n  then\n    lose 1 brick\n"
    gift = "exception gift to buy.affordable if what = boot\n  allow\n"
    run = does("gain 1 stick and 1 brick", "do buy", rules=BUYING + priced + dearer + gift)
    given, bought = Run(run.program).answer("boot"), run.answer("crown")
    assert given.over and [given.value(x, 0) for x in ("stick", "brick")] == [1, 1]
    assert bought.options == ["Credit", "Loan"], "of several with a price one is chosen"
    bought.answer("Loan")
    assert [bought.value(x, 0) for x in ("stick", "brick")] == [1, 0]


def test_an_exception_may_require_something_else_instead() -> None:
    rules = BUYING + "exception cheap to buy.affordable if fame of you > 0\n  require price of what <= 1\n"
    assert does("gain 9 coin and 1 fame", "do buy", rules=rules).told("have", 0) == ["apple"]
    assert does("gain 9 coin", "do buy", rules=rules).options == ["apple", "boot", "crown"]


def test_an_exception_of_a_thing_holds_for_its_owner() -> None:
    rules = BUYING + huts("exception to buy.affordable\n  allow")
    assert does(OWN, "do buy", rules=rules).options == ["apple", "boot", "crown"]
    assert not does("do buy", rules=rules).asked


# --- moments -------------------------------------------------------------------------------------------


def test_what_belongs_to_nobody_happens_once_and_what_is_owned_for_each() -> None:
    rules = huts("when tick\n  gain 1 coin") + "moment tick\nwhen tick\n  gain 1 stick\n"
    run = does("each player\n  add huts to owned of you", "trigger tick", rules=rules, players=3)
    assert [run.value("coin", p) for p in range(3)] == [1, 1, 1]
    assert [run.value("stick", p) for p in range(3)] == [1, 0, 0]


def test_what_works_for_the_whole_table_happens_once() -> None:
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
        run = does(f"set lying to {card}", "trigger tick", rules=rules, players=3)
        assert [run.value("coin", p) + 10 * run.value("stick", p) for p in range(3)] == expected


def test_a_moment_gives_what_it_is_about() -> None:
    rules = "moment won with player called winner and number called n\n" + (
        "when won if n > 2\n  each player in winner\n    gain n coin\n"
    )
    run = does("trigger won with left of you and 4", "trigger won with you and 2", rules=rules)
    assert [run.value("coin", p) for p in range(2)] == [0, 4]


def test_phases_have_a_start_and_an_end() -> None:
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
    run = does("play day", "play day", rules=rules)
    assert run.value("seen") == 20 and [run.value(x, 0) for x in ("coin", "fame")] == [0, 2]


def test_once_per_phase_and_player() -> None:
    rules = (
        "phase day\n  repeat 3 times\n    each player\n      trigger tick\nmoment tick\n"
        "when tick, once per day\n  gain 1 coin\n"
    )
    run = does("play day", "play day", rules=rules)
    assert [run.value("coin", p) for p in range(2)] == [2, 2]


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


def test_declining_what_works_once_does_not_use_it_up() -> None:
    """Two days with two chances each: one use a day, at the first or the second chance."""
    made = program(DAYS + START + CHARMS)
    for answers, coins in (("YY", 2), ("Y-Y", 2), ("--Y", 1), ("----", 0), ("-YY", 2)):
        run = Run(made).answer(*("1 stick" if answer == "Y" else "-" for answer in answers))
        assert run.over and run.value("coin", 0) == coins, answers
    nobodys = "when tick, once per day\n  may spend 1 brick\n    gain 1 coin\n"
    assert play(DAYS + START.replace("4 stick", "1 brick") + nobodys, ["-", "1 brick"]).over


# --- which come first, and which are asked about ------------------------------------------------------

TICK = 'moment tick "Tick"\n'


def ticking(*bodies: str, before: str = "nothing") -> Run:
    """The first player owns huts with these abilities; the moment comes."""
    return does(OWN, before, "trigger tick", rules=huts(*(f"when {body}" for body in bodies)) + TICK)


def test_gains_that_cost_nothing_happen_by_themselves() -> None:
    run = ticking("tick\n  may gain 1 coin", "tick\n  may gain 2 stick", "tick\n  gain 1 fame")
    assert run.over and not run.asked
    assert [run.value(x, 0) for x in ("coin", "stick", "fame")] == [1, 2, 1]


def test_a_die_gained_or_a_price_is_asked_about() -> None:
    assert ticking("tick\n  may gain 1 cube").options == ["Yes", "-"]
    assert ticking("tick\n  may spend 1 coin\n    gain 1 fame", before="gain 1 coin").options == ["1 coin", "-"]
    assert ticking("tick\n  may spend 1 coin\n    gain 1 fame").over  # what cannot be paid is not offered


def test_of_several_one_is_chosen_until_no_more() -> None:
    spends = [f"tick\n  may spend {n} coin\n    gain {n} fame" for n in (1, 2)]
    run = ticking(*spends, before="gain 3 coin")
    assert run.question.prompt == "Tick: which effect do you use?"
    assert run.options[0].startswith("Hut 0: Spend 1 coin") and run.options[2] == "-"
    run.answer("Hut 1")
    assert run.options == ["1 coin", "-"]  # the last one left asks for itself
    run.answer("1 coin")
    assert run.over and run.value("fame", 0) == 3
    assert ticking(*spends, before="gain 3 coin").answer("-").value("coin", 0) == 3


def test_what_applies_is_seen_anew_after_each() -> None:
    abilities = (
        "tick if coin of you = 0\n  may spend 1 stick\n    gain 1 coin",
        "tick if coin of you = 1\n  may spend 1 brick\n    gain 1 fame",
    )
    run = ticking(*abilities, before="gain 1 stick and 1 brick")
    assert run.options == ["1 stick", "-"]
    run.answer("1 stick")
    assert run.options == ["1 brick", "-"]


def test_what_must_happen_cannot_be_declined_but_its_order_may_be_chosen() -> None:
    abilities = ("tick if coin of you < 3\n  lose 1 stick", "tick if stick of you < 5\n  gain 3 coin")
    run = ticking(*abilities, before="gain 4 stick")
    assert [option.partition(":")[0] for option in run.options] == ["Hut 0", "Hut 1"] and "-" not in run.options
    first = Run(run.program).answer("Hut 0")
    assert first.over and [first.value(x, 0) for x in ("stick", "coin")] == [3, 3]
    run.answer("Hut 1")
    assert run.over and [run.value(x, 0) for x in ("stick", "coin")] == [4, 3]


def test_a_resource_under_another_name_touches_the_others_too() -> None:
    """What depends on there being no bricks comes before they are gained."""
    rules = TICK + "routine hand-out with stuff\n  gain 1 stuff\n"
    poor = "when tick if brick of you = 0\n  gain 5 fame"
    for gain in (
        "let g = brick\n  gain 1 g",
        "choose a stuff from brick as g\n  gain 1 g",
        "each stuff in stuff\n    gain 1 stuff",
        "do hand-out with brick",
    ):
        run = does(OWN, "trigger tick", rules=huts(f"when tick\n  {gain}", poor) + rules)
        assert run.over and [run.value(x, 0) for x in ("fame", "brick")] == [5, 1], gain
        run = does(OWN, "trigger tick", rules=huts(f"when tick if fame of you = 0\n  {gain}", poor) + rules)
        assert [option.partition(":")[0] for option in run.options] == ["Hut 0", "Hut 1"], gain


def test_a_condition_on_a_name_depends_on_what_it_was_made_of() -> None:
    run = ticking(
        "tick\n  lose 1 stick", "tick\n  let n = stick of you\n  if n > 0\n    gain 1 fame", before="gain 1 stick"
    )
    assert run.over and run.value("fame", 0) == 1


def test_what_does_not_touch_the_others_happens_at_once() -> None:
    run = ticking("tick\n  gain 1 coin", "tick\n  lose 1 fame", "tick if stick of you > 9\n  gain 1 brick")
    assert run.over and not run.asked and run.value("coin", 0) == 1


def test_an_offer_inside_what_must_happen_is_still_an_offer() -> None:
    run = ticking("tick\n  gain 1 coin\n  may spend 1 coin\n    gain 1 fame")
    assert run.options == ["1 coin", "-"]


def test_a_setting_may_ask_about_gains() -> None:
    game = GAME.replace("  score", "  ask about gains if careful\n  score")
    text = huts("when tick\n  may gain 1 coin") + TICK + "setting careful is off\n" + steps(OWN, "trigger tick")
    program = build((module(text, game),)).unwrap()
    assert Run(program).over and Run(program, 2, {"careful": 1}).options == ["Yes", "-"]


def test_offers_and_menus_leave_out_what_cannot_be_completed() -> None:
    assert does("may\n  do buy", rules=BUYING).over
    assert does("gain 1 coin", "may\n  do buy", rules=BUYING).options == ["Yes", "-"]
    bodies = "do buy", "spend 1 stick\n    gain 1 fame", "spend 1 stick\n    gain 2 fame"
    rules = huts(*(f"when tick\n  may {body}" for body in bodies)) + TICK + BUYING
    for before, options in (("gain 2 stick", 3), ("gain 1 coin and 2 stick", 4)):
        assert len(does(OWN, before, "trigger tick", rules=rules).options) == options
