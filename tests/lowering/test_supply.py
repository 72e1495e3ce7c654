"""Resources that can run out: what nobody has is left."""

from __future__ import annotations

import pytest
from helpers import does, errors, said, steps

from edict.program.opcodes import EV_SAY

RULES = """
resource ruby "ruby/rubies" limited to 5
resource opal "opal/opals" limited to count of everyone
resource jade "jade/jades"
group jewel "jewel/jewels" is ruby, opal
group stone "stone/stones" is ruby, jade
keep bag-of as number
"""

STEPS = [
    ("gain 3 ruby", 3), ("gain 9 ruby", 5), ("gain 2 ruby\ngain 4 ruby and 1 jade", 5),
    ("each player as other\n  for other\n    gain 2 ruby", 2), ("gain 5 ruby\nlose 2 ruby\ngain 9 ruby", 5),
    ("gain 9 of each jewel", 5), ("let one = ruby\ngain 7 one", 5), ("gain rubies left ruby", 5),
    ("gain 2 ruby\ngive 2 ruby to left of you\ngain 9 ruby", 3),
]  # fmt: skip


@pytest.mark.parametrize("steps, wanted", STEPS)
def test_nobody_gains_more_than_there_is(steps: str, wanted: int) -> None:
    assert does(steps, rules=RULES).value("ruby", 0) == wanted


def test_the_last_one_to_gain_gets_what_is_left() -> None:
    run = does("each player\n  gain 3 ruby\n  gain 1 opal", rules=RULES)
    assert [run.value("ruby", seat) for seat in range(2)] == [3, 2]
    assert [run.value("opal", seat) for seat in range(2)] == [1, 1]


VALUES = [("rubies left", 3), ("opal left", 2), ("jewels left", 5), ("count of everyone + ruby left", 5)]


@pytest.mark.parametrize("value, wanted", VALUES)
def test_what_is_left_is_a_number(value: str, wanted: int) -> None:
    run = does(f"for left of you\n  gain 2 ruby\nset bag-of to {value}", rules=RULES)
    assert run.value("bag-of") == wanted


def test_what_is_left_of_whatever_a_loop_goes_through() -> None:
    assert does("each jewel as one\n  add one left to bag-of", rules=RULES).value("bag-of") == 7


def test_of_a_group_only_what_is_left_can_be_chosen() -> None:
    run = does("for left of you\n  gain 5 ruby\ngain 1 stone\ngain 3 jewel", rules=RULES)
    assert run.over and (run.value("jade", 0), run.value("opal", 0)) == (1, 2)


def test_what_is_all_gone_is_not_offered() -> None:
    steps = "for left of you\n  gain 5 ruby\ngain 1 ruby or 2 opal or 1 jade"
    assert does(steps, rules=RULES).options == ["2 opals", "1 jade"]


def test_with_nothing_left_of_either_nothing_happens() -> None:
    run = does("for left of you\n  gain 5 of each jewel\ngain 1 ruby or 2 opal\ngain 1 coin", rules=RULES)
    assert run.over and run.value("coin", 0) == 1


@pytest.mark.parametrize("amount, told", [(5, 0), (6, 3)])
def test_everybody_is_told_that_it_was_too_much(amount: int, told: int) -> None:
    assert len(does(f"gain {amount} ruby", rules=RULES).events(EV_SAY)) == told


def test_what_never_runs_out_has_no_supply() -> None:
    assert said("phase other\n  each player\n    gain jade left coin\n" + RULES) == [("E0540", "jade")]
    assert said("phase other\n  each player\n    gain stones left coin\n" + RULES) == [("E0540", "stones")]


def test_a_limit_is_nobodys() -> None:
    assert ("E0530", "you") in said("resource gold limited to coin of you\n")


def test_a_limit_does_not_depend_on_what_it_limits() -> None:
    rules = "resource gold limited to gold left + 1\n"
    assert [one.code for one in errors(rules + steps("gain 1 gold"))] == ["E0601"]
