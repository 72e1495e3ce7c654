"""Translation of plain Python functions to a module of LLVM; a parameter's annotation says what it is.

    int, float                                 a number
    Sequence[int], MutableSequence[int], Row   a row of i64: its address and length
    MutableSequence[float], Floats             a row of double
    Sequence[Row]                              equal rows of i64, contiguous: address, count, length of each

A function calls others by their names in its module; those are translated with it. Nothing is raised and no index is
checked: the caller is responsible for both.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from edict.runtime.native.evaluating import CallEmitter, Evaluator, UnsupportedPythonError
from edict.runtime.native.llvm_text import METADATA, Real, Value, format_operand, type_of
from edict.runtime.native.rows import WIDE_TYPES, LlvmRow, LlvmRows
from edict.runtime.native.running import StatementTranslator

Function = Callable[..., Any]
RowTypes = tuple[tuple[str, str], ...]  # parameters whose rows have another element type than usual, with that type
INTERNAL = "define internal "  # start of a function that is called only within its module
ROW, FLOATS, ROWS = "Row", "Floats", "Sequence[Row]"
ROW_KINDS = {
    "Sequence[int]": ROW,
    "MutableSequence[int]": ROW,
    "MutableSequence[Any]": ROW,
    "MutableSequence[float]": FLOATS,
}
# LLVM types of a parameter
PARTS = {
    "int": ("i64",),
    "float": ("double",),
    ROW: ("ptr", "i64"),
    FLOATS: ("ptr", "i64"),
    ROWS: ("ptr", "i64", "i64"),
}
DECLARATIONS = (
    "declare i64 @llvm.cttz.i64(i64, i1)",
    "declare i64 @llvm.ctlz.i64(i64, i1)",
    "declare i64 @llvm.ctpop.i64(i64)",
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    "declare double @llvm.sqrt.f64(double)",
    "declare double @llvm.fabs.f64(double)",
    "declare double @log(double)",
    "declare i64 @llvm.smin.i64(i64, i64)",
    "declare i64 @llvm.smax.i64(i64, i64)",
)
# CPython tracks the depth of a tree globally: two threads that parse at once may fail with a `SystemError`.
_PARSING = threading.Lock()


def parse_source(function: Function) -> ast.FunctionDef:
    """Return the syntax tree of a function's source."""
    source = textwrap.dedent(inspect.getsource(function))
    with _PARSING:
        (tree,) = ast.parse(source).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


