"""Renames of names in older rules that are keywords of the current edition, in all files of a module and above it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from calling import run_kingsburg
from edict.apps.cli.commands import upgrade as upgrade_command
from edict.compiler.pipeline.compile import check_rules, compile_rules
from edict.compiler.sources.appearance import combine_looks
from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.syntax.editions import module_renames
from edict.compiler.syntax.editions.module_renames import assign_renames
from edict.game.scenes.scene_runner import run_module
from edict.game.table.rules import find_new_renames, load_bundled_rules, load_rules, migrate_journal
from edict.runtime.program import plays_alike
from edict.support.files import write_atomically
from edict.support.text import EDITION

GAME = {
    "module.yaml": """\
name: old
title: Old
version: 1.0.0
kind: game
book:
  - place: day
    text: A day is short.
""",
    "rules.edict": """\
# What there is. All of it counts.
resource coin "coin/coins"
keep seats as order of player, quiet
keep all as number
quantity a is 2  # a few
setting an "How many days" is 3 from 1 to 5
kind stall "stall/stalls"
  worth number
table of stall with worth
  each    4
  corner  2
keep open as stall or none
game old "Old"
  players 2 to 2
  order seats
  winners everyone
  score coin of you
  course
    repeat an times
      each player
        play day
""",
    "turns.edict": """\
phase day
  add a to all  # a day more
  choose a stall as booth
  choose a player as friend
  if all > a and open is none
    set open to each
  if open is each
    gain all coins
  for friend
    gain a coins
""",
    "look.yaml": "cards:\n  all: {empty: back}\n",
    "scenes/days.yaml": """\
players: [Ann, Brian]
scenes:
  - name: All counts
    settings: {an: 1}
    given: {all: 5, Ann: {coin: 1}}
    start: phase day
    play:
      - Ann: each
      - Ann: Brian
      - now: {all: 7, open: each}
    then: {all: 7, a: 2}
""",
}
OVER = {
    "module.yaml": "name: richer\ntitle: Richer\nversion: 1.0.0\nkind: module\nrequires: [old]\n",
    "richer.edict": """\
adjust a by 1
stall third
  worth 3
when end of day
  add 1 to all
""",
    "scenes/more.yaml": """\
game: old
players: [Ann, Brian]
scenes:
  - name: All counts once more
    given: {all: 5}
    start: phase day
    play:
      - Ann: Each
      - Ann: Brian
    then: {all: 9, open: each, a: 3}
