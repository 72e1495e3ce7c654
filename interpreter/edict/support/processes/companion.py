"""A module that runs in a process beside this one, and ends with it however that comes about.

It is started by its name, and not as `multiprocessing` would: what it does for a program of somebody's own must not
run that program again, and processes that work for another may have one too.

What it reads is a pipe that nobody writes into: when the process at the other end is gone, killed or not, it is closed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path


def begun(module: str, *words: str) -> subprocess.Popen[bytes]:
    """`python -m module words`, with the modules that can be found here. Raises `OSError`."""
    path = os.pathsep.join(one for one in sys.path if one)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *words],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def end_with_the_other(folder: Path) -> None:
    """In the process that was begun: end it as soon as the one that began it is gone, and remove what both used."""

    def wait() -> None:
        sys.stdin.buffer.read()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
