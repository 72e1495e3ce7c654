"""Diagnostics as values: what is wrong, where, why, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nlargest
from itertools import accumulate, islice
from typing import Any, Generic, TypeVar

from edict.support.morphology import count_noun
from edict.support.text import NOWHERE, Span

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Label:
    """A place and what is to be said about it."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A literal remedy: the text that belongs in place of a stretch. An empty stretch is a place between characters."""

    span: Span
    text: str


Rule = tuple[str, Span]
"""A rule by what it is called, which may be nothing, and where it stands."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One of the ways to read rules that leave something open; without any of the last three, as they stand.

    said: what is so then, in words for a sentence. yields: a rule that does not count while the other one does, or not
    at all. over: a module, and the one it is laid over. edits: what is written there instead.
    """

    said: str
    yields: tuple[Rule, Rule | None] | None = None
    over: tuple[str, str] | None = None
    edits: tuple[Edit, ...] = ()


def as_written_or(edits: Sequence[Edit], now: str, then: str) -> tuple[Reading, ...]:
    """What is said of rules as they stand, and of what they are with these edits; nothing without any."""
    return (Reading(now), Reading(then, edits=tuple(edits))) if edits else ()


@dataclass(frozen=True, slots=True)
class Example:
    """What came of playing rules as each of two readings has them.

    said: in a sentence where they differ, or that no such place was found. told: what is so then, by reading. top and
    scenes: the head of a file of scenes, and the scenes, one of each reading; empty if there are none.
    """

    said: str
    told: tuple[tuple[str, tuple[str, ...]], ...] = ()
    top: str = ""
    scenes: str = ""

    @property
    def lines(self) -> list[str]:
        """All but the scenes, a line each."""
        return [self.said, *(f"if {reading}: {'; '.join(facts)}" for reading, facts in self.told)]

    @property
    def page(self) -> str:
        """The file of scenes."""
        return f"{self.top}\nscenes:\n{self.scenes}" if self.scenes else ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `code` names its page, `labels` are further places, `help` is the remedy.

    `edits` are the remedy as it can be carried out, if it is literal: all of them together, in files that were read.
    `exact`: they cannot change what is meant (a sign, a capital, a letter of a word that can only be one), so a program
    may carry them out; all others are proposals, which somebody must choose.

    `readings`: where rules leave something open, the ways to read them; they can be played as each of these has them.
    `example`: what came of that, if somebody has played them.
    """

    code: str
    title: str
    span: Span = NOWHERE
    note: str = ""
    labels: tuple[Label, ...] = ()
    help: str = ""
    severity: str = "error"
    more: int = 0  # findings beside this one for which it stands
    edits: tuple[Edit, ...] = ()
    exact: bool = False
    readings: tuple[Reading, ...] = ()
    example: Example | None = field(default=None, compare=False)

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def __str__(self) -> str:
        """Return it in one line, with its place if it has one."""
        return f"{self.title} ({self.span.file}:{self.span.line})" if self.span.line else self.title


MOST_FINDINGS = 100
"""Findings of one pass that are shown, of errors and warnings each; more are only counted."""


def errors_in(found: Iterable[Diagnostic]) -> int:
    """How many errors these are, those that are only counted included."""
    return sum(1 + d.more for d in found if d.is_error)


def warnings_in(found: Iterable[Diagnostic]) -> int:
    """How many warnings these are, those that are only counted included."""
    return sum(1 + d.more for d in found if not d.is_error)


def shortened(found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The first hundred errors and the first hundred warnings; one more of each for all that follow."""
    if len(found) <= MOST_FINDINGS:
        return tuple(found)
    kinds = ([d for d in found if d.is_error], [d for d in found if not d.is_error])
    return tuple(d for kind in kinds for d in (*kind[:MOST_FINDINGS], *_rest(kind[MOST_FINDINGS:])))


