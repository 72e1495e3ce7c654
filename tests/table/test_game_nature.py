"""What sort of game rules make, by their program alone."""

from __future__ import annotations

from math import inf

import pytest

from edict.program.opcodes import MOST
from edict.table.game_nature import Nature
from edict.table.rules import load_rules
from helpers import program, steps


@pytest.mark.parametrize(
    ("game", "chance", "hidden", "at_once", "draws", "scores", "certain"),
    [
        ("kuhn-poker", True, True, False, 3, (-inf, inf), True),
        ("causeway", False, False, False, 0, (0, 25), False),
        ("pig", True, False, False, 6, (0, inf), True),
        ("harbour-lots", True, True, True, 20, (0, inf), True),
        ("high-water", True, True, False, 4, (0, 12), False),
        ("under-the-cups", True, True, False, 6, (0, 5), False),
    ],
)
def test_a_game_is_of_a_sort(
    game: str, chance: bool, hidden: bool, at_once: bool, draws: int, scores: tuple[float, float], certain: bool
) -> None:
    of = load_rules(game).program
    nature = Nature.of(of)
    assert (nature.chance, nature.hidden, nature.at_once, nature.draws) == (chance, hidden, at_once, draws)
    assert (nature.scores, of.certain) == (scores, certain)


@pytest.mark.parametrize(
    ("line", "hidden"),
    [("choose a player as whom", False), ("choose a player as whom secretly", True),
     ("draw a number from 1 to 3 as lot", False), ("draw a number from 1 to 3 as lot secretly", True)],
)  # fmt: skip
def test_what_is_chosen_or_drawn_in_secret_is_hidden(line: str, hidden: bool) -> None:
    assert Nature.of(program(steps(line))).hidden == hidden


def test_payoffs_lie_between_what_scores_allow() -> None:
    nature, free = Nature.of(load_rules("causeway").program), Nature.of(load_rules("pig").program)
    assert nature.payoffs("victory", 2) == (-1, 1) and nature.payoffs("victory", 5) == (-0.25, 1)
    assert nature.payoffs("victory", 1) == (0, 1) and nature.payoffs("score", 1) == (0, 25)
    assert nature.payoffs("score", 2) == (-12.5, 12.5) and nature.payoffs("score", 5) == (-20, 20)
    assert free.payoffs("score", 2) == (-MOST / 2, MOST / 2), "no number of the machine is greater"
