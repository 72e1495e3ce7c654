"""The event buffer, which loses and repeats no event and skips no instruction at any size."""

from __future__ import annotations

import pytest

from edict.runtime.machine.events import BUFFER_EVENTS, make_event_buffer, run_and_collect_events, take_events
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, EVENT_SIZE, GAME_OVER, OPTIONS, STATUS
from table_kit import CARD, RACE


def play_stretches(program: Program, room: int) -> tuple[list[list[int]], list[int]]:
    """Return the state after every run of the machine in a game, and all events."""
    state, buffer = create_state(program, 2, {}), make_event_buffer(room)
    states: list[list[int]] = []
    events: list[int] = []
    while run_and_collect_events(program.code, state, buffer, events) == ASKING:
        assert buffer[0] == 0
        states.append(state.copy())
        state[ANSWER] = len(states) * 5 % state[OPTIONS]
    return [*states, state], events


@pytest.mark.parametrize("program", [CARD.program, RACE.program], ids=["cards", "race"])
@pytest.mark.parametrize("room", [1, 2, 3])
def test_event_buffer_size_changes_neither_states_nor_events(program: Program, room: int) -> None:
    states, events = play_stretches(program, BUFFER_EVENTS)
    assert play_stretches(program, room) == (states, events)
    assert len(events) > 3 * EVENT_SIZE and states[-1][STATUS] == GAME_OVER


def test_taken_events_are_removed_from_the_buffer() -> None:
    buffer = make_event_buffer(2)
    buffer[:6] = [5, 1, 2, 3, 4, 5]
    assert (take_events(buffer), take_events(buffer)) == ([1, 2, 3, 4, 5], [])
