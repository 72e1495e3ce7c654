"""`rulebook`: all rules of any combination of modules as a book, from the data alone."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from examples import examples
from reading import EVERYTHING, VARIANT, Call, known_trees, rules, write

from edict.cli.commands.rulebook import as_markdown, escape
from edict.cli.commands.rulebook import as_html
from edict.language import tree as t
from edict.handbook.contents import rulebook
from edict.handbook.things import is_list_of_effects
from edict.handbook.history import history_of
from edict.meaning.judgement import judgement_of
from edict.handbook.annotated import Known, read
from edict.handbook.changed import changed_pages
from edict.handbook.chapters import Cards, Grid, Paragraph, Rulebook, Section, Steps, Table
from edict.sources.module_set import gather
from edict.front.pipeline import parse_all, understand
from edict.words import Line

EMPTY = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """What a browser would find: ids, links, words, and whether every tag is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.used: set[str] = set()
        self.feed(html)
        assert not self.tags, f"never closed: {self.tags}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.used.add(tag)
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []
        if tag not in EMPTY:
            self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.tags and self.tags[-1] == tag, f"</{tag}> closes {self.tags[-3:]}"
        self.tags.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


def html(*names: str) -> str:
    known = rules(*names)
    return as_html(rulebook(known, rules(names[0])))


def sections(book: Rulebook) -> dict[str, Section]:
    found: dict[str, Section] = {}
    waiting = list(book.sections)
    while waiting:
        section = waiting.pop()
        found[section.anchor] = section
        waiting += section.sections
    return found


def spoken(lines: tuple[Line, ...]) -> list[str]:
    return [text for line in lines for text in (line.text, *spoken(line.below))]


# --- what stands in it -------------------------------------------------------------------------


@pytest.mark.parametrize("names", known_trees())
@pytest.mark.sample(3)
def test_all_there_is_stands_in_the_book(names: tuple[str, ...]) -> None:
    """Every module, thing, played phase, resource and setting is told, by the title people know."""
    known = rules(*names)
    page = Page(html(*names))
    titles = [module.manifest.title for module in known.modules]
    grids = {known.resolved.meaning[d.rows.head].name for d in known.definitions.values()
             if isinstance(d, t.Display) and isinstance(d.rows, t.Apply)}  # fmt: skip
    for definition in known.definitions.values():
        if isinstance(definition, t.Thing | t.Setting | t.Action) and definition.title:
            titles.append(definition.title.partition("/")[0])
        listed = isinstance(definition, t.Thing) and is_list_of_effects(known, known.definitions[definition.kind.word])
        if isinstance(definition, t.Thing) and definition.kind.word not in {*grids, "people"} and not listed:
            assert definition.name.word in page.ids, definition.name.word
    for title in titles:
        assert title.casefold() in page.text.casefold(), title


@pytest.mark.parametrize("names", known_trees())
@pytest.mark.sample(3)
def test_the_page_is_sound(names: tuple[str, ...]) -> None:
    """Tags are closed, ids stand once, every link leads somewhere, and nothing is fetched."""
    page = Page(html(*names))
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= {f"#{one}" for one in page.ids}
    assert "script" not in page.used and "link" not in page.used and "img" not in page.used


@pytest.mark.parametrize("names", known_trees())
def test_sentences_read_like_sentences(names: tuple[str, ...]) -> None:
    for section in sections(rulebook(rules(*names))).values():
        for block in section.blocks:
            lines = spoken(block.lines) if isinstance(block, Steps) else []
            for line in lines:
                assert line and line[-1] in ".:?!”" and "  " not in line and " ." not in line, line
                assert not re.search(r"\bNone\b|\bthe the\b|\ba [aeiou]\w|\bof of\b|_", line), line


def test_what_several_phases_share_comes_first_and_what_comes_only_at_times_last() -> None:
    found = sections(rulebook(rules()))
    numbers = {
        name: found[name].number
        for name in ("season", "constructing", "kings-favor", "spring", "winter", "final-scoring", "neutral-dice")
    }
    assert numbers == {
        "season": "1", "constructing": "1.4", "kings-favor": "2.1", "spring": "2.2", "winter": "2.8",
        "final-scoring": "3", "neutral-dice": "4",
    }  # fmt: skip


