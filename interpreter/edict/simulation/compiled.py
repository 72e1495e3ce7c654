"""The machine's own functions as native code, by the very source that CPython runs. Needs llvmlite.

All of them are compiled together, in a second, and kept in the user's cache. Import this through `native` only.
"""

from __future__ import annotations

import ast
import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from edict import kept_files
from edict.machine import loop
from edict.machine.playable import EVENTS, PLAY, RUN
from edict.machine.source import code_folder
from edict.native import assembling
from edict.native.evaluating import Evaluator
from edict.native.functions import FLOATS, ROWS, Forms, Function, Module, name_of, result_of
from edict.native.functions import ROW as ONE_ROW
from edict.native.programs import LEFT
from edict.native.rows import Row, Rows
from edict.native.writing import Pointer
from edict.program import digest
from edict.program.opcodes import LOGGING
from edict.simulation import batches, determinization, information_sets, policies, resampling, stepped

OFFERED: tuple[Function, ...] = (
    loop.run, batches.grow, batches.random_games, batches.games, batches.think, batches.samples, batches.counted_games,
    batches.pairs, batches.step, batches.copies, batches.records, stepped.begun, stepped.step, stepped.drawn,
    information_sets.marked, determinization.settled, resampling.shuffled,
)  # fmt: skip
# Nobody writes to these rows meanwhile.
FIXED = ("code", "plan", "flat", "other_flat", "reads", "firsts", "seated", "outside", "facts", "true", "marks")

# What a seat sees may be of any of these types.
SEEN = {"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "float32": "float", "float64": "double"}

# --- what is done in its own way: rows, and programs that have been translated -----------------------------


def _row(e: Evaluator, arguments: list[Any]) -> Row:
    rows, number = arguments
    return rows.row(e.w, number)  # type: ignore[no-any-return]


def _rest(e: Evaluator, arguments: list[Any]) -> Rows:
    rows, first = arguments
    return Rows(rows.row(e.w, first).address, e.calculated(ast.Sub, rows.count, first), rows.width)


def _copied(e: Evaluator, arguments: list[Any]) -> None:
    target, source = arguments
    size = e.calculated(ast.Mult, source.length, 8)
    e.w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target.address}, ptr {source.address}, i64 {size}, i1 false)")


def _run(e: Evaluator, arguments: list[Any]) -> str:
    code, s, log = arguments
    rows = ", ".join(f"ptr {row.address}, i64 {row.length}" for row in (code, s, log))
    return e.w.op(f"call i64 @machine.run({rows})")


def _played(e: Evaluator, arguments: list[Any]) -> str:
    code, s, seed = arguments
    return e.w.op(f"call i64 @machine.played(ptr {Pointer(code.address)}, ptr {s.address}, i64 {seed})")


INSTEAD: dict[Function, Any] = {
    policies.row: _row, policies.rest: _rest, policies.copied: _copied, loop.run: _run, batches.played: _played,
}  # fmt: skip

# Before a program's code stand the addresses of its translation, or 0; see `playable`.
BY_HAND = f"""
define internal i64 @machine.run(ptr %code, i64 %code.n, ptr noalias %s, i64 %s.n, ptr noalias %log, i64 %log.n) {{
  %logging.p = getelementptr i64, ptr %s, i64 {LOGGING}
  %logging = load i64, ptr %logging.p
  %quiet = icmp eq i64 %logging, 0
  %which = select i1 %quiet, i64 {RUN}, i64 {EVENTS}
  %run.p = getelementptr ptr, ptr %code, i64 %which
  %run = load ptr, ptr %run.p
  %none = icmp eq ptr %run, null
  br i1 %none, label %slow, label %fast
fast:
  %status = call i64 %run(ptr %s, ptr %log, i64 %log.n)
  %left = icmp eq i64 %status, {LEFT}
  br i1 %left, label %slow, label %done
done:
  ret i64 %status
slow:
  %by.loop = call i64 @{name_of(loop.run)}(ptr %code, i64 %code.n, ptr %s, i64 %s.n, ptr %log, i64 %log.n)
  ret i64 %by.loop
}}

define internal i64 @machine.played(ptr %code, ptr noalias %s, i64 %seed) {{
  %asked = alloca i64
  store i64 0, ptr %asked
  %play.p = getelementptr ptr, ptr %code, i64 {PLAY}
  %play = load ptr, ptr %play.p
  %none = icmp eq ptr %play, null
  br i1 %none, label %done, label %fast
fast:
  %status = call i64 %play(ptr %s, i64 %seed, ptr %asked)
  br label %done
done:
  %count = load i64, ptr %asked
  ret i64 %count
}}
"""


class Compiled:
    """Native code of the machine in this process."""

    def __init__(self) -> None:
        self._module = Module(INSTEAD, BY_HAND, FIXED)
        self._code = assembling.Loaded(self._object())

    def _object(self) -> bytes:
        return kept_files.made(f"{code_folder('simulation')}/machine-{digest(assembling.target())}", self._made)

    def _made(self) -> bytes:
        for function in OFFERED:
            self._module.add(function, outside=True)
        for type in SEEN.values():
            self._module.add(stepped.look, outside=True, forms=_seen(type))
        return assembling.object_code(self._module.text(), quick=False)

    def function(self, function: Function, forms: Forms = ()) -> Callable[..., Any]:
        """A function of those offered, to be called with arrays in the place of rows."""
        tree, kinds = self._module.signature(function)
        types = [type for kind in kinds for type in TYPES.get(kind, (ctypes.c_int64,))]
        result = None if result_of(tree) == "void" else ctypes.c_int64
        called: Any = ctypes.CFUNCTYPE(result, *types)(self._code.address(name_of(function, forms).strip('"')))
        called.code = self._code  # which must live as long as anybody can call it

        def call(*arguments: Any) -> Any:
            return called(*(part for kind, value in zip(kinds, arguments, strict=True) for part in _parts(kind, value)))

        return call


_ROW = (ctypes.c_void_p, ctypes.c_int64)
TYPES = {ONE_ROW: _ROW, FLOATS: _ROW, ROWS: (*_ROW, ctypes.c_int64)}


def _parts(kind: str, value: Any) -> tuple[int, ...]:
    if kind not in TYPES:
        return (value,)
    assert value.flags.c_contiguous
    return (value.ctypes.data, *value.shape)


@cache
def compiled() -> Compiled:
    """The machine's functions, compiled now or before."""
    return Compiled()


@cache
def faster(function: Function) -> Callable[..., Any]:
    """A function of the machine as native code."""
    return compiled().function(function)


def looking(kind: str) -> Callable[..., Any]:
    """`stepped.look` for observations of a type of NumPy's, one of `SEEN`."""
    return _looking(SEEN[kind])


@cache
def _looking(type: str) -> Callable[..., Any]:
    return compiled().function(stepped.look, _seen(type))


def _seen(type: str) -> Forms:
    return (("masks", "i8"), ("seen", type))
