"""`repeat until` something that nothing in the block can ever change, or nothing if players decline what it offers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from operator import is_
from typing import Any

from edict.checks.registry import Checks, Rules, offering
from edict.language import tree as t
from edict.language.roles import Role, having
from edict.language.walking import parts, walk
from edict.meaning.block_steps import leaving
from edict.meaning.effects import Effects, effects, own_effects
from edict.meaning.symbols import Resolved
from edict.report import Diagnostic, Label

checks = Checks()


@checks.at(t.Loop)
def endless(rules: Rules, loop: t.Loop) -> Iterator[Diagnostic]:
    """Certain: no way out of the loop changes what its condition reads, and none ends the game; or none that a player
    could not decline each time."""
    for until in having(loop, Role.AWAITED):
        yield from _endless(rules.resolved, until, loop.block)


@checks.at(t.Definition)
def nothing_to_leave(rules: Rules, owner: t.Definition) -> Iterator[Diagnostic]:
    for leave in leaving(owner):
        yield Diagnostic(
            "E0198", "there is no loop here to leave", leave.span,
            note="`leave loop` ends the `each` or `repeat` it stands in.",
            help="put it into a loop; to leave out the rest of a block, write it under an `if`",
        )  # fmt: skip


def _endless(resolved: Resolved, until: t.Expr, block: t.Block) -> Iterator[Diagnostic]:
    if _in_vain(resolved, until, block):
        yield Diagnostic(
            "E0511", "nothing in this loop can change what it waits for", until.span,
            labels=(Label(block[0].span, "the loop begins"),),
            help="change in the loop what `until` asks about, or use `repeat ... times`",
        )  # fmt: skip
        return
    offer = next((one for one in walk(block) if offering(type(one))), None)
    if offer is not None and _in_vain(resolved, until, _declined(block)):
        yield Diagnostic(
            "E0559", "whoever declines each time keeps this loop going forever", until.span, severity="warning",
            labels=(Label(offer.span, "this offer can be declined"),),
            help="write `otherwise` below the offer, and under it `leave loop`, or what brings the end nearer",
        )  # fmt: skip


def _declined(value: Any) -> Any:
    """The same rules where every offer is declined; what holds no offer is the very same."""
    if isinstance(value, tuple):
        some = (
            _declined(tuple(having(one, Role.INSTEAD))) if offering(type(one)) else (_declined(one),) for one in value
        )
        steps = tuple(chain.from_iterable(some))
        return value if len(steps) == len(value) and all(map(is_, steps, value)) else steps
    if not isinstance(value, t.Node):
        return value
    inner = {name: _declined(one) for name, one in parts(value)}
    changed = {name: one for name, one in inner.items() if one is not getattr(value, name)}
    return replace(value, **changed) if changed else value


def _in_vain(resolved: Resolved, until: t.Expr, block: t.Block) -> bool:
    if any(leave for one in block for leave in leaving(one)):
        return False
    awaited = effects(resolved, until).reads
    return not any(done.ends or awaited & done.changes for done in _done(resolved, block))


def _done(resolved: Resolved, block: t.Block) -> Iterator[Effects]:
    """What the loop does: first that which stands in it, which is enough for most, and then all it calls."""
    yield own_effects(resolved, *block)
    yield effects(resolved, *block)
