"""Lowering of rule exceptions to phases, routines, action rules and steps, and of which exception applies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from edict.compiler.codegen import core
from edict.compiler.codegen.core import BlockLabel, Cell, Condition, Const, CoreExpr, Procedure, Var
from edict.compiler.codegen.core_builder import ALWAYS, make_op
from edict.compiler.lowering.asks import ReasonScope, Requirement, add_switch, reason_cause
from edict.compiler.lowering.block_lowering import lower_block, raise_moment
from edict.compiler.lowering.choice_lowering import is_optional
from edict.compiler.lowering.context import NOTHING, YOU, AcceptanceHook, Context, rule_of
from edict.compiler.lowering.costs import ResourceChange, has_floor
from edict.compiler.lowering.hiding import hide_ability_checks
from edict.compiler.lowering.program_reasons import (
    add_ability_check,
    add_check,
    build_implied_use_limit,
    title_in_sentence,
)
from edict.compiler.lowering.program_wording import exception_label, exception_prompt
from edict.compiler.lowering.quantity_lowering import applies_condition, build_unused_condition, restore_use, use_up
from edict.compiler.lowering.value_lowering import (
    StorageLocation,
    lower_condition,
    lower_value,
    resource_place,
    singleton_set,
)
from edict.compiler.semantics.ability_targets import JOINING, LEAVING, LOSING, MEMBERSHIP_EDGES
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.precedence import Precedence, RivalException, compute_precedence, qualify_part
from edict.compiler.semantics.symbols import Local, keep_of, list_event_params
from edict.compiler.syntax import tree as t
from edict.runtime.program import Question
from edict.runtime.program import opcodes as o
from edict.runtime.program.reasons import ReasonAlternative
from edict.support.records import dataclass

Exceptions = tuple[AttachedAbility, ...]  # exceptions attached to the same rule
ApplicabilityTest = Callable[[AttachedAbility], Condition]  # builds the condition that an exception applies


def exception_of(attached: AttachedAbility) -> t.Exception_:
    """Return the exception of an attached ability."""
    assert isinstance(attached.ability, t.Exception_)
    return attached.ability


def exception_condition(c: Context, attached: AttachedAbility) -> Condition:
    """Build the condition that an exception applies to you and is not used up."""
    applies = applies_condition(c, attached)
    if exception_of(attached).once_per is None:
        return applies
    with c.with_ability(attached):
        return core.All((applies, build_unused_condition(c, attached.ability)))


def exception_precedence(c: Context, exceptions: Exceptions) -> Precedence:
    """Return the precedence among exceptions to the same rule."""
    return compute_precedence(
        c.resolved, [RivalException(attached.name, exception_of(attached), attached.thing) for attached in exceptions]
    )


def foremost_conditions(
    c: Context, exceptions: Exceptions, applies: ApplicabilityTest | None = None
) -> list[Condition]:
    """Build for each exception the condition that it applies and none with precedence does."""
    preceding, conditions = exception_precedence(c, exceptions).above, list[Condition]()
    test = applies or partial(exception_condition, c)
    for index, attached in enumerate(exceptions):
        others = tuple(core.Not(test(exceptions[other])) for other in sorted(preceding[index]))
        conditions.append(core.All((test(attached), *others)))
    return conditions


def select_exception(
    c: Context,
    exceptions: Exceptions,
    applies: ApplicabilityTest,
    lower_replacement: Callable[[int], None],
    end: BlockLabel,
) -> None:
    """Lower the first exception that applies, or the one that the player picks, then jump to `end`.

    Control continues behind all of it if none applies.
    """
    hide_ability_checks(c, exceptions)
    if any(exception_precedence(c, exceptions).beside):
        _ask_for_exception(c, exceptions, applies, lower_replacement, end)
        return
    for number, attached in enumerate(exceptions):
        with c.with_ability(attached), c.block() as skip:
            c.jump_unless(applies(attached), skip)
            lower_replacement(number)
            c.jump(end)


def _ask_for_exception(
    c: Context,
    exceptions: Exceptions,
    applies: ApplicabilityTest,
    lower_replacement: Callable[[int], None],
    end: BlockLabel,
) -> None:
    """Let the player pick among the applicable exceptions that no other one precedes."""
    labels = tuple(exception_label(attached) for attached in exceptions)
    keys = tuple(attached.name for attached in exceptions)
    question = c.add_question(Question("exception", "Which of these applies?", "branch", labels=labels, keys=keys))

    def lower_case(number: int) -> None:
        with c.with_ability(exceptions[number]):
            lower_replacement(number)

    answer = Var()
    with c.collect() as chosen:
        add_switch(c, answer, range(len(exceptions)), lower_case)
    with c.block() as none:
        options = tuple((i, (condition,)) for i, condition in enumerate(foremost_conditions(c, exceptions, applies)))
        c.add(core.AskSeat(question, YOU, options, answer, none, cause=c.cause))
        c.add(*chosen)
        c.jump(end)


# --- exceptions to phases and routines -------------------------------------------------------------


ReplaceableRule = t.Routine | t.Phase  # definitions whose block an exception can replace


def lower_with_exceptions(c: Context, rule: ReplaceableRule) -> None:
    """Lower the block of a phase or routine, or the exception that replaces it."""
    _lower_with(c, rule, c.linked.exceptions.get((rule.name.word, ""), ()))


def _lower_with(c: Context, rule: ReplaceableRule, exceptions: Exceptions) -> None:
    """Lower a block with these exceptions only."""
    with c.block() as end:
        select_exception(
            c,
            exceptions,
            partial(exception_condition, c),
            lambda number: _lower_exception(c, rule, number, exceptions),
            end,
        )
        with c.with_environment(whole=rule.name.word):
            lower_block(c, rule.block)


def _lower_exception(c: Context, rule: ReplaceableRule, index: int, exceptions: Exceptions) -> None:
    """Lower an exception; inside, the rule's own name means the rule without this exception and those before it."""
    with c.with_environment(without={**c.env.without, rule: (exceptions, index)}):
        _lower_use(c, exceptions[index])


