"""Verification of fixes, for which the rules are analyzed once more with the edits, and must not be worse.

The passes after the parser take some hundredths of a second, so fixes can be verified during a check.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from edict.compiler.semantics.name_lookup import only_suggests_declaring
from edict.compiler.sources.folders import Module
from edict.compiler.sources.input_limits import count_signs
from edict.compiler.sources.module_set import Modules
from edict.compiler.sources.work_budget import CHECKING, READING_AGAIN, WorkExceeded, can_spend
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.constructs import find_idea
from edict.compiler.syntax.declared_names import DeclaredNames, collect_declared_names
from edict.compiler.syntax.parse import split_readable
from edict.compiler.syntax.syntax_errors.diagnosis import iter_habit_diagnostics
from edict.support.report import Diagnostic, Edit, Outcome, apply_edits
from edict.support.text import Source, count_indent

Pages = tuple[tuple[Module, tuple[t.Page, ...]], ...]
Passes = Sequence[Callable[[Any], Outcome[Any]]]
INCOMPLETE_CODES = ("E0301", "E0530")  # codes of lines that are right by now, but lack something beside them
UNKNOWN_KIND_CODE = "E0300"  # code of a line whose first word changes the meaning of all below it
MOST_ROUNDS = 2  # rounds in which unparsable lines are left out
MOST_BROKEN = 50  # unparsable lines of a file that are left out
MOST_LINES = 20_000  # lines that are analyzed again in one check
LEAST_COST = 500  # lines that a verification counts for at least
UNKNOWN_NAME_CODES = ("E02", "E04")  # beginnings of codes of lines that can be parsed but have no meaning
MOST_HABITS = 8  # lines that are compared with habits
MOST_FIXED = 40  # verified fixes of errors other than syntax
_QUOTED_NAME = re.compile(r"`([^`]+)`")


class VerificationBudget:
    """The budget of verifications; there may be thousands of mistakes in files of thousands of lines."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self._left = MOST_LINES
        signs = sum(count_signs(source) for module in modules for source in module.sources)
        self._cost = (READING_AGAIN + CHECKING) * signs

    def afford(self, sources: Iterable[Source]) -> bool:
        """Subtract the cost of these files (their lines) from the budget; return False if it is exhausted."""
        self._left -= max(LEAST_COST, sum(len(source.lines) for source in sources))
        return self._left >= 0 and can_spend(self._cost)


class RepairVerifier:
    """Verifies fixes in rules that cannot all be parsed."""

    def __init__(self, module_pages: Pages, passes: Passes, resolve_index: int) -> None:
        """Prepare verification.

        Args:
            module_pages: The pages of the modules.
            passes: The passes to run on them.
            resolve_index: The number of passes before the one that resolves names.
        """
        self.module_pages, self.passes, self.resolve_index = module_pages, passes, resolve_index
        self._budget = VerificationBudget(module for module, _ in module_pages)

    def __call__(self, source: Source, edits: tuple[Edit, ...], sure: bool) -> bool:
        """Return True if the lines that edits change can be parsed and have no errors after them.

        Args:
            source: The file.
            edits: The edits.
            sure: True to require that names could be resolved; False to accept edits where other errors prevent that.
        """
        if not self._budget.afford([source]):
            return False
        edited_source_file = replace(source, text=apply_edits(source.text, edits))
        lines = find_changed_lines(edits)
        page, broken = _parse_around(edited_source_file, lines)
        heads = {_find_definition_line(edited_source_file, line) for line in lines}
        if sure:
            unclear = {_find_definition_line(edited_source_file, number) for number in broken} & heads
        else:
            unclear = set()
        if unclear or any(number in lines for number in broken):
            return False
        unparsed_words = set(re.findall(r"[^\W\d_][\w-]*", "\n".join(broken.values())))
        outcome, reached = run_passes(self.passes, self._replace_page(page))
        stopped_early = reached < self.resolve_index and not all(
            diagnostic.code in INCOMPLETE_CODES for diagnostic in outcome.diagnostics if diagnostic.is_error
        )
        if sure and stopped_early:
            return False
        errors_here = (
            diagnostic
            for diagnostic in outcome.diagnostics
            if diagnostic.is_error and diagnostic.span.file == source.name
        )
        faults = (
            diagnostic
            for diagnostic in errors_here
            if diagnostic.span.line in (heads | lines if sure or diagnostic.code == UNKNOWN_KIND_CODE else lines)
        )
        faults = (diagnostic for diagnostic in faults if diagnostic.code not in INCOMPLETE_CODES)
        return not any(not unparsed_words & set(_QUOTED_NAME.findall(diagnostic.title)) for diagnostic in faults)

    def _replace_page(self, page: t.Page) -> Pages:
        """Return the pages of all modules with `page` in place of the one of the same file."""
        return tuple(
            (module, tuple(page if other.file == page.file else other for other in pages))
            for module, pages in self.module_pages
        )


