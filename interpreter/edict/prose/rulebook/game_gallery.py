"""The gallery of games, modules and scenarios, each with a cover and the constructs of the language it shows.

All of it follows from the rules themselves, so the user's own rules appear beside those that ship with the package.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from math import cos, pi, prod, sin
from pathlib import Path

from edict.compiler.pipeline.pipeline import parse_modules
from edict.compiler.sources.appearance import OUTLINE, PART, Appearance, Drawing, Icon, combine_looks
from edict.compiler.sources.folders import Module, read_module
from edict.compiler.sources.installed_rules import list_installed_rules
from edict.compiler.sources.module_lookup import find_required_module, list_recipes, list_shipped_modules
from edict.compiler.sources.own_rules import list_own_rules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import iter_rows_of_node
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import format_range
from edict.support.records import dataclass
from edict.support.svg import format_points, render_element, render_icon_path, render_text

WIDTH, HEIGHT, BAND = 240, 160, 30  # BAND: the strip with the title, at the bottom
MOST_CARDS, MOST_FANS, MOST_TOKENS, MOST_DICE, MOST_SQUARES, MOST_PORTRAITS = 5, 2, 7, 3, 8, 3
CARD = (36, 54)
LETTER_WIDTH = 11.5  # of a letter of the title at full size; longer titles are set smaller
_SEATS = ("#a3262a", "#1f5f9e", "#2c6e3f", "#8a5a00", "#6a3d8f", "#40666b")
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def draw_cover(title: str, nodes: Sequence[t.Node], look: Appearance) -> str:
    """Return the cover as SVG, 240 by 160, from all nodes of the rules' trees."""
    return _CoverDrawing(title, _CoverContent.from_nodes(nodes), look).draw()


@dataclass(frozen=True, slots=True)
class _CoverContent:
    """The declarations that a cover shows."""

    resources: tuple[str, ...]
    dice: tuple[t.Die, ...]
    decks: tuple[tuple[str, int], ...]  # kinds with their number of things
    grid: bool  # whether there is a board
    seats: int  # most players
    motifs: tuple[str, ...]  # names that occur in the rules, most frequent first

    @classmethod
    def from_nodes(cls, nodes: Sequence[t.Node]) -> _CoverContent:
        """Collect resources, dice, things per kind, grids, the highest player count and names by frequency."""
        things = Counter[str]()
        for node in sorted(
            nodes, key=lambda node: hasattr(node, "over")
        ):  # combinations refer to things declared elsewhere
            kind: t.Name | None = getattr(node, "kind", None)
            if isinstance(node, t.Definition) and kind is not None and not isinstance(node, t.Remove_):
                things[kind.word] += _thing_count(node, kind.word, nodes, things)
        grids = [node for node in nodes if isinstance(node, t.Display) and node.rows is not None]
        players = [node.high for node in nodes if isinstance(node, t.Players)]
        name_counts = Counter(node.word for node in nodes if isinstance(node, t.Name))
        return cls(
            tuple(node.name.word for node in nodes if isinstance(node, t.Resource)),
            tuple(node for node in nodes if isinstance(node, t.Die)),
            tuple(things.most_common()),
            bool(grids),
            max(players, default=0),
            tuple(word for word, _ in name_counts.most_common()),
        )


def _thing_count(node: t.Definition, kind: str, nodes: Sequence[t.Node], things: Mapping[str, int]) -> int:
    """Return the number of things that a definition declares: 1, its rows, or all combinations it runs over."""
    rows: Sequence[object] | None = getattr(node, "rows", None)
    over: Sequence[t.Name] = getattr(node, "over", ())
    if rows is not None:
        return len(rows)
    return prod(_value_count(name.word, kind, nodes, things) for name in over)


def _value_count(field: str, kind: str, nodes: Sequence[t.Node], things: Mapping[str, int]) -> int:
    """Return the number of values that a field can have according to its type."""
    kinds = (node for node in nodes if isinstance(node, t.Kind) and node.name.word == kind)
    field_type = next(
        (
            field_def.type
            for kind_def in kinds
            for field_def in kind_def.fields
            if field_def.name.word == field and field_def.type
        ),
        None,
    )
    if field_type is None:
        return 1
    if field_type.low is not None and field_type.high is not None:
        return field_type.high - field_type.low + 1
    if field_type.name is not None and field_type.name.word in things:
        return things[field_type.name.word]
    return 1


