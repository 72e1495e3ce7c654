"""Whole pages as Chromium opens them (`make page-test`): played, written in, without a network, without a server."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

from browsing import chromium
from calling import asked_once
from edict.game.table.game_links import GameLink
from edict.game.table.rules import load_rules
from studio_browsing import BUILDING, type_lines
from whole_pages import PATIENCE, WHOLE, hosted

pytestmark = WHOLE
IN_PYTHON = 10  # whole games that are tried for a hint, at most, without the machine
THOUSANDS = re.compile(r"\d,\d{3} of \d")  # of games that were played


def test_a_rule_is_written_in_the_pages_studio_and_studied_by_the_machine(page_made: Path) -> None:
    with hosted(page_made) as (at, _), chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{at}/game/#/studio")
        inside = page.frame_locator("#application")
        inside.get_by_role("button", name="Begin the tutorial").click()
        expect(inside.locator("#problems")).to_contain_text("No problems", timeout=PATIENCE)
        inside.locator(".cm-content[contenteditable=true]").click()
        page.keyboard.press("Control+End")
        type_lines(page, BUILDING)
        expect(inside.locator("#problems")).to_contain_text("No problems", timeout=PATIENCE)
        inside.get_by_role("button", name="Study").click()
        expect(inside.locator("#study")).to_contain_text(THOUSANDS, timeout=PATIENCE)


def test_a_game_is_played_below_a_path_goes_on_after_a_reload_and_without_a_network(page_made: Path) -> None:
    with hosted(page_made) as (at, close), chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        faults: list[str] = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.goto(f"{at}/game/")
        inside = page.frame_locator("#application")
        inside.locator("section.begin button.main").first.click()
        for _ in range(3):
            inside.locator("form.play button[name=answer]:enabled").first.click()
        inside.locator("#hint").click()
        inside.locator("table.hint").wait_for()
        tries = inside.locator("table.hint td:last-child").all_inner_texts()
        machine = page_made / "game" / "machine"
        assert not machine.exists() or sum(map(int, tries)) > IN_PYTHON, "bots have it"
        place = page.url
        assert "/game/#/seat/" in place
        close()
        page.reload()
        inside.locator("form.play").wait_for()
        assert page.url == place and not faults


def test_a_game_in_a_link_is_gone_through(page_made: Path) -> None:
    playing, luck = load_rules("pig").new_game(["Ann", "Ben"]), Random(4)
    while not playing.over:
        playing.answer(luck.choice(playing.ask.options).key)
    with hosted(page_made) as (at, _), chromium() as browser:
        ann = _visitor(browser, f"{at}/game/")
        ann.goto(f"{at}/game/#game={GameLink(playing.journal).encode()}")
        inside = ann.frame_locator("#application")
        inside.locator("a[rel=next]").click()
        inside.locator("#replay-at", has_text="1").wait_for()
        inside.locator(".taken .tells").first.click()
        inside.locator("article.why").wait_for()
        assert "/game/#/shared/" in ann.url


def test_two_browsers_play_by_links(page_made: Path) -> None:
    with hosted(page_made) as (at, _), chromium() as browser:
        ann, ben = (_visitor(browser, f"{at}/game/") for _ in range(2))
        inside = ann.frame_locator("#application")
        form = inside.locator("form[action$='/tables/by-links']")
        form.locator("select").select_option("pig")
        form.locator("[name=name]").fill("Ann")
        form.locator("[name=others]").fill("Ben")
        form.locator("button").click()
        mine, others = ann, ben
        for _ in range(3):
            link = _handed_on(mine)
            assert link.startswith(f"{at}/game/#game=")
            _opens(others, link)
            free = others.frame_locator("#application").locator("form[action$='/claim'] button")
            free.or_(others.frame_locator("#application").locator("form.play")).first.wait_for()
            if free.count():
                free.click()
            mine, others = others, mine


def _visitor(browser: Any, address: str) -> Any:
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.frame_locator("#application").locator("section.begin").first.wait_for()
    return page


def _opens(page: Any, link: str) -> None:
    """Where the page is open already, what was there before is not taken for what the link leads to."""
    inside = page.frame_locator("#application")
    inside.locator("body").evaluate("(body) => { body.dataset.before = '' }")
    page.goto(link)
    inside.locator("body:not([data-before])").wait_for()


def _handed_on(page: Any) -> str:
    """The link to whoever is next, once all questions here are answered."""
    inside = page.frame_locator("#application")
    form, link = inside.locator("form.play"), inside.locator("#hand-on textarea")
    asked = form.locator(".options button[name=answer]:enabled")
    for _ in range(200):
        asked.or_(link).first.wait_for()
        if link.count():
            return str(link.input_value())
        before = form.get_attribute("data-version")
        asked.last.click()
        inside.locator(f"form.play:not([data-version='{before}'])").wait_for()
    raise AssertionError("it is always the same one's turn")


# --- guests --------------------------------------------------------------------------------------------------


SECRETIVE = "four-lanes"  # everybody has a hand of cards, and plays one in secret
HEARD = """
const all = (window.heard = new Map());
const own = Object.getOwnPropertyDescriptor(RTCDataChannel.prototype, "onmessage");
Object.defineProperty(RTCDataChannel.prototype, "onmessage", { ...own, set(heard) {
  own.set.call(this, (event) => {
    const number = new DataView(event.data).getUint32(0);
    all.set(number, (all.get(number) ?? "") + new TextDecoder().decode(new Uint8Array(event.data, 5)));
    heard(event);
  });
} });
"""
"""Remembers all that a window hears over its connection, by the number of the request."""


def window(browser: Any, faults: list[str], script: str = "") -> Any:
    context = browser.new_context()
    context.add_init_script(script)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("dialog", lambda asked: asked.accept())  # whether to leave
    return page


def inside(page: Any) -> Any:
    return page.frame_locator("#application")


def connected(host: Any, guest: Any) -> None:
    """The host's newest link is opened, answered, and the answer pasted."""
    guest.goto(host.wait_for_function("document.querySelector('#hosting [name=link]')?.value").json_value())
    guest.get_by_role("button", name="Make the answer code").click()
    code = guest.wait_for_function("document.querySelector('#joining [name=code]')?.value").json_value()
    host.locator("#hosting [name=answer]").fill(code)
    host.get_by_role("button", name="Connect", exact=True).click()
    host.locator("#guests", has_text="1 / 1").wait_for()


