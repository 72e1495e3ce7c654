"""Things that are joined make a set, in steps, fields and terms alike; numbers are added."""

from __future__ import annotations

import pytest
from helpers import does, errors, steps

from edict.report import RulesError

FIELDS = """
kind foe "foe/foes"
  pals set of foe, optional
  years set of number, optional
  both is pals of foe + foe
foe orc
  pals troll + ghost
  years (1, 5, 61)
foe troll
  pals orc + ghost - ghost
foe ghost
  pals foes - (orc + ghost)
keep hunted as set of foe starting at orc + troll
keep friend of player as player or none
value strong "the strong ones" is troll + ghost
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("count of (orc + troll)", 2), ("count of (orc + orc)", 1), ("count of (orc + (troll + ghost))", 3),
        ("count of (pals of orc)", 2), ("count of (pals of troll)", 1), ("count of (both of ghost)", 2),
        ("count of (orc + ghost - strong)", 1), ("count of hunted", 2), ("count of (you + left of you)", 2),
        ("count of (you + friend of you)", 1), ("sum of it over years of orc", 67), ("count of (years of ghost)", 0),
    ],
)  # fmt: skip
def test_what_is_joined_is_a_set(value: str, expected: int) -> None:
    assert does(f"gain {value} coin", rules=FIELDS).value("coin", 0) == expected


@pytest.mark.parametrize("value", ["orc + 1", "coin + stick", "1 + orc"])
def test_a_thing_and_a_number_are_not_joined(value: str) -> None:
    found = errors(FIELDS + steps(f"let x = {value}", "gain x coin"))
    assert found[0].code == "E0401" and "a number" in found[0].title


def test_a_number_that_no_set_has_room_for() -> None:
    with pytest.raises(RulesError) as found:
        does("gain count of (years of orc) coin", rules=FIELDS.replace("(1, 5, 61)", "(1, 5, 62)"))
    (one,) = found.value.diagnostics
    assert one.code == "E0514" and "61" in f"{one.title} {one.help}"
