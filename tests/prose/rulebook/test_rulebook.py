"""Tests of `build_rulebook`, which writes all rules of a combination of modules as a book.

Properties that every book has are tested in test_every_book.py.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from books import HtmlPage, iter_sections, list_sentences, load_rulebook, render_book_markdown, sections_by_anchor
from edict.apps.cli.commands.rulebook import escape_markdown, render_html, render_markdown
from edict.compiler.pipeline.pipeline import analyze, parse_modules
from edict.compiler.semantics.judgement import find_judgement
from edict.compiler.sources.module_set import gather_modules
from edict.prose.rulebook.annotated_rules import AnnotatedRules, annotate_rules, build_history, read_annotated_rules
from edict.prose.rulebook.chapters import Cards, Example, Grid, Paragraph, Rulebook, Steps, Table
from edict.prose.rulebook.name_catalog import iter_names
from edict.prose.rulebook.rule_differences import find_changed_sections
from edict.prose.rulebook.rule_terms import RuleTerms
from edict.prose.rulebook.rulebook_contents import build_rulebook
from helpers import add_game, make_module, make_phase
from reading import VARIANT, Call, load_annotated, write_module

# --- the base game -------------------------------------------------------------------------------


def test_base_game_rulebook_is_short() -> None:
    """It has ten pages of some 600 words, including the reference, the index and the cards."""
    assert len(re.sub(r"<[^>]*>|\(#[^)]*\)", " ", render_book_markdown("kingsburg")).split()) <= 6000


def test_phases_of_a_round_are_numbered_in_the_order_of_play() -> None:
    """Shared phases are where they are first played; those only played at times have a chapter behind the end."""
    found = sections_by_anchor(load_rulebook("kingsburg"))
    numbers = {
        "kings-favor": "1",
        "spring": "2",
        "season": "2.1",
        "constructing": "2.1.4",
        "winter": "8",
        "final-scoring": "",
        "neutral-dice": "",
    }
    assert {name: found[name].number for name in numbers} == numbers
    order = [section.anchor for section in load_rulebook("kingsburg").sections]
    assert order.index("enemy") + 1 == order.index("_glance")
    assert order.index("_end") + 1 == order.index("neutral-dice") and order[-2:] == ["_in-full", "_index"]
    assert [block.heading for block in found["_clarifications"].blocks if isinstance(block, Paragraph)][1:3] == [
        "Statue and Chapel",
        "Cathedral",
    ]


def test_house_rules_are_described_in_their_phase() -> None:
    season = sections_by_anchor(load_rulebook("kingsburg"))["season"]
    told = [block.text for block in season.blocks if isinstance(block, Paragraph)]
    assert "At the start: see Farms and Merchants' Guild." in told
    assert "At the end: see Inn, Town Hall and Embassy." in told


def test_end_and_last_page_name_the_tie_breakers() -> None:
    end = sections_by_anchor(load_rulebook("kingsburg"))["_end"]
    told = [line for block in end.blocks if isinstance(block, Steps) for line in list_sentences(block.lines)]
    assert told == ["The most goods.", "The most buildings."]
    (course, at_times, first, ties, *own) = sections_by_anchor(load_rulebook("kingsburg"))["_glance"].blocks
    assert isinstance(course, Steps) and isinstance(first, Paragraph) and isinstance(ties, Steps)
    rewards = course.lines[1].below[0].below[2].text
    assert rewards.startswith("Receive Rewards: Starting with") and rewards.endswith("once for each visit.")
    assert isinstance(at_times, Steps) and [line.about for line in at_times.lines] == ["neutral-dice"]
    assert first.text == "The player with the most VP wins." and len(ties.lines) == 2
    assert [block.heading for block in own if isinstance(block, Paragraph)] == ["Ties", "Exceptions"]


def test_judgement_for_bots_is_omitted() -> None:
    hidden = find_judgement(load_annotated().linked).names
    assert {"charm", "yearly", "prospects", "appeal"} <= hidden
    assert not hidden & {"rank", "cost", "strength", "price", "reward", "column", "row", "stage"}
    assert "charm" not in render_book_markdown("kingsburg").casefold()


def test_disabled_rules_are_described_with_the_options_only(subtests: pytest.Subtests) -> None:
    before, options, after = render_book_markdown("kingsburg").partition("## Optional rules")
    for off in ("Declining a trade", "Module 3: Governor Cards"):
        with subtests.test(off=off):
            assert off not in before and off in options + after
    assert "The Alchemist may be declined" not in before


def test_each_rule_is_described_once() -> None:
    """Regression: `Lose X VP` was described again by a routine with that title.

    Persons are only names on other cards.
    """
    assert "Lose X VP" not in render_book_markdown("kingsburg")
    anchors = {section.anchor for section in load_rulebook("kingsburg").sections}
    assert "people" not in anchors and {"advisor", "building", "enemy"} <= anchors
    titles = {one.written: one.title for one in iter_names(load_annotated("kingsburg"))}
    assert (titles["gold"], titles["soldier"], titles["building"]) == ("gold", "soldier", "building")


# --- small rules ---------------------------------------------------------------------------------

DEALS = """
kind deal "deal/deals"
  deed effect
