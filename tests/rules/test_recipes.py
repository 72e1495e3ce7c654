"""The games and recipes of docs/guides/cookbook.md: checked, with their scenes, and played to the end at random."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from calling import ROOT, make_manifest, write_files
from edict.agents.study.bot_games import GameRange, GameSetup, play_range
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.module_lookup import read_texts
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
PAGE = (ROOT / "docs" / "guides" / "cookbook.md").read_text(encoding="utf-8")


def compile_folder(folder: Path) -> Program:
    outcome = compile_rules(str(folder), ())
    assert not outcome.diagnostics, [f"{d.span}: {d.title}" for d in outcome.diagnostics]
    return outcome.unwrap()


def test_scenes_of_each_recipe_cover_every_line(subtests: pytest.Subtests) -> None:
    for folder in RECIPES:
        with subtests.test(folder=folder):
            trace = SceneTrace()
            report = run_module(folder, trace=trace)
            assert report.ok, "\n" + report.text()
            sources = read_texts([folder])
            coverage = measure_coverage(trace, sources)
            assert coverage.lines.covered == coverage.lines.total, "\n" + format_coverage(coverage, sources)


@pytest.mark.parametrize("folder", PLAYED, ids=lambda folder: folder.name)
@pytest.mark.sample(6)
def test_random_games_end_with_every_number_of_players(folder: Path) -> None:
    program = compile_folder(folder)
    for players in range(program.least_players, program.most_players + 1):
        counted = count_games(plan_counting(program, players), range(5))
        assert set(counted.statuses) == {GAME_OVER}, players


@pytest.mark.parametrize("name", sorted({*GAMES} - {"foxes-at-court", "four-lanes"}))
@pytest.mark.sample(3)
def test_searching_bot_plays_to_the_end(name: str) -> None:
    program = compile_folder(EXAMPLES / name)
    bots = ("search@5", *["random"] * (program.least_players - 1))
    short = tuple((s.name, s.value if s.low is None else s.low) for s in program.settings)
    played = play_range(GameSetup(program, bots, short, 3), GameRange(0, 1))
    assert played.counted.statuses == [GAME_OVER]


def test_scenes_of_the_campaign_example_pass() -> None:
    report = run_module(EXAMPLES / "long-reign")
    assert report.ok and len(report.scenes) == 3, report.text()


def test_cookbook_names_existing_recipes() -> None:
    named = set(re.findall(r"\]\(\.\./\.\./examples/([\w/-]+)\)", PAGE))
    assert named >= {f"recipes/{folder.name}" for folder in RECIPES} | {*GAMES}
    assert all((EXAMPLES / path / "module.yaml").is_file() for path in named)


def test_house_rules_of_the_cookbook_pass_their_scenes(tmp_path: Path) -> None:
    """The rules are in the cookbook and their scenes beside this file."""
    written = re.search(r"five house rules:\n\n```\n(.*?)```", PAGE, re.DOTALL)
    assert written is not None
    about = make_manifest("again", language="1", requires="[kingsburg]")
    scenes = (Path(__file__).parent / "again.yaml").read_text(encoding="utf-8")
    write_files(tmp_path / "again", {"module.yaml": about, "again.edict": written[1], "scenes/again.yaml": scenes})
    report = run_module(tmp_path / "again")
    assert report.ok, report.text()
