"""The first ten minutes of somebody who has never programmed: from the studio's start page to a house rule, read,
played, studied, changed and sent to a friend, with the page as the only teacher.

    PYTHONPATH=tests/kit python tests/kit/first_minutes.py     # writes docs/guides/first-ten-minutes.md, and pictures

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

from browsing import People, launch_chromium, run_server
from studio_browsing import (
    ABILITY,
    BUILDING,
    MENDED,
    begin_tutorial,
    build_tea_house,
    expect_step,
    get_editor,
    get_lines,
    get_part_button,
    get_table_frame,
    limit_evaluation_code,
    make_scene,
    poll,
    type_lines,
)

# words read and letters typed per second; seconds to find and click something, and to look at the result
WORDS, LETTERS, CLICK, LOOK = 200 / 60, 2.5, 3.0, 5.0
ANSWERS = 12.0  # seconds for an answer at the table: a look at the board, and a click
PICTURES = {"tutorial": "First lines", "meaning": "What it means", "study": "What it is worth", "shared": "Shared"}
DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "guides" / "first-ten-minutes.md"


@dataclass
class WalkStep:
    """A step, and the seconds it takes a person and took the machine."""

    title: str
    done: str
    person: float = 0.0
    machine: float = 0.0


@dataclass
class Walk:
    """Steps in order, and pictures taken on the way."""

    page: Page
    pictures: Path | None = None
    steps: list[WalkStep] = field(default_factory=list)
    _begun: float = 0.0

    def begin_step(self, title: str, done: str) -> None:
        self.end_step()
        self.steps.append(WalkStep(title, done))
        self._begun = time.monotonic()

    def end_step(self) -> None:
        if self.steps:
            self.steps[-1].machine = time.monotonic() - self._begun

    def add_person_time(
        self, read: str = "", typed: str = "", clicks: int = 0, looks: int = 0, answers: int = 0
    ) -> None:
        """Add the estimated seconds that a person needs to read, type, click, look and answer."""
        self.steps[-1].person += (
            len(read.split()) / WORDS + len(typed) / LETTERS + clicks * CLICK + looks * LOOK + answers * ANSWERS
        )

    def take_picture(self, name: str) -> None:
        if self.pictures is None:
            return
        self.page.wait_for_timeout(400)
        session = self.page.context.new_cdp_session(self.page)
        taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": 72})
        (self.pictures / f"first-{name}.webp").write_bytes(base64.b64decode(taken["data"]))


def get_step_text(page: Page) -> str:
    """Return the tutorial's text for this step."""
    return str(page.locator("#tutorial").inner_text())


def count_answers(frame: FrameLocator) -> int:
    """Return the number of answers of a game as its page says it."""
    link = frame.locator("a[href*='/at/']")
    return int((link.first.get_attribute("href") or "").rpartition("/at/")[2]) if link.count() else 0


