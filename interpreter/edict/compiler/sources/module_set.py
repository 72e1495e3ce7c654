"""Sets of modules that are played together, gathered with all they require and sorted."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from edict.compiler.sources.folders import Manifest, Module, read_manifest, read_module
from edict.compiler.sources.input_limits import MOST_MODULES
from edict.compiler.sources.module_lookup import (
    find_module,
    find_required_module,
    list_shipped_modules,
    load_catalogue,
    load_module,
    read_texts,
)
from edict.compiler.sources.version_requirements import is_satisfied
from edict.runtime.program import digest
from edict.support.morphology import join_words
from edict.support.report import Diagnostic, Label, Outcome, suggest_word
from edict.support.text import NOWHERE, Span

Modules = tuple[Module, ...]

# --- gathering ---------------------------------------------------------------------------------


def gather_modules(game: str | Path, modules: Sequence[str | Path] = ()) -> Outcome[tuple[Module, ...]]:
    """Return a game and its modules with all that they require, each after those it is laid over.

    Names or paths are as in `find_module`. Conflicts, cycles and a missing or second game are reported.
    """
    loaded: dict[str, Module] = {}
    diagnostics: list[Diagnostic] = []
    for request in dict.fromkeys(str(item) if not isinstance(item, Path) else item for item in (game, *modules)):
        outcome = load_module(request)
        diagnostics += outcome.diagnostics
        if outcome.value is not None:
            diagnostics += _add_module(outcome.value, loaded)
    asked_names = tuple(loaded)
    if not diagnostics:
        diagnostics += _load_required_modules(loaded)
    if not diagnostics:
        diagnostics += _find_unfit_versions(loaded, asked_names)
    diagnostics = diagnostics or [d for check in _CHECKS for d in check(loaded)]
    result = (
        ()
        if diagnostics
        else tuple(with_conditional_files(module, loaded) for module in sort_modules(tuple(loaded.values())))
    )
    return Outcome(None if diagnostics else result, tuple(diagnostics))


def with_conditional_files(module: Module, played_names: Container[str]) -> Module:
    """Return a module extended by its files in `with/NAME/` for each NAME that is played."""
    extra = [source for name in sorted(module.beside) if name in played_names for source in module.beside[name]]
    return replace(module, sources=(*module.sources, *extra))


def _add_module(module: Module, loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """Add a module to those loaded, and yield a diagnostic if another one has its name or its folder's name."""
    same = [m for m in loaded.values() if m.folder.resolve() == module.folder.resolve()]
    other = loaded.get(module.name) or next(
        (m for m in loaded.values() if _folder_name(m) == _folder_name(module)), None
    )
    if other is not None and not same:
        fault = f"are both called `{module.name}`" if other.name == module.name else "are in folders with the same name"
        yield Diagnostic(
            "E0155",
            f"`{other.folder}` and `{module.folder}` {fault}",
            module.manifest.span,
            help="use one of them, or rename one",
        )
    loaded.setdefault(module.name, module)


def _folder_name(module: Module) -> str:
    return module.folder.resolve().name


