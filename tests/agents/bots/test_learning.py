"""Learning by self-play: what is noted of the games, what is fitted to it, and what it is measured against.

Nothing here plays long: where games are learned from, what they came to is written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from edict.agents.bots import self_play, training
from edict.agents.bots.nets import Network, reading
from edict.agents.bots.self_play import GENTLE, RATE, CoursePlan, NotedGames, TrainingCourse
from edict.agents.bots.training import Lesson, LessonPlan, TrainingGames, weights_of
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.program import Program
from edict.runtime.simulation import native
from edict.runtime.simulation.plans import GREEDY, RANDOM, Policy
from edict.support.report import RulesError
from helpers import program, steps

np = pytest.importorskip("numpy")
if not native.is_available():
    pytest.skip("llvmlite is an extra, and not installed here", allow_module_level=True)

from edict.agents.bots import fitting, regression  # noqa: E402
from edict.agents.bots.fitting import Layer, Positions  # noqa: E402


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
def test_a_victory_counts_beside_the_lead_more_than_an_even_share(players: int, won: float, lost: float) -> None:
    program = pig()
    inputs = reading(program).inputs
    without, with_it = (
        fitting.positions(program, [RANDOM] * players, range(6), reading(program), slice(0, 0), winning)
        for winning in (0.0, 8.0)
    )
    assert without.x.shape == (len(without.y), inputs) and (without.x == with_it.x).all()
    more = with_it.y - without.y
    assert set(np.round(more, 3)) == {won, lost}
    assert (without.y[more > 0] > 0).all(), "who wins at pig leads"


def test_what_the_others_have_is_noted_as_their_mean() -> None:
    program = pig()
    own = reading(program).inputs // 2
    sums, means = (
        fitting.positions(program, [RANDOM] * 3, range(4), reading(program), shared, 8.0).x
        for shared in (slice(0, 0), slice(own, own + 1))
    )
    assert (sums[:, own] == 2 * means[:, own]).all() and sums[:, own].any()
    assert (np.delete(sums, own, 1) == np.delete(means, own, 1)).all()


def test_a_game_that_never_ends_is_a_fault_of_the_rules() -> None:
    endless = program(steps("repeat until coin of you = 1", "  lose 1 coin"))
    for work, piece in ((TrainingGames(endless, 2, RANDOM), 0), (NotedGames(endless, {2: RANDOM}, 8.0), (2, 0))):
        with pytest.raises(RulesError, match="would run for ever"):
            work(piece)  # type: ignore[arg-type]


# --- what is fitted to it


def test_fitting_explains_what_there_is_to_explain_and_no_more() -> None:
    told = []
    for noise in (False, True):
        luck, part = fitting.luck_of(3), positions(500, noise=noise)
        layer = Layer.fresh(part, 4, luck)
        rounds = [layer.fit([part], 0.03, luck) for _ in range(150)]
        told.append((rounds[0], rounds[-1]))
    (before, after), (_, by_chance) = told
    assert before < 0.9 and after > 0.98 and by_chance < 0.3


def test_the_first_step_moves_each_weight_by_the_rate_towards_less_error() -> None:
    luck, part = fitting.luck_of(3), positions(400)
    layer = Layer(np.ones(3), np.full((3, 3), 0.1), np.ones(3), np.array([1.0, 0.5, -0.5]))
    weights = (layer.inner, layer.bias, layer.outer)
    before = [weight.copy() for weight in weights]
    first = layer.fit([part], 0.01, luck)
    moved = np.concatenate([abs(now - then).ravel() for now, then in zip(weights, before, strict=True)])
    assert np.allclose(moved, 0.01, rtol=1e-3)
    for _ in range(20):
        last = layer.fit([part], 0.01, luck)
    assert last > first


@pytest.mark.parametrize(("rows", "steps"), [([100], 1), ([4300], 1), ([9000], 2), ([100, 9000], 3)])
def test_a_step_is_taken_for_so_many_positions(rows: list[int], steps: int) -> None:
    luck, parts = fitting.luck_of(3), [positions(many) for many in rows]
    layer = Layer.fresh(parts[0], 2, luck)
    layer.fit(parts, 0.01, luck)
    assert layer.steps == steps


def test_some_positions_of_the_last_round_are_kept_to_measure_by() -> None:
    """One in twenty: whatever they came to, the same is learned."""
    part = positions(200)
    for changed, same in ((190, True), (189, False)):
        learned = []
        for more in (0, 50):
            luck, outcomes = fitting.luck_of(3), part.y.copy()
            outcomes[changed:] += more
            layer = Layer.fresh(part, 3, luck)
            for _ in range(20):
                layer.fit([Positions(part.x, outcomes)], 0.01, luck)
            learned.append(layer.whole())
        assert (learned[0] == learned[1]) == same


@pytest.mark.parametrize(
    ("most", "memory", "kept"),
    [(5, 10**6, [1, 2, 3]), (2, 10**6, [2, 3]), (5, 1200, [2, 3]), (5, 1199, [3]), (5, 1, [3])],
)
def test_the_last_rounds_are_learned_from(
    most: int, memory: int, kept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "MOST_BYTES", memory)
    rounds = [positions(100, seed=number) for number in (1, 2, 3)]  # 600 bytes each
    assert fitting.kept(rounds, most) == [rounds[number - 1] for number in kept]


# --- a course: rounds of games, and the network after each


def course_of(games: int, rows: int = 60, players: tuple[int, ...] = (2, 3), start: Network | None = None) -> Any:
    """A course whose games are not played: what they came to is made up. Gives it, the pieces, and who played them."""
    program, pieces, policies = pig(), list[list[Any]](), list[Any]()

    def spread(work: Callable[[Any], Any], some: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        pieces.append(list(some))
        policies.append(work.policies)  # type: ignore[attr-defined]
        return ((piece, positions(rows, reading(program).inputs, piece[1] % 97)) for piece in pieces[-1])

    course = TrainingCourse(CoursePlan(program, players, games, seed=5, units=3, start=start))
    assert list(course.learn(spread))[-1] == course.played
    return course, pieces, policies


@pytest.fixture
def small_rounds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Rounds of two hundred games; gives the rates that are fitted at."""
    rates, fit = list[float](), Layer.fit

    def noted(layer: Layer, parts: Sequence[Positions], rate: float, luck: Any) -> float:
        rates.append(rate)
        return fit(layer, parts, rate, luck)

    monkeypatch.setattr(self_play, "ROUND", 200)
    monkeypatch.setattr(Layer, "fit", noted)
    return rates


