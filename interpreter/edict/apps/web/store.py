"""The store of tables: the lines of their journals, and the links to their seats. Several servers may share one.

Lines are only ever added, each under the next number. If two servers add a line at the same time, both try the same
number and the database accepts one of them. The other gets `LineConflict`, reads the new lines, and tries again.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Select,
    String,
    Table,
    bindparam,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    literal_column,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from edict.apps.web.live_tables import HOST, ONLOOKER, Link
from edict.support.records import dataclass
from edict.support.request_errors import RequestError

ID_BYTES = 9  # random bytes in a table's ID, which everybody at the table knows
MAX_BOT_LENGTH = 80  # characters of a bot's name
KEY_BYTES = 18  # random bytes in a link's key, which is all it takes to use the link
CHANNEL = "edict_news"  # the PostgreSQL channel on which servers notify each other of new lines
LONGEST_TITLE = 200  # characters; longer titles are cut
USE_UPDATE_INTERVAL = 3600.0  # seconds after which a table's time of last use is written again
CONNECTIONS = 10  # to the database that stay open; under load as many more

META = MetaData()  # the schema, to which other stores add their own database tables
_tables = Table(
    "tables",
    META,
    Column("id", String(40), primary_key=True),
    Column("title", String(LONGEST_TITLE), nullable=False),
    Column("made", Float, nullable=False),
    Column("used", Float, nullable=False, server_default="0"),
    Column("sealed", Integer, nullable=False, server_default="0"),
)
_lines = Table(
    "lines",
    META,
    Column("table_id", ForeignKey("tables.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("line", LargeBinary, nullable=False),
    PrimaryKeyConstraint("table_id", "number"),
)
_links = Table(
    "links",
    META,
    Column("key", String(40), primary_key=True),
    Column("table_id", ForeignKey("tables.id"), nullable=False, index=True),
    Column("seat", Integer, nullable=False),
    Column("bot", String(MAX_BOT_LENGTH), nullable=False),
    Column("taken", Integer, nullable=False, server_default="0"),
    Column("again", String(40), nullable=False, server_default=""),
    Column("tried", String(40), nullable=False, server_default=""),
)


class LineConflict(Exception):
    """Another process added a line with the same number first."""


class StoreError(RequestError):
    """A store that cannot be used; the message is for the person who runs the server."""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A summary of a table."""

    id: str
    title: str
    made: float  # time of creation, in seconds since 1970
    lines: int  # number of lines in its journal


