"""The local names that are known at a place: parameters, what was chosen or named before, what is gone through."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from edict.language import tree as t
from edict.language.expecting import Place
from edict.language.roles import Role, having, roles_of
from edict.language.walking import parts
from edict.service.understood import Understood


def locals_at(place: Place, known: Understood) -> Iterator[tuple[str, str]]:
    """Each name, and what it stands for in a word or two; the nearest first."""
    found: dict[str, str] = {}
    steps = list(pairwise((*place.around, place.name)))
    for outer, inner in reversed(steps):
        for name, what in (*_beside(outer, inner), *_of(outer, inner, known)):
            found.setdefault(name, what)
    yield from found.items()


def _beside(outer: t.Node, inner: t.Node) -> Iterator[tuple[str, str]]:
    """What was named before, in the same block or in an earlier part of the node."""
    for _, value in parts(outer):
        inside = any(one is inner for one in _each(value))
        for one in _each(value):
            if one is inner:
                return
            if isinstance(one, t.Node):
                yield from ((name.word, _what(one)) for name in having(one, Role.BINDS))
        if inside:
            return


def _of(outer: t.Node, inner: t.Node, known: Understood) -> Iterator[tuple[str, str]]:
    """What the node itself gives to what stands in it."""
    field = next((name for name, value in parts(outer) if any(one is inner for one in _each(value))), "")
    yield from ((name.word, _what(outer)) for name in having(outer, Role.BINDS_BELOW))
    if Role.PER_MEMBER in roles_of(type(outer), field):
        yield "it", "each of them"
    if isinstance(outer, t.Each) and outer.name is None and outer.kind.word != "player":
        yield outer.kind.word, outer.kind.word
    if isinstance(outer, t.Kind):
        yield outer.name.word, outer.name.word
    if isinstance(outer, t.Ability):
        for about in having(outer, Role.ABOUT):
            there = known.definitions.get(about.word)
            for one in (*getattr(there, "params", ()), getattr(there, "payment", None)):
                if one is not None:
                    yield one.name.word, _what(one)


def _each(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _what(node: t.Node) -> str:
    """What is named: of a parameter or choice its kind."""
    kind = getattr(node, "kind", None)
    return kind.word if isinstance(kind, t.Name) else type(node).__name__.lower()
