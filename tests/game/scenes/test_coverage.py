"""Coverage by scenes: the code that counts, and the coverage of the shipped rules."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from calling import ROOT, run_kingsburg
from edict.compiler.sources.module_lookup import list_shipped_modules, read_texts
from edict.game.scenes.coverage import (
    FileCoverage,
    SceneCoverage,
    SceneTrace,
    find_unplayed_items,
    format_coverage,
    format_percent,
    iter_successors,
    measure_coverage,
    reachable_addresses,
    to_json,
)
from edict.game.scenes.scene_files import find_scene_files
from edict.game.scenes.scene_reports import ModuleReport
from edict.game.scenes.scene_runner import run_module
from edict.game.table.rules import load_rules
from edict.runtime.machine.events import ReadCounts, count_jumps
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program import opcodes as o
from edict.support.text import Source
from scene_kit import write_game, write_scene_pages

FOLDERS = [folder for folder in list_shipped_modules() if find_scene_files(folder).value]
BRANCHES = 90

RULES = """\
resource coin "coin/coins"
resource pearl "pearl/pearls"
die d6 "die" with 6 sides
keep seating as order of player, quiet
keep owned of player as set of hut

kind hut "hut/huts"
  size number
  gift effect, optional
  works if hut is in owned of you

hut mill "Mill"
  size 1
  gift gain 1 coin
  adjust wealth by 2 if coin of you >= 3
  when end of pay
    may spend 1 coin
      gain 1 pearl

hut gate "Gate"
  size 2
  exception to trade.dear
    allow

hut ruin "Ruin"
  size 3

quantity wealth "wealth" of player is coin of player
quantity taste "taste" of player is pearl of player + 1
adjust taste by 5 if pearl of you > 3

setting rich "Rich" is off

game market "Market"
  players 2 to 3
  order seating
  winners players with most wealth of it
  score wealth of you
  judge by taste of you
  course
    play pay

phase pay "Pay"
  each player
    if coin of you > 2 and pearl of you = 0
      gain 1 pearl
    else
      gain 1 coin or 1 pearl

phase rest "Rest"
  if 1 > 2
    gain 1 coin
  if count of everyone > 0
    gain 1 coin
  choose one
    option "Coin"
      gain 1 coin
    option "Pearl" if rich
      gain 1 pearl

phase gifts "Gifts"
  each hut in owned of you
    do gift of hut

action trade "Trade"
  choose a hut as what "Which hut?"
  rule dear
    require coin of you >= size of what
    because "it is too dear"
  then
    lose 1 coin

phase fair "Fair"
  do trade

display wealths
  each player
  column "Rich" wealth of player

display rich-ones
  each player if coin of player > 7
