"""Nodes of steps, which run one after the other."""

from __future__ import annotations

from typing import Annotated, ClassVar

from edict.compiler.syntax.roles import (
    Answers,
    Arguments,
    AskingStep,
    Awaited,
    Binds,
    BindsBelow,
    BindsType,
    Changed,
    ChosenFrom,
    Decides,
    HiddenStep,
    Instead,
    Into,
    Members,
    Moved,
    OverwritingStep,
    PerMember,
    RandomStep,
    RangeStep,
    RefersTo,
    Requires,
    Runs,
    Said,
    SameType,
    SetOfKind,
    Shown,
)
from edict.compiler.syntax.tree.nodes import Node
from edict.compiler.syntax.tree.values import AmongName, Bundle, DieName, DrawnName, Expr, MomentName, Name, PhaseName
from edict.support.records import dataclass


@dataclass(frozen=True, eq=False)
class Stmt(Node):
    """Base of steps."""


Block = tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class Gain(Stmt):
    """A gain of one of several bundles of resources."""

    says: ClassVar[str] = "gain {options:bundles}"

    options: Moved[tuple[Bundle, ...]]


@dataclass(frozen=True, eq=False)
class Lose(Stmt):
    """A loss of resources as far as the player has them; from a group the player chooses."""

    says: ClassVar[str] = "lose {bundle:bundle}"

    bundle: Moved[Bundle]


@dataclass(frozen=True, eq=False)
class Take(Stmt, RandomStep):
    """A number of resources of a group, taken at random from what a player has.

    If they are secret, only the two players see them.
    """

    says: ClassVar[str] = "take {bundle:bundle} at random from {whom}"

    bundle: Moved[Bundle]
    whom: Annotated[Expr, Requires("player", "`take ... from`")]


@dataclass(frozen=True, eq=False)
class Spend(Stmt):
    """A payment of one of several bundles; the block runs if the player can pay, else what is under `else`."""

    says: ClassVar[str] = "spend {options:bundles}[ as {name}]{then:below}"

    options: Moved[tuple[Bundle, ...]]
    name: Annotated[BindsBelow[Name | None], BindsType("resource")]
    then: Block
    otherwise: Instead[Block] = ()


@dataclass(frozen=True, eq=False)
class May(Stmt, AskingStep, HiddenStep):
    """An optional step or block."""

    head: Stmt | None  # the step on the same line, if there is one
    decline: str  # text of the option not to do it
    then: Block
    otherwise: Instead[Block]
    prompt: str = ""  # the question, if the generated text does not suffice
    secretly: bool = False  # other players do not see whether it is done


@dataclass(frozen=True, eq=False)
class ChooseOne(Stmt, AskingStep, HiddenStep):
    """A choice of one of several blocks."""

    branches: tuple[Branch, ...]
    asking: Annotated[Expr | None, Requires("player", "`asking`")]
    prompt: str
    secretly: bool


@dataclass(frozen=True, eq=False)
class Branch(Node):
    """An option of a choice, such as `option "Take the", gold of pot, "gold"`."""

    title: str
    condition: Annotated[Expr | None, Requires("truth", "`if`")]
    block: Block
    more: tuple[str | Expr, ...] = ()  # texts and values behind the title


_OF_DICE = "[ where {where:any}][ {secretly:word}][ {prompt:text}]"
_CHOSEN = "[ where {where:any}][ asking {asking}][ {secretly:word}][ {prompt:text}]"


@dataclass(frozen=True, eq=False)
class Choose(Stmt, AskingStep, HiddenStep, RangeStep):
    """A choice of a thing, a player, a resource or a number."""

    says: ClassVar[dict[str, str]] = {
        "choose_range": "choose {article:article} {kind} from {low} to {high} as {name}" + _CHOSEN,
        "choose": "choose {article:article} {kind}[ from {source}] as {name}" + _CHOSEN,
    }

    kind: AmongName
    low: Annotated[Expr | None, Requires("number", "`from ... to ...`")]
    high: Annotated[Expr | None, Requires("number", "`from ... to ...`")]
    source: Annotated[ChosenFrom[Members[Expr | None]], SetOfKind("kind", "`choose`")]
    name: Annotated[Binds[Name], BindsType(one_of="kind")]
    where: Annotated[PerMember[Expr | None], Requires("truth", "`where`")]
    asking: Annotated[Expr | None, Requires("player", "`asking`")]
    secretly: bool
    prompt: str
    article: str = ""  # a, an


