"""Vector environments: Gymnasium's demands, and that each game equals the same game played alone."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from edict.agents.spaces.game_encoding import compute_payoffs
from edict.game.table.addresses import bits_of
from edict.game.table.game_errors import GameError
from edict.runtime.machine.encoding import narrow_options
from edict.runtime.machine.loop import LONGEST, PUTTING, run
from edict.runtime.machine.mixing import draw
from edict.runtime.program import create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, CHANCE, OPTIONS, SEAT, STATUS, TOTAL, WINNERS
from edict.runtime.simulation import native

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is an extra (gym), and not installed here")
if not native.is_available():
    pytest.skip("llvmlite is an extra (gym), and not installed here", allow_module_level=True)

from edict import gym  # noqa: E402
from edict.runtime.simulation.game_batch import OBSERVATION_KINDS  # noqa: E402

PURSES = """
resource coin may go below 0

keep turn-order as order of player, quiet

game purses "Purses"
  players 2 to 2
  order turn-order
  winners players with most coin of it
  score coin of you
  course
    play lending
    play lending

phase lending "Lending"
  each player
    choose one "Lend or borrow?"
      option "Borrow"
        gain 300 coin
      option "Lend"
        lose 500 coin
"""


@pytest.mark.parametrize(
    ("game", "options"),
    [("kuhn-poker", {}), ("pig", {"players": 3}), ("kingsburg", {"players": 4, "modules": ("governors",)})],
)
def test_vector_games_equal_the_games_one_by_one(game: str, options: dict[str, Any]) -> None:
    """Questions, masks, observations, ends and rewards of each game are those of plain Python."""
    env = gym.VectorEnv(game, num_envs=3, threads=2, **options)
    program, actions, observer = env.coding.program, env.actions, env.observer
    seen, infos = env.reset(seed=40)
    states: list[list[int]] = []
    asked, seeds, ended = [0] * 3, [40, 41, 42], 0

    def forth(game: int) -> None:
        while run(program.code, states[game], [0]) == ASKING:
            asked[game] += 1
            if states[game][SEAT] != CHANCE:
                return
            states[game][ANSWER] = draw(seeds[game], asked[game], states[game][OPTIONS])

    for number in range(3):
        states.append(create_state(program, env.players, {}, logging=False))
        forth(number)
    for _ in range(150):
        chosen, answered = env.sample(), list[int]()
        for number, state in enumerate(states):
            offered = actions.list_option_actions(state)
            assert sorted({*offered}) == seen["action_mask"][number].nonzero()[0].tolist()
            assert seen["observation"][number].tolist() == observer.observe(state, state[SEAT])
            assert infos["seat"][number] == state[SEAT]
            answered.append(state[SEAT])
            option = offered.index(chosen[number])
            if not narrow_options(state, option, offered):
                state[ANSWER] = option
                forth(number)
        seen, rewards, over, _, infos = env.step(chosen)
        for number, state in enumerate(states):
            assert bool(over[number]) == (state[STATUS] != ASKING)
            assert rewards[number] == infos["rewards"][number, answered[number]]
            if over[number]:
                ended += 1
                scores = infos["scores"][number].tolist()
                expected = compute_payoffs("victory", scores, bits_of(state[WINNERS]))
                assert infos["rewards"][number].tolist() == pytest.approx(expected)
                last = infos["final_obs"][number]["observation"].tolist()
                assert last == observer.observe(state, answered[number])
                states[number], asked[number] = create_state(program, env.players, {}, logging=False), 0
                seeds[number] += 3
                forth(number)
            else:
                assert not infos["rewards"][number].any()
    assert ended or game == "kingsburg"


@pytest.mark.parametrize("game", ["kingsburg", "foxes-at-court", "harbour-lots", "sixty-four"])
@pytest.mark.parametrize(("dtype", "least", "most"), [("int8", -128, 127), ("float32", -float("inf"), float("inf"))])
def test_vector_observations_equal_those_of_each_game(game: str, dtype: str, least: float, most: float) -> None:
    """With hidden hands, bags, answers at once and many numbers, whoever is asked."""
    env, seats = gym.VectorEnv(game, players=3, num_envs=4, threads=2, dtype=dtype), set()
    seen, infos = env.reset(seed=11)
    for _ in range(60):
        assert seen in env.observation_space
        for state, numbers in zip(env._games.states, seen["observation"], strict=True):
            expected = env.observer.observe(state.tolist(), int(state[SEAT]))
            assert numbers.tolist() == [min(max(least, number), most) for number in expected]
        seats |= set(infos["seat"].tolist())
        seen, _, _, _, infos = env.step(env.sample())
    assert seats == {0, 1, 2}


def test_numbers_too_large_for_the_dtype_are_clipped(tmp_path: Path, subtests: pytest.Subtests) -> None:
    rules = tmp_path / "purses"
    rules.mkdir()
    (rules / "module.yaml").write_text("name: purses\ntitle: Purses\nversion: 1.0.0\nkind: game\nsummary: Large.\n")
    (rules / "purses.edict").write_text(PURSES)
    expected = {"int8": [127, -128], "int16": [300, -500], "int32": [300, -500], "float32": [300, -500]}
    for dtype, numbers in expected.items():
        with subtests.test(dtype=dtype):
            env = gym.VectorEnv(rules, num_envs=1, dtype=dtype)
            borrow, lend = env.reset(seed=1)[0]["action_mask"][0].nonzero()[0].tolist()
            env.step([borrow])
            seen = env.step([lend])[0]["observation"][0]
            assert [seen[env.observer.names.index(f"coin ({whose})")] for whose in ("own", "seat +1")] == numbers


def test_native_bots_answer_for_their_seats() -> None:
    env = gym.VectorEnv("kingsburg", num_envs=8, bots=["greedy", None, "random"], observe=False, reward="score")
    (seen, infos), ended = env.reset(seed=3), 0
    assert seen["observation"].shape == (8, 0)
    while ended < 8:
        assert (infos["seat"] == 1).all()
        _, rewards, over, _, infos = env.step(env.sample())
        ended += int(over.sum())
        assert infos["rewards"].sum() == pytest.approx(0, abs=1e-3)
        assert (rewards == infos["rewards"][:, 1]).all(), "a single learner is paid for its own seat"


def test_solo_game_pays_one_or_zero_or_the_score(subtests: pytest.Subtests) -> None:
    for reward in ("victory", "score"):
        with subtests.test(reward=reward):
            env, paid = gym.VectorEnv("nine-tiles", num_envs=20, players=1, reward=reward), set[float]()
            env.reset(seed=1)
            for _ in range(100):
                _, rewards, over, _, infos = env.step(env.sample())
                for game in over.nonzero()[0]:
                    winners = bits_of(int(env._games.winners[game]))
                    assert rewards[game] == compute_payoffs(reward, infos["scores"][game].tolist(), winners)[0]
                    paid.add(float(rewards[game]))
            assert paid and paid <= {0.0, 1.0} or reward == "score" and len(paid) > 1


def test_reset_without_seed_continues_the_seeds_before() -> None:
    env = gym.VectorEnv("kuhn-poker", num_envs=12)

    def dealt(**seed: Any) -> Any:
        return env.reset(**seed)[0]["observation"].tolist()

    first, other = dealt(seed=0), dealt(seed=5)
    assert first[5:] == other[:-5], "game number i has the luck of the seed + i"
    assert dealt(seed=range(5, 17)) == other
    assert (dealt(seed=3), dealt(), dealt()) == (dealt(seed=3), dealt(), dealt()), "one after the other"
    with pytest.raises(GameError, match="there are 2 seeds for 12 games"):
        env.reset(seed=[1, 2])


@pytest.mark.parametrize("bots", [None, [None, "judge"]], ids=["natively", "as-at-a-table"])
def test_automatic_resets_use_the_following_seeds(bots: Any, subtests: pytest.Subtests) -> None:
    env = gym.VectorEnv("kuhn-poker", num_envs=3, bots=bots, max_steps=1)
    alone = gym.VectorEnv("kuhn-poker", num_envs=3, bots=bots)
    env.reset(seed=40)
    for first in (43, 46, 49, 52, 55):
        with subtests.test(first=first):
            followed = env.step(env.sample())[0]["observation"]
            assert (followed == alone.reset(seed=first)[0]["observation"]).all()


def test_closing_releases_the_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    from edict.agents.gym import bot_game_batch

    let_go = list[int]()
    monkeypatch.setattr(bot_game_batch, "release_bots", lambda seats: let_go.append(len(seats)))
    env = gym.VectorEnv("kuhn-poker", num_envs=3, bots=[None, "judge"])
    env.reset(seed=1)
    assert not let_go
    env.close()
    assert let_go == [1, 1, 1], "the bot of each game"


def test_strict_environment_names_the_game_with_an_illegal_action(monkeypatch: pytest.MonkeyPatch) -> None:
    env = gym.VectorEnv("kuhn-poker", num_envs=4, strict=True)
    env.reset(seed=1)
    wrong = env.sample()
    for action in (env.actions.numbers["answer: call"], 10_000):
        wrong[2] = action
        with pytest.raises(GameError, match=f"game 2 does not offer the action {action}"):
            env.step(wrong)
    with pytest.raises(GameError, match="there are 2 actions for 4 games"):
        env.step([1, 2])
    with pytest.raises(GameError, match="a `reset_mask` has 4 booleans, not 1"):
        env.reset(options={"reset_mask": [True]})
    with pytest.raises(GameError, match="there are 3 saved games for 4 rows"):
        env.restore(env.save()[:3])
    with pytest.raises(GameError, match="no game has begun"):
        gym.VectorEnv("pig", num_envs=1).clone().sample()
    monkeypatch.setattr("edict.agents.gym.vector.MAX_ENVS", 2)
    assert gym.VectorEnv("pig", num_envs=2).num_envs == 2
    refused: list[tuple[dict[str, Any], str]] = [
        ({"players": 2, "bots": ["random", "random"]}, "the bots do not match the seats"),
        ({"bots": ["gredy", None]}, "there is no bot `gredy`"),
        ({"autoreset": "Later"}, "there is no autoreset `Later`"),
        ({"num_envs": 0}, "cannot be 0 games at once"),
        ({"num_envs": 3}, "choose from 1 to 2"),
        ({"max_steps": 0}, "`max_steps` cannot be 0"),
        ({"threads": -1}, "`threads` cannot be -1"),
        *(({"dtype": dtype}, f"observations cannot have the type `{dtype}`") for dtype in ("float16", "bool", "int4")),
    ]
    for options, reason in refused:
        with pytest.raises(GameError, match=reason):
            gym.VectorEnv("pig", **{"num_envs": 1, **options})


def test_illegal_action_counts_as_the_first_legal_one() -> None:
    env, other = (gym.VectorEnv("pig", num_envs=3, players=2) for _ in range(2))
    for one in (env, other):
        one.reset(seed=1)
    first = env.action_masks().argmax(axis=1)
    wrong = first.copy()
    wrong[1] = 10_000
    seen, _, _, _, infos = env.step(wrong)
    assert infos["illegal"].tolist() == [False, True, False]
    assert (seen["observation"] == other.step(first)[0]["observation"]).all()


@pytest.mark.parametrize("most", [None, 1], ids=["to-the-end", "cut-off"])
@pytest.mark.parametrize("bots", [None, [None, "search@2"]], ids=["natively", "as-at-a-table"])
def test_finished_games_follow_the_autoreset_mode(bots: Any, most: int | None, subtests: pytest.Subtests) -> None:
    """In each of Gymnasium's three ways."""
    envs = {
        mode: gym.VectorEnv(
            "pig", num_envs=1, players=2, settings={"goal": 20}, bots=bots, autoreset=mode, max_steps=most
        )
        for mode in ("SameStep", "NextStep", "Disabled")
    }
    for mode, env in envs.items():
        with subtests.test(mode=mode):
            assert env.metadata["autoreset_mode"].value == mode
            seen, _ = env.reset(seed=4)
            ended = False
            while not ended:
                assert seen["action_mask"].any()
                seen, _, over, cut, infos = env.step(env.sample())
                ended = bool(over[0] | cut[0])
                assert bool(cut[0]) == bool(most) and ("final_obs" in infos) == (ended and mode == "SameStep")
            if mode == "SameStep":
                last = infos["final_obs"][0]
                assert last["observation"].any() and not last["action_mask"].any()
                assert seen["action_mask"].any(), "another game has begun"
                continue
            before = env._games.states.copy()
            seen, rewards, over, cut, infos = env.step([-1])
            assert (rewards[0], over[0], cut[0], infos["illegal"][0]) == (0, False, False, False), "nothing is answered"
            begun = mode == "NextStep"
            assert (env._games.states != before).any() == begun
            assert not begun or seen["action_mask"].any()