class FunctionModule:
    """Functions with all they call, as one LLVM module."""

    def __init__(
        self, overrides: Mapping[Function, CallEmitter], llvm_text: str = "", fixed: Sequence[str] = ()
    ) -> None:
        """Create an empty module.

        Args:
            overrides: Emitters for functions that are not translated from their source.
            llvm_text: LLVM text to include.
            fixed: Names of parameters whose rows are not written to while the functions run.
        """
        self.overrides = overrides
        self.fixed = frozenset(fixed)
        self._llvm_text = llvm_text
        self._texts: dict[tuple[Function, RowTypes], str] = {}
        self._packed: dict[tuple[Function, RowTypes], str] = {}  # wrappers of functions that are not exported yet
        self._signatures: dict[Function, tuple[ast.FunctionDef, list[str]]] = {}

    def add(self, function: Function, exported: bool = False, row_types: RowTypes = ()) -> None:
        """Add a function's LLVM text to the module, once; with `exported`, also a wrapper for packed arguments.

        Args:
            function: The function.
            exported: Export it by its name.
            row_types: Element types of its rows.
        """
        key = function, row_types
        if key not in self._texts:
            self._texts[key] = ""  # reserved first, because it may call itself
            translation = _FunctionTranslation(self, function, row_types)
            self._texts[key], self._packed[key] = translation.text(), translation.write_packed_wrapper()
        if exported and key in self._packed:
            self._texts[key] = f"{self._texts[key].replace(INTERNAL, 'define ', 1)}\n{self._packed.pop(key)}"

    def signature(self, function: Function) -> tuple[ast.FunctionDef, list[str]]:
        """Return a function's syntax tree, and each parameter's kind: `int`, or the sort of row."""
        if function not in self._signatures:
            tree = parse_source(function)
            kinds = [ast.unparse(p.annotation) if p.annotation else "int" for p in tree.args.args]
            self._signatures[function] = tree, [ROW_KINDS.get(kind, kind) for kind in kinds]
        return self._signatures[function]

    def call_emitter(self, function: Function) -> CallEmitter:
        """Return the emitter of calls of a function, translating it if needed."""
        if function in self.overrides:
            return self.overrides[function]
        if function in BUILT_IN:
            return BUILT_IN[function]
        return lambda e, arguments: self._emit_call(e, function, arguments)

    def _emit_call(self, evaluator: Evaluator, function: Function, arguments: list[Any]) -> Any:
        """Translate the called function if needed, emit the call, and return its result, or None for void."""
        tree, _ = self.signature(function)
        named = zip((parameter.arg for parameter in tree.args.args), arguments, strict=True)
        rows = ((name, row) for name, row in named if isinstance(row, (LlvmRow, LlvmRows)))
        row_types = tuple((name, row.type) for name, row in rows if row.type not in WIDE_TYPES)
        self.add(function, row_types=row_types)
        parts = ", ".join(part for a in arguments for part in argument_parts(evaluator, a))
        call = f"@{symbol_of(function, row_types)}({parts})"
        kind = result_type(tree)
        if kind == "void":
            evaluator.w.emit(f"call void {call}")
            return None
        result = evaluator.w.emit_value(f"call {kind} {call}")
        return Real(result) if kind == "double" else result

    def texts(self) -> list[str]:
        """Return the LLVM text of each function."""
        return list(self._texts.values())

    def text(self) -> str:
        """Return the LLVM text of the module."""
        return "\n".join([*DECLARATIONS, *METADATA, "!0 = !{}", self._llvm_text, *self._texts.values()])


class _FunctionTranslation(StatementTranslator):
    """The translation of one function."""

    def __init__(self, module: FunctionModule, function: Function, forms: RowTypes) -> None:
        super().__init__(function.__globals__, module.call_emitter)
        self.symbol, self.row_types = symbol_of(function, forms), dict(forms)
        self.tree, kinds = module.signature(function)
        self.parameters: list[str] = []
        for parameter, kind in zip(self.tree.args.args, kinds, strict=True):
            self.env[parameter.arg] = self._bind_parameter(parameter.arg, kind, parameter.arg in module.fixed)
        self.result = result_type(self.tree)

    def _bind_parameter(self, name: str, kind: str, fixed: bool) -> Any:
        """Declare a parameter as LLVM arguments (a row is address and length), and return it as a local value."""
        if kind not in PARTS:
            raise UnsupportedPythonError(f"{name}: {kind}")
        parts = [f"%{name}" if i == 0 else f"%{name}.{i}" for i in range(len(PARTS[kind]))]
        hint = {"ptr": "ptr noalias" if kind != ROWS else "ptr"}
        self.parameters += [f"{hint.get(type, type)} {part}" for type, part in zip(PARTS[kind], parts, strict=True)]
        if kind == ROWS:
            return LlvmRows(parts[0], parts[1], parts[2], self.row_types.get(name, "i64"))
        if kind in (ROW, FLOATS):
            return LlvmRow(parts[0], parts[1], self.row_types.get(name, "i64" if kind == ROW else "double"), fixed)
        return parts[0] if kind == "int" else Real(parts[0])

    def text(self) -> str:
        """Translate the body, and return the LLVM text of the function, which returns 0 or nothing at its end."""
        for way in self.translate_all(self.tree.body):
            self.resume_at(way)
            self.w.terminate("ret void" if self.result == "void" else f"ret {self.result} 0")
        head = f"{INTERNAL}{self.result} @{self.symbol}({', '.join(self.parameters)}) nounwind"
        return self.w.text(head)

    def write_packed_wrapper(self) -> str:
        """Return the LLVM text of a wrapper that loads all arguments from one address, 8 bytes each."""
        types = [parameter.split(" ", 1)[0] for parameter in self.parameters]
        lines = [f"define i64 @{get_packed_symbol(self.symbol)}(ptr %packed) nounwind {{"]
        for i, type in enumerate(types):
            lines += [f"  %at.{i} = getelementptr i64, ptr %packed, i64 {i}", f"  %a.{i} = load {type}, ptr %at.{i}"]
        call = f"@{self.symbol}({', '.join(f'{type} %a.{i}' for i, type in enumerate(types))})"
        if self.result == "i64":
            return "\n".join([*lines, f"  %found = call i64 {call}", "  ret i64 %found", "}", ""])
        return "\n".join([*lines, f"  call {self.result} {call}", "  ret i64 0", "}", ""])

    def emit_return(self, value: Value | None) -> None:
        """End the block with a return of a value, converted to the result type, or of nothing for None."""
        if value is None:
            self.w.terminate("ret void")
        else:
            self.w.terminate(
                f"ret {self.result} {format_operand(self.to_real(value) if self.result == 'double' else value)}"
            )


