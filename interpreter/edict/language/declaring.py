"""Lines that say what is remembered or printed, put together anew: a keep, or a field of a kind.

Such a line has a name, a type, perhaps a range, a first value and marks. Which word is which can be told in any order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from edict.language import tree as t
from edict.language.declared import Declared
from edict.language.facts import Facts
from edict.language.mistakes import LONGEST_LOOKED_AT
from edict.text import NUMBERS

_TOKEN = re.compile(r"\"[^\"]*\"|[A-Za-z][\w'-]*|-?\d+|\S")
_TYPES = {
    "number": "number integer int whole count counter numbers amount-of", "truth": "truth boolean bool flag yes-or-no",
    "effect": "effect effects step steps action", "amounts": "amounts amount cost costs prices", "dice": "dice",
}  # fmt: skip
_SEVERAL = {"set": "set list array collection sets", "bag": "bag", "order": "order sequence queue stack"}
_MARKS = ("secret", "quiet", "shown", "optional")
_STARTING = ("starting", "starts", "start", "initially", "beginning", "begins", "default", "initial")
_NOTHING = ("none", "nobody", "nothing", "null", "empty")
_SMALL = frozenset(
    "a an the of for by per each every in as is are be with keep kind lasting and from to at called which that or up "
    "between value type my field named : = , ; ( )".split()
)


@dataclass
class _Parts:
    """What a line says, however it is written."""

    declared: Declared
    name: str = ""
    title: str = ""
    type: str = ""
    several: str = ""
    of: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    start: str = ""
    none: bool = False
    marks: list[str] = field(default_factory=list)
    lasting: bool = False

    def read(self, text: str) -> bool:
        """Whether every word has a meaning in such a line."""
        text = re.sub(r"\byes\s*(?:or|/)\s*no\b", "truth", text)
        words = [word[0] for word in _TOKEN.finditer(text)]
        at = 0
        while at < len(words):
            word = words[at].casefold()
            if word in _STARTING:
                rest = [one for one in words[at + 1 :] if one.casefold() not in ("at", "with", "from", "is", "value")]
                self.start = rest[0] if rest else ""
                at = words.index(self.start, at) + 1 if rest else len(words)
                continue
            if not self._word(words[at], word, words[at + 1 : at + 2]):
                return False
            at += 1
        return bool(self.name)

    def _word(self, written: str, word: str, following: list[str]) -> bool:
        kind = self._kind(word)
        sort = self.declared.sort(self.declared.meant(word))
        if written[0] == '"':
            self.title = written
        elif word.lstrip("-").isdecimal() or word in NUMBERS:
            self.numbers.append(word if word not in NUMBERS else str(NUMBERS.index(word)))
        elif word in _MARKS:
            self.marks.append(word)
        elif word == "lasting":
            self.lasting = True
        elif word in _NOTHING:
            self.none = True
        elif several := next((one for one, said in _SEVERAL.items() if word in said.split()), ""):
            self.several = several
        elif type_ := next((one for one, said in _TYPES.items() if word in said.split()), ""):
            if self.type in ("", type_):
                self.type = type_
        elif kind:
            self.of.append(kind)
        elif word not in _SMALL and not self.name and written[0].isalpha() and not sort:
            self.name = written
        elif sort in ("resource", "die") and self.name and not self.type:
            self.type = "number"
        elif word not in _SMALL and written[0].isalpha() and self.name and not (sort or self.type or self.of):
            self.of.append(written)  # a kind that cannot be read yet
        else:
            return word in _SMALL
        return True

    def _kind(self, word: str) -> str:
        """The kind that a word means: itself, its plural, or that of a thing."""
        if word in ("player", "players", "you"):
            return "player"
        name = self.declared.meant(word)
        one = self.declared.definitions.get(name)
        if isinstance(one, t.Thing):
            return one.kind.word
        return name if isinstance(one, t.Kind | t.Group) else ""

    def types(self) -> Iterator[tuple[str, list[str]]]:
        """What the type may be, and what is left over: for whom it is kept."""
        range_ = f" from {self.numbers[0]} to {self.numbers[1]}" if len(self.numbers) == 2 else ""
        if self.several:
            yield from ((f"{self.several} of {one}", self._without(i)) for i, one in enumerate(self.of))
        elif self.type:
            yield self.type + range_, self.of
        else:
            none = " or none" if self.none else ""
            yield from ((one + none, self._without(i)) for i, one in enumerate(self.of) if none)
            yield "number" + range_, self.of
            yield from ((one, self._without(i)) for i, one in enumerate(self.of) if not none)

    def _without(self, number: int) -> list[str]:
        return self.of[:number] + self.of[number + 1 :]


def as_keep(line: str, declared: Declared) -> Iterator[str]:
    """A line that declares a keep, as the language writes it."""
    parts = _Parts(declared)
    if not parts.read(line.removeprefix("amend ")):
        return
    for type_, whose in parts.types():
        head = "lasting keep" if parts.lasting else "keep"
        of = "".join(f" {joint} {kind}" for joint, kind in zip(("of", "by", "by", "by"), whose, strict=False))
        start = f" starting at {parts.start}" if parts.start else ""
        marks = "".join(f", {mark}" for mark in parts.marks)
        yield " ".join([head, parts.name, *([parts.title] if parts.title else [])]) + f"{of} as {type_}{start}{marks}"


def as_field(line: str, declared: Declared) -> Iterator[str]:
    """A line that declares a field of a kind, as the language writes it."""
    parts = _Parts(declared)
    if not parts.read(line.strip()):
        return
    for type_, rest in parts.types():
        if not rest:
            marks = "".join(f", {mark}" for mark in sorted(parts.marks, reverse=True))
            yield f"{parts.name} {type_}" + (f" {parts.title}" if parts.title else "") + marks


def field_lines(facts: Facts, line: str) -> Iterator[tuple[str, str, str]]:
    """A line under a kind as it may be meant, and what is wrong with the one that is there."""
    said = line.split("#")[0].rstrip()
    under = facts.source.lines[facts.head.line - 1]
    if said[:1].isspace() and re.match(r"(?:amend\s+)?kind\s", under) and len(said) <= LONGEST_LOOKED_AT:
        lead = said[: len(said) - len(said.lstrip())]
        order = re.fullmatch(r"\s*(?:order(?:ed)?|sort(?:ed)?|in order)\s+(?:by\s+|of\s+)?(?P<field>[\w-]+)", said)
        if order:
            yield f"{lead}in order of {order['field']}", "in which order things come is said with `in order of`", ""
        unique = re.fullmatch(r"\s*(?:(?P<a>[\w-]+)\s+unique|unique\s+(?P<b>[\w-]+(?:\s*(?:,|and)\s*[\w-]+)*))", said)
        if unique:
            names = re.split(r"\s*(?:,|\band\b)\s*", unique["a"] or unique["b"])
            yield f"{lead}unique {', '.join(names)}", "what no two things share is said with `unique`", ""
        derived = re.fullmatch(r"\s*(?P<name>[a-z][\w-]*)\s*(?::?=|:|\bis\b)\s*(?P<value>[^=\s].*)", said)
        if derived:
            text = f"{lead}{derived['name']} is {_of_itself(facts, derived['value'])}"
            yield text, "what follows from the fields of a thing comes after `is`, and the kind means the thing", ""
        for text in as_field(said, facts.declared):
            yield lead + text, "a field is a name, and after it its type", ""


def _of_itself(facts: Facts, value: str) -> str:
    """A value with the fields of a kind as those of the thing itself."""
    heading = re.match(r"(?:amend\s+)?kind\s+([\w-]+)", facts.source.lines[facts.head.line - 1])
    kind = heading[1] if heading else ""
    there = facts.declared.definitions.get(kind)
    fields = [one.name.word for one in there.fields] if isinstance(there, t.Kind) else []
    for line in takewhile(lambda line: not line.strip() or line[0].isspace(), facts.source.lines[facts.head.line :]):
        fields += line.split()[:1]
    words = "|".join(map(re.escape, sorted(fields, key=len, reverse=True)))
    return re.sub(rf"(?<![\w-])(?:{words})(?![\w-])(?!\s+of\b)", rf"\g<0> of {kind}", value)
