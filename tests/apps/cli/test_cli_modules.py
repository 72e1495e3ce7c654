"""The commands `modules` and `new --form`, and the reports of `test`."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from calling import GAME, make_manifest, run_kingsburg, write_files
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.input_limits import BLANK
from playout import play_random


def test_modules_prints_settings_and_origins(tmp_path: Path) -> None:
    told = run_kingsburg(tmp_path, "modules", "governors")
    assert told.returncode == 0
    assert "random-governors = off" in told.stdout
    assert re.search(r"things: \d+ \(.*reconstructed.*original", told.stdout)
    assert "Sorcerer (governor, single-source)" in told.stdout


def test_form_can_be_filled_in_and_played(tmp_path: Path) -> None:
    written = run_kingsburg(tmp_path, "new", "mine", "--form", "more-buildings")
    assert written.returncode == 0
    form = (tmp_path / "mine" / "cards.edict").read_text(encoding="utf-8")
    assert f'rewrite building sawmill "Sawmill"\n  row A\n  column 1\n  cost {BLANK}\n' in form
    gap = run_kingsburg(tmp_path, "check", "./mine")
    assert gap.returncode == 1
    assert "E0131" in gap.stdout + gap.stderr
    assert re.search(r"`sawmill` at more-buildings/buildings.edict:\d+", gap.stdout + gap.stderr)
    card = form.partition("# stands for sawmill")[2].partition("\n\n")[0].partition("rewrite")[2]
    (tmp_path / "mine" / "cards.edict").write_text(fill_form("rewrite" + card) + "\n", encoding="utf-8")
    assert run_kingsburg(tmp_path, "check", "./mine").returncode == 0
    program = compile_rules("kingsburg", (str(tmp_path / "mine"),)).unwrap()
    sawmill = next(t for k in program.kinds for t in k.things if t.name == "sawmill")
    assert (sawmill.words, sawmill.caption) == (
        "At the end of each summer, you may gain 1 wood.",
        "costs 1 gold, VP 2",
    )


def test_form_without_cards_is_refused_with_a_reason(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for module, reason in (
        ("soldier-tokens", "all its cards are already as printed"),
        ("long-winter", "no cards to fill in: it is written as rules"),
    ):
        with subtests.test(module=module):
            told = run_kingsburg(tmp_path, "new", "form", "--form", module)
            assert told.returncode == 2 and reason in told.stderr


def test_modules_describes_a_folder_of_the_user(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"mine/module.yaml": make_manifest("mine", requires="[kingsburg]"), "mine/x.edict": "adjust by\n"}
    )
    assert run_kingsburg(tmp_path, "modules", "./mine").returncode == 1
    write_files(tmp_path, {"mine/x.edict": 'setting merry "Everybody is merry" is off\n'})
    told = run_kingsburg(tmp_path, "modules", "./mine")
    assert (told.returncode, "merry = off: Everybody is merry" in told.stdout) == (0, True)


# --- the forms, filled in ---------------------------------------------------------------------------

FORMS = ("alternate-rows", "destiny", "governors", "more-buildings")
TOGETHER = (  # in this order, as test_whole_games has them too: compiled once for both
    "governors",
    "destiny",
    "advisor-tiles",
    "alternate-rows",
    "soldier-tokens",
    "more-buildings",
)
ABILITY = {
    "building": "when end of season if during summer\n    may gain 1 wood",
    "governor": "when end of winter\n    may gain 1 gold",
    "destiny": "when foretold-year\n    each player\n      gain 1 stone",
    "advisor": "",
}
FIELD = {"row": "B", "rank": "7", "worth": "2", "cost": "1 gold", "column": "1"}


def fill_form(form: str, title: str = "Card") -> str:
    """Fill in a form with plausible texts and numbered titles, each building in its own column."""
    lines: list[str] = []
    kind, number = "", 0
    for line in form.split("\n"):
        if line.startswith("rewrite"):
            kind, number = line.split()[1], number + 1
        field = line.strip().partition(" ")[0]
        words = ABILITY[kind] if line.strip() == BLANK else FIELD.get(field, "gain 1 gold")
        lines.append(line.replace(f'"{BLANK}"', f'"{title} {number}"').replace(BLANK, words) if kind else line)
    return "\n".join(lines)


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with every form filled in."""
    folder = tmp_path_factory.mktemp("box")
    for module in FORMS:
        assert run_kingsburg(folder, "new", f"{module}-transcribed", "--form", module).returncode == 0
    for file in folder.glob("**/cards.edict"):
        file.write_text(fill_form(file.read_text(encoding="utf-8"), file.parent.name), encoding="utf-8")
    return folder


