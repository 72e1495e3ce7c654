"""Translation of plain Python statements to LLVM instructions, tracking the values of names along every path.

Where paths join, names that differ become phis; where a test is known, only one path is translated. Paths on which a
name of `split_by` is known to differ are not joined: the machine's program counter is such a name.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field
from functools import cache
from typing import Any

from edict.runtime.native.evaluating import Evaluator, UnsupportedPythonError, is_harmless
from edict.runtime.native.llvm_text import LlvmBlock, LlvmTruth, Phi, Value, are_identical, as_typed_name, type_of
from edict.runtime.native.rows import LlvmRow, LlvmRows
from edict.support.records import dataclass

MAX_UNROLLED = 16  # iterations of a loop that are unrolled


@dataclass(frozen=True, slots=True)
class ContinuationPoint:
    """A point where the function continues, the end of a block with the values of names there."""

    block: LlvmBlock
    env: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LoopExits:
    """The points where a loop's body was left by `break` or `continue`."""

    breaks: list[ContinuationPoint] = field(default_factory=list)
    continues: list[ContinuationPoint] = field(default_factory=list)


class StatementTranslator(Evaluator):
    """The translator of statements of one function; every method returns the points where control continues."""

    split_by: tuple[str, ...] = ()  # names by whose known values paths stay separate

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.loops: list[LoopExits] = []

    # --- points --------------------------------------------------------------------------------------

    def current_point(self) -> ContinuationPoint:
        """Return the current point."""
        return ContinuationPoint(self.w.block, self.env)

    def resume_at(self, point: ContinuationPoint) -> None:
        """Continue at a point."""
        self.env = point.env
        self.w.resume(point.block)

    def translate_all(self, statements: Sequence[ast.stmt]) -> list[ContinuationPoint]:
        """Translate statements from the current point, and return the points where execution continues."""
        points = [self.current_point()]
        for statement in statements:
            following: list[ContinuationPoint] = []
            for point in points:
                self.resume_at(point)
                following += self.translate(statement)
            points = self.join_points(following)
        return points

    def join_points(self, points: list[ContinuationPoint]) -> list[ContinuationPoint]:
        """Join all points that agree in the names `split_by`, by phis; return one point for each group."""
        if len(points) < 2:
            return points
        groups: dict[tuple[Any, ...], list[ContinuationPoint]] = {}
        for point in points:
            groups.setdefault(tuple(point.env.get(name) for name in self.split_by), []).append(point)
        return [group[0] if len(group) == 1 else self._join_into_block(group) for group in groups.values()]

    def _join_into_block(self, points: list[ContinuationPoint]) -> ContinuationPoint:
        """Join points in one new block; names whose values differ get phis, and rows that differ are dropped."""
        block = self.w.new_block()
        env: dict[str, Any] = {}
        for name, first in points[0].env.items():
            if all(name in point.env for point in points):
                values = [point.env[name] for point in points]
                if are_identical(values):
                    env[name] = first
                elif not any(isinstance(value, (LlvmRow, LlvmRows)) for value in values):
                    env[name] = self._add_phi(block, points, values)
        for point in points:
            self.w.resume(point.block)
            self.w.jump(block)
        self.w.resume(block)
        return ContinuationPoint(block, env)

    def _add_phi(self, block: LlvmBlock, points: list[ContinuationPoint], values: list[Value]) -> Value:
        """Add a phi that joins one value from each point, and return it; all become doubles if one of them is."""
        if any(type_of(value) == "double" for value in values):
            for number, point in enumerate(points):
                self.w.resume(point.block)
                values[number] = self.to_real(values[number])
        type = type_of(next((value for value in values if isinstance(value, str)), values[0]))
        phi = self.w.add_phi(block, type)
        phi.incoming += [(value, point.block) for value, point in zip(values, points, strict=True)]
        return as_typed_name(phi.name, type)

    # --- statements ----------------------------------------------------------------------------------

    def translate(self, node: ast.stmt) -> list[ContinuationPoint]:
        """Translate one statement."""
        match node:
            case ast.If():
                return self.translate_if(node.test, node.body, node.orelse)
            case ast.While():
                return self.translate_while(node.test, node.body)
            case ast.For():
                return self.translate_for(node)
            case ast.Break():
                return self.translate_break()
            case ast.Continue():
                self.loops[-1].continues.append(self.current_point())
                return []
            case ast.Return():
                self.emit_return(None if node.value is None else self.evaluate_number(node.value))
                return []
            case ast.Assign(targets=[ast.Name(name)], value=ast.IfExp() as chosen) if name in self.split_by:
                return self.translate_if(
                    chosen.test, *([ast.Assign(node.targets, x)] for x in (chosen.body, chosen.orelse))
                )
            case _:
                self.translate_simple(node)
                return [self.current_point()]

    def translate_simple(self, node: ast.stmt) -> None:
        """Translate a statement without branches."""
        match node:
            case ast.Assign(targets=[target]):
                self.assign(target, self.evaluate(node.value))
            case ast.AugAssign():
                before = self.evaluate_number(_to_load(node.target))
                self.assign(node.target, self.calculate(type(node.op), before, self.evaluate_number(node.value)))
            case ast.Expr(value=ast.Call()):
                self.evaluate(node.value)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                raise UnsupportedPythonError(ast.dump(node))

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assign a value to a name or a cell."""
        if isinstance(value, LlvmTruth):
            value = self.w.emit_value(f"zext i1 {value} to i64")
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, ast.Subscript):
            self.evaluate(target.value).store(self.w, self.evaluate_number(target.slice), value)
        else:
            raise UnsupportedPythonError(ast.dump(target))

    def translate_if(
        self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]
    ) -> list[ContinuationPoint]:
        """Translate an `if`."""
        found = self.evaluate_truth(test)
        if isinstance(found, bool):
            return self.translate_all(body if found else orelse)
        yes, no = self.w.new_block(), self.w.new_block()
        self.w.branch(found, yes, no, unlikely=is_fault(body))
        env = dict(self.env)
        self.resume_at(ContinuationPoint(yes, self.env))
        points = self.translate_all(body)
        self.resume_at(ContinuationPoint(no, env))
        return points + self.translate_all(orelse)

    def translate_while(self, test: ast.expr, body: Sequence[ast.stmt]) -> list[ContinuationPoint]:
        """Translate a `while`."""
        head, inside, out = (self.w.new_block() for _ in range(3))
        before = self.w.block
        self.w.jump(head)
        self.w.resume(head)
        changed = {
            name: self._add_loop_phi(name, head, before) for name in collect_assigned_names(body) if name in self.env
        }
        found = self.evaluate_truth(test)
        if found is False:
            return [self.current_point()]
        ends = [] if found is True else [ContinuationPoint(out, dict(self.env))]
        if found is True:
            self.w.jump(inside)
        else:
            self.w.branch(found, inside, out)
        self.loops.append(LoopExits())
        self.resume_at(ContinuationPoint(inside, self.env))
        points = self.translate_all(body)
        loop = self.loops.pop()
        for point in points + loop.continues:
            self.w.resume(point.block)
            self.w.jump(head)
            for name, phi in changed.items():
                phi.incoming.append((point.env[name], point.block))
        return ends + loop.breaks

    def _add_loop_phi(self, name: str, head: LlvmBlock, before: LlvmBlock) -> Phi:
        """Add a phi for a name that the loop's body assigns."""
        phi = self.w.add_phi(head, type_of(self.env[name]))
        phi.incoming.append((self.env[name], before))
        self.env[name] = as_typed_name(phi.name, phi.type)
        return phi

    def translate_for(self, node: ast.For) -> list[ContinuationPoint]:
        """Translate `for i in range(...)`; the bounds are evaluated once, before the loop."""
        match node:
            case ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("range"), args=arguments)):
                values = [self.evaluate_number(argument) for argument in arguments]
                step = values[2] if len(values) == 3 else 1
            case _:
                raise UnsupportedPythonError(ast.dump(node))
        first, end = values[:2] if len(values) > 1 else (0, values[0])
        if isinstance(first, int) and isinstance(end, int) and end - first <= MAX_UNROLLED and not _has_jumps(node):
            turns = [(_assignment(name, ast.Constant(i)), *node.body) for i in range(first, end)]
            return self.translate_all([step for turn in turns for step in turn])
        counter, last = f"{name} next", f"{name} end"
        self.env[counter], self.env[last] = first, end
        more = ast.BinOp(_name(counter), ast.Add(), ast.Constant(step))
        test = ast.Compare(_name(counter), [ast.Lt()], [_name(last)])
        return self.translate_while(test, [_assignment(name, _name(counter)), _assignment(counter, more), *node.body])

    def inline_call(self, function: ast.FunctionDef, arguments: Sequence[Any]) -> Any:
        """Translate a function's body in place and return its value; `return` must be its last line."""
        saved_env, self.env = self.env, {p.arg: value for p, value in zip(function.args.args, arguments, strict=True)}
        (point,) = self.translate_all(function.body[:-1])
        self.resume_at(point)
        last = function.body[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            raise UnsupportedPythonError(f"{function.name} does not return in its last line")
        value = self.evaluate_number(last.value)
        self.env = saved_env
        return value

    # --- ends ----------------------------------------------------------------------------------------

    def translate_break(self) -> list[ContinuationPoint]:
        """Record the current point as a `break`, to be joined with the end of the loop."""
        self.loops[-1].breaks.append(self.current_point())
        return []

    def emit_return(self, value: Value | None) -> None:
        """Emit a `return`."""
        raise NotImplementedError


def _has_jumps(node: ast.For) -> bool:
    """Return True if a loop contains `break` or `continue`."""
    return any(isinstance(part, (ast.Break, ast.Continue)) for part in ast.walk(node))


def is_fault(body: Sequence[ast.stmt]) -> bool:
    """Return True for a body of just an assignment and `break`, which sets a fault's status and is unlikely."""
    return len(body) == 2 and isinstance(body[0], ast.Assign) and isinstance(body[1], ast.Break)


def collect_assigned_names(statements: Sequence[ast.stmt]) -> tuple[str, ...]:
    """Return the names that statements assign."""
    return tuple(dict.fromkeys(name for statement in statements for name in _list_assigned_names(statement)))


@cache
def _list_assigned_names(statement: ast.stmt) -> tuple[str, ...]:
    """Return the names that one statement and those inside it assign, each once, in order."""
    nodes = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return tuple(dict.fromkeys(node.id for node in nodes))


def _to_load(target: ast.expr) -> ast.expr:
    """Return the expression that reads the target of an assignment like `x += 1`."""
    return _name(target.id) if isinstance(target, ast.Name) else target


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assignment(name: str, value: ast.expr) -> ast.Assign:
    """Return the syntax tree of `name = value`."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


__all__ = [
    "Evaluator",
    "LoopExits",
    "UnsupportedPythonError",
    "StatementTranslator",
    "ContinuationPoint",
    "collect_assigned_names",
    "is_harmless",
]
