"""Apache Arrow tables and Parquet files. Only this module imports pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edict.agents.study.bot_games import StudyError
from edict.agents.study.tables import REAL, REALS, SEED, TEXT, TEXTS, WHOLE, WHOLES, Columns, TableColumn

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


def write_file(path: Path, columns: Sequence[TableColumn], tables: Iterable[Columns]) -> None:
    """Write tables to a Parquet file."""
    from pyarrow import parquet

    parquet.write_table(build_table(columns, tables), path, compression=COMPRESSION)


def join_files(path: Path, columns: Sequence[TableColumn], parts: Iterable[Path]) -> None:
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
