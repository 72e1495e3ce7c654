"""Asks the rules to compute something (a score, a cell of a panel) without playing on."""

from __future__ import annotations

from collections.abc import MutableSequence

from edict.machine.loop import run
from edict.program import Program
from edict.program.cells import value_at
from edict.program.opcodes import LOGGING, OPTIONS, PC, RETURNED, RUNNING, SP, SPENT, STACK, STATUS
from edict.table.faults import fault


def compute(program: Program, state: list[int], number: int, *args: int) -> int:
    """The value of query `number` for these arguments in a state, which stays as it is.

    Raises `RulesError` if the rules run into a fault.
    """
    scratch = state.copy()
    if attempt(program, scratch, number, *args) is None:
        raise fault(program, scratch)
    query = program.queries[number]
    return value_at(query.type, scratch, query.result)


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
    return value_at(query.type, scratch, query.result)


Masked = tuple[list[int], list[int] | None]
"""A state in which what a seat may not know reads as nothing, and one in which it reads otherwise, if there is such."""


def known_value(program: Program, states: Masked, query: int, *args: int) -> int | None:
    """A query's value if it is the same however the hidden values are masked."""
    values = [attempt(program, state.copy(), query, *args) for state in states if state is not None]
    return values[0] if len(set(values)) == 1 else None


__all__ = ["Masked", "attempt", "compute", "known_value"]
