"""A server that is killed with -9 in the middle of games loses no answer that it took, and doubles none.

`make soak` kills it 200 times; the suite a few times.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random

import httpx2
import pytest
from serving import LATE, Opened, Server

from edict.table.journal import parse_journal
from edict.web.store import Store, StoreError

Call = Callable[..., "subprocess.CompletedProcess[str]"]
KILLS = int(os.environ.get("EDICT_KILLS", "2"))
AT_ONCE = 4  # games that are being played whenever the server is killed
LONGEST = 0.5  # seconds until it is


class Killed(Exception):
    """The server did not answer."""


def test_what_was_answered_is_there_after_the_server_was_killed(tmp_path: Path) -> None:
    luck, store = Random(20), f"sqlite:///{tmp_path / 'tables.sqlite'}"
    server = Server.start(store, tmp_path)
    over: list[Opened] = []
    try:
        with server.client() as client:
            games = [Opened.at(client, "pig", ["person", "person"]) for _ in range(AT_ONCE)]
        for number in range(KILLS):
            _play_until_killed(server, games, luck)
            server = Server.start(store, tmp_path)
            with server.client() as client:
                for game in games:
                    game.client = client
                    _nothing_is_lost(game)
                if number % 5 == 4:  # the others go on from where they are
                    over.append(games.pop(0))
                    games.append(Opened.at(client, "pig", ["person", "person"]))
        with server.client() as client:
            game = games[0]
            game.client = client
            _play(game, Random(4), 5)
            for game in [*games, *over]:
                game.client = client
                _nothing_is_lost(game)
    finally:
        server.kill()


def _play_until_killed(server: Server, games: list[Opened], luck: Random) -> None:
    """Every game in a thread of its own; the server is killed in the midst of it."""
    threads = [threading.Thread(target=_played, args=(server, game, luck.randrange(1 << 30))) for game in games]
    for thread in threads:
        thread.start()
    threads[0].join(luck.random() * LONGEST)
    server.kill()
    for thread in threads:
        thread.join()


def _played(server: Server, game: Opened, seed: int) -> None:
    with server.client() as client:
        game.client = client
        try:
            _play(game, Random(seed), 3000)
        except httpx2.TransportError:
            return


def _play(game: Opened, luck: Random, most: int) -> None:
    for _ in range(most):
        asked = game.asked()
        if asked is None:
            return
        key, view = asked
        chosen = luck.choice(view["question"]["options"])["key"]
        version = game.version(key)
        game.given.append(chosen)  # if the server dies now, nobody knows whether it was taken
        done = game.answer(key, version, chosen)
        assert done.status_code == 200 and LATE not in done.text


def _nothing_is_lost(game: Opened) -> None:
    """What the journal holds is what was given, up to the last answer, about which nobody was told."""
    journal = parse_journal(game.client.get(f"/seat/{game.host}/journal").content)
    kept = [answer.key for answer in journal.answers]
    assert kept in (game.given, game.given[:-1])
    game.given = kept


@pytest.mark.parametrize("text", ["no address", "mysql://x/y", "sqlite:////no/such/folder/at/all.sqlite"])
def test_a_store_that_cannot_be_used_is_named(text: str) -> None:
    with pytest.raises(StoreError, match="database") as found:
        Store(text)
    assert found.value.remedy


def test_the_command_says_what_is_wrong_with_a_store(call: Call) -> None:
    done = call("serve", "--no-browser", "--store", "mysql://x/y")
    assert done.returncode == 2 and "database" in done.stderr
