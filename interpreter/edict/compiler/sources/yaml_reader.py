"""YAML as people write it, strictly: texts, whole numbers, lists and maps, each with its place.

Of YAML's many ways to surprise, none is left: `no` and `on` are words, a key stands once, and there are no
anchors, aliases, tags or several documents. This is the one file that knows YAML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import yaml

from edict.compiler.sources.input_limits import MOST_LEVELS, hidden_characters, too_large
from edict.support.morphology import count_noun
from edict.support.report import Diagnostic, Edit, Outcome
from edict.support.text import NOWHERE, Source, Span

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,8})\Z")
_MAP = "tag:yaml.org,2002:map"

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class WrittenData:
    """Plain data (`dict`, `list`, `str`, `int`), and where each of it stands, by its path."""

    data: Any
    places: dict[Path, Span]
    keys: dict[Path, Span]

    def place(self, path: Path) -> Span:
        """Where a value stands, or the nearest thing around it."""
        return self.places.get(path) or (self.place(path[:-1]) if path else NOWHERE)


class _Refused(Exception):
    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic


def read_yaml(source: Source) -> Outcome[WrittenData]:
    """The text as plain data; one diagnostic when it cannot be read."""
    refused = [*too_large(source), *hidden_characters(source)]
    if refused:
        return Outcome(None, tuple(refused[:1]))
    try:
        return Outcome(_Reader(source).document())
    except _Refused as refusal:
        return Outcome(None, (refusal.diagnostic,))
    except yaml.MarkedYAMLError as error:
        return Outcome(None, (_unreadable(error, source),))
    except yaml.YAMLError as error:
        return Outcome(None, (Diagnostic("E0140", "this YAML cannot be read", note=str(error)),))


class LineMap(dict[str, Any]):
    """A map that is written a line for each entry, however short."""


def write_yaml(data: Any) -> str:
    """Plain data as YAML that `read_yaml` reads back: innermost lists and maps in a line each."""
    return str(yaml.dump(data, Dumper=_Writer, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110))


class _Writer(yaml.SafeDumper):
    """Writes the items of a list further in than the key above them, and each mention of a list in full."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Writer.yaml_implicit_resolvers = {  # `yes` and `null` are words like others here
    first: [(tag, pattern) for tag, pattern in found if tag.endswith((":int", ":merge"))]
    for first, found in yaml.SafeDumper.yaml_implicit_resolvers.items()
}
_Writer.add_representer(LineMap, lambda writer, data: writer.represent_mapping(_MAP, data.items(), flow_style=False))


TOO_DEEP = ("this is nested too deep", f"use at most {MOST_LEVELS} levels")


def _refusal(place: Span, title: str, remedy: str) -> Diagnostic:
    note = "Only texts, whole numbers, lists and maps are read, so that a file means what it shows."
    return Diagnostic("E0142", title, place, note=note, help=remedy)


def _unreadable(error: yaml.MarkedYAMLError, source: Source) -> Diagnostic:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    if "nesting depth" in (error.problem or ""):  # the parser of newer releases has a limit of its own
        return _refusal(Span(source.name, line, column, line, column + 1), *TOO_DEEP)
    since = error.context_mark.line + 1 if error.context_mark else line
    known = _colon_at_the_edge(source) or remedy(source, line, since, _wrong_in)
    if known is not None:
        return known
    said = "; ".join(part for part in (error.context, error.problem) if part)
    return Diagnostic(
        "E0140",
        "this YAML cannot be read",
        Span(source.name, line, column, line, column + 1),
        note=f"The reader says: {said}.",
        help="write `key: value` lines, lists as `- item`, and put texts with `:` or `#` in quotes",
    )


