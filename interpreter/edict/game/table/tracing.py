"""Provenance of values and who may know them, found by replaying a step while recording the inputs of each cell.

The machine's ordinary loop runs on a state and code that observe reads and writes. So nothing is recorded, and nothing
costs time, until somebody asks.

Each value carries who may know it: those who may know all of its inputs and all decisions on its way. A decision's
influence ends where its branches join (`immediate_postdominator`); what outlasts a step is its `Taint`, passed from
step to step. Most steps touch nothing hidden, which is quickly seen; only the others are replayed with everything
recorded.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Any
from weakref import WeakKeyDictionary

from edict.game.table.addresses import StateLayout, iter_choices
from edict.game.table.control_flow import find_branch_effects, find_call, immediate_postdominator
from edict.game.table.game_steps import GameStep, GameTable, advance, rebuild_state
from edict.game.table.knowledge import Secrets, enter_code, has_secrets
from edict.runtime.machine.encoding import list_secret_cells
from edict.runtime.machine.events import ObservedCode
from edict.runtime.machine.loop import run
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import ANSWER, LOGGING
from edict.support.records import dataclass

COPIES = (o.SET, o.LDX, o.LDXX, o.STX, o.STXX, o.PUTX)  # they write the last value they read apart from indexes
MOVES = (o.MOV, o.MOV2)
# number of indexes that they read before the value
INDEX_COUNTS = {o.LDX: 1, o.LDXX: 2, o.STX: 1, o.STXX: 2, o.PUTX: 1}
INDEXED_WRITES = (o.STX, o.STXX, o.PUTX)
CONDITIONAL_JUMPS = range(o.JZ, o.LOOPN + 1)
NOBODY = 0
BETWEEN_STEPS = -2  # no address; an answer is being read
BOOKKEEPING_CELLS = frozenset((o.PC, o.SPENT, o.STATUS))  # written when the machine stops, by no instruction

# sets of seats; a seat that is in all of them may know something
Masks = frozenset[int]
OPEN: Masks = frozenset()


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that depended on something hidden from some seats."""

    depth: int  # depth of the call stack
    end: int  # address at which its influence ends
    knowers: Masks


@dataclass(frozen=True, slots=True)
class Taint:
    """The hidden influences that a step passes on to the next."""

    decisions: tuple[Decision, ...] = ()  # decisions still in force
    cells: tuple[tuple[int, Masks], ...] = ()  # names that stand for something hidden from some seats

    def __bool__(self) -> bool:
        return bool(self.decisions or self.cells)


CLEAN = Taint()


@dataclass(eq=False, slots=True)
class TracedValue:
    """A value with its provenance."""

    value: int
    sort: str  # cell (read from a variable), sum (of `parts`) or plain
    pc: int  # address of the instruction that made it
    knowers: Masks
    parts: tuple[TracedValue, ...] = ()  # terms of a sum, or the value last stored in a cell if it was seen
    minus: bool = False  # the second part is subtracted
    cell: int = -1  # the variable's cell


@dataclass(frozen=True, slots=True)
class TracedEvent:
    """An event with its provenance."""

    kind: int
    pc: int
    calls: tuple[int, ...]  # calls that led to it
    value: TracedValue | None  # value written or announced
    cell: int  # cell that was written
    decision_knowers: Masks  # who knows why it happened at all
    options_knowers: Masks | None = None  # for a choice with one option, who knows what there was to choose from


@dataclass(frozen=True, slots=True)
class SecretWrite:
    """A write of a secret, or of who knows it.

    It happens in every world that looks the same, even where it changes nothing and so is no event.
    """

    place: int  # number of events before it
    cell: int
    value: int
    knowers: Masks  # who may know the value


class _TracedCode(ObservedCode):
    """The program's code that reports each instruction to the tape."""

    def __init__(self, tape: _TracedState, code: Sequence[int], end: int) -> None:
        super().__init__(code)
        self._tape, self._end = tape, end

    def __getitem__(self, address: Any) -> Any:
        tape = self._tape
        if address < self._end and not tape.pc < address < tape.next:
            op = self.code[address]
            tape.begin_instruction(address, op, address + o.SIZE[op])
        return self.code[address]


class _TracedLog(list[int]):
    """The machine's log that reports each event to the tape; an event is complete when its length is written."""

    def __init__(self, tape: _TracedState, room: int) -> None:
        super().__init__([0] * room)
        self._tape = tape

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        if index == 0 and value:
            self._tape.add_event(self[value - o.EVENT_SIZE + 1], self[value - o.EVENT_SIZE + 2])


