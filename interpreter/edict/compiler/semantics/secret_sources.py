"""Secrets behind values: what a local name or an expression may give away."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from edict.compiler.semantics.call_graph import gather_facts
from edict.compiler.semantics.effects import iter_moved_resources
from edict.compiler.semantics.flows import DataFlow, collect_flows
from edict.compiler.semantics.resource_names import resources_of_name
from edict.compiler.semantics.symbols import (
    Local,
    Meaning,
    ResolvedBook,
    collect_bound,
    definition_of,
    keep_of,
    walk_expanded,
)
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import AskingStep, Role, iter_role_values

Secrets = frozenset[Meaning]
SecretsByLocal = Mapping[Local, Secrets]
RevealedBy = Callable[[t.Definition], Secrets]

NONE: Secrets = frozenset()


@lru_cache(maxsize=2)
def find_local_secrets(resolved: ResolvedBook) -> SecretsByLocal:
    """Return the secret keeps and secret choices that each local name was made of, if any.

    It is an overestimate: players are told less rather than more.
    """
    return propagate_secrets(resolved, lambda owner: NONE)


def propagate_secrets(resolved: ResolvedBook, revealed_by: RevealedBy) -> SecretsByLocal:
    """Map each local name to the secret keeps, resources and draws that its value may give away.

    Args:
        resolved: The rules.
        revealed_by: Returns the secrets that a definition has revealed before it passes values on.
    """
    secrets_by_local: dict[Local, Secrets] = {
        local: frozenset([local]) for node, local in resolved.binds.items() if is_secret_choice(resolved, node)
    }
    secrets_by_local |= {name: frozenset([name]) for name in _iter_secretly_assigned_locals(resolved)}
    sources = [(flow, collect_reads(resolved, flow.source)) for flow in collect_flows(resolved)]
    flows_from: defaultdict[Local, list[tuple[DataFlow, frozenset[Meaning]]]] = defaultdict(list)
    for flow, meanings in sources:
        for meaning in meanings:
            if isinstance(meaning, Local):
                flows_from[meaning].append((flow, meanings))
    pending = deque(sources)
    while pending:
        flow, meanings = pending.popleft()
        old = secrets_by_local.get(flow.target, NONE)
        new = old | _flow_secrets(flow, meanings, secrets_by_local, revealed_by)
        if new != old:
            secrets_by_local[flow.target] = new
            pending.extend(flows_from[flow.target])
    return secrets_by_local


def has_secret(resolved: ResolvedBook, node: t.Node) -> bool:
    """Return True if the value of a node may depend on a secret keep, resource or choice."""
    return bool(secrets_behind(collect_reads(resolved, node), find_local_secrets(resolved)))


def is_secret_choice(resolved: ResolvedBook, node: t.Node) -> bool:
    """Return True if a node binds a name to something drawn or chosen unseen by others."""
    return getattr(node, "secretly", False) and node in resolved.binds


def _iter_secretly_assigned_locals(resolved: ResolvedBook) -> Iterator[Local]:
    """Yield local names that change only if a player decides so in secret: to stop, to take an offer."""
    for node in (node for owner in resolved.book.roots for node in walk_expanded(resolved, owner)):
        head = getattr(node, "head", None)
        if isinstance(node, AskingStep) and (getattr(node, "secretly", False) or getattr(head, "secretly", False)):
            nodes = tuple(walk_expanded(resolved, node))
            inner_locals = collect_bound(resolved, nodes)
            for place in (place for node in nodes for place in iter_role_values(node, Role.CHANGED)):
                meaning = resolved.meaning.get(place) if isinstance(place, t.Name) else None
                if isinstance(meaning, Local) and meaning not in inner_locals:
                    yield meaning


def _flow_secrets(
    flow: DataFlow, meanings: frozenset[Meaning], secrets_by_local: SecretsByLocal, revealed_by: RevealedBy
) -> Secrets:
    """Return the secrets that a flow passes on, without those that its owner has revealed before."""
    secrets = secrets_behind(meanings, secrets_by_local)
    return secrets - revealed_by(flow.owner) if secrets else NONE


def secrets_behind(meanings: frozenset[Meaning], secrets_by_local: SecretsByLocal) -> Secrets:
    """Return the secrets that these meanings are, and for locals those that `secrets_by_local` lists."""
    return NONE.union(
        *(
            secrets_by_local.get(meaning, NONE) if isinstance(meaning, Local) else _own_secret(meaning)
            for meaning in meanings
        )
    )


def _own_secret(meaning: Meaning) -> Secrets:
    """Return a meaning alone as a set if it is a secret `keep` or resource, else an empty set."""
    definition = None if isinstance(meaning, Local) else meaning.definition
    if isinstance(definition, t.Keep | t.Resource) and definition.secret:
        return frozenset([meaning])
    return NONE


def collect_reads(resolved: ResolvedBook, node: t.Node) -> frozenset[Meaning]:
    """Return all that an expression reads, including what its quantities read."""
    return gather_facts(resolved, _collect_reads_in, node)


def _collect_reads_in(resolved: ResolvedBook, nodes: Iterable[t.Node]) -> frozenset[Meaning]:
    """Return all meanings that some nodes read, without secret places of which only the public count is read."""
    return frozenset(
        meaning for source in iter_without_public_counts(resolved, nodes) for meaning in node_reads(resolved, source)
    )


def node_reads(resolved: ResolvedBook, node: t.Node) -> Iterable[Meaning]:
    """Return the meanings that a single node reads; of resources only those whose amount is secret and asked for."""
    if isinstance(node, t.Name):
        meaning = resolved.meaning.get(node)
        if meaning is None or definition_of(resolved, node) in _resources_if_secret(resolved):
            return ()
        return (meaning,)
    if isinstance(node, t.Apply):
        return secret_resources_of(resolved, node.head)
    if isinstance(node, t.InSupply):
        return secret_resources_of(resolved, node.resource)
    if isinstance(node, t.CanPay):
        return [
            meaning
            for bundle in node.options
            for meaning in iter_moved_resources(resolved, bundle)
            if _own_secret(meaning)
        ]
    return ()


def secret_resources_of(resolved: ResolvedBook, name: t.Name) -> Secrets:
    """Return the secret resources that a name may stand for; empty for names of something else."""
    if not _resources_if_secret(resolved):
        return NONE
    return frozenset(meaning for meaning in resources_of_name(resolved, name) if _own_secret(meaning))


@lru_cache(maxsize=2)
def _resources_if_secret(resolved: ResolvedBook) -> frozenset[t.Definition]:
    """Return all resources and groups if at least one resource is secret; otherwise an empty set."""
    resources = [*resolved.book.select(t.Resource, t.Group)]
    secret = any(isinstance(resource, t.Resource) and resource.secret for resource in resources)
    return frozenset(resources if secret else ())


def iter_without_public_counts(resolved: ResolvedBook, nodes: Iterable[t.Node]) -> Iterator[t.Node]:
    """Yield the nodes, without names of `but counted` secrets in expressions that ask only for their size.

    A test for emptiness asks for the size.
    """
    all_nodes = tuple(nodes)
    public_names = {name for source in all_nodes if (name := _public_count_name(resolved, source)) is not None}
    return (source for source in all_nodes if source not in public_names)


def _public_count_name(resolved: ResolvedBook, node: t.Node) -> t.Expr | None:
    """Return the name or place whose public count a node reads, such as `hand` in `count of hand`; None if none."""
    if isinstance(node, t.Apply):
        group = definition_of(resolved, node.head)
        return node if isinstance(group, t.Group) and group.counted else None
    if not isinstance(node, t.Unary) or node.op not in ("count", "empty", "not-empty"):
        return None
    keep = keep_of(resolved, node.arg)
    head = node.arg.head if isinstance(node.arg, t.Apply) else node.arg
    return head if keep is not None and keep.counted else None
