"""A moment to look, drawn: the panel as it stood then, and of each player what counted, what was won and lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.text import Text

from edict.cli.playing.board import Board
from edict.cli.playing.columns import Lines, heading, wrapped
from edict.cli.playing.screen import Screen
from edict.table.panels import Summary
from edict.table.log_entries import Won, Term

INDENT = 2


def drawn(screen: Screen, summary: Summary, seat: int) -> Lines:
    """The summary in lines; `seat` is whoever looks, or -1."""
    board = Board(screen, "", [replace(summary.panel, title="")], (), seat)
    return [*heading(summary.title, screen.width), *board.lines(), *_of_players(screen, summary)]


def _of_players(screen: Screen, summary: Summary) -> Iterator[Text]:
    """A line a player: `Ann: strength 4 + 1 Guard Tower; +1 stone (Goblins); +1 VP (The Battle)`."""
    columns = [title.casefold() for title in summary.panel.header]
    shown = [change for change in summary.changes if change.title.casefold() in columns]
    changes = shown or summary.changes
    terms = [term for term in summary.terms if any(title in term.quantity.casefold() for title in columns)]
    for seat, name in enumerate(screen.players):
        parts = [*_sums([term for term in terms if term.seat == seat]), *_told([c for c in changes if c.seat == seat])]
        if parts:
            yield from _hanging(screen, f"{name}: {'; '.join(parts)}")


def _sums(terms: Sequence[Term]) -> Iterator[str]:
    """What a quantity was made up of; where it is nothing but itself, the table has it already."""
    for quantity in dict.fromkeys(term.quantity for term in terms):
        mine = [term for term in terms if term.quantity == quantity]
        if len(mine) > 1:
            first, *more = mine
            yield " ".join([f"{quantity} {first.amount}", *(_term(term) for term in more)])


def _term(term: Term) -> str:
    return f"{'-' if term.amount < 0 else '+'} {abs(term.amount)} {term.cause.title or term.cause.name}"


def _told(changes: Sequence[Won]) -> Iterator[str]:
    """By resource, what changed it: `+9 VP: +8 Construct a building, +1 Fortress`, or `+1 wood (Inn)` if just one."""
    for title in dict.fromkeys(change.title for change in changes):
        mine = [change for change in changes if change.title == title and change.amount]
        if len(mine) == 1:
            yield f"{mine[0].words} ({mine[0].cause.title or mine[0].cause.name})"
        elif mine:
            net = sum(change.amount for change in mine)
            sources = ", ".join(f"{change.amount:+} {change.cause.title or change.cause.name}" for change in mine)
            yield f"{net:+} {title.partition('/')[0]}: {sources}"


def _hanging(screen: Screen, words: str) -> Iterator[Text]:
    first, *more = wrapped(screen.text(words), screen.width - INDENT)
    yield first
    for line in more:
        yield Text(" " * INDENT).append_text(line)
