"""Games in links, as the pages share, open and go through them; and a game by links, two browsers without a server."""

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

from calling import GAME, manifest, write
from edict.apps.web.application import application
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.store import Store
from edict.apps.web.table_server import TableServer
from edict.game.table.game_links import GameLink, read_link
from edict.game.table.journal import parse_journal as read_journal
from edict.game.table.rules import load_rules
from serving import FREE, REFUSED, Opened

LINK = re.compile(r"<textarea[^>]*>([^<]*)</textarea>")
SEAT = re.compile(r'data-seat="([^"]+)"')
ASKS = re.compile(r'name="answer" value="([^"]+)"')


def link_in(page: Any) -> str:
    found = LINK.search(page.text)
    assert found is not None, page.text
    return unescape(found[1])


def over(game: str, seed: int = 5) -> bytes:
    """A finished game of two."""
    playing, luck = load_rules(game).new_game(["Ann", "Ben"], seed=seed), Random(seed)
    while not playing.over:
        playing.answer(luck.choice(playing.ask.options).key)
    return playing.journal.to_bytes()


def arrive(client: Any, link: str, **more: str) -> Any:
    return client.post("/tables/link", data={"link": link, **more}, follow_redirects=True)


# --- going through a game ------------------------------------------------------------------------------


def test_a_finished_game_is_gone_through_by_its_link_with_why_at_every_step_and_played_on(client: Any) -> None:
    table = Opened.resumed(client, over("pig"))
    page = arrive(client, link_in(client.get(f"/seat/{table.seats[0]}/share")))
    assert page.status_code == 200 and page.url.path.startswith("/shared/") and page.url.path.endswith("/asked/at/0")
    for step in range(4):
        seat, why = SEAT.search(page.text), re.search(r'hx-get="(why\?option=[^"]+)"', page.text)
        assert seat is not None and why is not None and f"/at/{step}/" in seat[1]
        assert 'class="why"' in client.get(seat[1] + unescape(why[1])).text
        forward = re.search(r'href="([^"]+)" rel="next"', page.text)
        assert forward is not None
        page = client.get(unescape(forward[1]))
    mine = client.post(page.url.path, data={"seat": "1", "who": "bots"}, follow_redirects=True)
    assert mine.url.path.startswith("/seat/") and "continues another game" in mine.text
    shared = client.post(page.url.path, data={"seat": "0", "who": "all"}, follow_redirects=True)
    assert shared.url.path.startswith("/host/")
    assert client.get(page.url.path.replace("/at/4", "/at/9999")).status_code == 404


def test_who_plays_shares_a_game_that_goes_on_as_far_as_they_know_it(client: Any) -> None:
    """Neither the seed nor what the other holds is in the link; who only watches has nothing to share."""
    game = load_rules("kuhn-poker").new_game(["Ann", "Ben"], seed=9)
    table = Opened.resumed(client, game.journal.to_bytes(), plays="1")
    claimed = client.post(f"/seat/{table.seats[0]}/claim", follow_redirects=True).url.path
    page = client.get(f"{claimed}/share")
    assert "drawn anew" in page.text
    held = set()
    for _ in range(12):
        found = read_link(link_in(client.get(f"{claimed}/share"))).journal
        assert found.header.seed != game.table.seed
        seen = load_rules("kuhn-poker").replay(found)
        assert seen.view(0).panels() == game.view(0).panels()
        held.add(str(seen.view(1).words("hand", 1)))
    assert len(held) == 2
    for key in (table.onlookers, table.host):
        refused = client.get(f"/seat/{key}/share")
        assert refused.status_code == 409 and not LINK.search(refused.text)
        assert "can share the game once it is over" in refused.text


def test_a_variants_link_brings_its_rules_along_and_no_folder(client: Any, tmp_path: Path) -> None:
    write(tmp_path / "isle", {"module.yaml": manifest("isle", "game"), "rules.edict": GAME})
    game = load_rules(tmp_path / "isle").new_game(["Ann", "Ben"])
    table = Opened.resumed(client, game.journal.to_bytes())
    link = link_in(client.get(f"/seat/{table.host}/share"))
    assert read_link(link).journal.header.game == "isle"
    page = arrive(client, link)
    assert page.status_code == 200 and 'id="was-asked"' in page.text


