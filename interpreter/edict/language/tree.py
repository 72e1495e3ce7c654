"""The tree of a rule file: what was written, with its places, and nothing else.

Nodes compare by identity, so later passes keep what they learn (what a name means, of which
type an expression is) in tables beside the tree, keyed by node.

Beside its type a field says what it is for (`Changed[Expr]`, `Binds[Name]`: see `roles`), and a name what it may mean.

Fields given by keyword only (`wrapped`, `said`, `joints`, `lines` ...) tell how something was spelt where the
language has several ways of saying the same. They matter to no pass; `printing` writes them as they were.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, TypeVar, dataclass_transform

from edict.language.roles import (
    About, Arguments, Asks, Awaited, Binds, BindsBelow, Changed, ChosenFrom, Decides, Ends, Gives, Instead, Into,
    Members, Moved, PerMember, Random, Refers, Runs, Said, SameAs, SetOf, Shown, Takes, Through, Unseen,
)  # fmt: skip
from edict.text import Span

T = TypeVar("T")
Unwalked = Any  # a node that nothing goes into


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def node(cls: type[T]) -> type[T]:
    return dataclass(frozen=True, eq=False)(cls)


@node
class Node:
    span: Span


# --- expressions -------------------------------------------------------------------------


@node
class Expr(Node):
    """wrapped: it stands in parentheses."""

    wrapped: bool = field(default=False, kw_only=True)


@node
class Number(Expr):
    value: int


@node
class Name(Expr):
    """A word: a variable, a thing, a kind (all its things), `you`, `it`, `none`, `yes` ..."""

    word: str


# Names by what they may mean; a local name may stand for a resource or a group.
ActionName = Annotated[Name, Refers(("action",))]
DieName = Annotated[Name, Refers(("die",))]
KeepName = Annotated[Name, Refers(("keep",))]
KindName = Annotated[Name, Refers(("kind",))]
MomentName = Annotated[Name, Refers(("moment",))]
PhaseName = Annotated[Name, Refers(("phase",))]
QuantityName = Annotated[Name, Refers(("quantity",))]
AmongName = Annotated[Name, Refers(("kind", "group", "player", "number"))]  # what is gone through, or chosen from
DrawnName = Annotated[Name, Refers(("kind", "player", "number"))]


@node
class Apply(Expr):
    """`rank of whom`, `price of b in gold`: a field, resource, keep or quantity of something."""

    head: Name
    args: tuple[Expr, ...]
    joints: tuple[str, ...] = field(default=(), kw_only=True)  # by, in, for: between the args


@node
class Unary(Expr):
    """op: not, minus, count, sum, faces, first, left, right."""

    op: str
    arg: Expr


@node
class Binary(Expr):
    """op: + - * / and or = != < <= > >= in not-in within empty not-empty."""

    op: str
    left: Expr
    right: Expr
    said: str = field(default="", kw_only=True)  # "is": `=` and `!=` written as `is` and `is not`


class OfMembers:
    """What is said of a set, up to the end of the line: of `members`."""


@node
class Where(Expr, OfMembers):
    """The members (`it`) of a set for which a condition holds."""

    says: ClassVar[str] = "{members} where {condition:any}"

    gives: ClassVar[str] = "members"

    members: Annotated[Members[Expr], Through("`where`")]
    condition: Annotated[PerMember[Expr], Takes("truth", "`where`")]


@node
class Best(Expr, OfMembers):
    """The members with the most or fewest of something, ties broken by the next key."""

    says: ClassVar[str] = "{members} with {keys:rankings}"

    members: Members[Expr]
    keys: PerMember[tuple[tuple[str, Expr], ...]]  # ("most" | "fewest", expression over `it`)


@node
class Over(Expr):
    """`sum of worth of it over owned of you`; op: sum, highest, lowest."""

    says: ClassVar[str] = "{op} of {value:primary} over {members:primary}"

    gives: ClassVar[str] = "number"

    op: str
    value: Annotated[PerMember[Expr], Takes("number", "`{op} of`")]
    members: Annotated[Members[Expr], Through("`over`")]


@node
class Quantified(Expr):
    """`every good has ...`, `some building has ...`."""

    says: ClassVar[str] = "{op} {members} has {condition:any}"

    gives: ClassVar[str] = "truth"

    op: str  # every | some
    members: Annotated[Members[Expr], Through("`{op}`")]
    condition: Annotated[PerMember[Expr], Takes("truth", "`has`")]


@node
class During(Expr):
    """Whether a phase is being played."""

    says: ClassVar[str] = "during {phase}"

    gives: ClassVar[str] = "truth"

    phase: PhaseName


@node
class Showing(Expr):
    """`own-die showing 3`: one die with that face up."""

    says: ClassVar[str] = "{die} showing {face:atom}"

    gives: ClassVar[str] = "dice"

    die: DieName
    face: Annotated[Expr, Takes("number", "`showing`")]


@node
class Among(Expr):
    """`own-dice among hand of you`: those of the dice that are of one kind."""

    says: ClassVar[str] = "{die} among {dice:primary}"

    gives: ClassVar[str] = "dice"

    die: DieName
    dice: Annotated[Expr, Takes("dice", "`among`")]


@node
class OfTwo(Expr):
    """The larger or the smaller of two numbers, or their sum."""

    says: ClassVar[str] = "{op} of {left:primary} and {right:primary}"

    gives: ClassVar[str] = "number"

    op: str  # sum, best, least
    left: Annotated[Expr, Takes("number", "`{op} of`")]
    right: Annotated[Expr, Takes("number", "`{op} of`")]


@node
class Track(Expr):
    """`(1, 3, 6, 10) at level`: the number at a place, counted from 1; beyond its ends the first, or the last."""

    says: ClassVar[str] = "({steps:parts}) at {at:primary}"

    gives: ClassVar[str] = "number"

    steps: Annotated[tuple[Expr, ...], Takes("number", "a step of a track")]
    at: Annotated[Expr, Takes("number", "`at`")]


@node
class FirstAfter(Expr):
    """`first after you in bidding`: the first to the left who is in a set; oneself last, and `none` if nobody is."""

    says: ClassVar[str] = "first after {player:atom} in {members:primary}"

    gives: ClassVar[str] = "some player"

    player: Annotated[Expr, Takes("player", "`first after`")]
    members: Annotated[Expr, Takes("players", "`first after ... in`")]


@node
class Listed(Expr):
    """`(oak, sapling)`: a set of these. (`in_full` writes it out.)"""

    says: ClassVar[str] = "({members:parts})"

    members: tuple[Expr, ...]


# --- amounts -----------------------------------------------------------------------------


@node
class Part(Node):
    """`2 gold`, `1 of each good except paid`."""

    amount: Expr
    what: Annotated[Name, Refers(("resource", "group", "die", "local"))]
    each: bool = False
    beside: Annotated[Name | None, Refers(("resource", "group", "local"))] = None
    said: str = field(default="", kw_only=True)  # "all": `all soldier` for `soldier of you soldier`


@node
class PartFrom(Node):
    """`2 from currency of you`: of one's choice among a set of resources."""

    amount: Expr
    source: Expr


