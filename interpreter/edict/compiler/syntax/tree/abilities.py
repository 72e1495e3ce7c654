"""Types as they are written, and abilities: what works beside the course of the game."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, ClassVar

from edict.compiler.syntax.roles import (
    About,
    Beside,
    Binds,
    Decides,
    Gives,
    Moved,
    Precedes,
    Refers,
    Stepwise,
    Takes,
    Within,
)
from edict.compiler.syntax.tree.nodes import Node, node
from edict.compiler.syntax.tree.steps import Block
from edict.compiler.syntax.tree.values import ActionName, Bundle, Expr, Name, QuantityName


@node
class TypeName(Node):
    """number, truth, effect, amounts, dice, thing, set, order, bag; `name` for the kind of the last four."""

    shape: str
    name: Annotated[Name | None, Refers(("kind", "player", "number", "group"))] = None
    optional: bool = False
    low: int | None = None
    high: int | None = None
    lowest: Annotated[Name | None, Refers(("setting",))] = None  # settings that say `low` and `high`
    highest: Annotated[Name | None, Refers(("setting",))] = None


@node
class Param(Node):
    kind: Annotated[Name, Refers(("kind", "player", "number", "group"))]
    name: Annotated[Binds[Name], Gives(one_of="kind")]
    joint: str = field(default="by", kw_only=True)  # by, in, for: between it and the one before


# --- abilities ---------------------------------------------------------------------------


@node
class Ability(Node):
    pass


@node
class Adjust(Ability):
    """One of `to`, `times`, `divided` and `by` is there, and works in this order, whichever module it stands in."""

    says: ClassVar[dict[str, str]] = {
        "adjust": "adjust {quantity} by {by}[ if {condition:any}]",
        "adjust_to": "adjust {quantity} to {to}[ if {condition:any}]",
        "adjust_times": "adjust {quantity} times {times}[ if {condition:any}]",
        "adjust_divided": "adjust {quantity} divided by {divided}[ {rounded_up:word}][ if {condition:any}]",
    }

    quantity: About[QuantityName]
    by: Annotated[Expr | None, Takes("number", "`adjust`")]
    condition: Annotated[Expr | None, Takes("truth", "`if`")]
    to: Annotated[Expr | None, Takes("number", "`adjust ... to`")] = None
    times: Annotated[Expr | None, Takes("number", "`adjust ... times`")] = None
    divided: Annotated[Expr | None, Takes("number", "`divided by`")] = None
    rounded_up: bool = False

    @property
    def number(self) -> Expr:
        """What it is adjusted by or to."""
        found = next(one for one in (self.by, self.to, self.times, self.divided) if one is not None)
        assert found is not None
        return found


@node
class When(Ability, Stepwise):
    says: ClassVar[str] = (
        "when {moment:awaited}[ if {condition:any}][, once per {once_per}][ {title:text}]{block:below}"
    )

    moment: Annotated[About[Name], Refers(("moment", "phase", "routine", "keep", "resource", "group", "die"))]
    edge: str  # "" | start | end, of a keep joining | leaving, of a resource gaining | losing
    condition: Annotated[Decides[Expr | None], Takes("truth", "`if`")]
    once_per: Annotated[Name | None, Refers(("phase",))]
    title: str
    block: Block


@node
class Shift(Ability):
    says: ClassVar[str] = (
        "shift {action} by {by:signs}[ spending {spending:bundle}][, once per {once_per}][ if {condition:any}]"
    )

    action: About[ActionName]
    by: tuple[int, ...]
    spending: Moved[Bundle | None]
    once_per: Annotated[Name | None, Refers(("phase",))]
    condition: Annotated[Expr | None, Takes("truth", "`if`")]


@node
class Exception_(Ability, Stepwise):
    """Replaces a rule (target.rule), a phase or routine (target) or steps (edge, target) while a condition holds.

    over: the exceptions before which it comes. beside: those with which it may hold together, and the player chooses.
    inside: the phase or routine among whose own steps it replaces one; it can name what is bound there.
    """

    says: ClassVar[dict[str, str]] = {
        "exception": "exception to {target:target}[ in {inside}][ if {condition:any}]"
        "[ over {over:names}][ beside {beside:names}]"
    }
    under: ClassVar[dict[str, str]] = {
        "exception_allow": "allow",
        "exception_require": "require {require:any}[\nbecause {because:text}]",
        "exception_then": "then{then:below}",
        "exception_instead": "instead{then:below}",
    }

    target: Annotated[About[Name], Refers(("action", "phase", "routine", "keep", "resource", "group", "die"))]
    rule: Annotated[Name | None, Within("target")]
    condition: Annotated[Decides[Expr | None], Takes("truth", "`if`")]
    over: Precedes[tuple[Name, ...]]
    require: Annotated[Expr | None, Takes("truth", "`require`")]
    because: str
    then: Block
    beside: Beside[tuple[Name, ...]] = ()
    edge: str = ""  # of a keep joining | leaving, of a resource gaining | losing: whichever step does it
    inside: Annotated[Name | None, Refers(("phase", "routine"))] = None
    lines: tuple[str, ...] = field(default=(), kw_only=True)  # allow, require, then, instead, as they come
