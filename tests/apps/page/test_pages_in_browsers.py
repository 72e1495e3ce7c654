"""Complete pages in Chromium (`make page-test`): played, used to write rules, and used offline."""

from __future__ import annotations

import base64
import io
import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from threading import Event
from typing import Any
from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

from browsing import launch_chromium
from calling import make_two_question_game
from edict.game.table.game_links import GameLink
from edict.game.table.rules import load_rules
from studio_browsing import BUILDING, type_lines
from whole_pages import TIMEOUT, WHOLE, host_files

pytestmark = WHOLE
MAX_PYTHON_PLAYOUTS = 10  # games that a hint plays at most without the machine
LARGEST_STORE = 40_000_000  # bytes that a browser stores of a page
LOADED_BEFORE = {f"/game/{name}" for name in ("service_worker.js", "shell.css", "icon.svg")}  # loaded before it
ALL_STORED = """async (files) => {
  const [release] = await caches.keys();
  return (await (await caches.open(release)).keys()).length === files;
}"""
GAMES_PLAYED = re.compile(r"\d,\d{3} of \d")  # progress of a study with thousands of games


def test_rule_is_written_in_the_studio_and_studied_on_the_machine(page_made: Path) -> None:
    with host_files(page_made) as (address, _), launch_chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(TIMEOUT)
        page.goto(f"{address}/game/#/studio")
        frame = page.frame_locator("#application")
        frame.get_by_role("button", name="Begin the tutorial").click()
        expect(frame.locator("#problems")).to_contain_text("No problems", timeout=TIMEOUT)
        frame.locator(".cm-content[contenteditable=true]").click()
        page.keyboard.press("Control+End")
        type_lines(page, BUILDING)
        expect(frame.locator("#problems")).to_contain_text("No problems", timeout=TIMEOUT)
        frame.get_by_role("button", name="Study").click()
        expect(frame.locator("#study")).to_contain_text(GAMES_PLAYED, timeout=TIMEOUT)


def test_game_below_a_path_survives_a_reload_without_a_network(page_made: Path) -> None:
    with host_files(page_made) as (address, stop_server), launch_chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(TIMEOUT)
        errors: list[str] = []
        page.on("pageerror", lambda fault: errors.append(str(fault)))
        page.goto(f"{address}/game/")
        frame = page.frame_locator("#application")
        frame.locator("section.begin button.main").first.click()
        for _ in range(3):
            answers = frame.locator("form.play button[name=answer]:enabled")
            answers.first.wait_for()
            before = frame.locator("form.play").get_attribute("data-version")
            answers.first.click()
            frame.locator(f"form.play:not([data-version='{before}'])").wait_for()
        frame.locator("form.play button[name=answer]:enabled").first.wait_for()
        frame.locator("#hint").click()
        frame.get_by_text("The numbers").click()
        frame.locator("table.hint").wait_for()
        playouts = frame.locator("table.hint td:last-child").all_inner_texts()
        machine = page_made / "game" / "machine"
        assert not machine.exists() or sum(map(int, playouts)) > MAX_PYTHON_PLAYOUTS, "bots have it"
        seat_url = page.url
        assert "/game/#/seat/" in seat_url
        stop_server()
        page.reload()
        frame.locator("form.play").wait_for()
        assert page.url == seat_url and not errors


def test_start_page_is_usable_before_python_is_there(page_made: Path) -> None:
    released = Event()

    def hold_python(path: str) -> None:
        if path.endswith("pyodide.asm.wasm.gz"):
            released.wait(TIMEOUT / 1000)

    with host_files(page_made, hold_python) as (address, _), launch_chromium() as browser:
        page = browser.new_page(locale="de-DE")
        page.set_default_timeout(TIMEOUT)
        errors: list[str] = []
        page.on("pageerror", lambda fault: errors.append(str(fault)))
        page.goto(f"{address}/game/")
        frame = page.frame_locator("#application")
        expect(frame.locator("html")).to_have_attribute("lang", "de")
        frame.locator("p > a[href*=gallery]").click()
        expect(frame.locator("main.gallery svg").first).to_be_visible()
        frame.locator("main > p > a").click()
        expect(frame.locator(".covers svg").first).to_be_visible()
        form = frame.locator("form[action$='/play']")
        form.locator("select").select_option("four-lanes")
        form.locator("[name=name]").fill("Ann")
        form.locator("button.main").click()
        expect(form.locator("button.main")).to_have_attribute("aria-busy", "true")
        expect(page.locator("#stage")).to_contain_text("as soon as")
        assert page.url == f"{address}/game/"
        released.set()
        frame.locator("form.play").wait_for()
        assert "/game/#/seat/" in page.url and not errors
        expect(frame.locator("body")).to_contain_text("Ann")
        expect(frame.locator("html")).to_have_attribute("lang", "de")
        page.goto(f"{address}/game/#/?language=en")
        expect(frame.locator(".covers svg").first).to_be_visible()
        expect(frame.locator("html")).to_have_attribute("lang", "en")


