"""Games that begin in the middle: where, and with which values.

The way there is played at random, from the game's seed, so that all that goes on around the place is going on, and all
that must be there is there. Then players have what they begin a game with, and what is given counts. Journals of
strangers say how their games begin, so nothing is believed: no value gets in that could not be written down in the
rules' own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from edict.machine.loop import run
from edict.program import Program, Type
from edict.program import opcodes as o
from edict.program.cells import ordered
from edict.program.same import Same
from edict.table.addresses import PLAYER, Layout
from edict.table.chance import draw
from edict.table.errors import GameError

TABLE = "table"  # the entry that lays the table: values that keeps have from the start
COURSE = "course"  # the entry at which a game is played whose table is laid
TRIES = 20  # games played at random to come to a place
MOST_WORK = 30_000_000  # of the machine, in all of them: twenty games of a large one
MOST_CELLS = 10_000  # that are given
MOST_NUMBER = 10**18
Cells = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game begins, and with what.

    at: one of the program's entries; "" for the beginning, when the table is laid. cells: addresses with their values.
    you: whose turn or effect it is, by seat; -1: as it comes. about: a file of scenes and the name of one, which it is
    from.
    """

    at: str
    cells: Cells = ()
    you: int = -1
    about: tuple[str, str] = ("", "")

    def to_data(self) -> dict[str, Any]:
        """For the header of a journal."""
        return {"at": self.at, "cells": [list(cell) for cell in self.cells], "you": self.you, "about": [*self.about]}

    @staticmethod
    def from_data(data: Any) -> Opening | None:
        """None if that is none."""
        try:
            cells = tuple((address, value) for address, value in data["cells"])
            file, name = data["about"]
            opening = Opening(data["at"], cells, data["you"], (file, name))
        except (KeyError, TypeError, ValueError):
            return None
        numbers = (opening.you, *(number for cell in cells for number in cell))
        texts = all(type(one) is str for one in (opening.at, file, name))
        return opening if texts and all(type(one) is int for one in numbers) and len(cells) <= MOST_CELLS else None


def opened(program: Program, layout: Layout, opening: Opening, first: Sequence[int], seed: int) -> list[int]:
    """The state in which such a game begins; `first` is the one in which it would begin otherwise.

    Raises `GameError` if there is no such place, no game has come to it, or a value cannot be.
    """
    state = list(_reached(Same(program), opening.at, tuple(first), seed))
    if opening.at:
        _begin_anew(state, program, layout, first)
    else:
        begin_laid(state, program)
    cells = own_cells(program, layout, first[o.PLAYERS])
    for address, value in opening.cells:
        if address not in cells or not cells[address](value):
            raise GameError("the game begins with an invalid value", "the journal was changed or damaged")
        state[address] = value
    if opening.you >= first[o.PLAYERS]:
        raise GameError("the game begins with a player who does not exist", "the journal was changed or damaged")
    if opening.you >= 0:
        state[o.YOU] = opening.you
    state[o.SPENT], state[o.TOTAL], state[o.LOGGING] = 0, 0, 1
    return state


def _begin_anew(state: list[int], program: Program, layout: Layout, first: Sequence[int]) -> None:
    """Nobody has won or used anything on the way there."""
    usual = list(first)
    lay_table(usual, program)
    for cell in layout.cells.values():
        if cell.variable.resource:
            state[cell.address] = usual[cell.address]
    for period in program.periods:
        for seat in range(first[o.PLAYERS]):
            state[period.base + seat] = 0


def lay_table(state: list[int], program: Program, code: Sequence[int] = ()) -> None:
    """The order of the players, and everything that has an initial value."""
    state[o.PC], state[o.LOGGING] = dict(program.entries)[TABLE], 0
    run(code or program.code, state, [0])
    state[o.LOGGING], state[o.SPENT] = 1, 0


def begin_laid(state: list[int], program: Program, code: Sequence[int] = ()) -> None:
    """At the very beginning, with the table laid, so that values that are given count."""
    lay_table(state, program, code)
    state[o.PC] = dict(program.entries)[COURSE]


