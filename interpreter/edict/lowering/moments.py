"""Moments: what happens besides, for whom, in which order, how often."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edict.backend import core
from edict.backend.core import Cell, Expr, Procedure, Var
from edict.language import tree as t
from edict.lowering import menus
from edict.lowering.blocks import lowers
from edict.lowering.context import EVERYONE, YOU, Context
from edict.lowering.hiding import by_abilities
from edict.lowering.menus import carry_out
from edict.lowering.quantities import holds, unused
from edict.lowering.values import value
from edict.meaning.calls import calls
from edict.meaning.link import AttachedAbility
from edict.meaning.symbols import brought
from edict.program import opcodes as o


@contextmanager
def each_player(c: Context, among: Expr, order: Expr, rebind: bool = True) -> Iterator[Var]:
    """A loop over players in an order; inside, the player is `you` if `rebind`."""
    among = c.once(among)
    before = c.let(YOU) if rebind else None
    with c.line(order, among) as member:
        if rebind:
            c.add(core.Store(o.YOU, None, member, event=False, cause=c.cause))
        yield member
    if before is not None:
        c.add(core.Store(o.YOU, None, before, event=False, cause=c.cause))


def seat_order(c: Context) -> Cell:
    """The order of players that the game keeps."""
    return Cell(c.layout.keeps[c.symbol(c.linked.game.order).name].base)


@lowers(t.Trigger)
def _trigger(c: Context, trigger: t.Trigger) -> None:
    args = [c.let(value(c, a)) for a in trigger.args]
    raise_moment(c, c.symbol(trigger.moment).name, "", *args)


def raise_moment(c: Context, name: str, edge: str, *args: Expr) -> None:
    """Everything that happens then: first what belongs to nobody, then each player's own in their order."""
    held = c.linked.whens.get((name, edge), ())
    if not held:
        return
    definition = c.resolved.get(name)
    procedure = c.procedure(
        ("moment", name, edge), len(args), lambda c2, p: _write_moment(c2, p, definition, held),
        (name, definition.title or name, definition.span),
    )  # fmt: skip
    procedure.lends = True
    c.call(procedure, *args)


def _belongs_to_nobody(c: Context, held: AttachedAbility) -> bool:
    """Whether it happens once and not for each player: its thing works, or not, without regard to `you`."""
    return held.ability not in calls(c.resolved).owned


def _write_moment(c: Context, p: Procedure, definition: t.Definition, held: tuple[AttachedAbility, ...]) -> None:
    for param, var in zip(brought(c.resolved, definition), p.params, strict=True):
        c.bind(param, var)
    for one in held:
        if _belongs_to_nobody(c, one):
            by_abilities(c, [one])
            _once(c, one)
    owned = [one for one in held if not _belongs_to_nobody(c, one)]
    if owned:
        with each_player(c, EVERYONE, seat_order(c)):
            by_abilities(c, owned)
            menus.Menu(c, owned, definition).write()


def _once(c: Context, held: AttachedAbility) -> None:
    with c.because_of(held), c.block() as skip:
        c.unless(holds(c, held), skip)
        c.unless(unused(c, held.ability), skip)
        carry_out(c, held, accepted=False)
