"""`when` and a sentence: the moments of the game that fit it best, as lines to copy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import NamedTuple

from edict.language.declared import Awaited, Declared
from edict.language.facts import Facts, statements
from edict.language.finding import SMALL, fitting, plain, same
from edict.report import Diagnostic, Edit, listed

_OPENING = re.compile(
    r"(?P<lead>\s*)(?P<when>(?:when|whenever|after|before|upon|at|as soon as|(?:each|every|any) time)\s+)"
    r"(?P<said>[A-Za-z].*?)\s*:?\s*", re.IGNORECASE
)  # fmt: skip
_EDGE = re.compile(r"(?:start|end) of |(?:joining|leaving|gaining|losing) ")
_EDGES = ("start", "end")
_WORD = re.compile(r"[A-Za-z][\w'-]*|\d+")
_PEOPLE = frozenset("you i we he she they it player players owner".split())
_SOMEBODY = frozenset(
    "somebody someone anybody anyone everybody everyone player players your you i he she they their his her its this "
    "one each every any all has have had is are was were been be gets got us we our as soon time".split()
)
_OWN = frozenset(("you", "i", "your", "owner", "own"))
_NOT_BY = {"after": "start", "before": "end"}  # what is not waited for in such a sentence
MOST = 3  # moments that are told where several fit
ALL = 0.99  # of what is said: nothing that counts is left out
CLEARLY = 1.15  # how much better than the next one fits that is meant


@dataclass(frozen=True)
class _Wish:
    """What somebody waits for in words: the moment, a condition after `if`, and the step that follows in the line."""

    facts: Facts
    lead: str
    start: int
    opening: str
    said: str
    condition: str
    step: str

    @property
    def words(self) -> list[str]:
        return [word.casefold() for word in _WORD.findall(self.said)]

    def line(self, moment: Awaited) -> str:
        """How a rule waits for it; where the sentence names who or what, with that as a condition."""
        conditions = [*self._which(moment), *([self.condition] if self.condition else [])]
        return moment.line + (f" if {' and '.join(conditions)}" if conditions else "")

    def _which(self, moment: Awaited) -> Iterator[str]:
        """Which of the things, and whose: in a thing `you` is its owner, at the left edge whoever's turn it is."""
        sort_of, named = self.facts.declared.sort, {sort: name for name, sort in moment.values}
        for thing in self.things:
            there = named.get(sort_of(thing))
            titled = any(same(word, thing) for word in plain(moment.title).split())
            condition = f"{there} is {thing}" if there else _lying(self.facts.declared, thing)
            if condition and (there or not titled):
                yield condition
        if "player" in named and self.lead and set(self.words) & _OWN:
            yield f"{named['player']} is you"

    def below(self, moment: Awaited) -> Iterator[str]:
        """What stands under it: the step that follows in the line, and whose it is, where it is nobody's turn."""
        written = self.facts.source.lines[self.facts.span.line : self.facts.span.line + 1]
        if not moment.turn and not self.lead and not re.match(r"\s*(?:each|for) ", self.step or "".join(written)):
            yield "each player"
        yield from [self.step] if self.step else []

    def nested(self, lines: Sequence[str]) -> Iterator[str]:
        """Lines, each indented under the one before; the first begins where the sentence began."""
        return (f"{self.lead}{'  ' * depth}{line}" if depth else line for depth, line in enumerate(lines))

    @property
    def things(self) -> list[str]:
        declared = self.facts.declared
        names = (declared.meant(word) for word in self.words)
        return [name for name in names if name and declared.fits(name, ["thing"])]

    def _spoken(self, edge: str, words: Sequence[str]) -> bool:
        """Whether the sentence may speak of such an edge: of gains and the like only in a word of its own."""
        return edge != _NOT_BY.get(self.opening) and (edge in ("", *_EDGES) or any(same(word, edge) for word in words))

    def moments(self) -> list[_Fit]:
        """Those that fit: what comes by itself before what begins or ends, if neither is spoken of."""
        all_, words, declared = self.facts.declared.moments(), self.words, self.facts.declared
        telling = [word for word in words if word not in SMALL | _SOMEBODY]
        wanted = [word for word in telling if declared.meant(word) not in self.things]
        edged = any(word[:3] in ("sta", "beg", "end", "fin", "ope") for word in words)
        some = [one for one in all_ if self._spoken(one.edge, words)]
        return _ranked(fitting(some, wanted), {declared.sort(one) for one in self.things}, edged)


