"""Moments to look: a panel shown when the rules say so, with what was won and lost, and by which rule, until then."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import manifest, write
from edict.handbook.annotated import read
from edict.program.reading import from_json
from edict.report import RulesError
from edict.table import log
from edict.table.errors import GameError
from edict.table.game import Game
from edict.table.log_entries import LOOK, Entry
from edict.table.rules import Rules, load_rules

RULES = """\
resource coin "coin/coins"
resource pearl "pearl/pearls"
keep seats as order of player, quiet
keep card of player as number from 0 to 9, secret, quiet
keep day as number, quiet
keep lot of player as number, quiet
quantity luck "luck" of player is 1 + day - day
adjust luck by 2

game sample "Sample"
  players 2 to 2
  order seats
  winners players with most coin of it
  score coin of you
  course
    repeat 2 times
      play market
    look at sum-of-all

phase market "Market"
  add 1 to day
  each player
    set card of you to 4
  each player
    set lot of you to luck of you
    gain lot of you coin
    lose 1 coin
    do gift
  look at takings
  each player
    gain 5 coin

routine gift "gift"
  gain 1 pearl

display takings "Takings"
  line "Day", day
  each player
  column "Coins" coin of player
  column "Card" card of player

display sum-of-all "In all"
  each player
  column "Coins" coin of player

display always
  line "Day", day
"""


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    write(tmp_path, {"sample/module.yaml": manifest("sample", "game"), "sample/rules.edict": RULES})
    return load_rules(tmp_path / "sample")


@pytest.fixture
def game(rules: Rules) -> Game:
    return rules.new_game(["Ann", "Ben"], seed=1)


def looks(game: Game, seat: int) -> list[Entry]:
    return [entry for entry in game.view(seat).log if entry.kind == LOOK]


def test_the_panel_is_as_it_stood_then(game: Game) -> None:
    first, second, last = [game.view(0).summary(entry) for entry in looks(game, 0)]
    assert (first.title, first.panel.above) == ("Takings", ("Day 1",))
    assert [row.cells[0] for row in first.panel.rows] == ["2", "2"]
    assert [row.cells[0] for row in second.panel.rows] == ["9", "9"]
    assert last.title == "In all" and [row.cells[0] for row in last.panel.rows] == ["14", "14"]


def test_each_seat_sees_what_it_may(game: Game) -> None:
    cards = [[row.cells[1] for row in game.view(seat).summary(looks(game, seat)[0]).panel.rows] for seat in (0, 1)]
    assert cards == [["4", "?"], ["?", "4"]]
    assert all(entry.look is None for seat in (0, 1) for entry in game.view(seat).log)


def test_what_was_won_since_the_phase_began_is_summed_up_by_rule(game: Game) -> None:
    first, second, last = [game.view(1).summary(entry) for entry in looks(game, 1)]
    told = [(one.seat, one.words, one.cause.title) for one in first.changes]
    assert told == [(seat, *gain) for seat in (0, 1) for gain in (("+2 coins", "Market"), ("+1 pearl", "gift"))]
    assert [one.words for one in second.changes] == [one.words for one in first.changes]
    whole = [one.words for one in last.changes if one.seat == 0]
    assert whole == ["+14 coins", "+2 pearls"]


def test_what_took_part_is_told_with_its_cause(game: Game) -> None:
    terms = game.view(0).summary(looks(game, 0)[0]).terms
    assert [(term.seat, term.quantity, term.amount, term.cause.title) for term in terms if term.amount == 2] == [
        (0, "luck", 2, "luck"), (1, "luck", 2, "luck")
    ]  # fmt: skip


def test_a_panel_that_is_looked_at_does_not_lie_on_the_table(game: Game) -> None:
    assert [panel.name for panel in game.view(0).panels()] == ["always"]


def test_another_entry_is_no_moment_to_look(game: Game) -> None:
    with pytest.raises(GameError, match="not a moment to look"):
        game.view(0).summary(game.view(0).log[0])


def test_a_program_with_moments_is_read_back(rules: Rules) -> None:
    assert from_json(rules.program.to_json()) == rules.program


def test_a_panel_that_does_not_exist_is_told(tmp_path: Path) -> None:
    wrong = RULES.replace("look at takings", "look at taking")
    write(tmp_path, {"sample/module.yaml": manifest("sample", "game"), "sample/rules.edict": wrong})
    (found,) = read(str(tmp_path / "sample")).diagnostics
    assert found.title == "no panel is called `taking`" and "takings" in found.help


def test_looks_without_end_are_stopped_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for each of them counts for the length of the log, as words do."""
    monkeypatch.setattr(log, "LONGEST_LOG", 20_000)
    endless = RULES.replace("  look at takings\n", "  repeat 300 times\n    look at takings\n")
    write(tmp_path, {"sample/module.yaml": manifest("sample", "game"), "sample/rules.edict": endless})
    game = load_rules(tmp_path / "sample").new_game(["Ann", "Ben"], seed=1)
    with pytest.raises(RulesError, match="log"):
        len(game.log)


def test_kingsburg_looks_at_battles_years_and_the_end() -> None:
    game = load_rules("kingsburg").new_game(["Ann", "Ben", "Cleo"], seed=5)
    while not game.over:
        game.answer(game.count - 1)
    titles = [entry.text for entry in looks(game, 0)]
    assert titles.count("The Battle") == 5 and titles.count("The Year") == 4 and titles[-1] == "The Final Scoring"
    view = game.view(0)
    gains = [one for one in view.summary(looks(game, 0)[-1]).changes if one.name == "point"]
    scores = game.scores()
    for seat, name in enumerate(game.players):
        assert sum(one.amount for one in gains if one.seat == seat) == scores[name]
    assert all(one.cause.title for one in gains)
