"""Learning by self-play: what is noted of the games, what is fitted to it, and what it is measured against.

Nothing here plays long: where games are learned from, what they came to is written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from edict.agents.bots import self_play, weight_training
from edict.agents.bots.networks import Network, create_reader
from edict.agents.bots.plan_guides import build_random_guides
from edict.agents.bots.self_play import (
    FINE_TUNING_RATE,
    LEARNING_RATE,
    PositionSampler,
    SelfPlayPlan,
    SelfPlayTraining,
)
from edict.agents.bots.weight_training import ChoiceSampler, WeightTraining, WeightTrainingPlan, build_weights
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.program import Program
from edict.runtime.simulation import native
from edict.runtime.simulation.plans import GREEDY, RANDOM, Policy
from edict.support.report import RulesError
from helpers import compile_program, make_phase

np = pytest.importorskip("numpy")
if not native.is_available():
    pytest.skip("llvmlite is an extra, and not installed here", allow_module_level=True)

from edict.agents.bots import fitting, regression  # noqa: E402
from edict.agents.bots.fitting import FloatNetwork, Positions  # noqa: E402


def pig() -> Program:
    return compile_rules("pig", ()).unwrap()


def positions(rows: int, width: int = 3, seed: int = 1, noise: bool = False) -> Positions:
    """Positions that are worth twice their first feature less their second, or, with noise, nothing in particular."""
    luck = np.random.default_rng(seed)
    x = luck.integers(0, 9, (rows, width)).astype(np.float16)
    y = luck.standard_normal(rows) if noise else 2 * x[:, 0] - x[:, 1]
    return Positions(x, y.astype(np.float32))


# --- what is noted


@pytest.mark.parametrize(("players", "won", "lost"), [(2, 4.0, -4.0), (4, 6.0, -2.0)])
def test_victory_bonus_is_added_to_the_lead_relative_to_an_even_share(players: int, won: float, lost: float) -> None:
    program = pig()
    inputs = create_reader(program).inputs
    without, with_it = (
        fitting.collect_positions(program, [RANDOM] * players, range(6), create_reader(program), slice(0, 0), winning)
        for winning in (0.0, 8.0)
    )
    assert without.x.shape == (len(without.y), inputs) and (without.x == with_it.x).all()
    more = with_it.y - without.y
    assert set(np.round(more, 3)) == {won, lost}
    assert (without.y[more > 0] > 0).all(), "who wins at pig leads"


def test_shared_features_of_others_are_recorded_as_their_mean() -> None:
    program = pig()
    own = create_reader(program).inputs // 2
    sums, means = (
        fitting.collect_positions(program, [RANDOM] * 3, range(4), create_reader(program), shared, 8.0).x
        for shared in (slice(0, 0), slice(own, own + 1))
    )
    assert (sums[:, own] == 2 * means[:, own]).all() and sums[:, own].any()
    assert (np.delete(sums, own, 1) == np.delete(means, own, 1)).all()


def test_endless_game_raises_a_rules_error() -> None:
    endless = compile_program(make_phase("repeat until coin of you = 1", "  lose 1 coin"))
    for work, piece in ((ChoiceSampler(endless, 2, RANDOM), 0), (PositionSampler(endless, {2: RANDOM}, 8.0), (2, 0))):
        with pytest.raises(RulesError, match="would run for ever"):
            work(piece)  # type: ignore[arg-type]


# --- what is fitted to it


def test_fitting_explains_signal_and_not_noise() -> None:
    told = []
    for noise in (False, True):
        luck, part = fitting.create_rng(3), positions(500, noise=noise)
        layer = FloatNetwork.initialize(part, 4, luck)
        rounds = [layer.fit([part], 0.03, luck) for _ in range(150)]
        told.append((rounds[0], rounds[-1]))
    (before, after), (_, by_chance) = told
    assert before < 0.9 and after > 0.98 and by_chance < 0.3


def test_first_step_moves_each_weight_by_the_learning_rate() -> None:
    luck, part = fitting.create_rng(3), positions(400)
    layer = FloatNetwork(np.ones(3), np.full((3, 3), 0.1), np.ones(3), np.array([1.0, 0.5, -0.5]))
    weights = (layer.inner, layer.bias, layer.outer)
    before = [weight.copy() for weight in weights]
    first = layer.fit([part], 0.01, luck)
    moved = np.concatenate([abs(now - then).ravel() for now, then in zip(weights, before, strict=True)])
    assert np.allclose(moved, 0.01, rtol=1e-3)
    for _ in range(20):
        last = layer.fit([part], 0.01, luck)
    assert last > first


@pytest.mark.parametrize(("rows", "steps"), [([100], 1), ([4300], 1), ([9000], 2), ([100, 9000], 3)])
def test_number_of_steps_depends_on_the_number_of_positions(rows: list[int], steps: int) -> None:
    luck, parts = fitting.create_rng(3), [positions(many) for many in rows]
    layer = FloatNetwork.initialize(parts[0], 2, luck)
    layer.fit(parts, 0.01, luck)
    assert layer.steps == steps


def test_one_in_twenty_positions_is_held_out(subtests: pytest.Subtests) -> None:
    """One in twenty: whatever they came to, the same is learned."""
    part = positions(200)
    for changed, same in ((190, True), (189, False)):
        with subtests.test(changed=changed):
            learned = []
            for more in (0, 50):
                luck, outcomes = fitting.create_rng(3), part.y.copy()
                outcomes[changed:] += more
                layer = FloatNetwork.initialize(part, 3, luck)
                for _ in range(20):
                    layer.fit([Positions(part.x, outcomes)], 0.01, luck)
                learned.append(layer.to_integers())
            assert (learned[0] == learned[1]) == same


@pytest.mark.parametrize(
    ("most", "memory", "kept"),
    [(5, 10**6, [1, 2, 3]), (2, 10**6, [2, 3]), (5, 1200, [2, 3]), (5, 1199, [3]), (5, 1, [3])],
)
def test_only_the_latest_rounds_that_fit_are_kept(
    most: int, memory: int, kept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "MAX_BYTES", memory)
    rounds = [positions(100, seed=number) for number in (1, 2, 3)]  # 600 bytes each
    assert fitting.select_recent(rounds, most) == [rounds[number - 1] for number in kept]


# --- a course: rounds of games, and the network after each


def course_of(games: int, rows: int = 60, players: tuple[int, ...] = (2, 3), start: Network | None = None) -> Any:
    """A course whose games are not played: what they came to is made up. Gives it, the pieces, and who played them."""
    program, pieces, policies = pig(), list[list[Any]](), list[Any]()

    def spread(work: Callable[[Any], Any], some: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        pieces.append(list(some))
        policies.append(work.policies)  # type: ignore[attr-defined]
        return ((piece, positions(rows, create_reader(program).inputs, piece[1] % 97)) for piece in pieces[-1])

    course = SelfPlayTraining(SelfPlayPlan(program, players, games, seed=5, units=3, start=start))
    assert list(course.train(spread))[-1] == course.played
    return course, pieces, policies


@pytest.fixture
def small_rounds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Rounds of two hundred games; gives the rates that are fitted at."""
    rates, fit = list[float](), FloatNetwork.fit

    def noted(layer: FloatNetwork, parts: Sequence[Positions], rate: float, luck: Any) -> float:
        rates.append(rate)
        return fit(layer, parts, rate, luck)

    monkeypatch.setattr(self_play, "ROUND_GAMES", 200)
    monkeypatch.setattr(FloatNetwork, "fit", noted)
    return rates


