"""The one door to the terminal: everything shown passes through here, and is rid of what could steer it.

And lines of text laid out in columns, counted in columns of the terminal.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

from edict.apps.cli.command_errors import Leave, Saved
from edict.apps.cli.option_values import in_colours
from edict.support.rendering import escape_terminal

Lines = list[Text]
HEADER = 4  # columns of a header that are enough
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
    return [Text(escape_terminal(f"-- {title} ").ljust(width, "-")[:width], style="dim")] if title else []


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


def table(rows: Sequence[Sequence[Text]], width: int, right: Sequence[bool]) -> Lines:
    """Rows of cells, the first row being headers; where it gets too wide, headers are cut before values."""
    widths = [max((row[i].cell_len for row in rows), default=0) for i in range(len(rows[0]))]
    values = [max((row[i].cell_len for row in rows[1:]), default=0) for i in range(len(rows[0]))]
    gap = 2 if sum(widths) + 2 * (len(widths) - 1) <= width else 1
    while sum(widths) + gap * (len(widths) - 1) > width and max(widths) > 1:
        least = [max(v, min(row.cell_len, HEADER)) for v, row in zip(values, rows[0], strict=True)]
        loose = [max(0, w - each) for w, each in zip(widths, least, strict=True)]
        widths[max(range(len(widths)), key=lambda i: (loose[i], widths[i]))] -= 1
    space = Text(" " * gap)
    return [space.join(fit(c, w, r) for c, w, r in zip(row, widths, right, strict=True)) for row in rows]


HUES = ("cyan", "yellow", "magenta", "green", "red", "blue")
SMALLEST = (40, 10)
WIPE = "\x1b[H\x1b[2J\x1b[3J"  # the screen, and what was scrolled off it


class Screen:
    """A terminal or a stream of plain lines.

    `alive` screens can be cleared and redrawn; on others every line just follows the one before.
    """

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
            no_color=simple or not in_colours(sys.stdout),
            color_system="auto" if terminal and not simple else None,
            legacy_windows=False,
        )
        self.asking = False  # whether somebody may be typing
        self.shared = False  # whether several people type here, who may have secrets from each other
        self.players = tuple(players)
        names = "|".join(re.escape(name) for name in sorted(players, key=len, reverse=True))
        self._names = re.compile(rf"(?<!\w)(?:{names})(?!\w)") if names else None

    # --- out

    @property
    def width(self) -> int:
        return max(SMALLEST[0], shutil.get_terminal_size((100, 30)).columns)

    @property
    def height(self) -> int:
        return max(SMALLEST[1], shutil.get_terminal_size((100, 30)).lines)

    def hue(self, seat: int) -> str:
        """The style of a player's name."""
        return f"bold {HUES[seat % len(HUES)]}"

    def name(self, seat: int, room: int) -> Text:
        """A player's name, or as much of it as there is room for."""
        return Text(self.text(self.players[seat]).plain[:room], style=self.hue(seat))

    def text(self, words: str, style: str = "") -> Text:
        """Words to be shown, with the players' names in their colours."""
        text = Text(escape_terminal(words).replace("\n", " "), style=style, no_wrap=True, overflow="fold", end="")
        if self._names is not None:
            for found in self._names.finditer(text.plain):
                text.stylize(self.hue(self.players.index(found.group())), *found.span())
        return text

    def say(self, *lines: str | Text, style: str = "") -> None:
        """Each line on a line of its own, wrapped at words where it is too long."""
        for line in lines:
            text = self.text(line, style) if isinstance(line, str) else line
            for part in [text] if self.simple else text.wrap(self.console, self.width, no_wrap=False):
                part.rstrip()
                self._write(part)

    def draw(self, lines: Iterable[Text]) -> None:
        """Lines that have been laid out already."""
        for line in lines:
            line.rstrip()
            self._write(line)

    def _write(self, text: Text) -> None:
        """The last door: whatever still could steer the terminal is stopped here."""
        if text.plain != escape_terminal(text.plain):
            text = Text(escape_terminal(text.plain))
        if self.simple:
            print(text.plain.rstrip(), file=self.console.file, flush=self.flush)
            return
        text.no_wrap, text.end = True, "\n"
        self.console.print(text, soft_wrap=True)

    def fresh(self) -> None:
        """Begin at the top; what was shown may still be scrolled back to."""
        if self.alive:
            self.console.file.write("\x1b[H\x1b[2J")
            self.console.file.flush()

    def clear(self) -> None:
        """Make what was shown disappear, as far as this screen can."""
        if self.alive:
            self.console.file.write(WIPE)
            self.console.file.flush()
        else:
            self.say(*[""] * 60)

    # --- in

    def ask(self, prompt: str) -> str:
        """A line typed by whoever is at the keyboard.

        Raises `Leave` at the end of input and on Ctrl-C, `Saved` when rules were saved meanwhile.
        """
        try:
            line = self._line(escape_terminal(prompt))
        except EOFError:
            self._write(Text(""))
            raise Leave from None
        except KeyboardInterrupt:
            self._write(Text(""))
            raise Leave(stopped=True) from None
        except Saved:
            self._write(Text(""))
            raise
        if not sys.stdin.isatty():
            self.say(line)
        return line.strip()

    def wait(self) -> None:
        """Wait until the person at the keyboard has read what is shown; without one, return at once."""
        if sys.stdin.isatty():
            self.ask("Press Enter to continue. ")

    def _line(self, prompt: str) -> str:
        try:
            self.asking = True
            return input(prompt) if self._edits() else _read(prompt)
        finally:
            self.asking = False

    def _edits(self) -> bool:
        """Whether a line can be edited while it is typed; what several people typed is kept from each other."""
        if not self.alive:
            return False
        try:
            import readline
        except ImportError:
            return False
        readline.set_auto_history(not self.shared)
        if self.shared:
            readline.clear_history()
            readline.parse_and_bind(r'"\C-y": self-insert')  # what was cut from a line before
        return True


def _read(prompt: str) -> str:
    """A line as it comes. (`input` would stop at a null character, and join the rest with the next line.)"""
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line
