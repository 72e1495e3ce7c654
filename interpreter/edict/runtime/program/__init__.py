"""The linked program: rules as integers, with the words that belong to them.

`front` makes it, `machine` and `table` play it; written to JSON it can be kept, sent and read back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

from edict.runtime.program import opcodes
from edict.runtime.program.option_keys import DECLINED
from edict.runtime.program.reasons import Check, Demand, Instead, Measure, Reasons, Value  # noqa: F401

FORMAT = 20
NO_REASONS = Reasons()
NEITHER, NO, YES, HOLDS = range(-1, 3)  # what it may mean to go one way at a fork


@dataclass(frozen=True)
class Cause:
    """Where code comes from: the definition's title, and its place in the rules.

    `asks`: the code only looks whether a condition holds, or an ability works; it carries out nothing.
    `unseen`: a secret decides whether it happens, so nobody may notice who does not see what it does; what everybody
    sees of it is put down to the cause of this number, the step that begins with the secret. Otherwise -1.
    `called`: a routine, or an effect that others carry out; people put what it does down to the card that calls it.
    `pays`: a price is paid there; who loses something by it has spent it.
    """

    name: str
    title: str
    file: str
    line: int
    column: int
    asks: bool = False
    unseen: int = -1
    called: bool = False
    pays: bool = False


@dataclass(frozen=True)
class Fork:
    """A jump by which the rules go one way or another: a condition, an offer, an option.

    `cause` is the place of its words. `there` is what it means to jump, `on` what it means to go on: NO or YES;
    HOLDS: the ability there works; NEITHER: nothing that rules speak of.
    """

    at: int
    cause: int
    there: int
    on: int


@dataclass(frozen=True)
class Type:
    """What an integer means. shape: number truth thing set order dice nothing; kind: of what.

    cells: how many cells of the state a value takes, see `program.cells`.
    """

    shape: str
    kind: str = ""
    optional: bool = False
    cells: int = 1


@dataclass(frozen=True)
class Thing:
    name: str
    title: str
    plural: str  # what several copies of it are called; the title, if it says nothing else
    caption: str  # its shown fields, short: "4", "2 gold, 2 wood"
    words: str  # what it does, in sentences
    source: str
    origin: str
    module: str


@dataclass(frozen=True)
class Kind:
    """`player`, `resource` and `number` are kinds too; players' things are filled in when a game starts."""

    name: str
    title: str
    plural: str
    things: tuple[Thing, ...]


@dataclass(frozen=True)
class Variable:
    """State: `resource`s and `keep`s. Cell of (i, j) is base + (i * sizes[1] + j) * type.cells, and those behind it.

    `known` is the first of as many cells, of which the first of a value says who knows it, or -1 if everyone does.
    `least` and `greatest` are the numbers it may be; None where there is no such bound. `lasting`: the next game of a
    campaign begins with what it is at the end. `counts`: it is a bag, of which the last kind says what is in it so many
    times. `tallies`: the secrets, by name, of which everybody sees here how many they hold together.
    """

    name: str
    title: str
    plural: str
    type: Type
    kinds: tuple[str, ...]
    sizes: tuple[int, ...]
    base: int
    known: int = -1
    quiet: bool = False
    resource: bool = False
    least: int | None = None
    greatest: int | None = None
    lasting: bool = False
    counts: bool = False
    tallies: tuple[str, ...] = ()

    @property
    def cells(self) -> range:
        """All cells of the state that it takes."""
        return range(self.base, self.base + prod(self.sizes) * self.type.cells)


@dataclass(frozen=True)
class PanelPart:
    """A part of a line. `count` asks how many there are, of a secret of which everybody may know that."""

    text: str
    query: int  # -1: plain text
    count: int = -1


@dataclass(frozen=True)
class PanelLine:
    """A line or column of a panel, or the words of an option; `condition`: where it is said."""

    title: str
    parts: tuple[PanelPart, ...]
    condition: int = -1


