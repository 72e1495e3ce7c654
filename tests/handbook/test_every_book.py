"""The rulebook of every game that ships has no section that says nothing, and no nonsense in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from reading import EVERYTHING, Call, rules

from edict.cli.commands.rulebook import as_html, as_markdown
from edict.handbook.annotated import read
from edict.handbook.chapters import Cards, Example, Grid, Index, Paragraph, Rulebook, Section, Steps, Table
from edict.handbook.contents import rulebook
from edict.handbook.naming import names
from edict.handbook.terms import Term, Terms
from edict.language import tree as t
from shipped import GAMES

WHOLE = Path(__file__).parent / "whole"
SMALL_PRINT = ["Fish that matter here: Bream.", "When it begins: see Crab."]
BOOKS = [*((game,) for game in GAMES), ("kingsburg", *EVERYTHING)]
BOOKS += [("kingsburg", "long-winter"), ("kingsburg", "governors")]
NONSENSE = (
    r"starts? (as|at|with) (no|none|nobody|all)\b", r"\bNone\b", r"\bat first no\b", r"\bnumber of years\b",
    r"\bgame ends early starts\b", r"\bgoods to pay soldiers with start", r"\[\]", r"\bthe the\b", r" \.",
)  # fmt: skip


def book(*names: str) -> Rulebook:
    return rulebook(rules(*names), rules(names[0]) if names[1:] else None)


def all_of(sections: tuple[Section, ...]) -> Iterator[Section]:
    for section in sections:
        yield section
        yield from all_of(section.sections)


def is_empty(block: object) -> bool:
    match block:
        case Paragraph(text=text):
            return not text.strip()
        case Steps(lines=told):
            return not told or any(not line.text.strip() for line in told)
        case Example(paragraphs=told):
            return not told
        case Index(entries=entries):
            return not entries
        case Cards(cards=held):
            return not held
        case Table(rows=rows) | Grid(rows=rows):
            return not rows
    raise AssertionError(block)


def test_the_whole_book_of_a_little_game_reads_as_it_should() -> None:
    """A bit of everything in every chapter; people read `whole/book.md`, and read it again where it changes."""
    game, module = (str(WHOLE / name) for name in ("shore", "storms"))
    known = read(game, (module,)).unwrap()
    made = rulebook(known, read(game).unwrap())
    assert as_markdown(made) == (WHOLE / "book.md").read_text(encoding="utf-8")
    html = as_html(made)
    assert re.findall(r'<p class="quiet">(.*?)</p>', html) == SMALL_PRINT
    assert set(re.findall(r'<span class="quiet">(.*?)</span>', html)) == {"fish", "gull", "boat"}  # in the index


def test_what_show_says_of_a_little_game_reads_as_it_should(call: Call) -> None:
    """One of every sort; people read `whole/shown.txt`, and read it again where it changes."""
    file = WHOLE / "shown.txt"
    names = [line[4:] for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("### ")]
    rules_ = ("--game", str(WHOLE / "shore"), "--with", str(WHOLE / "storms"))
    assert "".join(f"### {name}\n{call('show', name, *rules_).stdout}" for name in names) == file.read_text("utf-8")


def test_what_is_told_in_play_of_a_little_game_reads_as_it_should() -> None:
    """One of every sort; people read `whole/asked.txt`, and read it again where it changes."""
    terms = Terms(read(str(WHOLE / "shore"), (str(WHOLE / "storms"),)).unwrap())
    file = (WHOLE / "asked.txt").read_text(encoding="utf-8")
    names = [line[4:] for line in file.splitlines() if line.startswith("### ")]
    assert "".join(f"### {name}\n{told(terms.look(name))}" for name in names) == file


def told(found: list[Term]) -> str:
    """All that is said of what was asked about, a line each."""
    lines = [
        line
        for one in found
        for line in (
            f"{one.title} ({one.sort}{', ' * bool(one.module)}{one.module})",
            *(f"  {name}: {value}" for name, value in one.facts), *(f"  {line}" for line in one.lines),
            *(f"  exactly: {line}" for line in one.exactly), *(f"  of it: {title}" for title in one.members),
            *(f"  touched: {line}" for line in one.touched), *(f"  seen in: {title}" for title in one.seen_in),
        )
    ]  # fmt: skip
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("names", BOOKS, ids="+".join)
@pytest.mark.sample(5)
def test_no_section_says_nothing(names: tuple[str, ...]) -> None:
    for section in all_of(book(*names).sections):
        assert section.title and (section.blocks or section.sections), section.anchor
        assert not [block for block in section.blocks if is_empty(block)], section.title


@pytest.mark.sample(8)
@pytest.mark.parametrize("names", BOOKS, ids="+".join)
def test_there_is_no_nonsense_in_it(names: tuple[str, ...]) -> None:
    text = as_markdown(book(*names))
    told = text[: text.index("## Optional rules")] if "## Optional rules" in text else text
    found = [line for line in told.splitlines() for one in NONSENSE if re.search(one, line)]
    assert not found


@pytest.mark.sample(8)
@pytest.mark.parametrize("names", BOOKS, ids="+".join)
def test_headings_are_nouns_of_the_game(names: tuple[str, ...]) -> None:
    """Chapters of the book itself, phases and kinds, and modules; no routine, and no list of mere effects."""
    known = rules(*names)
    nouns = {name for name, one in known.definitions.items() if isinstance(one, t.Phase | t.Kind)}
    for section in all_of(book(*names).sections):
        assert section.anchor in nouns or section.anchor.startswith("_"), section.title
        assert section.title not in ("Rewards", "Cargoes", "Preparations")


def test_the_base_game_is_short() -> None:
    """Ten pages of some 600 words; what is looked up, the index and the cards, included."""
    assert len(re.sub(r"<[^>]*>|\(#[^)]*\)", " ", as_markdown(book("kingsburg"))).split()) <= 6000


def test_what_is_different_comes_first_in_the_book_of_a_variant() -> None:
    titles = [section.title for section in book("kingsburg", "long-winter").sections]
    assert titles[:3] == ["The game in short", "What is different", "Components and setup"]


@pytest.mark.parametrize(
    ("game", "told"),
    [
        ("kingsburg", "2 to 5 players can play; everybody begins with"),
        ("kuhn-poker", "2 players can play; everybody begins with"),
        ("nine-tiles", "One player plays alone, and begins with"),
    ],
)
def test_it_is_told_how_many_can_play(game: str, told: str) -> None:
    (section,) = [one for one in all_of(book(game).sections) if one.title == "Components and setup"]
    components, players = [one for one in section.blocks if isinstance(one, Steps) and one.heading][:2]
    assert (components.heading, components.numbered) == ("Components", False), "in no order"
    assert players.lines[0].text == f"{told} nothing but what is listed here."


@pytest.mark.parametrize(("name", "title"), [("gold", "gold"), ("soldier", "soldier"), ("building", "building")])
def test_a_name_is_listed_with_what_one_of_it_is_called(name: str, title: str) -> None:
    (found,) = [one for one in names(rules("kingsburg")) if one.written == name]
    assert found.title == title


def test_what_is_off_stands_with_the_options_alone() -> None:
    text = as_markdown(book("kingsburg"))
    options = text.index("## Optional rules")
    assert "Declining a trade" not in text[:options] and "Declining a trade" in text[options:]
    assert "The Alchemist may be declined" not in text[:options]
    assert "Module 3: Governor Cards" not in text[:options] and "Module 3: Governor Cards" in text[options:]


def test_modules_that_are_in_play_are_not_among_those_that_are_off() -> None:
    options = next(one for one in book("kingsburg", "governors").sections if one.anchor == "_settings")
    (others,) = (one for one in options.blocks if isinstance(one, Table) and one.heads[0] == "Modules and scenarios")
    titles = [row.cells[0] for row in others.rows]
    assert "Module 4: Destiny Cards" in titles and "Module 3: Governor Cards" not in titles


def test_a_module_with_half_a_page_is_told_by_that_and_rule_by_rule_at_the_back() -> None:
    """What its bookkeeping does ("your buildings constructed this season become 0") is not what players read first."""
    text = as_markdown(book("kingsburg", "governors"))
    first, back = text.index("## What is different"), text.index("## The rules in full")
    assert "buildings constructed this season" not in text[first : text.index("## Components and setup")]
    assert "buildings constructed this season" in text[back:]


def test_the_book_of_a_variant_tells_its_half_page_with_headings_and_the_example_apart() -> None:
    (section,) = next(one for one in book("kingsburg", "governors").sections if one.anchor == "_changes").sections
    headed = [block.heading for block in section.blocks if isinstance(block, Paragraph)]
    assert headed == ["What is different", "Setup", "During the game", "Strong and weak"]
    (example,) = (block for block in section.blocks if isinstance(block, Example))
    assert example.paragraphs[0].startswith("Ann is the Architect")


def test_what_a_module_keeps_count_of_is_told_only_rule_by_rule() -> None:
    """"Each player: it no longer counts that you rerolled as the Philosopher" stood where dice are rolled."""
    text = as_markdown(book("kingsburg", "governors"))
    phases, back = text.index("## How the game goes"), text.index("## The rules in full")
    for kept in ("rerolled as the Philosopher", "have opened a door", "battles won of the victor"):
        assert kept not in text[phases:back] and kept in text[back:]


def test_the_steps_of_a_list_stand_where_all_of_it_is_done() -> None:
    """"Each preparation: carry out the setting up of that preparation" told nobody anything."""
    text = as_markdown(book("kingsburg", "governors"))
    assert "Choose governors:" in text and "the setting up of" not in text


def test_many_things_that_are_only_numbers_are_not_listed() -> None:
    assert "Card 1 to Card 104." in as_markdown(book("four-lanes"))


def test_what_is_only_a_name_on_other_cards_has_no_chapter() -> None:
    anchors = {section.anchor for section in book("kingsburg").sections}
    assert "people" not in anchors and {"advisor", "building", "enemy"} <= anchors


def test_how_often_is_said_in_figures() -> None:
    assert "12 times: Sale." in as_markdown(book("sixty-four"))


def test_the_last_chapter_is_a_page_of_reference() -> None:
    last = book("kingsburg").sections[-1]
    (course, first, ties) = last.blocks
    assert isinstance(course, Steps) and isinstance(first, Paragraph) and isinstance(ties, Steps)
    rewards = course.lines[0].below[2].text
    assert rewards.startswith("Receive Rewards: From the lowest rank up") and rewards.endswith("once for each visit.")
    assert first.text == "The player with the most VP wins." and len(ties.lines) == 2
