"""The smallest changes after which a definition can be read: words put in, left out, replaced, joined or swapped.

Sought over the parser's own table, the least cost first (after CPCT+: Diekmann and Tratt, "Don't Panic!", 2020), so it
knows all of the language and no mistake in particular. A change never drops a word that has a meaning: such a word is
left over (`lost`), and said to be not understood.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edict.compiler.syntax.automaton import LAYOUT, Stack, beginning, terminals, written
from edict.compiler.syntax.unreadable.stream import Word, read_all, shift
from edict.compiler.syntax.unreadable.vocabulary import Substitution, Vocabulary

BACK = 8  # words before the mistake from which changes are sought
MOST_WORDS = 60  # of a line that is repaired
MOST_CHANGES = 3
MOST_LOOKED_AT = 6_000  # states of the search: some tens of milliseconds
MOST_COST = 4.5
MOST_SURE = 1.6  # of what is proposed
MOST_PUT_IN = 2.0  # where words are only put in
FEW_WORDS = 8  # where no more words of the language can stand, each is tried
JOINING = frozenset("of a an as is from to by if in and with = , at not or".split())
NOT = "not"
GIVING = frozenset(("as", "called"))  # what stands behind one of these is a name
_PUT_IN, _SMALL, _UNKNOWN = 1.25, 0.9, 1.6
_ONLY = 0.5  # the one word that can stand there
_DOUBLED, _FILLER, _LOST, _STILL_LOST = 0.5, 0.35, 2.2, 0.35
_AS_NAME = 1.5  # a word of the language that would have to be a name there, and nothing is called so
_SWAPPED, _JOINED, _PUT_TOGETHER = 0.8, 0.3, 0.95
MOST_TURNED = 8  # words that stand the other way round, as two stretches


@dataclass(frozen=True, slots=True)
class Replacement:
    """Words from `start` to `end` of the stream, and the text in their place.

    how: what is changed: case, sign, spelled (mechanical: nothing else can have been meant), said (another word for
    it), number, called (a title or plural for a name), joined, swapped, doubled, filler, put-in, wanted (the only one
    that can stand there), unknown (a word that nobody can guess is missing) or lost (words that are not understood).
    """

    start: int
    end: int
    text: str
    how: str


@dataclass(frozen=True, slots=True)
class Repair:
    """Changes after which the line can be read; `whole`, if the rest of the definition can be, too."""

    cost: float
    changes: tuple[Replacement, ...]
    whole: bool

    @property
    def complete(self) -> bool:
        """Whether it says all: no word was lost, none is missing that nobody knows, and not too much was changed."""
        free = all(
            change.how in ("case", "sign", "spelled", "said", "number", "called", "joined") for change in self.changes
        )
        only_put_in = all(change.how == "put-in" for change in self.changes)
        return self.known and (free or self.cost <= (MOST_PUT_IN if only_put_in else MOST_SURE))

    @property
    def known(self) -> bool:
        """Whether no word was lost, and none is missing that nobody knows."""
        return not any(change.how in ("lost", "unknown") for change in self.changes)


@dataclass(frozen=True)
class Mistaken:
    """A definition's words, the first that cannot stand where it does, and the parser before each word so far."""

    words: Sequence[Word]
    at: int
    stacks: Sequence[Stack]

    @property
    def line(self) -> range:
        """The words of the line of the mistake; of a line that ends too soon or is indented for nothing, of that."""
        at = min(self.at, len(self.words) - 1)
        while at > 0 and self.words[at].is_layout:
            at -= 1
        start, end = at, at
        while start > 0 and not self.words[start - 1].is_layout:
            start -= 1
        while end < len(self.words) and not self.words[end].is_layout:
            end += 1
        return range(start, end)

    @property
    def wanted(self) -> list[str]:
        """The kinds of words that could stand there."""
        return self.stacks[-1].wanted()


def mistaken(words: Sequence[Word]) -> Mistaken | None:
    """Where words cannot be read; None if they can."""
    at, stacks = read_all(beginning(), words)
    if at == len(words):
        return None if stacks[-1].after("$END") is not None else Mistaken(words, at, stacks)
    return Mistaken(words, at, stacks)


def repairs(mistake: Mistaken, vocabulary: Vocabulary, most: int = 4) -> Iterator[Repair]:
    """The cheapest repairs of the line of a mistake, at most so many."""
    if len(mistake.line) > MOST_WORDS:
        return
    search = _Search(mistake, vocabulary)
    yield from itertools.islice(search.repairs(), most)


