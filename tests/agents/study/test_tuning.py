"""Tuning: goals are understood and met, intervals of the whole search hold, and the command answers in full."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from calling import run_kingsburg
from edict.agents.study.bot_games import GameSetup, get_plan
from edict.agents.study.inference import ALARM
from edict.agents.study.tuning import (
    FIRST_GAMES,
    MET,
    MISSED,
    OPEN,
    TunedValue,
    Tuning,
    describe_tuning,
    summarize_tuning,
)
from edict.agents.study.tuning_goals import GoalError, parse_goal
from edict.compiler.pipeline.compile import compile_rules
from edict.support.processes.distribution import start_inline


def pig(goal: int) -> GameSetup:
    return GameSetup(compile_rules("pig").unwrap(), ("random", "random"), (("goal", goal),), 1)


def tune_pig(values: list[int], *goals: str, games: int = 1000) -> Tuning:
    """Search for the setting of Pig among values."""
    setups = [pig(value) for value in values]
    parsed = [tuple(parse_goal(goal, get_plan(setup), "") for goal in goals) for setup in setups]
    search = Tuning([TunedValue((v,), s, p) for v, s, p in zip(values, setups, parsed, strict=True)], games)
    search.run(start_inline, lambda done: None)
    return search


@pytest.mark.parametrize(
    ("text", "low", "high", "name"),
    [
        ("built in 25 to 40 % of games", 25, 40, "Embassy held at the end, of games"),
        ("the Inn is built by at least 10 % of players", 10, inf, "Inn held at the end, of players"),
        ("win difference within 2 points", -2, 2, "win difference with Embassy"),
        ("Embassy taken when offered at most 50 %", -inf, 50, "Embassy taken when offered"),
        ("score per player between 40 and 45", 40, 45, "score per player"),
        ("winning score at least 50", 50, inf, "winning score"),
        ("win difference by seat within 1.5 points", -1.5, 1.5, "win difference of place 1"),
        ("length 200 to 250", 200, 250, "choices per game"),
    ],
)
def test_goal_names_a_measure_and_a_range(text: str, low: float, high: float, name: str) -> None:
    plan = get_plan(GameSetup(compile_rules("kingsburg").unwrap(), ("random",) * 3))
    goal = parse_goal(text, plan, "Embassy")
    assert (goal.low, goal.high, goal.measures[0].name) == (low, high, name)
    assert len(goal.measures) == (3 if "seat" in text else 1)


@pytest.mark.parametrize("text", ["built often", "win difference 3", "beauty within 3", "built in 25 to 40 % of games"])
def test_unknown_goal_says_how_to_write_one(text: str) -> None:
    with pytest.raises(GoalError) as caught:
        parse_goal(text, get_plan(pig(100)), "")
    assert caught.value.remedy


def test_search_finds_the_value_and_drops_what_cannot_meet_the_goals() -> None:
    search = tune_pig([40, 90, 140], "length 45 to 52")
    assert search.best.values == (90,)
    assert [search.judge(arm) for arm in search.arms] == [MISSED, MET, MISSED]
    assert [arm.totals.games for arm in search.arms] == [FIRST_GAMES] * 3, "all was clear at the first look"


def test_better_half_plays_on_until_the_budget_is_spent() -> None:
    search = tune_pig([100, 101, 102, 103], "length 52.9 to 53.1", games=2000)
    games = sorted(arm.totals.games for arm in search.arms)
    assert games[0] == FIRST_GAMES and games[-1] > FIRST_GAMES
    assert search.done == sum(games)


def test_alarm_is_divided_among_values_measures_and_looks() -> None:
    search = tune_pig([40, 140], "length 1 to 2", "win difference by seat within 5 points")
    assert 1 - search.level == pytest.approx(ALARM / (2 * 3 * len(search.looks)))


def test_same_values_play_the_same_games_for_any_pieces() -> None:
    one, other = tune_pig([60], "length 1 to 500"), tune_pig([60, 90], "length 1 to 500")
    assert one.arms[0].totals == other.arms[0].totals


def test_unreachable_goal_is_said_with_the_nearest_value() -> None:
    search = tune_pig([40, 90], "length 200 to 300")
    data = summarize_tuning(search, {"numbers": [{"phrase": "goal"}]})
    (said,) = describe_tuning(data)
    assert said.startswith("No value meets every goal, with 95 % confidence over the whole search. goal = 90")


def test_open_value_says_how_many_games_would_do() -> None:
    search = tune_pig([100], "win difference by seat within 4 points", games=200)
    assert search.judge(search.best) in (OPEN, MISSED)
    narrow = replace(search.arms[0].goals[0], low=-20.0, high=20.0)
    search.arms[0].goals = (narrow,)
    assert search.needed_games(search.arms[0]) > 0


def test_command_answers_with_value_curve_and_diff(tmp_path: Path) -> None:
    page = tmp_path / "pig.html"
    call = ("tune", "pig", "goal", "60..120..30", "--until", "length 45 to 52", "--bots", "random", "--players", "2")
    ran = run_kingsburg(tmp_path, *call, "--workers", "1", "--html", str(page), "--format", "json")
    assert ran.returncode == 0, ran.stderr
    data = json.loads(ran.stdout)
    assert data["format"] == "edict tuning 1" and data["best"] == [90]
    assert data["diff"][-2:] == [
        '-setting goal "Points to win" is 100 from 2 to 900',
        '+setting goal "Points to win" is 90 from 2 to 900',
    ]
    text = page.read_text(encoding="utf-8")
    assert "choices per game" in text and "goal = 90" in text


def test_two_numbers_give_a_map(tmp_path: Path) -> None:
    page = tmp_path / "map.html"
    call = ("tune", "pig", "goal", "60,90", "sides of die", "4,6", "--until", "length 45 to 52", "--bots", "random")
    ran = run_kingsburg(tmp_path, *call, "--players", "2", "--workers", "1", "--html", str(page))
    assert ran.returncode == 0, ran.stderr
    assert "goal = 90, sides of die = 6" in ran.stdout
    assert "goal ↓ sides of die →" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("number", "values", "reason"),
    [
        ("players", "2..4", "may be any of 2 numbers"),
        ("salary", "2..4", "no number in the rules is described by"),
        ("goal", "4..2", "is not a range"),
        ("goal", "1..3", "the rules do not allow goal = 1"),
    ],
)
def test_wrong_calls_are_explained(tmp_path: Path, number: str, values: str, reason: str) -> None:
    ran = run_kingsburg(tmp_path, "tune", "pig", number, values, "--until", "length 1 to 2")
    assert ran.returncode == 2 and reason in ran.stderr and "help: " in ran.stderr
