"""Part of `in_full`: several that are chosen or drawn by one name, out of a set or out of a bag."""

from __future__ import annotations

from dataclasses import replace

from edict.language import tree as t
from edict.language.walking import copied
from edict.layering.written_out import FULL, Writer, stands_for


def _turns(
    w: Writer, s: t.ChooseSome | t.ChooseDice, choose: t.Choose | t.ChooseDie, take: t.Block
) -> t.Block:  # fmt: skip
    """So many times, or until one has enough."""
    if not isinstance(s, t.ChooseUpTo | t.ChooseUpToDice):
        return (w.times(s.count, choose, *take),)
    going_on = w.fresh("going on")
    may = t.May(w.span, choose, "That is all", take, (w.set(going_on, w.number(0)),))
    begun = w.let(going_on, w.number(1))
    if s.secretly:  # the first turn stands alone: others see that somebody chooses, and not how often
        first: t.Stmt = copied(may)
        turn = t.If(w.span, w.both(going_on, "=", w.number(1)), (may,), ())
        if not (isinstance(s.count, t.Number) and s.count.value > 0):
            first = t.If(w.span, w.both(s.count, ">", w.number(0)), (first,), ())
        others = t.Binary(w.span, "-", s.count, w.number(1), wrapped=True)
        return (begun, first, w.times(others, turn))
    turn = t.If(w.span, w.both(going_on, "=", w.number(1)), (may,), ())
    return (begun, w.times(s.count, turn))


@stands_for
def _one_by_one(w: Writer, s: t.ChooseSome | t.ChooseUpTo) -> t.Block:
    """What may be chosen is settled first; then one after the other, none twice."""
    if s.source is not None and w.is_bag(s.source):
        return _out_of_a_bag(w, s, s.source)
    among, chosen, one = w.fresh("among"), w.fresh("chosen"), t.Name(s.name.span, s.name.word)
    choose = _choice(w, s, w.both(among, "-", chosen), one)
    return (
        w.let(among, _members(w, s), some=True), w.let(chosen, w.none_of(s.kind)),
        *_turns(w, s, choose, (w.add(one, chosen),)), w.let(s.name, copied(chosen)),
    )  # fmt: skip


def _out_of_a_bag(w: Writer, s: t.ChooseSome, bag: t.Expr) -> t.Block:
    """Of a copy, from which each goes over into another bag, so that it may be chosen as often as it is there."""
    among, chosen, one = w.fresh("among"), w.fresh("chosen"), t.Name(s.name.span, s.name.word)
    any_ = w.let(w.fresh("any"), _members(w, replace(s, where=s.where or t.Name(w.span, "yes"))), some=True)
    choose = replace(_choice(w, s, copied(among), one), where=copied(s.where))
    return (
        any_, *w.two_bags(copied(bag), among, chosen), *_turns(w, s, choose, w.over(one, among, chosen)),
        w.let(s.name, copied(chosen)),
    )  # fmt: skip


def _which(w: Writer, s: t.ChooseDice) -> t.Expr:
    return s.source if s.where is None else w.where(s.source, s.where)


@stands_for
def _die_by_die(w: Writer, s: t.ChooseDice | t.ChooseUpToDice) -> t.Block:
    """One after the other goes over from a copy of the dice to those that are chosen."""
    among, chosen, one = w.fresh("among"), w.fresh("chosen"), t.Name(s.name.span, s.name.word)
    choose = t.ChooseDie(w.span, copied(among), one, s.prompt, s.secretly)
    return (
        w.let(among, _which(w, s), some=True), w.let(chosen, t.Name(w.span, "no-dice")),
        *_turns(w, s, choose, w.over(one, among, chosen)), w.let(s.name, copied(chosen)),
    )  # fmt: skip