def _find_definition_line(source: Source, number: int) -> int:
    """Return the unindented line to which a line belongs, or 1 in a text that edits left empty."""
    lines = source.lines
    return next(
        (
            candidate
            for candidate in range(min(number, len(lines)), 0, -1)
            if candidate == 1 or lines[candidate - 1][:1].strip()
        ),
        1,
    )


def _parse_around(source: Source, lines: set[int]) -> tuple[t.Page, dict[int, str]]:
    """Return the page of what can be parsed, and the text of the rest by line of its mistake.

    Other unparsable lines in the definitions of these lines are replaced by `nothing`.
    """
    page, broken = split_readable(source)
    for _ in range(MOST_ROUNDS):
        others = [number for number in broken if number <= len(source.lines)]
        if not 0 < len(others) <= MOST_BROKEN or lines & set(broken):
            break
        text = list(source.lines)
        for number in others:
            block = (number, *iter_lines_below(text, number))
            margin = text[number - 1][: count_indent(text[number - 1])]
            if margin and not lines & set(block):
                text[number - 1 : block[-1]] = [f"{margin}nothing", *[""] * (block[-1] - number)]
        source = replace(source, text="\n".join(text) + "\n")
        page, broken = split_readable(source)
    return page, broken


def find_changed_lines(edits: Iterable[Edit]) -> set[int]:
    """Return the numbers of the lines that edits change, after the edits."""
    lines, offset = set[int](), 0
    for edit in sorted(edits):
        added = edit.text.count("\n")
        first = edit.span.line + offset
        lines |= set(range(first, first + added + 1))
        offset += added - (edit.span.end_line - edit.span.line)
    return lines


# --- fixes of rules that can be parsed --------------------------------------------------------------


def run_passes(passes: Passes, value: Any) -> tuple[Outcome[Any], int]:
    """Run passes in turn until one finds an error.

    Returns:
        The outcome, and the number of passes without errors.
    """
    outcome: Outcome[Any] = Outcome(value)
    for number, run_pass in enumerate(passes):
        if not outcome.ok:
            return Outcome(None, outcome.diagnostics), number - 1
        try:
            outcome = outcome.and_then(run_pass)
        except WorkExceeded as exceeded:
            outcome = Outcome(None, (*outcome.diagnostics, *exceeded.diagnostics))
    return outcome, len(passes) - (not outcome.ok)


def verify_fixes(
    diagnostics: tuple[Diagnostic, ...], reached: int, modules: Modules, passes: Passes
) -> tuple[Diagnostic, ...]:
    """Return all diagnostics; edits remain only where applying them removes the fault and adds none."""
    fixable = [diagnostic for diagnostic in diagnostics if diagnostic.edits]
    verifier = _FixVerifier(diagnostics, reached, modules, passes)
    verified = set(map(id, verifier.select_verified_diagnostics(fixable[:MOST_FIXED])))
    result = [
        diagnostic if not diagnostic.edits or id(diagnostic) in verified else replace(diagnostic, edits=())
        for diagnostic in diagnostics
    ]
    return tuple(map(verifier.explain, result))


def iter_diagnostics_without_fixes(
    diagnostics: Iterable[Diagnostic], modules: Modules, declared: DeclaredNames
) -> Iterator[Diagnostic]:
    """Yield the diagnostics that verifying fixes cannot change, with their edits removed.

    Lines that may turn out to be a habit are left out.
    """
    habits = 0
    for diagnostic in diagnostics:
        source = _find_source(diagnostic, modules)
        if source is not None and _may_be_habit(diagnostic) and habits < MOST_HABITS:
            habits += 1
            if any(
                habit.edits or diagnostic.code == UNKNOWN_KIND_CODE
                for habit in iter_habit_diagnostics(source, diagnostic.span, declared)
            ):
                continue
        yield replace(diagnostic, edits=())


def _find_source(diagnostic: Diagnostic, modules: Modules) -> Source | None:
    """Return the source of the file that a diagnostic's span names, or None if it is in no module."""
    return next(
        (source for module in modules for source in module.sources if source.name == diagnostic.span.file), None
    )


def _may_be_habit(diagnostic: Diagnostic) -> bool:
    """Return True if a line is compared with habits, because it can be parsed but has no meaning."""
    return not diagnostic.exact and (diagnostic.code[:3] in UNKNOWN_NAME_CODES or diagnostic.code == UNKNOWN_KIND_CODE)


