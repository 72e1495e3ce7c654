"""Rules that belong to no place in the course: what comes with gains, losses, and what joins or leaves a set."""

from __future__ import annotations

from edict.handbook.annotated import Known
from edict.handbook.effects_index import EffectsIndex
from edict.handbook.chapters import Section, Steps
from edict.meaning.ability_targets import MOVING, PASSING


def at_any_time(known: Known, effects: EffectsIndex) -> Section:
    """Those that stand alone; what belongs to a thing is told there."""
    held = (one for one in known.linked.held if one.thing is None)
    alone = [one for one in held if getattr(one.ability, "edge", "") in (*PASSING, *MOVING)]
    return Section("At any time", "_any-time", (Steps(tuple(map(effects.told, alone))),) if alone else ())