@dataclass(frozen=True)
class Question:
    """What is asked. domain: thing number branch ability die ways; kind: of things asked for. `answers`: the only
    things or numbers it may be answered by, ascending, as far as the rules tell; () where they set no bound.

    `labels` holds the texts of branches (by value), with an ellipsis for values; `titles` the parts of those that have
    any; `decline` the text of the option -1. `keys` and `decline_key` name the same options for saved games, and `keys`
    the combinations of shifts of a way: they do not change with the texts.
    """

    name: str
    prompt: str
    domain: str
    kind: str = ""
    answers: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    decline: str = ""
    decline_key: str = DECLINED
    secret: bool = False
    cause: int = 0
    titles: tuple[PanelLine, ...] = ()


@dataclass(frozen=True)
class Say:
    """A part of an announcement: a text, or a value of a type; the last part ends the line.

    `panel`: the number of a panel that everybody looks at just then, instead of an announcement; -1: none.
    """

    text: str
    type: Type | None
    last: bool
    panel: int = -1


@dataclass(frozen=True)
class Query:
    """Code that only computes: set its parameters, run from `entry`, read `result`."""

    entry: int
    params: tuple[int, ...]
    result: int
    type: Type


@dataclass(frozen=True)
class Panel:
    """What the table shows. shape: lines, rows (a row a thing) or grid (for each player); `above`: lines over these.

    `mark` tells which things to set off, and `marked` what that means (it may be empty). `looked`: it does not lie on
    the table, but is shown when the rules look at it. Of rows, `rows` tells in which order they stand. `staggered`:
    each row of a grid lies half a place further on than the row before.
    """

    name: str
    title: str
    shape: str
    kind: str
    lines: tuple[PanelLine, ...]
    condition: int = -1
    rows: int = -1
    columns: int = -1
    mark: int = -1
    marked: str = ""
    looked: bool = False
    above: tuple[PanelLine, ...] = ()
    staggered: bool = False


@dataclass(frozen=True)
class Setting:
    """An option of the rules; `low` and `high` bound a number, where the rules say so."""

    name: str
    title: str
    cell: int
    value: int
    truth: bool
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Period:
    """What works only once until its phase begins anew. Cell base + i tells of player i: a bit for each ability used.

    `abilities` are the causes of the abilities, by bit.
    """

    phase: str
    base: int
    abilities: tuple[int, ...]


@dataclass(frozen=True)
class Stage:
    """A phase of the round that a game is played in. words: what it brings, without what the phases in it do.

    within: the phases that it plays, but not what these play. sometimes: it does not come in every round.
    """

    name: str
    title: str
    words: str
    sometimes: bool
    within: tuple[Stage, ...] = ()


@dataclass(frozen=True)
class Carrier:
    """A routine of one thing of a kind, which does one of its effects unless an exception does something else.

    `entry` is where it begins, `param` the cell of the thing.
    """

    kind: str
    field: str
    entry: int
    param: int


@dataclass(frozen=True)
class Brought:
    """A value that comes along where the machine is started alone: `victor` of `moment victory`, and its cell."""

    entry: str
    name: str
    type: Type
    cell: int


