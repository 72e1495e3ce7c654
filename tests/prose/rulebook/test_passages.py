"""Tests of the authors' passages in the rulebook and of scenes as its examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from books import load_rulebook, render_book_markdown
from edict.apps.cli.commands.rulebook import iter_examples, render_markdown
from edict.compiler.sources.folders import read_module
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.sources.packing import pack_modules, unpack_modules
from edict.prose.rulebook.chapters import Index
from edict.prose.rulebook.rulebook_contents import build_rulebook
from reading import Call, load_annotated, write_module

SAID = """\
  - place: {place}
    title: The wind of {place}
    text: |-
      It blows from the west.
      It never rests.
"""
CHAPTERS = {
    "setup": "Components and setup",
    "core": "How the game goes",
    "end": "The end of the game",
    "always": "Rules that always apply",
    "winter": "8 Winter",
    "advisor": "Advisors",
    "nowhere-at-all": "Rules that always apply",
}


def write_variant(folder: Path, *places: str) -> Path:
    at = write_module(folder / "windy", "resource wind\n")
    with (at / "module.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write("book:\n" + "".join(SAID.format(place=place) for place in places))
    return at


def test_passage_is_in_its_chapter_and_saved_with_a_game(call: Call, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """A passage for an unknown place is not lost."""
    folder = str(write_variant(tmp_path, *CHAPTERS))
    told = call("rulebook", "--with", folder).stdout
    for place, chapter in CHAPTERS.items():
        with subtests.test(place=place):
            before, said, after = told.partition(f"**The wind of {place}.** It blows from the west.")
            assert [line.lstrip("# ") for line in before.splitlines() if line.startswith("#")][-1] == chapter
            assert said and after.startswith("\n\nIt never rests.")
    modules = gather_modules("kingsburg", (folder,)).unwrap()
    assert [one.manifest.book for one in unpack_modules(pack_modules(modules)).unwrap()] == [
        one.manifest.book for one in modules
    ]
    assert modules[-1].manifest.book[0].paragraphs == ["It blows from the west.", "It never rests."]


def test_passage_without_text_is_rejected(tmp_path: Path) -> None:
    at = write_module(tmp_path / "mute", "resource wind\n")
    with (at / "module.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write("book:\n  - place: setup\n")
    assert "`text`" in str(read_module(at).diagnostics[0])


def test_every_phase_has_an_example_in_its_section() -> None:
    shown = [*iter_examples(load_annotated())]
    assert {
        "season",
        "roll-dice",
        "influencing",
        "rewards",
        "constructing",
        "kings-favor",
        "kings-reward",
        "kings-envoy",
        "recruiting",
        "battle",
        "neutral-dice",
        "end",
    } <= {place for place, _ in shown}
    told = render_markdown(build_rulebook(load_annotated(), None, shown))
    chapter, below = told.index("#### 2.1 Productive season"), told.index("##### 2.1.1 Roll Dice")
    assert chapter < told.index("> **Spring in the first year.** Ann, Brian and Cindy") < below


def test_passage_headings_are_in_the_index(subtests: pytest.Subtests) -> None:
    blocks = (block for one in load_rulebook("kingsburg").sections for block in one.blocks)
    entries = [entry for block in blocks if isinstance(block, Index) for entry in block.entries]
    titles = [title for title, _, _ in entries]
    for heading in ("Passing", "+2 tokens", "Placing dice", "Cost", "Battle", "Soldiers"):
        with subtests.test(heading=heading):
            assert titles.count(heading) == 1
    assert all(f'<a id="{anchor}"></a>' in render_book_markdown("kingsburg") for _, anchor, _ in entries)
