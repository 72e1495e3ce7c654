"""Tests of choices of things and numbers, dice, cards, orders and secrets."""

from __future__ import annotations

import pytest

from edict.game.table.knowledge import compute_query
from helpers import CHANCE, Run, compile_program, make_phase, run_cases, run_steps

CARDS = """
kind card "card/cards"
  rank number from 1 to 9
  in order of rank
card ace
  rank 1
card two
  rank 2
card king
  rank 9
keep hand of player as dice
keep bag of player as set of card
keep top as card or none
keep lucky as set of number
keep picked as number starting at 99
"""


# --- choosing ----------------------------------------------------------------------------------------


SETUP = "add 7 to lucky\nadd 61 to lucky\nset hand of you to cube showing 2 + gem showing 4"
OFFERED = {
    "choose a card as x": ["ace", "two", "king"],
    "choose a card from (cards - two) as x": ["ace", "king"],
    "choose a card as x where rank of it > 1": ["two", "king"],
    "choose a stuff as x": ["stick", "brick"],
    "choose a player as x": ["0", "1", "2"],
    "choose a number from 2 to 4 as x": ["2", "3", "4"],
    "choose a number from lucky as x": ["7", "61"],
    "choose a number from 1 to 9 as x where it mod 4 = 0": ["4", "8"],
    "choose a number from 0 - coin of you - 5 to 1 as x": ["0", "1"],  # none is below 0
    "choose a number from faces of hand of you as x": ["2", "4"],
}
POSSIBLE = {
    "a card": range(3),
    "a card from top": range(3),
    "a card*where rank of it > 1": (1, 2),
    "a stuff": (1, 2),
    "a player": (),
    "a number from 2 to 4": (2, 3, 4),
    "a number from lucky": range(62),
    "a number from faces of hand of you": range(1, 7),
    "a number from 0 - coin of you to 1": (0, 1),
    "a number from 1 to 1000": range(1, 1001),
    "a number from 0 to 1000": (),
    "a number from 0 to coin of you": (),
    "a number from rank of ace to rank of king": range(1, 10),
}


def test_choice_offers_its_domain(subtests: pytest.Subtests) -> None:
    for run, choice, options in run_cases(OFFERED.items(), CARDS, SETUP, players=3):
        with subtests.test(choice=choice):
            assert run.options == options and run.question.name == "choose-x"
    assert len(run_steps("gain 99 coin", "choose a number from 0 to coin of you as x").options) == 100


def test_possible_answers_are_known_before_play() -> None:
    """Possible answers are listed as far as the rules set a bound."""
    chosen = [what.partition("*")[::2] for what in POSSIBLE]
    lines = [f"choose {what} as x{i} {where}".rstrip() for i, (what, where) in enumerate(chosen)]
    made = compile_program(CARDS + make_phase(*lines))
    found = {one.name: one.answers for one in made.questions}
    assert [found[f"choose-x{number}"] for number in range(len(POSSIBLE))] == [tuple(one) for one in POSSIBLE.values()]


def test_single_option_is_taken_without_asking() -> None:
    run = run_steps("choose a card as x where rank of it > 2", "gain rank of x coin", rules=CARDS)
    assert not run.asked and run.get_value("coin", 0) == 9


def test_choice_without_options_ends_the_block(subtests: pytest.Subtests) -> None:
    for line in (
        "choose a card from cards - cards as x",
        "choose a die from hand of you as x",
        "draw a card from bag of you as x",
        "choose a number from 3 to 2 as x",
    ):
        with subtests.test(line=line):
            run = run_steps(f"if yes\n  gain 1 stick\n  {line}\n  gain 1 coin", "gain 1 brick", rules=CARDS)
            assert [run.get_value(x, 0) for x in ("stick", "coin", "brick")] == [1, 0, 1] and not run.asked


def test_choice_without_options_ends_one_iteration_only() -> None:
    run = run_steps(
        "each player\n  choose a card from bag of you as x\n  gain rank of x coin",
        rules=CARDS + "when start of trial-run\n  add king to bag of left of first of everyone\n",
    )
    assert [run.get_value("coin", p) for p in range(2)] == [0, 9]


def test_optional_choice_can_be_declined() -> None:
    lines = 'may choose a card from bag of you as x else "None"\n  gain rank of x coin\nelse\n  gain 1 stick'
    run = run_steps("add ace to bag of you", lines, rules=CARDS)
    assert run.options == ["ace", "-"] and run.answer("ace").get_value("coin", 0) == 1
    assert run_steps(lines, rules=CARDS).get_value("stick", 0) == 1


def test_choice_can_be_asked_of_another_player() -> None:
    run = run_steps("choose a card as x asking left of you", "gain rank of x coin", rules=CARDS, answers=["king"])
    assert run.get_value("coin", 0) == 9
    assert run_steps("choose one asking left of you\n  gain 1 coin\n  gain 1 stick").seat == 1


