"""Symbols, the tables of a book whose names are resolved, and its nodes and blocks with shorthand steps expanded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Protocol

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import iter_fields, walk, walk_with_replacements
from edict.runtime.program import ValueType
from edict.support.records import dataclass
from edict.support.text import Span

NUMBER = ValueType("number")
TRUTH = ValueType("truth")
DICE = ValueType("dice")
NOTHING = ValueType("nothing")
PLAYER = ValueType("thing", "player")
PLAYERS = ValueType("set", "player")
NOBODY = ValueType("set", "")
RESOURCE = ValueType("thing", "resource")
RESOURCES = ValueType("set", "resource")
NUMBERS = ValueType("set", "number")

BUILTINS: dict[str, ValueType] = {
    "you": PLAYER,
    "everyone": PLAYERS,
    "nobody": NOBODY,
    "none": NOTHING,
    "yes": TRUTH,
    "no": TRUTH,
    "no-dice": DICE,
}
BUILTIN_KINDS = ("player", "number")


@dataclass(frozen=True, slots=True)
class Symbol:
    """The meaning of a name that is declared or a word of the language."""

    sort: str  # one of the words in SORTS, or `field`, `builtin`, `number`, `player`
    name: str
    definition: t.Definition | None = None


@dataclass(frozen=True, eq=False)
class Local:
    """A name bound inside a rule: by let, choose, each, a parameter, or `it`. Equal only to itself."""

    name: str
    span: Span
    sort: str = "local"


Meaning = Symbol | Local


class HasMeanings(Protocol):
    """Knows the meanings of names."""

    @property
    def meaning(self) -> Mapping[t.Name, Meaning]:
        """The meanings, by node of a name."""


@dataclass(frozen=True, eq=False)
class ResolvedBook:
    """A book whose names are resolved."""

    book: t.Book
    meaning: dict[t.Name, Meaning]  # by node of a name
    binds: dict[t.Node, Local]  # by the node that binds a name
    # the `it` of a step that binds a name of its own, by the operand that is evaluated for each member
    member_locals: dict[t.Node, Local]
    fields: dict[str, tuple[str, ...]]  # field name -> kinds that have it
    # parameters of the events of a definition: what joins or leaves a set, who gains or loses a resource and how much
    event_params: dict[t.Definition, tuple[t.Param, ...]] = field(default_factory=dict)
    authored: bool = True  # whether phrases use the author's own words; else all are generated from the rules
    # steps that depend on a setting, and what is left of each with the usual settings, where only that is described
    usual: Mapping[t.Node, tuple[t.Stmt, ...]] = field(default_factory=dict)
    types: dict[t.Expr, ValueType] = field(default_factory=dict)  # of expressions, filled in by `check_types`
    locals: dict[Local, ValueType] = field(default_factory=dict)  # types of local names, filled in by `check_types`
    # amounts of several resources split into single ones, filled in by `check_types`
    prices: dict[t.Node, tuple[t.Part, ...]] = field(default_factory=dict)
    # the author's node to describe in place of a generated one
    originals: dict[t.Node, t.Node] = field(default_factory=dict)
    # the step that a generated one is a copy of, with other parts; filled in by `desugar`
    copied_from: dict[t.Node, t.Node] = field(default_factory=dict)
    expansions: dict[t.Node, Any] = field(default_factory=dict)  # of shorthand steps, filled in by `desugar`
    # cache of all nodes below a definition or ability, with expansions
    expanded_nodes: dict[t.Node, tuple[t.Node, ...]] = field(default_factory=dict)

    def meaning_of(self, name: t.Name) -> Meaning:
        """Return the symbol or local that a name node refers to; the name must be resolved."""
        return self.meaning[name]

    def require_definition(self, name: str) -> Any:
        """Return the definition of a name; it must exist."""
        return self.book.definitions[name]

    def copy_tables(self) -> ResolvedBook:
        """Return a copy whose dictionaries are copied too, so that a pass may add to them."""
        tables: dict[str, Any] = {name: dict(table) for name, table in vars(self).items() if type(table) is dict}
        return replace(self, **tables)


def collect_bound(resolved: ResolvedBook, nodes: Iterable[t.Node]) -> set[Local]:
    """Return the local names that some nodes bind, `it` included."""
    return {table[node] for node in nodes for table in (resolved.binds, resolved.member_locals) if node in table}


def walk_expanded(resolved: ResolvedBook, node: Any) -> Iterator[t.Node]:
    """Yield a node and all below it, with the expansions of shorthand steps in place of these."""
    if not isinstance(node, t.Definition | t.Ability):
        return walk_with_replacements(node, resolved.expansions)
    if node not in resolved.expanded_nodes:
        below = tuple(walk(node))
        has_shorthand = not resolved.expansions.keys().isdisjoint(below)
        if has_shorthand:
            resolved.expanded_nodes[node] = tuple(walk_with_replacements(node, resolved.expansions))
        else:
            resolved.expanded_nodes[node] = below
    return iter(resolved.expanded_nodes[node])


def split_parts(resolved: ResolvedBook, bundle: t.Bundle) -> tuple[t.Part | t.PartFrom, ...]:
    """Return the parts of a bundle, with each price replaced by the parts per resource that `prices` has for it."""
    return tuple(piece for part in bundle.parts for piece in resolved.prices.get(part, (part,)))


def definition_of(resolved: HasMeanings, name: t.Node | None) -> t.Definition | None:
    """Return the definition that a name refers to; None for local names, words of the language and other nodes."""
    meaning = resolved.meaning.get(name) if isinstance(name, t.Name) else None
    return meaning.definition if isinstance(meaning, Symbol) else None


def is_local_name(resolved: ResolvedBook, node: t.Node) -> bool:
    """Return True for a name that is bound inside a rule."""
    return isinstance(node, t.Name) and isinstance(resolved.meaning.get(node), Local)


def _head_of(place: t.Expr) -> t.Expr:
    """Return the name in a place: `hand` in `hand of you`, or the place itself."""
    return place.head if isinstance(place, t.Apply) else place


def meaning_of_place(resolved: ResolvedBook, place: t.Expr) -> Meaning | None:
    """Return the meaning of the name in a place: a keep, a local name, or a resource."""
    head = _head_of(place)
    return resolved.meaning.get(head) if isinstance(head, t.Name) else None


def definition_of_place(resolved: HasMeanings, place: t.Expr) -> t.Definition | None:
    """Return the definition of the name in a place; None for local names and other values."""
    return definition_of(resolved, _head_of(place))


def keep_of(resolved: ResolvedBook, place: t.Expr) -> t.Keep | None:
    """Return the `keep` that a place refers to; None for other places."""
    keep = definition_of_place(resolved, place)
    return keep if isinstance(keep, t.Keep) else None


def list_event_params(resolved: ResolvedBook, definition: t.Definition) -> tuple[t.Param, ...]:
    """Return the parameters that are in scope in an ability about this definition.

    Those are the parameters of a moment, a routine or a keep, and those of joining, leaving, gaining and losing.
    """
    params = definition.params if isinstance(definition, t.Moment | t.Routine | t.Keep) else ()
    return (*params, *resolved.event_params.get(definition, ()))


def expand_steps(resolved: ResolvedBook, block: t.Block) -> t.Block:
    """Return the steps of a block that have an effect, with every shorthand step expanded.

    A text is replaced by the steps below it.
    """
    expansions = resolved.expansions
    if not any(step in expansions or isinstance(step, t.Text) for step in block):
        return block
    return tuple(step for written in block for step in _expand_step(resolved, written))


def _expand_step(resolved: ResolvedBook, step: t.Stmt) -> t.Block:
    """Return the plain steps that a shorthand step or text stands for; any other step alone."""
    expansion: t.Block | None = resolved.expansions.get(step, step.block if isinstance(step, t.Text) else None)
    return (step,) if expansion is None else expand_steps(resolved, expansion)


def drop_texts(block: t.Block) -> t.Block:
    """Return a block without the author's words; shorthand steps stay as they are written."""
    if any(isinstance(step, t.Text) for step in block):
        return tuple(_iter_without_texts(block))
    return block


def iter_leave_steps(node: Any) -> Iterator[t.Leave]:
    """Yield each `leave loop` in a node (itself included) that leaves the loop around it, skipping inner loops."""
    if isinstance(node, t.Leave):
        yield node
    for _, value in iter_fields(node):
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, t.Node) and not isinstance(part, t.Loop | t.Expr):
                yield from iter_leave_steps(part)


def find_text_index(block: t.Block) -> int | None:
    """Return the index of the first text step without a block, which words the steps behind it; None if absent."""
    return next((i for i, step in enumerate(block) if isinstance(step, t.Text) and not step.block), None)


def starts_with_text(block: t.Block) -> bool:
    """Return True if a block starts with the author's words."""
    return bool(block) and isinstance(block[0], t.Text)


def _iter_without_texts(block: t.Block) -> Iterator[t.Stmt]:
    """Yield the steps of a block, with the steps below each text in place of the text."""
    for step in block:
        yield from _iter_without_texts(step.block) if isinstance(step, t.Text) else (step,)
