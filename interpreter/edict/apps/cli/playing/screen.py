"""The terminal and the layout of lines on it, measured in columns.

All output of a game passes through `Screen`, which removes control characters.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from edict.apps.cli.command_errors import PlayerLeaves, RulesSaved
from edict.apps.cli.shared_options import uses_color
from edict.support.rendering import escape_terminal
from edict.support.translations.texts import translate

Lines = list[Text]
HEADER = 4  # least legible columns of a heading
HANG = 4  # indent of the rest of a long line


def lines_width(lines: Sequence[Text]) -> int:
    """Return the width of the widest line."""
    return max((line.cell_len for line in lines), default=0)


def fit(text: Text, width: int, right: bool = False) -> Text:
    """Return a copy of exactly some width, cut with an ellipsis or padded."""
    copy = text.copy()
    copy.truncate(max(width, 0), overflow="ellipsis")
    padding = width - copy.cell_len
    if padding > 0 and right:
        copy.pad_left(padding)
    elif padding > 0:
        copy.pad_right(padding)
    return copy


def place_side_by_side(blocks: Sequence[Lines], gap: int = 1) -> Lines:
    """Return blocks next to each other, aligned at the top."""
    widths = [lines_width(block) for block in blocks]
    space = Text(" " * gap)
    rows = zip_longest(*blocks, fillvalue=Text(""))
    return [space.join(fit(line, width) for line, width in zip(row, widths, strict=True)) for row in rows]


def heading_lines(title: str, width: int) -> Lines:
    """Return a heading filled up with hyphens; nothing without a title."""
    if title:
        return [Text(escape_terminal(f"-- {title} ").ljust(width, "-")[:width], style="dim")]
    return []


def wrap(text: Text, width: int) -> Lines:
    """Return the text in lines, broken between words."""
    lines = text.wrap(Console(width=width), width, no_wrap=False)
    for line in lines:
        line.rstrip()
    return list(lines)


def wrap_hanging(text: Text, width: int, indent: int = HANG) -> Lines:
    """Return the text in lines, broken between words, with all but the first indented."""
    if text.cell_len <= width:
        return [text]
    first = wrap(text, width)[0]
    rest = text[len(first.plain) :]
    more = wrap(rest[len(rest.plain) - len(rest.plain.lstrip()) :], width - indent)
    return [first, *(Text(" " * indent).append_text(line) for line in more)]


def flow(items: Sequence[Text], width: int, gap: str) -> Lines:
    """Return items in running text, as many on a line as fit whole."""
    lines: Lines = []
    for item in items:
        if lines and lines[-1].cell_len + len(gap) + item.cell_len <= width:
            lines[-1].append(gap, style="dim").append_text(item)
        else:
            lines.append(item.copy())
    return [fit(line, min(width, line.cell_len)) for line in lines]


def arrange_columns(items: Sequence[Text], count: int, width: int, gap: int = 1) -> Lines:
    """Return items in a number of columns of equal width, read from top to bottom."""
    return arrange_blocks([[item] for item in items], count, width, gap)


def arrange_blocks(blocks: Sequence[Lines], count: int, width: int, gap: int) -> Lines:
    """Return blocks of lines in a number of columns of equal width, none divided, as low as possible."""
    column_width = (width - gap * (count - 1)) // count
    height = max([-(-sum(map(len, blocks)) // count), *map(len, blocks)])
    while len(columns := _fill_columns(blocks, height)) > count:
        height += 1
    return place_side_by_side([[fit(line, column_width) for line in column] for column in columns], gap)


def _fill_columns(blocks: Sequence[Lines], height: int) -> list[Lines]:
    """Return columns of at most some height, each filled with blocks before the next."""
    columns: list[Lines] = []
    for block in blocks:
        if columns and len(columns[-1]) + len(block) <= height:
            columns[-1] += block
        else:
            columns.append([*block])
    return columns


def flow_blocks(draw_blocks: Callable[[int], Sequence[Lines]], width: int, least: int, gap: int = 2) -> Lines:
    """Return blocks in the number of columns that makes them lowest.

    Args:
        draw_blocks: Draws the blocks for a width.
        width: The columns of the screen.
        least: The least width of a column of blocks.
        gap: The space between columns.
    """
    layouts: list[Lines] = []
    for count in range(1, max(1, (width + gap) // (least + gap)) + 1):
        layouts.append(arrange_blocks(draw_blocks((width - gap * (count - 1)) // count), count, width, gap))
    return min(layouts, key=len)


def pack_columns(items: Sequence[Text], width: int, height: int, gap: int = 2) -> Lines:
    """Return items in as few columns as keep them within a height, limited by the width."""
    widest = lines_width(items)
    max_columns = max(1, (width + gap) // (widest + gap))
    for count in range(1, max_columns + 1):
        if -(-len(items) // count) <= height or count == max_columns:
            needed_width = min(width, count * widest + gap * (count - 1))
            return arrange_columns(items, count, needed_width, gap)
    return list(items)


def min_table_width(rows: Sequence[Sequence[Text]]) -> int:
    """Return the width of a table with the longest word of each column whole."""
    widths = [max(map(_longest_word, column)) for column in zip(*rows, strict=True)]
    return sum(widths) + len(widths) - 1


def _longest_word(cell: Text) -> int:
    """Return the width of the longest word of a cell."""
    return max((cell_len(word) for word in cell.plain.split()), default=0)


def layout_table(rows: Sequence[Sequence[Text]], width: int, right: Sequence[bool]) -> Lines:
    """Return rows of cells as lines; long cells are wrapped, and headings, the first row, are cut before values.

    Args:
        rows: The rows, headings first.
        width: The columns of the screen.
        right: Whether each column is aligned to the right.
    """
    columns = list(zip(*rows, strict=True))
    widths = [lines_width(column) for column in columns]
    gap = 2 if sum(widths) + 2 * (len(widths) - 1) <= width else 1
    room = width - gap * (len(widths) - 1)
    _shrink_widths(widths, [max(map(_longest_word, column)) for column in columns], room)
    _shrink_widths(
        widths, [max([*map(_longest_word, column[1:]), min(HEADER, column[0].cell_len)]) for column in columns], room
    )
    _shrink_widths(widths, [1] * len(widths), room)
    space = Text(" " * gap)
    lines: Lines = []
    for row in rows:
        cells = [_wrap_cell(cell, column_width) for cell, column_width in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=Text("")):
            lines.append(space.join(fit(*part) for part in zip(parts, widths, right, strict=True)))
    return lines


def _shrink_widths(widths: list[int], minimums: Sequence[int], room: int) -> None:
    """Narrow the columns with the most slack, in place, until they fit into `room` or have their minimum."""
    while sum(widths) > room:
        slack = [column_width - minimum for column_width, minimum in zip(widths, minimums, strict=True)]
        if max(slack) <= 0:
            return
        widths[max(range(len(widths)), key=lambda i: (slack[i], widths[i]))] -= 1


def _wrap_cell(cell: Text, width: int) -> Lines:
    """Return a cell in lines, broken between words; a word that is too long stays whole, to be cut."""
    if cell.cell_len <= width or _longest_word(cell) > width:
        return [cell]
    return wrap(cell, width)


COLORS = ("cyan", "yellow", "magenta", "green", "red", "blue")
MIN_SIZE = (40, 10)  # columns and lines
CLEAR_SEQUENCE = "\x1b[H\x1b[2J\x1b[3J"  # clears the screen and what was scrolled off it


class ScreenResized(Exception):
    """A signal that the terminal has another size than the page that was drawn; `typed` is what was typed so far."""

    def __init__(self, typed: str = "") -> None:
        self.typed = typed
        super().__init__()


class Screen:
    """A terminal or a stream of plain lines."""

    def __init__(self, players: Sequence[str] = (), simple: bool = False) -> None:
        terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.alive = terminal and sys.stdin.isatty() and not simple
        self.simple = simple or not terminal
        self.flush = terminal or not sys.stdin.isatty()
        self.console = Console(
            file=sys.stdout,
            highlight=False,
            markup=False,
            emoji=False,
            force_terminal=terminal,
            no_color=simple or not uses_color(sys.stdout),
            color_system="auto" if terminal and not simple else None,
            legacy_windows=False,
        )
        self.asking = False  # whether the player is typing
        self.on_resize: Callable[[], None] | None = None  # draws the page again
        self._drawn_size = (self.width, self.height)  # of the terminal when the page was drawn
        self.shared = False  # whether several people share the keyboard, with secrets from each other
        self.players = tuple(players)
        names = "|".join(re.escape(name) for name in sorted(players, key=len, reverse=True))
        self._names = re.compile(rf"(?<!\w)(?:{names})(?!\w)") if names else None
        if self.alive and hasattr(signal, "SIGWINCH"):  # before readline is imported, which calls an earlier handler
            signal.signal(signal.SIGWINCH, self._handle_resize)

    # --- out

    @property
    def width(self) -> int:
        """Return the width in columns."""
        return max(MIN_SIZE[0], shutil.get_terminal_size((100, 30)).columns)

    @property
    def height(self) -> int:
        """Return the height in lines."""
        return max(MIN_SIZE[1], shutil.get_terminal_size((100, 30)).lines)

    def name_style(self, seat: int) -> str:
        """Return the style of a player's name."""
        return f"bold {COLORS[seat % len(COLORS)]}"

    def to_text(self, string: str, style: str = "") -> Text:
        """Return text with the names of players in color."""
        text = Text(escape_terminal(string).replace("\n", " "), style=style, no_wrap=True, overflow="fold", end="")
        if self._names is not None:
            for match in self._names.finditer(text.plain):
                text.stylize(self.name_style(self.players.index(match.group())), *match.span())
        return text

    def say(self, *lines: str | Text, style: str = "") -> None:
        """Print each line, wrapped between words."""
        for line in lines:
            text = self.to_text(line, style) if isinstance(line, str) else line
            for part in [text] if self.simple else text.wrap(self.console, self.width, no_wrap=False):
                part.rstrip()
                self._write(part)

    def draw(self, lines: Iterable[Text]) -> None:
        """Print lines that have been laid out already."""
        for line in lines:
            line.rstrip()
            self._write(line)

    def _write(self, text: Text) -> None:
        """Print a line after removing control characters once more."""
        if text.plain != escape_terminal(text.plain):
            text = Text(escape_terminal(text.plain))
        if self.simple:
            print(text.plain.rstrip(), file=self.console.file, flush=self.flush)
            return
        text.no_wrap, text.end = True, "\n"
        self.console.print(text, soft_wrap=True)

    def start_page(self) -> None:
        """Erase the visible screen in place and home the cursor, on a terminal only; the scrollback stays."""
        self._drawn_size = (self.width, self.height)
        if self.alive:
            self.console.file.write("\x1b[H\x1b[2J")
            self.console.file.flush()

    def clear(self) -> None:
        """Clear the screen and, if possible, what was scrolled off it; push lines up on a plain stream."""
        if self.alive:
            self.console.file.write(CLEAR_SEQUENCE)
            self.console.file.flush()
        else:
            self.say(*[""] * 60)

    # --- in

    def ask(self, prompt: str) -> str:
        """Return the line that the player types.

        If the terminal is resized meanwhile, `on_resize` is called and what was typed so far stays. Raises
        `PlayerLeaves` at the end of input and on Ctrl-C, `RulesSaved` if rules were saved meanwhile.
        """
        try:
            line = self._read_line_redrawing(escape_terminal(prompt))
        except EOFError:
            self._write(Text(""))
            raise PlayerLeaves from None
        except KeyboardInterrupt:
            self._write(Text(""))
            raise PlayerLeaves(interrupted=True) from None
        except RulesSaved:
            self._write(Text(""))
            raise
        if not sys.stdin.isatty():
            self.say(line)
        return line.strip()

    def wait(self) -> None:
        """Wait until the player has read the screen; return at once if input is no terminal."""
        if sys.stdin.isatty():
            self.ask(translate("Press Enter to continue.") + " ")

    def _handle_resize(self, number: int, frame: Any) -> None:
        """Interrupt the typing if the page can be drawn again."""
        if self.asking and self.on_resize is not None:
            readline = sys.modules.get("readline")
            raise ScreenResized(readline.get_line_buffer() if readline else "")

    def _read_line_redrawing(self, prompt: str) -> str:
        """Read a line from the player, and call `on_resize` whenever the terminal is resized."""
        typed = ""
        while True:
            try:
                return self._read_line(prompt, typed)
            except ScreenResized as resized:
                typed = resized.typed
                assert self.on_resize is not None
                self.on_resize()

    def _read_line(self, prompt: str, typed: str = "") -> str:
        """Read a line from the player, with editing if possible; `asking` is True meanwhile."""
        try:
            self.asking = True
            if self.on_resize is not None and self.alive and self._drawn_size != (self.width, self.height):
                raise ScreenResized(typed)
            if not self._can_edit_lines():
                return _read_plain_line(prompt)
            import readline

            readline.set_startup_hook((lambda: readline.insert_text(typed)) if typed else None)
            return input(prompt)
        finally:
            self.asking = False

    def _can_edit_lines(self) -> bool:
        """Return True if lines can be edited; if several people share the keyboard, their input history is cleared."""
        if not self.alive:
            return False
        try:
            import readline
        except ImportError:
            return False
        readline.set_auto_history(not self.shared)
        if self.shared:
            readline.clear_history()
            # disables the paste of text that was cut from an earlier line
            readline.parse_and_bind(r'"\C-y": self-insert')
        return True


def _read_plain_line(prompt: str) -> str:
    """Read a line as it is; `input` would stop at a null character and join the rest with the next line."""
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line
