"""What is mentioned in the plural."""

from __future__ import annotations

import re

from edict.compiler.english.binding import Phrase, bracketed
from edict.compiler.english.phrase_tables import said, tell
from edict.compiler.english.titles import title_of
from edict.compiler.english.typed import of_things
from edict.compiler.semantics.symbols import Resolved, Symbol
from edict.compiler.syntax import tree as t

_PHRASE = re.compile(r" (?:in|of|on|at|with|from|for|to|when|who|not|by)(?: |\Z)")


def countable(title: str) -> bool:
    """Whether one has so many of it, as of `battles won`: what is titled in the plural."""
    head = _PHRASE.split(title, maxsplit=1)[0].split() or [""]
    return any(word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in (head[0], head[-1]))


def phrased(title: str) -> bool:
    """Whether a title says more than a noun, as `price of a soldier` does."""
    return _PHRASE.search(title) is not None


def plural_title(meaning: Symbol, title: str) -> bool:
    """Whether a resource, keep or quantity is titled in the plural."""
    definition = meaning.definition
    if definition is None:
        return False
    dice = isinstance(definition, t.Die) or isinstance(definition, t.Keep) and definition.type.shape == "dice"
    return "/" in definition.title or dice or countable(title)


def is_many(r: Resolved, e: t.Expr) -> bool:
    """Whether an expression is mentioned in the plural."""
    if isinstance(e, t.Name):
        meaning = r.meaning.get(e)
        if isinstance(meaning, Symbol) and meaning.sort in ("kind", "group", "player"):
            return True
        if isinstance(meaning, Symbol) and meaning.sort == "setting":
            return False  # of `Rounds` it is said: the number of rounds
        return isinstance(meaning, Symbol) and plural_title(meaning, title_of(r, e))
    if isinstance(e, t.Apply):
        meaning = r.meaning.get(e.head)
        return isinstance(meaning, Symbol) and plural_title(meaning, title_of(r, e.head, many=True))
    if isinstance(e, t.Unary):
        return e.op == "faces"
    return isinstance(e, t.OfMembers | t.Among) or isinstance(e, t.Binary) and of_things(r, e)


def definite(r: Resolved, e: t.Expr) -> str:
    """A set with `the`, where its members are described: `the players with the most VP`."""
    words = tell(r, e)
    described = isinstance(e, t.OfMembers) and not words.startswith(("the ", "those ", "your ", "“", "everyone", "("))
    return f"the {words}" if described else words


def before_others(r: Resolved, e: t.Expr) -> str:
    """The words of a set which a verb or a condition follows."""
    words = said(r, e)
    return bracketed(Phrase(definite(r, e)), words.clause is not words).text
