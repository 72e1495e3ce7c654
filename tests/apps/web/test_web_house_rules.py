"""House rules tried at a separate table where the game goes on, without passing on secrets."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from edict.apps.web.table_server import TableServer
from serving import OpenedTable

GO_ON = re.compile(r'href="/seat/([\w-]+(?:/tried)?)" id="go-on"')


@pytest.fixture(scope="module")
def table(server: tuple[TableServer, TestClient]) -> OpenedTable:
    """A table whose host plays and whose seats are taken."""
    client, opened = server[1], OpenedTable.open_after_answers(server[1], "kingsburg", 12, plays="1")
    pages = [client.post(f"/seat/{key}/claim", follow_redirects=True) for key in opened.seats]
    opened.seats = [page.url.path.removeprefix("/seat/") for page in pages]
    return opened


def try_rules(table: OpenedTable, seat: str, **fields: object) -> Any:
    return table.client.post(f"/seat/{seat}/try", data={"game": "kingsburg", **fields})


def test_module_is_tried_alone_after_its_changes_are_shown(client: TestClient, table: OpenedTable) -> None:
    page = client.get(f"/seat/{table.seats[0]}/try").text
    assert 'value="more-buildings"' in page and "All of us" in page
    response = try_rules(table, table.seats[0], who="me", **{"with": ["more-buildings"]})
    assert "What is different" in response.text and "Sawmill" in response.text
    match = GO_ON.search(response.text)
    assert match
    view = table.get_view(match[1])
    assert view["game"]["modules"] == ["more-buildings"] and view["seat"] == "Ann"
    assert view["log"][:5] == table.get_view(table.seats[0])["log"][:5]


def test_everybody_gets_their_seat_at_the_table_with_house_rules(client: TestClient, table: OpenedTable) -> None:
    assert client.get(f"/seat/{table.seats[1]}/tried").status_code == 404, "not yet"
    assert "/tried" in try_rules(table, table.seats[0], who="all", **{"with": ["long-winter"]}).text
    assert "/tried" in client.get(f"/seat/{table.seats[1]}/talk").text
    other = str(client.get(f"/seat/{table.seats[1]}/tried").url).rsplit("/", 1)[1]
    assert table.get_view(other)["seat"] == "Ben" and table.get_view(other)["game"]["modules"] == ["long-winter"]


def test_rules_that_cannot_be_tried_are_refused_with_a_reason(table: OpenedTable, subtests: pytest.Subtests) -> None:
    wrong: list[tuple[dict[str, object], str]] = [
        ({"who": "me"}, "These are already the rules of this table"),
        ({"who": "me", "with": ["no-such"]}, "no-such"),
        ({"who": "me", "variant": "http://x/studio/none"}, "does not open a variant"),
    ]
    for fields, message in wrong:
        with subtests.test(fields=fields):
            response = try_rules(table, table.seats[0], **fields)
            assert response.status_code == 422 and message in response.text


def test_everybody_moves_only_without_hidden_information_and_spectators_may_not_try_rules(client: TestClient) -> None:
    table = OpenedTable.open_after_answers(client, "kuhn-poker", 0)
    response = client.post(f"/seat/{table.seats[0]}/try", data={"game": "kuhn-poker", "who": "all"})
    assert response.status_code == 422 and "hidden from somebody" in response.text
    assert client.get(f"/seat/{table.onlookers}/try").status_code == 403
