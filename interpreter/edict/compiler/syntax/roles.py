"""Roles and types of node fields, declared once as annotations (`place: Changed[Expr]`).

Every pass that needs to know what a node binds, reads, changes, runs or reveals asks `iter_role_values` and keeps no
list of statements of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from functools import cache
from typing import Annotated, Any, TypeVar

from edict.support.records import dataclass

T = TypeVar("T")


class Role(Enum):
    """The role of a field."""

    ABOUT = auto()  # the quantity, moment, phase, action or routine that an ability refers to
    ANSWERS = auto()  # the moment, phase or routine whose abilities of a thing are run here
    ARGUMENTS = auto()  # arguments for the parameters of what is run
    BESIDE = auto()  # rule exceptions that may hold together with this one; then a player chooses
    BINDS = auto()  # a name bound from here to the end of the block
    BINDS_BELOW = auto()  # a name bound only in the blocks of this node
    AWAITED = auto()  # a condition that ends a loop
    CHANGED = auto()  # a state variable or local name that is assigned
    CHOSEN_FROM = auto()  # a set or dice from which a player or chance picks
    DECIDES = auto()  # decides whether or how often the block below runs
    INSTEAD = auto()  # steps that run if those below this one do not
    INTO = auto()  # a value that flows into what the node binds or changes
    MEMBERS = auto()  # a set that is iterated, with its member as `it`
    PER_MEMBER = auto()  # evaluated for each member, as `it`
    MOVED = auto()  # resources that change hands
    PRECEDES = auto()  # rule exceptions over which this one takes precedence
    RUNS = auto()  # the name of what is run
    ANNOUNCED = auto()  # text that everyone reads
    SHOWN = auto()  # a secret that is revealed

    __hash__ = object.__hash__  # the hash of enumerations takes several times as long, and every pass asks for roles


@dataclass(frozen=True, slots=True)
class RefersTo:
    """Marks a name that must refer to something of one of these sorts."""

    sorts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartOf:
    """Marks a name of a part of what another field names, such as a rule of an action."""

    field: str


@dataclass(frozen=True, slots=True)
class SameType:
    """Marks a value, or a name for one, of the type of another field or of the place that it names."""

    field: str
    where: str = "this place"  # describes the place in messages


@dataclass(frozen=True, slots=True)
class Requires:
    """Marks a value of a required type (number, truth, dice, player, players or resources).

    The text `where` describes in messages what requires it. Fields of the node in braces are filled in; `{word}` is
    the word before the value in its row.
    """

    shape: str
    where: str


@dataclass(frozen=True, slots=True)
class SetOfKind:
    """Marks a set of what another field of the node names; for `where` see `Requires`."""

    field: str
    where: str


@dataclass(frozen=True, slots=True)
class RequiresShape:
    """Marks a thing, a bag or an order of any kind; for `where` see `Requires`."""

    shape: str
    where: str
    help: str = ""  # what to write instead


@dataclass(frozen=True, slots=True)
class MemberOfField:
    """Marks a member of the collection in another field; for `where` see `Requires`."""

    field: str
    where: str


@dataclass(frozen=True, slots=True)
class SetLikeField:
    """Marks a set of the same kind of members as another field; for `where` see `Requires`."""

    field: str
    where: str


@dataclass(frozen=True, slots=True)
class Iterates:
    """Marks a set that is iterated; for `where` see `Requires`."""

    where: str
    dice: bool = False  # true if dice are allowed too, as their numbers


@dataclass(frozen=True, slots=True)
class BindsType:
    """Marks the type of a name that is bound; beside a condition, of `it`."""

    shape: str = ""  # the type itself, or one of the following
    one_of: str = ""  # field that names the kind of the value
    set_of: str = ""  # field that names the kind of the members


@dataclass(frozen=True, slots=True)
class OperatorTypes:
    """The types of an operator."""

    takes: str  # type of each operand
    gives: str  # type of the result
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
Precedes = Annotated[T, Role.PRECEDES]
Runs = Annotated[T, Role.RUNS]
Said = Annotated[T, Role.ANNOUNCED]
Shown = Annotated[T, Role.SHOWN]


class RandomStep:
    """A step whose outcome is random."""


class AskingStep:
    """A step that asks `you`, or the player in its field `asking`."""


class HiddenStep:
    """A step that other players do not notice, if what it changes or asks is secret."""


class OverwritingStep:
    """A step that discards the previous value of the place it changes."""


class GameEndingStep:
    """A step that ends the game."""


class StepAbility:
    """An ability that may wait for steps of a kind in any rule, such as those that gain a resource."""

    edge: str  # effect of the steps, such as joining or gaining


class RangeStep:
    """A step with a number from `low` to `high`, if both are given."""

    low: Any
    high: Any


def iter_role_values(node: Any, role: Role) -> Iterator[Any]:
    """Yield the values of a node's fields that have a role, with tuples flattened and without None."""
    node_type: type = type(node)
    fields = _fields_with(node_type, role)
    return _iter_values(node, fields) if fields else _EMPTY  # most nodes have none, and every check asks all of them


