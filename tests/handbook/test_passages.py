"""What authors say in the rulebook in their own words, and the scenes that are its examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reading import Call, rules, write

from edict.cli.commands.rulebook import as_markdown, examples
from edict.handbook.chapters import Index
from edict.handbook.contents import rulebook
from edict.language import tree as t
from edict.scenes.scene_runner import run_module
from edict.words.titles import forms
from shipped import GAMES
from edict.sources.folders import read_module
from edict.sources.module_set import gather
from edict.sources.packing import pack, unpack

SAID = """\
  - place: {place}
    title: The wind of {place}
    text: |-
      It blows from the west.
      It never rests.
"""
CHAPTERS = {
    "setup": "Components and setup", "core": "How the game goes", "end": "The end of the game",
    "always": "Rules that always apply", "winter": "2.8 Winter", "advisor": "Advisors",
    "nowhere-at-all": "Rules that always apply",
}  # fmt: skip


def variant(folder: Path, *places: str) -> Path:
    at = write(folder / "windy", "resource wind\n")
    with (at / "module.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write("book:\n" + "".join(SAID.format(place=place) for place in places))
    return at


def test_a_passage_stands_in_its_chapter(call: Call, tmp_path: Path) -> None:
    """One for something that is not there is not lost."""
    book = call("rulebook", "--with", str(variant(tmp_path, *CHAPTERS))).stdout
    for place, chapter in CHAPTERS.items():
        before, said, after = book.partition(f"**The wind of {place}.** It blows from the west.")
        assert [line.lstrip("# ") for line in before.splitlines() if line.startswith("#")][-1] == chapter
        assert said and after.startswith("\n\nIt never rests.")


def test_it_is_kept_with_a_game(tmp_path: Path) -> None:
    modules = gather("kingsburg", (str(variant(tmp_path, "winter")),)).unwrap()
    assert [one.manifest.book for one in unpack(pack(modules)).unwrap()] == [one.manifest.book for one in modules]
    assert modules[-1].manifest.book[0].paragraphs == ["It blows from the west.", "It never rests."]


def test_one_without_words_is_refused(tmp_path: Path) -> None:
    at = write(tmp_path / "mute", "resource wind\n")
    with (at / "module.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write("book:\n  - place: setup\n")
    assert "`text`" in str(read_module(at).diagnostics[0])


def test_a_scene_is_an_example_of_the_phase_it_plays() -> None:
    book = as_markdown(rulebook(rules(), None, examples(rules())))
    chapter, below = book.index("### 1 Productive season"), book.index("#### 1.1 Roll Dice")
    assert chapter < book.index("> **Spring in the first year.** Ann, Brian and Cindy") < below


def test_every_phase_of_the_game_has_an_example() -> None:
    of = {place for place, _ in examples(rules())}
    assert {
        "season", "roll-dice", "influencing", "rewards", "constructing", "kings-favor", "kings-reward", "kings-envoy",
        "recruiting", "battle", "neutral-dice", "end",
    } <= of  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_an_example_speaks_of_nothing_that_does_not_happen_in_its_scene(game: str) -> None:
    """It is written by hand: the things it names stand in the scene or in what came of it."""
    known = rules(game)
    titles = {forms(one.title)[0] for one in known.definitions.values() if isinstance(one, t.Thing) and one.title}
    report = run_module(known.game.folder, only=lambda scene: scene.is_example)
    assert report.ok and all("story" in one.scene.data for one in report.scenes)
    for played in report.scenes:
        happened = f"{dict(played.scene.data, story='')} {' '.join(entry.text for entry in played.log)}"
        story = str(played.scene.data["story"])
        named = {title for title in titles if len(title) > 2 and re.search(rf"\b{re.escape(title)}\b(?!')", story)}
        ours = {"Chapel"} if played.scene.name.startswith("Ann builds the Statue") else set()
        assert {one for one in named - ours if one not in happened} == set(), played.scene.name


def test_an_example_stands_in_a_chapter_that_is_there() -> None:
    for game in GAMES:
        known = rules(game)
        for place, _ in examples(known):
            assert place == "end" or place in known.definitions, (game, place)


def test_headings_of_passages_are_in_the_index() -> None:
    book = rulebook(rules("kingsburg"))
    blocks = (block for one in book.sections for block in one.blocks)
    entries = [entry for block in blocks if isinstance(block, Index) for entry in block.entries]
    titles = [title for title, _, _ in entries]
    for heading in ("Passing", "+2 tokens", "Placing dice", "Cost", "Battle", "Soldiers"):
        assert titles.count(heading) == 1, heading
    text = as_markdown(book)
    assert all(f'<a id="{anchor}"></a>' in text for _, anchor, _ in entries)