def walk_through(people: People, pictures: Path | None = None) -> list[WalkStep]:
    """Walk through all steps; whatever fails raises as in any test."""
    page = people.open_page({"width": 1440, "height": 900})
    here = Walk(page, pictures)
    here.begin_step("Find the way in", "read the start page, and press **Begin the tutorial**")
    page.goto("/studio")
    here.add_person_time(read=page.locator(".choices").inner_text(), clicks=1)
    begin_tutorial(page)

    here.begin_step("Add a building", "type the seven lines that the tutorial shows")
    here.add_person_time(read=get_step_text(page), typed="\n".join(BUILDING))
    get_editor(page).click()
    page.keyboard.press("Control+End")
    type_lines(page, BUILDING)
    expect_step(page, "Make it do something")
    here.take_picture("tutorial")

    here.begin_step("Make it do something", "add two lines")
    here.add_person_time(read=get_step_text(page), typed="\n".join(ABILITY))
    type_lines(page, ABILITY)
    expect_step(page, re.compile("Fix a mistake|Read it in plain English"))

    here.begin_step("Fix a mistake", "misspell `gold`, read what **Problems** says, press its button")
    here.add_person_time(read=get_step_text(page), typed="d", clicks=2, looks=1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.type("d")
    page.locator("#problems .fix").click()
    expect_step(page, MENDED)

    here.begin_step("Read it in plain English", "put the cursor on the building, and read its page of the rulebook")
    here.add_person_time(read=get_step_text(page), clicks=1)
    get_editor(page).get_by_text("tea-house").click()
    expect(page.locator("#english")).to_contain_text("you may gain 1 gold")
    expect(page.locator("#changes")).to_contain_text("Tea House")
    here.add_person_time(read=page.locator("#english").inner_text() + page.locator("#changes").inner_text())
    expect_step(page, "Play it")
    here.take_picture("meaning")

    here.begin_step("Play it", "play until the Tea House is built")
    here.add_person_time(read=get_step_text(page), clicks=2)
    get_part_button(page, "Play").click()
    page.get_by_role("button", name="New game").click()
    build_tea_house(page, lambda option: option.click(timeout=3_000))
    here.add_person_time(answers=count_answers(get_table_frame(page)))
    expect_step(page, "Keep it as a scene")

    here.begin_step("Keep it as a scene", "press **Turn this into a scene**, and say what it shows")
    here.add_person_time(read=get_step_text(page), typed="The Tea House is built", clicks=1, looks=1)
    make_scene(page)

    here.begin_step("See what it is worth", "press **Study**, and read two figures")
    here.add_person_time(read=get_step_text(page), clicks=1, looks=2)
    get_part_button(page, "Study").click()
    expect(page.locator("#tutorial")).to_contain_text("All steps are done", timeout=120_000)
    here.take_picture("study")

    here.begin_step("Change it", "it is too cheap: make it cost 2 wood, and see the figures begin anew")
    here.add_person_time(read=page.locator("#study > div:last-child").inner_text()[:400], typed="2", clicks=2, looks=1)
    get_part_button(page, "Write").click()
    page.locator(".tab", has_text="rules.edict").click()
    get_editor(page).get_by_text("cost").click()
    page.keyboard.press("Home")
    for _ in range(len("cost ")):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    page.keyboard.type("2")
    poll(page, lambda: "  cost 2 wood" in get_lines(page), lambda: get_lines(page))
    expect(page.locator("#changes")).to_contain_text("2 wood")
    expect(page.locator("#saved")).to_contain_text("Saved")

    here.begin_step("Share it", "press **Share, print or download**, and send the link")
    page.get_by_role("link", name="Share, print").click()
    here.add_person_time(read=page.locator("main").inner_text(), clicks=2)
    here.take_picture("shared")
    link = str(page.locator(".copied a").first.get_attribute("href"))

    here.begin_step("A friend opens it", "reads the sheet with what is different, and plays")
    friend = people.open_page()
    friend.goto(link + "/sheet")
    expect(friend.locator("main")).to_contain_text("2 wood")
    here.add_person_time(read=friend.locator("main").inner_text(), clicks=2)
    friend.goto(link)
    get_part_button(friend, "Play").click()
    friend.get_by_role("button", name="New game").click()
    expect(get_table_frame(friend).locator("form.play")).to_be_visible()
    here.end_step()
    return here.steps


def render_protocol(steps: list[WalkStep]) -> str:
    """Return the documentation page about the walk."""
    lines, total = list[str](), 0.0
    for number, one in enumerate(steps, 1):
        start, total = total, total + one.person + one.machine
        lines.append(f"| {number} | {_format_clock(start)} | {one.title} | {one.done} |")
    rows = "\n".join(lines)
    shown = "\n\n".join(f"![{title}](../pictures/first-{name}.webp)" for name, title in PICTURES.items())
    return (
        (DOCS / "site" / "first_ten_minutes.md.in")
        .read_text(encoding="utf-8")
        .format(steps=rows, pictures=shown, minutes=_format_clock(total))
    )


def _format_clock(seconds: float) -> str:
    """Return a time rounded to ten seconds, because it is an estimate."""
    tens = round(seconds / 10)
    return f"{tens // 6}:{tens % 6}0"


def main() -> None:
    with tempfile.TemporaryDirectory() as name, launch_chromium() as browser:
        folder = Path(name)
        with run_server(folder, "studio", str(folder / "variants"), before=limit_evaluation_code(200)) as server:
            people = People(browser, server)
            steps = walk_through(people, DOCS / "pictures")
            people.close_all()
    PAGE.write_text(render_protocol(steps), encoding="utf-8")
    print(*(f"{one.title}: {one.person:.0f} s and {one.machine:.0f} s of the machine" for one in steps), sep="\n")


if __name__ == "__main__":
    main()
