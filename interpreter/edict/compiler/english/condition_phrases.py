"""Conditions in words: `it is summer and either you have gold or you have wood`, `for every good, ...`."""

from __future__ import annotations

from dataclasses import replace

from edict.compiler.english.amounts import bundles
from edict.compiler.english.binding import RANKS, Binding, Binds, Phrase, ending, exactly_if, joined_by
from edict.compiler.english.comparing import COMPARED, compared
from edict.compiler.english.having import empty
from edict.compiler.english.phrase_tables import said, tell, tells
from edict.compiler.english.plurals import before_others
from edict.compiler.english.relative import of_dice
from edict.compiler.english.titles import title_of
from edict.compiler.english.truths import truth
from edict.compiler.english.typed import is_dice, is_truth, of_players
from edict.compiler.english.value_phrases import computed, of_one
from edict.compiler.semantics.effects import ever_changed
from edict.compiler.semantics.symbols import Local, Resolved, Symbol, keep_of, parts_of, place_of
from edict.compiler.syntax import tree as t
from edict.support.morphology import join_words, make_possessive, uncapitalize_title

OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not-in", "not-in": "in",
            "within": "not-within"}  # fmt: skip
REACHED = {
    ">=": (("is at least", "reaches"), ("are at least", "reach")),
    ">": (("is more than", "exceeds"), ("are more than", "exceed")),
}


def condition(r: Resolved, e: t.Expr, holds: bool = True) -> str:
    """A clause that says that a condition holds, or that it does not."""
    return clause(r, e, holds).text


def clause(r: Resolved, e: t.Expr, holds: bool = True) -> Phrase:
    """The same, with how it holds together."""
    if isinstance(e, t.Binary) and e.op in ("and", "or"):
        op = e.op if holds else {"and": "or", "or": "and"}[e.op]
        arms = _arms(r, e, e.op)
        named = _one_of_named(r, arms) if op == "or" and holds else None
        return named or joined_by(op, (clause(r, arm, holds) for arm in arms))
    if isinstance(e, t.Binary) and e.op in COMPARED:
        return _same(r, e, holds) or compared(r, e, e.op if holds else OPPOSITE[e.op])
    if isinstance(e, t.Unary) and e.op == "not":
        return clause(r, e.arg, not holds)
    if isinstance(e, t.Unary) and e.op in ("empty", "not-empty"):
        return ending(empty(r, e.arg, (e.op == "empty") == holds), (said(r, e.arg),))
    if isinstance(e, t.During):
        return Phrase(_during(r, e, holds))
    if isinstance(e, t.Quantified):
        return _quantified(r, e, holds)
    if isinstance(e, t.CanPay):
        several = len(e.options) > 1 or len(parts_of(r, e.options[0])) > 1
        words = f"you {'can' if holds else 'cannot'} pay {bundles(r, e.options)}"
        return Phrase(words, ends=Binding.CLAUSE if several else Binding.OPEN)
    if isinstance(e, t.Name | t.Apply):
        return Phrase(truth(r, e, holds))
    return said(r, e)


def awaited(r: Resolved, e: t.Expr) -> str:
    """A condition that something goes on until: `the year reaches 5`."""
    return _awaited(r, e).text


def _awaited(r: Resolved, e: t.Expr) -> Phrase:
    if isinstance(e, t.Binary) and e.op in ("and", "or"):
        return joined_by(e.op, (_awaited(r, arm) for arm in _arms(r, e, e.op)))
    inner = e.condition if isinstance(e, t.Quantified) else e
    words = clause(r, e)
    if isinstance(inner, t.Binary) and inner.op in REACHED:
        for verb, instead in REACHED[inner.op]:
            words = replace(words, text=words.text.replace(f" {verb} ", f" {instead} ", 1))
    return words


def _one_of_named(r: Resolved, arms: list[t.Expr]) -> Phrase | None:
    """Conditions that differ in a name alone: `the enemy is Goblins or Orcs`, `it is summer or fall`."""
    named = [_naming(r, arm) for arm in arms]
    if len(arms) < 2 or "" in (name for _, name in named) or len({about for about, _ in named}) > 1:
        return None
    return Phrase(join_words((clause(r, arms[0]).text, *(name for _, name in named[1:])), "or"), ends=Binding.OPEN)


def _naming(r: Resolved, e: t.Expr) -> tuple[str, str]:
    """What a condition says besides a name, and the name with which it ends; no name for any other."""
    about, name = "", None
    if isinstance(e, t.Binary) and e.op in ("=", "in"):
        sides = (e.left, e.right) if e.op == "=" else (e.right, e.left)
        about, name = f"{e.op} {tell(r, sides[0])}", sides[1]
    elif isinstance(e, t.During):
        about, name = "during", e.phase
    meaning = r.meaning.get(name) if isinstance(name, t.Name) else None
    title = uncapitalize_title(title_of(r, name)) if isinstance(name, t.Name) and isinstance(e, t.During) else ""
    if isinstance(meaning, Symbol) and meaning.sort == "thing" and isinstance(name, t.Name):
        title = title_of(r, name)
    return (about, title) if title and clause(r, e).text.endswith(f" {title}") else ("", "")


@tells(t.Binary, t.Listed)
def _binary(r: Resolved, e: t.Binary) -> Phrase:
    return computed(r, e) if e.op in RANKS else clause(r, e)


