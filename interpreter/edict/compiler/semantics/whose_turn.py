"""Uses of `you` outside of anybody's turn that refer to no player."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.semantics.call_graph import collect_handlers, get_invoked_moment, is_you, iter_callees_of_node
from edict.compiler.semantics.symbols import ResolvedBook, definition_of, list_event_params
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import AskingStep, Role, carries_role, iter_role_values
from edict.compiler.syntax.traversal import iter_fields


def find_ownerless(resolved: ResolvedBook) -> dict[t.Node, t.Node | None]:
    """Return each `you` and each step by a player that can run outside any turn; empty in solitaire games.

    Returns:
        Each node with the node that called it; None if it is reached directly.
    """
    game = next(resolved.book.select(t.Game), None)
    if game is None or game.high < 2:
        return {}  # a single player is always meant
    called_by: dict[t.Node, t.Node | None] = {}
    resources = resolved.book.select(t.Resource)
    limits = (resource.limit for resource in resources if resource.limit is not None)
    asserted = [definition.condition for definition in resolved.book.select(t.Assert)]
    starts = (*game.course, *limits, *(condition for condition in asserted if condition is not None))
    pending: list[tuple[t.Node, t.Node | None]] = [(start, None) for start in starts]
    while pending:
        start, caller = pending.pop()
        for node in _outside_turns(resolved, start):
            if node not in called_by:
                called_by[node] = caller
                has_owner = get_invoked_moment(resolved, node) is not None  # a thing's ability then has its player
                callees = (
                    callee
                    for callee in iter_callees_of_node(resolved, node)
                    if has_owner or not _has_owner(resolved, callee)
                )
                pending.extend((callee, node) for callee in callees)
    return {node: caller for node, caller in called_by.items() if _needs_player(resolved, node)}


def _outside_turns(resolved: ResolvedBook, node: t.Node) -> Iterator[t.Node]:
    """Yield a node and all below it, without what happens in players' turns."""
    pending: list[object] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, t.Node):
            yield part
            pending.extend(
                value for name, value in iter_fields(part) if not (name == "block" and gives_turns(resolved, part))
            )


def gives_turns(resolved: ResolvedBook, node: t.Node) -> bool:
    """Return True if the block below a step is the turn of one player after the other."""
    kind: t.Name | None = getattr(node, "kind", None)
    if not isinstance(node, t.Loop) or kind is None or getattr(node, "name", None) is not None:
        return isinstance(node, t.For)
    return not isinstance(node, t.EachNumber) and resolved.meaning[kind].sort == "player"


def _has_owner(resolved: ResolvedBook, node: t.Node) -> bool:
    """Return True if a callee has a player of its own: a quantity of a player, an owned ability, an option."""
    if isinstance(node, t.Quantity):
        return any(resolved.meaning[param.kind].sort == "player" for param in node.params)
    if isinstance(node, t.AddedOption) or (
        isinstance(node, t.Exception_) and node.edge and _is_owned_event(resolved, node)
    ):
        return True
    return isinstance(node, t.Expr) or node in collect_handlers(resolved).owned  # an Expr: the condition of a thing


def _is_owned_event(resolved: ResolvedBook, exception: t.Exception_) -> bool:
    """Return True if the exception's target has a `player` parameter: gains, losses, keeps `of` players."""
    definition = definition_of(resolved, exception.target)
    return definition is not None and any(
        param.kind.word == "player" for param in list_event_params(resolved, definition)
    )


def _needs_player(resolved: ResolvedBook, node: t.Node) -> bool:
    """Return True if a node needs a current player: it asks without naming one, moves resources, or is `you`."""
    if carries_role(type(node), Role.BESIDE):
        return any(iter_role_values(node, Role.BESIDE))  # a player has to choose among them
    if isinstance(node, AskingStep):
        return getattr(node, "asking", None) is None
    return is_you(resolved, node) or carries_role(type(node), Role.MOVED)
