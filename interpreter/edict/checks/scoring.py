"""Winners who are not those with the highest score."""

from __future__ import annotations

from collections.abc import Iterator

from edict.checks.excluding import Key, Reader
from edict.language import tree as t
from edict.language.walking import walk
from edict.meaning.calls import is_you
from edict.meaning.symbols import Local, definition_of
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


def scoring(typed: Typed) -> Iterator[Diagnostic]:
    """Of quantities nothing is said: two may come to the same."""
    for game in typed.resolved.book.definitions.values():
        if not isinstance(game, t.Game) or not isinstance(game.winners, t.Best) or not _tells(typed, game.score):
            continue
        keys = game.winners.keys
        wanted = _about(typed, game.score)
        if all(_plain(typed, key) for _, key in keys) and ("most", wanted) not in [
            (most, _about(typed, key)) for most, key in keys
        ]:
            fewest = next((key for most, key in keys if most == "fewest" and _about(typed, key) == wanted), None)
            yield Diagnostic(
                "E0560", "the winners are not those with the highest score", (fewest or keys[0][1]).span,
                severity="warning", labels=(Label(game.score.span, "the score"),),
                help="let what wins count as the score" if fewest is None else
                "if the fewest win, write `score 0 - ...`, so that more is better",
            )  # fmt: skip


def _tells(typed: Typed, score: t.Expr) -> bool:
    """Whether it says something of a player; `score 0` does not."""
    return _plain(typed, score) and any(is_you(typed.resolved, node) for node in walk(score))


def _plain(typed: Typed, expr: t.Expr) -> bool:
    return not any(
        isinstance(definition_of(typed.resolved, node), t.Quantity) or isinstance(node, t.Binary | t.OfMembers)
        for node in walk(expr)
    )


def _about(typed: Typed, expr: t.Expr) -> Key:
    """What it asks, of whomever: of `you` or of `it`."""
    return tuple(_word(typed, node) for node in walk(expr))


def _word(typed: Typed, node: t.Node) -> Key:
    local = isinstance(node, t.Name) and isinstance(typed.resolved.meaning.get(node), Local)
    if local or is_you(typed.resolved, node):
        return ("member",)
    return Reader(typed.resolved).key(node) if isinstance(node, t.Name | t.Number) else (type(node).__name__,)
