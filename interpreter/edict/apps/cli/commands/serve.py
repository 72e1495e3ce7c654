"""`serve`: tables in the browser. `studio`: the workshop for variants. `games tables`: those that a store holds."""

from __future__ import annotations

import asyncio
import socket
import sys
import webbrowser
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edict.agents.bots import BOTS
from edict.agents.bots.agents import PROCESS
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.option_values import JSON, a_file, a_path, checked_form, print_json
from edict.apps.cli.playing import saved_games
from edict.apps.cli.rules_by_name import default_game, rules_of, shipped_game
from edict.apps.cli.who_plays import checked_kind
from edict.apps.web.quotas import Limits
from edict.support.files import OutputTarget
from edict.support.rendering import escape_terminal

if TYPE_CHECKING:
    from edict.apps.web.live_tables import Link
    from edict.apps.web.store import Store
    from edict.apps.web.studio.open_variants import StudioServer
    from edict.apps.web.table_server import TableServer

FILE = "tables.sqlite"
VARIANTS = "variants"
EVERYWHERE = ("0.0.0.0", "::")

ServeHost = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")]
ServePort = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on.")]
ServeNames = Annotated[
    list[str] | None,
    typer.Option(
        "--name", metavar="HOST", help="A name of this server, as behind a proxy, by which browsers ask it; repeatable."
    ),
]
ServeStore = Annotated[
    str,
    typer.Option("--store", metavar="URL", help="Database for the tables [default: a file beside the saved games]."),
]
ServeWorkers = Annotated[int, typer.Option("--bot-workers", metavar="N", min=1, help="Processes in which bots think.")]
ServeBots = Annotated[
    list[str] | None,
    typer.Option(
        "--bot",
        metavar="KIND",
        autocompletion=o.bot_names,
        help="Another bot that can take a seat (a kind, or module:Class); repeatable.",
    ),
]
VariantsFolder = Annotated[
    Path | None,
    typer.Argument(
        parser=a_path,
        metavar="[FOLDER]",
        help="Folder with a folder for each variant [default: one beside the saved games].",
    ),
]
ServeForget = Annotated[
    int,
    typer.Option(
        "--forget-after",
        metavar="DAYS",
        min=0,
        help="Delete a table after this many days without play; 0 keeps all.",
    ),
]
ServeLimits = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=VALUE",
        help=f"Change a limit; repeatable. The limits and their defaults: {Limits().in_words()}.",
    ),
]
ServeOpen = Annotated[
    list[Path] | None,
    typer.Option(
        "--open",
        parser=a_file,
        metavar="FILE",
        autocompletion=o.saved_names,
        help="Open a table for a saved game; repeatable.",
    ),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")]
OneTable = Annotated[str, typer.Argument(metavar="[TABLE]", help="A table to save [default: list them].")]
GameFile = Annotated[
    Path | None, o.path("--output", "-o", metavar="FILE", help="Save the game here [default: among your games].")
]


def serve(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    host: ServeHost = "127.0.0.1",
    port: ServePort = 8000,
    names: ServeNames = None,
    store: ServeStore = "",
    games: ServeOpen = None,
    bots: ServeBots = None,
    workers: ServeWorkers = 1,
    forget_after: ServeForget = 365,
    limits: ServeLimits = None,
    no_browser: NoBrowser = False,
) -> int:
    """Serve tables until Ctrl-C; returns the exit code."""
    tables = TableOptions(store, workers, forget_after, tuple(limits or ()), tuple(bots or ()), tuple(names or ()))
    begins = _begins_with(o.one_game(game, named), tuple(modules or ()))
    return _serve(ServeOptions(host, port, tables, tuple(games or ()), not no_browser, begins))


def studio(
    folder: VariantsFolder = None,
    host: ServeHost = "127.0.0.1",
    port: ServePort = 8000,
    names: ServeNames = None,
    store: ServeStore = "",
    bots: ServeBots = None,
    workers: ServeWorkers = 1,
    forget_after: ServeForget = 365,
    limits: ServeLimits = None,
    no_browser: NoBrowser = False,
) -> int:
    """Serve tables and the studio until Ctrl-C; returns the exit code."""
    tables = TableOptions(store, workers, forget_after, tuple(limits or ()), tuple(bots or ()), tuple(names or ()))
    return _serve(ServeOptions(host, port, tables, (), not no_browser, variants=folder or usual_variants()))


@dataclass(frozen=True)
class TableOptions:
    """store: a database URL, by default a file beside the saved games. workers: processes in which bots think.

    forget_after: days without an answer after which a table is deleted; 0: never. limits: as `NAME=VALUE`.
    bots: kinds that can take a seat besides the usual ones. names: of the server, besides those of this machine.
    """

    store: str
    workers: int
    forget_after: int
    limits: tuple[str, ...]
    bots: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class ServeOptions:
    """host, port: where it listens. games: saved games for which tables are opened. browser: whether to show it.

    begins: the game with which a new table begins, and its modules. variants: the folder of the studio; without one
    there is none.
    """

    host: str
    port: int
    tables: TableOptions
    games: tuple[Path, ...]
    browser: bool
    begins: tuple[str, ...] = ("",)
    variants: Path | None = None


def _serve(options: ServeOptions) -> int:
    """Serve tables, and the studio if there is a folder for variants, until Ctrl-C; returns the exit code."""
    limits, store, bots = _limits(options.tables.limits), _store(options.tables.store), _bots(options.tables.bots)
    from edict.apps.web.middleware import names_of_this_machine
    from edict.apps.web.new_tables import TableOffer
    from edict.apps.web.table_server import TableServer
    from edict.apps.web.web_server import listening, run

    offer = TableOffer(bots, options.begins[0], options.begins[1:])
    try:
        place = listening(options.host, options.port)
    except (OSError, OverflowError) as problem:
        reason = (getattr(problem, "strerror", None) or str(problem)).partition(" (while")[0]
        raise UsageError(
            f"cannot listen on {options.host}, port {options.port}: {reason}", "give another --port or --host"
        ) from None
    base = _address(place, options.host)
    tables = options.tables
    names = names_of_this_machine() | {options.host.casefold(), *(name.casefold() for name in tables.names)}
    serving = TableServer(store, offer, tables.workers, limits, forget_after=tables.forget_after, names=names)
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
    return saved_games.folder() / VARIANTS


def _studio(serving: TableServer, folder: Path) -> StudioServer:
    from edict.apps.web.studio.open_variants import StudioServer
    from edict.tools.studio.collection import Collection

    try:
        return StudioServer(serving, Collection(folder))
    except OSError as problem:
        raise UsageError(f"{folder} cannot be used: {problem.strerror}", "name another folder") from None


def tables(
    table: OneTable = "",
    address: ServeStore = "",
    output: GameFile = None,
    force: o.Force = False,
    form: o.DataFormat = "text",
) -> int:
    """Print the tables of a store, or (`output`) write the game of one to a file, to continue it at the terminal."""
    checked_form(form)
    store = _store(address)
    if not table:
        made = {one.id: datetime.fromtimestamp(one.made).strftime("%Y-%m-%d %H:%M") for one in store.tables()}
        if form == JSON:
            print_json(
                [{"id": one.id, "made": made[one.id], "lines": one.lines, "title": one.title} for one in store.tables()]
            )
            return 0
        for one in store.tables():
            print(f"{one.id}  {made[one.id]}  {one.lines:>5} lines  {one.title}")
        return 0
    if table not in {one.id for one in store.tables()}:
        raise UsageError(f"there is no table `{table}`", "`games tables` without a name lists them")
    file = output or saved_games.fresh(table)
    if file is None:
        raise UsageError("games cannot be saved in your folder of games", "name a file with --output")
    OutputTarget(file, force).write(b"".join(store.lines(table)).decode())
    print(escape_terminal(f"Saved as {file}; continue with: {saved_games.command(file)}"))
    return 0


async def _opened(serving: TableServer, file: Path) -> list[Link]:
    """A table for a saved game."""
    from edict.game.table.journal import read_journal_bytes

    return await serving.tables.adopt(read_journal_bytes(saved_games.find_game(file)), serving.offer.bots)


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


def _begins_with(game: str, modules: tuple[str, ...]) -> tuple[str, ...]:
    """The game, and what is laid over it, by which a new table begins; raises `RulesError` if that cannot be played."""
    found = game or default_game()
    if modules or found != shipped_game():
        rules = rules_of(found, modules)
        return rules.name, *rules.modules
    return (found,)


def _limits(words: tuple[str, ...]) -> Limits:
    try:
        return Limits().changed(words)
    except ValueError as problem:
        raise UsageError(f"invalid value for --limit: {problem}", "`serve --help` lists the limits") from None


def _bots(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The bots that may take a seat. Code runs in processes of its own, so it is tried in one."""
    from edict.apps.web.store import MOST_BOT

    for kind in kinds:
        if len(kind) > MOST_BOT:
            raise UsageError(f"the name of the bot `{kind}` is too long", f"at most {MOST_BOT} characters are kept")
        checked_kind(f"{kind.removesuffix(PROCESS)}{PROCESS}" if BOTS.is_code(kind) else kind)
    return kinds


def _store(address: str) -> Store:
    try:
        import edict.apps.web.web_server  # noqa: F401  (whether all of the extra is there)
        from edict.apps.web.store import Store, StoreError
    except ImportError as missing:
        raise UsageError(f"{missing.name} is not installed", "pip install 'kingsburg[web]'") from None
    try:
        return Store(address or _usual_store())
    except StoreError as problem:
        raise UsageError(problem.reason, problem.remedy) from None


def _usual_store() -> str:
    try:
        saved_games.folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        reason = f"{saved_games.folder()} cannot be created: {problem.strerror}"
        raise UsageError(reason, "name a database with --store") from None
    return f"sqlite:///{saved_games.folder() / FILE}"
