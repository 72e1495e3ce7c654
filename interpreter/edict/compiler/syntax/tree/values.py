"""Values and amounts: what stands in a step."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, ClassVar

from edict.compiler.syntax.roles import (
    AsMany,
    MemberOf,
    Members,
    Moved,
    PerMember,
    Refers,
    Shaped,
    Sign,
    Takes,
    Through,
)
from edict.compiler.syntax.tree.nodes import Node, Unwalked, node


@node
class Expr(Node):
    """wrapped: it stands in parentheses."""

    wrapped: bool = field(default=False, kw_only=True)


@node
class Number(Expr):
    gives: ClassVar[str] = "number"

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
    """op: not, minus, left, right, total, faces, first, last, count, empty, not-empty, text."""

    signs: ClassVar[dict[str, Sign]] = {
        "not": Sign("truth", "truth"),
        "minus": Sign("number", "number", "`-`"),
        "left": Sign("player", "player", "`{op} of`"),
        "right": Sign("player", "player", "`{op} of`"),
        "total": Sign("dice", "number", "`{op} of`"),
        "faces": Sign("dice", "numbers", "`{op} of`"),
    }

    op: str
    arg: Expr


@node
class Binary(Expr):
    """op: + - * / mod and or = != < <= > >= in not-in within."""

    signs: ClassVar[dict[str, Sign]] = {
        **dict.fromkeys(("and", "or"), Sign("truth", "truth")),
        **dict.fromkeys(("+", "-", "*", "/", "mod"), Sign("number", "number")),
        **dict.fromkeys(("<", "<=", ">", ">="), Sign("number", "truth")),
    }

    op: str
    left: Expr
    right: Expr
    said: str = field(default="", kw_only=True)  # "is": `=` and `!=` written as `is` and `is not`


@node
class Listed(Binary):
    """`(oak, sapling)`: a set of these, `nobody + oak + sapling`; bare as a field of its own."""

    says: ClassVar[str] = "({members:parts})"

    bare: bool = field(kw_only=True)

    @property
    def members(self) -> tuple[Expr, ...]:
        found: list[Expr] = []
        one: Expr = self
        while isinstance(one, Binary):
            found.append(one.right)
            one = one.left
        return tuple(found[::-1])


OF_SETS = ("count", "first", "last")
"""What is asked of a set, with all that is said of its members behind it."""


class OfMembers:
    """What is said of a set, up to the end of the line: of `members`."""


@node
class Where(Expr, OfMembers):
    """The members (`it`) of a set for which a condition holds."""

    says: ClassVar[str] = "{members} where {condition:any}"

    gives: ClassVar[str] = "members"

    members: Annotated[Members[Expr], Through("`where`", dice=True)]
    condition: Annotated[PerMember[Expr], Takes("truth", "`where`")]


@node
class Best(Expr, OfMembers):
    """The members with the most or fewest of something, ties broken by the next key."""

    says: ClassVar[str] = "{members} with {keys:rankings}"

    gives: ClassVar[str] = "members"

    members: Annotated[Members[Expr], Through("`with`", dice=True)]
    keys: Annotated[PerMember[tuple[tuple[str, Expr], ...]], Takes("number", "`{word}`")]  # "most", "fewest"


@node
class Connected(Expr, OfMembers):
    """The members of a set that are reached from some of them, by going from one (`it`) to others again and again."""

    says: ClassVar[str] = "{members} connected with {start} through {through}"

    gives: ClassVar[str] = "members"

    members: Annotated[Members[Expr], Through("`connected with`")]
    start: Annotated[Expr, AsMany("members", "`connected with`")]
    through: Annotated[PerMember[Expr], AsMany("members", "`through`")]


@node
class NextTo(Expr, OfMembers):
    """The members of a set that lie next to a thing, where two fields of theirs say in which row and place they lie."""

    says: ClassVar[str] = "{members} next to {thing} on a {shape} grid of {row} and {file}"

    gives: ClassVar[str] = "members"

    members: Annotated[Members[Expr], Through("`next to`")]
    thing: Annotated[Expr, MemberOf("members", "`next to`")]
    shape: str  # square | hexagonal
    row: Annotated[Name, Refers(("field",))]
    file: Annotated[Name, Refers(("field",))]


@node
class LongestPath(Expr):
    """How many members the longest path has that goes on from each (`it`) to one of others, and to none twice; or what
    they count together."""

    says: ClassVar[str] = "longest path in {members}[ counting {counting}] through {through:primary}"

    gives: ClassVar[str] = "number"

    members: Annotated[Members[Expr], Through("`longest path in`")]
    through: Annotated[PerMember[Expr], AsMany("members", "`through`")]
    counting: Annotated[PerMember[Expr | None], Takes("number", "`counting`")] = None


@node
class LongestTrail(Expr):
    """How many members the longest trail has that goes on from each (`it`) to another one at the same place, to none
    twice, to places as often as it likes; or what they count together. through: the places that a member joins."""

    says: ClassVar[str] = "longest trail in {members}[ counting {counting}] through {through:primary}"

    gives: ClassVar[str] = "number"

    members: Annotated[Members[Expr], Through("`longest trail in`")]
    through: Annotated[PerMember[Expr], Shaped("set", "`through`", "name what each of them joins, which is a set")]
    counting: Annotated[PerMember[Expr | None], Takes("number", "`counting`")] = None


@node
class Over(Expr):
    """`sum of worth of it over owned of you`; op: sum, highest, lowest."""

    says: ClassVar[str] = "{op} of {value} over {members:primary}"

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
    members: Annotated[Members[Expr], Through("`{op}`", dice=True)]
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
    """`own-dice showing 3 among hand of you`: those of the dice that are of one kind, and perhaps show a number."""

    says: ClassVar[dict[str, str]] = {
        "among_showing": "{die} showing {face:atom} among {dice:primary}",
        "among": "{die} among {dice:primary}",
    }

    gives: ClassVar[str] = "dice"

    die: DieName
    dice: Annotated[Expr, Takes("dice", "`among`")]
    face: Annotated[Expr | None, Takes("number", "`showing`")] = None


@node
class OfSeveral(Expr):
    """The largest or the smallest of two numbers or more, or their sum."""

    says: ClassVar[str] = "{op} of {values:list}"

    gives: ClassVar[str] = "number"

    op: str  # sum, best, least
    values: Annotated[tuple[Expr, ...], Takes("number", "`{op} of`")]


@node
class CountIn(Expr):
    """`count of red in sack`: how often a bag has it."""

    says: ClassVar[str] = "count of {thing:atom} in {bag:primary}"

    gives: ClassVar[str] = "number"

    thing: Annotated[Expr, MemberOf("bag", "`count of ... in` here")]
    bag: Annotated[Expr, Shaped("bag", "`count of ... in`")]


@node
class OfEach(Expr):
    """`20 of each tile`, `copies of each card`: each of a kind so many times, or as often as a field of it says."""

    says: ClassVar[dict[str, str]] = {
        "of_each": "{number:many} of each {kind}",
        "of_each_field": "{field} of each {kind}",
    }

    kind: KindName
    number: Annotated[Expr | None, Takes("number", "`of each`")] = None
    field: Annotated[Name | None, Refers(("field",))] = None


@node
class CopiesOf(Expr):
    """`7 of penny`, `(rank of you) of penny`: one thing so many times, as in a bag."""

    says: ClassVar[str] = "{number:many} of {thing:atom}"

    thing: Annotated[Expr, Shaped("thing", "what follows `of`", "name one thing, or write `of each` and the kind")]
    number: Annotated[Expr, Takes("number", "how many there are")]


@node
class PositionIn(Expr):
    """`position of house in street`: where it stands in an order, counted from 1; 0 if it is not there."""

    says: ClassVar[str] = "position of {thing:atom} in {order:primary}"

    gives: ClassVar[str] = "number"

    thing: Annotated[Expr, MemberOf("order", "`position of` here")]
    order: Annotated[Expr, Shaped("order", "`position of ... in`", "declare the keep `as order of ...`")]


@node
class InSupply(Expr):
    """`rubies left`: how much of what is limited nobody has."""

    says: ClassVar[str] = "{resource} left"

    gives: ClassVar[str] = "number"

    resource: Annotated[Name, Refers(("resource", "group", "local"))]


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


# --- amounts -----------------------------------------------------------------------------


@node
class Part(Node):
    """`2 gold`, `1 of each good except paid`, `all soldier`."""

    says: ClassVar[dict[str, str]] = {
        "part": "{amount} {what}",
        "part_each": "{amount:many} of each {what}[ except {beside}]",
        "part_all": "{said:atom} {what}",
    }

    amount: Annotated[Expr, Takes("number", "an amount")]
    what: Annotated[Name, Refers(("resource", "group", "die", "local"))]
    each: bool = False
    beside: Annotated[Name | None, Refers(("resource", "group", "local"))] = None
    said: str = field(default="", kw_only=True)  # "all": `all soldier` for `soldier of you soldier`
    price: Unwalked = field(default=None, kw_only=True)  # what it is a part of; the joker, if it is for what is missing


@node
class PartFrom(Node):
    """`2 from currency of you`: of one's choice among a set of resources."""

    says: ClassVar[str] = "{amount} from {source:primary}"

    amount: Annotated[Expr, Takes("number", "an amount")]
    source: Annotated[Expr, Takes("resources", "`from` here")]


@node
class PartPrice(PartFrom):
    """`cost of hut`: of each resource as much as `source` says; of a joker what is missing of the others."""

    says: ClassVar[str] = "{source:primary}[ with {joker} for what is missing]"

    source: Expr
    joker: Annotated[Name | None, Refers(("resource",))] = None


@node
class Bundle(Node):
    parts: tuple[Part | PartFrom, ...]
    commas: bool = field(default=False, kw_only=True)  # between all but the last two


@node
class CanPay(Expr):
    """Whether you can pay one of these."""

    says: ClassVar[dict[str, str]] = {"can_spend": "can spend {options:bundles}"}

    gives: ClassVar[str] = "truth"

    options: Moved[tuple[Bundle, ...]]
