"""Rules and scenes in a module's folder that are not read, because a file or folder has another name than it should;
files in which there are none, and a module that lies in itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST, WITH, Module, called, shown_name
from edict.compiler.sources.input_limits import MOST_FILES, MOST_NAMES
from edict.compiler.sources.module_lookup import catalogue, folder_here, modules_here, required_by
from edict.support.report import Diagnostic, find_nearest, suggest_word
from edict.support.text import Span

RULES, YAML, SCENES, TEMPLATE = ".edict", ".yaml", "scenes", "template"
DEEPEST = 3  # folders below the module's own that are looked into
COPIES = (".bak", ".old", ".orig", ".rej", ".save", ".swp", ".tmp", "~")  # what editors and tools leave behind
Parts = tuple[str, ...]


def unread(modules: Iterable[Module]) -> Iterator[Diagnostic]:
    """A warning for each file of these modules that looks like rules or scenes and is not read, or holds no rules."""
    known = tuple(modules)
    for module in known:
        yield from _without_rules(module)
        yield from _in_itself(module)
        yield from islice(_in_module(module, {one.name for one in known}), MOST_FILES)


def _in_module(module: Module, played: set[str]) -> Iterator[Diagnostic]:
    for parts, names in _walk(module.folder):
        ending = _read_here(parts)
        for name in names:
            found = _misnamed(name, ending) if ending else ""
            if found:
                note = f"Only files that end in `{ending}` are read here."
                yield _warning(module, (*parts, name), "is not read", note, f"rename it to `{found}`")
            elif name.endswith(RULES) and ending != RULES:
                yield _warning(module, (*parts, name), "is not read", _WHERE_RULES, _moved(module, parts))
        scenes = [name for name in names if _before(name.casefold(), YAML)]
        if scenes and _like_scenes(parts):
            first, lie = (*parts, scenes[0]), f"Scenes are read from the folder `{SCENES}` only."
            yield _warning(module, first, "is not read", lie, f"move the scenes into `{SCENES}`")
        if ending == RULES and parts and any(name.endswith(RULES) for name in names):
            yield from _for_nobody(module, parts, names, played)


_WHERE_RULES = f"Rules are read from the module's own folder, and from `{WITH}/NAME` if the module NAME is played too."


def _read_here(parts: Parts) -> str:
    """The ending of the files that are read in a folder of a module."""
    if not parts or (len(parts) == 2 and parts[0] == WITH):
        return RULES
    return YAML if parts == (SCENES,) else ""


def _misnamed(name: str, ending: str) -> str:
    """What a file should be called whose ending is nearly the one that is read; nothing, for all others."""
    low = name.casefold()
    if name.endswith(ending) or low.startswith(".") or low.endswith(COPIES):
        return ""
    before, within, _ = low.partition(f"{ending}.")  # as in `rules.edict.txt`
    if not within:
        before = _before(low, ending)
    return name[: len(before)] + ending if before else ""


def _before(name: str, ending: str) -> str:
    """What stands before the ending of a file's name, if that is this ending or nearly so; else nothing."""
    before, dot, rest = name.rpartition(".")
    return before if dot and (dot + rest == ending or find_nearest(dot + rest, [ending])) else ""


def _moved(module: Module, parts: Parts) -> str:
    near = abs(len(parts[0]) - len(WITH)) < 2 and suggest_word(parts[0].casefold(), [WITH])
    if near and parts[0] != WITH:
        return f"rename the folder `{parts[0]}` to `{WITH}`"
    return f"move it into `{called(module.folder)}`" + (f", or into `{WITH}/NAME`" if parts == (WITH,) else "")


def _like_scenes(parts: Parts) -> bool:
    """Whether a folder's scenes were surely meant to be read: in a folder of a like name, or in one within it."""
    if len(parts) != 1:
        return parts[:1] == (SCENES,)
    near = abs(len(parts[0]) - len(SCENES)) < 2 and suggest_word(parts[0].casefold(), [SCENES])
    return bool(near) and parts[0] != SCENES


def _for_nobody(module: Module, parts: Parts, names: list[str], played: set[str]) -> Iterator[Diagnostic]:
    """Rules that count only beside a module that is nowhere."""
    _, name = parts
    if name in played or required_by(module, name) or folder_here(name):
        return
    first = next(one for one in names if one.endswith(RULES))
    near = suggest_word(name, sorted({*catalogue(), *(one.name for one in modules_here()), *played}))
    yield _warning(
        module,
        (*parts, first),
        f"belongs to a module `{name}`, which was not found",
        f"What is in `{WITH}/{name}` is read only when a module `{name}` is played too.",
        near or f"rename the folder, or check both together with `--with path/to/{name}`",
    )


def _without_rules(module: Module) -> Iterator[Diagnostic]:
    """Rule files with nothing in them, or comments only; with these alone in its one file a new module begins."""
    for source in module.sources:
        lines = [line.strip() for line in source.text.splitlines() if line.strip()]
        if all(line.startswith("#") for line in lines) and not (lines and len(module.sources) == 1):
            how = "has only comments" if lines else "is empty"
            yield Diagnostic(
                "E0199",
                f"`{source.name}` {how}",
                Span(source.name, 1, 1, 1, 1),
                severity="warning",
                help="write rules into it, or delete it",
            )


def _in_itself(module: Module) -> Iterator[Diagnostic]:
    """A module in a folder of the same name within it, as when a folder is copied into itself; seen from either."""
    folder, outer = module.folder.resolve(), module.folder.resolve().parent
    name = called(folder)
    inner = next((one for one in dict.fromkeys((name, module.name)) if _is_module(folder / one)), "")
    if inner or (outer.name == folder.name and _is_module(outer)):
        where = f"{name}/{inner}" if inner else name
        title = (
            f"`{where}` is a module in a folder of the same name, and is not read with it"
            if inner
            else (f"`{where}` lies in a module of the same name, which is not read with it")
        )
        yield Diagnostic(
            "E0147",
            title,
            Span(f"{where}/{MANIFEST}", 1, 1, 1, 1),
            severity="warning",
            note=f"Whether `{inner or name}` means the one or the other depends on the folder a command is called in.",
            help="keep one of the two: move the files you want into the outer folder, and delete the inner one",
        )


def _is_module(folder: Path) -> bool:
    try:
        return not folder.is_symlink() and (folder / MANIFEST).is_file()
    except OSError:  # a folder that may not be looked into
        return False


# --- looking ------------------------------------------------------------------------------------


def _walk(folder: Path, parts: Parts = ()) -> Iterator[tuple[Parts, list[str]]]:
    """The folders of a module with the names of their files: no links, nothing hidden, no template, no other module."""
    entries = _entries(folder.joinpath(*parts))
    yield parts, sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    if len(parts) < DEEPEST:
        for name in sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False)):
            another = name.startswith((".", "__")) or (folder.joinpath(*parts) / name / MANIFEST).exists()
            if not another and (*parts, name) != (TEMPLATE,):
                yield from _walk(folder, (*parts, name))


def _entries(place: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            return list(islice(entries, MOST_NAMES))
    except OSError:  # a folder that may not be looked into: whoever reads rules from it says so
        return []


def _warning(module: Module, parts: Parts, how: str, note: str, help: str) -> Diagnostic:
    name = "/".join((called(module.folder), *map(shown_name, parts)))
    return Diagnostic("E0164", f"`{name}` {how}", Span(name, 1, 1, 1, 1), note=note, help=help, severity="warning")
