"""What is carried out by its name: phases, routines, actions, and the effects that are printed on things."""

from __future__ import annotations

from edict.backend import core
from edict.backend.core import Condition, Label, Procedure, Var
from edict.language import tree as t
from edict.lowering import actions, moments, periods
from edict.lowering.asks import Need
from edict.lowering.blocks import Offer, block, declinable, lowers
from edict.lowering.builder import YOU
from edict.lowering.completing import completes, something
from edict.lowering.context import Context
from edict.lowering.quantities import holds
from edict.lowering.reason_code import Scope
from edict.lowering.rivals import exception_of, foremost, labels, rivals
from edict.lowering.values import value
from edict.meaning.link import AttachedAbility
from edict.meaning.symbols import Local
from edict.language.walking import walk
from edict.words.statements import called
from edict.program import Question
from edict.program import opcodes as o


@lowers(t.Do)
def _do(c: Context, do: t.Do) -> None:
    symbol = c.symbol(do.name)
    if symbol.sort == "action":
        c.call(actions.action_procedure(c, symbol.name, None))
    else:
        given = [c.let(value(c, a)) for a in do.args]
        c.call(routine_procedure(c, c.resolved.get(symbol.name)), *given)


@declinable(t.Do)
def _offer(c: Context, do: t.Do, offer: Offer) -> bool:
    """An action asks by itself, if it is not declined at once."""
    symbol = c.symbol(do.name)
    if symbol.sort != "action":
        return False
    done = core.Called(actions.action_procedure(c, symbol.name, offer.decline))
    c.unless(core.Test(done, told=True), offer.no)
    return True


@completes(t.Do)
def _possible(c: Context, do: t.Do, scope: Scope) -> Need | None:
    """An action must be possible; a routine is not looked into."""
    symbol = c.symbol(do.name)
    if symbol.sort != "action":
        return None

    def test(c2: Context) -> Condition:
        return core.Test(core.Called(actions.possible_procedure(c2, c2.resolved.get(symbol.name))))

    return something(c, do, scope, test)


def routine_procedure(c: Context, routine: t.Routine) -> Procedure:
    def body(c2: Context, p: Procedure) -> None:
        for param, var in zip(routine.params, p.params, strict=True):
            c2.bind(param, var)
        moments.raise_moment(c2, name, "start", *p.params)
        _replaced(c2, name, routine.block)
        moments.raise_moment(c2, name, "end", *p.params)

    name = routine.name.word
    title = called(routine) if routine.title else name
    return c.procedure(("routine", name), len(routine.params), body, (name, title, routine.span))


def _replaced(c: Context, name: str, base: t.Block) -> None:
    """The block, or what an exception puts in its place while it holds."""
    held = c.linked.exceptions.get((name, ""), ())
    with c.block() as end:
        if any(rivals(c, held).beside):
            _chosen(c, held, end)
        else:
            for one in held:
                with c.because_of(one), c.block() as skip:
                    c.unless(holds(c, one), skip)
                    block(c, exception_of(one).then)
                    c.go(end)
        block(c, base)


def _chosen(c: Context, held: tuple[AttachedAbility, ...], end: Label) -> None:
    """Of those that hold and come before all others that do, the player chooses one."""
    question = c.question(Question("exception", "Which of these applies?", "branch", labels=labels(held)))
    cases = []
    for one in held:
        with c.apart() as case, c.because_of(one):
            block(c, exception_of(one).then)
        cases.append((-1, tuple(case)))
    with c.block() as none:
        answer, options = Var(), tuple((i, (met,)) for i, met in enumerate(foremost(c, held)))
        c.add(core.Ask(question, YOU, options, answer, none, cause=c.cause))
        c.add(core.Switch(answer, tuple(cases), cause=c.cause))
        c.go(end)


@lowers(t.DoField)
def _do_field(c: Context, do: t.DoField) -> None:
    things = c.linked.things[c.type(do.thing).kind]
    procedures = tuple(effect_procedure(c, thing, do.field.word) for thing in things)
    c.add(core.CallOne(procedures, value(c, do.thing), cause=c.cause))


def own_effect(c: Context, block: t.Block, thing: Local) -> tuple[str, str] | None:
    """The kind and the field of the effect of this very thing that is done in a block."""
    for node in walk(block):
        if isinstance(node, t.DoField):
            named = [meaning for _, meaning in c.names(node.thing)]
            if named == [thing]:
                return c.type(node.thing).kind, node.field.word
    return None


def effect_procedure(c: Context, thing: t.Thing, field: str) -> Procedure:
    written = next((f for f in thing.fields if f.name.word == field), None)
    name = thing.name.word

    def body(c2: Context, _: Procedure) -> None:
        block(c2, (written.block or ()) if written else ())

    return c.procedure((name, field), 0, body, (name, thing.title or name, written.span if written else thing.span))


@lowers(t.Play)
def _play(c: Context, play: t.Play) -> None:
    c.call(phase_procedure(c, c.resolved.get(c.symbol(play.phase).name)))


def phase_procedure(c: Context, phase: t.Phase) -> Procedure:
    name = phase.name.word

    def body(c2: Context, _: Procedure) -> None:
        cell, number = core.Cell(c2.layout.phases[name]), c2.phases[name]
        c2.step(o.ENTER, cell, number)
        periods.reset_period(c2, name)
        moments.raise_moment(c2, name, "start")
        _replaced(c2, name, phase.block)
        moments.raise_moment(c2, name, "end")
        c2.step(o.LEAVE, cell, number)

    return c.procedure(("phase", name), 0, body, (name, phase.title or name, phase.span))


def write_all(c: Context) -> None:
    """Also what nobody carries out, so that each can be tried alone."""
    for definition in c.resolved.book.definitions.values():
        if isinstance(definition, t.Phase):
            phase_procedure(c, definition)
        elif isinstance(definition, t.Routine) and not definition.params:
            routine_procedure(c, definition)
        elif isinstance(definition, t.Thing):
            kind: t.Kind = c.resolved.get(definition.kind.word)
            for field in kind.fields:
                if field.type is not None and field.type.shape == "effect":
                    effect_procedure(c, definition, field.name.word)
