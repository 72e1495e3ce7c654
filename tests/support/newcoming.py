"""Mistakes of newcomers, as they stand in `language/newcomers/`, laid over a small game, and what is said of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from edict.sources.folders import Manifest, Module
from edict.sources.modules import Modules
from edict.front.pipeline import understand
from edict.sources.strict_yaml import read_yaml
from edict.report import Diagnostic, edited
from edict.text import Source, Span

FOLDER = Path(__file__).parent.parent / "language" / "newcomers"
FILE = "house/rules.edict"


@dataclass(frozen=True)
class Mistake:
    """What somebody writes, and what is to be said of it.

    text: the rules; at: the stretch that is underlined; says: a pattern for title and reason; remedy: a phrase of
    the help; becomes: a line of the rules once the remedy was applied, after which nothing is wrong but `rest`.
    """

    name: str
    text: str
    at: str = ""
    says: str = ""
    remedy: str = ""
    becomes: str = ""
    rest: str = ""


@dataclass(frozen=True)
class Judged:
    """What was found of a mistake, and the points of it: place, reason and remedy, one each."""

    found: tuple[Diagnostic, ...]
    place: bool
    reason: bool
    remedy: bool
    alone: bool

    @property
    def points(self) -> int:
        return max(0, self.place + self.reason + self.remedy - (not self.alone))


def mistakes() -> Iterator[Mistake]:
    for file in sorted(FOLDER.glob("*.yaml")):
        written = read_yaml(Source(file.name, file.read_text(encoding="utf-8"))).unwrap()
        for number, entry in enumerate(written.data["mistakes"], 1):
            yield _mistake(f"{file.stem}-{number}", {key: str(value) for key, value in entry.items()})


def _mistake(name: str, entry: dict[str, Any]) -> Mistake:
    """`step` are steps of a player's turn, `when` is a condition, `value` a number of dice."""
    if "step" in entry:
        lines = "".join(f"    {line}\n" for line in entry.pop("step").split("\n"))
        text = f"when start of summer\n  each player\n{lines}"
    elif "when" in entry:
        text = f"adjust dice-rolled by 1 if {entry.pop('when')}\n"
    elif "value" in entry:
        text = f"adjust dice-rolled by {entry.pop('value')}\n"
    else:
        text = entry.pop("rules")
    return Mistake(name, text if text.endswith("\n") else text + "\n", **entry)


@cache
def _base() -> Modules:
    rules = (FOLDER / "game.edict").read_text(encoding="utf-8")
    manifest = Manifest("kingsburg", "Kingsburg", "1.0.0", "game")
    return (Module(manifest, Path("kingsburg"), (Source("kingsburg/rules.edict", rules),)),)


def found_in(text: str) -> tuple[Diagnostic, ...]:
    """Everything that is said of these rules over the game."""
    house = Module(Manifest("house", "House", "1.0.0", "module"), Path("house"), (Source(FILE, text),))
    return understand((*_base(), house)).diagnostics


def underlined(text: str, span: Span) -> str:
    lines = text.split("\n")
    if span.file != FILE or not 0 < span.line <= len(lines):
        return ""
    line = lines[span.line - 1]
    return line[span.column - 1 : span.end_column - 1 if span.end_line == span.line else len(line)]


def judged(mistake: Mistake) -> Judged:
    """What is said of a mistake, and how good that is."""
    found = found_in(mistake.text)
    return Judged(
        found,
        place=any(d.span.file == FILE and _near(mistake.at, underlined(mistake.text, d.span)) for d in found),
        reason=any(re.search(mistake.says, f"{d.title} {d.note}") for d in found),
        remedy=any(mistake.remedy in d.help for d in found) and mended(mistake, found) == "",
        alone=len(found) == 1,
    )


def _near(wanted: str, marked: str) -> bool:
    return not wanted or wanted == marked or (wanted in marked and len(marked) < len(wanted) + 12)


def mended(mistake: Mistake, found: Sequence[Diagnostic]) -> str:
    """What is still wrong after the remedies were applied that are given as edits; nothing, if all is well."""
    edits = [edit for d in found for edit in d.edits]
    if not edits:
        return "there is no edit" if mistake.becomes else ""
    text = edited(mistake.text, edits)
    if mistake.becomes and not any(mistake.becomes in line for line in text.split("\n")):
        return f"it becomes {text!r}"
    left = [d for d in found_in(text) if d.is_error]
    return "" if mistake.rest == "any" or all(d.code == mistake.rest for d in left) else f"{text!r} {left[0].title}"
