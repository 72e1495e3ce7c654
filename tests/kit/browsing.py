"""A server for browser tests, browsers at its tables, and errors in their consoles."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from calling import UNTRANSLATED, make_environment
from edict.game.table.rules import load_rules
from serving import OpenedTable, make_table_form

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP *.local 127.0.0.1",
)
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
SIZES = ((1440, 900), (1024, 768), (390, 844))
# What a lost connection leaves, or a page that is left before it has its answer.
LOST = re.compile(r"net::ERR_|htmx:(sendError|sendAbort|afterRequest)|^\[object Event\]$")
TIMEOUT = 180_000  # milliseconds

# What is wrong with the page as it is drawn: texts beyond what they stand on, and words that go on in another line.
DRAWN = r"""() => {
  const found = [], holders = ".pane, .card, .cell, .option, .question, .panel, .players li, dialog";
  const words = document.createTreeWalker(document.querySelector("#table"), NodeFilter.SHOW_TEXT);
  for (let text = words.nextNode(); text; text = words.nextNode()) {
    const parent = text.parentElement;
    if (!text.data.trim() || !parent.checkVisibility() || parent.closest(".hidden, .place, option, .tip")) continue;
    const range = document.createRange();
    for (const word of text.data.matchAll(/[\p{L}\p{N}'’]+/gu)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((line) => Math.round(line.top)));
      if (lines.size > 1) found.push(`broken: ${word[0]}`);
    }
    range.selectNodeContents(text);
    const holder = parent.closest(holders);
    let inside = parent, clipped = false;
    while (holder && inside !== holder) {
      clipped ||= getComputedStyle(inside).overflowX !== "visible";
      inside = inside.parentElement;
    }
    if (!holder || clipped) continue;
    const box = holder.getBoundingClientRect(), drawn = range.getBoundingClientRect();
    if (drawn.right > box.right + 1 || drawn.left < box.left - 1) found.push(`outside: ${text.data.trim()}`);
  }
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`wide: ${wide}`);
  return found;
}"""

expect.set_options(timeout=TIMEOUT)


@contextmanager
def launch_chromium() -> Iterator[Browser]:
    """Launch the system's browser; skip the test if there is none."""
    if not CHROMIUM.exists():
        pytest.skip(f"there is no Chromium at {CHROMIUM} (on Debian: apt install chromium)")
    with sync_playwright() as playing:
        found = playing.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@dataclass
class ServerProcess:
    """A server as people start it, which can be killed and started again at the same port.

    Args:
        command: Words of the command that starts it.
        before: Python code that its process runs first.
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
    def python_command(self) -> list[str]:
        return [sys.executable, "-c", f"{self.before}\n{UNTRANSLATED}"]

    def start(self) -> None:
        store = f"sqlite:///{self.folder / 'tables.sqlite'}"
        words = [*self.python_command, *self.command, "--port", str(self.port), "--store", store]
        with open(self.folder / "errors.txt", "a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                words,
                cwd=self.folder,
                env=make_environment(self.folder),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
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
def run_server(folder: Path, *command: str, before: str = "") -> Iterator[ServerProcess]:
    server = ServerProcess(folder, command or ("serve",), before)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@dataclass
class People:
    """Browsers with separate storage. `complaints` has everything in their consoles except lost connections."""

    browser: Browser
    server: ServerProcess
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open_page(self, size: dict[str, int] = DESKTOP, **context_options: Any) -> Page:
        """Open a page in a new browser context, without animations unless `like` asks for them."""
        context_options = {"reduced_motion": "reduce", **context_options}
        context = self.browser.new_context(viewport=size, base_url=self.server.address, **context_options)  # type: ignore[arg-type]
        context.set_default_timeout(TIMEOUT)
        self.contexts.append(context)
        return self.open_tab(context)

    def open_tab(self, context: BrowserContext) -> Page:
        """Open another tab in a browser context."""
        page = context.new_page()
        page.on("console", lambda told: self._record_message(told.text, told.location["url"]))
        page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        return page

    def _record_message(self, text: str, url: str) -> None:
        if not LOST.search(text):
            self.complaints.append(f"{text} {url}")

    def close_all(self) -> None:
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
    """Open a table for a saved game on the start page and return the links of its seats."""
    page.goto("/")
    page.get_by_text("A saved game").click()
    page.locator("input[name=journal]").set_input_files(journal)
    page.locator("form[action='/tables/journal'] [name=plays]").uncheck()
    page.get_by_role("button", name="Open it").click()
    page.locator("table.links").wait_for()
    return [link.get_attribute("href") or "" for link in page.locator("table.links a[href^='/seat/']").all()]


def create_table(people: People, game: str, **settings: int) -> list[str]:
    """Create a table for two without a browser and return the links of its seats."""
    data = make_table_form(game, ["person"] * 2) | {f"set-{name}": value for name, value in settings.items()}
    return [f"/seat/{key}" for key in _post_table(people, data=data).seats]


def create_table_from_journal(people: People, journal: Path) -> list[str]:
    """Create a table for a saved game without a browser and return the links of its seats."""
    return create_watched_table(people, journal)[:-1]


def create_watched_table(people: People, journal: Path) -> list[str]:
    """Create a table for a saved game; return the links of its seats and, last, of spectators."""
    table = _post_table(people, "/journal", files={"journal": (journal.name, journal.read_bytes())})
    return [f"/seat/{key}" for key in (*table.seats, table.onlookers)]


def save_random_game(
    folder: Path, name: str, modules: tuple[str, ...] = (), answers: int = 10_000, players: int = 2
) -> Path:
    """Return the file of a game after a number of random answers."""
    file = folder / f"{name}.jsonl"
    game = load_rules(name, modules).new_game(["Ann", "Ben", "Cleo", "Dan"][:players], seed=7, journal=file)
    rng = random.Random(3)
    while not game.over and answers:
        game.answer(rng.choice(game.ask.options).key)
        answers -= 1
    game.record(None)
    return file


def _post_table(people: People, path: str = "", **sent: Any) -> OpenedTable:
    with httpx2.Client(base_url=people.server.address, timeout=TIMEOUT / 1000) as client:
        return OpenedTable.from_page(client, client.post(f"/tables{path}", follow_redirects=True, **sent))


def get_version(page: Page) -> int:
    """Return the version of the table that a page shows."""
    return int(page.locator("form.play").get_attribute("data-version") or 0)


def find_asked_page(pages: list[Page]) -> Page | None:
    """Return the page whose turn it is; None once the game is over on all of them."""
    for _ in range(int(TIMEOUT / 50)):
        newest = max(map(get_version, pages))
        if all(get_version(page) == newest for page in pages):
            turn = next((page for page in pages if page.locator(".question.yours").count()), None)
            if turn is not None or pages[0].locator(".end").count():
                return turn
        pages[0].wait_for_timeout(50)
    raise AssertionError(f"nobody is asked: {[get_version(page) for page in pages]}")


def require_asked_page(pages: list[Page]) -> Page:
    page = find_asked_page(pages)
    assert page is not None
    return page


def can_answer(page: Page, link: str) -> bool:
    """Open a seat and return True if it has something to choose."""
    page.goto(link)
    return page.locator(".question.yours").count() > 0


def click_option(page: Page, option: int = -1) -> None:
    """Click an option, by default the last one, and wait until the table has changed."""
    before = get_version(page)
    page.locator("button.option").nth(option).click()
    expect(page.locator("form.play")).not_to_have_attribute("data-version", str(before))


def assert_layout(page: Page, sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """Assert that a page is drawn correctly at every size."""
    before = page.viewport_size
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        wrong = page.evaluate(DRAWN)
        assert not wrong, (width, page.locator("#asked").inner_text(), wrong)
    assert before is not None
    page.set_viewport_size(before)


def assert_accessible(page: Page, name: str, seen: str = "", dark: bool = True) -> None:
    """Assert that axe-core finds no barrier on a page.

    Args:
        page: The page.
        name: Its name, for messages.
        seen: Selector of a part that was checked on another page.
        dark: Check the colours of dark mode too.
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
