"""What names can mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from typing import Any

from edict.front import tree as t
from edict.program import Type
from edict.text import Span

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

# definitions by the word people use for them
SORTS: dict[type, str] = {
    t.Resource: "resource",
    t.Group: "group",
    t.Die: "die",
    t.Kind: "kind",
    t.Thing: "thing",
    t.Keep: "keep",
    t.Quantity: "quantity",
    t.Moment: "moment",
    t.Phase: "phase",
    t.Routine: "routine",
    t.Action: "action",
    t.Setting: "setting",
    t.Game: "game",
    t.Display: "display",
}


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
    """A book whose names are bound. `meaning` is keyed by Name node, `local` by the node that binds it.

    `types` and `locals`, what expressions and local names are, are filled in when types are checked.
    `authored`: words are the author's own where the rules have some; else all are made from the rules.
    """

    book: t.Book
    meaning: dict[t.Name, Meaning]
    binds: dict[t.Node, Local]
    fields: dict[str, tuple[str, ...]]  # field name -> kinds that have it
    authored: bool = True
    types: dict[t.Expr, Type] = field(default_factory=dict)
    locals: dict[Local, Type] = field(default_factory=dict)

    def of(self, name: t.Name) -> Meaning:
        return self.meaning[name]

    def get(self, name: str) -> Any:
        return self.book.definitions[name]


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


def plurals(name: str) -> tuple[str, ...]:
    """The forms in which a name may be written: `enemy`, `enemies`, `enemys`."""
    forms = [name, name + "s"]
    if name.endswith("y"):
        forms.append(name[:-1] + "ies")
    if name.endswith(("s", "x", "ch", "sh")):
        forms.append(name + "es")
    if name.endswith("die"):
        forms.append(name[:-3] + "dice")
    return tuple(forms)


def a(word: str) -> str:
    """The word with its article."""
    return f"an {word}" if word[:1] in "aeiou" else f"a {word}"


_HOLDING = (t.Node, tuple)  # what nodes may stand in


@cache
def _slots(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls) if f.name != "span")


def parts(node: t.Node) -> Iterator[tuple[str, Any]]:
    """Field name and value of a node, in the order they are written."""
    kind: Any = type(node)
    for name in _slots(kind):
        yield name, getattr(node, name)


def is_block(value: Any) -> bool:
    """Whether a field of a node holds statements."""
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], t.Stmt)


def walk(node: Any) -> Iterator[t.Node]:
    """The node and everything below it, depth first, in the order they are written."""
    return iter(_of_definition(node)) if isinstance(node, t.Definition) else _walked(node)


@lru_cache(maxsize=4096)
def _of_definition(definition: t.Definition) -> tuple[t.Node, ...]:
    """Every check goes through all definitions, and those of the game are part of every module's check."""
    return tuple(_walked(definition))


def _walked(node: Any) -> Iterator[t.Node]:
    waiting = [node]
    while waiting:  # not by calls of itself, which took most of the time of a check
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(one[::-1])
        elif isinstance(one, t.Node):
            yield one
            kind: Any = type(one)
            below = [getattr(one, name) for name in _slots(kind)]
            waiting.extend(value for value in reversed(below) if isinstance(value, _HOLDING))
