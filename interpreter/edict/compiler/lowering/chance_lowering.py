"""What chance decides: dice, cards, orders."""

from __future__ import annotations

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Cell, Condition, Const, Expr, Numbers, Var
from edict.compiler.codegen.core_builder import op
from edict.compiler.lowering import costs
from edict.compiler.lowering.asks import Need, Scope
from edict.compiler.lowering.block_lowering import end_of_block, lowers
from edict.compiler.lowering.containers import (
    DICE,
    bag_count,
    die_kind,
    everything,
    no_dice,
    numbers,
    offer_each,
    offer_so_often,
)
from edict.compiler.lowering.context import NOTHING, YOU, Context
from edict.compiler.lowering.exceptions import move_resource
from edict.compiler.lowering.hiding import unseen_places
from edict.compiler.lowering.layout import is_secret, singular_and_plural
from edict.compiler.lowering.possible_answers import answers
from edict.compiler.lowering.program_reasons import something
from edict.compiler.lowering.transactions import GAIN, LOSE
from edict.compiler.lowering.value_lowering import (
    LocalPlace,
    blank_order,
    hide,
    place,
    resource_place,
    singleton,
    sum_of_resources,
    value,
)
from edict.compiler.semantics.ability_targets import GAINING, LOSING
from edict.compiler.semantics.symbols import NUMBER, PLAYER
from edict.compiler.syntax import tree as t
from edict.runtime.program import Question, Type
from edict.runtime.program import opcodes as o


def _taken(c: Context, question: int, options: Expr | None) -> Var:
    """What chance takes out of a set, or of what is offered."""
    answer = Var()
    c.add(core.Chance(question, options, answer, cause=c.cause))
    return answer


@lowers(t.Roll)
def _roll(c: Context, roll: t.Roll) -> None:
    """What is rolled into a secret place nobody sees but whose it is."""
    kind, pool = die_kind(c, roll.die), c.let(no_dice(c))
    if roll.place is None:
        _roll_dice(c, pool, value(c, roll.count), kind)
        c.bind(roll, pool)
        return
    target = place(c, roll.place).once(c)
    _roll_dice(c, pool, value(c, roll.count), kind, hidden=_is_secret(target))
    _put(c, target, op(o.DPUT, target.value, pool))


def _is_secret(target: LocalPlace) -> bool:
    return target.known is not None


def _put(c: Context, target: LocalPlace, dice: Expr) -> None:
    """Dice rolled where they are a secret were seen by nobody but whose place it is."""
    target.write(c, dice)
    hide(c, target)


def _roll_dice(c: Context, pool: Var, count: Expr, kind: tuple[str, int, int], *, hidden: bool = False) -> None:
    title, sides, first = kind
    left = c.let(count)
    shown, faces = f"What does the {title} show?", tuple(range(1, sides + 1))
    question = c.question(Question("roll", shown, "number", "die", faces, secret=hidden))
    with c.block() as end, c.loop():
        c.unless(core.Compare(">", left, NOTHING), end)
        face = _taken(c, question, Const(((1 << sides) - 1) << 1))
        c.step(o.DADD, pool, face, first)
        c.set(left, op(o.SUB, left, Const(1)))


@lowers(t.Reroll)
def _reroll(c: Context, reroll: t.Reroll) -> None:
    target = place(c, reroll.place).once(c)
    rest, pool = c.let(target.value), c.let(no_dice(c))
    thrown = c.let(rest if reroll.dice is None else value(c, reroll.dice))
    c.set(rest, op(o.DTAKE, rest, thrown))
    if _is_secret(target):  # even if they show the same again, it is seen that they are rolled
        target.write(c, rest)
    for _, title, sides, first in c.layout.dice.kinds:
        again = op(o.DCOUNT, thrown, Const(((1 << sides) - 1) << first, c.cells(DICE)))
        _roll_dice(c, pool, again, (title, sides, first), hidden=_is_secret(target))
    c.set(rest, op(o.DPUT, rest, pool))
    _put(c, target, rest)


def _something_there(c: Context, draw: t.Draw, _: t.Block, scope: Scope) -> Need | None:
    source = draw.source
    if source is None:
        return None

    def test(c2: Context) -> Condition:
        bag = c2.type(source).shape == "bag"
        return core.Compare(">", bag_count(c2, source), NOTHING) if bag else core.Test(value(c2, source))

    return something(c, draw, scope, test)


