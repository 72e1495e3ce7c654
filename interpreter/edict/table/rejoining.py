"""The machine's code as a graph: where the ways of a jump meet again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from edict.program import Program
from edict.program import opcodes as o

TARGETS = {op: 1 + o.OPERANDS[op].split().index("t") for op in range(o.JMP, o.LOOPN + 1)}
OUT = -1  # where a routine comes back


@lru_cache(maxsize=4096)
def rejoining(program: Program, jump: int) -> int:
    """The first place to which every way from a jump leads within its routine; -1 if that is only the routine's end."""
    code = program.code
    for place in _way_out(code, jump):
        if not _leads_out(code, jump, without=place):
            return place
    return OUT


def _following(code: tuple[int, ...], at: int) -> tuple[int, ...]:
    """Where it goes on within the routine; a call comes back, and a fault leads nowhere."""
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
        for following in _following(code, at):
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
        for following in _following(code, row.pop()):
            if following == OUT:
                return True
            if following not in seen:
                seen.add(following)
                row.append(following)
    return False


__all__ = ["OUT", "rejoining"]