def _lower_use(c: Context, attached: AttachedAbility) -> None:
    """Lower the steps of an exception, whose `once per` is used up by them, but not by declining them."""
    exception = exception_of(attached)
    if exception.once_per is not None and is_optional(c, exception.then):
        hook = AcceptanceHook(lambda: use_up(c, exception), lambda: restore_use(c, exception))
        with c.with_environment(agreed=hook):
            lower_block(c, exception.then)
    else:
        use_up(c, exception)
        lower_block(c, exception.then)


def lower_with_local_exceptions(c: Context, routine: t.Routine, args: Sequence[CoreExpr]) -> bool:
    """Lower a routine call in a phase with exceptions of its own, and return True if there are any.

    These exceptions are lowered in place because they may refer to names bound around the call.
    """
    local = local_exceptions(c, routine.name.word, "")
    if not local:
        return False
    general, name = c.linked.exceptions.get((routine.name.word, ""), ()), routine.name.word
    c.bind_all(routine.params, args)
    raise_moment(c, name, "start", *args)
    with c.block() as end:

        def instead(number: int) -> None:
            all_exceptions = (*general, local[number])
            with c.with_environment(whole="", without={**c.env.without, routine: (all_exceptions, len(general))}):
                _lower_use(c, local[number])

        select_exception(c, local, partial(exception_condition, c), instead, end)
        c.add_call(_request_rule_with(c, routine, general), *args)
    raise_moment(c, name, "end", *args)
    return True


