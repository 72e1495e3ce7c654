"""Actions: choices checked by named rules, offered only if they can be completed, and a payment in dice."""

from __future__ import annotations

from dataclasses import replace

from edict.backend import core
from edict.backend.core import Condition, Const, Label, Procedure
from edict.language import tree as t
from edict.lowering import choosing, rules
from edict.lowering.asks import Ask, Domain, Filter, Need, Option
from edict.lowering.blocks import block
from edict.lowering.context import NOTHING, Context
from edict.lowering.paying import Payment, including, prepare
from edict.lowering.reason_code import Implied, here, value_of
from edict.lowering.shifts import shifts_of
from edict.meaning.symbols import Local
from edict.program import Question
from edict.words import sentence, title_of


def action_procedure(c: Context, name: str, decline: str | None) -> Procedure:
    """Does it; its result tells whether it was done. `decline` is the text of not doing it, or None."""
    action: t.Action = c.resolved.get(name)
    procedure = c.procedure(
        ("action", name, decline), 0, lambda c2, p: _Action(c2, action).write(p, decline),
        (name, action.title or name, action.span),
    )  # fmt: skip
    procedure.asks = decline is not None
    return procedure


def possible_procedure(c: Context, action: t.Action) -> Procedure:
    """Its result tells whether it can be done: there is something to choose from, and it is payable."""
    return c.procedure(
        ("possible", action), 0, lambda c2, p: _Action(c2, action).write_possible(p),
        (action.name.word, action.title or action.name.word, action.span),
    )  # fmt: skip


class _Action:
    def __init__(self, c: Context, action: t.Action) -> None:
        self.c = c
        self.action = action
        self.choices = action.params
        self.rules = rules.rules_of(c, action)
        self.shifts = shifts_of(c, action)
        self.payment: Payment | None = None

    def prepare(self) -> None:
        if self.action.payment is not None:
            self.payment = prepare(self.c, self.action.payment, self.shifts)

    def write(self, p: Procedure, decline: str | None) -> None:
        c = self.c
        c.set(p.result, NOTHING)
        self.prepare()
        with c.block() as out:
            self._rules(out)
            if not self.choices:
                self._ask_whether(decline, out)
            for level in range(1, len(self.choices) + 1):
                self._ask(level, decline if level == 1 else None, out)
            used = [one for rule in self.rules for one in rule.used(c)]
            if self.payment is not None:
                self.payment.pay(c, self.action)
            for flag, held in used:
                rules.carry_out(c, flag, held)
            block(c, self.action.then)
            c.set(p.result, Const(1))

    def write_possible(self, p: Procedure) -> None:
        """Whether it can be done at all; nothing is asked."""
        c = self.c
        c.set(p.result, NOTHING)
        self.prepare()
        with c.block() as out:
            self._rules(out)
            if self.choices:
                c.unless(core.Test(self._domain(1).options(c)), out)
            else:
                self._ask_whether(None, out)
            c.set(p.result, Const(1))

    # --- asking --------------------------------------------------------------------------------------

    def _rules(self, out: Label) -> None:
        """Those that speak of nothing that is chosen."""
        for rule in self.rules:
            if rule.level(self.c) == 0:
                self.c.unless(rule.test(self.c), out)

    def _ask_whether(self, decline: str | None, out: Label) -> None:
        """An action without choices: whether it can be paid, and whether one wants to."""
        c = self.c
        if self.payment is not None:
            c.unless(self.payment.payable(c)[0], out)
        if decline is None:
            return
        title = self.action.title or self.action.name.word.replace("-", " ")
        question = c.question(Question("may", sentence(title), "branch", labels=("Yes",), decline=decline or "No"))
        Ask(question, (Option(0),), declined=out).put(c, told=False)

    def _ask(self, level: int, decline: str | None, out: Label) -> None:
        c, choice = self.c, self.choices[level - 1]
        none, declined = (out, None) if decline is None else (None, out)
        question = choosing.choice_question(c, choice, None if decline is None else decline or "No")
        ask = Ask(question, self._domain(level), choosing.seat(c, choice), none, declined)
        c.bind(choice, ask.put(c, told=False))

    # --- which options there are -----------------------------------------------------------------------

    def _domain(self, level: int) -> Domain:
        """What may be chosen at this level: everything that keeps the rules and can be completed."""
        c, choice = self.c, self.choices[level - 1]
        it = c.resolved.binds[choice]
        needs = [rule.need(c, it) for rule in self.rules if rule.level(c) == level]
        if level < len(self.choices):
            needs.append(self._next(level, it))
        elif self.payment is not None:
            needs.append(self._dice(self.payment, it))
        domain = choosing.domain(c, choice)
        return replace(domain, filters=(*domain.filters, Filter(it, tuple(needs))))

    def _next(self, level: int, it: Local) -> Need:
        """There must be something to choose next, as its rules then want it."""
        c, following = self.c, self.choices[level]
        scope = here(c).about(it)
        text = following.prompt or f"choose a {title_of(c.resolved, following.kind)}"

        def test(c2: Context) -> Condition:
            return core.Test(self._domain(level + 1).options(c2))

        def anew(c2: Context) -> Condition:
            again = _Action(c2, self.action)
            with c2.apart() as body:
                again.prepare()
            return core.Given(tuple(body), core.Test(again._domain(level + 1).options(c2)))

        def check(c2: Context) -> int:
            return Implied(("next", self.action, level), scope, following.span, anew, text, self._about()).add(c2)

        return Need("next", scope, following.span, test, check)

    def _dice(self, payment: Payment, it: Local) -> Need:
        """The dice must make the total, perhaps with the help of shifts."""
        node, scope = payment.node, here(self.c).about(it)

        def test(c: Context) -> Condition:
            return core.All(payment.payable(c))

        def anew(c: Context) -> Condition:
            with c.apart() as body:
                again = prepare(c, node, self.shifts)
            return core.Given(tuple(body), core.All(again.payable(c)))

        def check(c: Context) -> int:
            found = (*value_of(c, node.total, scope), *value_of(c, node.place, scope))
            text, about = including(c, node), self._about()
            return Implied(("dice", self.action), scope, node.span, anew, text, about, found).add(c)

        return Need("dice", scope, node.span, test, check, unless=lambda c: self.shifts.instead(c, (it,)))

    def _about(self) -> tuple[t.Node, ...]:
        """All that decides what can be chosen and paid."""
        payment = (self.action.payment,) if self.action.payment is not None else ()
        held = (one.ability for rule in self.rules for one in rule.held)
        shifts = (one.ability for one in self.shifts.held)
        return (*self.action.params, *self.action.rules, *payment, *held, *shifts)
