"""Secrets said aloud: an announcement is read by everyone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from edict.language import tree as t
from edict.meaning.calls import owners, within
from edict.meaning.secrets import behind, hiding, is_secret_choice, spoken_of, spread
from edict.language.roles import Role, having
from edict.meaning.symbols import Local, Meaning, Resolved, place_of
from edict.language.walking import walk
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


def secrets_said(typed: Typed) -> Iterator[Diagnostic]:
    """Displays show each player what they may see; announcements cannot, so what they say must be revealed."""
    resolved = typed.resolved
    said = [
        (owner, expr)
        for owner in owners(resolved)
        for node in walk(owner)
        for expr in having(node, Role.SAID)
        if isinstance(expr, t.Expr)
    ]
    if not said:
        return
    shown = cache(lambda owner: _shown(resolved, owner))
    told = spread(resolved, shown)
    for owner, expr in said:
        for name in (one for one in hiding(resolved, walk(expr)) if isinstance(one, t.Name)):
            secrets = behind(spoken_of(resolved, name), told)
            secrets = secrets - shown(owner) if secrets else secrets  # what is shown takes a while to find
            if secrets:
                yield _said(name, min(secrets, key=lambda one: one.name))


def counted_secrets(typed: Typed) -> Iterator[Diagnostic]:
    """Only what holds several things can be counted."""
    for keep in (one for one in typed.resolved.book.definitions.values() if isinstance(one, t.Keep)):
        if keep.counted and keep.type.shape not in ("set", "bag"):
            yield Diagnostic(
                "E0558", f"`{keep.name.word}` holds a single value, so there is nothing to count"
                if keep.type.shape not in ("order", "dice") else f"`{keep.name.word}` cannot be counted",
                keep.type.span, help="write `secret` alone, or keep a set or a bag",
            )  # fmt: skip


def _shown(resolved: Resolved, owner: t.Definition) -> frozenset[Meaning]:
    """What the rule, or one it calls, shows to everyone; what was drawn or chosen there is no secret then either."""
    found: set[Meaning] = set()
    for node in within(resolved, [owner]):
        if isinstance(node, t.Show) and isinstance(node.to, t.Name) and node.to.word == "everyone":
            meaning = place_of(resolved, node.place)
            found |= {meaning} if meaning is not None else set()
    if found:
        found |= {resolved.binds[node] for node in walk(owner) if is_secret_choice(resolved, node)}
    return frozenset(found)


def _said(name: t.Name, secret: Meaning) -> Diagnostic:
    definition = None if isinstance(secret, Local) else secret.definition
    span = secret.span if isinstance(secret, Local) else definition.span if definition else name.span
    made_of = "" if secret.name == name.word else f", made of `{secret.name}`,"
    return Diagnostic(
        "E0512", f"`{name.word}`{made_of} is a secret, and an announcement is read by everyone", name.span,
        severity="warning", labels=(Label(span, "it is secret here"),),
        help=f"write `reveal {secret.name}` first, or leave it out",
    )  # fmt: skip
