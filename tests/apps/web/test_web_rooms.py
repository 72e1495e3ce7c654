"""Quick play, waiting rooms, talk, lessons in a first game, and the story of a finished one."""

from __future__ import annotations

import asyncio
import re
import socket
from typing import Any

import pytest
from starlette.datastructures import URL
from starlette.testclient import TestClient

from edict.apps.web.notifications import Notifications
from edict.apps.web.room_routes import find_shared_address
from edict.apps.web.table_server import TableServer
from edict.apps.web.template_helpers import find_leads, rank_players
from serving import REFUSED, OpenedTable

_INVITATION = re.compile(r'id="invitation">[^<]*/room/([\w-]+)<')


def create_room(client: Any, **fields: str) -> tuple[str, str]:
    """Create a room and return the host's key and the key with which others join."""
    page = client.post("/rooms", data={"game": "pig", "name": "Ann", **fields}, follow_redirects=True)
    match = _INVITATION.search(page.text)
    assert page.status_code == 200 and match is not None, page.text
    return str(page.url).rsplit("/", 1)[1], match[1]


def join_room(client: Any, join_key: str, name: str) -> str:
    page = client.post(f"/room/{join_key}/join", data={"name": name}, follow_redirects=True)
    assert page.status_code == 200, page.text
    return str(page.url).rsplit("/", 1)[1]


def get_offered_bots(client: Any, key: str) -> int:
    match = re.search(r'name="bots"[^>]* value="(\d+)"', client.get(f"/room/{key}").text)
    assert match is not None
    return int(match[1])


def get_view_of_seat(client: Any, page: Any) -> dict[str, Any]:
    """Return the view of the seat to which a page leads."""
    assert page.status_code == 200, page.text
    view: dict[str, Any] = client.get(f"{page.url.path}/view.json").json()
    return view


