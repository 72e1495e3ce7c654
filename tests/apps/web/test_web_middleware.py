"""Checks on every request, and headers of every response: hosts, origins, sizes, rates, compression and errors."""

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
from edict.apps.web.connection_bounds import Limits
from edict.apps.web.middleware import RequestGate, get_local_host_names
from edict.apps.web.page_templates import get_release
from edict.apps.web.table_server import TableServer
from serving import REFUSED, OpenedTable, make_table_form, open_server

Call = Callable[..., "subprocess.CompletedProcess[str]"]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
STYLE = f"/static/{get_release()}/table.css"
TWO = ["person", "person"]

# --- hosts, origins and links ------------------------------------------------------------------------

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


def test_unknown_host_name_is_refused(
    server: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """DNS rebinding must not let a page of another site open tables on the visitor's own server."""
    serving, client = server
    monkeypatch.setattr(serving.gate, "names", get_local_host_names() | {"tables.example.org"})
    for host, status in HOSTS.items():
        with subtests.test(host=host):
            response = client.get(STYLE, headers={"Host": host})
            assert response.status_code == status
            assert status == 200 or "--name" in response.text


def test_requests_from_other_sites_are_refused(client: TestClient, subtests: pytest.Subtests) -> None:
    for site, status in {"same-origin": 303, "none": 303, "same-site": 403, "cross-site": 403}.items():
        with subtests.test(site=site):
            headers = {"Sec-Fetch-Site": site}
            response = client.post("/tables", data=make_table_form("pig", TWO), headers=headers, follow_redirects=False)
            assert response.status_code == status


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
def test_origin_is_compared_with_the_host_without_sec_fetch_site(client: TestClient, origin: str, status: int) -> None:
    """Browsers send no Sec-Fetch-Site over plain HTTP, so any page could open tables on a server in a home network."""
    headers = {"Host": "192.168.1.7:8000", "Origin": origin}
    response = client.post("/tables", data=make_table_form("pig", TWO), headers=headers, follow_redirects=False)
    assert response.status_code == status
    assert client.get("/", headers=headers).status_code == 200
    known = client.post(
        "/tables", data=make_table_form("pig", TWO), headers=headers | {"Sec-Fetch-Site": "same-origin"}
    )
    assert known.status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_origin_is_compared_for_every_method_that_changes_something(client: TestClient, method: str) -> None:
    assert client.request(method, "/tables", headers={"Origin": "http://evil.example.org"}).status_code == 403


def test_unknown_link_is_not_found(client: TestClient, subtests: pytest.Subtests) -> None:
    for key in ("", "x", "a" * 24, "..%2f..%2fetc", "%00" * 24, "ü" * 24, "a" * 5000):
        with subtests.test(key=key):
            assert client.get(f"/seat/{key}").status_code == client.get(f"/host/{key}").status_code == 404


# --- responses ---------------------------------------------------------------------------------------


def test_every_response_has_security_headers(pig: OpenedTable, subtests: pytest.Subtests) -> None:
    seat = f"/seat/{pig.seats[0]}"
    for path in ("/", seat, "/seat/none", STYLE, f"{seat}/view.json", "/%00"):
        with subtests.test(path=path):
            headers = pig.client.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'self'" in policy and "unsafe" not in policy
            assert headers["referrer-policy"] == "same-origin" and headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] in ("no-store", FOREVER)
            assert {"camera=()", "geolocation=()", "microphone=()"} <= set(headers["permissions-policy"].split(", "))


def test_static_file_is_cached_for_ever_only_under_the_address_of_this_release(client: TestClient) -> None:
    assert STYLE in client.get("/").text
    assert client.get(STYLE).headers["cache-control"] == FOREVER
    other = client.get("/static/another-release/table.css")
    assert other.text == client.get(STYLE).text and other.headers["cache-control"] == "no-cache"
    assert client.get(f"/static/{get_release()}/nothing.css").status_code == 404


def test_pages_are_compressed_if_the_client_accepts_it(pig: OpenedTable) -> None:
    plain, packed = (
        pig.client.get(f"/seat/{pig.seats[0]}", headers={"Accept-Encoding": encoding})
        for encoding in ("identity", "gzip")
    )
    assert "content-encoding" not in plain.headers and packed.headers["content-encoding"] == "gzip"
    assert packed.text == plain.text and "content-security-policy" in packed.headers
    assert 3 * int(packed.headers["content-length"]) < len(plain.content)


