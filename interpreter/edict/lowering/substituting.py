"""What exceptions put in the place of steps: of those that gain or lose a resource, or what joins or leaves a set.

While one does what it does instead, it does not count again: the same step is then the plain one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from edict.backend import core
from edict.backend.composing import op
from edict.backend.core import Cell, Condition, Const, Expr, Label, Procedure
from edict.language import tree as t
from edict.lowering.blocks import block
from edict.lowering.context import NOTHING, YOU, Context
from edict.lowering.costs import has_floor
from edict.lowering.exceptions import Held, exception_of, one_counts
from edict.lowering.moments import raise_moment
from edict.lowering.quantities import holds
from edict.lowering.values import resource_place, singleton
from edict.meaning.edges import LOSING
from edict.meaning.link import AttachedAbility
from edict.meaning.symbols import brought
from edict.program import opcodes as o

Plain = Callable[[Context, Expr, Expr], None]
"""Gains or loses so much (the last) of a resource."""


def exceptions(c: Context, name: str, edge: str) -> Held:
    """Those to what is done to a keep or a resource."""
    return c.linked.exceptions.get((name, edge), ())


# --- gains and losses ------------------------------------------------------------------------------


def move(c: Context, edge: str, resource: Expr, by: Expr, plain: Plain) -> None:
    """Gain or lose so much, or do what is done instead, and what waits for that."""
    concerned = c.concerned.get(edge)
    if concerned is None:
        concerned = [n for n in range(len(c.linked.resources)) if _is_concerned(c, n, edge)]
        c.concerned[edge] = concerned
    if isinstance(resource, Const):
        concerned = [number for number in concerned if number == resource.value]
    if not concerned or c.paying:
        plain(c, resource, by)
        return
    resource, by = c.once(resource), c.once(by)
    with c.block() as end:
        for number in concerned:
            with _if_it_is(c, resource, number):
                much = _that_moves(c, edge, number, by)
                _instead(c, edge, number, much, end)
                if edge == LOSING:
                    _come(c, edge, number, much)
        plain(c, resource, by)
        for number in concerned if edge != LOSING else ():
            with _if_it_is(c, resource, number):
                _come(c, edge, number, by)


@contextmanager
def _if_it_is(c: Context, resource: Expr, number: int) -> Iterator[None]:
    """What is added inside is done if it is this resource."""
    with c.block() as other:
        if not isinstance(resource, Const):
            c.unless(core.Compare("=", resource, Const(number)), other)
        yield


def _that_moves(c: Context, edge: str, number: int, by: Expr) -> Expr:
    """What one does not have cannot be lost."""
    if edge != LOSING or not has_floor(c, number):
        return by
    return c.once(op(o.MIN, by, resource_place(c, number).value))


def _is_concerned(c: Context, number: int, edge: str) -> bool:
    name = c.linked.resources[number].name.word
    waiting = any((one.name.word, edge) in c.linked.whens for one in _called(c, number))
    return bool(exceptions(c, name, edge)) or waiting


def _called(c: Context, number: int) -> list[t.Definition]:
    """A resource, and the groups it belongs to."""
    resource = c.linked.resources[number]
    groups = (one for one in c.resolved.book.definitions.values() if isinstance(one, t.Group))
    return [resource, *(one for one in groups if number in c.linked.members(one.name.word))]


def _instead(c: Context, edge: str, number: int, by: Expr, end: Label) -> None:
    """Do what is done instead, if anything is, and go to the end."""
    resource = c.linked.resources[number]
    held, name = exceptions(c, resource.name.word, edge), resource.name.word
    if not held:
        return

    def body(c2: Context, p: Procedure) -> None:
        player = c2.let(YOU)
        for one in _called(c2, number):
            for param, given in zip(brought(c2.resolved, one), _given(one, number, player, p.params[0]), strict=False):
                c2.bind(param, given)
        _or_not(c2, p, held)

    _ask(c, c.procedure((edge, name), 1, body, (name, resource.title or name, resource.span)), (by,), end)


def _given(about: t.Definition, number: int, player: Expr, by: Expr) -> tuple[Expr, ...]:
    """Who moves it, which of a group it is, and how much."""
    return (player, Const(number), by) if isinstance(about, t.Group) else (player, by)


def _come(c: Context, edge: str, number: int, by: Expr) -> None:
    """What waits for it."""
    with c.block() as none:
        c.unless(core.Compare(">", by, NOTHING), none)
        for one in _called(c, number):
            raise_moment(c, one.name.word, edge, *_given(one, number, c.let(YOU), by))


# --- one of those that hold, once ------------------------------------------------------------------


def in_place(c: Context, held: Held, end: Label) -> None:
    """What the exception does that counts, and then it goes to `end`; it goes on if none holds."""

    def met(one: AttachedAbility) -> Condition:
        return core.All((core.Test(Cell(c.layout.replacing[one.ability]), empty=True), holds(c, one)))

    def instead(number: int) -> None:
        cell = c.layout.replacing[held[number].ability]
        _note(c, cell, 1)
        with c.decided():
            block(c, exception_of(held[number]).then)
        _note(c, cell, 0)

    one_counts(c, held, met, instead, end)


def _or_not(c: Context, p: Procedure, held: Held) -> None:
    """Do what is done instead; the result is whether anything is."""
    c.set(p.result, Const(1))
    with c.block() as done:
        in_place(c, held, done)
        c.set(p.result, NOTHING)


def _ask(c: Context, instead: Procedure, given: Sequence[Expr], done: Label) -> None:
    """Go there if something is done instead."""
    answer = c.declare()
    c.add(core.Call(instead, tuple(given), answer, c.perhaps, cause=c.cause))
    c.go(done, core.Test(answer))


def _note(c: Context, cell: int, now: int) -> None:
    c.add(core.Store(cell, None, Const(now), event=False, cause=c.cause))


# --- what joins and leaves ---------------------------------------------------------------------------


def passes(c: Context, keep: t.Keep, edge: str, given: Sequence[Expr], among: Expr) -> Expr:
    """Of what would join or leave, that for which nothing else is done instead."""
    held = exceptions(c, keep.name.word, edge)
    if not held:
        return among
    found, kind = c.let(among), c.layout.keeps[keep.name.word].type.kind
    with c.members(c.once(among)) as member, c.block() as passing:
        with c.block() as stays:
            _ask(c, _passing(c, keep, edge, held), (*given, member), stays)
            c.go(passing)
        c.set(found, op(o.ANDN, found, singleton(c, member, kind)))
    return found


def _passing(c: Context, keep: t.Keep, edge: str, held: Held) -> Procedure:
    """Whether something else was done instead. Where it is kept for a player, that player is `you`."""
    params, name = brought(c.resolved, keep), keep.name.word

    def body(c2: Context, p: Procedure) -> None:
        for param, var in zip(params, p.params, strict=True):
            c2.bind(param, var)
        owner = next((var for param, var in zip(params, p.params, strict=True) if param.kind.word == "player"), None)
        before = c2.let(YOU)
        if owner is not None:
            _turn(c2, owner)
        _or_not(c2, p, held)
        _turn(c2, before)

    return c.procedure((edge, name), len(params), body, (name, keep.title or name, keep.span))


def _turn(c: Context, player: Expr) -> None:
    c.add(core.Store(o.YOU, None, player, event=False, cause=c.cause))
