"""Game cards: the size and kind of games, from their rules and random playouts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from calling import run_kingsburg
from edict.runtime.simulation import native

if not native.is_available():
    pytest.skip("llvmlite is an extra (fast), and not installed here", allow_module_level=True)

from edict.agents.study.game_cards import HEADINGS, format_row, iter_card_lines, iter_table_lines, measure_game
from edict.game.table.rules import Rules, load_rules
from edict.support.report import RulesError
from helpers import compile_program, make_phase


def test_small_game_is_measured_completely() -> None:
    """Of Kuhn poker everything is known: 30 ends, of 4 actions two at a time, three answers at most."""
    one = measure_game(load_rules("kuhn-poker"), 2, 300, 5)
    assert (one.actions, one.offered, one.positions, one.branching, one.length[1]) == (4, 4, 28, (2.0, 2), 3)
    assert one.draws == 2 and one.hidden and one.chance and one.somebody_wins and not one.at_once
    assert 2 <= one.length[0] <= 3 and one.shared == 0


def test_same_seed_gives_the_same_card() -> None:
    rules = load_rules("pig")
    one, again, other = (measure_game(rules, 3, 20, seed) for seed in (1, 1, 2))
    assert one == again and replace(other, seed=1) != one


def test_parts_of_answers_count_as_actions() -> None:
    one = measure_game(
        Rules(compile_program(make_phase("choose a number from 0 to 40 + coin of you as many")), "trial"), 2, 50, 1
    )
    assert one.actions == one.offered == 17 and one.branching[1] == 17 and one.length[1] == 3


def test_table_has_a_row_per_game_and_card_a_line_per_fact() -> None:
    cards = [measure_game(load_rules(name), players, 3, 0) for name, players in (("kuhn-poker", 2), ("causeway", 2))]
    shown = [*iter_table_lines(cards)]
    assert [line.split()[0] for line in shown] == ["game", "kuhn-poker", "causeway"]
    assert all(len(format_row(one)) == len(HEADINGS) for one in cards)
    told = "\n".join(iter_card_lines(cards[1]))
    assert "Causeway, 2 players (of 2)" in told and "0 to 25" in told and "everybody sees everything" in told


def test_fault_in_the_rules_raises_an_error() -> None:
    with pytest.raises(RulesError):
        measure_game(Rules(compile_program(make_phase("gain 1 / coin of you stick")), "trial"), 2, 2, 0)


def test_command_prints_a_card_a_table_or_json(tmp_path: Path) -> None:
    one = run_kingsburg(tmp_path, "card", "kuhn-poker", "--games", "5")
    assert one.returncode == 0 and "4, of which 4 were offered" in one.stdout
    several = run_kingsburg(tmp_path, "card", "kuhn-poker", "nine-tiles", "--games", "5", "--seed", "luck")
    assert several.stdout.startswith("game ") and "nine-tiles" in several.stdout
    data = json.loads(
        run_kingsburg(tmp_path, "card", "pig", "--games", "5", "--players", "2", "--format", "json").stdout
    )["cards"]
    assert data[0]["branching"]["most"] == 2 and data[0]["players"] == 2 and data[0]["scores"]["greatest"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--all pig", "use only one of them"),
        ("pig --games 0", "a number from 1 to"),
        ("pig --players 9", "is for 2 to 4 players, not 9"),
        ("nonsense", "nonsense"),
    ],
)
def test_invalid_arguments_are_refused_with_the_reason(tmp_path: Path, words: str, said: str) -> None:
    done = run_kingsburg(tmp_path, "card", *words.split())
    assert done.returncode != 0 and said in done.stderr and "Traceback" not in done.stderr
