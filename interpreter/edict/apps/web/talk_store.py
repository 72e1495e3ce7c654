"""What people say to each other at a table."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import Column, Float, ForeignKey, Integer, Table, Text, insert, select

from edict.apps.web.store import META, Store
from edict.support.graphemes import truncate_graphemes

LONGEST = 300  # characters of what is said at once
MOST_SHOWN = 50

_talk = Table(
    "talk",
    META,
    Column("id", Integer, primary_key=True),
    Column("table_id", ForeignKey("tables.id", ondelete="cascade"), nullable=False, index=True),
    Column("seat", Integer, nullable=False),
    Column("said", Text, nullable=False),
    Column("at", Float, nullable=False),
)


@dataclass(frozen=True, slots=True)
class TableMessage:
    """Something that was said, from which seat."""

    seat: int
    text: str


class TalkStore:
    """The talk at the tables of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.lay_out()

    def say(self, table: str, seat: int, text: str) -> None:
        with self._store.begun() as connection:
            row = {
                "table_id": table,
                "seat": seat,
                "said": truncate_graphemes(text[: 10 * LONGEST], LONGEST),
                "at": time.time(),
            }
            connection.execute(insert(_talk).values(row))

    def heard(self, table: str) -> list[TableMessage]:
        """What was said last, in order."""
        last = select(_talk).where(_talk.c.table_id == table).order_by(_talk.c.id.desc()).limit(MOST_SHOWN)
        with self._store.begun() as connection:
            return [TableMessage(row.seat, row.said) for row in reversed(connection.execute(last).all())]
