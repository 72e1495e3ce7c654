"""What the options of an action must meet: its rules and the exceptions to them, the dice, and what comes next."""

from __future__ import annotations

from typing import Protocol

from edict.front import tree as t
from edict.front.link import Held
from edict.front.lower import demands
from edict.front.lower.context import Context
from edict.backend.emit import Label, Operand
from edict.front.lower.expressions import value
from edict.front.lower.reasons import (
    Scope, add, cause_of, check, demand, guarded, here, made, own, spelled, title_forms, value_of,
)  # fmt: skip
from edict.front.symbols import Local
from edict.front.words import bundle_words, title_of
from edict.program import opcodes as o
from edict.program.reasons import Check, Instead


class Payable(Protocol):
    """The dice that can be paid with."""

    @property
    def reach(self) -> Operand: ...


class Offering(Protocol):
    """An action whose options are being looked for."""

    c: Context
    action: t.Action
    shifts: tuple[Held, ...]

    @property
    def payment(self) -> Payable | None: ...
    def anew(self, c: Context) -> Offering: ...
    def level(self, rule: t.Rule) -> int: ...
    def held(self, rule: t.Rule) -> tuple[Held, ...]: ...
    def options(self, level: int) -> Operand: ...
    def jump_out_of_reach(self, no: Label) -> None: ...


def choice(act: Offering, question: int, level: int) -> None:
    """The question for one of the action's choices."""
    c, one = act.c, act.action.params[level - 1]
    demands.choosing(c, question, one)
    local = c.resolved.binds[one]
    for rule in act.action.rules:
        if act.level(rule) == level:
            _rule(act, question, rule, local)
    if level < len(act.action.params):
        _next(act, question, level, local)
    elif act.action.payment is not None:
        _dice(act, question, act.action.payment, local)


def _rule(act: Offering, question: int, rule: t.Rule, local: Local) -> None:
    c, action = act.c, act.action
    scope = Scope((f"{action.name.word}.{rule.name.word}", action.title or action.name.word), (local,))
    unless = tuple(_exception(c, held, local) for held in act.held(rule))
    number = check(c, rule.require, scope)
    demand(c, question, "rule", scope, rule.span, number, name=rule.name.word, because=rule.because, unless=unless)


def _exception(c: Context, held: Held, local: Local) -> Instead:
    exception = held.ability
    assert isinstance(exception, t.Exception_)
    scope = Scope((held.name, held.title), (local,))
    require = check(c, exception.require, scope) if exception.require is not None else -1
    return Instead(cause_of(c, scope, exception.span), guarded(c, held, (local,)), require, exception.because)


def _about(act: Offering) -> tuple[t.Node, ...]:
    """All that decides what can be chosen and paid."""
    payment = (act.action.payment,) if act.action.payment is not None else ()
    held = (h.ability for rule in act.action.rules for h in act.held(rule))
    return (*act.action.params, *act.action.rules, *payment, *held, *(h.ability for h in act.shifts))


def _next(act: Offering, question: int, level: int, local: Local) -> None:
    """There must be something to choose next, as its rules then want it."""
    c, following = act.c, act.action.params[level]

    def fails(c2: Context, no: Label) -> None:
        again = act.anew(c2)
        c2.emit(o.JZ, again.options(level + 1), no)

    scope = here(c).about(local)
    text = following.prompt or f"choose a {title_of(c.resolved, following.kind)}"
    number = own(c, ("next", act.action, level), text, scope, _about(act), fails, following.span)
    demand(c, question, "next", scope, following.span, number)


# --- dice ------------------------------------------------------------------------------------------


def _dice(act: Offering, question: int, payment: t.Payment, local: Local) -> None:
    """The dice must make the total, perhaps with the help of shifts."""
    c = act.c

    def fails(c2: Context, no: Label) -> None:
        again = act.anew(c2)
        assert again.payment is not None
        c2.emit(o.JOUT, value(c2, payment.total), again.payment.reach, no)
        again.jump_out_of_reach(no)

    scope = here(c).about(local)
    found = (*value_of(c, payment.total, scope), *value_of(c, payment.place, scope))
    number = own(c, ("dice", act.action), _including(c, payment), scope, _about(act), fails, payment.span, found)
    demand(c, question, "dice", scope, payment.span, number, unless=_shifts(act, (local,)))


def paying(act: Offering, question: int, payment: t.Payment) -> None:
    """The question with which dice: the first value is the total, the second the dice there are."""
    c, scope = act.c, here(act.c)
    found = (made(c, payment.total, scope), made(c, payment.place, scope))
    number = add(c, Check("is", _including(c, payment), cause_of(c, scope, payment.span), values=found))
    demand(c, question, "total", scope, payment.span, number, unless=_shifts(act, ()))


def _including(c: Context, payment: t.Payment) -> str:
    """The dice that must be among them, in words."""
    if payment.die is None or not payment.least:
        return ""
    one, _, many = title_forms(c.symbol(payment.die)).partition("/")
    return f"{payment.least} {one if payment.least == 1 else many or one}"


def _shifts(act: Offering, about: tuple[Local, ...]) -> tuple[Instead, ...]:
    """What may change the total, and when."""
    return tuple(_shift(act.c, held, about) for held in act.shifts)


def _shift(c: Context, held: Held, about: tuple[Local, ...]) -> Instead:
    shift, scope = held.ability, Scope((held.name, held.title), about)
    assert isinstance(shift, t.Shift)
    more = [demands.once(c, shift, scope, "it has not been used yet, ")] if shift.once_per is not None else []
    if shift.spending is not None:
        text = f"you can pay {bundle_words(c.resolved, shift.spending)}"
        more.append(demands.payable(c, scope, text, (shift.spending,)))
    when = guarded(c, held, about, tuple(more))
    return Instead(cause_of(c, scope, shift.span), when, because=spelled(c, shift, scope))


__all__ = ["choice", "paying"]
