"""Gathering the modules that are played together, each over what it changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from edict.compiler.sources.folders import Manifest, Module, read_manifest, read_module
from edict.compiler.sources.input_limits import MOST_MODULES
from edict.compiler.sources.module_lookup import catalogue, find, load, required_by, shipped, texts
from edict.runtime.program import digest
from edict.support.report import Diagnostic, Label, Outcome, suggest_word
from edict.support.text import NOWHERE, Span

Modules = tuple[Module, ...]

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
    together = () if found else tuple(joined(module, loaded) for module in in_order(tuple(loaded.values())))
    return Outcome(None if found else together, tuple(found))


def joined(module: Module, played: Container[str]) -> Module:
    """A module with those of its files that count because another module is played too, by their names."""
    more = [source for name in sorted(module.beside) if name in played for source in module.beside[name]]
    return replace(module, sources=(*module.sources, *more))


def _joined(module: Module, loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """Take a module in, unless another one has its name, or its folder's name, which shows in every message."""
    same = [m for m in loaded.values() if m.folder.resolve() == module.folder.resolve()]
    other = loaded.get(module.name) or next((m for m in loaded.values() if _shown(m) == _shown(module)), None)
    if other is not None and not same:
        what = f"are both called `{module.name}`" if other.name == module.name else "lie in folders of the same name"
        yield Diagnostic(
            "E0155",
            f"`{other.folder}` and `{module.folder}` {what}",
            module.manifest.span,
            help="use one of them, or rename one",
        )
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
            if len(loaded) >= MOST_MODULES:
                yield _too_many(module, name)
                return
            there = required_by(module, name)
            if there is None:
                yield _lacking(module, name)
                continue
            outcome = read_module(there)
            yield from outcome.diagnostics
            if outcome.value is not None:
                loaded[name] = outcome.value
                waiting.append(outcome.value)


def _too_many(module: Module, name: str) -> Diagnostic:
    return Diagnostic(
        "E0707",
        f"with `{name}`, which `{module.name}` requires, there are too many modules",
        module.manifest.place("requires", name),
        note=f"Up to {MOST_MODULES} modules can be played together.",
        help="require fewer modules, or put several into one",
    )


def _lacking(module: Module, name: str) -> Diagnostic:
    return Diagnostic(
        "E0156",
        f"`{module.name}` requires `{name}`, which is not here",
        module.manifest.place("requires", name),
        help=suggest_word(name, catalogue()) or f"name the folder of `{name}` as a module too",
    )


