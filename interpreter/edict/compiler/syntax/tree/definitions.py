"""Nodes of definitions, at the top level of a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Annotated, ClassVar, TypeVar

from edict.compiler.syntax.roles import AskingStep, Binds, BindsType, RefersTo, Requires, SameType, SetOfKind
from edict.compiler.syntax.tree.abilities import Ability, Param, TypeName
from edict.compiler.syntax.tree.nodes import Node
from edict.compiler.syntax.tree.steps import Block, Choose, Text
from edict.compiler.syntax.tree.values import Bundle, Expr, KeepName, KindName, Name
from edict.support.records import dataclass
from edict.support.text import Span


@dataclass(frozen=True, eq=False)
class Definition(Node):
    """Base of definitions."""

    sort: ClassVar[str] = ""  # the noun for definitions of this class; empty if they change other definitions
    heading: ClassVar[str] = ""  # the heading of their names in lists of names; empty if they are not listed
    is_amendable: ClassVar[bool] = True  # modules may amend them; those without a sort never
    is_value: ClassVar[bool] = False  # their names may be used as values

    name: Name
    title: str


@dataclass(frozen=True, eq=False)
class Resource(Definition):
    """A resource that players own."""

    sort: ClassVar[str] = "resource"
    heading: ClassVar[str] = "resources"
    is_value: ClassVar[bool] = True
    says: ClassVar[str] = (
        "resource {name}[ {title:text}][ may go below {below_zero:zero}][ limited to {limit}][, {secret:word}]"
    )

    below_zero: bool
    limit: Annotated[Expr | None, Requires("number", "`limited to`")]  # total amount for all players; None if unlimited
    secret: bool  # other players do not know how much a player has


@dataclass(frozen=True, eq=False)
class Group(Definition):
    """A group of resources."""

    sort: ClassVar[str] = "group"
    heading: ClassVar[str] = "resources"
    is_amendable: ClassVar[bool] = False
    is_value: ClassVar[bool] = True
    says: ClassVar[str] = "group {name}[ {title:text}] is {members:names}[ but {counted:word}]"

    members: Annotated[tuple[Name, ...], RefersTo(("resource",))]
    counted: bool  # if they are secret, the total of a player is public all the same


@dataclass(frozen=True, eq=False)
class Die(Definition):
    """A kind of die."""

    sort: ClassVar[str] = "die"
    heading: ClassVar[str] = "resources"
    says: ClassVar[str] = "die {name}[ {title:text}] with {sides:number} sides"

    sides: int


@dataclass(frozen=True, eq=False)
class FieldDef(Node):
    """The declaration of a field of a kind."""

    says: ClassVar[dict[str, str]] = {
        "field_def": "{name} {type:type}[ {title:text}][, {shown:word}][, {optional:word}]",
        "derived_def": "{name}[ {title:text}] is {value:any}[, {shown:word}]",
    }

    name: Name
    type: TypeName | None
    value: Expr | None
    title: str
    shown: bool
    optional: bool


@dataclass(frozen=True, eq=False)
class Unique(Node):
    """A line `unique row, column`, by which no two things of the kind are equal in all of these fields."""

    says: ClassVar[str] = "unique {fields:names}"

    fields: tuple[Name, ...]


@dataclass(frozen=True, eq=False)
class Kind(Definition):
    """A kind of things."""

    sort: ClassVar[str] = "kind"
    heading: ClassVar[str] = "kinds"
    is_value: ClassVar[bool] = True
    says: ClassVar[str] = "kind {name}[ {title:text}]{fields:FieldDef}{kind_order:line}{works_if:line}{unique:Unique}"
    under: ClassVar[dict[str, str]] = {"kind_order": "in order of {order}", "works_if": "works if {works_if:any}"}

    fields: tuple[FieldDef, ...]
    order: Name | None
    works_if: Annotated[Expr | None, Requires("truth", "`works if`")]
    unique: tuple[Unique, ...] = ()


@dataclass(frozen=True, eq=False)
class FieldValue(Node):
    """The value of a field of a thing; exactly one of expr, amounts, text and block is set."""

    name: Name
    expr: Expr | None = None
    amounts: Bundle | None = None
    text: str | None = None
    block: Block | None = None


@dataclass(frozen=True, eq=False)
class Thing(Definition):
    """A thing of a kind, such as a card or a building."""

    sort: ClassVar[str] = "thing"
    is_value: ClassVar[bool] = True
    says: ClassVar[str] = "{kind} {name}[ {title:text}]{thing_text:line}{fields:FieldValue}{abilities:Ability}"
    under: ClassVar[dict[str, str]] = {"thing_text": "{text:step}"}

    kind: KindName
    fields: tuple[FieldValue, ...]
    abilities: tuple[Ability, ...]
    text: Text | None = None
    # files of the parts that it had when an amendment set its text
    before_text: tuple[str, ...] = ()

    def is_covered_by_text(self, part: FieldValue | Ability) -> bool:
        """Return True if the author's text describes a part, which is of the same file or was there before the text."""
        return self.text is not None and part.span.file in (self.text.span.file, *self.before_text)


