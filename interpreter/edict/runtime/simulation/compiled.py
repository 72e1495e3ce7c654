"""The machine's own functions as native code, compiled from the very source that CPython runs. Needs llvmlite.

All of them are compiled together, in a second, and stored in the user's cache. Import this through `native` only.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

from edict.runtime.machine import loop
from edict.runtime.machine.translation import EVENTS, PLAY, RUN, code_folder
from edict.runtime.native import assembling
from edict.runtime.native.evaluating import Evaluator
from edict.runtime.native.functions import Function, FunctionModule, RowTypes, symbol_of
from edict.runtime.native.library import BoundFunction, Library
from edict.runtime.native.llvm_text import Pointer
from edict.runtime.native.programs import LEFT
from edict.runtime.native.rows import LlvmRow, LlvmRows
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
from edict.support import signed_cache

EXPORTED_FUNCTIONS: tuple[Function, ...] = (
    loop.run,
    ismcts.grow,
    ismcts.write_visits,
    batches.random_games,
    batches.games,
    batches.think,
    policies.choose,
    policies.restrict_options,
    sampling.sample_games,
    batches.counted_games,
    batches.sum_pair_measures,
    batches.step,
    batches.benchmark_copies,
    sampling.record_games,
    stepping.begin_games,
    stepping.step,
    stepping.draw_actions,
    stepping.apply_action_into,
    stepping.compute_scores,
    information_sets.mark_events,
    determinization.determinize,
    resampling.shuffle_course,
)
# functions that write observations, exported for each type of them
OBSERVING_FUNCTIONS: tuple[Function, ...] = (stepping.look, stepping.observe_states, stepping.write_observation)
# The functions declare these rows invariant, so no function may write to a parameter of such a name.
# names of parameters whose rows nobody writes to while the functions run
READ_ONLY_PARAMETERS = (
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
# Observations may be of any of these types.
# LLVM types of observations by NumPy's names
OBSERVATION_TYPES = {
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "float32": "float",
    "float64": "double",
}

# --- functions with emitters of their own: rows, and programs that have been translated ---------------------


def _emit_row(evaluator: Evaluator, arguments: list[Any]) -> LlvmRow:
    """Return row `number` of rows, for a call of `get_row`."""
    rows, number = arguments
    return rows.row(evaluator.w, number)  # type: ignore[no-any-return]


def _emit_rows_from(evaluator: Evaluator, arguments: list[Any]) -> LlvmRows:
    """Return the rows from number `first` to the end, for a call of `rows_from`."""
    rows, first = arguments
    return LlvmRows(rows.row(evaluator.w, first).address, evaluator.calculate(ast.Sub, rows.count, first), rows.width)


def _emit_copy(evaluator: Evaluator, arguments: list[Any]) -> None:
    """Emit a copy of a state into another row of the same length, for a call of `copy_into`."""
    target, source = arguments
    size = evaluator.calculate(ast.Mult, source.length, 8)
    evaluator.w.emit(
        f"call void @llvm.memcpy.p0.p0.i64(ptr {target.address}, ptr {source.address}, i64 {size}, i1 false)"
    )


def _emit_run(evaluator: Evaluator, arguments: list[Any]) -> str:
    """Emit a call of the machine on code, state and log, and return its status."""
    code, state, log = arguments
    rows = ", ".join(f"ptr {row.address}, i64 {row.length}" for row in (code, state, log))
    return evaluator.w.emit_value(f"call i64 @machine.run({rows})")


def _emit_play(evaluator: Evaluator, arguments: list[Any]) -> str:
    """Emit a call of the machine that answers questions at random from `seed`, and return its result."""
    code, state, seed = arguments
    return evaluator.w.emit_value(
        f"call i64 @machine.played(ptr {Pointer(code.address)}, ptr {state.address}, i64 {seed})"
    )


CALL_EMITTERS: dict[Function, Any] = {
    policies.get_row: _emit_row,
    policies.rows_from: _emit_rows_from,
    policies.copy_into: _emit_copy,
    loop.run: _emit_run,
    batches.play_translated: _emit_play,
}
# The cells before a program's code hold the addresses of its translation, or 0; see `machine.translation`.
HANDWRITTEN_LLVM = f"""
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
  %by.loop = call i64 @{symbol_of(loop.run)}(ptr %code, i64 %code.n, ptr %s, i64 %s.n, ptr %log, i64 %log.n)
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


def create_machine_module() -> FunctionModule:
    """Create an empty module for the functions, to be compiled for any target."""
    return FunctionModule(CALL_EMITTERS, HANDWRITTEN_LLVM, READ_ONLY_PARAMETERS)


def add_exported_functions(module: FunctionModule) -> None:
    """Add the exported functions to a module."""
    for function in EXPORTED_FUNCTIONS:
        module.add(function, exported=True)


@cache
def load_library() -> Library:
    """Return the compiled functions, from the cache or compiled now."""
    module = create_machine_module()
    name = f"{code_folder('simulation')}/machine-{digest(str(assembling.host_target()))}"
    return Library(module, signed_cache.get_or_create(name, partial(_compile_library, module)))


def _compile_library(module: FunctionModule) -> bytes:
    """Compile the exported functions, and those that write observations for each type, to object code."""
    add_exported_functions(module)
    for type in OBSERVATION_TYPES.values():
        for function in OBSERVING_FUNCTIONS:
            module.add(function, exported=True, row_types=_get_row_types(function, type))
    target = replace(assembling.host_target(), vectors=True)  # for the sums of networks; programs have no such loops
    return assembling.compile_object(module.text(), quick=False, target=target)


@cache
def native_function(function: Function) -> Callable[..., Any]:
    """Return one of the functions as native code."""
    return load_library().function(function)


def bind_function(function: Function, *arguments: Any, kind: str = "", hold_gil: bool = False) -> BoundFunction:
    """Bind a function to its arguments, see `Library.bind`.

    Args:
        function: One of the functions.
        *arguments: Its arguments.
        kind: NumPy's name for the type of observations, for functions that write some; a key of `OBSERVATION_TYPES`.
        hold_gil: Keep Python's global lock during the call.
    """
    row_types = _get_row_types(function, OBSERVATION_TYPES[kind]) if kind else ()
    return load_library().bind(function, *arguments, row_types=row_types, hold_gil=hold_gil)


@cache
def get_state_observer(kind: str) -> Callable[..., Any]:
    """Return `stepping.observe_states` for a type of observations, one of `OBSERVATION_TYPES`."""
    row_types = _get_row_types(stepping.observe_states, OBSERVATION_TYPES[kind])
    return load_library().function(stepping.observe_states, row_types)


def _get_row_types(function: Function, type: str) -> RowTypes:
    """Return the LLVM types of the rows of an observing function that are not of int64."""
    return (("masks", "i8"), ("seen", type)) if function is stepping.look else (("seen", type),)
