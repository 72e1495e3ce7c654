"""To pay for an action with dice that make a total."""

from __future__ import annotations

from dataclasses import dataclass

from edict.backend import core
from edict.backend.composing import ALWAYS, op
from edict.backend.core import Condition, Const, Expr, Var
from edict.language import tree as t
from edict.lowering.asks import Need
from edict.lowering.context import YOU, Context
from edict.lowering.reason_code import add, cause_of, here, made, title_forms
from edict.lowering.shifts import Shifts
from edict.lowering.values import value
from edict.program import Question
from edict.program import opcodes as o
from edict.program.reasons import Check


@dataclass(frozen=True)
class Payment:
    """The totals the dice can make: with all shifts there may be, and with those that hold whatever is chosen."""

    node: t.Payment
    shifts: Shifts
    dice: Expr
    wanted: Const  # the fields of the dice that must be among them
    possible: Expr  # the shifts behind `reach`
    certain: Expr  # those behind `sure`
    reach: Expr
    sure: Expr

    def payable(self, c: Context) -> tuple[Condition, ...]:
        """Whether its total can be made, what is chosen being known."""
        in_reach = core.Compare("in", value(c, self.node.total), self.reach)
        return (in_reach, self._reached(c)) if self.shifts.choosy else (in_reach,)

    def _reached(self, c: Context) -> Condition:
        """Whether the shifts that hold for what is chosen make it."""
        with c.apart() as before:
            total = c.let(value(c, self.node.total))
        with c.apart() as body:
            allowed = c.once(self.shifts.now(c, self.certain))
        reach = _reach(self.node, self.dice, self.wanted, allowed, self.shifts)
        now = core.Any_((core.Compare("=", allowed, self.possible), core.Compare("in", total, reach)))
        sure = core.Any_((core.Compare("in", total, self.sure), core.Given(tuple(body), now)))
        return core.Any_((core.Compare("=", self.reach, self.sure), core.Given(tuple(before), sure)))

    def pay(self, c: Context, action: t.Action) -> None:
        """Ask with which dice; they are taken together with what the shifts cost."""
        node, total = self.node, c.let(value(c, self.node.total))
        allowed, table = c.once(self.shifts.now(c, self.certain)), self.shifts.table
        c.step(o.WAYS, total, value(c, node.place), self.wanted, node.least, allowed, table)
        name = f"pay-{action.name.word}"
        c.shift_words[name] = self.shifts.words(c)
        question = c.question(Question(name, node.prompt or "With which dice?", "ways", name))
        self._way(c).note(c, question)
        c.reasons.totals[name] = tuple(by for _, by, _ in self.shifts.combinations)
        answer, dice, combination = Var(), Var(), Var()
        c.add(core.Ask(question, YOU, None, answer, cause=c.cause))
        c.step(o.TAKEN, dice, answer, combination)
        c.bind(node, dice)
        needs = core.Table(tuple(need for need, _, _ in self.shifts.combinations), combination)
        self.shifts.use(c, c.once(needs))

    def _way(self, c: Context) -> Need:
        """What goes for every way to pay: the first value is the total, the second the dice there are."""
        scope, node = here(c), self.node

        def check(c2: Context) -> int:
            found = (made(c2, node.total, scope), made(c2, node.place, scope))
            return add(c2, Check("is", including(c2, node), cause_of(c2, scope, node.span), values=found))

        return Need("total", scope, node.span, lambda _: ALWAYS, check, unless=lambda c2: self.shifts.instead(c2, ()))


def prepare(c: Context, node: t.Payment, shifts: Shifts) -> Payment:
    """Work out what can be paid, before anything is chosen."""
    fields = 0
    if node.die is not None:
        name = c.symbol(node.die).name
        fields = next(((1 << sides) - 1) << first for n, _, sides, first in c.layout.dice.kinds if n == name)
    certain = c.once(shifts.certain(c))
    possible = c.once(shifts.possible(c, certain))
    dice, wanted = c.once(value(c, node.place)), Const(fields)
    reach = c.once(_reach(node, dice, wanted, possible, shifts))
    sure = c.once(_reach(node, dice, wanted, certain, shifts)) if shifts.choosy else reach
    return Payment(node, shifts, dice, wanted, possible, certain, reach, sure)


def _reach(node: t.Payment, dice: Expr, wanted: Const, allowed: Expr, shifts: Shifts) -> Expr:
    """The totals the dice can make with these shifts."""
    return op(o.REACH, dice, wanted, node.least, allowed, shifts.table)


def including(c: Context, payment: t.Payment) -> str:
    """The dice that must be among them, in words."""
    if payment.die is None or not payment.least:
        return ""
    one, _, many = title_forms(c.symbol(payment.die)).partition("/")
    return f"{payment.least} {one if payment.least == 1 else many or one}"