def test_no_game_is_played_twice_in_a_course(small_rounds: list[float]) -> None:
    course, pieces, _ = course_of(1000)
    assert course.played == 1000 and course.rounds == len(pieces) == 5
    seeds = [(players, first + i) for round_ in pieces for players, first in round_ for i in range(self_play.CHUNK)]
    assert len(set(seeds)) == 1000 and {players for players, _ in seeds} == {2, 3}
    assert min(seed for _, seed in seeds) > 0 and len({seed for _, seed in seeds}) == 1000


def test_a_course_begins_with_greedy_and_goes_on_with_what_it_learned(small_rounds: list[float]) -> None:
    course, _, policies = course_of(600)
    whims = [by_players[players].whim for by_players in policies for players in (2, 3)]
    assert set(whims) == {self_play.WHIM} and course.policies()[2].whim == 0
    assert [policy[2].net is None for policy in policies] == [True, False, False]
    assert policies[1][2] != policies[2][2] != course.policies(self_play.WHIM)[2]


def test_steps_grow_smaller_and_are_gentle_for_what_has_learned_before(small_rounds: list[float]) -> None:
    course, _, _ = course_of(800)
    assert np.allclose(small_rounds, [RATE * (left + 0.02) for left in (1, 0.75, 0.5, 0.25)])
    small_rounds.clear()
    on, _, policies = course_of(200, start=course.network)
    assert np.allclose(small_rounds, [GENTLE * 1.02])
    assert policies[0][2].net is not None and len(on.network.weights) == len(course.network.weights)
    assert on.network != course.network


@pytest.mark.parametrize(("rows", "rounds"), [(self_play.FEWEST - 1, 0), (self_play.FEWEST, 1)])
def test_a_round_of_few_positions_teaches_nothing(rows: int, rounds: int) -> None:
    course, _, _ = course_of(50, rows, (2,))
    assert (course.played, course.rounds, course.network is None) == (50, rounds, not rounds)


# --- weights


def lesson(games: int = 50, **changes: Any) -> Lesson:
    """A lesson for three at pig, with a clock as a longer game might have."""
    program = pig()
    return replace(training.lesson(LessonPlan(program, 3, games, 2, 12, 7)), **changes)


def test_weights_are_written_by_feature_for_oneself_and_the_mean_of_the_others() -> None:
    course = lesson()
    size = len(course.names)
    weights = np.arange(1.0, 4 * size + 1)
    weights[[1 + k * size for k in range(4)]] = 0.00002  # of the second feature
    written = weights_of(course, weights, 0.123456, "how", {"wins": 0.5})
    assert written.careful.features[course.names[0]] == (1, 1 + 2 * size, 2 * (1 + size), 2 * (1 + 3 * size))
    assert course.names[1] not in written.careful.features and len(written.careful.features) == size - 1
    assert (written.careful.judge, written.swift.judge) == (0.12346, 0.0)
    assert written.swift.features == written.careful.features
    assert (written.game, written.command, written.measured) == ("pig", "how", {"wins": 0.5})
    weights[1 + 3 * size] = 0.00006
    assert weights_of(course, weights, 0.0).careful.features[course.names[1]] == (0, 0.0, 0, 0.0001)


