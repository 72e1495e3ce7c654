"""Habits from other languages and from English, recognized as error productions over the words of a line.

Each is an entry of `grammar/habits.yaml` with its patterns, the replacement and the reason. A slot is filled only by
words that can be read as its type (a step, a condition, an amount and others), so a line matches only if every word of
it is accounted for. The replacement is composed of the words of the slots and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from itertools import islice
from typing import Any, TypeGuard

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import ParserStack, initial_stack, kinds_by_word
from edict.compiler.syntax.constructs import fill_blanks
from edict.compiler.syntax.grammar_tables import load_grammar_table
from edict.compiler.syntax.nouns import list_inflected_forms
from edict.compiler.syntax.syntax_errors.repair import ParseMistake
from edict.compiler.syntax.syntax_errors.vocabulary import Vocabulary
from edict.compiler.syntax.syntax_errors.word_stream import StreamWord, iter_line_words, shift_word
from edict.support.morphology import add_indefinite_article, parse_ordinal
from edict.support.records import dataclass
from edict.support.text import count_indent

MOST_WORDS = 40  # words of a line that is compared
# an element of a pattern
_ELEMENT = re.compile(
    r"\{(?:(?P<name>\w+):)?(?P<type>[\w-]+)\}|\((?P<some>[^()]*\|[^()]*)\)|\\(?P<sign>[\[\](){}])"
    r"|(?P<open>\[)|(?P<close>\])|(?P<word>[^\s\[\]{}]+)"
)
_GAP = re.compile(r"\{(\w+)(?::(\w+))?\}")
# kinds of changes by which words in a slot may be corrected
_SAFE_CHANGES = ("case", "sign", "number", "said", "called", "joined")
_CERTAIN_CHANGES = ("case", "sign", "number", "called", "joined")


@dataclass(frozen=True, slots=True)
class LiteralElement:
    """One of several words, or nothing if "" is among them."""

    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class PhraseChoice:
    """One of several alternatives, at least one of several words."""

    some: tuple[tuple[LiteralElement, ...], ...]


@dataclass(frozen=True, slots=True)
class TypedSlot:
    """A slot for words of a type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class OptionalElement:
    """An optional part of a pattern."""

    inner: HabitPattern


PatternElement = LiteralElement | PhraseChoice | TypedSlot | OptionalElement
HabitPattern = tuple[PatternElement, ...]


@dataclass(frozen=True)
class Habit:
    """An entry of the list."""

    code: str
    title: str
    why: str
    help: str
    at: str  # where it may stand: step, value, line, or predicate (in a slot of that name)
    exact: bool  # the replacement means exactly the same
    ways: tuple[tuple[HabitPattern, str], ...]  # patterns with their replacements
    asks: bool = False  # if several replacements work, the author is asked which is meant
    shown: bool = False  # the replacement is shown and not offered as an edit, and not read inside of others
    examples: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class HabitMatch:
    """A habit found in a line."""

    habit: Habit
    start: int  # index of its first word
    end: int  # index behind its last word
    text: str  # the replacement; empty if unknown
    filled: Mapping[str, str] = field(default_factory=dict)  # contents of the slots
    by_word: bool = False  # the pattern has a required word of its own

    @property
    def help(self) -> str:
        """The remedy in words, with the contents of the slots."""
        return _GAP.sub(lambda match: self.filled.get(match[0], self.filled.get(match[1], "…")), self.habit.help)


def find_habits(mistake: ParseMistake, vocabulary: Vocabulary) -> Iterator[HabitMatch]:
    """Yield the habits in the line of a mistake, in the order of the list."""
    line = mistake.line
    if not 0 < len(line) <= MOST_WORDS:
        return
    reader = _LineReader(mistake.words[line.start : line.stop], vocabulary)
    index = min(max(mistake.at - line.start, 0), len(line))
    stacks = mistake.stacks[line.start : line.start + index + 1]
    for habit, pattern, write in _iter_candidates("", reader.texts):
        if habit.at == "predicate":
            continue
        by_word = _has_required_word(pattern)
        for start, end in _iter_stretches(habit.at, stacks, index, len(line)):
            for filled in islice(reader.match(pattern, start, end), MOST_MATCHES):
                text = _fill_replacement(write, filled, vocabulary)
                derived = _derive_gaps(habit.help, filled, vocabulary) if not write else {}
                if text is not None and derived is not None and end >= index:
                    known = {**filled, **derived}
                    yield HabitMatch(habit, line.start + start, line.start + end, text, known, by_word)