def _load_required_modules(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """Load required modules and what they require in turn, and yield the problems."""
    pending = list(loaded.values())
    while pending:
        module = pending.pop(0)
        for name in module.manifest.requires:
            if name in loaded:
                continue
            if len(loaded) >= MOST_MODULES:
                yield _too_many_modules(module, name)
                return
            folder = find_required_module(module, name)
            if folder is None:
                yield _missing_module(module, name)
                continue
            outcome = read_module(folder)
            yield from outcome.diagnostics
            if outcome.value is not None:
                loaded[name] = outcome.value
                pending.append(outcome.value)


def _too_many_modules(module: Module, name: str) -> Diagnostic:
    """Return the error at `requires` of a module when loading `name` would exceed MOST_MODULES."""
    return Diagnostic(
        "E0707",
        f"with `{name}`, which `{module.name}` requires, there are too many modules",
        module.manifest.span_of("requires", name),
        note=f"Up to {MOST_MODULES} modules can be played together.",
        help="require fewer modules, or merge several into one",
    )


def _missing_module(module: Module, name: str) -> Diagnostic:
    """Return the error at `requires` of a module for a required module that is not found."""
    return Diagnostic(
        "E0156",
        f"`{module.name}` requires `{name}`, which was not found",
        module.manifest.span_of("requires", name),
        help=suggest_word(name, load_catalogue()) or f"also name the folder of `{name}`, with `--with PATH`",
    )


def _find_unfit_versions(loaded: dict[str, Module], asked_names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each module whose version does not satisfy one that requires it.

    Args:
        loaded: The modules, by name.
        asked_names: Those that were asked for; the others are loaded because a module requires them.
    """
    for module in loaded.values():
        for name, versions in module.manifest.versions.items():
            present = loaded[name].manifest
            if is_satisfied(present.version, versions):
                continue
            yield Diagnostic(
                "E0186",
                f"`{module.name}` requires `{name}` {versions}, but version {present.version} was found",
                module.manifest.span_of("requires", name),
                note=" ".join(_explain_requirement(module, name, loaded, asked_names)),
                labels=(Label(present.places.get(("version",), present.span), f"the version of `{name}`"),),
                help=f"use a version of `{name}` that fits, or change what `{module.name}` requires",
            )


def _explain_requirement(
    module: Module, name: str, loaded: dict[str, Module], asked_names: Sequence[str]
) -> Iterator[str]:
    """Yield sentences about a requirement: the chain that led to it, who else requires the same, and odd versions."""
    chain = _find_chain(module.name, loaded, asked_names)
    if len(chain) > 1:
        yield f"`{chain[0]}` requires " + ", which requires ".join(f"`{link}`" for link in (*chain[1:], name)) + "."
    others = [other for other in loaded.values() if other is not module and name in other.manifest.versions]
    if others:
        demands = [f"`{other.name}` requires {other.manifest.versions[name]}" for other in others]
        yield f"Of the same module, {join_words(demands)}."
    version = loaded[name].manifest.version
    if is_satisfied(version, "") is None:
        yield f"{version} cannot be compared: it is not a version such as 1.2.0 or 1.2.0b1."


def _find_chain(name: str, loaded: dict[str, Module], asked_names: Sequence[str]) -> list[str]:
    """Return the shortest chain of modules, each required by the one before, from one asked for to `name`."""
    chains = [[asked_name] for asked_name in asked_names]
    for chain in chains:  # the list grows, so chains come in order of length
        if chain[-1] == name:
            return chain
        visited = {visited_name for other_chain in chains for visited_name in other_chain}
        chains += [[*chain, needed] for needed in loaded[chain[-1]].manifest.requires if needed not in visited]
    return [name]


def _find_conflicts(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each loaded module that the `conflicts` of another loaded one names."""
    for module in loaded.values():
        for name in module.manifest.conflicts:
            if name in loaded:
                yield Diagnostic(
                    "E0157",
                    f"`{module.name}` and `{name}` cannot be played together",
                    module.manifest.span_of("conflicts", name),
                    help="use only one of them",
                )


def _find_cycle(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for one cycle of modules that are each laid over the next."""
    layers_below = compute_layers_below(loaded.values())
    start = next((name for name in sorted(loaded) if name in layers_below[name]), None)
    if start is None:
        return
    cycle = _shortest_cycle(start, loaded)
    places = [
        _relation_span(loaded[module_name], next_name)
        for module_name, next_name in zip(cycle, [*cycle[1:], start], strict=True)
    ]
    steps = ", ".join(
        f"`{module_name}` {_describe_relation(loaded[module_name], next_name)} `{next_name}`"
        for module_name, next_name in zip(cycle, [*cycle[1:], start], strict=True)
    )
    yield Diagnostic(
        "E0158",
        f"`{start}` builds on itself",
        places[0],
        note=f"The circle: {steps}.",
        labels=tuple(Label(place, "and this leads back") for place in places[1:]),
        help="delete one of these names, so that one module comes first",
    )


def _shortest_cycle(first: str, loaded: dict[str, Module]) -> list[str]:
    """Return the shortest path from a module through those it is laid over back to itself."""
    paths = [[first]]
    for path in paths:  # the list grows, so paths come in order of length
        for name in sorted(_list_below(loaded[path[-1]], loaded)):
            if name == first:
                return path
            if not any(name in other_path for other_path in paths):
                paths.append([*path, name])
    return [first]


def _list_below(module: Module, loaded: dict[str, Module]) -> set[str]:
    """Return the names of loaded modules that a module is laid over: `requires`, `over` and its `with/NAME/`."""
    return {*module.manifest.requires, *module.manifest.over, *module.beside} & loaded.keys()


def _describe_relation(module: Module, other: str) -> str:
    return "requires" if other in module.manifest.requires else "builds on"


def _relation_span(module: Module, other: str) -> Span:
    """Return the place where a module's manifest names a module that it is laid over."""
    key = "requires" if other in module.manifest.requires else "over"
    return module.manifest.span_of(key, other) if other in getattr(module.manifest, key) else module.manifest.span


def _check_single_game(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """Yield a diagnostic if the loaded modules include no game or several."""
    games = sorted((m for m in loaded.values() if m.manifest.kind == "game"), key=lambda m: m.name)
    if len(games) > 1:
        names = " and ".join(f"`{m.name}`" for m in games)
        yield Diagnostic(
            "E0159",
            f"{names} are both games",
            games[1].manifest.span,
            help="play one of them; rules that change a game have `kind: module`",
        )
    if not games:
        first = next(iter(loaded.values())).manifest
        yield Diagnostic(
            "E0160",
            f"`{first.name}` is a {first.kind}, but no game is named",
            first.span,
            help="name the game too, or add `requires: [name-of-the-game]` to the manifest",
        )


def _check_single_scenario(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """Yield a diagnostic if more than one loaded module is a scenario."""
    scenarios = sorted((m for m in loaded.values() if m.manifest.kind == "scenario"), key=lambda m: m.name)
    if len(scenarios) > 1:
        names = " and ".join(f"`{m.name}`" for m in scenarios)
        yield Diagnostic(
            "E0161",
            f"{names} are all scenarios, but a game has at most one",
            scenarios[1].manifest.span,
            labels=(Label(scenarios[0].manifest.span, "the other one"),),
            help="play with one of them",
        )


def _check_renames(loaded: dict[str, Module]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each new name in a manifest's `renamed` that occurs nowhere (as name, title or label)."""
    if not any(module.manifest.renamed for module in loaded.values()):
        return
    used_names = {word for module in loaded.values() for word in iter_names(module)}
    for module in loaded.values():
        for old, new in module.manifest.renamed:
            if new not in used_names:
                yield Diagnostic(
                    "E0189",
                    f"`{old}` was renamed `{new}`, but nothing has that name",
                    module.manifest.places.get(("renamed", old), module.manifest.span),
                    help=suggest_word(new, sorted(used_names)) or "write its current name, or delete the line",
                )


def find_misspelt_modules(modules: Modules) -> Iterator[Diagnostic]:
    """Yield a warning for each absent module in `over` or `conflicts` with a name similar to a shipped one."""
    names = {module.name for module in modules}
    for module in modules:
        for key in ("over", "conflicts"):
            for name in getattr(module.manifest, key):
                is_absent = name not in names and find_required_module(module, name) is None
                suggestion = suggest_word(name, load_catalogue()) if is_absent else ""
                if suggestion:
                    yield Diagnostic(
                        "E0156",
                        f"no module named `{name}`",
                        module.manifest.span_of(key, name),
                        severity="warning",
                        help=suggestion,
                    )


def iter_names(module: Module) -> Iterator[str]:
    """Yield every name, and every text written as a name, in the files of a module, including conditional files."""
    for source in (*module.sources, *(file for files in module.beside.values() for file in files)):
        yield from _find_names(source.text)


@lru_cache(maxsize=256)
def _find_names(text: str) -> frozenset[str]:
    """Return the names in a text (cached, since an edit changes one file of many)."""
    return frozenset("-".join(_ALPHANUMERIC.findall(name.casefold())) for name in _NAME_OR_TEXT.findall(text))


_NAME_OR_TEXT = re.compile(r'"[^"\n]*"|[\w-]+')
_ALPHANUMERIC = re.compile(r"[^\W_]+")
_CHECKS: tuple[Callable[[dict[str, Module]], Iterator[Diagnostic]], ...] = (
    _find_conflicts,
    _find_cycle,
    _check_single_game,
    _check_single_scenario,
    _check_renames,
)


def compute_layers_below(modules: Iterable[Module]) -> dict[str, frozenset[str]]:
    """Return, for each module, all modules that it is laid over.

    These are named directly or through others; every module is laid over the game.
    """
    listed_modules = list(modules)
    games = {module.name for module in listed_modules if module.manifest.kind == "game"}
    direct = {
        module.name: {
            *module.manifest.over,
            *module.manifest.requires,
            *module.beside,
            *(set() if module.name in games else games),
        }
        for module in listed_modules
    }
    return {name: _find_reachable(name, direct) for name in direct}


def _find_reachable(name: str, direct: dict[str, set[str]]) -> frozenset[str]:
    """Return all names that lead from `name` by one or more steps in `direct`; itself only if in a cycle."""
    reachable: set[str] = set()
    pending = set(direct[name])
    while pending:
        current = pending.pop()
        if current in direct and current not in reachable:
            reachable.add(current)
            pending |= direct[current]
    return frozenset(reachable)


def sort_modules(modules: Sequence[Module]) -> tuple[Module, ...]:
    """Return the modules sorted so that each comes after those it is laid over, and otherwise by name."""
    layers_below, remaining = compute_layers_below(modules), {module.name: module for module in modules}
    ordered: list[Module] = []
    while remaining:
        ready = [name for name in sorted(remaining) if not layers_below[name] & remaining.keys() - {name}]
        ordered.append(remaining.pop(ready[0] if ready else min(remaining)))
    return tuple(ordered)


def hash_rules(modules: Modules) -> str:
    """Return a digest of these rules, equal for equal files whatever their folder is called."""
    texts = [
        f"{module.name}/{source.name.partition('/')[2]}\n{source.text}"
        for module in modules
        for source in module.sources
    ]
    manifests = [f"{module.name}\n{replace(module.manifest, span=NOWHERE, places={})}" for module in modules]
    newer_fields = [  # added only if set, so that digests of rules without these newer fields stay the same
        f"{module.name}\n{value}"
        for module in modules
        for value in (
            module.manifest.renamed,
            module.manifest.purpose,
            module.manifest.sheet,
            module.manifest.book,
            module.manifest.language,
            [passage.with_module for passage in module.manifest.book if passage.with_module],
        )
        if value
    ]
    return digest("\0".join((*sorted(texts), *manifests, *newer_fields)))


__all__ = [
    "Manifest",
    "Module",
    "Modules",
    "compute_layers_below",
    "load_catalogue",
    "find_module",
    "gather_modules",
    "sort_modules",
    "with_conditional_files",
    "load_module",
    "iter_names",
    "read_manifest",
    "hash_rules",
    "list_shipped_modules",
    "read_texts",
]
