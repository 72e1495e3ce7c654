"""Tables in the browser, from opening one to its end: who may do what, and what everybody is told."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient

import edict
from calling import wait_until
from edict.apps.web.middleware import NAME
from edict.game.table.journal import parse_journal
from serving import LATE, REFUSED, Opened

Call = Callable[..., "subprocess.CompletedProcess[str]"]


def asked_now(table: Opened) -> tuple[str, str, int, str]:
    """The key of who is asked, that of the other, the version of the table, and a possible answer."""
    asked = table.asked()
    assert asked is not None
    other = next(key for key in table.seats if key != asked[0])
    return asked[0], other, table.version(asked[0]), asked[1]["question"]["options"][0]["key"]


# --- playing -----------------------------------------------------------------------------------------


def test_a_whole_game_is_played_over_links_and_every_step_of_it_can_be_looked_at_again(pig: Opened) -> None:
    def board(address: str) -> str:
        page = pig.client.get(address).text
        boards.append('name="answer"' in page)
        return str(page[page.index('id="panel-') : page.index('id="title-log"')])

    boards, seat, luck = list[bool](), f"/seat/{pig.seats[0]}", Random(1)
    seen = [board(seat)]
    for _ in range(5):
        pig.play(1, luck)
        seen.append(board(seat))
    boards.clear()
    assert [board(f"{seat}/at/{number}") for number in range(6)] == seen and not any(boards)
    assert pig.client.get(f"{seat}/at/9999").status_code == 404
    pig.play(luck=luck)
    view = pig.view(pig.seats[0])
    assert view["over"] and view["winners"]
    journal = parse_journal(pig.client.get(f"{seat}/journal").content)
    assert [answer.key for answer in journal.answers] == pig.given


def test_many_numbers_are_a_list_to_choose_from(client: TestClient) -> None:
    table = Opened.at(client, "sixty-four", ["person", "person"])
    page = client.get(f"/seat/{asked_now(table)[0]}").text
    assert page.count("<option value=") == 101 and '<select name="answer"' in page
    table.play(1)
    assert len(table.given) == 1


def test_of_several_answers_at_once_one_counts_and_the_others_are_told(pig: Opened) -> None:
    key, _, version, answer = asked_now(pig)
    start = threading.Barrier(4)

    def send(_: int) -> str:
        start.wait()
        return str(pig.answer(key, version, answer).text)

    with ThreadPoolExecutor(4) as threads:
        said = list(threads.map(send, range(4)))
    assert sorted(LATE in text for text in said) == [False, True, True, True]
    assert pig.version(key) == version + 1


def test_an_answer_that_is_none_or_somebody_elses_changes_nothing(pig: Opened) -> None:
    key, other, version, answer = asked_now(pig)
    assert LATE in pig.answer(other, version, answer).text
    for nobody in (pig.onlookers, pig.host):
        assert "Only those who have a seat" in pig.answer(nobody, version, answer).text
    assert "is not an answer to" in pig.answer(key, version, "no-such-option").text
    for wrong in ("", "-1", "²", "9" * 5000, "1e3", "0x1"):
        sent = {"version": wrong, "answer": answer}
        done = pig.client.post(f"/seat/{key}/answer", data=sent, headers={"HX-Request": "true"})
        assert done.status_code == 200 and LATE in done.text, wrong
    assert pig.version(key) == version


def test_an_answer_is_taken_back_where_that_is_offered_and_else_it_is_said_why_not(client: TestClient) -> None:
    table, met, luck = Opened.at(client, "causeway", ["person", "person"]), set[bool](), Random(2)
    for _ in range(4):
        for key in table.seats:
            offered, before = 'id="undo"' in client.get(f"/seat/{key}").text, table.version(key)
            met.add(offered)
            done = table.undo(key).text
            assert offered == (REFUSED not in done) == (table.version(key) == before + 1)
            assert offered or re.search(r"since\.|not answered anything", done), done
        table.play(1, luck)
    assert met == {False, True} and 'id="undo"' not in client.get(f"/seat/{table.onlookers}").text


def test_a_bot_answers_at_once_and_a_seat_that_is_handed_on_has_a_new_link(client: TestClient) -> None:
    table = Opened.at(client, "pig", ["person", "random"])
    old, hand_over = table.seats[0], f"/host/{table.host}/hand-over"
    for none in ({"seat": "9", "bot": ""}, {"seat": "²"}, {"seat": "-1"}, {"seat": "0", "bot": "greedy@/etc"}, {}):
        assert client.post(hand_over, data=none).status_code == 400, none
        assert client.post(f"/host/{old}/hand-over", data=none).status_code == 404
    new = Opened.of(client, client.post(hand_over, data={"seat": "0", "bot": ""}, follow_redirects=True))
    assert client.get(f"/seat/{old}").status_code == 404
    assert new.seats[0] != old and new.view(new.seats[0])["seat"] == "Player 1"
    client.post(hand_over, data={"seat": "0", "bot": "random"})
    wait_until(lambda: bool(new.view(table.onlookers)["over"]))


# --- understanding -----------------------------------------------------------------------------------


def test_reasons_the_log_what_was_missed_and_where_points_came_from_are_told(client: TestClient) -> None:
    table = Opened.begun(client, "kingsburg", 60)
    asked = table.asked()
    assert asked is not None
    key, view = asked
    option = view["question"]["options"][0]
    why = client.get(f"/seat/{key}/why", params={"option": option["key"]}).text
    in_short, exactly = why.split('<div class="exact">')
    assert "offered by" in why and ".edict:" in exactly and ".edict:" not in in_short
    refused = client.get(f"/seat/{key}/why-not").text
    assert "<article" in refused or "Everything that can be chosen" in refused
    told = client.get(f"/seat/{key}/line/{len(view['log']) - 1}").text
    assert view["log"][-1]["text"].split(" ")[0] in told and ".edict:" in told
    assert "The log has no such line" in client.get(f"/seat/{key}/line/99999").text
    assert "<li" in client.get(f"/seat/{key}/missed").text
    assert "How it goes" in client.get(f"/seat/{key}/rules").text
    assert "How it goes" in client.get("/rules", params={"game": "pig"}).text
    farms = client.get(f"/seat/{key}/ask-about", params={"about": "Farms"}).text
    assert "costs" in farms and "Roll a bonus die" in farms.partition("<summary>Exactly")[0]
    assert "-1 to battle strength" in farms.partition("<summary>Exactly")[2]
    course = client.get(f"/seat/{key}/scores.json").json()
    assert any(player["sources"] for player in course["players"])
    for player in course["players"]:
        assert sum(source["amount"] for source in player["sources"]) == player["score"]
        after = [source["after"] for source in player["sources"]]
        assert after == sorted(after) and all(0 <= one <= course["answers"] for one in after)


@pytest.mark.usefixtures("quick_hints")
def test_a_hint_is_for_whoever_is_asked(pig: Opened) -> None:
    key, other, _, _ = asked_now(pig)
    hint = pig.client.get(f"/seat/{key}/hint")
    assert hint.status_code == 200 and hint.text.count('scope="row"') == 2
    for nobody in (other, pig.onlookers):
        assert pig.client.get(f"/seat/{nobody}/hint").status_code == 409


# --- in the language of whoever asks -----------------------------------------------------------------

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


@pytest.mark.usefixtures("quick_hints")
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


# --- the terminal and the browser ---------------------------------------------------------------------


def test_a_game_begun_at_the_terminal_goes_on_in_the_browser_and_back(
    call: Call, client: TestClient, tmp_path: Path
) -> None:
    game = edict.load("pig").new_game(["Ann", "Ben"], seed=5, journal=tmp_path / "begun.jsonl", bots=["greedy@x", ""])
    for _ in range(4):
        game.answer(0)
    game.close()
    table = Opened.resumed(client, (tmp_path / "begun.jsonl").read_bytes())
    assert len(table.seats) == 2, "no bot of a stranger's file sits down"
    assert table.view(table.seats[0])["log"][-1]["text"] == game.view(0).log[-1].text
    table.play(3)
    kept = tmp_path / "kept.jsonl"
    kept.write_bytes(client.get(f"/seat/{table.host}/journal").content)
    assert "after 7 answers" in call("games", "replay", str(kept)).stdout


def test_what_is_no_game_and_a_table_with_nobody_are_refused_with_a_reason(client: TestClient) -> None:
    for raw in (b"", b"{}", b"\0" * 50, b'{"format": "edict journal 2"}\n'):
        done = client.post("/tables/journal", files={"journal": ("x.jsonl", raw)})
        assert done.status_code == 422 and REFUSED in done.text, raw
    for sent in ({"game": "pig"}, {"game": "pig", "seat-0": "person"}):
        done = client.post("/tables", data=sent)
        assert done.status_code == 422 and REFUSED in done.text, sent
