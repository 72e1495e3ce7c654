"""A program's code as a row for native code, which finds before it where the program's own translation begins.

    row[RUN], row[EVENTS]    plays on as the loop does: for a state in which events are not written, or are
    row[PLAY]                plays on with every answer drawn

An address is 0 as long as there is no translation. It is put there in one store, whenever that is ready: whoever plays
on next goes by it. Needs NumPy.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np

from edict.machine.translating import Translation
from edict.program import Program, digest

RUN, EVENTS, PLAY = -1, -2, -3
HEAD = 3
MOST = 16  # programs remembered in a process


class Playable:
    """A program in native memory, for as long as this lives. `row` is its code, and must not be used any longer."""

    def __init__(self, program: Program) -> None:
        self._memory: Any = np.zeros(HEAD + len(program.code), dtype=np.int64)
        self.row = self._memory[HEAD:]
        self.row[:] = program.code
        self._lock = Lock()  # several threads may play one program
        self._quiet = Translation(program, key_of(program), events=False)
        self._telling = Translation(program, key_of(program), events=True)

    def ready(self, events: bool, wanted: bool = False) -> Any:
        """The row, to play by natively now; with its translation, if there is one by now. `wanted`: wait for it."""
        translation = self._telling if events else self._quiet
        with self._lock:
            if translation.look(wanted):
                places = ((EVENTS, "run"),) if events else ((RUN, "run"), (PLAY, "play"))
                for place, name in places:
                    self._memory[HEAD + place] = translation.address(name)
        return self.row

    def prepare(self, events: bool) -> None:
        """Begin to translate it, unless that was done before."""
        self.ready(events)
        if not self.translated(events):
            with self._lock:
                (self._telling if events else self._quiet).begin()

    def translated(self, events: bool) -> bool:
        """Whether it is played by its own code."""
        return bool(self._memory[HEAD + (EVENTS if events else RUN)])

    def spent(self, events: bool, seconds: float) -> None:
        """So long was played without a translation, or with it."""
        with self._lock:
            (self._telling if events else self._quiet).spent(seconds)


def key_of(program: Program) -> str:
    """A name for how a program plays."""
    return program.meaning or digest(repr((program.code, program.initial, program.constants, program.tables)))


_KNOWN: OrderedDict[str, Playable] = OrderedDict()
_LOCK = Lock()


def playable(program: Program) -> Playable:
    """The program in native memory; the same one for equal programs, as long as it is remembered."""
    key = key_of(program)
    with _LOCK:
        if key not in _KNOWN:
            _KNOWN[key] = Playable(program)
            while len(_KNOWN) > MOST:
                _KNOWN.popitem(last=False)
        _KNOWN.move_to_end(key)
        return _KNOWN[key]
