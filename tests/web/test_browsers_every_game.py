"""Every game that ships in a real browser, played to its end, on a desktop, a tablet and a phone.

One page is resized wherever a question comes for the first time, and answered there by a click; what lies between is
sent without a browser. At the beginning, in the middle and at the end all that shows the table is opened at each seat.
`make browsers` clicks every answer, at each size (EDICT_BROWSERS=all).
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from browsing import SLOW, People, Served, no_barriers, served, version, watched
from playwright.sync_api import Page, expect

from edict.program.opcodes import QUESTION
from edict.table.rules import load_rules
from edict.web.new_tables import Offer

pytestmark = pytest.mark.xdist_group("browsers")
LONG = os.environ.get("EDICT_BROWSERS") == "all"
SIZES = ((1440, 900), (1024, 768), (390, 844))
STARTS = SIZES if LONG else SIZES[:1]  # at which a game is played
MOST = 3000  # answers

# What is wrong with the page as it is drawn: texts beyond what they stand on, and words that go on in another line.
DRAWN = r"""() => {
  const found = [], holders = ".pane, .card, .cell, .option, .question, .panel, .players li, dialog";
  const words = document.createTreeWalker(document.querySelector("#table"), NodeFilter.SHOW_TEXT);
  for (let text = words.nextNode(); text; text = words.nextNode()) {
    const parent = text.parentElement;
    if (!text.data.trim() || !parent.checkVisibility() || parent.closest(".hidden, .place, option, .tip")) continue;
    const range = document.createRange();
    for (const word of text.data.matchAll(/[\p{L}\p{N}'’]+/gu)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((line) => Math.round(line.top)));
      if (lines.size > 1) found.push(`broken: ${word[0]}`);
    }
    range.selectNodeContents(text);
    const holder = parent.closest(holders);
    let inside = parent, clipped = false;
    while (holder && inside !== holder) {
      clipped ||= getComputedStyle(inside).overflowX !== "visible";
      inside = inside.parentElement;
    }
    if (!holder || clipped) continue;
    const box = holder.getBoundingClientRect(), drawn = range.getBoundingClientRect();
    if (drawn.right > box.right + 1 || drawn.left < box.left - 1) found.push(`outside: ${text.data.trim()}`);
  }
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`wide: ${wide}`);
  return found;
}"""


@pytest.fixture(scope="module")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("served")) as running:
        yield running


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


def fits(page: Page) -> None:
    """The page as it is drawn is right at every size."""
    before = page.viewport_size
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(DRAWN) == [], (width, page.locator("#asked").inner_text())
    assert before is not None
    page.set_viewport_size(before)


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
@pytest.mark.parametrize("name", Offer().games)
@pytest.mark.sample(2)
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
