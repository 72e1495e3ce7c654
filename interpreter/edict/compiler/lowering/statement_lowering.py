"""Lowering of statements, with changes of places, announcements and control flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from edict.compiler.codegen import core
from edict.compiler.codegen.core import ALL_IN_ORDER, Condition, Const, CoreExpr, Procedure
from edict.compiler.codegen.core_builder import ALWAYS, make_op
from edict.compiler.lowering.asks import BranchDomain, QuestionSpec, ReasonScope, Requirement, add_switch
from edict.compiler.lowering.block_lowering import loop_over_players, lower_block, register_step, seat_order
from edict.compiler.lowering.choice_lowering import find_requirements
from edict.compiler.lowering.containers import (
    Relocation,
    additive_opcode,
    all_of_kind,
    change_bag,
    find_moved_variable,
    insert_in_order,
    limit_to_movable,
    remove_from_order,
    rewrite_order,
    update_public_count,
)
from edict.compiler.lowering.context import EVERYONE, NOTHING, Context
from edict.compiler.lowering.costs import has_floor, possible_payment
from edict.compiler.lowering.exception_lowering import change_place, exceptions_to, move_resource
from edict.compiler.lowering.hiding import hide_changes, hide_decision
from edict.compiler.lowering.program_reasons import ImpliedCondition, option_exists_requirement
from edict.compiler.lowering.program_wording import amount_text, bundle_label, choose_from_text
from edict.compiler.lowering.transactions import GAIN, LOSE, supply_requirements, transfer_bundle
from edict.compiler.lowering.value_lowering import (
    StorageLocation,
    hide_new_value,
    knowledge_places,
    lower_condition,
    lower_value,
    lower_without_coercion,
    owner_set,
    resolve_place,
    resolve_secret_place,
    resource_place,
    store_secret,
)
from edict.compiler.semantics.ability_targets import LEAVING, MEMBERSHIP_EDGES
from edict.compiler.semantics.secret_sources import has_secret
from edict.compiler.semantics.symbols import keep_of, split_parts
from edict.compiler.semantics.types import Coercion
from edict.compiler.syntax import tree as t
from edict.runtime.program import Question
from edict.runtime.program import opcodes as o

# --- values and places -----------------------------------------------------------------------------


def _lower_reported_value(c: Context, expr: t.Expr) -> CoreExpr:
    """Return a value; if it is a quantity, the log reports all its terms."""
    with c.with_environment(noted=isinstance(expr, t.Apply)):
        return lower_value(c, expr)


def _let_requirement(c: Context, let: t.Let, _: t.Block, scope: ReasonScope) -> Requirement | None:
    """Return the requirement that a shorthand choice has something to choose from."""
    if not let.some:
        return None

    return ImpliedCondition(
        ("possible", let),
        scope,
        let.span,
        lambda ctx: core.Test(lower_value(ctx, let.value)),
        lambda ctx: choose_from_text(ctx.resolved, let.value),
        (let.value,),
    ).to_requirement("next")


@register_step(t.Let, needs=_let_requirement)
def _lower_let(c: Context, let: t.Let) -> None:
    """Bind a local to a variable with the value."""
    c.bind(let, c.let(_lower_reported_value(c, let.value)))


@register_step(t.Set)
def _lower_set(c: Context, step: t.Set) -> None:
    """Lower `set`: store the value in a place; a secret place is then known to its owner only."""
    target = resolve_place(c, step.place).evaluate_once(c)
    _rewrite(c, step.place, target, _lower_reported_value(c, step.value))


def _rewrite(
    c: Context, place_expr: t.Expr, target: StorageLocation, new_value: CoreExpr, informed: Sequence[CoreExpr] = ()
) -> None:
    """Assign a new value to a place, and hide it from those who knew the old one and are not `informed`."""
    if c.type_of(place_expr).shape == "bag":
        store_secret(c, target, new_value, informed)
    else:
        change_place(c, place_expr, target, None, new_value)
        hide_new_value(c, target, informed)
    update_public_count(c, target)


@register_step(t.Swap)
def _lower_swap(c: Context, swap: t.Swap) -> None:
    """Lower `swap`: exchange the values of two places, both read before either is written.

    Each of the two owners goes on knowing what was known to them of the other place.
    """
    first, second = resolve_place(c, swap.place).evaluate_once(c), resolve_place(c, swap.other).evaluate_once(c)
    left, right = c.let(lower_value(c, swap.place)), c.let(lower_value(c, swap.other))
    of_first, of_second = _find_informed_owners(c, swap, first, second)
    for place_expr, target, new_value, informed in (
        (swap.place, first, right, of_second),
        (swap.other, second, left, of_first),
    ):
        _rewrite(c, place_expr, target, new_value, informed)


def _find_informed_owners(
    c: Context, swap: t.Swap, first: StorageLocation, second: StorageLocation
) -> tuple[Sequence[CoreExpr], Sequence[CoreExpr]]:
    """Return who of two owners knows each of their secrets before these are swapped, for each place of knowledge.

    Nobody is known to know more where an exception may change what is swapped.
    """
    places, keeps = (first, second), (keep_of(c.resolved, place) for place in (swap.place, swap.other))
    edges = [(keep, edge) for keep in keeps for edge in MEMBERSHIP_EDGES]
    is_exact = all(keep is not None and not exceptions_to(c, keep.name.word, edge) for keep, edge in edges)
    if not is_exact or not all(knowledge_places(place) for place in places):
        return [], []
    owners = c.evaluate_once(make_op(o.OR, *(owner_set(c, place) for place in places)))
    of_first, of_second = (
        [c.let(make_op(o.AND, knowers.value, owners)) for knowers in knowledge_places(place)] for place in places
    )
    return of_first, of_second


@register_step(t.Add)
def _lower_add(c: Context, step: t.Add) -> None:
    """Lower `add`, see `_lower_change`."""
    _lower_change(c, step, "+")


@register_step(t.Remove)
def _lower_remove(c: Context, step: t.Remove) -> None:
    """Lower `remove`, see `_lower_change`."""
    _lower_change(c, step, "-")


def _lower_change(c: Context, step: t.Add | t.Remove, sign: str) -> None:
    """Lower `add` (`+`) or `remove` (`-`) by the shape of the place: bag, order, single thing, set or dice."""
    target = resolve_place(c, step.place).evaluate_once(c)
    relocation = _get_relocation(step)
    if relocation is not None:
        limit_to_movable(c, relocation, checked_by_removal=_is_single_in_long_order(c, step, target))
    if c.type_of(step.place).shape == "bag":
        change_bag(c, step.value, target, sign, _lower_retained_members(c, step), may_be_none=_is_moved(step))
        return
    if c.type_of(step.place).shape == "order":
        _change_order(c, step, target)
        return
    if c.type_of(step.place).shape == "thing":
        _change_single_thing(c, step, target)
        return
    members = c.evaluate_once(_lower_moved_members(c, step))
    change_place(c, step.place, target, additive_opcode(c.type_of(step.place).shape, sign), members)
    if has_secret(c.resolved, step.value):  # those who knew the place do not know what was added or removed
        hide_new_value(c, target)
    update_public_count(c, target)


def _change_single_thing(c: Context, step: t.Add | t.Remove, target: StorageLocation) -> None:
    """Move a thing into or out of a place that holds one thing; it replaces what was there."""
    thing = c.evaluate_once(lower_value(c, step.value))
    retained = _lower_retained_members(c, step)
    with c.block() as end:
        if isinstance(step, t.Remove):
            c.jump_unless(core.Compare("=", target.value, thing), end)
        elif _is_moved(step):
            c.jump_unless(core.Compare(">=", thing, NOTHING), end)
        if retained is not None:
            c.jump(end, core.Compare("in", thing, retained))
        _rewrite(c, step.place, target, Const(-1) if isinstance(step, t.Remove) else thing)


def _get_relocation(step: t.Add | t.Remove) -> Relocation | None:
    """Return the move that a removal begins; None if the step is not the first half of a move."""
    to = step.to if isinstance(step, t.Remove) else None
    return Relocation(step.value, step.place, to) if to is not None else None


def _is_moved(step: t.Add | t.Remove) -> bool:
    """Return True if the step is a half of a move from one place to another."""
    return (step.to if isinstance(step, t.Remove) else step.gone) is not None


def _lower_moved_members(c: Context, step: t.Add | t.Remove) -> CoreExpr:
    """Return the members that are added or removed, without those that an exception kept at their source."""
    retained = _lower_retained_members(c, step)
    if retained is None:
        return lower_value(c, step.value)
    return make_op(o.ANDN, lower_value(c, step.value), retained)


def _lower_retained_members(c: Context, step: t.Add | t.Remove) -> CoreExpr | None:
    """Return the members still at the source of a move, if exceptions may have kept some there, else None."""
    from_ = step.gone if isinstance(step, t.Add) else None
    keep = keep_of(c.resolved, from_) if from_ is not None else None
    can_retain = from_ is not None and keep is not None and exceptions_to(c, keep.name.word, LEAVING)
    return lower_value(c, from_) if from_ is not None and can_retain else None


def _is_single_in_long_order(c: Context, step: t.Add | t.Remove, target: StorageLocation) -> bool:
    """Return True if a single thing is put into a long order or removed from it."""
    single = c.typed.coerced.get(step.value) is Coercion.THING_TO_SET and _lower_retained_members(c, step) is None
    return single and c.type_of(step.place).shape == "order" and target.cells > 1 and isinstance(target.base, int)


def _change_order(c: Context, step: t.Add | t.Remove, target: StorageLocation) -> None:
    """Put members first or last into an order, or remove them; a single one in a long order is shifted in place."""
    if _is_single_in_long_order(c, step, target):
        member = c.evaluate_once(lower_without_coercion(c, step.value))
        if isinstance(step, t.Add):
            insert_in_order(c, target, member, step.first)
        else:
            remove_from_order(c, target, member, find_moved_variable(c, _get_relocation(step)))
    else:
        if isinstance(step, t.Remove):
            position = ""
        elif step.first:
            position = "first"
        else:
            position = "last"
        rewrite_order(c, c.type_of(step.place).kind, target, c.evaluate_once(_lower_moved_members(c, step)), position)
    if has_secret(c.resolved, step.value):
        hide_new_value(c, target)


@register_step(t.Arrange)
def _lower_arrange(c: Context, arrange: t.Arrange) -> None:
    """Lower `arrange`: sort an order by a key, lowest or highest first, and hide it if the key is secret."""
    target, keys = (
        resolve_place(c, arrange.place).evaluate_once(c),
        c.declare(max(15, c.cell_count(c.type_of(arrange.place)))),
    )
    order = c.let(target.value)
    with c.loop_over_order(order, ALL_IN_ORDER) as member:
        c.bind(arrange, member)
        key = lower_value(c, arrange.key)
        c.store_silently(keys, make_op(o.SUB, NOTHING, key) if arrange.direction == "highest" else key, member)
    c.add_step(o.SORT, order, order, keys)
    target.store(c, order)
    if has_secret(c.resolved, arrange.key):
        hide_new_value(c, target)


# --- gains and losses ------------------------------------------------------------------------------


@register_step(t.Gain)
def _lower_gain(c: Context, gain: t.Gain) -> None:
    """Lower `gain`: gain the bundle, or ask which of several alternatives."""

    def lower_option(bundle: t.Bundle) -> None:
        """Gain all parts of one alternative."""
        transfer_bundle(c, GAIN, bundle, move_resource)

    if len(gain.options) == 1:
        lower_option(gain.options[0])
        return
    labels = tuple(bundle_label(c.resolved, bundle) for bundle in gain.options)
    keys = tuple(map(amount_text, gain.options))
    question = c.add_question(Question("gain", "What do you gain?", "branch", labels=labels, keys=keys))
    options = BranchDomain(tuple(supply_requirements(c, bundle) for bundle in gain.options))
    with c.block() as end:
        answer = QuestionSpec(question, options, none=end if any(options.needs) else None).lower(c)
        add_switch(c, answer, gain.options, lower_option, lambda bundle: bundle)


def _loss_condition(c: Context, loss: t.Lose, _: ReasonScope) -> Condition:
    """Build the condition that there is anything to lose."""
    parts = [possible_payment(c, part) for part in split_parts(c.resolved, loss.bundle)]
    if any(members is None or not all(has_floor(c, r) for r in members) for members in parts):
        return ALWAYS
    numbers = dict.fromkeys(r for members in parts for r in members or ())
    return core.Any_(tuple(core.Compare(">=", resource_place(c, r).value, Const(1)) for r in numbers))


@register_step(t.Lose, effect=_loss_condition)
def _lower_lose(c: Context, lose: t.Lose) -> None:
    """Lower `lose`, with exceptions and moments, unlike a payment."""
    transfer_bundle(c, LOSE, lose.bundle, move_resource)


# --- announcements ---------------------------------------------------------------------------------


@register_step(t.Show)
def _lower_show(c: Context, show: t.Show) -> None:
    """Lower `show`: add players to those who know a secret place."""
    for knowledge_cells in knowledge_places(resolve_secret_place(c, show.place).evaluate_once(c)):
        knowledge_cells = knowledge_cells.evaluate_once(c)
        knowledge_cells.store(c, make_op(o.OR, knowledge_cells.value, lower_value(c, show.to)))


@register_step(t.Announce)
def _lower_announce(c: Context, announce: t.Announce) -> None:
    """Lower an announcement to one `SAY` step for each text and value; the last one ends the log entry."""
    for i, part in enumerate(announce.parts):
        last = i == len(announce.parts) - 1
        if isinstance(part, str):
            c.add_step(o.SAY, c.parts.add_announcement(part, None, last), NOTHING)
            continue
        is_wide = c.cell_count(c.type_of(part)) > 1  # the log reports each cell by itself
        c.add_step(
            o.SAY,
            c.parts.add_announcement("", c.with_cell_count(c.type_of(part)), last and not is_wide),
            lower_value(c, part),
        )
        if last and is_wide:
            c.add_step(o.SAY, c.parts.add_announcement("", None, True), NOTHING)


@register_step(t.Look)
def _lower_look(c: Context, look: t.Look) -> None:
    """Lower `look at`: emit a log entry with the panel's title and number, which shows the panel."""
    panels = list(c.resolved.book.select(t.Display))
    names = [display.name.word for display in panels]
    panel = names.index(look.display.word)
    c.add_step(o.SAY, c.parts.add_announcement(panels[panel].title, None, True, panel), NOTHING)