@tells(t.Unary)
def _unary(r: Resolved, e: t.Unary) -> Phrase:
    return clause(r, e) if e.op in ("not", "empty", "not-empty") else of_one(r, e)


tells(t.During, t.Quantified, t.CanPay)(clause)


def _arms(r: Resolved, e: t.Expr, op: str) -> list[t.Expr]:
    """What is joined by the word; without what can only be one way, since nothing ever changes it."""
    all_ = _joined(e, op)
    left = [arm for arm in all_ if not _settled(r, arm, op == "and")]
    return left or all_


def _joined(e: t.Expr, op: str) -> list[t.Expr]:
    return [*_joined(e.left, op), *_joined(e.right, op)] if isinstance(e, t.Binary) and e.op == op else [e]


def _settled(r: Resolved, e: t.Expr, holds: bool) -> bool:
    """Whether a yes-or-no that is remembered starts so, and no rule changes it."""
    if isinstance(e, t.Unary) and e.op == "not":
        return _settled(r, e.arg, not holds)
    keep = keep_of(r, e)
    if keep is None or keep.type.shape != "truth" or place_of(r, e) in ever_changed(r):
        return False
    return holds == (isinstance(keep.start, t.Name) and keep.start.word == "yes")


def _same(r: Resolved, e: t.Binary, holds: bool) -> Phrase | None:
    """Of two truths: `it is on a strip exactly if the building is on a strip`."""
    if e.op not in ("=", "!=") or not all(is_truth(r, side) for side in (e.left, e.right)):
        return None
    alike = (e.op == "=") == holds
    if isinstance(e.right, t.Name) and e.right.word in ("yes", "no"):
        return clause(r, e.left, (e.right.word == "yes") == alike)
    return exactly_if(clause(r, e.left), clause(r, e.right, alike))


def _during(r: Resolved, e: t.During, holds: bool) -> str:
    title = title_of(r, e.phase)
    if " " not in title:
        return f"it is {'' if holds else 'not '}{uncapitalize_title(title)}"
    return f"“{title}” is {'' if holds else 'not '}under way"


def _quantified(r: Resolved, e: t.Quantified, holds: bool = True) -> Phrase:
    """`some other player's VP is ...`, `for every good, ...`."""
    if (priced := _priced(r, e)) is not None:
        return Phrase(f"you {'can' if holds else 'cannot'} pay {tell(r, priced)}", ends=Binding.OPEN)
    if is_dice(r, e.members):
        op = {"every": ("all", "not all"), "some": ("some", "none")}[e.op][not holds]
        shown = of_dice(clause(r, e.condition))
        return replace(shown, text=f"{op} of {tell(r, e.members)} {shown.text.removeprefix('that ')}")
    op = e.op if holds else {"every": "some", "some": "no"}.get(e.op, e.op)
    whom, words = _whom(r, e.members, op), clause(r, e.condition, holds or op == "no")
    players = of_players(r, e.members)
    pronoun, whose = ("they", "their") if players else ("it", "its")
    spoken = words.text.split()
    if words.binds == Binds.PHRASE and spoken.count(pronoun) + spoken.count(whose) == 1:
        left = tell(r, e.condition.left) if isinstance(e.condition, t.Binary) else ""
        owned = left.startswith(f"{whose} ") and words.text.startswith(left)
        if " of " in whom and owned and said(r, e.members).ends < Binding.OPEN:
            head = f"the {left.removeprefix(f'{whose} ')} of {whom}"
            return replace(words, text=f"{head}{words.text.removeprefix(left)}")
        if " of " not in whom and words.text.startswith(f"{whose} "):
            return replace(words, text=f"{make_possessive(whom)} {words.text.removeprefix(f'{whose} ')}")
        if op != "no" and words.text.startswith("you have ") and f" of {pronoun}" in words.text:
            return replace(words, text=words.text.replace(f" of {pronoun}", f" of {whom}", 1))
        if words.text.startswith("they have "):
            return replace(words, text=f"{whom} has {words.text.removeprefix('they have ')}")
    return Phrase(f"for {whom}, {words}", ends=Binding.CLAUSE, last=words.last)


def _priced(r: Resolved, e: t.Quantified) -> t.Apply | None:
    """`every good has price of what in it <= it of you`: what is to be paid, the price of that thing."""
    cost, own = (e.condition.left, e.condition.right) if isinstance(e.condition, t.Binary) else (None, None)
    if e.op != "every" or not isinstance(cost, t.Apply) or not isinstance(own, t.Apply) or len(cost.args) != 2:
        return None
    assert isinstance(e.condition, t.Binary)
    each, paid = r.meaning.get(own.head), cost.args[1]
    in_it = isinstance(paid, t.Name) and isinstance(each, Local) and r.meaning.get(paid) == each
    ours = e.condition.op == "<=" and [getattr(arg, "word", "") for arg in own.args] == ["you"]
    return replace(cost, args=cost.args[:1]) if in_it and ours else None


def _whom(r: Resolved, members: t.Expr, op: str) -> str:
    """Of whom it is said: `every player`, `some of your buildings`."""
    words = tell(r, members)
    if words == "everyone but you":
        return f"{op} other player"
    if words == "everyone":
        return f"{op} player"
    if isinstance(members, t.Name) and not isinstance(r.meaning.get(members), Local) and keep_of(r, members) is None:
        return f"{op} {title_of(r, members)}"
    return f"{ ({'every': 'each', 'no': 'none'}.get(op, op)) } of {before_others(r, members)}"
