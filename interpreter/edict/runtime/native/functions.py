"""Functions of plain Python as a module of LLVM: what a parameter is stands in its annotation.

    int, float                                 a number
    Sequence[int], MutableSequence[int], Row   a row of i64: where it lies, and how many there are
    MutableSequence[float], Floats             a row of double
    Sequence[Row]                              equal rows of i64, one behind the other: where, how many, how long

A function calls others by their names in its module; those are translated with it. Nothing is raised, and no index is
looked at: who calls such a function answers for both.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from edict.runtime.native.evaluating import Call, Evaluator, NotPlain
from edict.runtime.native.llvm_text import METADATA, Real, Value, type_of, written
from edict.runtime.native.rows import WIDE, Row, Rows
from edict.runtime.native.running import Runner

Function = Callable[..., Any]
Forms = tuple[tuple[str, str], ...]  # parameters whose rows are of another type than usual, and of which
INTERNAL = "define internal "  # how a function begins that is called by others of its module alone
ROW, FLOATS, ROWS = "Row", "Floats", "Sequence[Row]"
KINDS = {
    "Sequence[int]": ROW,
    "MutableSequence[int]": ROW,
    "MutableSequence[Any]": ROW,
    "MutableSequence[float]": FLOATS,
}
PARTS = {
    "int": ("i64",),
    "float": ("double",),
    ROW: ("ptr", "i64"),
    FLOATS: ("ptr", "i64"),
    ROWS: ("ptr", "i64", "i64"),
}
DECLARED = (
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
# CPython counts the depth of a tree once for all threads: two that parse at a time may fail with a `SystemError`.
_PARSING = threading.Lock()


def source_of(function: Function) -> ast.FunctionDef:
    """A function's source as a tree."""
    source = textwrap.dedent(inspect.getsource(function))
    with _PARSING:
        (found,) = ast.parse(source).body
    assert isinstance(found, ast.FunctionDef)
    return found


class FunctionModule:
    """Functions, and all they call. `instead`: how some functions are called, in the place of their own source;
    `fixed`: parameters, by name, whose rows nobody writes to meanwhile."""

    def __init__(self, instead: Mapping[Function, Call], written_by_hand: str = "", fixed: Sequence[str] = ()) -> None:
        self.instead = instead
        self.fixed = frozenset(fixed)
        self._by_hand = written_by_hand
        self._texts: dict[tuple[Function, Forms], str] = {}
        self._packed: dict[tuple[Function, Forms], str] = {}  # of those that nobody calls from outside yet
        self._signatures: dict[Function, tuple[ast.FunctionDef, list[str]]] = {}

    def add(self, function: Function, outside: bool = False, forms: Forms = ()) -> None:
        """Translate a function, if that was not done yet; `outside`: it can be called from elsewhere, by its name."""
        key = function, forms
        if key not in self._texts:
            self._texts[key] = ""  # it may call itself
            made = _Translated(self, function, forms)
            self._texts[key], self._packed[key] = made.text(), made.packed()
        if outside and key in self._packed:
            self._texts[key] = f"{self._texts[key].replace(INTERNAL, 'define ', 1)}\n{self._packed.pop(key)}"

    def signature(self, function: Function) -> tuple[ast.FunctionDef, list[str]]:
        """Its tree, and what each parameter is."""
        if function not in self._signatures:
            tree = source_of(function)
            kinds = [ast.unparse(p.annotation) if p.annotation else "int" for p in tree.args.args]
            self._signatures[function] = tree, [KINDS.get(kind, kind) for kind in kinds]
        return self._signatures[function]

    def called(self, function: Function) -> Call:
        if function in self.instead:
            return self.instead[function]
        if function in BUILT_IN:
            return BUILT_IN[function]
        return lambda e, arguments: self._call(e, function, arguments)

    def _call(self, e: Evaluator, function: Function, arguments: list[Any]) -> Any:
        tree, _ = self.signature(function)
        named = zip((parameter.arg for parameter in tree.args.args), arguments, strict=True)
        rows = ((name, row) for name, row in named if isinstance(row, (Row, Rows)))
        forms = tuple((name, row.type) for name, row in rows if row.type not in WIDE)
        self.add(function, forms=forms)
        called = f"@{name_of(function, forms)}({', '.join(part for a in arguments for part in parts_of(e, a))})"
        kind = result_of(tree)
        if kind == "void":
            e.w.do(f"call void {called}")
            return None
        found = e.w.op(f"call {kind} {called}")
        return Real(found) if kind == "double" else found

    def texts(self) -> list[str]:
        """The functions themselves."""
        return list(self._texts.values())

    def text(self) -> str:
        return "\n".join([*DECLARED, *METADATA, "!0 = !{}", self._by_hand, *self._texts.values()])