def test_training_course_plays_no_game_twice(small_rounds: list[float]) -> None:
    course, pieces, _ = course_of(1000)
    assert course.played == 1000 and course.rounds == len(pieces) == 5
    seeds = [
        (players, first + i) for round_ in pieces for players, first in round_ for i in range(self_play.PIECE_GAMES)
    ]
    assert len(set(seeds)) == 1000 and {players for players, _ in seeds} == {2, 3}
    assert min(seed for _, seed in seeds) > 0 and len({seed for _, seed in seeds}) == 1000


def test_training_course_begins_with_greedy_and_continues_with_its_network(small_rounds: list[float]) -> None:
    course, _, policies = course_of(600)
    whims = [by_players[players].whim for by_players in policies for players in (2, 3)]
    assert set(whims) == {self_play.RANDOM_PERMILLE} and course.build_policies()[2].whim == 0
    assert [policy[2].net is None for policy in policies] == [True, False, False]
    assert policies[1][2] != policies[2][2] != course.build_policies(self_play.RANDOM_PERMILLE)[2]


def test_learning_rate_decreases_and_is_low_for_a_trained_network(small_rounds: list[float]) -> None:
    course, _, _ = course_of(800)
    assert np.allclose(small_rounds, [LEARNING_RATE * (left + 0.02) for left in (1, 0.75, 0.5, 0.25)])
    small_rounds.clear()
    on, _, policies = course_of(200, start=course.network)
    assert np.allclose(small_rounds, [FINE_TUNING_RATE * 1.02])
    assert policies[0][2].net is not None and len(on.network.weights) == len(course.network.weights)
    assert on.network != course.network


