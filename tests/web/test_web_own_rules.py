"""The host's own game or variant, named by its folder: offered beside what ships, and played at tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from calling import GAME, manifest, write
from serving import Opened, form, served
from starlette.testclient import TestClient
from test_web_uploads import MODULE, zipped

from edict.table.journal import parse_journal
from edict.web.new_tables import Offer

ISLE = {
    "module.yaml": manifest("isle", "game", title="The Isle"),
    "isle.edict": GAME.replace("sample", "isle").replace("Sample", "The Isle").replace("1 to 2", "2 to 2"),
}
TWO = ["person", "person"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("own")
    loud = {name.removeprefix("loud/"): text for name, text in MODULE.items()}
    for name, files in {"isle": ISLE, "loud": loud}.items():
        write(found / name, files)
    return found


@pytest.fixture(scope="module")
def client(folders: Path) -> Iterator[TestClient]:
    with served(folders, offer=Offer(game=str(folders / "isle"))) as (_, client):
        yield client


def test_the_start_page_begins_with_it_and_the_gallery_leads_to_it(client: TestClient) -> None:
    start, gallery = client.get("/").text, client.get("/gallery").text
    assert '<option value="isle" selected>The Isle</option>' in start
    assert "Seats (2 to 2)" in start and "Seats (2 to 2)" not in client.get("/primer", params={"game": "pig"}).text
    assert 'href="/gallery"' in start
    assert 'href="/?game=isle"' in gallery and 'href="/?game=kingsburg&amp;with=governors"' in gallery
    assert gallery.count("<svg") == gallery.count("<li>") and "recipe-" not in gallery


def test_it_is_played_under_its_name_by_the_rules_that_the_table_keeps(client: TestClient, folders: Path) -> None:
    table, rules = Opened.at(client, "isle", TWO), folders / "isle" / "isle.edict"
    journal = parse_journal(client.get(f"/seat/{table.host}/journal").content)
    assert (journal.header.game, journal.keeps_rules) == ("isle", True)
    rules.write_text(ISLE["isle.edict"].replace("gain 1 coin", "gain 7 coin"))
    old, new = (client.get(f"/seat/{one.seats[0]}").text for one in (table, Opened.at(client, "isle", TWO)))
    assert "7 coins" not in old and str(folders) not in old and "7 coins" in new
    rules.write_text(ISLE["isle.edict"])


def test_it_is_played_at_once_and_in_a_room_like_any_other(client: TestClient) -> None:
    seat = client.post("/play", data={"game": "isle", "name": "Ann"}, follow_redirects=True)
    assert seat.status_code == 200 and client.get(f"{seat.url.path}/view.json").json()["seat"] == "Ann"
    room = client.post("/rooms", data={"game": "isle", "name": "Ann"}, follow_redirects=True)
    assert room.status_code == 200 and "The Isle" in room.text
    begun = client.post(f"{room.url.path}/begin", data={"bots": "1"}, follow_redirects=True)
    assert begun.status_code == 200 and "/seat/" in begun.url.path


def test_a_module_can_be_sent_for_it(client: TestClient) -> None:
    files = {name: text.replace("[pig]", "[isle]") for name, text in MODULE.items()}
    sent = {"module": ("loud.zip", zipped(files))}
    table = Opened.of(client, client.post("/tables", data=form("isle", TWO), files=sent, follow_redirects=True))
    view = table.view(table.seats[0])
    assert (view["game"]["name"], view["game"]["modules"]) == ("isle", ["loud"])


def test_a_variant_is_ticked_with_the_game_it_is_for(folders: Path, tmp_path: Path) -> None:
    with served(tmp_path, offer=Offer(game="pig", modules=[str(folders / "loud")])) as (_, client):
        assert 'value="loud" checked' in client.get("/").text
        assert 'value="loud"> ' in client.get("/primer", params={"game": "pig"}).text  # the tick was taken away
        table = Opened.at(client, "pig", TWO, ["loud"])
        assert table.view(table.seats[0])["game"]["modules"] == ["loud"]
