"""A fault of the machine as a diagnostic, with the place in the rules where it happened.

Of a number beyond its range it is said which keep it was, how far that goes, and what it would have held; of a loop
that never ends, which it is. The machine stops wherever its budget ran out: in the loop itself, in one inside it, or in
a routine called there. So the state is played on for a while, and the outermost backward jump that recurs is the
loop's. Where it was the players' answers that led nowhere, answers are made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edict.game.table.addresses import Layout
from edict.runtime.machine.loop import BUDGET, run
from edict.runtime.machine.mixing import draw
from edict.runtime.machine.observed_code import ObservedCode
from edict.runtime.program import Cause, Program, Variable
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import instructions
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    CHANCE,
    DIVISION,
    ENDLESS,
    FAULTS,
    JMP,
    LOGGING,
    LOOPN,
    NO_ANSWER,
    NOTHING_THERE,
    OPTIONS,
    OUT_OF_RANGE,
    PC,
    RUNNING,
    SEAT,
    SIZE,
    SP,
    SPENT,
    STATUS,
    TOO_BIG,
    TOO_DEEP,
    TOO_LONG,
    TOO_MANY,
    TOO_MANY_DICE,
    TOTAL,
)
from edict.support.report import Diagnostic, RulesError
from edict.support.text import Span

CODE = "E0900"
PLAYED = "this happened while the game was being played; the game stands as it was before the answer"

REMEDIES = {
    DIVISION: "check first, with `if`, whether the divisor is 0",
    NOTHING_THERE: "check first, with `is not none`, whether there is something",
    ENDLESS: "make sure that each pass of the loop brings its end nearer; if it looks for what can be chosen together, "
    "let `where` or more rules leave less of it",
    TOO_DEEP: "make sure that a routine does not call itself endlessly",
    TOO_MANY: "narrow the choice with `where`, or split it into two",
    NO_ANSWER: "put the choice under an `if` that checks whether there is anything to choose, or use `may`",
    TOO_MANY_DICE: "limit how many dice can come together",
    OUT_OF_RANGE: "widen the range it is declared with, or check first whether the change is possible",
    TOO_BIG: "keep it below 4,000,000,000,000,000,000, and what is multiplied below 2,000,000,000",
    TOO_LONG: "make sure that the game ends, whatever the players choose",
}


def fault(program: Program, state: Sequence[int], note: str = PLAYED) -> RulesError:
    """The error for a state in which the machine stopped with a fault."""
    status = state[STATUS]
    cause = _endless_loop(program, state) if status in (ENDLESS, TOO_LONG) else program.cause_at(state[PC])
    known = FAULTS.get(status, "stopped for an unknown reason"), REMEDIES.get(status, "look at the rule named here")
    said, remedy = (_out_of_range(program, state) if status == OUT_OF_RANGE else None) or known
    title = f"{named(cause)}: {said}"
    return RulesError([Diagnostic(code=CODE, title=title, span=place(cause), note=note, help=remedy)])


def log_too_long(cause: Cause, most: int) -> RulesError:
    """The error for rules that say more than anybody reads, and that would fill memory with it."""
    return RulesError(
        [
            Diagnostic(
                code=CODE,
                title=f"{named(cause)}: the log of this game is too long",
                span=place(cause),
                note=f"A log may have {most:,} characters.",
                help="announce less, shorten the titles, or make sure that the game ends sooner",
            )
        ]
    )


def named(cause: Cause) -> str:
    """What a rule is called."""
    return cause.title or cause.name or "a rule"


def place(cause: Cause) -> Span:
    return Span(cause.file, cause.line, cause.column, cause.line, cause.column + 1)


# --- a number beyond its range --------------------------------------------------------------------------

NEAR = 12  # instructions after the test within which the number is put somewhere
PUT = {o.SET: 2, o.STX: 3, o.STXX: 5, o.PUTX: 3, o.MOV: 2}  # where they say what they put


def _out_of_range(program: Program, state: Sequence[int]) -> tuple[str, str] | None:
    """What went wrong in a state that is out of range, and what to do; nothing if that cannot be told."""
    pc, code = state[o.PC], program.code
    if code[pc] == o.DTAKE:
        return "dice were to be taken away that are not there", (
            "take away only what lies there: choose it there first, or check with `if`"
        )
    if code[pc] != o.RANGE:
        return None
    value, low, high = (state[code[pc + i]] for i in (1, 2, 3))
    kept = _put_into(program, pc)
    if kept is None:
        return f"a number from {low:,} to {high:,} is needed here, and this is {value:,}", (
            f"check first, with `if`, that it is from {low:,} to {high:,}"
        )
    least, most = min(low, value), max(high, value)
    of = f" of {' by '.join(kept.kinds)}" if kept.kinds else ""
    wider = f"keep {kept.name}{of} as number from {least} to {most}"
    return f"`{kept.name}` would become {value:,}, and it goes from {low:,} to {high:,}", (
        f"declare `{wider}` or wider, or check with `if` before it changes"
    )


def _put_into(program: Program, pc: int) -> Variable | None:
    """The keep into which a number is put right after it was tested."""
    code, end, starts = program.code, *instructions(program)
    at, seen = pc + o.SIZE[o.RANGE], 0
    while at < end and at in starts and seen < NEAR:
        op = code[at]
        if op in PUT and code[at + PUT[op]] == code[pc + 1]:
            found = Layout.of(program).cells.get(code[at + 1])
            if found is not None:
                return found.variable
        at, seen = at + o.SIZE[op], seen + 1
    return None


# --- a loop that never ends -----------------------------------------------------------------------------

TRIED = 200  # answers that are made up


def _endless_loop(program: Program, state: Sequence[int]) -> Cause:
    """The loop in which the machine ran out of its budget; if none is seen, what it did last."""
    scratch = list(state)
    watched = _BackwardJumps(program, scratch)
    asking = state[STATUS] == TOO_LONG
    scratch[STATUS], scratch[LOGGING], scratch[SPENT], scratch[TOTAL] = RUNNING, 0, BUDGET // 2, 0
    given = 0
    while run(watched, scratch, [0]) == ASKING and (scratch[SEAT] == CHANCE or (asking and given < TRIED)):
        scratch[ANSWER] = draw(0, given, scratch[OPTIONS])
        given += 1
    found = watched.outermost()
    return _head(program, *found) if found else program.cause_at(state[PC])


def _head(program: Program, back: int, to: int) -> Cause:
    """Of the two ends of a loop the one that stands first in its rule, for its words begin there."""
    end, start = program.cause_at(back), program.cause_at(to)
    same = (end.file, end.name) == (start.file, start.name)
    return min(end, start, key=lambda cause: (cause.line, cause.column)) if same else end


class _BackwardJumps(ObservedCode):
    """The code, which notes when the machine looks at a backward jump, and how deep in routines it is then."""

    def __init__(self, program: Program, state: list[int]) -> None:
        super().__init__(program.code)
        self._state = state
        self._jumps = _jumps_back(program)
        self._seen: dict[int, tuple[int, int]] = {}  # by jump: how often, at which depth at least

    def __getitem__(self, place: Any) -> Any:
        if place in self._jumps:
            often, depth = self._seen.get(place, (0, len(self._state)))
            self._seen[place] = often + 1, min(depth, self._state[SP])
        return self.code[place]

    def outermost(self) -> tuple[int, int] | None:
        """Of the jumps that came again the one least deep in routines, and of those the farthest; and whereto."""
        again = [(depth, self._jumps[at] - at, at) for at, (often, depth) in self._seen.items() if often > 1]
        return (min(again)[2], self._jumps[min(again)[2]]) if again else None


def _jumps_back(program: Program) -> dict[int, int]:
    """The places of all backward jumps, and their targets."""
    code = program.code
    jumps = (at for at in instructions(program)[1] if JMP <= code[at] <= LOOPN)
    return {at: to for at in jumps if (to := code[at + SIZE[code[at]] - 1]) <= at}
