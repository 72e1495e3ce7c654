"""Titles of declared names in rules, and words for local names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from edict.compiler.semantics.symbols import PLAYER, Local, ResolvedBook, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import declared_fields
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import add_definite_article, pluralize_title, spell_name, split_title, uncapitalize_title
from edict.support.records import dataclass


def title_of(resolved: ResolvedBook, name: t.Name, many: bool = False) -> str:
    """Return the title of what a name means, or the name spelled out, in the singular or plural."""
    return split_title(_full_title_of(resolved, name))[many]


def plural_of(resolved: ResolvedBook, name: t.Name) -> str:
    """Return the plural of the title of a kind, resource or group."""
    return pluralize_title(_full_title_of(resolved, name))


def _full_title_of(resolved: ResolvedBook, name: t.Name) -> str:
    """Return the title of what a name means, which may have the form `singular/plural`."""
    meaning = resolved.meaning.get(name)
    definition = meaning.definition if isinstance(meaning, Symbol) else None
    title = definition.title if definition else field_title(resolved, meaning)
    return title or spell_name(name.word)


def field_title(resolved: ResolvedBook, meaning: object) -> str:
    """Return the title of a field; empty for other meanings and for fields without one."""
    if not isinstance(meaning, Symbol) or meaning.sort != "field":
        return ""
    definitions = (get_field(resolved, kind, meaning.name) for kind in resolved.fields.get(meaning.name, ()))
    title = next((field.title for field in definitions if field and field.title and not _has_amounts(field)), "")
    return title if title.isupper() else uncapitalize_title(title)


def _has_amounts(field: t.FieldDef) -> bool:
    """Return True for a field of amounts, whose title is a verb, as in `costs 2 gold`."""
    return field.type is not None and field.type.shape == "amounts"


def get_field(resolved: ResolvedBook, kind: str, field: str) -> t.FieldDef | None:
    """Return the declaration of a field in a kind, if there is one."""
    definition = resolved.book.definitions.get(kind)
    return next((field_ for field_ in declared_fields(definition) if field_.name.word == field), None)


LETTERS = ("X", "Y", "Z")


@dataclass(frozen=True)
class BindingIndex:
    """The nodes that bind local names."""

    binder: dict[Local, t.Node]
    owner: dict[t.Node, t.Definition]  # the definition a binding node stands in
    shared: frozenset[t.Node]  # choices, draws and loops that need a name, since another one is of their kind


@lru_cache(maxsize=2)
def get_binding_index(resolved: ResolvedBook) -> BindingIndex:
    """Return the index of all rules of a game, computed once."""
    owner: dict[t.Node, t.Definition] = {}
    shared: set[t.Node] = set()
    for definition in resolved.book.roots:
        binding = [node for node in walk(definition) if node in resolved.binds]
        owner.update(dict.fromkeys(binding, definition))
        shared.update(_iter_ambiguous(resolved, binding))
    binder = {local: node for table in (resolved.member_locals, resolved.binds) for node, local in table.items()}
    return BindingIndex(binder, owner, frozenset(shared))


def _iter_ambiguous(resolved: ResolvedBook, binding: list[t.Node]) -> Iterator[t.Node]:
    """Yield the binding nodes whose kind is bound under two or more names, so that `the good` would be unclear."""
    kinds = {node: _kind_of_binder(resolved, node) for node in binding}
    kinds_with_names = {(kind, resolved.binds[node].name) for node, kind in kinds.items() if kind}
    ambiguous_kinds = {kind for kind, count in Counter(kind for kind, _ in kinds_with_names).items() if count > 1}
    yield from (node for node, kind in kinds.items() if kind in ambiguous_kinds)


_PHRASES: dict[type, str] = {}


def set_local_phrase(kind: type, words: str) -> None:
    """Set the phrase for what nodes of a class bind."""
    _PHRASES[kind] = words


set_local_phrase(t.Payment, "the dice paid with")


def get_bound_kind(node: t.Node) -> t.Name | None:
    """Return the `kind` name of a step such as `choose a building as b`; None for other nodes."""
    kind = getattr(node, "kind", None) if isinstance(node, t.Stmt) else None
    return kind if isinstance(kind, t.Name) else None


def _kind_of_binder(resolved: ResolvedBook, node: t.Node) -> str:
    """Return the kind of what a node binds, if a phrase names it by its kind alone; else empty."""
    if isinstance(node, t.Expr):
        local = resolved.binds[node]
        return resolved.locals[local].kind if local.name != "it" and local in resolved.locals else ""
    kind = get_bound_kind(node)
    if kind is not None:
        return kind.word.removesuffix("s")
    if isinstance(node, t.Stmt) and type(node) in _PHRASES:
        return type(node).__name__
    return ""


def get_binder(resolved: ResolvedBook, local: Local) -> t.Node | None:
    """Return the node that binds a local name, if there is one."""
    return get_binding_index(resolved).binder.get(local)


def describe_binding(resolved: ResolvedBook, node: t.Node) -> str:
    """Return the name that a step gives, as in `choose a reward (the first prey)`; empty unless it is ambiguous."""
    if node in get_binding_index(resolved).shared:
        return f" ({add_definite_article(spell_name(resolved.binds[node].name))})"
    return ""


def describe_local(resolved: ResolvedBook, local: Local) -> str:
    """Return a local name as a phrase, as `it`, `they`, `the seller` or `the chosen building`."""
    node = get_binder(resolved, local)
    if node is None:
        return spell_name(local.name)
    if local.name == "it":
        return "they" if is_player(resolved, local) else "it"
    if isinstance(node, t.Param):
        return _describe_parameter(resolved, node, local)
    if isinstance(node, t.Let):
        return f"“{spell_name(local.name)}”"
    if node in get_binding_index(resolved).shared:
        return add_definite_article(spell_name(local.name))
    return _describe_by_kind(resolved, node, local)


def _describe_by_kind(resolved: ResolvedBook, node: t.Node, local: Local) -> str:
    """Describe a local name by the kind of its binder, as `that advisor`; by its word if there is no kind."""
    kind, owner = get_bound_kind(node), get_binding_index(resolved).owner.get(node)
    if kind is not None:
        is_action_choice = isinstance(owner, t.Action) and any(node is param for param in owner.params)
        return f"{'the' if is_action_choice else 'that'} {_kind_title(resolved, kind)}"
    if isinstance(node, t.Expr):
        return f"that {_kind_of_members(resolved, local)}"
    if isinstance(node, t.Kind):
        return f"the {singular_title(node).lower()}"
    return _PHRASES.get(type(node), spell_name(local.name))


def _kind_of_members(resolved: ResolvedBook, local: Local) -> str:
    """Return the singular title of the kind of a local name by its type; `number` for numbers."""
    kind = resolved.locals[local].kind or "number"
    definition = resolved.book.definitions.get(kind)
    return singular_title(definition).lower() if isinstance(definition, t.Kind) else kind


def _describe_parameter(resolved: ResolvedBook, param: t.Param, local: Local) -> str:
    """Describe a parameter: a number of a routine as `X`, a quantity's player as `you`, others by their names."""
    owner = get_binding_index(resolved).owner.get(param)
    if isinstance(owner, t.Routine):
        numbers = [p for p in owner.params if p.kind.word == "number"]
        if param in numbers[: len(LETTERS)]:
            return LETTERS[numbers.index(param)]
        return describe_parameter(param)
    if is_quantity_player(resolved, local):
        return "you"
    return add_definite_article(spell_name(local.name))


def describe_parameter(param: t.Param) -> str:
    """Return the phrase for a routine's parameter, as `the seller`; `who` and `what` are named by kind."""
    if param.name.word in ("who", "whom", "what", "which"):
        word = param.kind.word
    else:
        word = param.name.word
    return add_definite_article(spell_name(word))


def is_quantity_player(resolved: ResolvedBook, local: Local) -> bool:
    """Return True for the first player that a quantity is of: `you`, in its value and its adjustments."""
    param = get_binder(resolved, local)
    owner = get_binding_index(resolved).owner.get(param) if param is not None else None
    if not isinstance(param, t.Param) or not isinstance(owner, t.Quantity):
        return False
    return next((p for p in owner.params if p.kind.word == "player"), None) is param


def _kind_title(resolved: ResolvedBook, name: t.Name) -> str:
    """Return the singular title of a kind, in lower case."""
    meaning, title = resolved.meaning.get(name), ""
    if isinstance(meaning, Symbol):
        title = meaning.definition.title if meaning.definition else meaning.name
    return split_title(title or spell_name(name.word))[0].lower()


def is_player(resolved: ResolvedBook, local: Local) -> bool:
    """Return True if a local name is a player."""
    return resolved.locals.get(local) == PLAYER
