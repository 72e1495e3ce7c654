"""Why something cannot be paid: the one resource of which there is too little, with what it costs and what one has."""

from __future__ import annotations

from edict.cli.playing import why_lookup
from edict.cli.playing.screen import Screen
from edict.cli.playing.session import Session
from edict.table.rules import Rules
from helpers import program, steps

MARKET = """
kind house
  cost amounts
house hut "Hut"
  cost 1 stick
house fort "Fort"
  cost 2 stick, 3 brick
quantity price of house for player in stuff is cost of house in stuff
action build "Build"
  choose a house as what "Which house?"
  rule rich
    require can pay price of what for you{joker}
    because "it is too expensive"
  then
    nothing
"""


def told(joker: str, about: str) -> str:
    rules = Rules(program(MARKET.format(joker=joker) + steps("gain 2 stick and 1 brick", "may do build")), "trial")
    game = rules.new_game(["Ann", "Ben"], seed=1)
    asking = Session(game, Screen(game.players, colour=False, simple=True), {})
    asking.holder = game.seat
    return "\n".join(one.words for one in why_lookup.answer(asking, about))


def test_only_what_is_lacking_is_told() -> None:
    text = told("", "not fort")
    assert "needed: can pay price of Fort for you\n" in text
    assert "price of Fort for you in brick is 3, you have 1 brick" in text and "stick is" not in text


def test_what_it_costs_is_told_and_not_what_it_does_not_cost() -> None:
    text = told("", "hut")
    assert "price of Hut for you in stick is 1, you have 2 stick" in text and "brick" not in text


def test_jokers_that_are_missing_are_told() -> None:
    assert "what is missing is 2, you have no coins" in told(" with coin for what is missing", "not fort")
