"""Shorthand steps, in words: `choose up to 2 cards from your hand`."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.english.amounts import often, so_many_dice
from edict.compiler.english.block_phrases import block_words
from edict.compiler.english.choice_phrases import such_a
from edict.compiler.english.members import rankings, shown_by, such
from edict.compiler.english.outline import about, headed
from edict.compiler.english.phrase_tables import Line, outlines, tell, tells
from edict.compiler.english.plurals import definite
from edict.compiler.english.titles import many_of, title_of
from edict.compiler.english.typed import of_things
from edict.compiler.semantics.symbols import Resolved, keep_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.support.morphology import count_title, join_words, spell_name, to_sentence, with_article

# --- several at once -------------------------------------------------------------------------------


@tells(t.ChooseSome, t.ChooseUpTo)
def _choose_some(r: Resolved, s: t.ChooseSome) -> str:
    who = "choose" if s.asking is None else f"{tell(r, s.asking)} chooses"
    secret, up_to = " in secret" * s.secretly, "up to " * isinstance(s, t.ChooseUpTo)
    where = f" {such(r, s.where, s.kind.word.startswith('player'))}" if s.where is not None else ""
    return f"{who}{secret} {up_to}{_many(r, s.count, s.kind)}{_from(r, s.source, s.kind)}{where}{_called(s.name)}"


@tells(t.ChooseDice, t.ChooseUpToDice)
def _choose_dice(r: Resolved, s: t.ChooseDice) -> str:
    secret, up_to = " in secret" * s.secretly, "up to " * isinstance(s, t.ChooseUpToDice)
    dice = definite(r, s.source) + ("" if s.where is None else f" {shown_by(r, s.where)}")
    many = f"{s.count.value} of {dice}" if isinstance(s.count, t.Number) else f"as many of {dice} as {tell(r, s.count)}"
    return f"choose{secret} {up_to}{many}{_called(s.name)}"


@tells(t.Rolled)
def _rolled(r: Resolved, one: t.Rolled) -> str:
    return so_many_dice(r, one)


@tells(t.RollSeveral)
def _roll_several(r: Resolved, s: t.RollSeveral) -> str:
    return f"roll {join_words(tell(r, one) for one in s.rolls)}{_called(s.name)}"


@tells(t.DrawSome)
def _draw(r: Resolved, s: t.DrawSome) -> str:
    secret = " in secret" * s.secretly
    return f"draw {_many(r, s.count, s.kind)}{secret}{_from(r, s.source, s.kind)}{_called(s.name)}"


@tells(t.DrawInto)
def _draw_into(r: Resolved, s: t.DrawInto) -> str:
    what = with_article(title_of(r, s.kind)) if s.count is None else _many(r, s.count, s.kind)
    to = "as" if _for_one(r, s.place) else f"and put {_them(s.count)} into"
    return f"draw {what}{' in secret' * s.secretly}{_from(r, s.source, s.kind)} {to} {definite(r, s.place)}"


@tells(t.Move)
def _move(r: Resolved, s: t.Move) -> str:
    if tell(r, s.value) == tell(r, s.source):
        return f"move {'' if _for_one(r, s.source) else 'all of '}{definite(r, s.source)} to {_where_to(r, s)}"
    return f"move {tell(r, s.value)} from {definite(r, s.source)} to {_where_to(r, s)}"


def _for_one(r: Resolved, place: t.Expr) -> bool:
    """Whether a place is for a single thing."""
    keep = keep_of(r, place)
    return keep is not None and keep.type.shape == "thing"


def _where_to(r: Resolved, s: t.Move) -> str:
    return f"the top of {definite(r, s.place)}" if s.first else definite(r, s.place)


def _many(r: Resolved, count: t.Expr, kind: t.Name) -> str:
    if isinstance(count, t.Number):
        return count_title(count.value, title_of(r, kind), many_of(r, kind))
    return f"as many {many_of(r, kind)} as {tell(r, count)}"


def _from(r: Resolved, source: t.Expr | None, kind: t.Name) -> str:
    words = "" if source is None else definite(r, source)
    return "" if words in ("", many_of(r, kind)) else f" from {words}"


def _them(count: t.Expr | None) -> str:
    return "it" if count is None or isinstance(count, t.Number) and count.value == 1 else "them"


@tells(t.SetFace)
def _set_face(r: Resolved, s: t.SetFace) -> str:
    what = "it" if isinstance(s.dice, t.Name) else definite(r, s.dice)
    return f"turn {what} to {tell(r, s.face)}"


# --- again -----------------------------------------------------------------------------------------


@tells(t.DoTimes)
def _again(r: Resolved, s: t.DoTimes) -> str:
    return f"{often(r, s.count)}: {tell(r, s.step)}"


@outlines(t.DoTimes)
def _again_lines(r: Resolved, s: t.DoTimes) -> Iterator[Line]:
    yield Line(to_sentence(tell(r, s)), about=about(r, next(having(s.step, Role.RUNS), None)))


# --- turns -------------------------------------------------------------------------------------------


Turns = t.For | t.EachWhere | t.EachWith | t.EachRound | t.EachNumber | t.EachAtOnce


def loop_head(r: Resolved, s: Turns) -> str:
    """Who or what is gone through."""
    if isinstance(s, t.EachAtOnce):
        return f"{'everybody' if s.source is None else definite(r, s.source)} at the same time"
    if isinstance(s, t.EachNumber):
        return f"for each number{_called(s.name)} from {tell(r, s.low)} to {tell(r, s.high)}"
    if isinstance(s, t.EachWhere):
        kind = title_of(r, s.kind)
        return f"for each {kind}{_called(s.name)} {such_a(r, s.where, r.of(s.kind).sort == 'player')}"
    if isinstance(s, t.EachWith):
        return f"for each {title_of(r, s.kind)}{_called(s.name)} with {rankings(r, s.keys)}"
    if isinstance(s, t.EachRound):
        among = "" if s.where is None else f" {such_a(r, s.where, True)}"
        return f"for each player{among}, beginning with {tell(r, s.start)} and going round to the left"
    return f"for each of {definite(r, s.whom)}" if of_things(r, s.whom) else f"for {tell(r, s.whom)}"


def _called(name: t.Name | None) -> str:
    return f" (“{spell_name(name.word)}”)" if name is not None else ""


@tells(t.For, t.EachWhere, t.EachWith, t.EachRound, t.EachNumber, t.EachAtOnce)
def _loop(r: Resolved, s: Turns) -> str:
    return f"{loop_head(r, s)}: {block_words(r, s.block)}"


@outlines(t.For, t.EachWhere, t.EachWith, t.EachRound, t.EachNumber, t.EachAtOnce)
def _loop_lines(r: Resolved, s: Turns) -> Iterator[Line]:
    yield headed(r, loop_head(r, s).removeprefix("for "), s.block)
