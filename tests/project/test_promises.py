"""What 1.0 promises (docs/stability.md) is still there. It may grow: whatever is added is no breach.

    PYTHONPATH=tests/kit python tests/project/test_promises.py

writes promised.yaml anew: a promise is given, or a version ends one.
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
from calling import every_command
from edict.apps.cli import command_errors
from edict.apps.cli.main import run

PROMISED = Path(__file__).parent / "promised.yaml"
KEPT = Path(__file__).parent.parent / "game" / "table" / "kept"
FILES = ("table", "diagnostics", "study", "comparison", "league", "view")


def public_names() -> Iterator[str]:
    """`play(games)` for what a caller may name, `Game.undo(by)` for what a value of ours can do."""
    for name in edict.__all__:
        value = getattr(edict, name)
        yield name
        if inspect.isclass(value):
            own = (member for member in dir(value) if member[0] != "_" and not hasattr(Exception, member))
            yield from (f"{name}.{member}" for member in own)
        elif callable(value):
            yield from (f"{name}({parameter})" for parameter in inspect.signature(value).parameters)


def command_line() -> Iterator[str]:
    """`study --seed` for every option, `study` for every command, and what each exit code means."""
    for words, command in every_command().items():
        name = " ".join(words)
        yield name
        yield from (f"{name} {spelling}" for option in command.params for spelling in option.opts if spelling[0] == "-")
    yield from (f"exit {getattr(command_errors, code)}: {code.lower()}" for code in ("RULES", "USAGE", "STOPPED"))


def data() -> Iterator[str]:
    """`view.panels[].title` for each key of what is printed for programs."""
    for name in FILES:
        schema = json.loads(output("schema", name))
        yield from keys(name, schema, schema.get("$defs", {}), ())


def keys(path: str, schema: dict[str, Any], shared: dict[str, Any], seen: tuple[str, ...]) -> Iterator[str]:
    """Every key that a schema describes, with the way to it; what holds itself is followed once."""
    if reference := schema.get("$ref", "").removeprefix("#/$defs/"):
        if reference not in seen:
            yield from keys(path, shared[reference], shared, (*seen, reference))
        return
    for case in ("anyOf", "oneOf", "allOf"):
        for inner in schema.get(case, ()):
            yield from keys(path, inner, shared, seen)
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}.{name}"
        yield from keys(f"{path}.{name}", inner, shared, seen)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from keys(f"{path}[]", schema[name], shared, seen)


def output(*words: str) -> str:
    """What a command prints."""
    with redirect_stdout(StringIO()) as said:
        assert run(words) == 0
    return said.getvalue()


def offered() -> dict[str, set[str]]:
    return {
        "names of `edict`": set(public_names()),
        "the command line": set(command_line()),
        "data for programs": set(data()),
    }


def test_what_was_promised_is_still_offered() -> None:
    promised, there = yaml.safe_load(PROMISED.read_text(encoding="utf-8")), offered()
    assert promised.keys() == there.keys() and all(len(names) > 20 for names in promised.values())
    assert not {kind: gone for kind, names in promised.items() if (gone := set(names) - there[kind])}
    assert {"study --seed", "games view --seat", "check --no-color"} <= there["the command line"]


@pytest.mark.parametrize("journal", sorted(KEPT.glob("*.jsonl")), ids=lambda path: str(path.stem))
def test_a_game_saved_by_an_earlier_version_ends_as_it_did(journal: Path) -> None:
    """Under the rules it carries with it, whatever has become of those that ship."""
    results = yaml.safe_load((KEPT / "results.yaml").read_text(encoding="utf-8"))
    game = edict.replay(journal)
    assert game.over and str(game.result) == results[journal.name]


if __name__ == "__main__":
    found = {kind: sorted(names) for kind, names in offered().items()}
    PROMISED.write_text(yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=200), encoding="utf-8")
