"""Playing without choosing much: at once against bots, or in a room in which friends gather by one link."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from serving import served

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


def test_one_click_plays_against_bots(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        view = seated(client, client.post("/play", data={"game": "kingsburg", "name": "Ann"}, follow_redirects=True))
    assert view["seat"] == "Ann" and len(view["players"]) == 3


def test_a_game_for_two_alone_is_played_at_once_too(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        view = seated(client, client.post("/play", data={"game": "four-winds", "name": ""}, follow_redirects=True))
    assert view["seat"] == "Player 1"


def test_friends_gather_by_one_link_and_each_is_led_to_a_seat_of_their_own(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        ann, joining = opened(client)
        assert bots_offered(client, ann) == 1, "with whom one plays who is alone"
        ben = joined(client, joining, "Ben")
        assert bots_offered(client, ann) == 0
        assert "Ben" in client.get(f"/room/{ann}/people").text
        first = seated(client, client.post(f"/room/{ann}/begin", data={"bots": "1"}, follow_redirects=True))
        second = seated(client, client.get(f"/room/{ben}", follow_redirects=True))
        led = client.get(f"/room/{ben}/people").headers["HX-Redirect"]
    assert (first["seat"], second["seat"]) == ("Ann", "Ben") and len(first["players"]) == 3
    assert led.startswith("/seat/")


def test_the_link_of_a_room_is_shown_as_a_code(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        ann, _ = opened(client)
        assert re.search(r'<div class="code"[^>]*><svg[^>]+viewBox', client.get(f"/room/{ann}").text)


def test_nobody_has_the_name_of_another_in_a_room(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        _, joining = opened(client)
        page = client.post(f"/room/{joining}/join", data={"name": "ann"}, follow_redirects=True)
    assert page.status_code == 422 and "has that name already" in page.text


def test_only_whoever_made_a_room_begins_and_only_once(tmp_path: Path) -> None:
    with served(tmp_path) as (serving, client):
        ann, joining = opened(client)
        ben = joined(client, joining, "Ben")
        assert client.post(f"/room/{ben}/begin", data={}).status_code == 403
        seats = [client.post(f"/room/{ann}/begin", data={}, follow_redirects=True).url for _ in range(2)]
        assert seats[0] == seats[1] and serving.store.count() == 1
        assert client.post(f"/room/{joining}/join", data={"name": "Cleo"}).status_code == 422


def test_a_room_that_is_not_there_says_so(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        page = client.get("/room/nothing-that-was-ever-made")
    assert page.status_code == 404 and "not valid any more" in page.text
