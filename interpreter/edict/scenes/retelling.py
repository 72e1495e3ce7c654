"""States in the words of scenes: what differs between two of them, as data that `facts` reads back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from edict.program import Type, Variable
from edict.program.cells import ordered, put
from edict.scenes.facts import EVERYONE, KNOWS, KNOWS_NOT, SPECIAL
from edict.scenes.words import NONE, Words, folded
from edict.table.addresses import PLAYER, Cell, Layout
from edict.table.wording import forms
from edict.text import NOWHERE

Data = dict[str, Any]
MOST = 10**9  # a number in a file has at most nine digits


class Unspeakable(Exception):
    """A value that scenes have no words for."""


class Retelling:
    """Tells values, and what has become different, for one program and its players."""

    def __init__(self, words: Words, layout: Layout) -> None:
        self.words = words
        self.cells = [cell for cell in layout.whole if words.in_range(cell.variable, cell.of)]

    def changes(self, before: Sequence[int], after: Sequence[int]) -> Data:
        """Every cell whose value differs, as facts of the state `after`."""
        told: Data = {}
        for cell in self.cells:
            if cell.value(before) != cell.value(after):
                self._put(told, cell, self.value(cell.variable.type, cell.value(after)))
        return self._in_order(told)

    def knowledge(self, before: Sequence[int], after: Sequence[int]) -> Data:
        """Who has come to know a secret, or no longer knows it."""
        told: Data = {}
        for cell in self.cells:
            differ = before[cell.known] ^ after[cell.known] if cell.known >= 0 else 0
            for seat, player in enumerate(self.words.players):
                if differ >> seat & 1:
                    ending = KNOWS if after[cell.known] >> seat & 1 else KNOWS_NOT
                    told.setdefault(player + ending, []).append(self.secret(cell))
        return told

    def given(self, usual: Sequence[int], state: Sequence[int]) -> Data:
        """What must be given for `usual` to become `state`, and who knows what of it."""
        laid = list(usual)
        for cell in self.cells:
            if cell.value(laid) != cell.value(state):
                put(cell.variable.type, laid, cell.address, cell.value(state))
                if cell.known >= 0:  # what is given is known to its owner, as `lay_out` has it
                    laid[cell.known] = 1 << cell.of[0] if cell.variable.kinds[:1] == (PLAYER,) else 0
        return {**self.changes(usual, state), **self.knowledge(laid, state)}

    # --- where it is written

    def _put(self, told: Data, cell: Cell, value: Any) -> None:
        """`year: 2`, `Ann: {gold: 2}`, or `visits: {Merchant: {Ann: 1}}`."""
        name = self.name(cell.variable)
        kinds = cell.variable.kinds
        keys = [self.thing(kind, index) for kind, index in zip(kinds, cell.of, strict=True)]
        path = [keys[0], name] if kinds == (PLAYER,) else [name, *keys]
        for key in path[:-1]:
            told = told.setdefault(key, {})
        told[path[-1]] = value

    def _in_order(self, told: Data) -> Data:
        """First what the whole table has, then what is the same for everybody, then each player."""
        players = [told.pop(player, {}) for player in self.words.players]
        alike = {
            name: value
            for name, value in players[0].items()
            if len(players) > 1 and all(player.get(name, None) == value for player in players)
        }
        if alike:
            told[EVERYONE] = alike
        for name, facts in zip(self.words.players, players, strict=True):
            own = {key: value for key, value in facts.items() if key not in alike}
            if own:
                told[name] = own
        return told

    def secret(self, cell: Cell) -> str:
        """`foe`, or `hand of Ann`."""
        names = [self.thing(kind, index, plain=True) for kind, index in zip(cell.variable.kinds, cell.of, strict=True)]
        return cell.variable.name + (f" of {', '.join(names)}" if names else "")

    # --- words

    def name(self, variable: Variable) -> str:
        """Its title, if that is a word or two and means nothing else; else its name."""
        title = forms(variable.title, variable.plural)[0]
        for text in filter(None, (title, variable.name)):
            special = folded(text) in (*SPECIAL, EVERYONE) or self.words.is_player(text)
            if not special and self.words.variables(text) == [variable]:
                return text
        raise Unspeakable(variable.name)

    def thing(self, kind: str, index: int, plain: bool = False) -> str:
        """A thing by its title, or by its name where the title could mean another; `plain`: without commas."""
        named = self.words.wording.thing(kind, index)
        texts = [str(index)] if named is None else [named.title, named.name]
        for text in texts:
            usable = text and not (plain and ("," in text or " of " in text)) and folded(text) not in NONE
            if usable and self.words.things(kind, text) == [index]:
                return text
        raise Unspeakable(f"{kind} {index}")

    def value(self, type_: Type, value: int) -> Any:
        """A value as a scene writes it. Raises `Unspeakable` if what is written would be read as another."""
        told = self._value(type_, value)
        if self.words.value(type_, told, NOWHERE) != value or abs(value) >= MOST and type_.shape == "number":
            raise Unspeakable(f"{type_.shape} {value}")
        return told

    def _value(self, type_: Type, value: int) -> Any:
        if type_.shape == "truth":
            return "yes" if value else "no"
        if type_.shape == "thing":
            return self.thing(type_.kind, value) if value >= 0 else NONE[0]
        if type_.shape in ("set", "order"):
            members = ordered(value) if type_.shape == "order" else self._members(value)
            return _listed([self.thing(type_.kind, i) for i in members])
        if type_.shape == "dice":
            return _listed(list(self.dice(value)))
        return value

    @staticmethod
    def _members(value: int) -> list[int]:
        return [i for i in range(value.bit_length()) if value >> i & 1]

    def dice(self, value: int) -> Iterator[str]:
        """`2 2 6` of the first kind of die, `bonus die 6` of others."""
        plain = self.words.program.dice.kinds[0][0]
        for name, _, shown in self.words.wording.faces(value):
            faces = " ".join(map(str, shown))
            yield faces if name == plain else f"{name} {faces}"


def _listed(texts: list[str]) -> str | list[str]:
    """One alone, several as a list."""
    if len(texts) < 2:
        return texts[0] if texts else NONE[0]
    return texts
