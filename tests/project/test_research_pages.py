"""The pages for researchers: what they name is there, and they stay short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import edict
from edict.study.games import Setup
from edict.study.tables import DECISIONS, game_columns
from edict.table.rules import load_rules


@pytest.mark.parametrize(("page", "most"), [("research.md", 900), ("balance.md", 1800)])
def test_the_pages_are_short(root: Path, page: str, most: int) -> None:
    assert len((root / "docs" / page).read_text(encoding="utf-8").split()) <= most


def test_what_checks_a_claim_is_there(root: Path) -> None:
    page = (root / "docs" / "research.md").read_text(encoding="utf-8")
    files = re.findall(r"\b(?:tests|benchmarks)/[\w/-]+\.py", page)
    assert len(files) > 8 and [file for file in files if not (root / file).is_file()] == []
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}:" in makefile for target in re.findall(r"`make ([\w-]+)`", page))
    for file, chosen in re.findall(r"(tests/\S+) -k (\w+)", page):
        assert chosen in (root / file).read_text(encoding="utf-8")


def test_the_data_card_has_every_column_with_its_meaning(root: Path) -> None:
    page = (root / "docs" / "tables.md").read_text(encoding="utf-8")
    what = Setup(load_rules("pig").program, ("random",) * 2, (("goal", 60),))
    held = Setup(load_rules("kingsburg").program, ("random",) * 2)
    for column in (*DECISIONS, *game_columns(what), *game_columns(held)):
        name, dot, of = re.sub(r"_\d+", "_N", column.name).partition(".")
        rule = {"points_N": "RULE", "held_N": "GROUP", "set": "NAME"}.get(name, of)
        means = re.sub(r"`.*`|\S+:\d+", "", column.means).rstrip().split(" from ")[0]
        rows = re.findall(rf"^\| `{name}{re.escape(dot)}{rule}` \| .* \|$", page, re.MULTILINE)
        assert any(means in row for row in rows), column


def test_the_citation_is_of_this_version(root: Path) -> None:
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == edict.__version__
    assert (root / "LICENSE").read_text(encoding="utf-8").startswith(citation["license"])
