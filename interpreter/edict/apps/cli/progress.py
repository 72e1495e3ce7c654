"""The progress bar of commands that take long, and Ctrl-C while they do."""

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
def show_progress(label: str, total: int | None, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error, and acknowledge Ctrl-C at once.

    Without a total, the bar only moves. Yields a function to call with the number of finished items.
    """
    with _acknowledge_interrupts():
        if not sys.stderr.isatty():
            yield lambda done: None
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(*_progress_columns(total), console=Console(stderr=True), transient=True, expand=True) as bar:
            task = bar.add_task(label, total=total, completed=done)
            yield lambda done: bar.update(task, completed=done)


def _progress_columns(total: int | None) -> list[ProgressColumn]:
    """Return the columns of the bar; the spinner and the time also move while nothing is finished."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    first_columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description}", markup=False)]
    first_columns.append(BarColumn(bar_width=None))  # as wide as the terminal
    if total is None:
        return [*first_columns, TimeElapsedColumn()]
    times = [TimeElapsedColumn(), TextColumn("elapsed,"), TimeRemainingColumn(), TextColumn("left")]
    return [*first_columns, MofNCompleteColumn(), *times]


@contextmanager
def _acknowledge_interrupts() -> Iterator[None]:
    """Print a line as soon as Ctrl-C or SIGTERM arrives, and end the context with KeyboardInterrupt.

    Cleaning up can take a moment. The interrupt is raised again even if the interrupted code turned it into another
    exception, as compilers do. Job schedulers and systems that shut down send SIGTERM.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = False

    def stop(number: int, frame: object) -> None:
        """Handle Ctrl-C: note it, print `Stopping ...` at once, and raise `KeyboardInterrupt`."""
        nonlocal pressed
        pressed = True
        with contextlib.suppress(OSError):
            os.write(2, b"\nStopping ...\n")  # print may be interrupted while it writes to its buffer
        raise KeyboardInterrupt

    handled = [signum for signum in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(signum) is not signal.SIG_IGN]
    handlers = {number: signal.signal(number, stop) for number in handled}  # ignored in background jobs
    try:
        yield
    except Exception:
        if not pressed:
            raise
    finally:
        for handled_number, handler in handlers.items():
            signal.signal(handled_number, handler)
    if pressed:
        raise KeyboardInterrupt
