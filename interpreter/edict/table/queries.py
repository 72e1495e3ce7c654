"""Asks the rules to compute something (a score, a cell of a panel) without playing on."""

from __future__ import annotations

from collections.abc import MutableSequence

from edict.machine.loop import run
from edict.program import Program
from edict.program.opcodes import LOGGING, OPTIONS, PC, RETURNED, RUNNING, SP, SPENT, STACK, STATUS
from edict.table.faults import fault


def compute(program: Program, state: list[int], number: int, *args: int) -> int:
    """The value of query `number` for these arguments in a state, which stays as it is.

    Raises `RulesError` if the rules run into a fault.
    """
    scratch = state.copy()
    if attempt(program, scratch, number, *args) is None:
        raise fault(program, scratch)
    return scratch[program.queries[number].result]


def attempt(program: Program, scratch: MutableSequence[int], number: int, *args: int) -> int | None:
    """The same in a state that may be written on; None if the rules run into a fault."""
    query = program.queries[number]
    for cell, value in zip(query.params, args, strict=False):
        scratch[cell] = value
    scratch[PC] = query.entry
    scratch[SP] = scratch[STACK] = program.stack
    scratch[LOGGING] = 0
    scratch[OPTIONS] = scratch[SPENT] = 0
    scratch[STATUS] = RUNNING
    if run(program.code, scratch, [0]) != RETURNED:
        return None
    return scratch[query.result]


__all__ = ["attempt", "compute"]
