"""Native code of single programs, from the user's cache, or compiled in another process while the loop plays.

It is compiled twice: quickly, to be used as soon as possible, and again with all optimizations.

    python -m edict.runtime.machine.translation FOLDER NAME events|quiet TIER ...

Native code receives a program's code as a row, and finds addresses of the translation before the row:

    row[RUN], row[EVENTS]    continue a game as the loop does, in a state without or with events
    row[PLAY]                continue a game with every answer drawn at random

An address is 0 until there is a translation. It is stored at once when ready, and used from the next call on.
Needs llvmlite, and NumPy to play.
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
from edict.runtime.native.assembling import LoadedCode
from edict.runtime.native.programs import translate_program
from edict.runtime.program import Program, digest, program_key
from edict.runtime.program.program_json import parse_program
from edict.support import signed_cache
from edict.support.files import write_private
from edict.support.processes import child

TIERS = QUICK, FULL = "quick", "full"
PATIENCE = 0.5  # seconds of play before a program is worth compiling
WORKER_PATIENCE = 5.0  # likewise in a worker process, whose parent has usually started it already
POLL_INTERVAL, CACHE_POLL_INTERVAL = 0.05, 0.5  # seconds between two looks at the compiling process, and at the cache
PROGRAM = "program.json"
RUN, EVENTS, PLAY = -1, -2, -3
HEAD = 3  # cells before a program's code
MAX_PROGRAMS = 16  # programs kept in memory


@cache
def code_folder(*packages: str) -> str:
    """Return `native/` and a hash of the machine's source: the cache folder whose code is still valid.

    All its source counts, since a function's own source does not show that a function it calls has changed.

    Args:
        *packages: Further packages of `runtime` whose source counts.
    """
    engine = Path(__file__).resolve().parents[1]
    folders = (engine / package for package in ("machine", "native", *packages))
    sources = [
        *(file for package in folders for file in sorted(package.glob("*.py"))),
        engine / "program" / "opcodes.py",
    ]
    return "native/" + digest("\0".join(file.read_text(encoding="utf-8") for file in sources))


class Translation:
    """The native code of one program, with or without events."""

    def __init__(self, program: Program, key: str, events: bool) -> None:
        self._program, self._key, self._events = program, key, events
        self._loaded: dict[str, LoadedCode] = {}  # by tier; all are kept, because replaced code may still be running
        self._seconds_played, self._next_look = 0.0, 0.0
        # a worker's parent is likely to compile it
        self._patience = PATIENCE if parent_process() is None else WORKER_PATIENCE
        self._compiler: _CompilerProcess | None = None
        self._started = False

    def poll(self, wait: bool = False) -> bool:
        """Return True if there is native code that was not there at the last call.

        Args:
            wait: Compile it now if needed, and wait for it.
        """
        before = len(self._loaded)
        if FULL not in self._loaded and (wait or time.monotonic() >= self._next_look):
            if self._compiler is None:
                self._load_from_cache()
            if wait and not self._loaded:
                self.start()
            if self._compiler is not None:
                self._poll_compiler(self._compiler, wait and not self._loaded)
            self._next_look = time.monotonic() + (CACHE_POLL_INTERVAL if self._compiler is None else POLL_INTERVAL)
        return len(self._loaded) > before

    def _load_from_cache(self) -> None:
        """Load code that another process may have compiled meanwhile."""
        for tier in (FULL, QUICK):
            if not self._loaded or tier == FULL:
                self._load(tier, signed_cache.read(self._cache_name(tier)))

    def add_play_time(self, seconds: float) -> None:
        """Add seconds of play; start the compiler once they exceed the program's patience."""
        self._seconds_played += seconds
        if self._seconds_played > self._patience and FULL not in self._loaded:
            self.start()

    def address(self, name: str) -> int:
        """Return the address of a function in the best code there is."""
        return self._loaded[FULL if FULL in self._loaded else QUICK].address(name)

    @property
    def is_optimized(self) -> bool:
        """Return True if the fully optimized code is loaded."""
        return FULL in self._loaded

    def _cache_name(self, tier: str) -> str:
        """Return the cache name of a tier's code, which differs by program, with or without events, and processor."""
        kind = "events" if self._events else "quiet"
        return f"{code_folder()}/{self._key}-{kind}-{tier}-{digest(str(assembling.host_target()))}"

    def start(self) -> None:
        """Start the compiling process, once; if that fails, go on without."""
        if not self._started:
            self._started = True
            try:
                names = {tier: self._cache_name(tier) for tier in TIERS if tier not in self._loaded}
                self._compiler = _CompilerProcess(self._program, names, self._events)
            except OSError:
                pass

    def _poll_compiler(self, compiler: _CompilerProcess, wait: bool) -> None:
        for tier in TIERS:
            if tier not in self._loaded:
                self._load(tier, compiler.read_result(tier, wait and not self._loaded))
        if compiler.has_ended():
            self._compiler = None

    def _load(self, tier: str, code: bytes | None) -> None:
        """Load a tier's object code; do nothing for None."""
        if code is not None:
            self._loaded[tier] = LoadedCode(code)