@node
class Bundle(Node):
    parts: tuple[Part | PartFrom, ...]


# --- statements --------------------------------------------------------------------------


@node
class Stmt(Node):
    pass


Block = tuple[Stmt, ...]


@node
class Gain(Stmt):
    says: ClassVar[str] = "gain {options:bundles}"

    options: Moved[tuple[Bundle, ...]]


@node
class Lose(Stmt):
    """Lose what one has of it; goods of choice are chosen by the loser."""

    says: ClassVar[str] = "lose {bundle:bundle}"

    bundle: Moved[Bundle]


@node
class Spend(Stmt):
    """Pay one of the bundles, if one can; only then comes the block, and else what stands under `otherwise`."""

    says: ClassVar[str] = "spend {options:bundles}[ as {name}]{then:below}"

    options: Moved[tuple[Bundle, ...]]
    name: BindsBelow[Name | None]
    then: Block
    otherwise: Instead[Block] = ()


@node
class May(Stmt, Asks, Unseen):
    """You may do the head; `decline` is the text of not doing it, `prompt` the question if words are not enough."""

    head: Stmt | None
    decline: str
    then: Block
    otherwise: Instead[Block]
    prompt: str = ""
    secretly: bool = False  # nobody else sees whether it is done


@node
class ChooseOne(Stmt, Asks, Unseen):
    branches: tuple[Branch, ...]
    asking: Annotated[Expr | None, Takes("player", "`asking`")]
    prompt: str
    secretly: bool


