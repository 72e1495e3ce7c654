"""The condition of a best response, such as `owns mill by day 3`, and the ways in which a bot can work for it.

A condition is a goal of a plan, `first mill until day > 3`, and is compiled and watched as such. A bot follows plans
for it, or weighs how far the goal is beside its own judgement.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import ceil

from edict.agents.bots.plan_guides import build_guides
from edict.agents.bots.weight_training import find_clock
from edict.compiler.pipeline.compiled_plans import MARK, OPEN, Plan, PlanLine
from edict.game.table.addresses import PLAYER
from edict.runtime.program import Program, Query
from edict.runtime.simulation.plans import POINT, Guide, Policy, Watch
from edict.support.records import dataclass
from edict.support.request_errors import RequestError

MAX_ONSETS = 2  # plans that begin later
MAX_CLOCK = 60  # a clock that goes further tells no rounds
WEIGHTS = (0.5, 1.0, 2.0, 4.0)  # of a step towards the goal
STEPS_OF_SPREAD = 8  # of these, weighed at 1, are worth the deviation of the results of games

_DEADLINE = re.compile(r"\s+by\s+(?P<clock>[a-z][\w-]*)\s+(?P<value>\d+)\s*$")
_OWNS = re.compile(r"^(?:owns?|has|have|holds?)\s+")
_LIST = re.compile(r"[a-z][\w-]*(?:\s*(?:,|\band\b)\s*[a-z][\w-]*)+")
_AND = re.compile(r"\s*(?:,|\band\b)\s*")
_NAME = re.compile(r'"[^"]*"|(?<![\w-])[a-z][\w-]*(?![\w-])(?!\s+of\b)')
CONDITION_EXAMPLE = "write it like `owns NAME by year 3` or `coin > 10`"


@dataclass(frozen=True, slots=True)
class GoalText:
    """A condition in the words of a plan."""

    target: str  # things, or a condition of `you`
    clauses: str  # such as ` until year > 3`
    is_owned: bool  # the target is things to have

    @property
    def plan(self) -> str:
        """The plan that holds a bot to the condition."""
        return f"first {self.target}{self.clauses}"

    def list_plans(self, program: Program, players: int) -> tuple[str, ...]:
        """Return the plans that candidates follow: that of the goal, a weaker one, and those that begin later."""
        variable, end = find_clock(program, players)
        clock = variable.name if variable and end <= MAX_CLOCK else ""
        plans = [self.plan]
        if self.is_owned:
            plans.append(f"prefer {self.target}{self.clauses}")
        deadline = re.search(rf"until {re.escape(clock)} > (\d+)", self.clauses) if clock else None
        last = int(deadline[1]) if deadline else end
        step = max(1, ceil((last - 1) / MAX_ONSETS))
        onsets = range(2, last + 1, step) if clock else ()
        plans += [f"first {self.target} when {clock} >= {onset}{self.clauses}" for onset in onsets]
        return tuple(dict.fromkeys(plans))


def parse_condition(text: str, program: Program) -> GoalText:
    """Parse a condition such as `owns mill and bakery by day 3` or `coin > 10`.

    A name of something that each player has stands for `NAME of you`. The rest is Edict, and is checked when the plans
    are compiled.
    """
    deadline, clauses = _DEADLINE.search(text), ""
    if deadline:
        text, clauses = text[: deadline.start()], f" until {deadline['clock']} > {deadline['value']}"
    text = text.strip()
    if owns := _OWNS.match(text):
        target = text[owns.end() :].strip()
        if _LIST.fullmatch(target):
            target = f"({' + '.join(_AND.split(target))})"
        return GoalText(target, clauses, True)
    own = {
        name
        for variable in program.variables
        if variable.kinds == (PLAYER,)
        for name in (variable.name, variable.plural)
    } | {quantity.name for quantity in program.reasons.measures if quantity.kinds == (PLAYER,)}
    target = _NAME.sub(lambda found: f"{found[0]} of you" if found[0] in own else found[0], text)
    return GoalText(target, clauses, False)


@dataclass(frozen=True, slots=True)
class GoalVariant:
    """A way to let a bot work for the condition: a plan that it follows or weighs; neither, to let it be.

    Attributes:
        plan: The text of the plan; empty without one.
        guides: The plan as guides that the bot follows.
        measure: How near the goal is, if the bot weighs it beside its own judgement.
        points: The points that a step towards the goal counts then.
    """

    plan: str = ""
    guides: tuple[Guide, ...] = ()
    measure: Query | None = None
    points: float = 0.0

    @property
    def title(self) -> str:
        """What it adds to the name of a bot."""
        if self.measure:
            return f"weighs `{self.plan}` ({self.points:.1f} a step)"
        return f"follows `{self.plan}`" if self.plan else ""

    def apply_to(self, policy: Policy, watch: Watch) -> Policy:
        """Return a policy that works for the condition in this way; without a network, it cannot weigh the goal."""
        policy = replace(policy, guides=self.guides, watch=watch)
        if self.measure is None or policy.net is None:
            return policy
        return replace(policy, measure=self.measure, net=replace(policy.net, judge_weight=round(self.points * POINT)))


@dataclass(frozen=True, slots=True)
class CompiledGoal:
    """A condition with the plans for it, compiled into a program.

    Attributes:
        condition: The condition as typed.
        program: The program with the plans.
        plans: The plan of the goal, and then the others.
        texts: Their texts.
    """

    condition: str
    program: Program
    plans: tuple[Plan, ...]
    texts: tuple[str, ...]

    @property
    def line(self) -> PlanLine:
        """The line of the goal; raises `RequestError` if the condition cannot be met or missed."""
        line = self.plans[0].lines[0]
        if not line.missing:
            raise RequestError(f"`{self.condition}` cannot be met or missed", CONDITION_EXAMPLE)
        return line

    @property
    def watch(self) -> Watch:
        """What puts down in a game that the condition was met."""
        variable = next(variable for variable in self.program.variables if variable.name == MARK)
        missing = self._find_query(self.line.missing)
        clauses = [(self._find_query(name), holds) for name, holds in self.line.conditions if name != OPEN]
        return Watch(((missing, False), *clauses), variable.base, 1)

    def list_variants(self, spread: float) -> list[GoalVariant]:
        """Return the ways to work for the condition.

        Args:
            spread: The deviation of the results of games, in points.
        """
        guides = [build_guides(self.program, [plan])[0] for plan in self.plans]
        follow = [GoalVariant(text, guide) for text, guide in zip(self.texts, guides, strict=True)]
        measure = self._find_query(self.line.measure)
        weigh = [GoalVariant(self.texts[0], (), measure, weight * spread / STEPS_OF_SPREAD) for weight in WEIGHTS]
        return [GoalVariant(), *follow, *weigh]

    def _find_query(self, name: str) -> Query:
        """Return the query of a quantity or value of the plans."""
        computed = (*self.program.reasons.measures, *self.program.reasons.values)
        return self.program.queries[next(found for found in computed if found.name == name).query]
