"""What a visitor of a page without a server waits for, downloads and stores, measured in Chromium.

    python benchmarks/page.py [FOLDER ...]        folders that `kingsburg page` wrote (by default build/page)
    python benchmarks/page.py old new --rounds 3  two pages in turns

The files come from this machine. Each visit has a browser of its own; the second visit of a round has the profile of
the first. Beside the seconds of the clock stand those of processors, of all processes of the browser until the table is
there: a busy machine changes these less. The table prints the median of the rounds.
"""

from __future__ import annotations

import argparse
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread

from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

CHROMIUM = "/usr/bin/chromium"
PATIENCE = 120_000  # milliseconds
STAYING = 25  # seconds somebody stays at the table, so that everything is stored
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
)
SEEN = "#application:visible, #beginning:visible h1"
UNITS = {
    "something to see": "s",
    "start page": "s",
    "at a table": "s",
    "processor": "s",
    "downloaded": "MB",
    "stored": "MB",
    "largest process, peak": "MB",
    "largest process, at rest": "MB",
}


class Host(SimpleHTTPRequestHandler):
    """A web host that counts the bytes it sends."""

    sent = 0

    def log_message(self, *about: object) -> None:
        """Log nothing."""

    def copyfile(self, source: object, outputfile: object) -> None:
        """Send a file and count its bytes."""
        raw = source.read()  # type: ignore[attr-defined]
        Host.sent += len(raw)
        outputfile.write(raw)  # type: ignore[attr-defined]


@contextmanager
def open_browser(playing: Playwright, profile: str) -> Iterator[BrowserContext]:
    """Open a browser with a profile on the disk, as visitors have it."""
    context = playing.chromium.launch_persistent_context(profile, executable_path=CHROMIUM, args=FLAGS)
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


def measure_processes(profile: str) -> tuple[float, int, int]:
    """Return what the browser with this profile takes, from Linux's `/proc`.

    Returns:
        The processor seconds of all its processes, and the peak and present MB of the process with the highest peak.
    """
    parents, times, found = {}, {}, set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            number, command = int(folder.name), (folder / "cmdline").read_text(encoding="utf-8", errors="replace")
            fields = (folder / "stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
        except OSError:
            continue  # it has ended
        parents[number], times[number] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        if profile in command:
            found.add(number)
    while children := {one for one, parent in parents.items() if parent in found} - found:
        found |= children
    return sum(times[one] for one in found), *max(_read_memory(one) for one in found)


def _read_memory(process: int) -> tuple[int, int]:
    """Return the peak and the present MB of a process."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return 0, 0
    sizes = {name: int(kilobytes) / 1000 for name, kilobytes in re.findall(r"(Vm\w+|Rss\w+):\s+(\d+) kB", status)}
    return int(sizes.get("VmHWM", 0)), int(sizes.get("VmRSS", 0))


def measure_visit(page: Page, address: str, profile: str) -> dict[str, float]:
    """Visit a page up to a table, and stay there for a while."""
    sent, begun = Host.sent, time.perf_counter()
    measured = {}

    def note(name: str) -> None:
        measured[name] = time.perf_counter() - begun

    page.goto(address)
    page.locator(SEEN).first.wait_for()
    note("something to see")
    inside = page.frame_locator("#application")
    button = inside.locator("section.begin button.main").first
    button.wait_for()
    note("start page")
    button.click()
    inside.locator("form.play").wait_for(state="attached")
    note("at a table")
    measured["processor"] = measure_processes(profile)[0]
    page.wait_for_timeout(1000 * STAYING)
    measured["downloaded"] = (Host.sent - sent) / 1e6
    measured["stored"] = page.evaluate("navigator.storage.estimate().then(({ usage }) => usage / 1e6)")
    _, measured["largest process, peak"], measured["largest process, at rest"] = measure_processes(profile)
    return measured


def main() -> None:
    """Measure the pages named on the command line, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=["build/page"], help="folders that `kingsburg page` wrote")
    parser.add_argument("--rounds", type=int, default=1, help="how often each is visited")
    chosen = parser.parse_args()
    visits: dict[tuple[str, str], list[dict[str, float]]] = {}
    with sync_playwright() as playing:
        for _ in range(chosen.rounds):
            for folder in chosen.folders:
                host = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=folder))
                Thread(target=host.serve_forever, daemon=True).start()
                with TemporaryDirectory() as profile:
                    for name in ("first visit", "second visit"):
                        with open_browser(playing, profile) as context:
                            measured = measure_visit(context.pages[0], f"http://127.0.0.1:{host.server_port}/", profile)
                        visits.setdefault((folder, name), []).append(measured)
                host.shutdown()
    columns = [f"{Path(folder).name}, {name}" for folder, name in visits]
    print(f"{'':28}" + "".join(f"{column:>32}" for column in columns))
    for name, unit in UNITS.items():
        values = (f"{median(one[name] for one in measured):.1f} {unit}" for measured in visits.values())
        print(f"{name:28}" + "".join(f"{value:>32}" for value in values))


if __name__ == "__main__":
    main()
