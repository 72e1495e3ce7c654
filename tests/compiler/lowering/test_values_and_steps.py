"""Tests of small programs with values, places, amounts, prices, flow and routines, by their final state."""

from __future__ import annotations

import pytest

from edict.runtime.program.opcodes import ENDLESS, FAULTS
from edict.runtime.simulation import native
from helpers import compile_program, make_phase, run_cases, run_steps

CARDS = """
kind card "card/cards"
  rank number from 1 to 9
  price amounts, optional
  wild truth, optional
  partner card or none, optional
  friends set of card, optional
  lower is cards where rank of it < rank of card
  twice is rank of card * 2
  in order of rank
card ace
  rank 1
  price 2 coin, 1 stick
  wild yes
  partner king
  friends two
card two
  rank 2
  friends cards
card king
  rank 9
keep bag of player as set of card
keep top as card or none
keep lucky as set of number
keep day as number from 0 to 99
phase night
  nothing
"""


# --- values ----------------------------------------------------------------------------------------


NUMBERS = [
    ("7", 7),
    ("2 + 3 * 4", 14),
    ("(2 + 3) * 4", 20),
    ("7 - 2 - 1", 4),
    ("- 3 + 1", -2),
    ("7 / 2", 3),
    ("- 7 / 2", -4),
    ("7 mod 3", 1),
    ("- 7 mod 3", 2),
    ("rank of king", 9),
    ("twice of king", 18),
    ("price of ace in coin", 2),
    ("price of ace in brick", 0),
    ("price of two in coin", 0),
    ("rank of partner of ace", 9),
    ("count of cards", 3),
    ("count of lower of king", 2),
    ("count of lower of ace", 0),
    ("count of everyone", 3),
    ("sum of it over (numbers from -1 to 100)", 5049),
    ("sum of it over (numbers from 1 to 10 where it mod 3 = 0)", 18),
    ("count of (numbers from day to 4)", 5),
    ("count of ((numbers from 1 to 10) - 3)", 9),
    ("last of (numbers from 1 to 61)", 61),
    ("count of cards as one where some card has rank of it > rank of one", 2),
    ("sum of rank of it over cards as one where some card has rank of it > rank of one", 3),
    ("sum of rank of one over cards as one where some card has rank of it > rank of one", 3),
    ("sum of (count of (cards where rank of it > rank of one)) over (cards as one)", 3),
    ("best of (count of (cards where rank of it > rank of one)) over (cards as one)", 2),
    ("sum of (sum of rank of other * rank of one over (cards as other)) over (cards as one)", 144),
    ("rank of first of (cards as one with most count of (cards where rank of it > rank of one))", 1),
    ("count of nobody", 0),
    ("count of friends of ace", 1),
    ("count of friends of two", 3),
    ("sum of rank of it over cards", 12),
    ("best of rank of it over cards", 9),
    ("least of rank of it over cards", 1),
    ("sum of rank of it over (cards where rank of it > 9)", 0),
    ("best of rank of it over (cards - cards)", 0),
    ("least of rank of it over (nobody + king)", 9),
    ("count of (cards where rank of it mod 2 = 1)", 2),
    ("count of (cards - ace)", 2),
    ("count of (nobody + ace + ace + king)", 2),
    ("rank of first of cards", 1),
    ("count of (cards with most rank of it)", 1),
    ("count of (cards with fewest rank of it mod 2)", 1),
    ("count of (cards with most rank of it mod 2 then fewest rank of it)", 1),
    ("rank of first of (cards with most rank of it mod 2 then fewest rank of it)", 1),
    ("rank of first of (cards with most rank of it mod 2 then most rank of it)", 9),
    ("coin of you", 0),
    ("stuff of you", 0),
    ("rank of last of cards", 9),
    ("rank of last of two", 2),
    ("(4, 7, 9) at rank of ace", 4),
    ("(4, 7, 9) at rank of two", 7),
    ("(4, 7, 9) at (rank of king - 6)", 9),
    ("(4, 7, 9) at 0", 4),
    ("(4, 7, 9) at rank of king", 9),
    ("(4, 7, 9) at (coin of you - 1)", 4),
    ("(4, 7, 9) at (coin of you + 2)", 7),
    ("(4, coin of you, 9) at 2", 0),
]


