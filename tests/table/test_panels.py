"""Panels: what lies on the table, in which order, and while which condition holds."""

from __future__ import annotations

from edict.table.game import Game
from edict.table.rules import Rules
from edict.table.view_data import view_data
from helpers import program, steps

# --- secrets of which everybody sees how many they hold ---------------------------------------------------

HELD = """
kind card "card/cards"
card ace "Ace"
card king "King"
card queen "Queen"
card jack "Jack"
keep hand of player as set of card, secret but counted
keep deck as set of card starting at cards, secret but counted
keep purse of player as set of card, secret

display seats "Players"
  each player
  column "Hand" hand of player
  column "Purse" purse of player

display piles "Piles"
  line "Deck:", deck

phase trial-run
  draw 2 cards from deck into hand of you
  draw a card from deck into purse of you
  choose a number from 1 to 3 as stop-here
"""


def test_others_see_how_many_there_are_where_everybody_may_know_that() -> None:
    game = Rules(program(HELD), "trial").new_game(["Ann", "Ben"], seed=1)
    own, others = rows(game, "seats", 0), rows(game, "seats", 1)
    assert " and " in own[0][1][0] and others[0][1] == ("2 cards", "?")
    assert own[1][1] == others[1][1] == ("none", "none")
    assert rows(game, "piles", 1) == [("", ("Deck: 1 card",))]


def test_programs_are_told_the_number_too() -> None:
    game = Rules(program(HELD), "trial").new_game(["Ann", "Ben"], seed=1)
    (hand,), (purse,) = next(one for one in view_data(game, 1).panels if one.name == "seats").rows[0].pieces
    assert hand.value == {"hidden": True, "count": 2} and purse.value == {"hidden": True}


# --- over what is counted: the resources of a group, and bags -------------------------------------------

COUNTED = """
resource ruby "ruby/rubies" limited to 7
resource opal "opal/opals" limited to 4
resource jade "jade/jades"
group jewel "jewel/jewels" is ruby, opal
keep price of jewel as number from 0 to 9 starting at 3

kind tile "tile/tiles"
tile red "Red"
tile blue "Blue"
tile gold "Gold"
keep sack as bag of tile starting at 2 of each tile
keep pouch of player as bag of tile, secret

display mine "Mine"
  each jewel
  column "Left" jewel left
  column "Price" price of jewel

display dear "Dear"
  each jewel if jewel left > 4
  column "Left" jewel left

display bags "Bags"
  line "Sack:", sack

display seats "Players"
  each player
  column "Pouch" pouch of player
  column "Tiles" count of pouch of player

phase trial-run
  gain 3 ruby
  each player
    add red to pouch of you
    add (red, gold) to pouch of you
    set pouch of you to pouch of you
  announce you, "sees", sack
  remove 2 of each tile from sack
  add 2 of each tile to sack
  choose a number from 1 to 3 as stop-here
"""


def rows(game: Game, panel: str, seat: int = 0) -> list[tuple[str, tuple[str, ...]]]:
    found = next(one for one in game.view(seat).panels() if one.name == panel)
    return [(row.title, row.cells) for row in found.rows]


def counted() -> Game:
    return Rules(program(COUNTED), "trial").new_game(["Ann", "Ben"], seed=1)


def test_a_panel_goes_over_the_resources_of_a_group() -> None:
    assert rows(counted(), "mine") == [("ruby", ("4", "3")), ("opal", ("4", "3"))]


def test_or_over_some_of_them() -> None:
    assert rows(counted(), "dear") == []


def test_a_bag_is_shown_with_how_many_there_are() -> None:
    game = counted()
    assert rows(game, "bags") == [("", ("Sack: 2× Red, 2× Blue and 2× Gold",))]
    assert any(entry.text == "Ann sees 2× Red, 2× Blue and 2× Gold" for entry in game.view(0).log)


def test_a_secret_bag_is_shown_to_its_owner() -> None:
    assert rows(counted(), "seats", 1) == [("Ann", ("?", "?")), ("Ben", ("2× Red and Gold", "3"))]


# --- while a condition holds ----------------------------------------------------------------------------

CONDITIONS = """
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


def conditional() -> Game:
    return Rules(program(CONDITIONS), "trial").new_game(["Ann", "Ben"], seed=1)


def cells(game: Game, panel: str, seat: int = 0) -> list[tuple[str, ...]]:
    found = next(one for one in game.view(seat).panels() if one.name == panel)
    return [row.cells for row in found.rows]


def above(game: Game) -> tuple[str, ...]:
    return next(one for one in game.view(0).panels() if one.name == "seats").above


def test_a_line_is_shown_only_while_its_condition_holds() -> None:
    game = conditional()
    assert ("Day 0",) not in cells(game, "status") and above(game) == ("Before the first day",)
    game.answer(game.ask.options[1])
    assert ("Day 2",) in cells(game, "status") and above(game) == ()


def test_a_cell_of_a_column_is_empty_where_its_condition_fails() -> None:
    game = conditional()
    assert [row[0] for row in cells(game, "seats")] == ["", ""]
    game.answer(game.ask.options[1])
    assert sorted(row[0] for row in cells(game, "seats")) == ["", "2"]


def test_whoever_may_not_know_whether_it_holds_is_shown_nothing() -> None:
    game = conditional()
    owner = [row for row in cells(game, "seats", 0) if row[1]]
    assert owner == [("", "high")] and ("Trump 0",) in cells(game, "status", 0)
    assert not [row for row in cells(game, "seats", 1) if row[1]] and ("Trump 0",) not in cells(game, "status", 1)


# --- as things stand in a set or an order ---------------------------------------------------------------

HOUSES = """
kind house "house"
house mill "Mill"
house yard "Yard"
house hall "Hall"
keep street as order of house
keep built as set of house

display street-view "The street"
  each house in street
  column "Place" position of house in street

display sold "Sold"
  each house in built if house is not hall
  column "Place" position of house in street

phase trial-run
"""
ROWS = ("add hall to street", "add mill to street", "add (hall, yard) to built")


def test_rows_stand_as_in_the_order_and_those_of_a_set_as_in_their_kind() -> None:
    text = HOUSES.partition("phase trial-run")[0] + steps(*ROWS, "choose a number from 1 to 3 as stop-here")
    game = Rules(program(text), "trial").new_game(["Ann", "Ben"], seed=1)
    street, sold = game.view(0).panels()
    assert [(row.title, row.cells) for row in street.rows] == [("Hall", ("1",)), ("Mill", ("2",))]
    assert [(row.title, row.cells) for row in sold.rows] == [("Yard", ("0",))]
