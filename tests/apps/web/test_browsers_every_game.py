"""Every shipped game in a real browser, played to its end, on a desktop, a tablet and a phone.

The first question of each kind is shown at all sizes and answered by a click; the other answers are sent without a
browser. At the beginning, in the middle and at the end, every page about the table is opened at each seat. `make
browsers` clicks every answer at each size (EDICT_BROWSERS=all).
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

from browsing import SIZES, TIMEOUT, People, assert_accessible, assert_layout, create_watched_table, get_version
from edict.apps.web.new_tables import TableOffer
from edict.game.table.rules import load_rules
from edict.runtime.program.opcodes import QUESTION

pytestmark = [pytest.mark.xdist_group("browsers-every-game"), pytest.mark.slow]
LONG = os.environ.get("EDICT_BROWSERS") == "all"
PLAYED_SIZES = SIZES if LONG else SIZES[:1]  # screen sizes at which a game is played
MAX_ANSWERS = 3000


@dataclass(frozen=True)
class RecordedAnswer:
    """An answer of a game played beforehand."""

    seat: int
    key: str  # of the chosen option
    lines: int  # lines of the journal before the answer
    fresh: bool  # first question of its kind


def play_randomly(name: str, journal: Path) -> list[RecordedAnswer]:
    """Write a new game to a file and return the answers of a random game from there to the end."""
    rules = load_rules(name)
    players = ["Ann", "Bartholomew", "Cleo", "Dan"][: rules.program.least_players]
    game, rng, seen_questions, moves = (
        rules.new_game(players, seed=7),
        random.Random(3),
        set[int](),
        list[RecordedAnswer](),
    )
    journal.write_bytes(game.journal.to_bytes())
    while not game.over and len(moves) < MAX_ANSWERS:
        option = rng.choice(game.ask.options)
        question = game.state[QUESTION]
        moves.append(
            RecordedAnswer(
                game.seat, option.key, len(game.journal.to_bytes().splitlines()), question not in seen_questions
            )
        )
        seen_questions.add(question)
        game.answer(option.key)
    assert game.over
    return moves


def choose_on_page(page: Page, key: str) -> None:
    """Answer on the page, on the board if possible, otherwise among the options."""
    if page.locator("dialog[open]").count():
        page.locator("#pause-close").click()
    before, escaped_key = get_version(page), key.replace('"', '\\"')
    if page.locator("#number").count():
        page.locator("#number").select_option(key)
        page.locator("#option-0").click()
    else:
        board_buttons = page.locator(f'.on-board[value="{escaped_key}"]:visible')
        (board_buttons if board_buttons.count() else page.locator(f'.option[value="{escaped_key}"]')).first.click()
    expect(page.locator("form.play")).not_to_have_attribute("data-version", str(before))
    assert not page.get_by_role("alert").count()


def assert_pages_open(sender: httpx2.Client, links: list[str]) -> None:
    """Assert that every page about the table can be opened."""
    for link in links:
        for path in ("", "/view.json", "/missed", "/rules"):
            assert sender.get(link + path).status_code == 200, path


def post_answer(sender: httpx2.Client, link: str, key: str, version: int) -> int:
    """Give an answer without a browser and return the version of the table at which it counted.

    Answers to simultaneous questions may have lines of their own before they count, so a refused answer is sent again
    at the version that the page shows.
    """
    response = sender.post(f"{link}/answer", data={"version": version, "answer": key})
    if response.status_code != 303:
        version_match = re.search(r'data-version="(\d+)"', response.text)
        assert version_match is not None
        version = int(version_match[1])
        response = sender.post(f"{link}/answer", data={"version": version, "answer": key})
    assert response.status_code == 303
    return version


@pytest.mark.parametrize("size", PLAYED_SIZES, ids=lambda size: str(size[0]))
@pytest.mark.parametrize("name", TableOffer().games)
def test_game_is_played_to_its_end_and_fits_every_screen(
    people: People, tmp_path: Path, name: str, size: tuple[int, int], subtests: pytest.Subtests
) -> None:
    moves = play_randomly(name, tmp_path / "game.jsonl")
    links, page = (
        create_watched_table(people, tmp_path / "game.jsonl"),
        people.open_page({"width": size[0], "height": size[1]}),
    )
    page.goto(links[0])
    version_offset = get_version(page) - moves[0].lines
    with httpx2.Client(base_url=people.server.address, timeout=TIMEOUT / 1000) as sender:
        for number, move in enumerate(moves):
            with subtests.test(move=move):
                if number in (0, len(moves) // 2):
                    assert_pages_open(sender, links)
                if not (LONG or move.fresh):
                    version_offset = (
                        post_answer(sender, links[move.seat], move.key, move.lines + version_offset) - move.lines
                    )
                    continue
                page.goto(links[move.seat])
                version_offset = get_version(page) - move.lines
                if move.fresh:
                    assert_layout(page)
                choose_on_page(page, move.key)
        assert_pages_open(sender, links)
    page.goto(links[0])
    expect(page.locator(".end")).to_be_visible()
    assert_layout(page)
    assert_accessible(page, name, dark=LONG)


# Record every layout shift of a page: its score, and what moved.
OBSERVE_SHIFTS = """() => {
  window.shifts = [];
  const describe = ({ node }) => (node?.parentElement ?? document.body).outerHTML.slice(0, 80);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shifts.push([entry.value, entry.sources.map(describe)]);
  }).observe({ type: "layout-shift" });
}"""
TABLET = (820, 1180)
MAX_SHIFT = 0.02  # of all layout shifts of a game together


@pytest.mark.parametrize("name", TableOffer().games)
def test_parts_of_a_table_keep_their_places_over_a_whole_game(
    people: People, tmp_path: Path, name: str, subtests: pytest.Subtests
) -> None:
    moves = play_randomly(name, tmp_path / "game.jsonl")
    links = create_watched_table(people, tmp_path / "game.jsonl")
    pages = {size: people.open_page({"width": size[0], "height": size[1]}) for size in (*SIZES, TABLET)}
    for page in pages.values():
        page.goto(links[0])
        page.evaluate(OBSERVE_SHIFTS)
    offset = get_version(page) - moves[0].lines
    with httpx2.Client(base_url=people.server.address, timeout=TIMEOUT / 1000) as sender:
        for move in moves[:-1]:
            offset = post_answer(sender, links[move.seat], move.key, move.lines + offset) - move.lines
            for page in pages.values():
                expect(page.locator("form.play")).not_to_have_attribute("data-version", str(move.lines + offset))
                if page.locator("dialog[open]").count():
                    page.locator("#pause-close").click()
    for size, page in pages.items():
        with subtests.test(size=size):
            shifts = page.evaluate("shifts")
            largest = sorted(shifts, key=lambda entry: -entry[0])[:5]
            assert sum(value for value, _ in shifts) < MAX_SHIFT, largest
            lines = page.evaluate("[...document.querySelectorAll('#log .line')].map((one) => Number(one.id.slice(5)))")
            assert lines == sorted(set(lines))
