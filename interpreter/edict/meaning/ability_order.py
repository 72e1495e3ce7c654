"""Whether it matters which of two abilities comes first."""

from __future__ import annotations

from functools import lru_cache

from edict.language import tree as t
from edict.meaning.effects import effects, own_effects
from edict.meaning.flows import flows
from edict.language.roles import Role, having
from edict.meaning.symbols import Local, Meaning, Resolved, in_full


def may_decide(resolved: Resolved, ability: t.Ability, other: t.Ability) -> bool:
    """Whether what one ability does may decide whether the other applies, or what of it.

    What calls other rules, or depends on luck, is taken to change everything that anybody asks about.
    """
    asked, done = _asked(resolved, other), own_effects(resolved, ability)
    return bool(asked) and (done.calls or done.chance or bool(asked & done.changes))


@lru_cache(maxsize=1024)  # every ability is looked at beside every other one of its moment
def _asked(resolved: Resolved, ability: t.Ability) -> frozenset[Meaning]:
    """What its own condition and those in its block depend on, beside what it costs: keeps and resources.

    A phase lasts as long as its moments do, so nobody's turn in them ends it.
    """
    conditions = [condition for node in in_full(resolved, ability) for condition in having(node, Role.DECIDES)]
    seen: set[Meaning] = set()
    waiting: list[t.Node] = [*conditions]
    while waiting:
        new = effects(resolved, *waiting).reads - seen
        seen |= new
        waiting = [flow.source for flow in flows(resolved) if flow.target in new]
    return frozenset(place for place in seen if not isinstance(place, Local) and place.sort != "phase")
