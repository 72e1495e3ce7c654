"""Phrases for choices, as `you may spend 1 gold, then gain 1 VP` and `choose one of your buildings`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.compiler.english.amounts import format_branch_title
from edict.compiler.english.block_phrases import (
    continue_sentence,
    describe_block,
    fits_behind,
    get_subject,
    needs_outline,
    outline_block,
    outline_with_heading,
)
from edict.compiler.english.condition_phrases import describe_condition
from edict.compiler.english.member_phrases import describe_dice_condition, describe_member_condition
from edict.compiler.english.phrases import OutlineLine, describe, describes, make_singular, outlines
from edict.compiler.english.titles import describe_binding, plural_of, set_local_phrase, title_of
from edict.compiler.semantics.symbols import ResolvedBook, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.support.morphology import add_indefinite_article, to_sentence, uncapitalize_title


def describe_offer_head(r: ResolvedBook, s: t.May) -> str:
    """Return the step on the line of `may`, as `pay 2 gold`, with `secretly` if it is; "" without one."""
    words = describe(r, s.head) if s.head is not None else ""
    if s.secretly and words and not getattr(s.head, "secretly", False):
        return f"secretly {words}"
    return words


@describes(t.May)
def _describe_may(r: ResolvedBook, s: t.May) -> str:
    """Describe an offer, as `you may spend 1 gold, then gain 1 VP; otherwise lose 1 VP`."""
    otherwise = describe_block(r, s.otherwise)
    return f"you may {describe_offer(r, s)}" + (f"; otherwise {otherwise}" if otherwise else "")


def describe_offer(r: ResolvedBook, s: t.May) -> str:
    """Return head and block of a `may`, joined by `then`; with nothing in them, `say yes to “...”`."""
    words = ", then ".join(words for words in (describe_offer_head(r, s), describe_block(r, s.then)) if words)
    if s.prompt and words in ("", "nothing"):
        return f"say yes to “{s.prompt}”"
    return words


@outlines(t.May)
def _outline_may(r: ResolvedBook, s: t.May) -> Iterator[OutlineLine]:
    """Yield the lines of an offer: `You may spend 1 gold to:` with its steps below, then `Otherwise`."""
    head, then = describe_offer_head(r, s), outline_block(r, s.then)
    subject = get_subject(r, next(iter_role_values(s.head, Role.RUNS), None))
    if not needs_outline(r, s.then):
        yield OutlineLine(to_sentence(f"you may {describe_offer(r, s)}"), about=subject)
    elif isinstance(s.head, t.Spend):
        yield OutlineLine(to_sentence(f"you may {head} to:"), then, subject)
    else:
        yield OutlineLine(to_sentence(f"you may {head}; then:" if head else "you may:"), then, subject)
    if s.otherwise:
        yield outline_with_heading(r, "otherwise", s.otherwise)


def describe_branch_head(r: ResolvedBook, branch: t.Branch) -> str:
    """Return an option's title, unless it only says what it does, and its condition: `“Hold”, if you have points`."""
    if branch.condition is not None:
        condition_ = f", if {describe_condition(r, branch.condition)}"
    else:
        condition_ = ""
    title = format_branch_title(r, branch)
    if branch.title and uncapitalize_title(title) != describe_block(r, branch.block):
        return f"“{title}”{condition_}"
    return condition_.removeprefix(", ")


def describe_branch(r: ResolvedBook, branch: t.Branch) -> str:
    """Return one option of a choice."""
    head, words = describe_branch_head(r, branch), describe_block(r, branch.block) or "nothing"
    return f"{head}: {words}" if head and words != "nothing" else head or words


def describe_choose_one(r: ResolvedBook, s: t.ChooseOne) -> str:
    """Return the head of a choice, as `choose one in secret`."""
    verb = "choose" if s.asking is None else f"{describe(r, s.asking)} chooses"
    return f"{verb} one{' in secret' if s.secretly else ''}"


