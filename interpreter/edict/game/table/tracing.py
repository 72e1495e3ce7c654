"""Where a number comes from, and who may know it: a step of a game played once more, noting what each cell was made of.

The machine's loop is the one that always plays. It is given a state and a code that look on: which cells an
instruction reads before it writes. So nothing is noted, and nothing costs time, until somebody asks.

With each value goes who may know it: those who may know all it was made of, and all that decided whether it was made.
What a decision decides ends where its two ways meet again (`immediate_postdominator`); what of it outlasts a step is
its `Taint`, which is handed on from step to step. Most steps touch nothing hidden, which is soon seen; only the others
are played with everything noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

from edict.game.table.addresses import Layout, choices_in
from edict.game.table.control_flow import between, called_from, immediate_postdominator
from edict.game.table.game_steps import Step, Table, advance, chain_of, rebuilt
from edict.game.table.knowledge import Secrets, enter_code, has_secrets
from edict.runtime.machine.encoding import secret_cells
from edict.runtime.machine.loop import run
from edict.runtime.machine.observed_code import ObservedCode
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import instructions
from edict.runtime.program.opcodes import ANSWER, LOGGING

COPIES = (o.SET, o.LDX, o.LDXX, o.STX, o.STXX, o.PUTX)  # what they write is the last value they read of those
MOVES = (o.MOV, o.MOV2)
INDEXES = {o.LDX: 1, o.LDXX: 2, o.STX: 1, o.STXX: 2, o.PUTX: 1}  # how many indexes they read before it
WRITES_BY_INDEX = (o.STX, o.STXX, o.PUTX)
JUMPS = range(o.JZ, o.LOOPN + 1)
NOBODY = 0
BETWEEN = -2  # no place in the code: an answer is taken in
LEFT_BEHIND = frozenset((o.PC, o.SPENT, o.STATUS))  # written when the machine leaves, by no instruction

Masks = frozenset[int]
"""Sets of seats: somebody may know something if they are in all of them."""
OPEN: Masks = frozenset()


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that hung on something not everybody knows: what it decides ends at `end` in the call at `depth`."""

    depth: int
    end: int
    known: Masks


@dataclass(frozen=True, slots=True)
class Taint:
    """What a step leaves to the next: decisions still in force, and names that stand for what not everybody knows."""

    decisions: tuple[Decision, ...] = ()
    cells: tuple[tuple[int, Masks], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.decisions or self.cells)


CLEAN = Taint()


@dataclass(eq=False, slots=True)
class TracedValue:
    """A value and how it was made, by the instruction at `pc`.

    sort: cell (read from the variable at `cell`; `parts` then hold what was last put there, if that was seen), sum
    (of `parts`, those in `minus` taken away), or plain. `known`: who may know it.
    """

    value: int
    sort: str
    pc: int
    known: Masks
    parts: tuple[TracedValue, ...] = ()
    minus: bool = False  # whether the second part is taken away
    cell: int = -1


@dataclass(frozen=True, slots=True)
class Noted:
    """An event as it was seen: where, by which calls it came about, what was written or said, and into which cell.

    `decided` is who knows why it came about at all: those who know what the decisions hung on in whose ways it lies.
    `forced`: of a choice among a single option, who knows what there was to choose from.
    """

    kind: int
    pc: int
    calls: tuple[int, ...]
    made: TracedValue | None
    cell: int
    decided: Masks
    forced: Masks | None = None


@dataclass(frozen=True, slots=True)
class SecretWritten:
    """A secret, or who knows it, written into the cell `at` after so many events; `known` is who may know the value.

    It is written in every world that looks the same, also where it changes nothing and so is no event.
    """

    place: int
    at: int
    value: int
    known: Masks


class _Code(ObservedCode):
    """The program's code; tells the tape which instruction begins."""

    def __init__(self, tape: _Tape, code: Sequence[int], end: int) -> None:
        super().__init__(code)
        self._tape, self._end = tape, end

    def __getitem__(self, at: Any) -> Any:
        tape = self._tape
        if at < self._end and not tape.pc < at < tape.next:
            op = self.code[at]
            tape.begin(at, op, at + o.SIZE[op])
        return self.code[at]


class _Log(list[int]):
    """The log the machine writes; an event is complete when its length is written."""

    def __init__(self, tape: _Tape, room: int) -> None:
        super().__init__([0] * room)
        self._tape = tape

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, value)
        if at == 0 and value:
            self._tape.event(self[value - o.EVENT_SIZE + 1], self[value - o.EVENT_SIZE + 2])


