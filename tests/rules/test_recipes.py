"""The games and recipes of docs/cookbook.md: checked, their scenes played, and played to the end at random."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from calling import ROOT, manifest, write
from edict.agents.study.bot_games import GameRange, Setup, play
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.module_lookup import texts
from edict.game.scenes.coverage import SceneTrace, format_coverage, measure_coverage
from edict.game.scenes.scene_runner import run_module
from edict.runtime.program import Program
from edict.runtime.program.opcodes import GAME_OVER
from edict.runtime.simulation.counting import count_games, plan_counting

EXAMPLES = ROOT / "examples"
RECIPES = sorted(folder for folder in (EXAMPLES / "recipes").iterdir() if (folder / "module.yaml").is_file())
GAMES = [
    "causeway",
    "embers",
    "four-lanes",
    "four-winds",
    "foxes-at-court",
    "gem-fair",
    "harbour-lots",
    "high-water",
    "night-market",
    "nine-tiles",
    "pedlars-road",
    "sixty-four",
    "under-the-cups",
]
PLAYED = [*(EXAMPLES / name for name in GAMES), *RECIPES]
PAGE = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")


def rules(folder: Path) -> Program:
    outcome = compile_rules(str(folder), ())
    assert not outcome.diagnostics, [f"{d.span}: {d.title}" for d in outcome.diagnostics]
    return outcome.unwrap()


def test_the_scenes_of_each_recipe_play_every_line_of_it() -> None:
    for folder in RECIPES:
        trace = SceneTrace()
        report = run_module(folder, trace=trace)
        assert report.ok, "\n" + report.text()
        sources = texts([folder])
        coverage = measure_coverage(trace, sources)
        assert coverage.lines.covered == coverage.lines.total, "\n" + format_coverage(coverage, sources)


@pytest.mark.parametrize("folder", PLAYED, ids=lambda folder: folder.name)
@pytest.mark.sample(6)
def test_random_games_end_well_with_every_number_of_players(folder: Path) -> None:
    program = rules(folder)
    for players in range(program.least_players, program.most_players + 1):
        counted = count_games(plan_counting(program, players), range(5))
        assert set(counted.statuses) == {GAME_OVER}, players


@pytest.mark.parametrize("name", sorted({*GAMES} - {"foxes-at-court", "four-lanes"}))
@pytest.mark.sample(3)
def test_a_bot_that_thinks_plays_to_the_end(name: str) -> None:
    program = rules(EXAMPLES / name)
    bots = ("search@5", *["random"] * (program.least_players - 1))
    short = tuple((s.name, s.value if s.low is None else s.low) for s in program.settings)
    played = play(Setup(program, bots, short, 3), GameRange(0, 1))
    assert played.counted.statuses == [GAME_OVER]


def test_the_scenes_of_a_campaign_of_the_base_game() -> None:
    report = run_module(EXAMPLES / "long-reign")
    assert report.ok and len(report.scenes) == 3, report.text()


def test_the_cookbook_names_what_is_there() -> None:
    named = set(re.findall(r"\]\(\.\./examples/([\w/-]+)\)", PAGE))
    assert named >= {f"recipes/{folder.name}" for folder in RECIPES} | {*GAMES}
    assert all((EXAMPLES / path / "module.yaml").is_file() for path in named)


def test_the_house_rules_that_do_something_again(tmp_path: Path) -> None:
    """They stand in the cookbook, and their scenes beside this file."""
    written = re.search(r"five house rules:\n\n```\n(.*?)```", PAGE, re.DOTALL)
    assert written is not None
    about = manifest("again", language="1", requires="[kingsburg]")
    scenes = (Path(__file__).parent / "again.yaml").read_text(encoding="utf-8")
    write(tmp_path / "again", {"module.yaml": about, "again.edict": written[1], "scenes/again.yaml": scenes})
    report = run_module(tmp_path / "again")
    assert report.ok, report.text()
