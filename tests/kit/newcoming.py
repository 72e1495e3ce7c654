"""Mistakes as people make them, laid over a small game, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from edict.compiler.pipeline.pipeline import understand
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.module_set import Modules
from edict.compiler.sources.yaml_reader import read_yaml
from edict.support.report import Diagnostic
from edict.support.text import Source

FOLDER = Path(__file__).parent.parent / "compiler" / "syntax" / "mistakes"
FILE = "house/rules.edict"


@dataclass(frozen=True)
class Mistake:
    """What somebody writes, and what is to be said of it.

    text: the rules; code: of what is said; at: what is underlined; title, help, note: the words; becomes: a line of the
    rules once the remedy was applied; exact: whether that may be done without asking.
    """

    name: str
    text: str
    code: str
    becomes: str = ""
    exact: bool = False
    at: str = ""
    title: str = ""
    help: str = ""
    note: str = ""


def listed_in(file: Path) -> dict[str, list[dict[str, Any]]]:
    """A list of mistakes, or of what is said of them, by its parts."""
    data: dict[str, list[dict[str, Any]]] = read_yaml(Source(file.name, file.read_text(encoding="utf-8"))).unwrap().data
    return data


def mistakes(part: str) -> Iterator[Mistake]:
    """The mistakes of one list: `proposed` or `explained`."""
    for number, entry in enumerate(listed_in(FOLDER / f"{part}.yaml")["mistakes"], 1):
        yield _mistake(f"{part}-{number}", dict(entry))


def _mistake(name: str, entry: dict[str, Any]) -> Mistake:
    exact = bool(entry.get("exact", False))
    words = {key: str(entry.get(key, "")) for key in ("becomes", "at", "title", "help", "note")}
    return Mistake(name, rules_of(entry), entry["code"], exact=exact, **words)


def rules_of(entry: Mapping[str, Any]) -> str:
    """`step` are steps of a player's turn, `when` is a condition, `value` a number of dice, `rules` are all of it."""
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
def _base() -> Modules:
    rules = (FOLDER / "game.edict").read_text(encoding="utf-8")
    manifest = Manifest("kingsburg", "Kingsburg", "1.0.0", "game")
    return (Module(manifest, Path("kingsburg"), (Source("kingsburg/rules.edict", rules),)),)


def found_in(text: str) -> tuple[Diagnostic, ...]:
    """Everything that is said of these rules over the game."""
    house = Module(Manifest("house", "House", "1.0.0", "module"), Path("house"), (Source(FILE, text),))
    return understand((*_base(), house)).diagnostics