def test_second_visit_needs_no_network_and_stores_each_file_once(page_made: Path) -> None:
    requested: list[str] = []
    with host_files(page_made, requested.append) as (address, stop_server), launch_chromium() as browser:
        context = browser.new_context()
        context.set_default_timeout(TIMEOUT)
        page = context.new_page()
        page.goto(f"{address}/game/")
        frame = page.frame_locator("#application")
        frame.locator("section.begin button.main").first.click()
        frame.locator("form.play").wait_for()
        page.wait_for_function(ALL_STORED, arg=len(read_file_table(page_made)))
        assert page.evaluate("navigator.storage.estimate().then(({ usage }) => usage)") < LARGEST_STORE
        assert len(context.pages) == 1 and len(page.evaluate("caches.keys()")) == 1
        twice = {path for path, times in Counter(requested).items() if times > 1}
        assert twice <= LOADED_BEFORE, "whether they are current is asked once more"
        page.close()
        stop_server()

        page = context.new_page()
        page.goto(f"{address}/game/")
        frame = page.frame_locator("#application")
        frame.locator("#own-tables a").click()
        frame.locator("form.play").wait_for()


def read_file_table(page_made: Path) -> dict[str, Any]:
    """Return the files that the service worker stores."""
    line = (page_made / "game" / "service_worker.js").read_text().splitlines()[1]
    table: dict[str, Any] = json.loads(line.removeprefix("const FILES = ").rstrip(";"))
    return table


def test_game_in_a_link_is_replayed(page_made: Path) -> None:
    finished_game, rng = load_rules("pig").new_game(["Ann", "Ben"]), Random(4)
    while not finished_game.over:
        finished_game.answer(rng.choice(finished_game.ask.options).key)
    with host_files(page_made) as (address, _), launch_chromium() as browser:
        ann = _open_browser(browser, f"{address}/game/")
        ann.goto(f"{address}/game/#game={GameLink(finished_game.journal).encode()}")
        frame = ann.frame_locator("#application")
        frame.locator("a[rel=next]").click()
        frame.locator("#replay-at", has_text="1").wait_for()
        frame.locator(".taken .tells").first.click()
        frame.locator("article.why").wait_for()
        assert "/game/#/shared/" in ann.url


def test_two_browsers_play_by_links(page_made: Path) -> None:
    with host_files(page_made) as (address, _), launch_chromium() as browser:
        ann, ben = (_open_browser(browser, f"{address}/game/") for _ in range(2))
        frame = ann.frame_locator("#application")
        form = frame.locator("form[action$='/tables/by-links']")
        form.locator("select").select_option("pig")
        form.locator("[name=name]").fill("Ann")
        form.locator("[name=others]").fill("Ben")
        form.locator("button").click()
        current, waiting = ann, ben
        for _ in range(3):
            link = _answer_until_link(current)
            assert link.startswith(f"{address}/game/#game=")
            _open_link(waiting, link)
            claim_button = waiting.frame_locator("#application").locator("form[action$='/claim'] button")
            claim_button.or_(waiting.frame_locator("#application").locator("form.play")).first.wait_for()
            if claim_button.count():
                claim_button.click()
            current, waiting = waiting, current


def _open_browser(browser: Any, address: str) -> Any:
    page = browser.new_context().new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(address)
    page.frame_locator("#application").locator("section.begin").first.wait_for()
    return page


