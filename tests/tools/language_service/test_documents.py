"""A file as a whole: outline, colours, hints, stretches to select, layout; also while it is broken."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from edict.support.report import apply_edits
from edict.support.text import Span
from edict.tools.language_service import document_structure, formatting, inlay_hints, semantic_tokens
from edict.tools.language_service.answer_types import Refused
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, MODULE, at_end, marked, titles

# --- outline and colours --------------------------------------------------------------------------


def test_the_outline_has_every_definition_also_those_that_cannot_be_read(space: Workspace, forge: Path) -> None:
    text = MODULE.replace("price 4", "price 4 +")
    space.lay(forge, text)
    found = document_structure.outline(space, forge)
    assert [one.name for one in found] == ["smithy", "tavern"]
    space.lay(forge, MODULE)
    assert [one.name for one in document_structure.outline(space, forge)[0].below][:3] == ["price", "cost", "gift"]
    assert document_structure.folds(space, forge) == ((1, 7), (4, 5), (6, 7), (8, 9))


def test_words_have_colours_by_what_they_are_also_in_a_broken_definition(space: Workspace, forge: Path) -> None:
    titles(space, forge)
    text = MODULE.replace("price 4", "price 4 + income of )")
    space.lay(forge, text)
    lines = text.split("\n")
    sorts = {
        (one.span.line, lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1]): one.sort
        for one in semantic_tokens.colours(space, forge)
    }
    assert sorts[2, "price"] == "field" and sorts[2, "income"] == "quantity" and sorts[5, "gain"] == "keyword"
    assert sorts[6, "sold"] == "moment" and sorts[6, "bakery"] == "thing" and sorts[7, "cloth"] == "resource"


# --- hints ----------------------------------------------------------------------------------------


TOLL = "quantity toll of stall is price of stall\n"


def hinted(space: Workspace, path: Path, text: str) -> dict[str, str]:
    """What stands before a hint in its line, and the hint."""
    space.lay(path, text)
    space.rules(path).analysis()  # type: ignore[union-attr]
    lines = text.split("\n")
    return {lines[one.at.line - 1][: one.at.column - 1].strip(): one.text for one in inlay_hints.hints(space, path)}


def test_hints_say_what_a_group_lets_one_choose(space: Workspace, forge: Path) -> None:
    text = MODULE.replace("gain 1 coin", "gain 1 good").replace("gain 1 cloth", "gain 1 of each good")
    assert hinted(space, forge, text) == {"gain 1 good": "(coin or cloth)", "gain 1 of each good": "(coin and cloth)"}
    assert [one.at.line for one in inlay_hints.hints(space, forge, 1, 5)] == [5]


def test_hints_say_what_becomes_of_a_price(space: Workspace, forge: Path) -> None:
    assert hinted(space, forge, MODULE + TOLL) == {}
    sure = hinted(space, forge, MODULE + TOLL + "adjust toll by 2\nadjust toll by -1\n")
    assert sure == {"price 4": "→ 5", "price 5": "→ 6"}
    held = hinted(space, forge, MODULE.replace("amend", "  adjust toll by -1\namend") + TOLL)
    assert held["price 4"] == "adjusted by Smithy"
    if_ = hinted(space, forge, MODULE + TOLL + "adjust toll by 2 if bakery is in owned of you\n")
    assert if_["price 4"] == "adjusted by a house rule"


# --- stretches ------------------------------------------------------------------------------------


def _within(one: Span, other: Span) -> bool:
    return (other.line, other.column) <= (one.line, one.column) and one.end_line <= other.end_line


def test_stretches_grow_from_the_word_to_the_file(space: Workspace, game: Path) -> None:
    lines = GAME.split("\n")
    whole = ["coin of you", "coin of you >= price of goal", "require coin of you >= price of goal"]
    for at, word in (("coin of y", "you"), ("coin of ", "you"), ("coin of you", "you"), ("", "coin")):
        found = document_structure.selections(space, game, marked(GAME, f"require {at}"))
        texts = [lines[one.line - 1][one.column - 1 : one.end_column - 1] for one in found if one.line == one.end_line]
        assert texts == [word, *whole], at
        assert [lines[one.line - 1].split(" ")[0] for one in found[-2:]] == ["action", "#"]
        assert all(_within(one, other) for one, other in pairwise(found))
        last = found[-1]
        assert (last.line, last.column, last.end_line, last.end_column) == (1, 1, len(lines), len(lines[-1]) + 1)


def test_a_broken_definition_has_stretches_too(space: Workspace, forge: Path) -> None:
    text = MODULE + 'phase x\n  do "\n'
    space.lay(forge, text)
    found = document_structure.selections(space, forge, marked(text, "phase x\n  d"))
    assert [(one.line, one.end_line) for one in found] == [(11, 11), (11, 11), (10, 11), (1, 12)]


# --- layout ---------------------------------------------------------------------------------------


def test_format_lays_a_file_out_or_says_why_not(space: Workspace, forge: Path) -> None:
    space.lay(forge, MODULE.replace("  price 4", "      price   4", 1).replace("\n  cost", "\n      cost"))
    with pytest.raises(Refused, match="cannot be laid out"):
        formatting.laid_out(space, forge)
    neat = MODULE.replace("gift\n    gain 1 coin", "gift gain 1 coin").replace("amend", "\namend")
    space.lay(forge, neat.replace("price 4", "price   4"))
    assert formatting.laid_out(space, forge) == neat


LAID_OUT = [
    "{}",
    "\n\n{}",
    "{}\n\n\n",
    "# on top\n{}",
    "{}phase x\n  nothing",
    "{}phase x\n\n\n\n  each player\n      gain 1 coin",
    "{}phase x\n  each player\n\n    # a remark\n     gain  1 coin\n\n\nphase y\n      nothing\n",
]


def test_a_file_is_laid_out_by_edits_of_the_lines_that_differ(space: Workspace, forge: Path) -> None:
    for text in (text.format(MODULE.replace("price 4", "price   4")) for text in LAID_OUT):
        space.lay(forge, text)
        edits, neat = formatting.layout_edits(space, forge), formatting.laid_out(space, forge)
        assert apply_edits(text, edits) == neat
        changed = {number for one in edits for number in range(one.span.line, one.span.end_line + 1)}
        kept = [line for number, line in enumerate(text.split("\n"), 1) if number not in changed]
        assert {"  cost 2 coin", "amend stall tavern", "  price 5"} <= {*kept}
        space.lay(forge, neat)
        assert formatting.layout_edits(space, forge) == ()


def test_some_lines_are_laid_out_though_others_cannot_be_read(space: Workspace, forge: Path) -> None:
    text = MODULE.replace("price 4", "price    4").replace("price 5", "price   5") + "phase x\n  do"
    space.lay(forge, text)
    there = apply_edits(text, formatting.laid_out_lines(space, forge, 8, 9))
    assert "price 5" in there and "price    4" in there
    everywhere = apply_edits(text, formatting.laid_out_lines(space, forge, 1, 99))
    assert "price 4\n" in everywhere and everywhere.endswith("phase x\n  do")
    with pytest.raises(Refused):
        formatting.laid_out_lines(space, forge.parent / "module.yaml", 1, 1)


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


def test_a_new_line_is_indented_by_what_may_stand_there(space: Workspace, forge: Path) -> None:
    for text, indent in INDENTS.items():
        space.lay(forge, text)
        edits = formatting.indented(space, forge, at_end(text))
        assert [len(one.text) for one in edits] == ([indent] if indent is not None else []), text
