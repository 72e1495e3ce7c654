"""The options and arguments that several commands take, as typer reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from edict.cli import completing
from edict.cli.paths import a_file, a_path


def path(*names: str, metavar: str, help: str) -> Any:
    """An option that takes a path; like every other, it is looked at before the command begins."""
    return typer.Option(*names, parser=a_path, metavar=metavar, help=help)


Modules = Annotated[
    list[str] | None,
    typer.Option(
        "--with", metavar="MODULE", autocompletion=completing.modules,
        help="Lay a module over the rules; may be repeated.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME_OR_PATH]...", autocompletion=completing.rules,
        help="Games or modules, by name or folder.",
    ),
]
LeagueBots = Annotated[
    str, typer.Option("--bots", metavar="KIND,KIND,...", help="The bots that meet; without it, every kind there is.")
]
LeagueGames = Annotated[int, typer.Option("--games", metavar="N", help="How many games.")]
ThinkingTime = Annotated[
    str, typer.Option("--budget", metavar="TIME", help="How long flat and search think: 0.5s, or 200 tries (50).")
]
LeagueFile = Annotated[Path | None, path("--output", "-o", metavar="FILE", help="Write it all as JSON.")]
LeagueSeed = Annotated[int, typer.Option("--seed", metavar="NUMBER", help="The same one gives the same luck.")]
WeightsFile = Annotated[
    Path | None, path("--output", "-o", metavar="FILE", help="Where to write the weights (weights.json).")
]
Game = Annotated[
    str,
    typer.Option(
        "--game", metavar="NAME_OR_PATH", autocompletion=completing.games,
        help="The game; without it, the one that ships.",
    ),
]
GameFirst = Annotated[
    str,
    typer.Argument(
        metavar="[GAME]", autocompletion=completing.games,
        help="A game by name or folder; without it, the one that ships.",
    ),
]
Humans = Annotated[
    list[str] | None, typer.Option("--human", metavar="NAME", help="A person at this keyboard; may be repeated.")
]
Bots = Annotated[
    list[str] | None,
    typer.Option(
        "--bot", metavar="KIND[:NAME]", autocompletion=completing.bots,
        help="A bot, and its name; may be repeated.",
    ),
]
TableFile = Annotated[
    Path | None, typer.Option("--players", parser=a_file, metavar="FILE", help="A table file (YAML): who plays what.")
]
Seed = Annotated[str, typer.Option(metavar="SEED", help="A number or a word: the same one gives the same luck.")]
Scenario = Annotated[str, typer.Option(metavar="NAME|random", help="A scenario for this game, or one drawn by lot.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting of the game; may be repeated.")
]
Dice = Annotated[str, typer.Option(metavar="seeded|typed", help="typed: you roll real dice and type what they show.")]
Takebacks = Annotated[
    str,
    typer.Option(metavar="strict|free", help="free: when you play alone, undo goes back over anything (strict)."),
]
Save = Annotated[
    Path | None, path(metavar="FILE", help="Where to keep the game; without it, a new file among your games.")
]
Speed = Annotated[
    str, typer.Option(metavar="SECONDS", help="How long each move of a bot is shown; or slow, normal, fast.")
]
NoColour = Annotated[bool, typer.Option("--no-color", help="No colours (as with NO_COLOR in the environment).")]
Plain = Annotated[bool, typer.Option("--plain", help="Lines only: nothing drawn, nothing cleared, no colours.")]
LastGame = Annotated[
    Path | None,
    typer.Argument(
        parser=a_file, metavar="[FILE]", autocompletion=completing.saved,
        help="A game by file or name; else the one played last.",
    ),
]
Journal = Annotated[
    Path,
    typer.Argument(parser=a_file, metavar="FILE", autocompletion=completing.saved, help="The journal of a game."),
]
WhichRules = Annotated[
    str,
    typer.Option("--rules", metavar="new|old", help="If the rules have changed: play by today's, or those it had."),
]
Why = Annotated[
    str, typer.Option("--why", metavar="LINE|last|...", help="What led to a line; or anything `why` takes in play.")
]
Format = Annotated[str, typer.Option("--format", metavar="text|json|sarif", help="How to tell what was found.")]
OutputFile = Annotated[
    Path | None, path("--output", "-o", metavar="FILE", help="Write it to a file too, in that format.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite output files that already exist.")]
Watch = Annotated[bool, typer.Option("--watch", help="Look again whenever a file is saved.")]
WatchRules = Annotated[bool, typer.Option("--watch", help="Play by rules that are saved meanwhile at once.")]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")]
Only = Annotated[
    str, typer.Option("--only", "-k", metavar="WORDS", help="Only scenes whose name or file holds these words.")
]
Junit = Annotated[
    Path | None, path("--junit", metavar="FILE", help="Write the report to a file too, as JUnit's XML.")
]
StrictScenes = Annotated[
    bool, typer.Option("--strict", help="A scene that comes out otherwise with the modules of --with fails.")
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Stop at the first scene that fails.")]
CoverageToo = Annotated[
    bool, typer.Option("--coverage", help="Also tell which lines and branches of the rules no scene has played.")
]
FailUnder = Annotated[
    float | None, typer.Option("--fail-under", metavar="PERCENT", help="Fail if less than this is covered.")
]
CoverageFile = Annotated[
    Path | None, path("--coverage-json", metavar="FILE", help="Write the coverage to a file, as JSON.")
]
Files = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME_OR_PATH]...", help="Rule files, folders or modules; or -.")
]
OnlyCheck = Annotated[bool, typer.Option("--check", help="Change nothing; list what would change, and fail if any.")]
OnlyDiff = Annotated[bool, typer.Option("--diff", help="Change nothing; show what would change.")]
NewModule = Annotated[str, typer.Argument(metavar="NAME_OR_PATH", help="The module: a new folder of this name.")]
Over = Annotated[
    str,
    typer.Option(
        "--over", metavar="GAME", autocompletion=completing.games,
        help="The game it is laid over; without it, the one that ships.",
    ),
]
FromAnswer = Annotated[
    int | None, typer.Option("--from", metavar="N", help="The first answer to tell; without it, as --to.")
]
ToAnswer = Annotated[
    int | None, typer.Option("--to", metavar="N", help="The last answer to tell; without it, the last of the game.")
]
SceneName = Annotated[str, typer.Option("--name", metavar="WORDS", help="What the scene shows.")]
SceneFile = Annotated[
    Path | None, path("--output", "-o", metavar="FILE", help="The file; without it, the scene is printed.")
]
ListAnswers = Annotated[bool, typer.Option("--list", help="Only list the answers of the game with their numbers.")]
Kind = Annotated[str, typer.Argument(metavar="[KIND]", help="A kind of thing, or of file; without it, a list.")]
OneModule = Annotated[
    str,
    typer.Argument(metavar="[NAME]", autocompletion=completing.rules, help="One of them, for all there is to say."),
]
ModuleToCopy = Annotated[
    str,
    typer.Argument(metavar="MODULE", autocompletion=completing.modules, help="A module, by name or folder."),
]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write it: a new folder.")]
Thing = Annotated[
    str,
    typer.Argument(
        metavar="THING", autocompletion=completing.things,
        help="Its name or title, or the beginning of it.",
    ),
]
ThingIfAny = Annotated[
    str,
    typer.Argument(metavar="[THING]", autocompletion=completing.things, help="One of them; without it, all."),
]
OldRules = Annotated[
    str,
    typer.Argument(metavar="A", autocompletion=completing.rules, help="`base`, a game, or modules joined by commas."),
]
NewRules = Annotated[
    str,
    typer.Argument(metavar="B", autocompletion=completing.rules, help="The same, for what it is compared with."),
]
DiffFormat = Annotated[str, typer.Option("--format", metavar="text|json", help="For people or for programs.")]
GraphFormat = Annotated[
    str, typer.Option("--format", metavar="text|dot|json", help="For people, for Graphviz or for programs.")
]
BookFile = Annotated[
    Path, path("--output", "-o", metavar="FILE.html|FILE.md|-", help="Where to write it; - prints Markdown.")
]
Code = Annotated[str, typer.Argument(metavar="CODE", help="As it stands in a message, like E0111.")]
PlayerCount = Annotated[int, typer.Option("--players", metavar="N", help="How many play; else 4, if so many may.")]
GameCount = Annotated[int, typer.Option("--games", metavar="N", help="How many games to play.")]
BotKinds = Annotated[
    str, typer.Option("--bots", metavar="KIND[,KIND...]", help="Who plays: one kind for all, or one for each seat.")
]
Workers = Annotated[int, typer.Option("--workers", metavar="N", help="Processes to play in; else one a processor.")]
Cluster = Annotated[str, typer.Option("--cluster", metavar="ADDRESS", help="A Dask scheduler, like tcp://host:8786.")]
StudyOutput = Annotated[
    Path | None,
    path("--output", "-o", metavar="FOLDER|FILE", help="A folder for everything; or a .json, .csv or .html."),
]
Html = Annotated[Path | None, path("--html", metavar="FILE", help="Write the report as one page.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue what is kept in the folder that -o names.")]
OneSide = Annotated[
    str, typer.Argument(metavar="A", help="base, a module, or several with + between; NAME=VALUE is a setting.")
]
OtherSide = Annotated[str, typer.Argument(metavar="B", help="The rules to compare with those, written likewise.")]
PairCount = Annotated[int, typer.Option("--games", metavar="N", help="Play at most so many pairs of games.")]
Rows = Annotated[int, typer.Option("--rows", metavar="N", help="How many rows of each table to show.")]
