"""Rules at the limits of what is allowed, through every command that reads rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inputs import ALL, GAME, HostileInput, RepeatedText, make_phase, rules_writer
from language import CARD, CARDS, chain_else_ifs, chain_quantities

FMT = "1 file would be reformatted"
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
MENU = RepeatedText("card menu-#\n  worth 1\n  when start of opening\n    may spend 9 coin\n      gain 1 coin", 62)

LATER = "if coin of you > 99"  # so that it is compiled and never played


def _for_each_player(*lines: str) -> str:
    """Return steps for each player that are compiled and never played."""
    return "\n".join(["when start of opening", "  each player", f"    {LATER}", *(f"      {line}" for line in lines)])


DEED = make_phase("n", LATER, "  do deed of hero-0")
BLOCKS = "\n".join(["phase blocks", *("  " * (i + 1) + "may" for i in range(17)), "  " * 18 + "gain 1 coin"])
BOUNDED = [text.replace("q", "b").replace("buantity", "quantity") for text in chain_quantities(60, "1, at most @ + @")]
AGAIN = "routine again\n  if coin of you > 99\n    do more\n    do more\nroutine more\n  nothing"

EDGES: dict[str, Callable[[Path], None]] = {
    "deep": rules_writer(
        CARD,
        CARDS,
        chain_else_ifs(110),
        make_phase("nots", f"if {'not ' * 110}yes", "  gain 1 coin"),
        BLOCKS,
        make_phase("sums", f"gain {'1 + ' * 98}1 coin"),
        make_phase("parens", f"gain {'(1 + ' * 19}1{')' * 19} coin"),
    ),
    "doubling": rules_writer(
        CARD,
        CARDS,
        chain_quantities(60, "@ + @"),
        BOUNDED,
        RepeatedText("routine r#\n  do r@\n  do r@\n  may do r@", 60),
        "routine r60\n  gain 1 coin",
        _for_each_player("do r0", "gain q0 coin"),
    ),
    "circle": rules_writer(CARD, CARDS, HERO, CIRCLE, DEED),
    "wide circle": rules_writer(CARD, CARDS, HERO, WIDE, DEED),
    "phases": rules_writer(
        CARD,
        CARDS,
        RepeatedText("phase p#\n  play p@\n  do again", 500),
        "phase p500\n  nothing",
        AGAIN,
        _for_each_player("play p0"),
    ),
    "menu": rules_writer(CARD + "\n  works if coin of you > 0", MENU),
}
LONG_EDGES: dict[str, Callable[[Path], None]] = {
    "chain": rules_writer(
        CARD,
        CARDS,
        chain_quantities(3_000, "@ + 1"),
        RepeatedText("routine r#\n  do r@", 3_000),
        "routine r3000\n  gain 1 coin",
        _for_each_player("do r0", "gain q0 coin"),
    ),
    "long": rules_writer(CARD, CARDS, make_phase("n", *RepeatedText("gain # coin", 12_000))),
    "long, asked": rules_writer(
        CARD, CARDS, make_phase("n", *RepeatedText("may spend # coin\n    gain 1 coin", 5_000))
    ),
    "broad": rules_writer(
        CARD,
        CARDS,
        RepeatedText("routine r#\n  gain # coin", 2_100),
        RepeatedText("quantity q# is 1 + coin of you", 2_100),
        make_phase("n", *RepeatedText("do r#", 2_100), *RepeatedText("gain q# coin", 2_100)),
    ),
}
LENGTHY = [f'card long-{i} "{i} {"x " * 900}"\n  worth 1' for i in range(20)]
SAID = ["keep pile as set of card, quiet", *LENGTHY, make_phase("fills", "each card as c", "  add c to pile")]
AGAIN_AND_AGAIN = make_phase('opening "Opening"', "play fills", "repeat 10000 times", "  announce pile, pile, pile")
TALKATIVE = rules_writer(CARD, SAID, game=GAME.replace(GAME[GAME.index("phase opening") :], AGAIN_AND_AGAIN))
FOR_EVER = (Path(__file__).parent / "endless" / "for-ever.edict").read_text(encoding="utf-8")
ENDLESS = rules_writer('resource wood "wood"', game=GAME[: GAME.index("phase opening")] + FOR_EVER)
ENDLESS_LOGS = (
    HostileInput("endless game of bots", ENDLESS, "asked question after question", WAYS["play"], slow=True),
    HostileInput(
        "endless game of two bots",
        ENDLESS,
        "asked question after question",
        (*WAYS["play"], "--bot", "random"),
        slow=True,
    ),
    HostileInput("endless log, bots alone", TALKATIVE, "the log of this game is too long", WAYS["play"]),
    HostileInput(
        "endless log, a person",
        TALKATIVE,
        "the log of this game is too long",
        ("play", "./sample", "--plain", "--human", "Ann", "--bot", "random"),
        like="endless log, bots alone",
    ),
)
TITLED = ['card long "' + "x " * 900 + '"\n  worth 1']
CUT = "characters are not shown"


def _repeat_long_title(count: int) -> Callable[[Path], None]:
    """Return a function that writes rules with short lines that name a long title."""
    return rules_writer(CARD, TITLED, game=GAME + "    gain worth of long coin\n" * count)


LONG_OUTPUT = (
    HostileInput("long titles, shown", _repeat_long_title(1_000 if ALL else 600), CUT, WAYS["show"], code=0),
    HostileInput(
        "long titles, in the rulebook", _repeat_long_title(1_000 if ALL else 600), CUT, WAYS["rulebook"], code=0
    ),
    HostileInput(
        "long titles in many lines, shown",
        _repeat_long_title(8_000),
        CUT,
        WAYS["show"],
        code=0,
        slow=True,
        like="long titles, shown",
    ),
)
EVERY_RUN = dict(zip(EDGES, WAYS, strict=True))  # each edge through one command, and each command once


def _run_edge(edge: str, command: str) -> HostileInput:
    """Return the hostile input of an edge through a command."""
    lay, wrong = {**EDGES, **LONG_EDGES}[edge], command == "fmt"
    shown = EVERY_RUN.get(edge, command)
    like = "" if command == shown else f"{edge}, {shown}"
    return HostileInput(
        f"{edge}, {command}",
        lay,
        FMT if wrong else "",
        WAYS[command],
        code=int(wrong),
        slow=edge in LONG_EDGES,
        like=like,
    )


COMMANDS = (*ENDLESS_LOGS, *LONG_OUTPUT, *(_run_edge(edge, way) for edge in (*EDGES, *LONG_EDGES) for way in WAYS))
