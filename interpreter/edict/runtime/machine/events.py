"""Observations of a running machine: a buffer of events, the one place where it is drained, and reads of its code.

The machine returns LOG_FULL before an instruction whose event does not fit, and repeats the instruction when it is
run again. Only `run_and_collect_events` and the loops inside native code (`batches`, its twin in `counting`,
`information_sets`) handle that status.

The machine reads its code place by place and accepts any sequence, so an observer passes a sequence that takes note.
That works in plain Python only; native code has the numbers themselves.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
from typing import Any

from edict.runtime.machine.loop import run
from edict.runtime.program.opcodes import EVENT_SIZE, LOG_FULL, SIZE

BUFFER_EVENTS = 256  # events between two drains; affects only the speed


def make_event_buffer(room: int = BUFFER_EVENTS) -> list[int]:
    """Return an empty buffer for `room` events, at least one."""
    return [0] * (1 + EVENT_SIZE * room)


def take_events(buffer: Any) -> list[int]:
    """Return the event numbers in a buffer as a list, and set its count (the first number) to 0."""
    length = int(buffer[0])
    events = buffer[1 : length + 1]
    buffer[0] = 0
    return events if isinstance(events, list) else events.tolist()


def run_and_collect_events(
    code: Any, state: Any, buffer: Any, events: list[int], play: Callable[..., int] = run
) -> int:
    """Run until a question, the end or a fault, append all events to `events`, and return the status.

    Args:
        code: The program's code, as a sequence or an array.
        state: A state, likewise.
        buffer: An empty event buffer, empty again afterwards.
        events: The events are appended here, `EVENT_SIZE` numbers each.
        play: The machine, which takes code, state and buffer and returns the status.
    """
    status = LOG_FULL
    while status == LOG_FULL:
        try:
            status = int(play(code, state, buffer))
        finally:  # also if a state that observes its reads raises
            if buffer[0]:
                events += take_events(buffer)
    return status


class ObservedCode(Sequence[int]):
    """A code sequence whose subclasses override `__getitem__` to observe every place that is read."""

    def __init__(self, code: Sequence[int]) -> None:
        self.code = code

    def __getitem__(self, place: Any) -> Any:
        return self.code[place]

    def __len__(self) -> int:
        return len(self.code)

    def run(self, code: Sequence[int], state: MutableSequence[int], log: MutableSequence[int]) -> int:
        """Run the machine on this code instead of `code`, and return its status."""
        return run(self, state, log)


class ReadCounts(ObservedCode):
    """A code sequence that counts in `counts` how often each place was read.

    At the place of an instruction, this is how often it ran.
    """

    def __init__(self, code: Sequence[int]) -> None:
        super().__init__(code)
        self.counts = [0] * len(code)

    def __getitem__(self, place: Any) -> Any:
        self.counts[place] += 1
        return self.code[place]


def count_jumps(code: Sequence[int], counts: Sequence[int], place: int) -> int:
    """Return how often the jump at a place was taken: how often its target was read, which only a taken jump reads."""
    return counts[place + SIZE[code[place]] - 1]
