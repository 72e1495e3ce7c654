"""Blocks of steps, each sort of which registers here what it becomes; and what is carried out by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from edict.backend import core
from edict.backend.core import Cell, Expr, Label, Procedure, Var
from edict.language import tree as t
from edict.language.roles import Role, has
from edict.lowering.asks import Need, Scope
from edict.lowering.context import YOU, Context, rule_of
from edict.lowering.hiding import which_one
from edict.meaning.block_steps import steps
from edict.program import opcodes as o

# --- what a sort of step becomes -------------------------------------------------------------------


@dataclass(frozen=True)
class Offer:
    """How a step that asks is put to a player.

    no: where to go if it is declined, or there is nothing to choose from. decline: what declining is called; None if it
    must be done. `prompt`: the question, if words are not enough; `then`: what comes of it.
    """

    no: Label
    decline: str | None = None
    prompt: str = ""
    then: t.Block = ()

    @property
    def declined(self) -> Label | None:
        """Where to go if it is declined, if it may be."""
        return None if self.decline is None else self.no


Code = Callable[[Context, Any], None]
Needs = Callable[[Context, Any, t.Block, Scope], Need | None]


def no_needs(c: Context, step: t.Stmt, following: t.Block, scope: Scope) -> None:
    """Any step of this sort can be completed."""


Offered = Callable[[Context, Any, Offer], bool]
CodeT = TypeVar("CodeT", bound=Code)
OfferedT = TypeVar("OfferedT", bound=Offered)


@dataclass(frozen=True)
class Lowering:
    """All that steps of a sort become.

    needs: what must hold for it to be completed, with the steps that follow it; None: nothing. offered: how it is put
    to a player who may decline it; gives whether it asks by itself, so that no yes or no is needed.
    """

    code: Code
    needs: Needs = no_needs
    offered: Offered = lambda c, step, offer: False


LOWERINGS: dict[type, Lowering] = {}


def lowers(kind: type, **more: Any) -> Callable[[CodeT], CodeT]:
    """Register the code of steps of a sort, and `more` of what they become."""

    def register(code: CodeT) -> CodeT:
        LOWERINGS[kind] = Lowering(code, **more)
        return code

    return register


def asks(kind: type, needs: Needs) -> Callable[[OfferedT], OfferedT]:
    """Register how steps of a sort ask; without anything to answer, the block ends."""

    def register(offered: OfferedT) -> OfferedT:
        def code(c: Context, step: t.Stmt) -> None:
            offered(c, step, Offer(end_of_block(c)))

        LOWERINGS[kind] = Lowering(code, needs, offered)
        return offered

    return register


# --- steps in turn ---------------------------------------------------------------------------------


def binds(statement: t.Stmt) -> bool:
    """Whether what follows may use a name from this statement, whose variable must stay."""
    return has(type(statement), Role.BINDS)


def block(c: Context, statements: t.Block) -> None:
    """A block in turn; a choice with nothing to choose from ends it."""
    if not statements:
        return
    with c.block() as end, c.within(end=end):
        for statement in steps(c.resolved, statements):
            stmt(c, statement)


def end_of_block(c: Context) -> Label:
    """Where a step goes that has nothing to choose from."""
    assert c.now.end is not None
    return c.now.end


def stmt(c: Context, statement: t.Stmt) -> None:
    if binds(statement):
        with c.at(statement.span):
            LOWERINGS[type(statement)].code(c, statement)
        return
    with c.apart() as body, which_one(c, statement), c.at(statement.span):
        LOWERINGS[type(statement)].code(c, statement)
        cause = c.cause
    if body:
        c.add(core.Scope(tuple(body), cause=cause))


def seat_order(c: Context) -> Cell:
    """The order of players that the game keeps."""
    return Cell(c.layout.keeps[c.symbol(c.linked.game.order).name].base)


@contextmanager
def each_player(c: Context, among: Expr, order: Expr, rebind: bool = True) -> Iterator[Var]:
    """A loop over players in an order; inside, the player is `you` if `rebind`."""
    among = c.once(among)
    before = c.let(YOU) if rebind else None
    with c.line(order, among) as member:
        if rebind:
            c.put(o.YOU, member)
        yield member
    if before is not None:
        c.put(o.YOU, before)


# --- what is carried out by its name ---------------------------------------------------------------


Writer = Callable[..., None]
WRITERS: dict[str, Writer] = {}
"""What puts together the procedures of this sort, given what they are about."""
WriterT = TypeVar("WriterT", bound=Writer)


def writes(sort: str) -> Callable[[WriterT], WriterT]:
    """Register what puts together procedures of a sort, which is the first word of their keys."""

    def register(writer: WriterT) -> WriterT:
        WRITERS[sort] = writer
        return writer

    return register


def _named(c: Context, key: tuple[object, ...], params: int, definition: t.Definition, *about: object) -> Procedure:
    """The procedure of this key, put together by the writer of its sort."""
    sort = str(key[0])
    return c.procedure(key, params, lambda c2, p: WRITERS[sort](c2, p, definition, *about), rule_of(definition))


def raise_moment(c: Context, name: str, edge: str, *args: Expr) -> None:
    """Everything that happens then: first what belongs to nobody, then each player's own in their order."""
    held = c.linked.whens.get((name, edge), ())
    if held:
        procedure = _named(c, ("moment", name, edge), len(args), c.resolved.get(name), held)
        procedure.lends = True
        c.call(procedure, *args)


def action_procedure(c: Context, action: t.Action, decline: str | None) -> Procedure:
    """Does it; its result tells whether it was done. `decline` is the text of not doing it, or None."""
    procedure = _named(c, ("action", action.name.word, decline), 0, action, decline)
    procedure.asks = decline is not None
    return procedure


def possible_procedure(c: Context, action: t.Action) -> Procedure:
    """Its result tells whether it can be done: there is something to choose from, and it is payable."""
    return _named(c, ("possible", action), 0, action)
