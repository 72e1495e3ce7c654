"""Outline, semantic tokens, inlay hints, selection ranges and formatting, also in broken files."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from edict.support.report import apply_edits
from edict.support.text import Span
from edict.tools.language_service import document_structure, formatting, text_decorations
from edict.tools.language_service.answer_types import EditRefused
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, MODULE, end_position, position_after, problem_titles

# --- outline and colours --------------------------------------------------------------------------


def test_outline_has_every_definition_even_unparsable_ones(space: Workspace, forge: Path) -> None:
    text = MODULE.replace("price 4", "price 4 +")
    space.set_text(forge, text)
    entries = document_structure.build_outline(space, forge)
    assert [entry.name for entry in entries] == ["smithy", "tavern"]
    space.set_text(forge, MODULE)
    assert [entry.name for entry in document_structure.build_outline(space, forge)[0].below][:3] == [
        "price",
        "cost",
        "gift",
    ]
    assert document_structure.list_folds(space, forge) == ((1, 7), (4, 5), (6, 7), (8, 9))


def test_tokens_have_the_right_sorts_even_in_a_broken_definition(space: Workspace, forge: Path) -> None:
    problem_titles(space, forge)
    text = MODULE.replace("price 4", "price 4 + income of )")
    space.set_text(forge, text)
    lines = text.split("\n")
    sorts = {
        (token.span.line, lines[token.span.line - 1][token.span.column - 1 : token.span.end_column - 1]): token.sort
        for token in text_decorations.list_tokens(space, forge)
    }
    assert sorts[2, "price"] == "field" and sorts[2, "income"] == "quantity" and sorts[5, "gain"] == "keyword"
    assert sorts[6, "sold"] == "moment" and sorts[6, "bakery"] == "thing" and sorts[7, "cloth"] == "resource"


# --- hints ----------------------------------------------------------------------------------------


TOLL = "quantity toll of stall is price of stall\n"


def show_hints(space: Workspace, path: Path, text: str) -> dict[str, str]:
    """Return each hint of a text, by the part of its line before it."""
    space.set_text(path, text)
    space.get_rules(path).get_analysis()  # type: ignore[union-attr]
    lines = text.split("\n")
    return {
        lines[hint.at.line - 1][: hint.at.column - 1].strip(): hint.text
        for hint in text_decorations.list_hints(space, path)
    }


def test_hints_list_the_members_of_a_group(space: Workspace, forge: Path) -> None:
    text = MODULE.replace("gain 1 coin", "gain 1 good").replace("gain 1 cloth", "gain 1 of each good")
    assert show_hints(space, forge, text) == {
        "gain 1 good": "(coin or cloth)",
        "gain 1 of each good": "(coin and cloth)",
    }
    assert [hint.at.line for hint in text_decorations.list_hints(space, forge, 1, 5)] == [5]


def test_hints_show_adjusted_prices(space: Workspace, forge: Path) -> None:
    assert show_hints(space, forge, MODULE + TOLL) == {}
    certain = show_hints(space, forge, MODULE + TOLL + "adjust toll by 2\nadjust toll by -1\n")
    assert certain == {"price 4": "→ 5", "price 5": "→ 6"}
    by_owner = show_hints(space, forge, MODULE.replace("amend", "  adjust toll by -1\namend") + TOLL)
    assert by_owner["price 4"] == "adjusted by Smithy"
    conditional = show_hints(space, forge, MODULE + TOLL + "adjust toll by 2 if bakery is in owned of you\n")
    assert conditional["price 4"] == "adjusted by a house rule"


# --- selection ranges -----------------------------------------------------------------------------


def _is_inside(inner: Span, outer: Span) -> bool:
    return (outer.line, outer.column) <= (inner.line, inner.column) and inner.end_line <= outer.end_line


def test_selection_grows_from_word_to_file(space: Workspace, game: Path, subtests: pytest.Subtests) -> None:
    lines = GAME.split("\n")
    larger = ["coin of you", "coin of you >= price of goal", "require coin of you >= price of goal"]
    for typed_part, word in (("coin of y", "you"), ("coin of ", "you"), ("coin of you", "you"), ("", "coin")):
        with subtests.test(typed_part=typed_part):
            spans = document_structure.list_selections(space, game, position_after(GAME, f"require {typed_part}"))
            texts = [
                lines[span.line - 1][span.column - 1 : span.end_column - 1]
                for span in spans
                if span.line == span.end_line
            ]
            assert texts == [word, *larger]
            assert [lines[span.line - 1].split(" ")[0] for span in spans[-2:]] == ["action", "#"]
            assert all(_is_inside(span, other) for span, other in pairwise(spans))
            last = spans[-1]
            assert (last.line, last.column, last.end_line, last.end_column) == (1, 1, len(lines), len(lines[-1]) + 1)


def test_broken_definition_has_selection_ranges(space: Workspace, forge: Path) -> None:
    text = MODULE + 'phase x\n  do "\n'
    space.set_text(forge, text)
    spans = document_structure.list_selections(space, forge, position_after(text, "phase x\n  d"))
    assert [(span.line, span.end_line) for span in spans] == [(11, 11), (11, 11), (10, 11), (1, 12)]


# --- formatting -----------------------------------------------------------------------------------


def test_formatting_returns_canonical_text_or_is_refused(space: Workspace, forge: Path) -> None:
    space.set_text(forge, MODULE.replace("  price 4", "      price   4", 1).replace("\n  cost", "\n      cost"))
    with pytest.raises(EditRefused, match="cannot be formatted"):
        formatting.format_file(space, forge)
    formatted = MODULE.replace("gift\n    gain 1 coin", "gift gain 1 coin").replace("amend", "\namend")
    space.set_text(forge, formatted.replace("price 4", "price   4"))
    assert formatting.format_file(space, forge) == formatted


LAYOUTS = [
    "{}",
    "\n\n{}",
    "{}\n\n\n",
    "# on top\n{}",
    "{}phase x\n  nothing",
    "{}phase x\n\n\n\n  each player\n      gain 1 coin",
    "{}phase x\n  each player\n\n    # a remark\n     gain  1 coin\n\n\nphase y\n      nothing\n",
]


def test_formatting_edits_only_lines_that_differ(space: Workspace, forge: Path, subtests: pytest.Subtests) -> None:
    for text in (text.format(MODULE.replace("price 4", "price   4")) for text in LAYOUTS):
        with subtests.test(text=text):
            space.set_text(forge, text)
            edits, formatted = formatting.format_edits(space, forge), formatting.format_file(space, forge)
            assert apply_edits(text, edits) == formatted
            changed = {number for edit in edits for number in range(edit.span.line, edit.span.end_line + 1)}
            untouched = [line for number, line in enumerate(text.split("\n"), 1) if number not in changed]
            assert {"  cost 2 coin", "amend stall tavern", "  price 5"} <= {*untouched}
            space.set_text(forge, formatted)
            assert formatting.format_edits(space, forge) == ()


def test_some_lines_can_be_formatted_though_others_do_not_parse(space: Workspace, forge: Path) -> None:
    text = MODULE.replace("price 4", "price    4").replace("price 5", "price   5") + "phase x\n  do"
    space.set_text(forge, text)
    partly = apply_edits(text, formatting.format_lines(space, forge, 8, 9))
    assert "price 5" in partly and "price    4" in partly
    completely = apply_edits(text, formatting.format_lines(space, forge, 1, 99))
    assert "price 4\n" in completely and completely.endswith("phase x\n  do")
    with pytest.raises(EditRefused):
        formatting.format_lines(space, forge.parent / "module.yaml", 1, 1)


INDENTS = {
    "stall mill\n": 2,
    "stall mill\n  price 3\n": 2,
    "stall mill\n  gift\n": 4,
    "phase x\n      ": 2,
    "phase x\n  each player\n": 4,
    "phase x\n  each player\n    do visit\n": 4,
    "phase x\n\n": None,
    "amend stall smithy\n": 2,
    'stall mill "Mill"\n': 2,
    "when end of year\n": 2,
    "resource hay\n": None,
    "stall mill\n  gift\n    if 1 = 1\n": 6,
    "stall mill\n  gift\n    gain 1 cloth\n": 4,
}


def test_new_line_is_indented_for_what_can_follow(space: Workspace, forge: Path, subtests: pytest.Subtests) -> None:
    for text, indent in INDENTS.items():
        with subtests.test(text=text):
            space.set_text(forge, text)
            edits = formatting.indent_line(space, forge, end_position(text))
            assert [len(edit.text) for edit in edits] == ([indent] if indent is not None else [])
