"""Quantities, and when an ability holds: its thing works, its condition is met, it is not yet used up."""

from __future__ import annotations

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Condition, Const, Expr, Procedure
from edict.compiler.codegen.core_builder import ALWAYS, NEVER, op
from edict.compiler.lowering.context import NOTHING, YOU, Context, rule_of
from edict.compiler.lowering.value_lowering import condition, value
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.types import param_type
from edict.compiler.syntax import tree as t
from edict.runtime.program import Period, Type
from edict.runtime.program import opcodes as o


def call_quantity(c: Context, name: str, args: list[Expr]) -> Expr:
    quantity: t.Quantity = c.resolved.get(name)
    if isinstance(quantity, t.Term):
        return core.Called(quantity_procedure(c, quantity, False), tuple(args))
    if not c.now.noted and is_fixed(c, quantity):
        return Const(c.constants.value(quantity.value))
    return core.Called(quantity_procedure(c, quantity, c.now.noted), tuple(args))


def quantity_procedure(c: Context, quantity: t.Quantity, noted: bool) -> Procedure:
    """The code of a quantity; `noted` if its adjustments are to be events."""
    name = quantity.name.word
    return c.procedure(
        ("quantity", name, noted),
        len(quantity.params),
        lambda c2, p: _Quantity(c2, p, quantity, noted).write(),
        rule_of(quantity),
        gives=c.type(quantity.value),
    )


def is_fixed(c: Context, quantity: t.Quantity) -> bool:
    """A plain number that nothing adjusts: a place kept open for modules, which then costs nothing."""
    bounded = quantity.at_least is not None or quantity.at_most is not None
    return isinstance(quantity.value, t.Number) and not bounded and quantity.name.word not in c.linked.adjusts


class _Quantity:
    """The base value, then every adjustment there is in its turn, then the bounds: a straight run."""

    def __init__(self, c: Context, procedure: Procedure, quantity: t.Quantity, noted: bool) -> None:
        self.c = c
        self.quantity = quantity
        self.noted = noted
        self.params = procedure.params
        self.result = procedure.result

    def write(self) -> None:
        c, you = self.c, self._you()
        c.bind_each(self.quantity.params, self.params)
        before = c.let(YOU) if you is not None else None
        if you is not None:
            c.put(o.YOU, self.params[you])
        c.set(self.result, formula(c, self.quantity.value))
        self._note(self.result)
        for held in c.linked.adjusts.get(self.quantity.name.word, ()):
            self._adjust(held)
        for bound, code in ((self.quantity.at_least, o.MAX), (self.quantity.at_most, o.MIN)):
            if bound is not None:
                c.set(self.result, op(code, self.result, value(c, bound)))
        if before is not None:
            c.put(o.YOU, before)

    def _you(self) -> int | None:
        """Which parameter is the player the quantity is about."""
        for i, param in enumerate(self.quantity.params):
            if param_type(self.c.resolved, param) == Type("thing", "player"):
                return i
        return None

    def _adjust(self, held: AttachedAbility) -> None:
        c, adjust = self.c, held.ability
        assert isinstance(adjust, t.Adjust)
        with c.because_of(held), c.block() as skip:
            c.unless(holds(c, held), skip)
            amount = c.once(self._amount(adjust))
            c.set(self.result, op(o.ADD, self.result, amount))
            self._note(amount)

    def _amount(self, adjust: t.Adjust) -> Expr:
        """By how much the number changes: so all that made it can be told one by one, and adds up.

        What is last done with it is no sum, except where a number is set, for whoever explains a sum takes it apart.
        """
        given, before = value(self.c, adjust.number), self.result
        if adjust.by is not None:
            return given
        if adjust.to is not None:
            return op(o.SUB, given, before)
        if adjust.times is not None:
            return op(o.MUL, before, op(o.SUB, given, Const(1)))
        if adjust.rounded_up:
            return op(o.DIV, op(o.ADD, before, op(o.DIV, op(o.SUB, NOTHING, before), given)), Const(-1))
        return op(o.DIV, op(o.SUB, before, op(o.DIV, before, given)), Const(-1))

    def _note(self, amount: Expr) -> None:
        if self.noted:
            self.c.step(o.TERM, self.c.quantities[self.quantity.name.word], amount, YOU)