def test_a_link_that_cannot_be_opened_says_why_in_one_message(server: tuple[TableServer, Any]) -> None:
    serving, client = server
    letters, before = GameLink(read_journal(over("pig"))).encode(), serving.store.count()
    for link, says in (
        ("", "no game in this link"),
        ("https://example.org/#/seat/abc", "no game in this link"),
        ("#game=eJyrVkrLz1eyUkpKLFKqBQAgggRb", "not complete"),
        (f"#game={letters[:-9]}", "not complete"),
        (f"#game={letters[:40]}A{letters[41:]}", "not complete"),
    ):
        page = arrive(client, link)
        assert page.status_code == 422 and page.text.count(REFUSED) == 1 and says in page.text, link
    assert serving.store.count() == before


# --- by links ------------------------------------------------------------------------------------------


@contextmanager
def browser(folder: Path) -> Iterator[Any]:
    """The application as a page in a browser has it: nobody else is served."""
    folder.mkdir()
    store = Store(f"sqlite:///{folder / 'tables.sqlite'}", alone=True)
    serving = TableServer(store, TableOffer(), limits=FREE, pause=0.0, forget_after=0)
    with TestClient(application(serving)) as client:
        yield client
    store.close()


@dataclass
class Sitting:
    """A seat in somebody's browser."""

    client: Any
    path: str

    def answers(self, choose: Callable[[list[str]], str] = lambda keys: keys[0]) -> None:
        """Answer as long as one is asked."""
        while options := ASKS.findall((page := self.client.get(self.path)).text):
            version = re.search(r'name="version" value="(\d+)"', page.text)
            assert version is not None
            self.answer(version[1], unescape(choose(options)))

    def answer(self, version: str, key: str) -> None:
        self.client.post(f"{self.path}/answer", data={"version": version, "answer": key})

    def hands_on(self) -> str:
        """The link that is to be sent; empty while nobody elsewhere is asked."""
        page = self.client.get(f"{self.path}/hand-on")
        return link_in(page) if LINK.search(page.text) else ""

    def takes_in(self, link: str) -> Any:
        return arrive(self.client, link)

    def log(self) -> Any:
        return self.client.get(f"{self.path}/view.json").json()["log"]


@contextmanager
def by_links(folder: Path, game: str) -> Iterator[tuple[Sitting, Sitting]]:
    """Ann has begun a game by links, and Ben has opened her first one."""
    with browser(folder / "ann") as here, browser(folder / "ben") as there:
        sent = {"game": game, "name": "Ann", "others": "Ben"}
        page = here.post("/tables/by-links", data=sent, follow_redirects=True)
        ann = Sitting(here, page.url.path)
        ann.answers(lambda keys: keys[-1])
        free = arrive(there, ann.hands_on())
        assert "The seat of Ben is free" in free.text
        taken = there.post(f"{free.url.path}/claim", follow_redirects=True)
        yield ann, Sitting(there, taken.url.path)


@pytest.fixture
def sitting(tmp_path: Path) -> Iterator[tuple[Sitting, Sitting]]:
    with by_links(tmp_path, "pig") as both:
        yield both


def test_a_game_is_played_to_its_end_by_links(tmp_path: Path) -> None:
    with by_links(tmp_path, "kuhn-poker") as (ann, ben):
        mine, other = ben, ann
        for _ in range(4):
            mine.answers(lambda keys: keys[-1])
            if not (link := mine.hands_on()):
                break
            assert other.takes_in(link).url.path == other.path
            mine, other = other, mine
        assert "The game is over" in mine.client.get(mine.path).text
        shown = link_in(mine.client.get(f"{mine.path}/share"))
        assert arrive(other.client, shown).url.path.startswith("/shared/")