@dataclass
class _InstructionReads:
    """The reads of the current instruction."""

    op: int = -1
    values: list[TracedValue] = field(default_factory=list)


class _TracedState(list[int]):
    """A state that records the provenance of its cells."""

    def __init__(self, cells: Sequence[int], program: Program, layout: StateLayout, taint: Taint = CLEAN) -> None:
        super().__init__(cells)
        self.program, self.layout = program, layout
        self.pc, self.next = BETWEEN_STEPS, BETWEEN_STEPS
        self.current = _InstructionReads()
        self.values = {at: TracedValue(cells[at], "plain", -1, known) for at, known in taint.cells}
        self.decisions = taint.decisions
        self.decision_knowers: Masks = _join_knowers(taint.decisions)
        self.all_decision_knowers = self.decision_knowers
        self.dependencies: list[tuple[int, Masks]] = [(0, self.decision_knowers)] if self.decision_knowers else []
        self.secret_writes: list[SecretWrite] = []
        self.read_knowers: set[int] = set()  # who knew the cells that were read, if not everybody
        self.events: list[TracedEvent] = []
        self.last: TracedValue | None = None
        self.target = -1

    # --- what the machine does

    def begin_instruction(self, pc: int, op: int, following: int) -> None:
        """Begin an instruction and drop the decisions that end before it."""
        self.pc, self.next = pc, following
        self.current = _InstructionReads(op)
        if self.decisions:
            depth = self._peek(o.SP)
            remaining = tuple(
                decision
                for decision in self.decisions
                if decision.depth < depth or decision.depth == depth and decision.end != pc
            )
            if len(remaining) < len(self.decisions):
                self.decisions, self.decision_knowers = remaining, _join_knowers(remaining)

    def __getitem__(self, address: Any) -> Any:
        value = super().__getitem__(address)
        if isinstance(address, int):
            traced = self._trace_read(address, value)
            self.current.values.append(traced)
            if (
                traced.knowers
                and address != o.OPTIONS
                and (self.current.op in CONDITIONAL_JUMPS or self.current.op == o.CALLX)
            ):
                self._add_decision(traced.knowers)
        return value

    def __setitem__(self, address: Any, value: Any) -> None:
        super().__setitem__(address, value)
        if isinstance(address, int) and address not in BOOKKEEPING_CELLS:
            if address != o.OPTIONS or value:
                self.last = self.values[address] = self._trace_write(value)
            else:
                self.last = self.values[address] = self._trace_no_options()
            self.target = address
            self._note_visible_write(address, self.last)

    def take_answer(self) -> None:
        """Record the answer about to be read, which everybody knows unless it is secret."""
        if self._peek(o.STATUS) != o.ASKING:
            return
        seat, question = self._peek(o.SEAT), self.program.questions[self._peek(o.QUESTION)]
        if question.secret:
            knowers = frozenset([1 << seat if seat >= 0 else NOBODY])
        else:
            knowers = OPEN
        self.read_knowers |= knowers
        for address in (o.OPTIONS, *range(o.FIRST_OPTION, self.program.header_size)):
            self.values.pop(address, None)
        address = o.FIRST_OPTION + self._peek(o.ANSWER)
        self.values[address] = TracedValue(self._peek(address), "plain", -1, knowers)

    def _peek(self, address: int) -> int:
        """Return the value of a cell without recording a read."""
        value: int = super().__getitem__(address)
        return value

    # --- what is made of it

    def _add_decision(self, knowers: Masks) -> None:
        """Record a decision by the current jump or call, in force until its paths join or the routine returns."""
        depth = self._peek(o.SP)
        if self.current.op == o.CALLX:
            decision = Decision(depth + 1, -1, knowers)
        else:
            decision = Decision(depth, immediate_postdominator(self.program, self.pc), knowers)
        if decision not in self.decisions:
            self.all_decision_knowers |= knowers
            self.decisions = (*self.decisions, decision)
            self.decision_knowers = _join_knowers(self.decisions)
            self._taint_branches(knowers)

    def _taint_branches(self, knowers: Masks) -> None:
        """Add those who know a decision to the knowers of all that either of its branches can change."""
        effects = find_branch_effects(self.program, self.pc)
        if effects.has_side_effects or any(cell in self.layout.cells for cell in effects.cells):
            self._add_dependency(knowers)
        for cell in effects.cells.difference(self.layout.cells, self.layout.watched):
            value = self.values.get(cell, TracedValue(self._peek(cell), "plain", -1, OPEN))
            self.values[cell] = replace(value, knowers=value.knowers | knowers)

    def _trace_read(self, address: int, value: int) -> TracedValue:
        """Return the traced value of a read cell, with the seats that know it if it is a variable."""
        stored = self.values.get(address)
        if address not in self.layout.cells:
            # cells of the machine are public
            is_public = address < o.FIRST_OPTION and address not in (
                o.YOU,
                o.OPTIONS,
            )
            is_public = is_public or address in self.layout.watched
            if is_public or stored is None:
                return TracedValue(value, "plain", -1, OPEN)
            return stored
        knowers = self._secret_knowers(address)
        if knowers is None:
            knowers = stored.knowers if stored else OPEN
        self.read_knowers |= knowers
        return TracedValue(value, "cell", self.pc, knowers, (stored,) if stored else (), cell=address)

    def _secret_knowers(self, address: int) -> Masks | None:
        """Return the mask of seats that know a secret cell's value (OPEN: all); None for an open cell."""
        cell = self.layout.cells[address]
        if cell.known < 0:
            return None
        mask, everyone = self._peek(cell.known), self._peek(o.EVERYONE)
        return OPEN if mask & everyone == everyone else frozenset((mask,))

    def _trace_write(self, value: int) -> TracedValue:
        """Return the value to write with its provenance: a copy, a sum of two reads, or plain."""
        op, reads = self.current.op, self.current.values
        knowers = self.decision_knowers.union(*(read_value.knowers for read_value in reads))
        if op in MOVES and reads:
            return self._trace_copy(reads[-1], reads[-1].knowers | self.decision_knowers)
        if op in COPIES:
            return self._trace_copy(reads[INDEX_COUNTS.get(op, 0)], knowers)
        if op in (o.MIN, o.MAX) and len(reads) > 1:
            return self._trace_copy(
                next((read_value for read_value in reads if read_value.value == value), reads[0]), knowers
            )
        if op in (o.ADD, o.SUB) and len(reads) > 1:
            parts = tuple(self._attribute_constant(read_value) for read_value in reads[:2])
            return TracedValue(value, "sum", self.pc, knowers, parts, minus=op == o.SUB)
        return TracedValue(value, "plain", self.pc, knowers)

    def _trace_copy(self, value: TracedValue, knowers: Masks) -> TracedValue:
        """Return a copied value with these masks of knowers added to its own."""
        value = self._attribute_constant(value)
        if knowers <= value.knowers:
            return value
        return TracedValue(
            value.value, value.sort, value.pc, value.knowers | knowers, value.parts, value.minus, value.cell
        )

    def _attribute_constant(self, value: TracedValue) -> TracedValue:
        """Return a value with a constant attributed to the rule that uses it."""
        if value.pc >= 0:
            return value
        return TracedValue(value.value, value.sort, self.pc, value.knowers)

    def _trace_no_options(self) -> TracedValue:
        return TracedValue(0, "plain", self.pc, self.decision_knowers)

    def _note_visible_write(self, address: int, value: TracedValue) -> None:
        """Record that whoever sees a written cell learns what its value and address depended on."""
        cell = self.layout.cells.get(address)
        is_secret = address in self.layout.watched or cell is not None and cell.known >= 0
        if cell is not None or is_secret:
            for index in self.current.values[
                : INDEX_COUNTS[self.current.op] if self.current.op in INDEXED_WRITES else 0
            ]:
                self._add_dependency(index.knowers)
        if is_secret:
            self.secret_writes.append(SecretWrite(len(self.events), address, value.value, value.knowers))
        if address in self.layout.watched or address == o.WINNERS or cell is not None and not is_secret:
            self._add_dependency(value.knowers)
        elif address == o.SEAT:
            self._add_dependency(self.current.values[0].knowers)  # the first read of the instruction is the seat

    def _add_dependency(self, knowers: Masks) -> None:
        """Record that everything from here on may visibly depend on something hidden."""
        if knowers:
            self.dependencies.append((len(self.events), knowers))

    def add_event(self, kind: int, pc: int) -> None:
        """Record an event with its provenance."""
        value, cell = (self.last, self.target) if kind == o.EV_SET else (None, -1)
        if kind == o.EV_SAY and self.current.values:
            value = self._attribute_constant(self.current.values[0])
            self._add_dependency(value.knowers)
        if kind == o.EV_CHOICE and self.current.op in (o.ASK, o.ASKC):
            options_knowers = self.offer_knowers()
        else:
            options_knowers = None
        self.events.append(
            TracedEvent(kind, pc, self._open_calls(), value, cell, self.decision_knowers, options_knowers)
        )

    def _open_calls(self) -> tuple[int, ...]:
        """Return the open calls, the outermost first, without saved cells on the stack."""
        stack = super().__getitem__(slice(self.program.stack, super().__getitem__(o.SP)))
        return tuple(call for return_address in stack if (call := find_call(self.program, return_address)) >= 0)

    def choice_knowers(self) -> Masks:
        """Return who knows everything that decisions and the offered options depended on."""
        return self.all_decision_knowers | self.offer_knowers()

    def offer_knowers(self) -> Masks:
        """Return, as masks of seats, who knows all that the offered options depend on."""
        options = (o.OPTIONS, *range(o.FIRST_OPTION, o.FIRST_OPTION + self._peek(o.OPTIONS)))
        return OPEN.union(*(self.values[address].knowers for address in options if address in self.values))

    def remaining_taint(self) -> Taint:
        """Return the taint for the next step. Variables need no mention because they hold who knows them."""
        tainted = (
            (address, value.knowers)
            for address, value in self.values.items()
            if address >= self.program.header_size or address == o.YOU
        )
        variables = (*self.layout.cells, *self.layout.watched)
        return Taint(
            self.decisions,
            tuple((address, knowers) for address, knowers in tainted if knowers and address not in variables),
        )


