"""Proof that no secret is sent to a seat, in any byte of any page.

Every page is the same in all worlds that look the same to the seat.
"""

from __future__ import annotations

import asyncio
import re
from random import Random

import pytest
from starlette.testclient import TestClient

from edict.apps.web import table_actions
from edict.apps.web.live_tables import LiveTable, PlayableGame
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.table_actions import answer_in_turn
from edict.apps.web.table_pictures import RenderCache
from edict.apps.web.table_server import TableServer
from edict.game.table.game import Game
from edict.game.table.knowledge import has_secrets
from edict.game.table.rules import load_rules
from examples import choose_examples
from serving import OpenedTable
from worlds import Worlds, worlds

OFFER = TableOffer()
GAMES = sorted(OFFER.games)


def group_modules(game: str) -> list[list[str]]:
    """Return lists of module names that together have each module of a game once, with at most one scenario each."""
    modules_by_name = OFFER.modules_for(game)
    scenarios, modules = (
        sorted(name for name, definition in modules_by_name.items() if (definition.kind == kind))
        for kind in ("scenario", "module")
    )
    count = max(len(scenarios), 1)
    return (
        [[*scenarios[index : index + 1], *modules[index::count]] for index in range(count)] if modules_by_name else []
    )


MODULE_GROUPS = [(game, names) for game in GAMES for names in group_modules(game)]
SEAL = re.compile(rb'<p class="small seal">.*?</p>')  # a hash of the seed, which differs in each world
MARK = re.compile(rb'(data-mark="|[?]since=)[0-9]+-[0-9a-f]{32}')  # a hash of the page, which includes the seal
PARTS = ("", "/table", "/view.json", "/missed", "/why-not", "/scores.json")


def fetch_pages(client: TestClient, key: str, game: Game) -> list[bytes]:
    """Return everything that is sent to a seat in the current state of the game."""
    last = len(game.view(0).log)
    parts = [*PARTS, *(f"/line/{number}" for number in range(max(0, last - 4), last))]
    parts += [f"/at/{game.last_step.depth}", "/ask-about?about=Ann"]
    return [MARK.sub(b"", SEAL.sub(b"", client.get(f"/seat/{key}{part}").content)) for part in parts]


def compare_other_worlds(
    client: TestClient, live_table: LiveTable, key: str, seat: int, source: Worlds, rng: Random
) -> int:
    """Compare what a seat is sent in this world and in others; return the number of the others."""
    game, count = live_table.game, 0
    mine: list[bytes] = []
    for _ in range(4):
        world = source.find_other(game, seat, rng)
        if world is None:
            continue
        mine = mine or fetch_pages(client, key, game)
        try:
            live_table.game, live_table.recent = world, RenderCache()
            for other in (None, *range(len(game.players))):  # whose parts this seat might be shown
                table_actions.render_updates(live_table, [(other, "")], [])
            theirs = fetch_pages(client, key, world)
        finally:
            live_table.game, live_table.recent = game, RenderCache()
        assert theirs == mine
        count += 1
    return count


def play_and_compare(
    server: tuple[TableServer, TestClient], game: str, modules: list[str], seed: int, share: float
) -> int:
    """Play a random game to its end and compare its pages in other worlds for every seat.

    Args:
        server: The server and a client of it.
        game: Name of the game.
        modules: Names of its modules.
        seed: Seed of the game and of the choices.
        often: Share of the positions at which worlds are compared.

    Returns:
        The number of other worlds.
    """
    serving, client = server
    rules = load_rules(game, modules)
    if not has_secrets(rules.program):
        return 0
    names = ["Ann", "Ben", "Cleo", "Dan"][: max(rules.program.least_players, min(2, rules.program.most_players))]
    journal = rules.new_game(names, seed=seed).journal
    links = asyncio.run(serving.tables.open(PlayableGame.from_journal(journal, rules, ("",) * len(names))))
    table, keys = links[0].table, [link.key for link in links if link.seat >= 0]
    live_table, rng, count = serving.tables.get_current(table), Random(seed), 0
    with worlds() as source:
        for _ in range(2000):
            if live_table.game.over:
                break
            if rng.random() < share:
                for seat, key in enumerate(keys):
                    world_count = compare_other_worlds(client, live_table, key, seat, source, rng)
                    count += world_count
                    if world_count:
                        page_view = client.get(f"/seat/{key}/view.json").json()
                        assert page_view == live_table.build_view(seat)
            ask = live_table.game.ask
            answer_in_turn(live_table, ask.seat, live_table.version, rng.choice(ask.options).key, ())
    assert live_table.game.over
    return count


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.sample(3)
def test_game_sends_no_secret(server: tuple[TableServer, TestClient], game: str) -> None:
    short = game == "kuhn-poker"
    seeds, share = (range(choose_examples(4, 10)), 1.0) if short else (range(1), 0.03)
    assert sum(play_and_compare(server, game, [], seed, share) for seed in seeds) > 4 or not short


def test_module_groups_cover_every_module() -> None:
    covered = sorted((game, name) for game, names in MODULE_GROUPS for name in names)
    assert covered == sorted((game, name) for game in GAMES for name in OFFER.modules_for(game))


@pytest.mark.parametrize(("game", "names"), MODULE_GROUPS)
@pytest.mark.sample(2)
def test_modules_send_no_secret(server: tuple[TableServer, TestClient], game: str, names: list[str]) -> None:
    is_secretive = "soldier-tokens" in names  # choices in it stay hidden for long
    count = play_and_compare(server, game, names, 11, 0.25 if is_secretive else 0.05)
    assert count or not is_secretive


def test_journal_is_only_for_the_host_and_reasons_are_only_for_the_asked_seat(
    server: tuple[TableServer, TestClient],
    subtests: pytest.Subtests,
) -> None:
    _, client = server
    table = OpenedTable.open_at(client, "kuhn-poker", ["person", "person"])
    key_and_view = table.find_asked()
    assert key_and_view is not None
    option = {"option": key_and_view[1]["question"]["options"][0]["key"]}
    for key in (*table.seats, table.onlookers):
        with subtests.test(key=key):
            is_explained = "There is nothing to explain here" not in client.get(f"/seat/{key}/why", params=option).text
            assert is_explained == (key == key_and_view[0])
            assert client.get(f"/seat/{key}/journal").status_code == 403
            assert client.get(f"/host/{key}").status_code == 404
            page = client.get(f"/seat/{key}").text
            assert not any(other in page for other in (table.host, *table.seats) if other != key)
    assert client.get(f"/seat/{table.host}/journal").status_code == 200
