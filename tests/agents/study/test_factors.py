"""What goes with winning besides options: the order of turns, leads, groups of things, and how sure it is."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from edict.agents.study.bot_games import GameRange, GameSetup, play_range
from edict.agents.study.charts import build_line_chart, draw_bar, draw_interval
from edict.agents.study.factors import list_factors
from edict.agents.study.inference import apply_holm, compare_shares, compute_p_value, estimate_slope
from edict.agents.study.reports import render_study
from edict.agents.study.summary import summarize_study
from edict.agents.study.totals import sum_games
from edict.apps.cli.commands.study import print_study
from edict.compiler.pipeline.pipeline import build_program
from edict.runtime.program import Program
from edict.support.translations import use_language
from helpers import make_module

RACE = """
resource point "point/points"
keep turn-order as order of player, quiet
kind shade "shade"
shade bright "Bright"
shade dark "Dark"
kind gem "gem/gems"
  shade shade
  size number from 1 to 9
gem ruby "Ruby"
  shade bright
  size 1
gem opal "Opal"
  shade bright
  size 2
gem onyx "Onyx"
  shade dark
  size 3
gem jet "Jet"
  shade dark
  size 4
keep owned "gems" of player as set of gem, quiet

game race "Race"
  players 3 to 3
  order turn-order
  winners players with most point of it
  score point of you
  course
    each player
      choose a gem as taken
      add taken to owned of you
    repeat 4 times
      play lap

phase lap "Lap"
  play bend
  play finish

phase bend "Bend"
  shuffle turn-order
  each player
    choose a gem as taken
    add taken to owned of you

phase finish "Finish"
  each player in (last of turn-order)
    gain 1 point
  each player
    choose one "Wave?"
      option "Yes"
        nothing
      option "No"
        nothing
