"""`play --at`: a game that begins where a scene begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import kingsburg
from edict.table.journal import read_journal
from terminals import Terminal
from workshop import fair


@pytest.fixture
def scenes(tmp_path: Path) -> Path:
    return fair(tmp_path) / "forge" / "scenes" / "forge.yaml"


def test_the_first_of_the_scene_is_asked_with_what_it_gives(tmp_path: Path, scenes: Path) -> None:
    terminal = Terminal(tmp_path, "play", "--at", f"{scenes}:5", "--plain", "--save", "game.jsonl", size=(100, 30))
    try:
        terminal.read("Smithy")
    finally:
        terminal.close()
    journal = read_journal(str(tmp_path / "game.jsonl"))
    assert journal.header.players == ("Ann", "Brian") and journal.header.bots[0] == "" != journal.header.bots[1]
    assert journal.header.opening is not None and journal.header.opening.at == "phase market"


def test_without_a_terminal_bots_play_it_to_its_end_and_it_is_kept(tmp_path: Path, scenes: Path) -> None:
    done = kingsburg(tmp_path, "play", "--at", str(scenes), "--save", "game.jsonl", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert "Market" in done.stdout
    again = kingsburg(tmp_path, "replay", "game.jsonl")
    assert again.returncode == 0 and "Smithy" in again.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.yaml:3",), "there is no file `nowhere.yaml`"),
        (("fair/fair.edict:3",), "no file of scenes"),
        (("forge/scenes/forge.yaml:999",), "`forge/scenes/forge.yaml` has no line 999"),
        (("forge/scenes/forge.yaml:999",), "name a line in which a scene begins: "),
        (("forge/scenes/forge.yaml:1", "--human", "Bob"), "nobody in this scene is called `Bob`"),
        (("forge/scenes/forge.yaml:1", "--set", "x=1"), "`--at` and `--set` cannot be combined"),
    ],
)
def test_what_cannot_be_begun_is_said(tmp_path: Path, scenes: Path, words: tuple[str, ...], said: str) -> None:
    done = kingsburg(tmp_path, "play", "--at", *words)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
