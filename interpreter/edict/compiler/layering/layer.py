"""The pass `layer_modules`, which lays the pages of all modules over each other and returns one `Book`.

The order of modules follows from the manifests alone. Within a module, definitions are first removed, then added, then
amended, so the order of files and lines does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from edict.compiler.layering.amendments import (
    apply_amendment,
    changed_twice_diagnostic,
    conflict_diagnostic,
    declared_twice_diagnostic,
    dropped_lines_diagnostic,
    find_dropped_lines,
    list_amended_parts,
    name_exists_diagnostic,
    not_over_diagnostic,
    parameter_count_diagnostic,
    sort_of,
    wrong_sort_diagnostic,
)
from edict.compiler.layering.provenance import split_provenance
from edict.compiler.layering.suggestions import NameCandidates, suggest_name, unknown_kind_diagnostic
from edict.compiler.sources.module_set import Module, compute_layers_below, sort_modules
from edict.compiler.syntax import tree as t
from edict.support.report import MOST_FINDINGS, Diagnostic, Edit, Label, Outcome, find_nearest
from edict.support.text import NOWHERE, Span

ModulePages = Sequence[tuple[Module, Sequence[t.Page]]]  # modules with their pages


def layer_modules(modules: ModulePages) -> Outcome[t.Book]:
    """Return the book of a game, with each module's pages laid over those of the modules below it."""
    layers = _LayerBuilder(modules)
    pages = {module.name: sorted(own_pages, key=lambda page: page.file) for module, own_pages in modules}
    for module in sort_modules([module for module, _ in modules]):
        layers.add_module(module, [definition for page in pages[module.name] for definition in page.definitions])
    files = {page.file: name for name, own_pages in pages.items() for page in own_pages}
    layers.diagnostics += _check_game(layers.definitions.values())
    book = t.Book(
        layers.definitions,
        tuple(layers.standalone),
        layers.notes,
        files,
        tuple(layers.covered),
        tuple(layers.removed_definitions),
    )
    return Outcome(book, tuple(layers.diagnostics))