"""


def study_race(games: int = 400, program: Program | None = None) -> dict[str, Any]:
    setup = GameSetup(program or build_program((make_module(RACE),)).unwrap(), ("random",) * 3, (), 1)
    return summarize_study(setup, sum_games(setup, play_range(setup, GameRange(0, games))), games)


@pytest.fixture(scope="module")
def race() -> dict[str, Any]:
    """The study of a game in which whoever is last in a bend gets the point of the lap."""
    return study_race()


def test_turns_are_counted_in_the_phase_that_sets_their_order(race: dict[str, Any]) -> None:
    assert race["turns"]["names"] == ["Bend"]
    shares = [place["win_share"]["value"] for place in race["turns"]["places"]]
    assert sum(shares) == pytest.approx(1) and shares[2] > 0.45 > shares[0]
    assert race["turns"]["places"][2]["difference"]["significant"]
    assert any("who goes last in Bend wins " in sentence for sentence in race["said"])


def test_scores_and_leads_are_summed_at_the_end_of_each_round(race: dict[str, Any]) -> None:
    """One point a lap: a third each on average; at first whoever has it leads alone, in the end leaders are winners."""
    course = race["course"]
    assert [step["score"]["value"] for step in course] == pytest.approx([1 / 3, 2 / 3, 1, 4 / 3])
    assert all(sum(step["led"]) == pytest.approx(1) for step in course)
    leaders_win = [step["leaders_win"]["value"] for step in course]
    assert leaders_win[3] > leaders_win[0] > 0.4
    winners = sum(int(score) * count for score, count in race["winning_score"]["counts"].items())
    assert course[3]["winners"] == pytest.approx(winners / sum(race["winning_score"]["counts"].values()), abs=0.2)


def test_groups_follow_from_fields_with_few_values(race: dict[str, Any]) -> None:
    """The size differs for every gem, so that it groups nothing."""
    (group,) = race["grouped"]
    assert (group["title"], group["of"]) == ("gems by shade", "gem")
    held = {option["option"]: option["often"] for option in race["held"][0]["options"]}
    often = {option["option"]: option["often"] for option in group["options"]}
    assert often == pytest.approx({"Bright": held["Ruby"] + held["Opal"], "Dark": held["Onyx"] + held["Jet"]})
    for option in group["options"]:
        assert sum(seats["of"] for seats in option["times"].values()) == 3 * 400


def test_rules_that_never_set_the_order_have_no_turns() -> None:
    program = build_program((make_module(RACE.replace("  shuffle turn-order\n", "")),)).unwrap()
    data = study_race(50, program)
    assert data["turns"] == {"names": [], "places": []} and "in Bend" not in " ".join(data["said"])
    assert list_factors(data)[0].title == "After each lap"


def test_games_that_all_win_or_lose_together_have_no_factors(race: dict[str, Any]) -> None:
    assert list_factors({**race, "seats": [{**seat, "wins": 7} for seat in race["seats"]], "shared": 7}) == []
    assert list_factors({**race, "players": 1}) == []


def test_each_factor_is_a_table_and_a_chart(race: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    print_study(race)
    printed = capsys.readouterr().out
    page = render_study(race)
    for title in ("By place in the turn order of each Bend", "After each lap", "Gems by shade"):
        assert title in printed
    for label in ("Mean score after each lap", "Win share of leaders by round"):
        assert f'aria-label="{label}"' in page
    assert "3 (last)" in printed and "3 (last)" in page


def test_verdict_about_turns_is_translated(race: dict[str, Any]) -> None:
    with use_language("de"):
        assert "wer in Bend als Letztes dran ist, gewinnt" in " ".join(study_race()["said"])


# --- statistics


def test_holm_rejects_in_steps_and_stops(subtests: pytest.Subtests) -> None:
    """The example of many textbooks: 0.05 / 4, then / 3, then / 2."""
    for p_values, expected in (
        ([0.01, 0.04, 0.03, 0.005], [True, False, False, True]),
        ([0.04], [True]),
        ([0.03, 0.03], [False, False]),
        ([0.5, 0.001], [False, True]),
        ([], []),
    ):
        with subtests.test(p_values=p_values):
            assert apply_holm(p_values) == expected


def test_p_values_agree_with_the_normal_distribution() -> None:
    assert compute_p_value(1.0, 1.0) == pytest.approx(0.05) and compute_p_value(0.0, 1.0) == 1.0
    assert compute_p_value(1.0, 0.0) == 1.0, "an interval of no width is that of a single value"
    # 30 of 100 against 45 of 100: z = 0.15 / sqrt(0.375 * 0.625 * 0.02)
    assert compare_shares(30, 100, 45, 100) == pytest.approx(0.02845, abs=1e-4)
    assert compare_shares(5, 5, 7, 7) == 1.0


def test_slope_is_that_of_least_squares() -> None:
    random = Random(4)
    numbers = [random.randrange(4) for _ in range(4000)]
    wins = [random.random() < 0.2 + 0.1 * number for number in numbers]
    groups = [
        (value, sum(won for number, won in zip(numbers, wins, strict=True) if number == value), numbers.count(value))
        for value in range(4)
    ]
    slope = estimate_slope(groups)
    assert slope is not None and slope.low < 0.1 < slope.high and slope.high - slope.low < 0.06
    mean, share = sum(numbers) / 4000, sum(wins) / 4000
    covariance = sum((number - mean) * (won - share) for number, won in zip(numbers, wins, strict=True))
    assert slope.value == pytest.approx(covariance / sum((number - mean) ** 2 for number in numbers))
    assert estimate_slope([(2, 5, 10)]) is None, "all players had as many"


# --- characters and lines


def test_text_charts_show_intervals_and_bars() -> None:
    low, high = {"value": 0.0, "low": -1.0, "high": 1.0}, {"value": 2.0, "low": 1.0, "high": 3.0}
    assert draw_interval(low, [low, high], (0.0, 0.0), 9) == "──●──    "
    assert draw_interval(high, [low, high], (0.0, 0.0), 9) == "  ┊ ──●──"
    assert draw_interval(high, [low, high], (1.0, None), 9) == "    ──●──"
    assert [draw_bar(value, 4.0, 2) for value in (0, 1, 3, 4, -1)] == ["", "▌", "█▌", "██", ""]


def test_line_chart_needs_two_steps_and_has_a_table() -> None:
    assert build_line_chart([("all", [1.0])], "scores", ["Year 1"]) is None
    chart = build_line_chart([("all", [1.0, 3.0]), ("winners", [2.0, 5.0])], "scores", ["Year 1", "Year 2"])
    assert chart is not None and chart.table == [["Year 1", "1.0", "2.0"], ["Year 2", "3.0", "5.0"]]
    assert chart.large.count('class="course course') == 2