def test_number_expressions(subtests: pytest.Subtests) -> None:
    cases = [(f"set result to {expr}", expr, expected) for expr, expected in NUMBERS]
    for run, _, expr, expected in run_cases(cases, CARDS + "keep result as number\n", players=3):
        with subtests.test(run=run):
            assert run.get_value("result") == expected, (expr, run.fault)


CONDITIONS = [
    ("1 < 2", True),
    ("2 < 2", False),
    ("2 <= 2", True),
    ("3 > 2", True),
    ("2 >= 3", False),
    ("2 = 2", True),
    ("2 != 2", False),
    ("ace is ace", True),
    ("ace is not king", True),
    ("top is none", True),
    ("top is ace", False),
    ("yes and no", False),
    ("yes or no", True),
    ("no or no", False),
    ("not no", True),
    ("wild of ace", True),
    ("wild of two", False),
    ("partner of two is none", True),
    ("ace is in cards", True),
    ("ace is in bag of you", False),
    ("top is in cards", False),
    ("ace is not in bag of you", True),
    ("bag of you is within cards", True),
    ("cards is within bag of you", False),
    ("bag of you is empty", True),
    ("cards is not empty", True),
    ("bag of you = nobody", True),
    ("cards = cards - ace + ace", True),
    ("lower of ace is empty", True),
    ("every card has rank of it > 0", True),
    ("every card has rank of it > 1", False),
    ("some card has rank of it > 8", True),
    ("some card has rank of it > 9", False),
    ("every card has some card has rank of it > 8", True),
    ("every nobody has 1 > 2", True),
    ("no card has rank of it > 8", False),
    ("no cards - king has rank of it > 8", True),
    ("no nobody has 1 < 2", True),
    ("1 < 2 and some card has rank of it > 8", True),
    ("1 < 2 and not some card has rank of it > 8", False),
    ("1 > 2 or 1 < 2 and no card as one has some card has rank of it < rank of one - 8", True),
    ("some card as one has some card as other has rank of one - rank of other = 8", True),
    ("some card as one has every card has one is it or it is in friends of one", True),
    ("some number from 1 to 4 has it * it = 9", True),
    ("some number from -4 to -1 has it * it = 9", True),
    ("no number from -2 to 2 has it * it = 9", True),
    ("every number from 1 to rank of king has it < 10", True),
    ("some number from 5 to day + 4 has it = it", False),
    ("some number from 60 to 1000 has it = 999", True),
    ("-3 is in (numbers from -3 to day)", True),
    ("day + 1000 is not in (numbers from -3 to 999)", True),
    ("-4 is in (numbers from -3 to 1000)", False),
    ("during trial-run", True),
    ("during night", False),
    ("line = everyone", True),
    ("you is first of line", True),
    ("left of you is you", False),
    ("right of left of you is you", True),
    ("line is empty", False),
]


def test_condition_agrees_as_value_and_in_if(subtests: pytest.Subtests) -> None:
    asked = "set result to {0}\nif {0}\n  gain 1 coin\nif not ({0})\n  gain 1 stick"
    cases = [(asked.format(condition), condition, holds) for condition, holds in CONDITIONS]
    for run, _, condition, holds in run_cases(cases, CARDS + "keep result as truth\n", players=3):
        with subtests.test(run=run):
            found = run.get_value("result"), run.get_value("coin", 0), run.get_value("stick", 0)
            assert found == (holds, holds, not holds), (condition, run.fault)


@pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
def test_conditions_on_members_and_ranges_agree_in_native_code() -> None:
    ranged = [condition for condition in CONDITIONS if "number" in condition[0] or " as " in condition[0]]
    lines = (f"if {condition}\n  gain {2**i} coin" for i, (condition, _) in enumerate(ranged))
    program = compile_program(CARDS + make_phase(*lines))
    state, _ = native.play_one(program, 3, 1)
    amount = state[program.variable_by_name["coin"].base]
    assert amount == sum(2**i for i, (_, holds) in enumerate(ranged) if holds)


