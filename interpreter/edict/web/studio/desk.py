"""A variant that somebody works on: its texts as they are typed, and the language service over them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from edict.scenes.reading import FOLDER
from edict.service.scenes import pages
from edict.service.workspace import Workspace
from edict.sources.folders import MANIFEST


class Desk:
    """The language service over the texts of one variant. Safe from any thread; one question at a time."""

    def __init__(self, folder: Path, texts: Mapping[str, str]) -> None:
        self.folder = folder.resolve()
        self.manifest = self.folder / MANIFEST
        self.space = Workspace([self.folder])
        self.texts: Mapping[str, str] = {}
        self.read = set[str]()  # names whose English was shown since the step began
        self.was_wrong = False  # whether there were errors since the step began
        self._lock = threading.Lock()
        self.lay(texts)

    def lay(self, texts: Mapping[str, str]) -> None:
        """From now on these are the texts of the variant."""
        with self._lock:
            for name in self.texts.keys() - texts.keys():
                self.space.lift(self.path(name))
            for name, text in texts.items():
                self.space.lay(self.path(name), text)
            self.texts = dict(texts)

    @property
    def rules(self) -> Mapping[str, str]:
        """The texts without scenes, which change nothing that is played."""
        return {name: text for name, text in self.texts.items() if not name.startswith(f"{FOLDER}/")}

    def begin_step(self) -> None:
        """From now on what is read, and whether anything is wrong, counts for the next step of a tutorial."""
        self.was_wrong = False
        self.read.clear()

    def path(self, name: str) -> Path:
        return self.folder / name

    def named(self, path: Path) -> str:
        """What the page calls a file; nothing for one of the rules below."""
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else ""

    @contextmanager
    def asking(self) -> Iterator[Workspace]:
        """The workspace, while nobody else asks it."""
        with self._lock:
            yield self.space

    def scenes(self) -> tuple[tuple[str, str], ...]:
        """The scenes of the variant that can be read, each by its file and its name."""
        with self.asking() as space:
            read = list(pages(space, self.folder))
        return tuple((page.source.name.partition("/")[2], scene.name) for page in read for scene in page.scenes())

    def check_whole(self) -> None:
        """Look also for what only making the machine's code finds out; meanwhile other questions are answered."""
        with self._lock:
            rules = self.space.rules(self.manifest)
            rest = rules.rest() if rules is not None else None
            version = rules.version if rules is not None else 0
        found = rest() if rest is not None else None
        if rules is not None and found is not None:
            with self._lock:
                rules.completed(version, found)
