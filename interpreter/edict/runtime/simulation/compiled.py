"""The machine's own functions as native code, by the very source that CPython runs. Needs llvmlite.

All of them are compiled together, in a second, and kept in the user's cache. Import this through `native` only.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from edict.runtime.machine import loop
from edict.runtime.machine.translation import EVENTS, PLAY, RUN, code_folder
from edict.runtime.native import assembling
from edict.runtime.native.evaluating import Evaluator
from edict.runtime.native.functions import Forms, Function, FunctionModule, name_of
from edict.runtime.native.library import Bound, Library
from edict.runtime.native.llvm_text import Pointer
from edict.runtime.native.programs import LEFT
from edict.runtime.native.rows import Row, Rows
from edict.runtime.program import digest
from edict.runtime.program.opcodes import LOGGING
from edict.runtime.simulation import (
    batches,
    determinization,
    information_sets,
    ismcts,
    policies,
    resampling,
    sampling,
    stepping,
)
from edict.support import kept_files

OFFERED: tuple[Function, ...] = (
    loop.run,
    ismcts.grow,
    ismcts.tried,
    batches.random_games,
    batches.games,
    batches.think,
    policies.choose,
    sampling.samples,
    batches.counted_games,
    batches.pairs,
    batches.step,
    batches.copies,
    sampling.records,
    stepping.begun,
    stepping.step,
    stepping.drawn,
    stepping.branched,
    stepping.scored,
    information_sets.mark_events,
    determinization.settled,
    resampling.shuffled,
)
# Nobody writes to these rows meanwhile.
FIXED = (
    "code",
    "plan",
    "flat",
    "other_flat",
    "keys",
    "groups",
    "reads",
    "acts",
    "outside",
    "which",
    "facts",
    "true",
    "marks",
)
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
    policies.row: _row,
    policies.rest: _rest,
    policies.copied: _copied,
    loop.run: _run,
    batches.played: _played,
}
# Before a program's code stands where its translation begins, or 0, each in a cell; see `machine.translation`.
BY_HAND = f"""
define internal i64 @machine.run(ptr %code, i64 %code.n, ptr noalias %s, i64 %s.n, ptr noalias %log, i64 %log.n) {{
  %logging.p = getelementptr i64, ptr %s, i64 {LOGGING}
  %logging = load i64, ptr %logging.p
  %quiet = icmp eq i64 %logging, 0
  %which = select i1 %quiet, i64 {RUN}, i64 {EVENTS}
  %run.p = getelementptr i64, ptr %code, i64 %which
  %run.at = load i64, ptr %run.p
  %none = icmp eq i64 %run.at, 0
  br i1 %none, label %slow, label %fast
fast:
  %run = inttoptr i64 %run.at to ptr
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
  %play.p = getelementptr i64, ptr %code, i64 {PLAY}
  %play.at = load i64, ptr %play.p
  %none = icmp eq i64 %play.at, 0
  br i1 %none, label %done, label %fast
fast:
  %play = inttoptr i64 %play.at to ptr
  %status = call i64 %play(ptr %s, i64 %seed, ptr %asked)
  br label %done
done:
  %count = load i64, ptr %asked
  ret i64 %count
}}
"""


def machine_module() -> FunctionModule:
    """The functions, to be compiled for here or for elsewhere."""
    return FunctionModule(INSTEAD, BY_HAND, FIXED)


def add_offered(module: FunctionModule) -> None:
    """Put what is `OFFERED` into it."""
    for function in OFFERED:
        module.add(function, outside=True)


@cache
def compiled() -> Library:
    """The functions, compiled now or before."""
    module = machine_module()
    name = f"{code_folder('simulation')}/machine-{digest(str(assembling.this_computer()))}"
    return Library(module, kept_files.made(name, partial(_made, module)))


def _made(module: FunctionModule) -> bytes:
    add_offered(module)
    for type in SEEN.values():
        module.add(stepping.look, outside=True, forms=_seen(type))
        module.add(stepping.seen_by, outside=True, forms=_view(type))
    return assembling.object_code(module.text(), quick=False)


@cache
def faster(function: Function) -> Callable[..., Any]:
    """One of the functions as native code."""
    return compiled().function(function)


def bound(function: Function, *arguments: Any, kind: str = "", alone: bool = False) -> Bound:
    """One of the functions with its arguments; see `Library.bound`. kind: the type of NumPy's, one of `SEEN`, that
    observations have, for the functions that write some."""
    forms: Forms = ()
    if kind:
        forms = _seen(SEEN[kind]) if function is stepping.look else _view(SEEN[kind])
    return compiled().bound(function, *arguments, forms=forms, alone=alone)


@cache
def seeing(kind: str) -> Callable[..., Any]:
    """`stepping.seen_by` for observations of a type of NumPy's, one of `SEEN`."""
    return compiled().function(stepping.seen_by, _view(SEEN[kind]))


def _seen(type: str) -> Forms:
    return (("masks", "i8"), ("seen", type))


def _view(type: str) -> Forms:
    return (("view", type),)
