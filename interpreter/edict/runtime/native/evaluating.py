"""Evaluation of plain Python expressions, folded if all operands are known, else emitted as LLVM instructions."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NoReturn

from edict.runtime.native.llvm_text import (
    LlvmBlock,
    LlvmTruth,
    LlvmWriter,
    Real,
    Value,
    are_identical,
    as_typed_name,
    format_operand,
    type_of,
)
from edict.runtime.native.rows import LlvmRows

KnownNumber = int | float
Binary = tuple[Callable[[Any, Any], Any], str, str]

# function on known numbers, instruction for i64, instruction for double
BINARY: dict[type[ast.operator], Binary] = {  # function on known numbers, instruction for i64, instruction for double
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
COMPARISONS: dict[type[ast.cmpop], tuple[Callable[[Any, Any], bool], str, str]] = {
    ast.Eq: (operator.eq, "eq", "oeq"),
    ast.NotEq: (operator.ne, "ne", "une"),
    ast.Lt: (operator.lt, "slt", "olt"),
    ast.LtE: (operator.le, "sle", "ole"),
    ast.Gt: (operator.gt, "sgt", "ogt"),
    ast.GtE: (operator.ge, "sge", "oge"),
}
# operators with a right operand that changes nothing
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
CallEmitter = Callable[["Evaluator", list[Any]], Any]  # emits a call with evaluated arguments and returns its value


class UnsupportedPythonError(Exception):
    """Python that this compiler does not support."""


class Evaluator:
    """The evaluator of expressions in one function.

    Attributes:
        w: The writer of the LLVM function.
        env: The values of local names.
        known: The names of the Python module.
        call_emitter: Returns the emitter of calls of a Python function.
    """

    def __init__(self, known: Mapping[str, Any], call_emitter: Callable[[Any], CallEmitter]) -> None:
        self.w = LlvmWriter()
        self.env: dict[str, Any] = {}
        self.known = known
        self.call_emitter = call_emitter

    # --- evaluation by result ------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> Any:
        """Evaluate an expression to a number or a row."""
        return EXPRESSIONS.get(type(node), _reject)(self, node)

    def evaluate_number(self, node: ast.expr) -> Value:
        """Evaluate an expression to a number; a truth counts as 0 or 1."""
        result = self.evaluate(node)
        if isinstance(result, LlvmTruth):
            return self.w.emit_value(f"zext i1 {result} to i64")
        return result  # type: ignore[no-any-return]

    def evaluate_truth(self, node: ast.expr) -> bool | LlvmTruth:
        """Evaluate an expression to a truth: True or False if known, else the name of an `i1`."""
        return self.is_nonzero(self.evaluate(node))

    def is_nonzero(self, value: Value) -> bool | LlvmTruth:
        """Return the truth that a value is nonzero, as a bool if it is known while compiling."""
        if isinstance(value, (int, float)):
            return bool(value)
        return value if isinstance(value, LlvmTruth) else LlvmTruth(self.w.emit_value(f"icmp ne i64 {value}, 0"))

    def to_real(self, value: Value) -> Value:
        """Convert a number to a double."""
        if isinstance(value, (int, float)):
            return float(value)
        return value if isinstance(value, Real) else Real(self.w.emit_value(f"sitofp i64 {value} to double"))

    # --- evaluation by node type ---------------------------------------------------------------------

    def evaluate_constant(self, node: ast.Constant) -> KnownNumber:
        """Return a constant of the source as a number, True and False as 1 and 0; reject any other constant."""
        if not isinstance(node.value, (int, float)):
            _reject(self, node)
        return int(node.value) if isinstance(node.value, bool) else node.value

    def evaluate_name(self, node: ast.Name) -> Any:
        """Evaluate a name: a local variable, or else a known name of the module or builtin."""
        if node.id in self.env:
            return self.env[node.id]
        found = self.known[node.id] if node.id in self.known else getattr(builtins, node.id)
        return int(found) if isinstance(found, int) else found

    def evaluate_binary(self, node: ast.BinOp) -> Value:
        """Evaluate a binary operation."""
        left = self.evaluate_number(node.left)
        return self.calculate(type(node.op), left, self.evaluate_number(node.right))

    def calculate(self, op: type[ast.operator], a: Value, b: Value) -> Value:
        """Apply a binary operator to two values."""
        fold, whole, real = BINARY[op]
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            return fold(a, b)  # type: ignore[no-any-return]
        if (op, b) in NEUTRAL:
            return a
        if (op, a) in NEUTRAL and op in (ast.Add, ast.Mult, ast.BitOr, ast.BitXor, ast.BitAnd):
            return b
        if op is ast.Div or "double" in (type_of(a), type_of(b)):
            first, second = self.to_real(a), self.to_real(b)
            return Real(self.w.emit_value(f"{real} double {format_operand(first)}, {format_operand(second)}"))
        if op in (ast.FloorDiv, ast.Mod):
            return self.divide_floor(op, a, b)
        return self.w.emit_value(f"{whole} i64 {format_operand(a)}, {format_operand(b)}")

    def divide_floor(self, op: type[ast.operator], a: Value, b: Value) -> str:
        """Divide like Python does, rounding down; the remainder has the sign of the divisor."""
        w = self.w
        if isinstance(b, int) and b > 0 and b & (b - 1) == 0:
            return w.emit_value(f"and i64 {a}, {b - 1}" if op is ast.Mod else f"ashr i64 {a}, {b.bit_length() - 1}")
        remainder = w.emit_value(f"srem i64 {a}, {b}")
        signs_differ = w.emit_value(f"icmp slt i64 {w.emit_value(f'xor i64 {remainder}, {b}')}, 0")
        inexact = w.emit_value(f"select i1 {w.emit_value(f'icmp ne i64 {remainder}, 0')}, i1 {signs_differ}, i1 false")
        if op is ast.Mod:
            return w.emit_value(f"add i64 {remainder}, {w.emit_value(f'select i1 {inexact}, i64 {b}, i64 0')}")
        return w.emit_value(
            f"add i64 {w.emit_value(f'sdiv i64 {a}, {b}')}, {w.emit_value(f'sext i1 {inexact} to i64')}"
        )

    def evaluate_unary(self, node: ast.UnaryOp) -> Value:
        """Evaluate a unary operation."""
        if isinstance(node.op, ast.Not):
            found = self.evaluate_truth(node.operand)
            return int(not found) if isinstance(found, bool) else LlvmTruth(self.w.emit_value(f"xor i1 {found}, true"))
        value = self.evaluate_number(node.operand)
        if isinstance(value, (int, float)):
            return -value if isinstance(node.op, ast.USub) else ~value  # type: ignore[operator]
        if isinstance(value, Real):
            return Real(self.w.emit_value(f"fneg double {value}"))
        return self.w.emit_value(f"sub i64 0, {value}" if isinstance(node.op, ast.USub) else f"xor i64 {value}, -1")

    def evaluate_comparison(self, node: ast.Compare) -> Value:
        """Evaluate a comparison, perhaps chained."""
        found: Value = 1
        left = self.evaluate(node.left)
        for op, operand in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(operand)
            found = self.conjoin(found, self.compare(type(op), left, right))
            left = right
        return found

    def compare(self, op: type[ast.cmpop], a: Value, b: Value) -> Value:
        """Compare two values."""
        fold, whole, real = COMPARISONS[op]
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            return int(fold(a, b))
        if isinstance(a, LlvmTruth) and b in (0, 1) and op is ast.Eq:
            return a if b == 1 else LlvmTruth(self.w.emit_value(f"xor i1 {a}, true"))
        a, b = (self.w.emit_value(f"zext i1 {x} to i64") if isinstance(x, LlvmTruth) else x for x in (a, b))
        if "double" in (type_of(a), type_of(b)):
            first, second = self.to_real(a), self.to_real(b)
            return LlvmTruth(self.w.emit_value(f"fcmp {real} double {format_operand(first)}, {format_operand(second)}"))
        return LlvmTruth(self.w.emit_value(f"icmp {whole} i64 {a}, {b}"))

    def conjoin(self, a: Value, b: Value) -> Value:
        """Return `a and b` of two truths as an LLVM value, or as 0 or 1 or the other one where one is known."""
        if isinstance(a, int):
            return b if a else 0
        if isinstance(b, int):
            return a if b else 0
        return LlvmTruth(self.w.emit_value(f"select i1 {a}, i1 {b}, i1 false"))

    def evaluate_logic(self, node: ast.BoolOp) -> Value:
        """Evaluate `and` or `or` as a truth; later operands are evaluated only if needed, unless they are harmless."""
        deciding = isinstance(node.op, ast.Or)  # the truth that decides it
        incoming: list[tuple[Value, LlvmBlock]] = []
        out = self.w.new_block()
        for number, operand in enumerate(node.values):
            last = number == len(node.values) - 1
            truth = self.evaluate_truth(operand)
            if isinstance(truth, bool) and truth is not deciding and not last:
                continue
            if last or isinstance(truth, bool):
                return self._join_truths(incoming, _to_text(truth), out) if incoming else _to_value(truth)
            if all(is_harmless(later) for later in node.values[number + 1 :]):
                return self._evaluate_eagerly(node, truth, number, incoming, out)
            next_block = self.w.new_block()
            incoming.append(("true" if deciding else "false", self.w.block))
            self.w.branch(truth, *((out, next_block) if deciding else (next_block, out)))
            self.w.resume(next_block)
        raise AssertionError("an `and` of nothing")

    def _evaluate_eagerly(
        self, node: ast.BoolOp, first: LlvmTruth, number: int, incoming: list[tuple[Value, LlvmBlock]], out: LlvmBlock
    ) -> Value:
        """Evaluate the operands after `number` without branches, and join the result with `incoming` at `out`."""
        result: Value = first
        for later in node.values[number + 1 :]:
            operand = self.evaluate_truth(later)
            if isinstance(node.op, ast.And):
                result = self.conjoin(result, _to_value(operand))
            elif result == 1 or operand is True:
                result = 1
            elif operand is not False:
                result = LlvmTruth(self.w.emit_value(f"select i1 {result}, i1 true, i1 {operand}"))
        return self._join_truths(incoming, _to_text(result), out) if incoming else result

    def _join_truths(self, incoming: list[tuple[Value, LlvmBlock]], last: str, out: LlvmBlock) -> LlvmTruth:
        """Jump to `out` with `last`, and return a truth that joins it with the values from `incoming` blocks."""
        incoming.append((last, self.w.block))
        self.w.jump(out)
        self.w.resume(out)
        phi = self.w.add_phi(out, "i1")
        phi.incoming += incoming
        return LlvmTruth(phi.name)

    def evaluate_conditional(self, node: ast.IfExp) -> Value:
        """Evaluate a conditional expression."""
        test = self.evaluate_truth(node.test)
        if isinstance(test, bool):
            return self.evaluate_number(node.body if test else node.orelse)
        if is_harmless(node.body) and is_harmless(node.orelse):
            values = [self.evaluate_number(node.body), self.evaluate_number(node.orelse)]
            if are_identical(values):
                return values[0]
            type, (first, second) = self.unify_types(values)
            return as_typed_name(
                self.w.emit_value(f"select i1 {test}, {type} {format_operand(first)}, {type} {format_operand(second)}"),
                type,
            )
        return self._branch(test, node)

    def _branch(self, test: LlvmTruth, node: ast.IfExp) -> Value:
        """Emit both arms of a conditional expression in blocks of their own, of which only the chosen one runs."""
        yes, no, out = (self.w.new_block() for _ in range(3))
        self.w.branch(test, yes, no)
        incoming: list[tuple[Value, LlvmBlock]] = []
        for block, arm in ((yes, node.body), (no, node.orelse)):
            self.w.resume(block)
            incoming.append((self.evaluate_number(arm), self.w.block))
        type = "double" if any(type_of(value) == "double" for value, _ in incoming) else "i64"
        for number, (value, block) in enumerate(incoming):
            self.w.resume(block)
            incoming[number] = (self.to_real(value) if type == "double" else value, block)
            self.w.jump(out)
        self.w.resume(out)
        phi = self.w.add_phi(out, type)
        phi.incoming += incoming
        return as_typed_name(phi.name, type)

    def unify_types(self, values: list[Value]) -> tuple[str, list[Value]]:
        """Return the common type of some numbers, and the numbers converted to it."""
        if any(type_of(value) == "double" for value in values):
            return "double", [self.to_real(value) for value in values]
        return "i64", values

    def evaluate_subscript(self, node: ast.Subscript) -> Any:
        """Evaluate a subscript."""
        row = self.evaluate(node.value)
        if isinstance(row, tuple):
            return self.power_exponent(row, node.slice)
        index = self.evaluate_number(node.slice)
        return row.row(self.w, index) if isinstance(row, LlvmRows) else row.load(self.w, index)

    def power_exponent(self, table: tuple[int, ...], index: ast.expr) -> Value:
        """Return n for the power 2 ** n in `MEMBER[power % 67]`, by `cttz`; -1 for 0."""
        if not isinstance(index, ast.BinOp) or not isinstance(index.op, ast.Mod) or len(table) != 67:
            _reject(self, index)
        value = self.evaluate_number(index.left)
        if isinstance(value, int):
            return table[value % 67]
        zeros = self.w.emit_value(f"call i64 @llvm.cttz.i64(i64 {value}, i1 false)")
        return self.w.emit_value(f"select i1 {self.w.emit_value(f'icmp eq i64 {value}, 0')}, i64 -1, i64 {zeros}")

    def evaluate_call(self, node: ast.Call) -> Any:
        """Evaluate a call."""
        if isinstance(node.func, ast.Attribute):
            return METHODS[node.func.attr](self, self.evaluate_number(node.func.value))
        function = self.evaluate(node.func)
        arguments = [self.evaluate(argument) for argument in node.args]
        return self.call_emitter(function)(self, arguments)


@cache
def is_harmless(node: ast.expr) -> bool:
    """Return True if an expression can be evaluated early: it is short and cannot fail."""
    risky = (ast.Subscript, ast.Call, ast.Div, ast.FloorDiv, ast.Mod)
    return not any(isinstance(part, risky) for part in ast.walk(node))


def _to_value(truth: bool | LlvmTruth | Value) -> Value:
    """Return a known truth as 0 or 1; a computed one and a value unchanged."""
    return int(truth) if isinstance(truth, bool) else truth


def _to_text(truth: bool | Value) -> str:
    """Return a truth as LLVM operand: `true`, `false`, or the name of its `i1`."""
    return ("true" if truth else "false") if isinstance(truth, int) else str(truth)


def _reject(_: Evaluator, node: ast.AST) -> NoReturn:
    raise UnsupportedPythonError(ast.dump(node))


def _bit_count(evaluator: Evaluator, value: Value) -> Value:
    """Return the number of 1 bits, as an int if the value is known, else by an instruction."""
    return (
        value.bit_count()
        if isinstance(value, int)
        else evaluator.w.emit_value(f"call i64 @llvm.ctpop.i64(i64 {value})")
    )


def _bit_length(evaluator: Evaluator, value: Value) -> Value:
    """Return `int.bit_length` of a value, as an int if the value is known, else by instructions."""
    if isinstance(value, int):
        return value.bit_length()
    return evaluator.w.emit_value(
        f"sub i64 64, {evaluator.w.emit_value(f'call i64 @llvm.ctlz.i64(i64 {value}, i1 false)')}"
    )


METHODS: dict[str, Callable[[Evaluator, Value], Value]] = {"bit_count": _bit_count, "bit_length": _bit_length}
EXPRESSIONS: dict[type[ast.AST], Callable[[Evaluator, Any], Any]] = {
    ast.Constant: Evaluator.evaluate_constant,
    ast.Name: Evaluator.evaluate_name,
    ast.BinOp: Evaluator.evaluate_binary,
    ast.UnaryOp: Evaluator.evaluate_unary,
    ast.Compare: Evaluator.evaluate_comparison,
    ast.BoolOp: Evaluator.evaluate_logic,
    ast.IfExp: Evaluator.evaluate_conditional,
    ast.Subscript: Evaluator.evaluate_subscript,
    ast.Call: Evaluator.evaluate_call,
}
