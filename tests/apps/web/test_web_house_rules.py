"""A house rule is tried at a table of its own, where the game goes on; nothing secret goes along."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from edict.apps.web.table_server import TableServer
from serving import Opened

GO_ON = re.compile(r'href="/seat/([\w-]+(?:/tried)?)" id="go-on"')


@pytest.fixture(scope="module")
def table(server: tuple[TableServer, TestClient]) -> Opened:
    """One whose host plays, and whose seats were taken."""
    client, found = server[1], Opened.begun(server[1], "kingsburg", 12, plays="1")
    pages = [client.post(f"/seat/{key}/claim", follow_redirects=True) for key in found.seats]
    found.seats = [page.url.path.removeprefix("/seat/") for page in pages]
    return found


def sent(table: Opened, seat: str, **fields: object) -> Any:
    return table.client.post(f"/seat/{seat}/try", data={"game": "kingsburg", **fields})


def test_a_module_is_tried_alone_after_what_is_different_was_told(client: TestClient, table: Opened) -> None:
    page = client.get(f"/seat/{table.seats[0]}/try").text
    assert 'value="more-buildings"' in page and "All of us" in page
    told = sent(table, table.seats[0], who="me", **{"with": ["more-buildings"]})
    assert "What is different" in told.text and "Sawmill" in told.text
    found = GO_ON.search(told.text)
    assert found
    view = table.view(found[1])
    assert view["game"]["modules"] == ["more-buildings"] and view["seat"] == "Ann"
    assert view["log"][:5] == table.view(table.seats[0])["log"][:5]


def test_all_find_their_seats_at_the_table_with_the_house_rules(client: TestClient, table: Opened) -> None:
    assert client.get(f"/seat/{table.seats[1]}/tried").status_code == 404, "not yet"
    assert "/tried" in sent(table, table.seats[0], who="all", **{"with": ["long-winter"]}).text
    assert "/tried" in client.get(f"/seat/{table.seats[1]}/talk").text
    other = str(client.get(f"/seat/{table.seats[1]}/tried").url).rsplit("/", 1)[1]
    assert table.view(other)["seat"] == "Ben" and table.view(other)["game"]["modules"] == ["long-winter"]


def test_what_cannot_be_tried_is_said_on_the_page(table: Opened) -> None:
    wrong: list[tuple[dict[str, object], str]] = [
        ({"who": "me"}, "These are already the rules of this table"),
        ({"who": "me", "with": ["no-such"]}, "no-such"),
        ({"who": "me", "variant": "http://x/studio/none"}, "does not open a variant"),
    ]
    for fields, said in wrong:
        answer = sent(table, table.seats[0], **fields)
        assert answer.status_code == 422 and said in answer.text


def test_all_go_on_only_while_nothing_is_hidden_from_anybody_and_who_looks_on_tries_nothing(client: TestClient) -> None:
    table = Opened.begun(client, "kuhn-poker", 0)
    answer = client.post(f"/seat/{table.seats[0]}/try", data={"game": "kuhn-poker", "who": "all"})
    assert answer.status_code == 422 and "hidden from somebody" in answer.text
    assert client.get(f"/seat/{table.onlookers}/try").status_code == 403
