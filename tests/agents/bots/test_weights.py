"""Weights of features: shipped ones, files of them, and training."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import edict
from calling import run_kingsburg
from edict.agents.bots import find_policy, weight_training
from edict.agents.bots.features import list_player_features, list_table_features
from edict.agents.bots.weights import Weights, find_shipped_weights, read_weights
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.league_play import play_meetings
from edict.compiler.sources.file_schemas import load_schema
from edict.game.table.game_errors import GameError
from edict.runtime.simulation import native
from edict.support import resources
from helpers import compile_program

NATIVE = pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
SHIPPED = sorted(resources.get_shipped_folder().glob("[rm]*/**/weights.json"))


def test_shipped_weights_fit_the_schema_and_the_current_rules(subtests: pytest.Subtests) -> None:
    for file in SHIPPED:
        with subtests.test(file=file):
            text = file.read_text(encoding="utf-8")
            jsonschema.validate(json.loads(text), load_schema("weights"))
            weights = Weights.from_json(text)
            assert Weights.from_json(weights.to_json()) == weights
            program = edict.load(weights.game, weights.modules[1:]).program
            names = {name for place in list_player_features(program) for name in place.names}
            assert set(weights.careful.features) <= names, f"{file} was learned with other rules: train anew"
            assert weights.command.startswith("kingsburg train")


def test_features_of_a_module_use_its_weights_and_all_others_those_of_the_game(subtests: pytest.Subtests) -> None:
    """What a module takes away is not missed, and what nobody weighed counts nothing."""
    base = find_shipped_weights(edict.load("kingsburg").program)
    program = edict.load("kingsburg", ["governors", "destiny"]).program
    court = find_shipped_weights(program)
    beside = Weights.from_json(
        (resources.get_shipped_folder() / "modules/governors/weights.json").read_text(encoding="utf-8")
    )
    assert base is not None and court is not None
    assert court.careful.features["visits[secretary]"] == beside.careful.features["visits[secretary]"]
    assert court.careful.features["gold"] == base.careful.features["gold"] != beside.careful.features["gold"]
    assert "visits[secretary]" not in base.careful.features
    assert court.careful.judge == base.careful.judge
    for played in (program, edict.load("kingsburg", ["alternate-rows"]).program):
        with subtests.test(played=played):
            assert play_meetings(GameSetup(played, ("greedy", "random"), (), 3), [0])[0].scores[0] != 0


def test_invalid_weights_or_those_of_another_game_are_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    file, program = tmp_path / "weights.json", edict.load("pig").program
    for text, reason in (
        ("{", "line 1"),
        ("[]", "not a file of weights"),
        ("{}", "`format` is missing"),
        ('{"format": 9}', "format is 9"),
        ('{"format": 1, "game": "pig"}', "`rules` is missing"),
    ):
        with subtests.test(text=text):
            file.write_text(text)
            with pytest.raises(GameError, match="not a file of weights") as told:
                read_weights(file, program)
            assert reason in str(told.value) and told.value.remedy
    shipped = resources.get_shipped_folder() / "rules" / "weights.json"
    with pytest.raises(GameError, match="for kingsburg, not for pig"):
        read_weights(shipped, program)
    weights = json.loads(shipped.read_text(encoding="utf-8"))
    for wrong in ([1, 2, 3], [1, 2, 3, 1e99], [1, 2, 3, "x"], [True, 0, 0, 0]):
        weights["careful"]["features"]["gold"] = wrong
        with pytest.raises(GameError, match="`gold` must have 4 numbers"):
            Weights.from_json(json.dumps(weights))


@NATIVE
def test_learned_weights_beat_the_rules_own_judgement() -> None:
    """Over 1,000 games it was 36 % of them, where 25 % would be even; see docs/guides/opponents.md."""
    program = edict.load("kingsburg").program
    greedy, judge = find_policy(program, "greedy", 4), find_policy(program, "judge", 4)
    assert greedy is not None and judge is not None
    assert weight_training.measure_win_share(program, [greedy, judge, judge, judge], 120, seed=0)[0] > 0.28


# --- learned


@NATIVE
def test_learned_weights_do_not_depend_on_the_workers() -> None:
    def learned(spread: weight_training.PieceMapper) -> list[float]:
        course = weight_training.start_training(
            weight_training.WeightTrainingPlan(edict.load("pig").program, 2, 50, 2, 4, 1)
        )
        assert list(weight_training.train_weights(course, spread))[-1] == course.played
        return [float(weight) for weight in course.weights]

    def backwards(work: Callable[[int], Any], numbers: Iterable[int]) -> Iterator[tuple[int, Any]]:
        yield from ((number, work(number)) for number in reversed(list(numbers)))

    assert learned(weight_training.map_locally) == learned(backwards)


def test_invalid_training_is_refused_with_the_reason(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for words, reason in (
        (("kuhn-poker", "--games", "3"), "invalid value for --games: 3"),
        (("kuhn-poker", "--players", "7"), "for 2 players, not 7"),
        (("kuhn-poker", "-o", "nowhere/at/all.json"), "there is no folder `nowhere/at`"),
        (("pig", "--bot", "search"), "the bot `search` cannot be trained"),
        (("pig", "--bot", "greedy", "--games", "100", "--from", "start.json"), "--from names a network"),
        (("pig", "--bot", "learned", "--games", "100", "--from", "missing.json"), "missing.json"),
    ):
        with subtests.test(words=words):
            ran = run_kingsburg(tmp_path, "train", *words)
            assert ran.returncode == 2, ran.stderr
            assert (reason in ran.stderr or "needs native code" in ran.stderr) and "help:" in ran.stderr
    assert not [*tmp_path.glob("*.json")]


@NATIVE
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is a thing of Linux")
def test_weights_are_printed_if_the_disk_is_full(tmp_path: Path) -> None:
    ran = run_kingsburg(tmp_path, "train", "kuhn-poker", "--games", "50", "-o", "/dev/full")
    assert ran.returncode == 2
    assert "/dev/full: No space left" in ran.stderr and "make room" in ran.stderr and "Traceback" not in ran.stderr
    assert Weights.from_json(ran.stdout).game == "kuhn-poker"


# --- features -------------------------------------------------------------------------------------------


def make_kind(name: str, things: int) -> str:
    return f'kind {name} "{name}/{name}s"\n' + "".join(f'{name} {name}-{i} "{name} {i}"\n' for i in range(things))


KEEPS = """
keep day as number from 0 to 11
keep hour as number from 0 to 12
keep week as number from 1 to 3 starting at 1
keep raining as truth
keep enemy as hut or none
keep guest as cow or none
keep thief as cat or none
keep open of dog as number from 0 to 1
keep shut of rat as number from 0 to 1
keep visits of hut by player as number from 0 to 5
keep owned of player as set of hut
keep crown as player or none
keep praise of player by cow as number
keep blame of player by cat as number
"""
SIZES = {"hut": 2, "cow": 64, "cat": 65, "dog": 32, "rat": 33}


def test_features_are_numbers_few_values_each_and_at_most_sixty_four_of_a_variable() -> None:
    program = compile_program("".join(make_kind(name, size) for name, size in SIZES.items()) + KEEPS)
    around, own = (
        [name for place in places(program) for name in place.names]
        for places in (list_table_features, list_player_features)
    )
    assert around == [
        *("players", "phase: trial-run", *(f"day: {i}" for i in range(12)), "hour", "week", "raining"),
        *("enemy: hut-0", "enemy: hut-1", *(f"guest: cow-{i}" for i in range(64))),
        *(f"open[dog-{i}]: {value}" for i in range(32) for value in range(2)),
    ]
    assert own[own.index("visits[hut-0]") :] == [
        *("visits[hut-0]", "visits[hut-1]", "owned: hut-0", "owned: hut-1", "crown"),
        *(f"praise[cow-{i}]" for i in range(64)),
        "line",
    ]
