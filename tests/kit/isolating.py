"""The command in this process, isolated as if it ran in its own: nothing leaks in or out.

The standard streams are replaced at the level of the operating system, so that child processes write there too and
no real terminal is visible.
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

IGNORED_WARNINGS = (
    DeprecationWarning,
    PendingDeprecationWarning,
    ImportWarning,
    ResourceWarning,
)  # as Python is without options
RESTORED_SIGNALS = [one for name in ("SIGINT", "SIGTERM", "SIGUSR1", "SIGALRM") if (one := getattr(signal, name, None))]


def call_isolated(
    folder: Path, words: Sequence[str], variables: Mapping[str, str], typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `kingsburg` with these words in a folder with these environment variables; a traceback fails the test."""
    from edict.apps.cli.main import main

    with contextlib.ExitStack() as after:
        after.enter_context(contextlib.chdir(folder))
        for kept in (
            _replaced_environment(variables),
            _restored_settings(),
            _restored_modules(folder),
            _printed_warnings(),
            _collected_garbage(),
        ):
            after.enter_context(kept)
        files = after.enter_context(_replaced_streams(typed))
        after.enter_context(patch.object(sys, "argv", ["kingsburg", *words]))
        code = _run_to_exit(main)
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = (_read_text(file) for file in files)
    return subprocess.CompletedProcess([*words], code, out, err)


def _run_to_exit(main: Callable[[], None]) -> int:
    try:
        contextvars.copy_context().run(main)
    except SystemExit as exit_request:
        assert isinstance(exit_request.code, int), f"it ended with {exit_request.code!r}"
        return exit_request.code
    raise AssertionError("the command ends with an exit code")


def _read_text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8").replace("\r\n", "\n")


@contextlib.contextmanager
def _replaced_environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _restored_settings() -> Iterator[None]:
    """Restore what the command sets for its process: garbage collection, signal handlers, start folder of workers."""
    garbage, signals = gc.get_threshold(), {one: signal.getsignal(one) for one in RESTORED_SIGNALS}
    try:
        with patch.object(multiprocessing.process, "ORIGINAL_DIR", os.getcwd()):
            yield
    finally:
        gc.set_threshold(*garbage)
        for one, does in signals.items():
            signal.signal(one, does)


@contextlib.contextmanager
def _collected_garbage() -> Iterator[None]:
    """Release what the command holds to its end, such as the lock of a game."""
    gc.freeze()
    try:
        yield
    finally:
        gc.collect()
        gc.unfreeze()


@contextlib.contextmanager
def _restored_modules(folder: Path) -> Iterator[None]:
    """Forget imported bots, since the next test may have others with the same names."""
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
def _printed_warnings() -> Iterator[None]:
    """Print warnings and log messages to standard error, as without pytest."""

    def tell(message: Warning | str, kind: type[Warning], file: str, line: int, *_: object) -> None:
        print(warnings.formatwarning(message, kind, file, line), end="", file=sys.stderr)

    heard: list[AbstractContextManager[Any]] = [
        patch.object(warnings, "showwarning", tell),
        patch.object(logging.root, "handlers", []),
    ]
    with warnings.catch_warnings(), heard[0], heard[1]:
        warnings.resetwarnings()
        for kind in IGNORED_WARNINGS:
            warnings.simplefilter("ignore", kind)
        yield


@contextlib.contextmanager
def _replaced_streams(typed: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Replace standard input, output and error of the process and of Python."""
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
