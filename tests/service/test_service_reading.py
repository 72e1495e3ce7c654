"""Hints, who calls what, stretches to select, and layout of a few lines: asked of `edict.service`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from workshop import GAME, MODULE, at_end, marked

from edict.report import edited
from edict.service import call_hierarchy, document_structure, formatting, inlay_hints
from edict.service.answer_types import Call, Refused
from edict.service.workspace import Workspace
from edict.text import Span

TOLL = "quantity toll of stall is price of stall\n"


def hinted(space: Workspace, path: Path, text: str) -> dict[str, str]:
    """What stands before a hint in its line, and the hint."""
    space.lay(path, text)
    space.rules(path).analysis()  # type: ignore[union-attr]
    lines = text.split("\n")
    return {lines[one.at.line - 1][: one.at.column - 1].strip(): one.text for one in inlay_hints.hints(space, path)}


# --- hints -----------------------------------------------------------------------------------------


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


# --- calls -----------------------------------------------------------------------------------------


def names(calls: tuple[Call, ...]) -> list[tuple[str, str]]:
    return [(one.name, one.sort) for one in calls]


def test_who_triggers_does_and_plays_and_what_follows(space: Workspace, game: Path) -> None:
    for part, by, to in (
        ("moment sol", [("market", "phase")], [("bakery", "thing")]),
        ("routine pa", [("market", "phase")], []),
        ("action vis", [("market", "phase")], [("lax", "standalone")]),
        ("phase mar", [("fair", "game")], [("visit", "action"), ("sold", "moment"), ("pay", "routine")]),
    ):
        at = marked(GAME, part)
        assert names(call_hierarchy.callers(space, game, at)) == by, part
        assert names(call_hierarchy.called(space, game, at)) == to, part
    (call,) = call_hierarchy.callers(space, game, marked(GAME, "moment sol"))
    assert [GAME.split("\n")[one.span.line - 1].strip() for one in call.places] == ["trigger sold with you and bakery"]


def test_calls_of_modules_are_found_from_the_module(space: Workspace, forge: Path) -> None:
    more = "when start of market\n  each player\n    do pay with you and 1\n"
    space.lay(forge, MODULE + more)
    at = marked(MODULE, "when sol")
    assert ("smithy", "thing") in names(call_hierarchy.called(space, forge, at))
    assert names(call_hierarchy.callers(space, forge, at)) == [("market", "phase")]
    at = marked(MODULE + more, "do pa")
    assert ("house rule", "standalone") in names(call_hierarchy.callers(space, forge, at))


def test_what_can_be_called_at_a_place(space: Workspace, game: Path) -> None:
    named = call_hierarchy.callable_at(space, game, marked(GAME, "    do vis"))
    around = call_hierarchy.callable_at(space, game, marked(GAME, "require coin of y"))
    assert named is not None and around is not None and (named.name, around.name) == ("visit", "visit")
    assert call_hierarchy.callable_at(space, game, marked(GAME, "# A fa")) is None


# --- stretches -------------------------------------------------------------------------------------


def test_stretches_grow_from_the_word_to_the_file(space: Workspace, game: Path) -> None:
    found = document_structure.selections(space, game, marked(GAME, "require coin of y"))
    lines = GAME.split("\n")
    texts = [lines[one.line - 1][one.column - 1 : one.end_column - 1] for one in found if one.line == one.end_line]
    assert texts == ["you", "coin of you", "coin of you >= price of goal", "require coin of you >= price of goal"]
    assert [lines[one.line - 1].split(" ")[0] for one in found[-2:]] == ["action", "#"]
    assert all(_within(one, other) for one, other in pairwise(found))


def _within(one: Span, other: Span) -> bool:
    return (other.line, other.column) <= (one.line, one.column) and one.end_line <= other.end_line


def test_a_broken_definition_has_stretches_too(space: Workspace, forge: Path) -> None:
    text = MODULE + 'phase x\n  do "\n'
    space.lay(forge, text)
    found = document_structure.selections(space, forge, marked(text, "phase x\n  d"))
    assert [(one.line, one.end_line) for one in found] == [(11, 11), (11, 11), (10, 11), (1, 12)]


# --- layout ----------------------------------------------------------------------------------------


def test_some_lines_are_laid_out_though_others_cannot_be_read(space: Workspace, forge: Path) -> None:
    text = MODULE.replace("price 4", "price    4").replace("price 5", "price   5") + "phase x\n  do"
    space.lay(forge, text)
    there = edited(text, formatting.laid_out_lines(space, forge, 8, 9))
    assert "price 5" in there and "price    4" in there
    everywhere = edited(text, formatting.laid_out_lines(space, forge, 1, 99))
    assert "price 4\n" in everywhere and everywhere.endswith("phase x\n  do")
    with pytest.raises(Refused):
        formatting.laid_out_lines(space, forge.parent / "module.yaml", 1, 1)


@pytest.mark.parametrize(("text", "indent"), [
    ("stall mill\n", 2), ("stall mill\n  price 3\n", 2), ("stall mill\n  gift\n", 4), ("phase x\n      ", 2),
    ("phase x\n  each player\n", 4), ("phase x\n  each player\n    do visit\n", 4), ("phase x\n\n", None),
    ("amend stall smithy\n", 2), ('stall mill "Mill"\n', 2), ("when end of year\n", 2), ("resource hay\n", None),
    ("stall mill\n  gift\n    if 1 = 1\n", 6), ("stall mill\n  gift\n    gain 1 cloth\n", 4),
])  # fmt: skip
def test_a_new_line_is_indented_by_what_may_stand_there(
    space: Workspace, forge: Path, text: str, indent: int | None
) -> None:
    space.lay(forge, text)
    edits = formatting.indented(space, forge, at_end(text))
    assert [len(one.text) for one in edits] == ([indent] if indent is not None else [])
