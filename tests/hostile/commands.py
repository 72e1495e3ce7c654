"""Rules at the edge of what is allowed, through every command that reads rules; and what stands beside rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from inputs import Hostile, phase, rules
from language import CARD, CARDS, _else_ifs, _many, _quantities

WAYS: dict[str, tuple[str, ...]] = {
    "fmt": ("fmt", "--check", "./sample"),
    "show": ("show", "opening", "--game", "./sample"),
    "graph": ("graph", "--game", "./sample"),
    "rulebook": ("rulebook", "./sample", "-o", "-"),
    "test": ("test", "./sample"),
    "schema": ("schema", "card", "--game", "./sample"),
    "play": ("play", "./sample", "--plain", "--bot", "random", "--speed", "0"),
}

CIRCLE = [f"hero hero-{i}\n  friend hero-{(i + 1) % 62}\n  deed\n    do deed of friend of hero-{i}" for i in range(62)]
WIDE = [f"hero hero-{i}\n  friend hero-{i}\n  deed\n    choose a hero as h\n    do deed of h" for i in range(62)]
HERO = "kind hero\n  friend hero\n  deed effect"
MENU = [
    f"card menu-{i}\n  worth 1\n  when start of opening\n    may spend {i + 1} coin\n      gain 1 coin" for i in range(62)
]

EDGES: dict[str, Callable[[Path], None]] = {
    "deep": rules(
        _else_ifs(110), phase("nots", f"if {'not ' * 110}yes", "  gain 1 coin"), phase("sums", f"gain {'1 + ' * 98}1 coin"),
        phase("parens", f"gain {'(1 + ' * 19}1{')' * 19} coin"),
        "\n".join(["phase blocks", *("  " * (i + 1) + "may" for i in range(17)), "  " * 18 + "gain 1 coin"]),
        CARD, CARDS),
    "doubling": rules(
        _quantities(60, "@ + @"), [q.replace("quantity q", "quantity b").replace("most q", "most b").replace("+ q", "+ b") for q in _quantities(60, "1, at most @ + @")],
        _many("routine r#\n  do r@\n  do r@\n  may do r@", 60), "routine r60\n  gain 1 coin", phase("n", "if coin of you > 99", "  do r0", "  gain q0 coin"),
        CARD, CARDS),
    "chain": rules(_quantities(3000, "@ + 1"), _many("routine r#\n  do r@", 3000), "routine r3000\n  gain 1 coin", phase("n", "if coin of you > 99", "  do r0", "  gain q0 coin"), CARD, CARDS),
    "circle": rules(HERO, CIRCLE, phase("n", "if coin of you > 99", "  do deed of hero-0"), CARD, CARDS),
    "wide circle": rules(HERO, WIDE, phase("n", "if coin of you > 99", "  do deed of hero-0"), CARD, CARDS),
    "phases": rules(_many("phase p#\n  play p@\n  do again", 3000), "phase p3000\n  nothing", "routine again\n  if coin of you > 99\n    do more\n    do more", "routine more\n  nothing", "when start of opening\n  if coin of you > 99\n    play p0", CARD, CARDS),
    "menu": rules(CARD + "\n  works if coin of you > 0", MENU),
    "long": rules(CARD, CARDS, phase("n", *_many("gain # coin", 18_000))),
    "long, asked": rules(CARD, CARDS, phase("n", *_many("may spend # coin\n    gain 1 coin", 5_000))),
    "broad": rules(CARD, CARDS, _many("routine r#\n  gain # coin", 4000), _many("quantity q# is 1 + coin of you", 4000), phase("n", *_many("do r#", 4000), *_many("gain q# coin", 4000))),
}

COMMANDS = tuple(
    Hostile(f"{edge}, {way}", lay, "", command, code=0) for edge, lay in EDGES.items() for way, command in WAYS.items()
)
