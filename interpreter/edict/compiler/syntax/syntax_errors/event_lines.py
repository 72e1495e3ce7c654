"""Lines that wait for an event, for an author's words that name none: event, condition and player each keep their part.

What the author names (a thing, `you`) becomes a test of what comes with the event, or the event is not suggested.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import kinds_by_word
from edict.compiler.syntax.declared_names import AwaitableEvent
from edict.compiler.syntax.syntax_errors.habits import read_condition
from edict.compiler.syntax.syntax_errors.vocabulary import Vocabulary
from edict.compiler.syntax.syntax_errors.word_stream import StreamWord
from edict.compiler.syntax.word_search import STOP_WORDS, matches_word, normalize, rank_by_names
from edict.support.records import dataclass

YOU, PLAYER = "you", "player"
CONDITION_JOINERS = frozenset(("if", "and", "where", "when", "with", "while", "provided", ","))
COMPARISONS = frozenset(("=", "!=", "<", ">", "<=", ">=", "is"))


@dataclass(frozen=True)
class EventLine:
    """A line that waits for an event, and a line under it that names the player, if one is needed."""

    text: str
    under: str = ""
    left_out: frozenset[str] = frozenset()  # words of the author that nothing in it stands for


@dataclass(frozen=True)
class EventWords:
    """The words of a line that should wait for an event."""

    words: Sequence[str]  # those that name the event
    condition: str
    vocabulary: Vocabulary

    @property
    def things(self) -> list[tuple[str, str]]:
        """The things that are named, each with its kind."""
        definitions = self.vocabulary.declared.definitions
        found = [definitions.get(self.vocabulary.declared.resolve_word(word.casefold())) for word in self.words]
        return [(thing.name.word, thing.kind.word) for thing in found if isinstance(thing, t.Thing)]

    @property
    def names_you(self) -> bool:
        """True if `you` is among the words."""
        return YOU in self.words

    @property
    def searched(self) -> list[str]:
        """The words to look for among the events."""
        searched = [word for word in self.words if word != YOU and not self._is_thing(word)]
        return [word for word in normalize(" ".join(searched)).split() if word not in STOP_WORDS and word.isalpha()]

    def _is_thing(self, word: str) -> bool:
        """Return True for the name or title of a thing."""
        name = self.vocabulary.declared.resolve_word(word.casefold())
        return isinstance(self.vocabulary.declared.definitions.get(name), t.Thing)

    def iter_lines(self, in_thing: bool) -> Iterator[EventLine]:
        """Yield the lines for the events that resemble the words most.

        Args:
            in_thing: True in a thing, whose owner is `you`; elsewhere `you` is the player whose turn it is.
        """
        for event in self._find_events():
            tests = [f"{self._find_value(event, kind)} is {thing}" for thing, kind in self.things]
            under = ""
            player = self._find_value(event, PLAYER)
            if self.names_you and in_thing and player:
                tests.insert(0, f"{player} is {YOU}")
            elif self.names_you and not in_thing and not event.turn and player:
                under = f"for {player}"
            elif self.names_you and (in_thing or not event.turn):
                continue
            conditions = " and ".join(filter(None, (*tests, self.condition)))
            joiner = "and" if " if " in event.line else "if"
            text = f"{event.line} {joiner} {conditions}" if conditions else event.line
            yield EventLine(text, under, frozenset(self._iter_left_out(event)))

    def _iter_left_out(self, event: AwaitableEvent) -> Iterator[str]:
        """Yield the words that are searched for and not among those of an event."""
        named = normalize(f"{event.line} {event.title} {event.description} {self.condition}").split()
        for word in self.searched:
            if not _is_among(word, named):
                yield word

    def _find_events(self) -> list[AwaitableEvent]:
        """Return the events that share most words with the line; of a phase that is named, its start or end.

        Only events with which the named things come are returned.
        """
        kinds = [kind for _, kind in self.things]
        events = [
            event
            for event in self.vocabulary.declared.moments()
            if all(self._find_value(event, kind) for kind in kinds)
        ]
        phases = [
            word
            for previous, word in pairwise(self.words)
            if previous == "of" and self.vocabulary.declared.has_sort(word, ["phase"])
        ]
        if phases:
            edges = [edge for edge in ("start", "end") if edge in self.words] or ["start", "end"]
            return [event for edge in edges for event in events if (event.line == f"when {edge} of {phases[0]}")]
        words = self.searched
        ranked = [
            (sum(_is_among(word, names) for word in words), event)
            for _, event in rank_by_names(events, words)
            for names in [normalize(f"{event.line} {event.title}").split()]
        ]
        best = max((count for count, _ in ranked), default=0)
        return sorted((event for count, event in ranked if count == best), key=lambda event: event.edge != "")

    @staticmethod
    def _find_value(event: AwaitableEvent, kind: str) -> str:
        """Return the name of the value of a kind that comes with an event; "" if there is none."""
        return next((name for name, sort in event.values if kind in (sort, sort.removesuffix("s"))), "")


def _is_among(word: str, others: Sequence[str]) -> bool:
    """Return True if one of the other words is the word, a form of it or a synonym."""
    return any(matches_word(word, other) for other in others)


def split_event_line(words: Sequence[StreamWord], vocabulary: Vocabulary) -> EventWords | None:
    """Return the words of a line after `when`, split into event and condition; None if the condition is not understood.

    A condition follows a word such as `if` or `and`, or else it is a comparison, from the name that is compared. A name
    and a number beside each other are compared, and the name may be that of the event, too, as it is where all words
    are a comparison. What something `is` belongs to the event if it is no value.
    """
    end, start = _find_condition(words)
    event = [word.text for word in words[:end]]
    tail = words[start:]
    if len(tail) == 2 and tail[1].kinds == ("NUMBER",):
        return EventWords([*event, tail[0].text], f"{tail[0].text} = {tail[1].text}", vocabulary)
    if len(tail) == 3 and tail[1].text == "is" and not _is_value(tail[2].text, vocabulary):  # `a tower is built`
        return EventWords([*event, tail[0].text, tail[2].text], "", vocabulary)
    condition = read_condition(tail, vocabulary) if tail else ""
    return None if condition is None else EventWords(event or [word.text for word in tail[:1]], condition, vocabulary)


def _is_value(word: str, vocabulary: Vocabulary) -> bool:
    """Return True for a word of the language or a name, but not that of a moment."""
    return vocabulary.knows(word) and not vocabulary.declared.has_sort(word, ["moment"])


def _find_condition(words: Sequence[StreamWord]) -> tuple[int, int]:
    """Return the index behind the words for the event, and the index at which their condition begins."""
    for index, word in enumerate(words):
        if word.text in CONDITION_JOINERS and index:
            return index, index + 1
    for index, (first, second) in enumerate(pairwise(words)):
        is_name = "NAME" in first.kinds and first.text not in kinds_by_word()
        if is_name and (second.text in COMPARISONS or second.kinds == ("NUMBER",)):
            return index, index
    return len(words), len(words)
