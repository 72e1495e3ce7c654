"""Lowering of actions, with choices checked by named rules, lookahead for completable options, and dice payments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations as combinations_of

from edict.compiler.codegen import core
from edict.compiler.codegen.core import BlockLabel, Condition, Const, CoreExpr, Procedure, Var
from edict.compiler.codegen.core_builder import ALWAYS, make_op
from edict.compiler.english import describe
from edict.compiler.lowering import choice_lowering, costs
from edict.compiler.lowering.asks import (
    BranchDomain,
    ConditionBuilder,
    MemberDomain,
    MemberFilter,
    QuestionSpec,
    ReasonScope,
    Requirement,
    current_scope,
    reason_cause,
)
from edict.compiler.lowering.block_lowering import lower_block, register_procedure
from edict.compiler.lowering.context import NOTHING, YOU, Context
from edict.compiler.lowering.exception_lowering import lower_used_exception, rules_of
from edict.compiler.lowering.program_reasons import (
    ImpliedCondition,
    add_ability_check,
    build_implied_price,
    build_implied_use_limit,
    build_value,
    build_value_if_computed,
    title_forms,
    title_in_sentence,
)
from edict.compiler.lowering.program_wording import action_prompt, choose_next_text, price_text, shifts_text
from edict.compiler.lowering.quantity_lowering import applies_condition, build_unused_condition, use_up
from edict.compiler.lowering.transactions import pay_bundle
from edict.compiler.lowering.value_lowering import lower_value
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import Local, split_parts
from edict.compiler.syntax import tree as t
from edict.runtime.program import Question, ValueType
from edict.runtime.program import opcodes as o
from edict.runtime.program.reasons import ConditionCheck, ReasonAlternative
from edict.support.morphology import count_title, split_title
from edict.support.records import dataclass


@register_procedure("action")
def _lower_action(c: Context, p: Procedure, action: t.Action, decline: str | None) -> None:
    """Lower an action: its rules, choices, payment and steps; the procedure's result is 1 if it was done."""
    _ActionLowering(c, action).lower(p, decline)


@register_procedure("possible")
def _lower_action_test(c: Context, p: Procedure, action: t.Action) -> None:
    """Lower the procedure whose result is 1 if an action could be done now; it asks and changes nothing."""
    _ActionLowering(c, action).lower_test(p)


