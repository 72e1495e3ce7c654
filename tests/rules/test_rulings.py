"""Rulings on each two modules that interact: in docs/sources.md, in the rulebook, and in a scene."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
import yaml

from edict.prose.rulebook.chapters import Paragraph
from edict.prose.rulebook.rulebook_contents import build_rulebook
from interactions import Pair, find_all_interactions, find_interactions
from reading import load_annotated, write_module
from shipped import catalogue

find_pairs = cache(find_all_interactions)


def read_rulings(root: Path) -> dict[Pair, set[str]]:
    """Return what each ruling is about, by its pair of modules, from the table of docs/sources.md."""
    page = (root / "docs" / "sources.md").read_text(encoding="utf-8")
    table = page.partition("\n## Modules together\n")[2].partition("\n## ")[0]
    rows = (line.split(" | ") for line in table.splitlines() if line.startswith("| `"))
    return {frozenset(re.findall("`(.*?)`", row[0])): set(re.findall("`(.*?)`", row[1])) for row in rows}


def iter_scene_modules() -> list[set[str]]:
    """Return the modules of each scene that ships, its own module included."""
    played = []
    for name, (folder, _) in catalogue().items():
        for file in folder.glob("scenes/*.yaml"):
            data = yaml.safe_load(file.read_text(encoding="utf-8"))
            for scene in data["scenes"]:
                played.append({name, *data.get("modules", ()), *scene.get("modules", ())})
    return played


def test_every_pair_of_modules_that_interacts_has_a_ruling(root: Path) -> None:
    assert read_rulings(root) == find_pairs()


def test_every_pair_of_modules_that_interacts_has_a_scene() -> None:
    played = iter_scene_modules()
    assert not [sorted(pair) for pair in find_pairs() if not any(pair <= modules for modules in played)]


def test_every_pair_of_modules_that_interacts_has_a_passage() -> None:
    books = {name: manifest.book for name, (_, manifest) in catalogue().items()}
    pages = ((name, passage) for name, book in books.items() for passage in book if passage.place == "module")
    passages = [(name, passage.with_module) for name, passage in pages]
    assert len(passages) == len(set(map(frozenset, passages)))
    assert set(map(frozenset, passages)) == find_pairs().keys()


@pytest.mark.parametrize(
    "modules, is_printed",
    [(("goblin-valley",), False), (("goblin-valley", "destiny"), True), (("destiny", "governors"), False)],
)
def test_passage_on_two_modules_is_printed_only_if_both_are_played(modules: tuple[str, ...], is_printed: bool) -> None:
    book = build_rulebook(load_annotated("kingsburg", *modules))
    sections = chain(book.sections, *(section.sections for section in book.sections))
    texts = [
        block.text
        for section in sections
        if section.anchor == "_module-goblin-valley"
        for block in section.blocks
        if isinstance(block, Paragraph)
    ]
    assert any("The Decisive Battle doubles" in text for text in texts) is is_printed


def test_interaction_is_found_where_a_module_changes_what_another_reads(tmp_path: Path) -> None:
    """Gaining the same resource is no interaction."""
    hungry = write_module(tmp_path / "hungry", "when end of winter\n  each player\n    lose 1 good\n")
    stronger = write_module(tmp_path / "stronger", "adjust strength by 1 if soldier of you > 3\n")
    weaker = write_module(tmp_path / "weaker", "adjust strength by -1 if good of you = 0\n")
    names = [folder.name for folder in (hungry, stronger, weaker)]
    rules = load_annotated("kingsburg", *map(str, (hungry, stronger, weaker)))
    assert find_interactions(rules, names) == {frozenset(("stronger", "weaker")): {"strength"}}
