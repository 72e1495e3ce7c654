"""Compiled functions in this process, to be called with NumPy's arrays in the place of rows. Needs llvmlite."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

from edict.runtime.native.assembling import Loaded
from edict.runtime.native.functions import (
    FLOATS,
    PARTS,
    ROW,
    ROWS,
    Forms,
    Function,
    FunctionModule,
    name_of,
    packed_name,
    result_of,
)

_ADDRESS, _LENGTH = ctypes.c_void_p, ctypes.c_int64
TYPES: dict[str, tuple[Any, ...]] = {
    "float": (ctypes.c_double,),
    ROW: (_ADDRESS, _LENGTH),
    FLOATS: (_ADDRESS, _LENGTH),
    ROWS: (_ADDRESS, _LENGTH, _LENGTH),
}
RESULTS = {"void": None, "i64": ctypes.c_int64, "double": ctypes.c_double}


class Library:
    """The functions of a module that can be called from outside."""

    def __init__(self, module: FunctionModule, code: bytes) -> None:
        """`code`: what `object_code` made of the module's text, on this computer."""
        self._module, self._code = module, Loaded(code)

    def function(self, function: Function, forms: Forms = ()) -> Callable[..., Any]:
        """One of them, with those `forms` of its rows it was added with."""
        tree, kinds = self._module.signature(function)
        types = [type for kind in kinds for type in TYPES.get(kind, (ctypes.c_int64,))]
        called: Any = ctypes.CFUNCTYPE(RESULTS[result_of(tree)], *types)(
            self._code.address(name_of(function, forms).strip('"'))
        )
        called.code = self._code  # which must live as long as anybody can call it

        def call(*arguments: Any) -> Any:
            return called(*(part for kind, value in zip(kinds, arguments, strict=True) for part in _parts(kind, value)))

        return call

    def bound(self, function: Function, *arguments: Any, forms: Forms = (), alone: bool = False) -> Bound:
        """One of them with its arguments, which stay where they lie: to call it takes nothing then, and a sixth of the
        time. For whole numbers and rows. alone: no other thread of Python runs meanwhile; for calls of microseconds."""
        _, kinds = self._module.signature(function)
        values = [part for kind, value in zip(kinds, arguments, strict=True) for part in _parts(kind, value)]
        places, at = [], 0
        for kind in kinds:
            places.append(at)
            at += len(PARTS[kind])
        address = self._code.address(packed_name(name_of(function, forms)).strip('"'))
        type = ctypes.PYFUNCTYPE if alone else ctypes.CFUNCTYPE
        called: Any = type(ctypes.c_int64, ctypes.c_void_p)(address)
        called.kept = self._code, arguments  # which must live as long as anybody can call it
        return Bound(called, values, places)


class Bound:
    """A function with its arguments. `call()` calls it, and gives its result (0 if it has none).

    `cells[places[i]]` is argument i, to be changed between two calls: a number, or the address of a row.
    """

    __slots__ = ("call", "cells", "places")

    def __init__(self, called: Callable[..., int], values: list[int], places: list[int]) -> None:
        self.cells = (ctypes.c_int64 * len(values))(*values)
        self.places = places
        self.call: Callable[[], int] = partial(called, ctypes.byref(self.cells))


def _parts(kind: str, value: Any) -> tuple[Any, ...]:
    """An argument as it is handed over: of an array where it lies, and its shape."""
    if kind not in (ROW, FLOATS, ROWS):
        return (value,)
    assert value.flags.c_contiguous
    return (value.ctypes.data, *value.shape)
