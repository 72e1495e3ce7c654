"""Lines of text laid out in columns, counted in columns of the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

from edict.rendering import plain

Lines = list[Text]
HEADER = 5  # columns of a header that are enough
HANG = 4  # columns by which the rest of a long line is set in


def width_of(lines: Sequence[Text]) -> int:
    return max((line.cell_len for line in lines), default=0)


def fit(text: Text, width: int, right: bool = False) -> Text:
    """Exactly so wide: cut with an ellipsis, or filled up."""
    made = text.copy()
    made.truncate(max(width, 0), overflow="ellipsis")
    room = width - made.cell_len
    if room > 0 and right:
        made.pad_left(room)
    elif room > 0:
        made.pad_right(room)
    return made


def beside(blocks: Sequence[Lines], gap: int = 1) -> Lines:
    """Blocks next to each other, their tops in one line."""
    widths = [width_of(block) for block in blocks]
    space = Text(" " * gap)
    rows = zip_longest(*blocks, fillvalue=Text(""))
    return [space.join(fit(line, width) for line, width in zip(row, widths, strict=True)) for row in rows]


def heading(title: str, width: int) -> Lines:
    return [Text(plain(f"-- {title} ").ljust(width, "-")[:width], style="dim")] if title else []


def wrapped(text: Text, width: int) -> Lines:
    """The text on as many lines as it takes, broken between words."""
    lines = text.wrap(Console(width=width), width, no_wrap=False)
    for line in lines:
        line.rstrip()
    return list(lines)


def hanging(text: Text, width: int) -> Lines:
    """The same, with all lines but the first set in."""
    if text.cell_len <= width:
        return [text]
    first, *more = wrapped(text, width - HANG)
    return [first, *(Text(" " * HANG).append_text(line) for line in more)]


def flowing(items: Sequence[Text], width: int, gap: str) -> Lines:
    """Items one after the other, as many on a line as fit whole."""
    lines: Lines = []
    for item in items:
        if lines and lines[-1].cell_len + len(gap) + item.cell_len <= width:
            lines[-1].append(gap, style="dim").append_text(item)
        else:
            lines.append(item.copy())
    return [fit(line, min(width, line.cell_len)) for line in lines]


def columns(items: Sequence[Text], count: int, width: int, gap: int = 1) -> Lines:
    """Items in so many columns of equal width, read from top to bottom."""
    each = (width - gap * (count - 1)) // count
    tall = -(-len(items) // count)
    blocks = [[fit(item, each) for item in items[start : start + tall]] for start in range(0, len(items), tall)]
    return beside(blocks, gap)


def packed(items: Sequence[Text], width: int, tall: int, gap: int = 2) -> Lines:
    """Items in as few columns as it takes to stay within `tall` lines, if they fit into the width at all."""
    widest = width_of(items)
    most = max(1, (width + gap) // (widest + gap))
    for count in range(1, most + 1):
        if -(-len(items) // count) <= tall or count == most:
            natural = min(width, count * widest + gap * (count - 1))
            return columns(items, count, natural, gap)
    return list(items)


def least_width(rows: Sequence[Sequence[Text]]) -> int:
    """The columns a table takes with its values whole, and as much of its headers as can be distinguished."""
    widths: list[int] = []
    for head, *cells in zip(*rows, strict=True):
        widths.append(max([min(head.cell_len, HEADER), *(cell.cell_len for cell in cells)]))
    return sum(widths) + len(widths) - 1


def table(rows: Sequence[Sequence[Text]], width: int, right: Sequence[bool], gap: int = 2) -> Lines:
    """Rows of cells, the first row being headers; where it gets too wide, headers are cut before values."""
    widths = [max((row[i].cell_len for row in rows), default=0) for i in range(len(rows[0]))]
    values = [max((row[i].cell_len for row in rows[1:]), default=0) for i in range(len(rows[0]))]
    gap = gap if sum(widths) + gap * (len(widths) - 1) <= width else 1
    while sum(widths) + gap * (len(widths) - 1) > width and max(widths) > 1:
        loose = [max(0, w - max(v, 2)) for w, v in zip(widths, values, strict=True)]
        widths[max(range(len(widths)), key=lambda i: (loose[i], widths[i]))] -= 1
    space = Text(" " * gap)
    return [space.join(fit(c, w, r) for c, w, r in zip(row, widths, right, strict=True)) for row in rows]
