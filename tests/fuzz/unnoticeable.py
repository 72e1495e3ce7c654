"""Places where no test could notice a fault; see tests/fuzz/planted-faults.md."""

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


def is_unnoticeable(node: Any, operator: str) -> bool:
    """Return True if nobody could notice an operator's change of a node of the parso tree.

    Such are declarations (decorators, annotations, options of dataclass fields, columns that cannot be null),
    `__repr__`, large limits by one, the exact boundary between moments, digits of measured times, lengths of digests,
    and sizes of caches by one.
    """
    inside = list(_iter_ancestors(node))
    return (
        any(_is_declaration(*pair) for pair in inside)
        or operator == "NumberReplacer"
        and _is_large(node)
        and any(_is_setting(*pair) for pair in inside)
        or operator == "NumberReplacer"
        and any(_is_digits(*pair) for pair in inside)
        or BOUNDARY.search(operator) is not None
        and CLOCK.search(node.parent.get_code()) is not None
        or BOUNDARY.search(operator) is not None
        and any(_is_eviction_limit(*pair) for pair in inside)
    )


def _iter_ancestors(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every ancestor of a node with the child that leads to the node."""
    while node.parent is not None:
        yield node.parent, node
        node = node.parent


def _is_declaration(parent: Any, child: Any) -> bool:
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
    """Return True for the precision of a measured time or the length of a digest."""
    code = parent.get_code(include_prefix=False)
    if parent.type == "argument":
        return bool(code.startswith("digest_size="))
    return parent.type in ("atom_expr", "power") and ROUNDED.fullmatch(code) is not None


def _is_eviction_limit(parent: Any, child: Any) -> bool:
    """Return True for a constant compared in a loop that only evicts entries."""
    return (
        parent.type == "while_stmt"
        and child is parent.children[1]
        and re.search(r"\b[A-Z][A-Z_]+\b", child.get_code()) is not None
        and LETTING_GO.fullmatch(parent.children[-1].get_code()) is not None
    )


def _is_setting(parent: Any, child: Any) -> bool:
    """Return True for the value of a constant, or the default of a field or parameter."""
    if parent.type == "param":
        return child is parent.default
    if parent.type == "annassign":
        return True
    return parent.type == "expr_stmt" and re.match(r"\s*_?[A-Z][A-Z_0-9]* = ", parent.get_code(False)) is not None