def test_failure_is_logged_and_its_details_are_not_shown(
    server: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    serving, client = server

    def fail(_: str) -> None:
        raise ZeroDivisionError("the secret of the house")

    monkeypatch.setattr(serving.store, "list_links_beside", fail)
    response = client.get("/seat/" + "a" * 24)
    assert (
        response.status_code == 500 and "secret of the house" not in response.text and "Traceback" not in response.text
    )
    assert "Nothing was lost" in response.text and "content-security-policy" in response.headers
    assert "the secret of the house" in caplog.text


# --- refusals and limits -----------------------------------------------------------------------------

UNKNOWN_CHOICES: list[tuple[dict[str, Any], str]] = [
    ({"game": "kingsburg", "with": ["governers"]}, "There is no module called governers"),
    ({"game": "pig", "with": ["governors"]}, "The module governors does not go with Pig"),
    ({"game": "pigg"}, "There is no game called pigg"),
]


def test_unknown_game_or_module_is_reported_and_not_ignored(
    server: tuple[TableServer, TestClient], subtests: pytest.Subtests
) -> None:
    serving, client = server
    before = serving.store.count_tables()
    for chosen, message in UNKNOWN_CHOICES:
        with subtests.test(chosen=chosen):
            assert message in client.get("/", params=chosen).text
            refused = client.post("/tables", data=make_table_form("pig", TWO) | chosen)
            assert refused.status_code == 422 and refused.text.count(message) == 1
    assert serving.store.count_tables() == before
    assert REFUSED not in client.get("/primer", params={"game": "pig", "with": ["governors"]}).text


def test_sizes_and_rates_are_limited(tmp_path: Path) -> None:
    few = Limits(requests="14/minute", new_tables="3/hour", talk="2/minute")
    with open_server(tmp_path, limits=few) as (_, client):
        assert client.post("/tables", data={"x": "y" * 5_000_000}).status_code == 413
        unannounced = client.post("/tables", content=(b"y" * 100_000 for _ in range(50)), headers=FORM)
        assert unannounced.status_code == 413
        assert client.post("/seat/x/answer", content=b"y" * 70_000, headers=FORM).status_code == 413
        seat, _ = (OpenedTable.open_at(client, "pig", TWO).seats[0] for _ in range(2))
        assert client.post("/tables", data={"game": "pig"}).status_code == 429
        responses = [client.post(f"/seat/{seat}/talk", data={"text": "!"}, follow_redirects=False) for _ in range(3)]
        assert [response.status_code for response in responses] == [303, 303, 429]
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
def test_connections_are_limited_exactly(limits: Limits, fit: list[str], refused: str) -> None:
    """Once a connection is closed, another one may be opened."""
    gate = RequestGate(limits)
    *before, last = fit
    with ExitStack() as stack:
        for address in before:
            stack.enter_context(gate.count_connection(make_connection(address)))
        with gate.count_connection(make_connection(last)), pytest.raises(HTTPException) as problem:
            stack.enter_context(gate.count_connection(make_connection(refused)))
        assert problem.value.status_code == 503
        stack.enter_context(gate.count_connection(make_connection(last)))


def make_connection(address: str) -> HTTPConnection:
    return HTTPConnection({"type": "http", "headers": [], "client": (address, 1)})


def test_every_limit_can_be_set_and_is_documented(call: Call, root: Path, subtests: pytest.Subtests) -> None:
    help_text = "".join(call("serve", "--help").stdout.split())
    assert Limits().to_text().replace(" ", "") in help_text
    page = (root / "docs" / "guides" / "hosting.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| .*? \|$", page[page.index("## Limits") :], re.MULTILINE)
    listed = [pair for names, values in rows for pair in zip(names.split(", "), values.split(", "), strict=True)]
    assert ", ".join(f"{name}={value}" for name, value in listed).replace("`", "") == Limits().to_text()
    changed = Limits().with_changes(["tables=3", "new-tables=2/day"])
    assert (changed.tables, changed.new_tables, changed.requests) == (3, "2/day", Limits().requests)
    wrong = {"tables=x": "`x` is not a number", "hints=0/minute": "is not a rate", "t=1": "no limit `t`"}
    for word, reason in wrong.items():
        with subtests.test(word=word):
            result = call("serve", "--no-browser", "--limit", word)
            assert result.returncode == 2 and reason in result.stderr and "--limit" in result.stderr
