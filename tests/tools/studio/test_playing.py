"""Games of a variant: under its unsaved texts, continued under new rules, and made into scenes that pass."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from calling import manifest, write
from edict.game.scenes.scene_runner import run_module
from edict.game.table.game import Game
from edict.game.table.game_errors import JournalError
from edict.game.table.journal import ChecksumChain, parse_journal
from edict.game.table.rules import Rules, load_rules, load_rules_for
from edict.game.table.setup import settable_cells
from edict.tools.studio.collection import Collection
from edict.tools.studio.playtests import begin, begin_at, go_on, moment, openings
from edict.tools.studio.scaffolding import Beginning, CopyOf, LaidOver, NewGame
from edict.tools.studio.scenes_of_play import FILE, scene_of
from edict.tools.studio.snapshots import Snapshot, rules_of
from edict.tools.studio.studio_errors import StudioError
from edict.tools.studio.variants import Variant

RULES, SCENES = "rules.edict", "scenes/rules.yaml"
NAMES = ("Ann", "Brian", "Cindy", "David")
CHARM = "The Lucky Charm draws one more coin"


@pytest.fixture
def mine(tmp_path: Path) -> Variant:
    """A little game of one's own, as it begins: with dice, cards, and three scenes."""
    return Collection(tmp_path / "collection").new(NewGame(), "mine")


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


def test_a_game_keeps_the_rules_that_were_typed(mine: Variant) -> None:
    rules = typed(mine, "starting at 20", "starting at 60")
    journal = begin(rules, NAMES[:3], ("", "greedy", "greedy"), seed=4)
    assert journal.keeps_rules and journal.header.bots == ("", "greedy", "greedy")
    again = parse_journal(journal.to_bytes())
    assert load_rules_for(again).program.rules_hash == rules.program.rules_hash
    assert str(mine.folder) not in journal.to_text()
    mine.discard(RULES)
    assert rules_of(mine.snapshot()).program.rules_hash != rules.program.rules_hash


def test_a_game_goes_on_under_new_rules_as_far_as_its_answers_fit(mine: Variant) -> None:
    rules = rules_of(mine.snapshot())
    journal = played(rules.replay(begin(rules, NAMES[:2], seed=3)), 12, Random(1)).journal
    same = go_on(journal, rules, mine.snapshot())
    assert not same.changed and same.journal is journal
    other = go_on(journal, typed(mine, "starting at 20", "starting at 60"), mine.snapshot())
    assert other.changed and other.answers == other.of == 12 and other.said.endswith("continues under the new rules.")
    assert other.journal.answers == journal.answers and other.journal.header.rules != journal.header.rules
    dear = typed(mine, "price 3\n", "price 9\n")
    stopped = go_on(journal, dear, mine.snapshot())
    assert 0 < stopped.answers < 12 and f"answer {stopped.answers + 1} of 12" in stopped.said, stopped.said
    assert len(load_rules_for(stopped.journal).replay(stopped.journal).answers) == stopped.answers
    assert stopped.said.endswith("The game continues from there; it and the answers after it were dropped.")
    last = go_on(moment(journal, stopped.answers + 1), dear, mine.snapshot())
    assert last.answers == stopped.answers and last.said.endswith("The game continues from there; it was dropped.")


def test_a_game_is_taken_up_at_any_moment(mine: Variant) -> None:
    rules = rules_of(mine.snapshot())
    journal = played(rules.replay(begin(rules, NAMES[:2], seed=3)), 12, Random(1)).journal
    for answers in (0, 7, 12):
        assert len(rules.replay(moment(journal, answers)).answers) == answers
    assert rules.replay(moment(journal, 6)).ask.question == journal.answers[6].question


# --- games that begin at a scene ---------------------------------------------------------------------


def test_a_game_begins_at_a_scene_and_is_played_to_its_end(mine: Variant) -> None:
    rules = rules_of(mine.snapshot())
    assert CHARM in [one.name for one in openings(mine.snapshot()) if one.file == SCENES]
    journal = begin_at(mine.snapshot(), rules, SCENES, CHARM, ("", "greedy"), seed=3)
    assert journal.header.players == ("Ann", "Brian") and journal.header.bots == ("", "greedy")
    game = load_rules_for(again := parse_journal(journal.to_bytes())).replay(again)
    assert again.header == journal.header and game.ask.player == "Ann"
    assert [option.text for option in game.ask.options] == ["Draw from the pot", "Wait"]
    assert any("Lucky Charm" in cell for panel in game.view(0).panels() for row in panel.rows for cell in row.cells)
    played(game, 1000, Random(2))
    assert game.over and len(game.log) > 50 and rules.replay(game.journal).state == game.state


