"""The rules in one folder as they are at this moment: what is wrong with them, and what is understood of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from edict.compiler.checks import check_definitions
from edict.compiler.english.calendar import build_calendar
from edict.compiler.layering.expand import expand
from edict.compiler.lowering import lower
from edict.compiler.pipeline.compile import found_beside
from edict.compiler.pipeline.pipeline import (
    PartlyRead,
    Readings,
    begin,
    parse_all,
    read_all,
    understand,
    unread_at_once,
)
from edict.compiler.pipeline.trying import said_untried
from edict.compiler.semantics.call_graph import all_definitions
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.sources.folders import Module
from edict.compiler.sources.input_limits import MOST_BYTES
from edict.compiler.sources.module_set import Modules, rules_hash
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.incremental import pieces
from edict.compiler.syntax.reserved_words import called_as_words
from edict.compiler.syntax.word_search import find as found_by
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.cross_references import CrossReference, find_references
from edict.prose.rulebook.descriptions import describe_definition
from edict.prose.rulebook.history import build_history
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.prose.rulebook.name_catalog import iter_names
from edict.support.morphology import split_title
from edict.support.report import MOST_FINDINGS, Diagnostic, Outcome
from edict.support.text import Source, Span
from edict.tools.language_service.answer_types import SearchEntry
from edict.tools.language_service.changed_lines import Changed, Last, sources_of
from edict.tools.language_service.occurrences import Occurrence, occurrences


@dataclass(frozen=True)
class Checked:
    """What was found; `whole` once also what only making the machine's code finds out was looked for."""

    found: tuple[Diagnostic, ...]
    whole: bool


