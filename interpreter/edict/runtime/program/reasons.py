"""Explanations of a program's own conditions, used only when somebody asks why, never while playing.

Every condition that decides whether something is offered has a `ConditionCheck`: its text, and queries for whether
it holds and for the values it mentions. They read the state in which a question waits for its answer.
"""

from __future__ import annotations

from typing import Any

from edict.support.records import dataclass


@dataclass(frozen=True)
class ReasonValue:
    """A value that a condition mentions."""

    text: str  # its name; with `have`, that of the resource
    query: int
    have: bool = False  # it is how much of a resource the player has
    words: str = ""  # the same in English, for players; empty if the text already is


@dataclass(frozen=True)
class ConditionCheck:
    """A condition.

    In texts, {0}, {1} ... stand for its subjects: first the option, then the member of each set iterated over.
    """

    shape: str  # `is` (asked as a whole), `all` or `any` of its parts, `every` or `some` of its members
    text: str
    cause: int
    query: int = -1  # computes whether it holds; for `every` and `some`, the members
    kind: str = ""  # kind of the members
    parts: tuple[int, ...] = ()
    values: tuple[ReasonValue, ...] = ()
    secret: bool = False  # it mentions something drawn or chosen in secret
    words: str = ""  # the text in English, for players; empty if the text already is


@dataclass(frozen=True)
class ReasonAlternative:
    """A rule exception that may replace a rule, or a shift that helps a payment."""

    cause: int
    check: int = -1  # its condition; -1 for always
    require: int = -1  # what it demands itself; -1 for nothing
    because: str = ""
    title: str = ""  # title of its rule or thing, as in a sentence


@dataclass(frozen=True)
class OptionRequirement:
    """A requirement on an option of a question."""

    question: int
    sort: str  # rule, where, from, range, if, price, held, dice, total, next, works, once, used
    cause: int
    check: int
    option: int | None  # value of the option; None for all of them
    name: str
    because: str
    # rule exceptions, the first that holds counting before the requirement itself; for `dice` and `total` the shifts
    unless: tuple[ReasonAlternative, ...]


@dataclass(frozen=True)
class ComputedQuantity:
    """A quantity that can be computed at any time."""

    name: str
    title: str
    kinds: tuple[str, ...]  # kinds of its parameters
    you: int  # first parameter that is a player; -1 without one
    query: int  # -1 for a plain number that nothing adjusts
    cause: int
    value: int = 0  # that number


@dataclass(frozen=True)
class Assertion:
    """A condition that must hold at every question, or an event that must never happen."""

    name: str
    sentence: str
    cause: int
    check: int  # the condition
    query: int  # computes whether it holds; -1 for an event
    edge: str  # the event that must never happen
    of: tuple[str, ...]  # names of the variables to which it must not happen


@dataclass(frozen=True)
class Reasons:
    """All explanations of a program."""

    checks: tuple[ConditionCheck, ...] = ()
    demands: tuple[OptionRequirement, ...] = ()
    measures: tuple[ComputedQuantity, ...] = ()  # quantities that are numbers
    when: tuple[tuple[int, str], ...] = ()  # (cause of a conditional adjustment, words of its condition)
    # (cause of a part of a quantity's formula between plus and minus, its text)
    parts: tuple[tuple[int, str], ...] = ()
    # (question with dice, change of the total by each combination of shifts)
    totals: tuple[tuple[str, tuple[int, ...]], ...] = ()
    homes: tuple[tuple[str, str], ...] = ()  # (file, module)
    values: tuple[ComputedQuantity, ...] = ()  # what else the rules compute; the type is that of the query
    # (cause of an announcement, cause of a step that it reports, variable that the step changes or shows, or "")
    reports: tuple[tuple[int, int, str], ...] = ()


def parse_reasons(raw: dict[str, Any]) -> Reasons:
    """Parse reasons from JSON data."""

    def parse_check(item: dict[str, Any]) -> ConditionCheck:
        """Build a condition check with its parts and values from JSON data."""
        values = tuple(ReasonValue(**value) for value in item["values"])
        return ConditionCheck(**{**item, "parts": tuple(item["parts"]), "values": values})

    def parse_requirement(item: dict[str, Any]) -> OptionRequirement:
        """Build an option's requirement with its alternatives (`unless`) from JSON data."""
        return OptionRequirement(**{**item, "unless": tuple(ReasonAlternative(**x) for x in item["unless"])})

    return Reasons(
        tuple(parse_check(item) for item in raw["checks"]),
        tuple(parse_requirement(item) for item in raw["demands"]),
        tuple(ComputedQuantity(**{**item, "kinds": tuple(item["kinds"])}) for item in raw["measures"]),
        tuple((cause, words) for cause, words in raw["when"]),
        tuple((cause, text) for cause, text in raw["parts"]),
        tuple((question, tuple(by)) for question, by in raw["totals"]),
        tuple((file, module) for file, module in raw["homes"]),
        tuple(ComputedQuantity(**{**item, "kinds": tuple(item["kinds"])}) for item in raw["values"]),
        tuple((announcement, step, name) for announcement, step, name in raw.get("reports", ())),
    )


def parse_assertion(raw: dict[str, Any]) -> Assertion:
    """Parse an assertion from JSON data."""
    return Assertion(**{**raw, "of": tuple(raw["of"])})


__all__ = [
    "Assertion",
    "ConditionCheck",
    "OptionRequirement",
    "ReasonAlternative",
    "ComputedQuantity",
    "Reasons",
    "ReasonValue",
    "parse_assertion",
    "parse_reasons",
]
