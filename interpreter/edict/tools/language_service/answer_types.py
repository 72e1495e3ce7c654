"""What questions are answered with."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from edict.support.report import Edit
from edict.support.text import Span


@dataclass(frozen=True, slots=True, order=True)
class At:
    """A place in a text: line and column count from 1, the column in characters."""

    line: int
    column: int

    def within(self, span: Span) -> bool:
        """Whether it lies in a stretch, or at one of its ends."""
        return (span.line, span.column) <= (self.line, self.column) <= (span.end_line, span.end_column)


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A stretch of a file."""

    path: Path
    span: Span


@dataclass(frozen=True, slots=True)
class FileEdits:
    """Edits in one file."""

    path: Path
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Fix:
    """A remedy that can be carried out; `sure` if it is the only one."""

    title: str
    changes: tuple[FileEdits, ...]
    sure: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """What was found in a file. `related` are further places, each with what is to be said about it."""

    where: Location
    code: str
    severity: str  # error | warning
    message: str
    related: tuple[tuple[Location, str], ...] = ()
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Hover:
    """What is said about the word at a place, as Markdown."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Outline:
    """A definition in a file: the whole stretch, its name's, and what stands in it."""

    name: str
    detail: str
    sort: str
    span: Span
    name_span: Span
    below: tuple[Outline, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchEntry:
    """Something found by its name, title or English; `line` is how a rule writes it."""

    line: str
    title: str
    sort: str
    description: str = ""
    where: Location | None = None


def found_data(one: SearchEntry) -> dict[str, object]:
    """What was found, for programs: without its place in the editor's files."""
    return {key: value for key, value in asdict(one).items() if key != "where"}


@dataclass(frozen=True, slots=True)
class Colour:
    """A stretch of one line and the sort of what stands there."""

    span: Span
    sort: str
    declares: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be written: its text, or a snippet with numbered gaps; better ones have a lower rank."""

    label: str
    sort: str
    detail: str = ""
    words: str = ""
    text: str = ""
    rank: int = 5
    snippet: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """What something is given: its line, its parameters, and the one that is being written."""

    label: str
    parameters: tuple[str, ...]
    active: int
    words: str = ""


@dataclass(frozen=True, slots=True)
class Lens:
    """A scene that speaks of a thing."""

    span: Span
    thing: str
    scenes: tuple[tuple[str, Location], ...] = field(default=())
    module: Path = Path()


@dataclass(frozen=True, slots=True)
class Hint:
    """What is shown behind a word though nobody wrote it; `words` say more."""

    at: At
    text: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class CallPlaces:
    """A definition that calls or is called, and the places where it is called."""

    name: str
    detail: str
    sort: str
    where: Location
    places: tuple[Location, ...] = ()


@dataclass(frozen=True, slots=True)
class SceneResult:
    """How a scene went: what differs, or why it could not be played, a line each; nothing if it went as it says."""

    name: str
    where: Location
    wrong: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.wrong


@dataclass(frozen=True, slots=True)
class SceneResults:
    """How the scenes of a module went; `unplayed` are the places of its rules that none of them has come to.

    `wrong` says why nothing could be played, if so.
    """

    folder: Path
    scenes: tuple[SceneResult, ...] = ()
    unplayed: tuple[tuple[Location, str], ...] = ()
    wrong: tuple[str, ...] = ()


class Refused(Exception):
    """A change that cannot be made, with the reason as one sentence."""
