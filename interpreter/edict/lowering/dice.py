"""Packed dice: counts side by side, one for each number of each kind."""

from __future__ import annotations

from collections.abc import Callable

from edict.backend import core
from edict.backend.composing import op
from edict.backend.core import Const, Expr
from edict.language import tree as t
from edict.lowering.context import NOTHING, Context
from edict.lowering.values import value
from edict.program import Type
from edict.program import opcodes as o


def is_dice(c: Context, expr: t.Expr) -> bool:
    """Whether a value is dice that were rolled."""
    return c.type(expr).shape == "dice"


def members_of(c: Context, expr: t.Expr) -> Expr:
    """The set that is gone through: of dice, the numbers they show."""
    return op(o.DFACES, value(c, expr)) if is_dice(c, expr) else value(c, expr)


def members_type(c: Context, expr: t.Expr) -> Type:
    """The type of that set."""
    return Type("set", "number") if is_dice(c, expr) else c.type(expr)


def dice_with(c: Context, dice: Expr, wanted: Callable[[Expr], Expr]) -> Expr:
    """Those of all kinds that show one of the wanted numbers; `wanted` chooses among the set of those they show."""
    width, kinds = c.layout.dice.width, c.layout.dice.kinds
    most = max((sides for _, _, sides, _ in kinds), default=0)
    shown = [sum(((1 << width) - 1) << width * (first + n) for *_, sides, first in kinds if n < sides)
             for n in range(most)]  # fmt: skip
    with c.apart() as body:
        dice, kept = c.once(dice), c.let(NOTHING)
        with c.members(wanted(op(o.DFACES, dice))) as face:
            c.set(kept, op(o.OR, kept, core.Table((0, *shown), face)))
        c.set(kept, op(o.AND, kept, dice))
    return core.After(tuple(body), kept)


def die_kind(c: Context, name: t.Name) -> tuple[str, int, int]:
    """Title, sides and first field of a kind of die."""
    word = c.symbol(name).name
    return next((title, sides, first) for n, title, sides, first in c.layout.dice.kinds if n == word)


def showing(c: Context, name: t.Name, number: Expr) -> Expr:
    """A face the die does not have is a fault."""
    _, sides, first = die_kind(c, name)
    with c.apart() as body:
        face = c.once(core.Within(number, 1, sides))
        die = c.let(NOTHING)
        c.step(o.DADD, die, face, first)
    return core.After(tuple(body), die)


def among(c: Context, name: t.Name, number: Expr | None, dice: Expr) -> Expr:
    """Packed dice are counts side by side, so those of one kind, or with one face, are cut out with a mask."""
    _, sides, first = die_kind(c, name)
    width = c.layout.dice.width
    if number is None:
        return op(o.AND, dice, Const(((1 << width * sides) - 1) << width * first))
    shown = [((1 << width) - 1) << width * (first + side) for side in range(sides)]
    side = op(o.MIN, op(o.MAX, number, NOTHING), Const(sides + 1))
    return op(o.AND, dice, core.Table((0, *shown, 0), side))
