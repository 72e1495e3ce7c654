"""Scenes: what the runner says of scenes that hold, fail, or are written wrongly.

The shipped ones are played in `test_coverage`, with a trace of which rules they come by.

The pages of the diagnostics S... are tests too; to write their messages anew after a change:
`python tests/scenes/test_scenes.py`.
"""

from __future__ import annotations

import re
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from calling import write

from edict.rendering import render_all
from edict.report import edited
from edict.scenes.scene_runner import run_module
from edict.scenes.scene_reports import Report, as_data, to_junit

ROOT = Path(__file__).resolve().parent.parent.parent

MANIFEST = "name: sample\ntitle: Sample\nversion: 1.0.0\nkind: game\nlanguage: 1\n"
RULES = """\
resource coin "coin/coins" may go below 0
die d6 "die" with 6 sides

kind card "card"
  value number from 1 to 9

card red-knight "Knight"
  value 1
card black-knight "Knight"
  value 2
card page "Page"
  value 3
card fool "Fool"
  value 9

keep seating as order of player, quiet
keep card-of "card" of player as card or none
keep held "cards" of player as set of card
keep hidden "hidden card" as card or none, secret
keep thrown "dice" of player as dice
resource fame "fame"
keep month as number from 1 to 7 starting at 1
keep rent of player in card as number from -2 to 2
keep trump as card

setting pay "Pay" is 1

game sample "Sample"
  players 2 to 3
  order seating
  winners players with most coin of it
  score coin of you
  course
    play wages
    play market

phase wages "Wages"
  each player
    gain pay coin

phase market "Market"
  each player
    choose a card from (cards where it is not in held of you) as bought "Which card?"
    add bought to held of you
    lose value of bought coin
    announce you, "buys", bought

phase gamble "Gamble"
  each player
    roll 2 d6 into thrown of you
    gain total of thrown of you coin

phase secret-look "A look"
  draw a card from cards as seen secretly
  set hidden to seen
  each player in first of seating
    show hidden to you
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small game to write scenes for."""
    return build(tmp_path / "sample")


def build(folder: Path) -> Path:
    (folder / "scenes").mkdir(parents=True)
    (folder / "module.yaml").write_text(MANIFEST, encoding="utf-8")
    (folder / "rules.edict").write_text(RULES, encoding="utf-8")
    return folder


def played(house: Path, text: str, **options: object) -> Report:
    """The report on scenes given as YAML below `scenes:`."""
    head = "" if text.startswith(("scenes:", "players:", "game:")) else "scenes:\n"
    (house / "scenes" / "page.yaml").write_text(head + text, encoding="utf-8")
    return run_module(house, **options)  # type: ignore[arg-type]


def one(text: str) -> str:
    """The lines of one scene, indented as an entry of the list."""
    lines = ["name: A scene", *text.strip("\n").split("\n")]
    return "\n".join(("  - " if i == 0 else "    ") + line for i, line in enumerate(lines)) + "\n"


# --- the shipped scenes -------------------------------------------------------------------


def test_the_base_game_has_its_worked_examples(root: Path) -> None:
    report = run_module(root / "rules")
    assert len(report.scenes) >= 200
    assert report.seconds < 20
    assert all(scene.source for scene in (p.scene for p in report.scenes)), "each says where it comes from"


