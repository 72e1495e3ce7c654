"""Nodes of values and amounts, within steps."""

from __future__ import annotations

from typing import Annotated, ClassVar

from edict.compiler.syntax.roles import (
    BindsBelow,
    Iterates,
    MemberOfField,
    Members,
    Moved,
    OperatorTypes,
    PerMember,
    RefersTo,
    Requires,
    RequiresShape,
    SetLikeField,
)
from edict.compiler.syntax.tree.nodes import Node, Unwalked
from edict.support.records import dataclass


@dataclass(frozen=True, eq=False, kw_only=True)
class Expr(Node):
    """Base of values."""

    wrapped: bool = False  # it is written in parentheses


@dataclass(frozen=True, eq=False)
class Number(Expr):
    """A number in digits."""

    gives: ClassVar[str] = "number"

    value: int


@dataclass(frozen=True, eq=False)
class Name(Expr):
    """A word that refers to a variable, a thing, all things of a kind, `you`, `it`, `none`, `yes` and others."""

    word: str


# Names by what they may refer to; a local name may stand for a resource or a group.
ActionName = Annotated[Name, RefersTo(("action",))]
DieName = Annotated[Name, RefersTo(("die",))]
KeepName = Annotated[Name, RefersTo(("keep",))]
KindName = Annotated[Name, RefersTo(("kind",))]
MomentName = Annotated[Name, RefersTo(("moment",))]
PhaseName = Annotated[Name, RefersTo(("phase",))]
QuantityName = Annotated[Name, RefersTo(("quantity",))]
AmongName = Annotated[Name, RefersTo(("kind", "group", "player", "number"))]  # what is iterated or chosen from
DrawnName = Annotated[Name, RefersTo(("kind", "player", "number"))]


@dataclass(frozen=True, eq=False)
class Apply(Expr):
    """A field, resource, state variable or quantity of something, as in `price of b in gold`."""

    head: Name
    args: tuple[Expr, ...]
    joints: tuple[str, ...] = ()  # prepositions between the arguments (by, in, for)


@dataclass(frozen=True, eq=False)
class Unary(Expr):
    """A unary operator (not, minus, left, right, total, faces, first, last, count, empty, not-empty, text)."""

    signs: ClassVar[dict[str, OperatorTypes]] = {
        "not": OperatorTypes("truth", "truth"),
        "minus": OperatorTypes("number", "number", "`-`"),
        "left": OperatorTypes("player", "player", "`{op} of`"),
        "right": OperatorTypes("player", "player", "`{op} of`"),
        "total": OperatorTypes("dice", "number", "`{op} of`"),
        "faces": OperatorTypes("dice", "numbers", "`{op} of`"),
    }

    op: str
    arg: Expr


@dataclass(frozen=True, eq=False)
class Binary(Expr):
    """A binary operator (+ - * / mod and or = != < <= > >= in not-in within)."""

    signs: ClassVar[dict[str, OperatorTypes]] = {
        **dict.fromkeys(("and", "or"), OperatorTypes("truth", "truth")),
        **dict.fromkeys(("+", "-", "*", "/", "mod"), OperatorTypes("number", "number")),
        **dict.fromkeys(("<", "<=", ">", ">="), OperatorTypes("number", "truth")),
    }

    op: str
    left: Expr
    right: Expr
    said: str = ""  # "is" if `=` and `!=` are written as `is` and `is not`


@dataclass(frozen=True, eq=False)
class Listed(Binary):
    """A set written as a list; `(oak, sapling)` is the tree of `nobody + oak + sapling`."""

    says: ClassVar[str] = "({members:parts})"

    bare: bool = False  # written without parentheses in a field of its own

    @property
    def members(self) -> tuple[Expr, ...]:
        """The members in their order."""
        members: list[Expr] = []
        rest: Expr = self
        while isinstance(rest, Binary):
            members.append(rest.right)
            rest = rest.left
        return tuple(members[::-1])


