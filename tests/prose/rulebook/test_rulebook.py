"""`rulebook`: all rules of any combination of modules as a book, from the data alone. What every book has in common is
in test_every_book.py."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from books import HtmlPage, all_of, book, markdown, sections, spoken
from edict.apps.cli.commands.rulebook import as_html, as_markdown, escape
from edict.compiler.pipeline.pipeline import parse_all, understand
from edict.compiler.semantics.judgement import judgement_of
from edict.compiler.sources.module_set import gather
from edict.prose.rulebook.annotated import Known, read
from edict.prose.rulebook.changed import changed_pages
from edict.prose.rulebook.chapters import Cards, Example, Grid, Paragraph, Rulebook, Steps, Table
from edict.prose.rulebook.contents import rulebook
from edict.prose.rulebook.history import history_of
from edict.prose.rulebook.naming import names
from reading import VARIANT, Call, rules, write

# --- the base game -------------------------------------------------------------------------------


def test_the_base_game_is_short() -> None:
    """Ten pages of some 600 words; what is looked up, the index and the cards, included."""
    assert len(re.sub(r"<[^>]*>|\(#[^)]*\)", " ", markdown("kingsburg")).split()) <= 6000


def test_what_several_phases_share_comes_first_and_what_comes_only_at_times_last() -> None:
    found = sections(book("kingsburg"))
    numbers = {
        "season": "1",
        "constructing": "1.4",
        "kings-favor": "2.1",
        "spring": "2.2",
        "winter": "2.8",
        "final-scoring": "3",
        "neutral-dice": "4",
    }
    assert {name: found[name].number for name in numbers} == numbers


def test_what_happens_besides_is_told_in_its_phase() -> None:
    season = sections(book("kingsburg"))["season"]
    told = [block.text for block in season.blocks if isinstance(block, Paragraph)]
    assert "When it begins: see Farms and Merchants' Guild." in told
    assert "When it ends: see Inn, Town Hall and Embassy." in told


def test_the_end_and_the_last_chapter_tell_what_decides_ties() -> None:
    end = sections(book("kingsburg"))["_end"]
    told = [line for block in end.blocks if isinstance(block, Steps) for line in spoken(block.lines)]
    assert told == ["The most goods.", "The most buildings."]
    (course, first, ties) = book("kingsburg").sections[-1].blocks
    assert isinstance(course, Steps) and isinstance(first, Paragraph) and isinstance(ties, Steps)
    rewards = course.lines[0].below[2].text
    assert rewards.startswith("Receive Rewards: From the lowest rank up") and rewards.endswith("once for each visit.")
    assert first.text == "The player with the most VP wins." and len(ties.lines) == 2


def test_what_only_bots_look_at_is_left_out() -> None:
    hidden = judgement_of(rules().linked).names
    assert {"charm", "yearly", "prospects", "appeal"} <= hidden
    assert not hidden & {"rank", "cost", "strength", "price", "reward", "column", "row", "stage"}
    assert "charm" not in markdown("kingsburg").casefold()


def test_what_is_off_stands_with_the_options_alone() -> None:
    before, options, after = markdown("kingsburg").partition("## Optional rules")
    for off in ("Declining a trade", "Module 3: Governor Cards"):
        assert off not in before and off in options + after
    assert "The Alchemist may be declined" not in before


def test_each_thing_is_named_and_told_once_where_it_matters() -> None:
    """`Lose X VP` was told again by a routine that does what its title says; people are only names on other cards."""
    assert "Lose X VP" not in markdown("kingsburg")
    anchors = {section.anchor for section in book("kingsburg").sections}
    assert "people" not in anchors and {"advisor", "building", "enemy"} <= anchors
    titles = {one.written: one.title for one in names(rules("kingsburg"))}
    assert (titles["gold"], titles["soldier"], titles["building"]) == ("gold", "soldier", "building")


# --- modules -------------------------------------------------------------------------------------


def test_advisors_stand_by_rank_and_enemies_by_year_and_strength_and_cards_are_marked_with_their_origin() -> None:
    found = sections(book("kingsburg", "governors"))
    *_, advisors = found["advisor"].blocks
    assert isinstance(advisors, Table) and advisors.heads[:3] == ("Advisor", "Rank", "Reward")
    ranks = [int(row.cells[1]) for row in advisors.rows]
    assert ranks == sorted(ranks) and len(ranks) == 20
    *_, enemies = found["enemy"].blocks
    assert isinstance(enemies, Table)
    for table, numbers in ((advisors, {"Rank"}), (enemies, {"Strength"})):  # these alone stand flush right
        assert {table.heads[i] for i in table.numbers} == numbers
    assert [row.cells[0] for row in enemies.rows if row.heading] == [f"Year {n}" for n in range(1, 6)]
    *_, cards = found["governor"].blocks
    assert isinstance(cards, Cards)
    marks = {card.title: card.mark for card in cards.cards}
    assert marks["Sorcerer"] == "single-source" and marks["Steward"] == "original"
    assert all(card.source for card in cards.cards if card.mark in ("single-source", "reconstructed"))


def test_a_panel_with_rows_and_columns_makes_a_grid() -> None:
    """The sheet is drawn as the rules' own panel lays it out; a strip's buildings stand below those they cover."""
    *_, grid = sections(book("kingsburg", "more-buildings", "alternate-rows"))["building"].blocks
    assert isinstance(grid, Grid) and grid.rows == tuple("ABCDEFG") and grid.columns == ("1", "2", "3", "4")
    assert [card.title for card in grid.cells[3][1]] == ["Blacksmith", "Mercenary Camp"]
    assert dict(grid.cells[3][0][0].facts) == {"costs": "1 gold, 1 stone", "VP": "1"}


def test_the_book_of_a_variant_begins_with_what_is_different() -> None:
    """Half a page of the module's own, with headings and the example apart; rule by rule it is told at the back."""
    made = book("kingsburg", "governors")
    assert [one.title for one in made.sections][:3] == [
        "The game in short",
        "What is different",
        "Components and setup",
    ]
    (section,) = sections(made)["_changes"].sections
    headed = [block.heading for block in section.blocks if isinstance(block, Paragraph)]
    assert headed == ["What is different", "Setup", "During the game", "Strong and weak"]
    (example,) = (block for block in section.blocks if isinstance(block, Example))
    assert example.paragraphs[0].startswith("Ann is the Architect")
    (others,) = (
        one
        for one in sections(made)["_settings"].blocks
        if isinstance(one, Table) and one.heads[0] == "Modules and scenarios"
    )
    titles = [row.cells[0] for row in others.rows]
    assert "Module 4: Destiny Cards" in titles and "Module 3: Governor Cards" not in titles