class _Translated(Runner):
    """One function of a module."""

    def __init__(self, module: FunctionModule, function: Function, forms: Forms) -> None:
        super().__init__(function.__globals__, module.called)
        self.symbol, self.forms = name_of(function, forms), dict(forms)
        self.tree, kinds = module.signature(function)
        self.parameters: list[str] = []
        for parameter, kind in zip(self.tree.args.args, kinds, strict=True):
            self.env[parameter.arg] = self._parameter(parameter.arg, kind, parameter.arg in module.fixed)
        self.result = result_of(self.tree)

    def _parameter(self, name: str, kind: str, fixed: bool) -> Any:
        if kind not in PARTS:
            raise NotPlain(f"{name}: {kind}")
        parts = [f"%{name}" if i == 0 else f"%{name}.{i}" for i in range(len(PARTS[kind]))]
        hint = {"ptr": "ptr noalias" if kind != ROWS else "ptr"}
        self.parameters += [f"{hint.get(type, type)} {part}" for type, part in zip(PARTS[kind], parts, strict=True)]
        if kind == ROWS:
            return Rows(parts[0], parts[1], parts[2], self.forms.get(name, "i64"))
        if kind in (ROW, FLOATS):
            return Row(parts[0], parts[1], self.forms.get(name, "i64" if kind == ROW else "double"), fixed)
        return parts[0] if kind == "int" else Real(parts[0])

    def text(self) -> str:
        for way in self.sequence(self.tree.body):
            self.take(way)
            self.w.end("ret void" if self.result == "void" else f"ret {self.result} 0")
        head = f"{INTERNAL}{self.result} @{self.symbol}({', '.join(self.parameters)}) nounwind"
        return self.w.text(head)

    def packed(self) -> str:
        """The same function for arguments that lie one behind the other, of which it takes the first one's address."""
        types = [parameter.split(" ", 1)[0] for parameter in self.parameters]
        lines = [f"define i64 @{packed_name(self.symbol)}(ptr %packed) nounwind {{"]
        for i, type in enumerate(types):
            lines += [f"  %at.{i} = getelementptr i64, ptr %packed, i64 {i}", f"  %a.{i} = load {type}, ptr %at.{i}"]
        called = f"@{self.symbol}({', '.join(f'{type} %a.{i}' for i, type in enumerate(types))})"
        if self.result == "i64":
            return "\n".join([*lines, f"  %found = call i64 {called}", "  ret i64 %found", "}", ""])
        return "\n".join([*lines, f"  call {self.result} {called}", "  ret i64 0", "}", ""])

    def returning(self, value: Value | None) -> None:
        if value is None:
            self.w.end("ret void")
        else:
            self.w.end(f"ret {self.result} {written(self.real(value) if self.result == 'double' else value)}")


def name_of(function: Function, forms: Forms = ()) -> str:
    return f'"{".".join([function.__module__.rpartition(".")[2], function.__name__, *(type for _, type in forms)])}"'


def packed_name(symbol: str) -> str:
    return f'"{symbol.strip(chr(34))}.packed"'


def result_of(tree: ast.FunctionDef) -> str:
    return {"None": "void", "float": "double"}.get(ast.unparse(tree.returns) if tree.returns else "None", "i64")


def parts_of(e: Evaluator, argument: Any) -> list[str]:
    """An argument as LLVM takes it: a row is its address and length."""
    match argument:
        case Row():
            return [f"ptr {argument.address}", f"i64 {argument.length}"]
        case Rows():
            return [f"ptr {argument.address}", f"i64 {argument.count}", f"i64 {argument.width}"]
    if type_of(argument) == "i1":
        argument = e.w.op(f"zext i1 {argument} to i64")
    return [f"{type_of(argument)} {written(argument)}"]


# --- what Python brings ----------------------------------------------------------------------------


def _len(e: Evaluator, arguments: list[Any]) -> Value:
    (row,) = arguments
    return row.count if isinstance(row, Rows) else row.length


def _extreme(comparison: type[ast.cmpop]) -> Call:
    def call(e: Evaluator, arguments: list[Any]) -> Value:
        type, (a, b) = e.alike(arguments)
        test = e.compared(comparison, a, b)
        if isinstance(test, int):
            return a if test else b
        found = e.w.op(f"select i1 {test}, {type} {written(a)}, {type} {written(b)}")
        return Real(found) if type == "double" else found

    return call


def _of_real(instruction: str) -> Call:
    return lambda e, a: Real(e.w.op(f"call double @{instruction}(double {written(e.real(a[0]))})"))


def _int(e: Evaluator, arguments: list[Any]) -> Value:
    (value,) = arguments
    return e.w.op(f"fptosi double {value} to i64") if isinstance(value, Real) else int(value)


BUILT_IN: dict[Function, Call] = {
    len: _len,
    max: _extreme(ast.Gt),
    min: _extreme(ast.Lt),
    int: _int,
    abs: _of_real("llvm.fabs.f64"),
    math.sqrt: _of_real("llvm.sqrt.f64"),
    math.log: _of_real("log"),
}
