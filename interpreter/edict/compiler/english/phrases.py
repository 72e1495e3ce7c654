"""Phrases, the functions that make them by class of nodes, and their combination.

A phrase knows how tightly its words hold together, so that combinations are not misread.

Words can be loose in two ways. They are joined, by `or`, `and`, `plus` or `times`, and stand within others that hold
more tightly; or they end in a list or a clause, which would go on with whatever follows: `the larger of your gold and
your wood` before `plus 4`. All combinations are made here: `combine_numbers` makes sums and products, `join_conditions`
conditions, `make_relative` clauses as `whose rank is 3`, and `inherit_end` takes over how the last part ends;
`as_single`, `as_closed` and `as_members` put parentheses where a place needs them.

A condition that is joined by `and` within an `or` has a comma before the `or`; the other way round it begins with
`either`. Deeper levels have parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import Any

from edict.compiler.english.titles import plural_of, title_of
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.syntax import tree as t
from edict.support.morphology import add_indefinite_article
from edict.support.records import dataclass


class Strength(IntEnum):
    """Strength of the bond between words, from the loosest on."""

    EXACTLY = 0  # `... exactly if ...`
    MIXED = 1  # conditions with commas before `and` or `or`
    OR = 2
    AND = 3
    SUM = 4
    PRODUCT = 5
    PHRASE = 6


class PhraseEnd(IntEnum):
    """The end of a phrase, and what it would go on with."""

    CLOSED = 0
    OPEN = 1  # a list or a value, which `and`, `plus` and the like would continue
    CLAUSE = 2  # a condition, too, which `and` or `or` would continue


@dataclass(frozen=True, slots=True)
class Phrase:
    """A piece of English with its binding strength."""

    text: str
    binds: Strength = Strength.PHRASE
    ends: PhraseEnd = PhraseEnd.CLOSED  # what would continue it
    last: Strength = Strength.PHRASE  # strength of the words at its end
    terms: tuple[tuple[str, Phrase], ...] = ()  # the parts that are joined, each with the operator before it

    def __str__(self) -> str:
        return self.text

    @property
    def as_single(self) -> Phrase:
        """The phrase for a place of a single term, in parentheses if it is joined."""
        return put_in_parentheses(self, self.binds < Strength.PHRASE)

    @property
    def as_closed(self) -> Phrase:
        """The phrase for a place before others like it, in parentheses if they would continue it."""
        return put_in_parentheses(self, self.ends > PhraseEnd.CLOSED)

    @property
    def as_clause(self) -> Phrase:
        """The phrase of a condition or a set, in parentheses if what follows would continue it."""
        return put_in_parentheses(self, self.ends == PhraseEnd.CLAUSE or self.binds <= Strength.AND)

    @property
    def as_described_set(self) -> Phrase:
        """The phrase of a set that a description follows, in parentheses if it needs them."""
        return put_in_parentheses(self, self.ends == PhraseEnd.CLAUSE or self.binds < Strength.PHRASE)

    @property
    def as_members(self) -> Phrase:
        """The phrase of a set within that of a number, in parentheses if it ends in a sum or product."""
        return put_in_parentheses(self, self.last in (Strength.SUM, Strength.PRODUCT))


def put_in_parentheses(words: Phrase, need: bool = True) -> Phrase:
    """Return a phrase in parentheses, unless it does not need them."""
    return Phrase(f"({words})") if need else words


def inherit_end(text: str, parts: Iterable[Phrase], least: PhraseEnd = PhraseEnd.CLOSED) -> Phrase:
    """Return `text` as a phrase with the end of the longest part it ends with, at least as open as `least`."""
    last_part = max((part for part in parts if text.endswith(part.text)), key=lambda part: len(part.text), default=None)
    if last_part is None:
        return Phrase(text, ends=least)
    return Phrase(text, ends=max(last_part.ends, least), last=min(last_part.last, last_part.binds))


# --- numbers -----------------------------------------------------------------------------------------


SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by", "mod": "modulo"}
RANKS = {"+": Strength.SUM, "-": Strength.SUM, "*": Strength.PRODUCT, "/": Strength.PRODUCT, "mod": Strength.PRODUCT}


def combine_numbers(op: str, left: Phrase, right: Phrase) -> Phrase:
    """Return a sum or product, reordered or with parentheses where it could be misread."""
    rank = RANKS[op]
    terms = (*_get_terms(rank, "+" if rank == Strength.SUM else "*", left), *_get_right_terms(rank, op, right))
    ordered = [
        (sign, put_in_parentheses(words, words.binds <= rank)) for sign, words in _move_open_end_last(rank, terms)
    ]
    closed_terms = [words.as_closed if index < len(ordered) - 1 else words for index, (_, words) in enumerate(ordered)]
    others = zip(ordered[1:], closed_terms[1:], strict=True)
    text = str(closed_terms[0]) + "".join(f" {SIGNS[sign]} {words}" for (sign, _), words in others)
    ends = closed_terms[-1].ends
    if left.text.isdecimal() and right.text.isdecimal() and op != "mod":
        text = f"{left} {op} {right}"
    elif op == "-" and right.text.isdecimal() and left.ends:
        text, ends = f"{right} less than {put_in_parentheses(left, left.binds == Strength.SUM)}", PhraseEnd.OPEN
    elif op == "*" and len(terms) == 2 and ordered[1][1] == left and closed_terms[0].text == "2":
        text = f"twice {closed_terms[1]}"
    return Phrase(text, rank, ends, rank, terms)


def _get_terms(rank: Strength, sign: str, words: Phrase) -> tuple[tuple[str, Phrase], ...]:
    """Return the signed terms of a phrase joined at this strength, else the phrase as a single term with `sign`."""
    return words.terms if words.binds == rank else ((sign, words),)


def _get_right_terms(rank: Strength, op: str, right: Phrase) -> tuple[tuple[str, Phrase], ...]:
    """Return the (operator, term) pairs of the right operand, if they can join the left ones; else it as one term."""
    terms = _get_terms(rank, op, right)
    if op == "+" or op == "*" and {sign for sign, _ in terms} == {"*"}:
        return terms
    return ((op, right),)


def _move_open_end_last(rank: Strength, terms: tuple[tuple[str, Phrase], ...]) -> Sequence[tuple[str, Phrase]]:
    """Return the terms with a single one that has an open end moved last, if the order does not matter."""
    open_indexes = [index for index, (_, words) in enumerate(terms) if words.ends and words.binds > rank]
    is_commutative = {sign for sign, _ in terms} <= ({"+", "-"} if rank == Strength.SUM else {"*"})
    if (
        len(open_indexes) != 1
        or not is_commutative
        or terms[open_indexes[0]][0] == "-"
        or open_indexes[0] == 0
        and terms[1][0] == "-"
    ):
        return terms
    return [*terms[: open_indexes[0]], *terms[open_indexes[0] + 1 :], terms[open_indexes[0]]]


def close_list_items(values: Sequence[Phrase]) -> list[Phrase]:
    """Return the items of a list, all but the last closed off, and the last in parentheses if it is compound."""
    *first, last = values
    return [*(item.as_closed for item in first), last.as_single]


# --- conditions --------------------------------------------------------------------------------------


def join_conditions(op: str, arms: Iterable[Phrase]) -> Phrase:
    """Return conditions joined by `and` or `or`; a single one that would go on with the next comes last."""
    terms = [term for arm in arms for term in _get_condition_terms(op, arm)]
    if len(terms) == 1:
        return terms[0]
    clauses = [arm for arm in terms if arm.ends == PhraseEnd.CLAUSE and arm.binds > Strength.EXACTLY]
    if len(clauses) == 1:
        ordered = [*(arm for arm in terms if arm is not clauses[0]), clauses[0]]
    else:
        ordered = terms
    joined_arms = [_fit_arm(op, arm, arm is ordered[-1]) for arm in ordered]
    has_commas = any(arm.binds < Strength.SUM for arm in joined_arms)
    if has_commas:
        binds = Strength.MIXED
    elif op == "and":
        binds = Strength.AND
    else:
        binds = Strength.OR
    text = (f", {op} " if has_commas else f" {op} ").join(arm.text for arm in joined_arms)
    return Phrase(text, binds, joined_arms[-1].ends, joined_arms[-1].last, tuple((op, arm) for arm in terms))


def _get_condition_terms(op: str, arm: Phrase) -> Sequence[Phrase]:
    """Return the conditions that a phrase joins by this operator (`and` or `or`), else the phrase alone."""
    if arm.terms and arm.terms[0][0] == op:
        return [words for _, words in arm.terms]
    return [arm]


def _fit_arm(op: str, arm: Phrase, last: bool) -> Phrase:
    """Return one condition of an `and` or `or`, in parentheses or with `either` where it would be misread."""
    if op == "or":
        loosest = Strength.AND
    elif last:
        loosest = Strength.MIXED
    else:
        loosest = Strength.OR
    if arm.binds < loosest or arm.ends == PhraseEnd.CLAUSE and not last:
        return put_in_parentheses(arm)
    if op == "and" and arm.binds < Strength.AND:
        return replace(arm, text=f"either {arm}")
    return arm


def join_exactly_if(left: Phrase, right: Phrase) -> Phrase:
    """Return two conditions of which both hold or neither."""
    left, right = left.as_clause, right.as_clause
    return Phrase(f"{left} exactly if {right}", Strength.EXACTLY, PhraseEnd.CLAUSE, right.last)


_REPLACEMENTS = (
    ("it is one of ", "{} are among "),
    ("it is not one of ", "{} are not among "),
    ("its ", "whose "),
    ("their ", "whose "),
    ("it is ", "{} are "),
    ("they are ", "{} are "),
    ("it has ", "that have "),
    ("they have ", "who have "),
    ("they ", "who "),
)
_DICE_REPLACEMENTS = (
    ("that are not among ", "that show none of "),
    ("that are among ", "that show one of "),
    ("that are not ", "that do not show "),
    ("that are ", "that show "),
    ("where it ", "whose number "),
)
_OWNED = re.compile(r"((?:you|they) have .*?) of it((?: than| as) .*)?")


def make_relative(condition: Phrase, players: bool) -> Phrase:
    """Return a condition on each member as a clause to follow the set."""
    joint = condition.terms[0][0] if condition.terms else ""
    if joint in ("and", "or"):
        parts = [_make_single_relative(arm, players) for _, arm in condition.terms]
    else:
        parts = []
    if not parts or joint == "or" and any(part.text.startswith("where ") for part in parts):
        return _make_single_relative(condition, players)
    return replace(parts[-1], text=f" {joint} ".join(part.text for part in parts))


def _make_single_relative(condition: Phrase, players: bool) -> Phrase:
    """Return one condition as a clause after a set, as `who have gold`; `where ...` if it cannot be reworded."""
    text = condition.text
    if text in ("you are not they", "it is not you", "they are not you"):
        return Phrase("other than you")
    owned = _OWNED.fullmatch(text) if condition.binds == Strength.PHRASE else None
    if owned:
        return Phrase(f"of which {owned[1]}{owned[2] or ''}", ends=condition.ends, last=condition.last)
    for start, instead in _REPLACEMENTS if condition.binds == Strength.PHRASE else ():
        if text.startswith(start):
            text = instead.format("who" if players else "that") + text.removeprefix(start)
            return Phrase(text, ends=condition.ends, last=condition.last)
    return Phrase(f"where {text}", ends=PhraseEnd.CLAUSE, last=condition.last)


def make_dice_relative(condition: Phrase) -> Phrase:
    """Return a condition on numbers as a clause to follow dice, as `that show more than 3`."""
    clause = make_relative(condition, players=False)
    text = clause.text
    for members, dice in _DICE_REPLACEMENTS:
        text = text.replace(members, dice)
    return replace(clause, text=text)


def make_singular(clause: str) -> str:
    """Return a relative clause in the singular, as `who is not tired`."""
    if clause.startswith("with "):
        return clause
    for plural_form, singular_form in (("that are ", "that is "), ("who are ", "who is "), ("who have ", "who has ")):
        clause = clause.replace(plural_form, singular_form)
    return clause


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """A sentence with the lines that belong to it."""

    text: str
    below: tuple[OutlineLine, ...] = ()
    about: str = ""  # the phase or routine or moment it refers to


Describer = Callable[[ResolvedBook, Any], str | Phrase]
_DESCRIBERS: dict[type, Describer] = {}

Outliner = Callable[[ResolvedBook, Any], Iterator[OutlineLine]]
_OUTLINERS: dict[type, Outliner] = {}

_GAP = re.compile(r"\{(\w+)(?::(\w+))?\}")


def describes(*classes: type) -> Callable[[Describer], Describer]:
    """Return a decorator that registers a function as the describer of some classes of nodes."""

    def register(describer: Describer) -> Describer:
        _DESCRIBERS.update(dict.fromkeys(classes, describer))
        return describer

    return register


def register_patterns(patterns: dict[type, str]) -> None:
    """Register patterns as describers: phrases with gaps for the parts of a node.

    A gap is the name of a field: `{place}`; for a name in it stands the title, and after a colon, `{die:a}`, the
    title with an article, or `{kind:many}`, in the plural.
    """
    _DESCRIBERS.update({kind: _make_describer(pattern) for kind, pattern in patterns.items()})


def _make_describer(pattern: str) -> Describer:
    """Return a describer that fills the gaps `{field}` and `{field:form}` of a pattern from a node."""
    gaps = [match.groups() for match in _GAP.finditer(pattern)]
    template = _GAP.sub("{}", pattern)

    def describer(r: ResolvedBook, node: Any) -> Phrase:
        """Return the pattern's phrase for a node; it ends as the last filled gap ends."""
        parts = [_fill_gap(r, getattr(node, field), form) for field, form in gaps]
        return inherit_end(template.format(*parts), parts)

    return describer


