"""Definitions: what stands at the top level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from edict.compiler.syntax.roles import Asks, Binds, Gives, Refers, SameAs, SetOf, Takes
from edict.compiler.syntax.tree.abilities import Ability, Param, TypeName
from edict.compiler.syntax.tree.nodes import Node, node
from edict.compiler.syntax.tree.steps import Block, Choose, Text
from edict.compiler.syntax.tree.values import Bundle, Expr, KeepName, KindName, Name
from edict.support.text import Span


@node
class Definition(Node):
    name: Name
    title: str


@node
class Resource(Definition):
    """limit: how much there is for all players together; None if it never runs out."""

    says: ClassVar[str] = (
        "resource {name}[ {title:text}][ may go below {below_zero:zero}][ limited to {limit}][, {secret:word}]"
    )

    below_zero: bool
    limit: Annotated[Expr | None, Takes("number", "`limited to`")]
    secret: bool  # how much a player has of it nobody else knows


@node
class Group(Definition):
    says: ClassVar[str] = "group {name}[ {title:text}] is {members:names}[ but {counted:word}]"

    members: Annotated[tuple[Name, ...], Refers(("resource",))]
    counted: bool  # of secrets: everybody sees how many a player has of all of them together


@node
class Die(Definition):
    says: ClassVar[str] = "die {name}[ {title:text}] with {sides:number} sides"

    sides: int


@node
class FieldDef(Node):
    says: ClassVar[dict[str, str]] = {
        "field_def": "{name} {type:type}[ {title:text}][, {shown:word}][, {optional:word}]",
        "derived_def": "{name}[ {title:text}] is {value:any}[, {shown:word}]",
    }

    name: Name
    type: TypeName | None
    value: Expr | None  # a derived field, computed from the printed ones
    title: str
    shown: bool
    optional: bool


@node
class Unique(Node):
    """`unique row, column`: no two things of the kind are alike in all of these fields."""

    says: ClassVar[str] = "unique {fields:names}"

    fields: tuple[Name, ...]


@node
class Kind(Definition):
    says: ClassVar[str] = "kind {name}[ {title:text}]{fields:FieldDef}{kind_order:line}{works_if:line}{unique:Unique}"
    under: ClassVar[dict[str, str]] = {"kind_order": "in order of {order}", "works_if": "works if {works_if:any}"}

    fields: tuple[FieldDef, ...]
    order: Name | None
    works_if: Annotated[Expr | None, Takes("truth", "`works if`")]
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
    says: ClassVar[str] = "{kind} {name}[ {title:text}]{thing_text:line}{fields:FieldValue}{abilities:Ability}"
    under: ClassVar[dict[str, str]] = {"thing_text": "{text:step}"}

    kind: KindName
    fields: tuple[FieldValue, ...]
    abilities: tuple[Ability, ...]
    text: Text | None = None
    before_text: tuple[str, ...] = field(default=(), kw_only=True)  # files of what was there when an amendment gave it

    def tells(self, part: FieldValue | Ability) -> bool:
        """Whether the author's words stand for this part of it: it is of the same file, or was there before."""
        return self.text is not None and part.span.file in (self.text.span.file, *self.before_text)


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

    says: ClassVar[str] = "{kind} for each {over:and}[ {title:text}]{fields:FieldValue}"

    kind: KindName
    over: tuple[Name, ...]
    fields: tuple[FieldValue, ...]


@node
class Keep(Definition):
    says: ClassVar[str] = (
        "[{lasting:word} ]keep {name}[ {title:text}][ of {params:of}] as {type:type}[ starting at {start}]"
        "[, {secret:word}][ but {counted:word}][, {quiet:word}]"
    )

    params: tuple[Param, ...]
    type: TypeName
    start: Annotated[Expr | None, SameAs("type", "`{name.word}`")]
    secret: bool
    quiet: bool
    counted: bool = field(default=False, kw_only=True)  # a secret of which everybody sees how many it holds
    lasting: bool = field(default=False, kw_only=True)  # carried over to the next game of a campaign


_QUANTITY = "the quantity `{name.word}`"


@node
class Quantity(Definition):
    says: ClassVar[dict[str, str]] = {
        "quantity": "quantity {name}[ {title:text}][ of {params:of}] is {value:any}"
        "[, at least {at_least}][, at most {at_most}]"
    }
    params: tuple[Param, ...]
    value: Annotated[Expr, Takes("number", _QUANTITY)]
    at_least: Annotated[Expr | None, Takes("number", _QUANTITY)]
    at_most: Annotated[Expr | None, Takes("number", _QUANTITY)]


@node
class Term(Quantity):
    """What rules call a set, a thing or a truth, worked out whenever it is asked for."""

    says: ClassVar[dict[str, str]] = {"value": "value {name}[ {title:text}][ of {params:of}] is {value:any}"}

    value: Expr
    at_least: Expr | None = None
    at_most: Expr | None = None


@node
class Moment(Definition):
    says: ClassVar[str] = "moment {name}[ {title:text}][ with {params:givens}]"

    params: tuple[Param, ...]


