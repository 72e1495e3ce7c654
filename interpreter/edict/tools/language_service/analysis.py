"""Analysis of the rules in one folder as they are now: diagnostics, and everything known about the rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

from edict.compiler.checks import check_definitions
from edict.compiler.english.calendar import build_calendar
from edict.compiler.layering.expand import expand
from edict.compiler.lowering import lower
from edict.compiler.pipeline.compile import check_surroundings
from edict.compiler.pipeline.fix_verification import iter_diagnostics_without_fixes
from edict.compiler.pipeline.pipeline import (
    ParsedModules,
    PartialAnalysis,
    analyze,
    parse_modules,
    parse_without_diagnosis,
    quick_syntax_diagnostics,
    typecheck,
)
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.sources.folders import Module
from edict.compiler.sources.input_limits import MOST_BYTES
from edict.compiler.sources.module_set import Modules, hash_rules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.incremental import split_into_pieces
from edict.compiler.syntax.reserved_words import find_keyword_names
from edict.compiler.syntax.word_search import search as found_by
from edict.prose.rulebook.annotated_rules import AnnotatedRules, build_history, remove_judgement
from edict.prose.rulebook.cross_references import CrossReference, find_references
from edict.prose.rulebook.name_catalog import describe_in_one_line, iter_names
from edict.support.morphology import split_title
from edict.support.records import dataclass
from edict.support.report import MOST_FINDINGS, Diagnostic, Outcome
from edict.support.text import Source, Span
from edict.tools.language_service.answer_types import SearchEntry
from edict.tools.language_service.changed_lines import FindingsAt, SourceChanges, sources_by_name
from edict.tools.language_service.occurrences import Occurrence, find_occurrences


@dataclass(frozen=True)
class CheckResult:
    """Diagnostics of a folder of rules."""

    diagnostics: tuple[Diagnostic, ...]
    is_complete: bool  # code generation was checked too
    generated: tuple[Diagnostic, ...] = ()  # those of code generation


class FolderRules:
    """The rules of one folder with everything they are laid over, checked again after a text changes.

    All passes up to linking are quick and run at once. Code generation, which finds the compiler's own limits, runs
    later, on demand. The last successful analysis stays available until there is a newer one.
    """

    def __init__(self, folder: Path, gather_modules: Callable[[], Outcome[Modules]]) -> None:
        self.folder = folder
        self.version = 0
        self._gather_modules = gather_modules
        self._gather_outcome: Outcome[Modules] | None = None
        self._check_result: CheckResult | None = None
        self._analysis_outcome: Outcome[Analysis] | None = None
        self._last_analysis: Analysis | None = None
        self._typechecked: PartialAnalysis | None = None
        self._last_late_findings: FindingsAt | None = None
        self._last_unparsed_findings: FindingsAt | None = None
        self._last_generation_findings: FindingsAt | None = None
        self._recovery_tried = False

    def invalidate(self, path: Path | None, text: str | None) -> None:
        """Forget results after a change of texts.

        Args:
            path: The only file that changed, or None if any file may have changed.
            text: The new text of that file. If it is given, other files need not be read again.
        """
        self.version += 1
        self._check_result, self._analysis_outcome, self._typechecked, self._recovery_tried = None, None, None, False
        modules = self._gather_outcome.value if self._gather_outcome is not None else None
        if path is None or text is None or modules is None or not _affects_one_file_only(modules, text):
            self._gather_outcome = None
            return
        updated = [_replace_text(module, path, text) for module in modules]
        is_rule_file = any(
            new_module is not old_module for new_module, old_module in zip(updated, modules, strict=True)
        )
        if is_rule_file:
            self._gather_outcome = Outcome(
                tuple(updated), self._gather_outcome.diagnostics if self._gather_outcome else ()
            )
        elif any(path.is_relative_to(module.folder.resolve()) for module in modules):
            self._gather_outcome = None

    @property
    def gather_outcome(self) -> Outcome[Modules]:
        """The modules of these rules, gathered on first use after a change that may affect more than one file."""
        if self._gather_outcome is None:
            self._gather_outcome = self._gather_modules()
        return self._gather_outcome

    # --- diagnostics -------------------------------------------------------------------------

    @property
    def is_checked(self) -> bool:
        """True if the current texts were checked, at least by the quick passes."""
        return self._check_result is not None

    def check_while_typing(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of the quick passes, and known later ones in lines that did not change.

        They cover names and types everywhere, later checks for definitions that changed, and the last known findings of
        later checks in unchanged lines. All of them are also in the result of `check`, which may report more.
        """
        modules = self.gather_outcome.value
        if (
            self._check_result is not None
            or self._last_late_findings is None
            or modules is None
            or not self.gather_outcome.ok
        ):
            return self.check().diagnostics
        readings = parse_without_diagnosis(modules)
        if readings.value is None:
            return self.check().diagnostics
        if not readings.value.ok:
            return (*dict.fromkeys(self._find_syntax_errors(readings.value, modules)), *check_surroundings(modules))
        type_outcome = self._typecheck(modules).outcome
        if type_outcome.value is None or not type_outcome.ok:
            if len(type_outcome.diagnostics) > MOST_FINDINGS:
                return self.check().diagnostics
            findings = iter_diagnostics_without_fixes(type_outcome.diagnostics, modules, readings.value.declared)
            return (*dict.fromkeys(findings), *check_surroundings(modules))
        changes, resolved = (
            SourceChanges.compare(self._last_late_findings.sources, sources_by_name(modules)),
            type_outcome.value.resolved,
        )
        late_findings = check_definitions(
            type_outcome.value, [item for item in resolved.book.roots if changes.affects(item)]
        )
        late = (
            *map(Diagnostic.without_edits, (*type_outcome.diagnostics, *late_findings)),
            *(replace(item, edits=()) for item in changes.relocate(self._last_late_findings.diagnostics)),
        )
        return (*dict.fromkeys(late), *check_surroundings(modules))

    def _find_syntax_errors(self, readings: ParsedModules, modules: Modules) -> Iterator[Diagnostic]:
        """Yield syntax errors that need no full parse, and last known ones of definitions unchanged since."""
        yield from quick_syntax_diagnostics(readings)
        if self._last_unparsed_findings is not None:
            broken = [
                (reading.source.name, unread.piece.above, unread.piece.above + unread.piece.own_text.count("\n"))
                for reading in readings.results
                for unread in reading.unparsed
            ]
            changes = SourceChanges.compare(self._last_unparsed_findings.sources, sources_by_name(modules))
            untouched = [
                (file, range(above + 1, last_line + 2))
                for file, above, last_line in broken
                if not any(above < line <= last_line for line in changes.lines.get(file, ()))
            ]
            for finding in changes.relocate(self._last_unparsed_findings.diagnostics):
                if any(finding.span.file == file and finding.span.line in lines for file, lines in untouched):
                    yield replace(finding, edits=())

    def _typecheck(self, modules: Modules) -> PartialAnalysis:
        """Return the result of the passes up to names and types, run once and cached until a text changes."""
        if self._typechecked is None:
            self._typechecked = typecheck(modules)
        return self._typechecked

    def check(self, full: bool = False) -> CheckResult:
        """Return the findings of `kingsburg check`; without `full`, those of code generation may be missing."""
        if self._check_result is None or full and not self._check_result.is_complete:
            self._store_check(self._run_check(full))
        assert self._check_result is not None
        return self._check_result

    def iter_expected_findings(self) -> Iterator[Diagnostic]:
        """Yield the last findings of code generation in lines that did not change, until it has run again.

        Without them, they would vanish at each key, and come back after a pause.
        """
        modules = self.gather_outcome.value
        is_complete = self._check_result is not None and self._check_result.is_complete
        if self._last_generation_findings is not None and modules is not None and not is_complete:
            changes = SourceChanges.compare(self._last_generation_findings.sources, sources_by_name(modules))
            yield from changes.relocate(self._last_generation_findings.diagnostics)

    def _store_check(self, result: CheckResult) -> None:
        """Store the result of a check, and the findings of code generation in it."""
        self._check_result = result
        modules = self.gather_outcome.value
        if result.generated and modules is not None:
            self._last_generation_findings = FindingsAt(sources_by_name(modules), result.generated)
        elif result.is_complete:
            self._last_generation_findings = None

    def prepare_full_check(self) -> Callable[[], CheckResult] | None:
        """Return a function that completes the check and may run in another thread; None if nothing is left to check.

        Pass its result to `accept_full_check`, which rejects it if a text has changed meanwhile.
        """
        quick = self.check()
        modules, analysis = (
            self.gather_outcome.value,
            self._analysis_outcome.value if self._analysis_outcome is not None else None,
        )
        if quick.is_complete or modules is None or analysis is None:
            return None
        return partial(_complete_check, quick, analysis, modules)

    def accept_full_check(self, version: int, result: CheckResult) -> bool:
        """Store the result of a full check unless a text has changed since `version`; return True if it was stored."""
        if version == self.version:
            self._store_check(result)
        return version == self.version

    def _run_check(self, full: bool) -> CheckResult:
        """Check the rules and the files beside them; if `full` and free of errors, generate code as well."""
        modules = self.gather_outcome.value
        if modules is None or not self.gather_outcome.ok:
            return CheckResult(self.gather_outcome.diagnostics, True)
        outcome = self._analyze(modules)
        other_findings = check_surroundings(modules)
        if outcome.value is None or not outcome.ok:
            return CheckResult((*outcome.diagnostics, *other_findings), True)
        quick = CheckResult((*outcome.diagnostics, *other_findings), False)
        return _complete_check(quick, outcome.value, modules) if full else quick

    def _analyze(self, modules: Modules) -> Outcome[Analysis]:
        """Link the modules, once and cached, and remember the analysis and the late findings for the next typing."""
        if self._analysis_outcome is None:
            typechecked = self._typecheck(modules)
            link_outcome = analyze(modules, typechecked)
            if link_outcome.value is not None:
                analysis = Analysis(modules, link_outcome.value)
            else:
                analysis = None
            self._analysis_outcome = Outcome(analysis, link_outcome.diagnostics)
            self._last_analysis = analysis or self._last_analysis
            early_findings = {(finding.code, finding.span) for finding in typechecked.outcome.diagnostics}
            late_findings = tuple(
                finding for finding in link_outcome.diagnostics if (finding.code, finding.span) not in early_findings
            )
            if typechecked.outcome.ok:
                self._last_late_findings = FindingsAt(sources_by_name(modules), late_findings)
            if not typechecked.reached:
                self._last_unparsed_findings = FindingsAt(sources_by_name(modules), link_outcome.diagnostics)
            else:
                self._last_unparsed_findings = None
        return self._analysis_outcome

    # --- analysis ----------------------------------------------------------------------------

    def get_analysis(self, fresh: bool = True) -> Analysis | None:
        """Return everything known about the rules; None if they could never be analyzed.

        A definition with an error counts as it was before the error.

        Args:
            fresh: Analyze the current texts. If False, an older analysis will do, which takes no time.
        """
        if not fresh and self._last_analysis is not None:
            return self._last_analysis
        modules = self.gather_outcome.value
        if modules is None:
            return self._last_analysis
        outcome = self._analyze(modules)
        if outcome.value is None and not self._recovery_tried:
            self._recovery_tried = True
            self._last_analysis = self._analyze_without_errors(modules, outcome.diagnostics) or self._last_analysis
        return self._last_analysis

    def _analyze_without_errors(self, modules: Modules, findings: tuple[Diagnostic, ...]) -> Analysis | None:
        """Analyze the rules with each wrong definition replaced by its former text, or left out.

        Returns None if errors remain after three tries.
        """
        before = self._last_analysis.sources if self._last_analysis is not None else {}
        for _ in range(3):
            recovered = recover_modules(modules, findings, before)
            link_outcome = analyze(recovered)
            if link_outcome.value is not None:
                return Analysis(recovered, link_outcome.value)
            if recovered == modules:
                break
            modules, findings = recovered, link_outcome.diagnostics
        return None

    # --- files and spans ---------------------------------------------------------------------

    @property
    def modules(self) -> Modules:
        """The modules of these rules, or those of the last analysis if they cannot be gathered now."""
        return self.gather_outcome.value or (self._last_analysis.modules if self._last_analysis is not None else ())

    def get_source(self, path: Path) -> Source | None:
        """Return the current text of a rule file, named as in spans; None for any other file."""
        path = path.resolve()
        own_modules = [m for m in self.modules if path.is_relative_to(m.folder.resolve())]
        names = {source_name(module, path): module for module in own_modules}
        return next((source for module in own_modules for source in module.sources if source.name in names), None)

    def find_path(self, span: Span) -> Path | None:
        """Return the file that a span lies in; None if it belongs to no module of these rules."""
        folder, _, rest = span.file.partition("/")
        folders = (module.folder.resolve() for module in self.modules)
        folder_path = next((candidate for candidate in folders if candidate.name == folder), None)
        return folder_path / rest if folder_path is not None and rest else None


