"""Patterns of nodes, the templates from which grammar, parser and printer are derived.

A pattern reads `draw {article:article} {kind} from {source} as {name}`. The grammar rule of the same name yields the
parts in the same order, and None for what is left out. The printer fills the gaps; a part in brackets is left out if
it has nothing to print. A class with several ways of writing has a pattern for each, by the names of their rules.

The specification after the colon in a gap tells its content. Without one it is a value that binds like a sum; `any`,
`primary` and `atom` are values that bind differently; `set` may be a range of numbers; `many` is a numeral, or any
number in parentheses; `text` is in quotes; `word` is the field's own name, written if the field is true; `number`,
`names`, `bundles`, `args`, `list`, `parts`, `rankings` and `step` (of one line) say it themselves; `article` is the one
that fits the kind; `below` is a block. The name of a class means that all its nodes stand below, on lines of their own;
`line`, that one of the lines named in `under` stands there once, which is no node.

`edict.lark` holds the rules that do not follow from patterns: precedence, lists, blocks with several kinds of lines,
and some special cases. A rule that is written there is not derived.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

from edict.compiler.syntax import tree as t
from edict.support.records import dataclass

_TOKEN = re.compile(r"\[|\]|\{[^}]*\}|[^\[\]{}]+")


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap in a pattern."""

    field: str  # field of the node that fills it
    spec: str  # kind of its content; see the module


@dataclass(frozen=True, slots=True)
class OptionalPart:
    """A part of a pattern that is left out if it has nothing to print."""

    pieces: tuple[str | Gap, ...]


Pattern = tuple[str | Gap | OptionalPart, ...]


