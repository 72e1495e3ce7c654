"""The backend that works on rows, native code where available, else the machine of a page, else plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from edict.runtime.machine.mixing import MASK
from edict.runtime.program import Program
from edict.runtime.simulation import native
from edict.runtime.simulation.page_backend import PageBackend

_page: PageBackend | None = None


def set_page(page: PageBackend | None) -> None:
    """Use a page's machine from now on where there is no native code; None for plain Python."""
    global _page
    _page = page


def uses_page() -> bool:
    """Return True if a page's machine is in use."""
    return _page is not None and not native.is_available()


def is_accelerated() -> bool:
    """Return True if a native or WebAssembly backend is available."""
    return native.is_available() or uses_page()


def make_integers(values: Sequence[Any]) -> Any:
    """Create a row of integers, or equal rows of them."""
    if native.is_available():
        return native.make_integers(values)
    return _page.make_integers(values) if _page else list(values)


def make_seeds(values: Sequence[int]) -> Any:
    """Create a row of 64-bit seeds."""
    if native.is_available():
        return native.make_seeds(values)
    return _page.make_integers(values) if _page else [seed & MASK for seed in values]


def make_floats(values: Sequence[float]) -> Any:
    """Create a row of floats."""
    if native.is_available():
        return native.make_floats(values)
    return _page.make_floats(values) if _page else list(values)


def make_rows(number: int, width: int) -> Any:
    """Create rows of zeros."""
    if native.is_available():
        return native.make_rows(number, width)
    return _page.make_rows(number, width) if _page else [[0] * width for _ in range(number)]


def to_lists(rows: Any, number: int) -> list[list[int]]:
    """Return the first `number` rows as lists."""
    first = (rows[at] for at in range(number))
    return [row if isinstance(row, list) else row.tolist() for row in first]


def accelerate(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the native or WebAssembly form of an exported function; without a backend, the function itself."""
    if native.is_available():
        return native.native_function(function)
    return _page.accelerate(function) if _page else function


@contextmanager
def use_program(program: Program, *events: bool) -> Iterator[Any]:
    """Yield a program's code in the form that accelerated functions take; its memory is held in the block."""
    if native.is_available():
        with native.use_program(program, *events) as code:
            yield code
    else:
        yield _page.load_code(program) if _page else program.code
