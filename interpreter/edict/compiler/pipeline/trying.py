"""Whether remedies help: the rules are looked at once more with the edits in them, and nothing may be worse.

Passes that follow the parser take some hundredths of a second, so that this can be asked while rules are checked.
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
from edict.compiler.syntax.constructs import idea_of
from edict.compiler.syntax.declared_names import Declared, declared_in
from edict.compiler.syntax.parse import readable
from edict.compiler.syntax.unreadable.diagnosis import of_readable
from edict.support.report import Diagnostic, Edit, Outcome, apply_edits
from edict.support.text import Source, count_indent

Pages = tuple[tuple[Module, tuple[t.Page, ...]], ...]
Passes = Sequence[Callable[[Any], Outcome[Any]]]
LACKING = ("E0301", "E0530")  # of lines that are right by now: what is still missing beside them
NO_KIND = "E0300"  # of a definition whose first word makes all that stands under it something else
MOST_OTHERS = 2  # lines in a row that cannot be read either
MOST_BROKEN = 50  # lines of a file that cannot be read, and are left out for that
MOST_LINES = 20_000  # that are looked at again in one check
FEWEST_LINES = 500  # what a look costs at least
UNDERSTOOD = ("E02", "E04")  # beginnings of the codes of lines that can be read and mean nothing
MOST_HABITS = 8  # lines that are compared with what people write instead
MOST_FIXED = 40  # remedies of mistakes that are none of syntax
_NAMES = re.compile(r"`([^`]+)`")


class Looks:
    """How much is looked at again: there may be thousands of mistakes, in files of thousands of lines."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self._left = MOST_LINES
        signs = sum(count_signs(source) for module in modules for source in module.sources)
        self._cost = (READING_AGAIN + CHECKING) * signs

    def afford(self, sources: Iterable[Source]) -> bool:
        """Whether these may be looked at once more."""
        self._left -= max(FEWEST_LINES, sum(len(source.lines) for source in sources))
        return self._left >= 0 and can_spend(self._cost)


class RepairTrial:
    """Rules in which not all can be read, and whether a remedy makes sense in them."""

    def __init__(self, read: Pages, passes: Passes, naming: int) -> None:
        """naming: how many passes come before the one that looks at names."""
        self.read, self.passes, self.naming = read, passes, naming
        self._looks = Looks(module for module, _ in read)

    def __call__(self, source: Source, edits: tuple[Edit, ...], sure: bool) -> bool:
        """Whether the lines that the edits change can be read, and are right, once they are carried out.

        sure: false also where mistakes elsewhere are in the way of looking at names.
        """
        if not self._looks.afford([source]):
            return False
        tried = replace(source, text=apply_edits(source.text, edits))
        lines = changed_lines(edits)
        page, broken = _without_others(tried, lines)
        heads = {_head(tried, line) for line in lines}
        unclear = {_head(tried, number) for number in broken} & heads if sure else set()
        if unclear or any(number in lines for number in broken):
            return False
        unread = set(re.findall(r"[^\W\d_][\w-]*", "\n".join(broken.values())))
        after, reached = looked(self.passes, self._with(page))
        stopped = reached < self.naming and not all(one.code in LACKING for one in after.diagnostics if one.is_error)
        if sure and stopped:
            return False
        here = (one for one in after.diagnostics if one.is_error and one.span.file == source.name)
        wrong = (one for one in here if one.span.line in (heads | lines if sure or one.code == NO_KIND else lines))
        wrong = (one for one in wrong if one.code not in LACKING)
        return not any(not unread & set(_NAMES.findall(one.title)) for one in wrong)

    def _with(self, page: t.Page) -> Pages:
        return tuple(
            (module, tuple(page if one.file == page.file else one for one in pages)) for module, pages in self.read
        )


def _head(source: Source, number: int) -> int:
    """Return the line at the left edge to which a line belongs; the first, of a text that edits left empty."""
    lines = source.lines
    return next((n for n in range(min(number, len(lines)), 0, -1) if n == 1 or lines[n - 1][:1].strip()), 1)


def _without_others(source: Source, lines: set[int]) -> tuple[t.Page, dict[int, str]]:
    """What can be read of a file, and what cannot: other lines that hide whether these make sense are left out."""
    page, broken = readable(source)
    for _ in range(MOST_OTHERS):
        others = [number for number in broken if number <= len(source.lines)]
        if not 0 < len(others) <= MOST_BROKEN or lines & set(broken):
            break
        text = list(source.lines)
        for number in others:
            block = (number, *under(text, number))
            lead = text[number - 1][: count_indent(text[number - 1])]
            if lead and not lines & set(block):
                text[number - 1 : block[-1]] = [f"{lead}nothing", *[""] * (block[-1] - number)]
        source = replace(source, text="\n".join(text) + "\n")
        page, broken = readable(source)
    return page, broken


def changed_lines(edits: Iterable[Edit]) -> set[int]:
    """The lines in which these edits stand once they are carried out."""
    lines, moved = set[int](), 0
    for edit in sorted(edits):
        more = edit.text.count("\n")
        first = edit.span.line + moved
        lines |= set(range(first, first + more + 1))
        moved += more - (edit.span.end_line - edit.span.line)
    return lines


# --- remedies of rules that can be read ------------------------------------------------------------