def _join_knowers(decisions: Sequence[Decision]) -> Masks:
    """Return all masks of seats that know what the decisions depended on; empty if everybody does."""
    return OPEN.union(*(decision.knowers for decision in decisions))


@dataclass(frozen=True, slots=True)
class StepTrace:
    """A replayed step with the provenance of its events in their order."""

    events: tuple[TracedEvent, ...]
    taint: Taint  # passed on to the next step
    choice_knowers: Masks  # who knows what its decisions and the next options depended on
    offer_knowers: Masks  # who knows why the next options are offered
    # numbers of events after which something visible depended on hidden things, with who knows them
    dependencies: tuple[tuple[int, Masks], ...]
    secret_writes: tuple[SecretWrite, ...]


MOST_RECENT_TRACES = 16
_recent_traces: OrderedDict[tuple[GameStep, Taint], StepTrace] = OrderedDict()


def trace_step(table: GameTable, step: GameStep, taint: Taint = CLEAN) -> StepTrace:
    """Return the trace of a step; `taint` is what the step before passed on. The latest traces are cached."""
    trace = _recent_traces.get((step, taint))
    if trace is None:
        trace = _recent_traces[step, taint] = _replay_step(table, step, taint)
        while len(_recent_traces) > MOST_RECENT_TRACES:
            _recent_traces.popitem(last=False)
    return trace


