"""The first use of the native machine: it is compiled, which takes a while, and says so."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from edict import kept_files
from edict.machine import native

SEARCH = "thinking.searched"
SLOWER = "Playing in plain Python. `pip install 'kingsburg[fast]'` makes this a hundred times faster."
COMPILING = "Compiling the machine for this computer, once; this takes a minute ..."
COMPILING_AGAIN = "Compiling the machine; without a cache, this takes a minute in every run ..."


def notice(function: str = SEARCH) -> str:
    """What somebody should know before this native function is first used; nothing if there is nothing to wait for."""
    if not native.available():
        return SLOWER
    if native.kept(function):
        return ""
    return COMPILING if kept_files.usable() else COMPILING_AGAIN


def warmed(load: Callable[[], object] = native.warm, function: str = SEARCH) -> None:
    """Have native code compiled before it is needed, with a spinner if that takes long and somebody looks."""
    words = notice(function)
    compiling = words in (COMPILING, COMPILING_AGAIN)
    if words and not (compiling and sys.stderr.isatty()):
        print(words, file=sys.stderr, flush=True)
    if not native.available():
        return
    with _spinner(words) if compiling and sys.stderr.isatty() else nullcontext():
        load()


def _spinner(words: str) -> AbstractContextManager[object]:
    from rich.console import Console

    return Console(stderr=True).status(words)
