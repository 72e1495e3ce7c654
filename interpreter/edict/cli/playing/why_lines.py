"""What is said about reasons, on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from edict.cli.playing.columns import Lines
from edict.cli.playing.screen import Screen
from edict.table.why_options import Said

STEP = 4  # columns by which what explains a line stands further in


def lines(screen: Screen, said: Sequence[Said]) -> Lines:
    """Wrapped to the screen, each line's rest under its own beginning."""
    return [line for one in said for line in _wrapped(screen, one)]


def _wrapped(screen: Screen, said: Said) -> Iterator[Text]:
    text = screen.text(said.words, "bold" if said.level == 0 else "")
    if said.place:
        text.append("  " if said.words else "").append_text(screen.text(f"[{said.place}]", "not bold dim"))
    indent = 2 + STEP * (said.level - 1) if said.level else 0
    if screen.simple:
        yield Text(" " * indent).append_text(text)
        return
    if said.hang:
        yield from _hanging(screen, text, indent, said.hang)
        return
    for part in text.wrap(screen.console, screen.width - indent, no_wrap=False):
        part.rstrip()
        part.pad_left(indent)
        yield part


def _hanging(screen: Screen, text: Text, indent: int, hang: int) -> Iterator[Text]:
    """The first columns beside the rest, which is wrapped."""
    first, rest = text.divide([hang])
    for number, part in enumerate(rest.wrap(screen.console, screen.width - indent - hang, no_wrap=False)):
        part.rstrip()
        yield Text(" " * indent).append_text(first if number == 0 else Text(" " * hang)).append_text(part)


__all__ = ["lines"]
