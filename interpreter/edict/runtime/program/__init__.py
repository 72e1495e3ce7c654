"""The linked program, which is the rules as integers with the words that belong to them.

`compiler` produces it, `machine` and `game` play it. As JSON it can be stored, sent and read back.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from math import prod
from typing import Any

from edict.runtime.program import opcodes
from edict.runtime.program.opcodes import EVERYONE, LOGGING, PC, PLAYERS, SP, STACK
from edict.runtime.program.option_keys import DECLINED
from edict.runtime.program.reasons import (  # noqa: F401  exported with the program's own classes
    ComputedQuantity,
    ConditionCheck,
    OptionRequirement,
    ReasonAlternative,
    Reasons,
    ReasonValue,
)
from edict.support.records import dataclass

FORMAT = 20  # version of the JSON
NO_REASONS = Reasons()
# marks a field that JSON has only if it is set, so that programs without it keep their digest
OMITTED_IF_EMPTY = "omitted_if_empty"
NEITHER, NO, YES, HOLDS = range(-1, 3)  # meaning of one way at a fork


@dataclass(frozen=True)
class Cause:
    """The origin of code, a definition's title with its place in the rules."""

    name: str
    title: str
    file: str
    line: int
    column: int
    asks: bool = False  # the code only tests a condition, or whether an ability works, and changes nothing
    # if a secret decides whether the code runs, so that only those who see its effects may notice: the number of the
    # cause that visible effects are attributed to, the step that begins with the secret; else -1
    unseen: int = -1
    # a routine, or an effect that others carry out; its changes are attributed to the card that calls it
    called: bool = False
    pays: bool = False  # a price is paid here, so a loss counts as spending


@dataclass(frozen=True)
class Fork:
    """A conditional jump by which the rules take one way or another (a condition, an offer, an option)."""

    at: int  # its place in the code
    cause: int  # the place of its words
    there: int  # meaning of jumping: NO, YES, HOLDS (the ability there works) or NEITHER (nothing that rules mention)
    on: int  # meaning of continuing, likewise


@dataclass(frozen=True)
class ValueType:
    """The type of a value, and so the meaning of its integers."""

    shape: str  # number truth thing set order dice nothing
    kind: str = ""  # the kind of its members
    optional: bool = False
    cells: int = 1  # cells of the state that a value takes, see `program.cells`


@dataclass(frozen=True)
class LinkedThing:
    """A thing with its texts."""

    name: str
    title: str
    plural: str  # title of several copies; the title itself without another one
    caption: str  # its shown fields in short: "4", "2 gold, 2 wood"
    words: str  # its effects, in sentences
    source: str
    origin: str
    module: str


@dataclass(frozen=True)
class Grouping:
    """A field that divides the things of a kind into groups, such as the row of a building."""

    title: str  # of the field
    labels: tuple[str, ...]  # the field's value for each thing, in words


@dataclasses.dataclass(frozen=True)
class LinkedKind:
    """A kind with its things.

    `player`, `resource` and `number` are kinds, too; the things of `player` are known only when a game starts.
    """

    name: str
    title: str
    plural: str
    things: tuple[LinkedThing, ...]
    groupings: tuple[Grouping, ...] = field(default=(), metadata={OMITTED_IF_EMPTY: True})


@dataclass(frozen=True)
class StateVariable:
    """A state variable, declared by `resource` or `keep`.

    The value of (i, j) begins at cell base + (i * sizes[1] + j) * type.cells.
    """

    name: str
    title: str
    plural: str
    type: ValueType
    kinds: tuple[str, ...]
    sizes: tuple[int, ...]
    base: int
    # first of as many cells again: the first one of a value holds who knows it; -1 if everyone knows all
    known: int = -1
    quiet: bool = False
    resource: bool = False
    least: int | None = None  # smallest number allowed; None without such a bound
    greatest: int | None = None  # largest number allowed, likewise
    lasting: bool = False  # the next game of a campaign begins with its value at the end
    counts: bool = False  # it is a bag, and counts the members of its last kind
    tallies: tuple[str, ...] = ()  # names of secrets of which it shows everybody the total

    @property
    def cells(self) -> range:
        """Return all cells of the state that it takes."""
        return range(self.base, self.base + prod(self.sizes) * self.type.cells)


