"""Plans in play: what each line of a plan makes of the options that a seat is offered, whatever bot chooses then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from edict.agents.bots.match import Match, Participant
from edict.agents.spaces.action_space import find_player_questions
from edict.compiler.pipeline.compiled_plans import AVOID, FIRST, NEVER, Plan, PlanLine
from edict.runtime.machine.mixing import draw
from edict.runtime.program import Program, Query, Question
from edict.runtime.program.opcodes import DECLINE, FIRST_OPTION, OPTIONS
from edict.runtime.simulation import execution_backend, plans, policies
from edict.runtime.simulation.plans import NO_OPTION, RANDOM, TARGET_OPTIONS, Guide, Policy, build_plan
from edict.support.morphology import join_words
from edict.support.records import dataclass
from edict.support.report import find_nearest
from edict.support.request_errors import RequestError

MOST_LABELS = 60  # options of a question of which a guide can name some by their titles


def build_guides(program: Program, seat_plans: Sequence[Plan | None]) -> list[tuple[Guide, ...]]:
    """Return the guides of each seat, whose lines are numbered from the first seat on.

    Raises:
        RequestError: A line names an option that no question has, or the plans are too long.
    """
    queries = {
        computed.name: program.queries[computed.query]
        for computed in (*program.reasons.measures, *program.reasons.values)
        if computed.query >= 0
    }
    effects = tuple(_list_effects(program, question) for question in program.questions)
    guides, number = list[tuple[Guide, ...]](), 0
    for plan in seat_plans:
        lines = plan.lines if plan else ()
        guides.append(tuple(_build_guide(program, queries, effects, line, number + i) for i, line in enumerate(lines)))
        number += len(lines)
    if len(plans.COUNTED) * number > len(program.initial):
        raise RequestError("the plans have too many lines together", "shorten them, or give one to fewer seats")
    return guides


def _build_guide(
    program: Program, queries: dict[str, Query], effects: tuple[tuple[int, ...], ...], line: PlanLine, number: int
) -> Guide:
    """Return the guide of a line."""
    target = queries[line.target] if line.target else None
    if line.option:
        options = tuple(_mask_options(question, line.option) for question in program.questions)
        if not any(options):
            titles = {title for question in program.questions for _, title in _iter_titles(question)}
            nearest = find_nearest(line.option, titles)
            remedy = f'did you mean "{nearest}"?' if nearest else "write it as the question shows it"
            raise RequestError(f'no option is called "{line.option}" (line {line.line} of the plan)', remedy)
    else:
        options = tuple(
            TARGET_OPTIONS if target and q.domain == "thing" and q.kind == target.type.kind else NO_OPTION
            for q in program.questions
        )
        asked = [program.questions[number] for number in find_player_questions(program)] if target else []
        chosen = {question.kind for question in asked if question.domain == "thing"}
        if target and target.type.kind not in chosen:
            kinds = sorted(chosen - {"resource"})
            remedy = f"name things that are chosen, of the kind {join_words(kinds, 'or')}" if kinds else ""
            raise RequestError(f"nobody chooses a {target.type.kind} (line {line.line} of the plan)", remedy)
    conditions = [(queries[name], holds) for name, holds in line.conditions]
    if line.verb == FIRST and line.missing:
        conditions.append((queries[line.missing], True))
    return Guide(
        number,
        options,
        -1 if line.verb in (AVOID, NEVER) else 1,
        target,
        queries[line.measure] if line.measure else None,
        line.gains,
        tuple(conditions),
        effects if line.measure else ((),) * len(program.questions),
    )


def _mask_options(question: Question, title: str) -> int:
    """Return a mask of the options of a question that have a title; bit 0 is declining."""
    return sum({1 << value + 1 for value, found in _iter_titles(question) if found.casefold() == title.casefold()})


def _iter_titles(question: Question) -> Iterator[tuple[int, str]]:
    """Yield the value and title of each option of a question that the rules name."""
    yield from enumerate(question.labels[:MOST_LABELS])
    if question.decline:
        yield DECLINE, question.decline


def _list_effects(program: Program, question: Question) -> tuple[int, ...]:
    """Return the code of the effect of each thing to choose; 0 without one, () if their kind has none or several."""
    kind = program.kind_by_name.get(question.kind) if question.domain == "thing" else None
    names = [thing.name for thing in kind.things] if kind else []
    effects = [program.effects_by_thing.get(name, {}) for name in names]
    fields = {field for of_thing in effects for field in of_thing}
    return tuple(of_thing.get(field, 0) for of_thing in effects for field in fields) if len(fields) == 1 else ()


def build_random_guides(program: Program, seed: int) -> tuple[Guide, ...]:
    """Return guides for exploration: at half of the questions, they prefer a random half of the options.

    The other half is avoided, even if nothing of the first is offered, so that what it costs is saved for that.
    """
    effects = ((),) * len(program.questions)
    masks = [_mask_at_random(program, question, seed + i) for i, question in enumerate(program.questions)]
    return (
        Guide(0, tuple(preferred for preferred, _ in masks), 1, effects=effects),
        Guide(0, tuple(others for _, others in masks), -1, effects=effects),
    )


def _mask_at_random(program: Program, question: Question, seed: int) -> tuple[int, int]:
    """Return masks of a random half of the named options of a question and of the rest; or of none."""
    kind = program.kind_by_name.get(question.kind) if question.domain == "thing" else None
    options = [1 << value + 1 for value in range(min(len(kind.things) if kind else len(question.labels), MOST_LABELS))]
    if draw(seed, 0, 2) == 0:
        return NO_OPTION, NO_OPTION
    half = sum(option for i, option in enumerate(options, 1) if draw(seed, i, 2) == 0)
    return half, sum(options) - half


def guide_policies(found: Sequence[Policy], guides: Sequence[tuple[Guide, ...]]) -> list[Policy]:
    """Return the policies of seats with the guides of their plans."""
    return [replace(policy, guides=seat_guides) for policy, seat_guides in zip(found, guides, strict=True)]


class PlanFilter:
    """The restriction of the options offered to the seats by their plans, for bots outside of the machine's loop.

    Attributes:
        counts: Counts by line, see `plans.COUNTED`.
    """

    def __init__(self, program: Program, guides: Sequence[tuple[Guide, ...]]) -> None:
        self._program, self._guides = program, guides
        self._plan: Any = execution_backend.make_integers(
            build_plan(program, guide_policies([RANDOM] * len(guides), guides))
        )
        self._scratch = execution_backend.make_rows(plans.SCRATCH_ROWS, len(program.initial))

    @property
    def counts(self) -> Sequence[int]:
        """Return the counts by line."""
        return self._scratch[plans.GUIDE_COUNTS]  # type: ignore[no-any-return]

    def restrict(self, state: Sequence[int], seat: int) -> Any:
        """Return the state with those options of the seat's question that its plan leaves."""
        restricted = execution_backend.make_integers(state)
        if self._guides[seat]:
            with execution_backend.use_program(self._program) as code:
                execution_backend.accelerate(policies.restrict_options)(
                    code, restricted, self._plan, self._plan[plans.SEATS + seat], self._scratch
                )
        return restricted