def hand(page: Any) -> set[str]:
    return set(inside(page).locator("form.play button.option").evaluate_all("all => all.map((one) => one.value)"))


def play(page: Any) -> None:
    """The first card of the hand; until the next round begins, or it is somebody else's turn to choose."""
    form = inside(page).locator("form.play")
    before = form.get_attribute("data-version")
    form.locator("button.option").first.click()
    inside(page).locator(f"form.play:not([data-version='{before}'])").wait_for()


def test_a_guest_plays_in_another_browser_learns_no_secret_and_comes_back_by_a_new_link(page_made: Path) -> None:
    with hosted(page_made) as (at, _), chromium() as browser:
        faults: list[str] = []
        ann, ben = window(browser, faults), window(browser, faults, HEARD)
        ann.goto(f"{at}/game/")
        friends = inside(ann).locator("form[action$='/rooms']")
        friends.locator("[name=game]").select_option(SECRETIVE)
        friends.locator("[name=name]").fill("Ann")
        friends.get_by_role("button", name="Invite").click()
        inside(ann).get_by_role("link", name="Invite somebody").click()
        connected(ann, ben)
        inside(ben).locator("[name=name]").fill("Ben")
        inside(ben).get_by_role("button", name="Join").click()
        inside(ann).locator(".guests", has_text="Ben").wait_for()
        inside(ann).locator("[name=bots]").fill("0")
        inside(ann).get_by_role("button", name="Begin").click()
        for page in (ann, ben):
            inside(page).locator("form.play button.option").first.wait_for()
        for _ in range(6):  # answers; the two choose in whatever order the game asks them
            asked = next(
                page
                for _ in range(PATIENCE)
                for page in (ann, ben)
                if inside(page).locator(".question.yours button.option").count() or page.wait_for_timeout(20)
            )
            play(asked)

        mine, theirs = hand(ann), hand(ben)
        heard = "".join(ben.evaluate("[...heard.values()]"))
        key = ann.url.rpartition("/")[2]
        assert theirs and all(f'"{card}"' in heard for card in theirs)
        assert not [secret for secret in (key, *(f'"{card}"' for card in mine - theirs)) if secret in heard]
        closed = ben.evaluate(
            "Promise.all(['', 'studio', 'gallery'].map((one) => fetch(location.hash.slice(1).replace(/^.with/, 'with')"
            ".replace(/seat.*/, one)).then((found) => found.status)))"
        )
        assert closed == [403] * 3

        place = ben.url
        ben.reload()
        ben.locator("#joining [data-step=away]").wait_for()
        ann.locator("#guests", has_text="0 / 1").click()
        ann.get_by_role("button", name="New link").click()
        connected(ann, ben)
        inside(ben).locator("form.play").wait_for()
        assert ben.url == place and hand(ben) == theirs and not faults
        ann.close()
        ben.locator("#joining [data-step=away]").wait_for()


