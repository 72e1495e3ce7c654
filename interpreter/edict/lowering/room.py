"""How many cells a value takes, and how many options a question may have: as many as the rules need."""

from __future__ import annotations

from collections.abc import Iterator

from edict.backend.emit import Code
from edict.checks.intervals import range_of
from edict.language import tree as t
from edict.language.walking import walk
from edict.meaning.bags import begun_with
from edict.meaning.calls import owners
from edict.meaning.link import Linked
from edict.program import Type
from edict.program import opcodes as o
from edict.sources.limits import GREATEST_CHOICE, MEMBERS, PACKED

ONE_CELL = ("player", "resource", "number")  # kinds of which there are never more


def cells_of(linked: Linked, of: Type) -> int:
    """A set has a bit for each thing there is; a bag, and an order that is too long to be packed, a cell for each."""
    if of.shape == "bag":
        return max(1, len(linked.things.get(of.kind, ())))
    if of.shape not in ("set", "order") or of.kind in ONE_CELL:
        return 1
    things = len(linked.things.get(of.kind, ()))
    if of.shape == "order":
        return 1 if things <= PACKED else things
    return max(1, -(-things // o.BITS))


def needs_cells(linked: Linked) -> bool:
    """Whether any value takes several."""
    shapes = _shapes(linked)
    return any(cells_of(linked, Type(shape, kind)) > 1 for kind in linked.things for shape in shapes)


def _shapes(linked: Linked) -> tuple[str, ...]:
    """Of which values there may be any."""
    keeps = (one for one in linked.resolved.book.definitions.values() if isinstance(one, t.Keep))
    return ("set", "order", "bag") if any(one.type.shape == "bag" for one in keeps) else ("set", "order")


def few_numbers(linked: Linked, last: t.Expr) -> bool:
    """Whether all numbers up to this one are known to be members of a set of one cell."""
    return range_of(linked.typed, last)[1] < MEMBERS


def make_room(linked: Linked, code: Code) -> None:
    """Room for the options of every question: each thing of the largest kind, each number, and to decline; and for
    whatever bags begin with, all of it in one."""
    needed = max((*map(len, linked.things.values()), *_numbers(linked), begun_with(linked)), default=0) + 1
    if needed > o.MOST_OPTIONS:
        code.initial[o.ROOM] = needed - o.MOST_OPTIONS
        code.reserve(needed - o.MOST_OPTIONS)


def _numbers(linked: Linked) -> Iterator[int]:
    """How many numbers there are up to the end of each range in the rules, as far as that is known before play."""
    for owner in owners(linked.resolved):
        ends = (getattr(node, "high", None) for node in walk(owner))
        for last in (last for last in ends if isinstance(last, t.Expr)):
            greatest = range_of(linked.typed, last)[1]
            if greatest <= GREATEST_CHOICE:
                yield int(max(greatest, 0)) + 1