def test_what_a_module_keeps_count_of_is_told_only_rule_by_rule() -> None:
    """ "Each player: it no longer counts that you rerolled as the Philosopher" stood where dice are rolled."""
    text = markdown("kingsburg", "governors")
    players, _, back = text[text.index("## What is different") :].partition("## The rules in full")
    for kept in (
        "buildings constructed this season",
        "rerolled as the Philosopher",
        "have opened a door",
        "battles won of the victor",
    ):
        assert kept not in players and kept in back, kept


def test_the_steps_of_a_list_stand_where_all_of_it_is_done() -> None:
    """ "Each preparation: carry out the setting up of that preparation" told nobody anything."""
    text = markdown("kingsburg", "governors")
    assert "Choose governors:" in text and "the setting up of" not in text


def test_what_only_an_option_brings_is_told_with_the_options() -> None:
    """A chapter said `If the option “…” is on` where the optional rules are another chapter."""
    for module in ("governors", "advisor-tiles"):
        rest, _, after = markdown("kingsburg", module).partition("## Optional rules")
        options, _, behind = after.partition("\n## ")
        assert "the option “" in options and "the option “" not in rest + behind, module
    settings = sections(book("kingsburg", "governors"))["_settings"]
    assert [one.anchor for one in settings.sections] == ["auctioning-governors"], "a phase that only an option plays"
    assert "deal-governor" not in [getattr(block, "anchor", "") for block in settings.blocks]


def test_a_number_is_told_where_it_matters_with_all_that_changes_it() -> None:
    """Of what is 0 unless something adds to it, its heading said `Your tie bonus: 0`."""
    with_destiny = sections(book("kingsburg", "destiny"))["_in-full"]
    (threat,) = (one for one in with_destiny.blocks if isinstance(one, Steps) and one.anchor == "threat")
    assert "Fierce Enemies: +1 to the total strength of the enemy." in spoken(threat.lines)
    full = sections(book("kingsburg"))["_in-full"]
    told = {block.heading: spoken(block.lines) for block in full.blocks if isinstance(block, Steps)}
    assert told["Tie bonus"] == ["What changes it:", "Stone Wall: +1 to tie bonus."]
    assert told["Extra soldiers from each advisor who gives soldiers"] == [
        "What changes it:",
        "Stables: +1 extra soldier from each advisor who gives soldiers.",
    ]


