"""Games between bots in pieces that can be sent to another process or machine, and their results.

Where each seat has a native policy, the native batch plays them. Games of bots that run in Python, and games whose
decisions are recorded, are played one by one with an observer. Both give the same games, answer by answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cache
from typing import Protocol

from edict.agents.bots.bot_registry import BOTS, LEARNED, native_policy
from edict.agents.bots.match import Match, Participant, create_bot_table
from edict.agents.bots.match_play import iter_answers, release_bots, to_participant
from edict.agents.bots.networks import Network
from edict.agents.bots.plan_guides import PlanFilter, PlannedParticipant, build_guides, guide_policies
from edict.agents.bots.policy_bots import PolicyLookahead
from edict.compiler.pipeline.compiled_plans import Plan
from edict.game.table.faults import fault_error
from edict.game.table.knowledge import run_query
from edict.runtime.machine.mixing import GOLDEN, MASK, draw, mix
from edict.runtime.program import Program
from edict.runtime.program.opcodes import CHANCE, ENDLESS_FAULTS, GAME_OVER, OPTIONS, PC, STATUS
from edict.runtime.simulation import native, tallying
from edict.runtime.simulation.counters import CountingPlan
from edict.runtime.simulation.counting import CountedGames, count_games, event_modes, plan_counting
from edict.runtime.simulation.plans import RANDOM, Policy
from edict.runtime.simulation.policies import choose_best
from edict.support.records import dataclass
from edict.support.request_errors import RequestError

PIECE_GAMES, SLOW_PIECE_GAMES = 100, 1  # natively, and with bots in Python; about a second of work
LINE_GAMES, SLOW_LINE_GAMES = 500, 10  # in a checkpoint
PRECOMPILE_GAMES = 2000
ENDLESS_CONTEXT = "this happened in a game between bots, and more games would not end either"


class StudyError(RequestError):
    """A study that cannot be made or continued as requested."""


@dataclass(frozen=True)
class GameSetup:
    """The games to play."""

    program: Program
    bots: tuple[str, ...]  # the kind of bot in each seat
    settings: tuple[tuple[str, int], ...] = ()  # as integers
    seed: int = 0
    plans: tuple[Plan | None, ...] = ()  # the plan of each seat, compiled with the program; () without any
    network: Network | None = None  # plays for `learned` in place of the one that ships

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.bots)

    @property
    def is_native(self) -> bool:
        """Return True if all bots have native policies."""
        return find_policies(self.program, self.bots) is not None

    @property
    def policies(self) -> list[Policy] | None:
        """The native policy of each seat, with its plan; None unless all bots have one."""
        return find_policies(self.program, self.bots, self.plans, self.network)

    @property
    def plan_names(self) -> dict[str, list[str]]:
        """The plan of each seat, as a part of what identifies the games; empty without any."""
        return {"plans": [plan.name if plan else "" for plan in self.plans]} if self.plans else {}

    @property
    def piece_size(self) -> int:
        """The number of games in a piece of work; it depends on the bots alone."""
        return PIECE_GAMES if self.is_native else SLOW_PIECE_GAMES

    @property
    def line_size(self) -> int:
        """The number of games in a line of a checkpoint; sums of many games take no more room than those of few."""
        return LINE_GAMES if self.is_native else SLOW_LINE_GAMES


@dataclass(frozen=True, slots=True)
class GameRange:
    """Consecutive games. The seed of game `n` follows from the setup's seed and `n` alone."""

    first: int
    games: int

    @property
    def numbers(self) -> range:
        """The numbers of the games."""
        return range(self.first, self.first + self.games)


def precompile(setup: GameSetup, games: int) -> None:
    """Compile the rules in the background if so many games are played natively."""
    policies = setup.policies
    if games >= PRECOMPILE_GAMES and policies is not None:
        native.start_translation(setup.program, *event_modes(policies))


_PLANS: dict[tuple[str, int, tuple[tuple[str, int], ...]], CountingPlan] = {}


def get_plan(setup: GameSetup) -> CountingPlan:
    """Return the cached `CountingPlan` (the features to count) for a setup's rules, players and settings."""
    key = (setup.program.rules_hash, setup.players, setup.settings)
    if key not in _PLANS:
        _PLANS[key] = plan_counting(setup.program, setup.players, dict(setup.settings))
    return _PLANS[key]


def derive_seeds(setup: GameSetup, game_range: GameRange) -> list[int]:
    """Return the seed of each game."""
    return _derive_seeds(setup, game_range.numbers)


def _derive_seeds(setup: GameSetup, numbers: Iterable[int]) -> list[int]:
    """Return the seed of each game by its number: the study's seed plus a multiple of `GOLDEN`, mixed."""
    return [mix((setup.seed + (number + 1) * GOLDEN) & MASK) for number in numbers]