# --- strangers' rules ----------------------------------------------------------------------------------------


QUESTION = """\
choose one "How?"
  option "Much"
    {much}
  option "Little"
    gain 1 point
"""
FOR_EVER = "repeat 9000 times\n      repeat 9000 times\n        gain 1 point"
DEEP = "".join(f"\nquantity q{one} is q{one - 1} + q{one - 1}" for one in range(1, 4000)) + "\nquantity q0 is 1\n"
ASK = """async ([path, sent, zip]) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(sent)) body.append(name, value);
  if (zip) body.append("module", new File([Uint8Array.from(atob(zip), (one) => one.charCodeAt(0))], "rules.zip"));
  const answer = await fetch(path, Object.keys(sent).length ? { method: "POST", body } : {});
  return [answer.status, await answer.text()];
}"""
TWO = {"game": "pig", "seat-0": "person", "name-0": "Ann", "seat-1": "person", "name-1": "Ben"}


@pytest.mark.parametrize(
    ("much", "more", "says"),
    [(FOR_EVER, "", "would run for ever, or far too long"), ("gain q3999 point", DEEP, "were stopped")],
    ids=["for ever", "deep"],
)
def test_rules_that_take_too_much_are_stopped_and_the_page_goes_on(
    much: str, more: str, says: str, page_made: Path
) -> None:
    with hosted(page_made) as (at, _), chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{at}/game/")
        page.frame_locator("#application").locator("section.begin").first.wait_for()

        def ask(path: str, sent: dict[str, str] | None = None, files: str = "") -> Any:
            return page.frames[1].evaluate(ASK, [f"{at}/game{path}", sent or {}, files])

        packed = io.BytesIO()
        with ZipFile(packed, "w") as rules:
            for name, content in asked_once("greedy-rules", QUESTION.format(much=much)).items():
                rules.writestr(name, content)
            rules.writestr("more.edict", more)
        status, text = ask("/tables", TWO, base64.b64encode(packed.getvalue()).decode())
        if status == 200:
            seats = re.findall(r'href="[^"]*(/seat/[\w-]+)"', text)
            shown = {seat: ask(seat)[1] for seat in seats}
            asked = next(seat for seat, found in shown.items() if 'value="much"' in found)
            version = re.findall(r'name="version" value="(\d+)"', shown[asked])[0]
            text = ask(f"{asked}/answer", {"version": version, "answer": "much", "since": ""})[1]
        assert says in text
        assert ask("/play", {"name": "Ann"})[0] == 200, "there is another table"
