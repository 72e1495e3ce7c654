"""Rules understood, and who wrote which part of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from edict.front.pipeline import parse_all, understand
from edict.handbook.history import DefinitionChange, history_of
from edict.language import tree as t
from edict.language.editions.module_renames import assign_renames
from edict.layering.expand import expand
from edict.meaning.link import Linked
from edict.meaning.symbols import Resolved
from edict.report import Outcome
from edict.sources.folders import Module
from edict.sources.module_set import gather
from edict.text import Source, Span


@dataclass(frozen=True, eq=False)
class Known:
    """The rules of a game with its modules, each after those it is laid over."""

    modules: tuple[Module, ...]
    linked: Linked
    history: dict[str, tuple[DefinitionChange, ...]]

    @property
    def resolved(self) -> Resolved:
        return self.linked.resolved

    @property
    def book(self) -> t.Book:
        return self.linked.resolved.book

    @property
    def definitions(self) -> dict[str, t.Definition]:
        return self.book.definitions

    @cached_property
    def generated(self) -> Known:
        """The same rules, put into words made from them alone: none of the author's."""
        linked = self.linked
        resolved = replace(linked.resolved, authored=False)
        return replace(self, linked=replace(linked, typed=replace(linked.typed, resolved=resolved)))

    @cached_property
    def standing(self) -> dict[str, t.Standalone]:
        """What stands at the top level, by its name; what has none, by its place."""
        return {one.name.word or str(one.span): one for one in self.book.standalone}

    @cached_property
    def sources(self) -> dict[str, Source]:
        """The texts by the names that places have."""
        return {source.name: source for module in self.modules for source in module.sources}

    @cached_property
    def game(self) -> Module:
        return next(module for module in self.modules if module.manifest.kind == "game")

    def module_of(self, span: Span) -> str:
        """The name of the module a place belongs to."""
        return self.book.files.get(span.file, "")


def read(game: str, modules: Sequence[str] = ()) -> Outcome[Known]:
    """A game by name or path with modules laid over it, understood as far as words need it."""
    return gather(game, modules).then(known_from)


def known_from(modules: tuple[Module, ...]) -> Outcome[Known]:
    """The rules in modules that were gathered, understood as far as words need it."""
    modules = assign_renames(modules)
    outcome = understand(modules)
    if outcome.value is None:
        return Outcome(None, outcome.diagnostics)
    laid = parse_all(modules).then(expand).unwrap()
    return Outcome(Known(modules, outcome.value, history_of(laid)), outcome.diagnostics)
