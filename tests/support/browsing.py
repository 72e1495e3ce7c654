"""A server of its own, browsers that sit at its tables, and what pages complained of."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from axe_playwright_python.sync_playwright import Axe
from calling import UNTRANSLATED, environment
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from serving import Opened, form

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
# What a lost connection leaves, or a page that is left before it has its answer.
LOST = re.compile(r"net::ERR_|htmx:(sendError|sendAbort|afterRequest)|^\[object Event\]$")
SLOW = 180_000  # milliseconds that anything may take on a busy machine

expect.set_options(timeout=SLOW)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's browser; the test is skipped where there is none."""
    if not CHROMIUM.exists():
        pytest.skip(f"there is no Chromium at {CHROMIUM} (on Debian: apt install chromium)")
    with sync_playwright() as playing:
        found = playing.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@dataclass
class Served:
    """A server as people start it. It can be stopped by force and started again at the same place.

    command: the words that start it. before: Python that its process runs first.
    """

    folder: Path
    command: tuple[str, ...] = ("serve",)
    before: str = ""
    port: int = 0
    process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def begun(self) -> list[str]:
        return [sys.executable, "-c", f"{self.before}\n{UNTRANSLATED}"]

    def start(self) -> None:
        store = f"sqlite:///{self.folder / 'tables.sqlite'}"
        words = [*self.begun, *self.command, "--port", str(self.port), "--store", store]
        with open(self.folder / "errors.txt", "a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                words, cwd=self.folder, env=environment(self.folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=errors, text=True,
            )  # fmt: skip
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        found = re.search(r"http://[^/:]+:(\d+)/", said)
        assert found, said + (self.folder / "errors.txt").read_text(encoding="utf-8")
        self.port = int(found[1])

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.communicate()
            self.process = None


@contextmanager
def served(folder: Path, *command: str, before: str = "") -> Iterator[Served]:
    server = Served(folder, command or ("serve",), before)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@dataclass
class People:
    """Browsers, each with its own memory. `complaints` is all that their consoles said, but for lost connections."""

    browser: Browser
    server: Served
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def page(self, size: dict[str, int] = DESKTOP, **like: Any) -> Page:
        """A page in a browser of its own, in which nothing moves unless `like` says so: pictures cost."""
        like = {"reduced_motion": "reduce", **like}
        context = self.browser.new_context(viewport=size, base_url=self.server.address, **like)  # type: ignore[arg-type]
        context.set_default_timeout(SLOW)
        self.contexts.append(context)
        return self.tab(context)

    def tab(self, context: BrowserContext) -> Page:
        """Another tab in a browser."""
        page = context.new_page()
        page.on("console", lambda told: self._console(told.text, told.location["url"]))
        page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        return page

    def _console(self, text: str, url: str) -> None:
        if not LOST.search(text):
            self.complaints.append(f"{text} {url}")

    def leave(self) -> None:
        for context in self.contexts:
            with suppress(Exception):
                context.close()
        self.contexts.clear()


def open_table(page: Page, game: str, people: int, **settings: int) -> list[str]:
    """Open a table on the start page; gives the links of the seats in their order."""
    page.goto("/")
    page.locator("select.chooses").select_option(game)
    page.locator(f"[data-game={game}]").wait_for()
    for name, value in settings.items():
        page.locator(f"[name=set-{name}]").fill(str(value))
    for seat in page.locator("select[name^=seat-]").all():
        number = int((seat.get_attribute("name") or "").removeprefix("seat-"))
        seat.select_option("person" if number < people else "")
        if number < people:
            page.locator(f"[name=name-{number}]").fill(f"Player{number}")
    page.locator("form[action='/tables'] [name=plays]").uncheck()
    page.get_by_role("button", name="Open the table").click()
    page.locator("table.links").wait_for()
    return [link.get_attribute("href") or "" for link in page.locator("table.links a[href^='/seat/']").all()]


def continue_game(page: Page, journal: Path) -> list[str]:
    """A table for a saved game, opened on the start page; gives the links of the seats."""
    page.goto("/")
    page.get_by_text("A saved game").click()
    page.locator("input[name=journal]").set_input_files(journal)
    page.locator("form[action='/tables/journal'] [name=plays]").uncheck()
    page.get_by_role("button", name="Open it").click()
    page.locator("table.links").wait_for()
    return [link.get_attribute("href") or "" for link in page.locator("table.links a[href^='/seat/']").all()]


def table_of(people: People, game: str, **settings: int) -> list[str]:
    """A table for two, opened without a browser; gives the links of the seats."""
    data = form(game, ["person"] * 2) | {f"set-{name}": value for name, value in settings.items()}
    return [f"/seat/{key}" for key in _opened(people, data=data).seats]


def continued(people: People, journal: Path) -> list[str]:
    """A table for a saved game, opened without a browser; gives the links of the seats."""
    return watched(people, journal)[:-1]


def watched(people: People, journal: Path) -> list[str]:
    """The same, and last the link of those who look on."""
    table = _opened(people, "/journal", files={"journal": (journal.name, journal.read_bytes())})
    return [f"/seat/{key}" for key in (*table.seats, table.onlookers)]


def _opened(people: People, door: str = "", **sent: Any) -> Opened:
    with httpx2.Client(base_url=people.server.address, timeout=SLOW / 1000) as client:
        return Opened.of(client, client.post(f"/tables{door}", follow_redirects=True, **sent))


def version(page: Page) -> int:
    """How far the table is that a page shows."""
    return int(page.locator("form.play").get_attribute("data-version") or 0)


def asked(pages: list[Page]) -> Page | None:
    """The page whose turn it is; None once the game is over on all of them."""
    for _ in range(int(SLOW / 50)):
        newest = max(map(version, pages))
        if all(version(page) == newest for page in pages):
            turn = next((page for page in pages if page.locator(".question.yours").count()), None)
            if turn is not None or pages[0].locator(".end").count():
                return turn
        pages[0].wait_for_timeout(50)
    raise AssertionError(f"nobody is asked: {[version(page) for page in pages]}")


def answer(page: Page, option: int = -1) -> None:
    """Click an option (the last one), and wait until the table has changed."""
    before = version(page)
    page.locator("button.option").nth(option).click()
    expect(page.locator("form.play")).not_to_have_attribute("data-version", str(before))


def no_barriers(page: Page, name: str, seen: str = "", dark: bool = True) -> None:
    """Nothing that axe-core finds keeps anybody from using a page; in the dark, only colours are different.

    `seen`: a part that was looked at on another page. `dark`: whether to look in the dark, too.
    """
    page.locator("main").wait_for()
    looked_at = {"exclude": [[seen]]} if seen else None
    for scheme, only in (("dark", {"runOnly": ["color-contrast"]}), ("light", {}))[not dark :]:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        options = {"preload": False, "resultTypes": ["violations"], **only}  # preloading would put styles into the page
        found = Axe().run(page, context=looked_at, options=options)
        said = [
            f"{one['id']}: {one['help']} {[node['html'][:160] for node in one['nodes'][:4]]}"
            for one in found.response["violations"]
        ]
        assert not said, f"{name}, {scheme}: " + "\n".join(said)
