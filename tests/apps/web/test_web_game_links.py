"""Game links: shared games to look through and continue, and games played by exchanging links without a server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from calling import GAME, make_manifest, write_files
from edict.apps.web.application import create_application
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.store import Store
from edict.apps.web.table_server import TableServer
from edict.game.table.game_links import GameLink, read_link
from edict.game.table.journal import parse_journal as read_journal
from edict.game.table.rules import load_rules
from serving import NO_LIMITS, REFUSED, OpenedTable

LINK = re.compile(r"<textarea[^>]*>([^<]*)</textarea>")
SEAT = re.compile(r'data-seat="([^"]+)"')
ASKS = re.compile(r'name="answer" value="([^"]+)"')


def find_link(page: Any) -> str:
    match = LINK.search(page.text)
    assert match is not None, page.text
    return unescape(match[1])


def play_to_end(game: str, seed: int = 5) -> bytes:
    """Return the journal of a finished game for two."""
    game_in_progress, rng = load_rules(game).new_game(["Ann", "Ben"], seed=seed), Random(seed)
    while not game_in_progress.over:
        game_in_progress.answer(rng.choice(game_in_progress.ask.options).key)
    return game_in_progress.journal.to_bytes()


def open_link(client: Any, link: str, **fields: str) -> Any:
    return client.post("/tables/link", data={"link": link, **fields}, follow_redirects=True)


# --- shared games --------------------------------------------------------------------------------------


def test_link_of_a_finished_game_shows_every_step_with_reasons_and_can_be_continued(client: Any) -> None:
    table = OpenedTable.open_from_journal(client, play_to_end("pig"))
    page = open_link(client, find_link(client.get(f"/seat/{table.seats[0]}/share")))
    assert page.status_code == 200 and page.url.path.startswith("/shared/") and page.url.path.endswith("/asked/at/0")
    for step in range(4):
        seat, why = SEAT.search(page.text), re.search(r'hx-get="(why\?option=[^"]+)"', page.text)
        assert seat is not None and why is not None and f"/at/{step}/" in seat[1]
        assert 'class="why"' in client.get(seat[1] + unescape(why[1])).text
        forward = re.search(r'href="([^"]+)" rel="next"', page.text)
        assert forward is not None
        page = client.get(unescape(forward[1]))
    against_bots = client.post(page.url.path, data={"seat": "1", "who": "bots"}, follow_redirects=True)
    assert against_bots.url.path.startswith("/seat/") and "continues another game" in against_bots.text
    with_everybody = client.post(page.url.path, data={"seat": "0", "who": "all"}, follow_redirects=True)
    assert with_everybody.url.path.startswith("/host/")
    assert client.get(page.url.path.replace("/at/4", "/at/9999")).status_code == 404


def test_player_shares_a_game_in_progress_without_its_secrets(client: Any, subtests: pytest.Subtests) -> None:
    """The link holds neither the seed nor the other's hand; spectators and the host have nothing to share."""
    game = load_rules("kuhn-poker").new_game(["Ann", "Ben"], seed=9)
    table = OpenedTable.open_from_journal(client, game.journal.to_bytes(), plays="1")
    claimed = client.post(f"/seat/{table.seats[0]}/claim", follow_redirects=True).url.path
    page = client.get(f"{claimed}/share")
    assert "drawn anew" in page.text
    possible_hands = set()
    for _ in range(12):
        shared_journal = read_link(find_link(client.get(f"{claimed}/share"))).journal
        assert shared_journal.header.seed != game.table.seed
        replayed = load_rules("kuhn-poker").replay(shared_journal)
        assert replayed.view(0).panels() == game.view(0).panels()
        possible_hands.add(str(replayed.view(1).words("hand", 1)))
    assert len(possible_hands) == 2
    for key in (table.onlookers, table.host):
        with subtests.test(key=key):
            refused = client.get(f"/seat/{key}/share")
            assert refused.status_code == 409 and not LINK.search(refused.text)
            assert "can share the game once it is over" in refused.text


def test_link_of_a_game_with_own_rules_has_the_rules_without_their_folder(client: Any, tmp_path: Path) -> None:
    write_files(tmp_path / "isle", {"module.yaml": make_manifest("isle", "game"), "rules.edict": GAME})
    game = load_rules(tmp_path / "isle").new_game(["Ann", "Ben"])
    table = OpenedTable.open_from_journal(client, game.journal.to_bytes())
    link = find_link(client.get(f"/seat/{table.host}/share"))
    assert read_link(link).journal.header.game == "isle"
    page = open_link(client, link)
    assert page.status_code == 200 and 'id="was-asked"' in page.text


