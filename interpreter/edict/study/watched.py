"""The machine's loop with lines of one's own: its source, compiled once more; the loop itself is not touched.

What is counted so is exact; times are CPython's and hold only as shares.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from edict.machine import loop

FETCH = "        op = code[pc]\n"
JUMPED = "            if pc <= at:  # back\n"
Run = Callable[..., int]


def watched(at_each: str, after_jumps: str, names: Mapping[str, Any]) -> Run:
    """The loop that runs `at_each` before every instruction, and `after_jumps` once a jump has been taken or not.

    Both are lines as they stand there, indented, with the loop's own names and with `names`. Raises `RuntimeError` if
    the loop has no such places.
    """
    source = inspect.getsource(loop)
    for place, lines in ((FETCH, FETCH + at_each), (JUMPED, after_jumps + JUMPED)):
        if source.count(place) != 1:
            raise RuntimeError("the machine's loop has no line at which instructions could be counted")
        source = source.replace(place, lines)
    made: dict[str, Any] = {**names, "__name__": "watched"}
    exec(compile(source, "<watched>", "exec"), made)
    run: Run = made["run"]
    return run
