"""Weights of features: those that ship, those in files, and how they are learned."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import edict
from calling import kingsburg
from edict.agents.bots import policy_of, training
from edict.agents.bots.features import places
from edict.agents.bots.weights import Weights, read_weights, shipped_weights
from edict.agents.study.bot_games import Setup
from edict.agents.study.league_play import play
from edict.compiler.sources.file_schemas import fixed_schema
from edict.game.table.game_errors import GameError
from edict.runtime.simulation import native
from edict.support import resources

NATIVE = pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
SHIPPED = sorted(resources.shipped_folder().glob("[rm]*/**/weights.json"))


def test_shipped_weights_are_what_the_schema_says_and_are_for_these_rules() -> None:
    for file in SHIPPED:
        text = file.read_text(encoding="utf-8")
        jsonschema.validate(json.loads(text), fixed_schema("weights"))
        weights = Weights.from_json(text)
        assert Weights.from_json(weights.to_json()) == weights
        program = edict.load(weights.game, weights.modules[1:]).program
        names = {name for place in places(program) for name in place.names}
        assert set(weights.careful.features) <= names, f"{file} was learned with other rules: train anew"
        assert weights.command.startswith("kingsburg train")


def test_what_a_module_adds_has_the_weights_beside_it_and_all_else_those_of_the_game() -> None:
    """What a module takes away is not missed, and what nobody weighed counts nothing."""
    base = shipped_weights(edict.load("kingsburg").program)
    program = edict.load("kingsburg", ["governors", "destiny"]).program
    court = shipped_weights(program)
    beside = Weights.from_json(
        (resources.shipped_folder() / "modules/governors/weights.json").read_text(encoding="utf-8")
    )
    assert base is not None and court is not None
    assert court.careful.features["visits[secretary]"] == beside.careful.features["visits[secretary]"]
    assert court.careful.features["gold"] == base.careful.features["gold"] != beside.careful.features["gold"]
    assert "visits[secretary]" not in base.careful.features
    assert court.careful.judge == base.careful.judge
    for played in (program, edict.load("kingsburg", ["alternate-rows"]).program):
        assert play(Setup(played, ("greedy", "random"), (), 3), [0])[0].scores[0] != 0


def test_files_that_hold_no_weights_or_those_of_another_game_are_refused(tmp_path: Path) -> None:
    file, program = tmp_path / "weights.json", edict.load("pig").program
    for text, reason in (
        ("{", "line 1"),
        ("[]", "not a file of weights"),
        ("{}", "`format` is missing"),
        ('{"format": 9}', "format is 9"),
        ('{"format": 1, "game": "pig"}', "`rules` is missing"),
    ):
        file.write_text(text)
        with pytest.raises(GameError, match="not a file of weights") as told:
            read_weights(file, program)
        assert reason in str(told.value) and told.value.remedy
    shipped = resources.shipped_folder() / "rules" / "weights.json"
    with pytest.raises(GameError, match="for kingsburg, not for pig"):
        read_weights(shipped, program)
    weights = json.loads(shipped.read_text(encoding="utf-8"))
    for wrong in ([1, 2, 3], [1, 2, 3, 1e99], [1, 2, 3, "x"], [True, 0, 0, 0]):
        weights["careful"]["features"]["gold"] = wrong
        with pytest.raises(GameError, match="`gold` must have 4 numbers"):
            Weights.from_json(json.dumps(weights))


@NATIVE
def test_learned_weights_beat_the_rules_own_judgement() -> None:
    """Over 1,000 games it was 36 % of them, where 25 % would be even; see docs/opponents.md."""
    program = edict.load("kingsburg").program
    greedy, judge = policy_of(program, "greedy", 4), policy_of(program, "judge", 4)
    assert greedy is not None and judge is not None
    assert training.share_of_wins(program, [greedy, judge, judge, judge], 120, seed=0)[0] > 0.28


# --- learned


@NATIVE
def test_what_is_learned_does_not_depend_on_who_plays() -> None:
    def learned(spread: training.Spread) -> list[float]:
        course = training.lesson(training.LessonPlan(edict.load("pig").program, 2, 50, 2, 4, 1))
        assert list(training.learn(course, spread))[-1] == course.played
        return [float(weight) for weight in course.swift]

    def backwards(work: Callable[[int], Any], numbers: Iterable[int]) -> Iterator[tuple[int, Any]]:
        yield from ((number, work(number)) for number in reversed(list(numbers)))

    assert learned(training.here) == learned(backwards)


def test_training_that_cannot_be(tmp_path: Path) -> None:
    for words, reason in (
        (("kuhn-poker", "--games", "3"), "invalid value for --games: 3"),
        (("kuhn-poker", "--players", "7"), "for 2 players, not 7"),
        (("kuhn-poker", "-o", "nowhere/at/all.json"), "there is no folder `nowhere/at`"),
        (("pig", "--bot", "search"), "the bot `search` cannot be trained"),
        (("pig", "--bot", "greedy", "--games", "100", "--from", "start.json"), "--from names a network"),
        (("pig", "--bot", "learned", "--games", "100", "--from", "missing.json"), "missing.json"),
    ):
        ran = kingsburg(tmp_path, "train", *words)
        assert ran.returncode == 2, ran.stderr
        assert (reason in ran.stderr or "needs native code" in ran.stderr) and "help:" in ran.stderr, words
    assert not [*tmp_path.glob("*.json")]


@NATIVE
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is a thing of Linux")
def test_weights_for_which_there_is_no_room_are_not_lost(tmp_path: Path) -> None:
    ran = kingsburg(tmp_path, "train", "kuhn-poker", "--games", "50", "-o", "/dev/full")
    assert ran.returncode == 2
    assert "/dev/full: No space left" in ran.stderr and "make room" in ran.stderr and "Traceback" not in ran.stderr
    assert Weights.from_json(ran.stdout).game == "kuhn-poker"