# --- scenes that hold ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "start: phase wages\nthen: {everyone: {coins: 1}, rest: unchanged}",
        "start: phase wages\nsettings: {pay: 3}\nthen: {Ann: {coin: 3}, Brian: {COINS: 3}}",
        "start: phase wages\nplayers: 3\nthen: {Cindy: {coins: 1}}",
        "start: phase market\nplay: [{Ann: Page}, {Brian: red-knight}]\nthen: {Ann: {held: [Page]}}",
        "start: phase market\nplay: [{Ann: pa}, {Brian: fo}]\nthen: {Ann: {coins: -3}, Brian: {coins: -9}}",
        "start: phase market\ngiven: {Ann: {held: [page]}}\nplay: [{Ann cannot: Page}, {Ann: fool}, {Brian: fool}]",
        "start: phase market\nplay: [{Ann is asked: Which}, {Ann can: [fool, page]}, {everyone: fool}]",
        "start: phase market\nplay: [{Ann: page}, {now: {Ann: {coins: -3}}}]\nstop: here\nthen: {over: no}",
        "start: phase gamble\ndice: [[1, 2], [3, 4]]\nthen: {Ann: {coins: 3, dice: 2 1}, Brian: {thrown: [3, 4]}}",
        "start: phase gamble\ndice: {Brian: 6 6, Ann: [1, 1]}\nthen: {Ann: {coins: 2}, Brian: {coins: 12}}",
        "start: phase gamble\nseed: 5",
        "start: phase wages\ngiven: {Ann: 2 coins}\nthen: {Ann: 3 coins, Brian: [coin], rest: unchanged}",
        "start: phase gamble\nplay: [{dice: 1 1}, {now: {Ann: {coins: 2}}}, {dice: 2 2}]",
        "start: phase secret-look\ndrawn: Page\nthen: {hidden: page, Ann knows: hidden, Brian does not know: hidden}",
        "start: phase secret-look\ndrawn: Page\nthen: {Ann reads: Page, Brian does not read: Page}",
        "play: [{Ann: fool}, {Brian: page}]\nthen: {over: yes, winners: Brian, log: [Wages, Ann buys, Brian buys]}",
        "play: {everyone: fool}\nthen: {winners: [Ann, Brian], not in the log: gold}",
        "start: ending\ngiven: {Brian: {coins: 2}}\nthen: {winners: Brian}",
        "start: table\ngiven: {seating: [Brian, Ann]}\nthen: {seating: [Ann, Brian]}",
    ],
)
def test_a_scene_that_holds(house: Path, text: str) -> None:
    report = played(house, one(text))
    assert report.ok, report.text()


# --- scenes that fail ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "what", "expected", "found"),
    [
        ("start: phase wages\nthen: {Ann: {coins: 2}}", "Ann, coin", "2", "1"),
        ("start: phase wages\nthen: {Ann: 2 coins}", "Ann, coin", "2", "1"),
        ("start: phase wages\nthen: {Ann: {held: [page, fool]}}", "Ann, cards", "Page, Fool", "none"),
        ("start: phase wages\nthen: {Ann: {held: red-knight}}", "Ann, cards", "red-knight", "none"),
        ("start: phase wages\nthen: {rest: unchanged, Ann: {coins: 1}}", "Brian, coin", "0", "1"),
        ("start: phase wages\nthen: {winners: Ann}", "winners", "Ann", "the game is not over"),
        ("start: phase wages\nthen: {over: yes}", "the end", "the game is over", "the game continues"),
        ("start: phase wages\nthen: {log: gold}", "the log", "`gold`", "no such line"),
        ("start: phase wages\nthen: {not in the log: coin}", "the log", "no `coin`", "`Ann gains 1 coin`"),
        ("start: phase wages\nplay: [{Ann: yes}]", "a step", "Ann answers: yes", "it was never reached"),
        ("start: phase wages\ndice: 3", "dice", "all dice rolled", "left over: 3"),
        ("start: phase wages\ndrawn: page", "drawn", "all drawn", "left over: page"),
        ("start: phase wages\nstop: here", "the end", "a question to stop at", "nothing is asked"),
        ("start: phase market", "a question", "no further question", "Ann is asked `Which card?`"),
        ("start: phase market\nplay: {Brian: page}", "who is asked", "Brian", "Ann is asked"),
        ("start: phase market\nplay: {Ann: pgae}", "an answer", "Ann: pgae", "Ann is asked `Which card?`: Knight"),
        ("start: phase market\nplay: {Ann: knight}", "an answer", "Ann: knight", "Ann is asked"),
        ("start: phase market\nplay: {Ann cannot: fool}\nstop: here", "Ann cannot", "no `fool`", "Ann is asked"),
        ("start: phase market\nplay: {Ann can only: fool}\nstop: here", "Ann can only", "fool", "also Knight"),
        ("start: phase market\nplay: {Ann is asked: Who}\nstop: here", "the question to Ann", "Who", "Which card?"),
        ("start: phase market\nplay: {dice: 3}", "dice", "chance to be asked", "Ann is asked"),
        ("start: phase gamble", "chance", "`dice` for `What does the die show?`", "none left"),
        ("start: phase gamble\ndice: 7", "dice", "one of the faces 1, 2, 3, 4, 5 and 6", "7"),
        ("start: phase gamble\ndice: {Ann: 1 2}", "chance", "`dice` for", "none left"),
        ("start: phase gamble\ndice: {Ann: 1 1 1}", "dice", "a die for Brian", "none left for them"),
        ("start: phase secret-look\ndrawn: pige", "drawn", "pige", "cannot be drawn; did you mean `page`?"),
        ("start: phase secret-look\ndrawn: page\nthen: {Brian knows: hidden}", "hidden card", "Brian knows", "Brian "),
    ],
)
def test_a_scene_that_does_not_hold(house: Path, text: str, what: str, expected: str, found: str) -> None:
    report = played(house, one(text))
    assert not report.ok and not report.diagnostics
    differences = report.scenes[0].differences
    assert any((d.what, d.expected) == (what, expected) or d.expected.startswith(expected) for d in differences)
    assert any(d.what == what and d.found.startswith(found) for d in differences), report.text()