@pytest.mark.parametrize("bots", [None, [None, "search@2"]], ids=["natively", "as-at-a-table"])
@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_endless_game_is_truncated_and_the_others_continue(mode: str, bots: Any) -> None:
    """In each of Gymnasium's ways of going on; the machine's budget for a whole game is nearly spent in one of two."""
    env = gym.VectorEnv("pig", num_envs=2, players=2, bots=bots, autoreset=mode)
    seen, _ = env.reset(seed=1)
    env._games.states[0, TOTAL] = LONGEST - PUTTING
    cut: Any = [False]
    while not cut[0]:
        seen, rewards, over, cut, infos = env.step(seen["action_mask"].argmax(axis=1))
    assert cut.tolist() == [True, False] and not over.any() and not rewards.any()
    assert seen in env.observation_space and seen["action_mask"][1].any()
    if mode == "SameStep":
        assert infos["final_obs"][0]["observation"].any() and infos["seat"][0] >= 0
    else:
        assert infos["seat"][0] == -1 and not seen["action_mask"][0].any()
    seen, rewards, over, cut, infos = env.step(seen["action_mask"].argmax(axis=1))
    assert not over.any() and not cut.any() and seen["action_mask"][1].any()
    assert seen["action_mask"][0].any() == (mode != "Disabled")
    seen, infos = env.reset(options={"reset_mask": [True, False]})
    assert seen["action_mask"].any(axis=1).all(), "another game can begin"


