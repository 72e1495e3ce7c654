"""Bots of the host's own at tables in the browser: they remember, they may fail, and nobody else's code is run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from calling import kingsburg, write
from serving import PATIENCE, Opened, Server, served

import edict
from edict.web import table_bots

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

class Marks(Vanishes):
    pathlib.Path(__file__ + ".ran").touch()
"""


def within(found: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE
    while not found() and time.monotonic() < until:
        time.sleep(0.05)
    return found()


def over(table: Opened) -> bool:
    return bool(table.view(table.onlookers)["over"])


def test_a_bot_plays_a_whole_game_and_remembers_it(tmp_path: Path) -> None:
    write(tmp_path, {"theirs.py": BOTS})
    kind = f"{tmp_path}/theirs.py:Remembers@9s"
    with served(tmp_path, bots=[kind]) as (_, client):
        assert kind in client.get("/").text
        table = Opened.at(client, "kingsburg", ["person", kind])
        seen = tmp_path / "theirs.py.seen"

        def played_on() -> bool:
            asked = table.asked()
            if asked is not None:
                table.answer(asked[0], table.version(asked[0]), asked[1]["question"]["options"][0]["key"])
            return seen.exists() and len(seen.read_text().splitlines()) > 4

        assert within(played_on)
        lives = [line.split(" ", 3) for line in seen.read_text().splitlines()]
        assert len({life[0] for life in lives}) == 1, "one process from first to last"
        assert [life[1] for life in lives] == [str(turn) for turn in range(1, len(lives) + 1)]
        assert {life[2] for life in lives} == {"9.0"}


def test_when_too_many_bots_wait_the_one_that_waited_longest_makes_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_bots, "KEPT", 1)
    write(tmp_path, {"theirs.py": BOTS})
    kind, seen = f"{tmp_path}/theirs.py:Remembers", tmp_path / "theirs.py.seen"

    def lives() -> list[str]:
        return [line.split()[0] for line in seen.read_text().splitlines()] if seen.exists() else []

    def played_on(table: Opened) -> None:
        """Until the bot has answered, and somebody else is asked."""
        before = len(lives())

        def done() -> bool:
            asked = table.asked()
            if asked is not None and len(lives()) == before:
                table.answer(asked[0], table.version(asked[0]), asked[1]["question"]["options"][0]["key"])
            return asked is not None and len(lives()) > before

        assert within(done)

    with served(tmp_path, bots=[kind]) as (_, client):
        played_on(Opened.at(client, "kingsburg", ["person", kind]))
        second = Opened.at(client, "kingsburg", ["person", kind])
        for _ in range(3):
            played_on(second)
    assert len(dict.fromkeys(lives())) == 2, "the bot of the second table remembers its game"


@pytest.mark.parametrize(("name", "says"), [("Vanishes", "ended its process"), ("Raises", "raised KeyError: 'lost'")])
def test_a_fault_is_logged_and_the_game_goes_on(
    tmp_path: Path, name: str, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, {"theirs.py": BOTS})
    kind = f"{tmp_path}/theirs.py:{name}"
    with served(tmp_path, bots=[kind]) as (_, client):
        table = Opened.at(client, "kuhn-poker", [kind, kind])
        assert within(lambda: over(table))
    assert f"Table {table_of(caplog)}: the bot {kind} {says}" in caplog.text
    assert "a random option is chosen" in caplog.text


def table_of(caplog: pytest.LogCaptureFixture) -> str:
    return next(str(record.args[0]) for record in caplog.records if isinstance(record.args, tuple) and record.args)


def test_a_name_in_a_game_or_a_store_runs_no_code(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, {"theirs.py": BOTS})
    kind = f"{tmp_path}/theirs.py:Marks"
    game = edict.load("kuhn-poker").new_game(["Ann", "Brian"], 1, bots=[kind, "random"])
    with served(tmp_path) as (serving, client):
        files = {"journal": ("game.jsonl", game.journal.to_bytes())}
        table = Opened.of(client, client.post("/tables/journal", files=files, follow_redirects=True))
        assert table.asked() is not None, "the seat is a person's"
        link = serving.store.link(table.host)
        assert link is not None
        refused = client.post(f"/host/{table.host}/hand-over", data={"seat": "0", "bot": kind})
        assert refused.status_code == 400
        serving.store.hand_over(link.table, 0, kind)  # as another server would, which was started with it
        client.post(f"/host/{table.host}/hand-over", data={"seat": "1", "bot": "random"})
        assert within(lambda: "code that this server was not started with" in caplog.text)
    assert not (tmp_path / "theirs.py.ran").exists()


def test_a_server_is_started_with_bots(tmp_path: Path) -> None:
    write(tmp_path, {"theirs.py": BOTS})
    store = f"sqlite:///{tmp_path / 'tables.sqlite'}"
    refused = kingsburg(tmp_path, "serve", "--no-browser", "--port", "0", "--store", store, "--bot", "theirs.py:Nobody")
    assert refused.returncode == 2 and "has no `Nobody`" in refused.stderr
    server = Server.start(store, tmp_path, 0, "--bot", "theirs.py:Raises@2s", "--bot", "learned")
    try:
        with server.client() as client:
            table = Opened.at(client, "kuhn-poker", ["theirs.py:Raises@2s", "learned"])
            assert within(lambda: over(table))
    finally:
        server.stop()
    assert "the bot theirs.py:Raises@2s raised KeyError" in server.output.read_text()
