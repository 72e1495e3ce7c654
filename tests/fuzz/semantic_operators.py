"""Operators for semantic faults that Cosmic Ray lacks: each drops a part of the code that a rare case needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import parso

Position = tuple[tuple[int, int], tuple[int, int]]
LEAVING = ("return", "raise", "continue", "break")


class _Operator:
    """An operator as Cosmic Ray calls it: each index of `variants` is one way to change a node."""

    def variants(self, node: Any) -> Sequence[Any]:
        """Return the indices of the children at which a node can be changed."""
        raise NotImplementedError

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        for _ in self.variants(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        return self.change(node, self.variants(node)[index])

    def change(self, node: Any, at: Any) -> Any:
        raise NotImplementedError


class DropOperand(_Operator):
    """Leave out an operand of `and`, `or`, `+` or `-`."""

    def variants(self, node: Any) -> Sequence[Any]:
        kinds = ("and_test", "or_test", "arith_expr")
        return range(0, len(node.children), 2) if node.type in kinds else ()

    def change(self, node: Any, at: Any) -> Any:
        first = node.get_first_leaf().prefix
        del node.children[max(0, at - 1) : max(0, at - 1) + 2]
        if at == 0:
            node.get_first_leaf().prefix = first
        return node


class KeepOneArgument(_Operator):
    """Take one of the two arguments of `min` or `max`, whichever it is."""

    def variants(self, node: Any) -> Sequence[Any]:
        if node.type not in ("atom_expr", "power") or len(node.children) != 2:
            return ()
        name, call = node.children
        inner = call.children[1] if call.type == "trailer" and len(call.children) == 3 else None
        if name.get_code().strip() not in ("min", "max") or inner is None or inner.type != "arglist":
            return ()
        arguments = list(range(0, len(inner.children), 2))
        return (
            arguments if len(arguments) == 2 and all(inner.children[at].type != "argument" for at in arguments) else ()
        )

    def change(self, node: Any, at: Any) -> Any:
        kept = node.children[1].children[1].children[at].get_code().strip()
        return _parse(f"({kept})", node)


class SkipGuard(_Operator):
    """Make a guard that leaves never do so."""

    def variants(self, node: Any) -> Sequence[Any]:
        if node.type != "if_stmt" or len(node.children) != 4:
            return ()
        return (1,) if node.children[3].get_code().split()[:1] and _leaves(node.children[3]) else ()

    def change(self, node: Any, at: Any) -> Any:
        node.children[at] = _parse("False", node.children[at])
        return node


class DropIncrement(_Operator):
    """Leave out `x += y`, or another assignment of its kind."""

    def variants(self, node: Any) -> Sequence[Any]:
        augmented = node.type == "expr_stmt" and len(node.children) == 3 and node.children[1].type != "annassign"
        return (0,) if augmented and node.children[1].get_code().strip() in ("+=", "-=", "|=", "&=") else ()

    def change(self, node: Any, at: Any) -> Any:
        return _parse("pass", node)


class DropParentheses(_Operator):
    """Leave out the parentheses of an operand."""

    def variants(self, node: Any) -> Sequence[Any]:
        if node.type != "atom" or len(node.children) != 3 or node.children[0].value != "(":
            return ()
        loose = ("arith_expr", "term", "and_test", "or_test", "comparison", "not_test", "and_expr", "expr")
        within = ("arith_expr", "term", "and_test", "not_test", "comparison", "factor", "shift_expr")
        return (1,) if node.children[1].type in loose and node.parent.type in within else ()

    def change(self, node: Any, at: Any) -> Any:
        return _parse(node.children[at].get_code().strip(), node)


SEMANTIC = {one.__name__: one for one in (DropOperand, KeepOneArgument, SkipGuard, DropIncrement, DropParentheses)}


def _leaves(suite: Any) -> bool:
    last = [child for child in suite.children if child.type not in ("newline", "indent", "dedent")][-1:]
    return bool(last) and last[0].get_code().split()[0] in LEAVING


def _parse(text: str, instead_of: Any) -> Any:
    """Parse an expression or a statement that takes the place of a node."""
    made = parso.parse(text).children[0]
    made.get_first_leaf().prefix = instead_of.get_first_leaf().prefix
    return made
