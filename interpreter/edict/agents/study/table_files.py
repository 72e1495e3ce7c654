"""Tables written while games are played: a file for each range of games, joined at the end. Only this uses pyarrow.

Nothing is held in memory, an interrupted run keeps its rows, and a continued one adds to them.
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
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edict.agents.study.bot_games import GameRange, GameSetup, StudyError, play_range, split_games
from edict.agents.study.tables import (
    REAL,
    REALS,
    SEED,
    TEXT,
    TEXTS,
    WHOLE,
    WHOLES,
    Columns,
    DecisionRecorder,
    TableColumn,
    build_game_rows,
    to_list,
)
from edict.agents.study.totals import Totals, sum_games

if TYPE_CHECKING:
    from pyarrow import Table as Table


GROUP_VALUES = 1_000_000
COMPRESSION = "zstd"
RESUME_HINT = "delete it, then use --resume"


def is_available() -> bool:
    """Return True if pyarrow is installed."""
    return find_spec("pyarrow") is not None


def build_schema(columns: Sequence[TableColumn]) -> Any:
    """Return the Arrow schema of columns; the metadata of each field tells its meaning."""
    import pyarrow as pa

    word = pa.dictionary(pa.int32(), pa.string())
    types = {
        WHOLE: pa.int64(),
        SEED: pa.uint64(),
        REAL: pa.float64(),
        TEXT: word,
        TEXTS: pa.list_(pa.string()),
        REALS: pa.list_(pa.float64()),
        WHOLES: pa.list_(pa.int32()),
    }
    return pa.schema([pa.field(c.name, types[c.holds], metadata={"means": c.means}) for c in columns])


def build_table(columns: Sequence[TableColumn], tables: Iterable[Columns]) -> Any:
    """Return a `pyarrow.Table` of all these rows."""
    import pyarrow as pa

    schema = build_schema(columns)
    arrow_tables = [pa.Table.from_pydict(rows, schema=schema) for rows in tables]
    if arrow_tables:
        return pa.concat_tables(arrow_tables).unify_dictionaries()
    return schema.empty_table()


def write_parquet(path: Path, columns: Sequence[TableColumn], tables: Iterable[Columns]) -> None:
    """Write tables to a Parquet file."""
    from pyarrow import parquet

    parquet.write_table(build_table(columns, tables), path, compression=COMPRESSION)


def join_parquet(path: Path, columns: Sequence[TableColumn], parts: Iterable[Path]) -> None:
    """Join Parquet files into one, with at most one row group in memory."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = build_schema(columns)
    with parquet.ParquetWriter(path, schema, compression=COMPRESSION) as writer:
        pending: list[Any] = []
        for part in parts:
            try:
                table = parquet.ParquetFile(part).read(use_threads=False)  # faster for small files
            except (pa.ArrowException, ValueError) as problem:
                raise StudyError(f"`{part}` cannot be read: {problem}", RESUME_HINT) from None
            if table.schema.names != schema.names:
                raise StudyError(f"`{part}` holds other columns", RESUME_HINT)
            pending.append(table.cast(schema))
            if sum(table.num_rows for table in pending) * len(schema) >= GROUP_VALUES:
                writer.write_table(pa.concat_tables(pending).unify_dictionaries())
                pending = []
        if pending:
            writer.write_table(pa.concat_tables(pending).unify_dictionaries())


FILE_NAME = re.compile(r"(\d{12})-(\d+)")


@dataclass(frozen=True)
class TableParts:
    """The parts of one table in a folder of their own."""

    folder: Path
    columns: tuple[TableColumn, ...]
    suffix: str  # .csv or .parquet

    def add(self, game_range: GameRange, rows: Columns) -> None:
        """Save the rows of a range; raises `OSError`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path_of(game_range), lambda path: WRITERS[self.suffix](path, self.columns, [rows]))

    def list_ranges(self) -> list[GameRange]:
        """Return the saved ranges, in order."""
        names = [FILE_NAME.fullmatch(path.stem) for path in self._list_files()]
        return [GameRange(int(name[1]), int(name[2])) for name in names if name]

    def _list_files(self) -> list[Path]:
        """Return the part files in the folder, sorted by their first game; empty without a folder."""
        paths = self.folder.glob(f"*{self.suffix}") if self.folder.is_dir() else ()
        return sorted(path for path in paths if FILE_NAME.fullmatch(path.stem))

    def _path_of(self, game_range: GameRange) -> Path:
        """Return the file of a range, named `FIRST-GAMES` with the first number in 12 digits."""
        return self.folder / f"{game_range.first:012d}-{game_range.games}{self.suffix}"

    def delete(self, game_range: GameRange) -> None:
        """Delete the rows of a range, whose games are played again."""
        self._path_of(game_range).unlink(missing_ok=True)

    def join(self, target: Path, on_progress: Callable[[int], object] = lambda done: None) -> None:
        """Join all parts into one file, in the order of the games.

        Args:
            target: The file.
            on_progress: Called with the number of parts read so far.

        Raises:
            OSError, StudyError: If a part cannot be read, or the file cannot be written.
        """
        write_atomically(
            target,
            lambda path: JOINERS[self.suffix](path, self.columns, _report_progress(self._list_files(), on_progress)),
        )


def _report_progress(files: Sequence[Path], on_progress: Callable[[int], object]) -> Iterator[Path]:
    """Yield the files, calling `on_progress` before each with the number of files done."""
    for number, file in enumerate(files):
        on_progress(number)
        yield file


def write_atomically(target: Path, write: Callable[[Path], None]) -> None:
    """Write a temporary file beside the target, and rename it."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        write(temporary)
        os.replace(temporary, target)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(target)) from None
    finally:
        temporary.unlink(missing_ok=True)