def _derive_gaps(help: str, filled: Mapping[str, str], vocabulary: Vocabulary) -> dict[str, str] | None:
    """Return the contents of gaps in a remedy that are derived from slots, or None if one cannot be."""
    derived: dict[str, str] = {}
    for gap in _GAP.finditer(help):
        if gap[2] and gap[1] in filled:
            value = _fill_gap(gap[1], gap[2], filled, vocabulary)
            if value is None:
                return None
            derived[gap[0]] = value
    return derived


def read_condition(words: Sequence[StreamWord], vocabulary: Vocabulary) -> str | None:
    """Return the condition that some words are, in the language's own form, or None."""
    return _LineReader(words, vocabulary)._read_as("condition", 0, len(words))


def find_understood_parts(words: Sequence[StreamWord], vocabulary: Vocabulary) -> list[tuple[str, str]]:
    """Return what is understood of a sentence (its longest step and its phase), in the language's own form."""
    line = _LineReader(words, vocabulary)
    parts: list[tuple[str, str]] = []
    count = len(words)
    for length in range(min(count, 12), 1, -1):
        step = next(
            (text for start in range(count - length + 1) if (text := line.read_plain("step", start, start + length))),
            None,
        )
        if step is not None:
            parts.append(("step", step))
            break
    for start in range(count):
        phase = line._read_as("phase", start, start + 1)
        if phase is not None:
            edge = "end" if {"end", "ends", "over", "after"} & set(line.lowered) else "start"
            parts.append(("phase", f"{edge} of {phase}"))
            break
    return parts


def _iter_candidates(place: str, texts: frozenset[str]) -> Iterator[tuple[Habit, HabitPattern, str]]:
    """Yield the habits for a place ("" for any) whose required words all occur, with pattern and replacement."""
    for candidate, required in _list_candidates(place):
        if not any(words.isdisjoint(texts) for words in required):
            yield candidate


@cache
def _list_candidates(place: str) -> tuple[tuple[tuple[Habit, HabitPattern, str], tuple[frozenset[str], ...]], ...]:
    """Return the habits for a place with patterns and replacements, and the sets of words of which each needs one."""
    return tuple(
        ((habit, pattern, write), tuple(element.words for element in pattern if _is_required_word(element)))
        for habit in load_habits()
        if place in ("", habit.at)
        for pattern, write in habit.ways
    )


def _has_required_word(pattern: HabitPattern) -> bool:
    """Return True if a pattern cannot match without a certain word or phrase, so that slots alone do not match."""
    return any(isinstance(element, PhraseChoice) or _is_required_word(element) for element in pattern)


def _is_required_word(element: PatternElement) -> TypeGuard[LiteralElement]:
    """Return True if an element matches one of several words and cannot be left out."""
    return isinstance(element, LiteralElement) and "" not in element.words


