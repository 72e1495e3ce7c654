"""The cheapest repairs after which a definition can be parsed (insert, delete, replace, join or swap words).

They are searched for in the parser's table, cheapest first (after CPCT+, Diekmann and Tratt, "Don't Panic!", 2020), so
the search knows the whole language and no mistake in particular. A repair never deletes a word that has a meaning;
such a word is skipped as `lost`, and reported as not understood.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from edict.compiler.syntax.automaton import LAYOUT, ParserStack, initial_stack, kinds_by_word, words_by_kind
from edict.compiler.syntax.syntax_errors.vocabulary import NAME_INTRODUCERS, Vocabulary
from edict.compiler.syntax.syntax_errors.word_stream import StreamWord, shift_word, shift_words
from edict.support.records import dataclass

WORDS_BACK = 8  # words before the mistake at which changes may begin
MOST_WORDS = 60  # words of a line that is repaired
MOST_CHANGES = 3
MOST_SEARCH_STATES = 6_000  # states of the search; some tens of milliseconds
MOST_COST = 4.5
MOST_COMPLETE_COST = 1.6  # highest cost of a repair that is offered
FEW_WORDS = 8  # if no more keywords can stand at a place, each is tried
FUNCTION_WORDS = frozenset("of a an as is from to by if in and with = , at not or".split())
NEGATION = "not"
NEGATIONS = (NEGATION, "no")
_PUT_IN, _SMALL, _UNKNOWN = 1.25, 0.9, 1.6
_ONLY_INSERTION = 0.5  # cost of inserting the only word that can stand there
_DOUBLED, _FILLER, _LOST, _STILL_LOST = 0.5, 0.35, 2.2, 0.35
_AS_NAME = 1.5  # cost of a keyword that would have to be an undeclared name
_SWAPPED, _JOINED, _PUT_TOGETHER = 0.8, 0.3, 0.95
LONGEST_SWAP = 8  # words of two stretches that are swapped


@dataclass(frozen=True, slots=True)
class Replacement:
    """A change of a stretch of words."""

    start: int  # index of the first word
    end: int  # index behind the last word
    text: str
    # case, sign or spelled (mechanical: nothing else can be meant); said (another word for it); number; called (a title
    # or plural of a name); quoted; near; joined; swapped; doubled; filler; put-in; compared (a comparison is put in);
    # wanted (the only word possible); unknown (a word is missing that cannot be guessed); lost (not understood)
    how: str


@dataclass(frozen=True, slots=True)
class Repair:
    """Changes after which a line can be parsed."""

    cost: float
    changes: tuple[Replacement, ...]
    whole: bool  # the rest of the definition can be parsed, too

    @property
    def is_complete(self) -> bool:
        """True if the repair accounts for all words, needs no unknown ones, and does not change too much."""
        is_safe = all(
            change.how in ("case", "sign", "spelled", "said", "number", "called", "joined") for change in self.changes
        )
        return self.is_known and (is_safe or self.cost <= MOST_COMPLETE_COST)

    @property
    def inserts_keyword(self) -> bool:
        """True if the repair adds a word where the author wrote nothing; signs do not count."""
        removed = [change for change in self.changes if not change.text]
        return any(
            change.how == "put-in"
            and change.text.isalpha()
            and not any(other.start <= change.start <= other.end for other in removed)
            for change in self.changes
        )

    @property
    def replaces_words(self) -> bool:
        """True if every change replaces a word by one that means the same, or removes one that means nothing."""
        return all(change.how not in ("swapped", "put-in", "wanted", "lost", "unknown") for change in self.changes)

    @property
    def replaces_and_inserts(self) -> bool:
        """True if the repair reads a word as another one and adds a further word or sign, which is a mere guess."""
        hows = {change.how for change in self.changes}
        return "put-in" in hows and bool(hows & {"said", "near"})

    @property
    def places(self) -> list[int]:
        """The indices of the words at which it changes something."""
        return [change.start for change in self.changes]

    @property
    def is_known(self) -> bool:
        """True if the repair accounts for all words and needs no unknown ones."""
        return not any(change.how in ("lost", "unknown") for change in self.changes)


@dataclass(frozen=True)
class ParseMistake:
    """A definition's words up to the first that cannot stand where it does."""

    words: Sequence[StreamWord]
    at: int  # index of that word
    stacks: Sequence[ParserStack]  # the parser before each word so far

    @property
    def line(self) -> range:
        """The indices of the words in the line of the mistake; of a line that ends too soon, in that line."""
        index = min(self.at, len(self.words) - 1)
        while index > 0 and self.words[index].is_layout:
            index -= 1
        start, end = index, index
        while start > 0 and not self.words[start - 1].is_layout:
            start -= 1
        while end < len(self.words) and not self.words[end].is_layout:
            end += 1
        return range(start, end)

    @property
    def expected_kinds(self) -> list[str]:
        """The kinds of words that could stand at the mistake."""
        return self.stacks[-1].next_kinds()


