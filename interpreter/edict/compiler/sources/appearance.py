"""The appearance of a game, read from the `look.yaml` of its modules (colours, icons, layout of displays).

Nothing of it reaches a program. A look may come from a stranger, so the schema allows only numbers, declared names,
colours and paths of a few letters each; code that draws need not check anything more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any

from edict.compiler.sources.data_cache import load_or_parse
from edict.compiler.sources.file_schemas import validate_once
from edict.compiler.sources.folders import LOOK, Module
from edict.compiler.sources.module_set import iter_names
from edict.compiler.sources.written_data import WrittenData
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Outcome, suggest_word
from edict.support.text import Source

# these can fill drawings, too; `seat` is the colour of whoever has what is drawn
TABLE_COLOURS = ("paper", "card", "ink", "soft", "line", "mark", "accent", "accent-ink", "seat")
OUTLINE, PART = "outline", "part"  # keys of layers that are no tints
SECTIONS_BY_NAME = ("dice", "icons", "pictures", "panels", "cards")  # sections whose keys are names from the rules


@dataclass(frozen=True)
class Icon:
    """An icon, as the path of an SVG on a field of 24 by 24."""

    path: str
    light: str = ""  # colour on light pages; empty: the colour of the text
    dark: str = ""  # colour on dark pages; empty: the colour of the text


@dataclass(frozen=True)
class Layer:
    """One layer of a drawing."""

    fill: str  # a tint or a colour of the table; OUTLINE for none, PART for another drawing
    path: str  # the path of an SVG; the name of a part for PART


@dataclass(frozen=True)
class Drawing:
    """A drawing, as layers on a square field, the lowest first."""

    layers: tuple[Layer, ...]
    side: int = 48  # units along an edge of the field


@dataclass(frozen=True)
class Tint:
    """A colour with which drawings are filled."""

    light: str
    dark: str


@dataclass(frozen=True)
class PanelLook:
    """The layout of a display; an empty string or 0 leaves the choice to the page."""

    layout: str = ""  # table, panes, seats, strip, scene or board
    across: int = 0  # number of panes side by side
    wide: str = ""  # yes or no
    behind: str = ""  # name of the part drawn behind the panel
    joined: str = ""  # name of the display in which its rows are drawn, `with`


@dataclass(frozen=True)
class CardLook:
    """The way a place for cards is drawn."""

    empty: str = "place"  # drawn where no card lies: back, place (an outline) or nothing
    show: str = "yes"  # yes or no; no for a place that is a box beside the table


@dataclass(frozen=True)
class Appearance:
    """The combined appearance of modules that are played together."""

    light: Mapping[str, str] = field(default_factory=dict)  # colours by their use
    dark: Mapping[str, str] = field(default_factory=dict)
    players: tuple[str, ...] = ()  # colours of the seats
    dice: Mapping[str, str] = field(default_factory=dict)
    icons: Mapping[str, Icon] = field(default_factory=dict)
    # a kind's picture serves its things without one
    pictures: Mapping[str, Drawing] = field(default_factory=dict)
    drawn_as: Mapping[str, str] = field(default_factory=dict)  # names that are drawn as another name is
    panels: Mapping[str, PanelLook] = field(default_factory=dict)
    cards: Mapping[str, CardLook] = field(default_factory=dict)
    tints: Mapping[str, Tint] = field(default_factory=dict)
    parts: Mapping[str, Drawing] = field(default_factory=dict)  # drawings for use in others, by names of their own
    backdrop: str = ""  # name of the part drawn behind the board, and on the cover


def combine_looks(modules: Iterable[Module]) -> Appearance:
    """Return the combined look of modules, each laid over those before it.

    A look that cannot be read is skipped. An entry under a former name applies to the thing's present name.
    """
    listed_modules = tuple(modules)
    looks = [written.data for module in listed_modules if (written := _read_look(module).value) is not None]
    renamed = {old: new for module in listed_modules for old, new in module.manifest.renamed}

    def merge_section(key: str) -> dict[str, Any]:
        """Return one section of all looks joined, with renamed names replaced; of equal names the last look wins."""
        names = renamed if key in SECTIONS_BY_NAME else {}
        return {names.get(name, name): value for data in looks for name, value in data.get(key, {}).items()}

    def find_last(key: str, default: Any) -> Any:
        """Return the value of a key in the last look that has it."""
        return next((data[key] for data in reversed(looks) if key in data), default)

    panels = {name: _build_panel(data) for name, data in merge_section("panels").items()}
    icons = {name: Icon(**data) for name, data in merge_section("icons").items()}
    cards = {name: CardLook(**data) for name, data in merge_section("cards").items()}
    pictures = merge_section("pictures")
    drawings = {name: _build_drawing(data) for name, data in pictures.items() if not isinstance(data, dict)}
    drawn_as = {name: renamed.get(data["as"], data["as"]) for name, data in pictures.items() if name not in drawings}
    return Appearance(
        merge_section("light"),
        merge_section("dark"),
        tuple(find_last("players", ())),
        merge_section("dice"),
        icons,
        drawings,
        drawn_as,
        panels,
        cards,
        {name: Tint(**data) for name, data in merge_section("tints").items()},
        {name: _build_drawing(data) for name, data in merge_section("parts").items()},
        find_last("backdrop", ""),
    )


def check_looks(modules: Iterable[Module]) -> Iterator[Diagnostic]:
    """Yield the faults in the looks of modules that are played together."""
    listed_modules = tuple(modules)
    rule_names = {word for module in listed_modules for word in iter_names(module)}
    rule_names |= {old for module in listed_modules for old, _ in module.manifest.renamed}
    outcomes = [_read_look(module) for module in listed_modules]
    looks = [outcome.value for outcome in outcomes if outcome.value is not None]
    drawn = {name for look in looks for name in _iter_drawn_names(look)}
    parts, tints = ({name for look in looks for name in look.data.get(key, {})} for key in ("parts", "tints"))
    for outcome in outcomes:
        yield from outcome.diagnostics
        if outcome.value is not None:
            yield from _find_unknown_names(outcome.value, rule_names, drawn)
            yield from _find_unknown_layers(outcome.value, parts, {*tints, *TABLE_COLOURS, OUTLINE})


def _iter_drawn_names(look: WrittenData) -> Iterator[str]:
    """Yield the names that have a drawing of their own in a look."""
    return (name for name, data in look.data.get("pictures", {}).items() if not isinstance(data, dict))


def _read_look(module: Module) -> Outcome[WrittenData]:
    """Return the module's validated `look.yaml` data; an outcome of None without diagnostics if it has no look."""
    if module.look is None:
        return Outcome(None)
    return _parse_look(module.look)


