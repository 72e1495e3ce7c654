"""Names that stand for something secret: what was drawn or chosen secretly, and all that was made of it."""

from __future__ import annotations

from collections.abc import Iterator

from edict.front import tree as t
from edict.front.symbols import Local, Meaning, Resolved, Symbol, walk


def secret_locals(resolved: Resolved) -> frozenset[Local]:
    """All such names of a book. Rather one too many than one too few: whoever asks is told less, not more."""
    flows = list(_flows(resolved))
    found = {
        resolved.binds[node]
        for node in resolved.binds
        if isinstance(node, t.Draw | t.Choose) and node.secretly
    }  # fmt: skip
    grown = True
    while grown:
        new = {local for local, sources in flows if local not in found and any(_tells(m, found) for m in sources)}
        found |= new
        grown = bool(new)
    return frozenset(found)


def _tells(meaning: Meaning | None, found: set[Local]) -> bool:
    """Whether a name in an expression stands for a secret."""
    if isinstance(meaning, Local):
        return meaning in found
    return meaning is not None and isinstance(meaning.definition, t.Keep) and meaning.definition.secret


def _flows(resolved: Resolved) -> Iterator[tuple[Local, list[Meaning | None]]]:
    """Each name with what its value is made of."""
    for owner in (*resolved.book.definitions.values(), *resolved.book.standalone):
        for node in walk(owner):
            if isinstance(node, t.Let):
                yield resolved.binds[node], _meanings(resolved, node.value)
            elif isinstance(node, t.Each) and node in resolved.binds:
                yield resolved.binds[node], _meanings(resolved, node.source)
            elif isinstance(node, t.Do | t.Trigger):
                yield from _arguments(resolved, node)


def _arguments(resolved: Resolved, node: t.Do | t.Trigger) -> Iterator[tuple[Local, list[Meaning | None]]]:
    target = resolved.meaning.get(node.name if isinstance(node, t.Do) else node.moment)
    definition = target.definition if isinstance(target, Symbol) else None
    if isinstance(definition, t.Routine | t.Moment):
        for param, arg in zip(definition.params, node.args, strict=False):
            yield resolved.binds[param], _meanings(resolved, arg)


def _meanings(resolved: Resolved, expr: t.Node | None) -> list[Meaning | None]:
    return [resolved.meaning.get(n) for n in walk(expr) if isinstance(n, t.Name)]
