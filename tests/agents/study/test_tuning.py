"""Tuning: goals are understood and met, intervals of the whole search hold, and the command answers in full."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from calling import run_kingsburg
from edict.agents.study import retraining
from edict.agents.study.bot_games import GameSetup, get_plan
from edict.agents.study.inference import ALARM
from edict.agents.study.retraining import ALWAYS, AUTO, NEVER, find_network, select_values
from edict.agents.study.tuning import (
    FIRST_GAMES,
    MET,
    MISSED,
    OPEN,
    TunedValue,
    Tuning,
    describe_retraining,
    describe_tuning,
    find_untrained,
    summarize_tuning,
)
from edict.agents.study.tuning_goals import GoalError, parse_goal
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.simulation import native
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


def test_results_are_written_as_rows_that_plotting_libraries_read(tmp_path: Path) -> None:
    arguments = ("--games", "100", "-o", "curve.csv", "--bots", "random")
    done = run_kingsburg(tmp_path, "tune", "pig", "goal", "40,90", "--until", "length 45 to 52", *arguments)
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "curve.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["number"], row["value"], row["games"]) for row in rows] == [
        ("goal", "40", "100"),
        ("goal", "90", "100"),
    ]
    assert all(float(row["low"]) <= float(row["measured"]) <= float(row["high"]) for row in rows)
    assert all(
        (row["measure"], row["wanted from"], row["wanted to"]) == ("choices per game", "45.0", "52.0") for row in rows
    )
    plan = 'prefer "Hold" when turn-points >= 15'
    arguments = ("--games", "100", "--bots", "random", "-o", "pairs.csv")
    done = run_kingsburg(tmp_path, "compare", "pig", "--plan-b", plan, *arguments)
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "pairs.csv", newline="") as file:
        wins = next(row for row in csv.DictReader(file) if row["about"] == "wins")
    assert float(wins["low"]) <= float(wins["second"]) - float(wins["first"]) <= float(wins["high"])


# --- retraining ------------------------------------------------------------------------------------

needs_native = pytest.mark.skipif(not native.is_available(), reason="native code is not installed")


def test_values_to_retrain_are_others_than_the_present_the_farthest_first() -> None:
    values = [(number,) for number in range(12)]
    assert select_values((3,), values[:6], AUTO) == [0, 1, 2, 4, 5]
    assert select_values((3,), values, AUTO) == [0, 1, 6, 7, 8, 9, 10, 11], "at most eight"
    assert select_values((3,), values, ALWAYS) == list(range(12))
    assert select_values((3,), values, NEVER) == []


def test_only_bots_with_one_network_are_retrained() -> None:
    program = compile_rules("kingsburg").unwrap()
    assert find_network(GameSetup(program, ("greedy", "random"))) is None
    assert find_network(GameSetup(compile_rules("pig").unwrap(), ("learned", "learned"))) is None
    if native.is_available():
        assert find_network(GameSetup(program, ("learned", "greedy"))) is not None


def tune_years(monkeypatch: pytest.MonkeyPatch, mode: str, values: tuple[int, ...] = (1, 2)) -> Tuning:
    """Search for a number of years of Kingsburg after a tiny training, with one year as the present value."""
    monkeypatch.setattr(retraining, "TRAINING_GAMES", 100)
    monkeypatch.setattr(retraining, "TEST_GAMES", 40)
    program = compile_rules("kingsburg").unwrap()
    setups = [GameSetup(program, ("learned", "learned"), (("years", value),), 1) for value in values]
    goals = [(parse_goal("winning score at least 90", get_plan(setup), ""),) for setup in setups]
    arms = [TunedValue((v,), s, g) for v, s, g in zip(values, setups, goals, strict=True)]
    search = Tuning(arms, 20, (1,), mode)
    search.run(start_inline, lambda done: None)
    return search


@needs_native
def test_retrained_bots_play_where_they_win_more_and_the_report_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    search = tune_years(monkeypatch, AUTO)
    present, changed = search.arms
    assert present.retraining is None and present.setup.network is None
    assert changed.retraining is not None and changed.retraining.wins.sample_size == 40
    assert changed.retraining.is_used == (changed.retraining.wins.low > changed.retraining.even)
    assert (changed.setup.network is not None) == changed.retraining.is_used
    facts = {"numbers": [{"phrase": "years", "current": 1}], "notes": []}
    notes = summarize_tuning(search, facts)["notes"]
    assert notes[0] == (
        "`learned` was trained 100 games further with this value, and then played against itself before."
    )
    assert notes[1].startswith("At 2 the trained bots play" if changed.retraining.is_used else "At 2 the bots play as")


@needs_native
def test_forced_retraining_uses_the_trained_network_and_shows_the_measures_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search = tune_years(monkeypatch, ALWAYS)
    assert all(arm.retraining is not None and arm.setup.network is not None for arm in search.arms)
    assert all(arm.untrained is not None and arm.untrained.totals.games == 20 for arm in search.arms)
    data = summarize_tuning(search, {"numbers": [{"phrase": "years", "current": 1}]})
    assert all(len(value["retrained"]["before"][0]) == 1 for value in data["values"])
    assert describe_retraining(data)[1].startswith("At 1 and 2 the trained bots play, which won ")
    assert all(find_untrained(value, 0, 0) for value in data["values"])
    again = tune_years(monkeypatch, ALWAYS)
    assert [arm.totals.winning for arm in again.arms] == [arm.totals.winning for arm in search.arms]


@needs_native
def test_forbidden_retraining_plays_by_the_networks_that_ship(monkeypatch: pytest.MonkeyPatch) -> None:
    search = tune_years(monkeypatch, NEVER)
    assert all(arm.retraining is None and arm.setup.network is None for arm in search.arms)
    assert describe_retraining(summarize_tuning(search, {"numbers": [{"phrase": "years", "current": 1}]})) == []


def test_unknown_way_to_retrain_and_bots_that_cannot_learn_are_refused(tmp_path: Path) -> None:
    arguments = ("tune", "pig", "goal", "40,90", "--until", "length 45 to 52", "--games", "20")
    done = run_kingsburg(tmp_path, *arguments, "--retrain", "allways")
    assert done.returncode == 2 and "did you mean `always`?" in done.stderr
    done = run_kingsburg(tmp_path, *arguments, "--retrain", "always")
    assert done.returncode == 2 and "none of these bots has a network that could be trained" in done.stderr
