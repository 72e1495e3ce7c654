"""The command `serve`: its options, its refusals before it serves anything, and games in its store."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import edict
from calling import GAME, make_manifest, wait_until, write_files
from serving import OpenedTable, ServerOnPort

Call = Callable[..., "subprocess.CompletedProcess[str]"]
BOT = """
class Raises:
    def __init__(self, seed):
        pass
    def choose(self, view, ask, clock):
        raise KeyError("lost")
"""
LOUD = {
    "module.yaml": make_manifest("loud", requires="[pig]"),
    "loud.edict": 'setting noise "Noise" is 3 from 1 to 9\n',
}
ISLE = {
    "module.yaml": make_manifest("isle", "game"),
    "isle.edict": GAME.replace("sample", "isle").replace("Sample", "Isle"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the game `isle`, the module `loud` and a bot."""
    for name, files in {"isle": ISLE, "loud": LOUD}.items():
        write_files(tmp_path / name, files)
    write_files(tmp_path, {"theirs.py": BOT})
    return tmp_path


def test_serve_starts_with_the_hosts_own_game_bot_and_table(folder: Path, call: Call) -> None:
    game = edict.load("pig").new_game(["Ann", "Ben"], seed=5, journal=folder / "begun.jsonl")
    game.answer(0)
    game.close()
    store, kind = f"sqlite:///{folder / 'tables.sqlite'}", "theirs.py:Raises@2s"
    words = ["./isle", "--bot", kind, "--bot", "learned", "--open", str(folder / "begun.jsonl")]
    server = ServerOnPort.start(store, folder, 0, *words)
    try:
        output = server.output.read_text()
        links = re.findall(rf"{server.base}/(seat|host)/([\w-]+)", output)
        opened = re.search(r"Table ([\w-]+):", output)
        assert opened and [sort for sort, _ in links] == ["host", "seat", "seat", "seat"]
        with server.create_client() as client:
            assert client.get(f"/seat/{links[1][1]}/view.json").json()["seat"] == "Ann"
            assert '<option value="isle" selected>' in client.get("/").text
            assert OpenedTable.open_at(client, "isle", ["person", "greedy"]).find_asked() is not None
            bot_table = OpenedTable.open_at(client, "kuhn-poker", [kind, "learned"])
            wait_until(lambda: bool(bot_table.get_view(bot_table.onlookers)["over"]))
    finally:
        server.stop()
    assert f"the bot {kind} raised KeyError" in server.output.read_text()

    def list_tables(*words: str) -> subprocess.CompletedProcess[str]:
        return call("games", "tables", "--store", store, *words)

    assert opened[1] in (listed := list_tables().stdout) and "Pig" in listed
    assert list_tables(opened[1]).returncode == list_tables("-o", "again.jsonl", opened[1]).returncode == 0
    assert edict.load("pig").replay(folder / "again.jsonl").answers == game.answers
    assert list_tables("-o", "again.jsonl", opened[1]).returncode == 2, "it is there already"
    assert "there is no table" in list_tables("none").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["./isle", "--with", "./loud"], "pig"),  # `loud` belongs to another game
        (["./nowhere"], "E0151"),
        (["--with", "./loud"], "pig"),
        (["./isle", "--game", "pig"], "two games given"),
        (["--bot", "theirs.py:Nobody"], "has no `Nobody`"),
        (["--store", "mysql://x/y"], "database"),
    ],
)
def test_serve_refuses_invalid_games_modules_bots_and_stores(
    folder: Path, call: Call, words: list[str], said: str
) -> None:
    store = f"sqlite:///{folder / 'tables.sqlite'}"
    result = call("serve", "--no-browser", "--port", "0", "--store", store, *words)
    assert result.returncode in (1, 2) and said in result.stderr
