"""Diagnostics as values, with their edits, labels and readings, and suggestions for misspelt words."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from heapq import merge, nlargest
from itertools import accumulate, islice
from typing import Any, Generic, TypeVar

from edict.support.morphology import count_noun, join_words
from edict.support.records import dataclass
from edict.support.text import NOWHERE, Span

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Label:
    """A secondary span with a message."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A replacement of a span by text, as part of a fix.

    An empty span is an insertion point.
    """

    span: Span
    text: str


Rule = tuple[str, Span]  # a rule's title, which may be empty, and where it is written


@dataclass(frozen=True, slots=True)
class RuleReading:
    """One possible interpretation of ambiguous rules; without `yields`, `over` and `edits` it is the present one."""

    consequence: str  # what holds under it, worded for a sentence
    # a rule that gives way to the other one; to no rule: it does not count at all
    yields: tuple[Rule, Rule | None] | None = None
    over: tuple[str, str] | None = None  # a module, and the module that it is laid over
    edits: tuple[Edit, ...] = ()  # the changes to the rules that express it


def readings_of_edits(edits: Sequence[Edit], now: str, then: str) -> tuple[RuleReading, ...]:
    """Return two readings: the rules as they are, and the rules after the edits; none if there are no edits.

    Args:
        edits: The changes.
        now: The consequence of the rules as they are.
        then: The consequence after the edits.
    """
    return (RuleReading(now), RuleReading(then, edits=tuple(edits))) if edits else ()


@dataclass(frozen=True, slots=True)
class ReadingExample:
    """A game position in which two readings lead to different results, found by playing both."""

    summary: str  # a sentence on where they differ, or that no difference was found
    facts: tuple[tuple[str, tuple[str, ...]], ...] = ()  # for each reading, by its words: what holds then
    top: str = ""  # the head of a scene file; empty without scenes
    scenes: str = ""  # the scenes, one for each reading

    @property
    def lines(self) -> list[str]:
        """Return the summary and the facts of each reading, a line each, without the scenes."""
        return [self.summary, *(f"if {reading}: {'; '.join(facts)}" for reading, facts in self.facts)]

    @property
    def scene_file(self) -> str:
        """Return the text of the scene file; empty without scenes."""
        return f"{self.top}\nscenes:\n{self.scenes}" if self.scenes else ""


@dataclasses.dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding of a check or a pass."""

    code: str  # names its page in `grammar/diagnostics`
    title: str
    span: Span = NOWHERE
    note: str = ""
    labels: tuple[Label, ...] = ()  # further places
    help: str = ""  # how to fix it
    severity: str = "error"
    more: int = 0  # how many further findings this one stands for
    # the fix, if it can be applied literally: all of them together, in files that were read
    edits: tuple[Edit, ...] = ()
    # remedies to try in turn if the edits do not work, each in words with its edits; the last one may have none
    alternatives: tuple[tuple[str, tuple[Edit, ...]], ...] = field(default=(), compare=False)
    # if several of these remedies work, all are offered and none is chosen
    asks: bool = field(default=False, compare=False)
    # the edits cannot change the meaning (a sign, a capital, an unambiguous typo), so a program may apply them;
    # otherwise they are proposals that somebody must choose
    exact: bool = False
    # if the rules are ambiguous: the possible readings, each of which can be played
    readings: tuple[RuleReading, ...] = ()
    # a difference between the readings, if they were played
    example: ReadingExample | None = field(default=None, compare=False)

    @property
    def is_error(self) -> bool:
        """Return True for an error, False for a warning."""
        return self.severity == "error"

    def without_edits(self) -> Diagnostic:
        """Return the diagnostic without edits; its remedy stays only if it has none that would have to be tried."""
        return replace(self, help="" if self.edits else self.help, edits=(), alternatives=())

    def __str__(self) -> str:
        """Return the title in one line, with the place if there is one."""
        if self.span.line:
            return f"{self.title} ({self.span.file}:{self.span.line})"
        return self.title


MOST_OFFERED = 3  # remedies of which the author is asked to choose one


def merge_remedies(diagnostics: Sequence[Diagnostic]) -> Diagnostic:
    """Return the first diagnostic; if others have other remedies, offer them all without an edit."""
    first, helps = diagnostics[0], list(dict.fromkeys(diagnostic.help for diagnostic in diagnostics))
    if len(helps) == 1:
        return first
    lead, _, _ = helps[0].partition("`")
    end = "?" if helps[0].endswith("?") else ""
    choices = [help_.removeprefix(lead).removesuffix("?") for help_ in helps[:MOST_OFFERED]]
    return replace(first, help=f"{lead}{join_words(choices, 'or')}{end}", note="", edits=(), exact=False)


MOST_FINDINGS = 100  # findings of one pass that are shown, for errors and warnings each; further ones are only counted