class Rules:
    """The rules of one folder, with all they are laid over; checked again when a text was changed.

    The passes up to the last that words need are quick, and run at once. The compiler's own limits come afterwards, on
    demand (`whole`). What was understood last stays until something newer is.
    """

    def __init__(self, folder: Path, gathering: Callable[[], Outcome[Modules]]) -> None:
        self.folder = folder
        self.version = 0
        self._gathering = gathering
        self._gathered: Outcome[Modules] | None = None
        self._checked: Checked | None = None
        self._outcome: Outcome[Analysis] | None = None
        self._good: Analysis | None = None
        self._begun: PartlyRead | None = None
        self._last: Last | None = None
        self._unreadable: Last | None = None
        self._mended = False

    def changed(self, path: Path | None, text: str | None) -> None:
        """A text was changed; which one, and to what, if nothing else can have changed with it."""
        self.version += 1
        self._checked, self._outcome, self._begun, self._mended = None, None, None, False
        modules = self._gathered.value if self._gathered is not None else None
        if path is None or text is None or modules is None or not _is_simple(modules, text):
            self._gathered = None
            return
        laid = [_changed_in(module, path, text) for module in modules]
        known = any(one is not other for one, other in zip(laid, modules, strict=True))
        if known:
            self._gathered = Outcome(tuple(laid), self._gathered.diagnostics if self._gathered else ())
        elif any(path.is_relative_to(module.folder.resolve()) for module in modules):
            self._gathered = None

    @property
    def gathered(self) -> Outcome[Modules]:
        if self._gathered is None:
            self._gathered = self._gathering()
        return self._gathered

    # --- what is wrong -----------------------------------------------------------------------

    @property
    def is_checked(self) -> bool:
        """Whether these texts were looked at, at least for all that is quick to find."""
        return self._checked is not None

    def at_once(self) -> tuple[Diagnostic, ...]:
        """What can be told as fast as somebody types, without remedies to carry out: what is wrong with names and
        types anywhere, and with definitions that were changed; and in lines that were not, what was found there last.

        All that is told is what `checked` says, too. What it can say only after rules were looked at again, with a
        remedy in them, is not told yet.
        """
        modules = self.gathered.value
        if self._checked is not None or self._last is None or modules is None or not self.gathered.ok:
            return self.checked().found
        read = read_all(modules)
        if read.value is None:
            return self.checked().found
        if not read.value.ok:
            return (*dict.fromkeys(self._unread(read.value, modules)), *found_beside(modules))
        typed = self._begin(modules).outcome
        if typed.value is None or not typed.ok:
            if len(typed.diagnostics) > MOST_FINDINGS:
                return self.checked().found
            told = said_untried(typed.diagnostics, modules, read.value.declared)
            return (*dict.fromkeys(told), *found_beside(modules))
        fresh, resolved = Changed.between(self._last.sources, sources_of(modules)), typed.value.resolved
        here = check_definitions(typed.value, [one for one in all_definitions(resolved) if fresh.has(one)])
        told = (replace(one, edits=()) for one in (*typed.diagnostics, *here, *fresh.kept(self._last.found)))
        return (*dict.fromkeys(told), *found_beside(modules))

    def _unread(self, read: Readings, modules: Modules) -> Iterator[Diagnostic]:
        """What is wrong in definitions that cannot be read: what is sure, and what was found last in others."""
        yield from unread_at_once(read)
        if self._unreadable is not None:
            broken = [
                (one.source.name, unread.piece.above, unread.piece.above + unread.piece.own.count("\n"))
                for one in read.readings
                for unread in one.unread
            ]
            fresh = Changed.between(self._unreadable.sources, sources_of(modules))
            untouched = [
                (file, range(above + 1, last + 2))
                for file, above, last in broken
                if not any(above < line <= last for line in fresh.lines.get(file, ()))
            ]
            for found in fresh.kept(self._unreadable.found):
                if any(found.span.file == file and found.span.line in lines for file, lines in untouched):
                    yield replace(found, edits=())

    def _begin(self, modules: Modules) -> PartlyRead:
        if self._begun is None:
            self._begun = begin(modules)
        return self._begun

    def checked(self, whole: bool = False) -> Checked:
        """What `check` finds; without being `whole`, all but what making the machine's code finds out."""
        if self._checked is None or whole and not self._checked.whole:
            self._checked = self._look(whole)
        return self._checked

    def rest(self) -> Callable[[], Checked] | None:
        """What is left to be done for the whole check, if anything is; it may be called in another thread.

        What it gives counts once it is handed to `completed`, unless a text was changed meanwhile.
        """
        quick = self.checked()
        modules, understood = self.gathered.value, self._outcome.value if self._outcome is not None else None
        if quick.whole or modules is None or understood is None:
            return None
        return partial(_completed, quick, understood, modules)

    def completed(self, version: int, checked: Checked) -> bool:
        """Take the whole check, if it is still about these texts."""
        if version == self.version:
            self._checked = checked
        return version == self.version

    def _look(self, whole: bool) -> Checked:
        modules = self.gathered.value
        if modules is None or not self.gathered.ok:
            return Checked(self.gathered.diagnostics, True)
        outcome = self._analysed(modules)
        beside = found_beside(modules)
        if outcome.value is None or not outcome.ok:
            return Checked((*outcome.diagnostics, *beside), True)
        quick = Checked((*outcome.diagnostics, *beside), False)
        return _completed(quick, outcome.value, modules) if whole else quick

    def _analysed(self, modules: Modules) -> Outcome[Analysis]:
        if self._outcome is None:
            begun = self._begin(modules)
            linked = understand(modules, begun)
            there = Analysis(modules, linked.value) if linked.value is not None else None
            self._outcome = Outcome(there, linked.diagnostics)
            self._good = there or self._good
            early = {(one.code, one.span) for one in begun.outcome.diagnostics}
            later = tuple(one for one in linked.diagnostics if (one.code, one.span) not in early)
            if begun.outcome.ok:
                self._last = Last(sources_of(modules), later)
            self._unreadable = Last(sources_of(modules), linked.diagnostics) if not begun.reached else None
        return self._outcome

    # --- what is understood ------------------------------------------------------------------

    def analysis(self, anew: bool = True) -> Analysis | None:
        """What is understood of the rules. Of a definition with a mistake in it, what it said before.

        Unless it is wanted `anew`, what was understood last will do, which takes no time.
        """
        if not anew and self._good is not None:
            return self._good
        modules = self.gathered.value
        if modules is None:
            return self._good
        outcome = self._analysed(modules)
        if outcome.value is None and not self._mended:
            self._mended = True
            self._good = self._without_mistakes(modules, outcome.diagnostics) or self._good
        return self._good

    def _without_mistakes(self, modules: Modules, found: tuple[Diagnostic, ...]) -> Analysis | None:
        """The rules with each wrong definition as it was before, or without it; after a few tries without all new."""
        before = self._good.sources if self._good is not None else {}
        for _ in range(3):
            laid = without_mistakes(modules, found, before)
            linked = understand(laid)
            if linked.value is not None:
                return Analysis(laid, linked.value)
            if laid == modules:
                break
            modules, found = laid, linked.diagnostics
        return None

    # --- places ------------------------------------------------------------------------------

    @property
    def modules(self) -> Modules:
        """The modules as they were gathered, or as they were when they last could be."""
        return self.gathered.value or (self._good.modules if self._good is not None else ())

    def source(self, path: Path) -> Source | None:
        """The text of a rule file as it counts, with the name by which places call it."""
        path = path.resolve()
        own = [m for m in self.modules if path.is_relative_to(m.folder.resolve())]
        names = {name_in(module, path): module for module in own}
        return next((s for module in own for s in module.sources if s.name in names), None)

    def path(self, span: Span) -> Path | None:
        """The file a place lies in."""
        folder, _, rest = span.file.partition("/")
        own = (module.folder.resolve() for module in self.modules)
        here = next((place for place in own if place.name == folder), None)
        return here / rest if here is not None and rest else None