def test_observations_fit_every_supported_dtype(subtests: pytest.Subtests) -> None:
    for dtype in OBSERVATION_KINDS:
        with subtests.test(dtype=dtype):
            env = gym.VectorEnv("kingsburg", num_envs=2, dtype=dtype)
            assert env.reset(seed=1)[0] in env.observation_space
            numbers = env.single_observation_space["observation"]
            assert numbers.dtype.name == dtype and (numbers.low <= numbers.high).all()


@pytest.mark.parametrize("actions", [[1.0, 1.0], ["a", "b"], [None, 1], [10**30, 1]])
def test_actions_that_are_not_integers_are_refused(actions: Any) -> None:
    env = gym.VectorEnv("pig", num_envs=2)
    env.reset(seed=1)
    with pytest.raises(GameError, match="an action is a whole number"):
        env.step(actions)


def test_reset_mask_restarts_only_its_games() -> None:
    env = gym.VectorEnv("pig", num_envs=4, players=2)
    before = env.reset(seed=1)[0]["observation"]
    for _ in range(5):
        env.step(env.sample())
    went_on = env.save()
    after = env.reset(seed=1, options={"reset_mask": [True, False, True, False]})[0]["observation"]
    assert (after[[0, 2]] == before[[0, 2]]).all() and (env.save()[[1, 3]] == went_on[[1, 3]]).all()