def test_local_keeps_its_value() -> None:
    run = run_steps("set day to 3", "let x = day", "set day to 9", "gain x coin", rules=CARDS)
    assert run.get_value("coin", 0) == 3
    run = run_steps("let x = bag of you", "add ace to bag of you", "gain count of x coin", rules=CARDS)
    assert run.get_value("coin", 0) == 0
    run = run_steps("let x = 2", "set x to x * x + 1", "gain x coin", rules=CARDS)
    assert run.get_value("coin", 0) == 5


# --- places ----------------------------------------------------------------------------------------


def test_set_add_and_remove_change_places() -> None:
    run = run_steps(
        "add ace to bag of you",
        "add cards - two to bag of you",
        "remove ace from bag of you",
        "set top to two",
        "add 5 to day",
        "remove 2 from day",
        "add 7 to lucky",
        "add 61 to lucky",
        "remove 7 from lucky",
        rules=CARDS,
    )
    assert run.describe_value("bag", 0) == ["king"] and run.describe_value("bag", 1) == []
    assert run.describe_value("top") == "two" and run.get_value("day") == 3 and run.get_value("lucky") == 1 << 61


def test_keep_initial_values() -> None:
    rules = (
        CARDS
        + """
keep n as number starting at 4
keep b of player as number starting at count of cards
keep c as set of card starting at two
keep d as set of card starting at cards - two
keep e as card starting at king
keep f as truth starting at yes
keep g as card
keep h as truth
keep i as player or none
keep j as order of card
"""
    )
    run = run_steps("nothing", rules=rules)
    assert [run.get_value(x) for x in "nfhi"] == [4, 1, 0, -1]
    assert [run.get_value("b", p) for p in range(2)] == [3, 3]
    assert [run.describe_value(x) for x in "cdegj"] == [["two"], ["ace", "king"], "king", "ace", []]


def test_thing_is_coerced_to_a_set_and_none_to_the_empty_set() -> None:
    run = run_steps("set bag of you to ace", "set bag of left of you to top", rules=CARDS)
    assert run.describe_value("bag", 0) == ["ace"] and run.describe_value("bag", 1) == []


def test_keep_can_have_two_parameters() -> None:
    run = run_steps(
        "set note of ace by you to 1",
        "set note of king by (left of you) to 2",
        "each card",
        "  add 10 to note of card by you",
        rules=CARDS + "keep note of card by player as number\n",
    )
    assert [[run.get_value("note", card, p) for p in range(2)] for card in range(3)] == [[11, 0], [10, 0], [10, 2]]


FAULTS_OF = {
    "left the range it was declared with": (
        "add 100 - coin of you to day",
        "remove 1 from day",
        "set tally of 62 to 1",
        "set tally of (0 - 1) to 1",
        "gain tally of (day + 70) coin",
    ),
    "divided by zero": ("gain 1 / day coin", "gain 1 mod day coin"),
    "used something that is not there (none)": (
        "gain rank of top coin",
        "gain rank of first of (cards where rank of it > 9) coin",
        "set always to top",
        "do see with top",
        "gain coin of owner stick",
    ),
}


def test_fault_names_its_line() -> None:
    rules = (
        CARDS
        + """
keep tally of number as number
keep always as card
keep owner as player or none
routine see with card
  nothing
"""
    )
    cases = [(f"nothing\n{line}", line, fault) for fault, lines in FAULTS_OF.items() for line in lines]
    runs = [*run_cases(cases, rules)]
    assert [(line, run.fault) for run, _, line, _ in runs] == [(line, fault) for _, line, fault in cases]
    lines = [run.cause.line for run, *_ in runs]  # of each an `if`, `nothing`, and itself
    assert lines == [lines[0] + 3 * number for number in range(len(cases))]


# --- gaining and losing ------------------------------------------------------------------------------


