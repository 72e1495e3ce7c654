"""Tables in the browser from opening to end: permissions, answers, explanations and languages."""

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
from edict.apps.web.middleware import LANGUAGE_NAME
from edict.game.table.journal import parse_journal
from serving import ALREADY_ANSWERED, REFUSED, OpenedTable

Call = Callable[..., "subprocess.CompletedProcess[str]"]


def get_question_details(table: OpenedTable) -> tuple[str, str, int, str]:
    """Return the key of the asked seat and of the other seat, the version of the table, and a valid answer."""
    key_and_view = table.find_asked()
    assert key_and_view is not None
    other = next(key for key in table.seats if key != key_and_view[0])
    return key_and_view[0], other, table.get_version(key_and_view[0]), key_and_view[1]["question"]["options"][0]["key"]


# --- playing -----------------------------------------------------------------------------------------


def test_game_is_played_over_links_and_every_step_can_be_replayed(pig: OpenedTable) -> None:
    def get_board(address: str) -> str:
        page = pig.client.get(address).text
        offers_answers.append('name="answer"' in page)
        return str(page[page.index('id="panel-') : page.index('id="title-log"')])

    offers_answers, seat, rng = list[bool](), f"/seat/{pig.seats[0]}", Random(1)
    seen = [get_board(seat)]
    for _ in range(5):
        pig.play(1, rng)
        seen.append(get_board(seat))
    offers_answers.clear()
    assert [get_board(f"{seat}/at/{number}") for number in range(6)] == seen and not any(offers_answers)
    assert pig.client.get(f"{seat}/at/9999").status_code == 404
    pig.play(rng=rng)
    view = pig.get_view(pig.seats[0])
    assert view["over"] and view["winners"]
    journal = parse_journal(pig.client.get(f"{seat}/journal").content)
    assert [answer.key for answer in journal.answers] == pig.given


def test_many_numbers_are_offered_in_a_select_list(client: TestClient) -> None:
    table = OpenedTable.open_at(client, "sixty-four", ["person", "person"])
    page = client.get(f"/seat/{get_question_details(table)[0]}").text
    offered = page.partition('<select name="answer"')[2].partition("</select>")[0]
    assert offered.count("<option value=") == 101
    table.play(1)
    assert len(table.given) == 1


def test_only_one_of_several_concurrent_answers_counts(pig: OpenedTable) -> None:
    key, _, version, answer = get_question_details(pig)
    start = threading.Barrier(4)

    def send(_: int) -> str:
        start.wait()
        return str(pig.answer(key, version, answer).text)

    with ThreadPoolExecutor(4) as threads:
        pages = list(threads.map(send, range(4)))
    assert sorted(ALREADY_ANSWERED in text for text in pages) == [False, True, True, True]
    assert pig.get_version(key) == version + 1


def test_invalid_or_unauthorized_answer_changes_nothing(pig: OpenedTable, subtests: pytest.Subtests) -> None:
    key, other, version, answer = get_question_details(pig)
    assert ALREADY_ANSWERED in pig.answer(other, version, answer).text
    for spectator in (pig.onlookers, pig.host):
        with subtests.test(spectator=spectator):
            assert "Only those who have a seat" in pig.answer(spectator, version, answer).text
    assert "is not an answer to" in pig.answer(key, version, "no-such-option").text
    for wrong in ("", "-1", "²", "9" * 5000, "1e3", "0x1"):
        with subtests.test(wrong=wrong):
            fields = {"version": wrong, "answer": answer}
            response = pig.client.post(f"/seat/{key}/answer", data=fields, headers={"HX-Request": "true"})
            assert response.status_code == 200 and ALREADY_ANSWERED in response.text
    assert pig.get_version(key) == version