def _iter_stretches(place: str, stacks: Sequence[ParserStack], mistake: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield the possible starts and ends of a habit; it must reach the mistake."""
    if place == "line":
        yield 0, length
        return
    kind = kinds_by_word()["gain"] if place == "step" else "LPAR"
    for start, stack in enumerate(stacks[: mistake + 1]):
        if place == "step" and start == 0 or stack.advance(kind) is not None:
            first_end = length - 1 if place == "step" else max(start, min(mistake, length - 1))
            yield from ((start, end) for end in range(length, first_end, -1))


class _LineReader:
    """Reads stretches of a line as types of slots, and caches the results."""

    def __init__(self, words: Sequence[StreamWord], vocabulary: Vocabulary) -> None:
        self.words, self.vocabulary = words, vocabulary
        self.lowered = [word.text.casefold() for word in words]
        self.texts = frozenset(self.lowered)
        self._read: dict[tuple[str, int, int, int], str | None] = {}
        self._nesting = 0

    def match(self, pattern: HabitPattern, start: int, end: int) -> Iterator[dict[str, str]]:
        """Yield the contents of slots for each way in which a pattern matches from one word to another."""
        return self._match_rest(pattern, start, end, {})

    def _match_rest(
        self, pattern: HabitPattern, start: int, end: int, filled: dict[str, str]
    ) -> Iterator[dict[str, str]]:
        """Yield the slots filled in each way that the rest of a pattern matches the words from `start` to `end`."""
        if not pattern:
            if all(word in _FINAL_SIGNS for word in self.lowered[start:end]):
                yield filled
            return
        first, rest = pattern[0], pattern[1:]
        word_here = self.lowered[start] if start < end else None
        if word_here in _ARTICLES and not (isinstance(first, LiteralElement) and word_here in first.words):
            yield from self._match_rest(pattern, start + 1, end, filled)
        if isinstance(first, OptionalElement):
            yield from self._match_rest((*first.inner, *rest), start, end, filled)
            yield from self._match_rest(rest, start, end, filled)
        elif isinstance(first, PhraseChoice):
            for alternative in first.some:
                yield from self._match_rest((*alternative, *rest), start, end, filled)
        elif isinstance(first, LiteralElement):
            if word_here in first.words:
                yield from self._match_rest(rest, start + 1, end, filled)
            if "" in first.words:
                yield from self._match_rest(rest, start, end, filled)
        else:
            for stop in range(end, start, -1):
                text = self._read_as(first.type, start, stop)
                if text is not None and filled.get(first.name, text) == text:
                    yield from self._match_rest(rest, stop, end, {**filled, first.name: text})

    def read_plain(self, slot_type: str, start: int, end: int) -> str | None:
        """Return the text of a stretch that the grammar accepts as a type, if all its words are known, else None."""
        if not all(self.vocabulary.knows(word.text) for word in self.words[start:end]):
            return None
        stack_before, kinds_behind = _contexts()[slot_type]
        return self._read_after(stack_before, self.words[start:end], kinds_behind)

    def _read_as(self, slot_type: str, start: int, end: int) -> str | None:
        """Return the text of a stretch read as a slot type, else None; cached by stretch and depth of nesting."""
        key = (slot_type, start, end, self._nesting)
        if key not in self._read:
            self._read[key] = self._read_without_cache(slot_type, start, end)
        return self._read[key]

    def _read_without_cache(self, slot_type: str, start: int, end: int) -> str | None:
        """Return the text of a stretch that can be read as a type, else None."""
        words = self.words[start:end]
        if slot_type == "any":
            return _join_words([word.text for word in words])
        if slot_type == "new":
            if len(words) == 1 and "NAME" in words[0].kinds:
                return words[0].text
            return None
        if slot_type == "number":
            number = self.vocabulary.to_digits(words[0].text) if len(words) == 1 else ""
            return number or None
        if slot_type == "ordinal":
            ordinal = parse_ordinal(words[0].text) if len(words) == 1 else None
            return None if ordinal is None else str(ordinal)
        if slot_type == "text":
            if len(words) == 1 and words[0].kinds == ("STRING",):
                return words[0].text
            return None
        if slot_type == "prose":
            is_prose = all(word.is_word or word.text.isdecimal() for word in words) and words[0].text[:1].isupper()
            if is_prose:
                return '"' + " ".join(word.text for word in words) + '"'
            return None
        if slot_type in _contexts():
            stack_before, kinds_behind = _contexts()[slot_type]
            if slot_type == "who" and not all(self.vocabulary.knows(word.text) for word in words):
                return None  # an unknown word is no player
            # what the words mean together comes before what each of them may be said for
            return (
                self._read_after(stack_before, words, kinds_behind, _CERTAIN_CHANGES)
                or self._read_by_habits(slot_type, start, end)
                or self._read_after(stack_before, words, kinds_behind)
            )
        if slot_type == "predicate":
            return self._read_by_habits(slot_type, start, end)
        return self._read_name(slot_type, words)

    def _read_by_habits(self, slot_type: str, start: int, end: int) -> str | None:
        """Return the replacement if a stretch is a habit as a whole, or two conditions joined by `and` or `or`."""
        place = _PLACES_BY_TYPE.get(slot_type)
        if place is None or self._nesting == MOST_NESTED_HABITS:
            return None
        self._nesting += 1
        texts = frozenset(self.lowered[start:end])
        result = next(self._iter_replacements(place, start, end, texts), None)
        if result is None and slot_type == "condition":
            result = self._read_conjunction(start, end)
        self._nesting -= 1
        return result

    def _iter_replacements(self, place: str, start: int, end: int, texts: frozenset[str]) -> Iterator[str]:
        """Yield the replacements of the habits for `place` that match the whole stretch."""
        for habit, pattern, write in _iter_candidates(place, texts):
            for filled in islice(self.match(pattern, start, end), MOST_MATCHES) if write and not habit.shown else ():
                text = _fill_replacement(write, filled, self.vocabulary)
                if text is not None:
                    yield text

    def _read_conjunction(self, start: int, end: int) -> str | None:
        """Return two conditions joined by the first fitting `and` or `or`, as text; None if none splits the stretch."""
        for middle in range(start + 1, end - 1):
            if self.lowered[middle] in ("and", "or"):
                first, second = self._read_as("condition", start, middle), self._read_as("condition", middle + 1, end)
                if first is not None and second is not None:
                    return f"{first} {self.lowered[middle]} {second}"
        return None

    def _read_name(self, sort: str, words: Sequence[StreamWord]) -> str | None:
        """Return the declared name of a sort that some words mean, or None. Sorts include field, effect and thing."""
        if not all(word.is_word or word.text.isdecimal() for word in words):
            return None
        text = "-".join(word.text for word in words)
        declared = self.vocabulary.declared
        if sort in ("field", "effect"):
            lowered = text.casefold()
            if lowered in (declared.field_names if sort == "field" else declared.list_effect_fields("")):
                return lowered
            return None
        if sort == "kind" and len(words) == 1 and words[0].text.casefold() in ("player", "players"):
            return "player"
        name = declared.resolve_word_of_sorts(text, [sort]) or declared.resolve_word_of_sorts(text.casefold(), [sort])
        return name or None

    def _read_after(
        self,
        stack_before: ParserStack,
        words: Sequence[StreamWord],
        kinds_behind: tuple[str, ...],
        changes: Sequence[str] = _SAFE_CHANGES,
    ) -> str | None:
        """Return the text of words that can be read after a parser stack, with corrections of some kinds, or None."""
        stack: ParserStack | None = stack_before
        texts: list[str] = []
        index = 0
        while index < len(words):
            assert stack is not None
            stack, text, index = self._read_word(stack, words, index, changes)
            if stack is None:
                return None
            texts += [text] if text else []
        if stack is not None and stack.advance_all(kinds_behind) is not None:
            return _join_words(texts)
        return None

    def _read_word(
        self, stack: ParserStack, words: Sequence[StreamWord], index: int, changes: Sequence[str]
    ) -> tuple[ParserStack | None, str, int]:
        """Return the stack after the word at `index`, its text with safe corrections, and the next word's index."""
        word, vocabulary = words[index], self.vocabulary
        after = shift_word(stack, word)
        as_name = vocabulary.is_undeclared_name(word, stack)
        if after is not None and vocabulary.knows(word.text) and not as_name:
            return after, word.text, index + 1
        for end, name in vocabulary.iter_joined_names(words, index):
            if (after_name := stack.advance("NAME")) is not None:
                return after_name, name, end
        for substitution in vocabulary.list_substitutions(word.text):
            if as_name and after is not None:
                is_safe = substitution.how == "number"
            else:
                is_safe = substitution.how in changes
            if is_safe and (after_change := stack.advance(substitution.kind)) is not None:
                return after_change, substitution.text, index + 1
        if after is None and word.text.casefold() in _ARTICLES:
            return stack, "", index + 1
        return (None if as_name else after), word.text, index + 1


_ARTICLES = frozenset(("the",))
_FINAL_SIGNS = frozenset((".", "!", ";"))
_PLACES_BY_TYPE = {"condition": "value", "value": "value", "step": "step", "predicate": "predicate", "who": "value"}
MOST_NESTED_HABITS = 3  # nesting levels of habits
MOST_MATCHES = 3  # matches of a pattern that are tried


@cache
def _contexts() -> dict[str, tuple[ParserStack, tuple[str, ...]]]:
    """Return, for types that the grammar knows, the parser stack before them and the kinds that must follow."""
    step_stack = initial_stack().advance_all(["PHASE", "NAME", "_NL", "_INDENT"])
    assert step_stack is not None

    def stack_after(*words: str) -> ParserStack:
        """Return the parser stack after keywords where a step begins."""
        stack = step_stack.advance_all(kinds_by_word()[word] for word in words)
        assert stack is not None
        return stack

    line_end = ("_NL", "_DEDENT")
    type_stack = initial_stack().advance_all([kinds_by_word()["keep"], "NAME", kinds_by_word()["as"]])
    assert type_stack is not None
    return {
        "step": (step_stack, line_end),
        "head": (step_stack, ("_NL", "_INDENT")),
        "condition": (stack_after("if"), ("_NL",)),
        "value": (stack_after("repeat"), (kinds_by_word()["times"],)),
        "primary": (stack_after("repeat", "count", "of"), (kinds_by_word()["times"],)),
        "amounts": (stack_after("gain"), ("_NL",)),
        "cost": (stack_after("lose"), ("_NL",)),
        "who": (stack_after("for"), ("_NL",)),
        "top": (initial_stack(), ("_NL",)),
        "type": (type_stack, ("_NL",)),
    }


def _join_words(texts: Sequence[str]) -> str:
    """Return words as they are spaced in a line."""
    line = " ".join(texts)
    return re.sub(r"(?<=\() | (?=[,):])| (?=\.)|(?<=\.) |(?<=^-) (?=\d)", "", line)


# --- replacements ----------------------------------------------------------------------------------


def _fill_replacement(template: str, filled: Mapping[str, str], vocabulary: Vocabulary) -> str | None:
    """Return a replacement with its gaps filled, "" if there is none, or None if a gap cannot be filled."""
    if not template:
        return ""
    template = fill_blanks(template, vocabulary.declared)
    parts: list[str] = []
    position = 0
    for gap in _GAP.finditer(template):
        value = _fill_gap(gap[1], gap[2] or "", filled, vocabulary)
        if value is None:
            return None
        margin = count_indent(template[: gap.start()].rpartition("\n")[2])
        parts += [template[position : gap.start()], value.replace("\n", "\n" + " " * margin)]
        position = gap.end()
    return "".join([*parts, template[position:]])


def _fill_gap(name: str, form: str, filled: Mapping[str, str], vocabulary: Vocabulary) -> str | None:
    """Return the text of slot `name` in a form such as `atom` (in parentheses) or `kind`; None if impossible."""
    text = filled.get(name)
    if text is None:
        return None
    if form == "atom":
        return text if _is_primary(text) else f"({text})"
    if form in ("you", "it"):
        return text.replace("@", form)
    if form == "of":
        return text.replace("@", filled.get("who", "you"))
    if form == "owned":
        place = vocabulary.find_player_keep(text)
        return place.replace("@", "you") if place else None
    if form == "held":
        return vocabulary.find_player_keep(text)
    if form == "kind":
        return vocabulary.declared.sort_of(text) or None
    if form in ("whole", "item", "items"):
        return _conditions_per_resource(text, filled.get("thing", ""), vocabulary).get(form)
    if form == "article":
        return add_indefinite_article(text)
    if form == "parameter":
        return _find_group_parameter(filled.get("quantity", ""), text, vocabulary)
    if form == "range":
        return _format_setting_range(vocabulary.declared.definitions.get(text))
    return text


def _conditions_per_resource(quantity: str, thing: str, vocabulary: Vocabulary) -> dict[str, str]:
    """Return conditions for one resource (`item`) and for each (`items`) of a quantity with a resource as parameter.

    For another quantity, `whole` is "" instead. The result is empty for a quantity without a parameter of the thing.
    """
    definitions = vocabulary.declared.definitions
    parameters: Sequence[t.Param] = getattr(definitions.get(quantity), "params", ())
    if vocabulary.declared.sort_of(thing) not in [param.kind.word for param in parameters]:
        return {}
    for param in parameters:
        group = definitions.get(param.kind.word)
        if isinstance(group, t.Group) and len(group.members) > 1:
            name = param.name.word
            condition = f"{name} is in {list_inflected_forms(group.name.word)[-1]}"
            return {"item": f"{name} is {group.members[0].word}", "items": condition}
    return {"whole": ""}


def _find_group_parameter(quantity: str, resource: str, vocabulary: Vocabulary) -> str | None:
    """Return the parameter of a quantity that stands for a group with a resource in it, or None."""
    definitions = vocabulary.declared.definitions
    parameters: Sequence[t.Param] = getattr(definitions.get(quantity), "params", ())
    for param in parameters:
        group = definitions.get(param.kind.word)
        if isinstance(group, t.Group) and resource in [member.word for member in group.members]:
            return param.name.word
    return None


def _format_setting_range(setting: t.Definition | None) -> str:
    """Return ` from LOW to HIGH` for a setting with a range, else ""."""
    if isinstance(setting, t.Setting) and setting.low is not None:
        return f" from {setting.low} to {setting.high}"
    return ""


def _is_primary(text: str) -> bool:
    """Return True if a text can be parsed as an operand without parentheses."""
    stack, behind = _contexts()["primary"]
    after: ParserStack | None = stack
    for word in iter_line_words(text):
        after = shift_word(after, word) if after is not None else None
    return after is not None and after.advance_all(behind) is not None


# --- the list --------------------------------------------------------------------------------------


@cache
def load_habits() -> tuple[Habit, ...]:
    """Return all habits of the list."""
    return tuple(_parse_habit(habit) for habit in load_grammar_table("habits", "habits.yaml"))


def _parse_habit(entry: Mapping[str, Any]) -> Habit:
    """Return the habit of an entry of the list, with its lines `PATTERN => REPLACEMENT` parsed."""
    ways = [line.partition(" => ") for line in entry["ways"].splitlines()]
    return Habit(
        entry["code"],
        entry["title"],
        entry.get("why", ""),
        entry.get("help", ""),
        entry.get("at", "step"),
        bool(entry.get("exact", False)),
        tuple((_parse_pattern(pattern), write.replace("\\n", "\n")) for pattern, _, write in ways),
        bool(entry.get("asks", False)),
        bool(entry.get("shown", False)),
        tuple(entry["examples"]),
    )


def _parse_pattern(text: str) -> HabitPattern:
    """Parse a habit's pattern into words (`a|b`), phrases, typed slots and optional parts."""
    stack: list[list[PatternElement]] = [[]]
    for element in _ELEMENT.finditer(text):
        if element["open"]:
            stack.append([])
        elif element["close"]:
            inner = stack.pop()
            stack[-1].append(OptionalElement(tuple(inner)))
        elif element["type"]:
            stack[-1].append(TypedSlot(element["name"] or element["type"], element["type"]))
        elif element["some"] and " " in element["some"]:
            alternatives = (alternative.split() for alternative in element["some"].split("|"))
            stack[-1].append(
                PhraseChoice(
                    tuple(
                        tuple(LiteralElement(frozenset((word,))) for word in alternative)
                        for alternative in alternatives
                    )
                )
            )
        else:
            stack[-1].append(
                LiteralElement(frozenset((element["some"] or element["sign"] or element["word"]).split("|")))
            )
    return tuple(stack[0])
