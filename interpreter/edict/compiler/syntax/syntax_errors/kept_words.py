"""Comparison of a line with its fix: each word of weight keeps its role, and none appears that replaces nothing.

Numbers, texts, declared names, players and negations have weight. Nothing here knows a construct: what a fix may add is
what the author's own words imply (a thing its kind, a kind its fields and where it is kept, a group its members), or
what takes the place of a word that is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import kinds_by_word, step_words
from edict.compiler.syntax.declared_names import declared_fields
from edict.compiler.syntax.nouns import full_title, list_inflected_forms
from edict.compiler.syntax.syntax_errors.vocabulary import BUILT_IN_NAMES, Vocabulary, load_synonyms
from edict.compiler.syntax.syntax_errors.word_stream import StreamWord, iter_line_words
from edict.support.records import dataclass
from edict.support.report import Edit, apply_edits
from edict.support.text import Source, to_slug

YOU, IT = "you", "it"
OWNER_INTRODUCERS = frozenset("of to from for asking by".split())
SETS_OF_PLAYERS = frozenset("each every everyone everybody players".split())
TESTS_OF_MEMBERS = frozenset("where has most fewest over lowest highest best least counting through".split())
DENIALS = frozenset("not no never nobody neither without unless except isn't don't doesn't cannot can't".split())
DENIED = DENIALS | frozenset("none empty != - until exception".split())  # how the language denies something
NOTHINGS = frozenset(("empty", "none", "nobody"))  # `not empty` denies nothing
NOT_ABOUT_YOU = frozenset("each for if repeat let announce show".split())  # steps in which a player must be named
SMALLEST = frozenset(("0", "1"))  # numbers that add nothing: none, and one


@dataclass(frozen=True)
class _Phrase:
    """Some lines, and the words of weight in them."""

    words: tuple[StreamWord, ...]
    vocabulary: Vocabulary

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The words in small letters, with numbers in digits."""
        return tuple(self.vocabulary.to_digits(word.text) or word.text.casefold() for word in self.words)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers; an article is none."""
        words = zip(self.words, self.texts, strict=True)
        return frozenset(text for word, text in words if text.isdecimal() and word.text not in ("a", "an", "A", "An"))

    @cached_property
    def names(self) -> dict[str, str]:
        """The declared names and the names given in the definition, each as it is written."""
        named = ((self._find_name(word), word.text.casefold()) for word in self.words)
        return {name: text for name, text in named if name}

    def _find_name(self, word: StreamWord) -> str:
        """Return the name that a word is; "" for players, numbers and words of the language."""
        if not word.is_word or word.text in BUILT_IN_NAMES:
            return ""
        name = self.vocabulary.declared.find_name(word.text)
        return name or word.text * (word.text in self.vocabulary.local_names and word.text not in kinds_by_word())

    @cached_property
    def owners(self) -> frozenset[str]:
        """The players that are named: `you`, a neighbour, and `it` where something belongs to it."""
        pairs = list(pairwise(self.texts))
        neighbours = {first for first, second in pairs if first in ("left", "right") and second == "of"}
        owned_by_it = any(second == IT and first in OWNER_INTRODUCERS for first, second in pairs)
        return frozenset([YOU] * (YOU in self.texts) + [IT] * owned_by_it) | neighbours

    @cached_property
    def other_words(self) -> frozenset[str]:
        """The words that are neither names nor numbers."""
        names = (self._find_name(word) for word in self.words)
        pairs = zip(self.texts, names, strict=True)
        return frozenset(text for text, name in pairs if not name and text[:1].isalpha())

    @cached_property
    def amounts(self) -> frozenset[tuple[str, str]]:
        """Numbers, each with the name right behind it; no factors and divisors."""
        triples = zip(("", *self.texts), self.texts, self.words[1:], strict=False)
        named = ((text, self._find_name(word)) for before, text, word in triples if before not in ("*", "/"))
        return frozenset((number, name) for number, name in named if number.isdecimal() and name)


def keeps_meaning(source: Source, edits: Sequence[Edit], vocabulary: Vocabulary) -> bool:
    """Return True if the lines that edits change keep their words of weight, and gain none without cause.

    An edit of one word that puts another in its place is a replacement, so only players must stay in it.
    """
    numbers = sorted({number for edit in edits for number in range(edit.span.line, edit.span.end_line + 1)})
    lines = source.lines
    old_lines = [lines[number - 1] for number in numbers if 0 < number <= len(lines)]
    places = {number: index for index, number in enumerate(numbers, 1)}
    moved = [_move_edit(edit, places) for edit in edits]
    new_lines = apply_edits("\n".join(old_lines), moved).split("\n")
    old, new = _read_phrase(old_lines, vocabulary), _read_phrase(new_lines, vocabulary)
    if old.texts == new.texts:
        return True
    is_replacement = all(_replaces_one_word(edit, lines) for edit in edits)
    if is_replacement and len(old.owners) == 1:
        return True  # the only player of the line is replaced where it means nothing, as `you` in nobody's turn
    if not _keeps_owners(old, new):
        return False
    if is_replacement:
        return True
    return _keeps_numbers(old, new) and _keeps_names(old, new) and _keeps_negation(old, new)


def _move_edit(edit: Edit, places: dict[int, int]) -> Edit:
    """Return an edit of a file as one of the changed lines alone."""
    span = edit.span
    return Edit(
        type(span)(span.file, places[span.line], span.column, places[span.end_line], span.end_column), edit.text
    )


def _read_phrase(lines: Iterable[str], vocabulary: Vocabulary) -> _Phrase:
    """Return the words of some lines, and those in their texts."""
    words = [word for line in lines for word in iter_line_words(line)]
    in_texts = (inner for word in words if word.text[0] == '"' for inner in iter_line_words(word.text.strip('"')))
    return _Phrase((*words, *in_texts), vocabulary)


def _replaces_one_word(edit: Edit, lines: Sequence[str]) -> bool:
    """Return True for an edit that puts something in the place of a single word."""
    span = edit.span
    old = lines[span.line - 1][span.column - 1 : span.end_column - 1] if span.line == span.end_line else ""
    words = [word for word in iter_line_words(old) if word.text not in ("a", "an", "the")]
    return len(words) == 1 and bool(edit.text.strip()) and words[0].text not in edit.text.split()


def _keeps_owners(old: _Phrase, new: _Phrase) -> bool:
    """Return True if the players in a line stay, none is joined by a second one, and not all stand for one."""
    lost, added = old.owners - new.owners, new.owners - old.owners
    is_declared = ("of", "player") in pairwise(new.texts) and "player" not in old.texts
    if lost - {YOU} or YOU in lost and not (is_declared or _is_about_you(new)):
        return False
    if YOU in added and IT in old.owners and not old.other_words - new.other_words:
        return False
    if IT in added and not TESTS_OF_MEMBERS & set(new.texts):
        return False
    one_player = old.owners and not SETS_OF_PLAYERS & set(old.texts)
    return not (one_player and lost and SETS_OF_PLAYERS & set(new.texts))


def _is_about_you(phrase: _Phrase) -> bool:
    """Return True if a line is a step or an adjustment, which is about `you` without a word for it."""
    return bool(((step_words() | {"adjust"}) - NOT_ABOUT_YOU) & set(phrase.texts)) and IT not in phrase.owners


def _keeps_numbers(old: _Phrase, new: _Phrase) -> bool:
    """Return True if all numbers but 0 and a factor 1 stay beside their names, and none is new but 0 and 1."""
    lost, added = old.numbers - new.numbers, new.numbers - old.numbers
    gone = old.other_words - new.other_words
    if lost - SMALLEST or "1" in lost and not gone:
        return False
    declared = {str(bound) for name in old.names for bound in _iter_bounds(old.vocabulary, name)}
    parts = {"2", "3"} if gone else set()  # half, twice, thrice
    if added - SMALLEST - declared - parts:
        return False
    names_of_number: dict[str, set[str]] = {}
    for number, name in new.amounts:
        names_of_number.setdefault(number, set()).add(name)
    return all(name in names_of_number.get(number, {name}) or name not in new.names for number, name in old.amounts)


def _iter_bounds(vocabulary: Vocabulary, name: str) -> Iterator[int]:
    """Yield the ends of the range that a setting has."""
    definition = vocabulary.declared.definitions.get(name)
    if isinstance(definition, t.Setting) and definition.low is not None and definition.high is not None:
        yield from (definition.low, definition.high)


def _keeps_names(old: _Phrase, new: _Phrase) -> bool:
    """Return True if all names stay or are implied by new ones, and the others that are new replace words."""
    lost, added = old.names.keys() - new.names.keys(), new.names.keys() - old.names.keys()
    implied = {name for name in added if _is_implied(old, name)}
    for name in lost:
        relatives = _list_relatives(old.vocabulary, name)
        stays = any(other in relatives or name in _list_relatives(old.vocabulary, other) for other in new.names)
        # the word may also be said for one of the language, as `pay` for `spend`
        stays = stays or bool({*load_synonyms().get(old.names[name], ())} & set(new.texts))
        if not stays and not any(old.names[name] in _iter_name_words(old.vocabulary, other) for other in added):
            return False
    gone = len(old.other_words - new.other_words) + len(lost)
    return len(added - implied) <= gone


def _is_implied(phrase: _Phrase, name: str) -> bool:
    """Return True if a line names something that comes with a name, or has a word of it."""
    words = {form for text in phrase.texts for form in list_inflected_forms(text)} | set(phrase.texts)
    return bool(words & set(_iter_name_words(phrase.vocabulary, name))) or any(
        name in _list_relatives(phrase.vocabulary, written) for written in phrase.names
    )


def _iter_name_words(vocabulary: Vocabulary, name: str) -> Iterator[str]:
    """Yield the words that a name and its title consist of."""
    definition = vocabulary.declared.definitions.get(name)
    titles = [full_title(definition)] if definition is not None else []
    for text in (name, *titles):
        yield from (word for form in text.split("/") for word in to_slug(form).split("-"))


def _field_names(definition: t.Definition | None) -> set[str]:
    """Return the names of the fields that a definition declares; empty unless it is a kind."""
    return {field.name.word for field in declared_fields(definition)}


def _list_relatives(vocabulary: Vocabulary, name: str) -> set[str]:
    """Return the names that come with a name: kind, fields and places of a thing, kinds of a field, and such."""
    definitions = vocabulary.declared.definitions
    definition = definitions.get(name)
    if definition is None and name in vocabulary.declared.field_names:
        return {other.name.word for other in definitions.values() if name in _field_names(other)}
    if vocabulary.declared.has_sort(name, ("thing",)):
        kind = vocabulary.declared.sort_of(name)
        return {kind} | _list_relatives(vocabulary, kind)
    if fields := _field_names(definition):
        places = {key for key, other in definitions.items() if isinstance(other, t.Keep) and name in _type_words(other)}
        return fields | places
    if isinstance(definition, t.Keep):
        held = {definition.type.name.word} if definition.type.name is not None else {definition.type.shape}
        owned = (other for other in definitions.values() if isinstance(other, t.Keep))
        return {other.name.word for other in owned if held & {param.kind.word for param in other.params}}
    if isinstance(definition, t.Resource):
        groups = (other for other in definitions.values() if isinstance(other, t.Group))
        return {group.name.word for group in groups if name in [member.word for member in group.members]}
    if isinstance(definition, t.Quantity):
        return {word for param in definition.params for word in (param.name.word, param.kind.word)}
    return set()


def _type_words(keep: t.Keep) -> set[str]:
    """Return the kinds that a keep holds or belongs to."""
    held = {keep.type.name.word} if keep.type.name is not None else set()
    return held | {param.kind.word for param in keep.params}


def _keeps_negation(old: _Phrase, new: _Phrase) -> bool:
    """Return True unless a line denies something and the fix does not."""
    denials = (first for first, second in pairwise((*old.texts, "")) if first in DENIALS and second not in NOTHINGS)
    return not any(denials) or bool(DENIED & set(new.texts)) or ("=", "0") in pairwise(new.texts)
