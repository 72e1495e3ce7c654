"""Lookup of modules by name (shipped, own, or a folder here) or by path."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

from edict.compiler.sources.folders import (
    LOOK,
    MANIFEST,
    WORDS,
    Manifest,
    Module,
    decode_name,
    display_name,
    file_exists,
    list_files,
    list_rule_files,
    read_manifest,
    read_module,
    read_text,
)
from edict.compiler.sources.input_limits import MOST_NAMES
from edict.compiler.sources.installed_rules import list_installed_rules
from edict.compiler.sources.module_search import find_modules
from edict.compiler.sources.own_rules import list_own_rules
from edict.support import resources
from edict.support.files import BadPathError, parse_path
from edict.support.morphology import quote_words
from edict.support.report import Diagnostic, Outcome, find_nearest, suggest_word
from edict.support.text import Source

# phrases for the places where rules of a name may be
HERE, OWN, PACKAGE = "a folder here", "rules of your own", "rules that come with the package"
MOST_SHOWN = 3  # folders of rules that a message suggests
DEEPEST = 2  # folders between a file of a module and the module's own, as in `with/NAME/`


# --- shipped modules ---------------------------------------------------------------------------


def list_shipped_modules() -> list[Path]:
    """Return the folders of all modules that come with the package."""
    home = resources.get_shipped_folder()
    parents = [child for name in ("modules", "examples") for child in _list_subfolders(home / name)]
    return [folder for folder in (home / "rules", *parents) if (folder / MANIFEST).is_file()]


def list_recipes() -> list[Path]:
    """Return the folders of the recipes, small games that each show how to write one kind of rule."""
    return [
        folder
        for folder in _list_subfolders(resources.get_shipped_folder() / "examples" / "recipes")
        if (folder / MANIFEST).is_file()
    ]


def _list_subfolders(folder: Path) -> list[Path]:
    """Return the subfolders of a folder, sorted; none if there is no such folder."""
    children = islice(folder.iterdir(), MOST_NAMES) if folder.is_dir() else ()
    return sorted(child for child in children if child.is_dir())


Catalogue = dict[str, tuple[Path, Manifest]]  # folder and manifest of modules, by name


def load_catalogue() -> Catalogue:
    """Return the modules that come with the package, by name, without those that cannot be read."""
    return _index_by_name(list_shipped_modules())


def load_full_catalogue() -> Catalogue:
    """Return the modules that can be named from any folder.

    These are the shipped ones, the user's own, and those of installed packages; of several with one name, the first
    of these counts.
    """
    own_modules, installed_modules = _index_by_name(list_own_rules()), _index_by_name(list_installed_rules())
    shipped_modules = load_catalogue()
    return shipped_modules | {
        name: entry for name, entry in (installed_modules | own_modules).items() if name not in shipped_modules
    }


def _index_by_name(folders: Iterable[Path]) -> Catalogue:
    """Map the name in each folder's manifest to (folder, manifest), without folders that have no readable manifest."""
    manifests = ((folder, _get_manifest(folder)) for folder in folders)
    return {manifest.name: (folder, manifest) for folder, manifest in manifests if manifest is not None}


# --- by name or path ---------------------------------------------------------------------------


def find_module(name_or_path: str | Path) -> Outcome[Path]:
    """Return the folder of a module.

    Args:
        name_or_path: A path to the folder or to a file in it, or the name of a shipped module, of one of the user's
            own, or of a folder in the current folder. A name that fits several of these is an error. If it fits
            none, a module of an installed package is found.
    """
    text = str(name_or_path)
    if not text or "\0" in text:
        missing_name = Diagnostic(
            "E0150", "missing name of a game or module", help="name a game, or the folder of its rules"
        )
        return Outcome(None, (missing_name,))
    if isinstance(name_or_path, Path) or looks_like_path(text):
        return _find_folder_at_path(Path(text))
    places = {HERE: get_folder_here(text), OWN: _find_own(text), PACKAGE: _find_shipped_module(text)}
    places_by_folder = {folder.resolve(): place for place, folder in places.items() if folder is not None}
    if len(places_by_folder) > 1:
        return _ambiguous_name(text, list(places_by_folder.values()))
    folder = next((places[place] for place in places_by_folder.values()), None) or _find_installed(text)
    return Outcome(folder) if folder is not None else _unknown_name(text)


def looks_like_path(text: str) -> bool:
    """Return True for text that can only be a path, not a name."""
    return text.startswith((".", "~")) or "/" in text or os.sep in text or text.endswith((".edict", ".yaml"))


