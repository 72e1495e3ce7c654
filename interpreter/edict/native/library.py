"""Compiled functions in this process, to be called with NumPy's arrays in the place of rows. Needs llvmlite."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from edict.native.assembling import Loaded
from edict.native.functions import FLOATS, ROW, ROWS, Forms, Function, Module, name_of, result_of

_ADDRESS, _LENGTH = ctypes.c_void_p, ctypes.c_int64
TYPES: dict[str, tuple[Any, ...]] = {
    "float": (ctypes.c_double,), ROW: (_ADDRESS, _LENGTH), FLOATS: (_ADDRESS, _LENGTH),
    ROWS: (_ADDRESS, _LENGTH, _LENGTH),
}  # fmt: skip
RESULTS = {"void": None, "i64": ctypes.c_int64, "double": ctypes.c_double}


class Library:
    """The functions of a module that can be called from outside."""

    def __init__(self, module: Module, code: bytes) -> None:
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


def _parts(kind: str, value: Any) -> tuple[Any, ...]:
    """An argument as it is handed over: of an array where it lies, and its shape."""
    if kind not in (ROW, FLOATS, ROWS):
        return (value,)
    assert value.flags.c_contiguous
    return (value.ctypes.data, *value.shape)