deal sale "Sale"
  deed
    gain 1 coin
deal gift "Gift"
  deed
    lose 1 coin
keep favourite as deal starting at sale
kind crown "crown/crowns"
crown iron "Iron"
kind town "town/towns"
town mill "Mill"
town ford "Ford"
die bone "Bone/Bones" with 6 sides
die stone "Stone/Stones" with 6 sides
keep holder "holder" of town as player or none
display status "Status"
  line "Who has the mill", holder of mill
phase all-deals "All deals"
  each deal
    do deed of deal
phase no-deals "No deals"
  each deal
    gain 1 fame
phase favourites "Favourites"
  each deal
    do deed of favourite
"""


@cache
def read_deals() -> AnnotatedRules:
    steps = ("play all-deals", "play no-deals", "play favourites")
    return annotate_rules((make_module(*add_game(DEALS + make_phase(*steps))),)).unwrap()


def test_things_are_listed_only_where_a_step_runs_the_effect_of_each() -> None:
    found = sections_by_anchor(build_rulebook(read_deals()))
    steps = {
        name: [line for block in found[name].blocks if isinstance(block, Steps) for line in list_sentences(block.lines)]
        for name in ("all-deals", "no-deals", "favourites")
    }
    assert steps == {
        "all-deals": ["Sale:", "Gain 1 coin.", "Gift:", "Lose 1 coin."],
        "no-deals": ["Each deal: gain 1 fame."],
        "favourites": ["Each deal: carry out the deed of the favourite."],
    }


def test_components_count_kinds_of_several_things_and_join_equal_dice() -> None:
    components = next(
        block
        for block in sections_by_anchor(build_rulebook(read_deals()))["_set-up"].blocks
        if isinstance(block, Steps) and block.heading == "Components"
    )
    assert list_sentences(components.lines) == [
        "There are 2 towns.",
        "Stuff are stick and brick.",
        "Players also have coins and fame.",
        "Bones, stones and cubes have 6 sides.",
        "Gems have 4 sides.",
        "Fame can fall below 0; nothing else can.",
    ]


def test_line_of_a_panel_is_looked_up_as_the_value_it_shows() -> None:
    (found,) = RuleTerms(read_deals()).search("who has the mill")
    assert (found.title, found.sort) == ("Holder", "game state")


def test_rules_with_errors_have_no_book() -> None:
    outcome = annotate_rules((make_module(*add_game(make_phase("gain 1 coin of nobody-there"))),))
    assert outcome.value is None and not outcome.ok


# --- modules -------------------------------------------------------------------------------------


def test_tables_are_sorted_and_cards_marked_with_their_origin(subtests: pytest.Subtests) -> None:
    found = sections_by_anchor(load_rulebook("kingsburg", "governors"))
    *_, advisors = found["advisor"].blocks
    assert isinstance(advisors, Table) and advisors.heads[:3] == ("Advisor", "Rank", "Reward")
    ranks = [int(row.cells[1]) for row in advisors.rows]
    assert ranks == sorted(ranks) and len(ranks) == 20
    *_, enemies = found["enemy"].blocks
    assert isinstance(enemies, Table)
    for table, numbers in ((advisors, {"Rank"}), (enemies, {"Strength"})):  # these alone stand flush right
        with subtests.test(table=table):
            assert {table.heads[i] for i in table.numbers} == numbers
    assert [row.cells[0] for row in enemies.rows if row.heading] == [f"Year {n}" for n in range(1, 6)]
    *_, cards = found["governor"].blocks
    assert isinstance(cards, Cards)
    marks = {card.title: card.mark for card in cards.cards}
    assert marks["Sorcerer"] == "single-source" and marks["Steward"] == "original"
    assert all(card.source for card in cards.cards if card.mark in ("single-source", "reconstructed"))


def test_panel_with_rows_and_columns_becomes_a_grid() -> None:
    """The player sheet follows the rules' own panel, with a strip's buildings below those they cover."""
    *_, grid = sections_by_anchor(load_rulebook("kingsburg", "more-buildings", "alternate-rows"))["building"].blocks
    assert isinstance(grid, Grid) and grid.rows == tuple("ABCDEFG") and grid.columns == ("1", "2", "3", "4")
    assert [card.title for card in grid.cells[3][1]] == ["Blacksmith", "Mercenary Camp"]
    assert dict(grid.cells[3][0][0].facts) == {"costs": "1 gold, 1 stone", "VP": "1"}


def test_variant_rulebook_begins_with_its_differences() -> None:
    """The module's own half page has headings and an example; the rule-by-rule changes are at the back."""
    made = load_rulebook("kingsburg", "governors")
    assert [one.title for one in made.sections][:3] == [
        "The game in short",
        "What is different",
        "Components and setup",
    ]
    (section,) = sections_by_anchor(made)["_changes"].sections
    headed = [block.heading for block in section.blocks if isinstance(block, Paragraph)]
    assert headed == ["What is different", "Setup", "During the game", "Strong and weak"]
    (example,) = (block for block in section.blocks if isinstance(block, Example))
    assert example.paragraphs[0].startswith("Ann is the Architect")
    (others,) = (
        one
        for one in sections_by_anchor(made)["_settings"].blocks
        if isinstance(one, Table) and one.heads[0] == "Modules and scenarios"
    )
    titles = [row.cells[0] for row in others.rows]
    assert "Module 4: Destiny Cards" in titles and "Module 3: Governor Cards" not in titles


