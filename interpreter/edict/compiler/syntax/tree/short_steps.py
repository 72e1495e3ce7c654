"""Shorthand steps: `desugar` says what they stand for, once names and types are known."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, ClassVar

from edict.compiler.syntax.roles import (
    Asks,
    Binds,
    BindsBelow,
    Changed,
    ChosenFrom,
    Decides,
    Ends,
    Gives,
    Into,
    Moved,
    PerMember,
    Random,
    Refers,
    SetOf,
    Takes,
    Unseen,
)
from edict.compiler.syntax.tree.nodes import Node, node
from edict.compiler.syntax.tree.steps import _CHOSEN, _OF_DICE, Block, Loop, Stmt
from edict.compiler.syntax.tree.values import AmongName, Bundle, DieName, DrawnName, Expr, Name


@node
class Short(Stmt):
    """A step that stands for others."""


@node
class ChooseSome(Short, Asks, Unseen):
    """So many as there are, at most `count`: a set."""

    says: ClassVar[str] = "choose {count} {kind}[ from {source}] as {name}" + _CHOSEN

    count: Annotated[Decides[Expr], Takes("number", "`choose`")]
    kind: AmongName
    source: Annotated[ChosenFrom[Into[Expr | None]], SetOf("kind", "`choose`")]
    name: Annotated[Binds[Name], Gives(set_of="kind")]
    where: Annotated[PerMember[Expr | None], Takes("truth", "`where`"), Gives(one_of="kind")]
    asking: Annotated[Expr | None, Takes("player", "`asking`")]
    secretly: bool
    prompt: str


@node
class ChooseUpTo(ChooseSome):
    """The same, and one may stop before."""

    says: ClassVar[str] = "choose up to {count} {kind}[ from {source}] as {name}" + _CHOSEN


@node
class ChooseDice(Short, Asks, Unseen):
    """So many as there are, at most `count`: dice, of which each is chosen once."""

    says: ClassVar[str] = "choose {count} dice from {source} as {name}" + _OF_DICE

    count: Annotated[Decides[Expr], Takes("number", "`choose`")]
    source: Annotated[ChosenFrom[Into[Expr]], Takes("dice", "choosing dice")]
    name: Annotated[Binds[Name], Gives("dice")]
    where: Annotated[PerMember[Expr | None], Takes("truth", "`where`"), Gives("number")]
    secretly: bool
    prompt: str


@node
class ChooseUpToDice(ChooseDice):
    """The same, and one may stop before."""

    says: ClassVar[str] = "choose up to {count} dice from {source} as {name}" + _OF_DICE


@node
class Rolled(Node):
    """`2 cubes`: of one kind of die, so many."""

    says: ClassVar[str] = "{count} {die}"

    count: Annotated[Expr, Takes("number", "`roll`")]
    die: DieName


@node
class RollSeveral(Short, Random):
    """Dice of several kinds, in one roll."""

    says: ClassVar[dict[str, str]] = {
        "roll_several_as": "roll {rolls:list} as {name}",
        "roll_several_into": "roll {rolls:list} into {place}",
    }

    rolls: tuple[Rolled, ...]
    name: Annotated[Binds[Name | None], Gives("dice")]
    place: Annotated[Changed[Expr | None], Takes("dice", "`roll ... into`")]


@node
class DrawSome(Short, Random):
    says: ClassVar[str] = "draw {count} {kind} from {source} as {name}[ {secretly:word}]"

    count: Annotated[Decides[Expr], Takes("number", "`draw`")]
    kind: DrawnName
    source: Annotated[ChosenFrom[Into[Expr]], SetOf("kind", "`draw`")]
    name: Annotated[Binds[Name], Gives(set_of="kind")]
    secretly: bool


@node
class DrawInto(Short, Random):
    """From one keep into another: they are gone from the first."""

    says: ClassVar[dict[str, str]] = {
        "draw_into": "draw {count} {kind} from {source} into {place}[ {secretly:word}]",
        "draw_one_into": "draw {article:article} {kind} from {source} into {place}[ {secretly:word}]",
    }

    count: Annotated[Decides[Expr | None], Takes("number", "`draw`")]
    kind: DrawnName
    source: Annotated[Changed[ChosenFrom[Into[Expr]]], SetOf("kind", "`draw`")]
    place: Changed[Expr]
    secretly: bool
    article: str = field(default="", kw_only=True)  # a, an


@node
class Move(Short, Unseen):
    says: ClassVar[str] = "move {value} from {source} to {place}[ {first:word}]"

    value: Into[Expr]
    source: Changed[Expr]
    place: Changed[Expr]
    first: bool  # of an order: to its beginning


@node
class SetFace(Short, Unseen):
    """Turn dice to a number; those that have not got it, to their nearest. Of each the kind stays."""

    says: ClassVar[str] = "set {dice} to {face} within {place}"

    dice: Annotated[Into[Expr], Takes("dice", "`set ... within`")]
    face: Annotated[Into[Expr], Takes("number", "`set ... within`")]
    place: Annotated[Changed[Expr], Takes("dice", "`set ... within`")]


@node
class Give(Short):
    """One player pays another, if the one can."""

    says: ClassVar[str] = "give {bundle:bundle} to {whom}"

    bundle: Moved[Bundle]
    whom: Annotated[Expr, Takes("player", "`give ... to`")]


@node
class DoTimes(Short, Unseen):
    """`do reward of host 2 times`; `do deed of played often times`."""

    says: ClassVar[str] = "{step:step} {count:atom} times"

    step: Stmt
    count: Annotated[Decides[Expr], Takes("number", "`times`")]


@node
class For(Short, Unseen):
    """For one player, or some: each is `you`."""

    says: ClassVar[str] = "for {whom:any}{block:below}"

    whom: Annotated[Decides[Into[Expr]], Takes("players", "`for`")]
    block: Block


@node
class EachWhere(Short, Loop, Unseen):
    """All things of a kind, or all players, for which something holds; that is settled first."""

    says: ClassVar[str] = "each {kind}[ as {name}] where {where:any}{block:below}"

    kind: AmongName
    name: Annotated[BindsBelow[Name | None], Gives(one_of="kind")]
    where: Annotated[Decides[PerMember[Expr]], Takes("truth", "`where`")]
    block: Block


@node
class EachWith(Short, Loop, Unseen):
    """The things of a kind, or the players, with the most or fewest of something; who they are is settled first."""

    says: ClassVar[str] = "each {kind}[ as {name}] with {keys:rankings}{block:below}"

    kind: AmongName
    name: Annotated[BindsBelow[Name | None], Gives(one_of="kind")]
    keys: Annotated[Decides[PerMember[tuple[tuple[str, Expr], ...]]], Takes("number", "`{word}`")]
    block: Block


@node
class EachRound(Short, Loop, Unseen):
    """Players from one of them on, to the left round the table; perhaps only some, which is settled first."""

    says: ClassVar[str] = "each {kind}[ as {name}] from {start}[ where {where:any}]{block:below}"

    kind: AmongName
    name: Annotated[BindsBelow[Name | None], Gives(one_of="kind")]
    start: Annotated[Decides[Into[Expr]], Takes("player", "`each ... from`")]
    where: Annotated[Decides[PerMember[Expr | None]], Takes("truth", "`where`")]
    block: Block


@node
class EachNumber(Short, Loop, Unseen):
    """Numbers from one to another, both included."""

    says: ClassVar[str] = "each {kind}[ as {name}] from {low} to {high}{block:below}"

    kind: Annotated[Name, Refers(("number",))]  # or, without another name, what each of them is called
    name: Annotated[BindsBelow[Name | None], Gives("number")]
    low: Annotated[Decides[Into[Expr]], Takes("number", "`from ... to ...`")]
    high: Annotated[Decides[Into[Expr]], Takes("number", "`from ... to ...`")]
    block: Block


@node
class EachAtOnce(Short, Loop, Unseen):
    """Everybody answers what is asked in the block, and nobody sees anything before all have."""

    says: ClassVar[str] = "each {kind}[ in {source:any}] at once{block:below}"

    kind: AmongName
    source: Annotated[Decides[Into[Expr | None]], SetOf("kind", "`each ... in`")]
    block: Block


@node
class Leave(Short, Unseen):
    """On with what comes after the loop."""

    says: ClassVar[str] = "leave loop"


@node
class EndGame(Stmt, Ends):
    says: ClassVar[str] = "end game"


@node
class Nothing(Stmt, Unseen):
    says: ClassVar[str] = "nothing"
