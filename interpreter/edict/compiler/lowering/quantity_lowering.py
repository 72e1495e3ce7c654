"""Lowering of quantities, and of the conditions under which an ability applies."""

from __future__ import annotations

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Condition, Const, CoreExpr, Procedure
from edict.compiler.codegen.core_builder import ALWAYS, NEVER, make_op
from edict.compiler.lowering.context import NOTHING, YOU, Context, rule_of
from edict.compiler.lowering.value_lowering import lower_condition, lower_value
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.types import param_type
from edict.compiler.syntax import tree as t
from edict.runtime.program import Period, ValueType
from edict.runtime.program import opcodes as o


def call_quantity(c: Context, name: str, args: list[CoreExpr]) -> CoreExpr:
    """Return a quantity's value, a constant if nothing changes it."""
    quantity: t.Quantity = c.resolved.require_definition(name)
    if isinstance(quantity, t.Term):
        return core.CallResult(quantity_procedure(c, quantity, False), tuple(args))
    if not c.env.noted and is_constant_quantity(c, quantity):
        return Const(c.constants.evaluate(quantity.value))
    return core.CallResult(quantity_procedure(c, quantity, c.env.noted), tuple(args))


def quantity_procedure(c: Context, quantity: t.Quantity, noted: bool) -> Procedure:
    """Request the procedure of a quantity, which reports its adjustments as events if `noted`."""
    name = quantity.name.word
    return c.request_procedure(
        ("quantity", name, noted),
        len(quantity.params),
        lambda ctx, p: _QuantityLowering(ctx, p, quantity, noted).lower(),
        rule_of(quantity),
        result_type=c.type_of(quantity.value),
    )


def is_constant_quantity(c: Context, quantity: t.Quantity) -> bool:
    """Return True if a quantity is a plain number without adjustments, a hook for modules that then costs nothing."""
    bounded = quantity.at_least is not None or quantity.at_most is not None
    return isinstance(quantity.value, t.Number) and not bounded and quantity.name.word not in c.linked.adjusts


class _QuantityLowering:
    """The lowering of a quantity: the base value, each adjustment in turn, then the bounds."""

    def __init__(self, c: Context, procedure: Procedure, quantity: t.Quantity, noted: bool) -> None:
        self.c = c
        self.quantity = quantity
        self.reports_terms = noted
        self.params = procedure.params
        self.result = procedure.result

    def lower(self) -> None:
        """Emit code that computes the base value, applies each adjustment and bounds, with the player as `you`."""
        c, you = self.c, self._player_param()
        c.bind_all(self.quantity.params, self.params)
        outer_you = c.let(YOU) if you is not None else None
        if you is not None:
            c.store_silently(o.YOU, self.params[you])
        c.set(self.result, lower_formula(c, self.quantity.value))
        self._report_term(self.result)
        for attached in c.linked.adjusts.get(self.quantity.name.word, ()):
            self._lower_adjustment(attached)
        for bound, opcode in ((self.quantity.at_least, o.MAX), (self.quantity.at_most, o.MIN)):
            if bound is not None:
                c.set(self.result, make_op(opcode, self.result, lower_value(c, bound)))
        if outer_you is not None:
            c.store_silently(o.YOU, outer_you)

    def _player_param(self) -> int | None:
        """Return the index of the parameter that is the player the quantity is about."""
        for i, param in enumerate(self.quantity.params):
            if param_type(self.c.resolved, param) == ValueType("thing", "player"):
                return i
        return None

    def _lower_adjustment(self, attached: AttachedAbility) -> None:
        """Emit code that adds an adjustment's amount to the result if the ability applies."""
        c, adjust = self.c, attached.ability
        assert isinstance(adjust, t.Adjust)
        with c.with_ability(attached), c.block() as skip:
            c.jump_unless(applies_condition(c, attached), skip)
            amount = c.evaluate_once(self._adjustment_amount(adjust))
            c.set(self.result, make_op(o.ADD, self.result, amount))
            self._report_term(amount)

    def _adjustment_amount(self, adjust: t.Adjust) -> CoreExpr:
        """Return the change that an adjustment makes, so that each one can be reported alone and all add up.

        The last operation is not a sum unless a number is set, because explanations take sums apart.
        """
        operand, current = lower_value(self.c, adjust.number), self.result
        if adjust.by is not None:
            return operand
        if adjust.to is not None:
            return make_op(o.SUB, operand, current)
        if adjust.times is not None:
            return make_op(o.MUL, current, make_op(o.SUB, operand, Const(1)))
        if adjust.rounded_up:
            return make_op(
                o.DIV, make_op(o.ADD, current, make_op(o.DIV, make_op(o.SUB, NOTHING, current), operand)), Const(-1)
            )
        return make_op(o.DIV, make_op(o.SUB, current, make_op(o.DIV, current, operand)), Const(-1))

    def _report_term(self, amount: CoreExpr) -> None:
        """Emit an event with a term of the quantity, if its terms are reported."""
        if self.reports_terms:
            self.c.add_step(o.TERM, self.c.quantities[self.quantity.name.word], amount, YOU)