class _Search:
    def __init__(self, mistake: Mistaken, vocabulary: Vocabulary) -> None:
        self.words, self.vocabulary, self.at = mistake.words, vocabulary, mistake.at
        self.stacks = mistake.stacks
        self.end = self._end(mistake.line.stop)
        self.begin = max(0, mistake.at - BACK)
        self.line = mistake.line.start
        if mistake.at in mistake.line:
            self.begin = max(self.begin, self.line)
        self._elsewhere = Counter(word.text for word in mistake.words if word.is_word)
        self._count = itertools.count()
        self._heap: list[tuple[float, int, int, Stack, tuple[Replacement, ...]]] = []

    def _end(self, stop: int) -> int:
        """Behind the line break of the line."""
        return min(stop + 1, len(self.words))

    def repairs(self) -> Iterator[Repair]:
        for i in range(self.begin, min(self.at, len(self.stacks) - 1) + 1):
            self._push(self._as_names(i), i, self.stacks[i], ())
        seen: dict[tuple[int, int, int], float] = {}
        for _ in range(MOST_LOOKED_AT):
            if not self._heap:
                return
            cost, _, i, stack, changes = heapq.heappop(self._heap)
            key = (i, id(stack), len(changes))
            if changes and seen.get(key, 99.0) <= cost:
                continue
            seen[key] = cost
            if i >= self.end and changes:
                reach, stacks = read_all(stack, self.words[i:])
                if reach or i == len(self.words):
                    whole = reach == len(self.words) - i and stacks[-1].after("$END") is not None
                    yield Repair(cost, changes, whole)
                continue
            for more, to, after, change in self._ways(i, stack, changes):
                if cost + more <= MOST_COST:
                    self._push(cost + more, to, after, (*changes, change) if change else changes)

    def _push(self, cost: float, i: int, stack: Stack, changes: tuple[Replacement, ...]) -> None:
        heapq.heappush(self._heap, (cost, next(self._count), i, stack, changes))

    def _ways(
        self, i: int, stack: Stack, changes: tuple[Replacement, ...]
    ) -> Iterator[tuple[float, int, Stack, Replacement | None]]:
        word = self.words[i] if i < len(self.words) else None
        if word is not None:
            after = shift(stack, word)
            if after is not None and (changes or i < self.at):
                yield (_AS_NAME if self._is_as_name(i, stack) else 0.0), i + 1, after, None
        last = changes[-1] if changes else None
        going_on = last is not None and last.how == "lost" and last.end == i
        if len(changes) >= MOST_CHANGES and not going_on:
            return
        if word is not None and not word.is_layout and i < self.end:
            yield from self._without(i, stack, going_on)
            if len(changes) < MOST_CHANGES:
                yield from self._replaced(i, stack)
                yield from self._together(i, stack)
                if not changes and i == self.at:
                    yield from self._turned(i, stack)
        if len(changes) < MOST_CHANGES and i < self.end and not (last and last.start == last.end == i):
            yield from self._put_in(i, stack)

    def _as_names(self, stop: int) -> float:
        """What it costs that words of the line before this one were taken for names."""
        line = range(self.line, stop)
        return sum(_AS_NAME for i in line if self._is_as_name(i, self.stacks[i]))

    def _is_as_name(self, i: int, stack: Stack) -> bool:
        """Whether a word could only be a name here, though nothing is called so and none is given."""
        return self.words[i - 1].text not in GIVING and self.vocabulary.only_as_name(self.words[i], stack)

    def _without(self, i: int, stack: Stack, going_on: bool) -> Iterator[tuple[float, int, Stack, Replacement]]:
        word = self.words[i]
        if i and self.words[i - 1].text == word.text and word.is_word:
            yield _DOUBLED, i + 1, stack, Replacement(i, i + 1, "", "doubled")
        elif self.vocabulary.is_filler(word.text.casefold(), i + 2 >= self.end):
            yield _FILLER, i + 1, stack, Replacement(i, i + 1, "", "filler")
        yield (_STILL_LOST if going_on else _LOST), i + 1, stack, Replacement(i, i + 1, "", "lost")

    def _replaced(self, i: int, stack: Stack) -> Iterator[tuple[float, int, Stack, Replacement]]:
        text = self.words[i].text
        own = self._elsewhere[text] > 1 and shift(stack, self.words[i]) is not None
        for stand in self.vocabulary.stands(text):
            after = stack.after(stand.kind)
            if after is not None and not (own and stand.how in ("near", "spelled")):
                yield stand.cost, i + 1, after, Replacement(i, i + 1, stand.text, stand.how)
        only = self._only(stack)
        if only and not self.words[i].is_word and text not in ("(", ")"):
            after = stack.after(only)
            assert after is not None
            yield _PUT_IN, i + 1, after, Replacement(i, i + 1, written()[only], "wanted")

    def _only(self, stack: Stack) -> str:
        """The kind of the one word that can stand here, if there is one alone."""
        wanted = stack.wanted()
        return wanted[0] if len(wanted) == 1 and wanted[0] in written() else ""

    def _together(self, i: int, stack: Stack) -> Iterator[tuple[float, int, Stack, Replacement]]:
        """Words that are one name, or that stand the other way round."""
        for end, name in self.vocabulary.names_from(self.words, i):
            after = stack.after("NAME")
            if after is not None and end > i + 1:
                yield _JOINED, end, after, Replacement(i, end, name, "joined")
        if i + 1 < self.end and not self.words[i + 1].is_layout:
            after, both_new = stack.after("NAME"), self._is_new(i) and self._is_new(i + 1)
            if after is not None and both_new and shift(after, self.words[i + 1]) is None:
                yield (
                    _PUT_TOGETHER,
                    i + 2,
                    after,
                    Replacement(i, i + 2, f"{self.words[i].text}-{self.words[i + 1].text}", "joined"),
                )
            first = shift(stack, self.words[i + 1])
            both = shift(first, self.words[i]) if first is not None else None
            if both is not None and self._can_swap(i):
                text = f"{self.words[i + 1].text} {self.words[i].text}"
                yield _SWAPPED, i + 2, both, Replacement(i, i + 2, text, "swapped")

    def _turned(self, i: int, stack: Stack) -> Iterator[tuple[float, int, Stack, Replacement]]:
        """Two stretches of words, from the mistake on, of which the second must stand first."""
        stop = next((n for n in range(i, self.end) if self.words[n].is_layout), self.end)
        for middle in range(i + 1, min(i + MOST_TURNED, stop)):
            for end in range(middle + 1, min(middle + MOST_TURNED, stop) + 1):
                both = (*self.words[middle:end], *self.words[i:middle])
                if end - i == 2 or any(word.text in (",", "(", ")", NOT) for word in both):
                    continue
                reach, stacks = read_all(stack, both)
                if reach == len(both):
                    text = " ".join(word.text for word in both)
                    yield _SWAPPED + 0.1 * len(both), end, stacks[-1], Replacement(i, end, text, "swapped")

    def _can_swap(self, i: int) -> bool:
        """Whether two words are none of them a sign, and not what a definition begins with."""
        some = self.words[i : i + 2]
        plain = all(word.is_word or word.text.isdecimal() for word in some) and some[0].text != some[1].text
        plain = plain and NOT not in (some[0].text, some[1].text)  # what is denied would be another thing
        return plain and (some[0].column > 1 or some[0].text not in terminals())

    def _is_new(self, i: int) -> bool:
        """Whether a word may be part of a name that is given here."""
        return self.words[i].kinds == ("NAME",) and not self.vocabulary.knows(self.words[i].text)

    def _put_in(self, i: int, stack: Stack) -> Iterator[tuple[float, int, Stack, Replacement]]:
        wanted = [kind for kind in stack.wanted() if kind not in LAYOUT and kind != "$END"]
        own = [kind for kind in wanted if kind in written()]
        few, only = len(own) <= FEW_WORDS, self._only(stack)
        for kind in wanted:
            text = written().get(kind, "")
            if text in (self.words[i - 1].text if i else "", self.words[i].text):
                continue
            if text and (few or text in JOINING):
                after = stack.after(kind)
                assert after is not None
                cost = _ONLY if kind == only and i == self.at else _SMALL if text in JOINING else _PUT_IN
                yield cost, i, after, Replacement(i, i, text, "put-in")
        for kind in ("NAME", "NUMBER", "STRING", "COMPARE"):
            after = stack.after(kind)
            if after is not None:
                yield _UNKNOWN + (0.5 if kind == "STRING" else 0), i, after, Replacement(i, i, _BLANKS[kind], "unknown")


_BLANKS = {"NAME": "…", "NUMBER": "…", "STRING": '"…"', "COMPARE": "="}


__all__ = ["Replacement", "Mistaken", "Repair", "Substitution", "mistaken", "repairs"]
