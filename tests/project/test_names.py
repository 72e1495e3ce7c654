"""Independence of the engine from names: rules with every name and text replaced by nonsense are the same program.

This is proved for all that ships. The compiled programs differ only in names and texts, and games with the same answers
have the same events, in the machine and at the table.
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
from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.sources.module_set import Module, gather_modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.traversal import walk
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program import opcodes as o
from nonsense_names import LANGUAGE, NOTES, iter_texts, rename_all
from shipped import MODULES, SCENARIOS

Words = tuple[str, ...]

FEW: list[tuple[str, Words]] = [("kingsburg", ("governors",)), ("pig", ()), ("kuhn-poker", ())]
OTHERS: list[tuple[str, Words]] = [
    ("kingsburg", ()),
    ("kingsburg", tuple(MODULES)),
    *(("kingsburg", (name,)) for name in (*MODULES, *SCENARIOS) if name != "governors"),
    ("kingsburg", ("steady-king",)),
]
SHIPPED = [*FEW, *(pytest.param(*case, marks=pytest.mark.slow) for case in OTHERS)]
PLACES = ("file", "line", "column", "rules_hash", "version", "meaning")
LOG = 1 + o.EVENT_SIZE * 8000


@cache
def gather_both(game: str, modules: Words) -> tuple[tuple[Module, ...], tuple[Module, ...]]:
    """Return the rules as they ship and in nonsense."""
    found = gather_modules(game, modules).unwrap()
    return found, rename_all(found)


@cache
def compile_both(game: str, modules: Words) -> tuple[Program, Program]:
    """Return the programs of the rules as they ship and in nonsense."""
    plain, nonsense = gather_both(game, modules)
    return compile_modules(plain).unwrap(), build_program(nonsense).unwrap()


def ids(case: tuple[str, Words]) -> str:
    return "+".join((case[0], *case[1]))


@pytest.mark.parametrize(("game", "modules"), SHIPPED, ids=map(ids, [*FEW, *OTHERS]))
def test_rules_in_nonsense_compile_and_play_the_same(game: str, modules: Words) -> None:
    check_no_shared_words(*gather_both(game, modules))
    check_same_but_for_texts(*compile_both(game, modules))
    check_same_events(*compile_both(game, modules))


def strip_texts(value: Any) -> Any:
    """Return plain data with each text replaced by whether it is empty."""
    if isinstance(value, dict):
        return [strip_texts(item) for key, item in value.items() if key not in PLACES]
    if isinstance(value, list | tuple):
        return [strip_texts(item) for item in value]
    return bool(value) if isinstance(value, str) else value


def check_same_but_for_texts(plain: Program, nonsense: Program) -> None:
    assert plain.code == nonsense.code
    assert plain.initial == nonsense.initial
    assert strip_texts(asdict(plain)) == strip_texts(asdict(nonsense))


def iter_events(program: Program, players: int, seed: int) -> Iterator[Sequence[int]]:
    """Yield every question and event of a game with random answers, and its last state."""
    state = create_state(program, players, {})
    log, luck = [0] * LOG, Random(seed)
    while run(program.code, state, log) == o.ASKING:
        yield state[o.QUESTION], state[o.SEAT], *state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]]
        state[o.ANSWER] = luck.randrange(state[o.OPTIONS])
    assert state[o.STATUS] == o.GAME_OVER
    yield log[: log[0] + 1]
    yield state


def check_same_events(plain: Program, nonsense: Program) -> None:
    for seed, players in enumerate((plain.least_players, plain.most_players)):
        assert list(iter_events(plain, players, seed)) == list(iter_events(nonsense, players, seed))


# --- at the table -----------------------------------------------------------------------------


def iter_table_output(game: Game, seed: int) -> Iterator[object]:
    """Yield what the table shows of a random game: questions, log, views and result."""
    luck = Random(seed)
    while not game.over:
        ask = game.ask
        yield ask.seat, [len(option.words) > 0 for option in ask.options]
        game.answer(luck.choice(ask.options))
    yield [(e.kind, e.seat, e.seats, e.level, [(x.amount, x.seat) for x in e.terms]) for e in game.log]
    for seat in range(len(game.players)):
        view = game.view(seat)
        yield list(view.values.values()), view.state, strip_texts([asdict(panel) for panel in view.panels()])
    yield game.result and (game.result.scores, game.result.winners)


@pytest.mark.parametrize(
    "modules",
    [
        pytest.param(("governors",), id="governors"),
        pytest.param((), marks=pytest.mark.slow, id="base"),
        pytest.param((*MODULES,), marks=pytest.mark.slow, id="all"),
    ],
)
def test_table_output_in_nonsense_is_the_same(modules: Words) -> None:
    plain, nonsense = (
        iter_table_output(Rules(program, "rules").new_game(["Ann", "Ben", "Cleo"], seed=4), 4)
        for program in compile_both("kingsburg", modules)
    )
    assert list(plain) == list(nonsense)


# --- the renaming itself ------------------------------------------------------------------------


def check_no_shared_words(plain: Sequence[Module], nonsense: Sequence[Module]) -> None:
    """Check that no name or text is left; otherwise the other tests would prove nothing."""
    before, after = (_collect_words(_parse_pages(found)) for found in (plain, nonsense))
    assert len(before) > 15
    assert not before & after


def _collect_words(pages: Sequence[t.Page]) -> set[str]:
    """Return all words that are not part of the language, and all texts."""
    nodes = [node for page in pages for node in walk(page.definitions)]
    words = {node.word for node in nodes if isinstance(node, t.Name)} - {*LANGUAGE, *NOTES, *ORIGINS, ""}
    return words | {text for node in nodes for text in iter_texts(node)}


def _parse_pages(modules: Sequence[Module]) -> list[t.Page]:
    return [parse(source).unwrap() for module in modules for source in module.sources]
