"""Push notices that it is a player's turn: sent once, to browsers that show no page, without secrets."""

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
from push_service import PushService, SubscribedBrowser, is_signed, push_service
from serving import OpenedTable, open_server

NAMES = "Ann", "Ben"
DELIVERY_TIME = 0.3  # seconds in which all notices are delivered


@pytest.fixture
def service() -> Iterator[PushService]:
    """A push service on this machine."""
    with push_service() as local_service:
        yield local_service


@contextmanager
def open_notifying_server(folder: Path, pause: float = 0.0) -> Iterator[tuple[TableServer, Any]]:
    """Open a server that sends notices after `pause` seconds, also to a push service on this machine."""
    with open_server(folder) as (serving, client):
        serving.notices = TurnNotices(serving.tables, pause, lambda _: True)
        yield serving, client


def subscribe(table: OpenedTable, key: str, browser: SubscribedBrowser, **headers: str) -> None:
    response = table.client.post(f"/seat/{key}/notices", data=browser.make_form, headers=headers)
    assert response.status_code == 204, response.text


def get_table_id(serving: TableServer, table: OpenedTable) -> str:
    link = serving.store.get_link(table.host)
    assert link is not None
    return link.table


def get_waiting_seat(table: OpenedTable) -> tuple[int, str]:
    """Return the seat that is not asked, and its key."""
    key_and_view = table.find_asked()
    assert key_and_view is not None
    seat = 1 - table.seats.index(key_and_view[0])
    return seat, table.seats[seat]


def end_turn(table: OpenedTable) -> None:
    """Answer `end_turn` for the seat that is asked."""
    key_and_view = table.find_asked()
    assert key_and_view is not None
    key, view = key_and_view
    options = [option["key"] for option in view["question"]["options"]]
    assert "hold" in options, options
    table.answer(key, table.get_version(key), "hold")


def test_notice_names_game_and_player_in_the_language_of_the_browser_and_nothing_else(
    tmp_path: Path, service: PushService, subtests: pytest.Subtests
) -> None:
    languages = {"en": ("Pig", "It is your turn, {}."), "de": ("Schwein", "Du bist an der Reihe, {}.")}
    browsers = {language: service.create_browser(language) for language in languages}
    with open_notifying_server(tmp_path) as (_, client):
        table = OpenedTable.open_after_answers(client, "pig", 0)
        number, key = get_waiting_seat(table)
        for language, browser in browsers.items():
            subscribe(table, key, browser, **{"Accept-Language": language})
        end_turn(table)
        service.wait(len(browsers))
        public = client.get("/notices/key").text
    assert sorted(path for path, _, _ in service.sent) == ["/de", "/en"]
    for path, headers, body in service.sent:
        with subtests.test(path=path):
            language = path.removeprefix("/")
            payload, (title, text) = browsers[language].decrypt(body), languages[language]
            told = {"table": headers["Topic"], "title": title, "text": text.format(NAMES[number])}
            assert is_signed(headers, public) and payload == told
            assert not any(key in str(payload) for key in (table.host, *table.seats))


def test_servers_on_one_store_send_one_notice(tmp_path: Path, service: PushService) -> None:
    with (
        open_notifying_server(tmp_path) as (serving, client),
        open_notifying_server(tmp_path) as (other_serving, client_of_other),
    ):
        table = OpenedTable.open_after_answers(client, "pig", 0)
        subscribe(table, get_waiting_seat(table)[1], service.create_browser())
        end_turn(table)
        client_of_other.portal.call(other_serving.notices.schedule_check, get_table_id(serving, table), 0)
        service.wait()
        time.sleep(DELIVERY_TIME)
        keys = {client.get("/notices/key").text, client_of_other.get("/notices/key").text}
    assert len(service.sent) == 1 and len(keys) == 1


def test_no_notice_is_sent_for_quick_answers_or_a_turn_that_has_begun(tmp_path: Path, service: PushService) -> None:
    with open_notifying_server(tmp_path, pause=3600) as (serving, client):
        table = OpenedTable.open_after_answers(client, "pig", 0)
        number, key = get_waiting_seat(table)
        subscribe(table, table.seats[1 - number], service.create_browser("first"))
        serving.notices = TurnNotices(serving.tables, 0.0, lambda _: True)
        client.portal.call(serving.notices.schedule_check, get_table_id(serving, table), 0)
        time.sleep(DELIVERY_TIME)
        serving.notices = TurnNotices(serving.tables, 3600, lambda _: True)
        subscribe(table, key, service.create_browser("second"))
        for _ in range(3):
            end_turn(table)
        serving.notices = TurnNotices(serving.tables, 0.0, lambda _: True)
        client.portal.call(serving.notices.schedule_check, get_table_id(serving, table), 0)
        service.wait()
        time.sleep(DELIVERY_TIME)
    assert [path for path, _, _ in service.sent] == ["/second"]


def choose_first_option(table: OpenedTable, key: str) -> None:
    table.answer(key, table.get_version(key), table.get_view(key)["question"]["options"][0]["key"])


