"""The list of mistakes: every entry is reached by its own examples, and what is said is short and to the point."""

from __future__ import annotations

from typing import Any

import pytest

from edict import resources
from edict.language.declared import declared_in
from edict.language.facts import keywords
from edict.language.parse import parse
from edict.sources.strict_yaml import read_yaml
from edict.rendering import by_name, plain, render, render_all
from edict.report import Diagnostic, Label
from edict.text import Source, Span


def _entries() -> list[dict[str, Any]]:
    path = resources.grammar() / "mistakes.yaml"
    return list(read_yaml(Source(path.name, path.read_text(encoding="utf-8"))).unwrap().data["mistakes"])


def told(text: str) -> tuple[Diagnostic, ...]:
    """What is said of a page on its own, whose words are known as far as it can be read."""
    source = Source("page.edict", text)
    page = parse(source).value
    return parse(source, declared_in([page] if page else [])).diagnostics


EXAMPLES = [(entry, line) for entry in _entries() for line in entry["lines"]]


@pytest.mark.parametrize(("entry", "line"), EXAMPLES, ids=[f"{e['code']}-{n}" for n, (e, _) in enumerate(EXAMPLES)])
def test_each_example_is_told_by_its_own_entry(entry: dict[str, Any], line: str) -> None:
    found = told(line)
    assert [d.code for d in found] == [entry["code"]]
    fixed = entry["title"].split("{")[0]
    assert found[0].title.startswith(fixed)
    assert found[0].help


@pytest.mark.parametrize(("entry", "line"), EXAMPLES, ids=[f"{e['code']}-{n}" for n, (e, _) in enumerate(EXAMPLES)])
def test_what_could_stand_there_is_told_in_a_few_words(entry: dict[str, Any], line: str) -> None:
    for found in told(line):
        assert "_" not in found.note.replace("underscore", "") and "ANON" not in found.note
        if ":" in found.note and "stand" in found.note:
            assert found.note.count(",") <= 8


@pytest.mark.parametrize(
    ("text", "code", "underlined"),
    [
        ("phase dawn\n  gian 1 wood\n", "E0103", "gian"),
        ('resource wood "wood\n', "E0107", '"wood'),
        ("phase dawn\n  let x = (1 + 2\n", "E0113", "("),
        ("group good wood, stone\n", "E0111", "wood"),
        ("phase dawn\n  set total to 5\n", "E0112", "total"),
        ("phase dawn\n  if x = 1\n  gain 1 wood\n", "E0104", "if x = 1"),
        ("phase dawn\n  gain 1 wood\n     lose 1 wood\n", "E0105", "     "),
        ("hero ann\n  cost 2 wood 2 stone\n", "E0128", "2"),
        ("phase dawn\n  nothing\n    \n  gain 2wood\n", "E0125", "2wood"),
    ],
)
def test_the_right_word_is_underlined(text: str, code: str, underlined: str) -> None:
    (found,) = parse(Source("page.edict", text)).diagnostics
    line = text.split("\n")[found.span.line - 1]
    assert (found.code, line[found.span.column - 1 : found.span.end_column - 1]) == (code, underlined)


def test_the_words_of_the_language_are_known() -> None:
    assert {"gain", "each", "quantity", "number"} <= keywords()


# --- how it is told ----------------------------------------------------------------------------

SOURCE = Source("a.edict", 'resource wood\nresource wood "Holz"\n' + "x" * 300 + "\n\tgroup 木材 is wood\n")
SOURCES = by_name([SOURCE])


def at(line: int, start: int, end: int, file: str = "a.edict") -> Span:
    return Span(file, line, start, line, end)


def test_places_reason_and_remedy_are_told() -> None:
    labels = (Label(at(1, 10, 14), "declared here"),)
    found = Diagnostic("E0171", "`wood` twice", at(2, 10, 14), "Why not.", labels, "go")
    assert render(found, SOURCES) == (
        "a.edict:2:10: error E0171: `wood` twice\n"
        '    2 | resource wood "Holz"\n'
        "      |          ^^^^\n"
        "declared here at a.edict:1:10:\n"
        "    1 | resource wood\n"
        "      |          ^^^^\n"
        "Why not.\n"
        "help: go\n"
    )


def test_long_lines_are_cut_around_the_place() -> None:
    told = render(Diagnostic("E0100", "t", at(3, 200, 205)), SOURCES, width=60)
    assert all(len(line) <= 60 for line in told.splitlines())
    assert "^^^^^" in told and "..." in told


def test_tabs_and_wide_letters_are_underlined_where_they_stand() -> None:
    told = render(Diagnostic("E0100", "t", at(4, 8, 10)), SOURCES).splitlines()
    assert told[1] == "    4 |     group 木材 is wood"
    assert told[2] == "      |           ^^^^"


def test_nothing_steers_the_terminal() -> None:
    evil = Source("e\x1b[31m.edict", "a \x1b[2J b\u202e\n")
    told = render(Diagnostic("E0100", "\x1b]0;x\x07", Span(evil.name, 1, 1, 1, 2), "\x9b1m"), by_name([evil]))
    assert all(c.isprintable() or c == "\n" for c in told)
    assert plain("a\x1bb") == "a?b"


def test_findings_come_in_order_each_once_and_are_counted() -> None:
    late, early = Diagnostic("E0100", "late", at(2, 1, 2)), Diagnostic("E0100", "early", at(1, 1, 2))
    warning = Diagnostic("E0500", "careful", at(1, 5, 6), severity="warning")
    told = render_all([late, early, late, warning], SOURCES)
    assert [told.index(word) for word in ("early", "careful", "late")] == sorted(
        told.index(word) for word in ("early", "careful", "late")
    )
    assert told.endswith("2 errors and 1 warning\n")
    assert render_all([], SOURCES) == ""


ODD = [at(99, 1, 2), at(1, 99, 100), at(1, 1, 2, "elsewhere.edict"), Span("a.edict", 1, 3, 2, 1)]


@pytest.mark.parametrize("span", ODD, ids=str)
def test_any_span_can_be_told(span: Span) -> None:
    assert render(Diagnostic("E0100", "t", span), SOURCES).startswith(f"{span}: error E0100: t")


@pytest.mark.timeout(60)
def test_long_lines_full_of_mistakes_are_told_in_time() -> None:
    for line in (f"gain {'a' * 1900}", f"adjust {'x-' * 600} by", "when " + "dawn of " * 90, "if " + "x " * 190):
        text = "".join(f"{line}\nphase p{number}\n  {line}\n" for number in range(20))
        assert told(text)


@pytest.mark.parametrize(
    "line",
    ['choose a player "Who hires the left neighbour?"', 'may gain 1 wood "Send wood to your wood?"'],
)
def test_what_stands_in_a_text_is_no_mistake_of_the_line(line: str) -> None:
    (found,) = told(f"resource wood\nphase dawn\n  {line}\n    nothing\n")
    assert not found.title.startswith(("the player next to you", "to say that something is yours"))
