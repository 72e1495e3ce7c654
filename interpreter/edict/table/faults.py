"""A fault of the machine, told as a diagnostic with the place in the rules it happened at."""

from __future__ import annotations

from collections.abc import Sequence

from edict.program import Program
from edict.program.opcodes import (
    DIVISION, ENDLESS, FAULTS, NO_ANSWER, NOTHING_THERE, OUT_OF_RANGE, PC, STATUS, TOO_DEEP, TOO_MANY, TOO_MANY_DICE,
)  # fmt: skip
from edict.report import Diagnostic, RulesError
from edict.text import Span

CODE = "E0900"

REMEDIES = {
    DIVISION: "ask first, with `if`, whether the divisor is 0",
    NOTHING_THERE: "ask first, with `is not none`, whether there is something",
    ENDLESS: "make sure that something in each turn of the loop brings its end nearer",
    TOO_DEEP: "make sure that a routine does not call itself without an end",
    TOO_MANY: "narrow the choice with `where`, or split it into two",
    NO_ANSWER: "put the choice under an `if` that asks whether there is anything to choose, or use `may`",
    TOO_MANY_DICE: "limit how many dice can come together",
    OUT_OF_RANGE: "widen the range it is declared with, or ask first whether the change is possible",
}


def fault(program: Program, state: Sequence[int]) -> RulesError:
    """The error for a state in which the machine stopped with a fault."""
    status = state[STATUS]
    cause = program.cause_at(state[PC])
    return RulesError(
        [
            Diagnostic(
                code=CODE,
                title=f"{cause.title or cause.name or 'a rule'}: {FAULTS.get(status, 'stopped for no known reason')}",
                span=Span(cause.file, cause.line, cause.column, cause.line, cause.column + 1),
                note="this happened while the game was being played; the game stands as it was before the answer",
                help=REMEDIES.get(status, "look at the rule named here"),
            )
        ]
    )
