"""Best responses: how a condition is read and watched, what the search finds, and what it says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from calling import run_kingsburg
from edict.agents.bots.bot_registry import native_policy
from edict.agents.study.best_response import BestResponse, describe_opponents, summarize_best_response
from edict.agents.study.bot_games import GameRange, GameSetup, derive_seeds
from edict.agents.study.response_goals import CompiledGoal, parse_condition
from edict.agents.study.summary import Data
from edict.apps.cli.plan_options import compile_plan_sources
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.pipeline.compiled_plans import MARK
from edict.game.table.rules import load_rules
from edict.runtime.simulation import native
from edict.runtime.simulation.plans import GREEDY, RANDOM
from edict.support.processes.distribution import start_inline
from edict.support.request_errors import RequestError
from edict.support.text import Source

if not native.is_available():
    pytest.skip("native code is not installed", allow_module_level=True)


def compile_goal(game: str, condition: str, players: int = 2) -> CompiledGoal:
    """Compile a condition with the plans for it."""
    rules = load_rules(game)
    texts = parse_condition(condition, rules.program).list_plans(rules.program, players)
    sources = [Source(f"plan {number}", text) for number, text in enumerate(texts)]
    return CompiledGoal(condition, *compile_plan_sources(rules, sources, marked=True), texts)


def search_response(game: str, condition: str, games: int = 400) -> BestResponse:
    """Return a finished search against a random table."""
    goal = compile_goal(game, condition)
    search = BestResponse(GameSetup(goal.program, ("random", "random"), (), 1), goal, games)
    search.run(start_inline, lambda done: None)
    return search


# --- the condition ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "plan"),
    [
        ("owns farms by year 3", "first farms until year > 3"),
        ("owns inn and market", "first (inn + market)"),
        ("gold > 10", "first gold of you > 10"),
        ("soldiers >= 5 by year 2", "first soldiers of you >= 5 until year > 2"),
        ("won and gold > 3", "first won of you and gold of you > 3"),
        ("gold of you > wood", "first gold of you > wood of you"),
        ("owns buildings where row of it is B", "first buildings where row of it is B"),
    ],
)
def test_condition_becomes_the_goal_of_a_plan(condition: str, plan: str) -> None:
    assert parse_condition(condition, compile_rules("kingsburg").unwrap()).plan == plan


def test_plans_for_things_also_prefer_them_and_begin_later() -> None:
    program = compile_rules("kingsburg").unwrap()
    assert parse_condition("owns farms by year 3", program).list_plans(program, 3) == (
        "first farms until year > 3",
        "prefer farms until year > 3",
        "first farms when year >= 2 until year > 3",
        "first farms when year >= 3 until year > 3",
    )


def test_condition_that_is_no_condition_is_refused() -> None:
    with pytest.raises(RequestError, match="`point` cannot be met or missed"):
        _ = compile_goal("pig", "point").line


# --- watching -----------------------------------------------------------------------------------------


def test_condition_is_put_down_once_it_held_at_any_time() -> None:
    goal = compile_goal("pig", "turn-points > 25")
    cell = goal.watch.get_cell(1)
    greedy = native_policy(goal.program, "greedy", 2)
    assert greedy is not None
    ends, _ = native.play_batch(goal.program, 2, range(40), policies=[greedy, replace(greedy, watch=goal.watch)])
    points = next(variable.base for variable in goal.program.variables if variable.name == "turn-points")
    met = [int(end[cell]) for end in ends]
    assert 0 < sum(met) < 40
    assert not any(end[points] > 25 for end, was_met in zip(ends, met, strict=True) if not was_met)
    assert not any(end[goal.watch.get_cell(0)] for end in ends), "only one seat is watched"


def test_condition_is_watched_equally_in_python() -> None:
    goal = compile_goal("pig", "point > 40")
    policies = [replace(GREEDY, watch=goal.watch), RANDOM]
    ends, _ = native.play_batch(goal.program, 2, range(6), policies=policies)
    assert ends.tolist() == [native.play_one(goal.program, 2, seed, policies=policies)[0] for seed in range(6)]


def test_watched_goal_is_the_state_of_the_game_at_its_end() -> None:
    goal = compile_goal("pig", "point > 60")
    watching = replace(native_policy(goal.program, "greedy", 2) or RANDOM, watch=goal.watch)
    ends, _ = native.play_batch(goal.program, 2, range(40), policies=[watching, RANDOM])
    points, mark = (next(v.base for v in goal.program.variables if v.name == name) for name in ("point", MARK))
    assert [end[points] > 60 for end in ends] == [bool(end[mark]) for end in ends]


# --- the search ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def thrifty() -> BestResponse:
    """The best response that risks much at Pig."""
    return search_response("pig", "turn-points > 30")


def test_search_finds_a_bot_that_meets_the_condition(thrifty: BestResponse) -> None:
    data = summarize_best_response(thrifty)
    assert data["held"]["met"]["value"] > 0.9
    assert data["held"]["met_wins"]["value"] <= data["held"]["wins"]["value"]
    assert data["said"][0].startswith("`turn-points > 30`: at best ") and "against one random" in data["said"][0]
    assert "lower bounds" in data["said"][-1]


def test_better_half_plays_on_and_the_last_one_is_best(thrifty: BestResponse) -> None:
    games = [candidate.games for candidate in thrifty.held]
    best = thrifty.best[True]
    assert best.games == max(games) and min(games) == thrifty.first_look
    assert best.rank(True) >= max(c.rank(True) for c in thrifty.held if c.games == best.games)


def test_choice_with_the_condition_without_it_and_the_result_have_games_of_their_own(thrifty: BestResponse) -> None:
    seeds = {seed for step in range(3) for seed in derive_seeds(thrifty.offset_setup(step), GameRange(0, 400))}
    assert len(seeds) == 1200


def test_final_games_are_as_many_as_wanted_and_added_to_those_of_the_search(thrifty: BestResponse) -> None:
    assert {len(results.wins) for results in thrifty.final.values()} == {thrifty.games}
    assert thrifty.done >= sum(c.games for c in thrifty.held + thrifty.free) + 2 * thrifty.games


def test_condition_that_was_never_met_is_said_with_what_was_missing() -> None:
    data: Data = summarize_best_response(search_response("pig", "point > 1000", 40))
    assert data["said"][0].startswith("No bot that was found ever met `point > 1000` against one random")
    assert "missing at the end of games: (point of you > 1000) (100 %)" in data["said"][0]


def test_few_games_are_too_few_to_train_networks() -> None:
    search = search_response("pig", "turn-points > 30", 4)
    assert not any(candidate.is_trained for candidate in search.held + search.free)
    assert "(judge; each alone" in summarize_best_response(search)["said"][-1]


@pytest.mark.parametrize(
    ("bots", "words"),
    [(["learned"] * 3, "three learned"), (["greedy", "random", "random"], "one greedy and two random"), ([], "nobody")],
)
def test_opponents_are_counted_in_words(bots: list[str], words: str) -> None:
    assert describe_opponents(bots) == words


# --- from the command line ----------------------------------------------------------------------------


def test_study_prints_a_best_response_as_data(tmp_path: Path) -> None:
    words = (
        "study",
        "pig",
        "--players",
        "2",
        "--bots",
        "random",
        "--games",
        "60",
        "--workers",
        "1",
        "--format",
        "json",
    )
    done = run_kingsburg(tmp_path, *words, "--best-response", "turn-points > 30")
    data = json.loads(done.stdout)
    assert (data["format"], data["plan"], data["games"]) == ("edict best-response 1", "first turn-points > 30", 60)


def test_study_refuses_a_best_response_beside_other_reports_and_shows_mistakes(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for words, said in (
        (("--best-response", "point > 3", "--never"), "--best-response is a report of its own"),
        (("--best-response", "pont > 3"), "unknown name `pont`"),
        (("--best-response", "owns riches"), "unknown name `riches`"),
        (("--best-response", "point > 3", "--bots", "search"), "bots that play in native code"),
    ):
        with subtests.test(words=words):
            done = run_kingsburg(tmp_path, "study", "pig", *words)
            assert done.returncode != 0 and said in done.stderr
