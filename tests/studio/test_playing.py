"""Games of a variant: under its unsaved texts, continued under new rules, and made into scenes that pass."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from calling import manifest, write

from edict.scenes.scene_runner import run_module
from edict.studio.scaffolding import CopyOf, NewGame
from edict.studio.errors import StudioError
from edict.studio.playtests import begin, begin_at, go_on, moment, openings
from edict.studio.scene_recording import FILE, scene_of
from edict.studio.snapshots import Snapshot, rules_of
from edict.studio.collection import Collection
from edict.studio.variants import Variant
from edict.table.rules import rules_for, Rules
from edict.table.errors import JournalError
from edict.table.game import Game
from edict.table.journal import parse_journal, ChecksumChain
from edict.table.setup import own_cells

RULES, SCENES = "rules.edict", "scenes/rules.yaml"
NAMES = ("Ann", "Brian", "Cindy", "David")


def typed(variant: Variant, old: str, new: str) -> Rules:
    """The rules with a word changed and not saved."""
    text = variant.text(RULES)
    assert text.saved is not None and old in text.saved
    variant.draft(RULES, text.saved.replace(old, new))
    return rules_of(variant.snapshot())


def played(game: Game, answers: int, luck: Random) -> Game:
    for _ in range(answers):
        if not game.over:
            game.answer(luck.randrange(game.count))
    return game


def test_a_game_keeps_the_rules_that_were_typed(variant: Variant) -> None:
    rules = typed(variant, "year = 1", "year = 9")
    journal = begin(rules, NAMES[:3], ("", "greedy", "greedy"), seed=4)
    assert journal.keeps_rules and journal.header.bots == ("", "greedy", "greedy")
    again = parse_journal(journal.to_bytes())
    assert rules_for(again).program.rules_hash == rules.program.rules_hash
    assert str(variant.folder) not in journal.to_text()
    variant.discard(RULES)
    assert rules_of(variant.snapshot()).program.rules_hash != rules.program.rules_hash


def test_a_game_goes_on_under_new_rules_as_far_as_its_answers_fit(variant: Variant) -> None:
    rules = rules_of(variant.snapshot())
    journal = played(rules.replay(begin(rules, NAMES[:2], seed=3)), 60, Random(1)).journal
    same = go_on(journal, rules, variant.snapshot())
    assert not same.changed and same.journal is journal
    other = go_on(journal, typed(variant, "gain 2 gold", "gain 3 gold"), variant.snapshot())
    assert other.changed and other.answers == other.of == 60 and other.said.endswith("continues under the new rules.")
    assert other.journal.answers == journal.answers and other.journal.header.rules != journal.header.rules
    dice = typed(variant, "adjust dice-rolled by 1 if year = 1", "adjust dice-rolled by -1 if year = 1")
    stopped = go_on(journal, dice, variant.snapshot())
    assert 0 < stopped.answers < 60 and f"answer {stopped.answers + 1} of 60" in stopped.said, stopped.said
    assert len(rules_for(stopped.journal).replay(stopped.journal).answers) == stopped.answers
    assert stopped.said.endswith("The game continues from there; it and the answers after it were dropped.")
    last = go_on(moment(journal, stopped.answers + 1), dice, variant.snapshot())
    assert last.answers == stopped.answers and last.said.endswith("The game continues from there; it was dropped.")


def test_a_game_is_taken_up_at_any_moment(variant: Variant) -> None:
    rules = rules_of(variant.snapshot())
    journal = played(rules.replay(begin(rules, NAMES[:2], seed=3)), 20, Random(1)).journal
    for answers in (0, 7, 20):
        assert len(rules.replay(moment(journal, answers)).answers) == answers
    assert rules.replay(moment(journal, 7)).ask.question == journal.answers[7].question


# --- games that begin at a scene ---------------------------------------------------------------------

BAKERY = "The Bakery turns wood into gold for an owner who wants that"


def test_a_game_begins_at_a_scene_and_is_played_to_its_end(variant: Variant) -> None:
    rules = rules_of(variant.snapshot())
    assert BAKERY in [one.name for one in openings(variant.snapshot()) if one.file == SCENES]
    journal = begin_at(variant.snapshot(), rules, SCENES, BAKERY, ("", "greedy"), seed=3)
    assert journal.header.players == ("Ann", "Brian") and journal.header.bots == ("", "greedy")
    game = rules_for(again := parse_journal(journal.to_bytes())).replay(again)
    assert again.header == journal.header and game.ask.player == "Ann"
    assert "1 wood" in [option.text for option in game.ask.options]
    wood = next(cell.address for cell in rules.layout.cells.values() if cell.variable.name == "wood")
    assert game.state[wood : wood + 2] == [2, 2]
    played(game, 1000, Random(2))
    assert game.over and len(game.log) > 50 and rules.replay(game.journal).state == game.state


def test_it_goes_on_at_the_same_scene_under_new_rules(variant: Variant) -> None:
    rules = rules_of(variant.snapshot())
    journal = played(rules.replay(begin_at(variant.snapshot(), rules, SCENES, BAKERY, seed=3)), 8, Random(2)).journal
    other = typed(variant, "worth 1", "worth 5")
    carried = go_on(journal, other, variant.snapshot())
    assert carried.changed and carried.answers == 8 and carried.journal.header.opening is not None
    text = variant.text(SCENES).text
    variant.draft(SCENES, text.replace(BAKERY, "Another name"))
    with pytest.raises(StudioError, match="no scene"):
        go_on(journal, other, variant.snapshot())


def test_where_no_game_can_begin_the_reason_is_said(variant: Variant) -> None:
    rules = rules_of(variant.snapshot())
    with pytest.raises(StudioError, match="no scene `Nothing`"):
        begin_at(variant.snapshot(), rules, SCENES, "Nothing")
    with pytest.raises(StudioError, match="cannot be read"):
        begin_at(variant.snapshot(), rules, "scenes/none.yaml", BAKERY)
    variant.draft(SCENES, variant.text(SCENES).text.replace("start: moment season end", "start: moment winter"))
    with pytest.raises(StudioError, match="cannot be played") as refused:
        begin_at(variant.snapshot(), rules, SCENES, BAKERY)
    assert refused.value.remedy


@pytest.mark.parametrize(
    "change",
    [{"at": "phase nowhere"}, {"cells": [[0, 5]]}, {"cells": [[300, 1 << 70]]}, {"you": 7}, {"cells": [["a", 1]]},
     {"cells": [[1]]}, {"about": [1, 2]}, {"at": None}, {"cells": None}],
)  # fmt: skip
def test_a_journal_that_lies_about_its_beginning_is_refused(variant: Variant, change: dict[str, Any]) -> None:
    rules = rules_of(variant.snapshot())
    journal = begin_at(variant.snapshot(), rules, SCENES, BAKERY, seed=3)
    assert journal.header.opening is not None
    told = journal.header.opening.to_data() | change
    head = journal.header.to_data() | {"opening": told}
    with pytest.raises(JournalError) as refused:
        rules.replay(parse_journal(ChecksumChain().line(head)))
    assert refused.value.remedy


def test_every_cell_takes_the_values_that_games_hold_there_and_no_others(variant: Variant) -> None:
    rules = rules_of(variant.snapshot())
    game = rules.new_game(NAMES[:3], seed=1)
    luck, fitting = Random(1), own_cells(rules.program, rules.layout, 3)
    dealt = {cell.known for cell in rules.layout.cells.values()}
    while not game.over:
        state = game.state
        assert all(fits(state[at]) for at, fits in fitting.items() if at not in dealt)
        played(game, 7, luck)
    assert not any(fits(value) for fits in fitting.values() for value in (-(1 << 64), 1 << 64))


# --- scenes of what was done -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["governors", "gem-fair", "foxes-at-court", "pig", "four-winds"])
@pytest.mark.sample(2)
def test_every_scene_that_is_made_passes(name: str, tmp_path: Path) -> None:
    variant = Collection(tmp_path).new(CopyOf(name), f"my-{name}")
    rules, luck = rules_of(variant.snapshot()), Random(name)
    game = rules.new_game(NAMES[: rules.program.least_players], seed=luck.randrange(1000))
    made = []
    for _ in range(4):
        stretch = luck.choice((1, 2, 5))
        played(game, luck.randrange(stretch, 20), luck)
        scene = scene_of(game.journal, rules, variant.snapshot(), since=len(game.journal.answers) - stretch)
        variant.draft(scene.file, scene.text)
        made.append(scene.name)
    variant.save()
    report = run_module(variant.folder, only=f"{variant.folder.name}/{FILE}")
    assert report.ok and [one.scene.name for one in report.scenes] == made, report.text()


def test_scenes_of_one_name_and_of_other_tables_stand_in_one_file(tmp_path: Path) -> None:
    variant = Collection(tmp_path).new(CopyOf("pig"), "my-pig")
    rules = rules_of(variant.snapshot())
    for players in (2, 3, 2):
        journal = played(rules.replay(begin(rules, NAMES[:players], seed=1)), 3, Random(1)).journal
        scene = scene_of(journal, rules, variant.snapshot(), name="A turn")
        variant.draft(scene.file, scene.text)
    assert "A turn (3)" in scene.text and scene.file == FILE and scene.text.count("scenes:") == 1


def test_a_file_that_cannot_be_added_to_is_left_alone(tmp_path: Path) -> None:
    variant = Collection(tmp_path).new(CopyOf("pig"), "my-pig")
    variant.add(FILE, "scenes:\n  - name: half a\n   scene")
    rules = rules_of(variant.snapshot())
    journal = played(rules.replay(begin(rules, NAMES[:2], seed=1)), 3, Random(1)).journal
    assert scene_of(journal, rules, variant.snapshot()).file == "scenes/played-2.yaml"


def test_where_no_scene_can_be_made_the_reason_is_said(variant: Variant) -> None:
    rules = rules_of(variant.snapshot())
    journal = begin(rules, NAMES[:2], seed=3)
    with pytest.raises(StudioError, match="no answers"):
        scene_of(journal, rules, variant.snapshot())
    journal = played(rules.replay(journal), 12, Random(1)).journal
    typed(variant, "adjust dice-rolled by 1 if year = 1", "adjust dice-rolled by 2 if year = 1")
    with pytest.raises(StudioError, match="would not pass") as refused:
        scene_of(journal, rules, variant.snapshot(), since=0)
    assert "rules as they are now" in refused.value.remedy


def test_a_game_of_ones_own_can_be_played_and_recorded(tmp_path: Path) -> None:
    variant = Collection(tmp_path).new(NewGame(), "mine")
    rules = rules_of(variant.snapshot())
    journal = played(rules.replay(begin(rules, NAMES[: rules.program.least_players], seed=1)), 4, Random(1)).journal
    scene = scene_of(journal, rules, variant.snapshot(), since=2)
    assert scene.text.startswith("players:") and "game:" not in scene.text


HANDS = """\
kind card "card/cards"
  number number from 1 to 70, shown
