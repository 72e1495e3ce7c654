"""Every module and scenario tells its rules on half a page, as the printed sheets do: where people look for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import kingsburg
from edict.apps.cli.playing.game_loop import rules_introduction
from shipped import catalogue

SHEETS = sorted(name for name, (folder, _) in catalogue().items() if folder.parent.name == "modules")
SCENARIOS = sorted(name for name, (_, manifest) in catalogue().items() if manifest.kind == "scenario")


def paragraphs(name: str) -> list[str]:
    return catalogue()[name][1].sheet.splitlines()


def test_it_says_what_is_different_and_gives_an_example() -> None:
    assert SHEETS
    for name in SHEETS:
        told = paragraphs(name)
        assert told[0].startswith("What is different: "), name
        assert told[-1].startswith("Example: "), name
        assert 150 <= sum(len(paragraph.split()) for paragraph in told) <= 300, f"{name}: half a page"


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.sample(2)
def test_it_is_told_of_the_module_paragraph_by_paragraph(name: str, tmp_path: Path) -> None:
    lines = [line.strip() for line in kingsburg(tmp_path, "modules", name).stdout.splitlines()]
    assert all(paragraph in lines for paragraph in paragraphs(name))


def test_the_rulebook_has_it_in_the_chapter_of_the_module(tmp_path: Path) -> None:
    book = kingsburg(tmp_path, "rulebook", "--with", "long-winter").stdout
    assert "goods do not last until spring" in book
    assert "for every 2 goods you give away you gain 1 VP" in book


def test_a_scenario_lies_on_the_table_from_the_start() -> None:
    """Of a module, which may be one of several, there is its summary."""
    for name in SCENARIOS:
        assert rules_introduction([name])[1:] == paragraphs(name)
    assert len(rules_introduction(["governors", "destiny"])) == 2
