"""Generated pages, which must match the current rules, commands and language; `--write` regenerates them."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from calling import list_commands
from edict.apps.cli.commands.modules import list_shipped_games
from edict.runtime.simulation import native


@pytest.fixture
def site(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the page generators, after making it importable."""
    monkeypatch.syspath_prepend(root / "docs" / "site")
    return root / "docs" / "site"


def import_generator(site: Path, name: str) -> ModuleType:
    assert (site / f"{name}.py").is_file()
    return import_module(name)


def test_language_pages_match_the_constructs(site: Path, subtests: pytest.Subtests) -> None:
    pages = import_generator(site, "reference_pages").FILES
    assert {file.name for file in pages} == {"words.md", "llms.txt"}
    for file, text in pages.items():
        with subtests.test(file=file):
            assert file.read_text(encoding="utf-8") == text(), file.name


def test_short_language_page_has_every_word_and_is_short(root: Path) -> None:
    text = (root / "docs" / "llms.txt").read_text(encoding="utf-8")
    grammar = (root / "grammar" / "edict.lark").read_text(encoding="utf-8")
    words = set(re.findall(r'"([a-z]+)"', "\n".join(line.split("//")[0] for line in grammar.splitlines())))
    assert not words - set(re.findall(r"[a-z]+", text))
    assert len(text.split()) <= 4500


def test_command_pages_match_the_commands_and_the_man_page_is_valid(
    site: Path, root: Path, subtests: pytest.Subtests
) -> None:
    made = import_generator(site, "command_pages")
    for file, text in (("docs/reference/commands.md", made.page()), ("docs/kingsburg.1", made.manual())):
        with subtests.test(file=file):
            assert (root / file).read_text(encoding="utf-8") == text
    if shutil.which("groff"):
        call = ["groff", "-man", "-ww", "-Tutf8", str(root / "docs" / "kingsburg.1")]
        done = subprocess.run(call, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "") and "--form MODULE" in done.stdout


def test_map_of_kingsburg_matches_its_rules(site: Path) -> None:
    for file, page in import_generator(site, "map_page").FILES.items():
        assert file.read_text(encoding="utf-8") == page()


def test_gallery_pages_match_the_shipped_rules(site: Path, subtests: pytest.Subtests) -> None:
    gallery = import_generator(site, "gallery_pages")
    made = gallery.files()
    assert {file for file in made if file.suffix == ".svg"} == set(gallery.PICTURES.glob("*.svg"))
    for file, text in ((file, text()) for file, text in made.items()):
        with subtests.test(file=file):
            assert file.read_text(encoding="utf-8") == text, file.name
            assert file.suffix != ".svg" or ElementTree.fromstring(text) is not None


@pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra (fast), and not installed here")
def test_page_of_cards_has_every_game_and_current_measures(site: Path, root: Path, subtests: pytest.Subtests) -> None:
    """Only two games are measured again; all would take a minute."""
    from edict.agents.study.game_cards import HEADINGS

    page = (root / "docs" / "reference" / "game-cards.md").read_text(encoding="utf-8")
    rows = [line for line in page.split("\n") if line.count("|") == len(HEADINGS) + 1 and line[1] == " "]
    assert [line.split()[1] for line in rows] == ["game", *list_shipped_games(), "kingsburg"]
    made = import_generator(site, "card_pages")
    for name in ("kuhn-poker", "causeway"):
        with subtests.test(name=name):
            assert made.told(made.measured(name)) in rows


def test_page_of_claims_matches_its_results_and_commands(
    root: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.syspath_prepend(root / "benchmarks")
    claims = import_module("claims")
    assert (root / "docs" / "claims.md").read_text(encoding="utf-8") == claims.render_page(claims.load_results())
    assert {claim.name for claim in claims.CLAIMS} == set(claims.load_results())
    commands = {" ".join(words): command for words, command in list_commands().items()}
    for claim in claims.CLAIMS:
        with subtests.test(claim=claim.name):
            options = {name for parameter in commands[claim.command[0]].params for name in parameter.opts}
            assert {word for word in claim.command if word.startswith("--")} <= options


def test_worked_example_is_current(site: Path, root: Path) -> None:
    """Addresses change with every rule, so they are ignored."""

    def still(page: str) -> str:
        return re.sub(r" *\b\d{2,}\b *", "#", page)

    text = (root / "docs" / "explanations" / "architecture.md").read_text(encoding="utf-8")
    assert still(import_generator(site, "worked_example").page()) in still(text)
