"""What is said of what people write who know the game and not the language: once, at its line, and with a remedy that
is right wherever one is proposed to the letter. The lists are in `mistakes/` beside this; `remedies.yaml` has a mistake
for every row of the table "wanted, have, so write"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.unreadable.habits import habits
from edict.support import resources
from edict.support.rendering import escape_terminal, index_sources, render_diagnostic, render_diagnostics
from edict.support.report import Diagnostic, Label, apply_edits
from edict.support.text import Source, Span
from helpers import under
from newcoming import FOLDER, Mistake, found_in, listed_in, mistakes, rules_of

PROPOSED, EXPLAINED = tuple(mistakes("proposed")), tuple(mistakes("explained"))
INCOMPLETE = ("E0301", "E0304", "E0116")  # of definitions that lack other lines, and of the same slip further below


@pytest.mark.sample(120)
@pytest.mark.parametrize("mistake", PROPOSED, ids=lambda one: one.name)
def test_what_is_proposed_makes_the_rule_right(mistake: Mistake) -> None:
    (found,) = found_in(mistake.text)
    after = apply_edits(mistake.text, found.edits)
    assert (found.code, under(mistake.text, found), found.exact) == (mistake.code, mistake.at, mistake.exact), found
    assert mistake.becomes in [line.strip() for line in after.split("\n")], (found.help, after)
    assert not [one for one in found_in(after) if one.is_error and one.code not in INCOMPLETE]


@pytest.mark.sample(60)
@pytest.mark.parametrize("mistake", EXPLAINED, ids=lambda one: one.name)
def test_what_cannot_be_put_right_is_explained(mistake: Mistake) -> None:
    (found,) = found_in(mistake.text)
    told = (found.code, under(mistake.text, found), found.title, found.help, found.note)
    assert told == (mistake.code, mistake.at, mistake.title, mistake.help, mistake.note)
    assert found.help and not found.edits


def test_what_is_not_understood_is_quoted_with_a_line_to_copy() -> None:
    for text in ("gain 2 blarg of foo", "if foo bar baz", "gain , gold"):
        (found,) = found_in(f"when start of summer\n  each player\n    {text}\n")
        assert re.search(r"`[^`]+`", found.title) and "`" in found.help and not found.edits, text


def test_a_sentence_is_understood_with_conditions_joined_by_and() -> None:
    sentence = "gain 1 gold if you have more than 2 wood and you have no stone"
    (found,) = found_in(f"when start of summer\n  each player\n    {sentence}\n")
    assert found.code == "E0802"
    assert found.help == "write `if wood of you > 2 and stone of you = 0`, under it `gain 1 gold`"


def test_a_line_that_stands_too_far_left_is_moved_with_all_that_stands_under_it() -> None:
    text = "when start of summer\neach player\n  gain 1 gold\n  gain 1 wood\n"
    (found,) = found_in(text)
    after = apply_edits(text, found.edits)
    assert after == "when start of summer\n  each player\n    gain 1 gold\n    gain 1 wood\n" and not found_in(after)


def test_every_habit_has_a_code_and_says_what_to_write() -> None:
    for habit in habits():
        assert re.fullmatch(r"E08\d\d", habit.code)
        assert habit.help or all(write for _, write in habit.ways), habit.code


def test_one_mistake_does_not_hide_that_a_remedy_helps_elsewhere() -> None:
    for written, other, line in (
        ("gian 1 gold", "\nbuilding mill\n  row ?", 6),
        ("gain 1 gould", "    gain 1 zork", 4),
    ):
        text = f"when start of summer\n  each player\n    {written}\n{other}\n"
        found = found_in(text)
        assert [one.span.line for one in found] == [3, line]
        assert "gain 1 gold" in apply_edits(text, found[0].edits)


def test_of_a_word_that_nothing_is_named_it_is_told_what_the_language_has_for_it() -> None:
    (found,) = found_in("when start of summer\n  each player\n    gain random gold\n")
    assert (found.code, found.help) == ("E0201", "draw a number: `draw a number from 1 to 6 as my-name`")


def test_a_word_of_the_language_is_refused_where_it_is_made_a_name_and_another_is_proposed() -> None:
    for word in ("best", "left", "text"):  # of all others, that they are refused: test_reserved_words.py
        (found,) = found_in(f"when start of summer\n  each player\n    let {word} = gold of you\n")
        assert (found.code, found.span.line) == ("E0112", 3) and f"`my-{word}`" in found.help


SENTENCES = {
    "houses: gain 2 gold when winter ends": ("`gain 2 gold` and `end of winter`", "when end of winter", "gain 2 gold"),
    "houses: gain 2 gold and 1 wood in winter": ("`start of winter`", "when start of winter", "gain 2 gold and 1 wood"),
    "Every building costs 1 wood less": ("Nothing", "when start of setup", "gain 1 gold"),
}


def test_of_a_sentence_it_is_said_what_is_understood_and_how_it_is_written() -> None:
    for sentence, (understood, moment, step) in SENTENCES.items():
        (found,) = found_in(f"{sentence}\n")
        assert found.code == "E0870" and understood in found.note
        assert f"`{moment}`" in found.help and f"`{step}`" in found.help
        assert found.help.endswith("a remark begins with `#`") == (understood == "Nothing")


UNDERLINED = (
    ("phase dawn\n  gian 1 wood\n", "E0103", "gian"),
    ('resource wood "wood\n', "E0107", '"wood'),
    ('phase dawn\n  if yes  # a "quote\n    announce "a#1", "b  \n', "E0107", '"b'),
    ("phase dawn\n  let x = (1 + 2\n", "E0113", "("),
    ("phase dawn\n  otherwise gain 1 wood\n", "E0118", "otherwise"),
    ("phase dawn\n  set total to 5\n", "E0112", "total"),
    ("phase dawn\n  set x to total + 1\n", "E0112", "total"),
    ("phase dawn\n  set x to left\n", "E0112", "left"),
    ("phase dawn\n  if x = 1\n  gain 1 wood\n", "E0104", "if x = 1"),
    ("phase dawn\n  gain 1 wood\n     lose 1 wood\n", "E0105", "lose 1 wood"),
    ("phase dawn\n  nothing\n    \n  gain 2wood\n", "E0125", "2wood"),
)


def test_the_right_word_is_underlined() -> None:
    for text, code, underlined in UNDERLINED:
        (found,) = parse(Source("page.edict", text)).diagnostics
        assert (found.code, under(text, found)) == (code, underlined)


def test_a_line_outside_is_told_what_it_belongs_to_whatever_stands_between() -> None:
    for between in ("", "\n", "# a remark\n"):
        (found,) = found_in(f"building mill\n  row B\n{between}  cost 1 wood\ncolumn 4\n")
        assert (found.code, found.title) == ("E0127", "this belongs to `building mill`, and is indented under it")


@pytest.mark.timeout(60)
def test_long_lines_full_of_mistakes_are_told_in_time() -> None:
    for line in (f"gain {'a' * 1900}", f"adjust {'x-' * 600} by", "when " + "dawn of " * 90, "if " + "x " * 190):
        text = "".join(f"{line}\nphase p{number}\n  {line}\n" for number in range(20))
        assert parse(Source("page.edict", text)).diagnostics


def test_whoever_asks_of_all_things_after_where_is_told_of_it() -> None:
    (found,) = found_in("when end of summer\n  each advisor where advisor is jester\n    announce advisor\n")
    assert found.code == "E0414" and "after `where` or `has`, the one that is asked about is `it`" in found.help


# --- the table "wanted, have, so write" ----------------------------------------------------------

TABLE, MISTAKES = listed_in(resources.grammar_folder() / "remedies.yaml"), listed_in(FOLDER / "remedies.yaml")


def rows() -> Iterator[Any]:
    for part, some in TABLE.items():
        for number, (row, mistake) in enumerate(zip(some, MISTAKES.get(part, ()), strict=False), 1):
            yield pytest.param(row, mistake, id=f"{part}-{number}: {row['wanted']} <- {row['have']}")


def test_there_is_a_mistake_for_every_row() -> None:
    assert {part: len(some) for part, some in MISTAKES.items()} == {part: len(some) for part, some in TABLE.items()}


@pytest.mark.sample(64)
@pytest.mark.parametrize(("row", "mistake"), list(rows()))
def test_what_a_row_says_makes_the_rule_right(row: dict[str, str], mistake: dict[str, str]) -> None:
    given, (form, *_) = mistake.get("given", ""), [key for key in mistake if key not in ("given", "right")]
    wrong, right = given + rules_of({form: mistake[form]}), given + rules_of({form: mistake["right"]})
    (found,) = found_in(wrong)
    assert re.fullmatch(_said(row), found.help), found
    assert re.fullmatch(_with_any(row.get("note", "")), found.note)
    assert apply_edits(wrong, found.edits) == (right if "write" in row else wrong)
    assert not found.exact, "a value of another type may always be meant otherwise"
    assert found_in(right) == ()


def _said(row: dict[str, str]) -> str:
    """What a row says, with anything in its blanks."""
    more = f", or {row['or']}" if "or" in row else ""
    because = f": {row['because']}" if "because" in row else ""
    return _with_any(row.get("say", f"write `{row.get('write', '')}`{more}{because}"))


def _with_any(text: str) -> str:
    return ".+".join(map(re.escape, re.split(r"\{\w+\}", text)))


# --- how it is told ----------------------------------------------------------------------------

SOURCE = Source("a.edict", 'resource wood\nresource wood "Holz"\n' + "x" * 300 + "\n\tgroup 木材 is wood\n")
SOURCES = index_sources([SOURCE])


def at(line: int, start: int, end: int, file: str = "a.edict") -> Span:
    return Span(file, line, start, line, end)


def test_places_reason_and_remedy_are_told() -> None:
    labels = (Label(at(1, 10, 14), "declared here"),)
    found = Diagnostic("E0171", "`wood` twice", at(2, 10, 14), "Why not.", labels, "go")
    assert render_diagnostic(found, SOURCES) == (
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
    told = render_diagnostic(Diagnostic("E0100", "t", at(3, 200, 205)), SOURCES, width=60)
    assert all(len(line) <= 60 for line in told.splitlines())
    assert "^^^^^" in told and "..." in told


def test_tabs_and_wide_letters_are_underlined_where_they_stand() -> None:
    told = render_diagnostic(Diagnostic("E0100", "t", at(4, 8, 10)), SOURCES).splitlines()
    assert told[1] == "    4 |     group 木材 is wood"
    assert told[2] == "      |           ^^^^"


def test_nothing_steers_the_terminal() -> None:
    evil = Source("e\x1b[31m.edict", "a \x1b[2J b\u202e\n")
    told = render_diagnostic(
        Diagnostic("E0100", "\x1b]0;x\x07", Span(evil.name, 1, 1, 1, 2), "\x9b1m"), index_sources([evil])
    )
    assert all(c.isprintable() or c == "\n" for c in told)
    assert escape_terminal("a\x1bb") == "a?b"


def test_findings_come_in_order_each_once_and_are_counted() -> None:
    late, early = Diagnostic("E0100", "late", at(2, 1, 2)), Diagnostic("E0100", "early", at(1, 1, 2))
    warning = Diagnostic("E0500", "careful", at(1, 5, 6), severity="warning")
    told = render_diagnostics([late, early, late, warning], SOURCES)
    assert [told.index(word) for word in ("early", "careful", "late")] == sorted(
        told.index(word) for word in ("early", "careful", "late")
    )
    assert told.endswith("2 errors and 1 warning\n")
    assert render_diagnostics([], SOURCES) == ""


ODD = [at(99, 1, 2), at(1, 99, 100), at(1, 1, 2, "elsewhere.edict"), Span("a.edict", 1, 3, 2, 1)]


def test_any_span_can_be_told() -> None:
    for span in ODD:
        assert render_diagnostic(Diagnostic("E0100", "t", span), SOURCES).startswith(f"{span}: error E0100: t")