def get_folder_here(name: str) -> Path | None:
    """Return the module's folder of this name in the current folder, or None."""
    return get_module_folder(Path(), name)


def find_required_module(module: Module, name: str) -> Path | None:
    """Return the folder of a module that another requires, or None.

    It is shipped, lies beside that module or beside a folder around it up to the current one, or is one of the
    user's own, or is in an installed package.
    """
    neighbours = (
        folder for parent in _iter_parents(module.folder) if (folder := get_module_folder(parent, name)) is not None
    )
    return _find_shipped_module(name) or next(neighbours, None) or _find_own(name) or _find_installed(name)


def _iter_parents(folder: Path) -> Iterator[Path]:
    """Yield the folder around a module, and those around that, up to the current folder."""
    yield folder.parent
    parent, here = folder.parent.resolve(), Path.cwd()
    yield from (ancestor for ancestor in parent.parents if ancestor.is_relative_to(here))


def get_module_folder(parent: Path, name: str) -> Path | None:
    """Return the module's folder of this name in a folder, or None."""
    try:
        return parent / name if file_exists(parent / name / MANIFEST) else None
    except OSError:  # a name too long for any file
        return None


def _find_shipped_module(name: str) -> Path | None:
    return _find_by_name(list_shipped_modules(), name)


def _find_own(name: str) -> Path | None:
    return _find_by_name(list_own_rules(), name)


def _find_installed(name: str) -> Path | None:
    return _find_by_name(list_installed_rules(), name)


def _find_by_name(candidates: Iterable[Path], name: str) -> Path | None:
    """Return the folder whose manifest has the name, or else a folder called so, or None."""
    folders = sorted(candidates, key=lambda folder: folder.name != name)  # the likely one first
    matching = next((folder for folder in folders if _has_name(name, folder)), None)
    unreadable = folders[0] if folders and folders[0].name == name else None
    return matching or unreadable


def _has_name(name: str, folder: Path) -> bool:
    """Return True if the folder's manifest can be read and has the name."""
    version = _find_manifest_version(folder)
    if version is None or not _may_have_name(_read_manifest_text(folder, *version), name):
        return False
    manifest = _read_manifest_version(folder, *version)
    return manifest is not None and manifest.name == name


def _may_have_name(text: str, name: str) -> bool:
    """Return True if a manifest may have a name: it mentions it, or has texts with escapes.

    A name is looked for in all manifests that ship, and reading them as YAML takes several times as long.
    """
    return name in text or "\\" in text


def _get_manifest(folder: Path) -> Manifest | None:
    """Return the manifest in a folder, read anew only when the file changed; None if it cannot be read."""
    version = _find_manifest_version(folder)
    return _read_manifest_version(folder, *version) if version is not None else None


def _find_manifest_version(folder: Path) -> tuple[int, int] | None:
    """Return time and size of a manifest, which tell its versions apart; None if there is none."""
    try:
        status = (folder / MANIFEST).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


@lru_cache(MOST_NAMES)
def _read_manifest_text(folder: Path, changed: int, size: int) -> str:
    """Read the text of a manifest, or return "" if it cannot be read; for the other arguments see below."""
    source = read_text(folder, folder / MANIFEST).value
    return source.text if source is not None else ""


@lru_cache(MOST_NAMES)
def _read_manifest_version(folder: Path, changed: int, size: int) -> Manifest | None:
    """Read a manifest, or return None if it is invalid; time and size of the file are the key of the cache."""
    return read_manifest(folder).value


def _find_folder_at_path(path: Path) -> Outcome[Path]:
    """Return the module folder that a path names, or that contains the file it names, or the error E0151."""
    fault, help = "is not a folder", f"check the path, or run `{resources.command_name()} new NAME` to start a module"
    try:
        place = parse_path(str(path))
        for folder in (place, *list(place.parents)[: DEEPEST + 1]) if place.is_file() else (place,):
            if file_exists(folder / MANIFEST):
                return Outcome(folder)
        if place.exists():
            if place.is_dir():
                fault = f"has no `{MANIFEST}`"
            else:
                fault = f"is not part of a module: its folders have no `{MANIFEST}`"
            help = (_suggest_for_folder(place, str(path)) if place.is_dir() else "") or help
    except PermissionError:
        return _refuse_unreadable_folder(str(path))
    except (OSError, BadPathError):  # too long, or the home of an unknown user
        pass
    return Outcome(
        None,
        (
            Diagnostic(
                "E0151",
                f"`{path}` {fault}",
                note=f"Rules are a folder with a `{MANIFEST}` and files that end in `.edict`.",
                help=help,
            ),
        ),
    )


