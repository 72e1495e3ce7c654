"""Values of the type that a place takes, for those who wrote one of another type there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from edict.language import tree as t
from edict.language.printing.expressions import PRIMARY, expression
from edict.meaning.symbols import NUMBER, Resolved
from edict.meaning.typed import declared, spoken
from edict.program import Type
from edict.report import listed

PLAYER = "player"
FEW = 3  # examples in a message


def others(resolved: Resolved, expr: t.Expr, have: Type, wanted: Type) -> str:
    """What to write in place of a value of the wrong type: others that are at hand, those of the same thing first."""
    examples = [f"`{one}`" for one in islice(dict.fromkeys(_examples(resolved, expr, have, wanted)), FEW)]
    if not examples:
        return f"write an expression that gives {spoken(wanted)}"
    noun = spoken(Type(wanted.shape, wanted.kind)).partition(" ")[2]
    more = [f"another {noun}", *(["`none`"] if wanted.optional else [])]
    *first, last = [*examples, *more]
    return f"write {', '.join(first)} or {last}"


def fields_of(resolved: Resolved, of: Type, field: str) -> str:
    """What to write in place of a field of another kind."""
    kind = resolved.book.definitions.get(of.kind)
    belongs = f"`{field}` belongs to: {', '.join(resolved.fields.get(field, ()))}"
    if of.shape != "thing" or not isinstance(kind, t.Kind):
        return belongs
    has = listed((one.name.word for one in kind.fields), "and") if kind.fields else "no fields"
    return f"{spoken(Type('thing', of.kind))} has {has}; {belongs}"


def like(resolved: Resolved, binary: t.Binary, left: Type, right: Type) -> str:
    """How two things that are not of a kind can be compared: by a field of the one that is of the other's kind."""
    for of, other, one in ((left, right, binary.left), (right, left, binary.right)):
        kind = resolved.book.definitions.get(of.kind)
        for field in kind.fields if isinstance(kind, t.Kind) else ():
            if field.type is not None and declared(resolved, field.type) == Type("thing", other.kind):
                return f"compare `{field.name.word} of {expression(one, PRIMARY)}` in its place"
    return "compare like with like"


def _examples(resolved: Resolved, expr: t.Expr, have: Type, wanted: Type) -> Iterator[str]:
    if wanted == NUMBER and have.shape == "thing":
        of = expression(expr, PRIMARY)
        yield from (f"{word} of {of}" for word in _numbers(resolved, have.kind))
    elif wanted.shape == "thing" and wanted.kind == PLAYER:
        yield from ("you", "left of you")
    elif wanted.shape == "thing":
        all_ = resolved.book.definitions.values()
        yield from (one.name.word for one in all_ if isinstance(one, t.Thing) and one.kind.word == wanted.kind)


def _numbers(resolved: Resolved, kind: str) -> Iterator[str]:
    """What is asked of a thing, or of a player, and is a number."""
    for one in resolved.book.definitions.values():
        if isinstance(one, t.Kind) and one.name.word == kind:
            yield from (f.name.word for f in one.fields if f.type and declared(resolved, f.type) == NUMBER)
        elif isinstance(one, t.Resource) and kind == PLAYER:
            yield one.name.word
        elif isinstance(one, t.Keep) and [param.kind.word for param in one.params] == [kind]:
            yield from [one.name.word] if declared(resolved, one.type) == NUMBER else []
