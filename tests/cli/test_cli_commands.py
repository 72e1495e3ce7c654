"""The command as people run it: what it prints, and how it exits."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from calling import environment, kingsburg, started

from edict.sources.file_schemas import FIXED

Call = Callable[..., subprocess.CompletedProcess[str]]

MANIFEST = "name: {name}\ntitle: {title}\nversion: 1.0.0\nkind: game\n"
GAME = """\
resource coin "coin/coins"
keep seats as order of player, quiet
game sample "Sample"
  players 1 to 2
  order seats
  winners players with most coin of it
  score coin of you
  course
    each player
      choose one "Which?"
        option "Left"
          gain 1 coin
        option "Right"
          gain 2 coin
"""


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A game of one question in the folder `sample`."""
    folder = tmp_path / "sample"
    folder.mkdir()
    (folder / "module.yaml").write_text(MANIFEST.format(name="sample", title="Sample"), encoding="utf-8")
    (folder / "page.edict").write_text(GAME, encoding="utf-8")
    return folder


# --- the command itself ------------------------------------------------------------------------


def test_help_is_quick_and_lists_every_command(tmp_path: Path) -> None:
    spent = []
    for _ in range(3):
        start = time.perf_counter()
        done = started(tmp_path, "--help")
        spent.append(time.perf_counter() - start)
    for command in ("play", "resume", "games", "check", "test", "schema", "modules", "show", "explain"):
        assert f"\n  {command} " in done.stdout
    assert done.returncode == 0
    assert min(spent) < 1.0, "0.2 s on an idle machine; tests share theirs"


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    heavy = ("lark", "jsonschema", "yaml", "llvmlite", "rich", "edict.language.tree", "edict.table.game")
    code = f"import sys, edict.cli.main; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(tmp_path))
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "nonsense"),
        (["play", "--nonsense"], "--nonsense"),
        (["play", "nowhere"], "E0150"),
        (["play", "./nowhere"], "E0151"),
        (["play", "pig", "--bot", "randon"], "did you mean `random`"),
        (["play", "pig", "--bot", "random:"], "no name after the colon"),
        (["play", "pig", "--bot", "random"], "2 to 4 players, not 1"),
        (["play", "pig", "--human", "Ann", "--human", "ann"], "two players are called"),
        (["play", "pig", "--human", "A\x1b[2J"], "cannot be displayed"),
        (["play", "pig", "--set", "goal"], "no value"),
        (["play", "pig", "--set", "gaol=3"], "did you mean `goal`"),
        (["play", "pig", "--set", "goal=x"], "whole number"),
        (["play", "pig", "--dice", "loaded"], "seeded"),
        (["play", "pig", "--speed", "-1"], "from 0 to 60"),
        (["play", "pig", "--seed", str(2**128)], "2**128"),
        (["play", "pig", "--with", "./nowhere"], "E0151"),
        (["play", "pig", "--table", "nowhere.yaml"], "no file"),
        (["resume", "nowhere.jsonl"], "nowhere.jsonl"),
        (["resume"], "start one with `play`"),
        (["games", "replay", "nowhere.jsonl"], "nowhere.jsonl"),
        (["check", "nowhere"], "E0150"),
        (["schema", "nothing"], "there is no schema"),
        (["modules", "pgi"], "did you mean `pig`"),
        (["show", "zzz"], "nothing in"),
        (["explain", "E9999"], "there is no message"),
        (["explain", "chose"], "did you mean `choose`?"),
        (["explain", ""], "there is no message or word"),
        (["test", "nowhere"], "E0150"),
    ],
)
def test_wrong_use_is_told_in_a_few_lines(call: Call, arguments: list[str], said: str) -> None:
    done = call(*arguments)
    told = done.stdout + done.stderr
    assert done.returncode == 2, told
    assert said in told
    assert "help:" in told or "Usage" in told
    assert len(told.splitlines()) < 12


# --- check -------------------------------------------------------------------------------------


def test_check_shows_the_place_the_reason_and_the_remedy(tmp_path: Path, sample: Path) -> None:
    page = sample / "page.edict"
    page.write_text(GAME.replace("gain 1 coin", "gain 1 cion"), encoding="utf-8")
    done = kingsburg(tmp_path, "check", "./sample")
    assert done.returncode == 1
    assert "sample/page.edict:12:18: error" in done.stdout
    assert "12 |           gain 1 cion\n" in done.stdout
    assert "^^^^" in done.stdout
    assert "did you mean `coin`?" in done.stdout


def test_play_shows_wrong_rules_as_check_does(call: Call, sample: Path) -> None:
    (sample / "page.edict").write_text(GAME.replace("gain 1 coin", "gain 1 cion"), encoding="utf-8")
    done = call("play", "./sample", "--bot", "random", "--bot", "random")
    assert done.returncode == 1
    assert "12 |           gain 1 cion\n" in done.stderr


