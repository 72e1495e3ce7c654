"""A yes-or-no by its name: `you won the last battle`, `the option “Draft” is on`."""

from __future__ import annotations

import re

from edict.compiler.english.bound import binder
from edict.compiler.english.phrase_tables import tell
from edict.compiler.english.titles import field_of, title_of
from edict.compiler.english.value_phrases import HAS
from edict.compiler.semantics.symbols import Local, Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.support.morphology import spell_name, split_title, uncapitalize_title

# A single word that one can only have, not be: `stance`, but not `tired`.
_NOUN = re.compile(r"^\S+(?:ance|ence|tion|sion|ment|ness|ship|ity|ism|hood|dom)$", re.IGNORECASE)


def truth(r: Resolved, e: t.Name | t.Apply, holds: bool) -> str:
    """A yes-or-no that is remembered, printed, set for the table, or named by `let`."""
    name = e.head if isinstance(e, t.Apply) else e
    meaning = r.meaning.get(name)
    if isinstance(meaning, Local):
        words = tell(r, e)
        if isinstance(binder(r, meaning), t.Let):
            return f"{words} is {'true' if holds else 'not true'}"
        return words if holds else f"not {words}"
    if meaning is None or meaning.sort == "builtin":
        return {"yes": "always", "no": "never"}.get(name.word, tell(r, e))
    if meaning.sort == "setting":
        return f"the option “{option_title(title_of(r, name))}” is {'on' if holds else 'off'}"
    if not isinstance(e, t.Apply):
        title = title_of(r, name)
        if " " not in title:
            return f"“{title}” {'holds' if holds else 'does not hold'}"
        return title if holds else _denied(title)
    return _of_whom(r, e, meaning, holds)


def option_title(title: str) -> str:
    """The name of an option: what stands before a colon."""
    return title.partition(":")[0]


def _of_whom(r: Resolved, e: t.Apply, meaning: Symbol, holds: bool) -> str:
    """`you won the last battle`, `the advisor is off the board`; without a title, `“won” holds for you`."""
    who = tell(r, e.args[0])
    definition = meaning.definition
    fields = [field_of(r, kind, meaning.name) for kind in r.fields.get(meaning.name, ())]
    title = split_title(definition.title)[0] if definition else next((f.title for f in fields if f), "")
    more = "".join(f" for {tell(r, arg)}" for arg in e.args[1:])
    are, whom = "are" if who in HAS else "is", {"they": "them"}.get(who, who)
    if not title or more or _NOUN.search(title):
        return f"“{title or spell_name(meaning.name)}” {'holds' if holds else 'does not hold'} for {whom}{more}"
    if meaning.sort in ("field", "value") or " " not in title:
        return f"{who} {are} {'' if holds else 'not '}{uncapitalize_title(title)}"
    if title.startswith(("the ", "a ", "an ")):
        if not holds:
            return f"{who} {'do' if who in HAS else 'does'} not have {title}"
        return f"{who} {'have' if who in HAS else 'has'} {title}"
    return f"{who} {title}" if holds else _not_so(who, title)


def _denied(clause: str) -> str:
    """The opposite of a whole clause: `the turn is not over`."""
    for verb in (" is ", " are ", " has ", " have "):
        if verb in clause:
            return clause.replace(verb, f"{verb}not ", 1)
    return f"it is not the case that {clause}"


def _not_so(who: str, deed: str) -> str:
    """The opposite of what somebody has done: `you have not won the last battle`."""
    first, _, rest = deed.partition(" ")
    have = "have" if who in HAS else "has"
    if first in ("have", "has"):
        return f"{who} {have} not {rest}"
    return f"{who} {have} not {deed}" if not first.endswith("s") else f"it is not the case that {who} {deed}"
