"""What a program has beside its code, as it is gathered: causes, questions, announcements, queries, reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from edict.compiler.codegen.core import Procedure
from edict.compiler.sources.folders import Module
from edict.runtime.program import Cause, Question, Say, Type
from edict.runtime.program.reasons import Check, Demand, Measure, Reasons
from edict.support.morphology import split_title
from edict.support.text import Source, Span


@dataclass(frozen=True)
class Queried:
    """A query to be: its code, and what it gives."""

    procedure: Procedure
    type: Type


@dataclass(frozen=True)
class ProgramParts:
    """All of it so far, each under the number it has in the program; `sources`: the texts of the rules."""

    sources: Mapping[str, Source]
    homes: Mapping[str, str]  # the modules of the files; those of the game itself have none
    causes: list[Cause] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    says: list[Say] = field(default_factory=list)
    queries: list[Queried] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    demands: list[Demand] = field(default_factory=list)
    measures: list[Measure] = field(default_factory=list)
    values: list[Measure] = field(default_factory=list)
    when: dict[int, str] = field(default_factory=dict)
    parts: dict[int, str] = field(default_factory=dict)
    totals: dict[str, tuple[int, ...]] = field(default_factory=dict)
    shift_words: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    known: dict[object, int] = field(default_factory=dict)  # the numbers of what is the same each time

    @classmethod
    def of(cls, modules: tuple[Module, ...]) -> ProgramParts:
        homes = {s.name: m.manifest.name for m in modules if m.manifest.kind != "game" for s in m.sources}
        return cls({s.name: s for m in modules for s in m.sources}, homes)

    def cause(self, name: str, title: str, span: Span, asks: bool, unseen: int, called: bool = False) -> int:
        key = (name, title, span.file, span.line, span.column, asks, unseen, called)
        number = self.known.get(key)
        if number is None:
            where = (span.file, span.line, span.column)
            cause = Cause(name, split_title(title)[0].replace("_ ", ""), *where, asks, unseen, called)
            number = self.known[key] = self.known.setdefault(cause, len(self.causes))
            if number == len(self.causes):
                self.causes.append(cause)
        return number

    def changed(self, number: int, **changes: Any) -> int:
        """The cause of this number where something else holds besides: that it pays, or that nobody sees it."""
        cause = replace(self.causes[number], **changes)
        new = self.known.setdefault(cause, len(self.causes))
        if new == len(self.causes):
            self.causes.append(cause)
        return new

    def say(self, text: str, of: Type | None, last: bool, panel: int = -1) -> int:
        say = Say(text, of, last, panel)
        if say not in self.known:
            self.known[say] = len(self.says)
            self.says.append(say)
        return self.known[say]

    def query(self, procedure: Procedure, gives: Type) -> int:
        self.queries.append(Queried(procedure, gives))
        return len(self.queries) - 1

    def check(self, check: Check) -> int:
        self.checks.append(check)
        return len(self.checks) - 1

    def reasons(self) -> Reasons:
        files = {cause.file for cause in self.causes}
        homes = tuple((file, module) for file, module in self.homes.items() if file in files)
        lists = tuple(self.checks), tuple(self.demands), tuple(self.measures)
        named = tuple(self.when.items()), tuple(self.parts.items()), tuple(self.totals.items())
        return Reasons(*lists, *named, homes, tuple(self.values))
