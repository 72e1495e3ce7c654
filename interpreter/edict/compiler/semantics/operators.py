"""Part of the pass `check_types`: signs and words that take values of several types, and what they give."""

from __future__ import annotations

from dataclasses import replace

from edict.compiler.semantics.signatures import Cases, Checker
from edict.compiler.semantics.symbols import DICE, NUMBER, NUMBERS, TRUTH
from edict.compiler.semantics.type_remedies import Remedy, alternative
from edict.compiler.semantics.types import SET, SHAPES, UNKNOWN, Coercion, fits, joins, set_of, spoken
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Sign
from edict.runtime.program import Type


def _unary(check: Checker, unary: t.Unary) -> Type:
    sign = unary.signs.get(unary.op)
    if sign is not None:
        check.want(unary.arg, SHAPES[sign.takes], sign.where, unary)
        return SHAPES[sign.gives]
    of = check.expr(unary.arg)
    if unary.op == "text":
        if of.shape not in ("thing", "unknown"):
            check.wrong("E0401", f"`text of` takes a thing, and this is {spoken(of)}", unary.span, "name one thing")
        return Type("text", of.kind)
    if unary.op in ("first", "last"):
        member = check.member(unary.arg, f"`{unary.op} of`")
        if of.shape == "bag":
            check.coerce(unary.arg, SET)
        return replace(member, optional=True) if member.shape == "thing" else member
    if of.shape not in ("set", "order", "dice", "bag", "unknown"):
        remedy = check.remedy(unary, unary.arg, SET) or check.instead(unary.arg, SET, "others")
        check.wrong("E0402", f"`{unary.op}` takes a set or dice, and this is {spoken(of)}", unary.span, remedy)
    if of != DICE and (of.shape != "bag" or unary.op != "count"):
        check.coerce(unary.arg, SET)
    return NUMBER if unary.op == "count" else TRUTH


def _binary(check: Checker, binary: t.Binary) -> Type:
    left, right = check.expr(binary.left), check.expr(binary.right)
    joined = _joined(check, binary, left, right) if binary.op in ("+", "-") else None
    if joined is not None:
        return joined
    sign = binary.signs.get(binary.op)
    if sign is not None:
        return _of_sign(check, binary, sign)
    compare = _within if binary.op in ("in", "not-in", "within") else _equal
    return compare(check, binary, left, right)


def _of_sign(check: Checker, binary: t.Binary, sign: Sign) -> Type:
    """Both sides are of one type; if they are not, the first is reported, and only once."""
    takes = SHAPES[sign.takes]
    good = check.want(binary.left, takes, sign.where, binary) and check.expr(binary.left) != UNKNOWN
    return SHAPES[sign.gives] if good and check.want(binary.right, takes, sign.where, binary) else UNKNOWN


def _joined(check: Checker, binary: t.Binary, left: Type, right: Type) -> Type | None:
    """Sets, bags and dice are joined, and taken out of each other."""
    if left.shape == "set" and left.kind in ("", "number") and right == NUMBER:
        check.coerced[binary.right] = Coercion.NUMBER_TO_SET
        return NUMBERS
    here = f"`{binary.op}` here"
    if "bag" in (left.shape, right.shape):
        bag = left if left.shape == "bag" else right
        check.want(binary.left, bag, here)
        check.want(binary.right, bag, here)
        return bag
    if joins(left, right):
        left = set_of(left)
        check.coerce(binary.left, left)
    if left.shape not in ("set", "dice"):
        return None
    check.want(binary.right, left, here)
    return left if left.kind or left == DICE else Type("set", right.kind)  # `nobody + you`


