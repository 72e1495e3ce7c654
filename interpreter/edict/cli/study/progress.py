"""How far a long run has come, and how long it will still take; on standard error, and only where somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(what: str, whole: int, done: int = 0) -> Iterator[Callable[[int], None]]:
    """A bar with the time left. Gives a function that is told how many are done."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("left"), TimeRemainingColumn(),
        TextColumn("of"), TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=whole, completed=done)
        yield lambda done: bar.update(task, completed=done)
