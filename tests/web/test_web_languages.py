"""Pages in the language of whoever asks: of the browser, or as they have chosen; everybody at a table in their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from serving import Opened
from starlette.testclient import TestClient

from edict.web.spoken_language import NAME

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


@pytest.fixture
def choosing(client: TestClient) -> Iterator[TestClient]:
    yield client
    client.cookies.delete(NAME)


def test_a_page_speaks_the_language_of_the_browser_or_the_one_that_is_chosen(choosing: TestClient) -> None:
    english, german = choosing.get("/"), choosing.get("/", headers=GERMAN)
    assert '<html lang="en">' in english.text and "Play now" in english.text
    assert '<html lang="de">' in german.text and "Sofort spielen" in german.text and "Play now" not in german.text
    assert "Das Grundspiel der zweiten Ausgabe" in german.text
    assert "set-cookie" not in german.headers
    assert choosing.get("/?language=it").headers["set-cookie"].startswith("language=it; ")
    for page in ("/", "/?language=nothing-known", "/?language=it"):
        again = choosing.get(page, headers=GERMAN)
        assert "Gioca subito" in again.text and "set-cookie" not in again.headers


def test_everybody_at_a_table_reads_it_in_their_own_language(client: TestClient) -> None:
    data = {"game": "kingsburg", "seat-0": "person", "seat-1": "person"}
    table = Opened.of(client, client.post("/tables", data=data, headers=GERMAN, follow_redirects=True))
    kept = client.get(f"/seat/{table.host}/journal").text
    assert "Spieler 1" in kept and "Schatzmeister" not in kept.splitlines()[0], "it is the same table in all languages"
    table.play(2)
    asked = table.asked()
    assert asked is not None
    key, view = asked
    said = client.get(f"/seat/{key}", headers=GERMAN).text
    assert "Schatzmeister" in said and "Treasurer" in client.get(f"/seat/{key}").text
    german = client.get(f"/seat/{key}/view.json", headers=GERMAN).json()
    texts, keys = zip(*((one["text"], one["key"]) for one in german["question"]["options"]), strict=True)
    assert [*keys] == [one["key"] for one in view["question"]["options"]] and german["phases"] != view["phases"]
    about, rules, hint = (
        client.get(f"/seat/{key}/{part}", headers=GERMAN).text for part in ("ask-about?about=Statue", "rules", "hint")
    )
    assert "darfst du einen davon neu werfen" in about and "Ein Jahr hat drei Jahreszeiten" in rules
    assert any(text in hint for text in texts) and "Was der Bot" in hint
    sent = {"version": str(table.version(key)), "answer": keys[0]}
    answered = client.post(f"/seat/{key}/answer", data=sent, headers={**GERMAN, "HX-Request": "true"})
    assert "Schatzmeister" in answered.text
