"""The index of commands: the groups that `kingsburg --help` lists, and the file in `commands` that defines each.

A command's file is imported when the command is called, so that help and a mistyped command start fast.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from edict.apps.cli.command_errors import NoSuchCommand, TooManyArguments
from edict.apps.cli.command_output import lift_output_limit
from edict.apps.cli.shared_options import uses_color
from edict.support.records import dataclass
from edict.support.resources import COMMANDS, command_name


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command in the index."""

    name: str
    file: str  # module in `commands` that defines it as a function of this name
    help: str  # lists show only its first sentence
    inner: tuple[CommandEntry, ...] = ()  # subcommands

    @property
    def function(self) -> str:
        """Return the name of the function, which a keyword of Python cannot be."""
        return f"{self.name}_" if iskeyword(self.name) else self.name

    @property
    def summary(self) -> str:
        """Return the first sentence of the help without its period."""
        return self.help.partition(". ")[0].removesuffix(".")


GAMES = (
    CommandEntry("replay", "replay", "Print the log of a saved game. --why LINE explains one of its lines."),
    CommandEntry(
        "view",
        "replay",
        "Print a saved game as JSON, as one player sees it. Includes the table, the question with its prices, "
        "and the log.",
    ),
    CommandEntry("watch", "replay", "Watch a game that is being played in another terminal. Secrets stay hidden."),
    CommandEntry(
        "link", "games", "Print a link to a game. Anyone who opens it can read the game, or make the next move."
    ),
    CommandEntry("open", "games", "Save the game in a link. If you saved it before, only new answers are added."),
    CommandEntry("repair", "games", "Repair a damaged saved game. The damaged file is kept beside the repaired one."),
    CommandEntry(
        "tables",
        "serve",
        "List browser tables, or save the game from one. Resume a saved game at the terminal.",
    ),
)
# commands by the group under which help lists them
INDEX: Mapping[str, tuple[CommandEntry, ...]] = {
    "Play": (
        CommandEntry(
            "play",
            "play",
            "Play a game. You play three bots unless you say otherwise; without a terminal, bots play every seat.",
        ),
        CommandEntry(
            "resume",
            "resume",
            "Resume a saved game. --human NAME and --bot KIND:NAME give a seat to someone else.",
        ),
        CommandEntry(
            "games",
            "games",
            "List saved games, or replay, view, watch or repair one. "
            "Shows the players, their scores and when each game was last played.",
            GAMES,
        ),
        CommandEntry(
            "campaign",
            "campaign",
            "List campaigns, or show one. Prints its games so far and what carries over to the next. --undo "
            "takes back the last game.",
        ),
    ),
    "Write": (
        CommandEntry(
            "new",
            "new",
            "Create a module or a game, with examples. You can check, test and play it right away. --form "
            "MODULE creates a form for that module's cards, to fill in from the box.",
        ),
        CommandEntry(
            "check",
            "check",
            "Check rules for errors. Without a name, checks every module in this folder and its subfolders.",
        ),
        CommandEntry(
            "test",
            "test",
            "Run scenes, the tests of the rules. Shows what happened in each failed scene. "
            "--record GAME writes a scene from a saved game.",
        ),
        CommandEntry(
            "upgrade",
            "upgrade",
            "Rewrite rules from an older edition of the language. Keeps comments, prints a diff of the changes, and "
            "names the scenes that fail now.",
        ),
        CommandEntry(
            "fmt",
            "fmt",
            "Format rule files. Without a name, formats this folder and its subfolders; - formats standard input.",
        ),
        CommandEntry(
            "import",
            "import_things",
            "Turn a table from a spreadsheet into rules. Matches the columns with the fields of the kind, and prints "
            "the rules; --into MODULE writes them to a new file, with scenes.",
        ),
        CommandEntry(
            "build",
            "publishing",
            "Build a wheel of a module, for others to install with pip or uv. It holds only data; `new --package` "
            "writes the project file that it needs.",
        ),
        CommandEntry(
            "report",
            "version_report",
            "Report what another version changes. Checks, tests and plays each module under another version of the "
            "engine, or of a module that it requires.",
        ),
        CommandEntry(
            "index",
            "publishing",
            "Write a catalogue of modules for any web host. Pages say what each module changes and how it tested; "
            "`find --index` searches it.",
        ),
        CommandEntry(
            "words",
            "words",
            "List the texts of a game that a translation lacks. Also lists translations that the game does not use. "
            "--stub prints a words file to fill in.",
        ),
        CommandEntry("schema", "editors", "Print the JSON Schema for a file format or a kind of thing."),
        CommandEntry(
            "lsp",
            "editors",
            "Run the language server for your editor. Shows errors, completion and hover as you type; see "
            "editors/README.md.",
        ),
        CommandEntry(
            "mcp",
            "editors",
            "Run an MCP server for AI assistants. They can write, check, test, play and study draft rules; see "
            "docs/guides/assistants.md.",
        ),
    ),
    "Read": (
        CommandEntry(
            "gallery",
            "modules",
            "List games and variants, with the language features each one uses. Includes recipes and your own rules.",
        ),
        CommandEntry("modules", "modules", "List games and modules, or describe one."),
        CommandEntry(
            "show",
            "look_up",
            "Show a thing or rule. Prints what it does, its source, and what affects it. --all KIND shows all things "
            "of a kind in a table.",
        ),
        CommandEntry(
            "find",
            "look_up",
            'Find a moment, name or thing by keywords, such as "end of a turn". '
            "--moments lists all moments of a game, in order; --names lists all names that rules can use.",
        ),
        CommandEntry("rulebook", "rulebook", "Print a rulebook of a game and its modules, or write it to a file."),
        CommandEntry(
            "diff",
            "diff",
            "Show what a module changes. Prints additions, changes and removals, by line and in sentences.",
        ),
        CommandEntry("graph", "graph", "Show which rules affect which."),
        CommandEntry("explain", "look_up", "Explain an error or warning by its code, or a word of the language."),
    ),
    "Study": (
        CommandEntry(
            "study",
            "study",
            "Play many games between bots. Reports who wins, where points come from, and what correlates with "
            "winning. --profile reports instead which operations and rules take how long.",
        ),
        CommandEntry(
            "compare",
            "compare",
            "Compare two sets of rules over the same seeds. Reports which differences are statistically significant.",
        ),
        CommandEntry(
            "tune",
            "tune",
            "Find the value of a number in the rules. Plays games with each value until the goals are met, or shows "
            "which value comes nearest.",
        ),
        CommandEntry(
            "league",
            "league",
            "Rate bots by playing them against each other. Reports ratings and win rates with confidence intervals.",
        ),
        CommandEntry(
            "card",
            "modules",
            "Measure games. Reports actions, branching, length, hidden information, and more.",
        ),
        CommandEntry("train", "train", "Train a bot by self-play. Writes a file of weights, or a network."),
    ),
    "Host": (
        CommandEntry(
            "serve",
            "serve",
            "Open tables in the browser, for players on other devices. Each player gets their own link.",
        ),
        CommandEntry(
            "studio",
            "serve",
            "Write house rules in the browser. Includes an editor, the rules in plain English, and a table to "
            "try them on.",
        ),
        CommandEntry(
            "page",
            "publishing",
            "Build a web page that plays without a server. Writes a folder for any static host, with tables "
            "against bots and the studio, all in the visitor's browser.",
        ),
    ),
}


