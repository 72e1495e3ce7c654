"""What to know before games are played: whether native code is there, and how well the bots know the rules."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from edict.bots import BOTS
from edict.program import Program
from edict.resources import installing
from edict.simulation import native


def notice() -> str:
    """A line about what is missed; nothing if nothing is."""
    if native.available():
        return ""
    return f"Playing in plain Python. `{installing('fast')}` makes this a hundred times faster."


def warned() -> None:
    """Print that line, if there is one."""
    if words := notice():
        print(words, file=sys.stderr, flush=True)


def remarked(kinds: Iterable[str], program: Program) -> None:
    """Print what there is to say of these bots with these rules, once."""
    for words in dict.fromkeys(BOTS.remark(kind, program) for kind in kinds):
        if words:
            print(words, file=sys.stderr, flush=True)
