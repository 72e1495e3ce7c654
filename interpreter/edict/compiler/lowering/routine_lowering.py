"""Lowering of named code, which are phases, routines, actions and the effects printed on things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Condition, Const, Procedure
from edict.compiler.lowering.asks import ReasonScope, Requirement
from edict.compiler.lowering.block_lowering import (
    StepOffer,
    action_procedure,
    action_test_procedure,
    lower_block,
    raise_moment,
    register_step,
)
from edict.compiler.lowering.choice_lowering import can_have_requirements, find_requirements
from edict.compiler.lowering.context import Context, rule_of
from edict.compiler.lowering.exception_lowering import (
    exception_of,
    exceptions_to,
    lower_with_exceptions,
    lower_with_local_exceptions,
    request_original,
    rules_of,
)
from edict.compiler.lowering.program_reasons import option_exists_requirement
from edict.compiler.lowering.program_wording import routine_title
from edict.compiler.lowering.quantity_lowering import reset_period
from edict.compiler.lowering.value_lowering import lower_condition, lower_value
from edict.compiler.semantics.call_graph import get_invoked_moment
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import Local, definition_of, list_event_params, walk_expanded
from edict.compiler.semantics.types import param_type
from edict.compiler.syntax import tree as t
from edict.runtime.program import EffectRoutine, EntryValue
from edict.runtime.program import opcodes as o

MAX_INLINED_EFFECTS = 4  # things whose effects are examined in place, which is faster to play


def _offer_do(c: Context, do: t.Do, offer: StepOffer) -> bool:
    """Offer an action, which asks by itself; jump away if it is declined."""
    symbol = c.symbol_of(do.name)
    if symbol.sort != "action":
        return False
    was_done: core.CoreExpr = core.CallResult(
        action_procedure(c, c.resolved.require_definition(symbol.name), offer.decline)
    )
    if c.env.unseen >= 0:
        with c.mark_hidden_call():
            was_done = c.let(was_done)
    c.jump_unless(core.Test(was_done, told=True), offer.no)
    return True


def _do_requirement(c: Context, do: t.Do, _: t.Block, scope: ReasonScope) -> Requirement | None:
    """Return the requirement that an action is possible, or that the beginning of a routine is."""
    symbol = c.symbol_of(do.name)
    if symbol.sort != "action":
        return _routine_requirement(c, do, c.resolved.require_definition(symbol.name), scope)

    def test(ctx: Context) -> Condition:
        """Build the condition that the action has options and can be paid."""
        return core.Test(core.CallResult(action_test_procedure(ctx, ctx.resolved.require_definition(symbol.name))))

    def general_rules(ctx: Context) -> tuple[Requirement, ...]:
        """Return the rules that do not depend on any choice."""
        return tuple(
            rule.requirement(ctx)
            for rule in rules_of(ctx, ctx.resolved.require_definition(symbol.name))
            if rule.level(ctx) == 0
        )

    return replace(option_exists_requirement(c, do, scope, test), besides=general_rules)


def _routine_requirement(c: Context, do: t.Do, routine: t.Routine, scope: ReasonScope) -> Requirement | None:
    """Return the requirement that a routine's first step can be done; None if nothing, or a moment, comes first."""
    name = routine.name.word
    if name in c.env.looked_into:  # in a recursive routine it depends on what else it offers
        return option_exists_requirement(c, do, scope, lambda ctx: core.Any_(()))
    if c.linked.whens.get((name, "start")) or exceptions_to(c, name, ""):
        return None
    with c.with_environment(looked_into=c.env.looked_into | {name}):
        needs = find_requirements(c, routine.block, scope)
    if not needs:
        return None

    def test(ctx: Context) -> Condition:
        """Build the condition of the routine's first step, with the arguments bound."""
        with ctx.collect() as body:
            ctx.bind_all(routine.params, [ctx.let(lower_value(ctx, arg)) for arg in do.args])
        return core.StatementCondition(tuple(body), needs[0].test(ctx))

    return replace(option_exists_requirement(c, do, scope, test), besides=needs[0].besides)


@register_step(t.Do, needs=_do_requirement, offered=_offer_do)
def _lower_do(c: Context, do: t.Do) -> None:
    """Lower `do`: call an action, or a routine or the exception that replaces it, with its arguments."""
    symbol = c.symbol_of(do.name)
    if symbol.sort == "action":
        c.add_call(action_procedure(c, c.resolved.require_definition(symbol.name), None))
    else:
        args = [c.let(lower_value(c, a)) for a in do.args]
        routine: t.Routine = c.resolved.require_definition(symbol.name)
        with c.mark_card_call():
            if routine in c.env.without or not lower_with_local_exceptions(c, routine, args):
                c.add_call(request_original(c, routine) or routine_procedure(c, routine), *args)