def find_mistake(words: Sequence[StreamWord]) -> ParseMistake | None:
    """Return the first mistake in the words of a definition, or None."""
    index, stacks = shift_words(initial_stack(), words)
    if index == len(words):
        if stacks[-1].advance("$END") is not None:
            return None
        return ParseMistake(words, index, stacks)
    return ParseMistake(words, index, stacks)


def find_repairs(mistake: ParseMistake, vocabulary: Vocabulary, most: int = 4) -> Iterator[Repair]:
    """Yield up to `most` of the cheapest repairs of the line of a mistake."""
    if len(mistake.line) > MOST_WORDS:
        return
    search = _RepairSearch(mistake, vocabulary)
    yield from itertools.islice(search.iter_repairs(), most)


def find_insertions(mistake: ParseMistake) -> Iterator[Repair]:
    """Yield the insertions of one word or comparison after which the line can be parsed, nearest to the mistake first.

    A word in front of the line is left out, because it makes another line of it, and so are `not` and `no`.
    """
    line, end = mistake.line, min(mistake.line.stop + 1, len(mistake.words))
    for index in range(min(mistake.at, line.stop), max(line.start, mistake.at - WORDS_BACK), -1):
        stack = mistake.stacks[index]
        kinds = stack.next_kinds()
        excluded = (*NEGATIONS, "is") if "COMPARE" in kinds else NEGATIONS  # `is` means the same as `=`
        for kind in kinds:
            word = words_by_kind().get(kind, "=" if kind == "COMPARE" else "")
            after = stack.advance(kind)
            if after is None or word not in ("=", ",") and not word.isalpha() or word in excluded:
                continue
            if shift_words(after, mistake.words[index:end])[0] == end - index:
                how = "compared" if kind == "COMPARE" else "put-in"
                yield Repair(_PUT_IN, (Replacement(index, index, word, how),), False)


