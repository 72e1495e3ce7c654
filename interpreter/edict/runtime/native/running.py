"""Statements of plain Python as LLVM instructions: what a name stands for is followed along every way through them.

Where ways meet, names that differ become phis; where a test is known, only one way is gone. Ways on which a name of
`apart` is known to differ are not brought together: the machine's place in the code is such a name.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from edict.runtime.native.evaluating import Evaluator, NotPlain, harmless
from edict.runtime.native.llvm_text import LlvmBlock, LlvmTruth, Phi, Value, named, same, type_of
from edict.runtime.native.rows import Row, Rows

UNROLLED = 16  # turns of a loop, at most, that are written one behind the other


@dataclass(frozen=True, slots=True)
class ContinuationPoint:
    """A place where the function goes on: at the end of a block, with what the names stand for there."""

    block: LlvmBlock
    env: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Loop:
    breaks: list[ContinuationPoint] = field(default_factory=list)
    continues: list[ContinuationPoint] = field(default_factory=list)


class Runner(Evaluator):
    """Statements of one function."""

    apart: tuple[str, ...] = ()

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.loops: list[Loop] = []

    # --- ways ----------------------------------------------------------------------------------------

    def here(self) -> ContinuationPoint:
        return ContinuationPoint(self.w.block, self.env)

    def take(self, way: ContinuationPoint) -> None:
        self.env = way.env
        self.w.begin(way.block)

    def sequence(self, statements: Sequence[ast.stmt]) -> list[ContinuationPoint]:
        """Run statements from here; gives the ways that lead on behind them."""
        ways = [self.here()]
        for statement in statements:
            found: list[ContinuationPoint] = []
            for way in ways:
                self.take(way)
                found += self.statement(statement)
            ways = self.joined(found)
        return ways

    def joined(self, ways: list[ContinuationPoint]) -> list[ContinuationPoint]:
        """The ways with those that need not stay apart brought together."""
        if len(ways) < 2:
            return ways
        groups: dict[tuple[Any, ...], list[ContinuationPoint]] = {}
        for way in ways:
            groups.setdefault(tuple(way.env.get(name) for name in self.apart), []).append(way)
        return [group[0] if len(group) == 1 else self._meeting(group) for group in groups.values()]

    def _meeting(self, ways: list[ContinuationPoint]) -> ContinuationPoint:
        block = self.w.new_block()
        env: dict[str, Any] = {}
        for name, first in ways[0].env.items():
            if all(name in way.env for way in ways):
                values = [way.env[name] for way in ways]
                if same(values):
                    env[name] = first
                elif not any(isinstance(value, (Row, Rows)) for value in values):
                    env[name] = self._either_of(block, ways, values)
        for way in ways:
            self.w.begin(way.block)
            self.w.jump(block)
        self.w.begin(block)
        return ContinuationPoint(block, env)

    def _either_of(self, block: LlvmBlock, ways: list[ContinuationPoint], values: list[Value]) -> Value:
        if any(type_of(value) == "double" for value in values):
            for number, way in enumerate(ways):
                self.w.begin(way.block)
                values[number] = self.real(values[number])
        type = type_of(next((value for value in values if isinstance(value, str)), values[0]))
        phi = self.w.phi(block, type)
        phi.ways += [(value, way.block) for value, way in zip(values, ways, strict=True)]
        return named(phi.name, type)

    # --- statements: each gives the ways that lead on ------------------------------------------------

    def statement(self, node: ast.stmt) -> list[ContinuationPoint]:
        match node:
            case ast.If():
                return self.choice(node.test, node.body, node.orelse)
            case ast.While():
                return self.loop(node.test, node.body)
            case ast.For():
                return self.counting(node)
            case ast.Break():
                return self.leaving()
            case ast.Continue():
                self.loops[-1].continues.append(self.here())
                return []
            case ast.Return():
                self.returning(None if node.value is None else self.value(node.value))
                return []
            case ast.Assign(targets=[ast.Name(name)], value=ast.IfExp() as chosen) if name in self.apart:
                return self.choice(chosen.test, *([ast.Assign(node.targets, x)] for x in (chosen.body, chosen.orelse)))
            case _:
                self.simple(node)
                return [self.here()]

    def simple(self, node: ast.stmt) -> None:
        """A statement after which there is but one way."""
        match node:
            case ast.Assign(targets=[target]):
                self.assign(target, self.any(node.value))
            case ast.AugAssign():
                before = self.value(_read(node.target))
                self.assign(node.target, self.calculated(type(node.op), before, self.value(node.value)))
            case ast.Expr(value=ast.Call()):
                self.any(node.value)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                raise NotPlain(ast.dump(node))

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(value, LlvmTruth):
            value = self.w.op(f"zext i1 {value} to i64")
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, ast.Subscript):
            self.any(target.value).store(self.w, self.value(target.slice), value)
        else:
            raise NotPlain(ast.dump(target))

    def choice(self, test: ast.expr, body: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> list[ContinuationPoint]:
        found = self.truth(test)
        if isinstance(found, bool):
            return self.sequence(body if found else other)
        yes, no = self.w.new_block(), self.w.new_block()
        self.w.fork(found, yes, no, rare=is_fault(body))
        env = dict(self.env)
        self.take(ContinuationPoint(yes, self.env))
        ways = self.sequence(body)
        self.take(ContinuationPoint(no, env))
        return ways + self.sequence(other)

    def loop(self, test: ast.expr, body: Sequence[ast.stmt]) -> list[ContinuationPoint]:
        head, inside, out = (self.w.new_block() for _ in range(3))
        before = self.w.block
        self.w.jump(head)
        self.w.begin(head)
        changed = {name: self._changing(name, head, before) for name in assigned(body) if name in self.env}
        found = self.truth(test)
        if found is False:
            return [self.here()]
        ends = [] if found is True else [ContinuationPoint(out, dict(self.env))]
        if found is True:
            self.w.jump(inside)
        else:
            self.w.fork(found, inside, out)
        self.loops.append(Loop())
        self.take(ContinuationPoint(inside, self.env))
        ways = self.sequence(body)
        loop = self.loops.pop()
        for way in ways + loop.continues:
            self.w.begin(way.block)
            self.w.jump(head)
            for name, phi in changed.items():
                phi.ways.append((way.env[name], way.block))
        return ends + loop.breaks

    def _changing(self, name: str, head: LlvmBlock, before: LlvmBlock) -> Phi:
        """A name that a loop's body sets: what it is there is one thing at first, and another later on."""
        phi = self.w.phi(head, type_of(self.env[name]))
        phi.ways.append((self.env[name], before))
        self.env[name] = named(phi.name, phi.type)
        return phi

    def counting(self, node: ast.For) -> list[ContinuationPoint]:
        """`for i in range(...)`; a number is looked up before the loop, as Python does."""
        match node:
            case ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("range"), args=arguments)):
                values = [self.value(argument) for argument in arguments]
                step = values[2] if len(values) == 3 else 1
            case _:
                raise NotPlain(ast.dump(node))
        first, end = values[:2] if len(values) > 1 else (0, values[0])
        if isinstance(first, int) and isinstance(end, int) and end - first <= UNROLLED and not _leaves(node):
            turns = [(_set(name, ast.Constant(i)), *node.body) for i in range(first, end)]
            return self.sequence([step for turn in turns for step in turn])
        counter, last = f"{name} next", f"{name} end"
        self.env[counter], self.env[last] = first, end
        more = ast.BinOp(_name(counter), ast.Add(), ast.Constant(step))
        test = ast.Compare(_name(counter), [ast.Lt()], [_name(last)])
        return self.loop(test, [_set(name, _name(counter)), _set(counter, more), *node.body])

    def inlined(self, function: ast.FunctionDef, arguments: Sequence[Any]) -> Any:
        """What a function of this module comes to, written in place; it returns in its last line alone."""
        kept, self.env = self.env, {p.arg: value for p, value in zip(function.args.args, arguments, strict=True)}
        (way,) = self.sequence(function.body[:-1])
        self.take(way)
        last = function.body[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            raise NotPlain(f"{function.name} does not return in its last line")
        value = self.value(last.value)
        self.env = kept
        return value

    # --- ends ----------------------------------------------------------------------------------------

    def leaving(self) -> list[ContinuationPoint]:
        self.loops[-1].breaks.append(self.here())
        return []

    def returning(self, value: Value | None) -> None:
        raise NotImplementedError


def _leaves(node: ast.For) -> bool:
    """Whether a loop is left in its middle, or a turn of it."""
    return any(isinstance(part, (ast.Break, ast.Continue)) for part in ast.walk(node))


def is_fault(body: Sequence[ast.stmt]) -> bool:
    """Whether statements only say what is wrong, and leave."""
    return len(body) == 2 and isinstance(body[0], ast.Assign) and isinstance(body[1], ast.Break)


def assigned(statements: Sequence[ast.stmt]) -> tuple[str, ...]:
    """The names that statements set."""
    return tuple(dict.fromkeys(name for statement in statements for name in _assigned(statement)))


@cache
def _assigned(statement: ast.stmt) -> tuple[str, ...]:
    nodes = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return tuple(dict.fromkeys(node.id for node in nodes))


def _read(target: ast.expr) -> ast.expr:
    return _name(target.id) if isinstance(target, ast.Name) else target


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _set(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


__all__ = ["Evaluator", "Loop", "NotPlain", "Runner", "ContinuationPoint", "assigned", "harmless"]
