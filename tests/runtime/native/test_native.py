"""Native code of the loop and of translated programs, equal to CPython in every cell and event."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest

from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.machine import loop
from edict.runtime.program import Program, create_state
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
from random_programs import mask_dead_cells
from reading import EVERYTHING
from shipped import catalogue

pytestmark = pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")

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
def compile_game(game: str, modules: tuple[str, ...] = ()) -> Program:
    return compile_rules(game, modules).unwrap()


@cache
def translate_game(game: str, modules: tuple[str, ...] = (), events: bool = False) -> Program:
    program = compile_game(game, modules)
    native.translate(program, events)
    return program


# --- whole games -------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "modules", "players"), SETS)
def test_native_batch_equals_python(game: str, modules: tuple[str, ...], players: int) -> None:
    program = compile_game(game, modules)
    ends, counts = native.play_batch(program, players, range(4))
    for seed in range(4):
        state, asked = native.play_one(program, players, seed)
        assert (ends[seed][STATUS], int(counts[seed])) == (GAME_OVER, asked)
        assert mask_dead_cells(ends[seed].tolist()) == mask_dead_cells(state)


@pytest.mark.parametrize(("game", "modules", "players"), TRANSLATED)
def test_batch_of_translated_program_equals_python(game: str, modules: tuple[str, ...], players: int) -> None:
    program = translate_game(game, modules)
    ends, counts = native.play_batch(program, players, range(8))
    for seed in range(8):
        state, asked = native.play_one(program, players, seed)
        assert (ends[seed][STATUS], int(counts[seed])) == (GAME_OVER, asked)
        assert mask_dead_cells(ends[seed].tolist()) == mask_dead_cells(state)


def test_game_depends_on_its_seed_and_not_on_its_batch() -> None:
    program = compile_game("pig")
    together, _ = native.play_batch(program, 2, [5, 6, 7])
    alone, _ = native.play_batch(program, 2, [7])
    assert together[2].tolist() == alone[0].tolist()


# --- after every choice, and every event -------------------------------------------------------

EVENTS = 1 + EVENT_SIZE * 5000  # more than there are between two choices
Step = Callable[[Any, Any], int]


def sample_module_sets(number: int) -> list[tuple[str, ...]]:
    """Return sets of modules, with or without a scenario, equal in every run."""
    over = {name: m.kind for name, (folder, m) in catalogue().items() if folder.parent.name == "modules"}
    modules = sorted(name for name, kind in over.items() if kind == "module")
    scenarios = sorted(name for name, kind in over.items() if kind == "scenario")
    luck = Random(1)
    some = [tuple(sorted(luck.sample(modules, luck.randint(1, len(modules))))) for _ in range(number)]
    return [(*chosen, *luck.sample(scenarios, luck.randint(0, 1))) for chosen in some]


def load_native_loop(program: Program) -> Step:
    """Return the loop as native code."""
    code = native.make_integers(program.code)
    return lambda state, log: int(native.native_function(loop.run)(code, state, log))


def load_translation(program: Program, events: bool) -> Step:
    """Return the program's own native code, with the loop for what that cannot do."""
    from edict.runtime.machine.translation import get_native_program

    code = get_native_program(program).refresh(events)
    return lambda state, log: int(native.native_function(batches.step)(code, state, log))


def play_both(program: Program, players: int, seed: int, *steps: Step, events: bool = True, room: int = EVENTS) -> int:
    """Play a random game in Python and natively in parallel, native machines alternating; return the questions."""
    state, log = create_state(program, players, {}, logging=events), [0] * room
    fast, told = native.make_integers(state), native.make_integers(log)
    luck, asked, status = Random(seed), 0, RUNNING
    while status >= RUNNING and status != GAME_OVER:
        status = loop.run(program.code, state, log)
        assert luck.choice(steps)(fast, told) == status
        assert mask_dead_cells(fast.tolist()) == mask_dead_cells(state), f"other cells after question {asked}"
        assert told[: log[0] + 1].tolist() == log[: log[0] + 1], f"other events after question {asked}"
        log[0] = told[0] = 0
        if status == ASKING:
            asked += 1
            fast[ANSWER] = state[ANSWER] = luck.randrange(state[OPTIONS])
    assert status == GAME_OVER
    return asked


SOME = [EVERYTHING, ("settlements-and-deals",)]  # others compile them too


@pytest.mark.parametrize("modules", [*SOME, *(sample_module_sets(8) if ALL else [])], ids="+".join)
def test_native_states_and_events_equal_python(modules: tuple[str, ...], subtests: pytest.Subtests) -> None:
    program = compile_game("kingsburg", modules)
    for players in (2, 5):
        with subtests.test(players=players):
            assert play_both(program, players, players, load_native_loop(program)) > 100


