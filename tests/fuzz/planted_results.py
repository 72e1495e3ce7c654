"""Results of mutation testing by package, in `build/planted` and as the table of tests/fuzz/planted-faults.md."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS_FOLDER = ROOT / "build" / "planted"
PAGE = Path(__file__).with_name("planted-faults.md")
BEGIN, END = "<!-- make planted ARGS=... --write -->\n", "<!-- end -->\n"
HEAD = "| room | planted | found at first | share | live now |\n|---|---:|---:|---:|---:|\n"


@dataclass(frozen=True)
class FaultResult:
    """A planted fault and the tests that found it."""

    file: str
    operator: str
    line: str
    changed: str
    first: str
    by: str


def save_results(room: str, results: list[FaultResult]) -> None:
    RESULTS_FOLDER.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(one) for one in results], indent=1, ensure_ascii=False)
    (RESULTS_FOLDER / f"{room}.json").write_text(text + "\n", encoding="utf-8")


def load_results(room: str) -> list[FaultResult]:
    """Return the last results of a package. Exits with a message if there are none."""
    file = RESULTS_FOLDER / f"{room}.json"
    if not file.is_file():
        raise SystemExit(f"Nothing has been planted in {room} yet: plant there once without --again.")
    return [FaultResult(**item) for item in json.loads(file.read_text(encoding="utf-8"))]


def format_row(room: str, results: list[FaultResult]) -> str:
    first, alive = sum(bool(result.first) for result in results), sum(not result.by for result in results)
    return f"| {room} | {len(results)} | {first} | {first / max(len(results), 1):.0%} | {alive} |\n"


def write_page(rows: dict[str, str]) -> None:
    """Write the rows of these packages into the page, and keep all others."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    there = {line.split("|")[1].strip(): line + "\n" for line in table.splitlines()[3:] if line.startswith("|")}
    lines = [line for _, line in sorted((there | rows).items())]
    PAGE.write_text("".join([before, BEGIN, "\n", HEAD, *lines, "\n", END, after]), encoding="utf-8")
