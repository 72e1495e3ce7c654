"""Verification of fixes, for which the rules are analyzed once more with the edits, and must not be worse.

The passes after the parser take some hundredths of a second, so fixes can be verified during a check.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import zip_longest
from typing import Any

from edict.compiler.checks.constant_conditions import ALWAYS_TRUE
from edict.compiler.pipeline.passes import Pages, Passes, run_passes
from edict.compiler.semantics.name_lookup import only_suggests_declaring
from edict.compiler.sources.folders import Module
from edict.compiler.sources.input_limits import count_signs
from edict.compiler.sources.module_set import Modules
from edict.compiler.sources.work_budget import CHECKING, READING_AGAIN, can_spend
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.constructs import fill_blanks, find_form, find_idea
from edict.compiler.syntax.declared_names import DeclaredNames, collect_declared_names
from edict.compiler.syntax.parse import split_readable
from edict.compiler.syntax.syntax_errors.diagnosis import iter_habit_diagnostics
from edict.compiler.syntax.syntax_errors.kept_words import keeps_meaning
from edict.compiler.syntax.syntax_errors.vocabulary import Vocabulary, find_local_names
from edict.compiler.syntax.syntax_errors.word_stream import iter_line_words
from edict.support.report import Diagnostic, Edit, Outcome, apply_edits, merge_remedies
from edict.support.text import Source, Span, count_indent

INCOMPLETE_CODES = ("E0301", "E0530")  # codes of lines that are right by now, but lack something beside them
UNKNOWN_KIND_CODE = "E0300"  # code of a line whose first word changes the meaning of all below it
MOST_ROUNDS = 4  # rounds in which lines with other mistakes are left out
MOST_BROKEN = 50  # unparsable lines of a file that are left out
MOST_LINES = 10_000  # lines that are analyzed again in one check
LEAST_COST = 250  # lines that a verification counts for at least
UNKNOWN_NAME_CODES = ("E02", "E04")  # beginnings of codes of lines that can be parsed but have no meaning
MOST_CHAINED = 3  # faults in one line that are fixed together
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
    conditions that are always true. Lines with other mistakes are left out of the trial, so they do not affect it.
    """

    def __init__(self, module_pages: Pages, passes: Passes, checking: int) -> None:
        """Prepare trials.

        Args:
            module_pages: The pages of the modules.
            passes: The passes to run on them.
            checking: The number of passes before the one that runs the checks; no later one has to succeed.
        """
        self.module_pages, self.passes, self.checking = module_pages, passes, checking
        self._budget = VerificationBudget(module for module, _ in module_pages)
        self._faulty_lines: set[tuple[str, str]] = set()  # other lines with errors, as definition and line

    def __call__(self, source: Source, edits: tuple[Edit, ...]) -> Sequence[Diagnostic] | None:
        """Return the faults of the lines that edits change; None if they cannot be parsed, or not be tried."""
        edited_source = replace(source, text=apply_edits(source.text, edits))
        lines = find_changed_lines(edits)
        trial = _IsolatedTrial(edited_source, lines, self._faulty_lines)
        elsewhere: set[tuple[str, int]] = set()
        for _ in range(MOST_ROUNDS):
            if not self._budget.afford([source]):
                return None
            page = trial.parse()
            if page is None:
                return None
            pages = self._replace_page(page)
            outcome, reached = run_passes(self.passes, _without_faulty_definitions(pages, elsewhere))
            if reached >= self.checking:
                break
            errors = [found for found in outcome.diagnostics if found.is_error]
            places = {(found.span.file, found.span.line) for found in errors if found.span.file != source.name}
            if not trial.leave_out(errors) and places <= elsewhere:
                break
            elsewhere |= places
        faults = [diagnostic for diagnostic in outcome.diagnostics if trial.is_fault(diagnostic)]
        if faults and all(fault.span.line not in lines for fault in faults):
            faults = self._drop_former_faults(faults, trial)
        return faults

    def _drop_former_faults(self, faults: Sequence[Diagnostic], trial: _IsolatedTrial) -> list[Diagnostic]:
        """Return the faults in the head of a definition that it does not have without the changed lines."""
        bare = _IsolatedTrial(trial.source, trial.heads, self._faulty_lines)
        bare.leave_out_lines(trial.lines - trial.heads)
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
        known = (number for number in range(1, len(source.lines) + 1) if faulty_lines and number not in lines)
        faulty = [number for number in known if self._line_key(number) in faulty_lines]
        if faulty:
            self.leave_out_lines(faulty)

    def parse(self) -> t.Page | None:
        """Return what can be parsed of the file; None if one of the lines cannot, or its definition."""
        page, broken = split_readable(self.source)
        for _ in range(MOST_ROUNDS):
            others = [number for number in broken if number <= len(self.source.lines)]
            if self.lines & set(broken):
                return None
            if not 0 < len(others) <= MOST_BROKEN:
                break
            self.leave_out_lines(others)
            page, broken = split_readable(self.source)
        for text in broken.values():
            self._left_out_names.update(_WORD.findall(text.partition("\n")[0]))
        if {_find_definition_line(self.source, number) for number in broken} & self.heads:
            return None
        return page

    def leave_out(self, errors: Iterable[Diagnostic]) -> bool:
        """Leave out the other lines of the file that have errors; return False if there are none, or too many."""
        before, here = self.source, (error for error in errors if error.span.file == self.source.name)
        numbers = {error.span.line for error in here if not self._matters(error)}
        if 0 < len(numbers) <= MOST_BROKEN:
            self.leave_out_lines(numbers)
        return self.source.text != before.text

    def is_fault(self, diagnostic: Diagnostic) -> bool:
        """Return True for an error in the lines that matter, and for a condition there that is always true."""
        if diagnostic.span.file != self.source.name or not self._matters(diagnostic):
            return False
        if diagnostic.is_error:
            return diagnostic.code not in INCOMPLETE_CODES and not self._left_out_names & set(
                _QUOTED_NAME.findall(diagnostic.title)
            )
        return diagnostic.title.startswith(ALWAYS_TRUE)

    def _matters(self, diagnostic: Diagnostic) -> bool:
        """Return True if a diagnostic is about a line that matters, or about the head of its definition."""
        return diagnostic.span.line in self.lines | self.heads

    def _line_key(self, number: int) -> tuple[str, str]:
        """Return the first line of a definition and a line of it, which recognize the line in other trials."""
        return self.source.lines[_find_definition_line(self.source, number) - 1], self.source.lines[number - 1]

    def leave_out_lines(self, numbers: Collection[int]) -> None:
        """Replace lines and those under them by `nothing`, or by empty lines where no step can be.

        Other trials leave them out, too, unless they are in a definition that is edited: there, they may be faulty only
        because of the edit.
        """
        elsewhere = (number for number in numbers if _find_definition_line(self.source, number) not in self.heads)
        self._faulty_lines.update(map(self._line_key, elsewhere))
        heads = {_find_definition_line(self.source, number) for number in numbers}
        for stand_in in ("nothing", ""):
            text, done = list(self.source.lines), 0
            for number in sorted(numbers):
                if number <= done:
                    continue  # it is under a line that was replaced
                block = (number, *iter_lines_below(self.source.lines, number))
                done = block[-1]
                line = self.source.lines[number - 1]
                margin = line[: count_indent(line)]
                if not self.lines & set(block) and _find_definition_line(self.source, number) in heads:
                    self._left_out_names.update(() if margin else _WORD.findall(line))
                    stand_in_line = margin + stand_in if margin and stand_in else ""
                    text[number - 1 : block[-1]] = [stand_in_line, *[""] * (block[-1] - number)]
            self.source = replace(self.source, text="\n".join(text) + "\n")
            heads &= {_find_definition_line(self.source, number) for number in split_readable(self.source)[1]}
            if not heads:
                return


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


