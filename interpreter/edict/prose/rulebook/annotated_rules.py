"""Compiled rules together with the history of each definition, also without what only bots judge by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from edict.compiler.layering.expand import expand
from edict.compiler.pipeline.pipeline import analyze, parse_modules
from edict.compiler.semantics.judgement import JudgementNames, find_judgement
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.sources.folders import Module
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.editions.module_renames import assign_renames
from edict.compiler.syntax.printing import join_lines, print_lines
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


def remove_judgement(rules: AnnotatedRules) -> AnnotatedRules:
    """Return the rules without all that serves only the judgement (the bots' evaluation of a position)."""
    if rules.linked.game.judge is None:
        return rules
    judgement = find_judgement(rules.linked)
    filtered = {name: tuple(_filter_changes(judgement, changes)) for name, changes in rules.history.items()}
    history = {name: changes for name, changes in filtered.items() if changes}
    return replace(rules, linked=_filter_linked_book(judgement, rules.linked), history=history)


def _filter_linked_book(judgement: JudgementNames, linked: LinkedBook) -> LinkedBook:
    """Return the linked book without the definitions, abilities and fields that serve only the bots."""
    resolved = linked.resolved
    book = _filter_book(judgement, resolved.book)
    binds = dict(resolved.binds)
    for name, definition in book.definitions.items():  # kinds bind their own name, stripped ones too
        if (local := binds.get(resolved.book.definitions[name])) is not None:
            binds[definition] = local
    return replace(
        linked,
        typed=replace(linked.typed, resolved=replace(resolved, book=book, binds=binds)),
        game=next(item for item in book.definitions.values() if isinstance(item, t.Game)),
        things={kind: tuple(judgement.strip_thing(item) for item in things) for kind, things in linked.things.items()},
        adjusts={name: abilities for name, abilities in linked.adjusts.items() if name not in judgement.names},
        held=tuple(item for item in linked.held if not judgement.is_judgement(item.ability)),
    )


def _filter_book(judgement: JudgementNames, book: t.Book) -> t.Book:
    """Return the book without the definitions and top-level abilities that serve only the bots."""
    filtered = {name: judgement.strip_definition(definition) for name, definition in book.definitions.items()}
    return replace(
        book,
        definitions={name: definition for name, definition in filtered.items() if definition is not None},
        standalone=tuple(
            definition for definition in book.standalone if judgement.strip_definition(definition) is not None
        ),
    )


def _filter_changes(judgement: JudgementNames, changes: Sequence[DefinitionChange]) -> Iterator[DefinitionChange]:
    """Yield the changes, stripped of the judgement, that still alter the definition's text."""
    old_text: str | None = None
    for change in changes:
        after = judgement.strip_definition(change.after) if change.after is not None else None
        if change.after is not None and after is None:
            continue
        text = join_lines(print_lines(after)) if after is not None else None
        if change.verb == "declare" or text != old_text:
            yield replace(change, after=after)
        old_text = text