"""


NOTHING = "start: phase pay, play: [{everyone: 1 coin}]"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_game(tmp_path_factory.mktemp("games") / "market", RULES)


def measure_scene(folder: Path, text: str = NOTHING) -> FileCoverage:
    """Return the coverage of the small game by one scene."""
    trace = trace_scenes(folder, text)
    (file,) = measure_coverage(trace, ["market/rules.edict"]).files
    return file


def trace_scenes(folder: Path, *texts: str) -> SceneTrace:
    """Return the trace of these scenes of the small game, in a run each."""
    trace = SceneTrace()
    for text in texts:
        write_scene_pages(folder, f"scenes:\n  - {{name: A scene, {text}}}\n")
        report = run_module(folder, trace=trace)
        assert report.ok, report.text()
    return trace


def played_outcomes(file: FileCoverage, words: str) -> set[str]:
    """Return the outcomes played at these words, which occur once in the rules."""
    line, text = next((i, text) for i, text in enumerate(RULES.split("\n"), 1) if words in text)
    column = text.index(words) + 1
    here = {way: was for (at, start, way), was in file.branches.items() if (at, start) == (line, column)}
    assert here, f"no branch at {line}:{column}, but at {sorted(file.branches)}"
    return {"yes" if way else "no" for way, was in here.items() if was}


def find_line(words: str) -> int:
    return next(i for i, text in enumerate(RULES.split("\n"), 1) if words in text)


# --- the shipped rules ------------------------------------------------------------------------------


@cache
def play_all_scenes(folder: Path) -> tuple[ModuleReport, SceneCoverage]:
    """Return the report on the scenes beside shipped rules and their coverage."""
    trace = SceneTrace()
    return run_module(folder, trace=trace), measure_coverage(trace, read_texts([folder]))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
@pytest.mark.sample(3)
def test_shipped_rules_are_covered_by_their_scenes(folder: Path) -> None:
    report, coverage = play_all_scenes(folder)
    uncovered = "\n" + format_coverage(coverage, read_texts([folder]))
    assert report.ok, "\n" + report.text()
    assert coverage.things.covered == coverage.things.total, uncovered
    assert coverage.lines.covered == coverage.lines.total, uncovered
    assert coverage.branches.percent >= BRANCHES, uncovered


def test_base_game_counts_every_thing_with_effects_and_its_examples_cite_sources() -> None:
    report, coverage = play_all_scenes(ROOT / "rules")
    counted = {name for file in coverage.files for name in file.things}
    assert {"jester", "king", "farms", "barricade", "goblins-1-2"} <= counted
    assert coverage.things.total >= 60 and coverage.branches.total >= 80
    assert len(report.scenes) >= 200 and all(one.scene.source for one in report.scenes)


# --- branches -----------------------------------------------------------------------------------------


def test_each_part_of_a_condition_has_two_branches(house: Path) -> None:
    file = measure_scene(house)
    assert played_outcomes(file, "coin of you > 2") == {"no"}
    assert played_outcomes(file, "pearl of you = 0") == set()
    file = measure_scene(house, "start: phase pay, given: {Ann: {coin: 3}}, play: [{Brian: 1 coin}]")
    assert played_outcomes(file, "coin of you > 2") == {"no", "yes"}
    assert played_outcomes(file, "pearl of you = 0") == {"yes"}


def test_each_option_is_a_branch(house: Path) -> None:
    file = measure_scene(house)
    assert played_outcomes(file, "1 coin or 1 pearl") == {"yes"}
    column = RULES.split("\n")[find_line("1 coin or 1 pearl") - 1].index("1 pearl") + 1
    assert file.branches[find_line("1 coin or 1 pearl"), column, True] is False


def test_offer_has_branches_for_accepting_and_declining(house: Path) -> None:
    owner = "start: phase pay, given: {Ann: {owned: mill, coin: 1}}"
    file = measure_scene(house, owner + ', play: [{Ann: 1 coin}, {Brian: 1 coin}, {Ann: "no"}]')
    assert played_outcomes(file, "may spend 1 coin") == {"no"}
    file = measure_scene(house, owner + ", play: [{Ann: 1 coin}, {Brian: 1 coin}, {Ann: 1 coin}]")
    assert played_outcomes(file, "may spend 1 coin") == {"yes"}


def test_adjustment_condition_counts_only_while_its_thing_works(house: Path) -> None:
    file = measure_scene(house, "start: ending, given: {Ann: {coin: 9}}")
    assert played_outcomes(file, "coin of you >= 3") == set()
    file = measure_scene(house, "start: ending, given: {Ann: {coin: 9, owned: mill}}, then: {winners: Ann}")
    assert played_outcomes(file, "coin of you >= 3") == {"yes"}
    assert find_line("adjust wealth") in file.lines and file.lines[find_line("adjust wealth")]


def test_action_rules_and_exceptions_count(house: Path) -> None:
    file = measure_scene(house, "start: phase fair, for: Ann, given: {Ann: {coin: 1}}, then: {Ann: {coin: 0}}")
    assert played_outcomes(file, "coin of you >= size of what") == {"no", "yes"}
    assert file.things["gate"] is False
    file = measure_scene(house, "start: phase fair, for: Ann, given: {Ann: {owned: gate}}, play: [{Ann: Ruin}]")
    assert file.things["gate"] is True and played_outcomes(file, "coin of you >= size of what") == {"no"}


def test_constant_display_and_bot_code_is_not_counted(house: Path, subtests: pytest.Subtests) -> None:
    file = measure_scene(house, "start: phase rest, for: Ann, then: {Ann: {coin: 2}}")
    counted = {line for line, _, _ in file.branches}
    assert find_line("if 1 > 2") not in counted | file.lines.keys()
    assert find_line("if 1 > 2") + 1 not in file.lines, "what is under it is never reached"
    file = measure_scene(house)
    counted = {line for line, _, _ in file.branches} | file.lines.keys()
    for words in ("pearl of player + 1", "adjust taste", "coin of player > 7", 'column "Rich"'):
        with subtests.test(words=words):
            assert find_line(words) not in counted


# --- things and lines -----------------------------------------------------------------------------------


def test_thing_is_played_by_its_effects_and_not_by_a_check_whether_it_works(house: Path) -> None:
    file = measure_scene(house)
    assert file.things == {"mill": False, "gate": False}
    assert not file.lines[find_line("may spend 1 coin")] and not file.lines[find_line("adjust wealth")]
    file = measure_scene(house, "start: phase gifts, for: Ann, given: {Ann: {owned: [mill, ruin]}}")
    assert file.things == {"mill": True, "gate": False}, "a ruin does nothing and is not counted"
    assert not file.lines[find_line("gain 1 pearl")]


# --- the machine's side ------------------------------------------------------------------------------------


def test_counted_branches_match_executed_jumps(subtests: pytest.Subtests) -> None:
    """The machine jumps whenever it reads a jump's target: the counts are compared with its actual steps."""
    program = load_rules("kingsburg", ()).program
    steps = StepRecorder(program)
    rng, state, status = Random(5), create_state(program, 3, {}, logging=False), o.RUNNING
    while status != o.GAME_OVER:
        status = run(steps, state, [0])
        state[o.ANSWER] = rng.randrange(max(1, state[o.OPTIONS]))
    for fork in program.forks:
        with subtests.test(fork=fork):
            after = fork.at + o.SIZE[program.code[fork.at]]
            there = count_jumps(program.code, steps.counts, fork.at)
            assert there == steps.went[fork.at, program.code[after - 1]]
            assert steps.counts[fork.at] - there == steps.went[fork.at, after]
    assert sum(steps.counts[fork.at] > 0 for fork in program.forks) > 50


