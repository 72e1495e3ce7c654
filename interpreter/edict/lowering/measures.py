"""Quantities, to be worked out whenever somebody asks, and the words for what they are made of."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.lowering.context import Context, Queried
from edict.lowering.quantities import is_fixed, quantity_procedure, terms
from edict.lowering.reason_code import NUMBER, Scope, spelled
from edict.meaning.types import param_type
from edict.program.reasons import Measure
from edict.words import expr_words


def measures(c: Context) -> None:
    """Every quantity, to be worked out whenever somebody asks."""
    for quantity in c.resolved.book.definitions.values():
        if isinstance(quantity, t.Quantity) and not isinstance(quantity, t.Term):
            c.reasons.measures.append(_measure(c, quantity))
            _name_parts(c, quantity)


def _measure(c: Context, quantity: t.Quantity) -> Measure:
    name, title = quantity.name.word, quantity.title or quantity.name.word
    kinds = tuple(param_type(c.resolved, p).kind for p in quantity.params)
    you = kinds.index("player") if "player" in kinds else -1
    cause = c.add_cause(name, title, quantity.span)
    if is_fixed(c, quantity):
        return Measure(name, title, kinds, you, -1, cause, c.constants.value(quantity.value))
    procedure = quantity_procedure(c, quantity, False)
    c.queries.append(Queried(procedure, NUMBER))
    return Measure(name, title, kinds, you, len(c.queries) - 1, cause)


def _name_parts(c: Context, quantity: t.Quantity) -> None:
    """The texts of the parts of its formula, and the conditions of what adjusts it."""
    name, title = quantity.name.word, quantity.title or quantity.name.word
    for part in formula(quantity.value):
        c.reasons.parts[c.add_cause(name, title, part.span)] = spelled(c, part, Scope((name, title)))
    for held in c.linked.adjusts.get(name, ()):
        condition = getattr(held.ability, "condition", None)
        if condition is not None:
            number = c.add_cause(held.name, held.title, held.ability.span)
            c.reasons.when[number] = expr_words(c.resolved, condition)


def formula(expr: t.Expr) -> Iterator[t.Expr]:
    """The parts of a sum, if it is one."""
    parts = terms(expr)
    if parts is None:
        yield expr
    else:
        _, left, right = parts
        yield from formula(left)
        yield from formula(right)
