"""The command `serve`: what it is started with, what it refuses before anything is served, and its store's games."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import edict
from calling import GAME, manifest, wait_until, write
from serving import Opened, Server

Call = Callable[..., "subprocess.CompletedProcess[str]"]
BOT = """
class Raises:
    def __init__(self, seed):
        pass
    def choose(self, view, ask, clock):
        raise KeyError("lost")
"""
LOUD = {"module.yaml": manifest("loud", requires="[pig]"), "loud.edict": 'setting noise "Noise" is 3 from 1 to 9\n'}
ISLE = {"module.yaml": manifest("isle", "game"), "isle.edict": GAME.replace("sample", "isle").replace("Sample", "Isle")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, files in {"isle": ISLE, "loud": LOUD}.items():
        write(tmp_path / name, files)
    write(tmp_path, {"theirs.py": BOT})
    return tmp_path


def test_a_server_is_started_with_a_game_a_bot_and_a_table_of_the_hosts_own(folder: Path, call: Call) -> None:
    game = edict.load("pig").new_game(["Ann", "Ben"], seed=5, journal=folder / "begun.jsonl")
    game.answer(0)
    game.close()
    store, kind = f"sqlite:///{folder / 'tables.sqlite'}", "theirs.py:Raises@2s"
    words = ["./isle", "--bot", kind, "--bot", "learned", "--open", str(folder / "begun.jsonl")]
    server = Server.start(store, folder, 0, *words)
    try:
        output = server.output.read_text()
        links = re.findall(rf"{server.base}/(seat|host)/([\w-]+)", output)
        opened = re.search(r"Table ([\w-]+):", output)
        assert opened and [sort for sort, _ in links] == ["host", "seat", "seat", "seat"]
        with server.client() as client:
            assert client.get(f"/seat/{links[1][1]}/view.json").json()["seat"] == "Ann"
            assert '<option value="isle" selected>' in client.get("/").text
            assert Opened.at(client, "isle", ["person", "greedy"]).asked() is not None
            theirs = Opened.at(client, "kuhn-poker", [kind, "learned"])
            wait_until(lambda: bool(theirs.view(theirs.onlookers)["over"]))
    finally:
        server.stop()
    assert f"the bot {kind} raised KeyError" in server.output.read_text()

    def tables(*words: str) -> subprocess.CompletedProcess[str]:
        return call("games", "tables", "--store", store, *words)

    assert opened[1] in (listed := tables().stdout) and "Pig" in listed
    assert tables(opened[1]).returncode == tables("-o", "again.jsonl", opened[1]).returncode == 0
    assert edict.load("pig").replay(folder / "again.jsonl").answers == game.answers
    assert tables("-o", "again.jsonl", opened[1]).returncode == 2, "it is there already"
    assert "there is no table" in tables("none").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["./isle", "--with", "./loud"], "pig"),  # which is another game
        (["./nowhere"], "E0151"),
        (["--with", "./loud"], "pig"),
        (["./isle", "--game", "pig"], "two games are given"),
        (["--bot", "theirs.py:Nobody"], "has no `Nobody`"),
        (["--store", "mysql://x/y"], "database"),
    ],
)
def test_what_cannot_be_served_is_refused(folder: Path, call: Call, words: list[str], said: str) -> None:
    store = f"sqlite:///{folder / 'tables.sqlite'}"
    done = call("serve", "--no-browser", "--port", "0", "--store", store, *words)
    assert done.returncode in (1, 2) and said in done.stderr
