"""Plans: how they are read, what they make of a bot, and how far they could be followed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from edict.agents.bots.plan_guides import build_guides
from edict.agents.study.bot_games import (
    BotSeats,
    GameRange,
    GameSetup,
    derive_seeds,
    get_plan,
    play_bot_games,
    play_range,
)
from edict.agents.study.comparison import LESS, MORE, Comparison
from edict.agents.study.plan_report import Data, report_plans
from edict.agents.study.study_run import make_study_format
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.plan_options import load_plans
from edict.compiler.pipeline.plan_compiler import FORM, PlanError, compile_plans
from edict.compiler.sources.module_set import gather_modules
from edict.game.table.rules import load_rules
from edict.runtime.simulation import native
from edict.runtime.simulation.counting_layout import SHARE
from edict.support.processes.distribution import start_inline
from edict.support.report import Diagnostic
from edict.support.request_errors import RequestError
from edict.support.text import Source

needs_native = pytest.mark.skipif(not native.is_available(), reason="native code is not installed")


def plan_first_seat(game: str, text: str, players: int = 2, bot: str = "random", seed: int = 1) -> GameSetup:
    """Return a setup in which the first seat follows a plan."""
    program, plans = compile_plans(gather_modules(game).unwrap(), [Source("my.plan", text)]).unwrap()
    return GameSetup(program, (bot,) * players, (), seed, (plans[0], *([None] * (players - 1))))


def find_mistake(game: str, text: str) -> Diagnostic:
    """Return the only diagnostic of a plan."""
    (diagnostic,) = compile_plans(gather_modules(game).unwrap(), [Source("my.plan", text)]).diagnostics
    return diagnostic


def find_line(report: list[Data], number: int) -> Data:
    """Return what is reported of a line of the only plan."""
    return next(line for line in report[0]["lines"] if line["line"] == number)


# --- reading -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem", "remedy"),
    [
        ("frst jade-palace", "my.plan:1: no line of a plan begins with `frst`", "did you mean `first`?"),
        (
            "\n# nothing\n",
            "my.plan:1: the plan is empty",
            FORM,
        ),
        ("prefer ruby when", "my.plan:1: nothing follows `when`", "write a name, an option in quotes, or a condition"),
        (
            "avoid ruby, then opal",
            "my.plan:1: `then` follows `first` only, not `avoid`",
            "write another line, `avoid ...`",
        ),
    ],
)
def test_plan_with_a_wrong_line_is_refused_with_its_place(text: str, problem: str, remedy: str) -> None:
    with pytest.raises(PlanError) as refused:
        compile_plans(gather_modules("gem-fair").unwrap(), [Source("my.plan", text)])
    assert (refused.value.reason, refused.value.remedy) == (problem, remedy)


def test_mistake_in_a_target_is_reported_at_its_place_in_the_plan() -> None:
    found = find_mistake("gem-fair", "# my plan\nprefer opal; first jade-palce\n")
    assert (found.title, found.help) == ("unknown name `jade-palce`", "did you mean `jade-palace`?")
    assert (found.span.file, found.span.line, found.span.column, found.span.end_column) == ("my.plan", 2, 20, 30)


def test_condition_of_a_plan_must_be_yes_or_no() -> None:
    found = find_mistake("gem-fair", "prefer opal when jade\n")
    assert found.title == "a condition takes yes or no, but this is a resource"
    assert (found.span.line, found.span.column) == (1, 18)


def test_unknown_title_of_an_option_is_refused_with_the_nearest() -> None:
    setup = plan_first_seat("pig", 'prefer "Hald"')
    with pytest.raises(RequestError) as refused:
        build_guides(setup.program, setup.plans)
    assert (refused.value.reason, refused.value.remedy) == (
        'no option is called "Hald" (line 1 of the plan)',
        'did you mean "Hold"?',
    )


def test_plan_for_things_that_nobody_chooses_is_refused_with_those_that_are_chosen() -> None:
    setup = plan_first_seat("kingsburg", "never B", players=4)
    with pytest.raises(RequestError) as refused:
        build_guides(setup.program, setup.plans)
    assert refused.value.reason == "nobody chooses a row (line 1 of the plan)"
    assert refused.value.remedy == "name things that are chosen, of the kind advisor or building"


# --- following ---------------------------------------------------------------------------------------


def test_plan_decides_the_option_that_it_names() -> None:
    setup = plan_first_seat("pig", 'prefer "Hold" when turn-points >= 20; prefer "Roll"')
    games = 40
    wins = play_range(setup, GameRange(0, games)).counted.sums[0] / SHARE
    assert wins > 0.9 * games, "holding at 20 hardly ever loses to chance"


@needs_native
@pytest.mark.parametrize(
    ("game", "plan"),
    [
        ("gem-fair", "first jade-palace; never workshops where makes of it is opal; avoid ruby until point of you > 2"),
        ("pig", 'prefer "Hold" when turn-points >= 20; prefer "Roll"'),
        ("kuhn-poker", 'prefer "Bet" when hand of you is king; prefer "Fold" unless hand of you is king'),
    ],
)
def test_games_with_a_plan_are_equal_natively_and_interpreted(game: str, plan: str) -> None:
    setup = plan_first_seat(game, plan, bot="random")
    policies, seeds = setup.policies, [5, 6]
    ends, _ = native.play_batch(setup.program, 2, seeds, policies=policies)
    for seed, end in zip(seeds, ends.tolist(), strict=True):
        state, _ = native.play_one(setup.program, 2, seed, policies=policies)
        assert state[: setup.program.working] == end[: setup.program.working]


def test_games_with_a_plan_are_equal_in_a_batch_and_one_by_one() -> None:
    setup, games = plan_first_seat("gem-fair", "first jade-palace", bot="greedy"), GameRange(0, 5)
    together = play_range(setup, games, keep=True).counted
    seats = BotSeats(setup.program, setup.bots, setup.plans)
    alone = play_bot_games(
        get_plan(setup), games.numbers, derive_seeds(setup, games), {}, setup.bots, players=seats
    ).counted
    assert [list(row) for row in together.rows] == alone.rows


def test_plan_of_kingsburg_reaches_what_no_bot_builds_by_itself() -> None:
    setup = plan_first_seat("kingsburg", "first farms, then market", players=4, bot="greedy")
    report = report_plans(setup, 30)
    farms = next(line for line in report[0]["lines"] if line["text"] == "first farms")
    assert farms["reached"]["value"] > 0.4
    assert {lack["what"] for lack in farms["lacks"]} <= {
        "gold",
        "wood",
        "stone",
        "you do not own all buildings to its left",
    }


def test_preferred_resource_is_gained_and_may_be_spent() -> None:
    report = report_plans(plan_first_seat("gem-fair", "prefer ruby\nprefer count of owned of you", bot="greedy"), 20)
    assert find_line(report, 1)["decided"] > 0
    assert find_line(report, 2)["decided"] > 0, "buying costs rubies, and is left to the next line"


def test_plan_that_cannot_be_followed_says_so() -> None:
    text = 'prefer "Fold" when hand of you is jack\nprefer "Bet" when stake > 3\navoid "Bet"\nfirst chip of you > 3\n'
    report = report_plans(plan_first_seat("kuhn-poker", text), 30)
    assert find_line(report, 1)["said"].startswith("decided ")
    assert find_line(report, 2)["said"] == "never applied: its condition never held when there was a choice"
    assert find_line(report, 3)["said"].startswith("decided ")
    assert find_line(report, 4)["said"].startswith("reached in 0 % of games; when not, missing at the end: ")


def test_plan_that_names_what_is_never_offered_says_so() -> None:
    report = report_plans(plan_first_seat("gem-fair", "prefer workshops where worth of it > 5"), 5)
    assert find_line(report, 1)["said"].startswith("never offered, in ")


def test_plan_guides_a_searching_bot_too() -> None:
    setup = plan_first_seat("kuhn-poker", 'avoid "Bet"; avoid "Call"', bot="flat@4")
    assert setup.policies is None
    assert find_line(report_plans(setup, 3), 1)["named"] == 0


# --- from the command line ---------------------------------------------------------------------------


def test_plan_file_is_read_relative_to_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hold.plan").write_text('prefer "Hold"\n')
    _, plans = load_plans(load_rules("pig"), ["2=hold.plan"], 2)
    assert [plan and plan.name for plan in plans] == [None, "hold.plan"]
    with pytest.raises(UsageError, match="there is no seat `ann`"):
        load_plans(load_rules("pig"), ["ann=hold.plan"], 2)
    with pytest.raises(UsageError, match=r"the plan other\.plan cannot be read"):
        load_plans(load_rules("pig"), ["other.plan"], 2)


def test_plan_is_typed_in_place_of_its_file_for_all_seats_of_a_bot() -> None:
    text = 'prefer "Hold" when turn-points >= 20'
    for typed, seats in ((text, [0]), (f"2={text}", [1]), (f"greedy={text}", [1, 2])):
        _, plans = load_plans(load_rules("pig"), [typed], 3, ("random", "greedy", "greedy"))
        assert [seat for seat, plan in enumerate(plans) if plan] == seats
        assert {plan.name for plan in plans if plan} == {text}


def test_comparison_gives_the_planned_seat_a_share_of_wins_of_its_own() -> None:
    setup = plan_first_seat("pig", 'prefer "Hold" when turn-points >= 20; prefer "Roll"')
    comparison = Comparison(replace(setup, plans=()), setup, 200)
    comparison.run(start_inline, lambda pairs: None)
    answers = {answer.question.name: answer for answer in comparison.evaluate()}
    assert answers["win share of random with the plan"].verdict == MORE
    assert answers["win share of random"].verdict == LESS


def test_plan_in_two_seats_is_read_once_and_other_seats_make_another_study(tmp_path: Path) -> None:
    file = tmp_path / "hold.plan"
    file.write_text('prefer "Hold"\n', encoding="utf-8")
    program, plans = load_plans(load_rules("pig"), [f"1={file}", f"2={file}"], 3)
    assert plans[0] is plans[1] is not plans[2] is None
    both = GameSetup(program, ("random",) * 3, plans=plans)
    assert make_study_format(both).identity != make_study_format(replace(both, plans=(plans[0], None, None))).identity


def test_games_between_bots_do_not_load_the_compiler() -> None:
    code = "import sys, edict.agents.study.bot_games; print('edict.compiler.pipeline.pipeline' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
