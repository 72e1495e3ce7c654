"""Scenes as files: found beside the rules they test, read strictly, checked against their schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edict.compiler.sources.file_schemas import schema_findings
from edict.compiler.sources.folders import files_in, read_text
from edict.compiler.sources.yaml_reader import read_yaml
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source, Span

if TYPE_CHECKING:
    from edict.compiler.sources.yaml_reader import WrittenData

FOLDER = "scenes"
SEATED = ("Ann", "Brian", "Cindy", "David", "Emma", "Frank", "Gina", "Henry")

Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Scene:
    """One scene as written; `path` leads to it in its file."""

    page: ScenePage
    number: int

    @cached_property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.data["scenes"][self.number]
        return found

    @property
    def name(self) -> str:
        return str(self.data["name"])

    @property
    def is_example(self) -> bool:
        """Whether the rulebook tells it."""
        return "example" in self.data

    @property
    def explains(self) -> str:
        """The name of what it is an example of: as it says, or the phase it plays."""
        return str(self.data.get("explains") or self.data.get("start", "").removeprefix("phase "))

    @property
    def story(self) -> list[str]:
        """The example in prose, a paragraph a line; without it, what is worth saying beforehand."""
        told = str(self.data.get("story") or self.data.get("note", ""))
        return [line for line in map(str.strip, told.splitlines()) if line]

    @property
    def source(self) -> str:
        return str(self.data.get("source") or self.page.data.get("source", ""))

    @property
    def span(self) -> Span:
        return self.place("name")

    @property
    def modules(self) -> tuple[str, ...]:
        """Modules laid over the game in this scene, beside the one it belongs to."""
        return (*self.page.data.get("modules", ()), *self.data.get("modules", ()))

    @property
    def players(self) -> tuple[str, ...]:
        """Who sits at the table."""
        wanted = self.data.get("players", self.page.data.get("players", 2))
        return SEATED[:wanted] if isinstance(wanted, int) else tuple(map(str, wanted))

    def place(self, *path: str | int) -> Span:
        """Where something in the scene is written."""
        full: Path_ = ("scenes", self.number, *path)
        return self.page.written.place(full)

    def key(self, *path: str | int) -> Span:
        """Where the key of an entry is written."""
        full: Path_ = ("scenes", self.number, *path)
        return self.page.written.keys.get(full) or self.page.written.place(full)

    def texts(self, path: Path_, data: Any) -> Iterator[tuple[str, Span]]:
        """One text, or each of a list, and where it is written."""
        if isinstance(data, list):
            yield from ((str(text), self.place(*path, number)) for number, text in enumerate(data))
        else:
            yield str(data), self.place(*path)


@dataclass(frozen=True, eq=False)
class ScenePage:
    """One file of scenes; `folder` is that of the rules it stands beside."""

    folder: Path
    source: Source
    written: WrittenData

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = self.written.data
        return found

    @property
    def game(self) -> str:
        """The game these scenes are played in, where the file says so."""
        return str(self.data.get("game", ""))

    def scenes(self) -> Iterator[Scene]:
        return (Scene(self, number) for number in range(len(self.data["scenes"])))


def scene_files(folder: Path) -> Outcome[list[Path]]:
    """The files of scenes beside the rules in a folder."""
    return files_in(folder / FOLDER, ".yaml")


def sources_in(folder: Path) -> Iterator[Source]:
    """The texts of the scenes beside the rules in a folder, as far as they are texts."""
    read = (source_of(folder, file).value for file in scene_files(folder).value or ())
    return (source for source in read if source is not None)


def read_page(folder: Path, file: Path) -> Outcome[ScenePage]:
    """One file of scenes, checked against its schema."""
    return source_of(folder, file).then(lambda source: page_of(folder, source))


def page_of(folder: Path, source: Source) -> Outcome[ScenePage]:
    """What the text of a file of scenes holds."""
    return read_yaml(source).then(lambda written: _checked(ScenePage(folder, source, written)))


def source_of(folder: Path, file: Path) -> Outcome[Source]:
    """The text of a file of scenes, under the name by which reports call it."""
    name = f"{folder.resolve().name}/{FOLDER}/{file.name}"
    return read_text(folder, file).then(lambda text: Outcome(replace(text, name=name)))


def _checked(page: ScenePage) -> Outcome[ScenePage]:
    found = schema_findings("scenes", page.written)
    return Outcome(None if found else page, tuple(found) or tuple(_twice(page)))


def _twice(page: ScenePage) -> Iterator[Diagnostic]:
    """Two scenes of one name cannot be distinguished in a report."""
    seen: dict[str, Span] = {}
    for scene in page.scenes():
        if scene.name in seen:
            yield Diagnostic(
                "S0004",
                f"two scenes are called `{scene.name}`",
                scene.span,
                note=f"The other one is in line {seen[scene.name].line}.",
                help="give one of them another name",
            )
        seen[scene.name] = scene.span