def test_step_of_all_players_names_them_once() -> None:
    """Regression: "Each player: everybody secretly bids."."""
    assert "4. Everybody secretly bids." in render_book_markdown("sixty-four")
    assert "Everybody secretly chooses a lot to sell." in render_book_markdown("harbour-lots")


def test_option_is_described_by_what_it_adds() -> None:
    """Regression: an option for the Training Camp was described with the card's text, which is what it replaces."""
    options = render_book_markdown("kingsburg", "more-buildings").partition("## Optional rules")[2]
    line = next(line for line in options.splitlines() if line.startswith("- Training Camp: "))
    assert "gain 2 VP" in line and "fewer than 2" not in line


def test_strips_show_the_buildings_they_carry() -> None:
    """Regression: a table of fourteen strips said nothing but their letters."""
    assert "Strip C (reconstructed) | C | Tavern, Bazaar, Vineyard and Griffin Ranch |" in render_book_markdown(
        "kingsburg", "alternate-rows"
    )


def test_bookkeeping_for_cards_with_a_text_is_left_out(subtests: pytest.Subtests) -> None:
    """Regression: "Each player: it no longer counts that you rerolled as the Philosopher" was where dice are rolled."""
    text = render_book_markdown("kingsburg", "governors")
    for kept in (
        "buildings constructed this season",
        "rerolled as the Philosopher",
        "have opened a door",
        "battles won of the victor",
        "goods paid for the last building",
        "soldiers in the battle",
    ):
        with subtests.test(kept=kept):
            assert kept not in text


def test_list_entries_are_described_where_the_list_is_run() -> None:
    """Regression: "Each preparation: carry out the setting up of that preparation" told readers nothing."""
    text = render_book_markdown("kingsburg", "governors")
    assert "Choose governors:" in text and "the setting up of" not in text


def test_optional_steps_are_described_with_the_options(subtests: pytest.Subtests) -> None:
    """Regression: a chapter said `If the option “…” is on`, although optional rules have their own chapter."""
    for module in ("governors", "advisor-tiles"):
        with subtests.test(module=module):
            rest, _, after = render_book_markdown("kingsburg", module).partition("## Optional rules")
            options, _, behind = after.partition("\n## ")
            assert "the option “" in options and "the option “" not in rest + behind
    settings = sections_by_anchor(load_rulebook("kingsburg", "governors"))["_settings"]
    assert [one.anchor for one in settings.sections] == ["auctioning-governors"], "a phase that only an option plays"
    assert "deal-governor" not in [getattr(block, "anchor", "") for block in settings.blocks]


