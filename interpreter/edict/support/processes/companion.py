"""A module that runs in a process beside this one, and ends with it in any case.

It is started by name and not by `multiprocessing`, because that would run the user's own main script again, and
because daemonic workers may not have child processes. The companion reads a pipe that nobody writes to: the pipe is
closed when the process at the other end is gone, killed or not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path


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
