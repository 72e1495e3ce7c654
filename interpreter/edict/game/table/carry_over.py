"""Values carried over from one game of a campaign to the next, by names and independent of seats.

Values are what JSON can hold: a number, a truth, a name (or None), a list of names. Each has a key of the name of its
keep and of the players and things it belongs to: `("purse", "Ann"): 3`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from edict.game.table.addresses import PLAYER, VariableCell, bits_of, iter_cells, sizes_at_table
from edict.game.table.game_errors import GameError
from edict.game.table.journal import MOST_NUMBER, Cells, Key, Values
from edict.game.table.wording import NUMBER, Wording
from edict.runtime.program import Program, StateVariable, ValueType
from edict.runtime.program.cell_values import decode_order, encode_order, split_value
from edict.support.morphology import join_words, split_title
from edict.support.records import dataclass
from edict.support.report import suggest_word

MOST_DIGITS = 5  # of a number that indexes a keep or is a member of a set


class CarryOverError(GameError):
    """An error for a carried value that these rules cannot take; `keep` is its keep."""

    def __init__(self, reason: str, keep: str, remedy: str = "") -> None:
        self.keep = keep
        super().__init__(reason, remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.keep, self.remedy)


@dataclass(frozen=True)
class CarriedValues:
    """The values that rules carry over at a table of these players."""

    program: Program
    players: tuple[str, ...]

    @cached_property
    def variables(self) -> dict[str, StateVariable]:
        """Return the keeps that are carried over."""
        return {variable.name: variable for variable in self.program.variables if variable.lasting}

    @cached_property
    def _thing_indexes(self) -> dict[str, dict[str, int]]:
        """Return the index of each thing by kind and name, without players and numbers."""
        kinds = (kind for kind in self.program.kinds if kind.name not in (PLAYER, NUMBER))
        return {kind.name: {thing.name: i for i, thing in enumerate(kind.things)} for kind in kinds}

    @cached_property
    def _seats_by_name(self) -> dict[str, int]:
        """Return each player's seat by casefolded name."""
        return {player.casefold(): seat for seat, player in enumerate(self.players)}

    # --- out of a state

    def read_values(self, state: Sequence[int]) -> dict[Key, Any]:
        """Return every carried value in a state."""
        return {
            self._key_of(cell): self._to_value(cell.variable.type, cell.value(state)) for cell in self._iter_cells()
        }

    def merge_values(self, before: Values, state: Sequence[int]) -> dict[Key, Any]:
        """Return the values with which the next game begins: those of a state, and former ones of absent players.

        A thing that an absent player had, such as a crown, remains theirs unless somebody here has it.

        Args:
            before: The values with which this game began.
            state: The state at its end.
        """
        before, values = self.translate_values(before), self.read_values(state)
        for key, value in before.items():
            type_ = self.variables[key[0]].type
            if key not in values:
                values[key] = value
            elif type_.kind == PLAYER and type_.shape == "set":
                values[key] = [*values[key], *(name for name in value if self._seat_of(name) is None)]
            elif (
                type_.kind == PLAYER and type_.shape == "thing" and self._seat_of(value) is None and values[key] is None
            ):
                values[key] = value
        ordered_values = {key: values[key] for key in before}  # former keys keep their place
        return ordered_values | values

    def describe_values(self, values: Values) -> dict[str, tuple[str, str]]:
        """Return the title and the values in words of each keep."""
        wording = Wording(self.program, ())
        texts_by_keep: dict[str, list[str]] = {}
        for key, value in values.items():
            variable = self.variables[key[0]]
            if not value and any(kind != PLAYER for kind in variable.kinds):
                continue  # things with an empty value are not listed
            names = (wording.title_of_name(kind, name) for kind, name in zip(variable.kinds, key[1:], strict=True))
            owners, text = ", ".join(names), self._describe_value(wording, variable.type, value)
            texts_by_keep.setdefault(key[0], []).append(f"{owners} {text}" if owners else text)
        return {name: _title_and_texts(self.variables[name], texts) for name, texts in texts_by_keep.items()}

    def _describe_value(self, words: Wording, type_: ValueType, value: Any) -> str:
        """Return a carried value in words: titles for things, joined for a list, `none` if empty."""
        if isinstance(value, list):
            return join_words(words.title_of_name(type_.kind, name) for name in value) or "none"
        if isinstance(value, str):
            return words.title_of_name(type_.kind, value)
        return format_value(value)

    # --- into a state

    def to_cells(self, values: Values) -> Cells:
        """Return the cells that hold these values. Raises `CarryOverError` for a value that the rules cannot take."""
        values = self.translate_values(values)
        cells: list[tuple[int, int]] = []
        for cell in self._iter_cells():
            key = self._key_of(cell)
            value = self._to_number(cell.variable.type, values[key], key) if key in values else None
            if value is not None:
                self._check_range(cell.variable, value, key)
                cells += enumerate(split_value(cell.variable.type, value), cell.address)
        return tuple(cells)

    def check(self, values: Values) -> None:
        """Raise `CarryOverError` for a value that the rules cannot take at any table."""
        for key, value in self.translate_values(values).items():
            variable = self.variables[key[0]]
            number = self._to_number(variable.type, value, key)
            if number is not None:
                self._check_range(variable, number, key)

    def translate_values(self, values: Values) -> dict[Key, Any]:
        """Return the values under current names. Raises `CarryOverError` for a name that no longer exists."""
        return dict(self._translate_entry(key, value) for key, value in values.items())

    def _translate_entry(self, key: Key, value: Any) -> tuple[Key, Any]:
        """Return key and value under current names. Raise `CarryOverError` if the keep is gone or differs."""
        known = self.variables
        name = next((name for name in iter_readings(key[0], dict(self.program.renamed)) if name in known), "")
        if not name or len(known[name].kinds) != len(key) - 1:
            remedy = suggest_word(key[0], known) if not name else ""
            raise CarryOverError(f"these rules do not carry over {format_key(key)}", key[0], remedy)
        variable = known[name]
        owners = (self._translate_name(kind, name_, key) for kind, name_ in zip(variable.kinds, key[1:], strict=True))
        return (name, *owners), self._translate_value(variable.type, value, key)

    def _translate_value(self, type_: ValueType, value: Any, key: Key) -> Any:
        """Return a value with its things under current names; numbers, truths and None unchanged."""
        if type_.shape in ("set", "order") and isinstance(value, list):
            return [self._translate_name(type_.kind, name, key) for name in value]
        if type_.shape == "thing" and value is not None:
            return self._translate_name(type_.kind, value, key)
        return value

    def _translate_name(self, kind: str, name: Any, key: Key) -> str:
        """Return the current name of a thing or player; players who are absent keep theirs."""
        if not isinstance(name, str):
            raise CarryOverError(f"{format_key(key)} is not kept for a {kind} in these rules", key[0])
        if kind == PLAYER:
            seat = self._seat_of(name)
            return name if seat is None else self.players[seat]
        known = self._thing_indexes.get(kind, {})
        if not known and name.isdecimal() and len(name) <= MOST_DIGITS:
            return name
        current = next(
            (candidate for candidate in iter_readings(name, dict(self.program.renamed)) if candidate in known), None
        )
        if current is None:
            raise CarryOverError(f"{format_key(key)} speaks of `{name}`, and these rules have no such {kind}", key[0])
        return current

    def _to_number(self, type_: ValueType, value: Any, key: Key) -> int | None:
        """Return the cell number for a carried value of this type; None if its player is not at this table."""
        if type_.shape == NUMBER and type(value) is int:
            return value
        if type_.shape == "truth" and type(value) is bool:
            return int(value)
        if type_.shape == "thing" and (value is None or isinstance(value, str)):
            index = None if value is None else self._index_of(type_.kind, value)
            if index is not None:
                return index
            if type_.optional:
                return -1
            return None
        if type_.shape in ("set", "order") and isinstance(value, list):
            indexes = [index for name in value if (index := self._index_of(type_.kind, name)) is not None]
            if type_.shape == "set":
                return sum(1 << index_ for index_ in set(indexes))
            return encode_order(type_, self._complete_order(type_, indexes))
        raise CarryOverError(f"{format_key(key)} is {format_value(value)}, which is not a {type_.shape}", key[0])

    def _complete_order(self, type_: ValueType, indexes: list[int]) -> list[int]:
        """Return an order of all members: new ones come last, and an empty order stays empty."""
        known = list(dict.fromkeys(indexes))
        all_ = range(len(self.players if type_.kind == PLAYER else self._thing_indexes[type_.kind]))
        if known:
            return known + [member for member in all_ if member not in known]
        return []

    def _check_range(self, variable: StateVariable, value: int, key: Key) -> None:
        """Raise `CarryOverError` for a number outside the variable's bounds."""
        least = -MOST_NUMBER if variable.least is None else variable.least
        greatest = MOST_NUMBER if variable.greatest is None else variable.greatest
        if variable.type.shape == NUMBER and not least <= value <= greatest:
            bound = f"at least {least}" if value < least else f"at most {greatest}"
            raise CarryOverError(f"{format_key(key)} is {value}, and in these rules it is {bound}", key[0])

    # --- names

    def _iter_cells(self) -> Iterator[VariableCell]:
        """Yield every cell of the `lasting` variables, without cells of seats that nobody takes."""
        for variable in self.variables.values():
            sizes = sizes_at_table(variable, len(self.players))
            yield from (
                cell for cell in iter_cells(variable) if all(i < size for i, size in zip(cell.of, sizes, strict=True))
            )

    def _key_of(self, cell: VariableCell) -> Key:
        """Return a cell's key: the variable's name, then the names of the things it belongs to."""
        of = zip(cell.variable.kinds, cell.of, strict=True)
        return (cell.variable.name, *(self._name_of(kind, index) for kind, index in of))

    def _to_value(self, type_: ValueType, value: int) -> Any:
        """Convert the machine's number to a carried value: number, truth, name, None or list of names."""
        if type_.shape in (NUMBER, "truth"):
            return bool(value) if type_.shape == "truth" else value
        if type_.shape == "thing":
            return self._name_of(type_.kind, value) if value >= 0 else None
        return [self._name_of(type_.kind, i) for i in (bits_of(value) if type_.shape == "set" else decode_order(value))]

    def _name_of(self, kind: str, index: int) -> str:
        """Return the name of a player, a thing or a number."""
        if kind == PLAYER:
            return self.players[index]
        known = self.program.kind_by_name.get(kind)
        if known is not None and known.things:
            return known.things[index].name
        return str(index)

    def _index_of(self, kind: str, name: str) -> int | None:
        """Map a name in these rules to its index; None for an absent player."""
        if kind == PLAYER:
            return self._seat_of(name)
        if self._thing_indexes.get(kind):
            return self._thing_indexes[kind][name]
        return int(name)

    def _seat_of(self, name: Any) -> int | None:
        """Return a player's seat, or None if they are absent."""
        if isinstance(name, str):
            return self._seats_by_name.get(name.casefold())
        return None


