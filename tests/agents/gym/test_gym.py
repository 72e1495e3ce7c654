"""Environments of PettingZoo and Gymnasium: their own checks, and what a seat must not see."""

from __future__ import annotations

import pickle
from copy import deepcopy
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from edict.agents.spaces.action_space import ActionSpace
from edict.agents.spaces.observation_space import ObservationSpace
from edict.game.table.belief import History
from edict.game.table.game_errors import GameError
from edict.game.table.rules import load_rules
from edict.runtime.machine.encoding import narrow_options
from edict.runtime.machine.loop import LONGEST, PUTTING, run
from edict.runtime.program import create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, CHANCE, FIRST_OPTION, OPTIONS, SEAT, TOTAL
from edict.runtime.simulation import native

pytest.importorskip("gymnasium", reason="Gymnasium is an extra (gym), and not installed here")
pytest.importorskip("pettingzoo", reason="PettingZoo is an extra (gym), and not installed here")
if not native.is_available():
    pytest.skip("llvmlite is an extra (gym), and not installed here", allow_module_level=True)

from pettingzoo import ParallelEnv

from edict import gym

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("kuhn-poker", {}),
    ("pig", {"players": 3, "settings": {"goal": 20}}),
    ("kingsburg", {"players": 3, "modules": ("governors", "destiny")}),
]


@pytest.mark.filterwarnings("ignore:.*infinity")
@pytest.mark.parametrize(("game", "options"), GAMES)
def test_environments_pass_the_checks_of_pettingzoo(game: str, options: dict[str, Any]) -> None:
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    api_test(gym.env(game, **options), num_cycles=40)
    api_test(gym.raw_env(game, **options), num_cycles=40)
    seed_test(partial(gym.env, game, **options), num_cycles=20)
    parallel_api_test(gym.parallel_env(game, **options), num_cycles=40)
    parallel_seed_test(partial(gym.parallel_env, game, max_cycles=30, **options))


def test_environments_are_truncated_after_max_cycles() -> None:
    """PettingZoo's test wants every agent to act in each cycle, so its AEC half is played on the parallel one."""
    from pettingzoo.test import max_cycles_test

    from edict.agents.gym import parallel

    options = {"rules": "kingsburg", "players": 3}
    max_cycles_test(
        SimpleNamespace(env=partial(parallel.env, **options), parallel_env=partial(gym.parallel_env, **options))
    )
    env = gym.raw_env("pig", players=2, max_cycles=3)
    env.reset(seed=1)
    for _ in range(3):
        assert not any(env.truncations.values())
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert all(env.truncations.values()) and not any(env.terminations.values())


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("game", "bots"), [("pig", "random"), ("kuhn-poker", ["judge"]), ("kingsburg", ["greedy", "random"])]
)
def test_seat_environment_passes_the_checks_of_gymnasium(game: str, bots: Any) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(gym.SeatEnv(game, bots=bots), skip_render_check=True)
    check_env(gym.SeatEnv(game, bots=bots, seat=1), skip_render_check=True)


def test_rewards_of_a_whole_game_sum_to_zero(subtests: pytest.Subtests) -> None:
    env, luck = gym.env("kingsburg", players=3), Random(2)
    env.reset(seed=5)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        with subtests.test(agent=agent):
            seen, reward, over, cut, _ = env.last()
            total[agent] += reward
            allowed = [action for action, mask in enumerate(seen["action_mask"]) if mask]
            assert bool(allowed) != (over or cut)
            env.step(luck.choice(allowed) if allowed else None)
    assert max(total.values()) > 0 and sum(total.values()) == pytest.approx(0)


