"""How tightly the words of a value hold together, so that nothing said beside it is taken for a part of it.

Words can be loose in two ways: they are a sum or a product, or they end in a list or in a clause, which would go on
with whatever follows: `the larger of your gold and your wood` before `plus 4`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from edict.language import tree as t
from edict.language.walking import holding
from edict.meaning.symbols import Resolved, Symbol
from edict.words.telling import CLOSED, OPEN, end_of, tell
from edict.words.titles import field_of, forms
from edict.words.typed import is_number, of_things

SUM, PRODUCT, PHRASE = 1, 2, 3
RANKS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "mod": PRODUCT}


def rank(r: Resolved, e: t.Expr) -> int:
    """Whether the words are a sum, a product, or hold together as one phrase."""
    e = spoken(r, e)
    return RANKS.get(e.op, PHRASE) if isinstance(e, t.Binary) and not of_things(r, e) else PHRASE


def open_ended(r: Resolved, e: t.Expr) -> bool:
    """Whether the words end in a list or a clause that would go on with what follows."""
    e = spoken(r, e)
    if isinstance(e, t.Apply):
        return any(is_number(r, arg) or open_ended(r, arg) for arg in e.args)
    if isinstance(e, t.Binary):
        if e.op not in RANKS or of_things(r, e) or said_less(r, e):
            return True
        last = chain(r, e)[-1]
        return last.open and not last.reckoned
    end = end_of(e)
    return end == OPEN or end != CLOSED and open_ended(r, getattr(e, end))


def ends_reckoning(r: Resolved, e: t.Expr) -> bool:
    """Whether the words of a set end in a sum or a product: `huts whose size is at least your gold plus 1`."""
    if is_number(r, e) or isinstance(e, t.Apply | t.Name):
        return rank(r, e) < PHRASE
    kind: Any = type(e)
    last = getattr(e, holding(kind)[-1])
    while isinstance(last, tuple):
        last = last[-1]
    return isinstance(last, t.Expr) and ends_reckoning(r, last)


@dataclass(frozen=True, slots=True)
class Term:
    """A value in a sum or a product: the sign before it (of the first `+` or `*`), and in which ways it is loose."""

    sign: str
    value: t.Expr
    reckoned: bool  # a sum in a product, or a sum that is subtracted as a whole
    open: bool


def chain(r: Resolved, e: t.Binary) -> list[Term]:
    """A sum or a product from left to right; a single open end comes last, where that makes no difference."""
    first, *others = (Term(sign, one, rank(r, one) <= RANKS[e.op], open_ended(r, one)) for sign, one in _apart(r, e))
    terms = [first, *others]
    loose = [term for term in terms if term.open and not term.reckoned]
    free = {term.sign for term in terms} <= ({"+", "-"} if RANKS[e.op] == SUM else {"*"})
    if len(loose) != 1 or not free or loose[0].sign == "-" or loose[0] is first and others[0].sign == "-":
        return terms
    return [*(term for term in terms if term is not loose[0]), loose[0]]


def said_less(r: Resolved, e: t.Binary) -> bool:
    """Whether it is said as `4 less than the larger of ...`."""
    return e.op == "-" and isinstance(e.right, t.Number) and open_ended(r, e.left)


def _apart(r: Resolved, e: t.Expr) -> list[tuple[str, t.Expr]]:
    """What is added and subtracted, or multiplied and divided, each with its sign."""
    e = spoken(r, e)
    assert isinstance(e, t.Binary)
    same = RANKS[e.op]
    left = _apart(r, e.left) if rank(r, e.left) == same else [("+" if same == SUM else "*", e.left)]
    right = _apart(r, e.right) if rank(r, e.right) == same and e.op in ("+", "*") else []
    if right and (e.op == "+" or {sign for sign, _ in right} == {"*"}):
        return [*left, *right]
    return [*left, (e.op, e.right)]


def phrase(r: Resolved, e: t.Expr) -> str:
    """The words of a value where no more than one phrase can stand."""
    return bracketed(tell(r, e), rank(r, e) < PHRASE)


def closed(r: Resolved, e: t.Expr) -> str:
    """The words of a value before others."""
    return bracketed(tell(r, e), open_ended(r, e))


def members(r: Resolved, e: t.Expr) -> str:
    """The words of a set within those of a number."""
    return bracketed(tell(r, e), ends_reckoning(r, e))


def listed(r: Resolved, values: Sequence[t.Expr]) -> list[str]:
    """The words of what a list is made of; the last is one phrase, and only the last may have an open end."""
    *first, last = values
    return [*(closed(r, one) for one in first), phrase(r, last)]


# --- what is said in place of a value --------------------------------------------------------------


def spoken(r: Resolved, e: t.Expr) -> t.Expr:
    """The value whose words are said: that of a field that is worked out, what is added to nobody."""
    if isinstance(e, t.Binary) and e.op == "+" and isinstance(e.left, t.Name) and e.left.word == "nobody":
        return spoken(r, e.right)
    derived = written_out(r, e) if isinstance(e, t.Apply) else None
    return e if derived is None else spoken(r, derived)


def written_out(r: Resolved, e: t.Apply) -> t.Expr | None:
    """The value of a field that is worked out and has no title of its own, asked of the thing it stands in."""
    meaning = r.meaning.get(e.head)
    if not isinstance(meaning, Symbol) or meaning.sort != "field":
        return None
    kinds = r.fields.get(meaning.name, ())
    fields = [field_of(r, kind, meaning.name) for kind in kinds]
    found = [field.value for field in fields if field is not None and field.value is not None and not field.title]
    if len(found) != 1:
        return None
    title = forms(r.get(kinds[0]).title or kinds[0].replace("-", " "))[0].lower()
    return found[0] if [tell(r, arg) for arg in e.args] == [f"the {title}"] else None


def bracketed(words: str, need: bool) -> str:
    return f"({words})" if need else words
