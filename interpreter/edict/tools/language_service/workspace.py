"""Folders of rules with unsaved texts laid over the files, and what is understood of them at this moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST, WITH, laid_over, read_manifest
from edict.compiler.sources.ignored_files import TEMPLATE
from edict.compiler.sources.module_set import Modules, gather
from edict.support import resources
from edict.support.report import Outcome
from edict.support.text import Source
from edict.tools.language_service.analysis import Rules

NO_GAME = "E0160"
DEEPEST = 3  # folders of a workspace that modules are looked for in
MOST_FOLDERS = 2_000


class Workspace:
    """Rules that somebody works on. Not for several threads at a time.

    `game` is what modules are laid over that name no game themselves: the first folder that is a game, or else the
    one that ships.
    """

    def __init__(self, folders: Iterable[Path] = (), game: str = "") -> None:
        self.folders = tuple(folder.resolve() for folder in folders)
        self.unsaved: dict[Path, str] = {}
        self._game = game
        self._rules: dict[tuple[Path, str], Rules] = {}

    # --- texts -------------------------------------------------------------------------------

    def lay(self, path: Path, text: str) -> None:
        """From now on this text counts in place of what the file holds."""
        path, text = path.resolve(), text.removeprefix("\ufeff").replace("\r\n", "\n")
        if self.unsaved.get(path) == text:
            return
        new = path not in self.unsaved
        self.unsaved[path] = text
        for rules in self._rules.values():
            rules.changed(path, None if new else text)

    def lift(self, path: Path) -> None:
        """What the file holds counts again."""
        if self.unsaved.pop(path.resolve(), None) is not None:
            self.forget()

    def forget(self) -> None:
        """Files were changed by somebody else."""
        for rules in self._rules.values():
            rules.changed(None, None)

    def text(self, path: Path) -> str:
        """What counts of a file; nothing, where there is none."""
        path = path.resolve()
        if path in self.unsaved:
            return self.unsaved[path]
        try:
            return path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError):
            return ""

    def laid(self) -> AbstractContextManager[None]:
        """In here the passes read the unsaved texts."""
        return laid_over(self.unsaved)

    # --- rules -------------------------------------------------------------------------------

    def rules(self, path: Path) -> Rules | None:
        """The rules a file belongs to; None for a file that lies in no module's folder."""
        folder = folder_of(path)
        if folder is None:
            return None
        key = folder, beside(folder, path)
        if key not in self._rules:
            self._rules[key] = Rules(folder, self._gathering(*key))
        return self._rules[key]

    def source(self, path: Path) -> Source | None:
        """The text of a rule file as it counts; None for a file that is none of rules."""
        rules = self.rules(path)
        return rules.source(path) if rules is not None else None

    def everything(self) -> Iterator[Rules]:
        """The rules in every module's folder of the workspace, also with the modules they have files beside."""
        for folder in self._module_folders():
            inner = sorted((folder / WITH).glob("*/")) if (folder / WITH).is_dir() else []
            for place in (folder / MANIFEST, *(one / MANIFEST for one in inner)):
                rules = self.rules(place)
                if rules is not None:
                    yield rules

    def _module_folders(self) -> Iterator[Path]:
        patterns = ["*/" * depth + MANIFEST for depth in range(DEEPEST + 1)]
        there = ((top, file) for top in self.folders for pattern in patterns for file in top.glob(pattern))
        found = (file.parent for top, file in there if _is_worked_on(file.relative_to(top)))
        yield from sorted(islice(found, MOST_FOLDERS))

    def owns(self, path: Path) -> bool:
        """Whether a file lies in one of the folders somebody works on."""
        return any(path.resolve().is_relative_to(folder) for folder in self.folders)

    @property
    def game(self) -> str:
        if self._game:
            return self._game
        manifests = ((folder, read_manifest(folder).value) for folder in self.folders if (folder / MANIFEST).is_file())
        games = (str(folder) for folder, manifest in manifests if manifest is not None and manifest.kind == "game")
        return next(games, str(resources.shipped_folder() / "rules"))

    def _gathering(self, folder: Path, beside: str) -> Callable[[], Outcome[Modules]]:
        """Reads the rules of a folder as they are, over the game where they name none, as `check` does."""
        neighbour = folder.parent / beside
        more = [str(neighbour) if (neighbour / MANIFEST).is_file() else beside] if beside else []

        def gathered() -> Outcome[Modules]:
            with self.laid():
                alone = gather(str(folder), more)
                no_game = any(d.code == NO_GAME for d in alone.diagnostics)
                return gather(self.game, (str(folder), *more)) if no_game else alone

        return gathered


def _is_worked_on(below: Path) -> bool:
    """Whether a path below a workspace's folder leads through nothing hidden and no template."""
    return not any(part.startswith(".") or part == TEMPLATE for part in below.parts)


def beside(folder: Path, path: Path) -> str:
    """The module beside which a file counts, if it is one of those that count only then."""
    inner = path.resolve().relative_to(folder).parts
    return inner[1] if len(inner) == 3 and inner[0] == WITH else ""


def folder_of(path: Path) -> Path | None:
    """The module's folder that a file lies in, also one that is not saved yet."""
    path = path.resolve()
    around = (path, *path.parents) if path.is_dir() else path.parents
    return next((folder for folder in list(around)[:4] if (folder / MANIFEST).is_file()), None)