def test_one_player_explores_and_the_others_are_earlier_in_some_pieces() -> None:
    now, before = replace(GREEDY, whim=60), replace(GREEDY, whim=7)
    sampler = PositionSampler(pig(), {2: now}, 8.0, ({2: before},))
    seats = [sampler.seat_policies((2, self_play.PIECE_GAMES * number)) for number in range(16)]
    assert [number for number in range(16) if seats[number] != [now, now]] == [3, 7, 11, 15]
    assert seats[3] == [now, before] and seats[11] == [before, now]
    explorers = [[bool(policy.guides) for policy in policies] for policies in (seats[7], seats[15])]
    assert explorers == [[True, False], [False, True]]


def test_player_who_explores_avoids_the_half_of_the_options_that_is_not_preferred() -> None:
    program = compile_rules("kingsburg").unwrap()
    number = next(n for n, question in enumerate(program.questions) if question.kind == "building")
    buildings = len(program.kind_by_name["building"].things)
    masks = [[guide.options[number] for guide in build_random_guides(program, 1000 * seed)] for seed in range(40)]
    assert {preferred | avoided for preferred, avoided in masks} == {0, ((1 << buildings) - 1) << 1}
    assert not any(preferred & avoided for preferred, avoided in masks) and len({tuple(row) for row in masks}) > 10


@pytest.mark.parametrize(("rows", "rounds"), [(self_play.MIN_POSITIONS - 1, 0), (self_play.MIN_POSITIONS, 1)])
def test_round_of_few_positions_is_not_learned_from(rows: int, rounds: int) -> None:
    course, _, _ = course_of(50, rows, (2,))
    assert (course.played, course.rounds, course.network is None) == (50, rounds, not rounds)


# --- weights


def lesson(games: int = 50, **changes: Any) -> WeightTraining:
    """A lesson for three at pig, with a clock as a longer game might have."""
    program = pig()
    return replace(weight_training.start_training(WeightTrainingPlan(program, 3, games, 2, 12, 7)), **changes)


def test_weights_are_written_by_feature_for_oneself_and_the_mean_of_the_others() -> None:
    course = lesson()
    size = len(course.names)
    weights = np.arange(1.0, 4 * size + 1)
    weights[[1 + k * size for k in range(4)]] = 0.00002  # of the second feature
    written = build_weights(course, weights, 0.123456, "how", {"wins": 0.5})
    assert written.careful.features[course.names[0]] == (1, 1 + 2 * size, 2 * (1 + size), 2 * (1 + 3 * size))
    assert course.names[1] not in written.careful.features and len(written.careful.features) == size - 1
    assert (written.careful.judge, written.swift.judge) == (0.12346, 0.0)
    assert written.swift.features == written.careful.features
    assert (written.game, written.command, written.measured) == ("pig", "how", {"wins": 0.5})
    weights[1 + 3 * size] = 0.00006
    assert build_weights(course, weights, 0.0).careful.features[course.names[1]] == (0, 0.0, 0, 0.0001)


def test_regression_uses_differences_between_options_of_one_choice() -> None:
    """Two features, which count more as the game goes on; what a whole choice has in common says nothing."""
    luck = np.random.default_rng(4)
    features, clock = luck.integers(0, 9, (900, 2)), np.repeat(luck.integers(0, 11, 300), 3)
    groups = np.repeat(np.arange(1, 301), 3)
    luck_of_choice = np.repeat(luck.standard_normal(300) * 50, 3)
    leads = features @ [3.0, -1.0] + clock / 10 * (features @ [2.0, 4.0]) + luck_of_choice
    found = np.column_stack([features, clock, 5 * features[:, 0]])
    halves = [tuple(part[side] for part in (found, leads, groups)) for side in (slice(0, 450), slice(450, 900))]
    assert np.allclose(regression.fit_weights(halves, 10, 1e-6), [3, -1, 2, 4], atol=1e-3)
    assert np.allclose(abs(regression.fit_weights(halves, 10, 1e9)), 0, atol=1e-3), "a ridge holds weights down"
    spread = regression.compute_judgement_scale(halves[0], np.array([10.0, 0, 0, 0]), 10)
    assert spread == pytest.approx(2.0), "the rules judge half as widely"