@node
class Branch(Node):
    title: str
    condition: Annotated[Expr | None, Takes("truth", "`if`")]
    block: Block


_CHOSEN = "[ where {where:any}][ asking {asking}][ {secretly:word}][ {prompt:text}]"


@node
class Choose(Stmt, Asks, Unseen):
    """Choose a thing, a player, a resource or a number."""

    says: ClassVar[dict[str, str]] = {
        "choose_range": "choose {article:article} {kind} from {low} to {high} as {name}" + _CHOSEN,
        "choose": "choose {article:article} {kind}[ from {source}] as {name}" + _CHOSEN,
    }

    kind: AmongName
    low: Expr | None
    high: Expr | None
    source: ChosenFrom[Members[Expr | None]]
    name: Binds[Name]
    where: PerMember[Expr | None]
    asking: Expr | None
    secretly: bool
    prompt: str
    article: str = field(default="", kw_only=True)  # a, an


@node
class ChooseDie(Stmt, Asks, Unseen):
    says: ClassVar[str] = "choose a die from {source} as {name}[ {secretly:word}][ {prompt:text}]"

    source: Annotated[ChosenFrom[Expr], Takes("dice", "choosing a die")]
    name: Annotated[Binds[Name], Gives("dice")]
    prompt: str
    secretly: bool = False


@node
class Let(Stmt, Unseen):
    says: ClassVar[str] = "let {name} = {value:any}"

    name: Annotated[Binds[Name], SameAs("value")]
    value: Into[Expr]


@node
class Set(Stmt, Unseen):
    says: ClassVar[str] = "set {place} to {value:any}"

    place: Changed[Expr]
    value: Annotated[Into[Expr], SameAs("place")]


@node
class Swap(Stmt, Unseen):
    """Two places get each other's values."""

    says: ClassVar[str] = "swap {place} with {other}"

    place: Annotated[Changed[Into[Expr]], SameAs("other")]
    other: Annotated[Changed[Into[Expr]], SameAs("place")]


@node
class Add(Stmt, Unseen):
    says: ClassVar[str] = "add {value} to {place}"

    value: Into[Expr]
    place: Changed[Expr]


@node
class Remove(Stmt, Unseen):
    says: ClassVar[str] = "remove {value} from {place}"

    value: Into[Expr]
    place: Changed[Expr]


@node
class Roll(Stmt, Random):
    says: ClassVar[dict[str, str]] = {
        "roll_as": "roll {count} {die} as {name}",
        "roll_into": "roll {count} {die} into {place}",
    }

    count: Annotated[Expr, Takes("number", "`roll`")]
    die: DieName
    name: Annotated[Binds[Name | None], Gives("dice")]
    place: Annotated[Changed[Expr | None], Takes("dice", "`roll ... into`")]


@node
class Reroll(Stmt, Random):
    says: ClassVar[dict[str, str]] = {
        "reroll": "reroll {dice} within {place}",
        "reroll_all": "reroll all within {place}",
    }

    dice: Annotated[Expr | None, Takes("dice", "`reroll`")]  # None: all of them
    place: Annotated[Changed[Expr], Takes("dice", "`reroll ... within`")]