class Store:
    """Tables in a database. It may be used from any thread, and every method may raise `StoreError`.

    Args:
        address: `sqlite:///FILE` or `postgresql://USER@HOST/NAME`.
        is_exclusive: No other process writes to the database, so it need not be polled for changes.
    """

    def __init__(self, address: str, is_exclusive: bool = False) -> None:
        self.engine = _create_engine(address)
        self.is_exclusive = is_exclusive
        self.is_postgresql = self.engine.dialect.name == "postgresql"
        self.create_schema()

    def create_schema(self) -> None:
        """Create the missing tables and columns of the database."""
        with self.transaction() as connection:
            if self.is_postgresql:  # or two servers that start together would both create them
                connection.execute(text("select pg_advisory_xact_lock(hashtext(:name))"), {"name": CHANNEL})
            META.create_all(connection)
            _add_missing_columns(connection)

    def add_commit_listener(self, listener: Callable[[], object]) -> None:
        """Call a function after each write to the database."""
        event.listen(self.engine, "commit", lambda _: listener())

    # --- tables

    def add_table(
        self, title: str, lines: Sequence[bytes], bots: Sequence[str], sealed: bool = False
    ) -> tuple[str, list[Link]]:
        """Create a table, and return its ID and its links.

        Args:
            title: The title of the game.
            lines: The first lines of its journal.
            bots: The bot of each seat; empty for a person.
            sealed: The host plays, too, so people have to claim their seats.

        Returns:
            The table's ID; the links of the host, the onlookers and the seats, in this order.
        """
        table = secrets.token_hex(ID_BYTES)
        kinds = [(HOST, ""), (ONLOOKER, ""), *enumerate(bots)]
        links = [Link(secrets.token_urlsafe(KEY_BYTES), table, seat, bot, sealed) for seat, bot in kinds]
        rows = [{"key": link.key, "table_id": table, "seat": link.seat, "bot": link.bot} for link in links]
        now = time.time()
        with self.transaction() as connection:
            table_row = {"id": table, "title": title[:LONGEST_TITLE], "made": now, "used": now, "sealed": int(sealed)}
            connection.execute(insert(_tables).values(table_row))
            connection.execute(insert(_lines), [_line_row(table, number, line) for number, line in enumerate(lines)])
            connection.execute(insert(_links), rows)
        return table, links

    def list_tables(self) -> list[StoredTable]:
        """Return all tables, newest first."""
        query = (
            select(_tables.c.id, _tables.c.title, _tables.c.made, func.count(_lines.c.number))
            .join(_lines)
            .group_by(_tables.c.id, _tables.c.title, _tables.c.made)
            .order_by(_tables.c.made.desc())
        )
        with self.transaction() as connection:
            return [StoredTable(*row) for row in connection.execute(query)]

    def count_tables(self) -> int:
        """Return the number of tables."""
        with self.transaction() as connection:
            return int(connection.execute(select(func.count()).select_from(_tables)).scalar_one())

    def delete_unused_tables(self, before: float) -> list[str]:
        """Delete the tables that have not been played at since a time, and return their IDs.

        Args:
            before: The time, in seconds since 1970.
        """
        with self.transaction() as connection:
            unused = list(connection.execute(select(_tables.c.id).where(_tables.c.used < before)).scalars())
            for table in unused:
                for column in (_lines.c.table_id, _links.c.table_id, _tables.c.id):
                    connection.execute(delete(column.table).where(column == table))
        return unused

    # --- lines of journals

    def add_lines(self, table: str, number: int, lines: Iterable[bytes]) -> None:
        """Add lines to a table's journal, and notify other servers.

        Args:
            table: The ID of the table.
            number: The number of the first new line.
            lines: The new lines.

        Raises:
            LineConflict: The journal has such a line already.
        """
        rows = [_line_row(table, line_number, line) for line_number, line in enumerate(lines, number)]
        try:
            with self.transaction() as connection:
                connection.execute(insert(_lines), rows)
                connection.execute(_MARK_USED, {"name": table, "now": time.time()})
                self._notify_servers(connection, table, number + len(rows))
        except IntegrityError:
            raise LineConflict(table) from None

    def lines(self, table: str, first: int = 0) -> list[bytes]:
        """Return the lines of a table's journal from number `first` on; empty if there is no such table."""
        query = select(_lines.c.line).where(_lines.c.table_id == table, _lines.c.number >= first)
        with self.transaction() as connection:
            return [bytes(line) for (line,) in connection.execute(query.order_by(_lines.c.number))]

    def read_first_lines(self) -> list[tuple[str, bytes]]:
        """Return each table's ID with the first line of its journal, which is the header of its game."""
        query = select(_lines.c.table_id, _lines.c.line).where(_lines.c.number == 0)
        with self.transaction() as connection:
            return [(table, bytes(line)) for table, line in connection.execute(query)]

    def get_version(self, table: str) -> int:
        """Return the number of lines in a table's journal, which is its version; 0 if there is no such table."""
        query = select(func.max(_lines.c.number)).where(_lines.c.table_id == table)
        with self.transaction() as connection:
            last = connection.execute(query).scalar_one()
        return 0 if last is None else int(last) + 1

    def find_changes(self, since: int | None) -> tuple[int, dict[str, int]]:
        """Return the last row id, and by table the version of those with lines after the row id `since`.

        It relies on row ids, which SQLite assigns in the order of insertion.

        Args:
            since: The row id that the last call returned; None to get only the current one.

        Returns:
            The last row id of all lines; the version of each table with lines added since.
        """
        row_id: ColumnElement[int] = literal_column("lines.rowid", Integer)
        with self.transaction() as connection:
            last = int(connection.execute(select(func.max(row_id)).select_from(_lines)).scalar_one() or 0)
            if since is None or since >= last:
                return last, {}
            new = select(_lines.c.table_id, func.max(_lines.c.number)).where(row_id > since, row_id <= last)
            rows = connection.execute(new.group_by(_lines.c.table_id))
            return last, {table: int(number) + 1 for table, number in rows}

    # --- links

    def get_link(self, key: str) -> Link | None:
        """Return the link with a key; None if the key is unknown or no longer valid."""
        links = self._select_links(_LINK_OF_KEY, key)
        return links[0] if links else None

    def list_links_beside(self, key: str) -> list[Link]:
        """Return all links of the table that a key opens, as `list_links` does; empty if the key is unknown."""
        return _sort_links(self._select_links(_LINKS_BESIDE_KEY, key))

    def list_links(self, table: str) -> list[Link]:
        """Return the links of a table: the host's, the onlookers', then those of the seats in order."""
        return _sort_links(self._select_links(_LINKS_OF_TABLE, table))

    def claim_seat(self, key: str) -> str | None:
        """Claim the free seat of a link, and return the link's new key; the old key is no longer valid.

        Returns None if the link has no free seat: it is claimed, a bot's, or at a table where seats are not claimed.
        """
        new_key = secrets.token_urlsafe(KEY_BYTES)
        sealed = select(_tables.c.id).where(_tables.c.sealed == 1)
        free = (
            _links.c.key == key,
            _links.c.taken == 0,
            _links.c.seat >= 0,
            _links.c.bot == "",
            _links.c.table_id.in_(sealed),
        )
        with self.transaction() as connection:
            if connection.execute(update(_links).where(*free).values(key=new_key, taken=1)).rowcount:
                return new_key
            return None

    def get_rematch_key(self, key: str) -> str:
        """Return the key of the same seat at the table of the rematch; empty if there is no rematch yet."""
        return self._get_successor_key(key, "again")

    def link_rematch(self, table: str, links: Sequence[Link]) -> None:
        """Connect the seats of a table with those of its rematch, unless it has a rematch already.

        Seats that are claimed here are claimed there, too.

        Args:
            table: The finished table.
            links: The links of the rematch.
        """
        self._connect_seats(table, links, "again", _links.c.again == "")

    def get_trial_key(self, key: str) -> str:
        """Return the key of the same seat at the table where all try house rules; empty if there is none."""
        return self._get_successor_key(key, "tried")

    def link_trial(self, table: str, links: Sequence[Link]) -> None:
        """Connect the seats of a table with those of a table where all try house rules; it replaces an earlier one.

        Args:
            table: The table that goes on under other rules.
            links: The links of the table for the trial.
        """
        self._connect_seats(table, links, "tried")

    def _get_successor_key(self, key: str, column: str) -> str:
        """Return the key of the same seat at a later table, from `column` of a link; empty if there is none."""
        with self.transaction() as connection:
            return str(connection.execute(select(_links.c[column]).where(_links.c.key == key)).scalar() or "")

    def _connect_seats(self, table: str, links: Sequence[Link], column: str, *conditions: ColumnElement[bool]) -> None:
        """Write into `column` of each old link the key of the same seat's new link, and copy `taken` to that."""
        new_links = {link.seat: link for link in links}
        with self.transaction() as connection:
            for row in connection.execute(select(_links).where(_links.c.table_id == table, *conditions)).all():
                new_key = new_links[row.seat].key
                connection.execute(update(_links).where(_links.c.key == row.key).values({column: new_key}))
                connection.execute(update(_links).where(_links.c.key == new_key).values(taken=row.taken))

    def hand_over_seat(self, table: str, seat: int, bot: str) -> bool:
        """Give a seat to another person or to a bot, and return True if it succeeded. The old key is no longer valid.

        A claimed seat can only go to a bot: another person would see the hidden cards of the one who claimed it.

        Args:
            table: The ID of the table.
            seat: The seat at the table.
            bot: The kind of bot; empty for a person.
        """
        key = secrets.token_urlsafe(KEY_BYTES)
        conditions = [_links.c.table_id == table, _links.c.seat == seat, *([] if bot else [_links.c.taken == 0])]
        statement = update(_links).where(*conditions).values(key=key, bot=bot)
        with self.transaction() as connection:
            count = connection.execute(statement).rowcount
            self._notify_servers(connection, table, 0)
        return bool(count)

    def _select_links(self, query: Select[Any], value: str) -> list[Link]:
        """Return the links that a query selects for a value, in the order of the database."""
        with self.transaction() as connection:
            rows = connection.execute(query, {"value": value})
            return [Link(row.key, row.table_id, row.seat, row.bot, bool(row.sealed), bool(row.taken)) for row in rows]

    # --- the database

    def close(self) -> None:
        """Close the connections to the database."""
        self.engine.dispose()

    def _notify_servers(self, connection: Connection, table: str, version: int) -> None:
        """Notify the other servers of a new version when the transaction is committed; 0 if the version is unknown."""
        if self.is_postgresql:
            notice = {"channel": CHANNEL, "news": f"{table} {version}"}
            connection.execute(text("select pg_notify(:channel, :news)"), notice)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Yield a connection in a transaction, which is rolled back on an exception.

        Raises:
            IntegrityError: A row conflicts with others.
            StoreError: The database cannot be used.
        """
        try:
            with self.engine.begin() as connection:
                yield connection
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            raise StoreError(
                f"the database cannot be used: {_describe_error(error)}",
                "check that it is running and can be written to",
            ) from error


# built once: each answer to a question at a table asks them
_ALL_LINKS = select(_links, _tables.c.sealed).join(_tables)
_LINK_OF_KEY = _ALL_LINKS.where(_links.c.key == bindparam("value"))
_LINKS_OF_TABLE = _ALL_LINKS.where(_links.c.table_id == bindparam("value"))
_own_link = _links.alias()
_LINKS_BESIDE_KEY = _ALL_LINKS.where(
    _links.c.table_id == select(_own_link.c.table_id).where(_own_link.c.key == bindparam("value")).scalar_subquery()
)
_MARK_USED = text(f"update tables set used = :now where id = :name and used < :now - {USE_UPDATE_INTERVAL}")


# columns that older releases did not have, with their types and defaults
ADDED_COLUMNS = {
    ("tables", "sealed"): "integer default 0",
    ("links", "taken"): "integer default 0",
    ("links", "again"): "varchar(40) default ''",
    ("links", "tried"): "varchar(40) default ''",
}


def _add_missing_columns(connection: Connection) -> None:
    """Add the columns that a database of an older release lacks."""
    existing = {
        (table.name, column["name"]) for table in (_tables, _links) for column in _inspect_columns(connection, table)
    }
    if ("tables", "used") not in existing:
        connection.execute(text("alter table tables add column used float default 0 not null"))
        connection.execute(update(_tables).values(used=time.time()))
    for (table, column), column_type in ADDED_COLUMNS.items():
        if (table, column) not in existing:
            connection.execute(text(f"alter table {table} add column {column} {column_type} not null"))


def _inspect_columns(connection: Connection, table: Table) -> Any:
    return inspect(connection).get_columns(table.name)


def _sort_links(links: Iterable[Link]) -> list[Link]:
    """Return links in their order: the host's, the onlookers', then those of the seats."""
    order = {HOST: -2, ONLOOKER: -1}
    return sorted(links, key=lambda link: order.get(link.seat, link.seat))


def _line_row(table: str, number: int, line: bytes) -> dict[str, Any]:
    """Return the row of the database for one line of a table's journal."""
    return {"table_id": table, "number": number, "line": line}