def _suggest_for_folder(folder: Path, typed: str) -> str:
    """Return a suggestion for a folder without a manifest, or ""."""
    return suggest_manifest_name(folder) or _suggest_subfolders(folder, typed)


def _suggest_subfolders(folder: Path, typed: str) -> str:
    """Return a suggestion that names folders of rules in a folder, or ""."""
    modules = find_modules(folder).value
    if not modules:
        return ""
    names = [
        f"{decode_name(typed)}/{decode_name(module_folder.relative_to(folder).as_posix())}"
        for module_folder in modules[:MOST_SHOWN]
    ]
    return f"name a folder of rules in it, such as {quote_words(names, 'or')}"


def suggest_manifest_name(folder: Path) -> str:
    """Return advice to rename a file whose name is almost that of a manifest, or ""."""
    similar = next(
        (file.name for file in islice(folder.iterdir(), MOST_NAMES) if find_nearest(file.name, [MANIFEST])), ""
    )
    return f"rename `{decode_name(similar)}` to `{MANIFEST}`" if similar else ""


def _ambiguous_name(name: str, places: Sequence[str]) -> Outcome[Path]:
    """Return the failed outcome for a name that modules in several places have."""
    help_here = f"write `./{name}` for the folder; for the other one, rename the folder or run this elsewhere"
    return Outcome(
        None,
        (
            Diagnostic(
                "E0162",
                f"`{name}` is both {' and '.join(places)}",
                help=help_here if HERE in places else f"rename your own: they are in {resources.user_rules_folder()}",
            ),
        ),
    )


def _unknown_name(name: str) -> Outcome[Path]:
    """Return the failed outcome for a name of no module, with the nearest name or advice on a folder called so."""
    names = sorted({*load_full_catalogue(), *(folder.name for folder in iter_modules_here())})
    remedy = suggest_word(name, names) or f"available: {quote_words(names, 'and')}; to name a folder, write its path"
    if len(name) < 100 and Path(name).is_dir():
        try:
            (Path(name) / MANIFEST).is_file()
        except PermissionError:
            return _refuse_unreadable_folder(name)
        suggestion = _suggest_for_folder(Path(name), f"./{name}")
        remedy = suggestion or f"add a `{MANIFEST}` to the folder `{name}`"
    return Outcome(None, (Diagnostic("E0150", f"no game or module named `{name}`", help=remedy),))


def _refuse_unreadable_folder(path: str) -> Outcome[Path]:
    """Return the failed outcome for a folder that the user may not read."""
    return Outcome(
        None,
        (
            Diagnostic(
                "E0154",
                f"the folder `{path}` cannot be read: permission denied",
                help="change its permissions, or copy the rules into a folder of your own",
            ),
        ),
    )


def iter_modules_here() -> Iterator[Path]:
    """Yield the folders of modules in the current folder; none if it cannot be read."""
    try:
        yield from (child for child in _list_subfolders(Path()) if (child / MANIFEST).is_file())
    except OSError:
        return


# --- reading -----------------------------------------------------------------------------------


def load_module(name_or_path: str | Path) -> Outcome[Module]:
    """Find and read a module with all its rule files, sorted by name (see `find_module`)."""
    return find_module(name_or_path).and_then(read_module)


def find_folders(names_or_paths: Iterable[str | Path]) -> dict[str, Path]:
    """Return the folders of modules by the names that messages use for them, without those that are not found."""
    found_folders = (find_module(name).value for name in names_or_paths)
    return {display_name(folder): folder for folder in found_folders if folder}


def read_texts(names_or_paths: Iterable[str | Path]) -> dict[str, Source]:
    """Return every readable text in the folders of modules, by its name in messages."""
    files = (
        (folder_path, file)
        for folder_path in find_folders(names_or_paths).values()
        for file in _list_files(folder_path)
    )
    readable = (read_text(folder, file).value for folder, file in files)
    return {source.name: source for source in readable if source is not None}


def _list_files(folder: Path) -> list[Path]:
    """Return the paths of a module's rule files, manifest, look and translations; the latter two may not exist."""
    words = list_files(folder / WORDS, ".yaml").value or ()
    return [*(list_rule_files(folder).value or ()), folder / MANIFEST, folder / LOOK, *words]
