"""Custom bots of the host at tables in the browser: memory, failures, and protection against other code."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

import edict
from calling import wait_until, write_files
from edict.apps.web import table_bots
from serving import OpenedTable, open_server

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


def test_bot_remembers_its_game_until_it_is_replaced_as_the_longest_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_bots, "MAX_IDLE_BOTS", 1)
    write_files(tmp_path, {"theirs.py": BOTS})
    kind, seen = f"{tmp_path}/theirs.py:Remembers@9s", tmp_path / "theirs.py.seen"

    def read_choices() -> list[list[str]]:
        return [line.split(" ", 3) for line in seen.read_text().splitlines()] if seen.exists() else []

    def play_until_bot_chose(table: OpenedTable) -> None:
        """Play until the bot has answered and a person is asked again."""
        before = len(read_choices())

        def has_bot_chosen() -> bool:
            asked = table.find_asked()
            if asked is not None and len(read_choices()) == before:
                table.play(1)
            return asked is not None and len(read_choices()) > before

        wait_until(has_bot_chosen)

    with open_server(tmp_path, bots=[kind]) as (_, client):
        assert kind in client.get("/").text
        first = OpenedTable.open_at(client, "kingsburg", ["person", kind])
        play_until_bot_chose(first)
        second = OpenedTable.open_at(client, "kingsburg", ["person", kind])
        for table in (second, second, first):
            play_until_bot_chose(table)
    turns = [[int(life[1]) for life in group] for _, group in groupby(read_choices(), lambda life: life[0])]
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in turns), (
        "each in one process, from its first turn on"
    )
    assert len(turns) == 3 and len(turns[1]) > 1, "the second remembers its game; the first made room, and begins anew"
    assert {life[2] for life in read_choices()} == {"9.0"}


def test_failure_of_a_bot_is_logged_and_the_game_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    write_files(tmp_path, {"theirs.py": BOTS})
    kinds = [f"{tmp_path}/theirs.py:{name}" for name in ("Vanishes", "Raises")]
    with open_server(tmp_path, bots=kinds) as (_, client):
        table = OpenedTable.open_at(client, "kuhn-poker", kinds)
        wait_until(lambda: bool(table.get_view(table.onlookers)["over"]))
    table_id = next(str(record.args[0]) for record in caplog.records if isinstance(record.args, tuple) and record.args)
    for kind, message in zip(kinds, ("ended its process", "raised KeyError: 'lost'"), strict=True):
        with subtests.test(kind=kind):
            assert f"Table {table_id}: the bot {kind} {message}" in caplog.text
    assert "a random option is chosen" in caplog.text


def test_thinking_bot_is_asked_once_and_does_not_keep_the_server_from_stopping(tmp_path: Path) -> None:
    write_files(tmp_path, {"theirs.py": BOTS})
    kind, asked, go = f"{tmp_path}/theirs.py:Waits@60s", tmp_path / "theirs.py.asked", tmp_path / "theirs.py.go"
    with open_server(tmp_path, bots=[kind]) as (_, client):
        table = OpenedTable.open_at(client, "kuhn-poker", [kind, "random"])
        wait_until(asked.exists)
        client.post(f"/host/{table.host}/hand-over", data={"seat": "1", "bot": "random"})  # the server looks for bots
        assert not table.get_view(table.onlookers)["over"]
        go.touch()
        wait_until(lambda: bool(table.get_view(table.onlookers)["over"]))
        asked.unlink()
        go.unlink()
        other = OpenedTable.open_at(client, "kuhn-poker", [kind, kind])
        wait_until(asked.exists)
    go.touch()
    with open_server(tmp_path) as (_, client):
        other.client = client
        assert not other.get_view(other.onlookers)["over"], "its answer came too late"


def test_bot_named_in_a_journal_or_store_runs_no_code(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_files(tmp_path, {"theirs.py": BOTS})
    kind = f"{tmp_path}/theirs.py:Marks"
    game = edict.load("kuhn-poker").new_game(["Ann", "Brian"], 1, bots=[kind, "random"])
    with open_server(tmp_path) as (serving, client):
        table = OpenedTable.open_from_journal(client, game.journal.to_bytes())
        assert table.find_asked() is not None, "the seat is a person's"
        link = serving.store.get_link(table.host)
        assert link is not None
        refused = client.post(f"/host/{table.host}/hand-over", data={"seat": "0", "bot": kind})
        assert refused.status_code == 400
        serving.store.hand_over_seat(link.table, 0, kind)  # as a server that was started with this bot would do
        client.post(f"/host/{table.host}/hand-over", data={"seat": "1", "bot": "random"})
        wait_until(lambda: "code that this server was not started with" in caplog.text)
    assert not (tmp_path / "theirs.py.ran").exists()