@dataclass(frozen=True, eq=False)
class ChooseDie(Stmt, AskingStep, HiddenStep):
    """A choice of a die."""

    says: ClassVar[str] = "choose a die from {source} as {name}" + _OF_DICE

    source: Annotated[ChosenFrom[Expr], Requires("dice", "choosing a die")]
    name: Annotated[Binds[Name], BindsType("dice")]
    prompt: str
    secretly: bool = False
    # condition on the number that the die shows
    where: Annotated[PerMember[Expr | None], Requires("truth", "`where`"), BindsType("number")] = None


@dataclass(frozen=True, eq=False)
class Let(Stmt, HiddenStep):
    """A local name for a value."""

    says: ClassVar[str] = "let {name} = {value:any}"

    name: Annotated[Binds[Name], SameType("value")]
    value: Into[Expr]
    # if the value is empty, an option that begins so cannot be completed
    some: bool = False


@dataclass(frozen=True, eq=False)
class Set(Stmt, OverwritingStep, HiddenStep):
    """An assignment."""

    says: ClassVar[str] = "set {place} to {value:any}"

    place: Changed[Expr]
    value: Annotated[Into[Expr], SameType("place")]


@dataclass(frozen=True, eq=False)
class Swap(Stmt, HiddenStep):
    """An exchange of the values of two places."""

    says: ClassVar[str] = "swap {place} with {other}"

    place: Annotated[Changed[Into[Expr]], SameType("other")]
    other: Annotated[Changed[Into[Expr]], SameType("place")]


@dataclass(frozen=True, eq=False)
class Add(Stmt, HiddenStep):
    """An addition to a collection."""

    says: ClassVar[str] = "add {value} to {place}[ {first:word}]"

    value: Into[Expr]
    place: Changed[Expr]
    first: bool = False  # at the beginning of an order, else at its end
    # the place that the value has just left, unless an exception replaced that
    gone: Expr | None = None


@dataclass(frozen=True, eq=False)
class Remove(Stmt, HiddenStep):
    """A removal from a collection."""

    says: ClassVar[str] = "remove {value} from {place}"

    value: Into[Expr]
    place: Changed[Expr]
    # the place it goes to next; at most as many are removed as fit there
    to: Expr | None = None


@dataclass(frozen=True, eq=False)
class Roll(Stmt, RandomStep):
    """A roll of dice of one kind."""

    says: ClassVar[dict[str, str]] = {
        "roll_as": "roll {count} {die} as {name}",
        "roll_into": "roll {count} {die} into {place}",
    }

    count: Annotated[Expr, Requires("number", "`roll`")]
    die: DieName
    name: Annotated[Binds[Name | None], BindsType("dice")]
    place: Annotated[Changed[Expr | None], Requires("dice", "`roll ... into`")]


@dataclass(frozen=True, eq=False)
class Reroll(Stmt, RandomStep):
    """Another roll of dice in a place."""

    says: ClassVar[dict[str, str]] = {
        "reroll": "reroll {dice} within {place}",
        "reroll_all": "reroll all within {place}",
    }

    dice: Annotated[Expr | None, Requires("dice", "`reroll`")]  # None: all of them
    place: Annotated[Changed[Expr], Requires("dice", "`reroll ... within`")]


@dataclass(frozen=True, eq=False)
class Draw(Stmt, RandomStep, RangeStep):
    """A random draw of one member or number."""

    says: ClassVar[dict[str, str]] = {
        "draw_range": "draw {article:article} {kind} from {low} to {high} as {name}[ {secretly:word}]",
        "draw": "draw {article:article} {kind} from {source} as {name}[ {secretly:word}]",
    }

    kind: DrawnName
    source: Annotated[ChosenFrom[Expr | None], SetOfKind("kind", "`draw`")]
    name: Annotated[Binds[Name], BindsType(one_of="kind")]
    secretly: bool
    low: Annotated[Expr | None, Requires("number", "`from ... to ...`")] = None
    high: Annotated[Expr | None, Requires("number", "`from ... to ...`")] = None
    article: str = ""  # a, an


@dataclass(frozen=True, eq=False)
class Show(Stmt):
    """A secret that is revealed to players."""

    says: ClassVar[str] = "show {place} to {to}"

    place: Shown[Expr]
    to: Annotated[Expr, Requires("players", "`show ... to`")]