def test_an_older_link_and_another_course_are_told_and_change_nothing(sitting: tuple[Sitting, Sitting]) -> None:
    ann, ben = sitting
    first = ann.hands_on()
    ben.answers(lambda keys: keys[-1])
    second = ben.hands_on()
    assert ann.takes_in(second).url.path == ann.path
    before = ann.log()
    for link, status in ((first, 409), (second, 200)):
        page = ann.takes_in(link)
        assert page.status_code == status
        assert (status == 200) == (page.url.path == ann.path)
        assert ann.log() == before
    game = read_link(second)
    other = load_rules("pig").replay(game.journal)
    other.back()
    other.answer(other.ask.options[0].key)
    forked = ann.takes_in("#game=" + GameLink(other.journal, 0).encode())
    assert forked.status_code == 409 and "took another course" in forked.text and "Ben answered" in forked.text
    assert ann.log() == before
    apart = arrive(ann.client, "#game=" + GameLink(other.journal, 0).encode(), wanted="apart")
    assert apart.url.path.startswith("/shared/") and ann.log() == before


def test_answers_for_me_that_i_did_not_give_are_not_taken_in_unasked(sitting: tuple[Sitting, Sitting]) -> None:
    ann, _ = sitting
    game = load_rules("pig").replay(read_link(ann.hands_on()).journal)
    while game.seat == 1:
        game.answer(game.ask.options[-1].key)
    game.answer(game.ask.options[-1].key)
    link = "#game=" + GameLink(game.journal, game.seat).encode()
    before = ann.log()
    page = ann.takes_in(link)
    assert page.status_code == 409 and "Somebody has answered for you" in page.text and ann.log() == before
    assert arrive(ann.client, link, wanted="take").url.path == ann.path and ann.log() != before


def test_what_two_choose_at_once_waits_in_the_link_for_both(tmp_path: Path) -> None:
    """The first to choose sees nothing of it, and neither does the other before choosing."""
    with browser(tmp_path / "ann") as here, browser(tmp_path / "ben") as there:
        sent = {"game": "four-lanes", "name": "Ann", "others": "Ben"}
        ann = Sitting(here, here.post("/tables/by-links", data=sent, follow_redirects=True).url.path)
        ann.answers()
        link = ann.hands_on()
        assert read_link(link).held
        free = arrive(there, link)
        ben = Sitting(there, there.post(f"{free.url.path}/claim", follow_redirects=True).url.path)
        before = len(ben.log())
        ben.answers()
        assert len(ben.log()) > before
        answers = read_link(ben.hands_on()).journal.answers
        assert {answer.seat for answer in answers} == {0, 1}
        assert ann.takes_in(ben.hands_on()).url.path == ann.path


def test_two_at_one_screen_hand_over_to_each_other(tmp_path: Path) -> None:
    with browser(tmp_path / "both") as client:
        sent = {"game": "pig", "name": "Ann", "others": "Ben"}
        ann = Sitting(client, client.post("/tables/by-links", data=sent, follow_redirects=True).url.path)
        ann.answers(lambda keys: keys[-1])
        free = re.search(r'href="(/seat/[^"]+)">Hand over to Ben', client.get(f"{ann.path}/hand-on").text)
        assert free is not None
        ben = Sitting(client, client.post(f"{free[1]}/claim", follow_redirects=True).url.path)
        ben.answers(lambda keys: keys[-1])
        panel = client.get(f"{ben.path}/hand-on").text
        assert f'href="{ann.path}/hand-over">Hand over to Ann' in panel and not LINK.search(panel)
        between = client.get(f"{ann.path}/hand-over").text
        assert f'href="{ann.path}">I am Ann' in between and "form.play" not in between


def test_a_server_opens_such_a_link_to_be_gone_through(
    client: Any, pig: Opened, sitting: tuple[Sitting, Sitting]
) -> None:
    """There people have links to their seats, and the server's other tables are nobody's to look through."""
    page = arrive(client, sitting[0].hands_on())
    assert page.url.path.startswith("/shared/")
    assert client.get(f"/seat/{pig.seats[0]}/hand-on").status_code == 404
    assert arrive(client, sitting[0].hands_on()).url.path != page.url.path
