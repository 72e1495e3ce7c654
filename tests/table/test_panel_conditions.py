"""Lines of a panel and cells of a column that are shown only while a condition holds."""

from __future__ import annotations

from helpers import program

from edict.table.game import Game
from edict.table.rules import Rules

RULES = """
keep day as number from 0 to 9
keep score-of of player as number from 0 to 9
keep trump of player as number from 0 to 9, secret

display status "Status"
  line "Always"
  line "Day", day if day > 0
  line "Trump", day if trump of first of everyone > 0

display seats "Seats"
  line "Before the first day" if day = 0
  each player
  column "Score" score-of of player if score-of of player > 0
  column "Trump" "high" if trump of player > 5

phase trial-run
  if you is first of everyone
    set trump of you to 8
  choose a number from 1 to 3 as pause
  set day to pause
  add 2 to score-of of you
  choose a number from 1 to 3 as stop-here
"""


def start() -> Game:
    return Rules(program(RULES), "trial").new_game(["Ann", "Ben"], seed=1)


def cells(game: Game, panel: str, seat: int = 0) -> list[tuple[str, ...]]:
    found = next(one for one in game.view(seat).panels() if one.name == panel)
    return [row.cells for row in found.rows]


def above(game: Game) -> tuple[str, ...]:
    return next(one for one in game.view(0).panels() if one.name == "seats").above


def test_a_line_is_shown_only_while_its_condition_holds() -> None:
    game = start()
    assert ("Day 0",) not in cells(game, "status") and above(game) == ("Before the first day",)
    game.answer(game.ask.options[1])
    assert ("Day 2",) in cells(game, "status") and above(game) == ()


def test_a_cell_of_a_column_is_empty_where_its_condition_fails() -> None:
    game = start()
    assert [row[0] for row in cells(game, "seats")] == ["", ""]
    game.answer(game.ask.options[1])
    assert sorted(row[0] for row in cells(game, "seats")) == ["", "2"]


def test_whoever_may_not_know_whether_it_holds_is_shown_nothing() -> None:
    game = start()
    owner = [row for row in cells(game, "seats", 0) if row[1]]
    assert owner == [("", "high")] and ("Trump 0",) in cells(game, "status", 0)
    assert not [row for row in cells(game, "seats", 1) if row[1]] and ("Trump 0",) not in cells(game, "status", 1)