@node
class Draw(Stmt, Random):
    says: ClassVar[dict[str, str]] = {
        "draw_range": "draw {article:article} {kind} from {low} to {high} as {name}[ {secretly:word}]",
        "draw": "draw {article:article} {kind} from {source} as {name}[ {secretly:word}]",
    }

    kind: DrawnName
    source: Annotated[ChosenFrom[Expr | None], SetOf("kind", "`draw`")]
    name: Annotated[Binds[Name], Gives(one_of="kind")]
    secretly: bool
    low: Annotated[Expr | None, Takes("number", "`from ... to ...`")] = None
    high: Annotated[Expr | None, Takes("number", "`from ... to ...`")] = None
    article: str = field(default="", kw_only=True)  # a, an


@node
class Show(Stmt):
    place: Shown[Expr]
    to: Expr


@node
class Announce(Stmt):
    says: ClassVar[str] = "announce {parts:parts}"

    parts: Said[tuple[str | Expr, ...]]


@node
class Look(Stmt):
    """A moment to look: a panel that is shown just now, with what was won and lost since the phase began."""

    says: ClassVar[str] = "look at {display}"

    display: Annotated[Name, Refers(("display",))]


@node
class Text(Stmt, Unseen):
    """The author's words for what stands below them, or else for all that follows in the block, or a whole thing."""

    says: ClassVar[str] = "text {parts:parts}{block:below}"

    parts: tuple[str | Expr, ...]
    block: Block = ()


@node
class Trigger(Stmt):
    says: ClassVar[str] = "trigger {moment}[ with {args:args}]"

    moment: Runs[MomentName]
    args: Arguments[tuple[Expr, ...]]


@node
class Play(Stmt):
    says: ClassVar[str] = "play {phase}"

    phase: Runs[PhaseName]


@node
class Do(Stmt):
    """`do recruit with 2`, `do construct`."""

    says: ClassVar[str] = "do {name}[ with {args:args}]"

    name: Annotated[Runs[Name], Refers(("routine", "action"))]
    args: Arguments[tuple[Expr, ...]]


@node
class DoField(Stmt):
    """`do reward of whom`: carry out the effect written in a field of a thing."""

    says: ClassVar[str] = "do {field} of {thing:primary}"

    field: Annotated[Runs[Name], Refers(("field",))]
    thing: Expr


@node
class Arrange(Stmt):
    says: ClassVar[str] = "arrange {place} {direction} {key} first"

    place: Changed[Members[Expr]]
    direction: str  # lowest | highest
    key: Into[PerMember[Expr]]


@node
class Shuffle(Stmt, Random):
    says: ClassVar[str] = "shuffle {place}"

    place: Changed[Expr]


@node
class If(Stmt, Unseen):
    condition: Annotated[Decides[Expr], Takes("truth", "`if`")]
    then: Block
    otherwise: Instead[Block]


class Loop:
    """A step that does what stands below it again and again."""

    block: Block


@node
class Each(Stmt, Loop, Unseen):
    """Players come in the game's order and are `you` unless named otherwise."""

    says: ClassVar[str] = "each {kind}[ as {name}][ in {source:any}]{block:below}"

    kind: AmongName
    name: BindsBelow[Name | None]
    source: Decides[Into[Expr | None]]
    block: Block


@node
class Repeat(Stmt, Loop, Unseen):
    """`repeat N times` (count) or `repeat until C` (until)."""

    says: ClassVar[dict[str, str]] = {
        "repeat_times": "repeat {count} times{block:below}",
        "repeat_until": "repeat until {until:any}{block:below}",
    }

    count: Annotated[Decides[Expr | None], Takes("number", "`repeat`")]
    until: Annotated[Awaited[Decides[Expr | None]], Takes("truth", "`repeat until`")]
    block: Block


