"""The first use of the native machine: it is compiled, which takes a while, and says so."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from edict.machine import native
from edict.resources import installing

SEARCH = "thinking.searched"
COMPILING = "Compiling the machine for this computer, once; this takes a minute ..."


def notice(function: str = SEARCH) -> str:
    """What somebody should know before this native function is first used; nothing if there is nothing to wait for."""
    if not native.available():
        return f"Playing in plain Python. `{installing('fast')}` makes this a hundred times faster."
    return "" if native.kept(function) else COMPILING


def warmed(load: Callable[[], object] = native.warm, function: str = SEARCH) -> None:
    """Have native code compiled before it is needed, with a spinner if that takes long and somebody looks."""
    words = notice(function)
    compiling = words == COMPILING
    if words and not (compiling and sys.stderr.isatty()):
        print(words, file=sys.stderr, flush=True)
    if not native.available():
        return
    with _spinner(words) if compiling and sys.stderr.isatty() else nullcontext():
        load()


def _spinner(words: str) -> AbstractContextManager[object]:
    from rich.console import Console

    return Console(stderr=True).status(words)
