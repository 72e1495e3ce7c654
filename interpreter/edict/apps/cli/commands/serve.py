"""The commands `serve` for tables in the browser, `studio` for variants, and `games tables` for stored tables."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
import webbrowser
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edict.agents.bots import BOTS
from edict.agents.bots.user_bots import PROCESS_SUFFIX
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError, parse_file_path, to_path
from edict.apps.cli.playing import saved_games
from edict.apps.cli.rules_by_name import default_game, load_rules_with_notes, read_shipped_game_name
from edict.apps.cli.shared_options import JSON, print_document, validate_format
from edict.apps.web.connection_bounds import Limits
from edict.support.files import OutputTarget
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal

if TYPE_CHECKING:
    from edict.apps.web.live_tables import Link
    from edict.apps.web.store import Store
    from edict.apps.web.studio.open_variants import StudioServer
    from edict.apps.web.table_server import TableServer

STORE_FILE = "tables.sqlite"
VARIANTS = "variants"
# the first parts of the server's own addresses
PAGES = frozenset("gallery host notices play primer room rooms rules seat shared static studio tables".split())
ANY_ADDRESS = ("0.0.0.0", "::")  # addresses that listen on all interfaces

ServeHost = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")]
ServePort = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on.")]
ServeNames = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="HOST", help="Extra host name to accept, for example behind a proxy; repeatable."),
]
ServeRoot = Annotated[
    str,
    typer.Option(
        "--root-path", metavar="PATH", help="Path at which a proxy has the server, such as /games [default: none]."
    ),
]
ServeStore = Annotated[
    str,
    typer.Option("--store", metavar="URL", help="Database for the tables [default: a file next to the saved games]."),
]
ServeWorkers = Annotated[int, typer.Option("--bot-workers", metavar="N", min=1, help="Number of processes for bots.")]
ServeBots = Annotated[
    list[str] | None,
    typer.Option(
        "--bot",
        metavar="KIND",
        autocompletion=o.bot_names,
        help="Extra bot to offer (a kind, or module:Class); repeatable.",
    ),
]
VariantsFolder = Annotated[
    Path | None,
    typer.Argument(
        parser=to_path,
        metavar="[FOLDER]",
        help="Folder for the variants [default: next to the saved games].",
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
        help=f"Change a limit; repeatable. The limits and their defaults: {Limits().to_text()}.",
    ),
]
ServeOpen = Annotated[
    list[Path] | None,
    typer.Option(
        "--open",
        parser=parse_file_path,
        metavar="FILE",
        autocompletion=o.saved_names,
        help="Open a table for a saved game; repeatable.",
    ),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")]
OneTable = Annotated[str, typer.Argument(metavar="[TABLE]", help="A table to save [default: list them].")]
GameFile = Annotated[
    Path | None, o.path_option("--output", "-o", metavar="FILE", help="Save the game here [default: among your games].")
]


def serve(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    host: ServeHost = "127.0.0.1",
    port: ServePort = 8000,
    names: ServeNames = None,
    root_path: ServeRoot = "",
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
    default_rules = _resolve_default_rules(o.merge_game_arguments(game, named), tuple(modules or ()))
    root = _validate_root_path(root_path)
    return _run_server(ServeOptions(host, port, tables, tuple(games or ()), not no_browser, default_rules, root=root))


def studio(
    folder: VariantsFolder = None,
    host: ServeHost = "127.0.0.1",
    port: ServePort = 8000,
    names: ServeNames = None,
    root_path: ServeRoot = "",
    store: ServeStore = "",
    bots: ServeBots = None,
    workers: ServeWorkers = 1,
    forget_after: ServeForget = 365,
    limits: ServeLimits = None,
    no_browser: NoBrowser = False,
) -> int:
    """Serve tables and the studio until Ctrl-C; returns the exit code."""
    tables = TableOptions(store, workers, forget_after, tuple(limits or ()), tuple(bots or ()), tuple(names or ()))
    return _run_server(
        ServeOptions(
            host,
            port,
            tables,
            (),
            not no_browser,
            variants=folder or default_variants_folder(),
            root=_validate_root_path(root_path),
        )
    )


@dataclass(frozen=True)
class TableOptions:
    """The options for tables in the browser."""

    store: str  # database URL; empty for a file beside the saved games
    workers: int  # processes in which bots think
    forget_after: int  # days without an answer after which a table is deleted; 0 for never
    limits: tuple[str, ...]  # as NAME=VALUE
    bots: tuple[str, ...] = ()  # kinds that can take a seat besides the built-in ones
    names: tuple[str, ...] = ()  # host names of the server, besides those of this machine


@dataclass(frozen=True)
class ServeOptions:
    """The options of a server."""

    host: str
    port: int
    tables: TableOptions
    games: tuple[Path, ...]  # saved games to open tables for
    browser: bool  # whether to open a browser
    default_rules: tuple[str, ...] = ("",)  # the game and modules that are preselected for a new table
    variants: Path | None = None  # folder of the studio; None for no studio
    root: str = ""  # path at which a proxy has the server


def _run_server(options: ServeOptions) -> int:
    """Serve tables, and the studio if there is a folder for variants, until Ctrl-C; return the exit code."""
    try:
        from edict.apps.web.web_server import open_listening_socket, serve
    except ImportError as missing:
        raise _missing_library_error(missing) from None
    limits, store, bots = (
        _parse_limits(options.tables.limits),
        _open_store(options.tables.store),
        _validate_bots(options.tables.bots),
    )
    from edict.apps.web.middleware import get_local_host_names
    from edict.apps.web.new_tables import TableOffer
    from edict.apps.web.table_server import TableServer

    offer = TableOffer(bots, options.default_rules[0], options.default_rules[1:])
    try:
        listener = open_listening_socket(options.host, options.port)
    except (OSError, OverflowError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).partition(" (while")[0]
        raise UsageError(
            f"cannot listen on {options.host}, port {options.port}: {reason}", "use another --port or --host"
        ) from None
    base = _browser_address(listener, options.host) + options.root
    tables = options.tables
    names = get_local_host_names() | {options.host.casefold(), *(name.casefold() for name in tables.names)}
    server = TableServer(store, offer, tables.workers, limits, forget_after=tables.forget_after, names=names)
    try:
        for file in options.games:
            _print_links(asyncio.run(_open_table(server, file)), base)
    except BaseException:
        listener.close()
        server.close()
        raise
    studio = _open_studio(server, options.variants) if options.variants is not None else None
    start = f"{base}/studio/all/{studio.all_key}" if studio is not None else f"{base}/"
    label = "Open the studio at" if studio is not None else "Open a table at"
    print(f"{label} {start} (Ctrl-C stops the server)", flush=True)
    if options.browser and sys.stdout.isatty():
        webbrowser.open(start)
    serve(server, listener, studio, options.root)
    return 0


def default_variants_folder() -> Path:
    """Return the folder of variants if none is named."""
    return saved_games.folder() / VARIANTS


def _open_studio(server: TableServer, folder: Path) -> StudioServer:
    """Create the studio over a folder of variants; raise `UsageError` if the folder cannot be used."""
    from edict.apps.web.studio.open_variants import StudioServer
    from edict.tools.studio.collection import Collection

    try:
        return StudioServer(server, Collection(folder))
    except OSError as error:
        raise UsageError(f"{folder} cannot be used: {error.strerror}", "name another folder") from None


def tables(
    table: OneTable = "",
    address: ServeStore = "",
    output: GameFile = None,
    force: o.Force = False,
    form: o.DataFormat = "text",
) -> int:
    """Print the tables of a store, or (`output`) write the game of one to a file, to continue it at the terminal."""
    validate_format(form)
    store = _open_store(address)
    if not table:
        creation_times = {
            stored.id: datetime.fromtimestamp(stored.made).strftime("%Y-%m-%d %H:%M") for stored in store.list_tables()
        }
        if form == JSON:
            print_document(
                "tables",
                tables=[
                    {"id": stored.id, "made": creation_times[stored.id], "lines": stored.lines, "title": stored.title}
                    for stored in store.list_tables()
                ],
            )
            return 0
        for stored in store.list_tables():
            print(f"{stored.id}  {creation_times[stored.id]}  {stored.lines:>5} lines  {stored.title}")
        return 0
    if table not in {stored.id for stored in store.list_tables()}:
        raise UsageError(f"there is no table `{table}`", "`games tables` without a name lists them")
    file = output or saved_games.choose_new_file(table)
    if file is None:
        raise UsageError("cannot save to your games folder", "name a file with --output")
    OutputTarget(file, force).write(b"".join(store.lines(table)).decode())
    print(escape_terminal(f"Saved as {file}; continue with: {saved_games.format_command(file)}"))
    return 0


async def _open_table(server: TableServer, file: Path) -> list[Link]:
    """Open a table for a saved game and return its links."""
    from edict.game.table.journal import read_journal_bytes

    return await server.tables.adopt(read_journal_bytes(saved_games.find_game(file)), server.offer.bots)


def _print_links(links: list[Link], base: str) -> None:
    """Print a table's links below the address `base`: of the host, of each seat or its bot, and of onlookers."""
    host, onlookers, *seats = links
    print(f"Table {host.table}: {base}/host/{host.key}")
    for link in seats:
        print(f"  seat {link.seat + 1}: " + (f"the bot {link.bot}" if link.bot else f"{base}/seat/{link.key}"))
    print(f"  onlookers: {base}/seat/{onlookers.key}")


