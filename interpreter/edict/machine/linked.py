"""The machine's loop behind one address, for native code that calls it from many places.

Numba builds whatever a function calls into the function itself, and the loop is large: compiled into each policy, it
would take minutes. Known to the linker by a name, it is compiled once. Import this by way of `native.thinking` only.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from edict.machine.cells import Cells
from edict.machine.compiled import run as loop
from edict.machine.keeping import native, native_callback

SYMBOL = "edict_machine_run"
SIGNATURE = types.int64(*[types.int64] * 6)


@intrinsic
def _address(context: Any, row: Any) -> Any:
    """Where a row's cells lie."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        return builder.ptrtoint(made.data, ir.IntType(64))

    return types.int64(row), code


def _at(fixed: bool) -> Any:
    def cells_at(context: Any, address: Any, length: Any) -> Any:
        kind = Cells(fixed)

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.data = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
            made.length = args[1]
            return made._getvalue()

        return kind(types.int64, types.int64), code

    return intrinsic(cells_at)


_cells_at, _fixed_cells_at = _at(fixed=False), _at(fixed=True)


@native_callback(SIGNATURE)
def _run_at(code: Any, size: Any, s: Any, s_size: Any, log: Any, log_size: Any) -> Any:
    return loop(_fixed_cells_at(code, size), _cells_at(s, s_size), _cells_at(log, log_size))


binding.add_symbol(SYMBOL, _run_at.address)
_linked = types.ExternalFunction(SYMBOL, SIGNATURE)


@native
def run(code: Any, s: Any, log: Any) -> Any:
    """`loop.run`, called by its name."""
    return _linked(_address(code), len(code), _address(s), len(s), _address(log), len(log))