# --- flow ------------------------------------------------------------------------------------------


def _if_requirement(c: Context, step: t.If, following: t.Block, scope: ReasonScope) -> Requirement | None:
    """Return the requirement that the branch that is taken, with the steps behind it, is possible."""
    then, otherwise = (find_requirements(c, (*branch, *following), scope) for branch in (step.then, step.otherwise))
    if not then and not otherwise:
        return None

    def test(ctx: Context) -> core.Condition:
        """Build the condition: the test holds and `then` is possible, or it fails and `else` is."""
        holds, fails = lower_condition(ctx, step.condition), core.Not(lower_condition(ctx, step.condition))
        return core.Any_(
            (core.All((holds, _join_requirements(ctx, then))), core.All((fails, _join_requirements(ctx, otherwise))))
        )

    return option_exists_requirement(c, step, scope, test)


@register_step(t.If, needs=_if_requirement)
def _lower_if(c: Context, step: t.If) -> None:
    """Lower `if` with both blocks; what they change is hidden from those who do not know the condition."""
    with hide_decision(c, step.condition, *step.then, *step.otherwise):
        test = lower_condition(c, step.condition)
        with c.collect() as then:
            lower_block(c, step.then)
        with c.collect() as otherwise:
            lower_block(c, step.otherwise)
        c.add(core.IfElse(test, tuple(then), tuple(otherwise), cause=c.cause))