def _fill_gap(r: ResolvedBook, value: Any, form: str | None) -> Phrase:
    """Return the phrase of a field's value: described, or for a form its plural, or its title with or without `a`."""
    if form is None:
        return to_phrase(r, value) if isinstance(value, t.Node) else Phrase(str(value))
    if form == "many":
        return Phrase(plural_of(r, value))
    title = title_of(r, value)
    return Phrase(add_indefinite_article(title) if form == "a" else title)


def to_phrase(resolved: ResolvedBook, node: t.Node) -> Phrase:
    """Return the phrase that describes a node.

    Words of a describer that returns a string count as a phrase with an open end.
    """
    node = resolved.originals.get(node, node)
    words = _DESCRIBERS[type(node)](resolved, node)
    return words if isinstance(words, Phrase) else Phrase(words, ends=PhraseEnd.OPEN)


def describe(resolved: ResolvedBook, node: t.Node) -> str:
    """Return the words for an expression, amount, statement or ability."""
    return to_phrase(resolved, node).text


def describable_classes() -> frozenset[type]:
    """Return the classes of nodes that have describers."""
    return frozenset(_DESCRIBERS)


def outlines(*classes: type) -> Callable[[Outliner], Outliner]:
    """Return a decorator that registers a function as the outliner of some classes of steps."""

    def register(outliner: Outliner) -> Outliner:
        _OUTLINERS.update(dict.fromkeys(classes, outliner))
        return outliner

    return register


def get_outliner(step: t.Stmt) -> Outliner | None:
    """Return the outliner of a step; None if a sentence describes it."""
    return _OUTLINERS.get(type(step))