def test_vector_environment_is_saved_restored_cloned_and_pickled() -> None:
    env = gym.VectorEnv("kingsburg", players=3, num_envs=3, bots=[None, "greedy", None], max_steps=9, dtype="int8")
    env.reset(seed=6)
    for _ in range(7):
        env.step(env.sample())
    saved, line = env.save(), [env.sample()]
    others = [env.clone(), pickle.loads(pickle.dumps(env))]
    for _ in range(20):
        seen, *rest = env.step(line[-1])
        for other in others:
            again, *same = other.step(line[-1])
            assert (again["observation"] == seen["observation"]).all()
            assert all((one == two).all() for one, two in zip(rest[:3], same[:3], strict=True))
        line.append(env.sample())
        assert all((other.sample() == line[-1]).all() for other in others)
    first = env.restore(saved)[0]["observation"]
    for actions in line[:4]:
        env.step(actions)
    tried = env.restore(saved[1], which=[0, 2])[0]["observation"]
    assert (tried[0] == first[1]).all() and (tried[2] == first[1]).all(), "one game may stand in several rows"
    with pytest.raises(GameError, match="these are no games of this environment"):
        gym.VectorEnv("pig").restore(saved)
    thinking = gym.VectorEnv("kuhn-poker", num_envs=1, bots=[None, "judge"])
    thinking.reset(seed=1)
    with pytest.raises(GameError, match="think as at a table cannot be saved"):
        thinking.save()


def test_guessing_bots_sample_hidden_hands_in_vector_environments() -> None:
    """The judge holds a jack or a king: with a king it never lets a bet go, which it does not know by masked cells."""
    from edict.agents.gym.bot_game_batch import BotGameBatch

    env = gym.VectorEnv("kuhn-poker", num_envs=40, bots=[None, "judge"], reward="score")
    assert isinstance(env._games, BotGameBatch)
    alone = gym.SeatEnv("kuhn-poker", bots=["judge"], seat=0, reward="score")
    env.reset(seed=2)
    assert (env._games.states[:, STATUS] == ASKING).all() and alone.observation_space == env.single_observation_space
    ended = 0
    while ended < 40:
        seen, rewards, over, _, infos = env.step(env.sample())
        assert (infos["seat"] == 0).all() and seen["action_mask"].any(axis=1).all()
        assert abs(infos["rewards"].sum()) < 1e-6 and not rewards[~over].any()
        ended += int(over.sum())


def test_observations_are_copied_unless_copy_is_false(subtests: pytest.Subtests) -> None:
    kept, shared = (gym.VectorEnv("pig", num_envs=2, players=2, copy=copy) for copy in (True, False))
    for env, stays in ((kept, True), (shared, False)):
        with subtests.test(stays=stays):
            first = env.reset(seed=1)[0]["observation"]
            before = first.copy()
            for _ in range(6):
                env.step(env.sample())
            assert (first == before).all() == stays


def test_vector_wrappers_of_gymnasium_work() -> None:
    from gymnasium.wrappers.vector import RecordEpisodeStatistics

    envs = RecordEpisodeStatistics(gymnasium.make_vec("edict/KuhnPoker-v1", num_envs=8))
    envs.reset(seed=2)
    told = [envs.step(envs.action_space.sample())[4].get("episode") for _ in range(6)]
    assert {float(r) for one in told if one for r in one["r"]} >= {1.0, -1.0}
