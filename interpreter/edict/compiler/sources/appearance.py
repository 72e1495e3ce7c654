"""How a game looks, as its rules and modules say beside them in `look.yaml`: colours, icons, how displays are laid out.

Nothing of it reaches a program. It may be a stranger's, so all of it is numbers, names of what the rules declare,
colours and paths of a few letters each, which the schema keeps; whoever draws needs to trust nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from edict.compiler.sources.file_schemas import schema_findings
from edict.compiler.sources.folders import LOOK, Module
from edict.compiler.sources.module_set import names_in
from edict.compiler.sources.yaml_reader import WrittenData, read_yaml
from edict.support.report import Diagnostic, Outcome, suggest_word
from edict.support.text import Source

NAMED = ("dice", "icons", "pictures", "panels", "cards")  # what is said by names from the rules


@dataclass(frozen=True)
class Icon:
    """A sign, as the path of an SVG on a field of 24 by 24, and its colours (empty: that of the text)."""

    path: str
    light: str = ""
    dark: str = ""


@dataclass(frozen=True)
class PanelLook:
    """How a display is laid out; an empty word or 0 leaves it to whoever draws.

    layout: table, panes, seats or strip; `across` panes stand side by side; wide: yes or no.
    """

    layout: str = ""
    across: int = 0
    wide: str = ""


@dataclass(frozen=True)
class CardLook:
    """How a place for cards is drawn.

    empty: where none lies there, as a back, as an empty place, or not at all (nothing). show: yes or no, as when the
    place is a box beside the table.
    """

    empty: str = "place"
    show: str = "yes"


@dataclass(frozen=True)
class Look:
    """What the rules that are played together say of their look.

    `light` and `dark` are colours by what they are for, `players` those of the seats; all else goes by names from the
    rules. `pictures` are line drawings: paths to draw along, on the same field as icons; of a kind, it is the drawing
    of its things that have none. `drawn_as`: what is drawn as something else is.
    """

    light: Mapping[str, str] = field(default_factory=dict)
    dark: Mapping[str, str] = field(default_factory=dict)
    players: tuple[str, ...] = ()
    dice: Mapping[str, str] = field(default_factory=dict)
    icons: Mapping[str, Icon] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    drawn_as: Mapping[str, str] = field(default_factory=dict)
    panels: Mapping[str, PanelLook] = field(default_factory=dict)
    cards: Mapping[str, CardLook] = field(default_factory=dict)


def look_of(modules: Iterable[Module]) -> Look:
    """The look of modules, each over those before it; what is wrong in one is left out.

    What a look says of a former name holds for what is called otherwise now.
    """
    known = tuple(modules)
    read = [written.data for module in known if (written := _read(module).value) is not None]
    renamed = {old: new for module in known for old, new in module.manifest.renamed}

    def over(key: str) -> dict[str, Any]:
        names = renamed if key in NAMED else {}
        return {names.get(name, name): value for data in read for name, value in data.get(key, {}).items()}

    players = next((data["players"] for data in reversed(read) if "players" in data), ())
    panels = {name: _panel(data) for name, data in over("panels").items()}
    icons = {name: Icon(**data) for name, data in over("icons").items()}
    cards = {name: CardLook(**data) for name, data in over("cards").items()}
    pictures = over("pictures")
    paths = {name: path for name, path in pictures.items() if isinstance(path, str)}
    drawn_as = {name: renamed.get(data["as"], data["as"]) for name, data in pictures.items() if name not in paths}
    return Look(over("light"), over("dark"), tuple(players), over("dice"), icons, paths, drawn_as, panels, cards)


def wrong_looks(modules: Iterable[Module]) -> Iterator[Diagnostic]:
    """What is wrong in the looks of modules that are played together."""
    known = tuple(modules)
    written = {word for module in known for word in names_in(module)}
    written |= {old for module in known for old, _ in module.manifest.renamed}
    looks = [_read(module) for module in known]
    drawn = {name for read in looks if read.value is not None for name in _paths(read.value)}
    for read in looks:
        yield from read.diagnostics
        if read.value is not None:
            yield from _unknown(read.value, written, drawn)


def _paths(look: WrittenData) -> Iterator[str]:
    """The names under which a look has drawings of its own."""
    return (name for name, path in look.data.get("pictures", {}).items() if isinstance(path, str))


def _read(module: Module) -> Outcome[WrittenData]:
    if module.look is None:
        return Outcome(None)
    return _read_once(module.look)


@lru_cache(maxsize=64)
def _read_once(source: Source) -> Outcome[WrittenData]:
    return read_yaml(source).and_then(_checked)


def _checked(written: WrittenData) -> Outcome[WrittenData]:
    wrong = tuple(schema_findings(LOOK.removesuffix(".yaml"), written))
    return Outcome(None if wrong else written, wrong)


def _unknown(look: WrittenData, written: set[str], drawn: set[str]) -> Iterator[Diagnostic]:
    for key in NAMED:
        for name in look.data.get(key, {}):
            if name not in written:
                remedy = suggest_word(name, sorted(written)) or "write a name from the rules, or delete it"
                yield Diagnostic("E0165", f"nothing in the rules is named `{name}`", look.keys[key, name], help=remedy)
    for name, data in look.data.get("pictures", {}).items():
        if isinstance(data, dict) and data["as"] not in drawn:
            remedy = suggest_word(data["as"], sorted(drawn)) or "write the path of a drawing"
            place = look.keys["pictures", name]
            yield Diagnostic("E0165", f"nothing is drawn under the name `{data['as']}`", place, help=remedy)


def _panel(data: dict[str, Any]) -> PanelLook:
    return PanelLook(data.get("as", ""), data.get("across", 0), data.get("wide", ""))


__all__ = ["CardLook", "Icon", "NAMED", "Look", "PanelLook", "look_of", "wrong_looks"]
