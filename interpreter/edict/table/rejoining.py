"""The machine's code as a graph: where the ways of a jump meet again, and what is computed until they do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from edict.program import Program
from edict.program import opcodes as o

TARGETS = {op: 1 + o.OPERANDS[op].split().index("t") for op in range(o.JMP, o.LOOPN + 1)}
OUT = -1  # where a routine comes back
WRITTEN_TOO = {
    o.NEXT: (1, 2), o.LOOP: (1, 2), o.NTH: (1,), o.LOOPN: (1,), o.BEST: (1, 2), o.TAKEN: (3,),
}  # fmt: skip
"""Operands that an instruction writes though `OPERANDS` does not say so, by place."""
OFFERING = frozenset((o.OFFER, o.OFFERS, o.WAYS))
COUNTING = frozenset((o.ENTER, o.LEAVE))  # how deep in each phase: afterwards as before
MORE_THAN_COMPUTING = frozenset((
    o.SET, o.STX, o.STXX, o.PUTX, o.TERM, o.ENTER, o.LEAVE, o.SAY, o.ASK, o.ASKC, o.SAVE, o.RESTORE,
    o.OVER, o.FAULT,
))  # fmt: skip


@lru_cache(maxsize=4096)
def rejoining(program: Program, jump: int) -> int:
    """The first place to which every way from a jump leads within its routine; -1 if that is only the routine's end."""
    code = program.code
    for place in _way_out(code, jump):
        if not _leads_out(code, jump, without=place):
            return place
    return OUT


@dataclass(frozen=True, slots=True)
class Between:
    """What may be done from a jump to where its ways meet again, whichever is taken: the cells that are written by
    computing, and whether more is done than that."""

    cells: frozenset[int]
    more: bool


@lru_cache(maxsize=4096)
def between(program: Program, jump: int) -> Between:
    """What is done from a jump on, in what is called there too."""
    code, more = program.code, False
    seen, row, written = {jump, rejoining(program, jump), OUT}, [jump], set[int]()
    for at in row:
        op = code[at]
        more |= op in MORE_THAN_COMPUTING
        if op not in COUNTING:
            letters = enumerate(o.OPERANDS[op].split(), 1)
            written |= {code[at + place] for place, letter in letters if letter == "d"}
        written |= {code[at + place] for place in WRITTEN_TOO.get(op, ())}
        written |= {o.OPTIONS} if op in OFFERING else set()
        new = [following for following in (*ways_on(code, at), *called(program, at)) if following not in seen]
        seen.update(new)
        row += new
    return Between(frozenset(written), more)


def called(program: Program, at: int) -> Iterator[int]:
    """Where the routines begin that an instruction may call."""
    code = program.code
    if code[at] == o.CALL:
        yield code[at + 1]
    elif code[at] == o.CALLX:
        base = code[at + 1]
        size = next((size for first, size in program.tables if first <= base < first + size), len(code) - base)
        yield from code[base : base + size]


def ways_on(code: tuple[int, ...], at: int) -> tuple[int, ...]:
    """Where execution continues within the routine; a call comes back, and a fault leads nowhere."""
    op = code[at]
    if op in (o.RET, o.OVER):
        return (OUT,)
    if op == o.FAULT:
        return ()
    if op == o.JMP:
        return (code[at + 1],)
    following = at + o.SIZE[op]
    return (following, code[at + TARGETS[op]]) if op in TARGETS else (following,)


def _way_out(code: tuple[int, ...], start: int) -> Iterator[int]:
    """The places on a shortest way to the end of the routine, the start and the end left out."""
    came, row = {start: start}, [start]
    for at in row:
        for following in ways_on(code, at):
            if following not in came:
                came[following] = at
                row.append(following) if following != OUT else None
    way, at = [], came.get(OUT, start)
    while at != start:
        way.append(at)
        at = came[at]
    return reversed(way)


def _leads_out(code: tuple[int, ...], start: int, without: int) -> bool:
    """Whether there is a way to the end of the routine that does not pass a place."""
    seen, row = {start, without}, [start]
    while row:
        for following in ways_on(code, row.pop()):
            if following == OUT:
                return True
            if following not in seen:
                seen.add(following)
                row.append(following)
    return False


__all__ = ["OUT", "WRITTEN_TOO", "Between", "between", "called", "rejoining", "ways_on"]
