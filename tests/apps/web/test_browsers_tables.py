"""Tables in real browsers: lost connections, keyboards, boards, accessibility; no page logs an error.

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
    assert_accessible,
    assert_layout,
    can_answer,
    click_option,
    continue_game,
    create_table,
    create_table_from_journal,
    find_asked_page,
    get_version,
    require_asked_page,
    save_random_game,
)
from edict.game.table.game import Game
from edict.game.table.rules import load_rules

# One server and one browser for the whole file.
pytestmark = [pytest.mark.xdist_group("browsers-at-tables"), pytest.mark.slow]
LONG = os.environ.get("EDICT_BROWSERS") == "all"


def test_game_continues_after_the_server_was_killed_and_restarted(people: People) -> None:
    links = create_table(people, "pig")
    pages = [people.open_page(), people.open_page()]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    click_option(require_asked_page(pages), 0)
    people.server.kill()
    expect(pages[0].locator("#lost")).to_be_visible()
    people.server.start()
    expect(pages[0].locator("#lost")).to_be_hidden()
    click_option(require_asked_page(pages), 0)
    assert require_asked_page(pages)


def test_page_keeps_focus_shows_refusals_and_ignores_outdated_responses(people: People) -> None:
    links = create_table(people, "pig")
    page, held_responses = people.open_page(), list[tuple[Any, Any]]()
    assert any(can_answer(page, link) for link in links)
    focused_button = page.locator("button.option").first
    focused_button.focus()
    with page.expect_response("**/table*"):
        page.evaluate("htmx.trigger('#table', 'again')")
    expect(focused_button).to_be_focused()
    value = f'value="{focused_button.get_attribute("value")}"'
    page.route("**/table*", lambda route: route.fulfill(body=route.fetch().text().replace(value, 'value="another"')))
    page.evaluate("form().dataset.mark = ''; htmx.trigger('#table', 'again')")  # ask for the complete table
    expect(page.locator("#asked")).to_be_focused()  # not on the option that is now in its place
    page.unroute("**/table*")
    page.reload()

    text = "Too many requests: wait a minute, then try again."
    page.route("**/answer", lambda route: route.fulfill(status=429, body=text, content_type="text/plain"))
    page.locator("button.option").first.click()
    expect(page.locator("#lost")).to_have_text(text)
    people.complaints.clear()  # the console logs it too
    expect(page.locator("#lost")).to_be_hidden()  # the page has reloaded the table
    page.unroute("**/answer")

    page.route("**/table*", lambda route: held_responses.append((route, route.fetch())))
    page.evaluate("form().dataset.mark = ''; htmx.trigger('#table', 'again')")
    for _ in range(200):
        if held_responses:
            break
        page.wait_for_timeout(20)
    click_option(page, 0)
    after = get_version(page)
    route, outdated_response = held_responses[0]
    with page.expect_response("**/table*"):
        route.fulfill(response=outdated_response)
    page.wait_for_timeout(100)
    assert get_version(page) == after


def test_game_can_be_played_by_keyboard_alone(people: People) -> None:
    links = create_table(people, "pig", goal=2)
    pages = [people.open_page(), people.open_page()]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    for _ in range(100):
        turn = find_asked_page(pages)
        if turn is None:
            break
        before = get_version(turn)
        for _ in range(60):
            focused = turn.locator("button.option:focus")
            if focused.count() and (turn.locator("button.option").count() == 1 or "Hold" in focused.inner_text()):
                break
            turn.keyboard.press("Tab")
        turn.keyboard.press("Enter")
        expect(turn.locator("form.play")).not_to_have_attribute("data-version", str(before))
        assert turn.locator("#table :focus").count(), "the focus was lost with the old picture of the table"
    assert pages[0].locator(".end").count()


def test_second_enter_neither_answers_nor_undoes(people: People, subtests: pytest.Subtests) -> None:
    links = create_table(people, "causeway")
    pages = [people.open_page(), people.open_page()]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    for button in ("button.option >> nth=0", "button.option >> nth=-1", "button.option >> nth=-1", "#undo"):
        with subtests.test(button=button):
            turn = require_asked_page(pages)
            if button == "#undo":  # shown only to a player who can undo
                turn = next(page for page in pages if page.locator(button).count())
            turn.locator(button).focus()
            with turn.expect_response(lambda answer: answer.request.method == "POST"):
                turn.keyboard.press("Enter")
            expect(turn.locator("#asked")).to_be_focused()
            after = get_version(turn)
            turn.keyboard.press("Enter")
            turn.wait_for_timeout(300)
            assert get_version(turn) == after


def test_playing_host_claims_a_seat_like_everybody(people: People) -> None:
    page, other = people.open_page(), people.open_page(PHONE)
    page.goto("/")
    page.locator("select.chooses").select_option("pig")
    page.locator("[data-game=pig]").wait_for()
    page.locator("select[name=seat-1]").select_option("person")
    page.get_by_role("button", name="Open the table").click()
    links = [link.get_attribute("href") or "" for link in page.locator("table.links a").all()]
    page.goto(links[0])
    assert_accessible(page, "free seat", dark=LONG)
    page.get_by_role("button", name="Take the seat").click()
    page.locator("form.play").wait_for()
    other.goto(links[1])
    other.get_by_role("button", name="Take the seat").click()
    click_option(require_asked_page([page, other]), 0)
    other.goto(links[0])
    expect(other.locator("h1")).to_have_text("That did not work")
    people.complaints.clear()  # the console logs the 404


def test_all_players_join_a_rematch_after_the_end(people: People, tmp_path: Path, subtests: pytest.Subtests) -> None:
    links = create_table_from_journal(people, save_random_game(tmp_path, "pig"))
    pages = [people.open_page(), people.open_page(PHONE)]
    for page, link in zip(pages, links, strict=False):
        with subtests.test(page=page):
            page.goto(link)
            page.get_by_role("button", name="Rematch").click()
            expect(page.locator(".end")).to_have_count(0)
            assert not page.url.endswith(link)
    click_option(require_asked_page(pages), 0)
    assert require_asked_page(pages)


# --- the board ---------------------------------------------------------------------------------------------


def test_options_can_be_chosen_on_the_board(people: People, tmp_path: Path) -> None:
    links = create_table_from_journal(people, save_random_game(tmp_path, "kingsburg", answers=30))
    pages = [people.open_page(), people.open_page(PHONE)]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    turn = require_asked_page(pages)
    offered = turn.locator(".question .option[value]:not([value=pass])")
    open_panes = turn.locator(".pane.open")
    assert open_panes.count() == offered.count() > 0
    assert open_panes.first.locator(".cost .die").count(), "the price is said in dice"
    name, before = open_panes.first.locator(".on-board").inner_text(), get_version(turn)
    open_panes.first.click(position={"x": 8, "y": 60})  # the whole pane is a button, not only its name
    expect(turn.locator("form.play")).not_to_have_attribute("data-version", str(before))
    for page in pages:
        expect(page.locator("#log")).to_contain_text(name)
    other = next(page for page in pages if page is not turn)  # its board only explained things until the update
    for _ in range(20):
        if other.locator(".on-board").count():
            break
        click_option(require_asked_page(pages))
    before = get_version(other)
    other.locator(".on-board").first.click()
    expect(other.locator("form.play")).not_to_have_attribute("data-version", str(before))
    assert turn.locator(".grid thead th").count() == len(turn.locator(".grid tbody tr").first.locator("td").all()) * 2


def test_things_log_lines_and_options_are_explained_with_rule_lines_on_request(people: People, tmp_path: Path) -> None:
    links, page = (
        create_table_from_journal(people, save_random_game(tmp_path, "kingsburg", answers=30)),
        people.open_page(),
    )
    assert any(can_answer(page, link) for link in links)
    cell = page.locator(".cell .what").first
    cell.click()
    expect(page.locator("#about h3").first).to_contain_text(cell.inner_text())
    page.keyboard.press("Escape")
    expect(page.locator("#about-box")).to_be_hidden()
    expect(cell).to_be_focused()
    line = page.locator(".line details").first
    line.locator("summary").click()
    expect(line.locator(".led .why")).to_be_visible()

    def explain_option() -> str:
        page.locator(".offer .tells").first.click()
        page.locator("#about .why").wait_for()
        return page.locator("#about .why").first.inner_text()

    assert ".edict:" not in explain_option()
    switch = page.get_by_role("button", name="Exactly")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    assert ".edict:" in explain_option()
    page.reload()
    expect(switch).to_have_attribute("aria-pressed", "true")
    click_option(page, 0)
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(page.locator(".exact:visible")).to_have_count(0)

    page.get_by_role("link", name="Replay").click()
    page.locator("#replay").wait_for()
    page.wait_for_load_state()  # scripts run only after loading
    page.locator("#replay").focus()
    page.keyboard.press("Home")
    page.wait_for_url("**/at/0")
    assert not page.locator(".question.yours").count()


def test_pause_dialog_is_shown_once(people: People, tmp_path: Path) -> None:
    answers, key = find_first_pause(load_rules("kingsburg").new_game(["Ann", "Ben"], seed=7))
    links = create_table_from_journal(people, save_random_game(tmp_path, "kingsburg", answers=answers))
    pages = [people.open_page() for _ in links]
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    assert not pages[0].locator("dialog[open]").count()
    turn = require_asked_page(pages)
    turn.locator(f"button.option[value='{key}']").click()
    for page in pages:
        expect(page.locator("dialog[open] article:visible").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
    pages[0].reload()
    assert not pages[0].locator("dialog[open]").count()


MOVING = "document.getElementById('pause').getAnimations({ subtree: true }).length"


def test_battle_is_played_beat_by_beat_until_a_click(people: People, tmp_path: Path) -> None:
    answers, key = find_first_pause(load_rules("kingsburg").new_game(["Ann", "Ben"], seed=7))
    links = create_table_from_journal(people, save_random_game(tmp_path, "kingsburg", answers=answers))
    page = people.open_page(reduced_motion="no-preference")
    assert any(can_answer(page, link) for link in links)
    page.locator(f"button.option[value='{key}']").click()
    expect(page.locator("dialog[open] .actor .picture")).to_be_attached()
    assert page.evaluate(MOVING) > 20, "the enemy, the die, and each unit of each player's strength"
    page.locator("dialog[open] .scene").click(force=True)
    assert page.evaluate(MOVING) == 0
    expect(page.locator("dialog[open] .outcome")).to_have_count(2)


def find_first_pause(game: Game) -> tuple[int, str]:
    """Return the number of answers before the first pause of a randomly played game, and the next answer's key."""
    rng = random.Random(3)
    while True:
        key = rng.choice(game.ask.options).key
        pause_count = sum(entry.kind == "look" for entry in game.view(0).log)
        game.answer(key)
        if pause_count == 0 and any(entry.kind == "look" for entry in game.view(0).log):
            return sum(entry.seat >= 0 for entry in game.journal.answers) - 1, key


