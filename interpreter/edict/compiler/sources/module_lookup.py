"""Finding modules: by the name of one that ships or is the user's own, by the name of a folder here, or by a path."""

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
    called,
    files_in,
    is_there,
    read_manifest,
    read_module,
    read_text,
    rule_files,
    shown_name,
)
from edict.compiler.sources.input_limits import MOST_NAMES
from edict.compiler.sources.module_search import find_modules
from edict.compiler.sources.own_rules import own_rules
from edict.support import resources
from edict.support.morphology import quote_words
from edict.support.paths import BadPathError, parse_path
from edict.support.report import Diagnostic, Outcome, find_nearest, suggest_word
from edict.support.text import Source

HERE, OWN, PACKAGE = "a folder here", "rules of your own", "rules that come with the package"
MOST_SHOWN = 3  # folders of rules, where one of them is to be named
DEEPEST = 2  # folders between a file of a module and the module's own: `with/NAME/`


# --- what ships --------------------------------------------------------------------------------


def shipped() -> list[Path]:
    """The folders of all modules that come with the package."""
    home = resources.shipped_folder()
    parents = [child for name in ("modules", "examples") for child in _children(home / name)]
    return [folder for folder in (home / "rules", *parents) if (folder / MANIFEST).is_file()]


def recipes() -> list[Path]:
    """The folders of the recipes: small games that show how something is said."""
    return [
        folder
        for folder in _children(resources.shipped_folder() / "examples" / "recipes")
        if (folder / MANIFEST).is_file()
    ]


def _children(folder: Path) -> list[Path]:
    children = islice(folder.iterdir(), MOST_NAMES) if folder.is_dir() else ()
    return sorted(child for child in children if child.is_dir())


Catalogue = dict[str, tuple[Path, Manifest]]


def catalogue() -> Catalogue:
    """What comes with the package, by name; a module that cannot be read is left out."""
    return _by_name(shipped())


def named_everywhere() -> Catalogue:
    """What can be named from any folder: what comes with the package, and the user's own games and variants."""
    ships = catalogue()
    return ships | {name: found for name, found in _by_name(own_rules()).items() if name not in ships}


def _by_name(folders: Iterable[Path]) -> Catalogue:
    read = ((folder, _manifest(folder)) for folder in folders)
    return {manifest.name: (folder, manifest) for folder, manifest in read if manifest is not None}


# --- by name or path ---------------------------------------------------------------------------


def find(name_or_path: str | Path) -> Outcome[Path]:
    """The folder of a module: a path to it or to a file in it, the name of one that ships, or of a folder here."""
    text = str(name_or_path)
    if not text or "\0" in text:
        nameless = Diagnostic("E0150", "no rules are named", help="name a game, or the folder of its rules")
        return Outcome(None, (nameless,))
    if isinstance(name_or_path, Path) or looks_like_path(text):
        return _at(Path(text))
    places = {HERE: folder_here(text), OWN: _own(text), PACKAGE: _that_ships(text)}
    found = {folder.resolve(): place for place, folder in places.items() if folder is not None}
    if len(found) > 1:
        return _either(text, list(found.values()))
    return next((Outcome(places[place]) for place in found.values()), None) or _unknown(text)


def looks_like_path(text: str) -> bool:
    return text.startswith((".", "~")) or "/" in text or os.sep in text or text.endswith((".edict", ".yaml"))


def folder_here(name: str) -> Path | None:
    """A module's folder of this name in the current folder."""
    return module_in(Path(), name)


def required_by(module: Module, name: str) -> Path | None:
    """Return a module that another requires.

    It ships, lies beside that module or beside a folder around it up to the current one, or is one of the user's own.
    """
    beside = (folder for parent in _parents(module.folder) if (folder := module_in(parent, name)) is not None)
    return _that_ships(name) or next(beside, None) or _own(name)


def _parents(folder: Path) -> Iterator[Path]:
    """Yield the folder around a module, and those around that, up to the current folder."""
    yield folder.parent
    parent, here = folder.parent.resolve(), Path.cwd()
    yield from (around for around in parent.parents if around.is_relative_to(here))


def module_in(parent: Path, name: str) -> Path | None:
    """The module's folder of this name in a folder, if there is one."""
    try:
        return parent / name if is_there(parent / name / MANIFEST) else None
    except OSError:  # a name too long for any file
        return None


def _that_ships(name: str) -> Path | None:
    return _called_in(shipped(), name)


def _own(name: str) -> Path | None:
    return _called_in(own_rules(), name)


def _called_in(among: Iterable[Path], name: str) -> Path | None:
    folders = sorted(among, key=lambda folder: folder.name != name)  # the likely one first
    named = next((folder for folder in folders if _is_called(name, folder)), None)
    broken = folders[0] if folders and folders[0].name == name else None
    return named or broken


