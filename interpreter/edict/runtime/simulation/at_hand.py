"""Rows to work on, and who does it: native code where it can be had, or the machine of a page, else plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from edict.runtime.machine.mixing import MASK
from edict.runtime.program import Program
from edict.runtime.simulation import native
from edict.runtime.simulation.in_page import InPage

_page: InPage | None = None


def use(page: InPage | None) -> None:
    """Work as this page does from now on, where there is no native code; None: no page does."""
    global _page
    _page = page


def paged() -> bool:
    """Whether a page does."""
    return _page is not None and not native.available()


def quick() -> bool:
    """Whether somebody else than Python works."""
    return native.available() or paged()


def integers(values: Sequence[Any]) -> Any:
    """A row of whole numbers, or equal rows of them."""
    if native.available():
        return native.integers(values)
    return _page.integers(values) if _page else list(values)


def seeds(values: Sequence[int]) -> Any:
    """A row of seeds, of 64 bits each."""
    if native.available():
        return native.unsigned(values)
    return _page.integers(values) if _page else [seed & MASK for seed in values]


def floats(values: Sequence[float]) -> Any:
    """A row of real numbers."""
    if native.available():
        return native.floats(values)
    return _page.floats(values) if _page else list(values)


def rows(number: int, width: int) -> Any:
    """So many rows, all 0."""
    if native.available():
        return native.rows(number, width)
    return _page.rows(number, width) if _page else [[0] * width for _ in range(number)]


def lists(rows: Any, number: int) -> list[list[int]]:
    """Return the first so many of `rows` as lists."""
    first = (rows[at] for at in range(number))
    return [row if isinstance(row, list) else row.tolist() for row in first]


def faster(function: Callable[..., Any]) -> Callable[..., Any]:
    """One of the functions in `compiled.OFFERED`, by whoever works on these rows."""
    if native.available():
        return native.faster(function)
    return _page.faster(function) if _page else function


@contextmanager
def playing(program: Program, *events: bool) -> Iterator[Any]:
    """The program's code as a row, to be played by meanwhile; `events` as in `native.playing`."""
    if native.available():
        with native.playing(program, *events) as code:
            yield code
    else:
        yield _page.code(program) if _page else program.code