class _RepairSearch:
    def __init__(self, mistake: ParseMistake, vocabulary: Vocabulary) -> None:
        self.words, self.vocabulary, self.at = mistake.words, vocabulary, mistake.at
        self.stacks = mistake.stacks
        self.end = self._line_end(mistake.line.stop)
        self.begin = max(0, mistake.at - WORDS_BACK)
        self.line = mistake.line.start
        if mistake.at in mistake.line:
            self.begin = max(self.begin, self.line)
        self._elsewhere = Counter(word.text for word in mistake.words if word.is_word)
        self._count = itertools.count()
        self._heap: list[tuple[float, int, int, ParserStack, tuple[Replacement, ...]]] = []

    def _line_end(self, stop: int) -> int:
        """Return the index after a line break at `stop`, but at most the number of words."""
        return min(stop + 1, len(self.words))

    def iter_repairs(self) -> Iterator[Repair]:
        """Yield repairs in the order of their cost, by a best-first search over words and parser stacks."""
        for index in range(self.begin, min(self.at, len(self.stacks) - 1) + 1):
            self._push(self._name_cost(index), index, self.stacks[index], ())
        seen: dict[tuple[int, int, int], float] = {}
        for _ in range(MOST_SEARCH_STATES):
            if not self._heap:
                return
            cost, _, index, stack, changes = heapq.heappop(self._heap)
            key = (index, id(stack), len(changes))
            if changes and seen.get(key, 99.0) <= cost:
                continue
            seen[key] = cost
            if index >= self.end and changes:
                reach, stacks = shift_words(stack, self.words[index:])
                if reach or index == len(self.words) or self.words[index].is_word:  # the next line may be faulty
                    is_whole = reach == len(self.words) - index and stacks[-1].advance("$END") is not None
                    yield Repair(cost, changes, is_whole)
                continue
            for extra, target, after, change in self._iter_moves(index, stack, changes):
                if cost + extra <= MOST_COST:
                    self._push(cost + extra, target, after, (*changes, change) if change else changes)

    def _push(self, cost: float, i: int, stack: ParserStack, changes: tuple[Replacement, ...]) -> None:
        """Add a state of the search to the queue: `i` is the next word, `changes` those made so far."""
        heapq.heappush(self._heap, (cost, next(self._count), i, stack, changes))

    def _iter_moves(
        self, index: int, stack: ParserStack, changes: tuple[Replacement, ...]
    ) -> Iterator[tuple[float, int, ParserStack, Replacement | None]]:
        """Yield the next steps of the search, as (extra cost, next index, stack, change); None if the word is kept."""
        word = self.words[index] if index < len(self.words) else None
        if word is not None:
            after = shift_word(stack, word)
            if after is not None and (changes or index < self.at):
                yield (_AS_NAME if self._is_undeclared_name(index, stack) else 0.0), index + 1, after, None
        last = changes[-1] if changes else None
        continues_lost = last is not None and last.how == "lost" and last.end == index
        if len(changes) >= MOST_CHANGES and not continues_lost:
            return
        if word is not None and not word.is_layout and index < self.end:
            yield from self._iter_deletions(index, stack, continues_lost)
            if len(changes) < MOST_CHANGES:
                yield from self._iter_substitutions(index, stack)
                yield from self._iter_joins(index, stack)
                if not changes and index == self.at:
                    yield from self._iter_swaps(index, stack)
        if len(changes) < MOST_CHANGES and index < self.end and not (last and last.start == last.end == index):
            yield from self._iter_insertions(index, stack)

    def _name_cost(self, stop: int) -> float:
        """Return the cost of the keywords before a word of the line that were read as names."""
        line = range(self.line, stop)
        return sum(_AS_NAME for index in line if self._is_undeclared_name(index, self.stacks[index]))

    def _is_undeclared_name(self, index: int, stack: ParserStack) -> bool:
        """Return True if a keyword could only be a name here, but nothing has or is given that name."""
        return self.words[index - 1].text not in NAME_INTRODUCERS and self.vocabulary.is_undeclared_name(
            self.words[index], stack
        )

    def _iter_deletions(
        self, index: int, stack: ParserStack, continues_lost: bool
    ) -> Iterator[tuple[float, int, ParserStack, Replacement]]:
        """Yield steps that delete a word: a doubled one, a filler, or one that is not understood."""
        word = self.words[index]
        if index and self.words[index - 1].text == word.text and word.is_word:
            yield _DOUBLED, index + 1, stack, Replacement(index, index + 1, "", "doubled")
        elif self.vocabulary.is_filler(word.text.casefold(), index + 2 >= self.end):
            yield _FILLER, index + 1, stack, Replacement(index, index + 1, "", "filler")
        yield (_STILL_LOST if continues_lost else _LOST), index + 1, stack, Replacement(index, index + 1, "", "lost")

    def _iter_substitutions(
        self, index: int, stack: ParserStack
    ) -> Iterator[tuple[float, int, ParserStack, Replacement]]:
        """Yield steps that replace a word by a likely substitution, or a sign by the only word possible."""
        text = self.words[index].text
        is_used_elsewhere = self._elsewhere[text] > 1 and shift_word(stack, self.words[index]) is not None
        for substitution in self.vocabulary.list_substitutions(text):
            after = stack.advance(substitution.kind)
            if after is not None and not (is_used_elsewhere and substitution.how in ("near", "spelled")):
                yield (
                    substitution.cost,
                    index + 1,
                    after,
                    Replacement(index, index + 1, substitution.text, substitution.how),
                )
        only = self._only_kind(stack)
        if only and not self.words[index].is_word and text not in ("(", ")"):
            after = stack.advance(only)
            assert after is not None
            yield _PUT_IN, index + 1, after, Replacement(index, index + 1, words_by_kind()[only], "wanted")

    def _only_kind(self, stack: ParserStack) -> str:
        """Return the kind of the only word that the parser accepts here, if it is a fixed word or sign; else ""."""
        kinds = stack.next_kinds()
        return kinds[0] if len(kinds) == 1 and kinds[0] in words_by_kind() else ""

    def _iter_joins(self, index: int, stack: ParserStack) -> Iterator[tuple[float, int, ParserStack, Replacement]]:
        """Yield changes that join words to a name, or swap two words."""
        for end, name in self.vocabulary.iter_joined_names(self.words, index):
            after = stack.advance("NAME")
            if after is not None and end > index + 1:
                yield _JOINED, end, after, Replacement(index, end, name, "joined")
        if index + 1 < self.end and not self.words[index + 1].is_layout:
            after, both_new = stack.advance("NAME"), self._may_be_new_name(index) and self._may_be_new_name(index + 1)
            if after is not None and both_new and shift_word(after, self.words[index + 1]) is None:
                yield (
                    _PUT_TOGETHER,
                    index + 2,
                    after,
                    Replacement(index, index + 2, f"{self.words[index].text}-{self.words[index + 1].text}", "joined"),
                )
            first = shift_word(stack, self.words[index + 1])
            both = shift_word(first, self.words[index]) if first is not None else None
            if both is not None and self._can_swap(index):
                text = f"{self.words[index + 1].text} {self.words[index].text}"
                yield _SWAPPED, index + 2, both, Replacement(index, index + 2, text, "swapped")

    def _iter_swaps(self, index: int, stack: ParserStack) -> Iterator[tuple[float, int, ParserStack, Replacement]]:
        """Yield changes that swap two stretches of words, from the mistake on."""
        stop = next((position for position in range(index, self.end) if self.words[position].is_layout), self.end)
        for middle in range(index + 1, min(index + LONGEST_SWAP, stop)):
            for end in range(middle + 1, min(middle + LONGEST_SWAP, stop) + 1):
                both = (*self.words[middle:end], *self.words[index:middle])
                if end - index == 2 or any(word.text in (",", "(", ")", NEGATION) for word in both):
                    continue
                reach, stacks = shift_words(stack, both)
                if reach == len(both):
                    text = " ".join(word.text for word in both)
                    yield _SWAPPED + 0.1 * len(both), end, stacks[-1], Replacement(index, end, text, "swapped")

    def _can_swap(self, index: int) -> bool:
        """Return True if two words are no signs, differ, and do not begin a definition."""
        two_words = self.words[index : index + 2]
        is_plain = (
            all(word.is_word or word.text.isdecimal() for word in two_words) and two_words[0].text != two_words[1].text
        )
        # a moved `not` would change the meaning
        is_plain = is_plain and NEGATION not in (
            two_words[0].text,
            two_words[1].text,
        )
        return is_plain and (two_words[0].column > 1 or two_words[0].text not in kinds_by_word())

    def _may_be_new_name(self, index: int) -> bool:
        """Return True if a word may be part of a name that is declared here."""
        return self.words[index].kinds == ("NAME",) and not self.vocabulary.knows(self.words[index].text)

    def _iter_insertions(self, index: int, stack: ParserStack) -> Iterator[tuple[float, int, ParserStack, Replacement]]:
        """Yield steps that insert a keyword, or a blank for an unknown name, number, text or comparison."""
        kinds = [kind for kind in stack.next_kinds() if kind not in LAYOUT and kind != "$END"]
        literal_kinds = [kind for kind in kinds if kind in words_by_kind()]
        few, only = len(literal_kinds) <= FEW_WORDS, self._only_kind(stack)
        for kind in kinds:
            text = words_by_kind().get(kind, "")
            if text in (self.words[index - 1].text if index else "", self.words[index].text):
                continue
            if text and (few or text in FUNCTION_WORDS):
                after = stack.advance(kind)
                assert after is not None
                if kind == only and index == self.at:
                    cost = _ONLY_INSERTION
                elif text in FUNCTION_WORDS:
                    cost = _SMALL
                else:
                    cost = _PUT_IN
                yield cost, index, after, Replacement(index, index, text, "put-in")
        for kind in ("NAME", "NUMBER", "STRING"):
            after = stack.advance(kind)
            if after is not None:
                yield (
                    _UNKNOWN + (0.5 if kind == "STRING" else 0),
                    index,
                    after,
                    Replacement(index, index, _BLANKS[kind], "unknown"),
                )


_BLANKS = {"NAME": "…", "NUMBER": "…", "STRING": '"…"'}