def test_choose_one_offers_its_branches() -> None:
    lines = 'choose one "Well?"\n  gain 1 coin\n  option "Much" if stick of you > 0\n    gain 9 coin\n  lose 1 fame'
    poor, rich = run_steps(lines), run_steps("gain 1 stick", lines)
    assert poor.options == ["Gain 1 coin", "Lose 1 fame"] and rich.options == ["Gain 1 coin", "Much", "Lose 1 fame"]
    assert rich.question.prompt == "Well?" and rich.answer("Much").get_value("coin", 0) == 9
    assert run_steps('choose one\n  option "A" if no\n    gain 1 coin', "gain 1 stick").get_value("stick", 0) == 1
    assert not run_steps('choose one\n  option "A"\n    gain 1 coin').asked


def test_offer_can_have_several_steps() -> None:
    run = run_steps("may\n  lose 1 stick\n  gain 2 coin\nelse\n  gain 1 fame")
    assert run.options == ["Yes", "-"]
    assert Run(run.program).answer("-").get_value("fame", 0) == 1
    assert run.answer("Yes").get_value("coin", 0) == 2


def test_pure_gain_is_not_asked() -> None:
    run = run_steps("may gain 1 coin", "may gain 2 stuff")
    assert run.get_value("coin", 0) == 1 and run.options == ["stick", "brick"]


# --- dice --------------------------------------------------------------------------------------------


def test_dice_are_rolled_one_by_one() -> None:
    run = run_steps("roll 2 cube into hand of you", "roll 1 gem as g", "gain total of g coin", rules=CARDS)
    assert run.seat == CHANCE and run.options == list("123456")
    run.answer(6, 2)
    assert run.options == list("1234")
    run.answer(4)
    assert run.describe_value("hand", 0) == {"cube": [2, 6]} and run.get_value("coin", 0) == 4


def test_dice_values() -> None:
    lines = (
        "roll 3 cube into hand of you",
        "roll 2 gem into hand of you",
        "gain total of hand of you coin",
        "gain count of hand of you stick",
        "gain count of cubes among hand of you brick",
        "gain count of faces of hand of you fame",
        "set lucky to faces of hand of you",
    )
    run = run_steps(*lines, rules=CARDS, answers=[2, 2, 5, 4, 2])
    assert [run.get_value(x, 0) for x in ("coin", "stick", "brick", "fame")] == [15, 5, 3, 3]
    assert run.get_value("lucky") == 1 << 2 | 1 << 4 | 1 << 5


def test_dice_can_be_added_and_removed() -> None:
    run = run_steps(
        "add cube showing 3 to hand of you",
        "add cube showing 3 + gem showing 1 to hand of you",
        "remove cube showing 3 from hand of you",
        rules=CARDS,
    )
    assert run.describe_value("hand", 0) == {"cube": [3], "gem": [1]}
    assert (
        run_steps("remove cube showing 1 from hand of you", rules=CARDS).fault == "left the range it was declared with"
    )
    assert run_steps("add cube showing 7 to hand of you", rules=CARDS).fault == "left the range it was declared with"


def test_reroll_replaces_dice() -> None:
    run = run_steps(
        "roll 2 cube into hand of you",
        "roll 1 gem into hand of you",
        "choose a die from hand of you as d",
        "reroll d within hand of you",
        rules=CARDS,
        answers=[2, 5, 4],
    )
    assert len(run.values) == 3
    run.answer(run.values[2])
    assert run.options == list("1234")
    run.answer(1)
    assert run.describe_value("hand", 0) == {"cube": [2, 5], "gem": [1]}
    every = run_steps(
        "roll 2 cube into hand of you", "reroll all within hand of you", rules=CARDS, answers=[2, 5, 6, 6]
    )
    assert every.describe_value("hand", 0) == {"cube": [6, 6]}


def test_too_many_dice_of_one_face_fault() -> None:
    run = run_steps("repeat 40 times\n  add cube showing 1 to hand of you", rules=CARDS)
    assert run.fault == "more dice of one face than can be counted"


# --- cards and orders ----------------------------------------------------------------------------------


def test_draw_picks_from_the_given_set() -> None:
    run = run_steps("draw a card from (cards - ace) as x", "set top to x", "draw a card from x as y", rules=CARDS)
    assert run.seat == CHANCE and run.options == ["two", "king"]
    assert run.answer("king").describe_value("top") == "king"


def test_shuffle_draws_the_order_card_by_card() -> None:
    run = run_steps("shuffle deck", "set top to first of deck", rules=CARDS + "keep deck as order of card\n")
    assert run.options == ["ace", "two", "king"]
    run.answer("two")
    assert run.options == ["ace", "king"]
    run.answer("king")
    assert run.describe_value("deck") == ["two", "king", "ace"] and run.describe_value("top") == "two"


def test_arrange_sorts_stably() -> None:
    rules = "keep tall of player as number\nkeep saved as order of player\n"
    lines = ("shuffle line", "set tall of first of line to 5", "set saved to line")
    run = run_steps(*lines, "arrange line lowest tall of it first", rules=rules, players=4, answers=[2, 3, 0])
    assert run.describe_value("saved") == [2, 3, 0, 1] and run.describe_value("line") == [3, 0, 1, 2]
    run = run_steps(*lines, "arrange line highest tall of it first", rules=rules, players=4, answers=[1, 3, 0])
    assert run.describe_value("line") == [1, 3, 0, 2]


