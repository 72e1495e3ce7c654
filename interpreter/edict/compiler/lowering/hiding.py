"""Hiding of changes that depend on secrets.

Neither the players' knowledge nor the log may reveal whether such a change happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from math import prod

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Const, CoreExpr
from edict.compiler.codegen.core_builder import make_op
from edict.compiler.lowering.context import EVERYONE, NOTHING, YOU, Context
from edict.compiler.lowering.value_lowering import (
    StorageLocation,
    knowledge_places,
    lower_value,
    resolve_place,
    resource_place,
    restrict_knowledge,
)
from edict.compiler.semantics.ability_targets import RESOURCE_EDGES, STEP_EDGES
from edict.compiler.semantics.call_graph import iter_callees_of_node
from edict.compiler.semantics.effects import iter_moved_resources
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.secret_sources import (
    collect_reads,
    find_local_secrets,
    has_secret,
    iter_without_public_counts,
    secret_resources_of,
    secrets_behind,
)
from edict.compiler.semantics.symbols import Local, Meaning, Symbol, collect_bound, keep_of, walk_expanded
from edict.compiler.semantics.whose_turn import gives_turns
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, carries_role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.runtime.program import opcodes as o


@contextmanager
def hide_changes(c: Context, is_secret: bool, *changing: t.Node) -> Iterator[None]:
    """Hide every secret that the code inside may change from all but its owner.

    Secrets that stay the same then look no different from those that change.
    """
    if not is_secret or c.env.unseen >= 0:
        yield
        return
    _restrict_knowledge(c, NOTHING, changing)
    with c.with_environment(unseen=c.cause):
        yield


@contextmanager
def hide_changes_of(c: Context, places: Iterable[StorageLocation]) -> Iterator[None]:
    """Make these places unknown to everybody, then emit the code inside with events unseen; nothing without places."""
    hidden = [target.evaluate_once(c) for target in places]
    if not hidden or c.env.unseen >= 0:
        yield
        return
    for target in hidden:
        restrict_knowledge(c, target, NOTHING)
    with c.with_environment(unseen=c.cause), c.with_cause(c.parts.derive_cause(c.cause, unseen=c.cause)):
        yield


@contextmanager
def hide_decision(c: Context, condition: t.Expr | None, *changing: t.Node) -> Iterator[None]:
    """Hide changes that depend on a condition from those who do not know its value."""
    secrets = (
        secrets_behind(collect_reads(c.resolved, condition), find_local_secrets(c.resolved))
        if condition is not None
        else ()
    )
    with hide_changes(c, any(isinstance(secret, Local) for secret in secrets), *changing):
        if not secrets or condition is None or c.env.unseen >= 0 or not any(_find_changed_secrets(c, changing)):
            yield
            return
        _restrict_knowledge(c, _find_informed_players(c, condition, secrets), changing)
        with c.with_environment(unseen=c.cause):
            yield


@contextmanager
def hide_target(c: Context, step: t.Stmt) -> Iterator[None]:
    """Hide which of several secret places a step changes, or which effect or resource it uses, if that is secret."""
    deciding = [
        arg for place in iter_role_values(step, Role.CHANGED) if isinstance(place, t.Apply) for arg in place.args
    ]
    for part in (part for bundle in iter_role_values(step, Role.MOVED) for part in bundle.parts):
        deciding.append(part.what if isinstance(part, t.Part) else part.source)
    thing = getattr(step, "thing", None)
    if isinstance(thing, t.Expr) and carries_role(type(step), Role.RUNS):
        deciding.append(thing)
    with ExitStack() as stack:
        for expr in deciding:
            if has_secret(c.resolved, expr):
                stack.enter_context(hide_decision(c, expr, step))
        yield


def hide_ability_checks(c: Context, abilities: Iterable[AttachedAbility]) -> None:
    """Hide what abilities change before they are tested, if a secret decides whether they apply."""
    for attached in abilities:
        own_condition = getattr(attached.ability, "condition", None)
        conditions = [own_condition] if own_condition is not None else []
        if attached.thing is not None:
            kind = c.resolved.require_definition(attached.thing.kind.word)
            conditions += [kind.works_if] if isinstance(kind, t.Kind) and kind.works_if is not None else []
        for condition in conditions:
            secrets = secrets_behind(collect_reads(c.resolved, condition), find_local_secrets(c.resolved))
            if secrets and _find_changed_secrets(c, (attached.ability,)):
                _restrict_knowledge(c, _find_informed_players(c, condition, secrets), (attached.ability,))


def _restrict_knowledge(c: Context, knowing: CoreExpr, changing: tuple[t.Node, ...]) -> None:
    """Restrict knowledge of all changed secret places to those who know it already and are `knowing` or the owner."""
    for places in _find_changed_secrets(c, changing):
        for target in places():
            restrict_knowledge(c, target, knowing)


def _find_informed_players(c: Context, condition: t.Expr, secrets: frozenset[Meaning]) -> CoreExpr:
    """Return the set of players who know all of these secret places, on which a condition depends."""
    handled: set[Meaning] = set()
    informed = c.let(EVERYONE)
    for expr in iter_without_public_counts(c.resolved, walk(condition)):
        if isinstance(expr, t.Apply) and (resources := secret_resources_of(c.resolved, expr.head)):
            if not _uses_inner_binding(c, condition, expr) and _is_nameable(c, expr):
                handled |= resources
                for target in _iter_holdings(c, resources, lower_value(c, expr.args[0])):
                    _keep_those_who_know(c, informed, target.evaluate_once(c))
            continue
        if not isinstance(expr, t.Name | t.Apply):
            continue
        keep = keep_of(c.resolved, expr)
        if keep is None or isinstance(expr, t.Name) and keep.params or _place_symbol(c, expr) not in secrets:
            continue
        if not _uses_inner_binding(c, condition, expr) and _is_nameable(c, expr):
            handled.add(_place_symbol(c, expr))
            _keep_those_who_know(c, informed, resolve_place(c, expr).evaluate_once(c))
    for secret in sorted(
        secrets - handled, key=lambda secret: secret.name
    ):  # read for several members, or within a quantity
        if isinstance(secret, Local):
            return NOTHING  # it was chosen or drawn in secret, so nobody knows it
        for target in _iter_places(c, secret):
            _keep_those_who_know(c, informed, target)
    return informed


def _uses_inner_binding(c: Context, condition: t.Expr, expr: t.Expr) -> bool:
    """Return True if a part of a condition refers to a name bound within the condition."""
    return not collect_bound(c.resolved, walk(condition)).isdisjoint(meaning for _, meaning in c.iter_names(expr))


def _iter_holdings(c: Context, resources: Iterable[Meaning], player: CoreExpr) -> Iterator[StorageLocation]:
    """Iterate over a player's places of these resources."""
    for name in sorted(resource.name for resource in resources):
        yield resource_place(c, c.linked.resource_index(name), player)


