"""A program's own native code: taken from the user's cache, or made in a separate process while the loop plays.

It is made twice: quickly, to play by as soon as possible, and once more with all that the compiler knows to do.

    python -m edict.runtime.machine.translation FOLDER NAME events|quiet TIER ...

Native code is given a program's code as a row, and finds before it where the program's translation begins.

    row[RUN], row[EVENTS]    plays on as the loop does: for a state in which events are not written, or are
    row[PLAY]                plays on with every answer drawn

An address is 0 as long as there is no translation. It is put there in one store, whenever that is ready: whoever plays
on next goes by it. Needs llvmlite, and NumPy to play.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import OrderedDict
from functools import cache, partial
from multiprocessing import parent_process
from pathlib import Path
from threading import Lock
from typing import Any

from edict.runtime.machine import loop, mixing
from edict.runtime.native import assembling
from edict.runtime.native.assembling import Loaded
from edict.runtime.native.programs import translated
from edict.runtime.program import Program, digest, key_of
from edict.runtime.program.reading import from_json
from edict.support import kept_files
from edict.support.files import put_private
from edict.support.processes import companion

TIERS = QUICK, FULL = "quick", "full"
PATIENCE = 0.5  # seconds of play before a program is worth translating
WORKERS = 5.0  # likewise in a process that works for another, which has seen to it, as a rule
PAUSE, REST = 0.05, 0.5  # seconds between two looks at the process, and at what others may have kept
PROGRAM = "program.json"
RUN, EVENTS, PLAY = -1, -2, -3
HEAD = 3
MOST = 16  # programs remembered in a process


@cache
def code_folder(*rooms: str) -> str:
    """Where in the cache native code is kept: a folder for each state of the source of the machine and of more `rooms`.

    The source of one function would not do, since it would go unnoticed that one it calls has changed.
    """
    engine = Path(__file__).resolve().parents[1]
    folders = (engine / room for room in ("machine", "native", *rooms))
    sources = [*(file for room in folders for file in sorted(room.glob("*.py"))), engine / "program" / "opcodes.py"]
    return "native/" + digest("\0".join(file.read_text(encoding="utf-8") for file in sources))


class Translation:
    """Of one program, with events or without."""

    def __init__(self, program: Program, key: str, events: bool) -> None:
        self._program, self._key, self._events = program, key, events
        self._codes: dict[str, Loaded] = {}  # by tier; what is replaced may still be running
        self._played, self._next_look = 0.0, 0.0
        self._patience = PATIENCE if parent_process() is None else WORKERS  # which is likely to have it made
        self._maker: _Maker | None = None
        self._begun = False

    def look(self, wanted: bool = False) -> bool:
        """Whether there is native code that was not there at the last look. `wanted`: make it now, and wait for it."""
        before = len(self._codes)
        if FULL not in self._codes and (wanted or time.monotonic() >= self._next_look):
            if self._maker is None:
                self._look_in_cache()
            if wanted and not self._codes:
                self.begin()
            if self._maker is not None:
                self._look_at(self._maker, wanted and not self._codes)
            self._next_look = time.monotonic() + (REST if self._maker is None else PAUSE)
        return len(self._codes) > before

    def _look_in_cache(self) -> None:
        """Another process may have kept something meanwhile."""
        for tier in (FULL, QUICK):
            if not self._codes or tier == FULL:
                self._load(tier, kept_files.read(self._name(tier)))

    def spent(self, seconds: float) -> None:
        """Play took so long; a program that is played much is translated."""
        self._played += seconds
        if self._played > self._patience and FULL not in self._codes:
            self.begin()

    def address(self, name: str) -> int:
        """Where a function begins, in the best code there is."""
        return self._codes[FULL if FULL in self._codes else QUICK].address(name)

    @property
    def best(self) -> bool:
        """Whether there is code made with all that the compiler knows."""
        return FULL in self._codes

    def _name(self, tier: str) -> str:
        kind = "events" if self._events else "quiet"
        return f"{code_folder()}/{self._key}-{kind}-{tier}-{digest(str(assembling.this_computer()))}"

    def begin(self) -> None:
        """Start the process, once; what cannot be started is done without."""
        if not self._begun:
            self._begun = True
            try:
                names = {tier: self._name(tier) for tier in TIERS if tier not in self._codes}
                self._maker = _Maker(self._program, names, self._events)
            except OSError:
                pass

    def _look_at(self, maker: _Maker, wait: bool) -> None:
        for tier in TIERS:
            if tier not in self._codes:
                self._load(tier, maker.made(tier, wait and not self._codes))
        if maker.done():
            self._maker = None

    def _load(self, tier: str, code: bytes | None) -> None:
        if code is not None:
            self._codes[tier] = Loaded(code)


class _Maker:
    """A process that translates one program; it ends with this one."""

    def __init__(self, program: Program, names: dict[str, str], events: bool) -> None:
        """`names`: under which to keep each tier to be made. Raises `OSError`."""
        self._folder = tempfile.TemporaryDirectory(prefix="edict-", ignore_cleanup_errors=True)
        self._path = Path(self._folder.name)
        put_private(self._path / PROGRAM, program.to_json().encode())
        which = "events" if events else "quiet"
        wanted = (f"{tier}={name}" for tier, name in names.items())
        self._process = companion.begun(__name__, str(self._path), which, *wanted)

    def made(self, tier: str, wait: bool) -> bytes | None:
        """What was made, if it is there; `wait`: for it, or for the process to end without."""
        while wait and not (self._path / tier).exists() and self._process.poll() is None:
            time.sleep(PAUSE / 5)
        try:
            return (self._path / tier).read_bytes()
        except OSError:
            return None

    def done(self) -> bool:
        """Whether nothing more will come; then the folder is gone."""
        if self._process.poll() is None:
            return False
        self._folder.cleanup()
        return True


# --- programs in native memory


class Playable:
    """A program in native memory, for as long as this lives. `row` is its code, and must not be used any longer."""

    def __init__(self, program: Program) -> None:
        import numpy as np  # whoever only translates does without

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

    def settled(self, events: bool) -> bool:
        """Whether there is nothing to look out for any more: the best translation there can be is there."""
        return (self._telling if events else self._quiet).best

    def spent(self, events: bool, seconds: float) -> None:
        """So long was played without a translation, or with it."""
        with self._lock:
            (self._telling if events else self._quiet).spent(seconds)


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


# --- the process that translates


def code_of(program: Program, events: bool, tier: str) -> bytes:
    """Translate a program."""
    text = translated(program, loop.run, mixing.mixed, events, assembling.deposits())
    return assembling.object_code(text, quick=tier == QUICK)


def main(folder: str, which: str, *wanted: str) -> None:
    """Translate the program that lies in a folder, and put there what comes of it."""
    companion.end_with_the_other(Path(folder))
    program = from_json((Path(folder) / PROGRAM).read_text(encoding="utf-8"))
    for one in wanted:
        tier, _, name = one.partition("=")
        if tier == FULL and hasattr(os, "nice"):
            os.nice(5)  # nobody waits for it
        code = kept_files.made(name, partial(code_of, program, which == "events", tier))
        put_private(Path(folder) / tier, code)


if __name__ == "__main__":
    main(*sys.argv[1:])
