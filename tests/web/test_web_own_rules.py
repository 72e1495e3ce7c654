"""The host's own game or variant, named by its folder: offered beside what ships, and played at tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from calling import kingsburg
from serving import Opened, Server, form, served
from starlette.testclient import TestClient
from test_web_uploads import MODULE, zipped

from edict.table.journal import parse_journal
from edict.web.new_tables import Offer

ISLE = {
    "module.yaml": "name: isle\ntitle: The Isle\nversion: 1.0.0\nkind: game\n",
    "isle.edict": """\
resource shell "shell/shells"
keep line as order of player

game isle "The Isle"
  players 2 to 2
  order line
  winners everyone with most shell of it
  score shell of you
  course
    each player
      choose one "What do you find?"
        gain 1 shell
        option "Nothing"
          nothing
""",
}
LOUD = {"module.yaml": MODULE["loud/module.yaml"], "loud.edict": MODULE["loud/loud.edict"]}


@pytest.fixture(autouse=True)
def folders(tmp_path: Path) -> Path:
    for name, files in {"isle": ISLE, "loud": LOUD}.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text)
    return tmp_path


@pytest.fixture
def client(folders: Path) -> Iterator[TestClient]:
    with served(folders, offer=Offer(game=str(folders / "isle"))) as (_, client):
        yield client


def test_the_start_page_begins_with_the_game(client: TestClient) -> None:
    assert '<option value="isle" selected>The Isle</option>' in client.get("/").text
    assert "Seats (2 to 2)" in client.get("/").text
    assert "Seats (2 to 2)" not in client.get("/primer", params={"game": "pig"}).text


def test_it_is_played_under_its_name_by_the_rules_that_the_table_keeps(client: TestClient, folders: Path) -> None:
    table = Opened.at(client, "isle", ["person", "person"])
    journal = parse_journal(client.get(f"/seat/{table.host}/journal").content)
    assert (journal.header.game, journal.keeps_rules) == ("isle", True)
    (folders / "isle" / "isle.edict").write_text(ISLE["isle.edict"].replace("gain 1 shell", "gain 7 shell"))
    assert "7 shells" not in client.get(f"/seat/{table.seats[0]}").text
    assert str(folders) not in client.get(f"/seat/{table.seats[0]}").text
    changed = Opened.at(client, "isle", ["person", "person"])
    assert "7 shells" in client.get(f"/seat/{changed.seats[0]}").text


def test_a_variant_is_ticked_with_the_game_it_is_for(folders: Path) -> None:
    with served(folders, offer=Offer(game="pig", modules=[str(folders / "loud")])) as (_, client):
        assert 'value="loud" checked' in client.get("/").text
        assert 'value="loud"> ' in client.get("/primer", params={"game": "pig"}).text  # the tick was taken away
        table = Opened.at(client, "pig", ["person", "person"], ["loud"])
        assert table.view(table.seats[0])["game"]["modules"] == ["loud"]


def test_a_module_can_be_sent_for_it(client: TestClient) -> None:
    files = {name: text.replace("[pig]", "[isle]") for name, text in MODULE.items()}
    sent = {"module": ("loud.zip", zipped(files))}
    page = client.post("/tables", data=form("isle", ["person", "person"]), files=sent, follow_redirects=True)
    view = Opened.of(client, page).view(Opened.of(client, page).seats[0])
    assert (view["game"]["name"], view["game"]["modules"]) == ("isle", ["loud"])


def test_a_server_is_started_with_it(folders: Path) -> None:
    server = Server.start(f"sqlite:///{folders / 'tables.sqlite'}", folders, 0, "./isle")
    try:
        with server.client() as client:
            assert '<option value="isle" selected>' in client.get("/").text
            assert Opened.at(client, "isle", ["person", "greedy"]).asked() is not None
    finally:
        server.stop()


@pytest.mark.parametrize(("words", "said"), [
    (["./isle", "--with", "./loud"], "pig"),  # which is another game
    (["./nowhere"], "E0151"),
    (["--with", "./loud"], "pig"),
    (["./isle", "--game", "pig"], "two games are given"),
])  # fmt: skip
def test_what_cannot_be_played_is_refused_before_anything_is_served(
    folders: Path, words: list[str], said: str
) -> None:
    store = f"sqlite:///{folders / 'tables.sqlite'}"
    done = kingsburg(folders, "serve", "--no-browser", "--port", "0", "--store", store, *words)
    assert done.returncode in (1, 2) and said in done.stderr


def test_it_is_played_at_once_and_in_a_room_like_any_other(client: TestClient) -> None:
    seat = client.post("/play", data={"game": "isle", "name": "Ann"}, follow_redirects=True)
    assert seat.status_code == 200 and client.get(f"{seat.url.path}/view.json").json()["seat"] == "Ann"
    room = client.post("/rooms", data={"game": "isle", "name": "Ann"}, follow_redirects=True)
    assert room.status_code == 200 and "The Isle" in room.text
    begun = client.post(f"{room.url.path}/begin", data={"bots": "1"}, follow_redirects=True)
    assert begun.status_code == 200 and "/seat/" in begun.url.path


def test_the_gallery_shows_what_can_be_played_here_and_leads_to_it(client: TestClient) -> None:
    page = client.get("/gallery").text
    assert 'href="/?game=isle"' in page and 'href="/?game=kingsburg&amp;with=governors"' in page
    assert page.count("<svg") == page.count("<li>") and "recipe-" not in page
    assert 'href="/gallery"' in client.get("/").text
