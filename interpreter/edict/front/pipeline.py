"""The pipeline: rule files to a program, pass by pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from edict.language import tree as t
from edict.checks import check
from edict.language.declared import Declared, declared_in
from edict.layering.expand import expand
from edict.layering.in_full import in_full
from edict.sources.folders import Module
from edict.layering.layer import layer
from edict.meaning.link import Linked, link
from edict.lowering import lower
from edict.sources.modules import Modules, rules_hash
from edict.language.parse import parse
from edict.meaning.resolve import resolve
from edict.layering.shape import shape
from edict.front.trying import Pages, Trial, looked, with_remedies
from edict.front.unique import differing
from edict.program import Program
from edict.report import MOST_FINDINGS, Diagnostic, Outcome, shortened
from edict.text import Source
from edict.words.calendar import Moment, calendar


@lru_cache(maxsize=256)
def _parsed(source: Source) -> Outcome[t.Page]:
    """A page as it was parsed before in this process: the game's own files are part of every module's check."""
    return parse(source)


def parse_all(modules: Modules) -> Outcome[tuple[tuple[Module, tuple[t.Page, ...]], ...]]:
    """Every page of every module; the syntax errors of all of them at once."""
    books = [(module, [_parsed(source) for source in module.sources]) for module in modules]
    read = tuple((module, tuple(p.value for p in pages if p.value is not None)) for module, pages in books)
    if all(page.ok for _, pages in books for page in pages):
        return Outcome(read, tuple(d for _, pages in books for page in pages for d in page.diagnostics))
    declared = replace(declared_in(page for _, pages in read for page in pages), moments=cache(lambda: _moments(read)))
    holds = Trial(read, PASSES[1:], PASSES.index(resolve) - 1)
    found: list[Diagnostic] = []
    for source in (one for module in modules for one in module.sources if not _parsed(one).ok):
        told = len(found) >= MOST_FINDINGS  # no more of them will be read, so no remedies are looked for
        found += _parsed(source).diagnostics if told else _explained(source, declared, holds)
    return Outcome(read, shortened(found))


def _moments(read: Pages) -> tuple[Moment, ...]:
    """What rules may wait for: of all that could be read, or else of the game alone."""
    for some in (read, read[:1]):
        linked = looked(PASSES[1:], some)[0].value
        if linked is not None:
            return calendar(linked)
    return ()


def _explained(source: Source, declared: Declared, holds: Trial) -> tuple[Diagnostic, ...]:
    """What is wrong in a page, with remedies that were tried; and how much more there is."""
    found = parse(source, declared, holds).diagnostics
    return (*found, *(one for one in _parsed(source).diagnostics if one.more and one not in found))


# Errors pile up inside a pass and stop the line between passes.
PASSES: tuple[Callable[[Any], Outcome[Any]], ...] = (
    parse_all, expand, in_full, layer, shape, resolve, check, link, differing,
)  # fmt: skip


def understand(modules: Modules) -> Outcome[Linked]:
    """Modules to a linked book: everything but the code. Remedies are told as edits only if nothing is worse then."""
    outcome, reached = looked(PASSES, modules)
    found = with_remedies(shortened(outcome.diagnostics), reached, modules, PASSES) if reached else outcome.diagnostics
    return replace(outcome, diagnostics=found)


def build(modules: Modules, optimized: bool = True) -> Outcome[Program]:
    """Modules to a program; without being `optimized` it is made in half the time, and slow in play."""
    outcome = understand(modules).then(lambda linked: lower(linked, modules, rules_hash(modules), optimized))
    return outcome.then(_named) if optimized else outcome


def _named(program: Program) -> Outcome[Program]:
    return Outcome(program.with_meaning())