class _ActionLowering:
    """The lowering of one action."""

    def __init__(self, c: Context, action: t.Action) -> None:
        self.c = c
        self.action = action
        self.choices = action.params
        self.rules = rules_of(c, action)
        self.shifts = shifts_of(c, action)
        self.payment: PayableTotals | None = None

    def prepare_payment(self) -> None:
        """Compute which totals can be paid before anything is chosen."""
        if self.action.payment is not None:
            self.payment = compute_payable_totals(self.c, self.action.payment, self.shifts)

    def lower(self, p: Procedure, decline: str | None) -> None:
        """Lower the action; the result is 1 if it was done."""
        c = self.c
        c.set(p.result, NOTHING)
        self.prepare_payment()
        with c.block() as out:
            self._test_general_rules(out)
            if not self.choices:
                self._ask_without_choices(decline, out)
            for level in range(1, len(self.choices) + 1):
                self._ask_choice(level, decline if level == 1 else None, out)
            used_exceptions = [pair for rule in self.rules for pair in rule.lower_usage(c)]
            if self.payment is not None:
                self.payment.lower_payment(c, self.action)
            for flag, attached in used_exceptions:
                lower_used_exception(c, flag, attached)
            lower_block(c, self.action.then)
            c.set(p.result, Const(1))

    def lower_test(self, p: Procedure) -> None:
        """Lower the test whether the action can be done, without asking anything."""
        c = self.c
        c.set(p.result, NOTHING)
        self.prepare_payment()
        with c.block() as out:
            self._test_general_rules(out)
            if self.choices:
                c.jump_unless(self._choice_domain(1).has_options(c), out)
            else:
                self._ask_without_choices(None, out)
            c.set(p.result, Const(1))

    # --- asking --------------------------------------------------------------------------------------

    def _test_general_rules(self, out: BlockLabel) -> None:
        """Test the rules that do not depend on any choice."""
        for rule in self.rules:
            if rule.level(self.c) == 0:
                self.c.jump_unless(rule.condition(self.c), out)

    def _ask_without_choices(self, decline: str | None, out: BlockLabel) -> None:
        """Test the payment of an action without choices and ask if it should be done."""
        c = self.c
        if self.payment is not None:
            c.jump_unless(self.payment.payable_conditions(c)[0], out)
        if decline is None:
            return
        yes = Question("may", action_prompt(self.action), "branch", labels=("Yes",), keys=("yes",))
        question = c.add_question(yes, decline)
        QuestionSpec(question, BranchDomain(((),)), declined=out).lower(c, reports_fork=False)

    def _ask_choice(self, level: int, decline: str | None, out: BlockLabel) -> None:
        """Ask for choice `level` (from 1) and bind it; jump to `out` if it is declined or, if mandatory, impossible."""
        c, choice = self.c, self.choices[level - 1]
        none, declined = (out, None) if decline is None else (None, out)
        question = choice_lowering.choice_question(c, choice, decline)
        ask = QuestionSpec(
            question, self._choice_domain(level), choice_lowering.choosing_seat(c, choice), none, declined
        )
        c.bind(choice, ask.lower(c, reports_fork=False))

    # --- options ---------------------------------------------------------------------------------------

    def _choice_domain(self, level: int) -> MemberDomain:
        """Return the domain of a choice, the members that keep the rules and can be completed."""
        c, choice = self.c, self.choices[level - 1]
        local = c.resolved.binds[choice]
        needs = [rule.requirement(c, local) for rule in self.rules if rule.level(c) == level]
        if level < len(self.choices):
            needs.append(self._next_choice_requirement(level, local))
        elif self.payment is not None:
            needs.append(self._payment_requirement(self.payment, local))
        domain = choice_lowering.choice_domain(c, choice)
        return replace(domain, filters=(*domain.filters, MemberFilter(local, tuple(needs))))

    def _next_choice_requirement(self, level: int, local: Local) -> Requirement:
        """Return the requirement that the next choice has an option under its rules."""
        c, following = self.c, self.choices[level]
        scope = current_scope(c).with_params(local)
        text = following.prompt or choose_next_text(c.resolved, following.kind)

        def test(ctx: Context) -> Condition:
            return self._remaining_search(level).completion_condition(ctx)

        def test_from_scratch(ctx: Context) -> Condition:
            """Build the condition outside of the action, where the payable totals must be computed again."""
            fresh = _ActionLowering(ctx, self.action)
            with ctx.collect() as body:
                fresh.prepare_payment()
            return core.StatementCondition(tuple(body), fresh._remaining_search(level).completion_condition(ctx))

        implied = ImpliedCondition(
            ("next", self.action, level),
            scope,
            following.span,
            test_from_scratch,
            lambda _: text,
            self._deciding_nodes(),
        )
        return replace(implied.to_requirement("next"), test=test)

    def _remaining_search(self, level: int) -> _CompletionSearch:
        """Return the search over the choices behind a level and all conditions they must meet."""
        c, choices = self.c, self.choices
        terms = [_JointCondition(rule.choice_indices(c), rule.condition) for rule in self.rules]
        if self.payment is not None:
            payment, shifts = self.payment, (attached.ability for attached in self.shifts.abilities)
            nodes = (payment.node, *shifts)
            payment_choices = {
                place
                for place, choice in enumerate(choices)
                if any(c.mentions(c.resolved.binds[choice], node) for node in nodes)
            }
            last = len(choices) - 1
            terms.append(
                _JointCondition(
                    frozenset({*payment_choices, last}), lambda ctx: core.All(payment.payable_conditions(ctx))
                )
            )
        return _CompletionSearch(self.action, tuple(range(level, len(choices))), tuple(terms))

    def _payment_requirement(self, payment: PayableTotals, local: Local) -> Requirement:
        """Return the requirement that the dice make the total, perhaps with shifts."""
        node, scope = payment.node, current_scope(self.c).with_params(local)

        def test(c: Context) -> Condition:
            return core.All(payment.payable_conditions(c))

        def test_from_scratch(c: Context) -> Condition:
            """Build the condition outside of the action, where the payable totals must be computed again."""
            with c.collect() as body:
                totals = compute_payable_totals(c, node, self.shifts)
            return core.StatementCondition(tuple(body), core.All(totals.payable_conditions(c)))

        implied = ImpliedCondition(
            ("dice", self.action),
            scope,
            node.span,
            test_from_scratch,
            lambda c: describe_required_dice(c, node),
            self._deciding_nodes(),
            lambda c: (*build_value_if_computed(c, node.total, scope), *build_value_if_computed(c, node.place, scope)),
        )
        return replace(
            implied.to_requirement("dice"), test=test, unless=lambda c: self.shifts.alternatives(c, (local,))
        )

    def _deciding_nodes(self) -> tuple[t.Node, ...]:
        """Return all nodes that decide what can be chosen and paid."""
        payment = (self.action.payment,) if self.action.payment is not None else ()
        exceptions = (attached.ability for rule in self.rules for attached in rule.exceptions)
        shifts = (attached.ability for attached in self.shifts.abilities)
        return (*self.action.params, *self.action.rules, *payment, *exceptions, *shifts)


