"""Where a user's bot thinks, under a time limit: here, or (`apart`) in a separate process."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from math import isfinite
from typing import Any, Protocol

from edict.agents.bots.agents import Clock, Spec, Unfit, what_was_raised
from edict.agents.bots.seen import Seen, SeenView
from edict.game.table.options import Ask, Option

STARTING = 60.0  # seconds for a bot to be loaded and made
Reply = tuple[int, list[float] | None]
"""The index of the option chosen, and the bot's values of all options, if it gives any."""


class Fault(Exception):
    """A bot gave no answer that can be used; the text says what it did, after its name."""


class Mind(Protocol):
    """What is asked for a bot's answers."""

    def reply(self, seen: Seen, limit: float) -> Reply:
        """Raises `Fault`."""
        ...

    def close(self) -> None:
        """It is not asked any more in this game."""
        ...

    def end(self) -> None:
        """It is not asked any more in any game."""
        ...


class BotInProcess:
    """A bot in this process; made when it is first asked."""

    def __init__(self, spec: Spec, seed: int) -> None:
        self._spec, self._seed = spec, seed
        self._bot: Any = None

    def make(self) -> None:
        """Loads and makes the bot, if that was not done. Raises `Fault`."""
        if self._bot is None:
            with _watched(STARTING):
                self._bot = self._spec.load()(self._seed)

    def reply(self, seen: Seen, limit: float) -> Reply:
        self.make()
        with _watched(limit):
            clock = Clock(limit)
            given = self._bot.choose(SeenView(seen, seen.watcher), seen.ask, clock)
            found = index_of(given.key if isinstance(given, Option) else given, seen.ask), _told_values(self._bot, seen)
        if clock.left < 0:
            raise Fault(f"took longer than {limit:g} s")
        return found

    def close(self) -> None:
        self._bot = None

    end = close


@contextmanager
def _watched(limit: float) -> Iterator[None]:
    """Somebody's code is run, for so many seconds; whatever goes wrong in it is a `Fault`."""
    process = os.getpid()
    try:
        with limited(limit), redirect_stdout(sys.stderr):  # what a bot prints is not what the command prints
            yield
    except (KeyboardInterrupt, GeneratorExit, Fault):
        raise
    except Unfit as reason:
        raise Fault(f"cannot be seated: {reason}") from None
    except TimeOver:
        raise Fault(f"took longer than {limit:g} s") from None
    except BaseException as problem:  # whatever somebody's code raises, SystemExit too
        raise Fault(f"raised {what_was_raised(problem)}") from None
    finally:
        if os.getpid() != process:
            os._exit(0)  # it has forked: the game goes on in one process only


def _told_values(bot: object, seen: Seen) -> list[float] | None:
    """What a bot says it thinks of each option, if it says so of all of them."""
    try:
        told = getattr(bot, "values", None)
        values = [] if told is None else [float(value) for value in told]
    except (TypeError, ValueError, OverflowError):
        return None
    return values if len(values) == len(seen.ask.options) and all(map(isfinite, values)) else None


def index_of(given: object, ask: Ask) -> int:
    """The option that was meant by a key or an index; raises `Fault` for what is none."""
    number = getattr(given, "__index__", None)  # integers of NumPy too
    if isinstance(given, str):
        found = ask.find(given)
        if found is not None:
            return found.index
    elif number is not None and not isinstance(given, bool) and 0 <= int(number()) < len(ask.options):
        return int(number())
    raise Fault(f"answered {given!r:.60}, which is not an option of `{ask.prompt}`")


AGAIN = 0.2  # seconds after which somebody who caught the first alarm hears the next


class TimeOver(BaseException):
    """The time is over. No `Exception`, so that `except Exception` does not catch it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TimeOver` in the block when the time is over.

    Only in the main thread, and only where there are alarms (not on Windows); elsewhere the block ends when it ends.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise TimeOver

    begun = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    others = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
        if others[0]:  # an alarm that somebody else has set rings when it would have
            signal.setitimer(signal.ITIMER_REAL, max(0.001, others[0] - (time.monotonic() - begun)), others[1])