def request_original(c: Context, rule: ReplaceableRule) -> Procedure | None:
    """Return the procedure of a rule without this exception and those before it; None if nothing replaces it now."""
    if rule not in c.env.without:
        return None
    exceptions, number = c.env.without[rule]
    preceding = exception_precedence(c, exceptions).above[number]
    return _request_rule_with(
        c, rule, tuple(other for i, other in enumerate(exceptions) if i != number and i not in preceding)
    )


def _request_rule_with(c: Context, rule: ReplaceableRule, exceptions: Exceptions) -> Procedure:
    """Request the procedure of a rule with these exceptions only, without its start and end moments."""
    params = rule.params if isinstance(rule, t.Routine) else ()

    def body(ctx: Context, p: Procedure) -> None:
        """Lower the rule's block with the given exceptions only, with its parameters bound."""
        ctx.bind_all(params, p.params)
        _lower_with(ctx, rule, exceptions)

    name, others = rule.name.word, tuple(c.linked.held.index(attached) for attached in exceptions)
    return c.request_procedure(("usual", name, others), len(params), body, rule_of(rule))


# --- exceptions to the rules of an action ----------------------------------------------------------


@dataclass(frozen=True)
class RuleWithExceptions:
    """A rule of an action and the exceptions to it, of which the first that applies replaces it."""

    action: t.Action
    rule: t.Rule
    exceptions: tuple[AttachedAbility, ...]

    def choice_indices(self, c: Context) -> frozenset[int]:
        """Return the indices of the choices on which the rule or an exception depends."""
        exception_parts = (
            getattr(attached.ability, part) for attached in self.exceptions for part in ("condition", "require")
        )
        conditions = (self.rule.require, *exception_parts)
        locals_ = [c.resolved.binds[choice] for choice in self.action.params]
        return frozenset(i for i, local in enumerate(locals_) if any(c.mentions(local, expr) for expr in conditions))

    def level(self, c: Context) -> int:
        """Return the number of the last choice it depends on, counted from 1; 0 if there is none."""
        return max((place + 1 for place in self.choice_indices(c)), default=0)

    def condition(self, c: Context) -> Condition:
        """Build the condition that the rule or the applicable exception holds."""
        if all(_replacement_rule(attached) is None for attached in self.exceptions):
            required, allowed = (
                lower_condition(c, self.rule.require),
                tuple(exception_condition(c, attached) for attached in self.exceptions),
            )
            return core.ExceptedRule(required, allowed) if allowed else required
        if any(exception_precedence(c, self.exceptions).beside):
            return self._any_allows(c)
        result = lower_condition(c, self.rule.require)
        for attached in reversed(self.exceptions):
            replacement = _replacement_rule(attached)
            then = ALWAYS if replacement is None else lower_condition(c, replacement)
            result = core.IfCondition(exception_condition(c, attached), then, result)
        return result

    def _any_allows(self, c: Context) -> Condition:
        """Build the condition that one applicable exception allows it, as the player picks which one applies."""
        allowing = tuple(
            core.All(
                (
                    applies,
                    ALWAYS if (replacement := _replacement_rule(attached)) is None else lower_condition(c, replacement),
                )
            )
            for attached, applies in zip(self.exceptions, foremost_conditions(c, self.exceptions), strict=True)
        )
        none_holds = core.Not(core.Any_(tuple(exception_condition(c, attached) for attached in self.exceptions)))
        return core.Any_((*allowing, core.All((none_holds, lower_condition(c, self.rule.require)))))

    def requirement(self, c: Context, *locals_: Local) -> Requirement:
        """Return the rule as a requirement of an option bound to `it`, or of the action itself without a local."""
        action, rule = self.action, self.rule
        scope = ReasonScope((f"{action.name.word}.{rule.name.word}", action.title or action.name.word), locals_)
        return Requirement(
            "rule",
            scope,
            rule.span,
            self.condition,
            lambda ctx: add_check(ctx, rule.require, scope),
            rule.name.word,
            rule.because,
            lambda ctx: tuple(_rule_alternative(ctx, attached, *locals_) for attached in self.exceptions),
        )

    # --- the price of an exception -------------------------------------------------------------------

    def lower_usage(self, c: Context) -> list[tuple[Var, AttachedAbility]]:
        """Declare a flag for each exception with an effect or a limit, and set that of the one that is needed.

        None is needed if the rule itself allows the action, or an exception without effect and limit does.
        """
        priced = [attached for attached in self.exceptions if _has_price(exception_of(attached))]
        flags = [(c.let(NOTHING), attached) for attached in priced]
        if not priced:
            return []
        with c.block() as end:
            c.jump(end, lower_condition(c, self.rule.require))
            for attached_free in (attached for attached in self.exceptions if attached not in priced):
                c.jump(end, exception_condition(c, attached_free))
            if len(flags) > 1:
                self._ask_for_exception(c, flags)
            else:
                c.jump_unless(exception_condition(c, priced[0]), end)
                c.set(flags[0][0], Const(1))
        return flags

    def _ask_for_exception(self, c: Context, flags: list[tuple[Var, AttachedAbility]]) -> None:
        """Ask which of the applicable exceptions to use."""
        labels = tuple(exception_label(attached) for _, attached in flags)
        prompt, keys = exception_prompt(self.rule.because), tuple(attached.name for _, attached in flags)
        question = c.add_question(Question("exception", prompt, "branch", labels=labels, keys=keys))
        answer, options = (
            Var(),
            tuple((i, (exception_condition(c, attached),)) for i, (_, attached) in enumerate(flags)),
        )
        c.add(core.AskSeat(question, YOU, options, answer, cause=c.cause))
        add_switch(c, answer, flags, lambda pair: c.set(pair[0], Const(1)))


