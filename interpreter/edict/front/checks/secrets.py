"""Secrets said aloud: an announcement is read by everyone."""

from __future__ import annotations

from collections.abc import Iterator

from edict.front import tree as t
from edict.front.checks.reach import within
from edict.front.symbols import Local, Meaning, Resolved, Symbol, walk
from edict.front.types import Typed
from edict.report import Diagnostic, Label


def secrets_said(typed: Typed) -> Iterator[Diagnostic]:
    """Displays show each player what they may see; announcements cannot, so what they say must be revealed."""
    resolved = typed.resolved
    for owner in (*resolved.book.definitions.values(), *resolved.book.standalone):
        said = list(_secrets(resolved, owner))
        revealed = _revealed(resolved, owner) if said else set()
        yield from (_told(name, meaning) for name, meaning in said if meaning not in revealed)


def _secrets(resolved: Resolved, owner: t.Node) -> Iterator[tuple[t.Name, Meaning]]:
    """The secrets that the rule's announcements speak of."""
    announced = [node for node in walk(owner) if isinstance(node, t.Announce)]
    hidden = _hidden(resolved, owner) if announced else set()
    for name in (n for announce in announced for n in walk(announce) if isinstance(n, t.Name)):
        meaning = resolved.meaning.get(name)
        keep = meaning.definition if isinstance(meaning, Symbol) else None
        if meaning is not None and (meaning in hidden or (isinstance(keep, t.Keep) and keep.secret)):
            yield name, meaning


def _revealed(resolved: Resolved, owner: t.Node) -> set[Meaning]:
    """What the rule, or one it calls, shows to everyone; names of what was drawn then are no secret either."""
    found: set[Meaning] = set()
    for node in within(resolved, [owner]):
        if isinstance(node, t.Show) and isinstance(node.to, t.Name) and node.to.word == "everyone":
            head = node.place.head if isinstance(node.place, t.Apply) else node.place
            meaning = resolved.meaning.get(head) if isinstance(head, t.Name) else None
            if meaning is not None:
                found.add(meaning)
    return found | (_hidden(resolved, owner) if found else set())


def _hidden(resolved: Resolved, owner: t.Node) -> set[Meaning]:
    """Local names of what was drawn or chosen secretly."""
    return {
        resolved.binds[node]
        for node in walk(owner)
        if isinstance(node, t.Draw | t.Choose) and node.secretly and node in resolved.binds
    }


def _told(name: t.Name, meaning: Meaning) -> Diagnostic:
    span = meaning.span if isinstance(meaning, Local) else meaning.definition.span if meaning.definition else name.span
    return Diagnostic(
        "E0512", f"`{name.word}` is a secret, and an announcement is read by everyone", name.span, severity="warning",
        labels=(Label(span, "it is secret here"),), help=f"write `reveal {name.word}` first, or leave it out",
    )  # fmt: skip
