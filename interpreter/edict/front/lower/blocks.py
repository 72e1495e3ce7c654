"""Blocks of statements, each sort of which registers here what it becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from edict.backend import core
from edict.backend.core import Label
from edict.front import tree as t
from edict.front.lower.context import Context
from edict.front.roles import Role, has

HANDLERS: dict[type, Callable[[Context, Any], None]] = {}
H = TypeVar("H", bound=Callable[[Context, Any], None])


def lowers(kind: type) -> Callable[[H], H]:
    """Register what statements of a sort become."""

    def register(handler: H) -> H:
        HANDLERS[kind] = handler
        return handler

    return register


Offered = Callable[[Context, Any, "str | None", Label, t.May], bool]
OFFERS: dict[type, Offered] = {}
"""How a step is offered that may be declined: under which words (None: it was accepted already), where to go then, and
the `may` it stands in. It gives whether it asks by itself, so that a yes or no need not be asked for."""
A = TypeVar("A", bound=Offered)


def declinable(kind: type) -> Callable[[A], A]:
    """Register how steps of a sort are offered to be declined."""

    def register(offered: A) -> A:
        OFFERS[kind] = offered
        return offered

    return register


def binds(statement: t.Stmt) -> bool:
    """Whether what follows may use a name from this statement, whose variable must stay."""
    return has(type(statement), Role.BINDS)


def block(c: Context, statements: t.Block) -> None:
    """A block in turn; a choice with nothing to choose from ends it."""
    if not statements:
        return
    with c.block() as end:
        c.skip.append(end)
        for statement in statements:
            stmt(c, statement)
        c.skip.pop()


def stmt(c: Context, statement: t.Stmt) -> None:
    with c.at(statement.span):
        if binds(statement):
            HANDLERS[type(statement)](c, statement)
            return
        with c.apart() as body:
            HANDLERS[type(statement)](c, statement)
        if body:
            c.add(core.Scope(tuple(body), cause=c.cause))