def test_advisors_stand_by_rank_and_enemies_by_year_and_strength() -> None:
    found = sections(rulebook(rules("kingsburg", "governors")))
    *_, advisors = found["advisor"].blocks
    assert isinstance(advisors, Table) and advisors.heads[:3] == ("Advisor", "Rank", "Reward")
    ranks = [int(row.cells[1]) for row in advisors.rows]
    assert ranks == sorted(ranks) and len(ranks) == 20
    *_, enemies = found["enemy"].blocks
    assert isinstance(enemies, Table)
    for table, numbers in ((advisors, {"Rank"}), (enemies, {"Strength"})):  # these alone stand flush right
        assert {table.heads[i] for i in table.numbers} == numbers
    assert [row.cells[0] for row in enemies.rows if row.heading] == [f"Year {n}" for n in range(1, 6)]


def test_pages_that_changed_have_the_new_things_without_the_headings_they_stand_under() -> None:
    base, other = rulebook(rules("kingsburg")), rulebook(rules("pig"))
    enemies = next(section for section in changed_pages(base, other) if section.anchor == "enemy")
    (table,) = (block for block in enemies.blocks if isinstance(block, Table))
    assert len(table.rows) == 25 and not any(row.heading for row in table.rows)
    assert not changed_pages(base, base)


def test_a_panel_with_rows_and_columns_makes_a_grid() -> None:
    """The sheet is drawn as the rules' own panel lays it out; a strip's buildings stand below those they cover."""
    *_, grid = sections(rulebook(rules("kingsburg", "more-buildings", "alternate-rows")))["building"].blocks
    assert isinstance(grid, Grid) and grid.rows == tuple("ABCDEFG") and grid.columns == ("1", "2", "3", "4")
    assert [card.title for card in grid.cells[3][1]] == ["Blacksmith", "Mercenary Camp"]
    assert dict(grid.cells[3][0][0].facts) == {"costs": "1 gold, 1 stone", "VP": "1"}


def test_cards_are_marked_with_their_origin() -> None:
    *_, cards = sections(rulebook(rules("kingsburg", "governors")))["governor"].blocks
    assert isinstance(cards, Cards)
    marks = {card.title: card.mark for card in cards.cards}
    assert marks["Sorcerer"] == "single-source" and marks["Steward"] == "original"
    assert all(card.source for card in cards.cards if card.mark in ("single-source", "reconstructed"))


def test_what_only_bots_look_at_is_left_out() -> None:
    known = rules()
    hidden = judgement_of(known.linked).names
    assert {"charm", "yearly", "prospects", "appeal"} <= hidden
    assert not hidden & {"rank", "cost", "strength", "price", "reward", "column", "row", "stage"}
    assert "charm" not in Page(html("kingsburg")).text.casefold()


def test_the_end_tells_what_decides_ties() -> None:
    end = sections(rulebook(rules()))["_end"]
    told = [line for block in end.blocks if isinstance(block, Steps) for line in spoken(block.lines)]
    assert told == ["The most goods.", "The most buildings."]


def test_what_lasts_from_game_to_game_is_told(root: Path) -> None:
    book = sections(rulebook(read(str(root / "examples" / "recipes" / "campaign"), ()).unwrap()))
    told = [line for block in book["_campaign"].blocks if isinstance(block, Steps) for line in spoken(block.lines)]
    assert told == [
        "Each player's renown is carried over to the next game.",
        "The crown is carried over to the next game.",
        "The roads washed out are carried over to the next game.",
    ]
    assert "_campaign" not in sections(rulebook(rules()))


