"""What joins or leaves a keep: the rules that wait for it come while it is in there, after joining, before leaving."""

from __future__ import annotations

from collections.abc import Sequence

from edict.backend.composing import op
from edict.backend.core import Expr
from edict.language import tree as t
from edict.lowering.context import Context
from edict.lowering.moments import raise_moment
from edict.lowering.substituting import exceptions, passes
from edict.lowering.values import Place, value
from edict.meaning.edges import JOINING, LEAVING, PASSING
from edict.meaning.symbols import keep_of
from edict.program import opcodes as o


def change(c: Context, written: t.Expr, target: Place, code: int | None, by: Expr) -> None:
    """Set a place to a value; or, by the operation of this code, to what comes of its own and that."""
    keep = keep_of(c.resolved, written)
    awaited = [edge for edge in PASSING if keep is not None and (keep.name.word, edge) in c.linked.whens]
    if keep is not None and any(exceptions(c, keep.name.word, edge) for edge in PASSING):
        _change_what_may(c, keep, written, target, _made(target, code, by))
        return
    if keep is None or not awaited:
        target.write(c, _made(target, code, by))
        return
    by = c.once(by)
    given = [c.let(value(c, arg)) for arg in (written.args if isinstance(written, t.Apply) else ())]
    if LEAVING in awaited:
        _come(c, keep, LEAVING, given, op(o.ANDN, target.value, _made(target, code, by)))
    before = c.let(target.value)  # which those rules may have changed
    target.write(c, _made(target, code, by))
    if JOINING in awaited:
        _come(c, keep, JOINING, given, op(o.ANDN, target.value, before))


def _change_what_may(c: Context, keep: t.Keep, written: t.Expr, target: Place, made: Expr) -> None:
    """The same where something else may be done instead; what joins and leaves is settled before that."""
    made = c.let(made)
    given = [c.let(value(c, arg)) for arg in (written.args if isinstance(written, t.Apply) else ())]
    gone, come = c.once(op(o.ANDN, target.value, made)), c.once(op(o.ANDN, made, target.value))
    leaving = c.once(passes(c, keep, LEAVING, given, gone))
    if (keep.name.word, LEAVING) in c.linked.whens:
        _come(c, keep, LEAVING, given, leaving)
    target.write(c, op(o.ANDN, target.value, leaving))
    joining = c.once(passes(c, keep, JOINING, given, come))
    target.write(c, op(o.OR, target.value, joining))
    if (keep.name.word, JOINING) in c.linked.whens:
        _come(c, keep, JOINING, given, joining)


def _made(target: Place, code: int | None, by: Expr) -> Expr:
    return by if code is None else op(code, target.value, by)


def _come(c: Context, keep: t.Keep, edge: str, given: Sequence[Expr], among: Expr) -> None:
    with c.members(c.once(among)) as member:
        raise_moment(c, keep.name.word, edge, *given, member)
