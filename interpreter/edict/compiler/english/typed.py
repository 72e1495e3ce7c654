"""What is asked of the types of values and names when they are put into words."""

from __future__ import annotations

from edict.compiler.semantics.symbols import PLAYER, TRUTH, Local, Resolved, definition_of
from edict.compiler.syntax import tree as t


def is_player(resolved: Resolved, local: Local) -> bool:
    """Whether a bound name is a player."""
    return resolved.locals.get(local) == PLAYER


def of_players(resolved: Resolved, expr: t.Expr) -> bool:
    """Whether a value is made of players: one, a set or an order of them."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.kind == PLAYER.kind


def of_things(resolved: Resolved, expr: t.Expr) -> bool:
    """Whether a value is a set, an order, a bag or dice."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape in ("set", "order", "bag", "dice")


def is_dice(resolved: Resolved, expr: t.Expr) -> bool:
    """Whether a value is dice."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape == "dice"


def is_order(resolved: Resolved, expr: t.Expr) -> bool:
    """Whether a value is things in some order."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape == "order"


def is_number(resolved: Resolved, expr: t.Expr) -> bool:
    """Whether a value is a number."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape == "number"


def is_truth(resolved: Resolved, expr: t.Expr) -> bool:
    """Whether a value is a yes or no."""
    return resolved.types.get(expr) == TRUTH


def any_of(resolved: Resolved, kind: t.Name) -> bool:
    """Whether there is anything of a kind; of what is no kind there is."""
    definition = definition_of(resolved, kind)
    things = (one for one in resolved.book.definitions.values() if isinstance(one, t.Thing))
    return not isinstance(definition, t.Kind) or any(one.kind.word == definition.name.word for one in things)