def test_a_number_is_told_where_it_matters_with_all_that_changes_it() -> None:
    found = sections(rulebook(rules("kingsburg", "destiny")))
    (threat,) = (one for one in found["_in-full"].blocks if isinstance(one, Steps) and one.anchor == "threat")
    told = spoken(threat.lines)
    assert "Fierce Enemies: +1 to the total strength of the enemy." in told


def test_what_happens_besides_is_told_in_its_phase() -> None:
    season = sections(rulebook(rules()))["season"]
    told = [block.text for block in season.blocks if isinstance(block, Paragraph)]
    assert "When it begins: see Farms and Merchants' Guild." in told
    assert "When it ends: see Inn, Town Hall and Embassy." in told


def test_a_variant_is_told_by_what_it_changes(call: Call, tmp_path: Path) -> None:
    folder = write(tmp_path / "my-variant", VARIANT)
    said = call("rulebook", "--with", str(folder), "-o", "-").stdout
    changes = said[said.index("## What is different") :]
    for line in (
        "Was: Gain 1 gold.", "Now: Gain 1 gold or 1 stone.", "Demons (8) is removed.",
        "Winter is called The long night.",
        "Buildings: Wind \\& \\<mill\\>.", "Now: Each player with the most buildings: gain 2 VP.",
        "At the start of each summer: for each player: if you have no buildings, gain 1 gold.",
    ):  # fmt: skip
        assert line in changes, line


# --- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["book.html", "book.HTM", "book.md"])
def test_it_is_written_to_a_file(call: Call, tmp_path: Path, name: str) -> None:
    done = call("rulebook", "kuhn-poker", "-o", name)
    assert done.returncode == 0, done.stderr
    written = (tmp_path / name).read_text(encoding="utf-8")
    assert written.startswith("# Kuhn" if name.endswith("md") else "<!DOCTYPE html>") and "Jack" in written


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "book.doc"), "ends in .pdf, .html or .md"),
        (("-o", "nowhere/book.html"), "there is no folder"),
        (("nothing",), "E0150"),
        (("--with", "nothing"), "E0150"),
    ],
)
def test_wrong_use_is_told_and_nothing_is_written(
    call: Call, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = call("rulebook", *arguments)
    assert done.returncode == 2 and said in done.stderr and not list(tmp_path.iterdir())


HOSTILE = '<script>alert(1)</script>"&{{7*7}}{%x%}'


def test_what_strangers_write_is_never_markup(call: Call, tmp_path: Path) -> None:
    """Titles, sources and summaries of a module are shown as they are."""
    title = HOSTILE.replace('"', "'")
    rule = f'amend advisor squire\n  origin original\n  source "{title}"\ncall queen "{title}"\n'
    rule += f'advisor spy "{title} | * _x_"\n'
    rule += "  rank 3\n  extra yes\n  reward gain 1 gold\n"
    folder = write(tmp_path / "evil", rule, title=f"'{HOSTILE.replace(chr(39), '')}'", summary=f"'{HOSTILE}'")
    assert call("rulebook", "--with", str(folder), "-o", "evil.html").returncode == 0
    page = Page((tmp_path / "evil.html").read_text(encoding="utf-8"))
    assert "script" not in page.used and page.text.count("<script>alert(1)</script>") >= 4 and "49" not in page.text
    said = call("rulebook", "--with", str(folder), "-o", "-").stdout
    assert "<script>" not in said.replace("\\<script\\>", "")


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("+1 to it", "+1 to it"), ("- a list", "\\- a list"), ("1. first", "1\\. first"),
        ("# no heading", "\\# no heading"),
        ("a|b", "a\\|b"), ("[x](y)", "\\[x\\](y)"), ("two\nlines", "two lines"), ("+ plus", "\\+ plus"),
    ],
)  # fmt: skip
def test_markdown_takes_nothing_for_markup(words: str, written: str) -> None:
    assert escape(words) == written


