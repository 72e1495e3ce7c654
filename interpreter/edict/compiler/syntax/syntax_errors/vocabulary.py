"""Interpretation of words, which may be misspelt, or synonyms of words of the language or of declared names.

Synonyms are in `grammar/habits.yaml`; the names are those that the rules declare.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cache, cached_property
from itertools import pairwise

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import ParserStack, kinds_by_word
from edict.compiler.syntax.declared_names import NOTHING_DECLARED, DeclaredNames
from edict.compiler.syntax.grammar_tables import load_grammar_table
from edict.compiler.syntax.reserved_words import find_keyword_names
from edict.compiler.syntax.syntax_errors.word_stream import StreamWord, list_kinds
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import parse_number_word
from edict.support.records import dataclass
from edict.support.report import count_tolerated_typos, edit_distance
from edict.support.text import to_slug

BUILT_IN_NAMES = frozenset("you it yes no none nobody everyone players player amount no-dice".split())
_ARTICLE_NUMBERS = {"a": "1", "an": "1"}
SIGN_CHANGES = frozenset(("case", "sign"))
MECHANICAL_CHANGES = SIGN_CHANGES | {"spelled"}  # kinds of changes to a word that cannot alter its meaning
NAME_INTRODUCERS = frozenset(("as", "called"))  # words that are followed by a new name
MOST_NEAR = 5  # similarly spelled words that are tried
MOST_JOINED = 4  # words that form one name


@dataclass(frozen=True, slots=True)
class Substitution:
    """A word to be written in place of another."""

    text: str
    kind: str  # kind of its token
    how: str  # relation of the two words; see `Replacement`
    cost: float


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """The words of the language and of some rules."""

    declared: DeclaredNames = NOTHING_DECLARED
    local_names: frozenset[str] = frozenset()  # names that the definition with the mistake gives
    _substitutions: dict[str, tuple[Substitution, ...]] = field(default_factory=dict, compare=False)

    @cached_property
    def keyword_names(self) -> frozenset[str]:
        """The keywords that these rules use as names."""
        return find_keyword_names(self.declared.definitions.values())

    def is_filler(self, word: str, last: bool) -> bool:
        """Return True if a line means the same without this word or sign; some only at its end (`last`)."""
        return word in _load_words("fillers") or last and word in _load_words("closing")

    def list_substitutions(self, text: str) -> tuple[Substitution, ...]:
        """Return the substitutions for a word or sign, the likeliest first."""
        if text not in self._substitutions:
            self._substitutions[text] = tuple(
                sorted(self._iter_substitutions(text), key=lambda substitution: substitution.cost)
            )
        return self._substitutions[text]

    def _iter_substitutions(self, text: str) -> Iterator[Substitution]:
        """Yield substitutions for a word: signs, case, digits, synonyms, titles and similar words; not sorted."""
        lowered = text.casefold()
        if "_" in text:
            yield Substitution(text.replace("_", "-").strip("-"), "NAME", "sign", 0.1)
        if lowered in load_sign_synonyms():
            yield from _iter_keyword_substitutions(load_sign_synonyms()[lowered], "sign", 0.1)
        if not text[:1].isalpha():
            if text[:1] == '"':
                yield from self._iter_unquoted_substitutions(text.strip('"'))
            for word in load_synonyms().get(text, ()):
                yield from _iter_keyword_substitutions(word, "said", 0.4)
            return
        if lowered != text and (self.knows(lowered) or not self.to_digits(text)):
            yield from (Substitution(lowered, kind, "case", 0.05) for kind in list_kinds(lowered))
        if self.to_digits(text):
            yield Substitution(self.to_digits(text), "NUMBER", "number", 0.2)
        for word in load_synonyms().get(lowered, ()):
            yield from _iter_keyword_substitutions(word, "said", 0.4)
        name = self.declared.resolve_word(text)
        if name and name != text:
            yield Substitution(name, "NAME", "case" if name == lowered else "called", 0.3)
        if text not in self.declared.definitions and text not in kinds_by_word() and text not in self.local_names:
            yield from self._iter_similar(lowered)

    def _iter_unquoted_substitutions(self, text: str) -> Iterator[Substitution]:
        """Yield the number or declared name that a text in quotes spells, without the quotes."""
        if text.isdecimal():
            yield Substitution(text, "NUMBER", "quoted", 0.4)
        name = self.declared.resolve_word(text)
        if name:
            yield Substitution(name, "NAME", "quoted", 0.4)

    def _iter_similar(self, lowered: str) -> Iterator[Substitution]:
        """Yield keywords and declared names within a few typos of a word; a single candidate costs less."""
        limit = count_tolerated_typos(lowered)
        if not limit:
            return
        similar = [(edit_distance(lowered, word, limit), word) for word in (*_list_keywords(), *self._declared_words)]
        similar = sorted(pair for pair in similar if 0 < pair[0] <= limit)[:MOST_NEAR]
        # a single candidate is meant; among equally similar ones none can be preferred
        for away, word in similar:
            is_nearest = sum(other == away for other, _ in similar) == 1 and away == similar[0][0]
            how = "spelled" if is_nearest and len(similar) == 1 else "near"
            for kind in list_kinds(word):
                yield Substitution(word, kind, how, 0.25 + 0.3 * away + (0 if how == "spelled" else 0.15))

    def knows(self, text: str) -> bool:
        """Return True for a word of the language or of these rules."""
        return (
            text in kinds_by_word()
            or text in BUILT_IN_NAMES
            or not text[:1].isalpha()
            or text in self.local_names
            or bool(self.declared.find_name(text))
        )

    def is_undeclared_name(self, word: StreamWord, stack: ParserStack) -> bool:
        """Return True if a keyword would have to be a name here, but nothing has that name."""
        if len(word.kinds) < 2 or not word.is_word or stack.advance(word.kinds[0]) is not None:
            return False
        return word.text not in BUILT_IN_NAMES and not self.declared.find_name(word.text)

    def to_digits(self, text: str) -> str:
        """Return a number in digits, or "" for other words."""
        lowered = text.casefold()
        if lowered.isdecimal():
            return lowered
        number = parse_number_word(text)
        return _ARTICLE_NUMBERS.get(lowered, "") if number is None else str(number)

    def find_player_keep(self, name: str) -> str | None:
        """Return where a player (`@`) keeps things of a kind, such as `hand of @`, or None if that is not one place.

        Of several places, the one that decides whether such things work is meant.

        Args:
            name: A kind or a thing.
        """
        is_kind = isinstance(self.declared.definitions.get(name), t.Kind)
        kind = name if is_kind else self.declared.sort_of(name)
        keeps = [
            keep
            for keep in self.declared.definitions.values()
            if isinstance(keep, t.Keep) and _is_player_set(keep, kind)
        ]
        if len(keeps) > 1:
            definition = self.declared.definitions.get(kind)
            condition = definition.works_if if isinstance(definition, t.Kind) else None
            words = {node.word for node in walk(condition) if isinstance(node, t.Name)} if condition else set[str]()
            keeps = [keep for keep in keeps if keep.name.word in words]
        return f"{keeps[0].name.word} of @" if len(keeps) == 1 else None

    @property
    def _declared_words(self) -> list[str]:
        """All declared names, and the names of fields."""
        return [*self.declared.definitions, *self.declared.field_names]

    def iter_joined_names(self, words: Sequence[StreamWord], start: int) -> Iterator[tuple[int, str]]:
        """Yield names or titles that are written as several words from an index on, each as its end and the name."""
        for end in range(min(start + MOST_JOINED, len(words)), start + 1, -1):
            stretch = words[start:end]
            if all(word.is_word or word.text.isdecimal() or word.text in ("-", "+") for word in stretch) and (
                stretch[0].line == stretch[-1].line
            ):
                name = self.declared.resolve_word(
                    "-".join(word.text for word in stretch)
                ) or self.declared.resolve_word(to_slug(" ".join(word.text for word in stretch)))
                if name:
                    yield end, name


def find_local_names(words: Sequence[StreamWord]) -> frozenset[str]:
    """Return the words of a definition that stand where a name is given, as after `as`, `called` and `let`."""
    return frozenset(
        word.text for previous, word in pairwise(words) if previous.text in (*NAME_INTRODUCERS, "let") and word.is_word
    )


def _is_player_set(keep: t.Keep, kind: str) -> bool:
    """Return True for a state variable that holds a set of a kind for each player."""
    is_set = keep.type.shape in ("set", "bag") and keep.type.name is not None and keep.type.name.word == kind
    return is_set and [param.kind.word for param in keep.params] == ["player"]


def _iter_keyword_substitutions(word: str, how: str, cost: float) -> Iterator[Substitution]:
    """Yield a substitution by a word of the language for each kind of token that it may be, without NAME."""
    for kind in list_kinds(word):
        if kind != "NAME":
            yield Substitution(word, kind, how, cost)


@cache
def _list_keywords() -> tuple[str, ...]:
    """Return the keywords of more than two letters, as candidates for misspelt words."""
    return tuple(word for word in kinds_by_word() if word.isalpha() and len(word) > 2)


@cache
def _load_words(part: str) -> frozenset[str]:
    """Return the set of words in a part of `habits.yaml`."""
    return frozenset(load_grammar_table(part, "habits.yaml"))


@cache
def load_sign_synonyms() -> dict[str, str]:
    """Return signs and words of other languages that mean exactly the same, with those of this language."""
    return {
        str(foreign): word
        for word, synonyms in load_grammar_table("same", "habits.yaml").items()
        for foreign in synonyms
    }


@cache
def load_synonyms() -> dict[str, tuple[str, ...]]:
    """Return words that people use, each with the words of the language that may be meant."""
    result: dict[str, list[str]] = {}
    for word, synonyms in load_grammar_table("instead", "habits.yaml").items():
        for synonym in str(synonyms).split():
            result.setdefault(synonym, []).append(word)
    return {synonym: tuple(words) for synonym, words in result.items()}
