"""What somebody should know before many games are played: whether native code is there."""

from __future__ import annotations

import sys

from edict.machine import native
from edict.resources import installing


def notice() -> str:
    """A line about what is missed; nothing if nothing is."""
    if native.available():
        return ""
    return f"Playing in plain Python. `{installing('fast')}` makes this a hundred times faster."


def warned() -> None:
    """Print that line, if there is one."""
    if words := notice():
        print(words, file=sys.stderr, flush=True)