def test_every_unprinted_card_is_on_its_form_and_marked_in_play(boxes: Path, subtests: pytest.Subtests) -> None:
    things = [thing for kind in compile_rules("kingsburg", TOGETHER).unwrap().kinds for thing in kind.things]
    for module in FORMS:
        with subtests.test(module=module):
            forms = "".join(
                file.read_text(encoding="utf-8") for file in boxes.glob(f"{module}-transcribed/**/cards.edict")
            )
            ours = [thing for thing in things if thing.module == module and thing.origin not in ("", "printed")]
            cards = [thing.name for thing in ours if thing.words]
            assert cards and all(re.search(rf"^rewrite \S+ {name} ", forms, re.M) for name in cards)
    captions = {thing.name: thing.caption for thing in things}
    assert "reconstructed" in captions["damsel-governor"] and "original" in captions["steward-governor"]
    assert "reconstructed" not in captions["merchant"]


@pytest.mark.slow  # compiles eight modules; one form is filled in and compiled above
def test_filled_forms_can_be_played_together(boxes: Path) -> None:
    mine = [str(boxes / f"{module}-transcribed") for module in FORMS]
    besides = ["soldier-tokens", "advisor-tiles", "first-edition", "goblin-valley"]
    outcome = compile_rules("kingsburg", (*mine, *besides))
    assert [d for d in outcome.diagnostics if d.severity == "warning"] == []
    for players in (2, 5):
        play_random(outcome.unwrap(), players, Random(players))


# --- scenes ------------------------------------------------------------------------------------------

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
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/page.edict": GAME,
            "sample/scenes/all.yaml": SCENES.replace("WORTH", "5"),
            "rich/module.yaml": make_manifest("rich", requires="[sample]"),
            "rich/page.edict": "when game-start\n  each player\n    gain 1 coin\n",
        },
    )
    page = GAME.replace("  course\n", "  course\n    trigger game-start\n") + "\nmoment game-start\n"
    (tmp_path / "sample" / "page.edict").write_text(page, encoding="utf-8")
    return tmp_path


def test_junit_report_can_be_parsed(house: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    (house / "sample" / "scenes" / "all.yaml").write_text(SCENES.replace("WORTH", "6"), encoding="utf-8")
    write_files(house, {"rich/scenes/bad.yaml": "scenes:\n  - nmae: x\n"})
    done = run_kingsburg(house, "test", "sample", "rich", "--junit", "out.xml")
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


def test_scenes_changed_by_a_module_fail_only_if_strict(house: Path) -> None:
    done = run_kingsburg(house, "test", "sample/scenes")
    assert done.returncode == 0 and "2 scenes passed" in done.stdout, "the folder stands for the rules beside it"
    done = run_kingsburg(house, "test", "sample", "--with", "rich")
    assert done.returncode == 0 and "FAILED" not in done.stdout, done.stdout
    assert "DIFFERENT sample/scenes/all.yaml:2  The left gives one\n  Ann, coin: 4; with rich 5\n" in done.stdout
    assert "0 scenes passed, 2 different with rich, in" in done.stdout
    done = run_kingsburg(house, "test", "sample", "--with", "rich", "--strict")
    assert done.returncode == 1 and done.stdout.count("FAILED") == 2
    (house / "rich" / "page.edict").write_text("amend card ase\n  worth 2\n", encoding="utf-8")
    done = run_kingsburg(house, "test", "sample", "--with", "rich")
    assert done.returncode == 1 and done.stdout.count("E0172") == 1, "what cannot be laid over is an error"


def test_scenes_can_be_selected_and_long_logs_are_cut(house: Path) -> None:
    assert "1 scene passed, 1 skipped" in run_kingsburg(house, "test", "sample", "-k", "ACE").stdout
    none = run_kingsburg(house, "test", "sample", "-k", "nothing like it")
    assert none.returncode == 2 and "drop -k" in none.stderr
    long = GAME.replace("gain 1 coin", "repeat 60 times\n            gain 1 coin")
    (house / "sample" / "page.edict").write_text(long, encoding="utf-8")
    told = run_kingsburg(house, "test", "sample", "-k", "left").stdout
    assert "lines not shown):" in told and len(told.splitlines()) < 60


def test_run_without_scenes_is_no_success(house: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    done = run_kingsburg(house, "test", "rich", "--junit", "out.xml")
    assert done.returncode == 2 and done.stdout == "no scenes\n"
    assert "no scenes to run: `rich` has none\nhelp: write one in `scenes/NAME.yaml`" in done.stderr
    assert junitparser.JUnitXml.fromfile(str(house / "out.xml")).tests == 0
    covered = run_kingsburg(house, "test", "rich", "--coverage")
    assert covered.returncode == 2 and "covered: 0.0 %" in covered.stdout and "no scenes to run" in covered.stderr
    both = run_kingsburg(house, "test", "sample", "rich")
    assert both.returncode == 0 and "rich: no scenes\n" in both.stdout
