"""The pass `layer`: the pages of all modules laid over each other, to one `Book`.

The order comes from the manifests alone. Within a module first is removed, then added, then amended, so the
order of files and lines changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from edict.compiler.layering.amending import amended, dropped, parts_of, sort_of
from edict.compiler.layering.clashes import clash, declared_twice, drops, exists, not_over, of_others, other_sort, twice
from edict.compiler.layering.provenance import without_notes
from edict.compiler.layering.suggestions import Candidates, no_kind, suggestion
from edict.compiler.sources.module_set import Module, above, in_order
from edict.compiler.syntax import tree as t
from edict.support.report import MOST_FINDINGS, Diagnostic, Edit, Label, Outcome, find_nearest
from edict.support.text import NOWHERE, Span

Laid = Sequence[tuple[Module, Sequence[t.Page]]]


def layer(modules: Laid) -> Outcome[t.Book]:
    """All rules of a game; each module's pages go over those of the modules it is laid over."""
    work = _Layers(modules)
    pages = {module.name: sorted(written, key=lambda page: page.file) for module, written in modules}
    for module in in_order([module for module, _ in modules]):
        work.lay(module, [d for page in pages[module.name] for d in page.definitions])
    files = {page.file: name for name, written in pages.items() for page in written}
    work.found += _game(work.definitions.values())
    book = t.Book(work.definitions, tuple(work.standalone), work.notes, files, tuple(work.covered), tuple(work.gone))
    return Outcome(book, tuple(work.found))


