"""The work that one check may do, counted in the same way everywhere: what is written out, gone through and tried.

What a check costs does not follow from the length of the rules alone: a line may stand for a thousand things, and one
definition may be looked at from each of the others. So every pass draws on one budget, which begins with the check.
A unit of work is what takes about a microsecond; the count is the same on every machine, whatever is cached.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from edict.report import Diagnostic, RulesError
from edict.sources.input_limits import MOST_WORK, count_signs
from edict.text import NOWHERE, Source, Span

READING = 50  # units for each word and sign that is read
READING_AGAIN = 15  # of a file of which something else was read before
CHECKING = 20  # for each word and sign, in all passes after that
LOWERING = 15
WRITING_OUT = 20  # for each node of a thing that a combination stands for
LOOKING_AHEAD = 200  # to ask whether one step can be completed, which becomes code of its own


class WorkExceeded(RulesError):
    """A check that would take too much work."""


class WorkBudget:
    """What one check may still do, and the definition that is being worked on."""

    def __init__(self, most: int = MOST_WORK) -> None:
        self.most = self.left = most
        self.name, self.span = "", NOWHERE
        self._files: set[str] = set()
        self._read: set[Source] = set()

    @property
    def spent(self) -> int:
        return self.most - self.left

    def spend(self, units: int) -> None:
        """Take so many units; raise `WorkExceeded` if there are no more."""
        self.left -= units
        if self.left < 0:
            raise WorkExceeded([self.exceeded()])

    def spend_reading(self, source: Source) -> None:
        """Take what it costs to read a file; nothing if it was read with this text before."""
        if source not in self._read:
            cost = READING_AGAIN if source.name in self._files else READING
            self._files.add(source.name)
            self._read.add(source)
            self.spend(cost * count_signs(source))

    def exceeded(self) -> Diagnostic:
        """Return what is said of a check that is given up."""
        about = f"`{self.name}`" if self.name else "these rules"
        return Diagnostic(
            "E0713", f"to work out {about} takes too long", self.span,
            note=f"A check takes up to {self.most:,} steps, and these rules need more: a short line can stand for many "
            "things, or have to be compared with many others.",
            help="write out fewer things, or make this definition shorter: let it refer to fewer others",
        )  # fmt: skip


_CURRENT: ContextVar[WorkBudget | None] = ContextVar("work_budget", default=None)


@contextmanager
def work_budget(most: int = MOST_WORK) -> Iterator[WorkBudget]:
    """Let everything inside draw on one budget: on that which is in force already, if there is one."""
    current = _CURRENT.get()
    if current is not None:
        yield current
        return
    token = _CURRENT.set(WorkBudget(most))
    try:
        yield _CURRENT.get() or WorkBudget(most)
    finally:
        _CURRENT.reset(token)


def spend(units: int) -> None:
    """Take units from the budget in force, if there is one."""
    current = _CURRENT.get()
    if current is not None:
        current.spend(units)


def spend_reading(source: Source) -> None:
    """Take what it costs to read a file, if there is a budget."""
    current = _CURRENT.get()
    if current is not None:
        current.spend_reading(source)


def can_spend(units: int) -> bool:
    """Return whether so many units are left, so that something optional may be done."""
    current = _CURRENT.get()
    return current is None or current.left >= units


def work_on(name: str, span: Span) -> None:
    """Note which definition is being worked on, which is named if the budget ends there."""
    current = _CURRENT.get()
    if current is not None:
        current.name, current.span = name, span


def give_up() -> WorkExceeded:
    """Return the error for work without a foreseeable end at the definition that is being worked on."""
    return WorkExceeded([(_CURRENT.get() or WorkBudget()).exceeded()])
