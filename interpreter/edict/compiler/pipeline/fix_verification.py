"""Verification of fixes, for which the rules are analyzed once more with the edits, and must not be worse.

The passes after the parser take some hundredths of a second, so fixes can be verified during a check.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import zip_longest
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
CONSTANT_CODES = ("E0515", "E0531", "E0550")  # codes of lines that say nothing, such as a condition that always holds
UNKNOWN_NAME = "E0201"
MOST_ROUNDS = 4  # rounds in which lines with other mistakes are left out
MOST_BROKEN = 50  # unparsable lines of a file that are left out
MOST_LINES = 20_000  # lines that are analyzed again in one check
LEAST_COST = 500  # lines that a verification counts for at least
UNKNOWN_NAME_CODES = ("E02", "E04")  # beginnings of codes of lines that can be parsed but have no meaning
MOST_HABITS = 8  # lines that are compared with habits
MOST_FIXED = 40  # verified fixes of errors other than syntax
_QUOTED_NAME = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"[^\W\d_][\w-]*")


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
    """Tries fixes of lines that cannot be parsed, whatever else is wrong in the rules.

    A fix is applied, the rules are analyzed by all passes, and the changed lines must be free of errors and of
    conditions that are constant. Lines with other mistakes are left out of the trial, so they do not affect it.
    """

    def __init__(self, module_pages: Pages, passes: Passes) -> None:
        """Prepare trials.

        Args:
            module_pages: The pages of the modules.
            passes: The passes to run on them.
        """
        self.module_pages, self.passes = module_pages, passes
        self._budget = VerificationBudget(module for module, _ in module_pages)
        self._faulty_lines: set[tuple[str, str]] = set()  # other lines with errors, as definition and line

    def __call__(self, source: Source, edits: tuple[Edit, ...], tolerant: bool) -> bool:
        """Return True if the lines that edits change can be parsed and have no errors after them.

        Args:
            source: The file.
            edits: The edits.
            tolerant: True to accept names that the author wrote and nothing declares.
        """
        edited_source = replace(source, text=apply_edits(source.text, edits))
        lines = find_changed_lines(edits)
        trial = _IsolatedTrial(edited_source, lines, self._faulty_lines)
        elsewhere: set[tuple[str, int]] = set()
        for _ in range(MOST_ROUNDS):
            if not self._budget.afford([source]):
                return False
            page = trial.parse()
            if page is None:
                return False
            pages = self._replace_page(page)
            outcome, _ = run_passes(self.passes, _without_faulty_definitions(pages, elsewhere))
            errors = [found for found in outcome.diagnostics if found.is_error]
            places = {(found.span.file, found.span.line) for found in errors if found.span.file != source.name}
            if not trial.leave_out(errors) and places <= elsewhere:
                break
            elsewhere |= places
        faults = [diagnostic for diagnostic in outcome.diagnostics if trial.is_fault(diagnostic)]
        if faults and all(fault.span.line not in lines for fault in faults):
            faults = self._drop_former_faults(faults, trial)
        if tolerant:
            written = set(_WORD.findall("\n".join(source.lines[edit.span.line - 1] for edit in edits)))
            return all(_is_unknown_name(fault, written) for fault in faults)
        return not faults

    def _drop_former_faults(self, faults: Sequence[Diagnostic], trial: _IsolatedTrial) -> list[Diagnostic]:
        """Return the faults in the head of a definition that it does not have without the changed lines."""
        bare = _IsolatedTrial(trial.source, trial.heads, self._faulty_lines)
        for number in trial.lines - trial.heads:
            bare.leave_out_line(number)
        page = bare.parse()
        if page is None or not self._budget.afford([trial.source]):
            return list(faults)
        outcome, _ = run_passes(self.passes, self._replace_page(page))
        former = {_fault_key(diagnostic) for diagnostic in outcome.diagnostics}
        return [fault for fault in faults if _fault_key(fault) not in former]

    def _replace_page(self, page: t.Page) -> Pages:
        """Return the pages of all modules with `page` in place of the one of the same file."""
        return tuple(
            (module, tuple(page if other.file == page.file else other for other in pages))
            for module, pages in self.module_pages
        )


class _IsolatedTrial:
    """A file in which only some lines matter; other lines are left out as soon as an error is found in them."""

    def __init__(self, source: Source, lines: set[int], faulty_lines: set[tuple[str, str]]) -> None:
        self.source, self.lines = source, lines
        self.heads = {_find_definition_line(source, line) for line in lines}
        self._faulty_lines = faulty_lines
        self._left_out_names: set[str] = set()  # declared by definitions that are left out
        for number in range(1, len(source.lines) + 1):
            if number not in lines and self._line_key(number) in faulty_lines:
                self.leave_out_line(number)

    def parse(self) -> t.Page | None:
        """Return what can be parsed of the file; None if one of the lines cannot, or its definition."""
        page, broken = split_readable(self.source)
        for _ in range(MOST_ROUNDS):
            others = [number for number in broken if number <= len(self.source.lines)]
            if self.lines & set(broken):
                return None
            if not 0 < len(others) <= MOST_BROKEN:
                break
            for number in others:
                self.leave_out_line(number)
            page, broken = split_readable(self.source)
        for text in broken.values():
            self._left_out_names.update(_WORD.findall(text.partition("\n")[0]))
        if {_find_definition_line(self.source, number) for number in broken} & self.heads:
            return None
        return page

    def leave_out(self, errors: Iterable[Diagnostic]) -> bool:
        """Leave out the other lines of the file that have errors; return False if there are none."""
        before = self.source
        for diagnostic in errors:
            if diagnostic.span.file == self.source.name and not self._matters(diagnostic):
                self.leave_out_line(diagnostic.span.line)
        return self.source.text != before.text

    def is_fault(self, diagnostic: Diagnostic) -> bool:
        """Return True for an error in the lines that matter, and for a warning that they do not mean what they say."""
        if diagnostic.span.file != self.source.name or not self._matters(diagnostic):
            return False
        if diagnostic.is_error:
            return diagnostic.code not in INCOMPLETE_CODES and not self._left_out_names & set(
                _QUOTED_NAME.findall(diagnostic.title)
            )
        return diagnostic.code in CONSTANT_CODES

    def _matters(self, diagnostic: Diagnostic) -> bool:
        """Return True if a diagnostic is about a line that matters, or about the head of its definition."""
        return diagnostic.span.line in self.lines | self.heads

    def _line_key(self, number: int) -> tuple[str, str]:
        """Return the first line of a definition and a line of it, which recognize the line in other trials."""
        return self.source.lines[_find_definition_line(self.source, number) - 1], self.source.lines[number - 1]

    def leave_out_line(self, number: int) -> None:
        """Replace a line and those under it by `nothing`; by empty lines if it is unindented or that was no help."""
        self._faulty_lines.add(self._line_key(number))
        text = list(self.source.lines)
        block = (number, *iter_lines_below(text, number))
        if self.lines & set(block):
            return
        line = text[number - 1]
        margin = line[: count_indent(line)]
        self._left_out_names.update(() if margin else _WORD.findall(line))
        stand_in = f"{margin}nothing" if margin and line.strip() != "nothing" else ""
        text[number - 1 : block[-1]] = [stand_in, *[""] * (block[-1] - number)]
        self.source = replace(self.source, text="\n".join(text) + "\n")


def _without_faulty_definitions(module_pages: Pages, places: Collection[tuple[str, int]]) -> Pages:
    """Return the pages without the definitions at some places, each a file and a line."""
    if not places:
        return module_pages
    return tuple(
        (module, tuple(replace(page, definitions=tuple(_iter_other_definitions(page, places))) for page in pages))
        for module, pages in module_pages
    )


def _iter_other_definitions(page: t.Page, places: Collection[tuple[str, int]]) -> Iterator[t.Definition]:
    """Yield the definitions of a page that are at none of these places."""
    faulty = {line for file, line in places if file == page.file}
    next_lines = [definition.span.line for definition in page.definitions[1:]]
    for definition, stop in zip_longest(page.definitions, next_lines, fillvalue=None):
        if definition is not None and not any(
            definition.span.line <= line and (stop is None or line < stop) for line in faulty
        ):
            yield definition


def _is_unknown_name(diagnostic: Diagnostic, written: set[str]) -> bool:
    """Return True for the error that a word which the author wrote is no name."""
    return diagnostic.code == UNKNOWN_NAME and bool(written & set(_QUOTED_NAME.findall(diagnostic.title)))


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