class _LayerBuilder:
    """The layers so far, with the modules that wrote each part."""

    def __init__(self, modules: ModulePages) -> None:
        self.above = compute_layers_below(module for module, _ in modules)
        self.definitions: dict[str, t.Definition] = {}
        self.standalone: dict[t.Standalone, None] = {}
        self.named_standalone: dict[str, t.Standalone] = {}
        self.notes: dict[str, t.Note] = {}
        self.diagnostics: list[Diagnostic] = []
        self.owner: dict[str, str] = {}
        self.covered: list[t.Definition] = []
        self.removed_definitions: list[tuple[t.Definition, Span]] = []
        self.removals: dict[str, list[tuple[str, Span]]] = {}
        self.changed: dict[str, dict[str, list[tuple[str, Span]]]] = {}  # name -> part of it -> modules and places
        self.declared = _find_declarations(modules)

    def add_module(self, module: Module, definitions: Iterable[t.Definition]) -> None:
        """Lay a module's definitions over the book: removals, then declarations, then amendments and new titles."""
        listed = list(definitions)
        own_things = {definition.name.word for definition in listed if isinstance(definition, t.Thing)} - {
            *self.definitions
        }
        removals = [definition for definition in listed if isinstance(definition, t.Remove_)]
        for removal in removals:
            if removal.name.word not in own_things:
                self.remove(module, removal)
        for definition in listed:
            if isinstance(definition, t.Standalone):
                self.add_standalone(module, definition)
            elif not isinstance(definition, t.Remove_ | t.Amend | t.Retitle):
                self.add(module, definition)
        for removal in removals:
            if removal.name.word in own_things:  # created by `for each` in the same module
                self.remove(module, removal)
        for definition in listed:
            if isinstance(definition, t.Amend):
                self.amend(module, definition)
            elif isinstance(definition, t.Retitle):
                self.retitle(module, definition)

    # --- add ---------------------------------------------------------------------------------

    def add(self, module: Module, new: t.Definition) -> None:
        """Add a new definition to the book; record a diagnostic if its name exists or another module removes it."""
        name = new.name.word
        old = self.definitions.get(name) or self._get_standalone(name)
        if old is not None:
            self.diagnostics.append(self._build_exists_diagnostic(module, new, old))
            return
        rival = self._find_rival(name, module)
        if rival:
            self.diagnostics.append(conflict_diagnostic(name, new.name.span, rival, module))
        definition, note, diagnostics = split_provenance(new, module.manifest)
        self.diagnostics += [*diagnostics, *_find_repeated_fields(definition)]
        self.definitions[name] = definition
        self.notes[name] = note
        self.owner[name] = module.name

    def add_standalone(self, module: Module, standalone: t.Standalone) -> None:
        """Add a definition that may be nameless, like an exception; record a diagnostic if its name exists."""
        name = standalone.name.word
        old = (self._get_standalone(name) or self.definitions.get(name)) if name else None
        if old is not None:
            self.diagnostics.append(self._build_exists_diagnostic(module, standalone, old))
            return
        self.standalone[standalone] = None
        if name:
            self.named_standalone[name] = standalone
            self.notes[name] = t.Note(module.manifest.source, module.manifest.origin, module.name)
            self.owner[name] = module.name

    def _get_standalone(self, name: str) -> t.Standalone | None:
        return self.named_standalone.get(name)

    def _build_exists_diagnostic(self, module: Module, new: t.Definition, old: t.Definition) -> Diagnostic:
        if isinstance(new, t.Thing) and new.kind.word not in self.declared:
            return unknown_kind_diagnostic(new, self.definitions)
        owner = self.owner[new.name.word]
        if owner == module.name:
            return declared_twice_diagnostic(new, old)
        return name_exists_diagnostic(new, old, owner, module, beside=owner not in self.above[module.name])

    # --- amend and remove --------------------------------------------------------------------

    def amend(self, module: Module, amend: t.Amend) -> None:
        """Apply an `amend` or `rewrite` to the definition it names, and record conflicts and lines that it drops."""
        new, note, diagnostics = split_provenance(amend.definition, module.manifest)
        name = new.name.word
        old = self._find_target(name, _sort_name(new), new.name.span, "amend", module)
        if old is None:
            return
        if isinstance(new, t.Quantity) and isinstance(old, t.Quantity) and len(new.params) != len(old.params):
            self.diagnostics.append(parameter_count_diagnostic(old, new))
            return
        self._record_covered_definition(module, old)
        parts = [("", new.name.span)] if amend.whole else list_amended_parts(new)
        self.diagnostics += [*diagnostics, *_find_repeated_fields(new), *self._record_changes(module, name, parts)]
        dropped_lines = [] if amend.whole else find_dropped_lines(old, new)
        if dropped_lines:
            self.diagnostics.append(dropped_lines_diagnostic(new, old, dropped_lines))
        if amend.whole:
            self.definitions[name] = replace(new, title=new.title or old.title)
        else:
            self.definitions[name] = apply_amendment(old, new)
        old_note = self.notes[name]
        if amend.whole or note.source != module.manifest.source:
            source = note.source
        else:
            source = old_note.source
        if amend.whole or note.origin != module.manifest.origin:
            origin = note.origin
        else:
            origin = old_note.origin
        self.notes[name] = t.Note(source, origin, old_note.module)

    def retitle(self, module: Module, retitle: t.Retitle) -> None:
        """Change the title of a definition; its name, by which rules refer to it, stays."""
        name = retitle.name.word
        old = self.definitions.get(name)
        if old is None:
            self.diagnostics.append(
                self._build_absent_diagnostic(name, None, retitle.name.span, "call otherwise", module)
            )
            return
        self._require_over(name, retitle.name.span, old, module)
        self.diagnostics += self._record_changes(module, name, [("title", retitle.name.span)])
        self.definitions[name] = replace(old, title=retitle.title)

    def remove(self, module: Module, remove: t.Remove_) -> None:
        """Remove the definition that a `remove` names; two modules may remove the same one."""
        name = remove.name.word
        if self._find_rival(name, module) and name not in self.definitions:
            self.removals[name].append((module.name, remove.name.span))
            return  # two modules may both remove it
        old = self._find_target(name, remove.kind, remove.name.span, "remove", module)
        if old is None:
            return
        self._record_covered_definition(module, old)
        self.diagnostics += self._record_changes(module, name, [("", remove.name.span)])
        self.removals.setdefault(name, []).append((module.name, remove.name.span))
        self.removed_definitions.append((old, remove.name.span))
        self.definitions.pop(name, None)
        if isinstance(old, t.Standalone):
            del self.standalone[old], self.named_standalone[name]

    def _record_covered_definition(self, module: Module, old: t.Definition) -> None:
        """Record a definition that a module other than its owner changes."""
        if self.owner[old.name.word] != module.name:
            self.covered.append(old)

    def _find_rival(self, name: str, module: Module) -> tuple[str, Span] | None:
        """Return (module, place) of a removal of this name by a module neither above nor below, or None."""
        unrelated = {*self.above} - {module.name} - self.above[module.name]
        return next((removal for removal in self.removals.get(name, ()) if removal[0] in unrelated), None)

    def _find_target(self, name: str, sort: t.Name, span: Span, verb: str, module: Module) -> t.Definition | None:
        """Return the definition to be changed, or None with a diagnostic if it is absent or of another sort."""
        old = self.definitions.get(name) or (self._get_standalone(name) if verb == "remove" else None)
        if old is None:
            self.diagnostics.append(self._build_absent_diagnostic(name, sort, span, verb, module))
        elif sort_of(old) != sort.word:
            of_sort = [other for other, definition in self.definitions.items() if sort_of(definition) == sort.word]
            similar = [other for other in of_sort if other.startswith(f"{name}-")] or [find_nearest(name, of_sort)]
            self.diagnostics.append(wrong_sort_diagnostic(old, sort, span, verb, [other for other in similar if other]))
            return None
        else:
            self._require_over(name, span, old, module)
        return old

    def _require_over(self, name: str, span: Span, old: t.Definition, module: Module) -> None:
        """Record a diagnostic unless the name's owner is this module or one that it is laid over."""
        if self.owner[name] not in (module.name, *self.above[module.name]):
            self.diagnostics.append(not_over_diagnostic(name, span, (self.owner[name], old.name.span), module))

    def _build_absent_diagnostic(
        self, name: str, sort: t.Name | None, span: Span, verb: str, module: Module
    ) -> Diagnostic:
        """Return the diagnostic for a change to a missing name: a conflict, a module not laid over, or a typo."""
        rival = self._find_rival(name, module)
        if rival:
            return conflict_diagnostic(name, span, rival, module)
        if name in self.declared and self.declared[name][0] not in (module.name, *self.above[module.name]):
            return not_over_diagnostic(name, span, self.declared[name], module)
        removal_labels = tuple(Label(where, "it is removed") for _, where in self.removals.get(name, ()))
        candidates = NameCandidates({**self.definitions, **dict.fromkeys(self.named_standalone)})
        best = suggest_name(name, (), candidates) if len(self.diagnostics) < MOST_FINDINGS else None
        remedy = f"declare it without `{verb}`" if verb == "amend" else "delete the line"
        help_ = best.help if best else remedy
        edits = (Edit(span, best.word),) if best else ()
        of_sort = [other for other, definition in self.definitions.items() if sort and sort_of(definition) == sort.word]
        if sort and not best and verb == "amend" and len(of_sort) == 1:
            help_, edits = f"the only {sort.word} is `{of_sort[0]}`: write `amend {sort.word} {of_sort[0]}`", ()
        exact = bool(edits) and best is not None and best.exact
        return Diagnostic(
            "E0172",
            f"there is no `{name}` to {verb}",
            span,
            labels=removal_labels,
            help=help_,
            edits=edits,
            exact=exact,
        )

    def _record_changes(self, module: Module, name: str, parts: Sequence[tuple[str, Span]]) -> Iterator[Diagnostic]:
        """Record a module's changes of these parts, and yield an error where it or an unrelated one made one before."""
        changed = self.changed.setdefault(name, {})
        for part, span in dict(reversed(parts)).items():  # a part that is written twice is reported elsewhere
            for other, other_span in _iter_overlapping(part, changed):
                if other == module.name:
                    yield changed_twice_diagnostic(part, name, span, other_span)
                    break
                if other not in self.above[module.name]:
                    yield conflict_diagnostic(f"{part} of {name}" if part else name, span, (other, other_span), module)
                    break
            changed.setdefault(part, []).append((module.name, span))


