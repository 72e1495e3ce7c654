"""Choices in words: `you may spend 1 gold, then gain 1 VP`, `choose one of your buildings`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.compiler.english.block_phrases import block_words
from edict.compiler.english.bound import calls, named
from edict.compiler.english.condition_phrases import condition
from edict.compiler.english.members import shown_by, such
from edict.compiler.english.outline import about, headed, lines, long, short, small
from edict.compiler.english.phrase_tables import Line, outlines, tell, tells
from edict.compiler.english.relative import singular
from edict.compiler.english.settled import branch_title
from edict.compiler.english.titles import many_of, title_of
from edict.compiler.semantics.symbols import Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.support.morphology import to_sentence, uncapitalize_title, with_article


def may_head(r: Resolved, s: t.May) -> str:
    """What is offered: the first step, or the whole block."""
    words = tell(r, s.head) if s.head is not None else ""
    return f"secretly {words}" if s.secretly and words and not getattr(s.head, "secretly", False) else words


@tells(t.May)
def _may(r: Resolved, s: t.May) -> str:
    otherwise = block_words(r, s.otherwise)
    return f"you may {offered_words(r, s)}" + (f"; otherwise {otherwise}" if otherwise else "")


def offered_words(r: Resolved, s: t.May) -> str:
    """What one may do; of what has no consequence in itself, its question."""
    words = ", then ".join(words for words in (may_head(r, s), block_words(r, s.then)) if words)
    return f"say yes to “{s.prompt}”" if s.prompt and words in ("", "nothing") else words


@outlines(t.May)
def _may_lines(r: Resolved, s: t.May) -> Iterator[Line]:
    head, then = may_head(r, s), lines(r, s.then)
    leads = about(r, next(having(s.head, Role.RUNS), None))
    if not long(r, s.then):
        yield Line(to_sentence(f"you may {offered_words(r, s)}"), about=leads)
    elif isinstance(s.head, t.Spend):
        yield Line(to_sentence(f"you may {head} to:"), then, leads)
    else:
        yield Line(to_sentence(f"you may {head}; then:" if head else "you may:"), then, leads)
    if s.otherwise:
        yield headed(r, "otherwise", s.otherwise)


def branch_head(r: Resolved, branch: t.Branch) -> str:
    """How one of the ways of a choice is called, if that is not what it does: `“Hold”, if you have points`."""
    condition_ = f", if {condition(r, branch.condition)}" if branch.condition is not None else ""
    title = branch_title(r, branch)
    if branch.title and uncapitalize_title(title) != block_words(r, branch.block):
        return f"“{title}”{condition_}"
    return condition_.removeprefix(", ")


def branch_words(r: Resolved, branch: t.Branch) -> str:
    """One of the ways of a choice."""
    head, words = branch_head(r, branch), block_words(r, branch.block) or "nothing"
    return f"{head}: {words}" if head and words != "nothing" else head or words


def one_head(r: Resolved, s: t.ChooseOne) -> str:
    verb = "choose" if s.asking is None else f"{tell(r, s.asking)} chooses"
    return f"{verb} one{' in secret' if s.secretly else ''}"


@tells(t.ChooseOne)
def _choose_one(r: Resolved, s: t.ChooseOne) -> str:
    return f"{one_head(r, s)}: " + ", or ".join(branch_words(r, b) for b in s.branches)


@outlines(t.ChooseOne)
def _choose_one_lines(r: Resolved, s: t.ChooseOne) -> Iterator[Line]:
    yield Line(to_sentence(f"{one_head(r, s)}:"), tuple(_branch(r, branch) for branch in s.branches))


def _branch(r: Resolved, branch: t.Branch) -> Line:
    """One of the ways of a choice; its steps stand below it when there are several."""
    head, below = branch_head(r, branch), lines(r, branch.block) if block_words(r, branch.block) != "nothing" else ()
    if len(below) == 1 and short(head, below[0]):
        return replace(below[0], text=to_sentence(f"{head}: {small(r, below[0])}") if head else below[0].text)
    return Line(to_sentence(f"{head or 'this'}:"), below) if below else Line(to_sentence(head or "nothing"))


@tells(t.Choose)
def choose(r: Resolved, s: t.Choose) -> str:
    who = f"{tell(r, s.asking)} chooses" if s.asking is not None else "choose"
    secret = " in secret" if s.secretly else ""
    return f"{who}{secret} {_chosen(r, s)}{named(r, s)}"


def _chosen(r: Resolved, s: t.Choose) -> str:
    meaning = r.meaning.get(s.kind)
    kind = meaning.sort if isinstance(meaning, Symbol) else ""
    if kind == "number" and s.low is not None and s.high is not None:
        return f"a number from {tell(r, s.low)} to {tell(r, s.high)}"
    what = title_of(r, s.kind).lower() if kind in ("number", "player", "resource") else title_of(r, s.kind)
    chosen = f"a number from {tell(r, s.source)}" if kind == "number" and s.source is not None else with_article(what)
    if kind != "number" and s.source is not None:
        chosen = _one_of(r, s.source, s.kind, what)
    return f"{chosen} {such_a(r, s.where, kind == 'player')}" if s.where is not None else chosen


def such_a(r: Resolved, where: t.Expr, players: bool) -> str:
    """The condition on a single one."""
    return singular(such(r, where, players))


def _one_of(r: Resolved, source: t.Expr, kind: t.Name, what: str) -> str:
    words = tell(r, source)
    if words == "everyone but you":
        return "another player"
    many = many_of(r, kind).lower()
    if words == many:
        return with_article(what)
    return f"one of {words}" if f" {many}" in f" {words}" else f"{with_article(what)} from {words}"


calls(t.ChooseDie, "that die")


@tells(t.ChooseDie)
def _choose_die(r: Resolved, s: t.ChooseDie) -> str:
    return f"choose{' in secret' * s.secretly} {one_of_dice(r, s)}{named(r, s)}"


def one_of_dice(r: Resolved, s: t.ChooseDie) -> str:
    return f"one of {tell(r, s.source)}{'' if s.where is None else f' {shown_by(r, s.where)}'}"
