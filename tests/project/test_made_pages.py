"""Pages made from the rules, the commands and the language are as these are now; `--write` writes each anew."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from edict.apps.cli.commands.card import games_that_ship
from edict.runtime.simulation import native


@pytest.fixture
def site(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what makes the pages, from which it can be imported."""
    monkeypatch.syspath_prepend(root / "docs" / "site")
    return root / "docs" / "site"


def made_by(site: Path, name: str) -> ModuleType:
    assert (site / f"{name}.py").is_file()
    return import_module(name)


def test_the_pages_of_the_language_are_as_its_constructs(site: Path) -> None:
    pages = made_by(site, "reference_pages").FILES
    assert {file.name for file in pages} == {"reference.md", "llms.txt"}
    for file, text in pages.items():
        assert file.read_text(encoding="utf-8") == text(), file.name


def test_the_short_page_of_the_language_has_every_word_and_is_short(root: Path) -> None:
    text = (root / "docs" / "llms.txt").read_text(encoding="utf-8")
    grammar = (root / "grammar" / "edict.lark").read_text(encoding="utf-8")
    words = set(re.findall(r'"([a-z]+)"', "\n".join(line.split("//")[0] for line in grammar.splitlines())))
    assert not words - set(re.findall(r"[a-z]+", text))
    assert len(text.split()) <= 4500


def test_the_pages_of_the_commands_are_as_the_commands_and_the_man_page_is_one(site: Path, root: Path) -> None:
    made = made_by(site, "command_pages")
    for file, text in (("docs/commands.md", made.page()), ("docs/kingsburg.1", made.manual())):
        assert (root / file).read_text(encoding="utf-8") == text, file
    if shutil.which("groff"):
        call = ["groff", "-man", "-ww", "-Tutf8", str(root / "docs" / "kingsburg.1")]
        done = subprocess.run(call, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "") and "--form MODULE" in done.stdout


def test_the_gallery_is_as_the_rules_that_ship(site: Path) -> None:
    gallery = made_by(site, "gallery_pages")
    made = gallery.files()
    assert {file for file in made if file.suffix == ".svg"} == set(gallery.PICTURES.glob("*.svg"))
    for file, text in ((file, text()) for file, text in made.items()):
        assert file.read_text(encoding="utf-8") == text, file.name
        assert file.suffix != ".svg" or ElementTree.fromstring(text) is not None


@pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra (fast), and not installed here")
def test_the_page_of_cards_has_every_game_and_what_is_measured_again_is_the_same(site: Path, root: Path) -> None:
    """All of it would take a minute here."""
    from edict.agents.study.game_cards import HEADINGS

    page = (root / "docs" / "game-cards.md").read_text(encoding="utf-8")
    rows = [line for line in page.split("\n") if line.count("|") == len(HEADINGS) + 1 and line[1] == " "]
    assert [line.split()[1] for line in rows] == ["game", *games_that_ship(), "kingsburg"]
    made = made_by(site, "card_pages")
    for name in ("kuhn-poker", "causeway"):
        assert made.told(made.measured(name)) in rows


def test_the_line_on_its_way_is_shown_as_it_is(site: Path, root: Path) -> None:
    """Addresses move with every rule, and do not count."""

    def still(page: str) -> str:
        return re.sub(r" *\b\d{2,}\b *", "#", page)

    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert still(made_by(site, "worked_example").page()) in still(text)