def routine_procedure(c: Context, routine: t.Routine) -> Procedure:
    """Request the procedure of a routine."""

    def body(ctx: Context, p: Procedure) -> None:
        """Lower a routine with its exceptions, between the moments of its start and end."""
        ctx.bind_all(routine.params, p.params)
        raise_moment(ctx, name, "start", *p.params)
        lower_with_exceptions(ctx, routine)
        raise_moment(ctx, name, "end", *p.params)

    name = routine.name.word
    rule = name, routine_title(routine), routine.span
    return c.request_procedure(("routine", name), len(routine.params), body, rule, called=True)


def _effect_requirement(c: Context, do: t.DoField, _: t.Block, scope: ReasonScope) -> Requirement | None:
    """Return the requirement that an effect can begin, for each thing that may be meant."""
    if get_invoked_moment(c.resolved, do) is not None:
        return None
    definition = definition_of(c.resolved, do.thing)
    if isinstance(definition, t.Thing):
        needs = _effect_requirements(c, do.field.word, definition, scope)
        return option_exists_requirement(c, do, scope, needs[0].test) if needs else None
    kind, field = c.type_of(do.thing).kind, do.field.word
    if any(key.startswith(f"{field} of ") for key in c.env.looked_into):
        return None  # an effect that an effect of any thing runs is not examined
    key = kind, field, tuple(sorted(c.env.looked_into))
    if key not in c.effect_needs:
        things = _things_with_requirements(c, kind, field)
        c.effect_needs[key] = {i: need for i, thing in things for need in _effect_requirements(c, field, thing, scope)}
    if not c.effect_needs[key]:
        return None

    def test(ctx: Context) -> Condition:
        """Build the condition that the effect of the thing meant can begin; True if it has no requirement."""
        needs = ctx.effect_needs[key]
        if len(needs) > MAX_INLINED_EFFECTS:
            return core.Test(core.CallResult(_effect_test_procedure(ctx, key), (lower_value(ctx, do.thing),)))
        with ctx.collect() as body:
            number = ctx.let(lower_value(ctx, do.thing))
        return core.StatementCondition(tuple(body), _can_begin(ctx, needs, number))

    return option_exists_requirement(c, do, scope, test)


def _effect_test_procedure(c: Context, key: tuple[str, str, tuple[str, ...]]) -> Procedure:
    """Request a procedure whose result tells if the effect of a thing can begin.

    It is shared by all steps that may run the effect of any thing; there may be as many of them as things.
    """

    def body(ctx: Context, p: Procedure) -> None:
        ctx.set(p.result, core.TruthValue(_can_begin(ctx, ctx.effect_needs[key], p.params[0])))

    return c.request_procedure(("possible", key), 1, body, rule_of(c.resolved.require_definition(key[0])))


def _can_begin(c: Context, needs: Mapping[int, Requirement], number: core.CoreExpr) -> Condition:
    """Build the condition that the effect of the thing with a number can begin."""
    cases = (core.All((core.Compare("=", number, Const(i)), need.test(c))) for i, need in needs.items())
    other_thing = core.All(tuple(core.Compare("!=", number, Const(i)) for i in needs))
    return core.Any_((other_thing, *cases))


def _things_with_requirements(c: Context, kind: str, field: str) -> Sequence[tuple[int, t.Thing]]:
    """Return the things of a kind, with their numbers, whose effect may have a requirement; cached."""
    if (kind, field) not in c.effect_things:
        things = enumerate(c.linked.things[kind])
        c.effect_things[kind, field] = [
            (i, thing) for i, thing in things if can_have_requirements(c, _effect_block(thing, field), field)
        ]
    return c.effect_things[kind, field]


def _effect_block(thing: t.Thing, field: str) -> t.Block:
    """Return the steps of a thing's effect; empty if the thing lacks it."""
    field_value = next((f for f in thing.fields if f.name.word == field), None)
    return (field_value.block or ()) if field_value else ()


def _effect_requirements(c: Context, field: str, thing: t.Thing, scope: ReasonScope) -> tuple[Requirement, ...]:
    """Return the requirements for beginning a thing's effect; none where the search is already inside it."""
    key = f"{field} of {thing.name.word}"
    if key in c.env.looked_into:
        return ()
    with c.with_environment(looked_into=c.env.looked_into | {key}):
        return find_requirements(c, _effect_block(thing, field), scope)


