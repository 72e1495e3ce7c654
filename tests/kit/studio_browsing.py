"""Actions of people in the studio in a real browser: the tutorial's steps, a game at its table, a scene."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import FrameLocator, Page, TimeoutError, expect

from tea_house import RULES

LONG = os.environ.get("EDICT_BROWSERS") == "all"


def limit_evaluation_code(pairs: int) -> str:
    """Return Python code that limits a studio process to this number of pairs of games per variant."""
    return f"""
from edict.tools.studio.evaluation import Evaluation, EvaluationRequest
Evaluation.__init__.__defaults__ = (EvaluationRequest(pairs={pairs}),)
"""


# Twice what the tutorial waits for where it is gone through to its end, and else as many as give the first figures.
FEW = limit_evaluation_code(200 if LONG else 20)
TYPED_LINES = [line.strip() for line in RULES.splitlines()]
BUILDING, ABILITY = TYPED_LINES[:-2], TYPED_LINES[-2:]
MENDED = re.compile("Read it in plain English|Play it")  # the cursor may lie on the building already
MISTAKEN = re.compile("Fix a mistake|Read it in plain English")  # which a check halfway through a line may have seen


def begin_tutorial(page: Page) -> None:
    page.goto("/studio")
    page.get_by_role("button", name="Begin the tutorial").click()
    expect(page.locator("#problems")).to_contain_text("No problems")
    expect_step(page, "Add a building")


def expect_step(page: Page, title: str | re.Pattern[str]) -> None:
    expect(page.locator(".steps [aria-current]")).to_contain_text(title)


def get_editor(page: Page) -> Any:
    return page.locator(".cm-content[contenteditable=true]")


def type_lines(page: Page, lines: list[str]) -> None:
    """Type lines and leave it to the editor to indent them."""
    for line in lines:
        page.keyboard.type(line)
        page.keyboard.press("Enter")


def get_lines(page: Page) -> list[str]:
    """Return the lines in the editor as they are shown."""
    shown: list[str] = get_editor(page).evaluate(
        "one => [...one.querySelectorAll('.cm-line')].map((line) => {"
        " const copy = line.cloneNode(true);"
        " copy.querySelectorAll('.hint, .lens, [contenteditable=false]').forEach((other) => other.remove());"
        " return copy.textContent; })"
    )
    return shown


def clear_editor(page: Page) -> None:
    """Empty the editor and place the cursor in it."""
    page.keyboard.press("Escape")
    get_editor(page).click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    poll(page, lambda: get_lines(page) == [""], lambda: get_lines(page))


def wait_for_lines(page: Page, lines: list[str]) -> None:
    """Wait until the editor ends with these lines as the server indents them."""
    poll(page, lambda: get_lines(page)[-len(lines) :] == lines, lambda: get_lines(page))


def get_table_frame(page: Page) -> FrameLocator:
    return page.frame_locator("iframe[title='The game']")


def count_answers(page: Page) -> int:
    """Return the number of answers of the game at the table as its page says it."""
    links = get_table_frame(page).locator("a[href*='/at/']")
    return int((links.first.get_attribute("href") or "").rpartition("/at/")[2]) if links.count() else 0


def choose_option(page: Page) -> Any:
    """Return the option to choose: the Tea House, wood, or the first."""
    options = get_table_frame(page).locator(".question.yours button.option")
    for value in ("tea-house", "wood"):
        match = options.locator(f"xpath=self::*[@value='{value}']")
        if match.count():
            return match
    return options.first if options.count() else None


def build_tea_house(page: Page, press: Any) -> None:
    """Answer at the table until the Tea House is built."""
    get_table_frame(page).locator("form.play").wait_for()
    for _ in range(400):
        if "Play it" not in page.locator(".steps [aria-current]").inner_text():
            return
        option = choose_option(page)
        if option is None:
            page.wait_for_timeout(100)
            continue
        before = get_table_frame(page).locator("form.play").get_attribute("data-version")
        try:
            press(option)
        except TimeoutError:
            close_dialogs(page)  # what just happened was shown in front of it
            continue
        expect(get_table_frame(page).locator("form.play")).not_to_have_attribute("data-version", str(before))
        close_dialogs(page)
    raise AssertionError("the Tea House was never offered")


def close_dialogs(page: Page) -> None:
    for dialog in get_table_frame(page).locator("dialog[open]").all():
        dialog.press("Escape")


def get_part_button(page: Page, name: str) -> Any:
    """Return the button that shows a part of the studio."""
    return page.get_by_role("navigation", name="Parts of the studio").get_by_role("button", name=name)


def make_scene(page: Page) -> None:
    page.get_by_role("button", name="Turn this into a scene").click()
    page.keyboard.type("The Tea House is built")
    page.keyboard.press("Enter")
    expect(page.locator("#scenes")).to_contain_text("1 of 1 scenes pass")


def poll(page: Page, condition: Callable[[], object], describe: Callable[[], object] = str) -> None:
    """Wait until a condition holds."""
    for _ in range(100):
        if condition():
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"it never came {describe()}")