@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize(("game", "players"), [("kingsburg", 3), ("pig", 2), ("kuhn-poker", 2), ("four-lanes", 10)])
@pytest.mark.sample(3)
def test_loop_and_translation_alternate_on_one_state(game: str, players: int, events: bool) -> None:
    program = translate_game(game, events=events)
    steps = load_native_loop(program), load_translation(program, events)
    for seed in range(4):
        play_both(program, players, seed, *steps[seed % 2 :], events=events)


@pytest.mark.parametrize("events", [False, True])
def test_state_with_other_logging_is_left_to_the_loop(events: bool) -> None:
    """Pass a state with events to code without them, and vice versa."""
    from edict.runtime.machine.translation import EVENTS, HEAD, RUN, NativeProgram

    one = NativeProgram(translate_game("pig", events=not events))
    one.refresh(not events, wait=True)
    right, wrong = (RUN, EVENTS) if not events else (EVENTS, RUN)
    one._memory[HEAD + right] = one._memory[HEAD + wrong]
    assert one._memory[HEAD + right]
    step: Step = lambda state, log: int(native.native_function(batches.step)(one.row, state, log))  # noqa: E731
    assert play_both(compile_game("pig"), 2, 1, step, events=events)


def test_full_log_stops_both_and_both_continue() -> None:
    program = translate_game("kingsburg", events=True)
    steps = load_native_loop(program), load_translation(program, events=True)
    assert play_both(program, 4, 1, *steps, room=1 + 7 * EVENT_SIZE) > 100


def test_scores_and_judgements_are_equal_during_games() -> None:
    program = translate_game("kingsburg")
    step = load_translation(program, events=False)
    state, luck = create_state(program, 3, {}, logging=False), Random(7)
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
        fast = native.make_integers(asked)
        assert step(fast, native.make_integers([0])) == loop.run(program.code, asked, [0])
        assert mask_dead_cells(fast.tolist()) == mask_dead_cells(asked)
        state[ANSWER] = luck.randrange(state[OPTIONS])


def test_endless_games_stop_in_equal_states() -> None:
    """The budgets must agree exactly."""
    program = translate_game("pig")
    steps = load_native_loop(program), load_translation(program, events=False)
    for spent in range(1_999_000, 2_000_000, 97):
        states = []
        for step in steps:
            state = native.make_integers(create_state(program, 2, {}, logging=False))
            state[SPENT] = spent
            states.append((step(state, native.make_integers([0])), state.tolist()))
        assert states[0] == states[1]


# --- many games: `make native-long` --------------------------------------------------------------

GAMES = 10_000
EVERY: list[tuple[str, tuple[str, ...]]] = [
    ("kingsburg", ()),
    *(("kingsburg", modules) for modules in sample_module_sets(6)),
    *(("kingsburg", (name,)) for name, (folder, _) in sorted(catalogue().items()) if folder.parent.name == "modules"),
    *((name, ()) for name, (folder, m) in sorted(catalogue().items()) if m.kind == "game" and name != "kingsburg"),
]


def differing_cells(a: Any, b: Any) -> list[int]:
    """Return the cells in which two states differ, among those that are read again; a fast `mask_dead_cells`."""
    import numpy as np

    alike = a == b
    alike[FIRST_OPTION + a[OPTIONS] : HEADER] = True
    alike[a[SP] :] = True
    if a[STATUS] != ASKING:
        alike[[QUESTION, SEAT, RESULT, ANSWER]] = True
    return [int(cell) for cell in np.flatnonzero(~alike)]


@pytest.mark.skipif(not ALL, reason="takes minutes: `make native-long`")
@pytest.mark.parametrize("which", range(len(EVERY)), ids=["+".join([game, *modules]) for game, modules in EVERY])
def test_many_games_are_equal_after_every_answer(which: int) -> None:
    """Compare the loop, the translation, and one state passed between them."""
    program = translate_game(*EVERY[which])
    loop_alone, alone = load_native_loop(program), load_translation(program, events=False)
    log, luck = native.make_integers([0]), Random(which)
    for seed in range(GAMES // len(EVERY) + 1):
        players = program.least_players + seed % (program.most_players - program.least_players + 1)
        a, b, c = (native.make_integers(create_state(program, players, {}, logging=False)) for _ in range(3))
        status = ASKING
        while status == ASKING:
            status = loop_alone(a, log)
            assert alone(b, log) == status == luck.choice((loop_alone, alone))(c, log)
            assert not differing_cells(a, b) and not differing_cells(a, c), (
                seed,
                differing_cells(a, b),
                differing_cells(a, c),
            )
            if status == ASKING:
                a[ANSWER] = b[ANSWER] = c[ANSWER] = luck.randrange(int(a[OPTIONS]))
        assert status == GAME_OVER
