"""Tests of moving, drawing, swapping and giving, which neither create nor lose anything."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edict.compiler.english.phrases import describe
from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from edict.game.table.rules import Rules
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.cross_references import find_references
from examples import choose_examples
from helpers import (
    Run,
    add_game,
    codes_and_texts,
    compile_program,
    compile_texts,
    link_texts,
    make_module,
    make_phase,
    run_cases,
    run_steps,
)
from table_kit import PAIR

# --- a place for one thing ---------------------------------------------------------------------------

CARDS = """
kind card "card/cards"
card ace "Ace"
card king "King"
keep deck "the deck" as set of card starting at cards
keep pile as order of card
keep shown "the card on display" as card or none
keep held of player as card or none, secret
keep hand of player as set of card
keep always as card starting at king
"""


COMING: list[tuple[str, list[str], str, list[str]]] = [
    ("draw a card from deck into shown", ["king"], "ace", []),
    ("draw 1 card from deck into shown", ["king"], "ace", []),
    ("draw a card from deck into shown\nmove shown from shown to hand of you", ["king"], "none", ["ace"]),
    ("draw a card from deck into shown\ndraw a card from deck into shown", [], "king", []),
    ("set shown to king\nmove ace from shown to deck", ["ace", "king"], "king", []),
    ("move ace from deck to shown", ["king"], "ace", []),
    ("move first of pile from pile to shown", ["ace", "king"], "none", []),
]


def test_place_for_one_thing_is_filled_and_emptied(subtests: pytest.Subtests) -> None:
    for run, lines, deck, shown, hand in run_cases(COMING, CARDS):
        with subtests.test(lines=lines):
            while not run.is_over:
                run.answer(run.options[0])
            assert (run.describe_value("deck"), run.describe_value("shown"), run.describe_value("hand", 0)) == (
                deck,
                shown,
                hand,
            ), lines


def test_draw_into_secret_place_is_known_to_its_owner_only() -> None:
    run = run_steps("draw a card from deck into held of you", rules=CARDS, answers=["king"])
    assert (run.describe_value("held", 0), run.list_knowing_players("held", 0)) == ("king", [0])


def test_thing_kept_back_by_exception_does_not_arrive() -> None:
    kept = "exception glue to leaving deck if card is ace\n  instead\n    nothing\n"
    run = run_steps("move ace from deck to shown", rules=CARDS + kept)
    assert (run.describe_value("deck"), run.describe_value("shown")) == (["ace", "king"], "none")


def test_several_things_into_a_single_place_are_a_type_error(subtests: pytest.Subtests) -> None:
    for line, code, at in (
        ("draw 2 cards from deck into shown", "E0406", "shown"),
        ("move deck from deck to shown", "E0401", "deck"),
        ("move always from always to hand of you", "E0406", "always"),
        ("add ace to shown", "E0406", "add ace to shown"),
    ):
        with subtests.test(line=line):
            found = [(code, under.strip()) for code, under in codes_and_texts(CARDS + make_phase(line)) if code < "E05"]
            assert found == [(code, at)]


def test_single_place_is_described_in_the_singular() -> None:
    lines = ("draw a card from deck into shown", "move shown from shown to hand of you")
    resolved = link_texts(CARDS + make_phase(*lines)).resolved
    short = [node for one in resolved.book.definitions.values() for node in walk(one) if isinstance(node, t.Short)]
    assert [describe(resolved, one) for one in short] == [
        "draw a card from the deck as the card on display",
        "move the card on display to your hand",
    ]


# --- swapped -----------------------------------------------------------------------------------------

SWAPPING = """
kind card
card ace
card two
keep held of player as card or none
keep top as card
keep bids of player as number from 0 to 5
keep secret-of of player as number, secret
keep tally as number
keep bag as set of player
"""


def test_swap_exchanges_values(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, list[int]]] = [
        ("set bids of you to 3\nswap bids of you with bids of left of you", "bids", [0, 3]),
        ("set held of you to two\nswap held of you with held of left of you", "held", [-1, 1]),
        ("let n = 4\nset bids of you to 1\nswap n with bids of you", "bids", [4, 0]),
        ("set bids of you to 2\nswap bids of you with bids of you", "bids", [2, 0]),
    ]
    for run, lines, place, values in run_cases(cases, SWAPPING):
        with subtests.test(lines=lines):
            assert run.is_over and [run.get_value(place, player) for player in range(2)] == values


def test_swap_out_of_range_is_a_fault() -> None:
    assert run_steps("set tally to 9", "swap tally with bids of you", rules=SWAPPING).fault
    assert run_steps("swap held of you with top", rules=SWAPPING).fault


def test_swap_needs_places_of_one_type(subtests: pytest.Subtests) -> None:
    for line, code in (
        ("swap tally with held of you", "E0401"),
        ("swap tally with 3", "E0405"),
        ("swap bag with everyone", "E0405"),
    ):
        with subtests.test(line=line):
            assert code in {found for found, _ in codes_and_texts(SWAPPING + make_phase(line))}


def test_swap_counts_as_change_for_loops() -> None:
    text = SWAPPING + make_phase("add 1 to tally", "repeat until bids of you > 0\n  swap tally with bids of you")
    assert not [d for d in compile_texts(text).diagnostics if d.is_error]


STOP_HERE = 'may "Go on?"\n  gain 1 coin'
SWAP = "set secret-of of you to 7\nswap secret-of of you with secret-of of left of you"
KNOWN = {  # after these steps, who knows the secrets of the first and of the second player
    SWAP: ([0, 1], [0, 1]),  # each gave away what they know
    f"{SWAP}\nset secret-of of left of you to 3": ([0, 1], [1]),
    f"{SWAP}\nswap secret-of of left of you with secret-of of right of you": ([0, 1], [1, 2]),
    f"show secret-of of you to everyone\n{SWAP}": ([0, 1], [0, 1]),
}


def test_both_sides_of_a_swap_know_what_they_gave_away(subtests: pytest.Subtests) -> None:
    for steps, known in KNOWN.items():
        with subtests.test(steps=steps):
            run = run_steps(steps, STOP_HERE, rules=SWAPPING, players=3)
            assert tuple(run.list_knowing_players("secret-of", player) for player in (0, 1)) == known


def test_swap_hides_secrets_from_others(subtests: pytest.Subtests) -> None:
    for keep, start in (("card or none", "a-card"), ("set of card", "cards"), ("bag of card", "cards")):
        with subtests.test(keep=keep):
            rules = f"kind card\ncard a-card\nkeep hand of player as {keep}, secret\n"
            steps = make_phase(f"set hand of you to {start}", "swap hand of you with hand of left of you", STOP_HERE)
            game = Rules(compile_program(rules + steps), "trial").new_game((*PAIR, "Cleo"), seed=1)
            thing = (0,) if keep == "bag of card" else ()  # a bag keeps for each thing who knows how often it is there
            known = [[game.view(seat).knows("hand", player, *thing) for player in (0, 1)] for seat in range(3)]
            assert known == [[True, True], [True, True], [False, False]]


def test_announced_swap_is_a_warning() -> None:
    told = SWAPPING + make_phase("let n = 0", "swap n with secret-of of you", "announce n")
    assert "E0512" in {found for found, _ in codes_and_texts(told)}


def test_swap_is_described_and_its_changes_are_known() -> None:
    rules = link_texts(SWAPPING + make_phase("swap bids of you with tally"))
    (swap,) = (node for node in walk(rules.resolved.require_definition("trial-run")) if isinstance(node, t.Swap))
    assert describe(rules.resolved, swap) == "swap your bids with the tally"
    outcome = analyze((make_module(*add_game(SWAPPING + make_phase("swap bids of you with tally"))),))
    found = find_references(AnnotatedRules((), outcome.unwrap(), {}))
    assert {touch.whom for touch in found if touch.how == "changes"} >= {"bids", "tally"}


# --- neither more nor less, whatever is asked for and wherever it goes ---------------------------------

MOVING = """
kind tile "tile/tiles"
  size number from 1 to 9