def test_gain_adds_resources() -> None:
    run = run_steps(
        "gain 3 coin and 1 stick",
        "gain 2 + 2 coin",
        "gain 1 of each stuff",
        "gain 1 of each stuff except stick",
        "let n = 0 - 5",
        "gain n coin",
        "gain 1 cube",
        "each stuff as x\n  gain 1 x",
    )
    assert [run.get_value(x, 0) for x in ("coin", "stick", "brick", "cube")] == [7, 3, 3, 1]


def test_loss_is_limited_to_what_is_there() -> None:
    run = run_steps("gain 2 coin", "lose 5 coin", "lose 3 fame", "let n = 0 - 4", "lose n coin", "lose 2 of each stuff")
    assert [run.get_value(x, 0) for x in ("coin", "stick", "fame")] == [0, 0, -3]


def test_group_gain_is_chosen_one_by_one() -> None:
    run = run_steps("gain 2 stuff")
    assert run.options == ["stick", "brick"]
    run.answer("stick", "brick")
    assert run.is_over and [run.get_value(x, 0) for x in ("stick", "brick")] == [1, 1]


def test_group_loss_is_chosen_one_by_one() -> None:
    asked = run_steps("gain 2 stick", "gain 2 brick", "lose 2 stuff", answers=["stick"])
    assert asked.options == ["stick", "brick"]
    assert not asked.answer("stick").asked[2:] and asked.get_value("brick", 0) == 2
    all_of_it = run_steps("gain 1 stick", "gain 1 brick", "lose 3 stuff")
    assert all_of_it.is_over and not all_of_it.asked and all_of_it.get_value("stick", 0) == 0
    one_kind = run_steps("gain 3 stick", "lose 2 stuff")
    assert not one_kind.asked and one_kind.get_value("stick", 0) == 1


def test_amount_from_a_computed_set() -> None:
    rules = "keep purse as set of stuff starting at stick\n"
    assert run_steps("gain 2 from purse", rules=rules).get_value("stick", 0) == 2
    run = run_steps("add brick to purse", "gain 1 from purse", rules=rules)
    assert run.options == ["stick", "brick"]
    run = run_steps("gain 2 brick", "lose 1 from purse", "lose 1 from (purse + brick)", rules=rules)
    assert run.get_value("brick", 0) == 1
    nothing = run_steps("remove stick from purse", "gain 2 from purse", rules=rules)
    assert nothing.is_over and nothing.get_value("stick", 0) == 0


def test_gain_offers_alternative_bundles() -> None:
    run = run_steps("gain 1 coin and 1 stick or 2 brick or 1 stuff")
    assert run.options == ["1 coin and 1 stick", "2 bricks", "1 piece of stuff of your choice"]
    assert run.answer("2 bricks").get_value("brick", 0) == 2


# --- spending ------------------------------------------------------------------------------------------


def test_spend_runs_its_block_only_if_payable() -> None:
    poor = run_steps("spend 2 coin", "  gain 1 fame", "gain 1 stick")
    assert [poor.get_value(x, 0) for x in ("fame", "stick")] == [0, 1] and not poor.asked
    rich = run_steps("gain 3 coin", "spend 2 coin", "  gain 1 fame")
    assert [rich.get_value(x, 0) for x in ("fame", "coin")] == [1, 1] and not rich.asked


def test_spend_offers_only_payable_options() -> None:
    run = run_steps(
        "gain 1 coin and 2 brick", "spend 2 coin or 2 brick or 1 stuff or 1 coin and 1 stick", "  gain 1 fame"
    )
    assert run.options == ["2 bricks", "1 brick"]
    run.answer("1 brick")
    assert [run.get_value(x, 0) for x in ("brick", "fame")] == [1, 1]


def test_spent_resource_can_be_named() -> None:
    lines = ("spend 1 stuff as paid", "  gain 2 paid", "  gain 1 of each stuff except paid")
    run = run_steps("gain 1 stick and 1 brick", *lines)
    assert run.options == ["1 stick", "1 brick"]
    run.answer("1 brick")
    assert [run.get_value(x, 0) for x in ("stick", "brick")] == [2, 2]


