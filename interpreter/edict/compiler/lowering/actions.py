"""Actions: choices checked by named rules, offered only if they can be completed, and a payment in dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations as combinations_of

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Condition, Const, Expr, Label, Procedure, Var
from edict.compiler.codegen.core_builder import ALWAYS, op
from edict.compiler.lowering import choice_lowering, costs
from edict.compiler.lowering.asks import Ask, Branches, Domain, Filter, Need, Scope, Test, cause_of, here
from edict.compiler.lowering.block_lowering import block, writes
from edict.compiler.lowering.context import NOTHING, YOU, Context
from edict.compiler.lowering.exceptions import carry_out_exception, rules_of
from edict.compiler.lowering.option_texts import shifts_text
from edict.compiler.lowering.program_reasons import Implied, guarded, made, price, still_unused, title_forms, value_of
from edict.compiler.lowering.program_wording import action_prompt, choose_next_text, price_text, shift_text
from edict.compiler.lowering.quantities import holds, unused, use_up
from edict.compiler.lowering.transactions import pay_bundle
from edict.compiler.lowering.value_lowering import value
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import Local, parts_of
from edict.compiler.syntax import tree as t
from edict.runtime.program import Question, Type
from edict.runtime.program import opcodes as o
from edict.runtime.program.reasons import Check, Instead
from edict.support.morphology import count_title, split_title


@writes("action")
def _write_action(c: Context, p: Procedure, action: t.Action, decline: str | None) -> None:
    _Action(c, action).write(p, decline)


@writes("possible")
def _write_possible(c: Context, p: Procedure, action: t.Action) -> None:
    _Action(c, action).write_possible(p)


class _Action:
    def __init__(self, c: Context, action: t.Action) -> None:
        self.c = c
        self.action = action
        self.choices = action.params
        self.rules = rules_of(c, action)
        self.shifts = shifts_of(c, action)
        self.payment: PossibleTotals | None = None

    def prepare(self) -> None:
        if self.action.payment is not None:
            self.payment = prepare_payment(self.c, self.action.payment, self.shifts)

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
            used = [pair for rule in self.rules for pair in rule.used(c)]
            if self.payment is not None:
                self.payment.pay(c, self.action)
            for flag, held in used:
                carry_out_exception(c, flag, held)
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
                c.unless(self._domain(1).answerable(c), out)
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
        yes = Question("may", action_prompt(self.action), "branch", labels=("Yes",), keys=("yes",))
        question = c.question(yes, decline)
        Ask(question, Branches(((),)), declined=out).put(c, told=False)

    def _ask(self, level: int, decline: str | None, out: Label) -> None:
        c, choice = self.c, self.choices[level - 1]
        none, declined = (out, None) if decline is None else (None, out)
        question = choice_lowering.choice_question(c, choice, decline)
        ask = Ask(question, self._domain(level), choice_lowering.seat(c, choice), none, declined)
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
        domain = choice_lowering.domain(c, choice)
        return replace(domain, filters=(*domain.filters, Filter(it, tuple(needs))))

    def _next(self, level: int, it: Local) -> Need:
        """There must be something to choose next, as its rules then want it."""
        c, following = self.c, self.choices[level]
        scope = here(c).about(it)
        text = following.prompt or choose_next_text(c.resolved, following.kind)

        def test(c2: Context) -> Condition:
            return self._rest(level).completable(c2)

        def anew(c2: Context) -> Condition:
            again = _Action(c2, self.action)
            with c2.apart() as body:
                again.prepare()
            return core.Given(tuple(body), again._rest(level).completable(c2))

        asked = Implied(("next", self.action, level), scope, following.span, anew, lambda _: text, self._about())
        return replace(asked.need("next"), test=test)

    def _rest(self, level: int) -> _Search:
        """What is still to be chosen behind this level, and all that it must meet."""
        c, choices = self.c, self.choices
        terms = [_Term(rule.about(c), rule.test) for rule in self.rules]
        if self.payment is not None:
            payment, shifts = self.payment, (attached.ability for attached in self.shifts.held)
            about = (payment.node, *shifts)
            paid = {
                place
                for place, choice in enumerate(choices)
                if any(c.speaks_of(c.resolved.binds[choice], node) for node in about)
            }
            last = len(choices) - 1
            terms.append(_Term(frozenset({*paid, last}), lambda c2: core.All(payment.payable(c2))))
        return _Search(self.action, tuple(range(level, len(choices))), tuple(terms))

    def _dice(self, payment: PossibleTotals, it: Local) -> Need:
        """The dice must make the total, perhaps with the help of shifts."""
        node, scope = payment.node, here(self.c).about(it)

        def test(c: Context) -> Condition:
            return core.All(payment.payable(c))

        def anew(c: Context) -> Condition:
            with c.apart() as body:
                again = prepare_payment(c, node, self.shifts)
            return core.Given(tuple(body), core.All(again.payable(c)))

        asked = Implied(
            ("dice", self.action),
            scope,
            node.span,
            anew,
            lambda c: including(c, node),
            self._about(),
            lambda c: (*value_of(c, node.total, scope), *value_of(c, node.place, scope)),
        )
        return replace(asked.need("dice"), test=test, unless=lambda c: self.shifts.instead(c, (it,)))

    def _about(self) -> tuple[t.Node, ...]:
        """All that decides what can be chosen and paid."""
        payment = (self.action.payment,) if self.action.payment is not None else ()
        held = (attached.ability for rule in self.rules for attached in rule.held)
        shifts = (attached.ability for attached in self.shifts.held)
        return (*self.action.params, *self.action.rules, *payment, *held, *shifts)


# --- whether the choices still to come can all be made ---------------------------------------------------


@dataclass(frozen=True)
class _Term:
    """A condition that all choices must meet together, and the choices it speaks of."""

    about: frozenset[int]
    test: Test


@dataclass(frozen=True)
class _Search:
    """What is still to be chosen in an action, and all that its choices must meet; what is not `left` is chosen.

    Each condition is looked at as soon as all that it speaks of is chosen, the search goes on with what the most
    conditions speak of, it ends with the first way that is found, and choices of which no condition speaks together are
    looked for apart. Choices are known by their places in the action.
    """

    action: t.Action
    left: tuple[int, ...]
    terms: tuple[_Term, ...]

    def completable(self, c: Context) -> Condition:
        """Whether they can all be made, without asking anybody."""
        apart = tuple(self._of(c, group) for group in self._groups(c))
        return apart[0] if len(apart) == 1 else core.All(apart)

    def _of(self, c: Context, group: tuple[int, ...]) -> Condition:
        """Whether these can be made: there is one for the first with which there is one for each of the others."""
        first = self._first(c, group)
        rest = tuple(place for place in group if place != first)
        choice = self.action.params[first]
        it = c.resolved.binds[choice]
        members = choice_lowering.domain(c, choice).options(c)
        known = [term for term in self.terms if first in term.about and not term.about & {*rest}]
        if known:
            c.where[it] = kept = Var()
            members = core.Kept(members, kept, tuple(term.test(c) for term in known))
        if not rest:
            return core.Test(members)
        c.where[it] = found = Var()
        return core.Some(False, members, found, replace(self, left=rest).completable(c))

    def _first(self, c: Context, group: tuple[int, ...]) -> int:
        """Of those that ask for none of the others first, the one with which the most conditions are known."""
        free = [place for place in group if not any(self._asks(c, place, other) for other in group)]
        return max(free, key=lambda place: sum(term.about & {*group} == {place} for term in self.terms))

    def _groups(self, c: Context) -> list[tuple[int, ...]]:
        """The choices, of which those are together that have to do with each other, at least through others."""
        groups: list[tuple[int, ...]] = []
        for place in self.left:
            joined = [group for group in groups if any(self._together(c, place, other) for other in group)]
            groups = [group for group in groups if group not in joined]
            groups.append(tuple(sorted((place, *(one for group in joined for one in group)))))
        return sorted(groups)

    def _together(self, c: Context, one: int, other: int) -> bool:
        spoken = any({one, other} <= term.about for term in self.terms)
        return spoken or self._asks(c, one, other) or self._asks(c, other, one)

    def _asks(self, c: Context, place: int, other: int) -> bool:
        """Whether what can be chosen here depends on what is chosen there."""
        choices = self.action.params
        return place != other and c.speaks_of(c.resolved.binds[choices[other]], choices[place])


# --- a payment in dice -----------------------------------------------------------------------------


@dataclass(frozen=True)
class PossibleTotals:
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
        c.parts.shift_words[name] = self.shifts.words(c)
        prompt, keys = node.prompt or "With which dice?", self.shifts.texts()
        question = c.question(Question(name, prompt, "ways", name, keys=keys))
        self._way(c).note(c, question)
        c.parts.totals[name] = tuple(by for _, by, _ in self.shifts.combinations)
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
            values = (made(c2, node.total, scope), made(c2, node.place, scope))
            return c2.parts.check(Check("is", including(c2, node), cause_of(c2, scope, node.span), values=values))

        return Need("total", scope, node.span, lambda _: ALWAYS, check, unless=lambda c2: self.shifts.instead(c2, ()))


def prepare_payment(c: Context, node: t.Payment, shifts: Shifts) -> PossibleTotals:
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
    return PossibleTotals(node, shifts, dice, wanted, possible, certain, reach, sure)


def _reach(node: t.Payment, dice: Expr, wanted: Const, allowed: Expr, shifts: Shifts) -> Expr:
    """The totals the dice can make with these shifts."""
    return op(o.REACH, dice, wanted, node.least, allowed, shifts.table)


def including(c: Context, payment: t.Payment) -> str:
    """The dice that must be among them, in words."""
    if payment.die is None or not payment.least:
        return ""
    return count_title(payment.least, *split_title(title_forms(c.symbol(payment.die))))


# --- shifts of the total of dice -------------------------------------------------------------------


Combination = tuple[int, int, tuple[tuple[int, int], ...]]


@dataclass(frozen=True)
class Shifts:
    """The shifts of an action. `joint`: the sets that must be payable together, whose bits stand behind the shifts'."""

    held: tuple[AttachedAbility, ...]
    joint: tuple[frozenset[int], ...]
    combinations: tuple[Combination, ...]
    choosy: tuple[int, ...]  # those whose condition speaks of what is chosen

    @property
    def table(self) -> tuple[int, ...]:
        """As the machine takes it: how many there are, and of each which shifts it needs, and by how much it shifts."""
        return (len(self.combinations), *(x for need, by, _ in self.combinations for x in (need, by)))

    def certain(self, c: Context) -> Expr:
        """The set of those you may use now, whatever is chosen."""
        return self._allowed(c, [i for i in range(len(self.held)) if i not in self.choosy])

    def possible(self, c: Context, certain: Expr) -> Expr:
        """Those, and the others as far as they do not depend on what is chosen."""
        return self._allowed(c, self.choosy, certain, whatever=True) if self.choosy else certain

    def now(self, c: Context, certain: Expr) -> Expr:
        """Those that hold for what is chosen, too."""
        return self._allowed(c, self.choosy, certain) if self.choosy else certain

    def _allowed(self, c: Context, numbers: Sequence[int], besides: Expr | None = None, whatever: bool = False) -> Expr:
        with c.apart() as body:
            allowed = c.let(NOTHING if besides is None else besides)
            for i in numbers:
                held = self.held[i]
                with c.block() as skip:
                    for need in _shift_needs(c, held, whatever):
                        c.unless(need, skip)
                    with c.because_of(held):
                        c.set(allowed, op(o.OR, allowed, Const(1 << i)))
            if besides is None:
                self._allow_together(c, allowed)
        return core.After(tuple(body), allowed)

    def _allow_together(self, c: Context, allowed: Var) -> None:
        """Shifts that draw on the same resources may be used together only if all of it can be paid."""
        for number, together in enumerate(self.joint, len(self.held)):
            with c.block() as skip:
                bundles = [_spending(self.held[i]) for i in sorted(together)]
                parts = tuple(part for bundle in bundles for part in bundle.parts)
                c.unless(costs.payable(c, t.Bundle(bundles[0].span, parts)), skip)
                c.set(allowed, op(o.OR, allowed, Const(1 << number)))

    def words(self, c: Context) -> tuple[tuple[str, ...], ...]:
        """Of each combination what is used."""
        return tuple(tuple(_words(c, self.held[i], by) for i, by in parts) for _, _, parts in self.combinations)

    def texts(self) -> tuple[str, ...]:
        """The same as the rules have it."""
        return tuple(shifts_text((self.held[i], by) for i, by in parts) for _, _, parts in self.combinations)

    def use(self, c: Context, needs: Expr) -> None:
        """Pay for the shifts that are needed."""
        for i, held in enumerate(self.held):
            _use_shift(c, i, held, needs)

    def instead(self, c: Context, about: tuple[Local, ...]) -> tuple[Instead, ...]:
        """What may change the total, and when."""
        return tuple(_shift_instead(c, held, about) for held in self.held)


