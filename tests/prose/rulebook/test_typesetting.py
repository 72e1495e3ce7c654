"""Tests of the rulebook as a PDF, for its length and its complete text."""

from __future__ import annotations

import re
import sys
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
import yaml
from pypdf import PdfReader

from books import load_rulebook
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.commands.rulebook import iter_examples
from edict.apps.cli.commands.rulebook import rulebook as command
from edict.prose.rulebook.chapters import Table
from edict.prose.rulebook.rulebook_contents import build_rulebook
from edict.prose.rulebook.typesetting import render_pdf
from reading import EVERYTHING, Call, load_annotated, write_module
from shipped import GAMES

MARKUP = """book:
  - place: setup
    title: '#panic("x")'
    text: '*$ #include "/etc/passwd" ] <a>'
"""
QUESTIONS = Path(__file__).parents[2] / "rules" / "questions.yaml"


@cache
def read_pages(*names: str) -> list[str]:
    known = load_annotated(*names)
    base = load_annotated(names[0]) if names[1:] else None
    made = render_pdf(build_rulebook(known, base, iter_examples(known)), known)
    return [page.extract_text() for page in PdfReader(BytesIO(made)).pages]


def keep_letters(text: str) -> str:
    """Return only the letters and digits of a text, as lines break anywhere, also in words."""
    return re.sub(r"[\W_]+", "", text).casefold()


def test_base_game_pdf_has_at_most_ten_pages_with_all_passages(subtests: pytest.Subtests) -> None:
    assert len(read_pages("kingsburg")) <= 10
    told = keep_letters("".join(read_pages("kingsburg")))
    for passage in load_annotated("kingsburg").game.manifest.book:
        for paragraph in passage.paragraphs:
            with subtests.test(paragraph=paragraph):
                assert keep_letters(paragraph) in told
    for one in yaml.safe_load(QUESTIONS.read_text("utf-8")):
        with subtests.test(one=one):
            assert all(keep_letters(words) in told for words in one["near"] if not re.search(r"\d", words)), one[
                "question"
            ]


def test_pages_are_numbered_and_contents_refer_to_chapters(subtests: pytest.Subtests) -> None:
    read = read_pages("kingsburg")
    assert all(f"{number} · Kingsburg" in page for number, page in enumerate(read, 1))
    for title in ("Components and setup", "The end of the game", "Enemies", "Index"):
        with subtests.test(title=title):
            (number,) = re.findall(rf"{title}\s*\.*\s*(\d+)", read[0].replace(" . ", ""))
            assert title in read[int(number) - 1]


def test_index_refers_to_card_pages_and_last_page_is_a_summary(subtests: pytest.Subtests) -> None:
    read = read_pages("kingsburg")
    found = re.search(r"Blacksmith[ .\n]*(\d+)", "".join(read[-2:]))
    assert found is not None and "Blacksmith" in read[int(found[1]) - 1]
    told = keep_letters("".join(read))
    advisors = next(section for section in load_rulebook("kingsburg").sections if section.anchor == "advisor")
    titles = {row.cells[0] for block in advisors.blocks if isinstance(block, Table) for row in block.rows}
    assert "Alchemist" in titles and [one for one in titles if told.count(keep_letters(one)) < 2] == []
    assert "2squiregain1" in told and "2goblins2rewardgain1" in told, "a column is named beside others"
    for words in ("At a glance", "The King's Reinforcements", "The player with the most VP wins"):
        with subtests.test(words=words):
            assert words in read[-1]


@pytest.mark.parametrize("names", sorted([*((game,) for game in GAMES), ("kingsburg", *EVERYTHING)]), ids="+".join)
@pytest.mark.sample(2)
def test_all_shipped_rules_can_be_typeset(names: tuple[str, ...]) -> None:
    read = read_pages(*names)
    assert load_annotated(*names).game.manifest.title in read[0] and "At a glance" in read[-1]


def test_small_game_pdf_begins_with_the_modules_changes(subtests: pytest.Subtests) -> None:
    """Things without effects are in a table, and cards are under the number they share."""
    whole = Path(__file__).parent / "whole"
    read = read_pages(str(whole / "shore"), str(whole / "storms"))
    assert "What is different" in read[0] and "Storms" in read[0]
    told = keep_letters("".join(read))
    for words in ("boatspeedcrewdory12", "size17ivory", "size24franklin", "size31slaty"):
        with subtests.test(words=words):
            assert words in told


def test_pdf_is_chosen_by_suffix_and_module_texts_are_escaped(call: Call, tmp_path: Path) -> None:
    """Texts of a module are never Typst markup."""
    odd = write_module(tmp_path / "odd", "resource wind\n")
    about = (odd / "module.yaml").read_text("utf-8").replace("[kingsburg]", "[pig]")
    (odd / "module.yaml").write_text(about + MARKUP, encoding="utf-8")
    done = call("rulebook", "pig", "--with", str(odd), "-o", "odd.pdf")
    assert done.stdout.startswith("Written to ") and (tmp_path / "odd.pdf").read_bytes().startswith(b"%PDF-")
    told = keep_letters("".join(page.extract_text() for page in PdfReader(tmp_path / "odd.pdf").pages))
    assert keep_letters('#panic("x")') in told and keep_letters('#include "/etc/passwd" ] <a>') in told


def test_missing_typst_is_reported_with_install_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(UsageError) as refused:
        command("pig", file=tmp_path / "pig.pdf")
    assert "pip install 'kingsburg[print]'" in str(refused.value.remedy)