def test_undo_works_if_offered_and_otherwise_gives_a_reason(client: TestClient) -> None:
    table, seen_offers, rng = OpenedTable.open_at(client, "causeway", ["person", "person"]), set[bool](), Random(2)
    for _ in range(4):
        for key in table.seats:
            offered, before = 'id="undo"' in client.get(f"/seat/{key}").text, table.get_version(key)
            seen_offers.add(offered)
            page = table.undo(key).text
            assert offered == (REFUSED not in page) == (table.get_version(key) == before + 1)
            assert offered or re.search(r"since\.|not answered anything", page), page
        table.play(1, rng)
    assert seen_offers == {False, True} and 'id="undo"' not in client.get(f"/seat/{table.onlookers}").text


def test_bot_answers_by_itself_and_a_handed_over_seat_gets_a_new_link(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    table = OpenedTable.open_at(client, "pig", ["person", "random"])
    old, hand_over = table.seats[0], f"/host/{table.host}/hand-over"
    for invalid in ({"seat": "9", "bot": ""}, {"seat": "²"}, {"seat": "-1"}, {"seat": "0", "bot": "greedy@/etc"}, {}):
        with subtests.test(invalid=invalid):
            assert client.post(hand_over, data=invalid).status_code == 400
            assert client.post(f"/host/{old}/hand-over", data=invalid).status_code == 404
    new = OpenedTable.from_page(client, client.post(hand_over, data={"seat": "0", "bot": ""}, follow_redirects=True))
    assert client.get(f"/seat/{old}").status_code == 404
    assert new.seats[0] != old and new.get_view(new.seats[0])["seat"] == "Player 1"
    client.post(hand_over, data={"seat": "0", "bot": "random"})
    wait_until(lambda: bool(new.get_view(table.onlookers)["over"]))


# --- understanding -----------------------------------------------------------------------------------


def test_options_log_lines_rules_and_scores_are_explained(client: TestClient, subtests: pytest.Subtests) -> None:
    table = OpenedTable.open_after_answers(client, "kingsburg", 60)
    key_and_view = table.find_asked()
    assert key_and_view is not None
    key, view = key_and_view
    option = view["question"]["options"][0]
    why = client.get(f"/seat/{key}/why", params={"option": option["key"]}).text
    in_short, exactly = why.split('<div class="exact">')
    assert "you can choose this for" in why and ".edict:" in exactly and ".edict:" not in in_short
    refused = client.get(f"/seat/{key}/why-not").text
    assert "<article" in refused or "Everything that can be chosen" in refused
    explanation = client.get(f"/seat/{key}/line/{len(view['log']) - 1}").text
    assert view["log"][-1]["text"].split(" ")[0] in explanation and ".edict:" in explanation
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
        with subtests.test(player=player):
            assert sum(source["amount"] for source in player["sources"]) == player["score"]
            after = [source["after"] for source in player["sources"]]
            assert after == sorted(after) and all(0 <= answer_count <= course["answers"] for answer_count in after)


@pytest.mark.usefixtures("quick_hints")
def test_hint_is_given_only_to_the_seat_that_is_asked(pig: OpenedTable, subtests: pytest.Subtests) -> None:
    key, other, _, _ = get_question_details(pig)
    hint = pig.client.get(f"/seat/{key}/hint")
    assert hint.status_code == 200 and hint.text.count('scope="row"') == 2
    for other_key in (other, pig.onlookers):
        with subtests.test(other_key=other_key):
            assert pig.client.get(f"/seat/{other_key}/hint").status_code == 409


# --- languages ---------------------------------------------------------------------------------------

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


@pytest.fixture
def choosing(client: TestClient) -> Iterator[TestClient]:
    """A client whose chosen language is forgotten afterwards."""
    yield client
    client.cookies.delete(LANGUAGE_NAME)


def test_page_uses_the_language_of_the_browser_or_the_chosen_one(
    choosing: TestClient, subtests: pytest.Subtests
) -> None:
    english, german = choosing.get("/"), choosing.get("/", headers=GERMAN)
    assert '<html lang="en">' in english.text and "Play now" in english.text
    assert '<html lang="de">' in german.text and "Sofort spielen" in german.text and "Play now" not in german.text
    assert "Das Grundspiel der zweiten Ausgabe" in german.text
    assert "set-cookie" not in german.headers
    assert choosing.get("/?language=it").headers["set-cookie"].startswith("language=it; ")
    for page in ("/", "/?language=nothing-known", "/?language=it"):
        with subtests.test(page=page):
            again = choosing.get(page, headers=GERMAN)
            assert "Gioca subito" in again.text and "set-cookie" not in again.headers


@pytest.mark.usefixtures("quick_hints")
def test_players_at_one_table_read_it_in_their_own_languages(client: TestClient) -> None:
    data = {"game": "kingsburg", "seat-0": "person", "seat-1": "person"}
    table = OpenedTable.from_page(client, client.post("/tables", data=data, headers=GERMAN, follow_redirects=True))
    journal_text = client.get(f"/seat/{table.host}/journal").text
    assert "Spieler 1" in journal_text and "Schatzmeister" not in journal_text.splitlines()[0], (
        "it is the same table in all languages"
    )
    table.play(2)
    key_and_view = table.find_asked()
    assert key_and_view is not None
    key, view = key_and_view
    german_page = client.get(f"/seat/{key}", headers=GERMAN).text
    assert "Schatzmeister" in german_page and "Treasurer" in client.get(f"/seat/{key}").text
    german = client.get(f"/seat/{key}/view.json", headers=GERMAN).json()
    texts, keys = zip(*((option["text"], option["key"]) for option in german["question"]["options"]), strict=True)
    assert [*keys] == [option["key"] for option in view["question"]["options"]] and german["phases"] != view["phases"]
    about, rules, hint = (
        client.get(f"/seat/{key}/{part}", headers=GERMAN).text for part in ("ask-about?about=Statue", "rules", "hint")
    )
    assert "darfst du einen davon neu werfen" in about and "Ein Jahr hat drei Jahreszeiten" in rules
    assert any(text in hint for text in texts) and "Was der Bot" in hint
    fields = {"version": str(table.get_version(key)), "answer": keys[0]}
    answered = client.post(f"/seat/{key}/answer", data=fields, headers={**GERMAN, "HX-Request": "true"})
    assert "Schatzmeister" in answered.text


# --- the terminal and the browser ---------------------------------------------------------------------


def test_game_moves_from_the_terminal_to_the_browser_and_back(call: Call, client: TestClient, tmp_path: Path) -> None:
    game = edict.load("pig").new_game(["Ann", "Ben"], seed=5, journal=tmp_path / "begun.jsonl", bots=["greedy@x", ""])
    for _ in range(4):
        game.answer(0)
    game.close()
    table = OpenedTable.open_from_journal(client, (tmp_path / "begun.jsonl").read_bytes())
    assert len(table.seats) == 2, "no bot of a stranger's file sits down"
    assert table.get_view(table.seats[0])["log"][-1]["text"] == game.view(0).log[-1].text
    table.play(3)
    saved_file = tmp_path / "kept.jsonl"
    saved_file.write_bytes(client.get(f"/seat/{table.host}/journal").content)
    assert "after 7 answers" in call("games", "replay", str(saved_file)).stdout


def test_invalid_journals_and_tables_without_people_are_refused_with_a_reason(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for raw in (b"", b"{}", b"\0" * 50, b'{"format": "edict journal 2"}\n'):
        with subtests.test(raw=raw):
            response = client.post("/tables/journal", files={"journal": ("x.jsonl", raw)})
            assert response.status_code == 422 and REFUSED in response.text
    for fields in ({"game": "pig"}, {"game": "pig", "seat-0": "person"}):
        with subtests.test(fields=fields):
            response = client.post("/tables", data=fields)
            assert response.status_code == 422 and REFUSED in response.text
