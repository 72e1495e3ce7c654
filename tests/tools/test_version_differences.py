"""The command `report`: what another engine, or another version of a module, changes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from calling import GAME, ROOT, make_environment, make_manifest, run_kingsburg, write_files

RIVERS = "amend card ace\n  worth {worth}\n"
SCENE = """\
game: pond
scenes:
  - name: The ace pays
    players: [Ann]
    play: [Ann: Left, Ann: Up]
    then: {Ann: {coins: 4}}
"""
REPORT = ("report", "--against")
FEW = ("--games", "4")


def make_rivers(version: str, worth: int) -> dict[str, str]:
    """Return the files of a module in some version."""
    manifest = make_manifest("rivers", version=version, requires="[pond]", language="1")
    return {"rivers/module.yaml": manifest, "rivers/rules.edict": RIVERS.format(worth=worth)}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Return a folder with the game `pond`, and over it `rivers`, `mills` over that, and `taxes`."""
    files = {
        "pond/module.yaml": make_manifest("pond", "game", language="1"),
        "pond/rules.edict": GAME.replace("gain 1 coin", "gain worth of ace coin").replace("game sample", "game pond"),
        "taxes/module.yaml": make_manifest("taxes", requires="[pond]", language="1"),
        "taxes/rules.edict": "card king\n  worth 2\n",
        "mills/module.yaml": make_manifest("mills", requires='[pond, "rivers>=1"]', language="1"),
        "mills/rules.edict": "card queen\n  worth 2\n",
        "mills/scenes/ace.yaml": SCENE,
    }
    write_files(tmp_path / "house", files | make_rivers("1.2.0", 1))
    write_files(tmp_path / "old", make_rivers("1.1.0", 2))
    return tmp_path / "house"


def test_report_names_scenes_and_games_that_another_version_of_a_requirement_changes(house: Path) -> None:
    done = run_kingsburg(house, "report", "mills", "taxes", "--against", "rivers=../old/rivers", *FEW)
    lines = done.stdout.splitlines()
    assert re.fullmatch(
        r"1 of 2 modules unchanged; mills: 1 scene fails under rivers 1\.1\.0"
        r" and [1-4] of 4 games with the same seeds go differently",
        lines[0],
    ), done.stdout + done.stderr
    assert done.returncode == 1 and "compared: rivers 1.2.0 with rivers 1.1.0" in lines
    assert "  fails under rivers 1.1.0: mills/scenes/ace.yaml:3  The ace pays" in lines
    assert "    Ann, coin: expected 4, found 5" in lines
    assert any(re.match(r"  winning score per game: [\d.]+ under rivers 1\.2\.0", line) for line in lines)


def test_report_annotates_scenes_at_their_lines(house: Path) -> None:
    done = run_kingsburg(house, *REPORT, "rivers=../old/rivers", "--games", "0", "--format", "github")
    expected = (
        "::error file=mills/scenes/ace.yaml,line=3,title=fails under rivers 1.1.0"
        "::The ace pays%0AAnn, coin: expected 4, found 5\n"
    )
    assert done.stdout == expected, done.stderr


def test_report_reads_a_version_from_an_archive(house: Path) -> None:
    archive = house.parent / "rivers.zip"
    with ZipFile(archive, "w") as zipped:
        for name, text in make_rivers("1.1.0", 2).items():
            zipped.writestr(name, text)
    done = run_kingsburg(house, *REPORT, "rivers=../rivers.zip", "--games", "0", "--format", "json")
    document = json.loads(done.stdout)
    assert document["against"] == "rivers 1.1.0" and document["unchanged"] == 2
    changed = {module["name"]: module["said"] for module in document["modules"] if not module["same"]}
    assert changed == {"mills": "1 scene fails under rivers 1.1.0"}


def test_report_names_findings_that_only_one_version_has(house: Path) -> None:
    write_files(house.parent / "old", make_rivers("0.9.0", 1))
    done = run_kingsburg(house, *REPORT, "rivers=../old/rivers", "--games", "0", "--format", "json")
    mills = next(module for module in json.loads(done.stdout)["modules"] if module["name"] == "mills")
    assert mills["said"].startswith("1 finding only under rivers 0.9.0")
    assert mills["differences"][0]["text"].startswith("E0186 "), mills


