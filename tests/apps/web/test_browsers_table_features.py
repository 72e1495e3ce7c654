"""Quick play, talk, lessons, clocks and turn notices in real browsers; no page logs an error."""

from __future__ import annotations

import json
import socket

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from playwright.sync_api import Page, expect

from browsing import PHONE, People, assert_accessible, can_answer, create_table, get_version

pytestmark = [pytest.mark.xdist_group("browsers-around"), pytest.mark.slow]


def assert_no_horizontal_scrolling(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_quick_play_starts_with_one_click_and_remembers_table_and_name(people: People) -> None:
    page = people.open_page(PHONE)
    page.goto("/")
    assert_accessible(page, "start page")
    assert_no_horizontal_scrolling(page)
    quick_play = page.get_by_role("region", name="Play now")
    quick_play.get_by_label("Your name").fill("Ann")
    quick_play.get_by_role("button", name="Play now").click()
    page.locator("form.play").wait_for()
    title = page.locator("h1").inner_text()
    page.goto("/")
    expect(page.get_by_role("region", name="Play now").get_by_label("Your name")).to_have_value("Ann")
    page.get_by_role("region", name="Continue").get_by_role("link", name=title).click()
    page.locator("form.play").wait_for()


def test_forms_are_accepted_over_plain_http(people: People) -> None:
    """Forms work without TLS, as in a home network.

    There browsers send only the Origin of a form, and not even that under a referrer policy of `no-referrer`.
    """
    page = people.browser.new_page()
    posts: list[dict[str, str]] = []
    page.on("request", lambda request: posts.append(request.all_headers()) if request.method == "POST" else None)
    page.goto(f"http://{socket.gethostname().casefold()}.local:{people.server.port}/")
    page.get_by_role("region", name="Play now").get_by_role("button", name="Play now").click()
    page.locator("form.play").wait_for()
    page.close()
    assert "sec-fetch-site" not in posts[0] and posts[0]["origin"].startswith("http://")


def test_talk_arrives_at_once_and_is_marked_until_read(people: People) -> None:
    links = create_table(people, "pig")
    ann, ben = people.open_page(), people.open_page(PHONE)
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
    assert_accessible(ben, "talk")
    assert_no_horizontal_scrolling(ben)


def test_dismissed_lesson_stays_hidden(people: People) -> None:
    link = create_table(people, "kingsburg")[0]
    page = people.open_page()
    page.goto(link)
    lesson = page.locator(".lesson:visible")
    expect(lesson).to_contain_text("Each year has three productive seasons")
    assert_accessible(page, "lesson")
    lesson.get_by_role("button", name="Got it").click()
    expect(page.get_by_text("Each year has three productive seasons")).to_be_hidden()
    page.reload()
    page.locator("form.play").wait_for()
    expect(page.get_by_text("Each year has three productive seasons")).to_be_hidden()


def test_first_question_of_a_kind_is_explained_with_a_suggestion(people: People) -> None:
    page, links = people.open_page(), create_table(people, "pig")
    assert any(can_answer(page, link) for link in links)
    lesson = page.locator(".lesson:visible")
    expect(lesson).to_contain_text(page.locator("#asked").inner_text())
    expect(lesson.locator(".led")).to_contain_text("Take ")
    assert_accessible(page, "led question")
    lesson.get_by_role("button", name="Got it").click()
    expect(lesson).to_have_count(0)
    before = get_version(page)
    page.locator(".option").first.click()
    expect(page.locator("form.play")).not_to_have_attribute("data-version", str(before))
    expect(lesson).to_have_count(0)


def test_two_players_answer_simultaneously_against_a_clock(people: People) -> None:
    host, friend = people.open_page(), people.open_page(PHONE)
    host.goto("/")
    room_form = host.get_by_role("region", name="A table for friends")
    room_form.get_by_label("Game").select_option("four-lanes")
    room_form.get_by_label("Your name").fill("Ann")
    room_form.get_by_text("Clock", exact=True).click()
    room_form.get_by_label("Time to think").select_option("game")
    room_form.get_by_label("Minutes for each player").fill("5")
    room_form.get_by_role("button", name="Invite").click()
    friend.goto(host.locator("#invitation").get_attribute("href") or "")
    expect(friend.locator("main")).to_contain_text("5 minutes each, plus 15 seconds a turn")
    friend.get_by_label("Your name").fill("Ben")
    friend.get_by_role("button", name="Join").click()
    expect(host.locator("#people")).to_contain_text("Ben")
    host.get_by_label("Bots as well").fill("0")
    host.get_by_role("button", name="Begin").click()
    for page in (friend, host):
        page.locator("button.option").first.wait_for()
    friend.locator("button.option").first.click()
    expect(friend.locator("#asked")).to_have_text("Ann is thinking")
    expect(host.locator("button.option").first).to_be_visible()
    expect(host.locator("time[data-runs]")).not_to_have_text("5:00")
    assert_accessible(friend, "answered")
    assert_no_horizontal_scrolling(friend)
    friend.get_by_role("button", name="Change my answer").click()
    friend.locator("button.option").nth(1).click()
    expect(friend.locator("#asked")).to_have_text("Ann is thinking")
    host.locator("button.option").first.click()
    for page in (friend, host):
        expect(page.locator("#log")).to_contain_text("is revealed")


def test_push_notice_is_shown_only_if_the_table_is_not_open(people: People) -> None:
    pytest.importorskip("pywebpush", reason="pywebpush, of the extra `push`, is not installed")
    page = people.open_page()
    page.goto(create_table(people, "pig")[0])
    checkbox = page.get_by_label("Notify me when it is my turn")
    checkbox.click()
    expect(page.locator("#notices-said")).to_contain_text("does not let this site notify you")
    expect(checkbox).not_to_be_checked()
    page.context.grant_permissions(["notifications"])
    table = checkbox.get_attribute("data-table")
    page.evaluate(_REGISTER_SEAT, table)
    session, registrations = page.context.new_cdp_session(page), list[dict[str, str]]()
    session.on(
        "ServiceWorker.workerRegistrationUpdated", lambda payload: registrations.extend(payload["registrations"])
    )
    session.send("ServiceWorker.enable")
    while not registrations:
        page.wait_for_timeout(50)

    def deliver_push_message() -> object:
        """Send the service worker a push message about a turn and return the notifications that it shows."""
        payload = json.dumps({"table": table, "title": "Pig", "text": "It is your turn, Ann."})
        message = {
            "origin": people.server.address,
            "registrationId": registrations[-1]["registrationId"],
            "data": payload,
        }
        session.send("ServiceWorker.deliverPushMessage", message)
        page.wait_for_timeout(500)
        return page.evaluate(_GET_NOTIFICATIONS)

    assert deliver_push_message() == []
    page.goto("/")
    assert deliver_push_message() == [["Pig", "It is your turn, Ann."]]


# Private contexts, as tests use them, cannot subscribe to push messages, so this script does the page's part.
_REGISTER_SEAT = """async (table) => {
  await navigator.serviceWorker.register("/notices/worker.js");
  await (await caches.open("own tables")).put(`/notices/${table}`, new Response(location.pathname));
}"""
_GET_NOTIFICATIONS = """async () => {
  const worker = await navigator.serviceWorker.getRegistration("/notices/worker.js");
  return (await worker.getNotifications()).map((one) => [one.title, one.body]);
}"""