# --- lookahead over the remaining choices -----------------------------------------------------------------


@dataclass(frozen=True)
class _JointCondition:
    """A condition on several choices together."""

    about: frozenset[int]  # the choices it depends on
    test: ConditionBuilder


@dataclass(frozen=True)
class _CompletionSearch:
    """The search for a way to make all remaining choices of an action.

    Each condition is tested as soon as all choices it depends on are made. The search picks the choice that decides
    the most conditions next, stops at the first solution, and treats independent groups of choices separately.
    Choices are identified by their index in the action.
    """

    action: t.Action
    open_choices: tuple[int, ...]  # choices still to be made
    terms: tuple[_JointCondition, ...]

    def completion_condition(self, c: Context) -> Condition:
        """Build the condition that all remaining choices can be made, without asking anybody."""
        conditions = tuple(self._group_condition(c, group) for group in self._dependency_groups(c))
        return conditions[0] if len(conditions) == 1 else core.All(conditions)

    def _group_condition(self, c: Context, group: tuple[int, ...]) -> Condition:
        """Build the condition that a group of choices can be made: some first member leaves a solution for the rest."""
        first = self._pick_choice(c, group)
        rest = tuple(place for place in group if place != first)
        choice = self.action.params[first]
        local = c.resolved.binds[choice]
        members = choice_lowering.choice_domain(c, choice).options(c)
        decided = [term for term in self.terms if first in term.about and not term.about & {*rest}]
        if decided:
            c.bindings[local] = member = Var()
            members = core.FilteredSet(members, member, tuple(term.test(c) for term in decided))
        if not rest:
            return core.Test(members)
        c.bindings[local] = candidate = Var()
        return core.Quantifier(False, members, candidate, replace(self, open_choices=rest).completion_condition(c))

    def _pick_choice(self, c: Context, group: tuple[int, ...]) -> int:
        """Return the choice of a group that decides most conditions, among those that depend on no other one."""
        independent = [place for place in group if not any(self._depends_on(c, place, other) for other in group)]
        return max(independent, key=lambda place: sum(term.about & {*group} == {place} for term in self.terms))

    def _dependency_groups(self, c: Context) -> list[tuple[int, ...]]:
        """Partition the choices into groups that depend on each other, directly or through others."""
        groups: list[tuple[int, ...]] = []
        for place in self.open_choices:
            joined = [group for group in groups if any(self._are_related(c, place, other) for other in group)]
            groups = [group for group in groups if group not in joined]
            groups.append(tuple(sorted((place, *(member for group in joined for member in group)))))
        return sorted(groups)

    def _are_related(self, c: Context, first: int, second: int) -> bool:
        """Return True if a condition is about both choices, or the options of one depend on the other."""
        shares_condition = any({first, second} <= term.about for term in self.terms)
        return shares_condition or self._depends_on(c, first, second) or self._depends_on(c, second, first)

    def _depends_on(self, c: Context, place: int, other: int) -> bool:
        """Return True if the options of one choice depend on the other choice."""
        choices = self.action.params
        return place != other and c.mentions(c.resolved.binds[choices[other]], choices[place])


