"""The pipeline: rule files to a program, pass by pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from edict.language import tree as t
from edict.checks import check
from edict.checks.passage_drift import drifted_passages
from edict.language.declared_names import declared_in
from edict.language.page_cache import keep_page, reading
from edict.language.parse import Reading, read_page
from edict.language.reserved_words import called_as_words
from edict.layering.bounds import bounds
from edict.layering.expand import expand
from edict.sources.folders import Module
from edict.layering.layer import layer
from edict.meaning.checker import check_types
from edict.meaning.desugar import desugar
from edict.meaning.link import Linked, link
from edict.lowering import lower
from edict.sources.input_limits import rules_too_long
from edict.sources.module_set import Modules, rules_hash
from edict.meaning.resolve import resolve
from edict.meaning.types import Typed
from edict.layering.shape import shape
from edict.front.trying import Pages, Trial, looked, with_remedies
from edict.front.unique import differing
from edict.program import Program
from edict.report import MOST_FINDINGS, Diagnostic, Outcome, shortened
from edict.words.calendar import Moment, calendar


def parse_all(modules: Modules) -> Outcome[tuple[tuple[Module, tuple[t.Page, ...]], ...]]:
    """Every page of every module; the syntax errors of all of them at once. Nothing of rules that are too long."""
    too_long = tuple(rules_too_long(source for module in modules for source in module.sources))
    if too_long:
        return Outcome(None, too_long)
    books = _books(modules)
    pages = tuple((module, tuple(one.page for one in book if one.page is not None)) for module, book in books)
    readings = [one for _, book in books for one in book]
    if all(one.ok for one in readings):
        return Outcome(pages, tuple(d for one in readings for d in one.diagnostics()))
    declared = replace(declared_in(page for _, some in pages for page in some), moments=cache(lambda: _moments(pages)))
    holds = Trial(pages, PASSES[1:], PASSES.index(resolve) - 1)
    found: list[Diagnostic] = []
    for one in readings:
        if not one.ok:  # no more than so many will be shown, so for others no remedies are looked for
            errors = sum(d.is_error for d in found)
            found += one.diagnostics(declared, holds, max(0, MOST_FINDINGS - errors))
    return Outcome(pages, shortened(found))


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


def _moments(read: Pages) -> tuple[Moment, ...]:
    """What rules may wait for: of all that could be read, or else of the game alone."""
    for some in (read, read[:1]):
        linked = looked(PASSES[1:], some)[0].value
        if linked is not None:
            return calendar(linked)
    return ()


# Errors pile up inside a pass and stop the line between passes.
PASSES: tuple[Callable[[Any], Outcome[Any]], ...] = (
    parse_all, expand, layer, bounds, shape, resolve, check_types, desugar, check, link, differing,
)  # fmt: skip


CHECKING = PASSES.index(check)


@dataclass(frozen=True)
class Begun:
    """Rules as far as names and types go, and how many passes they got through: what follows takes twice as long."""

    outcome: Outcome[Typed]
    reached: int


def begin(modules: Modules) -> Begun:
    """Modules to names and types."""
    return Begun(*looked(PASSES[:CHECKING], modules))


def understand(modules: Modules, begun: Begun | None = None) -> Outcome[Linked]:
    """Modules to a linked book: everything but the code. Remedies are told as edits only if nothing is worse then.

    begun: what `begin` made of these modules, if that is known.
    """
    begun = begun or begin(modules)
    outcome, reached = _finished(begun)
    found = with_remedies(shortened(outcome.diagnostics), reached, modules, PASSES) if reached else outcome.diagnostics
    passages = drifted_passages(outcome.value.resolved, (one.manifest for one in modules)) if outcome.value else ()
    return replace(outcome, diagnostics=(*found, *passages))


def _finished(begun: Begun) -> tuple[Outcome[Linked], int]:
    first = begun.outcome
    if not first.ok:
        return Outcome(None, first.diagnostics), begun.reached
    rest, more = looked(PASSES[CHECKING:], first.value)
    return Outcome(rest.value, first.diagnostics + rest.diagnostics), begun.reached + more


def build(modules: Modules, optimized: bool = True) -> Outcome[Program]:
    """Modules to a program; without being `optimized` it is made in half the time, and slow in play."""
    linked = understand(modules)
    if linked.ok:
        keep_pages(modules)
    outcome = linked.then(lambda linked: lower(linked, modules, rules_hash(modules), optimized))
    return outcome.then(_named) if optimized else outcome


def keep_pages(modules: Modules) -> None:
    """Keep the pages of these rules, as far as they are new: the game's own are part of every module's check."""
    for source in (source for module in modules for source in module.sources):
        keep_page(source)


def _named(program: Program) -> Outcome[Program]:
    return Outcome(program.with_meaning())
