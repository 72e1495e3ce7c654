"""`repeat until` something that nothing in the block can ever change."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.language.roles import Role, having
from edict.meaning.calls import owners
from edict.meaning.effects import Effects, effects, own_effects
from edict.meaning.symbols import Resolved
from edict.language.walking import walk
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


def endless(typed: Typed) -> Iterator[Diagnostic]:
    """Certain: no way out of the loop changes what its condition reads, and none ends the game."""
    resolved = typed.resolved
    for owner in owners(resolved):
        for node in walk(owner):
            for until in having(node, Role.AWAITED):
                if isinstance(node, t.Loop) and _in_vain(resolved, until, node.block):
                    yield Diagnostic(
                        "E0511", "nothing in this loop can change what it waits for", until.span,
                        labels=(Label(node.block[0].span, "the loop begins"),),
                        help="change in the loop what `until` asks about, or use `repeat ... times`",
                    )  # fmt: skip


def _in_vain(resolved: Resolved, until: t.Expr, block: t.Block) -> bool:
    awaited = effects(resolved, until).reads
    return not any(done.ends or awaited & done.changes for done in _done(resolved, block))


def _done(resolved: Resolved, block: t.Block) -> Iterator[Effects]:
    """What the loop does: first that which stands in it, which is enough for most, and then all it calls."""
    yield own_effects(resolved, *block)
    yield effects(resolved, *block)
