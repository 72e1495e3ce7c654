"""Types of values: their names in words, when a value fits its place, and its coercion there."""

from __future__ import annotations

from dataclasses import fields, replace
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
    ResolvedBook,
)
from edict.compiler.syntax import tree as t
from edict.runtime.program import ValueType
from edict.support.morphology import add_indefinite_article, pluralize
from edict.support.records import dataclass

UNKNOWN = ValueType("unknown")
EFFECT = ValueType("effect")
AMOUNTS = ValueType("amounts")
SET = ValueType("set")

# types by their words in the signatures of the tree
SHAPES = {
    "number": NUMBER,
    "truth": TRUTH,
    "dice": DICE,
    "player": PLAYER,
    "players": PLAYERS,
    "resource": RESOURCE,
    "resources": RESOURCES,
    "numbers": NUMBERS,
    "some player": ValueType("thing", "player", True),
}


class Coercion(Enum):
    """A conversion of a value to the type of its place. Only the type checker decides on it."""

    THING_TO_SET = auto()  # a set of the thing alone; the empty set for none
    ORDER_TO_SET = auto()  # a set of its members
    NUMBER_TO_SET = auto()  # a set of the number alone
    PRESENT = auto()  # fails if it is none
    BAG_TO_SET = auto()  # a set of the things in it
    THING_TO_BAG = auto()  # a bag with the thing alone
    SET_TO_BAG = auto()  # a bag with each member once


@dataclass(frozen=True)
class TypedBook:
    """A resolved book, the types of its expressions and local names, and the values that are coerced."""

    resolved: ResolvedBook
    coerced: dict[t.Expr, Coercion]

    @property
    def types(self) -> dict[t.Expr, ValueType]:
        """The types of expressions."""
        return self.resolved.types

    @property
    def locals(self) -> dict[Local, ValueType]:
        """The types of local names."""
        return self.resolved.locals

    def type_of(self, expr: t.Expr) -> ValueType:
        """Return the type of an expression."""
        return self.types[expr]


def describe_type(type_: ValueType) -> str:
    """Return a type in words, such as `a number`, `a set of cards` or `yes or no`."""
    if type_.shape == "thing":
        return add_indefinite_article(type_.kind) + (" or `none`" if type_.optional else "")
    if type_.shape in ("set", "order", "bag"):
        return f"{add_indefinite_article(type_.shape)} of {pluralize(type_.kind) if type_.kind else 'anything'}"
    words = {"number": "a number", "truth": "yes or no", "dice": "dice", "nothing": "`none`", "effect": "an effect"}
    words["text"] = "a text, for announcements and panels"
    return words.get(type_.shape, type_.shape)


def from_type_name(resolved: ResolvedBook, type_name: t.TypeName) -> ValueType:
    """Return the type that a type name in a rule file stands for."""
    if type_name.name is None:
        return ValueType(type_name.shape)
    meaning = resolved.meaning_of(type_name.name)
    kind = "resource" if meaning.sort == "group" else meaning.name
    if type_name.shape == "thing" and kind == "number":
        return NUMBER
    return ValueType(type_name.shape, kind, type_name.optional)


TO_SET = {"thing": Coercion.THING_TO_SET, "order": Coercion.ORDER_TO_SET, "bag": Coercion.BAG_TO_SET}


def find_coercion(have: ValueType, wanted: ValueType) -> Coercion | None:
    """Return the conversion for a value that fits its place; None if it goes there unchanged."""
    if wanted.shape == "set":
        return TO_SET.get(have.shape)
    if wanted.shape == "bag":
        return {"thing": Coercion.THING_TO_BAG, "set": Coercion.SET_TO_BAG}.get(have.shape)
    if wanted.shape == "thing" and have.optional and not wanted.optional:
        return Coercion.PRESENT
    return None


def type_of_kind(resolved: ResolvedBook, kind: t.Name) -> ValueType:
    """Return the type for `each X` or `choose a X`: number, resource (for a group), or thing of the kind."""
    meaning = resolved.meaning_of(kind)
    return {"number": NUMBER, "group": RESOURCE}.get(meaning.sort, ValueType("thing", meaning.name))


def param_type(resolved: ResolvedBook, param: t.Param) -> ValueType:
    """Return the type of a parameter."""
    return type_of_kind(resolved, param.kind)


def forms_set(left: ValueType, right: ValueType) -> bool:
    """Return True if the sum of two things, or of one and a set, is a set; resources stand for amounts there."""
    return left.shape == "thing" and left != RESOURCE and right.shape in ("thing", "set")


def set_of(member: ValueType) -> ValueType:
    """Return the type of a set of such members."""
    if member == UNKNOWN:
        return UNKNOWN
    return ValueType("set", "number" if member == NUMBER else member.kind)


def member_of(collection: ValueType) -> ValueType:
    """Return the type of one member of a set, order or bag, or of a single thing; UNKNOWN for other types."""
    if collection.shape not in ("set", "order", "bag", "thing"):
        return UNKNOWN
    if collection.kind == "number":
        return NUMBER
    return ValueType("thing", collection.kind)


def fits(have: ValueType, want: ValueType) -> bool:
    """Return True if a value of type `have` can stand where `want` is taken, perhaps after a coercion."""
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


def copy_expression(typed: TypedBook, expr: E) -> E:
    """Return a copy of an expression with the same meaning, but without the coercion by its place."""
    new: E = _copy_node(typed, expr)
    typed.coerced.pop(new, None)
    return new


def _copy_node(typed: TypedBook, node: Any) -> Any:
    """Return a deep copy of a node or tuple, with meanings, bindings, types and coercions entered for the copies."""
    if isinstance(node, tuple):
        return tuple(_copy_node(typed, part) for part in node)
    if not isinstance(node, t.Node):
        return node
    new = replace(
        node,
        **{
            field.name: _copy_node(typed, getattr(node, field.name))
            for field in fields(node)
            if field.name != "span" and field.type != "Unwalked"
        },
    )
    resolved = typed.resolved
    tables: tuple[dict[Any, Any], ...] = (
        resolved.meaning,
        resolved.binds,
        resolved.member_locals,
        resolved.types,
        typed.coerced,
    )
    for table in tables:
        if node in table:
            table[new] = table[node]
    return new
