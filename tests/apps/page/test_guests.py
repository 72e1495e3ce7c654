"""Guests of a page: to the application, strangers who have a link, and nothing else is open to them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from asking_pages import HOME, Page, run
from edict.apps.page import asking
from edict.apps.page.asking import PageGuest
from serving import form

pytestmark = pytest.mark.usefixtures("own_workplace")
MARK = re.compile(r"\d+-[0-9a-f]{32}")  # the hash of all that is told
HANDS_ON = re.compile(r'<div id="hand-on".*?</div>\n')  # where several sit at one screen
GAME = "kuhn-poker"  # in which everybody has a secret


async def opened(page: Page) -> tuple[str, list[str]]:
    """The host's address, and those of the seats, of a table at which nobody sits yet."""
    _, headers, _ = await page.ask("POST", "/tables", form(GAME, ["person"] * 2) | {"plays": "1"})
    host = headers["location"]
    text = (await page.ask("GET", host))[2]
    return host, re.findall(r'<a href="(/seat/[\w-]+)">', text)[:2]


async def taken(page: Page, seat: str, guest: str = "") -> str:
    _, headers, _ = await page.ask("POST", f"{seat}/claim", {}, guest=guest)
    return headers["location"]


def test_nobody_hands_a_seat_or_the_whole_game_on_to_a_guest(tmp_path: Path) -> None:
    """At one screen, whoever has answered is led to the seat of whoever is next."""

    async def asked() -> None:
        async with Page(tmp_path) as page:
            _, (first, second) = await opened(page)
            ann = await taken(page, first)
            ben = (await taken(page, second, "ben")).removeprefix("/with/ben")
            assert "/hand-on" in (await page.ask("GET", ann))[2]
            assert "/hand-on" not in (await page.ask("GET", ben, guest="ben"))[2]
            handed = [(await page.ask("GET", f"{seat}/hand-on"))[2] for seat in (ann, ben)]
            assert f"{ben}/" in handed[0] or f"{ann}/" in handed[1], "whoever is not asked hands it over"
            status, _, text = await page.ask("GET", f"{ben}/hand-on", guest="ben")
            assert status == 404 and ann not in text

    run(asked)


def test_a_guest_takes_a_seat_sees_what_it_sees_and_answers_below_a_path_of_their_own(tmp_path: Path) -> None:
    async def played() -> None:
        async with Page(tmp_path) as page:
            _, (first, second) = await opened(page)
            ann = await taken(page, first)
            led = await taken(page, second, "ben")
            assert led.startswith("/with/ben/seat/")
            ben = led.removeprefix("/with/ben")
            asks = [ann, ben]
            for _ in range(2):
                for seat in asks:
                    guest = "ben" if seat == ben else ""
                    _, _, text = await page.ask("GET", seat, guest=guest)
                    options = re.findall(r'name="answer" value="([^"]+)"', text)
                    version = re.search(r'name="version" value="(\d+)"', text)
                    if options and version:
                        answer = {"version": version[1], "answer": options[0], "since": ""}
                        status, headers, _ = await page.ask("POST", f"{seat}/answer", answer, guest=guest)
                        assert (status, headers["location"]) == (303, f"/with/ben{ben}" if guest else ann)
                        asks.remove(seat)
                        break
            assert not asks, "both were asked, and both have answered"

    run(played)


def test_a_guest_is_sent_what_a_stranger_with_that_link_would_be_and_no_more(tmp_path: Path) -> None:
    async def seen() -> None:
        async with Page(tmp_path) as page:
            _, (first, second) = await opened(page)
            ann, ben = await taken(page, first), (await taken(page, second, "ben")).removeprefix("/with/ben")
            for part in ("", "/table", "/view.json", "/talk"):
                own = (await page.ask("GET", f"{ben}{part}"))[2]
                theirs = (await page.ask("GET", f"{ben}{part}", guest="ben"))[2]
                assert MARK.sub("", theirs.replace('="/with/ben/', '="/')) == HANDS_ON.sub("", MARK.sub("", own))
                assert ann.rpartition("/")[2] not in theirs and first.rpartition("/")[2] not in theirs
            status, _, _ = await page.ask("GET", f"{ben}/journal", guest="ben")
            assert status == 403, "the game is sealed for guests as for everybody"

    run(seen)


