"""The pipeline: rule files to a program, pass by pass."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from edict.compiler.checks import check
from edict.compiler.checks.passage_drift import find_drifted_passages
from edict.compiler.english.calendar import CalendarEntry, build_calendar
from edict.compiler.layering.bounds import bounds
from edict.compiler.layering.expand import expand
from edict.compiler.layering.layer import layer
from edict.compiler.layering.shape import shape
from edict.compiler.lowering import lower
from edict.compiler.pipeline.trying import Pages, RepairTrial, looked, with_remedies
from edict.compiler.pipeline.unique import differing
from edict.compiler.semantics.checker import check_types
from edict.compiler.semantics.desugar import desugar
from edict.compiler.semantics.link import LinkedBook, link
from edict.compiler.semantics.resolve import resolve
from edict.compiler.semantics.types import TypedBook
from edict.compiler.sources.folders import Module
from edict.compiler.sources.input_limits import rules_too_long
from edict.compiler.sources.module_set import Modules, rules_hash
from edict.compiler.sources.work_budget import WorkExceeded, spend_reading, work_budget, work_on
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import Declared, declared_in
from edict.compiler.syntax.editions.module_renames import assign_renames
from edict.compiler.syntax.page_cache import keep_page, reading
from edict.compiler.syntax.parse import Reading, read_page
from edict.compiler.syntax.reserved_words import called_as_words
from edict.runtime.program import Program
from edict.support.report import MOST_FINDINGS, Diagnostic, Edit, Outcome, limit_diagnostics
from edict.support.text import Source, Span


def parse_all(modules: Modules) -> Outcome[tuple[tuple[Module, tuple[t.Page, ...]], ...]]:
    """Every page of every module; the syntax errors of all of them at once. Nothing of rules that are too long."""
    read = read_all(modules)
    if read.value is None:
        return Outcome(None, read.diagnostics)
    pages, readings = read.value.pages, read.value.readings
    if read.value.ok:
        return Outcome(pages, tuple(d for one in readings for d in one.diagnostics()))
    declared = replace(read.value.declared, moments=lambda: _MOMENTS.of(pages))
    holds = RepairTrial(pages, PASSES[1:], PASSES.index(resolve) - 1)
    found: list[Diagnostic] = []
    for one in readings:
        if not one.ok:  # no more than so many will be shown, so for others no remedies are looked for
            errors = sum(d.is_error for d in found)
            found += one.diagnostics(declared, holds, max(0, MOST_FINDINGS - errors))
    return Outcome(pages, limit_diagnostics(found))


@dataclass(frozen=True)
class Readings:
    """What could be read of each module, and every file as it was read."""

    pages: Pages
    readings: tuple[Reading, ...]

    @property
    def ok(self) -> bool:
        """Whether all of it could be read."""
        return all(one.ok for one in self.readings)

    @property
    def declared(self) -> Declared:
        return declared_in(page for _, some in self.pages for page in some)


def read_all(modules: Modules) -> Outcome[Readings]:
    """Every file as far as it can be read, with nothing said yet of what cannot; an error if the rules are too long."""
    too_long = tuple(rules_too_long(source for module in modules for source in module.sources))
    if too_long:
        return Outcome(None, too_long)
    for source in (source for module in modules for source in module.sources):
        work_on(source.name, Span(source.name, 1, 1, 1, 2))
        spend_reading(source)
    books = _books(assign_renames(modules))
    pages = tuple((module, tuple(one.page for one in book if one.page is not None)) for module, book in books)
    return Outcome(Readings(pages, tuple(one for _, book in books for one in book)))


class NotTried(Exception):
    """What is to be said depends on whether a remedy helps, and that is not looked at now."""


def unread_at_once(read: Readings) -> Iterator[Diagnostic]:
    """What is said of mistakes of syntax without looking at the rules once more, as whoever types is told with each
    key; nothing of those of which something else may be said after that."""
    declared = replace(read.declared, moments=lambda: _MOMENTS.last(read.pages))

    def untried(source: Source, edits: tuple[Edit, ...], sure: bool) -> bool:
        raise NotTried

    for one in read.readings:
        if not one.ok:
            yield from one.sure(declared, untried, NotTried)


def _books(modules: Modules) -> list[tuple[Module, list[Reading]]]:
    """The files of each module, read; what cannot be read alone is read once more with all that is called by words of
    the language, wherever that is declared."""
    books = [(module, [reading(source) for source in module.sources]) for module in modules]
    if all(one.ok for _, book in books for one in book):
        return books
    pages = (one.page for _, book in books for one in book if one.page is not None)
    names = called_as_words(definition for page in pages for definition in page.definitions)
    again = names and [
        (module, [one if one.ok else read_page(one.source, names=names) for one in book]) for module, book in books
    ]
    return again or books


class _MomentCache:
    """The moments that rules may wait for, as computed last for the modules in the same folders.

    While a definition is typed the others stay, so the last ones serve for a first answer.
    """

    MOST = 16  # sets of modules

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Path, ...], tuple[tuple[t.Definition, ...], tuple[CalendarEntry, ...]]] = (
            OrderedDict()
        )

    def of(self, read: Pages) -> tuple[CalendarEntry, ...]:
        """Return the moments of these pages."""
        definitions = tuple(one for _, pages in read for page in pages for one in page.definitions)
        before, moments = self._known.get(_folders(read), ((), ()))
        if definitions != before:
            moments = _moments(read)
            self._known[_folders(read)] = definitions, moments
            while len(self._known) > self.MOST:
                self._known.popitem(last=False)
        return moments

    def last(self, read: Pages) -> tuple[CalendarEntry, ...]:
        """Return the moments that were computed last for the same modules; none before that."""
        return self._known.get(_folders(read), ((), ()))[1]


def _folders(read: Pages) -> tuple[Path, ...]:
    return tuple(module.folder for module, _ in read)


_MOMENTS = _MomentCache()


def _moments(read: Pages) -> tuple[CalendarEntry, ...]:
    """What rules may wait for: of all that could be read, or else of the game alone."""
    for some in (read, read[:1]):
        linked = looked(UNCHECKED, some)[0].value
        if linked is not None:
            return build_calendar(linked)
    return ()


# Errors pile up inside a pass and stop the line between passes.
PASSES: tuple[Callable[[Any], Outcome[Any]], ...] = (
    parse_all,
    expand,
    layer,
    bounds,
    shape,
    resolve,
    check_types,
    desugar,
    check,
    link,
    differing,
)
CHECKING = PASSES.index(check)
UNCHECKED = (*PASSES[1:CHECKING], link)
"""Pages to a linked book, whatever else is wrong with them."""


@dataclass(frozen=True)
class PartlyRead:
    """Rules as far as names and types go, and how many passes they got through: what follows takes twice as long."""

    outcome: Outcome[TypedBook]
    reached: int


def begin(modules: Modules) -> PartlyRead:
    """Modules to names and types."""
    with work_budget():
        return PartlyRead(*looked(PASSES[:CHECKING], modules))


def understand(modules: Modules, begun: PartlyRead | None = None) -> Outcome[LinkedBook]:
    """Modules to a linked book: everything but the code. Remedies are told as edits only if nothing is worse then.

    begun: what `begin` made of these modules, if that is known.
    """
    with work_budget():
        try:
            return _understand(modules, begun or begin(modules))
        except WorkExceeded as exceeded:
            return Outcome(None, exceeded.diagnostics)


def _understand(modules: Modules, begun: PartlyRead) -> Outcome[LinkedBook]:
    outcome, reached = _finished(begun)
    found = (
        with_remedies(limit_diagnostics(outcome.diagnostics), reached, modules, PASSES)
        if reached
        else outcome.diagnostics
    )
    passages = find_drifted_passages(outcome.value.resolved, (one.manifest for one in modules)) if outcome.value else ()
    return replace(outcome, diagnostics=(*found, *passages))


def _finished(begun: PartlyRead) -> tuple[Outcome[LinkedBook], int]:
    first = begun.outcome
    if not first.ok:
        return Outcome(None, first.diagnostics), begun.reached
    rest, more = looked(PASSES[CHECKING:], first.value)
    return Outcome(rest.value, first.diagnostics + rest.diagnostics), begun.reached + more


def build(modules: Modules, optimized: bool = True) -> Outcome[Program]:
    """Modules to a program; without being `optimized` it is made in half the time, and slow in play."""
    with work_budget():
        named = assign_renames(modules)
        linked = understand(named)
        if linked.ok:
            keep_pages(named)
        outcome = linked.and_then(lambda linked: lower(linked, named, rules_hash(modules), optimized))
    return outcome.and_then(_named) if optimized else outcome


def keep_pages(modules: Modules) -> None:
    """Keep the pages of these rules, as far as they are new: the game's own are part of every module's check."""
    for source in (source for module in modules for source in module.sources):
        keep_page(source)


def _named(program: Program) -> Outcome[Program]:
    return Outcome(program.with_meaning())
