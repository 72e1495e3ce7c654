"""What computing has left behind in a state: cells that nothing reads any more.

A card that was dealt in secret still stands in the cell of the name it was drawn as, when everybody has long been asked
something else. The machine never looks there again, but whoever is handed the state could.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from edict.program import Program
from edict.program import opcodes as o
from edict.program.listing import instructions
from edict.program.same import Same
from edict.table.rejoining import OUT, WRITTEN_TOO, called, ways_on

# Operands that an instruction reads though `OPERANDS` does not say so, by place.
READ_TOO = {
    o.NTH: (2,), o.LOOPN: (2,), o.PUSHO: (1,), o.DADD: (1,), o.WAYS: (1,), o.BEST: (1, 2),
}  # fmt: skip
SOMETIMES = frozenset((o.NEXT, o.LOOP, o.NTH, o.LOOPN, o.BEST))  # they write, or do not
ROWS_READ = frozenset((o.LDX, o.LDXX, o.JLTX, o.JINX, o.JOUTX, o.SORT))  # rows of the state, not of the code


@dataclass(frozen=True, slots=True)
class Touched:
    """The cells an instruction reads, and those it always writes, as sets of bits; the cell a row begins with that it
    reads, or -1."""

    reads: int
    always: int
    row: int


def handed(program: Program, state: list[int], seat: int) -> None:
    """Make a state such as may be handed to a seat that knows all its variables: with nothing left in it of what went
    before, of how much work that was, and of what others may choose from."""
    if state[o.SEAT] not in (seat, o.CHANCE):
        state[o.OPTIONS] = 0
    swept(program, state)
    state[o.SPENT] = state[o.TOTAL] = 0


def swept(program: Program, state: list[int]) -> None:
    """Empty every cell of a state in which something is asked that no rule will read any more."""
    needed, constants = _needed(program, state), set(program.constants)
    for cell in range(program.working, program.stack):
        if not needed >> cell & 1 and cell not in constants:
            state[cell] = 0
    for cell in (*range(o.FIRST_OPTION + state[o.OPTIONS], program.header), *range(state[o.SP], len(state))):
        state[cell] = 0
    state[o.ANSWER] = state[o.SCRATCH] = 0


def _needed(program: Program, state: Sequence[int]) -> int:
    """The cells that may still be read, as a set of bits, where a question is asked."""
    live = _live(Same(program))
    found = live.get(state[o.PC], -1)
    for at in range(state[o.STACK], state[o.SP]):  # among what is there are the places to which calls come back
        found |= live.get(state[at], 0)
    return found & ~(1 << state[o.RESULT])


@lru_cache(maxsize=4)
def _live(same: Same) -> dict[int, int]:
    """What may be read from each instruction on, what is called included, up to where its routine comes back."""
    program = same.program
    touched = {at: _touched(program, at) for at in sorted(instructions(program)[1])}
    rows = _rows(program, {now.row for now in touched.values()})
    live = dict.fromkeys(touched, 0)
    grown = True
    while grown:
        grown = False
        for at in reversed(touched):
            now = touched[at]
            after = 0
            for following in (*ways_on(program.code, at), *called(program, at)):
                after |= live.get(following, 0) if following != OUT else 0
            found = (after & ~now.always) | now.reads | rows.get(now.row, 0)
            if found != live[at]:
                live[at], grown = found, True
    return live


def _rows(program: Program, begun: set[int]) -> dict[int, int]:
    """The cells of each row that computing uses, as a set of bits: up to where the next one begins, at most."""
    firsts = sorted(row for row in begun if row >= program.working)
    ends = [*firsts[1:], program.stack]
    return {first: (1 << end) - (1 << first) for first, end in zip(firsts, ends, strict=False)}


def _touched(program: Program, at: int) -> Touched:
    code, op = program.code, program.code[at]
    reads = writes = 0
    row = -1
    for place, letter in enumerate(o.OPERANDS[op].split(), 1):
        operand = code[at + place]
        if letter in ("a", "b", "c", "i") and place not in WRITTEN_TOO.get(op, ()) or place in READ_TOO.get(op, ()):
            reads |= 1 << operand
        if letter == "d" or place in WRITTEN_TOO.get(op, ()):
            writes |= 1 << operand
        if letter == "base" and op in ROWS_READ:
            row = operand
    if op in (o.NEXT, o.LOOP):
        reads |= 1 << code[at + 2]
    if op in (o.SAVE, o.RESTORE):
        cells = ((1 << code[at + 2]) - 1) << code[at + 1]
        reads, writes = (cells, 0) if op == o.SAVE else (0, cells)
    return Touched(reads, 0 if op in SOMETIMES else writes, row)


__all__ = ["handed", "swept"]
