"""Growth of the work of a check, which is in proportion to the rules for every construct."""

from __future__ import annotations

import pytest
from inputs import ALL
from scaled_rules import RepeatedConstruct, iter_constructs, measure_growth

SHOWN = 61  # one in this many constructs is in every run
MAX_GROWTH = 2.8  # 2 is in proportion, 4 is all compared with all; sorting and tables that grow take a little more

EVERY = [*iter_constructs()]


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(
            one,
            id=one.name,
            marks=[]
            if ALL or number % SHOWN == 0
            else [pytest.mark.skip(reason="another construct stands for it: make hostile")],
        )
        for number, one in enumerate(EVERY)
    ],
)
def test_work_grows_in_proportion_to_the_rules(one: RepeatedConstruct) -> None:
    assert measure_growth(one, 12 if ALL else 4) < MAX_GROWTH


def test_every_construct_of_the_reference_is_repeated_in_every_place() -> None:
    assert {one.place for one in EVERY} == {"alone", "each", "some", "may", "effect"}
    assert len({one.row.name for one in EVERY}) > 80