def _join_requirements(c: Context, requirements: tuple[Requirement, ...]) -> core.Condition:
    """Build the condition that all requirements hold."""
    return core.All(tuple(requirement.test(c) for requirement in requirements))


def _find_each_requirement(c: Context, each: t.Each, _: t.Block, scope: ReasonScope) -> Requirement | None:
    """Return the requirement that the block is possible for at least one member."""
    needs = find_requirements(c, each.block, scope)
    if not needs:
        return None

    def test(ctx: Context) -> core.Condition:
        """Build the condition that a loop over the members finds one whose block is possible."""
        with ctx.collect() as body:
            any_possible = ctx.let(NOTHING)
            with _open_each_loop(ctx, each):
                with ctx.collect() as possible:
                    ctx.set(any_possible, Const(1))
                ctx.add(core.IfElse(_join_requirements(ctx, needs), tuple(possible), (), cause=ctx.cause))
        return core.StatementCondition(tuple(body), core.Test(any_possible))

    return option_exists_requirement(c, each, scope, test)


def _loop_condition(c: Context, each: t.Each, _: ReasonScope) -> Condition:
    """Build the condition that a loop over a set has a member."""
    if each.source is None or c.type_of(each.source).shape != "set":
        return ALWAYS
    return core.Test(lower_value(c, each.source))


