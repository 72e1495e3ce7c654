"""Quick tests in real browsers: scripts, layout and live updates, in few visits; no page logs an error.

Assertions about responses of the server need no browser and are in test_web*.py and test_studio_*.py; slow tests are
in the other test_browsers_*.py.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from playwright.sync_api import Page, Route, expect

from browsing import (
    PHONE,
    People,
    assert_accessible,
    assert_layout,
    can_answer,
    click_option,
    create_table_from_journal,
    find_asked_page,
    get_version,
    open_table,
    require_asked_page,
    save_random_game,
)
from studio_browsing import (
    ABILITY,
    MENDED,
    MISTAKEN,
    begin_tutorial,
    clear_editor,
    count_answers,
    expect_step,
    get_editor,
    get_lines,
    get_part_button,
    get_table_frame,
    make_scene,
    poll,
    type_lines,
    wait_for_lines,
)

pytestmark = pytest.mark.xdist_group("browsers")  # one server and one browser for the whole file


def test_game_is_played_through_lost_connections_second_tabs_and_reloads(people: People) -> None:
    pages = [people.open_page({"width": 820, "height": 1180}), people.open_page(PHONE)]
    links = open_table(pages[0], "pig", 2, goal=5)[:2]
    for page, link in zip(pages, links, strict=True):
        page.goto(link)
    first = require_asked_page(pages)
    offline_page = next(page for page in pages if page is not first)
    offline_page.context.set_offline(True)  # one browser loses its connection ...
    click_option(first, 0)
    offline_page.context.set_offline(False)  # ... and comes back to the current table
    expect(offline_page.locator("form.play")).to_have_attribute("data-version", str(get_version(first)))
    check_answer_in_outdated_tab(people, require_asked_page(pages))
    pages[0].reload()
    pages[-1].goto("/")
    pages[-1].go_back()
    for _ in range(400):
        turn = find_asked_page(pages)
        if turn is None:
            break
        click_option(turn)
    assert all("won." in page.locator("#asked").inner_text() for page in pages)
    assert len({page.locator(".end tbody").first.inner_text() for page in pages}) == 1
    assert_accessible(pages[0], "the end", dark=False)


def check_answer_in_outdated_tab(people: People, page: Page) -> None:
    """Answer in a tab, then in another one that still shows the table before; the second answer does not count."""
    outdated_tab = people.open_tab(page.context)
    outdated_tab.route("**/news*", lambda route: route.abort())  # this tab gets no updates
    outdated_tab.goto(page.url)
    before = get_version(outdated_tab)
    click_option(page, 0)
    after = get_version(page)
    assert get_version(outdated_tab) == before
    outdated_tab.locator("button.option").first.click()
    expect(outdated_tab.get_by_role("alert")).to_contain_text("answered that already")
    assert get_version(outdated_tab) == get_version(page) == after
    outdated_tab.close()


def test_phone_shows_one_part_of_the_table_at_a_time_and_dice_can_be_tapped(
    people: People, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    links = create_table_from_journal(
        people, save_random_game(tmp_path, "kingsburg", answers=22)
    )  # the dice are 2, 2 and 4
    page = people.open_page(PHONE)
    assert any(can_answer(page, link) for link in links)
    parts = {"Provinces": "#panel-provinces", "Log": "#what-happened", "Board": "#panel-advisors"}
    for name, shown in parts.items():
        with subtests.test(name=name):
            page.get_by_role("navigation", name="Parts of the table").get_by_role("link", name=name).click()
            for panel in parts.values():
                expect(page.locator(panel)).to_be_visible(visible=panel == shown)
            assert page.locator(".question").is_visible()
            assert_layout(page, [(390, 844)])
    affordable = page.locator(".pane.open:not(.unfit) .on-board")
    assert affordable.all_inner_texts() == ["Squire", "Merchant", "Alchemist", "Treasurer"]
    for die in page.locator("#tray .pick").all()[:2]:
        die.click()
    assert affordable.all_inner_texts() == ["Merchant", "Treasurer"]
    expect(page.locator(".pane.met .on-board")).to_have_text("Merchant")
    with page.expect_response("**/table*"):
        page.evaluate("htmx.trigger('#table', 'again')")
    page.wait_for_timeout(100)
    expect(page.locator("#tray .pick[aria-pressed=true]")).to_have_count(2)
    assert_accessible(page, "dice", dark=False)
    assert_layout(page)
    page.locator(".pane.met .on-board").click()
    expect(page.locator("[data-dice^='advisors-merchant-'] .die")).to_have_count(2)  # not the 4, which is a single die
    page.get_by_role("navigation", name="Parts of the table").get_by_role("link", name="Provinces").click()
    page.evaluate("document.querySelector('.players').dataset.old = ''; form().dataset.mark = ''")
    page.evaluate("htmx.trigger('#table', 'again')")  # ask for the complete table
    expect(page.locator(".players:not([data-old])")).to_have_count(1)
    expect(page.locator("#panel-provinces")).to_be_visible()
    expect(page.locator("#panel-advisors")).to_be_hidden()


def test_friends_join_a_room_and_are_sent_to_the_table(people: People) -> None:
    host, friend = people.open_page(), people.open_page(PHONE)
    host.goto("/")
    room_form = host.get_by_role("region", name="A table for friends")
    room_form.get_by_label("Game").select_option("pig")
    room_form.get_by_label("Your name").fill("Ann")
    room_form.get_by_role("button", name="Invite").click()
    assert_accessible(host, "room")
    friend.goto(host.locator("#invitation").get_attribute("href") or "")
    assert_accessible(friend, "invitation", dark=False)
    friend.get_by_label("Your name").fill("Ben")
    friend.get_by_role("button", name="Join").click()
    expect(host.locator("#people")).to_contain_text("Ben")
    assert friend.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    host.get_by_label("Bots as well").fill("0")
    host.get_by_role("button", name="Begin").click()
    for page in (host, friend):
        page.locator("form.play").wait_for()
        expect(page.locator(".players")).to_contain_text("Ben")


# --- the studio --------------------------------------------------------------------------------------


def test_studio_user_writes_a_building_plays_it_and_saves_a_scene(people: People) -> None:
    page = people.open_page()
    page.goto("/studio")
    assert_accessible(page, "the studio's start", dark=False)
    begin_tutorial(page)
    check_typing_and_pasting(page)
    follow_tutorial(page)
    get_part_button(page, "Play").click()
    page.get_by_role("button", name="New game").click()
    option = get_table_frame(page).locator(".question.yours button.option").first
    option.wait_for()
    before = count_answers(page)
    option.click()
    poll(page, lambda: count_answers(page) > before, lambda: count_answers(page))
    make_scene(page)
    page.locator(".tab", has_text="rules.edict").click()
    get_editor(page).get_by_text("tea-house").click()
    lens_texts: list[str | re.Pattern[str]] = [
        "1 scene: passed",
        "play from here",
        re.compile("not covered by any scene"),
    ]
    expect(page.locator("#above button")).to_have_text(lens_texts)
    expect(page.locator(".lens")).to_contain_text("1 scene: passed")
    get_part_button(page, "Study").click()
    expect(page.locator("#study table", has_text="Tea House")).to_be_visible()
    page.locator("#above").get_by_role("button", name="play from here").click()
    expect(get_table_frame(page).locator(".question.yours")).to_be_visible()
    assert_accessible(page, "with a game")
    page.get_by_role("link", name="Share, print").click()
    assert_accessible(page, "share", dark=False)


def check_typing_and_pasting(page: Page) -> None:
    """Check that an indentation for a deleted line is dropped, and that pasted text keeps its own spaces."""
    clear_editor(page)
    held_requests = list[Route]()
    page.route("**/ask/indent", lambda route: held_requests.append(route))
    page.keyboard.type("phase tea")
    page.keyboard.press("Enter")
    poll(page, lambda: held_requests)
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    with page.expect_response("**/ask/indent"):
        held_requests[0].continue_()
    page.unroute("**/ask/indent")
    page.wait_for_timeout(200)
    assert get_lines(page) == [""]
    page.keyboard.type('advisor cook "Cook"')
    page.keyboard.press("Enter")
    poll(page, lambda: get_lines(page)[-1] == "  ")
    pasted = "  rank 7\n\nwhen end of year\n  each player\n    gain 1 gold\n"
    get_editor(page).evaluate(PASTE, pasted)
    wait_for_lines(page, ['advisor cook "Cook"', *pasted.split("\n")])
    clear_editor(page)


PASTE = """(one, text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  one.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


def follow_tutorial(page: Page) -> None:
    """Follow the tutorial up to the first game; inserting its text twice adds it only once."""
    for _ in range(2):
        page.get_by_role("button", name="1. Add a building").click()
        page.locator("#tutorial").get_by_role("button", name="Insert").click()
        wait_for_lines(
            page, ['building tea-house "Tea House"', "  row A", "  column 1", "  cost 1 wood", "  worth 1", ""]
        )
    assert sum(line.startswith("building") for line in get_lines(page)) == 1
    expect_step(page, "Make it do something")
    get_editor(page).click()
    for key in ("Control+End", "ArrowUp", "End", "Enter"):
        page.keyboard.press(key)
    type_lines(page, ABILITY)
    expect_step(page, MISTAKEN)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.type("d")
    page.locator("#problems .fix").click()
    expect_step(page, MENDED)
    expect(get_editor(page)).to_contain_text("may gain 1 gold")
    get_editor(page).get_by_text("tea-house").click()
    expect(page.locator("#english")).to_contain_text("you may gain 1 gold")
    expect(page.locator("#changes")).to_contain_text("Tea House")
    expect_step(page, "Play it")
