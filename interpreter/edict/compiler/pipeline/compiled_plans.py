"""Compiled plans, which are played without the compiler: what each line names, and its quantities in the program."""

from __future__ import annotations

from edict.support.records import dataclass

FIRST, PREFER, AVOID, NEVER = VERBS = ("first", "prefer", "avoid", "never")
MARK = "plan-goal-met"  # a truth of each player in programs with a goal that is watched
OPEN = "plan-goal-open"  # there, that this is not so


@dataclass(frozen=True, slots=True)
class PlanLine:
    """A line of a compiled plan; names are those of quantities and values in the program."""

    verb: str
    text: str  # as it is written
    line: int
    goal: str = ""  # its target, as it is written
    option: str = ""  # the title of an option, or
    target: str = ""  # the things to choose
    measure: str = ""  # what there should be more of, or less
    gains: bool = False  # only what is gained of it counts
    conditions: tuple[tuple[str, bool], ...] = ()
    missing: str = ""  # how many of the things of a goal the player does not have, or 1 until it is true
    lacks: tuple[tuple[str, str], ...] = ()  # what may be missing for a goal, in words, and how much of it


@dataclass(frozen=True, slots=True)
class Plan:
    """A compiled plan."""

    name: str
    lines: tuple[PlanLine, ...]
