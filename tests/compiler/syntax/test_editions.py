"""Rules of older editions, which are read as they were meant and upgraded without changing their effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import ROOT, run_kingsburg
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.module_set import gather_modules, hash_rules
from edict.compiler.sources.packing import pack_modules, unpack_modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse, parse_file
from edict.compiler.syntax.traversal import walk
from edict.game.table.rules import load_rules
from edict.support.text import EDITION, Source


def test_each_edition_has_a_table_of_changes() -> None:
    tables = sorted(file.stem for file in (ROOT / "grammar" / "editions").glob("*.yaml"))
    assert tables == [str(edition) for edition in range(1, EDITION + 1)]


def test_shipped_rules_are_of_the_newest_edition(subtests: pytest.Subtests) -> None:
    manifests = [file for name in ("rules", "modules", "examples") for file in (ROOT / name).rglob("module.yaml")]
    for file in (*manifests, *(ROOT / "grammar").rglob("module.yaml")):
        with subtests.test(file=file):
            assert f"\nlanguage: {EDITION}\n" in file.read_text(encoding="utf-8")


# --- one change after the other ----------------------------------------------------------------

CHANGES = [
    ("quantity q is best of 0 and 7 - 3\n", "quantity q is (best of 0 and 7) - 3\n"),
    ("quantity q is 1 + (1, 3, 6) at n + 1  # and so on\n", "quantity q is 1 + ((1, 3, 6) at n) + 1  # and so on\n"),
    ("phase d\n  spend 1 p\n  otherwise  # x\n    nothing\n", "phase d\n  spend 1 p\n  else  # x\n    nothing\n"),
    ("phase d\n  reveal p of you  # x\n", "phase d\n  show p of you to everyone  # x\n"),
    ('phase d\n  may reveal p else "No"\n', 'phase d\n  may show p to everyone else "No"\n'),
    ("phase d\n  pay p of hut for you  # x\n", "phase d\n  spend p of hut for you  # x\n"),
    ('phase d\n  may secretly "Q" pay p else "No"\n', 'phase d\n  may secretly "Q" spend p else "No"\n'),
    (
        "phase d\n  if can pay p of (first of huts) with q for what is missing\n    do pay with q\n",
        "phase d\n  if can spend p of (first of huts) with q for what is missing\n    do pay with q\n",
    ),
    ("phase d\n  if not can pay p or a\n    nothing\n", "phase d\n  if not (can spend p) or a\n    nothing\n"),
    (
        "phase d\n  roll 1 d6 as a\n  let my-a = 2\n  if total of a > my-a\n    nothing\nphase e\n  roll 1 d6 as all\n",
        "phase d\n  roll 1 d6 as my-a-2\n  let my-a = 2\n  if total of my-a-2 > my-a\n    nothing\n"
        "phase e\n  roll 1 d6 as my-all\n",
    ),
    ("keep all as number\nphase d\n  add 1 to all  # x\n", "keep my-all as number\nphase d\n  add 1 to my-all  # x\n"),
    ("hut a\n  except build.free if no\n    allow\n", "hut a\n  exception to build.free if no\n    allow\n"),
]


def test_upgraded_source_is_current_and_spans_point_to_the_old_text(subtests: pytest.Subtests) -> None:
    for old, new in CHANGES:
        with subtests.test(old=old):
            source = Source("a.edict", old, 0)
            read = parse_file(source)
            assert read.ok and read.upgraded is not None and read.upgraded.source == Source("a.edict", new)
            assert read.page is not None
            for node in (node for definition in read.page.definitions for node in walk(definition)):
                line = source.lines[node.span.line - 1]
                if isinstance(node, t.Name) and node.span.line == node.span.end_line and node.word in old.split():
                    assert line[node.span.column - 1 : node.span.end_column - 1] == node.word
            assert parse_file(Source("a.edict", new, 0)).upgraded is None, (
                "what is written in today's edition stays as it is"
            )


def test_name_that_equals_a_changed_word_stays(subtests: pytest.Subtests) -> None:
    for text in ("kind hut\n  pay amounts\n", "phase d\n  do pay with q\n", "keep pay of player as number\n"):
        with subtests.test(text=text):
            today = parse_file(Source("a.edict", text, 0)).upgraded
            assert today is None or today.source.text == text


def test_diagnostics_point_to_the_old_text() -> None:
    text = "quantity q is best of 0 and 7 - 3\nquantity r is best of 0 and 7 - - * 3\nphase dusk\n  gain 2 goold c\n"
    old = parse(Source("a.edict", text, 0)).diagnostics
    new = parse(Source("a.edict", text.replace("best of 0 and 7 - 3", "(best of 0 and 7) - 3"))).diagnostics
    assert [(one.code, one.title, one.span) for one in old] == [(one.code, one.title, one.span) for one in new]


# --- rules ---------------------------------------------------------------------------------------

MANIFEST = "name: old\ntitle: Old\nversion: 1.0.0\nkind: game  # a small one\n"
GAME = """
resource coin "coin/coins"
keep seats as order of player, quiet
game old "Old"
  players 2 to 2
  order seats
  winners everyone
  score coin of you
  course
    each player
      choose a player as friend
      for friend
        gain q coin