def _lying(declared: Declared, thing: str) -> str:
    """The condition that a keep on the table is a thing, or has it; nothing, if there is no such keep."""
    kind = declared.sort(thing)
    if one := declared.lying(kind, "thing"):
        return f"{one} is {thing}"
    several = declared.lying(kind, "set")
    return f"{thing} is in {several}" if several else ""


class _Fit(NamedTuple):
    """How well a moment fits, how much of what is said it has, of 1, and the moment."""

    score: float
    share: float
    moment: Awaited


def _ranked(found: Sequence[tuple[float, Awaited]], sorts: set[str], edged: bool) -> list[_Fit]:
    def better(share: float, one: Awaited) -> float:
        brings = bool(sorts & {sort for _, sort in one.values})
        return share * (1.3 if brings else 1.0) * (0.8 if one.edge in _EDGES and not edged else 1.0)

    return sorted((_Fit(better(share, one), share, one) for share, one in found), key=lambda one: -one.score)


def _wish(facts: Facts, number: int) -> _Wish | None:
    """What a line waits for, if it says so in a sentence."""
    written = facts.source.lines[number - 1].split("#")[0].rstrip()
    opening = _OPENING.fullmatch(written)
    if opening is None or _EDGE.match(opening["said"]) or len(opening["said"].split()) < 2:
        return None
    said, step = _apart(opening["said"])
    said, _, condition = said.partition(" if ")
    when = opening["when"].strip().casefold()
    return _Wish(facts, opening["lead"], opening.start("when"), when, said, condition, step)


def _apart(said: str) -> tuple[str, str]:
    """A sentence, and the step that follows it in the same line."""
    before, sign, after = re.sub(r"\s*(?:,\s*then|,|:|\bthen)\s+", "\0", said, count=1).partition("\0")
    if sign:
        return before, re.sub(r"^(?:you|they|he|she|that player)\s+(?=[a-z])", "", after)
    words = list(_WORD.finditer(said))
    for one, two in pairwise(words[1:]):
        if two[0] in statements() and one[0].casefold() not in _PEOPLE:
            return said[: two.start()].rstrip(), said[two.start() :]
    return said, ""


def awaiting(facts: Facts, number: int) -> Diagnostic | None:
    """The moments that fit a line best; nothing, where it waits for none or none fits well."""
    wish = _wish(facts, number)
    found = wish.moments() if wish is not None else []
    if wish is None or not found:
        return None
    best = list(takewhile(lambda one: one.score * CLEARLY > found[0].score, found))[:MOST]
    lines = [wish.line(one.moment) for one in best]
    below = list(wish.below(best[0].moment))
    text = facts.source.lines[number - 1].split("#")[0].rstrip()
    place = replace(facts.span, line=number, column=wish.start + 1, end_line=number, end_column=len(text) + 1)
    clear = len(best) == 1 and best[0].share >= ALL and (not below or bool(wish.step))
    return Diagnostic(
        "E0116", "a rule waits for a moment by its name, not for a sentence", place,
        note=f"{'This is' if len(best) == 1 else 'These are'} the nearest that the game has: {_told(best)}.",
        help=f"write {listed(lines)}" + "".join(f", {'and ' * (one is below[-1])}under it `{one}`" for one in below),
        edits=(Edit(place, "\n".join(wish.nested([lines[0], *below]))),) if clear else (),
    )  # fmt: skip


def _told(found: Sequence[_Fit]) -> str:
    return "; ".join(f"`{one.moment.line}` ({one.moment.meaning})" for one in found)
