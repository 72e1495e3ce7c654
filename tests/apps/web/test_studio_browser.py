"""The studio in a real browser: forms, typing while the server is slow or down, files; no page logs an error.

`make browsers` also goes through the whole tutorial, once by keyboard alone (EDICT_BROWSERS=all).
"""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from playwright.sync_api import Page, Request, Route, expect

from browsing import People, assert_accessible
from first_minutes import PAGE, walk_through
from studio_browsing import (
    ABILITY,
    BUILDING,
    LONG,
    begin_tutorial,
    build_tea_house,
    expect_step,
    get_editor,
    get_lines,
    get_part_button,
    poll,
    type_lines,
    wait_for_lines,
)

pytestmark = [pytest.mark.xdist_group("browsers-studio"), pytest.mark.slow]
only_in_long_runs = pytest.mark.skipif(not LONG, reason="takes minutes: `make browsers`")

FULL_CHECK = '"whole":true'  # in a request that checks all files
PRINTED = """\
row A "A"
  place 1

building tea-house "Tea House"
  row A
  column 1
  cost 1 wood
  worth 1
  when start of season
    if gold of you > 2
      lose 1 gold
    may gain 1 gold

amend advisor squire
  rank 2

when end of year
  each player
    gain 1 gold
"""


def test_forms_change_an_advisor_and_add_a_building(people: People) -> None:
    page = people.open_page()
    page.goto("/studio")
    page.get_by_role("button", name="Open a form").click()
    forms = page.locator("#forms")
    advisor, building = (forms.get_by_role("region", name=kind) for kind in ("Advisor", "Building"))
    advisor.locator("select").select_option("squire")
    advisor.get_by_role("button", name="Change", exact=True).click()
    forms.get_by_role("spinbutton", name="How many").first.fill("2")
    forms.locator("[name='field.reward.1.what']").select_option("wood")
    expect(page.locator("#supposed .prose")).to_contain_text("Gain 2 wood.")
    assert_accessible(page, "with a form")
    forms.get_by_role("button", name="Add it to the rules").click()
    wait_for_lines(page, ["", "amend advisor squire", "  reward gain 2 wood", ""])
    expect(page.locator("#changes")).to_contain_text("Gain 2 wood.")
    forms.get_by_role("button", name="Change something else").click()
    building.get_by_role("button", name="Add a new one").click()
    forms.get_by_label("Name", exact=True).fill("Smithy")
    row = forms.locator("[name='field.row']")
    expect(row.locator("option[value='B']")).to_be_disabled()  # all its places are taken
    row.select_option("a new row")
    forms.get_by_label("Name of a new row").fill("G")
    forms.locator("[name='field.column']").fill("1")
    forms.locator("[name='field.cost.wood']").fill("2")
    forms.locator("[name='field.worth']").fill("1")
    expect(page.locator("#supposed .prose")).to_contain_text("costs 2 wood")
    forms.get_by_role("button", name="Add it to the rules").click()
    wait_for_lines(page, ['building smithy "Smithy"', "  row g", "  column 1", "  cost 2 wood", "  worth 1", ""])
    expect(page.locator("#saved")).to_contain_text("Saved")


def test_enter_starts_a_new_line_unless_a_completion_was_selected(writing: Page) -> None:
    page = writing
    for line in ("row A", "amend advisor squire", "when end of year"):
        page.keyboard.type(line, delay=30)
        page.wait_for_timeout(600)  # time for completions to appear
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
    page.keyboard.type("buildi")
    page.locator(".cm-tooltip-autocomplete li").first.wait_for()
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    expected = ["row A", "", "amend advisor squire", "", "when end of year", "", "buildi", ""]
    wait_for_lines(page, expected)
    page.keyboard.type("amen")
    page.locator(".cm-tooltip-autocomplete li").first.wait_for()
    page.wait_for_timeout(200)
    page.keyboard.press("Tab")
    wait_for_lines(page, [*expected[:-1], "amend"])
    page.keyboard.press("Enter")
    page.keyboard.type("amen")
    page.locator(".cm-tooltip-autocomplete li").first.wait_for()
    page.wait_for_timeout(200)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    poll(page, lambda: get_lines(page)[-1].strip() == "amend", lambda: get_lines(page))