def choose_allowed(
    offered: Sequence[int], left: Sequence[int], chosen: int, values: Sequence[float] | None, spare: int = 0
) -> int:
    """Return the index of a bot's choice among all options if its plan leaves that, else of the best that it leaves.

    Args:
        offered: The values of all options.
        left: The values of those that the plan leaves.
        chosen: The index of the bot's choice.
        values: The bot's evaluations of all options, if it has any.
        spare: Which of those left is taken without evaluations.
    """
    allowed = [offered.index(value) for value in left]
    if chosen in allowed:
        return chosen
    return allowed[spare] if values is None else max(allowed, key=lambda at: values[at])


@dataclass
class PlannedParticipant:
    """A participant that is offered only what its plan leaves."""

    inner: Participant
    plan_filter: PlanFilter
    values: Sequence[float] | None = None  # the bot's evaluations of the options, if its plan left all of them

    def decide(self, match: Match) -> int:
        """Return the index of the option that the bot chooses among those that the plan leaves."""
        offered, cells = match.options, match.cells
        restricted = self.plan_filter.restrict(match.state, match.seat)
        left = [int(value) for value in restricted[FIRST_OPTION : FIRST_OPTION + int(restricted[OPTIONS])]]
        index = 0
        self.values = None
        if len(left) > 1 and hasattr(getattr(self.inner, "bot", None), "follow"):  # it thinks about states of its own
            chosen = self.inner.decide(match)
            return choose_allowed(offered, left, chosen, self.inner.values, draw(match.seed, match.key, len(left)))
        if len(left) > 1:
            match.cells = restricted if not isinstance(cells, list) else list(restricted)
            index = self.inner.decide(match)
            match.cells = cells
            self.values = self.inner.values if len(left) == len(offered) else None
        return offered.index(left[index])
