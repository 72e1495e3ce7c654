"""What is `given` before a scene and what should be so `then`: facts as cells of the state, and states as facts.

year: 2                              a keep of the whole table
turn-order: [Brian, Ann]
Ann: {gold: 2, owned: [statue]}      what a player has
Ben: 2 gold and 1 wood               the same of resources only
everyone: {gold: 0}
visits: {merchant: {Ann: 1}}         a keep of things and players
Ann knows: foe                       who has seen a secret; also `Ann does not know`
Ann: {strength: 7}                   a quantity or value, only afterwards
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from edict.game.scenes.scene_files import Path_, Scene
from edict.game.scenes.scene_vocabulary import NONE, SceneError, SceneVocabulary, described, folded, wrong
from edict.game.table.addresses import PLAYER, Cell, Layout, cell_of
from edict.runtime.program import Type, Variable
from edict.runtime.program.cells import ordered, put
from edict.runtime.program.reasons import Measure
from edict.support.morphology import split_title
from edict.support.text import NOWHERE, Span

EVERYONE = "everyone"
KNOWS, KNOWS_NOT, READS, READS_NOT = " knows", " does not know", " reads", " does not read"
WINNERS, LOG, NOT_LOG, REST, OVER = "winners", "log", "not in the log", "rest", "over"
SPECIAL = (WINNERS, LOG, NOT_LOG, REST, OVER)
_AMOUNT = re.compile(r"(?:(\d{1,9})\s+)?(\S.*?)\s*")
_JOINT = re.compile(r"\s*,\s*|\s+and\s+")


@dataclass(frozen=True, slots=True)
class CellValue:
    """A cell and what stands in it."""

    spot: Cell
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class MeasuredValues:
    """A quantity or value of some things, and what it should come to."""

    measure: Measure
    of: tuple[int, ...]
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class Knows:
    """Whether a player knows a secret."""

    seat: int
    spot: Cell
    does: bool
    span: Span


@dataclass(frozen=True, slots=True)
class LogLine:
    """A text that stands, or does not stand, in the log as `seat` (None: somebody who sees all) may read it."""

    text: str
    seat: int | None
    there: bool
    span: Span


@dataclass(slots=True)
class PlaceFacts:
    """All facts of one place in a scene; `found` is what cannot be understood of them."""

    values: list[CellValue] = field(default_factory=list)
    measured: list[MeasuredValues] = field(default_factory=list)
    knows: list[Knows] = field(default_factory=list)
    lines: list[LogLine] = field(default_factory=list)
    winners: tuple[list[int], Span] | None = None
    over: tuple[bool, Span] | None = None
    unchanged: Span | None = None  # where it says that nothing else changed
    found: list[SceneError] = field(default_factory=list)


def read_facts(words: SceneVocabulary, scene: Scene, path: Path_, data: Any, expected: bool) -> PlaceFacts:
    """The facts in a map; `expected` ones may also speak of the log, the winners and the rest."""
    return _Reader(words, scene, expected).read(path, data)


class _Reader:
    """Gathers facts, and the mistakes in them, one entry at a time."""

    def __init__(self, words: SceneVocabulary, scene: Scene, expected: bool) -> None:
        self.words = words
        self.scene = scene
        self.expected = expected
        self.facts = PlaceFacts()
        self.measures = words.measures if expected else ()

    def read(self, path: Path_, data: Any) -> PlaceFacts:
        if not isinstance(data, dict):
            raise wrong(
                "S0003", f"{described(data)} is not allowed here", self.scene.place(*path), "write `name: value`"
            )
        for key in data:
            try:
                self.entry((*path, key), key, data[key])
            except SceneError as error:
                self.facts.found.append(error)
        return self.facts

    def entry(self, path: Path_, key: str, data: Any) -> None:
        word = folded(key)
        if self.expected and word in SPECIAL:
            return self.special(path, word, data)
        if word == EVERYONE or self.words.is_player(key):
            return self.of_player(path, key, data)
        for ending in (KNOWS_NOT, READS_NOT, KNOWS, READS):
            if word.endswith(ending) and self.words.is_player(key[: -len(ending)]):
                return self.seen(path, key[: -len(ending)], ending, data)
        span = self.scene.key(*path)
        also = (*SPECIAL, *self.measures) if self.expected else ()
        what = self.quantity(key, span) or self.words.variable(key, span, also)
        return self.nested(path, what, (), data)

    # --- quantities

    def quantity(self, name: str, span: Span) -> Measure | None:
        """The quantity that is meant, if one is. Before a scene it cannot be given."""
        found = self.words.measure(name)
        if found is not None and not self.expected:
            remedy = "give what it is worked out from; what it comes to can be expected under `then`"
            raise wrong("S0003", f"`{name}` is worked out by the rules", span, remedy)
        return found

    # --- values

    def of_player(self, path: Path_, key: str, data: Any) -> None:
        """`Ann: {gold: 2}`: what each variable is for this player."""
        everyone = folded(key) == EVERYONE
        seats = range(len(self.words.players)) if everyone else [self.words.seat(key, self.scene.key(*path))]
        short = None if isinstance(data, dict) else self.in_short(path, data)
        for name, value in (data if short is None else short).items():
            try:
                span = self.scene.key(*path, name) if short is None else self.scene.place(*path)
                meant = self.quantity(name, span) or self.words.variable(name, span, self.measures)
                place = self.player_place(meant, span)
                for seat in seats:
                    self.nested((*path, name), meant, (), value, (place, seat))
            except SceneError as error:
                self.facts.found.append(error)

    def in_short(self, path: Path_, data: Any) -> dict[str, int]:
        """`2 gold and 1 wood`, `[2 gold, wood]`: how much there is of which resources."""
        pieces = _JOINT.split(data) if isinstance(data, str) else data if isinstance(data, list) else [data]
        found: dict[str, int] = {}
        for piece in pieces:
            match = _AMOUNT.fullmatch(piece) if isinstance(piece, str) else None
            meant = self.words.variables(match[2]) if match else []
            if match is None or len(meant) != 1 or not meant[0].resource or meant[0].name in found:
                remedy = f"write `{{{self.example()}: 2}}`"
                raise wrong("S0003", f"{described(data)} is not allowed here", self.scene.place(*path), remedy)
            found[meant[0].name] = int(match[1] or 1)
        return found

    def example(self) -> str:
        """A variable each player has."""
        return next((v.name for v in self.words.program.variables if v.kinds == (PLAYER,)), "name")

    def player_place(self, variable: Variable | Measure, span: Span) -> int:
        if PLAYER not in variable.kinds:
            title = variable.name
            raise wrong("S0003", f"`{title}` is not kept for each player", span, f"write `{title}:` outside, by itself")
        return variable.kinds.index(PLAYER)

    def nested(
        self, path: Path_, what: Variable | Measure, of: tuple[int, ...], data: Any, fixed: tuple[int, int] = (-1, -1)
    ) -> None:
        """Go down the maps of what is kept, or worked out, for several things; `fixed`: a place already known."""
        if len(of) == fixed[0]:
            of = (*of, fixed[1])
        if len(of) == len(what.kinds):
            self.value(path, what, of, data)
            return
        kind = what.kinds[len(of)]
        whole = len(of) == len(what.kinds) - 1 and not (self.expected and isinstance(data, dict))
        if isinstance(what, Variable) and what.counts and whole:
            self.bag(path, what, of, data)
            return
        if not isinstance(data, dict):
            remedy = f"write `{{{kind}: value}}`, as it is kept for each {kind}"
            raise wrong("S0003", f"{described(data)} is not allowed here", self.scene.place(*path), remedy)
        for key, value in data.items():
            index = self.words.thing(kind, key, self.scene.key(*path, key))
            self.nested((*path, key), what, (*of, index), value, fixed)

    def bag(self, path: Path_, variable: Variable, of: tuple[int, ...], data: Any) -> None:
        """All that is in a bag: a list in which a thing may stand several times, or a map of how many there are."""
        for index, many in enumerate(self.words.counts(variable.kinds[-1], data, self.scene.place(*path))):
            self.facts.values.append(CellValue(cell_of(variable, (*of, index)), many, self.scene.place(*path)))

    def value(self, path: Path_, what: Variable | Measure, of: tuple[int, ...], data: Any) -> None:
        span = self.scene.place(*path)
        if isinstance(what, Measure):
            self.facts.measured.append(
                MeasuredValues(what, of, self.words.value(self.words.type_of(what), data, span), span)
            )
            return
        value = self.words.value(what.type, data, span)
        if not self.expected:
            check_possible(what, value, span)
        self.facts.values.append(CellValue(cell_of(what, of), value, span))

    # --- who knows and reads what

    def seen(self, path: Path_, player: str, ending: str, data: Any) -> None:
        seat = self.words.seat(player, self.scene.key(*path))
        for text, span in self.scene.texts(path, data):
            if ending in (KNOWS, KNOWS_NOT):
                for spot in self.secret(text, span):
                    self.facts.knows.append(Knows(seat, spot, ending == KNOWS, span))
            elif self.expected:
                self.facts.lines.append(LogLine(text, seat, ending == READS, span))
            else:
                raise wrong("S0003", "a scene has no log before it begins", span, "write it under `then`")

    def secret(self, text: str, span: Span) -> list[Cell]:
        """The cell meant by `foe`, or `hand of Ann`; of a bag all cells, unless it is said of what."""
        name, _, of = text.partition(" of ")
        variable = self.words.variable(name, span)
        things = [part for part in of.split(",") if part.strip()]
        whole = variable.counts and len(things) == len(variable.kinds) - 1
        if len(things) != len(variable.kinds) - whole:
            wanted = f"write `{variable.name}" + "".join(f" of ({kind})" for kind in variable.kinds) + "`"
            raise wrong("S0003", f"`{text}` does not say whose", span, wanted)
        if variable.known < 0:
            raise wrong("S0003", f"`{variable.name}` is not secret", span, "delete it: everyone knows it")
        owner = [self.words.thing(kind, thing, span) for kind, thing in zip(variable.kinds, things, strict=not whole)]
        inside = [[i] for i in range(variable.sizes[-1])] if whole else [[]]
        return [cell_of(variable, [*owner, *one]) for one in inside]

    # --- what can only be so afterwards

    def special(self, path: Path_, word: str, data: Any) -> None:
        span = self.scene.place(*path)
        if word in (LOG, NOT_LOG):
            lines = self.scene.texts(path, data)
            self.facts.lines += [LogLine(text, None, word == LOG, place) for text, place in lines]
        elif word == WINNERS:
            names = list(self.scene.texts(path, data)) if data != "nobody" else []
            self.facts.winners = ([self.words.seat(name, place) for name, place in names], span)
        elif word == OVER and folded(str(data)) in ("yes", "no"):
            self.facts.over = (folded(str(data)) == "yes", span)
        elif word == REST and folded(str(data)) == "unchanged":
            self.facts.unchanged = span
        else:
            wanted = "`unchanged`" if word == REST else "`yes` or `no`"
            raise wrong("S0003", f"`{word}` cannot be {described(data)}", span, f"write {wanted}")


def check_possible(variable: Variable, value: int, span: Span) -> None:
    """What the rules could never bring about cannot be given. Raises `SceneError`."""
    low, high = variable.least, variable.greatest
    if variable.type.shape == "thing" and value < 0 and not variable.type.optional:
        raise wrong("S0006", f"`{variable.name}` is never none", span, f"name one {variable.type.kind}")
    if variable.type.shape == "number" and ((low is not None and value < low) or (high is not None and value > high)):
        bounds = f"never below {low}" if high is None else f"a number from {low} to {high}"
        remedy = f"write {low} or more" if high is None else f"write a number from {low} to {high}"
        raise wrong("S0006", f"`{variable.name}` is {bounds}, not {value}", span, remedy)


# --- states as facts ------------------------------------------------------------------------------


Data = dict[str, Any]
GREATEST = 10**9  # a number in a file has at most nine digits


class NotExpressible(Exception):
    """A value that scenes have no words for."""


class StateWriter:
    """Tells values, and what has become different, for one program and its players."""

    def __init__(self, words: SceneVocabulary, layout: Layout) -> None:
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
                    laid[cell.known] = cell.owner_mask
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
        title = split_title(variable.title, variable.plural)[0]
        for text in filter(None, (title, variable.name)):
            special = folded(text) in (*SPECIAL, EVERYONE) or self.words.is_player(text)
            if not special and self.words.variables(text) == [variable]:
                return text
        raise NotExpressible(variable.name)

    def thing(self, kind: str, index: int, plain: bool = False) -> str:
        """A thing by its title, or by its name where the title could mean another; `plain`: without commas."""
        named = self.words.wording.thing(kind, index)
        texts = [str(index)] if named is None else [named.title, named.name]
        for text in texts:
            usable = text and not (plain and ("," in text or " of " in text)) and folded(text) not in NONE
            if usable and self.words.things(kind, text) == [index]:
                return text
        raise NotExpressible(f"{kind} {index}")

    def value(self, type_: Type, value: int) -> Any:
        """A value as a scene writes it. Raises `NotExpressible` if what is written would be read as another."""
        told = self._value(type_, value)
        if self.words.value(type_, told, NOWHERE) != value or abs(value) >= GREATEST and type_.shape == "number":
            raise NotExpressible(f"{type_.shape} {value}")
        return told

    def _value(self, type_: Type, value: int) -> Any:
        if type_.shape == "truth":
            return "yes" if value else "no"
        if type_.shape == "thing":
            return self.thing(type_.kind, value) if value >= 0 else NONE[0]
        if type_.shape in ("set", "order"):
            members = ordered(value) if type_.shape == "order" else self._members(value)
            return _one_or_list([self.thing(type_.kind, i) for i in members])
        if type_.shape == "dice":
            return _one_or_list(list(self.dice(value)))
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


def _one_or_list(texts: list[str]) -> str | list[str]:
    """One alone, several as a list."""
    if len(texts) < 2:
        return texts[0] if texts else NONE[0]
    return texts
