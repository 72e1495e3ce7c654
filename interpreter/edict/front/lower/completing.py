"""Whether a step can be completed: an option that begins with one that cannot is not offered.

The sorts of steps that may have nothing to choose from, or a price that cannot be paid, register here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.front import tree as t
from edict.front.lower.context import Context
from edict.front.lower.emit import Label
from edict.front.meaning.steps import steps

JUMPS: dict[type, Callable[[Context, Any, Label], None]] = {}
"""How code goes to a label if a step cannot be completed."""


def first_step(c: Context, block: t.Block) -> t.Stmt | None:
    """What an option begins with, if it may be that it cannot be completed.

    An action has choices of its own; what comes of a routine is not looked into.
    """
    first = next(iter(steps(block)), None)
    if isinstance(first, t.Do) and c.symbol(first.name).sort != "action":
        return None
    return first if type(first) in JUMPS else None


def jump_impossible(c: Context, block: t.Block, no: Label) -> None:
    """Go to `no` if what an option begins with cannot be completed."""
    first = first_step(c, block)
    if first is not None:
        JUMPS[type(first)](c, first, no)


def offered(ability: t.Ability) -> t.Block:
    """What an ability offers, if it leaves it to the player."""
    assert isinstance(ability, t.When)
    first = next(iter(steps(ability.block)), None)
    if not isinstance(first, t.May):
        return ()
    return first.then if first.head is None else (first.head,)