RECORD_ANIMATIONS = """() => {
  window.moves = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, how) {
    moves.push({ class: this.getAttribute("class"), first: frames[0], ms: how.duration });
    return animate.call(this, frames, how);
  };
}"""


def test_dice_are_animated_at_the_chosen_speed_unless_motion_is_reduced(people: People, tmp_path: Path) -> None:
    links = create_table_from_journal(people, save_random_game(tmp_path, "kingsburg", answers=30))
    page = people.open_page(reduced_motion="no-preference")
    assert any(can_answer(page, link) for link in links)
    page.evaluate(RECORD_ANIMATIONS)
    thing = page.locator(".pane.open .on-board").first.get_attribute("value")
    page.locator("#speed").select_option("fast")
    before = get_version(page)
    page.locator(f".on-board[value='{thing}']").click()
    expect(page.locator("form.play")).not_to_have_attribute("data-version", str(before))
    if page.locator("#asked").inner_text() == "With which dice?":
        click_option(page, 0)
    flights = [flight for flight in page.evaluate("moves") if "flying" in flight["class"].split()]
    dice_count = page.locator(f"[data-dice^='advisors-{thing}-'] .die").count()
    assert len(flights) == dice_count > 0 and all("translate" in flight["first"]["transform"] for flight in flights)
    assert {flight["ms"] for flight in flights} == {300}
    page.evaluate("() => { moves.length = 0 }")
    page.emulate_media(reduced_motion="reduce")
    page.locator("#undo").click()
    expect(page.locator("form.play")).to_have_attribute("data-version", re.compile(r"\d+"))
    page.evaluate("htmx.trigger('#table', 'again')")
    assert not page.evaluate("moves"), "nothing moves for who does not want it"


