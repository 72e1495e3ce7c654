"""Trials of options on what one seat knows, until chance or another player decides.

Nothing hidden is ever read: a trial stops where the rules would read a cell that the seat may not know. So its result
is the same in every world that looks the same to that seat.

The effect of an answer ends with the statement that asked, with an iteration of a loop, or with the phase; whatever
comes later would come anyway. These ends are found in the code: where the branches of the first jump on the answer
join, in the rule that asked and in its callers; the backward jumps of the loops around them; and the ends of phases.
`Horizon.code` is the program's code with a stop at each of these places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

from edict.game.table.control_flow import find_call, immediate_postdominator
from edict.game.table.game_steps import GameStep, GameTable
from edict.game.table.knowledge import WORK_PER_TRIAL, HiddenReadError, enter_code, make_blind
from edict.game.table.tracing import find_hidden_cells, may_know, trace_taint
from edict.runtime.machine.events import make_event_buffer, run_and_collect_events
from edict.runtime.machine.loop import BUDGET
from edict.runtime.program import Program, ProgramKey
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import find_instructions
from edict.support.records import dataclass

DONE, LUCK, OTHERS, HIDDEN, CHOICES, UNKNOWN = "", "luck", "others", "hidden", "choices", "unknown"
MOST_WORK = 4_000_000  # instructions of all trials for one question


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """The outcome of a trial."""

    events: tuple[int, ...]
    state: list[int]
    ends: str  # why it is incomplete, "" if it is complete
    asked: int = -1  # the next question if the same player is asked within this answer's effect, else -1

    def options(self) -> list[int]:
        """Return the values of the next question's options."""
        return list.__getitem__(self.state, slice(o.FIRST_OPTION, o.FIRST_OPTION + self.state[o.OPTIONS]))


# continues a state, appends to the events and returns the status of the machine
PlayFunction = Callable[[list[int], list[int]], int]


class OptionTrial:
    """Tries answers to the current question as seen by the seat that is asked."""

    def __init__(self, table: GameTable, last: GameStep, state: list[int]) -> None:
        self.table = table
        self.seat = state[o.SEAT]
        self.horizon = Horizon.from_state(table.program, state)
        taint = trace_taint(table, last).after
        self.is_known = all(may_know(decision.knowers, self.seat) for decision in taint.decisions)
        hidden = find_hidden_cells(table, last, state, self.seat)
        self.start = make_blind(state, hidden)
        list.__setitem__(self.start, o.LOGGING, 1)
        self.work_left = MOST_WORK

    def try_answer(self, state: list[int], index: int) -> TrialOutcome:
        """Return the outcome of an answer in a state that stays unchanged; unknown if no work is left."""
        following = state.copy()
        following[o.ANSWER] = index
        return self._try(state, following, self.horizon.play, self.horizon.includes_question)

    def try_routine(self, entry: int, param: int = -1, argument: int = 0) -> TrialOutcome:
        """Run a routine at once for the seat, in a copy of the state, up to its first question."""
        following = self.start.copy()
        spent = following[o.SPENT]
        enter_code(self.table.program, following, entry)
        following[o.YOU], following[o.SPENT], following[o.LOGGING] = self.seat, spent, 1
        if param >= 0:
            following[param] = argument
        return self._try(
            self.start, following, partial(_run_and_collect_events, self.table.program.code), lambda _: True
        )

    def _try(
        self, state: list[int], following: list[int], play: PlayFunction, asks_on: Callable[[list[int]], bool]
    ) -> TrialOutcome:
        """Run `play` on `following` within the work left; `state` is returned unchanged if the end is unknown."""
        events: list[int] = []
        following[o.SPENT] = max(following[o.SPENT], BUDGET - min(WORK_PER_TRIAL, self.work_left))
        work_before = following[o.TOTAL] + following[o.SPENT]
        try:
            ends, asked = self._classify_end(following, play(following, events), asks_on)
        except HiddenReadError:
            ends, asked = HIDDEN, -1
        self.work_left = max(0, self.work_left - (following[o.TOTAL] + following[o.SPENT] - work_before))
        if ends == UNKNOWN:
            return TrialOutcome((), state, UNKNOWN)
        return TrialOutcome(tuple(events), following, ends, asked)

    def _classify_end(self, state: list[int], status: int, asks_on: Callable[[list[int]], bool]) -> tuple[str, int]:
        """Return how a trial ended (CHOICES, DONE, LUCK, OTHERS or UNKNOWN) and the asked question or -1."""
        if status == o.ASKING and state[o.SEAT] == self.seat:
            return (CHOICES, state[o.QUESTION]) if asks_on(state) else (DONE, -1)
        if status == o.ASKING:
            return (LUCK if state[o.SEAT] == o.CHANCE else OTHERS), -1
        return (DONE if status in (STOPPED, o.GAME_OVER, o.RETURNED) else UNKNOWN), -1


def _run_and_collect_events(code: Sequence[int], state: list[int], events: list[int]) -> int:
    """Run code with an event buffer of its own, append its events to `events` and return the status."""
    return run_and_collect_events(code, state, make_event_buffer(), events)


# --- how far an answer reaches --------------------------------------------------------------------------

STOPPED = -99  # no fault of the rules but the end of an answer's effect
MOST_MOVES = 3  # instructions between an answer and the jump on it


