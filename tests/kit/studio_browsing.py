"""What people do in the studio, in a real browser: the tutorial's steps, a game at its table, a scene."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import FrameLocator, Page, TimeoutError, expect

from tea_house import RULES

LONG = os.environ.get("EDICT_BROWSERS") == "all"


def few(pairs: int) -> str:
    """For a studio's process: so many pairs of games are played of each variant in the background, not hundreds."""
    return f"""
from edict.tools.studio.evaluation import Evaluation, Wanted
Evaluation.__init__.__defaults__ = (Wanted(pairs={pairs}),)
"""


# Twice what the tutorial waits for where it is gone through to its end, and else as many as give the first figures.
FEW = few(200 if LONG else 20)
TYPED = [line.strip() for line in RULES.splitlines()]
BUILDING, ABILITY = TYPED[:-2], TYPED[-2:]
MENDED = re.compile("Read it in plain English|Play it")  # the cursor may lie on the building already
MISTAKEN = re.compile("Fix a mistake|Read it in plain English")  # which a check halfway through a line may have seen


def begin_tutorial(page: Page) -> None:
    page.goto("/studio")
    page.get_by_role("button", name="Begin the tutorial").click()
    expect(page.locator("#problems")).to_contain_text("No problems")
    at_step(page, "Add a building")


def at_step(page: Page, title: str | re.Pattern[str]) -> None:
    expect(page.locator(".steps [aria-current]")).to_contain_text(title)


def editor(page: Page) -> Any:
    return page.locator(".cm-content[contenteditable=true]")


def type_lines(page: Page, lines: list[str]) -> None:
    """As people type, who leave it to the editor to indent."""
    for line in lines:
        page.keyboard.type(line)
        page.keyboard.press("Enter")


def lines_of(page: Page) -> list[str]:
    """The lines in the editor, as they are on the screen."""
    found: list[str] = editor(page).evaluate(
        "one => [...one.querySelectorAll('.cm-line')].map((line) => {"
        " const copy = line.cloneNode(true);"
        " copy.querySelectorAll('.hint, .lens, [contenteditable=false]').forEach((other) => other.remove());"
        " return copy.textContent; })"
    )
    return found


def empties(page: Page) -> None:
    """Nothing is left in the editor, where one may type now."""
    page.keyboard.press("Escape")
    editor(page).click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    poll(page, lambda: lines_of(page) == [""], lambda: lines_of(page))


def holds(page: Page, wanted: list[str]) -> None:
    """These lines are the last in the editor, as soon as the server has said how far in they begin."""
    poll(page, lambda: lines_of(page)[-len(wanted) :] == wanted, lambda: lines_of(page))


def table(page: Page) -> FrameLocator:
    return page.frame_locator("iframe[title='The game']")


def answers_at(page: Page) -> int:
    """How many answers the game at the table has, as the page says it."""
    links = table(page).locator("a[href*='/at/']")
    return int((links.first.get_attribute("href") or "").rpartition("/at/")[2]) if links.count() else 0


def wanted(page: Page) -> Any:
    """What to answer at the table, if one is asked: the Tea House, wood, or whatever is first."""
    options = table(page).locator(".question.yours button.option")
    for value in ("tea-house", "wood"):
        found = options.locator(f"xpath=self::*[@value='{value}']")
        if found.count():
            return found
    return options.first if options.count() else None


def build_it(page: Page, press: Any) -> None:
    """Answer at the table until the Tea House stands."""
    table(page).locator("form.play").wait_for()
    for _ in range(400):
        if "Play it" not in page.locator(".steps [aria-current]").inner_text():
            return
        option = wanted(page)
        if option is None:
            page.wait_for_timeout(100)
            continue
        before = table(page).locator("form.play").get_attribute("data-version")
        try:
            press(option)
        except TimeoutError:
            look_away(page)  # what just happened was shown in front of it
            continue
        expect(table(page).locator("form.play")).not_to_have_attribute("data-version", str(before))
        look_away(page)
    raise AssertionError("the Tea House was never offered")


def look_away(page: Page) -> None:
    for dialog in table(page).locator("dialog[open]").all():
        dialog.press("Escape")


def part(page: Page, name: str) -> Any:
    """What shows one part of the page in place of another."""
    return page.get_by_role("navigation", name="Parts of the studio").get_by_role("button", name=name)


def makes_a_scene(page: Page) -> None:
    page.get_by_role("button", name="Make a scene of this").click()
    page.keyboard.type("The Tea House is built")
    page.keyboard.press("Enter")
    expect(page.locator("#scenes")).to_contain_text("1 of 1 scenes pass")


def poll(page: Page, found: Callable[[], object], told: Callable[[], object] = str) -> None:
    """Wait until something has come."""
    for _ in range(100):
        if found():
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"it never came {told()}")
