"""The machine's loop with a line of a test's own before every instruction."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from edict.runtime.machine import loop

FETCH = "        op = code[pc]\n"
Run = Callable[..., int]


def instrument_loop(call: str, function: Callable[..., object]) -> Run:
    """Return a copy of the machine's `run` that calls a function before every instruction.

    Args:
        call: The arguments in the loop's own names, such as "pc, spent".
        function: The function.
    """
    source = inspect.getsource(loop)
    assert source.count(FETCH) == 1, "the loop has no line at which instructions begin"
    names: dict[str, Any] = {"called": function, "__name__": "instrumented"}
    exec(compile(source.replace(FETCH, f"{FETCH}        called({call})\n"), "<instrumented>", "exec"), names)
    run: Run = names["run"]
    return run
