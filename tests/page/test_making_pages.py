"""`kingsburg page`: what it says when it cannot make one, and a page as Chromium opens it (`make page-test`)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from browsing import chromium
from playwright.sync_api import expect
from studio_browsing import BUILDING, type_lines
from whole_pages import PATIENCE, WHOLE, hosted

from edict.page import making
from edict.table.game_links import GameLink
from edict.table.rules import load_rules

Call = Callable[..., Any]
IN_PYTHON = 10  # whole games that are tried for a hint, at most, without the machine
THOUSANDS = re.compile(r"\d,\d{3} of \d")  # of games that were played


# --- what is in the way ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("there", "words", "said"),
    [
        ("page/notes.txt", (), "page holds something other than a page\nhelp: name another folder with --output"),
        ("page/service_worker.js", (), "page holds a page already\nhelp: --force replaces it"),
        ("page", (), "page is a file\nhelp: name a folder with --output"),
        ("pyodide/README.md", ("--pyodide", "pyodide"), "pyodide has no pyodide.mjs, so it is no folder of Pyodide"),
    ],
)
def test_what_is_in_the_way_is_said_and_nothing_is_lost(
    there: str, words: tuple[str, ...], said: str, call: Call, tmp_path: Path
) -> None:
    (tmp_path / there).parent.mkdir(exist_ok=True)
    (tmp_path / there).write_text("mine")
    done = call("page", *words)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert (tmp_path / there).read_text() == "mine"


def test_without_npm_or_a_network_it_says_how_else_pyodide_is_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(making.PageError, match="npm, which is not installed") as found:
        making._from_npm(Path())
    assert "--pyodide" in found.value.remedy


# --- in Chromium -------------------------------------------------------------------------------------------


@WHOLE
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


@WHOLE
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


@WHOLE
def test_a_game_in_a_link_is_gone_through(page_made: Path) -> None:
    playing, luck = load_rules("pig").new_game(["Ann", "Ben"]), Random(4)
    while not playing.over:
        playing.answer(luck.choice(playing.ask.options).key)
    with hosted(page_made) as (at, _), chromium() as browser:
        ann = _visitor(browser, f"{at}/game/")
        ann.goto(f"{at}/game/#game={GameLink(playing.journal).letters()}")
        inside = ann.frame_locator("#application")
        inside.locator("a[rel=next]").click()
        inside.locator("#replay-at", has_text="1").wait_for()
        inside.locator(".taken .tells").first.click()
        inside.locator("article.why").wait_for()
        assert "/game/#/shared/" in ann.url


@WHOLE
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
