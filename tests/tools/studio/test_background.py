"""Background work of the studio: scenes with their coverage, and evaluations against the base."""

from __future__ import annotations

import re
import signal
import sys
import time
from math import inf
from pathlib import Path
from typing import Any

import pytest

from calling import run_kingsburg
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.comparison import Comparison
from edict.support.processes.distribution import start_inline
from edict.support.processes.tasks import ReportFunction
from edict.tools.studio import StudioError
from edict.tools.studio.background import BackgroundRun
from edict.tools.studio.collection import Collection
from edict.tools.studio.evaluation import (
    Evaluation,
    EvaluationReport,
    EvaluationRequest,
    Figure,
    TouchedThing,
    describe_worth,
    evaluate_thing,
    run_evaluation,
)
from edict.tools.studio.scaffolding import CopiedModule, NewGame
from edict.tools.studio.scene_runs import SceneRun, run_scenes
from edict.tools.studio.variant_files import compile_base, compile_variant
from edict.tools.studio.variants import Variant
from variants_kit import discard_drafts

RULES, SCENES = "rules.edict", "scenes/rules.yaml"
TIMEOUT = 120  # seconds


def edit_draft(variant: Variant, old_words: str, new_words: str, file: str = RULES) -> int:
    """Replace words in a draft and return their line."""
    before = variant.get_file(file).text
    assert old_words in before
    variant.write_draft(file, before.replace(old_words, new_words, 1))
    return before[: before.index(old_words)].count("\n") + 1


# --- work that reports -------------------------------------------------------------------------------