def _rest(left: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    if not left:
        return ()
    count = sum(1 + d.more for d in left)
    return (more_findings(left[0].span, count, left[0].severity),)


def more_findings(span: Span, count: int, severity: str = "error") -> Diagnostic:
    """One finding for so many that are not shown; `span` is where the first of them lies."""
    return Diagnostic(
        "E0701",
        count_noun(count, f"more {severity}"),
        span,
        severity=severity,
        more=count - 1,
        note=f"Only the first {MOST_FINDINGS} are shown; often one mistake causes many.",
        help="fix those shown first, then check again",
    )


class RulesError(Exception):
    """Rules that cannot be played, with every reason found."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(f"{d.span}: {d.title} [{d.code}]" for d in self.diagnostics))

    def __reduce__(self) -> tuple[Any, ...]:
        """Between processes it is what was found that counts."""
        return RulesError, (self.diagnostics,)

    @property
    def first(self) -> str:
        """The first reason in one line, with its place if it has one."""
        return str(self.diagnostics[0])


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What a pass gives: its value, if it got that far, and what it found."""

    value: T | None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        return self.value is not None and not any(d.is_error for d in self.diagnostics)

    def then(self, step: Callable[[T], Outcome[U]]) -> Outcome[U]:
        """Go on to the next pass, unless this one found an error."""
        if self.value is None or not self.ok:
            return Outcome(None, self.diagnostics)
        following = step(self.value)
        return Outcome(following.value, self.diagnostics + following.diagnostics)

    def unwrap(self) -> T:
        """The value; raises `RulesError` when there is none or it cannot be trusted."""
        if self.value is None or not self.ok:
            raise RulesError(self.diagnostics)
        return self.value


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text of one file with these edits, the later ones of any that overlap left out."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    parts, at = list[str](), 0
    for edit in sorted(set(edits)):
        span = edit.span
        start, end = starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1
        if start >= at:
            parts += [text[at:start], edit.text]
            at = end
    return "".join([*parts, text[at:]])


MOST_COMPARED = 500  # words that a misspelt one is compared with
LONGEST_COMPARED = 60  # characters
MOST_KNOWN = 32_768  # words of which it is kept what they are compared by: each is looked at for each misspelt one
_CLOSEST = 3  # of the words compared
_NEAR, _SWAPPED = 0.67, 0.6  # how alike words are, of 1; of the same letters in another order


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is meant, or nothing: the same in other letters, then one that is near to it.

    Letters that were only swapped come first. Of many thousand known words only some that are about as long are
    looked at, for comparing takes time.
    """
    if len(word) > LONGEST_COMPARED:
        return ""
    all_ = list(known)
    bare = _bare(word)
    same = next((one for one in all_ if one != word and _bare(one) == bare), "")
    if same:
        return same
    most = _SWAPPED / (2 - _SWAPPED)  # by how much of its length a word may be shorter than one that it is near to
    letters = sorted(word)
    swapped = _closest(word, tuple(one for one in all_ if len(one) == len(word) and sorted(one) == letters))
    if swapped:
        return swapped[0]
    alike = (one for one in all_ if most * len(word) <= len(one) <= len(word) / most)
    near = _closest(word, tuple(islice(alike, MOST_COMPARED)))
    return next((one for one in near if _is_near(one, word)), "")


@lru_cache(maxsize=1024)  # rules with mistakes are read again and again, with one of them mended
def _closest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """The three that are most alike, the closest first, as `difflib.get_close_matches` finds them; but compared
    letter by letter only as long as their letters, in whatever order, are enough alike."""
    matcher = difflib.SequenceMatcher(b=word)
    bounds: list[tuple[float, str]] = []
    for one in known:
        matcher.set_seq1(one)
        bounds.append((matcher.quick_ratio(), one))
    best: list[tuple[float, str]] = []
    for bound, one in sorted(bounds, reverse=True):
        if bound < _SWAPPED or len(best) == _CLOSEST and bound < best[-1][0]:
            break
        matcher.set_seq1(one)
        ratio = matcher.ratio()
        if ratio >= _SWAPPED:
            best = nlargest(_CLOSEST, [*best, (ratio, one)])
    return tuple(one for _, one in best)


def _is_near(one: str, word: str) -> bool:
    """Whether a word is mostly the other, or a short one with another letter."""
    other = len(one) == len(word) and sum(a != b for a, b in zip(one, word, strict=True)) == 1
    return other or difflib.SequenceMatcher(None, one, word).ratio() >= _NEAR


def distance(a: str, b: str, most: int) -> int:
    """Letters to be changed, left out, put in or swapped with a neighbour; more than `most` is `most` + 1."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before, last = list[int](), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            best = min(last[j] + 1, row[-1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)


def letters_off(word: str) -> int:
    """In how many letters a word may be wrong for another to be meant; none of a very short one."""
    return 0 if len(word) < 3 else 1 if len(word) < 5 else 2


def only_near(word: str, known: Iterable[str]) -> str:
    """The only known word that is written in other capitals, or else within a letter or two; nothing, if there is
    none or more than one, or if too many have nearly the same letters to compare them all."""
    some = list(dict.fromkeys(known))
    near = [one for one in some if one.casefold() == word.casefold()]
    if not near:
        most, letters = 2 * letters_off(word), _letters(word)
        about = (one for one in some if abs(len(word) - len(one)) <= most)
        alike = tuple(islice((one for one in about if len(letters ^ _letters(one)) <= most), MOST_COMPARED + 1))
        near = [*_written_nearly(word, alike)] if len(alike) <= MOST_COMPARED else []
    return near[0] if len(near) == 1 else ""


@lru_cache(maxsize=1024)  # as above: asked again and again
def _written_nearly(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """The first two within a letter or two."""
    most = letters_off(word)
    return tuple(islice((one for one in known if distance(word, one, most) <= most), 2))


@lru_cache(maxsize=MOST_KNOWN)
def _letters(word: str) -> frozenset[str]:
    return frozenset(word)


@lru_cache(maxsize=MOST_KNOWN)
def _bare(word: str) -> str:
    return word.casefold().replace("-", "").replace(" ", "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence naming the nearest known word, or nothing."""
    near = nearest(word, known)
    return f"did you mean `{near}`?" if near else ""
