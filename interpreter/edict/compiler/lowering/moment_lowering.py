"""Lowering of moments, which run the abilities that wait for them and ask players about their sequence."""

from __future__ import annotations

from functools import lru_cache

from edict.compiler.codegen import core
from edict.compiler.codegen.core import BlockLabel, Const, CoreExpr, Procedure, Var
from edict.compiler.codegen.core_builder import make_op
from edict.compiler.lowering.asks import ReasonScope, Requirement, add_switch
from edict.compiler.lowering.block_lowering import (
    loop_over_players,
    lower_block,
    raise_moment,
    register_procedure,
    register_step,
    seat_order,
)
from edict.compiler.lowering.choice_lowering import find_requirements, is_optional, is_pure_gain, optional_block
from edict.compiler.lowering.context import EVERYONE, NOTHING, YOU, AcceptanceHook, Context
from edict.compiler.lowering.hiding import hide_ability_checks
from edict.compiler.lowering.program_reasons import ImpliedCondition, add_ability_check, build_implied_use_limit
from edict.compiler.lowering.program_wording import ability_label, ability_text
from edict.compiler.lowering.quantity_lowering import applies_condition, build_unused_condition, restore_use, use_up
from edict.compiler.lowering.value_lowering import lower_condition, lower_value
from edict.compiler.semantics.call_graph import collect_handlers
from edict.compiler.semantics.effects import collect_reads, compute_own_effects
from edict.compiler.semantics.flows import collect_flow_sources
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import (
    Local,
    Meaning,
    ResolvedBook,
    expand_steps,
    list_event_params,
    walk_expanded,
)
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.runtime.program import Question
from edict.runtime.program import opcodes as o


@register_step(t.Trigger)
def _lower_trigger(c: Context, trigger: t.Trigger) -> None:
    """Lower `trigger`: evaluate the arguments once and raise the moment."""
    args = [c.let(lower_value(c, a)) for a in trigger.args]
    raise_moment(c, c.symbol_of(trigger.moment).name, "", *args)


def _is_ownerless(c: Context, attached: AttachedAbility) -> bool:
    """Return True if an ability runs once, not for each player, because nothing in it depends on `you`."""
    return attached.ability not in collect_handlers(c.resolved).owned


@register_procedure("moment")
def _lower_moment(c: Context, p: Procedure, definition: t.Definition, abilities: tuple[AttachedAbility, ...]) -> None:
    """Lower a moment: abilities without an owner run first, then each player's own in turn order, from a menu."""
    c.bind_all(list_event_params(c.resolved, definition), p.params)
    for attached in abilities:
        if _is_ownerless(c, attached):
            hide_ability_checks(c, [attached])
            _lower_ownerless(c, attached)
    owned_abilities = [attached for attached in abilities if not _is_ownerless(c, attached)]
    if owned_abilities:
        with loop_over_players(c, EVERYONE, seat_order(c)):
            hide_ability_checks(c, owned_abilities)
            AbilityMenu(c, owned_abilities, definition).lower()


def _lower_ownerless(c: Context, attached: AttachedAbility) -> None:
    """Lower an ability that is nobody's: run it once if it applies and is not used up."""
    with c.with_ability(attached), c.block() as skip:
        c.jump_unless(applies_condition(c, attached), skip)
        c.jump_unless(build_unused_condition(c, attached.ability), skip)
        call_ability(c, attached, accepted=False)


# --- menu of abilities -----------------------------------------------------------------------------


def call_ability(c: Context, attached: AttachedAbility, accepted: bool) -> None:
    """Call the block of an ability.

    A limit such as `once per` is used up by doing it, not by declining it.

    Args:
        c: The context.
        attached: The ability.
        accepted: Whether its `may` has been answered with yes.
    """
    when = attached.ability
    assert isinstance(when, t.When)

    def body(ctx: Context, _: Procedure) -> None:
        """Lower an ability's block; its limit is used up now, or when its `may` is accepted."""
        hook = None
        if accepted or not is_optional(c, when.block):
            use_up(ctx, when)
        else:
            hook = AcceptanceHook(lambda: use_up(ctx, when), lambda: restore_use(ctx, when))
        with ctx.with_environment(accepted=accepted, agreed=hook):
            lower_block(ctx, when.block)

    with c.mark_optional(when.once_per is not None):
        c.add_call(c.request_procedure((when, accepted), 0, body, (attached.name, attached.cause_title, when.span)))


