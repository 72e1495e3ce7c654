"""People at a table in real browsers: whole games, lost connections, tabs, keyboards, barriers; no page complains.

`make browsers` plays the longer games too (EDICT_BROWSERS=all).
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from browsing import (
    PHONE, People, Served, answer, asked, continue_game, continued, no_barriers, open_table, served, table_of, version,
)  # fmt: skip
from playwright.sync_api import Page, expect

from edict.table.game import Game
from edict.table.rules import load_rules

pytestmark = pytest.mark.xdist_group("browsers")  # one server and one browser for all of it
LONG = os.environ.get("EDICT_BROWSERS") == "all"
longer = pytest.mark.skipif(not LONG, reason="takes minutes: `make browsers`")
PEOPLE = 4 if LONG else 2  # in a whole game


@pytest.fixture(scope="module")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("served")) as running:
        yield running


def saved(folder: Path, name: str, modules: tuple[str, ...] = (), answers: int = 10_000, players: int = 2) -> Path:
    """A game in a file, after so many answers at random."""
    file = folder / f"{name}.jsonl"
    game = load_rules(name, modules).new_game(["Ann", "Ben", "Cleo", "Dan"][:players], seed=7, journal=file)
    luck = random.Random(3)
    while not game.over and answers:
        game.answer(luck.choice(game.ask.options).key)
        answers -= 1
    game.record(None)
    return file


def whose_turn(pages: list[Page]) -> Page:
    page = asked(pages)
    assert page is not None
    return page


# --- whole games ---------------------------------------------------------------------------------------


def test_a_whole_game_is_played_through_everything_that_happens_to_browsers(people: People) -> None:
    pages = [people.page(PHONE if number else {"width": 820, "height": 1180}) for number in range(PEOPLE)]
    links = open_table(pages[0], "pig", PEOPLE, goal=5)[:PEOPLE]
    for page, link in zip(pages, links, strict=True):
        page.goto(link)
    first = whose_turn(pages)
    away = next(page for page in pages if page is not first)
    away.context.set_offline(True)  # somebody is away for a while ...
    answer(first, 0)
    away.context.set_offline(False)  # ... and comes back to the table as it is
    expect(away.locator("form.play")).to_have_attribute("data-version", str(version(first)))
    pages[0].reload()
    pages[-1].goto("/")
    pages[-1].go_back()
    for _ in range(400):
        turn = asked(pages)
        if turn is None:
            break
        answer(turn)
    assert all("won." in page.locator("#asked").inner_text() for page in pages)
    assert len({page.locator(".end tbody").first.inner_text() for page in pages}) == 1


@pytest.mark.slow
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


def test_two_tabs_on_a_seat_give_one_answer(people: People) -> None:
    links = table_of(people, "pig")
    page = people.page()
    link = next(link for link in links if lit(page, link))
    other = people.tab(page.context)
    other.goto(link)
    other.route("**/news*", lambda route: route.abort())
    other.reload()  # this tab hears no news any more
    before = version(other)
    answer(page, 0)
    after = version(page)
    assert version(other) == before
    other.locator("button.option").first.click()
    expect(other.get_by_role("alert")).to_contain_text("answered that already")
    assert version(other) == version(page) == after


@pytest.mark.slow
def test_a_picture_that_was_overtaken_on_its_way_is_not_shown(people: People) -> None:
    links = table_of(people, "pig")
    page = people.page()
    assert any(lit(page, link) for link in links)
    held: list[tuple[Any, Any]] = []
    page.route("**/table*", lambda route: held.append((route, route.fetch())))
    page.evaluate("form().dataset.mark = ''; htmx.trigger('#table', 'again')")  # for all of it
    for _ in range(200):
        if held:
            break
        page.wait_for_timeout(20)
    answer(page, 0)
    after = version(page)
    route, old = held[0]
    with page.expect_response("**/table*"):
        route.fulfill(response=old)
    page.wait_for_timeout(100)
    assert version(page) == after


@pytest.mark.slow
def test_what_the_server_refuses_is_said_on_the_page(people: People) -> None:
    links = table_of(people, "pig")
    page = people.page()
    assert any(lit(page, link) for link in links)
    text = "Too many requests: wait a minute, then try again."
    page.route("**/answer", lambda route: route.fulfill(status=429, body=text, content_type="text/plain"))
    page.locator("button.option").first.click()
    expect(page.locator("#lost")).to_have_text(text)
    people.complaints.clear()  # the console tells of it too
    expect(page.locator("#lost")).to_be_hidden()  # the table was asked for again


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_news_leave_the_focus_where_it_is_unless_another_answer_stands_there_now(people: People) -> None:
    links = table_of(people, "pig")
    page = people.page()
    assert any(lit(page, link) for link in links)
    kept = page.locator("button.option").first
    kept.focus()
    with page.expect_response("**/table*"):
        page.evaluate("htmx.trigger('#table', 'again')")
    expect(kept).to_be_focused()
    value = f'value="{kept.get_attribute("value")}"'
    page.route("**/table*", lambda route: route.fulfill(body=route.fetch().text().replace(value, 'value="another"')))
    page.evaluate("form().dataset.mark = ''; htmx.trigger('#table', 'again')")
    expect(page.locator("#asked")).to_be_focused()


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_dice_are_tapped_first_and_pay_for_what_they_fit(people: People, tmp_path: Path) -> None:
    links = continued(people, saved(tmp_path, "kingsburg", answers=22))  # the dice are 2, 2 and 4
    page = people.page(PHONE)
    assert any(lit(page, link) for link in links)
    fits = page.locator(".pane.open:not(.unfit) .on-board")
    assert fits.all_inner_texts() == ["Squire", "Merchant", "Alchemist", "Treasurer"]
    for die in page.locator("#tray .pick").all()[:2]:
        die.click()
    assert fits.all_inner_texts() == ["Merchant", "Treasurer"]
    expect(page.locator(".pane.met .on-board")).to_have_text("Merchant")
    with page.expect_response("**/table*"):
        page.evaluate("htmx.trigger('#table', 'again')")
    page.wait_for_timeout(100)
    expect(page.locator("#tray .pick[aria-pressed=true]")).to_have_count(2)
    no_barriers(page, "dice", dark=LONG)
    page.locator(".pane.met .on-board").click()
    expect(page.locator("[data-dice^='advisors-merchant-'] .die")).to_have_count(2)  # not the 4, which is one die


def test_a_phone_shows_one_part_of_the_table_at_a_time_and_keeps_to_it(people: People, tmp_path: Path) -> None:
    links = continued(people, saved(tmp_path, "kingsburg", answers=30))
    page = people.page(PHONE)
    assert any(lit(page, link) for link in links)
    parts = {"Board": "#panel-advisors", "Provinces": "#panel-provinces", "Log": "#what-happened"}
    for name, part in parts.items():
        page.get_by_role("navigation", name="Parts of the table").get_by_role("link", name=name).click()
        for one in parts.values():
            expect(page.locator(one)).to_be_visible(visible=one == part)
        assert page.locator(".question").is_visible() and page.evaluate("document.documentElement.scrollWidth") == 390
    answer(page)
    assert not page.locator("#panel-advisors").is_visible()


@pytest.mark.slow
def test_things_lines_and_options_explain_themselves(people: People, tmp_path: Path) -> None:
    links, page = continued(people, saved(tmp_path, "kingsburg", answers=30)), people.page()
    assert any(lit(page, link) for link in links)
    cell = page.locator(".cell .what").first
    cell.click()
    expect(page.locator("#about h3").first).to_contain_text(cell.inner_text())
    page.keyboard.press("Escape")
    expect(page.locator("#about-box")).to_be_hidden()
    expect(cell).to_be_focused()
    page.locator(".offer .tells").first.click()
    expect(page.locator("#about .why")).to_be_visible()
    line = page.locator(".line details").first
    line.locator("summary").click()
    expect(line.locator(".led .why")).to_be_visible()
    page.get_by_role("link", name="Replay").click()
    page.locator("#replay").wait_for()
    page.wait_for_load_state()  # what the page does is there only then
    page.locator("#replay").focus()
    page.keyboard.press("Home")
    page.wait_for_url("**/at/0")
    assert not page.locator(".question.yours").count()


@pytest.mark.slow
def test_files_lines_and_values_are_for_authors_behind_a_switch(people: People, tmp_path: Path) -> None:
    links, page = continued(people, saved(tmp_path, "kingsburg", answers=30)), people.page()
    assert any(lit(page, link) for link in links)

    def shown(part: str) -> str:
        page.locator(".offer .tells").first.click()
        page.locator("#about .why").wait_for()
        return page.locator("#about").locator(part).first.inner_text()

    assert ".edict:" not in shown(".why")
    switch = page.get_by_role("button", name="Exactly")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    assert ".edict:" in shown(".why")
    page.evaluate("htmx.trigger('#table', 'again')")
    page.reload()
    expect(switch).to_have_attribute("aria-pressed", "true")
    answer(page, 0)
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(page.locator(".exact:visible")).to_have_count(0)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


def lit(page: Page, link: str) -> bool:
    """Whether something can be chosen from a seat."""
    page.goto(link)
    return page.locator(".question.yours").count() > 0


WIDTHS = (320, 390, 600, 1024, 1440) if LONG else (320, 1024)
BROKEN = """() => [...document.querySelectorAll(".board .on-board, .board .what")].flatMap((one) => {
  const text = [...one.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
  return [...text.data.matchAll(/\\S+/g)].filter((word) => {
    const range = document.createRange();
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    return new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size > 1;
  }).map((word) => word[0]);
})"""  # words that go on in another line
OUTSIDE = """() => [...document.querySelectorAll(".pane button, .pane .pawn, .card .pawn, .cell button")].filter(
  (one) => one.getBoundingClientRect().right > one.closest(".pane, .card, .cell").getBoundingClientRect().right,
).map((one) => one.textContent)"""


@pytest.mark.slow
@pytest.mark.parametrize(("asked_for", "answers"), [("influence", 34), ("construct", 32)])
def test_the_board_fits_every_screen(people: People, tmp_path: Path, asked_for: str, answers: int) -> None:
    links = continued(people, saved(tmp_path, "kingsburg", answers=answers))
    page = people.page()
    assert any(lit(page, link) for link in links)
    assert asked_for in page.locator("#asked").inner_text()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(OUTSIDE) == [], width
        assert page.evaluate(BROKEN) == [], width


@pytest.mark.slow
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
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(OUTSIDE) == [], width


# --- longer games ------------------------------------------------------------------------------------------


@longer
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
