"""Lowering: quantities and what adjusts them, actions and their exceptions, moments and their menus."""

from __future__ import annotations

from textwrap import indent

import pytest
from helpers import GAME, Run, does, module, steps

from edict.front.pipeline import build

HUTS = """
kind hut "hut/huts"
  works if hut is in owned of you
keep owned of player as set of hut
"""
OWN = "add huts to owned of you"


def huts(*bodies: str) -> str:
    """Huts called h0, h1 ... with these abilities."""
    return HUTS + "".join(f"hut h{i} \"Hut {i}\"\n{indent(body, '  ')}\n" for i, body in enumerate(bodies))


# --- quantities ------------------------------------------------------------------------------------


def test_adjustments_are_added_for_those_they_belong_to() -> None:
    rules = huts("adjust strength by 2", "adjust strength by stick of you if stick of you > 1") + """
quantity strength of player is coin of player
adjust strength by -1
adjust strength by 100 if you is not first of everyone
"""
    run = does(OWN, "gain 3 coin and 4 stick", "set total-of of you to strength of you",
               "set total-of of left of you to strength of left of you",
               rules=rules + "keep total-of of player as number\n")  # fmt: skip
    assert [run.value("total-of", p) for p in range(2)] == [8, 99]


def test_you_is_the_player_a_quantity_is_about_and_comes_back() -> None:
    run = does("gain 2 coin", "each player", "  gain worth of first of everyone stick", "gain 1 fame",
               rules="quantity worth of player is coin of you\n")  # fmt: skip
    assert [run.value("stick", p) for p in range(2)] == [2, 2] and run.value("fame", 0) == 1


@pytest.mark.parametrize(("coins", "expected"), [(0, 1), (2, 2), (9, 4)])
def test_bounds_come_after_all_adjustments(coins: int, expected: int) -> None:
    rules = "quantity price of player is coin of player, at least 1, at most 4\nadjust price by -1\nadjust price by 1\n"
    assert does(f"gain {coins} coin", "gain price of you stick", rules=rules).value("stick", 0) == expected


def test_a_quantity_of_several_things() -> None:
    rules = """
kind hut
  cost amounts
hut mill
  cost 2 coin, 1 stick
quantity price of hut in stuff called what by player is cost of hut in what, at least 0
adjust price by -1 if what is stick and hut is mill and coin of player > 0
"""
    run = does("gain price of mill in stick by you fame", "gain 1 coin", "gain price of mill in stick by you brick",
               rules=rules.replace("2 coin", "2 brick"))  # fmt: skip
    assert [run.value(x, 0) for x in ("fame", "brick")] == [1, 0]


def test_an_adjustment_may_ask_for_another_quantity() -> None:
    rules = "quantity low is 2\nquantity high is 1\nadjust high by low * 3\nadjust low by 1\n"
    assert does("gain high coin", rules=rules).value("coin", 0) == 10


def test_what_a_quantity_is_made_of_is_told_when_it_is_set_down() -> None:
    rules = huts("adjust strength by 2") + "quantity strength of player is 1\nkeep might as number\n"
    assert len(does(OWN, "set might to strength of you", rules=rules).events()) == 2
    assert len(does(OWN, "gain strength of you coin", rules=rules).events()) == 0


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


def test_an_action_may_be_declined() -> None:
    run = does("gain 1 coin", "may do buy else \"No\"\n  gain 1 fame\nelse\n  gain 1 stick", rules=BUYING)
    assert run.options == ["apple", "-"]
    assert run.answer("apple").value("fame", 0) == 1 and run.value("stick", 0) == 0


def test_declining_and_having_nothing_to_choose_come_to_the_same() -> None:
    lines = "may do buy\n  gain 1 fame\nelse\n  gain 1 stick"
    declined = does("gain 1 coin", lines, rules=BUYING, answers=["-"])
    nothing = does(lines, rules=BUYING)
    assert declined.value("stick", 0) == nothing.value("stick", 0) == 1 and not nothing.asked


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
    rules = "action rest \"Take a rest\"\n  rule tired\n    require coin of you > 0\n  then\n    gain 1 fame\n"
    run = does("gain 1 coin", "may do rest else \"Go on\"\n  gain 1 stick", rules=rules)
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
    assert [given.value(x, 0) for x in ("stick", "brick")] == [1, 1]
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


def test_a_phase_or_routine_is_replaced_while_the_condition_holds() -> None:
    rules = """
phase meal
  gain 1 stick
routine dine with number called n
  gain n stick
exception feast to meal if coin of you > 0
  instead
    gain 5 brick
exception banquet to dine if n > 3
  instead
    gain n brick
when start of meal
  gain 1 fame
"""
    run = does("play meal", "gain 1 coin", "play meal", "do dine with 3", "do dine with 4", rules=rules)
    assert [run.value(x, 0) for x in ("stick", "brick", "fame")] == [4, 9, 2]