# --- a payment in dice -----------------------------------------------------------------------------


@dataclass(frozen=True)
class PayableTotals:
    """The totals that the dice of a payment can make."""

    node: t.Payment
    shifts: DiceShifts
    dice: CoreExpr
    required_fields: Const  # fields of the dice that must be among them
    possible: CoreExpr  # shifts that may apply, which `reach` uses
    certain: CoreExpr  # shifts that apply whatever is chosen, which `sure` uses
    reach: CoreExpr  # totals with the possible shifts
    sure: CoreExpr  # totals with the certain shifts

    def payable_conditions(self, c: Context) -> tuple[Condition, ...]:
        """Build the conditions that the total can be made, given the choices."""
        in_reach = core.Compare("in", lower_value(c, self.node.total), self.reach)
        if self.shifts.conditional:
            return (in_reach, self._is_reached(c))
        return (in_reach,)

    def _is_reached(self, c: Context) -> Condition:
        """Build the condition that the shifts that apply to the choices make the total."""
        with c.collect() as total_body:
            total = c.let(lower_value(c, self.node.total))
        with c.collect() as body:
            allowed = c.evaluate_once(self.shifts.current_shifts(c, self.certain))
        reach = _reachable_totals(self.node, self.dice, self.required_fields, allowed, self.shifts)
        reached = core.Any_((core.Compare("=", allowed, self.possible), core.Compare("in", total, reach)))
        sure = core.Any_((core.Compare("in", total, self.sure), core.StatementCondition(tuple(body), reached)))
        return core.Any_((core.Compare("=", self.reach, self.sure), core.StatementCondition(tuple(total_body), sure)))

    def lower_payment(self, c: Context, action: t.Action) -> None:
        """Ask which dice to pay with; take them and pay for the shifts."""
        node, total = self.node, c.let(lower_value(c, self.node.total))
        allowed, table = c.evaluate_once(self.shifts.current_shifts(c, self.certain)), self.shifts.table
        c.add_step(o.WAYS, total, lower_value(c, node.place), self.required_fields, node.least, allowed, table)
        name = f"pay-{action.name.word}"
        c.parts.shift_words[name] = self.shifts.describe_combinations(c)
        prompt, keys = node.prompt or "With which dice?", self.shifts.combination_keys()
        question = c.add_question(Question(name, prompt, "ways", name, keys=keys))
        self._total_requirement(c).add_reasons(c, question)
        c.parts.totals[name] = tuple(shift for _, shift, _ in self.shifts.combinations)
        answer, dice, combination = Var(), Var(), Var()
        c.add(core.AskSeat(question, YOU, None, answer, cause=c.cause))
        c.add_step(o.TAKEN, dice, answer, combination)
        c.bind(node, dice)
        used_shifts = core.TableLookup(tuple(need for need, _, _ in self.shifts.combinations), combination)
        self.shifts.lower_use(c, c.evaluate_once(used_shifts))

    def _total_requirement(self, c: Context) -> Requirement:
        """Return the requirement of every way to pay; the values of its check are the total and the dice available."""
        scope, node = current_scope(c), self.node

        def check(ctx: Context) -> int:
            """Add the check of the required dice, with the total and the available dice; return its number."""
            values = (build_value(ctx, node.total, scope), build_value(ctx, node.place, scope))
            return ctx.parts.add_check(
                ConditionCheck(
                    "is", describe_required_dice(ctx, node), reason_cause(ctx, scope, node.span), values=values
                )
            )

        return Requirement(
            "total", scope, node.span, lambda _: ALWAYS, check, unless=lambda ctx: self.shifts.alternatives(ctx, ())
        )


