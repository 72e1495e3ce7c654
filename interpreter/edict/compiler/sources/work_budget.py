"""The budget of work for one check, counted the same way in every pass.

The cost of a check does not follow from the length of the rules alone: a line may expand to a thousand things, and a
definition may be compared with every other. So all passes of a check draw on one budget. A unit of work takes about
a microsecond; the count is the same on every machine and does not depend on caches.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from edict.compiler.sources.input_limits import MOST_WORK, count_signs
from edict.support.report import Diagnostic, RulesError
from edict.support.text import NOWHERE, Source, Span

READING = 50  # units for each word and sign that is read
READING_AGAIN = 15  # the same for a file of which another text was read before
CHECKING = 20  # for each word and sign, in all passes between reading and lowering
LOWERING = 15  # for each word and sign, to lower it
WRITING_OUT = 20  # for each node of a thing that a combination expands to
LOOKING_AHEAD = 200  # to test whether one step can be completed, which becomes code of its own


class WorkExceeded(RulesError):
    """Raised when a check would take too much work."""


class WorkBudget:
    """The remaining work of one check, and the definition in progress."""

    def __init__(self, most: int = MOST_WORK) -> None:
        self.most = self.left = most
        self.name, self.span = "", NOWHERE
        self._files: set[str] = set()
        self._read: set[Source] = set()

    @property
    def spent(self) -> int:
        """The units used so far."""
        return self.most - self.left

    def spend(self, units: int) -> None:
        """Take units from the budget.

        Raises:
            WorkExceeded: The budget has fewer left.
        """
        self.left -= units
        if self.left < 0:
            raise WorkExceeded([self.exceeded_diagnostic()])

    def spend_reading(self, source: Source) -> None:
        """Take the cost of reading a file, or nothing if this text of it was read before."""
        if source not in self._read:
            cost = READING_AGAIN if source.name in self._files else READING
            self._files.add(source.name)
            self._read.add(source)
            self.spend(cost * count_signs(source))

    def exceeded_diagnostic(self) -> Diagnostic:
        """Return the diagnostic for a check that is given up."""
        about = f"`{self.name}`" if self.name else "these rules"
        return Diagnostic(
            "E0713",
            f"to work out {about} takes too long",
            self.span,
            note=f"A check takes up to {self.most:,} steps, and these rules need more: a short line can stand for many "
            "things, or have to be compared with many others.",
            help="write out fewer things, or make this definition shorter: let it refer to fewer others",
        )


_CURRENT: ContextVar[WorkBudget | None] = ContextVar("work_budget", default=None)


@contextmanager
def use_work_budget(most: int = MOST_WORK) -> Iterator[WorkBudget]:
    """Provide a budget for everything inside; a budget that is already in force stays."""
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
    """Take the cost of reading a file from the budget in force, if there is one."""
    current = _CURRENT.get()
    if current is not None:
        current.spend_reading(source)


def can_spend(units: int) -> bool:
    """Return True if the budget has so many units left, so that optional work may be done."""
    current = _CURRENT.get()
    return current is None or current.left >= units


def set_current_definition(name: str, span: Span) -> None:
    """Record the definition in progress, which is named if the budget runs out."""
    current = _CURRENT.get()
    if current is not None:
        current.name, current.span = name, span


def budget_error() -> WorkExceeded:
    """Return the error for work at the current definition that would have no foreseeable end."""
    return WorkExceeded([(_CURRENT.get() or WorkBudget()).exceeded_diagnostic()])
