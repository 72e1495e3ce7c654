"""The studio in a real browser: forms, what is typed while the server is slow or gone, files; no page complains.

`make browsers` goes through the tutorial from first to last too, also by keyboard alone (EDICT_BROWSERS=all).
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from playwright.sync_api import Page, Request, Route, expect

from browsing import People, no_barriers
from first_minutes import PAGE, walk
from studio_browsing import (
    ABILITY,
    BUILDING,
    LONG,
    at_step,
    begin_tutorial,
    build_it,
    editor,
    holds,
    lines_of,
    part,
    poll,
    type_lines,
)

pytestmark = [pytest.mark.xdist_group("browsers-studio"), pytest.mark.slow]
longer = pytest.mark.skipif(not LONG, reason="takes minutes: `make browsers`")

WHOLE = '"whole":true'  # of a request that checks all files
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


def test_somebody_changes_an_advisor_and_adds_a_building_without_typing_a_rule(people: People) -> None:
    page = people.page()
    page.goto("/studio")
    page.get_by_role("button", name="Open a form").click()
    forms = page.locator("#forms")
    advisor, building = (forms.get_by_role("region", name=kind) for kind in ("Advisor", "Building"))
    advisor.locator("select").select_option("squire")
    advisor.get_by_role("button", name="Change", exact=True).click()
    forms.get_by_role("spinbutton", name="How many").first.fill("2")
    forms.locator("[name='field.reward.1.what']").select_option("wood")
    expect(page.locator("#supposed .prose")).to_contain_text("Gain 2 wood.")
    no_barriers(page, "with a form")
    forms.get_by_role("button", name="Write it into the rules").click()
    holds(page, ["", "amend advisor squire", "  reward gain 2 wood", ""])
    expect(page.locator("#changes")).to_contain_text("Gain 2 wood.")
    forms.get_by_role("button", name="Change something else").click()
    building.get_by_role("button", name="Add a new one").click()
    forms.get_by_label("What is it called?").fill("Smithy")
    forms.locator("[name='field.row']").select_option("B")
    forms.locator("[name='field.column']").fill("1")
    forms.locator("[name='field.cost.wood']").fill("2")
    forms.locator("[name='field.worth']").fill("1")
    expect(page.locator("#supposed .notice")).to_contain_text("have the same `row` and `column`")
    forms.locator("[name='field.row']").select_option("a new row")
    forms.get_by_label("Name of a new row").fill("G")
    expect(page.locator("#supposed .prose")).to_contain_text("costs 2 wood")
    forms.get_by_role("button", name="Write it into the rules").click()
    holds(page, ['building smithy "Smithy"', "  row g", "  column 1", "  cost 2 wood", "  worth 1", ""])
    expect(page.locator("#saved")).to_contain_text("Saved")


def test_enter_is_a_new_line_unless_somebody_has_gone_to_what_is_offered(writing: Page) -> None:
    page = writing
    for line in ("row A", "amend advisor squire", "when end of year"):
        page.keyboard.type(line, delay=30)
        page.wait_for_timeout(600)  # as long as it takes to be offered something
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
    page.keyboard.type("buildi")
    page.locator(".cm-tooltip-autocomplete li").first.wait_for()
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    expected = ["row A", "", "amend advisor squire", "", "when end of year", "", "buildi", ""]
    holds(page, expected)
    page.keyboard.type("amen")
    page.locator(".cm-tooltip-autocomplete li").first.wait_for()
    page.wait_for_timeout(200)
    page.keyboard.press("Tab")
    holds(page, [*expected[:-1], "amend"])
    page.keyboard.press("Enter")
    page.keyboard.type("amen")
    page.locator(".cm-tooltip-autocomplete li").first.wait_for()
    page.wait_for_timeout(200)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    poll(page, lambda: lines_of(page)[-1].strip() == "amend", lambda: lines_of(page))


def test_nothing_is_offered_where_a_name_or_a_number_is_finished(writing: Page) -> None:
    page = writing
    for line in ("amend advisor squire", "  rank 2", "", "amend building palisade", "  row B"):
        page.keyboard.type(line, delay=20)
        page.wait_for_timeout(800)
        expect(page.locator(".cm-tooltip-autocomplete")).to_have_count(0)
        page.keyboard.press("Enter")


@pytest.mark.parametrize("spaces", [True, False], ids=["with its own spaces", "without spaces"])
def test_lines_typed_one_after_the_other_lie_where_they_belong(writing: Page, spaces: bool) -> None:
    page = writing
    printed = PRINTED.split("\n")
    for number, line in enumerate(printed[:-1]):
        deeper = line.startswith(printed[number - 1][: len(printed[number - 1]) - len(printed[number - 1].lstrip())])
        back = number > 0 and printed[number - 1] != "" and line != "" and not deeper
        page.keyboard.type(line if spaces or back else line.strip())
        page.keyboard.press("Enter")
    # the line that the last Enter has begun is still moved
    poll(page, lambda: lines_of(page)[-len(printed) : -1] == printed[:-1], lambda: lines_of(page))


def test_what_was_typed_during_a_check_stays_a_draft(people: People) -> None:
    page = people.page()
    begin_tutorial(page)
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if WHOLE in (route.request.post_data or "") and not held:
            held.append(route)
        else:
            route.continue_()

    editor(page).click()
    page.keyboard.press("Control+End")
    with page.expect_request(lambda request: WHOLE in (request.post_data or "")):
        page.route("**/ask/problems", hold_the_first)  # not before: one that nobody waits for would be held for good
        page.keyboard.type("# nothing yet")
    page.keyboard.type("\nbuilding unfinished")
    with page.expect_response(lambda answer: answer.request == held[0].request):
        held[0].continue_()
    page.locator("#problems .error").first.wait_for()
    expect(page.locator("#saved")).to_contain_text("Kept")
    files = list((people.server.folder / "variants").rglob("*.edict"))
    assert files
    assert not [one for one in files if "unfinished" in one.read_text(encoding="utf-8")]


def test_nothing_typed_is_lost_when_the_server_dies(people: People) -> None:
    page = people.page()
    begin_tutorial(page)
    editor(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type("building half")
    expect(page.locator("#saved")).to_contain_text("Kept")
    people.server.kill()
    page.keyboard.type(" and half")
    expect(page.locator("#saved")).to_contain_text("lost")
    people.server.start()
    expect(page.locator("#saved")).to_contain_text("Kept")
    page.reload()
    expect(editor(page)).to_contain_text("building half and half")


def test_places_and_files_by_keyboard(writing: Page) -> None:
    """References, what a value is given to, and files that get another name or go."""
    page = writing
    type_lines(page, [*BUILDING, *ABILITY, "", "phase tea"])
    page.keyboard.type("trigger victory with ")
    expect(page.locator(".signature strong")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.type("nobodys-name")
    page.locator("#problems .error").first.wait_for()
    no_barriers(page, "with a problem")
    for key in ("Escape", "Control+Home", *["ArrowDown"] * 3, *["ArrowRight"] * 10, "Shift+F12"):
        page.keyboard.press(key)
    expect(page.locator("#found-references")).to_contain_text('building tea-house "Tea House"')
    press(page, page.get_by_role("button", name="New file"), "Shift+Tab")
    page.keyboard.type("more.edict")
    page.keyboard.press("Enter")
    expect(page.locator(".tab[aria-current]")).to_have_text("more.edict")
    page.get_by_role("button", name="Rename file").click()
    page.keyboard.type("less.edict")
    page.keyboard.press("Enter")
    expect(page.locator(".tab[aria-current]")).to_have_text("less.edict")
    page.get_by_role("button", name="Delete file").click()
    page.keyboard.press("Enter")  # once more than one wanted to
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator(".tab[aria-current]")).to_have_text("less.edict")
    page.get_by_role("button", name="Delete file").click()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Delete it")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".tabs")).not_to_contain_text("less.edict")


def test_a_file_goes_once_questions_about_it_are_answered(writing: Page) -> None:
    page = writing
    held: list[Route] = []
    page.route("**/ask/hints", lambda route: held.append(route) if asks(route, "more.edict") else route.continue_())
    page.get_by_role("button", name="New file").click()
    page.keyboard.type("more.edict")
    page.keyboard.press("Enter")
    expect(page.locator(".tab[aria-current]")).to_have_text("more.edict")
    poll(page, lambda: held)
    page.get_by_role("button", name="Delete file").click()
    page.keyboard.press("Enter")  # once more than one wanted to
    expect(page.locator("dialog[open]")).to_have_count(0)
    gone: list[Request] = []
    page.on("request", lambda request: gone.append(request) if request.url.endswith("/file/delete") else None)
    page.get_by_role("button", name="Delete file").click()
    page.get_by_role("button", name="Delete it").click()
    page.wait_for_timeout(300)
    assert not gone
    for route in held:
        route.continue_()
    expect(page.locator(".tabs")).not_to_contain_text("more.edict")
    assert gone
    page.unroute("**/ask/hints")


def test_a_slow_answer_loses_neither_a_new_file_nor_its_new_name(people: People) -> None:
    """A dialog that is closed too soon does not undo what it began, and one that waits does not lose what is typed."""
    page = people.page()
    begin_tutorial(page)
    held: list[Route] = []
    page.route("**/file", lambda route: held.append(route))
    page.get_by_role("button", name="New file").click()
    page.keyboard.type("more.edict")
    page.keyboard.press("Enter")
    poll(page, lambda: held)
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    held.pop().continue_()
    expect(page.locator(".tab[aria-current]")).to_contain_text("more.edict")
    page.route("**/typed", lambda route: held.append(route))
    editor(page).click()
    page.keyboard.type("# mine")
    page.get_by_role("button", name="Rename file").click()
    page.keyboard.type("less.edict")
    page.keyboard.press("Enter")
    page.unroute("**/typed")
    poll(page, lambda: held)
    for route in held:
        route.continue_()
    expect(page.locator(".tab[aria-current]")).to_contain_text("less.edict")
    expect(editor(page)).to_contain_text("# mine")


def asks(route: Route, file: str) -> bool:
    return f'"file":"{file}"' in (route.request.post_data or "")


@longer
def test_nobody_needs_to_be_asked_from_the_start_page_to_a_rule_that_a_friend_plays(people: People) -> None:
    """The first ten minutes with the page as the only teacher, as docs/first-ten-minutes.md has them."""
    steps = walk(people)
    told = PAGE.read_text(encoding="utf-8")
    assert all(f"| {one.title} | {one.done} |" in told for one in steps)
    assert sum(one.person for one in steps) < 12 * 60


@longer
def test_somebody_learns_it_by_keyboard_alone(people: People) -> None:
    page = people.page()
    page.goto("/studio")
    press(page, page.get_by_role("button", name="Begin the tutorial"))
    expect(page.locator("#problems")).to_contain_text("No problems")
    reach(page, editor(page))
    page.keyboard.press("Control+End")
    type_lines(page, [*BUILDING, *ABILITY])
    at_step(page, "Fix a mistake")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.type("d")
    page.locator("#problems .fix").wait_for()
    page.keyboard.press("Escape")
    press(page, page.locator("#problems .fix"))
    at_step(page, "Read it in plain English")
    reach(page, editor(page))
    for _ in range(12):
        page.keyboard.press("ArrowUp")
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    expect(page.locator("#english")).to_contain_text("Tea House")
    at_step(page, "Play it")
    press(page, part(page, "Play"), "Shift+Tab")
    press(page, page.get_by_role("button", name="New game"))
    build_it(page, lambda option: press(page, option))
    press(page, page.get_by_role("button", name="Make a scene of this"), "Shift+Tab")
    page.keyboard.type("The Tea House is built")
    page.keyboard.press("Enter")
    press(page, part(page, "Study"), "Shift+Tab")
    expect(page.locator("#tutorial")).to_contain_text("All steps are done", timeout=60_000)


def reach(page: Page, there: Any, key: str = "Tab") -> None:
    """Go somewhere with the Tab key."""
    for _ in range(150):
        if there.count() and there.first.evaluate("one => one.getRootNode().activeElement === one"):
            return
        page.keyboard.press("Escape")
        page.keyboard.press(key)
    raise AssertionError(f"Tab does not lead to {there}")


def press(page: Page, there: Any, key: str = "Tab") -> None:
    reach(page, there, key)
    page.keyboard.press("Enter")
