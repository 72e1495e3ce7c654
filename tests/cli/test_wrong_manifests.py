"""Manifests that are not lines of `key: value`: told once, in their place, by whatever reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from calling import write

from edict.cli.main import run
from edict.report import Diagnostic
from edict.service.workspace import Workspace
from edict.sources.folders import read_manifest

MANIFESTS = {
    "null": "~\n", "word": "hello\n", "list": "- a\n", "number": "5\n", "empty": "", "blank": "---\n", "[]": "[]\n",
}  # fmt: skip
RULES = 'resource coin "coin/coins"\n'
SCENES = "scenes:\n  - name: One\n    start: game\n"
COMMANDS = (
    "check sample", "check kingsburg --with ./sample", "test sample", "play ./sample --bot random",
    "play pig --with ./sample --bot random", "modules ./sample", "show coin --game ./sample",
    "moments --game ./sample", "names --game ./sample", "find coin --game ./sample", "rulebook ./sample",
    "diff ./sample", "graph --game ./sample", "study ./sample --games 1", "league ./sample", "train ./sample",
    "compare base ./sample", "profile ./sample", "schema coin --game ./sample", "transcribe ./sample",
    "new fresh --over ./sample",
)  # fmt: skip


def sample(folder: Path, manifest: str) -> Path:
    files = {"module.yaml": manifest, "rules.edict": RULES, "scenes/one.yaml": SCENES}
    write(folder, {f"sample/{name}": text for name, text in files.items()})
    return folder / "sample"


@pytest.mark.parametrize("what", MANIFESTS)
def test_what_is_wrong_is_told_with_its_place_and_a_remedy(tmp_path: Path, what: str) -> None:
    (found,) = read_manifest(sample(tmp_path, MANIFESTS[what])).diagnostics
    assert (found.code, found.span.file) == ("E0143" if what == "empty" else "E0145", "sample/module.yaml")
    assert found.span.line in (1, 2) and found.help


@pytest.mark.parametrize("what", ["null", "word", "number", "[]"])
def test_the_remedy_is_a_manifest_that_can_be_read(tmp_path: Path, what: str) -> None:
    (found,) = read_manifest(sample(tmp_path, MANIFESTS[what])).diagnostics
    lines = [part for part in found.help.split("`")[1::2] if part != "key: value"]
    assert read_manifest(sample(tmp_path, "\n".join(lines) + "\n")).unwrap().name == "my-rules"


@pytest.mark.parametrize("call", COMMANDS)
def test_every_command_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], call: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDICT_GAMES", str(tmp_path / "games"))
    for what, manifest in MANIFESTS.items():
        sample(tmp_path, manifest)
        code, said = run(call.split()), "".join(capsys.readouterr())
        assert code not in (0, None), (what, said)
        assert "internal error" not in said and "Traceback" not in said, (what, said)
        assert said.count("error E01") == 1 and said.count("sample/module.yaml:") == 1, (what, said)


@pytest.mark.parametrize("what", MANIFESTS)
def test_an_editor_says_so_too_while_it_is_typed(tmp_path: Path, what: str) -> None:
    folder = sample(tmp_path, "name: sample\ntitle: Sample\nversion: 1.0.0\nkind: module\n")
    space = Workspace([tmp_path])
    space.lay(folder / "module.yaml", MANIFESTS[what])
    found: list[Diagnostic] = []
    for rules in space.everything():
        found += rules.checked().found
    assert [one.code for one in found] == ["E0143" if what == "empty" else "E0145"]
