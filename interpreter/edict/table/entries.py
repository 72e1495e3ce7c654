"""The lines of the log as values: who may read each, and what the others read instead."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from edict.program import Cause
from edict.table.turnover import Look, Term
from edict.table.wording import Amount

PHASE, CHOICE, LUCK, GAIN, CHANGE, SHOWN, SAID = "phase", "choice", "luck", "gain", "change", "shown", "said"
LOOK, SHUFFLE, ROLLED = "look", "shuffle", "Rolled"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log.

    `kind` is phase, choice, luck, gain, change, shown, said, or look: a moment of which `View.summary` tells. `seats`
    are those who may read the text (None: everyone); the others read `veiled`, or nothing where that is empty. `seat`
    is the player it is about, or -1. `level` counts the phases around it; of a phase's own entry, itself included.
    """

    kind: str
    text: str
    cause: Cause
    phase: str
    seat: int = -1
    seats: frozenset[int] | None = None
    veiled: str = ""
    terms: tuple[Term, ...] = ()
    level: int = 0
    openly: Cause | None = field(default=None, compare=False)  # for whoever must not notice which way a secret went
    amount: Amount | None = field(default=None, compare=False)  # what is gained or lost
    at: tuple[int, int, int] | None = field(default=None, compare=False)  # of which step, from event to event
    look: Look | None = field(default=None, compare=False, repr=False)

    @property
    def rolled(self) -> bool:
        """Whether it is about dice."""
        return self.kind == LUCK and self.text.startswith(f"{ROLLED}: ")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        rule = f"{self.cause.title or self.cause.name}, ".removeprefix(", ")
        return f"<{self.text} ({rule}{self.cause.file}:{self.cause.line})>"

    def seen_by(self, seat: int) -> Entry | None:
        """The entry as one seat may read it, or None."""
        if self.look is not None:
            return replace(self, look=None)  # it holds the whole state; a view tells what the seat may know of it
        if self.seats is not None and seat in self.seats:
            return self
        open_ = self if self.openly is None else replace(self, cause=self.openly, openly=None)
        if self.seats is None:
            return open_
        return replace(open_, text=self.veiled, veiled="", seats=None, terms=(), amount=None) if self.veiled else None