# --- paying with dice --------------------------------------------------------------------------------

CLIMBING = """
kind hill
  height number from 1 to 18
  in order of height
hill mound
  height 3
hill knoll
  height 5
hill peak
  height 12
keep hand of player as dice
keep been of player as set of hill
action climb
  choose a hill as up
  choose dice from hand of you as paid making height of up including 1 cube "With which?"
  rule new
    require up is not in been of you
  then
    remove paid from hand of you
    add up to been of you
"""


def climbing(rolls: list[int], *lines: str, rules: str = "", gems: int = 0) -> Run:
    """Roll the dice given, cubes first, and then these lines."""
    throw = (f"roll {len(rolls) - gems} cube into hand of you", f"roll {gems} gem into hand of you")
    return does(*throw, *lines, rules=CLIMBING + rules, answers=rolls)


@pytest.mark.parametrize(
    ("rolls", "gems", "offered"),
    [
        ([3, 5], 0, ["mound", "knoll"]),
        ([1, 2, 2], 0, ["mound", "knoll"]),
        ([6, 6, 3], 0, ["mound", "peak"]),
        ([1, 2], 1, ["mound"]),
        ([1, 4], 1, ["knoll"]),
        ([1, 2, 4], 1, ["mound", "knoll"]),
        ([3, 3], 2, []),
    ],
)
def test_only_totals_the_dice_can_make_are_offered(rolls: list[int], gems: int, offered: list[str]) -> None:
    """Gems alone pay nothing: one cube at least must be among the dice."""
    run = climbing(rolls, "may do climb", gems=gems)
    assert ([] if run.over else run.options) == [*offered, "-"][: 99 if offered else 0]


def test_several_ways_to_pay_are_asked() -> None:
    run = climbing([1, 2, 3], "do climb")
    run.answer("mound")
    assert run.question.prompt == "With which?"
    assert [run.dice(value) for value in run.values] == [{"cube": [1, 2]}, {"cube": [3]}]
    run.answer(run.values[1])
    assert run.told("hand", 0) == {"cube": [1, 2]}


def test_a_shift_changes_the_total_once() -> None:
    rules = "shift climb by +2 spending 1 coin, once per trial-run\n"
    assert climbing([1], "may do climb", rules=rules).over
    run = climbing([1, 1], "gain 2 coin", "may do climb", "may do climb", rules=rules)
    assert run.options == ["mound", "-"]
    run.answer("mound")
    assert run.over and run.value("coin", 0) == 1


def test_shifts_add_up_and_their_conditions_count() -> None:
    rules = "shift climb by +1 or -1\nshift climb by +2 spending 1 coin if fame of you > 0\n"
    assert climbing([2], "may do climb", rules=rules).options == ["mound", "-"]
    assert climbing([2], "gain 1 coin and 1 fame", "may do climb", rules=rules).options == ["mound", "knoll", "-"]
    assert climbing([2], "gain 1 coin", "may do climb", rules=rules).options == ["mound", "-"]


def test_shifts_that_draw_on_the_same_are_used_together_only_if_all_can_be_paid() -> None:
    rules = "shift climb by +1 spending 1 coin\nshift climb by +2 spending 1 coin\nshift climb by +4 spending 1 fame\n"
    assert climbing([2], "gain 1 coin", "may do climb", rules=rules).options == ["mound", "-"]  # 2 + 1, not 2 + 1 + 2
    run = climbing([2], "gain 2 coin", "may do climb", rules=rules)
    assert run.options == ["mound", "knoll", "-"]
    run.answer("knoll")
    assert run.value("coin", 0) == 0


def test_a_group_and_one_of_it_are_paid_together() -> None:
    rules = "shift climb by +1 spending 1 stuff\nshift climb by +2 spending 1 stick\n"
    assert climbing([2], "gain 1 stick", "may do climb", rules=rules).options == ["mound", "-"]
    assert climbing([2], "gain 2 stick", "may do climb", rules=rules).options == ["mound", "knoll", "-"]
    assert climbing([2], "gain 1 stick and 1 brick", "may do climb", rules=rules).options == ["mound", "knoll", "-"]


@pytest.mark.parametrize(
    ("rolls", "offered"),
    [
        ([1], ["mound"]),  # 1 + 4 would make 5, but not for the knoll
        ([1, 2], ["mound", "knoll"]),
        ([3, 5], ["mound", "knoll", "peak"]),
        ([6, 6], ["peak"]),
    ],
)
def test_a_shift_may_ask_what_is_chosen(rolls: list[int], offered: list[str]) -> None:
    """The total is shifted only for what meets the condition."""
    rules = "shift climb by +2 if height of up <= 3\nshift climb by +4 if height of up >= 12\n"
    rules += "shift climb by +2 if height of up = 5 and coin of you > 0\n"
    run = climbing(rolls, "gain 1 coin", "may do climb", rules=rules)
    assert run.options == [*offered, "-"]


