"""Values of the type that a place takes, for those who wrote one of another type there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from edict.language import tree as t
from edict.language.printing.expressions import PRIMARY, expression
from edict.language.sorts import plurals
from edict.meaning.symbols import NUMBER, RESOURCE, TRUTH, Resolved
from edict.meaning.typed import declared, param_type, spoken
from edict.program import Type
from edict.report import Edit, listed

PLAYER = "player"
FEW = 3  # examples in a message


def others(resolved: Resolved, expr: t.Expr, have: Type, wanted: Type) -> str:
    """What to write in place of a value of the wrong type: others that are at hand, those of the same thing first."""
    if wanted == NUMBER and (have == TRUTH or have.shape in ("nothing", "text")):
        return "write a number, such as `1`"
    examples = [f"`{one}`" for one in islice(dict.fromkeys(_examples(resolved, expr, have, wanted)), FEW)]
    if wanted == TRUTH:
        asked = next(at_hand(resolved, NUMBER), "...")
        return f"write a condition, which is true or not, such as `{asked} > 3`"
    if not examples:
        return f"write an expression that gives {spoken(wanted)}"
    noun = spoken(Type(wanted.shape, wanted.kind)).partition(" ")[2]
    more = [f"another {noun}", *(["`none`"] if wanted.optional else [])]
    *first, last = [*examples, *more]
    return f"write {', '.join(first)} or {last}"


def one_more(resolved: Resolved, expr: t.Expr, have: Type, of: Type) -> tuple[str, tuple[Edit, ...]] | None:
    """What can be added to a set, or taken out, in place of something else; None where that is said elsewhere."""
    if of.shape != "set" or not of.kind or have.shape == "nothing":
        return None
    return others(resolved, expr, have, Type("thing", of.kind)), ()


def fields_of(resolved: Resolved, of: Type, field: str, expr: t.Expr | None = None) -> str:
    """What to write in place of a field of another kind."""
    many = field_of_many(resolved, of, field, expr) if expr is not None else ""
    if many:
        return many
    kind = resolved.book.definitions.get(of.kind)
    belongs = f"`{field}` belongs to: {', '.join(resolved.fields.get(field, ()))}"
    if of.shape != "thing" or not isinstance(kind, t.Kind):
        return belongs
    has = listed((one.name.word for one in kind.fields), "and") if kind.fields else "no fields"
    return f"{spoken(Type('thing', of.kind))} has {has}; {belongs}"


def like(resolved: Resolved, binary: t.Binary, left: Type, right: Type) -> str:
    """How two things that are not of a kind can be compared: by a field of the one that is of the other's kind."""
    for of, other, one in ((left, right, binary.left), (right, left, binary.right)):
        field = field_of_kind(resolved, of.kind, other.kind)
        if field:
            return f"compare `{field} of {expression(one, PRIMARY)}` in its place"
        if of.shape == "thing" and of.kind == "player" and other == TRUTH:
            return f"write `{expression(one, PRIMARY)} is you`, or whoever it must be"
    return "compare like with like"


def field_of_kind(resolved: Resolved, kind: str, other: str) -> str:
    """The field in which things of a kind have one of another kind."""
    of = resolved.book.definitions.get(kind)
    fields = of.fields if isinstance(of, t.Kind) else ()
    typed = ((field.name.word, declared(resolved, field.type)) for field in fields if field.type is not None)
    return next((word for word, type_ in typed if type_ == Type("thing", other)), "")


def by_field(resolved: Resolved, binary: t.Binary, left: Type, member: Type) -> tuple[str, tuple[Edit, ...]] | None:
    """Of `hero is in north`: a hero has one region, and is in none."""
    field = field_of_kind(resolved, left.kind, member.kind) if left.shape == "thing" and member.kind else ""
    if not field:
        return None
    isnt = "is not" if binary.op == "not-in" else "is"
    text = f"{field} of {expression(binary.left, PRIMARY)} {isnt} {expression(binary.right)}"
    return f"write `{text}`", (Edit(binary.span, text),)


def _examples(resolved: Resolved, expr: t.Expr, have: Type, wanted: Type) -> Iterator[str]:
    if wanted == NUMBER and have.shape == "thing":
        of = expression(expr, PRIMARY)
        yield from (f"{word} of {of}" for word in _numbers(resolved, have.kind))
    elif wanted != RESOURCE and wanted != TRUTH:
        yield from at_hand(resolved, wanted)


