"""The native machine plays the same games as CPython, to the last cell; another set of rules compiles nothing."""

from __future__ import annotations

import pytest

from edict.front.compile import compile_rules
from edict.machine import native
from edict.program.opcodes import GAME_OVER, HEADER, STATUS

pytestmark = pytest.mark.skipif(not native.available(), reason="Numba is an extra, and not installed here")

SETS: list[tuple[str, tuple[str, ...], int]] = [
    ("pig", (), 2),
    ("kuhn-poker", (), 2),
    ("kingsburg", (), 4),
    ("kingsburg", ("more-buildings", "soldier-tokens", "advisor-tiles"), 3),
    ("kingsburg", ("governors", "destiny", "goblin-valley"), 5),
]


@pytest.mark.parametrize(("game", "modules", "players"), SETS)
def test_batches_equal_python(game: str, modules: tuple[str, ...], players: int) -> None:
    program = compile_rules(game, modules).unwrap()
    seeds = list(range(8))
    ends, counts = native.play_batch(program, players, seeds)
    for row, seed in enumerate(seeds):
        state, asked = native.play_one(program, players, seed)
        assert ends[row][STATUS] == state[STATUS] == GAME_OVER
        assert (int(counts[row]), ends[row][HEADER:].tolist()) == (asked, state[HEADER:])


def test_equal_seeds_equal_games_whatever_the_batch() -> None:
    program = compile_rules("pig").unwrap()
    together, _ = native.play_batch(program, 2, [5, 6, 7])
    alone, _ = native.play_batch(program, 2, [7])
    assert together[2].tolist() == alone[0].tolist()


def test_other_rules_compile_nothing() -> None:
    native.play_batch(compile_rules("pig").unwrap(), 2, [1])
    batch = native.compiled().batch
    before = len(batch.signatures)
    native.play_batch(compile_rules("kuhn-poker").unwrap(), 2, [1])
    assert len(batch.signatures) == before == 1