@dataclass(frozen=True, eq=False)
class Row(Node):
    """A row of a table; a cell that is None leaves its field unset."""

    name: Name
    title: str
    cells: tuple[FieldValue | None, ...]


@dataclass(frozen=True, eq=False)
class Table(Definition):
    """A table, `table of card with suit, rank`, with a row for each thing; it has no name of its own."""

    kind: KindName
    columns: tuple[Name, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, eq=False)
class Combinations(Definition):
    """A thing for every combination of values of some fields, `card for each suit and rank`.

    The title is a pattern.
    """

    says: ClassVar[str] = "{kind} for each {over:and}[ {title:text}]{fields:FieldValue}"

    kind: KindName
    over: tuple[Name, ...]
    fields: tuple[FieldValue, ...]


@dataclass(frozen=True, eq=False)
class Keep(Definition):
    """A state variable."""

    sort: ClassVar[str] = "keep"
    heading: ClassVar[str] = "keeps"
    is_value: ClassVar[bool] = True
    says: ClassVar[str] = (
        "[{lasting:word} ]keep {name}[ {title:text}][ of {params:of}] as {type:type}[ starting at {start}]"
        "[, {secret:word}][ but {counted:word}][, {quiet:word}]"
    )

    params: tuple[Param, ...]
    type: TypeName
    start: Annotated[Expr | None, SameType("type", "`{name.word}`")]
    secret: bool
    quiet: bool
    counted: bool = False  # its size is public although its content is secret
    lasting: bool = False  # kept for the next game of a campaign


_QUANTITY = "the quantity `{name.word}`"


@dataclass(frozen=True, eq=False)
class Quantity(Definition):
    """A named number that is computed when it is used."""

    sort: ClassVar[str] = "quantity"
    heading: ClassVar[str] = "quantities"
    is_value: ClassVar[bool] = True
    says: ClassVar[dict[str, str]] = {
        "quantity": "quantity {name}[ {title:text}][ of {params:of}] is {value:any}"
        "[, at least {at_least}][, at most {at_most}]"
    }
    params: tuple[Param, ...]
    value: Annotated[Expr, Requires("number", _QUANTITY)]
    at_least: Annotated[Expr | None, Requires("number", _QUANTITY)]
    at_most: Annotated[Expr | None, Requires("number", _QUANTITY)]


@dataclass(frozen=True, eq=False)
class Term(Quantity):
    """A named set, thing or truth that is computed when it is used."""

    sort: ClassVar[str] = "value"
    is_value: ClassVar[bool] = True
    says: ClassVar[dict[str, str]] = {"value": "value {name}[ {title:text}][ of {params:of}] is {value:any}"}

    value: Expr
    at_least: Expr | None = None
    at_most: Expr | None = None


@dataclass(frozen=True, eq=False)
class Moment(Definition):
    """A moment that steps trigger and abilities wait for."""

    sort: ClassVar[str] = "moment"
    heading: ClassVar[str] = "moments"
    says: ClassVar[str] = "moment {name}[ {title:text}][ with {params:givens}]"

    params: tuple[Param, ...]


