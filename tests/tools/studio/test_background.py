"""Work in the background while somebody types: scenes with their coverage, and a study against the base."""

from __future__ import annotations

import signal
import sys
import time
from math import inf
from pathlib import Path
from typing import Any

import pytest

from calling import kingsburg
from edict.agents.study.bot_games import Setup
from edict.agents.study.comparison import Comparison
from edict.support.processes.distribution import start_inline
from edict.support.processes.tasks import ReportFunction
from edict.tools.studio.background import Run
from edict.tools.studio.collection import Collection
from edict.tools.studio.evaluation import (
    EvaluatedThing,
    Evaluation,
    EvaluationFound,
    Figure,
    ThingUse,
    TouchedThing,
    Wanted,
    in_words,
    study,
    thing_in,
)
from edict.tools.studio.scaffolding import CopyOf, NewGame
from edict.tools.studio.scene_runs import SceneRun, run_scenes
from edict.tools.studio.snapshots import base_of, rules_of
from edict.tools.studio.studio_errors import StudioError
from edict.tools.studio.variants import Variant
from variants_kit import as_saved

RULES, SCENES = "rules.edict", "scenes/rules.yaml"
LONG = 120  # seconds that nothing here takes


def typed(variant: Variant, old: str, new: str, file: str = RULES) -> int:
    """Change words without saving; gives their line."""
    before = variant.text(file).text
    assert old in before
    variant.draft(file, before.replace(old, new, 1))
    return before[: before.index(old)].count("\n") + 1


# --- work that reports -------------------------------------------------------------------------------