# --- for everybody -----------------------------------------------------------------------------------------


def test_pages_have_no_accessibility_barriers(people: People, tmp_path: Path, subtests: pytest.Subtests) -> None:
    page = people.open_page()
    page.goto("/")
    assert_accessible(page, "start", dark=LONG)
    for width in (320, 390):
        with subtests.test(width=width):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") == width, "it fits a phone"
    assert page.locator("select[name=seat-0]").bounding_box()["width"] > 140, "who sits there can be read"  # type: ignore[index]
    page.set_viewport_size({"width": 1280, "height": 800})
    links = create_table_from_journal(people, save_random_game(tmp_path, "kingsburg", answers=30))
    assert any(can_answer(page, link) for link in links)
    assert_accessible(page, "seat")
    continue_game(page, save_random_game(tmp_path, "kuhn-poker", answers=1))
    assert_accessible(page, "host", dark=LONG)
    page.goto(f"{links[0]}/at/20")
    assert_accessible(page, "replay", seen=".board", dark=LONG)
    finished_links = create_table_from_journal(people, save_random_game(tmp_path, "pig"))
    page.goto(finished_links[0])
    page.locator("svg.chart").first.wait_for()  # checked for barriers in test_browsers_every_game


def test_table_of_five_long_names_fits_every_screen(people: People, tmp_path: Path) -> None:
    names = ("Bartholomew Longfellow of the Hill", "Wilhelmina", "Ann", "Maximilian-Alexander", "Theodora Featherstone")
    game = load_rules("kingsburg").new_game(names, seed=7, journal=tmp_path / "five.jsonl")
    rng = random.Random(3)
    for _ in range(40):
        game.answer(rng.choice(game.ask.options).key)
    game.record(None)
    links = create_table_from_journal(people, tmp_path / "five.jsonl")
    page = people.open_page()
    assert any(can_answer(page, link) for link in links[:5])
    assert_layout(page, [*SIZES, (600, 844), (320, 844)])


