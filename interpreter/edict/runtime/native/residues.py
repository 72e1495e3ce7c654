"""The machine's loop taken apart: what is left of it for each operation.

This is what makes the translation mean what the loop means: no operation is described a second time. `run` sets up its
names, then goes round one loop, in which it looks at the operation and does it; what is left for an operation is that
loop's body with every test decided that asks for nothing but the operation.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from edict.runtime.native.functions import source_of


class Machine:
    """The source of a loop `run(code, s, log)`, whose place is `pc`, and which leaves by `break` with a `status`."""

    def __init__(self, run: Callable[..., int]) -> None:
        self.names: dict[str, Any] = run.__globals__
        self._tree = source_of(run).body
        self._functions: dict[Callable[..., Any], ast.FunctionDef] = {}
        self._residues: dict[int, list[ast.stmt]] = {}

    @cached_property
    def _at(self) -> int:
        return next(i for i, statement in enumerate(self._tree) if isinstance(statement, ast.While))

    @property
    def begin(self) -> list[ast.stmt]:
        """What comes before the loop."""
        return self._tree[: self._at]

    def function(self, function: Callable[..., Any]) -> ast.FunctionDef:
        """The source of a function that the loop calls."""
        if function not in self._functions:
            self._functions[function] = source_of(function)
        return self._functions[function]

    def residue(self, op: int) -> list[ast.stmt]:
        """What is left of the loop's body for an operation."""
        if op not in self._residues:
            loop = self._tree[self._at]
            assert isinstance(loop, ast.While)
            self._residues[op] = self._decided(loop.body[1:], op)  # without `op = code[pc]`
        return self._residues[op]

    def _decided(self, statements: Sequence[ast.stmt], op: int) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for node in statements:
            if isinstance(node, ast.If):
                test = self._decision(node.test, op)
                if test is not None:
                    found += self._decided(node.body if test else node.orelse, op)
                    continue
                node = ast.If(node.test, self._decided(node.body, op) or [ast.Pass()], self._decided(node.orelse, op))
            elif isinstance(node, ast.While):
                node = ast.While(node.test, self._decided(node.body, op), [])
            found.append(node)
        return found

    def _decision(self, test: ast.expr, op: int) -> bool | None:
        """How a test comes out, if the operation alone tells."""
        names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
        if "op" not in names or not all(name == "op" or name.isupper() for name in names):
            return None
        return bool(eval(compile(ast.Expression(test), "<loop>", "eval"), self.names | {"op": op}))
