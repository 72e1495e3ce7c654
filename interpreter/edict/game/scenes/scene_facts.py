"""The facts of scenes (`given` before and `then` after), read into cells of the state and written from states.

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
from dataclasses import field
from typing import Any

from edict.game.scenes.scene_files import Path_, Scene
from edict.game.scenes.scene_vocabulary import (
    NONE,
    SceneError,
    SceneVocabulary,
    describe_data,
    normalize_text,
    scene_error,
)
from edict.game.table.addresses import PLAYER, StateLayout, VariableCell, cell_of
from edict.runtime.program import StateVariable, ValueType
from edict.runtime.program.cell_values import decode_order, write_value
from edict.runtime.program.reasons import ComputedQuantity
from edict.support.morphology import split_title
from edict.support.records import dataclass
from edict.support.text import NOWHERE, Span

EVERYONE = "everyone"
KNOWS, KNOWS_NOT, READS, READS_NOT = " knows", " does not know", " reads", " does not read"
WINNERS, LOG, NOT_LOG, REST, OVER = "winners", "log", "not in the log", "rest", "over"
SPECIAL = (WINNERS, LOG, NOT_LOG, REST, OVER)  # words that only `then` may use
_AMOUNT = re.compile(r"(?:(\d{1,9})\s+)?(\S.*?)\s*")
_JOINT = re.compile(r"\s*,\s*|\s+and\s+")


@dataclass(frozen=True, slots=True)
class CellValue:
    """A cell with its value."""

    spot: VariableCell
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A quantity or value of some things with the expected result."""

    measure: ComputedQuantity
    of: tuple[int, ...]
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class KnowledgeFact:
    """A fact that a player knows or does not know a secret."""

    seat: int
    spot: VariableCell
    does: bool
    span: Span


@dataclass(frozen=True, slots=True)
class LogFact:
    """A text that a reader's log has or lacks."""

    text: str
    seat: int | None  # the reader, or None for one who sees everything
    is_expected: bool
    span: Span


@dataclass(slots=True)
class SceneFacts:
    """All facts of one map in a scene."""

    values: list[CellValue] = field(default_factory=list)
    measured: list[MeasuredValue] = field(default_factory=list)
    knows: list[KnowledgeFact] = field(default_factory=list)
    lines: list[LogFact] = field(default_factory=list)
    winners: tuple[list[int], Span] | None = None
    over: tuple[bool, Span] | None = None
    unchanged: Span | None = None  # place of `rest` in the scene (nothing else changed)
    errors: list[SceneError] = field(default_factory=list)


def read_facts(words: SceneVocabulary, scene: Scene, path: Path_, data: Any, expected: bool) -> SceneFacts:
    """Read the facts of a map; `expected` ones may also speak of the log, the winners and the rest."""
    return _FactReader(words, scene, expected).read(path, data)


