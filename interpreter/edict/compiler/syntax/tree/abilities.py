"""Nodes for types and abilities; an ability has effects outside the course of the game."""

from __future__ import annotations

from typing import Annotated, ClassVar

from edict.compiler.syntax.roles import (
    About,
    Beside,
    Binds,
    BindsType,
    Decides,
    Moved,
    PartOf,
    Precedes,
    RefersTo,
    Requires,
    StepAbility,
)
from edict.compiler.syntax.tree.nodes import Node
from edict.compiler.syntax.tree.steps import Block
from edict.compiler.syntax.tree.values import ActionName, Bundle, Expr, Name, QuantityName
from edict.support.records import dataclass


@dataclass(frozen=True, eq=False)
class TypeName(Node):
    """A type as written (number, truth, effect, amounts, dice, thing, set, order or bag).

    For the last four, `name` is the kind of the things.
    """

    shape: str
    name: Annotated[Name | None, RefersTo(("kind", "player", "number", "group"))] = None
    optional: bool = False
    low: int | None = None
    high: int | None = None
    lowest: Annotated[Name | None, RefersTo(("setting",))] = None  # settings that determine `low` and `high`
    highest: Annotated[Name | None, RefersTo(("setting",))] = None


@dataclass(frozen=True, eq=False)
class Param(Node):
    """A parameter of a definition."""

    kind: Annotated[Name, RefersTo(("kind", "player", "number", "group"))]
    name: Annotated[Binds[Name], BindsType(one_of="kind")]
    joint: str = "by"  # the preposition before it (by, in or for)


# --- abilities ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ability(Node):
    """Base of abilities."""


@dataclass(frozen=True, eq=False)
class Adjust(Ability):
    """A change of a quantity.

    Exactly one of `to`, `times`, `divided` and `by` is set. Adjustments apply in this order, whatever their modules.
    """

    says: ClassVar[dict[str, str]] = {
        "adjust": "adjust {quantity} by {by}[ if {condition:any}]",
        "adjust_to": "adjust {quantity} to {to}[ if {condition:any}]",
        "adjust_times": "adjust {quantity} times {times}[ if {condition:any}]",
        "adjust_divided": "adjust {quantity} divided by {divided}[ {rounded_up:word}][ if {condition:any}]",
    }

    quantity: About[QuantityName]
    by: Annotated[Expr | None, Requires("number", "`adjust`")]
    condition: Annotated[Expr | None, Requires("truth", "`if`")]
    to: Annotated[Expr | None, Requires("number", "`adjust ... to`")] = None
    times: Annotated[Expr | None, Requires("number", "`adjust ... times`")] = None
    divided: Annotated[Expr | None, Requires("number", "`divided by`")] = None
    rounded_up: bool = False

    @property
    def number(self) -> Expr:
        """The number by which or to which the quantity is adjusted."""
        number = next(operand for operand in (self.by, self.to, self.times, self.divided) if operand is not None)
        assert number is not None
        return number


@dataclass(frozen=True, eq=False)
class When(Ability, StepAbility):
    """Steps that run when an event happens."""

    says: ClassVar[str] = (
        "when {moment:awaited}[ if {condition:any}][, once per {once_per}][ {title:text}]{block:below}"
    )

    moment: Annotated[About[Name], RefersTo(("moment", "phase", "routine", "keep", "resource", "group", "die"))]
    edge: str  # "", start, end; joining or leaving (a keep); gaining or losing (a resource)
    condition: Annotated[Decides[Expr | None], Requires("truth", "`if`")]
    once_per: Annotated[Name | None, RefersTo(("phase",))]
    title: str
    block: Block


@dataclass(frozen=True, eq=False)
class Shift(Ability):
    """A permitted change of a number in an action, perhaps at a cost."""

    says: ClassVar[str] = (
        "shift {action} by {by:signs}[ spending {spending:bundle}][, once per {once_per}][ if {condition:any}]"
    )

    action: About[ActionName]
    by: tuple[int, ...]
    spending: Moved[Bundle | None]
    once_per: Annotated[Name | None, RefersTo(("phase",))]
    condition: Annotated[Expr | None, Requires("truth", "`if`")]


@dataclass(frozen=True, eq=False)
class Exception_(Ability, StepAbility):
    """A rule exception, which replaces a rule (target.rule), a phase or routine (target) or steps (edge, target).

    It applies while its condition holds.
    """

    says: ClassVar[dict[str, str]] = {
        "exception": "exception to {target:target}[ in {inside}][ if {condition:any}]"
        "[, once per {once_per}][ over {over:names}][ beside {beside:names}]"
    }
    under: ClassVar[dict[str, str]] = {
        "exception_allow": "allow",
        "exception_require": "require {require:any}[\nbecause {because:text}]",
        "exception_then": "then{then:below}",
        "exception_instead": "instead{then:below}",
    }

    target: Annotated[About[Name], RefersTo(("action", "phase", "routine", "keep", "resource", "group", "die"))]
    rule: Annotated[Name | None, PartOf("target")]
    condition: Annotated[Decides[Expr | None], Requires("truth", "`if`")]
    over: Precedes[tuple[Name, ...]]  # exceptions over which it takes precedence
    require: Annotated[Expr | None, Requires("truth", "`require`")]
    because: str
    then: Block
    beside: Beside[tuple[Name, ...]] = ()  # exceptions with which it may hold together; then the player chooses
    edge: str = ""  # joining or leaving (a keep), gaining or losing (a resource), for whichever step does it
    # phase or routine in whose own steps it replaces one; it sees the names bound there
    inside: Annotated[Name | None, RefersTo(("phase", "routine"))] = None
    once_per: Annotated[Name | None, RefersTo(("phase",))] = None
    lines: tuple[str, ...] = ()  # its lines (allow, require, then, instead) in their order


@dataclass(frozen=True, eq=False)
class AddedOption(Ability):
    """An option beside those of a question that other rules ask.

    The question is the offer of an action, or stands in a phase or routine and is known by its text. The block runs in
    place of the step that asks, and sees the names bound there.
    """

    says: ClassVar[str] = (
        "option {title:text} to {target}[ at {question:text}][ if {condition:any}][, once per {once_per}]{block:below}"
    )

    title: str
    target: Annotated[About[Name], RefersTo(("action", "phase", "routine"))]
    question: str  # words of the question, or for declining it; empty if the target asks only one
    condition: Annotated[Decides[Expr | None], Requires("truth", "`if`")]
    once_per: Annotated[Name | None, RefersTo(("phase",))]
    block: Block


LimitedAbility = When | Shift | Exception_ | AddedOption  # what can be limited to `once per` a phase