# operators on a set that apply after every restriction of its members, as in `count of trees where ...`
OF_SETS = ("count", "first", "last")


class OfMembers:
    """A restriction of a set of `members`, which extends to the end of the line."""


# a name for each member in turn, beside `it`, that a condition within the condition can use
MemberName = BindsBelow[Name | None]


@dataclass(frozen=True, eq=False)
class Where(Expr, OfMembers):
    """The members of a set (each as `it`) for which a condition holds."""

    says: ClassVar[str] = "{members:set}[ as {name}] where {condition:any}"

    gives: ClassVar[str] = "members"

    members: Annotated[Members[Expr], Iterates("`where`", dice=True)]
    name: MemberName
    condition: Annotated[PerMember[Expr], Requires("truth", "`where`")]


@dataclass(frozen=True, eq=False)
class Best(Expr, OfMembers):
    """The members with the most or fewest of something, with ties broken by the next key."""

    says: ClassVar[str] = "{members:set}[ as {name}] with {keys:rankings}"

    gives: ClassVar[str] = "members"

    members: Annotated[Members[Expr], Iterates("`with`", dice=True)]
    name: MemberName
    keys: Annotated[PerMember[tuple[tuple[str, Expr], ...]], Requires("number", "`{word}`")]  # "most", "fewest"


@dataclass(frozen=True, eq=False)
class Connected(Expr, OfMembers):
    """The members of a set that can be reached from some of them by repeated steps, each from `it`."""

    says: ClassVar[str] = "{members} connected with {start} through {through}"

    gives: ClassVar[str] = "members"

    members: Annotated[Members[Expr], Iterates("`connected with`")]
    start: Annotated[Expr, SetLikeField("members", "`connected with`")]
    through: Annotated[PerMember[Expr], SetLikeField("members", "`through`")]


@dataclass(frozen=True, eq=False)
class NextTo(Expr, OfMembers):
    """The members of a set that are adjacent to a thing on a grid whose coordinates are two fields."""

    says: ClassVar[str] = "{members} next to {thing} on a {shape} grid of {row} and {file}"

    gives: ClassVar[str] = "members"

    members: Annotated[Members[Expr], Iterates("`next to`")]
    thing: Annotated[Expr, MemberOfField("members", "`next to`")]
    shape: str  # square | hexagonal
    row: Annotated[Name, RefersTo(("field",))]
    file: Annotated[Name, RefersTo(("field",))]


@dataclass(frozen=True, eq=False)
class NumbersFrom(Expr):
    """The whole numbers between two others, both included, as in `some number from 1 to 4 has ...`."""

    says: ClassVar[str] = "{kind} from {low} to {high}"

    gives: ClassVar[str] = "numbers"

    kind: Annotated[Name, RefersTo(("number",))]
    low: Annotated[Expr, Requires("number", "`from ... to ...`")]
    high: Annotated[Expr, Requires("number", "`from ... to ...`")]


@dataclass(frozen=True, eq=False)
class LongestPath(Expr):
    """The length of the longest path without repeated members, or the highest total along one.

    It continues from each member (`it`) to one of the members in `through`.
    """

    says: ClassVar[str] = "longest path in {members}[ counting {counting}] through {through:primary}"

    gives: ClassVar[str] = "number"

    members: Annotated[Members[Expr], Iterates("`longest path in`")]
    through: Annotated[PerMember[Expr], SetLikeField("members", "`through`")]
    counting: Annotated[PerMember[Expr | None], Requires("number", "`counting`")] = None


@dataclass(frozen=True, eq=False)
class LongestTrail(Expr):
    """The length of the longest trail without repeated members, or the highest total along one.

    It continues from each member (`it`) to another one at the same place; places may repeat.
    """

    says: ClassVar[str] = "longest trail in {members}[ counting {counting}] through {through:primary}"

    gives: ClassVar[str] = "number"

    members: Annotated[Members[Expr], Iterates("`longest trail in`")]
    # the places that a member joins
    through: Annotated[
        PerMember[Expr], RequiresShape("set", "`through`", "name what each of them joins, which is a set")
    ]
    counting: Annotated[PerMember[Expr | None], Requires("number", "`counting`")] = None