def _open_link(page: Any, link: str) -> None:
    """Open a link, and wait until its page has replaced the one shown before."""
    frame = page.frame_locator("#application")
    frame.locator("body").evaluate("(body) => { body.dataset.before = '' }")
    page.goto(link)
    frame.locator("body:not([data-before])").wait_for()


def _answer_until_link(page: Any) -> str:
    """Answer all questions of this player, and return the link for the next one."""
    frame = page.frame_locator("#application")
    form, link = frame.locator("form.play"), frame.locator("#hand-on textarea")
    options = form.locator(".options button[name=answer]:enabled")
    for _ in range(200):
        options.or_(link).first.wait_for()
        if link.count():
            return str(link.input_value())
        before = form.get_attribute("data-version")
        options.last.click()
        frame.locator(f"form.play:not([data-version='{before}'])").wait_for()
    raise AssertionError("it is always the same one's turn")


# --- guests --------------------------------------------------------------------------------------------------


SECRET_GAME = "four-lanes"  # players choose cards of their hands in secret
RECORD_MESSAGES = """
const all = (window.heard = new Map());
const own = Object.getOwnPropertyDescriptor(RTCDataChannel.prototype, "onmessage");
Object.defineProperty(RTCDataChannel.prototype, "onmessage", { ...own, set(heard) {
  own.set.call(this, (event) => {
    const number = new DataView(event.data).getUint32(0);
    all.set(number, (all.get(number) ?? "") + new TextDecoder().decode(new Uint8Array(event.data, 5)));
    heard(event);
  });
} });
"""  # records all that a window receives over its connection by number of the request


def open_window(browser: Any, errors: list[str], script: str = "") -> Any:
    """Open a page in a browser context of its own, and collect its errors."""
    context = browser.new_context()
    context.add_init_script(script)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.on("pageerror", lambda fault: errors.append(str(fault)))
    page.on("dialog", lambda asked: asked.accept())  # the browser's question before leaving
    return page


def get_application(page: Any) -> Any:
    """Return the frame of the application."""
    return page.frame_locator("#application")


def connect(host: Any, guest: Any) -> None:
    """Connect a guest: open the host's newest link, and paste the guest's answer code."""
    guest.goto(host.wait_for_function("document.querySelector('#hosting [name=link]')?.value").json_value())
    guest.get_by_role("button", name="Make the answer code").click()
    code = guest.wait_for_function("document.querySelector('#joining [name=code]')?.value").json_value()
    host.locator("#hosting [name=answer]").fill(code)
    host.get_by_role("button", name="Connect", exact=True).click()
    host.locator("#guests", has_text="1 / 1").wait_for()


def read_hand(page: Any) -> set[str]:
    """Return the cards that a player can choose."""
    return set(
        get_application(page).locator("form.play button.option").evaluate_all("all => all.map((one) => one.value)")
    )


def play_first_card(page: Any) -> None:
    """Play the first card of the hand and wait for the next state."""
    form = get_application(page).locator("form.play")
    before = form.get_attribute("data-version")
    form.locator("button.option").first.click()
    get_application(page).locator(f"form.play:not([data-version='{before}'])").wait_for()