class _FactReader:
    """Collects facts and the mistakes in them, entry by entry."""

    def __init__(self, words: SceneVocabulary, scene: Scene, expected: bool) -> None:
        self.words = words
        self.scene = scene
        self.expected = expected
        self.facts = SceneFacts()
        self.measures = words.measure_names if expected else ()

    def read(self, path: Path_, data: Any) -> SceneFacts:
        """Read all entries of a map."""
        if not isinstance(data, dict):
            raise scene_error(
                "S0003", f"{describe_data(data)} is not allowed here", self.scene.place(*path), "write `name: value`"
            )
        for key in data:
            try:
                self.read_entry((*path, key), key, data[key])
            except SceneError as error:
                self.facts.errors.append(error)
        return self.facts

    def read_entry(self, path: Path_, key: str, data: Any) -> None:
        """Read one entry of a map."""
        normalized = normalize_text(key)
        if self.expected and normalized in SPECIAL:
            return self.read_special(path, normalized, data)
        if normalized == EVERYONE or self.words.is_player(key):
            return self.read_player(path, key, data)
        for ending in (KNOWS_NOT, READS_NOT, KNOWS, READS):
            if normalized.endswith(ending) and self.words.is_player(key[: -len(ending)]):
                return self.read_reader(path, key[: -len(ending)], ending, data)
        span = self.scene.key_place(*path)
        suggestions = (*SPECIAL, *self.measures) if self.expected else ()
        target = self.find_quantity(key, span) or self.words.find_variable(key, span, suggestions)
        return self.read_nested_maps(path, target, (), data)

    # --- quantities

    def find_quantity(self, name: str, span: Span) -> ComputedQuantity | None:
        """Return the quantity of this name, if there is one. Raises `SceneError` if the scene gives it beforehand."""
        measure = self.words.find_measure(name)
        if measure is not None and not self.expected:
            remedy = "set the values it is computed from; expect its result under `then`"
            raise scene_error("S0003", f"`{name}` is computed by the rules", span, remedy)
        return measure

    # --- values

    def read_player(self, path: Path_, key: str, data: Any) -> None:
        """Read a player's variables, as in `Ann: {gold: 2}`."""
        everyone = normalize_text(key) == EVERYONE
        seats = range(len(self.words.players)) if everyone else [self.words.find_seat(key, self.scene.key_place(*path))]
        amounts = None if isinstance(data, dict) else self.read_amounts(path, data)
        for name, value in (data if amounts is None else amounts).items():
            try:
                span = self.scene.key_place(*path, name) if amounts is None else self.scene.place(*path)
                target = self.find_quantity(name, span) or self.words.find_variable(name, span, self.measures)
                position = self.player_position(target, span)
                for seat in seats:
                    self.read_nested_maps((*path, name), target, (), value, (position, seat))
            except SceneError as error:
                self.facts.errors.append(error)

    def read_amounts(self, path: Path_, data: Any) -> dict[str, int]:
        """Read amounts of resources, as in `2 gold and 1 wood` or `[2 gold, wood]`."""
        if isinstance(data, str):
            pieces: list[Any] = list(_JOINT.split(data))
        else:
            pieces = data if isinstance(data, list) else [data]
        amounts: dict[str, int] = {}
        for piece in pieces:
            match = _AMOUNT.fullmatch(piece) if isinstance(piece, str) else None
            matches = self.words.matching_variables(match[2]) if match else []
            if match is None or len(matches) != 1 or not matches[0].resource or matches[0].name in amounts:
                remedy = f"write `{{{self.example_name()}: 2}}`"
                raise scene_error(
                    "S0003", f"{describe_data(data)} is not allowed here", self.scene.place(*path), remedy
                )
            amounts[matches[0].name] = int(match[1] or 1)
        return amounts

    def example_name(self) -> str:
        """Return the name of a variable that each player has."""
        return next((v.name for v in self.words.program.variables if v.kinds == (PLAYER,)), "name")

    def player_position(self, variable: StateVariable | ComputedQuantity, span: Span) -> int:
        """Return the index of `player` in the variable's keys. Raises `SceneError` if it is not among them."""
        if PLAYER not in variable.kinds:
            title = variable.name
            raise scene_error(
                "S0003", f"there is no `{title}` for each player", span, f"write `{title}:` outside, on its own"
            )
        return variable.kinds.index(PLAYER)

    def read_nested_maps(
        self,
        path: Path_,
        what: StateVariable | ComputedQuantity,
        of: tuple[int, ...],
        data: Any,
        fixed: tuple[int, int] = (-1, -1),
    ) -> None:
        """Read a fact by walking maps, one level for each key of the variable: `visits: {Merchant: {Ann: 1}}`.

        Args:
            path: The path of the data in the scene.
            what: The variable or measure.
            of: The indices of the things read so far.
            data: The value, or a map by the next kind of thing.
            fixed: A position whose index is known already, and this index.
        """
        if len(of) == fixed[0]:
            of = (*of, fixed[1])
        if len(of) == len(what.kinds):
            self.read_value(path, what, of, data)
            return
        kind = what.kinds[len(of)]
        is_bag = len(of) == len(what.kinds) - 1 and not (self.expected and isinstance(data, dict))
        if isinstance(what, StateVariable) and what.counts and is_bag:
            self.read_bag(path, what, of, data)
            return
        if not isinstance(data, dict):
            remedy = f"write `{{{kind}: value}}`, because there is one for each {kind}"
            raise scene_error("S0003", f"{describe_data(data)} is not allowed here", self.scene.place(*path), remedy)
        for key, value in data.items():
            index = self.words.find_thing(kind, key, self.scene.key_place(*path, key))
            self.read_nested_maps((*path, key), what, (*of, index), value, fixed)

    def read_bag(self, path: Path_, variable: StateVariable, of: tuple[int, ...], data: Any) -> None:
        """Read a bag: a list in which a thing may occur several times, or a map of numbers."""
        for index, count in enumerate(self.words.parse_counts(variable.kinds[-1], data, self.scene.place(*path))):
            self.facts.values.append(CellValue(cell_of(variable, (*of, index)), count, self.scene.place(*path)))

    def read_value(self, path: Path_, what: StateVariable | ComputedQuantity, of: tuple[int, ...], data: Any) -> None:
        """Read the value of one cell or measure."""
        span = self.scene.place(*path)
        if isinstance(what, ComputedQuantity):
            self.facts.measured.append(
                MeasuredValue(what, of, self.words.parse_value(self.words.type_of(what), data, span), span)
            )
            return
        value = self.words.parse_value(what.type, data, span)
        if not self.expected:
            check_possible(what, value, span)
        self.facts.values.append(CellValue(cell_of(what, of), value, span))

    # --- who knows and reads what

    def read_reader(self, path: Path_, player: str, ending: str, data: Any) -> None:
        """Read `Ann knows`, `Ann reads` and their opposites: secrets by name, or lines of the log."""
        seat = self.words.find_seat(player, self.scene.key_place(*path))
        for text, span in self.scene.iter_texts(path, data):
            if ending in (KNOWS, KNOWS_NOT):
                for cell in self.find_secret_cells(text, span):
                    self.facts.knows.append(KnowledgeFact(seat, cell, ending == KNOWS, span))
            elif self.expected:
                self.facts.lines.append(LogFact(text, seat, ending == READS, span))
            else:
                raise scene_error("S0003", "a scene has no log at its start", span, "write it under `then`")

    def find_secret_cells(self, text: str, span: Span) -> list[VariableCell]:
        """Return the cells of `foe` or `hand of Ann`; for a bag without a thing, all of its cells."""
        name, _, of = text.partition(" of ")
        variable = self.words.find_variable(name, span)
        things = [part for part in of.split(",") if part.strip()]
        is_whole_bag = variable.counts and len(things) == len(variable.kinds) - 1
        if len(things) != len(variable.kinds) - is_whole_bag:
            example = f"write `{variable.name}" + "".join(f" of ({kind})" for kind in variable.kinds) + "`"
            raise scene_error("S0003", f"`{text}` does not say whose", span, example)
        if variable.known < 0:
            raise scene_error("S0003", f"`{variable.name}` is not secret", span, "delete it: everyone knows it")
        owner = [
            self.words.find_thing(kind, thing, span)
            for kind, thing in zip(variable.kinds, things, strict=not is_whole_bag)
        ]
        inside = [[i] for i in range(variable.sizes[-1])] if is_whole_bag else [[]]
        return [cell_of(variable, [*owner, *index]) for index in inside]

    # --- what can only be so afterwards

    def read_special(self, path: Path_, word: str, data: Any) -> None:
        """Read an entry that only `then` may have: the log, the winners, the end or the rest."""
        span = self.scene.place(*path)
        if word in (LOG, NOT_LOG):
            lines = self.scene.iter_texts(path, data)
            self.facts.lines += [LogFact(text, None, word == LOG, place) for text, place in lines]
        elif word == WINNERS:
            names = list(self.scene.iter_texts(path, data)) if data != "nobody" else []
            self.facts.winners = ([self.words.find_seat(name, place) for name, place in names], span)
        elif word == OVER and normalize_text(str(data)) in ("yes", "no"):
            self.facts.over = (normalize_text(str(data)) == "yes", span)
        elif word == REST and normalize_text(str(data)) == "unchanged":
            self.facts.unchanged = span
        else:
            wanted = "`unchanged`" if word == REST else "`yes` or `no`"
            raise scene_error("S0003", f"`{word}` cannot be {describe_data(data)}", span, f"write {wanted}")