def _disable_color(context: Any, param: Any, chosen: bool) -> None:
    """Set NO_COLOR, which `uses_color` reads, also in child processes."""
    if chosen and not context.resilient_parsing:
        os.environ["NO_COLOR"] = "1"


class _HelpMixin:
    """The part that all commands share, the option `--no-color` and colored help at a terminal."""

    params: list[Any]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        help_text = "Disable colors (like NO_COLOR=1)."
        self.params = [
            *self.params,
            TyperOption(
                param_decls=["--no-color"],
                is_flag=True,
                default=False,
                is_eager=True,
                expose_value=False,
                help=help_text,
                callback=_disable_color,
            ),
        ]

    def get_help(self, ctx: Any) -> str:
        """Return the command's help text, colored if standard output uses color."""
        text: str = super().get_help(ctx)  # type: ignore[misc]
        return "\n".join(_color_help(text)) if uses_color(sys.stdout) else text


def _color_help(help_text: str) -> Iterator[str]:
    """Yield the lines of a help text with bold headings and commands and options in cyan.

    rich is not used: importing it takes longer than everything else that the help does.
    """
    listing = False
    for line in help_text.split("\n"):
        heading = re.match(r"(\S[^:]*:)(.*)", line)
        term = re.match(r"(  )(-\S.*?|\S.*?(?=  ))(  .*|$)", line) if listing else None
        if heading:
            listing = heading[1] != "Usage:"
            yield f"\x1b[1m{heading[1]}\x1b[0m{heading[2]}"
        elif term:
            yield f"{term[1]}\x1b[36m{term[2]}\x1b[0m{term[3]}"
        else:
            yield line


