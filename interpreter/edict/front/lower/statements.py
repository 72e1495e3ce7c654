"""Statements to code."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from edict.front import tree as t
from edict.front.lower import actions, amounts, blocks, choices, moments, periods
from edict.front.lower.blocks import block
from edict.front.lower.context import Context, Procedure
from edict.front.lower.emit import Operand
from edict.front.lower.expressions import (
    Place, die_kind, everything, group_set, guard, jump, place, plus, value,
)  # fmt: skip
from edict.front.meaning.panels import displays
from edict.front.meaning.secrets import gives_away
from edict.front.words.statements import called
from edict.program import opcodes as o


# --- values and places -----------------------------------------------------------------------------


def _let(c: Context, let: t.Let) -> None:
    c.noted = isinstance(let.value, t.Apply)
    c.bind(let, c.copy(value(c, let.value)))
    c.noted = False


def _set(c: Context, one: t.Set) -> None:
    target = place(c, one.place)
    c.noted = isinstance(one.value, t.Apply)
    operand = value(c, one.value)
    c.noted = False
    target.write(c, operand)
    _hide(c, target)


def _swap(c: Context, one: t.Swap) -> None:
    here, there = place(c, one.place), place(c, one.other)
    left, right = c.copy(value(c, one.place)), c.copy(value(c, one.other))
    for target, new in ((here, right), (there, left)):
        target.write(c, new)
        _hide(c, target)


def _hide(c: Context, target: Place) -> None:
    """A secret newly set is known to its owner, if it is a player's, and to nobody else."""
    known = target.known()
    if known is None:
        return
    cell = c.copy(c.const(0))
    assert target.home is not None
    if target.home.sizes and c.resolved.of(target.home.keep.params[0].kind).sort == "player":
        c.emit(o.BIT, cell, _owner(c, target))
    known.write(c, cell)


