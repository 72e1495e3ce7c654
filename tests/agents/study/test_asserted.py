"""Assertions in rules: parsed, checked, without effect on play, tested in games, and reported with a scene."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from calling import make_manifest, run_kingsburg, write_files
from edict.agents.study.assertion_search import AssertionSearch, BrokenAssertion, shorten
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.never_happened import create_setups
from edict.compiler.pipeline.assertions import compile_assertions
from edict.compiler.pipeline.pipeline import build_program
from edict.runtime.program import Program
from edict.runtime.program.reasons import Assertion
from edict.support.processes.distribution import start_inline
from helpers import list_errors, make_module
from planted import PLANTED

HOLDS = """\
assert within-days "The game has six days" day <= 6
assert no-debts "Nobody owes anything" every player has coin of it >= 0
assert houses-stay "A house stays where it was built" never leaving owned
assert points-stay "No points are lost" never losing point
"""
FEW_COINS = 'assert few-coins "Nobody has more than 3 coins" every player has coin of it <= 3\n'


def folder_of(tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "planted"
    write_files(folder, {"module.yaml": make_manifest("planted", kind="game"), "planted.edict": PLANTED + "\n" + text})
    return folder


def broken_in(tmp_path: Path, text: str, games: int = 20) -> dict[str, BrokenAssertion]:
    """By the name of each assertion that does not hold, the shortest game found."""
    found = compile_assertions(folder_of(tmp_path, text))
    assert found is not None
    program, assertions = found
    search = AssertionSearch(create_setups(program, ("random", "greedy"), None, (), 0), assertions, games)
    search.run(start_inline, lambda done: None)
    return search.found


# --- the language ---------------------------------------------------------------------------------


def test_invalid_assertions_are_errors(subtests: pytest.Subtests) -> None:
    """A condition must be one, nobody is `you`, and only what can happen is asserted never to happen."""
    for text, code in (
        ('assert odd "Odd" 3\n', "E0401"),
        ('resource nut\n\nassert odd "Odd" nut of you > 3\n', "E0530"),
        ('keep days as number from 0 to 9\n\nassert odd "Odd" never joining days\n', "E0209"),
        ('keep days as number from 0 to 9\n\nassert odd "Odd" never losing days\n', "E0202"),
    ):
        with subtests.test(text=text):
            assert code in [one.code for one in list_errors(text)]


def test_assertions_do_not_change_the_program() -> None:
    """Another line in the rules, and the same program."""
    plain, asserted = (build_program((make_module(text),)).unwrap() for text in (PLANTED, PLANTED + "\n" + HOLDS))
    assert asserted.meaning == plain.meaning and asserted.code == plain.code


def test_rules_without_assertions_are_not_compiled_again(tmp_path: Path) -> None:
    assert compile_assertions(folder_of(tmp_path, "")) is None


# --- in games --------------------------------------------------------------------------------------


def test_true_assertions_are_never_broken(tmp_path: Path) -> None:
    """To pay is not to lose, as everywhere in the language: houses are paid for."""
    assert broken_in(tmp_path, HOLDS + 'assert coins-stay "Coins stay" never losing coin\n') == {}


def test_false_assertions_are_all_found_with_few_answers(
    tmp_path: Path,
) -> None:
    """With no more than one coin a morning, and one for a rest, four coins take three mornings."""
    found = broken_in(tmp_path, FEW_COINS + 'assert short "The first day is the last" day <= 1\n')
    assert set(found) == {"few-coins", "short"}
    assert found["few-coins"].setup.players == 2 and len(found["few-coins"].answers) == 6


def test_forbidden_change_is_found_between_questions(tmp_path: Path) -> None:
    """What is given back before anybody is asked again shows in no question."""
    text = """\
when start of closing
  each player
    gain 1 point
    lose 1 point
    lose 1 coin

assert points-stay "No points are lost" never losing point
assert closing-coins "Coins stay at closing" never losing coin if during closing
assert morning-coins "Coins stay in the morning" never losing coin if during morning
assert early-coins "Coins stay at first" never losing coin if day < 6
"""
    assert set(broken_in(tmp_path, text)) == {"points-stay", "closing-coins"}


# --- the command -----------------------------------------------------------------------------------


def test_study_reports_a_broken_assertion_with_a_playable_scene(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, FEW_COINS)
    done = run_kingsburg(tmp_path, "study", "planted", "--games", "20", "--players", "2", "--workers", "1")
    assert done.returncode == 1
    assert "“Nobody has more than 3 coins” failed after" in done.stdout
    scene = done.stdout[done.stdout.index("game: planted") :]
    write_files(folder / "scenes", {"few-coins.yaml": scene})
    write_files(folder, {"planted.edict": PLANTED})
    assert run_kingsburg(tmp_path, "test", "planted").returncode == 0


def test_test_command_checks_assertions(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, HOLDS)
    write_files(folder / "scenes", {"first.yaml": "scenes:\n- name: it ends\n  start: phase closing\n  then: {}\n"})
    done = run_kingsburg(tmp_path, "test", "planted")
    assert done.returncode == 0, done.stdout
    assert "All 4 assertions passed in 40 games." in done.stdout


# --- of several games --------------------------------------------------------------------------------

HELD = Assertion("few", "Few", 0, 0, -1, "", ())


def game_of(answers: int, players: int = 2, seed: int = 5) -> BrokenAssertion:
    setup = GameSetup(cast("Program", None), ("random",) * players)
    return BrokenAssertion(HELD, setup, seed, (0,) * answers)


@pytest.mark.parametrize(
    ("best", "other"),
    [
        (game_of(3), game_of(4)),
        (game_of(3, players=4, seed=9), game_of(4, players=2, seed=1)),
        (game_of(3, players=2), game_of(3, players=3)),
        (game_of(3, players=2, seed=9), game_of(3, players=3, seed=1)),
        (game_of(3, seed=1), game_of(3, seed=2)),
        (game_of(0), game_of(1)),
    ],
    ids=["answers", "answers before players", "players", "players before seed", "seed", "no answers"],
)
def test_search_keeps_the_game_with_fewest_answers_then_players_then_seed(
    best: BrokenAssertion, other: BrokenAssertion, subtests: pytest.Subtests
) -> None:
    for games in ((best, other), (other, best)):
        with subtests.test(games=games):
            search = AssertionSearch((), (HELD,), 0)
            for game in games:
                search._keep_shorter(game)
            assert search.found == {"few": best}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_long_counter_example_is_shortened_to_the_fewest_answers(tmp_path: Path, seed: int) -> None:
    """Four coins take three mornings and a rest, so at least six answers."""
    found = compile_assertions(folder_of(tmp_path, FEW_COINS))
    assert found is not None
    program, (assertion,) = found
    long = BrokenAssertion(assertion, GameSetup(program, ("random", "random")), seed, (1,) * 60)
    assert len(shorten(long).answers) == 6
