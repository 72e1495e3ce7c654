"""What planting found, room by room: kept in `build/planted`, and as the table of tests/fuzz/planted-faults.md."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "planted"
PAGE = Path(__file__).with_name("planted-faults.md")
BEGIN, END = "<!-- make planted ARGS=... --write -->\n", "<!-- end -->\n"
HEAD = "| room | planted | found at first | share | live now |\n|---|---:|---:|---:|---:|\n"


@dataclass(frozen=True)
class Result:
    """A fault that was planted in a file of a room: the lines before and after, which test found it when the sample was
    first drawn, and which does now; "" for none."""

    file: str
    operator: str
    line: str
    changed: str
    first: str
    by: str


def keep(room: str, results: list[Result]) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(one) for one in results], indent=1, ensure_ascii=False)
    (KEPT / f"{room}.json").write_text(text + "\n", encoding="utf-8")


def kept(room: str) -> list[Result]:
    """What was planted in a room last; exits with a message if nothing was."""
    file = KEPT / f"{room}.json"
    if not file.is_file():
        raise SystemExit(f"Nothing has been planted in {room} yet: plant there once without --again.")
    return [Result(**one) for one in json.loads(file.read_text(encoding="utf-8"))]


def row(room: str, results: list[Result]) -> str:
    first, alive = sum(bool(one.first) for one in results), sum(not one.by for one in results)
    return f"| {room} | {len(results)} | {first} | {first / max(len(results), 1):.0%} | {alive} |\n"


def write_page(rows: dict[str, str]) -> None:
    """Put these rooms' rows into the page; the rows of others stay."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    there = {line.split("|")[1].strip(): line + "\n" for line in table.splitlines()[3:] if line.startswith("|")}
    lines = [line for _, line in sorted((there | rows).items())]
    PAGE.write_text("".join([before, BEGIN, "\n", HEAD, *lines, "\n", END, after]), encoding="utf-8")