def test_link_that_cannot_be_opened_is_refused_with_one_message(
    server: tuple[TableServer, Any], subtests: pytest.Subtests
) -> None:
    serving, client = server
    letters, before = GameLink(read_journal(play_to_end("pig"))).encode(), serving.store.count_tables()
    for link, message in (
        ("", "no game in this link"),
        ("https://example.org/#/seat/abc", "no game in this link"),
        ("#game=eJyrVkrLz1eyUkpKLFKqBQAgggRb", "not complete"),
        (f"#game={letters[:-9]}", "not complete"),
        (f"#game={letters[:40]}A{letters[41:]}", "not complete"),
    ):
        with subtests.test(link=link):
            page = open_link(client, link)
            assert page.status_code == 422 and page.text.count(REFUSED) == 1 and message in page.text
    assert serving.store.count_tables() == before


# --- games by links ------------------------------------------------------------------------------------


@contextmanager
def open_browser(folder: Path) -> Iterator[Any]:
    """Yield a client of an application of its own, as the page without a server runs it."""
    folder.mkdir()
    store = Store(f"sqlite:///{folder / 'tables.sqlite'}", is_exclusive=True)
    serving = TableServer(store, TableOffer(), limits=NO_LIMITS, pause=0.0, forget_after=0)
    with TestClient(create_application(serving)) as client:
        yield client
    store.close()


@dataclass
class BrowserSeat:
    """A seat in somebody's browser."""

    client: Any
    path: str

    def answer_all(self, choose: Callable[[list[str]], str] = lambda keys: keys[0]) -> None:
        """Answer as long as the seat is asked."""
        while options := ASKS.findall((page := self.client.get(self.path)).text):
            version = re.search(r'name="version" value="(\d+)"', page.text)
            assert version is not None
            self.answer(version[1], unescape(choose(options)))

    def answer(self, version: str, key: str) -> None:
        self.client.post(f"{self.path}/answer", data={"version": version, "answer": key})

    def make_link(self) -> str:
        """Return the link to send; empty while nobody elsewhere is asked."""
        page = self.client.get(f"{self.path}/hand-on")
        return find_link(page) if LINK.search(page.text) else ""

    def open_link(self, link: str) -> Any:
        return open_link(self.client, link)

    def get_log(self) -> Any:
        return self.client.get(f"{self.path}/view.json").json()["log"]


@contextmanager
def start_game_by_links(folder: Path, game: str) -> Iterator[tuple[BrowserSeat, BrowserSeat]]:
    """Yield the seats of Ann, who has started a game by links, and of Ben, who has opened her first link."""
    with open_browser(folder / "ann") as client_of_ann, open_browser(folder / "ben") as client_of_ben:
        fields = {"game": game, "name": "Ann", "others": "Ben"}
        page = client_of_ann.post("/tables/by-links", data=fields, follow_redirects=True)
        ann = BrowserSeat(client_of_ann, page.url.path)
        ann.answer_all(lambda keys: keys[-1])
        seat_page = open_link(client_of_ben, ann.make_link())
        assert "The seat of Ben is free" in seat_page.text
        claimed = client_of_ben.post(f"{seat_page.url.path}/claim", follow_redirects=True)
        yield ann, BrowserSeat(client_of_ben, claimed.url.path)


@pytest.fixture
def sitting(tmp_path: Path) -> Iterator[tuple[BrowserSeat, BrowserSeat]]:
    """The two seats of a game by links."""
    with start_game_by_links(tmp_path, "pig") as seats:
        yield seats


def test_game_is_played_to_its_end_by_links(tmp_path: Path) -> None:
    with start_game_by_links(tmp_path, "kuhn-poker") as (ann, ben):
        active, waiting = ben, ann
        for _ in range(4):
            active.answer_all(lambda keys: keys[-1])
            if not (link := active.make_link()):
                break
            assert waiting.open_link(link).url.path == waiting.path
            active, waiting = waiting, active
        assert "The game is over" in active.client.get(active.path).text
        shared_link = find_link(active.client.get(f"{active.path}/share"))
        assert open_link(waiting.client, shared_link).url.path.startswith("/shared/")


