"""Nodes of shorthand steps, which `desugar` expands once names and types are known; also `end game` and `nothing`."""

from __future__ import annotations

from typing import Annotated, ClassVar

from edict.compiler.syntax.roles import (
    AskingStep,
    Binds,
    BindsBelow,
    BindsType,
    Changed,
    ChosenFrom,
    Decides,
    GameEndingStep,
    HiddenStep,
    Into,
    Moved,
    PerMember,
    RandomStep,
    RefersTo,
    Requires,
    SetOfKind,
)
from edict.compiler.syntax.tree.nodes import Node
from edict.compiler.syntax.tree.steps import _CHOSEN, _OF_DICE, Block, Loop, Stmt
from edict.compiler.syntax.tree.values import AmongName, Bundle, DieName, DrawnName, Expr, Name
from edict.support.records import dataclass


@dataclass(frozen=True, eq=False)
class Short(Stmt):
    """Base of steps that are expanded to others."""


@dataclass(frozen=True, eq=False)
class ChooseSome(Short, AskingStep, HiddenStep):
    """A choice of a set with `count` members, or of all if there are fewer."""

    says: ClassVar[str] = "choose {count} {kind}[ from {source}] as {name}" + _CHOSEN

    count: Annotated[Decides[Expr], Requires("number", "`choose`")]
    kind: AmongName
    source: Annotated[ChosenFrom[Into[Expr | None]], SetOfKind("kind", "`choose`")]
    name: Annotated[Binds[Name], BindsType(set_of="kind")]
    where: Annotated[PerMember[Expr | None], Requires("truth", "`where`"), BindsType(one_of="kind")]
    asking: Annotated[Expr | None, Requires("player", "`asking`")]
    secretly: bool
    prompt: str


@dataclass(frozen=True, eq=False)
class ChooseUpTo(ChooseSome):
    """A choice of a set with at most `count` members, which the player may end early."""

    says: ClassVar[str] = "choose up to {count} {kind}[ from {source}] as {name}" + _CHOSEN


@dataclass(frozen=True, eq=False)
class ChooseDice(Short, AskingStep, HiddenStep):
    """A choice of `count` dice, or of all if there are fewer; each is chosen once."""

    says: ClassVar[str] = "choose {count} dice from {source} as {name}" + _OF_DICE

    count: Annotated[Decides[Expr], Requires("number", "`choose`")]
    source: Annotated[ChosenFrom[Into[Expr]], Requires("dice", "choosing dice")]
    name: Annotated[Binds[Name], BindsType("dice")]
    where: Annotated[PerMember[Expr | None], Requires("truth", "`where`"), BindsType("number")]
    secretly: bool
    prompt: str


@dataclass(frozen=True, eq=False)
class ChooseUpToDice(ChooseDice):
    """A choice of at most `count` dice, which the player may end early."""

    says: ClassVar[str] = "choose up to {count} dice from {source} as {name}" + _OF_DICE


@dataclass(frozen=True, eq=False)
class Rolled(Node):
    """A number of dice of one kind, such as `2 cubes`."""

    says: ClassVar[str] = "{count} {die}"

    count: Annotated[Expr, Requires("number", "`roll`")]
    die: DieName


@dataclass(frozen=True, eq=False)
class RollSeveral(Short, RandomStep):
    """A roll of dice of several kinds."""

    says: ClassVar[dict[str, str]] = {
        "roll_several_as": "roll {rolls:list} as {name}",
        "roll_several_into": "roll {rolls:list} into {place}",
    }

    rolls: tuple[Rolled, ...]
    name: Annotated[Binds[Name | None], BindsType("dice")]
    place: Annotated[Changed[Expr | None], Requires("dice", "`roll ... into`")]


@dataclass(frozen=True, eq=False)
class DrawSome(Short, RandomStep):
    """A random draw of several members of a set."""

    says: ClassVar[str] = "draw {count} {kind} from {source} as {name}[ {secretly:word}]"

    count: Annotated[Decides[Expr], Requires("number", "`draw`")]
    kind: DrawnName
    source: Annotated[ChosenFrom[Into[Expr]], SetOfKind("kind", "`draw`")]
    name: Annotated[Binds[Name], BindsType(set_of="kind")]
    secretly: bool


@dataclass(frozen=True, eq=False)
class DrawInto(Short, RandomStep):
    """A random draw from one state variable into another, which removes the members from the first."""

    says: ClassVar[dict[str, str]] = {
        "draw_into": "draw {count} {kind} from {source} into {place}[ {secretly:word}]",
        "draw_one_into": "draw {article:article} {kind} from {source} into {place}[ {secretly:word}]",
    }

    count: Annotated[Decides[Expr | None], Requires("number", "`draw`")]
    kind: DrawnName
    source: Annotated[Changed[ChosenFrom[Into[Expr]]], SetOfKind("kind", "`draw`")]
    place: Changed[Expr]
    secretly: bool
    article: str = ""  # a, an


@dataclass(frozen=True, eq=False)
class Move(Short, HiddenStep):
    """A move of a value from one state variable to another."""

    says: ClassVar[str] = "move {value} from {source} to {place}[ {first:word}]"

    value: Into[Expr]
    source: Changed[Expr]
    place: Changed[Expr]
    first: bool  # to the beginning of an order


