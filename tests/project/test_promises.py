"""The promises of 1.0 (docs/reference/stability.md): what was offered is still offered; additions are no breach.

    PYTHONPATH=tests/kit python tests/project/test_promises.py

rewrites promised.yaml, when a promise is added or a version ends one.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml

import edict
from calling import list_commands
from edict.apps.cli import command_errors
from edict.apps.cli.main import run_command

PROMISED = Path(__file__).parent / "promised.yaml"
SAVED_GAMES = Path(__file__).parent.parent / "game" / "table" / "kept"
FILES = ("table", "diagnostics", "study", "comparison", "league", "view")


def public_names() -> Iterator[str]:
    """Yield `play(games)` for each parameter and `Game.undo` for each member of a public class."""
    for name in edict.__all__:
        value = getattr(edict, name)
        yield name
        if inspect.isclass(value):
            own = (member for member in dir(value) if member[0] != "_" and not hasattr(Exception, member))
            yield from (f"{name}.{member}" for member in own)
        elif callable(value):
            yield from (f"{name}({parameter})" for parameter in inspect.signature(value).parameters)


def iter_command_line() -> Iterator[str]:
    """Yield `study` for each command, `study --seed` for each option, and the meaning of exit codes."""
    for words, command in list_commands().items():
        name = " ".join(words)
        yield name
        yield from (f"{name} {spelling}" for option in command.params for spelling in option.opts if spelling[0] == "-")
    yield from (f"exit {getattr(command_errors, code)}: {code.lower()}" for code in ("RULES", "USAGE", "STOPPED"))


def iter_data_keys() -> Iterator[str]:
    """Yield each key of the JSON output, such as `view.panels[].title`."""
    for name in FILES:
        schema = json.loads(capture_output("schema", name))
        yield from iter_schema_keys(name, schema, schema.get("$defs", {}), ())


def iter_schema_keys(path: str, schema: dict[str, Any], shared: dict[str, Any], seen: tuple[str, ...]) -> Iterator[str]:
    """Yield every key that a schema describes, with its path; recursive schemas are followed once."""
    if reference := schema.get("$ref", "").removeprefix("#/$defs/"):
        if reference not in seen:
            yield from iter_schema_keys(path, shared[reference], shared, (*seen, reference))
        return
    for case in ("anyOf", "oneOf", "allOf"):
        for inner in schema.get(case, ()):
            yield from iter_schema_keys(path, inner, shared, seen)
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}.{name}"
        yield from iter_schema_keys(f"{path}.{name}", inner, shared, seen)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from iter_schema_keys(f"{path}[]", schema[name], shared, seen)


def capture_output(*words: str) -> str:
    """Return what a command prints."""
    with redirect_stdout(StringIO()) as stream:
        assert run_command(words) == 0
    return stream.getvalue()


def collect_offered() -> dict[str, set[str]]:
    return {
        "names of `edict`": set(public_names()),
        "the command line": set(iter_command_line()),
        "data for programs": set(iter_data_keys()),
    }


def test_everything_promised_is_still_offered() -> None:
    promised, there = yaml.safe_load(PROMISED.read_text(encoding="utf-8")), collect_offered()
    assert promised.keys() == there.keys() and all(len(names) > 20 for names in promised.values())
    assert not {kind: gone for kind, names in promised.items() if (gone := set(names) - there[kind])}
    assert {"study --seed", "games view --seat", "check --no-color"} <= there["the command line"]


@pytest.mark.parametrize("journal", sorted(SAVED_GAMES.glob("*.jsonl")), ids=lambda path: str(path.stem))
def test_game_saved_by_an_earlier_version_has_the_same_result(journal: Path) -> None:
    """It is replayed under the rules in its file, whatever has changed in those that ship."""
    results = yaml.safe_load((SAVED_GAMES / "results.yaml").read_text(encoding="utf-8"))
    game = edict.replay(journal)
    assert game.over and str(game.result) == results[journal.name]


if __name__ == "__main__":
    found = {kind: sorted(names) for kind, names in collect_offered().items()}
    PROMISED.write_text(yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=200), encoding="utf-8")
