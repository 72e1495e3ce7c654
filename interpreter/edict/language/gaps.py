"""What may stand in the gaps of a phrase (something that is declared, a number, a value), and what belongs to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from edict.language import tree as t
from edict.language.declared import Declared
from edict.language.facts import keywords, statements
from edict.language.printing.expressions import expression
from edict.text import NUMBERS
from edict.language.sorts import a, plurals
from edict.text import slug

Word = re.Match[str]
LONGEST_NAME = 4  # words
LONGEST_VALUE = 9
_BREAKS = frozenset("if then else gain lose spend pay : where has when otherwise".split())
_ONE = ("a", "an", "1")
_FACES = ("ones", "twos", "threes", "fours", "fives", "sixes")
_PEOPLE = ("you", "it")
_COMPARED = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Filled:
    """What stands in a gap, as the language writes it; the rules, for what belongs to it."""

    text: str
    declared: Declared

    @property
    def many(self) -> str:
        """All things of a kind."""
        return plurals(self.text)[2 if self.text.endswith("y") else 1]

    @property
    def theirs(self) -> str:
        """The things of a kind that a player has."""
        definition = self.declared.definitions.get(self.text)
        works = definition.works_if if isinstance(definition, t.Kind) else None
        return expression(works.right) if isinstance(works, t.Binary) and works.op == "in" else ""

    @property
    def each(self) -> str:
        """The things of a kind that somebody has who is looked at."""
        return re.sub(r"\byou\b", "it", self.theirs)

    @property
    def kind(self) -> str:
        """The kind of a thing."""
        definition = self.declared.definitions.get(self.text)
        return definition.kind.word if isinstance(definition, t.Thing) else ""

    @property
    def any(self) -> str:
        """The kind of a thing, with its article."""
        return self.kind and a(self.kind)

    @property
    def place(self) -> str:
        """Where a player has a thing."""
        return Filled(self.kind, self.declared).theirs

    @property
    def held(self) -> str:
        """How one asks whether a player has a thing."""
        return f"{self.text} is in {self.place}" if self.place else ""

    @property
    def effect(self) -> str:
        """The field of a thing that says what it does."""
        return next(iter(self.declared.effects(self.kind)), "")

    @property
    def article(self) -> str:
        return a(self.text).split()[0]

    @property
    def its(self) -> str:
        """A keep, for the player in question."""
        definition = self.declared.definitions.get(self.text)
        params = getattr(definition, "params", ())
        if not params:
            return self.text
        return f"{self.text} of you" if len(params) == 1 and params[0].kind.word == "player" else ""

    @property
    def before(self) -> str:
        """A number that is one lower."""
        return str(int(self.text) - 1) if self.text.isdecimal() else ""

    @property
    def group(self) -> str:
        """The first group in which a resource is."""
        groups = (d for d in self.declared.definitions.values() if isinstance(d, t.Group))
        return next((one.name.word for one in groups if self.text in {name.word for name in one.members}), "")

    @property
    def among(self) -> str:
        """The keep on the table in which a thing may lie."""
        return self.declared.lying(self.kind, "set")


@dataclass(frozen=True)
class Some:
    """What the rules have at least one of, for what a phrase does not name: dice, and where a player keeps them."""

    die: str
    pool: str
    action: str
    order: str
    group: str
    game: str


def first_of(declared: Declared) -> Some:
    """The first of what phrases speak of without a name: dice, a keep of dice of a player, an action ..."""
    all_ = declared.definitions.values()
    pools = (d for d in all_ if isinstance(d, t.Keep) and d.type.shape == "dice" and len(d.params) == 1)
    orders = (d.order.word for d in all_ if isinstance(d, t.Game) and d.order is not None)
    dice = (d.name.word for d in all_ if isinstance(d, t.Die))
    actions = (d.name.word for d in all_ if isinstance(d, t.Action))
    groups = (d.name.word for d in all_ if isinstance(d, t.Group))
    games = (d.name.word for d in all_ if isinstance(d, t.Game))
    pool = (f"{d.name.word} of you" for d in pools)
    return Some(*(next(found, "") for found in (dice, pool, actions, orders, groups, games)))


Span = tuple[int, Filled]


def spans(sort: str, words: Sequence[Word], at: int, declared: Declared) -> Iterator[Span]:
    """What may stand in a gap from a word on: behind which word it ends, and what it is."""
    reader = _READERS.get(sort) or partial(_name, sort)
    for end, text in reader(words, at, declared):
        yield end, Filled(text, declared)


Reader = Callable[[Sequence[Word], int, Declared], Iterator[tuple[int, str]]]


def _name(sort: str, words: Sequence[Word], at: int, declared: Declared) -> Iterator[tuple[int, str]]:
    """Names and titles of something of a sort, the longest first."""
    for size in range(min(LONGEST_NAME, len(words) - at), 0, -1):
        some = words[at : at + size]
        if all(word[0][0].isalpha() for word in some):
            found = declared.found(slug(" ".join(word[0].replace("-", " ") for word in some)), sort.split("-"))
            if found:
                yield at + size, found


def _number(words: Sequence[Word], at: int, _: Declared) -> Iterator[tuple[int, str]]:
    word = words[at][0].casefold()
    if word in _FACES:
        yield at + 1, str(_FACES.index(word) + 1)
    elif word.isdecimal() or word in NUMBERS or word in ("a", "an"):
        yield at + 1, word if word.isdecimal() else "1" if word in _ONE else str(NUMBERS.index(word))


def _word(words: Sequence[Word], at: int, _: Declared) -> Iterator[tuple[int, str]]:
    if re.fullmatch(r"[A-Za-z][\w-]*", words[at][0]) and words[at][0] not in keywords():
        yield at + 1, words[at][0]


def _compared(words: Sequence[Word], at: int, _: Declared) -> Iterator[tuple[int, str]]:
    if words[at][0] in _COMPARED:
        yield at + 1, words[at][0]


def _field(words: Sequence[Word], at: int, declared: Declared) -> Iterator[tuple[int, str]]:
    word = words[at][0].casefold()
    yield from ((at + 1, one) for one in (word, word.removesuffix("s")) if one in declared.fields)


def _price(words: Sequence[Word], at: int, declared: Declared) -> Iterator[tuple[int, str]]:
    """A field of amounts."""
    yield from ((end, one) for end, one in _field(words, at, declared) if declared.shape(one) == "amounts")


def _rest(words: Sequence[Word], at: int, _: Declared) -> Iterator[tuple[int, str]]:
    """All that follows in the line."""
    yield len(words), words[at].string[words[at].start() : words[-1].end()]


def _step(words: Sequence[Word], at: int, _: Declared) -> Iterator[tuple[int, str]]:
    """A step, the shortest first."""
    if words[at][0] in statements():
        first = words[at].start()
        yield from ((end + 1, words[at].string[first : words[end].end()]) for end in range(at + 1, len(words)))


def _value(words: Sequence[Word], at: int, _: Declared) -> Iterator[tuple[int, str]]:
    """Words that may be a value, the shortest first; parentheses are closed in it."""
    depth = 0
    for end in range(at, min(len(words), at + LONGEST_VALUE)):
        word = words[end][0]
        depth += (word == "(") - (word == ")")
        if word.casefold() in _BREAKS or depth < 0:
            return
        if not depth:
            yield end + 1, words[at].string[words[at].start() : words[end].end()]


def _amounts(words: Sequence[Word], at: int, declared: Declared) -> Iterator[tuple[int, str]]:
    """Numbers of resources, as many as are joined; one of each that has no number."""
    parts, end, found = list[str](), at, list[tuple[int, str]]()
    while end < len(words):
        number = next(_number(words, end, declared), (end, "1"))
        if number[0] >= len(words):
            break
        named = next(_name("resource-group-die", words, number[0], declared), None)
        if named is None:
            break
        parts.append(f"{number[1]} {named[1]}")
        end = named[0]
        found.append((end, " ".join(parts)))
        joint = words[end][0].casefold() if end < len(words) else ""
        if joint not in ("and", "or", ",", "&", "+", "/"):
            break
        parts.append("or" if joint in ("or", "/") else "and")
        end += 1
    yield from reversed(found)


def _person(words: Sequence[Word], at: int, _: Declared) -> Iterator[tuple[int, str]]:
    """Somebody by a pronoun, a neighbour, or a name of the rule."""
    word = words[at][0].casefold()
    following = [one[0].casefold() for one in words[at : at + 3]]
    if following in (["left", "of", "you"], ["right", "of", "you"]):
        yield at + 3, " ".join(following)
    elif word in _PEOPLE or word in ("i", "me"):
        yield at + 1, word if word in _PEOPLE else "you"
    else:
        yield from _word(words, at, _)


_READERS: dict[str, Reader] = {
    "n": _number, "word": _word, "cmp": _compared, "field": _field, "price": _price, "rest": _rest, "value": _value,
    "step": _step, "amounts": _amounts, "who": _person,
}  # fmt: skip
