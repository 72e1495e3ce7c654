"""What a hostile folder is made of: a small game that can be played, and texts of any size laid beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from calling import manifest
from edict.compiler.sources.input_limits import MOST_SIGNS, signs_in

ALL = os.environ.get("EDICT_HOSTILE") == "all"
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
"""Without an end of its own it asks each player once."""


@dataclass(frozen=True)
class Hostile:
    """An input, the command that reads it, and how that must end.

    says: a stretch of what is printed; seconds: of processor time; slow: too long for every run of the tests; like:
    the input of which it is a variation, which stands for it in every run.
    """

    name: str
    lay: Callable[[Path], None]
    says: str
    command: tuple[str, ...] = ("check", "./sample")
    code: int = 1
    seconds: float = 10.0
    megabytes: int = 500
    slow: bool = False
    like: str = ""


def module(folder: Path, name: str, kind: str = "module", more: str = "", **pages: str) -> None:
    """A module's folder with these pages."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "module.yaml").write_text(manifest(name, kind) + more, encoding="utf-8")
    for page, text in pages.items():
        (folder / name / f"{page}.edict").write_text(text, encoding="utf-8")


def rules(*parts: str | Iterable[str], game: str = GAME) -> Callable[[Path], None]:
    """The game, and beside it pages of these lines, as many as they need; each text given stays on one page."""

    def lay(folder: Path) -> None:
        lines = [line for part in parts for line in ([part] if isinstance(part, str) else part)]
        module(folder, "sample", "game", game=game)
        for number, page in enumerate(_pages(lines)):
            (folder / "sample" / f"page-{number:03}.edict").write_text(page, encoding="utf-8")

    return lay


def _pages(texts: list[str]) -> Iterable[str]:
    """As few pages as can be that are not too large to be read."""
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
class Many:
    """A text so many times, with `#` for the number and `@` for the next one; none is there until it is wanted."""

    text: str
    count: int

    def __iter__(self) -> Iterator[str]:
        return (numbered(self.text, number) for number in range(self.count))


def numbered(text: str, number: int) -> str:
    return text.replace("#", str(number)).replace("@", str(number + 1))


def filled(text: str, share: float = 0.98) -> Many:
    """The text so often that it has this share of the words, signs and lines that all rules together may have."""
    longest = numbered(text, 9_999)
    return Many(text, int(share * MOST_SIGNS / (signs_in(longest) + longest.count("\n") + 1)))


def much(count: int) -> int:
    """So many with all of it, as `make hostile` has; a tenth of them in every run."""
    return count if ALL else count // 10


def deeper(count: int) -> int:
    """Likewise of what goes one into the other; deeper than Python can call in every run."""
    return count if ALL else min(count, 1_100)


def phase(name: str, *lines: str) -> str:
    """A phase of these lines."""
    return "\n".join((f"phase {name}", *(f"  {line}" for line in lines)))