def test_no_completions_are_offered_after_a_complete_name_or_number(writing: Page) -> None:
    page = writing
    for line in ("amend advisor squire", "  rank 2", "", "amend building palisade", "  row B"):
        page.keyboard.type(line, delay=20)
        page.wait_for_timeout(800)
        expect(page.locator(".cm-tooltip-autocomplete")).to_have_count(0)
        page.keyboard.press("Enter")


@pytest.mark.parametrize("spaces", [True, False], ids=["with its own spaces", "without spaces"])
def test_typed_lines_are_indented_correctly(writing: Page, spaces: bool) -> None:
    page = writing
    printed = PRINTED.split("\n")
    for number, line in enumerate(printed[:-1]):
        deeper = line.startswith(printed[number - 1][: len(printed[number - 1]) - len(printed[number - 1].lstrip())])
        is_dedent = number > 0 and printed[number - 1] != "" and line != "" and not deeper
        page.keyboard.type(line if spaces or is_dedent else line.strip())
        page.keyboard.press("Enter")
    # the line after the last Enter is still being indented
    poll(page, lambda: get_lines(page)[-len(printed) : -1] == printed[:-1], lambda: get_lines(page))


def test_text_typed_during_a_check_stays_a_draft(people: People) -> None:
    page = people.open_page()
    begin_tutorial(page)
    held_requests: list[Route] = []

    def hold_first_request(route: Route) -> None:
        if FULL_CHECK in (route.request.post_data or "") and not held_requests:
            held_requests.append(route)
        else:
            route.continue_()

    get_editor(page).click()
    page.keyboard.press("Control+End")
    with page.expect_request(lambda request: FULL_CHECK in (request.post_data or "")):
        page.route("**/ask/problems", hold_first_request)  # an earlier request would be held for good
        page.keyboard.type("# nothing yet")
    page.keyboard.type("\nbuilding unfinished")
    with page.expect_response(lambda answer: answer.request == held_requests[0].request):
        held_requests[0].continue_()
    page.locator("#problems .error").first.wait_for()
    expect(page.locator("#saved")).to_contain_text("Kept")
    files = list((people.server.folder / "variants").rglob("*.edict"))
    assert files
    assert not [file for file in files if "unfinished" in file.read_text(encoding="utf-8")]