class _FixVerifier:
    """Verifies the fixes of diagnostics."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...], reached: int, modules: Modules, passes: Passes) -> None:
        self.before, self.reached, self.modules, self.passes = (
            Counter(map(_fault_key, diagnostics)),
            reached,
            modules,
            passes,
        )
        self._budget = VerificationBudget(modules)
        self._habits = 0

    @cached_property
    def _declared(self) -> DeclaredNames:
        """Return the names that the modules declare, from pages that are parsed anew."""
        module_pages: Pages = self.passes[0](self.modules).value or ()
        return collect_declared_names(page for _, pages in module_pages for page in pages)

    def explain(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic with the habit or idea behind an unknown word, if nothing better is known."""
        source = _find_source(diagnostic, self.modules)
        if source is None or not _may_be_habit(diagnostic):
            return diagnostic
        habit = self._find_habit(diagnostic, source)
        if habit is not None or not only_suggests_declaring(diagnostic):
            return habit or diagnostic
        line = source.lines[diagnostic.span.line - 1]
        idea = find_idea([line[diagnostic.span.column - 1 : diagnostic.span.end_column - 1]], line, self._declared)
        return replace(diagnostic, help=idea) if idea else diagnostic

    def _find_habit(self, diagnostic: Diagnostic, source: Source) -> Diagnostic | None:
        """Return the first habit's diagnostic for the line whose edits remove the fault; None beyond `MOST_HABITS`.

        For a line with an unknown kind, a habit without a fix is returned, too.
        """
        if self._habits == MOST_HABITS:
            return None
        self._habits += 1
        for habit in iter_habit_diagnostics(source, diagnostic.span, self._declared):
            if (
                self._are_fixed([replace(diagnostic, edits=habit.edits)])
                if habit.edits
                else diagnostic.code == UNKNOWN_KIND_CODE
            ):
                return habit
        return None

    def select_verified_diagnostics(self, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
        """Return the diagnostics whose edits remove the faults: all if they do together, else checked by halves."""
        if not diagnostics or self._are_fixed(diagnostics):
            return list(diagnostics)
        half = len(diagnostics) // 2
        if half:
            return [
                *self.select_verified_diagnostics(diagnostics[:half]),
                *self.select_verified_diagnostics(diagnostics[half:]),
            ]
        return []

    def _are_fixed(self, diagnostics: Sequence[Diagnostic]) -> bool:
        """Return True if the edits of these diagnostics, made together, remove each of them and cause no new error."""
        edits = [edit for diagnostic in diagnostics for edit in diagnostic.edits]
        files = {edit.span.file for edit in edits}
        if not self._budget.afford(
            source for module in self.modules for source in module.sources if source.name in files
        ):
            return False
        modules = tuple(
            replace(module, sources=tuple(edit_source_file(s, edits) for s in module.sources))
            for module in self.modules
        )
        outcome, reached = run_passes(self.passes, modules)
        remaining = Counter(map(_fault_key, outcome.diagnostics))
        if reached < self.reached or any(
            remaining[fault] >= count for fault, count in Counter(map(_fault_key, diagnostics)).items()
        ):
            return False
        lines = {(file, number) for file in files for number in find_changed_lines(_edits_of_file(file, edits))}
        errors = (
            diagnostic
            for diagnostic in outcome.diagnostics
            if diagnostic.is_error and diagnostic.code not in INCOMPLETE_CODES
        )
        new_errors = (
            diagnostic
            for diagnostic in errors
            if remaining[_fault_key(diagnostic)] > self.before[_fault_key(diagnostic)]
        )
        return not any(
            reached == self.reached or (diagnostic.span.file, diagnostic.span.line) in lines
            for diagnostic in new_errors
        )


def _fault_key(diagnostic: Diagnostic) -> tuple[str, str]:
    """Return code and title of a diagnostic, by which a fault is recognized when edits have moved its span."""
    return diagnostic.code, diagnostic.title


def _edits_of_file(file: str, edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits whose spans lie in this file, in their order."""
    return [edit for edit in edits if edit.span.file == file]


def edit_source_file(source: Source, edits: Iterable[Edit]) -> Source:
    """Return a file with those edits applied that belong to it."""
    own = _edits_of_file(source.name, edits)
    return replace(source, text=apply_edits(source.text, own)) if own else source


def iter_lines_below(lines: Sequence[str], number: int) -> Iterator[int]:
    """Yield the numbers of the non-empty lines that are indented under a line."""
    margin = count_indent(lines[number - 1])
    for below, line in enumerate(lines[number:], number + 1):
        if line.strip():
            if count_indent(line) <= margin:
                return
            yield below