def rules_of(c: Context, action: t.Action) -> tuple[RuleWithExceptions, ...]:
    """Return the rules of an action with their exceptions."""
    exceptions = c.linked.exceptions
    return tuple(
        RuleWithExceptions(action, r, exceptions.get((action.name.word, r.name.word), ())) for r in action.rules
    )


def lower_used_exception(c: Context, flag: Var, attached: AttachedAbility) -> None:
    """Lower the steps of an exception to an action's rule, to be run only if its flag is set."""
    with c.block() as skip:
        c.jump_unless(core.Test(flag), skip)
        with c.with_ability(attached):
            use_up(c, attached.ability)
            lower_block(c, exception_of(attached).then)


def _has_price(exception: t.Exception_) -> bool:
    """Return True if the use of an exception to an action's rule costs something, or uses up its `once per`."""
    return bool(exception.then) or exception.once_per is not None


def _replacement_rule(attached: AttachedAbility) -> t.Expr | None:
    return exception_of(attached).require


def _rule_alternative(c: Context, attached: AttachedAbility, *locals_: Local) -> ReasonAlternative:
    """Return an exception to an action's rule as an alternative for explanations, with its conditions."""
    exception, scope = exception_of(attached), ReasonScope((attached.name, attached.title), locals_)
    require = add_check(c, exception.require, scope) if exception.require is not None else -1
    limit = () if exception.once_per is None else (build_implied_use_limit(exception, scope).add_check(c),)
    cause, applies = reason_cause(c, scope, exception.span), add_ability_check(c, attached, locals_, limit)
    return ReasonAlternative(cause, applies, require, exception.because, title_in_sentence(c, attached))


# --- exceptions to steps ---------------------------------------------------------------------------


def exceptions_to(c: Context, name: str, edge: str) -> Exceptions:
    """Return the exceptions to a routine or to a change of a keep or resource, local ones first."""
    return (*local_exceptions(c, name, edge), *c.linked.exceptions.get((name, edge), ()))


def local_exceptions(c: Context, name: str, edge: str) -> Exceptions:
    """Return the exceptions that apply only in the phase or routine being lowered."""
    if c.env.whole:
        return c.linked.exceptions.get((name, qualify_part(edge, c.env.whole)), ())
    return ()


