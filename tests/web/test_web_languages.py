"""Pages in the language of whoever asks: of the browser, or as they have chosen; everybody at a table in their own."""

from __future__ import annotations

from pathlib import Path

from serving import Opened, served

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


def test_a_page_speaks_the_language_of_the_browser(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        english, german = client.get("/").text, client.get("/", headers=GERMAN).text
    assert '<html lang="en">' in english and "Play now" in english
    assert '<html lang="de">' in german and "Sofort spielen" in german and "Play now" not in german
    assert "Das Grundspiel der zweiten Ausgabe" in german


def test_a_language_that_is_chosen_is_remembered(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        assert "set-cookie" not in client.get("/", headers=GERMAN).headers
        assert client.get("/?language=it").headers["set-cookie"].startswith("language=it; ")
        for page in ("/", "/?language=nothing-known", "/?language=it"):
            again = client.get(page, headers=GERMAN)
            assert "Gioca subito" in again.text and "set-cookie" not in again.headers


def test_everybody_at_a_table_reads_it_in_their_own_language(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, "kingsburg", ["person", "person"])
        for _ in range(4):
            asked = table.asked()
            assert asked is not None
            key, view = asked
            said = client.get(f"/seat/{key}", headers=GERMAN)
            sent = {"version": str(table.version(key)), "answer": view["question"]["options"][0]["key"]}
            answered = client.post(f"/seat/{key}/answer", data=sent, headers={**GERMAN, "HX-Request": "true"})
            assert "Schatzmeister" in said.text and "Schatzmeister" in answered.text
            assert "Treasurer" in client.get(f"/seat/{key}").text
        asked = table.asked()
        assert asked is not None
        german, english = (client.get(f"/seat/{asked[0]}/view.json", headers=one).json() for one in (GERMAN, {}))
    assert german["question"]["options"][0]["key"] == english["question"]["options"][0]["key"]
    assert german["phases"] != english["phases"]


def test_what_something_is_and_the_rules_in_short_are_told_in_the_language(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, "kingsburg", ["person", "person"])
        about = client.get(f"/seat/{table.seats[0]}/ask-about?about=Statue", headers=GERMAN).text
        rules = client.get(f"/seat/{table.seats[0]}/rules", headers=GERMAN).text
    assert "darfst du einen davon neu werfen" in about
    assert "Ein Jahr hat drei Jahreszeiten" in rules


def test_a_hint_names_options_in_the_language(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, "kingsburg", ["person", "person"])
        asked = table.asked()
        assert asked is not None
        view = client.get(f"/seat/{asked[0]}/view.json", headers=GERMAN).json()
        texts = [one["text"] for one in view["question"]["options"]]
        hint = client.get(f"/seat/{asked[0]}/hint", headers=GERMAN).text
    assert any(text in hint for text in texts) and "Was der Bot" in hint


def test_a_table_that_was_begun_in_one_language_is_the_same_table_in_all(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        data = {"game": "kingsburg", "seat-0": "person", "seat-1": "person"}
        page = client.post("/tables", data=data, headers=GERMAN, follow_redirects=True)
        host = str(page.url).rsplit("/", 1)[1]
        kept = client.get(f"/seat/{host}/journal").text
    assert "Spieler 1" in kept and "Schatzmeister" not in kept.splitlines()[0]