def ignore_signals(report: ReportFunction[int]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    report(1)
    time.sleep(TIMEOUT)


def test_work_that_ignores_signals_is_stopped() -> None:
    job: BackgroundRun[int] = BackgroundRun(ignore_signals)
    assert job.wait_for_report(TIMEOUT) == 1
    job.stop()
    assert job.wait_until_done(TIMEOUT) == 1 and not job.running and job.problem == ""


# --- scenes ------------------------------------------------------------------------------------------


def test_scenes_are_played_with_unsaved_texts(variant: Variant) -> None:
    """Also scenes in a new file."""
    variant.write_draft("scenes/more.yaml", variant.get_file(SCENES).text)
    run = SceneRun(variant.take_snapshot())
    report = run.wait_until_done(TIMEOUT)
    assert report is not None, run.problem
    assert report.ok and [scene.outcome for scene in report.scenes] == ["passed"] * 6
    assert [scene.file for scene in report.scenes].count("scenes/more.yaml") == 3
    variant.discard("scenes/more.yaml")
    edit_draft(variant, "gain 2 gold", "gain 3 gold")
    failed = run_scenes(variant.take_snapshot())
    scene = failed.scenes[1]
    assert not failed.ok and scene.outcome == "failed" and scene.file == SCENES
    (failing,) = scene.failing
    line = variant.get_file(SCENES).text.split("\n")[failing.line - 1]
    assert (failing.what, failing.expected, failing.found) == ("Ann, gold", "2", "3") and "gold: 2" in line
    assert scene.log[-1] == "Ann gains 3 gold"
    edit_draft(variant, "gold: 2}", "gold: 3}", SCENES)
    assert run_scenes(variant.take_snapshot()).ok


def test_wrong_scenes_and_rules_are_reported_with_their_place(variant: Variant) -> None:
    line = edit_draft(variant, "start: moment season end", "start: moment seasons end", SCENES)
    scene = run_scenes(variant.take_snapshot()).scenes[1]
    assert scene.outcome == "wrong" and scene.wrong[0].line == line and "did you mean" in scene.wrong[0].help
    edit_draft(variant, "gain 2 gold", "gian 2 gold")
    report = run_scenes(variant.take_snapshot())
    assert not report.ok and not report.scenes and report.covered is None and "gian" in report.problems[0].title


def test_coverage_is_the_same_as_the_command_reports(variant: Variant, tmp_path: Path) -> None:
    coverage = run_scenes(variant.take_snapshot()).covered
    assert coverage is not None and coverage.things.covered == coverage.things.total == 2
    never = {(place.what, place.text) for place in coverage.never}
    assert never == {("never no", "may spend 1 wood"), ("never no", "year = 1")}
    output = run_kingsburg(tmp_path, "test", str(variant.folder), "--coverage").stdout
    assert f"covered: {coverage.percent:.1f} %" in output
    assert all(f"{place.line}:{place.column}" in output and place.text in output for place in coverage.never)


# --- the study ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports(house: Variant) -> list[EvaluationReport]:
    """Return all reports of a short evaluation."""
    collected: list[EvaluationReport] = []
    run_evaluation(discard_drafts(house).take_snapshot(), EvaluationRequest(players=2, pairs=80), collected.append)
    return collected


def test_intervals_become_narrower(reports: list[EvaluationReport], subtests: pytest.Subtests) -> None:
    assert [(report.pairs, report.looked) for report in reports] == [(20, 20), (40, 40), (60, 40), (80, 80)]
    assert [report.done for report in reports] == [False, False, False, True]
    looks = [report for report in reports if report.looked == report.pairs]
    for figures in ([report.seats[0].wins for report in looks], [report.things[0].now.used for report in looks]):
        with subtests.test(figures=figures):
            widths = [figure.high - figure.low for figure in figures]
            assert widths == sorted(widths, reverse=True) and all(width > 0 for width in widths)


def test_added_and_changed_things_are_measured(reports: list[EvaluationReport]) -> None:
    bakery, merchant = reports[-1].things
    assert (bakery.name, bakery.title, bakery.way, bakery.base) == ("bakery", "Bakery", "added", None)
    assert bakery.now.sort == "held" and 0.3 < bakery.now.used.value < 1 and bakery.now.worth is not None
    assert (merchant.way, merchant.now.sort) == ("changed", "chosen")
    assert merchant.base is not None and merchant.base.used.low < merchant.base.used.value < merchant.base.used.high
    by_name = {difference.name: difference for difference in reports[-1].main}
    assert by_name["choices per game"].verdict == "more"  # a fourth die, and one more thing to decide
    assert re.match("With “House”, .*games are .* choices longer", reports[-1].said[0])


def test_thing_helps_or_harms_only_if_the_whole_interval_says_so(subtests: pytest.Subtests) -> None:
    more, less, unclear = "higher", "lower", "not clear yet"
    for low, high, expected in (
        (0.02, 0.10, more),
        (-0.10, -0.02, less),
        (-0.02, 0.10, unclear),
        (-0.10, 0.02, unclear),
        (0.0, 0.10, unclear),
        (-0.10, 0.0, unclear),
    ):
        with subtests.test(low=low):
            words = describe_worth(Figure((low + high) / 2, low, high))
            assert words == f"{expected} ({100 * low:+.0f} to {100 * high:+.0f} percentage points)"
    assert describe_worth(None).startswith("cannot tell")


def test_thing_chosen_in_several_places_is_measured_where_chosen_most(subtests: pytest.Subtests) -> None:
    def make_data(*options: tuple[str, str, int, float]) -> dict[str, Any]:
        groups = [
            {
                "of": kind,
                "options": [
                    {
                        "option": title,
                        "often": often,
                        "with": {"of": having},
                        "without": {"of": 40},
                        "lift": None,
                        "effect": None,
                    }
                ],
            }
            for kind, title, having, often in options
        ]
        return {"chosen": groups}

    oven = TouchedThing("oven", "Oven", "stall")
    seldom, often, another = ("stall", "Oven", 10, 0.2), ("stall", "Oven", 60, 1.5), ("hall", "Oven", 90, 9.0)
    for places in ((seldom, often, another), (another, often, seldom)):
        with subtests.test(places=places):
            thing = evaluate_thing(oven, make_data(seldom), make_data(*places))
            assert thing is not None and (thing.now.often, thing.now.used.value) == (1.5, 0.6)
            assert thing.base is not None and thing.base.often == 0.2
    assert evaluate_thing(oven, make_data(often), make_data(another)) is None


def test_too_few_games_give_infinite_intervals() -> None:
    unknown = {"value": 0.5, "low": None, "high": None}
    measured = {"with": {"of": 1}, "without": {"of": 1}, "lift": unknown, "effect": unknown}
    data = {"held": [{"of": "stall", "options": [{"option": "Oven", "often": 1.0, **measured}]}]}
    thing = evaluate_thing(TouchedThing("oven", "Oven", "stall"), data, data)
    assert thing is not None and thing.now.worth == thing.now.score == Figure(0.5, -inf, inf)
    assert "not clear yet" in describe_worth(thing.now.worth)


def test_evaluation_agrees_with_a_comparison_of_the_same_games(house: Variant, reports: list[EvaluationReport]) -> None:
    snapshot = discard_drafts(house).take_snapshot()
    base, rules = compile_base(snapshot), compile_variant(snapshot)
    assert base is not None
    setups = [GameSetup(one.program, ("greedy", "greedy")) for one in (base, rules)]
    comparison = Comparison(setups[0], setups[1], 80, first_look=20)
    comparison.run(start_inline, lambda _: None)
    answers = [one for one in comparison.evaluate() if one.question.main]
    report = next(one for one in reports if one.looked == one.pairs == comparison.played_pairs)
    assert [(one.name, one.after, one.change.low, one.verdict) for one in report.main] == [
        (one.question.name, one.other, one.low, one.verdict) for one in answers
    ]


def test_stopped_evaluation_keeps_its_figures(variant: Variant) -> None:
    work = Evaluation(variant.take_snapshot(), EvaluationRequest(pairs=100_000))
    first = work.wait_for_report(TIMEOUT)
    assert first is not None and not first.done and len(first.seats) == 4
    work.stop()
    last = work.wait_until_done(TIMEOUT)
    assert last is not None and last.pairs < 100_000 and work.problem == ""


def test_impossible_evaluation_is_refused_with_the_reason(
    variant: Variant, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    evaluations = [Evaluation(Collection(tmp_path).create(NewGame(), "mine").take_snapshot())]
    edit_draft(variant, "gain 2 gold", "gian 2 gold")
    evaluations.append(Evaluation(variant.take_snapshot()))
    assert [evaluation.wait_until_done(TIMEOUT) for evaluation in evaluations] == [None, None]
    assert "no base game to compare with" in evaluations[0].problem and "gian" in evaluations[1].problem
    variant.discard(RULES)

    def get_reason(wanted: EvaluationRequest) -> str:
        with pytest.raises(StudioError) as error:
            run_evaluation(variant.take_snapshot(), wanted, lambda found: None)
        return str(error.value)

    for players in (0, 9):
        with subtests.test(players=players):
            assert f"cannot be compared with {players} players" in get_reason(EvaluationRequest(players=players))
    for unknown in ("genius", "this:Zen", "greedy@/etc/passwd", "greedy@weights.json"):
        with subtests.test(unknown=unknown):
            assert f"no bot `{unknown}`" in get_reason(EvaluationRequest(bot=unknown))
    assert "this" not in sys.modules, "a form imports nothing"
    variant.write_draft(RULES, variant.get_file(RULES).text + "\namend game kingsburg\n  players 3 to 4\n")
    for players in (2, 5):  # as many as both allow
        with subtests.test(players=players):
            assert f"with {players} players" in get_reason(EvaluationRequest(players=players))


def test_copy_of_a_module_is_compared_with_its_game(tmp_path: Path) -> None:
    variant = Collection(tmp_path).create(CopiedModule("advisor-tiles"), "tiles")
    base = compile_base(variant.take_snapshot())
    assert base is not None and (base.name, base.modules) == ("kingsburg", ())