def test_same_engine_changes_nothing(house: Path) -> None:
    done = run_kingsburg(house, "report", "mills", "--against-python", sys.executable, *FEW)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("1 module unchanged\n")


def test_report_refuses_what_it_cannot_compare(house: Path, subtests: pytest.Subtests) -> None:
    write_files(house, {"copy/module.yaml": (house / "taxes/module.yaml").read_text("utf-8")})
    for words, reason in {
        ("mills",): "missing what to compare with",
        ("mills", "--against", "kingsburg=1"): "`kingsburg` comes with the engine",
        ("mills", "--against", "one"): "`one` is not a version",
        ("mills", "--against", "rivers=../nowhere"): "is no module",
        ("mills", "--against", "rivers=taxes"): "holds the module `taxes`",
        ("mills", "--against-python", "nowhere"): "is no Python",
        ("mills", "--against-python", "/bin/true"): "cannot run `kingsburg",
        ("mills", "--against", "1.0", "--against", "1.1"): "two other engines",
        ("rivers", "--against", "rivers=../old/rivers"): "no other module to report on",
        ("taxes", "copy", "--against-python", sys.executable): "two modules are called `taxes`",
    }.items():
        with subtests.test(words=words):
            done = run_kingsburg(house, "report", *words)
            assert done.returncode == 2 and reason in done.stderr, done.stdout + done.stderr


def test_version_that_cannot_be_had_is_refused_with_a_way_out(house: Path) -> None:
    nowhere = {"PIP_NO_INDEX": "1", "XDG_STATE_HOME": str(house / "state")}
    done = run_kingsburg(house, *REPORT, "0.0.1", **nowhere)
    assert done.returncode == 2 and "`kingsburg==0.0.1` cannot be had: No matching distribution" in done.stderr
    assert "--against-python" in done.stderr and not list((house / "state").rglob("0.0.1*"))
    done = run_kingsburg(house, *REPORT, "rivers=0.0.1", **nowhere)
    assert "`edict-rivers==0.0.1` cannot be had" in done.stderr


def test_files_of_the_workspace_are_not_imported(house: Path) -> None:
    write_files(house, {"edict.py": "raise SystemExit('imported')\n", "json.py": "raise SystemExit('imported')\n"})
    done = run_kingsburg(house, "report", "taxes", "--against-python", sys.executable, "--games", "0")
    assert done.stdout.splitlines()[0] == "1 module unchanged" and "not played" not in done.stdout, done.stderr


@pytest.mark.slow
def test_report_installs_another_version_of_the_engine(house: Path) -> None:
    """An engine in which the Squire gives more, from a wheel as an index has it."""
    source = house.parent / "engine"
    for name in ("interpreter", "grammar", "rules", "modules", "examples", "docs", "editors"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "build_tables.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    (source / "interpreter/edict/support/version.py").write_text('__version__ = "0.9.0"\n', "utf-8")
    advisors = source / "rules/advisors.edict"
    text = advisors.read_text("utf-8")
    changed = re.sub(r"(advisor squire.*?reward gain )1", r"\g<1>2", text, count=1, flags=re.DOTALL)
    assert changed != text
    advisors.write_text(changed, "utf-8")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "wheels", "."]
    subprocess.run(build, cwd=source, env=make_environment(house), check=True, capture_output=True)
    squire = """\
game: kingsburg
scenes:
  - name: The Squire pays
    players: [Ann, Brian]
    start: effect squire reward
    for: Ann
    then: {Ann: {gold: 1}, rest: unchanged}
"""
    mills = {"mills/module.yaml": make_manifest("mills", requires="[kingsburg]", language="1")}
    write_files(house, mills | {"mills/rules.edict": "", "mills/scenes/ace.yaml": squire})
    index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(source / "wheels"), "PIP_NO_DEPS": "1"}
    state = {"XDG_STATE_HOME": str(house.parent / "state")}
    done = run_kingsburg(house, *REPORT, "0.9.0", "mills", *FEW, **index, **state)
    assert "compared: 1.0.0 with 0.9.0" in done.stdout, done.stdout + done.stderr
    assert "mills: 1 scene fails under 0.9.0" in done.stdout
    again = run_kingsburg(house, "report", "mills", "--against", "0.9.0", "--games", "0", **state, PIP_NO_INDEX="1")
    assert again.returncode == 1, "it is kept"
