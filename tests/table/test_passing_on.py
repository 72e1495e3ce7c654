"""Whose pile lies before whom, once hands were passed on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from helpers import program, steps

from edict.program import Program
from edict.program.opcodes import EV_SET
from edict.table.evidence import Hands, Piles, passed

RULES = """
kind card
card ash
card elm
card fir
card oak
keep hand of player as {shape} of card, secret
keep tray of player as {shape} of card, secret
keep laid of player as {shape} of card
"""


class Table:
    """Cards lie in hands, and are moved one by one; what happens is written down as the machine does."""

    def __init__(self, shape: str, hands: Sequence[str]) -> None:
        self.program: Program = program(RULES.format(shape=shape) + steps("nothing"))
        self.cells = list(map(int, self.program.initial))
        self.cards = [thing.name for thing in self.program.kind_by_name["card"].things]
        self.events: list[int] = []
        for seat, cards in enumerate(hands):
            for card in cards.split():
                self._change("hand", seat, card, 1)
        self.before = dict(enumerate(self.cells))
        self.events.clear()

    def move(self, card: str, source: tuple[str, int], place: tuple[str, int]) -> None:
        self._change(*source, card, -1)
        self._change(*place, card, 1)

    def all(self, cards: str, source: tuple[str, int], place: tuple[str, int]) -> None:
        for card in cards.split():
            self.move(card, source, place)

    def _change(self, keep: str, seat: int, card: str, by: int) -> None:
        variable, thing = self.program.variable_by_name[keep], self.cards.index(card)
        at = variable.base + (seat * len(self.cards) + thing if variable.counts else seat)
        old = self.cells[at]
        self.cells[at] = old + by if variable.counts else old ^ 1 << thing
        self.events += [EV_SET, 0, at, old, self.cells[at]]

    def passed(self) -> dict[str, dict[int, int]]:
        return passed(Hands(self.program), self.before, self.events)


shapes = pytest.mark.parametrize("shape", ["set", "bag"])


@shapes
def test_hands_that_go_round_through_another_place(shape: str) -> None:
    table = Table(shape, ["ash elm", "fir", "oak"])
    for seat, cards in enumerate(("ash elm", "fir", "oak")):
        table.all(cards, ("hand", seat), ("tray", (seat + 1) % 3))
    for seat, cards in enumerate(("oak", "ash elm", "fir")):
        table.all(cards, ("tray", seat), ("hand", seat))
    assert table.passed() == {"card": {0: 2, 1: 0, 2: 1}}


@shapes
def test_what_is_laid_down_meanwhile_does_not_count(shape: str) -> None:
    table = Table(shape, ["ash elm", "fir oak"])
    table.move("ash", ("hand", 0), ("laid", 0))
    table.move("oak", ("hand", 1), ("laid", 1))
    table.move("elm", ("hand", 0), ("tray", 1))
    table.move("fir", ("hand", 1), ("hand", 0))
    table.move("elm", ("tray", 1), ("hand", 1))
    assert table.passed() == {"card": {0: 1, 1: 0}}


@shapes
@pytest.mark.parametrize("card", ["ash", "elm"])
def test_a_part_of_a_hand_is_no_pile_whichever_part_it_is(shape: str, card: str) -> None:
    table = Table(shape, ["ash elm", "fir oak"])
    table.move(card, ("hand", 0), ("hand", 1))
    table.move("fir", ("hand", 1), ("hand", 0))
    assert table.passed() == {}


def test_piles_are_followed_from_hand_to_hand() -> None:
    piles = Piles(program(RULES.format(shape="bag") + steps("nothing")))
    piles.pass_on("card", 3, {0: 1, 1: 0})
    piles.pass_on("card", 8, {0: 2, 1: 0, 2: 1})
    assert [[piles.pile("card", seat, at) for seat in range(3)] for at in (3, 4, 8, 9)] == [
        [0, 1, 2], [1, 0, 2], [1, 0, 2], [2, 1, 0],
    ]  # fmt: skip