def test_quick_play_and_a_room_of_one_add_the_bots_that_the_game_needs(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for game, name, seat, players in (("kingsburg", "Ann", "Ann", 3), ("kuhn-poker", "", "Player 1", 2)):
        with subtests.test(game=game):
            view = get_view_of_seat(
                client, client.post("/play", data={"game": game, "name": name}, follow_redirects=True)
            )
            assert view["seat"] == seat and len(view["players"]) == players
    room, _ = create_room(client)
    table_page = client.post(f"/room/{room}/begin", data={"bots": "0"}, follow_redirects=True)
    assert len(get_view_of_seat(client, table_page)["players"]) == 2, "as many as the game needs"


def test_friends_join_a_room_by_one_link_and_each_gets_a_seat(
    server: tuple[TableServer, TestClient],
) -> None:
    serving, client = server
    ann, join_key = create_room(client)
    assert re.search(r'<div class="code"[^>]*><svg[^>]+viewBox', client.get(f"/room/{ann}").text)
    assert get_offered_bots(client, ann) == 1, "with whom one plays who is alone"
    ben = join_room(client, join_key, "Ben")
    assert get_offered_bots(client, ann) == 0
    page = client.post(f"/room/{join_key}/join", data={"name": "ANN"}, follow_redirects=True)
    assert page.status_code == 422 and "has that name already" in page.text
    assert "Ben" in client.get(f"/room/{ann}/people").text
    assert client.post(f"/room/{ben}/begin", data={}).status_code == 403, "only whoever made it begins"
    before = serving.store.count_tables()
    seats = [client.post(f"/room/{ann}/begin", data={"bots": "1"}, follow_redirects=True) for _ in range(2)]
    assert seats[0].url == seats[1].url and serving.store.count_tables() == before + 1, "and only once"
    first, second = (
        get_view_of_seat(client, seats[0]),
        get_view_of_seat(client, client.get(f"/room/{ben}", follow_redirects=True)),
    )
    assert (first["seat"], second["seat"]) == ("Ann", "Ben") and len(first["players"]) == 3
    assert client.get(f"/room/{ben}/people").headers["HX-Redirect"].startswith("/seat/")
    assert client.post(f"/room/{join_key}/join", data={"name": "Cleo"}).status_code == 422


def test_unknown_room_is_not_found(client: TestClient) -> None:
    page = client.get("/room/nothing-that-was-ever-made")
    assert page.status_code == 404 and "not valid any more" in page.text


# --- talk, lessons and stories ------------------------------------------------------------------------


def test_talk_is_shown_to_everybody_and_spectators_cannot_talk(pig: OpenedTable) -> None:
    client, (ann, ben) = pig.client, pig.seats
    client.post(f"/seat/{ann}/talk", data={"text": "Good   luck <b>"}, headers={"HX-Request": "true"})
    client.post(f"/seat/{ben}/talk", data={"reaction": "👍"}, headers={"HX-Request": "true"})
    client.post(f"/seat/{ben}/talk", data={"reaction": "nothing offered", "text": " "})
    assert client.post(f"/seat/{pig.onlookers}/talk", data={"text": "Psst"}).status_code == 403
    talk_html = client.get(f"/seat/{pig.onlookers}/talk").text
    assert re.findall(r"<li><b>(.*?)</b> (.*?)</li>", talk_html) == [
        ("Player 1", "Good luck &lt;b&gt;"),
        ("Player 2", "👍"),
    ]
    assert "<form" not in talk_html


# texts with invisible characters, or with some that reverse the direction of writing
HIDDEN_CHARACTERS = (
    "\u202eevil",
    "a\u200bb",
    "a\u200db",
    "\ufeffa",
    "a\x00b",
    "a\x1b[31mb",
    "\u3164",
    "\u2066a",
    "a\u034fb",
    "\U000e0041",
)


@pytest.mark.parametrize("text", HIDDEN_CHARACTERS)
def test_talk_with_a_hidden_character_is_refused_and_kept_for_correction(pig: OpenedTable, text: str) -> None:
    talk = f"/seat/{pig.seats[0]}/talk"
    refused = pig.client.post(talk, data={"text": text}, headers={"HX-Request": "true"})
    assert REFUSED in refused.text and 'value=""' not in refused.text
    assert pig.client.post(talk, data={"text": text}).status_code == 422
    talk_html = pig.client.get(f"/seat/{pig.seats[1]}/talk").text
    assert "<li><b>" not in talk_html and REFUSED not in talk_html


VALID_TALK = ("\U0001f469\u200d\U0001f680", "\u5de7\u53ca", "\u0639\u0644\u064a", "e\u0301", "\u2764\ufe0f")


@pytest.mark.parametrize("text", VALID_TALK)
def test_talk_in_any_script_and_with_joined_emoji_is_shown(pig: OpenedTable, text: str) -> None:
    response = pig.client.post(f"/seat/{pig.seats[0]}/talk", data={"text": text}, headers={"HX-Request": "true"})
    assert f"</b> {text}</li>" in response.text and REFUSED not in response.text


@pytest.mark.parametrize("name", HIDDEN_CHARACTERS)
def test_name_with_a_hidden_character_is_refused(client: TestClient, name: str, subtests: pytest.Subtests) -> None:
    """Somebody who joins a room with such a name could keep the table from being opened."""
    for path in ("/play", "/rooms"):
        with subtests.test(path=path):
            assert client.post(path, data={"game": "pig", "name": f"A{name}n"}).status_code == 422
    _, join_key = create_room(client)
    assert client.post(f"/room/{join_key}/join", data={"name": f"B{name}n"}).status_code == 422
    seats = {"seat-0": "person", "seat-1": "greedy", "name-0": f"C{name}n"}
    assert client.post("/tables", data={"game": "pig", **seats}).status_code == 422


def test_talk_wakes_watchers_without_marking_the_game_as_changed(server: tuple[TableServer, TestClient]) -> None:
    async def wait_for_talk() -> tuple[bool, bool]:
        news = Notifications(server[0].store)
        async with news.subscribe("table") as watch:
            news.notify_talk("table")
            await asyncio.wait_for(watch.wait(), 30)
            return watch.talked, watch.changed

    assert asyncio.run(wait_for_talk()) == (True, False)


def _list_lessons(client: Any, key: str) -> list[str]:
    return re.findall(r'data-lesson="([^"]*)"', client.get(f"/seat/{key}").text)


def test_lessons_match_the_current_phase_and_are_not_for_spectators(client: TestClient) -> None:
    table = OpenedTable.open_after_answers(client, "kingsburg", 0)
    first = _list_lessons(client, table.seats[0])
    while (key_and_view := table.find_asked()) and "Influence the Advisors" not in key_and_view[1]["phases"]:
        table.play(1)
    later = _list_lessons(client, table.seats[0])
    assert not _list_lessons(client, table.onlookers)
    assert first[0] == "Kingsburg: primer " and "Kingsburg: influencing Passing" not in first
    assert "Kingsburg: influencing Passing" in later


def _make_course(winners: str, *gained: tuple[str, int, int], players: str = "AB", start: int = 0) -> dict[str, Any]:
    sources: dict[str, list[dict[str, int]]] = {name: [] for name in players}
    for player, after, amount in gained:
        sources[player].append({"after": after, "amount": amount})
    rows = [
        {"player": name, "score": start + sum(source["amount"] for source in sources[name]), "sources": sources[name]}
        for name in players
    ]
    return {"answers": 9, "players": rows, "winners": [*winners]}


STORIES = {
    "lead changes": (
        _make_course("B", ("A", 1, 2), ("B", 1, 2), ("A", 3, 1), ("B", 4, 1), ("B", 5, 4), ("A", 8, 1)),
        [("A", 3, 3, 2, False), ("B", 5, 7, 3, True)],
    ),
    "level at the end, all win": (_make_course("AB", ("A", 1, 5), ("B", 7, 5)), []),
    "level at the end, two of three win": (
        _make_course("AB", ("A", 1, 5), ("B", 7, 5), ("C", 2, 1), players="ABC"),
        [("A", 1, 5, 0, False), ("AB", 7, 5, 1, False)],
    ),
    "a tie that something else decides": (_make_course("B", ("A", 1, 5), ("B", 7, 5)), []),
    "a tie-break among the best": (
        _make_course("B", ("A", 1, 5), ("B", 7, 5), ("C", 2, 1), players="ABC"),
        [("A", 1, 5, 0, False), ("AB", 7, 5, 1, False)],
    ),
    "fewest points win": (_make_course("B", ("A", 1, 5), ("B", 7, 2)), [("B", 1, 0, 5, True)]),
    "caught up and ahead again": (
        _make_course("A", ("A", 1, 2), ("B", 3, 2), ("A", 4, 2)),
        [("A", 1, 2, 0, True)],
    ),
    "loses the lead without a winner of its own": (_make_course("", ("A", 1, 2)), []),
    "all win together with unlike points": (_make_course("AB", ("A", 1, 5), ("B", 7, 2)), []),
    "the winner has neither the most nor the fewest": (
        _make_course("C", ("A", 1, 5), ("B", 7, 2), ("C", 8, 3), players="ABC"),
        [],
    ),
    "a single player": (_make_course("A", ("A", 1, 2), players="A"), []),
    "points from the start": (_make_course("A", ("A", 1, 2), ("B", 2, 1), start=10), [("A", 1, 12, 10, True)]),
    "nothing gained": (_make_course("AB"), []),
}


@pytest.mark.parametrize("case", STORIES)
def test_leads_of_a_game_are_found_as_expected(case: str) -> None:
    """A game that ended 5:5:5 once read `Ann takes the lead, 5 to 0, and keeps it to the end`."""
    course, expected = STORIES[case]
    leads = find_leads(course)
    assert [("".join(lead.players), lead.after, lead.points, lead.next_best, lead.kept) for lead in leads] == expected


@pytest.mark.parametrize(
    ("scores", "order"),
    [
        (((3, ""), (5, "won")), [5, 3]),
        (((3, "won"), (5, ""), (4, "")), [3, 4, 5]),
        (((3, ""), (5, ""), (4, "won")), [4, 5, 3]),
    ],
)
def test_players_are_ranked_with_the_winners_first(scores: tuple[tuple[int, str], ...], order: list[int]) -> None:
    rows = [{"player": str(i), "score": score} for i, (score, _) in enumerate(scores)]
    won = [str(i) for i, (_, wins) in enumerate(scores) if wins]
    assert [row["score"] for row in rank_players(rows, won)] == order


def test_invitation_names_an_address_that_others_can_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is that of this computer in its network if the server listens there, and the present one if not."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        local = URL(f"http://localhost:{listening.getsockname()[1]}/")
        monkeypatch.setattr("edict.apps.web.room_routes.ELSEWHERE", ("127.0.0.9", 9))  # reached from 127.0.0.1
        assert find_shared_address(local) == (f"http://127.0.0.1:{local.port}", True)
        monkeypatch.setattr("edict.apps.web.room_routes.LOCAL_NAMES", ())
        assert find_shared_address(local) == (f"http://127.0.0.1:{local.port}", False)
    assert find_shared_address(local) == (f"http://localhost:{local.port}", True)


def test_room_tells_what_game_it_is(client: TestClient) -> None:
    key, join_key = create_room(client)
    for page in (client.get(f"/room/{key}").text, client.get(f"/room/{join_key}").text):
        assert "How is it played?" in page and "/rules?game=pig" in page