@dataclass
class _Now:
    """What the instruction being carried out has read."""

    op: int = -1
    made: list[TracedValue] = field(default_factory=list)


class _Tape(list[int]):
    """A state that remembers what its cells were made of."""

    def __init__(self, cells: Sequence[int], program: Program, layout: Layout, taint: Taint = CLEAN) -> None:
        super().__init__(cells)
        self.program, self.layout = program, layout
        self.pc, self.next = BETWEEN, BETWEEN
        self.now = _Now()
        self.made = {at: TracedValue(cells[at], "plain", -1, known) for at, known in taint.cells}
        self.decisions = taint.decisions
        self.decided: Masks = _together(taint.decisions)
        self.ever = self.decided
        self.hung: list[tuple[int, Masks]] = [(0, self.decided)] if self.decided else []
        self.put: list[SecretWritten] = []
        self.looked: set[int] = set()  # who knew what was read, where not everybody did
        self.events: list[Noted] = []
        self.last: TracedValue | None = None
        self.target = -1

    # --- what the machine does

    def begin(self, pc: int, op: int, following: int) -> None:
        self.pc, self.next = pc, following
        self.now = _Now(op)
        if self.decisions:
            depth = self._peek(o.SP)
            left = tuple(d for d in self.decisions if d.depth < depth or d.depth == depth and d.end != pc)
            if len(left) < len(self.decisions):
                self.decisions, self.decided = left, _together(left)

    def __getitem__(self, at: Any) -> Any:
        value = super().__getitem__(at)
        if isinstance(at, int):
            made = self._read(at, value)
            self.now.made.append(made)
            if made.known and at != o.OPTIONS and (self.now.op in JUMPS or self.now.op == o.CALLX):
                self._decide(made.known)
        return value

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, value)
        if isinstance(at, int) and at not in LEFT_BEHIND:
            self.last = self.made[at] = self._written(value) if at != o.OPTIONS or value else self._none_offered()
            self.target = at
            self._noticed(at, self.last)

    def resumed(self) -> None:
        """An answer is about to be taken in: it is known to everybody, unless it is a secret."""
        if self._peek(o.STATUS) != o.ASKING:
            return
        seat, asked = self._peek(o.SEAT), self.program.questions[self._peek(o.QUESTION)]
        known = frozenset([1 << seat if seat >= 0 else NOBODY]) if asked.secret else OPEN
        self.looked |= known
        for at in (o.OPTIONS, *range(o.FIRST_OPTION, self.program.header)):
            self.made.pop(at, None)
        at = o.FIRST_OPTION + self._peek(o.ANSWER)
        self.made[at] = TracedValue(self._peek(at), "plain", -1, known)

    def _peek(self, at: int) -> int:
        """What a cell holds, without its having been read."""
        value: int = super().__getitem__(at)
        return value

    # --- what is made of it

    def _decide(self, known: Masks) -> None:
        depth = self._peek(o.SP)
        if self.now.op == o.CALLX:
            decision = Decision(depth + 1, -1, known)
        else:
            decision = Decision(depth, immediate_postdominator(self.program, self.pc), known)
        if decision not in self.decisions:
            self.ever |= known
            self.decisions = (*self.decisions, decision)
            self.decided = _together(self.decisions)
            self._either_way(known)

    def _either_way(self, known: Masks) -> None:
        """What a decision may lead to, whichever way it goes: values made of it, or more than values."""
        done = between(self.program, self.pc)
        if done.more or any(cell in self.layout.cells for cell in done.cells):
            self._hangs(known)
        for cell in done.cells.difference(self.layout.cells, self.layout.watched):
            one = self.made.get(cell, TracedValue(self._peek(cell), "plain", -1, OPEN))
            self.made[cell] = replace(one, known=one.known | known)

    def _read(self, at: int, value: int) -> TracedValue:
        before = self.made.get(at)
        if at not in self.layout.cells:
            own = at < o.FIRST_OPTION and at not in (o.YOU, o.OPTIONS)  # the machine's, open to all
            own = own or at in self.layout.watched
            return TracedValue(value, "plain", -1, OPEN) if own or before is None else before
        known = self._known(at)
        if known is None:
            known = before.known if before else OPEN
        self.looked |= known
        return TracedValue(value, "cell", self.pc, known, (before,) if before else (), cell=at)

    def _known(self, at: int) -> Masks | None:
        """Who knows the value of a secret now; nothing if it is not a secret."""
        cell = self.layout.cells[at]
        if cell.known < 0:
            return None
        mask, everyone = self._peek(cell.known), self._peek(o.EVERYONE)
        return OPEN if mask & everyone == everyone else frozenset((mask,))

    def _written(self, value: int) -> TracedValue:
        op, read = self.now.op, self.now.made
        known = self.decided.union(*(one.known for one in read))
        if op in MOVES and read:
            return self._copied(read[-1], read[-1].known | self.decided)
        if op in COPIES:
            return self._copied(read[INDEXES.get(op, 0)], known)
        if op in (o.MIN, o.MAX) and len(read) > 1:
            return self._copied(next((one for one in read if one.value == value), read[0]), known)
        if op in (o.ADD, o.SUB) and len(read) > 1:
            parts = tuple(self._here(one) for one in read[:2])
            return TracedValue(value, "sum", self.pc, known, parts, minus=op == o.SUB)
        return TracedValue(value, "plain", self.pc, known)

    def _copied(self, one: TracedValue, known: Masks) -> TracedValue:
        one = self._here(one)
        return (
            one
            if known <= one.known
            else TracedValue(one.value, one.sort, one.pc, one.known | known, one.parts, one.minus, one.cell)
        )

    def _here(self, one: TracedValue) -> TracedValue:
        """A constant belongs to the rule that uses it."""
        return one if one.pc >= 0 else TracedValue(one.value, one.sort, self.pc, one.known)

    def _none_offered(self) -> TracedValue:
        return TracedValue(0, "plain", self.pc, self.decided)

    def _noticed(self, at: int, made: TracedValue) -> None:
        """A cell was written: whoever sees what is there sees what it hangs on, and at which of several cells."""
        cell = self.layout.cells.get(at)
        secret = at in self.layout.watched or cell is not None and cell.known >= 0
        if cell is not None or secret:
            for index in self.now.made[: INDEXES[self.now.op] if self.now.op in WRITES_BY_INDEX else 0]:
                self._hangs(index.known)
        if secret:
            self.put.append(SecretWritten(len(self.events), at, made.value, made.known))
        if at in self.layout.watched or at == o.WINNERS or cell is not None and not secret:
            self._hangs(made.known)
        elif at == o.SEAT:
            self._hangs(self.now.made[0].known)  # which of all that the question reads says who is asked

    def _hangs(self, known: Masks) -> None:
        """What happens from here on could be seen to hang on something, or be chosen by it."""
        if known:
            self.hung.append((len(self.events), known))

    def event(self, kind: int, pc: int) -> None:
        made, cell = (self.last, self.target) if kind == o.EV_SET else (None, -1)
        if kind == o.EV_SAY and self.now.made:
            made = self._here(self.now.made[0])
            self._hangs(made.known)
        forced = self.offered() if kind == o.EV_CHOICE and self.now.op in (o.ASK, o.ASKC) else None
        self.events.append(Noted(kind, pc, self._calls(), made, cell, self.decided, forced))

    def _calls(self) -> tuple[int, ...]:
        """The calls that have not come back yet, the outermost first; saved cells between them are left out."""
        stack = super().__getitem__(slice(self.program.stack, super().__getitem__(o.SP)))
        return tuple(found for back in stack if (found := called_from(self.program, back)) >= 0)

    def chosen(self) -> Masks:
        return self.ever | self.offered()

    def offered(self) -> Masks:
        """Who knows why there are just these options."""
        options = (o.OPTIONS, *range(o.FIRST_OPTION, o.FIRST_OPTION + self._peek(o.OPTIONS)))
        return OPEN.union(*(self.made[at].known for at in options if at in self.made))

    def left(self) -> Taint:
        """What is left to the next step. Variables need no mention: they say by themselves who knows them."""
        names = ((at, one.known) for at, one in self.made.items() if at >= self.program.header or at == o.YOU)
        said = (*self.layout.cells, *self.layout.watched)
        return Taint(self.decisions, tuple((at, known) for at, known in names if known and at not in said))