def _within(check: Checker, binary: t.Binary, left: Type, right: Type) -> Type:
    member = check.members(binary.right, "`is in`")
    if binary.op == "within":
        check.want(binary.left, NUMBERS if member == NUMBER else Type("set", member.kind), "`is within`")
    elif not fits(left, member) and member != UNKNOWN:
        at = f"{binary.op} single" if right.shape == "thing" else binary.op
        check.wrong(
            "E0401",
            f"{spoken(left)} is never in {spoken(Type('set', member.kind or 'number'))}",
            binary.span,
            check.instead(binary.left, member, "members", at=at, whole=binary, against=binary.right)
            or check.instead(binary.left, member, "others"),
        )
    return TRUTH


def _equal(check: Checker, binary: t.Binary, left: Type, right: Type) -> Type:
    same = fits(left, right) or fits(right, left) or "nothing" in (left.shape, right.shape)
    mixed = {left.shape, right.shape} == {"set", "thing"}
    if not same or mixed:
        check.wrong("E0414", f"{spoken(left)} is never {spoken(right)}", binary.span, _alike(check, binary))
    if "set" in (left.shape, right.shape):
        check.coerce(binary.left, SET)
        check.coerce(binary.right, SET)
    return TRUTH


def _copies(check: Checker, copies: t.CopiesOf) -> Type:
    check.fields(copies)
    of = check.expr(copies.thing)
    return Type("bag", of.kind) if of.shape == "thing" else UNKNOWN


def _next_to(check: Checker, one: t.NextTo) -> Type:
    """Two fields say in which row something lies, and at which place of it: numbers, or things of a kind."""
    of, kind = check.gives(one), check.expr(one.thing).kind
    definition = check.resolved.book.definitions.get(kind)
    fields = {field.name.word: field for field in definition.fields} if isinstance(definition, t.Kind) else {}
    for name in (one.row, one.file):
        field = fields.get(name.word)
        if definition is None or field is not None and _is_place(check, field):
            continue
        wrong = "does not say where it lies" if field is not None else f"is not a field of `{kind}`"
        remedy = "name two fields that are numbers, or things of a kind"
        check.wrong("E0421", f"`{name.word}` {wrong}", name.span, remedy)
    return of


def _is_place(check: Checker, field: t.FieldDef) -> bool:
    if field.type is None:
        return field.value is not None and check.expr(field.value).shape in ("number", "thing", "unknown")
    return field.type.shape in ("number", "thing")


# --- what to write instead -------------------------------------------------------------------------


def _alike(check: Checker, binary: t.Binary) -> Remedy | None:
    """For a comparison of two values of different types: either may be the wrong one."""
    sides = ((binary.left, binary.right), (binary.right, binary.left))
    for part, whole in (("compared", binary), ("values", None)):
        for side, other in sides:
            remedy = check.instead(side, check.expr(other), part, whole=whole, against=whole and other)
            if remedy:
                return remedy
    return check.instead(binary.left, check.expr(binary.right), "unlike", against=binary.right)


def _counted(check: Checker, unary: t.Unary, arg: t.Expr, _: Type) -> Remedy | None:
    """Where something is counted, or asked whether it is empty, that is no set."""
    return check.instead(arg, SET, "counted", at=unary.op, whole=unary)


def _measured(check: Checker, binary: t.Binary, side: t.Expr, wanted: Type) -> Remedy | None:
    """For a sign between a value and a number, where the value is no number; and for `x is 1 or 2`."""
    if side is binary.right:
        return alternative(binary, check.expr(side), wanted)
    return check.instead(side, check.expr(binary.right), "measured", at=binary.op, whole=binary, against=binary.right)


def _in_bag(check: Checker, count_in: t.CountIn, bag: t.Expr, _: Type) -> Remedy | None:
    return check.instead(bag, check.expr(count_in.thing), "counted", at="each", whole=count_in)


CASES = Cases(
    values={t.Unary: _unary, t.Binary: _binary, t.Listed: _binary, t.CopiesOf: _copies, t.NextTo: _next_to},
    remedies={t.Unary: _counted, t.Binary: _measured, t.Listed: _measured, t.CountIn: _in_bag},
)