def compute_payable_totals(c: Context, node: t.Payment, shifts: DiceShifts) -> PayableTotals:
    """Emit code that computes the totals the available dice can make, before anything is chosen."""
    fields = 0
    if node.die is not None:
        name = c.symbol_of(node.die).name
        fields = next(((1 << sides) - 1) << first for n, _, sides, first in c.layout.dice.kinds if n == name)
    certain = c.evaluate_once(shifts.certain_shifts(c))
    possible = c.evaluate_once(shifts.possible_shifts(c, certain))
    dice, required = c.evaluate_once(lower_value(c, node.place)), Const(fields)
    reach = c.evaluate_once(_reachable_totals(node, dice, required, possible, shifts))
    if shifts.conditional:
        sure = c.evaluate_once(_reachable_totals(node, dice, required, certain, shifts))
    else:
        sure = reach
    return PayableTotals(node, shifts, dice, required, possible, certain, reach, sure)


def _reachable_totals(
    node: t.Payment, dice: CoreExpr, required: Const, allowed: CoreExpr, shifts: DiceShifts
) -> CoreExpr:
    """Return the totals that the dice can make with these shifts."""
    return make_op(o.REACH, dice, required, node.least, allowed, shifts.table)


def describe_required_dice(c: Context, payment: t.Payment) -> str:
    """Describe the dice that the payment must include; empty if there are none."""
    if payment.die is None or not payment.least:
        return ""
    return count_title(payment.least, *split_title(title_forms(c.symbol_of(payment.die))))


# --- shifts of the total of dice -------------------------------------------------------------------


# bits of the shifts it needs, total shift, and each shift with its amount
Combination = tuple[int, int, tuple[tuple[int, int], ...]]


@dataclass(frozen=True)
class DiceShifts:
    """The shifts of the dice total of an action."""

    abilities: tuple[AttachedAbility, ...]
    # sets of shifts that share resources and so must be payable together; their bits follow the shifts' own
    joint: tuple[frozenset[int], ...]
    combinations: tuple[Combination, ...]
    conditional: tuple[int, ...]  # indices of the shifts whose condition depends on a choice

    @property
    def table(self) -> tuple[int, ...]:
        """Return the machine's table: the number of combinations, then the shifts and the total shift of each."""
        return (len(self.combinations), *(x for need, shift, _ in self.combinations for x in (need, shift)))

    def certain_shifts(self, c: Context) -> CoreExpr:
        """Return the set of shifts that you may use now whatever is chosen."""
        return self._lower_allowed_shifts(c, [i for i in range(len(self.abilities)) if i not in self.conditional])

    def possible_shifts(self, c: Context, certain: CoreExpr) -> CoreExpr:
        """Return the set of shifts that may apply, ignoring conditions that depend on a choice."""
        if self.conditional:
            return self._lower_allowed_shifts(c, self.conditional, certain, ignore_choices=True)
        return certain

    def current_shifts(self, c: Context, certain: CoreExpr) -> CoreExpr:
        """Return the set of shifts that apply to the choices made."""
        if self.conditional:
            return self._lower_allowed_shifts(c, self.conditional, certain)
        return certain

    def _lower_allowed_shifts(
        self, c: Context, numbers: Sequence[int], base: CoreExpr | None = None, ignore_choices: bool = False
    ) -> CoreExpr:
        """Return `base` plus those of the numbered shifts that apply, are not used up and can be paid, as a set."""
        with c.collect() as body:
            allowed = c.let(NOTHING if base is None else base)
            for i in numbers:
                attached = self.abilities[i]
                with c.block() as skip:
                    for requirement in _shift_conditions(c, attached, ignore_choices):
                        c.jump_unless(requirement, skip)
                    with c.with_ability(attached):
                        c.set(allowed, make_op(o.OR, allowed, Const(1 << i)))
            if base is None:
                self._allow_joint_sets(c, allowed)
        return core.StatementExpression(tuple(body), allowed)

    def _allow_joint_sets(self, c: Context, allowed: Var) -> None:
        """Allow sets of shifts that share resources only if all of their costs can be paid."""
        for number, joint_set in enumerate(self.joint, len(self.abilities)):
            with c.block() as skip:
                bundles = [_cost_of(self.abilities[i]) for i in sorted(joint_set)]
                parts = tuple(part for bundle in bundles for part in bundle.parts)
                c.jump_unless(costs.bundle_payable(c, t.Bundle(bundles[0].span, parts)), skip)
                c.set(allowed, make_op(o.OR, allowed, Const(1 << number)))

    def describe_combinations(self, c: Context) -> tuple[tuple[str, ...], ...]:
        """Return for each combination of shifts the labels of its shifts, as players read them."""
        return tuple(
            tuple(_describe_shift(c, self.abilities[i], amount) for i, amount in parts)
            for _, _, parts in self.combinations
        )

    def combination_keys(self) -> tuple[str, ...]:
        """Return for each combination of shifts the text that identifies it as an option, in any language."""
        return tuple(
            shifts_text((self.abilities[i], amount) for i, amount in parts) for _, _, parts in self.combinations
        )

    def lower_use(self, c: Context, used: CoreExpr) -> None:
        """Emit code that announces, pays for and uses up every shift whose number is in the set `used`."""
        for i, attached in enumerate(self.abilities):
            _use_shift(c, i, attached, used)

    def alternatives(self, c: Context, locals_: tuple[Local, ...]) -> tuple[ReasonAlternative, ...]:
        """Return each shift as a way to change the total, with the checks that decide if it is available."""
        return tuple(_shift_alternative(c, attached, locals_) for attached in self.abilities)


