"""The first ten minutes of somebody who has never programmed: from the studio's start page to a house rule, read,
played, studied, changed and sent to a friend, with the page as the only teacher.

    PYTHONPATH=tests/kit python tests/kit/first_minutes.py     # writes docs/first-ten-minutes.md, and pictures

The browser does what a person would do. How long a person takes is reckoned from what there is to read and to do, what
the machine takes is measured. `make browsers` walks the same way without writing anything.
"""

from __future__ import annotations

import base64
import re
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import FrameLocator, Page, expect

from browsing import People, chromium, served
from studio_browsing import (
    ABILITY,
    BUILDING,
    MENDED,
    at_step,
    begin_tutorial,
    build_it,
    editor,
    few,
    lines_of,
    makes_a_scene,
    part,
    poll,
    table,
    type_lines,
)

WORDS, LETTERS, CLICK, LOOK = 200 / 60, 2.5, 3.0, 5.0
"""Words read and letters typed in a second; seconds for finding and pressing something, and for a look at what came."""
ANSWERS = 12.0  # seconds for an answer at the table: a look at the board, and a click
PICTURES = {"tutorial": "First lines", "meaning": "What it means", "study": "What it is worth", "shared": "Shared"}
DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "first-ten-minutes.md"


@dataclass
class Step:
    """What somebody does, and in seconds: what a person takes for it, and what the machine took."""

    title: str
    done: str
    person: float = 0.0
    machine: float = 0.0


@dataclass
class Walk:
    """Steps in their order, and pictures taken on the way."""

    page: Page
    pictures: Path | None = None
    steps: list[Step] = field(default_factory=list)
    _begun: float = 0.0

    def step(self, title: str, done: str) -> None:
        self.end()
        self.steps.append(Step(title, done))
        self._begun = time.monotonic()

    def end(self) -> None:
        if self.steps:
            self.steps[-1].machine = time.monotonic() - self._begun

    def person(self, read: str = "", typed: str = "", clicks: int = 0, looks: int = 0, answers: int = 0) -> None:
        self.steps[-1].person += (
            len(read.split()) / WORDS + len(typed) / LETTERS + clicks * CLICK + looks * LOOK + answers * ANSWERS
        )

    def picture(self, name: str) -> None:
        if self.pictures is None:
            return
        self.page.wait_for_timeout(400)
        session = self.page.context.new_cdp_session(self.page)
        taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": 72})
        (self.pictures / f"first-{name}.webp").write_bytes(base64.b64decode(taken["data"]))


def step_text(page: Page) -> str:
    """What the tutorial says at this step."""
    return str(page.locator("#tutorial").inner_text())


def answered(frame: FrameLocator) -> int:
    """How many answers were given in a game, as its page says."""
    link = frame.locator("a[href*='/at/']")
    return int((link.first.get_attribute("href") or "").rpartition("/at/")[2]) if link.count() else 0