def test_price_parts_on_the_same_resources_add_up(subtests: pytest.Subtests) -> None:
    for sticks, bricks, paid in ((2, 0, True), (1, 1, True), (1, 0, False), (0, 2, False)):
        with subtests.test(sticks=sticks, bricks=bricks):
            run = run_steps(f"gain {sticks} stick and {bricks} brick", "spend 1 stick and 1 stuff", "  gain 1 fame")
            left = 0 if paid else sticks + bricks
            assert (run.get_value("fame", 0), run.get_value("stick", 0) + run.get_value("brick", 0)) == (paid, left), (
                sticks,
                bricks,
            )


def test_resource_without_floor_can_always_be_spent() -> None:
    run = run_steps("spend 3 fame", "  gain 1 coin")
    assert [run.get_value(x, 0) for x in ("fame", "coin")] == [-3, 1]


def test_spend_can_be_declined() -> None:
    run = run_steps("gain 1 coin", 'may spend 1 coin else "Keep it"', "  gain 1 fame", "else", "  gain 1 stick")
    assert run.options == ["1 coin", "-"] and run.question.decline == "Keep it"
    run.answer("-")
    assert [run.get_value(x, 0) for x in ("coin", "fame", "stick")] == [1, 0, 1]
    assert run_steps("may spend 1 coin", "  gain 1 fame", "else", "  gain 1 stick").get_value("stick", 0) == 1


# --- flow ----------------------------------------------------------------------------------------------


def test_if_runs_one_branch(subtests: pytest.Subtests) -> None:
    for coins, expected in ((0, 10), (1, 20), (2, 30)):
        with subtests.test(coins=coins):
            run = run_steps(
                f"gain {coins} coin",
                "if coin of you = 0\n  gain 10 fame\nelse if coin of you = 1\n  gain 20 fame\nelse\n  gain 30 fame",
            )
            assert run.get_value("fame", 0) == expected


def test_repeat_runs_its_block() -> None:
    lines = ("repeat 3 times\n  gain 2 coin", "repeat 0 - 1 times\n  gain 9 coin")
    run = run_steps(*lines, "repeat coin of you times\n  gain 1 coin")
    assert run.get_value("coin", 0) == 12  # how often is settled before
    assert run_steps("repeat until coin of you >= 5\n  gain 2 coin").get_value("coin", 0) == 6
    assert run_steps("gain 9 coin", "repeat until coin of you >= 5\n  gain 2 coin").get_value("coin", 0) == 9


def test_player_loop_follows_the_games_order_and_binds_you() -> None:
    run = run_steps(
        "arrange line highest seat of it first",
        "each player\n  add 1 to turn\n  set came of you to turn",
        rules="keep turn as number\nkeep came of player as number\nkeep seat of player as number\n"
        "when start of trial-run\n  let n = 0\n  each player\n    add 1 to n\n    set seat of you to n\n",
        players=3,
    )
    assert [run.get_value("came", p) for p in range(3)] == [3, 2, 1]


def test_nested_player_loops_restore_you() -> None:
    run = run_steps(
        "each player", "  gain 1 coin", "  each player", "    gain 1 stick", "  gain 1 brick", "gain 1 fame", players=3
    )
    assert [[run.get_value(x, p) for p in range(3)] for x in ("coin", "stick", "brick", "fame")] == [
        [1, 1, 1],
        [3, 3, 3],
        [1, 1, 1],
        [1, 0, 0],
    ]


def test_named_loop_player_is_not_you() -> None:
    rules = "keep met of player as number\n"
    run = run_steps("each player as other", "  gain 1 coin", "  add 1 to met of other", rules=rules)
    assert [run.get_value("coin", p) for p in range(2)] == [2, 0] and [run.get_value("met", p) for p in range(2)] == [
        1,
        1,
    ]


def test_loop_fixes_its_members_first() -> None:
    run = run_steps(
        "let left-over = everyone", "each player in left-over", "  set left-over to nobody", "  gain 1 coin"
    )
    assert [run.get_value("coin", p) for p in range(2)] == [1, 1]
    run = run_steps("add cards to bag of you", "each card in bag of you", "  remove card from bag of you", rules=CARDS)
    assert run.describe_value("bag", 0) == []