class _Layers:
    """What has been laid so far, and who wrote which part of it."""

    def __init__(self, modules: Laid) -> None:
        self.above = above(module for module, _ in modules)
        self.definitions: dict[str, t.Definition] = {}
        self.standalone: dict[t.Standalone, None] = {}
        self.named: dict[str, t.Standalone] = {}
        self.notes: dict[str, t.Note] = {}
        self.found: list[Diagnostic] = []
        self.owner: dict[str, str] = {}
        self.covered: list[t.Definition] = []
        self.gone: list[tuple[t.Definition, Span]] = []
        self.removed: dict[str, list[tuple[str, Span]]] = {}
        self.changed: dict[str, dict[str, list[tuple[str, Span]]]] = {}  # name -> part of it -> module, where
        self.declared = _declared(modules)

    def lay(self, module: Module, definitions: Iterable[t.Definition]) -> None:
        written = list(definitions)
        own = {one.name.word for one in written if isinstance(one, t.Thing)} - {*self.definitions}
        removals = [one for one in written if isinstance(one, t.Remove_)]
        for removal in removals:
            if removal.name.word not in own:
                self.remove(module, removal)
        for one in written:
            if isinstance(one, t.Standalone):
                self.stand(module, one)
            elif not isinstance(one, t.Remove_ | t.Amend | t.Retitle):
                self.add(module, one)
        for removal in removals:
            if removal.name.word in own:  # made with others, by `for each`
                self.remove(module, removal)
        for one in written:
            if isinstance(one, t.Amend):
                self.amend(module, one)
            elif isinstance(one, t.Retitle):
                self.retitle(module, one)

    # --- add ---------------------------------------------------------------------------------

    def add(self, module: Module, written: t.Definition) -> None:
        name = written.name.word
        old = self.definitions.get(name) or self._standing(name)
        if old is not None:
            self.found.append(self._exists(module, written, old))
            return
        rival = self._rival(name, module)
        if rival:
            self.found.append(clash(name, written.name.span, rival, module))
        definition, note, diagnostics = without_notes(written, module.manifest)
        self.found += [*diagnostics, *_repeated(definition)]
        self.definitions[name] = definition
        self.notes[name] = note
        self.owner[name] = module.name

    def stand(self, module: Module, standalone: t.Standalone) -> None:
        name = standalone.name.word
        old = (self._standing(name) or self.definitions.get(name)) if name else None
        if old is not None:
            self.found.append(self._exists(module, standalone, old))
            return
        self.standalone[standalone] = None
        if name:
            self.named[name] = standalone
            self.notes[name] = t.Note(module.manifest.source, module.manifest.origin, module.name)
            self.owner[name] = module.name

    def _standing(self, name: str) -> t.Standalone | None:
        return self.named.get(name)

    def _exists(self, module: Module, new: t.Definition, old: t.Definition) -> Diagnostic:
        if isinstance(new, t.Thing) and new.kind.word not in self.declared:
            return no_kind(new, self.definitions)
        owner = self.owner[new.name.word]
        if owner == module.name:
            return declared_twice(new, old)
        return exists(new, old, owner, module, beside=owner not in self.above[module.name])

    # --- amend and remove --------------------------------------------------------------------

    def amend(self, module: Module, amend: t.Amend) -> None:
        new, note, diagnostics = without_notes(amend.definition, module.manifest)
        name = new.name.word
        old = self._target(name, _said(new), new.name.span, "amend", module)
        if old is None:
            return
        if isinstance(new, t.Quantity) and isinstance(old, t.Quantity) and len(new.params) != len(old.params):
            self.found.append(of_others(old, new))
            return
        self._cover(module, old)
        parts = [("", new.name.span)] if amend.whole else parts_of(new)
        self.found += [*diagnostics, *_repeated(new), *self._claims(module, name, parts)]
        lost = [] if amend.whole else dropped(old, new)
        if lost:
            self.found.append(drops(new, old, lost))
        self.definitions[name] = replace(new, title=new.title or old.title) if amend.whole else amended(old, new)
        before = self.notes[name]
        source = note.source if amend.whole or note.source != module.manifest.source else before.source
        origin = note.origin if amend.whole or note.origin != module.manifest.origin else before.origin
        self.notes[name] = t.Note(source, origin, before.module)

    def retitle(self, module: Module, retitle: t.Retitle) -> None:
        """Only the title changes; the name, by which rules speak of it, stays."""
        name = retitle.name.word
        old = self.definitions.get(name)
        if old is None:
            self.found.append(self._absent(name, None, retitle.name.span, "call otherwise", module))
            return
        self._must_be_over(name, retitle.name.span, old, module)
        self.found += self._claims(module, name, [("title", retitle.name.span)])
        self.definitions[name] = replace(old, title=retitle.title)

    def remove(self, module: Module, remove: t.Remove_) -> None:
        name = remove.name.word
        if self._rival(name, module) and name not in self.definitions:
            self.removed[name].append((module.name, remove.name.span))
            return  # two modules that both want it gone agree
        old = self._target(name, remove.kind, remove.name.span, "remove", module)
        if old is None:
            return
        self._cover(module, old)
        self.found += self._claims(module, name, [("", remove.name.span)])
        self.removed.setdefault(name, []).append((module.name, remove.name.span))
        self.gone.append((old, remove.name.span))
        self.definitions.pop(name, None)
        if isinstance(old, t.Standalone):
            del self.standalone[old], self.named[name]

    def _cover(self, module: Module, old: t.Definition) -> None:
        if self.owner[old.name.word] != module.name:
            self.covered.append(old)

    def _rival(self, name: str, module: Module) -> tuple[str, Span] | None:
        """A module beside this one that has removed the name, and where."""
        beside = {*self.above} - {module.name} - self.above[module.name]
        return next((removal for removal in self.removed.get(name, ()) if removal[0] in beside), None)

    def _target(self, name: str, sort: t.Name, span: Span, verb: str, module: Module) -> t.Definition | None:
        """What is to be changed, if it is there and of the sort that is said."""
        old = self.definitions.get(name) or (self._standing(name) if verb == "remove" else None)
        if old is None:
            self.found.append(self._absent(name, sort, span, verb, module))
        elif sort_of(old) != sort.word:
            of_sort = [other for other, definition in self.definitions.items() if sort_of(definition) == sort.word]
            near = [other for other in of_sort if other.startswith(f"{name}-")] or [find_nearest(name, of_sort)]
            self.found.append(other_sort(old, sort, span, verb, [other for other in near if other]))
            return None
        else:
            self._must_be_over(name, span, old, module)
        return old

    def _must_be_over(self, name: str, span: Span, old: t.Definition, module: Module) -> None:
        if self.owner[name] not in (module.name, *self.above[module.name]):
            self.found.append(not_over(name, span, (self.owner[name], old.name.span), module))

    def _absent(self, name: str, sort: t.Name | None, span: Span, verb: str, module: Module) -> Diagnostic:
        rival = self._rival(name, module)
        if rival:
            return clash(name, span, rival, module)
        if name in self.declared and self.declared[name][0] not in (module.name, *self.above[module.name]):
            return not_over(name, span, self.declared[name], module)
        gone = tuple(Label(where, "it is removed") for _, where in self.removed.get(name, ()))
        known = Candidates({**self.definitions, **dict.fromkeys(self.named)})
        suggested = suggestion(name, (), known) if len(self.found) < MOST_FINDINGS else None
        remedy = f"declare it without `{verb}`" if verb == "amend" else "delete the line"
        help_ = suggested.help if suggested else remedy
        edits = (Edit(span, suggested.word),) if suggested else ()
        of_sort = [other for other, definition in self.definitions.items() if sort and sort_of(definition) == sort.word]
        if sort and not suggested and verb == "amend" and len(of_sort) == 1:
            help_, edits = f"the only {sort.word} is `{of_sort[0]}`: write `amend {sort.word} {of_sort[0]}`", ()
        exact = bool(edits) and suggested is not None and suggested.exact
        return Diagnostic(
            "E0172", f"there is no `{name}` to {verb}", span, labels=gone, help=help_, edits=edits, exact=exact
        )

    def _claims(self, module: Module, name: str, parts: Sequence[tuple[str, Span]]) -> Iterator[Diagnostic]:
        """Note that the module changes these parts of a definition; a module beside it may not have done so."""
        changed = self.changed.setdefault(name, {})
        for part, span in dict(reversed(parts)).items():  # one that is written twice is told as such
            for other, there in _meeting(part, changed):
                if other == module.name:
                    yield twice(part, name, span, there)
                    break
                if other not in self.above[module.name]:
                    yield clash(f"{part} of {name}" if part else name, span, (other, there), module)
                    break
            changed.setdefault(part, []).append((module.name, span))