def shifts_of(c: Context, action: t.Action) -> Shifts:
    held = c.linked.shifts.get(action.name.word, ())
    joint = tuple(_joint(c, held))
    chosen = {c.resolved.binds[choice] for choice in action.params}
    conditions = [getattr(one.ability, "condition", None) for one in held]
    choosy = [i for i, one in enumerate(conditions) if any(c.speaks_of(it, one) for it in chosen)]
    return Shifts(held, joint, tuple(_combinations(held, joint)), tuple(choosy))


# --- one shift -------------------------------------------------------------------------------------


def _shift_needs(c: Context, held: AttachedAbility, whatever: bool) -> list[Condition]:
    paid = [costs.payable(c, _spending(held))] if _spends(held) else []
    return [need for need in (holds(c, held, whatever), unused(c, held.ability), *paid) if need is not ALWAYS]


def _shift_instead(c: Context, held: AttachedAbility, about: tuple[Local, ...]) -> Instead:
    shift, scope = held.ability, Scope((held.name, held.title), about)
    assert isinstance(shift, t.Shift)
    more = [still_unused(shift, scope, "it has not been used yet, ").add(c)] if shift.once_per is not None else []
    if shift.spending is not None:
        text = f"you can pay {price_text(c.resolved, shift.spending)}"
        more.append(price(scope, text, (shift.spending,)).add(c))
    when = guarded(c, held, about, tuple(more))
    return Instead(cause_of(c, scope, shift.span), when, because=shift_text(c.resolved, shift))


