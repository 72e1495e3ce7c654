"""The promises of docs/reference/trust.md: the tests they name exist, and the cost of untrusted rules is bounded."""

from __future__ import annotations

import re

import pytest

from calling import ROOT
from edict.compiler.pipeline.pipeline import build_program
from edict.support.ordering import CycleError, find_cycles, sort_topologically
from edict.support.report import (
    MOST_FINDINGS,
    Diagnostic,
    count_errors,
    count_warnings,
    limit_diagnostics,
    suggest_word,
)
from helpers import add_game, compile_texts
from helpers import make_module as written


def test_every_promise_names_tests_that_exist() -> None:
    """Each promise ends with the names of its tests in parentheses, and each is defined in some test file."""
    page = (ROOT / "docs" / "reference" / "trust.md").read_text("utf-8")
    rows = re.findall(r"^- \*\*[^*]+\.\*\* .+ \(([^()]+)\)$", page, re.M)
    assert len(rows) == page.count("\n- **")
    promised = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    files = [file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py")]
    there = {name for text in files for name in re.findall(r"^ *(?:async )?def (test_\w+)\(", text, re.M)}
    assert len(rows) >= 5 and all(re.search(r"`test_\w+`", row) for row in rows)
    assert promised <= there, promised - there


def test_findings_beyond_the_first_hundred_are_counted() -> None:
    found = compile_texts("\n".join(f"quantity q{i} is nothing-{i}" for i in range(250))).diagnostics
    assert len(found) == MOST_FINDINGS + 1 and found[-1].code == "E0701"
    assert count_errors(found) == 250 and count_warnings(found) == 0


def test_counted_findings_are_counted_once_and_warnings_do_not_displace_errors() -> None:
    """Findings of several files, each shortened before, are merged."""
    many = [Diagnostic("E0100", f"{i}") for i in range(150)]
    again = limit_diagnostics([*limit_diagnostics(many), *limit_diagnostics(many)])
    assert len(again) == MOST_FINDINGS + 1 and count_errors(again) == 300
    assert limit_diagnostics(many[:MOST_FINDINGS]) == tuple(many[:MOST_FINDINGS])
    warned = [Diagnostic("E0510", f"{i}", severity="warning") for i in range(150)]
    mixed = limit_diagnostics([*warned, Diagnostic("E0100", "last")])
    assert any(d.is_error for d in mixed) and count_warnings(mixed) == 150


def test_suggestions_are_found_among_many_thousand_words() -> None:
    """Also beyond the first five hundred words of a similar length."""
    assert suggest_word("inn", [*(f"a-much-longer-name-{i}" for i in range(50_000)), "inns"]) == "did you mean `inns`?"
    assert suggest_word("x" * 2_000, ["x" * 1_999]) == ""
    known = [f"name-number-{n}" for n in range(9_000)]
    assert suggest_word("nmae-nubmer-4711", known) == "did you mean `name-number-4711`?"


def test_items_are_ordered_after_their_needs_in_long_chains() -> None:
    needs = {i: [i + 1] for i in range(50_000)} | {50_000: []}
    assert sort_topologically([0], needs.__getitem__) == [*range(50_000, -1, -1)]
    assert find_cycles(needs, needs.__getitem__) == []


def test_cycles_of_needs_are_found() -> None:
    needs = {1: [2], 2: [3], 3: [2, 4], 4: [], 5: [5], 6: [1]}
    assert [sorted(circle) for circle in find_cycles(needs, needs.__getitem__)] == [[2, 3], [5]]
    with pytest.raises(CycleError) as found:
        sort_topologically(needs, needs.__getitem__)
    assert found.value.members == [2, 3, 2]
    assert sorted(sort_topologically(needs, needs.__getitem__, allow_cycles=True)) == sorted(needs)


def test_range_is_known_through_a_long_chain_of_quantities() -> None:
    """Also if each quantity needs the next one twice."""
    rules = "\n".join(f"quantity q{i} is 1, at most q{i + 1} + q{i + 1}" for i in range(200))
    text = f"{rules}\nquantity q200 is 1, at most 0\nkeep full of player as number from 1 to 9 starting at 1\n"
    text += "\nphase trial-run\n  set full of you to q0\n"
    codes = [d.code for d in build_program((written(*add_game(text)),)).diagnostics]
    assert codes == ["E0514"]
