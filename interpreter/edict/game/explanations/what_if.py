"""What if: an option tried out before it is taken, on what one seat may know, until chance or somebody else decides.

Nothing hidden is ever read: a try stops where the rules would look at what the seat may not know. So it is the same in
every world that looks the same to that seat, however the hidden values are.

An answer reaches to the end of the statement that asked, of a loop's turn, or of the phase; what comes after that would
come whatever was answered. The ends are found in the code: where the ways of the first jump that looks at the answer
meet again, in the rule that asked and in those that called it; the backward jumps of the loops around them; and the
ends of phases. `Horizon.code` is the program's code with a stop in each of these places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from edict.game.table.control_flow import called_from, immediate_postdominator
from edict.game.table.game_steps import Step, Table
from edict.game.table.knowledge import WORK, Peeked, enter_code, make_blind
from edict.game.table.tracing import hidden_cells, may_know, taints
from edict.runtime.machine.events import make_event_buffer, run_logged
from edict.runtime.machine.loop import BUDGET
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import instructions
from edict.runtime.program.same import Same

DONE, LUCK, OTHERS, HIDDEN, CHOICES, UNKNOWN = "", "luck", "others", "hidden", "choices", "unknown"
MOST_WORK = 4_000_000  # of all tries for one question


@dataclass(frozen=True, slots=True)
class TriedOutcome:
    """The outcome of an answer: the events, the state after them, and what keeps the rest from being known.

    `asked` is the next question (its number) and its values if it is the same player's and belongs to the same deed.
    """

    events: tuple[int, ...]
    state: list[int]
    ends: str
    asked: int = -1

    def options(self) -> list[int]:
        """The values to choose from next."""
        return list.__getitem__(self.state, slice(o.FIRST_OPTION, o.FIRST_OPTION + self.state[o.OPTIONS]))


Play = Callable[[list[int], list[int]], int]
"""Plays a state on, and appends to the events; gives the machine's status."""


class OptionTrial:
    """Tries out answers to the current question at a table, as seen by the seat that is asked."""

    def __init__(self, table: Table, last: Step, state: list[int]) -> None:
        self.table = table
        self.seat = state[o.SEAT]
        self.horizon = Horizon.of(table.program, state)
        left = taints(table, last)[-1].left
        self.known = all(may_know(decision.known, self.seat) for decision in left.decisions)
        hidden = hidden_cells(table, last, state, self.seat)
        self.start = make_blind(state, hidden)
        list.__setitem__(self.start, o.LOGGING, 1)
        self.left = MOST_WORK

    def answer(self, state: list[int], index: int) -> TriedOutcome:
        """What this answer leads to; the state stays as it is. When all work is done, nothing more is found out."""
        following = state.copy()
        following[o.ANSWER] = index
        return self._tried(state, following, self.horizon.play, self.horizon.asks_on)

    def routine(self, entry: int, param: int = -1, argument: int = 0) -> TriedOutcome:
        """Try a routine for the seat as it would run now, without a question around it, up to what it asks first."""
        following = self.start.copy()
        spent = following[o.SPENT]
        enter_code(self.table.program, following, entry)
        following[o.YOU], following[o.SPENT], following[o.LOGGING] = self.seat, spent, 1
        if param >= 0:
            following[param] = argument
        return self._tried(self.start, following, partial(_play, self.table.program.code), lambda _: True)

    def _tried(
        self, state: list[int], following: list[int], play: Play, asks_on: Callable[[list[int]], bool]
    ) -> TriedOutcome:
        events: list[int] = []
        following[o.SPENT] = max(following[o.SPENT], BUDGET - min(WORK, self.left))
        before = following[o.TOTAL] + following[o.SPENT]
        try:
            ends, asked = self._ended(following, play(following, events), asks_on)
        except Peeked:
            ends, asked = HIDDEN, -1
        self.left = max(0, self.left - (following[o.TOTAL] + following[o.SPENT] - before))
        if ends == UNKNOWN:
            return TriedOutcome((), state, UNKNOWN)
        return TriedOutcome(tuple(events), following, ends, asked)

    def _ended(self, state: list[int], status: int, asks_on: Callable[[list[int]], bool]) -> tuple[str, int]:
        if status == o.ASKING and state[o.SEAT] == self.seat:
            return (CHOICES, state[o.QUESTION]) if asks_on(state) else (DONE, -1)
        if status == o.ASKING:
            return (LUCK if state[o.SEAT] == o.CHANCE else OTHERS), -1
        return (DONE if status in (STOPPED, o.GAME_OVER, o.RETURNED) else UNKNOWN), -1


def _play(code: Sequence[int], state: list[int], events: list[int]) -> int:
    return run_logged(code, state, make_event_buffer(), events)


# --- how far an answer reaches --------------------------------------------------------------------------

STOPPED = -99  # no fault of the rules: a place where what an answer does is over
NEAR = 3  # instructions between an answer and the jump that looks at it