def _use_shift(c: Context, number: int, held: AttachedAbility, needs: Expr) -> None:
    shift = held.ability
    assert isinstance(shift, t.Shift)
    with c.block() as skip:
        c.unless(core.Compare("in", Const(number), needs), skip)
        with c.because_of(held):
            if held.thing is not None:
                c.step(o.SAY, c.parts.say("", Type("thing", "player"), False), YOU)
                c.step(o.SAY, c.parts.say(f"uses {held.title}", None, True), NOTHING)
            if shift.spending is not None:
                pay_bundle(c, shift.spending)
            use_up(c, shift)


def _spends(held: AttachedAbility) -> bool:
    return isinstance(held.ability, t.Shift) and held.ability.spending is not None


def _spending(held: AttachedAbility) -> t.Bundle:
    assert isinstance(held.ability, t.Shift) and held.ability.spending is not None
    return held.ability.spending


def _words(c: Context, held: AttachedAbility, by: int) -> str:
    if _spends(held):
        return price_text(c.resolved, _spending(held))
    return f"{held.title} {by:+d}" if held.title else f"{by:+d}"


# --- shifts together -------------------------------------------------------------------------------


def _combinations(shifts: tuple[AttachedAbility, ...], joint: Sequence[frozenset[int]]) -> list[Combination]:
    """Every way to combine shifts: which are needed, by how much in all, and which by how much.

    Behind the bits of the shifts there is one for each of the sets that must be payable together.
    """
    combinations: list[Combination] = [(0, 0, ())]
    for i, held in enumerate(shifts):
        assert isinstance(held.ability, t.Shift)
        combinations += [
            (need | 1 << i, total + by, (*parts, (i, by)))
            for need, total, parts in combinations
            for by in held.ability.by
        ]
    bits = {together: 1 << number for number, together in enumerate(joint, len(shifts))}
    combinations = [(need | _together(need, bits), total, parts) for need, total, parts in combinations]
    return sorted(combinations, key=lambda combination: (len(combination[2]), abs(combination[1])))


