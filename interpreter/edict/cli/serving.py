"""`serve`: tables in the browser. `tables`: those that a store holds."""

from __future__ import annotations

import asyncio
import socket
import sys
import webbrowser
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from edict.cli.errors import UsageError
from edict.bots import BOTS
from edict.bots.agents import PROCESS
from edict.cli.playing import saves
from edict.cli.playing.players import checked_kind
from edict.files import Target
from edict.web.quotas import Limits

if TYPE_CHECKING:
    from edict.web.table_server import TableServer
    from edict.web.live_tables import Link
    from edict.web.store import Store
    from edict.web.studio.open_variants import StudioServer

FILE = "tables.sqlite"
VARIANTS = "variants"
EVERYWHERE = ("0.0.0.0", "::")


@dataclass(frozen=True)
class TableOptions:
    """store: a database URL, by default a file beside the saved games. workers: processes in which bots think.

    forget_after: days without an answer after which a table is deleted; 0: never. limits: as `NAME=VALUE`.
    bots: kinds that can take a seat besides the usual ones.
    """

    store: str
    workers: int
    forget_after: int
    limits: tuple[str, ...]
    bots: tuple[str, ...] = ()


@dataclass(frozen=True)
class ServeOptions:
    """host, port: where it listens. games: saved games for which tables are opened. browser: whether to show it.

    variants: the folder of the studio; without one there is none.
    """

    host: str
    port: int
    tables: TableOptions
    games: tuple[Path, ...]
    browser: bool
    variants: Path | None = None


def serve(options: ServeOptions) -> int:
    """Serve tables, and the studio if there is a folder for variants, until Ctrl-C; returns the exit code."""
    limits, store, bots = _limits(options.tables.limits), _store(options.tables.store), _bots(options.tables.bots)
    from edict.web.web_app import listening, run
    from edict.web.table_server import TableServer
    from edict.web.new_tables import Offer

    try:
        place = listening(options.host, options.port)
    except (OSError, OverflowError) as problem:
        reason = (getattr(problem, "strerror", None) or str(problem)).partition(" (while")[0]
        raise UsageError(
            f"cannot listen on {options.host}, port {options.port}: {reason}", "give another --port or --host"
        ) from None
    base = _address(place, options.host)
    tables = options.tables
    serving = TableServer(store, Offer(bots), tables.workers, limits, forget_after=tables.forget_after)
    try:
        for file in options.games:
            _tell(asyncio.run(_opened(serving, file)), base)
    except BaseException:
        place.close()
        serving.close()
        raise
    studio = _studio(serving, options.variants) if options.variants is not None else None
    start = f"{base}/studio/all/{studio.all_key}" if studio is not None else f"{base}/"
    what = "Open the studio at" if studio is not None else "Open a table at"
    print(f"{what} {start} (Ctrl-C stops the server)", flush=True)
    if options.browser and sys.stdout.isatty():
        webbrowser.open(start)
    run(serving, place, studio)
    return 0


def usual_variants() -> Path:
    """Where the studio keeps variants unless a folder is named."""
    return saves.folder() / VARIANTS


def _studio(serving: TableServer, folder: Path) -> StudioServer:
    from edict.studio.collection import Collection
    from edict.web.studio.open_variants import StudioServer

    try:
        return StudioServer(serving, Collection(folder))
    except OSError as problem:
        raise UsageError(f"{folder} cannot be used: {problem.strerror}", "name another folder") from None


def list_tables(address: str, table: str, output: Path | None, force: bool) -> int:
    """Print the tables of a store, or (`output`) write the game of one to a file, to continue it at the terminal."""
    store = _store(address)
    if not table:
        for one in store.tables():
            made = datetime.fromtimestamp(one.made).strftime("%Y-%m-%d %H:%M")
            print(f"{one.id}  {made}  {one.lines:>5} lines  {one.title}")
        return 0
    lines = store.lines(table)
    if not lines:
        raise UsageError(f"there is no table `{table}`", "`tables` without a name lists them")
    file = output or saves.fresh(table)
    if file is None:
        raise UsageError("games cannot be saved in your folder of games", "name a file with --output")
    Target(file, force).write(b"".join(lines).decode())
    print(f"Saved as {file}; continue with: {saves.command(file)}")
    return 0


async def _opened(serving: TableServer, file: Path) -> list[Link]:
    """A table for a saved game."""
    from edict.table.journal import read_bytes

    return await serving.tables.adopt(read_bytes(saves.find(file)), serving.offer.bots)


def _tell(links: list[Link], base: str) -> None:
    host, onlookers, *seats = links
    print(f"Table {host.table}: {base}/host/{host.key}")
    for link in seats:
        print(f"  seat {link.seat + 1}: " + (f"the bot {link.bot}" if link.bot else f"{base}/seat/{link.key}"))
    print(f"  onlookers: {base}/seat/{onlookers.key}")


def _address(place: socket.socket, host: str) -> str:
    """The address to type into a browser."""
    name = socket.gethostname() if host in EVERYWHERE else host
    return f"http://{f'[{name}]' if ':' in name else name}:{place.getsockname()[1]}"


def _limits(words: tuple[str, ...]) -> Limits:
    try:
        return Limits().changed(words)
    except ValueError as problem:
        raise UsageError(f"invalid value for --limit: {problem}", "`serve --help` lists the limits") from None


def _bots(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The bots that may take a seat. Code runs in processes of its own, so it is tried in one."""
    from edict.web.store import MOST_BOT

    for kind in kinds:
        if len(kind) > MOST_BOT:
            raise UsageError(f"the name of the bot `{kind}` is too long", f"at most {MOST_BOT} characters are kept")
        checked_kind(f"{kind.removesuffix(PROCESS)}{PROCESS}" if BOTS.is_code(kind) else kind)
    return kinds


def _store(address: str) -> Store:
    try:
        import edict.web.web_app  # noqa: F401  (whether all of the extra is there)
        from edict.web.store import Store, StoreError
    except ImportError as missing:
        raise UsageError(f"{missing.name} is not installed", "pip install 'kingsburg[web]'") from None
    try:
        return Store(address or _usual_store())
    except StoreError as problem:
        raise UsageError(problem.reason, problem.remedy) from None


def _usual_store() -> str:
    try:
        saves.folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        reason = f"{saves.folder()} cannot be created: {problem.strerror}"
        raise UsageError(reason, "name a database with --store") from None
    return f"sqlite:///{saves.folder() / FILE}"
