"""Where a study is written: a folder with everything, or a single file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from edict.cli.errors import USAGE, UsageError
from edict.cli.telling import tell
from edict.files import write_whole
from edict.study.errors import StudyError
from edict.study.findings import Data

KINDS = (".json", ".csv", ".html")


def checked_file(path: Path) -> Path:
    """The path, if a file can be there; raises `UsageError` otherwise, before anything is played for it."""
    path = path.expanduser()
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UsageError(f"`{path}` cannot be written", "-o takes the name of a file in a folder that is there")
    return path


@dataclass(frozen=True, slots=True)
class Targets:
    """What is to be written where; None: not at all."""

    folder: Path | None = None
    json: Path | None = None
    csv: Path | None = None
    html: Path | None = None

    @staticmethod
    def of(output: Path | None, html: Path | None, name: str = "study") -> Targets:
        """A name that ends in .json, .csv or .html is a file of that kind, any other one a folder."""
        found: dict[str, Path] = {}
        if output is not None and output.suffix in KINDS and not output.is_dir():
            found[output.suffix[1:]] = output
        elif output is not None:
            if output.exists() and not output.is_dir():
                raise UsageError(f"`{output}` is a file", f"name a folder, or a file that ends in {', '.join(KINDS)}")
            found = {kind[1:]: output / f"{name}{kind}" for kind in KINDS} | {"folder": output}
        if html is not None:
            found["html"] = html
        return Targets(**found)


def write_study(found: Data, targets: Targets) -> int:
    """Write what is wanted; gives the exit code."""
    return write_all(_texts(found, targets))


def write_all(texts: Iterable[tuple[Path, Callable[[], str]]]) -> int:
    """Write files; gives the exit code. What cannot be written is told, and the rest still is."""
    code = 0
    for path, text in texts:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text())
        except (OSError, StudyError) as problem:
            code = tell(problem) or USAGE
    return code


def _texts(found: Data, targets: Targets) -> Iterator[tuple[Path, Callable[[], str]]]:
    if targets.json:
        yield targets.json, lambda: json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if targets.csv:
        yield targets.csv, lambda: as_csv(found)
    if targets.html:
        from edict.study.report import study_page

        yield targets.html, lambda: study_page(found)


HEAD = (
    "kind", "group", "option", "per_game", "taken_when_offered", "with_of", "with_win_share", "with_low", "with_high",
    "without_win_share", "difference", "difference_low", "difference_high", "score_with", "score_without",
)  # fmt: skip


def as_csv(found: Data) -> str:
    """A line for each seat, source of score and option, for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(_lines(found))
    return text.getvalue()


def _lines(found: Data) -> Iterator[list[object]]:
    for seat in found.get("seats", ()):
        share = seat["win_share"]
        yield ["seat", seat["bot"], seat["seat"], 1, "", found["games"], share["value"], share["low"], share["high"],
               "", "", "", "", seat["score"]["mean"]["value"], ""]  # fmt: skip
    for source in found.get("sources", ()):
        yield ["score", source["place"], source["rule"], source["brought"], *[""] * 11]
    for kind in ("chosen", "held", "drawn"):
        for group in found.get(kind, ()):
            for option in group["options"]:
                yield _option(kind, group["title"], option)


def _option(kind: str, group: str, o: Data) -> list[object]:
    had, without, lift = o["with"]["win_share"] or {}, o["without"]["win_share"] or {}, o["lift"] or {}
    return [
        kind, group, o["option"], o["often"], "" if o["taken"] is None else o["taken"], o["with"]["of"],
        had.get("value", ""), had.get("low", ""), had.get("high", ""), without.get("value", ""),
        lift.get("value", ""), lift.get("low", ""), lift.get("high", ""),
        o["with"]["score"]["value"], o["without"]["score"]["value"],
    ]  # fmt: skip