def test_seat_gets_the_reward_of_its_own_score(subtests: pytest.Subtests) -> None:
    """And not for another's: its score is above the others' or below, as the result says of its name."""
    luck, paid = Random(3), set[float]()
    for seat in (0, 1, 2, None):
        with subtests.test(seat=seat):
            env = gym.SeatEnv("pig", bots=["random", "random"], seat=seat, reward="score")
            for seed in range(2):
                seen, _ = env.reset(seed=seed)
                over, reward = False, 0.0
                while not over:
                    assert reward == 0, "nothing is paid before the end"
                    seen, reward, over, _, _ = env.step(luck.choice(seen["action_mask"].nonzero()[0]))
                scores = env._game.scores()
                assert len(set(scores)) == 3, "else another's reward would do as well"
                assert reward == pytest.approx(scores[env.seat] - sum(scores) / 3)
                paid.add(reward)
    assert len(paid) > 1
    for kind in ("raw_env", "parallel_env"):
        with subtests.test(kind=kind):
            env, rewards = getattr(gym, kind)("pig", players=3, reward="score"), dict[str, float]()
            env.reset(seed=2)
            while not rewards:
                play = env._play
                masks = play.observe(play.seat)["action_mask"].nonzero()[0]
                if kind == "raw_env":
                    env.step(masks[-1])
                    told = dict(env.rewards)
                else:
                    told = env.step(dict.fromkeys(env.agents, masks[-1]))[1]
                assert play.is_over or not any(told.values()), "nothing is paid before the end"
                rewards = told if play.is_over else {}
            scores = play.scores()
            assert len(set(scores)) == 3, "else another's reward would do as well"
            assert list(rewards) == env.possible_agents
            assert list(rewards.values()) == pytest.approx([score - sum(scores) / 3 for score in scores])


KINDS: dict[str, dict[str, Any]] = {
    "raw_env": {"players": 2},
    "parallel_env": {"players": 2},
    "SeatEnv": {"bots": ["random"], "seat": 0},
}


def get_played_game(env: Any) -> Any:
    return env._game if isinstance(env, gym.SeatEnv) else env._play


def act(env: Any) -> None:
    """Take the last action that is offered to the seat that is asked."""
    played = get_played_game(env)
    action = played.observe(played.seat)["action_mask"].nonzero()[0][-1]
    env.step(dict.fromkeys(env.agents, action) if isinstance(env, ParallelEnv) else action)


def test_only_human_render_mode_prints_the_table_after_each_step(capsys: Any, subtests: pytest.Subtests) -> None:
    for kind, options in KINDS.items():
        for mode in (None, "ansi", "human"):
            with subtests.test(mode=mode):
                env = getattr(gym, kind)("pig", render_mode=mode, **options)
                env.reset(seed=1)
                capsys.readouterr()
                act(env)
                table = get_played_game(env).render_text()
                assert capsys.readouterr().out == (f"{table}\n" if mode == "human" else ""), (kind, mode)
                assert env.render() == (table if mode != "human" else None), (kind, mode)


def test_ansi_rendering_includes_grids() -> None:
    env, luck = gym.raw_env("kingsburg", players=2, render_mode="ansi"), Random(1)
    env.reset(seed=1)
    assert "\nProvinces of player_0: -\nProvinces of player_1: -\n" in str(env.render())
    for _ in range(60):
        env.step(luck.choice(env.observe(env.agent_selection)["action_mask"].nonzero()[0]))
    built = {line for line in str(env.render()).split("\n") if line.startswith("Provinces of")}
    titles = {building for line in built for building in line.partition(": ")[2].split(", ")}
    assert len(built) == 2 and len(titles) > 2, built


def test_action_mask_space_is_binary(subtests: pytest.Subtests) -> None:
    for kind in ("raw_env", "parallel_env"):
        env = getattr(gym, kind)("pig", players=2)
        for agent in env.possible_agents:
            with subtests.test(agent=agent):
                mask = env.observation_space(agent)["action_mask"]
                assert (set(mask.low.tolist()), set(mask.high.tolist())) == ({0}, {1})
                assert mask.shape == (env.action_space(agent).n,)


