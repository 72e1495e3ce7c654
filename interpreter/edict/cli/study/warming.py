"""The first use of the native machine: it is compiled, which takes a while, and says so."""

from __future__ import annotations

import sys

from edict.machine import native

FASTER = "Thinking in plain Python. `pip install 'kingsburg[fast]'` makes it a hundred times faster."


def warmed() -> None:
    """Have the policies and the search compiled, with a spinner if that takes long and somebody looks."""
    if not native.available():
        print(FASTER, file=sys.stderr)
        return
    if native.thinking_kept():
        native.thinking()
        return
    words = "Compiling the machine for this computer, once; this takes a minute"
    if not sys.stderr.isatty():
        print(f"{words} ...", file=sys.stderr, flush=True)
        native.warm()
        return
    from rich.console import Console

    with Console(stderr=True).status(words):
        native.warm()
