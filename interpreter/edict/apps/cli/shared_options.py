"""The options and arguments that several commands take, as Typer reads them, and how a shell completes them.

A shell asks while somebody types: whatever goes wrong, there is nothing to complete, and nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.option_values import a_file, a_path

Complete = Callable[[typer.Context, str], list[str]]


def completing(names: Callable[[dict[str, Any]], Iterable[str]]) -> Complete:
    """Those of the names that begin as what was typed; they may depend on what stands before it."""

    def complete(context: typer.Context, incomplete: str) -> list[str]:
        try:
            return sorted({name for name in names(context.params) if name.startswith(incomplete)})
        except Exception:
            return []

    return complete


@completing
def rules_names(given: dict[str, Any]) -> Iterable[str]:
    from edict.compiler.sources.module_lookup import modules_here, named_everywhere

    return [*named_everywhere(), *(folder.name for folder in modules_here())]


@completing
def game_names(given: dict[str, Any]) -> Iterable[str]:
    return _of_kind("game")


@completing
def module_names(given: dict[str, Any]) -> Iterable[str]:
    return _of_kind("module", "scenario")


@completing
def saved_names(given: dict[str, Any]) -> Iterable[str]:
    from edict.apps.cli.playing import saved_games

    return [path.stem for path in saved_games.newest()]


@completing
def campaign_names(given: dict[str, Any]) -> Iterable[str]:
    from edict.apps.cli.playing import saved_games

    return [path.stem for path in saved_games.kept_campaigns()]


@completing
def thing_names(given: dict[str, Any]) -> Iterable[str]:
    from edict.apps.cli.rules_by_name import read_rules

    program = read_rules(given.get("game") or "", given.get("modules") or ()).program
    return [thing.name for kind in program.kinds for thing in kind.things]


@completing
def bot_names(given: dict[str, Any]) -> Iterable[str]:
    from edict.agents.bots import BOTS

    return list(BOTS)


@completing
def codes(given: dict[str, Any]) -> Iterable[str]:
    from edict.support.formats.diagnostic_pages import list_codes

    return list_codes()


def _of_kind(*kinds: str) -> Iterable[str]:
    from edict.compiler.sources.folders import read_manifest
    from edict.compiler.sources.module_lookup import modules_here, named_everywhere

    here = {folder.name: read_manifest(folder).value for folder in modules_here()}
    known = {**{name: manifest for name, (_, manifest) in named_everywhere().items()}, **here}
    return [name for name, manifest in known.items() if manifest is not None and manifest.kind in kinds]


def path(*names: str, metavar: str, help: str, show_default: bool = True) -> Any:
    """An option that takes a path; like every other, it is looked at before the command begins."""
    return typer.Option(*names, parser=a_path, metavar=metavar, help=help, show_default=show_default)


def one_game(first: str, named: str) -> str:
    """The game, which may be given as an argument or by `--game`; raises `UsageError` if both say something else."""
    if first and named and first != named:
        raise UsageError(f"two games are given: `{first}` and `{named}`", "leave one of them out")
    return first or named


Modules = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="MODULE",
        autocompletion=module_names,
        help="Add a module to the rules; repeatable.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME_OR_PATH]...",
        autocompletion=rules_names,
        help="Games or modules, by name or path.",
    ),
]
Game = Annotated[
    str,
    typer.Option(
        "--game",
        metavar="NAME_OR_PATH",
        autocompletion=game_names,
        help="The game, by name or path [default: that of this folder, or the one that ships].",
    ),
]
GameFirst = Annotated[
    str,
    typer.Argument(
        metavar="[GAME]",
        autocompletion=game_names,
        help="A game, by name or path [default: that of this folder, or the one that ships].",
    ),
]
GameToo = Annotated[
    str,
    typer.Option("--game", metavar="NAME_OR_PATH", autocompletion=game_names, help="The same as GAME."),
]
Humans = Annotated[
    list[str] | None, typer.Option("--human", metavar="NAME", help="Add a person at this keyboard; repeatable.")
]
Bots = Annotated[
    list[str] | None,
    typer.Option(
        "--bot",
        metavar="KIND[:NAME]",
        autocompletion=bot_names,
        help="Add a bot (a kind, or module:Class), optionally with a name; repeatable.",
    ),
]
Seed = Annotated[str, typer.Option(metavar="SEED", help="Seed for the random numbers: a number or a word.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting of the game; repeatable.")
]
Takebacks = Annotated[
    str,
    typer.Option(metavar="strict|free", help="With free, undo takes back anything (single player only)."),
]
Speed = Annotated[str, typer.Option(metavar="SECONDS", help="Pause after each bot move, or slow, normal, fast.")]
Plain = Annotated[bool, typer.Option("--plain", help="Print plain lines: no board, no clearing, no colors.")]
LastGame = Annotated[
    Path | None,
    typer.Argument(
        parser=a_file,
        metavar="[FILE]",
        autocompletion=saved_names,
        help="A saved game, by file or name [default: the last one played].",
    ),
]
Journal = Annotated[
    Path,
    typer.Argument(parser=a_file, metavar="FILE", autocompletion=saved_names, help="A saved game, by file or name."),
]
Shipped = Annotated[bool, typer.Option("--shipped", help="Take everything that ships with the package.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing output files.")]
DataFormat = Annotated[str, typer.Option("--format", metavar="text|json", help="Output format.")]
PlayerCount = Annotated[
    int | None,
    typer.Option(
        "--players", metavar="N", show_default=False, help="Number of players [default: 4, if the game allows]."
    ),
]
GameCount = Annotated[int, typer.Option("--games", metavar="N", help="Number of games.")]
BotKinds = Annotated[
    str, typer.Option("--bots", metavar="KIND[,KIND...]", help="Bots: one kind for all seats, or one for each.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", show_default=False, help="Number of processes [default: one per processor]."
    ),
]
Cluster = Annotated[str, typer.Option("--cluster", metavar="ADDRESS", help="Address of a Dask scheduler to play on.")]
StudyOutput = Annotated[
    Path | None,
    path("--output", "-o", metavar="FOLDER|FILE", help="Write to a folder, or a .json, .csv or .html file."),
]
Html = Annotated[Path | None, path("--html", metavar="FILE", help="Write the report as a single HTML page.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the run in the folder given by -o.")]