def _owner(c: Context, target: Place) -> Operand:
    """The player the place belongs to."""
    assert target.home is not None
    if target.index is None:
        assert isinstance(target.base, int)
        return c.const((target.base - target.home.base) // prod(target.home.sizes[1:]))
    if len(target.home.sizes) == 1:
        return target.index
    cell = c.cell()
    c.emit(o.DIV, cell, target.index, c.const(prod(target.home.sizes[1:])))
    return cell


def _change(sign: str) -> Callable[[Context, Any], None]:
    def change(c: Context, one: t.Add | t.Remove) -> None:
        target, shape = place(c, one.place), c.type(one.place).shape
        by = value(c, one.value)
        cell = c.cell()
        c.emit(plus(shape, sign), cell, target.read(c), by)
        target.write(c, cell)
        if gives_away(c.resolved, one.value):  # who knew the place does not know what has come or gone
            _hide(c, target)

    return change


def _show(c: Context, show: t.Show) -> None:
    known = place(c, show.place).known()
    if known is not None:
        cell = c.cell()
        c.emit(o.OR, cell, known.read(c), value(c, show.to))
        known.write(c, cell)


def _announce(c: Context, announce: t.Announce) -> None:
    for i, part in enumerate(announce.parts):
        last = i == len(announce.parts) - 1
        if isinstance(part, str):
            c.emit(o.SAY, c.say(part, None, last), c.const(0))
        else:
            c.emit(o.SAY, c.say("", c.type(part), last), value(c, part))


def _look(c: Context, look: t.Look) -> None:
    names = [one.name.word for one in displays(c.resolved)]
    panel = names.index(look.display.word)
    c.emit(o.SAY, c.say(displays(c.resolved)[panel].title, None, True, panel), c.const(0))


# --- chance ------------------------------------------------------------------------------------------


def _roll(c: Context, roll: t.Roll) -> None:
    title, sides, first = die_kind(c, roll.die)
    pool = c.copy(c.const(0))
    roll_dice(c, pool, value(c, roll.count), title, sides, first)
    if roll.name is not None:
        c.bind(roll, pool)
    else:
        assert roll.place is not None
        target, cell = place(c, roll.place), c.cell()
        c.emit(o.DPUT, cell, target.read(c), pool)
        target.write(c, cell)


def roll_dice(c: Context, pool: Operand, count: Operand, title: str, sides: int, first: int) -> None:
    left, face = c.copy(count), c.cell()
    question = c.question("roll", f"What does the {title} show?", "number", "die")
    again, end = c.label(), c.label()
    c.put(again)
    c.emit(o.JLE, left, c.const(0), end)
    c.emit(o.OFFERS, c.const(((1 << sides) - 1) << 1))
    c.emit(o.ASKC, question, face)
    c.emit(o.DADD, pool, face, first)
    c.emit(o.SUB, left, left, c.const(1))
    c.emit(o.JMP, again)
    c.put(end)


def _reroll(c: Context, reroll: t.Reroll) -> None:
    target = place(c, reroll.place)
    rest, pool = c.copy(target.read(c)), c.copy(c.const(0))
    thrown = c.copy(rest if reroll.dice is None else value(c, reroll.dice))
    c.emit(o.DTAKE, rest, rest, thrown)
    for _, title, sides, first in c.layout.dice.kinds:
        count = c.cell()
        c.emit(o.DCOUNT, count, thrown, c.const(((1 << sides) - 1) << first))
        roll_dice(c, pool, count, title, sides, first)
    c.emit(o.DPUT, rest, rest, pool)
    target.write(c, rest)


def _draw(c: Context, draw: t.Draw) -> None:
    among = value(c, draw.source)
    c.emit(o.JZ, among, c.skip[-1])
    kind = c.symbol(draw.kind).name
    card = c.cell()
    question = c.question(f"draw-{kind}", f"Which {kind} is drawn?", "thing", kind, secret=draw.secretly)
    c.emit(o.OFFERS, among)
    c.emit(o.ASKC, question, card)
    c.bind(draw, card)


def _shuffle(c: Context, shuffle: t.Shuffle) -> None:
    target = place(c, shuffle.place)
    kind = c.type(shuffle.place).kind
    rest, order, k, member, bit = (c.cell() for _ in range(5))
    c.emit(o.MOV, rest, everything(c, kind))
    c.emit(o.MOV, order, c.const((1 << 60) - 1))
    c.emit(o.MOV, k, c.const(0))
    hidden = target.known() is not None
    question = c.question("shuffle", f"Which {kind} is next?", "thing", kind, secret=hidden)
    again, end = c.label(), c.label()
    c.put(again)
    c.emit(o.JZ, rest, end)
    c.emit(o.OFFERS, rest)
    c.emit(o.ASKC, question, member)
    c.emit(o.PUSHO, order, member, k)
    c.emit(o.BIT, bit, member)
    c.emit(o.ANDN, rest, rest, bit)
    c.emit(o.ADD, k, k, c.const(1))
    c.emit(o.JMP, again)
    c.put(end)
    target.write(c, order)
    _hide(c, target)


def _arrange(c: Context, arrange: t.Arrange) -> None:
    target = place(c, arrange.place)
    order, member, k = c.copy(target.read(c)), c.cell(), c.copy(c.const(0))
    keys = c.frame.cells(15)
    key, again, end = c.cell(), c.label(), c.label()
    c.bind(arrange, member)
    c.put(again)
    c.emit(o.NTH, member, k, order, c.const((1 << 15) - 1), end)
    c.emit(o.MOV, key, value(c, arrange.key))
    if arrange.direction == "highest":
        c.emit(o.SUB, key, c.const(0), key)
    c.emit(o.PUTX, keys, member, key)
    c.emit(o.JMP, again)
    c.put(end)
    c.emit(o.SORT, order, order, keys)
    target.write(c, order)
    if gives_away(c.resolved, arrange.key):
        _hide(c, target)


# --- flow ----------------------------------------------------------------------------------------------


def _if(c: Context, one: t.If) -> None:
    otherwise, end = c.label(), c.label()
    jump(c, one.condition, otherwise, False)
    block(c, one.then)
    if one.otherwise:
        c.emit(o.JMP, end)
    c.put(otherwise)
    block(c, one.otherwise)
    c.put(end)


def _each(c: Context, each: t.Each) -> None:
    meaning = c.resolved.of(each.kind)
    if meaning.sort == "player":
        _each_player(c, each)
    else:
        _each_thing(c, each, meaning.sort, meaning.name)


def _each_player(c: Context, each: t.Each) -> None:
    """In the game's order; `you`, unless a name is given."""
    order, among = _going(c, each)
    with moments.each_player(c, among, order, rebind=each.name is None) as member:
        if each.name is not None:
            c.bind(each, member)
        block(c, each.block)


def _going(c: Context, each: t.Each) -> tuple[Operand, Operand]:
    """The order to go in and the set to go through."""
    if each.source is not None and c.type(each.source).shape == "order":
        return value(c, each.source), o.EVERYONE
    order = c.layout.keeps[c.symbol(c.linked.game.order).name].base
    return order, value(c, each.source) if each.source is not None else o.EVERYONE


def _each_thing(c: Context, each: t.Each, sort: str, name: str) -> None:
    if each.source is not None:
        among = value(c, each.source)
    else:
        among = c.const(group_set(c, name)) if sort == "group" else everything(c, name)
    if c.code.value_of(among) == 0:
        return  # modules may bring members; here there is none
    rest, member = c.copy(among), c.cell()
    if each in c.resolved.binds:
        c.bind(each, member)
    again, end = c.label(), c.label()
    c.put(again)
    c.emit(o.NEXT, member, rest, end)
    block(c, each.block)
    c.emit(o.JMP, again)
    c.put(end)


def _repeat(c: Context, repeat: t.Repeat) -> None:
    again, end = c.label(), c.label()
    if repeat.count is not None:
        left = c.copy(value(c, repeat.count))
        c.put(again)
        c.emit(o.JLE, left, c.const(0), end)
        c.emit(o.SUB, left, left, c.const(1))
    else:
        assert repeat.until is not None
        c.put(again)
        jump(c, repeat.until, end, True)
    block(c, repeat.block)
    c.emit(o.JMP, again)
    c.put(end)


def _do(c: Context, do: t.Do) -> None:
    symbol = c.symbol(do.name)
    if symbol.sort == "action":
        actions.do_action(c, symbol.name, None)
        return
    routine: t.Routine = c.resolved.get(symbol.name)
    args = [c.copy(value(c, a)) for a in do.args]
    c.call(routine_procedure(c, routine), list(args))


def routine_procedure(c: Context, routine: t.Routine) -> Procedure:
    def body(c2: Context, p: Procedure) -> None:
        for param, slot in zip(routine.params, p.params, strict=True):
            c2.bind(param, slot)
        replaced(c2, routine.name.word, routine.block)

    name = routine.name.word
    title = called(routine) if routine.title else name
    return c.procedure(("routine", name), len(routine.params), body, (name, title, routine.span))


def replaced(c: Context, name: str, base: t.Block) -> None:
    """The block, or what an exception puts in its place while it holds."""
    end = c.label()
    for held in c.linked.exceptions.get((name, ""), ()):
        exception, skip = held.ability, c.label()
        assert isinstance(exception, t.Exception_)
        with c.because(held.name, held.title, exception.span):
            guard(c, held, skip)
            block(c, exception.then)
            c.emit(o.JMP, end)
            c.put(skip)
    block(c, base)
    c.put(end)


def _do_field(c: Context, do: t.DoField) -> None:
    kind = c.type(do.thing).kind
    at = value(c, do.thing)
    procedures = [effect_procedure(c, thing, do.field.word) for thing in c.linked.things[kind]]
    c.frame.chooses.extend(p.frame for p in procedures)
    circular = any(c.circular(p) for p in procedures)
    if circular:
        c.save()
    c.emit(o.CALLX, c.code.table([p.frame.entry for p in procedures]), at)
    if circular:
        c.restore()


def effect_procedure(c: Context, thing: t.Thing, field: str) -> Procedure:
    written = next((f for f in thing.fields if f.name.word == field), None)
    name = thing.name.word

    def body(c2: Context, _: Procedure) -> None:
        block(c2, (written.block or ()) if written else ())

    return c.procedure((name, field), 0, body, (name, thing.title or name, written.span if written else thing.span))


def _play(c: Context, play: t.Play) -> None:
    c.call(phase_procedure(c, c.resolved.get(c.symbol(play.phase).name)))


def phase_procedure(c: Context, phase: t.Phase) -> Procedure:
    name = phase.name.word

    def body(c2: Context, _: Procedure) -> None:
        cell, number = c2.layout.phases[name], c2.phases[name]
        c2.emit(o.ENTER, cell, number)
        periods.reset_period(c2, name)
        moments.raise_moment(c2, name, "start", [])
        replaced(c2, name, phase.block)
        moments.raise_moment(c2, name, "end", [])
        c2.emit(o.LEAVE, cell, number)

    return c.procedure(("phase", name), 0, body, (name, phase.title or name, phase.span))


def write_all_phases(c: Context) -> None:
    """Also what nobody plays, so that each can be tried alone."""
    for definition in c.resolved.book.definitions.values():
        if isinstance(definition, t.Phase):
            phase_procedure(c, definition)
        elif isinstance(definition, t.Routine) and not definition.params:
            routine_procedure(c, definition)
        elif isinstance(definition, t.Thing):
            kind: t.Kind = c.resolved.get(definition.kind.word)
            for field in kind.fields:
                if field.type is not None and field.type.shape == "effect":
                    effect_procedure(c, definition, field.name.word)


def _trigger(c: Context, trigger: t.Trigger) -> None:
    args = [c.copy(value(c, a)) for a in trigger.args]
    moments.raise_moment(c, c.symbol(trigger.moment).name, "", list(args))


def end_game(c: Context) -> None:
    """Settle who has won; the machine stops."""
    c.emit(o.MOV, o.WINNERS, value(c, c.linked.game.winners))
    c.emit(o.OVER)


def _end(c: Context, _: t.EndGame) -> None:
    end_game(c)


STATEMENTS: dict[type, Callable[[Context, Any], None]] = {
    t.Gain: choices.gain,
    t.Lose: lambda c, s: amounts.lose_bundle(c, s.bundle),
    t.Spend: choices.spend,
    t.May: choices.may,
    t.ChooseOne: choices.choose_one,
    t.Choose: lambda c, s: choices.choose(c, s, None),
    t.ChooseDie: lambda c, s: choices.choose_die(c, s, None),
    t.Let: _let,
    t.Set: _set,
    t.Swap: _swap,
    t.Add: _change("+"),
    t.Remove: _change("-"),
    t.Roll: _roll,
    t.Reroll: _reroll,
    t.Draw: _draw,
    t.Show: _show,
    t.Announce: _announce,
    t.Look: _look,
    t.Trigger: _trigger,
    t.Play: _play,
    t.Do: _do,
    t.DoField: _do_field,
    t.Arrange: _arrange,
    t.Shuffle: _shuffle,
    t.If: _if,
    t.Each: _each,
    t.Repeat: _repeat,
    t.EndGame: _end,
    t.Nothing: lambda c, s: None,
}
blocks.HANDLERS.update(STATEMENTS)
