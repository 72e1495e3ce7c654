"""Malformed requests: whatever somebody sends is refused with a 4xx that says why, and shows nothing of Python."""

from __future__ import annotations

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from edict.support.text import parse_integer
from serving import Opened, form, zipped

ENDLESS = "9" * 5000
"""More digits than Python reads."""


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
def test_whole_number_is_parsed_or_none(text: str, number: int | None) -> None:
    assert parse_integer(text) == number


def test_number_in_a_path_that_no_game_reaches_is_not_found(pig: Opened) -> None:
    seat, shared = f"/seat/{pig.seats[0]}", f"/shared/{pig.host}/asked"
    for number in (ENDLESS, "99999999999", "-1", "x", "1.5", "%00", "\u0661"):
        for place in (
            f"{seat}/at/{number}",
            f"{seat}/at/{number}/why",
            f"{seat}/line/{number}",
            f"{seat}/at/0/line/{number}",
            f"{shared}/at/{number}",
        ):
            assert pig.client.get(place).status_code == 404, place[:80]


def test_number_in_a_form_that_is_too_long_is_refused(pig: Opened) -> None:
    for number in (ENDLESS, "-", "\u2212", "1e9", "nan"):
        assert pig.client.post(f"/host/{pig.host}/hand-over", data={"seat": number}).status_code == 400
        told = {"version": number, "answer": "roll"}
        answered = pig.client.post(f"/seat/{pig.seats[0]}/answer", data=told, headers={"HX-Request": "true"})
        assert answered.status_code == 200 and "answered that already" in answered.text


def test_content_length_that_is_no_number_is_refused(client: TestClient) -> None:
    for length in (ENDLESS, "-1", "x", "1e3"):
        assert client.post("/play", content=b"", headers={"Content-Length": length}).status_code == 413


# --- what is shown -----------------------------------------------------------------------------------


def test_uploaded_module_with_a_wrong_look_is_refused_in_words(client: TestClient) -> None:
    files = {"module.yaml": MODULE, "odd.edict": "", "look.yaml": "colours: 7\nnothing-known: 3\n"}
    refused = client.post("/tables", data=form("pig", ["person"] * 2), files={"module": ("odd.zip", zipped(files))})
    shown = unescape(re.sub("<[^>]*>", "", refused.text))
    assert refused.status_code == 422 and "Diagnostic(" not in shown and "Span(" not in shown
    assert re.search(r"The module cannot be played: [^()]+ \(module/look.yaml:1\)", shown)


def test_file_in_place_of_a_field_is_no_text(client: TestClient) -> None:
    """It was shown as `UploadFile(filename=...)`."""
    for place, wanted in {"/tables": 422, "/tables/journal": 422}.items():
        refused = client.post(place, files={"game": ("pig.txt", b"pig")})
        assert refused.status_code == wanted and "UploadFile" not in refused.text and "pig.txt" not in refused.text


# --- encodings ---------------------------------------------------------------------------------------


CHARSETS = ("utf-7", "utf-16", "unicode_escape", "idna", "undefined", "hex", "a\\0", "latin-1")


@pytest.mark.parametrize("charset", CHARSETS)
def test_form_in_another_encoding_is_refused(pig: Opened, charset: str) -> None:
    """Some of Python's codecs fail in ways of their own, or give halves of characters, which cannot be stored."""
    body = b'--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n+2AA-\\ud800\r\n--b--\r\n'
    kind = {"Content-Type": f'multipart/form-data; boundary=b; charset="{charset}"'}
    assert pig.client.post(f"/seat/{pig.seats[0]}/talk", content=body, headers=kind).status_code == 415


MODULE = "name: odd\ntitle: Odd\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [pig]\n"
