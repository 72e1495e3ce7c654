"""What happened, in brief: one line per event, with what caused it; what is said again is left out or counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, takewhile

from edict.table.log import CHOICE, GAIN, LUCK, PHASE, SAID, SHOWN, Entry
from edict.table.wording import Amount

AHEAD = 5  # entries in which a choice may be said again


@dataclass(frozen=True, slots=True)
class Line:
    """A line to be shown; headings name the phase that begins."""

    text: str
    cause: str = ""
    heading: bool = False
    entries: tuple[Entry, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{self.text} ({self.cause})" if self.cause else self.text


def news_lines(entries: Sequence[Entry], players: Sequence[str]) -> list[Line]:
    """The entries as lines."""
    kept = [e for i, e in enumerate(entries) if not _repeated(e, entries[i + 1 : i + 1 + AHEAD])]
    lines = [line for _, run in groupby(kept, key=_alike) for line in _lines(list(run), players)]
    return [_counted(list(alike)) for _, alike in groupby(lines)]


def _counted(alike: Sequence[Line]) -> Line:
    """Equal lines that follow each other as one that says how often."""
    entries = tuple(entry for line in alike for entry in line.entries)
    often = f" (×{len(alike)})" if len(alike) > 1 else ""
    return replace(alike[0], text=f"{alike[0].text}{often}", entries=entries)


def _repeated(entry: Entry, following: Sequence[Entry]) -> bool:
    """Whether what comes next says it again: a choice that is announced, dice that are named with their owner."""
    name, _, words = entry.text.partition(": ")
    name = name.removesuffix(" has no choice")
    if entry.kind == LUCK:
        return entry.rolled and any(e.kind == SAID and words.split(" ")[0] in e.text.split() for e in following)
    if entry.kind != CHOICE or entry.seat < 0:
        return False
    after = list(takewhile(lambda e: e.kind != PHASE and (e.kind != CHOICE or e.seat == entry.seat), following))
    said = any(e.kind == SAID and e.text.startswith(f"{name} ") for e in after)
    first = words.split(" and ")[0]
    return said or any(e.kind == GAIN and e.seat == entry.seat and first in e.text for e in after[:1])


def _alike(entry: Entry) -> tuple[str, int, str]:
    """What entries in one line have in common: phases, or what one player gains and loses by one rule."""
    if entry.kind == PHASE:
        return (PHASE, -1, "")
    return (GAIN, entry.seat, entry.cause.title) if entry.kind == GAIN and entry.seat >= 0 else ("", id(entry), "")


def _lines(run: list[Entry], players: Sequence[str]) -> Iterator[Line]:
    first = run[0]
    if first.kind == PHASE:
        inner = [later.level for later in run[1:]] + [first.level + len(run)]
        kept = [entry.text for entry, level in zip(run, inner, strict=True) if level > entry.level]  # others are empty
        yield Line(" > ".join(kept or [run[-1].text]), heading=True, entries=(run[-1],))
        return
    owner = players[first.seat] if first.seat >= 0 else ""
    text = _together(run, f"{owner} ") if owner and first.kind == GAIN else first.text
    cause = first.cause.title
    needed = first.kind in (GAIN, SHOWN) and cause != first.phase and cause not in text
    yield Line(text, cause if needed else "", entries=tuple(run))


def _together(run: Sequence[Entry], owner: str) -> str:
    """`Ann loses 1 x and gains 2 y, 1 z`, whether she gained the 2 y at once or one by one."""
    deeds = [(*entry.text.removeprefix(owner).partition(" ")[::2], entry.amount) for entry in run]
    return owner + " and ".join(f"{verb} {_added_up(group)}" for verb, group in groupby(deeds, key=lambda d: d[0]))


def _added_up(deeds: Iterable[tuple[str, str, Amount | None]]) -> str:
    """What of the same is gained or lost step by step, as one amount; in the order in which it first came."""
    sums: dict[str, Amount | str] = {}
    for _, words, amount in deeds:
        key = amount.one if amount is not None else words
        so_far = sums.get(key)
        if amount is not None and isinstance(so_far, Amount):
            amount = replace(amount, number=so_far.number + amount.number)
        sums[key] = amount or words
    return ", ".join(str(one) for one in sums.values())
