"""Around the tables in real browsers: how one begins, what is remembered, talk, clocks, notices; no page complains."""

from __future__ import annotations

import json
import socket

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from playwright.sync_api import Page, expect

from browsing import PHONE, People, no_barriers, table_of

pytestmark = [pytest.mark.xdist_group("browsers-around"), pytest.mark.slow]


def no_sideways(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_one_click_plays_and_the_table_and_the_name_are_remembered(people: People) -> None:
    page = people.page(PHONE)
    page.goto("/")
    no_barriers(page, "start page")
    no_sideways(page)
    now = page.get_by_role("region", name="Play now")
    now.get_by_label("Your name").fill("Ann")
    now.get_by_role("button", name="Play now").click()
    page.locator("form.play").wait_for()
    title = page.locator("h1").inner_text()
    page.goto("/")
    expect(page.get_by_role("region", name="Play now").get_by_label("Your name")).to_have_value("Ann")
    page.get_by_role("region", name="Continue").get_by_role("link", name=title).click()
    page.locator("form.play").wait_for()


def test_forms_are_taken_without_tls_as_in_a_home_network(people: People) -> None:
    """There browsers name the origin of a form only, and not even that if no page may have a referrer."""
    page = people.browser.new_page()
    posts: list[dict[str, str]] = []
    page.on("request", lambda asked: posts.append(asked.all_headers()) if asked.method == "POST" else None)
    page.goto(f"http://{socket.gethostname().casefold()}.local:{people.server.port}/")
    page.get_by_role("region", name="Play now").get_by_role("button", name="Play now").click()
    page.locator("form.play").wait_for()
    page.close()
    assert "sec-fetch-site" not in posts[0] and posts[0]["origin"].startswith("http://")


def test_what_one_says_is_heard_at_once_and_marked_until_it_is_read(people: People) -> None:
    links = table_of(people, "pig")
    ann, ben = people.page(), people.page(PHONE)
    for page, link in ((ann, links[0]), (ben, links[1])):
        page.goto(link)
        page.locator("#said .talk").wait_for(state="attached")
    ann.get_by_text("Talk").click()
    ann.get_by_label("Say something").fill("Hello there")
    ann.get_by_role("button", name="Say", exact=True).click()
    expect(ann.locator(".talk")).to_contain_text("Hello there")
    expect(ben.locator("#unheard")).to_be_visible()
    ben.get_by_text("Talk").click()
    expect(ben.locator("#unheard")).to_be_hidden()
    expect(ben.locator(".talk")).to_contain_text("Hello there")
    no_barriers(ben, "talk")
    no_sideways(ben)


def test_a_hint_is_put_away_for_good(people: People) -> None:
    link = table_of(people, "kingsburg")[0]
    page = people.page()
    page.goto(link)
    first = page.locator(".lesson:visible")
    expect(first).to_contain_text("A year has three seasons")
    no_barriers(page, "lesson")
    first.get_by_role("button", name="Got it").click()
    expect(page.get_by_text("A year has three seasons")).to_be_hidden()
    page.reload()
    page.locator("form.play").wait_for()
    expect(page.get_by_text("A year has three seasons")).to_be_hidden()


def test_two_answer_at_once_against_a_clock(people: People) -> None:
    host, friend = people.page(), people.page(PHONE)
    host.goto("/")
    mine = host.get_by_role("region", name="A table for friends")
    mine.get_by_label("Game").select_option("four-lanes")
    mine.get_by_label("Your name").fill("Ann")
    mine.get_by_text("Clock", exact=True).click()
    mine.get_by_label("Time to think").select_option("game")
    mine.get_by_label("Minutes for each player").fill("5")
    mine.get_by_role("button", name="Invite").click()
    friend.goto(host.locator("#invitation").get_attribute("href") or "")
    expect(friend.locator("main")).to_contain_text("5 minutes each, plus 15 seconds a turn")
    friend.get_by_label("Your name").fill("Ben")
    friend.get_by_role("button", name="Join").click()
    expect(host.locator("#people")).to_contain_text("Ben")
    host.get_by_label("Bots as well").fill("0")
    host.get_by_role("button", name="Begin").click()
    for page in (friend, host):
        page.locator("#option-0").wait_for()
    friend.locator("#option-0").click()
    expect(friend.locator("#asked")).to_have_text("Ann is thinking")
    expect(host.locator("#option-0")).to_be_visible()
    expect(host.locator("time[data-runs]")).not_to_have_text("5:00")
    no_barriers(friend, "answered")
    no_sideways(friend)
    friend.get_by_role("button", name="Change my answer").click()
    friend.locator("#option-1").click()
    expect(friend.locator("#asked")).to_have_text("Ann is thinking")
    host.locator("#option-0").click()
    for page in (friend, host):
        expect(page.locator("#log")).to_contain_text("is revealed")


def test_a_turn_is_told_to_who_does_not_look_at_the_table(people: People) -> None:
    pytest.importorskip("pywebpush", reason="pywebpush, of the extra `push`, is not installed")
    page = people.page()
    page.goto(table_of(people, "pig")[0])
    wish = page.get_by_label("Notify me when it is my turn")
    wish.click()
    expect(page.locator("#notices-said")).to_contain_text("does not let this site notify you")
    expect(wish).not_to_be_checked()
    page.context.grant_permissions(["notifications"])
    table = wish.get_attribute("data-table")
    page.evaluate(_SITTING, table)
    session, found = page.context.new_cdp_session(page), list[dict[str, str]]()
    session.on("ServiceWorker.workerRegistrationUpdated", lambda told: found.extend(told["registrations"]))
    session.send("ServiceWorker.enable")
    while not found:
        page.wait_for_timeout(50)

    def shown() -> object:
        """What the system shows once the worker has been told of a turn."""
        told = json.dumps({"table": table, "title": "Pig", "text": "It is your turn, Ann."})
        about = {"origin": people.server.address, "registrationId": found[-1]["registrationId"], "data": told}
        session.send("ServiceWorker.deliverPushMessage", about)
        page.wait_for_timeout(500)
        return page.evaluate(_SHOWN)

    assert shown() == []
    page.goto("/")
    assert shown() == [["Pig", "It is your turn, Ann."]]


# In a browser without a history, as those of tests are, nobody is told of anything: so the page's part is done by hand.
_SITTING = """async (table) => {
  await navigator.serviceWorker.register("/notices/worker.js");
  await (await caches.open("own tables")).put(`/notices/${table}`, new Response(location.pathname));
}"""
_SHOWN = """async () => {
  const worker = await navigator.serviceWorker.getRegistration("/notices/worker.js");
  return (await worker.getNotifications()).map((one) => [one.title, one.body]);
}"""
