"""How a game is set up: who sits down, which settings hold, and where it begins.

Games may begin in the middle. The way there is played at random, from the game's seed, so that all that goes on around
the place is going on, and all that must be there is there. Then players have what they begin a game with, and what is
given counts. Journals of strangers say how their games begin, so nothing is believed: no value gets in that could not
be written down in the rules' own words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from edict.game.table.addresses import PLAYER, Layout
from edict.game.table.game_errors import GameError
from edict.game.table.journal import MOST_NUMBER, Opening
from edict.game.table.seeded_luck import MOST_SEED, SEED_BITS, draw
from edict.runtime.machine.loop import run
from edict.runtime.machine.observed_code import ObservedCode
from edict.runtime.program import Program, Setting, Type, digest
from edict.runtime.program import opcodes as o
from edict.runtime.program.cells import ordered
from edict.runtime.program.same import Same
from edict.support.graphemes import characters, find_hidden, shortened
from edict.support.morphology import format_range
from edict.support.report import did_you_mean

# --- who sits down, and which settings hold -------------------------------------------------------------

LONGEST_NAME = 40  # characters as people count them
MOST_SIGNS = 400  # that these are made of
WORDS = {"on": 1, "yes": 1, "true": 1, "off": 0, "no": 0, "false": 0}


def checked_players(program: Program, names: Sequence[str]) -> tuple[str, ...]:
    """The players' names, optimized; raises `GameError` if they cannot sit down to this game."""
    if isinstance(names, str):
        raise GameError("players must be a list of names, not one text", 'write ["Ann", "Brian"]')
    players = tuple(checked_name(name) for name in names)
    low, high = program.least_players, program.most_players
    if not low <= len(players) <= high:
        wanted = format_range(low, high)
        raise GameError(f"{program.title} is for {wanted} players, not {len(players)}", f"name {wanted} players")
    seen: dict[str, str] = {}
    for name in players:
        if name.casefold() in seen:
            raise GameError(f"two players are called {name}", "give each player a different name")
        seen[name.casefold()] = name
    return players


def checked_name(name: object) -> str:
    """One name, with the space around it taken off."""
    if not isinstance(name, str):
        raise GameError(f"a player's name must be text, not {name!r}", "put it in quotes")
    tidy = unicodedata.normalize("NFC", name.strip())
    if not tidy:
        raise GameError("a player has no name", "give each player a name")
    length = len(characters(tidy))
    if len(tidy) > MOST_SIGNS:
        raise GameError("a player's name is made of too many signs", "leave some of them out")
    if length > LONGEST_NAME:
        raise GameError(f"a player's name is {length} characters long", f"at most {LONGEST_NAME} fit on the table")
    if find_hidden(tidy):
        raise GameError(f"the name {tidy!r} contains a character that cannot be displayed", "leave it out")
    return tidy


def short_name(name: str) -> str:
    """A name that somebody has typed, so that it is not too long."""
    return shortened(name.strip()[:MOST_SIGNS], LONGEST_NAME)


def checked_settings(program: Program, settings: Mapping[str, object]) -> dict[str, int]:
    """The value of every setting: the given ones, and the rules' own for the rest."""
    known = {setting.name: setting for setting in program.settings}
    values = {setting.name: setting.value for setting in program.settings}
    renamed = dict(program.renamed)
    for written, value in settings.items():
        name = written if written in known else renamed.get(written, written)
        if name not in known:
            near = did_you_mean(name, known)
            raise GameError(f"there is no setting `{name}`", near or f"the settings are: {', '.join(known) or 'none'}")
        values[name] = setting_value(known[name], value)
    return values


def setting_value(setting: Setting, value: object) -> int:
    """A setting's value as a number, from a truth, a number, or either as text."""
    raw = str(value).strip().casefold()
    if setting.truth:
        if raw in WORDS or raw in ("0", "1"):
            return WORDS.get(raw, 1 if raw == "1" else 0)
        raise GameError(f"invalid value for the setting `{setting.name}`: {value!r}", "it must be on or off")
    if isinstance(value, bool) or not raw.lstrip("-").isdecimal() or raw.count("-") > 1 or len(raw) > 9:
        raise GameError(f"invalid value for the setting `{setting.name}`: {value!r}", "it must be a whole number")
    number = int(raw)
    if setting.low is not None and setting.high is not None and not setting.low <= number <= setting.high:
        raise GameError(
            f"invalid value for the setting `{setting.name}`: {number}",
            f"it must be a number from {setting.low} to {setting.high}",
        )
    return number


def seed_of(text: str) -> int | None:
    """A seed as people write it: a number as it is, a word by its digest; None for nothing.

    Raises `GameError` for a number that is too large.
    """
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        return int(digest(text), 16)
    if len(text) > len(str(MOST_SEED)) or int(text) > MOST_SEED:
        raise GameError(
            f"the seed {text[:12]}... is too large", f"a seed is a word, or a whole number below 2**{SEED_BITS}"
        )
    return int(text)


# --- games that begin in the middle ---------------------------------------------------------------------

TABLE = "table"  # the entry that lays the table: values that keeps have from the start
COURSE = "course"  # the entry at which a game is played whose table is laid
TRIES = 20  # games played at random to come to a place
MOST_WORK = 30_000_000  # of the machine, in all of them: twenty games of a large one


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


class _StoppingCode(ObservedCode):
    """The code, which stops whoever comes to a place."""

    def __init__(self, code: Sequence[int], place: int) -> None:
        super().__init__(code)
        self._place = place

    def __getitem__(self, place: Any) -> Any:
        if place == self._place:
            raise _There
        return self.code[place]


@lru_cache(maxsize=32)
def _reached(same: Same, at: str, first: tuple[int, ...], seed: int) -> tuple[int, ...]:
    """The state in which a random game comes to an entry. Raises `GameError` if none does."""
    if not at:
        return first
    place = dict(same.program.entries).get(at)
    if place is None:
        raise GameError(f"no game can begin at `{at}`", "the rules have no place of that name")
    code = _StoppingCode(same.program.code, place)
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
        elif of.type.shape == "dice":
            for i in range(of.type.cells):
                yield cell.address + i, partial(_between, 0, (1 << program.dice.bits) - 1)
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
        case _:
            return value in (0, 1)