class AbilityMenu:
    """The menu of a player's abilities at one moment, each used at most once, in any sequence.

    After each ability, the applicable ones are determined anew. Mandatory abilities and pure gains run automatically
    unless the condition of another applicable ability depends on them.
    """

    def __init__(self, c: Context, abilities: list[AttachedAbility], definition: t.Definition) -> None:
        self.c = c
        self.abilities = abilities
        self.definition = definition
        self.used = Var()
        self.optional = [is_optional(c, _ability_steps(c, h)) for h in abilities]
        self.pure_gains = [
            is_optional(c, _ability_steps(c, h)) and is_pure_gain(c, _ability_steps(c, h)[0]) for h in abilities
        ]

    def lower(self) -> None:
        """Lower the loop of the menu: run what needs no choice, else ask, until nothing applies."""
        c = self.c
        c.set(self.used, NOTHING)
        with c.block() as end, c.loop() as again:
            applicable = self._find_applicable()
            c.jump_unless(core.Test(applicable), end)
            for i in range(len(self.abilities)):
                if not self.optional[i] or self.pure_gains[i]:
                    self._run_automatic(i, applicable, again)
            self._run_single(applicable, again)
            self._ask_which(applicable, end)

    # --- applicable abilities --------------------------------------------------------------------

    def _find_applicable(self) -> Var:
        """Emit code that sets a variable to the set of abilities that can be used now, by index."""
        c = self.c
        applicable = c.let(NOTHING)
        for i in range(len(self.abilities)):
            with c.block() as skip:
                for need in self._requirements(i):
                    c.jump_unless(need.test(c), skip)
                c.set(applicable, make_op(o.OR, applicable, Const(1 << i)))
        return applicable

    def _requirements(self, i: int) -> tuple[Requirement, ...]:
        """Return the requirements of an ability: not used in this menu, applies, not used up, and can be completed."""
        c, attached = self.c, self.abilities[i]
        when, scope = attached.ability, ReasonScope((attached.name, attached.title))
        assert isinstance(when, t.When)
        limit = () if when.once_per is None else (build_implied_use_limit(when, scope).to_requirement("once"),)
        return (
            self._not_used_requirement(i, scope),
            _applies_requirement(attached, scope),
            *limit,
            *find_requirements(c, optional_block(c, when.block), scope),
        )

    def _not_used_requirement(self, i: int, scope: ReasonScope) -> Requirement:
        """Return the requirement that ability `i` has not been used in this menu."""
        used, span = self.used, self.abilities[i].ability.span

        return ImpliedCondition(
            ("used", i, used), scope, span, lambda _: core.Compare("not-in", Const(i), used)
        ).to_requirement("used")

    # --- execution ---------------------------------------------------------------------------------

    def _use_ability(self, i: int, accepted: bool) -> None:
        """Mark ability `i` as used in this menu, and call it."""
        self.c.set(self.used, make_op(o.OR, self.used, Const(1 << i)))
        call_ability(self.c, self.abilities[i], accepted)

    def _run_automatic(self, i: int, applicable: CoreExpr, again: BlockLabel) -> None:
        """Run ability `i` unasked if it applies and can affect no other one that applies; then jump to `again`."""
        c = self.c
        with c.block() as skip:
            c.jump_unless(core.Compare("in", Const(i), applicable), skip)
            dependent = sum(1 << j for j in range(len(self.abilities)) if j != i and self._may_affect(i, j))
            if dependent:
                c.jump(skip, core.Test(make_op(o.AND, applicable, Const(dependent))))
            if self.pure_gains[i] and c.linked.game.ask_gains is not None:
                c.jump(skip, lower_condition(c, c.linked.game.ask_gains))
            self._use_ability(i, accepted=self.pure_gains[i])
            c.jump(again)

    def _run_single(self, applicable: CoreExpr, again: BlockLabel) -> None:
        """Run the only applicable ability, which asks for itself, without a menu."""
        c = self.c
        with c.block() as several:
            c.jump(several, core.Test(make_op(o.AND, make_op(o.SUB, applicable, Const(1)), applicable)))
            for i in range(len(self.abilities)):
                with c.block() as skip:
                    c.jump_unless(core.Compare("in", Const(i), applicable), skip)
                    self._use_ability(i, accepted=False)
                    c.jump(again)

    def _ask_which(self, applicable: CoreExpr, end: BlockLabel) -> None:
        """Ask which applicable ability to use and run it; jump to `end` for `No more`, offered if none is mandatory."""
        c = self.c
        forced = Const(sum(1 << i for i in range(len(self.abilities)) if not self.optional[i]))
        labels = tuple(_menu_label(c, attached) for attached in self.abilities)
        prompt = f"{self.definition.title or self.definition.name.word}: which effect do you use?"
        keys = tuple(map(ability_text, self.abilities))
        question = c.add_question(Question("ability", prompt, "ability", labels=labels, keys=keys, decline="No more"))
        for i in range(len(self.abilities)):
            not_used, *others = self._requirements(i)
            for need in (*others, not_used):
                need.add_reasons(c, question, i)
        answer, may_stop = Var(), core.Test(make_op(o.AND, applicable, forced), empty=True)
        c.add(core.AskSeat(question, YOU, applicable, answer, decline=may_stop, cause=c.cause))
        c.jump_unless(core.Compare(">=", answer, NOTHING), end)
        add_switch(c, answer, range(len(self.abilities)), lambda i: self._use_ability(i, self.optional[i]))

    def _may_affect(self, i: int, j: int) -> bool:
        """Return True if using one ability can decide whether another applies."""
        return _may_decide(self.c.resolved, self.abilities[i].ability, self.abilities[j].ability)


