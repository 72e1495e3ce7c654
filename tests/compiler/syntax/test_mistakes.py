"""Diagnostics for people who know the game but not the language (one per mistake, at its line, with a correct remedy).

The lists are in `mistakes/`; `remedies.yaml` has a mistake for every row of the table of remedies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from edict.compiler.syntax.parse import parse, parse_file
from edict.compiler.syntax.syntax_errors.diagnosis import LAYOUT_ERRORS
from edict.compiler.syntax.syntax_errors.habits import load_habits
from edict.support import resources
from edict.support.rendering import escape_terminal, index_sources, render_diagnostic, render_diagnostics
from edict.support.report import Diagnostic, Edit, Label, apply_edits
from edict.support.text import Source, Span
from helpers import underlined_text
from newcoming import FILE, FOLDER, Mistake, find_diagnostics, iter_mistakes, load_mistakes, make_rules

PROPOSED, EXPLAINED = tuple(iter_mistakes("proposed")), tuple(iter_mistakes("explained"))
INCOMPLETE = ("E0301", "E0304", "E0116")  # of definitions that lack other lines, and of the same slip further below


@pytest.mark.sample(60)
@pytest.mark.parametrize("mistake", PROPOSED, ids=lambda one: one.name)
def test_proposed_fix_makes_the_rule_correct(mistake: Mistake) -> None:
    found, *others = find_diagnostics(mistake.text)
    assert tuple(other.code for other in others) == mistake.further
    after = apply_edits(mistake.text, found.edits)
    assert (found.code, underlined_text(mistake.text, found), found.exact) == (
        mistake.code,
        mistake.at,
        mistake.exact,
    ), found
    if found.code < "E0130":  # of lines that cannot be parsed
        assert not all(edit.text.strip().isalpha() and _is_insertion(edit) for edit in found.edits)
    assert mistake.becomes in [line.strip() for line in after.split("\n")], (found.help, after)
    assert not [one for one in find_diagnostics(after) if one.is_error and one.code not in INCOMPLETE]


@pytest.mark.sample(40)
@pytest.mark.parametrize("mistake", EXPLAINED, ids=lambda one: one.name)
def test_unfixable_mistake_is_explained(mistake: Mistake) -> None:
    found, *others = find_diagnostics(mistake.text)
    assert tuple(other.code for other in others) == mistake.further
    told = (found.code, underlined_text(mistake.text, found), found.title, found.help, found.note)
    assert told == (mistake.code, mistake.at, mistake.title, mistake.help, mistake.note)
    assert found.help and not found.edits


def _is_insertion(edit: Edit) -> bool:
    return (edit.span.line, edit.span.column) == (edit.span.end_line, edit.span.end_column)


MISTAKES_ELSEWHERE = (
    "when start of spring\n  each player\n    gain 1 zork\n",
    "when start of spring\n  each player\n    gian 1 zork blah victim year you\n",
    'building mill "Mill"\n  row Q\n  colum 9\n',
    "keep bid of player as zork\n",
    "zork zork zork\n",
    "amend building statue\n  worth 99\n  cost 1.5 gold\n",
)


@pytest.mark.parametrize(
    "step",
    [
        "if year 1\n  gain 1 gold",
        "if gold you > 3\n  gain 1 wood",
        "gain 1 gold\notherwise\n  gain 1 wood",
        "gain 1 good from victim",
        "steal 1 good from left of you",
        "gain 1 of good",
        "gets 1 gold",
    ],
)
def test_message_of_a_line_does_not_depend_on_mistakes_elsewhere(step: str, subtests: pytest.Subtests) -> None:
    rules = make_rules({"step": step})
    (alone,) = find_diagnostics(rules)
    for other in MISTAKES_ELSEWHERE:
        with subtests.test(other=other):
            found = [one for one in find_diagnostics(f"{rules}\n{other}") if one.span == alone.span]
            assert found == [alone]


def test_message_of_a_line_does_not_depend_on_mistakes_beside_it(subtests: pytest.Subtests) -> None:
    rules = "when start of summer\n  each player\n    take 1 good from victim\n{}"
    for other in ("    gain 1 zork\n", "    if gold of wood\n      gain 1 gold\n"):
        with subtests.test(other=other):
            assert find_diagnostics(rules.format(other))[0] == find_diagnostics(rules.format(""))[0]


TURN = "when start of summer\n  each player\n"


_find_diagnostics = cache(find_diagnostics)


@cache
def list_unreadable_steps() -> tuple[str, ...]:
    """Return the steps of all lists of mistakes that cannot be parsed, each with its lines indented."""
    entries = (
        entry for part in ("proposed", "explained") for entry in load_mistakes(FOLDER / f"{part}.yaml")["mistakes"]
    )
    steps = (str(entry["step"]) for entry in entries if "step" in entry)
    texts = (make_rules({"step": step}) for step in steps)
    return tuple(text.removeprefix(TURN) for text in texts if any(parse_file(Source(FILE, text)).unparsed))


def list_messages(rules: str, first: int, steps: str) -> list[tuple[object, ...]]:
    """Return the diagnostics of steps that begin at a line, with places from there."""
    lines = range(first, first + steps.count("\n"))
    return [
        (one.code, one.title, one.help, one.note, one.span.line - first, one.span.column, one.span.end_column)
        for one in _find_diagnostics(rules)
        if one.span.line in lines
    ]


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(4))
def test_message_of_a_line_is_the_same_among_other_mistakes_in_any_order(seed: int, subtests: pytest.Subtests) -> None:
    rng = Random(seed)
    chosen = rng.sample(list_unreadable_steps(), 10)
    alone = {steps: list_messages(TURN + steps, 3, steps) for steps in chosen}
    for arrangement in ("in definitions of their own", "in one definition"):
        for _ in range(2):
            rng.shuffle(chosen)
            together = chosen
            if arrangement == "in one definition":  # where layout is wrong, what is below may belong elsewhere
                together = [steps for steps in chosen if alone[steps][0][0] not in LAYOUT_ERRORS][:3]
            rules, first_lines = TURN, list[int]()
            for steps in together:
                first_lines.append(rules.count("\n") + 1)
                rules += steps if arrangement == "in one definition" else f"{steps}\n{TURN}"
            rules = rules if arrangement == "in one definition" else rules.removesuffix(TURN)
            for steps, first in zip(together, first_lines, strict=True):
                with subtests.test(arrangement=arrangement, steps=steps):
                    assert list_messages(rules, first, steps) == alone[steps]


def test_fix_that_makes_a_condition_always_true_is_not_offered() -> None:
    (found,) = find_diagnostics(
        "keep bid of player as number from 0 to 5\nwhen end of summer\n  each player\n    set bid of you to 1\n"
        "  each player where count of (everyone where bid of it = bid of you) = 1\n    gain 1 gold\n"
    )
    assert not found.edits and "bid of it = bid of it" not in found.help


def test_faults_of_one_line_are_fixed_together() -> None:
    rules = make_rules({"step": "if gold > wood\n  gain 1 gold"})
    (found,) = find_diagnostics(rules)
    assert found.help == "write `if gold of you > wood of you`" and not find_diagnostics(
        apply_edits(rules, found.edits)
    )


def test_unknown_words_are_quoted_with_an_example_line(subtests: pytest.Subtests) -> None:
    for text in ("gain 2 blarg of foo", "if foo bar baz", "gain , gold"):
        with subtests.test(text=text):
            (found,) = find_diagnostics(f"when start of summer\n  each player\n    {text}\n")
            assert re.search(r"`[^`]+`", found.title) and "`" in found.help and not found.edits


def test_sentence_with_joined_conditions_is_translated() -> None:
    sentence = "gain 1 gold if you have more than 2 wood and you have no stone"
    (found,) = find_diagnostics(f"when start of summer\n  each player\n    {sentence}\n")
    assert found.code == "E0802"
    assert found.help == "write `if wood of you > 2 and stone of you = 0`, under it `gain 1 gold`"


def test_unindented_line_is_moved_with_its_block() -> None:
    text = "when start of summer\neach player\n  gain 1 gold\n  gain 1 wood\n"
    (found,) = find_diagnostics(text)
    after = apply_edits(text, found.edits)
    assert after == "when start of summer\n  each player\n    gain 1 gold\n    gain 1 wood\n" and not find_diagnostics(
        after
    )


def test_every_habit_has_a_code_and_a_remedy(subtests: pytest.Subtests) -> None:
    for habit in load_habits():
        with subtests.test(habit=habit):
            assert re.fullmatch(r"E08\d\d", habit.code)
            assert habit.help or all(write for _, write in habit.ways), habit.code


def test_mistake_does_not_prevent_a_fix_elsewhere(subtests: pytest.Subtests) -> None:
    for written, other, line in (
        ("gian 1 gold", "\nbuilding mill\n  row ?", 6),
        ("gain 1 gould", "    gain 1 zork", 4),
    ):
        with subtests.test(written=written):
            text = f"when start of summer\n  each player\n    {written}\n{other}\n"
            found = find_diagnostics(text)
            assert [one.span.line for one in found] == [3, line]
            assert "gain 1 gold" in apply_edits(text, found[0].edits)


def test_unknown_word_gets_the_languages_form_for_the_idea() -> None:
    (found,) = find_diagnostics("when start of summer\n  each player\n    gain random gold\n")
    assert (found.code, found.help) == ("E0201", "draw a number: `draw a number from 1 to 6 as my-name`")


def test_keyword_as_local_name_is_refused_with_an_alternative(subtests: pytest.Subtests) -> None:
    for word in ("best", "left", "text"):  # of all others, that they are refused: test_reserved_words.py
        with subtests.test(word=word):
            (found,) = find_diagnostics(f"when start of summer\n  each player\n    let {word} = gold of you\n")
            assert (found.code, found.span.line) == ("E0112", 3) and f"`my-{word}`" in found.help


SENTENCES = {
    "houses: gain 2 gold when winter ends": ("`gain 2 gold` and `end of winter`", "when end of winter", "gain 2 gold"),
    "houses: gain 2 gold and 1 wood in winter": ("`start of winter`", "when start of winter", "gain 2 gold and 1 wood"),
    "Every building costs 1 wood less": ("No part", "when start of setup", "gain 1 gold"),
}


def test_sentence_is_explained_by_its_understood_parts(subtests: pytest.Subtests) -> None:
    for sentence, (understood, moment, step) in SENTENCES.items():
        with subtests.test(sentence=sentence):
            (found,) = find_diagnostics(f"{sentence}\n")
            assert found.code == "E0870" and understood in found.note
            assert f"`{moment}`" in found.help and f"`{step}`" in found.help
            assert found.help.endswith("a remark begins with `#`") == (understood == "No part")


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


def test_diagnostic_underlines_the_faulty_word(subtests: pytest.Subtests) -> None:
    for text, code, underlined in UNDERLINED:
        with subtests.test(text=text):
            (found,) = parse(Source("page.edict", text)).diagnostics
            assert (found.code, underlined_text(text, found)) == (code, underlined)


def test_unindented_line_is_told_its_definition(subtests: pytest.Subtests) -> None:
    for between in ("", "\n", "# a remark\n"):
        with subtests.test(between=between):
            (found,) = find_diagnostics(f"building mill\n  row B\n{between}  cost 1 wood\ncolumn 4\n")
            assert (found.code, found.title) == ("E0127", "this belongs under `building mill`")


@pytest.mark.timeout(60)
def test_long_faulty_lines_are_explained_in_time(subtests: pytest.Subtests) -> None:
    for line in (f"gain {'a' * 1900}", f"adjust {'x-' * 600} by", "when " + "dawn of " * 90, "if " + "x " * 190):
        with subtests.test(line=line):
            text = "".join(f"{line}\nphase p{number}\n  {line}\n" for number in range(20))
            assert parse(Source("page.edict", text)).diagnostics


def test_kind_in_where_condition_is_told_to_use_it() -> None:
    (found,) = find_diagnostics("when end of summer\n  each advisor where advisor is jester\n    announce advisor\n")
    assert found.code == "E0414" and "after `where` or `has`, use `it`" in found.help


# --- the table "wanted, have, so write" ----------------------------------------------------------

TABLE, MISTAKES = load_mistakes(resources.grammar_folder() / "remedies.yaml"), load_mistakes(FOLDER / "remedies.yaml")


def iter_remedy_rows() -> Iterator[Any]:
    for part, some in TABLE.items():
        for number, (row, mistake) in enumerate(zip(some, MISTAKES.get(part, ()), strict=False), 1):
            yield pytest.param(row, mistake, id=f"{part}-{number}: {row['wanted']} <- {row['have']}")


def test_every_remedy_row_has_a_mistake() -> None:
    assert {part: len(some) for part, some in MISTAKES.items()} == {part: len(some) for part, some in TABLE.items()}


@pytest.mark.sample(40)
@pytest.mark.parametrize(("row", "mistake"), list(iter_remedy_rows()))
def test_remedy_row_makes_the_rule_correct(row: dict[str, str], mistake: dict[str, str]) -> None:
    given, (form, *_) = mistake.get("given", ""), [key for key in mistake if key not in ("given", "right")]
    wrong, right = given + make_rules({form: mistake[form]}), given + make_rules({form: mistake["right"]})
    (found,) = find_diagnostics(wrong)
    assert re.fullmatch(_remedy_pattern(row), found.help), found
    assert re.fullmatch(_blanks_to_wildcards(row.get("note", "")), found.note)
    assert apply_edits(wrong, found.edits) == (right if "write" in row else wrong)
    assert not found.exact, "a value of another type may always be meant otherwise"
    assert find_diagnostics(right) == ()


def _remedy_pattern(row: dict[str, str]) -> str:
    """Return a regular expression for a row's remedy, with anything in its blanks."""
    more = f", or {row['or']}" if "or" in row else ""
    because = f": {row['because']}" if "because" in row else ""
    return _blanks_to_wildcards(row.get("say", f"write `{row.get('write', '')}`{more}{because}"))


