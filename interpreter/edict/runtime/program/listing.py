"""Where a program's instructions stand."""

from __future__ import annotations

from functools import lru_cache

from edict.runtime.program import Program
from edict.runtime.program import opcodes as o

TABLES = {o.TAB: 2, o.TABX: 2, o.SIFT: 3, o.INSIDE: 3, o.REACH: 6, o.WAYS: 6, o.CALLX: 1}  # which operand is a table


@lru_cache(maxsize=8)
def instructions(program: Program) -> tuple[int, frozenset[int]]:
    """Where the instructions end and the tables begin, and where each instruction begins."""
    code, faces = program.code, program.initial[o.FACES]
    end, at, found = faces if faces > 0 else len(code), 0, set()
    while at < end and 0 <= code[at] < len(o.SIZE):  # what is no operation is a table that none of them names
        op = code[at]
        found.add(at)
        if op in TABLES:
            end = min(end, code[at + TABLES[op]])
        at += o.SIZE[op]
    return min(end, at), frozenset(one for one in found if one < end)
