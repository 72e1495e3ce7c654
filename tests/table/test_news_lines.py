"""The news in brief: what is gained or lost bit by bit is told as one amount."""

from __future__ import annotations

import pytest

from edict.program import Cause
from edict.table.log_entries import GAIN, Entry, news_lines
from edict.table.wording import Amount

CAUSE = Cause("market", "Market", "rules.edict", 3, 1)


def entry(verb: str, number: int, one: str = "wood", many: str = "wood", seat: int = 0, hidden: bool = False) -> Entry:
    amount = Amount(number, one, many)
    text = f"{('Ann', 'Ben')[seat]} {verb} {amount}"
    whole = Entry(GAIN, text, CAUSE, "Turn", seat, frozenset((seat,)) if hidden else None, "Ann: unseen", amount=amount)
    seen = whole.seen_by(1 - seat) if hidden else whole
    assert seen is not None
    return seen


@pytest.mark.parametrize(("entries", "text"), [
    ([entry("gains", 1), entry("gains", 1)], "Ann gains 2 wood"),
    ([entry("gains", 1, "coin", "coins"), entry("gains", 1), entry("gains", 2, "coin", "coins")],
     "Ann gains 3 coins, 1 wood"),
    ([entry("loses", 1), entry("gains", 1), entry("gains", 2)], "Ann loses 1 wood and gains 3 wood"),
    ([entry("gains", 1), entry("loses", 1), entry("gains", 1)],
     "Ann gains 1 wood and loses 1 wood and gains 1 wood"),
])  # fmt: skip
def test_what_comes_bit_by_bit_is_one_amount(entries: list[Entry], text: str) -> None:
    assert [line.text for line in news_lines(entries, ("Ann", "Ben"))] == [text]


def test_each_player_has_a_line() -> None:
    lines = news_lines([entry("gains", 1), entry("gains", 1, seat=1)], ("Ann", "Ben"))
    assert [line.text for line in lines] == ["Ann gains 1 wood", "Ben gains 1 wood"]


def test_what_is_hidden_is_not_added_up() -> None:
    assert entry("gains", 1, hidden=True).amount is None
