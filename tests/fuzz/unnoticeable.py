"""Which places of a file nobody could notice a fault at, whatever tests there are; see tests/fuzz/planted-faults.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

LARGE = 200  # a limit, a patience or a size of at least so much may as well be one more or less: half a percent
LONG = 50.0  # seconds of a patience, or of somebody's time: two percent
# Checked by the interpreter, or for those who mend the engine.
DECLARING = (
    "strict=True",
    "init=False",
    "repr=False",
    "compare=False",
    "kw_only=True",
    "nullable=False",
    "covariant=True",
)
BOUNDARY = re.compile(r"_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt)$")
CLOCK = re.compile(r"\b(monotonic|perf_counter|process_time|time)\(\)|\bnow\b")
ROUNDED = re.compile(r"round\([\w.]*seconds, \d+\)")
LETTING_GO = re.compile(r"\s*[\w.]+\.(pop|popitem)\(.*\)\s*")


def unnoticeable(node: Any, operator: str) -> bool:
    """Whether nobody could notice what this operator does to a node of the tree that parso makes of a file.

    What is declared: decorators, annotations, how a dataclass treats its fields, that a column is never empty. What
    only people who mend the engine read: `__repr__`. Large limits, one more or less. Whether two moments are exactly so
    far apart, and to which digit a measured time is told. How long a name is that is made by a digest. And whether what
    is kept so as not to be made again is one more or less.
    """
    inside = list(_around(node))
    return (
        any(_declares(*pair) for pair in inside)
        or operator == "NumberReplacer"
        and _is_large(node)
        and any(_is_setting(*pair) for pair in inside)
        or operator == "NumberReplacer"
        and any(_is_digits(*pair) for pair in inside)
        or BOUNDARY.search(operator) is not None
        and CLOCK.search(node.parent.get_code()) is not None
        or BOUNDARY.search(operator) is not None
        and any(_lets_go(*pair) for pair in inside)
    )


def _around(node: Any) -> Iterator[tuple[Any, Any]]:
    """All that a node is in, each with what the node is in there; the node itself first."""
    while node.parent is not None:
        yield node.parent, node
        node = node.parent


def _declares(parent: Any, child: Any) -> bool:
    if parent.type in ("decorator", "tfpdef"):
        return True
    if parent.type == "annassign":
        return child is parent.children[1]
    if parent.type == "funcdef":
        return parent.name.value == "__repr__" or child is parent.annotation
    if parent.type == "if_stmt" and child is parent.children[1]:
        return "TYPE_CHECKING" in child.get_code() or "__main__" in child.get_code()
    return parent.type == "argument" and parent.get_code(include_prefix=False) in DECLARING


def _is_large(node: Any) -> bool:
    if node.type != "number":
        return False
    value = ast.literal_eval(node.value)
    return bool(abs(value) >= (LONG if isinstance(value, float) else LARGE))


def _is_digits(parent: Any, child: Any) -> bool:
    """Whether it is in how exactly a measured time is told, or how long a digest is."""
    code = parent.get_code(include_prefix=False)
    if parent.type == "argument":
        return bool(code.startswith("digest_size="))
    return parent.type in ("atom_expr", "power") and ROUNDED.fullmatch(code) is not None


def _lets_go(parent: Any, child: Any) -> bool:
    """Whether it compares with a constant in a loop that does nothing but take one thing after another out of some."""
    return (
        parent.type == "while_stmt"
        and child is parent.children[1]
        and re.search(r"\b[A-Z][A-Z_]+\b", child.get_code()) is not None
        and LETTING_GO.fullmatch(parent.children[-1].get_code()) is not None
    )


def _is_setting(parent: Any, child: Any) -> bool:
    """Whether it is the value of a constant, or of a field or an argument that need not be given."""
    if parent.type == "param":
        return child is parent.default
    if parent.type == "annassign":
        return True
    return parent.type == "expr_stmt" and re.match(r"\s*_?[A-Z][A-Z_0-9]* = ", parent.get_code(False)) is not None
