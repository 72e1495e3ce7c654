"""Phrases for comparisons, as `the total of your dice is at most 7` and `the attackers include Demons`."""

from __future__ import annotations

from edict.compiler.english.phrase_tables import describe, to_phrase
from edict.compiler.english.phrases import Phrase, PhraseEnd, inherit_end
from edict.compiler.english.plurals import describe_definite, describe_subject, is_plural
from edict.compiler.english.possession_phrases import (
    AMOUNT_PHRASES,
    describe_comparison_with_none,
    describe_holder,
    describe_local_possession,
    describe_no_dice,
    describe_possession,
)
from edict.compiler.english.titles import plural_of, title_of
from edict.compiler.english.type_queries import is_collection
from edict.compiler.semantics.symbols import ResolvedBook, Symbol, definition_of
from edict.compiler.syntax import tree as t
from edict.support.morphology import count_noun

COMPARISON_VERBS = {
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


def describe_comparison(r: ResolvedBook, e: t.Binary, op: str) -> Phrase:
    """Return a comparison with the operator `op` as a clause."""
    parts = to_phrase(r, e.left), to_phrase(r, e.right)
    for special in (
        describe_equal_dice,
        describe_shown_number,
        describe_divisibility,
        describe_local_possession,
        describe_possession,
        describe_no_dice,
        describe_holder,
        describe_comparison_with_none,
        describe_containment,
        describe_ownership,
    ):
        words = special(r, e, op)
        if words:
            return inherit_end(words, parts, PhraseEnd.OPEN)
    left, right = parts[0].as_clause.text, _describe_right_side(r, e.right)
    if right in ("you", "they") and op in ("=", "!=") and not _is_unnamed_set(r, e.left):
        left, right = right, left  # `you are the builder` rather than `the builder is you`
    if isinstance(e.right, t.Name) and right.startswith("the ") and left.endswith(f" {right.removeprefix('the ')}"):
        right = f"the current {right.removeprefix('the ')}"
    return inherit_end(f"{left} {_agree_verb(r, e.left, left, COMPARISON_VERBS[op])} {right}", parts, PhraseEnd.OPEN)


def describe_equal_dice(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `count of faces of hand of you = 1`: all of the dice show the same number; empty for others."""
    faces = e.left.arg if isinstance(e.left, t.Unary) and e.left.op == "count" else None
    if not isinstance(faces, t.Unary) or faces.op != "faces" or not isinstance(e.right, t.Number):
        return ""
    dice, many = describe_subject(r, faces.arg), e.right.value
    if many == 1 and op in ("=", "<=", "!=", ">"):
        return f"{'' if op in ('=', '<=') else 'not '}all of {dice} show the same number"
    if op in AMOUNT_PHRASES:
        return f"{dice} show {AMOUNT_PHRASES[op]} {count_noun(many, 'different number')}"
    return ""


def describe_shown_number(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `1 is in faces of hand of you`: some of your dice show 1; empty for others."""
    if not isinstance(e.right, t.Unary) or e.right.op != "faces" or op not in ("in", "not-in"):
        return ""
    return f"{'some' if op == 'in' else 'none'} of {describe_subject(r, e.right.arg)} show {describe(r, e.left)}"


def describe_divisibility(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `rank of it mod 5 = 0`: the rank is divisible by 5; empty for others."""
    if not isinstance(e.left, t.Binary) or e.left.op != "mod" or op not in ("=", "!="):
        return ""
    divisor, rest = (side.value if isinstance(side, t.Number) else None for side in (e.left.right, e.right))
    many = is_plural(r, e.left.left)
    if divisor is None or rest != 0 and (divisor, rest, many) != (2, 1, False):
        return ""
    subject = to_phrase(r, e.left.left).as_clause.text
    parity = f"divisible by {divisor}"
    if divisor == 2 and not many:
        parity = "odd" if rest else "even"
    return f"{subject} {_agree_verb(r, e.left.left, subject, COMPARISON_VERBS[op])} {parity}"


def _describe_right_side(r: ResolvedBook, e: t.Expr) -> str:
    """Describe the right side of an `is`; the truths `yes` and `no` become `so` and `not so`."""
    if isinstance(e, t.Name):
        return {"yes": "so", "no": "not so"}.get(e.word, describe(r, e))
    return describe_definite(r, e)


def _is_unnamed_set(r: ResolvedBook, e: t.Expr) -> bool:
    """Return True for a set, order, bag or dice given by an expression other than a name."""
    return is_collection(r, e) and not isinstance(e, t.Name)


def _agree_verb(r: ResolvedBook, subject: t.Expr, words: str, verb: str) -> str:
    """Return a verb phrase with `are` in place of `is` if its subject, or the words for it, are in the plural."""
    if words in ("you", "they") or is_plural(r, subject):
        return verb.replace("is", "are", 1)
    return verb


def describe_containment(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `demons is in attackers`: the attackers include Demons; empty for others."""
    if op in ("within", "not-within"):
        return _describe_subset(r, e, op == "within")
    meaning = r.meaning.get(e.left) if isinstance(e.left, t.Name) else None
    if op not in ("in", "not-in") or not isinstance(meaning, Symbol) or meaning.sort != "thing":
        return ""
    many = is_plural(r, e.right)
    if op == "in":
        verb = "include" if many else "includes"
    else:
        verb = "do not include" if many else "does not include"
    return f"{describe_subject(r, e.right)} {verb} {describe(r, e.left)}"


def describe_ownership(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `what is in owned of you`, of a building: the building is yours; empty for others."""
    place = e.right if isinstance(e.right, t.Apply) and len(e.right.args) == 1 else None
    keep = definition_of(r, place.head) if place is not None else None
    if (
        place is None
        or op not in ("in", "not-in")
        or not isinstance(keep, t.Keep)
        or describe(r, place.args[0]) != "you"
    ):
        return ""
    kind = keep.type.name
    if kind is None or title_of(r, place.head, many=True) != plural_of(r, kind):
        return ""
    left = to_phrase(r, e.left).as_clause.text
    return f"{left} {_agree_verb(r, e.left, left, 'is' if op == 'in' else 'is not')} yours"


def _describe_subset(r: ResolvedBook, e: t.Binary, holds: bool) -> str:
    """Describe that a set is within another one, or not, as `all your cards are among the drawn cards`."""
    left = describe_subject(r, e.left)
    all_ = "all " if holds and not left.startswith(("all ", "the ", "your ")) else ""
    return f"{all_}{left} {'are' if holds else 'are not all'} among {describe_definite(r, e.right)}"
