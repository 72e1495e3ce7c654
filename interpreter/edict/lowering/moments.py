"""Moments: what happens besides, for whom, in which order, how often; and what a player is asked about it."""

from __future__ import annotations

from functools import lru_cache

from edict.backend import core
from edict.backend.core import Const, Expr, Label, Procedure, Var
from edict.backend.core_builder import op
from edict.language import tree as t
from edict.language.roles import Role, having
from edict.lowering.asks import Need, Scope, switch
from edict.lowering.block_lowering import block, each_player, lowers, raise_moment, seat_order, writes
from edict.lowering.choice_lowering import completion, is_optional, is_pure_gain, offered
from edict.lowering.context import EVERYONE, NOTHING, YOU, Agreed, Context
from edict.lowering.hiding import by_abilities
from edict.lowering.option_texts import ability_text
from edict.lowering.program_reasons import Implied, guarded, still_unused
from edict.lowering.program_wording import ability_label
from edict.lowering.quantities import give_back, holds, unused, use_up
from edict.lowering.value_lowering import condition, value
from edict.meaning.block_steps import steps
from edict.meaning.call_graph import calls
from edict.meaning.effects import all_reads, own_effects
from edict.meaning.flows import sources_of
from edict.meaning.link import AttachedAbility
from edict.meaning.symbols import Local, Meaning, Resolved, brought, in_full
from edict.program import Question, opcodes as o


@lowers(t.Trigger)
def _trigger(c: Context, trigger: t.Trigger) -> None:
    args = [c.let(value(c, a)) for a in trigger.args]
    raise_moment(c, c.symbol(trigger.moment).name, "", *args)


def _belongs_to_nobody(c: Context, held: AttachedAbility) -> bool:
    """Whether it happens once and not for each player: its thing works, or not, without regard to `you`."""
    return held.ability not in calls(c.resolved).owned


@writes("moment")
def _write_moment(c: Context, p: Procedure, definition: t.Definition, held: tuple[AttachedAbility, ...]) -> None:
    c.bind_each(brought(c.resolved, definition), p.params)
    for attached in held:
        if _belongs_to_nobody(c, attached):
            by_abilities(c, [attached])
            _write_once(c, attached)
    owned = [attached for attached in held if not _belongs_to_nobody(c, attached)]
    if owned:
        with each_player(c, EVERYONE, seat_order(c)):
            by_abilities(c, owned)
            Menu(c, owned, definition).write()


def _write_once(c: Context, held: AttachedAbility) -> None:
    with c.because_of(held), c.block() as skip:
        c.unless(holds(c, held), skip)
        c.unless(unused(c, held.ability), skip)
        carry_out(c, held, accepted=False)


# --- a player's abilities at one moment ------------------------------------------------------------


def carry_out(c: Context, held: AttachedAbility, accepted: bool) -> None:
    """The ability's block; `accepted` when its `may` has already been answered.

    What works once in a while is used up by doing it, not by declining it.
    """
    when = held.ability
    assert isinstance(when, t.When)

    def body(c2: Context, _: Procedure) -> None:
        agreed = None
        if accepted or not is_optional(c, when.block):
            use_up(c2, when)
        else:
            agreed = Agreed(lambda: use_up(c2, when), lambda: give_back(c2, when))
        with c2.within(accepted=accepted, agreed=agreed):
            block(c2, when.block)

    with c.decided(when.once_per is not None):
        c.call(c.procedure((when, accepted), 0, body, (held.name, held.known_as, when.span)))


