"""Which rules scenes have played: what is counted, what is not, and that the shipped rules stay covered."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from calling import ROOT, kingsburg
from edict.compiler.sources.module_lookup import shipped, texts
from edict.game.scenes.coverage import (
    Coverage,
    FileCoverage,
    ScenesPlayed,
    after,
    measure,
    missing,
    played_places,
    shown,
    to_json,
    uncovered_text,
)
from edict.game.scenes.scene_files import scene_files
from edict.game.scenes.scene_reports import ModuleReport
from edict.game.scenes.scene_runner import run_module
from edict.game.table.rules import load_rules
from edict.runtime.machine.loop import run
from edict.runtime.machine.observed_code import ReadCounts, count_jumps
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.beginning import first_state
from edict.support.text import Source
from scene_kit import game_of, put

FOLDERS = [folder for folder in shipped() if scene_files(folder).value]
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
    return game_of(tmp_path_factory.mktemp("games") / "market", RULES)


def covered(folder: Path, text: str = NOTHING) -> FileCoverage:
    """What a scene plays of the little game; its parts on a line of YAML."""
    trace = traced(folder, text)
    (file,) = measure(trace, ["market/rules.edict"]).files
    return file


def traced(folder: Path, *texts: str) -> ScenesPlayed:
    """What these scenes play of the little game, in a run each."""
    trace = ScenesPlayed()
    for text in texts:
        put(folder, f"scenes:\n  - {{name: A scene, {text}}}\n")
        report = run_module(folder, trace=trace)
        assert report.ok, report.text()
    return trace


def ways(file: FileCoverage, words: str) -> set[str]:
    """The ways that were gone at the place of these words, which stand once in the rules."""
    line, text = next((i, text) for i, text in enumerate(RULES.split("\n"), 1) if words in text)
    column = text.index(words) + 1
    here = {way: was for (at, start, way), was in file.branches.items() if (at, start) == (line, column)}
    assert here, f"no branch at {line}:{column}, but at {sorted(file.branches)}"
    return {"yes" if way else "no" for way, was in here.items() if was}


def line_of(words: str) -> int:
    return next(i for i, text in enumerate(RULES.split("\n"), 1) if words in text)


# --- the shipped rules ------------------------------------------------------------------------------


@cache
def all_scenes(folder: Path) -> tuple[ModuleReport, Coverage]:
    """How the scenes beside shipped rules go, and what of these they play."""
    trace = ScenesPlayed()
    return run_module(folder, trace=trace), measure(trace, texts([folder]))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
@pytest.mark.sample(3)
def test_the_shipped_rules_are_covered_by_the_scenes_beside_them(folder: Path) -> None:
    report, coverage = all_scenes(folder)
    uncovered = "\n" + uncovered_text(coverage, texts([folder]))
    assert report.ok, "\n" + report.text()
    assert coverage.things.covered == coverage.things.of, uncovered
    assert coverage.lines.covered == coverage.lines.of, uncovered
    assert coverage.branches.percent >= BRANCHES, uncovered


def test_every_thing_of_the_base_game_that_does_something_is_counted_and_its_examples_say_where_they_are_from() -> None:
    report, coverage = all_scenes(ROOT / "rules")
    counted = {name for file in coverage.files for name in file.things}
    assert {"jester", "king", "farms", "barricade", "goblins-1-2"} <= counted
    assert coverage.things.of >= 60 and coverage.branches.of >= 80
    assert len(report.scenes) >= 200 and all(one.scene.source for one in report.scenes)


# --- branches -----------------------------------------------------------------------------------------


def test_each_part_of_a_condition_has_two_ways(house: Path) -> None:
    file = covered(house)
    assert ways(file, "coin of you > 2") == {"no"}
    assert ways(file, "pearl of you = 0") == set()
    file = covered(house, "start: phase pay, given: {Ann: {coin: 3}}, play: [{Brian: 1 coin}]")
    assert ways(file, "coin of you > 2") == {"no", "yes"}
    assert ways(file, "pearl of you = 0") == {"yes"}


def test_each_option_is_a_way(house: Path) -> None:
    file = covered(house)
    assert ways(file, "1 coin or 1 pearl") == {"yes"}
    column = RULES.split("\n")[line_of("1 coin or 1 pearl") - 1].index("1 pearl") + 1
    assert file.branches[line_of("1 coin or 1 pearl"), column, True] is False


def test_an_offer_can_be_taken_and_declined(house: Path) -> None:
    owner = "start: phase pay, given: {Ann: {owned: mill, coin: 1}}"
    file = covered(house, owner + ', play: [{Ann: 1 coin}, {Brian: 1 coin}, {Ann: "no"}]')
    assert ways(file, "may spend 1 coin") == {"no"}
    file = covered(house, owner + ", play: [{Ann: 1 coin}, {Brian: 1 coin}, {Ann: 1 coin}]")
    assert ways(file, "may spend 1 coin") == {"yes"}


def test_the_condition_of_an_adjustment_is_asked_only_where_its_thing_works(house: Path) -> None:
    file = covered(house, "start: ending, given: {Ann: {coin: 9}}")
    assert ways(file, "coin of you >= 3") == set()
    file = covered(house, "start: ending, given: {Ann: {coin: 9, owned: mill}}, then: {winners: Ann}")
    assert ways(file, "coin of you >= 3") == {"yes"}
    assert line_of("adjust wealth") in file.lines and file.lines[line_of("adjust wealth")]


def test_rules_of_actions_and_their_exceptions_count(house: Path) -> None:
    file = covered(house, "start: phase fair, for: Ann, given: {Ann: {coin: 1}}, then: {Ann: {coin: 0}}")
    assert ways(file, "coin of you >= size of what") == {"no", "yes"}
    assert file.things["gate"] is False
    file = covered(house, "start: phase fair, for: Ann, given: {Ann: {owned: gate}}, play: [{Ann: Ruin}]")
    assert file.things["gate"] is True and ways(file, "coin of you >= size of what") == {"no"}


def test_what_is_decided_before_play_and_what_only_displays_and_bots_ask_for_is_not_counted(house: Path) -> None:
    file = covered(house, "start: phase rest, for: Ann, then: {Ann: {coin: 2}}")
    counted = {line for line, _, _ in file.branches}
    assert line_of("if 1 > 2") not in counted | file.lines.keys()
    assert line_of("if 1 > 2") + 1 not in file.lines, "what is under it is never reached"
    file = covered(house)
    counted = {line for line, _, _ in file.branches} | file.lines.keys()
    for words in ("pearl of player + 1", "adjust taste", "coin of player > 7", 'column "Rich"'):
        assert line_of(words) not in counted, words


# --- things and lines -----------------------------------------------------------------------------------


def test_a_thing_is_played_when_any_of_it_was_and_not_by_looking_whether_it_works(house: Path) -> None:
    file = covered(house)
    assert file.things == {"mill": False, "gate": False}
    assert not file.lines[line_of("may spend 1 coin")] and not file.lines[line_of("adjust wealth")]
    file = covered(house, "start: phase gifts, for: Ann, given: {Ann: {owned: [mill, ruin]}}")
    assert file.things == {"mill": True, "gate": False}, "a ruin does nothing and is not counted"
    assert not file.lines[line_of("gain 1 pearl")]


# --- the machine's side ------------------------------------------------------------------------------------


def test_the_ways_at_a_fork_are_as_a_game_goes() -> None:
    """Where the machine reads the target of a jump it jumps: counted here against the steps it takes."""
    program = load_rules("kingsburg", ()).program
    steps = Steps(program)
    rng, state, status = Random(5), first_state(program, 3, {}, logging=False), o.RUNNING
    while status != o.GAME_OVER:
        status = run(steps, state, [0])
        state[o.ANSWER] = rng.randrange(max(1, state[o.OPTIONS]))
    for fork in program.forks:
        after = fork.at + o.SIZE[program.code[fork.at]]
        there = count_jumps(program.code, steps.times, fork.at)
        assert there == steps.went[fork.at, program.code[after - 1]], fork
        assert steps.times[fork.at] - there == steps.went[fork.at, after], fork
    assert sum(steps.times[fork.at] > 0 for fork in program.forks) > 50


class Steps(ReadCounts):
    """Notes from which instruction to which the machine goes."""

    def __init__(self, program: Program) -> None:
        super().__init__(program.code)
        self.starts = played_places(program)
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
def test_a_jump_leads_elsewhere_and_a_return_nowhere(code: tuple[int, ...], where: list[int]) -> None:
    assert list(after(code, 0)) == where


# --- the report -----------------------------------------------------------------------------------------------


def test_a_percentage_is_never_rounded_up() -> None:
    assert shown(99.99) == "99.9 %" and shown(100.0) == "100.0 %"


def test_a_line_never_played_is_told_once(house: Path) -> None:
    lines = [line for line, _, _ in missing(covered(house, "start: phase gifts, for: Ann"))]
    assert lines.count(line_of("gain 1 coin or 1 pearl")) == 1


def test_people_and_programs_read_what_was_never_played(house: Path) -> None:
    """A line that was never played as a whole, a branch from where its condition begins."""
    file, name = covered(house), "market/rules.edict"
    text = uncovered_text(Coverage((file,)), {name: Source(name, RULES)})
    found = {tuple(re.split("  +", line.strip())) for line in text.split("\n")}
    for place, never, words in (
        ("", "never played", "gift gain 1 coin"),
        ("", "never played", "exception to trade.dear"),
        (":8", "never yes", "coin of you > 2 and pearl of you = 0"),
        (":28", "never no", "pearl of you = 0"),
    ):
        assert (f"{line_of(words)}{place}", never, words) in found, text

    (told,) = json.loads(to_json(Coverage((file,))))["files"]
    assert {"name": "mill", "line": line_of("gift gain")} in told["things"]["never"]
    missed, line = told["lines"]["never"], line_of("1 coin or 1 pearl")
    assert line_of("gift gain") in missed and line not in missed and missed == sorted(missed)
    column = RULES.split("\n")[line - 1].index("1 pearl") + 1
    assert {"line": line, "column": column, "way": "yes"} in told["branches"]["never"]
    assert told["things"]["covered"] == 0 and told["lines"]["of"] == told["lines"]["covered"] + len(missed)


def test_two_runs_are_taken_together(house: Path) -> None:
    trace = traced(house, NOTHING, "start: phase gifts, for: Ann, given: {Ann: {owned: mill}}")
    (file,) = measure(trace, ["market/rules.edict"]).files
    assert file.things["mill"] and file.lines[line_of("1 coin or 1 pearl")]


def test_on_the_command_line_too_little_covered_fails(house: Path) -> None:
    covered(house)
    done = kingsburg(house.parent, "test", "./market", "--coverage", "--coverage-json", "c.json", "--fail-under", "95")
    assert done.returncode == 1 and "below the required 95 %" in done.stdout
    assert "never yes" in done.stdout and "coin of you > 2 and pearl" in done.stdout
    assert "covered: " in done.stdout
    data = json.loads((house.parent / "c.json").read_text(encoding="utf-8"))
    assert data["files"][0]["file"] == "market/rules.edict"
    assert data["branches"]["covered"] < data["branches"]["of"]
    assert kingsburg(house.parent, "test", "./market", "--fail-under", "5").returncode == 0
    done = kingsburg(house.parent, "test", "./market", "--fail-under", "500")
    assert done.returncode == 2 and "percentage" in done.stderr
    put(house)
    done = kingsburg(house.parent, "test", "./market", "--coverage", "--fail-under", "1")
    assert done.returncode == 2 and "covered: 0.0 %" in done.stdout


def test_of_rules_that_cannot_be_read_no_coverage_is_reported(tmp_path: Path) -> None:
    game_of(tmp_path / "market", "oops\n")
    done = kingsburg(tmp_path, "test", "./market", "--coverage")
    assert done.returncode == 2 and "No coverage can be reported" in done.stdout
