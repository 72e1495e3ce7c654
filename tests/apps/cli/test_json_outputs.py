"""The JSON documents of all commands: each has a format with a number, a schema, and keys in snake_case."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calling import ROOT, list_commands, run_kingsburg
from edict.compiler.sources.file_schemas import SCHEMA_NAMES, load_schema
from edict.compiler.sources.json_schema import create_validator

FORMAT = re.compile(r"edict ([a-z-]+) \d+")
SNAKE_CASE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
FORMER_KEYS = {"exitCode"}  # promised until 2.0
NUMBERED = {"games view": "view"}  # promised until 2.0: a format that is only a number
RECORDED = ("test", "--record", "game.jsonl", "--list")
FEW = ("--games", "4", "--workers", "1")

# calls by command; `--format json` is added unless the command prints JSON anyway
CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "check": (("check", "./house"), ("check", "./broken")),
    "test": (("test", "./house", "pig"), RECORDED),
    "words": (("words", "fr", "--game", "pig"),),
    "gallery": (("gallery",),),
    "modules": (("modules",), ("modules", "pig"), ("modules", "./house")),
    "show": (("show", "jack", "--game", "kuhn-poker"),),
    "find": (
        ("find", "end of a turn"),
        ("find", "--moments", "--game", "pig"),
        ("find", "--names", "--game", "pig"),
        ("find", "--index", "catalogue"),
    ),
    "diff": (("diff", "base", "./house"),),
    "graph": (("graph", "--game", "pig"),),
    "explain": (("explain", "E0407"), ("explain", "amend")),
    "games": (("games",),),
    "games view": (("games", "view", "game.jsonl"),),
    "games replay": (("games", "replay", "game.jsonl"),),
    "games tables": (("games", "tables", "--store", "sqlite:///{folder}/tables.db"),),
    "campaign": (("campaign",), ("campaign", "mine")),
    "compare": (("compare", "base", "goal=60", "--game", "pig", "--players", "2", "--bots", "random", *FEW),),
    "league": (("league", "kuhn-poker", "--bots", "random,greedy", *FEW),),
    "study": (
        ("study", "pig", "--bots", "random", *FEW),
        ("study", "pig", "--never", *FEW),
        ("study", "pig", "--best-response", "point > 1000", "--bots", "random", "--players", "2", *FEW),
        ("study", "pig", "--profile", "--games", "4", "--bots", "random"),
    ),
    "tune": (("tune", "pig", "goal", "60..100..20", "--until", "length 10 to 200", "--bots", "random", *FEW),),
    "report": (("report", "./house", "--against-python", sys.executable, "--games", "4"),),
    "card": (("card", "pig", "--games", "4", "--players", "2"),),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with variants, a saved game and a campaign."""
    shutil.copytree(ROOT / "examples" / "steady-king", tmp_path / "house")
    shutil.copytree(ROOT / "examples" / "pig", tmp_path / "broken")
    (tmp_path / "broken" / "more.edict").write_text("resource coyn\nresource coyn\n", "utf-8")
    options = ("--bot", "random:Ann", "--bot", "random:Bo", "--seed", "1", "--speed", "0", "--plain")
    assert run_kingsburg(tmp_path, "play", "pig", *options, "--save", "game.jsonl").returncode == 0
    assert run_kingsburg(tmp_path, "play", "--with", "long-reign", *options, "--campaign", "mine").returncode == 0
    assert run_kingsburg(tmp_path, "index", "./house").returncode == 0
    return tmp_path


def iter_property_names(schema: Any) -> Iterator[str]:
    """Yield the name of every property in a schema, at any depth."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for value in schema.values():
            yield from iter_property_names(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from iter_property_names(value)


def test_json_of_every_command_has_a_format_and_satisfies_its_schema(folder: Path, subtests: pytest.Subtests) -> None:
    for command, calls in CALLS.items():
        for words in calls:
            with subtests.test(words=words):
                filled = [word.format(folder=folder) for word in words]
                done = run_kingsburg(folder, *filled, *(("--format", "json") if command != "games view" else ()))
                assert done.stdout.startswith("{"), done.stderr
                document = json.loads(done.stdout)
                if command in NUMBERED:
                    schema_name = NUMBERED[command]
                else:
                    match = FORMAT.fullmatch(document["format"])
                    assert match and match[1] in SCHEMA_NAMES, document["format"]
                    schema_name = match[1]
                errors = [error.message for error in create_validator(load_schema(schema_name)).iter_errors(document)]
                assert errors == []


def test_every_command_with_a_json_format_is_called() -> None:
    commands = {" ".join(words): command for words, command in list_commands().items()}
    with_format = {name for name, command in commands.items() if any("--format" in p.opts for p in command.params)}
    assert with_format == CALLS.keys() - {"games view"}


def test_keys_of_every_schema_are_in_snake_case(subtests: pytest.Subtests) -> None:
    for name in SCHEMA_NAMES:
        with subtests.test(name=name):
            if "format" in load_schema(name)["properties"]:
                keys = set(iter_property_names(load_schema(name))) - FORMER_KEYS
                assert [key for key in keys if not SNAKE_CASE.fullmatch(key)] == []