def test_loops_over_things_numbers_and_resources() -> None:
    run = run_steps("each card in (cards - two)\n  gain rank of card coin", "each stuff\n  gain 1 stuff", rules=CARDS)
    assert [run.get_value(x, 0) for x in ("coin", "stick", "brick")] == [10, 1, 1]
    run = run_steps("add 3 to lucky", "add 10 to lucky", "each number as n in lucky\n  gain n coin", rules=CARDS)
    assert run.get_value("coin", 0) == 13


def test_endless_rule_is_stopped_and_named() -> None:
    run = run_steps("play spin", rules='phase spin "Spinning"\n  repeat until coin of you > 5\n    lose 1 coin\n')
    assert run.fault == FAULTS[ENDLESS]
    assert (run.cause.name, run.cause.title, run.cause.file, run.cause.line) == ("spin", "Spinning", "page1.edict", 2)


def test_end_game_stops_immediately() -> None:
    run = run_steps("each player\n  gain 1 coin\n  end game")
    assert run.is_over and [run.get_value("coin", p) for p in range(2)] == [1, 0] and run.winners == [0, 1]


# --- routines, recursion -------------------------------------------------------------------------------


def test_routine_takes_arguments() -> None:
    run = run_steps(
        "do pay with 2 and left of you",
        "do pay with 3 and you",
        rules="routine pay with number called n and player called whom\n"
        "  each player in whom\n    gain n coin\n  set n to 0\n",
    )
    assert [run.get_value("coin", p) for p in range(2)] == [3, 2]


TILES = """
kind tile
  worth number
  gift effect
tile plain
  worth 1
  gift gain 1 coin
tile copy
  worth 2
  gift
    let before = worth of plain + fame of you
    choose a tile as which
    do gift of which
    gain before fame
"""


def test_effect_can_run_effects_recursively() -> None:
    """Locals of the outer effect survive the inner one."""
    run = run_steps("do gift of copy", rules=TILES, answers=["copy", "copy", "plain"])
    assert run.is_over and run.get_value("coin", 0) == 1 and run.get_value("fame", 0) == 3


def test_recursive_effect_can_read_a_quantity() -> None:
    rules = TILES.replace("gain before fame", "gain size of you fame") + "quantity size of player is coin of player\n"
    assert run_steps("do gift of copy", rules=rules, answers=["copy", "plain"]).get_value("fame", 0) == 2


def test_too_deep_recursion_is_a_fault() -> None:
    run = run_steps("do gift of loop", rules="kind tile\n  gift effect\ntile loop\n  gift do gift of loop\n")
    assert run.fault == "nested too deeply"


def test_missing_optional_effect_does_nothing() -> None:
    run = run_steps("do gift of bare", "gain 1 coin", rules="kind tile\n  gift effect, optional\ntile bare\n")
    assert run.get_value("coin", 0) == 1


# --- lists of things, and names that steps give ---------------------------------------------------------

ISLES = """
kind isle "isle"
  near set of isle
  fish number
isle north "North"
  near south, mid
  fish 2
isle south "South"
  near north
  fish 1
table of isle with near, fish
  mid "Middle"  north and south,  3
keep seen as number from 0 to 99
"""
CALLED = [
    ("set seen to count of near of north", 2),
    ("set seen to count of near of mid", 2),  # in a field, and in a cell
    ("choose an isle as one where fish of one > 2\nset seen to fish of one", 3),
    ("each isle as one where (count of (isles where fish of it < fish of one)) > 0\n  add fish of one to seen", 5),
    ("each player as other where other is not you\n  add 1 to seen", 1),
    ("each player as other from left of you where other is not you\n  add 1 to seen", 1),
    ("choose 3 isles as some-isles where fish of some-isles > 2\nset seen to count of some-isles", 1),
]


def test_field_lists_things_and_condition_uses_a_name_bound_by_its_step(subtests: pytest.Subtests) -> None:
    for run, lines, expected in run_cases(CALLED, ISLES):
        with subtests.test(lines=lines):
            assert run.get_value("seen") == expected
