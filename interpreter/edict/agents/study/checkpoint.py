"""Partial results on disk, one line for each piece of work, so that a run can be stopped and continued.

The first line, the header, tells what was played; the digests of all other lines depend on it. A piece counts once,
however often it is in the file. Damaged lines and lines that contradict others are left out, so that their games are
played again. The file is locked while a process writes.
"""

from __future__ import annotations

import json
import os
import re
import time
from bisect import bisect_left, insort
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import field
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

from edict.agents.study.bot_games import GameRange, StudyError
from edict.agents.study.totals import MAX_COUNT, Totals, check_integer
from edict.runtime.program import digest
from edict.runtime.simulation.keyed_randomness import VERSION
from edict.support.locks import FileLockedError, hold_lock
from edict.support.records import dataclass

Result = TypeVar("Result")
Data = dict[str, Any]

CHECKPOINT_FILE = "games.jsonl"
FORMAT = 3
NEW_FOLDER_HINT = "name another folder with -o, or start over in an empty one"


@dataclass(frozen=True)
class ResultFormat(Generic[Result]):
    """The stored form of one kind of results."""

    kind: str  # the name of a whole run, such as `study`
    identity: Data  # parameters that must be equal for games to belong together
    encode: Callable[[Result], Data]
    # for a number of games; raises ValueError, KeyError, TypeError or AttributeError if malformed
    decode: Callable[[int, Data], Result]

    @property
    def header(self) -> Data:
        """The data of the first line."""
        return {"format": FORMAT, "what": self.kind, "luck": VERSION, **self.identity}