def test_loop_can_follow_another_order_of_players() -> None:
    rules = "keep other-line as order of player\nkeep n as number\nkeep came of player as number\n"
    run = run_steps(
        "shuffle other-line",
        "each player in other-line\n  add 1 to n\n  set came of you to n",
        rules=rules,
        players=3,
        answers=[2, 0],
    )
    assert [run.get_value("came", p) for p in range(3)] == [2, 3, 1]


def test_initial_seat_order() -> None:
    assert run_steps(players=4).describe_value("line") == [0, 1, 2, 3]
    lines = ("each player in left of you\n  gain 1 stick", "each player in right of you\n  gain 1 brick")
    run = run_steps("gain 1 coin", *lines, players=4)
    assert [run.get_value("stick", p) for p in range(4)] == [0, 1, 0, 0]
    assert [run.get_value("brick", p) for p in range(4)] == [0, 0, 0, 1]


# --- secrets -------------------------------------------------------------------------------------------


SECRETS = CARDS + "keep own of player as card or none, secret\nkeep pile as card or none, secret\n"


def test_secret_is_known_to_its_owner_only() -> None:
    run = run_steps(
        "set own of you to ace", "set own of left of you to two", "set pile to king", rules=SECRETS, players=3
    )
    assert [run.list_knowing_players("own", p) for p in range(2)] == [[0], [1]] and run.list_knowing_players(
        "pile"
    ) == []


def test_show_reveals_and_set_hides_again() -> None:
    lines = ("set pile to ace", "show pile to you", "set own of you to ace", "show own of you to everyone")
    run = run_steps(*lines, rules=SECRETS)
    assert run.list_knowing_players("pile") == [0] and run.list_knowing_players("own", 0) == [0, 1]
    assert run_steps("show pile to everyone", "set pile to ace", rules=SECRETS).list_knowing_players("pile") == []


def test_secret_questions_are_flagged() -> None:
    secret = (
        "choose a card as x secretly",
        "choose one secretly\n  gain 1 coin\n  gain 1 stick",
        "draw a card from cards as x secretly",
        "choose a card as x",
    )
    assert [run.question.secret for run, _ in run_cases([(one,) for one in secret], CARDS)] == [True, True, True, False]


# --- what the table asks ---------------------------------------------------------------------------------


def test_panel_queries_depend_on_player_and_thing() -> None:
    text = (
        CARDS
        + """
display board "Board"
  each card if rank of card > 1
  column "Rank" rank of card * 10
  mark "gone" if card is two
display rich
  each player
  column "Coins" coin of you + coin of player
display map
  each card
  rows rank of card
  columns coin of player
  mark if card is in bag of player
display notes
  line "Year", coin of first of everyone
"""
        + make_phase("gain 3 coin", "add king to bag of you", "choose a card as x")
    )
    run = Run(compile_program(text))
    panels = {p.name: p for p in run.program.panels}

    def ask(query: int, *args: int) -> int:
        return compute_query(run.program, run.state, query, *args)

    board = panels["board"]
    assert [ask(board.condition, c) for c in range(3)] == [0, 1, 1] and ask(board.mark, 1) == 1
    assert ask(board.lines[0].parts[0].query, 2) == 90 and board.shape == "rows"
    assert [ask(panels["rich"].lines[0].parts[0].query, p) for p in range(2)] == [6, 0]
    grid = panels["map"]
    assert grid.shape == "grid" and [ask(grid.mark, 2, p) for p in range(2)] == [1, 0]
    assert [ask(grid.columns, 0, p) for p in range(2)] == [3, 0]
    assert panels["notes"].shape == "lines" and panels["notes"].lines[0].parts[0].text == "Year"
    assert compute_query(run.program, run.state, run.program.score, 0) == 0


def test_phases_routines_and_effects_are_entry_points() -> None:
    made = compile_program("kind hut\n  gift effect\nhut mill\n  gift gain 1 coin\nroutine r\n  nothing\n")
    entries = dict(made.entries)
    assert {"phase trial-run", "routine r", "effect mill gift"} <= entries.keys()


def test_settings_can_be_changed_for_a_game() -> None:
    rules = "setting much is 5\nsetting kind-table is off\n"
    lines = ("gain much coin", "if kind-table\n  gain 1 stick")
    assert run_steps(*lines, rules=rules).get_value("coin", 0) == 5
    run = run_steps(*lines, rules=rules.replace("off", "on"))
    assert run.get_value("stick", 0) == 1
    run = Run(compile_program(rules + make_phase(*lines)), 2, {"much": 7, "kind-table": 1})
    assert [run.get_value(x, 0) for x in ("coin", "stick")] == [7, 1]


def test_number_out_of_set_range_is_a_fault() -> None:
    keep = "keep picks as set of number\nkeep far as number\n"
    assert run_steps("set far to 61", "add far to picks", rules=keep).get_value("picks") == 1 << 61
    assert run_steps("set far to 62", "add far to picks", rules=keep).fault == "left the range it was declared with"
