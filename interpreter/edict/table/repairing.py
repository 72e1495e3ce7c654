"""Repairing a damaged journal: the valid part is kept, and the damaged file is kept beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from edict.files import replace_keeping
from edict.table.journal import Journal, Reading, read_bytes, unusable
from edict.table.locking import lock

ENDING = "damaged"


@dataclass(frozen=True, slots=True)
class Repaired:
    """The journal now; if anything was wrong: in which line, why, how many lines went, and where they are kept."""

    journal: Journal
    line: int = 0
    reason: str = ""
    lost: int = 0
    kept: Path | None = None


def repair(path: Path) -> Repaired:
    """Keep in a journal's file everything before the first damage. Raises `JournalError` if that is nothing."""
    Reading(read_bytes(path), str(path)).journal.header  # noqa: B018 - before anything is locked or written
    taken = lock(path)
    try:
        raw = read_bytes(path)
        journal = Reading(raw, str(path)).journal
        good, rest = raw[: journal.size], raw[journal.size :]
        if not rest:
            return Repaired(journal)
        kept = replace_keeping(path.resolve(), good, ENDING)
    except OSError as problem:
        raise unusable(path, problem) from None
    finally:
        taken.release()
    line = good.count(b"\n") + 1
    reason = journal.damage.reason if journal.damage else "it was cut off before it was written"
    return Repaired(journal, line, reason, len(rest.splitlines()), kept)