@lowers(t.Draw, needs=_something_there)
def _draw(c: Context, draw: t.Draw) -> None:
    """With nothing to draw from, the block ends."""
    kind = c.symbol(draw.kind).name
    drawn: tuple[int, ...] = ()  # of a bag as many as there are in it
    if draw.source is not None and c.type(draw.source).shape == "bag":
        offer_each(c, draw.source)
        among, there = None, core.Test(Cell(o.OPTIONS))
    else:
        among = _drawn_from(c, draw)
        there, drawn = core.Test(among), answers(c, draw.kind, draw, draw.source)
    c.unless(there, end_of_block(c))
    domain = "number" if kind == "number" else "thing"
    question = c.question(
        Question(f"draw-{kind}", f"Which {kind} is drawn?", domain, kind, drawn, secret=draw.secretly)
    )
    c.bind(draw, _taken(c, question, among))


def _drawn_from(c: Context, draw: t.Draw) -> Expr:
    if draw.low is not None and draw.high is not None:
        members = numbers(c, draw.low, draw.high)
        return Numbers(c.once(members.low), c.once(members.high)) if isinstance(members, Numbers) else c.once(members)
    assert draw.source is not None
    return c.once(value(c, draw.source))


@lowers(t.Take)
def _take(c: Context, take: t.Take) -> None:
    """As many as there are; that some are taken everybody sees. Which of a secret, only the two players do."""
    (part,) = take.bundle.parts
    assert isinstance(part, t.Part)
    group = c.symbol(part.what)
    members, title = c.linked.members(group.name), group.definition.title if group.definition is not None else ""
    taker, whom = c.let(YOU), c.let(value(c, take.whom))
    left = c.let(op(o.MIN, costs.amount(c, part), sum_of_resources(c, members, whom)))
    secret = [member for member in members if is_secret(c.linked, member)]
    question = c.question(
        Question(
            f"take-{group.name}",
            f"Which {singular_and_plural(title, group.name)[0]} is taken?",
            "thing",
            "resource",
            secret=bool(secret),
        )
    )
    places = [resource_place(c, member, player) for member in secret for player in (whom, taker)]
    with c.block() as end:
        c.unless(core.Compare(">", left, NOTHING), end)
        if secret:
            _say_taken(c, taker, left, title or group.name, whom)
        with unseen_places(c, places), c.loop():
            c.unless(core.Compare(">", left, NOTHING), end)
            c.set(left, op(o.SUB, left, Const(1)))
            for member in members:
                offer_so_often(c, Const(member), resource_place(c, member, whom).value)
            _change_hands(c, _taken(c, question, None), whom, taker)


def _say_taken(c: Context, taker: Expr, many: Expr, title: str, whom: Expr) -> None:
    said: tuple[tuple[str, Type | None, Expr], ...] = (
        ("", PLAYER, taker),
        ("takes", None, NOTHING),
        ("", NUMBER, many),
        (title, None, NOTHING),
        ("from", None, NOTHING),
        ("", PLAYER, whom),
    )
    for i, (text, of, shown) in enumerate(said):
        c.step(o.SAY, c.parts.say(text, of, i == len(said) - 1), shown)


def _change_hands(c: Context, taken: Expr, whom: Expr, taker: Expr) -> None:
    """One piece, unless something else is done in place of losing it."""
    lost = c.let(NOTHING)

    def lose(c2: Context, resource: Expr, by: Expr) -> None:
        LOSE.one(c2, resource, by)
        c2.set(lost, Const(1))

    c.put(o.YOU, whom)
    move_resource(c, LOSING, taken, Const(1), lose)
    c.put(o.YOU, taker)
    with c.block() as kept:
        c.unless(core.Test(lost), kept)
        move_resource(c, GAINING, taken, Const(1), GAIN.one)


@lowers(t.Shuffle)
def _shuffle(c: Context, shuffle: t.Shuffle) -> None:
    target, kind = place(c, shuffle.place).once(c), c.type(shuffle.place).kind
    rest, order, k = c.let(everything(c, kind)), c.let(blank_order(c, kind)), c.let(NOTHING)
    many, hidden = c.linked.game.high if kind == "player" else len(c.linked.things[kind]), _is_secret(target)
    question = c.question(
        Question("shuffle", f"Which {kind} is next?", "thing", kind, tuple(range(many)), secret=hidden)
    )
    with c.block() as end, c.loop():
        c.unless(core.Test(rest), end)
        member = _taken(c, question, rest)
        c.step(o.PUSHO, order, member, k)
        c.set(rest, op(o.ANDN, rest, singleton(c, member, kind)))
        c.set(k, op(o.ADD, k, Const(1)))
    target.write(c, order)
    hide(c, target)