def play_range(
    setup: GameSetup, game_range: GameRange, keep: bool = False, observer: GameObserver | None = None
) -> PlayedGames:
    """Play a range of games and count them.

    Args:
        setup: The setup.
        game_range: The games.
        keep: Keep the results of each game, too.
        observer: Observes each game, which is then played in Python.

    Raises:
        RulesError: If a game would never end.
    """
    return play_games(setup, game_range.numbers, keep, observer)


def play_games(
    setup: GameSetup, numbers: Sequence[int], keep: bool = False, observer: GameObserver | None = None
) -> PlayedGames:
    """Play the games with these numbers, in order; raise `RulesError` for one that would never end."""
    played = _play_games(setup, numbers, keep, observer)
    if played.counted.endless_state is not None:
        raise fault_error(setup.program, played.counted.endless_state, ENDLESS_CONTEXT)
    return played


def _play_games(setup: GameSetup, numbers: Sequence[int], keep: bool, observer: GameObserver | None) -> PlayedGames:
    """Play games by number, natively if all bots allow it and nothing observes; `keep` keeps each game's row."""
    plan, seeds, settings = get_plan(setup), _derive_seeds(setup, numbers), dict(setup.settings)
    policies = setup.policies
    if policies is not None and observer is None:
        return PlayedGames(count_games(plan, seeds, settings, policies, keep))
    seats = BotSeats(setup.program, setup.bots, setup.plans, setup.network)
    return play_bot_games(plan, numbers, seeds, settings, setup.bots, observer, seats)


def split_games(games: int, size: int, done: Iterable[GameRange] = ()) -> Iterator[GameRange]:
    """Yield the games from 0 on in pieces that begin at multiples of `size`, without those that are done."""
    number = 0
    for done_range in [*sorted(done, key=lambda item: item.first), GameRange(games, 0)]:
        while number < min(done_range.first, games):
            end = min(games, number - number % size + size, done_range.first)
            yield GameRange(number, end - number)
            number = end
        number = max(number, done_range.first + done_range.games)


def find_policies(
    program: Program,
    bots: Sequence[str],
    seat_plans: Sequence[Plan | None] = (),
    network: Network | None = None,
) -> list[Policy] | None:
    """Return the native policy of each seat, with its plan if there is one; None unless all bots have one.

    Args:
        program: The program.
        bots: The kind of bot in each seat.
        seat_plans: The plan of each seat.
        network: The network of `learned`; None for the one that ships, or the one of the bot's option.
    """
    candidates = [
        network.to_policy(program, len(bots))
        if network and kind.partition("@")[0] == LEARNED
        else native_policy(program, kind, len(bots))
        for kind in bots
    ]
    policies = [policy for policy in candidates if policy is not None]
    if len(policies) < len(bots):
        return None
    return guide_policies(policies, build_guides(program, seat_plans)) if seat_plans else policies


def check_bots(bots: Iterable[str]) -> None:
    """Raise `StudyError` for a user's bot that cannot be loaded in this process.

    A worker's machine may lack its file, and games in which it answers at random would be worthless.
    """
    for kind in bots:
        if BOTS.is_user_code(kind):
            _check_bot(kind)


@cache
def _check_bot(kind: str) -> None:
    """Raise `StudyError` if this worker cannot load a bot."""
    problem = BOTS.find_problem(kind)
    if problem:
        raise StudyError(f"a worker cannot play: {problem[0]}", "every worker needs it in the same place")


class GameObserver(Protocol):
    """An observer of games as they are played."""

    def begin(self, number: int, match: Match) -> None:
        """Start to observe a game."""

    def look(self, match: Match) -> None:
        """Observe the state at a question, chance's included, or at the end."""
        ...

    def record_decision(self, match: Match, seat: int, index: int, values: Sequence[float] | None) -> None:
        """Record a player's answer, before it is carried out."""
        ...


class PolicyParticipant:
    """A native policy in a seat of a match, see `match.Participant`."""

    def __init__(self, program: Program, players: int, policy: Policy) -> None:
        self._lookahead = None if policy == RANDOM else PolicyLookahead(program, players, policy)
        self.values: Sequence[float] | None = None

    def decide(self, match: Match) -> int:
        """Return the index of the option that the policy chooses."""
        if self._lookahead is None:
            return draw(match.seed, match.key, int(match.cells[OPTIONS]))  # does not advance the table's generator
        values = self._lookahead.evaluate_options(match.cells)
        self.values = values
        return choose_best(values, len(values), match.seed, match.key)


