"""docs/language.md: every example in it can be read and compiled.

The word after ```edict says what a block is: `game` stands alone (the first one is the game all others belong to),
nothing or `over kingsburg` is laid over a game, `steps` stand in a player's turn, `values` are one a line, and a
`fragment` is only read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import indent

import pytest
from helpers import module

from edict.front.pipeline import build
from edict.sources.folders import Manifest, Module
from edict.sources.module_set import gather
from edict.language.parse import parse
from edict.report import Diagnostic
from edict.text import Source

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "language.md"
BLOCKS = [
    (kind.strip() or "rules", text, PAGE.read_text(encoding="utf-8")[: match.start()].count("\n") + 1)
    for match in re.finditer(r"^```edict([^\n]*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    for kind, text in [match.groups()]
]
GAME = next(text for kind, text, _ in BLOCKS if kind == "game")


def laid_over(base: tuple[Module, ...], text: str) -> tuple[Module, ...]:
    manifest = Manifest("example", "Example", "1.0.0", "module", requires=(base[0].name,))
    return (*base, Module(manifest, Path("example"), (Source("example.edict", text),)))


def found(kind: str, text: str) -> list[Diagnostic]:
    """What is wrong with a block; that nothing plays its phases or asks for what it keeps does not matter."""
    if kind == "fragment":
        return list(parse(Source("example.edict", text)).diagnostics)
    if kind == "game":
        modules: tuple[Module, ...] = (module(text),)
    elif kind == "over kingsburg":
        modules = laid_over(gather("kingsburg").unwrap(), text)
    else:
        modules = laid_over((module(GAME),), WRAPPED[kind](text))
    return [d for d in build(modules).diagnostics if d.code not in ("E0510", "E0554")]


def steps(text: str) -> str:
    return "when start of day\n  each player\n" + indent(text, "    ")


def values(text: str) -> str:
    lines = text.strip().splitlines()
    rules = "phase evening-hours\n  nothing\nkeep other as player\nkeep guests of tree as set of player\n"
    rules += "keep gifts of player called giver by player as number\nquantity fruits-worth is 1\n"
    return rules + steps("".join(f"let value-{i} = {line}\n" for i, line in enumerate(lines)))


WRAPPED: dict[str, Callable[[str], str]] = {"rules": str, "steps": steps, "values": values}


@pytest.mark.parametrize(("kind", "text", "line"), BLOCKS, ids=[f"line-{line}" for _, _, line in BLOCKS])
def test_an_example_of_the_language_page(kind: str, text: str, line: int) -> None:
    diagnostics = found(kind, text)
    assert not diagnostics, [f"{PAGE.name}:{line + d.span.line}: {d.span} {d.title} ({d.help})" for d in diagnostics]


def test_the_page_shows_every_word_of_the_language() -> None:
    """What the grammar knows, the page tells of."""
    grammar = (PAGE.parent.parent / "grammar" / "edict.lark").read_text(encoding="utf-8")
    words = set(re.findall(r'"([a-z]+)"', "\n".join(line.split("//")[0] for line in grammar.splitlines())))
    told = set(re.findall(r"[a-z]+", PAGE.read_text(encoding="utf-8")))
    assert not words - told


def test_there_are_examples() -> None:
    assert len(BLOCKS) > 30 and {kind for kind, _, _ in BLOCKS} == {*WRAPPED, "game", "over kingsburg", "fragment"}
