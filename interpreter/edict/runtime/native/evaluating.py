"""Expressions of plain Python as values: worked out if all is known, else written down as LLVM instructions."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NoReturn

from edict.runtime.native.llvm_text import LlvmBlock, LlvmTruth, LlvmWriter, Real, Value, named, same, type_of, written
from edict.runtime.native.rows import Rows

Known = int | float
Binary = tuple[Callable[[Any, Any], Any], str, str]

BINARY: dict[type[ast.operator], Binary] = {  # what it is of known numbers, its instruction for i64 and for double
    ast.Add: (operator.add, "add", "fadd"),
    ast.Sub: (operator.sub, "sub", "fsub"),
    ast.Mult: (operator.mul, "mul", "fmul"),
    ast.Div: (operator.truediv, "", "fdiv"),
    ast.FloorDiv: (operator.floordiv, "", ""),
    ast.Mod: (operator.mod, "", ""),
    ast.BitAnd: (operator.and_, "and", ""),
    ast.BitOr: (operator.or_, "or", ""),
    ast.BitXor: (operator.xor, "xor", ""),
    ast.LShift: (operator.lshift, "shl", ""),
    ast.RShift: (operator.rshift, "ashr", ""),
}
COMPARED: dict[type[ast.cmpop], tuple[Callable[[Any, Any], bool], str, str]] = {
    ast.Eq: (operator.eq, "eq", "oeq"),
    ast.NotEq: (operator.ne, "ne", "une"),
    ast.Lt: (operator.lt, "slt", "olt"),
    ast.LtE: (operator.le, "sle", "ole"),
    ast.Gt: (operator.gt, "sgt", "ogt"),
    ast.GtE: (operator.ge, "sge", "oge"),
}
NEUTRAL = {
    (ast.Add, 0),
    (ast.Sub, 0),
    (ast.BitOr, 0),
    (ast.BitXor, 0),
    (ast.LShift, 0),
    (ast.RShift, 0),
    (ast.Mult, 1),
    (ast.BitAnd, -1),
}
Call = Callable[["Evaluator", list[Any]], Any]


class NotPlain(Exception):
    """Python that this translator does not know."""


class Evaluator:
    """Values of expressions in one function. `env`: what the local names stand for; `known`: the module's names;
    `called`: how each function is called, by the function."""

    def __init__(self, known: Mapping[str, Any], called: Callable[[Any], Call]) -> None:
        self.w = LlvmWriter()
        self.env: dict[str, Any] = {}
        self.known = known
        self.called = called

    # --- what an expression is -----------------------------------------------------------------------

    def any(self, node: ast.expr) -> Any:
        """A value or a row."""
        return EXPRESSIONS.get(type(node), _unknown)(self, node)

    def value(self, node: ast.expr) -> Value:
        """A number; a truth counts as 0 or 1."""
        found = self.any(node)
        if isinstance(found, LlvmTruth):
            return self.w.op(f"zext i1 {found} to i64")
        return found  # type: ignore[no-any-return]

    def truth(self, node: ast.expr) -> bool | LlvmTruth:
        """Whether it is anything but 0."""
        return self.not_zero(self.any(node))

    def not_zero(self, found: Value) -> bool | LlvmTruth:
        if isinstance(found, (int, float)):
            return bool(found)
        return found if isinstance(found, LlvmTruth) else LlvmTruth(self.w.op(f"icmp ne i64 {found}, 0"))

    def real(self, value: Value) -> Value:
        """The same number as a double."""
        if isinstance(value, (int, float)):
            return float(value)
        return value if isinstance(value, Real) else Real(self.w.op(f"sitofp i64 {value} to double"))

    # --- one sort of expression each -----------------------------------------------------------------

    def constant(self, node: ast.Constant) -> Known:
        if not isinstance(node.value, (int, float)):
            _unknown(self, node)
        return int(node.value) if isinstance(node.value, bool) else node.value

    def name(self, node: ast.Name) -> Any:
        if node.id in self.env:
            return self.env[node.id]
        found = self.known[node.id] if node.id in self.known else getattr(builtins, node.id)
        return int(found) if isinstance(found, int) else found

    def binary(self, node: ast.BinOp) -> Value:
        left = self.value(node.left)
        return self.calculated(type(node.op), left, self.value(node.right))

    def calculated(self, op: type[ast.operator], a: Value, b: Value) -> Value:
        fold, whole, real = BINARY[op]
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            return fold(a, b)  # type: ignore[no-any-return]
        if (op, b) in NEUTRAL:
            return a
        if (op, a) in NEUTRAL and op in (ast.Add, ast.Mult, ast.BitOr, ast.BitXor, ast.BitAnd):
            return b
        if op is ast.Div or "double" in (type_of(a), type_of(b)):
            first, second = self.real(a), self.real(b)
            return Real(self.w.op(f"{real} double {written(first)}, {written(second)}"))
        if op in (ast.FloorDiv, ast.Mod):
            return self.rounded_down(op, a, b)
        return self.w.op(f"{whole} i64 {written(a)}, {written(b)}")

    def rounded_down(self, op: type[ast.operator], a: Value, b: Value) -> str:
        """Division as Python does it: the remainder has the sign of the divisor."""
        w = self.w
        if isinstance(b, int) and b > 0 and b & (b - 1) == 0:
            return w.op(f"and i64 {a}, {b - 1}" if op is ast.Mod else f"ashr i64 {a}, {b.bit_length() - 1}")
        rest = w.op(f"srem i64 {a}, {b}")
        other = w.op(f"icmp slt i64 {w.op(f'xor i64 {rest}, {b}')}, 0")
        off = w.op(f"select i1 {w.op(f'icmp ne i64 {rest}, 0')}, i1 {other}, i1 false")
        if op is ast.Mod:
            return w.op(f"add i64 {rest}, {w.op(f'select i1 {off}, i64 {b}, i64 0')}")
        return w.op(f"add i64 {w.op(f'sdiv i64 {a}, {b}')}, {w.op(f'sext i1 {off} to i64')}")

    def unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            found = self.truth(node.operand)
            return int(not found) if isinstance(found, bool) else LlvmTruth(self.w.op(f"xor i1 {found}, true"))
        value = self.value(node.operand)
        if isinstance(value, (int, float)):
            return -value if isinstance(node.op, ast.USub) else ~value  # type: ignore[operator]
        if isinstance(value, Real):
            return Real(self.w.op(f"fneg double {value}"))
        return self.w.op(f"sub i64 0, {value}" if isinstance(node.op, ast.USub) else f"xor i64 {value}, -1")

    def comparison(self, node: ast.Compare) -> Value:
        found: Value = 1
        left = self.any(node.left)
        for op, operand in zip(node.ops, node.comparators, strict=True):
            right = self.any(operand)
            found = self.both(found, self.compared(type(op), left, right))
            left = right
        return found

    def compared(self, op: type[ast.cmpop], a: Value, b: Value) -> Value:
        fold, whole, real = COMPARED[op]
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            return int(fold(a, b))
        if isinstance(a, LlvmTruth) and b in (0, 1) and op is ast.Eq:
            return a if b == 1 else LlvmTruth(self.w.op(f"xor i1 {a}, true"))
        a, b = (self.w.op(f"zext i1 {x} to i64") if isinstance(x, LlvmTruth) else x for x in (a, b))
        if "double" in (type_of(a), type_of(b)):
            first, second = self.real(a), self.real(b)
            return LlvmTruth(self.w.op(f"fcmp {real} double {written(first)}, {written(second)}"))
        return LlvmTruth(self.w.op(f"icmp {whole} i64 {a}, {b}"))

    def both(self, a: Value, b: Value) -> Value:
        if isinstance(a, int):
            return b if a else 0
        if isinstance(b, int):
            return a if b else 0
        return LlvmTruth(self.w.op(f"select i1 {a}, i1 {b}, i1 false"))

    def logic(self, node: ast.BoolOp) -> Value:
        """`and` or `or`, of which only the truth matters; what comes later is looked at only if need be."""
        stops = isinstance(node.op, ast.Or)  # the truth that settles it
        ways: list[tuple[Value, LlvmBlock]] = []
        out = self.w.new_block()
        for number, operand in enumerate(node.values):
            last = number == len(node.values) - 1
            found = self.truth(operand)
            if isinstance(found, bool) and found is not stops and not last:
                continue
            if last or isinstance(found, bool):
                return self._joined(ways, _text(found), out) if ways else _plain(found)
            if all(harmless(later) for later in node.values[number + 1 :]):
                return self._at_once(node, found, number, ways, out)
            more = self.w.new_block()
            ways.append(("true" if stops else "false", self.w.block))
            self.w.fork(found, *((out, more) if stops else (more, out)))
            self.w.begin(more)
        raise AssertionError("an `and` of nothing")

    def _at_once(
        self, node: ast.BoolOp, found: LlvmTruth, number: int, ways: list[tuple[Value, LlvmBlock]], out: LlvmBlock
    ) -> Value:
        """The same where nothing can go wrong: all operands are looked at."""
        result: Value = found
        for later in node.values[number + 1 :]:
            more = self.truth(later)
            if isinstance(node.op, ast.And):
                result = self.both(result, _plain(more))
            elif result == 1 or more is True:
                result = 1
            elif more is not False:
                result = LlvmTruth(self.w.op(f"select i1 {result}, i1 true, i1 {more}"))
        return self._joined(ways, _text(result), out) if ways else result

    def _joined(self, ways: list[tuple[Value, LlvmBlock]], last: str, out: LlvmBlock) -> LlvmTruth:
        ways.append((last, self.w.block))
        self.w.jump(out)
        self.w.begin(out)
        phi = self.w.phi(out, "i1")
        phi.ways += ways
        return LlvmTruth(phi.name)

    def either(self, node: ast.IfExp) -> Value:
        test = self.truth(node.test)
        if isinstance(test, bool):
            return self.value(node.body if test else node.orelse)
        if harmless(node.body) and harmless(node.orelse):
            found = [self.value(node.body), self.value(node.orelse)]
            if same(found):
                return found[0]
            type, (one, other) = self.alike(found)
            return named(self.w.op(f"select i1 {test}, {type} {written(one)}, {type} {written(other)}"), type)
        return self._one_way(test, node)

    def _one_way(self, test: LlvmTruth, node: ast.IfExp) -> Value:
        yes, no, out = (self.w.new_block() for _ in range(3))
        self.w.fork(test, yes, no)
        ways: list[tuple[Value, LlvmBlock]] = []
        for block, arm in ((yes, node.body), (no, node.orelse)):
            self.w.begin(block)
            ways.append((self.value(arm), self.w.block))
        type = "double" if any(type_of(value) == "double" for value, _ in ways) else "i64"
        for number, (value, block) in enumerate(ways):
            self.w.begin(block)
            ways[number] = (self.real(value) if type == "double" else value, block)
            self.w.jump(out)
        self.w.begin(out)
        phi = self.w.phi(out, type)
        phi.ways += ways
        return named(phi.name, type)

    def alike(self, values: list[Value]) -> tuple[str, list[Value]]:
        """The type that all these numbers can have, and they in it."""
        if any(type_of(value) == "double" for value in values):
            return "double", [self.real(value) for value in values]
        return "i64", values

    def item(self, node: ast.Subscript) -> Any:
        row = self.any(node.value)
        if isinstance(row, tuple):
            return self.power(row, node.slice)
        index = self.value(node.slice)
        return row.row(self.w, index) if isinstance(row, Rows) else row.load(self.w, index)

    def power(self, table: tuple[int, ...], index: ast.expr) -> Value:
        """The exponent of a power of 2 out of a table by remainders, `MEMBER[power % 67]`, by one instruction."""
        if not isinstance(index, ast.BinOp) or not isinstance(index.op, ast.Mod) or len(table) != 67:
            _unknown(self, index)
        value = self.value(index.left)
        if isinstance(value, int):
            return table[value % 67]
        found = self.w.op(f"call i64 @llvm.cttz.i64(i64 {value}, i1 false)")
        return self.w.op(f"select i1 {self.w.op(f'icmp eq i64 {value}, 0')}, i64 -1, i64 {found}")

    def call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Attribute):
            return METHODS[node.func.attr](self, self.value(node.func.value))
        function = self.any(node.func)
        arguments = [self.any(argument) for argument in node.args]
        return self.called(function)(self, arguments)


@cache
def harmless(node: ast.expr) -> bool:
    """Whether an expression may be worked out though nobody asked: it looks nowhere it should not, and is short."""
    risky = (ast.Subscript, ast.Call, ast.Div, ast.FloorDiv, ast.Mod)
    return not any(isinstance(part, risky) for part in ast.walk(node))


def _plain(found: bool | LlvmTruth | Value) -> Value:
    return int(found) if isinstance(found, bool) else found


def _text(found: bool | Value) -> str:
    return ("true" if found else "false") if isinstance(found, int) else str(found)


def _unknown(_: Evaluator, node: ast.AST) -> NoReturn:
    raise NotPlain(ast.dump(node))


def _ones(e: Evaluator, value: Value) -> Value:
    return value.bit_count() if isinstance(value, int) else e.w.op(f"call i64 @llvm.ctpop.i64(i64 {value})")


def _length(e: Evaluator, value: Value) -> Value:
    if isinstance(value, int):
        return value.bit_length()
    return e.w.op(f"sub i64 64, {e.w.op(f'call i64 @llvm.ctlz.i64(i64 {value}, i1 false)')}")


METHODS: dict[str, Callable[[Evaluator, Value], Value]] = {"bit_count": _ones, "bit_length": _length}
EXPRESSIONS: dict[type[ast.AST], Callable[[Evaluator, Any], Any]] = {
    ast.Constant: Evaluator.constant,
    ast.Name: Evaluator.name,
    ast.BinOp: Evaluator.binary,
    ast.UnaryOp: Evaluator.unary,
    ast.Compare: Evaluator.comparison,
    ast.BoolOp: Evaluator.logic,
    ast.IfExp: Evaluator.either,
    ast.Subscript: Evaluator.item,
    ast.Call: Evaluator.call,
}
