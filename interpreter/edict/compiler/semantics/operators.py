"""Part of the pass `check_types`: operators on values of several types, and the types of their results."""

from __future__ import annotations

from dataclasses import replace

from edict.compiler.semantics.signatures import SpecialCases, TypeChecker
from edict.compiler.semantics.symbols import DICE, NUMBER, NUMBERS, TRUTH
from edict.compiler.semantics.type_remedies import Remedy, suggest_alternative
from edict.compiler.semantics.types import SET, SHAPES, UNKNOWN, Coercion, describe_type, fits, forms_set, set_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import OperatorTypes
from edict.runtime.program import ValueType


def _type_unary(check: TypeChecker, unary: t.Unary) -> ValueType:
    """Return the type of a prefix operator such as `not`, `count`, `first` or `text of`; report a misfit operand."""
    sign = unary.signs.get(unary.op)
    if sign is not None:
        check.expect(unary.arg, SHAPES[sign.takes], sign.where, unary)
        return SHAPES[sign.gives]
    operand_type = check.type_of(unary.arg)
    if unary.op == "text":
        if operand_type.shape not in ("thing", "unknown"):
            check.report(
                "E0401",
                f"`text of` takes a thing, but this is {describe_type(operand_type)}",
                unary.span,
                "name one thing",
            )
        return ValueType("text", operand_type.kind)
    if unary.op in ("first", "last"):
        member = check.type_member(unary.arg, f"`{unary.op} of`")
        if operand_type.shape == "bag":
            check.coerce(unary.arg, SET)
        return replace(member, optional=True) if member.shape == "thing" else member
    if operand_type.shape not in ("set", "order", "dice", "bag", "unknown"):
        remedy = check.find_remedy(unary, unary.arg, SET) or check.suggest(unary.arg, SET, "others")
        check.report(
            "E0402", f"`{unary.op}` takes a set or dice, but this is {describe_type(operand_type)}", unary.span, remedy
        )
    if operand_type != DICE and (operand_type.shape != "bag" or unary.op != "count"):
        check.coerce(unary.arg, SET)
    return NUMBER if unary.op == "count" else TRUTH


def _type_binary(check: TypeChecker, binary: t.Binary) -> ValueType:
    """Return the type of an operator with two sides; report sides that do not fit each other."""
    left, right = check.type_of(binary.left), check.type_of(binary.right)
    set_type = _type_union(check, binary, left, right) if binary.op in ("+", "-") else None
    if set_type is not None:
        return set_type
    sign = binary.signs.get(binary.op)
    if sign is not None:
        return _type_by_operator_types(check, binary, sign)
    compare = _type_membership if binary.op in ("in", "not-in", "within") else _type_equality
    return compare(check, binary, left, right)


def _type_by_operator_types(check: TypeChecker, binary: t.Binary, sign: OperatorTypes) -> ValueType:
    """Check both sides of an operator against the type it takes, and return its result type, or UNKNOWN."""
    operand_type = SHAPES[sign.takes]
    fits_left = check.expect(binary.left, operand_type, sign.where, binary) and check.type_of(binary.left) != UNKNOWN
    if fits_left and check.expect(binary.right, operand_type, sign.where, binary):
        return SHAPES[sign.gives]
    return UNKNOWN


def _type_union(check: TypeChecker, binary: t.Binary, left: ValueType, right: ValueType) -> ValueType | None:
    """Return the type of the union or difference of sets, bags or dice; None for other operands."""
    if left.shape == "set" and left.kind in ("", "number") and right == NUMBER:
        check.coerced[binary.right] = Coercion.NUMBER_TO_SET
        return NUMBERS
    here = f"`{binary.op}` here"
    if "bag" in (left.shape, right.shape):
        bag = left if left.shape == "bag" else right
        check.expect(binary.left, bag, here)
        check.expect(binary.right, bag, here)
        return bag
    if forms_set(left, right):
        left = set_of(left)
        check.coerce(binary.left, left)
    if left.shape not in ("set", "dice"):
        return None
    check.expect(binary.right, left, here)
    return left if left.kind or left == DICE else ValueType("set", right.kind)  # `nobody + you`


def _type_membership(check: TypeChecker, binary: t.Binary, left: ValueType, right: ValueType) -> ValueType:
    """Return the truth type of `is in` or `is within`; report a left side of another kind than the members."""
    member = check.type_set_member(binary.right, "`is in`")
    if binary.op == "within":
        check.expect(binary.left, NUMBERS if member == NUMBER else ValueType("set", member.kind), "`is within`")
    elif not fits(left, member) and member != UNKNOWN:
        at = f"{binary.op} single" if right.shape == "thing" else binary.op
        check.report(
            "E0401",
            f"{describe_type(left)} is never in {describe_type(ValueType('set', member.kind or 'number'))}",
            binary.span,
            check.suggest(binary.left, member, "members", at=at, whole=binary, against=binary.right)
            or check.suggest(binary.left, member, "others"),
        )
    return TRUTH


