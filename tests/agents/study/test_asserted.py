"""What rules assert: read, checked, left out of play, looked at in games, and told with a scene where it is broken."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from calling import kingsburg, manifest, write
from edict.agents.study.asserted import Asserted, Broken, shortened
from edict.agents.study.bot_games import Setup
from edict.agents.study.never import tables
from edict.compiler.pipeline.asserting import asserting
from edict.compiler.pipeline.pipeline import build
from edict.runtime.program import Program
from edict.runtime.program.reasons import Assertion
from edict.support.processes.distribution import start_inline
from helpers import errors, module
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
    write(folder, {"module.yaml": manifest("planted", kind="game"), "planted.edict": PLANTED + "\n" + text})
    return folder


def broken_in(tmp_path: Path, text: str, games: int = 20) -> dict[str, Broken]:
    """By the name of each assertion that does not hold, the shortest game found."""
    found = asserting(folder_of(tmp_path, text))
    assert found is not None
    program, assertions = found
    search = Asserted(tables(program, ("random", "greedy"), None, (), 0), assertions, games)
    search.run(start_inline, lambda done: None)
    return search.found


# --- the language ---------------------------------------------------------------------------------


def test_what_cannot_be_asserted() -> None:
    """A condition must be one, nobody is `you`, and only what can happen is asserted never to happen."""
    for text, code in (
        ('assert odd "Odd" 3\n', "E0401"),
        ('resource nut\n\nassert odd "Odd" nut of you > 3\n', "E0530"),
        ('keep days as number from 0 to 9\n\nassert odd "Odd" never joining days\n', "E0209"),
        ('keep days as number from 0 to 9\n\nassert odd "Odd" never losing days\n', "E0202"),
    ):
        assert code in [one.code for one in errors(text)], text


def test_what_is_asserted_is_no_part_of_what_is_played() -> None:
    """Another line in the rules, and the same program."""
    plain, asserted = (build((module(text),)).unwrap() for text in (PLANTED, PLANTED + "\n" + HOLDS))
    assert asserted.meaning == plain.meaning and asserted.code == plain.code


def test_rules_that_assert_nothing_are_not_compiled_once_more(tmp_path: Path) -> None:
    assert asserting(folder_of(tmp_path, "")) is None


# --- in games --------------------------------------------------------------------------------------


def test_what_always_holds_is_broken_in_no_game(tmp_path: Path) -> None:
    """To pay is not to lose, as everywhere in the language: houses are paid for."""
    assert broken_in(tmp_path, HOLDS + 'assert coins-stay "Coins stay" never losing coin\n') == {}


def test_what_does_not_hold_is_found_with_the_fewest_answers_and_the_game_goes_on_for_the_others(
    tmp_path: Path,
) -> None:
    """With no more than one coin a morning, and one for a rest, four coins take three mornings."""
    found = broken_in(tmp_path, FEW_COINS + 'assert short "The first day is the last" day <= 1\n')
    assert set(found) == {"few-coins", "short"}
    assert found["few-coins"].setup.players == 2 and len(found["few-coins"].answers) == 6


def test_what_must_never_happen_is_found_at_the_change_itself_and_only_while_it_must_not(tmp_path: Path) -> None:
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


def test_a_study_tells_what_does_not_hold_and_gives_a_scene_that_can_be_played(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, FEW_COINS)
    done = kingsburg(tmp_path, "study", "planted", "--games", "20", "--players", "2", "--workers", "1")
    assert done.returncode == 1
    assert "“Nobody has more than 3 coins” does not hold" in done.stdout
    scene = done.stdout[done.stdout.index("game: planted") :]
    write(folder / "scenes", {"few-coins.yaml": scene})
    write(folder, {"planted.edict": PLANTED})
    assert kingsburg(tmp_path, "test", "planted").returncode == 0


def test_a_test_looks_at_what_is_asserted_too(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, HOLDS)
    write(folder / "scenes", {"first.yaml": "scenes:\n- name: it ends\n  start: phase closing\n  then: {}\n"})
    done = kingsburg(tmp_path, "test", "planted")
    assert done.returncode == 0, done.stdout
    assert "4 assertions held in 40 games" in done.stdout


# --- of several games --------------------------------------------------------------------------------

HELD = Assertion("few", "Few", 0, 0, -1, "", ())


def game_of(answers: int, players: int = 2, seed: int = 5) -> Broken:
    setup = Setup(cast("Program", None), ("random",) * players)
    return Broken(HELD, setup, seed, (0,) * answers)


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
def test_search_keeps_the_game_with_fewest_answers_then_players_then_seed(best: Broken, other: Broken) -> None:
    for games in ((best, other), (other, best)):
        search = Asserted((), (HELD,), 0)
        for game in games:
            search._keep(game)
        assert search.found == {"few": best}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_long_counter_example_is_shortened_to_the_fewest_answers(tmp_path: Path, seed: int) -> None:
    """Four coins take three mornings and a rest, so at least six answers."""
    found = asserting(folder_of(tmp_path, FEW_COINS))
    assert found is not None
    program, (assertion,) = found
    long = Broken(assertion, Setup(program, ("random", "random")), seed, (1,) * 60)
    assert len(shortened(long).answers) == 6
