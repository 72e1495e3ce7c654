"""Part of the pass `check_types`: signs and words that take values of several types, and what they give."""

from __future__ import annotations

from dataclasses import replace

from edict.language import tree as t
from edict.language.roles import Sign
from edict.meaning.type_remedies import Remedy
from edict.meaning.form_remedies import alternative
from edict.meaning.signatures import Cases, Checker
from edict.meaning.symbols import DICE, NUMBER, NUMBERS, TRUTH
from edict.meaning.types import SET, SHAPES, UNKNOWN, Coercion, fits, joins, set_of, spoken
from edict.program import Type


def _unary(check: Checker, one: t.Unary) -> Type:
    sign = one.signs.get(one.op)
    if sign is not None:
        check.want(one.arg, SHAPES[sign.takes], sign.where, one)
        return SHAPES[sign.gives]
    of = check.expr(one.arg)
    if one.op == "text":
        if of.shape not in ("thing", "unknown"):
            check.wrong("E0401", f"`text of` takes a thing, and this is {spoken(of)}", one.span, "name one thing")
        return Type("text", of.kind)
    if one.op in ("first", "last"):
        member = check.member(one.arg, f"`{one.op} of`")
        if of.shape == "bag":
            check.coerce(one.arg, SET)
        return replace(member, optional=True) if member.shape == "thing" else member
    if of.shape not in ("set", "order", "dice", "bag", "unknown"):
        remedy = check.remedy(one, one.arg, SET) or check.instead(one.arg, SET, "others")
        check.wrong("E0402", f"`{one.op}` takes a set or dice, and this is {spoken(of)}", one.span, remedy)
    if of != DICE and (of.shape != "bag" or one.op != "count"):
        check.coerce(one.arg, SET)
    return NUMBER if one.op == "count" else TRUTH


def _binary(check: Checker, one: t.Binary) -> Type:
    left, right = check.expr(one.left), check.expr(one.right)
    joined = _joined(check, one, left, right) if one.op in ("+", "-") else None
    if joined is not None:
        return joined
    sign = one.signs.get(one.op)
    if sign is not None:
        return _of_sign(check, one, sign)
    return _within(check, one, left, right) if one.op in ("in", "not-in", "within") else _equal(check, one, left, right)


def _of_sign(check: Checker, one: t.Binary, sign: Sign) -> Type:
    """Both sides are of one type; if they are not, the first is reported, and only once."""
    takes = SHAPES[sign.takes]
    good = check.want(one.left, takes, sign.where, one) and check.expr(one.left) != UNKNOWN
    return SHAPES[sign.gives] if good and check.want(one.right, takes, sign.where, one) else UNKNOWN


def _joined(check: Checker, one: t.Binary, left: Type, right: Type) -> Type | None:
    """Sets, bags and dice are joined, and taken out of each other."""
    if left.shape == "set" and left.kind in ("", "number") and right == NUMBER:
        check.coerced[one.right] = Coercion.NUMBER_TO_SET
        return NUMBERS
    here = f"`{one.op}` here"
    if "bag" in (left.shape, right.shape):
        bag = left if left.shape == "bag" else right
        check.want(one.left, bag, here)
        check.want(one.right, bag, here)
        return bag
    if joins(left, right):
        left = set_of(left)
        check.coerce(one.left, left)
    if left.shape not in ("set", "dice"):
        return None
    check.want(one.right, left, here)
    return left if left.kind or left == DICE else Type("set", right.kind)  # `nobody + you`


def _within(check: Checker, one: t.Binary, left: Type, right: Type) -> Type:
    member = check.members(one.right, "`is in`")
    if one.op == "within":
        check.want(one.left, NUMBERS if member == NUMBER else Type("set", member.kind), "`is within`")
    elif not fits(left, member) and member != UNKNOWN:
        at = f"{one.op} single" if right.shape == "thing" else one.op
        check.wrong("E0401", f"{spoken(left)} is never in a set of {member.kind or 'numbers'}", one.span,
                    check.instead(one.left, member, "members", at=at, whole=one, against=one.right)
                    or check.instead(one.left, member, "others"))  # fmt: skip
    return TRUTH


def _equal(check: Checker, one: t.Binary, left: Type, right: Type) -> Type:
    same = fits(left, right) or fits(right, left) or "nothing" in (left.shape, right.shape)
    mixed = {left.shape, right.shape} == {"set", "thing"}
    if not same or mixed:
        check.wrong("E0414", f"{spoken(left)} is never {spoken(right)}", one.span, _alike(check, one))
    if "set" in (left.shape, right.shape):
        check.coerce(one.left, SET)
        check.coerce(one.right, SET)
    return TRUTH


def _copies(check: Checker, one: t.CopiesOf) -> Type:
    check.fields(one)
    of = check.expr(one.thing)
    return Type("bag", of.kind) if of.shape == "thing" else UNKNOWN


# --- what to write instead -------------------------------------------------------------------------


def _alike(check: Checker, one: t.Binary) -> Remedy | None:
    """For a comparison of two values of different types: either may be the wrong one."""
    sides = ((one.left, one.right), (one.right, one.left))
    for part, whole in (("compared", one), ("values", None)):
        for side, other in sides:
            remedy = check.instead(side, check.expr(other), part, whole=whole, against=whole and other)
            if remedy:
                return remedy
    return check.instead(one.left, check.expr(one.right), "unlike", against=one.right)


def _counted(check: Checker, one: t.Unary, arg: t.Expr, _: Type) -> Remedy | None:
    """Where something is counted, or asked whether it is empty, that is no set."""
    return check.instead(arg, SET, "counted", at=one.op, whole=one)


def _measured(check: Checker, one: t.Binary, side: t.Expr, wanted: Type) -> Remedy | None:
    """For a sign between a value and a number, where the value is no number; and for `x is 1 or 2`."""
    if side is one.right:
        return alternative(one, check.expr(side), wanted)
    return check.instead(side, check.expr(one.right), "measured", at=one.op, whole=one, against=one.right)


def _in_bag(check: Checker, one: t.CountIn, bag: t.Expr, _: Type) -> Remedy | None:
    return check.instead(bag, check.expr(one.thing), "counted", at="each", whole=one)


CASES = Cases(
    values={t.Unary: _unary, t.Binary: _binary, t.Listed: _binary, t.CopiesOf: _copies},
    remedies={t.Unary: _counted, t.Binary: _measured, t.Listed: _measured, t.CountIn: _in_bag},
)