@describes(t.ChooseOne)
def _describe_options(r: ResolvedBook, s: t.ChooseOne) -> str:
    """Describe a choice between options on one line, as `choose one: gain 1 gold, or gain 1 wood`."""
    return f"{describe_choose_one(r, s)}: " + ", or ".join(describe_branch(r, branch) for branch in s.branches)


@outlines(t.ChooseOne)
def _outline_options(r: ResolvedBook, s: t.ChooseOne) -> Iterator[OutlineLine]:
    """Yield `Choose one:` with a line below for each option."""
    yield OutlineLine(
        to_sentence(f"{describe_choose_one(r, s)}:"), tuple(_outline_branch(r, branch) for branch in s.branches)
    )


def _outline_branch(r: ResolvedBook, branch: t.Branch) -> OutlineLine:
    """Return one option of a choice as a line, with its steps below if there are several."""
    head, below = (
        describe_branch_head(r, branch),
        outline_block(r, branch.block) if describe_block(r, branch.block) != "nothing" else (),
    )
    if len(below) == 1 and fits_behind(head, below[0]):
        return replace(
            below[0], text=to_sentence(f"{head}: {continue_sentence(r, below[0])}") if head else below[0].text
        )
    if below:
        return OutlineLine(to_sentence(f"{head or 'this'}:"), below)
    return OutlineLine(to_sentence(head or "nothing"))


@describes(t.Choose)
def describe_choose(r: ResolvedBook, s: t.Choose) -> str:
    """Describe the choice of a single thing or number."""
    who = f"{describe(r, s.asking)} chooses" if s.asking is not None else "choose"
    secret = " in secret" if s.secretly else ""
    return f"{who}{secret} {_describe_choice_object(r, s)}{describe_binding(r, s)}"


def _describe_choice_object(r: ResolvedBook, s: t.Choose) -> str:
    """Describe what is chosen, as `a number from 1 to 6` or `one of your buildings that is free`."""
    meaning = r.meaning.get(s.kind)
    kind = meaning.sort if isinstance(meaning, Symbol) else ""
    if kind == "number" and s.low is not None and s.high is not None:
        return f"a number from {describe(r, s.low)} to {describe(r, s.high)}"
    if kind in ("number", "player", "resource"):
        title = title_of(r, s.kind).lower()
    else:
        title = title_of(r, s.kind)
    if kind == "number" and s.source is not None:
        chosen = f"a number from {describe(r, s.source)}"
    else:
        chosen = add_indefinite_article(title)
    if kind != "number" and s.source is not None:
        chosen = _describe_one_of(r, s.source, s.kind, title)
    if s.where is not None:
        return f"{chosen} {describe_single_condition(r, s.where, kind == 'player')}"
    return chosen


def describe_single_condition(r: ResolvedBook, where: t.Expr, players: bool) -> str:
    """Return the condition on a single member, as `who is not tired`."""
    return make_singular(describe_member_condition(r, where, players))


def _describe_one_of(r: ResolvedBook, source: t.Expr, kind: t.Name, title: str) -> str:
    """Describe one member of a set, as `another player`, `one of your buildings` or `a card from the deck`."""
    words = describe(r, source)
    if words == "everyone but you":
        return "another player"
    many = plural_of(r, kind).lower()
    if words == many:
        return add_indefinite_article(title)
    if f" {many}" in f" {words}":
        return f"one of {words}"
    return f"{add_indefinite_article(title)} from {words}"


set_local_phrase(t.ChooseDie, "that die")


@describes(t.ChooseDie)
def _describe_choose_die(r: ResolvedBook, s: t.ChooseDie) -> str:
    """Describe the choice of a die, as `choose in secret one of your dice`."""
    return f"choose{' in secret' * s.secretly} {describe_one_of_dice(r, s)}{describe_binding(r, s)}"


def describe_one_of_dice(r: ResolvedBook, s: t.ChooseDie) -> str:
    """Return one die of several, with a condition on its number."""
    return f"one of {describe(r, s.source)}{'' if s.where is None else f' {describe_dice_condition(r, s.where)}'}"
