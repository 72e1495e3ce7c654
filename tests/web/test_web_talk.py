"""Around a table: what people say to each other, what a first game is told, and the story at the end."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from serving import Opened
from starlette.testclient import TestClient

from edict.web.notifications import Notifications
from edict.web.table_server import TableServer
from edict.web.template_helpers import leads


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


def _course(*gained: tuple[str, int, int]) -> dict[str, Any]:
    sources: dict[str, list[dict[str, int]]] = {"A": [], "B": []}
    for who, after, amount in gained:
        sources[who].append({"after": after, "amount": amount})
    return {"answers": 9, "players": [{"player": name, "score": 0, "sources": sources[name]} for name in "AB"]}


def test_the_story_tells_who_came_to_lead_and_when() -> None:
    found = leads(_course(("A", 1, 2), ("B", 1, 2), ("A", 3, 1), ("B", 4, 1), ("B", 5, 4), ("A", 8, 1)))
    assert [(one.player, one.after, one.points, one.next_best) for one in found] == [("A", 3, 3, 2), ("B", 5, 7, 3)]
    assert not leads(_course(("A", 1, 1), ("B", 1, 1)))
