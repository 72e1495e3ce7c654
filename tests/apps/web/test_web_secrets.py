"""No secret is in any byte sent to a seat: every page is the same in all worlds that look the same to that seat."""

from __future__ import annotations

import asyncio
import re
from random import Random

import pytest
from starlette.testclient import TestClient

from edict.apps.web.live_tables import LiveTable, PlayableGame
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.table_actions import answer_in_turn
from edict.apps.web.table_pictures import Recent
from edict.apps.web.table_server import TableServer
from edict.game.table.game import Game
from edict.game.table.knowledge import has_secrets
from edict.game.table.rules import load_rules
from examples import examples
from serving import Opened
from worlds import Worlds, worlds

OFFER = TableOffer()
GAMES = sorted(OFFER.games)


def together(game: str) -> list[list[str]]:
    """What can be laid over a game, each once: as many sets as there are scenarios, with some of the modules each."""
    over = OFFER.modules_for(game)
    scenarios, modules = (sorted(n for n, one in over.items() if (one.kind == kind)) for kind in ("scenario", "module"))
    count = max(len(scenarios), 1)
    return [[*scenarios[at : at + 1], *modules[at::count]] for at in range(count)] if over else []


OVER = [(game, names) for game in GAMES for names in together(game)]
SEAL = re.compile(rb'<p class="small seal">.*?</p>')  # of the seed, which is another in each world, only a hash is told
MARK = re.compile(rb'(data-mark="|[?]since=)[0-9]+-[0-9a-f]{32}')  # the hash of all that is told, the seal included
PARTS = ("", "/table", "/view.json", "/missed", "/why-not", "/scores.json")


def told(client: TestClient, key: str, game: Game) -> list[bytes]:
    """All that is sent to a seat as the game stands."""
    last = len(game.view(0).log)
    parts = [*PARTS, *(f"/line/{number}" for number in range(max(0, last - 4), last))]
    parts += [f"/at/{game.last_step.depth}", "/ask-about?about=Ann"]
    return [MARK.sub(b"", SEAL.sub(b"", client.get(f"/seat/{key}{part}").content)) for part in parts]


def in_other_worlds(client: TestClient, playing: LiveTable, key: str, seat: int, made: Worlds, luck: Random) -> int:
    """Compare what a seat is sent in this world and in others; gives how many others there were."""
    game, found = playing.game, 0
    mine: list[bytes] = []
    for _ in range(4):
        world = made.other(game, seat, luck)
        if world is None:
            continue
        mine = mine or told(client, key, game)
        try:
            playing.game, playing.recent = world, Recent()
            theirs = told(client, key, world)
        finally:
            playing.game, playing.recent = game, Recent()
        assert theirs == mine
        found += 1
    return found


def played(server: tuple[TableServer, TestClient], game: str, modules: list[str], seed: int, often: float) -> int:
    """Play a whole game at random, and look at it with every seat's eyes (after so many of its answers, from 0 to 1).

    Gives how many other worlds there were.
    """
    serving, client = server
    rules = load_rules(game, modules)
    if not has_secrets(rules.program):
        return 0
    names = ["Ann", "Ben", "Cleo", "Dan"][: max(rules.program.least_players, min(2, rules.program.most_players))]
    begun = rules.new_game(names, seed=seed).journal
    links = asyncio.run(serving.tables.open(PlayableGame.of(begun, rules, ("",) * len(names))))
    table, keys = links[0].table, [link.key for link in links if link.seat >= 0]
    playing, luck, found = serving.tables.playing(table), Random(seed), 0
    with worlds() as made:
        for _ in range(2000):
            if playing.game.over:
                break
            if luck.random() < often:
                for seat, key in enumerate(keys):
                    others = in_other_worlds(client, playing, key, seat, made, luck)
                    found += others
                    if others:
                        sent = client.get(f"/seat/{key}/view.json").json()
                        assert sent == playing.view(seat)
            ask = playing.game.ask
            answer_in_turn(playing, ask.seat, playing.version, luck.choice(ask.options).key, ())
    assert playing.game.over
    return found


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.sample(5)
def test_no_game_sends_a_secret(server: tuple[TableServer, TestClient], game: str) -> None:
    short = game == "kuhn-poker"
    seeds, often = (range(examples(4, 10)), 1.0) if short else (range(1), 0.03)
    assert sum(played(server, game, [], seed, often) for seed in seeds) > 4 or not short


def test_every_module_is_played() -> None:
    laid = sorted((game, name) for game, names in OVER for name in names)
    assert laid == sorted((game, name) for game in GAMES for name in OFFER.modules_for(game))


@pytest.mark.parametrize(("game", "names"), OVER)
@pytest.mark.sample(2)
def test_no_module_sends_a_secret(server: tuple[TableServer, TestClient], game: str, names: list[str]) -> None:
    much = "soldier-tokens" in names  # what is chosen there stays hidden for long
    found = played(server, game, names, 11, 0.25 if much else 0.05)
    assert found or not much


def test_the_file_with_all_secrets_is_the_hosts_and_why_an_answer_is_offered_is_told_to_who_may_give_it(
    server: tuple[TableServer, TestClient],
) -> None:
    _, client = server
    table = Opened.at(client, "kuhn-poker", ["person", "person"])
    asked = table.asked()
    assert asked is not None
    option = {"option": asked[1]["question"]["options"][0]["key"]}
    for key in (*table.seats, table.onlookers):
        told = "There is nothing to explain here" not in client.get(f"/seat/{key}/why", params=option).text
        assert told == (key == asked[0])
        assert client.get(f"/seat/{key}/journal").status_code == 403
        assert client.get(f"/host/{key}").status_code == 404
        page = client.get(f"/seat/{key}").text
        assert not any(other in page for other in (table.host, *table.seats) if other != key)
    assert client.get(f"/seat/{table.host}/journal").status_code == 200
