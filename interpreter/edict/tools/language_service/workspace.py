"""A workspace: folders of rules, with unsaved texts laid over their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST, WITH, overlay_texts
from edict.compiler.sources.ignored_files import TEMPLATE
from edict.compiler.sources.module_set import Modules, gather_modules
from edict.compiler.sources.workspace_settings import SettingsError, WorkspaceSettings, find_default_game, find_settings
from edict.support import resources
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source
from edict.tools.language_service.analysis import FolderRules

NO_GAME = "E0160"
MAX_DEPTH = 3  # levels of folders searched for modules
MOST_FOLDERS = 2_000


class Workspace:
    """Rules that somebody is editing. Not safe for use by several threads at once.

    Modules that name no game are laid over `game`: the one given, else the first folder that is a game or whose
    settings name one, else the first game that ships. Folders that the settings exclude are left out of lists.
    """

    def __init__(self, folders: Iterable[Path] = (), game: str = "") -> None:
        self.folders = tuple(folder.resolve() for folder in folders)
        self.unsaved: dict[Path, str] = {}
        self._game = game
        self._rules: dict[tuple[Path, str], FolderRules] = {}

    # --- texts -------------------------------------------------------------------------------

    def set_text(self, path: Path, text: str) -> None:
        """Use a text in place of the file's content from now on."""
        path, text = path.resolve(), text.removeprefix("\ufeff").replace("\r\n", "\n")
        if self.unsaved.get(path) == text:
            return
        is_new = path not in self.unsaved
        self.unsaved[path] = text
        for rules in self._rules.values():
            rules.invalidate(path, None if is_new else text)

    def drop_text(self, path: Path) -> None:
        """Use the file's content again."""
        if self.unsaved.pop(path.resolve(), None) is not None:
            self.invalidate()

    def invalidate(self) -> None:
        """Read all files again, because another program may have changed them."""
        for rules in self._rules.values():
            rules.invalidate(None, None)

    def get_text(self, path: Path) -> str:
        """Return the current text of a file, unsaved or on disk; empty if it cannot be read."""
        path = path.resolve()
        if path in self.unsaved:
            return self.unsaved[path]
        try:
            return path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError):
            return ""

    def with_unsaved_texts(self) -> AbstractContextManager[None]:
        """Return a context in which the compiler reads the unsaved texts."""
        return overlay_texts(self.unsaved)

    # --- rules -------------------------------------------------------------------------------

    def get_rules(self, path: Path) -> FolderRules | None:
        """Return the rules a file belongs to; None outside the folders of modules."""
        folder = find_module_folder(path)
        if folder is None:
            return None
        key = folder, get_side_module(folder, path)
        if key not in self._rules:
            self._rules[key] = FolderRules(folder, self._make_gatherer(*key))
        return self._rules[key]

    def get_source(self, path: Path) -> Source | None:
        """Return the current text of a rule file; None for any other file."""
        rules = self.get_rules(path)
        return rules.get_source(path) if rules is not None else None

    def iter_rules(self) -> Iterator[FolderRules]:
        """Yield the rules in every module's folder, also together with each module they have side files for."""
        for folder in self._iter_module_folders():
            side_folders = sorted((folder / WITH).glob("*/")) if (folder / WITH).is_dir() else []
            for place in (folder / MANIFEST, *(side_folder / MANIFEST for side_folder in side_folders)):
                rules = self.get_rules(place)
                if rules is not None:
                    yield rules

    def _iter_module_folders(self) -> Iterator[Path]:
        """Yield folders with a manifest, sorted, at most `MOST_FOLDERS`; skip hidden folders and templates."""
        patterns = ["*/" * depth + MANIFEST for depth in range(MAX_DEPTH + 1)]
        manifests = ((root, file) for root in self.folders for pattern in patterns for file in root.glob(pattern))
        folders = (file.parent for root, file in manifests if _is_visible(file.relative_to(root)))
        yield from sorted(islice((folder for folder in folders if not _is_excluded(folder)), MOST_FOLDERS))

    def owns(self, path: Path) -> bool:
        """Return True if a file is in a folder of the workspace."""
        return any(path.resolve().is_relative_to(folder) for folder in self.folders)

    @property
    def game(self) -> str:
        """The game under modules that name none, as a name or path."""
        if self._game:
            return self._game
        games = (game for folder in self.folders if (game := find_default_game(folder)))
        return next(games, str(resources.get_shipped_folder() / "rules"))

    def _make_gatherer(self, folder: Path, side_module: str) -> Callable[[], Outcome[Modules]]:
        """Return a function that gathers the rules of a folder, over the default game if they name none."""
        neighbour = folder.parent / side_module
        if side_module:
            other_modules = [str(neighbour) if (neighbour / MANIFEST).is_file() else side_module]
        else:
            other_modules = []

        def gather_rules() -> Outcome[Modules]:
            """Gather the folder's modules with unsaved texts; if they name no game, over the workspace's."""
            with self.with_unsaved_texts():
                outcome = gather_modules(str(folder), other_modules)
                if not outcome.has_code(NO_GAME):
                    return outcome
                try:
                    return gather_modules(self.game, (str(folder), *other_modules))
                except SettingsError as error:
                    return Outcome(None, (Diagnostic("E0154", error.reason, help=error.remedy),))

        return gather_rules


def _is_excluded(folder: Path) -> bool:
    """Return True if the settings exclude a folder; settings that cannot be read, which `check` reports, do not."""
    try:
        settings = find_settings(folder)
    except SettingsError:
        settings = WorkspaceSettings()
    return settings.excludes(folder)


def _is_visible(relative_path: Path) -> bool:
    """Return True unless a path leads through a hidden folder or a template."""
    return not any(part.startswith(".") or part == TEMPLATE for part in relative_path.parts)


def get_side_module(folder: Path, path: Path) -> str:
    """Return the module that a side file in `with/` belongs to; empty for any other file."""
    parts = path.resolve().relative_to(folder).parts
    return parts[1] if len(parts) == 3 and parts[0] == WITH else ""


def find_module_folder(path: Path) -> Path | None:
    """Return the folder of the module that a file belongs to, also for a file not saved yet; else None."""
    path = path.resolve()
    candidates = (path, *path.parents) if path.is_dir() else path.parents
    return next((folder for folder in list(candidates)[:4] if (folder / MANIFEST).is_file()), None)