def _replay_step(table: GameTable, step: GameStep, taint: Taint) -> StepTrace:
    """Replay a step with everything recorded."""
    state, draws = state_before_step(table, step)
    state[o.LOGGING] = 1
    traced_state = _TracedState(state, table.program, table.layout, taint)
    code = _TracedCode(traced_state, table.program.code, find_instructions(table.program)[0])

    def play(_: Sequence[int], state: Any, buffer: Any) -> int:
        """Take the answer, run the machine with traced code and log, and copy its events to the buffer."""
        traced_state.begin_instruction(BETWEEN_STEPS, BETWEEN_STEPS, BETWEEN_STEPS)
        traced_state.take_answer()
        status = run(code, state, log := _TracedLog(traced_state, len(buffer)))
        buffer[: log[0] + 1] = log[: log[0] + 1]
        return status

    advance(table, traced_state, draws, play)
    return StepTrace(
        tuple(traced_state.events),
        traced_state.remaining_taint(),
        traced_state.choice_knowers(),
        traced_state.offer_knowers(),
        tuple(traced_state.dependencies),
        tuple(traced_state.secret_writes),
    )


def state_before_step(table: GameTable, step: GameStep) -> tuple[list[int], int]:
    """Return the state in which a step began with its answer given and the number of draws before."""
    if step.before is None:
        return table.first_state(), 0
    state = list(rebuild_state(table, step.before))
    state[o.ANSWER] = step.index
    return state, step.before.draws


