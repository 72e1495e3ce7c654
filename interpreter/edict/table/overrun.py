"""A number beyond its range: which keep it was, how far it goes, and what it would have held; and dice not there."""

from __future__ import annotations

from collections.abc import Sequence

from edict.program import Program, Variable
from edict.program import opcodes as o
from edict.program.listing import instructions
from edict.table.addresses import Layout

NEAR = 12  # instructions after the test within which the number is put somewhere
PUT = {o.SET: 2, o.STX: 3, o.STXX: 5, o.PUTX: 3, o.MOV: 2}  # where they say what they put


def overrun(program: Program, state: Sequence[int]) -> tuple[str, str] | None:
    """What went wrong in a state that is out of range, and what to do; nothing if that cannot be told."""
    pc, code = state[o.PC], program.code
    if code[pc] == o.DTAKE:
        return "dice were to be taken away that are not there", (
            "take away only what lies there: choose it there first, or check with `if`"
        )
    if code[pc] != o.RANGE:
        return None
    value, low, high = (state[code[pc + i]] for i in (1, 2, 3))
    kept = _put_into(program, pc)
    if kept is None:
        return f"a number from {low:,} to {high:,} is needed here, and this is {value:,}", (
            f"check first, with `if`, that it is from {low:,} to {high:,}"
        )
    least, most = min(low, value), max(high, value)
    of = f" of {' by '.join(kept.kinds)}" if kept.kinds else ""
    wider = f"keep {kept.name}{of} as number from {least} to {most}"
    return f"`{kept.name}` would become {value:,}, and it goes from {low:,} to {high:,}", (
        f"declare `{wider}` or wider, or check with `if` before it changes"
    )


def _put_into(program: Program, pc: int) -> Variable | None:
    """The keep into which a number is put right after it was tested."""
    code, end, starts = program.code, *instructions(program)
    at, seen = pc + o.SIZE[o.RANGE], 0
    while at < end and at in starts and seen < NEAR:
        op = code[at]
        if op in PUT and code[at + PUT[op]] == code[pc + 1]:
            found = Layout.of(program).cells.get(code[at + 1])
            if found is not None:
                return found.variable
        at, seen = at + o.SIZE[op], seen + 1
    return None
