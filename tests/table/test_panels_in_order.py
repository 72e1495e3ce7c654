"""A panel shows the things of a set or an order, as they stand there."""

from __future__ import annotations

from helpers import program, steps

from edict.table.rules import Rules

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