def test_quantity_is_described_where_it_matters_with_its_adjustments() -> None:
    """Regression: the heading of a number that is usually 0 said `Your tie bonus: 0`."""
    with_destiny = sections_by_anchor(load_rulebook("kingsburg", "destiny"))["_in-full"]
    (threat,) = (one for one in with_destiny.blocks if isinstance(one, Steps) and one.anchor == "threat")
    assert "Fierce Enemies: The enemy has +1 strength." in list_sentences(threat.lines)
    full = sections_by_anchor(load_rulebook("kingsburg"))["_in-full"]
    told = {block.heading: list_sentences(block.lines) for block in full.blocks if isinstance(block, Steps)}
    assert told["Tie bonus"] == ["What changes it:", "Stone Wall: +1 strength. You win ties in battle."]
    assert told["Extra soldiers from an advisor"] == [
        "What changes it:",
        "Stables: When an advisor gives you soldiers, gain 1 more.",
    ]


def test_variant_is_described_by_its_changes(tmp_path: Path, subtests: pytest.Subtests) -> None:
    folder = write_module(tmp_path / "my-variant", VARIANT)
    said = render_book_markdown("kingsburg", str(folder))
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
        with subtests.test(line=line):
            assert line in changes


# --- other games ---------------------------------------------------------------------------------


def test_rulebook_states_the_number_of_players(subtests: pytest.Subtests) -> None:
    for game, told in (
        ("kingsburg", "For 2 to 5 players. Everyone starts with"),
        ("kuhn-poker", "For 2 players. Everyone starts with"),
        ("nine-tiles", "For one player, who starts with"),
    ):
        with subtests.test(game=game):
            (section,) = (
                one for one in iter_sections(load_rulebook(game).sections) if one.title == "Components and setup"
            )
            components, players = [one for one in section.blocks if isinstance(one, Steps) and one.heading][:2]
            assert (components.heading, components.numbered) == ("Components", False), "in no order"
            assert players.lines[0].text == f"{told} only what is listed here."


def test_small_games_are_described_in_sentences(subtests: pytest.Subtests) -> None:
    """Regression: they read like programs: `Call cards “deck”`, `From now on the turn is over`."""
    for game in ("pig", "kuhn-poker"):
        with subtests.test(game=game):
            course = sections_by_anchor(load_rulebook(game))["_course"]
            assert course.sections and all(isinstance(one.blocks[0], Paragraph) for one in course.sections)
            assert "“" not in render_markdown(Rulebook("", "", (), (course,), {}))


def test_numbered_things_are_summarized_and_headings_have_one_object() -> None:
    """Regression: a heading said `Place a card the card`."""
    assert "Card 1 to Card 104." in render_book_markdown("four-lanes") and "12 times: Sale." in render_book_markdown(
        "sixty-four"
    )
    full = sections_by_anchor(load_rulebook("four-lanes"))["_in-full"]
    assert {"Place a card", "Take a lane"} <= {block.heading for block in full.blocks if isinstance(block, Steps)}


def test_campaign_state_is_described(root: Path) -> None:
    campaign = sections_by_anchor(load_rulebook(str(root / "examples" / "recipes" / "campaign")))["_campaign"]
    told = [line for block in campaign.blocks if isinstance(block, Steps) for line in list_sentences(block.lines)]
    assert told == [
        "Each player's renown is carried over to the next game.",
        "The crown is carried over to the next game.",
        "The roads washed out are carried over to the next game.",
    ]
    assert "_campaign" not in sections_by_anchor(load_rulebook("kingsburg"))


def test_changed_pages_contain_new_things_without_their_headings() -> None:
    base, other = load_rulebook("kingsburg"), load_rulebook("pig")
    enemies = next(section for section in find_changed_sections(base, other) if section.anchor == "enemy")
    (table,) = (block for block in enemies.blocks if isinstance(block, Table))
    assert len(table.rows) == 25 and not any(row.heading for row in table.rows)
    assert not find_changed_sections(base, base)


# --- files -------------------------------------------------------------------------------------