def test_the_report_shows_place_difference_and_log(house: Path) -> None:
    report = played(house, one("source: p. 3\nstart: phase wages\nthen: {Ann: {coins: 2}}"))
    shown = re.sub(r"in \d.*", "in no time", report.text())
    assert shown == (
        "FAILED sample/scenes/page.yaml:2  A scene (p. 3)\n"
        "  Ann, coin (line 5)\n"
        "    - expected  2\n"
        "    + found     1\n"
        "  what happened:\n"
        "    Wages\n"
        "    Ann gains 1 coin\n"
        "    Brian gains 1 coin\n"
        "\n"
        "0 scenes passed, 1 failed, in no time\n"
    )


def test_a_fault_of_the_rules_is_told_with_its_place(house: Path) -> None:
    more = '\nphase broken "Broken"\n  announce 3 / (coin of first of seating)\n'
    (house / "rules.edict").write_text(RULES + more, encoding="utf-8")
    difference = played(house, one("start: phase broken")).scenes[0].differences[0]
    assert difference.what == "the rules"
    assert difference.found.startswith("Broken: divided by zero, at sample/rules.edict:")


# --- scenes written wrongly ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "code", "remedy"),
    [
        ("start: phase wagse", 3, "S0001", "did you mean `phase wages`?"),
        ("start: nowhere", 3, "S0001", "a scene can start at `game`"),
        ("start: start of wages", 3, "S0001", "no rule waits for the start of `wages`; a scene can start at `phase"),
        ("start: when start of wagse", 3, "S0001", "did you mean `phase wages`?"),
        ("for: Anne\nstart: phase wages", 3, "S0001", "did you mean `Ann`?"),
        ("then:\n  coins: 3", 4, "S0003", "write `{player: value}`, as it is kept for each player"),
        ("then:\n  Ann:\n    coinz: 3", 5, "S0001", "did you mean `coin"),
        ("then:\n  winers: Ann", 4, "S0001", "did you mean `winners`?"),
        ("then:\n  Ann: {seating: [Ann]}", 4, "S0003", "write `seating:` outside, by itself"),
        ("then:\n  Ann: 3", 4, "S0003", "write `{coin: 2}`"),
        ("then:\n  Ann: 2 coin and 1 page", 4, "S0003", "write `{coin: 2}`"),
        ("then:\n  Ann: [coin, 2 coin]", 4, "S0003", "write `{coin: 2}`"),
        ("given:\n  Ann: {held: [pagee]}", 4, "S0001", "did you mean `page`?"),
        ("given:\n  Ann: {held: [page, page]}", 4, "S0003", "write it once"),
        ("given:\n  Ann: {held: Knight}", 4, "S0002", "write one of `red-knight` and `black-knight`"),
        ("given:\n  Ann: {held: {page: 1}}", 4, "S0003", "write a list in `[` and `]`"),
        ("given:\n  Ann: {dice: 7}", 4, "S0003", "write its face"),
        ("given:\n  seating: yes", 4, "S0001", "there are `Ann`, `Brian`"),
        ("given:\n  winners: Ann", 4, "S0001", "the names known here are"),
        ("given:\n  over: yes", 4, "S0001", "the names known here are"),
        ("given:\n  Ann reads: coin", 4, "S0003", "write it under `then`"),
        ("given:\n  Ann knows: seating", 4, "S0003", "delete it: everyone knows it"),
        ("given:\n  Ann knows: card-of", 4, "S0003", "write `card-of of (player)`"),
        ("play:\n  - Anna: page", 4, "S0001", "did you mean `Ann`?"),
        ("play:\n  - Ann kann: page", 4, "S0001", "did you mean `Ann can"),
        ("play:\n  - Ann: {page: 1}", 4, "S0003", "write a text or a number"),
        ("dice: three", 3, "S0003", "write the faces: `3 5 1`"),
        ("dice: {An: 3}", 3, "S0001", "did you mean `Ann`?"),
        ("then: {rest: changed}", 3, "S0003", "write `unchanged`"),
        ("then: {over: perhaps}", 3, "S0003", "write `yes` or `no`"),
        ("players: 4", 3, "S0005", "name 2 to 3 players"),
        ("players: [Ann, Ann]", 3, "S0005", "give each player a different name"),
        ("settings: {pey: 2}", 3, "S0005", "did you mean `pay`?"),
        ("thne: {}", 3, "E0144", "did you mean `then`?"),
        ("stop: now", 3, "E0145", "write `here`"),
        ("then: 3", 3, "E0145", "write the situation afterwards, as `name: value`"),
        ("play: Ann", 3, "E0145", "write what is done, step by step, as `- Ann: yes`"),
        ("given: &x {}", 3, "E0142", "write the text out"),
        ("given: {month: 9}", 3, "S0006", "write a number from 1 to 7"),
        ("given:\n  month: 0", 4, "S0006", "write a number from 1 to 7"),
        ("given: {Ann: {fame: -1}}", 3, "S0006", "write 0 or more"),
        ("given:\n  everyone: {rent: {fool: -3}}", 4, "S0006", "write a number from -2 to 2"),
        ("given: {trump: none}", 3, "S0006", "name one card"),
        ("given: {}\ngiven: {}", 4, "E0141", "keep one of the two"),
        ("given:\n  Zoe: {coin: 1}\nthen:\n  Zoe: {coin: 1}", 4, "S0001", "the players are Ann"),
        ("play:\n  - Zoe: page", 4, "S0001", "a step begins with a player (Ann"),
    ],
)
def test_a_scene_written_wrongly(house: Path, text: str, line: int, code: str, remedy: str) -> None:
    report = played(house, one(text))
    found = [*report.diagnostics, *(d for p in report.scenes for d in p.diagnostics)]
    assert [(d.code, d.span.line) for d in found] == [(code, line)], report.text()
    assert found[0].help.startswith(remedy)
    assert not report.ok