@dataclass(frozen=True)
class LinkedPanelPart:
    """A part of a panel's line, a text or a queried value."""

    text: str
    query: int  # -1 for plain text
    count: int = -1  # query for the size of a secret whose size is public; else -1


@dataclass(frozen=True)
class PanelLine:
    """A line or column of a panel, or the words of an option."""

    title: str
    parts: tuple[LinkedPanelPart, ...]
    condition: int = -1  # query that must hold for it to be shown; else -1


@dataclass(frozen=True)
class Question:
    """A question that the machine can ask."""

    name: str
    prompt: str
    domain: str  # thing number branch ability die ways
    kind: str = ""  # the kind of the things to choose from
    # the only things or numbers that can be answers, ascending, as far as the rules bound them; () if unbounded
    answers: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()  # texts of branches by value, with an ellipsis for values
    # names of the options in saved games, of `ways` those of the shifts; independent of the texts
    keys: tuple[str, ...] = ()
    decline: str = ""  # text of the option -1
    decline_key: str = DECLINED  # its name in saved games
    secret: bool = False
    cause: int = 0
    titles: tuple[PanelLine, ...] = ()  # parts of the labels that contain values


@dataclass(frozen=True)
class AnnouncementPart:
    """A part of an announcement, a text or a value."""

    text: str
    type: ValueType | None
    last: bool  # it ends the line
    panel: int = -1  # number of a panel that everybody looks at now, in place of an announcement; else -1


@dataclass(frozen=True)
class Query:
    """Code that only computes. Set its parameters, run from `entry`, and read `result`."""

    entry: int
    params: tuple[int, ...]
    result: int
    type: ValueType


@dataclass(frozen=True)
class Panel:
    """A panel that the table shows."""

    name: str
    title: str
    shape: str  # lines, rows (one for each thing) or grid (one for each player)
    kind: str
    lines: tuple[PanelLine, ...]
    condition: int = -1
    rows: int = -1  # query for the order of the rows; else -1
    columns: int = -1
    mark: int = -1  # query for the things to highlight; else -1
    marked: str = ""  # meaning of the highlight; may be empty
    looked: bool = False  # it is shown only when the rules look at it, and does not lie on the table
    above: tuple[PanelLine, ...] = ()  # lines over the others
    staggered: bool = False  # each row of a grid is half a place further on than the one before


@dataclass(frozen=True)
class LinkedSetting:
    """An option of the rules."""

    name: str
    title: str
    cell: int
    value: int
    truth: bool
    low: int | None = None  # bounds of a number, if the rules set any
    high: int | None = None


@dataclass(frozen=True)
class Period:
    """Abilities that work only once until a phase begins anew."""

    phase: str
    base: int  # cell base + i has, for player i, a bit for each ability used
    abilities: tuple[int, ...]  # causes of the abilities, by bit


@dataclass(frozen=True)
class Stage:
    """A phase of the round that a game is played in."""

    name: str
    title: str
    words: str  # what it does, without the phases in it
    sometimes: bool  # it does not come in every round
    within: tuple[Stage, ...] = ()  # the phases that it plays itself


@dataclass(frozen=True)
class EffectRoutine:
    """The routine of a thing's effect, which runs unless a rule exception replaces it."""

    kind: str
    field: str
    entry: int  # place of its first instruction
    param: int  # cell of the thing


@dataclass(frozen=True)
class EntryValue:
    """A value that must be supplied when the machine is started at an entry, like `victor` of `moment victory`."""

    entry: str
    name: str
    type: ValueType
    cell: int


