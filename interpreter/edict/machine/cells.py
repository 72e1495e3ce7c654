"""Rows of integers for native code, read and written without a thought to Python's negative indexes.

Numba lets `a[-1]` be the last cell, and so asks at every access whether the index is negative. The machine never
counts from the end, and asks often: without that question it is half as fast again (docs/performance.md).
`cells(array)` gives native code the same memory under another type; the array itself must be kept by the
caller for as long as it is used. Only `row[i]`, `row[i] = v` and `len(row)` are known; an index out of the row is the
caller's mistake and nobody notices.

Import this by way of `native.compiled` only: it needs Numba.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, overload, register_model
from numba.np.arrayobj import make_array


class Cells(types.Type):
    """A row of int64. What is `fixed` is never written while the function runs, and may be read ahead of time."""

    def __init__(self, fixed: bool) -> None:
        self.fixed = fixed
        super().__init__(name=f"Cells(fixed={fixed})")


@register_model(Cells)
class _Model(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [("data", types.CPointer(types.int64)), ("length", types.intp)])


def _maker(fixed: bool) -> Any:
    def cells(context: Any, array: Any) -> Any:
        kind = Cells(fixed)

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            given = make_array(signature.args[0])(context, builder, args[0])
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.data, made.length = given.data, given.nitems
            return made._getvalue()

        return kind(array), code

    return intrinsic(cells)


cells = _maker(fixed=False)
"""The same memory as a contiguous int64 array's."""

fixed_cells = _maker(fixed=True)
"""Likewise, of an array that nobody writes to meanwhile: a program's code."""


@intrinsic
def _load(context: Any, row: Any, index: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.gep(_struct(context, builder, signature, args).data, [args[1]])
        found = builder.load(place)
        if signature.args[0].fixed:
            found.set_metadata("invariant.load", builder.module.add_metadata([]))
        return found

    return types.int64(row, types.int64), code


@intrinsic
def _store(context: Any, row: Any, index: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], builder.gep(_struct(context, builder, signature, args).data, [args[1]]))
        return ir.Constant(ir.IntType(8).as_pointer(), None)

    return types.void(row, types.int64, types.int64), code


@intrinsic
def _length(context: Any, row: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _struct(context, builder, signature, args).length

    return types.intp(row), code


def _struct(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])


@overload(operator.getitem, strict=False)
def _get(row: Any, index: Any) -> Any:
    if isinstance(row, Cells) and isinstance(index, types.Integer):
        return lambda row, index: _load(row, index)
    return None


@overload(operator.setitem, strict=False)
def _set(row: Any, index: Any, value: Any) -> Any:
    if isinstance(row, Cells):
        return lambda row, index, value: _store(row, index, value)
    return None


@overload(len, strict=False)
def _len(row: Any) -> Any:
    return (lambda row: _length(row)) if isinstance(row, Cells) else None