def check_possible(variable: StateVariable, value: int, span: Span) -> None:
    """Raise `SceneError` for a value that the rules could never produce."""
    low, high = variable.least, variable.greatest
    if variable.type.shape == "thing" and value < 0 and not variable.type.optional:
        raise scene_error("S0006", f"`{variable.name}` is never none", span, f"name one {variable.type.kind}")
    if variable.type.shape == "number" and ((low is not None and value < low) or (high is not None and value > high)):
        bounds = f"never below {low}" if high is None else f"a number from {low} to {high}"
        remedy = f"write {low} or more" if high is None else f"write a number from {low} to {high}"
        raise scene_error("S0006", f"`{variable.name}` is {bounds}, not {value}", span, remedy)


# --- states as facts ------------------------------------------------------------------------------


Data = dict[str, Any]
GREATEST = 10**9  # numbers in a file have at most nine digits


class NotExpressible(Exception):
    """An error for a value that scenes cannot express."""


class StateWriter:
    """Writes states, and differences between states, as facts for one program and its players."""

    def __init__(self, words: SceneVocabulary, layout: StateLayout) -> None:
        self.words = words
        self.cells = [cell for cell in layout.unique_cells if words.is_in_range(cell.variable, cell.of)]

    def write_changes(self, before: Sequence[int], after: Sequence[int]) -> Data:
        """Return facts, as a scene writes them, for each cell whose value differs, with the value in `after`."""
        facts: Data = {}
        for cell in self.cells:
            if cell.value(before) != cell.value(after):
                self._put_fact(facts, cell, self.write_value(cell.variable.type, cell.value(after)))
        return self._order_facts(facts)

    def write_knowledge(self, before: Sequence[int], after: Sequence[int]) -> Data:
        """Return who has learned a secret or no longer knows it."""
        facts: Data = {}
        for cell in self.cells:
            changed_seats = before[cell.known] ^ after[cell.known] if cell.known >= 0 else 0
            for seat, player in enumerate(self.words.players):
                if changed_seats >> seat & 1:
                    ending = KNOWS if after[cell.known] >> seat & 1 else KNOWS_NOT
                    facts.setdefault(player + ending, []).append(self.secret_name(cell))
        return facts

    def write_given_facts(self, usual: Sequence[int], state: Sequence[int]) -> Data:
        """Return the facts that a scene must give so that `usual` becomes `state`, who knows what included."""
        prepared = list(usual)
        for cell in self.cells:
            if cell.value(prepared) != cell.value(state):
                write_value(cell.variable.type, prepared, cell.address, cell.value(state))
                if cell.known >= 0:  # `write_facts_into` makes given values known to their owner
                    prepared[cell.known] = cell.owner_mask
        return {**self.write_changes(usual, state), **self.write_knowledge(prepared, state)}

    # --- where it is written

    def _put_fact(self, facts: Data, cell: VariableCell, value: Any) -> None:
        """Put a value where it belongs: `year: 2`, `Ann: {gold: 2}` or `visits: {Merchant: {Ann: 1}}`."""
        name = self.variable_name(cell.variable)
        kinds = cell.variable.kinds
        keys = [self.thing_text(kind, index) for kind, index in zip(kinds, cell.of, strict=True)]
        path = [keys[0], name] if kinds == (PLAYER,) else [name, *keys]
        for key in path[:-1]:
            facts = facts.setdefault(key, {})
        facts[path[-1]] = value

    def _order_facts(self, entries: Data) -> Data:
        """Order facts: those of the table, those that all players share, then each player's."""
        players = [entries.pop(player, {}) for player in self.words.players]
        shared = {
            name: value
            for name, value in players[0].items()
            if len(players) > 1 and all(player.get(name, None) == value for player in players)
        }
        if shared:
            entries[EVERYONE] = shared
        for name, facts in zip(self.words.players, players, strict=True):
            own = {key: value for key, value in facts.items() if key not in shared}
            if own:
                entries[name] = own
        return entries

    def secret_name(self, cell: VariableCell) -> str:
        """Return the name of a secret cell, such as `foe` or `hand of Ann`."""
        names = [
            self.thing_text(kind, index, plain=True) for kind, index in zip(cell.variable.kinds, cell.of, strict=True)
        ]
        return cell.variable.name + (f" of {', '.join(names)}" if names else "")

    # --- words

    def variable_name(self, variable: StateVariable) -> str:
        """Return a variable's title if that is unambiguous, else its name. Raises `NotExpressible` if neither is."""
        title = split_title(variable.title, variable.plural)[0]
        for text in filter(None, (title, variable.name)):
            is_reserved = normalize_text(text) in (*SPECIAL, EVERYONE) or self.words.is_player(text)
            if not is_reserved and self.words.matching_variables(text) == [variable]:
                return text
        raise NotExpressible(variable.name)

    def thing_text(self, kind: str, index: int, plain: bool = False) -> str:
        """Return a thing's title, or its name if the title is ambiguous; `plain` excludes texts with commas."""
        thing = self.words.wording.thing(kind, index)
        texts = [str(index)] if thing is None else [thing.title, thing.name]
        for text in texts:
            usable = text and not (plain and ("," in text or " of " in text)) and normalize_text(text) not in NONE
            if usable and self.words.matching_things(kind, text) == [index]:
                return text
        raise NotExpressible(f"{kind} {index}")

    def write_value(self, type_: ValueType, value: int) -> Any:
        """Return a value as a scene writes it. Raises `NotExpressible` if it would be read as another."""
        data = self._value_to_data(type_, value)
        if self.words.parse_value(type_, data, NOWHERE) != value or abs(value) >= GREATEST and type_.shape == "number":
            raise NotExpressible(f"{type_.shape} {value}")
        return data

    def _value_to_data(self, type_: ValueType, value: int) -> Any:
        """Return a value as scene data: `yes`, a title, one text or a list, or a number."""
        if type_.shape == "truth":
            return "yes" if value else "no"
        if type_.shape == "thing":
            return self.thing_text(type_.kind, value) if value >= 0 else NONE[0]
        if type_.shape in ("set", "order"):
            members = decode_order(value) if type_.shape == "order" else self._set_members(value)
            return _collapse_list([self.thing_text(type_.kind, i) for i in members])
        if type_.shape == "dice":
            return _collapse_list(list(self.iter_dice(value)))
        return value

    @staticmethod
    def _set_members(value: int) -> list[int]:
        """Return the indexes of the bits that are set in a set's value, lowest first."""
        return [i for i in range(value.bit_length()) if value >> i & 1]

    def iter_dice(self, value: int) -> Iterator[str]:
        """Iterate over dice as text: `2 2 6` for the first kind of die, `bonus die 6` for others."""
        default_die = self.words.program.dice.kinds[0][0]
        for name, _, values in self.words.wording.faces(value):
            faces = " ".join(map(str, values))
            yield faces if name == default_die else f"{name} {faces}"


def _collapse_list(texts: list[str]) -> str | list[str]:
    """Return a single text by itself, several as a list."""
    if len(texts) < 2:
        return texts[0] if texts else NONE[0]
    return texts