def _wrong_in(text: str) -> int:
    """The line in which a text cannot be read any further."""
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
    """Builds data from YAML's events, because only the events still tell anchors and tags."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.events = yaml.parse(source.text, Loader=_Loader)
        self.places: dict[Path, Span] = {}
        self.keys: dict[Path, Span] = {}

    def document(self) -> WrittenData:
        next(self.events)
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return WrittenData({}, {(): Span(self.source.name, 1, 1, 1, 1)}, {})
        data = self.value(next(self.events), ())
        colonless = _colon_at_the_edge(self.source) if isinstance(data, str) else None
        if colonless is not None:
            raise _Refused(colonless)
        next(self.events)
        rest = next(self.events)
        if not isinstance(rest, yaml.StreamEndEvent):
            raise self.refusal(rest, "a second document in one file", "keep one, and delete the line `---`")
        return WrittenData(data, self.places, self.keys)

    def value(self, event: Any, path: Path) -> Any:
        self.checked(event, path)
        self.places[path] = self.span(event)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event)
        return self.items(path) if isinstance(event, yaml.SequenceStartEvent) else self.entries(path)

    def scalar(self, event: Any) -> str | int:
        for found in hidden_characters(Source("", event.value)):
            raise _Refused(replace(found, span=self.span(event), help="write the text without escapes"))
        return _scalar(event)

    def items(self, path: Path) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            found.append(self.value(event, (*path, len(found))))
        return found

    def entries(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.key(event, path, found)
            found[key] = self.value(next(self.events), (*path, key))
        return found

    def key(self, event: Any, path: Path, found: dict[str, Any]) -> str:
        self.checked(event, path)
        if not isinstance(event, yaml.ScalarEvent):
            raise self.refusal(event, "a key must be a word", "write `word: value`")
        if event.value in found:
            raise _Refused(self.twice(event, (*path, event.value)))
        self.keys[*path, event.value] = self.span(event)
        return str(event.value)

    def twice(self, event: Any, path: Path) -> Diagnostic:
        return Diagnostic(
            "E0141",
            f"`{event.value}` is written twice",
            self.span(event),
            note=f"It already stands in line {self.keys[path].line}; only one of the two could count.",
            help="keep one of the two",
        )

    def checked(self, event: Any, path: Path) -> None:
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise self.refusal(event, "anchors (`&`) and aliases (`*`) are not understood", "write the text out")
        if event.tag and event.tag != "!":
            raise self.refusal(event, "tags (`!`) are not understood", "delete the tag")
        if len(path) > MOST_LEVELS:
            raise self.refusal(event, *TOO_DEEP)

    def refusal(self, event: Any, title: str, remedy: str) -> _Refused:
        return _Refused(_refusal(self.span(event), title, remedy))

    def span(self, event: Any) -> Span:
        """The place of a value; of lists and maps only the beginning."""
        start, end = event.start_mark, event.end_mark
        if not isinstance(event, yaml.ScalarEvent):
            return Span(self.source.name, start.line + 1, start.column + 1, start.line + 1, start.column + 2)
        return Span(self.source.name, start.line + 1, start.column + 1, end.line + 1, max(end.column, 0) + 1)


def _scalar(event: Any) -> str | int:
    text = str(event.value)
    return int(text) if not event.style and _WHOLE.match(text) else text


# --- what makes YAML unreadable, found by changing a line until it can be read --------------------


_ENTRY = re.compile(r"(?P<lead>\s*(?:- +)?)(?P<key>[A-Za-z][\w-]*):(?P<gap> *)(?P<value>.*?)\s*\Z")
_ITEM = re.compile(r"(?P<lead>\s*- +)(?P<value>.*?)\s*\Z")
_NO_COLON = re.compile(
    r"(?P<key>\s*(?:- +)?[A-Za-z][\w-]*)(?:\s+(?:=\s*)?(?P<value>[^:#=\s][^:]*?))?(?P<comment>\s*|\s+#.*)"
)
LONGEST = 50_000  # characters of a file in which remedies are looked for
END = 1 << 30
Reading = Callable[[str], int]
"""The line in which a text cannot be read any further; `END` if it can."""


@dataclass(frozen=True)
class LineReading:
    """A line as it may be meant, and what is wrong with it as it is; exact: a sign is all that is missing."""

    line: str
    title: str
    note: str = ""
    spaces: int | None = None  # at its beginning, if those are what is wrong
    exact: bool = False
    comment: str = ""  # what stands behind it, and stays


def remedy(source: Source, at: int, since: int, reading: Reading) -> Diagnostic | None:
    """What is said of YAML that cannot be read at a line, if a change of that line or one near it helps.

    since: the line in which what cannot be read begins.
    """
    if len(source.text) > LONGEST:
        return None
    lines = source.text.split("\n")
    for changes in (_colons, _changes):
        for number in dict.fromkeys((since, at, at - 1, at - 2)):
            for change in changes(lines, number) if 0 < number <= len(lines) else ():
                tried = "\n".join([*lines[: number - 1], change.line, *lines[number:]])
                if reading(tried) > max(at, number):
                    return _told(source, number, lines[number - 1], change)
    return None


def _told(source: Source, number: int, line: str, change: LineReading) -> Diagnostic:
    start = len(line) - len(line.lstrip())
    end = len(line.removesuffix(change.comment).rstrip())
    whole = Span(source.name, number, 1, number, len(line) + 1)
    return Diagnostic(
        "E0140",
        change.title,
        Span(source.name, number, start + 1, number, end + 1),
        note=change.note,
        help=f"write `{change.line.strip()}`{_before_it(change.spaces)}",
        edits=(Edit(whole, change.line + change.comment),),
        exact=change.exact,
    )


def _margins(lines: list[str], number: int) -> Iterator[int]:
    """How far a line may be indented: into what the line before opens, as that line, or as the next one."""
    before = next((one for one in reversed(lines[: number - 1]) if one.strip()), "")
    after = next((one for one in lines[number:] if one.strip()), "")
    lead = len(before) - len(before.lstrip())
    if before.rstrip().endswith(":"):
        yield lead + 2
    yield from (lead, len(after) - len(after.lstrip()), 0)


def _colon_at_the_edge(source: Source) -> Diagnostic | None:
    """What is said of a line at the left edge that is a word and its value: nothing else can be meant there."""
    for number, line in enumerate(source.lines, 1):
        change = _colon(line) if line[:1].isalpha() else None
        if change is not None and not change.line.endswith(":"):
            return _told(source, number, line, change)
    return None


def _colons(lines: list[str], number: int) -> Iterator[LineReading]:
    """A line that opens what is indented under it, or an item of a list, whose first word lacks its colon."""
    change = _colon(lines[number - 1])
    yield from [change] if change is not None else []


def _colon(line: str) -> LineReading | None:
    """A line whose first word lacks its colon, with it."""
    found = _NO_COLON.fullmatch(line)
    if found is None:
        return None
    key = found["key"]
    title = f"a colon is missing after `{key.split()[-1]}`"
    return LineReading(f"{key}: {found['value'] or ''}".rstrip(), title, exact=True, comment=found["comment"])


def _changes(lines: list[str], number: int) -> Iterator[LineReading]:
    """The ways in which a line may be meant, the likeliest first."""
    line = lines[number - 1]
    lead = line[: len(line) - len(line.lstrip())]
    if "\t" in lead:
        for n in dict.fromkeys(_margins(lines, number)):
            yield LineReading(" " * n + line.lstrip(), "a line begins with a tab, and YAML takes spaces only", spaces=n)
    found = _ENTRY.match(line) or _ITEM.match(line)
    head, value = (line[: found.start("value")], found["value"]) if found else ("", "")
    if found and value and head.endswith(":"):
        yield LineReading(f"{head} {value}", f"a space is missing after `{found['key']}:`", exact=True)
    yield from _moved(lines, number)
    if found is None:
        return
    if value[:1] in "[{" and value[:1]:
        close = {"[": "]", "{": "}"}[value[0]]
        note = "Lists stand in square brackets." if close == "]" else ""
        yield LineReading(f"{head}{value}{close}", f"`{value[0]}` is opened here and not closed", note)
    if value.count('"') % 2:
        yield LineReading(f'{head}{value}"', "this text has no closing quote")
    inner = value.strip("'\"").replace("\\", "\\\\").replace('"', '\\"')
    if value:
        yield LineReading(f'{head}"{inner}"', "this text must be in double quotes", _why(value))


def _moved(lines: list[str], number: int) -> Iterator[LineReading]:
    """The line where its neighbours begin."""
    line = lines[number - 1]
    own = len(line) - len(line.lstrip())
    beside = [len(one) - len(one.lstrip()) for one in lines[max(0, number - 3) : number + 2] if one.strip()]
    for lead in dict.fromkeys(beside):
        if lead != own and line.strip():
            title = f"this line begins after {count_noun(own, 'space')}, its neighbours after {lead}"
            yield LineReading(" " * lead + line.strip(), title, spaces=lead)


def _before_it(spaces: int | None) -> str:
    if spaces is None:
        return ""
    return f", with {count_noun(spaces, 'space')} before it" if spaces else " at the left edge"


def _why(value: str) -> str:
    if ": " in value or value.endswith(":"):
        return "A `:` begins a value, unless it is in quotes."
    if value[0] == "'":
        return "A `'` ends a text that begins with one."
    return f"`{value[0]}` has a meaning of its own in YAML."
