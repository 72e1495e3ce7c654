"""Who does the work: this process, several on this machine, or a cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from edict.cli.study.wishes import Wishes
from edict.machine import native
from edict.study.games import Setup, Stretch, play
from edict.study.workers import Hire, processes


def hired(wishes: Wishes) -> Hire:
    """Where the pieces are carried out."""
    if wishes.cluster:
        from edict.study.cluster import on_cluster

        return on_cluster(wishes.cluster)
    return processes(wishes.hands) if wishes.hands > 1 else alone


class Alone(Executor):
    """Carries a piece out at once, in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as problem:
            future.set_exception(problem)
        return future


@contextmanager
def alone() -> Iterator[Executor]:
    yield Alone()


def warmed(setup: Setup) -> None:
    """Have the machine's code compiled before it is needed in several processes, and say so if it takes long."""
    if not native.available():
        print("Playing in plain Python. `pip install 'kingsburg[fast]'` makes this a hundred times faster.", file=sys.stderr)
        return
    if not native.kept():
        print("Compiling the machine for this computer, once; this takes a minute ...", file=sys.stderr, flush=True)
    play(setup, Stretch(0, 1))
