"""Part of the pass `check`: what fields take and what the names in them stand for, as the tree says it beside them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeVar

from edict.language import tree as t
from edict.language.roles import Gives, Role, SameAs, SetOf, Takes, note, refers, roles_of
from edict.meaning.symbols import DICE, NUMBER, NUMBERS, PLAYER, PLAYERS, RESOURCE, RESOURCES, TRUTH, Resolved
from edict.language.walking import parts
from edict.program import Type

TAKEN = {
    "number": NUMBER, "truth": TRUTH, "dice": DICE, "player": PLAYER, "players": PLAYERS, "resources": RESOURCES,
    "some player": Type("thing", "player", True),
}  # fmt: skip
BINDING = {Role.BINDS, Role.BINDS_BELOW}

T = TypeVar("T")


class Fields(ABC):
    """Goes through the fields of a node in the order they are written."""

    resolved: Resolved

    @abstractmethod
    def expr(self, expr: t.Expr) -> Type: ...

    @abstractmethod
    def want(self, expr: t.Expr, wanted: Type, where: str) -> object: ...

    @abstractmethod
    def bound(self, node: t.Node, of: Type) -> None: ...

    @abstractmethod
    def place(self, expr: t.Expr, step: t.Node | None = None) -> Type: ...

    @abstractmethod
    def bundle(self, bundle: t.Bundle) -> None: ...

    @abstractmethod
    def stmt(self, statement: t.Stmt) -> None: ...

    def plain(self, node: t.Node) -> None:
        """A node of whose parts is said in the tree what they take."""
        for name, value in parts(node):
            self._part(node, name, value)

    def _part(self, node: t.Node, name: str, value: Any) -> None:
        if isinstance(value, tuple):
            for one in value:
                self._part(node, name, one)
        elif isinstance(value, t.Expr):
            self._value(node, name, value)
        elif isinstance(value, t.Bundle):
            self.bundle(value)
        elif isinstance(value, t.Stmt):
            self.stmt(value)
        elif isinstance(value, t.Node):
            self.plain(value)

    def _value(self, node: t.Node, name: str, value: t.Expr) -> None:
        kind = type(node)
        roles = roles_of(kind, name)
        if roles & BINDING:
            self._name(node, name)
        elif not refers(kind, name) and not (isinstance(value, t.Name) and value not in self.resolved.meaning):
            self._taken(node, name, value, Role.CHANGED in roles)

    def _name(self, node: t.Node, name: str) -> None:
        """The type of what a name given here stands for, if the tree says it."""
        gives, same = note(type(node), name, Gives), note(type(node), name, SameAs)
        if same is not None:
            self.bound(node, self.expr(getattr(node, same.field)))
        elif gives is not None:
            self.bound(node, TAKEN[gives.shape] if gives.shape else self.named(getattr(node, gives.one_of)))

    def _taken(self, node: t.Node, name: str, value: t.Expr, changed: bool) -> None:
        kind = type(node)
        same, takes, of = note(kind, name, SameAs), note(kind, name, Takes), note(kind, name, SetOf)
        if changed:
            self.place(value, node)
        if same is not None:
            self.want(value, self.expr(getattr(node, same.field)), "this place")
        elif takes is not None:
            self.want(value, TAKEN[takes.shape], takes.where.format_map(vars(node)))
        elif of is not None:
            self.want(value, self.set_of(getattr(node, of.field)), of.where)
        elif not changed:
            self.expr(value)

    def named(self, kind: t.Name) -> Type:
        """One of what a name in a rule stands for: a thing, a player, a number, a resource of a group."""
        meaning = self.resolved.of(kind)
        return {"number": NUMBER, "group": RESOURCE}.get(meaning.sort, Type("thing", meaning.name))

    def set_of(self, kind: t.Name) -> Type:
        """A set of them."""
        of = self.named(kind)
        return NUMBERS if of == NUMBER else Type("set", of.kind)
