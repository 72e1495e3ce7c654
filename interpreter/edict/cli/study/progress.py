"""How far a long run has come, and how long it will still take; on standard error, and only where somebody looks."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import ProgressColumn


@contextmanager
def progress(what: str, whole: int | None, done: int = 0) -> Iterator[Callable[[int], None]]:
    """A bar with the time left, or without a `whole` one that only moves; Ctrl-C is acknowledged at once.

    Returns a function to call with the number of those that are done.
    """
    with _acknowledged():
        if not sys.stderr.isatty():
            yield lambda done: None
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(*_columns(whole), console=Console(stderr=True), transient=True, expand=True) as bar:
            task = bar.add_task(what, total=whole, completed=done)
            yield lambda done: bar.update(task, completed=done)


def _columns(whole: int | None) -> list[ProgressColumn]:
    """The spinner and the time move also while nothing is finished."""
    from rich.progress import (
        BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn,
    )  # fmt: skip

    begin: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description}", markup=False)]
    begin.append(BarColumn(bar_width=None))  # as wide as there is room
    if whole is None:
        return [*begin, TimeElapsedColumn()]
    times = [TimeElapsedColumn(), TextColumn("elapsed,"), TimeRemainingColumn(), TextColumn("left")]
    return [*begin, MofNCompleteColumn(), *times]


@contextmanager
def _acknowledged() -> Iterator[None]:
    """Whoever presses Ctrl-C reads so, though it may take a moment until all has been put away; and it stops, though
    what was running may have made something else of it, as compilers do. SIGTERM, by which schedulers of jobs and
    systems that shut down ask for an end, does the same."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = False

    def stop(number: int, frame: object) -> None:
        nonlocal pressed
        pressed = True
        with contextlib.suppress(OSError):
            os.write(2, b"\nStopping ...\n")  # what is buffered may be in use at this very moment
        raise KeyboardInterrupt

    heeded = [one for one in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(one) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heeded}  # in the background, shells ignore Ctrl-C
    try:
        yield
    except Exception:
        if not pressed:
            raise
    finally:
        for known, handler in before.items():
            signal.signal(known, handler)
    if pressed:
        raise KeyboardInterrupt
