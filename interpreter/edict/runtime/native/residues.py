"""Partial evaluation of the machine's loop, which yields the statements that remain for each opcode.

So a translation means what the loop means, since no instruction is described a second time. `run` sets up its names,
then repeats one loop that decodes an instruction and carries it out. The residue for an opcode is the loop's body
with every test decided that depends on the opcode alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from edict.runtime.native.functions import parse_source


class MachineSource:
    """The source of a loop `run(code, s, log)` that keeps its place in `pc` and leaves by `break` with a `status`."""

    def __init__(self, run: Callable[..., int]) -> None:
        self.names: dict[str, Any] = run.__globals__
        self._tree = parse_source(run).body
        self._functions: dict[Callable[..., Any], ast.FunctionDef] = {}
        self._residues: dict[int, list[ast.stmt]] = {}

    @cached_property
    def _loop_index(self) -> int:
        """Return the index of the machine's `while` among the statements of its function."""
        return next(i for i, statement in enumerate(self._tree) if isinstance(statement, ast.While))

    @property
    def prologue(self) -> list[ast.stmt]:
        """Return the statements before the loop."""
        return self._tree[: self._loop_index]

    def function_source(self, function: Callable[..., Any]) -> ast.FunctionDef:
        """Return the source of a function that the loop calls."""
        if function not in self._functions:
            self._functions[function] = parse_source(function)
        return self._functions[function]

    def residue(self, op: int) -> list[ast.stmt]:
        """Return the statements of the loop's body that can run for an opcode, its tests of `op` decided."""
        if op not in self._residues:
            loop = self._tree[self._loop_index]
            assert isinstance(loop, ast.While)
            self._residues[op] = self._specialize(loop.body[1:], op)  # without `op = code[pc]`
        return self._residues[op]

    def _specialize(self, statements: Sequence[ast.stmt], op: int) -> list[ast.stmt]:
        remaining: list[ast.stmt] = []
        for node in statements:
            if isinstance(node, ast.If):
                test = self._decide(node.test, op)
                if test is not None:
                    remaining += self._specialize(node.body if test else node.orelse, op)
                    continue
                node = ast.If(
                    node.test, self._specialize(node.body, op) or [ast.Pass()], self._specialize(node.orelse, op)
                )
            elif isinstance(node, ast.While):
                node = ast.While(node.test, self._specialize(node.body, op), [])
            remaining.append(node)
        return remaining

    def _decide(self, test: ast.expr, op: int) -> bool | None:
        """Return the outcome of a test that mentions only `op` and constants; None for any other test."""
        names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
        if "op" not in names or not all(name == "op" or name.isupper() for name in names):
            return None
        return bool(eval(compile(ast.Expression(test), "<loop>", "eval"), self.names | {"op": op}))