def lower_replacement(c: Context, exceptions: Exceptions, end: BlockLabel) -> None:
    """Lower the exception that applies and jump to `end`; continue if none does."""

    def applies(attached: AttachedAbility) -> Condition:
        """Build the condition that an exception applies and is not itself running."""
        return core.All(
            (core.Test(Cell(c.layout.replacing[attached.ability]), empty=True), exception_condition(c, attached))
        )

    def lower_effect(number: int) -> None:
        """Lower an exception's steps; meanwhile a flag keeps it from replacing what they do."""
        running = c.layout.replacing[exceptions[number].ability]
        c.store_silently(running, Const(1))
        with c.mark_optional():
            _lower_use(c, exceptions[number])
        c.store_silently(running, NOTHING)

    select_exception(c, exceptions, applies, lower_effect, end)


def _lower_replacement_result(c: Context, result: Var, exceptions: Exceptions) -> None:
    """Lower the exceptions; the result is whether one replaced the step."""
    c.set(result, Const(1))
    with c.block() as done:
        lower_replacement(c, exceptions, done)
        c.set(result, NOTHING)


def _call_replacement(c: Context, procedure: Procedure, args: Sequence[CoreExpr], done: BlockLabel) -> None:
    """Call the procedure of exceptions to a step, and jump to `done` if one of them replaced the step."""
    answer = c.declare()
    c.add(core.Call(procedure, tuple(args), answer, c.env.perhaps, cause=c.cause))
    c.jump(done, core.Test(answer))


# --- exceptions to gains and losses ----------------------------------------------------------------


def move_resource(c: Context, edge: str, resource: CoreExpr, amount: CoreExpr, change: ResourceChange) -> None:
    """Lower a gain or loss, or the exception that replaces it, with the moments that follow."""
    numbers = [resource.value] if isinstance(resource, Const) else range(len(c.linked.resources))
    special = [number for number in numbers if _has_exceptions_or_moments(c, number, edge)]
    if not special:
        change(c, resource, amount)
        return
    resource, amount = c.evaluate_once(resource), c.evaluate_once(amount)
    with c.block() as end:
        for number in special:
            with _if_resource(c, resource, number):
                moved = _limit_moved_amount(c, edge, number, amount)
                _lower_resource_exceptions(c, edge, number, moved, end)
                if edge == LOSING:
                    _raise_resource_moments(c, edge, number, moved)
        change(c, resource, amount)
        for number in special if edge != LOSING else ():
            with _if_resource(c, resource, number):
                _raise_resource_moments(c, edge, number, amount)


@contextmanager
def _if_resource(c: Context, resource: CoreExpr, number: int) -> Iterator[None]:
    """Open a block whose code runs only if `resource` is that `number`; a constant is not compared."""
    with c.block() as other:
        if not isinstance(resource, Const):
            c.jump_unless(core.Compare("=", resource, Const(number)), other)
        yield


def _limit_moved_amount(c: Context, edge: str, number: int, amount: CoreExpr) -> CoreExpr:
    """Return the amount that really moves; a loss is limited to what the player has."""
    if edge != LOSING or not has_floor(c, number):
        return amount
    return c.evaluate_once(make_op(o.MIN, amount, resource_place(c, number).value))


def _has_exceptions_or_moments(c: Context, number: int, edge: str) -> bool:
    """Return True if abilities wait for, or exceptions replace, a gain or loss of a resource."""
    name = c.linked.resources[number].name.word
    has_moments = any(at == edge and number in c.linked.resource_indexes(moved) for moved, at in c.linked.whens)
    return bool(exceptions_to(c, name, edge)) or has_moments