def looked(passes: Passes, value: Any) -> tuple[Outcome[Any], int]:
    """What passes say, one after the other until one finds an error, and how many got through."""
    outcome: Outcome[Any] = Outcome(value)
    for number, step in enumerate(passes):
        if not outcome.ok:
            return Outcome(None, outcome.diagnostics), number - 1
        try:
            outcome = outcome.and_then(step)
        except WorkExceeded as exceeded:
            outcome = Outcome(None, (*outcome.diagnostics, *exceeded.diagnostics))
    return outcome, len(passes) - (not outcome.ok)


def with_remedies(
    found: tuple[Diagnostic, ...], reached: int, modules: Modules, passes: Passes
) -> tuple[Diagnostic, ...]:
    """The findings, with only those remedies after which the fault is gone and nothing new is wrong."""
    fixable = [one for one in found if one.edits]
    tried = _Fixes(found, reached, modules, passes)
    good = set(map(id, tried.good(fixable[:MOST_FIXED])))
    kept = [one if not one.edits or id(one) in good else replace(one, edits=()) for one in found]
    return tuple(map(tried.explained, kept))


def said_untried(found: Iterable[Diagnostic], modules: Modules, declared: Declared) -> Iterator[Diagnostic]:
    """Those findings that are told with the same words once remedies were tried, without any to carry out; a line that
    may turn out to be a habit is not among them."""
    habits = 0
    for one in found:
        source = _source(one, modules)
        if source is not None and _may_be_habit(one) and habits < MOST_HABITS:
            habits += 1
            if any(said.edits or one.code == NO_KIND for said in of_readable(source, one.span, declared)):
                continue
        yield replace(one, edits=())


def _source(one: Diagnostic, modules: Modules) -> Source | None:
    return next((s for m in modules for s in m.sources if s.name == one.span.file), None)


def _may_be_habit(one: Diagnostic) -> bool:
    """Whether a line is compared with what people write instead: one that can be read and means nothing."""
    return not one.exact and (one.code[:3] in UNDERSTOOD or one.code == NO_KIND)


class _Fixes:
    """Remedies, held against what was found."""

    def __init__(self, found: tuple[Diagnostic, ...], reached: int, modules: Modules, passes: Passes) -> None:
        self.before, self.reached, self.modules, self.passes = Counter(map(_fault, found)), reached, modules, passes
        self._looks = Looks(modules)
        self._habits = 0

    @cached_property
    def _declared(self) -> Declared:
        read: Pages = self.passes[0](self.modules).value or ()
        return declared_in(page for _, pages in read for page in pages)

    def explained(self, one: Diagnostic) -> Diagnostic:
        """With how the language says what a word without meaning stands for, where nothing better is known."""
        source = _source(one, self.modules)
        if source is None or not _may_be_habit(one):
            return one
        habit = self._habit(one, source)
        if habit is not None or not only_suggests_declaring(one):
            return habit or one
        line = source.lines[one.span.line - 1]
        idea = idea_of([line[one.span.column - 1 : one.span.end_column - 1]], line, self._declared)
        return replace(one, help=idea) if idea else one

    def _habit(self, one: Diagnostic, source: Source) -> Diagnostic | None:
        """A line that can be read and means nothing, if it is a habit with which nothing is wrong any more; of a first
        line without a kind, also one that only a person can put right."""
        if self._habits == MOST_HABITS:
            return None
        self._habits += 1
        for said in of_readable(source, one.span, self._declared):
            if self._help([replace(one, edits=said.edits)]) if said.edits else one.code == NO_KIND:
                return said
        return None

    def good(self, some: Sequence[Diagnostic]) -> list[Diagnostic]:
        """Those that help: all of them together, or else those of each half that do."""
        if not some or self._help(some):
            return list(some)
        half = len(some) // 2
        return [*self.good(some[:half]), *self.good(some[half:])] if half else []

    def _help(self, some: Sequence[Diagnostic]) -> bool:
        edits = [edit for one in some for edit in one.edits]
        files = {edit.span.file for edit in edits}
        if not self._looks.afford(source for m in self.modules for source in m.sources if source.name in files):
            return False
        modules = tuple(replace(m, sources=tuple(edited_source(s, edits) for s in m.sources)) for m in self.modules)
        after, reached = looked(self.passes, modules)
        left = Counter(map(_fault, after.diagnostics))
        if reached < self.reached or any(left[fault] >= count for fault, count in Counter(map(_fault, some)).items()):
            return False
        lines = {(file, n) for file in files for n in changed_lines(_of(file, edits))}
        wrong = (one for one in after.diagnostics if one.is_error and one.code not in LACKING)
        new = (one for one in wrong if left[_fault(one)] > self.before[_fault(one)])
        return not any(reached == self.reached or (one.span.file, one.span.line) in lines for one in new)


def _fault(one: Diagnostic) -> tuple[str, str]:
    return one.code, one.title


def _of(file: str, edits: Iterable[Edit]) -> list[Edit]:
    return [edit for edit in edits if edit.span.file == file]


def edited_source(source: Source, edits: Iterable[Edit]) -> Source:
    own = _of(source.name, edits)
    return replace(source, text=apply_edits(source.text, own)) if own else source


def under(lines: Sequence[str], number: int) -> Iterator[int]:
    """The written lines that are indented under the line of a number."""
    own = count_indent(lines[number - 1])
    for below, line in enumerate(lines[number:], number + 1):
        if line.strip():
            if count_indent(line) <= own:
                return
            yield below