def offered_dice(w: Writer, may: t.May, s: t.ChooseDice) -> t.May:
    """To choose the first is to accept; the others are chosen of what is left. `s` is for at least one."""
    assert isinstance(s.count, t.Number)
    dice = _which(w, s)
    first, among, chosen = t.Name(s.name.span, s.name.word), w.fresh("among"), w.fresh("chosen")
    one = w.fresh("one")
    choose = t.ChooseDie(w.span, copied(among), one, s.prompt, s.secretly)
    rest = replace(s, count=w.number(s.count.value - 1), where=None)
    return replace(
        may, head=t.ChooseDie(w.span, dice, first, s.prompt, s.secretly),
        then=(
            w.let(among, copied(dice)), w.let(chosen, t.Name(w.span, "no-dice")), *w.over(first, among, chosen),
            *_turns(w, rest, choose, w.over(one, among, chosen)), w.let(s.name, copied(chosen)), *may.then,
        ),
    )  # fmt: skip


def _members(w: Writer, s: t.ChooseSome) -> t.Expr:
    source = s.source if s.source is not None else w.declared.all_of(s.kind)
    return source if s.where is None else w.where(source, s.where, s.name)


def _choice(w: Writer, s: t.ChooseSome, source: t.Expr, one: t.Name) -> t.Choose:
    return t.Choose(w.span, s.kind, None, None, source, one, None, s.asking, s.secretly, s.prompt)


def offered(w: Writer, may: t.May, s: t.ChooseSome) -> t.May:
    """Several may be chosen: to choose the first is to accept. `s` is for at least one."""
    assert isinstance(s.count, t.Number)
    first, more = t.Name(s.name.span, s.name.word), w.fresh("more")
    if s.source is not None and w.is_bag(s.source):
        return _offered_of_a_bag(w, may, s, s.source)
    rest = replace(
        s, count=w.number(s.count.value - 1), name=more, source=w.both(_members(w, s), "-", first), where=None
    )  # fmt: skip
    others = FULL[type(s)](w, rest) if s.count.value > 1 else (w.let(more, w.none_of(s.kind)),)
    named = w.let(s.name, w.both(more, "+", first))
    return replace(may, head=_choice(w, s, copied(_members(w, s)), first), then=(*others, named, *may.then))


def _offered_of_a_bag(w: Writer, may: t.May, s: t.ChooseSome, bag: t.Expr) -> t.May:
    """The same; once the first is chosen, the others come from a copy of the bag without it."""
    first, among, chosen = t.Name(s.name.span, s.name.word), w.fresh("among"), w.fresh("chosen")
    head = replace(_choice(w, s, copied(bag), first), where=copied(s.where))
    one = w.fresh("one")
    choose = replace(_choice(w, s, copied(among), one), where=copied(s.where))
    rest = replace(s, count=w.number(s.count.value - 1)) if isinstance(s.count, t.Number) else s
    turn = _turns(w, rest, choose, w.over(one, among, chosen))
    return replace(
        may, head=head,
        then=(
            *w.two_bags(copied(bag), among, chosen), *w.over(first, among, chosen), *turn,
            w.let(s.name, copied(chosen)), *may.then,
        ),
    )  # fmt: skip


@stands_for
def _draw_some(w: Writer, s: t.DrawSome) -> t.Block:
    among, drawn, one = w.fresh("among"), w.fresh("drawn"), w.fresh("one")
    if w.is_bag(s.source):
        draw = t.Draw(w.span, s.kind, copied(among), one, s.secretly)
        turns = w.times(s.count, draw, *w.over(one, among, drawn))
        return (*w.two_bags(s.source, among, drawn), turns, w.let(s.name, copied(drawn)))
    draw = t.Draw(w.span, s.kind, w.both(among, "-", drawn), one, s.secretly)
    return (
        w.let(among, s.source), w.let(drawn, w.none_of(s.kind)), w.times(s.count, draw, w.add(one, drawn)),
        w.let(s.name, copied(drawn)),
    )  # fmt: skip
