"""Settings of the rules as they are typed: `--set NAME=VALUE`."""

from __future__ import annotations

from collections.abc import Sequence

from edict.cli.errors import UsageError


def settings_of(texts: Sequence[str]) -> dict[str, object]:
    """By name, the last one counts; raises `UsageError`."""
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"`--set {text}` has no value", "write --set NAME=VALUE, with on, off or a number")
        found[name.strip()] = value.strip()
    return found
