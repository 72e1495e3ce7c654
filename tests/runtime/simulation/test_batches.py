"""Games counted in native code and in plain Python, and spread over workers: always the same whole numbers."""

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
from edict.agents.bots.match import Match, laid
from edict.agents.bots.matches import course
from edict.agents.spaces.game_coding import coding
from edict.agents.study.bot_games import GameRange, Players, Setup, plan_of, play, seeds_of
from edict.agents.study.studying import Study
from edict.agents.study.totals import Sums, totalled
from edict.compiler.pipeline.compile import compile_rules
from edict.game.table.rules import load_rules
from edict.runtime.machine import loop
from edict.runtime.program import Program
from edict.runtime.program.beginning import first_state
from edict.runtime.program.opcodes import ANSWER, ASKING, GAME_OVER, OPTIONS, SEAT
from edict.runtime.simulation import native, plans, stepping
from edict.runtime.simulation.counters import CHOSEN, DRAWN, HELD, NAMED, SAID, SCORED
from edict.runtime.simulation.counting import count, planned
from edict.runtime.simulation.counting_layout import SHARE
from edict.runtime.simulation.plans import GREEDY, RANDOM, ROOM
from edict.support.processes.spreading import WorkerPool, alone, processes
from made import read_again

NATIVE = pytest.mark.skipif(not native.available(), reason="llvmlite is an extra, and not installed here")


def rules(name: str, *modules: str) -> Program:
    return compile_rules(name, modules).unwrap()


def pig(seed: int = 1, bots: int = 2) -> Setup:
    return Setup(rules("pig"), ("random",) * bots, (), seed)


# --- counting ---------------------------------------------------------------------------------


