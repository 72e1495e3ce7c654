"""What is told with every key: names, types and what was changed, and elsewhere what was found last."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from edict.tools.language_service.workspace import Workspace
from workshop import MODULE

NEVER = "when end of market if 1 > 2\n  each player\n    gain 1 coin\n"


def at_once(space: Workspace, path: Path, text: str) -> list[tuple[str, int]]:
    """The codes and lines of what is told before all is looked at."""
    space.lay(path, text)
    rules = space.rules(path)
    assert rules is not None
    return [(one.code, one.span.line) for one in rules.at_once() if one.span.file.startswith("forge/")]


def all_told(space: Workspace, path: Path) -> list[tuple[str, int]]:
    rules = space.rules(path)
    assert rules is not None
    found = rules.checked().found
    assert rules.at_once() == found, "once all was looked at, that is what is told"
    return [(one.code, one.span.line) for one in found if one.span.file.startswith("forge/")]


def test_what_is_wrong_with_what_was_changed_is_told_at_once(space: Workspace, forge: Path) -> None:
    assert at_once(space, forge, MODULE) == all_told(space, forge) == []
    wrong = MODULE.replace("if stall = bakery", "if 1 > 2")
    assert at_once(space, forge, wrong) == all_told(space, forge) != []
    assert [code[:3] for code, _ in at_once(space, forge, MODULE.replace("1 coin", "1 coyn"))] == ["E02"]
    assert [code[:3] for code, _ in at_once(space, forge, MODULE.replace("stall = bakery", "stall = 4"))] == ["E04"]


def test_what_was_found_elsewhere_is_told_where_it_is_now(space: Workspace, forge: Path) -> None:
    at_once(space, forge, MODULE + NEVER)
    ((code, line),) = all_told(space, forge)
    below = MODULE.replace("amend", "\n\namend").replace("price 4", "price 3")
    assert at_once(space, forge, below + NEVER) == [(code, line + 2)] == all_told(space, forge)
    assert at_once(space, forge, MODULE) == all_told(space, forge) == [], "it is gone with its line"


def test_a_mistake_that_hides_others_hides_them_no_longer_than_it_stands(space: Workspace, forge: Path) -> None:
    at_once(space, forge, MODULE + NEVER)
    before = all_told(space, forge)
    broken = at_once(space, forge, MODULE.replace("price 4", "price ") + NEVER)
    assert broken and broken != before
    assert at_once(space, forge, MODULE + NEVER) == before == all_told(space, forge)


def test_where_lines_were_deleted_the_definition_is_looked_at(space: Workspace, forge: Path) -> None:
    text = MODULE + "when end of market if 1 > 0\n  each player\n    gain 1 coin\n"
    longer = text.replace("  each player\n", "  each player\n    nothing\n")
    at_once(space, forge, longer)
    all_told(space, forge)
    assert at_once(space, forge, text) == all_told(space, forge) != []


def test_no_remedy_is_carried_out_before_it_was_tried(space: Workspace, forge: Path) -> None:
    at_once(space, forge, MODULE)
    all_told(space, forge)
    wrong = MODULE.replace("if stall = bakery", "if stall = bakery or yes")
    at_once(space, forge, wrong)
    rules = space.rules(forge)
    assert rules is not None
    early = rules.at_once()
    assert {*early} == {replace(one, edits=()) for one in rules.checked().found}
