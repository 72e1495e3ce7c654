"""Any set of modules, with any number of players, plays to the end: a sample of combinations."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edict.compiler.pipeline.compile import compile_rules
from edict.game.table.playout import play_random
from edict.runtime.program import Program
from examples import examples
from shipped import GAME, MODULES, SCENARIOS


@cache
def program(modules: tuple[str, ...]) -> Program:
    return compile_rules(GAME, modules).unwrap()


def play(modules: tuple[str, ...], players: int, seed: int) -> None:
    rules = program(modules)
    end = play_random(rules, players, Random(seed))
    goods = [v for v in rules.variables if v.resource and v.name != "point"]
    assert all(end.state[v.base + seat] >= 0 for v in goods for seat in range(players)), "less than nothing"


@pytest.mark.parametrize("module", [*MODULES, *SCENARIOS])
@pytest.mark.sample(5)
def test_each_alone_with_few_and_with_many_players(module: str) -> None:
    for players in (2, 5):
        play((module,), players, players)


def test_all_of_them_together_with_each_number_of_players() -> None:
    assert len(MODULES) >= 7
    for players in range(2, 6):
        play(tuple(MODULES), players, players)


@given(st.sets(st.sampled_from(MODULES)), st.sampled_from([None, *SCENARIOS]), st.integers(2, 5), st.integers(0, 2**32))
@settings(max_examples=examples(2, 60), suppress_health_check=[HealthCheck.too_slow])
def test_any_combination(modules: set[str], scenario: str | None, players: int, seed: int) -> None:
    play((*sorted(modules), *([scenario] if scenario else [])), players, seed)
