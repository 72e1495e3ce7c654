"""What may give a secret away: the secrets that local names and expressions were made of."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from edict.language import tree as t
from edict.language.roles import Asks, Role, having
from edict.meaning.call_graph import gather_facts, owners
from edict.meaning.effects import moved
from edict.meaning.flows import Flow, flows
from edict.meaning.resource_names import resources
from edict.meaning.symbols import Local, Meaning, Resolved, bound_in, definition_of, in_full, keep_of

Secrets = frozenset[Meaning]
Told = Mapping[Local, Secrets]
Shown = Callable[[t.Definition], Secrets]

NONE: Secrets = frozenset()


@lru_cache(maxsize=2)
def secrets_of_locals(resolved: Resolved) -> Told:
    """Each local name that may give something away, with the secret keeps and secret choices it was made of.

    Rather one too many than one too few: whoever asks is told less, not more.
    """
    return spread(resolved, lambda owner: NONE)


def spread(resolved: Resolved, shown: Shown) -> Told:
    """The same, where rules have `shown` some secrets before they pass them on."""
    found: dict[Local, Secrets] = {
        local: frozenset([local]) for node, local in resolved.binds.items() if is_secret_choice(resolved, node)
    }
    found |= {name: frozenset([name]) for name in _settled_in_secret(resolved)}
    sources = [(flow, spoken_of(resolved, flow.source)) for flow in flows(resolved)]
    passing: defaultdict[Local, list[tuple[Flow, frozenset[Meaning]]]] = defaultdict(list)
    for flow, spoken in sources:
        for meaning in spoken:
            if isinstance(meaning, Local):
                passing[meaning].append((flow, spoken))
    waiting = deque(sources)
    while waiting:
        flow, spoken = waiting.popleft()
        old = found.get(flow.target, NONE)
        new = old | _passed_on(flow, spoken, found, shown)
        if new != old:
            found[flow.target] = new
            waiting.extend(passing[flow.target])
    return found


def gives_away(resolved: Resolved, node: t.Node) -> bool:
    """Whether a value may give a secret away."""
    return bool(behind(spoken_of(resolved, node), secrets_of_locals(resolved)))


def is_secret_choice(resolved: Resolved, node: t.Node) -> bool:
    """Whether it gives a name to what is drawn or chosen without the others seeing it."""
    return getattr(node, "secretly", False) and node in resolved.binds


def _settled_in_secret(resolved: Resolved) -> Iterator[Local]:
    """Names that are set to something else only if somebody decides so in secret: to stop, to take an offer."""
    for node in (node for owner in owners(resolved) for node in in_full(resolved, owner)):
        head = getattr(node, "head", None)
        if isinstance(node, Asks) and (getattr(node, "secretly", False) or getattr(head, "secretly", False)):
            inner = tuple(in_full(resolved, node))
            within_ = bound_in(resolved, inner)
            for place in (place for node in inner for place in having(node, Role.CHANGED)):
                meaning = resolved.meaning.get(place) if isinstance(place, t.Name) else None
                if isinstance(meaning, Local) and meaning not in within_:
                    yield meaning


def _passed_on(flow: Flow, spoken: frozenset[Meaning], found: Told, shown: Shown) -> Secrets:
    secrets = behind(spoken, found)
    return secrets - shown(flow.owner) if secrets else NONE


def behind(spoken: frozenset[Meaning], found: Told) -> Secrets:
    """The secrets behind what is spoken of."""
    return NONE.union(*(found.get(m, NONE) if isinstance(m, Local) else _kept(m) for m in spoken))


def _kept(meaning: Meaning) -> Secrets:
    kept = None if isinstance(meaning, Local) else meaning.definition
    return frozenset([meaning]) if isinstance(kept, t.Keep | t.Resource) and kept.secret else NONE


def spoken_of(resolved: Resolved, node: t.Node) -> frozenset[Meaning]:
    """All that an expression looks at, quantities looked into."""
    return gather_facts(resolved, _spoken_in, node)


def _spoken_in(resolved: Resolved, nodes: Iterable[t.Node]) -> frozenset[Meaning]:
    return frozenset(meaning for source in hiding(resolved, nodes) for meaning in looked_at(resolved, source))


def looked_at(resolved: Resolved, node: t.Node) -> Iterable[Meaning]:
    """What this one node looks at. To name a resource is not to look how much of it somebody has."""
    if isinstance(node, t.Name):
        meaning = resolved.meaning.get(node)
        return () if meaning is None or definition_of(resolved, node) in _resources(resolved) else (meaning,)
    if isinstance(node, t.Apply):
        return hidden_resources(resolved, node.head)
    if isinstance(node, t.InSupply):
        return hidden_resources(resolved, node.resource)
    if isinstance(node, t.CanPay):
        return [meaning for bundle in node.options for meaning in moved(resolved, bundle) if _kept(meaning)]
    return ()


def hidden_resources(resolved: Resolved, name: t.Name) -> Secrets:
    """The secret resources that a name stands for; none, of what is no resource."""
    if not _resources(resolved):
        return NONE
    return frozenset(meaning for meaning in resources(resolved, name) if _kept(meaning))


@lru_cache(maxsize=2)
def _resources(resolved: Resolved) -> frozenset[t.Definition]:
    """All resources and groups of them, if any resource is a secret."""
    found = [one for one in resolved.book.definitions.values() if isinstance(one, t.Resource | t.Group)]
    secret = any(isinstance(one, t.Resource) and one.secret for one in found)
    return frozenset(found if secret else ())


def hiding(resolved: Resolved, nodes: Iterable[t.Node]) -> Iterator[t.Node]:
    """These nodes without those that name secrets of which only is asked how many they hold, if everybody may see that.

    Whether there are any is a question of how many.
    """
    every = tuple(nodes)
    counted = {name for source in every if (name := _counted(resolved, source)) is not None}
    return (source for source in every if source not in counted)


def _counted(resolved: Resolved, node: t.Node) -> t.Expr | None:
    if isinstance(node, t.Apply):
        group = definition_of(resolved, node.head)
        return node if isinstance(group, t.Group) and group.counted else None
    if not isinstance(node, t.Unary) or node.op not in ("count", "empty", "not-empty"):
        return None
    keep = keep_of(resolved, node.arg)
    head = node.arg.head if isinstance(node.arg, t.Apply) else node.arg
    return head if keep is not None and keep.counted else None
