"""Games of a variant: with unsaved texts, continued under new rules, and recorded as scenes."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from calling import make_manifest, write_files
from edict.game.scenes.scene_runner import run_module
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import ChecksumChain, parse_journal
from edict.game.table.rules import Rules, load_rules, load_rules_for
from edict.game.table.setup import settable_cells
from edict.tools.studio import StudioError
from edict.tools.studio.collection import Collection
from edict.tools.studio.played_scenes import SCENES_FILE, describe_played_game
from edict.tools.studio.playtests import begin_at_scene, begin_game, continue_game, list_opening_scenes, truncate
from edict.tools.studio.scaffolding import Beginning, CopiedModule, LaidOver, NewGame
from edict.tools.studio.variant_files import Snapshot, compile_variant
from edict.tools.studio.variants import Variant

RULES, SCENES = "rules.edict", "scenes/rules.yaml"
NAMES = ("Ann", "Brian", "Cindy", "David")
CHARM = "The Lucky Charm draws one more coin"


@pytest.fixture
def mine(tmp_path: Path) -> Variant:
    """A new game of one's own, with dice, cards and three scenes."""
    return Collection(tmp_path / "collection").create(NewGame(), "mine")


def edit_rules(variant: Variant, old: str, new: str) -> Rules:
    """Replace words in a draft of the rules and return the compiled rules."""
    text = variant.get_file(RULES)
    assert text.saved is not None and old in text.saved
    variant.write_draft(RULES, text.saved.replace(old, new))
    return compile_variant(variant.take_snapshot())


def play_randomly(game: Game, answers: int, rng: Random) -> Game:
    for _ in range(answers):
        if not game.over:
            game.answer(rng.randrange(game.count))
    return game


def test_game_keeps_the_unsaved_rules_it_began_with(mine: Variant) -> None:
    rules = edit_rules(mine, "starting at 20", "starting at 60")
    journal = begin_game(rules, NAMES[:3], ("", "greedy", "greedy"), seed=4)
    assert journal.keeps_rules and journal.header.bots == ("", "greedy", "greedy")
    again = parse_journal(journal.to_bytes())
    assert load_rules_for(again).program.rules_hash == rules.program.rules_hash
    assert str(mine.folder) not in journal.to_text()
    mine.discard(RULES)
    assert compile_variant(mine.take_snapshot()).program.rules_hash != rules.program.rules_hash


def test_game_continues_under_new_rules_as_far_as_answers_fit(mine: Variant) -> None:
    rules = compile_variant(mine.take_snapshot())
    journal = play_randomly(rules.replay(begin_game(rules, NAMES[:2], seed=3)), 12, Random(1)).journal
    same = continue_game(journal, rules, mine.take_snapshot())
    assert not same.changed and same.journal is journal
    other = continue_game(journal, edit_rules(mine, "starting at 20", "starting at 60"), mine.take_snapshot())
    assert other.changed and other.answers == other.of == 12 and other.said.endswith("continues under the new rules.")
    assert other.journal.answers == journal.answers and other.journal.header.rules != journal.header.rules
    expensive = edit_rules(mine, "price 3\n", "price 9\n")
    stopped = continue_game(journal, expensive, mine.take_snapshot())
    assert 0 < stopped.answers < 12 and f"answer {stopped.answers + 1} of 12" in stopped.said, stopped.said
    assert len(load_rules_for(stopped.journal).replay(stopped.journal).answers) == stopped.answers
    assert stopped.said.endswith("The game continues from there; it and the answers after it were dropped.")
    last = continue_game(truncate(journal, stopped.answers + 1), expensive, mine.take_snapshot())
    assert last.answers == stopped.answers and last.said.endswith("The game continues from there; it was dropped.")


def test_game_can_be_resumed_after_any_number_of_answers(mine: Variant, subtests: pytest.Subtests) -> None:
    rules = compile_variant(mine.take_snapshot())
    journal = play_randomly(rules.replay(begin_game(rules, NAMES[:2], seed=3)), 12, Random(1)).journal
    for answers in (0, 7, 12):
        with subtests.test(answers=answers):
            assert len(rules.replay(truncate(journal, answers)).answers) == answers
    assert rules.replay(truncate(journal, 6)).ask.question == journal.answers[6].question


