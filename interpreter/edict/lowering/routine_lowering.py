"""What is carried out by its name: phases, routines, actions, and the effects that are printed on things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from edict.backend import core
from edict.backend.core import Condition, Const, Procedure
from edict.language import tree as t
from edict.lowering.asks import Need, Scope
from edict.lowering.block_lowering import Offer, action_procedure, block, lowers, possible_procedure, raise_moment
from edict.lowering.choice_lowering import completion, may_need
from edict.lowering.context import Context, rule_of
from edict.lowering.exceptions import done_there, exception_of, exceptions_to, replaced, rules_of, without
from edict.lowering.program_reasons import something
from edict.lowering.program_wording import routine_title
from edict.lowering.quantities import reset_period
from edict.lowering.value_lowering import condition, value
from edict.meaning.call_graph import answered
from edict.meaning.link import AttachedAbility
from edict.meaning.symbols import Local, brought, definition_of, in_full
from edict.meaning.types import param_type
from edict.program import Brought, Carrier, opcodes as o


def _offer(c: Context, do: t.Do, offer: Offer) -> bool:
    """An action asks by itself, if it is not declined at once."""
    symbol = c.symbol(do.name)
    if symbol.sort != "action":
        return False
    done: core.Expr = core.Called(action_procedure(c, c.resolved.get(symbol.name), offer.decline))
    if c.now.unseen >= 0:
        with c.hushed():
            done = c.let(done)
    c.unless(core.Test(done, told=True), offer.no)
    return True


def _possible(c: Context, do: t.Do, _: t.Block, scope: Scope) -> Need | None:
    """An action must be possible, and so must be what a routine begins with, unless other rules come before that."""
    symbol = c.symbol(do.name)
    if symbol.sort != "action":
        return _begun(c, do, c.resolved.get(symbol.name), scope)

    def test(c2: Context) -> Condition:
        return core.Test(core.Called(possible_procedure(c2, c2.resolved.get(symbol.name))))

    def rules(c2: Context) -> tuple[Need, ...]:
        """Those that speak of nothing that is chosen."""
        return tuple(rule.need(c2) for rule in rules_of(c2, c2.resolved.get(symbol.name)) if rule.level(c2) == 0)

    return replace(something(c, do, scope, test), besides=rules)


def _begun(c: Context, do: t.Do, routine: t.Routine, scope: Scope) -> Need | None:
    name = routine.name.word
    if name in c.now.looked_into:  # whether it can be done again depends on what else it offers
        return something(c, do, scope, lambda c2: core.Any_(()))
    if c.linked.whens.get((name, "start")) or exceptions_to(c, name, ""):
        return None
    with c.within(looked_into=c.now.looked_into | {name}):
        needs = completion(c, routine.block, scope)
    if not needs:
        return None

    def test(c2: Context) -> Condition:
        with c2.apart() as body:
            c2.bind_each(routine.params, [c2.let(value(c2, given)) for given in do.args])
        return core.Given(tuple(body), needs[0].test(c2))

    return replace(something(c, do, scope, test), besides=needs[0].besides)


@lowers(t.Do, needs=_possible, offered=_offer)
def _do(c: Context, do: t.Do) -> None:
    symbol = c.symbol(do.name)
    if symbol.sort == "action":
        c.call(action_procedure(c, c.resolved.get(symbol.name), None))
    else:
        given = [c.let(value(c, a)) for a in do.args]
        routine: t.Routine = c.resolved.get(symbol.name)
        with c.for_the_card():
            if routine in c.now.without or not done_there(c, routine, given):
                c.call(without(c, routine) or routine_procedure(c, routine), *given)


def routine_procedure(c: Context, routine: t.Routine) -> Procedure:
    def body(c2: Context, p: Procedure) -> None:
        c2.bind_each(routine.params, p.params)
        raise_moment(c2, name, "start", *p.params)
        replaced(c2, routine)
        raise_moment(c2, name, "end", *p.params)

    name = routine.name.word
    rule = name, routine_title(routine), routine.span
    return c.procedure(("routine", name), len(routine.params), body, rule, called=True)


def _effect_possible(c: Context, do: t.DoField, _: t.Block, scope: Scope) -> Need | None:
    """What the effect begins with must be possible, of whichever thing it is."""
    if answered(c.resolved, do) is not None:
        return None
    needs = {i: need for i, thing in _whose_effects(c, do) for need in _effect_needs(c, do, thing, scope)}
    if not needs:
        return None

    def test(c2: Context) -> Condition:
        with c2.apart() as body:
            number = c2.let(value(c2, do.thing))
        ways = (core.All((core.Compare("=", number, Const(i)), need.test(c2))) for i, need in needs.items())
        another = core.All(tuple(core.Compare("!=", number, Const(i)) for i in needs))
        return core.Given(tuple(body), core.Any_((another, *ways)))

    return something(c, do, scope, test)


def _whose_effects(c: Context, do: t.DoField) -> Sequence[tuple[int, t.Thing]]:
    """Return the things whose effects are looked into, with their numbers."""
    kind, named = c.type(do.thing).kind, definition_of(c.resolved, do.thing)
    if isinstance(named, t.Thing):
        return [(c.linked.index(named.name.word, kind), named)]
    if any(known.startswith(f"{do.field.word} of ") for known in c.now.looked_into):
        return ()  # where an effect does another, of whichever thing it may be, that one is not looked into
    return _needing(c, kind, do.field.word)


def _needing(c: Context, kind: str, field: str) -> Sequence[tuple[int, t.Thing]]:
    """Return the things of a kind of whose effects it may matter whether they can be begun."""
    if (kind, field) not in c.needing:
        things = enumerate(c.linked.things[kind])
        c.needing[kind, field] = [(i, thing) for i, thing in things if may_need(c, _effect(thing, field), field)]
    return c.needing[kind, field]


def _effect(thing: t.Thing, field: str) -> t.Block:
    written = next((f for f in thing.fields if f.name.word == field), None)
    return (written.block or ()) if written else ()


def _effect_needs(c: Context, do: t.DoField, thing: t.Thing, scope: Scope) -> tuple[Need, ...]:
    key = f"{do.field.word} of {thing.name.word}"
    if key in c.now.looked_into:
        return ()
    with c.within(looked_into=c.now.looked_into | {key}):
        return completion(c, _effect(thing, do.field.word), scope)


@lowers(t.DoField, needs=_effect_possible)
def _do_field(c: Context, do: t.DoField) -> None:
    at = answered(c.resolved, do)
    if at is not None:
        _do_at(c, do, *at)
        return
    things = c.linked.things[c.type(do.thing).kind]
    procedures = tuple(effect_procedure(c, thing, do.field.word) for thing in things)
    which = c.once(value(c, do.thing))
    with c.for_the_card(always=True), c.hushed():
        c.add(core.CallOne(procedures, which, cause=c.cause))


@lowers(t.DoEdge)
def _do_edge(c: Context, do: t.DoEdge) -> None:
    at = answered(c.resolved, do)
    assert at is not None
    _do_at(c, do, *at)


def _do_at(c: Context, do: t.DoField | t.DoEdge, moment: t.Definition, edge: str) -> None:
    """What the thing does at the moment, for `you`; whether it works, or has been used already, is not asked."""
    held = [attached for attached in c.linked.whens.get((moment.name.word, edge), ()) if attached.thing is not None]
    given = [c.let(value(c, arg)) for arg in do.args]
    number = c.once(value(c, do.thing))
    for i, thing in enumerate(c.linked.things[c.type(do.thing).kind]):
        doing = [attached for attached in held if attached.thing is thing]
        if doing:
            with c.decided(), c.apart() as case, c.for_the_card(always=True):
                c.call(_answer_procedure(c, moment, edge, thing, doing), *given)
            c.add(core.If(core.Compare("=", number, Const(i)), tuple(case), cause=c.cause))


def _answer_procedure(
    c: Context, moment: t.Definition, edge: str, thing: t.Thing, held: list[AttachedAbility]
) -> Procedure:
    """All that a thing does at a moment, under the conditions that are written there."""
    params = moment.params if isinstance(moment, t.Moment | t.Routine) else ()

    def body(c2: Context, p: Procedure) -> None:
        c2.bind_each(params, p.params)
        for attached in held:
            assert isinstance(attached.ability, t.When)
            with c2.because_of(attached), c2.block() as skip:
                if attached.ability.condition is not None:
                    c2.unless(condition(c2, attached.ability.condition), skip)
                block(c2, attached.ability.block)

    name, place = thing.name.word, held[0].ability.span
    return c.procedure(("done", moment.name.word, edge, name), len(params), body, (name, thing.title or name, place))


def effect_procedure(c: Context, thing: t.Thing, field: str) -> Procedure:
    written = next((f for f in thing.fields if f.name.word == field), None)
    name = thing.name.word

    def body(c2: Context, _: Procedure) -> None:
        block(c2, _effect(thing, field))

    rule = name, thing.title or name, written.span if written else thing.span
    return c.procedure((name, field), 0, body, rule, called=True)


@lowers(t.Play)
def _play(c: Context, play: t.Play) -> None:
    phase: t.Phase = c.resolved.get(c.symbol(play.phase).name)
    c.call(without(c, phase) or phase_procedure(c, phase))


def phase_procedure(c: Context, phase: t.Phase) -> Procedure:
    name = phase.name.word

    def body(c2: Context, _: Procedure) -> None:
        cell, number = core.Cell(c2.layout.phases[name]), c2.phases[name]
        c2.step(o.ENTER, cell, number)
        reset_period(c2, name)
        raise_moment(c2, name, "start")
        replaced(c2, phase)
        raise_moment(c2, name, "end")
        c2.step(o.LEAVE, cell, number)

    return c.procedure(("phase", name), 0, body, rule_of(phase))


def write_all(c: Context) -> None:
    """Also what nobody carries out, so that each can be tried alone."""
    for definition in c.resolved.book.definitions.values():
        if isinstance(definition, t.Phase):
            phase_procedure(c, definition)
        elif isinstance(definition, t.Routine):
            routine_procedure(c, definition)
        elif isinstance(definition, t.Thing):
            kind: t.Kind = c.resolved.get(definition.kind.word)
            for field in kind.fields:
                if field.type is not None and field.type.shape == "effect":
                    effect_procedure(c, definition, field.name.word)


# --- what can be started alone ---------------------------------------------------------------------


STARTS = ("phase", "routine", "moment", "action", "table", "course", "ending")
WITH_VALUES = ("routine", "moment")  # of these, those too that something comes along with


def entries(c: Context) -> tuple[tuple[str, int], ...]:
    """After assembly: what can be started alone."""
    return tuple((name, c.writer.frames[procedure].entry.at) for name, _, procedure in _alone(c))


def values_brought(c: Context) -> tuple[Brought, ...]:
    """After assembly: the values that come along there."""
    values = []
    for name, definition, procedure in _alone(c):
        params = brought(c.resolved, c.resolved.get(definition)) if procedure.params else ()
        for param, var in zip(params, procedure.params, strict=True):
            of = c.sized(param_type(c.resolved, param))
            values.append(Brought(name, param.name.word, of, c.writer.address(var)))
    return tuple(values)


def _alone(c: Context) -> Iterator[tuple[str, str, Procedure]]:
    """What can be started alone: its name, what it belongs to, and the procedure."""
    for key, procedure in c.procedures.items():
        if isinstance(key, tuple) and key[:1] == ("action",) and key[-1] is None:  # nobody offers it
            key = key[:-1]
        if isinstance(key, tuple) and all(isinstance(k, str) for k in key):
            sort = key[0] if key[0] in STARTS else "effect"
            words = key[1:] if sort != "effect" else key
            if not procedure.params or sort in WITH_VALUES:
                yield " ".join((sort, *words)).strip(), "".join(key[1:2]), procedure


def carriers(c: Context) -> tuple[Carrier, ...]:
    """After assembly: the routines that do an effect of their one thing, where an exception may do something else."""
    written = (_carrier(c, name) for (name, rule), held in c.linked.exceptions.items() if held and not rule)
    return tuple(carrier for carrier in written if carrier is not None)


def _carrier(c: Context, name: str) -> Carrier | None:
    routine, written = c.resolved.book.definitions.get(name), c.procedures.get(("routine", name))
    if not isinstance(routine, t.Routine) or written is None or len(routine.params) != 1:
        return None
    done = own_effect(c, routine.block, c.resolved.binds[routine.params[0]])
    instead = (exception_of(held).then for held in c.linked.exceptions[name, ""])
    others = [steps for steps in instead if not _same(c, done, steps, routine)]
    if done is None or not others:
        return None
    entry, param = c.writer.frames[written].entry.at, c.writer.address(written.params[0])
    return Carrier(*done, entry, param)


def _same(c: Context, done: tuple[str, str] | None, instead: t.Block, routine: t.Routine) -> bool:
    """Whether an exception only puts something round the same effect, such as an offer."""
    again = own_effect(c, instead, c.resolved.binds[routine.params[0]])
    return done is not None and again is not None and again[1] == done[1]


def own_effect(c: Context, block: t.Block, thing: Local) -> tuple[str, str] | None:
    """The kind and the field of the effect of this very thing that is done in a block."""
    for node in in_full(c.resolved, block):
        if isinstance(node, t.DoField):
            named = [meaning for _, meaning in c.names(node.thing)]
            if named == [thing]:
                return c.type(node.thing).kind, node.field.word
    return None
