"""Around a table: playing at once, rooms in which friends gather, talk, what a first game is told, and the story."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from serving import REFUSED, Opened
from starlette.testclient import TestClient

from edict.web.notifications import Notifications
from edict.web.table_server import TableServer
from edict.web.template_helpers import find_leads, ranked

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
    alone, _ = opened(client)
    begun = client.post(f"/room/{alone}/begin", data={"bots": "0"}, follow_redirects=True)
    assert len(seated(client, begun)["players"]) == 2, "as many as the game needs"


def test_friends_gather_by_one_link_and_each_is_led_to_a_seat_of_their_own(
    server: tuple[TableServer, TestClient],
) -> None:
    serving, client = server
    ann, joining = opened(client)
    assert re.search(r'<div class="code"[^>]*><svg[^>]+viewBox', client.get(f"/room/{ann}").text)
    assert bots_offered(client, ann) == 1, "with whom one plays who is alone"
    ben = joined(client, joining, "Ben")
    assert bots_offered(client, ann) == 0
    page = client.post(f"/room/{joining}/join", data={"name": "ANN"}, follow_redirects=True)
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


# --- what is said and told at a table -----------------------------------------------------------------


def test_what_one_says_at_a_table_the_others_hear_and_those_who_only_watch_say_nothing(pig: Opened) -> None:
    client, (ann, ben) = pig.client, pig.seats
    client.post(f"/seat/{ann}/talk", data={"text": "Good   luck <b>"}, headers={"HX-Request": "true"})
    client.post(f"/seat/{ben}/talk", data={"reaction": "👍"}, headers={"HX-Request": "true"})
    client.post(f"/seat/{ben}/talk", data={"reaction": "nothing offered", "text": " "})
    assert client.post(f"/seat/{pig.onlookers}/talk", data={"text": "Psst"}).status_code == 403
    heard = client.get(f"/seat/{pig.onlookers}/talk").text
    assert re.findall(r"<li><b>(.*?)</b> (.*?)</li>", heard) == [
        ("Player 1", "Good luck &lt;b&gt;"), ("Player 2", "👍"),
    ]  # fmt: skip
    assert "<form" not in heard


SPOOFS = (
    "\u202eevil", "a\u200bb", "a\u200db", "\ufeffa", "a\x00b", "a\x1b[31mb", "\u3164", "\u2066a", "a\u034fb",
    "\U000e0041",
)  # fmt: skip
"""Characters that turn a line round, or cannot be seen."""


@pytest.mark.parametrize("text", SPOOFS)
def test_talk_with_a_hidden_character_is_refused_and_stays_to_be_corrected(pig: Opened, text: str) -> None:
    talk = f"/seat/{pig.seats[0]}/talk"
    refused = pig.client.post(talk, data={"text": text}, headers={"HX-Request": "true"})
    assert REFUSED in refused.text and 'value=""' not in refused.text
    assert pig.client.post(talk, data={"text": text}).status_code == 422
    heard = pig.client.get(f"/seat/{pig.seats[1]}/talk").text
    assert "<li><b>" not in heard and REFUSED not in heard


HARMLESS = ("\U0001f469\u200d\U0001f680", "\u5de7\u53ca", "\u0639\u0644\u064a", "e\u0301", "\u2764\ufe0f")


@pytest.mark.parametrize("text", HARMLESS)
def test_talk_in_any_script_and_with_joined_emoji_is_heard(pig: Opened, text: str) -> None:
    told = pig.client.post(f"/seat/{pig.seats[0]}/talk", data={"text": text}, headers={"HX-Request": "true"})
    assert f"</b> {text}</li>" in told.text and REFUSED not in told.text


@pytest.mark.parametrize("name", SPOOFS)
def test_room_takes_no_name_with_a_hidden_character(client: TestClient, name: str) -> None:
    """Otherwise whoever joins with one keeps the table from being opened."""
    for place in ("/play", "/rooms"):
        assert client.post(place, data={"game": "pig", "name": f"A{name}n"}).status_code == 422
    _, joining = opened(client)
    assert client.post(f"/room/{joining}/join", data={"name": f"B{name}n"}).status_code == 422
    seats = {"seat-0": "person", "seat-1": "greedy", "name-0": f"C{name}n"}
    assert client.post("/tables", data={"game": "pig", **seats}).status_code == 422


def test_talk_wakes_those_who_watch_and_is_no_news_of_the_game(server: tuple[TableServer, TestClient]) -> None:
    async def listening() -> tuple[bool, bool]:
        news = Notifications(server[0].store)
        async with news.about("table") as watch:
            news.talk("table")
            await asyncio.wait_for(watch.wait(), 30)
            return watch.talked, watch.changed

    assert asyncio.run(listening()) == (True, False)


def _told(client: Any, key: str) -> list[str]:
    return re.findall(r'data-lesson="([^"]*)"', client.get(f"/seat/{key}").text)


def test_a_first_game_is_told_what_the_book_says_of_the_phase_that_is_played(client: TestClient) -> None:
    table = Opened.begun(client, "kingsburg", 0)
    first = _told(client, table.seats[0])
    while (asked := table.asked()) and "Influence the Advisors" not in asked[1]["phases"]:
        table.play(1)
    later = _told(client, table.seats[0])
    assert not _told(client, table.onlookers)
    assert first[0] == "Kingsburg: primer " and "Kingsburg: influencing Passing" not in first
    assert "Kingsburg: influencing Passing" in later


def _course(winners: str, *gained: tuple[str, int, int], players: str = "AB", start: int = 0) -> dict[str, Any]:
    sources: dict[str, list[dict[str, int]]] = {name: [] for name in players}
    for who, after, amount in gained:
        sources[who].append({"after": after, "amount": amount})
    told = [
        {"player": name, "score": start + sum(one["amount"] for one in sources[name]), "sources": sources[name]}
        for name in players
    ]  # fmt: skip
    return {"answers": 9, "players": told, "winners": [*winners]}


STORIES = {
    "lead changes": (
        _course("B", ("A", 1, 2), ("B", 1, 2), ("A", 3, 1), ("B", 4, 1), ("B", 5, 4), ("A", 8, 1)),
        [("A", 3, 3, 2, False), ("B", 5, 7, 3, True)],
    ),
    "level at the end, all win": (_course("AB", ("A", 1, 5), ("B", 7, 5)), []),
    "level at the end, two of three win": (
        _course("AB", ("A", 1, 5), ("B", 7, 5), ("C", 2, 1), players="ABC"),
        [("A", 1, 5, 0, False), ("AB", 7, 5, 1, False)],
    ),
    "a tie that something else decides": (_course("B", ("A", 1, 5), ("B", 7, 5)), []),
    "a tie-break among the best": (
        _course("B", ("A", 1, 5), ("B", 7, 5), ("C", 2, 1), players="ABC"),
        [("A", 1, 5, 0, False), ("AB", 7, 5, 1, False)],
    ),
    "fewest points win": (_course("B", ("A", 1, 5), ("B", 7, 2)), [("B", 1, 0, 5, True)]),
    "caught up and ahead again": (
        _course("A", ("A", 1, 2), ("B", 3, 2), ("A", 4, 2)), [("A", 1, 2, 0, True)],
    ),
    "loses the lead without a winner of its own": (_course("", ("A", 1, 2)), []),
    "all win together with unlike points": (_course("AB", ("A", 1, 5), ("B", 7, 2)), []),
    "the winner has neither the most nor the fewest": (
        _course("C", ("A", 1, 5), ("B", 7, 2), ("C", 8, 3), players="ABC"), [],
    ),
    "a single player": (_course("A", ("A", 1, 2), players="A"), []),
    "points from the start": (_course("A", ("A", 1, 2), ("B", 2, 1), start=10), [("A", 1, 12, 10, True)]),
    "nothing gained": (_course("AB"), []),
}  # fmt: skip


@pytest.mark.parametrize("case", STORIES)
def test_story_tells_who_came_to_lead_and_who_kept_it(case: str) -> None:
    """A game that ended 5:5:5 read `Ann takes the lead, 5 to 0, and keeps it to the end`."""
    course, expected = STORIES[case]
    found = find_leads(course)
    assert [("".join(one.players), one.after, one.points, one.next_best, one.kept) for one in found] == expected


@pytest.mark.parametrize(("scores", "order"), [
    (((3, ""), (5, "won")), [5, 3]), (((3, "won"), (5, ""), (4, "")), [3, 4, 5]),
    (((3, ""), (5, ""), (4, "won")), [4, 5, 3]),
])  # fmt: skip
def test_players_are_ranked_with_the_winners_first(scores: tuple[tuple[int, str], ...], order: list[int]) -> None:
    rows = [{"player": str(i), "score": score} for i, (score, _) in enumerate(scores)]
    won = [str(i) for i, (_, wins) in enumerate(scores) if wins]
    assert [row["score"] for row in ranked(rows, won)] == order
