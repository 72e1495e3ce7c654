"""Where a number comes from: a step of a game played once more, noting what each cell was made of.

The machine's loop is the one that always plays. It is given a state and a code that look on: which cells an
instruction reads before it writes. So nothing is noted, and nothing costs time, until somebody asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from edict.machine.loop import run
from edict.program import Program
from edict.program import opcodes as o
from edict.program.listing import instructions
from edict.table.layout import Layout
from edict.table.steps import LOG_EVENTS, Step, Table, advance, rebuilt

COPIES = (o.SET, o.LDX, o.LDXX, o.STX, o.STXX, o.PUTX)  # what they write is the last value they read of those
MOVES = (o.MOV, o.MOV2)
INDEXES = {o.LDX: 1, o.LDXX: 2, o.STX: 1, o.STXX: 2, o.PUTX: 1}  # how many indexes they read before it
JUMPS = range(o.JZ, o.LOOPN + 1)

Masks = frozenset[int]
"""Sets of seats: somebody may know something if they are in all of them."""


@dataclass(eq=False, slots=True)
class Made:
    """A value and how it was made, by the instruction at `pc`.

    sort: cell (read from the variable at `cell`; `parts` then hold what was last put there, if that was seen), sum
    (of `parts`, those in `minus` taken away), or plain. `known`: who may know it. `since`: when the making began.
    """

    value: int
    sort: str
    pc: int
    since: int
    known: Masks
    parts: tuple[Made, ...] = ()
    minus: bool = False  # whether the second part is taken away
    cell: int = -1


@dataclass(frozen=True, slots=True)
class Noted:
    """An event as it was seen: where, by which calls it came about, what was written or said, and into which cell.

    `jumps` are the decisions so far that hung on something not everyone knows: when, and who knew it.
    """

    kind: int
    pc: int
    calls: tuple[int, ...]
    made: Made | None
    cell: int
    jumps: tuple[tuple[int, Masks], ...]


class _Code(Sequence[int]):
    """The program's code; tells the tape which instruction begins."""

    def __init__(self, tape: _Tape, code: Sequence[int], end: int) -> None:
        self._tape, self._code, self._end = tape, code, end

    def __getitem__(self, at: Any) -> Any:
        tape = self._tape
        if at < self._end and not tape.pc < at < tape.next:
            op = self._code[at]
            tape.begin(at, op, at + o.SIZE[op])
        return self._code[at]

    def __len__(self) -> int:
        return len(self._code)


class _Log(list[int]):
    """The log the machine writes; an event is complete when its length is written."""

    def __init__(self, tape: _Tape) -> None:
        super().__init__([0] * (1 + o.EVENT_SIZE * LOG_EVENTS))
        self._tape = tape

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, value)
        if at == 0 and value:
            self._tape.event(self[value - o.EVENT_SIZE + 1], self[value - o.EVENT_SIZE + 2])


@dataclass
class _Now:
    """What the instruction being carried out has read."""

    op: int = -1
    made: list[Made] = field(default_factory=list)


