"""Blocks of statements, each sort of which registers here what it becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from edict.backend import core
from edict.backend.core import Label
from edict.language import tree as t
from edict.language.roles import Role, has
from edict.lowering.context import Context
from edict.lowering.hiding import which_one
from edict.meaning.steps import steps

HANDLERS: dict[type, Callable[[Context, Any], None]] = {}
H = TypeVar("H", bound=Callable[[Context, Any], None])


def lowers(kind: type) -> Callable[[H], H]:
    """Register what statements of a sort become."""

    def register(handler: H) -> H:
        HANDLERS[kind] = handler
        return handler

    return register


@dataclass(frozen=True)
class Offer:
    """How a step that asks is put to a player.

    no: where to go if it is declined, or there is nothing to choose from. decline: what declining is called; None if it
    must be done. `prompt`: the question, if words are not enough; `then`: what comes of it.
    """

    no: Label
    decline: str | None = None
    prompt: str = ""
    then: t.Block = ()

    @property
    def declined(self) -> Label | None:
        """Where to go if it is declined, if it may be."""
        return None if self.decline is None else self.no


Offered = Callable[[Context, Any, Offer], bool]
OFFERS: dict[type, Offered] = {}
"""How steps are offered that may be declined. Gives whether they ask themselves, so that no yes or no is needed."""
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
        for statement in steps(statements):
            stmt(c, statement)
        c.skip.pop()


def stmt(c: Context, statement: t.Stmt) -> None:
    if binds(statement):
        with c.at(statement.span):
            HANDLERS[type(statement)](c, statement)
        return
    with c.apart() as body, which_one(c, statement), c.at(statement.span):
        HANDLERS[type(statement)](c, statement)
        cause = c.cause
    if body:
        c.add(core.Scope(tuple(body), cause=cause))