def _sort_name(new: t.Definition) -> t.Name:
    """Return the sort that an amendment names; only for a thing its place is known."""
    return new.kind if isinstance(new, t.Thing) else t.Name(NOWHERE, sort_of(new))


def _iter_overlapping(part: str, changed: Mapping[str, Sequence[tuple[str, Span]]]) -> Iterable[tuple[str, Span]]:
    """Yield (module, place) of each change of this part or of the whole (""); for "" those of every part."""
    if not part:
        return chain.from_iterable(changed.values())
    return chain(changed.get("", ()), changed.get(part, ()))


def _find_declarations(modules: ModulePages) -> dict[str, tuple[str, Span]]:
    """Return a module that declares each name, with the place."""
    declarations = dict[str, tuple[str, Span]]()
    for module, pages in modules:
        for definition in chain.from_iterable(page.definitions for page in pages):
            if definition.name.word and not isinstance(definition, t.Remove_ | t.Amend | t.Retitle):
                declarations[definition.name.word] = module.name, definition.name.span
    return declarations


def _find_repeated_fields(definition: t.Definition) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each field that is written twice in a definition."""
    fields: tuple[Any, ...] = definition.fields if isinstance(definition, t.Thing | t.Kind) else ()
    first_spans: dict[str, Span] = {}
    for field in fields:
        word = field.name.word
        if word in first_spans:
            yield Diagnostic(
                "E0177",
                f"`{word}` is written twice in `{definition.name.word}`",
                field.name.span,
                labels=(Label(first_spans[word], "first written"),),
                help=_describe_merge(field),
            )
        first_spans.setdefault(word, field.name.span)


def _describe_merge(field: t.FieldValue | t.FieldDef) -> str:
    """Return the remedy for two values of a field."""
    if isinstance(field, t.FieldValue) and field.block is not None:
        return f"write `{field.name.word}` on a line of its own, and the steps of both under it, one per line"
    return "keep one, or combine the two"


def _check_game(definitions: Iterable[t.Definition]) -> Iterator[Diagnostic]:
    """Yield diagnostics unless there is exactly one game with all lines that it needs."""
    games = [game for game in definitions if isinstance(game, t.Game)]
    if not games:
        yield Diagnostic(
            "E0178",
            "these rules declare no game",
            help="write `game` and its name, and under it `players`, `order`, `winners`, `score` and `course`",
        )
    for other_game in games[1:]:
        yield Diagnostic(
            "E0179",
            "these rules declare a second game",
            other_game.name.span,
            labels=(Label(games[0].name.span, "the game is declared"),),
            help=f"keep one; to change the game, write `amend game {games[0].name.word}`",
        )
    for game in games[:1]:
        needed = ("players", "order", "winners", "score", "course")
        missing = [f"`{word}`" for word in needed if not getattr(game, word)]
        if missing:
            yield Diagnostic(
                "E0180",
                f"the game lacks {' and '.join(missing)}",
                game.name.span,
                help=f"add a line that begins with {' and one with '.join(missing)}",
            )
