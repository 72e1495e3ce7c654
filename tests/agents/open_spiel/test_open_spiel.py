"""OpenSpiel adapter: OpenSpiel's own checks, and a known game value that only correct rules reach."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from calling import make_manifest, write_files

REASON = "OpenSpiel is an extra of 200 MB (openspiel), and not installed here: `make openspiel` runs this"
pyspiel = pytest.importorskip("pyspiel", reason=REASON)
np = pytest.importorskip("numpy", reason=REASON)

from edict.game.table.game_errors import GameError  # noqa: E402
from edict.support.report import RulesError  # noqa: E402

import edict.open_spiel  # noqa: E402, F401 isort:skip - registers the game

KUHN = "edict(rules=kuhn-poker,reward=score)"


@pytest.mark.parametrize(
    "parameters",
    [
        {"rules": "kuhn-poker", "reward": "score"},
        {"rules": "pig", "players": 3},
        {"rules": "kingsburg", "players": 3, "modules": "governors destiny"},
    ],
)
def test_games_pass_the_checks_of_openspiel(parameters: dict[str, Any]) -> None:
    """Random games, every state of which is kept, read back, copied, and looked at."""
    pyspiel.random_sim_test(pyspiel.load_game("edict", parameters), num_sims=1, serialize=True, verbose=False)


def test_cfr_finds_the_value_of_kuhn_poker() -> None:
    """−1/18 for the first player: rules, secrets, chance and payoffs are all in it."""
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    game = pyspiel.load_game(KUHN)
    solver = cfr.CFRSolver(game)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
    assert values == pytest.approx([-1 / 18, 1 / 18], abs=0.002)
    assert exploitability.nash_conv(game, policy) < 0.02


def test_information_state_shows_only_what_a_seat_has_seen() -> None:
    game = pyspiel.load_game(KUHN)
    told: dict[tuple[int, ...], tuple[str, str]] = {}
    for first in range(3):
        for second in range(2):
            state = game.new_initial_state()
            state.apply_action(first)
            state.apply_action(second)
            told[first, second] = state.information_state_string(0), state.information_state_string(1)
    assert len({mine for mine, _ in told.values()}) == 3, "the first player knows one card, whatever the other has"
    assert len({theirs for _, theirs in told.values()}) == 3
    assert told[0, 0][0] == told[0, 1][0] and told[0, 0][0] != told[1, 0][0]


@pytest.mark.parametrize(
    "parameters", [{"rules": "kuhn-poker"}, {"rules": "kingsburg", "players": 2, "modules": "governors"}]
)
def test_resampled_states_look_the_same_to_the_seat(parameters: dict[str, Any]) -> None:
    state, luck, others = pyspiel.load_game("edict", parameters).new_initial_state(), Random(4), 0
    for _ in range(60):
        if state.is_terminal():
            break
        if not state.is_chance_node() and luck.random() < 0.3:
            seat = state.current_player()
            other = state.resample_from_infostate(seat, luck.random)
            assert other.information_state_string(seat) == state.information_state_string(seat)
            assert other.legal_actions() == state.legal_actions()
            others += other.history() != state.history()
        state.apply_action(luck.choice(state.legal_actions()))
    assert others or parameters["rules"] == "kuhn-poker"


def test_python_searches_of_openspiel_play_well() -> None:
    """IS-MCTS bets on a king after a bet; MCTS holds when holding wins."""
    from open_spiel.python.algorithms import ismcts, mcts

    luck = np.random.RandomState(3)
    evaluator = mcts.RandomRolloutEvaluator(2, luck)
    kuhn = pyspiel.load_game(KUHN)
    state = kuhn.new_initial_state()
    for action in (0, 1):  # a jack to the first player, a king to the second
        state.apply_action(action)
    state.apply_action(_named(state, "answer: bet"))
    bot = ismcts.ISMCTSBot(kuhn, evaluator, 2.0, 150, random_state=luck)
    assert state.current_player() == 1 and bot.step(state) == _named(state, "answer: call"), (
        "whoever has the king calls"
    )
    pig = pyspiel.load_game("edict(rules=pig,players=2)")
    state = pig.new_initial_state()
    while state.is_chance_node():  # who has no points yet rolls without being asked
        state.apply_action(state.chance_outcomes()[-1][0])
    found = mcts.MCTSBot(pig, 2.0, 5, evaluator, random_state=luck).step(state)
    assert found in state.legal_actions()


def _named(state: Any, name: str) -> int:
    return int(next(action for action in state.legal_actions() if state.action_to_string(action) == name))


def test_invalid_game_is_refused_on_loading() -> None:
    with pytest.raises(GameError, match="for 2 players, not 7"):
        pyspiel.load_game("edict", {"rules": "kuhn-poker", "players": 7})
    with pytest.raises(RulesError):
        pyspiel.load_game("edict", {"rules": "no-such-game"})


@pytest.mark.parametrize(
    ("parameters", "utilities", "utility_sum", "longest", "draws", "hidden", "tensor"),
    [
        ({"rules": "kuhn-poker"}, (-1, 1), 0, 3, 3, True, True),
        ({"rules": "kuhn-poker", "reward": "score"}, (-2, 2), 0, 3, 3, True, True),
        ({"rules": "pig", "players": 3}, (-0.5, 1), 0, 20_000, 6, False, False),
        ({"rules": "causeway", "reward": "score"}, (-12.5, 12.5), 0, 20_000, 0, False, False),
        ({"rules": "causeway"}, (-1, 1), None, 20_000, 0, False, False),
        ({"rules": "nine-tiles"}, (0, 1), None, 20_000, 6, False, False),
    ],
)
def test_game_type_and_bounds_follow_from_the_rules(
    parameters: dict[str, Any],
    utilities: tuple[float, float],
    utility_sum: float | None,
    longest: int,
    draws: int,
    hidden: bool,
    tensor: bool,
) -> None:
    game = pyspiel.load_game("edict", parameters)
    kind, of = game.get_type(), pyspiel.GameType
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (*utilities, utility_sum)
    assert (game.max_game_length(), game.max_chance_outcomes()) == (longest, draws)
    assert kind.utility == (of.Utility.GENERAL_SUM if utility_sum is None else of.Utility.ZERO_SUM)
    assert kind.chance_mode == (of.ChanceMode.EXPLICIT_STOCHASTIC if draws else of.ChanceMode.DETERMINISTIC)
    information = of.Information.IMPERFECT_INFORMATION if hidden else of.Information.PERFECT_INFORMATION
    assert (kind.information, kind.provides_information_state_tensor) == (information, tensor)
    assert {name: game.get_parameters()[name] for name in parameters} == parameters


def test_information_state_tensors_equal_where_texts_do() -> None:
    """Two states of Kuhn poker have equal tensors just where they have equal texts."""
    game = pyspiel.load_game(KUHN)
    told: dict[tuple[float, ...], set[str]] = {}
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        for seat in (0, 1):
            numbers = tuple(state.information_state_tensor(seat))
            assert len(numbers) == game.information_state_tensor_size()
            told.setdefault((seat, *numbers), set()).add(state.information_state_string(seat))
        if not state.is_terminal():
            waiting += [state.child(action) for action in state.legal_actions()]
    assert all(len(texts) == 1 for texts in told.values())
    assert len(told) == len({text for texts in told.values() for text in texts})


TURNED = """
resource coin
kind card
card ash
card elm
card fir
keep turn-order as order of player, quiet
game turned "Turned"
  players 2 to 2
  order turn-order
  winners players with most coin of it
  score coin of you
  course
    draw a card from cards as shown
    each player
      choose one "Enough?"
        option "Yes"
          nothing
        option "No"
          gain 1 coin
