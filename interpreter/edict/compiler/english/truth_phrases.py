"""Phrases for truth values by their names, as `you won the last battle` and `the option “Draft” is on`."""

from __future__ import annotations

import re

from edict.compiler.english.local_names import get_binder
from edict.compiler.english.phrase_tables import describe
from edict.compiler.english.titles import get_field, title_of
from edict.compiler.english.value_phrases import HAVE_PHRASES
from edict.compiler.semantics.symbols import Local, ResolvedBook, Symbol
from edict.compiler.syntax import tree as t
from edict.support.morphology import spell_name, split_title, uncapitalize_title

# A single noun, which one has and is not: `stance`, but not `tired`.
_NOUN_SUFFIX = re.compile(r"^\S+(?:ance|ence|tion|sion|ment|ness|ship|ity|ism|hood|dom)$", re.IGNORECASE)


def describe_truth(r: ResolvedBook, e: t.Name | t.Apply, holds: bool) -> str:
    """Return a clause for a truth value (keep, field, setting, `let`) that holds or not, as `the game is over`."""
    name = e.head if isinstance(e, t.Apply) else e
    meaning = r.meaning.get(name)
    if isinstance(meaning, Local):
        words = describe(r, e)
        if isinstance(get_binder(r, meaning), t.Let):
            return f"{words} is {'true' if holds else 'not true'}"
        return words if holds else f"not {words}"
    if meaning is None or meaning.sort == "builtin":
        return {"yes": "always", "no": "never"}.get(name.word, describe(r, e))
    if meaning.sort == "setting":
        return f"the option “{option_title(title_of(r, name))}” is {'on' if holds else 'off'}"
    if not isinstance(e, t.Apply):
        title = title_of(r, name)
        if " " not in title:
            return f"“{title}” {'holds' if holds else 'does not hold'}"
        return title if holds else _negate_clause(title)
    return _describe_owned_truth(r, e, meaning, holds)


def option_title(title: str) -> str:
    """Return the name of an option: the part of its title before a colon."""
    return title.partition(":")[0]


def _describe_owned_truth(r: ResolvedBook, e: t.Apply, meaning: Symbol, holds: bool) -> str:
    """Return `you won the last battle` or `the advisor is off the board`; without a title, `“won” holds for you`."""
    who = describe(r, e.args[0])
    definition = meaning.definition
    fields = [get_field(r, kind, meaning.name) for kind in r.fields.get(meaning.name, ())]
    if definition:
        title = split_title(definition.title)[0]
    else:
        title = next((field_.title for field_ in fields if field_), "")
    further_args = "".join(f" for {describe(r, arg)}" for arg in e.args[1:])
    verb, owner = "are" if who in HAVE_PHRASES else "is", {"they": "them"}.get(who, who)
    if not title or further_args or _NOUN_SUFFIX.search(title):
        return (
            f"“{title or spell_name(meaning.name)}” {'holds' if holds else 'does not hold'} for {owner}{further_args}"
        )
    if meaning.sort in ("field", "value") or " " not in title:
        return f"{who} {verb} {'' if holds else 'not '}{uncapitalize_title(title)}"
    if title.startswith(("the ", "a ", "an ")):
        if not holds:
            return f"{who} {'do' if who in HAVE_PHRASES else 'does'} not have {title}"
        return f"{who} {'have' if who in HAVE_PHRASES else 'has'} {title}"
    return f"{who} {title}" if holds else _negate_deed(who, title)


def _negate_clause(clause: str) -> str:
    """Return the opposite of a clause, as `the turn is not over`."""
    for verb in (" is ", " are ", " has ", " have "):
        if verb in clause:
            return clause.replace(verb, f"{verb}not ", 1)
    return f"it is not the case that {clause}"


def _negate_deed(who: str, deed: str) -> str:
    """Return the opposite of a deed, as `you have not won the last battle`."""
    first, _, participle_rest = deed.partition(" ")
    have = "have" if who in HAVE_PHRASES else "has"
    if first in ("have", "has"):
        return f"{who} {have} not {participle_rest}"
    if not first.endswith("s"):
        return f"{who} {have} not {deed}"
    return f"it is not the case that {who} {deed}"
