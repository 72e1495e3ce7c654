"""Where a program's instructions stand: the tables behind them are none, whatever their numbers look like."""

from __future__ import annotations

from edict.runtime.program.opcodes import SIZE
from edict.runtime.simulation.counters import instructions, plan_for
from helpers import program

CARDS = "\n".join(f"card c{i}\n  size {i + 1}" for i in range(40))
LARGE = f"""
kind card
  size number from 1 to 60
{CARDS}
keep thrown as dice, quiet
quantity spread of player is count of (cards where some cards has (some cards has (size of it + coin of player > 300)))
quantity more of player is sum of (spread of player) over cards

display all "All"
  each player
  column "More" sum of (more of player) over cards

amend game trial
  score coin of you
"""


def test_a_game_with_tables_can_be_counted() -> None:
    """A study broke off: the numbers of a table were taken for operations, and the last of them was cut short."""
    for count in range(1, 12):
        made = program(LARGE + "\n".join(f"quantity q{i} is {i}" for i in range(count)) + "\n")
        assert all(len(operands) == SIZE[op] - 1 for _, op, operands in instructions(made))
        assert plan_for(made, 2)
