"""Steps: what is done, one after the other."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, ClassVar

from edict.compiler.syntax.roles import (
    Answers,
    Arguments,
    Asks,
    Awaited,
    Binds,
    BindsBelow,
    Changed,
    ChosenFrom,
    Decides,
    FromTo,
    Gives,
    Instead,
    Into,
    Members,
    Moved,
    Overwrites,
    PerMember,
    Random,
    Refers,
    Runs,
    Said,
    SameAs,
    SetOf,
    Shown,
    Takes,
    Unseen,
)
from edict.compiler.syntax.tree.nodes import Node, node
from edict.compiler.syntax.tree.values import AmongName, Bundle, DieName, DrawnName, Expr, MomentName, Name, PhaseName


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
class Take(Stmt, Random):
    """So many pieces of a group out of what somebody has, whichever chance picks; of secrets both alone see it."""

    says: ClassVar[str] = "take {bundle:bundle} at random from {whom}"

    bundle: Moved[Bundle]
    whom: Annotated[Expr, Takes("player", "`take ... from`")]


@node
class Spend(Stmt):
    """Pay one of the bundles, if one can; only then comes the block, and else what stands under `else`."""

    says: ClassVar[str] = "spend {options:bundles}[ as {name}]{then:below}"

    options: Moved[tuple[Bundle, ...]]
    name: Annotated[BindsBelow[Name | None], Gives("resource")]
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
    """`option "Take the", gold of pot, "gold"`: a title, and what stands behind it."""

    title: str
    condition: Annotated[Expr | None, Takes("truth", "`if`")]
    block: Block
    more: tuple[str | Expr, ...] = ()


_OF_DICE = "[ where {where:any}][ {secretly:word}][ {prompt:text}]"
_CHOSEN = "[ where {where:any}][ asking {asking}][ {secretly:word}][ {prompt:text}]"


@node
class Choose(Stmt, Asks, Unseen, FromTo):
    """Choose a thing, a player, a resource or a number."""

    says: ClassVar[dict[str, str]] = {
        "choose_range": "choose {article:article} {kind} from {low} to {high} as {name}" + _CHOSEN,
        "choose": "choose {article:article} {kind}[ from {source}] as {name}" + _CHOSEN,
    }

    kind: AmongName
    low: Annotated[Expr | None, Takes("number", "`from ... to ...`")]
    high: Annotated[Expr | None, Takes("number", "`from ... to ...`")]
    source: Annotated[ChosenFrom[Members[Expr | None]], SetOf("kind", "`choose`")]
    name: Annotated[Binds[Name], Gives(one_of="kind")]
    where: Annotated[PerMember[Expr | None], Takes("truth", "`where`")]
    asking: Annotated[Expr | None, Takes("player", "`asking`")]
    secretly: bool
    prompt: str
    article: str = field(default="", kw_only=True)  # a, an


@node
class ChooseDie(Stmt, Asks, Unseen):
    """`where` is asked of the number that a die shows."""

    says: ClassVar[str] = "choose a die from {source} as {name}" + _OF_DICE

    source: Annotated[ChosenFrom[Expr], Takes("dice", "choosing a die")]
    name: Annotated[Binds[Name], Gives("dice")]
    prompt: str
    secretly: bool = False
    where: Annotated[PerMember[Expr | None], Takes("truth", "`where`"), Gives("number")] = None


@node
class Let(Stmt, Unseen):
    says: ClassVar[str] = "let {name} = {value:any}"

    name: Annotated[Binds[Name], SameAs("value")]
    value: Into[Expr]
    some: bool = field(default=False, kw_only=True)  # with nothing in it, what begins so cannot be completed


@node
class Set(Stmt, Overwrites, Unseen):
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
    says: ClassVar[str] = "add {value} to {place}[ {first:word}]"

    value: Into[Expr]
    place: Changed[Expr]
    first: bool = False  # of an order: at its beginning, or else at its end
    gone: Expr | None = field(default=None, kw_only=True)  # the place it has just left, if nothing was done instead


@node
class Remove(Stmt, Unseen):
    says: ClassVar[str] = "remove {value} from {place}"

    value: Into[Expr]
    place: Changed[Expr]
    to: Expr | None = field(default=None, kw_only=True)  # where it goes next; then no more of it than can go there


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
class Draw(Stmt, Random, FromTo):
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
    says: ClassVar[str] = "show {place} to {to}"

    place: Shown[Expr]
    to: Annotated[Expr, Takes("players", "`show ... to`")]


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
    """`do reward of whom`, `do rolled of chapel`: the effect in a field of a thing, or what it does at a moment."""

    says: ClassVar[str] = "do {field} of {thing:primary}[ with {args:args}]"

    field: Annotated[Runs[Name], Refers(("field", "moment"))]
    thing: Expr
    args: Arguments[tuple[Expr, ...]] = ()  # what the moment comes with


@node
class DoEdge(Stmt):
    """`do end of season of inn`: what a thing does when a phase or routine starts or ends."""

    says: ClassVar[str] = "do {edge} of {moment} of {thing:primary}[ with {args:args}]"

    edge: str  # start | end
    moment: Annotated[Answers[Name], Refers(("phase", "routine"))]
    thing: Expr
    args: Arguments[tuple[Expr, ...]] = ()


@node
class Arrange(Stmt):
    says: ClassVar[str] = "arrange {place} {direction} {key} first"

    place: Changed[Members[Expr]]
    direction: str  # lowest | highest
    key: Annotated[Into[PerMember[Expr]], Takes("number", "`arrange`")]


@node
class Shuffle(Stmt, Random, Overwrites):
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
    name: Annotated[BindsBelow[Name | None], Gives(one_of="kind")]
    source: Annotated[Decides[Into[Expr | None]], SetOf("kind", "`each ... in`")]
    block: Block
    unseen: bool = field(default=False, kw_only=True)  # nobody notices what somebody else does in it


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
