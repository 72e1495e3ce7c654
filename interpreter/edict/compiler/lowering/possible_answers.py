"""Bounds of answers and scores that the rules determine before play."""

from __future__ import annotations

from math import inf

from edict.compiler.lowering.context import Context
from edict.compiler.semantics.possible_values import ConditionReader, evaluate_abstractly
from edict.compiler.semantics.types import TypedBook
from edict.compiler.sources.input_limits import GREATEST_CHOICE, SET_BITS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import RangeStep

MAX_LISTED = 1_000  # numbers that are listed


def possible_answers(
    c: Context, kind: t.Name, choice: RangeStep, source: t.Expr | None, where: t.Expr | None = None
) -> tuple[int, ...]:
    """Return the things or numbers that may be chosen or drawn, ascending; empty if the rules set no bound.

    `where` limits them to those that may meet it.
    """
    meaning = c.resolved.meaning_of(kind)
    if meaning.sort == "group":
        return tuple(sorted(c.linked.resource_indexes(meaning.name)))
    if meaning.name in c.linked.things:
        return _matching_things(c, meaning.name, where)
    if choice.low is not None and choice.high is not None:
        return _list_numbers(
            max(0, evaluate_abstractly(c.typed, choice.low).low), evaluate_abstractly(c.typed, choice.high).high
        )
    if meaning.sort == "number":
        if source is not None and _is_faces(source):
            return _die_faces(c)
        return tuple(range(SET_BITS))
    return ()


def value_bounds(typed: TypedBook, number: t.Expr) -> tuple[int | None, int | None]:
    """Return the least and greatest possible value; None where the rules set no bound."""
    low, high = evaluate_abstractly(typed, number).bounds
    return None if low == -inf else int(low), None if high == inf else int(high)


def _list_numbers(low: float, high: float) -> tuple[int, ...]:
    """Return the numbers from `low` to `high`; empty if they have no upper bound or are too many to list."""
    if high == inf or high > GREATEST_CHOICE or high - low >= MAX_LISTED:
        return ()
    return tuple(range(int(low), int(high) + 1))


def _is_faces(source: t.Expr) -> bool:
    """Return True if a source is `faces of ...`, the numbers that dice show."""
    return isinstance(source, t.Unary) and source.op == "faces"


def _die_faces(c: Context) -> tuple[int, ...]:
    """Return the numbers from 1 to the most sides of any die in the rules."""
    return tuple(range(1, max((sides for _, _, sides, _ in c.layout.dice.kinds), default=0) + 1))


def _matching_things(c: Context, kind: str, where: t.Expr | None) -> tuple[int, ...]:
    """Return the things that may meet a `where`."""
    things = c.linked.things[kind]
    if where is None:
        return tuple(range(len(things)))
    reader, matching = ConditionReader(c.typed), list[int]()
    for number, thing in enumerate(things):
        reader.substitutions = {c.resolved.member_locals[where]: thing}
        if not reader.are_contradictory([(where, True)]):
            matching.append(number)
    return tuple(matching)
