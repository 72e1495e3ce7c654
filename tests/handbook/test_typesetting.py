"""The rulebook as a PDF: few pages, in which all of the book can be read."""

from __future__ import annotations

import re
import sys
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
import yaml
from pypdf import PdfReader
from reading import Call, EVERYTHING, rules, write

from edict.cli.commands.rulebook import examples, rulebook as command
from edict.cli.errors import UsageError
from edict.handbook.chapters import Table
from edict.handbook.contents import rulebook
from edict.handbook.typesetting import as_pdf
from shipped import GAMES

MARKUP = """book:
  - place: setup
    title: '#panic("x")'
    text: '*$ #include "/etc/passwd" ] <a>'
"""
QUESTIONS = Path(__file__).parent.parent / "rules" / "questions.yaml"


@cache
def pages(*names: str) -> list[str]:
    known = rules(*names)
    base = rules(names[0]) if names[1:] else None
    made = as_pdf(rulebook(known, base, examples(known)), known)
    return [page.extract_text() for page in PdfReader(BytesIO(made)).pages]


def letters(text: str) -> str:
    """Nothing but letters and figures: lines break anywhere, also in words."""
    return re.sub(r"[\W_]+", "", text).casefold()


def test_the_base_game_takes_ten_pages_at_most() -> None:
    assert len(pages("kingsburg")) <= 10


def test_what_authors_say_is_printed() -> None:
    told = letters("".join(pages("kingsburg")))
    for passage in rules("kingsburg").game.manifest.book:
        for paragraph in passage.paragraphs:
            assert letters(paragraph) in told, paragraph


def test_what_people_ask_stands_in_print() -> None:
    told = letters("".join(pages("kingsburg")))
    for one in yaml.safe_load(QUESTIONS.read_text("utf-8")):
        assert all(letters(words) in told for words in one["near"] if not re.search(r"\d", words)), one["question"]


def test_every_page_has_its_number_and_the_contents_tell_where_chapters_begin() -> None:
    read = pages("kingsburg")
    assert all(f"{number} · Kingsburg" in page for number, page in enumerate(read, 1))
    for title in ("Components and setup", "The end of the game", "Enemies", "Index"):
        (number,) = re.findall(rf"{title}\s*\.*\s*(\d+)", read[0].replace(" . ", ""))
        assert title in read[int(number) - 1], title


def test_the_index_names_the_page_of_a_card() -> None:
    found = re.search(r"Blacksmith[ .\n]*(\d+)", pages("kingsburg")[-1])
    assert found is not None and "Blacksmith" in pages("kingsburg")[int(found[1]) - 1]


def test_a_card_has_its_title_in_print_beside_the_one_in_the_index() -> None:
    told = letters("".join(pages("kingsburg")))
    advisors = next(section for section in rulebook(rules("kingsburg")).sections if section.anchor == "advisor")
    titles = {row.cells[0] for block in advisors.blocks if isinstance(block, Table) for row in block.rows}
    assert "Alchemist" in titles and [one for one in titles if told.count(letters(one)) < 2] == []


def test_what_does_nothing_stands_in_a_table_and_cards_under_the_number_that_they_share() -> None:
    told = letters("".join(pages(str(Path(__file__).parent / "whole" / "shore"))))
    for words in ("boatspeedcrewdory12", "size17ivory", "size24franklin", "size31slaty"):
        assert words in told


def test_the_last_page_is_for_looking_things_up() -> None:
    last = pages("kingsburg")[-1]
    assert "At a glance" in last and "The King's Reinforcements" in last and "The player with the most VP wins" in last


@pytest.mark.parametrize("names", [*((game,) for game in GAMES), ("kingsburg", *EVERYTHING)], ids="+".join)
@pytest.mark.sample(2)
def test_the_book_of_everything_that_ships_can_be_printed(names: tuple[str, ...]) -> None:
    read = pages(*names)
    assert rules(*names).game.manifest.title in read[0] and "At a glance" in read[-1]


def test_what_is_different_stands_on_the_first_page_of_a_variant() -> None:
    read = pages("kingsburg", "long-winter")
    assert "What is different" in read[0] and "Scenario: The Long Winter" in read[0]


def test_what_a_stranger_writes_is_taken_for_words(call: Call, tmp_path: Path) -> None:
    """Nothing of it is Typst's markup."""
    folder = write(tmp_path / "odd", "resource wind\n")
    with (folder / "module.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write(MARKUP)
    file = tmp_path / "odd.pdf"
    assert call("rulebook", "--with", str(folder), "-o", str(file)).returncode == 0
    told = letters("".join(page.extract_text() for page in PdfReader(file).pages))
    assert letters('#panic("x")') in told and letters('#include "/etc/passwd" ] <a>') in told


def test_it_is_written_by_the_ending_of_the_name(call: Call, tmp_path: Path) -> None:
    done = call("rulebook", "pig", "-o", str(tmp_path / "pig.pdf"))
    assert done.stdout.startswith("Written to ") and (tmp_path / "pig.pdf").read_bytes().startswith(b"%PDF-")
    assert ".pdf, .html or .md" in call("rulebook", "pig", "-o", str(tmp_path / "pig.doc")).stderr


def test_without_typst_it_says_how_to_come_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(UsageError) as refused:
        command("pig", file=tmp_path / "pig.pdf")
    assert "pip install 'kingsburg[print]'" in str(refused.value.remedy)
