"""The sentences of one game in one language, by their English.

A sentence is looked up whole. Keys may have slots: `Gain {number} VP.` matches any number, `Which {title} do you
gain?` any title, and other slots any text that is in the book itself. Sentences that the compiler makes of any rules
are patterns with such slots; longer sentences are translated one by one, in `words/LANGUAGE.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property, lru_cache

from edict.support.morphology import split_title
from edict.support.records import dataclass
from edict.support.translations import N_, find_message
from edict.support.translations.texts import SLOT, Text, can_inflect, capitalize_text, fill_slots, map_text, parse_title

RULE_PATTERNS = (
    # questions
    N_("Yes"),
    N_("No"),
    N_("No more"),
    N_("Choose one"),
    N_("Which die?"),
    N_("With which dice?"),
    N_("Which of these applies?"),
    N_("What do you use?"),
    N_("What do you gain?"),
    N_("What do you pay?"),
    N_("What do you spend?"),
    N_("What do you spend to {action}?"),
    N_("What does the {title} show?"),
    N_("Which {title} do you gain?"),
    N_("Which {title} do you lose?"),
    N_("Which {title} do you spend?"),
    N_("Which {title} is drawn?"),
    N_("Which {title} is next?"),
    N_("Which {title} is taken?"),
    N_("Choose a {title}"),
    N_("Choose an {title}"),
    N_("{moment}: which effect do you use?"),
    N_("{reason}. What do you use?"),
    N_("No {title} are left"),
    N_("{player} uses {title}"),
    # amounts
    N_("{number} {title}"),
    N_("a {title}"),
    N_("A {title}"),
    N_("{number} {title} of your choice"),
    N_("{number} of each other {title}"),
    # effects
    N_("gain {amounts}"),
    N_("Gain {amounts}"),
    N_("Gain {amounts}."),
    N_("lose {amounts}"),
    N_("Lose {amounts}."),
    N_("spend {amounts}"),
    N_("Spend {amounts}."),
    N_("Spend {amounts}, then {action}."),
    N_("Draw a {title}."),
    N_("Draw {number} {title}."),
    # conditions and values
    N_("{title} is yours"),
    N_("you have {amounts}"),
    N_("you can pay {amounts}"),
    N_("you are the {title}"),
    N_("it has not been used yet, once per {title}"),
    N_("once per {title}"),
    N_("the {title} is {value}"),
    N_("there are {title} left"),
    N_("your {title}"),
    N_("the {title}"),
    N_("{title} is your {title2}"),
    N_("{title} is the current {title2}"),
    N_("you have no {title}"),
    N_("you have at least {number} {title}"),
    N_("you have at most {number} {title}"),
    N_("you have more than {number} {title}"),
    N_("you have fewer than {number} {title}"),
    N_("the option “{title}” is on"),
    N_("the option “{title}” is off"),
    N_("“{title}” is under way"),
    N_("“{title}” is not under way"),
    N_("it is {title}"),
    N_("it is not {title}"),
    N_("for every player, {condition}"),
    N_("for some player, {condition}"),
    N_("everyone but you"),
    N_("{value} is at least {other}"),
    N_("{value} is at most {other}"),
    N_("{value} is more than {other}"),
    N_("{value} are more than {other}"),
    N_("{value} is less than {other}"),
    N_("{value} is {number}"),
    N_("{value} plus {other}"),
    N_("{value} minus {other}"),
    N_("{value} to {other}"),
    # the glossary
    N_("action"),
    N_("assert"),
    N_("die"),
    N_("exception"),
    N_("game"),
    N_("game state"),
    N_("group"),
    N_("kind of thing"),
    N_("module"),
    N_("moment"),
    N_("number"),
    N_("panel"),
    N_("phase"),
    N_("routine"),
    N_("scenario"),
    N_("setting"),
    N_("shown on the table"),
    N_("shown on the panel “{title}”"),
    N_("A game setting: off by default."),
    N_("A game setting: on by default."),
    N_("A game setting: {number} by default."),
    N_("A game setting: {number} by default, from {number2} to {number3}."),
    N_("A moment at which rules can act."),
    N_("A number."),
    N_("A number from {number} to {number2}."),
    N_("A number for each player: {number}."),
    N_("A panel on the screen."),
    N_("A panel on the screen, with a row for each player."),
    N_("A set of {title}."),
    N_("Yes or no for each player."),
    N_("Yes or no; starts as no."),
    N_("Gained from: {titles}."),
    N_("Lost or spent in: {titles}."),
    N_("Counts for: {titles}."),
    N_("For {number} players."),
    N_("For {number} to {number2} players."),
    N_("Now resolve what happens {moment}."),
    N_("The score is your {title}."),
    N_("The player with the most {title} wins."),
    N_("This must hold in every game, and tests look whether it does: {sentence}."),
    N_("{title}."),
    N_("{first} and {number} more"),
    # rules
    N_("{moment}, if {condition}, once per {title}, you may {action}."),
    N_("{moment}, once per {title}, you may {action}."),
    N_("{moment}, once per {title}: you may {action}."),
    N_("{moment}, if {condition}, you may {action}."),
    N_("{moment}, you may {action}."),
    N_("{moment}: you may {action}."),
    N_("{number} to {title} if {condition}."),
    N_("{moment}: {effect}."),
    N_("{moment}, {effect}."),
    N_("spend {amounts}, then {action}"),
    N_("{effect}; gain {amounts}"),
    N_("A moment at which rules can act, with the {names}."),
    N_("A panel on the screen, with a row for each {title}."),
    N_("A set of {title}; starts as all {title2}."),
    N_("A set of {title}; starts as all {title2}; secret."),
    N_("A set of {title} for each player; secret."),
    N_("A set of {title} for each player; starts as all {title2}."),
    N_("A number for each player."),
    N_("A number for each player: {number}, never less than {number2}."),
    N_("A number from {number} to {number2} for each player."),
    N_("A number for each {title}."),
    N_("Yes or no."),
    N_("Each {title} has: {names}."),
    N_("{title} or none for each player."),
    N_("{title}. {sentence}"),
    # the primer, and the glossary of any game
    N_("One {title} follows another."),
    N_("Then one {title} follows another."),
    N_("{titles} are played again and again."),
    N_("Then {titles} are played again and again."),
    N_("The game begins with {title}."),
    N_("The game ends with {title}."),
    N_("The game goes on until some player's {title} reach {number}."),
    N_("Repeat until some player's {title} reach the number of {title2}:"),
    N_("The winners are the players with the most {title}."),
    N_("The winners are the players with the fewest {title}."),
    N_("The winners are the players with the most {title}, then the most {title2}."),
    N_("The player with the fewest {title} wins."),
    N_("If players are tied, the one with the most {title} wins."),
    N_("If players are tied, the one with the fewest {title} wins."),
    N_("Otherwise the game is lost."),
    N_("Each player has their own; the number never goes below 0."),
    N_("An order of the players."),
    N_("A set of {title} for each player."),
    N_("A bag of {title}."),
    N_("A bag of {title}; secret."),
    N_("A {title} or none."),
    N_("A {title} or none for each player; secret."),
    N_("Each player:"),
    N_("Each player: {title}."),
    N_("{number} times: {title}."),
    N_("As many times as the {title}: {title2}."),
    N_("As many times as the number of {title}: {title2}."),
    N_("Choose one:"),
    N_("Otherwise:"),
    N_("it is at most your {title}"),
    N_("it is at most the {title}"),
    N_("it is at least the {title}"),
    N_("A {title} or none for each player."),
    N_("turn order"),
    N_("Gain a {title}."),
    N_("Gain {amounts} and a {title}."),
    N_("gain a {title}"),
    N_("gain {amounts} and a {title}"),
    N_("Spend {amounts} to {action}."),
    N_("spend {amounts} to {action}"),
    # whatever is joined
    N_("{title}: {sentence}"),
    N_("{title} {number}"),
    N_("original"),
    N_("reconstructed"),
    N_("single source"),
    N_("{first}; {rest}"),
    N_("{first}, {rest}"),
    N_("{first}, or {last}"),
    N_("{first} and {last}"),
    N_("{first} or {last}"),
    N_("player"),
    N_("players"),
    N_("resource"),
    N_("resources"),
)


_WORDS = re.compile(r"[^\W\d_]{2}")
_NUMBER = re.compile(r"[-+]?\d+")
_PREFIX = 4  # characters of a text by which its patterns are found
_TITLE_SLOT = re.compile(r"title\d*")


@dataclass(frozen=True)
class SentencePattern:
    """A sentence with slots, as its literal parts and the names between them."""

    literals: tuple[str, ...]  # one more than slots; the first and the last may be empty
    slots: tuple[str, ...]
    english: str
    translation: str

    @classmethod
    def parse(cls, english: str, translation: str) -> SentencePattern:
        """Parse a key with slots in braces and its translation."""
        parts = SLOT.split(english)
        return cls(tuple(parts[::3]), tuple(parts[1::3]), english, translation)

    def iter_matches(self, text: str, start: int = 0, slot: int = -1) -> Iterator[tuple[str, ...]]:
        """Yield the texts of the slots, for each way in which a text matches."""
        if slot < 0:
            if text.startswith(self.literals[0]) and text.endswith(self.literals[-1]):
                yield from self.iter_matches(text, len(self.literals[0]), 0)
            return
        end = len(text) - len(self.literals[-1])
        if slot == len(self.slots) - 1:
            if start < end:
                yield (text[start:end],)
            return
        literal = self.literals[slot + 1]
        place = text.find(literal, start + 1)
        while 0 <= place < end:
            for rest in self.iter_matches(text, place + len(literal), slot + 1):
                yield (text[start:place], *rest)
            place = text.find(literal, place + 1)


@lru_cache(maxsize=16_384)
def _parse_titles(english: str, written: str) -> tuple[Text, ...]:
    """Return a translation for the singular and the plural of a text, and for the text as authors write it (cached)."""
    english_forms = split_title(english)
    forms = split_title(written) if len(set(english_forms)) > 1 else (written, written)
    both = [parse_title(text, form) for form, text in zip(english_forms, forms, strict=True)]
    return (*both, Text("/".join(dict.fromkeys(both)), english))


@dataclass
class Phrasebook:
    """The translations of one game's texts, and the texts that were looked up and have none.

    Attributes:
        texts: Translations by English texts, as authors write them.
        missing: Texts without a translation, in the order in which they were asked for.
    """

    texts: Mapping[str, str]
    missing: dict[str, None] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # keys that translated something
    _cache: dict[str, Text | None] = field(default_factory=dict)
    _by_start: dict[str, tuple[SentencePattern, ...]] = field(default_factory=dict)

    @cached_property
    def titles(self) -> Mapping[str, tuple[Text, str]]:
        """Return the translation of each title, in the singular and in the plural, with the key it comes from."""
        titles: dict[str, tuple[Text, str]] = {}
        for english, written in self.texts.items():
            if not SLOT.search(english):
                for title in _parse_titles(english, written):
                    titles.setdefault(title.english, (title, english))
        return titles

    @cached_property
    def patterns(self) -> tuple[SentencePattern, ...]:
        """Return the sentences with slots, the most specific first; those of the game before those of the engine."""
        own = [(english, text) for english, text in self.texts.items() if SLOT.search(english)]
        engine = [(text, found) for text in RULE_PATTERNS if SLOT.search(text) and (found := find_message(text))]
        groups = ([SentencePattern.parse(*pair) for pair in pairs] for pairs in (own, engine))
        return tuple(
            pattern for group in groups for pattern in sorted(group, key=lambda item: -len("".join(item.literals)))
        )

    def translate(self, english: str) -> Text | str:
        """Translate a text; return it in English, marked so, and remember it if it has no translation."""
        if not _WORDS.search(english):
            return english
        if english.startswith(" "):
            indentation = english[: -len(english.lstrip())]
            return map_text(self.translate(english.lstrip()), lambda text: indentation + text)
        found = self.find(english)
        if found is None:
            self.missing[english] = None
            return Text(english, english, False)
        return found

    def look_up(self, english: str) -> None:
        """Look up a text, with slots or without, to remember whether it has a translation."""
        if SLOT.search(english):
            self.find_template(english)
        else:
            self.translate(english)

    def find_possible_uses(self, keys: Collection[str], texts: Iterable[str]) -> Iterator[str]:
        """Yield the texts that contain all words of one of these keys, so that only they may be translated by it."""
        forms = [title.casefold() for title, (_, key) in self.titles.items() if key in keys]
        literals = [pattern.literals for pattern in self.patterns if pattern.english in keys]
        for text in texts:
            folded = text.casefold()
            if (
                text in keys
                or any(form in folded for form in forms)
                or any(all(literal in text for literal in parts) for parts in literals)
            ):
                yield text

    def find_english(self, query: str, normalize: Callable[[str], str]) -> str:
        """Return the English of the title that a normalized query is, or else begins; empty without one."""
        titles = [(normalize(str(title)), english) for english, (title, _) in self.titles.items()]
        matches = [
            *(english for title, english in titles if title == query),
            *(english for title, english in titles if query and title.startswith(query)),
        ]
        return matches[0] if matches else ""

    def find_template(self, english: str) -> str | None:
        """Return the translation of a sentence with slots, or None without one."""
        if english in self.texts:
            self.used.add(english)
            return self.texts[english]
        if not _WORDS.search(SLOT.sub("", english)):
            return english
        found = self.find(english)
        if found is None:
            self.missing[english] = None
        return found

    def find(self, english: str) -> Text | None:
        """Return the translation of a text, or None without one."""
        if english not in self._cache:
            self._cache[english] = self._find_title(english) or self._find_by_pattern(english)
        return self._cache[english]

    def _find_title(self, english: str) -> Text | None:
        """Return the translation of a whole text."""
        title, key = self.titles.get(english, (None, ""))
        if title is not None:
            self.used.add(key)
            return title
        plain = find_message(english) if english in RULE_PATTERNS else ""
        if plain:
            return parse_title(plain, english)
        lower_case = english[:1].lower() + english[1:]
        title = self._find_title(lower_case) if lower_case != english else None
        return capitalize_text(title) if title is not None else None

    def _list_patterns(self, english: str) -> tuple[SentencePattern, ...]:
        """Return the patterns, in their order, that begin as a text does in its first characters."""
        start = english[:_PREFIX]
        if start not in self._by_start:
            self._by_start[start] = tuple(
                pattern for pattern in self.patterns if start.startswith(pattern.literals[0][:_PREFIX])
            )
        return self._by_start[start]

    def _find_by_pattern(self, english: str) -> Text | None:
        """Return the translation of a text by the first pattern of which all slots can be translated."""
        for pattern in self._list_patterns(english):
            if not english.endswith(pattern.literals[-1]):
                continue
            for values in pattern.iter_matches(english):
                slots = self._translate_slots(pattern.slots, values)
                if slots is not None and _can_fill(pattern.translation, slots):
                    self.used.add(pattern.english)
                    return fill_slots(pattern.translation, pattern.english, slots)
        return None

    def _translate_slots(self, names: Iterable[str], values: Iterable[str]) -> dict[str, str] | None:
        """Return the values of slots in translation, or None if one of them has none."""
        slots: dict[str, str] = {}
        for name, value in zip(names, values, strict=True):
            translated = self._translate_slot(name, value)
            if translated is None:
                return None
            slots[name] = translated
        return slots

    def _translate_slot(self, name: str, value: str) -> str | None:
        """Return a slot's value in translation: a number, a title, or any text of the book."""
        if name.startswith("number"):
            return value if _NUMBER.fullmatch(value) else None
        if SLOT.fullmatch(value):
            return value
        if _TITLE_SLOT.fullmatch(name):
            return self._find_title(value)
        if not _WORDS.search(value):
            return value
        return self.find(value)


def _can_fill(template: str, slots: Mapping[str, str]) -> bool:
    """Return True if the values of slots have the forms that a template asks for."""
    return all(can_inflect(slots[match[1]], match[2] or "") for match in SLOT.finditer(template))


__all__ = ["Phrasebook", "SentencePattern"]
