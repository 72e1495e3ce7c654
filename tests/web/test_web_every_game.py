"""Every recipe, opened at its seats' pages as its games go on, whatever its values and questions are like.

What the start page offers is opened so in test_browsers_every_game.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from calling import ROOT
from examples import examples
from serving import Opened
from starlette.testclient import TestClient

from edict.table.game import Game
from edict.table.rules import Rules, load_rules
from edict.table.view_data import as_json, view_data

ANSWERS = 240  # of one game, at most
TIMES = examples(2, 4)  # at which a game is looked at, besides the beginning
MORE = examples(1, 3)  # answers given there
RECIPES = {  # which the start page does not offer
    folder.parent.name: folder.parent for folder in sorted((ROOT / "examples" / "recipes").glob("*/module.yaml"))
}


def begun(client: TestClient, game: Game, own: bool = True) -> Opened:
    """A table at which a game goes on. own: its rules do not ship."""
    saved = replace(game.journal, keeps_rules=own).to_bytes()
    files = {"journal": ("begun.jsonl", saved)}
    return Opened.of(client, client.post("/tables/journal", files=files, follow_redirects=True))


def played(rules: Rules, answers: int) -> Game:
    """A game in which a bot that answers anything has given so many answers."""
    players = [f"Player {number}" for number in range(1, rules.program.least_players + 1)]
    game, luck = rules.new_game(players, seed=7), Random(3)
    while answers and not game.over:
        game.answer(luck.choice(game.ask.options).key)
        answers -= 1
    return game


def opens(table: Opened) -> None:
    """Every page that shows the table can be opened."""
    for key in (*table.seats, table.onlookers):
        for place in (f"/seat/{key}", f"/seat/{key}/view.json", f"/seat/{key}/missed", f"/seat/{key}/rules"):
            assert table.client.get(place).status_code == 200, place


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.sample(2)
def test_every_recipe_can_be_seen_and_played_at_its_seats(client: TestClient, name: str) -> None:
    rules, luck = load_rules(RECIPES[name]), Random(5)
    most = sum(one.seat >= 0 for one in played(rules, ANSWERS).journal.answers)
    for time in range(TIMES + 1):
        table = begun(client, played(rules, most * time // TIMES))
        opens(table)
        for _ in range(MORE):
            asked = table.asked()
            if asked is None:
                break
            key, view = asked
            done = table.answer(key, table.version(key), luck.choice(view["question"]["options"])["key"])
            assert done.status_code == 200
            assert 'role="alert"' not in done.text
            opens(table)


def test_a_bag_says_how_many_of_each_thing_it_holds(client: TestClient) -> None:
    game, luck = played(load_rules("pedlars-road"), 0), Random(3)
    while not (held := bags(game)):
        game.answer(luck.choice(game.ask.options).key)
    table = begun(client, game, own=False)
    page = re.sub("<[^>]+>|\n", "", client.get(f"/seat/{table.seats[0]}").text)
    for piece in held:
        for title, many in zip(piece["titles"], piece["value"].values(), strict=True):
            assert f"{title}×{many}" in page if many > 1 else title in page


def bags(game: Game) -> list[dict[str, Any]]:
    """Those on the board as the first seat sees it that hold two of a thing."""
    rows = [row for panel in as_json(view_data(game, 0))["panels"] for row in panel["rows"]]
    pieces = [piece for row in rows for cell in row["pieces"] for piece in cell]
    return [one for one in pieces if one["shape"] == "bag" and max(one["value"].values(), default=0) > 1]