class _CoverDrawing:
    def __init__(self, title: str, declared: _CoverContent, look: Appearance) -> None:
        self.title, self.declared, self.look = title, declared, look
        hue = int(sha256(title.encode()).hexdigest()[:4], 16) % 360
        own = {
            "paper": f"hsl({hue} 45% 92%)",
            "card": "#fffdfa",
            "line": f"hsl({hue} 25% 72%)",
            "ink": "#1f1a17",
            "accent": f"hsl({hue} 45% 32%)",
            "accent-ink": "#ffffff",
        }
        self.seats = look.players or _SEATS
        self.colours: Mapping[str, str] = own | dict(look.light) | {"seat": self.seats[0]}

    def draw(self) -> str:
        """Return the SVG: a board or cards at the left, dice and tokens at the right, pawns above the title."""
        ground = (self._draw_paper(), *self._draw_backdrop())
        inside = (*ground, *self._draw_left(), *self._draw_right(), *self._draw_pawns(), self._draw_title())
        return render_element(
            "svg",
            "".join(inside),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {WIDTH} {HEIGHT}",
            role="img",
            aria_label=self.title,
        )

    def _draw_paper(self) -> str:
        """Return the SVG background, a rounded rectangle as large as the cover."""
        return render_element("rect", width=WIDTH, height=HEIGHT, rx=10, fill=self.colours["paper"])

    def _draw_backdrop(self) -> Iterator[str]:
        """Yield the SVG of the part that the look puts behind the board, or else behind a panel, above the title."""
        behind = (self.look.backdrop, *(panel.behind for panel in self.look.panels.values()))
        name = next((name for name in behind if name in self.look.parts), "")
        if name:
            yield render_element(
                "svg",
                render_element("g", "".join(self._draw_layers(self.look.parts[name])), **self._line_style(0.3)),
                width=WIDTH,
                height=HEIGHT - BAND,
                viewBox="0 0 48 48",
                preserveAspectRatio="xMidYMid slice",
            )

    def _draw_title(self) -> str:
        """Return the SVG band at the bottom with the title, in smaller letters if it is long."""
        size = min(16.0, WIDTH * 16.0 / (LETTER_WIDTH * max(len(self.title), 1)))
        band = f"M0 {HEIGHT - BAND}h{WIDTH}v{BAND - 10}a10 10 0 0 1-10 10h-{WIDTH - 20}a10 10 0 0 1-10-10z"
        return render_element("path", d=band, fill=self.colours["accent"]) + render_text(
            self.title,
            x=WIDTH / 2,
            y=HEIGHT - BAND / 2 + size / 3,
            text_anchor="middle",
            font_size=size,
            font_family="Georgia, serif",
            font_weight="bold",
            fill=self.colours["accent-ink"],
        )

    # --- a board, or cards -----------------------------------------------------------------------------

    def _draw_left(self) -> Iterator[str]:
        """Yield the SVG of the left half: drawings in tints, else a board, else fans of cards, else an emblem.

        A backdrop with fewer than three drawings is a picture by itself.
        """
        decks = self.declared.decks
        drawn = [name for name in self.declared.motifs if self._is_tinted(name)]
        if len(drawn) >= MOST_PORTRAITS:
            yield from self._draw_portraits(drawn[:MOST_PORTRAITS])
        elif self.look.backdrop:
            return
        elif self.declared.grid and decks:
            yield self._draw_board(min(MOST_SQUARES, max(3, round(decks[0][1] ** 0.5))))
        elif decks:
            fans = decks[:MOST_FANS]
            for number, (kind, count) in enumerate(fans):
                yield self._draw_fan(kind, count, 124 * (number + 1) / (len(fans) + 1) + 2, 13 / len(fans))
        else:
            yield self._draw_emblem()

    def _draw_board(self, side: int) -> str:
        """Return the SVG of a checkered board with `side` squares along each edge."""
        square = 100 / side
        return "".join(
            render_element(
                "rect",
                x=14 + square * column,
                y=15 + square * row,
                width=square - 1,
                height=square - 1,
                rx=1.5,
                fill=self.colours["card" if (row + column) % 2 else "line"],
            )
            for row in range(side)
            for column in range(side)
        )

    def _draw_fan(self, kind: str, count: int, x: float, angle_step: float) -> str:
        """Draw a fan of cards of a kind, `angle_step` degrees apart, with the kind's sign on the last one."""
        shown = min(count, MOST_CARDS)
        width, height = CARD
        cards = []
        for number in range(shown):
            angle = angle_step * (number - (shown - 1) / 2)
            card = render_element(
                "rect",
                x=-width / 2,
                y=-height,
                width=width,
                height=height,
                rx=4,
                fill=self.colours["card"],
                stroke=self.colours["line"],
                stroke_width=1.5,
            )
            sign = self._draw_sign(kind, 0, -height / 2, 20) if number == shown - 1 else ""
            cards.append(render_element("g", card + sign, transform=f"rotate({angle:g})"))
        return render_element("g", "".join(cards), transform=f"translate({x:g} 92)")

    def _draw_portraits(self, names: Sequence[str]) -> Iterator[str]:
        """Yield the SVG of a fan of large cards with the drawings of these names."""
        for number, name in enumerate(names):
            turn = 14 * (number - (len(names) - 1) / 2)
            card = render_element(
                "rect",
                x=-24,
                y=-74,
                width=48,
                height=70,
                rx=5,
                fill=self.colours["card"],
                stroke=self.colours["line"],
                stroke_width=1.5,
            )
            picture = self._draw_picture(name, 0, -39, 40)
            yield render_element("g", card + picture, transform=f"translate({48 + 23 * number:g} 114) rotate({turn:g})")

    def _draw_picture(self, name: str, x: float, y: float, size: float) -> str:
        """Return the SVG of a drawing in tints, scaled to `size` and centered at (x, y)."""
        return render_element(
            "g",
            "".join(self._draw_layers(self._find_drawing(name))),
            transform=f"translate({x - size / 2:g} {y - size / 2:g}) scale({size / 48:.3g})",
            **self._line_style(1.3),
        )

    def _line_style(self, width: float) -> dict[str, float | str]:
        """Return the attributes of drawings: no fill of their own, and lines of a width in the colour of the ink."""
        ends = {"stroke_linejoin": "round", "stroke_linecap": "round"}
        return {"fill": "none", "stroke": self.colours["ink"], "stroke_width": width, **ends}

    def _is_tinted(self, name: str) -> bool:
        """Return True if a name has a drawing in tints."""
        return self._find_drawing(name).side > 24

    def _find_drawing(self, name: str) -> Drawing:
        """Return the drawing of a name, or that of the name it is drawn as; without layers if there is none."""
        return self.look.pictures.get(self.look.drawn_as.get(name, name), Drawing((), 24))

    def _draw_layers(self, drawing: Drawing) -> Iterator[str]:
        """Yield the SVG of a drawing's layers, with those of its parts."""
        for layer in drawing.layers:
            if layer.fill == PART:
                yield from self._draw_layers(self.look.parts.get(layer.path, Drawing(())))
                continue
            tint = self.look.tints.get(layer.fill)
            fill = tint.light if tint is not None else self.colours.get(layer.fill, "")
            yield render_element("path", d=layer.path, fill="" if layer.fill == OUTLINE else fill)

    def _draw_emblem(self) -> str:
        """Draw a large sign of the most frequent name with a drawing, or else an icon, for rules that change others."""
        motifs = self.declared.motifs
        drawn = (*filter(self._is_tinted, motifs), *(name for name in motifs if name in self.look.icons))
        motif = next(iter(drawn), "")
        ring = render_element(
            "circle", cx=64, cy=65, r=44, fill=self.colours["card"], stroke=self.colours["accent"], stroke_width=2
        )
        return ring + self._draw_sign(motif or self.title, 64, 65, 48)

    # --- dice, tokens, pawns ---------------------------------------------------------------------------

    def _draw_right(self) -> Iterator[str]:
        """Yield the SVG of the dice in a row, and below them the resources (or other names with icons) as tokens."""
        for number, die in enumerate(self.declared.dice[:MOST_DICE]):
            yield self._draw_die(die, 158 + 31 * number, 36)
        tokens = self.declared.resources or tuple(
            dict.fromkeys(name for name in self.declared.motifs if name in self.look.icons)
        )
        top = 66 if self.declared.dice else 42
        for number, name in enumerate(tokens[:MOST_TOKENS]):
            yield self._draw_token(name, 155 + 22 * (number % 4), top + 23 * (number // 4))

    def _draw_die(self, die: t.Die, x: float, y: float) -> str:
        """Draw a die, up to six sides with pips, others as a polygon with the number of sides."""
        colour = self.look.dice.get(die.name.word, self.colours["card"])
        edge = {"fill": colour, "stroke": self.colours["ink"], "stroke_width": "1.2"}
        if die.sides <= max(_PIPS):
            pips = "".join(
                render_element("circle", cx=x + 6 * across, cy=y + 6 * down, r=2.1, fill="#1f1a17")
                for across, down in _PIPS[die.sides]
            )
            return render_element("rect", x=x - 12, y=y - 12, width=24, height=24, rx=5, **edge) + pips
        corners = format_points((x + 14 * sin(2 * pi * n / 6), y - 14 * cos(2 * pi * n / 6)) for n in range(6))
        number = render_text(
            str(die.sides), x=x, y=y + 4, text_anchor="middle", font_size=11, font_family="Georgia, serif"
        )
        return render_element("polygon", points=corners, **edge) + number

    def _draw_token(self, name: str, x: float, y: float) -> str:
        """Return the SVG of a disc around (x, y) with the icon or first letter of a name."""
        disc = render_element("circle", cx=x, cy=y, r=10, fill=self.colours["card"], stroke=self.colours["line"])
        return disc + self._draw_sign(name, x, y, 14)

    def _draw_sign(self, name: str, x: float, y: float, size: float) -> str:
        """Draw a drawing in tints or an icon, or else the first letter of the name."""
        if self._is_tinted(name):
            return self._draw_picture(name, x, y, size * 1.4)
        icon = self.look.icons.get(name)
        if icon is not None:
            return _scale_icon(icon, icon.light or self.colours["ink"], x, y, size)
        return render_text(
            name[:1].upper(),
            x=x,
            y=y + size * 0.34,
            text_anchor="middle",
            font_size=size,
            fill=self.colours["accent"],
            font_family="Georgia, serif",
            font_weight="bold",
        )

    def _draw_pawns(self) -> Iterator[str]:
        """Yield the SVG of a pawn for each possible player in seat colors, six in a row."""
        last = (self.declared.seats - 1) // 6  # row
        for number in range(self.declared.seats):
            colour = self.seats[number % len(self.seats)]
            x, y = 150 + 15 * (number % 6), 114 - 16 * (last - number // 6)
            yield render_element("path", d=f"M{x - 5} {y + 9}h10l-3-8a4 4 0 1 0-4 0z", fill=colour)


def _scale_icon(icon: Icon, colour: str, x: float, y: float, size: float) -> str:
    """Return the SVG of a 24-unit icon, scaled to `size` and centered at (x, y)."""
    return render_element(
        "g",
        render_icon_path(icon.path, colour),
        transform=f"translate({x - size / 2:g} {y - size / 2:g}) scale({size / 24:.3g})",
    )


MAX_CONSTRUCTS = 4  # constructs listed for an entry
GAMES, VARIANTS, RECIPES, OWN = "Games", "Variants", "Recipes", "Your own"
GROUPS = (GAMES, VARIANTS, RECIPES, OWN)
_RULE = re.compile(r"^[ \t]*[^#\s]", re.MULTILINE)
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """An entry of the gallery."""

    name: str
    title: str
    group: str  # one of GROUPS
    kind: str  # game, module or scenario
    sentence: str
    players: str  # such as `2 to 5`
    over: tuple[str, ...]  # names of what a variant builds on
    lines: int  # lines of rules without comments and blank lines
    shows: tuple[str, ...]  # names of reference entries, rarest first
    folder: Path
    picture: str  # SVG


@dataclass(frozen=True, slots=True)
class _ReadModule:
    """A module, the nodes of its own rules, and the names of the reference entries they use."""

    module: Module
    nodes: tuple[t.Node, ...]
    shows: frozenset[str]


def build_gallery(extra_folders: Iterable[Path] = ()) -> tuple[GalleryEntry, ...]:
    """Return the entries of the package and of the user's own rules, including the folders `more`.

    Unreadable rules are left out.
    """
    shipped_entries, common = _read_shipped_entries()
    own = {folder.resolve(): folder for folder in (*list_own_rules(), *list_installed_rules(), *extra_folders)}
    return (*shipped_entries, *(_build_entry(OWN, rules, common) for rules in _read_folders(own.values())))


def build_shipped_gallery() -> tuple[GalleryEntry, ...]:
    """Return the entries of the package alone."""
    return _read_shipped_entries()[0]


@cache
def _read_shipped_entries() -> tuple[tuple[GalleryEntry, ...], Mapping[str, int]]:
    """Return the shipped entries, and how many of them use each construct that fewer than half use."""
    modules = [*_read_folders(list_shipped_modules()), *_read_folders(list_recipes())]
    counts = Counter(name for module in modules for name in module.shows)
    common = {name: count for name, count in counts.items() if 2 * count < len(modules)}
    entries = [_build_entry(_group_of(module), module, common) for module in modules]
    return tuple(module for group in GROUPS for module in entries if module.group == group), common


def _group_of(module: _ReadModule) -> str:
    """Return the gallery group of a module: recipes by folder, else games or variants by its manifest."""
    if module.module.folder in list_recipes():
        return RECIPES
    return GAMES if module.module.manifest.kind == "game" else VARIANTS


def _read_folders(folders: Iterable[Path]) -> Iterator[_ReadModule]:
    """Yield a read module for each folder whose manifest and rules parse; skip the others."""
    for folder in folders:
        module = read_module(folder).value
        pages = None if module is None else parse_modules((module,)).value
        if module is not None and pages is not None:
            definitions = (definition for _, written in pages for page in written for definition in page.definitions)
            nodes = tuple(node for definition in definitions for node in walk(definition))
            yield _ReadModule(module, nodes, frozenset(row.name for node in nodes for row in iter_rows_of_node(node)))


def _build_entry(group: str, read_module_: _ReadModule, usage: Mapping[str, int]) -> GalleryEntry:
    """Build a gallery entry with the module's rarest constructs by `usage`, and a cover in its combined look."""
    manifest = read_module_.module.manifest
    required_folders = [
        folder for name in manifest.requires if (folder := find_required_module(read_module_.module, name)) is not None
    ]
    base_modules = [module for folder in required_folders if (module := read_module(folder).value) is not None]
    rarest = sorted(read_module_.shows & usage.keys(), key=lambda name: (usage[name], name))[:MAX_CONSTRUCTS]
    return GalleryEntry(
        manifest.name,
        manifest.title,
        group,
        manifest.kind,
        _first_sentence(manifest.summary or manifest.purpose),
        _format_players(read_module_.nodes),
        manifest.requires,
        sum(map(_count_rule_lines, _iter_sources(read_module_.module))),
        tuple(rarest),
        read_module_.module.folder,
        draw_cover(manifest.title, read_module_.nodes, combine_looks([*base_modules, read_module_.module])),
    )


def _iter_sources(module: Module) -> Iterator[str]:
    """Yield the text of each source of a module, then of its rules that only apply beside certain other modules."""
    yield from (source.text for source in module.sources)
    yield from (source.text for extra_sources in module.beside.values() for source in extra_sources)


def _count_rule_lines(text: str) -> int:
    return len(_RULE.findall(text))


def _first_sentence(text: str) -> str:
    """Return the first sentence of a text, or the whole text if no sentence end is found."""
    match = _SENTENCE.match(text)
    return match[0] if match else text


def _format_players(nodes: Sequence[t.Node]) -> str:
    """Return the player range of the first `players` node, such as `2 to 4`; an empty text without one."""
    players = next((node for node in nodes if isinstance(node, t.Players)), None)
    return "" if players is None else format_range(players.low, players.high)
