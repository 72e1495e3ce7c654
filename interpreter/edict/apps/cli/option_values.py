"""What is typed for options, read: paths, settings of the rules, forms of output, colours.

Here is the one door for paths typed on the command line or at a prompt; every option that takes one names its door.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from edict.apps.cli.bounded_output import print_everything
from edict.apps.cli.command_errors import UsageError
from edict.support.morphology import quote_words
from edict.support.paths import BadPathError, parse_path, require_regular
from edict.support.report import suggest_word

TEXT, JSON = "text", "json"
BOTH = (TEXT, JSON)


def a_path(text: str | Path) -> Path:
    """Any path: of a folder, or of a file to be written. Raises `UsageError`."""
    try:
        return parse_path(str(text))
    except BadPathError as bad:
        raise UsageError(bad.reason, bad.remedy) from None


def a_file(text: str) -> Path:
    """A file to be read: not a device or a pipe, whose end nobody may live to see. Raises `UsageError`."""
    try:
        return require_regular(parse_path(text))
    except BadPathError as bad:
        raise UsageError(bad.reason, bad.remedy) from None


def settings_of(texts: Sequence[str]) -> dict[str, object]:
    """By name, the last one counts; raises `UsageError`."""
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"`--set {text}` has no value", "write --set NAME=VALUE, with on, off or a number")
        found[name.strip()] = value.strip()
    return found


def checked_form(form: str, known: Sequence[str] = BOTH) -> str:
    """The value of `--format`; raises `UsageError`."""
    if form not in known:
        remedy = suggest_word(form, known) or f"write {quote_words(known, 'or')}"
        raise UsageError(f"invalid value `{form}` for --format", remedy)
    if form != TEXT:
        print_everything()
    return form


def in_colours(stream: TextIO) -> bool:
    """Whether what is printed there is coloured: at a terminal, unless `--no-color` or NO_COLOR say otherwise."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")


def print_json(data: object) -> None:
    """Control characters are escaped by JSON itself."""
    print_everything()
    print(json.dumps(data, indent=2, ensure_ascii=False))