def _together(decisions: Sequence[Decision]) -> Masks:
    return OPEN.union(*(one.known for one in decisions))


@dataclass(frozen=True, slots=True)
class Trace:
    """A step played once more: its events in the same order, each with what it was made of, and what it leaves.

    `chosen`: who knows what was looked at in choosing what to do, among that what is offered next; `offered`: who
    knows why just that is offered. `hung`: after how many events something was decided, or could be seen, that hung on
    what not everybody knows, and who knows it.
    """

    events: tuple[Noted, ...]
    left: Taint
    chosen: Masks
    offered: Masks
    hung: tuple[tuple[int, Masks], ...]
    put: tuple[SecretWritten, ...]


def traced(table: Table, step: Step, taint: Taint = CLEAN) -> Trace:
    """A step of a game; `taint` is what the step before left to it."""
    state, draws = before(table, step)
    state[o.LOGGING] = 1
    tape = _Tape(state, table.program, table.layout, taint)
    code = _Code(tape, table.program.code, instructions(table.program)[0])

    def play(_: Sequence[int], state: Any, buffer: Any) -> int:
        tape.begin(BETWEEN, BETWEEN, BETWEEN)
        tape.resumed()
        status = run(code, state, log := _Log(tape, len(buffer)))
        buffer[: log[0] + 1] = log[: log[0] + 1]
        return status

    advance(table, tape, draws, play)
    return Trace(tuple(tape.events), tape.left(), tape.chosen(), tape.offered(), tuple(tape.hung), tuple(tape.put))


