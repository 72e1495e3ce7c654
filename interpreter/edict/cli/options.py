"""The options and arguments that several commands take, as typer reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from edict.cli import completing
from edict.cli.errors import UsageError
from edict.cli.paths import a_file, a_path
from edict.web.quotas import Limits


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
        "--with", metavar="MODULE", autocompletion=completing.modules,
        help="Add a module to the rules; repeatable.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME_OR_PATH]...", autocompletion=completing.rules,
        help="Games or modules, by name or path.",
    ),
]
LeagueBots = Annotated[
    str, typer.Option("--bots", metavar="KIND,KIND,...", help="Bots to rate [default: every kind].")
]
LeagueGames = Annotated[int, typer.Option("--games", metavar="N", help="Number of games.")]
ThinkingTime = Annotated[
    str, typer.Option("--budget", metavar="TIME", help="Thinking time per move, as 0.5s, or tries [default: 50].")
]
LeagueOutput = Annotated[
    Path | None,
    path("--output", "-o", metavar="FOLDER|FILE", help="Write to a folder, or a .json or .html file."),
]
Trained = Annotated[str, typer.Option("--bot", metavar="greedy|learned", help="Which bot to train.")]
TrainingGames = Annotated[int | None, typer.Option(
        "--games", metavar="N", show_default=False, help="Number of games [default: 800; for `learned`, 60000]."
    )]
TrainingPlayers = Annotated[int, typer.Option(
        "--players", metavar="N", show_default=False,
        help="Number of players [default: 4, if the game allows; for `learned`, every number in turn].",
    )]
TrainingStart = Annotated[str, typer.Option(
        "--from", metavar="FILE|none", show_default=False,
        help="The network that `learned` learns on from [default: the one that ships, if any].",
    )]
TrainedFile = Annotated[
    Path | None,
    path("--output", "-o", metavar="FILE", help="Write to this file [default: weights.json or network.json]."),
]
Game = Annotated[
    str,
    typer.Option(
        "--game", metavar="NAME_OR_PATH", autocompletion=completing.games,
        help="The game, by name or path [default: that of this folder, or the one that ships].",
    ),
]
GameFirst = Annotated[
    str,
    typer.Argument(
        metavar="[GAME]", autocompletion=completing.games,
        help="A game, by name or path [default: that of this folder, or the one that ships].",
    ),
]
GameToo = Annotated[
    str,
    typer.Option(
        "--game", metavar="NAME_OR_PATH", autocompletion=completing.games, help="The same as GAME."
    ),
]
Humans = Annotated[
    list[str] | None, typer.Option("--human", metavar="NAME", help="Add a person at this keyboard; repeatable.")
]
Bots = Annotated[
    list[str] | None,
    typer.Option(
        "--bot", metavar="KIND[:NAME]", autocompletion=completing.bots,
        help="Add a bot (a kind, or module:Class), optionally with a name; repeatable.",
    ),
]
TableFile = Annotated[
    Path | None,
    typer.Option("--table", parser=a_file, metavar="FILE", help="Read the whole setup from a table file (YAML)."),
]
Seed = Annotated[str, typer.Option(metavar="SEED", help="Seed for the random numbers: a number or a word.")]
Scenario = Annotated[str, typer.Option(metavar="NAME|random", help="Play a scenario; random draws one.")]
AtScene = Annotated[str, typer.Option("--at", metavar="FILE:LINE", help="Begin where a scene in a YAML file begins.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting of the game; repeatable.")
]
Dice = Annotated[str, typer.Option(metavar="seeded|typed", help="With typed, roll real dice and type what they show.")]
Takebacks = Annotated[
    str,
    typer.Option(metavar="strict|free", help="With free, undo takes back anything (single player only)."),
]
Save = Annotated[
    Path | None, path(metavar="FILE", help="Save the game here [default: among your games].")
]
InCampaign = Annotated[
    str,
    typer.Option(
        "--campaign", metavar="NAME", autocompletion=completing.campaigns,
        help="Make this the next game of a campaign, by name or path; starts one if need be.",
    ),
]
CampaignName = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]", autocompletion=completing.campaigns, help="A campaign, by name or path [default: list them]."
    ),
]
UndoGame = Annotated[bool, typer.Option("--undo", help="Take back the last game, or the last --forget.")]
ForgetKeep = Annotated[
    str, typer.Option("--forget", metavar="KEEP", help="Start KEEP afresh in the next game.")
]
Speed = Annotated[
    str, typer.Option(metavar="SECONDS", help="Pause after each bot move, or slow, normal, fast.")
]
NoColour = Annotated[bool, typer.Option("--no-color", help="Disable colors (as does NO_COLOR=1).")]
Plain = Annotated[bool, typer.Option("--plain", help="Print plain lines: no board, no clearing, no colors.")]
LastGame = Annotated[
    Path | None,
    typer.Argument(
        parser=a_file, metavar="[FILE]", autocompletion=completing.saved,
        help="A saved game, by file or name [default: the last one played].",
    ),
]
Seat = Annotated[
    str, typer.Option("--seat", metavar="NAME", help="The player who looks [default: only what everybody may see].")
]
Journal = Annotated[
    Path,
    typer.Argument(
        parser=a_file, metavar="FILE", autocompletion=completing.saved, help="A saved game, by file or name."
    ),
]
WhichRules = Annotated[
    str,
    typer.Option("--rules", metavar="new|old", help="If the rules have changed: which ones to continue with."),
]
Every = Annotated[bool, typer.Option("--all", help="List all saved games, not only the last ten.")]
Why = Annotated[
    str, typer.Option("--why", metavar="LINE|last|...", help="Explain a line of the log, or whatever `why` explains.")
]
Format = Annotated[str, typer.Option("--format", metavar="text|json|sarif", help="Output format.")]
OutputFile = Annotated[
    Path | None, path("--output", "-o", metavar="FILE", help="Also write the findings to a file, in that format.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing output files.")]
Watch = Annotated[bool, typer.Option("--watch", help="Check again whenever a file changes.")]
WatchRules = Annotated[bool, typer.Option("--watch", help="Reload the rules whenever a file changes.")]
Fix = Annotated[bool, typer.Option("--fix", help="Apply the suggested fixes that are exact, in your own files.")]
Strict = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]
Only = Annotated[
    str, typer.Option("--only", "-k", metavar="WORDS", help="Run only scenes whose name or file contains these words.")
]
Junit = Annotated[
    Path | None, path("--junit", metavar="FILE", help="Also write a JUnit XML report.")
]
StrictScenes = Annotated[
    bool, typer.Option("--strict", help="Fail if a scene has a different outcome with the modules given by --with.")
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Stop at the first failure.")]
CoverageToo = Annotated[
    bool, typer.Option("--coverage", help="Report lines and branches of the rules that no scene has played.")
]
FailUnder = Annotated[
    float | None, typer.Option("--fail-under", metavar="PERCENT", help="Fail if the coverage is below this.")
]
CoverageFile = Annotated[
    Path | None, path("--coverage-json", metavar="FILE", help="Also write the coverage as JSON.")
]
Files = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME_OR_PATH]...", help="Files, folders or modules, or - for stdin.")
]
OnlyCheck = Annotated[bool, typer.Option("--check", help="List unformatted files, and fail if there are any.")]
OnlyDiff = Annotated[bool, typer.Option("--diff", help="Show the changes as a diff, and write nothing.")]
NewModule = Annotated[str, typer.Argument(metavar="NAME_OR_PATH", help="The new folder, for a module or a game.")]
Over = Annotated[
    str,
    typer.Option(
        "--over", metavar="GAME", autocompletion=completing.games,
        help="The game to build on [default: that of this folder, or the one that ships].",
    ),
]
OwnGame = Annotated[bool, typer.Option("--game", help="Start a game of your own instead of a module.")]
FromAnswer = Annotated[
    int | None, typer.Option("--from", metavar="N", help="First answer to record [default: the same as --to].")
]
ToAnswer = Annotated[
    int | None, typer.Option("--to", metavar="N", help="Last answer to record [default: the last of the game].")
]
SceneName = Annotated[str, typer.Option("--name", metavar="WORDS", help="Name of the scene.")]
SceneFile = Annotated[
    Path | None, path("--output", "-o", metavar="FILE", help="Write the scene here [default: print it].")
]
ListAnswers = Annotated[bool, typer.Option("--list", help="List the answers of the game with their numbers, and exit.")]
Kind = Annotated[str, typer.Argument(metavar="[KIND]", help="A kind of thing or file [default: list them].")]
OneModule = Annotated[
    str,
    typer.Argument(metavar="[NAME]", autocompletion=completing.rules, help="What to describe [default: list all]."),
]
ModuleToCopy = Annotated[
    str,
    typer.Argument(metavar="MODULE", autocompletion=completing.modules, help="A module, by name or path."),
]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FOLDER", help="The new folder.")]
Thing = Annotated[
    str,
    typer.Argument(
        metavar="THING", autocompletion=completing.things,
        help="Name or title, or the beginning of one.",
    ),
]
ThingIfAny = Annotated[
    str,
    typer.Argument(metavar="[THING]", autocompletion=completing.things, help="A thing or rule [default: all]."),
]
OldRules = Annotated[
    str,
    typer.Argument(metavar="A", autocompletion=completing.rules, help="`base`, a game, or modules joined by +."),
]
NewRules = Annotated[
    str | None,
    typer.Argument(
        metavar="[B]", autocompletion=completing.rules,
        help="What to compare it with, as in `base my-variant`; without it, A is compared with `base`.",
    ),
]  # fmt: skip
DataFormat = Annotated[str, typer.Option("--format", metavar="text|json", help="Output format.")]
GraphFormat = Annotated[
    str, typer.Option("--format", metavar="text|dot|json", help="Output format.")
]
BookFile = Annotated[
    Path,
    path(
        "--output", "-o", metavar="FILE.html|FILE.md", show_default=False,
        help="Write it here [default: print it as Markdown].",
    ),
]
Words = Annotated[
    list[str] | None, typer.Argument(metavar="[WORDS]...", help="List only what has these words in its name or title.")
]
WordsToFind = Annotated[list[str], typer.Argument(metavar="WORDS...", help="Words to look for.")]
LspPort = Annotated[
    int | None,
    typer.Option("--port", metavar="PORT", min=1, max=65535, help="Listen on this port instead of standard input."),
]
Code = Annotated[str, typer.Argument(metavar="CODE", help="A code from a message, such as E0111.")]
PlayerCount = Annotated[int, typer.Option(
        "--players", metavar="N", show_default=False, help="Number of players [default: 4, if the game allows]."
    )]
GameCount = Annotated[int, typer.Option("--games", metavar="N", help="Number of games.")]
BotKinds = Annotated[
    str, typer.Option("--bots", metavar="KIND[,KIND...]", help="Bots: one kind for all seats, or one for each.")
]
Workers = Annotated[int | None, typer.Option(
        "--workers", metavar="N", show_default=False, help="Number of processes [default: one per processor]."
    )]
TrainingWorkers = Annotated[int, typer.Option("--workers", metavar="N", help="Number of processes.")]
Cluster = Annotated[str, typer.Option("--cluster", metavar="ADDRESS", help="Address of a Dask scheduler to play on.")]
StudyOutput = Annotated[
    Path | None,
    path("--output", "-o", metavar="FOLDER|FILE", help="Write to a folder, or a .json, .csv or .html file."),
]
Html = Annotated[Path | None, path("--html", metavar="FILE", help="Write the report as a single HTML page.")]
GamesTo = Annotated[
    Path | None, path("--games-to", metavar="FILE", help="Also write a table of all games (.parquet or .csv).")
]
DecisionsTo = Annotated[
    Path | None, path("--decisions-to", metavar="FILE", help="Also write a table of all decisions (.parquet or .csv).")
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the run in the folder given by -o.")]
OneSide = Annotated[
    str, typer.Argument(metavar="A", help="base, or modules and settings (NAME=VALUE) joined by +.")
]
OtherSide = Annotated[str, typer.Argument(metavar="B", help="What to compare it with, as in `base my-variant`.")]
PairCount = Annotated[int, typer.Option("--games", metavar="N", help="Maximum number of pairs of games.")]
Rows = Annotated[int, typer.Option("--rows", metavar="N", help="Number of rows in each table.")]
ServeHost = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")]
ServePort = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on.")]
ServeStore = Annotated[str, typer.Option(
        "--store", metavar="URL", help="Database for the tables [default: a file beside the saved games]."
    )]
ServeWorkers = Annotated[int, typer.Option("--bot-workers", metavar="N", min=1, help="Processes in which bots think.")]
ServeBots = Annotated[
    list[str] | None,
    typer.Option(
        "--bot", metavar="KIND", autocompletion=completing.bots,
        help="Another bot that can take a seat (a kind, or module:Class); repeatable.",
    ),
]
VariantsFolder = Annotated[
    Path | None,
    typer.Argument(
        parser=a_path, metavar="[FOLDER]",
        help="Folder with a folder for each variant [default: one beside the saved games].",
    ),
]
ServeForget = Annotated[int, typer.Option(
        "--forget-after", metavar="DAYS", min=0,
        help="Delete a table when nobody has played there for so many days; 0 keeps all.",
    )]
ServeLimits = Annotated[
    list[str] | None,
    typer.Option(
        "--limit", metavar="NAME=VALUE",
        help=f"Change a limit; repeatable. The limits and their defaults: {Limits().in_words()}.",
    ),
]
ServeOpen = Annotated[
    list[Path] | None,
    typer.Option(
        "--open", parser=a_file, metavar="FILE", autocompletion=completing.saved,
        help="Open a table for a saved game; repeatable.",
    ),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")]
OneTable = Annotated[str, typer.Argument(metavar="[TABLE]", help="A table to save [default: list them].")]
GameFile = Annotated[
    Path | None, path("--output", "-o", metavar="FILE", help="Save the game here [default: among your games].")
]
