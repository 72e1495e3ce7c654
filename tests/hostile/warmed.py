"""A process in which the command is imported: a fork of it, within limits of its own, reads each hostile input.

It takes orders as lines of JSON (words, folder, environment, and the file for what is printed), and answers each with
how the child ended, its seconds of processor time, and the most kilobytes it held.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

from commands import WAYS
from inputs import rules

from calling import kingsburg
from edict.apps.cli.main import main

LONGEST = 60  # seconds of processor time, before the process is ended
MOST_MEMORY = 3_000_000_000  # bytes it may ask for


def serve() -> None:
    """Carry out one order after the other, until there are no more."""
    _warm()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _begin(*json.loads(line))
            _end(_called())
        _, status, used = os.wait4(child, 0)
        took = used.ru_utime + used.ru_stime
        print(json.dumps([os.waitstatus_to_exitcode(status), took, used.ru_maxrss]), flush=True)


def _called() -> int:
    """Be the command to its end."""
    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
    return 1


def _end(code: int) -> None:
    """Without taking apart what was imported, which is shared with the parent until somebody writes to it."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _warm() -> None:
    """Import what the commands need, by calling each once; children share it."""
    with tempfile.TemporaryDirectory() as folder:
        rules("card ace\n  worth 1", 'kind card "card"\n  worth number')(Path(folder))
        for words in (("check", "./sample"), *WAYS.values()):
            done = kingsburg(Path(folder), *words)
            assert done.returncode in (0, 1), done
    gc.collect()
    gc.freeze()


def _begin(words: Sequence[str], folder: str, around: Mapping[str, str], output: str) -> None:
    """Be the command that was ordered, with nobody at the keyboard."""
    for kind, most in (
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_CPU, LONGEST),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(around)
    sys.argv = ["kingsburg", *words]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    said = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(said, 1)
    os.dup2(said, 2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)


if __name__ == "__main__":
    serve()