def test_a_variant_is_told_by_what_it_changes(tmp_path: Path) -> None:
    folder = write(tmp_path / "my-variant", VARIANT)
    said = markdown("kingsburg", str(folder))
    changes = said[said.index("## What is different") :]
    for line in (
        "Was: Gain 1 gold.",
        "Now: Gain 1 gold or 1 stone.",
        "Demons (8) is removed.",
        "Winter is called The long night.",
        "Buildings: Wind \\& \\<mill\\>.",
        "Now: Each player with the most buildings: gain 2 VP.",
        "At the start of each summer: for each player: if you have no buildings, gain 1 gold.",
    ):
        assert line in changes, line


# --- other games ---------------------------------------------------------------------------------


def test_it_is_told_how_many_can_play() -> None:
    for game, told in (
        ("kingsburg", "2 to 5 players can play; everybody begins with"),
        ("kuhn-poker", "2 players can play; everybody begins with"),
        ("nine-tiles", "One player plays alone, and begins with"),
    ):
        (section,) = (one for one in all_of(book(game).sections) if one.title == "Components and setup")
        components, players = [one for one in section.blocks if isinstance(one, Steps) and one.heading][:2]
        assert (components.heading, components.numbered) == ("Components", False), "in no order"
        assert players.lines[0].text == f"{told} nothing but what is listed here."


def test_small_games_are_told_in_sentences() -> None:
    """They read like programs: `Call cards “deck”`, `From now on the turn is over`."""
    for game in ("pig", "kuhn-poker"):
        course = sections(book(game))["_course"]
        assert course.sections and all(isinstance(one.blocks[0], Paragraph) for one in course.sections)
        assert "“" not in as_markdown(Rulebook("", "", (), (course,), {}))


def test_many_things_that_are_only_numbers_are_not_listed_and_headings_have_their_object_once() -> None:
    """A heading said `Place a card the card`."""
    assert "Card 1 to Card 104." in markdown("four-lanes") and "12 times: Sale." in markdown("sixty-four")
    full = sections(book("four-lanes"))["_in-full"]
    assert {"Place a card", "Take a lane"} <= {block.heading for block in full.blocks if isinstance(block, Steps)}


def test_what_lasts_from_game_to_game_is_told(root: Path) -> None:
    campaign = sections(book(str(root / "examples" / "recipes" / "campaign")))["_campaign"]
    told = [line for block in campaign.blocks if isinstance(block, Steps) for line in spoken(block.lines)]
    assert told == [
        "Each player's renown is carried over to the next game.",
        "The crown is carried over to the next game.",
        "The roads washed out are carried over to the next game.",
    ]
    assert "_campaign" not in sections(book("kingsburg"))


def test_pages_that_changed_have_the_new_things_without_the_headings_they_stand_under() -> None:
    base, other = book("kingsburg"), book("pig")
    enemies = next(section for section in changed_pages(base, other) if section.anchor == "enemy")
    (table,) = (block for block in enemies.blocks if isinstance(block, Table))
    assert len(table.rows) == 25 and not any(row.heading for row in table.rows)
    assert not changed_pages(base, base)


# --- files -------------------------------------------------------------------------------------


def test_it_is_written_to_a_file_by_the_ending_of_its_name(call: Call, tmp_path: Path) -> None:
    for name, begins in (("book.HTM", "<!DOCTYPE html>"), ("book.md", "# Kuhn")):
        done = call("rulebook", "kuhn-poker", "-o", name)
        assert done.returncode == 0, done.stderr
        written = (tmp_path / name).read_text(encoding="utf-8")
        assert written.startswith(begins) and "Jack" in written


def test_wrong_use_is_told_and_nothing_is_written(call: Call, tmp_path: Path) -> None:
    for words, said in (
        (("-o", "book.doc"), "ends in .pdf, .html or .md"),
        (("-o", "nowhere/book.html"), "there is no folder"),
        (("nothing",), "E0150"),
        (("--with", "nothing"), "E0150"),
    ):
        done = call("rulebook", *words)
        assert done.returncode == 2 and said in done.stderr and not list(tmp_path.iterdir()), words


