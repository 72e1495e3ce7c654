"""A house rule is tried at a table of its own, where the game goes on; nothing secret goes along."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import pytest
from serving import Opened
from starlette.testclient import TestClient

from edict.table.branched_games import branch, hidden_from_some
from edict.table.game_errors import GameError, JournalError
from edict.table.game import Game
from edict.table.journal import parse_journal, read_header
from edict.table.rules import load_rules
from edict.web.table_server import TableServer

GO_ON = re.compile(r'href="/seat/([\w-]+(?:/tried)?)" id="go-on"')


def played(game: str, answers: int, *modules: str, seed: int = 11) -> Game:
    rules, luck = load_rules(game, modules), Random(5)
    found = rules.new_game(["Ann", "Ben"], seed=seed)
    for _ in range(answers):
        found.answer(luck.choice(found.ask.options).key)
    return found


@pytest.mark.parametrize("game, answers", [("kingsburg", 30), ("kuhn-poker", 1), ("high-water", 4), ("four-lanes", 3)])
def test_a_branch_looks_to_its_seat_as_the_game_did_and_has_luck_of_its_own(game: str, answers: int) -> None:
    before = played(game, answers)
    for seat in (0, 1):
        journal = branch(before, seat, Random(1))
        after = load_rules(game).replay(parse_journal(journal.to_bytes()))
        mine, now = before.view(seat), after.view(seat)
        assert now.panels() == mine.panels() and [one.text for one in now.log] == [one.text for one in mine.log]
        assert journal.header.seed != before.table.seed


def test_what_is_hidden_from_a_seat_is_drawn_anew_for_its_branch() -> None:
    before = played("kuhn-poker", 0)
    rules = load_rules("kuhn-poker")
    assert hidden_from_some(before)
    held = {str(rules.replay(branch(before, 0, Random(n))).view(1).words("hand", 1)) for n in range(12)}
    assert len(held) == 2  # the two cards that Ann does not hold


def test_nothing_goes_on_from_a_game_that_is_over() -> None:
    game = played("kuhn-poker", 0)
    while not game.over:
        game.answer(0)
    with pytest.raises(GameError, match="over"):
        branch(game, 0)


@pytest.fixture(scope="module")
def table(server: tuple[TableServer, TestClient]) -> Opened:
    """One whose host plays, and whose seats were taken."""
    client, found = server[1], Opened.begun(server[1], "kingsburg", 12, plays="1")
    pages = [client.post(f"/seat/{key}/claim", follow_redirects=True) for key in found.seats]
    found.seats = [page.url.path.removeprefix("/seat/") for page in pages]
    return found


def sent(table: Opened, seat: str, **fields: object) -> Any:
    return table.client.post(f"/seat/{seat}/try", data={"game": "kingsburg", **fields})


def test_a_module_is_tried_alone_after_what_is_different_was_told(client: TestClient, table: Opened) -> None:
    page = client.get(f"/seat/{table.seats[0]}/try").text
    assert 'value="more-buildings"' in page and "All of us" in page
    told = sent(table, table.seats[0], who="me", **{"with": ["more-buildings"]})
    assert "What is different" in told.text and "Sawmill" in told.text
    found = GO_ON.search(told.text)
    assert found
    view = table.view(found[1])
    assert view["game"]["modules"] == ["more-buildings"] and view["seat"] == "Ann"
    assert view["log"][:5] == table.view(table.seats[0])["log"][:5]


def test_all_find_their_seats_at_the_table_with_the_house_rules(client: TestClient, table: Opened) -> None:
    assert client.get(f"/seat/{table.seats[1]}/tried").status_code == 404, "not yet"
    assert "/tried" in sent(table, table.seats[0], who="all", **{"with": ["long-winter"]}).text
    assert "/tried" in client.get(f"/seat/{table.seats[1]}/talk").text
    other = str(client.get(f"/seat/{table.seats[1]}/tried").url).rsplit("/", 1)[1]
    assert table.view(other)["seat"] == "Ben" and table.view(other)["game"]["modules"] == ["long-winter"]


def test_what_cannot_be_tried_is_said_on_the_page(table: Opened) -> None:
    wrong: list[tuple[dict[str, object], str]] = [
        ({"who": "me"}, "These are already the rules of this table"), ({"who": "me", "with": ["no-such"]}, "no-such"),
        ({"who": "me", "variant": "http://x/studio/none"}, "does not open a variant"),
    ]  # fmt: skip
    for fields, said in wrong:
        answer = sent(table, table.seats[0], **fields)
        assert answer.status_code == 422 and said in answer.text


def test_all_go_on_only_while_nothing_is_hidden_from_anybody_and_who_looks_on_tries_nothing(client: TestClient) -> None:
    table = Opened.begun(client, "kuhn-poker", 0)
    answer = client.post(f"/seat/{table.seats[0]}/try", data={"game": "kuhn-poker", "who": "all"})
    assert answer.status_code == 422 and "hidden from somebody" in answer.text
    assert client.get(f"/seat/{table.onlookers}/try").status_code == 403


def test_draws_that_are_none_are_refused() -> None:
    data = json.loads(json.dumps(branch(played("pig", 4), 0).header.to_data()))
    assert read_header(data, "journal").drawn
    for drawn in ([["roll"]], [["roll", 6]], "roll", [["roll", "6", "6"]]):
        with pytest.raises(JournalError, match="`drawn` is invalid"):
            read_header(data | {"drawn": drawn}, "journal")
