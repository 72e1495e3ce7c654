"""A small document of English: words that know how tightly they hold together, so that nothing is misread.

Words can be loose in two ways. They are joined, by `or`, `and`, `plus` or `times`, and stand within others that hold
more tightly; or they end in a list or a clause, which would go on with whatever follows: `the larger of your gold and
your wood` before `plus 4`. Whoever puts words together does it here: `reckoned` makes sums and products, `joined_by`
conditions, and `ending` takes over how the last part ends; `phrase`, `closed` and `members` give parentheses to what
needs them at a place.

A condition that is joined by `and` within an `or` has a comma before the `or`; the other way round it begins with
`either`. What would be deeper has parentheses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum


class Binds(IntEnum):
    """How tightly words hold together, from the loosest on."""

    EXACTLY = 0  # `... exactly if ...`
    MIXED = 1  # conditions with commas before `and` or `or`
    OR = 2
    AND = 3
    SUM = 4
    PRODUCT = 5
    PHRASE = 6


class Binding(IntEnum):
    """Whether words go on with what follows them."""

    CLOSED = 0
    OPEN = 1  # a list or a value, which goes on with `and`, `plus` and the like
    CLAUSE = 2  # besides, a condition that goes on with `and` or `or`


@dataclass(frozen=True, slots=True)
class Phrase:
    """A piece of English.

    last: how tightly the words hold together in which it ends. terms: what is joined, each with what stands before it.
    """

    text: str
    binds: Binds = Binds.PHRASE
    ends: Binding = Binding.CLOSED
    last: Binds = Binds.PHRASE
    terms: tuple[tuple[str, Phrase], ...] = ()

    def __str__(self) -> str:
        return self.text

    @property
    def phrase(self) -> Phrase:
        """The words where no more than one phrase can stand."""
        return bracketed(self, self.binds < Binds.PHRASE)

    @property
    def closed(self) -> Phrase:
        """The words before others of their sort."""
        return bracketed(self, self.ends > Binding.CLOSED)

    @property
    def clause(self) -> Phrase:
        """The words of a condition, or of a set, where others follow that would go on with it."""
        return bracketed(self, self.ends == Binding.CLAUSE or self.binds <= Binds.AND)

    @property
    def described(self) -> Phrase:
        """The words of a set of which more is said."""
        return bracketed(self, self.ends == Binding.CLAUSE or self.binds < Binds.PHRASE)

    @property
    def members(self) -> Phrase:
        """The words of a set within those of a number."""
        return bracketed(self, self.last in (Binds.SUM, Binds.PRODUCT))


def bracketed(words: Phrase, need: bool = True) -> Phrase:
    return Phrase(f"({words})") if need else words


def ending(text: str, parts: Iterable[Phrase], least: Binding = Binding.CLOSED) -> Phrase:
    """Words made of others: they end as the part does that comes last, or as is said at the least."""
    at_end = max((part for part in parts if text.endswith(part.text)), key=lambda part: len(part.text), default=None)
    if at_end is None:
        return Phrase(text, ends=least)
    return Phrase(text, ends=max(at_end.ends, least), last=min(at_end.last, at_end.binds))


# --- numbers -----------------------------------------------------------------------------------------


SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by", "mod": "modulo"}
RANKS = {"+": Binds.SUM, "-": Binds.SUM, "*": Binds.PRODUCT, "/": Binds.PRODUCT, "mod": Binds.PRODUCT}


def reckoned(op: str, left: Phrase, right: Phrase) -> Phrase:
    """A sum or a product: in another order, or with parentheses, where it could be misread."""
    rank = RANKS[op]
    terms = (*_terms(rank, "+" if rank == Binds.SUM else "*", left), *_more(rank, op, right))
    ordered = [(sign, bracketed(words, words.binds <= rank)) for sign, words in _in_order(rank, terms)]
    said = [words.closed if at < len(ordered) - 1 else words for at, (_, words) in enumerate(ordered)]
    others = zip(ordered[1:], said[1:], strict=True)
    text = str(said[0]) + "".join(f" {SIGNS[sign]} {words}" for (sign, _), words in others)
    ends = said[-1].ends
    if left.text.isdecimal() and right.text.isdecimal() and op != "mod":
        text = f"{left} {op} {right}"
    elif op == "-" and right.text.isdecimal() and left.ends:
        text, ends = f"{right} less than {bracketed(left, left.binds == Binds.SUM)}", Binding.OPEN
    elif op == "*" and len(terms) == 2 and ordered[1][1] == left and said[0].text == "2":
        text = f"twice {said[1]}"
    return Phrase(text, rank, ends, rank, terms)


def _terms(rank: Binds, sign: str, words: Phrase) -> tuple[tuple[str, Phrase], ...]:
    return words.terms if words.binds == rank else ((sign, words),)


def _more(rank: Binds, op: str, right: Phrase) -> tuple[tuple[str, Phrase], ...]:
    """What is added, or multiplied with, one by one where that comes to the same."""
    terms = _terms(rank, op, right)
    return terms if op == "+" or op == "*" and {sign for sign, _ in terms} == {"*"} else ((op, right),)


def _in_order(rank: Binds, terms: tuple[tuple[str, Phrase], ...]) -> Sequence[tuple[str, Phrase]]:
    """From left to right; a single open end comes last, where that makes no difference."""
    loose = [at for at, (_, words) in enumerate(terms) if words.ends and words.binds > rank]
    free = {sign for sign, _ in terms} <= ({"+", "-"} if rank == Binds.SUM else {"*"})
    if len(loose) != 1 or not free or terms[loose[0]][0] == "-" or loose[0] == 0 and terms[1][0] == "-":
        return terms
    return [*terms[: loose[0]], *terms[loose[0] + 1 :], terms[loose[0]]]


def listed(values: Sequence[Phrase]) -> list[Phrase]:
    """The words of what a list is made of; the last is one phrase, and only the last may have an open end."""
    *first, last = values
    return [*(one.closed for one in first), last.phrase]


# --- conditions --------------------------------------------------------------------------------------


def joined_by(op: str, arms: Iterable[Phrase]) -> Phrase:
    """Conditions joined by `and` or `or`; a single one that would go on with the next comes last."""
    terms = [term for arm in arms for term in _conditions(op, arm)]
    if len(terms) == 1:
        return terms[0]
    loose = [arm for arm in terms if arm.ends == Binding.CLAUSE and arm.binds > Binds.EXACTLY]
    ordered = [*(arm for arm in terms if arm is not loose[0]), loose[0]] if len(loose) == 1 else terms
    said = [_arm(op, arm, arm is ordered[-1]) for arm in ordered]
    mixed = any(arm.binds < Binds.SUM for arm in said)
    binds = Binds.MIXED if mixed else Binds.AND if op == "and" else Binds.OR
    text = (f", {op} " if mixed else f" {op} ").join(arm.text for arm in said)
    return Phrase(text, binds, said[-1].ends, said[-1].last, tuple((op, arm) for arm in terms))


def _conditions(op: str, arm: Phrase) -> Sequence[Phrase]:
    return [words for _, words in arm.terms] if arm.terms and arm.terms[0][0] == op else [arm]


def _arm(op: str, arm: Phrase, last: bool) -> Phrase:
    """A condition between others: what belongs together stays together."""
    loosest = Binds.AND if op == "or" else Binds.MIXED if last else Binds.OR
    if arm.binds < loosest or arm.ends == Binding.CLAUSE and not last:
        return bracketed(arm)
    return replace(arm, text=f"either {arm}") if op == "and" and arm.binds < Binds.AND else arm


def exactly_if(one: Phrase, other: Phrase) -> Phrase:
    """Two conditions of which both hold, or neither."""
    one, other = one.clause, other.clause
    return Phrase(f"{one} exactly if {other}", Binds.EXACTLY, Binding.CLAUSE, other.last)