def _keep_those_who_know(c: Context, informed: core.Var, target: StorageLocation) -> None:
    """Emit code that keeps in `informed` only players who know every value at a place."""
    for known in knowledge_places(target):
        c.set(informed, make_op(o.AND, informed, known.value))


def _find_changed_secrets(c: Context, roots: tuple[t.Node, ...]) -> list[Callable[[], Iterable[StorageLocation]]]:
    """Return the secret places that nodes change, single ones if they can be named beforehand, else the whole keep."""
    nodes = [node for place_expr in roots for node in walk_expanded(c.resolved, place_expr)]
    bound = collect_bound(c.resolved, nodes)
    other_turn_nodes = {
        node
        for place_expr in nodes
        if gives_turns(c.resolved, place_expr)
        for node in walk_expanded(c.resolved, place_expr)
    }
    places: dict[object, Callable[[], Iterable[StorageLocation]]] = {}
    for node in _iter_executed_nodes(c, nodes):
        for resource in _find_moved_secrets(c, node):
            is_own = node in nodes and node not in other_turn_nodes and STEP_EDGES.get(type(node)) != RESOURCE_EDGES
            places.setdefault(
                (is_own, resource),
                partial(_iter_holdings, c, [resource], YOU) if is_own else partial(_iter_places, c, resource),
            )
        for place_expr in iter_role_values(node, Role.CHANGED):
            keep, names = keep_of(c.resolved, place_expr), tuple(c.iter_names(place_expr))
            if keep is None or not keep.secret:
                continue
            refers_to_other_you = place_expr in other_turn_nodes and any(name.word == "you" for name, _ in names)
            is_nameable = bound.isdisjoint(meaning for _, meaning in names) and _is_nameable(c, place_expr)
            is_named = is_nameable and not refers_to_other_you and node in nodes
            all_places = partial(_iter_places, c, _place_symbol(c, place_expr))
            named_place = partial(lambda place_expr: [resolve_place(c, place_expr).evaluate_once(c)], place_expr)
            key = tuple(meaning for _, meaning in names) if is_named else keep
            places.setdefault((is_named, key), named_place if is_named else all_places)
    return list(places.values())


def _find_moved_secrets(c: Context, node: t.Node) -> list[Symbol]:
    """Return the secret resources that a step moves."""
    bundles = iter_role_values(node, Role.MOVED) if isinstance(node, t.Stmt) else ()
    candidates = {
        symbol
        for bundle in bundles
        for symbol in iter_moved_resources(c.resolved, bundle)
        if isinstance(symbol, Symbol)
    }
    return sorted(
        (symbol for symbol in candidates if getattr(symbol.definition, "secret", False)), key=lambda symbol: symbol.name
    )


def _iter_executed_nodes(c: Context, nodes: list[t.Node]) -> Iterator[t.Node]:
    """Iterate over nodes and those of the routines and effects that they run."""
    seen, pending = set[t.Node](), list(nodes)
    while pending:
        node = pending.pop(0)
        if node not in seen:
            seen.add(node)
            yield node
            if carries_role(type(node), Role.RUNS):
                for definition in iter_callees_of_node(c.resolved, node):
                    pending += walk_expanded(c.resolved, definition)


def _iter_places(c: Context, secret: Meaning) -> Iterator[StorageLocation]:
    """Iterate over all places of a keep, or over all players' places of a resource."""
    home = c.layout.keeps.get(secret.name)
    if home is not None and not home.sizes:
        yield StorageLocation(home.base, None, home)
        return
    index = c.let(NOTHING)
    with c.block() as end, c.loop():
        c.jump_unless(core.Compare("<", index, Const(c.layout.players if home is None else prod(home.sizes))), end)
        yield from _iter_holdings(c, [secret], index) if home is None else (StorageLocation(home.base, index, home),)
        c.set(index, make_op(o.ADD, index, Const(1)))


def _place_symbol(c: Context, written: t.Expr) -> Symbol:
    """Return the symbol of the name in a place, such as `hand` in `hand of you`."""
    head = written.head if isinstance(written, t.Apply) else written
    assert isinstance(head, t.Name)
    return c.symbol_of(head)


def _is_nameable(c: Context, place: t.Expr) -> bool:
    """Return True if the indices of a place are plain names, neither secret nor optional."""
    args = place.args if isinstance(place, t.Apply) else ()
    named = all(isinstance(arg, t.Name) and not c.type_of(arg).optional for arg in args)
    return named and not any(has_secret(c.resolved, arg) for arg in args)