def test_markdown_tables_have_as_many_cells_as_heads() -> None:
    for line in as_markdown(rulebook(rules("kingsburg", *EVERYTHING))).splitlines():
        if line.startswith("|"):
            width = len(re.findall(r"(?<!\\)\|", line))
            assert width >= 3
    links = set(re.findall(r"\]\(#([^)]*)\)", as_markdown(rulebook(rules()))))
    ids = re.findall(r'<a id="([^"]*)">', as_markdown(rulebook(rules())))
    assert len(ids) == len(set(ids)) and links <= set(ids)


# --- order -------------------------------------------------------------------------------------


def shuffled(seed: int) -> Known:
    """The same modules, named in another order, their files and all that is read of them in another order."""
    chance = random.Random(seed)
    names = list(EVERYTHING)
    chance.shuffle(names)
    modules = []
    for module in gather("kingsburg", names).unwrap():
        sources = list(module.sources)
        chance.shuffle(sources)
        modules.append(replace(module, sources=tuple(sources)))
    laid = list(parse_all(tuple(modules)).unwrap())
    chance.shuffle(laid)
    return Known(tuple(modules), understand(tuple(modules)).unwrap(), history_of(laid))


@pytest.mark.parametrize("seed", examples([1], [1, 2]))
def test_the_order_of_files_and_modules_changes_nothing(seed: int) -> None:
    one, other = rules("kingsburg", *EVERYTHING), shuffled(seed)
    assert as_html(rulebook(one)) == as_html(rulebook(other))


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
    changed = [sorted(spoken(block.lines)) for found in (one, other) for block in found["_module-my-variant"].blocks
               if isinstance(block, Steps)]  # fmt: skip
    half = len(changed) // 2
    assert sorted(changed[:half]) == sorted(changed[half:])


def test_what_only_an_option_brings_is_told_with_the_options() -> None:
    """A chapter said `If the option “…” is on` where the optional rules are another chapter."""
    for module in ("governors", "advisor-tiles", "alternate-rows", "more-buildings"):
        known = rules("kingsburg", module)
        text = as_markdown(rulebook(known, rules("kingsburg")))
        rest, _, after = text.partition("## Optional rules")
        options, _, behind = after.partition("\n## ")
        assert "the option “" in options
        assert "the option “" not in rest + behind, module


def test_a_phase_played_by_an_option_alone_stands_there() -> None:
    book = sections(rulebook(rules("kingsburg", "governors"), rules("kingsburg")))
    assert [one.anchor for one in book["_settings"].sections] == ["auctioning-governors"]
    assert "deal-governor" not in [getattr(block, "anchor", "") for block in book["_settings"].blocks]


@pytest.mark.parametrize("game", ["pig", "kuhn-poker"])
def test_small_games_are_told_in_sentences(game: str) -> None:
    """They read like programs: `Call cards “deck”`, `From now on the turn is over`."""
    course = next(one for one in rulebook(rules(game)).sections if one.anchor == "_course")
    assert course.sections and all(isinstance(one.blocks[0], Paragraph) for one in course.sections)
    assert "“" not in as_markdown(Rulebook("", "", (), (course,), {}))


@pytest.mark.parametrize(
    ("game", "heading", "lines"),
    [
        ("four-lanes", "Place a card", None), ("four-lanes", "Take a lane", None),
        ("kingsburg", "Extra soldiers from each advisor who gives soldiers",
         ["What changes it:", "Stables: +1 extra soldier from each advisor who gives soldiers."]),
        ("kingsburg", "Tie bonus", ["What changes it:", "Stone Wall: +1 to tie bonus."]),
    ],
)  # fmt: skip
def test_headings_of_the_rules_in_full_have_their_object_once(game: str, heading: str, lines: list[str] | None) -> None:
    """`Place a card the card`, and of what is 0 unless something adds to it: `Your tie bonus: 0`."""
    full = sections(rulebook(rules(game)))["_in-full"]
    found = {block.heading: spoken(block.lines) for block in full.blocks if isinstance(block, Steps)}
    assert heading in found and lines in (None, found[heading])


def test_a_routine_that_does_what_its_title_says_is_not_told_again() -> None:
    assert "Lose X VP" not in as_markdown(rulebook(rules("kingsburg")))
