"""The command within this process, as if it were one of its own: it finds nothing of others and leaves nothing behind.

What lies deeper than Python is replaced too: its standard streams are files, so a child it starts writes there as well,
and no terminal of whoever runs the tests is seen.
"""

from __future__ import annotations

import contextlib
import contextvars
import gc
import importlib
import logging
import multiprocessing.process
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any
from unittest.mock import patch

QUIET = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)  # as Python is without options
HEEDED = [one for name in ("SIGINT", "SIGTERM", "SIGUSR1", "SIGALRM") if (one := getattr(signal, name, None))]


def called(
    folder: Path, words: Sequence[str], around: Mapping[str, str], typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Call `kingsburg` with these words in a folder, with these variables around it; a traceback fails the test."""
    from edict.apps.cli.main import main

    with contextlib.ExitStack() as after:
        after.enter_context(contextlib.chdir(folder))
        for kept in (_variables(around), _settings(), _modules(folder), _told(), _garbage()):
            after.enter_context(kept)
        files = after.enter_context(_streams(typed))
        after.enter_context(patch.object(sys, "argv", ["kingsburg", *words]))
        code = _left(main)
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = (_text(file) for file in files)
    return subprocess.CompletedProcess([*words], code, out, err)


def _left(main: Callable[[], None]) -> int:
    try:
        contextvars.copy_context().run(main)
    except SystemExit as leaving:
        assert isinstance(leaving.code, int), f"it ended with {leaving.code!r}"
        return leaving.code
    raise AssertionError("the command ends with an exit code")


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8").replace("\r\n", "\n")


@contextlib.contextmanager
def _variables(around: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(around)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """What the command sets for its process: how often garbage is looked for, what signals do; where workers begin."""
    garbage, signals = gc.get_threshold(), {one: signal.getsignal(one) for one in HEEDED}
    try:
        with patch.object(multiprocessing.process, "ORIGINAL_DIR", os.getcwd()):
            yield
    finally:
        gc.set_threshold(*garbage)
        for one, does in signals.items():
            signal.signal(one, does)


@contextlib.contextmanager
def _garbage() -> Iterator[None]:
    """What it holds to the end, such as the lock of a game, is let go; what was there before is not searched."""
    gc.freeze()
    try:
        yield
    finally:
        gc.collect()
        gc.unfreeze()


@contextlib.contextmanager
def _modules(folder: Path) -> Iterator[None]:
    """Bots are modules that lie in the test's folders: the next test has others of the same name."""
    path, known = list(sys.path), set(sys.modules)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file and Path(file).is_relative_to(folder.resolve()):
                del sys.modules[name]


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Warnings, and what is logged, are told on standard error, as in a process without pytest."""

    def tell(message: Warning | str, kind: type[Warning], file: str, line: int, *_: object) -> None:
        print(warnings.formatwarning(message, kind, file, line), end="", file=sys.stderr)

    heard: list[AbstractContextManager[Any]] = [
        patch.object(warnings, "showwarning", tell),
        patch.object(logging.root, "handlers", []),
    ]
    with warnings.catch_warnings(), heard[0], heard[1]:
        warnings.resetwarnings()
        for kind in QUIET:
            warnings.simplefilter("ignore", kind)
        yield


@contextlib.contextmanager
def _streams(typed: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Standard input, output and error of the process, and Python's idea of them."""
    with contextlib.ExitStack() as after:
        files = [after.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(typed.encode("utf-8", "surrogateescape"))  # a test may type bytes that are no text
        files[0].seek(0)
        for number, file in enumerate(files):
            kept = os.dup(number)
            after.callback(os.close, kept)
            after.callback(os.dup2, kept, number)
            os.dup2(file.fileno(), number)
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            mode, buffering = "w" if number else "r", 1 if name == "stderr" else -1
            stream = after.enter_context(open(number, mode, buffering, encoding="utf-8", closefd=False))
            after.enter_context(patch.object(sys, name, stream))
        yield files[1], files[2]