class _CompilerProcess:
    """A process that compiles one program; it ends with this one."""

    def __init__(self, program: Program, names: dict[str, str], events: bool) -> None:
        """Start the process.

        Args:
            program: The program.
            names: The cache name of each tier to compile.
            events: Compile it with events.

        Raises:
            OSError: If it cannot be started.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="edict-", ignore_cleanup_errors=True)
        self._path = Path(self._folder.name)
        write_private(self._path / PROGRAM, program.to_json().encode())
        variant = "events" if events else "quiet"
        tiers = (f"{tier}={name}" for tier, name in names.items())
        self._process = child.start_companion(__name__, str(self._path), variant, *tiers)

    def read_result(self, tier: str, wait: bool) -> bytes | None:
        """Return the code of a tier if it is ready; with `wait`, wait for it or for the end of the process."""
        while wait and not (self._path / tier).exists() and self._process.poll() is None:
            time.sleep(POLL_INTERVAL / 5)
        try:
            return (self._path / tier).read_bytes()
        except OSError:
            return None

    def has_ended(self) -> bool:
        """Return True, and remove the folder, once nothing more will come."""
        if self._process.poll() is None:
            return False
        self._folder.cleanup()
        return True


# --- programs in native memory


class NativeProgram:
    """A program in native memory.

    `row` is its code, and is valid only as long as this object lives.
    """

    def __init__(self, program: Program) -> None:
        import numpy as np  # imported late, not needed to compile

        self._memory: Any = np.zeros(HEAD + len(program.code), dtype=np.int64)
        self.row = self._memory[HEAD:]
        self.row[:] = program.code
        self._lock = Lock()  # several threads may play one program
        self._quiet = Translation(program, program_key(program), events=False)
        self._with_events = Translation(program, program_key(program), events=True)

    def refresh(self, events: bool, wait: bool = False) -> Any:
        """Return the program's row in native memory, with the translation's addresses filled in once compiled.

        Args:
            events: Use the translation with events.
            wait: Compile now if needed, and wait for it.
        """
        translation = self._with_events if events else self._quiet
        with self._lock:
            if translation.poll(wait):
                entries = ((EVENTS, "run"),) if events else ((RUN, "run"), (PLAY, "play"))
                for place, name in entries:
                    self._memory[HEAD + place] = translation.address(name)
        return self.row

    def start_translation(self, events: bool) -> None:
        """Start compiling the program, unless that was done before."""
        self.refresh(events)
        if not self.is_translated(events):
            with self._lock:
                (self._with_events if events else self._quiet).start()

    def is_translated(self, events: bool) -> bool:
        """Return True if the program runs as its own native code."""
        return bool(self._memory[HEAD + (EVENTS if events else RUN)])

    def is_optimized(self, events: bool) -> bool:
        """Return True if the fully optimized translation is there, so that `refresh` is no longer needed."""
        return (self._with_events if events else self._quiet).is_optimized

    def add_play_time(self, events: bool, seconds: float) -> None:
        """Add seconds of play, with or without a translation."""
        with self._lock:
            (self._with_events if events else self._quiet).add_play_time(seconds)


_KNOWN: OrderedDict[str, NativeProgram] = OrderedDict()
_LOCK = Lock()


def get_native_program(program: Program) -> NativeProgram:
    """Return the program in native memory, the same object for equal programs while it is cached."""
    key = program_key(program)
    with _LOCK:
        if key not in _KNOWN:
            _KNOWN[key] = NativeProgram(program)
            while len(_KNOWN) > MAX_PROGRAMS:
                _KNOWN.popitem(last=False)
        _KNOWN.move_to_end(key)
        return _KNOWN[key]


# --- the process that translates


def compile_program(program: Program, events: bool, tier: str) -> bytes:
    """Return the object code of a program for this computer, with or without events; `tier` QUICK or FULL."""
    text = translate_program(program, loop.run, mixing.mix, events, assembling.has_fast_pdep())
    return assembling.compile_object(text, quick=tier == QUICK)


def main(folder: str, variant: str, *tiers: str) -> None:
    """Compile the program in a folder, and write the results there."""
    child.exit_with_parent(Path(folder))
    program = parse_program((Path(folder) / PROGRAM).read_text(encoding="utf-8"))
    for argument in tiers:
        tier, _, name = argument.partition("=")
        if tier == FULL and hasattr(os, "nice"):
            os.nice(5)  # optimized code is not urgent
        code = signed_cache.get_or_create(name, partial(compile_program, program, variant == "events", tier))
        write_private(Path(folder) / tier, code)


if __name__ == "__main__":
    main(*sys.argv[1:])
