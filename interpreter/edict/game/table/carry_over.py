"""What is carried over from one game of a campaign to the next: by names, whatever seats players have.

Values are what JSON can hold: a number, a truth, a name (or None), a list of names. Each stands under the name of its
keep and of whom and what it is for: `("purse", "Ann"): 3`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from edict.game.table.addresses import PLAYER, Cell, cells_of, seats_in, sizes_for
from edict.game.table.game_errors import GameError
from edict.game.table.journal import MOST_NUMBER, Cells, Key, Values
from edict.game.table.wording import NUMBER, Wording
from edict.runtime.program import Program, Type, Variable
from edict.runtime.program.cells import in_order, ordered, parts_of
from edict.support.morphology import join_words, split_title
from edict.support.report import did_you_mean

DIGITS = 5  # of a number that something is kept for, or that is a member of a set


class NoPlace(GameError):
    """A value that was carried over and that these rules have no place for; `keep` is where it stands."""

    def __init__(self, reason: str, keep: str, remedy: str = "") -> None:
        self.keep = keep
        super().__init__(reason, remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.keep, self.remedy)


@dataclass(frozen=True)
class Lasting:
    """What the rules carry over, at a table of these players."""

    program: Program
    players: tuple[str, ...]

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """The keeps that last."""
        return {one.name: one for one in self.program.variables if one.lasting}

    @cached_property
    def _things(self) -> dict[str, dict[str, int]]:
        """The number of each thing by its kind and name; players and numbers are not among them."""
        kinds = (kind for kind in self.program.kinds if kind.name not in (PLAYER, NUMBER))
        return {kind.name: {thing.name: i for i, thing in enumerate(kind.things)} for kind in kinds}

    @cached_property
    def _seats(self) -> dict[str, int]:
        return {player.casefold(): seat for seat, player in enumerate(self.players)}

    # --- out of a state

    def values(self, state: Sequence[int]) -> dict[Key, Any]:
        """Everything that lasts, as it is in a state."""
        return {self._key(cell): self._told(cell.variable.type, cell.value(state)) for cell in self._cells()}

    def carried_over(self, before: Values, state: Sequence[int]) -> dict[Key, Any]:
        """What the next game begins with: as it is in a state, and what concerns those who are not here, as it was.

        before: what this game began with. What was theirs, as a crown, remains so if it is nobody's here.
        """
        before, now = self.in_these_rules(before), self.values(state)
        for key, value in before.items():
            of = self.variables[key[0]].type
            if key not in now:
                now[key] = value
            elif of.kind == PLAYER and of.shape == "set":
                now[key] = [*now[key], *(name for name in value if self._seat(name) is None)]
            elif of.kind == PLAYER and of.shape == "thing" and self._seat(value) is None and now[key] is None:
                now[key] = value
        first_known = {key: now[key] for key in before}  # what was there keeps its place
        return first_known | now

    def told(self, values: Values) -> dict[str, tuple[str, str]]:
        """In words, by keep: its title, and what it is or what it is for each."""
        words = Wording(self.program, ())
        found: dict[str, list[str]] = {}
        for key, value in values.items():
            of = self.variables[key[0]]
            if not value and any(kind != PLAYER for kind in of.kinds):
                continue  # of many things, those with nothing are not worth a word
            names = (words.titled(kind, name) for kind, name in zip(of.kinds, key[1:], strict=True))
            whose, what = ", ".join(names), self._in_words(words, of.type, value)
            found.setdefault(key[0], []).append(f"{whose} {what}" if whose else what)
        return {name: _in_line(self.variables[name], texts) for name, texts in found.items()}

    def _in_words(self, words: Wording, of: Type, value: Any) -> str:
        if isinstance(value, list):
            return join_words(words.titled(of.kind, name) for name in value) or "none"
        return words.titled(of.kind, value) if isinstance(value, str) else said(value)

    # --- into a state

    def cells(self, values: Values) -> Cells:
        """The cells in which these values stand. Raises `NoPlace` for one that the rules have no place for."""
        values = self.in_these_rules(values)
        found: list[tuple[int, int]] = []
        for cell in self._cells():
            key = self._key(cell)
            value = self._meant(cell.variable.type, values[key], key) if key in values else None
            if value is not None:
                self._in_range(cell.variable, value, key)
                found += enumerate(parts_of(cell.variable.type, value), cell.address)
        return tuple(found)

    def check(self, values: Values) -> None:
        """Raises `NoPlace` for a value that the rules have no place for, whoever is here."""
        for key, value in self.in_these_rules(values).items():
            of = self.variables[key[0]]
            meant = self._meant(of.type, value, key)
            if meant is not None:
                self._in_range(of, meant, key)

    def in_these_rules(self, values: Values) -> dict[Key, Any]:
        """The values under the names that everything has now. Raises `NoPlace` for what there is no longer."""
        return dict(self._now(key, value) for key, value in values.items())

    def _now(self, key: Key, value: Any) -> tuple[Key, Any]:
        known = self.variables
        name = next((name for name in readings(key[0], dict(self.program.renamed)) if name in known), "")
        if not name or len(known[name].kinds) != len(key) - 1:
            remedy = did_you_mean(key[0], known) if not name else ""
            raise NoPlace(f"these rules do not carry over {spoken(key)}", key[0], remedy)
        of = known[name]
        whose = (self._name(kind, one, key) for kind, one in zip(of.kinds, key[1:], strict=True))
        return (name, *whose), self._renamed(of.type, value, key)

    def _renamed(self, of: Type, value: Any, key: Key) -> Any:
        if of.shape in ("set", "order") and isinstance(value, list):
            return [self._name(of.kind, one, key) for one in value]
        return self._name(of.kind, value, key) if of.shape == "thing" and value is not None else value

    def _name(self, kind: str, name: Any, key: Key) -> str:
        """What a thing is called now; players may be elsewhere, and still be called what they are."""
        if not isinstance(name, str):
            raise NoPlace(f"{spoken(key)} is not kept for a {kind} in these rules", key[0])
        if kind == PLAYER:
            seat = self._seat(name)
            return name if seat is None else self.players[seat]
        known = self._things.get(kind, {})
        if not known and name.isdecimal() and len(name) <= DIGITS:
            return name
        now = next((one for one in readings(name, dict(self.program.renamed)) if one in known), None)
        if now is None:
            raise NoPlace(f"{spoken(key)} speaks of `{name}`, and these rules have no such {kind}", key[0])
        return now

    def _meant(self, of: Type, value: Any, key: Key) -> int | None:
        """The value as the machine has it; None where it is a player who is not here, and there must be one."""
        if of.shape == NUMBER and type(value) is int:
            return value
        if of.shape == "truth" and type(value) is bool:
            return int(value)
        if of.shape == "thing" and (value is None or isinstance(value, str)):
            index = None if value is None else self._index(of.kind, value)
            return index if index is not None else -1 if of.optional else None
        if of.shape in ("set", "order") and isinstance(value, list):
            found = [index for name in value if (index := self._index(of.kind, name)) is not None]
            return sum(1 << one for one in set(found)) if of.shape == "set" else in_order(of, self._whole(of, found))
        raise NoPlace(f"{spoken(key)} is {said(value)}, which is not a {of.shape}", key[0])

    def _whole(self, of: Type, found: list[int]) -> list[int]:
        """An order of all there are: those that are new come last; one that was empty stays so."""
        first = list(dict.fromkeys(found))
        all_ = range(len(self.players if of.kind == PLAYER else self._things[of.kind]))
        return first + [one for one in all_ if one not in first] if first else []

    def _in_range(self, of: Variable, value: int, key: Key) -> None:
        least = -MOST_NUMBER if of.least is None else of.least
        greatest = MOST_NUMBER if of.greatest is None else of.greatest
        if of.type.shape == NUMBER and not least <= value <= greatest:
            bound = f"at least {least}" if value < least else f"at most {greatest}"
            raise NoPlace(f"{spoken(key)} is {value}, and in these rules it is {bound}", key[0])

    # --- names

    def _cells(self) -> Iterator[Cell]:
        """Each cell that lasts and belongs to somebody here, or to nobody."""
        for one in self.variables.values():
            sizes = sizes_for(one, len(self.players))
            yield from (c for c in cells_of(one) if all(i < size for i, size in zip(c.of, sizes, strict=True)))

    def _key(self, cell: Cell) -> Key:
        of = zip(cell.variable.kinds, cell.of, strict=True)
        return (cell.variable.name, *(self._called(kind, index) for kind, index in of))

    def _told(self, of: Type, value: int) -> Any:
        if of.shape in (NUMBER, "truth"):
            return bool(value) if of.shape == "truth" else value
        if of.shape == "thing":
            return self._called(of.kind, value) if value >= 0 else None
        return [self._called(of.kind, i) for i in (seats_in(value) if of.shape == "set" else ordered(value))]

    def _called(self, kind: str, index: int) -> str:
        """The name of a player, a thing or a number."""
        if kind == PLAYER:
            return self.players[index]
        known = self.program.kind_by_name.get(kind)
        return known.things[index].name if known is not None and known.things else str(index)

    def _index(self, kind: str, name: str) -> int | None:
        """The other way round, for names of these rules; None for players who are not here."""
        if kind == PLAYER:
            return self._seat(name)
        return self._things[kind][name] if self._things.get(kind) else int(name)

    def _seat(self, name: Any) -> int | None:
        """Where somebody sits; None if they are not here."""
        return self._seats.get(name.casefold()) if isinstance(name, str) else None


def _in_line(of: Variable, texts: Sequence[str]) -> tuple[str, str]:
    """The title of a keep, and its values: `Ann 3, Ben 5`, or `Merchant, Ann 2; Merchant, Ben 1`."""
    return split_title(of.title)[0], ("; " if len(of.kinds) > 1 else ", ").join(texts)


def spoken(key: Key) -> str:
    """`purse` of Ann."""
    return f"`{key[0]}`" + (f" of {', '.join(key[1:])}" if len(key) > 1 else "")


def said(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else "none" if value is None else str(value)


# --- names that have changed ----------------------------------------------------------------------------

Renamed = Mapping[str, str]
"""What something was called before, and what it is called now; both as names in the rules."""


def readings(text: str, renamed: Renamed) -> Iterator[str]:
    """What a text written before may be now, the likeliest first: renamed as a whole, as it was, renamed in part."""
    whole = text.casefold().replace(" ", "-")
    if whole in renamed:
        yield renamed[whole]
    yield text
    parts = sorted(renamed, key=len, reverse=True)
    pattern = "|".join(rf"(?<!\w){re.escape(old).replace(chr(92) + '-', '[ -]')}(?!\w)" for old in parts)
    if pattern:
        yield re.sub(pattern, lambda m: renamed[m[0].casefold().replace(" ", "-")], text, flags=re.IGNORECASE)