ALL_CARDS = ("governors", "advisor-tiles", "destiny", "settlements-and-deals", "soldier-tokens", "more-buildings")


def test_board_with_cards_of_many_modules_is_on_one_screen(people: People, tmp_path: Path) -> None:
    """Nothing of it is below its lower edge, nor anything from which a question comes or that it offers."""
    game = load_rules("kingsburg", ALL_CARDS).new_game(["Ann", "Ben", "Cleo", "Dan", "Eve"], seed=1)
    rng = random.Random(2)
    while len(game.answers) < 60 or game.ask.question != "choose-whom":
        game.answer(rng.choice(game.ask.options).key)
    journal = tmp_path / "cards.jsonl"
    journal.write_bytes(game.journal.to_bytes())
    page = people.open_page({"width": 1440, "height": 900})
    assert can_answer(page, create_table_from_journal(people, journal)[game.seat])
    assert page.locator(".board .open").count() and page.locator(".panes-panel").count() == 2
    board = page.locator(".board")
    assert board.evaluate("board => board.scrollHeight - board.clientHeight") == 0
    assert_layout(page)


# --- longer games ------------------------------------------------------------------------------------------


@pytest.mark.skipif(not LONG, reason="takes minutes: `make browsers`")
@pytest.mark.parametrize("modules", [(), ("governors", "more-buildings", "soldier-tokens", "destiny")])
def test_four_browsers_play_a_long_game_to_the_end(people: People, tmp_path: Path, modules: tuple[str, ...]) -> None:
    links = create_table_from_journal(people, save_random_game(tmp_path, "kingsburg", modules, answers=0, players=4))
    pages = [people.open_page(PHONE if number == 3 else {"width": 1280, "height": 800}) for number in range(4)]
    rng = random.Random(5)
    for page, link in zip(pages, links, strict=False):
        page.goto(link)
    for moves in range(2000):
        turn = find_asked_page(pages)
        if turn is None:
            break
        for page in pages:
            if page.locator("dialog[open]").count():
                page.locator("#pause-close").click()
                expect(page.locator("dialog[open]")).to_have_count(0)
        board_buttons = turn.locator(".on-board:visible")
        before = get_version(turn)
        if board_buttons.count() and moves % 2:
            board_buttons.nth(rng.randrange(board_buttons.count())).click()
        else:
            options = turn.locator("button.option")
            options.nth(rng.randrange(options.count())).click()
        expect(turn.locator("form.play")).not_to_have_attribute("data-version", str(before))
        if moves % 40 == 7:
            pages[moves % 4].reload()
    assert all(page.locator(".end").count() for page in pages)
