"""The game `edict` of OpenSpiel, and its states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
import pyspiel

from edict.agents.open_spiel.position import TreePosition, coded
from edict.agents.spaces.game_coding import Coding, Nature, payoffs
from edict.game.table.addresses import bits_of
from edict.game.table.game_errors import GameError
from edict.runtime.program.opcodes import CHANCE
from edict.runtime.simulation.state_tree import TreeExtent, measure_extent

MOST_PLAYERS = 15
TERMINAL: int = pyspiel.PlayerId.TERMINAL.value
DEFAULTS = {"rules": "kuhn-poker", "modules": "", "players": 0, "reward": "victory"}

KIND = pyspiel.GameType
_SHARED = {
    "short_name": "edict",
    "dynamics": KIND.Dynamics.SEQUENTIAL,  # those who are asked at once are asked one after the other, in secret
    "reward_model": KIND.RewardModel.TERMINAL,
    "provides_information_state_string": True,
    "provides_observation_string": True,
    "provides_observation_tensor": True,
    "default_loadable": True,
    "parameter_specification": DEFAULTS,
}
_ANY = KIND(
    long_name="Any rules in Edict",
    chance_mode=KIND.ChanceMode.EXPLICIT_STOCHASTIC,
    information=KIND.Information.IMPERFECT_INFORMATION,
    utility=KIND.Utility.GENERAL_SUM,
    max_num_players=MOST_PLAYERS,
    min_num_players=1,
    provides_information_state_tensor=True,  # of rules that are walked through in full
    **_SHARED,
)


class EdictGame(pyspiel.Game):
    """Rules with a number of players. Raises `RulesError` and `GameError` as `edict.load` and `Rules.new_game` do.

    What it says of itself (`get_type`, bounds of utilities, the longest game) is what follows from the rules; for a
    game that is small enough to be walked through in full, what was found there.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**DEFAULTS, **(params or {})}
        modules = tuple(given["modules"].split())
        self.coding: Coding = coded(given["rules"], modules, given["players"], given["reward"])
        self.first = TreePosition.first(self.coding)
        self.known = GameBounds.of(self.first)
        super().__init__(_type_of(self.coding, self.known), _info_of(self.coding, self.known), params or {})

    def new_initial_state(self) -> EdictState:
        """The first question of a game."""
        return EdictState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SeatObserver:
        """What shows a state as a seat sees it."""
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return SeatObserver(self.coding, self.known, self.first, recall)


@dataclass(frozen=True)
class GameBounds:
    """What is known of a game with so many players before it is played: by its rules and, if they are few, by all its
    courses. extent: None if it is too large to be walked through."""

    coding: Coding
    nature: Nature
    extent: TreeExtent | None

    @staticmethod
    def of(first: TreePosition) -> GameBounds:
        """A game that begins with this position."""
        return GameBounds(first.coding, Nature.of(first.coding.program), measure_extent(first.branching))

    @cached_property
    def payoffs(self) -> tuple[float, float]:
        """The least and the greatest that a seat can get."""
        if self.extent is None:
            least, greatest = self.nature.payoffs(self.coding.reward, len(self.coding.names))
            return min(0, least), max(0, greatest)  # nobody gets anything of a game that was stopped for its length
        found = [one for all_of_them in self._results for one in all_of_them]
        return min(found), max(found)

    @cached_property
    def sums_to_zero(self) -> bool:
        """Whether what one gets others lose, in every course."""
        if self.extent is not None:
            return all(abs(sum(one)) < 1e-9 for one in self._results)
        alone = len(self.coding.names) == 1
        return not alone and (self.coding.reward == "score" or self.coding.program.certain)

    @property
    def longest(self) -> int:
        """Actions of players at most."""
        return self.nature.longest if self.extent is None else self.extent.longest

    @property
    def draws(self) -> int:
        """Options of chance at most."""
        return self.nature.draws if self.extent is None else self.extent.draws

    @cached_property
    def _results(self) -> list[list[float]]:
        assert self.extent is not None
        reward = self.coding.reward
        return [payoffs(reward, scores, bits_of(winners)) for scores, winners in self.extent.results]


class EdictState(pyspiel.State):
    """A state: a position, and who is to answer."""

    def __init__(self, game: EdictGame) -> None:
        super().__init__(game)
        self.position: TreePosition = game.first

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


class SeatObserver:
    """A state as one seat sees it: as numbers (`tensor`), and as text; with perfect recall, all it has seen so far.

    With perfect recall there are numbers for games that are walked through in full alone: for each question there can
    be, what the seat saw when it was asked, and the answer, as far as it saw that. Of others nobody knows how many
    questions there can be.
    """

    def __init__(self, coding: Coding, known: GameBounds, first: TreePosition, recall: bool) -> None:
        self._recall, self._rest = recall, coding.observer.size
        self._one = np.zeros(coding.observer.size, np.float32)
        self._sight = first.branching.create_observation(coding.observer.reads(len(coding.names)), self._one)
        self._width = coding.observer.size + coding.actions.count + known.nature.draws
        self._actions = coding.actions.count
        slots = known.extent.asked + 1 if recall and known.extent is not None else 0
        self.tensor = np.zeros(slots * self._width, np.float32) if recall else self._one
        self.dict = {"information_state" if recall else "observation": self.tensor}

    def set_from(self, state: EdictState, player: int) -> None:
        """What a seat sees, into `tensor`."""
        if not self._recall:
            self._sight.observe(state.position.row, player)
            return
        if not len(self.tensor):
            raise GameError("these rules set no bound on how much a seat can have seen", NO_TENSOR)
        self.tensor.fill(0)
        seen = state.position.moments(player)
        for slot, (position, actions) in zip(self.tensor.reshape(-1, self._width), seen, strict=False):
            self._sight.observe(position.row, player)
            slot[: self._rest] = self._one
            first = self._rest + (self._actions if position.seat == CHANCE else 0)
            slot[[first + action for action in actions]] = 1

    def string_from(self, state: EdictState, player: int) -> str:
        """What a seat sees, in words."""
        return state.position.seen(player) if self._recall else state.position.observed(player)


NO_TENSOR = "use `information_state_string`, or `observation_tensor`"


def _type_of(coding: Coding, known: GameBounds) -> Any:
    """The type of a game with these rules and players."""
    nature, players = known.nature, len(coding.names)
    utility = KIND.Utility.ZERO_SUM if known.sums_to_zero else KIND.Utility.GENERAL_SUM
    return KIND(
        long_name=coding.program.title,
        chance_mode=KIND.ChanceMode.EXPLICIT_STOCHASTIC if nature.chance else KIND.ChanceMode.DETERMINISTIC,
        information=(KIND.Information.IMPERFECT_INFORMATION if nature.hidden else KIND.Information.PERFECT_INFORMATION),
        utility=utility,
        max_num_players=max(players, coding.program.most_players),
        min_num_players=coding.program.least_players,
        provides_information_state_tensor=known.extent is not None,
        **_SHARED,
    )


def _info_of(coding: Coding, known: GameBounds) -> Any:
    least, greatest = known.payoffs
    sums = {"utility_sum": 0.0} if known.sums_to_zero else {}
    return pyspiel.GameInfo(
        num_distinct_actions=max(1, coding.actions.count),
        max_chance_outcomes=known.draws,
        num_players=len(coding.names),
        min_utility=least,
        max_utility=greatest,
        max_game_length=known.longest,
        **sums,
    )


pyspiel.register_game(_ANY, EdictGame)
