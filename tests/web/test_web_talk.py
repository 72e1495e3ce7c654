"""Around a table: what people say to each other, what a first game is told, and the story at the end."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from serving import Opened, served

from edict.web.notifications import Notifications
from edict.web.quotas import Limits
from edict.web.template_helpers import leads


def test_what_one_says_at_a_table_the_others_hear(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, "pig", ["person", "person"])
        ann, ben = table.seats
        client.post(f"/seat/{ann}/talk", data={"text": "Good   luck <b>"}, headers={"HX-Request": "true"})
        client.post(f"/seat/{ben}/talk", data={"reaction": "👍"}, headers={"HX-Request": "true"})
        client.post(f"/seat/{ben}/talk", data={"reaction": "nothing offered", "text": " "})
        heard = client.get(f"/seat/{table.onlookers}/talk").text
    assert re.findall(r"<li><b>(.*?)</b> (.*?)</li>", heard) == [
        ("Player 1", "Good luck &lt;b&gt;"), ("Player 2", "👍"),
    ]  # fmt: skip


def test_those_who_only_watch_say_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, "pig", ["person", "person"])
        assert client.post(f"/seat/{table.onlookers}/talk", data={"text": "Psst"}).status_code == 403
        assert "<form" not in client.get(f"/seat/{table.onlookers}/talk").text


def test_nobody_talks_too_much(tmp_path: Path) -> None:
    with served(tmp_path, limits=Limits(talk="2/minute")) as (_, client):
        table = Opened.at(client, "pig", ["person", "person"])
        sent = [client.post(f"/seat/{table.seats[0]}/talk", data={"text": "!"}).status_code for _ in range(3)]
    assert sent == [200, 200, 429]


def test_a_table_that_is_forgotten_takes_its_talk_along(tmp_path: Path) -> None:
    with served(tmp_path) as (serving, client):
        table = Opened.at(client, "pig", ["person", "person"])
        client.post(f"/seat/{table.seats[0]}/talk", data={"text": "Hello"})
        assert len(serving.store.forget(1e12)) == 1


def test_talk_wakes_those_who_watch_and_is_no_news_of_the_game(tmp_path: Path) -> None:
    async def listening() -> tuple[bool, bool]:
        with served(tmp_path) as (serving, _):
            news = Notifications(serving.store)
            async with news.about("table") as watch:
                news.talk("table")
                await asyncio.wait_for(watch.wait(), 30)
                return watch.talked, watch.changed

    assert asyncio.run(listening()) == (True, False)


def _told(client: Any, key: str) -> list[str]:
    return re.findall(r'data-lesson="([^"]*)"', client.get(f"/seat/{key}").text)


def test_a_first_game_is_told_what_the_book_says_of_the_phase_that_is_played(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.begun(client, "kingsburg", 0)
        first = _told(client, table.seats[0])
        while (asked := table.asked()) and "Influence the Advisors" not in asked[1]["phases"]:
            key, view = asked
            table.answer(key, table.version(key), view["question"]["options"][0]["key"])
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
