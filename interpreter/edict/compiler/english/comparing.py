"""Comparisons in words: `the total of your dice is at most 7`, `the attackers include Demons`."""

from __future__ import annotations

from edict.compiler.english.binding import Binding, Phrase, ending
from edict.compiler.english.having import AMOUNTS, absent, having, holding, no_dice, owning
from edict.compiler.english.phrase_tables import said, tell
from edict.compiler.english.plurals import before_others, definite, is_many
from edict.compiler.english.titles import many_of, title_of
from edict.compiler.english.typed import of_things
from edict.compiler.semantics.symbols import Resolved, Symbol, definition_of
from edict.compiler.syntax import tree as t
from edict.support.morphology import count_noun

COMPARED = {
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
    "in": "is one of",
    "not-in": "is not one of",
    "within": "is among",
    "not-within": "is not among",
}


def compared(r: Resolved, e: t.Binary, op: str) -> Phrase:
    parts = said(r, e.left), said(r, e.right)
    for special in (alike, shown, divisible, owning, having, no_dice, holding, absent, containing, yours):
        words = special(r, e, op)
        if words:
            return ending(words, parts, Binding.OPEN)
    left, right = parts[0].clause.text, _right(r, e.right)
    if right in ("you", "they") and op in ("=", "!=") and not _is_set(r, e.left):
        left, right = right, left  # `you are the builder` rather than `the builder is you`
    if isinstance(e.right, t.Name) and right.startswith("the ") and left.endswith(f" {right.removeprefix('the ')}"):
        right = f"the current {right.removeprefix('the ')}"
    return ending(f"{left} {_agreeing(r, e.left, left, COMPARED[op])} {right}", parts, Binding.OPEN)


def alike(r: Resolved, e: t.Binary, op: str) -> str:
    """`count of faces of hand of you = 1`: all of the dice show the same number."""
    faces = e.left.arg if isinstance(e.left, t.Unary) and e.left.op == "count" else None
    if not isinstance(faces, t.Unary) or faces.op != "faces" or not isinstance(e.right, t.Number):
        return ""
    dice, many = before_others(r, faces.arg), e.right.value
    if many == 1 and op in ("=", "<=", "!=", ">"):
        return f"{'' if op in ('=', '<=') else 'not '}all of {dice} show the same number"
    return f"{dice} show {AMOUNTS[op]} {count_noun(many, 'different number')}" if op in AMOUNTS else ""


def shown(r: Resolved, e: t.Binary, op: str) -> str:
    """`1 is in faces of hand of you`: some of your dice show 1."""
    if not isinstance(e.right, t.Unary) or e.right.op != "faces" or op not in ("in", "not-in"):
        return ""
    return f"{'some' if op == 'in' else 'none'} of {before_others(r, e.right.arg)} show {tell(r, e.left)}"


def divisible(r: Resolved, e: t.Binary, op: str) -> str:
    """`rank of it mod 5 = 0`: the rank is divisible by 5."""
    if not isinstance(e.left, t.Binary) or e.left.op != "mod" or op not in ("=", "!="):
        return ""
    by, rest = (side.value if isinstance(side, t.Number) else None for side in (e.left.right, e.right))
    many = is_many(r, e.left.left)
    if by is None or rest != 0 and (by, rest, many) != (2, 1, False):
        return ""
    subject = said(r, e.left.left).clause.text
    parity = f"divisible by {by}"
    if by == 2 and not many:
        parity = "odd" if rest else "even"
    return f"{subject} {_agreeing(r, e.left.left, subject, COMPARED[op])} {parity}"


def _right(r: Resolved, e: t.Expr) -> str:
    return {"yes": "so", "no": "not so"}.get(e.word, tell(r, e)) if isinstance(e, t.Name) else definite(r, e)


def _is_set(r: Resolved, e: t.Expr) -> bool:
    return of_things(r, e) and not isinstance(e, t.Name)


def _agreeing(r: Resolved, subject: t.Expr, words: str, verb: str) -> str:
    return verb.replace("is", "are", 1) if words in ("you", "they") or is_many(r, subject) else verb


def containing(r: Resolved, e: t.Binary, op: str) -> str:
    """`demons is in attackers`: `the attackers include Demons`."""
    if op in ("within", "not-within"):
        return _within(r, e, op == "within")
    meaning = r.meaning.get(e.left) if isinstance(e.left, t.Name) else None
    if op not in ("in", "not-in") or not isinstance(meaning, Symbol) or meaning.sort != "thing":
        return ""
    many = is_many(r, e.right)
    if op == "in":
        verb = "include" if many else "includes"
    else:
        verb = "do not include" if many else "does not include"
    return f"{before_others(r, e.right)} {verb} {tell(r, e.left)}"


def yours(r: Resolved, e: t.Binary, op: str) -> str:
    """`what is in owned of you`, of a building and your buildings: the building is yours."""
    place = e.right if isinstance(e.right, t.Apply) and len(e.right.args) == 1 else None
    keep = definition_of(r, place.head) if place is not None else None
    if place is None or op not in ("in", "not-in") or not isinstance(keep, t.Keep) or tell(r, place.args[0]) != "you":
        return ""
    kind = keep.type.name
    if kind is None or title_of(r, place.head, many=True) != many_of(r, kind):
        return ""
    left = said(r, e.left).clause.text
    return f"{left} {_agreeing(r, e.left, left, 'is' if op == 'in' else 'is not')} yours"


def _within(r: Resolved, e: t.Binary, holds: bool) -> str:
    left = before_others(r, e.left)
    all_ = "all " if holds and not left.startswith(("all ", "the ", "your ")) else ""
    return f"{all_}{left} {'are' if holds else 'are not all'} among {definite(r, e.right)}"
