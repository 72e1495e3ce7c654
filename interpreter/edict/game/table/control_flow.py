"""The machine's code as a graph: where the ways of a jump meet again, and which cells will still be read.

What computing has left behind stands in cells that nothing reads any more: a card that was dealt in secret is still in
the cell of the name it was drawn as, when everybody has long been asked something else. The machine never looks there
again, but whoever is handed the state could.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import instructions
from edict.runtime.program.same import Same

TARGETS = {op: 1 + o.OPERANDS[op].split().index("t") for op in range(o.JMP, o.LOOPN + 1)}
OUT = -1  # where a routine comes back
WRITTEN_TOO = {
    o.NEXT: (1, 2),
    o.LOOP: (1, 2),
    o.NTH: (1,),
    o.LOOPN: (1,),
    o.BEST: (1, 2),
    o.TAKEN: (3,),
}
"""Operands that an instruction writes though `OPERANDS` does not say so, by place."""
OFFERING = frozenset((o.OFFER, o.OFFERS, o.WAYS))
COUNTING = frozenset((o.ENTER, o.LEAVE))  # how deep in each phase: afterwards as before
MORE_THAN_COMPUTING = frozenset(
    (
        o.SET,
        o.STX,
        o.STXX,
        o.PUTX,
        o.TERM,
        o.ENTER,
        o.LEAVE,
        o.SAY,
        o.ASK,
        o.ASKC,
        o.SAVE,
        o.RESTORE,
        o.OVER,
        o.FAULT,
    )
)


@lru_cache(maxsize=4096)
def immediate_postdominator(program: Program, jump: int) -> int:
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
    seen, row, written = {jump, immediate_postdominator(program, jump), OUT}, [jump], set[int]()
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


def called_from(program: Program, back: int) -> int:
    """The place of the call that comes back here; -1 if there is none."""
    for op in (o.CALL, o.CALLX):
        at = back - o.SIZE[op]
        if 0 <= at < instructions(program)[0] and at in instructions(program)[1] and program.code[at] == op:
            return at
    return -1


# --- liveness: what will still be read ------------------------------------------------------------------

# Operands that an instruction reads though `OPERANDS` does not say so, by place.
READ_TOO = {
    o.NTH: (2,),
    o.LOOPN: (2,),
    o.PUSHO: (1,),
    o.DADD: (1,),
    o.WAYS: (1,),
    o.BEST: (1, 2),
}
SOMETIMES = frozenset((o.NEXT, o.LOOP, o.NTH, o.LOOPN, o.BEST))  # they write, or do not
ROWS_READ = frozenset((o.LDX, o.LDXX, o.JLTX, o.JINX, o.JOUTX, o.SORT))  # rows of the state, not of the code


@dataclass(frozen=True, slots=True)
class TouchedCells:
    """The cells an instruction reads, and those it always writes, as sets of bits; the cell a row begins with that it
    reads, or -1."""

    reads: int
    always: int
    row: int


def clear_dead_cells(program: Program, state: list[int]) -> None:
    """Empty every cell of a state in which something is asked that no rule will read any more."""
    needed, constants = _live_cells(program, state), set(program.constants)
    for cell in range(program.working, program.stack):
        if not needed >> cell & 1 and cell not in constants:
            state[cell] = 0
    for cell in (*range(o.FIRST_OPTION + state[o.OPTIONS], program.header), *range(state[o.SP], len(state))):
        state[cell] = 0
    state[o.ANSWER] = state[o.SCRATCH] = 0


def _live_cells(program: Program, state: Sequence[int]) -> int:
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


def _touched(program: Program, at: int) -> TouchedCells:
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
    return TouchedCells(reads, 0 if op in SOMETIMES else writes, row)