tile red "Red"
  size 1
tile blue "Blue"
  size 2
tile gold "Gold"
  size 3
keep sack as bag of tile starting at 2 of each tile
keep bin as bag of tile
keep pouch of player as bag of tile, secret but counted
keep pool as set of tile starting at red + blue
keep other as set of tile
keep hand of player as set of tile, secret
keep pile as order of tile
keep row as order of tile, secret
keep cup as dice
keep tray of player as dice
"""
PLACES = [
    "sack",
    "bin",
    "pouch of you",
    "pouch of left of you",
    "pool",
    "other",
    "hand of you",
    "hand of left of you",
    "pile",
    "row",
]
WHAT = [
    "red",
    "blue",
    "gold",
    "tiles",
    "3 of red",
    "2 of each tile",
    "5 of gold + 1 of blue",
    "first of tiles",
    "nobody",
    "(red, gold)",
    "few",
    "some-tiles",
    "last of pile",
    "first of pool",
    "tiles where size of it > 1",
    *PLACES,
]
DICE = ["cup", "tray of you", "tray of left of you"]
THROWN = ["cup", "tray of you", "cube showing 3", "cubes among cup", "cup where it > 2", "three", "no-dice"]

places, trays, whom = st.sampled_from(PLACES), st.sampled_from(DICE), st.sampled_from(["you", "left of you"])
moves = st.builds("move {} from {} to {}".format, st.sampled_from(WHAT), places, places)
drawn = st.builds("draw {} tiles from {} into {}".format, st.integers(0, 4), places, places)
thrown = st.builds("move ({}) from {} to {}".format, st.sampled_from(THROWN), trays, trays)
given_ = st.builds("give {} coin to {}".format, st.sampled_from(["0", "3", "9", "all"]), whom)
FIRST = (
    "shuffle pile",
    "let few = 5 of red + 1 of blue",
    "let some-tiles = red + gold",
    "remove red from pile",
    "let three = cube showing 3 + cube showing 3 + gem showing 4",
    "gain 5 coin",
    "add three to cup",
    "add cube showing 5 to tray of you",
)


def count_everything(run: Run) -> tuple[Counter[object], object, int]:
    """Return how often each tile exists anywhere, the dice, and the coins."""
    tiles: Counter[object] = Counter()
    names = ("red", "blue", "gold")
    for keep, of in (("sack", ()), ("bin", ()), ("pouch", (0,)), ("pouch", (1,))):
        for number, name in enumerate(names):
            tiles[name] += run.get_value(keep, *of, number)
    for keep, of in (("pool", ()), ("other", ()), ("hand", (0,)), ("hand", (1,)), ("pile", ()), ("row", ())):
        tiles.update(run.describe_value(keep, *of))  # type: ignore[call-overload]
    dice = Counter(
        (die, face)
        for keep, of in (("cup", ()), ("tray", (0,)), ("tray", (1,)))
        for die, faces in run.unpack_dice(run.get_value(keep, *of)).items()
        for face in faces
    )
    return tiles, dice, sum(run.get_value("coin", seat) for seat in range(2))


def accepted_lines(lines: list[str]) -> list[str]:
    """Return the lines that compile; for example, an order cannot be moved into a bag."""
    text = MOVING + make_phase(*FIRST, *lines)
    wrong = {one.span.line for one in compile_texts(text).diagnostics if one.is_error}
    first = text.count("\n") - len(lines) + 1
    return accepted_lines([line for at, line in enumerate(lines, first) if at not in wrong]) if wrong else lines


def run_lines(*lines: str) -> Run:
    run = run_steps(*FIRST, *lines, "choose a number from 1 to 2 as stop-here", rules=MOVING)
    while run.question.name != "choose-stop-here":
        run.answer(run.options[0])
    return run


@cache
def initial_counts() -> object:
    return count_everything(run_lines())


@settings(max_examples=choose_examples(10, 200))
@given(st.lists(moves | drawn | thrown | given_, min_size=3, max_size=12))
def test_random_moves_preserve_the_total(lines: list[str]) -> None:
    wrapped = [
        f"repeat 1 times\n  {line}" for line in accepted_lines(lines)
    ]  # what cannot be drawn ends its own block only
    assert count_everything(run_lines(*wrapped)) == initial_counts(), wrapped


def test_move_adds_no_more_than_it_removes(subtests: pytest.Subtests) -> None:
    for line, there in (
        ("move few from sack to bin", [2, 1, 0]),
        ("move 3 of red from sack to bin", [2, 0, 0]),
        ("move gold from pool to bin", [0, 0, 0]),
        ("move tiles from pool to bin", [1, 1, 0]),
        ("move red from pile to bin", [0, 0, 0]),
        ("move 3 of red from pool to bin", [1, 0, 0]),
        ("repeat 1 times\n  move pile from other to pool", [0, 0, 0]),
        ("move last of pile from other to bin", [0, 0, 0]),
    ):
        with subtests.test(line=line):
            run = run_lines(line)
            assert [run.get_value("bin", number) for number in range(3)] == there


def test_thing_without_room_stays() -> None:
    run = run_lines("move 2 of red from sack to pool", "move sack from sack to other")
    assert [run.get_value("sack", number) for number in range(3)] == [1, 1, 1]
    assert run.describe_value("pool") == ["red", "blue"] and run.describe_value("other") == ["red", "blue", "gold"]
    run = run_lines("add (red, blue, gold) to pile", "add (blue, gold) to row", "move pile from pile to row")
    assert (run.describe_value("pile"), run.describe_value("row")) == (["blue", "gold"], ["blue", "gold", "red"])


def test_absent_dice_are_not_moved() -> None:
    run = run_lines("move cube showing 2 from cup to tray of you", "move three from cup to tray of left of you")
    assert run.unpack_dice(run.get_value("tray", 1)) == {"cube": [3, 3], "gem": [4]} and not run.fault