# --- requirements ----------------------------------------------------------------------------------


def _applies_requirement(attached: AttachedAbility, scope: ReasonScope) -> Requirement:
    """Return the requirement that an ability's conditions hold and its thing works."""
    return Requirement(
        "works",
        scope,
        attached.ability.span,
        lambda c: applies_condition(c, attached),
        lambda c: add_ability_check(c, attached),
    )


def _ability_steps(c: Context, attached: AttachedAbility) -> t.Block:
    """Return the steps of a `when` ability, with shorthand expanded."""
    assert isinstance(attached.ability, t.When)
    return expand_steps(c.resolved, attached.ability.block)


def _menu_label(c: Context, attached: AttachedAbility) -> str:
    """Return the label of an ability in the menu: its title and what it does."""
    when = attached.ability
    assert isinstance(when, t.When)
    return ability_label(c.resolved, attached, when.title, when.block)


# --- dependencies between abilities ------------------------------------------------------------------------


def _may_decide(resolved: ResolvedBook, ability: t.Ability, other: t.Ability) -> bool:
    """Return True if one ability can decide whether another applies, or which part of it does.

    An ability that calls other rules or depends on chance is assumed to change everything.
    """
    dependencies, own = _find_dependencies(resolved, other), compute_own_effects(resolved, ability)
    return bool(dependencies) and (own.calls or own.chance or bool(dependencies & own.changes))


@lru_cache(maxsize=1024)  # each ability is compared with every other one of its moment
def _find_dependencies(resolved: ResolvedBook, ability: t.Ability) -> frozenset[Meaning]:
    """Return the keeps and resources on which an ability's own and inner conditions depend, costs excluded.

    Phases are left out: a phase lasts until its moments end, so no turn in them ends it.
    """
    conditions = [
        condition for node in walk_expanded(resolved, ability) for condition in iter_role_values(node, Role.DECIDES)
    ]
    seen: set[Meaning] = set()
    pending: list[t.Node] = [*conditions]
    while pending:
        new = collect_reads(resolved, *pending) - seen
        seen |= new
        pending = [
            source
            for local in new
            if isinstance(local, Local)
            for source in collect_flow_sources(resolved).get(local, ())
        ]
    return frozenset(place for place in seen if not isinstance(place, Local) and place.sort != "phase")
