"""What a question may be answered by, and what a score may be, as far as the rules tell before play."""

from __future__ import annotations

from math import inf

from edict.compiler.lowering.context import Context
from edict.compiler.semantics.possible_values import Reader, possible
from edict.compiler.semantics.types import Typed
from edict.compiler.sources.input_limits import GREATEST_CHOICE, MEMBERS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import FromTo

MOST = 1_000  # numbers that are listed


def answers(
    c: Context, kind: t.Name, choice: FromTo, source: t.Expr | None, where: t.Expr | None = None
) -> tuple[int, ...]:
    """The things or numbers that may be chosen or drawn, ascending; () if the rules set no bound. where: of which it
    may hold."""
    meaning = c.resolved.of(kind)
    if meaning.sort == "group":
        return tuple(sorted(c.linked.members(meaning.name)))
    if meaning.name in c.linked.things:
        return _things(c, meaning.name, where)
    if choice.low is not None and choice.high is not None:
        return _numbers(max(0, possible(c.typed, choice.low).low), possible(c.typed, choice.high).high)
    if meaning.sort == "number":
        return _faces(c) if source is not None and _is_faces(source) else tuple(range(MEMBERS))
    return ()


def bounds(typed: Typed, number: t.Expr) -> tuple[int | None, int | None]:
    """The least and the greatest it can be; None where the rules set no bound."""
    low, high = possible(typed, number).range
    return None if low == -inf else int(low), None if high == inf else int(high)


def _numbers(low: float, high: float) -> tuple[int, ...]:
    if high == inf or high > GREATEST_CHOICE or high - low >= MOST:
        return ()
    return tuple(range(int(low), int(high) + 1))


def _is_faces(source: t.Expr) -> bool:
    return isinstance(source, t.Unary) and source.op == "faces"


def _faces(c: Context) -> tuple[int, ...]:
    """The numbers that dice can show."""
    return tuple(range(1, max((sides for _, _, sides, _ in c.layout.dice.kinds), default=0) + 1))


def _things(c: Context, kind: str, where: t.Expr | None) -> tuple[int, ...]:
    """Those of which a `where` may hold."""
    things = c.linked.things[kind]
    if where is None:
        return tuple(range(len(things)))
    reader, found = Reader(c.typed), list[int]()
    for number, thing in enumerate(things):
        reader.given = {c.resolved.asked[where]: thing}
        if not reader.cannot_be([(where, True)]):
            found.append(number)
    return tuple(found)
