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

from books import book
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.commands.rulebook import examples
from edict.apps.cli.commands.rulebook import rulebook as command
from edict.prose.rulebook.chapters import Table
from edict.prose.rulebook.contents import rulebook
from edict.prose.rulebook.typesetting import as_pdf
from reading import EVERYTHING, Call, rules, write
from shipped import GAMES

MARKUP = """book:
  - place: setup
    title: '#panic("x")'
    text: '*$ #include "/etc/passwd" ] <a>'
"""
QUESTIONS = Path(__file__).parents[2] / "rules" / "questions.yaml"


@cache
def pages(*names: str) -> list[str]:
    known = rules(*names)
    base = rules(names[0]) if names[1:] else None
    made = as_pdf(rulebook(known, base, examples(known)), known)
    return [page.extract_text() for page in PdfReader(BytesIO(made)).pages]


def letters(text: str) -> str:
    """Nothing but letters and figures: lines break anywhere, also in words."""
    return re.sub(r"[\W_]+", "", text).casefold()


def test_the_base_game_takes_ten_pages_at_most_in_which_stands_what_authors_say_and_people_ask() -> None:
    assert len(pages("kingsburg")) <= 10
    told = letters("".join(pages("kingsburg")))
    for passage in rules("kingsburg").game.manifest.book:
        for paragraph in passage.paragraphs:
            assert letters(paragraph) in told, paragraph
    for one in yaml.safe_load(QUESTIONS.read_text("utf-8")):
        assert all(letters(words) in told for words in one["near"] if not re.search(r"\d", words)), one["question"]


def test_every_page_has_its_number_and_the_contents_tell_where_chapters_begin() -> None:
    read = pages("kingsburg")
    assert all(f"{number} · Kingsburg" in page for number, page in enumerate(read, 1))
    for title in ("Components and setup", "The end of the game", "Enemies", "Index"):
        (number,) = re.findall(rf"{title}\s*\.*\s*(\d+)", read[0].replace(" . ", ""))
        assert title in read[int(number) - 1], title


def test_the_index_names_the_page_of_a_card_which_has_its_title_there_too_and_the_last_page_is_for_looking_up() -> None:
    read = pages("kingsburg")
    found = re.search(r"Blacksmith[ .\n]*(\d+)", read[-1])
    assert found is not None and "Blacksmith" in read[int(found[1]) - 1]
    told = letters("".join(read))
    advisors = next(section for section in book("kingsburg").sections if section.anchor == "advisor")
    titles = {row.cells[0] for block in advisors.blocks if isinstance(block, Table) for row in block.rows}
    assert "Alchemist" in titles and [one for one in titles if told.count(letters(one)) < 2] == []
    assert "2squiregain1" in told and "2goblins2rewardgain1" in told, "a column is named beside others"
    for words in ("At a glance", "The King's Reinforcements", "The player with the most VP wins"):
        assert words in read[-1]


@pytest.mark.parametrize("names", sorted([*((game,) for game in GAMES), ("kingsburg", *EVERYTHING)]), ids="+".join)
@pytest.mark.sample(2)
def test_the_book_of_everything_that_ships_can_be_printed(names: tuple[str, ...]) -> None:
    read = pages(*names)
    assert rules(*names).game.manifest.title in read[0] and "At a glance" in read[-1]


def test_a_little_game_is_printed_with_what_a_module_changes_on_the_first_page() -> None:
    """What does nothing stands in a table, and cards under the number that they share."""
    whole = Path(__file__).parent / "whole"
    read = pages(str(whole / "shore"), str(whole / "storms"))
    assert "What is different" in read[0] and "Storms" in read[0]
    told = letters("".join(read))
    for words in ("boatspeedcrewdory12", "size17ivory", "size24franklin", "size31slaty"):
        assert words in told


def test_it_is_written_by_the_ending_of_the_name_and_what_a_stranger_writes_is_taken_for_words(
    call: Call, tmp_path: Path
) -> None:
    """Nothing of it is Typst's markup."""
    odd = write(tmp_path / "odd", "resource wind\n")
    about = (odd / "module.yaml").read_text("utf-8").replace("[kingsburg]", "[pig]")
    (odd / "module.yaml").write_text(about + MARKUP, encoding="utf-8")
    done = call("rulebook", "pig", "--with", str(odd), "-o", "odd.pdf")
    assert done.stdout.startswith("Written to ") and (tmp_path / "odd.pdf").read_bytes().startswith(b"%PDF-")
    told = letters("".join(page.extract_text() for page in PdfReader(tmp_path / "odd.pdf").pages))
    assert letters('#panic("x")') in told and letters('#include "/etc/passwd" ] <a>') in told


def test_without_typst_it_says_how_to_come_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(UsageError) as refused:
        command("pig", file=tmp_path / "pig.pdf")
    assert "pip install 'kingsburg[print]'" in str(refused.value.remedy)
