"""Compiled rules together with the history of each definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from edict.compiler.layering.expand import expand
from edict.compiler.pipeline.pipeline import analyze, parse_modules
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.sources.folders import Module
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.editions.module_renames import assign_renames
from edict.prose.rulebook.history import DefinitionChange, build_history
from edict.support.morphology import split_title
from edict.support.report import Outcome
from edict.support.text import Source, Span


@dataclass(frozen=True, eq=False)
class AnnotatedRules:
    """The compiled rules of a game with its modules, each module after those it builds on."""

    modules: tuple[Module, ...]
    linked: LinkedBook
    history: dict[str, tuple[DefinitionChange, ...]]

    @property
    def resolved(self) -> ResolvedBook:
        """Return the resolved book."""
        return self.linked.resolved

    @property
    def book(self) -> t.Book:
        """Return the book."""
        return self.linked.resolved.book

    @property
    def added_modules(self) -> list[Module]:
        """Return the modules that are played with the game, sorted by their titles, as in printed rulebooks."""
        added = (module for module in self.modules if module is not self.game)
        return sorted(added, key=lambda module: module.manifest.title)

    @property
    def definitions(self) -> dict[str, t.Definition]:
        """Return all definitions by name."""
        return self.book.definitions

    @cached_property
    def with_generated_text(self) -> AnnotatedRules:
        """Return the same rules described by generated text only, without the author's words."""
        linked = self.linked
        resolved = replace(linked.resolved, authored=False)
        return replace(self, linked=replace(linked, typed=replace(linked.typed, resolved=resolved)))

    @cached_property
    def standalone(self) -> dict[str, t.Standalone]:
        """Return the top-level abilities by name, or by place if they have none."""
        return {ability.name.word or str(ability.span): ability for ability in self.book.standalone}

    @cached_property
    def sources(self) -> dict[str, Source]:
        """Return the source texts by the file names of spans."""
        return {source.name: source for module in self.modules for source in module.sources}

    @cached_property
    def game(self) -> Module:
        """Return the module of the game itself."""
        return next(module for module in self.modules if module.manifest.kind == "game")

    @property
    def title(self) -> str:
        """Return the game's title."""
        return split_title(self.linked.game.title)[0] or self.game.manifest.title

    def module_of(self, span: Span) -> str:
        """Return the name of the module that contains a place."""
        return self.book.files.get(span.file, "")


def read_annotated_rules(game: str, modules: Sequence[str] = ()) -> Outcome[AnnotatedRules]:
    """Read a game by name or path with modules and compile it as far as descriptions need."""
    return gather_modules(game, modules).and_then(annotate_rules)


def annotate_rules(modules: tuple[Module, ...]) -> Outcome[AnnotatedRules]:
    """Analyze gathered modules without lowering them, and return them with the history of each name."""
    modules = assign_renames(modules)
    outcome = analyze(modules)
    if outcome.value is None:
        return Outcome(None, outcome.diagnostics)
    expanded = parse_modules(modules).and_then(expand).unwrap()
    return Outcome(AnnotatedRules(modules, outcome.value, build_history(expanded)), outcome.diagnostics)