@dataclass
class CheckpointFile(Generic[Result]):
    """The checkpoint in a folder, locked until it is closed. Results are on disk when `add` returns."""

    path: Path
    form: ResultFormat[Result]
    results: list[tuple[GameRange, Result]] = field(default_factory=list)  # read from the file
    left_out: list[str] = field(default_factory=list)  # a sentence for each line that is not used, with the reason
    _locks: ExitStack = field(default_factory=ExitStack)
    _places: list[tuple[int, int]] = field(default_factory=list)  # first game and line number of every result, sorted
    _by_first: dict[int, tuple[GameRange, bytes]] = field(default_factory=dict)

    @staticmethod
    def create(folder: Path, result_format: ResultFormat[Result]) -> CheckpointFile[Result]:
        """Create a checkpoint in a folder without one."""
        folder.mkdir(parents=True, exist_ok=True)
        checkpoint = CheckpointFile._open_with_lock(folder, result_format)
        try:
            require_no_results(folder)
            checkpoint._append(encode_line(result_format.header, ""))
        except BaseException:
            checkpoint.close()
            raise
        return checkpoint

    @staticmethod
    def resume(folder: Path, result_format: ResultFormat[Result], games: int = MAX_COUNT) -> CheckpointFile[Result]:
        """Open the checkpoint of a folder, to be continued up to a number of games. Raises `StudyError`."""
        if not (folder / CHECKPOINT_FILE).is_file():
            raise StudyError(
                f"there is no {result_format.kind} to continue in `{folder}`", "leave out --resume to start one"
            )
        checkpoint = CheckpointFile._open_with_lock(folder, result_format)
        try:
            checkpoint._load(games)
        except BaseException:
            checkpoint.close()
            raise
        return checkpoint

    @staticmethod
    def _open_with_lock(folder: Path, result_format: ResultFormat[Result]) -> CheckpointFile[Result]:
        """Return a folder's checkpoint, locked until closed; raise `StudyError` if another process holds the lock."""
        checkpoint = CheckpointFile(folder / CHECKPOINT_FILE, result_format)
        try:
            checkpoint._locks.enter_context(hold_lock(checkpoint.path))
        except FileLockedError:
            raise StudyError(
                f"another process is writing to `{checkpoint.path}`",
                "wait until it is done, or name another folder with -o",
            ) from None
        return checkpoint

    def close(self) -> None:
        """Release the lock."""
        self._locks.close()

    def __enter__(self) -> CheckpointFile[Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None) -> None:
        self.close()

    # --- writing

    def add(self, game_range: GameRange, result: Result) -> None:
        """Append the result of a range; raises `OSError` if the disk is full, and then leaves the file intact."""
        data = {"first": game_range.first, "games": game_range.games, "found": self.form.encode(result)}
        self._append(encode_line(data, self._header_text))

    @property
    def _header_text(self) -> str:
        return encode_line(self.form.header, "").decode()

    def _append(self, data: bytes) -> None:
        """Append a line; remove a partial line if the disk is full."""
        with open(self.path, "ab", buffering=0) as file:
            before = file.tell()
            try:
                while data:
                    data = data[file.write(data) :]
                os.fsync(file.fileno())
            except BaseException as problem:
                file.truncate(before)
                if isinstance(problem, OSError):
                    raise OSError(problem.errno, problem.strerror, str(self.path)) from None
                raise

    # --- reading

    def _load(self, games: int) -> None:
        """Read the saved results, noting damaged lines; raise `StudyError` if they hold more than `games` games."""
        first, *lines = self._read_lines() or [b""]
        header_problem = self._check_header(first)
        for number, line in enumerate(lines, 2):
            try:
                self._add_line(number, line)
            except DamagedResult as problem:
                self.left_out.append(f"line {number}: {problem.reason}")
        if header_problem and not self.results:
            raise StudyError(f"`{self.path}` cannot be used: line 1: {header_problem}", NEW_FOLDER_HINT)
        end = max((stretch.first + stretch.games for stretch, _ in self.results), default=0)
        if end > games:
            raise StudyError(f"the {self.form.kind} in `{self.path.parent}` is already larger", f"give --games {end}")

    def _read_lines(self) -> list[bytes]:
        """Return every complete line, and truncate the file after the last one."""
        content = self.path.read_bytes()
        end = content.rfind(b"\n") + 1
        if end < len(content):
            os.truncate(self.path, end)
        return content[:end].split(b"\n")[:-1]

    def _check_header(self, line: bytes) -> str:
        """Return the damage of the header; raise `StudyError` if it is intact and of other games."""
        try:
            header = decode_line(line, "")
        except DamagedResult as problem:
            self.left_out.append(f"line 1: {problem.reason}")
            return problem.reason
        kind = header.get("what") if isinstance(header, dict) else None
        if kind != self.form.kind:
            raise StudyError(f"`{self.path.parent}` holds no {self.form.kind}, but a {kind}", NEW_FOLDER_HINT)
        difference = _describe_difference(header, self.form.header)
        if difference:
            raise StudyError(
                f"the {self.form.kind} in `{self.path.parent}` was started with {difference}", NEW_FOLDER_HINT
            )
        return ""

    def _add_line(self, number: int, line: bytes) -> None:
        """Add the result of a line unless it is known. Raises `DamagedResult`."""
        data, line_digest = decode_line(line, self._header_text), line[:DIGEST_LENGTH]
        try:
            game_range = GameRange(check_integer(data["first"], 0), check_integer(data["games"], 1))
            if self._by_first.get(game_range.first) == (game_range, line_digest):
                return
            result = self.form.decode(game_range.games, data["found"])
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise DamagedResult("it does not hold the results of games") from None
        index = bisect_left(self._places, (game_range.first, 0))
        for first, other_line in self._places[max(0, index - 1) : index + 1]:
            other = self._by_first[first][0]
            if first < game_range.first + game_range.games and game_range.first < first + other.games:
                raise DamagedResult(f"it holds some of the same games as line {other_line}")
        insort(self._places, (game_range.first, number))
        self._by_first[game_range.first] = (game_range, line_digest)
        self.results.append((game_range, result))


def require_no_results(folder: Path) -> None:
    """Raise `StudyError` if the folder holds results; an empty file is ignored."""
    file = folder / CHECKPOINT_FILE
    if os.path.lexists(file) and not (file.is_file() and not file.stat().st_size):
        raise StudyError(f"`{folder}` already holds games", "--resume continues them, -o names another folder")


