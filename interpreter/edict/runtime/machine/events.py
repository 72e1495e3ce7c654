"""The event buffer: the row into which the machine writes events, and the one place where it is drained.

The machine leaves with LOG_FULL before an instruction whose event does not fit, and carries it out when it is run
again. Nobody looks at that status but `run_logged` and the loops that native code has of its own (`batches`, its twin
in `counting`, `information_sets`): for everybody else a stretch has as many events as it has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.runtime.machine.loop import run
from edict.runtime.program.opcodes import EVENT_SIZE, LOG_FULL

ROOM = 256  # events between two drains; only the speed hangs on it


def make_event_buffer(room: int = ROOM) -> list[int]:
    """Return an empty buffer with room for this many events, at least one."""
    return [0] * (1 + EVENT_SIZE * room)


def take_events(buffer: Any) -> list[int]:
    """Empty a buffer, a list or an array, and return the numbers of its events."""
    filled = int(buffer[0])
    events = buffer[1 : filled + 1]
    buffer[0] = 0
    return events if isinstance(events, list) else events.tolist()


def run_logged(code: Any, state: Any, buffer: Any, events: list[int], play: Callable[..., int] = run) -> int:
    """Play on until a question is asked, the game is over, or a fault; return the status.

    Args:
        code, state: The program's code and a state, as sequences or arrays.
        buffer: An empty event buffer. It is empty again afterwards.
        events: Takes the events, `EVENT_SIZE` numbers each.
        play: The machine. Takes code, state and buffer, and gives the status.
    """
    status = LOG_FULL
    while status == LOG_FULL:
        try:
            status = int(play(code, state, buffer))
        finally:  # also where a state that looks on ends the stretch
            if buffer[0]:
                events += take_events(buffer)
    return status