@NATIVE
@pytest.mark.parametrize(
    ("game", "modules", "players"),
    [("pig", (), 2), ("kuhn-poker", (), 2), ("kingsburg", (), 4), ("kingsburg", ("governors", "destiny"), 3)],
)
@pytest.mark.sample(2)
def test_native_counts_are_pythons(
    game: str, modules: tuple[str, ...], players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(rules(game, *modules), players)
    for policies in ([RANDOM] * players, [GREEDY] + [RANDOM] * (players - 1)):
        fast = count(plan, range(3), policies=policies, keep=True)
        with monkeypatch.context() as patch:
            patch.setattr(native, "available", lambda: False)
            slow = count(plan, range(3), policies=policies, keep=True)
        assert (fast.statuses, fast.heads, fast.sums) == (slow.statuses, slow.heads, slow.sums)
        assert native.integers(fast.rows).tolist() == slow.rows


@pytest.fixture(scope="module")
def base() -> tuple[Setup, Sums]:
    """A few games of the base rules, counted."""
    setup = Setup(rules("kingsburg"), ("random",) * 3, (), 5)
    return setup, Sums(plan_of(setup), totalled(setup, play(setup, GameRange(0, 12))))


def test_all_score_is_accounted_for(base: tuple[Setup, Sums]) -> None:
    """What the rules' events brought is the score, to the last point."""
    setup, sums = base
    for seat in range(3):
        scores = sum(score * often for score, often in sums.totals.scores[seat].items())
        brought = sum(sums.by_seat(n)[seat] for n, f in enumerate(plan_of(setup).features) if f.kind == SCORED)
        assert brought == scores


def test_what_brings_score_is_told_with_the_line_that_surely_does(base: tuple[Setup, Sums]) -> None:
    """Not with an earlier line of the same rule that takes goods of any sort, of which the score might be one."""
    scored = [f for f in plan_of(base[0]).features if f.kind == SCORED]
    places = {f.of: f.place.partition(":") for f in scored}
    for rule, score in (("construct", "gain worth of what point"), ("destroy-building", "lose worth of lost point")):
        file, _, line = places[rule]
        assert (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1].strip() == score
    assert len(places) == len(scored)


def test_what_is_counted_two_ways_agrees(base: tuple[Setup, Sums]) -> None:
    """Each choice of a thing is announced, each card drawn is revealed, in every seat and round alike."""
    setup, sums = base
    plan = plan_of(setup)
    pairs = (
        (CHOSEN, "Which building do you construct?", NAMED, "constructs [building]"),
        (DRAWN, "Which enemy is drawn?", NAMED, "The enemy is [enemy]"),
    )
    for kind, group, other, announced in pairs:
        for n, feature in enumerate(plan.features):
            twin = plan.numbered.get((other, announced, feature.option, feature.of))
            if (feature.kind, feature.group) == (kind, group) and twin is not None:
                assert sums.by_seat(n) == sums.by_seat(twin)
                assert sum(sums.by_round(n)) == sum(sums.by_seat(n))
                assert sums.offered(n) >= sum(sums.by_seat(n))


def test_wins_are_shared_out_and_bins_hold_every_seat(base: tuple[Setup, Sums]) -> None:
    setup, sums = base
    assert sum(sums.wins()) == sum(sums.wins_by_place()) == sums.totals.games == 12
    assert sum(sums.totals.sums[:3]) == 12 * SHARE
    for n, feature in enumerate(plan_of(setup).features):
        if feature.kind in (CHOSEN, HELD, SAID):
            assert sum(one.seats for one in sums.bins(n)) == 36
            assert all(0 <= one.wins <= one.seats for one in sums.bins(n))


def test_a_row_tells_the_game_that_was_played() -> None:
    """The head of a row against the same game played question by question."""
    setup = pig()
    seed = seeds_of(setup, GameRange(0, 1))[0]
    match = Match(laid(setup.program, 2), seed)
    for _, index in course(match, Players(setup.program, setup.bots).seats(seed)):
        match.answer(index)
    head = play(setup, GameRange(0, 1)).counted.heads[0]
    assert head[7:9] == list(match.scores())


# --- pieces of work ----------------------------------------------------------------------------


def test_games_have_seeds_of_their_own() -> None:
    setup = pig()
    assert seeds_of(setup, GameRange(0, 6))[3:] == seeds_of(setup, GameRange(3, 3))
    assert len(set(seeds_of(setup, GameRange(0, 1000)))) == 1000


@contextmanager
def threads() -> Iterator[WorkerPool]:
    with ThreadPoolExecutor(3) as pool:
        yield WorkerPool(pool, 3)


@pytest.mark.parametrize("start", [processes(2), threads], ids=["processes", "threads"])
def test_as_many_workers_as_one_likes(start: Callable[[], AbstractContextManager[WorkerPool]]) -> None:
    several, one = Study(pig(), 1700), Study(pig(), 1700)
    several.run(start, lambda done: None)
    one.run(alone, lambda done: None)
    assert several.totals == one.totals
    assert several.played == 1700


class Nobody:
    """Looks at games, and takes nothing down."""

    def begin(self, number: int, match: Match) -> None:
        pass

    def look(self, match: Match) -> None:
        pass

    def decided(self, match: Match, seat: int, index: int, values: Sequence[float] | None) -> None:
        pass


def test_games_are_the_same_whether_somebody_looks_at_them_or_not() -> None:
    seated = (("kuhn-poker", ("greedy", "random")), ("pig", ("random", "random")), ("pig", ("judge", "greedy")))
    for name, bots in seated:
        setup = Setup(load_rules(name).program, bots, (), 3)
        batch, watched = (play(setup, GameRange(2, 8), keep=True, observer=observer) for observer in (None, Nobody()))
        assert batch.counted.heads == watched.counted.heads
        assert batch.counted.sums == watched.counted.sums
        assert [list(row) for row in batch.counted.rows] == watched.counted.rows


def test_bots_that_think_in_python_play_too() -> None:
    """A kind that the machine has no policy for answers question by question, and is counted alike."""
    setup = Setup(load_rules("kuhn-poker").program, ("search@5", "random"), (), 3)
    played = [play(setup, GameRange(0, 5)).counted for _ in range(2)]
    assert played[0].sums == played[1].sums and any(played[0].sums)
    assert len(played[0].statuses) == 5


@NATIVE
def test_from_each_of_its_states_a_game_goes_on_as_it_does_in_plain_python() -> None:
    """What is asked, offered and seen there, and the scores; no state is overwritten by what follows it."""
    import numpy as np

    from edict.runtime.simulation.state_tree import Branching

    made, luck, kept = coding("pig", (), 2, None, "score"), Random(3), list[tuple[Any, list[int]]]()
    program, reads, size = made.program, made.observer.reads(2), made.observer.size
    branching, orders = Branching(program, 2, {}, made.actions.coded), plans.plan(program, [RANDOM] * 2)
    sight, view = branching.sight(reads, numbers := np.zeros(size, np.float32)), [0] * size
    state, status, seat, actions = branching.begun()
    cells, scores = first_state(program, 2, {}, logging=False), [0] * 2
    room = [[0] * len(cells) for _ in range(ROOM)]
    assert loop.run(program.code, cells, [0]) == status
    while status == ASKING:
        kept.append((state, cells.copy()))
        assert (seat, len(actions)) == (cells[SEAT], cells[OPTIONS])
        assert actions == (made.actions.offered(cells) if seat >= 0 else [*range(cells[OPTIONS])])
        for who in range(2):
            sight.see(state, who)
            stepping.seen_by(cells, reads, who, view)
            assert numbers.tolist() == view
        stepping.scored(program.code, cells, orders, room, scores)
        assert branching.scores(state) == scores
        cells[ANSWER] = luck.randrange(len(actions))
        state, status, seat, actions = branching.after(state, cells[ANSWER])
        assert loop.run(program.code, cells, [0]) == status
    assert (status, actions) == (GAME_OVER, []) and len(kept) > 20
    assert all(read_again(state.row.tolist()) == read_again(before) for state, before in kept)


@NATIVE
def test_what_is_played_an_answer_at_a_time_is_translated_when_that_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """After some thousands of answers; from then on it is looked after now and then, until there is nothing better."""
    from edict.runtime.simulation import played_code

    looks, best, answers = list[int](), [False], 0
    told = {"ready": lambda events: None, "prepare": lambda events: looks.append(answers)}
    fake = SimpleNamespace(row=(), settled=lambda events: best[0], **told)
    monkeypatch.setattr(played_code, "playable", lambda program: fake)
    code = played_code.PlayedCode(rules("pig"))
    for answers in range(8000):
        best[0] = answers > 6000
        code.plays(1)
    assert 4000 < looks[0] < 4400 and 6000 < looks[-1] < 6100 and 20 < len(looks) < 50
    looks.clear()
    played_code.PlayedCode(rules("pig")).plays(5000)
    assert len(looks) == 1, "many games side by side answer as often in one step"


@pytest.fixture
def unloaded() -> Iterator[None]:
    native._loads.cache_clear()
    yield
    native._loads.cache_clear()


@NATIVE
def test_what_cannot_be_loaded_is_done_without_and_said_once(
    unloaded: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(
        sys.modules, "edict.runtime.native.assembling", None
    )  # as where llvmlite's library is of another kind
    assert not native.available() and not native.available()
    (said,) = (record.getMessage() for record in caplog.records)
    assert said.startswith("Playing without native code, which is slower: import of ")
