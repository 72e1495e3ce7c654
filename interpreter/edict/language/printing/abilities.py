"""Abilities as lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from edict.language import tree as t
from edict.language.printing.expressions import SUM, bundle, clause, quoted
from edict.language.sorts import awaited
from edict.language.printing.lines import Line
from edict.language.printing.statements import block, headed, require


@singledispatch
def ability_lines(ability: t.Ability, depth: int) -> Iterator[Line]:
    """An ability as it stands in a thing, or by itself without a name."""
    raise TypeError(type(ability).__name__)


@ability_lines.register
def _(adjust: t.Adjust, depth: int) -> Iterator[Line]:
    by, condition = clause("by", adjust.by, SUM), clause("if", adjust.condition)
    yield Line(depth, f"adjust {adjust.quantity.word}{by}{condition}", adjust)


@ability_lines.register
def _(when: t.When, depth: int) -> Iterator[Line]:
    once = f", once per {when.once_per.word}" if when.once_per else ""
    condition = clause("if", when.condition)
    yield Line(depth, f"when {awaited(when.moment.word, when.edge)}{condition}{once}{quoted(when.title)}", when)
    yield from block(when.block, depth + 1)


@ability_lines.register
def _(shift: t.Shift, depth: int) -> Iterator[Line]:
    by = " or ".join(f"{number:+}" for number in shift.by)
    price = f" spending {bundle(shift.spending)}" if shift.spending else ""
    once = f", once per {shift.once_per.word}" if shift.once_per else ""
    yield Line(depth, f"shift {shift.action.word} by {by}{price}{once}{clause('if', shift.condition)}", shift)


@ability_lines.register
def _(one: t.Exception_, depth: int) -> Iterator[Line]:
    yield from exception_lines(one, "except", depth)


def exception_lines(one: t.Exception_, start: str, depth: int) -> Iterator[Line]:
    """The exception, begun with these words."""
    target = f"{one.target.word}.{one.rule.word}" if one.rule else awaited(one.target.word, one.edge)
    others = _others("over", one.over) + _others("beside", one.beside)
    yield Line(depth, f"{start} {target}{clause('if', one.condition)}{others}", one)
    for word in one.lines or _usual(one):
        if word == "allow":
            yield Line(depth + 1, "allow", one)
        elif word == "require" and one.require is not None:
            yield from require(one, one.require, depth + 1)
        else:
            yield from headed(word, one.then, one, depth + 1)


def _others(word: str, names: tuple[t.Name, ...]) -> str:
    return f" {word} {', '.join(name.word for name in names)}" if names else ""


def _usual(one: t.Exception_) -> list[str]:
    """The lines of an exception that was not read from a file."""
    first = "require" if one.require is not None else "allow" if one.rule or not one.then else ""
    return [word for word in (first, "then" if one.rule else "instead") if word]