def shifts_of(c: Context, action: t.Action) -> DiceShifts:
    """Return the shifts that apply to an action."""
    abilities = c.linked.shifts.get(action.name.word, ())
    joint = tuple(_find_joint_sets(c, abilities))
    choice_locals = {c.resolved.binds[choice] for choice in action.params}
    conditions = [getattr(attached.ability, "condition", None) for attached in abilities]
    conditional = [
        i for i, attached in enumerate(conditions) if any(c.mentions(local, attached) for local in choice_locals)
    ]
    return DiceShifts(abilities, joint, tuple(_list_combinations(abilities, joint)), tuple(conditional))


# --- one shift -------------------------------------------------------------------------------------


def _shift_conditions(c: Context, attached: AttachedAbility, ignore_choices: bool) -> list[Condition]:
    """Return the conditions of a shift that do not always hold: it applies, is not used up, and can be paid."""
    payment = [costs.bundle_payable(c, _cost_of(attached))] if _has_cost(attached) else []
    return [
        requirement
        for requirement in (
            applies_condition(c, attached, ignore_choices),
            build_unused_condition(c, attached.ability),
            *payment,
        )
        if requirement is not ALWAYS
    ]


def _shift_alternative(c: Context, attached: AttachedAbility, locals_: tuple[Local, ...]) -> ReasonAlternative:
    """Return a shift as a way to change the total, for explanations, with checks of its limit and price."""
    shift, scope = attached.ability, ReasonScope((attached.name, attached.title), locals_)
    assert isinstance(shift, t.Shift)
    if shift.once_per is not None:
        extra_checks = [build_implied_use_limit(shift, scope, "it has not been used yet, ").add_check(c)]
    else:
        extra_checks = []
    if shift.spending is not None:
        text = f"you can pay {price_text(c.resolved, shift.spending)}"
        extra_checks.append(build_implied_price(scope, text, (shift.spending,)).add_check(c))
    guard = add_ability_check(c, attached, locals_, tuple(extra_checks))
    title, words = title_in_sentence(c, attached), describe(c.resolved, shift)
    return ReasonAlternative(reason_cause(c, scope, shift.span), guard, because=words, title=title)


