"""The native machine plays the same games as CPython, to the last cell and event; other rules compile nothing."""

from __future__ import annotations

from random import Random

import pytest

from edict.front.compile import compile_rules
from edict.sources.modules import catalogue
from edict.machine import loop, native
from edict.program import Program
from edict.program.beginning import first_state
from edict.program.opcodes import ANSWER, ASKING, EVENT_SIZE, GAME_OVER, HEADER, OPTIONS, STATUS

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


# --- after every choice, and every event -------------------------------------------------------

EVENTS = 1 + EVENT_SIZE * 5000  # more than there are between two choices


def combinations(number: int) -> list[tuple[str, ...]]:
    """Sets of modules, each with or without a scenario, the same ones every time."""
    over = {name: m.kind for name, (folder, m) in catalogue().items() if folder.parent.name == "modules"}
    modules = sorted(name for name, kind in over.items() if kind == "module")
    scenarios = sorted(name for name, kind in over.items() if kind == "scenario")
    luck = Random(1)
    some = [tuple(sorted(luck.sample(modules, luck.randint(1, len(modules))))) for _ in range(number)]
    return [(*chosen, *luck.sample(scenarios, luck.randint(0, 1))) for chosen in some]


def play_both(program: Program, players: int, seed: int) -> int:
    """A random game on both machines side by side; gives how many questions it had."""
    import numpy as np

    step, code = native.compiled().step, np.array(program.code, dtype=np.int64)
    state, log = first_state(program, players, {}), [0] * EVENTS
    fast, told = np.array(state, dtype=np.int64), np.zeros(EVENTS, dtype=np.int64)
    luck, asked = Random(seed), 0
    while True:
        status = loop.run(program.code, state, log)
        assert step(code, fast, told) == status
        assert fast.tolist() == state, f"other cells after question {asked}"
        assert told[: log[0] + 1].tolist() == log[: log[0] + 1], f"other events after question {asked}"
        if status != ASKING:
            assert status == GAME_OVER
            return asked
        asked += 1
        log[0] = told[0] = 0
        fast[ANSWER] = state[ANSWER] = luck.randrange(state[OPTIONS])


@pytest.mark.parametrize("modules", combinations(8), ids="+".join)
def test_every_state_and_event_is_the_same(modules: tuple[str, ...]) -> None:
    program = compile_rules("kingsburg", modules).unwrap()
    for players in (2, 5):
        assert play_both(program, players, players) > 100
