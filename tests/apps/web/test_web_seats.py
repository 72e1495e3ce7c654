"""A host who plays has no more than others: seats are taken once, luck is sealed, and so is the file of the game."""

from __future__ import annotations

import re
from hashlib import sha256
from random import Random

from starlette.testclient import TestClient

from serving import Opened, form

PLAYS = {"plays": "1"}
TWO = ["person", "person"]
HASH = re.compile(r"\b[0-9a-f]{64}\b")


def opened(client: TestClient, game: str = "kuhn-poker", seats: list[str] | None = None) -> Opened:
    """A table whose host plays, at which nobody has taken a seat yet."""
    sent = form(game, seats or TWO) | PLAYS
    return Opened.of(client, client.post("/tables", data=sent, follow_redirects=True))


def taken(table: Opened, key: str) -> str:
    """The key of somebody who takes a seat."""
    done = table.client.post(f"/seat/{key}/claim", follow_redirects=False)
    assert done.status_code == 303
    return str(done.headers["location"]).removeprefix("/seat/")


def test_a_seat_is_taken_once_and_its_link_then_belongs_to_who_took_it(client: TestClient) -> None:
    table = opened(client)
    key = table.seats[0]
    offered = client.get(f"/seat/{key}")
    assert offered.status_code == 200 and "Player 1" in offered.text and 'class="play"' not in offered.text
    for place in ("view.json", "table", "news", "missed", "at/0", "journal"):
        assert client.get(f"/seat/{key}/{place}").status_code == 403, place
    assert table.answer(key, 1, "bet").status_code == 403
    own = taken(table, key)
    assert own != key and client.get(f"/seat/{own}").status_code == 200
    assert client.get(f"/seat/{key}").status_code == client.post(f"/seat/{key}/claim").status_code == 404
    assert client.post(f"/seat/{own}/claim").status_code == 404
    page = client.get(f"/host/{table.host}").text
    assert own not in page and key not in page and "taken" in page and table.seats[1] in page


def test_a_host_cannot_get_back_a_seat_that_was_taken(client: TestClient) -> None:
    table = opened(client)
    own = taken(table, table.seats[0])
    hand_over = f"/host/{table.host}/hand-over"
    assert client.post(hand_over, data={"seat": "0", "bot": ""}).status_code == 400
    assert client.get(f"/seat/{own}").status_code == 200
    client.post(hand_over, data={"seat": "0", "bot": "random"})
    assert client.get(f"/seat/{own}").status_code == 404
    assert client.post(hand_over, data={"seat": "0", "bot": ""}).status_code == 400, "its cards are the other's still"
    client.post(hand_over, data={"seat": "1", "bot": ""})
    assert client.get(f"/seat/{table.seats[1]}").status_code == 404


def test_the_file_of_a_game_and_its_luck_are_sealed_until_its_end_and_it_is_played_again(client: TestClient) -> None:
    """In the rematch, of which there is one, everybody has the seat they had."""
    table = opened(client)
    table.seats = [taken(table, key) for key in table.seats]
    own, host = f"/seat/{table.seats[1]}", f"/host/{table.host}"
    assert client.get(f"/seat/{table.host}/journal").status_code == 403 and "/journal" not in client.get(host).text
    assert client.post(f"/seat/{table.seats[0]}/rematch").status_code == 409
    sealed = HASH.findall(client.get(own).text)
    assert len(sealed) == 1
    table.play(luck=Random(3))
    assert client.get(f"/seat/{table.host}/journal").status_code == 200 and "/journal" in client.get(host).text
    page = client.get(own).text
    seed = re.search(r"\b\d{20,40}\b", page)
    assert seed and sha256(seed[0].encode()).hexdigest() == sealed[0] == HASH.findall(page)[0]
    assert "Rematch" in page
    again = [client.post(f"/seat/{key}/rematch", follow_redirects=False).headers["location"] for key in table.seats * 2]
    assert again[:2] == again[2:]
    new = Opened(client, "", [place.removeprefix("/seat/") for place in again[:2]], "")
    views = [new.view(key) for key in new.seats]
    assert [view["seat"] for view in views] == ["Player 1", "Player 2"] and not any(view["over"] for view in views)
    assert not {*new.seats} & {*table.seats}
    new.play(luck=Random(3))
    assert new.view(new.seats[0])["over"]


def test_a_host_who_does_not_play_has_all_links_and_the_file_and_no_seed_is_sealed_that_could_be_guessed(
    client: TestClient,
) -> None:
    table = Opened.begun(client, "pig", 3)
    assert client.get(f"/seat/{table.seats[0]}/view.json").status_code == 200
    assert client.get(f"/seat/{table.host}/journal").status_code == 200
    assert not HASH.findall(client.get(f"/seat/{table.seats[0]}").text)


def test_a_seat_of_a_bot_is_nobodys_to_take(client: TestClient) -> None:
    table = opened(client, seats=["person", "random"])
    assert len(table.seats) == 1
    taken(table, table.seats[0])
