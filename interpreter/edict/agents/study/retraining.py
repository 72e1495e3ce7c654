"""Retraining of the bots of a tuning: by rules with another number, a trained network may misjudge what it changes.

For each value, the network of `learned` is trained further by self-play with the rules of that value, and then plays
against itself as it was before. The change is large for it if the trained one wins more than its share, beyond chance:
then the old one left something on the table that a few thousand games teach, and its games would measure its habits.
Where it does not win more, the network as it was goes on playing: a short training by rules that it knows makes it
worse, not better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.agents.bots.bot_registry import LEARNED
from edict.agents.bots.networks import Network, load_network
from edict.agents.bots.self_play import PIECE_GAMES, SelfPlayPlan, SelfPlayTraining
from edict.agents.bots.weight_training import measure_win_share
from edict.agents.study.bot_games import GameSetup, StudyError
from edict.agents.study.inference import ALARM, Estimate, estimate_share
from edict.runtime.simulation import native
from edict.support.processes.distribution import ExecutorStarter, run_in_workers
from edict.support.records import dataclass

AUTO, ALWAYS, NEVER = RETRAINING_MODES = "auto", "always", "never"
TRAINING_GAMES = 4000  # of a value
ROUND_GAMES = 500  # of a round of training
TEST_GAMES = 1200  # of the trained network against the one before
MOST_VALUES = 8  # that are retrained by `auto`
SEED = 3 * 10**11  # of the first game of a training
TEST_SEED = 4 * 10**11


@dataclass(frozen=True, slots=True)
class Retraining:
    """The network of a value that was trained further, and its victories over the one before."""

    network: Network
    games: int
    wins: Estimate  # its share in percent, with all others as before
    even: float  # the share in percent that equal players have
    is_used: bool  # the games of the value are played by it


@dataclass(frozen=True, slots=True)
class RetrainingPiece:
    """A piece of work: the retraining for one value."""

    number: int  # of the value
    setup: GameSetup
    level: float  # confidence of the interval
    games: int
    test_games: int
    is_forced: bool  # the trained network is used in any case


def find_network(setup: GameSetup) -> Network | None:
    """Return the network by which `learned` plays in a setup; None without one, or if there are several."""
    kinds = {kind for kind in setup.bots if kind.partition("@")[0] == LEARNED}
    if len(kinds) != 1 or not setup.is_native or not native.is_available():
        return None
    return load_network(setup.program, kinds.pop().partition("@")[2])


def select_values(current: Sequence[int], values: Sequence[Sequence[int]], mode: str) -> list[int]:
    """Return the numbers of the values to retrain for: by `auto` others than the current one, the farthest first."""
    if mode == ALWAYS:
        return list(range(len(values)))
    numbers = [number for number, found in enumerate(values) if list(found) != list(current)]
    numbers.sort(key=lambda number: -_measure_change(current, values[number]))
    return sorted(numbers[:MOST_VALUES]) if mode == AUTO else []


def _measure_change(current: Sequence[int], values: Sequence[int]) -> float:
    """Return how much values differ from the current ones, in parts of these."""
    return sum(abs(value - now) / max(1, now) for value, now in zip(values, current, strict=True))


def retrain(
    pieces: Sequence[RetrainingPiece], start: ExecutorStarter, on_done: Callable[[int, Retraining], object]
) -> None:
    """Retrain for some values, in workers; `on_done` is called with the number of each and the result."""
    for piece, result in run_in_workers(play_retraining, pieces, start):
        on_done(piece.number, result)


def play_retraining(piece: RetrainingPiece) -> Retraining:
    """Train a network further and let it play against itself as it was. Raises `StudyError` without a network."""
    setup, network = piece.setup, find_network(piece.setup)
    if network is None:
        raise StudyError("no bot of this table has a network that could be trained", "give --bots learned")
    program, players, settings = setup.program, setup.players, dict(setup.settings)
    plan = SelfPlayPlan(
        program, (players,), piece.games, SEED, start=network, round_games=ROUND_GAMES, settings=setup.settings
    )
    training = SelfPlayTraining(plan)
    for _ in training.train():
        pass
    trained = training.network or network
    policies = [trained.to_policy(program, players), *[network.to_policy(program, players)] * (players - 1)]
    share, games = measure_win_share(program, policies, piece.test_games, TEST_SEED, settings=settings)
    wins = estimate_share(share * games, games, piece.level)
    percent = Estimate(100 * wins.value, 100 * wins.low, 100 * wins.high, games)
    is_used = piece.is_forced or percent.low > 100 / players
    return Retraining(trained, training.played, percent, 100 / players, is_used)


def create_pieces(setups: Sequence[GameSetup], numbers: Sequence[int], mode: str) -> list[RetrainingPiece]:
    """Return the retraining of the values with these numbers; their intervals hold together."""
    level = 1 - ALARM / max(1, len(numbers))
    games = max(PIECE_GAMES, TRAINING_GAMES)
    return [RetrainingPiece(n, setups[n], level, games, TEST_GAMES, mode == ALWAYS) for n in numbers]