class BotSeats:
    """The participants at the tables of one setup."""

    def __init__(
        self,
        program: Program,
        bots: Sequence[str],
        seat_plans: Sequence[Plan | None] = (),
        network: Network | None = None,
    ) -> None:
        self._program, self._bots = program, bots
        self.plan_filter = PlanFilter(program, build_guides(program, seat_plans)) if seat_plans else None
        policies = find_policies(program, bots, network=network)
        self.is_native = policies is not None and native.is_available()
        if self.is_native:
            native.load_native()  # otherwise lookahead would run in Python
        self._policies = [PolicyParticipant(program, len(bots), policy) for policy in policies] if policies else None

    def create_seats(self, seed: int) -> Sequence[Participant]:
        """Return the participant of each seat for a game's seed."""
        seats = self._create_bots(seed)
        if self.plan_filter is None:
            return seats
        return [PlannedParticipant(seat, self.plan_filter) for seat in seats]

    def _create_bots(self, seed: int) -> Sequence[Participant]:
        """Return the bot of each seat for a game's seed."""
        if self._policies is not None:
            return self._policies
        seeds = [mix((seed ^ (seat + 1) * GOLDEN) & MASK) for seat in range(len(self._bots))]
        return [
            to_participant(BOTS[kind](self._program, number)) for kind, number in zip(self._bots, seeds, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """The counts of games, and the faults of users' bots in them."""

    counted: CountedGames
    mishaps: Counter[str] = field(default_factory=Counter)


def play_bot_games(
    plan: CountingPlan,
    numbers: Sequence[int],
    seeds: Sequence[int],
    settings: dict[str, int],
    bots: Sequence[str],
    observer: GameObserver | None = None,
    players: BotSeats | None = None,
) -> PlayedGames:
    """Play games of these numbers and seeds one by one, and keep their rows.

    Args:
        plan: The counters.
        numbers: The number of each game, for the observer.
        seeds: The seed of each game.
        settings: Checked values of settings.
        bots: The kind of bot in each seat.
        observer: Observes each game.
        players: The participants, if not those of the bots.
    """
    check_bots(bots)
    players = players or BotSeats(plan.program, bots)
    counted, mishaps = CountedGames([], [], [], [0] * plan.sums_layout.length, []), Counter[str]()
    for number, seed in zip(numbers, seeds, strict=True):
        match = Match(create_bot_table(plan.program, plan.players, settings), seed & MASK, natively=players.is_native)
        if observer:
            observer.begin(number, match)
        row, faults = _play_match(plan, match, players.create_seats(seed), observer)
        mishaps.update(faults)
        if match.status == GAME_OVER:
            tallying.add_to_sums(plan.flat, row, counted.sums)
        counted.statuses.append(match.status)
        counted.places.append(int(match.cells[PC]))
        counted.heads.append(row[: plan.head_length])
        counted.rows.append(row)
        if match.status in ENDLESS_FAULTS:
            return PlayedGames(_record_endless_state(counted, match), mishaps)
    return PlayedGames(counted, mishaps)


def make_game_error(setup: GameSetup, number: int) -> Exception:
    """Return the error that broke off the game of this number, by playing it again."""
    (seed,) = _derive_seeds(setup, [number])
    players = BotSeats(setup.program, setup.bots, setup.plans, setup.network)
    match = Match(
        create_bot_table(setup.program, setup.players, dict(setup.settings)), seed & MASK, natively=players.is_native
    )
    seats = players.create_seats(seed)
    for _, index in iter_answers(match, seats):
        match.answer(index)
    release_bots(seats)
    if match.status == GAME_OVER:
        _write_scores(get_plan(setup), match, [0] * get_plan(setup).row_layout.length)
    return fault_error(setup.program, match.state, "this happened in a game between bots")


def _record_endless_state(counted: CountedGames, match: Match) -> CountedGames:
    """Return the counted games with the match's state as that of a game that was stopped as endless."""
    return CountedGames(
        counted.statuses, counted.places, counted.heads, counted.sums, counted.rows, endless_state=match.state
    )


def _play_match(
    plan: CountingPlan, match: Match, seats: Sequence[Participant], observer: GameObserver | None
) -> tuple[list[int], Counter[str]]:
    """Play a match, and return its row of counts and the faults of bots."""
    flat, code, row = plan.flat, plan.program.code, [0] * plan.row_layout.length
    for seat, index in iter_answers(match, seats):
        tallying.count_events(flat, code, [len(match.new_events), *match.new_events], row)
        tallying.count_question(flat, match.cells, row)
        if observer:
            observer.look(match)
            if seat != CHANCE:
                observer.record_decision(match, seat, index, seats[seat].values)
        match.answer(index)
    tallying.count_events(flat, code, [len(match.new_events), *match.new_events], row)
    if observer:
        observer.look(match)
    if match.status == GAME_OVER:
        tallying.count_end(flat, match.state, row)
        _write_scores(plan, match, row)
    return row, release_bots(seats)


def _write_scores(plan: CountingPlan, match: Match, row: list[int]) -> None:
    """Write every seat's score into the row; a fault while computing it becomes one of the game."""
    for seat in range(plan.players):
        scratch = match.state
        score = run_query(plan.program, scratch, plan.program.score, seat)
        if score is None:
            match.status, match.cells = scratch[STATUS], scratch
            return
        row[plan.row_layout.place_of("scores", seat)] = score