def test_escapes_in_rules_do_not_reach_the_terminal(call: Call, sample: Path) -> None:
    (sample / "page.edict").write_text(GAME.replace("Left", "Le\x1b]0;x\x07ft"), encoding="utf-8")
    done = call("check", "./sample")
    assert done.returncode == 1
    assert "U+001B" in done.stdout


def test_a_module_without_a_game_is_checked_over_the_one_that_ships(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "module.yaml").write_text("name: empty\ntitle: Empty\nversion: 1.0.0\nkind: module\n", encoding="utf-8")
    (folder / "page.edict").write_text('resource pebble "pebble"\n', encoding="utf-8")
    done = call("check", "./empty")
    assert done.returncode == 0, done.stdout


# --- what one may ask --------------------------------------------------------------------------


def test_schemas_are_json(call: Call) -> None:
    listed = call("schema", "--game", "kuhn-poker").stdout
    assert listed == f"files: {', '.join(FIXED)}\nkinds: card\n"
    assert json.loads(call("schema", "table").stdout)["title"] == "table file"
    card = json.loads(call("schema", "card", "--game", "kuhn-poker").stdout)
    assert card["properties"]["fields"]["required"] == ["rank"]


def test_modules_and_things_are_told(call: Call) -> None:
    assert "pig " in call("modules").stdout
    assert "public domain" in call("modules", "pig").stdout
    assert call("show", "jac", "--game", "kuhn-poker").stdout.startswith("Jack (card)\n")


def test_messages_are_explained(call: Call) -> None:
    done = call("explain", "e0103")
    assert done.returncode == 0
    assert done.stdout.startswith("# E0103")


def test_words_of_the_language_are_explained(call: Call) -> None:
    done = call("explain", "choose", "one")
    assert done.returncode == 0 and done.stdout.startswith("# choose one\n")
    assert "> - Choose one:" in done.stdout and "See also: may" in done.stdout
    assert "# choose\n" in call("explain", "choose").stdout
    assert "# let\n" in call("explain", "let").stdout


def test_scenes_are_played(call: Call) -> None:
    done = call("test", "pig")
    assert done.returncode == 0, done.stdout
    assert "scenes passed" in done.stdout


# --- games nobody answers in -------------------------------------------------------------------


def test_without_anybody_bots_play_a_whole_game(tmp_path: Path) -> None:
    done = kingsburg(tmp_path, "play", "--seed", "7")
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert len(lines) > 100
    assert lines[-1].endswith(" wins.") or lines[-1].endswith(" win together.")
    again = kingsburg(tmp_path, "play", "--seed", "7").stdout.splitlines()
    assert [line for line in again if "saved in" not in line] == [line for line in lines if "saved in" not in line]


def test_a_seed_may_be_a_word(call: Call) -> None:
    bots = ("--bot", "random", "--bot", "random")
    games = [call("play", "pig", *bots, "--seed", seed).stdout for seed in ("a", "a", "b")]
    told = [[line for line in game.splitlines() if "saved in" not in line] for game in games]
    assert told[0] == told[1] != told[2]


def test_settings_and_table_files_count(call: Call, tmp_path: Path, sample: Path) -> None:
    (tmp_path / "table.yaml").write_text(
        "game: ./sample\nseed: 3\nplayers:\n  - name: Ann\n    bot: greedy\n  - name: Bob\n    bot: greedy\n",
        encoding="utf-8",
    )
    done = call("play", "--table", "table.yaml", "--save", "kept.jsonl")
    assert done.returncode == 0, done.stderr
    assert "Ann (greedy bot)" in done.stdout
    assert "Ann and Bob win together." in done.stdout
    header = json.loads((tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert (header["players"], header["bots"], header["seed"]) == (["Ann", "Bob"], ["greedy", "greedy"], 3)
    assert header["game"] == str(sample), "found again from any other folder"


def test_a_wrong_table_file_is_shown(call: Call, tmp_path: Path) -> None:
    (tmp_path / "table.yaml").write_text("players:\n  - nmae: Ann\n", encoding="utf-8")
    done = call("play", "--table", "table.yaml")
    assert done.returncode == 1
    assert "table.yaml:2" in done.stderr and "nmae" in done.stderr


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    command = f'"{sys.executable}" -m edict.cli.main play --seed 7 </dev/null | head -n 2'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path, env=environment(tmp_path))
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == ""


def test_a_terminal_that_knows_only_ascii_gets_something(tmp_path: Path, sample: Path) -> None:
    game = GAME.replace("Left", "L\u00e9ft").replace("Right", "R\u00efght")
    (sample / "page.edict").write_text(game, encoding="utf-8")
    done = started(tmp_path, "play", "./sample", "--bot", "random", "--bot", "random", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr


def test_where_nothing_can_be_kept_the_game_is_played_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    games = str(tmp_path / "file" / "games")
    done = kingsburg(tmp_path, "play", "pig", "--bot", "random", "--bot", "random", EDICT_GAMES=games)
    assert done.returncode == 0, done.stderr
    assert "cannot be saved" in done.stderr