def _completed(quick: Checked, understood: Analysis, modules: Modules) -> Checked:
    """With what making the machine's code finds out."""
    made = lower(understood.linked, modules, rules_hash(modules), False)
    return Checked((*quick.found, *made.diagnostics), True)


def name_in(module: Module, path: Path) -> str:
    """What places call a file of a module."""
    folder = module.folder.resolve()
    return f"{folder.name}/{path.relative_to(folder).as_posix()}"


def _is_simple(modules: Modules, text: str) -> bool:
    """Whether a change of a rule file changes only that file: gathering looks at sizes, and at words for `renamed`."""
    return len(text) * 4 < MOST_BYTES and not any(module.manifest.renamed for module in modules)


def _changed_in(module: Module, path: Path, text: str) -> Module:
    if not path.is_relative_to(module.folder.resolve()):
        return module
    name = name_in(module, path)
    if all(source.name != name for source in module.sources):
        return module
    return replace(module, sources=tuple(replace(s, text=text) if s.name == name else s for s in module.sources))


# --- rules with mistakes in them: each wrong definition as it was before, or left out -------------


_BEGINNING = re.compile(r'[^"\n#]*')


def without_mistakes(modules: Modules, found: Iterable[Diagnostic], before: Mapping[str, Source]) -> Modules:
    """The modules without the definitions in which errors were found; where they were there before, as they were."""
    wrong: dict[str, set[int]] = {}
    for finding in found:
        if finding.is_error:
            wrong.setdefault(finding.span.file, set()).add(finding.span.line)

    def recovered(source: Source) -> Source:
        return _recovered(source, wrong.get(source.name, set()), before.get(source.name))

    return tuple(replace(module, sources=tuple(map(recovered, module.sources))) for module in modules)


def _recovered(source: Source, wrong: set[int], before: Source | None) -> Source:
    if not wrong:
        return source
    old = {beginning(text): text for text in _pieces_of(before.text)} if before is not None else {}
    kept, line = list[str](), 1
    ended = source.text if source.text.endswith("\n") else source.text + "\n"  # so the last line counts as one too
    for text in _pieces_of(ended):
        after = line + text.count("\n")
        if any(line <= number < after or number == line for number in wrong):
            earlier = old.get(beginning(text), "")
            text = _blank_lines(text) if earlier == text else _as_long(earlier, text)
        kept.append(text)
        line = after
    return replace(source, text="".join(kept))