def _said(new: t.Definition) -> t.Name:
    """The word that says what an amendment is about; where it stands is known of a thing's kind only."""
    return new.kind if isinstance(new, t.Thing) else t.Name(NOWHERE, sort_of(new))


def _meeting(part: str, changed: Mapping[str, Sequence[tuple[str, Span]]]) -> Iterable[tuple[str, Span]]:
    """Who changed what overlaps with a part of a definition; the empty part is all of it."""
    if not part:
        return chain.from_iterable(changed.values())
    return chain(changed.get("", ()), changed.get(part, ()))


def _declared(modules: Laid) -> dict[str, tuple[str, Span]]:
    """Which module declares a name, and where; of several, any."""
    changing = t.Remove_ | t.Amend | t.Retitle
    return {
        definition.name.word: (module.name, definition.name.span)
        for module, pages in modules
        for page in pages
        for definition in page.definitions
        if not isinstance(definition, changing) and definition.name.word
    }


def _repeated(definition: t.Definition) -> Iterator[Diagnostic]:
    """Fields written twice in one definition."""
    fields: tuple[Any, ...] = definition.fields if isinstance(definition, t.Thing | t.Kind) else ()
    first: dict[str, Span] = {}
    for field in fields:
        word = field.name.word
        if word in first:
            yield Diagnostic(
                "E0177",
                f"`{word}` is written twice in `{definition.name.word}`",
                field.name.span,
                labels=(Label(first[word], "it already stands"),),
                help=_both(field),
            )
        first.setdefault(word, field.name.span)


def _both(field: t.FieldValue | t.FieldDef) -> str:
    """How to say in one field what two say."""
    if isinstance(field, t.FieldValue) and field.block is not None:
        return f"write `{field.name.word}` alone in its line, and the steps of both under it, a line each"
    return "keep one, or write there what both say"


def _game(definitions: Iterable[t.Definition]) -> Iterator[Diagnostic]:
    """There is exactly one game, and it says all that is needed."""
    games = [game for game in definitions if isinstance(game, t.Game)]
    if not games:
        yield Diagnostic(
            "E0178",
            "these rules declare no game",
            help="write `game` and its name, and under it `players`, `order`, `winners`, `score` and `course`",
        )
    for second in games[1:]:
        yield Diagnostic(
            "E0179",
            "these rules declare a second game",
            second.name.span,
            labels=(Label(games[0].name.span, "the game is declared"),),
            help=f"keep one; what changes the game is written as `amend game {games[0].name.word}`",
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
