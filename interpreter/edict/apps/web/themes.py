"""Themes: how a game is drawn, from the look that its rules define, in a form for pages and stylesheets.

A look may come from a stranger. Everything here returns names, colours and paths that the schema admitted, or texts
that templates escape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from edict.compiler.sources.appearance import (
    OUTLINE,
    PART,
    TABLE_COLOURS,
    Appearance,
    CardLook,
    Drawing,
    Icon,
    IconFinder,
    IconSegment,
    Layer,
    PanelLook,
)
from edict.game.table.addresses import PLAYER
from edict.runtime.program import Panel, PanelLine, Program
from edict.support.morphology import split_title
from edict.support.records import dataclass
from edict.support.svg import render_element, render_icon_path

MAX_CACHED_TEXTS = 4096  # texts whose icons are remembered
OWNED_LAYOUTS = "sheets", "seats"  # what belongs to the players; where there are both, they look in the first
COLLECTIONS = "set", "order", "bag"  # shapes of values that hold any number of things
LAYOUTS = {"lines": "strip", "grid": "sheets"}  # layouts of panels of other shapes than rows, by shape
BOARD = "board"  # the layout of a grid that all players share
DARK_INK, LIGHT_INK = "#16120c", "#ffffff"


@dataclass(frozen=True, slots=True)
class PanelArrangement:
    """The panels of a table by where they are drawn."""

    board: Sequence[Mapping[str, Any]]
    side: Sequence[Mapping[str, Any]]
    own: Mapping[str, Any] | None  # the one in which the players look for what is theirs


class Theme:
    """A game's look, as templates use it.

    Templates call the methods by their names (`drawing.layout(panel)`). Panels, cards, stages and questions are the
    data of `table_pictures.build_picture`.
    """

    def __init__(self, look: Appearance, program: Program) -> None:
        self.look = look
        self._program = program

    @property
    def icons(self) -> Mapping[str, Icon]:
        """The icons by the name of their resource."""
        return self.look.icons

    def outline(self, icon: str) -> str:
        """Return the outline of an icon as an SVG element."""
        return render_icon_path(self.icons[icon].path)

    @property
    def drawings(self) -> dict[str, Drawing]:
        """The drawings by the ids that pages give them: those of things, and the parts of these."""
        pictures = {f"picture-{name}": drawing for name, drawing in self.look.pictures.items()}
        return {f"part-{name}": drawing for name, drawing in self.look.parts.items()} | pictures

    def is_tinted(self, picture: str) -> bool:
        """Return True if a drawing is more than a line."""
        return any(layer.fill != OUTLINE for layer in self.look.pictures[picture].layers)

    def get_backdrop(self, panel: Mapping[str, Any]) -> str:
        """Return the name of the part that is drawn behind a panel; empty if there is none."""
        return self._find_part(self._panel_look(panel).behind)

    @property
    def backdrop(self) -> str:
        """The name of the part that is drawn behind the board; empty if there is none."""
        return self._find_part(self.look.backdrop)

    def picture_of(self, name: str, kind: str = "") -> str:
        """Return the name of the drawing of a thing, or else of its kind; empty if neither exists."""
        candidates = (self.look.drawn_as.get(candidate, candidate) for candidate in (name, kind))
        return next((candidate for candidate in candidates if candidate in self.look.pictures), "")

    def lies(self, card: Mapping[str, Any]) -> str:
        """Return how to draw a place for cards: `up`, `down` or `empty`; an empty text if it is not drawn."""
        look = self.look.cards.get(card["name"], CardLook())
        if look.show == "no":
            return ""
        empty = {"back": "down", "place": "empty", "nothing": ""}
        return empty[look.empty] if card["state"] == "empty" else str(card["state"])

    def select_visible_cards(self, cards: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the places for cards that are drawn."""
        return [card for card in cards if self.lies(card)]

    def brings(self, stage: Mapping[str, Any]) -> list[str]:
        """Return the icons of all resources named in the texts of a stage and its steps, without repetition."""
        texts = [stage["words"], *(step["words"] for step in stage["within"])]
        return list(dict.fromkeys(sign.icon for text in texts for sign in self.signs(text) if sign.icon))

    def render_drawing(self, drawing: Drawing) -> str:
        """Return the SVG elements of a drawing. Parts are referred to by their ids."""
        return "".join(_render_layer(layer) for layer in drawing.layers)

    def signs(self, text: str) -> Sequence[IconSegment]:
        """Split a text at the words that have an icon, and return the parts."""
        return self._split_at_icons(text)

    def word_of(self, resource: str) -> str:
        """Return the word for pieces of a resource."""
        return str(self._resource_titles[resource][-1])

    def icon_of(self, text: str) -> str:
        """Return the icon of a text that is nothing but the word for it; empty if it has none."""
        signs = self.signs(text)
        if len(signs) == 1 and not signs[0].before and not signs[0].after:
            return signs[0].icon
        return ""

    def layout(self, panel: Mapping[str, Any]) -> str:
        """Return the layout of a panel: that of its look, else by its shape and kind (such as `seats` for players)."""
        shape = str(panel["shape"])
        chosen = self._panel_look(panel).layout
        if shape != "rows":
            return BOARD if chosen == BOARD and shape == "grid" else LAYOUTS[shape]
        if chosen in ("scene", BOARD) or chosen == "seats" and panel["kind"] != "player":
            chosen = ""
        return chosen or (
            "seats" if panel["kind"] == "player" else "panes" if self._has_illustrated_things(panel) else "table"
        )

    def holds(self, panel: Mapping[str, Any], column: int) -> str:
        """Return what a column of a panel may hold, as a class in stylesheets (see `_name_contents`).

        It follows from the rules alone, so the column's place on the page depends on nothing that happens in a game.
        """
        return self._lines_of(panel)[column][1]

    def _lines_of(self, panel: Mapping[str, Any]) -> list[tuple[PanelLine, str]]:
        """Return the lines or columns of a panel and of those joined to it, each with what it may hold."""
        names = (panel["name"], *panel.get("joined", ()))
        return [pair for name in names for pair in zip(self._panels[name].lines, self._contents[name], strict=True)]

    def place_lines(self, panel: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any] | None]]:
        """Return each line of a panel: what it may hold, and its row, or None while the line's condition fails."""
        rows = list(panel["rows"])
        places = list[tuple[str, Mapping[str, Any] | None]]()
        for line, contents in self._lines_of(panel):
            if rows and self._shows_line(rows[0], line):
                places.append((contents, rows.pop(0)))
            elif line.condition >= 0:
                places.append((contents, None))
        return places if not rows else [("", row) for row in panel["rows"]]

    def _shows_line(self, row: Mapping[str, Any], line: PanelLine) -> bool:
        """Return True if a row begins as a line does."""
        if not row["pieces"][0] or not line.parts:
            return not row["pieces"][0] and not line.parts
        piece, part = row["pieces"][0][0], line.parts[0]
        if part.query < 0:
            return bool(piece["text"] == part.text)
        return piece["shape"] in (self._program.queries[part.query].type.shape, "hidden")

    def asks_for(self, panel: Mapping[str, Any]) -> bool:
        """Return True if some question asks for one of a panel's things, and no dice are put on these."""
        return panel["kind"] in self._asked_kinds

    def is_card(self, kind: str) -> bool:
        """Return True if things of a kind may lie face down: somewhere in the rules they are secret."""
        return kind in self._card_kinds

    def index_of(self, title: str) -> str:
        """Return the number at the end of a card's title, which is printed in its corner; empty if there is none."""
        return title.rpartition(" ")[2] if title.rpartition(" ")[2].isdecimal() else ""

    def suit_of(self, name: str, kind: str) -> str:
        """Return the picture on a card: its own, that of the thing with whose name its name begins, or its kind's."""
        words = name.split("-")
        candidates = ("-".join(words[:count]) for count in range(len(words), 0, -1))
        return next(filter(None, map(self.picture_of, candidates)), self.picture_of(kind))

    def is_scene(self, panel: Mapping[str, Any]) -> bool:
        """Return True if the panel of a moment to look at is laid out as a scene."""
        return self._panel_look(panel).layout == "scene" and panel["shape"] == "rows" and panel["kind"] == "player"

    def pictured_in(self, text: str) -> str:
        """Return the picture of the thing with whose title a text ends; empty if there is none."""
        titles = (
            title for title in self._pictured_titles if text == title or text.endswith((f" {title}", f"({title})"))
        )
        return self._pictured_titles[max(titles, key=len, default="")]

    def across(self, panel: Mapping[str, Any]) -> int:
        """Return how many panes stand side by side if there is room; 0 for as many as fit."""
        return self._panel_look(panel).across

    def wide(self, panel: Mapping[str, Any]) -> bool:
        """Return True if the look says so, or by default if the layout is `sheets`, `panes` or `board`."""
        choice = self._panel_look(panel).wide
        return choice == "yes" or not choice and self.layout(panel) in ("sheets", "panes", BOARD)

    def arrange(self, panels: Sequence[Mapping[str, Any]]) -> PanelArrangement:
        """Return where the panels are drawn that hold something, each with those that are drawn in it.

        Those of the players' possessions are drawn beside the board, unless the board would show nothing else.
        """
        shown = [(panel, self.layout(panel)) for panel in self._join(filter(_holds_something, panels))]
        aside = [panel for panel, layout in shown if layout in OWNED_LAYOUTS and not self._panel_look(panel).wide]
        if all(panel in aside or layout == "strip" for panel, layout in shown):
            aside = []
        owned = (panel for wanted in OWNED_LAYOUTS for panel, layout in shown if layout == wanted)
        return PanelArrangement([panel for panel, _ in shown if panel not in aside], aside, next(owned, None))

    def _join(self, panels: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return panels after drawing each in the one before it that its look names, if the two are alike."""
        drawn: dict[str, Mapping[str, Any]] = {}
        for panel in panels:
            base = drawn.get(self._panel_look(panel).joined)
            if base is not None and _can_join(base, panel):
                drawn[base["name"]] = _join_panels(base, panel)
            else:
                drawn[panel["name"]] = panel
        return list(drawn.values())

    def asks(self, question: Mapping[str, Any]) -> bool:
        """Return True if the question's rule has the title of a thing (an advisor, say) that the prompt lacks."""
        rule_title = str(question["cause"]["rule"])
        return rule_title in self._thing_titles and rule_title not in question["prompt"]

    def render_css(self) -> str:
        """Return the look's stylesheet."""
        rules = [*_color_variable_rules(self.look.light), *self._icon_color_rules("light", "")]
        dark = [*_color_variable_rules(self.look.dark), *self._icon_color_rules("dark", " ")]
        rules += [f".t-{name} {{ fill: var(--{name}); }}" for name in TABLE_COLOURS]
        rules += [f".t-{name} {{ fill: {tint.light}; }}" for name, tint in self.look.tints.items()]
        dark += [f" .t-{name} {{ fill: {tint.dark}; }}" for name, tint in self.look.tints.items()]
        seats = [
            f".seat-{n} {{ --seat: {colour}; --seat-ink: {_contrasting_ink(colour)}; }}"
            for n, colour in enumerate(self.look.players)
        ]
        dice = [
            f".d-{name} {{ --die: {colour}; --pip: {_contrasting_ink(colour)}; }}"
            for name, colour in self.look.dice.items()
        ]
        lines = [*rules, *seats, *dice, *(["@media (prefers-color-scheme: dark) {", *dark, "}"] if dark else [])]
        return "\n".join(lines) + "\n"

    def _icon_color_rules(self, scheme: str, indent: str) -> Iterator[str]:
        """Yield a CSS rule for each icon that has its own colour in a scheme, `light` or `dark`."""
        for name, icon in self.icons.items():
            colour = icon.dark if scheme == "dark" else icon.light
            if colour:
                yield f"{indent}.i-{name} {{ color: {colour}; }}"

    def _find_part(self, name: str) -> str:
        """Return the name of a part, or an empty text if no look draws it."""
        return name if name in self.look.parts else ""

    def _panel_look(self, panel: Mapping[str, Any]) -> PanelLook:
        """Return the look of a panel by its name; the default look if the rules define none."""
        return self.look.panels.get(panel["name"], PanelLook())

    def _has_illustrated_things(self, panel: Mapping[str, Any]) -> bool:
        """Return True if a text or a drawing is printed on any thing of a panel."""
        return any(row["words"] or self.picture_of(row["key"], panel["kind"]) for row in panel["rows"])

    @cached_property
    def _split_at_icons(self) -> Callable[[str], Sequence[IconSegment]]:
        """A cached function that splits a text at the words for resources with icons."""
        titles = {name: words for name, words in self._resource_titles.items() if name in self.icons}
        signs = IconFinder({word: name for name, words in titles.items() for word in words})
        return lru_cache(MAX_CACHED_TEXTS)(signs.split)

    @cached_property
    def _resource_titles(self) -> dict[str, tuple[str, ...]]:
        """The titles of each resource by its name: for one piece, and for several."""
        variables = (variable for variable in self._program.variables if variable.resource)
        return {one.name: tuple(split_title(one.title or one.name, one.plural)) for one in variables}

    @cached_property
    def _panels(self) -> dict[str, Panel]:
        """The panels by name."""
        return {panel.name: panel for panel in self._program.panels}

    @cached_property
    def _contents(self) -> dict[str, tuple[str, ...]]:
        """What each line or column of a panel may hold, by the panel's name."""
        return {name: tuple(map(self._name_contents, panel.lines)) for name, panel in self._panels.items()}

    def _name_contents(self, line: PanelLine) -> str:
        """Return a class for what a line may hold: cards, one card, things, dice, one number or words."""
        types = [self._program.queries[part.query].type for part in line.parts if part.query >= 0]
        many = [type_ for type_ in types if type_.shape in COLLECTIONS]
        if any(self.is_card(type_.kind) for type_ in types):
            return "of-cards" if many else "of-card"
        if any(type_.kind not in ("", PLAYER) for type_ in types):
            return "of-things" if many else "of-thing"
        if any(type_.shape == "dice" for type_ in types):
            return "of-dice"
        return "of-number" if [type_.shape for type_ in types] == ["number"] else "of-words"

    @cached_property
    def _asked_kinds(self) -> frozenset[str]:
        """The kinds of things that questions ask for, except those on which dice are put."""
        asked = {question.kind for question in self._program.questions if question.domain == "thing"}
        with_dice = (variable.kinds for variable in self._program.variables if variable.type.shape == "dice")
        return frozenset(asked.difference(*with_dice))

    @cached_property
    def _card_kinds(self) -> frozenset[str]:
        """The kinds, except players, of the things in secret variables."""
        secrets = [variable for variable in self._program.variables if variable.known >= 0]
        kinds = {variable.kinds[-1] if variable.counts else variable.type.kind for variable in secrets}
        return frozenset(kinds - {"", "player"})

    @cached_property
    def _pictured_titles(self) -> dict[str, str]:
        """The pictures in tints of things by title."""
        things = [(thing, kind.name) for kind in self._program.kinds for thing in kind.things if thing.title]
        drawn = {thing.title: self.picture_of(thing.name, kind) for thing, kind in things}
        return {title: name for title, name in drawn.items() if name and self.is_tinted(name)} | {"": ""}

    @cached_property
    def _thing_titles(self) -> frozenset[str]:
        """Return the titles of all things of the game, of any kind."""
        return frozenset(thing.title for kind in self._program.kinds for thing in kind.things if thing.title)


def _render_layer(layer: Layer) -> str:
    """Return a layer of a drawing as an SVG element."""
    if layer.fill == PART:
        return render_element("use", href=f"#part-{layer.path}")
    return render_element("path", d=layer.path, class_="" if layer.fill == OUTLINE else f"t-{layer.fill}")


def _holds_something(panel: Mapping[str, Any]) -> bool:
    """Return True if a panel has rows, grids or anything above them."""
    return bool(panel["rows"] or panel["grids"] or panel["above"])


def _can_join(base: Mapping[str, Any], panel: Mapping[str, Any]) -> bool:
    """Return True if a panel can be drawn in another: both are lines, or the other has rows for all of its things."""
    if base["shape"] != "rows" or panel["shape"] != "rows":
        return bool(base["shape"] == panel["shape"] == "lines")
    return {row["key"] for row in panel["rows"]} <= {row["key"] for row in base["rows"]}


def _join_panels(base: Mapping[str, Any], panel: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a panel of lines with those of another below them, or a panel of rows with the columns of another.

    It has the names of the panels that were joined to it under `joined`.
    """
    names = [*base.get("joined", ()), panel["name"]]
    if base["shape"] == "lines":
        return {**base, "joined": names, "rows": [*base["rows"], *panel["rows"]]}
    columns, added = len(panel["header"]), {row["key"]: row for row in panel["rows"]}
    empty = {"cells": [""] * columns, "pieces": [[]] * columns}
    rows = [_join_rows(row, added.get(row["key"], empty)) for row in base["rows"]]
    return {**base, "joined": names, "header": [*base["header"], *panel["header"]], "rows": rows}


def _join_rows(row: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row with the cells of another behind its own."""
    return {**row, **{name: [*row[name], *other[name]] for name in ("cells", "pieces")}}


def _color_variable_rules(colours: Mapping[str, str]) -> Iterator[str]:
    """Yield one CSS rule that sets each colour as a variable `--name`; none if there are no colours."""
    if colours:
        yield ":root { " + " ".join(f"--{name}: {colour};" for name, colour in colours.items()) + " }"


def _contrasting_ink(colour: str) -> str:
    """Return the ink, dark or light, that contrasts more with a colour."""
    light = _luminance(colour)
    return DARK_INK if (light + 0.05) / 0.056 > 1.05 / (light + 0.05) else LIGHT_INK


def _luminance(colour: str) -> float:
    """Return the relative luminance of a colour, from 0 to 1, as WCAG defines it."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