def _pieces_of(text: str) -> Iterator[str]:
    """The file cut at its definitions; what stands above the first one is a part of its own."""
    stretches = [(one.start, one.end) for one in pieces(text)]
    yield text[: stretches[0][0]] if stretches else text
    yield from (text[start:end] for start, end in stretches)


def beginning(piece: str) -> str:
    """The words with which a definition begins, by which it is known again: `building inn`."""
    found = _BEGINNING.match(piece)
    return " ".join((found[0] if found else "").split()[:2])


def _blank_lines(text: str) -> str:
    return "\n" * text.count("\n")


def _as_long(earlier: str, now: str) -> str:
    """An earlier text, with as many lines as the present one where it has fewer: what stands below keeps its place."""
    missing = now.count("\n") - earlier.count("\n")
    return earlier + "\n" * max(0, missing) if earlier else _blank_lines(now)


# --- what is understood, and the texts it was understood from -------------------------------------


@dataclass(frozen=True, eq=False)
class Analysis:
    """Modules that were read without an error, and all that is known of them."""

    modules: Modules
    linked: LinkedBook

    @cached_property
    def known(self) -> AnnotatedRules:
        laid = parse_all(self.modules).and_then(expand).unwrap()
        return AnnotatedRules(self.modules, self.linked, build_history(laid))

    @cached_property
    def played(self) -> AnnotatedRules:
        """What is known of what counts in play: nothing that is there for bots alone."""
        return remove_judgement(self.known)

    def told(self, name: str) -> AnnotatedRules:
        """The rules in which something is told: those that count in play, unless it is there for bots alone."""
        return self.played if name in self.played.definitions or name not in self.definitions else self.known

    def touching(self, name: str) -> tuple[CrossReference, ...]:
        """What touches something, in the rules in which it is told."""
        all_ = self._touches if self.told(name) is self.played else find_references(self.known)
        return tuple(touch for touch in all_ if touch.whom == name)

    @cached_property
    def _touches(self) -> tuple[CrossReference, ...]:
        return find_references(self.played)

    @cached_property
    def occurrences(self) -> dict[str, tuple[Occurrence, ...]]:
        """Every name that is written, by file, in the order of the text."""
        return occurrences(self.pages, self.linked.resolved)

    @cached_property
    def pages(self) -> tuple[t.Page, ...]:
        """What was read, file by file, before modules were laid over each other."""
        return tuple(page for _, written in parse_all(self.modules).unwrap() for page in written)

    @cached_property
    def findable(self) -> tuple[SearchEntry, ...]:
        """All that can be looked for in these rules."""
        return tuple(search_entries(self.known))

    def prepare(self) -> None:
        """Find out now what the next question would wait for."""
        _ = self.occurrences, self._touches

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the language that something is called."""
        return called_as_words(self.definitions.values())

    @property
    def definitions(self) -> dict[str, t.Definition]:
        return self.linked.resolved.book.definitions

    @cached_property
    def sources(self) -> dict[str, Source]:
        return sources_of(self.modules)


# --- what can be looked for -----------------------------------------------------------------------


MOST_FOUND = 40


def search_entries(known: AnnotatedRules) -> Iterator[SearchEntry]:
    """All that can be looked for: first when what happens, then what rules can speak of."""
    for moment in build_calendar(known.linked):
        yield SearchEntry(moment.line, moment.display_title, moment.sort, moment.description)
    spoken_of = (name for name in iter_names(known) if name.sort != "moments")
    yield from (SearchEntry(name.written, name.title, name.sort, name.meaning) for name in spoken_of)
    for definition in known.definitions.values():
        if isinstance(definition, t.Thing):
            meaning = " ".join(line.strip() for line in describe_definition(known, definition))
            yield SearchEntry(definition.name.word, split_title(definition.title)[0], definition.kind.word, meaning)


def find(all_: Iterable[SearchEntry], words: str) -> tuple[SearchEntry, ...]:
    """Moments, names and things that fit the words, the best first."""
    return found_by(all_, words)[:MOST_FOUND]
