"""Servers killed with SIGKILL during games: no answer is lost and none counts twice.

`make soak` kills the server 200 times, the test suite once.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from random import Random

import httpx2

from calling import wait_until
from edict.game.table.journal import parse_journal
from serving import ALREADY_ANSWERED, OpenedTable, ServerOnPort, open_server

KILLS = int(os.environ.get("EDICT_KILLS", "1"))
GAME_COUNT = 4  # games in progress whenever the server is killed
MAX_DELAY = 0.5  # seconds until the server is killed after each game has gone on


def test_answers_survive_killing_the_server(tmp_path: Path) -> None:
    """After each kill, a server on the same store has all answers; finally one game is played on."""
    rng, store = Random(20), f"sqlite:///{tmp_path / 'tables.sqlite'}"
    with open_server(tmp_path) as (_, client):
        games = [OpenedTable.open_at(client, "pig", ["person", "person"]) for _ in range(GAME_COUNT)]
    over: list[OpenedTable] = []
    for number in range(KILLS):
        server = ServerOnPort.start(store, tmp_path)
        try:
            _play_until_killed(server, games, rng)
        finally:
            server.kill()
        with open_server(tmp_path) as (_, client):
            for game in games:
                game.client = client
                _assert_nothing_lost(game)
            if number % 5 == 4:  # the other games continue
                over.append(games.pop(0))
                games.append(OpenedTable.open_at(client, "pig", ["person", "person"]))
    with open_server(tmp_path) as (_, client):
        games[0].client = client
        _play(games[0], Random(4), 5)
        for game in [*games, *over]:
            game.client = client
            _assert_nothing_lost(game)


def _play_until_killed(server: ServerOnPort, games: list[OpenedTable], rng: Random) -> None:
    """Play each game in a thread of its own and kill the server meanwhile."""
    threads = [
        threading.Thread(target=_play_until_disconnected, args=(server, game, rng.randrange(1 << 30))) for game in games
    ]
    playing = [(game, len(game.given) + 2, thread) for game, thread in zip(games, threads, strict=True)]
    for thread in threads:
        thread.start()
    wait_until(lambda: all(len(game.given) >= target or not thread.is_alive() for game, target, thread in playing))
    threads[0].join(rng.random() * MAX_DELAY)
    server.kill()
    for thread in threads:
        thread.join()


def _play_until_disconnected(server: ServerOnPort, game: OpenedTable, seed: int) -> None:
    with server.create_client() as client:
        game.client = client
        try:
            _play(game, Random(seed), 3000)
        except httpx2.TransportError:
            return


def _play(game: OpenedTable, rng: Random, max_answers: int) -> None:
    for _ in range(max_answers):
        key_and_view = game.find_asked()
        if key_and_view is None:
            return
        key, view = key_and_view
        chosen = rng.choice(view["question"]["options"])["key"]
        version = game.get_version(key)
        game.given.append(chosen)  # if the server dies now, the answer may or may not have been recorded
        response = game.answer(key, version, chosen)
        assert response.status_code == 200 and ALREADY_ANSWERED not in response.text


def _assert_nothing_lost(game: OpenedTable) -> None:
    """Assert that the journal has the answers given, except possibly the last one, which may not have been taken."""
    journal = parse_journal(game.client.get(f"/seat/{game.host}/journal").content)
    recorded = [answer.key for answer in journal.answers]
    assert recorded in (game.given, game.given[:-1])
    game.given = recorded
