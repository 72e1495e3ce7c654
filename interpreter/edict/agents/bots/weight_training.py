"""Training of weights by self-play, for the bot `greedy`.

A round plays games by the weights learned so far. At some random choices every option is tried out in a few playouts
with equal chance, and the lead each gives is recorded. What the options of one choice have in common carries no
information; weights are fitted to their differences by ridge regression. Finally the best weight of the rules' own
evaluation is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from itertools import pairwise
from typing import Any

from edict.agents.bots.features import FeaturePlace, list_clock_variables, list_player_features
from edict.agents.bots.weights import FeatureWeights, Weights
from edict.game.table.faults import fault_error
from edict.runtime.machine.loop import run
from edict.runtime.machine.mixing import draw
from edict.runtime.program import Program, StateVariable, create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, GAME_OVER, OPTIONS, STATUS
from edict.runtime.simulation.plans import GREEDY, FeatureTerm, LinearJudgement, Policy, weights_policy
from edict.support.records import dataclass

SAMPLE_INTERVAL = 10
PLAYOUTS_PER_OPTION = 2
RANDOM_PERMILLE = 50
RIDGE = 60.0
# weights of the rules' own evaluation to try, in standard deviations of the learned weights
JUDGE_SHARES = (0.0, 0.5, 1.0, 2.0)
FAULT_CONTEXT = "this happened in a game played to learn from"
PIECE_GAMES = 25


@dataclass(frozen=True)
class WeightTrainingPlan:
    """The plan of a training."""

    program: Program
    players: int
    games: int  # in all
    rounds: int
    matches: int  # games for each measurement
    seed: int


@dataclass
class WeightTraining:
    """A training in progress; its weights can be used at any time."""

    plan: WeightTrainingPlan
    clock: StateVariable | None = None
    clock_end: int = 1  # greatest value of the clock
    places: tuple[FeaturePlace, ...] = ()
    weights: Any = None  # the fitted weights, None before the first round
    samples: list[Any] = field(default_factory=list)
    played: int = 0

    @property
    def names(self) -> list[str]:
        """The names of the features."""
        return [name for place in self.places for name in place.names]


def start_training(plan: WeightTrainingPlan) -> WeightTraining:
    """Return a training without weights, with the features of players and the clock found in a random game."""
    clock, end = find_clock(plan.program, plan.players)
    return WeightTraining(plan, clock, end, list_player_features(plan.program))


@dataclass(frozen=True, slots=True)
class ChoiceSampler:
    """A task that samples choices of games with one policy in all seats."""

    program: Program
    players: int
    policy: Policy
    tries: int = PLAYOUTS_PER_OPTION  # playouts for each option

    def __call__(self, first: int) -> Any:
        """Sample choices of `PIECE_GAMES` games. Raises `RulesError` for a game that would never end."""
        seats, seeds = [self.policy] * self.players, range(first, first + PIECE_GAMES)
        with report_endless_games(self.program):
            sample_choices = _import_regression().sample_choices
            return sample_choices(self.program, seeds, seats, self.policy, SAMPLE_INTERVAL, self.tries)


@contextmanager
def report_endless_games(program: Program) -> Iterator[None]:
    """Turn an `EndlessGame` in the block into a `RulesError`."""
    try:
        yield
    except _import_regression().EndlessGame as problem:
        raise fault_error(program, problem.state, FAULT_CONTEXT) from None


# applies a function to each piece of work and yields (piece, result) pairs in any order
PieceMapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[tuple[Any, Any]]]


def map_locally(work: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield each piece with the result of `work(piece)`, computed in this process, in order."""
    return ((piece, work(piece)) for piece in pieces)