@dataclass(frozen=True, eq=False)
class Over(Expr):
    """A sum, highest or lowest of a value over members, as in `sum of worth of it over owned of you`."""

    says: ClassVar[dict[str, str]] = {
        "over_named": "{op} of {value} over ({members} as {name})",
        "over": "{op} of {value} over {members:primary}",
    }

    gives: ClassVar[str] = "number"

    op: str
    value: Annotated[PerMember[Expr], Requires("number", "`{op} of`")]
    members: Annotated[Members[Expr], Iterates("`over`")]
    name: MemberName = None

    @property
    def member_name(self) -> Name | None:
        """The name of each member in the value, given to the set or in its condition; None if it is only `it`."""
        return self.name or (getattr(self.members, "name", None) if isinstance(self.members, OfMembers) else None)


@dataclass(frozen=True, eq=False)
class Quantified(Expr):
    """A condition on every, some or no member of a set, as in `every good has ...`."""

    says: ClassVar[str] = "{op} {members:set}[ as {name}] has {condition:any}"

    gives: ClassVar[str] = "truth"

    op: str  # every | some | no
    members: Annotated[Members[Expr], Iterates("`{op}`", dice=True)]
    name: MemberName
    condition: Annotated[PerMember[Expr], Requires("truth", "`has`")]


@dataclass(frozen=True, eq=False)
class During(Expr):
    """A condition that holds while a phase is played."""

    says: ClassVar[str] = "during {phase}"

    gives: ClassVar[str] = "truth"

    phase: PhaseName


@dataclass(frozen=True, eq=False)
class Showing(Expr):
    """A die with a certain face up, as in `own-die showing 3`."""

    says: ClassVar[str] = "{die} showing {face:atom}"

    gives: ClassVar[str] = "dice"

    die: DieName
    face: Annotated[Expr, Requires("number", "`showing`")]


@dataclass(frozen=True, eq=False)
class Among(Expr):
    """The dice that are of one kind, and perhaps show a number, as in `own-dice among hand of you`."""

    says: ClassVar[dict[str, str]] = {
        "among_showing": "{die} showing {face:atom} among {dice:primary}",
        "among": "{die} among {dice:primary}",
    }

    gives: ClassVar[str] = "dice"

    die: DieName
    dice: Annotated[Expr, Requires("dice", "`among`")]
    face: Annotated[Expr | None, Requires("number", "`showing`")] = None


@dataclass(frozen=True, eq=False)
class OfSeveral(Expr):
    """The largest, smallest or sum of two or more numbers."""

    says: ClassVar[str] = "{op} of {values:list}"

    gives: ClassVar[str] = "number"

    op: str  # sum, best, least
    values: Annotated[tuple[Expr, ...], Requires("number", "`{op} of`")]


@dataclass(frozen=True, eq=False)
class CountIn(Expr):
    """The number of copies of a thing in a bag, as in `count of red in sack`."""

    says: ClassVar[str] = "count of {thing:atom} in {bag:primary}"

    gives: ClassVar[str] = "number"

    thing: Annotated[Expr, MemberOfField("bag", "`count of ... in` here")]
    bag: Annotated[Expr, RequiresShape("bag", "`count of ... in`")]


@dataclass(frozen=True, eq=False)
class OfEach(Expr):
    """A bag with copies of each thing of a kind, a fixed number (`20 of each tile`) or by a field."""

    says: ClassVar[dict[str, str]] = {
        "of_each": "{number:many} of each {kind}",
        "of_each_field": "{field} of each {kind}",
    }

    kind: KindName
    number: Annotated[Expr | None, Requires("number", "`of each`")] = None
    field: Annotated[Name | None, RefersTo(("field",))] = None


