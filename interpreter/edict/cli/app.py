"""The command line that every command is added to."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="kingsburg",
    help="A board game played from its rules as data, and a workshop for such rules.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
