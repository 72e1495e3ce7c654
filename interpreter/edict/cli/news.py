"""What happened, told briefly: one line a deed, with what caused it, repetitions left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edict.table.log import CHOICE, GAIN, LUCK, PHASE, SAID, SHOWN, Entry


@dataclass(frozen=True, slots=True)
class Line:
    """A line to be shown; headings name the phase that begins."""

    text: str
    cause: str = ""
    heading: bool = False


def told(entries: Sequence[Entry]) -> list[Line]:
    """The entries as lines."""
    kept = [e for i, e in enumerate(entries) if not _repeated(e, entries[i + 1 : i + 3])]
    lines: list[Line] = []
    place = 0
    while place < len(kept):
        run = _run(kept, place)
        lines.append(_line(run))
        place += len(run)
    return lines


def _repeated(entry: Entry, following: Sequence[Entry]) -> bool:
    """Whether what comes next says it again: a choice that is announced, dice that are named with their owner."""
    if entry.kind not in (CHOICE, LUCK) or not following:
        return False
    after = [e for e in following if e.kind != CHOICE or e.seat != entry.seat][:1]
    name, _, words = entry.text.partition(": ")
    if entry.rolled:
        # A second kind of die of the same roll may come in between.
        return any(e.kind == SAID and words.split()[0] in e.text.split() for e in following)
    if entry.kind == LUCK:
        return False
    return any(
        e.kind == SAID and e.text.startswith(f"{name} ") or e.kind == GAIN and e.seat == entry.seat and words in e.text
        for e in after
    )


def _run(entries: Sequence[Entry], start: int) -> list[Entry]:
    """An entry with those after it that go into the same line."""
    first = entries[start]
    run = [first]
    for entry in entries[start + 1 :]:
        phases = first.kind == entry.kind == PHASE
        gains = first.kind == entry.kind == GAIN and (first.seat, first.cause.title) == (entry.seat, entry.cause.title)
        if not (phases or gains and first.seat >= 0):
            break
        run.append(entry)
    return run


def _line(run: Sequence[Entry]) -> Line:
    first = run[0]
    if first.kind == PHASE:
        return Line(" > ".join(entry.text for entry in run), heading=True)
    text = first.text
    owner = text.split(" ", 1)[0]
    for entry in run[1:]:
        text += f", {_without_owner(entry.text, text, owner)}"
    cause = first.cause.title or ""
    known = first.kind not in (GAIN, SHOWN) or cause == first.phase or cause in text
    return Line(text, "" if known else cause)


def _without_owner(text: str, told_: str, owner: str) -> str:
    """`Ann gains 1 x` after `Ann gains 1 y`: `1 x`; after `Ann loses 1 y`: `gains 1 x`."""
    rest = text.split(" ")
    before = told_.split(" ")
    same = 0
    while same < min(len(rest), len(before)) and rest[same] == before[same]:
        same += 1
    verb = rest[same - 1] if same else ""
    last_verb = [word for word in before if word in ("gains", "loses")][-1:]
    if last_verb and verb == last_verb[0]:
        return " ".join(rest[same:])
    return text.removeprefix(f"{owner} ")