def iter_run_names(node: Any, sort: str) -> Iterator[Any]:
    """Yield the names of what a node runs that must be of this sort, such as phase or routine."""
    node_type: type = type(node)
    for field in _fields_with(node_type, Role.RUNS):
        if sort in get_referred_sorts(node_type, field):
            yield getattr(node, field)


def carries_role(node_type: type, role: Role) -> bool:
    """Return True if a class of nodes has a field with this role."""
    return bool(_fields_with(node_type, role))


def field_with_role(node_type: type, role: Role) -> str:
    """Return the only field of a class of nodes that has the role."""
    (field,) = _fields_with(node_type, role)
    return field


def field_roles(node_type: type, field: str) -> frozenset[Role]:
    """Return all roles of a field."""
    return _roles_by_field(node_type).get(field, frozenset())


def get_field_note(node_type: type, field: str, note_type: type[T]) -> T | None:
    """Return the annotation of this class at a field, or None."""
    return next(
        (annotation for annotation in field_notes(node_type).get(field, ()) if isinstance(annotation, note_type)), None
    )


def get_referred_sorts(node_type: type, field: str) -> tuple[str, ...]:
    """Return the sorts that a name in this field may refer to; empty for other fields."""
    return _sorts_by_field(node_type).get(field, ())


@cache
def field_notes(node_type: type) -> Mapping[str, tuple[Any, ...]]:
    """Return the annotations of each field of a class of nodes."""
    notes: dict[str, tuple[Any, ...]] = {}
    for base in reversed(node_type.__mro__):
        notes |= _own_field_notes(base)
    return notes


@cache
def _own_field_notes(cls: type) -> Mapping[str, tuple[Any, ...]]:
    """Return the annotations of the fields that a class itself declares."""
    hints = inspect.get_annotations(cls, eval_str=True)
    return {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}


@cache
def _roles_by_field(node_type: type) -> Mapping[str, frozenset[Role]]:
    """Return the roles annotated at each field of a class of nodes."""
    return {
        name: frozenset(role for role in annotations if isinstance(role, Role))
        for name, annotations in field_notes(node_type).items()
    }


@cache
def _sorts_by_field(node_type: type) -> Mapping[str, tuple[str, ...]]:
    """Return the fields of a class that hold names, each with the sorts that the name may refer to."""
    return {
        name: annotation.sorts
        for name, annotations in field_notes(node_type).items()
        for annotation in annotations
        if isinstance(annotation, RefersTo)
    }


@cache
def _fields_with(node_type: type, role: Role) -> tuple[str, ...]:
    """Return the fields of a class of nodes that have a role."""
    return tuple(field for field, annotations in field_notes(node_type).items() if role in annotations)


_EMPTY: Iterator[Any] = iter(())


def _iter_values(node: Any, fields: tuple[str, ...]) -> Iterator[Any]:
    """Yield the values of some fields of a node, with tuples flattened and without None."""
    for field in fields:
        yield from _flatten(getattr(node, field))


def _flatten(value: Any) -> Iterator[Any]:
    """Yield a value, or all values in a nested tuple, without None."""
    if isinstance(value, tuple):
        for part in value:
            yield from _flatten(part)
    elif value is not None:
        yield value