@dataclass(frozen=True, eq=False)
class Phase(Definition):
    """A phase of the game."""

    sort: ClassVar[str] = "phase"
    heading: ClassVar[str] = "phases"
    says: ClassVar[str] = "phase {name}[ {title:text}]{block:below}"

    block: Block


@dataclass(frozen=True, eq=False)
class Routine(Definition):
    """Named steps with parameters."""

    sort: ClassVar[str] = "routine"
    heading: ClassVar[str] = "routines"
    says: ClassVar[str] = "routine {name}[ {title:text}][ with {params:givens}]{block:below}"

    params: tuple[Param, ...]
    block: Block


@dataclass(frozen=True, eq=False)
class Rule(Node):
    """A condition that the choices of an action must meet."""

    says: ClassVar[str] = "rule {name}\n  require {require:any}[\n  because {because:text}]"

    name: Name
    require: Annotated[Expr, Requires("truth", "`require`")]
    because: str


@dataclass(frozen=True, eq=False)
class Payment(Node, AskingStep):
    """A payment with dice, as in `choose dice from hand of you as paid making rank of whom including 1 own-die`."""

    says: ClassVar[str] = (
        "choose dice from {place} as {name} making {total}[ including {least:number} {die}][ {prompt:text}]"
    )

    place: Annotated[Expr, Requires("dice", "paying with dice")]
    name: Annotated[Binds[Name], BindsType("dice")]
    total: Annotated[Expr, Requires("number", "`making`")]
    least: int
    die: Annotated[Name | None, RefersTo(("die",))]
    prompt: str


@dataclass(frozen=True, eq=False)
class Action(Definition):
    """An action, with its choices, the rules that they must meet, and its effects.

    In an amendment without choices, the rules are added to the old ones or replace those of the same name.
    """

    sort: ClassVar[str] = "action"
    heading: ClassVar[str] = "actions"
    says: ClassVar[str] = "action {name}[ {title:text}]{params:Choose}{payments:Payment}{rules:Rule}{action_then:line}"
    under: ClassVar[dict[str, str]] = {"action_then": "then{then:below}"}

    params: tuple[Choose, ...]
    payments: tuple[Payment, ...]  # more than one is reported as an error
    rules: tuple[Rule, ...]
    then: Block

    @property
    def payment(self) -> Payment | None:
        """The payment, or None."""
        return next(iter(self.payments), None)


@dataclass(frozen=True, eq=False)
class Setting(Definition):
    """A setting that is chosen before the game."""

    sort: ClassVar[str] = "setting"
    heading: ClassVar[str] = "settings"
    is_value: ClassVar[bool] = True
    says: ClassVar[str] = "setting {name}[ {title:text}] is {value:switch}[ from {low:signed} to {high:signed}]"

    value: int
    truth: bool
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, eq=False)
class Assert(Definition):
    """A condition that holds at every question of every game, verified by tests and not in play."""

    sort: ClassVar[str] = "assert"
    says: ClassVar[dict[str, str]] = {"assert": "assert {name} {title:text} {condition:any}"}

    condition: Annotated[Expr | None, Requires("truth", "`assert`")]


@dataclass(frozen=True, eq=False)
class AssertNever(Assert):
    """An event of a resource or set that never happens, at least while a condition holds."""

    sort: ClassVar[str] = "assert"
    says: ClassVar[dict[str, str]] = {
        "assert_never": "assert {name} {title:text} never {moment:awaited}[ if {condition:any}]"
    }

    moment: Annotated[Name, RefersTo(("keep", "resource", "group", "die"))]
    edge: str  # joining or leaving (a keep), gaining or losing (a resource)
    condition: Annotated[Expr | None, Requires("truth", "`if`")]


@dataclass(frozen=True, eq=False)
class Standalone(Definition):
    """An ability that belongs to no thing and holds for everyone."""

    ability: Ability


@dataclass(frozen=True, eq=False)
class Players(Node):
    """The number of players."""

    says: ClassVar[str] = "players {low:number} to {high:number}"

    low: int
    high: int