def test_weights_follow_from_differences_between_options_of_one_choice() -> None:
    """Two features, which count more as the game goes on; what a whole choice has in common says nothing."""
    luck = np.random.default_rng(4)
    features, clock = luck.integers(0, 9, (900, 2)), np.repeat(luck.integers(0, 11, 300), 3)
    groups = np.repeat(np.arange(1, 301), 3)
    luck_of_choice = np.repeat(luck.standard_normal(300) * 50, 3)
    leads = features @ [3.0, -1.0] + clock / 10 * (features @ [2.0, 4.0]) + luck_of_choice
    found = np.column_stack([features, clock, 5 * features[:, 0]])
    halves = [tuple(part[side] for part in (found, leads, groups)) for side in (slice(0, 450), slice(450, 900))]
    assert np.allclose(regression.fitted(halves, 10, 1e-6), [3, -1, 2, 4], atol=1e-3)
    assert np.allclose(abs(regression.fitted(halves, 10, 1e9)), 0, atol=1e-3), "a ridge holds weights down"
    spread = regression.spreads(halves[0], np.array([10.0, 0, 0, 0]), 10)
    assert spread == pytest.approx(2.0), "the rules judge half as widely"


def test_the_first_round_of_a_lesson_is_forgotten_after_the_second() -> None:
    """Its games were too wild; and no game is played twice."""
    course = replace(lesson(150), wanted=replace(lesson(150).wanted, rounds=3))
    pieces, tried = list[list[int]](), list[TrainingGames]()

    def spread(work: Any, some: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        pieces.append(list(some))
        tried.append(work)
        luck, width = np.random.default_rng(len(pieces)), len(course.names) * 2 + 2
        return (
            (piece, (luck.integers(0, 9, (30, width)), luck.standard_normal(30), np.repeat(np.arange(10), 3)))
            for piece in reversed(pieces[-1])
        )

    assert list(training.learn(course, spread)) == [25, 50, 75, 100, 125, 150] and course.played == 150
    assert pieces == [[7, 32], [57, 82], [107, 132]]
    assert len(course.parts) == 4 and all(work.policy.whim == training.WHIM for work in tried)
    assert tried[0].policy != tried[1].policy != tried[2].policy


# --- what it is measured against


@pytest.mark.parametrize("learned", [True, False], ids=["network", "weights"])
def test_one_seat_is_measured_against_all_others_going_round_the_table(
    learned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, mine = pig(), replace(GREEDY, whim=3)
    asked = list[tuple[list[Policy], range, int]]()

    def victories(program: Program, policies: list[Policy], seeds: range, seat: int) -> float:
        asked.append((policies, seeds, seat))
        return 1.0 + seat

    monkeypatch.setattr(regression, "victories", victories)
    if learned:
        course = TrainingCourse(CoursePlan(program, (3,), 50, seed=5))
        monkeypatch.setattr(TrainingCourse, "policies", lambda self: {3: mine})
        share = course.wins(12)[3]
    else:
        told: list[int] = []
        share, games = training.measured(lesson(), mine, GREEDY, 1000, lambda: told.append(1))
        assert games == 12 and len(told) == 3
    assert share == (1 + 2 + 3) / 12
    assert [policies.index(mine) for policies, _, _ in asked] == [seat for _, _, seat in asked] == [0, 1, 2]
    assert all(policies.count(mine) == 1 for policies, _, _ in asked)
    assert len({seed for _, seeds, _ in asked for seed in seeds}) == 12


def test_the_judgement_that_wins_most_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = {0.0: 0.4, 1.0: 0.6, 2.0: 0.5}
    monkeypatch.setattr(training, "judge_weights", lambda course: list(shares))
    monkeypatch.setattr(training, "policy_of", lambda course, swift, judge: judge)
    seeds = set[int]()

    def measured(course: Lesson, policy: Any, against: Policy, seed: int, tell: object) -> tuple[float, int]:
        assert against == GREEDY
        seeds.add(seed)
        return shares[policy], 12

    monkeypatch.setattr(training, "measured", measured)
    assert training.chosen_judge(lesson(), lambda: None) == 1.0
    (seed,) = seeds
    assert seed > lesson().wanted.seed + lesson().wanted.games, "in games of which nothing was learned"


def test_the_judgement_of_rules_that_have_one_is_weighed_by_how_widely_it_judges() -> None:
    course = lesson()
    course.swift = np.ones(4 * len(course.names))
    none, half, usual, twice = training.judge_weights(course)
    assert (none, half, twice) == (0, usual / 2, usual * 2) and usual > 0
    poker = compile_rules("kuhn-poker", ()).unwrap()
    assert training.judge_weights(training.lesson(LessonPlan(poker, 2, 50, 1, 12, 7))) == [0.0]
