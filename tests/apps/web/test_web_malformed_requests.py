"""Malformed requests: refusals with a 4xx status and a reason, and nothing of Python in responses."""

from __future__ import annotations

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from edict.support.text import parse_integer
from serving import OpenedTable, make_table_form, zip_module

ENDLESS = "9" * 5000  # more digits than Python converts to an integer (4,300 by default)


# --- numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    {
        "0": 0,
        "-7": -7,
        "007": 7,
        "999999999": 999_999_999,
        "1000000000": None,
        ENDLESS: None,
        "": None,
        "-": None,
        "--1": None,
        "+1": None,
        " 1": None,
        "1\n": None,
        "1.0": None,
        "1_000": None,
        "\u0661": None,
        "\u00b2": None,
    }.items(),
)
def test_parse_whole_accepts_only_plain_short_integers(text: str, number: int | None) -> None:
    assert parse_integer(text) == number


def test_unreachable_number_in_a_path_is_not_found(pig: OpenedTable, subtests: pytest.Subtests) -> None:
    seat, shared = f"/seat/{pig.seats[0]}", f"/shared/{pig.host}/asked"
    for number in (ENDLESS, "99999999999", "-1", "x", "1.5", "%00", "\u0661"):
        for path in (
            f"{seat}/at/{number}",
            f"{seat}/at/{number}/why",
            f"{seat}/line/{number}",
            f"{seat}/at/0/line/{number}",
            f"{shared}/at/{number}",
        ):
            with subtests.test(path=path):
                assert pig.client.get(path).status_code == 404, path[:80]


def test_invalid_number_in_a_form_is_refused(pig: OpenedTable, subtests: pytest.Subtests) -> None:
    for number in (ENDLESS, "-", "\u2212", "1e9", "nan"):
        with subtests.test(number=number):
            assert pig.client.post(f"/host/{pig.host}/hand-over", data={"seat": number}).status_code == 400
            fields = {"version": number, "answer": "roll"}
            response = pig.client.post(f"/seat/{pig.seats[0]}/answer", data=fields, headers={"HX-Request": "true"})
            assert response.status_code == 200 and "answered that already" in response.text


def test_invalid_content_length_is_refused(client: TestClient, subtests: pytest.Subtests) -> None:
    for length in (ENDLESS, "-1", "x", "1e3"):
        with subtests.test(length=length):
            assert client.post("/play", content=b"", headers={"Content-Length": length}).status_code == 413


# --- texts of refusals -------------------------------------------------------------------------------


def test_uploaded_module_with_an_invalid_look_is_refused_in_readable_text(client: TestClient) -> None:
    files = {"module.yaml": MODULE, "odd.edict": "", "look.yaml": "colours: 7\nnothing-known: 3\n"}
    refused = client.post(
        "/tables", data=make_table_form("pig", ["person"] * 2), files={"module": ("odd.zip", zip_module(files))}
    )
    shown = unescape(re.sub("<[^>]*>", "", refused.text))
    assert refused.status_code == 422 and "Diagnostic(" not in shown and "Span(" not in shown
    assert re.search(r"The module cannot be played: [^()]+ \(module/look.yaml:1\)", shown)


def test_file_in_place_of_a_text_field_is_not_shown(client: TestClient, subtests: pytest.Subtests) -> None:
    """Its representation, `UploadFile(filename=...)`, was once shown."""
    for path, status in {"/tables": 422, "/tables/journal": 422}.items():
        with subtests.test(path=path):
            refused = client.post(path, files={"game": ("pig.txt", b"pig")})
            assert refused.status_code == status and "UploadFile" not in refused.text and "pig.txt" not in refused.text


# --- encodings ---------------------------------------------------------------------------------------


CHARSETS = ("utf-7", "utf-16", "unicode_escape", "idna", "undefined", "hex", "a\\0", "latin-1")


@pytest.mark.parametrize("charset", CHARSETS)
def test_form_in_an_unsupported_encoding_is_refused(pig: OpenedTable, charset: str) -> None:
    """Some of Python's codecs raise errors of their own or decode to lone surrogates, which cannot be stored."""
    body = b'--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n+2AA-\\ud800\r\n--b--\r\n'
    kind = {"Content-Type": f'multipart/form-data; boundary=b; charset="{charset}"'}
    assert pig.client.post(f"/seat/{pig.seats[0]}/talk", content=body, headers=kind).status_code == 415


MODULE = "name: odd\ntitle: Odd\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [pig]\n"