def test_it_goes_on_at_the_same_scene_under_new_rules(mine: Variant) -> None:
    rules = rules_of(mine.snapshot())
    journal = played(rules.replay(begin_at(mine.snapshot(), rules, SCENES, CHARM, seed=3)), 8, Random(2)).journal
    other = typed(mine, "starting at 20", "starting at 60")
    carried = go_on(journal, other, mine.snapshot())
    assert carried.changed and carried.answers == 8 and carried.journal.header.opening is not None
    mine.draft(SCENES, mine.text(SCENES).text.replace(CHARM, "Another name"))
    with pytest.raises(StudioError, match="no scene"):
        go_on(journal, other, mine.snapshot())


def test_where_no_game_can_begin_the_reason_is_said(mine: Variant) -> None:
    rules = rules_of(mine.snapshot())
    with pytest.raises(StudioError, match="no scene `Nothing`"):
        begin_at(mine.snapshot(), rules, SCENES, "Nothing")
    with pytest.raises(StudioError, match="cannot be read"):
        begin_at(mine.snapshot(), rules, "scenes/none.yaml", CHARM)
    mine.draft(SCENES, mine.text(SCENES).text.replace("start: phase turn", "start: phase winter"))
    with pytest.raises(StudioError, match="cannot be played") as refused:
        begin_at(mine.snapshot(), rules, SCENES, CHARM)
    assert refused.value.remedy


def test_a_journal_that_lies_about_its_beginning_is_refused(mine: Variant) -> None:
    rules = rules_of(mine.snapshot())
    journal = begin_at(mine.snapshot(), rules, SCENES, CHARM, seed=3)
    assert journal.header.opening is not None
    pot = next(cell.address for cell in rules.layout.cells.values() if cell.variable.name == "pot")
    rules.replay(parse_journal(ChecksumChain().append_data(journal.header.to_data())))
    changes: list[dict[str, Any]] = [
        {"at": "phase nowhere"},
        {"cells": [[0, 5]]},
        {"cells": [[pot, 1 << 70]]},
        {"you": 7},
        {"cells": [["a", 1]]},
        {"cells": [[1]]},
        {"about": [1, 2]},
        {"at": None},
        {"cells": None},
    ]
    for change in changes:
        head = journal.header.to_data() | {"opening": journal.header.opening.to_data() | change}
        with pytest.raises(JournalError) as refused:
            rules.replay(parse_journal(ChecksumChain().append_data(head)))
        assert refused.value.remedy, change


def test_every_cell_takes_the_values_that_games_hold_there_and_no_others() -> None:
    rules = load_rules("kingsburg")
    game = rules.new_game(NAMES[:3], seed=1)
    luck, fitting = Random(1), settable_cells(rules.program, rules.layout, 3)
    dealt = {cell.known for cell in rules.layout.cells.values()}
    while not game.over:
        state = game.state
        assert all(fits(state[at]) for at, fits in fitting.items() if at not in dealt)
        played(game, 7, luck)
    assert not any(fits(value) for fits in fitting.values() for value in (-(1 << 64), 1 << 64))


# --- scenes of what was done -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "begun",
    [CopyOf("four-winds"), CopyOf("governors"), LaidOver("pig"), CopyOf("gem-fair"), CopyOf("foxes-at-court")],
    ids=str,
)
@pytest.mark.sample(3)
def test_every_scene_that_is_made_passes(begun: Beginning, tmp_path: Path) -> None:
    variant = Collection(tmp_path).new(begun, "mine")
    rules, luck = rules_of(variant.snapshot()), Random(1)
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


def test_scenes_of_one_name_and_of_other_tables_stand_in_one_file(mine: Variant) -> None:
    rules = rules_of(mine.snapshot())
    for players in (2, 3, 2):
        journal = played(rules.replay(begin(rules, NAMES[:players], seed=1)), 3, Random(1)).journal
        scene = scene_of(journal, rules, mine.snapshot(), name="A turn")
        mine.draft(scene.file, scene.text)
    assert scene.text.startswith("players:") and "game:" not in scene.text
    assert "A turn (3)" in scene.text and scene.file == FILE and scene.text.count("scenes:") == 1


def test_a_file_that_cannot_be_added_to_is_left_alone(mine: Variant) -> None:
    mine.add(FILE, "scenes:\n  - name: half a\n   scene")
    rules = rules_of(mine.snapshot())
    journal = played(rules.replay(begin(rules, NAMES[:2], seed=1)), 3, Random(1)).journal
    assert scene_of(journal, rules, mine.snapshot()).file == "scenes/played-2.yaml"


def test_where_no_scene_can_be_made_the_reason_is_said(mine: Variant) -> None:
    rules = rules_of(mine.snapshot())
    journal = begin(rules, NAMES[:2], seed=3)
    with pytest.raises(StudioError, match="no answers"):
        scene_of(journal, rules, mine.snapshot())
    journal = played(rules.replay(journal), 12, Random(1)).journal
    typed(mine, "gain amount coin\n", "gain amount coin\n    gain 1 coin\n")
    with pytest.raises(StudioError, match="would not pass") as refused:
        scene_of(journal, rules, mine.snapshot(), since=0)
    assert "rules as they are now" in refused.value.remedy


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