def test_guest_in_another_browser_learns_no_secret_and_returns_by_a_new_link(page_made: Path) -> None:
    with host_files(page_made) as (address, _), launch_chromium() as browser:
        errors: list[str] = []
        ann, ben = open_window(browser, errors), open_window(browser, errors, RECORD_MESSAGES)
        ann.goto(f"{address}/game/")
        friends = get_application(ann).locator("form[action$='/rooms']")
        friends.locator("[name=game]").select_option(SECRET_GAME)
        friends.locator("[name=name]").fill("Ann")
        friends.get_by_role("button", name="Invite").click()
        get_application(ann).get_by_role("link", name="Invite somebody").click()
        connect(ann, ben)
        get_application(ben).locator("[name=name]").fill("Ben")
        get_application(ben).get_by_role("button", name="Join").click()
        get_application(ann).locator(".guests", has_text="Ben").wait_for()
        get_application(ann).locator("[name=bots]").fill("0")
        get_application(ann).get_by_role("button", name="Begin").click()
        for page in (ann, ben):
            get_application(page).locator("form.play button.option").first.wait_for()
        for _ in range(6):  # the game may ask the two in any order
            current = next(
                page
                for _ in range(TIMEOUT)
                for page in (ann, ben)
                if get_application(page).locator(".question.yours button.option").count() or page.wait_for_timeout(20)
            )
            play_first_card(current)

        host_hand, guest_hand = read_hand(ann), read_hand(ben)
        received = "".join(ben.evaluate("[...heard.values()]"))
        key = ann.url.rpartition("/")[2]
        assert guest_hand and all(f'"{card}"' in received for card in guest_hand)
        assert not [secret for secret in (key, *(f'"{card}"' for card in host_hand - guest_hand)) if secret in received]
        statuses = ben.evaluate(
            "Promise.all(['', 'studio', 'gallery'].map((one) => fetch(location.hash.slice(1).replace(/^.with/, 'with')"
            ".replace(/seat.*/, one)).then((found) => found.status)))"
        )
        assert statuses == [403] * 3

        guest_url = ben.url
        ben.reload()
        ben.locator("#joining [data-step=away]").wait_for()
        ann.locator("#guests", has_text="0 / 1").click()
        ann.get_by_role("button", name="New link").click()
        connect(ann, ben)
        get_application(ben).locator("form.play").wait_for()
        assert ben.url == guest_url and read_hand(ben) == guest_hand and not errors
        ann.close()
        ben.locator("#joining [data-step=away]").wait_for()


# --- uploaded rules ------------------------------------------------------------------------------------------


QUESTION = """\
choose one "How?"
  option "Much"
    {much}
  option "Little"
    gain 1 point
"""
ENDLESS = "repeat 9000 times\n      repeat 9000 times\n        gain 1 point"
DEEP = "".join(f"\nquantity q{one} is q{one - 1} + q{one - 1}" for one in range(1, 4000)) + "\nquantity q0 is 1\n"
SEND_REQUEST = """async ([path, sent, zip]) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(sent)) body.append(name, value);
  if (zip) body.append("module", new File([Uint8Array.from(atob(zip), (one) => one.charCodeAt(0))], "rules.zip"));
  const answer = await fetch(path, Object.keys(sent).length ? { method: "POST", body } : {});
  return [answer.status, await answer.text()];
}"""
NEW_TABLE = {"game": "pig", "seat-0": "person", "name-0": "Ann", "seat-1": "person", "name-1": "Ben"}


@pytest.mark.parametrize(
    ("much", "more", "says"),
    [(ENDLESS, "", "would run for ever, or far too long"), ("gain q3999 point", DEEP, "were stopped")],
    ids=["for ever", "deep"],
)
def test_rules_that_exceed_limits_are_stopped_and_the_page_continues(
    much: str, more: str, says: str, page_made: Path
) -> None:
    with host_files(page_made) as (address, _), launch_chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(TIMEOUT)
        page.goto(f"{address}/game/")
        page.frame_locator("#application").locator("section.begin").first.wait_for()

        def ask(path: str, sent: dict[str, str] | None = None, files: str = "") -> Any:
            return page.frames[1].evaluate(SEND_REQUEST, [f"{address}/game{path}", sent or {}, files])

        archive = io.BytesIO()
        with ZipFile(archive, "w") as rules:
            for name, content in make_two_question_game("greedy-rules", QUESTION.format(much=much)).items():
                rules.writestr(name, content)
            rules.writestr("more.edict", more)
        status, text = ask("/tables", NEW_TABLE, base64.b64encode(archive.getvalue()).decode())
        if status == 200:
            seats = re.findall(r'href="[^"]*(/seat/[\w-]+)"', text)
            texts = {seat: ask(seat)[1] for seat in seats}
            current_seat = next(seat for seat, found in texts.items() if 'value="much"' in found)
            version = re.findall(r'name="version" value="(\d+)"', texts[current_seat])[0]
            text = ask(f"{current_seat}/answer", {"version": version, "answer": "much", "since": ""})[1]
        assert says in text
        assert ask("/play", {"name": "Ann"})[0] == 200, "there is another table"
