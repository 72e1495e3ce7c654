"""Lowering of chance, for dice, draws, shuffles and takes."""

from __future__ import annotations

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Cell, Condition, Const, CoreExpr, NumberRange, Var
from edict.compiler.codegen.core_builder import make_op
from edict.compiler.lowering import costs
from edict.compiler.lowering.asks import ReasonScope, Requirement, possible_answers
from edict.compiler.lowering.block_lowering import end_of_block, register_step
from edict.compiler.lowering.containers import (
    DICE,
    all_of_kind,
    bag_count,
    die_kind,
    no_dice,
    number_range,
    offer_bag,
    offer_repeatedly,
)
from edict.compiler.lowering.context import NOTHING, YOU, Context
from edict.compiler.lowering.exception_lowering import move_resource
from edict.compiler.lowering.hiding import hide_changes_of
from edict.compiler.lowering.layout import is_secret_resource, singular_and_plural
from edict.compiler.lowering.program_reasons import option_exists_requirement
from edict.compiler.lowering.transactions import GAIN, LOSE
from edict.compiler.lowering.value_lowering import (
    StorageLocation,
    empty_order,
    hide_new_value,
    lower_value,
    resolve_place,
    resource_place,
    resource_sum,
    singleton_set,
)
from edict.compiler.semantics.ability_targets import GAINING, LOSING
from edict.compiler.semantics.symbols import NUMBER, PLAYER
from edict.compiler.syntax import tree as t
from edict.runtime.program import Question, ValueType
from edict.runtime.program import opcodes as o


def _add_chance(c: Context, question: int, options: CoreExpr | None) -> Var:
    """Add a chance node over a set, or over the options offered so far, and return the answer."""
    answer = Var()
    c.add(core.Chance(question, options, answer, cause=c.cause))
    return answer


@register_step(t.Roll)
def _lower_roll(c: Context, roll: t.Roll) -> None:
    """Lower a roll; dice rolled into a secret place are seen by its owner only."""
    kind, pool = die_kind(c, roll.die), c.let(no_dice(c))
    if roll.place is None:
        _roll_dice(c, pool, lower_value(c, roll.count), kind)
        c.bind(roll, pool)
        return
    target = resolve_place(c, roll.place).evaluate_once(c)
    _roll_dice(c, pool, lower_value(c, roll.count), kind, hidden=_is_secret(target))
    _store_dice(c, target, make_op(o.DPUT, target.value, pool))


def _is_secret(target: StorageLocation) -> bool:
    return target.knowledge_place is not None


def _store_dice(c: Context, target: StorageLocation, dice: CoreExpr) -> None:
    """Store rolled dice in a place and hide them if it is secret."""
    target.store(c, dice)
    hide_new_value(c, target)


def _roll_dice(c: Context, pool: Var, count: CoreExpr, kind: tuple[str, int, int], *, hidden: bool = False) -> None:
    """Emit a loop that rolls `count` dice of a kind (title, sides, first field) and adds the faces to `pool`."""
    title, sides, first = kind
    dice_left = c.let(count)
    prompt, faces = f"What does the {title} show?", tuple(range(1, sides + 1))
    question = c.add_question(Question("roll", prompt, "number", "die", faces, secret=hidden))
    with c.block() as end, c.loop():
        c.jump_unless(core.Compare(">", dice_left, NOTHING), end)
        face = _add_chance(c, question, Const(((1 << sides) - 1) << 1))
        c.add_step(o.DADD, pool, face, first)
        c.set(dice_left, make_op(o.SUB, dice_left, Const(1)))


@register_step(t.Reroll)
def _lower_reroll(c: Context, reroll: t.Reroll) -> None:
    """Lower a reroll of all dice in a place, or some of them; each die stays of its kind."""
    target = resolve_place(c, reroll.place).evaluate_once(c)
    rest, pool = c.let(target.value), c.let(no_dice(c))
    rerolled = c.let(rest if reroll.dice is None else lower_value(c, reroll.dice))
    c.set(rest, make_op(o.DTAKE, rest, rerolled))
    if _is_secret(target):  # the roll is visible even if the dice show the same faces again
        target.store(c, rest)
    for _, title, sides, first in c.layout.dice.kinds:
        count = make_op(o.DCOUNT, rerolled, Const(((1 << sides) - 1) << first, c.cell_count(DICE)))
        _roll_dice(c, pool, count, (title, sides, first), hidden=_is_secret(target))
    c.set(rest, make_op(o.DPUT, rest, pool))
    _store_dice(c, target, rest)


def _draw_requirement(c: Context, draw: t.Draw, _: t.Block, scope: ReasonScope) -> Requirement | None:
    """Return the requirement that the source of a draw is not empty; None for a draw out of a range."""
    source = draw.source
    if source is None:
        return None

    def test(ctx: Context) -> Condition:
        """Build the condition that the bag or set of the draw has a member."""
        bag = ctx.type_of(source).shape == "bag"
        if bag:
            return core.Compare(">", bag_count(ctx, source), NOTHING)
        return core.Test(lower_value(ctx, source))

    return option_exists_requirement(c, draw, scope, test)


