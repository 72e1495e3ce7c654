"""The sheets of modules and scenarios, half a page each like the printed ones, and the places that show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import run_kingsburg
from edict.apps.cli.playing.game_loop import describe_modules
from shipped import catalogue

SHEETS = sorted(name for name, (folder, _) in catalogue().items() if folder.parent.name == "modules")
SCENARIOS = sorted(name for name, (_, manifest) in catalogue().items() if manifest.kind == "scenario")


def list_paragraphs(name: str) -> list[str]:
    return catalogue()[name][1].sheet.splitlines()


def test_sheet_explains_the_difference_with_an_example(subtests: pytest.Subtests) -> None:
    assert SHEETS
    for name in SHEETS:
        with subtests.test(name=name):
            told = list_paragraphs(name)
            assert told[0].startswith("What is different: ")
            assert told[-1].startswith("Example: ")
            assert 150 <= sum(len(paragraph.split()) for paragraph in told) <= 300, f"{name}: half a page"


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.sample(2)
def test_modules_command_prints_every_paragraph_of_the_sheet(name: str, tmp_path: Path) -> None:
    lines = [line.strip() for line in run_kingsburg(tmp_path, "modules", name).stdout.splitlines()]
    assert all(paragraph in lines for paragraph in list_paragraphs(name))


def test_rulebook_has_the_sheet_in_the_chapter_of_the_module(tmp_path: Path) -> None:
    book = run_kingsburg(tmp_path, "rulebook", "--with", "long-winter").stdout
    assert "goods do not last until spring" in book
    assert "for every 2 goods you give away you gain 1 VP" in book


def test_game_begins_with_the_sheet_of_its_scenario(subtests: pytest.Subtests) -> None:
    """Modules, of which there can be several, are introduced by their summaries."""
    for name in SCENARIOS:
        with subtests.test(name=name):
            assert describe_modules([name])[1:] == list_paragraphs(name)
    assert len(describe_modules(["governors", "destiny"])) == 2