def lower_formula(c: Context, expr: t.Expr) -> CoreExpr:
    """Lower a sum so that each of its terms has a cause of its own."""
    parts = split_sum(expr) if c.type_of(expr).shape == "number" else None
    if parts is not None:
        sign, left, right = parts
        total = make_op(o.ADD if sign == "+" else o.SUB, lower_formula(c, left), lower_formula(c, right))
        with c.with_line(
            (left if isinstance(left, t.Number) else right).span
        ):  # a number is attributed to the place where it is added
            return c.evaluate_once(total)
    with c.with_line(expr.span):
        return c.evaluate_once(lower_value(c, expr))


def split_sum(expr: t.Expr) -> tuple[str, t.Expr, t.Expr] | None:
    """Return the sign and both sides of a sum, or None for other expressions."""
    if isinstance(expr, t.Binary) and expr.op in ("+", "-"):
        return (expr.op, expr.left, expr.right)
    return None


def works_condition(c: Context, attached: AttachedAbility) -> Condition:
    """Build the condition that an ability's thing works for you."""
    kind: t.Kind | None = (
        c.resolved.require_definition(attached.thing.kind.word) if attached.thing is not None else None
    )
    if kind is None or attached.thing is None or kind.works_if is None:
        return ALWAYS
    c.bind(kind, Const(c.linked.thing_index(attached.thing.name.word, kind.name.word)))
    with c.with_works_check(attached):
        return lower_condition(c, kind.works_if)


def applies_condition(c: Context, attached: AttachedAbility, thing_only: bool = False) -> Condition:
    """Build the condition that an ability applies to you.

    Its thing works, its condition holds, and no ability to which it yields applies. With `whatever`, only the thing
    is tested.
    """
    others = c.linked.yielding.get(attached.ability, ())
    if others is None:
        return NEVER
    if thing_only:
        return works_condition(c, attached)
    own = _own_condition(c, attached)
    if others:
        return core.All((own, *(core.Not(_own_condition(c, other)) for other in others)))
    return own


def _own_condition(c: Context, attached: AttachedAbility) -> Condition:
    """Build the condition that its thing works and its own condition holds."""
    condition_expr = getattr(attached.ability, "condition", None)
    thing_works = works_condition(c, attached)
    if condition_expr is None:
        return thing_works
    with c.with_ability(attached):
        holds_itself = lower_condition(c, condition_expr)
    if thing_works is ALWAYS:
        return holds_itself
    return core.All((thing_works, holds_itself))


# --- limits such as `once per` ---------------------------------------------------------------------


def resolve_periods(c: Context) -> tuple[Period, ...]:
    """Return the periods of limited abilities with the addresses of their flags; call it after assembly."""
    attached_by_ability = {attached.ability: attached for attached in c.linked.held}

    def cause(ability: t.Ability) -> int:
        """Return the number of the cause of an ability, to explain its limit."""
        return c.add_cause(attached_by_ability[ability].name, attached_by_ability[ability].title, ability.span)

    return tuple(
        Period(phase, c.layout.periods[phase], tuple(map(cause, abilities)))
        for phase, abilities in c.linked.periods.items()
    )


def reset_period(c: Context, phase: str) -> None:
    """Make the abilities that are limited to once per this phase usable again."""
    if phase in c.layout.periods:
        for player in range(c.layout.players):
            c.store_silently(c.layout.periods[phase] + player, NOTHING)


def _period_flag(c: Context, ability: t.Ability) -> tuple[int, int]:
    """Return the first flag cell of an ability's period, and its bit."""
    once: t.Name = ability.once_per  # type: ignore[attr-defined]
    phase = c.symbol_of(once).name
    return c.layout.periods[phase], c.linked.periods[phase].index(ability)


def build_unused_condition(c: Context, ability: t.Ability) -> Condition:
    """Build the condition that an ability is not used up, which always holds without a limit."""
    once: t.Name | None = getattr(ability, "once_per", None)
    if once is None:
        return ALWAYS
    base, bit = _period_flag(c, ability)
    cause = c.add_condition_cause(once.span)
    return core.Compare("not-in", Const(bit), core.Load(base, YOU), cause=cause, told=True, works=c.env.works)


def use_up(c: Context, ability: t.Ability) -> None:
    """Mark a limited ability as used."""
    _set_used_flag(c, ability, o.OR)


def restore_use(c: Context, ability: t.Ability) -> None:
    """Mark a limited ability as not used after all."""
    _set_used_flag(c, ability, o.ANDN)


def _set_used_flag(c: Context, ability: t.Ability, opcode: int) -> None:
    """Set or clear (by `opcode`) the bit of a limited ability for `you`; nothing for one without `once per`."""
    once: t.Name | None = getattr(ability, "once_per", None)
    if once is not None:
        base, bit = _period_flag(c, ability)
        used = make_op(opcode, core.Load(base, YOU), Const(1 << bit))
        with c.with_cause(c.add_condition_cause(once.span)):
            c.store_silently(base, used, YOU)
