"""What a line speaks of, whatever its order: names with what they are of, numbers, players, conditions, texts.

Each part is known by what it can be in the language, and as it is written there. From these the line is put together
anew, in `reforming`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from edict.language import tree as t
from edict.language.declared import Declared
from edict.language.facts import keywords
from edict.language.gaps import LONGEST_NAME, Filled
from edict.language.lists import known
from edict.text import NUMBERS

TOKEN = re.compile(r"\"[^\"]*\"|[A-Za-z][\w'-]*|\d+|[<>=!]+|\S")
_ASKS = re.compile(r"[<>=]|\bis\b|\bhas\b")
_CONDITIONAL = ("where", "if", "when", "while", "who", "that", "which", "with", "unless")
_BEHIND = re.compile(r"\s+(?:as|from|asking|into|beside|over)\b|\s*,")
_JOINTS = ("of", "in", "by", "for", "from", "on", "at")
_PLAYERS = {"you": "you", "me": "you", "i": "you", "it": "it", "everyone": "everyone"}
_DIRECTIONS = frozenset("from to into in within with among by for making asking over at onto on as".split())
_MADE_UP = 0.2  # how far-fetched it is that `you` is meant where nobody is named


@dataclass(frozen=True)
class Spoken:
    """A part of a line: how it is written where it is of a sort, by that sort; the word before it, and its kind."""

    forms: dict[str, str]
    start: int
    before: str = ""
    kind: str = ""
    cost: float = 0.0
    param: str = ""


@dataclass
class Speaking:
    """The parts of a line.

    bound: names that the rules give; alone: keeps and quantities are spoken of as such, and not of somebody's.
    """

    text: str
    declared: Declared
    bound: frozenset[str] = frozenset()
    alone: bool = False
    words: list[re.Match[str]] = field(default_factory=list)
    at: int = 0
    computed: bool = False  # there is a sign between parts, so they belong together otherwise

    def parts(self) -> list[Spoken]:
        self.words = list(TOKEN.finditer(self.text))
        found = list[Spoken]()
        while self.at < len(self.words):
            found += self._next()
        return found

    def _next(self) -> Iterator[Spoken]:
        """The part that begins at the present word, if one does; the present word is then the one behind it."""
        first, before = self.at, self.words[self.at - 1][0].casefold() if self.at else ""
        self.computed |= self.words[first][0] in ("+", "-", "*", "/", "%", "mod") and not self._word(1).isdecimal()
        start, word = self.words[first].start(), self.words[first][0]
        forms, kind, cost = self._one()
        self.at = max(self.at, first + 1)
        if forms:
            yield Spoken(forms, start, before if before in _DIRECTIONS else "", kind, cost, word)

    def _one(self) -> tuple[dict[str, str], str, float]:
        word = self._word(0)
        if word[:1] == '"':
            self.at += 1
            return {"text": self.words[self.at - 1][0]}, "", 0.0
        if self.at and self.words[self.at - 1][0] in ("as", "called") and word[:1].isalpha():
            self.at += 1
            return {"new": self.words[self.at - 1][0]}, "", 0.0
        if word in _CONDITIONAL and (text := self._condition()):
            return {"condition": text}, "", 0.0
        number = self._number()
        if number:
            return {"number": number}, "", 0.0
        who = self._player()
        if who:
            return {"player": who} | ({"set": who} if who == "everyone" else {}), "player", 0.0
        if word in ("count", "total", "number") and (counted := self._counted(word)):
            return {"number": counted}, "", 0.0
        return self._named()

    # --- plain parts -----------------------------------------------------------------------------

    def _word(self, ahead: int) -> str:
        return self.words[self.at + ahead][0].casefold() if self.at + ahead < len(self.words) else ""

    def _condition(self) -> str:
        """What is asked after a word such as `where`, up to the next part of the line."""
        start = self.words[self.at].end()
        end = _BEHIND.search(self.text, start)
        text = self.text[start : end.start() if end else None].strip()
        asks = _ASKS.search(text)
        if not asks or self._word(0) == "with" and asks[0] in ("is", "has"):
            return ""
        while self.at < len(self.words) and self.words[self.at].start() < start + len(text) + 1:
            self.at += 1
        return text

    def _number(self) -> str:
        sign = self._word(0) if self._word(0) in ("+", "-") and self._word(1).isdecimal() else ""
        word = self._word(1 if sign else 0)
        if not word.isdecimal() and word not in NUMBERS:
            return ""
        self.at += 2 if sign else 1
        return sign.replace("+", "") + (word if word.isdecimal() else str(NUMBERS.index(word)))

    def _player(self) -> str:
        word = self._word(0)
        if word in ("left", "right"):
            self.at += 3 if self._word(1) == "of" and self._word(2) in _PLAYERS else 1
            return f"{word} of you"
        if word in ("first", "last") and self._word(1) == "of":
            name = self.declared.definitions.get(self._word(2))
            order = isinstance(name, t.Keep) and name.type.shape == "order" and self._of(name) == "player"
            self.at += 3 if order else 0
            return f"{word} of {self.words[self.at - 1][0]}" if order else ""
        self.at += word in _PLAYERS
        return _PLAYERS.get(word, "")

    def _counted(self, word: str) -> str:
        """`count of SET`, `total of DICE`."""
        at, self.at = self.at, self.at + (2 if self._word(1) == "of" else 1)
        forms = self._named()[0] if self.at < len(self.words) else {}
        of = forms.get("dice" if word == "total" else "set", "")
        if not of:
            self.at = at
        return f"{'total' if word == 'total' else 'count'} of {of}" if of else ""

    @staticmethod
    def _of(keep: t.Keep | t.FieldDef) -> str:
        return keep.type.name.word if keep.type is not None and keep.type.name is not None else ""

    # --- names -----------------------------------------------------------------------------------

    def _named(self) -> tuple[dict[str, str], str, float]:
        """What is declared, with what it is of; a name that is given in the rules; a new name."""
        for size in range(min(LONGEST_NAME, len(self.words) - self.at), 0, -1):
            some = [one[0] for one in self.words[self.at : self.at + size]]
            name = self.declared.meant(" ".join(some)) if all(one[0].isalpha() for one in some) else ""
            name = "" if some[0] in self.declared.fields and some[0] != name else name
            if name and not (size == 1 and some[0] in keywords() and name != some[0]):
                self.at += size
                return self._declared(name, some[-1])
        word = self._word(0)
        if word in self.declared.fields or word.removesuffix("s") in self.declared.fields:
            self.at += 1
            return self._field(word if word in self.declared.fields else word.removesuffix("s"))
        if word in ("player", "players"):
            self.at += 1
            return {"kind": "player", "set": "players"}, "player", 0.0
        if word in self.bound:
            self.at += 1
            return dict.fromkeys(("thing", "set", "number", "dice", "player", "resource", "local"), word), "", 0.0
        if word[:1].isalpha() and word not in keywords() and word not in known("fillers"):
            self.at += 1
            return {"new": self.words[self.at - 1][0]}, "", 0.0
        return {}, "", 0.0

    def _declared(self, name: str, said: str) -> tuple[dict[str, str], str, float]:
        one, sort = self.declared.definitions[name], self.declared.sort(name)
        if isinstance(one, t.Keep | t.Quantity | t.Term):
            return self._applied(one)
        if isinstance(one, t.Kind):
            return {"kind": name, "set": Filled(name, self.declared).many}, name, 0.0
        if isinstance(one, t.Resource | t.Group | t.Die):
            return self._resource(name, sort)
        if isinstance(one, t.Thing):
            return {"thing": name, one.kind.word: name}, one.kind.word, 0.0
        return {sort: name}, "", 0.0

    def _resource(self, name: str, sort: str) -> tuple[dict[str, str], str, float]:
        at = self.at
        if self._word(0) in _JOINTS:
            self.at += 1
            who = self._player()
            if who:
                text = f"{name} of {who}"
                return {"number": text, "resource": name, **({"asked": text} if who == "it" else {})}, "", 0.0
            self.at = at
        many = {"group": name, "resources": Filled(name, self.declared).many} if sort == "group" else {}
        return {"resource": name, sort: name, "asked": f"{name} of it", **many}, "", 0.0

    def _field(self, name: str) -> tuple[dict[str, str], str, float]:
        """A field, with the thing it is of."""
        shape, at = self.declared.shape(name), self.at
        sort = {"truth": "condition", "set": "set", "thing": "thing"}.get(shape, shape)
        self.at += self._word(0) in _JOINTS
        if self._word(0) in ("it", *self.bound):
            self.at += 1
            text = f"{name} of {self.words[self.at - 1][0]}"
            return {sort: text, **({"asked": text} if text.endswith(" it") else {})}, "", 0.0
        of = self._named()[0].get("thing", "") if self._word(0)[:1].isalpha() else ""
        if of:
            return {sort: f"{name} of {of}"}, "", 0.0
        self.at = at
        asked = {"asked": f"{name} of it"} if shape == "number" else {}
        return {"field": name, f"{sort}-field": name, **asked}, "", 0.0

    def _applied(self, one: t.Keep | t.Quantity | t.Term) -> tuple[dict[str, str], str, float]:
        """A keep, quantity or value with what it is of; `you`, where a player is missing."""
        args, cost = list[str](), 0.0
        if self.alone:
            sort = self.declared.sort(one.name.word)
            return {sort: one.name.word, "bare": one.name.word}, "", 0.0
        for param in one.params:
            arg = self._argument(param.kind.word)
            if not arg and param.kind.word == "player":
                arg, cost = "you", cost + _MADE_UP
            args += [arg] if arg else []
        sort = self.declared.sort(one.name.word)
        forms = {sort: one.name.word}
        if isinstance(one, t.Keep):
            forms["bare"] = one.name.word
        lacking = one.params[len(args) :]
        group = len(lacking) == 1 and isinstance(self.declared.definitions.get(lacking[0].kind.word), t.Group)
        if lacking and not group:
            return forms, "", cost
        text = one.name.word + "".join(
            f" {joint} {arg}" for joint, arg in zip(("of", *(one.joints or ("in",) * len(args))), args, strict=False)
        )
        kind = self._of(one) if isinstance(one, t.Keep) else ""
        return forms | dict.fromkeys(["amounts"] if group else _sorts(one), text), kind, cost

    def _argument(self, kind: str) -> str:
        """What follows, if it is a thing of a kind, a player or a resource of a group."""
        at = self.at
        self.at += self._word(0) in _JOINTS
        if kind == "player":
            found = self._player() or (self._word(0) if self._word(0) in self.bound else "")
            self.at += found in self.bound
        else:
            forms, of, _ = self._named() if self._word(0)[:1].isalpha() else ({}, "", 0.0)
            found = forms.get(kind, "") or (forms.get("resource", "") if self._grouped(kind) else "")
            found = found or (forms.get("thing", "") if of == kind or "local" in forms else "")
        if not found:
            self.at = at
        return found

    def _grouped(self, kind: str) -> bool:
        return isinstance(self.declared.definitions.get(kind), t.Group)


def _sorts(one: t.Keep | t.Quantity | t.Term) -> Sequence[str]:
    """What a keep, quantity or value is where a value stands."""
    if isinstance(one, t.Quantity):
        return ("number",)
    if isinstance(one, t.Term):
        return ("set", "thing", "condition")
    shape = one.type.shape
    more = {"number": ("number", "count"), "bag": ("set",), "truth": ("condition", "flag"), "thing": ("thing", "one")}
    player = shape == "thing" and one.type.name is not None and one.type.name.word == "player"
    return (*more.get(shape, (shape,)), "place", *(("player",) if player else ()))
