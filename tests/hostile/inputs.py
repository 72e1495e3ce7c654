"""Parts of hostile folders: a small playable game, and texts of any size beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from calling import make_manifest
from edict.compiler.sources.input_limits import MOST_SIGNS, count_signs_in

ALL = os.environ.get("EDICT_HOSTILE") == "all"
# has no end condition; asks each player once
GAME = """\
resource coin "coin/coins"
keep seats as order of player, quiet

game sample "Sample"
  players 1 to 2
  order seats
  winners everyone
  score coin of you
  course
    play opening

phase opening "Opening"
  each player
    choose one "Which?"
      option "Left"
        gain 1 coin
      option "Right"
        gain 2 coin
"""


@dataclass(frozen=True)
class HostileInput:
    """An input, the command that reads it, and how that must end."""

    name: str
    lay: Callable[[Path], None]
    says: str
    command: tuple[str, ...] = ("check", "./sample")
    code: int = 1
    seconds: float = 10.0
    megabytes: int = 500
    slow: bool = False
    like: str = ""


def write_module(folder: Path, name: str, kind: str = "module", more: str = "", **pages: str) -> None:
    """Write a module with these pages."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "module.yaml").write_text(make_manifest(name, kind) + more, encoding="utf-8")
    for page, text in pages.items():
        (folder / name / f"{page}.edict").write_text(text, encoding="utf-8")


def rules_writer(*parts: str | Iterable[str], game: str = GAME) -> Callable[[Path], None]:
    """Return a function that writes the game and pages of these lines; each given text stays on one page."""

    def write_rules(folder: Path) -> None:
        lines = [line for part in parts for line in ([part] if isinstance(part, str) else part)]
        write_module(folder, "sample", "game", game=game)
        for number, page in enumerate(_split_pages(lines)):
            (folder / "sample" / f"page-{number:03}.edict").write_text(page, encoding="utf-8")

    return write_rules


def _split_pages(texts: list[str]) -> Iterable[str]:
    """Yield as few pages as the size limits of a page allow."""
    page: list[str] = []
    lines = size = 0
    for text in texts:
        more, longer = text.count("\n") + 1, len(text.encode()) + 1
        if page and (lines + more > 19_000 or size + longer > 900_000):
            yield "\n".join(page) + "\n"
            page, lines, size = [], 0, 0
        page.append(text)
        lines, size = lines + more, size + longer
    yield "\n".join(page) + "\n"


@dataclass(frozen=True)
class RepeatedText:
    """A text repeated, with `#` for the number and `@` for the next one, generated on demand."""

    text: str
    count: int

    def __iter__(self) -> Iterator[str]:
        return (number_text(self.text, number) for number in range(self.count))


def number_text(text: str, number: int) -> str:
    return text.replace("#", str(number)).replace("@", str(number + 1))


def fill_limit(text: str, share: float = 0.98) -> RepeatedText:
    """Repeat a text to fill this share of the words, signs and lines that all rules together may have."""
    longest = number_text(text, 9_999)
    return RepeatedText(text, int(share * MOST_SIGNS / (count_signs_in(longest) + longest.count("\n") + 1)))


def scale_count(count: int) -> int:
    """Return the count for `make hostile`, or a tenth of it in a normal run."""
    return count if ALL else count // 10


def scale_depth(count: int) -> int:
    """Return the depth for `make hostile`, or one just beyond Python's recursion limit in a normal run."""
    return count if ALL else min(count, 1_100)


def make_phase(name: str, *lines: str) -> str:
    """Return a phase of these lines."""
    return "\n".join((f"phase {name}", *(f"  {line}" for line in lines)))
