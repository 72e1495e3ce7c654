"""The registry of step lowerings, blocks of steps, and calls of named procedures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from edict.compiler.codegen import core
from edict.compiler.codegen.core import BlockLabel, Cell, Condition, CoreExpr, Procedure, Var
from edict.compiler.lowering.asks import ReasonScope, Requirement
from edict.compiler.lowering.context import YOU, Context, rule_of
from edict.compiler.lowering.hiding import hide_target
from edict.compiler.semantics.symbols import drop_texts, expand_steps
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, carries_role
from edict.runtime.program import opcodes as o
from edict.support.records import dataclass

# --- lowerings by type of step ---------------------------------------------------------------------


@dataclass(frozen=True)
class StepOffer:
    """The presentation of an asking step to a player."""

    no: BlockLabel  # jump target if it is declined or there is nothing to choose
    decline: str | None = None  # words for declining; None if it is mandatory
    prompt: str = ""  # the question's text if the default does not suffice
    then: t.Block = ()  # the block that follows a yes

    @property
    def decline_target(self) -> BlockLabel | None:
        """Return the jump target for declining; None if it is mandatory."""
        return None if self.decline is None else self.no


StepCode = Callable[[Context, Any], None]  # emits a step
# finds the requirement for completing a step, given the steps behind it
RequirementFinder = Callable[[Context, Any, t.Block, ReasonScope], Requirement | None]


def no_requirement(c: Context, step: t.Stmt, following: t.Block, scope: ReasonScope) -> None:
    """Return None; steps of this type can always be completed."""


# builds the condition that a step does anything
EffectCondition = Callable[[Context, Any, ReasonScope], Condition]
OfferCode = Callable[[Context, Any, StepOffer], bool]  # offers a step; returns whether it asks a question itself
CodeT = TypeVar("CodeT", bound=StepCode)
OfferedT = TypeVar("OfferedT", bound=OfferCode)


@dataclass(frozen=True)
class StepLowering:
    """The lowering of one type of step."""

    code: StepCode
    needs: RequirementFinder = no_requirement  # requirement for completing it; None is nothing
    # offers it to a player who may decline; returns False if a yes/no question is still needed
    offered: OfferCode = lambda c, step, offer: False
    effect: EffectCondition | None = None  # condition that it does anything; None if that is not known before


LOWERINGS: dict[type, StepLowering] = {}


def register_step(step_type: type, **more: Any) -> Callable[[CodeT], CodeT]:
    """Register the code of a type of step and more fields of its `StepLowering`."""

    def register(code: CodeT) -> CodeT:
        LOWERINGS[step_type] = StepLowering(code, **more)
        return code

    return register


def register_question(step_type: type, needs: RequirementFinder) -> Callable[[OfferedT], OfferedT]:
    """Register how a type of step asks; the block ends if there is no answer."""

    def register(offered: OfferedT) -> OfferedT:
        """Register an offering function as the lowering of the step's type, and return it."""

        def lower_step(c: Context, step: t.Stmt) -> None:
            """Lower a step as a mandatory question; without an answer, jump to the end of the block."""
            offered(c, step, StepOffer(end_of_block(c)))

        LOWERINGS[step_type] = StepLowering(lower_step, needs, offered)
        return offered

    return register


_written_steps: list[StepCode] = []


def lowers_written_steps(code: CodeT) -> CodeT:
    """Register the code of steps as they are written, with the options that abilities add to their questions."""
    _written_steps.append(code)
    return code


# --- blocks ----------------------------------------------------------------------------------------


def binds_name(statement: t.Stmt) -> bool:
    """Return True if later steps may use a name that the statement binds."""
    return carries_role(type(statement), Role.BINDS)


def lower_block(c: Context, statements: t.Block) -> None:
    """Lower the steps of a block; a choice without options ends it."""
    if not statements:
        return
    with c.block() as end, c.with_environment(end=end):
        if not c.linked.options:
            lower_steps(c, statements)
            return
        for statement in drop_texts(statements):
            _written_steps[-1](c, statement)


def lower_steps(c: Context, statements: t.Block) -> None:
    """Lower steps, with each shorthand step expanded."""
    for statement in expand_steps(c.resolved, statements):
        lower_step(c, statement)


def end_of_block(c: Context) -> BlockLabel:
    """Return the label of the end of the current block."""
    assert c.env.end is not None
    return c.env.end


def lower_step(c: Context, statement: t.Stmt) -> None:
    """Lower a step."""
    if binds_name(statement):
        with c.with_line(statement.span):
            LOWERINGS[type(statement)].code(c, statement)
        return
    with c.collect() as body, hide_target(c, statement), c.with_line(statement.span):
        LOWERINGS[type(statement)].code(c, statement)
        cause = c.cause
    if body:
        c.add(core.Scope(tuple(body), cause=cause))


def seat_order(c: Context) -> Cell:
    """Return the cell of the game's order of players."""
    return Cell(c.layout.keeps[c.symbol_of(c.linked.game.order).name].base)


@contextmanager
def loop_over_players(c: Context, players: CoreExpr, order: CoreExpr, rebind: bool = True) -> Iterator[Var]:
    """Open a loop over players in an order; inside, `you` is the player if `rebind`."""
    players = c.evaluate_once(players)
    outer_you = c.let(YOU) if rebind else None
    with c.loop_over_order(order, players) as member:
        if rebind:
            c.store_silently(o.YOU, member)
        yield member
    if outer_you is not None:
        c.store_silently(o.YOU, outer_you)


# --- named procedures ------------------------------------------------------------------------------


ProcedureLowering = Callable[..., None]  # lowers a procedure, given what it is about
PROCEDURE_LOWERINGS: dict[str, ProcedureLowering] = {}  # lowerings of procedures by the first word of the key
WriterT = TypeVar("WriterT", bound=ProcedureLowering)


def register_procedure(prefix: str) -> Callable[[WriterT], WriterT]:
    """Register the lowering of procedures whose keys begin with a word."""

    def register(writer: WriterT) -> WriterT:
        PROCEDURE_LOWERINGS[prefix] = writer
        return writer

    return register


def _request_procedure_by_key(
    c: Context, key: tuple[object, ...], params: int, definition: t.Definition, *args: object
) -> Procedure:
    """Request a procedure that is lowered by the prefix of its key."""
    sort = str(key[0])
    return c.request_procedure(
        key, params, lambda ctx, p: PROCEDURE_LOWERINGS[sort](ctx, p, definition, *args), rule_of(definition)
    )


def raise_moment(c: Context, name: str, edge: str, *args: CoreExpr) -> None:
    """Call the abilities of a moment, first those without an owner, then each player's own in turn order."""
    abilities = c.linked.whens.get((name, edge), ())
    if abilities:
        procedure = _request_procedure_by_key(
            c, ("moment", name, edge), len(args), c.resolved.require_definition(name), abilities
        )
        procedure.lends = True
        c.add_call(procedure, *args)


def action_procedure(c: Context, action: t.Action, decline: str | None) -> Procedure:
    """Request the procedure of an action, whose result tells if it was done; `decline` words declining, if possible."""
    procedure = _request_procedure_by_key(c, ("action", action.name.word, decline), 0, action, decline)
    procedure.asks = decline is not None
    return procedure


def action_test_procedure(c: Context, action: t.Action) -> Procedure:
    """Request a procedure whose result tells if an action has options and can be paid."""
    return _request_procedure_by_key(c, ("possible", action), 0, action)
