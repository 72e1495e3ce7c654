"""Counted games, equal in native code, in plain Python and over any number of workers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from calling import ROOT
from edict.agents.bots.match import Match, create_bot_table
from edict.agents.bots.match_play import iter_answers
from edict.agents.spaces.game_encoding import encode_game
from edict.agents.study.bot_games import BotSeats, GameRange, GameSetup, derive_seeds, get_plan, play_range
from edict.agents.study.study_run import Study
from edict.agents.study.totals import FeatureSums, sum_games
from edict.compiler.pipeline.compile import compile_rules
from edict.game.table.rules import load_rules
from edict.runtime.machine import loop
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, GAME_OVER, OPTIONS, SEAT
from edict.runtime.simulation import native, plans, stepping
from edict.runtime.simulation.counters import CHOSEN, DRAWN, HELD, NAMED, SAID, SCORED
from edict.runtime.simulation.counting import count_games, plan_counting
from edict.runtime.simulation.counting_layout import SHARE
from edict.runtime.simulation.plans import GREEDY, RANDOM, SCRATCH_ROWS
from edict.support.processes.distribution import ManagedExecutor, process_starter, start_inline
from random_programs import mask_dead_cells

NATIVE = pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")


def load_program(name: str, *modules: str) -> Program:
    return compile_rules(name, modules).unwrap()


def setup_pig(seed: int = 1, bots: int = 2) -> GameSetup:
    return GameSetup(load_program("pig"), ("random",) * bots, (), seed)


# --- counting ---------------------------------------------------------------------------------


@NATIVE
@pytest.mark.parametrize(
    ("game", "modules", "players"),
    [("pig", (), 2), ("kuhn-poker", (), 2), ("kingsburg", (), 4), ("kingsburg", ("governors", "destiny"), 3)],
)
@pytest.mark.sample(2)
def test_native_counts_equal_python(
    game: str, modules: tuple[str, ...], players: int, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    plan = plan_counting(load_program(game, *modules), players)
    for policies in ([RANDOM] * players, [GREEDY] + [RANDOM] * (players - 1)):
        with subtests.test(policies=policies):
            fast = count_games(plan, range(3), policies=policies, keep=True)
            with monkeypatch.context() as patch:
                patch.setattr(native, "is_available", lambda: False)
                slow = count_games(plan, range(3), policies=policies, keep=True)
            assert (fast.statuses, fast.heads, fast.sums) == (slow.statuses, slow.heads, slow.sums)
            assert native.make_integers(fast.rows).tolist() == slow.rows


@pytest.fixture(scope="module")
def base() -> tuple[GameSetup, FeatureSums]:
    """A few games of the base rules, counted."""
    setup = GameSetup(load_program("kingsburg"), ("random",) * 3, (), 5)
    return setup, FeatureSums(get_plan(setup), sum_games(setup, play_range(setup, GameRange(0, 12))))


def test_score_features_sum_to_the_score(base: tuple[GameSetup, FeatureSums]) -> None:
    """The events of the rules must account for every point."""
    setup, sums = base
    for seat in range(3):
        scores = sum(score * often for score, often in sums.totals.scores[seat].items())
        brought = sum(
            sums.get_counts_by_seat(n)[seat] for n, f in enumerate(get_plan(setup).features) if f.kind == SCORED
        )
        assert brought == scores


def test_score_feature_has_the_line_that_certainly_scores(
    base: tuple[GameSetup, FeatureSums], subtests: pytest.Subtests
) -> None:
    """Not an earlier line of the same rule that takes any goods, one of which might be the score."""
    scored = [f for f in get_plan(base[0]).features if f.kind == SCORED]
    places = {f.of: f.place.partition(":") for f in scored}
    for rule, score in (("construct", "gain worth of what point"), ("destroy-building", "lose worth of lost point")):
        with subtests.test(rule=rule):
            file, _, line = places[rule]
            assert (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1].strip() == score
    assert len(places) == len(scored)


def test_equivalent_counts_agree(base: tuple[GameSetup, FeatureSums]) -> None:
    """Choices and announcements, draws and reveals, by seat and round."""
    setup, sums = base
    plan = get_plan(setup)
    pairs = (
        (CHOSEN, "Which building do you construct?", NAMED, "constructs [building]"),
        (DRAWN, "Which enemy is drawn?", NAMED, "The enemy is [enemy]"),
    )
    for kind, group, other, announced in pairs:
        for n, feature in enumerate(plan.features):
            twin = plan.feature_numbers.get((other, announced, feature.option, feature.of))
            if (feature.kind, feature.group) == (kind, group) and twin is not None:
                assert sums.get_counts_by_seat(n) == sums.get_counts_by_seat(twin)
                assert sum(sums.get_counts_by_round(n)) == sum(sums.get_counts_by_seat(n))
                assert sums.get_offer_count(n) >= sum(sums.get_counts_by_seat(n))


def test_wins_are_shared_and_bins_contain_every_seat(base: tuple[GameSetup, FeatureSums]) -> None:
    setup, sums = base
    assert sum(sums.wins()) == sum(sums.wins_by_place()) == sums.totals.games == 12
    assert sum(sums.totals.sums[:3]) == 12 * SHARE
    for n, feature in enumerate(get_plan(setup).features):
        if feature.kind in (CHOSEN, HELD, SAID):
            assert sum(one.seats for one in sums.bins(n)) == 36
            assert all(0 <= one.wins <= one.seats for one in sums.bins(n))


def test_row_head_describes_the_game() -> None:
    """Compare it with the same game played question by question."""
    setup = setup_pig()
    seed = derive_seeds(setup, GameRange(0, 1))[0]
    match = Match(create_bot_table(setup.program, 2), seed)
    for _, index in iter_answers(match, BotSeats(setup.program, setup.bots).create_seats(seed)):
        match.answer(index)
    head = play_range(setup, GameRange(0, 1)).counted.heads[0]
    assert list(get_plan(setup).row_layout.slice_of(head, "scores")) == list(match.scores())


# --- pieces of work ----------------------------------------------------------------------------


def test_games_have_distinct_seeds() -> None:
    setup = setup_pig()
    assert derive_seeds(setup, GameRange(0, 6))[3:] == derive_seeds(setup, GameRange(3, 3))
    assert len(set(derive_seeds(setup, GameRange(0, 1000)))) == 1000


@contextmanager
def start_threads() -> Iterator[ManagedExecutor]:
    with ThreadPoolExecutor(3) as pool:
        yield ManagedExecutor(pool, 3)


@pytest.mark.parametrize("start", [process_starter(2), start_threads], ids=["processes", "threads"])
def test_counts_do_not_depend_on_the_number_of_workers(
    start: Callable[[], AbstractContextManager[ManagedExecutor]],
) -> None:
    several, one = Study(setup_pig(), 1700), Study(setup_pig(), 1700)
    several.run(start, lambda done: None)
    one.run(start_inline, lambda done: None)
    assert several.totals == one.totals
    assert several.played_games == 1700


class SilentObserver:
    """An observer that records nothing."""

    def begin(self, number: int, match: Match) -> None:
        pass

    def look(self, match: Match) -> None:
        pass

    def record_decision(self, match: Match, seat: int, index: int, values: Sequence[float] | None) -> None:
        pass


def test_observer_does_not_change_games(subtests: pytest.Subtests) -> None:
    seated = (("kuhn-poker", ("greedy", "random")), ("pig", ("random", "random")), ("pig", ("judge", "greedy")))
    for name, bots in seated:
        with subtests.test(name=name):
            setup = GameSetup(load_rules(name).program, bots, (), 3)
            batch, watched = (
                play_range(setup, GameRange(2, 8), keep=True, observer=observer)
                for observer in (None, SilentObserver())
            )
            assert batch.counted.heads == watched.counted.heads
            assert batch.counted.sums == watched.counted.sums
            assert [list(row) for row in batch.counted.rows] == watched.counted.rows


def test_bots_without_native_policy_are_counted_alike() -> None:
    """They answer question by question."""
    setup = GameSetup(load_rules("kuhn-poker").program, ("search@5", "random"), (), 3)
    played = [play_range(setup, GameRange(0, 5)).counted for _ in range(2)]
    assert played[0].sums == played[1].sums and any(played[0].sums)
    assert len(played[0].statuses) == 5


@NATIVE
def test_state_tree_continues_like_plain_python() -> None:
    """Compare questions, options, observations and scores; no state may be overwritten."""
    import numpy as np

    from edict.runtime.simulation.state_tree import StateTree

    made, luck, kept = encode_game("pig", (), 2, None, "score"), Random(3), list[tuple[Any, list[int]]]()
    program, reads, size = made.program, made.observer.reads(2), made.observer.size
    branching, orders = StateTree(program, 2, {}, made.actions.table), plans.build_plan(program, [RANDOM] * 2)
    sight, view = branching.create_observation(reads, numbers := np.zeros(size, np.float32)), [0] * size
    state, status, seat, actions = branching.first_question()
    cells, scores = create_state(program, 2, {}, logging=False), [0] * 2
    room = [[0] * len(cells) for _ in range(SCRATCH_ROWS)]
    assert loop.run(program.code, cells, [0]) == status
    while status == ASKING:
        kept.append((state, cells.copy()))
        assert (seat, len(actions)) == (cells[SEAT], cells[OPTIONS])
        assert actions == (made.actions.list_option_actions(cells) if seat >= 0 else [*range(cells[OPTIONS])])
        for who in range(2):
            sight.observe(state, who)
            stepping.write_observation(cells, reads, who, view)
            assert numbers.tolist() == view
        stepping.compute_scores(program.code, cells, orders, room, scores)
        assert branching.compute_scores(state) == scores
        cells[ANSWER] = luck.randrange(len(actions))
        state, status, seat, actions = branching.apply(state, cells[ANSWER])
        assert loop.run(program.code, cells, [0]) == status
    assert (status, actions) == (GAME_OVER, []) and len(kept) > 20
    assert all(mask_dead_cells(state.row.tolist()) == mask_dead_cells(before) for state, before in kept)


@NATIVE
def test_adaptive_code_is_translated_after_many_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """It then polls now and then, until the optimized code is there."""
    from edict.runtime.simulation import state_tree

    looks, best, answers = list[int](), [False], 0
    told = {"refresh": lambda events: None, "start_translation": lambda events: looks.append(answers)}
    fake = SimpleNamespace(row=(), is_optimized=lambda events: best[0], **told)
    monkeypatch.setattr(state_tree, "get_native_program", lambda program: fake)
    code = state_tree.AdaptiveCode(load_program("pig"))
    for answers in range(8000):
        best[0] = answers > 6000
        code.count_answers(1)
    assert 4000 < looks[0] < 4400 and 6000 < looks[-1] < 6100 and 20 < len(looks) < 50
    looks.clear()
    state_tree.AdaptiveCode(load_program("pig")).count_answers(5000)
    assert len(looks) == 1, "many games side by side answer as often in one step"


@pytest.fixture
def unloaded() -> Iterator[None]:
    native._can_load.cache_clear()
    yield
    native._can_load.cache_clear()


@NATIVE
def test_unloadable_native_code_is_reported_once(
    unloaded: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(
        sys.modules, "edict.runtime.native.assembling", None
    )  # as where llvmlite's library is of another kind
    assert not native.is_available() and not native.is_available()
    (said,) = (record.getMessage() for record in caplog.records)
    assert said.startswith("Playing without native code, which is slower: import of ")
