"""Native code kept between two runs, and read back only if this user wrote it.

Numba's own cache unpickles whatever lies in its folder, and fails on what is damaged. Here it goes through
`kept_files`, which hands out only what it has signed. Import this by way of `native` only: it needs Numba.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from typing import Any

import llvmlite
import numba
from numba.core.caching import NullCache
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from edict import kept_files
from edict.machine.source import code_folder
from edict.program import digest

VERSIONS = (sys.version, numba.__version__, llvmlite.__version__)


class _Kept(NullCache):
    """The cache of one function, a file for each signature and processor."""

    def __init__(self, function: Any) -> None:
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._code = function.__code__.co_code

    def _file(self, signature: Any, codegen: Any) -> str:
        key = (signature, codegen.magic_tuple(), VERSIONS, self._code)
        return f"{code_folder()}/{self._name}-{digest(repr(key))}"

    def load_overload(self, signature: Any, context: Any) -> Any:
        """What was compiled before, loaded; None if it was not."""
        context.refresh()
        kept = kept_files.read(self._file(signature, context.codegen()))
        if kept is None:
            return None
        try:
            return CompileResult._rebuild(context, *pickle.loads(kept))
        except Exception as problem:  # whatever it is, compiling again mends it
            kept_files.tell(f"Native code of {self._name} cannot be loaded and is compiled again: {problem!r}")
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what was compiled, unless it holds addresses of this process."""
        if not result.library.has_dynamic_globals and all(part.can_cache for part in result.lifted):
            kept_files.keep(self._file(signature, result.codegen), dumps(result._reduce()))


def _with_cache(made: Any, function: Any) -> Any:
    """The Numba object, keeping what it compiles; this is where Numba itself would put its own cache."""
    known = isinstance(getattr(made, "_cache", None), NullCache)
    if known and hasattr(CompileResult, "_reduce") and hasattr(CompileResult, "_rebuild"):
        made._cache = _Kept(function)
    else:
        kept_files.tell(f"Native code is compiled anew in every run: it cannot be kept with Numba {numba.__version__}.")
    return made


def native(function: Any) -> Any:
    """The function, compiled when it is first called."""
    return _with_cache(numba.njit(error_model="numpy", nogil=True)(function), function)


def native_callback(signature: Any) -> Callable[[Any], Any]:
    """Numba's `cfunc` with this cache: compiles a function at once, for native code that calls it by its address."""

    def compiled(function: Any) -> Any:
        options = {"error_model": "numpy"}
        made = _with_cache(CFunc(function, normalize_signature(signature), locals={}, options=options), function)
        made.compile()
        return made

    return compiled