def _complete_check(quick: CheckResult, analysis: Analysis, modules: Modules) -> CheckResult:
    """Add the findings of code generation to those of the quick passes."""
    program_outcome = lower(analysis.linked, modules, hash_rules(modules), False)
    generated = tuple(program_outcome.diagnostics)
    return CheckResult((*quick.diagnostics, *generated), True, generated)


def source_name(module: Module, path: Path) -> str:
    """Return the name that spans give a file of a module: `FOLDER/path/in/it`."""
    folder = module.folder.resolve()
    return f"{folder.name}/{path.relative_to(folder).as_posix()}"


def _affects_one_file_only(modules: Modules, text: str) -> bool:
    """Return True if a changed text is small and no manifest has `renamed`, so that others need no regathering.

    Gathering looks at sizes, and at words in texts if a manifest has a `renamed` list.
    """
    return len(text) * 4 < MOST_BYTES and not any(module.manifest.renamed for module in modules)


def _replace_text(module: Module, path: Path, text: str) -> Module:
    """Return the module with another text for the source at a path; unchanged if it has no such source."""
    if not path.is_relative_to(module.folder.resolve()):
        return module
    name = source_name(module, path)
    if all(source.name != name for source in module.sources):
        return module
    return replace(module, sources=tuple(replace(s, text=text) if s.name == name else s for s in module.sources))


