"""Why options were never offered: `why not`, asked in some of the games once more; and what exceptions let pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import islice, product

from edict.agents.bots.match import Match, laid
from edict.agents.bots.matches import course, dismissed
from edict.agents.study.adding import Addable
from edict.agents.study.bot_games import GameRange, Players, Setup, seeds_of
from edict.agents.study.watching import Answer
from edict.game.explanations.option_reasons import OptionExplainer, OptionReason
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

GAMES = 10  # of those watched, for each table
ENOUGH = 300  # times that an option is asked about
EVERY = 25  # questions between two looks at the quantities
MOST_VALUES = 60  # of a quantity, for all that it is of


@dataclass(frozen=True, slots=True)
class Blamed:
    """A demand that an option did not meet, or an exception that let it pass all the same."""

    sort: str
    name: str
    because: str
    text: str
    file: str
    line: int


@dataclass
class OptionCounts(Addable):
    """asked: how often each option was asked about; blamed: what stood in its way, and how often. passed: by action,
    rules that were set aside by exceptions that ask for nothing instead. values: what each quantity has been."""

    asked: Counter[Answer] = field(default_factory=Counter)
    blamed: dict[Answer, Counter[Blamed]] = field(default_factory=dict)
    passed: dict[str, Counter[tuple[Blamed, Blamed]]] = field(default_factory=dict)
    values: dict[int, set[int]] = field(default_factory=dict)
    looked: Counter[int] = field(default_factory=Counter)


def ask(setup: Setup, missing: Mapping[int, Collection[int]], stretch: GameRange) -> OptionCounts:
    """Play some games again and ask at each question: about options that were `missing` from it, why they are not
    there, and of those that are there, which exceptions let them pass."""
    found, program = OptionCounts(), setup.program
    players = Players(program, setup.bots)
    excepted = {one.question for one in program.reasons.demands if one.unless}
    for seed in seeds_of(setup, GameRange(stretch.first, min(stretch.games, GAMES))):
        match = Match(laid(program, setup.players, dict(setup.settings)), seed & MASK, natively=players.native)
        seats = players.seats(match.seed)
        for seat, index in course(match, seats):
            question = int(match.cells[o.QUESTION])
            if seat != CHANCE and (question in missing or question in excepted):
                _question(found, match, missing.get(question, ()), question in excepted)
            if match.number % EVERY == 0:
                _quantities(found, match)
            match.answer(index)
        dismissed(seats)
    return found


def _question(found: OptionCounts, match: Match, missing: Collection[int], excepted: bool) -> None:
    number, state = int(match.cells[o.QUESTION]), match.state
    why = OptionExplainer(Game(match.table, state, 0, GameStep.create_first(state)), None)
    for value in missing:
        answer = (number, value)
        if found.asked[answer] < ENOUGH and value not in match.options:
            found.asked[answer] += 1
            failed = (_blamed(one) for one in why.reasons_for(value) if one.holds is False)
            found.blamed.setdefault(answer, Counter()).update(dict.fromkeys(failed, 1))
    if excepted:
        action = match.program.causes[why.question.cause].name
        for value in match.options:
            for reason in why.reasons_with_exceptions(value):
                if (
                    is_decided_by_exception(reason)
                    and reason.deciding_exception
                    and reason.deciding_exception.require is None
                ):
                    cause = reason.deciding_exception.cause
                    exception = Blamed("exception", cause.title or cause.name, "", "", cause.file, cause.line)
                    found.passed.setdefault(action, Counter())[exception, _blamed(reason)] += 1


def _blamed(reason: OptionReason) -> Blamed:
    cause = reason.cause
    return Blamed(reason.sort, reason.name, reason.because, reason.found.text, cause.file, cause.line)


def _quantities(found: OptionCounts, match: Match) -> None:
    program, state = match.program, match.state
    for number, measure in enumerate(program.reasons.measures):
        if measure.query < 0 or len(found.values.get(number, ())) > 1:
            continue
        for of in islice(product(*(range(_many(program, match, kind)) for kind in measure.kinds)), MOST_VALUES):
            value = _value(program, state, measure, of)
            if value is not None:
                found.values.setdefault(number, set()).add(value)
                found.looked[number] += 1


def _many(program: Program, match: Match, kind: str) -> int:
    if kind == PLAYER:
        return len(match.players)
    return len(program.kind_by_name[kind].things) if kind in program.kind_by_name else 0


def _value(program: Program, state: list[int], measure: ComputedQuantity, of: tuple[int, ...]) -> int | None:
    scratch = state.copy()
    if measure.you >= 0:
        scratch[o.YOU] = of[measure.you]
    return run_query(program, scratch, measure.query, *of)
