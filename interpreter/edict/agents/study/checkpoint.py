"""Partial results on disk, a line for each piece of work, so that it can be stopped and gone on with.

The first line, the header, says what was played; all others belong to it, and their digests are made with it. Results
go by their piece: however often a piece stands in the file, it counts once, and what is damaged or contradicts another
line is left out, so that it is played again. While one process writes, no other may.
"""

from __future__ import annotations

import json
import os
import re
import time
from bisect import bisect_left, insort
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

from edict.agents.study.bot_games import GameRange, StudyError
from edict.agents.study.totals import LARGEST, Totals, whole
from edict.runtime.program import digest
from edict.runtime.simulation.keyed_randomness import VERSION
from edict.support.locks import FileLockedError, hold_lock

Result = TypeVar("Result")
Data = dict[str, Any]

FILE = "games.jsonl"
FORMAT = 3
AGAIN = "name another folder with -o, or start over in an empty one"


@dataclass(frozen=True)
class StoredForm(Generic[Result]):
    """How results of one kind are stored: the header, and how to write one, and read it for a number of games.

    what: what the whole is called. asked: what must be the same for games to belong together. `read` raises
    `ValueError`, `KeyError`, `TypeError` or `AttributeError` for data that is none.
    """

    what: str
    asked: Data
    write: Callable[[Result], Data]
    read: Callable[[int, Data], Result]

    @property
    def header(self) -> Data:
        return {"format": FORMAT, "what": self.what, "luck": VERSION, **self.asked}


@dataclass
class CheckpointFile(Generic[Result]):
    """The file in a folder, locked until it is closed. What is added is on the disk when `add` returns.

    results: what was found in it. left_out: why some of its lines are not used, in a sentence each.
    """

    path: Path
    form: StoredForm[Result]
    results: list[tuple[GameRange, Result]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    _open: ExitStack = field(default_factory=ExitStack)
    _places: list[tuple[int, int]] = field(default_factory=list)  # first game and line of every result, in order
    _by_first: dict[int, tuple[GameRange, bytes]] = field(default_factory=dict)

    @staticmethod
    def begin(folder: Path, form: StoredForm[Result]) -> CheckpointFile[Result]:
        """A new file in this folder, which must hold none yet."""
        folder.mkdir(parents=True, exist_ok=True)
        kept = CheckpointFile._locked(folder, form)
        try:
            check_free(folder)
            kept._write(sealed(form.header, ""))
        except BaseException:
            kept.close()
            raise
        return kept

    @staticmethod
    def resume(folder: Path, form: StoredForm[Result], games: int = LARGEST) -> CheckpointFile[Result]:
        """What is in a folder, to be continued up to a number of games. Raises `StudyError`."""
        if not (folder / FILE).is_file():
            raise StudyError(f"there is no {form.what} to continue in `{folder}`", "leave out --resume to start one")
        kept = CheckpointFile._locked(folder, form)
        try:
            kept._take_in(games)
        except BaseException:
            kept.close()
            raise
        return kept

    @staticmethod
    def _locked(folder: Path, form: StoredForm[Result]) -> CheckpointFile[Result]:
        kept = CheckpointFile(folder / FILE, form)
        try:
            kept._open.enter_context(hold_lock(kept.path))
        except FileLockedError:
            raise StudyError(
                f"another process is writing to `{kept.path}`", "wait until it is done, or name another folder with -o"
            ) from None
        return kept

    def close(self) -> None:
        """Let others have it."""
        self._open.close()

    def __enter__(self) -> CheckpointFile[Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None) -> None:
        self.close()

    # --- writing

    def add(self, stretch: GameRange, result: Result) -> None:
        """Keep what a stretch came to; raises `OSError` when the disk takes no more, and leaves all else whole."""
        data = {"first": stretch.first, "games": stretch.games, "found": self.form.write(result)}
        self._write(sealed(data, self._seal))

    @property
    def _seal(self) -> str:
        return sealed(self.form.header, "").decode()

    def _write(self, line: bytes) -> None:
        """A line at the end; half a line, left by a full disk, is taken off again."""
        with open(self.path, "ab", buffering=0) as file:
            before = file.tell()
            try:
                while line:
                    line = line[file.write(line) :]
                os.fsync(file.fileno())
            except BaseException as problem:
                file.truncate(before)
                if isinstance(problem, OSError):
                    raise OSError(problem.errno, problem.strerror, str(self.path)) from None
                raise

    # --- reading

    def _take_in(self, games: int) -> None:
        first, *lines = self._lines() or [b""]
        damaged = self._check_header(first)
        for number, line in enumerate(lines, 2):
            try:
                self._take(number, line)
            except DamagedResult as problem:
                self.left_out.append(f"line {number}: {problem.reason}")
        if damaged and not self.results:
            raise StudyError(f"`{self.path}` cannot be used: line 1: {damaged}", AGAIN)
        last = max((stretch.first + stretch.games for stretch, _ in self.results), default=0)
        if last > games:
            raise StudyError(f"the {self.form.what} in `{self.path.parent}` is already larger", f"give --games {last}")

    def _lines(self) -> list[bytes]:
        """Every whole line; what follows the last one was being written when something went wrong."""
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self.path, whole)
        return content[:whole].split(b"\n")[:-1]

    def _check_header(self, line: bytes) -> str:
        """What is wrong with the line; raises `StudyError` if there is nothing wrong, but other games belong to it."""
        try:
            header = opened(line, "")
        except DamagedResult as problem:
            self.left_out.append(f"line 1: {problem.reason}")
            return problem.reason
        what = header.get("what") if isinstance(header, dict) else None
        if what != self.form.what:
            raise StudyError(f"`{self.path.parent}` holds no {self.form.what}, but a {what}", AGAIN)
        differing = _differing(header, self.form.header)
        if differing:
            raise StudyError(f"the {self.form.what} in `{self.path.parent}` was started with {differing}", AGAIN)
        return ""

    def _take(self, number: int, line: bytes) -> None:
        """Take in a line, if its piece is not there yet. Raises `DamagedResult`."""
        data, name = opened(line, self._seal), line[:DIGEST]
        try:
            stretch = GameRange(whole(data["first"], 0), whole(data["games"], 1))
            if self._by_first.get(stretch.first) == (stretch, name):
                return
            result = self.form.read(stretch.games, data["found"])
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise DamagedResult("it does not hold the results of games") from None
        at = bisect_left(self._places, (stretch.first, 0))
        for first, where in self._places[max(0, at - 1) : at + 1]:
            other = self._by_first[first][0]
            if first < stretch.first + stretch.games and stretch.first < first + other.games:
                raise DamagedResult(f"it holds some of the same games as line {where}")
        insort(self._places, (stretch.first, number))
        self._by_first[stretch.first] = (stretch, name)
        self.results.append((stretch, result))