def _title_and_texts(variable: StateVariable, texts: Sequence[str]) -> tuple[str, str]:
    """Return the title of a keep and its values: `Ann 3, Ben 5`, or `Merchant, Ann 2; Merchant, Ben 1`."""
    return split_title(variable.title)[0], ("; " if len(variable.kinds) > 1 else ", ").join(texts)


def format_key(key: Key) -> str:
    """Format a key: `purse` of Ann."""
    return f"`{key[0]}`" + (f" of {', '.join(key[1:])}" if len(key) > 1 else "")


def format_value(value: Any) -> str:
    """Format a number, a truth or none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


# --- names that have changed ----------------------------------------------------------------------------

# current names in the rules by former ones
Renamed = Mapping[str, str]


def iter_readings(text: str, renamed: Renamed) -> Iterator[str]:
    """Yield what a text of older rules can be now: renamed as a whole, as it is, with renamed words.

    These are: renamed as a whole, unchanged, renamed in part.
    """
    whole = text.casefold().replace(" ", "-")
    if whole in renamed:
        yield renamed[whole]
    yield text
    parts = sorted(renamed, key=len, reverse=True)
    pattern = "|".join(rf"(?<!\w){re.escape(old).replace(chr(92) + '-', '[ -]')}(?!\w)" for old in parts)
    if pattern:
        yield re.sub(pattern, lambda match: renamed[match[0].casefold().replace(" ", "-")], text, flags=re.IGNORECASE)
