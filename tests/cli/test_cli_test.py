"""`test` for people and build servers: JUnit, a choice of scenes, and what other modules make of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from calling import GAME, kingsburg, manifest, write

SCENES = """\
scenes:
  - name: The left gives one
    players: [Ann, Brian]
    play:
      - everyone: Left
      - Ann: Up
      - Brian: Down
    then:
      Ann: {coins: 4}
      Brian: {coins: 5}
  - name: The ace is worth one
    players: [Ann]
    play: [Ann: Right, Ann: Up]
    then:
      Ann: {coins: WORTH}
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    write(tmp_path, {
        "sample/module.yaml": manifest("sample", "game"), "sample/page.edict": GAME,
        "sample/scenes/all.yaml": SCENES.replace("WORTH", "5"),
        "rich/module.yaml": manifest("rich", requires="[sample]"),
        "rich/page.edict": "when game-start\n  each player\n    gain 1 coin\n",
    })  # fmt: skip
    page = GAME.replace("  course\n", "  course\n    trigger game-start\n") + "\nmoment game-start\n"
    (tmp_path / "sample" / "page.edict").write_text(page, encoding="utf-8")
    return tmp_path


def test_junit_is_read_back(house: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    (house / "sample" / "scenes" / "all.yaml").write_text(SCENES.replace("WORTH", "6"), encoding="utf-8")
    write(house, {"rich/scenes/bad.yaml": "scenes:\n  - nmae: x\n"})
    done = kingsburg(house, "test", "sample", "rich", "--junit", "out.xml")
    assert done.returncode == 1
    suites = junitparser.JUnitXml.fromfile(str(house / "out.xml"))
    assert (suites.tests, suites.failures, suites.errors) == (3, 1, 1)
    first, second = suites
    assert (first.name, first.tests, second.name, second.errors) == ("sample", 2, "rich", 1)
    good, bad = first
    assert good.is_passed and good.classname == "sample.scenes.all" and good.name == "The left gives one"
    (failure,) = bad.result
    assert isinstance(failure, junitparser.Failure) and failure.type == "scene"
    assert "- expected  6" in failure.text and "+ found     5" in failure.text and "what happened:" in failure.text


def test_the_folder_of_scenes_stands_for_the_rules_beside_it(house: Path) -> None:
    done = kingsburg(house, "test", "sample/scenes")
    assert done.returncode == 0 and "2 scenes passed" in done.stdout


def test_scenes_that_a_module_changes_come_out_otherwise(house: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    done = kingsburg(house, "test", "sample", "--with", "rich", "--junit", "out.xml")
    assert done.returncode == 0, done.stdout
    assert "DIFFERENT sample/scenes/all.yaml:2  The left gives one\n  Ann, coin: 5, not 4\n" in done.stdout
    assert "0 scenes passed, 2 different with rich, in" in done.stdout
    assert "FAILED" not in done.stdout
    suites = junitparser.JUnitXml.fromfile(str(house / "out.xml"))
    assert (suites.tests, suites.failures, [case.is_skipped for case in next(iter(suites))]) == (2, 0, [True, True])


def test_strict_makes_failures_of_them(house: Path) -> None:
    done = kingsburg(house, "test", "sample", "--with", "rich", "--strict")
    assert done.returncode == 1 and done.stdout.count("FAILED") == 2


def test_a_scene_that_fails_anyway_is_a_failure(house: Path) -> None:
    (house / "sample" / "scenes" / "all.yaml").write_text(SCENES.replace("WORTH", "9"), encoding="utf-8")
    done = kingsburg(house, "test", "sample", "--with", "rich")
    assert done.returncode == 1
    assert "1 failed, 1 different with rich" in done.stdout


def test_modules_that_cannot_be_laid_over_are_an_error(house: Path) -> None:
    (house / "rich" / "page.edict").write_text("amend card ase\n  worth 2\n", encoding="utf-8")
    done = kingsburg(house, "test", "sample", "--with", "rich")
    assert done.returncode == 1 and done.stdout.count("E0172") == 1


def test_a_choice_of_scenes(house: Path) -> None:
    assert "1 scene passed, 1 left out" in kingsburg(house, "test", "sample", "-k", "ACE").stdout
    none = kingsburg(house, "test", "sample", "-k", "nothing like it")
    assert none.returncode == 2 and "leave out -k" in none.stderr


def test_a_long_log_is_cut_at_its_beginning(house: Path) -> None:
    long = GAME.replace("gain 1 coin", "repeat 60 times\n            gain 1 coin")
    (house / "sample" / "page.edict").write_text(long, encoding="utf-8")
    told = kingsburg(house, "test", "sample", "-k", "left").stdout
    assert "lines not shown here:" in told and len(told.splitlines()) < 60


def test_to_test_nothing_is_no_success(house: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    done = kingsburg(house, "test", "rich", "--junit", "out.xml")
    assert done.returncode == 2 and done.stdout == "no scenes\n"
    assert "nothing was tested: `rich` has no scenes\nhelp: write one in `scenes/NAME.yaml`" in done.stderr
    assert junitparser.JUnitXml.fromfile(str(house / "out.xml")).tests == 0
    covered = kingsburg(house, "test", "rich", "--coverage")
    assert covered.returncode == 2 and "covered: 0.0 %" in covered.stdout and "nothing was tested" in covered.stderr
    both = kingsburg(house, "test", "sample", "rich")
    assert both.returncode == 0 and "rich: no scenes\n" in both.stdout