def _browser_address(listener: socket.socket, host: str) -> str:
    """Return the address to type into a browser."""
    name = socket.gethostname() if host in ANY_ADDRESS else host
    return f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}"


def _validate_root_path(path: str) -> str:
    """Return a path as `/games`, or an empty text for none; raise `UsageError` for anything else.

    A name of the server's own pages would be ambiguous where a proxy takes the path off.
    """
    parts = path.strip("/").split("/")
    if parts == [""]:
        return ""
    if not all(re.fullmatch(r"[\w~-][\w.~-]*", part, re.ASCII) for part in parts):
        raise UsageError(f"`{path}` is not a path", "write it as in `--root-path /games`")
    if parts[0] in PAGES:
        raise UsageError(f"the server has pages of its own at `/{parts[0]}`", "use another path, such as `/games`")
    return f"/{'/'.join(parts)}"


def _resolve_default_rules(game: str, modules: tuple[str, ...]) -> tuple[str, ...]:
    """Return the game and modules that are preselected for a new table.

    Rules other than the game that ships are loaded first; raises `RulesError` if they cannot be played.
    """
    game_name = game or default_game()
    if modules or game_name != read_shipped_game_name():
        rules = load_rules_with_notes(game_name, modules)
        return rules.name, *rules.modules
    return (game_name,)