def train_weights(training: WeightTraining, map_pieces: PieceMapper = map_locally) -> Iterator[int]:
    """Sample and fit round by round, yielding the games played; the order of finished pieces does not matter."""
    plan = training.plan
    games_per_round = max(PIECE_GAMES, plan.games // plan.rounds)
    for number in range(plan.rounds):
        sampler = _create_sampler(training, build_policy(training, training.weights, random_permille=RANDOM_PERMILLE))
        results = {}
        start = plan.seed + number * games_per_round
        for first, part in map_pieces(sampler, range(start, start + games_per_round, PIECE_GAMES)):
            results[first] = part
            training.played += PIECE_GAMES
            yield training.played
        parts = [results[first] for first in sorted(results)]
        # the games of the first round were played at random
        training.samples = [
            *(training.samples if number > 1 else []),
            *parts,
        ]
        training.weights = _import_regression().fit_weights(training.samples, training.clock_end, RIDGE)


def _create_sampler(training: WeightTraining, policy: Policy, tries: int = PLAYOUTS_PER_OPTION) -> ChoiceSampler:
    """Create a sampler that tries each option of a question in `tries` playouts by a policy."""
    return ChoiceSampler(training.plan.program, training.plan.players, policy, tries)


def build_policy(training: WeightTraining, weights: Any, judge: float = 0.0, random_permille: int = 0) -> Policy:
    """Return the greedy policy of weights in the order of the features; None values all options alike."""
    if weights is None:
        blank = tuple(FeatureTerm(p.shape, p.base, p.step, ((0, 0, 0, 0),) * len(p.names)) for p in training.places)
        return weights_policy(
            LinearJudgement(blank, 0, training.clock.base if training.clock else 0, training.clock_end),
            whim=random_permille,
        )
    file_weights = build_weights(training, weights, judge)
    return file_weights.to_greedy_policy(training.plan.program, training.plan.players, random_permille, keep_zeros=True)


def build_weights(
    training: WeightTraining, weights: Any, judge: float, command: str = "", measured: Any = None
) -> Weights:
    """Return the contents of a weights file."""
    program, size = training.plan.program, len(training.names)
    features = {}
    for i, name in enumerate(training.names):
        numbers = [float(weights[i + k * size]) for k in (0, 2, 1, 3)]
        # weights of the mean, not the sum
        numbers[2:] = [number * (training.plan.players - 1) for number in numbers[2:]]
        if any(round(number, 4) for number in numbers):
            features[name] = (round(numbers[0], 4), round(numbers[1], 4), round(numbers[2], 4), round(numbers[3], 4))
    return Weights(
        program.name,
        program.rules_hash,
        program.modules,
        training.clock.name if training.clock else "",
        training.clock_end,
        FeatureWeights(round(judge, 5), features),
        FeatureWeights(0.0, features),
        command,
        measured or {},
    )


def list_judge_weights(training: WeightTraining) -> list[float]:
    """Return the weights to try for the rules' own judgement, scaled to the features; [0] if rules have none."""
    plan = training.plan
    if plan.program.judge < 0:
        return [0.0]
    policy = build_policy(training, training.weights, judge=1e-4, random_permille=RANDOM_PERMILLE)
    part = _create_sampler(training, policy, 0)(0)
    scale = _import_regression().compute_judgement_scale(part, training.weights, training.clock_end)
    return [share * scale for share in JUDGE_SHARES]


def measure_policy(
    training: WeightTraining, policy: Policy, opponent: Policy, seed: int, on_progress: Callable[[], None]
) -> tuple[float, int]:
    """Return the win share of one seat with `policy` against `opponent` in all others, and the number of games."""
    plan = training.plan
    return measure_win_share(plan.program, [policy, *[opponent] * (plan.players - 1)], plan.matches, seed, on_progress)


def measure_win_share(
    program: Program,
    policies: Sequence[Policy],
    games: int,
    seed: int,
    on_progress: Callable[[], None] = lambda: None,
    settings: Mapping[str, int] | None = None,
) -> tuple[float, int]:
    """Return the win share of the first policy, while the policies rotate around the table, and the games.

    Args:
        program: The program.
        policies: The policy of each seat.
        games: The number of games, rounded down to the same number for each seat.
        seed: The seed of the first game; later games have the following ones.
        on_progress: Called after the games of each seat.
        settings: Checked values of settings.

    Returns:
        The share and the number of games.
    """
    players = len(policies)
    number, total = max(1, games // players), 0.0
    for seat in range(players):
        seated = [*policies[players - seat :], *policies[: players - seat]]
        first = seed + seat * number
        total += _import_regression().sum_win_shares(program, seated, range(first, first + number), seat, settings)
        on_progress()
    return total / (number * players), number * players


def select_judge_weight(training: WeightTraining, on_progress: Callable[[], None]) -> float:
    """Return the weight of the rules' own evaluation that does best against that evaluation alone."""
    seed = training.plan.seed + 10_000_000
    results = [
        (measure_policy(training, build_policy(training, training.weights, judge), GREEDY, seed, on_progress)[0], judge)
        for judge in list_judge_weights(training)
    ]
    return max(results)[1]


def find_clock(program: Program, players: int) -> tuple[StateVariable | None, int]:
    """Return the table's number that only grows during a game, and its greatest value; None if there is none."""
    best: tuple[int, StateVariable | None, int] = (1, None, 1)
    for variable, values in _record_random_game(program, players, list_clock_variables(program)):
        grows = all(a <= b for a, b in pairwise(values))
        if values and grows and values[0] >= 0 and len(set(values)) > best[0]:
            best = (len(set(values)), variable, max(values))
    return best[1], best[2]


def _record_random_game(
    program: Program, players: int, clocks: Sequence[StateVariable]
) -> list[tuple[StateVariable, list[int]]]:
    """Return the values of these variables at every question of a random game. Raises `RulesError` for a fault."""
    state, question_count = create_state(program, players, {}, logging=False), 0
    values: list[tuple[StateVariable, list[int]]] = [(variable, []) for variable in clocks]
    while run(program.code, state, [0]) == ASKING:
        for variable, series in values:
            series.append(state[variable.base])
        question_count += 1
        state[ANSWER] = draw(1, question_count, state[OPTIONS])
    if state[STATUS] != GAME_OVER:
        raise fault_error(program, state, FAULT_CONTEXT)
    return values


def _import_regression() -> Any:
    """Import the module that needs NumPy."""
    from edict.agents.bots import regression

    return regression
