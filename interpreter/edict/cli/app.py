"""The commands there are: what `kingsburg --help` lists, and the file in `commands` that holds each.

A file is imported when its command is called, so that the help and a wrong command cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from edict.cli.errors import NoSuchCommand, TooManyArguments
from edict.resources import COMMANDS, command


@dataclass(frozen=True, slots=True)
class Entry:
    """A command, the file that has it as a function of that name, and what the help says of it."""

    name: str
    file: str
    help: str

INDEX = (
    Entry("play", "play", "Play a game, by default against three bots. Without a terminal, bots play all seats."),
    Entry("resume", "resume", "Resume a saved game. --human NAME and --bot KIND:NAME hand a seat to somebody else."),
    Entry("games", "games", "List saved games: who plays, how they stand, and when they were last played."),
    Entry(
        "campaign", "campaign",
        "List campaigns, or show the games of one and what the next begins with. --undo takes back the last game.",
    ),
    Entry("replay", "replay", "Print the log of a saved game. --why LINE explains one of its lines."),
    Entry("watch", "replay", "Watch a game that is being played in another terminal. Secrets stay hidden."),
    Entry("view", "replay", "Print a saved game as one player may see it, as JSON: table, question with prices, log."),
    Entry("repair", "games", "Repair a damaged saved game. The damaged file is kept beside the repaired one."),
    Entry("serve", "serve", "Play in the browser: open tables and send everybody the link of their seat."),
    Entry(
        "studio", "serve",
        "Write house rules in the browser: an editor, what they mean in English, and a table to play them at once.",
    ),
    Entry(
        "tables", "serve",
        "List the tables played in the browser, or save the game of one to continue it at the terminal.",
    ),
    Entry("modules", "modules", "List games and modules, or describe one."),
    Entry("show", "show", "Show a thing or rule. Prints what it does, its source, and what affects it."),
    Entry("moments", "vocabulary", "List what happens in a game, in order: each line is the first line of a rule."),
    Entry("names", "vocabulary", "List the names that rules may use, with titles and meanings."),
    Entry("find", "vocabulary", 'Find the moment, name or thing that fits, by words such as "after a battle".'),
    Entry("rulebook", "rulebook", "Print a rulebook for a game and its modules, or write it to a file."),
    Entry(
        "diff", "diff",
        "Show what a module changes. Prints additions, changes and removals, by line and in sentences.",
    ),
    Entry("graph", "graph", "Show which rules affect which."),
    Entry(
        "study", "study",
        "Play many games between bots. Report who wins, where points come from, and what correlates with winning.",
    ),
    Entry(
        "league", "league",
        "Rate bots by games against each other. Ratings and shares of wins come with their intervals.",
    ),
    Entry("train", "train", "Train a bot by self-play. Writes a file of weights, or a network."),
    Entry(
        "compare", "compare",
        "Compare two sets of rules over the same seeds. Reports which differences are statistically significant.",
    ),
    Entry("profile", "profile", "Profile the rules: which operations and rules take how long."),
    Entry(
        "new", "new",
        "Create a new module, or a new game, with examples. It can be checked, tested and played at once.",
    ),
    Entry("check", "check", "Check rules for errors. Without a name, checks this folder, or everything that ships."),
    Entry(
        "test", "test",
        "Run the scenes, which are the tests of the rules. Failures are shown with what happened instead.",
    ),
    Entry("schema", "editors", "Print the JSON Schema of a kind of thing or file."),
    Entry("explain", "check", "Explain an error or warning by its code."),
    Entry("fmt", "fmt", "Format rule files. Without a name, formats this folder; - formats standard input."),
    Entry("upgrade", "upgrade", "Rewrite rules of an older edition of the language in today's, and show the diff."),
    Entry(
        "lsp", "editors",
        "Serve an editor: errors, completion, hover and more while you type. See editors/README.md.",
    ),
    Entry("transcribe", "new", "Write a form for the cards of a module. Owners of the box fill it in."),
)  # fmt: skip
SCENE_INDEX = (
    Entry(
        "record", "scene",
        "Record a scene from a saved game: the phase around the given answers, and how it came out.",
    ),
)


class LazyCommand(TyperCommand):
    """A command that is known by its entry, until it is called."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.name, help=entry.help)
        self.entry = entry

    @cached_property
    def loaded(self) -> Any:
        """The command with its options."""
        function = getattr(import_module(f"edict.cli.commands.{self.entry.file}"), self.entry.name)
        alone = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
        alone.command(self.entry.name, help=self.entry.help, cls=Command)(function)
        return typer.main.get_command(alone)

    def make_context(self, *args: Any, **more: Any) -> Any:
        return self.loaded.make_context(*args, **more)


class Command(TyperCommand):
    """A command that says itself which of its arguments are too many."""

    allow_extra_args = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        extra = super().parse_args(ctx, args)
        if extra and not ctx.resilient_parsing:
            raise TooManyArguments(extra, ctx)
        return extra


class Group(TyperGroup):
    """Commands under one name. What else is in it was added to it by Typer."""

    index: Iterable[Entry] = ()

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.commands = {entry.name: LazyCommand(entry) for entry in self.index} | dict(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise NoSuchCommand(args[0], ctx)
        return super().resolve_command(ctx, args)


class TopGroup(Group):
    index = INDEX


class SceneGroup(Group):
    index = SCENE_INDEX


app = typer.Typer(
    name=COMMANDS[0],
    cls=TopGroup,
    no_args_is_help=False,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
scene = typer.Typer(cls=SceneGroup, invoke_without_command=True, rich_markup_mode=None)
app.add_typer(scene, name="scene")


@app.callback()
def _top(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    """A board game played from its rules as data, and a workshop for such rules."""
    if version:
        import edict

        print(f"{command()} {edict.__version__}")
        raise typer.Exit(0)
    _help(context)


@scene.callback()
def _scene(context: typer.Context) -> None:
    """Work with scenes, the tests of the rules."""
    _help(context)


def _help(context: typer.Context) -> None:
    """Without a command: the help, as an answer and not as a reproach."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(0)
