"""Finding modules by name or path, and gathering those that are played together, each over what it changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from edict import resources
from edict.front.folders import MANIFEST, Manifest, Module, read_manifest, read_module, read_text
from edict.report import Diagnostic, Label, Outcome, did_you_mean, listed
from edict.text import Source

# --- finding -----------------------------------------------------------------------------------


def shipped() -> list[Path]:
    """The folders of all modules that come with the package."""
    home = resources.home()
    parents = [child for name in ("modules", "examples") for child in _children(home / name)]
    return [folder for folder in (home / "rules", *parents) if (folder / MANIFEST).is_file()]


def _children(folder: Path) -> list[Path]:
    return sorted(child for child in folder.iterdir() if child.is_dir()) if folder.is_dir() else []


def catalogue() -> dict[str, tuple[Path, Manifest]]:
    """What comes with the package, by name; a module that cannot be read is left out."""
    read = ((folder, read_manifest(folder).value) for folder in shipped())
    return {manifest.name: (folder, manifest) for folder, manifest in read if manifest is not None}


def find(name_or_path: str | Path) -> Outcome[Path]:
    """The folder of a module: a path to it, or the name of one that comes with the package."""
    text = str(name_or_path)
    if not text or "\0" in text:
        nameless = Diagnostic("E0150", "no rules are named", help="name a game, or the folder of its rules")
        return Outcome(None, (nameless,))
    if isinstance(name_or_path, Path) or _looks_like_path(text):
        return _folder(Path(text))
    folders = sorted(shipped(), key=lambda folder: folder.name != text)  # the likely one first
    named = next((folder for folder in folders if _is_called(text, folder)), None)
    broken = folders[0] if folders and folders[0].name == text else None
    return Outcome(named or broken) if named or broken else _unknown(text, catalogue())


def _is_called(name: str, folder: Path) -> bool:
    manifest = read_manifest(folder).value
    return manifest is not None and manifest.name == name


def _looks_like_path(text: str) -> bool:
    return text.startswith((".", "~")) or "/" in text or os.sep in text


def _folder(folder: Path) -> Outcome[Path]:
    missing = "is no folder"
    try:
        at = folder.expanduser()
        at = at.parent if at.name == MANIFEST else at
        if (at / MANIFEST).is_file():
            return Outcome(at)
        missing = f"has no `{MANIFEST}`" if at.is_dir() else missing
    except (OSError, RuntimeError):  # too long, not allowed, or the home of nobody
        pass
    return Outcome(None, (Diagnostic(
        "E0151", f"`{folder}` {missing}",
        note=f"Rules are a folder with a `{MANIFEST}` and files that end in `.edict`.",
        help="check the path, or name a game that comes with the package",
    ),))  # fmt: skip


def _unknown(name: str, known: Iterable[str]) -> Outcome[Any]:
    names = sorted(known)
    remedy = did_you_mean(name, names) or f"there are {listed(names, 'and')}; a folder is named with its path"
    if len(name) < 100 and Path(name).is_dir():
        remedy = f"did you mean the folder `./{name}`?"
    return Outcome(None, (Diagnostic("E0150", f"no rules are called `{name}`", help=remedy),))


def load(name_or_path: str | Path) -> Outcome[Module]:
    """A module with all its rule files, in the order of their names."""
    return find(name_or_path).then(read_module)


def texts(wanted: Iterable[str | Path]) -> dict[str, Source]:
    """Every text in these modules' folders that can be read, by its name: for showing the places of mistakes."""
    folders = (find(name).value for name in wanted)
    read = (read_text(f, file).value for f in folders if f for file in sorted((*f.glob("*.edict"), f / MANIFEST)))
    return {source.name: source for source in read if source is not None}


# --- gathering ---------------------------------------------------------------------------------


def gather(game: str | Path, modules: Sequence[str | Path] = ()) -> Outcome[tuple[Module, ...]]:
    """The game and its modules with all they require, each after those it is laid over."""
    loaded: dict[str, Module] = {}
    found: list[Diagnostic] = []
    for wanted in dict.fromkeys(str(x) if not isinstance(x, Path) else x for x in (game, *modules)):
        outcome = load(wanted)
        found += outcome.diagnostics
        if outcome.value is not None:
            found += _joined(outcome.value, loaded)
    if not found:
        found += _require(loaded)
    found = found or [d for check in _CHECKS for d in check(loaded)]
    return Outcome(None if found else tuple(map(_together(loaded), in_order(tuple(loaded.values())))), tuple(found))


def _together(loaded: dict[str, Module]) -> Callable[[Module], Module]:
    """A module with those of its files that count because another module is played too."""

    def joined(module: Module) -> Module:
        more = [source for name in sorted(module.beside) if name in loaded for source in module.beside[name]]
        return replace(module, sources=(*module.sources, *more))

    return joined


