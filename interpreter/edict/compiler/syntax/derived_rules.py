"""Grammar rules that follow from how the classes of the tree say they are written (`says` and `under`).

`edict.lark` has what does not follow: precedence, lists, blocks with several kinds of lines, and a few rules with a
twist of their own. A rule that is written there is never derived.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.patterns import Gap, Optional, Pattern, by_rule, gaps, lines_under, patterns, stands_below

# The rule for what stands in a gap. A gap that says nothing takes a name or a sum, by the type of its field.
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
# Classes that are written on lines of their own, by the rule that gathers them.
_GATHERED: dict[str, type] = {"_derived_definition": t.Definition, "_derived_ability": t.Ability}


def complete_grammar(text: str) -> str:
    """Return the text of a grammar with all rules that are derived from the tree."""
    written = _written_rules(text)
    lines, gathered = [], defaultdict[str, list[str]](list)
    kinds = _classes()
    for rule, kind in kinds.items():
        if rule not in written:
            pattern = patterns(kind)[rule]
            lines.append(f"{rule}: {_body(kind, pattern)}{_line_end(kind, pattern)}")
            gathered[_gathering_rule(kind, pattern)].append(rule)
    for kind in dict.fromkeys(kinds.values()):
        for rule, pattern in lines_under(kind).items():
            if rule not in written:
                lines.append(f"{rule}: {_body(kind, pattern)}{'' if _has_block(pattern) else ' _NL'}")
                gathered[f"_derived_{kind.__name__.lower()}_line"].append(rule)
    lines += [f"{flag}: {_quote(flag.replace('_', ' '))}" for flag in flags()]
    lines += [f"{name}: {' | '.join(rules)}" for name, rules in gathered.items() if name]
    return "\n".join([text, *lines, ""])


def _classes() -> dict[str, Any]:
    """Return the classes of the tree by their rules; typed loosely, for a cache takes no class of nodes."""
    return {**by_rule()}


@cache
def flags() -> tuple[str, ...]:
    """Return the rules of words that a node either has or not, such as `secret`."""
    written = (pattern for kind in _classes().values() for pattern in patterns(kind).values())
    return tuple(dict.fromkeys(gap.field for pattern in written for gap in gaps(pattern) if gap.spec == "word"))


def _written_rules(text: str) -> set[str]:
    """Return the names of rules that a grammar has already; `cell_...` is another way to write what a rule gives."""
    lines = [line for line in text.splitlines() if not line.startswith("cell_")]
    names = re.compile(r"^[?!]?(\w+?)_?(?:\.\d+)?:|-> *(\w+?)_?$")
    return {
        name for line in lines for pair in names.findall(line.partition(" //")[0].rstrip()) for name in pair if name
    }


def _gathering_rule(kind: type, pattern: Pattern) -> str:
    """Return the rule that gathers all of a sort; nothing for nodes that other rules name one by one."""
    if issubclass(kind, t.Stmt):
        return "_derived_block" if _has_block(pattern) else "_derived_step"
    return next((rule for rule, base in _GATHERED.items() if issubclass(kind, base)), "")


def _body(kind: Any, pattern: Pattern) -> str:
    return " ".join(_pieces(kind, pattern))


def _pieces(kind: Any, pattern: Pattern) -> Iterator[str]:
    for piece in pattern:
        if isinstance(piece, Optional):
            yield f"[{_body(kind, piece.pieces)}]"
        elif isinstance(piece, Gap):
            yield _rule_in(kind, piece)
        elif piece.strip():
            yield _quote(piece)


def _quote(words: str) -> str:
    return " ".join(f'"{word}"' for word in re.findall(r"[a-z]+|[^\sa-z]", words))


def _rule_in(kind: Any, gap: Gap) -> str:
    """Return the rule for what stands in a gap. Raises `LookupError` if it cannot be derived."""
    if gap.spec == "word":
        return gap.field
    if gap.spec:
        return _RULES[gap.spec]
    types = (vars(base).get("__annotations__", {}).get(gap.field, "") for base in kind.__mro__)
    return "name" if re.search(r"\w*Name\b", next(filter(None, types))) else "sum"


def _has_block(pattern: Pattern) -> bool:
    return any(gap.spec == "below" for gap in gaps(pattern))


def _line_end(kind: type, pattern: Pattern) -> str:
    """Return the end of the line for a node that has a line to itself; steps may stand behind other words."""
    has_line = issubclass(kind, t.Definition | t.Ability) or kind.__name__ in _listed_below()
    return " _NL" if has_line and not issubclass(kind, t.Stmt) and not _has_block(pattern) else ""


@cache
def _listed_below() -> frozenset[str]:
    """Return the names of the classes whose nodes stand on lines below others."""
    written = (pattern for kind in _classes().values() for pattern in patterns(kind).values())
    return frozenset(gap.spec for pattern in written for gap in gaps(pattern) if stands_below(gap))
