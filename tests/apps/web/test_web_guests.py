"""Bots of the host's own at tables in the browser: they remember, they may fail, and nobody else's code is run."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

import edict
from calling import wait_until, write
from edict.apps.web import table_bots
from serving import Opened, served

BOTS = """
import os, pathlib, time

class Remembers:
    "Writes down what it has seen, in one life."
    def __init__(self, seed):
        self.turns = 0
    def choose(self, view, ask, clock):
        self.turns += 1
        with open(__file__ + ".seen", "a") as file:
            file.write(f"{os.getpid()} {self.turns} {clock.limit} {[entry.text for entry in view.log]}\\n")
        return ask.options[-1]

class Vanishes:
    def __init__(self, seed):
        pass
    def choose(self, view, ask, clock):
        os._exit(3)

class Raises(Vanishes):
    def choose(self, view, ask, clock):
        raise KeyError("lost")

class Waits(Vanishes):
    def choose(self, view, ask, clock):
        pathlib.Path(__file__ + ".asked").touch()
        while not os.path.exists(__file__ + ".go"):
            time.sleep(0.02)
        return ask.options[0]

class Marks(Vanishes):
    pathlib.Path(__file__ + ".ran").touch()
"""


def test_a_bot_remembers_its_game_until_too_many_wait_and_it_waited_longest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_bots, "KEPT", 1)
    write(tmp_path, {"theirs.py": BOTS})
    kind, seen = f"{tmp_path}/theirs.py:Remembers@9s", tmp_path / "theirs.py.seen"

    def lives() -> list[list[str]]:
        return [line.split(" ", 3) for line in seen.read_text().splitlines()] if seen.exists() else []

    def played_on(table: Opened) -> None:
        """Until the bot has answered, and somebody else is asked."""
        before = len(lives())

        def done() -> bool:
            asked = table.asked()
            if asked is not None and len(lives()) == before:
                table.play(1)
            return asked is not None and len(lives()) > before

        wait_until(done)

    with served(tmp_path, bots=[kind]) as (_, client):
        assert kind in client.get("/").text
        first = Opened.at(client, "kingsburg", ["person", kind])
        played_on(first)
        second = Opened.at(client, "kingsburg", ["person", kind])
        for table in (second, second, first):
            played_on(table)
    turns = [[int(life[1]) for life in group] for _, group in groupby(lives(), lambda life: life[0])]
    assert all(one == list(range(1, len(one) + 1)) for one in turns), "each in one process, from its first turn on"
    assert len(turns) == 3 and len(turns[1]) > 1, "the second remembers its game; the first made room, and begins anew"
    assert {life[2] for life in lives()} == {"9.0"}


def test_a_fault_is_logged_and_the_game_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, {"theirs.py": BOTS})
    kinds = [f"{tmp_path}/theirs.py:{name}" for name in ("Vanishes", "Raises")]
    with served(tmp_path, bots=kinds) as (_, client):
        table = Opened.at(client, "kuhn-poker", kinds)
        wait_until(lambda: bool(table.view(table.onlookers)["over"]))
    found = next(str(one.args[0]) for one in caplog.records if isinstance(one.args, tuple) and one.args)
    for kind, says in zip(kinds, ("ended its process", "raised KeyError: 'lost'"), strict=True):
        assert f"Table {found}: the bot {kind} {says}" in caplog.text
    assert "a random option is chosen" in caplog.text


def test_while_a_bot_thinks_it_is_asked_nothing_else_and_the_server_may_end(tmp_path: Path) -> None:
    write(tmp_path, {"theirs.py": BOTS})
    kind, asked, go = f"{tmp_path}/theirs.py:Waits@60s", tmp_path / "theirs.py.asked", tmp_path / "theirs.py.go"
    with served(tmp_path, bots=[kind]) as (_, client):
        table = Opened.at(client, "kuhn-poker", [kind, "random"])
        wait_until(asked.exists)
        client.post(f"/host/{table.host}/hand-over", data={"seat": "1", "bot": "random"})  # and it is looked for bots
        assert not table.view(table.onlookers)["over"]
        go.touch()
        wait_until(lambda: bool(table.view(table.onlookers)["over"]))
        asked.unlink()
        go.unlink()
        other = Opened.at(client, "kuhn-poker", [kind, kind])
        wait_until(asked.exists)
    go.touch()
    with served(tmp_path) as (_, client):
        other.client = client
        assert not other.view(other.onlookers)["over"], "its answer came too late"


def test_a_name_in_a_game_or_a_store_runs_no_code(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, {"theirs.py": BOTS})
    kind = f"{tmp_path}/theirs.py:Marks"
    game = edict.load("kuhn-poker").new_game(["Ann", "Brian"], 1, bots=[kind, "random"])
    with served(tmp_path) as (serving, client):
        table = Opened.resumed(client, game.journal.to_bytes())
        assert table.asked() is not None, "the seat is a person's"
        link = serving.store.link(table.host)
        assert link is not None
        refused = client.post(f"/host/{table.host}/hand-over", data={"seat": "0", "bot": kind})
        assert refused.status_code == 400
        serving.store.hand_over(link.table, 0, kind)  # as another server would, which was started with it
        client.post(f"/host/{table.host}/hand-over", data={"seat": "1", "bot": "random"})
        wait_until(lambda: "code that this server was not started with" in caplog.text)
    assert not (tmp_path / "theirs.py.ran").exists()
