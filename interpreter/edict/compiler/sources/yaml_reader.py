"""A strict reader and writer of YAML (texts, whole numbers, lists and maps, each with its place).

The surprises of YAML are excluded: `no` and `on` are words, a key occurs once, and there are no anchors, aliases,
tags or multiple documents. This is the only module that imports a YAML library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import yaml

from edict.compiler.sources.input_limits import MOST_LEVELS, check_hidden_characters, check_size
from edict.compiler.sources.written_data import Path, WrittenData
from edict.support.morphology import count_noun
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Edit, Outcome
from edict.support.text import Source, Span

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,8})\Z")
_MAP = "tag:yaml.org,2002:map"


class _YamlRefusal(Exception):
    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic


def read_yaml(source: Source) -> Outcome[WrittenData]:
    """Parse YAML into plain data, or return one diagnostic."""
    problems = [*check_size(source), *check_hidden_characters(source)]
    if problems:
        return Outcome(None, tuple(problems[:1]))
    try:
        return Outcome(_Reader(source).read_document())
    except _YamlRefusal as refusal:
        return Outcome(None, (refusal.diagnostic,))
    except yaml.MarkedYAMLError as error:
        return Outcome(None, (_syntax_diagnostic(error, source),))
    except yaml.YAMLError as error:
        return Outcome(None, (Diagnostic("E0140", "this YAML cannot be read", note=str(error)),))


class LineMap(dict[str, Any]):
    """A map that is written with one line per entry, however short it is."""


def write_yaml(data: Any) -> str:
    """Return plain data as YAML that `read_yaml` accepts, with innermost lists and maps on one line each."""
    return str(yaml.dump(data, Dumper=_Writer, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110))


class _Writer(yaml.SafeDumper):
    """A dumper that indents the items of a list below their key and writes no aliases."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Writer.yaml_implicit_resolvers = {  # `yes` and `null` are plain words here
    first: [(tag, pattern) for tag, pattern in found if tag.endswith((":int", ":merge"))]
    for first, found in yaml.SafeDumper.yaml_implicit_resolvers.items()
}
_Writer.add_representer(LineMap, lambda writer, data: writer.represent_mapping(_MAP, data.items(), flow_style=False))


TOO_DEEP = ("this is nested too deep", f"use at most {MOST_LEVELS} levels")


def _unsupported_diagnostic(place: Span, title: str, remedy: str) -> Diagnostic:
    """Return the error E0142 for YAML beyond the plain subset that is read, like anchors, tags or deep nesting."""
    note = "Only texts, whole numbers, lists and maps are supported."
    return Diagnostic("E0142", title, place, note=note, help=remedy)


def _syntax_diagnostic(error: yaml.MarkedYAMLError, source: Source) -> Diagnostic:
    """Return the error for YAML that cannot be parsed, with a repair of the line if one is found."""
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    if "nesting depth" in (error.problem or ""):  # newer releases of the parser limit nesting themselves
        return _unsupported_diagnostic(Span(source.name, line, column, line, column + 1), *TOO_DEEP)
    first_line = error.context_mark.line + 1 if error.context_mark else line
    repair = _find_missing_top_colon(source) or find_line_repair(source, line, first_line, _find_error_line)
    if repair is not None:
        return repair
    message = "; ".join(part for part in (error.context, error.problem) if part)
    return Diagnostic(
        "E0140",
        "this YAML cannot be read",
        Span(source.name, line, column, line, column + 1),
        note=f"The reader says: {message}.",
        help="write `key: value` lines, lists as `- item`, and put texts with `:` or `#` in quotes",
    )


def _find_error_line(text: str) -> int:
    """Return the number of the line at which YAML cannot be parsed further, or `END`."""
    try:
        for _ in yaml.parse(text, Loader=_Loader):
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return int(mark.line) + 1 if mark else 0
    except yaml.YAMLError:
        return 0
    return END


