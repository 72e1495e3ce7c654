"""Exceptions to single steps of a phase: they know what the phase has named there, and leave other rules alone."""

from __future__ import annotations

import pytest
from helpers import compiled, does, errors, play, steps, under

RULES = """
keep friends "friends" of player as set of player, quiet

routine thank "thank" with player called who
  each player in who
    gain 1 coin

phase later "Later"
  each player
    gain 1 brick
    do thank with you
    add you to friends of you
"""
HELP = (
    "let helped = first of everyone", "each player in helped", "  gain 1 brick", "  do thank with you",
    "  add you to friends of you", "play later",
)  # fmt: skip


def in_help(exception: str) -> str:
    return f"{RULES}\nexception odd {exception}\n"


@pytest.mark.parametrize(
    ("exception", "bricks", "coins", "friends"),
    [
        ("to gaining brick in trial-run if you is helped\n  instead\n    gain amount + 4 brick", 6, 2, [0]),
        ("to gaining brick in trial-run if you is not helped\n  instead\n    nothing", 2, 2, [0]),
        ("to gaining stuff in trial-run if you is helped\n  instead\n    gain amount + 1 stuff", 3, 2, [0]),
        ("to gaining brick in later\n  instead\n    gain 3 brick", 4, 2, [0]),
        ("to gaining brick\n  instead\n    gain 3 brick", 6, 2, [0]),
        ("to thank in trial-run if helped is you\n  instead\n    do thank with who\n    gain 5 coin", 2, 7, [0]),
        ("to thank in later\n  instead\n    nothing", 2, 1, [0]),
        ("to joining friends in later\n  instead\n    gain 7 coin", 2, 2, [0]),
        ("to joining friends in trial-run if player is helped\n  instead\n    gain 7 coin", 2, 9, [0]),
    ],
)  # fmt: skip
def test_it_is_the_steps_of_the_phase_that_it_replaces(
    exception: str, bricks: int, coins: int, friends: list[int]
) -> None:
    answers = ["brick"] * 2 if "stuff\n" in exception else []
    run = does(*HELP, rules=in_help(exception), answers=answers)
    assert (run.value("brick", 0), run.value("coin", 0), run.told("friends", 0)) == (bricks, coins, friends)


def test_what_stays_out_of_a_place_there_joins_it_elsewhere() -> None:
    rules = in_help("to joining friends in trial-run if player is helped\n  instead\n    nothing")
    assert does(*HELP[:-1], rules=rules).told("friends", 0) == []


def test_a_set_of_many_things_is_known_there_too() -> None:
    tiles = "kind tile\n  size number from 1 to 90\ntile for each size\n"
    rules = tiles + "exception few to gaining coin in trial-run if count of large > 8\n  instead\n    gain 2 coin\n"
    assert does("let large = tiles where size of it > 80", "gain 1 coin", rules=rules).value("coin", 0) == 2


def test_one_of_two_phases_comes_first_and_only_those_to_the_same_steps_contradict() -> None:
    two = "exception {} to gaining brick{} if coin of you < 99\n  instead\n    gain {} coin\n"
    rules = RULES + two.format("here", " in trial-run", 3) + two.format("anywhere", "", 4)
    assert does(*HELP, rules=rules).value("coin", 0) == 3 + 4 + 2
    rules = RULES + two.format("here", " in trial-run", 3) + two.format("there", " in trial-run", 4)
    assert "E0503" in {one.code for one in compiled(rules + steps(*HELP)).diagnostics}


@pytest.mark.parametrize(
    ("lines", "condition", "named"),
    [
        (("gain 1 coin", "let few = everyone", "let z = few"), "few is not empty", "few"),
        (("gain 1 coin", "each player as one", "  gain 1 coin"), "one is you", "one"),
        (("each player as one", "  gain 1 coin", "each player as one", "  gain 2 coin"), "one is you", "one"),
    ],
)  # fmt: skip
def test_a_name_that_is_not_there_at_each_of_the_steps_is_told(
    lines: tuple[str, ...], condition: str, named: str
) -> None:
    text = f"exception odd to gaining coin in trial-run if {condition}\n  instead\n    nothing\n" + steps(*lines)
    found = next(one for one in errors(text) if one.code == "E0213")
    assert under(text, found) == named and "trial-run" in found.title


@pytest.mark.parametrize(
    ("exception", "word"),
    [
        ("to later in trial-run\n  instead\n    nothing", "trial-run"),
        ("to losing coin in later\n  instead\n    nothing", "later"),
    ],
)
def test_what_is_no_step_there_is_told(exception: str, word: str) -> None:
    text = in_help(exception) + steps(*HELP)
    (found,) = errors(text)
    assert (found.code, under(text, found)) == ("E0213", word)


def test_what_happens_instead_is_no_step_of_the_phase() -> None:
    rules = in_help("to gaining brick in trial-run if you is helped\n  instead\n    gain 1 brick\n    gain 1 brick")
    assert play(rules + steps(*HELP)).value("brick", 0) == 3
