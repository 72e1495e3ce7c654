"""Child processes: one that answers requests, and one that runs a module beside this process.

Requests are pickled; answers are bytes, because data that foreign code wrote must not be unpickled.

The companion is started by name and not by `multiprocessing`, because that would run the user's own main script again,
and because daemonic workers may not have child processes. It reads a pipe that nobody writes to: the pipe is closed
when the process at the other end is gone, killed or not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

GUARD = 'if __name__ == "__main__":'


def main_script_problem() -> str:
    """Return why other processes cannot import the running script; empty if they can.

    A script that starts workers while a worker imports it would start processes without end. Such a worker exits
    silently here, and its parent reports the reason.
    """
    import multiprocessing  # not before it is needed: it loads what speaks to networks

    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)
    main = sys.modules.get("__main__")
    file, imported = getattr(main, "__file__", None), getattr(main, "__spec__", None)
    if file is None or imported is not None or os.path.exists(file):
        return ""
    return f"other processes cannot import this script: there is no file `{file}`"


MAX_BYTES = 1_000_000  # of an answer


class ChildTimeout(Exception):
    """No answer came in time; the process is still working on it."""


class ChildProcess:
    """A new, empty process that calls `target(*about, pipe)`."""

    def __init__(self, target: Callable[..., None], *about: object) -> None:
        import multiprocessing

        context: Any = multiprocessing.get_context("spawn")
        self._pipe, child_pipe = context.Pipe()
        self._process = context.Process(target=target, args=(*about, child_pipe), daemon=True)
        self._process.start()
        child_pipe.close()

    def send(self, request: object) -> None:
        """Send a request.

        Raises:
            OSError: If the process is gone.
        """
        self._pipe.send(request)

    def receive(self, seconds: float) -> bytes:
        """Return the answer.

        Raises:
            ChildTimeout: If there is none within so many seconds.
            EOFError: If the process is gone, or `OSError`.
        """
        if not self._pipe.poll(seconds):
            raise ChildTimeout
        answer: bytes = self._pipe.recv_bytes(MAX_BYTES)
        return answer

    def kill(self) -> None:
        """Kill the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def start_companion(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start `python -m module words` with this process's module search path.

    Raises:
        OSError: If it cannot be started.
    """
    path = os.pathsep.join(folder for folder in sys.path if folder)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def exit_with_parent(folder: Path) -> None:
    """In the companion, watch for the end of the parent; then remove the shared folder and exit."""

    def watch() -> None:
        """Wait until standard input closes, then remove the shared folder and end the process."""
        sys.stdin.buffer.read()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