@node
class Phase(Definition):
    says: ClassVar[str] = "phase {name}[ {title:text}]{block:below}"

    block: Block


@node
class Routine(Definition):
    says: ClassVar[str] = "routine {name}[ {title:text}][ with {params:givens}]{block:below}"

    params: tuple[Param, ...]
    block: Block


@node
class Rule(Node):
    says: ClassVar[str] = "rule {name}\n  require {require:any}[\n  because {because:text}]"

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

    says: ClassVar[str] = "action {name}[ {title:text}]{params:Choose}{payments:Payment}{rules:Rule}{action_then:line}"
    under: ClassVar[dict[str, str]] = {"action_then": "then{then:below}"}

    params: tuple[Choose, ...]
    payments: tuple[Payment, ...]  # more than one are refused
    rules: tuple[Rule, ...]
    then: Block

    @property
    def payment(self) -> Payment | None:
        return next(iter(self.payments), None)


@node
class Setting(Definition):
    says: ClassVar[str] = "setting {name}[ {title:text}] is {value:switch}[ from {low:signed} to {high:signed}]"

    value: int
    truth: bool
    low: int | None = None
    high: int | None = None


@node
class Assert(Definition):
    """What holds whenever something is asked, in every game, as its title says; looked at in tests, not in play."""

    says: ClassVar[dict[str, str]] = {"assert": "assert {name} {title:text} {condition:any}"}

    condition: Annotated[Expr | None, Takes("truth", "`assert`")]


@node
class AssertNever(Assert):
    """What never happens to a resource or a set, at least not while the condition holds."""

    says: ClassVar[dict[str, str]] = {
        "assert_never": "assert {name} {title:text} never {moment:awaited}[ if {condition:any}]"
    }

    moment: Annotated[Name, Refers(("keep", "resource", "group", "die"))]
    edge: str  # of a keep joining | leaving, of a resource gaining | losing
    condition: Annotated[Expr | None, Takes("truth", "`if`")]


@node
class Standalone(Definition):
    """An adjust, when, shift or exception that belongs to no thing: it holds for everyone."""

    ability: Ability


@node
class Players(Node):
    says: ClassVar[str] = "players {low:number} to {high:number}"

    low: int
    high: int


@node
class Game(Definition):
    says: ClassVar[str] = (
        "game {name}[ {title:text}]{game_players:line}{game_order:line}{game_gains:line}{game_winners:line}"
        "{game_score:line}{game_judge:line}{game_course:line}"
    )
    under: ClassVar[dict[str, str]] = {
        "game_players": "{players:step}",
        "game_order": "order {order}",
        "game_gains": "ask about gains if {ask_gains:any}",
        "game_winners": "winners {winners:any}",
        "game_score": "score {score:any}",
        "game_judge": "judge by {judge:any}",
        "game_course": "course{course:below}",
    }

    players: Players | None
    order: KeepName
    ask_gains: Annotated[Expr | None, Takes("truth", "`ask about gains if`")]
    winners: Annotated[Expr, Takes("players", "`winners`")]
    score: Annotated[Expr, Takes("number", "`score`")]
    judge: Annotated[Expr | None, Takes("number", "`judge by`")]
    course: Block

    @property
    def low(self) -> int:
        return self.players.low if self.players else 1

    @property
    def high(self) -> int:
        return self.players.high if self.players else 1


@node
class PanelPart(Node):
    """What a panel says: only where its condition holds."""

    title: str
    parts: tuple[str | Expr, ...]
    condition: Annotated[Expr | None, Takes("truth", "`if`")]


@node
class TextLine(PanelPart):
    says: ClassVar[str] = "line {parts:parts}[ if {condition:any}]"


@node
class Column(PanelPart):
    says: ClassVar[str] = "column {title:text} {parts:parts}[ if {condition:any}]"


@node
class Display(Definition):
    """A panel of the table: lines of text, a row for each thing, or a grid for each player.

    `marked` is what to say of the things for which `mark` holds; `among` holds those that are shown, in its order.
    """

    says: ClassVar[str] = (
        "display {name}[ {title:text}]{display_each:line}{display_rows:line}{display_columns:line}"
        "{lines:TextLine}{columns:Column}{display_mark:line}"
    )
    under: ClassVar[dict[str, str]] = {
        "display_each": "each {each}[ in {among}][ if {condition:any}]",
        "display_rows": "rows {rows:any}",
        "display_columns": "columns {columns_by:any}",
        "display_mark": "mark[ {marked:text}] if {mark:any}",
    }

    each: Annotated[Name | None, Refers(("kind", "player", "group")), Gives(one_of="each")]
    rows: Expr | None
    columns_by: Expr | None
    mark: Annotated[Expr | None, Takes("truth", "`mark if`")]
    condition: Annotated[Expr | None, Takes("truth", "`if`")]
    lines: tuple[TextLine, ...]
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
    says: ClassVar[dict[str, str]] = {"remove_def": "remove {kind} {name}"}

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
