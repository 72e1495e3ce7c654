"""Warnings about files of a module that are not read or have no effect.

Rules and scenes in files or folders with the wrong name, rule files without rules, and a module inside itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST, WITH, Module, decode_name, display_name
from edict.compiler.sources.input_limits import MOST_FILES, MOST_NAMES
from edict.compiler.sources.module_lookup import (
    find_required_module,
    get_folder_here,
    iter_modules_here,
    load_catalogue,
)
from edict.support.report import Diagnostic, find_nearest, suggest_word
from edict.support.text import Span

RULES, YAML, SCENES, TEMPLATE = ".edict", ".yaml", "scenes", "template"
DEEPEST = 3  # levels of folders below the module that are searched
BACKUP_SUFFIXES = (".bak", ".old", ".orig", ".rej", ".save", ".swp", ".tmp", "~")  # left behind by editors and tools
Parts = tuple[str, ...]


def find_ignored_files(modules: Iterable[Module]) -> Iterator[Diagnostic]:
    """Yield a warning for each file of these modules that looks like rules or scenes but is not read, or has no rules.

    A module that lies in a folder of its own name inside itself is reported, too.
    """
    listed_modules = tuple(modules)
    for module in listed_modules:
        yield from _find_empty_files(module)
        yield from _find_nested_module(module)
        yield from islice(_find_misplaced_files(module, {other.name for other in listed_modules}), MOST_FILES)


def _find_misplaced_files(module: Module, played: set[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each file of a module that is not read because of its ending or its folder."""
    for parts, names in _walk(module.folder):
        ending = _ending_read_in(parts)
        for name in names:
            right_name = _correct_name(name, ending) if ending else ""
            if right_name:
                note = f"Only files that end in `{ending}` are read here."
                yield _warning(module, (*parts, name), "is not read", note, f"rename it to `{right_name}`")
            elif name.endswith(RULES) and ending != RULES:
                yield _warning(module, (*parts, name), "is not read", _WHERE_RULES, _describe_move(module, parts))
        scenes = [name for name in names if _stem_before_ending(name.casefold(), YAML)]
        if scenes and _is_likely_scene_folder(parts):
            path, reason = (*parts, scenes[0]), f"Scenes are read from the folder `{SCENES}` only."
            yield _warning(module, path, "is not read", reason, f"move the scenes into `{SCENES}`")
        if ending == RULES and parts and any(name.endswith(RULES) for name in names):
            yield from _find_absent_targets(module, parts, names, played)


_WHERE_RULES = f"Rules are read from the module's own folder, and from `{WITH}/NAME` if the module NAME is played too."


def _ending_read_in(parts: Parts) -> str:
    """Return the ending of the files that are read in a folder of a module, or ""."""
    if not parts or (len(parts) == 2 and parts[0] == WITH):
        return RULES
    return YAML if parts == (SCENES,) else ""


def _correct_name(name: str, ending: str) -> str:
    """Return the right name for a file whose ending is almost the one that is read, else ""."""
    lowered = name.casefold()
    if name.endswith(ending) or lowered.startswith(".") or lowered.endswith(BACKUP_SUFFIXES):
        return ""
    stem, matched, _ = lowered.partition(f"{ending}.")  # as in `rules.edict.txt`
    if not matched:
        stem = _stem_before_ending(lowered, ending)
    return name[: len(stem)] + ending if stem else ""


def _stem_before_ending(name: str, ending: str) -> str:
    """Return a file's name without its ending if that is `ending` or similar, else ""."""
    stem, dot, suffix = name.rpartition(".")
    if dot and (dot + suffix == ending or find_nearest(dot + suffix, [ending])):
        return stem
    return ""


def _describe_move(module: Module, parts: Parts) -> str:
    """Return the remedy for a rule file in a folder that is not read: rename the folder to `with`, or move the file."""
    is_similar = abs(len(parts[0]) - len(WITH)) < 2 and suggest_word(parts[0].casefold(), [WITH])
    if is_similar and parts[0] != WITH:
        return f"rename the folder `{parts[0]}` to `{WITH}`"
    return f"move it into `{display_name(module.folder)}`" + (f", or into `{WITH}/NAME`" if parts == (WITH,) else "")


