"""Reasons why options were never offered, found by asking `why not` in some of the games, and uses of exceptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice, product

from edict.agents.bots.match import Match, create_bot_table
from edict.agents.bots.match_play import iter_answers, release_bots
from edict.agents.study.bot_games import BotSeats, GameRange, GameSetup, derive_seeds
from edict.agents.study.game_watching import OptionKey
from edict.agents.study.totals import Addable
from edict.game.explanations.option_reasons import Finding, OptionExplainer, OptionReason
from edict.game.explanations.reasons_in_words import is_decided_by_exception
from edict.game.table.addresses import PLAYER
from edict.game.table.game import Game
from edict.game.table.game_steps import GameStep
from edict.game.table.knowledge import run_query
from edict.runtime.machine.mixing import MASK
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.opcodes import CHANCE
from edict.runtime.program.reasons import ComputedQuantity
from edict.support.records import dataclass

GAMES = 10
MAX_QUERIES = 300
QUANTITY_INTERVAL = 25
MAX_VALUES = 60


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A requirement that an option did not meet, or an exception that allowed it nevertheless."""

    sort: str
    name: str
    because: str
    text: str
    file: str
    line: int


Number = tuple[OptionKey, str, str]  # an option, a condition that it does not meet, and what that reads


@dataclass
class OptionCounts(Addable):
    """Counts of the reasons why options were missing or allowed."""

    asked: Counter[OptionKey] = field(default_factory=Counter)  # how often each option was asked about
    obstacles: dict[OptionKey, Counter[Obstacle]] = field(default_factory=dict)  # of each option with their counts
    unmet: Counter[tuple[OptionKey, str]] = field(default_factory=Counter)  # single conditions in these, by their text
    read: dict[Number, set[int]] = field(default_factory=dict)  # numbers that these conditions read
    # by action: exceptions without a requirement of their own, with the rule they set aside
    passed: dict[str, Counter[tuple[Obstacle, Obstacle]]] = field(default_factory=dict)
    # of each option that was offered and not taken, the values that were taken
    preferred: dict[OptionKey, Counter[int]] = field(default_factory=dict)
    # and how many options the bot preferred to it, of how many
    ranks: dict[OptionKey, Counter[tuple[int, int]]] = field(default_factory=dict)
    values: dict[int, set[int]] = field(default_factory=dict)  # of each quantity
    samples: Counter[int] = field(default_factory=Counter)  # of each quantity


def collect_reasons(
    setup: GameSetup,
    missing: Mapping[int, Collection[int]],
    game_range: GameRange,
    untaken: Mapping[int, Collection[int]] | None = None,
) -> OptionCounts:
    """Play some games again, and collect at each question why options are missing and which exceptions allow others.

    Args:
        setup: The setup.
        missing: By question, the values that were never offered.
        game_range: The games; only the first `GAMES` are played.
        untaken: By question, the values that were offered and never taken; what was taken instead is collected.
    """
    counts, program = OptionCounts(), setup.program
    players = BotSeats(program, setup.bots, setup.plans)
    with_exceptions = {demand.question for demand in program.reasons.demands if demand.unless}
    for seed in derive_seeds(setup, GameRange(game_range.first, min(game_range.games, GAMES))):
        match = Match(
            create_bot_table(program, setup.players, dict(setup.settings)), seed & MASK, natively=players.is_native
        )
        seats = players.create_seats(match.seed)
        for seat, index in iter_answers(match, seats):
            question = int(match.cells[o.QUESTION])
            if seat != CHANCE and (question in missing or question in with_exceptions):
                _record_question(counts, match, missing.get(question, ()), question in with_exceptions)
            if seat != CHANCE and untaken and question in untaken:
                _record_preference(counts, match, untaken[question], index, seats[seat].values)
            if match.number % QUANTITY_INTERVAL == 0:
                _record_quantities(counts, match)
            match.answer(index)
        release_bots(seats)
    return counts


