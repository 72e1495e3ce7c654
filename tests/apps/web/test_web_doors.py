"""Who may send what to a server and how much: hosts by name, pages of this server alone; what is answered them."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient

from edict.apps.web.application import FOREVER
from edict.apps.web.middleware import RequestGate, names_of_this_machine
from edict.apps.web.page_templates import release
from edict.apps.web.quotas import Limits
from edict.apps.web.table_server import TableServer
from serving import REFUSED, Opened, form, served

Call = Callable[..., "subprocess.CompletedProcess[str]"]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
STYLE = f"/static/{release()}/table.css"
TWO = ["person", "person"]

# --- who may ask -------------------------------------------------------------------------------------

HOSTS = {
    "tables.example.org": 200,
    "TABLES.example.org:443": 200,
    "localhost:8000": 200,
    "127.0.0.1:8000": 200,
    "[::1]:8000": 200,
    "192.168.1.7": 200,
    socket.gethostname(): 200,
    "evil.example.org": 421,
    "tables.example.org.evil.net": 421,
    "": 421,
    "[::1": 421,
    "localhost@evil.net": 421,
}


def test_a_host_by_a_name_that_nobody_gave_the_server_is_refused(
    server: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of another site, whose name suddenly leads here, cannot open tables on the visitor's own server."""
    serving, client = server
    monkeypatch.setattr(serving.gate, "names", names_of_this_machine() | {"tables.example.org"})
    for host, status in HOSTS.items():
        found = client.get(STYLE, headers={"Host": host})
        assert found.status_code == status, host
        assert status == 200 or "--name" in found.text


def test_only_pages_of_this_server_may_send(client: TestClient) -> None:
    for site, status in {"same-origin": 303, "none": 303, "same-site": 403, "cross-site": 403}.items():
        told = {"Sec-Fetch-Site": site}
        done = client.post("/tables", data=form("pig", TWO), headers=told, follow_redirects=False)
        assert done.status_code == status, site


ORIGINS = {
    "http://192.168.1.7:8000": 303,
    "https://192.168.1.7:8000": 303,
    "HTTP://192.168.1.7:8000": 303,
    "http://192.168.1.7": 403,
    "http://192.168.1.7:8001": 403,
    "http://evil.example.org": 403,
    "null": 403,
    "": 403,
    "http://192.168.1.7:8000.evil.example.org": 403,
    "http://evil.example.org/?192.168.1.7:8000": 403,
}


@pytest.mark.parametrize(("origin", "status"), ORIGINS.items())
def test_origin_is_compared_with_the_host_where_browsers_name_no_site(
    client: TestClient, origin: str, status: int
) -> None:
    """Browsers send no Sec-Fetch-Site to plain HTTP, so any page could open tables on a server in a home network."""
    told = {"Host": "192.168.1.7:8000", "Origin": origin}
    done = client.post("/tables", data=form("pig", TWO), headers=told, follow_redirects=False)
    assert done.status_code == status
    assert client.get("/", headers=told).status_code == 200
    known = client.post("/tables", data=form("pig", TWO), headers=told | {"Sec-Fetch-Site": "same-origin"})
    assert known.status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_origin_is_compared_for_every_method_that_changes_something(client: TestClient, method: str) -> None:
    assert client.request(method, "/tables", headers={"Origin": "http://evil.example.org"}).status_code == 403


def test_a_link_that_opens_nothing_says_so(client: TestClient) -> None:
    for key in ("", "x", "a" * 24, "..%2f..%2fetc", "%00" * 24, "ü" * 24, "a" * 5000):
        assert client.get(f"/seat/{key}").status_code == client.get(f"/host/{key}").status_code == 404, key


# --- what is answered --------------------------------------------------------------------------------


def test_every_answer_has_the_strict_headers(pig: Opened) -> None:
    seat = f"/seat/{pig.seats[0]}"
    for place in ("/", seat, "/seat/none", STYLE, f"{seat}/view.json", "/%00"):
        headers = pig.client.get(place).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy and "unsafe" not in policy
        assert headers["referrer-policy"] == "same-origin" and headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] in ("no-store", FOREVER)
        assert {"camera=()", "geolocation=()", "microphone=()"} <= set(headers["permissions-policy"].split(", "))


def test_a_file_is_kept_for_ever_under_the_address_of_this_release_only(client: TestClient) -> None:
    assert STYLE in client.get("/").text
    assert client.get(STYLE).headers["cache-control"] == FOREVER
    other = client.get("/static/another-release/table.css")
    assert other.text == client.get(STYLE).text and other.headers["cache-control"] == "no-cache"
    assert client.get(f"/static/{release()}/nothing.css").status_code == 404


