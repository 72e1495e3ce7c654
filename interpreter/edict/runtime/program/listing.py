"""The places of a program's instructions."""

from __future__ import annotations

from functools import lru_cache

from edict.runtime.program import Program
from edict.runtime.program import opcodes as o

# by opcode: the operand that is a table
TABLES = {o.TAB: 2, o.TABX: 2, o.SIFT: 3, o.INSIDE: 3, o.REACH: 6, o.WAYS: 6, o.CALLX: 1}


@lru_cache(maxsize=8)
def find_instructions(program: Program) -> tuple[int, frozenset[int]]:
    """Return the end of the instructions, where the tables begin, and the place of each instruction."""
    code, faces = program.code, program.initial[o.FACES]
    end, at, places = faces if faces > 0 else len(code), 0, set()
    while at < end and 0 <= code[at] < len(o.SIZE):  # anything else is a table that no instruction names
        op = code[at]
        places.add(at)
        if op in TABLES:
            end = min(end, code[at + TABLES[op]])
        at += o.SIZE[op]
    return min(end, at), frozenset(place for place in places if place < end)