@dataclass(frozen=True)
class DiceLayout:
    """Dice are counted by field: a field is a kind of die and a face; `width` bits a field.

    Where they take several cells, each cell has its own fields, numbered as members of a set are.
    """

    width: int
    kinds: tuple[tuple[str, str, int, int], ...]  # name, title, sides, first field

    @property
    def fields(self) -> tuple[int, ...]:
        return tuple(first + i for _, _, sides, first in self.kinds for i in range(sides))

    @property
    def cells(self) -> int:
        return 1 + max((first // opcodes.BITS for *_, first in self.kinds), default=0)

    @property
    def bits(self) -> int:
        """Of the fields of a cell together."""
        return self.width * max((first % opcodes.BITS + sides for _, _, sides, first in self.kinds), default=0)

    def place(self, field: int) -> int:
        """The bit at which it begins, how many dice of a field there are."""
        return field // opcodes.BITS * opcodes.BITS + field % opcodes.BITS * self.width

    def mask(self, fields: Iterable[int]) -> int:
        """The bits of these fields."""
        return sum(((1 << self.width) - 1) << self.place(field) for field in fields)


@dataclass(frozen=True)
class Program:
    name: str
    title: str
    version: str
    modules: tuple[str, ...]
    rules_hash: str
    least_players: int
    most_players: int
    code: tuple[int, ...]
    initial: tuple[int, ...]  # the state before the first instruction
    stack: int  # where the stack begins in the state; it ends with it
    entry: int
    kinds: tuple[Kind, ...]
    variables: tuple[Variable, ...]
    questions: tuple[Question, ...]
    says: tuple[Say, ...]
    phases: tuple[tuple[str, str], ...]
    quantities: tuple[tuple[str, str], ...]
    causes: tuple[Cause, ...]
    places: tuple[tuple[int, int], ...]  # (first place in the code, cause), ascending
    settings: tuple[Setting, ...]
    dice: DiceLayout
    shifts: dict[str, tuple[tuple[str, ...], ...]]  # question -> for each combination, its texts
    panels: tuple[Panel, ...]
    queries: tuple[Query, ...]
    score: int
    judge: int  # -1: none
    order: int  # the cell with the order of players
    entries: tuple[tuple[str, int], ...]  # "phase winter", "effect queen reward" ...: where it can be started alone
    brought: tuple[Brought, ...] = ()  # what comes along there, in the order of the entries
    forks: tuple[Fork, ...] = ()  # by place
    periods: tuple[Period, ...] = ()
    certain: bool = False  # that somebody wins, whatever happens
    working: int = 0  # the first cell that only computing uses; what stands before is the game and its constants
    reasons: Reasons = NO_REASONS  # why something is offered or not
    format: int = FORMAT
    renamed: tuple[tuple[str, str], ...] = ()  # what something was called -> what it is called now
    constants: tuple[int, ...] = ()  # cells that hold the same number for ever, ascending
    tables: tuple[tuple[int, int], ...] = ()  # where each table begins in the code, and how long it is
    carriers: tuple[Carrier, ...] = ()
    stages: tuple[Stage, ...] = ()  # of the round, in order
    scores: tuple[int | None, int | None] = (None, None)  # the least and the greatest, where the rules set a bound
    meaning: str = field(default="", compare=False)  # equal for rules that play alike, however they are written

    def __hash__(self) -> int:
        """What was found of a program is looked up by it, again and again: all of its code is not read for that."""
        return hash((self.rules_hash, self.meaning, len(self.code)))

    @property
    def room(self) -> int:
        """How many options a question may have."""
        return opcodes.MOST_OPTIONS + self.initial[opcodes.ROOM]

    @property
    def header(self) -> int:
        """Where the machine's own cells end, and the game's begin."""
        return opcodes.FIRST_OPTION + self.room

    @cached_property
    def kind_by_name(self) -> dict[str, Kind]:
        return {k.name: k for k in self.kinds}

    @cached_property
    def variable_by_name(self) -> dict[str, Variable]:
        return {v.name: v for v in self.variables}

    def cause_at(self, pc: int) -> Cause:
        """The rule and line a place in the code comes from."""
        low, high = 0, len(self.places)
        while high - low > 1:
            middle = (low + high) // 2
            if self.places[middle][0] <= pc:
                low = middle
            else:
                high = middle
        return self.causes[self.places[low][1]]

    def to_json(self) -> str:
        # In ASCII: a file's name may be no text at all.
        return json.dumps(self, default=_fields, separators=(",", ":"))

    def with_meaning(self) -> Program:
        """The same program knowing its `meaning`: a name for all that it does and says, but not for where its rules
        stand, which version they have, and what things were called before."""
        causes = tuple(replace(cause, file="", line=0, column=0) for cause in self.causes)
        reasons = replace(self.reasons, homes=())
        same = replace(self, causes=causes, reasons=reasons, rules_hash="", version="", renamed=(), meaning="")
        return replace(self, meaning=digest(same.to_json()))


def _fields(part: Any) -> dict[str, Any]:
    """A part of a program by the names of its fields; `asdict` would copy all that stands in them, too."""
    return {name: getattr(part, name) for name in part.__dataclass_fields__}


def digest(text: str) -> str:
    """A short name for a text: equal texts, equal names."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def key_of(program: Program) -> str:
    """A name for how a program plays."""
    return program.meaning or digest(repr((program.code, program.initial, program.constants, program.tables)))


__all__ = [name for name in dir() if name[0].isupper()] + ["digest", "key_of", "opcodes"]