def _together(need: int, bits: Mapping[frozenset[int], int]) -> int:
    """The bits of the sets that are all needed; the largest says enough, the others do no harm."""
    return sum(bit for together, bit in bits.items() if all(need >> i & 1 for i in together))


def _joint(c: Context, shifts: tuple[AttachedAbility, ...]) -> list[frozenset[int]]:
    """The sets of shifts in which each draws on resources that another one of the set draws on, too."""
    drawn = {i: _drawn(c, _spending(held)) for i, held in enumerate(shifts) if _spends(held)}
    sets = (frozenset(together) for size in range(2, len(drawn) + 1) for together in combinations_of(drawn, size))
    return [together for together in sets if all(_shares(drawn, i, together) for i in together)]


def _shares(drawn: Mapping[int, set[int]], shift: int, together: frozenset[int]) -> bool:
    """Return whether a shift draws on a resource that another one of the set draws on, too."""
    return any(drawn[shift] & drawn[other] for other in together - {shift})


def _drawn(c: Context, bundle: t.Bundle) -> set[int]:
    """The resources a bundle may take; of a part that is known only in play, all there are."""
    resources: set[int] = set()
    for part in parts_of(c.resolved, bundle):
        members = costs.drawn_on(c, part)
        resources |= set(costs.everything_held(c) if members is None else members)
    return resources
