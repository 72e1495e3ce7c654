"""A server of its own, browsers that sit at its tables, and what pages complained of."""

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

from calling import UNTRANSLATED, environment
from edict.game.table.rules import load_rules
from serving import Opened, form

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
SLOW = 180_000  # milliseconds that anything may take on a busy machine

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
                words,
                cwd=self.folder,
                env=environment(self.folder),
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


def saved(folder: Path, name: str, modules: tuple[str, ...] = (), answers: int = 10_000, players: int = 2) -> Path:
    """A game in a file, after so many answers at random."""
    file = folder / f"{name}.jsonl"
    game = load_rules(name, modules).new_game(["Ann", "Ben", "Cleo", "Dan"][:players], seed=7, journal=file)
    luck = random.Random(3)
    while not game.over and answers:
        game.answer(luck.choice(game.ask.options).key)
        answers -= 1
    game.record(None)
    return file


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


def whose_turn(pages: list[Page]) -> Page:
    page = asked(pages)
    assert page is not None
    return page


def lit(page: Page, link: str) -> bool:
    """Whether something can be chosen from a seat."""
    page.goto(link)
    return page.locator(".question.yours").count() > 0


def answer(page: Page, option: int = -1) -> None:
    """Click an option (the last one), and wait until the table has changed."""
    before = version(page)
    page.locator("button.option").nth(option).click()
    expect(page.locator("form.play")).not_to_have_attribute("data-version", str(before))


def fits(page: Page, sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """The page as it is drawn is right at every size."""
    before = page.viewport_size
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        wrong = page.evaluate(DRAWN)
        assert not wrong, (width, page.locator("#asked").inner_text(), wrong)
    assert before is not None
    page.set_viewport_size(before)


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
