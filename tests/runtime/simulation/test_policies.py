"""Policies in the native loop, equal to plain Python over whole games, without access to secrets."""

from __future__ import annotations

from operator import mul
from random import Random

import pytest

from edict.agents.bots import BOTS
from edict.agents.bots.features import list_clock_variables, list_player_features
from edict.compiler.pipeline.compile import compile_rules
from edict.game.table.knowledge import Secrets, run_query
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, CHANCE, GAME_OVER, HEADER, OPTIONS, SEAT, STATUS, WINNERS
from edict.runtime.simulation import native, plans, policies, sampling

needs_llvmlite = pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
G, R = plans.GREEDY, plans.RANDOM


def create_weights(program: Program) -> plans.Policy:
    """Return weights by which own resources are good and others' bad, more so later in the game."""
    terms = [
        plans.FeatureTerm(plans.NUMBER, v.base, 1, ((3 + i, 1, -1, -i),))
        for i, v in enumerate(program.variables)
        if v.resource
    ]
    return plans.weights_policy(plans.LinearJudgement(tuple(terms)))


SETS: list[tuple[str, tuple[str, ...], int]] = [
    ("pig", (), 2),
    ("kuhn-poker", (), 2),
    ("kingsburg", (), 4),
    ("kingsburg", ("governors", "destiny"), 3),
]


@needs_llvmlite
@pytest.mark.parametrize(("game", "modules", "players"), SETS)
@pytest.mark.sample(2)
def test_native_policies_equal_python(
    game: str, modules: tuple[str, ...], players: int, subtests: pytest.Subtests
) -> None:
    program = compile_rules(game, modules).unwrap()
    played_out = plans.Policy(plans.BY_RULES, budget=4, playouts=2, horizon=3)
    mixed = [G, R, played_out, create_weights(program), plans.Policy(plans.BY_RULES, budget=20, whim=300)] * 2
    seats = mixed[:players] if game == "kingsburg" else mixed[1 : players + 1]
    seeds = [1, 2]
    ends, counts = native.play_batch(program, players, seeds, policies=seats)
    for row, seed in enumerate(seeds):
        with subtests.test(seed=seed):
            state, asked = native.play_one(program, players, seed, policies=seats)
            assert ends[row][STATUS] == state[STATUS] == GAME_OVER
            assert (int(counts[row]), ends[row][HEADER:].tolist()) == (asked, state[HEADER:])


@pytest.mark.parametrize(("game", "modules", "players"), SETS)
def test_weights_use_the_described_features(game: str, modules: tuple[str, ...], players: int) -> None:
    """Weights are learned from descriptions and used without them, so both must read the same features."""
    program = compile_rules(game, modules).unwrap()
    luck = Random(4)

    def four() -> tuple[int, int, int, int]:
        return luck.randrange(-99, 99), luck.randrange(-99, 99), luck.randrange(-99, 99), luck.randrange(-99, 99)

    terms = tuple(
        plans.FeatureTerm(place.shape, place.base, place.step, tuple(four() for _ in place.names))
        for place in list_player_features(program)
    )
    clock, end = (next((v.base for v in list_clock_variables(program)), 0), 5)
    linear = plans.LinearJudgement(terms, clock=clock, end=end)
    plan = plans.build_plan(program, [plans.weights_policy(linear)] * players)
    own, change, theirs, their_change = zip(*(n for term in terms for n in term.weights), strict=True)
    state = create_state(program, players, {}, logging=False)
    found, compared = [0] * (2 * len(own) + 2), set()
    while run(program.code, state, [0]) == ASKING:
        for seat in range(players):
            sampling.describe_position(program.code, state, plan, plan[plans.SEATS], seat, found, [0])
            now = max(0, min(found[-2], end)) if clock else 0
            mine, others = found[: len(own)], found[len(own) : -2]
            early = sum(map(mul, mine, own)) + sum(map(mul, others, theirs))
            late = sum(map(mul, mine, change)) + sum(map(mul, others, their_change))
            expected = early * end + late * now
            assert policies.evaluate_weights(state, plan, plan[plans.SEATS], seat) == expected
            compared.add(expected)
        state[ANSWER] = luck.randrange(state[OPTIONS])
    assert len(compared) > 5


