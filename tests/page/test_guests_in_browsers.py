"""Two browsers without a server between them: one has the game, the other is a guest (`make page-test`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from browsing import chromium
from whole_pages import PATIENCE, WHOLE, hosted

GAME = "four-lanes"  # everybody has a hand of cards, and plays one in secret
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


@WHOLE
def test_a_guest_plays_in_another_browser_learns_no_secret_and_comes_back_by_a_new_link(page_made: Path) -> None:
    with hosted(page_made) as (at, _), chromium() as browser:
        faults: list[str] = []
        ann, ben = window(browser, faults), window(browser, faults, HEARD)
        ann.goto(f"{at}/game/")
        friends = inside(ann).locator("form[action$='/rooms']")
        friends.locator("[name=game]").select_option(GAME)
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
                page for _ in range(PATIENCE) for page in (ann, ben)
                if inside(page).locator(".question.yours button.option").count() or page.wait_for_timeout(20)
            )  # fmt: skip
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
