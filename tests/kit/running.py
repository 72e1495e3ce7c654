"""A command that keeps running while files change."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
from pathlib import Path

from calling import COMMAND, make_environment

TIMEOUT = 30.0  # seconds


class RunningCommand:
    """A running command whose output is read as it comes."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=folder,
            env=make_environment(folder, PYTHONUNBUFFERED="1"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self.said = ""
        self.coming: queue.Queue[str] = queue.Queue()
        self.reading = threading.Thread(target=self._read_output, daemon=True)
        self.reading.start()

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.coming.put(line)

    def wait_for(self, text: str) -> str:
        """Wait for a text and return the output since the last call."""
        heard = ""
        while text not in heard:
            try:
                line = self.coming.get(timeout=TIMEOUT)
            except queue.Empty:
                raise AssertionError(f"never said {text!r}; after {self.said}\nonly {heard}") from None
            heard += line
            self.said += line
        assert "Traceback" not in heard
        return heard

    def type_line(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def interrupt(self) -> int:
        os.kill(self.process.pid, signal.SIGINT)
        return self.process.wait(TIMEOUT)

    def end(self) -> None:
        """Kill it, and read the rest of its output before closing the pipe."""
        self.process.kill()
        self.process.wait(TIMEOUT)
        self.reading.join(TIMEOUT)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