class StepRecorder(ReadCounts):
    """Records the pairs of instructions that the machine executes in sequence."""

    def __init__(self, program: Program) -> None:
        super().__init__(program.code)
        self.starts = reachable_addresses(program)
        self.went: Counter[tuple[int, int]] = Counter()
        self.last = -1

    def __getitem__(self, place: Any) -> Any:
        if place in self.starts:
            self.went[self.last, place] += 1
            self.last = place
        return super().__getitem__(place)


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ((o.JMP, 9), [9]),
        ((o.JZ, 1, 9), [9, 3]),
        ((o.LOOPN, 1, 2, 3, 4, 9), [9, 6]),
        ((o.CALL, 9), [9, 2]),
        ((o.RET,), []),
        ((o.MOV, 1, 2), [3]),
        ((o.FAULT, 1), []),
    ],
)
def test_successors_of_jumps_and_returns(code: tuple[int, ...], where: list[int]) -> None:
    assert list(iter_successors(code, 0)) == where


# --- the report -----------------------------------------------------------------------------------------------


def test_percentage_is_rounded_down() -> None:
    assert format_percent(99.99) == "99.9 %" and format_percent(100.0) == "100.0 %"


def test_unplayed_line_is_reported_once(house: Path) -> None:
    lines = [line for line, _, _ in find_unplayed_items(measure_scene(house, "start: phase gifts, for: Ann"))]
    assert lines.count(find_line("gain 1 coin or 1 pearl")) == 1