def before(table: Table, step: Step) -> tuple[list[int], int]:
    """The state in which a step began, its answer given, and how many draws went before."""
    if step.before is None:
        return table.first_state(), 0
    state = list(rebuilt(table, step.before))
    state[o.ANSWER] = step.index
    return state, step.before.draws


def measured(
    program: Program, layout: Layout, state: Sequence[int], query: int, args: Sequence[int]
) -> tuple[TracedValue | None, Masks]:
    """Return the value of a query and what it was made of (None for a fault), and who knew what was read for it."""
    asked = program.queries[query]
    tape = _Tape(state, program, layout)
    for cell, value in zip(asked.params, args, strict=False):
        list.__setitem__(tape, cell, value)
    enter_code(program, tape, asked.entry)
    returned = run(_Code(tape, program.code, instructions(program)[0]), tape, [0]) == o.RETURNED
    return tape.made.get(asked.result) if returned else None, frozenset(tape.looked)


# --- from step to step ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StepTaint:
    """A step: the taint it began with and the one it left, and whether nothing in it hung on anything hidden."""

    begun: Taint
    left: Taint
    clean: bool


_known: WeakKeyDictionary[Step, StepTaint] = WeakKeyDictionary()


def taints(table: Table, last: Step) -> tuple[StepTaint, ...]:
    """All steps of a game up to this one; what was found once is kept as long as the steps are."""
    chain = chain_of(last)
    if not has_secrets(table.program):
        return (StepTaint(CLEAN, CLEAN, True),) * len(chain)
    first = next((i for i in range(len(chain), 0, -1) if chain[i - 1] in _known), 0)
    if first == len(chain):
        return tuple(_known[step] for step in chain)
    state = _Glancing(rebuilt(table, chain[first - 1]) if first else table.first_state(), table)
    state[LOGGING] = 0
    left, draws = (_known[chain[first - 1]].left, chain[first - 1].draws) if first else (CLEAN, 0)
    for step in chain[first:]:
        state.seen = False
        if step.before is not None:
            state[ANSWER] = step.index
        _, draws, _ = advance(table, state, draws)
        clean = not (left or state.seen or holds_secret(table, step))
        after = CLEAN if clean else traced(table, step, left).left
        _known[step] = StepTaint(left, after, clean)
        left = after
    return tuple(_known[step] for step in chain)


def may_know(masks: Iterable[int], seat: int) -> bool:
    """Whether a seat is in all of these sets."""
    return all(mask >> seat & 1 for mask in masks)


def unknown_to(taint: Taint, seat: int) -> list[int]:
    """The cells of names that stand for what a seat may not know."""
    return [cell for cell, masks in taint.cells if not may_know(masks, seat)]


def hidden_cells(table: Table, last: Step, state: list[int], seat: int) -> frozenset[int]:
    """All cells that a seat may not know in the state after a step: of variables, and of names."""
    names = unknown_to(taints(table, last)[-1].left, seat)
    return frozenset((*Secrets.of(table.program).hidden(state, seat), *names))


class _Glancing(list[int]):
    """A state in which it is noted whether anything was read that not everybody knows."""

    def __init__(self, cells: Sequence[int], table: Table) -> None:
        super().__init__(cells)
        self.known = {cell: known for cell, known, _ in secret_cells(table.program)}
        self.seen = False

    def __getitem__(self, at: Any) -> Any:
        value = super().__getitem__(at)
        if isinstance(at, int) and at in self.known:
            everyone = super().__getitem__(o.EVERYONE)
            self.seen |= super().__getitem__(self.known[at]) & everyone != everyone
        return value


def holds_secret(table: Table, step: Step) -> bool:
    """Whether a secret was drawn or answered in it."""
    questions = table.program.questions
    return any(questions[number].secret for number, _, _ in choices_in(step.events))
