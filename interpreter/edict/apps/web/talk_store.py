"""The chat messages at tables, in the store."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import Column, Float, ForeignKey, Integer, Table, Text, insert, select

from edict.apps.web.store import META, Store
from edict.support.graphemes import truncate_graphemes

MAX_MESSAGE_LENGTH = 300  # characters
MAX_SHOWN_MESSAGES = 50

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
    """A chat message from a seat."""

    seat: int
    text: str


class TalkStore:
    """The chat messages of all tables of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.create_schema()

    def add_message(self, table: str, seat: int, text: str) -> None:
        """Add a message to a table's chat, shortened to `MAX_MESSAGE_LENGTH`."""
        with self._store.transaction() as connection:
            values = {
                "table_id": table,
                "seat": seat,
                "said": truncate_graphemes(text[: 10 * MAX_MESSAGE_LENGTH], MAX_MESSAGE_LENGTH),
                "at": time.time(),
            }
            connection.execute(insert(_talk).values(values))

    def list_messages(self, table: str) -> list[TableMessage]:
        """Return the latest messages at a table, the oldest first."""
        query = select(_talk).where(_talk.c.table_id == table).order_by(_talk.c.id.desc()).limit(MAX_SHOWN_MESSAGES)
        with self._store.transaction() as connection:
            return [TableMessage(row.seat, row.said) for row in reversed(connection.execute(query).all())]