def at_hand(resolved: Resolved, wanted: Type) -> Iterator[str]:
    """Values of a type that rules may speak of anywhere in a player's turn."""
    all_ = resolved.book.definitions.values()
    if wanted.shape == "thing" and wanted.kind == PLAYER:
        yield from ("you", "left of you")
    elif wanted == RESOURCE:
        yield from (one.name.word for one in all_ if isinstance(one, t.Resource))
    elif wanted.shape == "thing":
        yield from (one.name.word for one in all_ if isinstance(one, t.Thing) and one.kind.word == wanted.kind)
    for one in all_:
        kinds = [param.kind.word for param in one.params] if isinstance(one, t.Keep) else [""]
        if isinstance(one, t.Keep) and kinds in ([], [PLAYER]) and _is_of(declared(resolved, one.type), wanted):
            yield one.name.word + (" of you" if kinds else "")
    if wanted.shape == "set":
        yield from (f"{form}" for form in _all_of(resolved, wanted.kind))
    elif wanted == NUMBER:
        yield from (f"{one.name.word} of you" for one in all_ if isinstance(one, t.Resource))


def _is_of(have: Type, wanted: Type) -> bool:
    return have.shape == wanted.shape and have.kind == wanted.kind


def _all_of(resolved: Resolved, kind: str) -> Iterator[str]:
    """The sets of all things of a kind."""
    groups = (one.name.word for one in resolved.book.definitions.values() if isinstance(one, t.Group))
    for name in groups if kind == "resource" else () if kind == "number" else (kind,):
        yield plurals(name)[2 if name.endswith("y") else 1]


def given(resolved: Resolved, params: Iterable[t.Param], written: Iterable[str] = ()) -> list[str]:
    """What a moment, quantity or the like can be given: what is written, and then something of the right type."""
    some, have = list[str](), list(written)
    for number, param in enumerate(params):
        of = param_type(resolved, param)
        name = param.kind.word
        group = resolved.book.definitions.get(name)
        members = [one.word for one in group.members] if isinstance(group, t.Group) else []
        found = next(iter(members or at_hand(resolved, of)), "3" if of == NUMBER else param.name.word)
        some.append(have[number] if number < len(have) else found)
    return some


def other_way_round(resolved: Resolved, params: Sequence[t.Param], types: Sequence[Type]) -> bool:
    """Whether two values that are given would fit if they changed places, and do not as they are."""
    if len(params) != 2 or len(types) != 2:
        return False
    first, second = (param_type(resolved, param) for param in params)
    return _is_of(types[0], second) and _is_of(types[1], first) and not _is_of(types[0], first)


def field_of_many(resolved: Resolved, of: Type, field: str, expr: t.Expr) -> str:
    """How a field is asked of something that has none: of the members of a set, of things that a player has."""
    kinds = resolved.fields.get(field, ())
    many = expression(expr, PRIMARY) if of.shape in ("set", "order", "bag") and of.kind in kinds else ""
    if of == Type("thing", PLAYER):
        sets = (one for kind in kinds for one in at_hand(resolved, Type("set", kind)) if one.endswith("of you"))
        many = next(sets, "")
    number = any(field in _numbers(resolved, kind) for kind in kinds)
    if not many or not number:
        return ""
    asked = f"{field} of it over {many}"
    who = "a player has no such field, but what is theirs has" if of.shape == "thing" else "each of them has its own"
    return f"{who}: write `sum of {asked}`, `best of {asked}` or `least of {asked}`"


def _numbers(resolved: Resolved, kind: str) -> Iterator[str]:
    """What is asked of a thing, or of a player, and is a number."""
    for one in resolved.book.definitions.values():
        if isinstance(one, t.Kind) and one.name.word == kind:
            yield from (f.name.word for f in one.fields if f.type and declared(resolved, f.type) == NUMBER)
        elif isinstance(one, t.Resource) and kind == PLAYER:
            yield one.name.word
        elif isinstance(one, t.Keep) and [param.kind.word for param in one.params] == [kind]:
            yield from [one.name.word] if declared(resolved, one.type) == NUMBER else []