def test_illegal_action_loses_or_raises() -> None:
    env = gym.env("kuhn-poker")
    env.reset(seed=1)
    loser, call = env.agent_selection, env.unwrapped.coding.actions.numbers["answer: call"]
    env.step(call)
    assert env.rewards[loser] == -1 and all(env.terminations.values())
    raw = gym.raw_env("kuhn-poker")
    raw.reset(seed=1)
    with pytest.raises(GameError, match=f"the action {call} is not offered to player_"):
        raw.step(call)
    seat = gym.SeatEnv("kuhn-poker", bots=["random"], seat=0)
    seen, info = seat.reset(seed=1)
    assert info == {"illegal": False} and seat.action_masks().sum() == seen["action_mask"].sum() > 0
    assert seat.step(call)[4] == {"illegal": True}
    parallel = gym.parallel_env("kuhn-poker")
    assert {one.action_name(call) for one in (raw, seat, parallel)} == {"answer: call"}
    assert parallel.action_name(parallel.action_space("player_0").n - 1) == "wait"
    seen, _ = parallel.reset(seed=1)
    asked = parallel._play.seat
    waits = {agent: (one["action_mask"][-1], one["action_mask"][:-1].any()) for agent, one in seen.items()}
    assert waits == {f"player_{asked}": (0, True), f"player_{1 - asked}": (1, False)}, "who is not asked can only wait"


@pytest.mark.parametrize("kind", KINDS)
def test_copied_and_pickled_environments_are_independent(kind: str, subtests: pytest.Subtests) -> None:
    env = getattr(gym, kind)("pig", **KINDS[kind])

    def seen(of: Any) -> Any:
        return get_played_game(of).observe(0)["observation"].tolist()

    def line(of: Any) -> list[Any]:
        return [(act(of), seen(of)) for _ in range(4)]  # type: ignore[func-returns-value]

    env.reset(seed=1)
    act(env)
    before, others = seen(env), [deepcopy(env), pickle.loads(pickle.dumps(env))]
    first = line(env)
    assert seen(env) != before
    for other in others:
        with subtests.test(other=other):
            assert seen(other) == before
            assert line(other) == first, "luck is copied too"


def test_stepping_or_observing_before_reset_is_refused() -> None:
    env = gym.raw_env("pig", players=2)
    for early in (partial(env.step, 1), partial(env.observe, "player_0"), gym.SeatEnv("pig").action_masks):
        with pytest.raises(GameError, match="no game has begun"):
            early()


def test_invalid_options_are_refused_with_the_reason() -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"players": 9}, "for 2 to 4 players, not 9"),
        ({"settings": {"speed": 3}}, "no setting `speed`"),
        ({"reward": "fame"}, "invalid reward 'fame'"),
    ]
    for options, reason in refused:
        for make in (gym.env, gym.parallel_env):
            with pytest.raises(GameError, match=reason):
                make("pig", **options)
    with pytest.raises(GameError, match="there is no bot `gredy`"):
        gym.SeatEnv("pig", bots=["gredy"])
    with pytest.raises(GameError, match="there is no seat 4"):
        gym.SeatEnv("pig", bots=["random"] * 3, seat=4)


def spend_budget(play: Any) -> None:
    """Leave a game no more than one question of the machine's budget for a whole game."""
    play._games.states[:, TOTAL] = LONGEST - PUTTING


def test_game_that_does_not_end_is_truncated() -> None:
    env = gym.raw_env("pig", players=2)
    env.reset(seed=1)
    spend_budget(env._play)
    while not any(env.truncations.values()):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert all(env.truncations.values()) and not any(env.terminations.values()) and not any(env.rewards.values())
    assert env.observe("player_0") in env.observation_space("player_0")
    assert not env.observe("player_0")["action_mask"].any()
    for _ in env.possible_agents:
        env.step(None)
    assert not env.agents
    env.reset()
    assert env.observe(env.agent_selection)["action_mask"].any(), "another game can begin"