def test_typed_text_survives_a_crash_of_the_server(people: People) -> None:
    page = people.open_page()
    begin_tutorial(page)
    get_editor(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type("building half")
    expect(page.locator("#saved")).to_contain_text("Kept")
    people.server.kill()
    page.keyboard.type(" and half")
    expect(page.locator("#saved")).to_contain_text("lost")
    people.server.start()
    expect(page.locator("#saved")).to_contain_text("Kept")
    page.reload()
    expect(get_editor(page)).to_contain_text("building half and half")


def test_references_signatures_and_files_work_by_keyboard(writing: Page) -> None:
    """Find references, read a signature, and rename and delete a file."""
    page = writing
    type_lines(page, [*BUILDING, *ABILITY, "", "phase tea"])
    page.keyboard.type("trigger victory with ")
    expect(page.locator(".signature strong")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.type("nobodys-name")
    page.locator("#problems .error").first.wait_for()
    assert_accessible(page, "with a problem")
    for key in ("Escape", "Control+Home", *["ArrowDown"] * 3, *["ArrowRight"] * 10, "Shift+F12"):
        page.keyboard.press(key)
    expect(page.locator("#found-references")).to_contain_text('building tea-house "Tea House"')
    tab_to_and_press(page, page.get_by_role("button", name="New file"), "Shift+Tab")
    page.keyboard.type("more.edict")
    page.keyboard.press("Enter")
    expect(page.locator(".tab[aria-current]")).to_have_text("more.edict")
    page.get_by_role("button", name="Rename file").click()
    page.keyboard.type("less.edict")
    page.keyboard.press("Enter")
    expect(page.locator(".tab[aria-current]")).to_have_text("less.edict")
    page.get_by_role("button", name="Delete file").click()
    page.keyboard.press("Enter")  # one Enter too many
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator(".tab[aria-current]")).to_have_text("less.edict")
    page.get_by_role("button", name="Delete file").click()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Delete it")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".tabs")).not_to_contain_text("less.edict")


def test_file_is_deleted_only_after_pending_requests_about_it(writing: Page) -> None:
    page = writing
    held_requests: list[Route] = []
    page.route(
        "**/ask/hints",
        lambda route: held_requests.append(route) if is_request_about(route, "more.edict") else route.continue_(),
    )
    page.get_by_role("button", name="New file").click()
    page.keyboard.type("more.edict")
    page.keyboard.press("Enter")
    expect(page.locator(".tab[aria-current]")).to_have_text("more.edict")
    poll(page, lambda: held_requests)
    page.get_by_role("button", name="Delete file").click()
    page.keyboard.press("Enter")  # one Enter too many
    expect(page.locator("dialog[open]")).to_have_count(0)
    deletions: list[Request] = []
    page.on("request", lambda request: deletions.append(request) if request.url.endswith("/file/delete") else None)
    page.get_by_role("button", name="Delete file").click()
    page.get_by_role("button", name="Delete it").click()
    page.wait_for_timeout(300)
    assert not deletions
    for route in held_requests:
        route.continue_()
    expect(page.locator(".tabs")).not_to_contain_text("more.edict")
    assert deletions
    page.unroute("**/ask/hints")


def test_slow_responses_lose_neither_a_new_file_nor_its_new_name(people: People) -> None:
    """Closing a dialog early does not cancel its request, and a request that waits does not lose typed text."""
    page = people.open_page()
    begin_tutorial(page)
    held_requests: list[Route] = []
    page.route("**/file", lambda route: held_requests.append(route))
    page.get_by_role("button", name="New file").click()
    page.keyboard.type("more.edict")
    page.keyboard.press("Enter")
    poll(page, lambda: held_requests)
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    held_requests.pop().continue_()
    expect(page.locator(".tab[aria-current]")).to_contain_text("more.edict")
    page.route("**/typed", lambda route: held_requests.append(route))
    get_editor(page).click()
    page.keyboard.type("# mine")
    page.get_by_role("button", name="Rename file").click()
    page.keyboard.type("less.edict")
    page.keyboard.press("Enter")
    page.unroute("**/typed")
    poll(page, lambda: held_requests)
    for route in held_requests:
        route.continue_()
    expect(page.locator(".tab[aria-current]")).to_contain_text("less.edict")
    expect(get_editor(page)).to_contain_text("# mine")


def is_request_about(route: Route, file: str) -> bool:
    return f'"file":"{file}"' in (route.request.post_data or "")


def test_question_is_asked_by_clicks_and_its_answer_is_read_by_a_friend(people: People) -> None:
    """The strategies are put together from what the rules name; the friend has the link and may change nothing."""
    page = people.open_page()
    page.goto("/studio")
    page.get_by_label("Name", exact=True).fill("Fair")
    page.locator("form.beginning select[name=over]").select_option("gem-fair")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#problems")).to_contain_text("No problems")
    get_part_button(page, "Study").click()
    box = page.locator(".question-box")
    box.get_by_text("Does strategy A beat strategy B?").click()
    box.get_by_label("What", exact=True).select_option("jade-palace")
    box.get_by_role("button", name="Add to A").click()
    box.get_by_role("button", name="Add to A").click()
    expect(box.get_by_label("Strategy A")).to_have_value("first jade-palace")
    with page.expect_response(re.compile("/questions$")):
        get_part_button(page, "Study").click()  # the forms come anew
    expect(box.get_by_label("Strategy A")).to_have_value("first jade-palace")
    expect(box.get_by_label("What", exact=True)).to_have_value("jade-palace")
    form = box.locator("form.strategies")
    form.get_by_label("Players").select_option("2")
    form.get_by_label("Played by").select_option("random")
    assert_accessible(page, "with questions")
    form.get_by_role("button", name="Ask").click()
    expect(page.locator(".answer .summary")).to_contain_text(re.compile("^(Yes|No|Not clear)"), timeout=120_000)
    expect(page.locator(".answer figure.noted")).to_be_visible()
    assert_accessible(page, "with an answer")
    link, answer = page.locator(".answer a[data-link]").get_attribute("href"), page.locator(".answer .summary")
    friend = people.open_page()
    friend.goto(link or "")
    expect(friend.locator("h1")).to_have_text("Does strategy A beat strategy B?")
    expect(friend.locator(".answer .summary")).to_have_text(answer.inner_text())
    assert_accessible(friend, "answer")


@only_in_long_runs
def test_first_ten_minutes_need_no_help_beyond_the_pages(people: People) -> None:
    """Go from the start page to a rule that a friend plays, as docs/guides/first-ten-minutes.md describes it."""
    steps = walk_through(people)
    documentation = PAGE.read_text(encoding="utf-8")
    assert all(f"| {step.title} | {step.done} |" in documentation for step in steps)
    assert sum(step.person for step in steps) < 12 * 60


@only_in_long_runs
def test_tutorial_can_be_finished_by_keyboard_alone(people: People) -> None:
    page = people.open_page()
    page.goto("/studio")
    tab_to_and_press(page, page.get_by_role("button", name="Begin the tutorial"))
    expect(page.locator("#problems")).to_contain_text("No problems")
    tab_to(page, get_editor(page))
    page.keyboard.press("Control+End")
    type_lines(page, [*BUILDING, *ABILITY])
    expect_step(page, "Fix a mistake")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.type("d")
    page.locator("#problems .fix").wait_for()
    page.keyboard.press("Escape")
    tab_to_and_press(page, page.locator("#problems .fix"))
    expect_step(page, "Read it in plain English")
    tab_to(page, get_editor(page))
    for _ in range(12):
        page.keyboard.press("ArrowUp")
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    expect(page.locator("#english")).to_contain_text("Tea House")
    expect_step(page, "Play it")
    tab_to_and_press(page, get_part_button(page, "Play"), "Shift+Tab")
    tab_to_and_press(page, page.get_by_role("button", name="New game"))
    build_tea_house(page, lambda option: tab_to_and_press(page, option))
    tab_to_and_press(page, page.get_by_role("button", name="Turn this into a scene"), "Shift+Tab")
    page.keyboard.type("The Tea House is built")
    page.keyboard.press("Enter")
    tab_to_and_press(page, get_part_button(page, "Study"), "Shift+Tab")
    expect(page.locator("#tutorial")).to_contain_text("All steps are done", timeout=60_000)


def tab_to(page: Page, locator: Any, key: str = "Tab") -> None:
    """Move the focus to an element with the Tab key, or with `key`."""
    for _ in range(150):
        if locator.count() and locator.first.evaluate("one => one.getRootNode().activeElement === one"):
            return
        page.keyboard.press("Escape")
        page.keyboard.press(key)
    raise AssertionError(f"Tab does not lead to {locator}")


def tab_to_and_press(page: Page, locator: Any, key: str = "Tab") -> None:
    """Move the focus to an element and press Enter."""
    tab_to(page, locator, key)
    page.keyboard.press("Enter")
