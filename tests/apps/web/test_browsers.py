"""What only a browser shows of every change: scripts, layout and news, in few visits; no page complains.

What can be asserted of an answer of the server is asserted there, without a browser (test_web*.py, test_studio_*.py);
what takes longer is `slow`, in the files beside this one.
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
    answer,
    asked,
    continued,
    fits,
    lit,
    no_barriers,
    open_table,
    saved,
    version,
    whose_turn,
)
from studio_browsing import (
    ABILITY,
    MENDED,
    MISTAKEN,
    answers_at,
    at_step,
    begin_tutorial,
    editor,
    empties,
    holds,
    lines_of,
    makes_a_scene,
    part,
    poll,
    table,
    type_lines,
)

pytestmark = pytest.mark.xdist_group("browsers")  # one server and one browser for all of it


def test_a_whole_game_is_played_through_everything_that_happens_to_browsers(people: People) -> None:
    pages = [people.page({"width": 820, "height": 1180}), people.page(PHONE)]
    links = open_table(pages[0], "pig", 2, goal=5)[:2]
    for page, link in zip(pages, links, strict=True):
        page.goto(link)
    first = whose_turn(pages)
    away = next(page for page in pages if page is not first)
    away.context.set_offline(True)  # somebody is away for a while ...
    answer(first, 0)
    away.context.set_offline(False)  # ... and comes back to the table as it is
    expect(away.locator("form.play")).to_have_attribute("data-version", str(version(first)))
    gives_one_answer_for_two_tabs(people, whose_turn(pages))
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
    no_barriers(pages[0], "the end", dark=False)


def gives_one_answer_for_two_tabs(people: People, page: Page) -> None:
    other = people.tab(page.context)
    other.route("**/news*", lambda route: route.abort())  # this tab hears no news
    other.goto(page.url)
    before = version(other)
    answer(page, 0)
    after = version(page)
    assert version(other) == before
    other.locator("button.option").first.click()
    expect(other.get_by_role("alert")).to_contain_text("answered that already")
    assert version(other) == version(page) == after
    other.close()


def test_a_phone_shows_one_part_of_the_table_at_a_time_and_dice_are_tapped_there(
    people: People, tmp_path: Path
) -> None:
    links = continued(people, saved(tmp_path, "kingsburg", answers=22))  # the dice are 2, 2 and 4
    page = people.page(PHONE)
    assert any(lit(page, link) for link in links)
    parts = {"Provinces": "#panel-provinces", "Log": "#what-happened", "Board": "#panel-advisors"}
    for name, shown in parts.items():
        page.get_by_role("navigation", name="Parts of the table").get_by_role("link", name=name).click()
        for one in parts.values():
            expect(page.locator(one)).to_be_visible(visible=one == shown)
        assert page.locator(".question").is_visible()
        fits(page, [(390, 844)])
    can_be_met = page.locator(".pane.open:not(.unfit) .on-board")
    assert can_be_met.all_inner_texts() == ["Squire", "Merchant", "Alchemist", "Treasurer"]
    for die in page.locator("#tray .pick").all()[:2]:
        die.click()
    assert can_be_met.all_inner_texts() == ["Merchant", "Treasurer"]
    expect(page.locator(".pane.met .on-board")).to_have_text("Merchant")
    with page.expect_response("**/table*"):
        page.evaluate("htmx.trigger('#table', 'again')")
    page.wait_for_timeout(100)
    expect(page.locator("#tray .pick[aria-pressed=true]")).to_have_count(2)
    no_barriers(page, "dice", dark=False)
    fits(page)
    page.locator(".pane.met .on-board").click()
    expect(page.locator("[data-dice^='advisors-merchant-'] .die")).to_have_count(2)  # not the 4, which is one die
    page.get_by_role("navigation", name="Parts of the table").get_by_role("link", name="Provinces").click()
    page.evaluate("document.querySelector('.players').dataset.old = ''; form().dataset.mark = ''")
    page.evaluate("htmx.trigger('#table', 'again')")  # for all of it
    expect(page.locator(".players:not([data-old])")).to_have_count(1)
    expect(page.locator("#panel-provinces")).to_be_visible()
    expect(page.locator("#panel-advisors")).to_be_hidden()


def test_friends_gather_in_a_room_and_are_led_to_the_table(people: People) -> None:
    host, friend = people.page(), people.page(PHONE)
    host.goto("/")
    mine = host.get_by_role("region", name="A table for friends")
    mine.get_by_label("Game").select_option("pig")
    mine.get_by_label("Your name").fill("Ann")
    mine.get_by_role("button", name="Invite").click()
    no_barriers(host, "room")
    friend.goto(host.locator("#invitation").get_attribute("href") or "")
    no_barriers(friend, "invitation", dark=False)
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


def test_somebody_writes_a_building_plays_and_keeps_it_as_a_scene(people: People) -> None:
    page = people.page()
    page.goto("/studio")
    no_barriers(page, "the studio's start", dark=False)
    begin_tutorial(page)
    types(page)
    follows_the_tutorial(page)
    part(page, "Play").click()
    page.get_by_role("button", name="New game").click()
    option = table(page).locator(".question.yours button.option").first
    option.wait_for()
    before = answers_at(page)
    option.click()
    poll(page, lambda: answers_at(page) > before, lambda: answers_at(page))
    makes_a_scene(page)
    page.locator(".tab", has_text="rules.edict").click()
    editor(page).get_by_text("tea-house").click()
    above: list[str | re.Pattern[str]] = ["1 scene: passed", "play from here", re.compile("no scene has")]
    expect(page.locator("#above button")).to_have_text(above)
    expect(page.locator(".lens")).to_contain_text("1 scene: passed")
    part(page, "Study").click()
    expect(page.locator("#study")).to_contain_text("Tea House")
    page.locator("#above").get_by_role("button", name="play from here").click()
    expect(table(page).locator(".question.yours")).to_be_visible()
    no_barriers(page, "with a game")
    page.get_by_role("link", name="Share, print").click()
    no_barriers(page, "share", dark=False)


def types(page: Page) -> None:
    """A line that is gone is not indented any more, and what is pasted keeps its own spaces."""
    empties(page)
    held = list[Route]()
    page.route("**/ask/indent", lambda route: held.append(route))
    page.keyboard.type("phase tea")
    page.keyboard.press("Enter")
    poll(page, lambda: held)
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    with page.expect_response("**/ask/indent"):
        held[0].continue_()
    page.unroute("**/ask/indent")
    page.wait_for_timeout(200)
    assert lines_of(page) == [""]
    page.keyboard.type('advisor cook "Cook"')
    page.keyboard.press("Enter")
    poll(page, lambda: lines_of(page)[-1] == "  ")
    pasted = "  rank 7\n\nwhen end of year\n  each player\n    gain 1 gold\n"
    editor(page).evaluate(PASTE, pasted)
    holds(page, ['advisor cook "Cook"', *pasted.split("\n")])
    empties(page)


PASTE = """(one, text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  one.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


def follows_the_tutorial(page: Page) -> None:
    """To the first game. It writes what it asks one to type, once."""
    for _ in range(2):
        page.get_by_role("button", name="1. Add a building").click()
        page.locator("#tutorial").get_by_role("button", name="Insert").click()
        holds(page, ['building tea-house "Tea House"', "  row A", "  column 1", "  cost 1 wood", "  worth 1", ""])
    assert sum(line.startswith("building") for line in lines_of(page)) == 1
    at_step(page, "Make it do something")
    editor(page).click()
    for key in ("Control+End", "ArrowUp", "End", "Enter"):
        page.keyboard.press(key)
    type_lines(page, ABILITY)
    at_step(page, MISTAKEN)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.type("d")
    page.locator("#problems .fix").click()
    at_step(page, MENDED)
    expect(editor(page)).to_contain_text("may gain 1 gold")
    editor(page).get_by_text("tea-house").click()
    expect(page.locator("#english")).to_contain_text("you may gain 1 gold")
    expect(page.locator("#changes")).to_contain_text("Tea House")
    at_step(page, "Play it")