def test_pages_are_compressed_for_who_can_read_it(pig: Opened) -> None:
    plain, packed = (
        pig.client.get(f"/seat/{pig.seats[0]}", headers={"Accept-Encoding": one}) for one in ("identity", "gzip")
    )
    assert "content-encoding" not in plain.headers and packed.headers["content-encoding"] == "gzip"
    assert packed.text == plain.text and "content-security-policy" in packed.headers
    assert 3 * int(packed.headers["content-length"]) < len(plain.content)


def test_a_failure_says_nothing_of_itself(
    server: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    serving, client = server

    def fails(_: str) -> None:
        raise ZeroDivisionError("the secret of the house")

    monkeypatch.setattr(serving.store, "link", fails)
    done = client.get("/seat/" + "a" * 24)
    assert done.status_code == 500 and "secret of the house" not in done.text and "Traceback" not in done.text
    assert "Nothing was lost" in done.text and "content-security-policy" in done.headers
    assert "the secret of the house" in caplog.text


# --- what is refused ---------------------------------------------------------------------------------

UNKNOWN: list[tuple[dict[str, Any], str]] = [
    ({"game": "kingsburg", "with": ["governers"]}, "There is no module called governers"),
    ({"game": "pig", "with": ["governors"]}, "The module governors does not go with Pig"),
    ({"game": "pigg"}, "There is no game called pigg"),
]


def test_what_cannot_be_chosen_is_told_and_not_left_out(server: tuple[TableServer, TestClient]) -> None:
    serving, client = server
    before = serving.store.count()
    for chosen, says in UNKNOWN:
        assert says in client.get("/", params=chosen).text
        refused = client.post("/tables", data=form("pig", TWO) | chosen)
        assert refused.status_code == 422 and refused.text.count(says) == 1
    assert serving.store.count() == before
    assert REFUSED not in client.get("/primer", params={"game": "pig", "with": ["governors"]}).text


def test_too_much_is_refused(tmp_path: Path) -> None:
    few = Limits(requests="14/minute", new_tables="3/hour", talk="2/minute")
    with served(tmp_path, limits=few) as (_, client):
        assert client.post("/tables", data={"x": "y" * 5_000_000}).status_code == 413
        unannounced = client.post("/tables", content=(b"y" * 100_000 for _ in range(50)), headers=FORM)
        assert unannounced.status_code == 413
        assert client.post("/seat/x/answer", content=b"y" * 70_000, headers=FORM).status_code == 413
        seat, _ = (Opened.at(client, "pig", TWO).seats[0] for _ in range(2))
        assert client.post("/tables", data={"game": "pig"}).status_code == 429
        said = [client.post(f"/seat/{seat}/talk", data={"text": "!"}, follow_redirects=False) for _ in range(3)]
        assert [one.status_code for one in said] == [303, 303, 429]
        assert [client.get("/nowhere").status_code for _ in range(12)][-1] == 429
        assert client.get(STYLE).status_code == 200


@pytest.mark.parametrize(
    ("limits", "fit", "refused"),
    [
        (Limits(connections=3), ["a", "b", "c"], "d"),
        (Limits(connections=3), ["a", "a", "b"], "a"),
        (Limits(connections_each=2), ["a", "a", "b", "b", "c"], "a"),
    ],
)
def test_exactly_as_many_connections_are_open_as_are_allowed(limits: Limits, fit: list[str], refused: str) -> None:
    """And when one is closed, another may be opened."""
    gate = RequestGate(limits)
    *before, last = fit
    with ExitStack() as stack:
        for address in before:
            stack.enter_context(gate.connected(come_from(address)))
        with gate.connected(come_from(last)), pytest.raises(HTTPException) as problem:
            stack.enter_context(gate.connected(come_from(refused)))
        assert problem.value.status_code == 503
        stack.enter_context(gate.connected(come_from(last)))


def come_from(address: str) -> HTTPConnection:
    return HTTPConnection({"type": "http", "headers": [], "client": (address, 1)})


def test_every_limit_can_be_set_and_stands_in_the_help_and_on_its_page(call: Call, root: Path) -> None:
    told = "".join(call("serve", "--help").stdout.split())
    assert Limits().in_words().replace(" ", "") in told
    page = (root / "docs" / "serving.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| .*? \|$", page[page.index("## Limits") :], re.MULTILINE)
    listed = [pair for names, values in rows for pair in zip(names.split(", "), values.split(", "), strict=True)]
    assert ", ".join(f"{name}={value}" for name, value in listed).replace("`", "") == Limits().in_words()
    changed = Limits().changed(["tables=3", "new-tables=2/day"])
    assert (changed.tables, changed.new_tables, changed.requests) == (3, "2/day", Limits().requests)
    wrong = {"tables=x": "`x` is not a number", "hints=0/minute": "is not a rate", "t=1": "no limit `t`"}
    for word, reason in wrong.items():
        done = call("serve", "--no-browser", "--limit", word)
        assert done.returncode == 2 and reason in done.stderr and "--limit" in done.stderr, word
