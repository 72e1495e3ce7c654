"""What a visitor of a page without a server waits for and downloads, measured in Chromium.

    python benchmarks/page.py [FOLDER]            a folder that `kingsburg page` wrote (by default build/page)

The files come from this machine. A busy machine makes everything slower: beside each time stands what a plain loop
took there at that moment, against what it takes on a machine that has nothing else to do.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
PATIENCE = 600_000  # milliseconds
STAYING = 25  # seconds somebody stays at the table, so that what the next visit begins with is kept
QUIET = 0.12  # seconds that `slowness` takes by itself


class Host(SimpleHTTPRequestHandler):
    """Hands out files, and counts what it sends."""

    sent = 0

    def log_message(self, *about: object) -> None:
        """Nobody wants to know."""

    def copyfile(self, source: object, outputfile: object) -> None:
        raw = source.read()  # type: ignore[attr-defined]
        Host.sent += len(raw)
        outputfile.write(raw)  # type: ignore[attr-defined]


def slowness() -> float:
    """How many times slower than by itself a loop runs now."""
    begun = time.perf_counter()
    sum(number * number for number in range(2_000_000))
    return (time.perf_counter() - begun) / QUIET


def visit(page: Page, address: str) -> dict[str, float]:
    """Seconds until there is something to see, until the start page is there, and until a table is."""
    begun = time.perf_counter()
    page.goto(address)
    page.locator("h1").first.wait_for()
    seen = time.perf_counter() - begun
    inside = page.frame_locator("#application")
    inside.locator("section.begin button.main").first.wait_for()
    started = time.perf_counter() - begun
    inside.locator("section.begin button.main").first.click()
    inside.locator("form.play").wait_for(state="attached")
    return {"something to see": seen, "start page": started, "at a table": time.perf_counter() - begun}


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/page")
    host = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=str(folder)))
    Thread(target=host.serve_forever, daemon=True).start()
    with sync_playwright() as playing:
        browser = playing.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context().new_page()
        page.set_default_timeout(PATIENCE)
        for name in ("first visit", "second visit"):
            before, sent = slowness(), Host.sent
            times = ", ".join(
                f"{what} {seconds:.1f} s"
                for what, seconds in visit(page, f"http://127.0.0.1:{host.server_port}/").items()
            )
            slower = (before + slowness()) / 2
            print(f"{name}: {times}; {(Host.sent - sent) / 1e6:.1f} MB; the machine was {slower:.1f} times slower")
            page.wait_for_timeout(1000 * STAYING)
            page.goto("about:blank")
        browser.close()


if __name__ == "__main__":
    main()