# --- steps in short: `in_full` writes out what they stand for ------------------------------


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
    says: ClassVar[str] = "move {value} from {source} to {place}"

    value: Expr
    source: Expr
    place: Expr


@node
class Give(Short):
    """One player pays another, if the one can."""

    says: ClassVar[str] = "give {bundle:bundle} to {whom}"

    bundle: Bundle
    whom: Annotated[Expr, Takes("player", "`give ... to`")]


@node
class PayPrice(Short):
    """`pay cost of what`: an amount of several resources; as `spend`."""

    says: ClassVar[str] = "pay {price:primary}{then:below}"

    price: Expr
    then: Block
    otherwise: Instead[Block] = ()


@node
class For(Short):
    """For one player, or some: each is `you`."""

    says: ClassVar[str] = "for {whom:any}{block:below}"

    whom: Annotated[Expr, Takes("players", "`for`")]
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


# --- types as written --------------------------------------------------------------------


@node
class TypeName(Node):
    """number, truth, effect, amounts, dice, thing, set, order; `name` for the kind of the last three."""

    shape: str
    name: Annotated[Name | None, Refers(("kind", "player", "number", "group"))] = None
    optional: bool = False
    low: int | None = None
    high: int | None = None


@node
class Param(Node):
    kind: Annotated[Name, Refers(("kind", "player", "number", "group"))]
    name: Binds[Name]


# --- abilities ---------------------------------------------------------------------------


@node
class Ability(Node):
    pass


@node
class Adjust(Ability):
    says: ClassVar[str] = "adjust {quantity} by {by}[ if {condition:any}]"

    quantity: About[QuantityName]
    by: Annotated[Expr, Takes("number", "`adjust`")]
    condition: Annotated[Expr | None, Takes("truth", "`if`")]


@node
class When(Ability):
    moment: Annotated[About[Name], Refers(("moment", "phase", "routine"))]
    edge: str  # "" | start | end
    condition: Annotated[Decides[Expr | None], Takes("truth", "`if`")]
    once_per: Annotated[Name | None, Refers(("phase",))]
    title: str
    block: Block


@node
class Shift(Ability):
    action: About[ActionName]
    by: tuple[int, ...]
    spending: Moved[Bundle | None]
    once_per: Annotated[Name | None, Refers(("phase",))]
    condition: Annotated[Expr | None, Takes("truth", "`if`")]


@node
class Exception_(Ability):
    """Replaces a rule (target.rule) or a whole phase or routine (target) while a condition holds.

    over: the exceptions before which it comes. beside: those with which it may hold together, and the player chooses.
    """

    target: Annotated[About[Name], Refers(("action", "phase", "routine"))]
    rule: Name | None
    condition: Annotated[Decides[Expr | None], Takes("truth", "`if`")]
    over: tuple[Name, ...]
    require: Annotated[Expr | None, Takes("truth", "`require`")]
    because: str
    then: Block
    beside: tuple[Name, ...] = ()
    lines: tuple[str, ...] = field(default=(), kw_only=True)  # allow, require, then, instead, as they come


# --- definitions -------------------------------------------------------------------------


@node
class Definition(Node):
    name: Name
    title: str


@node
class Resource(Definition):
    floor: int | None


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
    title: str
    parts: tuple[str | Expr, ...]


@node
class Display(Definition):
    """A panel of the table: lines of text, a row for each thing, or a grid for each player.

    `marked` is what to say of the things for which `mark` holds.
    """

    each: Annotated[Name | None, Refers(("kind", "player", "group"))]
    rows: Expr | None
    columns_by: Expr | None
    mark: Annotated[Expr | None, Takes("truth", "`mark if`")]
    condition: Annotated[Expr | None, Takes("truth", "`if`")]
    lines: tuple[Column, ...]
    columns: tuple[Column, ...]
    marked: str


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
