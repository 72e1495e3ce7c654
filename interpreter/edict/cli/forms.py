"""The forms in which commands print what they find: for people, or as data."""

from __future__ import annotations

import json
from collections.abc import Sequence

from edict.cli.errors import UsageError
from edict.report import did_you_mean, listed

TEXT, JSON = "text", "json"
BOTH = (TEXT, JSON)


def checked_form(form: str, known: Sequence[str] = BOTH) -> str:
    """The value of `--format`; raises `UsageError`."""
    if form not in known:
        remedy = did_you_mean(form, known) or f"write {listed(known, 'or')}"
        raise UsageError(f"invalid value `{form}` for --format", remedy)
    return form


def print_json(data: object) -> None:
    """Control characters are escaped by JSON itself."""
    print(json.dumps(data, indent=2, ensure_ascii=False))