def _use_shift(c: Context, number: int, attached: AttachedAbility, used: CoreExpr) -> None:
    """Emit code that announces a shift, pays for it and uses it up, if its number is in the set `used`."""
    shift = attached.ability
    assert isinstance(shift, t.Shift)
    with c.block() as skip:
        c.jump_unless(core.Compare("in", Const(number), used), skip)
        with c.with_ability(attached):
            if attached.thing is not None:
                c.add_step(o.SAY, c.parts.add_announcement("", ValueType("thing", "player"), False), YOU)
                c.add_step(
                    o.SAY, c.parts.add_announcement(f"uses {title_in_sentence(c, attached)}", None, True), NOTHING
                )
            if shift.spending is not None:
                pay_bundle(c, shift.spending)
            use_up(c, shift)


def _has_cost(attached: AttachedAbility) -> bool:
    """Return True if an ability is a dice shift with a price."""
    return isinstance(attached.ability, t.Shift) and attached.ability.spending is not None


def _cost_of(attached: AttachedAbility) -> t.Bundle:
    """Return the price of a dice shift, which must have one."""
    assert isinstance(attached.ability, t.Shift) and attached.ability.spending is not None
    return attached.ability.spending


def _describe_shift(c: Context, attached: AttachedAbility, by: int) -> str:
    """Return the label of a shift for players: its price, or its title with the number, such as `Mill +2`."""
    if _has_cost(attached):
        return price_text(c.resolved, _cost_of(attached))
    return f"{attached.title} {by:+d}" if attached.title else f"{by:+d}"


# --- shifts together -------------------------------------------------------------------------------


def _list_combinations(shifts: tuple[AttachedAbility, ...], joint: Sequence[frozenset[int]]) -> list[Combination]:
    """List every combination of shifts.

    Behind the bits of the shifts is one for each set that must be payable together.
    """
    combinations: list[Combination] = [(0, 0, ())]
    for i, attached in enumerate(shifts):
        assert isinstance(attached.ability, t.Shift)
        combinations += [
            (need | 1 << i, total + amount, (*parts, (i, amount)))
            for need, total, parts in combinations
            for amount in attached.ability.by
        ]
    bits = {joint_set: 1 << number for number, joint_set in enumerate(joint, len(shifts))}
    combinations = [(need | _joint_bits(need, bits), total, parts) for need, total, parts in combinations]
    return sorted(combinations, key=lambda combination: (len(combination[2]), abs(combination[1])))


def _joint_bits(need: int, bits: Mapping[frozenset[int], int]) -> int:
    """Return the bits of all joint sets that `need` contains; the largest would do, the others do no harm."""
    return sum(bit for joint_set, bit in bits.items() if all(need >> i & 1 for i in joint_set))


def _find_joint_sets(c: Context, shifts: tuple[AttachedAbility, ...]) -> list[frozenset[int]]:
    """Find the sets of shifts in which each shares a resource with another one."""
    resources = {
        i: _payment_resources(c, _cost_of(attached)) for i, attached in enumerate(shifts) if _has_cost(attached)
    }
    sets = (
        frozenset(joint_set) for size in range(2, len(resources) + 1) for joint_set in combinations_of(resources, size)
    )
    return [joint_set for joint_set in sets if all(_shares_resource(resources, i, joint_set) for i in joint_set)]


def _shares_resource(resources: Mapping[int, set[int]], shift: int, joint_set: frozenset[int]) -> bool:
    """Return True if a shift uses a resource that another one of the set uses, too."""
    return any(resources[shift] & resources[other] for other in joint_set - {shift})


def _payment_resources(c: Context, bundle: t.Bundle) -> set[int]:
    """Return the resources that a bundle may take; all if a part is known only in play."""
    resources: set[int] = set()
    for part in split_parts(c.resolved, bundle):
        members = costs.possible_payment(c, part)
        resources |= set(costs.payable_resources(c) if members is None else members)
    return resources
