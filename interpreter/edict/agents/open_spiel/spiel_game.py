"""The OpenSpiel game `edict` and its states."""

from __future__ import annotations

from functools import cached_property
from random import Random
from typing import Any

import numpy as np
import pyspiel

from edict.agents.open_spiel.position import TreePosition, encode_named_game
from edict.agents.spaces.game_encoding import GameEncoding, GameTraits, compute_payoffs
from edict.game.table.addresses import bits_of
from edict.game.table.game_errors import GameError
from edict.runtime.program.opcodes import CHANCE
from edict.runtime.simulation.state_tree import TreeExtent, measure_extent
from edict.support.records import dataclass

MOST_PLAYERS = 15
TERMINAL: int = pyspiel.PlayerId.TERMINAL.value
DEFAULTS = {"rules": "kuhn-poker", "modules": "", "players": 0, "reward": "victory"}

GAME_TYPE = pyspiel.GameType
_SHARED = {
    "short_name": "edict",
    # seats that are asked simultaneously are asked one after the other, in secret
    "dynamics": GAME_TYPE.Dynamics.SEQUENTIAL,
    "reward_model": GAME_TYPE.RewardModel.TERMINAL,
    "provides_information_state_string": True,
    "provides_observation_string": True,
    "provides_observation_tensor": True,
    "default_loadable": True,
    "parameter_specification": DEFAULTS,
}
_REGISTERED_TYPE = GAME_TYPE(
    long_name="Any rules in Edict",
    chance_mode=GAME_TYPE.ChanceMode.EXPLICIT_STOCHASTIC,
    information=GAME_TYPE.Information.IMPERFECT_INFORMATION,
    utility=GAME_TYPE.Utility.GENERAL_SUM,
    max_num_players=MOST_PLAYERS,
    min_num_players=1,
    provides_information_state_tensor=True,  # only for games that are walked in full
    **_SHARED,
)


