"""Blocks of statements. Handlers of single statements register here, so that every part of lowering can use blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.front import tree as t
from edict.front.lower.context import Context
from edict.front.meaning.steps import steps
from edict.front.roles import Role, has

HANDLERS: dict[type, Callable[[Context, Any], None]] = {}


def binds(statement: t.Stmt) -> bool:
    """Whether what follows may use a name from this statement, whose cell must stay."""
    return has(type(statement), Role.BINDS)


def block(c: Context, statements: t.Block) -> None:
    """A block in turn; a choice with nothing to choose from ends it."""
    end = c.label()
    c.skip.append(end)
    mark = c.frame.used
    for statement in steps(statements):
        before = c.frame.used
        stmt(c, statement)
        if not binds(statement):
            c.frame.used = before
    c.frame.used = mark
    c.skip.pop()
    c.put(end)


def stmt(c: Context, statement: t.Stmt) -> None:
    with c.at(statement.span):
        HANDLERS[type(statement)](c, statement)
