"""Phrases for shorthand steps, as `choose up to 2 cards from your hand`."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.english.amounts import describe_dice, describe_times
from edict.compiler.english.block_phrases import describe_block, get_subject, outline_with_heading
from edict.compiler.english.choice_phrases import describe_single_condition
from edict.compiler.english.member_phrases import describe_dice_condition, describe_member_condition, describe_rankings
from edict.compiler.english.phrases import OutlineLine, describe, describes, outlines
from edict.compiler.english.plurals import describe_definite, is_collection
from edict.compiler.english.titles import plural_of, title_of
from edict.compiler.semantics.symbols import ResolvedBook, keep_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.support.morphology import add_indefinite_article, count_title, join_words, spell_name, to_sentence

# --- choices of several ------------------------------------------------------------------------------


@describes(t.ChooseSome, t.ChooseUpTo)
def _describe_choose_some(r: ResolvedBook, s: t.ChooseSome) -> str:
    """Describe the choice of several members, as `choose up to 2 cards from your hand (“kept”)`."""
    who = "choose" if s.asking is None else f"{describe(r, s.asking)} chooses"
    secret, up_to = " in secret" * s.secretly, "up to " * isinstance(s, t.ChooseUpTo)
    if s.where is not None:
        where = f" {describe_member_condition(r, s.where, s.kind.word.startswith('player'))}"
    else:
        where = ""
    chosen = f"{_describe_count_of_kind(r, s.count, s.kind)}{_describe_source(r, s.source, s.kind)}"
    return f"{who}{secret} {up_to}{chosen}{where}{_quote_name(s.name)}"


@describes(t.ChooseDice, t.ChooseUpToDice)
def _describe_choose_dice(r: ResolvedBook, s: t.ChooseDice) -> str:
    """Describe the choice of several dice, as `choose 2 of your dice (“chosen”)`."""
    secret, up_to = " in secret" * s.secretly, "up to " * isinstance(s, t.ChooseUpToDice)
    dice = describe_definite(r, s.source) + ("" if s.where is None else f" {describe_dice_condition(r, s.where)}")
    if isinstance(s.count, t.Number):
        amount = f"{s.count.value} of {dice}"
    else:
        amount = f"as many of {dice} as {describe(r, s.count)}"
    return f"choose{secret} {up_to}{amount}{_quote_name(s.name)}"


@describes(t.Rolled)
def _describe_rolled_dice(r: ResolvedBook, rolled: t.Rolled) -> str:
    """Describe dice of one kind in a roll, as `2 cubes`."""
    return describe_dice(r, rolled)


@describes(t.RollSeveral)
def _describe_roll_several(r: ResolvedBook, s: t.RollSeveral) -> str:
    """Describe a roll of several kinds of dice, as `roll 2 cubes and 1 bone (“thrown”)`."""
    return f"roll {join_words(describe(r, roll) for roll in s.rolls)}{_quote_name(s.name)}"


@describes(t.DrawSome)
def _describe_draw_some(r: ResolvedBook, s: t.DrawSome) -> str:
    """Describe a draw, as `draw 2 cards in secret from the deck (“drawn”)`."""
    secret = " in secret" * s.secretly
    source = _describe_source(r, s.source, s.kind)
    return f"draw {_describe_count_of_kind(r, s.count, s.kind)}{secret}{source}{_quote_name(s.name)}"


@describes(t.DrawInto)
def _describe_draw_into(r: ResolvedBook, s: t.DrawInto) -> str:
    """Describe a draw into a place, as `draw 2 cards from the deck and put them into your hand`."""
    if s.count is None:
        drawn = add_indefinite_article(title_of(r, s.kind))
    else:
        drawn = _describe_count_of_kind(r, s.count, s.kind)
    if _is_for_single_thing(r, s.place):
        target_words = "as"
    else:
        target_words = f"and put {_pronoun_for(s.count)} into"
    source = _describe_source(r, s.source, s.kind)
    return f"draw {drawn}{' in secret' * s.secretly}{source} {target_words} {describe_definite(r, s.place)}"


@describes(t.Move)
def _describe_move(r: ResolvedBook, s: t.Move) -> str:
    """Describe a move, as `move the card from your hand to the top of the deck` or `move all of ...`."""
    if describe(r, s.value) == describe(r, s.source):
        extent = "" if _is_for_single_thing(r, s.source) else "all of "
        return f"move {extent}{describe_definite(r, s.source)} to {_describe_target(r, s)}"
    return f"move {describe(r, s.value)} from {describe_definite(r, s.source)} to {_describe_target(r, s)}"


def _is_for_single_thing(r: ResolvedBook, place: t.Expr) -> bool:
    """Return True for a place that holds a single thing, unlike a set or an order."""
    keep = keep_of(r, place)
    return keep is not None and keep.type.shape == "thing"


def _describe_target(r: ResolvedBook, s: t.Move) -> str:
    """Describe the place of a move; `the top of ...` if the moved value comes first."""
    if s.first:
        return f"the top of {describe_definite(r, s.place)}"
    return describe_definite(r, s.place)


def _describe_count_of_kind(r: ResolvedBook, count: t.Expr, kind: t.Name) -> str:
    """Describe a number of things, as `2 cards` or `as many cards as your rank`."""
    if isinstance(count, t.Number):
        return count_title(count.value, title_of(r, kind), plural_of(r, kind))
    return f"as many {plural_of(r, kind)} as {describe(r, count)}"


def _describe_source(r: ResolvedBook, source: t.Expr | None, kind: t.Name) -> str:
    """Return ` from SOURCE`; empty without a source, or if it is simply all things of the kind."""
    words = "" if source is None else describe_definite(r, source)
    return "" if words in ("", plural_of(r, kind)) else f" from {words}"


def _pronoun_for(count: t.Expr | None) -> str:
    """Return `it` for a single drawn member, else `them`; no count means one."""
    if count is None or isinstance(count, t.Number) and count.value == 1:
        return "it"
    return "them"


@describes(t.SetFace)
def _describe_set_face(r: ResolvedBook, s: t.SetFace) -> str:
    """Describe a change of dice, as `turn it to 6`."""
    dice_words = "it" if isinstance(s.dice, t.Name) else describe_definite(r, s.dice)
    return f"turn {dice_words} to {describe(r, s.face)}"


# --- repetition ------------------------------------------------------------------------------------


@describes(t.DoTimes)
def _describe_do_times(r: ResolvedBook, s: t.DoTimes) -> str:
    """Describe a repeated step, as `twice: gain 1 gold`."""
    return f"{describe_times(r, s.count)}: {describe(r, s.step)}"


@outlines(t.DoTimes)
def _outline_do_times(r: ResolvedBook, s: t.DoTimes) -> Iterator[OutlineLine]:
    """Yield one line for a repeated step, which refers to the rule that the step runs."""
    yield OutlineLine(
        to_sentence(describe(r, s)), about=get_subject(r, next(iter_role_values(s.step, Role.RUNS), None))
    )


# --- loops -------------------------------------------------------------------------------------------


ShorthandLoop = t.For | t.EachWhere | t.EachWith | t.EachRound | t.EachNumber | t.EachAtOnce


def describe_loop_head(r: ResolvedBook, s: ShorthandLoop) -> str:
    """Return the members that a loop goes through."""
    if isinstance(s, t.EachAtOnce):
        return f"{'everybody' if s.source is None else describe_definite(r, s.source)} at the same time"
    if isinstance(s, t.EachNumber):
        return f"for each number{_quote_name(s.name)} from {describe(r, s.low)} to {describe(r, s.high)}"
    if isinstance(s, t.EachWhere):
        kind = title_of(r, s.kind)
        condition = describe_single_condition(r, s.where, r.meaning_of(s.kind).sort == "player")
        return f"for each {kind}{_quote_name(s.name)} {condition}"
    if isinstance(s, t.EachWith):
        return f"for each {title_of(r, s.kind)}{_quote_name(s.name)} with {describe_rankings(r, s.keys)}"
    if isinstance(s, t.EachRound):
        if s.where is None:
            condition_words = ""
        else:
            condition_words = f" {describe_single_condition(r, s.where, True)}"
        return f"for each player{condition_words}, beginning with {describe(r, s.start)} and going round to the left"
    if is_collection(r, s.whom):
        return f"for each of {describe_definite(r, s.whom)}"
    return f"for {describe(r, s.whom)}"


def _quote_name(name: t.Name | None) -> str:
    """Return the name that a step binds, as ` (“drawn cards”)`; empty for None."""
    return f" (“{spell_name(name.word)}”)" if name is not None else ""


@describes(t.For, t.EachWhere, t.EachWith, t.EachRound, t.EachNumber, t.EachAtOnce)
def _describe_loop(r: ResolvedBook, s: ShorthandLoop) -> str:
    """Describe a shorthand loop on one line: its head, a colon and its steps."""
    return f"{describe_loop_head(r, s)}: {describe_block(r, s.block)}"


@outlines(t.For, t.EachWhere, t.EachWith, t.EachRound, t.EachNumber, t.EachAtOnce)
def _outline_loop(r: ResolvedBook, s: ShorthandLoop) -> Iterator[OutlineLine]:
    """Yield the head of a shorthand loop, without a leading `for`, with its steps below."""
    yield outline_with_heading(r, describe_loop_head(r, s).removeprefix("for "), s.block)
