"""Playing without choosing much: at once against bots, or in a room in which friends gather by one link."""

from __future__ import annotations

import re
from typing import Any

from starlette.testclient import TestClient

from edict.web.table_server import TableServer

_JOINING = re.compile(r'id="invitation">[^<]*/room/([\w-]+)<')


def opened(client: Any, **more: str) -> tuple[str, str]:
    """The key of whoever makes a room, and that by which others join."""
    page = client.post("/rooms", data={"game": "pig", "name": "Ann", **more}, follow_redirects=True)
    found = _JOINING.search(page.text)
    assert page.status_code == 200 and found is not None, page.text
    return str(page.url).rsplit("/", 1)[1], found[1]


def joined(client: Any, joining: str, name: str) -> str:
    page = client.post(f"/room/{joining}/join", data={"name": name}, follow_redirects=True)
    assert page.status_code == 200, page.text
    return str(page.url).rsplit("/", 1)[1]


def bots_offered(client: Any, key: str) -> int:
    found = re.search(r'name="bots"[^>]* value="(\d+)"', client.get(f"/room/{key}").text)
    assert found is not None
    return int(found[1])


def seated(client: Any, page: Any) -> dict[str, Any]:
    """What one sees who was led to a seat."""
    assert page.status_code == 200, page.text
    view: dict[str, Any] = client.get(f"{page.url.path}/view.json").json()
    return view


def test_one_click_plays_against_bots_also_a_game_for_two_alone(client: TestClient) -> None:
    for game, name, seat, players in (("kingsburg", "Ann", "Ann", 3), ("kuhn-poker", "", "Player 1", 2)):
        view = seated(client, client.post("/play", data={"game": game, "name": name}, follow_redirects=True))
        assert view["seat"] == seat and len(view["players"]) == players


def test_friends_gather_by_one_link_and_each_is_led_to_a_seat_of_their_own(
    server: tuple[TableServer, TestClient],
) -> None:
    serving, client = server
    ann, joining = opened(client)
    assert re.search(r'<div class="code"[^>]*><svg[^>]+viewBox', client.get(f"/room/{ann}").text)
    assert bots_offered(client, ann) == 1, "with whom one plays who is alone"
    ben = joined(client, joining, "Ben")
    assert bots_offered(client, ann) == 0
    page = client.post(f"/room/{joining}/join", data={"name": "ann"}, follow_redirects=True)
    assert page.status_code == 422 and "has that name already" in page.text
    assert "Ben" in client.get(f"/room/{ann}/people").text
    assert client.post(f"/room/{ben}/begin", data={}).status_code == 403, "only whoever made it begins"
    before = serving.store.count()
    seats = [client.post(f"/room/{ann}/begin", data={"bots": "1"}, follow_redirects=True) for _ in range(2)]
    assert seats[0].url == seats[1].url and serving.store.count() == before + 1, "and only once"
    first, second = seated(client, seats[0]), seated(client, client.get(f"/room/{ben}", follow_redirects=True))
    assert (first["seat"], second["seat"]) == ("Ann", "Ben") and len(first["players"]) == 3
    assert client.get(f"/room/{ben}/people").headers["HX-Redirect"].startswith("/seat/")
    assert client.post(f"/room/{joining}/join", data={"name": "Cleo"}).status_code == 422


def test_a_room_that_is_not_there_says_so(client: TestClient) -> None:
    page = client.get("/room/nothing-that-was-ever-made")
    assert page.status_code == 404 and "not valid any more" in page.text
