"""Compiled rules with the history of each definition: who declared, amended, rewrote, renamed or removed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from edict.compiler.layering.amendments import apply_amendment
from edict.compiler.layering.expand import expand
from edict.compiler.layering.provenance import split_provenance
from edict.compiler.pipeline.pipeline import analyze, parse_modules
from edict.compiler.semantics.judgement import JudgementNames, find_judgement
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.module_set import gather_modules, sort_modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.editions.module_renames import assign_renames
from edict.compiler.syntax.nouns import SORTS
from edict.compiler.syntax.printing import join_lines, print_lines
from edict.support.morphology import split_title
from edict.support.records import dataclass
from edict.support.report import Outcome
from edict.support.text import Source, Span

VERBS = {"declare": "declared", "amend": "amended", "rewrite": "rewritten", "call": "renamed", "remove": "removed"}


@dataclass(frozen=True)
class DefinitionChange:
    """A change that a module made to a definition."""

    module: str
    verb: str  # one of VERBS
    span: Span
    after: t.Definition | None  # the definition afterwards, None once it is removed


def build_history(layered_pages: Sequence[tuple[Module, Sequence[t.Page]]]) -> dict[str, tuple[DefinitionChange, ...]]:
    """Return by name the changes of its definition, by the order of modules, then removals, additions, amendments."""
    history: dict[str, list[DefinitionChange]] = {}
    pages = {module.name: sorted(definition, key=lambda page: page.file) for module, definition in layered_pages}
    for module in sort_modules([module for module, _ in layered_pages]):
        definitions = [written_definition for page in pages[module.name] for written_definition in page.definitions]
        for definition in sorted(definitions, key=_amendment_rank):
            if definition.name.word:
                changes = history.setdefault(definition.name.word, [])
                changes += _iter_changes(module.manifest, definition, changes[-1].after if changes else None)
    return {name: tuple(name_changes) for name, name_changes in history.items()}


def _amendment_rank(definition: t.Definition) -> int:
    """Return the rank within a module: removals, then additions, then amendments."""
    if isinstance(definition, t.Remove_):
        return 0
    if isinstance(definition, t.Amend | t.Retitle):
        return 2
    return 1


def _iter_changes(
    manifest: Manifest, definition: t.Definition, previous: t.Definition | None
) -> Iterator[DefinitionChange]:
    """Yield the change that a definition makes to `previous`; nothing for an amendment of nothing."""
    name, span = manifest.name, definition.span
    if isinstance(definition, t.Remove_):
        yield DefinitionChange(name, "remove", span, None)
    elif isinstance(definition, t.Retitle):
        yield DefinitionChange(
            name, "call", span, replace(previous, title=definition.title) if previous is not None else None
        )
    elif isinstance(definition, t.Amend):
        amendment = split_provenance(definition.definition, manifest)[0]
        if previous is not None:
            rewritten = replace(amendment, title=amendment.title or previous.title)
            if definition.whole:
                verb, after = ("rewrite", rewritten)
            else:
                verb, after = ("amend", apply_amendment(previous, amendment))
            yield DefinitionChange(name, verb, span, after)
    else:
        yield DefinitionChange(name, "declare", span, split_provenance(definition, manifest)[0])


def sort_title(definition: t.Definition) -> str:
    """Return the name of a definition's sort, the kind of a thing or `house rule` for a top-level ability."""
    if isinstance(definition, t.Thing):
        return definition.kind.word
    if isinstance(definition, t.Standalone):
        if not isinstance(definition.ability, t.Exception_):
            return "house rule"
        return "exception"
    return SORTS.get(type(definition)) or type(definition).__name__.lower().removesuffix("_")


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
        game=next(book.select(t.Game)),
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