@register_step(t.DoField, needs=_effect_requirement)
def _lower_do_field(c: Context, do: t.DoField) -> None:
    """Lower `do FIELD of THING`: call the thing's effect, or its abilities if FIELD is a moment."""
    moment = get_invoked_moment(c.resolved, do)
    if moment is not None:
        _lower_do_at_moment(c, do, *moment)
        return
    procedures = _effect_procedures(c, c.type_of(do.thing).kind, do.field.word)
    thing_number = c.evaluate_once(lower_value(c, do.thing))
    with c.mark_card_call(always=True), c.mark_hidden_call():
        c.add(core.IndexedCall(procedures, thing_number, cause=c.cause))


def _effect_procedures(c: Context, kind: str, field: str) -> tuple[Procedure, ...]:
    """Return the effect procedures of all things of a kind, cached because each effect may run any other."""
    if (kind, field) not in c.effects:
        c.effects[kind, field] = tuple(effect_procedure(c, thing, field) for thing in c.linked.things[kind])
    return c.effects[kind, field]


@register_step(t.DoEdge)
def _lower_do_edge(c: Context, do: t.DoEdge) -> None:
    """Lower `do end of season of inn`: run a thing's abilities for the start or end of a phase or routine."""
    moment = get_invoked_moment(c.resolved, do)
    assert moment is not None
    _lower_do_at_moment(c, do, *moment)


def _lower_do_at_moment(c: Context, do: t.DoField | t.DoEdge, moment: t.Definition, edge: str) -> None:
    """Lower the abilities of a thing at a moment for `you`, whether or not it works or is used up."""
    candidates = [
        attached for attached in c.linked.whens.get((moment.name.word, edge), ()) if attached.thing is not None
    ]
    args = [c.let(lower_value(c, arg)) for arg in do.args]
    number = c.evaluate_once(lower_value(c, do.thing))
    for i, thing in enumerate(c.linked.things[c.type_of(do.thing).kind]):
        abilities = [attached for attached in candidates if attached.thing is thing]
        if abilities:
            with c.mark_optional(), c.collect() as case, c.mark_card_call(always=True):
                c.add_call(_request_moment_procedure(c, moment, edge, thing, abilities), *args)
            c.add(core.IfElse(core.Compare("=", number, Const(i)), tuple(case), cause=c.cause))


def _request_moment_procedure(
    c: Context, moment: t.Definition, edge: str, thing: t.Thing, abilities: list[AttachedAbility]
) -> Procedure:
    """Request the procedure of all abilities of a thing at a moment with their own conditions."""
    params = moment.params if isinstance(moment, t.Moment | t.Routine) else ()

    def body(ctx: Context, p: Procedure) -> None:
        """Lower the blocks of all abilities, each behind its own condition only."""
        ctx.bind_all(params, p.params)
        for attached in abilities:
            assert isinstance(attached.ability, t.When)
            with ctx.with_ability(attached), ctx.block() as skip:
                if attached.ability.condition is not None:
                    ctx.jump_unless(lower_condition(ctx, attached.ability.condition), skip)
                lower_block(ctx, attached.ability.block)

    name, span = thing.name.word, abilities[0].ability.span
    return c.request_procedure(
        ("done", moment.name.word, edge, name), len(params), body, (name, thing.title or name, span)
    )


def effect_procedure(c: Context, thing: t.Thing, field: str) -> Procedure:
    """Request the procedure of an effect of a thing."""
    field_value = next((f for f in thing.fields if f.name.word == field), None)
    name = thing.name.word

    def body(ctx: Context, _: Procedure) -> None:
        lower_block(ctx, _effect_block(thing, field))

    rule = name, thing.title or name, field_value.span if field_value else thing.span
    return c.request_procedure((name, field), 0, body, rule, called=True)


@register_step(t.Play)
def _lower_play(c: Context, play: t.Play) -> None:
    """Lower `play`: call a phase, or the original phase within an exception that replaces it."""
    phase: t.Phase = c.resolved.require_definition(c.symbol_of(play.phase).name)
    c.add_call(request_original(c, phase) or phase_procedure(c, phase))


def phase_procedure(c: Context, phase: t.Phase) -> Procedure:
    """Request the procedure of a phase."""
    name = phase.name.word

    def body(ctx: Context, _: Procedure) -> None:
        """Lower a phase: enter it, renew `once per` limits, then its start moment, its steps and its end moment."""
        cell, number = core.Cell(ctx.layout.phases[name]), ctx.phases[name]
        ctx.add_step(o.ENTER, cell, number)
        reset_period(ctx, name)
        raise_moment(ctx, name, "start")
        lower_with_exceptions(ctx, phase)
        raise_moment(ctx, name, "end")
        ctx.add_step(o.LEAVE, cell, number)

    return c.request_procedure(("phase", name), 0, body, rule_of(phase))


