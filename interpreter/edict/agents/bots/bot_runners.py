"""Runners of a user's bot under a time limit, in this process; `process_bot_runner` has one for another process."""

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

from edict.agents.bots.bot_views import BotSnapshot, BotView
from edict.agents.bots.user_bots import BotSpec, Clock, InvalidBot, describe_exception
from edict.game.table.options import Ask, Option

START_LIMIT = 60.0  # seconds for loading and creating a bot
# index of the chosen option; the bot's values of all options, if it provides any
Reply = tuple[int, list[float] | None]


class BotFault(Exception):
    """A failure of a bot to give a usable answer; the text follows the bot's name."""


class BotRunner(Protocol):
    """Obtains a bot's answers."""

    def answer(self, snapshot: BotSnapshot, limit: float) -> Reply:
        """Return the bot's answer to a question.

        Args:
            snapshot: The game as the bot may see it.
            limit: The time limit in seconds.

        Raises:
            BotFault: If there is no usable answer.
        """
        ...

    def close(self) -> None:
        """Release the bot at the end of a game."""
        ...

    def terminate(self) -> None:
        """Release the bot for good."""
        ...


class InProcessBotRunner:
    """A runner of a bot in this process, which is created for its first question."""

    def __init__(self, spec: BotSpec, seed: int) -> None:
        self._spec, self._seed = spec, seed
        self._bot: Any = None

    def ensure_bot(self) -> None:
        """Load and create the bot unless it exists. Raises `BotFault`."""
        if self._bot is None:
            with _guard_user_code(START_LIMIT):
                self._bot = self._spec.load()(self._seed)

    def answer(self, snapshot: BotSnapshot, limit: float) -> Reply:
        """Return the bot's answer. Raises `BotFault`."""
        self.ensure_bot()
        with _guard_user_code(limit):
            clock = Clock(limit)
            answer = self._bot.choose(BotView(snapshot, snapshot.watcher), snapshot.ask, clock)
            reply = (
                resolve_answer(answer.key if isinstance(answer, Option) else answer, snapshot.ask),
                _read_values(self._bot, snapshot),
            )
        if clock.left < 0:
            raise BotFault(f"took longer than {limit:g} s")
        return reply

    def close(self) -> None:
        """Discard the bot."""
        self._bot = None

    terminate = close


@contextmanager
def _guard_user_code(limit: float) -> Iterator[None]:
    """Limit the time of user code in the block, and turn any failure into a `BotFault`."""
    process = os.getpid()
    try:
        with limit_time(limit), redirect_stdout(sys.stderr):  # keep the bot's output apart from the command's
            yield
    except (KeyboardInterrupt, GeneratorExit, BotFault):
        raise
    except InvalidBot as reason:
        raise BotFault(f"cannot be seated: {reason}") from None
    except TimeLimitExceeded:
        raise BotFault(f"took longer than {limit:g} s") from None
    except BaseException as problem:  # user code may raise anything, including SystemExit
        raise BotFault(f"raised {describe_exception(problem)}") from None
    finally:
        if os.getpid() != process:
            os._exit(0)  # the bot has forked; the game must continue in the original process only


def _read_values(bot: object, snapshot: BotSnapshot) -> list[float] | None:
    """Return the bot's evaluations of the options, if it has one for each."""
    try:
        raw_values = getattr(bot, "values", None)
        values = [] if raw_values is None else [float(value) for value in raw_values]
    except (TypeError, ValueError, OverflowError):
        return None
    if len(values) == len(snapshot.ask.options) and all(map(isfinite, values)):
        return values
    return None


def resolve_answer(answer: object, ask: Ask) -> int:
    """Return the index of the option given by a key or an index; raise `BotFault` if there is none."""
    number = getattr(answer, "__index__", None)  # integers of NumPy too
    if isinstance(answer, str):
        option = ask.find(answer)
        if option is not None:
            return option.index
    elif number is not None and not isinstance(answer, bool) and 0 <= int(number()) < len(ask.options):
        return int(number())
    raise BotFault(f"answered {answer!r:.60}, which is not an option of `{ask.prompt}`")


ALARM_INTERVAL = 0.2


class TimeLimitExceeded(BaseException):
    """A signal that the time is over. It is no `Exception`, so `except Exception` does not catch it."""


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Raise `TimeLimitExceeded` in the block when the time is over.

    This works only in the main thread, and only where there are alarms (not on Windows); elsewhere there is no limit.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def raise_on_alarm(number: int, frame: object) -> None:
        raise TimeLimitExceeded

    start = time.monotonic()
    old_handler = signal.signal(signal.SIGALRM, raise_on_alarm)
    old_timer = signal.setitimer(signal.ITIMER_REAL, seconds, ALARM_INTERVAL)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, old_handler)
        if old_timer[0]:  # restore another timer with its remaining time
            signal.setitimer(signal.ITIMER_REAL, max(0.001, old_timer[0] - (time.monotonic() - start)), old_timer[1])
