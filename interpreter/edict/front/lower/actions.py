"""Actions to code: choices checked by named rules, offered only if they can be completed, and a payment in dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations as combinations_of

from edict.front import tree as t
from edict.front.link import Held
from edict.front.lower import action_demands, amounts, asking, costs, demands, periods, sifting
from edict.front.lower.blocks import block
from edict.front.lower.completing import JUMPS
from edict.front.lower.context import Context, Procedure
from edict.front.lower.emit import Label, Operand, Slot
from edict.front.lower.expressions import guard, jump, place, value
from edict.front.walking import walk
from edict.front.words import bundle_words, sentence
from edict.program import Type
from edict.program import opcodes as o


def do_action(c: Context, name: str, decline: str | None) -> Operand:
    """Do it; the result tells whether it was done. `decline` is the text of not doing it, or None."""
    action: t.Action = c.resolved.get(name)
    procedure = c.procedure(
        ("action", name, decline), 0, lambda c2, p: ActionCode(c2, action, decline).write(p),
        (name, action.title or name, action.span),
    )  # fmt: skip
    return c.copy(c.call(procedure))


def _jump_impossible(c: Context, do: t.Do, no: Label) -> None:
    """An action must have something to choose from, and be payable."""
    action: t.Action = c.resolved.get(c.symbol(do.name).name)
    procedure = c.procedure(
        ("possible", action), 0, lambda c2, p: ActionCode(c2, action, None).write_possible(p),
        (action.name.word, action.title or action.name.word, action.span),
    )  # fmt: skip
    c.emit(o.JZ, c.call(procedure), no)


JUMPS[t.Do] = _jump_impossible


@dataclass
class _Payment:
    """The totals the dice can make: with all shifts there may be, and with those that hold whatever is chosen."""

    reach: Slot
    sure: Slot
    possible: Slot  # the shifts behind `reach`
    certain: Slot  # those behind `sure`
    dice: Operand
    own: Operand
    table: Label
    needs: tuple[int, ...]


class ActionCode:
    def __init__(self, c: Context, action: t.Action, decline: str | None) -> None:
        self.c = c
        self.action = action
        self.decline = decline
        self.choices = action.params
        self.payment: _Payment | None = None
        self.shifts = c.linked.shifts.get(action.name.word, ())

    def anew(self, c: Context) -> ActionCode:
        """The same action in code of its own, ready to look for options."""
        again = ActionCode(c, self.action, self.decline)
        if self.action.payment is not None:
            again.prepare_payment(self.action.payment)
        return again

    def write(self, p: Procedure) -> None:
        c = self.c
        out = c.label()
        c.emit(o.MOV, p.result, c.const(0))
        if self.action.payment is not None:
            self.prepare_payment(self.action.payment)
        self._rules(0, out)
        if not self.choices:
            self._ask_whether(out)
        for level, choice in enumerate(self.choices, 1):
            self._ask(level, choice, out)
        used = self._exceptions_used()
        if self.action.payment is not None:
            self._pay(self.action.payment)
        for flag, held in used:
            self._price(flag, held)
        block(c, self.action.then)
        c.emit(o.MOV, p.result, c.const(1))
        c.put(out)

    def write_possible(self, p: Procedure) -> None:
        """Whether it can be done at all; nothing is asked."""
        c, out = self.c, self.c.label()
        c.emit(o.MOV, p.result, c.const(0))
        if self.action.payment is not None:
            self.prepare_payment(self.action.payment)
        self._rules(0, out)
        if self.choices:
            c.emit(o.JZ, self.options(1), out)
        else:
            self._ask_whether(out)
        c.emit(o.MOV, p.result, c.const(1))
        c.put(out)

    # --- which options there are ---------------------------------------------------------------------

    def _ask_whether(self, out: Label) -> None:
        """An action without choices: whether it can be paid, and whether one wants to."""
        c = self.c
        if self.payment is not None and self.action.payment is not None:
            c.emit(o.JOUT, value(c, self.action.payment.total), self.payment.reach, out)
        if self.decline is None:
            return
        title = self.action.title or self.action.name.word.replace("-", " ")
        c.emit(o.OFFER, c.const(0))
        asking.offer_decline(c, self.decline)
        question = c.question("may", sentence(title), "branch", labels=("Yes",), decline=self.decline or "No")
        c.emit(o.JLT, asking.ask(c, question), c.const(0), out)

    def _ask(self, level: int, choice: t.Choose, out: Label) -> None:
        c = self.c
        options = self.options(level)
        decline = self.decline if level == 1 else None
        if decline is None:
            c.emit(o.JZ, options, out)
        else:
            decline = decline or "No"
        c.emit(o.OFFERS, options)
        asking.offer_decline(c, decline)
        seat = value(c, choice.asking) if choice.asking is not None else o.YOU
        question = demands.choice_question(c, choice, decline)
        action_demands.choice(self, question, level)
        answer = asking.ask(c, question, seat)
        if decline is not None:
            c.emit(o.JLT, answer, c.const(0), out)
        c.bind(choice, answer)

    def options(self, level: int) -> Operand:
        """What may be chosen at this level: everything that keeps the rules and can be completed."""
        c, choice = self.c, self.choices[level - 1]
        found, bit, rest, it = c.copy(c.const(0)), c.cell(), c.copy(demands.options_of(c, choice)), c.cell()
        again, end = c.label(), c.label()
        c.bind(choice, it)
        asked = self._sift_rules(level, rest)
        payable = level < len(self.choices) or self._sift_payable(choice, rest)
        if not asked and payable and level == len(self.choices) and not self._choosy():
            return rest
        c.put(again)
        c.emit(o.NEXT, it, rest, end)
        for rule in asked:
            self._rule(rule, again)
        if level < len(self.choices):
            c.emit(o.JZ, self.options(level + 1), again)
            c.bind(choice, it)
        elif not payable and self.payment is not None and self.action.payment is not None:
            c.emit(o.JOUT, value(c, self.action.payment.total), self.payment.reach, again)
        if level == len(self.choices):
            self.jump_out_of_reach(again)
        c.emit(o.BIT, bit, it)
        c.emit(o.OR, found, found, bit)
        c.emit(o.JMP, again)
        c.put(end)
        return found

    def level(self, rule: t.Rule) -> int:
        """The last choice a rule or an exception to it speaks of: it can be checked from there on."""
        locals_ = {self.c.resolved.binds[choice]: i for i, choice in enumerate(self.choices, 1)}
        excepted = [getattr(held.ability, part) for held in self.held(rule) for part in ("condition", "require")]
        used = [
            locals_.get(self.c.resolved.meaning.get(n), 0)  # type: ignore[arg-type]
            for expr in (rule.require, *excepted)
            for n in walk(expr)
            if isinstance(n, t.Name)
        ]
        return max(used, default=0)

    def _rules(self, level: int, fail: Label) -> None:
        for rule in self.action.rules:
            if self.level(rule) == level:
                self._rule(rule, fail)

    def _sift_rules(self, level: int, rest: Slot) -> list[t.Rule]:
        """Narrow the set by the first rules at this level as far as that can be done at once; gives the others."""
        rules = [rule for rule in self.action.rules if self.level(rule) == level]
        while rules and self._can_sift(rules[0], level):
            self._sift_rule(rules.pop(0), level, rest)
        return rules

    def _can_sift(self, rule: t.Rule, level: int) -> bool:
        """All that is in the way is an exception that replaces the rule, or that speaks of the choice itself."""
        it, held = self.c.resolved.binds[self.choices[level - 1]], self.held(rule)
        plain = all(self._allows(h) and not sifting.speaks_of(self.c, it, h.ability) for h in held)
        return plain and sifting.can_sift(self.c, it, rule.require)

    def _sift_rule(self, rule: t.Rule, level: int, rest: Slot) -> None:
        """Where an exception allows it, the set stays as it is."""
        c, done = self.c, self.c.label()
        for one in self.held(rule):
            skip = c.label()
            guard(c, one, skip)
            c.emit(o.JMP, done)
            c.put(skip)
        sifting.narrow(c, rest, c.resolved.binds[self.choices[level - 1]], rule.require)
        c.put(done)

    def _sift_payable(self, choice: t.Choose, rest: Slot) -> bool:
        """Leave what can be paid for at once, if the price is a printed field of the choice; or nothing is paid.

        All shifts count here; those that do not hold for what is chosen are left to `jump_out_of_reach`.
        """
        if self.payment is None or self.action.payment is None:
            return True
        table = sifting.field_table(self.c, self.c.resolved.binds[choice], self.action.payment.total)
        if table is None:
            return False
        self.c.emit(o.MOV, rest, sifting.sifted(self.c, rest, table, self.payment.reach))
        return True

    def _rule(self, rule: t.Rule, fail: Label) -> None:
        """The rule, unless an exception holds, which then stands in its place."""
        c, ok = self.c, self.c.label()
        held = self.held(rule)
        if held and all(self._allows(h) for h in held):
            jump(c, rule.require, ok, True)
            for one in held:
                skip = c.label()
                guard(c, one, skip)
                c.emit(o.JMP, ok)
                c.put(skip)
            c.emit(o.JMP, fail)
        else:
            for one in held:
                self._exception(one, ok, fail)
            jump(c, rule.require, fail, False)
        c.put(ok)

    def held(self, rule: t.Rule) -> tuple[Held, ...]:
        return self.c.linked.exceptions.get((self.action.name.word, rule.name.word), ())

    @staticmethod
    def _allows(held: Held) -> bool:
        return isinstance(held.ability, t.Exception_) and held.ability.require is None

    def _exception(self, held: Held, ok: Label, fail: Label) -> None:
        c, skip = self.c, self.c.label()
        exception = held.ability
        assert isinstance(exception, t.Exception_)
        guard(c, held, skip)
        if exception.require is not None:
            jump(c, exception.require, fail, False)
        c.emit(o.JMP, ok)
        c.put(skip)

    # --- the price of an exception -----------------------------------------------------------------------

    def _exceptions_used(self) -> list[tuple[Slot, Held]]:
        """A flag for each exception that does something: set for the one that is needed."""
        used = []
        for rule in self.action.rules:
            priced = [h for h in self.held(rule) if isinstance(h.ability, t.Exception_) and h.ability.then]
            free = [h for h in self.held(rule) if h not in priced]
            used += self._needed(rule, free, priced) if priced else []
        return used

    def _needed(self, rule: t.Rule, free: list[Held], priced: list[Held]) -> list[tuple[Slot, Held]]:
        """None is if the rule itself allows, or an exception that does nothing; of several that hold one is chosen."""
        c, done = self.c, self.c.label()
        flags = [(c.copy(c.const(0)), held) for held in priced]
        jump(c, rule.require, done, True)
        for held in free:
            skip = c.label()
            guard(c, held, skip)
            c.emit(o.JMP, done)
            c.put(skip)
        for number, (flag, held) in enumerate(flags):
            skip = c.label()
            guard(c, held, skip)
            if len(flags) > 1:
                c.emit(o.OFFER, c.const(number))
            else:
                c.emit(o.MOV, flag, c.const(1))
            c.put(skip)
        if len(flags) > 1:
            self._choose_exception(rule, flags)
        c.put(done)
        return flags

    def _choose_exception(self, rule: t.Rule, flags: list[tuple[Slot, Held]]) -> None:
        """Which of the exceptions offered is used, as each has its price."""
        labels = tuple(asking.capital(held.title or held.name.replace("-", " ")) for _, held in flags)
        prompt = f"{asking.capital(rule.because)}. What do you use?" if rule.because else "What do you use?"
        answer = asking.ask(self.c, self.c.question("exception", prompt, "branch", labels=labels))
        used = [lambda flag=flag: self.c.emit(o.MOV, flag, self.c.const(1)) for flag, _ in flags]
        asking.dispatch(self.c, answer, used)

    def _price(self, flag: Slot, held: Held) -> None:
        c, skip = self.c, self.c.label()
        assert isinstance(held.ability, t.Exception_)
        c.emit(o.JZ, flag, skip)
        with c.because(held.name, held.known_as, held.ability.span):
            block(c, held.ability.then)
        c.put(skip)

    # --- paying with dice ---------------------------------------------------------------------------------

    def prepare_payment(self, payment: t.Payment) -> None:
        c = self.c
        own = 0
        if payment.die is not None:
            name = c.symbol(payment.die).name
            own = next(((1 << sides) - 1) << first for n, _, sides, first in c.layout.dice.kinds if n == name)
        combinations = _combinations(self.shifts, _joint(c, self.shifts))
        table = c.code.table([len(combinations), *(x for need, by, _ in combinations for x in (need, by))])
        choosy = self._choosy()
        certain = self._allowed([i for i in range(len(self.shifts)) if i not in choosy])
        possible = self._allowed(choosy, certain, whatever=True) if choosy else certain
        dice, needs = place(c, payment.place).read(c), tuple(need for need, _, _ in combinations)
        reach = self._reach(dice, own, possible, table)
        sure = self._reach(dice, own, certain, table) if choosy else reach
        self.payment = _Payment(reach, sure, possible, certain, dice, c.const(own), table, needs)

    def _reach(self, dice: Operand, own: int, allowed: Slot, table: Label) -> Slot:
        """The totals the dice can make with these shifts."""
        payment, found = self.action.payment, self.c.cell()
        assert payment is not None
        self.c.emit(o.REACH, found, dice, self.c.const(own), payment.least, allowed, table)
        return found

    def _choosy(self) -> list[int]:
        """The shifts whose condition speaks of what is chosen."""
        chosen = [self.c.resolved.binds[choice] for choice in self.choices]
        conditions = [getattr(held.ability, "condition", None) for held in self.shifts]
        return [i for i, one in enumerate(conditions) if any(sifting.speaks_of(self.c, it, one) for it in chosen)]

    def jump_out_of_reach(self, target: Label) -> None:
        """Go there if the shifts that hold for what is chosen do not make its total."""
        c, ready, payment = self.c, self.payment, self.action.payment
        choosy = self._choosy() if ready is not None else []
        if not choosy or ready is None or payment is None:
            return
        reached, reach = c.label(), c.cell()
        c.emit(o.JEQ, ready.reach, ready.sure, reached)
        total = c.copy(value(c, payment.total))
        c.emit(o.JIN, total, ready.sure, reached)
        allowed = self._allowed(choosy, ready.certain)
        c.emit(o.JEQ, allowed, ready.possible, reached)
        c.emit(o.REACH, reach, ready.dice, ready.own, payment.least, allowed, ready.table)
        c.emit(o.JOUT, total, reach, target)
        c.put(reached)

    def _allowed(self, numbers: list[int], besides: Slot | None = None, whatever: bool = False) -> Slot:
        """The set of shifts you may use now, out of these and those `besides`; `whatever` is chosen, if wanted."""
        c = self.c
        allowed = c.copy(c.const(0) if besides is None else besides)
        for i in numbers:
            held, skip = self.shifts[i], c.label()
            shift = held.ability
            assert isinstance(shift, t.Shift)
            guard(c, replace(held, ability=replace(shift, condition=None)) if whatever else held, skip)
            periods.jump_used_up(c, shift, skip)
            if shift.spending is not None:
                costs.jump_unpayable(c, shift.spending, skip)
            with c.because_of(held):
                c.emit(o.OR, allowed, allowed, c.const(1 << i))
            c.put(skip)
        if besides is None:
            self._allow_together(allowed)
        return allowed

    def _allow_together(self, allowed: Slot) -> None:
        """Shifts that draw on the same resources may be used together if all of them can be paid."""
        c = self.c
        for number, together in enumerate(_joint(c, self.shifts), len(self.shifts)):
            parts = tuple(part for i in sorted(together) for part in _spending(self.shifts[i]).parts)
            skip = c.label()
            costs.jump_unpayable(c, replace(_spending(self.shifts[min(together)]), parts=parts), skip)
            c.emit(o.OR, allowed, allowed, c.const(1 << number))
            c.put(skip)

    def _pay(self, payment: t.Payment) -> None:
        c, ready = self.c, self.payment
        assert ready is not None
        total = c.copy(value(c, payment.total))
        allowed = self._allowed(self._choosy(), ready.certain) if self._choosy() else ready.certain
        c.emit(o.WAYS, total, place(c, payment.place).read(c), ready.own, payment.least, allowed, ready.table)
        name = f"pay-{self.action.name.word}"
        combinations = _combinations(self.shifts, _joint(c, self.shifts))
        c.shift_words[name] = tuple(
            tuple(_shift_words(c, self.shifts[i], by) for i, by in parts) for _, _, parts in combinations
        )
        question = c.question(name, payment.prompt or "With which dice?", "ways", name)
        action_demands.paying(self, question, payment)
        c.reasons.totals[name] = tuple(by for _, by, _ in combinations)
        answer = asking.ask(c, question)
        dice, combination, needs = c.cell(), c.cell(), c.cell()
        c.emit(o.TAKEN, dice, answer, combination)
        c.bind(payment, dice)
        c.emit(o.TAB, needs, c.code.table(ready.needs), combination)
        for i, held in enumerate(self.shifts):
            self._use_shift(i, held, needs)

    def _use_shift(self, number: int, held: Held, needs: Operand) -> None:
        c, skip = self.c, self.c.label()
        shift = held.ability
        assert isinstance(shift, t.Shift)
        c.emit(o.JOUT, c.const(number), needs, skip)
        with c.because(held.name, held.known_as, shift.span):
            if held.thing is not None:
                c.emit(o.SAY, c.say("", Type("thing", "player"), False), o.YOU)
                c.emit(o.SAY, c.say(f"uses {held.title}", None, True), c.const(0))
            if shift.spending is not None:
                amounts.lose_bundle(c, shift.spending)
            periods.use_up(c, shift)
        c.put(skip)


Combination = tuple[int, int, tuple[tuple[int, int], ...]]


def _combinations(shifts: tuple[Held, ...], joint: Sequence[frozenset[int]]) -> list[Combination]:
    """Every way to combine shifts: which are needed, by how much in all, and which by how much.

    Behind the bits of the shifts there is one for each of the sets that must be payable together.
    """
    found: list[Combination] = [(0, 0, ())]
    for i, held in enumerate(shifts):
        assert isinstance(held.ability, t.Shift)
        found += [
            (need | 1 << i, total + by, (*parts, (i, by)))
            for need, total, parts in found
            for by in held.ability.by
        ]  # fmt: skip
    bits = {together: 1 << number for number, together in enumerate(joint, len(shifts))}
    found = [(need | _together(need, bits), total, parts) for need, total, parts in found]
    return sorted(found, key=lambda one: (len(one[2]), abs(one[1])))


def _together(need: int, bits: Mapping[frozenset[int], int]) -> int:
    """The bits of the sets that are all needed; the largest says enough, the others do no harm."""
    return sum(bit for together, bit in bits.items() if all(need >> i & 1 for i in together))


def _joint(c: Context, shifts: tuple[Held, ...]) -> list[frozenset[int]]:
    """The sets of shifts in which each draws on resources that another one of the set draws on, too."""
    drawn = {i: _drawn(c, _spending(held)) for i, held in enumerate(shifts) if _spends(held)}
    sets = (frozenset(some) for size in range(2, len(drawn) + 1) for some in combinations_of(drawn, size))
    return [some for some in sets if all(any(drawn[i] & drawn[j] for j in some - {i}) for i in some)]


def _drawn(c: Context, bundle: t.Bundle) -> set[int]:
    """The resources a bundle may take; of a part that is known only in play, all there are."""
    found: set[int] = set()
    for part in bundle.parts:
        members = costs.payable(c, part)
        found |= set(costs.everything_held(c) if members is None else members)
    return found


def _spends(held: Held) -> bool:
    return isinstance(held.ability, t.Shift) and held.ability.spending is not None


def _spending(held: Held) -> t.Bundle:
    assert isinstance(held.ability, t.Shift) and held.ability.spending is not None
    return held.ability.spending


def _shift_words(c: Context, held: Held, by: int) -> str:
    shift = held.ability
    assert isinstance(shift, t.Shift)
    if shift.spending is not None:
        return bundle_words(c.resolved, shift.spending)
    return f"{held.title} {by:+d}" if held.title else f"{by:+d}"


