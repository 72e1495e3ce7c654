"""Where work is done that may take long, take much memory or die: the one place that says how.

On a machine of one's own these are processes (`on_this_machine`, which is what counts unless something else is said).
Where there are none, as in a browser, whoever starts the program says with `work_at` what is there instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from edict.support.processes.piece_of_work import Bounds

Reported = TypeVar("Reported", covariant=True)


class Workers(Protocol):
    """Those who carry out pieces of work, each within its bounds."""

    async def done(self, work: Callable[..., Any], *about: object) -> Any:
        """What a function of a module gives. Raises `Failed`, and whatever the function does."""
        ...

    def shutdown(self) -> None:
        """End them, whatever they are doing."""
        ...


class LongWork(Protocol[Reported]):
    """One long piece of work that reports how far it is; its last report counts."""

    @property
    def running(self) -> bool: ...

    @property
    def problem(self) -> str:
        """Why it ended before it was done, as a sentence; nothing if it did not, or was stopped."""
        ...

    def now(self) -> Reported | None:
        """What was reported last; None before anything was."""
        ...

    def wait(self, seconds: float | None = None) -> Reported | None:
        """Wait until something new is reported, or it has ended; returns what was reported last."""
        ...

    def finish(self, seconds: float | None = None) -> Reported | None:
        """Wait until it has ended; returns what was reported last."""
        ...

    def stop(self) -> None:
        """Abandon it at once; what was reported stays."""
        ...


class Workplace(Protocol):
    """Gives work to others."""

    def workers(self, count: int, bounds: Bounds) -> Workers:
        """So many, begun when they are first needed."""
        ...

    def long_work(
        self,
        work: Callable[..., None],
        *about: object,
        at_hand: tuple[str, ...],
        nice: int,
        reason: Callable[[Exception], str],
    ) -> LongWork[Any]:
        """Call `work(*about, tell)`. at_hand: modules it needs. reason: why not, "" for other problems."""
        ...

    def prepare(self, *modules: str) -> None:
        """Have these modules read now, so that long work that needs them does not wait for it."""
        ...


_in_use: Workplace | None = None


def workplace() -> Workplace:
    """Where work is done."""
    global _in_use
    if _in_use is None:
        from edict.support.processes.on_this_machine import OnThisMachine  # whoever is elsewhere has no Pebble

        _in_use = OnThisMachine()
    return _in_use


def work_at(place: Workplace) -> None:
    """From now on work is done there; to be said before anything else is."""
    global _in_use
    _in_use = place
