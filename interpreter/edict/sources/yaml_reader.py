"""YAML as people write it, strictly: texts, whole numbers, lists and maps, each with its place.

Of YAML's many ways to surprise, none is left: `no` and `on` are words, a key stands once, and there are no
anchors, aliases, tags or several documents. This is the one file that knows YAML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import yaml

from edict.sources.input_limits import MOST_LEVELS, hidden_characters, too_large
from edict.sources.yaml_remedies import END, remedy
from edict.report import Diagnostic, Edit, Outcome
from edict.text import NOWHERE, Source, Span

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,8})\Z")
_NO_COLON = re.compile(r"([A-Za-z][\w-]*)\s+(?:=\s*)?([^:#=\s][^:#]*)(?:#.*)?\Z")
_MAP = "tag:yaml.org,2002:map"

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Written:
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


def read_yaml(source: Source) -> Outcome[Written]:
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


class Lines(dict[str, Any]):
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
_Writer.add_representer(Lines, lambda writer, data: writer.represent_mapping(_MAP, data.items(), flow_style=False))


TOO_DEEP = ("this is nested too deep", f"use at most {MOST_LEVELS} levels")


def _refusal(place: Span, title: str, remedy: str) -> Diagnostic:
    note = "Only texts, whole numbers, lists and maps are read, so that a file means what it shows."
    return Diagnostic("E0142", title, place, note=note, help=remedy)


def _unreadable(error: yaml.MarkedYAMLError, source: Source) -> Diagnostic:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    if "nesting depth" in (error.problem or ""):  # the parser of newer releases has a limit of its own
        return _refusal(Span(source.name, line, column, line, column + 1), *TOO_DEEP)
    colonless = _without_colon(source)
    if colonless is not None:
        return colonless
    known = remedy(source, line, error.context_mark.line + 1 if error.context_mark else line, _wrong_in)
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


def _without_colon(source: Source) -> Diagnostic | None:
    """What is said of a line at the left edge that is a word and its value without a colon between them."""
    for number, line in enumerate(source.lines, 1):
        found = _NO_COLON.match(line)
        if found:
            end = len(line.split(" #")[0].rstrip()) + 1
            gap = Span(source.name, number, found.end(1) + 1, number, found.start(2) + 1)
            return Diagnostic(
                "E0140", f"a colon is missing after `{found[1]}`", Span(source.name, number, 1, number, end),
                help=f"write `{found[1]}: {line[found.start(2) : end - 1]}`", edits=(Edit(gap, ": "),), exact=True,
            )  # fmt: skip
    return None


class _Reader:
    """Builds data from YAML's events, because only the events still tell anchors and tags."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.events = yaml.parse(source.text, Loader=_Loader)
        self.places: dict[Path, Span] = {}
        self.keys: dict[Path, Span] = {}

    def document(self) -> Written:
        next(self.events)
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return Written({}, {(): Span(self.source.name, 1, 1, 1, 1)}, {})
        data = self.value(next(self.events), ())
        colonless = _without_colon(self.source) if isinstance(data, str) else None
        if colonless is not None:
            raise _Refused(colonless)
        next(self.events)
        rest = next(self.events)
        if not isinstance(rest, yaml.StreamEndEvent):
            raise self.refusal(rest, "a second document in one file", "keep one, and delete the line `---`")
        return Written(data, self.places, self.keys)

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
