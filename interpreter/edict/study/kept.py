"""A study's partial results on disk, a line for each piece of work, so that it can be stopped and gone on with."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from edict.study.errors import StudyError
from edict.study.games import Setup, Stretch
from edict.study.totals import Totals

FILE = "games.jsonl"
FORMAT = 1
AGAIN = "name another folder with -o, or begin anew in an empty one"


def header_of(setup: Setup) -> dict[str, Any]:
    """What must be the same for games to belong together."""
    program = setup.program
    return {
        "format": FORMAT, "rules": program.rules_hash, "title": program.title, "modules": list(program.modules),
        "bots": list(setup.bots), "settings": dict(setup.settings), "seed": setup.seed,
    }  # fmt: skip


@dataclass
class Kept:
    """The file of a study. What is written is on the disk before the next piece is waited for."""

    path: Path
    players: int
    done: list[Stretch] = field(default_factory=list)

    @staticmethod
    def begin(folder: Path, setup: Setup) -> Kept:
        """A new study in this folder, which must hold none yet."""
        folder.mkdir(parents=True, exist_ok=True)
        kept = Kept(folder / FILE, setup.players)
        if kept.path.exists():
            raise StudyError(
                f"there is a study in `{folder}` already", "--resume goes on with it, -o names another folder"
            )
        kept._write(header_of(setup))
        return kept

    @staticmethod
    def resume(folder: Path, setup: Setup) -> tuple[Kept, Totals]:
        """The study in a folder, and what it has come to so far."""
        kept, totals = Kept(folder / FILE, setup.players), Totals.none(setup.players)
        lines = kept._lines()
        if not lines:
            raise StudyError(f"there is no study to go on with in `{folder}`", "leave out --resume to begin one")
        differing = _differing(lines[0], header_of(setup))
        if differing:
            raise StudyError(f"the study in `{folder}` was begun otherwise: {differing}", AGAIN)
        for line in lines[1:]:
            kept.done.append(Stretch(int(line["first"]), int(line["games"])))
            totals.add(kept._totals(line))
        return kept, totals

    def add(self, stretch: Stretch, totals: Totals) -> None:
        """Keep what a stretch came to; raises `OSError` when the disk takes no more, and leaves all else whole."""
        self._write({"first": stretch.first, "games": stretch.games, "totals": totals.as_data()})
        self.done.append(stretch)

    def _write(self, data: dict[str, Any]) -> None:
        """A line at the end; half a line, left by a full disk, is taken off again."""
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        with open(self.path, "ab", buffering=0) as file:
            before = file.tell()
            try:
                while text:
                    text = text[file.write(text) :]
                os.fsync(file.fileno())
            except OSError as problem:
                file.truncate(before)
                raise OSError(problem.errno, problem.strerror, str(self.path)) from None

    def _lines(self) -> list[dict[str, Any]]:
        """Every whole line; what follows the last one was being written when something went wrong."""
        if not self.path.is_file():
            return []
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self.path, whole)
        try:
            return [json.loads(line) for line in content[:whole].splitlines()]
        except ValueError:
            raise self._damaged() from None

    def _totals(self, line: dict[str, Any]) -> Totals:
        try:
            return Totals.from_data(self.players, line["totals"])
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise self._damaged() from None

    def _damaged(self) -> StudyError:
        return StudyError(f"`{self.path}` is damaged", AGAIN)


def _differing(kept: dict[str, Any], asked: dict[str, Any]) -> str:
    """What differs, with both values; the rules' hash says nothing to people."""
    names = [name for name in asked if kept.get(name) != asked[name]]
    told = [f"{name} {kept.get(name)!r}, not {asked[name]!r}" for name in names if name not in ("rules", "format")]
    return "; ".join(told) or ("the rules have changed since" if names else "")
