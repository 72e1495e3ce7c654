"""What names bound inside a rule are called: `that advisor`, `the builder`, `the roll`, “helped”."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from edict.compiler.english.typed import is_player
from edict.compiler.semantics.call_graph import owners
from edict.compiler.semantics.symbols import Local, Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.walking import walk
from edict.support.morphology import spell_name, split_title, with_the

LETTERS = ("X", "Y", "Z")  # what a routine is given in numbers


@dataclass(frozen=True)
class BindingIndex:
    """The nodes that bind names, and how each name is called."""

    binder: dict[Local, t.Node]
    owner: dict[t.Node, t.Definition]  # the definition a binding node stands in
    shared: frozenset[t.Node]  # choices, draws, loops that need a name, since another one beside them is of their kind


@lru_cache(maxsize=2)
def index(resolved: Resolved) -> BindingIndex:
    """Worked out once for all rules of a game."""
    owner: dict[t.Node, t.Definition] = {}
    shared: set[t.Node] = set()
    for definition in owners(resolved):
        binding = [node for node in walk(definition) if node in resolved.binds]
        owner.update(dict.fromkeys(binding, definition))
        shared.update(_ambiguous(resolved, binding))
    binder = {local: node for bound in (resolved.asked, resolved.binds) for node, local in bound.items()}
    return BindingIndex(binder, owner, frozenset(shared))


def _ambiguous(resolved: Resolved, binding: list[t.Node]) -> Iterator[t.Node]:
    """Nodes of one kind that bind different names within one definition."""
    kinds = {node: _kind(node) for node in binding}
    named = {(kind, resolved.binds[node].name) for node, kind in kinds.items() if kind}
    several = {kind for kind, count in Counter(kind for kind, _ in named).items() if count > 1}
    yield from (node for node, kind in kinds.items() if kind in several)


_CALLED: dict[type, str] = {}


def calls(kind: type, words: str) -> None:
    """Say how what nodes of a sort bind is called."""
    _CALLED[kind] = words


calls(t.Payment, "the dice paid with")


def kind_bound(node: t.Node) -> t.Name | None:
    """The kind of the one thing, player or number that a step gives a name to."""
    kind = getattr(node, "kind", None) if isinstance(node, t.Stmt) else None
    return kind if isinstance(kind, t.Name) else None


def _kind(node: t.Node) -> str:
    """What sort of thing a node's name stands for, where words call it by that alone."""
    kind = kind_bound(node)
    if kind is not None:
        return kind.word.removesuffix("s")
    return type(node).__name__ if isinstance(node, t.Stmt) and type(node) in _CALLED else ""


def binder(resolved: Resolved, local: Local) -> t.Node | None:
    return index(resolved).binder.get(local)


def named(resolved: Resolved, node: t.Node) -> str:
    """The name a choice, draw or roll is reported with, as in `choose a reward (the first prey)`; often nothing."""
    return f" ({with_the(spell_name(resolved.binds[node].name))})" if node in index(resolved).shared else ""


def local_words(resolved: Resolved, local: Local) -> str:
    """How a bound name is called where it is used."""
    node = binder(resolved, local)
    if node is None:
        return spell_name(local.name)
    if local.name == "it":
        return "they" if is_player(resolved, local) else "it"
    if isinstance(node, t.Param):
        return _parameter(resolved, node, local)
    if isinstance(node, t.Let):
        return f"“{spell_name(local.name)}”"
    if node in index(resolved).shared:
        return with_the(spell_name(local.name))
    return _by_kind(resolved, node, local)


def _by_kind(resolved: Resolved, node: t.Node, local: Local) -> str:
    kind, owner = kind_bound(node), index(resolved).owner.get(node)
    if kind is not None:
        chosen = isinstance(owner, t.Action) and any(node is one for one in owner.params)
        return f"{'the' if chosen else 'that'} {_title(resolved, kind)}"
    if isinstance(node, t.Kind):
        return f"the {singular_title(node).lower()}"
    return _CALLED.get(type(node), spell_name(local.name))


def _parameter(resolved: Resolved, param: t.Param, local: Local) -> str:
    owner = index(resolved).owner.get(param)
    if isinstance(owner, t.Routine):
        numbers = [p for p in owner.params if p.kind.word == "number"]
        return LETTERS[numbers.index(param)] if param in numbers[: len(LETTERS)] else given_words(param)
    return "you" if is_you(resolved, local) else with_the(spell_name(local.name))


def given_words(param: t.Param) -> str:
    """What a routine is given: `the seller`; what it calls `who` or `what` is `the player`, `the card`."""
    word = param.kind.word if param.name.word in ("who", "whom", "what", "which") else param.name.word
    return with_the(spell_name(word))


def is_you(resolved: Resolved, local: Local) -> bool:
    """A quantity's player is `you`, in its value and in all that adjusts it."""
    param = binder(resolved, local)
    owner = index(resolved).owner.get(param) if param is not None else None
    if not isinstance(param, t.Param) or not isinstance(owner, t.Quantity):
        return False
    return next((p for p in owner.params if p.kind.word == "player"), None) is param


def _title(resolved: Resolved, name: t.Name) -> str:
    meaning, title = resolved.meaning.get(name), ""
    if isinstance(meaning, Symbol):
        title = meaning.definition.title if meaning.definition else meaning.name
    return split_title(title or spell_name(name.word))[0].lower()
