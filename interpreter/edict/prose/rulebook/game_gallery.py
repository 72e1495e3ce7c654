"""The gallery: what there is to play and to read, with a picture, and what each shows of the language.

All of it follows from the rules themselves, so the user's own stand beside those that come with the package.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from edict.compiler.pipeline.pipeline import parse_all
from edict.compiler.sources.appearance import look_of
from edict.compiler.sources.folders import Module, read_module
from edict.compiler.sources.module_lookup import recipes, required_by, shipped
from edict.compiler.sources.own_rules import own_rules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import rows_shown
from edict.compiler.syntax.walking import walk
from edict.prose.rulebook.covers import cover
from edict.support.morphology import format_range

MOST_SHOWN = 4
GAMES, VARIANTS, RECIPES, OWN = "Games", "Variants", "Recipes", "Your own"
GROUPS = (GAMES, VARIANTS, RECIPES, OWN)
_RULE = re.compile(r"^[ \t]*[^#\s]", re.MULTILINE)
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """What is shown of some rules.

    group: one of `GROUPS`. kind: game, module or scenario. players: as `2 to 5`. over: what a variant is laid over, by
    name. lines: of rules, without comments and empty ones. shows: names of entries of the reference, the rarest first.
    picture: SVG.
    """

    name: str
    title: str
    group: str
    kind: str
    sentence: str
    players: str
    over: tuple[str, ...]
    lines: int
    shows: tuple[str, ...]
    folder: Path
    picture: str


@dataclass(frozen=True, slots=True)
class _Read:
    """A module, the nodes of its own rules, and the names of all entries of the reference that these show."""

    module: Module
    nodes: tuple[t.Node, ...]
    shows: frozenset[str]


def gallery(more: Iterable[Path] = ()) -> tuple[GalleryEntry, ...]:
    """What comes with the package and the user's own, `more` folders among them, group by group; what cannot be read
    is left out."""
    ships, common = _shipped()
    own = {folder.resolve(): folder for folder in (*own_rules(), *more)}
    return (*ships, *(_exhibit(OWN, one, common) for one in _read(own.values())))


def shipped_gallery() -> tuple[GalleryEntry, ...]:
    """What comes with the package alone."""
    return _shipped()[0]


@cache
def _shipped() -> tuple[tuple[GalleryEntry, ...], Mapping[str, int]]:
    """What ships, and in how many of it each entry of the reference is used: of those that not nearly all use."""
    ships = [*_read(shipped()), *_read(recipes())]
    used = Counter(name for one in ships for name in one.shows)
    common = {name: many for name, many in used.items() if 2 * many < len(ships)}
    every = [_exhibit(_group(one), one, common) for one in ships]
    return tuple(one for group in GROUPS for one in every if one.group == group), common


def _group(one: _Read) -> str:
    if one.module.folder in recipes():
        return RECIPES
    return GAMES if one.module.manifest.kind == "game" else VARIANTS


def _read(folders: Iterable[Path]) -> Iterator[_Read]:
    for folder in folders:
        module = read_module(folder).value
        pages = None if module is None else parse_all((module,)).value
        if module is not None and pages is not None:
            definitions = (one for _, some in pages for page in some for one in page.definitions)
            nodes = tuple(node for one in definitions for node in walk(one))
            yield _Read(module, nodes, frozenset(row.name for node in nodes for row in rows_shown(node)))


def _exhibit(group: str, one: _Read, common: Mapping[str, int]) -> GalleryEntry:
    manifest = one.module.manifest
    needed = [folder for name in manifest.requires if (folder := required_by(one.module, name)) is not None]
    beneath = [module for folder in needed if (module := read_module(folder).value) is not None]
    rarest = sorted(one.shows & common.keys(), key=lambda name: (common[name], name))[:MOST_SHOWN]
    return GalleryEntry(
        manifest.name,
        manifest.title,
        group,
        manifest.kind,
        _sentence(manifest.summary or manifest.purpose),
        _players(one.nodes),
        manifest.requires,
        sum(map(_lines, _sources(one.module))),
        tuple(rarest),
        one.module.folder,
        cover(manifest.title, one.nodes, look_of([*beneath, one.module])),
    )


def _sources(module: Module) -> Iterator[str]:
    yield from (source.text for source in module.sources)
    yield from (source.text for some in module.beside.values() for source in some)


def _lines(text: str) -> int:
    return len(_RULE.findall(text))


def _sentence(text: str) -> str:
    """The first sentence of a text."""
    found = _SENTENCE.match(text)
    return found[0] if found else text


def _players(nodes: Sequence[t.Node]) -> str:
    found = next((node for node in nodes if isinstance(node, t.Players)), None)
    return "" if found is None else format_range(found.low, found.high)
