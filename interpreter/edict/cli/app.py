"""The command line that every command is added to."""

from __future__ import annotations

from typing import Annotated

import typer

from edict.resources import COMMANDS, command

app = typer.Typer(
    name=COMMANDS[0],
    no_args_is_help=False,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def helpful(context: typer.Context) -> None:
    """Without a command: the help, as an answer and not as a reproach."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(0)


@app.callback()
def _top(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    """A board game played from its rules as data, and a workshop for such rules."""
    if version:
        import edict

        print(f"{command()} {edict.__version__}")
        raise typer.Exit(0)
    helpful(context)