@dataclass(frozen=True, slots=True)
class Horizon:
    """What an answer to one question may lead to. `ends` has for each stop how deep the stack may be there."""

    program: Program
    code: Sequence[int]
    ends: dict[int, int]
    depth: int
    calls: tuple[int, ...]

    @staticmethod
    def of(program: Program, state: Sequence[int]) -> Horizon:
        """The horizon of the current question in a state."""
        calls = tuple(state[program.stack : state[o.SP]])
        return _horizon(Same(program), state[o.PC], state[o.RESULT], calls)

    def play(self, state: list[int], events: list[int]) -> int:
        """Play on within the horizon: the machine's status, or STOPPED at its end."""
        while True:
            status = _play(self.code, state, events)
            if status != STOPPED or self._is_end(state, events):
                return status
            self._step(state, events)

    def asks_on(self, state: Sequence[int]) -> bool:
        """Whether the current question belongs to what the first one began: its rule has not returned yet."""
        return state[o.SP] >= self.depth and tuple(state[self.program.stack : self.depth]) == self.calls

    def _is_end(self, state: Sequence[int], events: Sequence[int]) -> bool:
        """Whether a stop is one for this answer: not if the same rule, or another phase, is carried out within it."""
        at = state[o.PC]
        if at in self.ends and state[o.SP] <= self.ends[at]:
            return True
        kinds = events[:: o.EVENT_SIZE]
        inner = kinds.count(o.EV_ENTER) - kinds.count(o.EV_LEAVE)
        return self.program.code[at] == o.LEAVE and inner <= 0

    def _step(self, state: list[int], events: list[int]) -> None:
        """Carry out the one instruction that stands at a stop."""
        at, code = state[o.PC], list(self.program.code)
        words = o.OPERANDS[code[at]].split()
        following = [at + o.SIZE[code[at]], *(code[at + i] for i, word in enumerate(words, 1) if word == "t")]
        for place in following:
            code[place] = o.OVER
        _play(code, state, events)
        if state[o.STATUS] == o.GAME_OVER:
            state[o.STATUS] = o.RUNNING


@lru_cache(maxsize=64)
def _horizon(same: Same, place: int, answer: int, calls: tuple[int, ...]) -> Horizon:
    program, ends = same.program, dict[int, int]()
    for at, deepest in _ends(program, place, answer, calls):
        ends[at] = max(ends.get(at, 0), deepest)
    code = list(program.code)
    for at in (*ends, *places(program).leavings):
        code[at : at + 2] = o.FAULT, STOPPED
    return Horizon(program, code, ends, program.stack + len(calls), calls)


def _ends(program: Program, place: int, answer: int, calls: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where it may end, and how deep the stack may be there: in the rule that asks, then in those that called it."""
    code, top = program.code, program.stack + len(calls)
    yield from ((at, top) for at in _around(program, place - 1))
    yield from ((at, top) for at in _met(program, place, answer))
    for depth, back in reversed(list(enumerate(calls, program.stack))):
        call = called_from(program, back)
        if call >= 0:
            yield from ((at, depth) for at in _around(program, call))
            entry = code[call + 1] if code[call] == o.CALL else -1
            if entry >= 0 and code[entry] in (o.MOV, o.MOV2):  # an action: it begins by noting that it is not done yet
                yield from ((at, depth) for at in _met(program, back, code[entry + 1]))


def _around(program: Program, place: int) -> Iterator[int]:
    """The backward jumps of the loops around a place."""
    return (jump for jump, target in places(program).jumps if target <= place <= jump)


def _met(program: Program, place: int, answer: int) -> Iterator[int]:
    """Where the ways meet again that part at the first jump after a place, if rules part there and it is the answer's.

    An answer that is only noted has no such jump: what it does may come at any time until its rule is done.
    """
    code, cells = program.code, {answer}
    for _ in range(NEAR):
        op, operands = code[place], code[place + 1 : place + o.SIZE[code[place]]]
        if place in places(program).forks and cells.intersection(operands[:-1]):
            end = immediate_postdominator(program, place)
            if end >= 0 and code[end] not in (o.RET, o.OVER):
                yield end
        if op != o.MOV:
            return
        if operands[1] in cells:
            cells.add(operands[0])
        place += o.SIZE[op]


@dataclass(frozen=True, slots=True)
class EndingPlaces:
    """Where something may end in a program: every backward jump with the place it leads to, and the ends of phases.

    `forks` are the jumps at which rules go one way or another.
    """

    jumps: tuple[tuple[int, int], ...]
    leavings: tuple[int, ...]
    forks: frozenset[int]


def places(program: Program) -> EndingPlaces:
    return _places(Same(program))


@lru_cache(maxsize=4)
def _places(same: Same) -> EndingPlaces:
    code, starts = same.program.code, sorted(instructions(same.program)[1])
    jumps = ((at, code[at + o.SIZE[code[at]] - 1]) for at in starts if o.JMP <= code[at] <= o.LOOPN)
    return EndingPlaces(
        tuple((at, to) for at, to in jumps if to <= at),
        tuple(at for at in starts if code[at] == o.LEAVE),
        frozenset(fork.at for fork in same.program.forks),
    )