def trace_query(
    program: Program, layout: StateLayout, state: Sequence[int], query: int, args: Sequence[int]
) -> tuple[TracedValue | None, Masks]:
    """Return the traced value of a query (None if the rules fail) and who knows everything it read."""
    query_ = program.queries[query]
    traced_state = _TracedState(state, program, layout)
    for cell, value in zip(query_.params, args, strict=False):
        list.__setitem__(traced_state, cell, value)
    enter_code(program, traced_state, query_.entry)
    has_returned = (
        run(_TracedCode(traced_state, program.code, find_instructions(program)[0]), traced_state, [0]) == o.RETURNED
    )
    return traced_state.values.get(query_.result) if has_returned else None, frozenset(traced_state.read_knowers)


# --- from step to step ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StepTaint:
    """The taint before and after a step."""

    before: Taint
    after: Taint
    is_clean: bool  # nothing in it depended on anything hidden
    is_public: bool  # it is clean, and wrote neither a value that may be hidden nor who knows one


_taints_by_step: WeakKeyDictionary[GameStep, StepTaint] = WeakKeyDictionary()


def trace_taint(table: GameTable, step: GameStep) -> StepTaint:
    """Return the taint of a step, which depends on all steps before it; it is cached as long as the step exists."""
    if not has_secrets(table.program):
        return StepTaint(CLEAN, CLEAN, True, True)
    untraced = list[GameStep]()
    earlier: GameStep | None = step
    while earlier is not None and earlier not in _taints_by_step:
        untraced.append(earlier)
        earlier = earlier.before
    taint = _taints_by_step[earlier].after if earlier is not None else CLEAN
    state = _SecretAccessDetector([], table)
    for following in reversed(untraced):
        if taint.decisions or has_secret_choice(table, following):
            state.clear()
            is_clean = False
        else:
            is_clean = state.follow(table, following, taint)
        taint_after = Taint((), tuple(state.tainted.items())) if is_clean else trace_step(table, following, taint).taint
        _taints_by_step[following] = StepTaint(taint, taint_after, is_clean, is_clean and not state.has_written_secret)
        taint = taint_after
    return _taints_by_step[step]


def may_know(masks: Iterable[int], seat: int) -> bool:
    """Return True if a seat is in all of these sets."""
    return all(mask >> seat & 1 for mask in masks)


def list_tainted_cells(taint: Taint, seat: int) -> list[int]:
    """Return the cells of locals whose values a seat may not know."""
    return [cell for cell, masks in taint.cells if not may_know(masks, seat)]


def find_hidden_cells(table: GameTable, last: GameStep, state: list[int], seat: int) -> frozenset[int]:
    """Return every cell, of variables and names, that a seat may not know in the state after a step."""
    names = list_tainted_cells(trace_taint(table, last).after, seat)
    return frozenset((*Secrets.from_program(table.program).iter_hidden_cells(state, seat), *names))


class _SecretAccessDetector(list[int]):
    """A state that detects reads of cells hidden from anybody, and writes to cells that may be hidden.

    Attributes:
        tainted: The tainted cells that have not been written since; most are names that nothing uses any more.
    """

    def __init__(self, cells: Sequence[int], table: GameTable) -> None:
        super().__init__(cells)
        self.knower_cells = {cell: known for cell, known, _ in list_secret_cells(table.program)}
        self.watched_cells = {*self.knower_cells, *self.knower_cells.values()}
        self.tainted: dict[int, Masks] = {}
        self.has_read_secret = self.has_written_secret = False

    def follow(self, table: GameTable, step: GameStep, taint: Taint) -> bool:
        """Replay a step, in the state it began in if the step before was not followed; return True if it is clean."""
        if not self:
            self[:], _ = state_before_step(table, step)
        elif step.before is not None:
            self[ANSWER] = step.index
        self[LOGGING] = 0
        self.tainted = dict(taint.cells)
        self.has_read_secret = self.has_written_secret = False
        advance(table, self, step.before.draws if step.before is not None else 0)
        return not self.has_read_secret

    def __setitem__(self, address: Any, value: Any) -> None:
        list.__setitem__(self, address, value)
        if address.__class__ is int:
            self.tainted.pop(address, None)
            if address in self.watched_cells:
                self.has_written_secret = True

    def __getitem__(self, address: Any) -> Any:
        value = list.__getitem__(self, address)
        if address.__class__ is int:
            if address in self.knower_cells:
                everyone = list.__getitem__(self, o.EVERYONE)
                self.has_read_secret |= list.__getitem__(self, self.knower_cells[address]) & everyone != everyone
            elif address in self.tainted:
                self.has_read_secret = True
        return value


def has_secret_choice(table: GameTable, step: GameStep) -> bool:
    """Return True if a secret was drawn or answered in a step."""
    questions = table.program.questions
    return any(questions[number].secret for number, _, _ in iter_choices(step.events))
