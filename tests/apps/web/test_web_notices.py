"""Browsers that show no page are told that it is their turn: once, and nothing that others may not know."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pywebpush", reason="pywebpush, of the extra `push`, is not installed")
from edict.apps.web import web_push
from edict.apps.web.table_server import TableServer
from edict.apps.web.turn_notices import TurnNotices
from push_service import Browser, PushService, is_signed, push_service
from serving import Opened, served

NAMES = "Ann", "Ben"
QUIET = 0.3  # seconds after which everybody who is to be told has been


@pytest.fixture
def service() -> Iterator[PushService]:
    with push_service() as found:
        yield found


@contextmanager
def telling(folder: Path, pause: float = 0.0) -> Iterator[tuple[TableServer, Any]]:
    """A server that tells of turns, also by a push service on this machine."""
    with served(folder) as (serving, client):
        serving.notices = TurnNotices(serving.tables, pause, lambda _: True)
        yield serving, client


def ask_for(table: Opened, key: str, browser: Browser, **headers: str) -> None:
    sent = table.client.post(f"/seat/{key}/notices", data=browser.form, headers=headers)
    assert sent.status_code == 204, sent.text


def number_of(serving: TableServer, table: Opened) -> str:
    link = serving.store.link(table.host)
    assert link is not None
    return link.table


def waiting(table: Opened) -> tuple[int, str]:
    """The seat that is not asked, and its key."""
    asked = table.asked()
    assert asked is not None
    found = 1 - table.seats.index(asked[0])
    return found, table.seats[found]


def hold(table: Opened) -> None:
    """Whoever's turn it is ends it."""
    asked = table.asked()
    assert asked is not None
    key, view = asked
    options = [one["key"] for one in view["question"]["options"]]
    assert "hold" in options, options
    table.answer(key, table.version(key), "hold")


def test_browsers_are_told_in_their_language_which_game_it_is_and_whose_turn_and_nothing_else(
    tmp_path: Path, service: PushService
) -> None:
    languages = {"en": "It is your turn, {}.", "de": "Du bist an der Reihe, {}."}
    browsers = {language: service.browser(language) for language in languages}
    with telling(tmp_path) as (_, client):
        table = Opened.begun(client, "pig", 0)
        number, key = waiting(table)
        for language, browser in browsers.items():
            ask_for(table, key, browser, **{"Accept-Language": language})
        hold(table)
        service.wait(len(browsers))
        public = client.get("/notices/key").text
    assert sorted(path for path, _, _ in service.sent) == ["/de", "/en"]
    for path, headers, body in service.sent:
        language = path.removeprefix("/")
        told, text = browsers[language].read(body), languages[language].format(NAMES[number])
        assert is_signed(headers, public) and told == {"table": headers["Topic"], "title": "Pig", "text": text}
        assert not any(key in str(told) for key in (table.host, *table.seats))


def test_servers_on_one_store_tell_it_once(tmp_path: Path, service: PushService) -> None:
    with telling(tmp_path) as (one, client), telling(tmp_path) as (other, client_of_other):
        table = Opened.begun(client, "pig", 0)
        ask_for(table, waiting(table)[1], service.browser())
        hold(table)
        client_of_other.portal.call(other.notices.look, number_of(one, table), 0)
        service.wait()
        time.sleep(QUIET)
        keys = {client.get("/notices/key").text, client_of_other.get("/notices/key").text}
    assert len(service.sent) == 1 and len(keys) == 1


def test_nobody_is_told_who_answers_at_once_or_asks_for_it_in_their_own_turn(
    tmp_path: Path, service: PushService
) -> None:
    with telling(tmp_path, pause=3600) as (serving, client):
        table = Opened.begun(client, "pig", 0)
        number, key = waiting(table)
        ask_for(table, table.seats[1 - number], service.browser("first"))
        serving.notices = TurnNotices(serving.tables, 0.0, lambda _: True)
        client.portal.call(serving.notices.look, number_of(serving, table), 0)
        time.sleep(QUIET)
        serving.notices = TurnNotices(serving.tables, 3600, lambda _: True)
        ask_for(table, key, service.browser("second"))
        for _ in range(3):
            hold(table)
        serving.notices = TurnNotices(serving.tables, 0.0, lambda _: True)
        client.portal.call(serving.notices.look, number_of(serving, table), 0)
        service.wait()
        time.sleep(QUIET)
    assert [path for path, _, _ in service.sent] == ["/second"]


def first_answer(table: Opened, key: str) -> None:
    table.answer(key, table.version(key), table.view(key)["question"]["options"][0]["key"])