def _conflicts(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    for module in loaded.values():
        for name in module.manifest.conflicts:
            if name in loaded:
                yield Diagnostic(
                    "E0157",
                    f"`{module.name}` and `{name}` cannot be played together",
                    module.manifest.place("conflicts", name),
                    help="leave one of them out",
                )


def _cycles(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """One circle of modules that are each laid over the next."""
    under = above(loaded.values())
    first = next((name for name in sorted(loaded) if name in under[name]), None)
    if first is None:
        return
    circle = _circle(first, loaded)
    places = [_said_of(loaded[one], other) for one, other in zip(circle, [*circle[1:], first], strict=True)]
    says = ", ".join(
        f"`{one}` {_verb(loaded[one], other)} `{other}`"
        for one, other in zip(circle, [*circle[1:], first], strict=True)
    )
    yield Diagnostic(
        "E0158",
        f"`{first}` is laid over itself",
        places[0],
        note=f"It goes round in a circle: {says}.",
        labels=tuple(Label(place, "and this leads back") for place in places[1:]),
        help="delete one of these names, so that one module comes first",
    )


def _circle(first: str, loaded: dict[str, Module]) -> list[str]:
    """The shortest way from a module through those it is laid over back to itself."""
    paths = [[first]]
    for path in paths:  # grows: each path is followed by those that are longer by one
        for name in sorted(_below(loaded[path[-1]], loaded)):
            if name == first:
                return path
            if not any(name in known for known in paths):
                paths.append([*path, name])
    return [first]


def _below(module: Module, loaded: dict[str, Module]) -> set[str]:
    return {*module.manifest.requires, *module.manifest.over, *module.beside} & loaded.keys()


def _verb(module: Module, other: str) -> str:
    return "requires" if other in module.manifest.requires else "is over"


def _said_of(module: Module, other: str) -> Span:
    """Where the manifest of a module names another one that it is laid over."""
    key = "requires" if other in module.manifest.requires else "over"
    return module.manifest.place(key, other) if other in getattr(module.manifest, key) else module.manifest.span


def _one_game(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    games = sorted((m for m in loaded.values() if m.manifest.kind == "game"), key=lambda m: m.name)
    if len(games) > 1:
        names = " and ".join(f"`{m.name}`" for m in games)
        yield Diagnostic(
            "E0159",
            f"{names} are both games",
            games[1].manifest.span,
            help="play one of them; rules that are laid over a game have `kind: module`",
        )
    if not games:
        first = next(iter(loaded.values())).manifest
        yield Diagnostic(
            "E0160",
            f"`{first.name}` is a {first.kind}, and no game to lay it over is named",
            first.span,
            help="name the game too, or let the manifest say `requires: [name-of-the-game]`",
        )


def _one_scenario(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    scenarios = sorted((m for m in loaded.values() if m.manifest.kind == "scenario"), key=lambda m: m.name)
    if len(scenarios) > 1:
        names = " and ".join(f"`{m.name}`" for m in scenarios)
        yield Diagnostic(
            "E0161",
            f"{names} are all scenarios, and a game has one at most",
            scenarios[1].manifest.span,
            labels=(Label(scenarios[0].manifest.span, "the other one"),),
            help="play with one of them",
        )


def _renames(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """What is said to be called otherwise now must be written somewhere: as a name, or as a title or label."""
    if not any(module.manifest.renamed for module in loaded.values()):
        return
    written = {word for module in loaded.values() for word in names_in(module)}
    for module in loaded.values():
        for old, new in module.manifest.renamed:
            if new not in written:
                yield Diagnostic(
                    "E0189",
                    f"`{old}` was renamed `{new}`, but nothing has that name",
                    module.manifest.places.get(("renamed", old), module.manifest.span),
                    help=suggest_word(new, sorted(written)) or "write the name it has now, or delete the line",
                )


def misspelt(modules: Modules) -> Iterator[Diagnostic]:
    """What a module may lie over, or not be played with, need not be here; but then it is not nearly called so."""
    names = {module.name for module in modules}
    for module in modules:
        for key in ("over", "conflicts"):
            for name in getattr(module.manifest, key):
                absent = name not in names and required_by(module, name) is None
                near = suggest_word(name, catalogue()) if absent else ""
                if near:
                    yield Diagnostic(
                        "E0156",
                        f"no module is named `{name}`",
                        module.manifest.place(key, name),
                        severity="warning",
                        help=near,
                    )


def names_in(module: Module) -> Iterator[str]:
    """Every name in the files of a module, those beside other modules among them, and every text as a name."""
    for source in (*module.sources, *(one for files in module.beside.values() for one in files)):
        yield from _names_of(source.text)


@lru_cache(maxsize=256)
def _names_of(text: str) -> frozenset[str]:
    """The names in a text; whoever types changes one of many."""
    return frozenset("-".join(_PLAIN.findall(name.casefold())) for name in _NAMES.findall(text))


_NAMES = re.compile(r'"[^"\n]*"|[\w-]+')
_PLAIN = re.compile(r"[^\W_]+")
_CHECKS: tuple[Callable[[dict[str, Module]], Iterator[Diagnostic]], ...] = (
    _conflicts,
    _cycles,
    _one_game,
    _one_scenario,
    _renames,
)


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


def rules_hash(modules: Modules) -> str:
    """A name for exactly these rules: equal for equal files, whatever they are called by."""
    texts = [f"{m.name}/{s.name.partition('/')[2]}\n{s.text}" for m in modules for s in m.sources]
    manifests = [f"{m.name}\n{replace(m.manifest, span=NOWHERE, places={})}" for m in modules]
    later = [  # what manifests of earlier versions had no place for, so that the names of their rules stay as they were
        f"{m.name}\n{value}"
        for m in modules
        for value in (m.manifest.renamed, m.manifest.purpose, m.manifest.sheet, m.manifest.book, m.manifest.language)
        if value
    ]
    return digest("\0".join((*sorted(texts), *manifests, *later)))


__all__ = [
    "Manifest",
    "Module",
    "Modules",
    "above",
    "catalogue",
    "find",
    "gather",
    "in_order",
    "joined",
    "load",
    "names_in",
    "read_manifest",
    "rules_hash",
    "shipped",
    "texts",
]