# --- recovery from errors -------------------------------------------------------------------------


_BEGINNING = re.compile(r'[^"\n#]*')


def recover_modules(modules: Modules, findings: Iterable[Diagnostic], before: Mapping[str, Source]) -> Modules:
    """Return modules with each wrong definition replaced by its form in `before`, or else blanked.

    Args:
        modules: The modules as they are now.
        findings: Findings that say where the errors are.
        before: Former sources by name; a wrong definition that is found there counts as it was.
    """
    error_lines: dict[str, set[int]] = {}
    for finding in findings:
        if finding.is_error:
            error_lines.setdefault(finding.span.file, set()).add(finding.span.line)

    def recover(source: Source) -> Source:
        """Return a source in which every definition with an error is replaced or blanked."""
        return _recover_source(source, error_lines.get(source.name, set()), before.get(source.name))

    return tuple(replace(module, sources=tuple(map(recover, module.sources))) for module in modules)


def _recover_source(source: Source, error_lines: set[int], before: Source | None) -> Source:
    """Replace each definition with an error by its text in `before`, else by blank lines; keep line numbers."""
    if not error_lines:
        return source
    if before is not None:
        old_definitions = {definition_header(text): text for text in _split_definitions(before.text)}
    else:
        old_definitions = {}
    parts, line = list[str](), 1
    # so that the last line is counted
    complete_text = source.text if source.text.endswith("\n") else source.text + "\n"
    for text in _split_definitions(complete_text):
        next_line = line + text.count("\n")
        if any(line <= number < next_line or number == line for number in error_lines):
            earlier = old_definitions.get(definition_header(text), "")
            text = _blank_lines(text) if earlier == text else _pad_lines(earlier, text)
        parts.append(text)
        line = next_line
    return replace(source, text="".join(parts))