@dataclass(frozen=True, eq=False)
class Announce(Stmt):
    """A text in the log."""

    says: ClassVar[str] = "announce {parts:parts}"

    parts: Said[tuple[str | Expr, ...]]


@dataclass(frozen=True, eq=False)
class Look(Stmt):
    """A pause in which a panel is shown, with gains and losses since the phase began."""

    says: ClassVar[str] = "look at {display}"

    display: Annotated[Name, RefersTo(("display",))]


@dataclass(frozen=True, eq=False)
class Text(Stmt, HiddenStep):
    """The author's words for the steps below, or for the rest of the block, or for a whole thing."""

    says: ClassVar[str] = "text {parts:parts}{block:below}"

    parts: tuple[str | Expr, ...]
    block: Block = ()


@dataclass(frozen=True, eq=False)
class Trigger(Stmt):
    """A moment that happens, with its values."""

    says: ClassVar[str] = "trigger {moment}[ with {args:args}]"

    moment: Runs[MomentName]
    args: Arguments[tuple[Expr, ...]]


@dataclass(frozen=True, eq=False)
class Play(Stmt):
    """A phase that is played."""

    says: ClassVar[str] = "play {phase}"

    phase: Runs[PhaseName]


@dataclass(frozen=True, eq=False)
class Do(Stmt):
    """A routine or action that is run, as in `do recruit with 2`."""

    says: ClassVar[str] = "do {name}[ with {args:args}]"

    name: Annotated[Runs[Name], RefersTo(("routine", "action"))]
    args: Arguments[tuple[Expr, ...]]


@dataclass(frozen=True, eq=False)
class DoField(Stmt):
    """The effect of a thing that is run, from a field or an ability, as in `do reward of whom`."""

    says: ClassVar[str] = "do {field} of {thing:primary}[ with {args:args}]"

    field: Annotated[Runs[Name], RefersTo(("field", "moment"))]
    thing: Expr
    args: Arguments[tuple[Expr, ...]] = ()  # the values of the moment


@dataclass(frozen=True, eq=False)
class DoEdge(Stmt):
    """The abilities of a thing for the start or end of a phase or routine, as in `do end of season of inn`."""

    says: ClassVar[str] = "do {edge} of {moment} of {thing:primary}[ with {args:args}]"

    edge: str  # start | end
    moment: Annotated[Answers[Name], RefersTo(("phase", "routine"))]
    thing: Expr
    args: Arguments[tuple[Expr, ...]] = ()


@dataclass(frozen=True, eq=False)
class Arrange(Stmt):
    """A collection that is sorted."""

    says: ClassVar[str] = "arrange {place} {direction} {key} first"

    place: Changed[Members[Expr]]
    direction: str  # lowest | highest
    key: Annotated[Into[PerMember[Expr]], Requires("number", "`arrange`")]


@dataclass(frozen=True, eq=False)
class Shuffle(Stmt, RandomStep, OverwritingStep):
    """An order that is shuffled."""

    says: ClassVar[str] = "shuffle {place}"

    place: Changed[Expr]


@dataclass(frozen=True, eq=False)
class If(Stmt, HiddenStep):
    """A condition with two blocks."""

    condition: Annotated[Decides[Expr], Requires("truth", "`if`")]
    then: Block
    otherwise: Instead[Block]


class Loop:
    """A step that repeats its block."""

    block: Block


@dataclass(frozen=True, eq=False)
class Each(Stmt, Loop, HiddenStep):
    """A loop over members; players come in the order of the game and are `you` unless named."""

    says: ClassVar[str] = "each {kind}[ as {name}][ in {source:any}]{block:below}"

    kind: AmongName
    name: Annotated[BindsBelow[Name | None], BindsType(one_of="kind")]
    source: Annotated[Decides[Into[Expr | None]], SetOfKind("kind", "`each ... in`")]
    block: Block
    unseen: bool = False  # other players do not notice what happens in it


@dataclass(frozen=True, eq=False)
class Repeat(Stmt, Loop, HiddenStep):
    """A loop, `repeat N times` or `repeat until C`."""

    says: ClassVar[dict[str, str]] = {
        "repeat_times": "repeat {count} times{block:below}",
        "repeat_until": "repeat until {until:any}{block:below}",
    }

    count: Annotated[Decides[Expr | None], Requires("number", "`repeat`")]
    until: Annotated[Awaited[Decides[Expr | None]], Requires("truth", "`repeat until`")]
    block: Block
