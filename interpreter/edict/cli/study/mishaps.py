"""What bots of somebody's own did wrong in many games."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from edict.rendering import plain
from edict.resources import command

MOST_TOLD = 10


def tell_mishaps(mishaps: Mapping[str, int]) -> None:
    """The most frequent first; the games went on with a random option each time."""
    known = sorted(mishaps.items(), key=lambda one: -one[1])
    for what, often in known[:MOST_TOLD]:
        times = f" ({often:,} times)" if often > 1 else ""
        print(plain(f"{command()}: the bot {what}{times}"), file=sys.stderr)
    if len(known) > MOST_TOLD:
        print(f"{command()}: and {len(known) - MOST_TOLD:,} other faults of bots", file=sys.stderr)
    if known:
        print("help: each time, a random option was chosen instead", file=sys.stderr)
