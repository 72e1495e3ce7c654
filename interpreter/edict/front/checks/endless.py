"""`repeat until` something that nothing in the block can ever change."""

from __future__ import annotations

from collections.abc import Iterator

from edict.front import tree as t
from edict.front.checks.reach import within
from edict.front.symbols import Local, Meaning, Resolved, walk
from edict.front.types import Typed
from edict.report import Diagnostic, Label

COUNTED = ("resource", "group", "die")
MOVES = (t.Gain, t.Lose, t.Spend, t.Shift)
CHANGES = (t.Set, t.Add, t.Remove, t.Arrange, t.Shuffle, t.Roll, t.Reroll)


def endless(typed: Typed) -> Iterator[Diagnostic]:
    """Certain: no way out of the loop changes what its condition reads, and none ends the game."""
    resolved = typed.resolved
    for owner in (*resolved.book.definitions.values(), *resolved.book.standalone):
        for node in _loops(owner):
            assert node.until is not None
            done = within(resolved, node.block)
            if not any(isinstance(x, t.EndGame) for x in done) and not _changed(resolved, node.until, done):
                yield Diagnostic(
                    "E0511", "nothing in this loop can change what it waits for", node.until.span,
                    labels=(Label(node.block[0].span, "the loop begins"),),
                    help="change in the loop what `until` asks about, or use `repeat ... times`",
                )  # fmt: skip


def _loops(owner: t.Node) -> Iterator[t.Repeat]:
    yield from (n for n in walk(owner) if isinstance(n, t.Repeat) and n.until is not None)


def _changed(resolved: Resolved, until: t.Expr, done: set[t.Node]) -> bool:
    """Whether something done may change what the condition reads."""
    asked = within(resolved, [until])
    if any(_counts(resolved, n) for n in asked) and any(isinstance(n, MOVES) for n in done):
        return True
    if any(isinstance(n, t.During) for n in asked) and any(isinstance(n, t.Play) for n in done):
        return True
    read = {resolved.meaning[n] for n in asked if isinstance(n, t.Name) and n in resolved.meaning}
    return bool(_places(resolved, done) & {m for m in read if _changes(m)})


def _counts(resolved: Resolved, node: t.Node) -> bool:
    """Whether it asks how much of a resource somebody has; a local name may stand for a resource."""
    meaning = resolved.meaning.get(node.head) if isinstance(node, t.Apply) else None
    return isinstance(meaning, Local) or (meaning is not None and meaning.sort in COUNTED)


def _changes(meaning: Meaning) -> bool:
    return isinstance(meaning, Local) or meaning.sort == "keep"


def _places(resolved: Resolved, done: set[t.Node]) -> set[Meaning]:
    """The keeps and local names that are set."""
    found: set[Meaning] = set()
    for node in done:
        place = getattr(node, "place", None)
        if isinstance(node, CHANGES) and isinstance(place, t.Expr):
            head = place.head if isinstance(place, t.Apply) else place
            meaning = resolved.meaning.get(head) if isinstance(head, t.Name) else None
            if meaning is not None:
                found.add(meaning)
    return found