@pytest.mark.parametrize(
    "facts", ["{month: 1}", "{month: 7}", "{Ann: {fame: 0}}", "{Ann: {rent: {fool: -2}}}", "{Ann: {rent: {fool: 2}}}"]
)
def test_the_least_and_the_most_that_a_number_can_be_may_be_given(house: Path, facts: str) -> None:
    report = played(house, one(f"given: {facts}\nstop: here\nthen: {facts}"))
    assert report.ok, report.text()


@pytest.mark.parametrize("start", ["end of wages", "when end of wages", "moment wages end", "wages end"])
def test_a_scene_starts_at_a_moment_as_rules_name_it(house: Path, start: str) -> None:
    with (house / "rules.edict").open("a", encoding="utf-8") as rules:
        rules.write("\nwhen end of wages\n  each player\n    gain 2 coin\n")
    report = played(house, one(f"start: {start}\nthen: {{everyone: {{coins: 2}}}}"))
    assert report.ok, report.text()


def test_scenes_that_stand_alone_belong_under_their_key(house: Path) -> None:
    (house / "scenes" / "page.yaml").write_text("- name: A scene\n  start: phase wages\n", encoding="utf-8")
    (found,) = run_module(house).diagnostics
    assert (found.code, found.title) == ("E0145", "a list of scenes stands under `scenes:`")
    (house / "scenes" / "page.yaml").write_text(
        edited("- name: A scene\n  start: phase wages\n", found.edits), encoding="utf-8"
    )
    assert run_module(house).ok