@dataclass(frozen=True, slots=True)
class Horizon:
    """The part of a program in which an answer has effects."""

    program: Program
    code: Sequence[int]
    ends: dict[int, int]  # largest depth of the stack at each stop
    depth: int
    calls: tuple[int, ...]

    @staticmethod
    def from_state(program: Program, state: Sequence[int]) -> Horizon:
        """Return where the effect of answering the current question ends in the code."""
        calls = tuple(state[program.stack : state[o.SP]])
        return _find_horizon(ProgramKey(program), state[o.PC], state[o.RESULT], calls)

    def play(self, state: list[int], events: list[int]) -> int:
        """Run the machine until it asks, fails or reaches the end of the answer's effect (STOPPED)."""
        while True:
            status = _run_and_collect_events(self.code, state, events)
            if status != STOPPED or self._is_end(state, events):
                return status
            self._step_over_stop(state, events)

    def includes_question(self, state: Sequence[int]) -> bool:
        """Return True if the rule that asked the first question is still running at this one."""
        return state[o.SP] >= self.depth and tuple(state[self.program.stack : self.depth]) == self.calls

    def _is_end(self, state: Sequence[int], events: Sequence[int]) -> bool:
        """Return True if a stop is at an end with no deeper stack, or leaves a phase begun before the answer."""
        address = state[o.PC]
        if address in self.ends and state[o.SP] <= self.ends[address]:
            return True
        kinds = events[:: o.EVENT_SIZE]
        open_phases = kinds.count(o.EV_ENTER) - kinds.count(o.EV_LEAVE)
        return self.program.code[address] == o.LEAVE and open_phases <= 0

    def _step_over_stop(self, state: list[int], events: list[int]) -> None:
        """Execute the one instruction that a stop replaced."""
        address, code = state[o.PC], list(self.program.code)
        roles = o.OPERANDS[code[address]].split()
        following = [
            address + o.SIZE[code[address]],
            *(code[address + i] for i, role in enumerate(roles, 1) if role == "t"),
        ]
        for place in following:
            code[place] = o.OVER
        _run_and_collect_events(code, state, events)
        if state[o.STATUS] == o.GAME_OVER:
            state[o.STATUS] = o.RUNNING


@lru_cache(maxsize=64)
def _find_horizon(same: ProgramKey, place: int, answer: int, calls: tuple[int, ...]) -> Horizon:
    """Return the horizon of an answer: code that stops at the ends of its effect and of each phase."""
    program, ends = same.program, dict[int, int]()
    for address, depth in _iter_ends(program, place, answer, calls):
        ends[address] = max(ends.get(address, 0), depth)
    code = list(program.code)
    for address in (*ends, *find_control_places(program).phase_ends):
        code[address : address + 2] = o.FAULT, STOPPED
    return Horizon(program, code, ends, program.stack + len(calls), calls)


def _iter_ends(program: Program, place: int, answer: int, calls: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield (address, greatest stack depth) where the effect of an answer ends, in its rule and then in callers.

    They are in the rule that asks, then in its callers.
    """
    code, top = program.code, program.stack + len(calls)
    yield from ((address, top) for address in _enclosing_loop_jumps(program, place - 1))
    yield from ((address, top) for address in _join_points(program, place, answer))
    for depth, return_address in reversed(list(enumerate(calls, program.stack))):
        call = find_call(program, return_address)
        if call >= 0:
            yield from ((address, depth) for address in _enclosing_loop_jumps(program, call))
            entry = code[call + 1] if code[call] == o.CALL else -1
            if entry >= 0 and code[entry] in (o.MOV, o.MOV2):  # an action begins by marking itself as not done
                yield from ((address, depth) for address in _join_points(program, return_address, code[entry + 1]))


def _enclosing_loop_jumps(program: Program, place: int) -> Iterator[int]:
    """Return the backward jumps of the loops around an instruction."""
    return (jump for jump, target in find_control_places(program).jumps if target <= place <= jump)


def _join_points(program: Program, place: int, answer: int) -> Iterator[int]:
    """Yield the address where the branches on an answer join again, if the rule forks on it; else nothing.

    An answer that is only stored has no such jump: it may take effect at any time until its rule is done.
    """
    code, cells = program.code, {answer}
    for _ in range(MOST_MOVES):
        op, operands = code[place], code[place + 1 : place + o.SIZE[code[place]]]
        if place in find_control_places(program).forks and cells.intersection(operands[:-1]):
            end = immediate_postdominator(program, place)
            if end >= 0 and code[end] not in (o.RET, o.OVER):
                yield end
        if op != o.MOV:
            return
        if operands[1] in cells:
            cells.add(operands[0])
        place += o.SIZE[op]


@dataclass(frozen=True, slots=True)
class ControlPlaces:
    """The places in a program where the effect of an answer may end."""

    jumps: tuple[tuple[int, int], ...]  # backward jumps with their targets
    phase_ends: tuple[int, ...]
    forks: frozenset[int]  # jumps at which rules branch


def find_control_places(program: Program) -> ControlPlaces:
    """Return the places in a program where the effect of an answer may end."""
    return _find_control_places(ProgramKey(program))


@lru_cache(maxsize=4)
def _find_control_places(same: ProgramKey) -> ControlPlaces:
    """Collect the backward jumps with their targets, the ends of phases and the forks of a program."""
    code, starts = same.program.code, sorted(find_instructions(same.program)[1])
    jumps = (
        (address, code[address + o.SIZE[code[address]] - 1]) for address in starts if o.JMP <= code[address] <= o.LOOPN
    )
    return ControlPlaces(
        tuple((address, target) for address, target in jumps if target <= address),
        tuple(address for address in starts if code[address] == o.LEAVE),
        frozenset(fork.at for fork in same.program.forks),
    )