def test_a_shift_that_asks_what_is_chosen_is_paid_for_only_there() -> None:
    rules = "shift climb by +2 spending 1 coin, once per trial-run if height of up = 5\n"
    run = climbing([3, 3, 3], "gain 2 coin", "may do climb", "may do climb", rules=rules)
    assert run.options == ["mound", "knoll", "-"]
    run.answer("mound")
    assert run.value("coin", 0) == 2 and run.options == ["knoll", "-"]
    run.answer("knoll")
    assert run.over and run.value("coin", 0) == 1


def test_a_payment_without_a_choice() -> None:
    rules = """
keep hand of player as dice
action seven
  choose dice from hand of you as paid making 7
  then
    gain 1 fame
"""
    assert does("roll 2 cube into hand of you", "do seven", rules=rules, answers=[3, 3]).value("fame", 0) == 0
    assert does("roll 2 cube into hand of you", "do seven", rules=rules, answers=[3, 4]).value("fame", 0) == 1


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
    rules = "phase day\n  repeat 3 times\n    each player\n      trigger tick\nmoment tick\n" \
        "when tick, once per day\n  gain 1 coin\n"  # fmt: skip
    run = does("play day", "play day", rules=rules)
    assert [run.value("coin", p) for p in range(2)] == [2, 2]


TICK = "moment tick \"Tick\"\n"


def ticking(*bodies: str, before: str = "nothing", **settings: int) -> Run:
    """The first player owns huts with these abilities; the moment comes."""
    extra = TICK + "setting careful is off\n"
    rules = huts(*(f"when {b}" for b in bodies)) + extra
    return does(OWN, before, "trigger tick", rules=rules, answers=(), **settings)


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


@pytest.mark.parametrize(
    "gain",
    [
        "let g = brick\n  gain 1 g",
        "choose a stuff from brick as g\n  gain 1 g",
        "each stuff in stuff\n    gain 1 stuff",
        "do hand-out with brick",
    ],
)
def test_a_resource_under_another_name_touches_the_others_too(gain: str) -> None:
    """What depends on there being no bricks comes before they are gained."""
    rules = "routine hand-out with stuff\n  gain 1 stuff\n"
    abilities = [f"when tick\n  {gain}", "when tick if brick of you = 0\n  gain 5 fame"]
    run = does(OWN, "trigger tick", rules=huts(*abilities) + TICK + rules, answers=())
    assert run.over and [run.value(x, 0) for x in ("fame", "brick")] == [5, 1]
    both = [f"when tick if fame of you = 0\n  {gain}", abilities[1]]
    run = does(OWN, "trigger tick", rules=huts(*both) + TICK + rules, answers=())
    assert [option.partition(":")[0] for option in run.options] == ["Hut 0", "Hut 1"]


def test_a_condition_on_a_name_depends_on_what_it_was_made_of() -> None:
    run = ticking("tick\n  lose 1 stick", "tick\n  let n = stick of you\n  if n > 0\n    gain 1 fame",
                  before="gain 1 stick")  # fmt: skip
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


# --- what can be completed ---------------------------------------------------------------------------

EITHER = """choose one "Which?"
  option "First"
    {first}
  option "Second"
    gain 1 fame
  option "Third"
    gain 1 brick"""


@pytest.mark.parametrize(
    ("first", "before", "possible"),
    [
        ("do buy", "gain 1 coin", True),
        ("do buy", "nothing", False),
        ("spend 2 coin", "gain 2 coin", True),
        ("spend 2 coin", "gain 1 coin", False),
        ("spend 2 coin or 1 stick", "gain 1 stick", True),
        ("choose a ware from have of you as one", "add apple to have of you", True),
        ("choose a ware from have of you as one", "nothing", False),
        ("choose a die from dice-of of you as one", "roll 1 cube into dice-of of you", True),
        ("choose a die from dice-of of you as one", "nothing", False),
        ("do anything", "nothing", False),
    ],
)
def test_options_that_cannot_be_completed_are_not_offered(first: str, before: str, possible: bool) -> None:
    rules = BUYING + "keep dice-of of player as dice\nroutine anything\n  spend 9 coin\n"
    run = does(before, EITHER.format(first=first), rules=rules, answers=(1,) if "roll" in before else ())
    assert ("First" in run.options) is possible and "Second" in run.options


def test_the_same_holds_for_an_offer_and_in_a_menu() -> None:
    assert does("may\n  do buy", rules=BUYING).over
    assert does("gain 1 coin", "may\n  do buy", rules=BUYING).options == ["Yes", "-"]
    bodies = "do buy", "spend 1 stick\n    gain 1 fame", "spend 1 stick\n    gain 2 fame"
    rules = huts(*(f"when tick\n  may {body}" for body in bodies)) + TICK + BUYING
    for before, options in (("gain 2 stick", 3), ("gain 1 coin and 2 stick", 4)):
        assert len(does(OWN, before, "trigger tick", rules=rules).options) == options
