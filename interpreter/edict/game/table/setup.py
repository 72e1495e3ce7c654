"""The setup of a game: its players, its settings and its start.

Games may start in the middle. The way there is played at random from the game's seed, so that everything around the
place is in progress. Then players get what they start a game with, and given values are written. Journals of
strangers say how their games start, so nothing is trusted: every value must be one that the rules can express.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from edict.game.table.addresses import PLAYER, StateLayout
from edict.game.table.game_errors import GameError
from edict.game.table.journal import MOST_NUMBER, Opening
from edict.game.table.seeded_draws import MOST_SEED, SEED_BITS, draw
from edict.runtime.machine.events import ObservedCode
from edict.runtime.machine.loop import run
from edict.runtime.program import LinkedSetting, Program, ProgramKey, ValueType, digest
from edict.runtime.program import opcodes as o
from edict.runtime.program.cell_values import decode_order, encode_order
from edict.support.graphemes import find_hidden_character, split_graphemes, truncate_graphemes
from edict.support.morphology import format_range
from edict.support.report import suggest_word

# --- who sits down, and which settings hold -------------------------------------------------------------

LONGEST_NAME = 40  # characters as people count them
MOST_CODE_POINTS = 400  # code points of a name
TRUTH_WORDS = {"on": 1, "yes": 1, "true": 1, "off": 0, "no": 0, "false": 0}


def check_players(program: Program, names: Sequence[str]) -> tuple[str, ...]:
    """Return the players' names in normal form. Raises `GameError` if they cannot play this game."""
    if isinstance(names, str):
        raise GameError("players must be a list of names, not one text", 'write ["Ann", "Brian"]')
    players = tuple(check_name(name) for name in names)
    low, high = program.least_players, program.most_players
    if not low <= len(players) <= high:
        allowed = format_range(low, high)
        raise GameError(f"{program.title} is for {allowed} players, not {len(players)}", f"name {allowed} players")
    names_by_folded: dict[str, str] = {}
    for name in players:
        if name.casefold() in names_by_folded:
            raise GameError(f"two players are called {name}", "give each player a different name")
        names_by_folded[name.casefold()] = name
    return players


def check_name(name: object) -> str:
    """Return one name in normal form. Raises `GameError`."""
    if not isinstance(name, str):
        raise GameError(f"a player's name must be text, not {name!r}", "put it in quotes")
    normalized = unicodedata.normalize("NFC", name.strip())
    if not normalized:
        raise GameError("a player has no name", "give each player a name")
    length = len(split_graphemes(normalized))
    if len(normalized) > MOST_CODE_POINTS:
        raise GameError("a player's name is made of too many signs", "leave some of them out")
    if length > LONGEST_NAME:
        raise GameError(f"a player's name is {length} characters long", f"at most {LONGEST_NAME} fit on the table")
    if find_hidden_character(normalized):
        raise GameError(f"the name {normalized!r} contains a character that cannot be displayed", "leave it out")
    return normalized


def shorten_name(name: str) -> str:
    """Shorten a typed name to the allowed length."""
    return truncate_graphemes(name.strip()[:MOST_CODE_POINTS], LONGEST_NAME)


def check_settings(program: Program, settings: Mapping[str, object]) -> dict[str, int]:
    """Return the value of every setting: the given ones and the rules' defaults. Raises `GameError`."""
    known = {setting.name: setting for setting in program.settings}
    values = {setting.name: setting.value for setting in program.settings}
    renamed = dict(program.renamed)
    for given_name, value in settings.items():
        name = given_name if given_name in known else renamed.get(given_name, given_name)
        if name not in known:
            suggestion = suggest_word(name, known)
            raise GameError(
                f"there is no setting `{name}`", suggestion or f"the settings are: {', '.join(known) or 'none'}"
            )
        values[name] = parse_setting(known[name], value)
    return values


def parse_setting(setting: LinkedSetting, value: object) -> int:
    """Return a setting's value as a number from a truth, a number or either as text. Raises `GameError`."""
    raw = str(value).strip().casefold()
    if setting.truth:
        if raw in TRUTH_WORDS or raw in ("0", "1"):
            return TRUTH_WORDS.get(raw, 1 if raw == "1" else 0)
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


def parse_seed(text: str) -> int | None:
    """Return the seed for a text: a number itself, a word's digest, None for an empty text.

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

TABLE = "table"  # entry that lays the table with initial values of keeps
COURSE = "course"  # entry at which a game starts whose table is laid
MOST_TRIES = 20  # random games played to reach a place
MOST_WORK = 30_000_000  # instructions in all of them, about twenty games of a large game


def open_state(program: Program, layout: StateLayout, opening: Opening, first: Sequence[int], seed: int) -> list[int]:
    """Return the state at a place in the rules, reached by a random game, with given values written over it.

    Raises `GameError` if the place does not exist, no random game reaches it, or a value is invalid.

    Args:
        program: The compiled rules.
        layout: The layout of its state.
        opening: The place and its values.
        first: The state in which the game would start otherwise.
        seed: The seed of the random games.
    """
    state = list(_play_to_entry(ProgramKey(program), opening.at, tuple(first), seed))
    if opening.at:
        _reset_resources(state, program, layout, first)
    else:
        set_course_start(state, program)
    cells = settable_cells(program, layout, first[o.PLAYERS])
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


def _reset_resources(state: list[int], program: Program, layout: StateLayout, first: Sequence[int]) -> None:
    """Set resources to their values after setup, and mark all limited abilities as unused."""
    initial = list(first)
    lay_table(initial, program)
    for cell in layout.cells.values():
        if cell.variable.resource:
            state[cell.address] = initial[cell.address]
    for period in program.periods:
        for seat in range(first[o.PLAYERS]):
            state[period.base + seat] = 0


def lay_table(state: list[int], program: Program, code: Sequence[int] = ()) -> None:
    """Run the rules' setup in place (turn order, initial values), without logging events."""
    state[o.PC], state[o.LOGGING] = dict(program.entries)[TABLE], 0
    run(code or program.code, state, [0])
    state[o.LOGGING], state[o.SPENT] = 1, 0


