"""What a word may stand for: one of the language or of these rules, nearly spelled so, or said in another way.

What people say instead stands in the table of constructs; the names are those the rules declare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import Stack, terminals
from edict.compiler.syntax.declared_names import NOTHING, Declared
from edict.compiler.syntax.grammar_tables import grammar_table
from edict.compiler.syntax.reserved_words import called_as_words
from edict.compiler.syntax.unreadable.stream import Word, kinds_of
from edict.support.morphology import NUMBER_WORDS
from edict.support.report import edit_distance, tolerated_typos
from edict.support.text import to_slug

BUILT_IN = frozenset("you it yes no none nobody everyone players player amount no-dice".split())
_ARTICLES = {"a": "1", "an": "1"}
SIGNS = frozenset(("case", "sign"))
MECHANICAL = SIGNS | {"spelled"}
"""Ways in which a word is changed that cannot change what is meant."""
MOST_NEAR = 5  # words that are nearly spelled so
MOST_JOINED = 4  # words that are one name


@dataclass(frozen=True, slots=True)
class Substitution:
    """What may be written in place of a word: its text and kind, how the word comes to mean it, and what that costs."""

    text: str
    kind: str
    how: str
    cost: float


@dataclass(frozen=True)
class Vocabulary:
    """The words of the language and of some rules."""

    declared: Declared = NOTHING
    _stands: dict[str, tuple[Substitution, ...]] = field(default_factory=dict, compare=False)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words of the language that something is called."""
        return called_as_words(self.declared.definitions.values())

    def is_filler(self, word: str, last: bool) -> bool:
        """Whether a line says the same without this word or sign; some only where they end it."""
        return word in _listed("fillers") or last and word in _listed("closing")

    def stands(self, text: str) -> tuple[Substitution, ...]:
        """What may be written in place of a word or sign, the likeliest first."""
        if text not in self._stands:
            self._stands[text] = tuple(sorted(self._found(text), key=lambda stand: stand.cost))
        return self._stands[text]

    def _found(self, text: str) -> Iterator[Substitution]:
        low = text.casefold()
        if "_" in text:
            yield Substitution(text.replace("_", "-").strip("-"), "NAME", "sign", 0.1)
        if low in same_signs():
            yield from _of_the_language(same_signs()[low], "sign", 0.1)
        if not text[:1].isalpha():
            if text[:1] == '"':
                yield from self._in_quotes(text.strip('"'))
            for word in instead().get(text, ()):
                yield from _of_the_language(word, "said", 0.4)
            return
        if low != text:
            yield from (Substitution(low, kind, "case", 0.05) for kind in kinds_of(low))
        if self.number(low):
            yield Substitution(self.number(low), "NUMBER", "number", 0.2)
        for word in instead().get(low, ()):
            yield from _of_the_language(word, "said", 0.4)
        name = self.declared.meant(text)
        if name and name != text:
            yield Substitution(name, "NAME", "case" if name == low else "called", 0.3)
        if text not in self.declared.definitions and text not in terminals():
            yield from self._near(low)

    def _in_quotes(self, text: str) -> Iterator[Substitution]:
        if text.isdecimal():
            yield Substitution(text, "NUMBER", "quoted", 0.4)
        name = self.declared.meant(text)
        if name:
            yield Substitution(name, "NAME", "quoted", 0.4)

    def _near(self, low: str) -> Iterator[Substitution]:
        most = tolerated_typos(low)
        if not most:
            return
        near = [(edit_distance(low, word, most), word) for word in (*_plain(), *self._names)]
        near = sorted(known for known in near if 0 < known[0] <= most)[:MOST_NEAR]
        # one that fits is meant; of several that are equally near, nobody knows which
        for away, word in near:
            alone = sum(other == away for other, _ in near) == 1 and away == near[0][0]
            how = "spelled" if alone and len(near) == 1 else "near"
            for kind in kinds_of(word):
                yield Substitution(word, kind, how, 0.25 + 0.3 * away + (0 if how == "spelled" else 0.15))

    def knows(self, text: str) -> bool:
        """Whether it is a word of the language or of these rules."""
        return text in terminals() or text in BUILT_IN or not text[:1].isalpha() or bool(self.declared.named(text))

    def only_as_name(self, word: Word, stack: Stack) -> bool:
        """Whether a word of the language would have to be a name here, and nothing is called so."""
        if len(word.kinds) < 2 or not word.is_word or stack.after(word.kinds[0]) is not None:
            return False
        return word.text not in BUILT_IN and not self.declared.named(word.text)

    def number(self, text: str) -> str:
        """A number in digits; nothing, if it is none."""
        low = text.casefold()
        return (
            low if low.isdecimal() else str(NUMBER_WORDS.index(low)) if low in NUMBER_WORDS else _ARTICLES.get(low, "")
        )

    def held(self, name: str) -> str | None:
        """Where somebody (`@`) keeps things of this kind, or of the kind of this thing, if that is one place."""
        of_kind = isinstance(self.declared.definitions.get(name), t.Kind)
        kind = name if of_kind else self.declared.sort(name)
        keeps = [keep for keep in self.declared.definitions.values() if isinstance(keep, t.Keep) and _keeps(keep, kind)]
        return f"{keeps[0].name.word} of @" if len(keeps) == 1 else None

    @property
    def _names(self) -> list[str]:
        return [*self.declared.definitions, *self.declared.fields]

    def names_from(self, words: Sequence[Word], i: int) -> Iterator[tuple[int, str]]:
        """Names or titles that are written as several words from here on: where each ends, and the name."""
        for end in range(min(i + MOST_JOINED, len(words)), i + 1, -1):
            some = words[i:end]
            if all(word.is_word or word.text.isdecimal() or word.text in ("-", "+") for word in some) and (
                some[0].line == some[-1].line
            ):
                name = self.declared.meant("-".join(word.text for word in some)) or self.declared.meant(
                    to_slug(" ".join(word.text for word in some))
                )
                if name:
                    yield end, name


def _keeps(keep: t.Keep, kind: str) -> bool:
    """Whether it is what each player has of a kind."""
    several = keep.type.shape in ("set", "bag") and keep.type.name is not None and keep.type.name.word == kind
    return several and [param.kind.word for param in keep.params] == ["player"]


def _of_the_language(word: str, how: str, cost: float) -> Iterator[Substitution]:
    for kind in kinds_of(word):
        if kind != "NAME":
            yield Substitution(word, kind, how, cost)


@cache
def _plain() -> tuple[str, ...]:
    return tuple(word for word in terminals() if word.isalpha() and len(word) > 2)


@cache
def _listed(part: str) -> frozenset[str]:
    return frozenset(grammar_table(part, "habits.yaml"))


@cache
def same_signs() -> dict[str, str]:
    """Signs and words of other languages that mean just the same, each with the one of this language."""
    return {str(said): word for word, some in grammar_table("same", "habits.yaml").items() for said in some}


@cache
def instead() -> dict[str, tuple[str, ...]]:
    """Words that people say, each with the words of the language that may be meant."""
    found: dict[str, list[str]] = {}
    for word, some in grammar_table("instead", "habits.yaml").items():
        for said in str(some).split():
            found.setdefault(said, []).append(word)
    return {said: tuple(words) for said, words in found.items()}
