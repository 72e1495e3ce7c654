"""Phrases for changes of stored values, as `add 1 to the year` and `the crown goes to ...`."""

from __future__ import annotations

import re

from edict.compiler.english.condition_phrases import describe_condition
from edict.compiler.english.phrase_tables import describe, describes, register_patterns
from edict.compiler.english.plurals import describe_definite, is_plural
from edict.compiler.english.possession_phrases import describe_absence, get_holder_title, is_object
from edict.compiler.english.type_queries import is_collection, is_number, is_order, is_truth
from edict.compiler.semantics.symbols import Local, ResolvedBook, keep_of
from edict.compiler.syntax import tree as t
from edict.support.morphology import add_definite_article, join_words, spell_name

_NOT_DONE = re.compile(r" ha(?:ve|s) not ")  # of a deed in the past, which cannot be undone


@describes(t.Let)
def _describe_let(r: ResolvedBook, s: t.Let) -> str:
    """Describe a `let`, as `“score” is your VP` or `note whether you have gold (“rich”)`."""
    name = spell_name(s.name.word)
    if is_truth(r, s.value):
        return f"note whether {describe_condition(r, s.value)} (“{name}”)"
    if isinstance(s.value, t.Number):
        return f"“{name}” starts at {s.value.value}"
    if isinstance(s.value, t.Name) and s.value.word in ("nobody", "no-dice"):
        return f"“{name}” starts empty"
    if isinstance(s.value, t.Name) and s.value.word == "you":
        return f"“{name}” is you"
    verb = "are" if is_collection(r, s.value) and is_plural(r, s.value) else "is"
    return f"“{name}” {verb} {describe_definite(r, s.value)}"


@describes(t.Set)
def _describe_set(r: ResolvedBook, s: t.Set) -> str:
    """Describe an assignment by its type, as `set the year to 2`, `take the Crown` or `clear the market`."""
    keep = keep_of(r, s.place)
    word = s.value.word if isinstance(s.value, t.Name) else ""
    if keep is not None and keep.type.shape == "truth":
        return _describe_set_truth(r, s, word)
    if word in ("nobody", "no-dice"):
        return f"clear {describe(r, s.place)}"
    title = get_holder_title(r, s.place)
    if title:
        return _describe_set_holder(r, s, title, word)
    if word == "none" and keep is not None and describe_absence(r, s.place, True):
        return f"{describe_absence(r, s.place, True)} any more"
    if (
        isinstance(s.value, t.Binary)
        and is_collection(r, s.value)
        and _describe_leftmost_operand(r, s.value) == describe(r, s.place)
    ):
        return _describe_set_steps(r, s)
    place, value = describe(r, s.place), describe(r, s.value)
    if keep is not None and keep.type.shape == "thing" and _is_local_name(r, s.value):
        return f"{value} is now {place}"
    if place == value:
        return f"note {place}"
    if is_number(r, s.place):
        return f"set {place} to {value}"
    return f"{place} {_agree_becomes(r, s.place)} {value}"


def _is_local_name(r: ResolvedBook, e: t.Expr) -> bool:
    """Return True for a local name: what was chosen, drawn or given."""
    return isinstance(e, t.Name) and isinstance(r.meaning.get(e), Local)


def _describe_leftmost_operand(r: ResolvedBook, e: t.Expr) -> str:
    """Describe the first operand of a chain of `+` and `-`, as `hand of you` in `hand of you - own + new`."""
    while isinstance(e, t.Binary) and e.op in ("+", "-"):
        e = e.left
    return describe(r, e)


def _agree_becomes(r: ResolvedBook, place: t.Expr) -> str:
    """Return `become` for a place in the plural, else `becomes`."""
    return "become" if is_plural(r, place) else "becomes"


def _describe_set_truth(r: ResolvedBook, s: t.Set, word: str) -> str:
    """Describe an assignment to a truth, as `note that you won`; `word` is `yes` or `no` if it is constant."""
    holds = describe_condition(r, s.place)
    if word in ("yes", "no"):
        now = describe_condition(r, s.place, word == "yes")
        if now.startswith("it is not the case"):
            return f"it is no longer the case that {holds}"
        if isinstance(s.place, t.Name):  # a truth of the table, as `the game ends early`
            return f"from now on {now}" if now.startswith("“") else now
        return f"forget that {holds}" if _NOT_DONE.search(now) else f"note that {now}"
    return f"note whether {describe_condition(r, s.value)}: if so, {holds}"


def _describe_set_holder(r: ResolvedBook, s: t.Set, title: str, word: str) -> str:
    """Describe an assignment to a keep titled for its holder, as `take the Crown`; `word` is `none` for nobody."""
    if word == "none":
        return f"nobody {'has' if is_object(title) else 'is'} {add_definite_article(title)}"
    whom = describe(r, s.value)
    if is_object(title):
        if whom == "you":
            return f"take {add_definite_article(title)}"
        return f"{add_definite_article(title)} goes to {whom}"
    if whom == "you":
        return f"you become {add_definite_article(title)}"
    return f"{add_definite_article(title)} becomes {whom}"


def _describe_set_steps(r: ResolvedBook, s: t.Set) -> str:
    """Describe `set hand of you to hand of you - own + new` step by step."""
    steps: list[str] = []
    value = s.value
    while isinstance(value, t.Binary) and value.op in ("+", "-"):
        steps.append(f"add {describe(r, value.right)}" if value.op == "+" else f"remove {describe(r, value.right)}")
        value = value.left
    if describe(r, value) != describe(r, s.place):
        return f"{describe(r, s.place)} {_agree_becomes(r, s.place)} {describe(r, s.value)}"
    last, *others = steps
    joint = "to" if last.startswith("add") else "from"
    return join_words([*reversed(others), f"{last} {joint} {describe(r, s.place)}"])


@describes(t.Add)
def _describe_add(r: ResolvedBook, s: t.Add) -> str:
    """Describe an `add`, as `add the card to your hand` or `put the card last in the queue`."""
    if is_order(r, s.place):
        return f"put {describe(r, s.value)} {'first' if s.first else 'last'} in {describe_definite(r, s.place)}"
    return f"add {describe(r, s.value)} to {describe(r, s.place)}"


register_patterns({t.Remove: "remove {value} from {place}"})
