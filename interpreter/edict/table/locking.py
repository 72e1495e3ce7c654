"""A game belongs to one table at a time."""

from __future__ import annotations

from pathlib import Path
from weakref import WeakValueDictionary

from edict import locks
from edict.table.errors import JournalError


class InUse(JournalError):
    """Another process plays this game."""


_mine: WeakValueDictionary[Path, locks.Lock] = WeakValueDictionary()


def lock(game: Path) -> locks.Lock:
    """Take the lock of a game's file; taking it again in this process takes it over.

    Raises `InUse`, or `JournalError` if it cannot be locked.
    """
    earlier = _mine.get(locks.lock_file(game))
    if earlier is not None:
        earlier.release()
    try:
        taken = locks.Lock(game)
    except locks.InUse as problem:
        remedy = "leave it there first; meanwhile `watch` shows it here"
        raise InUse(f"this game is being played {problem.holder}", remedy, place=str(game)) from None
    except OSError as problem:
        remedy = "make its folder writable, or copy the game elsewhere"
        raise JournalError(f"it cannot be locked: {problem.strerror or problem}", remedy, place=str(game)) from None
    _mine[taken.path] = taken
    return taken
