"""The cover of some rules: what they declare, drawn in the colours and with the icons of their `look.yaml`.

A board for what is shown in rows and columns, a fan of cards for the kinds with most things, dice with their sides,
a token for each resource, and a pawn for each player. Whoever changes the rules changes the picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import cos, pi, prod, sin

from edict.compiler.sources.appearance import Icon, Look
from edict.compiler.syntax import tree as t
from edict.support.svg import element, outline, points, words

WIDTH, HEIGHT, BAND = 240, 160, 30  # BAND: the strip with the title, at the bottom
MOST_CARDS, MOST_FANS, MOST_TOKENS, MOST_DICE, MOST_SQUARES = 5, 2, 7, 3, 8
CARD = (36, 54)
WIDE = 11.5  # of a letter of the title as large as it may be; longer titles are set smaller
_SEATS = ("#a3262a", "#1f5f9e", "#2c6e3f", "#8a5a00", "#6a3d8f", "#40666b")
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def cover(title: str, nodes: Sequence[t.Node], look: Look) -> str:
    """The picture of rules as SVG, of 240 by 160, from all nodes of their tree."""
    return _Cover(title, _Declared.of(nodes), look).drawn()


@dataclass(frozen=True, slots=True)
class _Declared:
    """What rules declare that can be drawn. decks: kinds with how many things each has. grid: of a board, or nothing.

    seats: how many players at most. motifs: names of all they speak of, the most frequent first.
    """

    resources: tuple[str, ...]
    dice: tuple[t.Die, ...]
    decks: tuple[tuple[str, int], ...]
    grid: bool
    seats: int
    motifs: tuple[str, ...]

    @classmethod
    def of(cls, nodes: Sequence[t.Node]) -> _Declared:
        things = Counter[str]()
        for node in sorted(nodes, key=lambda node: hasattr(node, "over")):  # combinations are of things that are there
            kind: t.Name | None = getattr(node, "kind", None)
            if isinstance(node, t.Definition) and kind is not None and not isinstance(node, t.Remove_):
                things[kind.word] += _many(node, kind.word, nodes, things)
        grids = [node for node in nodes if isinstance(node, t.Display) and node.rows is not None]
        players = [node.high for node in nodes if isinstance(node, t.Players)]
        named = Counter(node.word for node in nodes if isinstance(node, t.Name))
        return cls(
            tuple(node.name.word for node in nodes if isinstance(node, t.Resource)),
            tuple(node for node in nodes if isinstance(node, t.Die)),
            tuple(things.most_common()),
            bool(grids),
            max(players, default=0),
            tuple(word for word, _ in named.most_common()),
        )


def _many(node: t.Definition, kind: str, nodes: Sequence[t.Node], things: Mapping[str, int]) -> int:
    """How many things a definition stands for: one, those of a table, or those of all combinations."""
    rows: Sequence[object] | None = getattr(node, "rows", None)
    over: Sequence[t.Name] = getattr(node, "over", ())
    return len(rows) if rows is not None else prod(_values(name.word, kind, nodes, things) for name in over)


def _values(field: str, kind: str, nodes: Sequence[t.Node], things: Mapping[str, int]) -> int:
    """How many values a field of a kind can have, as far as its type says."""
    kinds = (node for node in nodes if isinstance(node, t.Kind) and node.name.word == kind)
    found = next((one.type for each in kinds for one in each.fields if one.name.word == field and one.type), None)
    if found is None:
        return 1
    if found.low is not None and found.high is not None:
        return found.high - found.low + 1
    return things[found.name.word] if found.name is not None and found.name.word in things else 1


class _Cover:
    def __init__(self, title: str, declared: _Declared, look: Look) -> None:
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
        self.colours: Mapping[str, str] = own | dict(look.light)
        self.seats = look.players or _SEATS

    def drawn(self) -> str:
        """A board or cards at the left, dice and tokens at the right, pawns above the title."""
        inside = (self._paper(), *self._left(), *self._right(), *self._pawns(), self._title())
        return element(
            "svg",
            "".join(inside),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {WIDTH} {HEIGHT}",
            role="img",
            aria_label=self.title,
        )

    def _paper(self) -> str:
        return element("rect", width=WIDTH, height=HEIGHT, rx=10, fill=self.colours["paper"])

    def _title(self) -> str:
        size = min(16.0, WIDTH * 16.0 / (WIDE * max(len(self.title), 1)))
        band = f"M0 {HEIGHT - BAND}h{WIDTH}v{BAND - 10}a10 10 0 0 1-10 10h-{WIDTH - 20}a10 10 0 0 1-10-10z"
        return element("path", d=band, fill=self.colours["accent"]) + words(
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

    def _left(self) -> Iterator[str]:
        decks = self.declared.decks
        if self.declared.grid and decks:
            yield self._board(min(MOST_SQUARES, max(3, round(decks[0][1] ** 0.5))))
        elif decks:
            fans = decks[:MOST_FANS]
            for number, (kind, many) in enumerate(fans):
                yield self._fan(kind, many, 124 * (number + 1) / (len(fans) + 1) + 2, 13 / len(fans))
        else:
            yield self._emblem()

    def _board(self, side: int) -> str:
        square = 100 / side
        return "".join(
            element(
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

    def _fan(self, kind: str, many: int, x: float, apart: float) -> str:
        """Cards of a kind, up to so many, held by their lower ends, so many degrees apart; on the last one its sign."""
        shown = min(many, MOST_CARDS)
        wide, high = CARD
        cards = []
        for number in range(shown):
            turned = apart * (number - (shown - 1) / 2)
            card = element(
                "rect",
                x=-wide / 2,
                y=-high,
                width=wide,
                height=high,
                rx=4,
                fill=self.colours["card"],
                stroke=self.colours["line"],
                stroke_width=1.5,
            )
            sign = self._sign(kind, 0, -high / 2, 20) if number == shown - 1 else ""
            cards.append(element("g", card + sign, transform=f"rotate({turned:g})"))
        return element("g", "".join(cards), transform=f"translate({x:g} 92)")

    def _emblem(self) -> str:
        """For rules that only change others: what they speak of most that has an icon, as a large sign."""
        motif = next((name for name in self.declared.motifs if name in self.look.icons), "")
        ring = element(
            "circle", cx=64, cy=65, r=44, fill=self.colours["card"], stroke=self.colours["accent"], stroke_width=2
        )
        return ring + self._sign(motif or self.title, 64, 65, 48)

    # --- dice, tokens, pawns ---------------------------------------------------------------------------

    def _right(self) -> Iterator[str]:
        for number, die in enumerate(self.declared.dice[:MOST_DICE]):
            yield self._die(die, 158 + 31 * number, 36)
        tokens = self.declared.resources or tuple(
            dict.fromkeys(name for name in self.declared.motifs if name in self.look.icons)
        )
        top = 66 if self.declared.dice else 42
        for number, name in enumerate(tokens[:MOST_TOKENS]):
            yield self._token(name, 155 + 22 * (number % 4), top + 23 * (number // 4))

    def _die(self, die: t.Die, x: float, y: float) -> str:
        """A die of six sides with its pips, any other as a polygon with the number of its sides."""
        colour = self.look.dice.get(die.name.word, self.colours["card"])
        edge = {"fill": colour, "stroke": self.colours["ink"], "stroke_width": "1.2"}
        if die.sides <= max(_PIPS):
            pips = "".join(
                element("circle", cx=x + 6 * across, cy=y + 6 * down, r=2.1, fill="#1f1a17")
                for across, down in _PIPS[die.sides]
            )
            return element("rect", x=x - 12, y=y - 12, width=24, height=24, rx=5, **edge) + pips
        corners = points((x + 14 * sin(2 * pi * n / 6), y - 14 * cos(2 * pi * n / 6)) for n in range(6))
        number = words(str(die.sides), x=x, y=y + 4, text_anchor="middle", font_size=11, font_family="Georgia, serif")
        return element("polygon", points=corners, **edge) + number

    def _token(self, name: str, x: float, y: float) -> str:
        disc = element("circle", cx=x, cy=y, r=10, fill=self.colours["card"], stroke=self.colours["line"])
        return disc + self._sign(name, x, y, 14)

    def _sign(self, name: str, x: float, y: float, size: float) -> str:
        """The icon of something, or else the first letter of its name."""
        icon = self.look.icons.get(name)
        if icon is not None:
            return _scaled(icon, icon.light or self.colours["ink"], x, y, size)
        return words(
            name[:1].upper(),
            x=x,
            y=y + size * 0.34,
            text_anchor="middle",
            font_size=size,
            fill=self.colours["accent"],
            font_family="Georgia, serif",
            font_weight="bold",
        )

    def _pawns(self) -> Iterator[str]:
        last = (self.declared.seats - 1) // 6  # row
        for number in range(self.declared.seats):
            colour = self.seats[number % len(self.seats)]
            x, y = 150 + 15 * (number % 6), 114 - 16 * (last - number // 6)
            yield element("path", d=f"M{x - 5} {y + 9}h10l-3-8a4 4 0 1 0-4 0z", fill=colour)


def _scaled(icon: Icon, colour: str, x: float, y: float, size: float) -> str:
    return element(
        "g",
        outline(icon.path, colour),
        transform=f"translate({x - size / 2:g} {y - size / 2:g}) scale({size / 24:.3g})",
    )
