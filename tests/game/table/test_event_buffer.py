"""The event buffer: its size does not change a game, its log, its trace or what a seat has seen."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from random import Random

import pytest

from edict.game.table import game_steps
from edict.game.table.belief import build_facts
from edict.game.table.game import Game
from edict.game.table.game_steps import list_steps
from edict.game.table.tracing import CLEAN, StepTrace, trace_step, trace_taint
from edict.runtime.machine.events import BUFFER_EVENTS, make_event_buffer
from edict.runtime.program.opcodes import ANSWER, EVENT_SIZE
from edict.runtime.simulation import information_sets
from examples import choose_examples
from secrecy import NAMES, load_rules

LONG = ("kingsburg", "destiny")
ANSWERS = 60


def set_room(patch: pytest.MonkeyPatch, room: int) -> None:
    """Let every buffer of the table have room for this many events."""
    patch.setattr(game_steps, "make_event_buffer", partial(make_event_buffer, room))


def play(seed: int, answers: int = ANSWERS, names: tuple[str, ...] = LONG) -> Game:
    made, rng = load_rules(*names), Random(seed)
    game = made.new_game(NAMES[: made.program.most_players], seed=seed)
    for _ in range(answers):
        if not game.over:
            game.answer(rng.randrange(game.count))
    return game


def trace_all(game: Game) -> list[StepTrace]:
    """Return the trace of every step, each with the taint of the step before."""
    traces: list[StepTrace] = []
    for step in list_steps(game.last_step):
        traces.append(trace_step(game.table, step, traces[-1].taint if traces else CLEAN))
    return traces


@pytest.mark.parametrize("room", [1, 2, 7])
def test_event_buffer_size_changes_no_state_and_no_log(room: int) -> None:
    expected = play(8)
    with pytest.MonkeyPatch.context() as patch:
        set_room(patch, room)
        game = play(8)
        log = [repr(entry) for entry in game.log]
    assert game.state == expected.state and log == [repr(entry) for entry in expected.log]
    assert [step.events for step in list_steps(game.last_step)] == [s.events for s in list_steps(expected.last_step)]


@pytest.mark.parametrize("room", [1, 2, 7])
def test_event_buffer_size_changes_no_trace(room: int, subtests: pytest.Subtests) -> None:
    game = play(8, 30)
    expected = trace_all(game)
    with pytest.MonkeyPatch.context() as patch:
        set_room(patch, room)
        found = trace_all(game)
    for step, one, other in zip(list_steps(game.last_step), expected, found, strict=True):
        with subtests.test(step=step):
            assert len(one.events) * EVENT_SIZE == len(step.events)
            assert [(event.kind, event.pc, event.calls) for event in one.events] == [
                (event.kind, event.pc, event.calls) for event in other.events
            ]
            assert (one.taint, one.choice_knowers, one.offer_knowers, one.dependencies) == (
                other.taint,
                other.choice_knowers,
                other.offer_knowers,
                other.dependencies,
            )
            assert one.secret_writes == other.secret_writes and step.depth >= 0


def test_step_with_more_events_than_the_buffer_is_traced() -> None:
    """Regression: such steps ended games of people and bots, all but those of `random`, which reads nothing."""
    with pytest.MonkeyPatch.context() as patch:
        set_room(patch, 16)
        game = play(8)
        assert any(len(step.events) > 16 * EVENT_SIZE for step in list_steps(game.last_step))
        assert trace_taint(game.table, game.last_step).after == trace_all(game)[-1].taint


@pytest.mark.parametrize("names", [("kuhn-poker",), ("under-the-cups",)])
def test_event_buffer_size_changes_nothing_a_seat_has_seen(names: tuple[str, ...]) -> None:
    """The events after a value say who knows it, even if the buffer is drained in between."""
    game = play(3, ANSWERS, names)
    chain, code = list_steps(game.last_step), game.program.code
    for seat in range(len(game.players)):
        facts, eyes = build_facts(game.program, seat), [0] * len(game.program.initial)
        for before, step in pairwise(chain):
            marks = set[int]()
            for room in (*choose_examples((2, 3), (2, 3, 4, 8)), BUFFER_EVENTS):
                state = game_steps.rebuild_state(game.table, before).copy()
                state[ANSWER] = step.index
                marks.add(information_sets.play_and_hash(code, facts, state, make_event_buffer(room), eyes))
            assert len(marks) == 1
