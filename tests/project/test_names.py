"""The engine goes by no name: rules in which every name and text is replaced by nonsense are the same program.

That is proved for all that ships: what is compiled is the same but for names and texts, and games played alike go
alike, event for event, in the machine and at the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from random import Random
from typing import Any

import pytest

from edict.compiler.layering.provenance import ORIGINS
from edict.compiler.pipeline.compile import compile_modules
from edict.compiler.pipeline.pipeline import build
from edict.compiler.sources.module_set import Module, gather
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.walking import walk
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.runtime.machine.loop import run
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.initial_state import create_state
from renaming import LANGUAGE, NOTES, renamed, texts_in
from shipped import MODULES, SCENARIOS

Words = tuple[str, ...]

FEW: list[tuple[str, Words]] = [("kingsburg", tuple(MODULES)), ("pig", ()), ("kuhn-poker", ())]
OTHERS: list[tuple[str, Words]] = [
    ("kingsburg", ()),
    *(("kingsburg", (name,)) for name in (*MODULES, *SCENARIOS)),
    ("kingsburg", ("steady-king",)),
]
SHIPPED = [*FEW, *(pytest.param(*case, marks=pytest.mark.slow) for case in OTHERS)]
PLACES = ("file", "line", "column", "rules_hash", "version", "meaning")
LOG = 1 + o.EVENT_SIZE * 8000


@cache
def read(game: str, modules: Words) -> tuple[tuple[Module, ...], tuple[Module, ...]]:
    """The rules as they ship, and in nonsense."""
    found = gather(game, modules).unwrap()
    return found, renamed(found)


@cache
def both(game: str, modules: Words) -> tuple[Program, Program]:
    """What the two are compiled to."""
    plain, nonsense = read(game, modules)
    return compile_modules(plain).unwrap(), build(nonsense).unwrap()


def ids(case: tuple[str, Words]) -> str:
    return "+".join((case[0], *case[1]))


@pytest.mark.parametrize(("game", "modules"), SHIPPED, ids=map(ids, [*FEW, *OTHERS]))
def test_rules_in_nonsense_play_the_same(game: str, modules: Words) -> None:
    nothing_is_left_of(*read(game, modules))
    the_same_but_for_words(*both(game, modules))
    alike_event_for_event(*both(game, modules))


def without_words(value: Any) -> Any:
    """A program as plain data: numbers and how they are arranged; of a text only whether it is empty."""
    if isinstance(value, dict):
        return [without_words(one) for key, one in value.items() if key not in PLACES]
    if isinstance(value, list | tuple):
        return [without_words(one) for one in value]
    return bool(value) if isinstance(value, str) else value


def the_same_but_for_words(plain: Program, nonsense: Program) -> None:
    assert plain.code == nonsense.code
    assert plain.initial == nonsense.initial
    assert without_words(asdict(plain)) == without_words(asdict(nonsense))


def events(program: Program, players: int, seed: int) -> Iterator[Sequence[int]]:
    """Everything that is asked and happens in a game in which options are taken by lot, and its last state."""
    state = create_state(program, players, {})
    log, luck = [0] * LOG, Random(seed)
    while run(program.code, state, log) == o.ASKING:
        yield state[o.QUESTION], state[o.SEAT], *state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]]
        state[o.ANSWER] = luck.randrange(state[o.OPTIONS])
    assert state[o.STATUS] == o.GAME_OVER
    yield log[: log[0] + 1]
    yield state


def alike_event_for_event(plain: Program, nonsense: Program) -> None:
    for seed, players in enumerate((plain.least_players, plain.most_players)):
        assert list(events(plain, players, seed)) == list(events(nonsense, players, seed))


# --- at the table -----------------------------------------------------------------------------


def told(game: Game, seed: int) -> Iterator[object]:
    """What the table makes of a game: questions, lines of the log, what each seat sees, and the result."""
    luck = Random(seed)
    while not game.over:
        ask = game.ask
        yield ask.seat, [len(option.words) > 0 for option in ask.options]
        game.answer(luck.choice(ask.options))
    yield [(e.kind, e.seat, e.seats, e.level, [(x.amount, x.seat) for x in e.terms]) for e in game.log]
    for seat in range(len(game.players)):
        view = game.view(seat)
        yield list(view.values.values()), view.state, without_words([asdict(panel) for panel in view.panels()])
    yield game.result and (game.result.scores, game.result.winners)


@pytest.mark.parametrize(
    "modules", [pytest.param((), marks=pytest.mark.slow, id="base"), pytest.param((*MODULES,), id="all")]
)
def test_the_table_tells_the_same(modules: Words) -> None:
    plain, nonsense = (
        told(Rules(program, "rules").new_game(["Ann", "Ben", "Cleo"], seed=4), 4)
        for program in both("kingsburg", modules)
    )
    assert list(plain) == list(nonsense)


# --- the renaming itself ------------------------------------------------------------------------


def nothing_is_left_of(plain: Sequence[Module], nonsense: Sequence[Module]) -> None:
    """Else nothing else would prove anything."""
    before, after = (_said(_pages(found)) for found in (plain, nonsense))
    assert len(before) > 15
    assert not before & after


def _said(pages: Sequence[t.Page]) -> set[str]:
    """All words that are no part of the language, and all texts."""
    nodes = [node for page in pages for node in walk(page.definitions)]
    words = {node.word for node in nodes if isinstance(node, t.Name)} - {*LANGUAGE, *NOTES, *ORIGINS, ""}
    return words | {text for node in nodes for text in texts_in(node)}


def _pages(modules: Sequence[Module]) -> list[t.Page]:
    return [parse(source).unwrap() for module in modules for source in module.sources]
