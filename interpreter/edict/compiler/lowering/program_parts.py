"""Collected parts of a program beside its code, with causes, questions, announcements, queries and reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from edict.compiler.codegen.core import Procedure
from edict.compiler.sources.folders import Module
from edict.runtime.program import AnnouncementPart, Cause, Question, ValueType
from edict.runtime.program.reasons import ComputedQuantity, ConditionCheck, OptionRequirement, Reasons
from edict.support.morphology import split_title
from edict.support.text import Source, Span


@dataclass(frozen=True)
class PendingQuery:
    """A query whose addresses are not known yet."""

    procedure: Procedure
    type: ValueType


@dataclass(frozen=True)
class ProgramParts:
    """The parts of a program under construction; the index in each list is the number in the program."""

    sources: Mapping[str, Source]  # texts of the rules by file
    file_modules: Mapping[str, str]
    causes: list[Cause] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    says: list[AnnouncementPart] = field(default_factory=list)
    queries: list[PendingQuery] = field(default_factory=list)
    checks: list[ConditionCheck] = field(default_factory=list)
    demands: list[OptionRequirement] = field(default_factory=list)
    measures: list[ComputedQuantity] = field(default_factory=list)
    values: list[ComputedQuantity] = field(default_factory=list)
    when: dict[int, str] = field(default_factory=dict)
    parts: dict[int, str] = field(default_factory=dict)
    totals: dict[str, tuple[int, ...]] = field(default_factory=dict)
    shift_words: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    numbers: dict[object, int] = field(default_factory=dict)

    @classmethod
    def from_modules(cls, modules: tuple[Module, ...]) -> ProgramParts:
        """Create empty parts for the rules of these modules."""
        homes = {s.name: m.manifest.name for m in modules if m.manifest.kind != "game" for s in m.sources}
        return cls({s.name: s for m in modules for s in m.sources}, homes)

    def add_cause(self, name: str, title: str, span: Span, asks: bool, unseen: int, called: bool = False) -> int:
        """Add a cause unless it exists, and return its number."""
        key = (name, title, span.file, span.line, span.column, asks, unseen, called)
        number = self.numbers.get(key)
        if number is None:
            location = (span.file, span.line, span.column)
            cause = Cause(name, split_title(title)[0].replace("_ ", ""), *location, asks, unseen, called)
            number = self.numbers[key] = self.numbers.setdefault(cause, len(self.causes))
            if number == len(self.causes):
                self.causes.append(cause)
        return number

    def derive_cause(self, number: int, **changes: Any) -> int:
        """Return the number of a cause with some fields changed, such as that it pays or is unseen."""
        cause = replace(self.causes[number], **changes)
        new = self.numbers.setdefault(cause, len(self.causes))
        if new == len(self.causes):
            self.causes.append(cause)
        return new

    def add_announcement(self, text: str, value_type: ValueType | None, last: bool, panel: int = -1) -> int:
        """Add a part of an announcement unless it exists, and return its number."""
        say = AnnouncementPart(text, value_type, last, panel)
        if say not in self.numbers:
            self.numbers[say] = len(self.says)
            self.says.append(say)
        return self.numbers[say]

    def add_query(self, procedure: Procedure, result_type: ValueType) -> int:
        """Add a query, and return its number."""
        self.queries.append(PendingQuery(procedure, result_type))
        return len(self.queries) - 1

    def add_check(self, check: ConditionCheck) -> int:
        """Add a check, and return its number."""
        self.checks.append(check)
        return len(self.checks) - 1

    def build_reasons(self) -> Reasons:
        """Return the collected reasons."""
        files = {cause.file for cause in self.causes}
        homes = tuple((file, module) for file, module in self.file_modules.items() if file in files)
        lists = tuple(self.checks), tuple(self.demands), tuple(self.measures)
        named = tuple(self.when.items()), tuple(self.parts.items()), tuple(self.totals.items())
        return Reasons(*lists, *named, homes, tuple(self.values))
