"""Who may send what to a server: hosts by name, pages of this server alone; what browsers may do on its pages."""

from __future__ import annotations

import socket
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from calling import GAME, manifest
from serving import form, served

from edict.web.middleware import names_of_this_machine


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("tables.example.org", 200), ("TABLES.example.org:443", 200), ("localhost:8000", 200), ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200), ("192.168.1.7", 200), (socket.gethostname(), 200), ("evil.example.org", 421),
        ("tables.example.org.evil.net", 421), ("", 421), ("[::1", 421), ("localhost@evil.net", 421),
    ],
)  # fmt: skip
def test_a_host_by_a_name_that_nobody_gave_the_server_is_refused(tmp_path: Path, host: str, status: int) -> None:
    """A page of another site, whose name suddenly leads here, cannot open tables on the visitor's own server."""
    with served(tmp_path) as (serving, client):
        serving.gate.names = names_of_this_machine() | {"tables.example.org"}
        found = client.get("/", headers={"Host": host})
        assert found.status_code == status
        assert status == 200 or "--name" in found.text


SITES = {"same-origin": 303, "none": 303, "same-site": 403, "cross-site": 403}


@pytest.mark.parametrize(("site", "status"), SITES.items())
def test_only_pages_of_this_server_may_send(tmp_path: Path, site: str, status: int) -> None:
    with served(tmp_path) as (_, client):
        sent = form("pig", ["person", "person"])
        found = client.post("/tables", data=sent, headers={"Sec-Fetch-Site": site}, follow_redirects=False)
        assert found.status_code == status


def test_pages_may_use_nothing_of_the_device(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        policy = client.get("/").headers["Permissions-Policy"]
        assert {"camera=()", "geolocation=()", "microphone=()"} <= set(policy.split(", "))


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"game": "kingsburg", "with": ["governers"]}, "There is no module called governers"),
        ({"game": "pig", "with": ["governors"]}, "The module governors does not go with Pig"),
        ({"game": "pigg"}, "There is no game called pigg"),
    ],
)
def test_what_cannot_be_chosen_is_told_and_not_left_out(tmp_path: Path, chosen: dict[str, Any], says: str) -> None:
    with served(tmp_path) as (serving, client):
        assert says in client.get("/", params=chosen).text
        refused = client.post("/tables", data=form("pig", ["person", "person"]) | chosen)
        assert refused.status_code == 422 and refused.text.count(says) == 1
        assert serving.store.count() == 0
        assert 'role="alert"' not in client.get("/primer", params={"game": "pig", "with": ["governors"]}).text


def test_a_wrong_look_of_a_module_is_told_and_not_left_out(tmp_path: Path) -> None:
    looks = "light: {accent: 'url(https://evil.example.org)'}\n"
    sent = zipped({"module.yaml": manifest("sample", "game"), "rules.edict": GAME, "look.yaml": looks})
    with served(tmp_path) as (_, client):
        files = {"module": ("sample.zip", sent)}
        refused = client.post("/tables", data=form("pig", ["person", "person"]), files=files)
        assert refused.status_code == 422 and "look.yaml" in refused.text


def zipped(files: dict[str, str]) -> bytes:
    made = BytesIO()
    with ZipFile(made, "w") as zip_file:
        for name, text in files.items():
            zip_file.writestr(f"sample/{name}", text)
    return made.getvalue()
