"""Faults of the machine as diagnostics, with the place in the rules where they happened.

For a number beyond its range, the diagnostic names the keep, its range and the value; for an endless loop, the loop.
The machine stops wherever its budget runs out: in the loop itself, in one inside it, or in a routine called there. So
the state is played on for a while, and the outermost backward jump that recurs belongs to the loop. If the players'
answers led nowhere, answers are made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edict.game.table.addresses import StateLayout
from edict.runtime.machine.events import ObservedCode
from edict.runtime.machine.loop import BUDGET, run
from edict.runtime.machine.mixing import draw
from edict.runtime.program import Cause, Program, StateVariable
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import find_instructions
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

FAULT_CODE = "E0900"
IN_PLAY_NOTE = "this happened while the game was being played; the game stands as it was before the answer"

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


def fault_error(program: Program, state: Sequence[int], note: str = IN_PLAY_NOTE) -> RulesError:
    """Return the error for a state in which the machine stopped with a fault."""
    status = state[STATUS]
    if status in (ENDLESS, TOO_LONG):
        cause = _find_endless_loop(program, state)
    else:
        cause = program.cause_at(state[PC])
    default = FAULTS.get(status, "stopped for an unknown reason"), REMEDIES.get(status, "look at the rule named here")
    message, remedy = (_describe_out_of_range(program, state) if status == OUT_OF_RANGE else None) or default
    title = f"{rule_label(cause)}: {message}"
    return RulesError([Diagnostic(code=FAULT_CODE, title=title, span=cause_span(cause), note=note, help=remedy)])


def log_length_error(cause: Cause, limit: int) -> RulesError:
    """Return the error for rules whose log grows beyond its limit."""
    return RulesError(
        [
            Diagnostic(
                code=FAULT_CODE,
                title=f"{rule_label(cause)}: the log of this game is too long",
                span=cause_span(cause),
                note=f"A log may have {limit:,} characters.",
                help="announce less, shorten the titles, or make sure that the game ends sooner",
            )
        ]
    )


def rule_label(cause: Cause) -> str:
    """Return a rule's title or name."""
    return cause.title or cause.name or "a rule"


def cause_span(cause: Cause) -> Span:
    """Return the place of a cause as a span."""
    return Span(cause.file, cause.line, cause.column, cause.line, cause.column + 1)


# --- a number beyond its range --------------------------------------------------------------------------

MOST_INSTRUCTIONS = 12  # instructions after the range check within which the number is stored
# for each storing instruction, the operand that is stored
VALUE_OPERANDS = {o.SET: 2, o.STX: 3, o.STXX: 5, o.PUTX: 3, o.MOV: 2}


def _describe_out_of_range(program: Program, state: Sequence[int]) -> tuple[str, str] | None:
    """Return message and remedy for a number beyond its range, or None if unknown."""
    pc, code = state[o.PC], program.code
    if code[pc] == o.DTAKE:
        return "dice were to be taken away that are not there", (
            "take away only what lies there: choose it there first, or check with `if`"
        )
    if code[pc] != o.RANGE:
        return None
    value, low, high = (state[code[pc + i]] for i in (1, 2, 3))
    variable = _find_stored_variable(program, pc)
    if variable is None:
        return f"a number from {low:,} to {high:,} is needed here, and this is {value:,}", (
            f"check first, with `if`, that it is from {low:,} to {high:,}"
        )
    least, highest = min(low, value), max(high, value)
    owners = f" of {' by '.join(variable.kinds)}" if variable.kinds else ""
    declaration = f"keep {variable.name}{owners} as number from {least} to {highest}"
    return f"`{variable.name}` would become {value:,}, and it goes from {low:,} to {high:,}", (
        f"declare `{declaration}` or wider, or check with `if` before it changes"
    )


def _find_stored_variable(program: Program, pc: int) -> StateVariable | None:
    """Return the variable in which a number is stored right after its range check."""
    code, end, starts = program.code, *find_instructions(program)
    address, count = pc + o.SIZE[o.RANGE], 0
    while address < end and address in starts and count < MOST_INSTRUCTIONS:
        op = code[address]
        if op in VALUE_OPERANDS and code[address + VALUE_OPERANDS[op]] == code[pc + 1]:
            cell = StateLayout.from_program(program).cells.get(code[address + 1])
            if cell is not None:
                return cell.variable
        address, count = address + o.SIZE[op], count + 1
    return None


# --- a loop that never ends -----------------------------------------------------------------------------

MOST_TRIED = 200  # answers that are made up


def _find_endless_loop(program: Program, state: Sequence[int]) -> Cause:
    """Return the place of the outermost loop that repeats when the game runs on; else of the current code."""
    scratch = list(state)
    code = _BackwardJumpCounter(program, scratch)
    asking = state[STATUS] == TOO_LONG
    scratch[STATUS], scratch[LOGGING], scratch[SPENT], scratch[TOTAL] = RUNNING, 0, BUDGET // 2, 0
    answers = 0
    while run(code, scratch, [0]) == ASKING and (scratch[SEAT] == CHANCE or (asking and answers < MOST_TRIED)):
        scratch[ANSWER] = draw(0, answers, scratch[OPTIONS])
        answers += 1
    jump = code.outermost()
    return _loop_cause(program, *jump) if jump else program.cause_at(state[PC])


def _loop_cause(program: Program, source: int, target: int) -> Cause:
    """Return the end of a loop that comes first in its rule, where its text begins."""
    end, start = program.cause_at(source), program.cause_at(target)
    is_same_rule = (end.file, end.name) == (start.file, start.name)
    if is_same_rule:
        return min(end, start, key=lambda cause: (cause.line, cause.column))
    return end


class _BackwardJumpCounter(ObservedCode):
    """Code that counts reads of backward jumps with the depth of the call stack."""

    def __init__(self, program: Program, state: list[int]) -> None:
        super().__init__(program.code)
        self._state = state
        self._jumps = _backward_jumps(program)
        self._counts: dict[int, tuple[int, int]] = {}  # by jump: number of reads, lowest depth

    def __getitem__(self, place: Any) -> Any:
        if place in self._jumps:
            count, depth = self._counts.get(place, (0, len(self._state)))
            self._counts[place] = count + 1, min(depth, self._state[SP])
        return self.code[place]

    def outermost(self) -> tuple[int, int] | None:
        """Return (jump, target) of the repeated loop at the lowest depth; None if nothing repeats."""
        recurring = [
            (depth, self._jumps[address] - address, address)
            for address, (count, depth) in self._counts.items()
            if count > 1
        ]
        if recurring:
            return (min(recurring)[2], self._jumps[min(recurring)[2]])
        return None


def _backward_jumps(program: Program) -> dict[int, int]:
    """Return the addresses of all backward jumps with their targets."""
    code = program.code
    jumps = (address for address in find_instructions(program)[1] if JMP <= code[address] <= LOOPN)
    return {address: target for address in jumps if (target := code[address + SIZE[code[address]] - 1]) <= address}
