"""Whether remedies help is seen by carrying them out: here by passes that find a mistake in every line that says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.compiler.pipeline.trying import changed_lines, under, with_remedies
from edict.compiler.sources.module_set import Modules
from edict.support.report import Diagnostic, Edit, Outcome
from edict.support.text import Span
from helpers import findings, module

FILE = "page1.edict"
CODES = {"wrong": "E0901", "odd": "E0902", "lacking": "E0301"}


def place(line: int, first: int = 1, end: int = 99) -> Span:
    return Span(FILE, line, first, line, end)


def looking(*words: str) -> Callable[[Any], Outcome[Any]]:
    """A pass that has something to say of each line that begins with one of these words; `odd` is but a warning."""

    def look(modules: Modules) -> Outcome[Any]:
        lines = enumerate(modules[0].sources[0].text.splitlines(), 1)
        found = ((number, line.split()[0], line) for number, line in lines if line.split()[0] in words)
        return Outcome(
            modules,
            tuple(
                Diagnostic(CODES[word], line, place(n), severity="warning" if word == "odd" else "error")
                for n, word, line in found
            ),
        )

    return look


PASSES = (looking("lacking"), looking("wrong", "odd"))
"""Two, of which the second is come to if the first finds no error."""
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


def test_only_remedies_after_which_the_fault_is_gone_and_nothing_new_is_wrong_are_told() -> None:
    for text, edits, helping in HELPING:
        modules = (module(text + "\n"),)
        found = tuple(
            Diagnostic(one.code, one.title, one.span, severity=one.severity, edits=_edit(text, edits, one.span.line))
            for step in PASSES
            for one in step(modules).diagnostics
        )
        told = with_remedies(found, len(PASSES) - any(one.is_error for one in found), modules, PASSES)
        assert [one.title for one in told] == [one.title for one in found]
        assert {one.span.line for one in told if one.edits} == helping, (text, edits)


def _edit(text: str, edits: dict[int, str], line: int) -> tuple[Edit, ...]:
    return (Edit(place(line, end=len(text.splitlines()[line - 1]) + 1), edits[line]),) if line in edits else ()


def test_lines_are_counted_as_they_are_after_the_edits() -> None:
    edits = [Edit(place(5), "x"), Edit(place(2), "x\ny\nz"), Edit(Span(FILE, 3, 1, 4, 9), "x")]
    assert changed_lines(edits) == {2, 3, 4, 5, 6}


def test_under_a_line_stands_what_is_further_in_up_to_the_next_that_is_not() -> None:
    lines = ["a", "  b", "    c", "", "      d", "  e", "    f"]
    assert {number: [*under(lines, number)] for number in (1, 2, 3, 6)} == {
        1: [2, 3, 5, 6, 7],
        2: [3, 5],
        3: [5],
        6: [7],
    }


def test_what_is_waited_for_by_another_name_is_looked_for_among_the_moments_of_these_rules() -> None:
    for moment in ("harvest", "sowing"):
        (found,) = findings(f"moment {moment}\nwhen the {moment} comes\n  gain 1 coin\n")
        assert f"write `when {moment}`" in found.help
