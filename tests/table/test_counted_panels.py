"""Panels over what is counted: the resources of a group, and bags."""

from __future__ import annotations

from helpers import program

from edict.table.game import Game
from edict.table.rules import Rules

RULES = """
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


def start() -> Game:
    return Rules(program(RULES), "trial").new_game(["Ann", "Ben"], seed=1)


def test_a_panel_goes_over_the_resources_of_a_group() -> None:
    assert rows(start(), "mine") == [("ruby", ("4", "3")), ("opal", ("4", "3"))]


def test_or_over_some_of_them() -> None:
    assert rows(start(), "dear") == []


def test_a_bag_is_shown_with_how_many_there_are() -> None:
    game = start()
    assert rows(game, "bags") == [("", ("Sack: 2× Red, 2× Blue and 2× Gold",))]
    assert any(entry.text == "Ann sees 2× Red, 2× Blue and 2× Gold" for entry in game.view(0).log)


def test_a_secret_bag_is_shown_to_its_owner() -> None:
    assert rows(start(), "seats", 1) == [("Ann", ("?", "?")), ("Ben", ("2× Red and Gold", "3"))]
