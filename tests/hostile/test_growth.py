"""The work of a check is in proportion to the rules, whatever construct they are made of."""

from __future__ import annotations

import pytest
from growth import Grown, grown, measure_growth
from inputs import ALL

SHOWN = 61  # of so many constructs one is in every run
MOST = 2.8  # 2 is in proportion, 4 is all compared with all; sorting and tables that grow take a little more

EVERY = [*grown()]


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, id=one.name, marks=[] if ALL or number % SHOWN == 0 else [
            pytest.mark.skip(reason="another construct stands for it: make hostile")])
        for number, one in enumerate(EVERY)
    ],
)  # fmt: skip
def test_work_grows_in_proportion_to_the_rules(one: Grown) -> None:
    assert measure_growth(one, 12 if ALL else 4) < MOST


def test_every_construct_of_the_game_of_the_reference_is_grown_in_every_place() -> None:
    assert {one.place for one in EVERY} == {"alone", "each", "some", "may", "effect"}
    assert len({one.row.name for one in EVERY}) > 80