def _is_likely_scene_folder(parts: Parts) -> bool:
    """Return True for a folder named almost `scenes`, and for one inside `scenes`."""
    if len(parts) != 1:
        return parts[:1] == (SCENES,)
    similar = abs(len(parts[0]) - len(SCENES)) < 2 and suggest_word(parts[0].casefold(), [SCENES])
    return bool(similar) and parts[0] != SCENES


def _find_absent_targets(module: Module, parts: Parts, names: list[str], played: set[str]) -> Iterator[Diagnostic]:
    """Yield a warning for rules in `with/NAME` if no module NAME is found."""
    _, name = parts
    if name in played or find_required_module(module, name) or get_folder_here(name):
        return
    rule_file = next(other for other in names if other.endswith(RULES))
    similar = suggest_word(name, sorted({*load_catalogue(), *(other.name for other in iter_modules_here()), *played}))
    yield _warning(
        module,
        (*parts, rule_file),
        f"belongs to a module `{name}`, which was not found",
        f"What is in `{WITH}/{name}` is read only when a module `{name}` is played too.",
        similar or f"rename the folder, or check both together with `--with path/to/{name}`",
    )


def _find_empty_files(module: Module) -> Iterator[Diagnostic]:
    """Yield a warning for rule files that are empty or have only comments.

    A single file with only comments is fine: so a new module begins.
    """
    for source in module.sources:
        lines = [line.strip() for line in source.text.splitlines() if line.strip()]
        if all(line.startswith("#") for line in lines) and not (lines and len(module.sources) == 1):
            fault = "has only comments" if lines else "is empty"
            yield Diagnostic(
                "E0199",
                f"`{source.name}` {fault}",
                Span(source.name, 1, 1, 1, 1),
                severity="warning",
                help="write rules into it, or delete it",
            )


def _find_nested_module(module: Module) -> Iterator[Diagnostic]:
    """Yield a warning for a module within or around one of the same name, as after a copy of a folder into itself."""
    folder, outer = module.folder.resolve(), module.folder.resolve().parent
    name = display_name(folder)
    inner = next((candidate for candidate in dict.fromkeys((name, module.name)) if _is_module(folder / candidate)), "")
    if inner or (outer.name == folder.name and _is_module(outer)):
        where = f"{name}/{inner}" if inner else name
        if inner:
            title = f"`{where}` is a module in a folder of the same name, and is not read with it"
        else:
            title = f"`{where}` is inside a module of the same name, and is not read with it"
        yield Diagnostic(
            "E0147",
            title,
            Span(f"{where}/{MANIFEST}", 1, 1, 1, 1),
            severity="warning",
            note=f"Which one `{inner or name}` means depends on the current folder.",
            help="keep one of the two: move the files you want into the outer folder, and delete the inner one",
        )


def _is_module(folder: Path) -> bool:
    """Return True for a folder with a manifest that is no symbolic link; False if it cannot be read."""
    try:
        return not folder.is_symlink() and (folder / MANIFEST).is_file()
    except OSError:  # a folder without read permission
        return False


# --- search -------------------------------------------------------------------------------------


def _walk(folder: Path, parts: Parts = ()) -> Iterator[tuple[Parts, list[str]]]:
    """Yield the folders of a module with their file names, without links, hidden files, templates or other modules."""
    entries = _list_entries(folder.joinpath(*parts))
    yield parts, sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    if len(parts) < DEEPEST:
        for name in sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False)):
            is_excluded = name.startswith((".", "__")) or (folder.joinpath(*parts) / name / MANIFEST).exists()
            if not is_excluded and (*parts, name) != (TEMPLATE,):
                yield from _walk(folder, (*parts, name))


def _list_entries(place: Path) -> list[os.DirEntry[str]]:
    """Return at most MOST_NAMES entries of a folder; none if it cannot be read."""
    try:
        with os.scandir(place) as entries:
            return list(islice(entries, MOST_NAMES))
    except OSError:  # a folder without read permission, which is reported where rules are read
        return []


def _warning(module: Module, parts: Parts, how: str, note: str, help: str) -> Diagnostic:
    """Return the warning E0164 for the file at `parts` below the module's folder; `how` completes its title."""
    name = "/".join((display_name(module.folder), *map(decode_name, parts)))
    return Diagnostic("E0164", f"`{name}` {how}", Span(name, 1, 1, 1, 1), note=note, help=help, severity="warning")
