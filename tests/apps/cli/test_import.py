"""The command `import`, and the tables of `show --all`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calling import GAME, make_manifest, run_kingsburg, write_files

FILES = {
    "sample/module.yaml": make_manifest("sample", "game"),
    "sample/sample.edict": GAME,
    "cards.csv": "Card;Worth\nGem;3\nPearl;2\n",
}
RULES = 'card gem "Gem"\n  worth 3\n\ncard pearl "Pearl"\n  worth 2\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_files(tmp_path, FILES)
    return tmp_path


def test_import_prints_rules_and_matched_columns(folder: Path) -> None:
    done = run_kingsburg(folder, "import", "cards.csv", "--as", "card", "--game", "./sample")
    assert done.stdout == RULES
    assert done.stderr == ("cards.csv: 2 rows, 2 definitions of card\n  Card   -> title\n  Worth  -> worth\n")


def test_import_into_a_module_writes_a_new_file(folder: Path) -> None:
    words = ("import", "cards.csv", "--as", "card", "--into", "./sample")
    done = run_kingsburg(folder, *words)
    assert done.returncode == 0 and "Wrote sample/cards.edict.\n" in done.stdout
    assert "No scene for `Gem` and `Pearl`, which nobody used in 60 random games.\n" in done.stdout
    assert done.stdout.endswith("Next: kingsburg check ./sample\n")
    assert (folder / "sample" / "cards.edict").read_text(encoding="utf-8") == RULES
    assert run_kingsburg(folder, "check", "--strict", "./sample").returncode == 0
    assert run_kingsburg(folder, "fmt", "--check", "sample/cards.edict").returncode == 0
    again = run_kingsburg(folder, *words, "--amend")
    assert again.returncode == 2 and "`sample/cards.edict` already exists" in again.stderr
    assert (folder / "sample" / "cards.edict").read_text(encoding="utf-8") == RULES


def test_import_into_a_module_writes_a_scene_of_each_thing(folder: Path) -> None:
    chosen = '    each player\n      choose a card as picked "Which card?"\n      gain worth of picked coin\n'
    write_files(folder, {"sample/sample.edict": GAME.replace("  course\n", f"  course\n{chosen}", 1)})
    done = run_kingsburg(folder, "import", "cards.csv", "--as", "card", "--into", "./sample")
    assert "Wrote sample/scenes/cards.yaml: 2 scenes from random games." in done.stdout
    assert "No scene" not in done.stdout
    scenes = (folder / "sample" / "scenes" / "cards.yaml").read_text(encoding="utf-8")
    assert "name: Gem as it was imported" in scenes and "Ann: Pearl" in scenes
    assert "2 scenes passed" in run_kingsburg(folder, "test", "./sample").stdout
    write_files(folder, {"sample/cards.edict": RULES.replace("worth 3", "worth 4")})
    failed = run_kingsburg(folder, "test", "./sample")
    assert failed.returncode == 1 and "Gem as it was imported" in failed.stdout + failed.stderr


def test_faulty_table_writes_nothing(folder: Path) -> None:
    (folder / "cards.csv").write_text("Card,Worth\nGem,many\n", encoding="utf-8")
    done = run_kingsburg(folder, "import", "cards.csv", "--as", "card", "--into", "./sample")
    assert done.returncode == 1 and not (folder / "sample" / "cards.edict").exists()
    assert "cards.csv:2:1: error E0303: row 2, column `Worth`: `worth` takes a number" in done.stderr
    assert "    2 | Gem,many\n" in done.stderr


def test_exported_table_is_imported_again(folder: Path, subtests: pytest.Subtests) -> None:
    shown = ("show", "--all", "card", "--game", "./sample", "--format")
    for form in ("csv", "json"):
        with subtests.test(form=form):
            table = run_kingsburg(folder, *shown, form).stdout
            words = ("import", "-", "--as", "card", "--game", "./sample", "--amend")
            assert run_kingsburg(folder, *words, typed=table).stdout == ""
            changed = table.replace("ace,,1", "ace,,4").replace('"worth": "1"', '"worth": "4"')
            assert run_kingsburg(folder, *words, typed=changed).stdout == "amend card ace\n  worth 4\n"
    assert json.loads(run_kingsburg(folder, *shown, "json").stdout)["found"][0]["row"]["worth"] == "1"
    assert run_kingsburg(folder, *shown, "text").stdout == "title  worth\nace    1\n"


@pytest.mark.parametrize(
    ("words", "reason", "remedy"),
    [
        ("import cards.csv", "needs --as KIND", "such as card"),
        ("import cards.csv --as crad --game ./sample", "no kind of things named `crad` in Sample", "`card`"),
        ("import none.csv --as card --game ./sample", "none.csv: No such file or directory", "check the name"),
        ("import cards.csv --as card --into pig", "`pig` is part of the package", "new NAME --with pig"),
        ("import cards.csv --as card --into ./sample -o x", "--into and --output cannot be combined", "one of them"),
        ("import cards.csv --as card --game ./sample -o cards.csv", "`cards.csv` already exists", "--force"),
        ("show", "needs THING or --all KIND", "show --all KIND"),
        ("show ace --all card --game ./sample", "THING and --all cannot be combined", "show THING"),
        ("show ace --format csv --game ./sample", "--format csv needs --all KIND", "text or json"),
        ("show --all cord --game ./sample", "no kind of things named `cord` in Sample", "`card`"),
    ],
)
def test_wrong_call_is_refused_with_a_remedy(folder: Path, words: str, reason: str, remedy: str) -> None:
    done = run_kingsburg(folder, *words.split())
    told, _, help_line = done.stderr.partition("\nhelp: ")
    assert done.returncode == 2 and reason in told and remedy in help_line
