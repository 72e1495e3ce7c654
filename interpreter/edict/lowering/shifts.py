"""Shifts of the total of dice: which may be used, which combinations there are, and what using them costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edict.backend import core
from edict.backend.composing import ALWAYS, op
from edict.backend.core import Condition, Const, Expr, Var
from edict.language import tree as t
from edict.lowering import costs, transactions
from edict.lowering.context import NOTHING, YOU, Context
from edict.lowering.menus import once
from edict.lowering.quantities import holds, unused, use_up
from edict.lowering.reason_code import Scope, cause_of, guarded, spelled
from edict.lowering.spending import payable
from edict.meaning.link import AttachedAbility
from edict.meaning.symbols import Local
from edict.program import Type
from edict.program import opcodes as o
from edict.program.reasons import Instead
from edict.words import bundle_words
from itertools import combinations as combinations_of

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

    def _allowed(
        self, c: Context, numbers: Sequence[int], besides: Expr | None = None, whatever: bool = False
    ) -> Expr:
        with c.apart() as body:
            allowed = c.let(NOTHING if besides is None else besides)
            for i in numbers:
                held = self.held[i]
                with c.block() as skip:
                    for need in _needs(c, held, whatever):
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

    def use(self, c: Context, needs: Expr) -> None:
        """Pay for the shifts that are needed."""
        for i, held in enumerate(self.held):
            _use(c, i, held, needs)

    def instead(self, c: Context, about: tuple[Local, ...]) -> tuple[Instead, ...]:
        """What may change the total, and when."""
        return tuple(_instead(c, held, about) for held in self.held)


def shifts_of(c: Context, action: t.Action) -> Shifts:
    held = c.linked.shifts.get(action.name.word, ())
    joint = tuple(_joint(c, held))
    chosen = {c.resolved.binds[choice] for choice in action.params}
    conditions = [getattr(one.ability, "condition", None) for one in held]
    choosy = [i for i, one in enumerate(conditions) if any(c.speaks_of(it, one) for it in chosen)]
    return Shifts(held, joint, tuple(_combinations(held, joint)), tuple(choosy))


# --- one shift -------------------------------------------------------------------------------------


def _needs(c: Context, held: AttachedAbility, whatever: bool) -> list[Condition]:
    paid = [costs.payable(c, _spending(held))] if _spends(held) else []
    return [one for one in (holds(c, held, whatever), unused(c, held.ability), *paid) if one is not ALWAYS]


def _instead(c: Context, held: AttachedAbility, about: tuple[Local, ...]) -> Instead:
    shift, scope = held.ability, Scope((held.name, held.title), about)
    assert isinstance(shift, t.Shift)
    more = [once(c, shift, scope, "it has not been used yet, ")] if shift.once_per is not None else []
    if shift.spending is not None:
        text = f"you can pay {bundle_words(c.resolved, shift.spending)}"
        more.append(payable(c, scope, text, (shift.spending,)))
    when = guarded(c, held, about, tuple(more))
    return Instead(cause_of(c, scope, shift.span), when, because=spelled(c, shift, scope))


def _use(c: Context, number: int, held: AttachedAbility, needs: Expr) -> None:
    shift = held.ability
    assert isinstance(shift, t.Shift)
    with c.block() as skip:
        c.unless(core.Compare("in", Const(number), needs), skip)
        with c.because_of(held):
            if held.thing is not None:
                c.step(o.SAY, c.say("", Type("thing", "player"), False), YOU)
                c.step(o.SAY, c.say(f"uses {held.title}", None, True), NOTHING)
            if shift.spending is not None:
                transactions.pay_bundle(c, shift.spending)
            use_up(c, shift)


def _spends(held: AttachedAbility) -> bool:
    return isinstance(held.ability, t.Shift) and held.ability.spending is not None


def _spending(held: AttachedAbility) -> t.Bundle:
    assert isinstance(held.ability, t.Shift) and held.ability.spending is not None
    return held.ability.spending


def _words(c: Context, held: AttachedAbility, by: int) -> str:
    if _spends(held):
        return bundle_words(c.resolved, _spending(held))
    return f"{held.title} {by:+d}" if held.title else f"{by:+d}"


# --- together --------------------------------------------------------------------------------------


def _combinations(shifts: tuple[AttachedAbility, ...], joint: Sequence[frozenset[int]]) -> list[Combination]:
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


def _joint(c: Context, shifts: tuple[AttachedAbility, ...]) -> list[frozenset[int]]:
    """The sets of shifts in which each draws on resources that another one of the set draws on, too."""
    drawn = {i: _drawn(c, _spending(held)) for i, held in enumerate(shifts) if _spends(held)}
    sets = (frozenset(some) for size in range(2, len(drawn) + 1) for some in combinations_of(drawn, size))
    return [some for some in sets if all(any(drawn[i] & drawn[j] for j in some - {i}) for i in some)]


def _drawn(c: Context, bundle: t.Bundle) -> set[int]:
    """The resources a bundle may take; of a part that is known only in play, all there are."""
    found: set[int] = set()
    for part in bundle.parts:
        members = costs.drawn_on(c, part)
        found |= set(costs.everything_held(c) if members is None else members)
    return found
