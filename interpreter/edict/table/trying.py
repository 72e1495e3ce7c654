"""An option tried out before it is taken, on what one seat may know, until chance or somebody else decides.

Nothing hidden is ever read: a try stops where the rules would look at what the seat may not know. So it is the same in
every world that looks the same to that seat, however the hidden values are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from edict.machine.loop import BUDGET, run
from edict.program import opcodes as o
from edict.table.masking import Secrets
from edict.table.scope import STOPPED, Scope
from edict.table.steps import Step, Table
from edict.table.trail import trail

DONE, LUCK, OTHERS, HIDDEN, CHOICES, UNKNOWN = "", "luck", "others", "hidden", "choices", "unknown"
EVENTS = 400  # of one try; nothing is said about what does more
WORK = 100_000  # of one try, of the 10,000,000 the machine allows between two answers
MOST_WORK = 4_000_000  # of all tries for one question


class Peeked(Exception):
    """The rules would now look at something hidden."""


class Blind(list[int]):
    """A state in which nothing hidden can be read; what is put there anew was made of what is known, and so is too."""

    def __init__(self, cells: Sequence[int], hidden: Collection[int]) -> None:
        super().__init__(cells)
        self.hidden = set(hidden)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, int) and at in self.hidden:
            raise Peeked
        return super().__getitem__(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, value)
        self.hidden.discard(at)

    def copy(self) -> Blind:
        return Blind(self, self.hidden)


@dataclass(frozen=True, slots=True)
class Tried:
    """The outcome of an answer: the events, the state after them, and what keeps the rest from being known.

    `asked` is the next question (its number) and its values if it is the same player's and belongs to the same deed.
    """

    events: tuple[int, ...]
    state: list[int]
    ends: str
    asked: int = -1

    def options(self) -> list[int]:
        """The values to choose from next."""
        return list.__getitem__(self.state, slice(o.FIRST_OPTION, o.FIRST_OPTION + self.state[o.OPTIONS]))


Play = Callable[[list[int], list[int]], int]
"""Plays a state on, with room for events; gives the machine's status."""


class Trial:
    """Tries out answers to the current question at a table, as seen by the seat that is asked."""

    def __init__(self, table: Table, last: Step, state: list[int]) -> None:
        self.table = table
        self.seat = state[o.SEAT]
        self.scope = Scope.of(table.program, state)
        left = trail(table, last)[-1].left
        self.known = all(self._knows(decision.known) for decision in left.decisions)
        names = (cell for cell, masks in left.cells if not self._knows(masks))
        hidden = frozenset((*Secrets.of(table.program).hidden(state, self.seat), *names))
        self.start: list[int] = Blind(state, hidden) if hidden else state.copy()
        list.__setitem__(self.start, o.LOGGING, 1)
        self.left = MOST_WORK

    def _knows(self, masks: Collection[int]) -> bool:
        return all(mask >> self.seat & 1 for mask in masks)

    def answer(self, state: list[int], index: int) -> Tried:
        """What this answer leads to; the state stays as it is. When all work is done, nothing more is found out."""
        following = state.copy()
        following[o.ANSWER] = index
        return self._tried(state, following, self.scope.play, self.scope.asks_on)

    def routine(self, entry: int, param: int = -1, argument: int = 0) -> Tried:
        """What a routine without a question around it would do now for the seat, up to the first thing it asks."""
        following = self.start.copy()
        following[o.PC], following[o.YOU], following[o.STATUS], following[o.OPTIONS] = entry, self.seat, o.RUNNING, 0
        following[o.SP] = following[o.STACK] = self.table.program.stack
        if param >= 0:
            following[param] = argument
        return self._tried(self.start, following, partial(run, self.table.program.code), lambda _: True)

    def _tried(self, state: list[int], following: list[int], play: Play, asks_on: Callable[[list[int]], bool]) -> Tried:
        log = [0] * (1 + o.EVENT_SIZE * EVENTS)
        following[o.SPENT] = max(following[o.SPENT], BUDGET - min(WORK, self.left))
        before = following[o.TOTAL] + following[o.SPENT]
        try:
            ends, asked = self._ended(following, play(following, log), asks_on)
        except Peeked:
            ends, asked = HIDDEN, -1
        self.left = max(0, self.left - (following[o.TOTAL] + following[o.SPENT] - before))
        if ends == UNKNOWN:
            return Tried((), state, UNKNOWN)
        return Tried(tuple(log[1 : log[0] + 1]), following, ends, asked)

    def _ended(self, state: list[int], status: int, asks_on: Callable[[list[int]], bool]) -> tuple[str, int]:
        if status == o.ASKING and state[o.SEAT] == self.seat:
            return (CHOICES, state[o.QUESTION]) if asks_on(state) else (DONE, -1)
        if status == o.ASKING:
            return (LUCK if state[o.SEAT] == o.CHANCE else OTHERS), -1
        return (DONE if status in (STOPPED, o.GAME_OVER, o.RETURNED) else UNKNOWN), -1


def changed(events: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """The changes among events: place in the code, cell, old and new value."""
    for i in range(0, len(events), o.EVENT_SIZE):
        if events[i] == o.EV_SET:
            yield events[i + 1], events[i + 2], events[i + 3], events[i + 4]
