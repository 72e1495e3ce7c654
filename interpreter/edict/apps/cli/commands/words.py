"""The command `words`, which lists what a translation of a game lacks and what it no longer needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.option_values import print_json, validate_format
from edict.apps.cli.output_files import OutputFile
from edict.apps.cli.reporting import print_lines
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.game.explanations.shown_texts import TranslationReport, report_translation
from edict.support.rendering import escape_terminal
from edict.support.text import quote_yaml

Language = Annotated[str, typer.Argument(metavar="LANGUAGE", help="The code of a language, such as `de`.")]
Stub = Annotated[bool, typer.Option("--stub", help="Print the missing texts as a YAML file to fill in.")]


def words(
    language: Language,
    game: o.Game = "",
    modules: o.Modules = None,
    stub: Stub = False,
    form: o.DataFormat = "text",
) -> int:
    """Print the texts of a game without a translation, and the translations it does not use; return 0."""
    validate_format(form)