def test_game_that_does_not_end_is_truncated_for_all_agents_at_once() -> None:
    env = gym.parallel_env("pig", players=2)
    seen, _ = env.reset(seed=1)
    spend_budget(env._play)
    cut = {"player_0": False}
    while env.agents:
        actions = {agent: int(seen[agent]["action_mask"].argmax()) for agent in env.agents}
        seen, rewards, over, cut, _ = env.step(actions)
    assert all(cut.values()) and not any(over.values()) and not any(rewards.values())
    assert all(seen[agent] in env.observation_space(agent) for agent in seen)
    with pytest.raises(GameError, match="the game is over"):
        env.step({})


@pytest.mark.parametrize("bots", [["random"], ["search@2"]], ids=["natively", "as-at-a-table"])
def test_seat_of_a_game_that_does_not_end_is_truncated(bots: list[str]) -> None:
    env = gym.SeatEnv("pig", bots=bots, seat=0)
    seen, _ = env.reset(seed=1)
    spend_budget(env._game)
    over = cut = False
    while not (over or cut):
        seen, reward, over, cut, _ = env.step(int(seen["action_mask"].argmax()))
    assert (reward, over, cut) == (0, False, True) and seen in env.observation_space
    with pytest.raises(GameError, match="the game is over"):
        env.step(0)


def test_seat_is_truncated_after_max_steps() -> None:
    env = gym.SeatEnv("pig", max_steps=3)
    for _ in range(2):
        seen, _ = env.reset(seed=1)
        cuts = []
        for _ in range(3):
            seen, _, over, cut, _ = env.step(int(seen["action_mask"].argmax()))
            cuts.append(cut)
        assert cuts == [False, False, True] and not over
    refused: list[tuple[Any, str]] = [
        (gym.SeatEnv, "max_steps"),
        (gym.raw_env, "max_cycles"),
        (gym.parallel_env, "max_cycles"),
    ]
    for make, name in refused:
        with pytest.raises(GameError, match=f"`{name}` cannot be 0"):
            make("pig", **{name: 0})


@pytest.mark.parametrize("action", [1.0, "1", None, [1]])
def test_action_that_is_not_an_integer_is_refused_with_one_message(action: Any) -> None:
    raw, seat, parallel = gym.raw_env("pig"), gym.SeatEnv("pig"), gym.parallel_env("pig")
    for env in (raw, seat, parallel):
        env.reset(seed=1)
    for step in (raw.step, seat.step, lambda one: parallel.step(dict.fromkeys(parallel.agents, one))):
        with pytest.raises(GameError, match="an action is a whole number, not"):
            step(action)
    with pytest.raises(GameError, match="there is no action of player_"):
        parallel.step({})


def test_integer_out_of_range_counts_as_an_illegal_action(subtests: pytest.Subtests) -> None:
    for action in (10**30, -(10**30)):
        with subtests.test(action=action):
            env = gym.SeatEnv("pig")
            env.reset(seed=1)
            assert env.step(action)[4] == {"illegal": True}


# --- what is seen, and what can be done


def test_observation_is_equal_in_all_indistinguishable_games() -> None:
    """In all other courses that look the same to a seat, it observes the same and is offered the same."""
    program = load_rules("kingsburg", ("governors", "destiny")).program
    observer, actions, luck = ObservationSpace.from_program(program), ActionSpace.from_program(program), Random(8)
    state, history, others = create_state(program, 3, {}, logging=False), History(program), 0
    while run(program.code, state, [0]) == ASKING:
        history.add_question(state)
        if state[SEAT] != CHANCE and luck.random() < 0.15:
            for other in history.sample_states(state[SEAT], 3, Random(1)):
                others += other != state
                assert observer.observe(other, state[SEAT]) == observer.observe(state, state[SEAT])
                assert actions.list_option_actions(other) == actions.list_option_actions(state)
        state[ANSWER] = luck.randrange(state[OPTIONS])
        history.add_answer(state[ANSWER])
    assert others > 20