# --- CSV ----------------------------------------------------------------------------------------


def write_csv(path: Path, columns: Sequence[TableColumn], tables: Sequence[Columns]) -> None:
    """Write tables as CSV; lists are JSON, missing values are empty."""
    with open(path, "x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([escape_formula(column.name) for column in columns])
        for rows in tables:
            writer.writerows(_iter_csv_rows(columns, rows))


def _iter_csv_rows(columns: Sequence[TableColumn], rows: Columns) -> Iterator[list[object]]:
    """Yield the rows of columns as CSV cells."""
    lists = {column.name for column in columns if column.holds in (TEXTS, REALS)}
    values = [[_format_csv_value(value, c.name in lists) for value in to_list(rows[c.name])] for c in columns]
    yield from (list(line) for line in zip(*values, strict=True))


def _format_csv_value(value: Any, is_list: bool) -> object:
    """Return a CSV cell: empty for None, JSON for a list, otherwise the value with formulas escaped."""
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if is_list else escape_formula(value)


def join_csv(path: Path, columns: Sequence[TableColumn], parts: Iterable[Path]) -> None:
    """Join CSV files with the same columns."""
    write_csv(path, columns, [])
    header = path.read_bytes()
    with open(path, "ab") as out:
        for part in parts:
            with open(part, "rb") as file:
                if file.read(len(header)) != header:
                    raise StudyError(f"`{part}` holds other columns", "delete it, then use --resume")
                while chunk := file.read(io.DEFAULT_BUFFER_SIZE * 16):
                    out.write(chunk)


WRITERS = {".csv": write_csv, ".parquet": write_parquet}
JOINERS = {".csv": join_csv, ".parquet": join_parquet}


DECISION_SLOWDOWN = 4


@dataclass(frozen=True, slots=True)
class RequestedTables:
    """The tables to write."""

    games: bool = False
    decisions: bool = False


@dataclass(frozen=True, slots=True)
class TablePiece:
    """The totals of a range of games and its rows of the requested tables."""

    totals: Totals
    games: Columns | None = None
    decisions: Columns | None = None
    positions: Columns | None = None


def play_piece(setup: GameSetup, requested: RequestedTables, game_range: GameRange) -> TablePiece:
    """Play a range of games; a piece of work."""
    observer = DecisionRecorder(setup) if requested.decisions else None
    played = play_range(setup, game_range, keep=requested.games, observer=observer)
    games = build_game_rows(setup, game_range, played.counted) if requested.games else None
    return TablePiece(sum_games(setup, played), games, observer.columns if observer else None)


@dataclass(frozen=True)
class OpenTables:
    """The parts of the tables that are being written; if both are None, nothing is recorded."""

    games: TableParts | None = None
    decisions: TableParts | None = None

    @property
    def requested(self) -> RequestedTables:
        """The tables to write."""
        return RequestedTables(self.games is not None, self.decisions is not None)

    @property
    def tables(self) -> list[TableParts]:
        """The parts of each table."""
        return [parts for parts in (self.games, self.decisions) if parts is not None]

    def piece_size(self, default: int) -> int:
        """Return the number of games in a piece of work, which is smaller if decisions are recorded."""
        if self.decisions is None:
            return default
        return max(1, default // DECISION_SLOWDOWN)

    def add(self, game_range: GameRange, piece: TablePiece) -> None:
        """Save the rows of a range; raises `OSError`."""
        for parts, rows in ((self.games, piece.games), (self.decisions, piece.decisions)):
            if parts is not None and rows is not None:
                parts.add(game_range, rows)

    def prepare_missing(self, games: int, saved: list[GameRange], size: int) -> list[GameRange]:
        """Return the games of a study that must be played again for their rows, in pieces of this size.

        Parts of games that the study does not have, and parts that not all tables have, are deleted.
        """
        if self.tables:
            common = set.intersection(*(set(parts.list_ranges()) for parts in self.tables))
        else:
            common = set()
        gaps = list(split_games(games, max(1, games), saved))
        valid = {candidate for candidate in common if not any(_overlap(candidate, gap) for gap in gaps)}
        for parts in self.tables:
            for game_range in parts.list_ranges():
                if game_range not in valid:
                    parts.delete(game_range)
        return list(split_games(games, size, [*valid, *gaps])) if self.tables else []


def _overlap(one: GameRange, other: GameRange) -> bool:
    """Return True if two ranges have a game in common."""
    return one.first < other.first + other.games and other.first < one.first + one.games


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def escape_formula(value: object) -> object:
    """Return a value that is safe in a spreadsheet: text that looks like a formula gets an apostrophe (see OWASP)."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value
