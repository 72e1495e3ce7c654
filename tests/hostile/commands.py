"""Rules at the edge of what is allowed, through every command that reads rules; and what stands beside rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inputs import GAME, Hostile, Many, phase, rules
from language import CARD, CARDS, else_ifs, quantities

FMT = "1 to be reformatted"
WAYS: dict[str, tuple[str, ...]] = {
    "fmt": ("fmt", "--check", "./sample"),
    "show": ("show", "opening", "--game", "./sample"),
    "graph": ("graph", "--game", "./sample"),
    "rulebook": ("rulebook", "./sample", "-o", "-"),
    "schema": ("schema", "card", "--game", "./sample"),
    "play": ("play", "./sample", "--plain", "--bot", "random", "--speed", "0"),
}

CIRCLE = [f"hero hero-{i}\n  friend hero-{(i + 1) % 62}\n  deed\n    do deed of friend of hero-{i}" for i in range(62)]
WIDE = [f"hero hero-{i}\n  friend hero-{i}\n  deed\n    choose a hero as h\n    do deed of h" for i in range(62)]
HERO = "kind hero\n  friend hero\n  deed effect"
MENU = Many("card menu-#\n  worth 1\n  when start of opening\n    may spend 9 coin\n      gain 1 coin", 62)

LATER = "if coin of you > 99"  # so that it is compiled and never played


def _each(*lines: str) -> str:
    """What each player does, were they ever that rich."""
    return "\n".join(["when start of opening", "  each player", f"    {LATER}", *(f"      {line}" for line in lines)])


DEED = phase("n", LATER, "  do deed of hero-0")
BLOCKS = "\n".join(["phase blocks", *("  " * (i + 1) + "may" for i in range(17)), "  " * 18 + "gain 1 coin"])
BOUNDED = [text.replace("q", "b").replace("buantity", "quantity") for text in quantities(60, "1, at most @ + @")]
AGAIN = "routine again\n  if coin of you > 99\n    do more\n    do more\nroutine more\n  nothing"

EDGES: dict[str, Callable[[Path], None]] = {
    "deep": rules(
        CARD,
        CARDS,
        else_ifs(110),
        phase("nots", f"if {'not ' * 110}yes", "  gain 1 coin"),
        BLOCKS,
        phase("sums", f"gain {'1 + ' * 98}1 coin"),
        phase("parens", f"gain {'(1 + ' * 19}1{')' * 19} coin"),
    ),
    "doubling": rules(
        CARD,
        CARDS,
        quantities(60, "@ + @"),
        BOUNDED,
        Many("routine r#\n  do r@\n  do r@\n  may do r@", 60),
        "routine r60\n  gain 1 coin",
        _each("do r0", "gain q0 coin"),
    ),
    "circle": rules(CARD, CARDS, HERO, CIRCLE, DEED),
    "wide circle": rules(CARD, CARDS, HERO, WIDE, DEED),
    "phases": rules(
        CARD,
        CARDS,
        Many("phase p#\n  play p@\n  do again", 500),
        "phase p500\n  nothing",
        AGAIN,
        _each("play p0"),
    ),
    "menu": rules(CARD + "\n  works if coin of you > 0", MENU),
}
LONG_EDGES: dict[str, Callable[[Path], None]] = {
    "chain": rules(
        CARD,
        CARDS,
        quantities(3_000, "@ + 1"),
        Many("routine r#\n  do r@", 3_000),
        "routine r3000\n  gain 1 coin",
        _each("do r0", "gain q0 coin"),
    ),
    "long": rules(CARD, CARDS, phase("n", *Many("gain # coin", 12_000))),
    "long, asked": rules(CARD, CARDS, phase("n", *Many("may spend # coin\n    gain 1 coin", 5_000))),
    "broad": rules(
        CARD,
        CARDS,
        Many("routine r#\n  gain # coin", 2_100),
        Many("quantity q# is 1 + coin of you", 2_100),
        phase("n", *Many("do r#", 2_100), *Many("gain q# coin", 2_100)),
    ),
}
LENGTHY = [f'card long-{i} "{i} {"x " * 900}"\n  worth 1' for i in range(20)]
SAID = ["keep pile as set of card, quiet", *LENGTHY, phase("fills", "each card as c", "  add c to pile")]
AGAIN_AND_AGAIN = phase('opening "Opening"', "play fills", "repeat 10000 times", "  announce pile, pile, pile")
TALKATIVE = rules(CARD, SAID, game=GAME.replace(GAME[GAME.index("phase opening") :], AGAIN_AND_AGAIN))
FOR_EVER = (Path(__file__).parent / "endless" / "for-ever.edict").read_text(encoding="utf-8")
ENDLESS = rules('resource wood "wood"', game=GAME[: GAME.index("phase opening")] + FOR_EVER)
ENDLESS_LOGS = (
    Hostile("endless game of bots", ENDLESS, "asked question after question", WAYS["play"], slow=True),
    Hostile(
        "endless game of two bots",
        ENDLESS,
        "asked question after question",
        (*WAYS["play"], "--bot", "random"),
        slow=True,
    ),
    Hostile("endless log, bots alone", TALKATIVE, "the log of this game is too long", WAYS["play"]),
    Hostile(
        "endless log, a person",
        TALKATIVE,
        "the log of this game is too long",
        ("play", "./sample", "--plain", "--human", "Ann", "--bot", "random"),
        like="endless log, bots alone",
    ),
)
TITLED = ['card long "' + "x " * 900 + '"\n  worth 1']
CUT = "characters were left out"


def _named_often(often: int) -> Callable[[Path], None]:
    """Lay out rules whose lines are short and name a title that is long."""
    return rules(CARD, TITLED, game=GAME + "    gain worth of long coin\n" * often)


LONG_OUTPUT = (
    Hostile("long titles, shown", _named_often(1_000), CUT, WAYS["show"], code=0),
    Hostile("long titles, in the rulebook", _named_often(1_000), CUT, WAYS["rulebook"], code=0),
    Hostile(
        "long titles in many lines, shown",
        _named_often(8_000),
        CUT,
        WAYS["show"],
        code=0,
        slow=True,
        like="long titles, shown",
    ),
)
EVERY_RUN = dict(zip(EDGES, WAYS, strict=True))  # each edge through one command, and each command once


def _through(edge: str, way: str) -> Hostile:
    """An edge through a command."""
    lay, wrong = {**EDGES, **LONG_EDGES}[edge], way == "fmt"
    shown = EVERY_RUN.get(edge, way)
    like = "" if way == shown else f"{edge}, {shown}"
    return Hostile(
        f"{edge}, {way}", lay, FMT if wrong else "", WAYS[way], code=int(wrong), slow=edge in LONG_EDGES, like=like
    )


COMMANDS = (*ENDLESS_LOGS, *LONG_OUTPUT, *(_through(edge, way) for edge in (*EDGES, *LONG_EDGES) for way in WAYS))
