"""Tables on disk while games are played: a file for each stretch of games, put together at the end.

So nothing is held in memory, a run that is broken off keeps what it has, and one that goes on adds to it.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edict.agents.study.bot_games import GameRange, Setup, StudyError, game_ranges, play
from edict.agents.study.tables import REALS, TEXTS, Columns, Decisions, TableColumn, game_rows, listed
from edict.agents.study.totals import Totals, totalled

NAME = re.compile(r"(\d{12})-(\d+)")


@dataclass(frozen=True)
class Partitions:
    """The parts of one table, in a folder of their own. `ending`: .csv or .parquet."""

    folder: Path
    columns: tuple[TableColumn, ...]
    ending: str

    def add(self, stretch: GameRange, rows: Columns) -> None:
        """Keep the rows of a stretch; raises `OSError`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        put(self._file(stretch), lambda path: WRITERS[self.ending](path, self.columns, [rows]))

    def there(self) -> list[GameRange]:
        """The game_ranges that are kept, in order."""
        names = [NAME.fullmatch(path.stem) for path in self._files()]
        return [GameRange(int(name[1]), int(name[2])) for name in names if name]

    def _files(self) -> list[Path]:
        found = self.folder.glob(f"*{self.ending}") if self.folder.is_dir() else ()
        return sorted(path for path in found if NAME.fullmatch(path.stem))

    def _file(self, stretch: GameRange) -> Path:
        return self.folder / f"{stretch.first:012d}-{stretch.games}{self.ending}"

    def drop(self, stretch: GameRange) -> None:
        """These games are played again."""
        self._file(stretch).unlink(missing_ok=True)

    def join(self, target: Path, told: Callable[[int], object] = lambda done: None) -> None:
        """All parts in one file, in the order of the games; `told` is called with the number of parts read so far.

        Raises `OSError` or `StudyError`.
        """
        put(target, lambda path: JOINERS[self.ending](path, self.columns, _counted(self._files(), told)))


def _counted(files: Sequence[Path], told: Callable[[int], object]) -> Iterator[Path]:
    for number, file in enumerate(files):
        told(number)
        yield file


def put(target: Path, write: Callable[[Path], None]) -> None:
    """Have a file written beside the target, and put it in its place at once."""
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        write(beside)
        os.replace(beside, target)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(target)) from None
    finally:
        beside.unlink(missing_ok=True)


# --- CSV ----------------------------------------------------------------------------------------


def write_csv(path: Path, columns: Sequence[TableColumn], tables: Sequence[Columns]) -> None:
    """A line for each row under the names; lists are JSON, what is missing is empty."""
    with open(path, "x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([as_cell(column.name) for column in columns])
        for rows in tables:
            writer.writerows(_lines(columns, rows))


def _lines(columns: Sequence[TableColumn], rows: Columns) -> Iterator[list[object]]:
    lists = {column.name for column in columns if column.holds in (TEXTS, REALS)}
    values = [[_written(v, c.name in lists) for v in listed(rows[c.name])] for c in columns]
    yield from (list(line) for line in zip(*values, strict=True))


def _written(value: Any, is_list: bool) -> object:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if is_list else as_cell(value)


def join_csv(path: Path, columns: Sequence[TableColumn], parts: Iterable[Path]) -> None:
    write_csv(path, columns, [])
    head = path.read_bytes()
    with open(path, "ab") as out:
        for part in parts:
            with open(part, "rb") as file:
                if file.read(len(head)) != head:
                    raise StudyError(f"`{part}` holds other columns", "delete it, then use --resume")
                while chunk := file.read(io.DEFAULT_BUFFER_SIZE * 16):
                    out.write(chunk)


def write_parquet(path: Path, columns: Sequence[TableColumn], tables: Sequence[Columns]) -> None:
    from edict.agents.study import arrow

    arrow.write(path, columns, tables)


def join_parquet(path: Path, columns: Sequence[TableColumn], parts: Iterable[Path]) -> None:
    from edict.agents.study import arrow

    arrow.join(path, columns, parts)


WRITERS = {".csv": write_csv, ".parquet": write_parquet}
JOINERS = {".csv": join_csv, ".parquet": join_parquet}


SLOWER = 4  # times as slow is a game whose decisions are noted


@dataclass(frozen=True, slots=True)
class WantedTables:
    """Which tables are wanted."""

    games: bool = False
    decisions: bool = False


@dataclass(frozen=True, slots=True)
class TablePiece:
    """What a stretch of games came to, and its rows of the tables that are wanted."""

    totals: Totals
    games: Columns | None = None
    decisions: Columns | None = None


def play_piece(setup: Setup, wanted: WantedTables, stretch: GameRange) -> TablePiece:
    """A piece of work."""
    observer = Decisions(setup) if wanted.decisions else None
    played = play(setup, stretch, keep=wanted.games, observer=observer)
    games = game_rows(setup, stretch, played.counted) if wanted.games else None
    return TablePiece(totalled(setup, played), games, observer.columns if observer else None)


@dataclass(frozen=True)
class OpenTables:
    """The parts of the tables that are wanted; both None: nothing is recorded."""

    games: Partitions | None = None
    decisions: Partitions | None = None

    @property
    def wanted(self) -> WantedTables:
        return WantedTables(self.games is not None, self.decisions is not None)

    @property
    def tables(self) -> list[Partitions]:
        return [parts for parts in (self.games, self.decisions) if parts is not None]

    def piece(self, usual: int) -> int:
        """How many games make a piece of work: decisions take longer to note than games to play."""
        return usual if self.decisions is None else max(1, usual // SLOWER)

    def add(self, stretch: GameRange, piece: TablePiece) -> None:
        """Keep the rows of a stretch; raises `OSError`."""
        for parts, rows in ((self.games, piece.games), (self.decisions, piece.decisions)):
            if parts is not None and rows is not None:
                parts.add(stretch, rows)

    def missing(self, games: int, known: list[GameRange], size: int) -> list[GameRange]:
        """Which of the games that a study knows must be played again for their rows, in pieces of this size.

        Partitions of games that it does not know, and parts that not all tables have, are dropped.
        """
        common = set.intersection(*(set(parts.there()) for parts in self.tables)) if self.tables else set()
        gaps = list(game_ranges(games, max(1, games), known))
        good = {one for one in common if not any(_meet(one, gap) for gap in gaps)}
        for parts in self.tables:
            for stretch in parts.there():
                if stretch not in good:
                    parts.drop(stretch)
        return list(game_ranges(games, size, [*good, *gaps])) if self.tables else []


def _meet(one: GameRange, other: GameRange) -> bool:
    return one.first < other.first + other.games and other.first < one.first + one.games


FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_cell(value: object) -> object:
    """A value as a spreadsheet may have it: text that it would take for a formula gets an apostrophe before it (as
    OWASP says); numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