@dataclass(frozen=True)
class DiceLayout:
    """The encoding of dice, as counts by field; a field is a kind of die with a face.

    If dice take several cells, each cell has fields of its own, numbered like the members of a set.
    """

    width: int  # bits of a field
    kinds: tuple[tuple[str, str, int, int], ...]  # name, title, sides, first field

    @property
    def fields(self) -> tuple[int, ...]:
        """Return the face of every field."""
        return tuple(first + i for _, _, sides, first in self.kinds for i in range(sides))

    @property
    def cells(self) -> int:
        """Return how many cells dice take."""
        return 1 + max((first // opcodes.BITS for *_, first in self.kinds), default=0)

    @property
    def bits(self) -> int:
        """Return how many bits of a cell the fields take."""
        return self.width * max((first % opcodes.BITS + sides for _, _, sides, first in self.kinds), default=0)

    def offset_of(self, field: int) -> int:
        """Return the bit at which the count of a field begins."""
        return field // opcodes.BITS * opcodes.BITS + field % opcodes.BITS * self.width

    def mask(self, fields: Iterable[int]) -> int:
        """Return a number in which all bits of these die fields are set."""
        return sum(((1 << self.width) - 1) << self.offset_of(field) for field in fields)


@dataclasses.dataclass(frozen=True)
class Program:
    """A linked program with everything that is needed to play and show a game."""

    name: str
    title: str
    version: str
    modules: tuple[str, ...]
    rules_hash: str
    least_players: int
    most_players: int
    code: tuple[int, ...]
    initial: tuple[int, ...]  # the state before the first instruction
    stack: int  # cell where the stack begins; it extends to the end of the state
    entry: int
    kinds: tuple[LinkedKind, ...]
    variables: tuple[StateVariable, ...]
    questions: tuple[Question, ...]
    says: tuple[AnnouncementPart, ...]
    phases: tuple[tuple[str, str], ...]
    quantities: tuple[tuple[str, str], ...]
    causes: tuple[Cause, ...]
    places: tuple[tuple[int, int], ...]  # (first place in the code, cause), ascending
    settings: tuple[LinkedSetting, ...]
    dice: DiceLayout
    shifts: dict[str, tuple[tuple[str, ...], ...]]  # by question: the texts of each combination of shifts
    panels: tuple[Panel, ...]
    queries: tuple[Query, ...]
    score: int
    judge: int  # query for the judgement of a position; -1: none
    order: int  # cell of the turn order
    # places where the machine can be started alone: "phase winter", "effect queen reward" ...
    entries: tuple[tuple[str, int], ...]
    brought: tuple[EntryValue, ...] = ()  # values to be supplied there, in the order of the entries
    forks: tuple[Fork, ...] = ()  # by place in the code
    periods: tuple[Period, ...] = ()
    certain: bool = False  # somebody wins, whatever happens
    working: int = 0  # first cell that only computations use; those before it are the game and its constants
    reasons: Reasons = NO_REASONS  # explains why something is offered or not
    format: int = FORMAT
    renamed: tuple[tuple[str, str], ...] = ()  # former name -> present name
    constants: tuple[int, ...] = ()  # cells that never change, ascending
    tables: tuple[tuple[int, int], ...] = ()  # place and length of each table in the code
    carriers: tuple[EffectRoutine, ...] = ()
    stages: tuple[Stage, ...] = ()  # phases of the round, in order
    scores: tuple[int | None, int | None] = (None, None)  # least and greatest score, where the rules bound them
    meaning: str = field(default="", compare=False)  # equal for rules that play alike, however they are written
    # translations of announcements by their pattern, see `name_announcement`; only in a translated program
    announcements: dict[str, str] = field(default_factory=dict, compare=False, metadata={OMITTED_IF_EMPTY: True})

    def __hash__(self) -> int:
        """Hash without reading the code, since programs are looked up often."""
        return hash((self.rules_hash, self.meaning, len(self.code)))

    @property
    def max_options(self) -> int:
        """Return how many options a question may have."""
        return opcodes.MIN_OPTION_CAPACITY + self.initial[opcodes.ROOM]

    @property
    def header_size(self) -> int:
        """Return the number of cells before those of the game."""
        return opcodes.FIRST_OPTION + self.max_options

    @cached_property
    def kind_by_name(self) -> dict[str, LinkedKind]:
        """Index the kinds by name."""
        return {k.name: k for k in self.kinds}

    @cached_property
    def variable_by_name(self) -> dict[str, StateVariable]:
        """Index the state variables by name."""
        return {v.name: v for v in self.variables}

    @cached_property
    def effects_by_thing(self) -> dict[str, dict[str, int]]:
        """Index the entries of things' own effects by the thing's name and the field."""
        effects: dict[str, dict[str, int]] = {}
        for name, entry in self.entries:
            match name.split(" "):
                case "effect", thing, field_:
                    effects.setdefault(thing, {})[field_] = entry
        return effects

    def cause_at(self, pc: int) -> Cause:
        """Return the rule and line that the code at a place comes from."""
        low, high = 0, len(self.places)
        while high - low > 1:
            middle = (low + high) // 2
            if self.places[middle][0] <= pc:
                low = middle
            else:
                high = middle
        return self.causes[self.places[low][1]]

    def to_json(self) -> str:
        """Return the program as JSON."""
        # ASCII, because file names may contain bytes that are no valid text.
        return json.dumps(self, default=_to_fields, separators=(",", ":"))

    def with_meaning(self) -> Program:
        """Return the program with `meaning`, a digest of all it does, without places, version and renames.

        It is a digest of all that the program does and says, without places in files, versions and former names.
        """
        causes = tuple(replace(cause, file="", line=0, column=0) for cause in self.causes)
        kinds = tuple(replace(kind, groupings=()) for kind in self.kinds)
        reasons = replace(self.reasons, homes=())
        stripped = replace(
            self, causes=causes, kinds=kinds, reasons=reasons, rules_hash="", version="", renamed=(), meaning=""
        )
        return replace(self, meaning=digest(stripped.to_json()))


def _to_fields(part: Any) -> dict[str, Any]:
    """Return a dataclass as a dict of its fields; unlike `asdict` it does not copy their values."""
    return {
        name: value
        for name, field_ in part.__dataclass_fields__.items()
        if (value := getattr(part, name)) or not field_.metadata.get(OMITTED_IF_EMPTY)
    }


def digest(text: str) -> str:
    """Return a short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def program_key(program: Program) -> str:
    """Return a key that is equal for programs that play alike."""
    return program.meaning or digest(repr((program.code, program.initial, program.constants, program.tables)))


__all__ = [name for name in dir() if name[0].isupper()] + ["digest", "program_key", "opcodes"]


class ProgramKey:
    """A cache key that compares programs by identity, because comparing their code number by number is slow."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def __hash__(self) -> int:
        return id(self.program)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProgramKey) and other.program is self.program


def plays_alike(first: Program, second: Program) -> bool:
    """Return True if two programs do and say the same, however and wherever their rules are written."""
    return _strip_source_details(first) == _strip_source_details(second)


def _strip_source_details(program: Program) -> Program:
    """Return the program without places, reasons, hash, version and former names, to compare meanings."""
    causes = tuple(replace(cause, file="", line=0, column=0) for cause in program.causes)
    return replace(program, causes=causes, reasons=Reasons(), rules_hash="", version="", renamed=())


def create_state(program: Program, players: int, settings: Mapping[str, int], logging: bool = True) -> list[int]:
    """Create the state of a new game.

    Args:
        program: The program.
        players: The number of players.
        settings: Checked values of settings; the others have their defaults.
        logging: Let the machine emit events.
    """
    state = list(program.initial)
    state[PC] = program.entry
    state[PLAYERS] = players
    state[EVERYONE] = (1 << players) - 1
    state[LOGGING] = int(logging)
    state[SP] = state[STACK] = program.stack
    for setting in program.settings:
        state[setting.cell] = settings.get(setting.name, setting.value)
    return state
