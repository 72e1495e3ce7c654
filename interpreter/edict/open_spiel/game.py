"""The game `edict` of OpenSpiel, and its states."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pyspiel

from edict.open_spiel.position import Position, coded
from edict.program.opcodes import CHANCE
from edict.table.spaces import Coding

MOST_PLAYERS = 15
TERMINAL: int = pyspiel.PlayerId.TERMINAL.value
LONGEST = 100_000  # answers
FAR = 1_000_000.0  # no score is farther from the mean
DEFAULTS = {"rules": "kuhn-poker", "modules": "", "players": 0, "reward": "victory"}

_TYPE = pyspiel.GameType(
    short_name="edict",
    long_name="Any rules in Edict",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=MOST_PLAYERS,
    min_num_players=1,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    default_loadable=True,
    parameter_specification=DEFAULTS,
)


class EdictGame(pyspiel.Game):
    """Rules with a number of players. Raises `RulesError` and `GameError` as `edict.load` and `Rules.new_game` do."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**DEFAULTS, **(params or {})}
        modules = tuple(given["modules"].split())
        self.coding: Coding = coded(given["rules"], modules, given["players"], given["reward"])
        far = 1.0 if self.coding.reward == "victory" else FAR
        players = len(self.coding.names)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.coding.actions.count,
            max_chance_outcomes=self.coding.program.room,
            num_players=players,
            min_utility=-far,
            max_utility=far,
            utility_sum=0.0,
            max_game_length=LONGEST,
        )
        super().__init__(_TYPE, info, params or {})
        self.first = Position.first(self.coding)

    def new_initial_state(self) -> EdictState:
        """The first question of a game."""
        return EdictState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Looking:
        """What shows a state as a seat sees it."""
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return Looking(self.coding, self.first, recall)


class EdictState(pyspiel.State):
    """A state: a position, and who is to answer."""

    def __init__(self, game: EdictGame) -> None:
        super().__init__(game)
        self.position: Position = game.first

    def current_player(self) -> int:
        """Who is asked, chance, or the mark of the end."""
        return TERMINAL if self.position.over else self.position.seat

    # What is asked most is answered here at once: by way of OpenSpiel's own class each takes three times as long.

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The actions of who is asked, in their order; nobody else has any."""
        asked = self.current_player()
        return sorted({*self.position.actions}) if asked != TERMINAL and player in (None, asked) else []

    def is_chance_node(self) -> bool:
        """Whether chance is asked."""
        return self.position.seat == CHANCE and not self.position.over

    def _legal_actions(self, player: int) -> list[int]:
        return sorted({*self.position.actions})

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The options of chance, each as likely as the others."""
        options = self.position.options
        return [(index, 1 / options) for index in range(options)]

    def _apply_action(self, action: int) -> None:
        self.position = self.position.after_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        position = self.position
        if player != pyspiel.PlayerId.CHANCE:
            return position.coding.action_name(action)
        return position.coding.sights.answer(position.state, action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.over

    def returns(self) -> list[float]:
        """The returns by seat."""
        return self.position.payoffs()

    def resample_from_infostate(self, player: int, sampler: Any) -> EdictState:
        """A state that looks the same to a player, with hidden things redrawn. sampler: returns numbers from 0 to 1."""
        state: EdictState = self.get_game().new_initial_state()
        for position in self.position.otherwise(player, Random(sampler())).line()[1:]:
            state.apply_action(state.position.actions[position.answer])
        return state

    def __str__(self) -> str:
        position = self.position
        return "over" if position.over else position.coding.sights.asked(position.state)


class Looking:
    """A state as one seat sees it: as numbers (`tensor`), and as text; with perfect recall, all it has seen so far."""

    def __init__(self, coding: Coding, first: Position, recall: bool) -> None:
        self._coding, self._recall = coding, recall
        self.tensor = np.zeros(coding.observer.size, np.float32)
        self._sight = first.branching.sight(coding.observer.reads(len(coding.names)), self.tensor)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: EdictState, player: int) -> None:
        """What a seat sees, into `tensor`."""
        self._sight.see(state.position.row, player)

    def string_from(self, state: EdictState, player: int) -> str:
        """What a seat sees, as text."""
        if self._recall:
            return state.position.seen(player)
        return state.position.observed(player)


pyspiel.register_game(_TYPE, EdictGame)
