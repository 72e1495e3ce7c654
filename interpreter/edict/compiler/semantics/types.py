"""A book with the types of its values: what types are called, and how a value becomes what its place takes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import Enum, auto
from typing import Any, TypeVar

from edict.compiler.semantics.symbols import (
    DICE,
    NUMBER,
    NUMBERS,
    PLAYER,
    PLAYERS,
    RESOURCE,
    RESOURCES,
    TRUTH,
    Local,
    Resolved,
)
from edict.compiler.syntax import tree as t
from edict.runtime.program import Type
from edict.support.morphology import pluralize, with_article

UNKNOWN = Type("unknown")
EFFECT = Type("effect")
AMOUNTS = Type("amounts")
SET = Type("set")

SHAPES = {
    "number": NUMBER,
    "truth": TRUTH,
    "dice": DICE,
    "player": PLAYER,
    "players": PLAYERS,
    "resource": RESOURCE,
    "resources": RESOURCES,
    "numbers": NUMBERS,
    "some player": Type("thing", "player", True),
}
"""Types by the words for them in the signatures of the tree."""


class Coercion(Enum):
    """How a value becomes what its place takes. Made out once, here; whoever works values out applies it."""

    THING_TO_SET = auto()  # the set of it alone; of none the empty set
    ORDER_TO_SET = auto()  # the set of its members
    NUMBER_TO_SET = auto()  # the set of it alone
    PRESENT = auto()  # a fault if it is none
    BAG_TO_SET = auto()  # the set of what is in it
    THING_TO_BAG = auto()  # a bag with that one alone
    SET_TO_BAG = auto()  # a bag with each member once


@dataclass(frozen=True)
class Typed:
    """A resolved book, the types of its expressions and local names, and the values that are coerced."""

    resolved: Resolved
    coerced: dict[t.Expr, Coercion]

    @property
    def types(self) -> dict[t.Expr, Type]:
        return self.resolved.types

    @property
    def locals(self) -> dict[Local, Type]:
        return self.resolved.locals

    def of(self, expr: t.Expr) -> Type:
        return self.types[expr]


def spoken(of: Type) -> str:
    """A type in words."""
    if of.shape == "thing":
        return with_article(of.kind) + (" or `none`" if of.optional else "")
    if of.shape in ("set", "order", "bag"):
        return f"{with_article(of.shape)} of {pluralize(of.kind) if of.kind else 'anything'}"
    words = {"number": "a number", "truth": "yes or no", "dice": "dice", "nothing": "`none`", "effect": "an effect"}
    words["text"] = "a text, for announcements and panels"
    return words.get(of.shape, of.shape)


def declared(resolved: Resolved, written: t.TypeName) -> Type:
    """The type a rule file writes down."""
    if written.name is None:
        return Type(written.shape)
    meaning = resolved.of(written.name)
    kind = "resource" if meaning.sort == "group" else meaning.name
    if written.shape == "thing" and kind == "number":
        return NUMBER
    return Type(written.shape, kind, written.optional)


TO_SET = {"thing": Coercion.THING_TO_SET, "order": Coercion.ORDER_TO_SET, "bag": Coercion.BAG_TO_SET}


def coercion(have: Type, wanted: Type) -> Coercion | None:
    """What must happen to a value of one type in a place that takes another, which it fits."""
    if wanted.shape == "set":
        return TO_SET.get(have.shape)
    if wanted.shape == "bag":
        return {"thing": Coercion.THING_TO_BAG, "set": Coercion.SET_TO_BAG}.get(have.shape)
    return Coercion.PRESENT if wanted.shape == "thing" and have.optional and not wanted.optional else None


def named(resolved: Resolved, kind: t.Name) -> Type:
    """One of what a name in a rule stands for: a thing, a player, a number, a resource of a group."""
    meaning = resolved.of(kind)
    return {"number": NUMBER, "group": RESOURCE}.get(meaning.sort, Type("thing", meaning.name))


def param_type(resolved: Resolved, param: t.Param) -> Type:
    return named(resolved, param.kind)


def joins(left: Type, right: Type) -> bool:
    """Whether two things, or one and a set, make a set. (Of a resource rather the number is meant: `gold of you`.)"""
    return left.shape == "thing" and left != RESOURCE and right.shape in ("thing", "set")


def set_of(member: Type) -> Type:
    """The type of a set of these."""
    if member == UNKNOWN:
        return UNKNOWN
    return Type("set", "number" if member == NUMBER else member.kind)


def member_of(many: Type) -> Type:
    """The type of a member; a single thing is gone through as the set of it alone."""
    if many.shape not in ("set", "order", "bag", "thing"):
        return UNKNOWN
    return NUMBER if many.kind == "number" else Type("thing", many.kind)


def fits(have: Type, want: Type) -> bool:
    """Whether a value of one type can stand where one of another is wanted."""
    if UNKNOWN in (have, want) or have == want:
        return True
    if have.shape == "nothing":
        return want.shape == "thing" and want.optional
    if have.shape == want.shape == "thing":
        return have.kind == want.kind or not have.kind  # `first of nobody` is none
    if want.shape == "set" and have.shape in ("set", "order", "thing", "bag"):
        return have.kind == want.kind or not have.kind or not want.kind
    if want.shape == "bag":
        return have.shape in ("bag", "set", "thing") and have.kind in (want.kind, "")
    if want.shape == "order":
        return have.shape == "order" and have.kind == want.kind
    return have.shape == want.shape and have.shape != "set"


E = TypeVar("E", bound=t.Expr)


def copied(typed: Typed, expr: E) -> E:
    """An expression once more, which means the same; what its place makes of it may be something else."""
    new: E = _again(typed, expr)
    typed.coerced.pop(new, None)
    return new


def _again(typed: Typed, node: Any) -> Any:
    if isinstance(node, tuple):
        return tuple(_again(typed, part) for part in node)
    if not isinstance(node, t.Node):
        return node
    new = replace(
        node,
        **{
            field.name: _again(typed, getattr(node, field.name))
            for field in fields(node)
            if field.name != "span" and field.type != "Unwalked"
        },
    )
    resolved = typed.resolved
    tables: tuple[dict[Any, Any], ...] = (
        resolved.meaning,
        resolved.binds,
        resolved.asked,
        resolved.types,
        typed.coerced,
    )
    for table in tables:
        if node in table:
            table[new] = table[node]
    return new