def _resource_and_groups(c: Context, number: int) -> list[t.Definition]:
    """Return a resource and the groups that contain it."""
    resource = c.linked.resources[number]
    groups = c.resolved.book.select(t.Group)
    return [
        resource,
        *(definition for definition in groups if number in c.linked.resource_indexes(definition.name.word)),
    ]


def _lower_resource_exceptions(c: Context, edge: str, number: int, amount: CoreExpr, end: BlockLabel) -> None:
    """Lower the exceptions to a gain or loss; jump to `end` if one applies."""
    resource = c.linked.resources[number]
    name = resource.name.word

    def bind_params(ctx: Context, moved: CoreExpr) -> None:
        """Bind the parameters of a resource's event, and of its groups' events, for an amount."""
        player = ctx.let(YOU)
        for definition in _resource_and_groups(ctx, number):
            params, given = list_event_params(ctx.resolved, definition), _moment_args(definition, number, player, moved)
            ctx.bind_all(params, given[: len(params)])

    local = local_exceptions(c, name, edge)
    if local:
        bind_params(c, amount)
        with c.with_environment(whole=""):
            lower_replacement(c, local, end)
    general = c.linked.exceptions.get((name, edge), ())
    if not general:
        return

    def body(ctx: Context, p: Procedure) -> None:
        """Lower the exceptions as a procedure of the amount, whose result tells if one replaced the step."""
        bind_params(ctx, p.params[0])
        _lower_replacement_result(ctx, p.result, general)

    _call_replacement(c, c.request_procedure((edge, name), 1, body, rule_of(resource)), (amount,), end)


def _moment_args(definition: t.Definition, number: int, player: CoreExpr, amount: CoreExpr) -> tuple[CoreExpr, ...]:
    """Return the arguments of a gain or loss: the player, the member of a group, and the amount."""
    if isinstance(definition, t.Group):
        return (player, Const(number), amount)
    return (player, amount)


def _raise_resource_moments(c: Context, edge: str, number: int, amount: CoreExpr) -> None:
    """Raise the moments of a gain or loss."""
    with c.block() as none:
        c.jump_unless(core.Compare(">", amount, NOTHING), none)
        for definition in _resource_and_groups(c, number):
            raise_moment(c, definition.name.word, edge, *_moment_args(definition, number, c.let(YOU), amount))


# --- exceptions to members that join or leave a keep -----------------------------------------------


def filter_passing(c: Context, keep: t.Keep, edge: str, args: Sequence[CoreExpr], members: CoreExpr) -> CoreExpr:
    """Return the members that join or leave a keep after exceptions have replaced some moves."""
    if not exceptions_to(c, keep.name.word, edge):
        return members
    remaining, kind = c.let(members), c.layout.keeps[keep.name.word].type.kind
    local, general = local_exceptions(c, keep.name.word, edge), c.linked.exceptions.get((keep.name.word, edge), ())
    with c.loop_over_members(c.evaluate_once(members)) as member, c.block() as passing:
        with c.block() as stays:
            if local:
                is_replaced = c.let(NOTHING)
                with c.with_environment(whole=""):
                    _lower_exceptions_to_move(c, keep, local, (*args, member), is_replaced)
                c.jump(stays, core.Test(is_replaced))
            if general:
                _call_replacement(c, _request_passing(c, keep, edge, general), (*args, member), stays)
            c.jump(passing)
        c.set(remaining, make_op(o.ANDN, remaining, singleton_set(c, member, kind)))
    return remaining


def _request_passing(c: Context, keep: t.Keep, edge: str, exceptions: Exceptions) -> Procedure:
    """Request the procedure that tells if a move was replaced; the owner of a per-player keep is `you` in it."""
    params, name = list_event_params(c.resolved, keep), keep.name.word

    def body(ctx: Context, p: Procedure) -> None:
        """Lower the exceptions as a procedure whose result tells if one replaced the move."""
        _lower_exceptions_to_move(ctx, keep, exceptions, p.params, p.result)

    return c.request_procedure((edge, name), len(params), body, rule_of(keep))


