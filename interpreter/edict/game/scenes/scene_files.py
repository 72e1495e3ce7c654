"""The files of scenes beside the rules, read and checked against their schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edict.compiler.sources.file_schemas import validate_once
from edict.compiler.sources.folders import list_files, read_text
from edict.compiler.sources.yaml_reader import read_yaml
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source, Span

if TYPE_CHECKING:
    from edict.compiler.sources.written_data import WrittenData

FOLDER = "scenes"
# names of the players if a scene gives none
DEFAULT_PLAYERS = ("Ann", "Brian", "Cindy", "David", "Emma", "Frank", "Gina", "Henry")

Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Scene:
    """One scene as written."""

    page: ScenePage
    number: int  # index in its file

    @cached_property
    def data(self) -> dict[str, Any]:
        """Return the scene's data."""
        data: dict[str, Any] = self.page.data["scenes"][self.number]
        return data

    @property
    def name(self) -> str:
        """Return the scene's name."""
        return str(self.data["name"])

    @property
    def is_example(self) -> bool:
        """Return True if the rulebook tells this scene."""
        return "example" in self.data

    @property
    def explains(self) -> str:
        """Return the name of the definition that it is an example of; by default the phase it plays."""
        return str(self.data.get("explains") or self.data.get("start", "").removeprefix("phase "))

    @property
    def story(self) -> list[str]:
        """Return the paragraphs of the example in prose, or of the scene's note."""
        text = str(self.data.get("story") or self.data.get("note", ""))
        return [line for line in map(str.strip, text.splitlines()) if line]

    @property
    def source(self) -> str:
        """Return the source that the scene or its file cites."""
        return str(self.data.get("source") or self.page.data.get("source", ""))

    @property
    def span(self) -> Span:
        """Return the place of the scene's name."""
        return self.place("name")

    @property
    def modules(self) -> tuple[str, ...]:
        """Return the modules over the game in this scene besides its own."""
        return (*self.page.data.get("modules", ()), *self.data.get("modules", ()))

    @property
    def players(self) -> tuple[str, ...]:
        """Return the names of the players at the table."""
        wanted = self.data.get("players", self.page.data.get("players", 2))
        if isinstance(wanted, int):
            return DEFAULT_PLAYERS[:wanted]
        return tuple(map(str, wanted))

    def place(self, *path: str | int) -> Span:
        """Return the place of a part of the scene."""
        full: Path_ = ("scenes", self.number, *path)
        return self.page.written.span_of(full)

    def key_place(self, *path: str | int) -> Span:
        """Return the place of an entry's key."""
        full: Path_ = ("scenes", self.number, *path)
        return self.page.written.keys.get(full) or self.page.written.span_of(full)

    def iter_texts(self, path: Path_, data: Any) -> Iterator[tuple[str, Span]]:
        """Iterate over one text, or those of a list, each with its place."""
        if isinstance(data, list):
            yield from ((str(text), self.place(*path, number)) for number, text in enumerate(data))
        else:
            yield str(data), self.place(*path)


@dataclass(frozen=True, eq=False)
class ScenePage:
    """One file of scenes."""

    folder: Path  # folder of the rules that it stands beside
    source: Source
    written: WrittenData

    @property
    def data(self) -> dict[str, Any]:
        """Return the file's data."""
        data: dict[str, Any] = self.written.data
        return data

    @property
    def game(self) -> str:
        """Return the game of these scenes if the file names it, else an empty text."""
        return str(self.data.get("game", ""))

    def iter_scenes(self) -> Iterator[Scene]:
        """Iterate over the scenes of the file."""
        return (Scene(self, number) for number in range(len(self.data["scenes"])))


def find_scene_files(folder: Path) -> Outcome[list[Path]]:
    """Return the files of scenes beside the rules in a folder."""
    return list_files(folder / FOLDER, ".yaml")


def iter_scene_sources(folder: Path) -> Iterator[Source]:
    """Iterate over the readable texts of the scenes beside the rules in a folder."""
    read = (read_scene_source(folder, file).value for file in find_scene_files(folder).value or ())
    return (source for source in read if source is not None)


def read_page(folder: Path, file: Path) -> Outcome[ScenePage]:
    """Read a file of scenes and check it against its schema."""
    return read_scene_source(folder, file).and_then(lambda source: parse_page(folder, source))


def parse_page(folder: Path, source: Source) -> Outcome[ScenePage]:
    """Parse the text of a file of scenes."""
    return read_yaml(source).and_then(lambda written: _check_page(ScenePage(folder, source, written)))


def read_scene_source(folder: Path, file: Path) -> Outcome[Source]:
    """Read a file of scenes under the name that reports use."""
    name = f"{folder.resolve().name}/{FOLDER}/{file.name}"
    return read_text(folder, file).and_then(lambda text: Outcome(replace(text, name=name)))


def _check_page(page: ScenePage) -> Outcome[ScenePage]:
    """Validate a file of scenes against its schema; if valid, report names that two scenes share."""
    diagnostics = validate_once("scenes", page.written)
    return Outcome(None if diagnostics else page, tuple(diagnostics) or tuple(_find_duplicate_names(page)))


def _find_duplicate_names(page: ScenePage) -> Iterator[Diagnostic]:
    """Iterate over a diagnostic for each name that two scenes share."""
    spans: dict[str, Span] = {}
    for scene in page.iter_scenes():
        if scene.name in spans:
            yield Diagnostic(
                "S0004",
                f"two scenes are named `{scene.name}`",
                scene.span,
                note=f"The other one is on line {spans[scene.name].line}.",
                help="give one of them another name",
            )
        spans[scene.name] = scene.span
