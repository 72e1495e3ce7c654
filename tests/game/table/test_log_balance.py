"""The balance of the log: its changes add up to the state, in whole games of everything that ships."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from edict.game.table.game import Game
from edict.game.table.log_entries import GAIN, Entry, build_lines
from edict.game.table.rules import Rules, load_rules
from helpers import compile_program, make_phase
from log_balance import Spot, assert_log_balances, find_difference, logged_cells
from shipped import GAME, GAMES, OVER_GAME

QUICK = ((GAME, ()), (GAME, ("governors",)), ("sixty-four", ()), ("harbour-lots", ()), ("pig", ()))
WHOLE = (*((GAME, (name,)) for name in sorted(OVER_GAME)), *((name, ()) for name in GAMES))


def play_game(rules: Rules, seed: int, answers: int, checked_every: int) -> Game:
    """Play at random, and check the log on the way."""
    least, most = rules.program.least_players, rules.program.most_players
    game = rules.new_game(["Ann", "Ben", "Cleo", "Dan", "Eve", "Fay"][: min(max(least, 3), most)], seed=seed)
    rng = random.Random(seed)
    assert_log_balances(game)
    for number in range(answers):
        if game.over:
            break
        game.answer(rng.randrange(game.count))
        if number % checked_every == 0:
            assert_log_balances(game)
    assert_log_balances(game)
    return game


@pytest.mark.parametrize(("name", "modules"), QUICK)
def test_log_balances_after_each_answer(name: str, modules: tuple[str, ...]) -> None:
    play_game(load_rules(name, modules), 1, 60, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "modules"), WHOLE)
def test_log_balances_in_whole_games(name: str, modules: tuple[str, ...]) -> None:
    rules = load_rules(name, modules)
    for seed in (2, 3):
        play_game(rules, seed, 3000, 25)


@pytest.mark.slow
def test_log_balances_with_all_modules_at_once() -> None:
    names = tuple(name for name, manifest in OVER_GAME.items() if manifest.kind == "module")
    play_game(load_rules(GAME, names), 4, 3000, 25)


def sum_of_changes(entries: list[Entry], spot: Spot) -> int:
    return sum(change.number for entry in entries for change in entry.changes if (change.name, change.of) == spot)


def test_balance_check_finds_a_missing_entry() -> None:
    game = play_game(load_rules(GAME), 1, 20, 20)
    cells = logged_cells(game)
    told = [entry for entry in game.log if entry.kind == GAIN]
    now = {spot: cell.value(game.state) for spot, cell in cells.items()}
    start = {spot: value - sum_of_changes(told, spot) for spot, value in now.items()}
    change = told[-1].changes[0]
    assert find_difference(start, told, now) == {}
    assert list(find_difference(start, [*told[:-1], replace(told[-1], changes=())], now)) == [(change.name, change.of)]


# --- what an announcement takes in ----------------------------------------------------------------------


def read_lines(*lines: str) -> list[str]:
    """Return the lines that Ann reads in brief when she carries out these steps."""
    rules = Rules(compile_program(make_phase(*lines, "choose a number from 1 to 2 as stop-here")), "trial")
    game = rules.new_game(["Ann", "Ben"], 1)
    assert_log_balances(game)
    return [line.text for line in build_lines(game.view(0).log, game.players)]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (
            ("gain 3 coin", "lose 1 coin", 'announce you, "takes", 1, "step"'),
            ["Ann gains 3 coins and loses 1 coin", "Ann takes 1 step"],
        ),
        (
            ("let many = 2", "gain many coin", 'announce you, "walks", many, "steps"'),
            ["Ann gains 2 coins", "Ann walks 2 steps"],
        ),
        (
            ("let many = 2", "gain many coin", 'announce you, "finds", many, "coin/coins"'),
            ["Ann gains 2 coins", "Ann finds 2 coins"],
        ),
        (
            ("let many = 2", "gain many coin", "let other = 2", 'announce you, "finds", other, "coin/coins"'),
            ["Ann gains 2 coins", "Ann finds 2 coins"],
        ),
        (
            ("let many = 2", "gain many coin", "for left of you", '  announce you, "sees", many, "coin/coins"'),
            ["Ann gains 2 coins", "Ben sees 2 coins"],
        ),
    ],
)
def test_announcement_absorbs_only_the_changes_it_names(lines: tuple[str, ...], text: list[str]) -> None:
    """Regression: `Ann influences Architect with 1` had no line for the token that was paid."""
    assert read_lines(*lines) == text


def test_choice_has_no_line_only_if_it_is_announced() -> None:
    two = ("choose a number from 5 to 6 as near", "choose a number from 7 to 8 as far")
    game = Rules(compile_program(make_phase(*two, 'announce you, "walks", far')), "trial").new_game(["Ann", "Ben"], 1)
    game.answer("6")
    game.answer("8")
    assert [line.text for line in build_lines(game.log, game.players)][-2:] == ["Ann: Choose a number 6", "Ann walks 8"]


def test_value_handed_back_and_given_again_has_its_lines() -> None:
    """The King's Envoy returns to the king before somebody gets him, even if it is the same player as before."""
    keep = 'keep envoy "the envoy" as player or none\n'
    lines = ("set envoy to you", "set envoy to none", "set envoy to you")
    game = Rules(compile_program(keep + make_phase(*lines)), "trial").new_game(["Ann", "Ben"], 1)
    assert [entry.text for entry in game.log] == ["The envoy: Ann", "The envoy: none", "The envoy: Ann"]
