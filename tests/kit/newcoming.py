"""Typical mistakes of newcomers over a small game, and the diagnostics they should get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.module_set import Modules
from edict.compiler.sources.yaml_reader import read_yaml
from edict.support.report import Diagnostic
from edict.support.text import Source

FOLDER = Path(__file__).parent.parent / "compiler" / "syntax" / "mistakes"
FILE = "house/rules.edict"


@dataclass(frozen=True)
class Mistake:
    """A mistake and the expected diagnostic."""

    name: str
    text: str
    code: str
    becomes: str = ""
    exact: bool = False
    at: str = ""
    title: str = ""
    help: str = ""
    note: str = ""
    further: tuple[str, ...] = ()  # codes of the other faults of the line


def load_mistakes(file: Path) -> dict[str, list[dict[str, Any]]]:
    """Return a file of mistakes or expected diagnostics by part."""
    data: dict[str, list[dict[str, Any]]] = read_yaml(Source(file.name, file.read_text(encoding="utf-8"))).unwrap().data
    return data


def iter_mistakes(part: str) -> Iterator[Mistake]:
    """Yield the mistakes of a list, `proposed` or `explained`."""
    for number, entry in enumerate(load_mistakes(FOLDER / f"{part}.yaml")["mistakes"], 1):
        yield _to_mistake(f"{part}-{number}", dict(entry))


def _to_mistake(name: str, entry: dict[str, Any]) -> Mistake:
    exact = bool(entry.get("exact", False))
    words = {key: str(entry.get(key, "")) for key in ("becomes", "at", "title", "help", "note")}
    further = tuple(entry.get("further", ()))
    return Mistake(name, make_rules(entry), entry["code"], exact=exact, further=further, **words)


def make_rules(entry: Mapping[str, Any]) -> str:
    """Return the rules of an entry: steps of a turn, a condition, a number of dice, or all of the rules."""
    if "step" in entry:
        lines = "".join(f"    {line}\n" for line in str(entry["step"]).split("\n"))
        text = f"when start of summer\n  each player\n{lines}"
    elif "when" in entry:
        text = f"adjust dice-rolled by 1 if {entry['when']}\n"
    elif "value" in entry:
        text = f"adjust dice-rolled by {entry['value']}\n"
    else:
        text = str(entry["rules"])
    return text if text.endswith("\n") else text + "\n"


@cache
def _load_base_game() -> Modules:
    rules = (FOLDER / "game.edict").read_text(encoding="utf-8")
    manifest = Manifest("kingsburg", "Kingsburg", "1.0.0", "game")
    return (Module(manifest, Path("kingsburg"), (Source("kingsburg/rules.edict", rules),)),)


def find_diagnostics(text: str) -> tuple[Diagnostic, ...]:
    """Return all diagnostics of these rules over the game."""
    house = Module(Manifest("house", "House", "1.0.0", "module"), Path("house"), (Source(FILE, text),))
    return analyze((*_load_base_game(), house)).diagnostics
