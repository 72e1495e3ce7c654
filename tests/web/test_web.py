"""Tables in the browser, from opening one to its end: who may do what, and what everybody is told."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from serving import LATE, Opened, served
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient

from edict.table.journal import parse_journal
from edict.web.quotas import Limits
from edict.web.middleware import Gate
from edict.web.page_templates import release
from edict.web.static_files import FOREVER
from edict.web.table_server import TableServer

Call = Callable[..., "subprocess.CompletedProcess[str]"]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
STYLE = f"/static/{release()}/table.css"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TableServer, TestClient]]:
    with served(tmp_path_factory.mktemp("web")) as both:
        yield both


@pytest.fixture
def client(both: tuple[TableServer, TestClient]) -> TestClient:
    return both[1]


@pytest.fixture
def pig(client: TestClient) -> Opened:
    return Opened.at(client, "pig", ["person", "person"])


def play(table: Opened, answers: int, luck: Random | None = None) -> None:
    """Give so many answers, or fewer if the game ends."""
    for _ in range(answers):
        asked = table.asked()
        if asked is None:
            return
        key, view = asked
        options = view["question"]["options"]
        chosen = luck.choice(options) if luck else options[0]
        done = table.answer(key, table.version(key), chosen["key"])
        assert done.status_code == 200 and 'role="alert"' not in done.text, done.text
        table.given.append(chosen["key"])


# --- playing -----------------------------------------------------------------------------------------


def test_a_whole_game_is_played_over_links(pig: Opened) -> None:
    play(pig, 2000, Random(1))
    view = pig.view(pig.seats[0])
    assert view["over"] and view["winners"]
    journal = parse_journal(pig.client.get(f"/seat/{pig.seats[0]}/journal").content)
    assert [answer.key for answer in journal.answers] == pig.given


def asked_now(table: Opened) -> tuple[str, str, int, str]:
    """The key of who is asked, that of the other, the version of the table, and a possible answer."""
    asked = table.asked()
    assert asked is not None
    other = next(key for key in table.seats if key != asked[0])
    return asked[0], other, table.version(asked[0]), asked[1]["question"]["options"][0]["key"]


def test_many_numbers_are_a_list_to_choose_from(client: TestClient) -> None:
    table = Opened.at(client, "sixty-four", ["person", "person"])
    asked = table.asked()
    assert asked is not None
    page = client.get(f"/seat/{asked[0]}").text
    assert page.count("<option value=") == 101 and '<select name="answer"' in page
    play(table, 6)
    assert len(table.given) == 6


def test_of_two_answers_at_once_one_counts_and_the_other_is_told(pig: Opened) -> None:
    key, _, version, answer = asked_now(pig)
    said: list[str] = []
    start = threading.Barrier(4)

    def send() -> None:
        start.wait()
        said.append(pig.answer(key, version, answer).text)

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(LATE in text for text in said) == [False, True, True, True]
    assert pig.version(key) == version + 1


def test_nobody_answers_for_another_seat_nor_without_one(pig: Opened) -> None:
    key, other, version, answer = asked_now(pig)
    assert LATE in pig.answer(other, version, answer).text
    assert "Only those who have a seat" in pig.answer(pig.onlookers, version, answer).text
    assert "Only those who have a seat" in pig.answer(pig.host, version, answer).text
    assert "is not an answer to" in pig.answer(key, version, "no-such-option").text
    assert pig.version(key) == version


@pytest.mark.parametrize("version", ["", "-1", "²", "9" * 5000, "1e3", "0x1"])
def test_a_version_that_is_none_changes_nothing(pig: Opened, version: str) -> None:
    sent = {"version": version, "answer": "x"}
    done = pig.client.post(f"/seat/{pig.seats[0]}/answer", data=sent, headers={"HX-Request": "true"})
    assert done.status_code == 200 and LATE in done.text


def test_an_answer_is_taken_back_until_something_is_revealed(client: TestClient) -> None:
    table = Opened.at(client, "kingsburg", ["person", "person"])
    for _ in range(40):
        play(table, 1)
        key = table.seats[0]
        before = table.version(key)
        done = client.post(f"/seat/{key}/undo", data={"version": before}, headers={"HX-Request": "true"})
        if 'role="alert"' not in done.text:
            assert table.version(key) == before + 1 and table.asked() is not None
            return
        assert re.search(r"since\.|not answered anything", done.text), done.text
    raise AssertionError("nothing could be taken back")


def test_undo_is_offered_only_where_it_can_be(client: TestClient) -> None:
    table, met, luck = Opened.at(client, "causeway", ["person", "person"]), set[bool](), Random(2)
    for _ in range(4):
        asked = table.asked()
        if asked is None:
            break
        for key in table.seats:
            offered = 'id="undo"' in client.get(f"/seat/{key}").text
            met.add(offered)
            if offered:
                sent = {"version": table.version(key)}
                done = client.post(f"/seat/{key}/undo", data=sent, headers={"HX-Request": "true"})
                assert 'role="alert"' not in done.text
                break
        asked = table.asked()
        assert asked is not None
        table.answer(asked[0], table.version(asked[0]), luck.choice(asked[1]["question"]["options"])["key"])
    assert met == {False, True}
    assert 'id="undo"' not in client.get(f"/seat/{table.onlookers}").text


def test_a_bot_answers_at_once_and_a_seat_that_is_handed_on_has_a_new_link(client: TestClient) -> None:
    table = Opened.at(client, "pig", ["person", "random"])
    old = table.seats[0]
    handed = client.post(f"/host/{table.host}/hand-over", data={"seat": "0", "bot": ""}, follow_redirects=True)
    new = Opened.of(client, handed)
    assert client.get(f"/seat/{old}").status_code == 404
    assert new.seats[0] != old and new.view(new.seats[0])["seat"] == "Player 1"
    client.post(f"/host/{table.host}/hand-over", data={"seat": "0", "bot": "random"})
    for _ in range(600):
        if new.view(table.onlookers)["over"]:
            return
        threading.Event().wait(0.05)
    raise AssertionError("the bots did not finish the game")


@pytest.mark.parametrize(
    "sent", [{"seat": "9", "bot": ""}, {"seat": "²"}, {"seat": "-1"}, {"seat": "0", "bot": "greedy@/etc/passwd"}, {}]
)  # fmt: skip
def test_only_seats_that_there_are_can_be_handed_on(pig: Opened, sent: dict[str, str]) -> None:
    assert pig.client.post(f"/host/{pig.host}/hand-over", data=sent).status_code == 400
    assert pig.client.post(f"/host/{pig.seats[0]}/hand-over", data=sent).status_code == 404


# --- understanding -----------------------------------------------------------------------------------


def test_reasons_the_log_and_what_was_missed_are_told(client: TestClient) -> None:
    table = Opened.begun(client, "kingsburg", 12)
    asked = table.asked()
    assert asked is not None
    key, view = asked
    option = view["question"]["options"][0]
    why = client.get(f"/seat/{key}/why", params={"option": option["key"]}).text
    assert "offered by" in why and ".edict:" in why
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


def test_a_hint_is_for_whoever_is_asked(pig: Opened) -> None:
    key, other, _, _ = asked_now(pig)
    hint = pig.client.get(f"/seat/{key}/hint")
    assert hint.status_code == 200 and hint.text.count('scope="row"') == 2
    assert pig.client.get(f"/seat/{other}/hint").status_code == 409
    assert pig.client.get(f"/seat/{pig.onlookers}/hint").status_code == 409


def test_every_step_can_be_looked_at_again(pig: Opened) -> None:
    boards = []
    for _ in range(12):
        page = pig.client.get(f"/seat/{pig.onlookers}").text
        boards.append(page[page.index('id="panel-') : page.index('id="title-log"')])
        play(pig, 1, Random(3))
    for number, board in enumerate(boards):
        page = pig.client.get(f"/seat/{pig.onlookers}/at/{number}").text
        assert page[page.index('id="panel-') : page.index('id="title-log"')] == board
        assert 'name="answer"' not in page
    assert pig.client.get(f"/seat/{pig.onlookers}/at/9999").status_code == 404


def test_points_are_told_by_what_brought_them(client: TestClient) -> None:
    table = Opened.begun(client, "kingsburg", 60)
    data = client.get(f"/seat/{table.seats[0]}/scores.json").json()
    assert any(player["sources"] for player in data["players"])
    for player in data["players"]:
        assert sum(source["amount"] for source in player["sources"]) == player["score"]
        after = [source["after"] for source in player["sources"]]
        assert after == sorted(after) and all(0 <= one <= data["answers"] for one in after)


# --- the terminal and the browser ---------------------------------------------------------------------


def test_a_game_begun_at_the_terminal_goes_on_in_the_browser_and_back(
    call: Call, client: TestClient, tmp_path: Path
) -> None:
    import edict

    game = edict.load("pig").new_game(["Ann", "Ben"], seed=5, journal=tmp_path / "begun.jsonl", bots=["greedy@x", ""])
    for _ in range(4):
        game.answer(0)
    game.close()
    raw = (tmp_path / "begun.jsonl").read_bytes()
    opened = client.post("/tables/journal", files={"journal": ("begun.jsonl", raw)}, follow_redirects=True)
    table = Opened.of(client, opened)
    assert len(table.seats) == 2, "no bot of a stranger's file sits down"
    assert table.view(table.seats[0])["log"][-1]["text"] == game.view(0).log[-1].text
    play(table, 3)
    kept = tmp_path / "kept.jsonl"
    kept.write_bytes(client.get(f"/seat/{table.host}/journal").content)
    told = call("games", "replay", str(kept)).stdout
    assert "after 7 answers" in told


@pytest.mark.parametrize("raw", [b"", b"{}", b"\0" * 50, b'{"format": "edict journal 2"}\n'])
def test_a_file_that_is_no_game_is_refused_with_a_reason(client: TestClient, raw: bytes) -> None:
    done = client.post("/tables/journal", files={"journal": ("x.jsonl", raw)})
    assert done.status_code == 422 and 'role="alert"' in done.text


# --- what is refused ---------------------------------------------------------------------------------


def test_every_answer_has_the_strict_headers(pig: Opened) -> None:
    seat = f"/seat/{pig.seats[0]}"
    places = ["/", seat, "/seat/none", STYLE, f"{seat}/view.json", "/%00"]
    for place in places:
        headers = pig.client.get(place).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy and "unsafe" not in policy
        assert headers["referrer-policy"] == "no-referrer" and headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] in ("no-store", FOREVER)


def test_a_file_is_kept_for_ever_under_the_address_of_this_release_only(client: TestClient) -> None:
    assert STYLE in client.get("/").text
    assert client.get(STYLE).headers["cache-control"] == FOREVER
    other = client.get("/static/another-release/table.css")
    assert other.text == client.get(STYLE).text and other.headers["cache-control"] == "no-cache"
    assert client.get(f"/static/{release()}/nothing.css").status_code == 404


@pytest.mark.parametrize("key", ["", "x", "a" * 24, "..%2f..%2fetc", "%00" * 24, "ü" * 24, "a" * 5000])
def test_a_link_that_opens_nothing_says_so(client: TestClient, key: str) -> None:
    assert client.get(f"/seat/{key}").status_code == 404
    assert client.get(f"/host/{key}").status_code == 404


def test_too_much_is_refused(tmp_path: Path) -> None:
    few = Limits(requests="12/minute", new_tables="3/hour")
    with served(tmp_path, few) as (_, client):
        assert client.post("/tables", data={"x": "y" * 5_000_000}).status_code == 413
        unannounced = client.post("/tables", content=(b"y" * 100_000 for _ in range(50)), headers=FORM)
        assert unannounced.status_code == 413
        assert client.post("/seat/x/answer", content=b"y" * 70_000, headers=FORM).status_code == 413
        for _ in range(2):
            assert Opened.at(client, "pig", ["person", "person"]).seats
        assert client.post("/tables", data={"game": "pig"}).status_code == 429
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
    gate = Gate(limits)
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


def test_a_table_with_nobody_or_wrong_settings_is_not_opened(client: TestClient) -> None:
    for sent in ({"game": "pig"}, {"game": "no-such"}, {"game": "pig", "seat-0": "person"}):
        done = client.post("/tables", data=sent)
        assert done.status_code == 422 and 'role="alert"' in done.text


def test_a_failure_says_nothing_of_itself(
    both: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    serving, client = both

    def fails(_: str) -> None:
        raise ZeroDivisionError("the secret of the house")

    monkeypatch.setattr(serving.store, "link", fails)
    done = client.get("/seat/" + "a" * 24)
    assert done.status_code == 500 and "secret of the house" not in done.text and "Traceback" not in done.text
    assert "Nothing was lost" in done.text and "content-security-policy" in done.headers
    assert "the secret of the house" in caplog.text


def test_a_process_that_dies_in_thought_is_replaced(both: tuple[TableServer, TestClient]) -> None:
    import asyncio
    import os

    from edict.web.table_actions import Turn
    from edict.web.bot_processes import BotProcesses
    from edict.processes.piece_of_work import Failed

    _, client = both
    table = Opened.at(client, "pig", ["person", "person"])
    raw = client.get(f"/seat/{table.host}/journal").content
    who = table.view(table.onlookers)["waiting_for"]

    async def tried() -> str:
        thinkers = BotProcesses(1)
        try:
            with pytest.raises(Failed, match="died"):
                await thinkers._pool.done(os._exit, 9)
            seat = parse_journal(raw).header.players.index(who)
            return await thinkers.answer(Turn(seat, 0, 1, False, "random", raw=raw))
        finally:
            thinkers.close()

    asked = table.asked()
    assert asked is not None
    assert asyncio.run(tried()) in [one["key"] for one in asked[1]["question"]["options"]]