@dataclass(frozen=True, eq=False)
class SetFace(Short, HiddenStep):
    """A change of dice to a number, or to the nearest number that they have.

    The kinds of the dice stay.
    """

    says: ClassVar[str] = "set {dice} to {face} within {place}"

    dice: Annotated[Into[Expr], Requires("dice", "`set ... within`")]
    face: Annotated[Into[Expr], Requires("number", "`set ... within`")]
    place: Annotated[Changed[Expr], Requires("dice", "`set ... within`")]


@dataclass(frozen=True, eq=False)
class Give(Short):
    """A payment to another player, if the player can pay."""

    says: ClassVar[str] = "give {bundle:bundle} to {whom}"

    bundle: Moved[Bundle]
    whom: Annotated[Expr, Requires("player", "`give ... to`")]


@dataclass(frozen=True, eq=False)
class TakeChosen(Short, AskingStep):
    """A number of resources that the player takes from another one, as far as that one has them.

    Of a group the player chooses each.
    """

    says: ClassVar[str] = "take {bundle:bundle} from {whom}"

    bundle: Moved[Bundle]
    whom: Annotated[Expr, Requires("player", "`take ... from`")]


@dataclass(frozen=True, eq=False)
class DoTimes(Short, HiddenStep):
    """A repeated step, such as `do reward of host 2 times` or `do deed of played often times`."""

    says: ClassVar[str] = "{step:step} {count:atom} times"

    step: Stmt
    count: Annotated[Decides[Expr], Requires("number", "`times`")]


@dataclass(frozen=True, eq=False)
class For(Short, HiddenStep):
    """Steps for one player or several, each as `you`."""

    says: ClassVar[str] = "for {whom:any}{block:below}"

    whom: Annotated[Decides[Into[Expr]], Requires("players", "`for`")]
    block: Block


@dataclass(frozen=True, eq=False)
class EachWhere(Short, Loop, HiddenStep):
    """A loop over the things of a kind, or players, that meet a condition, evaluated beforehand."""

    says: ClassVar[str] = "each {kind}[ as {name}] where {where:any}{block:below}"

    kind: AmongName
    name: Annotated[BindsBelow[Name | None], BindsType(one_of="kind")]
    where: Annotated[Decides[PerMember[Expr]], Requires("truth", "`where`")]
    block: Block


@dataclass(frozen=True, eq=False)
class EachWith(Short, Loop, HiddenStep):
    """A loop over the things of a kind, or players, with the most or fewest of something, found beforehand."""

    says: ClassVar[str] = "each {kind}[ as {name}] with {keys:rankings}{block:below}"

    kind: AmongName
    name: Annotated[BindsBelow[Name | None], BindsType(one_of="kind")]
    keys: Annotated[Decides[PerMember[tuple[tuple[str, Expr], ...]]], Requires("number", "`{word}`")]
    block: Block


@dataclass(frozen=True, eq=False)
class EachRound(Short, Loop, HiddenStep):
    """A loop over players in table order from one of them on, perhaps only some, found beforehand."""

    says: ClassVar[str] = "each {kind}[ as {name}] from {start}[ where {where:any}]{block:below}"

    kind: AmongName
    name: Annotated[BindsBelow[Name | None], BindsType(one_of="kind")]
    start: Annotated[Decides[Into[Expr]], Requires("player", "`each ... from`")]
    where: Annotated[Decides[PerMember[Expr | None]], Requires("truth", "`where`")]
    block: Block


@dataclass(frozen=True, eq=False)
class EachNumber(Short, Loop, HiddenStep):
    """A loop over numbers from one to another, both included."""

    says: ClassVar[str] = "each {kind}[ as {name}] from {low} to {high}{block:below}"

    kind: Annotated[Name, RefersTo(("number",))]  # `number`, or without another name the name of the loop variable
    name: Annotated[BindsBelow[Name | None], BindsType("number")]
    low: Annotated[Decides[Into[Expr]], Requires("number", "`from ... to ...`")]
    high: Annotated[Decides[Into[Expr]], Requires("number", "`from ... to ...`")]
    block: Block


@dataclass(frozen=True, eq=False)
class EachAtOnce(Short, Loop, HiddenStep):
    """A block whose questions all players answer simultaneously, without seeing the others' answers."""

    says: ClassVar[str] = "each {kind}[ in {source:any}] at once{block:below}"

    kind: AmongName
    source: Annotated[Decides[Into[Expr | None]], SetOfKind("kind", "`each ... in`")]
    block: Block


@dataclass(frozen=True, eq=False)
class Leave(Short, HiddenStep):
    """The end of the innermost loop."""

    says: ClassVar[str] = "leave loop"


@dataclass(frozen=True, eq=False)
class EndGame(Stmt, GameEndingStep):
    """The end of the game."""

    says: ClassVar[str] = "end game"


@dataclass(frozen=True, eq=False)
class Nothing(Stmt, HiddenStep):
    """A step without effect."""

    says: ClassVar[str] = "nothing"