class _Tape(list[int]):
    """A state that remembers what its cells were made of."""

    def __init__(self, cells: Sequence[int], program: Program, layout: Layout) -> None:
        super().__init__(cells)
        self.program, self.layout = program, layout
        self.pc, self.next, self.time = -1, -1, 0
        self.now = _Now()
        self.made: dict[int, Made] = {}
        self.jumps: list[tuple[int, Masks]] = []
        self.events: list[Noted] = []
        self.last: Made | None = None
        self.target = -1

    # --- what the machine does

    def begin(self, pc: int, op: int, following: int) -> None:
        self.pc, self.next = pc, following
        self.time += 1
        self.now = _Now(op)

    def __getitem__(self, at: Any) -> Any:
        value = super().__getitem__(at)
        if isinstance(at, int):
            made = self._read(at, value)
            self.now.made.append(made)
            if self.now.op in JUMPS and made.known:
                self.jumps.append((self.time, made.known))
        return value

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, value)
        if isinstance(at, int):
            self.last = self.made[at] = self._written(value)
            self.target = at

    # --- what is made of it

    def _read(self, at: int, value: int) -> Made:
        before = self.made.get(at)
        if at not in self.layout.cells:
            return before or Made(value, "plain", -1, self.time, frozenset())
        known = self._known(at) | (before.known if before else frozenset())
        return Made(value, "cell", self.pc, self.time, known, (before,) if before else (), cell=at)

    def _known(self, at: int) -> Masks:
        """Who knows the value of a variable now, if not everybody does."""
        cell = self.layout.cells[at]
        mask = super().__getitem__(cell.known) if cell.known >= 0 else -1
        everyone = super().__getitem__(o.EVERYONE)
        return frozenset() if mask & everyone == everyone else frozenset((mask,))

    def _written(self, value: int) -> Made:
        op, read = self.now.op, self.now.made
        known = frozenset(mask for one in read for mask in one.known)
        since = min((one.since for one in read), default=self.time)
        if op in MOVES and read:
            return self._copied(read[-1], read[-1].known)
        if op in COPIES and len(read) > INDEXES.get(op, 0):
            return self._copied(read[INDEXES.get(op, 0)], known)
        if op in (o.MIN, o.MAX) and len(read) > 1:
            return self._copied(next((one for one in read if one.value == value), read[0]), known)
        if op in (o.ADD, o.SUB) and len(read) > 1:
            parts = tuple(self._here(one) for one in read[:2])
            return Made(value, "sum", self.pc, since, known, parts, minus=op == o.SUB)
        return Made(value, "plain", self.pc, since, known)

    def _copied(self, one: Made, known: Masks) -> Made:
        one = self._here(one)
        return one if known <= one.known else Made(
            one.value, one.sort, one.pc, one.since, one.known | known, one.parts, one.minus, one.cell
        )  # fmt: skip

    def _here(self, one: Made) -> Made:
        """A constant belongs to the rule that uses it."""
        return one if one.pc >= 0 else Made(one.value, one.sort, self.pc, self.time, one.known)

    def event(self, kind: int, pc: int) -> None:
        made, cell = (self.last, self.target) if kind == o.EV_SET else (None, -1)
        if kind == o.EV_SAY and self.now.made:
            made = self._here(self.now.made[0])
        self.events.append(Noted(kind, pc, self._calls(), made, cell, tuple(self.jumps)))

    def _calls(self) -> tuple[int, ...]:
        """The calls that have not come back yet, the outermost first; saved cells between them are left out."""
        stack = super().__getitem__(slice(self.program.stack, super().__getitem__(o.SP)))
        return tuple(found for back in stack if (found := called_from(self.program, back)) >= 0)


def called_from(program: Program, back: int) -> int:
    """The place of the call that comes back here; -1 if there is none."""
    for op in (o.CALL, o.CALLX):
        at = back - o.SIZE[op]
        if 0 <= at < instructions(program)[0] and at in instructions(program)[1] and program.code[at] == op:
            return at
    return -1


def traced(table: Table, step: Step) -> tuple[Noted, ...]:
    """The events of a step, in the same order, each with what it was made of."""
    if step.before is None:
        state, draws = table.first_state(), 0
    else:
        state, draws = list(rebuilt(table, step.before)), step.before.draws
        state[o.ANSWER] = step.index
    state[o.LOGGING] = 1
    return _played(table, _Tape(state, table.program, table.layout), draws)


def _played(table: Table, tape: _Tape, draws: int) -> tuple[Noted, ...]:
    code = _Code(tape, table.program.code, instructions(table.program)[0])

    def play(_: Sequence[int], state: Any, buffer: Any) -> int:
        tape.begin(-1, -1, -1)
        status = run(code, state, log := _Log(tape))
        buffer[: log[0] + 1] = log[: log[0] + 1]
        return status

    advance(table, tape, draws, play)
    return tuple(tape.events)


def measured(program: Program, layout: Layout, state: Sequence[int], query: int, args: Sequence[int]) -> Made | None:
    """The value of a query and what it was made of; None if it cannot be worked out."""
    asked = program.queries[query]
    tape = _Tape(state, program, layout)
    for cell, value in zip(asked.params, args, strict=False):
        list.__setitem__(tape, cell, value)
    tape[o.PC], tape[o.LOGGING], tape[o.OPTIONS], tape[o.STATUS] = asked.entry, 0, 0, o.RUNNING
    tape[o.SP] = tape[o.STACK] = program.stack
    tape[o.SPENT] = 0
    if run(_Code(tape, program.code, instructions(program)[0]), tape, [0]) != o.RETURNED:
        return None
    made = tape.made.get(asked.result)
    if made is not None:
        made.known |= frozenset(mask for _, known in tape.jumps for mask in known)
    return made


__all__ = ["Made", "Noted", "measured", "traced"]