class Menu:
    """A player's abilities at one moment, each at most once, in the order the player wants.

    After each, it is seen anew which apply. What must happen, or could never hurt, happens by itself
    unless another ability's condition depends on it.
    """

    def __init__(self, c: Context, held: list[AttachedAbility], definition: t.Definition) -> None:
        self.c = c
        self.held = held
        self.definition = definition
        self.used = Var()
        self.optional = [is_optional(c, _block_of(c, h)) for h in held]
        self.pure = [is_optional(c, _block_of(c, h)) and is_pure_gain(c, _block_of(c, h)[0]) for h in held]

    def write(self) -> None:
        c = self.c
        c.set(self.used, NOTHING)
        with c.block() as end, c.loop() as again:
            free = self._find()
            c.unless(core.Test(free), end)
            for i in range(len(self.held)):
                if not self.optional[i] or self.pure[i]:
                    self._by_itself(i, free, again)
            self._single(free, again)
            self._ask_which(free, end)

    # --- which apply -----------------------------------------------------------------------------

    def _find(self) -> Var:
        """Which abilities apply now."""
        c = self.c
        free = c.let(NOTHING)
        for i in range(len(self.held)):
            with c.block() as skip:
                for need in self._needs(i):
                    c.unless(need.test(c), skip)
                c.set(free, op(o.OR, free, Const(1 << i)))
        return free

    def _needs(self, i: int) -> tuple[Need, ...]:
        """What must be so for an ability to be used: it applies, is not used up, can be completed, was not yet used."""
        c, held = self.c, self.held[i]
        when, scope = held.ability, Scope((held.name, held.title))
        assert isinstance(when, t.When)
        once = () if when.once_per is None else (still_unused(when, scope).need("once"),)
        return (
            self._unused_need(i, scope), _holds_need(held, scope), *once,
            *completion(c, offered(c, when.block), scope),
        )  # fmt: skip

    def _unused_need(self, i: int, scope: Scope) -> Need:
        used, span = self.used, self.held[i].ability.span

        return Implied(("used", i, used), scope, span, lambda _: core.Compare("not-in", Const(i), used)).need("used")

    # --- what is done ------------------------------------------------------------------------------

    def _use(self, i: int, accepted: bool) -> None:
        self.c.set(self.used, op(o.OR, self.used, Const(1 << i)))
        carry_out(self.c, self.held[i], accepted)

    def _by_itself(self, i: int, free: Expr, again: Label) -> None:
        c = self.c
        with c.block() as skip:
            c.unless(core.Compare("in", Const(i), free), skip)
            hindered = sum(1 << j for j in range(len(self.held)) if j != i and self._touches(i, j))
            if hindered:
                c.go(skip, core.Test(op(o.AND, free, Const(hindered))))
            if self.pure[i] and c.linked.game.ask_gains is not None:
                c.go(skip, condition(c, c.linked.game.ask_gains))
            self._use(i, accepted=self.pure[i])
            c.go(again)

    def _single(self, free: Expr, again: Label) -> None:
        """One ability alone needs no menu; it asks for itself."""
        c = self.c
        with c.block() as several:
            c.go(several, core.Test(op(o.AND, op(o.SUB, free, Const(1)), free)))
            for i in range(len(self.held)):
                with c.block() as skip:
                    c.unless(core.Compare("in", Const(i), free), skip)
                    self._use(i, accepted=False)
                    c.go(again)

    def _ask_which(self, free: Expr, end: Label) -> None:
        c = self.c
        forced = Const(sum(1 << i for i in range(len(self.held)) if not self.optional[i]))
        labels = tuple(_label(c, held) for held in self.held)
        prompt = f"{self.definition.title or self.definition.name.word}: which effect do you use?"
        keys = tuple(map(ability_text, self.held))
        question = c.question(Question("ability", prompt, "ability", labels=labels, keys=keys, decline="No more"))
        for i in range(len(self.held)):
            unused_, *others = self._needs(i)
            for need in (*others, unused_):
                need.note(c, question, i)
        answer, none_must = Var(), core.Test(op(o.AND, free, forced), empty=True)
        c.add(core.Ask(question, YOU, free, answer, decline=none_must, cause=c.cause))
        c.unless(core.Compare(">=", answer, NOTHING), end)
        switch(c, answer, range(len(self.held)), lambda i: self._use(i, self.optional[i]))

    def _touches(self, i: int, j: int) -> bool:
        """Whether using one may decide whether the other applies."""
        return _may_decide(self.c.resolved, self.held[i].ability, self.held[j].ability)


# --- needs -----------------------------------------------------------------------------------------


def _holds_need(held: AttachedAbility, scope: Scope) -> Need:
    return Need("works", scope, held.ability.span, lambda c: holds(c, held), lambda c: guarded(c, held))


def _block_of(c: Context, held: AttachedAbility) -> t.Block:
    assert isinstance(held.ability, t.When)
    return steps(c.resolved, held.ability.block)


def _label(c: Context, held: AttachedAbility) -> str:
    when = held.ability
    assert isinstance(when, t.When)
    return ability_label(c.resolved, held, when.title, when.block)


# --- whether it matters which of two comes first -----------------------------------------------------------


def _may_decide(resolved: Resolved, ability: t.Ability, other: t.Ability) -> bool:
    """Whether what one ability does may decide whether the other applies, or what of it.

    What calls other rules, or depends on luck, is taken to change everything that anybody asks about.
    """
    asked, done = _asked(resolved, other), own_effects(resolved, ability)
    return bool(asked) and (done.calls or done.chance or bool(asked & done.changes))


@lru_cache(maxsize=1024)  # every ability is looked at beside every other one of its moment
def _asked(resolved: Resolved, ability: t.Ability) -> frozenset[Meaning]:
    """What its own condition and those in its block depend on, beside what it costs: keeps and resources.

    A phase lasts as long as its moments do, so nobody's turn in them ends it.
    """
    conditions = [condition for node in in_full(resolved, ability) for condition in having(node, Role.DECIDES)]
    seen: set[Meaning] = set()
    waiting: list[t.Node] = [*conditions]
    while waiting:
        new = all_reads(resolved, *waiting) - seen
        seen |= new
        waiting = [source for one in new if isinstance(one, Local) for source in sources_of(resolved).get(one, ())]
    return frozenset(place for place in seen if not isinstance(place, Local) and place.sort != "phase")