def check_free(folder: Path) -> None:
    """Raises `StudyError` if the folder holds results; an empty file only means that a run never began."""
    file = folder / FILE
    if os.path.lexists(file) and not (file.is_file() and not file.stat().st_size):
        raise StudyError(f"`{folder}` already holds games", "--resume continues them, -o names another folder")


def _differing(kept: Data, asked: Data) -> str:
    """What differs, with both values; the rules' hash says nothing to people."""
    names = [name for name in asked if kept.get(name) != asked[name]]
    if "luck" in names:
        return "another version, whose games have other luck"
    told = [f"{name} {kept.get(name)!r}, not {asked[name]!r}" for name in names if name not in ("rules", "format")]
    return "; ".join(told) or ("the rules have changed since" if names else "")


DIGEST = 28  # a line begins with so many bytes that differ whenever anything in it does
LINE = re.compile(rb'\{"digest":"([0-9a-f]{16})","data":(.*)\}', re.DOTALL)


class DamagedResult(Exception):
    """A line that is not as it was written; `reason` says why, in words that follow its number."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def sealed(data: Any, seal: str) -> bytes:
    """The line of this data, which ends in a line end. `seal` goes into the digest: what the line belongs to."""
    body = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    return f'{{"digest":"{digest(seal + body)}","data":{body}}}\n'.encode()


def opened(line: bytes, seal: str) -> Any:
    """The data of a line without its line end. Raises `DamagedResult`."""
    found = LINE.fullmatch(line)
    if found is None:
        raise DamagedResult("this is not a line of results")
    if found[1].decode() != digest(seal + found[2].decode("ascii", "replace")):
        raise DamagedResult("its digest does not match: it was changed or damaged, or belongs to something else")
    try:
        return json.loads(found[2])
    except (ValueError, RecursionError):
        raise DamagedResult("it cannot be read as JSON") from None


LONGEST = 30.0  # seconds of work that a killed process may lose, and what a line costs is little beside them


class Merger:
    """Pieces that follow each other become one; as soon as one has so many games, or none was given away for some
    time, it is given away, and all others at the end, however that comes: only when the disk takes no more (`OSError`)
    is nothing given away any more."""

    def __init__(self, games: int, give: Callable[[GameRange, Totals], None], longest: float = LONGEST) -> None:
        self._enough, self._give, self._longest = games, give, longest
        self._given = time.monotonic()
        self._from: dict[int, tuple[GameRange, Totals]] = {}  # by the first game
        self._to: dict[int, int] = {}  # first game by the one after the last

    def take(self, stretch: GameRange, totals: Totals) -> None:
        after = self._from.pop(stretch.first + stretch.games, None)
        if after is not None:
            stretch, totals = self._joined((stretch, totals), after)
        before = self._to.pop(stretch.first, None)
        if before is not None:
            stretch, totals = self._joined(self._from.pop(before), (stretch, totals))
        if stretch.games >= self._enough or time.monotonic() - self._given > self._longest:
            self._to.pop(stretch.first + stretch.games, None)
            self._give(stretch, totals)
            self._given = time.monotonic()
        else:
            self._from[stretch.first] = (stretch, totals)
            self._to[stretch.first + stretch.games] = stretch.first

    def _joined(self, one: tuple[GameRange, Totals], other: tuple[GameRange, Totals]) -> tuple[GameRange, Totals]:
        both = Totals.none(one[1].players)
        both.add(one[1])
        both.add(other[1])
        return GameRange(one[0].first, one[0].games + other[0].games), both

    def __enter__(self) -> Merger:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None) -> None:
        if kind is None or not issubclass(kind, OSError):
            for stretch, totals in self._from.values():
                self._give(stretch, totals)