def symbol_of(function: Function, row_types: RowTypes = ()) -> str:
    """Return the quoted LLVM symbol of a function."""
    return (
        f'"{".".join([function.__module__.rpartition(".")[2], function.__name__, *(type for _, type in row_types)])}"'
    )


def get_packed_symbol(symbol: str) -> str:
    """Return the symbol of its wrapper for packed arguments."""
    return f'"{symbol.strip(chr(34))}.packed"'


def result_type(tree: ast.FunctionDef) -> str:
    """Return the LLVM type of a function's result."""
    return {"None": "void", "float": "double"}.get(ast.unparse(tree.returns) if tree.returns else "None", "i64")


def argument_parts(evaluator: Evaluator, argument: Any) -> list[str]:
    """Return an argument as typed LLVM operands: a row as address and length, rows as address, count and width."""
    match argument:
        case LlvmRow():
            return [f"ptr {argument.address}", f"i64 {argument.length}"]
        case LlvmRows():
            return [f"ptr {argument.address}", f"i64 {argument.count}", f"i64 {argument.width}"]
    if type_of(argument) == "i1":
        argument = evaluator.w.emit_value(f"zext i1 {argument} to i64")
    return [f"{type_of(argument)} {format_operand(argument)}"]


# --- built-in functions ----------------------------------------------------------------------------


def _emit_len(evaluator: Evaluator, arguments: list[Any]) -> Value:
    """Return the length of a row, or the number of rows, for a call of `len`."""
    (row,) = arguments
    return row.count if isinstance(row, LlvmRows) else row.length


def _extremum_emitter(comparison: type[ast.cmpop]) -> CallEmitter:
    """Return the emitter of `min` or `max` of two values, which picks the first if `comparison` holds."""

    def call(e: Evaluator, arguments: list[Any]) -> Value:
        """Return the first argument if it compares so to the second, else the second; as a number if both are known."""
        type, (a, b) = e.unify_types(arguments)
        test = e.compare(comparison, a, b)
        if isinstance(test, int):
            return a if test else b
        selected = e.w.emit_value(f"select i1 {test}, {type} {format_operand(a)}, {type} {format_operand(b)}")
        return Real(selected) if type == "double" else selected

    return call


def _real_emitter(instruction: str) -> CallEmitter:
    """Return the emitter of a function of one double, like `log`, that is called by the name `instruction`."""
    return lambda e, a: Real(e.w.emit_value(f"call double @{instruction}(double {format_operand(e.to_real(a[0]))})"))


def _emit_int(evaluator: Evaluator, arguments: list[Any]) -> Value:
    """Return a value as an integer for a call of `int`; a double is cut off toward 0."""
    (value,) = arguments
    return evaluator.w.emit_value(f"fptosi double {value} to i64") if isinstance(value, Real) else int(value)


BUILT_IN: dict[Function, CallEmitter] = {
    len: _emit_len,
    max: _extremum_emitter(ast.Gt),
    min: _extremum_emitter(ast.Lt),
    int: _emit_int,
    abs: _real_emitter("llvm.fabs.f64"),
    math.sqrt: _real_emitter("llvm.sqrt.f64"),
    math.log: _real_emitter("log"),
}
