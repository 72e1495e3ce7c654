"""How a game is drawn: what its rules say of their look, put in a form that pages and stylesheets take.

A look may be a stranger's. What comes from here is names, colours and paths that its schema let through, and texts
that templates escape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from edict.compiler.sources.appearance import CardLook, Icon, Look, PanelLook
from edict.compiler.sources.icons_in_text import Sign, Signs
from edict.runtime.program import Program
from edict.support.morphology import split_title
from edict.support.svg import render_drawing_path, render_icon_path

MOST_TEXTS = 4096  # of which it is remembered what stands for an icon in them
LAYOUTS = {"lines": "strip", "grid": "sheets"}
DARK_INK, LIGHT_INK = "#16120c", "#ffffff"


class Theme:
    """What pages ask of a game's look."""

    def __init__(self, look: Look, program: Program) -> None:
        self.look = look
        self._program = program

    @property
    def icons(self) -> Mapping[str, Icon]:
        return self.look.icons

    def outline(self, icon: str) -> str:
        """What an icon shows, as an element of SVG."""
        return render_icon_path(self.icons[icon].path)

    @property
    def pictures(self) -> Mapping[str, str]:
        return self.look.pictures

    def picture_of(self, name: str, kind: str = "") -> str:
        """The name of the line drawing for a thing of a kind; empty if neither has any."""
        found = (self.look.drawn_as.get(one, one) for one in (name, kind))
        return next((one for one in found if one in self.pictures), "")

    def lies(self, card: Mapping[str, Any]) -> str:
        """How a place for cards is drawn now: up, down, empty, or (empty text) not at all."""
        look = self.look.cards.get(card["name"], CardLook())
        if look.show == "no":
            return ""
        empty = {"back": "down", "place": "empty", "nothing": ""}
        return empty[look.empty] if card["state"] == "empty" else str(card["state"])

    def laid(self, cards: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The places for cards that are drawn."""
        return [card for card in cards if self.lies(card)]

    def brings(self, stage: Mapping[str, Any]) -> list[str]:
        """The icons of the resources that a stage of the round speaks of, each once."""
        told = [stage["words"], *(step["words"] for step in stage["within"])]
        return list(dict.fromkeys(sign.icon for text in told for sign in self.signs(text) if sign.icon))

    def drawn(self, picture: str) -> str:
        """What a line drawing shows, as an element of SVG."""
        return render_drawing_path(self.pictures[picture])

    def signs(self, text: str) -> Sequence[Sign]:
        """A text in which the words for what has an icon stand apart."""
        return self._signs(text)

    def icon_of(self, text: str) -> str:
        """The icon for which a text stands as a whole; empty if there is none."""
        signs = self.signs(text)
        return signs[0].icon if len(signs) == 1 and not signs[0].before and not signs[0].after else ""

    def layout(self, panel: Mapping[str, Any]) -> str:
        """How a panel is laid out: strip, table, panes, seats or sheets."""
        shape = str(panel["shape"])
        wanted = self._panel(panel).layout
        if shape != "rows":
            return LAYOUTS[shape]
        if wanted == "seats" and panel["kind"] != "player":
            wanted = ""
        return wanted or ("seats" if panel["kind"] == "player" else "panes" if self._drawn(panel) else "table")

    def across(self, panel: Mapping[str, Any]) -> int:
        """How many panes stand side by side where there is room; 0: as many as there is room for."""
        return self._panel(panel).across

    def wide(self, panel: Mapping[str, Any]) -> bool:
        """Whether a panel takes the whole width of the board."""
        said = self._panel(panel).wide
        return said == "yes" or not said and self.layout(panel) in ("sheets", "panes")

    def beside(self, panels: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The panels that stand beside the board: what the players have, where the board holds more than that."""
        shown = [panel for panel in panels if _holds_something(panel)]
        aside = [panel for panel in shown if self.layout(panel) == "seats" and not self._panel(panel).wide]
        rest = [panel for panel in shown if panel not in aside and self.layout(panel) != "strip"]
        return aside if rest else []

    def on_board(self, panels: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The other panels."""
        aside = self.beside(panels)
        return [panel for panel in panels if _holds_something(panel) and panel not in aside]

    def own(self, panels: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
        """The panel in which players look after what is theirs: their sheets, else their cards."""
        shown = [panel for panel in panels if _holds_something(panel)]
        for layout in ("sheets", "seats"):
            for panel in shown:
                if self.layout(panel) == layout:
                    return panel
        return None

    def asks(self, question: Mapping[str, Any]) -> bool:
        """Whether a question comes from a thing, as an advisor's reward does, and does not say of which."""
        by = str(question["cause"]["rule"])
        return by in self._things and by not in question["prompt"]

    def css(self) -> str:
        """The stylesheet of the look."""
        rules = [*_theme(self.look.light), *self._coloured("light", "")]
        dark = [*_theme(self.look.dark), *self._coloured("dark", " ")]
        seats = [f".seat-{n} {{ --seat: {one}; --seat-ink: {_ink(one)}; }}" for n, one in enumerate(self.look.players)]
        dice = [f".d-{name} {{ --die: {one}; --pip: {_ink(one)}; }}" for name, one in self.look.dice.items()]
        lines = [*rules, *seats, *dice, *(["@media (prefers-color-scheme: dark) {", *dark, "}"] if dark else [])]
        return "\n".join(lines) + "\n"

    def _coloured(self, scheme: str, indent: str) -> Iterator[str]:
        for name, icon in self.icons.items():
            colour = icon.dark if scheme == "dark" else icon.light
            if colour:
                yield f"{indent}.i-{name} {{ color: {colour}; }}"

    def _panel(self, panel: Mapping[str, Any]) -> PanelLook:
        return self.look.panels.get(panel["name"], PanelLook())

    def _drawn(self, panel: Mapping[str, Any]) -> bool:
        """Whether anything is printed or drawn on the things of a panel."""
        return any(row["words"] or self.picture_of(row["key"], panel["kind"]) for row in panel["rows"])

    @cached_property
    def _signs(self) -> Callable[[str], Sequence[Sign]]:
        """Finds what people call the resources that have icons; pages say the same texts over and over."""
        titles = {v.name: split_title(v.title or v.name, v.plural) for v in self._program.variables if v.resource}
        signs = Signs({word: name for name, words in titles.items() if name in self.icons for word in words})
        return lru_cache(MOST_TEXTS)(signs.within)

    @cached_property
    def _things(self) -> frozenset[str]:
        """What people call the things of the rules."""
        return frozenset(thing.title for kind in self._program.kinds for thing in kind.things if thing.title)


def _holds_something(panel: Mapping[str, Any]) -> bool:
    return bool(panel["rows"] or panel["grids"] or panel["above"])


def _theme(colours: Mapping[str, str]) -> Iterator[str]:
    if colours:
        yield ":root { " + " ".join(f"--{name}: {colour};" for name, colour in colours.items()) + " }"


def _ink(colour: str) -> str:
    """Black or white, whichever is read better on a colour."""
    light = _luminance(colour)
    return DARK_INK if (light + 0.05) / 0.056 > 1.05 / (light + 0.05) else LIGHT_INK


def _luminance(colour: str) -> float:
    """The relative luminance of a colour, from 0 to 1, as the WCAG defines it."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
