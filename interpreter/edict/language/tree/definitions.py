"""Definitions: what stands at the top level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from edict.language.roles import (
    Asks, Binds, Gives, Refers, SetOf, Takes,
)  # fmt: skip
from edict.language.tree.nodes import Node, node
from edict.language.tree.values import Bundle, Expr, KeepName, KindName, Name
from edict.language.tree.steps import Block, Choose, Text
from edict.language.tree.abilities import Ability, Param, TypeName
from edict.text import Span


@node
class Definition(Node):
    name: Name
    title: str


@node
class Resource(Definition):
    """limit: how much there is for all players together; None if it never runs out."""

    floor: int | None
    limit: Annotated[Expr | None, Takes("number", "`limited to`")] = None


@node
class Group(Definition):
    says: ClassVar[str] = "group {name}[ {title:text}] is {members:names}"

    members: Annotated[tuple[Name, ...], Refers(("resource",))]


@node
class Die(Definition):
    says: ClassVar[str] = "die {name}[ {title:text}] with {sides:number} sides"

    sides: int


@node
class FieldDef(Node):
    name: Name
    type: TypeName | None
    value: Expr | None  # a derived field, computed from the printed ones
    title: str
    shown: bool
    optional: bool


@node
class Unique(Node):
    """`unique row, column`: no two things of the kind are alike in all of these fields."""

    fields: tuple[Name, ...]


@node
class Kind(Definition):
    fields: tuple[FieldDef, ...]
    order: Name | None
    works_if: Expr | None
    unique: tuple[Unique, ...] = ()


@node
class FieldValue(Node):
    """One of: expr, amounts (a Bundle), text, block."""

    name: Name
    expr: Expr | None = None
    amounts: Bundle | None = None
    text: str | None = None
    block: Block | None = None


@node
class Thing(Definition):
    kind: KindName
    fields: tuple[FieldValue, ...]
    abilities: tuple[Ability, ...]
    text: Text | None = None


@node
class Row(Node):
    """A thing of a table; a cell that is None says nothing of its field."""

    name: Name
    title: str
    cells: tuple[FieldValue | None, ...]


@node
class Table(Definition):
    """`table of card with suit, rank` and a row for each thing; it has no name of its own."""

    kind: KindName
    columns: tuple[Name, ...]
    rows: tuple[Row, ...]


@node
class Combinations(Definition):
    """`card for each suit and rank`: a thing for every combination of values of these fields; `title` is a pattern."""

    kind: KindName
    over: tuple[Name, ...]
    fields: tuple[FieldValue, ...]


@node
class Keep(Definition):
    params: tuple[Param, ...]
    type: TypeName
    start: Expr | None
    secret: bool
    quiet: bool
    counted: bool = field(default=False, kw_only=True)  # a secret of which everybody sees how many it holds
    lasting: bool = field(default=False, kw_only=True)  # carried over to the next game of a campaign
    joints: tuple[str, ...] = field(default=(), kw_only=True)  # by, in, for: between the params


_QUANTITY = "the quantity `{name.word}`"


@node
class Quantity(Definition):
    params: tuple[Param, ...]
    value: Annotated[Expr, Takes("number", _QUANTITY)]
    at_least: Annotated[Expr | None, Takes("number", _QUANTITY)]
    at_most: Annotated[Expr | None, Takes("number", _QUANTITY)]
    joints: tuple[str, ...] = field(default=(), kw_only=True)  # by, in, for: between the params


@node
class Term(Quantity):
    """What rules call a set, a thing or a truth, worked out whenever it is asked for."""

    value: Expr
    at_least: Expr | None = None
    at_most: Expr | None = None


@node
class Moment(Definition):
    params: tuple[Param, ...]


@node
class Phase(Definition):
    block: Block


@node
class Routine(Definition):
    params: tuple[Param, ...]
    block: Block


@node
class Rule(Node):
    name: Name
    require: Annotated[Expr, Takes("truth", "`require`")]
    because: str


@node
class Payment(Node, Asks):
    """`choose dice from hand of you as paid making rank of whom including 1 own-die`."""

    says: ClassVar[str] = (
        "choose dice from {place} as {name} making {total}[ including {least:number} {die}][ {prompt:text}]"
    )

    place: Annotated[Expr, Takes("dice", "paying with dice")]
    name: Annotated[Binds[Name], Gives("dice")]
    total: Annotated[Expr, Takes("number", "`making`")]
    least: int
    die: Annotated[Name | None, Refers(("die",))]
    prompt: str


@node
class Action(Definition):
    """Something to choose, the rules a choice must keep, and what happens then.

    In an amendment without choices, its rules join the old ones or replace those of their name.
    """

    params: tuple[Choose, ...]
    payment: Payment | None
    rules: tuple[Rule, ...]
    then: Block
    spare: tuple[Payment, ...] = ()  # more payments than one are refused


@node
class Setting(Definition):
    value: int
    truth: bool
    low: int | None = None
    high: int | None = None


@node
class Standalone(Definition):
    """An adjust, when, shift or exception that belongs to no thing: it holds for everyone."""

    ability: Ability


@node
class Players(Node):
    """`players 2 to 5`."""

    low: int
    high: int


@node
class Game(Definition):
    players: Players | None
    order: KeepName
    ask_gains: Annotated[Expr | None, Takes("truth", "`ask about gains if`")]
    winners: Annotated[Expr, Takes("players", "`winners`")]
    score: Annotated[Expr, Takes("number", "`score`")]
    judge: Annotated[Expr | None, Takes("number", "`judge by`")]
    course: Block
    lines: tuple[str, ...] = field(default=(), kw_only=True)  # the first words of its lines, as they come

    @property
    def low(self) -> int:
        return self.players.low if self.players else 1

    @property
    def high(self) -> int:
        return self.players.high if self.players else 1


@node
class Column(Node):
    """A line of a panel (without a title), or a column; said only where its condition holds."""

    title: str
    parts: tuple[str | Expr, ...]
    condition: Annotated[Expr | None, Takes("truth", "`if`")]


@node
class Display(Definition):
    """A panel of the table: lines of text, a row for each thing, or a grid for each player.

    `marked` is what to say of the things for which `mark` holds; `among` holds those that are shown, in its order.
    """

    each: Annotated[Name | None, Refers(("kind", "player", "group"))]
    rows: Expr | None
    columns_by: Expr | None
    mark: Annotated[Expr | None, Takes("truth", "`mark if`")]
    condition: Annotated[Expr | None, Takes("truth", "`if`")]
    lines: tuple[Column, ...]
    columns: tuple[Column, ...]
    marked: str
    among: Annotated[Expr | None, SetOf("each", "`each ... in`")] = None


@node
class Amend(Definition):
    """`amend building market`: the fields and abilities written here replace or join the old ones.

    `rewrite building market` (whole): nothing of the old thing stays.
    """

    definition: Definition
    whole: bool = False


@node
class Remove_(Definition):
    kind: Name


@node
class Retitle(Definition):
    """`call spring "Frühling"`: what people read changes, and nothing else."""

    says: ClassVar[str] = "call {name} {title:text}"

@dataclass(frozen=True)
class Page:
    """A rule file, parsed."""

    file: str
    definitions: tuple[Definition, ...]


@dataclass(frozen=True)
class Note:
    """What is said of a definition: where it comes from."""

    source: str = ""
    origin: str = ""
    module: str = ""


@dataclass(frozen=True)
class Book:
    """All rules of a game after laying its modules over each other."""

    definitions: dict[str, Definition]
    standalone: tuple[Standalone, ...]
    notes: dict[str, Note] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # file -> module
    covered: tuple[Definition, ...] = ()  # as they were before another module changed or removed them
    removed: tuple[tuple[Definition, Span], ...] = ()  # and where that is said
