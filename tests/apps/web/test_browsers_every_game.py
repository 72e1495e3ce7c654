"""Every game that ships in a real browser, played to its end, on a desktop, a tablet and a phone.

One page is resized wherever a question comes for the first time, and answered there by a click; what lies between is
sent without a browser. At the beginning, in the middle and at the end all that shows the table is opened at each seat.
`make browsers` clicks every answer, at each size (EDICT_BROWSERS=all).
"""

from __future__ import annotations

import os
import random
import re
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from playwright.sync_api import Page, expect

from browsing import SIZES, SLOW, People, fits, no_barriers, version, watched
from edict.apps.web.new_tables import TableOffer
from edict.game.table.rules import load_rules
from edict.runtime.program.opcodes import QUESTION

pytestmark = [pytest.mark.xdist_group("browsers-every-game"), pytest.mark.slow]
LONG = os.environ.get("EDICT_BROWSERS") == "all"
STARTS = SIZES if LONG else SIZES[:1]  # at which a game is played
MOST = 3000  # answers


@dataclass(frozen=True)
class Move:
    """An answer of a game: by whom, which, after how many lines of the journal. fresh: to a question of a new kind."""

    seat: int
    key: str
    lines: int
    fresh: bool


def played(name: str, journal: Path) -> list[Move]:
    """A game in a file, just begun, and the answers with which it is played to its end."""
    rules = load_rules(name)
    players = ["Ann", "Bartholomew", "Cleo", "Dan"][: rules.program.least_players]
    game, luck, met, moves = rules.new_game(players, seed=7), random.Random(3), set[int](), list[Move]()
    journal.write_bytes(game.journal.to_bytes())
    while not game.over and len(moves) < MOST:
        option = luck.choice(game.ask.options)
        asked = game.state[QUESTION]
        moves.append(Move(game.seat, option.key, len(game.journal.to_bytes().splitlines()), asked not in met))
        met.add(asked)
        game.answer(option.key)
    assert game.over
    return moves


def click(page: Page, key: str) -> None:
    """Answer on the page: on the board where that can be, else among the options."""
    if page.locator("dialog[open]").count():
        page.locator("#pause-close").click()
    before, said = version(page), key.replace('"', '\\"')
    if page.locator("#number").count():
        page.locator("#number").select_option(key)
        page.locator("#option-0").click()
    else:
        places = page.locator(f'.on-board[value="{said}"]:visible')
        (places if places.count() else page.locator(f'.option[value="{said}"]')).first.click()
    expect(page.locator("form.play")).not_to_have_attribute("data-version", str(before))
    assert not page.get_by_role("alert").count()


def opens(sender: httpx2.Client, links: list[str]) -> None:
    """Every page that shows the table can be opened."""
    for link in links:
        for place in ("", "/view.json", "/missed", "/rules"):
            assert sender.get(link + place).status_code == 200, place


def answered(sender: httpx2.Client, link: str, key: str, version: int) -> int:
    """Give an answer without a browser, at this version of the table; gives the version at which it counted.

    Where several are asked at the same time, what they answer early has lines of its own, so the version is another.
    """
    said = sender.post(f"{link}/answer", data={"version": version, "answer": key})
    if said.status_code != 303:
        stood = re.search(r'data-version="(\d+)"', said.text)
        assert stood is not None
        version = int(stood[1])
        said = sender.post(f"{link}/answer", data={"version": version, "answer": key})
    assert said.status_code == 303
    return version


@pytest.mark.parametrize("size", STARTS, ids=lambda size: str(size[0]))
@pytest.mark.parametrize("name", TableOffer().games)
def test_every_game_is_played_to_its_end_and_fits_every_screen(
    people: People, tmp_path: Path, name: str, size: tuple[int, int]
) -> None:
    moves = played(name, tmp_path / "game.jsonl")
    links, page = watched(people, tmp_path / "game.jsonl"), people.page({"width": size[0], "height": size[1]})
    page.goto(links[0])
    ahead = version(page) - moves[0].lines
    with httpx2.Client(base_url=people.server.address, timeout=SLOW / 1000) as sender:
        for number, move in enumerate(moves):
            if number in (0, len(moves) // 2):
                opens(sender, links)
            if not (LONG or move.fresh):
                ahead = answered(sender, links[move.seat], move.key, move.lines + ahead) - move.lines
                continue
            page.goto(links[move.seat])
            ahead = version(page) - move.lines
            if move.fresh:
                fits(page)
            click(page, move.key)
        opens(sender, links)
    page.goto(links[0])
    expect(page.locator(".end")).to_be_visible()
    fits(page)
    no_barriers(page, name, dark=LONG)
