"""A process with the command imported; a fork of it with its own limits reads each hostile input.

Orders are lines of JSON: words, folder, environment, and a file for the output. Each is answered with the exit code
of the child, its seconds of processor time, and its peak memory in kilobytes.
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
from inputs import rules_writer

from calling import run_kingsburg
from edict.apps.cli.main import main

MAX_SECONDS = 60  # seconds of processor time, before the process is ended
MAX_MEMORY = 3_000_000_000  # bytes it may ask for


def serve() -> None:
    """Carry out orders until there are no more."""
    _import_commands()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _run_child(*json.loads(line))
            _exit(_run_command())
        _, status, used = os.wait4(child, 0)
        took = used.ru_utime + used.ru_stime
        print(json.dumps([os.waitstatus_to_exitcode(status), took, used.ru_maxrss]), flush=True)


def _run_command() -> int:
    """Run the command to its end and return the exit code."""
    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
    return 1


def _exit(code: int) -> None:
    """Exit without cleaning up imported modules, whose memory is shared with the parent."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _import_commands() -> None:
    """Import what the commands need by running each once, so that children share it."""
    with tempfile.TemporaryDirectory() as folder:
        rules_writer("card ace\n  worth 1", 'kind card "card"\n  worth number')(Path(folder))
        for words in (("check", "./sample"), *WAYS.values()):
            done = run_kingsburg(Path(folder), *words)
            assert done.returncode in (0, 1), done
    gc.collect()
    gc.freeze()


def _run_child(words: Sequence[str], folder: str, around: Mapping[str, str], output: str) -> None:
    """Run the ordered command with limits and without input."""
    for kind, most in (
        (resource.RLIMIT_AS, MAX_MEMORY),
        (resource.RLIMIT_CPU, MAX_SECONDS),
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
