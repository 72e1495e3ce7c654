"""The pipeline from rule files to a program, pass by pass.

What explains and fixes mistakes is imported only if there are some: it takes a tenth of a check.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from edict.compiler.checks import check
from edict.compiler.checks.passage_drift import find_drifted_passages
from edict.compiler.english.calendar import CalendarEntry, build_calendar
from edict.compiler.layering.expand import expand
from edict.compiler.layering.layer import layer_modules
from edict.compiler.layering.setting_bounds import resolve_bounds
from edict.compiler.layering.thing_validation import validate_things
from edict.compiler.lowering import EmittedRules, emit
from edict.compiler.pipeline.passes import Pages, run_passes
from edict.compiler.pipeline.uniqueness import check_uniqueness
from edict.compiler.semantics.checker import check_types
from edict.compiler.semantics.desugar import desugar
from edict.compiler.semantics.link import LinkedBook, link
from edict.compiler.semantics.resolve import resolve
from edict.compiler.semantics.types import TypedBook
from edict.compiler.sources.folders import Module
from edict.compiler.sources.input_limits import check_total_length
from edict.compiler.sources.module_set import Modules, hash_rules
from edict.compiler.sources.work_budget import WorkExceeded, set_current_definition, spend_reading, use_work_budget
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import DeclaredNames, collect_declared_names
from edict.compiler.syntax.editions.module_renames import assign_renames
from edict.compiler.syntax.parse import ParseResult, get_parse_result, parse_file, save_page
from edict.compiler.syntax.reserved_words import find_keyword_names
from edict.runtime.program import Program
from edict.support.records import dataclass
from edict.support.report import MOST_FINDINGS, Diagnostic, Edit, Outcome, limit_diagnostics
from edict.support.text import Source, Span


def parse_modules(modules: Modules) -> Outcome[tuple[tuple[Module, tuple[t.Page, ...]], ...]]:
    """Parse every file of every module, with all syntax errors at once; rules that are too long are not parsed."""
    parsed = parse_without_diagnosis(modules)
    if parsed.value is None:
        return Outcome(None, parsed.diagnostics)
    pages, results = parsed.value.pages, parsed.value.results
    if parsed.value.ok:
        return Outcome(pages, tuple(diagnostic for result in results for diagnostic in result.explain()))
    from edict.compiler.pipeline.fix_verification import RepairVerifier

    declared = replace(parsed.value.declared, moments=lambda: _EVENTS.get_or_compute(pages))
    verifier = RepairVerifier(pages, PASSES[1:], CHECKING - 1)
    diagnostics: list[Diagnostic] = []
    for result in results:
        if not result.ok:  # only so many are shown, so no fixes are searched for others
            errors = sum(diagnostic.is_error for diagnostic in diagnostics)
            diagnostics += result.explain(declared, verifier, max(0, MOST_FINDINGS - errors))
    return Outcome(pages, limit_diagnostics(diagnostics))


@dataclass(frozen=True)
class ParsedModules:
    """The pages of modules as far as they can be parsed."""

    pages: Pages
    results: tuple[ParseResult, ...]  # the parsed files

    @property
    def ok(self) -> bool:
        """True if all files could be parsed without errors."""
        return all(result.ok for result in self.results)

    @property
    def declared(self) -> DeclaredNames:
        """The names that the pages declare."""
        return collect_declared_names(page for _, module_pages in self.pages for page in module_pages)


def parse_without_diagnosis(modules: Modules) -> Outcome[ParsedModules]:
    """Parse every file as far as possible, without explaining mistakes yet.

    The result is an error if the rules are too long.
    """
    too_long = tuple(check_total_length(source for module in modules for source in module.sources))
    if too_long:
        return Outcome(None, too_long)
    for source in (source for module in modules for source in module.sources):
        set_current_definition(source.name, Span(source.name, 1, 1, 1, 2))
        spend_reading(source)
    parsed_modules = _parse_files(assign_renames(modules))
    pages = tuple(
        (module, tuple(result.page for result in results if result.page is not None))
        for module, results in parsed_modules
    )
    return Outcome(ParsedModules(pages, tuple(result for _, results in parsed_modules for result in results)))


class FixNotVerified(Exception):
    """Raised where a diagnostic depends on verifying a fix, which is not done now."""


def quick_syntax_diagnostics(parsed: ParsedModules) -> Iterator[Diagnostic]:
    """Yield the syntax diagnostics that are certain without trying fixes, for an editor while typing.

    Mistakes whose diagnostic may change once fixes are verified are left out.
    """
    declared = replace(parsed.declared, moments=lambda: _EVENTS.get_last(parsed.pages))

    def reject_verification(source: Source, edits: tuple[Edit, ...]) -> Sequence[Diagnostic] | None:
        raise FixNotVerified

    for result in parsed.results:
        if not result.ok:
            yield from result.explain_certain(declared, reject_verification, FixNotVerified)


def _parse_files(modules: Modules) -> list[tuple[Module, list[ParseResult]]]:
    """Return the parsed files of each module.

    Files with errors are parsed again with all keywords that serve as names in any module.
    """
    parsed_modules = [(module, [get_parse_result(source) for source in module.sources]) for module in modules]
    if all(result.ok for _, results in parsed_modules for result in results):
        return parsed_modules
    pages = (result.page for _, results in parsed_modules for result in results if result.page is not None)
    names = find_keyword_names(definition for page in pages for definition in page.definitions)
    reparsed = names and [
        (module, [result if result.ok else parse_file(result.source, names=names) for result in results])
        for module, results in parsed_modules
    ]
    return reparsed or parsed_modules


class _EventCache:
    """A cache of the events that rules may wait for, by the folders of the modules.

    While a definition is typed the others stay, so the last events serve for a first answer.
    """

    MOST = 16  # sets of modules

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Path, ...], tuple[tuple[t.Definition, ...], tuple[CalendarEntry, ...]]] = (
            OrderedDict()
        )

    def get_or_compute(self, module_pages: Pages) -> tuple[CalendarEntry, ...]:
        """Return the events of these pages."""
        definitions = tuple(
            definition for _, pages in module_pages for page in pages for definition in page.definitions
        )
        cached_definitions, moments = self._known.get(_folders(module_pages), ((), ()))
        if definitions != cached_definitions:
            moments = _compute_events(module_pages)
            self._known[_folders(module_pages)] = definitions, moments
            while len(self._known) > self.MOST:
                self._known.popitem(last=False)
        return moments

    def get_last(self, module_pages: Pages) -> tuple[CalendarEntry, ...]:
        """Return the events that were computed last for the same modules, or none."""
        return self._known.get(_folders(module_pages), ((), ()))[1]


def _folders(module_pages: Pages) -> tuple[Path, ...]:
    """Return the folders of the modules, in their order, as key of the event cache."""
    return tuple(module.folder for module, _ in module_pages)


_EVENTS = _EventCache()


def _compute_events(module_pages: Pages) -> tuple[CalendarEntry, ...]:
    """Return the calendar of all modules, or if they do not link, of the game alone, or an empty tuple."""
    for candidates in (module_pages, module_pages[:1]):
        linked = run_passes(PASSES_WITHOUT_CHECKS, candidates)[0].value
        if linked is not None:
            return build_calendar(linked)
    return ()


# Errors are collected within a pass and stop the pipeline between passes.
PASSES: tuple[Callable[[Any], Outcome[Any]], ...] = (
    parse_modules,
    expand,
    layer_modules,
    resolve_bounds,
    validate_things,
    resolve,
    check_types,
    desugar,
    check,
    link,
    check_uniqueness,
)
CHECKING = PASSES.index(check)
# from pages to a linked book, without the checks, whose errors would stop the pipeline
PASSES_WITHOUT_CHECKS = (*PASSES[1:CHECKING], link)


@dataclass(frozen=True)
class PartialAnalysis:
    """Rules analyzed up to names and types; the remaining passes take twice as long."""

    outcome: Outcome[TypedBook]
    reached: int  # number of passes without errors


def typecheck(modules: Modules) -> PartialAnalysis:
    """Run the passes up to names and types on modules."""
    with use_work_budget():
        return PartialAnalysis(*run_passes(PASSES[:CHECKING], modules))


def analyze(modules: Modules, partial: PartialAnalysis | None = None) -> Outcome[LinkedBook]:
    """Run all passes up to the linked book, which is returned with the diagnostics; fixes are verified.

    Fixes are offered as edits only if the rules are no worse with them.

    Args:
        modules: The modules.
        partial: The result of `typecheck` for these modules, if it is known.
    """
    with use_work_budget():
        try:
            return _analyze_with_fixes(modules, partial or typecheck(modules))
        except WorkExceeded as exceeded:
            return Outcome(None, exceeded.diagnostics)


def _analyze_with_fixes(modules: Modules, partial: PartialAnalysis) -> Outcome[LinkedBook]:
    """Run the remaining passes, keep only fixes that work, and add warnings about outdated passages of the book."""
    outcome, reached = _check_and_link(partial)
    diagnostics = outcome.diagnostics
    if reached and diagnostics:
        from edict.compiler.pipeline.fix_verification import verify_fixes

        diagnostics = verify_fixes(limit_diagnostics(diagnostics), reached, modules, PASSES, CHECKING)
    passages = (
        find_drifted_passages(outcome.value.resolved, (module.manifest for module in modules)) if outcome.value else ()
    )
    return replace(outcome, diagnostics=(*diagnostics, *passages))


def _check_and_link(partial: PartialAnalysis) -> tuple[Outcome[LinkedBook], int]:
    """Run the passes after names and types; return the linked book and the number of passes that succeeded."""
    typed_outcome = partial.outcome
    if not typed_outcome.ok:
        return Outcome(None, typed_outcome.diagnostics), partial.reached
    linked_outcome, further = run_passes(PASSES[CHECKING:], typed_outcome.value)
    return Outcome(
        linked_outcome.value, typed_outcome.diagnostics + linked_outcome.diagnostics
    ), partial.reached + further


def build_program(modules: Modules, optimized: bool = True) -> Outcome[Program]:
    """Compile modules to a program.

    Args:
        modules: The modules.
        optimized: False to build in half the time a program that is slow to play, without its meaning.
    """
    program = emit_rules(modules, optimized).and_then(lambda emitted: Outcome(emitted.build_program()))
    return program.and_then(lambda built: Outcome(built.with_meaning())) if optimized else program


def emit_rules(modules: Modules, optimized: bool = False) -> Outcome[EmittedRules]:
    """Compile modules to code, which finds all errors.

    Args:
        modules: The modules.
        optimized: False to emit in half the time code that is slow to play.
    """
    with use_work_budget():
        renamed_modules = assign_renames(modules)
        linked = analyze(renamed_modules)
        if linked.ok:
            save_pages(renamed_modules)
        return linked.and_then(lambda linked: emit(linked, renamed_modules, hash_rules(modules), optimized))


def save_pages(modules: Modules) -> None:
    """Save the parsed pages for other processes; those of the game are part of every module's check."""
    for source in (source for module in modules for source in module.sources):
        save_page(source)