@register_step(t.Draw, needs=_draw_requirement)
def _lower_draw(c: Context, draw: t.Draw) -> None:
    """Lower a draw; the block ends if there is nothing to draw from."""
    kind = c.symbol_of(draw.kind).name
    possible: tuple[int, ...] = ()  # a bag offers each thing as often as it contains it
    if draw.source is not None and c.type_of(draw.source).shape == "bag":
        offer_bag(c, draw.source)
        members, nonempty = None, core.Test(Cell(o.OPTIONS))
    else:
        members = _draw_pile(c, draw)
        nonempty, possible = core.Test(members), possible_answers(c, draw.kind, draw, draw.source)
    c.jump_unless(nonempty, end_of_block(c))
    domain = "number" if kind == "number" else "thing"
    question = c.add_question(
        Question(f"draw-{kind}", f"Which {kind} is drawn?", domain, kind, possible, secret=draw.secretly)
    )
    c.bind(draw, _add_chance(c, question, members))


def _draw_pile(c: Context, draw: t.Draw) -> CoreExpr:
    """Return what a draw picks from, evaluated once: a range of numbers, a set or a bag."""
    if draw.low is not None and draw.high is not None:
        members = number_range(c, draw.low, draw.high)
        if isinstance(members, NumberRange):
            return NumberRange(c.evaluate_once(members.low), c.evaluate_once(members.high))
        return c.evaluate_once(members)
    assert draw.source is not None
    return c.evaluate_once(lower_value(c, draw.source))


@register_step(t.Take)
def _lower_take(c: Context, take: t.Take) -> None:
    """Lower a random take from a player, limited to what there is.

    Everybody sees how many are taken; only the two players see which secret resources.
    """
    (part,) = take.bundle.parts
    assert isinstance(part, t.Part)
    group = c.symbol_of(part.what)
    members, title = (
        c.linked.resource_indexes(group.name),
        group.definition.title if group.definition is not None else "",
    )
    taker, victim = c.let(YOU), c.let(lower_value(c, take.whom))
    pieces_left = c.let(make_op(o.MIN, costs.part_amount(c, part), resource_sum(c, members, victim)))
    secret = [member for member in members if is_secret_resource(c.linked, member)]
    question = c.add_question(
        Question(
            f"take-{group.name}",
            f"Which {singular_and_plural(title, group.name)[0]} is taken?",
            "thing",
            "resource",
            secret=bool(secret),
        )
    )
    places = [resource_place(c, member, player) for member in secret for player in (victim, taker)]
    with c.block() as end:
        c.jump_unless(core.Compare(">", pieces_left, NOTHING), end)
        if secret:
            _announce_take(c, taker, pieces_left, title or group.name, victim)
        with hide_changes_of(c, places), c.loop():
            c.jump_unless(core.Compare(">", pieces_left, NOTHING), end)
            c.set(pieces_left, make_op(o.SUB, pieces_left, Const(1)))
            for member in members:
                offer_repeatedly(c, Const(member), resource_place(c, member, victim).value)
            _move_one_piece(c, _add_chance(c, question, None), victim, taker)


def _announce_take(c: Context, taker: CoreExpr, count: CoreExpr, title: str, victim: CoreExpr) -> None:
    """Emit a log entry such as `Ann takes 2 cards from Bob`."""
    parts: tuple[tuple[str, ValueType | None, CoreExpr], ...] = (
        ("", PLAYER, taker),
        ("takes", None, NOTHING),
        ("", NUMBER, count),
        (title, None, NOTHING),
        ("from", None, NOTHING),
        ("", PLAYER, victim),
    )
    for i, (text, value_type, shown_value) in enumerate(parts):
        c.add_step(o.SAY, c.parts.add_announcement(text, value_type, i == len(parts) - 1), shown_value)


def _move_one_piece(c: Context, piece: CoreExpr, victim: CoreExpr, taker: CoreExpr) -> None:
    """Move one piece from a player to another, unless an exception replaces the loss."""
    lost = c.let(NOTHING)

    def lose(ctx: Context, resource: CoreExpr, by: CoreExpr) -> None:
        """Take a piece from the player and set `lost`, which stays 0 if an exception replaced the loss."""
        LOSE.one(ctx, resource, by)
        ctx.set(lost, Const(1))

    c.store_silently(o.YOU, victim)
    move_resource(c, LOSING, piece, Const(1), lose)
    c.store_silently(o.YOU, taker)
    with c.block() as kept:
        c.jump_unless(core.Test(lost), kept)
        move_resource(c, GAINING, piece, Const(1), GAIN.one)


@register_step(t.Shuffle)
def _lower_shuffle(c: Context, shuffle: t.Shuffle) -> None:
    """Lower a shuffle as one chance node for each member: which one of the rest is next."""
    target, kind = resolve_place(c, shuffle.place).evaluate_once(c), c.type_of(shuffle.place).kind
    rest, order, position = c.let(all_of_kind(c, kind)), c.let(empty_order(c, kind)), c.let(NOTHING)
    count, hidden = c.linked.game.high if kind == "player" else len(c.linked.things[kind]), _is_secret(target)
    question = c.add_question(
        Question("shuffle", f"Which {kind} is next?", "thing", kind, tuple(range(count)), secret=hidden)
    )
    with c.block() as end, c.loop():
        c.jump_unless(core.Test(rest), end)
        member = _add_chance(c, question, rest)
        c.add_step(o.PUSHO, order, member, position)
        c.set(rest, make_op(o.ANDN, rest, singleton_set(c, member, kind)))
        c.set(position, make_op(o.ADD, position, Const(1)))
    target.store(c, order)
    hide_new_value(c, target)
