"""Cards that lie on the table where not everybody may see them: single ones, and piles.

They are the secret keeps of no player that hold things. Whether somebody has looked at a card tells only what the view
of that seat, and that of everybody, tell anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edict.program import Program, Thing, Variable
from edict.program.cells import counted
from edict.table.addresses import PLAYER
from edict.table.view import View
from edict.table.wording import NUMBER
from edict.text import capital

UP, DOWN, EMPTY = "up", "down", "empty"
HOLDING = ("thing", "set", "order")  # shapes of what holds things, beside bags


@dataclass(frozen=True, slots=True)
class LaidCard:
    """A place where a card, or a pile of them, lies.

    state: up, down, or empty. secret: this seat knows the card, and not everybody does. thing: the card that is known.
    count: how many cards lie there; None where that may not be known.
    """

    name: str
    title: str
    kind: str
    pile: bool
    state: str
    secret: bool = False
    thing: Thing | None = None
    number: int = -1  # of the thing in its kind
    count: int | None = None


def laid_cards(view: View, everybody: View) -> Iterator[LaidCard]:
    """The places of a table as a seat sees them. everybody: the view of those who see what everybody may."""
    for variable in view.program.variables:
        kind = _kind(view.program, variable)
        if kind and variable.type.shape == "thing":
            yield _single(view, everybody, variable, kind)
        elif kind:
            yield _pile(view, variable, kind)


def _kind(program: Program, variable: Variable) -> str:
    """The kind of the cards that may lie in a variable; empty if it is no such place."""
    if variable.known < 0:
        return ""
    if variable.counts:
        of = variable.kinds[0] if len(variable.kinds) == 1 else ""
    else:
        of = variable.type.kind if not variable.kinds and variable.type.shape in HOLDING else ""
    return of if of not in ("", PLAYER, NUMBER) and program.kind_by_name[of].things else ""


def _single(view: View, everybody: View, variable: Variable, kind: str) -> LaidCard:
    name, title = variable.name, _title(variable)
    value = view.value(name)
    if value is None:
        return LaidCard(name, title, kind, False, DOWN, count=1)
    if value < 0:
        return LaidCard(name, title, kind, False, EMPTY, count=0)
    thing = view.program.kind_by_name[kind].things[value]
    return LaidCard(name, title, kind, False, UP, not everybody.knows(name), thing, value, 1)


def _pile(view: View, variable: Variable, kind: str) -> LaidCard:
    known = view.program.variable_by_name.get(counted(variable.name))
    count = view.value(known.name) if known is not None else None
    return LaidCard(variable.name, _title(variable), kind, True, EMPTY if count == 0 else DOWN, count=count)


def _title(variable: Variable) -> str:
    title = variable.title or variable.name.replace("-", " ")
    return capital(title)


__all__ = ["DOWN", "EMPTY", "UP", "LaidCard", "laid_cards"]
