"""Compiled functions in this process, called with NumPy arrays as rows. Needs llvmlite."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

from edict.runtime.native.assembling import LoadedCode
from edict.runtime.native.functions import (
    FLOATS,
    PARTS,
    ROW,
    ROWS,
    Function,
    FunctionModule,
    RowTypes,
    get_packed_symbol,
    result_type,
    symbol_of,
)

_ADDRESS, _LENGTH = ctypes.c_void_p, ctypes.c_int64
CTYPES: dict[str, tuple[Any, ...]] = {
    "float": (ctypes.c_double,),
    ROW: (_ADDRESS, _LENGTH),
    FLOATS: (_ADDRESS, _LENGTH),
    ROWS: (_ADDRESS, _LENGTH, _LENGTH),
}
RESULT_CTYPES = {"void": None, "i64": ctypes.c_int64, "double": ctypes.c_double}


class Library:
    """The exported functions of a module."""

    def __init__(self, module: FunctionModule, code: bytes) -> None:
        """Load a compiled module.

        Args:
            module: The module.
            code: The result of `compile_object` for its text, on this computer.
        """
        self._module, self._code = module, LoadedCode(code)

    def function(self, function: Function, row_types: RowTypes = ()) -> Callable[..., Any]:
        """Return an exported function, with the element types of rows that it was added with."""
        tree, kinds = self._module.signature(function)
        types = [type for kind in kinds for type in CTYPES.get(kind, (ctypes.c_int64,))]
        foreign: Any = ctypes.CFUNCTYPE(RESULT_CTYPES[result_type(tree)], *types)(
            self._code.address(symbol_of(function, row_types).strip('"'))
        )
        foreign.code = self._code  # keeps the memory alive as long as the function

        def call(*arguments: Any) -> Any:
            """Call the native function; each array is passed as its address and shape."""
            return foreign(
                *(part for kind, value in zip(kinds, arguments, strict=True) for part in _to_parts(kind, value))
            )

        return call

    def bind(
        self, function: Function, *arguments: Any, row_types: RowTypes = (), hold_gil: bool = False
    ) -> BoundFunction:
        """Return a function without arguments that calls an exported function on these integers and arrays.

        Args:
            function: An exported function without floating-point parameters.
            *arguments: Its arguments.
            row_types: The element types of rows that it was added with.
            hold_gil: Keep Python's global lock during the call, for calls of microseconds.
        """
        _, kinds = self._module.signature(function)
        values = [part for kind, value in zip(kinds, arguments, strict=True) for part in _to_parts(kind, value)]
        places, place = [], 0
        for kind in kinds:
            places.append(place)
            place += len(PARTS[kind])
        address = self._code.address(get_packed_symbol(symbol_of(function, row_types)).strip('"'))
        type = ctypes.PYFUNCTYPE if hold_gil else ctypes.CFUNCTYPE
        foreign: Any = type(ctypes.c_int64, ctypes.c_void_p)(address)
        foreign.kept = self._code, arguments  # keeps the memory alive as long as the function
        return BoundFunction(foreign, values, places)


class BoundFunction:
    """A function with its arguments. `call()` calls it and returns its result, or 0 without one.

    `cells[places[i]]` is argument i, a number or the address of a row, and may be changed between two calls.
    """

    __slots__ = ("call", "cells", "places")

    def __init__(self, foreign: Callable[..., int], values: list[int], places: list[int]) -> None:
        self.cells = (ctypes.c_int64 * len(values))(*values)
        self.places = places
        self.call: Callable[[], int] = partial(foreign, ctypes.byref(self.cells))


def _to_parts(kind: str, value: Any) -> tuple[Any, ...]:
    """Return (address, *shape) of an array for a row parameter; any other value alone."""
    if kind not in (ROW, FLOATS, ROWS):
        return (value,)
    assert value.flags.c_contiguous
    return (value.ctypes.data, *value.shape)