@register_step(t.Each, needs=_find_each_requirement, effect=_loop_condition)
def _lower_each(c: Context, each: t.Each) -> None:
    """Lower `each`: its block once for every member; if the answers are unseen, as simultaneous questions."""
    with (
        hide_decision(c, each.source, each),
        c.mark_simultaneous() if each.unseen else nullcontext(),
        _open_each_loop(c, each),
    ):
        lower_block(c, each.block)


@contextmanager
def _open_each_loop(c: Context, each: t.Each) -> Iterator[None]:
    """Open the loop of an `each` over players, things, resources or numbers, with the name bound inside."""
    meaning = c.resolved.meaning_of(each.kind)
    with (
        _loop_over_player_source(c, each)
        if meaning.sort == "player"
        else _loop_over_things(c, each, meaning.sort, meaning.name)
    ):
        yield


@contextmanager
def _loop_over_player_source(c: Context, each: t.Each) -> Iterator[None]:
    """Open a loop over players in the game's order; each is `you` unless the loop names them."""
    order: CoreExpr
    order, players = seat_order(c), EVERYONE if each.source is None else lower_value(c, each.source)
    if each.source is not None and c.type_of(each.source).shape == "order":
        order, players = players, EVERYONE
    with loop_over_players(c, players, order, rebind=each.name is None) as member:
        if each.name is not None:
            c.bind(each, member)
        with hide_changes(c, each.unseen, *each.block):
            yield