def test_simultaneous_question_sends_one_notice_to_each_seat(
    tmp_path: Path, service: PushService, subtests: pytest.Subtests
) -> None:
    def list_asked() -> list[str]:
        return [key for key in table.seats if table.get_view(key)["question"]]

    with open_notifying_server(tmp_path) as (_, client):
        table = OpenedTable.open_at(client, "four-lanes", ["person"] * 3)
        for key in table.seats:
            subscribe(table, key, service.create_browser(key))
        for key in table.seats:
            with subtests.test(key=key):
                time.sleep(DELIVERY_TIME)
                assert not service.sent
                choose_first_option(table, key)
        while len(list_asked()) == 1:
            choose_first_option(table, *list_asked())
        asked_keys = list_asked()
        service.wait_for_paths({f"/{key}" for key in asked_keys})
        before = [path for path, _, _ in service.sent]
        choose_first_option(table, asked_keys[-1])
        time.sleep(DELIVERY_TIME)
    assert [path for path, _, _ in service.sent] == before and len(asked_keys) > 1


def test_expired_browsers_and_handed_over_seats_get_no_further_notices(tmp_path: Path, service: PushService) -> None:
    service.status = 410
    with open_notifying_server(tmp_path) as (serving, client):
        table = OpenedTable.open_after_answers(client, "pig", 0)
        table_id = get_table_id(serving, table)
        subscribe(table, get_waiting_seat(table)[1], service.create_browser())
        end_turn(table)
        service.wait()
        time.sleep(DELIVERY_TIME)
        assert not serving.notices.store.list_subscribers(table_id)
        number, key = get_waiting_seat(table)
        subscribe(table, key, service.create_browser())
        client.post(f"/host/{table.host}/hand-over", data={"seat": str(number), "bot": ""})
        end_turn(
            OpenedTable(
                client, table.host, [link.key for link in serving.store.list_links(table_id) if link.seat >= 0], ""
            )
        )
        time.sleep(DELIVERY_TIME)
        assert not serving.notices.store.list_subscribers(table_id)
    assert len(service.sent) == 1


def test_unavailable_push_service_is_logged(
    tmp_path: Path, service: PushService, caplog: pytest.LogCaptureFixture
) -> None:
    service.status = 503
    with open_notifying_server(tmp_path) as (serving, client):
        table = OpenedTable.open_after_answers(client, "pig", 0)
        subscribe(table, get_waiting_seat(table)[1], service.create_browser())
        end_turn(table)
        service.wait()
        time.sleep(DELIVERY_TIME)
        assert serving.notices.store.list_subscribers(get_table_id(serving, table))
    assert "answered 503" in caplog.text


INVALID_SUBSCRIPTIONS: list[dict[str, str]] = [
    {"endpoint": ""},
    {"endpoint": "ftp://push.example.com/ann"},
    {"endpoint": "https://me@push.example.com/ann"},
    {"endpoint": "https://push.example.com:x/ann"},
    {"endpoint": "https://push.example.com/" + "a" * 2000},
    {"p256dh": "AAAA"},
    {"auth": "ä"},
]


def test_invalid_subscription_is_refused(client: Any, subtests: pytest.Subtests) -> None:
    table, form = (
        OpenedTable.open_after_answers(client, "pig", 0),
        SubscribedBrowser("https://push.example.com/ann").make_form,
    )
    for change in [*INVALID_SUBSCRIPTIONS, dict[str, str]()]:
        with subtests.test(change=change):
            fields = form | change
            status = client.post(f"/seat/{table.seats[0]}/notices", data=fields).status_code
            assert status == (400 if change else 204)
            assert client.post(f"/seat/{table.onlookers}/notices", data=fields).status_code == 403


def test_push_addresses_in_private_networks_are_refused(subtests: pytest.Subtests) -> None:
    for host in ("127.0.0.1", "10.1.2.3", "[::1]", "169.254.169.254"):
        with subtests.test(host=host):
            assert not web_push.is_public(f"https://{host}/a")
    assert web_push.is_public("https://93.184.216.34/a") and not web_push.is_public("http://93.184.216.34/a")


def test_seat_keeps_only_its_latest_subscriptions(tmp_path: Path) -> None:
    with open_notifying_server(tmp_path) as (serving, client):
        table = OpenedTable.open_after_answers(client, "pig", 0)
        for number in range(12):
            subscribe(table, table.seats[0], SubscribedBrowser(f"https://push.example.com/{number}"))
        subscribe(table, table.seats[0], SubscribedBrowser("https://push.example.com/11"))
        subscriptions = serving.notices.store.list_subscribers(get_table_id(serving, table))
    assert [subscription.receiver.endpoint.rsplit("/")[-1] for subscription in subscriptions] == [
        str(number) for number in range(4, 12)
    ]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
def test_push_keys_survive_a_restart_in_a_private_file(tmp_path: Path) -> None:
    keys = set()
    for _ in range(2):
        with open_notifying_server(tmp_path) as (_, client):
            keys.add(client.get("/notices/key").text)
    assert len(keys) == 1 and len(keys.pop()) == 87
    assert (tmp_path / "tables.sqlite").stat().st_mode & 0o077 == 0