card for each number "Card {number}"
keep hand "Hand" of player as set of card, secret but counted
keep seating as order of player, quiet
game hands "Hands"
  players 2 to 2
  order seating
  winners everyone
  score count of hand of you
  course
    play evening
phase evening "Evening"
  each player
    choose a card from hand of you as thrown
    remove thrown from hand of you
display held
  each player
  column "Hand" hand of player
"""


def test_a_game_begins_with_all_that_a_scene_gives_and_with_what_everybody_knows_of_it(tmp_path: Path) -> None:
    """What takes several cells is whole, and everybody sees how many cards a hidden hand holds."""
    held = [f"Card {number}" for number in (1, 2, 30, 69, 70)]
    scene = {"name": "Five", "start": "phase evening", "given": {"Ann": {"hand": held}}, "play": [{"Ann": "Card 69"}]}
    page = {"players": ["Ann", "Ben"], "scenes": [scene]}
    files = {"hands.edict": HANDS, "module.yaml": manifest("hands", "game"), "scenes/a.yaml": yaml.safe_dump(page)}
    write(tmp_path, {f"hands/{name}": text for name, text in files.items()})
    seen = Snapshot(tmp_path / "hands")
    rules = rules_of(seen)
    game = rules.replay(begin_at(seen, rules, "scenes/a.yaml", "Five", seed=1))
    assert [option.text for option in game.ask.options] == held
    (hands,) = game.view(1).panels()
    assert [row.cells for row in hands.rows] == [("5 cards",), ("none",)]