@lru_cache(maxsize=64)
def _parse_look(source: Source) -> Outcome[WrittenData]:
    """Parse the text of a `look.yaml`, and validate the data against its schema."""
    return load_or_parse("look", source, _validate_look)


def _validate_look(written: WrittenData) -> Outcome[WrittenData]:
    """Return the data of a look if it satisfies the schema, else only the diagnostics."""
    findings = tuple(validate_once(LOOK.removesuffix(".yaml"), written))
    return Outcome(None if findings else written, findings)


def _find_unknown_names(look: WrittenData, rule_names: set[str], drawn_names: set[str]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each name in a look that the rules lack, and each picture `as` an undrawn name."""
    for key in SECTIONS_BY_NAME:
        for name in look.data.get(key, {}):
            if name not in rule_names:
                remedy = suggest_word(name, sorted(rule_names)) or "write a name from the rules, or delete it"
                yield Diagnostic("E0165", f"unknown name `{name}`", look.keys[key, name], help=remedy)
    for name, data in look.data.get("panels", {}).items():
        if data.get("with", name) not in rule_names:
            remedy = suggest_word(data["with"], sorted(rule_names)) or "write the name of a display"
            place = look.span_of(("panels", name, "with"))
            yield Diagnostic("E0165", f"unknown name `{data['with']}`", place, help=remedy)
    for name, data in look.data.get("pictures", {}).items():
        if isinstance(data, dict) and data["as"] not in drawn_names:
            remedy = suggest_word(data["as"], sorted(drawn_names)) or "write the path of a drawing"
            place = look.keys["pictures", name]
            yield Diagnostic("E0165", f"no drawing named `{data['as']}`", place, help=remedy)


def _find_unknown_layers(look: WrittenData, parts: set[str], fills: set[str]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each layer of a drawing with an unknown fill or part, or with a name for a path.

    A part does not consist of parts.
    """
    for section in ("parts", "pictures"):
        usable = {*fills, PART} if section == "pictures" else fills
        layered = ((name, data) for name, data in look.data.get(section, {}).items() if isinstance(data, list))
        for path, layer in (((section, name, number), x) for name, data in layered for number, x in enumerate(data)):
            ((fill, value),) = layer.items()
            is_path = value[:1] in "Mm"
            if fill not in usable:
                remedy = suggest_word(fill, sorted(usable)) or "declare it under `tints`"
                yield Diagnostic("E0165", f"unknown tint `{fill}`", look.keys[*path, fill], help=remedy)
            elif fill == PART and value not in parts:
                remedy = suggest_word(value, sorted(parts)) or "draw it under `parts`"
                yield Diagnostic("E0165", f"no part named `{value}`", look.span_of((*path, fill)), help=remedy)
            elif fill != PART and not is_path:
                remedy = "write the path of a drawing, which begins with `M`"
                yield Diagnostic("E0165", f"`{value}` is not a path", look.span_of((*path, fill)), help=remedy)
    behind = [(look.data.get("backdrop", ""), look.span_of(("backdrop",)))]
    for name, data in look.data.get("panels", {}).items():
        behind.append((data.get("behind", ""), look.span_of(("panels", name, "behind"))))
    for name, place in behind:
        if name not in {"", *parts}:
            remedy = suggest_word(name, sorted(parts)) or "draw it under `parts`"
            yield Diagnostic("E0165", f"no part named `{name}`", place, help=remedy)


def _build_panel(data: dict[str, Any]) -> PanelLook:
    """Build a panel's look from its YAML map, whose keys are all optional."""
    texts = (data.get(key, "") for key in ("wide", "behind", "with"))
    return PanelLook(data.get("as", ""), data.get("across", 0), *texts)


def _build_drawing(data: str | list[dict[str, str]]) -> Drawing:
    """Build a drawing from its YAML data: the path of a line on the field of icons, or layers."""
    if isinstance(data, str):
        return Drawing((Layer(OUTLINE, data),), 24)
    return Drawing(tuple(Layer(*item) for layer in data for item in layer.items()))


@dataclass(frozen=True, slots=True)
class IconSegment:
    """A segment of a text, shown as an icon if it has one."""

    text: str
    icon: str = ""  # name of the icon that stands for the words; empty for plain text
    before: str = ""  # number in front of the icon that stays on its line
    after: str = ""  # number behind the icon that stays on its line


class IconFinder:
    """Finds the words in texts that have an icon."""

    def __init__(self, icons_by_words: Mapping[str, str]) -> None:
        """Prepare the search.

        Args:
            icons_by_words: Names of icons by the words that they stand for.
        """
        self._icons = {words.casefold(): icon for words, icon in icons_by_words.items()}
        words = sorted(self._icons, key=len, reverse=True)
        alternatives = "|".join(map(re.escape, words))
        pattern = rf"([-+]?\d+ )?(?<!\w)({alternatives})(?!\w)((?(1)(?!)| \d+))?"
        self._pattern = re.compile(pattern, re.IGNORECASE) if words else None

    def split(self, text: str) -> list[IconSegment]:
        """Split a text into segments, of which each word with an icon is one."""
        if self._pattern is None:
            return [IconSegment(text)]
        segments, position = list[IconSegment](), 0
        for match in self._pattern.finditer(text):
            before, word, after = match[1] or "", match[2], match[3] or ""
            segments += [IconSegment(text[position : match.start()])] * (match.start() > position)
            segments.append(IconSegment(word, self._icons[word.casefold()], before, after))
            position = match.end()
        if position < len(text) or not segments:
            return [*segments, IconSegment(text[position:])]
        return segments