@dataclass(frozen=True, eq=False)
class Game(Definition):
    """The game, with its number of players, turn order, scoring and course."""

    sort: ClassVar[str] = "game"
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
    ask_gains: Annotated[Expr | None, Requires("truth", "`ask about gains if`")]
    winners: Annotated[Expr, Requires("players", "`winners`")]
    score: Annotated[Expr, Requires("number", "`score`")]
    judge: Annotated[Expr | None, Requires("number", "`judge by`")]
    course: Block

    @property
    def low(self) -> int:
        """The lowest number of players."""
        return self.players.low if self.players else 1

    @property
    def high(self) -> int:
        """The highest number of players."""
        return self.players.high if self.players else 1


@dataclass(frozen=True, eq=False)
class PanelPart(Node):
    """A part of a panel, shown while its condition holds."""

    title: str
    parts: tuple[str | Expr, ...]
    condition: Annotated[Expr | None, Requires("truth", "`if`")]


@dataclass(frozen=True, eq=False)
class TextLine(PanelPart):
    """A line of text in a panel."""

    says: ClassVar[str] = "line {parts:parts}[ if {condition:any}]"


@dataclass(frozen=True, eq=False)
class Column(PanelPart):
    """A column of a panel."""

    says: ClassVar[str] = "column {title:text} {parts:parts}[ if {condition:any}]"


@dataclass(frozen=True, eq=False)
class Display(Definition):
    """A panel of the table, with lines of text, a row for each thing, or a grid for each player."""

    sort: ClassVar[str] = "display"
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

    each: Annotated[Name | None, RefersTo(("kind", "player", "group")), BindsType(one_of="each")]
    rows: Expr | None
    columns_by: Expr | None
    mark: Annotated[Expr | None, Requires("truth", "`mark if`")]
    condition: Annotated[Expr | None, Requires("truth", "`if`")]
    lines: tuple[TextLine, ...]
    columns: tuple[Column, ...]
    marked: str  # text for the things for which `mark` holds
    among: Annotated[Expr | None, SetOfKind("each", "`each ... in`")] = None  # the things that are shown, in its order


@dataclass(frozen=True, eq=False)
class Amend(Definition):
    """A change of a definition, `amend building market`, whose fields and abilities replace or join the old ones.

    With `whole` (`rewrite building market`), nothing of the old definition remains.
    """

    definition: Definition
    whole: bool = False


@dataclass(frozen=True, eq=False)
class Remove_(Definition):
    """The removal of a definition."""

    says: ClassVar[dict[str, str]] = {"remove_def": "remove {kind} {name}"}

    kind: Name


@dataclass(frozen=True, eq=False)
class Retitle(Definition):
    """A new title for a definition, `call spring "Frühling"`; nothing else changes."""

    says: ClassVar[str] = "call {name} {title:text}"


D = TypeVar("D", bound=Definition)


@dataclass(frozen=True)
class Page:
    """A parsed rule file."""

    file: str
    definitions: tuple[Definition, ...]


@dataclass(frozen=True)
class Note:
    """The provenance of a definition."""

    source: str = ""
    origin: str = ""
    module: str = ""


@dataclass(frozen=True)
class Book:
    """All rules of a game, with its modules laid over each other."""

    definitions: dict[str, Definition]
    standalone: tuple[Standalone, ...]
    notes: dict[str, Note] = field(default_factory=dict)  # provenance by name
    files: dict[str, str] = field(default_factory=dict)  # modules by file
    covered: tuple[Definition, ...] = ()
    removed: tuple[tuple[Definition, Span], ...] = ()

    def select(self, *kinds: type[D]) -> Iterator[D]:
        """Yield the definitions of some classes, in the order of the book."""
        return (definition for definition in self.definitions.values() if isinstance(definition, kinds))

    @property
    def things(self) -> Iterator[Thing]:
        """The things of all kinds."""
        return self.select(Thing)

    @property
    def roots(self) -> tuple[Definition, ...]:
        """The definitions, and the abilities that stand alone."""
        return (*self.definitions.values(), *self.standalone)