# --- the way there -------------------------------------------------------------------------------------


class _There(Exception):
    """The machine is about to carry out the instruction at the place."""


class _Watched(Sequence[int]):
    """The code, which stops whoever comes to a place."""

    def __init__(self, code: Sequence[int], place: int) -> None:
        self._code = code
        self._place = place

    def __getitem__(self, place: Any) -> Any:
        if place == self._place:
            raise _There
        return self._code[place]

    def __len__(self) -> int:
        return len(self._code)


@lru_cache(maxsize=32)
def _reached(same: Same, at: str, first: tuple[int, ...], seed: int) -> tuple[int, ...]:
    """The state in which a random game comes to an entry. Raises `GameError` if none does."""
    if not at:
        return first
    place = dict(same.program.entries).get(at)
    if place is None:
        raise GameError(f"no game can begin at `{at}`", "the rules have no place of that name")
    code = _Watched(same.program.code, place)
    work = 0
    for number in range(TRIES):
        state = [*first]
        state[o.LOGGING] = 0
        if _comes_there(code, state, seed + number, MOST_WORK - work):
            state[o.PC] = place
            return tuple(state)
        work += state[o.TOTAL]
    raise GameError(f"no game reached `{at}`", "begin at the start, or at a phase that is played in every game")


def _comes_there(code: Sequence[int], state: list[int], seed: int, most: int) -> bool:
    asked = 0
    try:
        while state[o.TOTAL] < most and run(code, state, [0]) == o.ASKING:
            state[o.ANSWER] = draw(seed, asked, state[o.OPTIONS])
            asked += 1
    except _There:
        return True
    return False


# --- what may stand where --------------------------------------------------------------------------------

Fits = Callable[[int], bool]


def own_cells(program: Program, layout: Layout, players: int) -> Mapping[int, Fits]:
    """Every cell that a game can begin with a value in, with what fits there."""
    return dict(_own_cells(program, layout, players))


def _own_cells(program: Program, layout: Layout, players: int) -> Iterator[tuple[int, Fits]]:
    for cell in layout.whole:
        of = cell.variable
        low = -MOST_NUMBER if of.least is None else of.least
        high = MOST_NUMBER if of.greatest is None else of.greatest
        if of.type.shape == "number":
            yield cell.address, partial(_between, low, high)
        elif of.type.cells > 1:
            members = len(program.kind_by_name[of.type.kind].things)
            for i in range(of.type.cells):
                here = min(o.BITS, max(0, members - o.BITS * i))  # of a set; in an order each cell holds any thing
                most = members - 1 if of.type.shape == "order" else (1 << here) - 1
                yield cell.address + i, partial(_between, -1 if of.type.shape == "order" else 0, most)
        else:
            yield cell.address, partial(_fits, program, of.type, players)
        if cell.known >= 0:
            yield cell.known, partial(_between, 0, (1 << players) - 1)
    for period in program.periods:
        for seat in range(players):
            yield period.base + seat, partial(_between, 0, (1 << len(period.abilities)) - 1)


def _between(low: int, high: int, value: int) -> bool:
    return low <= value <= high


def _fits(program: Program, of: Type, players: int, value: int) -> bool:
    """Whether a value is one of a type: a thing or none, some things, an order of things, dice, yes or no."""
    kind = program.kind_by_name.get(of.kind)
    members = players if of.kind == PLAYER else len(kind.things) if kind and kind.things else 62
    match of.shape:
        case "thing":
            return -1 <= value < members
        case "set":
            return 0 <= value < 1 << members
        case "order":
            found = ordered(value) if value >= 0 else (members,)
            packed = sum(one << (4 * place) for place, one in enumerate([*found, *[15] * (15 - len(found))]))
            return packed == value and len(set(found)) == len(found) and all(one < members for one in found)
        case "dice":
            return 0 <= value < 1 << program.dice.bits
        case _:
            return value in (0, 1)