def _lower_exceptions_to_move(
    c: Context, keep: t.Keep, exceptions: Exceptions, args: Sequence[CoreExpr], result: Var
) -> None:
    """Lower exceptions to joining or leaving a keep, with the keep's owner as `you`; `result` is 1 if one applied."""
    params = list_event_params(c.resolved, keep)
    c.bind_all(params, args)
    owner = next((var for param, var in zip(params, args, strict=True) if param.kind.word == "player"), None)
    outer_you = c.let(YOU)
    if owner is not None:
        c.store_silently(o.YOU, owner)
    _lower_replacement_result(c, result, exceptions)
    c.store_silently(o.YOU, outer_you)


# --- changes of a keep with the moments they raise -------------------------------------------------


def change_place(
    c: Context, place_expr: t.Expr, target: StorageLocation, opcode: int | None, operand: CoreExpr
) -> None:
    """Assign `operand` to a place or, given an opcode, combine it with the old value; raise moments and exceptions."""
    keep = keep_of(c.resolved, place_expr)
    awaited = [edge for edge in MEMBERSHIP_EDGES if keep is not None and (keep.name.word, edge) in c.linked.whens]
    if keep is not None and any(exceptions_to(c, keep.name.word, edge) for edge in MEMBERSHIP_EDGES):
        _change_with_exceptions(c, keep, place_expr, target, _combine(target, opcode, operand))
        return
    if keep is None or not awaited:
        target.store(c, _combine(target, opcode, operand))
        return
    operand = c.evaluate_once(operand)
    args = [c.let(lower_value(c, arg)) for arg in (place_expr.args if isinstance(place_expr, t.Apply) else ())]
    if LEAVING in awaited:
        _raise_member_moments(c, keep, LEAVING, args, make_op(o.ANDN, target.value, _combine(target, opcode, operand)))
    old_value = c.let(target.value)  # the moments may have changed it
    target.store(c, _combine(target, opcode, operand))
    if JOINING in awaited:
        _raise_member_moments(c, keep, JOINING, args, make_op(o.ANDN, target.value, old_value))


def _change_with_exceptions(
    c: Context, keep: t.Keep, place_expr: t.Expr, target: StorageLocation, new_value: CoreExpr
) -> None:
    """Assign a value to a place; exceptions first decide which members really join and leave."""
    new_value = c.let(new_value)
    args = [c.let(lower_value(c, arg)) for arg in (place_expr.args if isinstance(place_expr, t.Apply) else ())]
    leaving, joining = (
        c.evaluate_once(make_op(o.ANDN, target.value, new_value)),
        c.evaluate_once(make_op(o.ANDN, new_value, target.value)),
    )
    removed = c.evaluate_once(filter_passing(c, keep, LEAVING, args, leaving))
    if (keep.name.word, LEAVING) in c.linked.whens:
        _raise_member_moments(c, keep, LEAVING, args, removed)
    target.store(c, make_op(o.ANDN, target.value, removed))
    added = c.evaluate_once(filter_passing(c, keep, JOINING, args, joining))
    target.store(c, make_op(o.OR, target.value, added))
    if (keep.name.word, JOINING) in c.linked.whens:
        _raise_member_moments(c, keep, JOINING, args, added)


def _combine(target: StorageLocation, opcode: int | None, operand: CoreExpr) -> CoreExpr:
    """Return the operand, or, given an opcode, the result of it on the place's old value and the operand."""
    return operand if opcode is None else make_op(opcode, target.value, operand)


def _raise_member_moments(c: Context, keep: t.Keep, edge: str, args: Sequence[CoreExpr], members: CoreExpr) -> None:
    """Raise the moment `edge` of a keep for each member of a set, lowest number first."""
    with c.loop_over_members(c.evaluate_once(members)) as member:
        raise_moment(c, keep.name.word, edge, *args, member)
