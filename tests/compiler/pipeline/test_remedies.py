"""Verification of fixes, with passes that report every line that begins with certain words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from edict.compiler.pipeline.fix_verification import find_changed_lines, iter_lines_below, verify_fixes
from edict.compiler.sources.module_set import Modules
from edict.support.report import Diagnostic, Edit, Outcome
from edict.support.text import Span
from helpers import list_findings, make_module

FILE = "page1.edict"
CODES = {"wrong": "E0901", "odd": "E0902", "lacking": "E0301"}


def build_span(line: int, first: int = 1, end: int = 99) -> Span:
    return Span(FILE, line, first, line, end)


def build_pass(*words: str) -> Callable[[Any], Outcome[Any]]:
    """Return a pass that reports each line beginning with one of these words; `odd` gives a warning."""

    def run_pass(modules: Modules) -> Outcome[Any]:
        lines = enumerate(modules[0].sources[0].text.splitlines(), 1)
        found = ((number, line.split()[0], line) for number, line in lines if line.split()[0] in words)
        return Outcome(
            modules,
            tuple(
                Diagnostic(CODES[word], line, build_span(n), severity="warning" if word == "odd" else "error")
                for n, word, line in found
            ),
        )

    return run_pass


PASSES = (build_pass("lacking"), build_pass("wrong", "odd"))  # the second pass runs only if the first reports no error
HELPING: tuple[tuple[str, dict[int, str], set[int]], ...] = (
    ("wrong a", {1: "right"}, {1}),
    ("wrong a", {1: "wrong a"}, set()),  # as before
    ("wrong a", {1: "wrong b"}, set()),  # another mistake in its place
    ("wrong a", {1: "odd b"}, {1}),  # which is only doubtful
    ("odd a\nwrong b", {1: "right"}, {1}),  # what is wrong elsewhere was so before
    ("odd a\nwrong b", {1: "wrong b"}, set()),
    ("odd a\nright", {1: "right\nwrong b"}, set()),
    ("wrong a\nwrong b\nwrong c", {1: "right", 2: "wrong d", 3: "right"}, {1, 3}),  # each half is tried by itself
    ("odd a", {1: "lacking"}, set()),  # and so less is looked at than before
)


def test_only_fixes_that_remove_the_fault_and_add_none_are_kept(subtests: pytest.Subtests) -> None:
    for text, edits, helping in HELPING:
        with subtests.test(text=text, edits=edits):
            modules = (make_module(text + "\n"),)
            found = tuple(
                Diagnostic(
                    one.code, one.title, one.span, severity=one.severity, edits=_edit(text, edits, one.span.line)
                )
                for step in PASSES
                for one in step(modules).diagnostics
            )
            told = verify_fixes(found, len(PASSES) - any(one.is_error for one in found), modules, PASSES)
            assert [one.title for one in told] == [one.title for one in found]
            assert {one.span.line for one in told if one.edits} == helping


def _edit(text: str, edits: dict[int, str], line: int) -> tuple[Edit, ...]:
    return (Edit(build_span(line, end=len(text.splitlines()[line - 1]) + 1), edits[line]),) if line in edits else ()


def test_find_changed_lines_counts_after_the_edits() -> None:
    edits = [Edit(build_span(5), "x"), Edit(build_span(2), "x\ny\nz"), Edit(Span(FILE, 3, 1, 4, 9), "x")]
    assert find_changed_lines(edits) == {2, 3, 4, 5, 6}


def test_iter_lines_below_stops_at_the_same_indentation() -> None:
    lines = ["a", "  b", "    c", "", "      d", "  e", "    f"]
    assert {number: [*iter_lines_below(lines, number)] for number in (1, 2, 3, 6)} == {
        1: [2, 3, 5, 6, 7],
        2: [3, 5],
        3: [5],
        6: [7],
    }


def test_similar_moment_is_suggested_for_a_when_line(subtests: pytest.Subtests) -> None:
    for moment in ("harvest", "sowing"):
        with subtests.test(moment=moment):
            (found,) = list_findings(f"moment {moment}\nwhen the {moment} comes\n  gain 1 coin\n")
            assert f"write `when {moment}`" in found.help
