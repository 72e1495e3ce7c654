"""What people write instead: error productions over the words of a line, with gaps that hold what the grammar says.

Each stands in `grammar/habits.yaml`: how it is written, how the language says it, and why. A gap is filled only by
words that can be read as what it is (a step, a condition, an amount ...), so a line fits only if every word of it is
accounted for. What is written in its place is put together from the words of the gaps, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any, TypeGuard

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import Stack, beginning, terminals
from edict.compiler.syntax.constructs import blanks_filled
from edict.compiler.syntax.grammar_tables import grammar_table
from edict.compiler.syntax.nouns import plurals
from edict.compiler.syntax.unreadable.repair import Mistaken
from edict.compiler.syntax.unreadable.stream import Word, line_words, shift
from edict.compiler.syntax.unreadable.vocabulary import Vocabulary
from edict.support.morphology import add_indefinite_article
from edict.support.text import count_indent

MOST_WORDS = 40  # of a line that is compared
_ELEMENT = re.compile(
    r"\{(?:(?P<name>\w+):)?(?P<type>[\w-]+)\}|\((?P<some>[^()]*\|[^()]*)\)|\\(?P<sign>[\[\](){}])"
    r"|(?P<open>\[)|(?P<close>\])|(?P<word>[^\s\[\]{}]+)"
)
_FILL = re.compile(r"\{(\w+)(?::(\w+))?\}")
_SOFT = ("case", "sign", "number", "said", "called", "joined")  # ways in which the words of a gap may be put right


@dataclass(frozen=True, slots=True)
class Literal:
    """Any of these words; an empty one, if it may be missing."""

    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class WordChoice:
    """Any of these, of which one is several words."""

    some: tuple[tuple[Literal, ...], ...]


@dataclass(frozen=True, slots=True)
class Slot:
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Maybe:
    inner: Pattern


Element = Literal | WordChoice | Slot | Maybe
Pattern = tuple[Element, ...]


@dataclass(frozen=True)
class Habit:
    """An entry of the list. at: where it may stand (step, value, line, or predicate: what is said of somebody, in a
    gap of that name); exact: what is written means just the same."""

    code: str
    title: str
    why: str
    help: str
    at: str
    exact: bool
    ways: tuple[tuple[Pattern, str], ...]
    examples: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class Met:
    """A habit in a line: the words it takes up, and what is to be written in their place (nothing, if nobody knows)."""

    habit: Habit
    start: int
    end: int
    text: str
    filled: Mapping[str, str] = field(default_factory=dict)
    by_word: bool = False  # the way has a word of its own that is there

    @property
    def help(self) -> str:
        """The remedy in words, with what was written in the gaps."""
        return _FILL.sub(lambda m: self.filled.get(m[0], self.filled.get(m[1], "…")), self.habit.help)


def met(mistake: Mistaken, vocabulary: Vocabulary) -> Iterator[Met]:
    """The habits in the line of a mistake, in the order of the list."""
    line = mistake.line
    if not 0 < len(line) <= MOST_WORDS:
        return
    reading = _Line(mistake.words[line.start : line.stop], vocabulary)
    at = min(max(mistake.at - line.start, 0), len(line))
    stacks = mistake.stacks[line.start : line.start + at + 1]
    for habit, pattern, write in _fitting("", reading.texts):
        if habit.at == "predicate":
            continue
        for start, ends in _places(habit.at, stacks, at, len(line)):
            for end in ends:
                for filled in islice(reading.match(pattern, start, end), MOST_WAYS):
                    text = _written(write, filled, vocabulary)
                    derived = _derived(habit.help, filled, vocabulary) if not write else {}
                    if text is not None and derived is not None and end >= at:
                        known = {**filled, **derived}
                        yield Met(habit, line.start + start, line.start + end, text, known, _has_word(pattern))


def _derived(help: str, filled: Mapping[str, str], vocabulary: Vocabulary) -> dict[str, str] | None:
    """Return what a remedy in words derives from what was written, by its gaps; None if it does not fit."""
    found: dict[str, str] = {}
    for gap in _FILL.finditer(help):
        if gap[2] and gap[1] in filled:
            value = _filled(gap[1], gap[2], filled, vocabulary)
            if value is None:
                return None
            found[gap[0]] = value
    return found


def parts_of(words: Sequence[Word], vocabulary: Vocabulary) -> list[tuple[str, str]]:
    """What can be understood of a sentence: the longest step in it, and its moments, each as the language says it."""
    line = _Line(words, vocabulary)
    found: list[tuple[str, str]] = []
    n = len(words)
    for length in range(min(n, 12), 1, -1):
        step = next((text for i in range(n - length + 1) if (text := line.plain("step", i, i + length))), None)
        if step is not None:
            found.append(("step", step))
            break
    for i in range(n):
        phase = line._as("phase", i, i + 1)
        if phase is not None:
            edge = "end" if {"end", "ends", "over", "after"} & set(line.low) else "start"
            found.append(("phase", f"{edge} of {phase}"))
            break
    return found


def _fitting(at: str, texts: frozenset[str]) -> Iterator[tuple[Habit, Pattern, str]]:
    """The ways of the habits that stand there, or anywhere, if all the words are there that they cannot do without."""
    for way, wanted in _ways(at):
        if not any(words.isdisjoint(texts) for words in wanted):
            yield way


@cache
def _ways(at: str) -> tuple[tuple[tuple[Habit, Pattern, str], tuple[frozenset[str], ...]], ...]:
    """The ways of these habits in the order of the list, and the words of which each wants one."""
    return tuple(
        ((habit, pattern, write), tuple(one.words for one in pattern if _is_wanted(one)))
        for habit in habits()
        if at in ("", habit.at)
        for pattern, write in habit.ways
    )


def _has_word(pattern: Pattern) -> bool:
    """Whether a pattern cannot do without some word of its own."""
    return any(isinstance(element, WordChoice) or _is_wanted(element) for element in pattern)


def _is_wanted(element: Element) -> TypeGuard[Literal]:
    """Whether it is a word that cannot be missing."""
    return isinstance(element, Literal) and "" not in element.words


def _places(at: str, stacks: Sequence[Stack], mistake: int, length: int) -> Iterator[tuple[int, range]]:
    """Where a habit of this sort may begin, and where it may end: behind the mistake."""
    whole = range(length, length + 1)
    if at == "line":
        yield 0, whole
        return
    kind = terminals()["gain"] if at == "step" else "LPAR"
    for start, stack in enumerate(stacks[: mistake + 1]):
        if at == "step" and start == 0 or stack.after(kind) is not None:
            yield start, whole if at == "step" else range(length, max(start, min(mistake, length - 1)), -1)


class _Line:
    """The words of a line, and what stretches of them can be read as."""

    def __init__(self, words: Sequence[Word], vocabulary: Vocabulary) -> None:
        self.words, self.vocabulary = words, vocabulary
        self.low = [word.text.casefold() for word in words]
        self.texts = frozenset(self.low)
        self._read: dict[tuple[str, int, int, int], str | None] = {}
        self._within = 0

    def match(self, pattern: Pattern, start: int, end: int) -> Iterator[dict[str, str]]:
        """What fills the gaps of a pattern that fits from one word to another."""
        return self._from(pattern, start, end, {})

    def _from(self, pattern: Pattern, at: int, end: int, filled: dict[str, str]) -> Iterator[dict[str, str]]:
        if not pattern:
            if all(word in _CLOSING for word in self.low[at:end]):
                yield filled
            return
        first, rest = pattern[0], pattern[1:]
        here = self.low[at] if at < end else None
        if here in _SKIPPED and not (isinstance(first, Literal) and here in first.words):
            yield from self._from(pattern, at + 1, end, filled)
        if isinstance(first, Maybe):
            yield from self._from((*first.inner, *rest), at, end, filled)
            yield from self._from(rest, at, end, filled)
        elif isinstance(first, WordChoice):
            for some in first.some:
                yield from self._from((*some, *rest), at, end, filled)
        elif isinstance(first, Literal):
            if here in first.words:
                yield from self._from(rest, at + 1, end, filled)
            if "" in first.words:
                yield from self._from(rest, at, end, filled)
        else:
            for stop in range(end, at, -1):
                text = self._as(first.type, at, stop)
                if text is not None and filled.get(first.name, text) == text:
                    yield from self._from(rest, stop, end, {**filled, first.name: text})

    def plain(self, type_: str, start: int, end: int) -> str | None:
        """The text of a stretch as the grammar reads it, without any habit; only of words that mean something."""
        if not all(self.vocabulary.knows(word.text) for word in self.words[start:end]):
            return None
        before, behind = _contexts()[type_]
        return self._readable(before, self.words[start:end], behind)

    def _as(self, type_: str, start: int, end: int) -> str | None:
        key = (type_, start, end, self._within)
        if key not in self._read:
            self._read[key] = self._understood(type_, start, end)
        return self._read[key]

    def _understood(self, type_: str, start: int, end: int) -> str | None:
        """The text of a stretch as what the type says; None, if it is no such thing."""
        words = self.words[start:end]
        if type_ == "any":
            return _joined([word.text for word in words])
        if type_ == "new":
            return words[0].text if len(words) == 1 and "NAME" in words[0].kinds else None
        if type_ == "number":
            number = self.vocabulary.number(words[0].text) if len(words) == 1 else ""
            return number or None
        if type_ == "text":
            return words[0].text if len(words) == 1 and words[0].kinds == ("STRING",) else None
        if type_ == "prose":
            plain = all(word.is_word or word.text.isdecimal() for word in words) and words[0].text[:1].isupper()
            return '"' + " ".join(word.text for word in words) + '"' if plain else None
        if type_ in _contexts():
            before, behind = _contexts()[type_]
            if type_ == "who" and not all(self.vocabulary.knows(word.text) for word in words):
                return None  # a word without meaning is nobody
            return self._readable(before, words, behind) or self._said(type_, start, end)
        if type_ == "predicate":
            return self._said(type_, start, end)
        return self._named(type_, words)

    def _said(self, type_: str, start: int, end: int) -> str | None:
        """The same, if it is said as people say it: by another habit, whole, or two joined by `and` or `or`."""
        at = _HABITS_OF.get(type_)
        if at is None or self._within == MOST_WITHIN:
            return None
        self._within += 1
        texts = frozenset(self.low[start:end])
        found = next(self._by_habits(at, start, end, texts), None)
        if found is None and type_ == "condition":
            found = self._joined_by_and(start, end)
        self._within -= 1
        return found

    def _by_habits(self, at: str, start: int, end: int, texts: frozenset[str]) -> Iterator[str]:
        for _, pattern, write in _fitting(at, texts):
            for filled in islice(self.match(pattern, start, end), MOST_WAYS) if write else ():
                text = _written(write, filled, self.vocabulary)
                if text is not None:
                    yield text

    def _joined_by_and(self, start: int, end: int) -> str | None:
        for i in range(start + 1, end - 1):
            if self.low[i] in ("and", "or"):
                first, second = self._as("condition", start, i), self._as("condition", i + 1, end)
                if first is not None and second is not None:
                    return f"{first} {self.low[i]} {second}"
        return None

    def _named(self, sort: str, words: Sequence[Word]) -> str | None:
        """The name that is meant by some words, if it is of a sort: of a definition, `field`, `effect` or `thing`."""
        if not all(word.is_word or word.text.isdecimal() for word in words):
            return None
        text = "-".join(word.text for word in words)
        declared = self.vocabulary.declared
        if sort in ("field", "effect"):
            low = text.casefold()
            return low if low in (declared.fields if sort == "field" else declared.effects("")) else None
        if sort == "kind" and len(words) == 1 and words[0].text.casefold() in ("player", "players"):
            return "player"
        found = declared.meant_of_sorts(text, [sort]) or declared.meant_of_sorts(text.casefold(), [sort])
        return found or None

    def _readable(self, before: Stack, words: Sequence[Word], behind: tuple[str, ...]) -> str | None:
        """The words as they can be read after `before`, each put right if it must be; None if they cannot be."""
        stack: Stack | None = before
        texts: list[str] = []
        i = 0
        while i < len(words):
            assert stack is not None
            stack, text, i = self._next(stack, words, i)
            if stack is None:
                return None
            texts += [text] if text else []
        return _joined(texts) if stack is not None and stack.reads(behind) is not None else None

    def _next(self, stack: Stack, words: Sequence[Word], i: int) -> tuple[Stack | None, str, int]:
        word, vocabulary = words[i], self.vocabulary
        after = shift(stack, word)
        as_name = vocabulary.only_as_name(word, stack)
        if after is not None and vocabulary.knows(word.text) and not as_name:
            return after, word.text, i + 1
        for end, name in vocabulary.names_from(words, i):
            if (joined := stack.after("NAME")) is not None:
                return joined, name, end
        for stand in vocabulary.stands(word.text):
            soft = stand.how == "number" if as_name and after is not None else stand.how in _SOFT
            if soft and (other := stack.after(stand.kind)) is not None:
                return other, stand.text, i + 1
        if after is None and word.text.casefold() in _SKIPPED:
            return stack, "", i + 1
        return (None if as_name else after), word.text, i + 1


_SKIPPED = frozenset(("the",))
_CLOSING = frozenset((".", "!", ";"))
_HABITS_OF = {"condition": "value", "value": "value", "step": "step", "predicate": "predicate", "who": "value"}
MOST_WITHIN = 3  # habits within one another
MOST_WAYS = 3  # in which a pattern may fit


@cache
def _contexts() -> dict[str, tuple[Stack, tuple[str, ...]]]:
    """For what the grammar knows: the parser before it, and what must be able to follow."""
    inner = beginning().reads(["PHASE", "NAME", "_NL", "_INDENT"])
    assert inner is not None

    def after(*words: str) -> Stack:
        stack = inner.reads(terminals()[word] for word in words)
        assert stack is not None
        return stack

    line = ("_NL", "_DEDENT")
    kept = beginning().reads([terminals()["keep"], "NAME", terminals()["as"]])
    assert kept is not None
    return {
        "step": (inner, line),
        "head": (inner, ("_NL", "_INDENT")),
        "condition": (after("if"), ("_NL",)),
        "value": (after("repeat"), (terminals()["times"],)),
        "primary": (after("repeat", "count", "of"), (terminals()["times"],)),
        "amounts": (after("gain"), ("_NL",)),
        "cost": (after("lose"), ("_NL",)),
        "who": (after("for"), ("_NL",)),
        "top": (beginning(), ("_NL",)),
        "type": (kept, ("_NL",)),
    }


def _joined(texts: Sequence[str]) -> str:
    """Words as they are written in a line."""
    line = " ".join(texts)
    return re.sub(r"(?<=\() | (?=[,):])| (?=\.)|(?<=\.) |(?<=^-) (?=\d)", "", line)


# --- what is written in its place ------------------------------------------------------------------


def _written(write: str, filled: Mapping[str, str], vocabulary: Vocabulary) -> str | None:
    """The lines with the gaps filled; nothing if there is nothing to be written to the letter; None if a gap cannot
    be filled, and so the habit is not this one."""
    if not write:
        return ""
    write = blanks_filled(write, vocabulary.declared)
    parts: list[str] = []
    last = 0
    for gap in _FILL.finditer(write):
        value = _filled(gap[1], gap[2] or "", filled, vocabulary)
        if value is None:
            return None
        lead = count_indent(write[: gap.start()].rpartition("\n")[2])
        parts += [write[last : gap.start()], value.replace("\n", "\n" + " " * lead)]
        last = gap.end()
    return "".join([*parts, write[last:]])


def _filled(name: str, how: str, filled: Mapping[str, str], vocabulary: Vocabulary) -> str | None:
    text = filled.get(name)
    if text is None:
        return None
    if how == "atom":
        return text if _is_primary(text) else f"({text})"
    if how in ("you", "it"):
        return text.replace("@", how)
    if how == "of":
        return text.replace("@", filled.get("who", "you"))
    if how == "owned":
        held = vocabulary.held(text)
        return held.replace("@", "you") if held else None
    if how == "held":
        return vocabulary.held(text)
    if how == "kind":
        return vocabulary.declared.sort(text) or None
    if how in ("whole", "item", "items"):
        return _of_each_resource(text, filled.get("thing", ""), vocabulary).get(how)
    if how == "article":
        return add_indefinite_article(text)
    return text


def _of_each_resource(quantity: str, thing: str, vocabulary: Vocabulary) -> dict[str, str]:
    """Return the conditions for one resource (`item`) and for each (`items`) of a quantity that is so much of each.

    `whole`, which is nothing, is there for any other quantity; nothing is for one that is not asked about such a thing.
    """
    definitions = vocabulary.declared.definitions
    params: Sequence[t.Param] = getattr(definitions.get(quantity), "params", ())
    if vocabulary.declared.sort(thing) not in [param.kind.word for param in params]:
        return {}
    for param in params:
        group = definitions.get(param.kind.word)
        if isinstance(group, t.Group) and len(group.members) > 1:
            name = param.name.word
            each = f"{name} is in {plurals(group.name.word)[-1]}"
            return {"item": f"{name} is {group.members[0].word}", "items": each}
    return {"whole": ""}


def _is_primary(text: str) -> bool:
    stack, behind = _contexts()["primary"]
    after: Stack | None = stack
    for word in line_words(text):
        after = shift(after, word) if after is not None else None
    return after is not None and after.reads(behind) is not None


# --- the list --------------------------------------------------------------------------------------


@cache
def habits() -> tuple[Habit, ...]:
    """Every habit of the list."""
    return tuple(_habit(habit) for habit in grammar_table("habits", "habits.yaml"))


def _habit(entry: Mapping[str, Any]) -> Habit:
    ways = [line.partition(" => ") for line in entry["ways"].splitlines()]
    return Habit(
        entry["code"],
        entry["title"],
        entry.get("why", ""),
        entry.get("help", ""),
        entry.get("at", "step"),
        bool(entry.get("exact", False)),
        tuple((_pattern(said), write.replace("\\n", "\n")) for said, _, write in ways),
        tuple(entry["examples"]),
    )


def _pattern(text: str) -> Pattern:
    stack: list[list[Element]] = [[]]
    for element in _ELEMENT.finditer(text):
        if element["open"]:
            stack.append([])
        elif element["close"]:
            inner = stack.pop()
            stack[-1].append(Maybe(tuple(inner)))
        elif element["type"]:
            stack[-1].append(Slot(element["name"] or element["type"], element["type"]))
        elif element["some"] and " " in element["some"]:
            some = (each.split() for each in element["some"].split("|"))
            stack[-1].append(WordChoice(tuple(tuple(Literal(frozenset((word,))) for word in each) for each in some)))
        else:
            stack[-1].append(Literal(frozenset((element["some"] or element["sign"] or element["word"]).split("|"))))
    return tuple(stack[0])


__all__ = ["Habit", "Met", "habits", "met"]
