"""What makes YAML unreadable, found by changing a line until it can be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from edict.report import Diagnostic, Edit
from edict.text import Source, Span

_ENTRY = re.compile(r"(?P<lead>\s*(?:- +)?)(?P<key>[A-Za-z][\w-]*):(?P<gap> *)(?P<value>.*?)\s*\Z")
_ITEM = re.compile(r"(?P<lead>\s*- +)(?P<value>.*?)\s*\Z")
_NO_COLON = re.compile(r"""(?P<key>\s*(?:- +)?[A-Za-z][\w-]*)(?:\s+(?P<value>[\w"'{\[][^:]*))?\s*""")
LONGEST = 50_000  # characters of a file in which remedies are looked for
END = 1 << 30
Reading = Callable[[str], int]
"""The line in which a text cannot be read any further; `END` if it can."""


@dataclass(frozen=True)
class Change:
    """A line as it may be meant, and what is wrong with it as it is; exact: a sign is all that is missing."""

    line: str
    title: str
    note: str = ""
    spaces: int | None = None  # at its beginning, if those are what is wrong
    exact: bool = False


def remedy(source: Source, at: int, since: int, reading: Reading) -> Diagnostic | None:
    """What is said of YAML that cannot be read at a line, if a change of that line or one near it helps.

    since: the line in which what cannot be read begins.
    """
    if len(source.text) > LONGEST:
        return None
    lines = source.text.split("\n")
    for changes in (_colons, _changes):
        for number in dict.fromkeys((since, at, at - 1, at - 2)):
            for change in changes(lines, number) if 0 < number <= len(lines) else ():
                tried = "\n".join([*lines[: number - 1], change.line, *lines[number:]])
                if reading(tried) > max(at, number):
                    return _told(source, number, lines[number - 1], change)
    return None


def _told(source: Source, number: int, line: str, change: Change) -> Diagnostic:
    start = len(line) - len(line.lstrip())
    shown = Span(source.name, number, start + 1, number, len(line.rstrip()) + 1)
    whole = Span(source.name, number, 1, number, len(line) + 1)
    return Diagnostic(
        "E0140", change.title, shown, note=change.note,
        help=f"write `{change.line.strip()}`{_before_it(change.spaces)}",
        edits=(Edit(whole, change.line),), exact=change.exact,
    )  # fmt: skip


def _margins(lines: list[str], number: int) -> Iterator[int]:
    """How far a line may be indented: into what the line before opens, as that line, or as the next one."""
    before = next((one for one in reversed(lines[: number - 1]) if one.strip()), "")
    after = next((one for one in lines[number:] if one.strip()), "")
    lead = len(before) - len(before.lstrip())
    if before.rstrip().endswith(":"):
        yield lead + 2
    yield from (lead, len(after) - len(after.lstrip()), 0)


def _colons(lines: list[str], number: int) -> Iterator[Change]:
    """A line that opens what is indented under it, or an item of a list, whose first word lacks its colon."""
    found = _NO_COLON.fullmatch(lines[number - 1])
    if found:
        key = found["key"]
        title = f"a colon is missing after `{key.split()[-1]}`"
        yield Change(f"{key}: {found['value'] or ''}".rstrip(), title, exact=True)


def _changes(lines: list[str], number: int) -> Iterator[Change]:
    """The ways in which a line may be meant, the likeliest first."""
    line = lines[number - 1]
    lead = line[: len(line) - len(line.lstrip())]
    if "\t" in lead:
        for n in dict.fromkeys(_margins(lines, number)):
            yield Change(" " * n + line.lstrip(), "a line begins with a tab, and YAML takes spaces only", spaces=n)
    found = _ENTRY.match(line) or _ITEM.match(line)
    head, value = (line[: found.start("value")], found["value"]) if found else ("", "")
    if found and value and head.endswith(":"):
        yield Change(f"{head} {value}", f"a space is missing after `{found['key']}:`", exact=True)
    yield from _moved(lines, number)
    if found is None:
        return
    if value[:1] in "[{" and value[:1]:
        close = {"[": "]", "{": "}"}[value[0]]
        note = "Lists stand in square brackets." if close == "]" else ""
        yield Change(f"{head}{value}{close}", f"`{value[0]}` is opened here and not closed", note)
    if value.count('"') % 2:
        yield Change(f'{head}{value}"', "this text has no closing quote")
    inner = value.strip("'\"").replace("\\", "\\\\").replace('"', '\\"')
    if value:
        yield Change(f'{head}"{inner}"', "this text must be in double quotes", _why(value))


def _moved(lines: list[str], number: int) -> Iterator[Change]:
    """The line where its neighbours begin."""
    line = lines[number - 1]
    own = len(line) - len(line.lstrip())
    beside = [len(one) - len(one.lstrip()) for one in lines[max(0, number - 3) : number + 2] if one.strip()]
    for lead in dict.fromkeys(beside):
        if lead != own and line.strip():
            title = f"this line begins after {_spaces(own)}, its neighbours after {lead}"
            yield Change(" " * lead + line.strip(), title, spaces=lead)


def _before_it(spaces: int | None) -> str:
    if spaces is None:
        return ""
    return f", with {_spaces(spaces)} before it" if spaces else " at the left edge"


def _spaces(count: int) -> str:
    return "1 space" if count == 1 else f"{count} spaces"


def _why(value: str) -> str:
    if ": " in value or value.endswith(":"):
        return "A `:` begins a value, unless it is in quotes."
    if value[0] == "'":
        return "A `'` ends a text that begins with one."
    return f"`{value[0]}` has a meaning of its own in YAML."
