"""A program's own native code: taken from the user's cache, or made in a process of its own while the loop plays.

    python -m edict.machine.translating NAME events|quiet     reads a program as JSON, keeps its code, and writes it out
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
import time
from typing import IO

from edict import kept_files
from edict.machine import loop, mixing
from edict.machine.source import code_folder
from edict.native import assembling
from edict.native.assembling import Loaded
from edict.native.programs import translated
from edict.program import Program, digest, from_json

PATIENCE = 0.5  # seconds of play before a program is worth translating
PAUSE = 0.05  # seconds between two looks at the process


class Translation:
    """Of one program, with events or without."""

    def __init__(self, program: Program, key: str, events: bool) -> None:
        self._program, self._events = program, events
        self._key = key
        self._played, self._next_look = 0.0, 0.0
        self._code: Loaded | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._out: IO[bytes] | None = None
        self._searched = self._given_up = False

    def look(self, wanted: bool = False) -> bool:
        """Whether there is native code that was not there at the last look. `wanted`: make it now, and wait."""
        if self._code is not None or self._given_up:
            return False
        if not self._searched:
            self._searched = True
            self._loaded(kept_files.read(self._name()))
        elif self._process is not None and (wanted or time.monotonic() >= self._next_look):
            self._next_look = time.monotonic() + PAUSE
            self._finished(wanted)
        if wanted and self._code is None and not self._given_up:
            self._begin()
            self._finished(wait=True)
        return self._code is not None

    def spent(self, seconds: float) -> None:
        """Play took so long; a program that is played much is translated."""
        self._played += seconds
        if self._played > PATIENCE and self._code is None and self._process is None and not self._given_up:
            self._begin()

    def address(self, name: str) -> int:
        assert self._code is not None
        return self._code.address(name)

    def _name(self) -> str:
        return f"{code_folder()}/{self._key}-{'events' if self._events else 'quiet'}-{digest(assembling.target())}"

    def _begin(self) -> None:
        """Start the process; what cannot be started is done without."""
        words = [sys.executable, "-P", "-m", __name__, self._name(), "events" if self._events else "quiet"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        try:
            with tempfile.TemporaryFile() as given:
                given.write(self._program.to_json().encode())
                given.seek(0)
                self._out = tempfile.TemporaryFile()
                self._process = subprocess.Popen(
                    words, stdin=given, stdout=self._out, stderr=subprocess.DEVNULL, env=environment
                )
            atexit.register(self._process.kill)
        except OSError:
            self._given_up = True

    def _finished(self, wait: bool) -> None:
        """Load what the process has made, if it is done."""
        process, out = self._process, self._out
        if process is None or out is None or (process.wait() if wait else process.poll()) is None:
            return
        atexit.unregister(process.kill)
        out.seek(0)
        self._loaded(out.read() if process.returncode == 0 else None)
        out.close()
        self._process = None
        self._given_up = self._code is None

    def _loaded(self, code: bytes | None) -> None:
        if code is not None:
            self._code = Loaded(code)


def kept_code(program: Program, name: str, events: bool) -> bytes:
    """Translate a program, and keep what comes of it."""
    code = assembling.object_code(translated(program, loop.run, mixing.mixed, events, assembling.deposits()))
    kept_files.keep(name, code)
    return code


def main(name: str, which: str) -> None:
    """Translate the program that is read, as politely as this system allows."""
    if hasattr(os, "nice"):
        os.nice(5)
    program = from_json(sys.stdin.buffer.read().decode())
    sys.stdout.buffer.write(kept_code(program, name, which == "events"))


if __name__ == "__main__":
    main(*sys.argv[1:])
