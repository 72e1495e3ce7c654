"""The commands there are: what `kingsburg --help` lists in groups, and the file in `commands` that holds each.

A file is imported when its command is called, so that the help and a wrong command cost nothing.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from edict.apps.cli.bounded_output import print_everything
from edict.apps.cli.command_errors import NoSuchCommand, TooManyArguments
from edict.apps.cli.option_values import in_colours
from edict.support.resources import COMMANDS, command_name


@dataclass(frozen=True, slots=True)
class Entry:
    """A command, the file that has it as a function of that name, and what the help says of it.

    The first sentence is what lists say. `inner`: the commands under its name.
    """

    name: str
    file: str
    help: str
    inner: tuple[Entry, ...] = ()

    @property
    def summary(self) -> str:
        return self.help.partition(". ")[0].removesuffix(".")


GAMES = (
    Entry("replay", "replay", "Print the log of a saved game. --why LINE explains one of its lines."),
    Entry(
        "view",
        "replay",
        "Print a saved game as JSON, as one player may see it. The table, the question with its prices, and the log.",
    ),
    Entry("watch", "replay", "Watch a game that is being played in another terminal. Secrets stay hidden."),
    Entry("link", "links", "Print a link that holds a game. Whoever opens it can go through the game, or answer next."),
    Entry("open", "links", "Save the game in a link. If you have saved it before, only what is new is added."),
    Entry("repair", "games", "Repair a damaged saved game. The damaged file is kept beside the repaired one."),
    Entry(
        "tables",
        "serve",
        "List the tables played in the browser, or save the game of one. A saved game continues at the terminal.",
    ),
)
INDEX: Mapping[str, tuple[Entry, ...]] = {
    "Play": (
        Entry("play", "play", "Play a game, by default against three bots. Without a terminal, bots play all seats."),
        Entry(
            "resume",
            "resume",
            "Resume a saved game. --human NAME and --bot KIND:NAME hand a seat to somebody else.",
        ),
        Entry(
            "games",
            "games",
            "List saved games, or replay, view, watch or repair one. "
            "The list says who plays, how they stand, and when they were last played.",
            GAMES,
        ),
        Entry(
            "campaign",
            "campaign",
            "List campaigns, or show one. It prints the games so far and what the next begins with. "
            "--undo takes back the last game.",
        ),
    ),
    "Write": (
        Entry(
            "new",
            "new",
            "Create a module or a game, with examples. It can be checked, tested and played at once. "
            "--form MODULE writes a form for its cards, which owners of the box fill in.",
        ),
        Entry("check", "check", "Check rules for errors. Without a name, checks this folder and those below it."),
        Entry(
            "test",
            "test",
            "Run the scenes, which are the tests of the rules. Failures are shown with what happened instead. "
            "--record GAME writes a scene from a saved game.",
        ),
        Entry(
            "upgrade",
            "upgrade",
            "Rewrite rules of an older edition of the language. Comments stay; what changes is shown as a diff.",
        ),
        Entry(
            "fmt",
            "fmt",
            "Format rule files. Without a name, formats this folder and those below it; - formats standard input.",
        ),
        Entry("schema", "editors", "Print the JSON Schema of a kind of thing or file."),
        Entry(
            "lsp",
            "editors",
            "Serve an editor: errors, completion and hover as you type. See editors/README.md.",
        ),
        Entry(
            "mcp",
            "assistants",
            "Serve a program that writes rules for you (Model Context Protocol). "
            "It can check, test, play and study drafts; see docs/assistants.md.",
        ),
    ),
    "Read": (
        Entry(
            "gallery",
            "gallery",
            "List all games and variants with what each shows of the language. Recipes and your own are among them.",
        ),
        Entry("modules", "modules", "List games and modules, or describe one."),
        Entry("show", "show", "Show a thing or rule. Prints what it does, its source, and what affects it."),
        Entry(
            "find",
            "find",
            'Find a moment, name or thing by words such as "end of a turn". '
            "--moments lists what happens in a game, in order; --names lists what rules may refer to.",
        ),
        Entry("rulebook", "rulebook", "Print a rulebook of a game and its modules, or write it to a file."),
        Entry(
            "diff",
            "diff",
            "Show what a module changes. Prints additions, changes and removals, by line and in sentences.",
        ),
        Entry("graph", "graph", "Show which rules affect which."),
        Entry("explain", "explain", "Explain an error or warning by its code, or a word of the language."),
    ),
    "Study": (
        Entry(
            "study",
            "study",
            "Play many games between bots. Reports who wins, where points come from, and what correlates with "
            "winning. --profile reports instead which operations and rules take how long.",
        ),
        Entry(
            "compare",
            "compare",
            "Compare two sets of rules over the same seeds. Reports which differences are statistically significant.",
        ),
        Entry(
            "league",
            "league",
            "Rate bots by games against each other. Ratings and shares of wins come with their intervals.",
        ),
        Entry(
            "card",
            "card",
            "Measure the size and kind of games. Actions, branching, length, hidden information, and more.",
        ),
        Entry("train", "train", "Train a bot by self-play. Writes a file of weights, or a network."),
    ),
    "Host": (
        Entry(
            "serve",
            "serve",
            "Open tables in the browser, for players on other devices. Everybody gets the link of a seat.",
        ),
        Entry(
            "studio",
            "serve",
            "Write house rules in the browser. An editor, what the rules mean in English, and a table to play them "
            "at once.",
        ),
        Entry(
            "page",
            "page",
            "Make a web page that plays without a server. A folder for any static host: tables against bots, and the "
            "studio, all in the visitor's browser.",
        ),
    ),
}
"""The commands by the groups in which they are listed."""


def _no_colour(context: Any, param: Any, chosen: bool) -> None:
    """Whatever draws looks there (`in_colours`), also in other processes."""
    if chosen and not context.resilient_parsing:
        os.environ["NO_COLOR"] = "1"


class _Helped:
    """What all commands have in common: `--no-color`, and a help in colours if somebody looks."""

    params: list[Any]

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        told = "Disable colors (as does NO_COLOR=1)."
        self.params = [
            *self.params,
            TyperOption(
                param_decls=["--no-color"],
                is_flag=True,
                default=False,
                is_eager=True,
                expose_value=False,
                help=told,
                callback=_no_colour,
            ),
        ]

    def get_help(self, ctx: Any) -> str:
        text: str = super().get_help(ctx)  # type: ignore[misc]
        return "\n".join(_coloured(text)) if in_colours(sys.stdout) else text


def _coloured(help: str) -> Iterator[str]:
    """Headings bold, and what is typed in cyan. By hand: rich takes longer to load than all else that the help does."""
    listing = False
    for line in help.split("\n"):
        heading = re.match(r"(\S[^:]*:)(.*)", line)
        typed = re.match(r"(  )(-\S.*?|\S.*?(?=  ))(  .*|$)", line) if listing else None
        if heading:
            listing = heading[1] != "Usage:"
            yield f"\x1b[1m{heading[1]}\x1b[0m{heading[2]}"
        elif typed:
            yield f"{typed[1]}\x1b[36m{typed[2]}\x1b[0m{typed[3]}"
        else:
            yield line


LASTING = ("play", "resume", "watch", "lsp", "mcp", "serve", "studio")
"""Commands that print as long as somebody plays, watches or asks: nothing bounds that."""
ALONE = "[COMMAND] [ARGS]..."  # of commands that do something without one, too


class LazyCommand(TyperCommand):
    """A command that is known by its entry, until it is called."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.name, help=entry.help, short_help=entry.summary)
        self.entry = entry

    @cached_property
    def loaded(self) -> Any:
        """The command with its options."""
        function = getattr(import_module(f"edict.apps.cli.commands.{self.entry.file}"), self.entry.name)
        name, told = self.entry.name, self.entry.help
        alone = typer.Typer(name=name, rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
        if not self.entry.inner:
            alone.command(name, help=told, cls=Command)(function)
            return typer.main.get_command(alone)
        alone.callback(help=told, cls=Group, invoke_without_command=True, subcommand_metavar=ALONE)(function)
        group: Any = typer.main.get_command(alone)
        group.add_all({"Commands": self.entry.inner})
        return group

    def make_context(self, *args: Any, **more: Any) -> Any:
        if self.entry.name in LASTING:
            print_everything()
        return self.loaded.make_context(*args, **more)


class Command(_Helped, TyperCommand):
    """A command that says itself which of its arguments are too many."""

    allow_extra_args = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        extra = super().parse_args(ctx, args)
        if extra and not ctx.resilient_parsing:
            raise TooManyArguments(extra, ctx)
        return extra


class Group(_Helped, TyperGroup):
    """Commands under one name, listed in groups of their own. What else is in it was added to it by Typer."""

    index: Mapping[str, Sequence[Entry]] = {}

    def add_all(self, index: Mapping[str, Sequence[Entry]]) -> None:
        """Have these commands, besides those that it has."""
        self.index = index
        entries = (entry for some in index.values() for entry in some)
        self.commands = {entry.name: LazyCommand(entry) for entry in entries} | dict(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise NoSuchCommand(args[0], ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Group by group; none is cut short, so the column is as wide for all."""
        widest = max(len(entry.name) for entries in self.index.values() for entry in entries)
        for title, entries in self.index.items():
            with formatter.section(title):
                formatter.write_dl([(entry.name.ljust(widest), entry.summary) for entry in entries])


class TopGroup(Group):
    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.add_all(INDEX)


app = typer.Typer(
    name=COMMANDS[0],
    cls=TopGroup,
    no_args_is_help=False,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"`{COMMANDS[0]} help COMMAND` lists what a command takes.",
)


@app.callback()
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False,
) -> None:
    """A board game played from its rules as data, and a workshop for such rules."""
    if version:
        import edict

        print(f"{command_name()} {edict.__version__}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:  # the help, as an answer and not as a reproach
        print(context.get_help())
        raise typer.Exit(0)


@app.command("help", cls=Command)
def _help(
    context: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND]...", help="A command [default: all].")] = None,
) -> int:
    """Print the help of a command, as --help does."""
    top: Any = context.find_root().command
    code: int = top.main([*(words or ()), "--help"], prog_name=command_name(), standalone_mode=False)
    return code