def test_parts_of_a_scene_at_the_top_of_a_file_are_told_together(house: Path) -> None:
    report = played(house, "players: [Ann, Brian]\nname: A scene\nstart: phase wages\nthen: {Ann: {coins: 1}}\n")
    (found,) = report.diagnostics
    assert found.title == "`name`, `start` and `then` belong to an item of `scenes`" and found.span.line == 2


def test_why_an_answer_is_not_offered_is_told(house: Path) -> None:
    report = played(house, one("start: phase market\ngiven: {Ann: {held: [page]}}\nplay: [{Ann: Page}]"))
    (difference,) = report.scenes[0].differences
    assert difference.help.startswith("Page is not offered: ")
    assert f"help: {difference.help}" in report.text()


def test_of_what_is_no_answer_at_all_it_is_told_how_one_is_written(house: Path) -> None:
    report = played(house, one("start: phase market\nplay: [{Ann: a castle}]"))
    assert report.scenes[0].differences[0].help.startswith("an answer is the text of an option, as in `Ann: ")


@pytest.mark.parametrize(
    ("scene", "remedy"),
    [
        ("start: phase marketing", "did you mean `phase market`?"),
        ("given: {Ann: {coin 2, held: [page]}}", "a colon is missing: write `coin: 2`"),
    ],
)
def test_what_is_nearly_right_in_a_scene_is_told_as_it_is_written(house: Path, scene: str, remedy: str) -> None:
    (found,) = [d for one_ in played(house, one(scene)).scenes for d in one_.diagnostics]
    assert found.help == remedy


def test_what_chance_a_scene_lacks_is_told_with_how_to_add_it(house: Path) -> None:
    report = played(house, one("start: phase gamble"))
    assert "help: add to `dice` what comes, as in `dice: [1]`; write `stop: here` to end before it" in report.text()


def test_what_is_given_at_the_very_beginning_takes_the_place_of_what_rules_begin_with(house: Path) -> None:
    report = played(house, one("given: {month: 4}\nstop: here\nthen: {month: 4}"))
    assert report.ok, report.text()


def test_all_mistakes_of_a_scene_are_told_at_once(house: Path) -> None:
    text = "start: phase wagse\ngiven:\n  Ann: {coinz: 1, held: [pagee]}\n  Bryan: {coins: 1}\nthen:\n  winers: Ann"
    found = played(house, one(text)).scenes[0].diagnostics
    assert [d.span.line for d in found] == [5, 5, 6, 3, 8]


def test_wrong_rules_are_told_once(house: Path) -> None:
    (house / "rules.edict").write_text(RULES.replace("gain pay coin", "gain pay coyn"), encoding="utf-8")
    report = played(house, one("start: phase wages") + one("start: phase market").replace("A scene", "Another"))
    assert len(report.diagnostics) == 1 and report.left_out == 2
    assert "did you mean `coin" in report.text()


@pytest.mark.parametrize("name", ["nonesuch", "./nonesuch"])
def test_rules_that_are_not_there(name: str) -> None:
    report = run_module(name)
    assert not report.ok and report.diagnostics[0].help


def test_no_scenes_are_no_failure(house: Path) -> None:
    report = run_module(house)
    assert report.ok and not report.scenes


# --- the runner ---------------------------------------------------------------------------

THREE = "".join(
    one(f"start: phase wages\nthen: {{Ann: {{coins: {n}}}}}").replace("A scene", f"Scene {n}") for n in (1, 2, 3)
)


