"""Shorthand steps: `in_full` writes out what they stand for."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, ClassVar

from edict.language.roles import (
    Ends, Instead, Refers, SetOf, Takes, Unseen,
)  # fmt: skip
from edict.language.tree.nodes import Node, Unwalked, node
from edict.language.tree.values import Bundle, DieName, Expr, Name
from edict.language.tree.steps import Block, Loop, Stmt, _CHOSEN, _OF_DICE


@node
class Short(Stmt):
    """A step that stands for others. Types come from those, but for what is said here that a field takes."""


@node
class InFull(Stmt, Unseen):
    """What a step in short stands for, step by step. `short` tells of it in words; no pass looks into it."""

    short: Unwalked
    block: Block


@node
class ChooseSome(Short):
    """So many as there are, at most `count`: a set."""

    says: ClassVar[str] = "choose {count} {kind}[ from {source}] as {name}" + _CHOSEN

    count: Annotated[Expr, Takes("number", "`choose`")]
    kind: Name
    source: Annotated[Expr | None, SetOf("kind", "`choose`")]
    name: Name
    where: Expr | None
    asking: Expr | None
    secretly: bool
    prompt: str


@node
class ChooseUpTo(ChooseSome):
    """The same, and one may stop before."""

    says: ClassVar[str] = "choose up to {count} {kind}[ from {source}] as {name}" + _CHOSEN


@node
class ChooseDice(Short):
    """So many as there are, at most `count`: dice, of which each is chosen once."""

    says: ClassVar[str] = "choose {count} dice from {source} as {name}" + _OF_DICE

    count: Annotated[Expr, Takes("number", "`choose`")]
    source: Annotated[Expr, Takes("dice", "choosing dice")]
    name: Name
    where: Expr | None
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

    count: Expr
    die: DieName


@node
class RollSeveral(Short):
    """Dice of several kinds, in one roll."""

    says: ClassVar[dict[str, str]] = {
        "roll_several_as": "roll {rolls:list} as {name}",
        "roll_several_into": "roll {rolls:list} into {place}",
    }

    rolls: tuple[Rolled, ...]
    name: Name | None
    place: Annotated[Expr | None, Takes("dice", "`roll ... into`")]


@node
class DrawSome(Short):
    says: ClassVar[str] = "draw {count} {kind} from {source} as {name}[ {secretly:word}]"

    count: Annotated[Expr, Takes("number", "`draw`")]
    kind: Name
    source: Annotated[Expr, SetOf("kind", "`draw`")]
    name: Name
    secretly: bool


@node
class DrawInto(Short):
    """From one keep into another: they are gone from the first."""

    says: ClassVar[dict[str, str]] = {
        "draw_into": "draw {count} {kind} from {source} into {place}[ {secretly:word}]",
        "draw_one_into": "draw {article:article} {kind} from {source} into {place}[ {secretly:word}]",
    }

    count: Annotated[Expr | None, Takes("number", "`draw`")]
    kind: Name
    source: Annotated[Expr, SetOf("kind", "`draw`")]
    place: Expr
    secretly: bool
    article: str = field(default="", kw_only=True)  # a, an


@node
class Move(Short):
    says: ClassVar[str] = "move {value} from {source} to {place}[ {first:word}]"

    value: Expr
    source: Expr
    place: Expr
    first: bool = False  # of an order: to its beginning


@node
class SetFace(Short):
    """Turn dice to a number; those that have not got it, to their nearest. Of each the kind stays."""

    says: ClassVar[str] = "set {dice} to {face} within {place}"

    dice: Annotated[Expr, Takes("dice", "`set ... within`")]
    face: Annotated[Expr, Takes("number", "`set ... within`")]
    place: Annotated[Expr, Takes("dice", "`set ... within`")]


@node
class Give(Short):
    """One player pays another, if the one can."""

    says: ClassVar[str] = "give {bundle:bundle} to {whom}"

    bundle: Bundle
    whom: Annotated[Expr, Takes("player", "`give ... to`")]


@node
class DoTimes(Short):
    """`do reward of host 2 times`; `do deed of played often times`."""

    says: ClassVar[str] = "{step:step} {count:atom} times"

    step: Stmt
    count: Annotated[Expr, Takes("number", "`times`")]


@node
class PayPrice(Short):
    """`pay cost of what`: an amount of several resources; as `spend`. A joker stands in for each that is missing."""

    says: ClassVar[str] = "pay {price:primary}[ with {joker} for what is missing]{then:below}"

    price: Expr
    joker: Annotated[Name | None, Refers(("resource",))]
    then: Block
    otherwise: Instead[Block] = ()


@node
class For(Short):
    """For one player, or some: each is `you`."""

    says: ClassVar[str] = "for {whom:any}{block:below}"

    whom: Annotated[Expr, Takes("players", "`for`")]
    block: Block


@node
class EachWhere(Short, Loop):
    """All things of a kind, or all players, for which something holds; that is settled first."""

    says: ClassVar[str] = "each {kind}[ as {name}] where {where:any}{block:below}"

    kind: Name
    name: Name | None
    where: Expr
    block: Block


@node
class EachWith(Short, Loop):
    """The things of a kind, or the players, with the most or fewest of something; who they are is settled first."""

    says: ClassVar[str] = "each {kind}[ as {name}] with {keys:rankings}{block:below}"

    kind: Name
    name: Name | None
    keys: tuple[tuple[str, Expr], ...]
    block: Block


@node
class EachRound(Short, Loop):
    """Players from one of them on, to the left round the table; perhaps only some, which is settled first."""

    says: ClassVar[str] = "each {kind}[ as {name}] from {start}[ where {where:any}]{block:below}"

    kind: Name
    name: Name | None
    start: Annotated[Expr, Takes("player", "`each ... from`")]
    where: Expr | None
    block: Block


@node
class EachNumber(Short, Loop):
    """Numbers from one to another, both included."""

    says: ClassVar[str] = "each {kind}[ as {name}] from {low} to {high}{block:below}"

    kind: Name
    name: Name | None
    low: Annotated[Expr, Takes("number", "`from ... to ...`")]
    high: Annotated[Expr, Takes("number", "`from ... to ...`")]
    block: Block


@node
class EachAtOnce(Short, Loop):
    """Everybody answers what is asked in the block, and nobody sees anything before all have."""

    says: ClassVar[str] = "each {kind}[ in {source:any}] at once{block:below}"

    kind: Name
    source: Expr | None
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
