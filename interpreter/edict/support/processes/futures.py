"""Futures of other libraries, as futures of `concurrent.futures` that can be waited for and cancelled like any."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


def relayed(asked: Any, meant: Callable[[Exception], Exception] = lambda problem: problem) -> Future[Any]:
    """A future of this process for another library's, each of which cancels the other.

    meant: what a problem that the other raises is here.
    """
    told: Future[Any] = Future()

    def pass_on(_: Any) -> None:
        if not told.set_running_or_notify_cancel():
            return  # nobody waits any more
        try:
            told.set_result(asked.result())
        except Exception as problem:
            told.set_exception(meant(problem))

    told.add_done_callback(lambda one: asked.cancel() if one.cancelled() else None)
    asked.add_done_callback(pass_on)
    return told