def test_outdated_and_conflicting_links_are_reported_and_change_nothing(
    sitting: tuple[BrowserSeat, BrowserSeat],
    subtests: pytest.Subtests,
) -> None:
    ann, ben = sitting
    first = ann.make_link()
    ben.answer_all(lambda keys: keys[-1])
    second = ben.make_link()
    assert ann.open_link(second).url.path == ann.path
    before = ann.get_log()
    for link, status in ((first, 409), (second, 200)):
        with subtests.test(status=status):
            page = ann.open_link(link)
            assert page.status_code == status
            assert (status == 200) == (page.url.path == ann.path)
            assert ann.get_log() == before
    game = read_link(second)
    other = load_rules("pig").replay(game.journal)
    other.back()
    other.answer(other.ask.options[0].key)
    forked = ann.open_link("#game=" + GameLink(other.journal, 0).encode())
    assert forked.status_code == 409 and "took another course" in forked.text and "Ben answered" in forked.text
    assert ann.get_log() == before
    separate = open_link(ann.client, "#game=" + GameLink(other.journal, 0).encode(), wanted="apart")
    assert separate.url.path.startswith("/shared/") and ann.get_log() == before


def test_answers_given_for_the_own_seat_are_taken_over_only_after_confirmation(
    sitting: tuple[BrowserSeat, BrowserSeat],
) -> None:
    ann, _ = sitting
    game = load_rules("pig").replay(read_link(ann.make_link()).journal)
    while game.seat == 1:
        game.answer(game.ask.options[-1].key)
    game.answer(game.ask.options[-1].key)
    link = "#game=" + GameLink(game.journal, game.seat).encode()
    before = ann.get_log()
    page = ann.open_link(link)
    assert page.status_code == 409 and "Somebody has answered for you" in page.text and ann.get_log() == before
    assert open_link(ann.client, link, wanted="take").url.path == ann.path and ann.get_log() != before


def test_simultaneous_answer_is_held_in_the_link_until_both_have_chosen(tmp_path: Path) -> None:
    """Neither player sees the other's choice before choosing."""
    with open_browser(tmp_path / "ann") as client_of_ann, open_browser(tmp_path / "ben") as client_of_ben:
        fields = {"game": "four-lanes", "name": "Ann", "others": "Ben"}
        ann = BrowserSeat(
            client_of_ann, client_of_ann.post("/tables/by-links", data=fields, follow_redirects=True).url.path
        )
        ann.answer_all()
        link = ann.make_link()
        assert read_link(link).held
        seat_page = open_link(client_of_ben, link)
        ben = BrowserSeat(
            client_of_ben, client_of_ben.post(f"{seat_page.url.path}/claim", follow_redirects=True).url.path
        )
        before = len(ben.get_log())
        ben.answer_all()
        assert len(ben.get_log()) > before
        answers = read_link(ben.make_link()).journal.answers
        assert {answer.seat for answer in answers} == {0, 1}
        assert ann.open_link(ben.make_link()).url.path == ann.path


def test_two_players_on_one_device_hand_over_without_links(tmp_path: Path) -> None:
    with open_browser(tmp_path / "both") as client:
        fields = {"game": "pig", "name": "Ann", "others": "Ben"}
        ann = BrowserSeat(client, client.post("/tables/by-links", data=fields, follow_redirects=True).url.path)
        ann.answer_all(lambda keys: keys[-1])
        match = re.search(r'href="(/seat/[^"]+)">Hand over to Ben', client.get(f"{ann.path}/hand-on").text)
        assert match is not None
        ben = BrowserSeat(client, client.post(f"{match[1]}/claim", follow_redirects=True).url.path)
        ben.answer_all(lambda keys: keys[-1])
        panel = client.get(f"{ben.path}/hand-on").text
        assert f'href="{ann.path}/hand-over">Hand over to Ann' in panel and not LINK.search(panel)
        between = client.get(f"{ann.path}/hand-over").text
        assert f'href="{ann.path}">I am Ann' in between and "form.play" not in between


def test_server_opens_a_link_of_a_game_by_links_only_for_looking_through(
    client: Any, pig: OpenedTable, sitting: tuple[BrowserSeat, BrowserSeat]
) -> None:
    """On a server seats have links of their own, and a game link must not lead to other tables there."""
    page = open_link(client, sitting[0].make_link())
    assert page.url.path.startswith("/shared/")
    assert client.get(f"/seat/{pig.seats[0]}/hand-on").status_code == 404
    assert open_link(client, sitting[0].make_link()).url.path != page.url.path
