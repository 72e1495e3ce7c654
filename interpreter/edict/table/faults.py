"""A fault of the machine as a diagnostic, with the place in the rules where it happened."""

from __future__ import annotations

from collections.abc import Sequence

from edict.program import Cause, Program
from edict.program.opcodes import (
    DIVISION, ENDLESS, FAULTS, NO_ANSWER, NOTHING_THERE, OUT_OF_RANGE, PC, STATUS, TOO_BIG, TOO_DEEP, TOO_LONG,
    TOO_MANY, TOO_MANY_DICE,
)  # fmt: skip
from edict.report import Diagnostic, RulesError
from edict.table.overrun import overrun
from edict.table.turning import turning
from edict.text import Span

CODE = "E0900"
PLAYED = "this happened while the game was being played; the game stands as it was before the answer"

REMEDIES = {
    DIVISION: "check first, with `if`, whether the divisor is 0",
    NOTHING_THERE: "check first, with `is not none`, whether there is something",
    ENDLESS: "make sure that each pass of the loop brings its end nearer",
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
    cause = turning(program, state) if status in (ENDLESS, TOO_LONG) else program.cause_at(state[PC])
    known = FAULTS.get(status, "stopped for an unknown reason"), REMEDIES.get(status, "look at the rule named here")
    said, remedy = (overrun(program, state) if status == OUT_OF_RANGE else None) or known
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
