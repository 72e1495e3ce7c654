"""What the fields of a node are for.

The tree says it once, where a field is declared: `place: Changed[Expr]`. Every pass that needs to know what a node
binds, reads, changes, runs or reveals asks `having`, and keeps no list of statements of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Annotated, Any, TypeVar, get_type_hints

T = TypeVar("T")


class Role(Enum):
    """What a field of a node is for."""

    ABOUT = auto()  # the quantity, moment, phase, action or routine that an ability is about
    ANSWERS = auto()  # the moment, phase or routine of which it is done what a thing does then
    ARGUMENTS = auto()  # values for the parameters of what is run
    BESIDE = auto()  # with which the ability may hold together: then somebody chooses which counts
    BINDS = auto()  # a name given here, known from here to the end of the block
    BINDS_BELOW = auto()  # a name given here, known only in the blocks of this node
    AWAITED = auto()  # what a loop goes on for, until it is so
    CHANGED = auto()  # a keep or a local name that gets another value
    CHOSEN_FROM = auto()  # a set or dice that somebody, or chance, takes one of
    DECIDES = auto()  # whether, or how often, what stands below happens
    INSTEAD = auto()  # steps that are done where those below this one are not
    INTO = auto()  # a value that goes into what the node binds or changes
    MEMBERS = auto()  # a set that is gone through, its member being `it`
    PER_MEMBER = auto()  # asked of each member, as `it`
    MOVED = auto()  # resources that change hands
    OVER = auto()  # before which the ability comes
    RUNS = auto()  # the name of what is carried out here
    SAID = auto()  # read by everyone
    SHOWN = auto()  # a secret that is shown

    __hash__ = object.__hash__  # that of enumerations takes several times as long, and every pass asks for roles


@dataclass(frozen=True, slots=True)
class Refers:
    """A name that must mean something of one of these sorts."""

    sorts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """A name of something that stands in what another field of the node names: a rule of an action."""

    field: str


@dataclass(frozen=True, slots=True)
class SameAs:
    """A value, or a name for one, of the type of another field of the node, or of the one that is written there."""

    field: str
    where: str = "this place"


@dataclass(frozen=True, slots=True)
class Takes:
    """A value of this type: number, truth, dice, player, players or resources.

    `where` says in a message what takes it; fields of the node in braces are filled in, and for `{word}` what stands
    before the value in its row.
    """

    shape: str
    where: str


@dataclass(frozen=True, slots=True)
class SetOf:
    """A set of what another field of the node names; `where` as above."""

    field: str
    where: str


@dataclass(frozen=True, slots=True)
class Shaped:
    """A thing, a bag or an order, of whatever kind; `where` as above, `help` what to write instead."""

    shape: str
    where: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class MemberOf:
    """One of what another field of the node holds, if that is shaped as it should be; `where` as above."""

    field: str
    where: str


@dataclass(frozen=True, slots=True)
class AsMany:
    """A set of what another field of the node holds; `where` as above."""

    field: str
    where: str


@dataclass(frozen=True, slots=True)
class Through:
    """A set that is gone through, or perhaps dice by their numbers; `where` as above."""

    where: str
    dice: bool = False


@dataclass(frozen=True, slots=True)
class Gives:
    """A name for a value of this type, or for one or a set of what another field names; beside a condition, `it`."""

    shape: str = ""
    one_of: str = ""
    set_of: str = ""


@dataclass(frozen=True, slots=True)
class Sign:
    """What a sign or word takes on each of its sides, and what comes of it."""

    takes: str
    gives: str
    where: str = "`{op}`"


About = Annotated[T, Role.ABOUT]
Answers = Annotated[T, Role.ANSWERS]
Arguments = Annotated[T, Role.ARGUMENTS]
Awaited = Annotated[T, Role.AWAITED]
Beside = Annotated[T, Role.BESIDE]
Binds = Annotated[T, Role.BINDS]
BindsBelow = Annotated[T, Role.BINDS_BELOW]
Changed = Annotated[T, Role.CHANGED]
ChosenFrom = Annotated[T, Role.CHOSEN_FROM]
Decides = Annotated[T, Role.DECIDES]
Instead = Annotated[T, Role.INSTEAD]
Into = Annotated[T, Role.INTO]
Members = Annotated[T, Role.MEMBERS]
PerMember = Annotated[T, Role.PER_MEMBER]
Moved = Annotated[T, Role.MOVED]
Precedes = Annotated[T, Role.OVER]
Runs = Annotated[T, Role.RUNS]
Said = Annotated[T, Role.SAID]
Shown = Annotated[T, Role.SHOWN]


class Random:
    """A step whose outcome chance decides."""


class Asks:
    """A step that puts a question to `you`, unless its field `asking` names somebody else."""


class Unseen:
    """A step that nobody else notices, if what it changes or asks is a secret."""


class Overwrites:
    """A step after which nothing is left of what was there before in the place it changes."""


class Ends:
    """A step that ends the game."""


class Stepwise:
    """An ability that may be about steps of a kind, whichever rule they stand in: `edge` says what they do."""

    edge: str


class FromTo:
    """A step that takes a number from `low` to `high`, if both are given."""

    low: Any
    high: Any


def having(node: Any, role: Role) -> Iterator[Any]:
    """The values of the node's fields that have the role; of a row of values each, and none that is left out."""
    kind: type = type(node)
    fields = _with(kind, role)
    return _values(node, fields) if fields else _NOTHING  # as of most nodes, and every check asks of all of them


def runs(node: Any, sort: str) -> Iterator[Any]:
    """The names of what is carried out here that must be of this sort: a phase, a routine, a moment ..."""
    kind: type = type(node)
    for field in _with(kind, Role.RUNS):
        if sort in refers(kind, field):
            yield getattr(node, field)


def has(kind: type, role: Role) -> bool:
    """Whether nodes of this class have a field for it."""
    return bool(_with(kind, role))


def field_for(kind: type, role: Role) -> str:
    """The one field of these nodes that has the role."""
    (field,) = _with(kind, role)
    return field


def roles_of(kind: type, field: str) -> frozenset[Role]:
    """All that a field is for."""
    return _roles(kind).get(field, frozenset())


def note(kind: type, field: str, sort: type[T]) -> T | None:
    """What is said of this sort about a field."""
    return next((said for said in notes(kind).get(field, ()) if isinstance(said, sort)), None)


def refers(kind: type, field: str) -> tuple[str, ...]:
    """The sorts of what a name in this field may mean; nothing for a field that holds no such name."""
    return _sorts(kind).get(field, ())


@cache
def notes(kind: type) -> Mapping[str, tuple[Any, ...]]:
    """What is said beside the type of each field of a class of nodes."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}


@cache
def _roles(kind: type) -> Mapping[str, frozenset[Role]]:
    return {name: frozenset(role for role in found if isinstance(role, Role)) for name, found in notes(kind).items()}


@cache
def _sorts(kind: type) -> Mapping[str, tuple[str, ...]]:
    return {name: refers.sorts for name, found in notes(kind).items() for refers in found if isinstance(refers, Refers)}


@cache
def _with(kind: type, role: Role) -> tuple[str, ...]:
    return tuple(field for field, found in notes(kind).items() if role in found)


_NOTHING: Iterator[Any] = iter(())


def _values(node: Any, fields: tuple[str, ...]) -> Iterator[Any]:
    for field in fields:
        yield from _flat(getattr(node, field))


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _flat(part)
    elif value is not None:
        yield value