def test_observation_puts_the_own_seat_first() -> None:
    """Two players in each other's place see the same; so one network can play all seats."""
    program = load_rules("kuhn-poker").program
    observer = ObservationSpace.from_program(program)
    state = create_state(program, 2, {}, logging=False)
    run(program.code, state, [0])
    chips, hands = (program.variable_by_name[name] for name in ("chip", "hand"))
    swapped = state.copy()
    for variable, values in ((chips, (5, 2)), (hands, (0, 2))):
        for seat in (0, 1):
            state[variable.base + seat] = swapped[variable.base + 1 - seat] = values[seat]
    state[hands.known], state[hands.known + 1], swapped[hands.known], swapped[hands.known + 1] = 1, 2, 1, 2
    seen, again = observer.observe(state, 0), observer.observe(swapped, 1)
    about = [i for i, name in enumerate(observer.names) if name.startswith(("chip", "hand"))]
    assert [seen[i] for i in about] == [again[i] for i in about]
    named = dict(zip(observer.names, seen, strict=True))
    assert (named["chip (own)"], named["chip (seat +1)"], named["hand: jack (own)"]) == (5, 2, 1)
    assert named["hand: known (seat +1)"] == named["hand: king (seat +1)"] == 0


@pytest.mark.parametrize(("game", "modules"), [("kingsburg", ()), ("kingsburg", ("governors", "destiny")), ("pig", ())])
def test_shapes_are_fixed_and_actions_lead_to_every_option(game: str, modules: tuple[str, ...]) -> None:
    program = load_rules(game, modules).program
    observer, actions, luck, sizes = (
        ObservationSpace.from_program(program),
        ActionSpace.from_program(program),
        Random(1),
        set(),
    )
    assert len(set(observer.names)) == observer.size
    for players in range(program.least_players, program.most_players + 1):
        state = create_state(program, players, {}, logging=False)
        while run(program.code, state, [0]) == ASKING:
            sizes.add(len(observer.observe(state, luck.randrange(players))))
            wanted = state[FIRST_OPTION + luck.randrange(state[OPTIONS])]
            option = chosen(actions, state, wanted) if state[SEAT] != CHANCE else 0
            assert state[SEAT] == CHANCE or state[FIRST_OPTION + option] == wanted
            state[ANSWER] = option
    assert sizes == {observer.size}


def chosen(actions: ActionSpace, state: list[int], wanted: int) -> int:
    """Choose an option by its actions, as many as it takes; the index it then has."""
    while True:
        offered = actions.list_option_actions(state)
        assert all(0 <= action < actions.count for action in offered)
        option = state[FIRST_OPTION:][: state[OPTIONS]].index(wanted)
        if not narrow_options(state, option, offered):
            assert offered.count(offered[option]) == 1, "no two options are the same to the end"
            return option
        assert 1 < state[OPTIONS] < len(offered)


def test_custom_and_guessing_bots_can_play_against_a_learner(tmp_path: Path) -> None:
    from edict.agents.bots.match_play import StateParticipant
    from edict.agents.bots.policy_bots import DeterminizingBot
    from edict.agents.gym.bot_game_batch import BotGameBatch

    (tmp_path / "theirs.py").write_text(WRONG)
    env = gym.SeatEnv("kuhn-poker", bots=[f"{tmp_path}/theirs.py:Wrong"], seat=0)
    with pytest.warns(RuntimeWarning, match="which is not an option"):
        env.reset(seed=1)
        env.step(env.action_space.sample(env.action_masks().astype("int8")))
    env.close()
    hidden = gym.SeatEnv("kuhn-poker", bots=["judge"], seat=0)
    hidden.reset(seed=1)
    games = hidden._game._games
    assert isinstance(games, BotGameBatch) and games._tables[0] is not None
    (bot,) = [seat.bot for seat in games._tables[0].seats if isinstance(seat, StateParticipant)]
    assert isinstance(bot, DeterminizingBot), "it thinks about what may be the case, as at a table"


WRONG = """
class Wrong:
    def __init__(self, seed):
        pass
    def choose(self, view, ask, clock):
        return "nothing"
"""