def test_unplayed_code_is_reported_as_text_and_json(house: Path, subtests: pytest.Subtests) -> None:
    """A line that was never played is shown whole, a branch from the start of its condition."""
    file, name = measure_scene(house), "market/rules.edict"
    text = format_coverage(SceneCoverage((file,)), {name: Source(name, RULES)})
    found = {tuple(re.split("  +", line.strip())) for line in text.split("\n")}
    for place, never, words in (
        ("", "never played", "gift gain 1 coin"),
        ("", "never played", "exception to trade.dear"),
        (":8", "never yes", "coin of you > 2 and pearl of you = 0"),
        (":28", "never no", "pearl of you = 0"),
    ):
        with subtests.test(place=place):
            assert (f"{find_line(words)}{place}", never, words) in found, text

    (told,) = json.loads(to_json(SceneCoverage((file,))))["files"]
    assert {"name": "mill", "line": find_line("gift gain")} in told["things"]["never"]
    missed, line = told["lines"]["never"], find_line("1 coin or 1 pearl")
    assert find_line("gift gain") in missed and line not in missed and missed == sorted(missed)
    column = RULES.split("\n")[line - 1].index("1 pearl") + 1
    assert {"line": line, "column": column, "way": "yes"} in told["branches"]["never"]
    assert told["things"]["covered"] == 0 and told["lines"]["of"] == told["lines"]["covered"] + len(missed)


STREET = """
kind side "side/sides"
side left "Left"
side right "Right"
kind tip "tip/tips"
tip near "Near"
tip far "Far"
kind flag "flag/flags"
  side side
  tip tip
  gift effect
flag for each side and tip "{side} {tip}"
  gift gain 2 pearl
keep raised of player as set of flag
phase parade "Parade"
  each flag in raised of you
    do gift of flag
"""


def test_thing_that_shares_its_played_lines_with_others_is_reported_by_name(tmp_path: Path) -> None:
    house = write_game(tmp_path / "market", RULES + STREET)
    file = measure_scene(house, "start: phase parade, for: Ann, given: {Ann: {raised: [left-near, right-far]}}")
    line = (RULES + STREET).split("\n").index("  gift gain 2 pearl") + 1
    assert [found for found in find_unplayed_items(file) if found[0] == line] == [
        (line, 0, "`left-far` never had an effect"),
        (line, 0, "`right-near` never had an effect"),
    ]


def test_coverage_adds_up_over_runs(house: Path) -> None:
    trace = trace_scenes(house, NOTHING, "start: phase gifts, for: Ann, given: {Ann: {owned: mill}}")
    (file,) = measure_coverage(trace, ["market/rules.edict"]).files
    assert file.things["mill"] and file.lines[find_line("1 coin or 1 pearl")]


def test_command_fails_below_required_coverage(house: Path) -> None:
    measure_scene(house)
    done = run_kingsburg(
        house.parent, "test", "./market", "--coverage", "--coverage-json", "c.json", "--fail-under", "95"
    )
    assert done.returncode == 1 and "below the required 95 %" in done.stdout
    assert "never yes" in done.stdout and "coin of you > 2 and pearl" in done.stdout
    assert "covered: " in done.stdout
    data = json.loads((house.parent / "c.json").read_text(encoding="utf-8"))
    assert data["files"][0]["file"] == "market/rules.edict"
    assert data["branches"]["covered"] < data["branches"]["of"]
    assert run_kingsburg(house.parent, "test", "./market", "--fail-under", "5").returncode == 0
    done = run_kingsburg(house.parent, "test", "./market", "--fail-under", "500")
    assert done.returncode == 2 and "percentage" in done.stderr
    write_scene_pages(house)
    done = run_kingsburg(house.parent, "test", "./market", "--coverage", "--fail-under", "1")
    assert done.returncode == 2 and "covered: 0.0 %" in done.stdout


def test_unreadable_rules_have_no_coverage_report(tmp_path: Path) -> None:
    write_game(tmp_path / "market", "oops\n")
    done = run_kingsburg(tmp_path, "test", "./market", "--coverage")
    assert done.returncode == 2 and "No coverage: these rules" in done.stdout
