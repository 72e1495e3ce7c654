"""Seats of a table whose host plays: claimed once, with sealed seed and journal until the end, and rematches."""

from __future__ import annotations

import re
from hashlib import sha256
from random import Random

import pytest
from starlette.testclient import TestClient

from serving import OpenedTable, make_table_form

PLAYS = {"plays": "1"}
TWO = ["person", "person"]
HASH = re.compile(r"\b[0-9a-f]{64}\b")


def open_table(client: TestClient, game: str = "kuhn-poker", seats: list[str] | None = None) -> OpenedTable:
    """Open a table whose host plays and whose seats are all free."""
    fields = make_table_form(game, seats or TWO) | PLAYS
    return OpenedTable.from_page(client, client.post("/tables", data=fields, follow_redirects=True))


def claim_seat(table: OpenedTable, key: str) -> str:
    """Claim a seat and return its new key."""
    response = table.client.post(f"/seat/{key}/claim", follow_redirects=False)
    assert response.status_code == 303
    return str(response.headers["location"]).removeprefix("/seat/")


def test_seat_is_claimed_once_and_then_has_a_private_link(client: TestClient, subtests: pytest.Subtests) -> None:
    table = open_table(client)
    key = table.seats[0]
    offered = client.get(f"/seat/{key}")
    assert offered.status_code == 200 and "Player 1" in offered.text and 'class="play"' not in offered.text
    for path in ("view.json", "table", "news", "missed", "at/0", "journal"):
        with subtests.test(path=path):
            assert client.get(f"/seat/{key}/{path}").status_code == 403
    assert table.answer(key, 1, "bet").status_code == 403
    own_key = claim_seat(table, key)
    assert own_key != key and client.get(f"/seat/{own_key}").status_code == 200
    assert client.get(f"/seat/{key}").status_code == client.post(f"/seat/{key}/claim").status_code == 404
    assert client.post(f"/seat/{own_key}/claim").status_code == 404
    page = client.get(f"/host/{table.host}").text
    assert own_key not in page and key not in page and "taken" in page and table.seats[1] in page


def test_host_cannot_take_back_a_claimed_seat(client: TestClient) -> None:
    table = open_table(client)
    own_key = claim_seat(table, table.seats[0])
    hand_over = f"/host/{table.host}/hand-over"
    assert client.post(hand_over, data={"seat": "0", "bot": ""}).status_code == 400
    assert client.get(f"/seat/{own_key}").status_code == 200
    client.post(hand_over, data={"seat": "0", "bot": "random"})
    assert client.get(f"/seat/{own_key}").status_code == 404
    assert client.post(hand_over, data={"seat": "0", "bot": ""}).status_code == 400, "its cards are the other's still"
    client.post(hand_over, data={"seat": "1", "bot": ""})
    assert client.get(f"/seat/{table.seats[1]}").status_code == 404


def test_journal_and_seed_are_sealed_until_the_end_and_a_rematch_keeps_the_seats(client: TestClient) -> None:
    """There is only one rematch."""
    table = open_table(client)
    table.seats = [claim_seat(table, key) for key in table.seats]
    own_path, host = f"/seat/{table.seats[1]}", f"/host/{table.host}"
    assert client.get(f"/seat/{table.host}/journal").status_code == 403 and "/journal" not in client.get(host).text
    assert client.post(f"/seat/{table.seats[0]}/rematch").status_code == 409
    sealed = HASH.findall(client.get(own_path).text)
    assert len(sealed) == 1
    table.play(rng=Random(3))
    assert client.get(f"/seat/{table.host}/journal").status_code == 200 and "/journal" in client.get(host).text
    page = client.get(own_path).text
    seed = re.search(r"\b\d{20,40}\b", page)
    assert seed and sha256(seed[0].encode()).hexdigest() == sealed[0] == HASH.findall(page)[0]
    assert "Rematch" in page
    locations = [
        client.post(f"/seat/{key}/rematch", follow_redirects=False).headers["location"] for key in table.seats * 2
    ]
    assert locations[:2] == locations[2:]
    rematch = OpenedTable(client, "", [location.removeprefix("/seat/") for location in locations[:2]], "")
    views = [rematch.get_view(key) for key in rematch.seats]
    assert [view["seat"] for view in views] == ["Player 1", "Player 2"] and not any(view["over"] for view in views)
    assert not {*rematch.seats} & {*table.seats}
    rematch.play(rng=Random(3))
    assert rematch.get_view(rematch.seats[0])["over"]


def test_host_who_does_not_play_has_links_and_journal_and_no_seed_is_sealed(
    client: TestClient,
) -> None:
    table = OpenedTable.open_after_answers(client, "pig", 3)
    assert client.get(f"/seat/{table.seats[0]}/view.json").status_code == 200
    assert client.get(f"/seat/{table.host}/journal").status_code == 200
    assert not HASH.findall(client.get(f"/seat/{table.seats[0]}").text)


def test_seat_of_a_bot_cannot_be_claimed(client: TestClient) -> None:
    table = open_table(client, seats=["person", "random"])
    assert len(table.seats) == 1
    claim_seat(table, table.seats[0])