# --- games that begin at a scene ---------------------------------------------------------------------


def test_game_begins_at_a_scene_and_ends(mine: Variant) -> None:
    rules = compile_variant(mine.take_snapshot())
    assert CHARM in [opening.name for opening in list_opening_scenes(mine.take_snapshot()) if opening.file == SCENES]
    journal = begin_at_scene(mine.take_snapshot(), rules, SCENES, CHARM, ("", "greedy"), seed=3)
    assert journal.header.players == ("Ann", "Brian") and journal.header.bots == ("", "greedy")
    game = load_rules_for(again := parse_journal(journal.to_bytes())).replay(again)
    assert again.header == journal.header and game.ask.player == "Ann"
    assert [option.text for option in game.ask.options] == ["Draw from the pot", "Wait"]
    assert any("Lucky Charm" in cell for panel in game.view(0).panels() for row in panel.rows for cell in row.cells)
    play_randomly(game, 1000, Random(2))
    assert game.over and len(game.log) > 50 and rules.replay(game.journal).state == game.state


def test_game_from_a_scene_continues_from_it_under_new_rules(mine: Variant) -> None:
    rules = compile_variant(mine.take_snapshot())
    journal = play_randomly(
        rules.replay(begin_at_scene(mine.take_snapshot(), rules, SCENES, CHARM, seed=3)), 8, Random(2)
    ).journal
    other = edit_rules(mine, "starting at 20", "starting at 60")
    carried = continue_game(journal, other, mine.take_snapshot())
    assert carried.changed and carried.answers == 8 and carried.journal.header.opening is not None
    mine.write_draft(SCENES, mine.get_file(SCENES).text.replace(CHARM, "Another name"))
    with pytest.raises(StudioError, match="no scene"):
        continue_game(journal, other, mine.take_snapshot())


def test_impossible_beginning_is_refused_with_the_reason(mine: Variant) -> None:
    rules = compile_variant(mine.take_snapshot())
    with pytest.raises(StudioError, match="no scene `Nothing`"):
        begin_at_scene(mine.take_snapshot(), rules, SCENES, "Nothing")
    with pytest.raises(StudioError, match="cannot be read"):
        begin_at_scene(mine.take_snapshot(), rules, "scenes/none.yaml", CHARM)
    mine.write_draft(SCENES, mine.get_file(SCENES).text.replace("start: phase turn", "start: phase winter"))
    with pytest.raises(StudioError, match="cannot be played") as refused:
        begin_at_scene(mine.take_snapshot(), rules, SCENES, CHARM)
    assert refused.value.remedy


def test_forged_opening_in_a_journal_is_refused(mine: Variant, subtests: pytest.Subtests) -> None:
    rules = compile_variant(mine.take_snapshot())
    journal = begin_at_scene(mine.take_snapshot(), rules, SCENES, CHARM, seed=3)
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
        with subtests.test(change=change):
            head = journal.header.to_data() | {"opening": journal.header.opening.to_data() | change}
            with pytest.raises(JournalError) as refused:
                rules.replay(parse_journal(ChecksumChain().append_data(head)))
            assert refused.value.remedy


def test_openings_accept_the_values_of_real_games_and_no_others() -> None:
    rules = load_rules("kingsburg")
    game = rules.new_game(NAMES[:3], seed=1)
    luck, fitting = Random(1), settable_cells(rules.program, rules.layout, 3)
    dealt = {cell.known for cell in rules.layout.cells.values()}
    while not game.over:
        state = game.state
        assert all(fits(state[at]) for at, fits in fitting.items() if at not in dealt)
        play_randomly(game, 7, luck)
    assert not any(fits(value) for fits in fitting.values() for value in (-(1 << 64), 1 << 64))


