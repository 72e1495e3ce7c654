"""Table files, as spreadsheets save them: CSV with any separator, TSV, or a JSON list of objects."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from edict.compiler.sources.input_limits import MOST_BYTES, MOST_THINGS
from edict.support.morphology import count_noun, quote_words
from edict.support.records import dataclass
from edict.support.request_errors import RequestError
from edict.support.text import NOWHERE, Source, Span

SEPARATORS = "\t;,"
FOUND_KEY, ROW_KEY = "found", "row"  # keys of the things and of their rows in the data of `show --all`
_SEPARATOR_LINE = "sep="  # first line by which Excel is told the separator


@dataclass(frozen=True, slots=True)
class SpreadsheetRow:
    """A row with its cells that are not empty, by header."""

    number: int  # as a spreadsheet counts, with the header as row 1; of a JSON list, from 1
    line: int  # last line in the file; 0 if lines are not known
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Spreadsheet:
    """A table as it is written."""

    source: Source
    headers: tuple[str, ...]
    rows: tuple[SpreadsheetRow, ...]

    def locate(self, row: SpreadsheetRow) -> Span:
        """Return the place of a row, or `NOWHERE` if its line is not known."""
        if not row.line:
            return NOWHERE
        return Span(self.source.name, row.line, 1, row.line, len(self.source.lines[row.line - 1]) + 1)

    def describe(self, row: SpreadsheetRow, header: str = "") -> str:
        """Return a row, or one of its cells, in words: `buildings.csv, row 4, column Cost`."""
        return f"{self.source.name}, row {row.number}" + (f", column `{header}`" if header else "")


def read_table(name: str, raw: bytes) -> Spreadsheet:
    """Read a table from the content of a file. Raises `RequestError`.

    Args:
        name: Name of the file, for messages.
        raw: The content, in UTF-8, UTF-16 or the encoding of older spreadsheets on Windows.
    """
    if len(raw) > MOST_BYTES:
        raise RequestError(f"`{name}` has more than {MOST_BYTES:,} bytes", "split the table into several files")
    source = Source(name, _decode(name, raw).replace("\r\n", "\n").replace("\r", "\n"))
    is_json = source.text.lstrip().startswith(("[", "{"))
    headers, rows = _read_json(source) if is_json else _read_separated(source)
    if repeated := [header for header in dict.fromkeys(headers) if header and headers.count(header) > 1]:
        raise RequestError(f"`{name}` has two columns {quote_words(repeated, 'and')}", "rename or delete one of them")
    if not rows:
        raise RequestError(f"`{name}` has no rows", "write a row of headers, and below it a row for each thing")
    if len(rows) > MOST_THINGS:
        raise RequestError(f"`{name}` has more than {MOST_THINGS:,} rows", "delete some, or check the file")
    return Spreadsheet(source, tuple(headers), tuple(rows))


def _decode(name: str, raw: bytes) -> str:
    """Return the text of a file: UTF-16 by its mark, else UTF-8, else Windows-1252, which Excel saves CSV in."""
    encodings = ("utf-16",) if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise RequestError(f"`{name}` is not a text file", "save the table as CSV, TSV or JSON")


def _read_separated(source: Source) -> tuple[list[str], list[SpreadsheetRow]]:
    """Return headers and rows of a CSV or TSV file; its separator is the one that splits the header most."""
    text, skipped, header_row = source.text, 0, 1
    separators = SEPARATORS
    if text.startswith(_SEPARATOR_LINE):
        line, _, text = text.partition("\n")
        separators, skipped = line[len(_SEPARATOR_LINE) :][:1] or separators, 1
    try:
        while text and not text.partition("\n")[0].strip(f"{separators} "):
            text, skipped, header_row = text.partition("\n")[2], skipped + 1, header_row + 1
        separator = max(separators, key=lambda candidate: len(next(_read_records(text, candidate), ())))
        reader = _read_records(text, separator)
        headers = [header.strip() for header in next(reader, [])]
        records = [(reader.line_num + skipped, record) for record in reader]
    except csv.Error as error:
        raise RequestError(f"`{source.name}` cannot be read as a table: {error}", "save it as CSV again") from None
    rows = list[SpreadsheetRow]()
    for number, (line, record) in enumerate(records, header_row + 1):
        if any(cell.strip() for cell in record[len(headers) :]):
            raise RequestError(
                f"{source.name}, row {number}: {count_noun(len(record), 'cell')} for "
                f"{count_noun(len(headers), 'column')}",
                f"put a cell that has `{separator}` in it in quotes",
            )
        rows += _iter_row(number, line, zip(headers, record, strict=False))
    return headers, rows


def _read_records(text: str, separator: str) -> Any:
    """Return a reader of the records of a text."""
    return csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)


def _read_json(source: Source) -> tuple[list[str], list[SpreadsheetRow]]:
    """Return headers and rows of a list of objects; of what `show --all` prints, the `row` of each thing counts."""
    try:
        data = json.loads(source.text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"`{source.name}` cannot be read as JSON: {error}", "check the file") from None
    if isinstance(data, dict):
        data = data.get(FOUND_KEY)
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise RequestError(f"`{source.name}` is not a list of objects", 'write `[{"title": "...", ...}, ...]`')
    items = [item[ROW_KEY] if isinstance(item.get(ROW_KEY), dict) else item for item in data]
    headers = list(dict.fromkeys(header for item in items for header in item))
    texts = ({header: _to_text(value) for header, value in item.items()} for item in items)
    return headers, [row for number, cells in enumerate(texts, 1) for row in _iter_row(number, 0, cells.items())]


def _to_text(value: Any) -> str:
    """Return a value of JSON as a cell of a spreadsheet has it."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(_to_text, value))
        case dict():  # amounts by resource
            return ", ".join(f"{_to_text(count)} {what}" for what, count in value.items())
    return str(value)


def _iter_row(number: int, line: int, cells: Iterable[tuple[str, str]]) -> Iterator[SpreadsheetRow]:
    """Yield the row of these cells, unless all are empty."""
    filled = {header: cell.strip() for header, cell in cells if cell.strip()}
    if filled:
        yield SpreadsheetRow(number, line, filled)


def write_csv(rows: Sequence[Mapping[str, str]]) -> str:
    """Return rows that have the same headers as CSV."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()