""",
}


def write_module(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def assert_no_errors(folder: Path) -> None:
    wrong = [found for found in check_rules(folder).diagnostics if found.is_error]
    assert not wrong, wrong
    report = run_module(folder)
    assert report.ok and report.scenes, report.text()


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write_module(tmp_path / "old", GAME)


@pytest.fixture
def richer(old: Path) -> Path:
    return write_module(old.parent / "richer", OVER)


def read_all(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in sorted(folder.rglob("*.*"))}


def upgrade(folder: Path) -> None:
    done = run_kingsburg(folder.parent, "upgrade", str(folder))
    assert done.returncode == 0, done.stderr
    assert read_manifest(folder).unwrap().language == EDITION


def test_clashing_name_means_the_same_in_all_files_of_a_module(old: Path) -> None:
    assert_no_errors(old)


def test_upgraded_module_plays_as_before(old: Path) -> None:
    before = compile_rules(old).unwrap()
    upgrade(old)
    after = compile_rules(old).unwrap()
    assert plays_alike(before, after) and after.renamed == before.renamed
    assert_no_errors(old)
    written = read_all(old)
    assert run_kingsburg(old.parent, "upgrade", str(old)).returncode == 0 and read_all(old) == written


@pytest.mark.parametrize("order", [(), ("old",), ("richer",), ("old", "richer"), ("richer", "old")])
def test_module_follows_the_new_names_of_the_one_it_is_laid_over(richer: Path, order: tuple[str, ...]) -> None:
    before = compile_rules(richer.parent / "old", [str(richer)])
    for name in order:
        upgrade(richer.parent / name)
    assert plays_alike(before.unwrap(), compile_rules(richer.parent / "old", [str(richer)]).unwrap())
    assert_no_errors(richer)


def test_new_name_avoids_every_name_of_the_module(old: Path) -> None:
    turns = old / "turns.edict"
    turns.write_text(turns.read_text(encoding="utf-8") + "  let my-all = 1\n  gain my-all coins\n", encoding="utf-8")
    assert ("all", "my-all-2") in compile_rules(old).unwrap().renamed
    upgrade(old)
    assert "keep my-all-2 as number" in (old / "rules.edict").read_text(encoding="utf-8")
    assert_no_errors(old)


def test_local_does_not_capture_a_new_name(richer: Path) -> None:
    text = "when end of day\n  let my-all = 2\n  gain my-all coins\n  add 1 to all\n"
    (richer / "richer.edict").write_text(text, encoding="utf-8")
    upgrade(richer)
    now = "when end of day\n  let my-my-all = 2\n  gain my-my-all coins\n  add 1 to my-all\n"
    assert (richer / "richer.edict").read_text(encoding="utf-8") == now


def test_name_that_is_taken_by_a_new_name_is_told_with_its_place(richer: Path) -> None:
    (richer / "richer.edict").write_text("keep my-all as number\n", encoding="utf-8")
    written = read_all(richer)
    refused = run_kingsburg(richer.parent, "upgrade", str(richer))
    assert refused.returncode == 1 and "richer.edict:1:6: error E0170" in refused.stderr
    assert read_all(richer) == written


def test_files_beside_another_module_follow_its_new_names(richer: Path, subtests: pytest.Subtests) -> None:
    manifest = OVER["module.yaml"].replace("richer", "later")
    later = write_module(richer.parent / "later", {"module.yaml": manifest, "later.edict": "keep best as number\n"})
    write_module(richer, {"with/later/both.edict": "when start of day\n  add all to best\n"})
    before = compile_rules(richer.parent / "old", [str(richer), str(later)]).unwrap()
    for folder in (richer, later):
        with subtests.test(folder=folder):
            upgrade(folder)
            after = compile_rules(richer.parent / "old", [str(richer), str(later)]).unwrap()
            assert plays_alike(before, after)
    both = (richer / "with" / "later" / "both.edict").read_text(encoding="utf-8")
    assert both == "when start of day\n  add my-all to my-best\n"


def test_look_follows_the_new_names(old: Path) -> None:
    for _ in range(2):
        assert combine_looks(assign_renames(gather_modules(str(old)).unwrap())).cards["my-all"].empty == "back"
        upgrade(old)


def test_manifest_keeps_its_former_names_and_passages(old: Path) -> None:
    manifest = old / "module.yaml"
    text = manifest.read_text(encoding="utf-8").replace("place: day", "place: all")
    manifest.write_text(text + "renamed:\n  everything: all\n", encoding="utf-8")
    upgrade(old)
    read = read_manifest(old).unwrap()
    assert dict(read.renamed) == {name: f"my-{name}" for name in ("a", "all", "an", "each")} | {"everything": "my-all"}
    assert read.book[0].place == "my-all"


def test_saved_game_goes_on_under_upgraded_rules(old: Path, tmp_path: Path) -> None:
    game = load_rules(str(old)).new_game(["Ann", "Brian"], seed=1, journal=tmp_path / "a.journal", settings={"an": 2})
    game.answer(game.ask.keys[0])
    game.answer(game.ask.keys[0])
    game.close()
    upgrade(old)
    again = load_rules(str(old))
    assert again.replay(tmp_path / "a.journal").state == game.state
    assert migrate_journal(again, game.journal).game.state == game.state
    assert load_bundled_rules(game.journal).replay(game.journal).state == game.state


def test_saved_game_with_the_names_as_they_were_goes_on(old: Path, tmp_path: Path) -> None:
    rules = load_rules(str(old))
    game = rules.new_game(["Ann", "Brian"], seed=1, settings={"an": 2})
    game.answer(game.ask.keys[0])
    game.answer(game.ask.keys[0])
    former = {new: name for name, new in rules.program.renamed}
    header = replace(game.journal.header, settings={former[k]: v for k, v in game.journal.header.settings.items()})
    answers = tuple(replace(one, key=former.get(one.key, one.key)) for one in game.journal.answers)
    journal = replace(game.journal, header=header, answers=answers)
    assert journal.answers[0].key == "each"
    assert rules.replay(journal).state == game.state
    upgrade(old)
    now = load_rules(str(old))
    journal = replace(journal, header=replace(header, meaning=""))
    again = migrate_journal(now, journal, find_new_renames(now.program, rules.program))
    assert again.rejected is None and again.game.state == game.state


def test_nothing_is_rewritten_where_a_file_cannot_be_read(old: Path) -> None:
    turns = old / "turns.edict"
    turns.write_text(turns.read_text(encoding="utf-8") + "  gain all all coins\n", encoding="utf-8")
    written = read_all(old)
    refused = run_kingsburg(old.parent, "upgrade", str(old))
    assert refused.returncode == 1 and "turns.edict:11" in refused.stderr
    assert read_all(old) == written


def test_files_stay_as_they_were_when_one_cannot_be_written(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_or_fail(path: Path, text: str, ends: str) -> None:
        if path.name == "turns.edict":
            raise OSError("the disk is full")
        write_atomically(path, text, ends)

    monkeypatch.setattr(upgrade_command, "write_atomically", write_or_fail)
    written = read_all(old)
    with pytest.raises(OSError, match="full"):
        upgrade_command.upgrade([str(old)])
    assert read_all(old) == written


def test_rules_of_today_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = gather_modules("kingsburg").unwrap()
    monkeypatch.delattr(module_renames, "compute_layers_below")
    assert assign_renames(modules) is modules