def hear_nothing(tell: ReportFunction[int]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    tell(1)
    time.sleep(LONG)


def test_work_that_hears_nothing_is_ended_all_the_same() -> None:
    job: Run[int] = Run(hear_nothing)
    assert job.wait_for_report(LONG) == 1
    job.stop()
    assert job.wait_until_done(LONG) == 1 and not job.running and job.problem == ""


# --- scenes ------------------------------------------------------------------------------------------


def test_scenes_are_played_with_what_is_not_saved(variant: Variant) -> None:
    """Also those of a file that is new."""
    variant.draft("scenes/more.yaml", variant.text(SCENES).text)
    run = SceneRun(variant.snapshot())
    found = run.wait_until_done(LONG)
    assert found is not None, run.problem
    assert found.ok and [scene.outcome for scene in found.scenes] == ["passed"] * 6
    assert [scene.file for scene in found.scenes].count("scenes/more.yaml") == 3
    variant.discard("scenes/more.yaml")
    typed(variant, "gain 2 gold", "gain 3 gold")
    failed = run_scenes(variant.snapshot())
    scene = failed.scenes[1]
    assert not failed.ok and scene.outcome == "failed" and scene.file == SCENES
    (failing,) = scene.failing
    line = variant.text(SCENES).text.split("\n")[failing.line - 1]
    assert (failing.what, failing.expected, failing.found) == ("Ann, gold", "2", "3") and "gold: 2" in line
    assert scene.log[-1] == "Ann gains 3 gold"
    typed(variant, "gold: 2}", "gold: 3}", SCENES)
    assert run_scenes(variant.snapshot()).ok


def test_what_cannot_be_played_is_told_with_its_place(variant: Variant) -> None:
    line = typed(variant, "start: moment season end", "start: moment seasons end", SCENES)
    scene = run_scenes(variant.snapshot()).scenes[1]
    assert scene.outcome == "wrong" and scene.wrong[0].line == line and "did you mean" in scene.wrong[0].help
    typed(variant, "gain 2 gold", "gian 2 gold")
    found = run_scenes(variant.snapshot())
    assert not found.ok and not found.scenes and found.covered is None and "gian" in found.problems[0].title


def test_what_no_scene_has_played_is_what_the_command_says(variant: Variant, tmp_path: Path) -> None:
    found = run_scenes(variant.snapshot()).covered
    assert found is not None and found.things.covered == found.things.total == 2
    never = {(one.what, one.text) for one in found.never}
    assert never == {("never no", "may spend 1 wood"), ("never no", "year = 1")}
    said = kingsburg(tmp_path, "test", str(variant.folder), "--coverage").stdout
    assert f"covered: {found.percent:.1f} %" in said
    assert all(f"{one.line}:{one.column}" in said and one.text in said for one in found.never)


# --- the study ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports(house: Variant) -> list[EvaluationFound]:
    """Everything that was reported of a short study."""
    found: list[EvaluationFound] = []
    study(as_saved(house).snapshot(), Wanted(players=2, pairs=80), found.append)
    return found


def test_figures_grow_surer(reports: list[EvaluationFound]) -> None:
    assert [(one.pairs, one.looked) for one in reports] == [(20, 20), (40, 40), (60, 40), (80, 80)]
    assert [one.done for one in reports] == [False, False, False, True]
    looks = [one for one in reports if one.looked == one.pairs]
    for figures in ([one.seats[0].wins for one in looks], [one.things[0].now.used for one in looks]):
        widths = [figure.high - figure.low for figure in figures]
        assert widths == sorted(widths, reverse=True) and all(width > 0 for width in widths)


def test_what_a_variant_adds_and_changes_is_measured(reports: list[EvaluationFound]) -> None:
    bakery, merchant = reports[-1].things
    assert (bakery.name, bakery.title, bakery.way, bakery.base) == ("bakery", "Bakery", "added", None)
    assert bakery.now.sort == "held" and 0.3 < bakery.now.used.value < 1 and bakery.now.worth is not None
    assert (merchant.way, merchant.now.sort) == ("changed", "chosen")
    assert merchant.base is not None and merchant.base.used.low < merchant.base.used.value < merchant.base.used.high
    assert reports[-1].said[0] == in_words(bakery) and "of players have it at the end" in in_words(bakery)
    by_name = {one.name: one for one in reports[-1].main}
    assert by_name["choices per game"].verdict == "more"  # a fourth die, and one more thing to decide


def test_something_helps_or_harms_only_if_it_does_so_in_the_whole_interval() -> None:
    more, less, unclear = "they win more often", "they win less often", "it is not clear yet"
    share = Figure(0.5, 0.4, 0.6)
    for low, high, said in (
        (0.02, 0.10, more),
        (-0.10, -0.02, less),
        (-0.02, 0.10, unclear),
        (-0.10, 0.02, unclear),
        (0.0, 0.10, unclear),
        (-0.10, 0.0, unclear),
    ):
        worth = Figure((low + high) / 2, low, high)
        words = in_words(
            EvaluatedThing("oven", "Oven", "stall", "added", ThingUse("held", share, 0.5, worth, None), None)
        )
        assert [one for one in (more, less, unclear) if f", and {one}" in words or f"; {one}" in words] == [said], words
        assert words.startswith("Oven: 50 % of players have it at the end")
        assert words.endswith(f" ({100 * low:+.1f} to {100 * high:+.1f} percentage points).")


def test_a_thing_chosen_in_several_places_is_told_by_the_one_where_it_is_chosen_most_often() -> None:
    def chosen(*options: tuple[str, str, int, float]) -> dict[str, Any]:
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
        thing = thing_in(oven, chosen(seldom), chosen(*places))
        assert thing is not None and (thing.now.often, thing.now.used.value) == (1.5, 0.6)
        assert thing.base is not None and thing.base.often == 0.2
    assert thing_in(oven, chosen(often), chosen(another)) is None


def test_what_too_few_games_show_may_be_anything() -> None:
    unknown = {"value": 0.5, "low": None, "high": None}
    told = {"with": {"of": 1}, "without": {"of": 1}, "lift": unknown, "effect": unknown}
    data = {"held": [{"of": "stall", "options": [{"option": "Oven", "often": 1.0, **told}]}]}
    thing = thing_in(TouchedThing("oven", "Oven", "stall"), data, data)
    assert thing is not None and thing.now.worth == thing.now.score == Figure(0.5, -inf, inf)
    assert "it is not clear yet" in in_words(thing)


def test_it_says_what_a_comparison_of_the_same_games_says(house: Variant, reports: list[EvaluationFound]) -> None:
    snapshot = as_saved(house).snapshot()
    base, rules = base_of(snapshot), rules_of(snapshot)
    assert base is not None
    setups = [Setup(one.program, ("greedy", "greedy")) for one in (base, rules)]
    found = Comparison(setups[0], setups[1], 80, first=20)
    found.run(start_inline, lambda _: None)
    answers = [one for one in found.answers() if one.question.main]
    report = next(one for one in reports if one.looked == one.pairs == found.played)
    assert [(one.name, one.after, one.change.low, one.verdict) for one in report.main] == [
        (one.question.name, one.other, one.low, one.verdict) for one in answers
    ]


def test_a_study_is_abandoned_and_the_first_figures_stay(variant: Variant) -> None:
    work = Evaluation(variant.snapshot(), Wanted(pairs=100_000))
    first = work.wait_for_report(LONG)
    assert first is not None and not first.done and len(first.seats) == 4
    work.stop()
    kept = work.wait_until_done(LONG)
    assert kept is not None and kept.pairs < 100_000 and work.problem == ""


def test_what_cannot_be_studied_is_told(variant: Variant, tmp_path: Path) -> None:
    works = [Evaluation(Collection(tmp_path).new(NewGame(), "mine").snapshot())]
    typed(variant, "gain 2 gold", "gian 2 gold")
    works.append(Evaluation(variant.snapshot()))
    assert [work.wait_until_done(LONG) for work in works] == [None, None]
    assert "nothing to be compared with" in works[0].problem and "gian" in works[1].problem
    variant.discard(RULES)

    def refused(wanted: Wanted) -> str:
        with pytest.raises(StudioError) as told:
            study(variant.snapshot(), wanted, lambda found: None)
        return str(told.value)

    for players in (0, 9):
        assert f"cannot be compared with {players} players" in refused(Wanted(players=players))
    for unknown in ("genius", "this:Zen", "greedy@/etc/passwd", "greedy@weights.json"):
        assert f"no bot `{unknown}`" in refused(Wanted(bot=unknown))
    assert "this" not in sys.modules, "a form imports nothing"
    variant.draft(RULES, variant.text(RULES).text + "\namend game kingsburg\n  players 3 to 4\n")
    for players in (2, 5):  # as many as both allow
        assert f"with {players} players" in refused(Wanted(players=players))


def test_a_copy_of_a_module_is_compared_with_the_game_without_it(tmp_path: Path) -> None:
    variant = Collection(tmp_path).new(CopyOf("advisor-tiles"), "tiles")
    base = base_of(variant.snapshot())
    assert base is not None and (base.name, base.modules) == ("kingsburg", ())
