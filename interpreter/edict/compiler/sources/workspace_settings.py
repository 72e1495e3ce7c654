"""The settings of a folder of modules, in an optional file `edict.toml` in it or in a folder around it."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from edict.compiler.sources.file_schemas import validate_once
from edict.compiler.sources.folders import MANIFEST, read_manifest, read_text
from edict.compiler.sources.module_lookup import looks_like_path
from edict.compiler.sources.written_data import WrittenData
from edict.support.records import dataclass
from edict.support.report import Diagnostic
from edict.support.request_errors import RequestError
from edict.support.text import Source, Span

SETTINGS = "edict.toml"
_KEY = re.compile(r"^\s*(?:\"([^\"\n]+)\"|([\w-]+))\s*=|^\s*\[\[?([\w-]+)", re.MULTILINE)


class SettingsError(RequestError):
    """A settings file that cannot be read."""


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """The settings of a folder of modules; without a file, the defaults."""

    folder: Path | None = None  # the folder of the file
    exclude: tuple[str, ...] = ()  # patterns of folders that are not searched for modules
    games: tuple[str, ...] = ()  # games over which modules are played that require none, by name or absolute path
    strict: bool = False  # warnings count as errors

    def excludes(self, folder: Path) -> bool:
        """Return True if a folder, or a folder around it, matches a pattern of `exclude`.

        A pattern without `/` matches the name of a folder at any depth, others the path from the file's folder.
        """
        if self.folder is None or not folder.resolve().is_relative_to(self.folder):
            return False
        path = folder.resolve().relative_to(self.folder)
        places = [place for place in (path, *path.parents) if place != Path()]
        return any(
            fnmatchcase(place.as_posix() if "/" in pattern else place.name, pattern.strip("/"))
            for pattern in self.exclude
            for place in places
        )


def find_settings(folder: Path) -> WorkspaceSettings:
    """Return the settings in the nearest `edict.toml`, in a folder or around it.

    Raises:
        SettingsError: The file cannot be read, or has unknown keys or wrong values.
    """
    here = folder.resolve()
    home = next((place for place in (here, *here.parents) if (place / SETTINGS).is_file()), None)
    if home is None:
        return WorkspaceSettings()
    outcome = read_text(home, home / SETTINGS)
    if outcome.value is None:
        raise _to_error(outcome.diagnostics[0])
    return _parse_settings(home, outcome.value)


def find_default_game(folder: Path) -> str:
    """Return the game over which modules in a folder are played that require none; empty for the one that ships.

    It is the game that the folder holds, else the first of its settings.

    Raises:
        SettingsError: The settings cannot be read.
    """
    manifest = read_manifest(folder).value if (folder / MANIFEST).is_file() else None
    if manifest is not None and manifest.kind == "game":
        return str(folder)
    return next(iter(find_settings(folder).games), "")


@lru_cache(16)
def _parse_settings(folder: Path, source: Source) -> WorkspaceSettings:
    """Return the settings in the text of a file."""
    import tomllib  # most folders have no settings

    try:
        data = tomllib.loads(source.text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        place = f"{SETTINGS}:{line[1]}" if line else SETTINGS
        raise SettingsError(f"{place}: this is not TOML: {error}", 'write it as in `exclude = ["drafts"]`') from None
    findings = validate_once("workspace", WrittenData(data, *_find_places(source)))
    if findings:
        raise _to_error(findings[0])
    games = tuple(str(folder / game) if looks_like_path(game) else game for game in data.get("games", ()))
    return WorkspaceSettings(folder, tuple(data.get("exclude", ())), games, data.get("strict", False))


def _find_places(source: Source) -> tuple[dict[tuple[str | int, ...], Span], dict[tuple[str | int, ...], Span]]:
    """Return the spans of the values at the top of a file, and those of their keys."""
    keys: dict[tuple[str | int, ...], Span] = {(): Span(source.name, 1, 1, 1, 1)}
    for match in _KEY.finditer(source.text):
        line = source.text.count("\n", 0, match.start(match.lastindex or 0)) + 1
        keys.setdefault((str(match[match.lastindex or 0]),), Span(source.name, line, 1, line, 1))
    return keys, keys


def _to_error(diagnostic: Diagnostic) -> SettingsError:
    """Return the error for a diagnostic about a file of settings."""
    place = f"{SETTINGS}:{diagnostic.span.line}: " if diagnostic.span.line else ""
    return SettingsError(place + diagnostic.title, diagnostic.help or diagnostic.note)
