"""Native code plays the same games as CPython, to the last cell and event: the loop, and programs translated."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest

from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.machine import loop
from edict.runtime.program import Program
from edict.runtime.program.beginning import first_state
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    EVENT_SIZE,
    FIRST_OPTION,
    GAME_OVER,
    HEADER,
    LOGGING,
    OPTIONS,
    PC,
    QUESTION,
    RESULT,
    RUNNING,
    SEAT,
    SP,
    SPENT,
    STATUS,
)
from edict.runtime.simulation import batches, native
from made import read_again
from reading import EVERYTHING
from shipped import catalogue

pytestmark = pytest.mark.skipif(not native.available(), reason="llvmlite is an extra, and not installed here")

ALL = os.environ.get("EDICT_NATIVE") == "all"
SETS: list[tuple[str, tuple[str, ...], int]] = [
    ("pig", (), 2),
    ("kuhn-poker", (), 2),
    ("four-lanes", (), 5),
    ("kingsburg", (), 4),
    ("kingsburg", ("governors", "destiny"), 3),
    ("kingsburg", EVERYTHING, 5),
]
TRANSLATED = SETS[:4]


@cache
def compiled(game: str, modules: tuple[str, ...] = ()) -> Program:
    return compile_rules(game, modules).unwrap()


@cache
def translated(game: str, modules: tuple[str, ...] = (), events: bool = False) -> Program:
    program = compiled(game, modules)
    native.translate(program, events)
    return program


# --- whole games -------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "modules", "players"), SETS)
def test_batches_equal_python(game: str, modules: tuple[str, ...], players: int) -> None:
    program = compiled(game, modules)
    ends, counts = native.play_batch(program, players, range(4))
    for seed in range(4):
        state, asked = native.play_one(program, players, seed)
        assert (ends[seed][STATUS], int(counts[seed])) == (GAME_OVER, asked)
        assert read_again(ends[seed].tolist()) == read_again(state)


@pytest.mark.parametrize(("game", "modules", "players"), TRANSLATED)
def test_batches_of_translated_programs_equal_python(game: str, modules: tuple[str, ...], players: int) -> None:
    program = translated(game, modules)
    ends, counts = native.play_batch(program, players, range(8))
    for seed in range(8):
        state, asked = native.play_one(program, players, seed)
        assert (ends[seed][STATUS], int(counts[seed])) == (GAME_OVER, asked)
        assert read_again(ends[seed].tolist()) == read_again(state)


def test_equal_seeds_equal_games_whatever_the_batch() -> None:
    program = compiled("pig")
    together, _ = native.play_batch(program, 2, [5, 6, 7])
    alone, _ = native.play_batch(program, 2, [7])
    assert together[2].tolist() == alone[0].tolist()


# --- after every choice, and every event -------------------------------------------------------

EVENTS = 1 + EVENT_SIZE * 5000  # more than there are between two choices
Step = Callable[[Any, Any], int]


def combinations(number: int) -> list[tuple[str, ...]]:
    """Sets of modules, each with or without a scenario, the same ones every time."""
    over = {name: m.kind for name, (folder, m) in catalogue().items() if folder.parent.name == "modules"}
    modules = sorted(name for name, kind in over.items() if kind == "module")
    scenarios = sorted(name for name, kind in over.items() if kind == "scenario")
    luck = Random(1)
    some = [tuple(sorted(luck.sample(modules, luck.randint(1, len(modules))))) for _ in range(number)]
    return [(*chosen, *luck.sample(scenarios, luck.randint(0, 1))) for chosen in some]


def by_loop(program: Program) -> Step:
    """The loop itself as native code."""
    code = native.integers(program.code)
    return lambda state, log: int(native.faster(loop.run)(code, state, log))


def by_translation(program: Program, events: bool) -> Step:
    """The program's own native code; what that cannot do, the loop does."""
    from edict.runtime.machine.translation import playable

    code = playable(program).ready(events)
    return lambda state, log: int(native.faster(batches.step)(code, state, log))


def play_both(program: Program, players: int, seed: int, *steps: Step, events: bool = True, room: int = EVENTS) -> int:
    """A random game in Python and natively side by side, the native machines in turn by lot; how many questions."""
    state, log = first_state(program, players, {}, logging=events), [0] * room
    fast, told = native.integers(state), native.integers(log)
    luck, asked, status = Random(seed), 0, RUNNING
    while status >= RUNNING and status != GAME_OVER:
        status = loop.run(program.code, state, log)
        assert luck.choice(steps)(fast, told) == status
        assert read_again(fast.tolist()) == read_again(state), f"other cells after question {asked}"
        assert told[: log[0] + 1].tolist() == log[: log[0] + 1], f"other events after question {asked}"
        log[0] = told[0] = 0
        if status == ASKING:
            asked += 1
            fast[ANSWER] = state[ANSWER] = luck.randrange(state[OPTIONS])
    assert status == GAME_OVER
    return asked


SOME = [EVERYTHING, ("settlements-and-deals",)]  # others compile them too


@pytest.mark.parametrize("modules", [*SOME, *(combinations(8) if ALL else [])], ids="+".join)
def test_every_state_and_event_is_the_same(modules: tuple[str, ...]) -> None:
    program = compiled("kingsburg", modules)
    for players in (2, 5):
        assert play_both(program, players, players, by_loop(program)) > 100


