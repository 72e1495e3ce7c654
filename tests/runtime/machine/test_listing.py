"""Places of instructions, which exclude the tables whatever numbers these contain."""

from __future__ import annotations

from edict.runtime.program.opcodes import SIZE
from edict.runtime.simulation.counters import build_counting_plan, iter_instructions
from helpers import compile_program

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


def test_tables_are_not_taken_for_instructions() -> None:
    """Count a game with tables; a study once failed because it took table entries for instructions."""
    for count in range(1, 12):
        made = compile_program(LARGE + "\n".join(f"quantity q{i} is {i}" for i in range(count)) + "\n")
        assert all(len(operands) == SIZE[op] - 1 for _, op, operands in iter_instructions(made))
        assert build_counting_plan(made, 2)