HOSTILE = '<script>alert(1)</script>"&{{7*7}}{%x%}'


def test_what_strangers_write_is_never_markup(tmp_path: Path) -> None:
    """Titles, sources and summaries of a module are shown as they are."""
    title = HOSTILE.replace('"', "'")
    rule = f'amend advisor squire\n  origin original\n  source "{title}"\ncall queen "{title}"\n'
    rule += f'advisor spy "{title} | * _x_"\n'
    rule += "  rank 3\n  extra yes\n  reward gain 1 gold\n"
    folder = write(tmp_path / "evil", rule, title=f"'{HOSTILE.replace(chr(39), '')}'", summary=f"'{HOSTILE}'")
    page = HtmlPage(as_html(book("kingsburg", str(folder))))
    assert "script" not in page.used and page.text.count("<script>alert(1)</script>") >= 4 and "49" not in page.text
    said = markdown("kingsburg", str(folder))
    assert "<script>" not in said.replace("\\<script\\>", "")


def test_markdown_takes_nothing_for_markup() -> None:
    for words, written in {
        "+1 to it": "+1 to it",
        "- a list": "\\- a list",
        "1. first": "1\\. first",
        "# no heading": "\\# no heading",
        "a|b": "a\\|b",
        "[x](y)": "\\[x\\](y)",
        "two\nlines": "two lines",
        "+ plus": "\\+ plus",
    }.items():
        assert escape(words) == written


def test_in_markdown_tables_have_as_many_cells_as_heads_and_links_lead_somewhere() -> None:
    lines = markdown("kingsburg", "governors").splitlines()
    for above, line in pairwise(lines):
        if above.startswith("|") and line.startswith("|"):
            widths = [len(re.findall(r"(?<!\\)\|", one)) for one in (above, line)]
            assert widths[0] == widths[1] >= 3, line
    links = set(re.findall(r"\]\(#([^)]*)\)", markdown("kingsburg")))
    ids = re.findall(r'<a id="([^"]*)">', markdown("kingsburg"))
    assert len(ids) == len(set(ids)) and links <= set(ids)


# --- order -------------------------------------------------------------------------------------

TOGETHER = ("governors", "destiny")


def shuffled(seed: int) -> Known:
    """The same modules, named in another order, their files and all that is read of them in another order."""
    chance = random.Random(seed)
    modules = []
    for module in gather("kingsburg", TOGETHER[::-1]).unwrap():
        sources = list(module.sources)
        chance.shuffle(sources)
        modules.append(replace(module, sources=tuple(sources)))
    laid = list(parse_all(tuple(modules)).unwrap())
    chance.shuffle(laid)
    return Known(tuple(modules), understand(tuple(modules)).unwrap(), history_of(laid))


def test_the_order_of_files_and_modules_changes_nothing() -> None:
    assert as_html(rulebook(rules("kingsburg", *TOGETHER))) == as_html(rulebook(shuffled(1)))


def test_definitions_may_stand_in_any_file(tmp_path: Path) -> None:
    """A module cut into a file for each definition, named by chance, is told in the same words."""
    pieces = re.split(r"\n(?=\S)", VARIANT)
    chance = random.Random(7)
    chance.shuffle(pieces)
    whole, cut = write(tmp_path / "my-variant", VARIANT), write(tmp_path / "cut", "")
    (cut / "module.yaml").write_text((whole / "module.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    for number, piece in enumerate(pieces):
        (cut / f"{chance.randrange(10**6)}-{number}.edict").write_text(piece + "\n", encoding="utf-8")
    books = [rulebook(read("kingsburg", (str(folder),)).unwrap()) for folder in (whole, cut)]
    one, other = (sections(book) for book in books)
    assert one.keys() == other.keys()
    for anchor in one.keys() - {"_module-my-variant", "summer", "row"}:
        assert one[anchor].blocks == other[anchor].blocks, anchor
    changed = [
        sorted(spoken(block.lines))
        for found in (one, other)
        for block in found["_module-my-variant"].blocks
        if isinstance(block, Steps)
    ]
    half = len(changed) // 2
    assert sorted(changed[:half]) == sorted(changed[half:])
