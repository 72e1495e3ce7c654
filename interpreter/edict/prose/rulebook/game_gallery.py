"""The gallery of games, modules and scenarios, each with a picture and the constructs of the language it shows.

All of it follows from the rules themselves, so the user's own rules appear beside those that ship with the package.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from edict.compiler.pipeline.pipeline import parse_modules
from edict.compiler.sources.appearance import combine_looks
from edict.compiler.sources.folders import Module, read_module
from edict.compiler.sources.installed_rules import list_installed_rules
from edict.compiler.sources.module_lookup import find_required_module, list_recipes, list_shipped_modules
from edict.compiler.sources.own_rules import list_own_rules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import iter_rows_of_node
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.covers import draw_cover
from edict.support.morphology import format_range

MAX_CONSTRUCTS = 4  # constructs listed for an entry
GAMES, VARIANTS, RECIPES, OWN = "Games", "Variants", "Recipes", "Your own"
GROUPS = (GAMES, VARIANTS, RECIPES, OWN)
_RULE = re.compile(r"^[ \t]*[^#\s]", re.MULTILINE)
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """An entry of the gallery."""

    name: str
    title: str
    group: str  # one of GROUPS
    kind: str  # game, module or scenario
    sentence: str
    players: str  # such as `2 to 5`
    over: tuple[str, ...]  # names of what a variant builds on
    lines: int  # lines of rules without comments and blank lines
    shows: tuple[str, ...]  # names of reference entries, rarest first
    folder: Path
    picture: str  # SVG


@dataclass(frozen=True, slots=True)
class _ReadModule:
    """A module, the nodes of its own rules, and the names of the reference entries they use."""

    module: Module
    nodes: tuple[t.Node, ...]
    shows: frozenset[str]


def build_gallery(extra_folders: Iterable[Path] = ()) -> tuple[GalleryEntry, ...]:
    """Return the entries of the package and of the user's own rules, including the folders `more`.

    Unreadable rules are left out.
    """
    shipped_entries, common = _read_shipped_entries()
    own = {folder.resolve(): folder for folder in (*list_own_rules(), *list_installed_rules(), *extra_folders)}
    return (*shipped_entries, *(_build_entry(OWN, rules, common) for rules in _read_folders(own.values())))


def build_shipped_gallery() -> tuple[GalleryEntry, ...]:
    """Return the entries of the package alone."""
    return _read_shipped_entries()[0]


@cache
def _read_shipped_entries() -> tuple[tuple[GalleryEntry, ...], Mapping[str, int]]:
    """Return the shipped entries, and how many of them use each construct that fewer than half use."""
    modules = [*_read_folders(list_shipped_modules()), *_read_folders(list_recipes())]
    counts = Counter(name for module in modules for name in module.shows)
    common = {name: count for name, count in counts.items() if 2 * count < len(modules)}
    entries = [_build_entry(_group_of(module), module, common) for module in modules]
    return tuple(module for group in GROUPS for module in entries if module.group == group), common


def _group_of(module: _ReadModule) -> str:
    """Return the gallery group of a module: recipes by folder, else games or variants by its manifest."""
    if module.module.folder in list_recipes():
        return RECIPES
    return GAMES if module.module.manifest.kind == "game" else VARIANTS


def _read_folders(folders: Iterable[Path]) -> Iterator[_ReadModule]:
    """Yield a read module for each folder whose manifest and rules parse; skip the others."""
    for folder in folders:
        module = read_module(folder).value
        pages = None if module is None else parse_modules((module,)).value
        if module is not None and pages is not None:
            definitions = (definition for _, written in pages for page in written for definition in page.definitions)
            nodes = tuple(node for definition in definitions for node in walk(definition))
            yield _ReadModule(module, nodes, frozenset(row.name for node in nodes for row in iter_rows_of_node(node)))


def _build_entry(group: str, read_module_: _ReadModule, usage: Mapping[str, int]) -> GalleryEntry:
    """Build a gallery entry with the module's rarest constructs by `usage`, and a cover in its combined look."""
    manifest = read_module_.module.manifest
    required_folders = [
        folder for name in manifest.requires if (folder := find_required_module(read_module_.module, name)) is not None
    ]
    base_modules = [module for folder in required_folders if (module := read_module(folder).value) is not None]
    rarest = sorted(read_module_.shows & usage.keys(), key=lambda name: (usage[name], name))[:MAX_CONSTRUCTS]
    return GalleryEntry(
        manifest.name,
        manifest.title,
        group,
        manifest.kind,
        _first_sentence(manifest.summary or manifest.purpose),
        _format_players(read_module_.nodes),
        manifest.requires,
        sum(map(_count_rule_lines, _iter_sources(read_module_.module))),
        tuple(rarest),
        read_module_.module.folder,
        draw_cover(manifest.title, read_module_.nodes, combine_looks([*base_modules, read_module_.module])),
    )


def _iter_sources(module: Module) -> Iterator[str]:
    """Yield the text of each source of a module, then of its rules that only apply beside certain other modules."""
    yield from (source.text for source in module.sources)
    yield from (source.text for extra_sources in module.beside.values() for source in extra_sources)


def _count_rule_lines(text: str) -> int:
    return len(_RULE.findall(text))


def _first_sentence(text: str) -> str:
    """Return the first sentence of a text, or the whole text if no sentence end is found."""
    match = _SENTENCE.match(text)
    return match[0] if match else text


def _format_players(nodes: Sequence[t.Node]) -> str:
    """Return the player range of the first `players` node, such as `2 to 4`; an empty text without one."""
    players = next((node for node in nodes if isinstance(node, t.Players)), None)
    return "" if players is None else format_range(players.low, players.high)