def count_errors(diagnostics: Iterable[Diagnostic]) -> int:
    """Count the errors, including those that another diagnostic stands for."""
    return sum(1 + d.more for d in diagnostics if d.is_error)


def count_warnings(diagnostics: Iterable[Diagnostic]) -> int:
    """Count the warnings, including those that another diagnostic stands for."""
    return sum(1 + d.more for d in diagnostics if not d.is_error)


def limit_diagnostics(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return at most `MOST_FINDINGS` errors and as many warnings, each followed by one diagnostic for the rest."""
    if len(diagnostics) <= MOST_FINDINGS:
        return tuple(diagnostics)
    kinds = ([d for d in diagnostics if d.is_error], [d for d in diagnostics if not d.is_error])
    return tuple(d for kind in kinds for d in (*kind[:MOST_FINDINGS], *_summarize_rest(kind[MOST_FINDINGS:])))


def _summarize_rest(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return one diagnostic that counts the given ones, at the first one's span; () if there are none."""
    if not diagnostics:
        return ()
    count = sum(1 + d.more for d in diagnostics)
    return (remaining_findings(diagnostics[0].span, count, diagnostics[0].severity),)


def remaining_findings(span: Span, count: int, severity: str = "error") -> Diagnostic:
    """Return a diagnostic that stands for findings that are not shown.

    Args:
        span: The place of the first of them.
        count: How many there are.
        severity: `error` or `warning`.
    """
    return Diagnostic(
        "E0701",
        count_noun(count, f"more {severity}"),
        span,
        severity=severity,
        more=count - 1,
        note=f"Only the first {MOST_FINDINGS} are shown; one mistake often causes many.",
        help="fix those shown first, then check again",
    )


class RulesError(Exception):
    """Rules that cannot be played, with every diagnostic."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(f"{d.span}: {d.title} [{d.code}]" for d in self.diagnostics))

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling by the diagnostics, for use between processes."""
        return RulesError, (self.diagnostics,)

    @property
    def first(self) -> str:
        """Return the first reason in one line, with its place if there is one."""
        return str(self.diagnostics[0])


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The result of a pass, its value, if it got that far, and its diagnostics."""

    value: T | None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        """Return True if there is a value and no error."""
        return self.value is not None and not any(d.is_error for d in self.diagnostics)

    def has_code(self, code: str) -> bool:
        """Return True if one of the diagnostics has this code."""
        return any(diagnostic.code == code for diagnostic in self.diagnostics)

    def and_then(self, step: Callable[[T], Outcome[U]]) -> Outcome[U]:
        """Run the next pass on the value, unless this one failed, and join the diagnostics of both."""
        if self.value is None or not self.ok:
            return Outcome(None, self.diagnostics)
        following = step(self.value)
        return Outcome(following.value, self.diagnostics + following.diagnostics)

    def unwrap(self) -> T:
        """Return the value.

        Raises:
            RulesError: If there is no value, or there are errors.
        """
        if self.value is None or not self.ok:
            raise RulesError(self.diagnostics)
        return self.value


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits to the text of one file; of overlapping edits, only the first is applied."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    parts, position = list[str](), 0
    for edit in sorted(set(edits)):
        span = edit.span
        start, end = starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1
        if start >= position:
            parts += [text[position:start], edit.text]
            position = end
    return "".join([*parts, text[position:]])


MAX_COMPARED = 500  # candidates that a misspelt word is compared with
MAX_COMPARED_LENGTH = 60  # characters
_CLOSEST = 3  # matches that are kept
_NEAR, _SWAPPED = 0.67, 0.6  # least similarity ratio, and that of words with the same letters in another order


def find_nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that a misspelt one most likely means, or an empty string.

    A word that differs only in capitals, spaces or hyphens comes first, then one with the same letters in another
    order, then a similar one. Of many thousand known words, only `MAX_COMPARED` of about the same length are compared,
    because comparing is slow.
    """
    if len(word) > MAX_COMPARED_LENGTH:
        return ""
    index = _index_words(tuple(known))
    same = next((candidate for candidate in index.by_spelling.get(_normalize(word), ()) if candidate != word), "")
    if same:
        return same
    anagrams = _rank_similar(word, tuple(index.by_letters.get("".join(sorted(word)), ())))
    if anagrams:
        return anagrams[0]
    length_ratio = _SWAPPED / (2 - _SWAPPED)  # of the lengths of two words with that similarity
    lengths = (length for length in index.by_length if length_ratio * len(word) <= length <= len(word) / length_ratio)
    similar = merge(*(index.by_length[length] for length in lengths))
    near = _rank_similar(word, tuple(candidate for _, candidate in islice(similar, MAX_COMPARED)))
    return next((candidate for candidate in near if _is_near(candidate, word)), "")


class _WordIndex:
    """Words grouped by what misspelt ones are compared by; there may be thousands of both."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words

    @cached_property
    def by_spelling(self) -> dict[str, list[str]]:
        """The words without capitals, spaces and hyphens."""
        return _group_by(_normalize, self._words)

    @cached_property
    def by_case(self) -> dict[str, list[str]]:
        """The words without capitals."""
        return _group_by(str.casefold, self._words)

    @cached_property
    def by_letters(self) -> dict[str, list[str]]:
        """The words by their sorted letters."""
        return _group_by(lambda word: "".join(sorted(word)), self._words)

    @cached_property
    def by_length(self) -> dict[int, list[tuple[int, str]]]:
        """The words, each with its position, by their lengths."""
        return _group_by(lambda entry: len(entry[1]), enumerate(self._words))

    @cached_property
    def by_letter_set(self) -> dict[tuple[int, frozenset[str]], list[str]]:
        """The words by their lengths and the letters that they have at all."""
        return _group_by(lambda word: (len(word), frozenset(word)), self._words)


_index_words = lru_cache(maxsize=8)(_WordIndex)


def _group_by(key: Callable[[T], U], values: Iterable[T]) -> dict[U, list[T]]:
    groups: dict[U, list[T]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups


@lru_cache(maxsize=1024)  # an editor checks the same mistakes again after every change
def _rank_similar(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the three most similar words, most similar first, like `difflib.get_close_matches`.

    It is faster: the expensive ratio is computed only while its upper bound can still reach the best three.
    """
    matcher = difflib.SequenceMatcher(b=word)
    bounds: list[tuple[float, str]] = []
    for candidate in known:
        matcher.set_seq1(candidate)
        bounds.append((matcher.quick_ratio(), candidate))
    best: list[tuple[float, str]] = []
    for bound, candidate in sorted(bounds, reverse=True):
        if bound < _SWAPPED or len(best) == _CLOSEST and bound < best[-1][0]:
            break
        matcher.set_seq1(candidate)
        ratio = matcher.ratio()
        if ratio >= _SWAPPED:
            best = nlargest(_CLOSEST, [*best, (ratio, candidate)])
    return tuple(candidate for _, candidate in best)


def _is_near(candidate: str, word: str) -> bool:
    """Return True if two words are mostly equal, or equally long with one letter different."""
    differs_in_one = len(candidate) == len(word) and sum(a != b for a, b in zip(candidate, word, strict=True)) == 1
    return differs_in_one or difflib.SequenceMatcher(None, candidate, word).ratio() >= _NEAR


def edit_distance(a: str, b: str, limit: int) -> int:
    """Return the Damerau-Levenshtein distance (optimal string alignment) of two words, or `limit` + 1 if it is larger.

    It counts letters that are changed, omitted, inserted or swapped with a neighbour.
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    row_before_last, last_row = list[int](), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            best = min(last_row[j] + 1, row[-1] + 1, last_row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, row_before_last[j - 2] + 1)
            row.append(best)
        if min(row) > limit:
            return limit + 1
        row_before_last, last_row = last_row, row
    return min(last_row[-1], limit + 1)


def count_tolerated_typos(word: str) -> int:
    """Return how many letters of a word may be wrong for another word to be meant; 0 for a very short one."""
    if len(word) < 3:
        return 0
    if len(word) < 5:
        return 1
    return 2


def find_unambiguous(word: str, known: Iterable[str]) -> str:
    """Return the only known word that differs in capitals alone, or else in a letter or two.

    Empty if there is none, more than one, or too many candidates to compare.
    """
    index = _index_words(tuple(known))
    near = [*dict.fromkeys(index.by_case.get(word.casefold(), ()))]
    if not near:
        max_letters, letters = 2 * count_tolerated_typos(word), frozenset(word)
        similar = dict.fromkeys(
            candidate
            for (length, others), candidates in index.by_letter_set.items()
            if abs(len(word) - length) <= max_letters and len(letters ^ others) <= max_letters
            for candidate in candidates
        )
        near = [*_find_within_typos(word, tuple(similar))] if len(similar) <= MAX_COMPARED else []
    return near[0] if len(near) == 1 else ""


@lru_cache(maxsize=1024)  # as above
def _find_within_typos(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first two words within the tolerated number of typos."""
    limit = count_tolerated_typos(word)
    return tuple(islice((candidate for candidate in known if edit_distance(word, candidate, limit) <= limit), 2))


def _normalize(word: str) -> str:
    """Return a word without case, hyphens and spaces, so that `Merchant Guild` equals `merchant-guild`."""
    return word.casefold().replace("-", "").replace(" ", "")


def suggest_word(word: str, known: Iterable[str]) -> str:
    """Return the question "did you mean ...?" with the nearest known word, or an empty string."""
    near = find_nearest(word, known)
    return f"did you mean `{near}`?" if near else ""