def rule_name(node_type: type) -> str:
    """Return the name of the grammar rule for a class with a single pattern."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", node_type.__name__).lower().rstrip("_")


@cache
def patterns(node_type: Any) -> Mapping[str, Pattern]:
    """Return the patterns of a class by the names of their rules; empty if it has no pattern of its own."""
    written = vars(node_type).get("says", {})
    by_rule_name = {rule_name(node_type): written} if isinstance(written, str) else written
    return {rule: _parse_pattern(text) for rule, text in by_rule_name.items()}


@cache
def lines_under(node_type: Any) -> Mapping[str, Pattern]:
    """Return the patterns of the lines that may stand once below a node, by the names of their rules."""
    return {rule: _parse_pattern(text) for rule, text in vars(node_type).get("under", {}).items()}


@cache
def all_lines_under() -> dict[str, Pattern]:
    """Return the patterns of the lines that may stand once below any node, by the names of their rules."""
    node_types: Iterator[Any] = (node_type for node_type in vars(t).values() if isinstance(node_type, type))
    return {rule: pattern for node_type in node_types for rule, pattern in lines_under(node_type).items()}


def first_words(pattern: Pattern) -> str:
    """Return the words with which a pattern begins, or the field of its first gap."""
    first = pattern[0]
    if isinstance(first, str):
        return first.strip().removesuffix(" if")
    return next(iter_gaps(pattern)).field


def keyword(node_type: Any) -> str:
    """Return the first word of a definition, or "" if it begins with a name."""
    pattern = next(iter(patterns(node_type).values()), ())
    first = next((piece for piece in pattern if not isinstance(piece, OptionalPart)), "")
    return first.split()[0] if isinstance(first, str) and first else ""


@cache
def classes_by_rule() -> dict[str, type[t.Node]]:
    """Return the classes that have a pattern, by the names of their rules."""
    node_types: Iterator[Any] = (node_type for node_type in vars(t).values() if isinstance(node_type, type))
    return {rule: node_type for node_type in node_types for rule in patterns(node_type)}


def is_on_own_lines(gap: Gap) -> bool:
    """Return True if the content of a gap has lines of its own."""
    return gap.spec in ("below", "line") or gap.spec[:1].isupper()


def iter_gaps(pattern: Pattern) -> Iterator[Gap]:
    """Yield the gaps of a pattern in order."""
    for piece in pattern:
        if isinstance(piece, OptionalPart):
            yield from (inner for inner in piece.pieces if isinstance(inner, Gap))
        elif isinstance(piece, Gap):
            yield piece


def select_pattern(node: t.Node) -> Pattern | None:
    """Return the first pattern of a node for which all required parts are present, else the first one, or None."""
    node_type: Any = type(node)
    candidates = [*patterns(node_type).values()]
    complete = (
        pattern for pattern in candidates if all(has_content(node, gap) for gap in pattern if isinstance(gap, Gap))
    )
    return next(complete, candidates[0] if candidates else None)


def has_content(node: t.Node, gap: Gap) -> bool:
    """Return True if a node has something to write in a gap; a gap with lines of its own may be empty."""
    if is_on_own_lines(gap):
        return True
    value = getattr(node, gap.field)
    return gap.spec == "article" or not (value is None or value is False or value in ("", ()))


@cache
def list_required_fields(node_type: Any) -> tuple[str, ...]:
    """Return the fields of a class that have no default value, without `span`."""
    return tuple(field.name for field in fields(node_type) if field.name != "span" and field.default is MISSING)


def _parse_pattern(text: str) -> Pattern:
    """Parse a pattern such as `keep {name}[ {title:text}]` into words, gaps and optional parts."""
    pieces: list[str | Gap | OptionalPart] = []
    inner: list[str | Gap] | None = None
    for token in _TOKEN.findall(text):
        if token == "[":
            inner = []
        elif token == "]":
            pieces.append(OptionalPart(tuple(inner or ())))
            inner = None
        else:
            piece = Gap(*token[1:-1].partition(":")[::2]) if token[0] == "{" else token
            (pieces if inner is None else inner).append(piece)
    return tuple(pieces)


# Rules by the specification of a gap. A gap without one takes a name or a sum, by the type of its field.
_RULES = {
    "any": "expr",
    "args": "args",
    "article": "article",
    "atom": "_atom",
    "awaited": "_moment",
    "below": "_block",
    "bundles": "bundles",
    "givens": "givens",
    "many": "_many",
    "names": "names",
    "number": "NUMBER",
    "of": "owners",
    "parts": "parts",
    "primary": "primary",
    "rankings": "rankings",
    "signed": "signed",
    "switch": "setting_value",
    "text": "STRING",
    "type": "type",
    "zero": "NUMBER",
}
# Base classes of nodes on lines of their own, by the rule that lists all of them.
_COLLECTING_RULES: dict[str, type] = {"_derived_definition": t.Definition, "_derived_ability": t.Ability}


def complete_grammar(text: str) -> str:
    """Return the text of a grammar extended by all rules that are derived from the tree."""
    existing = _find_existing_rules(text)
    lines, collected = [], defaultdict[str, list[str]](list)
    node_types = _classes_by_rule()
    for rule, node_type in node_types.items():
        if rule not in existing:
            pattern = patterns(node_type)[rule]
            lines.append(f"{rule}: {_rule_body(node_type, pattern)}{_line_end(node_type, pattern)}")
            collected[_collecting_rule(node_type, pattern)].append(rule)
    for node_type in dict.fromkeys(node_types.values()):
        for rule, pattern in lines_under(node_type).items():
            if rule not in existing:
                lines.append(f"{rule}: {_rule_body(node_type, pattern)}{'' if _has_block(pattern) else ' _NL'}")
                collected[f"_derived_{node_type.__name__.lower()}_line"].append(rule)
    lines += [f"{flag}: {_quote(flag.replace('_', ' '))}" for flag in flag_rules()]
    collected["_derived_amendable"] = [rule for rule, node_type in node_types.items() if is_amendable(node_type)]
    lines += [f"{name}: {' | '.join(rules)}" for name, rules in collected.items() if name]
    return "\n".join([text, *lines, ""])


def is_amendable(node_type: type) -> bool:
    """Return True for a class of definitions that modules may amend."""
    return issubclass(node_type, t.Definition) and bool(node_type.sort) and node_type.is_amendable


def _classes_by_rule() -> dict[str, Any]:
    """Return the classes of the tree by their rules, typed loosely because cached functions accept no abstract type."""
    return {**classes_by_rule()}


@cache
def flag_rules() -> tuple[str, ...]:
    """Return the rules of optional words, such as `secret`."""
    rules = dict[str, None]()
    for node_type in _classes_by_rule().values():
        for pattern in patterns(node_type).values():
            rules.update(dict.fromkeys(gap.field for gap in iter_gaps(pattern) if gap.spec == "word"))
    return tuple(rules)


def _find_existing_rules(text: str) -> set[str]:
    """Return the names of the rules in a grammar, without alternatives `cell_...`."""
    lines = [line for line in text.splitlines() if not line.startswith("cell_")]
    pattern = re.compile(r"^[?!]?(\w+?)_?(?:\.\d+)?:|-> *(\w+?)_?$")
    names = set[str]()
    for line in lines:
        names.update(*pattern.findall(line.partition(" //")[0].rstrip()))
    return names - {""}


def _collecting_rule(node_type: type, pattern: Pattern) -> str:
    """Return the rule that lists all nodes of a sort, or "" for nodes that other rules name one by one."""
    if issubclass(node_type, t.Stmt):
        return "_derived_block" if _has_block(pattern) else "_derived_step"
    return next((rule for rule, base in _COLLECTING_RULES.items() if issubclass(node_type, base)), "")


def _rule_body(node_type: Any, pattern: Pattern) -> str:
    """Return the right-hand side of the grammar rule for a pattern, in the notation of Lark."""
    return " ".join(_iter_symbols(node_type, pattern))


def _iter_symbols(node_type: Any, pattern: Pattern) -> Iterator[str]:
    """Yield the grammar symbols of a pattern: quoted words, rules of gaps, and optional parts in brackets."""
    for piece in pattern:
        if isinstance(piece, OptionalPart):
            yield f"[{_rule_body(node_type, piece.pieces)}]"
        elif isinstance(piece, Gap):
            yield _symbol_for_gap(node_type, piece)
        elif piece.strip():
            yield _quote(piece)


def _quote(words: str) -> str:
    """Return words and signs as Lark terminals, each in quotes: `"up" "to"` for `up to`."""
    return " ".join(f'"{word}"' for word in re.findall(r"[a-z]+|[^\sa-z]", words))


def _symbol_for_gap(node_type: Any, gap: Gap) -> str:
    """Return the rule for the content of a gap.

    Raises:
        LookupError: It cannot be derived.
    """
    if gap.spec == "word":
        return gap.field
    if gap.spec:
        return _RULES[gap.spec]
    types = (vars(base).get("__annotations__", {}).get(gap.field, "") for base in node_type.__mro__)
    return "name" if re.search(r"\w*Name\b", next(filter(None, types))) else "sum"


def _has_block(pattern: Pattern) -> bool:
    """Return True if a pattern has a gap for indented steps (`below`)."""
    return any(gap.spec == "below" for gap in iter_gaps(pattern))


def _line_end(node_type: type, pattern: Pattern) -> str:
    """Return the end of the rule's line, for nodes that have a line to themselves."""
    has_line = issubclass(node_type, t.Definition | t.Ability) or node_type.__name__ in _classes_on_own_lines()
    if has_line and not issubclass(node_type, t.Stmt) and not _has_block(pattern):
        return " _NL"
    return ""


@cache
def _classes_on_own_lines() -> frozenset[str]:
    """Return the names of the classes whose nodes stand on lines below others."""
    all_patterns = (pattern for node_type in _classes_by_rule().values() for pattern in patterns(node_type).values())
    return frozenset(gap.spec for pattern in all_patterns for gap in iter_gaps(pattern) if is_on_own_lines(gap))
