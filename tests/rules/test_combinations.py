"""Combinations of modules and numbers of players, a sample of which is played to the end."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.program import Program
from examples import choose_examples
from playout import play_random
from shipped import GAME, MODULES, SCENARIOS


@cache
def compile_program(modules: tuple[str, ...]) -> Program:
    return compile_rules(GAME, modules).unwrap()


def play_to_end(modules: tuple[str, ...], players: int, seed: int) -> None:
    rules = compile_program(modules)
    end = play_random(rules, players, Random(seed))
    goods = [v for v in rules.variables if v.resource and v.name != "point"]
    assert all(end.state[v.base + seat] >= 0 for v in goods for seat in range(players)), "less than nothing"


@pytest.mark.parametrize("module", [*MODULES, *SCENARIOS])
@pytest.mark.sample(5)
def test_each_module_is_playable_alone(module: str) -> None:
    for players in (2, 5):
        play_to_end((module,), players, players)


def test_all_modules_are_playable_together() -> None:
    assert len(MODULES) >= 7
    for players in range(2, 6):
        play_to_end(tuple(MODULES), players, players)


@given(st.sets(st.sampled_from(MODULES)), st.sampled_from([None, *SCENARIOS]), st.integers(2, 5), st.integers(0, 2**32))
@settings(max_examples=choose_examples(2, 60), suppress_health_check=[HealthCheck.too_slow])
def test_any_combination_is_playable(modules: set[str], scenario: str | None, players: int, seed: int) -> None:
    play_to_end((*sorted(modules), *([scenario] if scenario else [])), players, seed)