"""


def write_old_game(folder: Path, text: str = CHANGES[0][0], manifest: str = MANIFEST) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "module.yaml").write_text(manifest, encoding="utf-8")
    (folder / "rules.edict").write_text(text + GAME, encoding="utf-8")
    return folder


def test_older_edition_gets_one_warning_only_if_it_reads_differently(tmp_path: Path) -> None:
    folder = write_old_game(tmp_path / "old")
    (found,) = [one for one in check_rules(folder).diagnostics if one.code == "E0167"]
    assert (found.severity, found.span.file, found.span.line) == ("warning", "old/module.yaml", 1)
    said = run_kingsburg(tmp_path, "play", str(folder), "--seed", "1").stderr
    assert said.count("\n") == 1 and "`old` is written in edition 0 of the language" in said
    same = write_old_game(tmp_path / "old", "quantity q is 7\n")
    assert not [one for one in check_rules(same).diagnostics if one.code == "E0167"]


def test_edition_is_part_of_the_rules_hash_and_of_packed_rules(tmp_path: Path, subtests: pytest.Subtests) -> None:
    old = gather_modules(str(write_old_game(tmp_path / "old"))).unwrap()
    newer = MANIFEST + f"language: {EDITION}\n"
    new = gather_modules(str(write_old_game(tmp_path / "old", manifest=newer))).unwrap()
    assert hash_rules(old) != hash_rules(new)
    for modules in (old, new):
        with subtests.test(modules=modules):
            kept = unpack_modules(pack_modules(modules)).unwrap()
            assert [module.manifest.language for module in kept] == [module.manifest.language for module in modules]
            assert hash_rules(kept) == hash_rules(modules)
            assert [s.edition for module in kept for s in module.sources] == [
                s.edition for m in modules for s in m.sources
            ]


def test_saved_game_continues_under_upgraded_rules(tmp_path: Path) -> None:
    folder = write_old_game(tmp_path / "old")
    game = load_rules(str(folder)).new_game(["a", "b"], seed=1, journal=tmp_path / "a.journal")
    game.answer(game.ask.keys[0])
    game.close()
    assert run_kingsburg(tmp_path, "upgrade", str(folder)).returncode == 0
    again = load_rules(str(folder))
    assert again.replay(tmp_path / "a.journal").state == game.state


def test_upgrade_writes_nothing_with_diff_or_for_faulty_rules(tmp_path: Path) -> None:
    folder = write_old_game(tmp_path / "old")
    shown = run_kingsburg(tmp_path, "upgrade", "--diff", str(folder))
    assert shown.returncode == 0 and "+quantity q is (best of 0 and 7) - 3\n" in shown.stdout
    assert (folder / "module.yaml").read_text(encoding="utf-8") == MANIFEST
    broken = CHANGES[0][0] + "phase dusk\n  gain 2 goold coins\n"
    wrong = run_kingsburg(tmp_path, "upgrade", str(write_old_game(folder, broken)))
    assert wrong.returncode == 1 and "rules.edict:3" in wrong.stderr
    assert (folder / "rules.edict").read_text(encoding="utf-8") == broken + GAME


def test_upgrade_names_scenes_that_expect_something_else(tmp_path: Path, subtests: pytest.Subtests) -> None:
    folder = write_old_game(tmp_path / "old")
    (folder / "scenes").mkdir()
    scene = "players: [a, b]\nscenes:\n  - name: {}\n    play: [{{a: b}}, {{b: a}}]\n    then: {}\n"
    for name, then in (("words", "{log: a gets 4 coins}"), ("play", "{b: {coin: 9}}"), ("right", "{b: {coin: 4}}")):
        (folder / "scenes" / f"{name}.yaml").write_text(scene.format(name, then), encoding="utf-8")
    before = run_kingsburg(tmp_path, "upgrade", "--diff", str(folder)).stdout
    upgraded = run_kingsburg(tmp_path, "upgrade", str(folder)).stdout
    again = run_kingsburg(tmp_path, "upgrade", str(folder)).stdout
    for said in (before, upgraded, again):
        with subtests.test(said=said):
            words, play = said.partition("Other words now: 1 scene\n")[2].split(
                "Other play now, or never passed: 1 scene\n"
            )
            assert words.startswith("  FAILED old/scenes/words.yaml:3  words\n") and "the nearest line is" in words
            assert play.startswith("  FAILED old/scenes/play.yaml:3  play\n") and "    + found     4" in play
            assert "right" not in said


def test_format_leaves_file_that_reads_differently_in_its_edition(tmp_path: Path) -> None:
    folder = write_old_game(tmp_path / "old")
    assert run_kingsburg(tmp_path, "fmt", str(folder)).returncode == 1
    assert (folder / "rules.edict").read_text(encoding="utf-8") == CHANGES[0][0] + GAME
    same = write_old_game(folder, "quantity q   is 7\n")
    assert run_kingsburg(tmp_path, "fmt", str(same)).returncode == 0
    assert (folder / "rules.edict").read_text(encoding="utf-8").startswith("quantity q is 7\n")
