"""A server that is killed with -9 in the middle of games loses no answer that it took, and doubles none.

`make soak` kills it 200 times; the suite once.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from random import Random

import httpx2

from calling import wait_until
from edict.game.table.journal import parse_journal
from serving import LATE, Opened, Server, served

KILLS = int(os.environ.get("EDICT_KILLS", "1"))
AT_ONCE = 4  # games that are being played whenever the server is killed
LONGEST = 0.5  # seconds until it is, once each of them goes on


def test_what_was_answered_is_there_after_the_server_was_killed(tmp_path: Path) -> None:
    """For whoever serves the same store then; in the end they play on."""
    luck, store = Random(20), f"sqlite:///{tmp_path / 'tables.sqlite'}"
    with served(tmp_path) as (_, client):
        games = [Opened.at(client, "pig", ["person", "person"]) for _ in range(AT_ONCE)]
    over: list[Opened] = []
    for number in range(KILLS):
        server = Server.start(store, tmp_path)
        try:
            _play_until_killed(server, games, luck)
        finally:
            server.kill()
        with served(tmp_path) as (_, client):
            for game in games:
                game.client = client
                _nothing_is_lost(game)
            if number % 5 == 4:  # the others go on from where they are
                over.append(games.pop(0))
                games.append(Opened.at(client, "pig", ["person", "person"]))
    with served(tmp_path) as (_, client):
        games[0].client = client
        _play(games[0], Random(4), 5)
        for game in [*games, *over]:
            game.client = client
            _nothing_is_lost(game)


def _play_until_killed(server: Server, games: list[Opened], luck: Random) -> None:
    """Every game in a thread of its own; the server is killed in the midst of them all."""
    threads = [threading.Thread(target=_played, args=(server, game, luck.randrange(1 << 30))) for game in games]
    playing = [(game, len(game.given) + 2, thread) for game, thread in zip(games, threads, strict=True)]
    for thread in threads:
        thread.start()
    wait_until(lambda: all(len(game.given) >= some or not thread.is_alive() for game, some, thread in playing))
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
