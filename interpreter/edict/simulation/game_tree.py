"""A small game in full: every course it can take, walked in native code.

Needs NumPy and llvmlite; import it only where `native.available()`.
"""

from __future__ import annotations

from dataclasses import dataclass

from edict.program.opcodes import ASKING, CHANCE, GAME_OVER, WINNERS
from edict.simulation.branching import Branching, State

MOST = 5_000  # questions and ends that are walked through


@dataclass(frozen=True)
class Extent:
    """How far a game reaches. questions: in it, ends: courses. longest: the actions of players in one, asked: with the
    answers of chance. draws: options of chance at most. results: the scores and the winners (a bit a seat) of all ends.
    """

    questions: int
    ends: int
    longest: int
    asked: int
    draws: int
    results: frozenset[tuple[tuple[int, ...], int]]


def extent(branching: Branching, most: int = MOST) -> Extent | None:
    """How far a game reaches; None if it has more of that than is walked through, or if one of its courses stops."""
    state, status, seat, actions = branching.begun()
    waiting: list[tuple[State, int, int, list[int], int, int]] = [(state, status, seat, actions, 0, 0)]
    questions = ends = longest = deepest = draws = 0
    results: set[tuple[tuple[int, ...], int]] = set()
    while waiting:
        state, status, seat, actions, answered, asked = waiting.pop()
        if questions + ends == most:
            return None
        if status == GAME_OVER:
            ends, longest, deepest = ends + 1, max(longest, answered), max(deepest, asked)
            results.add((tuple(branching.scores(state)), int(state.row[WINNERS])))
            continue
        if status != ASKING:
            return None
        questions += 1
        draws = max(draws, len(actions) if seat == CHANCE else 0)
        for action in dict.fromkeys(actions):
            after = branching.after(state, actions.index(action))
            waiting.append((*after, answered + (seat != CHANCE), asked + 1))
    return Extent(questions, ends, longest, deepest, draws, frozenset(results))