def _parse_limits(texts: tuple[str, ...]) -> Limits:
    """Return the server's limits changed by `--limit` texts; raise `UsageError` if one is invalid."""
    try:
        return Limits().with_changes(texts)
    except ValueError as error:
        raise UsageError(f"invalid value for --limit: {error}", "`serve --help` lists the limits") from None


def _validate_bots(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds of bots that can take a seat; Python code is tried in a separate process, where it will run."""
    from edict.apps.web.store import MAX_BOT_LENGTH

    for kind in kinds:
        if len(kind) > MAX_BOT_LENGTH:
            raise UsageError(f"the name of the bot `{kind}` is too long", f"use at most {MAX_BOT_LENGTH} characters")
        BOTS.validate(f"{kind.removesuffix(PROCESS_SUFFIX)}{PROCESS_SUFFIX}" if BOTS.is_user_code(kind) else kind)
    return kinds


def _open_store(address: str) -> Store:
    """Open the database at an address, empty for the default; raise `UsageError` if it cannot be opened."""
    try:
        from edict.apps.web.store import Store
    except ImportError as missing:
        raise _missing_library_error(missing) from None
    return Store(address or _default_store_url())


def _missing_library_error(missing: ImportError) -> UsageError:
    """Return the error for a library of the extra `web` that is not there."""
    return UsageError(f"{missing.name} is not installed", "pip install 'kingsburg[web]'")


def _default_store_url() -> str:
    """Return the URL of an SQLite file in the folder of saved games, which is created if needed."""
    try:
        saved_games.folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = f"{saved_games.folder()} cannot be created: {error.strerror}"
        raise UsageError(reason, "name a database with --store") from None
    return f"sqlite:///{saved_games.folder() / STORE_FILE}"
