"""Tests of the rulebook, the primer and the descriptions of every game that ships, for completeness and style."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from books import HtmlPage, iter_sections, list_sentences, load_rulebook, render_book_markdown
from edict.apps.cli.commands.rulebook import render_html
from edict.compiler.syntax import tree as t
from edict.game.scenes.scene_runner import run_module
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.chapters import Cards, Example, Grid, Index, Paragraph, Steps, Table
from edict.prose.rulebook.descriptions import describe_definition
from edict.prose.rulebook.primer import build_primer
from edict.prose.rulebook.rule_search import collect_named_definitions
from edict.prose.rulebook.things import is_list_of_effects
from edict.support.morphology import split_title
from reading import EVERYTHING, load_annotated
from shipped import GAMES

BOOKS: list[tuple[str, ...]] = [(game,) for game in GAMES]
BOOKS += [("kingsburg", name) for name in ("long-winter", "governors", "summer-tournament", "settlements-and-deals")]
BOOKS += [("kingsburg", *EVERYTHING)]
WITH_CARDS = [names for names in BOOKS if names[0] in ("kingsburg", "kuhn-poker", "pig")]
NONSENSE = (
    r"starts? (as|at|with) (no|none|nobody|all)\b",
    r"\bNone\b",
    r"\bat first no\b",
    r"\bnumber of years\b",
    r"\bgame ends early starts\b",
    r"\bgoods to pay soldiers with start",
    r"\[\]",
    r"\bthe the\b",
    r" \.",
)


def is_empty_block(block: object) -> bool:
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


@pytest.mark.sample(8)
@pytest.mark.parametrize("names", BOOKS, ids="+".join)
def test_every_section_has_text_and_all_text_is_in_sentences(names: tuple[str, ...]) -> None:
    known, sections = load_annotated(*names), [*iter_sections(load_rulebook(*names).sections)]
    nouns = {name for name, one in known.definitions.items() if isinstance(one, t.Phase | t.Kind)}
    for section in sections:
        assert section.title and (section.blocks or section.sections), section.anchor
        assert not [block for block in section.blocks if is_empty_block(block)], section.title
        # chapters of the book itself, phases and kinds, and modules; no routine, and no list of mere effects
        assert section.anchor in nouns or section.anchor.startswith("_"), section.title
        assert section.title not in ("Rewards", "Cargoes", "Preparations")
    for line in (
        line
        for one in sections
        for block in one.blocks
        if isinstance(block, Steps)
        for line in list_sentences(block.lines)
    ):
        assert line and line[-1] in ".:?!”" and "  " not in line and " ." not in line, line
        assert not re.search(r"\bNone\b|\bthe the\b|\ba [aeiou]\w|\bof of\b|_", line), line
    told = render_book_markdown(*names).partition("## Optional rules")[0]
    assert not [line for line in told.splitlines() for one in NONSENSE if re.search(one, line)]


@pytest.mark.sample(4)
@pytest.mark.parametrize("names", BOOKS, ids="+".join)
def test_html_links_resolve_and_nothing_is_fetched(names: tuple[str, ...]) -> None:
    page = HtmlPage(render_html(load_rulebook(*names)))
    assert len(page.ids) == len(set(page.ids)) and set(page.links) <= {f"#{one}" for one in page.ids}
    assert not page.used & {"script", "link", "img"}


@pytest.mark.sample(3)
@pytest.mark.parametrize("names", WITH_CARDS, ids="+".join)
def test_book_contains_every_title(names: tuple[str, ...]) -> None:
    """In other games some things are only numbers, or names on other cards."""
    known, page = load_annotated(*names), HtmlPage(render_html(load_rulebook(*names)))
    text = page.text.casefold()
    assert [title for title in iter_titles(known) if title.casefold() not in text] == []
    assert [name for name in iter_described_things(known) if name not in page.ids] == []


def iter_titles(known: AnnotatedRules) -> Iterator[str]:
    """Iterate over the titles of all modules, things, settings and actions."""
    yield from (module.manifest.title for module in known.modules)
    for one in known.definitions.values():
        if isinstance(one, t.Thing | t.Setting | t.Action) and one.title:
            yield one.title.partition("/")[0]


def iter_described_things(known: AnnotatedRules) -> Iterator[str]:
    """Iterate over the things that have a place of their own in the book."""
    grids = {
        known.resolved.meaning[d.rows.head].name
        for d in known.definitions.values()
        if isinstance(d, t.Display) and isinstance(d.rows, t.Apply)
    }
    for one in known.definitions.values():
        if isinstance(one, t.Thing) and one.kind.word not in {*grids, "people"}:
            if not is_list_of_effects(known, known.definitions[one.kind.word]):
                yield one.name.word


@pytest.mark.sample(8)
@pytest.mark.parametrize("names", BOOKS, ids="+".join)
def test_primer_has_at_most_150_words(names: tuple[str, ...]) -> None:
    parts = dict(build_primer(load_annotated(*names)).parts)
    told = [sentence for some in parts.values() for sentence in some]
    assert parts["What it is about"] and parts["The goal"]
    assert len(names) > 1 or sum(len(sentence.split()) for sentence in told) <= 150
    assert all(sentence[-1] in ".!?" and "None" not in sentence for sentence in told)


@pytest.mark.sample(5)
@pytest.mark.parametrize("names", BOOKS, ids="+".join)
def test_every_definition_is_described_in_sentences(names: tuple[str, ...]) -> None:
    """Every definition has a description, and none shows the language's syntax."""
    known = load_annotated(*names)
    for one in collect_named_definitions(known).values():
        told = list(describe_definition(known, one.definition))
        for text, below in pairwise([*told, ""]):
            said = text.strip()
            assert not text.endswith(":") or indentation(below) > indentation(text), (one.name, text)
            assert said[-1] in ".:?!”" and "  " not in said, (one.name, text)
            assert "None" not in text and " _" not in text, (one.name, text)
            first = said.lstrip("“+-")[0]
            assert first.isupper() or first.isdigit() or said.startswith(("“", "+", "-")), (one.name, text)


def indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


@pytest.mark.sample(8)
@pytest.mark.parametrize("game", GAMES)
def test_example_is_in_a_chapter_and_matches_its_scene(game: str, subtests: pytest.Subtests) -> None:
    """The author writes the example; the things it names must occur in the scene or its outcome."""
    known = load_annotated(game)
    things = {split_title(one.title)[0] for one in known.definitions.values() if isinstance(one, t.Thing) and one.title}
    report = run_module(known.game.folder, only=lambda scene: scene.is_example)
    assert report.ok and all("story" in one.scene.data for one in report.scenes)
    for played in report.scenes:
        with subtests.test(played=played):
            assert played.scene.explains == "end" or played.scene.explains in known.definitions, played.scene.name
            happened = f"{dict(played.scene.data, story='')} {' '.join(entry.text for entry in played.log)}"
            story = str(played.scene.data["story"])
            named = {one for one in things if len(one) > 2 and re.search(rf"\b{re.escape(one)}\b(?!')", story)}
            ours = {"Chapel"} if played.scene.name.startswith("Ann builds the Statue") else set()
            assert {one for one in named - ours if one not in happened} == set(), played.scene.name