def test_only_the_scenes_wanted(house: Path) -> None:
    report = played(house, THREE, only="scene 1")
    assert (report.passed, report.left_out, report.ok) == (1, 2, True)
    assert played(house, THREE, only="PAGE.yaml").passed == 1
    assert played(house, THREE, only=lambda scene: scene.name.endswith("3")).left_out == 2


def test_the_first_failure_may_end_it(house: Path) -> None:
    report = played(house, THREE, fail_fast=True)
    assert (report.passed, len(report.failures), report.left_out) == (1, 1, 1)


def test_junit(house: Path) -> None:
    report = played(house, THREE + one("start: nowhere").replace("A scene", "Scene <4>"))
    suite = ElementTree.fromstring(to_junit(report))[0]
    assert {k: suite.attrib[k] for k in ("tests", "failures", "errors")} == {
        "tests": "4", "failures": "2", "errors": "1",
    }  # fmt: skip
    cases = {case.attrib["name"]: case for case in suite}
    assert len(cases["Scene 1"]) == 0
    assert cases["Scene 1"].attrib["classname"] == "sample.scenes.page"
    assert "expected  2" in (cases["Scene 2"][0].text or "")
    assert cases["Scene <4>"][0].tag == "error"


def test_programs_read_how_each_scene_went(house: Path) -> None:
    wrong = one("start: phase marketing").replace("A scene", "Scene 3")
    data: dict[str, Any] = as_data(played(house, THREE.partition("  - name: Scene 3")[0] + wrong))
    counts = {"name": str(house), "with": [], "ok": False, "passed": 1, "failed": 2, "otherwise": 0, "leftOut": 0}
    assert {key: data[key] for key in counts} == counts and data["diagnostics"] == []
    told = [{key: value for key, value in scene.items() if key != "seconds"} for scene in data["scenes"]]
    place: dict[str, Any] = {"file": "sample/scenes/page.yaml"}
    nothing: dict[str, Any] = {"differences": [], "diagnostics": []}
    different = {"what": "Ann, coin", "expected": "2", "found": "1", "line": 7, "help": ""}
    unknown = {
        "code": "S0001", "severity": "error", "title": "a scene cannot start at `phase marketing`",
        "help": "did you mean `phase market`?", **place, "line": 9, "column": 12,
    }  # fmt: skip
    assert told == [
        {"name": "Scene 1", **place, "line": 2, "outcome": "passed", **nothing},
        {"name": "Scene 2", **place, "line": 5, "outcome": "failed", **nothing, "differences": [different]},
        {"name": "Scene 3", **place, "line": 8, "outcome": "failed", **nothing, "diagnostics": [unknown]},
    ]


def test_scenes_of_a_module_are_played_over_its_game(house: Path, tmp_path: Path) -> None:
    module = tmp_path / "generous"
    (module / "scenes").mkdir(parents=True)
    manifest = "name: generous\ntitle: Generous\nversion: 1.0.0\nkind: module\nlanguage: 1\n"
    (module / "module.yaml").write_text(manifest, encoding="utf-8")
    change = "card queen \"Queen\"\n  value 5\n"
    (module / "change.edict").write_text(change, encoding="utf-8")
    text = one("start: phase market\nplay: [{Ann: queen}, {Brian: queen}]\nthen: {Ann: {coins: -5}}")
    (module / "scenes" / "page.yaml").write_text("scenes:\n" + text, encoding="utf-8")
    report = run_module(house, modules=[str(module)])
    assert report.ok
    report = run_module(module, modules=[str(house)])
    assert report.passed == 1, report.text()
    (module / "scenes" / "page.yaml").write_text("game: sample\nscenes:\n" + text, encoding="utf-8")
    report = run_module(module)
    assert report.passed == 1, report.text()


CHANGE = """\
amend card page
  value 5

remove card fool
"""


