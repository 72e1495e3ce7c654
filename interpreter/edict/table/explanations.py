"""What an explanation is made of: terms and numbers, the chain of rules, and all of it for a line of the log."""

from __future__ import annotations

from dataclasses import dataclass

from edict.program import Cause
from edict.table.log_entries import Entry
from edict.table.constraints import Reason


@dataclass(frozen=True, slots=True)
class Term:
    """One of the terms of a number: how much, of what, and the rule that brought it in (None: simply what there is).

    `when` is the condition under which the rule counts, in words.
    """

    amount: int
    label: str
    cause: Cause | None
    module: str = ""
    when: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """A number and its terms; `hidden` if those hang on something one may not know, and so are not told.

    `value` is None if the number itself does.
    """

    name: str
    value: int | None
    terms: tuple[Term, ...]
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A rule in a chain of causes, and its module if it has one."""

    cause: Cause
    module: str


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a line is in the log. `chain` runs from the course of the game inward; the last link is the rule itself.

    `answer` is what a player had just answered; `met` is what an answer had to meet to be possible.
    """

    entry: Entry
    chain: tuple[Link, ...]
    numbers: tuple[Number, ...]
    answer: str = ""
    met: tuple[Reason, ...] = ()
