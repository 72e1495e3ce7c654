"""Who does the work: this process, several on this machine, or a cluster."""

from __future__ import annotations

import sys
from dataclasses import replace

from edict.cli.study.wishes import Wishes
from edict.machine import native
from edict.study.games import Setup, Stretch, play
from edict.study.workers import Hire, alone, processes

RANDOM = "random"


def hired(wishes: Wishes) -> Hire:
    """Where the pieces are carried out."""
    if wishes.cluster:
        from edict.study.cluster import on_cluster

        return on_cluster(wishes.cluster)
    return processes(wishes.crew_size) if wishes.crew_size > 1 else alone


def warmed(setup: Setup) -> None:
    """Have the machine's code compiled before it is needed in several processes, and say so if it takes long."""
    if not native.available():
        print(
            "Playing in plain Python. `pip install 'kingsburg[fast]'` makes this a hundred times faster.",
            file=sys.stderr,
        )
        return
    if not native.kept():
        print("Compiling the machine for this computer, once; this takes a minute ...", file=sys.stderr, flush=True)
    play(replace(setup, bots=(RANDOM,) * setup.players), Stretch(0, 1))
