"""Parsers of option values: paths, settings, output formats, and the choice of color.

Every path typed on the command line or at a prompt passes through `parse_path` or `parse_file_path`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from edict.apps.cli.bounded_output import lift_output_limit
from edict.apps.cli.command_errors import UsageError
from edict.support.files import BadPathError, parse_path, require_regular
from edict.support.morphology import quote_words
from edict.support.report import suggest_word

TEXT, JSON = "text", "json"
TEXT_OR_JSON = (TEXT, JSON)


def to_path(text: str | Path) -> Path:
    """Return the path of a folder or of an output file. Raises `UsageError`."""
    try:
        return parse_path(str(text))
    except BadPathError as error:  # as a `ValueError`, Typer would report it without its reason
        raise UsageError(error.reason, error.remedy) from None


def parse_file_path(text: str) -> Path:
    """Return the path of an input file. Raises `UsageError`, also for devices and pipes, which may never end."""
    try:
        return require_regular(parse_path(text))
    except BadPathError as error:
        raise UsageError(error.reason, error.remedy) from None


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