def request_all(c: Context) -> None:
    """Request all phases, routines and effects, even unused ones, so that each can be run alone."""
    for definition in c.resolved.book.definitions.values():
        if isinstance(definition, t.Phase):
            phase_procedure(c, definition)
        elif isinstance(definition, t.Routine):
            routine_procedure(c, definition)
        elif isinstance(definition, t.Thing):
            kind: t.Kind = c.resolved.require_definition(definition.kind.word)
            for field in kind.fields:
                if field.type is not None and field.type.shape == "effect":
                    effect_procedure(c, definition, field.name.word)


# --- entry points ----------------------------------------------------------------------------------


ENTRY_PREFIXES = ("phase", "routine", "moment", "action", "table", "course", "ending")
PREFIXES_WITH_ARGS = ("routine", "moment")  # entry points of these may have parameters


def resolve_entries(c: Context) -> tuple[tuple[str, int], ...]:
    """Return the names and addresses of the code that can be started alone; call it after assembly."""
    return tuple((name, c.writer.frames[procedure].entry.at) for name, _, procedure in _iter_entry_points(c))


def resolve_entry_params(c: Context) -> tuple[EntryValue, ...]:
    """Return the parameters of the entry points; call it after assembly."""
    values = []
    for name, definition, procedure in _iter_entry_points(c):
        if procedure.params:
            params = list_event_params(c.resolved, c.resolved.require_definition(definition))
        else:
            params = ()
        for param, var in zip(params, procedure.params, strict=True):
            param_type_ = c.with_cell_count(param_type(c.resolved, param))
            values.append(EntryValue(name, param.name.word, param_type_, c.writer.address(var)))
    return tuple(values)


def _iter_entry_points(c: Context) -> Iterator[tuple[str, str, Procedure]]:
    """Iterate over code that can be started alone: its name, its definition's name and its procedure."""
    for key, procedure in c.procedures.items():
        if isinstance(key, tuple) and key[:1] == ("action",) and key[-1] is None:  # it is never offered
            key = key[:-1]
        if isinstance(key, tuple) and all(isinstance(part, str) for part in key):
            prefix = key[0] if key[0] in ENTRY_PREFIXES else "effect"
            words = key[1:] if prefix != "effect" else key
            if not procedure.params or prefix in PREFIXES_WITH_ARGS:
                yield " ".join((prefix, *words)).strip(), "".join(key[1:2]), procedure


def resolve_carriers(c: Context) -> tuple[EffectRoutine, ...]:
    """Return the routines that run an effect of their one argument and that exceptions replace.

    Call it after assembly.
    """
    candidates = (
        _build_carrier(c, name) for (name, rule), attached in c.linked.exceptions.items() if attached and not rule
    )
    return tuple(carrier for carrier in candidates if carrier is not None)


def _build_carrier(c: Context, name: str) -> EffectRoutine | None:
    """Build the data of a routine that runs its argument's effect and that exceptions change; None for others."""
    routine, procedure = c.resolved.book.definitions.get(name), c.procedures.get(("routine", name))
    if not isinstance(routine, t.Routine) or procedure is None or len(routine.params) != 1:
        return None
    effect = find_own_effect(c, routine.block, c.resolved.binds[routine.params[0]])
    replacements = (exception_of(attached).then for attached in c.linked.exceptions[name, ""])
    different = [steps for steps in replacements if not _wraps_same_effect(c, effect, steps, routine)]
    if effect is None or not different:
        return None
    entry, param = c.writer.frames[procedure].entry.at, c.writer.address(procedure.params[0])
    return EffectRoutine(*effect, entry, param)


def _wraps_same_effect(c: Context, effect: tuple[str, str] | None, replacement: t.Block, routine: t.Routine) -> bool:
    """Return True if an exception only wraps the same effect, for example in an offer."""
    replaced_effect = find_own_effect(c, replacement, c.resolved.binds[routine.params[0]])
    return effect is not None and replaced_effect is not None and replaced_effect[1] == effect[1]


def find_own_effect(c: Context, block: t.Block, thing: Local) -> tuple[str, str] | None:
    """Return kind and field of the effect of a thing that a block runs, or None."""
    for node in walk_expanded(c.resolved, block):
        if isinstance(node, t.DoField):
            meanings = [meaning for _, meaning in c.iter_names(node.thing)]
            if meanings == [thing]:
                return c.type_of(node.thing).kind, node.field.word
    return None