class EdictGame(pyspiel.Game):
    """Rules with a number of players.

    The game's type and bounds (utilities, length) follow from the rules; for a game small enough to be walked in
    full, they are exact. Raises `RulesError` and `GameError` as `edict.load` and `Rules.new_game` do.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**DEFAULTS, **(params or {})}
        modules = tuple(given["modules"].split())
        self.coding: GameEncoding = encode_named_game(given["rules"], modules, given["players"], given["reward"])
        self.root = TreePosition.create_root(self.coding)
        self.bounds = GameBounds.from_root(self.root)
        super().__init__(
            _build_game_type(self.coding, self.bounds), _build_game_info(self.coding, self.bounds), params or {}
        )

    def new_initial_state(self) -> EdictState:
        """Return a state at the first question."""
        return EdictState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SeatObserver:
        """Create an observer of states, with perfect recall if the type asks for it."""
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return SeatObserver(self.coding, self.bounds, self.root, recall)


@dataclass(frozen=True)
class GameBounds:
    """Bounds of a game with a number of players, derived from its rules or, if it is small, from its full tree."""

    coding: GameEncoding
    traits: GameTraits
    extent: TreeExtent | None  # None if the tree is too large to be walked in full

    @staticmethod
    def from_root(root: TreePosition) -> GameBounds:
        """Compute the bounds of the game that starts with this position."""
        return GameBounds(root.coding, GameTraits.from_program(root.coding.program), measure_extent(root.branching))

    @cached_property
    def payoffs(self) -> tuple[float, float]:
        """The least and the greatest payoff of a seat."""
        if self.extent is None:
            least, greatest = self.traits.payoff_bounds(self.coding.reward, len(self.coding.names))
            return min(0, least), max(0, greatest)  # a game that is stopped for its length pays nothing
        values = [payoff for result in self._results for payoff in result]
        return min(values), max(values)

    @cached_property
    def is_zero_sum(self) -> bool:
        """Return True if the payoffs sum to zero in every game."""
        if self.extent is not None:
            return all(abs(sum(result)) < 1e-9 for result in self._results)
        is_solitaire = len(self.coding.names) == 1
        return not is_solitaire and (self.coding.reward == "score" or self.coding.program.certain)

    @property
    def max_actions(self) -> int:
        """The most actions of players in a game."""
        return self.traits.max_actions if self.extent is None else self.extent.longest

    @property
    def max_chance_options(self) -> int:
        """The most options of chance."""
        if self.extent is None:
            return self.traits.max_chance_options
        return self.extent.draws

    @cached_property
    def _results(self) -> list[list[float]]:
        """Return the payoffs by seat of every final result in the extent of the fully explored game."""
        assert self.extent is not None
        reward = self.coding.reward
        return [compute_payoffs(reward, scores, bits_of(winners)) for scores, winners in self.extent.results]


class EdictState(pyspiel.State):
    """An OpenSpiel state that holds a position."""

    def __init__(self, game: EdictGame) -> None:
        super().__init__(game)
        self.position: TreePosition = game.root

    def current_player(self) -> int:
        """Return the seat that is asked, chance, or the terminal player."""
        return TERMINAL if self.position.is_over else self.position.seat

    # The most frequent calls are overridden: through OpenSpiel's base class each takes three times as long.

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the sorted actions of the seat that is asked; none for any other."""
        asked = self.current_player()
        if asked != TERMINAL and player in (None, asked):
            return sorted({*self.position.actions})
        return []

    def is_chance_node(self) -> bool:
        """Return True if chance is asked."""
        return self.position.seat == CHANCE and not self.position.is_over

    def _legal_actions(self, player: int) -> list[int]:
        return sorted({*self.position.actions})

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the options of chance, all equally likely."""
        options = self.position.option_count
        return [(index, 1 / options) for index in range(options)]

    def _apply_action(self, action: int) -> None:
        self.position = self.position.apply_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        """Return the name of a player's action; for chance, the words of the option with this index."""
        position = self.position
        if player != pyspiel.PlayerId.CHANCE:
            return position.coding.action_name(action)
        return position.coding.wording.describe_answer(position.state, action)

    def is_terminal(self) -> bool:
        """Return True if the game is over."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """Return the returns by seat."""
        return self.position.payoffs()

    def resample_from_infostate(self, player: int, sampler: Any) -> EdictState:
        """Return a state that looks the same to a player, with hidden things redrawn.

        Args:
            player: The seat whose information stays the same.
            sampler: A function that returns numbers from 0 to 1.
        """
        state: EdictState = self.get_game().new_initial_state()
        for position in self.position.resample(player, Random(sampler())).list_path()[1:]:
            state.apply_action(state.position.actions[position.answer])
        return state

    def __str__(self) -> str:
        position = self.position
        if position.is_over:
            return "over"
        return position.coding.wording.describe_question(position.state)


class SeatObserver:
    """An OpenSpiel observer: a state as a seat sees it, as numbers (`tensor`) and as text.

    With perfect recall it covers all that the seat has seen. Its tensor then has a slot for each possible question:
    what the seat saw when it was asked, and the answer, if it saw that. It is empty for games that are too large to
    be walked in full, since the number of their questions is unknown.
    """

    def __init__(self, coding: GameEncoding, bounds: GameBounds, root: TreePosition, recall: bool) -> None:
        self._recall, self._observation_size = recall, coding.observer.size
        self._observation = np.zeros(coding.observer.size, np.float32)
        self._observer = root.branching.create_observation(coding.observer.reads(len(coding.names)), self._observation)
        self._slot_size = coding.observer.size + coding.actions.count + bounds.traits.max_chance_options
        self._action_count = coding.actions.count
        slots = bounds.extent.asked + 1 if recall and bounds.extent is not None else 0
        self.tensor = np.zeros(slots * self._slot_size, np.float32) if recall else self._observation
        self.dict = {"information_state" if recall else "observation": self.tensor}

    def set_from(self, state: EdictState, player: int) -> None:
        """Write what a seat sees of a state into `tensor`."""
        if not self._recall:
            self._observer.observe(state.position.row, player)
            return
        if not len(self.tensor):
            raise GameError("these rules set no bound on how much a seat can have seen", NO_TENSOR)
        self.tensor.fill(0)
        seen_positions = state.position.list_seen_positions(player)
        for slot, (position, actions) in zip(self.tensor.reshape(-1, self._slot_size), seen_positions, strict=False):
            self._observer.observe(position.row, player)
            slot[: self._observation_size] = self._observation
            offset = self._observation_size + (self._action_count if position.seat == CHANCE else 0)
            slot[[offset + action for action in actions]] = 1

    def string_from(self, state: EdictState, player: int) -> str:
        """Return what a seat sees of a state, in words."""
        if self._recall:
            return state.position.describe_information_state(player)
        return state.position.describe_observation(player)


NO_TENSOR = "use `information_state_string`, or `observation_tensor`"


def _build_game_type(coding: GameEncoding, bounds: GameBounds) -> Any:
    """Return the OpenSpiel type of a game with these rules and players."""
    traits, players = bounds.traits, len(coding.names)
    utility = GAME_TYPE.Utility.ZERO_SUM if bounds.is_zero_sum else GAME_TYPE.Utility.GENERAL_SUM
    return GAME_TYPE(
        long_name=coding.program.title,
        chance_mode=GAME_TYPE.ChanceMode.EXPLICIT_STOCHASTIC if traits.chance else GAME_TYPE.ChanceMode.DETERMINISTIC,
        information=(
            GAME_TYPE.Information.IMPERFECT_INFORMATION if traits.hidden else GAME_TYPE.Information.PERFECT_INFORMATION
        ),
        utility=utility,
        max_num_players=max(players, coding.program.most_players),
        min_num_players=coding.program.least_players,
        provides_information_state_tensor=bounds.extent is not None,
        **_SHARED,
    )


def _build_game_info(coding: GameEncoding, bounds: GameBounds) -> Any:
    """Return OpenSpiel's `GameInfo`: numbers of actions and players, bounds of payoffs and length, zero sum."""
    least, greatest = bounds.payoffs
    sums = {"utility_sum": 0.0} if bounds.is_zero_sum else {}
    return pyspiel.GameInfo(
        num_distinct_actions=max(1, coding.actions.count),
        max_chance_outcomes=bounds.max_chance_options,
        num_players=len(coding.names),
        min_utility=least,
        max_utility=greatest,
        max_game_length=bounds.max_actions,
        **sums,
    )


pyspiel.register_game(_REGISTERED_TYPE, EdictGame)