def verify_fixes(
    diagnostics: tuple[Diagnostic, ...], reached: int, modules: Modules, passes: Passes, checking: int = 0
) -> tuple[Diagnostic, ...]:
    """Return all diagnostics; edits remain only where applying them removes the fault and adds none.

    Where they do not, the first alternative that works takes their place, or one without edits.

    Args:
        diagnostics: The diagnostics of all passes.
        reached: The number of passes without errors.
        modules: The modules.
        passes: The passes, beginning with the parser.
        checking: The number of passes before the checks, so that errors elsewhere do not keep a fix from being tried;
            0 to try fixes only as far as the passes come.
    """
    fixable = [diagnostic for diagnostic in diagnostics if diagnostic.edits and not diagnostic.asks]
    verifier = _FixVerifier(diagnostics, reached, modules, passes, checking)
    verified = set(map(id, verifier.select_verified_diagnostics(fixable[:MOST_FIXED])))
    result = [
        replace(diagnostic, alternatives=())
        if not diagnostic.edits or id(diagnostic) in verified
        else verifier.find_alternative(diagnostic)
        for diagnostic in diagnostics
    ]
    return tuple(map(verifier.explain, result))


def iter_diagnostics_without_fixes(
    diagnostics: Iterable[Diagnostic], modules: Modules, declared: DeclaredNames
) -> Iterator[Diagnostic]:
    """Yield the diagnostics as far as they are certain: without edits, and without remedies that were not tried.

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
        yield diagnostic.without_edits()


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

    def __init__(
        self, diagnostics: tuple[Diagnostic, ...], reached: int, modules: Modules, passes: Passes, checking: int
    ) -> None:
        self.before, self.reached, self.modules, self.passes = (
            Counter(map(_fault_key, diagnostics)),
            reached,
            modules,
            passes,
        )
        self.checking = checking
        self._faulty_lines: set[tuple[str, str]] = set()
        self._budget = VerificationBudget(modules)
        self._habits = 0
        self._vocabularies: dict[str, Vocabulary] = {}  # by file

    @cached_property
    def _sources(self) -> dict[str, Source]:
        """Return the files of all modules by name."""
        return {source.name: source for module in self.modules for source in module.sources}

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
        idea = find_idea([line[diagnostic.span.column - 1 : diagnostic.span.end_column - 1]], self._declared)
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

    def find_alternative(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic whose edits do not work with the first of its alternatives that does."""
        if diagnostic.asks:
            return self._find_choices(diagnostic)
        completed = self._complete_line(diagnostic)
        if completed is not None:
            return completed
        for help_, edits in diagnostic.alternatives:
            alternative = replace(diagnostic, help=help_, edits=edits, alternatives=())
            if not edits or self._are_fixed([alternative]):
                return alternative
        return replace(diagnostic, help=self._describe_form(diagnostic), edits=(), alternatives=())

    def _find_choices(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic that offers all of its remedies that work; the only one, if it is one."""
        remedies = ((diagnostic.help, diagnostic.edits), *diagnostic.alternatives)
        choices = [
            replace(diagnostic, help=help_, edits=edits, alternatives=(), asks=False) for help_, edits in remedies
        ]
        working = [choice for choice in choices if choice.edits and self._are_fixed([choice])]
        if not working:
            return replace(choices[-1], edits=())
        return working[0] if len(working) == 1 else merge_remedies(working)

    def _complete_line(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """Return the diagnostic with the fixes of all faults in its line, which show only one after the other."""
        source, text = _find_source(diagnostic, self.modules), ""
        number, edits = diagnostic.span.line, diagnostic.edits
        if source is None or not self.checking:
            return None
        line = source.lines[number - 1]
        whole = Span(source.name, number, 1, number, len(line) + 1)
        for _ in range(MOST_CHAINED):
            if any("\n" in edit.text or (edit.span.file, edit.span.line) != (source.name, number) for edit in edits):
                return None
            text = apply_edits(text or line, [_at_first_line(edit) for edit in edits])
            outcome = self._analyze_edited([Edit(whole, text)])
            if outcome is None:
                return None
            edits = next((found.edits for found in outcome[0].diagnostics if found.edits and found.is_error), ())
            if not edits:
                break
        completed = replace(
            diagnostic, help=f"write `{text.strip()}`", edits=(Edit(whole, text),), exact=False, alternatives=()
        )
        return completed if self._are_fixed([completed]) else None

    def _describe_form(self, diagnostic: Diagnostic) -> str:
        """Return the form of such a line, or of what its edits make of it, for a line of which no fix is known."""
        source = _find_source(diagnostic, self.modules)
        number = diagnostic.span.line
        line = source.lines[number - 1] if source is not None else ""
        edits = [_at_first_line(edit) for edit in diagnostic.edits if edit.span.line == edit.span.end_line == number]
        words, edited_words = (text.split("#")[0].split() for text in (line, apply_edits(line, edits)))
        form = find_form(" ".join(words[:2])) if words else ""
        if not form and words and self.checking:
            form = self._declared.example_field_line(words[0])
        form = form or (find_form(" ".join(edited_words[:2])) if edited_words else "")
        filled = fill_blanks(form, self._declared, words) if form else ""
        return f"such a line is written like `{filled}`" if filled else "write something else here"

    def _analyze_edited(self, edits: Sequence[Edit]) -> tuple[Outcome[Any], int, dict[str, _IsolatedTrial]] | None:
        """Return what the passes find after edits, how many succeed, and the edited files; None if it cannot be tried.

        Lines elsewhere whose errors stop the passes before the checks are left out.
        """
        trials: dict[str, _IsolatedTrial] = {}
        files = {edit.span.file for edit in edits}
        if not files <= self._sources.keys() or not self._budget.afford([self._sources[file] for file in files]):
            return None
        for file in files:
            edited = edit_source_file(self._sources[file], edits)
            if self.checking and split_readable(edited)[1]:
                return None
            lines = find_changed_lines(_edits_of_file(file, edits))
            trials[file] = _IsolatedTrial(edited, lines, self._faulty_lines)
        for number in range(MOST_ROUNDS if self.checking else 1):
            if number and not self._budget.afford([self._sources[file] for file in trials]):
                return None
            modules = tuple(
                replace(
                    module,
                    sources=tuple(trials[s.name].source if s.name in trials else s for s in module.sources),
                )
                for module in self.modules
            )
            outcome, reached = run_passes(self.passes, modules)
            if reached >= self.checking:
                break
            errors = [found for found in outcome.diagnostics if found.is_error and found.span.file in self._sources]
            for file in {found.span.file for found in errors} - set(trials):
                trials[file] = _IsolatedTrial(self._sources[file], set(), self._faulty_lines)
            left_out = [trial.leave_out(errors) for trial in trials.values()]
            if not any(left_out):
                break
        return outcome, reached, trials

    def _are_fixed(self, diagnostics: Sequence[Diagnostic]) -> bool:
        """Return True if the edits of these diagnostics, made together, remove each of them and cause no new error.

        They must keep what the author wrote, and the lines must not come to say nothing.
        """
        edits = [edit for diagnostic in diagnostics for edit in diagnostic.edits]
        errors = [diagnostic for diagnostic in diagnostics if diagnostic.is_error]  # a warning asks for another meaning
        if not all(self._keeps_meaning(diagnostic.edits) for diagnostic in errors):
            return False
        analyzed = self._analyze_edited(edits)
        if analyzed is None:
            return False
        outcome, reached, trials = analyzed
        remaining = Counter(map(_fault_key, outcome.diagnostics))
        if reached < self.reached or any(
            remaining[fault] >= count for fault, count in Counter(map(_fault_key, diagnostics)).items()
        ):
            return False
        new_faults = (
            found for found in outcome.diagnostics if remaining[_fault_key(found)] > self.before[_fault_key(found)]
        )
        return not any(
            trials[found.span.file].is_fault(found)
            if found.span.file in trials and found.span.line in trials[found.span.file].lines
            else reached == self.reached and found.is_error and found.code not in INCOMPLETE_CODES
            for found in new_faults
        )

    def _keeps_meaning(self, edits: Sequence[Edit]) -> bool:
        """Return True if edits keep what the author wrote in each file."""
        if not self.checking:
            return True
        for file in {edit.span.file for edit in edits} & self._sources.keys():
            if not keeps_meaning(self._sources[file], _edits_of_file(file, edits), self._get_vocabulary(file)):
                return False
        return True

    def _get_vocabulary(self, file: str) -> Vocabulary:
        """Return the names that can be used in a file; all its words are read only once."""
        if file not in self._vocabularies:
            words = [word for line in self._sources[file].lines for word in iter_line_words(line)]
            self._vocabularies[file] = Vocabulary(self._declared, find_local_names(words))
        return self._vocabularies[file]


def _at_first_line(edit: Edit) -> Edit:
    """Return an edit of a single line as one of a text that has only this line."""
    return replace(edit, span=replace(edit.span, line=1, end_line=1))


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
