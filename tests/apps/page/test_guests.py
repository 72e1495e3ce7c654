"""Guests of a page, who reach only what lies behind links to seats and rooms, like strangers on a server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from asking_pages import HOME, Page, run_async
from edict.apps.page import requesters
from edict.apps.page.requesters import PageGuest
from serving import make_table_form

pytestmark = pytest.mark.usefixtures("own_workplace")
VERSION_HASH = re.compile(r"\d+-[0-9a-f]{32}")  # with the hash of the visible state
HAND_ON = re.compile(r'<div id="hand-on".*?</div>\n')  # the button for the next player at the same screen
GAME = "kuhn-poker"  # every player has a secret card


async def open_table(page: Page) -> tuple[str, list[str]]:
    """Create a table without players and return the addresses of its host and of its seats."""
    _, headers, _ = await page.request("POST", "/tables", make_table_form(GAME, ["person"] * 2) | {"plays": "1"})
    host = headers["location"]
    text = (await page.request("GET", host))[2]
    return host, re.findall(r'<a href="(/seat/[\w-]+)">', text)[:2]


async def claim_seat(page: Page, seat: str, guest: str = "") -> str:
    """Claim a seat and return the address that follows."""
    _, headers, _ = await page.request("POST", f"{seat}/claim", {}, guest=guest)
    return headers["location"]


def test_guest_can_neither_hand_on_the_screen_nor_get_it_handed(tmp_path: Path) -> None:
    """Players at the same screen are led from seat to seat, guests are not."""

    async def check() -> None:
        async with Page(tmp_path) as page:
            _, (first, second) = await open_table(page)
            ann = await claim_seat(page, first)
            ben = (await claim_seat(page, second, "ben")).removeprefix("/with/ben")
            assert "/hand-on" in (await page.request("GET", ann))[2]
            assert "/hand-on" not in (await page.request("GET", ben, guest="ben"))[2]
            texts = [(await page.request("GET", f"{seat}/hand-on"))[2] for seat in (ann, ben)]
            assert f"{ben}/" in texts[0] or f"{ann}/" in texts[1], "whoever is not asked hands it over"
            status, _, text = await page.request("GET", f"{ben}/hand-on", guest="ben")
            assert status == 404 and ann not in text

    run_async(check)


def test_guest_claims_a_seat_and_answers_below_their_own_path(tmp_path: Path) -> None:
    async def play() -> None:
        async with Page(tmp_path) as page:
            _, (first, second) = await open_table(page)
            ann = await claim_seat(page, first)
            location = await claim_seat(page, second, "ben")
            assert location.startswith("/with/ben/seat/")
            ben = location.removeprefix("/with/ben")
            waiting_seats = [ann, ben]
            for _ in range(2):
                for seat in waiting_seats:
                    guest = "ben" if seat == ben else ""
                    _, _, text = await page.request("GET", seat, guest=guest)
                    options = re.findall(r'name="answer" value="([^"]+)"', text)
                    version = re.search(r'name="version" value="(\d+)"', text)
                    if options and version:
                        answer = {"version": version[1], "answer": options[0], "since": ""}
                        status, headers, _ = await page.request("POST", f"{seat}/answer", answer, guest=guest)
                        assert (status, headers["location"]) == (303, f"/with/ben{ben}" if guest else ann)
                        waiting_seats.remove(seat)
                        break
            assert not waiting_seats, "both were asked, and both have answered"

    run_async(play)


def test_guest_sees_only_what_the_link_of_their_seat_shows(tmp_path: Path) -> None:
    async def check() -> None:
        async with Page(tmp_path) as page:
            _, (first, second) = await open_table(page)
            ann, ben = await claim_seat(page, first), (await claim_seat(page, second, "ben")).removeprefix("/with/ben")
            for part in ("", "/table", "/view.json", "/talk"):
                own = (await page.request("GET", f"{ben}{part}"))[2]
                theirs = (await page.request("GET", f"{ben}{part}", guest="ben"))[2]
                assert VERSION_HASH.sub("", theirs.replace('="/with/ben/', '="/')) == HAND_ON.sub(
                    "", VERSION_HASH.sub("", own)
                )
                assert ann.rpartition("/")[2] not in theirs and first.rpartition("/")[2] not in theirs
            status, _, _ = await page.request("GET", f"{ben}/journal", guest="ben")
            assert status == 403, "the game is sealed for guests as for everybody"

    run_async(check)


FORBIDDEN_REQUESTS = (
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
INVALID_BASE_PATHS = ("", "with/ben", '/a"b', "/a b", "//evil.example", "/a/")


def test_guest_is_refused_everything_but_seats_and_rooms(tmp_path: Path) -> None:
    """The refusal links to the guest's own start page, even on the host's address."""
    assert [sent for sent in FORBIDDEN_REQUESTS if PageGuest("/with/ben").refusal(*sent) is None] == []
    assert [below for below in INVALID_BASE_PATHS if PageGuest(below).refusal("GET", "/seat/x") is None] == []

    async def check() -> None:
        async with Page(tmp_path) as page:
            host, _ = await open_table(page)
            status, _, text = await page.request("GET", host, guest="ben")
            assert status == 403 and f'href="{HOME}" target="_top"' in text

    run_async(check)


def test_guest_has_their_own_language_and_their_cookie_header_is_ignored(tmp_path: Path) -> None:
    async def check() -> None:
        async with Page(tmp_path) as page:
            _, (seat, _) = await open_table(page)

            async def language(guest: str, address: str = seat, headers: Mapping[str, str] | None = None) -> str:
                _, _, text = await page.request("GET", address, guest=guest, headers=list((headers or {}).items()))
                found = re.search(r'<html lang="(\w+)">', text)
                assert found is not None
                return found[1]

            assert await language("ben", f"{seat}?language=de") == "de"
            assert await language("cat", headers={"Accept-Language": "it", "Cookie": "language=de"}) == "it"
            assert [await language(one) for one in ("ben", "cat", "")] == ["de", "en", "en"]

    run_async(check)


def test_request_limit_applies_to_each_guest_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requesters, "MAX_GUEST_REQUESTS", 3)

    async def check() -> None:
        async with Page(tmp_path) as page:
            statuses = [(await page.request("GET", "/seat/x", guest="ben"))[0] for _ in range(4)]
            assert statuses == [404, 404, 404, 429]
            assert (await page.request("GET", "/seat/x", guest="cat"))[0] == 404
            monkeypatch.setattr(requesters, "MINUTE", 0.0)
            await asyncio.sleep(0.001)
            assert (await page.request("GET", "/seat/x", guest="ben"))[0] == 404

    run_async(check)


def test_invitation_links_to_seats_and_rooms_are_shown_to_the_host_only(tmp_path: Path) -> None:
    async def check() -> None:
        async with Page(tmp_path, "/deep") as page:
            _, headers, _ = await page.request(
                "POST", "/tables", make_table_form(GAME, ["person"] * 2) | {"name-1": "Ben & Co"}
            )
            text = (await page.request("GET", headers["location"].removeprefix("/deep")))[2]
            assert re.search(r'href="/deep/#invite=/seat/[\w-]+&amp;for=Ben%20%26%20Co" target="_top">Invite Ben', text)
            _, headers, _ = await page.request("POST", "/rooms", {"game": GAME, "name": "Ann"})
            text = (await page.request("GET", headers["location"].removeprefix("/deep")))[2]
            room_link = re.search(r'href="/deep/#invite=(/room/[\w-]+)"', text)
            assert room_link is not None
            _, headers, _ = await page.request("POST", f"{room_link[1]}/join", {"name": "Ben"}, guest="ben")
            guest_seat = headers["location"].removeprefix("/with/ben")
            assert "#invite=" not in (await page.request("GET", guest_seat, guest="ben"))[2], "only the host can"

    run_async(check)
