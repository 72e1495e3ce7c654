"""The one door to the terminal: everything shown passes through here, and is rid of what could steer it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from edict.cli.errors import Leave, Saved
from edict.rendering import plain
from edict.resources import command

HUES = ("cyan", "yellow", "magenta", "green", "red", "blue")
SMALLEST = (40, 10)
WIPE = "\x1b[H\x1b[2J\x1b[3J"  # the screen, and what was scrolled off it


class Screen:
    """A terminal or a stream of plain lines.

    `alive` screens can be cleared and redrawn; on others every line just follows the one before.
    """

    def __init__(self, players: Sequence[str] = (), colour: bool = True, simple: bool = False) -> None:
        terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.alive = terminal and sys.stdin.isatty() and not simple
        self.simple = simple or not terminal
        self.flush = terminal or not sys.stdin.isatty()
        colour = colour and terminal and not simple and not os.environ.get("NO_COLOR")
        self.console = Console(
            file=sys.stdout, highlight=False, markup=False, emoji=False, no_color=not colour, force_terminal=terminal,
            color_system="auto" if terminal and not simple else None, legacy_windows=False,
        )  # fmt: skip
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
        text = Text(plain(words).replace("\n", " "), style=style, no_wrap=True, overflow="fold", end="")
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
        if text.plain != plain(text.plain):
            text = Text(plain(text.plain))
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
            line = self._line(plain(prompt))
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


def error(reason: str, remedy: str = "") -> None:
    """One message to standard error: what is wrong, and what to do about it."""
    print(plain(f"{command()}: {reason}"), file=sys.stderr)
    if remedy:
        print(plain(f"help: {remedy}"), file=sys.stderr)