@needs_llvmlite
def test_random_policies_play_like_no_policies(subtests: pytest.Subtests) -> None:
    program = compile_rules("kingsburg").unwrap()
    alone, _ = native.play_batch(program, 3, [4, 5])
    whim = plans.Policy(plans.BY_RULES, whim=1000)
    for seats in ([R, R, R], [whim, R, whim]):
        with subtests.test(seats=seats):
            ends, _ = native.play_batch(program, 3, [4, 5], policies=seats)
            assert ends[:, HEADER:].tolist() == alone[:, HEADER:].tolist()


@needs_llvmlite
def test_greedy_beats_random_in_the_native_loop() -> None:
    program = compile_rules("kingsburg").unwrap()
    ends, _ = native.play_batch(program, 4, range(40), policies=[R, R, G, R])
    assert sum(int(won) == 0b100 for won in ends[:, WINNERS]) >= 36


def evaluate_options(program: Program, state: list[int], seat: int, budget: int) -> list[int]:
    """Return the value of each option by the rules' judgement; a choice is complete when others are asked."""
    judge, found = program.score if program.judge < 0 else program.judge, []
    share = budget // state[OPTIONS]
    for index in range(state[OPTIONS]):
        after = state.copy()
        after[ANSWER] = index
        status = run(program.code, after, [0])
        if status == ASKING and after[SEAT] == seat and after[OPTIONS] <= share:
            found.append(max(evaluate_options(program, after, seat, share)))
        else:
            value = run_query(program, after, judge, seat) if status in (ASKING, GAME_OVER) else None
            found.append(plans.WORST if value is None else value)
    return found


def test_look_ahead_equals_evaluation_of_each_option() -> None:
    program = compile_rules("kingsburg", ("governors", "destiny")).unwrap()
    plan, secrets = plans.build_plan(program, [G] * 3), Secrets.from_program(program)
    state, log = create_state(program, 3, {}, logging=False), [0]
    room = [[0] * len(state) for _ in range(plans.SCRATCH_ROWS)]
    compared = 0
    for number in range(1, 80):
        assert run(program.code, state, log) == ASKING
        state[ANSWER] = policies.choose(program.code, state, plan, room, 7, number)
        if state[SEAT] != CHANCE:
            found = room[plans.VALUES][: state[OPTIONS]]
            known = secrets.mask_state(state, state[SEAT])
            assert found == evaluate_options(program, known, state[SEAT], plans.DEFAULT_BUDGET)
            assert found[state[ANSWER]] == max(found)
            compared += 1
    assert compared > 25


def test_number_of_policies_must_equal_seats() -> None:
    program = compile_rules("pig").unwrap()
    with pytest.raises(ValueError, match="2 seats and 1 policies"):
        native.play_one(program, 2, 1, policies=[R])


def test_table_bot_and_policy_agree_without_ties() -> None:
    program = compile_rules("kingsburg").unwrap()
    plan = plans.build_plan(program, [G] * 3)
    state, log = create_state(program, 3, {}, logging=False), [0]
    room = [[0] * len(state) for _ in range(plans.SCRATCH_ROWS)]
    bot = BOTS["judge"](program, 1)
    for number in range(1, 100):
        assert run(program.code, state, log) == ASKING
        state[ANSWER] = policies.choose(program.code, state, plan, room, 3, number)
        values = room[plans.VALUES][: state[OPTIONS]]
        if state[SEAT] != CHANCE and values.count(max(values)) == 1:
            assert bot.pick(state.copy()) == state[ANSWER]
