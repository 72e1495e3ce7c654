"""Where tables are kept: the lines of their journals, and who may sit where. One store may serve any number of servers.

Lines are only ever added, each under the next number. Two servers that add a line at once both try the same number, and
the database lets one of them: the other gets `LineTaken`, reads what was added, and asks again.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
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
    String,
    Table,
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

ID_BYTES = 9  # of a table: known to all at it
MOST_BOT = 80  # characters of a bot's name
KEY_BYTES = 18  # of a link: whoever knows it has the seat
CHANNEL = "edict_news"  # on which servers tell each other of new lines
LONGEST_TITLE = 200
OFTEN = 3600.0  # seconds after which it is noted again that a table is used
CONNECTIONS = 10  # to the database that are kept open, and as many more when needed

META = MetaData()
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
    Column("bot", String(MOST_BOT), nullable=False),
    Column("taken", Integer, nullable=False, server_default="0"),
    Column("again", String(40), nullable=False, server_default=""),
    Column("tried", String(40), nullable=False, server_default=""),
)


class LineTaken(Exception):
    """Somebody else has added a line first."""


class StoreError(Exception):
    """The store cannot be used. `reason` and `remedy` are for whoever runs the server."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table in a list. `made` is in seconds since 1970, `lines` counts its journal's lines."""

    id: str
    title: str
    made: float
    lines: int


