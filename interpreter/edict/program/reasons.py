"""What a program can say of its own conditions: asked only when somebody wants to know why, never while playing.

Every condition that decides whether something is offered has a `Check`: its text, and queries that work out
whether it holds and the values it speaks of. They read the state as it is while a question waits for its answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Value:
    """A value a condition speaks of. `text` names it; if it is how much of a resource you `have`, the resource.

    `words` is the same in English, for players; empty where `text` is that already.
    """

    text: str
    query: int
    have: bool = False
    words: str = ""


@dataclass(frozen=True)
class Check:
    """A condition. shape: `is` (asked as a whole), `all` or `any` of its parts, `every` or `some` of its members.

    In texts {0}, {1} ... stand for what is asked about: first the option, then the member of each set gone through.
    `query` works out whether it holds; of `every` and `some` it gives the members, which are of a `kind`.
    `secret`: it speaks of something that was drawn or chosen in secret. `words` is the text in English, for players;
    empty where the text is that already.
    """

    shape: str
    text: str
    cause: int
    query: int = -1
    kind: str = ""
    parts: tuple[int, ...] = ()
    values: tuple[Value, ...] = ()
    secret: bool = False
    words: str = ""


@dataclass(frozen=True)
class Instead:
    """What may stand in the place of a rule, or help a payment: when (-1: always), and what it asks (-1: nothing)."""

    cause: int
    check: int = -1
    require: int = -1
    because: str = ""


@dataclass(frozen=True)
class Demand:
    """What an option of a question must meet; `option` is its value, or None for all of them.

    sort: rule, where, from, range, if, price, held, dice, total, next, works, once, used. `unless` holds exceptions,
    the first that holds counting before the demand itself, and of `dice` and `total` the shifts.
    """

    question: int
    sort: str
    cause: int
    check: int
    option: int | None
    name: str
    because: str
    unless: tuple[Instead, ...]


@dataclass(frozen=True)
class Measure:
    """A quantity that can be worked out at any time.

    `kinds` are those of its parameters, `you` is the first that is a player (-1: none is). A plain number that nothing
    adjusts has no `query` (-1), but its `value`.
    """

    name: str
    title: str
    kinds: tuple[str, ...]
    you: int
    query: int
    cause: int
    value: int = 0


@dataclass(frozen=True)
class Assertion:
    """What must hold whenever something is asked; or never happen (`edge`) to what is kept under the names in `of`.

    `check` is the condition, and `query` whether it holds; -1: always, for what must never happen.
    """

    name: str
    sentence: str
    cause: int
    check: int
    query: int
    edge: str
    of: tuple[str, ...]


@dataclass(frozen=True)
class Reasons:
    """All of it.

    `when` has for the cause of each adjustment that does not always count the words of its condition, `parts` for that
    of each part of a quantity's own formula (between plus and minus) its text, `totals` for each question with which
    dice by how much every combination of shifts changes the total, and `homes` which module each file belongs to.
    `reports` has for the cause of each announcement the causes of the steps that it reports, each with the variable
    that the step changes or shows ("" if it does neither). `measures` are numbers; `values` are what else the rules
    work out, of the types of their queries.
    """

    checks: tuple[Check, ...] = ()
    demands: tuple[Demand, ...] = ()
    measures: tuple[Measure, ...] = ()
    when: tuple[tuple[int, str], ...] = ()
    parts: tuple[tuple[int, str], ...] = ()
    totals: tuple[tuple[str, tuple[int, ...]], ...] = ()
    homes: tuple[tuple[str, str], ...] = ()
    values: tuple[Measure, ...] = ()
    reports: tuple[tuple[int, int, str], ...] = ()


def reasons_from(raw: dict[str, Any]) -> Reasons:
    """Read back from JSON data."""

    def check(one: dict[str, Any]) -> Check:
        values = tuple(Value(**value) for value in one["values"])
        return Check(**{**one, "parts": tuple(one["parts"]), "values": values})

    def demand(one: dict[str, Any]) -> Demand:
        return Demand(**{**one, "unless": tuple(Instead(**x) for x in one["unless"])})

    return Reasons(
        tuple(check(one) for one in raw["checks"]),
        tuple(demand(one) for one in raw["demands"]),
        tuple(Measure(**{**one, "kinds": tuple(one["kinds"])}) for one in raw["measures"]),
        tuple((cause, words) for cause, words in raw["when"]),
        tuple((cause, text) for cause, text in raw["parts"]),
        tuple((question, tuple(by)) for question, by in raw["totals"]),
        tuple((file, module) for file, module in raw["homes"]),
        tuple(Measure(**{**one, "kinds": tuple(one["kinds"])}) for one in raw["values"]),
        tuple((announcement, step, name) for announcement, step, name in raw.get("reports", ())),
    )


def assertion_from(raw: dict[str, Any]) -> Assertion:
    """Read back from JSON data."""
    return Assertion(**{**raw, "of": tuple(raw["of"])})


__all__ = [
    "Assertion", "Check", "Demand", "Instead", "Measure", "Reasons", "Value", "assertion_from", "reasons_from",
]  # fmt: skip
