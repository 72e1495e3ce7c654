"""What names can mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk, walk_through
from edict.runtime.program import Type
from edict.support.text import Span

NUMBER = Type("number")
TRUTH = Type("truth")
DICE = Type("dice")
NOTHING = Type("nothing")
PLAYER = Type("thing", "player")
PLAYERS = Type("set", "player")
NOBODY = Type("set", "")
RESOURCE = Type("thing", "resource")
RESOURCES = Type("set", "resource")
NUMBERS = Type("set", "number")

BUILTINS: dict[str, Type] = {
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
    """sort: one of SORTS' words, or `field`, `builtin`, `number`, `player`."""

    sort: str
    name: str
    definition: t.Definition | None = None


@dataclass(frozen=True, eq=False)
class Local:
    """A name bound inside a rule: by let, choose, each, a parameter, or `it`. Equal only to itself."""

    name: str
    span: Span
    sort: str = "local"


Meaning = Symbol | Local


@dataclass(frozen=True, eq=False)
class Resolved:
    """A book whose names are bound. `meaning` is keyed by Name node, `binds` by the node that binds a name.

    `asked`: the `it` of a step that gives a name of its own, by what is asked of each (first).
    `passing`: what joins or leaves a keep that is a set, or is gained or lost, as parameters of these moments.
    `types` and `locals`, what expressions and local names are, are filled in when types are checked.
    `prices`: amounts of several resources, resource by resource, filled in with the types.
    `full`: what steps in short stand for, filled in once types are known (`desugar`).
    `written`: what of it is told in place of what was made of it.
    `usual`: steps that hang on a setting, and what is left of each with settings as they usually are; where only that
    is told.
    `authored`: words are the author's own where the rules have some; else all are made from the rules.
    """

    book: t.Book
    meaning: dict[t.Name, Meaning]
    binds: dict[t.Node, Local]
    asked: dict[t.Node, Local]
    fields: dict[str, tuple[str, ...]]  # field name -> kinds that have it
    passing: dict[t.Definition, tuple[t.Param, ...]] = field(default_factory=dict)
    authored: bool = True
    usual: Mapping[t.Node, tuple[t.Stmt, ...]] = field(default_factory=dict)
    types: dict[t.Expr, Type] = field(default_factory=dict)
    locals: dict[Local, Type] = field(default_factory=dict)
    prices: dict[t.Node, tuple[t.Part, ...]] = field(default_factory=dict)
    written: dict[t.Node, t.Node] = field(default_factory=dict)
    full: dict[t.Node, Any] = field(default_factory=dict)
    below: dict[t.Node, tuple[t.Node, ...]] = field(default_factory=dict)  # of definitions and abilities, in full

    def of(self, name: t.Name) -> Meaning:
        return self.meaning[name]

    def get(self, name: str) -> Any:
        return self.book.definitions[name]

    def own_tables(self) -> Resolved:
        """Return the same with tables of its own, for a pass to add to: what the pass was given stays as it is."""
        tables: dict[str, Any] = {name: dict(table) for name, table in vars(self).items() if type(table) is dict}
        return replace(self, **tables)


def bound_in(resolved: Resolved, nodes: Iterable[t.Node]) -> set[Local]:
    """The names that are bound by some of these nodes, `it` included."""
    return {table[node] for node in nodes for table in (resolved.binds, resolved.asked) if node in table}


def in_full(resolved: Resolved, node: Any) -> Iterator[t.Node]:
    """A node and all below it, with what steps in short stand for in place of these."""
    if not isinstance(node, t.Definition | t.Ability):
        return walk_through(node, resolved.full)
    if node not in resolved.below:
        below = tuple(walk(node))
        short = not resolved.full.keys().isdisjoint(below)
        resolved.below[node] = tuple(walk_through(node, resolved.full)) if short else below
    return iter(resolved.below[node])


def parts_of(resolved: Resolved, bundle: t.Bundle) -> tuple[t.Part | t.PartFrom, ...]:
    """What a bundle is made of, prices resource by resource."""
    return tuple(priced for part in bundle.parts for priced in resolved.prices.get(part, (part,)))


def definition_of(resolved: Resolved, name: t.Node | None) -> t.Definition | None:
    """What a name was declared as; None for a local name, for words of the language, and for what is no name."""
    meaning = resolved.meaning.get(name) if isinstance(name, t.Name) else None
    return meaning.definition if isinstance(meaning, Symbol) else None


def _named(place: t.Expr) -> t.Expr:
    return place.head if isinstance(place, t.Apply) else place


def place_of(resolved: Resolved, place: t.Expr) -> Meaning | None:
    """The keep or local name that a place stands for."""
    head = _named(place)
    return resolved.meaning.get(head) if isinstance(head, t.Name) else None


def keep_of(resolved: Resolved, place: t.Expr) -> t.Keep | None:
    """The keep that a place stands for, if it is one."""
    keep = definition_of(resolved, _named(place))
    return keep if isinstance(keep, t.Keep) else None


def brought(resolved: Resolved, definition: t.Definition) -> tuple[t.Param, ...]:
    """What comes along when rules wait for a moment, a routine, what joins or leaves a keep, or gains and losses."""
    params = definition.params if isinstance(definition, t.Moment | t.Routine | t.Keep) else ()
    return (*params, *resolved.passing.get(definition, ()))