def set_course_start(state: list[int], program: Program, code: Sequence[int] = ()) -> None:
    """Run the rules' setup, and set the program counter to the first step after it."""
    lay_table(state, program, code)
    state[o.PC] = dict(program.entries)[COURSE]


# --- the way there -------------------------------------------------------------------------------------


class _EntryReached(Exception):
    """A signal that the machine is about to execute the instruction at the entry."""


class _StoppingCode(ObservedCode):
    """Code that raises `_EntryReached` at an address."""

    def __init__(self, code: Sequence[int], place: int) -> None:
        super().__init__(code)
        self._place = place

    def __getitem__(self, place: Any) -> Any:
        if place == self._place:
            raise _EntryReached
        return self.code[place]


@lru_cache(maxsize=32)
def _play_to_entry(same: ProgramKey, entry: str, first: tuple[int, ...], seed: int) -> tuple[int, ...]:
    """Return the state of the first random game that reaches an entry. Raises `GameError` if none does."""
    if not entry:
        return first
    place = dict(same.program.entries).get(entry)
    if place is None:
        raise GameError(f"no game can begin at `{entry}`", "the rules have no place of that name")
    code = _StoppingCode(same.program.code, place)
    work = 0
    for number in range(MOST_TRIES):
        state = [*first]
        state[o.LOGGING] = 0
        if _reaches_entry(code, state, seed + number, MOST_WORK - work):
            state[o.PC] = place
            return tuple(state)
        work += state[o.TOTAL]
    raise GameError(f"no game reached `{entry}`", "begin at the start, or at a phase that is played in every game")


def _reaches_entry(code: Sequence[int], state: list[int], seed: int, most_work: int) -> bool:
    """Play a random game in place; return True if it reaches the entry before its end or the work limit."""
    asked = 0
    try:
        while state[o.TOTAL] < most_work and run(code, state, [0]) == o.ASKING:
            state[o.ANSWER] = draw(seed, asked, state[o.OPTIONS])
            asked += 1
    except _EntryReached:
        return True
    return False


# --- what may stand where --------------------------------------------------------------------------------

ValueTest = Callable[[int], bool]


def settable_cells(program: Program, layout: StateLayout, players: int) -> Mapping[int, ValueTest]:
    """Return a test of values for every cell that an opening may set."""
    return dict(_iter_settable_cells(program, layout, players))


def _iter_settable_cells(program: Program, layout: StateLayout, players: int) -> Iterator[tuple[int, ValueTest]]:
    """Yield address and test of allowed values for cells of variables, their masks and used abilities."""
    for cell in layout.unique_cells:
        variable = cell.variable
        low = -MOST_NUMBER if variable.least is None else variable.least
        high = MOST_NUMBER if variable.greatest is None else variable.greatest
        if variable.type.shape == "number":
            yield cell.address, partial(_is_between, low, high)
        elif variable.type.shape == "dice":
            for i in range(variable.type.cells):
                yield cell.address + i, partial(_is_between, 0, (1 << program.dice.bits) - 1)
        elif variable.type.cells > 1:
            members = len(program.kind_by_name[variable.type.kind].things)
            for i in range(variable.type.cells):
                # width of a set's cell; each cell of an order may hold any thing
                width = min(o.BITS, max(0, members - o.BITS * i))
                highest = members - 1 if variable.type.shape == "order" else (1 << width) - 1
                yield cell.address + i, partial(_is_between, -1 if variable.type.shape == "order" else 0, highest)
        else:
            yield cell.address, partial(_is_value_of, program, variable.type, players)
        if cell.known >= 0:
            yield cell.known, partial(_is_between, 0, (1 << players) - 1)
    for period in program.periods:
        for seat in range(players):
            yield period.base + seat, partial(_is_between, 0, (1 << len(period.abilities)) - 1)


def _is_between(low: int, high: int, value: int) -> bool:
    return low <= value <= high


def _is_value_of(program: Program, type_: ValueType, players: int, value: int) -> bool:
    """Return True if a number is a value of a type."""
    kind = program.kind_by_name.get(type_.kind)
    if type_.kind == PLAYER:
        members = players
    elif kind and kind.things:
        members = len(kind.things)
    else:
        members = 62
    match type_.shape:
        case "thing":
            return -1 <= value < members
        case "set":
            return 0 <= value < 1 << members
        case "order":
            order = decode_order(value)
            is_canonical = encode_order(type_, order) == value
            return is_canonical and len(set(order)) == len(order) and all(member < members for member in order)
        case _:
            return value in (0, 1)