def _record_question(counts: OptionCounts, match: Match, missing: Collection[int], has_exceptions: bool) -> None:
    """Count the failed requirements of the values in `missing` at a question, and those an exception overrides."""
    number, state = int(match.cells[o.QUESTION]), match.state
    why = OptionExplainer(Game(match.table, state, 0, GameStep.create_first(state)), None)
    for value in missing:
        answer = (number, value)
        if counts.asked[answer] < MAX_QUERIES and value not in match.options:
            counts.asked[answer] += 1
            failed = [one for one in why.reasons_for(value) if one.holds is False]
            counts.obstacles.setdefault(answer, Counter()).update(dict.fromkeys(map(_to_obstacle, failed), 1))
            for condition in {leaf.text: leaf for one in failed for leaf in _iter_unmet(one.found)}.values():
                counts.unmet[answer, condition.text] += 1
                for name, operand in condition.numbers:
                    counts.read.setdefault((answer, condition.text, name), set()).add(operand)
    if has_exceptions:
        action = match.program.causes[why.question.cause].name
        for value in match.options:
            for reason in why.reasons_with_exceptions(value):
                if (
                    is_decided_by_exception(reason)
                    and reason.deciding_exception
                    and reason.deciding_exception.require is None
                ):
                    cause = reason.deciding_exception.cause
                    exception = Obstacle("exception", cause.title or cause.name, "", "", cause.file, cause.line)
                    counts.passed.setdefault(action, Counter())[exception, _to_obstacle(reason)] += 1


def _iter_unmet(finding: Finding) -> Iterator[Finding]:
    """Yield the single conditions below a finding that do not hold."""
    if not finding.parts and finding.holds is False:
        yield finding
    for part in finding.parts:
        yield from _iter_unmet(part)


def _record_preference(
    counts: OptionCounts, match: Match, untaken: Collection[int], chosen: int, values: Sequence[float] | None
) -> None:
    """Count what was taken instead of each value in `untaken`, and how many options the bot preferred to it."""
    options, question = match.options, int(match.cells[o.QUESTION])
    for value in (value for value in untaken if value in options and value != options[chosen]):
        key = (question, value)
        counts.preferred.setdefault(key, Counter())[options[chosen]] += 1
        if values is not None and len(values) == len(options):
            better = sum(other > values[options.index(value)] for other in values)
            counts.ranks.setdefault(key, Counter())[better, len(options)] += 1


def _to_obstacle(reason: OptionReason) -> Obstacle:
    """Return the failed requirement as a hashable record: sort, name, text, found value, file and line."""
    cause = reason.cause
    return Obstacle(reason.sort, reason.name, reason.because, reason.found.text, cause.file, cause.line)


def _record_quantities(counts: OptionCounts, match: Match) -> None:
    """Record each quantity's values in the match's state, for at most `MAX_VALUES` arguments; skip varying ones."""
    program, state = match.program, match.state
    for number, measure in enumerate(program.reasons.measures):
        if measure.query < 0 or len(counts.values.get(number, ())) > 1:
            continue
        for arguments in islice(
            product(*(range(_count_members(program, match, kind)) for kind in measure.kinds)), MAX_VALUES
        ):
            value = _evaluate_quantity(program, state, measure, arguments)
            if value is not None:
                counts.values.setdefault(number, set()).add(value)
                counts.samples[number] += 1


def _count_members(program: Program, match: Match, kind: str) -> int:
    """Return the number of things of a kind, for `player` those in the match; 0 for an unknown kind."""
    if kind == PLAYER:
        return len(match.players)
    return len(program.kind_by_name[kind].things) if kind in program.kind_by_name else 0


def _evaluate_quantity(
    program: Program, state: list[int], measure: ComputedQuantity, arguments: tuple[int, ...]
) -> int | None:
    """Return a quantity's value in a copy of the state, with its player argument as `you`; None for a fault."""
    scratch = state.copy()
    if measure.you >= 0:
        scratch[o.YOU] = arguments[measure.you]
    return run_query(program, scratch, measure.query, *arguments)
