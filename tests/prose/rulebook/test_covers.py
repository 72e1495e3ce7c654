"""Tests that covers show what rules declare, with cards, a board, dice, tokens and pawns."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from edict.compiler.sources.appearance import Appearance, Drawing, Icon, Layer, PanelLook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.game_gallery import draw_cover
from edict.support.text import Source

SUITS = 'kind suit "suit"\nsuit heart "Hearts"\nsuit spade "Spades"\n'
CARDS = "kind card\n  suit suit\n  rank number from {} to {}\ncard for each suit and rank\n  suit suit\n"
BOARD = """\
kind square "square"
  row number from 1 to {0}
  file number from 1 to {0}
square for each row and file
display field "Field"
  each square
  rows row of it
  columns file of it
"""
PARTS = {
    "card": r'<rect[^>]*rx="4"',
    "square": r'<rect[^>]*rx="1.5"',
    "pip": r'r="2.1"',
    "token": r'r="10"',
    "pawn": r"a4 4 0 1 0-4 0z",
    "ring": r'r="44"',
    "polygon": "<polygon",
    "fan": r"translate\([\d.]+ 92\)",
}


def nodes_of(text: str) -> list[t.Node]:
    return [node for one in parse(Source("trial.edict", text)).unwrap().definitions for node in walk(one)]


def cover_parts(text: str) -> tuple[Counter[str], list[str]]:
    """Return the number of each part of a cover, and its letters and numbers."""
    picture = draw_cover("Trial", nodes_of(text), Appearance())
    texts = [one.text or "" for one in ElementTree.fromstring(picture).iter() if one.tag.endswith("text")]
    return +Counter({part: len(re.findall(looks, picture)) for part, looks in PARTS.items()}), texts


def players_clause(low: int, high: int) -> str:
    return (
        f'game trial "Trial"\n  players {low} to {high}\n  order line\n  winners everyone\n  score 0\n'
        "  course\n    nothing\nkeep line as order of player, quiet\n"
    )


RESOURCES = "".join(f"resource {name}\n" for name in ("apple", "birch", "cedar", "date", "elm", "fir", "gum", "hazel"))
SHOWN: tuple[tuple[str, dict[str, int], str], ...] = (
    ("setting long is off\n", {"ring": 1}, "T"),
    (players_clause(1, 1), {"pawn": 1, "ring": 1}, "T"),
    (players_clause(2, 7), {"pawn": 7, "ring": 1}, "T"),
    ("resource apple\nresource birch\n", {"token": 2, "ring": 1}, "T A B"),
    (RESOURCES, {"token": 7, "ring": 1}, "T A B C D E F G"),  # for more there is no room
    ("die one with 1 sides\ndie d with 6 sides\ndie w with 7 sides\n", {"pip": 7, "polygon": 1, "ring": 1}, "T 7"),
    ("die a with 5 sides\ndie b with 4 sides\ndie c with 3 sides\ndie d with 2 sides\n", {"pip": 12, "ring": 1}, "T"),
    (SUITS, {"card": 2, "fan": 1}, "S"),
    (SUITS + "suit club\nsuit gem\nsuit star\nsuit moon\n", {"card": 5, "fan": 1}, "S"),
    (SUITS + CARDS.format(3, 4), {"card": 6, "fan": 2}, "C S"),  # two by two: the larger deck comes first
    (SUITS + CARDS.format(3, 3), {"card": 4, "fan": 2}, "S C"),
    (BOARD.format(2), {"square": 9}, ""),
    (BOARD.format(5), {"square": 25}, ""),
    (BOARD.format(9), {"square": 64}, ""),
)


def test_cover_draws_declarations_that_fit(subtests: pytest.Subtests) -> None:
    for text, parts, signs in SHOWN:
        with subtests.test(text=text):
            found, texts = cover_parts(text)
            assert found == parts and " ".join(texts) == f"{signs} Trial".strip()


def test_look_provides_icons_and_colors() -> None:
    """Rules without declarations show their most frequent name as the sign and all their names as tokens."""
    look = Appearance(icons={"apple": Icon("M1 1h9z", "#123456"), "birch": Icon("M2 2h9z")}, dice={"d": "#abcdef"})
    text = "routine r\n  gain 1 birch\n  gain 1 apple and 1 birch\n"
    picture = draw_cover("Trial", nodes_of(text), look)
    assert [re.findall(r"M[12] \dh9z", picture), "#123456" in picture] == [["M2 2h9z", "M2 2h9z", "M1 1h9z"], True]
    assert "#abcdef" in draw_cover("Trial", nodes_of("die d with 6 sides\n"), look)


def test_backdrop_is_drawn_below_everything_and_replaces_a_board() -> None:
    backdrop = Drawing((Layer("ink", "M3 3h9z"),))
    look = Appearance(parts={"hill": backdrop}, backdrop="hill")
    picture = draw_cover("Trial", nodes_of(BOARD.format(2) + "resource apple\n"), look)
    assert picture.index("M3 3h9z") < picture.index('r="10"'), "tokens lie on it"
    assert not re.findall(PARTS["square"], picture)
    panels = {"field": PanelLook(behind="hill")}
    picture = draw_cover("Trial", nodes_of(BOARD.format(2)), Appearance(parts={"hill": backdrop}, panels=panels))
    assert "M3 3h9z" in picture and re.findall(PARTS["square"], picture)


def test_long_title_is_set_smaller() -> None:
    sizes = [
        float(
            re.findall(
                r'font-size="([\d.]+)" font-family="Georgia, serif" font-weight="bold" fill="#fff',
                draw_cover("M" * length, (), Appearance()),
            )[0]
        )
        for length in (1, 20, 21, 42)
    ]
    assert sizes[:2] == [16, 16] and sizes[2] < 16 and sizes[3] < 8.1