@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize(("game", "players"), [("kingsburg", 3), ("pig", 2), ("kuhn-poker", 2), ("four-lanes", 10)])
@pytest.mark.sample(3)
def test_the_loop_and_a_translation_take_turns_with_one_state(game: str, players: int, events: bool) -> None:
    program = translated(game, events=events)
    steps = by_loop(program), by_translation(program, events)
    for seed in range(4):
        play_both(program, players, seed, *steps[seed % 2 :], events=events)


@pytest.mark.parametrize("events", [False, True])
def test_a_state_that_is_logged_otherwise_is_left_to_the_loop(events: bool) -> None:
    """Code that writes no events, given a state of which they are to be written, and the other way round."""
    from edict.runtime.machine.translation import EVENTS, HEAD, RUN, Playable

    one = Playable(translated("pig", events=not events))
    one.ready(not events, wanted=True)
    right, wrong = (RUN, EVENTS) if not events else (EVENTS, RUN)
    one._memory[HEAD + right] = one._memory[HEAD + wrong]
    assert one._memory[HEAD + right]
    step: Step = lambda state, log: int(native.faster(batches.step)(one.row, state, log))  # noqa: E731
    assert play_both(compiled("pig"), 2, 1, step, events=events)


def test_a_full_log_stops_both_and_is_gone_on_with() -> None:
    program = translated("kingsburg", events=True)
    steps = by_loop(program), by_translation(program, events=True)
    assert play_both(program, 4, 1, *steps, room=1 + 7 * EVENT_SIZE) > 100


def test_scores_and_judgements_are_the_same_in_the_middle_of_games() -> None:
    program = translated("kingsburg")
    step = by_translation(program, events=False)
    state, luck = first_state(program, 3, {}, logging=False), Random(7)
    while loop.run(program.code, state, [0]) == ASKING:
        query = program.queries[luck.choice([program.score, program.judge])]
        asked = state.copy()
        for cell, value in (
            (query.params[0], luck.randrange(3)),
            (PC, query.entry),
            (SP, program.stack),
            (OPTIONS, 0),
            (SPENT, 0),
            (LOGGING, 0),
            (STATUS, RUNNING),
        ):
            asked[cell] = value
        fast = native.integers(asked)
        assert step(fast, native.integers([0])) == loop.run(program.code, asked, [0])
        assert read_again(fast.tolist()) == read_again(asked)
        state[ANSWER] = luck.randrange(state[OPTIONS])


def test_games_that_never_end_stop_alike() -> None:
    """The budgets are kept to the last number: the state in which a game is stopped is the same."""
    program = translated("pig")
    steps = by_loop(program), by_translation(program, events=False)
    for spent in range(1_999_000, 2_000_000, 97):
        states = []
        for step in steps:
            state = native.integers(first_state(program, 2, {}, logging=False))
            state[SPENT] = spent
            states.append((step(state, native.integers([0])), state.tolist()))
        assert states[0] == states[1]


# --- many games: `make native-long` --------------------------------------------------------------

GAMES = 10_000
EVERY: list[tuple[str, tuple[str, ...]]] = [
    ("kingsburg", ()),
    *(("kingsburg", modules) for modules in combinations(6)),
    *(("kingsburg", (name,)) for name, (folder, _) in sorted(catalogue().items()) if folder.parent.name == "modules"),
    *((name, ()) for name, (folder, m) in sorted(catalogue().items()) if m.kind == "game" and name != "kingsburg"),
]


def differ(a: Any, b: Any) -> list[int]:
    """The cells in which two states differ, of those that anybody reads again; as `read_again`, and fast."""
    import numpy as np

    alike = a == b
    alike[FIRST_OPTION + a[OPTIONS] : HEADER] = True
    alike[a[SP] :] = True
    if a[STATUS] != ASKING:
        alike[[QUESTION, SEAT, RESULT, ANSWER]] = True
    return [int(cell) for cell in np.flatnonzero(~alike)]


@pytest.mark.skipif(not ALL, reason="takes minutes: `make native-long`")
@pytest.mark.parametrize("which", range(len(EVERY)), ids=["+".join([game, *modules]) for game, modules in EVERY])
def test_many_games_are_the_same_after_every_answer(which: int) -> None:
    """The loop by itself, the translation by itself, and one state thrown between them."""
    program = translated(*EVERY[which])
    loop_alone, alone = by_loop(program), by_translation(program, events=False)
    log, luck = native.integers([0]), Random(which)
    for seed in range(GAMES // len(EVERY) + 1):
        players = program.least_players + seed % (program.most_players - program.least_players + 1)
        a, b, c = (native.integers(first_state(program, players, {}, logging=False)) for _ in range(3))
        status = ASKING
        while status == ASKING:
            status = loop_alone(a, log)
            assert alone(b, log) == status == luck.choice((loop_alone, alone))(c, log)
            assert not differ(a, b) and not differ(a, c), (seed, differ(a, b), differ(a, c))
            if status == ASKING:
                a[ANSWER] = b[ANSWER] = c[ANSWER] = luck.randrange(int(a[OPTIONS]))
        assert status == GAME_OVER