def _blanks_to_wildcards(text: str) -> str:
    return ".+".join(map(re.escape, re.split(r"\{\w+\}", text)))


# --- how it is told ----------------------------------------------------------------------------

SOURCE = Source("a.edict", 'resource wood\nresource wood "Holz"\n' + "x" * 300 + "\n\tgroup 木材 is wood\n")
SOURCES = index_sources([SOURCE])


def span_at(line: int, start: int, end: int, file: str = "a.edict") -> Span:
    return Span(file, line, start, line, end)


def test_report_shows_places_reason_and_remedy() -> None:
    labels = (Label(span_at(1, 10, 14), "declared"),)
    found = Diagnostic("E0171", "`wood` twice", span_at(2, 10, 14), "Why not.", labels, "go")
    assert render_diagnostic(found, SOURCES) == (
        "a.edict:2:10: error E0171: `wood` twice\n"
        '    2 | resource wood "Holz"\n'
        "      |          ^^^^\n"
        "declared at a.edict:1:10:\n"
        "    1 | resource wood\n"
        "      |          ^^^^\n"
        "Why not.\n"
        "help: go\n"
    )


def test_report_cuts_long_lines_around_the_place() -> None:
    told = render_diagnostic(Diagnostic("E0100", "t", span_at(3, 200, 205)), SOURCES, width=60)
    assert all(len(line) <= 60 for line in told.splitlines())
    assert "^^^^^" in told and "..." in told


