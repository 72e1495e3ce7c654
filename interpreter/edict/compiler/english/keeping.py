"""What is remembered, in words: `add 1 to the year`, `the crown goes to ...`."""

from __future__ import annotations

import re

from edict.compiler.english.condition_phrases import condition
from edict.compiler.english.having import absence, holdable, is_object
from edict.compiler.english.phrase_tables import tell, tells, told_as
from edict.compiler.english.plurals import definite, is_many
from edict.compiler.english.typed import is_number, is_order, is_truth, of_things
from edict.compiler.semantics.symbols import Local, Resolved, keep_of
from edict.compiler.syntax import tree as t
from edict.support.morphology import join_words, spell_name, with_the

_UNDONE = re.compile(r" ha(?:ve|s) not ")  # what somebody has done: that it was not so cannot become true


@tells(t.Let)
def _let(r: Resolved, s: t.Let) -> str:
    name = spell_name(s.name.word)
    if is_truth(r, s.value):
        return f"note whether {condition(r, s.value)} (“{name}”)"
    if isinstance(s.value, t.Number):
        return f"“{name}” starts at {s.value.value}"
    if isinstance(s.value, t.Name) and s.value.word in ("nobody", "no-dice"):
        return f"“{name}” starts empty"
    if isinstance(s.value, t.Name) and s.value.word == "you":
        return f"“{name}” is you"
    return f"“{name}” {'are' if of_things(r, s.value) and is_many(r, s.value) else 'is'} {definite(r, s.value)}"


@tells(t.Set)
def _set(r: Resolved, s: t.Set) -> str:
    keep = keep_of(r, s.place)
    word = s.value.word if isinstance(s.value, t.Name) else ""
    if keep is not None and keep.type.shape == "truth":
        return _set_truth(r, s, word)
    if word in ("nobody", "no-dice"):
        return f"clear {tell(r, s.place)}"
    title = holdable(r, s.place)
    if title:
        return _set_holder(r, s, title, word)
    if word == "none" and keep is not None and absence(r, s.place, True):
        return f"{absence(r, s.place, True)} any more"
    if isinstance(s.value, t.Binary) and of_things(r, s.value) and _leftmost(r, s.value) == tell(r, s.place):
        return _changed(r, s)
    place, value = tell(r, s.place), tell(r, s.value)
    if keep is not None and keep.type.shape == "thing" and _is_bound(r, s.value):
        return f"{value} is now {place}"
    if place == value:
        return f"note {place}"
    return f"set {place} to {value}" if is_number(r, s.place) else f"{place} {_becomes(r, s.place)} {value}"


def _is_bound(r: Resolved, e: t.Expr) -> bool:
    """Whether it is what was chosen, drawn or given."""
    return isinstance(e, t.Name) and isinstance(r.meaning.get(e), Local)


def _leftmost(r: Resolved, e: t.Expr) -> str:
    while isinstance(e, t.Binary) and e.op in ("+", "-"):
        e = e.left
    return tell(r, e)


def _becomes(r: Resolved, place: t.Expr) -> str:
    return "become" if is_many(r, place) else "becomes"


def _set_truth(r: Resolved, s: t.Set, word: str) -> str:
    holds = condition(r, s.place)
    if word in ("yes", "no"):
        now = condition(r, s.place, word == "yes")
        if now.startswith("it is not the case"):
            return f"it is no longer the case that {holds}"
        if isinstance(s.place, t.Name):  # of the table: `the game ends early`
            return f"from now on {now}" if now.startswith("“") else now
        return f"forget that {holds}" if _UNDONE.search(now) else f"note that {now}"
    return f"note whether {condition(r, s.value)}: if so, {holds}"


def _set_holder(r: Resolved, s: t.Set, title: str, word: str) -> str:
    if word == "none":
        return f"nobody {'has' if is_object(title) else 'is'} {with_the(title)}"
    whom = tell(r, s.value)
    if is_object(title):
        return f"take {with_the(title)}" if whom == "you" else f"{with_the(title)} goes to {whom}"
    return f"you become {with_the(title)}" if whom == "you" else f"{with_the(title)} becomes {whom}"


def _changed(r: Resolved, s: t.Set) -> str:
    """`set hand of you to hand of you - own + new`, step by step."""
    steps: list[str] = []
    value = s.value
    while isinstance(value, t.Binary) and value.op in ("+", "-"):
        steps.append(f"add {tell(r, value.right)}" if value.op == "+" else f"remove {tell(r, value.right)}")
        value = value.left
    if tell(r, value) != tell(r, s.place):
        return f"{tell(r, s.place)} {_becomes(r, s.place)} {tell(r, s.value)}"
    last, *rest = steps
    joint = "to" if last.startswith("add") else "from"
    return join_words([*reversed(rest), f"{last} {joint} {tell(r, s.place)}"])


@tells(t.Add)
def _add(r: Resolved, s: t.Add) -> str:
    if is_order(r, s.place):
        return f"put {tell(r, s.value)} {'first' if s.first else 'last'} in {definite(r, s.place)}"
    return f"add {tell(r, s.value)} to {tell(r, s.place)}"


told_as({t.Remove: "remove {value} from {place}"})
