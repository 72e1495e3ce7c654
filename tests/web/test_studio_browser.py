"""The studio in a real browser: a building written, played and kept as a scene; what is typed; files; barriers.

`make browsers` goes through the tutorial from first to last too, also by keyboard alone (EDICT_BROWSERS=all).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright, of the extra `dev`, is not installed")
from browsing import People, Served, no_barriers, served
from playwright.sync_api import Page, Request, Route, expect
from studio_browsing import (
    ABILITY, BUILDING, answers_at, at_step, begin_tutorial, build_it, editor, lines_of, makes_a_scene, part, poll,
    table, type_lines, writes_a_building,
)  # fmt: skip

pytestmark = pytest.mark.xdist_group("browsers")
LONG = os.environ.get("EDICT_BROWSERS") == "all"
longer = pytest.mark.skipif(not LONG, reason="takes minutes: `make browsers`")

# Few games are played of each variant in the background: twice what the tutorial waits for where it is gone through to
# its end, and else as many as give the first figures.
FEW = f"""
from edict.studio.evaluation import Evaluation, Wanted
Evaluation.__init__.__defaults__ = (Wanted(pairs={200 if LONG else 20}),)
"""
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


@pytest.fixture(scope="module")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("studio")
    with served(folder, "studio", str(folder / "variants"), before=FEW) as running:
        yield running


@pytest.fixture(scope="module")
def begun(browser: Any, server: Served) -> Iterator[Page]:
    """A page at the beginning of the tutorial, for tests of what is typed: one after the other, each from nothing."""
    people = People(browser, server)
    page = people.page()
    begin_tutorial(page)
    yield page
    people.leave()
    assert not people.complaints


@pytest.fixture
def page(begun: Page) -> Page:
    """The same with nothing in the editor."""
    begun.keyboard.press("Escape")
    editor(begun).click()
    begun.keyboard.press("Control+A")
    begun.keyboard.press("Delete")
    poll(begun, lambda: lines_of(begun) == [""], lambda: lines_of(begun))
    return begun


def holds(page: Page, wanted: list[str]) -> None:
    """These lines are the last in the editor, as soon as the server has said how far in they begin."""
    poll(page, lambda: lines_of(page)[-len(wanted) :] == wanted, lambda: lines_of(page))


def test_somebody_writes_a_building_plays_and_keeps_it_as_a_scene(people: People) -> None:
    page = people.page()
    page.goto("/studio")
    no_barriers(page, "start")
    writes_a_building(page)
    option = table(page).locator(".question.yours button.option").first
    option.wait_for()
    before = answers_at(page)
    option.click()
    poll(page, lambda: answers_at(page) > before, lambda: answers_at(page))
    makes_a_scene(page)
    page.locator(".tab", has_text="rules.edict").click()
    editor(page).get_by_text("tea-house").click()
    above: list[str | re.Pattern[str]] = ["1 scene: passed", "play from here", re.compile("no scene has")]
    expect(page.locator("#above button")).to_have_text(above)
    expect(page.locator(".lens")).to_contain_text("1 scene: passed")
    part(page, "Study").click()
    expect(page.locator("#study")).to_contain_text("Tea House")
    page.locator("#above").get_by_role("button", name="play from here").click()
    expect(table(page).locator(".question.yours")).to_be_visible()
    no_barriers(page, "with a game")
    page.get_by_role("link", name="Share, print").click()
    no_barriers(page, "share")


@pytest.mark.slow
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


def test_the_tutorial_writes_what_it_asks_one_to_type(page: Page) -> None:
    page.get_by_role("button", name="1. Add a building").click()
    page.locator("#tutorial").get_by_role("button", name="Insert").click()
    holds(page, ['building tea-house "Tea House"', "  row A", "  column 1", "  cost 1 wood", "  worth 1", ""])
    page.locator("#tutorial").get_by_role("button", name="Insert").click()
    assert sum(line.startswith("building") for line in lines_of(page)) == 1


@longer
def test_somebody_learns_it_in_seven_steps(people: People) -> None:
    page = people.page()
    writes_a_building(page)
    build_it(page, lambda option: option.click(timeout=3_000))
    at_step(page, "Keep it as a scene")
    makes_a_scene(page)
    part(page, "Study").click()
    expect(page.locator("#tutorial")).to_contain_text("All steps are done", timeout=60_000)
    expect(page.locator(".steps .done")).to_have_count(7)


@pytest.mark.slow
def test_enter_is_a_new_line_unless_somebody_has_gone_to_what_is_offered(page: Page) -> None:
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


@pytest.mark.slow
def test_nothing_is_offered_where_a_name_or_a_number_is_finished(page: Page) -> None:
    for line in ("amend advisor squire", "  rank 2", "", "amend building palisade", "  row B"):
        page.keyboard.type(line, delay=20)
        page.wait_for_timeout(800)
        expect(page.locator(".cm-tooltip-autocomplete")).to_have_count(0)
        page.keyboard.press("Enter")


@pytest.mark.slow
@pytest.mark.parametrize("spaces", [True, False], ids=["with its own spaces", "without spaces"])
def test_lines_typed_one_after_the_other_lie_where_they_belong(page: Page, spaces: bool) -> None:
    printed = PRINTED.split("\n")
    for number, line in enumerate(printed[:-1]):
        deeper = line.startswith(printed[number - 1][: len(printed[number - 1]) - len(printed[number - 1].lstrip())])
        back = number > 0 and printed[number - 1] != "" and line != "" and not deeper
        page.keyboard.type(line if spaces or back else line.strip())
        page.keyboard.press("Enter")
    # the line that the last Enter has begun is still moved
    poll(page, lambda: lines_of(page)[-len(printed) : -1] == printed[:-1], lambda: lines_of(page))


def test_a_line_that_is_gone_is_not_indented_any_more(page: Page) -> None:
    held: list[Route] = []
    page.route("**/ask/indent", lambda route: held.append(route))
    page.keyboard.type("phase tea")
    page.keyboard.press("Enter")
    poll(page, lambda: held)
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    with page.expect_response("**/ask/indent"):
        held[0].continue_()
    page.unroute("**/ask/indent")
    page.wait_for_timeout(200)
    assert lines_of(page) == [""]


def test_what_is_pasted_keeps_its_own_spaces(page: Page) -> None:
    page.keyboard.type('advisor cook "Cook"')
    page.keyboard.press("Enter")
    poll(page, lambda: lines_of(page)[-1] == "  ")
    paste = (
        "(one, text) => { const data = new DataTransfer(); data.setData('text/plain', text);"
        " one.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); }"
    )
    editor(page).evaluate(paste, "  rank 7\n\n" + PRINTED)
    holds(page, ['advisor cook "Cook"', "  rank 7", "", *PRINTED.split("\n")])


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_where_a_name_is_used_and_what_a_value_is_given_to(page: Page) -> None:
    type_lines(page, ['row A "A"', "place 1", "", "phase tea"])
    page.keyboard.type("trigger victory with ")
    expect(page.locator(".signature strong")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Home")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+F12")
    expect(page.locator("#found-references")).to_contain_text('row A "A"')


@longer
def test_places_and_files_by_keyboard(people: People) -> None:
    """Definition and references, what a value is given to, and files that get another name or go."""
    page = people.page()
    begin_tutorial(page)
    editor(page).click()
    page.keyboard.press("Control+End")
    type_lines(page, [*BUILDING, *ABILITY, "", "phase tea"])
    page.keyboard.type("trigger victory with ")
    expect(page.locator(".signature strong")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.type("nobodys-name")
    page.locator("#problems .error").first.wait_for()
    no_barriers(page, "with a problem")
    for _ in range(11):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+F12")
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


@pytest.mark.slow
def test_a_file_goes_once_questions_about_it_are_answered(page: Page) -> None:
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


@pytest.mark.slow
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


@pytest.mark.slow
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