def test_report_underlines_tabs_and_wide_letters_correctly() -> None:
    told = render_diagnostic(Diagnostic("E0100", "t", span_at(4, 8, 10)), SOURCES).splitlines()
    assert told[1] == "    4 |     group 木材 is wood"
    assert told[2] == "      |           ^^^^"


def test_report_escapes_control_characters() -> None:
    evil = Source("e\x1b[31m.edict", "a \x1b[2J b\u202e\n")
    told = render_diagnostic(
        Diagnostic("E0100", "\x1b]0;x\x07", Span(evil.name, 1, 1, 1, 2), "\x9b1m"), index_sources([evil])
    )
    assert all(c.isprintable() or c == "\n" for c in told)
    assert escape_terminal("a\x1bb") == "a?b"


def test_report_sorts_deduplicates_and_counts_findings() -> None:
    late, early = Diagnostic("E0100", "late", span_at(2, 1, 2)), Diagnostic("E0100", "early", span_at(1, 1, 2))
    warning = Diagnostic("E0500", "careful", span_at(1, 5, 6), severity="warning")
    told = render_diagnostics([late, early, late, warning], SOURCES)
    assert [told.index(word) for word in ("early", "careful", "late")] == sorted(
        told.index(word) for word in ("early", "careful", "late")
    )
    assert told.endswith("2 errors and 1 warning\n")
    assert render_diagnostics([], SOURCES) == ""


ODD = [span_at(99, 1, 2), span_at(1, 99, 100), span_at(1, 1, 2, "elsewhere.edict"), Span("a.edict", 1, 3, 2, 1)]


def test_report_accepts_any_span(subtests: pytest.Subtests) -> None:
    for span in ODD:
        with subtests.test(span=span):
            assert render_diagnostic(Diagnostic("E0100", "t", span), SOURCES).startswith(f"{span}: error E0100: t")


def test_step_where_none_may_stand_is_not_told_its_own_form() -> None:
    (finding,) = parse(Source("a.edict", "resource coin\nkind card\n  spend 1 coin\n")).diagnostics
    assert finding.help == "a step belongs under `when`, or in a phase, a routine or a field"
