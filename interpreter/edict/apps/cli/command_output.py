"""Output of commands: its limits, the progress bar of those that take long, and Ctrl-C while they do."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from edict.support.files import OutputTarget

if TYPE_CHECKING:
    from rich.progress import ProgressColumn


MAX_OUTPUT = 900_000  # characters on standard output
MAX_ERRORS = 90_000  # characters on standard error


class BoundedStream:
    """A wrapper of a text stream that writes up to a number of characters, in whole lines."""

    def __init__(self, stream: TextIO, limit: int) -> None:
        self.stream, self.remaining, self.left_out = stream, limit, 0
        self._bounded = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def lift_limit(self) -> None:
        """Stop limiting: write all further text to the stream."""
        self._bounded = False

    def write(self, text: str) -> int:
        """Write as much of a text as the limit allows, in whole lines; return the length of the whole text."""
        if self._bounded:
            if not self.left_out and len(text) <= self.remaining:
                allowed = text
            else:
                allowed = text[: self._cut_length(text)]
            self.remaining -= len(allowed)
            self.left_out += len(text) - len(allowed)
            self.stream.write(allowed)
        else:
            self.stream.write(text)
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write texts in order."""
        for line in lines:
            self.write(line)

    def _cut_length(self, text: str) -> int:
        """Return how many characters of a text to write that exceeds the limit; 0 once something was left out."""
        return 0 if self.left_out else text.rfind("\n", 0, self.remaining) + 1


@contextlib.contextmanager
def bound_output() -> Iterator[tuple[BoundedStream, BoundedStream]]:
    """Limit standard output and standard error within the context; yield both wrapped streams."""
    before = sys.stdout, sys.stderr
    output, errors = BoundedStream(sys.stdout, MAX_OUTPUT), BoundedStream(sys.stderr, MAX_ERRORS)
    sys.stdout, sys.stderr = output, errors
    try:
        yield output, errors
    finally:
        sys.stdout, sys.stderr = before


def write_data(target: OutputTarget, text: str) -> None:
    """Write data to a file, or without a limit to standard output."""
    if target.is_standard_output:
        lift_output_limit()
    target.write(text)


def lift_output_limit() -> None:
    """Lift the limit for the running command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, BoundedStream):
            stream.lift_limit()


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
