"""Tables of Apache Arrow, and files of Parquet. The only door to pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edict.agents.study.bot_games import StudyError
from edict.agents.study.tables import REAL, REALS, SEED, TEXT, TEXTS, WHOLE, Columns, TableColumn

if TYPE_CHECKING:
    from pyarrow import Table as Table

ENOUGH = 1_000_000  # values in a group of rows of a file; games have hundreds of columns
COMPRESSION = "zstd"
AGAIN = "delete it, then use --resume"


def available() -> bool:
    """Whether pyarrow can be had."""
    return find_spec("pyarrow") is not None


def schema_of(columns: Sequence[TableColumn]) -> Any:
    """The types of the columns; each field says in its metadata what it means."""
    import pyarrow as pa

    word = pa.dictionary(pa.int32(), pa.string())
    types = {
        WHOLE: pa.int64(),
        SEED: pa.uint64(),
        REAL: pa.float64(),
        TEXT: word,
        TEXTS: pa.list_(pa.string()),
        REALS: pa.list_(pa.float64()),
    }
    return pa.schema([pa.field(c.name, types[c.holds], metadata={"means": c.means}) for c in columns])


def table_of(columns: Sequence[TableColumn], tables: Iterable[Columns]) -> Any:
    """A `pyarrow.Table` of all these rows."""
    import pyarrow as pa

    schema = schema_of(columns)
    found = [pa.Table.from_pydict(rows, schema=schema) for rows in tables]
    return pa.concat_tables(found).unify_dictionaries() if found else schema.empty_table()


def write(path: Path, columns: Sequence[TableColumn], tables: Iterable[Columns]) -> None:
    from pyarrow import parquet

    parquet.write_table(table_of(columns, tables), path, compression=COMPRESSION)


def join(path: Path, columns: Sequence[TableColumn], parts: Iterable[Path]) -> None:
    """All parts in one file; never more than a group of rows is held in memory."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = schema_of(columns)
    with parquet.ParquetWriter(path, schema, compression=COMPRESSION) as writer:
        waiting: list[Any] = []
        for part in parts:
            try:
                table = parquet.ParquetFile(part).read(use_threads=False)  # quicker for small files
            except (pa.ArrowException, ValueError) as problem:
                raise StudyError(f"`{part}` cannot be read: {problem}", AGAIN) from None
            if table.schema.names != schema.names:
                raise StudyError(f"`{part}` holds other columns", AGAIN)
            waiting.append(table.cast(schema))
            if sum(table.num_rows for table in waiting) * len(schema) >= ENOUGH:
                writer.write_table(pa.concat_tables(waiting).unify_dictionaries())
                waiting = []
        if waiting:
            writer.write_table(pa.concat_tables(waiting).unify_dictionaries())