def walk(people: People, pictures: Path | None = None) -> list[Step]:
    """All of it; what does not come about fails as in any test."""
    page = people.page({"width": 1440, "height": 900})
    here = Walk(page, pictures)
    here.step("Find the way in", "read the start page, and press **Begin the tutorial**")
    page.goto("/studio")
    here.person(read=page.locator(".choices").inner_text(), clicks=1)
    begin_tutorial(page)

    here.step("Add a building", "type the seven lines that the tutorial shows")
    here.person(read=step_text(page), typed="\n".join(BUILDING))
    editor(page).click()
    page.keyboard.press("Control+End")
    type_lines(page, BUILDING)
    at_step(page, "Make it do something")
    here.picture("tutorial")

    here.step("Make it do something", "add two lines")
    here.person(read=step_text(page), typed="\n".join(ABILITY))
    type_lines(page, ABILITY)
    at_step(page, re.compile("Fix a mistake|Read it in plain English"))

    here.step("Fix a mistake", "misspell `gold`, read what **Problems** says, press its button")
    here.person(read=step_text(page), typed="d", clicks=2, looks=1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.type("d")
    page.locator("#problems .fix").click()
    at_step(page, MENDED)

    here.step("Read it in plain English", "put the cursor on the building, and read its page of the rulebook")
    here.person(read=step_text(page), clicks=1)
    editor(page).get_by_text("tea-house").click()
    expect(page.locator("#english")).to_contain_text("you may gain 1 gold")
    expect(page.locator("#changes")).to_contain_text("Tea House")
    here.person(read=page.locator("#english").inner_text() + page.locator("#changes").inner_text())
    at_step(page, "Play it")
    here.picture("meaning")

    here.step("Play it", "play until the Tea House is built")
    here.person(read=step_text(page), clicks=2)
    part(page, "Play").click()
    page.get_by_role("button", name="New game").click()
    build_it(page, lambda option: option.click(timeout=3_000))
    here.person(answers=answered(table(page)))
    at_step(page, "Keep it as a scene")

    here.step("Keep it as a scene", "press **Make a scene of this**, and say what it shows")
    here.person(read=step_text(page), typed="The Tea House is built", clicks=1, looks=1)
    makes_a_scene(page)

    here.step("See what it is worth", "press **Study**, and read two figures")
    here.person(read=step_text(page), clicks=1, looks=2)
    part(page, "Study").click()
    expect(page.locator("#tutorial")).to_contain_text("All steps are done", timeout=120_000)
    here.picture("study")

    here.step("Change it", "it is too cheap: make it cost 2 wood, and see the figures begin anew")
    here.person(read=page.locator("#study").inner_text()[:400], typed="2", clicks=2, looks=1)
    part(page, "Write").click()
    page.locator(".tab", has_text="rules.edict").click()
    editor(page).get_by_text("cost").click()
    page.keyboard.press("Home")
    for _ in range(len("cost ")):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    page.keyboard.type("2")
    poll(page, lambda: "  cost 2 wood" in lines_of(page), lambda: lines_of(page))
    expect(page.locator("#changes")).to_contain_text("2 wood")
    expect(page.locator("#saved")).to_contain_text("Saved")

    here.step("Share it", "press **Share, print or take it along**, and send the link")
    page.get_by_role("link", name="Share, print").click()
    here.person(read=page.locator("main").inner_text(), clicks=2)
    here.picture("shared")
    link = str(page.locator(".copied a").first.get_attribute("href"))

    here.step("A friend opens it", "reads the sheet with what is different, and plays")
    friend = people.page()
    friend.goto(link + "/sheet")
    expect(friend.locator("main")).to_contain_text("2 wood")
    here.person(read=friend.locator("main").inner_text(), clicks=2)
    friend.goto(link)
    part(friend, "Play").click()
    friend.get_by_role("button", name="New game").click()
    expect(table(friend).locator("form.play")).to_be_visible()
    here.end()
    return here.steps


def protocol(steps: list[Step]) -> str:
    """The page about it."""
    lines, spent = list[str](), 0.0
    for number, one in enumerate(steps, 1):
        begun, spent = spent, spent + one.person + one.machine
        lines.append(f"| {number} | {_clock(begun)} | {one.title} | {one.done} |")
    told = "\n".join(lines)
    shown = "\n\n".join(f"![{title}](pictures/first-{name}.webp)" for name, title in PICTURES.items())
    return (
        (DOCS / "site" / "first_ten_minutes.md.in")
        .read_text(encoding="utf-8")
        .format(steps=told, pictures=shown, minutes=_clock(spent))
    )


def _clock(seconds: float) -> str:
    """To ten seconds: it is reckoned, not stopped."""
    tens = round(seconds / 10)
    return f"{tens // 6}:{tens % 6}0"


def main() -> None:
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        with served(folder, "studio", str(folder / "variants"), before=few(200)) as server:
            people = People(browser, server)
            steps = walk(people, DOCS / "pictures")
            people.leave()
    PAGE.write_text(protocol(steps), encoding="utf-8")
    print(*(f"{one.title}: {one.person:.0f} s and {one.machine:.0f} s of the machine" for one in steps), sep="\n")


if __name__ == "__main__":
    main()
