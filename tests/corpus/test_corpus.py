"""Rules of every edition as they were given out: each checks, passes its scenes and plays its games as ever.

`recorded.yaml` has the final scores of five games of each, and what is different now, each with its line in the change
log. `PYTHONPATH=tests/kit python tests/corpus/test_corpus.py` adds the games of new members.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from calling import ROOT, run_kingsburg
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.folders import read_manifest
from edict.compiler.syntax.automaton import words_by_kind
from edict.compiler.syntax.printing.canonical import scan_source
from edict.compiler.syntax.reserved_words import find_reserved_sorts
from edict.game.scenes.scene_runner import run_module
from edict.game.table.rules import Rules, load_rules
from edict.runtime.program import plays_alike
from edict.support.text import EDITION

CORPUS = Path(__file__).parent
MEMBERS = sorted(manifest.parent for manifest in CORPUS.glob("*/*/module.yaml"))
RECORD = CORPUS / "recorded.yaml"
GAMES = 5
PLAYERS = ("Ann", "Brian", "Cindy", "David", "Emma", "Frank", "Grace", "Henry")
OVER = "kingsburg"
OLDER = "E0167"  # rules of an older edition that are read otherwise than today's

each_member = pytest.mark.parametrize("folder", MEMBERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")


def locate_rules(folder: Path) -> tuple[str, tuple[str, ...]]:
    """Return game and modules: the folder itself, or the folder over the game that it needs."""
    manifest = read_manifest(folder).unwrap()
    game = next((name for name in manifest.requires if (ROOT / "examples" / name).is_dir()), OVER)
    return (str(folder), ()) if manifest.kind == "game" else (game, (str(folder),))


@cache
def load_member(folder: Path) -> Rules:
    return load_rules(*locate_rules(folder))


def play_game(rules: Rules, seed: int) -> list[int]:
    """Return the final scores of a game in which every answer is drawn from the options by their keys."""
    least, most = rules.program.least_players, rules.program.most_players
    game = rules.new_game(PLAYERS[: least + seed % (most - least + 1)], seed)
    rng = Random(seed)
    while not game.over:
        game.answer(rng.choice(sorted(game.ask.keys)))
    return list(game.scores().values())


def play_games(rules: Rules) -> list[list[int]]:
    return [play_game(rules, seed) for seed in range(1, GAMES + 1)]


def read_record() -> dict[str, dict[str, Any]]:
    record: dict[str, dict[str, Any]] = yaml.safe_load(RECORD.read_text(encoding="utf-8"))
    return record


def find_record(folder: Path) -> dict[str, Any]:
    return read_record()[f"{folder.parent.name}/{folder.name}"]


def find_failing_scenes(folder: Path) -> set[str]:
    report = run_module(folder)
    assert not report.diagnostics, report.text()
    return {played.scene.name for played in report.failures}


def test_each_edition_has_members_and_each_member_a_record() -> None:
    assert {folder.parent.name for folder in MEMBERS} == {str(edition) for edition in range(EDITION + 1)}
    assert sorted(f"{folder.parent.name}/{folder.name}" for folder in MEMBERS) == sorted(read_record())


def test_what_is_different_now_stands_in_the_change_log(subtests: pytest.Subtests) -> None:
    log = " ".join((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split())
    for name, record in read_record().items():
        for what, line in (record.get("scenes", {}) | record.get("warnings", {})).items():
            with subtests.test(member=name, what=what):
                assert line in log


@pytest.mark.slow
def test_no_further_word_is_refused_as_a_name() -> None:
    recorded = yaml.safe_load((CORPUS / "reserved.yaml").read_text(encoding="utf-8"))
    refused = {
        (word, sort) for word in words_by_kind().values() if word.isalpha() for sort in find_reserved_sorts(word)
    }
    assert refused <= {(word, sort) for word, sorts in recorded.items() for sort in sorts.split()}


@each_member
@pytest.mark.sample(4)
def test_member_checks_passes_its_scenes_and_plays_its_games(folder: Path, subtests: pytest.Subtests) -> None:
    record = find_record(folder)
    with subtests.test("check"):
        diagnostics = check_rules(*locate_rules(folder)).diagnostics
        assert not [diagnostic.title for diagnostic in diagnostics if diagnostic.is_error]
        assert {diagnostic.code for diagnostic in diagnostics} - {OLDER} == set(record.get("warnings", ()))
    with subtests.test("scenes"):
        assert find_failing_scenes(folder) == set(record.get("scenes", ()))
    with subtests.test("games"):
        assert play_games(load_member(folder)) == record["scores"]


@each_member
@pytest.mark.sample(2)
def test_upgraded_member_is_current_and_plays_the_same(folder: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    copy, record = shutil.copytree(folder, tmp_path / folder.name), find_record(folder)
    done = run_kingsburg(tmp_path, "upgrade", str(copy))
    assert done.returncode == 0, done.stderr
    with subtests.test("edition"):
        is_older = folder.parent.name != str(EDITION)
        assert (f"+language: {EDITION}\n" in done.stdout) == is_older
        assert read_manifest(copy).unwrap().language == EDITION
        assert OLDER not in {diagnostic.code for diagnostic in check_rules(*locate_rules(copy)).diagnostics}
    with subtests.test("scenes that ask for something else are named"):
        named = [line for line in done.stdout.splitlines() if line.startswith("  FAILED ")]
        assert len(named) == len(record.get("scenes", ()))
        assert all(any(scene in line for line in named) for scene in record.get("scenes", ()))
    with subtests.test("play"):
        upgraded = load_rules(*locate_rules(copy))
        assert plays_alike(upgraded.program, load_member(folder).program)
        assert play_game(upgraded, 1) == record["scores"][0]
    for file in copy.rglob("*.edict"):
        with subtests.test(file=file.name):
            old, new = ((at / file.relative_to(copy)).read_text(encoding="utf-8") for at in (folder, copy))
            assert old.count("\n") == new.count("\n")
            assert [comment.text for comment in scan_source(old).comments] == [
                comment.text for comment in scan_source(new).comments
            ]
    with subtests.test("again"):
        texts = {file: file.read_bytes() for file in copy.rglob("*.*")}
        assert f"already uses edition {EDITION}\n" in run_kingsburg(tmp_path, "upgrade", str(copy)).stdout
        assert texts == {file: file.read_bytes() for file in copy.rglob("*.*")}


def iter_new_records() -> Iterator[str]:
    """Yield the lines of each member that has no record yet."""
    known = read_record()
    for folder in MEMBERS:
        name = f"{folder.parent.name}/{folder.name}"
        if name not in known:
            yield f"{name}:\n  scores: {play_games(load_member(folder))}\n"


if __name__ == "__main__":
    with RECORD.open("a", encoding="utf-8") as file:
        file.writelines(iter_new_records())