def _is_called(name: str, folder: Path) -> bool:
    manifest = _manifest(folder)
    return manifest is not None and manifest.name == name


def _manifest(folder: Path) -> Manifest | None:
    """The manifest of a module in a folder, as it was last written; None for one that cannot be read."""
    try:
        seen = (folder / MANIFEST).stat()
    except OSError:
        return None
    return _written(folder, seen.st_mtime_ns, seen.st_size)


@lru_cache(MOST_NAMES)
def _written(folder: Path, changed: int, size: int) -> Manifest | None:
    return read_manifest(folder).value


def _at(path: Path) -> Outcome[Path]:
    missing, help = "is not a folder", "check the path, or name a game that comes with the package"
    try:
        at = parse_path(str(path))
        for folder in (at, *list(at.parents)[: DEEPEST + 1]) if at.is_file() else (at,):
            if is_there(folder / MANIFEST):
                return Outcome(folder)
        if at.exists():
            missing = f"has no `{MANIFEST}`" if at.is_dir() else f"lies in no folder with a `{MANIFEST}`"
            help = (_suggestion(at, str(path)) if at.is_dir() else "") or help
    except PermissionError:
        return _forbidden(str(path))
    except (OSError, BadPathError):  # too long, or the home of nobody
        pass
    return Outcome(
        None,
        (
            Diagnostic(
                "E0151",
                f"`{path}` {missing}",
                note=f"Rules are a folder with a `{MANIFEST}` and files that end in `.edict`.",
                help=help,
            ),
        ),
    )


def _suggestion(folder: Path, typed: str) -> str:
    """Return what to do about a folder without a manifest, if it holds something that was probably meant."""
    return renaming(folder) or _below(folder, typed)


def _below(folder: Path, typed: str) -> str:
    """Return what to write for a folder that only holds folders of rules."""
    modules = find_modules(folder).value
    if not modules:
        return ""
    names = [f"{shown_name(typed)}/{shown_name(one.relative_to(folder).as_posix())}" for one in modules[:MOST_SHOWN]]
    return f"name a folder of rules in it, such as {quote_words(names, 'or')}"


def renaming(folder: Path) -> str:
    """Return what to do about a manifest by nearly the right name, if there is one in a folder."""
    meant = next((one.name for one in islice(folder.iterdir(), MOST_NAMES) if find_nearest(one.name, [MANIFEST])), "")
    return f"rename `{shown_name(meant)}` to `{MANIFEST}`" if meant else ""


def _either(name: str, places: Sequence[str]) -> Outcome[Path]:
    """Two or three of the places have rules of this name."""
    here = f"write `./{name}` for the folder; for the others, rename the folder or start from another one"
    return Outcome(
        None,
        (
            Diagnostic(
                "E0162",
                f"`{name}` is both {' and '.join(places)}",
                help=here if HERE in places else f"rename your own: they are in {resources.user_rules_folder()}",
            ),
        ),
    )


def _unknown(name: str) -> Outcome[Path]:
    names = sorted({*named_everywhere(), *(folder.name for folder in modules_here())})
    remedy = suggest_word(name, names) or f"there are {quote_words(names, 'and')}; a folder is named with its path"
    if len(name) < 100 and Path(name).is_dir():
        try:
            (Path(name) / MANIFEST).is_file()
        except PermissionError:
            return _forbidden(name)
        in_it = _suggestion(Path(name), f"./{name}")
        remedy = in_it or f"write a `{MANIFEST}` into the folder `{name}`, which has none"
    return Outcome(None, (Diagnostic("E0150", f"no rules are named `{name}`", help=remedy),))


def _forbidden(path: str) -> Outcome[Path]:
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


def modules_here() -> Iterator[Path]:
    """The modules' folders in the current folder, as far as it may be read."""
    try:
        yield from (child for child in _children(Path()) if (child / MANIFEST).is_file())
    except OSError:
        return


# --- reading -----------------------------------------------------------------------------------


def load(name_or_path: str | Path) -> Outcome[Module]:
    """A module with all its rule files, in the order of their names."""
    return find(name_or_path).and_then(read_module)


def folders(wanted: Iterable[str | Path]) -> dict[str, Path]:
    """The folders of these modules, under the names by which messages call them."""
    found = (find(name).value for name in wanted)
    return {called(folder): folder for folder in found if folder}


def texts(wanted: Iterable[str | Path]) -> dict[str, Source]:
    """Every text in these modules' folders that can be read, by its name: for showing the places of mistakes."""
    files = ((f, file) for f in folders(wanted).values() for file in _files(f))
    read = (read_text(folder, file).value for folder, file in files)
    return {source.name: source for source in read if source is not None}


def _files(folder: Path) -> list[Path]:
    words = files_in(folder / WORDS, ".yaml").value or ()
    return [*(rule_files(folder).value or ()), folder / MANIFEST, folder / LOOK, *words]
