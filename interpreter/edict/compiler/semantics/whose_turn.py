"""Where a rule means `you` and it is nobody's turn, nor about anything that a player has."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.semantics.call_graph import answered, called, calls, is_you
from edict.compiler.semantics.symbols import Resolved, brought, definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Asks, Role, has, having
from edict.compiler.syntax.walking import parts


def nobodys(resolved: Resolved) -> dict[t.Node, t.Node | None]:
    """Every `you`, and every step that somebody takes, in nobody's turn; each with what called it, if anything did."""
    game = next((game for game in resolved.book.definitions.values() if isinstance(game, t.Game)), None)
    if game is None or game.high < 2:
        return {}  # who plays alone is always meant
    called_by: dict[t.Node, t.Node | None] = {}
    resources = (resource for resource in resolved.book.definitions.values() if isinstance(resource, t.Resource))
    limits = (resource.limit for resource in resources if resource.limit is not None)
    asserted = [one.condition for one in resolved.book.definitions.values() if isinstance(one, t.Assert)]
    starts = (*game.course, *limits, *(condition for condition in asserted if condition is not None))
    waiting: list[tuple[t.Node, t.Node | None]] = [(start, None) for start in starts]
    while waiting:
        start, caller = waiting.pop()
        for node in _outside_turns(resolved, start):
            if node not in called_by:
                called_by[node] = caller
                meant = answered(resolved, node) is not None  # then no owner is asked for
                callees = (callee for callee in called(resolved, node) if meant or not _says_whose(resolved, callee))
                waiting.extend((callee, node) for callee in callees)
    return {node: caller for node, caller in called_by.items() if _is_somebodys(resolved, node)}


def _outside_turns(resolved: Resolved, node: t.Node) -> Iterator[t.Node]:
    """A node and all below it, what happens in players' turns left out."""
    waiting: list[object] = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, t.Node):
            yield one
            waiting.extend(value for name, value in parts(one) if not (name == "block" and gives_turns(resolved, one)))


def gives_turns(resolved: Resolved, node: t.Node) -> bool:
    """Whether the block below a step is the turn of one player after the other."""
    kind: t.Name | None = getattr(node, "kind", None)
    if not isinstance(node, t.Loop) or kind is None or getattr(node, "name", None) is not None:
        return isinstance(node, t.For)
    return not isinstance(node, t.EachNumber) and resolved.meaning[kind].sort == "player"


def _says_whose(resolved: Resolved, node: t.Node) -> bool:
    """Whether it is about one player after all: what is theirs, or a number of theirs."""
    if isinstance(node, t.Quantity):
        return any(resolved.meaning[param.kind].sort == "player" for param in node.params)
    if isinstance(node, t.Exception_) and node.edge and _whose(resolved, node):
        return True
    return isinstance(node, t.Expr) or node in calls(resolved).owned  # an Expr: when a thing works


def _whose(resolved: Resolved, exception: t.Exception_) -> bool:
    """Whether what is replaced is somebody's: what they gain or lose, or what is kept for them."""
    definition = definition_of(resolved, exception.target)
    return definition is not None and any(param.kind.word == "player" for param in brought(resolved, definition))


def _is_somebodys(resolved: Resolved, node: t.Node) -> bool:
    if has(type(node), Role.BESIDE):
        return any(having(node, Role.BESIDE))  # then the player chooses
    if isinstance(node, Asks):
        return getattr(node, "asking", None) is None
    return is_you(resolved, node) or has(type(node), Role.MOVED)
