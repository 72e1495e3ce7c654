"""Exceptions to one thing that may hold at once: which of them counts, or whether the player chooses."""

from __future__ import annotations

from edict.backend import core
from edict.backend.core import Condition
from edict.language import tree as t
from edict.lowering.context import Context
from edict.lowering.quantities import holds
from edict.meaning.link import AttachedAbility
from edict.meaning.precedence import Precedence, Rival, precedence
from edict.words.titles import capital


def exception_of(held: AttachedAbility) -> t.Exception_:
    assert isinstance(held.ability, t.Exception_)
    return held.ability


def rivals(c: Context, held: tuple[AttachedAbility, ...]) -> Precedence:
    """What they say of each other."""
    return precedence(c.resolved, [Rival(one.name, exception_of(one), one.thing) for one in held])


def foremost(c: Context, held: tuple[AttachedAbility, ...]) -> list[Condition]:
    """Of each, whether it holds and none that comes before it does."""
    above, found = rivals(c, held).above, list[Condition]()
    for place, one in enumerate(held):
        others = tuple(core.Not(holds(c, held[other])) for other in sorted(above[place]))
        found.append(core.All((holds(c, one), *others)))
    return found


def labels(held: tuple[AttachedAbility, ...]) -> tuple[str, ...]:
    """What they are called, to choose from."""
    return tuple(capital(one.title or one.name.replace("-", " ")).partition("/")[0] for one in held)