class Store:
    """Tables in a database: `sqlite:///FILE` or `postgresql://USER@HOST/NAME`. Safe from any thread.

    alone: nobody else writes to it, so that nothing has to be looked for. Everything may raise `StoreError`.
    """

    def __init__(self, address: str, alone: bool = False) -> None:
        self.engine = _engine(address)
        self.alone = alone
        self.tells_others = self.engine.dialect.name == "postgresql"
        self.lay_out()

    def lay_out(self) -> None:
        """Create the database's tables that are not there yet."""
        with self.begun() as connection:
            if self.tells_others:  # two servers that start at once would both create them
                connection.execute(text("select pg_advisory_xact_lock(hashtext(:name))"), {"name": CHANNEL})
            META.create_all(connection)
            _brought_up_to_date(connection)

    def tell(self, changed: Callable[[], object]) -> None:
        """From now on `changed` is called whenever something was written."""
        event.listen(self.engine, "commit", lambda _: changed())

    # --- tables

    def add_table(
        self, title: str, lines: Sequence[bytes], bots: Sequence[str], sealed: bool = False
    ) -> tuple[str, list[Link]]:
        """A new table with the first lines of its journal, and its links as `links` gives them."""
        table = secrets.token_hex(ID_BYTES)
        kinds = [(HOST, ""), (ONLOOKER, ""), *enumerate(bots)]
        links = [Link(secrets.token_urlsafe(KEY_BYTES), table, seat, bot, sealed) for seat, bot in kinds]
        rows = [{"key": x.key, "table_id": table, "seat": x.seat, "bot": x.bot} for x in links]
        now = time.time()
        with self.begun() as connection:
            made = {"id": table, "title": title[:LONGEST_TITLE], "made": now, "used": now, "sealed": int(sealed)}
            connection.execute(insert(_tables).values(made))
            connection.execute(insert(_lines), [_row(table, number, line) for number, line in enumerate(lines)])
            connection.execute(insert(_links), rows)
        return table, links

    def tables(self) -> list[StoredTable]:
        """All tables, the newest first."""
        query = (
            select(_tables.c.id, _tables.c.title, _tables.c.made, func.count(_lines.c.number))
            .join(_lines)
            .group_by(_tables.c.id, _tables.c.title, _tables.c.made)
            .order_by(_tables.c.made.desc())
        )
        with self.begun() as connection:
            return [StoredTable(*row) for row in connection.execute(query)]

    def count(self) -> int:
        """How many tables there are."""
        with self.begun() as connection:
            return int(connection.execute(select(func.count()).select_from(_tables)).scalar_one())

    def forget(self, before: float) -> list[str]:
        """Delete the tables at which nobody has played since a time (in seconds since 1970); returns their names."""
        with self.begun() as connection:
            found = list(connection.execute(select(_tables.c.id).where(_tables.c.used < before)).scalars())
            for table in found:
                for rows in (_lines.c.table_id, _links.c.table_id, _tables.c.id):
                    connection.execute(delete(rows.table).where(rows == table))
        return found

    # --- lines of journals

    def add_lines(self, table: str, number: int, lines: Iterable[bytes]) -> None:
        """Add lines, the first under this number. Raises `LineTaken` if there is such a line."""
        rows = [_row(table, at, line) for at, line in enumerate(lines, number)]
        try:
            with self.begun() as connection:
                connection.execute(insert(_lines), rows)
                connection.execute(_USED, {"name": table, "now": time.time()})
                self._tell(connection, table, number + len(rows))
        except IntegrityError:
            raise LineTaken(table) from None

    def lines(self, table: str, first: int = 0) -> list[bytes]:
        """The lines of a table from one number on; none for a table there is not."""
        query = select(_lines.c.line).where(_lines.c.table_id == table, _lines.c.number >= first)
        with self.begun() as connection:
            return [bytes(line) for (line,) in connection.execute(query.order_by(_lines.c.number))]

    def first_lines(self) -> list[tuple[str, bytes]]:
        """The first line of each table, which says how its game was set up."""
        query = select(_lines.c.table_id, _lines.c.line).where(_lines.c.number == 0)
        with self.begun() as connection:
            return [(table, bytes(line)) for table, line in connection.execute(query)]

    def version(self, table: str) -> int:
        """How many lines a table has."""
        query = select(func.max(_lines.c.number)).where(_lines.c.table_id == table)
        with self.begun() as connection:
            last = connection.execute(query).scalar_one()
        return 0 if last is None else int(last) + 1

    def added(self, since: int | None) -> tuple[int, dict[str, int]]:
        """How far the lines of all tables go, and which tables have new ones since then, with their versions.

        Only in SQLite, where rows are numbered in the order in which they are added. None: from now on.
        """
        row: ColumnElement[int] = literal_column("lines.rowid", Integer)
        with self.begun() as connection:
            last = int(connection.execute(select(func.max(row)).select_from(_lines)).scalar_one() or 0)
            if since is None or since >= last:
                return last, {}
            new = select(_lines.c.table_id, func.max(_lines.c.number)).where(row > since, row <= last)
            found = connection.execute(new.group_by(_lines.c.table_id))
            return last, {table: int(number) + 1 for table, number in found}

    # --- links

    def link(self, key: str) -> Link | None:
        """What a key opens; None, if nothing."""
        found = self._links(_links.c.key == key)
        return found[0] if found else None

    def links(self, table: str) -> list[Link]:
        """All links of a table: the host's, the onlookers', then the seats' in their order."""
        order = {HOST: -2, ONLOOKER: -1}
        return sorted(self._links(_links.c.table_id == table), key=lambda link: order.get(link.seat, link.seat))

    def take(self, key: str) -> str | None:
        """Take the free seat of a link, which opens nothing any more; gives the new key. None if it is not free."""
        new = secrets.token_urlsafe(KEY_BYTES)
        sealed = select(_tables.c.id).where(_tables.c.sealed == 1)
        free = (
            _links.c.key == key,
            _links.c.taken == 0,
            _links.c.seat >= 0,
            _links.c.bot == "",
            _links.c.table_id.in_(sealed),
        )
        with self.begun() as connection:
            return new if connection.execute(update(_links).where(*free).values(key=new, taken=1)).rowcount else None

    def again(self, key: str) -> str:
        """The key of the same seat at the table of the rematch; empty if there is none yet."""
        return self._elsewhere(key, "again")

    def play_again(self, table: str, links: Sequence[Link]) -> None:
        """These are the seats of a table's rematch, unless it has one. Who has taken a seat has it there, too."""
        self._go_on(table, links, "again", _links.c.again == "")

    def tried(self, key: str) -> str:
        """The key of the same seat at the table where all try other rules; empty if there is none."""
        return self._elsewhere(key, "tried")

    def try_out(self, table: str, links: Sequence[Link]) -> None:
        """These are the seats of the table where all try other rules, in place of an earlier one."""
        self._go_on(table, links, "tried")

    def _elsewhere(self, key: str, where: str) -> str:
        with self.begun() as connection:
            return str(connection.execute(select(_links.c[where]).where(_links.c.key == key)).scalar() or "")

    def _go_on(self, table: str, links: Sequence[Link], where: str, *unless: ColumnElement[bool]) -> None:
        new = {link.seat: link for link in links}
        with self.begun() as connection:
            for row in connection.execute(select(_links).where(_links.c.table_id == table, *unless)).all():
                found = new[row.seat].key
                connection.execute(update(_links).where(_links.c.key == row.key).values({where: found}))
                connection.execute(update(_links).where(_links.c.key == found).values(taken=row.taken))

    def hand_over(self, table: str, seat: int, bot: str) -> bool:
        """Give a seat to somebody else, or to a bot: its old link opens nothing any more. False without such a seat.

        One that was taken goes to bots alone: whoever got a new link to it would see what the other had in hand.
        """
        key = secrets.token_urlsafe(KEY_BYTES)
        whose = [_links.c.table_id == table, _links.c.seat == seat, *([] if bot else [_links.c.taken == 0])]
        change = update(_links).where(*whose).values(key=key, bot=bot)
        with self.begun() as connection:
            changed = connection.execute(change).rowcount
            self._tell(connection, table, 0)
        return bool(changed)

    def _links(self, condition: Any) -> list[Link]:
        with self.begun() as connection:
            rows = connection.execute(select(_links, _tables.c.sealed).join(_tables).where(condition))
            return [Link(x.key, x.table_id, x.seat, x.bot, bool(x.sealed), bool(x.taken)) for x in rows]

    # --- the database

    def close(self) -> None:
        self.engine.dispose()

    def _tell(self, connection: Connection, table: str, version: int) -> None:
        """Tell other servers, as soon as what was written can be read."""
        if self.tells_others:
            notice = {"channel": CHANNEL, "news": f"{table} {version}"}
            connection.execute(text("select pg_notify(:channel, :news)"), notice)

    @contextmanager
    def begun(self) -> Iterator[Connection]:
        """A piece of work that is done whole or not at all."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except IntegrityError:
            raise
        except SQLAlchemyError as problem:
            raise StoreError(
                f"the database cannot be used: {_reason(problem)}", "check that it is running and can be written to"
            ) from problem


_USED = text(f"update tables set used = :now where id = :name and used < :now - {OFTEN}")


LATER = {
    ("tables", "sealed"): "integer default 0",
    ("links", "taken"): "integer default 0",
    ("links", "again"): "varchar(40) default ''",
    ("links", "tried"): "varchar(40) default ''",
}


def _brought_up_to_date(connection: Connection) -> None:
    """What older releases have made gets the columns that came later."""
    known = {(table.name, column["name"]) for table in (_tables, _links) for column in _columns(connection, table)}
    if ("tables", "used") not in known:
        connection.execute(text("alter table tables add column used float default 0 not null"))
        connection.execute(update(_tables).values(used=time.time()))
    for (table, column), kind in LATER.items():
        if (table, column) not in known:
            connection.execute(text(f"alter table {table} add column {column} {kind} not null"))


def _columns(connection: Connection, table: Table) -> Any:
    return inspect(connection).get_columns(table.name)


def _row(table: str, number: int, line: bytes) -> dict[str, Any]:
    return {"table_id": table, "number": number, "line": line}


def _reason(problem: SQLAlchemyError) -> str:
    return str(getattr(problem, "orig", None) or problem).strip().splitlines()[0]


def _engine(address: str) -> Engine:
    """Raises `StoreError` for an address that is none, or of a database nobody has installed."""
    drivers = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
    scheme, colon, rest = address.partition("://")
    if not colon or scheme not in drivers:
        shown = f"{scheme}://..." if colon else address  # what follows may hold a password
        raise StoreError(f"`{shown}` is not a database URL", "write sqlite:///FILE or postgresql://USER@HOST/NAME")
    try:
        sizes = {"pool_size": CONNECTIONS, "max_overflow": CONNECTIONS}
        engine = create_engine(f"{drivers[scheme]}://{rest}", pool_pre_ping=scheme != "sqlite", **sizes)
    except ImportError:
        raise StoreError("PostgreSQL needs psycopg", "pip install 'kingsburg[web,postgres]'") from None
    except SQLAlchemyError as problem:
        raise StoreError(f"the database URL cannot be used: {_reason(problem)}", "check the URL") from None
    if scheme == "sqlite":
        _make_private(engine.url.database)
        event.listen(engine, "connect", _settle)
    return engine


def _make_private(file: str | None) -> None:
    """A file that is not there yet is made for this user alone: it holds the keys of all seats, and the server's."""
    if file and file != ":memory:":
        with suppress(OSError):  # what is wrong with it is said when it is used
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))


def _settle(connection: Any, _: Any) -> None:
    """What is written is on the disk; readers do not wait for writers."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