def test_those_who_are_asked_at_once_are_told_when_that_begins_and_not_again(
    tmp_path: Path, service: PushService
) -> None:
    def asked() -> list[str]:
        return [key for key in table.seats if table.view(key)["question"]]

    with telling(tmp_path) as (_, client):
        table = Opened.at(client, "four-lanes", ["person"] * 3)
        for key in table.seats:
            ask_for(table, key, service.browser(key))
        for key in table.seats:
            time.sleep(QUIET)
            assert not service.sent
            first_answer(table, key)
        while len(asked()) == 1:
            first_answer(table, *asked())
        together = asked()
        service.reached({f"/{key}" for key in together})
        before = [path for path, _, _ in service.sent]
        first_answer(table, together[-1])
        time.sleep(QUIET)
    assert [path for path, _, _ in service.sent] == before and len(together) > 1


def test_a_browser_that_is_gone_and_a_seat_that_was_handed_on_are_told_no_more(
    tmp_path: Path, service: PushService
) -> None:
    service.status = 410
    with telling(tmp_path) as (serving, client):
        table = Opened.begun(client, "pig", 0)
        name = number_of(serving, table)
        ask_for(table, waiting(table)[1], service.browser())
        hold(table)
        service.wait()
        time.sleep(QUIET)
        assert not serving.notices.store.of(name)
        number, key = waiting(table)
        ask_for(table, key, service.browser())
        client.post(f"/host/{table.host}/hand-over", data={"seat": str(number), "bot": ""})
        hold(Opened(client, table.host, [link.key for link in serving.store.links(name) if link.seat >= 0], ""))
        time.sleep(QUIET)
        assert not serving.notices.store.of(name)
    assert len(service.sent) == 1


def test_a_push_service_that_is_away_is_said_to_the_host_of_the_server(
    tmp_path: Path, service: PushService, caplog: pytest.LogCaptureFixture
) -> None:
    service.status = 503
    with telling(tmp_path) as (serving, client):
        table = Opened.begun(client, "pig", 0)
        ask_for(table, waiting(table)[1], service.browser())
        hold(table)
        service.wait()
        time.sleep(QUIET)
        assert serving.notices.store.of(number_of(serving, table))
    assert "answered 503" in caplog.text


REFUSED: list[dict[str, str]] = [
    {"endpoint": ""},
    {"endpoint": "ftp://push.example.com/ann"},
    {"endpoint": "https://me@push.example.com/ann"},
    {"endpoint": "https://push.example.com:x/ann"},
    {"endpoint": "https://push.example.com/" + "a" * 2000},
    {"p256dh": "AAAA"},
    {"auth": "ä"},
]


def test_a_browser_that_cannot_be_reached_is_refused(client: Any) -> None:
    table, form = Opened.begun(client, "pig", 0), Browser("https://push.example.com/ann").form
    for change in [*REFUSED, dict[str, str]()]:
        sent = form | change
        asked = client.post(f"/seat/{table.seats[0]}/notices", data=sent).status_code
        assert asked == (400 if change else 204), change
        assert client.post(f"/seat/{table.onlookers}/notices", data=sent).status_code == 403


def test_nobody_reaches_what_stands_behind_the_server() -> None:
    for host in ("127.0.0.1", "10.1.2.3", "[::1]", "169.254.169.254"):
        assert not web_push.is_public(f"https://{host}/a")
    assert web_push.is_public("https://93.184.216.34/a") and not web_push.is_public("http://93.184.216.34/a")


def test_a_seat_has_no_more_than_so_many_browsers(tmp_path: Path) -> None:
    with telling(tmp_path) as (serving, client):
        table = Opened.begun(client, "pig", 0)
        for number in range(12):
            ask_for(table, table.seats[0], Browser(f"https://push.example.com/{number}"))
        ask_for(table, table.seats[0], Browser("https://push.example.com/11"))
        told = serving.notices.store.of(number_of(serving, table))
    assert [one.receiver.endpoint.rsplit("/")[-1] for one in told] == [str(number) for number in range(4, 12)]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
def test_the_keys_outlive_the_server_and_nobody_else_reads_their_file(tmp_path: Path) -> None:
    keys = set()
    for _ in range(2):
        with telling(tmp_path) as (_, client):
            keys.add(client.get("/notices/key").text)
    assert len(keys) == 1 and len(keys.pop()) == 87
    assert (tmp_path / "tables.sqlite").stat().st_mode & 0o077 == 0