def test_lesson_drops_its_first_round_after_the_second() -> None:
    """Its games were too wild; and no game is played twice."""
    course = replace(lesson(150), plan=replace(lesson(150).plan, rounds=3))
    pieces, tried = list[list[int]](), list[ChoiceSampler]()

    def spread(work: Any, some: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        pieces.append(list(some))
        tried.append(work)
        luck, width = np.random.default_rng(len(pieces)), len(course.names) * 2 + 2
        return (
            (piece, (luck.integers(0, 9, (30, width)), luck.standard_normal(30), np.repeat(np.arange(10), 3)))
            for piece in reversed(pieces[-1])
        )

    assert list(weight_training.train_weights(course, spread)) == [25, 50, 75, 100, 125, 150] and course.played == 150
    assert pieces == [[7, 32], [57, 82], [107, 132]]
    assert len(course.samples) == 4 and all(work.policy.whim == weight_training.RANDOM_PERMILLE for work in tried)
    assert tried[0].policy != tried[1].policy != tried[2].policy


# --- what it is measured against


@pytest.mark.parametrize("learned", [True, False], ids=["network", "weights"])
def test_policy_is_measured_in_every_seat_against_the_others(learned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    program, mine = pig(), replace(GREEDY, whim=3)
    asked = list[tuple[list[Policy], range, int]]()

    def victories(program: Program, policies: list[Policy], seeds: range, seat: int, settings: object) -> float:
        asked.append((policies, seeds, seat))
        return 1.0 + seat

    monkeypatch.setattr(regression, "sum_win_shares", victories)
    if learned:
        course = SelfPlayTraining(SelfPlayPlan(program, (3,), 50, seed=5))
        monkeypatch.setattr(SelfPlayTraining, "build_policies", lambda self: {3: mine})
        share = course.measure_win_shares(12)[3]
    else:
        told: list[int] = []
        share, games = weight_training.measure_policy(lesson(), mine, GREEDY, 1000, lambda: told.append(1))
        assert games == 12 and len(told) == 3
    assert share == (1 + 2 + 3) / 12
    assert [policies.index(mine) for policies, _, _ in asked] == [seat for _, _, seat in asked] == [0, 1, 2]
    assert all(policies.count(mine) == 1 for policies, _, _ in asked)
    assert len({seed for _, seeds, _ in asked for seed in seeds}) == 12


def test_judgement_weight_that_wins_most_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = {0.0: 0.4, 1.0: 0.6, 2.0: 0.5}
    monkeypatch.setattr(weight_training, "list_judge_weights", lambda course: list(shares))
    monkeypatch.setattr(weight_training, "build_policy", lambda course, swift, judge: judge)
    seeds = set[int]()

    def measured(course: WeightTraining, policy: Any, against: Policy, seed: int, tell: object) -> tuple[float, int]:
        assert against == GREEDY
        seeds.add(seed)
        return shares[policy], 12

    monkeypatch.setattr(weight_training, "measure_policy", measured)
    assert weight_training.select_judge_weight(lesson(), lambda: None) == 1.0
    (seed,) = seeds
    assert seed > lesson().plan.seed + lesson().plan.games, "in games of which nothing was learned"


def test_candidate_weights_of_a_judgement_scale_with_its_spread() -> None:
    course = lesson()
    course.weights = np.ones(4 * len(course.names))
    none, half, usual, twice = weight_training.list_judge_weights(course)
    assert (none, half, twice) == (0, usual / 2, usual * 2) and usual > 0
    poker = compile_rules("kuhn-poker", ()).unwrap()
    assert weight_training.list_judge_weights(
        weight_training.start_training(WeightTrainingPlan(poker, 2, 50, 1, 12, 7))
    ) == [0.0]