@dataclass(frozen=True, eq=False)
class CopiesOf(Expr):
    """A bag with copies of one thing, as in `7 of penny`."""

    says: ClassVar[str] = "{number:many} of {thing:atom}"

    thing: Annotated[
        Expr, RequiresShape("thing", "what follows `of`", "name one thing, or write `of each` and the kind")
    ]
    number: Annotated[Expr, Requires("number", "how many there are")]


@dataclass(frozen=True, eq=False)
class PositionIn(Expr):
    """The position of a thing in an order, from 1; 0 if absent."""

    says: ClassVar[str] = "position of {thing:atom} in {order:primary}"

    gives: ClassVar[str] = "number"

    thing: Annotated[Expr, MemberOfField("order", "`position of` here")]
    order: Annotated[Expr, RequiresShape("order", "`position of ... in`", "declare the keep `as order of ...`")]


@dataclass(frozen=True, eq=False)
class InSupply(Expr):
    """The amount of a limited resource that no player has, as in `rubies left`."""

    says: ClassVar[str] = "{resource} left"

    gives: ClassVar[str] = "number"

    resource: Annotated[Name, RefersTo(("resource", "group", "local"))]


@dataclass(frozen=True, eq=False)
class Track(Expr):
    """The number at a position of a list, from 1, as in `(1, 3, 6, 10) at level`; beyond its ends the nearest one."""

    says: ClassVar[str] = "({steps:parts}) at {at:primary}"

    gives: ClassVar[str] = "number"

    steps: Annotated[tuple[Expr, ...], Requires("number", "a step of a track")]
    at: Annotated[Expr, Requires("number", "`at`")]


@dataclass(frozen=True, eq=False)
class FirstAfter(Expr):
    """The first player to the left of one who is in a set, that player last; `none` if nobody is."""

    says: ClassVar[str] = "first after {player:atom} in {members:primary}"

    gives: ClassVar[str] = "some player"

    player: Annotated[Expr, Requires("player", "`first after`")]
    members: Annotated[Expr, Requires("players", "`first after ... in`")]


# --- amounts -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Part(Node):
    """An amount of a resource, as in `2 gold`, `1 of each good except paid` or `all soldier`."""

    says: ClassVar[dict[str, str]] = {
        "part": "{amount} {what}",
        "part_each": "{amount:many} of each {what}[ except {beside}]",
        "part_all": "{said:atom} {what}",
    }

    amount: Annotated[Expr, Requires("number", "an amount")]
    what: Annotated[Name, RefersTo(("resource", "group", "die", "local"))]
    each: bool = False
    beside: Annotated[Name | None, RefersTo(("resource", "group", "local"))] = None
    said: str = ""  # "all" for `all soldier`, whose amount is `soldier of you`
    # the price it is a part of; the joker, if it stands for what is missing
    price: Unwalked = None


@dataclass(frozen=True, eq=False)
class PartFrom(Node):
    """An amount of resources of one's choice from a set, as in `2 from currency of you`."""

    says: ClassVar[str] = "{amount} from {source:primary}"

    amount: Annotated[Expr, Requires("number", "an amount")]
    source: Annotated[Expr, Requires("resources", "`from` here")]


@dataclass(frozen=True, eq=False)
class PartPrice(PartFrom):
    """A price, as in `cost of hut`; a joker pays what is missing of the other resources."""

    says: ClassVar[str] = "{source:primary}[ with {joker} for what is missing]"

    source: Expr
    joker: Annotated[Name | None, RefersTo(("resource",))] = None


@dataclass(frozen=True, eq=False)
class Bundle(Node):
    """Amounts of several resources."""

    parts: tuple[Part | PartFrom, ...]
    commas: bool = False  # written with commas between all but the last two


@dataclass(frozen=True, eq=False)
class CanPay(Expr):
    """The condition that the player can pay one of several bundles."""

    says: ClassVar[dict[str, str]] = {"can_spend": "can spend {options:bundles}"}

    gives: ClassVar[str] = "truth"

    options: Moved[tuple[Bundle, ...]]
