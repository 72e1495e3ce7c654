"""Options and arguments that several commands share, declared for Typer, with their values and shell completion.

Completion runs while the user types, so any failure in it completes to nothing and prints nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from edict.apps.cli.command_errors import UsageError, parse_file_path, to_path
from edict.apps.cli.command_output import lift_output_limit
from edict.support.morphology import quote_words
from edict.support.report import suggest_word

TEXT, JSON = "text", "json"
TEXT_OR_JSON = (TEXT, JSON)


def parse_settings(texts: Sequence[str]) -> dict[str, object]:
    """Parse `NAME=VALUE` texts to values by name, of which the last counts; raises `UsageError`."""
    values: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"`--set {text}` needs a value", "write --set NAME=VALUE, with on, off or a number")
        values[name.strip()] = value.strip()
    return values


def validate_format(format_name: str, formats: Sequence[str] = TEXT_OR_JSON) -> str:
    """Return the value of `--format`, or raise `UsageError` if it is unknown.

    Any format but text lifts the limit on output.
    """
    if format_name not in formats:
        remedy = suggest_word(format_name, formats) or f"write {quote_words(formats, 'or')}"
        raise UsageError(f"invalid value `{format_name}` for --format", remedy)
    if format_name != TEXT:
        lift_output_limit()
    return format_name


def uses_color(stream: TextIO) -> bool:
    """Return True if output to a stream is colored: at a terminal, unless `--no-color` or NO_COLOR are set."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")


def print_document(name: str, /, **fields: object) -> None:
    """Print the JSON document of a format, which `kingsburg schema NAME` describes.

    A key is removed, or means something else, only with a new number of the format.
    """
    print_json({"format": f"edict {name} 1", **fields})


def print_json(data: object) -> None:
    """Print data as JSON, which escapes control characters, without a limit on its length."""
    lift_output_limit()
    print(json.dumps(data, indent=2, ensure_ascii=False))


Completer = Callable[[typer.Context, str], list[str]]


def completer(list_names: Callable[[dict[str, Any]], Iterable[str]]) -> Completer:
    """Return a shell completer that offers the names from `list_names` that begin as typed; none on any error."""

    def complete(context: typer.Context, incomplete: str) -> list[str]:
        """Return the names that begin with the typed text, sorted; none if listing them fails."""
        try:
            return sorted({name for name in list_names(context.params) if name.startswith(incomplete)})
        except Exception:
            return []

    return complete


@completer
def rules_names(parameters: dict[str, Any]) -> Iterable[str]:
    """List the names of games and modules."""
    from edict.compiler.sources.module_lookup import iter_modules_here, load_full_catalogue

    return [*load_full_catalogue(), *(folder.name for folder in iter_modules_here())]


@completer
def game_names(parameters: dict[str, Any]) -> Iterable[str]:
    """List the names of games."""
    return _list_rules_names("game")


@completer
def module_names(parameters: dict[str, Any]) -> Iterable[str]:
    """List the names of modules and scenarios."""
    return _list_rules_names("module", "scenario")


@completer
def saved_names(parameters: dict[str, Any]) -> Iterable[str]:
    """List the names of saved games, the newest first."""
    from edict.apps.cli.playing import saved_games

    return [path.stem for path in saved_games.require_games()]


@completer
def campaign_names(parameters: dict[str, Any]) -> Iterable[str]:
    """List the names of campaigns."""
    from edict.apps.cli.playing import saved_games

    return [path.stem for path in saved_games.list_campaigns()]


@completer
def thing_names(parameters: dict[str, Any]) -> Iterable[str]:
    """List the names of the things of the chosen game and modules."""
    from edict.apps.cli.rules_by_name import load_rules_quietly

    program = load_rules_quietly(parameters.get("game") or "", parameters.get("modules") or ()).program
    return [thing.name for kind in program.kinds for thing in kind.things]


@completer
def bot_names(parameters: dict[str, Any]) -> Iterable[str]:
    """List the kinds of bots."""
    from edict.agents.bots import BOTS

    return list(BOTS)


@completer
def diagnostic_codes(parameters: dict[str, Any]) -> Iterable[str]:
    """List the codes of diagnostics."""
    from edict.support.formats import list_codes

    return list_codes()


def _list_rules_names(*kinds: str) -> Iterable[str]:
    """Return the names of modules of these kinds, such as `game`: those that ship and those found here."""
    from edict.compiler.sources.folders import read_manifest
    from edict.compiler.sources.module_lookup import iter_modules_here, load_full_catalogue

    here = {folder.name: read_manifest(folder).value for folder in iter_modules_here()}
    known = {**{name: manifest for name, (_, manifest) in load_full_catalogue().items()}, **here}
    return [name for name, manifest in known.items() if manifest is not None and manifest.kind in kinds]


def path_option(*names: str, metavar: str, help: str, show_default: bool = True) -> Any:
    """Return a Typer option whose value is parsed by `to_path`."""
    return typer.Option(*names, parser=to_path, metavar=metavar, help=help, show_default=show_default)


def merge_game_arguments(argument: str, option: str) -> str:
    """Return the game given as an argument or by `--game`; raise `UsageError` if the two differ."""
    if argument and option and argument != option:
        raise UsageError(f"two games given: `{argument}` and `{option}`", "use only one of them")
    return argument or option


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
        help="The game, by name or path [default: the game in this folder, else the built-in one].",
    ),
]
GameFirst = Annotated[
    str,
    typer.Argument(
        metavar="[GAME]",
        autocompletion=game_names,
        help="A game, by name or path [default: the game in this folder, else the built-in one].",
    ),
]
GameToo = Annotated[
    str,
    typer.Option("--game", metavar="NAME_OR_PATH", autocompletion=game_names, help="Same as GAME."),
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
    typer.Option(metavar="strict|free", help="With free, you can undo anything (single player only)."),
]
Speed = Annotated[
    str, typer.Option(metavar="SECONDS", help="Pause after each bot move: seconds, or slow, normal or fast.")
]
Plain = Annotated[bool, typer.Option("--plain", help="Print plain lines: no board, no clearing, no colors.")]
LastGame = Annotated[
    Path | None,
    typer.Argument(
        parser=parse_file_path,
        metavar="[FILE]",
        autocompletion=saved_names,
        help="A saved game, by file or name [default: the last one played].",
    ),
]
Journal = Annotated[
    Path,
    typer.Argument(
        parser=parse_file_path, metavar="FILE", autocompletion=saved_names, help="A saved game, by file or name."
    ),
]
Shipped = Annotated[bool, typer.Option("--shipped", help="Use all built-in games and modules.")]
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
Plans = Annotated[
    list[str] | None,
    typer.Option(
        "--plan",
        metavar="[SEAT=]PLAN",
        help="Let a seat (the first, or by number or bot) follow a plan (a file or its text); repeatable.",
    ),
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
    path_option("--output", "-o", metavar="FOLDER|FILE", help="Write to a folder, or a .json, .csv or .html file."),
]
Html = Annotated[Path | None, path_option("--html", metavar="FILE", help="Write the report as a single HTML page.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the run in the folder given by -o.")]