class _Reader:
    """Builds data from YAML's events; only these still show anchors and tags."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.events = yaml.parse(source.text, Loader=_Loader)
        self.places: dict[Path, Span] = {}
        self.keys: dict[Path, Span] = {}

    def read_document(self) -> WrittenData:
        """Read the only document, with the spans of its values and keys; an empty file gives an empty map."""
        next(self.events)
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return WrittenData({}, {(): Span(self.source.name, 1, 1, 1, 1)}, {})
        data = self.read_value(next(self.events), ())
        missing_colon = _find_missing_top_colon(self.source) if isinstance(data, str) else None
        if missing_colon is not None:
            raise _YamlRefusal(missing_colon)
        next(self.events)
        rest = next(self.events)
        if not isinstance(rest, yaml.StreamEndEvent):
            raise self.unsupported_error(rest, "a second document in one file", "keep one, and delete the line `---`")
        return WrittenData(data, self.places, self.keys)

    def read_value(self, event: Any, path: Path) -> Any:
        """Read the value that begins with an event, record its span under `path`, and return it as plain data."""
        self.require_plain(event, path)
        self.places[path] = self.span_of(event)
        if isinstance(event, yaml.ScalarEvent):
            return self.read_scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.read_items(path)
        return self.read_entries(path)

    def read_scalar(self, event: Any) -> str | int:
        """Return a scalar as text, or as number if it is an unquoted integer; refuse hidden characters."""
        for diagnostic in check_hidden_characters(Source("", event.value)):
            raise _YamlRefusal(replace(diagnostic, span=self.span_of(event), help="write the text without escapes"))
        return _convert_scalar(event)

    def read_items(self, path: Path) -> list[Any]:
        """Read the items of a list up to its end event; `path` is the path of the list."""
        items: list[Any] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self.read_value(event, (*path, len(items))))
        return items

    def read_entries(self, path: Path) -> dict[str, Any]:
        """Read the keys and values of a map up to its end event; `path` is the path of the map."""
        entries: dict[str, Any] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.read_key(event, path, entries)
            entries[key] = self.read_value(next(self.events), (*path, key))
        return entries

    def read_key(self, event: Any, path: Path, entries: dict[str, Any]) -> str:
        """Return a key of a map and record its span; refuse lists and maps as keys, and a key in `entries` already."""
        self.require_plain(event, path)
        if not isinstance(event, yaml.ScalarEvent):
            raise self.unsupported_error(event, "a key must be a word", "write `word: value`")
        if event.value in entries:
            raise _YamlRefusal(self.duplicate_key_diagnostic(event, (*path, event.value)))
        self.keys[*path, event.value] = self.span_of(event)
        return str(event.value)

    def duplicate_key_diagnostic(self, event: Any, path: Path) -> Diagnostic:
        """Return the error for a key that a map has twice; `path` is the path of its value."""
        return Diagnostic(
            "E0141",
            f"`{event.value}` is written twice",
            self.span_of(event),
            note=f"It is already in line {self.keys[path].line}; only one of the two can count.",
            help="keep one of the two",
        )

    def require_plain(self, event: Any, path: Path) -> None:
        """Raise a refusal for anchors, aliases, tags, or a value deeper than MOST_LEVELS."""
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise self.unsupported_error(
                event, "anchors (`&`) and aliases (`*`) are not supported", "write the text out"
            )
        if event.tag and event.tag != "!":
            raise self.unsupported_error(event, "tags (`!`) are not supported", "delete the tag")
        if len(path) > MOST_LEVELS:
            raise self.unsupported_error(event, *TOO_DEEP)

    def unsupported_error(self, event: Any, title: str, remedy: str) -> _YamlRefusal:
        """Return the exception to raise for YAML at an event that is not supported; `remedy` is its help text."""
        return _YamlRefusal(_unsupported_diagnostic(self.span_of(event), title, remedy))

    def span_of(self, event: Any) -> Span:
        """Return the span of a value; of a list or map only its first character."""
        start, end = event.start_mark, event.end_mark
        if not isinstance(event, yaml.ScalarEvent):
            return Span(self.source.name, start.line + 1, start.column + 1, start.line + 1, start.column + 2)
        return Span(self.source.name, start.line + 1, start.column + 1, end.line + 1, max(end.column, 0) + 1)


def _convert_scalar(event: Any) -> str | int:
    """Return an unquoted integer as int, and any other scalar as its text."""
    text = str(event.value)
    return int(text) if not event.style and _INTEGER.match(text) else text


# --- repairs: a faulty line is changed until the text can be parsed --------------------------------


_ENTRY = re.compile(r"(?P<lead>\s*(?:- +)?)(?P<key>[A-Za-z][\w-]*):(?P<gap> *)(?P<value>.*?)\s*\Z")
_ITEM = re.compile(r"(?P<lead>\s*- +)(?P<value>.*?)\s*\Z")
_NO_COLON = re.compile(
    r"(?P<key>\s*(?:- +)?[A-Za-z][\w-]*)(?:\s+(?:=\s*)?(?P<value>[^:#=\s][^:]*?))?(?P<comment>\s*|\s+#.*)"
)
LONGEST_REPAIRED = 50_000  # characters of a file for which repairs are tried
END = 1 << 30  # line number of a text that can be parsed to its end
ErrorLineFinder = Callable[[str], int]  # returns the line at which parsing a text fails, or `END`


@dataclass(frozen=True)
class LineRepair:
    """A replacement for a faulty line."""

    line: str
    title: str  # fault of the line
    note: str = ""
    spaces: int | None = None  # the right indentation, if that is the fault
    exact: bool = False  # true if only a sign is missing
    comment: str = ""  # a comment behind the line, which stays


def find_line_repair(
    source: Source, error_line: int, first_line: int, find_error_line: ErrorLineFinder
) -> Diagnostic | None:
    """Return a diagnostic with a repair of one line that lets YAML be parsed further, or None.

    Args:
        source: The text.
        error_line: The line where parsing fails.
        first_line: The line where the construct begins that cannot be parsed.
        find_error_line: A function that returns the line at which a text cannot be parsed, or `END`.
    """
    if len(source.text) > LONGEST_REPAIRED:
        return None
    lines = source.text.split("\n")
    for propose in (_propose_colon, _propose_repairs):
        for number in dict.fromkeys((first_line, error_line, error_line - 1, error_line - 2)):
            for repair in propose(lines, number) if 0 < number <= len(lines) else ():
                candidate = "\n".join([*lines[: number - 1], repair.line, *lines[number:]])
                if find_error_line(candidate) > max(error_line, number):
                    return _repair_diagnostic(source, number, lines[number - 1], repair)
    return None


def _repair_diagnostic(source: Source, number: int, line: str, repair: LineRepair) -> Diagnostic:
    """Return the error for a line of broken YAML, with an edit that replaces it by the repaired line."""
    start = len(line) - len(line.lstrip())
    end = len(line.removesuffix(repair.comment).rstrip())
    whole = Span(source.name, number, 1, number, len(line) + 1)
    return Diagnostic(
        "E0140",
        repair.title,
        Span(source.name, number, start + 1, number, end + 1),
        note=repair.note,
        help=f"write `{repair.line.strip()}`{_describe_indent(repair.spaces)}",
        edits=(Edit(whole, repair.line + repair.comment),),
        exact=repair.exact,
    )


def _iter_indents(lines: list[str], number: int) -> Iterator[int]:
    """Yield likely indentations of a line, below the previous line, equal to it, equal to the next, and none."""
    previous = next((other for other in reversed(lines[: number - 1]) if other.strip()), "")
    following = next((other for other in lines[number:] if other.strip()), "")
    indent = len(previous) - len(previous.lstrip())
    if previous.rstrip().endswith(":"):
        yield indent + 2
    yield from (indent, len(following) - len(following.lstrip()), 0)


def _find_missing_top_colon(source: Source) -> Diagnostic | None:
    """Return a diagnostic for a line without indentation that is a word and a value, which can only lack its colon."""
    for number, line in enumerate(source.lines, 1):
        repair = _add_colon(line) if line[:1].isalpha() else None
        if repair is not None and not repair.line.endswith(":"):
            return _repair_diagnostic(source, number, line, repair)
    return None


def _propose_colon(lines: list[str], number: int) -> Iterator[LineRepair]:
    """Yield the line with a colon after its first word, if that may be missing."""
    repair = _add_colon(lines[number - 1])
    yield from [repair] if repair is not None else []


def _add_colon(line: str) -> LineRepair | None:
    """Return the repair of a line whose first word lacks its colon, or None."""
    match = _NO_COLON.fullmatch(line)
    if match is None:
        return None
    key = match["key"]
    title = f"a colon is missing after `{key.split()[-1]}`"
    return LineRepair(f"{key}: {match['value'] or ''}".rstrip(), title, exact=True, comment=match["comment"])


def _propose_repairs(lines: list[str], number: int) -> Iterator[LineRepair]:
    """Yield repairs of a line, the likeliest first."""
    line = lines[number - 1]
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent:
        for spaces in dict.fromkeys(_iter_indents(lines, number)):
            yield LineRepair(
                " " * spaces + line.lstrip(), "this line begins with a tab, but YAML allows only spaces", spaces=spaces
            )
    match = _ENTRY.match(line) or _ITEM.match(line)
    head, value = (line[: match.start("value")], match["value"]) if match else ("", "")
    if match and value and head.endswith(":"):
        yield LineRepair(f"{head} {value}", f"a space is missing after `{match['key']}:`", exact=True)
    yield from _propose_indents(lines, number)
    if match is None:
        return
    if value[:1] in "[{" and value[:1]:
        close = {"[": "]", "{": "}"}[value[0]]
        note = "Lists need square brackets." if close == "]" else ""
        yield LineRepair(f"{head}{value}{close}", f"`{value[0]}` is never closed", note)
    if value.count('"') % 2:
        yield LineRepair(f'{head}{value}"', "this text has no closing quote")
    inner = value.strip("'\"").replace("\\", "\\\\").replace('"', '\\"')
    if value:
        yield LineRepair(f'{head}"{inner}"', "this text must be in double quotes", _explain_quotes(value))


def _propose_indents(lines: list[str], number: int) -> Iterator[LineRepair]:
    """Yield the line with the indentation of its neighbours."""
    line = lines[number - 1]
    own = len(line) - len(line.lstrip())
    neighbour_indents = [
        len(neighbour) - len(neighbour.lstrip())
        for neighbour in lines[max(0, number - 3) : number + 2]
        if neighbour.strip()
    ]
    for indent in dict.fromkeys(neighbour_indents):
        if indent != own and line.strip():
            title = f"this line begins after {count_noun(own, 'space')}, its neighbours after {indent}"
            yield LineRepair(" " * indent + line.strip(), title, spaces=indent)


def _describe_indent(spaces: int | None) -> str:
    """Return a phrase for a new indentation, like `, with 2 spaces before it`; empty for None, if it is unchanged."""
    if spaces is None:
        return ""
    if spaces:
        return f", with {count_noun(spaces, 'space')} before it"
    return " at the left edge"


def _explain_quotes(value: str) -> str:
    """Return the reason why YAML needs quotes around an unquoted `value`, as a sentence for a note."""
    if ": " in value or value.endswith(":"):
        return "A `:` begins a value, unless it is in quotes."
    if value[0] == "'":
        return "A `'` ends a text that begins with one."
    return f"`{value[0]}` has a meaning of its own in YAML."