def _joined(module: Module, loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """Take a module in, unless another one has its name, or its folder's name, which shows in every message."""
    same = [m for m in loaded.values() if m.folder.resolve() == module.folder.resolve()]
    other = loaded.get(module.name) or next((m for m in loaded.values() if _shown(m) == _shown(module)), None)
    if other is not None and not same:
        what = f"are both called `{module.name}`" if other.name == module.name else "lie in folders of the same name"
        yield Diagnostic(
            "E0155", f"`{other.folder}` and `{module.folder}` {what}", module.manifest.span,
            help="use one of them, or rename one",
        )  # fmt: skip
    loaded.setdefault(module.name, module)


def _shown(module: Module) -> str:
    return module.folder.resolve().name


def _require(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """Load what is required, and what that requires."""
    waiting = list(loaded.values())
    while waiting:
        module = waiting.pop(0)
        for name in module.manifest.requires:
            if name in loaded:
                continue
            there = find(name)
            if there.value is None:
                yield _lacking(module, name)
                continue
            outcome = read_module(there.value)
            yield from outcome.diagnostics
            if outcome.value is not None:
                loaded[name] = outcome.value
                waiting.append(outcome.value)


def _lacking(module: Module, name: str) -> Diagnostic:
    return Diagnostic(
        "E0156",
        f"`{module.name}` requires `{name}`, which is not here",
        module.manifest.place("requires", name),
        help=did_you_mean(name, catalogue()) or f"name the folder of `{name}` as a module too",
    )


def _conflicts(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    for module in loaded.values():
        for name in module.manifest.conflicts:
            if name in loaded:
                yield Diagnostic(
                    "E0157", f"`{module.name}` and `{name}` cannot be played together",
                    module.manifest.place("conflicts", name), help="leave one of them out",
                )  # fmt: skip


def _cycles(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    for name in sorted(loaded):
        if name in above(loaded.values())[name]:
            yield Diagnostic(
                "E0158", f"`{name}` is laid over itself", loaded[name].manifest.span,
                note="What `over` and `requires` say goes round in a circle.",
                help="delete one of the lines, so that one module comes first",
            )  # fmt: skip
            return


def _one_game(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    games = sorted((m for m in loaded.values() if m.manifest.kind == "game"), key=lambda m: m.name)
    if len(games) > 1:
        names = " and ".join(f"`{m.name}`" for m in games)
        yield Diagnostic(
            "E0159", f"{names} are both games", games[1].manifest.span,
            help="play one of them; rules that are laid over a game have `kind: module`",
        )  # fmt: skip
    if not games:
        first = next(iter(loaded.values())).manifest
        yield Diagnostic(
            "E0160", f"`{first.name}` is a {first.kind}, and no game to lay it over is named", first.span,
            help="name the game too, or let the manifest say `requires: [name-of-the-game]`",
        )  # fmt: skip


def _one_scenario(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    scenarios = sorted((m for m in loaded.values() if m.manifest.kind == "scenario"), key=lambda m: m.name)
    if len(scenarios) > 1:
        names = " and ".join(f"`{m.name}`" for m in scenarios)
        yield Diagnostic(
            "E0161", f"{names} are all scenarios, and a game has one at most", scenarios[1].manifest.span,
            labels=(Label(scenarios[0].manifest.span, "the other one"),), help="play with one of them",
        )  # fmt: skip


_CHECKS: tuple[Callable[[dict[str, Module]], Iterator[Diagnostic]], ...] = (
    _conflicts, _cycles, _one_game, _one_scenario,
)  # fmt: skip


def above(modules: Iterable[Module]) -> dict[str, frozenset[str]]:
    """For each module, all those it is laid over: directly, through others, and every module over the game."""
    all_ = list(modules)
    games = {m.name for m in all_ if m.manifest.kind == "game"}
    direct = {
        m.name: {*m.manifest.over, *m.manifest.requires, *m.beside, *(set() if m.name in games else games)}
        for m in all_
    }
    return {name: _reach(name, direct) for name in direct}


def _reach(name: str, direct: dict[str, set[str]]) -> frozenset[str]:
    reached: set[str] = set()
    waiting = set(direct[name])
    while waiting:
        one = waiting.pop()
        if one in direct and one not in reached:
            reached.add(one)
            waiting |= direct[one]
    return frozenset(reached)


def in_order(modules: Sequence[Module]) -> tuple[Module, ...]:
    """Each module after those it is laid over; where that leaves it open, by name."""
    under, left = above(modules), {m.name: m for m in modules}
    ordered: list[Module] = []
    while left:
        free = [name for name in sorted(left) if not under[name] & left.keys() - {name}]
        ordered.append(left.pop(free[0] if free else min(left)))
    return tuple(ordered)


__all__ = [
    "Manifest", "Module", "above", "catalogue", "find", "gather", "in_order", "load", "read_manifest", "shipped",
    "texts",
]  # fmt: skip