def _type_equality(check: TypeChecker, binary: t.Binary, left: ValueType, right: ValueType) -> ValueType:
    """Return the truth type of `is` or `is not`; report E0414 for sides that can never be equal."""
    same = fits(left, right) or fits(right, left) or "nothing" in (left.shape, right.shape)
    mixed = {left.shape, right.shape} == {"set", "thing"}
    if not same or mixed:
        check.report(
            "E0414",
            f"{describe_type(left)} is never equal to {describe_type(right)}",
            binary.span,
            _suggest_comparison(check, binary),
        )
    if "set" in (left.shape, right.shape):
        check.coerce(binary.left, SET)
        check.coerce(binary.right, SET)
    return TRUTH


def _type_copies(check: TypeChecker, copies: t.CopiesOf) -> ValueType:
    """Return the bag type of `7 of penny`; unknown if the operand is no thing."""
    check.check_fields(copies)
    thing_type = check.type_of(copies.thing)
    return ValueType("bag", thing_type.kind) if thing_type.shape == "thing" else UNKNOWN


def _type_next_to(check: TypeChecker, next_to: t.NextTo) -> ValueType:
    """Check that the two fields for a thing's row and its place there are numbers or things of a kind."""
    result_type, kind = check.type_by_signature(next_to), check.type_of(next_to.thing).kind
    definition = check.resolved.book.definitions.get(kind)
    if isinstance(definition, t.Kind):
        fields = {field.name.word: field for field in definition.fields}
    else:
        fields = {}
    for name in (next_to.row, next_to.file):
        field = fields.get(name.word)
        if definition is None or field is not None and _is_coordinate(check, field):
            continue
        wrong = "does not give a position" if field is not None else f"is not a field of `{kind}`"
        remedy = "name two fields that are numbers, or things of a kind"
        check.report("E0421", f"`{name.word}` {wrong}", name.span, remedy)
    return result_type


def _is_coordinate(check: TypeChecker, field: t.FieldDef) -> bool:
    """Return True if a field holds numbers or things, so that it can place things on a grid."""
    if field.type is None:
        return field.value is not None and check.type_of(field.value).shape in ("number", "thing", "unknown")
    return field.type.shape in ("number", "thing")


# --- what to write instead -------------------------------------------------------------------------


def _suggest_comparison(check: TypeChecker, binary: t.Binary) -> Remedy | None:
    """Return the remedy for a comparison of values of different types, either of which may be wrong."""
    sides = ((binary.left, binary.right), (binary.right, binary.left))
    for part, whole in (("compared", binary), ("values", None)):
        for side, other in sides:
            remedy = check.suggest(side, check.type_of(other), part, whole=whole, against=whole and other)
            if remedy:
                return remedy
    return check.suggest(binary.left, check.type_of(binary.right), "unlike", against=binary.right)


def _suggest_countable(check: TypeChecker, unary: t.Unary, arg: t.Expr, _: ValueType) -> Remedy | None:
    """Return the remedy for something that is counted, or tested for emptiness, and is no set."""
    return check.suggest(arg, SET, "counted", at=unary.op, whole=unary)


def _suggest_operand(check: TypeChecker, binary: t.Binary, side: t.Expr, wanted: ValueType) -> Remedy | None:
    """Return the remedy for one operand of the wrong type: for the right one as in `x is 1 or 2`; None if unclear."""
    if side is binary.right:
        return suggest_alternative(binary, check.type_of(side), wanted)
    return check.suggest(
        side, check.type_of(binary.right), "measured", at=binary.op, whole=binary, against=binary.right
    )


def _suggest_countable_bag(check: TypeChecker, count_in: t.CountIn, bag: t.Expr, _: ValueType) -> Remedy | None:
    """Return the remedy for `count of THING in X` where `X` is no bag."""
    return check.suggest(bag, check.type_of(count_in.thing), "counted", at="each", whole=count_in)


CASES = SpecialCases(
    values={
        t.Unary: _type_unary,
        t.Binary: _type_binary,
        t.Listed: _type_binary,
        t.CopiesOf: _type_copies,
        t.NextTo: _type_next_to,
    },
    remedies={
        t.Unary: _suggest_countable,
        t.Binary: _suggest_operand,
        t.Listed: _suggest_operand,
        t.CountIn: _suggest_countable_bag,
    },
)