def _describe_error(error: SQLAlchemyError) -> str:
    """Return the first line of the database driver's own message."""
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]


def _create_engine(address: str) -> Engine:
    """Return a database engine.

    Raises:
        StoreError: The address is invalid, or the driver of its database is not installed.
    """
    drivers = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
    scheme, colon, rest = address.partition("://")
    if not colon or scheme not in drivers:
        visible = f"{scheme}://..." if colon else address  # the rest may hold a password
        raise StoreError(f"`{visible}` is not a database URL", "write sqlite:///FILE or postgresql://USER@HOST/NAME")
    try:
        sizes = {"pool_size": CONNECTIONS, "max_overflow": CONNECTIONS}
        engine = create_engine(f"{drivers[scheme]}://{rest}", pool_pre_ping=scheme != "sqlite", **sizes)
    except ImportError:
        raise StoreError("PostgreSQL needs psycopg", "pip install 'kingsburg[web,postgres]'") from None
    except SQLAlchemyError as error:
        raise StoreError(f"the database URL cannot be used: {_describe_error(error)}", "check the URL") from None
    if scheme == "sqlite":
        _create_private_file(engine.url.database)
        event.listen(engine, "connect", _configure_sqlite)
    return engine


def _create_private_file(file: str | None) -> None:
    """Create a missing database file that only this user can read, because it holds the keys of all seats."""
    if file and file != ":memory:":
        with suppress(OSError):  # the first use of the file reports the error
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))


def _configure_sqlite(connection: Any, _: Any) -> None:
    """Make each commit durable, and let readers and writers work at the same time."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