CLOSED = (
    ("GET", "/"),
    ("GET", "/gallery"),
    ("GET", "/studio"),
    ("POST", "/tables"),
    ("POST", "/play"),
    ("POST", "/rooms"),
    ("POST", "/studio/new"),
    ("GET", "/static/x.js"),
    ("GET", "/notices/key"),
    ("GET", "//seat/x"),
    ("GET", "/seat"),
    ("GET", "/seat/"),
    ("GET", "/seats/x"),
    ("GET", "/seat/x/%2e%2e/studio"),
    ("DELETE", "/seat/x"),
    ("GET", "/host/x"),
    ("POST", "/host/x/hand-over"),
)
NOWHERE = ("", "with/ben", '/a"b', "/a b", "//evil.example", "/a/")  # paths below which nothing can lie


def test_what_lies_behind_no_link_of_a_seat_or_a_room_is_closed_to_guests(tmp_path: Path) -> None:
    """They are led to their own start page, even if they know where the host is."""
    assert [one for one in CLOSED if PageGuest("/with/ben").refusal(*one) is None] == []
    assert [below for below in NOWHERE if PageGuest(below).refusal("GET", "/seat/x") is None] == []

    async def asked() -> None:
        async with Page(tmp_path) as page:
            host, _ = await opened(page)
            status, _, text = await page.ask("GET", host, guest="ben")
            assert status == 403 and f'href="{HOME}" target="_top"' in text

    run(asked)


def test_guests_have_languages_of_their_own_and_are_not_believed_who_they_are(tmp_path: Path) -> None:
    async def spoken() -> None:
        async with Page(tmp_path) as page:
            _, (seat, _) = await opened(page)

            async def language(guest: str, address: str = seat, headers: Mapping[str, str] | None = None) -> str:
                _, _, text = await page.ask("GET", address, guest=guest, headers=list((headers or {}).items()))
                found = re.search(r'<html lang="(\w+)">', text)
                assert found is not None
                return found[1]

            assert await language("ben", f"{seat}?language=de") == "de"
            assert await language("cat", headers={"Accept-Language": "it", "Cookie": "language=de"}) == "it"
            assert [await language(one) for one in ("ben", "cat", "")] == ["de", "en", "en"]

    run(spoken)


def test_a_guest_who_asks_too_often_waits_and_nobody_else_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST", 3)

    async def asked() -> None:
        async with Page(tmp_path) as page:
            found = [(await page.ask("GET", "/seat/x", guest="ben"))[0] for _ in range(4)]
            assert found == [404, 404, 404, 429]
            assert (await page.ask("GET", "/seat/x", guest="cat"))[0] == 404
            monkeypatch.setattr(asking, "MINUTE", 0.0)
            await asyncio.sleep(0.001)
            assert (await page.ask("GET", "/seat/x", guest="ben"))[0] == 404

    run(asked)


def test_pages_invite_to_seats_and_rooms_where_there_is_no_server(tmp_path: Path) -> None:
    async def invited() -> None:
        async with Page(tmp_path, "/deep") as page:
            _, headers, _ = await page.ask("POST", "/tables", form(GAME, ["person"] * 2) | {"name-1": "Ben & Co"})
            text = (await page.ask("GET", headers["location"].removeprefix("/deep")))[2]
            assert re.search(r'href="/deep/#invite=/seat/[\w-]+&amp;for=Ben%20%26%20Co" target="_top">Invite Ben', text)
            _, headers, _ = await page.ask("POST", "/rooms", {"game": GAME, "name": "Ann"})
            text = (await page.ask("GET", headers["location"].removeprefix("/deep")))[2]
            joining = re.search(r'href="/deep/#invite=(/room/[\w-]+)"', text)
            assert joining is not None
            _, headers, _ = await page.ask("POST", f"{joining[1]}/join", {"name": "Ben"}, guest="ben")
            guests = headers["location"].removeprefix("/with/ben")
            assert "#invite=" not in (await page.ask("GET", guests, guest="ben"))[2], "only the host can"

    run(invited)