def test_output_format_follows_the_file_suffix(call: Call, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name, begins in (("book.HTM", "<!DOCTYPE html>"), ("book.md", "# Kuhn")):
        with subtests.test(name=name):
            done = call("rulebook", "kuhn-poker", "-o", name)
            assert done.returncode == 0, done.stderr
            written = (tmp_path / name).read_text(encoding="utf-8")
            assert written.startswith(begins) and "Jack" in written


def test_wrong_arguments_are_rejected_and_nothing_is_written(
    call: Call, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for words, said in (
        (("-o", "book.doc"), "ends in .pdf, .html or .md"),
        (("-o", "nowhere/book.html"), "there is no folder"),
        (("nothing",), "E0150"),
        (("--with", "nothing"), "E0150"),
    ):
        with subtests.test(words=words):
            done = call("rulebook", *words)
            assert done.returncode == 2 and said in done.stderr and not list(tmp_path.iterdir())


HOSTILE = '<script>alert(1)</script>"&{{7*7}}{%x%}'


def test_module_texts_are_escaped(tmp_path: Path) -> None:
    """Titles, sources and summaries of a module appear literally."""
    title = HOSTILE.replace('"', "'")
    rule = f'amend advisor squire\n  origin original\n  source "{title}"\ncall queen "{title}"\n'
    rule += f'advisor spy "{title} | * _x_"\n'
    rule += "  rank 3\n  extra yes\n  reward gain 1 gold\n"
    folder = write_module(tmp_path / "evil", rule, title=f"'{HOSTILE.replace(chr(39), '')}'", summary=f"'{HOSTILE}'")
    page = HtmlPage(render_html(load_rulebook("kingsburg", str(folder))))
    assert "script" not in page.used and page.text.count("<script>alert(1)</script>") >= 4 and "49" not in page.text
    said = render_book_markdown("kingsburg", str(folder))
    assert "<script>" not in said.replace("\\<script\\>", "")


def test_markdown_is_escaped(subtests: pytest.Subtests) -> None:
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
        with subtests.test(words=words):
            assert escape_markdown(words) == written


def test_markdown_tables_are_regular_and_links_resolve() -> None:
    lines = render_book_markdown("kingsburg", "governors").splitlines()
    for above, line in pairwise(lines):
        if above.startswith("|") and line.startswith("|"):
            widths = [len(re.findall(r"(?<!\\)\|", one)) for one in (above, line)]
            assert widths[0] == widths[1] >= 3, line
    links = set(re.findall(r"\]\(#([^)]*)\)", render_book_markdown("kingsburg")))
    ids = re.findall(r'<a id="([^"]*)">', render_book_markdown("kingsburg"))
    assert len(ids) == len(set(ids)) and links <= set(ids)


# --- order -------------------------------------------------------------------------------------

TOGETHER = ("governors", "destiny")


def shuffle_rules(seed: int) -> AnnotatedRules:
    """Return the same rules with modules, files and definitions in another sequence."""
    chance = random.Random(seed)
    modules = []
    for module in gather_modules("kingsburg", TOGETHER[::-1]).unwrap():
        sources = list(module.sources)
        chance.shuffle(sources)
        modules.append(replace(module, sources=tuple(sources)))
    laid = list(parse_modules(tuple(modules)).unwrap())
    chance.shuffle(laid)
    return AnnotatedRules(tuple(modules), analyze(tuple(modules)).unwrap(), build_history(laid))


def test_rulebook_does_not_depend_on_the_order_of_files_and_modules() -> None:
    assert render_html(build_rulebook(load_annotated("kingsburg", *TOGETHER))) == render_html(
        build_rulebook(shuffle_rules(1))
    )


def test_rulebook_does_not_depend_on_the_files_of_definitions(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """A module split into a randomly named file for each definition has the same text."""
    pieces = re.split(r"\n(?=\S)", VARIANT)
    chance = random.Random(7)
    chance.shuffle(pieces)
    whole, cut = write_module(tmp_path / "my-variant", VARIANT), write_module(tmp_path / "cut", "")
    (cut / "module.yaml").write_text((whole / "module.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    for number, piece in enumerate(pieces):
        (cut / f"{chance.randrange(10**6)}-{number}.edict").write_text(piece + "\n", encoding="utf-8")
    books = [build_rulebook(read_annotated_rules("kingsburg", (str(folder),)).unwrap()) for folder in (whole, cut)]
    one, other = (sections_by_anchor(book) for book in books)
    assert one.keys() == other.keys()
    for anchor in one.keys() - {"_module-my-variant", "summer", "row"}:
        with subtests.test(anchor=anchor):
            assert one[anchor].blocks == other[anchor].blocks
    changed = [
        sorted(list_sentences(block.lines))
        for found in (one, other)
        for block in found["_module-my-variant"].blocks
        if isinstance(block, Steps)
    ]
    half = len(changed) // 2
    assert sorted(changed[:half]) == sorted(changed[half:])