def test_scenes_that_modules_laid_over_them_make_come_out_otherwise_are_no_failures(
    house: Path, tmp_path: Path
) -> None:
    files = {"module.yaml": MANIFEST.replace("sample", "dear").replace("game", "module"), "change.edict": CHANGE}
    write(tmp_path / "dear", files)
    scenes = (
        "start: phase wages\nthen: {Ann: {coins: 1}}",
        "start: phase market\nplay: [{everyone: page}]\nthen: {Ann: {coins: -3}}",
        "start: phase wages\ngiven: {Ann: {held: [fool]}}",
        "start: phase wages\nthen: {Ann: {coins: 9}}",
    )
    page = "".join(one(text).replace("A scene", f"Scene {n}") for n, text in enumerate(scenes, 1))
    report = played(house, page, modules=[str(tmp_path / "dear")])
    assert (report.passed, len(report.otherwise), [one.scene.name for one in report.failures]) == (1, 2, ["Scene 4"])
    assert report.text().partition("DIFFERENT")[2].partition(", in ")[0] == (
        " sample/scenes/page.yaml:5  Scene 2\n  Ann, coin: -3; with dear -5\n"
        "DIFFERENT sample/scenes/page.yaml:9  Scene 3\n  there is no card `fool`\n\n"
        "1 scene passed, 1 failed, 2 different with dear"
    )
    skipped = [case[0].attrib for case in ElementTree.fromstring(to_junit(report)).iter("testcase") if len(case)]
    assert skipped[:2] == [{"message": "different with dear"}] * 2
    strict = played(house, page, modules=[str(tmp_path / "dear")], strict=True)
    assert (strict.passed, len(strict.otherwise), len(strict.failures)) == (1, 0, 3)


def test_a_scene_cannot_run_for_ever(house: Path) -> None:
    more = """
phase endless "Endless"
  repeat until every player has coin of it > 99
    each player
      choose a card as lost
      lose value of lost coin
"""
    (house / "rules.edict").write_text(RULES + more, encoding="utf-8")
    report = played(house, one("start: phase endless\nplay: {everyone: page}"))
    assert "asked question after question, and the game did not end" in report.scenes[0].differences[0].found


# --- the pages of the diagnostics ---------------------------------------------------------

PAGES = sorted((ROOT / "grammar" / "diagnostics").glob("S*.md"))
_BLOCK = re.compile(r"^```(\w+)(?: [^\n]+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page_parts(path: Path) -> dict[str, str]:
    """What a page says to avoid, to prefer, and what is said."""
    body = path.read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", body, re.MULTILINE | re.DOTALL))
    return {name: found[2] for name, text in parts.items() if (found := _BLOCK.search(text))}


def said_of(text: str) -> tuple[list[str], str]:
    """Codes and messages of a page of scenes for the sample game."""
    with tempfile.TemporaryDirectory() as folder:
        report = played(build(Path(folder) / "sample"), text)
    found = [*report.diagnostics, *(d for p in report.scenes for d in p.diagnostics)]
    return [d.code for d in found], render_all(found, report.sources) or ("" if report.ok else report.text())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_pages_of_diagnostics(path: Path) -> None:
    parts = page_parts(path)
    codes, said = said_of(parts["Avoid"])
    assert codes == [path.stem]
    assert said == parts["Message"]
    assert all(len(line) <= 100 for line in said.splitlines())
    assert said_of(parts["Prefer"]) == ([], "")


def test_every_code_of_scenes_has_a_page(root: Path) -> None:
    files = (root / "interpreter" / "edict" / "scenes").glob("*.py")
    codes = {code for file in files for code in re.findall(r"\bS\d{4}\b", file.read_text(encoding="utf-8"))}
    assert codes == {path.stem for path in PAGES}


def rewrite() -> None:
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        head, tail = text.split("## Message\n")
        said = said_of(page_parts(path)["Avoid"])[1]
        anew = head + "## Message\n" + _BLOCK.sub(partial(_fenced, said), tail)
        if anew != text:
            path.write_text(anew, encoding="utf-8")
            print(f"{path.name}: message written anew", file=sys.stderr)


def _fenced(said: str, _: re.Match[str]) -> str:
    return f"```text\n{said}```"


if __name__ == "__main__":
    rewrite()
