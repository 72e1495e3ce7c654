"""Type queries for phrases."""

from __future__ import annotations

from edict.compiler.semantics.symbols import PLAYER, TRUTH, Local, ResolvedBook, definition_of
from edict.compiler.syntax import tree as t


def is_player(resolved: ResolvedBook, local: Local) -> bool:
    """Return True if a local name is a player."""
    return resolved.locals.get(local) == PLAYER


def has_players(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is a player, or a set or an order of players."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.kind == PLAYER.kind


def is_collection(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is a set, an order, a bag or dice."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape in ("set", "order", "bag", "dice")


def is_dice(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is dice."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape == "dice"


def is_order(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is an order."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape == "order"


def is_number(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is a number."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape == "number"


def is_truth(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is a truth value."""
    return resolved.types.get(expr) == TRUTH


def has_members(resolved: ResolvedBook, kind: t.Name) -> bool:
    """Return True if there are things of a kind, or if the name is no kind."""
    definition = definition_of(resolved, kind)
    kinds = (thing.kind.word for thing in resolved.book.things)
    return not isinstance(definition, t.Kind) or definition.name.word in kinds
