"""People at a table in real browsers: lost connections, keyboards, boards, barriers; no page complains.

`make browsers` plays the longer games too (EDICT_BROWSERS=all).
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from playwright.sync_api import expect

from browsing import (
    PHONE,
    SIZES,
    People,
    answer,
    asked,
    continue_game,
    continued,
    fits,
    lit,
    no_barriers,
    saved,
    table_of,
    version,
    whose_turn,
)
from edict.game.table.game import Game
from edict.game.table.rules import load_rules

# One server and one browser for all of it.
pytestmark = [pytest.mark.xdist_group("browsers-at-tables"), pytest.mark.slow]
LONG = os.environ.get("EDICT_BROWSERS") == "all"


def test_the_server_may_die_and_come_back(people: People) -> None:
    links = table_of(people, "pig")
    pages = [people.page(), people.page()]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    answer(whose_turn(pages), 0)
    people.server.kill()
    expect(pages[0].locator("#lost")).to_be_visible()
    people.server.start()
    expect(pages[0].locator("#lost")).to_be_hidden()
    answer(whose_turn(pages), 0)
    assert whose_turn(pages)


def test_a_page_keeps_to_the_newest_picture_and_its_focus_and_says_what_is_refused(people: People) -> None:
    links = table_of(people, "pig")
    page, held = people.page(), list[tuple[Any, Any]]()
    assert any(lit(page, link) for link in links)
    kept = page.locator("button.option").first
    kept.focus()
    with page.expect_response("**/table*"):
        page.evaluate("htmx.trigger('#table', 'again')")
    expect(kept).to_be_focused()
    value = f'value="{kept.get_attribute("value")}"'
    page.route("**/table*", lambda route: route.fulfill(body=route.fetch().text().replace(value, 'value="another"')))
    page.evaluate("form().dataset.mark = ''; htmx.trigger('#table', 'again')")  # for all of it
    expect(page.locator("#asked")).to_be_focused()  # not on the answer that stands there now
    page.unroute("**/table*")
    page.reload()

    text = "Too many requests: wait a minute, then try again."
    page.route("**/answer", lambda route: route.fulfill(status=429, body=text, content_type="text/plain"))
    page.locator("button.option").first.click()
    expect(page.locator("#lost")).to_have_text(text)
    people.complaints.clear()  # the console tells of it too
    expect(page.locator("#lost")).to_be_hidden()  # the table was asked for again
    page.unroute("**/answer")

    page.route("**/table*", lambda route: held.append((route, route.fetch())))
    page.evaluate("form().dataset.mark = ''; htmx.trigger('#table', 'again')")
    for _ in range(200):
        if held:
            break
        page.wait_for_timeout(20)
    answer(page, 0)
    after = version(page)
    route, overtaken = held[0]
    with page.expect_response("**/table*"):
        route.fulfill(response=overtaken)
    page.wait_for_timeout(100)
    assert version(page) == after


def test_a_game_is_played_with_the_keyboard_alone(people: People) -> None:
    links = table_of(people, "pig", goal=2)
    pages = [people.page(), people.page()]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    for _ in range(100):
        turn = asked(pages)
        if turn is None:
            break
        before = version(turn)
        for _ in range(60):
            focused = turn.locator("button.option:focus")
            if focused.count() and (turn.locator("button.option").count() == 1 or "Hold" in focused.inner_text()):
                break
            turn.keyboard.press("Tab")
        turn.keyboard.press("Enter")
        expect(turn.locator("form.play")).not_to_have_attribute("data-version", str(before))
        assert turn.locator("#table :focus").count(), "the focus was lost with the old picture of the table"
    assert pages[0].locator(".end").count()


def test_a_second_enter_gives_no_answer_and_takes_none_back(people: People) -> None:
    links = table_of(people, "causeway")
    pages = [people.page(), people.page()]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    for button in ("button.option >> nth=0", "button.option >> nth=-1", "button.option >> nth=-1", "#undo"):
        turn = whose_turn(pages)
        if button == "#undo":  # is there only for who can take something back
            turn = next(page for page in pages if page.locator(button).count())
        turn.locator(button).focus()
        with turn.expect_response(lambda answer: answer.request.method == "POST"):
            turn.keyboard.press("Enter")
        expect(turn.locator("#asked")).to_be_focused()
        after = version(turn)
        turn.keyboard.press("Enter")
        turn.wait_for_timeout(300)
        assert version(turn) == after


def test_a_host_who_plays_takes_a_seat_like_everybody(people: People) -> None:
    page, other = people.page(), people.page(PHONE)
    page.goto("/")
    page.locator("select.chooses").select_option("pig")
    page.locator("[data-game=pig]").wait_for()
    page.locator("select[name=seat-1]").select_option("person")
    page.get_by_role("button", name="Open the table").click()
    links = [link.get_attribute("href") or "" for link in page.locator("table.links a").all()]
    page.goto(links[0])
    no_barriers(page, "free seat", dark=LONG)
    page.get_by_role("button", name="Take the seat").click()
    page.locator("form.play").wait_for()
    other.goto(links[1])
    other.get_by_role("button", name="Take the seat").click()
    answer(whose_turn([page, other]), 0)
    other.goto(links[0])
    expect(other.locator("h1")).to_have_text("That did not work")
    people.complaints.clear()  # the console tells of the 404


def test_after_the_end_everybody_sits_down_to_a_rematch(people: People, tmp_path: Path) -> None:
    links = continued(people, saved(tmp_path, "pig"))
    pages = [people.page(), people.page(PHONE)]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
        page.get_by_role("button", name="Rematch").click()
        expect(page.locator(".end")).to_have_count(0)
        assert not page.url.endswith(link)
    answer(whose_turn(pages), 0)
    assert whose_turn(pages)


# --- the board ---------------------------------------------------------------------------------------------


def test_what_can_be_chosen_is_chosen_where_it_stands(people: People, tmp_path: Path) -> None:
    links = continued(people, saved(tmp_path, "kingsburg", answers=30))
    pages = [people.page(), people.page(PHONE)]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    turn = whose_turn(pages)
    offered = turn.locator(".question .option[value]:not([value=pass])")
    lit = turn.locator(".pane.open")
    assert lit.count() == offered.count() > 0
    assert lit.first.locator(".cost .die").count(), "the price is said in dice"
    name, before = lit.first.locator(".on-board").inner_text(), version(turn)
    lit.first.click(position={"x": 8, "y": 60})  # all of it answers, not only its name
    expect(turn.locator("form.play")).not_to_have_attribute("data-version", str(before))
    for page in pages:
        expect(page.locator("#log")).to_contain_text(name)
    other = next(page for page in pages if page is not turn)  # where they could only be asked about until news came
    for _ in range(20):
        if other.locator(".on-board").count():
            break
        answer(whose_turn(pages))
    before = version(other)
    other.locator(".on-board").first.click()
    expect(other.locator("form.play")).not_to_have_attribute("data-version", str(before))
    assert turn.locator(".grid thead th").count() == len(turn.locator(".grid tbody tr").first.locator("td").all()) * 2


def test_things_lines_and_options_explain_themselves_and_to_authors_exactly(people: People, tmp_path: Path) -> None:
    links, page = continued(people, saved(tmp_path, "kingsburg", answers=30)), people.page()
    assert any(lit(page, link) for link in links)
    cell = page.locator(".cell .what").first
    cell.click()
    expect(page.locator("#about h3").first).to_contain_text(cell.inner_text())
    page.keyboard.press("Escape")
    expect(page.locator("#about-box")).to_be_hidden()
    expect(cell).to_be_focused()
    line = page.locator(".line details").first
    line.locator("summary").click()
    expect(line.locator(".led .why")).to_be_visible()

    def why() -> str:
        page.locator(".offer .tells").first.click()
        page.locator("#about .why").wait_for()
        return page.locator("#about .why").first.inner_text()

    assert ".edict:" not in why()
    switch = page.get_by_role("button", name="Exactly")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    assert ".edict:" in why()
    page.reload()
    expect(switch).to_have_attribute("aria-pressed", "true")
    answer(page, 0)
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(page.locator(".exact:visible")).to_have_count(0)

    page.get_by_role("link", name="Replay").click()
    page.locator("#replay").wait_for()
    page.wait_for_load_state()  # what the page does is there only then
    page.locator("#replay").focus()
    page.keyboard.press("Home")
    page.wait_for_url("**/at/0")
    assert not page.locator(".question.yours").count()


def test_a_pause_is_shown_once(people: People, tmp_path: Path) -> None:
    answers, key = before_a_look(load_rules("kingsburg").new_game(["Ann", "Ben"], seed=7))
    links = continued(people, saved(tmp_path, "kingsburg", answers=answers))
    pages = [people.page() for _ in links]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    assert not pages[0].locator("dialog[open]").count()
    turn = whose_turn(pages)
    turn.locator(f"button.option[value='{key}']").click()
    for page in pages:
        expect(page.locator("dialog[open] article:visible").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
    pages[0].reload()
    assert not pages[0].locator("dialog[open]").count()


def before_a_look(game: Game) -> tuple[int, str]:
    """How many answers of `saved` come before the first moment to look, and the answer that leads to it."""
    luck = random.Random(3)
    while True:
        key = luck.choice(game.ask.options).key
        number = sum(one.kind == "look" for one in game.view(0).log)
        game.answer(key)
        if number == 0 and any(one.kind == "look" for one in game.view(0).log):
            return sum(one.seat >= 0 for one in game.journal.answers) - 1, key


MOVES = """() => {
  window.moves = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, how) {
    moves.push({ class: this.getAttribute("class"), first: frames[0], ms: how.duration });
    return animate.call(this, frames, how);
  };
}"""


def test_dice_travel_to_where_they_are_put_at_the_speed_one_wants(people: People, tmp_path: Path) -> None:
    links = continued(people, saved(tmp_path, "kingsburg", answers=30))
    page = people.page(reduced_motion="no-preference")
    assert any(lit(page, link) for link in links)
    page.evaluate(MOVES)
    thing = page.locator(".pane.open .on-board").first.get_attribute("value")
    page.locator("#speed").select_option("fast")
    before = version(page)
    page.locator(f".on-board[value='{thing}']").click()
    expect(page.locator("form.play")).not_to_have_attribute("data-version", str(before))
    if page.locator("#asked").inner_text() == "With which dice?":
        answer(page, 0)
    moved = [one for one in page.evaluate("moves") if "flying" in one["class"].split()]
    lying = page.locator(f"[data-dice^='advisors-{thing}-'] .die").count()
    assert len(moved) == lying > 0 and all("translate" in one["first"]["transform"] for one in moved)
    assert {one["ms"] for one in moved} == {300}
    page.evaluate("() => { moves.length = 0 }")
    page.emulate_media(reduced_motion="reduce")
    page.locator("#undo").click()
    expect(page.locator("form.play")).to_have_attribute("data-version", re.compile(r"\d+"))
    page.evaluate("htmx.trigger('#table', 'again')")
    assert not page.evaluate("moves"), "nothing moves for who does not want it"


# --- for everybody -----------------------------------------------------------------------------------------


def test_no_barriers_are_found(people: People, tmp_path: Path) -> None:
    page = people.page()
    page.goto("/")
    no_barriers(page, "start", dark=LONG)
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width, "it fits a phone"
    assert page.locator("select[name=seat-0]").bounding_box()["width"] > 140, "who sits there can be read"  # type: ignore[index]
    page.set_viewport_size({"width": 1280, "height": 800})
    links = continued(people, saved(tmp_path, "kingsburg", answers=30))
    assert any(lit(page, link) for link in links)
    no_barriers(page, "seat")
    continue_game(page, saved(tmp_path, "kuhn-poker", answers=1))
    no_barriers(page, "host", dark=LONG)
    page.goto(f"{links[0]}/at/20")
    no_barriers(page, "replay", seen=".board", dark=LONG)
    over = continued(people, saved(tmp_path, "pig"))
    page.goto(over[0])
    page.locator("svg.chart").first.wait_for()  # barriers there are looked for in every game (test_browsers_every_game)


def test_five_people_with_long_names_fit_on_every_screen(people: People, tmp_path: Path) -> None:
    names = ("Bartholomew Longfellow of the Hill", "Wilhelmina", "Ann", "Maximilian-Alexander", "Theodora Featherstone")
    game = load_rules("kingsburg").new_game(names, seed=7, journal=tmp_path / "five.jsonl")
    luck = random.Random(3)
    for _ in range(40):
        game.answer(luck.choice(game.ask.options).key)
    game.record(None)
    links = continued(people, tmp_path / "five.jsonl")
    page = people.page()
    assert any(lit(page, link) for link in links[:5])
    fits(page, [*SIZES, (600, 844), (320, 844)])


# --- longer games ------------------------------------------------------------------------------------------


@pytest.mark.skipif(not LONG, reason="takes minutes: `make browsers`")
@pytest.mark.parametrize("modules", [(), ("governors", "more-buildings", "soldier-tokens", "destiny")])
def test_four_browsers_play_a_whole_long_game(people: People, tmp_path: Path, modules: tuple[str, ...]) -> None:
    links = continued(people, saved(tmp_path, "kingsburg", modules, answers=0, players=4))
    pages = [people.page(PHONE if number == 3 else {"width": 1280, "height": 800}) for number in range(4)]
    luck = random.Random(5)
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    for moves in range(2000):
        turn = asked(pages)
        if turn is None:
            break
        for page in pages:
            if page.locator("dialog[open]").count():
                page.locator("#pause-close").click()
                expect(page.locator("dialog[open]")).to_have_count(0)
        places = turn.locator(".on-board:visible")
        before = version(turn)
        if places.count() and moves % 2:
            places.nth(luck.randrange(places.count())).click()
        else:
            options = turn.locator("button.option")
            options.nth(luck.randrange(options.count())).click()
        expect(turn.locator("form.play")).not_to_have_attribute("data-version", str(before))
        if moves % 40 == 7:
            pages[moves % 4].reload()
    assert all(page.locator(".end").count() for page in pages)