# --- recorded scenes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "begun",
    [
        CopiedModule("four-winds"),
        CopiedModule("governors"),
        LaidOver("pig"),
        CopiedModule("gem-fair"),
        CopiedModule("foxes-at-court"),
    ],
    ids=str,
)
@pytest.mark.sample(3)
def test_recorded_scenes_pass(begun: Beginning, tmp_path: Path) -> None:
    variant = Collection(tmp_path).create(begun, "mine")
    rules, rng = compile_variant(variant.take_snapshot()), Random(1)
    game = rules.new_game(NAMES[: rules.program.least_players], seed=rng.randrange(1000))
    names = []
    for _ in range(4):
        stretch = rng.choice((1, 2, 5))
        play_randomly(game, rng.randrange(stretch, 20), rng)
        scene = describe_played_game(
            game.journal, rules, variant.take_snapshot(), since=len(game.journal.answers) - stretch
        )
        variant.write_draft(scene.file, scene.text)
        names.append(scene.name)
    variant.save()
    report = run_module(variant.folder, only=f"{variant.folder.name}/{SCENES_FILE}")
    assert report.ok and [one.scene.name for one in report.scenes] == names, report.text()


def test_scenes_with_equal_names_or_other_players_share_a_file(mine: Variant) -> None:
    rules = compile_variant(mine.take_snapshot())
    for players in (2, 3, 2):
        journal = play_randomly(rules.replay(begin_game(rules, NAMES[:players], seed=1)), 3, Random(1)).journal
        scene = describe_played_game(journal, rules, mine.take_snapshot(), name="A turn")
        mine.write_draft(scene.file, scene.text)
    assert scene.text.startswith("players:") and "game:" not in scene.text
    assert "A turn (3)" in scene.text and scene.file == SCENES_FILE and scene.text.count("scenes:") == 1


def test_broken_scene_file_is_left_alone(mine: Variant) -> None:
    mine.add_file(SCENES_FILE, "scenes:\n  - name: half a\n   scene")
    rules = compile_variant(mine.take_snapshot())
    journal = play_randomly(rules.replay(begin_game(rules, NAMES[:2], seed=1)), 3, Random(1)).journal
    assert describe_played_game(journal, rules, mine.take_snapshot()).file == "scenes/played-2.yaml"


def test_impossible_recording_is_refused_with_the_reason(mine: Variant) -> None:
    rules = compile_variant(mine.take_snapshot())
    journal = begin_game(rules, NAMES[:2], seed=3)
    with pytest.raises(GameError, match="no answers"):
        describe_played_game(journal, rules, mine.take_snapshot())
    journal = play_randomly(rules.replay(journal), 12, Random(1)).journal
    edit_rules(mine, "gain amount coin\n", "gain amount coin\n    gain 1 coin\n")
    with pytest.raises(StudioError, match="would not pass") as refused:
        describe_played_game(journal, rules, mine.take_snapshot(), since=0)
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


def test_game_from_a_scene_has_whole_values_and_public_knowledge(tmp_path: Path) -> None:
    """A value of several cells is complete, and everybody sees how many cards a hidden hand holds."""
    cards = [f"Card {number}" for number in (1, 2, 30, 69, 70)]
    scene = {"name": "Five", "start": "phase evening", "given": {"Ann": {"hand": cards}}, "play": [{"Ann": "Card 69"}]}
    page = {"players": ["Ann", "Ben"], "scenes": [scene]}
    files = {"hands.edict": HANDS, "module.yaml": make_manifest("hands", "game"), "scenes/a.yaml": yaml.safe_dump(page)}
    write_files(tmp_path, {f"hands/{name}": text for name, text in files.items()})
    snapshot = Snapshot(tmp_path / "hands")
    rules = compile_variant(snapshot)
    game = rules.replay(begin_at_scene(snapshot, rules, "scenes/a.yaml", "Five", seed=1))
    assert [option.text for option in game.ask.options] == cards
    (hands,) = game.view(1).panels()
    assert [row.cells for row in hands.rows] == [("5 cards",), ("none",)]
