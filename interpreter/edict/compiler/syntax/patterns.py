"""How a node is written, as its class says it: `draw {article:article} {kind} from {source} as {name}`.

Reading and printing both go by that. The grammar's rule of the same name gives the parts in the same order, with
nothing in place of what is left out. The printer puts them into the gaps; what stands in brackets is left out if
nothing is there. A class that is written in several ways has a pattern for each, by the names of their rules.

What follows the colon in a gap says what stands there: a value is as tight as a sum unless it is `any`, `primary` or
`atom`; `many` is a numeral, or any number in parentheses; `text` is in quotes; `word` is the field's own name, if it
holds; `number`, `names`, `bundles`, `args`, `list`, `parts` and `rankings` are what they are called, and so is a `step`
of one line; the `article` is the one that the kind wants; `below` is a block. The name of a class says that all nodes
of it stand below, on lines of their own; `line`, that one of the lines named in `under` does, which stand there once
and are no nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any

from edict.compiler.syntax import tree as t

_TOKENS = re.compile(r"\[|\]|\{[^}]*\}|[^\[\]{}]+")


@dataclass(frozen=True, slots=True)
class Gap:
    field: str
    spec: str


@dataclass(frozen=True, slots=True)
class Optional:
    pieces: tuple[str | Gap, ...]


Pattern = tuple[str | Gap | Optional, ...]


def rule_of(kind: type) -> str:
    """The name of the grammar's rule for a class that is written in one way."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower().rstrip("_")


@cache
def patterns(kind: Any) -> Mapping[str, Pattern]:
    """The patterns of a class by the names of their rules; none, for a class that has no pattern of its own."""
    said = vars(kind).get("says", {})
    named = {rule_of(kind): said} if isinstance(said, str) else said
    return {rule: _pattern(text) for rule, text in named.items()}


@cache
def lines_under(kind: Any) -> Mapping[str, Pattern]:
    """The patterns of the lines that may stand once below a class, by the names of their rules."""
    return {rule: _pattern(text) for rule, text in vars(kind).get("under", {}).items()}


@cache
def under_by_rule() -> dict[str, Pattern]:
    """The patterns of all lines that may stand once below something, by the names of their rules."""
    kinds: Iterator[Any] = (kind for kind in vars(t).values() if isinstance(kind, type))
    return {rule: pattern for kind in kinds for rule, pattern in lines_under(kind).items()}


def first_words(pattern: Pattern) -> str:
    """The words with which something begins; or else what it says first."""
    first = pattern[0]
    return first.strip().removesuffix(" if") if isinstance(first, str) else next(gaps(pattern)).field


def keyword(kind: Any) -> str:
    """The word by which a definition is known; nothing, for one that begins with a name."""
    pattern = next(iter(patterns(kind).values()), ())
    first = next((piece for piece in pattern if not isinstance(piece, Optional)), "")
    return first.split()[0] if isinstance(first, str) and first else ""


@cache
def by_rule() -> dict[str, type[t.Node]]:
    """The classes that have a pattern, by the names of their rules."""
    kinds: Iterator[Any] = (kind for kind in vars(t).values() if isinstance(kind, type))
    return {rule: kind for kind in kinds for rule in patterns(kind)}


def stands_below(gap: Gap) -> bool:
    """Whether what is in a gap has lines of its own."""
    return gap.spec in ("below", "line") or gap.spec[:1].isupper()


def gaps(pattern: Pattern) -> Iterator[Gap]:
    """The gaps of a pattern, in the order they are written."""
    for piece in pattern:
        if isinstance(piece, Optional):
            yield from (inner for inner in piece.pieces if isinstance(inner, Gap))
        elif isinstance(piece, Gap):
            yield piece


def pattern_of(node: t.Node) -> Pattern | None:
    """The way in which a node is written: of several, the first of which no part is missing."""
    kind: Any = type(node)
    found = [*patterns(kind).values()]
    whole = (pattern for pattern in found if all(is_there(node, gap) for gap in pattern if isinstance(gap, Gap)))
    return next(whole, found[0] if found else None)


def is_there(node: t.Node, gap: Gap) -> bool:
    """Whether there is anything to be written in a gap; below something, nothing need be."""
    if stands_below(gap):
        return True
    value = getattr(node, gap.field)
    return gap.spec == "article" or not (value is None or value is False or value in ("", ()))


@cache
def needed(kind: Any) -> tuple[str, ...]:
    """The fields of a class that have no value unless one is given, but its place."""
    return tuple(f.name for f in fields(kind) if f.name != "span" and f.default is MISSING)


def _pattern(text: str) -> Pattern:
    pieces: list[str | Gap | Optional] = []
    inner: list[str | Gap] | None = None
    for token in _TOKENS.findall(text):
        if token == "[":
            inner = []
        elif token == "]":
            pieces.append(Optional(tuple(inner or ())))
            inner = None
        else:
            piece = Gap(*token[1:-1].partition(":")[::2]) if token[0] == "{" else token
            (pieces if inner is None else inner).append(piece)
    return tuple(pieces)