@contextmanager
def _loop_over_things(c: Context, each: t.Each, sort: str, name: str) -> Iterator[None]:
    """Open a loop over a set, or over all of a kind or group, lowest number first; an empty one emits nothing."""
    if each.source is not None:
        members = lower_value(c, each.source)
    else:
        if sort == "group":
            members = Const(sum(1 << i for i in c.linked.resource_indexes(name)))
        else:
            members = all_of_kind(c, name)
    with (
        c.collect() if members == NOTHING else nullcontext(),
        c.loop_over_members(members) as member,
    ):  # modules may add members
        if each in c.resolved.binds:
            c.bind(each, member)
        yield


def _repeat_requirement(c: Context, repeat: t.Repeat, _: t.Block, scope: ReasonScope) -> Requirement | None:
    """Return the requirement that the block of a loop with a fixed count is possible once."""
    if not isinstance(repeat.count, t.Number) or repeat.count.value < 1:
        return None
    return next(iter(find_requirements(c, repeat.block, scope)), None)


@register_step(t.Repeat, needs=_repeat_requirement)
def _lower_repeat(c: Context, repeat: t.Repeat) -> None:
    """Lower `repeat` with a count, or with `until`, which is tested before each round."""
    remaining = c.let(lower_value(c, repeat.count)) if repeat.count is not None else None
    with hide_decision(c, repeat.count or repeat.until, *repeat.block), c.block() as end, c.loop():
        if remaining is not None:
            c.jump_unless(core.Compare(">", remaining, NOTHING), end)
            c.set(remaining, make_op(o.SUB, remaining, Const(1)))
        elif repeat.until is not None:
            c.jump(end, lower_condition(c, repeat.until))
        lower_block(c, repeat.block)


@register_step(t.EndGame)
def _lower_end_game(c: Context, _: t.EndGame) -> None:
    lower_game_end(c)


def lower_game_end(c: Context, _: Procedure | None = None) -> None:
    """Store the winners, and stop the machine."""
    c.store_silently(o.WINNERS, lower_value(c, c.linked.game.winners))
    c.add_step(o.OVER)


@register_step(t.Nothing)
def _lower_nothing(c: Context, _: t.Nothing) -> None:
    pass