def _split_definitions(text: str) -> Iterator[str]:
    """Yield the text before the first definition, then each definition."""
    ranges = [(piece.start, piece.end) for piece in split_into_pieces(text)]
    yield text[: ranges[0][0]] if ranges else text
    yield from (text[start:end] for start, end in ranges)


def definition_header(piece: str) -> str:
    """Return the first two words of a definition, which identify it across edits: `building inn`."""
    match = _BEGINNING.match(piece)
    return " ".join((match[0] if match else "").split()[:2])


def _blank_lines(text: str) -> str:
    """Return as many line breaks as the text has, to keep the lines below it in place."""
    return "\n" * text.count("\n")


def _pad_lines(earlier: str, current: str) -> str:
    """Return the earlier text, with blank lines added up to the length of `current`; if empty, only blank lines."""
    missing = current.count("\n") - earlier.count("\n")
    return earlier + "\n" * max(0, missing) if earlier else _blank_lines(current)


# --- analysis -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Analysis:
    """Modules that were linked without an error, and everything known about them."""

    modules: Modules
    linked: LinkedBook

    @cached_property
    def annotated_rules(self) -> AnnotatedRules:
        """The rules annotated with their history."""
        expanded = parse_modules(self.modules).and_then(expand).unwrap()
        return AnnotatedRules(self.modules, self.linked, build_history(expanded))

    @cached_property
    def known_in_play(self) -> AnnotatedRules:
        """The annotated rules without definitions that serve bots alone."""
        return remove_judgement(self.annotated_rules)

    def select_rules(self, name: str) -> AnnotatedRules:
        """Return the annotated rules to describe a name with, which are those in play unless it serves bots alone."""
        if name in self.known_in_play.definitions or name not in self.definitions:
            return self.known_in_play
        return self.annotated_rules

    def find_references(self, name: str) -> tuple[CrossReference, ...]:
        """Return the cross references to a name."""
        if self.select_rules(name) is self.known_in_play:
            references = self._references_in_play
        else:
            references = find_references(self.annotated_rules)
        return tuple(reference for reference in references if reference.whom == name)

    @cached_property
    def _references_in_play(self) -> tuple[CrossReference, ...]:
        return find_references(self.known_in_play)

    @cached_property
    def occurrences(self) -> dict[str, tuple[Occurrence, ...]]:
        """Every written name by file, in the order of the text."""
        return find_occurrences(self.pages, self.linked.resolved)

    @cached_property
    def uses_by_name(self) -> Counter[str]:
        """How often the rules write each name, apart from its declaration."""
        written = (occurrence for occurrences in self.occurrences.values() for occurrence in occurrences)
        return Counter(occurrence.word for occurrence in written if not occurrence.declares)

    @cached_property
    def pages(self) -> tuple[t.Page, ...]:
        """The parsed files, before modules are laid over each other."""
        return tuple(page for _, written in parse_modules(self.modules).unwrap() for page in written)

    @cached_property
    def search_index(self) -> tuple[SearchEntry, ...]:
        """The entries that a search covers."""
        return tuple(build_search_index(self.annotated_rules))

    def warm_caches(self) -> None:
        """Compute in advance the cached properties that the next request of an editor is likely to need."""
        _ = self.occurrences, self._references_in_play

    @cached_property
    def keyword_names(self) -> frozenset[str]:
        """Keywords of the language that a definition is named by as well."""
        return find_keyword_names(self.definitions.values())

    @property
    def definitions(self) -> dict[str, t.Definition]:
        """The definitions by name, with all modules laid over each other."""
        return self.linked.resolved.book.definitions

    @cached_property
    def sources(self) -> dict[str, Source]:
        """The sources that were analyzed, by name."""
        return sources_by_name(self.modules)


# --- search ---------------------------------------------------------------------------------------


MAX_RESULTS = 40


def build_search_index(known: AnnotatedRules) -> Iterator[SearchEntry]:
    """Yield everything that can be searched: moments, then names that rules can use, then things."""
    for moment in build_calendar(known.linked):
        yield SearchEntry(moment.line, moment.display_title, moment.sort, moment.description)
    named_rules = (name for name in iter_names(known) if name.sort != "moments")
    yield from (SearchEntry(name.written, name.title, name.sort, name.meaning) for name in named_rules)
    for definition in known.definitions.values():
        if isinstance(definition, t.Thing):
            meaning = describe_in_one_line(known, definition)
            yield SearchEntry(definition.name.word, split_title(definition.title)[0], definition.kind.word, meaning)


def search(entries: Iterable[SearchEntry], words: str) -> tuple[SearchEntry, ...]:
    """Return the moments, names and things that match the words, best match first."""
    return found_by(entries, words)[:MAX_RESULTS]