"""


def test_information_state_tensor_has_a_row_per_question(tmp_path: Path, subtests: pytest.Subtests) -> None:
    write_files(tmp_path, {"module.yaml": make_manifest("turned", "game"), "turned.edict": TURNED})
    game = pyspiel.load_game("edict", {"rules": str(tmp_path)})
    state, seen = game.new_initial_state(), list[list[float]]()
    for action in (2, no := 1):  # a fir; of the first player
        seen.append(state.observation_tensor(0))
        state.apply_action(action)
    size, count, draws = game.observation_tensor_size(), game.num_distinct_actions(), game.max_chance_outcomes()
    for seat in (0, 1):
        with subtests.test(seat=seat):
            rows = np.reshape(state.information_state_tensor(seat), (-1, size + count + draws))
            assert len(rows) == 4 and np.argwhere(rows[:, size:]).tolist() == [[0, count + 2], [1, no]]
            assert rows[2, :size].tolist() == state.observation_tensor(seat)
            assert seat == 1 or rows[:2, :size].tolist() == seen
            for recall, name in ((True, "information_state"), (False, "observation")):
                observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=recall))
                observer.set_from(state, seat)
                assert observer.dict[name].tolist() == getattr(state, f"{name}_tensor")(seat)


def test_states_and_actions_have_readable_texts() -> None:
    game = pyspiel.load_game(KUHN)
    state = game.new_initial_state()
    assert str(state) == "chance: draw-card (3)"
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["jack", "queen", "king"]
    for action in (0, 1):  # of what is left: a jack, a king
        state.apply_action(action)
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["answer: check", "answer: bet"]
    mine, theirs = (state.observation_string(seat).split("\n") for seat in (0, 1))
    assert "hand[player_0] = jack" in mine and "hand[player_1] = king" in theirs
    assert not any("king" in line for line in mine) and "player_0: choose-one (2)" in mine
    state.apply_action(_named(state, "answer: bet"))
    assert "bet; chip[player_0] = -2" in state.information_state_string(1)
    state.apply_action(_named(state, "answer: fold"))
    assert (str(state), state.is_terminal(), state.legal_actions()) == ("over", True, [])


def test_default_game_is_small_and_loadable() -> None:
    """As its lists of games have it, which say of each what it can at most."""
    (kind,) = (one for one in pyspiel.registered_games() if one.short_name == "edict")
    assert kind.default_loadable and kind.provides_information_state_tensor
    game = pyspiel.load_game("edict")
    assert (game.num_players(), game.get_type().long_name, game.max_utility()) == (2, "Kuhn poker", 1)


@pytest.mark.parametrize(
    ("missing", "raised", "said"),
    [("pyspiel", ImportError, "edict.open_spiel needs OpenSpiel: "), ("numpy", ModuleNotFoundError, "numpy")],
)
def test_missing_library_is_named_on_import(
    missing: str, raised: type[Exception], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if "edict" in name and "open_spiel" in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(raised, match=said) as told:
        importlib.import_module("edict.open_spiel")
    assert type(told.value) is raised