# long-running commands, whose output has no limit
UNBOUNDED_COMMANDS = ("play", "resume", "watch", "lsp", "mcp", "serve", "studio")
OPTIONAL_SUBCOMMAND = "[COMMAND] [ARGS]..."


class LazyCommand(TyperCommand):
    """A command whose module is imported when it is called."""

    def __init__(self, entry: CommandEntry) -> None:
        super().__init__(entry.name, help=entry.help, short_help=entry.summary)
        self.entry = entry

    @cached_property
    def loaded(self) -> Any:
        """Return the real command with its options, importing its module on first use."""
        function = getattr(import_module(f"edict.apps.cli.commands.{self.entry.file}"), self.entry.function)
        name, help_text = self.entry.name, self.entry.help
        typer_app = typer.Typer(name=name, rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
        if not self.entry.inner:
            typer_app.command(name, help=help_text, cls=Command)(function)
            return typer.main.get_command(typer_app)
        typer_app.callback(
            help=help_text, cls=CommandGroup, invoke_without_command=True, subcommand_metavar=OPTIONAL_SUBCOMMAND
        )(function)
        group: Any = typer.main.get_command(typer_app)
        group.add_commands({"Commands": self.entry.inner})
        return group

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Parse the arguments of the real command."""
        if self.entry.name in UNBOUNDED_COMMANDS:
            lift_output_limit()
        return self.loaded.make_context(*args, **options)


class Command(_HelpMixin, TyperCommand):
    """A command that raises `TooManyArguments` instead of Typer's own error."""

    allow_extra_args = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; raise `TooManyArguments` for superfluous ones."""
        extra = super().parse_args(ctx, args)
        if extra and not ctx.resilient_parsing:
            raise TooManyArguments(extra, ctx)
        return extra


class CommandGroup(_HelpMixin, TyperGroup):
    """A group of commands whose help lists them by the titles of an index."""

    index: Mapping[str, Sequence[CommandEntry]] = {}  # title of a section to its commands

    def add_commands(self, index: Mapping[str, Sequence[CommandEntry]]) -> None:
        """Add the commands of an index; commands that Typer registered under the same name win."""
        self.index = index
        entries = (entry for section in index.values() for entry in section)
        self.commands = {entry.name: LazyCommand(entry) for entry in entries} | dict(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first argument names; raise `NoSuchCommand` if there is none."""
        if args[0] not in self.commands and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise NoSuchCommand(args[0], ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one section per title, with columns of the same width in all."""
        widest = max(len(entry.name) for entries in self.index.values() for entry in entries)
        for title, entries in self.index.items():
            with formatter.section(title):
                formatter.write_dl([(entry.name.ljust(widest), entry.summary) for entry in entries])


class TopGroup(CommandGroup):
    """The top-level group, with every command of the index."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_commands(INDEX)


app = typer.Typer(
    name=COMMANDS[0],
    cls=TopGroup,
    no_args_is_help=False,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"`{COMMANDS[0]} help COMMAND` shows a command's options.",
)


@app.callback()
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False,
) -> None:
    """Play a board game, and write and test your own rules for it."""
    if version:
        import edict

        print(f"{command_name()} {edict.__version__}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:  # exit code 0: the help was asked for
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
