"""Types of the answers of the language service."""

from __future__ import annotations

from dataclasses import asdict, field
from pathlib import Path

from edict.support.records import dataclass
from edict.support.report import Edit
from edict.support.request_errors import RequestError
from edict.support.text import Span


@dataclass(frozen=True, slots=True, order=True)
class TextPosition:
    """A position in a text; lines and columns count from 1, columns in characters."""

    line: int
    column: int

    def is_in(self, span: Span) -> bool:
        """Return True if the position lies within a span or at one of its ends."""
        return (span.line, span.column) <= (self.line, self.column) <= (span.end_line, span.end_column)


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A span in a file."""

    path: Path
    span: Span


@dataclass(frozen=True, slots=True)
class FileEdits:
    """Edits in one file."""

    path: Path
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix that an editor can apply."""

    title: str
    changes: tuple[FileEdits, ...]
    sure: bool  # it is the only possible fix


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding in a file."""

    where: Location
    code: str
    severity: str  # error | warning
    message: str
    related: tuple[tuple[Location, str], ...] = ()  # further places, each with a note about it
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Hover:
    """Help for the word at a position, as Markdown."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A definition or a part of one in the outline of a file."""

    name: str
    detail: str
    sort: str
    span: Span  # all of it
    name_span: Span
    below: tuple[OutlineEntry, ...] = ()  # its parts


@dataclass(frozen=True, slots=True)
class SearchEntry:
    """A moment, name or thing that a search finds by name, title or English wording."""

    line: str  # as a rule writes it
    title: str
    sort: str
    description: str = ""
    where: Location | None = None


def search_entry_data(entry: SearchEntry) -> dict[str, object]:
    """Return a search entry as data for programs, without its location in the editor's files."""
    return {key: value for key, value in asdict(entry).items() if key != "where"}


@dataclass(frozen=True, slots=True)
class SemanticToken:
    """A span within one line and the sort of its token."""

    span: Span
    sort: str
    declares: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion that an editor offers."""

    label: str
    sort: str
    detail: str = ""
    words: str = ""  # English wording of it
    text: str = ""  # text to insert, if it differs from the label
    rank: int = 5  # lower is better
    snippet: bool = False  # the text has numbered gaps to fill in


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a definition, and the one that is being written."""

    label: str
    parameters: tuple[str, ...]
    active: int  # index of the parameter being written
    words: str = ""


@dataclass(frozen=True, slots=True)
class SceneLens:
    """The scenes that mention a thing."""

    span: Span
    thing: str
    scenes: tuple[tuple[str, Location], ...] = field(default=())  # name and location of each
    module: Path = Path()  # folder of the module


@dataclass(frozen=True, slots=True)
class InlayHint:
    """A hint that an editor shows behind a word."""

    at: TextPosition
    text: str
    words: str = ""  # longer explanation


@dataclass(frozen=True, slots=True)
class CallHierarchyEntry:
    """A caller or callee, and the places of the calls."""

    name: str
    detail: str
    sort: str
    where: Location
    places: tuple[Location, ...] = ()


@dataclass(frozen=True, slots=True)
class SceneOutcome:
    """The result of playing a scene."""

    name: str
    where: Location
    wrong: tuple[str, ...] = ()  # a line for each difference, or for why it could not be played

    @property
    def ok(self) -> bool:
        """True if the scene passed."""
        return not self.wrong


@dataclass(frozen=True, slots=True)
class ModuleSceneResults:
    """The results of playing the scenes of a module."""

    folder: Path
    scenes: tuple[SceneOutcome, ...] = ()
    unplayed: tuple[tuple[Location, str], ...] = ()  # places of its rules that no scene has reached, with a message
    wrong: tuple[str, ...] = ()  # why nothing could be played


class EditRefused(RequestError):
    """Raised for an edit that cannot be made."""
