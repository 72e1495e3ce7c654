"""Tables and lines on standard output: drawn in a terminal, plain in a file."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

WIDEST = 140
IN_A_FILE = 160


def page(line: str) -> None:
    """A headline."""
    _console().print(line, style="bold", highlight=False, markup=False)


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table; nothing if it has no rows. All but the first column and the last with words stand to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    if not rows:
        return
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(head):
        numeric = number and all(not row[number] or row[number][0] in "+-–0123456789" for row in rows)
        drawn.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    console = _console()
    console.print()
    console.print(title, style="bold", highlight=False, markup=False)
    console.print(drawn)


def _console() -> Console:
    from rich.console import Console

    seen = sys.stdout.isatty()
    width = min(shutil.get_terminal_size().columns, WIDEST) if seen else IN_A_FILE
    return Console(width=width, no_color=bool(os.environ.get("NO_COLOR")) or not seen, force_terminal=seen)