def formula(c: Context, expr: t.Expr) -> Expr:
    """A value whose parts between plus and minus have causes of their own, so that they can be distinguished."""
    parts = terms(expr) if c.type(expr).shape == "number" else None
    if parts is not None:
        sign, left, right = parts
        total = op(o.ADD if sign == "+" else o.SUB, formula(c, left), formula(c, right))
        with c.at((left if isinstance(left, t.Number) else right).span):  # a number stands where it is added
            return c.once(total)
    with c.at(expr.span):
        return c.once(value(c, expr))


def terms(expr: t.Expr) -> tuple[str, t.Expr, t.Expr] | None:
    """The sign and both sides of a sum, if it is one."""
    return (expr.op, expr.left, expr.right) if isinstance(expr, t.Binary) and expr.op in ("+", "-") else None


def works(c: Context, held: AttachedAbility) -> Condition:
    """Whether the thing that has the ability works for you."""
    kind: t.Kind | None = c.resolved.get(held.thing.kind.word) if held.thing is not None else None
    if kind is None or held.thing is None or kind.works_if is None:
        return ALWAYS
    c.bind(kind, Const(c.linked.index(held.thing.name.word, kind.name.word)))
    with c.if_works(held):
        return condition(c, kind.works_if)


def holds(c: Context, held: AttachedAbility, whatever: bool = False) -> Condition:
    """Whether the ability holds for you: its thing works, its condition is met, and that of none to which it yields;
    `whatever` these are, if so wanted."""
    others = c.linked.yielding.get(held.ability, ())
    if others is None:
        return NEVER
    if whatever:
        return works(c, held)
    met = _met(c, held)
    return core.All((met, *(core.Not(_met(c, other)) for other in others))) if others else met


def _met(c: Context, held: AttachedAbility) -> Condition:
    """Whether its thing works and its condition is met."""
    wanted = getattr(held.ability, "condition", None)
    first = works(c, held)
    if wanted is None:
        return first
    with c.because_of(held):
        met = condition(c, wanted)
    return met if first is ALWAYS else core.All((first, met))


# --- once in a while: where that is noted, and how it is asked -------------------------------------


def periods(c: Context) -> tuple[Period, ...]:
    """After assembly: what works once in a while, and where it is noted."""
    held = {attached.ability: attached for attached in c.linked.held}

    def cause(ability: t.Ability) -> int:
        return c.add_cause(held[ability].name, held[ability].title, ability.span)

    return tuple(
        Period(phase, c.layout.periods[phase], tuple(map(cause, abilities)))
        for phase, abilities in c.linked.periods.items()
    )


def reset_period(c: Context, phase: str) -> None:
    """What could be used once per this phase can be used again."""
    if phase in c.layout.periods:
        for player in range(c.layout.players):
            c.put(c.layout.periods[phase] + player, NOTHING)


def _period(c: Context, ability: t.Ability) -> tuple[int, int]:
    """The first cell of its period's flags, and its bit."""
    once: t.Name = ability.once_per  # type: ignore[attr-defined]
    phase = c.symbol(once).name
    return c.layout.periods[phase], c.linked.periods[phase].index(ability)


def unused(c: Context, ability: t.Ability) -> Condition:
    """Whether it can still be used, or as often as one likes."""
    once: t.Name | None = getattr(ability, "once_per", None)
    if once is None:
        return ALWAYS
    base, bit = _period(c, ability)
    cause = c.asking(once.span)
    return core.Compare("not-in", Const(bit), core.Load(base, YOU), cause=cause, told=True, works=c.now.works)


def use_up(c: Context, ability: t.Ability) -> None:
    _note_use(c, ability, o.OR)


def give_back(c: Context, ability: t.Ability) -> None:
    """It was not used after all."""
    _note_use(c, ability, o.ANDN)


def _note_use(c: Context, ability: t.Ability, operation: int) -> None:
    once: t.Name | None = getattr(ability, "once_per", None)
    if once is not None:
        base, bit = _period(c, ability)
        used = op(operation, core.Load(base, YOU), Const(1 << bit))
        with c.caused_by(c.asking(once.span)):
            c.put(base, used, YOU)