def _describe_difference(stored: Data, expected: Data) -> str:
    """Describe the different parameters with both values, without the hash of the rules."""
    names = [name for name in expected if stored.get(name) != expected[name]]
    if "luck" in names:
        return "another version, whose games have other luck"
    differences = [
        f"{name} {stored.get(name)!r}, not {expected[name]!r}" for name in names if name not in ("rules", "format")
    ]
    return "; ".join(differences) or ("the rules have changed since" if names else "")


DIGEST_LENGTH = 28
LINE_PATTERN = re.compile(rb'\{"digest":"([0-9a-f]{16})","data":(.*)\}', re.DOTALL)


class DamagedResult(Exception):
    """A line that is not as it was written; `reason` follows the line's number in a message."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def encode_line(data: Any, seal: str) -> bytes:
    """Encode data as a line with a digest, which depends on `seal`, too: the header of its file."""
    body = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    return f'{{"digest":"{digest(seal + body)}","data":{body}}}\n'.encode()


def decode_line(line: bytes, seal: str) -> Any:
    """Return the data of a line without its line end. Raises `DamagedResult`."""
    match = LINE_PATTERN.fullmatch(line)
    if match is None:
        raise DamagedResult("this is not a line of results")
    if match[1].decode() != digest(seal + match[2].decode("ascii", "replace")):
        raise DamagedResult("its digest does not match: it was changed or damaged, or belongs to something else")
    try:
        return json.loads(match[2])
    except (ValueError, RecursionError):
        raise DamagedResult("it cannot be read as JSON") from None


MAX_UNSAVED_SECONDS = 5.0  # what a killed process loses beside the pieces in work; a line takes some 50 kB


class TotalsMerger:
    """A context that merges adjacent ranges of games before they are saved.

    A range is passed on as soon as it is large enough, or nothing was passed on for some time, and the rest at the
    end, even after an exception other than `OSError`, which means that the disk is full.
    """

    def __init__(
        self, min_games: int, save: Callable[[GameRange, Totals], None], max_seconds: float = MAX_UNSAVED_SECONDS
    ) -> None:
        self._min_games, self._save, self._max_seconds = min_games, save, max_seconds
        self._last_saved = time.monotonic()
        self._by_start: dict[int, tuple[GameRange, Totals]] = {}  # by the first game
        self._start_by_end: dict[int, int] = {}  # first game by the one after the last

    def add(self, game_range: GameRange, totals: Totals) -> None:
        """Add the totals of a range, merged with adjacent ones."""
        after = self._by_start.pop(game_range.first + game_range.games, None)
        if after is not None:
            game_range, totals = self._merge((game_range, totals), after)
        before = self._start_by_end.pop(game_range.first, None)
        if before is not None:
            game_range, totals = self._merge(self._by_start.pop(before), (game_range, totals))
        if game_range.games >= self._min_games or time.monotonic() - self._last_saved > self._max_seconds:
            self._start_by_end.pop(game_range.first + game_range.games, None)
            self._save(game_range, totals)
            self._last_saved = time.monotonic()
        else:
            self._by_start[game_range.first] = (game_range, totals)
            self._start_by_end[game_range.first + game_range.games] = game_range.first

    def _merge(self, left: tuple[GameRange, Totals], right: tuple[GameRange, Totals]) -> tuple[GameRange, Totals]:
        """Return two adjacent ranges as one, with the sum of their totals; neither is changed."""
        merged = Totals.zero(left[1].players)
        merged.add(left[1])
        merged.add(right[1])
        return GameRange(left[0].first, left[0].games + right[0].games), merged

    def __enter__(self) -> TotalsMerger:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None) -> None:
        if kind is None or not issubclass(kind, OSError):
            for stretch, totals in self._by_start.values():
                self._save(stretch, totals)
