"""The machine's code as a graph: postdominators of jumps, and liveness of cells.

Computations leave values in cells that no instruction reads any more: a card dealt in secret is still in the cell of
the name it was drawn as when somebody else is asked. The machine never reads it again, but anybody who is given the
state could. Dead cells are therefore cleared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from edict.runtime.program import Program, ProgramKey
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import find_instructions
from edict.support.records import dataclass

# operand with the target, by jump
TARGET_OPERANDS = {op: 1 + o.OPERANDS[op].split().index("t") for op in range(o.JMP, o.LOOPN + 1)}
ROUTINE_END = -1  # where a routine returns
# operands that instructions write without a mark in `OPERANDS`, by place
EXTRA_WRITES = {
    o.NEXT: (1, 2),
    o.LOOP: (1, 2),
    o.NTH: (1,),
    o.LOOPN: (1,),
    o.BEST: (1, 2),
    o.TAKEN: (3,),
}
OFFER_OPS = frozenset((o.OFFER, o.OFFERS, o.WAYS))
PHASE_COUNTER_OPS = frozenset((o.ENTER, o.LEAVE))  # they count phases in progress; balanced at the end
SIDE_EFFECT_OPS = frozenset(
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
    """Return where all paths from a jump first join again; -1 if only at the end of the routine."""
    code = program.code
    for place in _shortest_path_out(code, jump):
        if not _has_path_out(code, jump, avoided=place):
            return place
    return ROUTINE_END


@dataclass(frozen=True, slots=True)
class BranchEffects:
    """The possible effects between a jump and the point where its paths join."""

    cells: frozenset[int]  # cells written by computations
    has_side_effects: bool


@lru_cache(maxsize=4096)
def find_branch_effects(program: Program, jump: int) -> BranchEffects:
    """Return the cells that code between a jump and its postdominator may write, and if it has side effects."""
    code, has_side_effects = program.code, False
    visited, queue, written = {jump, immediate_postdominator(program, jump), ROUTINE_END}, [jump], set[int]()
    for address in queue:
        op = code[address]
        has_side_effects |= op in SIDE_EFFECT_OPS
        if op not in PHASE_COUNTER_OPS:
            operands = enumerate(o.OPERANDS[op].split(), 1)
            written |= {code[address + position] for position, role in operands if role == "d"}
        written |= {code[address + position] for position in EXTRA_WRITES.get(op, ())}
        written |= {o.OPTIONS} if op in OFFER_OPS else set()
        unvisited = [
            following
            for following in (*successors(code, address), *iter_callees(program, address))
            if following not in visited
        ]
        visited.update(unvisited)
        queue += unvisited
    return BranchEffects(frozenset(written), has_side_effects)


def iter_callees(program: Program, address: int) -> Iterator[int]:
    """Iterate over the entries of the routines that an instruction may call."""
    code = program.code
    if code[address] == o.CALL:
        yield code[address + 1]
    elif code[address] == o.CALLX:
        base = code[address + 1]
        size = next((size for first, size in program.tables if first <= base < first + size), len(code) - base)
        yield from code[base : base + size]


def successors(code: tuple[int, ...], address: int) -> tuple[int, ...]:
    """Return the successors of an instruction within its routine; a call returns, a fault has none."""
    op = code[address]
    if op in (o.RET, o.OVER):
        return (ROUTINE_END,)
    if op == o.FAULT:
        return ()
    if op == o.JMP:
        return (code[address + 1],)
    following = address + o.SIZE[op]
    if op in TARGET_OPERANDS:
        return (following, code[address + TARGET_OPERANDS[op]])
    return (following,)


def _shortest_path_out(code: tuple[int, ...], start: int) -> Iterator[int]:
    """Return the addresses on a shortest path to the end of the routine, without its ends."""
    predecessors, queue = {start: start}, [start]
    for address in queue:
        for following in successors(code, address):
            if following not in predecessors:
                predecessors[following] = address
                queue.append(following) if following != ROUTINE_END else None
    path, address = [], predecessors.get(ROUTINE_END, start)
    while address != start:
        path.append(address)
        address = predecessors[address]
    return reversed(path)


def _has_path_out(code: tuple[int, ...], start: int, avoided: int) -> bool:
    """Return True if a path to the end of the routine avoids an address."""
    visited, stack = {start, avoided}, [start]
    while stack:
        for following in successors(code, stack.pop()):
            if following == ROUTINE_END:
                return True
            if following not in visited:
                visited.add(following)
                stack.append(following)
    return False


def find_call(program: Program, return_address: int) -> int:
    """Return the address of the call that returns here, or -1."""
    for op in (o.CALL, o.CALLX):
        address = return_address - o.SIZE[op]
        if (
            0 <= address < find_instructions(program)[0]
            and address in find_instructions(program)[1]
            and program.code[address] == op
        ):
            return address
    return -1


# --- liveness: what will still be read ------------------------------------------------------------------

# Operands that an instruction reads although `OPERANDS` does not say so, by position.
EXTRA_READS = {
    o.NTH: (2,),
    o.LOOPN: (2,),
    o.PUSHO: (1,),
    o.DADD: (1,),
    o.WAYS: (1,),
    o.BEST: (1, 2),
}
CONDITIONAL_WRITES = frozenset((o.NEXT, o.LOOP, o.NTH, o.LOOPN, o.BEST))  # they may leave their operand unchanged
ROW_READS = frozenset((o.LDX, o.LDXX, o.JLTX, o.JINX, o.JOUTX, o.SORT))  # they read rows of the state, not of the code


@dataclass(frozen=True, slots=True)
class CellAccess:
    """The cells that an instruction reads and writes."""

    reads: int  # set of bits
    writes: int  # cells that are always written as a set of bits
    row: int  # first cell of a row that it reads, or -1


def clear_dead_cells(program: Program, state: list[int]) -> None:
    """Set to 0 all cells that no instruction reads from here on, so that equal positions become equal states."""
    live, constants = _live_cells(program, state), set(program.constants)
    for cell in range(program.working, program.stack):
        if not live >> cell & 1 and cell not in constants:
            state[cell] = 0
    for cell in (*range(o.FIRST_OPTION + state[o.OPTIONS], program.header_size), *range(state[o.SP], len(state))):
        state[cell] = 0
    state[o.ANSWER] = state[o.SCRATCH] = 0


def _live_cells(program: Program, state: Sequence[int]) -> int:
    """Return a mask of the cells that code after this question, or after its callers, may still read."""
    live = _compute_liveness(ProgramKey(program))
    cells = live.get(state[o.PC], -1)
    for address in range(state[o.STACK], state[o.SP]):  # the stack includes return addresses
        cells |= live.get(state[address], 0)
    return cells & ~(1 << state[o.RESULT])


@lru_cache(maxsize=4)
def _compute_liveness(same: ProgramKey) -> dict[int, int]:
    """Return the cells that may be read from each instruction to the end of its routine, callees included."""
    program = same.program
    accesses = {address: _find_access(program, address) for address in sorted(find_instructions(program)[1])}
    rows = _row_cells(program, {access.row for access in accesses.values()})
    live = dict.fromkeys(accesses, 0)
    has_changed = True
    while has_changed:
        has_changed = False
        for address in reversed(accesses):
            access = accesses[address]
            live_after = 0
            for following in (*successors(program.code, address), *iter_callees(program, address)):
                live_after |= live.get(following, 0) if following != ROUTINE_END else 0
            cells = (live_after & ~access.writes) | access.reads | rows.get(access.row, 0)
            if cells != live[address]:
                live[address], has_changed = cells, True
    return live


def _row_cells(program: Program, rows: set[int]) -> dict[int, int]:
    """Return by first cell a mask of the cells up to the next row (or the stack), as indexed reads may reach them."""
    firsts = sorted(row for row in rows if row >= program.working)
    ends = [*firsts[1:], program.stack]
    return {first: (1 << end) - (1 << first) for first, end in zip(firsts, ends, strict=False)}


def _find_access(program: Program, address: int) -> CellAccess:
    """Return the cells that an instruction reads and always writes, as bit sets, and the row it reads or -1."""
    code, op = program.code, program.code[address]
    reads = writes = 0
    row = -1
    for position, role in enumerate(o.OPERANDS[op].split(), 1):
        operand = code[address + position]
        if (
            role in ("a", "b", "c", "i")
            and position not in EXTRA_WRITES.get(op, ())
            or position in EXTRA_READS.get(op, ())
        ):
            reads |= 1 << operand
        if role == "d" or position in EXTRA_WRITES.get(op, ()):
            writes |= 1 << operand
        if role == "base" and op in ROW_READS:
            row = operand
    if op in (o.NEXT, o.LOOP):
        reads |= 1 << code[address + 2]
    if op in (o.SAVE, o.RESTORE):
        cells = ((1 << code[address + 2]) - 1) << code[address + 1]
        reads, writes = (cells, 0) if op == o.SAVE else (0, cells)
    return CellAccess(reads, 0 if op in CONDITIONAL_WRITES else writes, row)
