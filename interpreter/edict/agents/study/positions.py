"""Positions of games between bots, as a data set for imitation learning: what is seen, offered, answered and gained."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from edict.agents.bots.match import Match
from edict.agents.spaces.action_space import ActionSpace
from edict.agents.spaces.game_encoding import Reward, compute_payoffs
from edict.agents.spaces.observation_space import ObservationSpace
from edict.agents.study.bot_games import GameRange, GameSetup, play_range
from edict.agents.study.table_files import TablePiece
from edict.agents.study.tables import REAL, TEXT, WHOLE, WHOLES, TableColumn, create_columns
from edict.agents.study.totals import sum_games
from edict.game.table.addresses import bits_of
from edict.runtime.machine.encoding import narrow_options
from edict.runtime.program import Program
from edict.runtime.program.opcodes import GAME_OVER, WINNERS
from edict.runtime.simulation import native

POSITIONS = (
    TableColumn("game", WHOLE, "number of the game, as in the table of games"),
    TableColumn("number", WHOLE, "number of the action in the game, from 0"),
    TableColumn("seat", WHOLE, "who acted"),
    TableColumn("bot", TEXT, "the bot in that seat"),
    TableColumn("observation", WHOLES, "what the seat saw, as environments observe it; without what is hidden from it"),
    TableColumn("legal", WHOLES, "the actions that were possible, in ascending order"),
    TableColumn("action", WHOLE, "the action that was taken"),
    TableColumn(
        "outcome", REAL, "what the seat gained by the game, as environments reward it; missing if it was aborted"
    ),
)


class PositionRecorder:
    """An observer that records a row for every action of a player, see `bot_games.GameObserver`.

    An answer that takes several actions gives several rows, as in an environment.
    """

    def __init__(self, setup: GameSetup, reward: Reward) -> None:
        self.columns = create_columns(POSITIONS)
        self._bots, self._players, self._reward = setup.bots, setup.players, reward
        self._actions = ActionSpace.from_program(setup.program)
        self._observe = create_observer(ObservationSpace.from_program(setup.program), setup.players)
        self._game = self._first = 0

    def begin(self, number: int, match: Match) -> None:
        """Start to record a game."""
        self._game, self._first = number, len(self.columns["game"])

    def look(self, match: Match) -> None:
        """Write the outcomes of the game if it is over."""
        if match.status == GAME_OVER:
            payoffs = compute_payoffs(self._reward, match.scores(), bits_of(match.state[WINNERS]))
            seats = self.columns["seat"][self._first :]
            self.columns["outcome"][self._first :] = [payoffs[seat] for seat in seats]

    def record_decision(self, match: Match, seat: int, index: int, values: Sequence[float] | None) -> None:
        """Record the actions that an answer consists of."""
        state = match.state
        while True:
            actions = self._actions.list_option_actions(state)
            action = actions[index]
            self._add_row(seat, self._observe(state, seat), sorted(set(actions)), action)
            if not narrow_options(state, index, actions):
                return
            index = actions[:index].count(action)

    def _add_row(self, seat: int, observation: Any, legal: list[int], action: int) -> None:
        """Add a row, as yet without an outcome."""
        number = len(self.columns["game"]) - self._first
        row = (self._game, number, seat, self._bots[seat], observation, legal, action, None)
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(value)


def create_observer(space: ObservationSpace, players: int) -> Callable[[Sequence[int], int], Any]:
    """Return a function from a state and a seat to the observation, native if that is available."""
    if not native.is_available():
        return space.observe
    observe, reads = native.load_state_observer(), native.make_integers(space.reads(players))

    def observe_natively(state: Sequence[int], seat: int) -> Any:
        """Return the observation."""
        seen = native.make_rows(1, space.size)
        observe(native.make_integers(state).reshape(1, -1), reads, native.make_integers([seat]), seen)
        return seen[0].tolist()

    return observe_natively


def play_positions(setup: GameSetup, reward: Reward, game_range: GameRange) -> TablePiece:
    """Play a range of games and record their positions; a piece of work."""
    recorder = PositionRecorder(setup, reward)
    played = play_range(setup, game_range, observer=recorder)
    return TablePiece(sum_games(setup, played), positions=recorder.columns)


def describe_encoding(program: Program) -> dict[str, str]:
    """Return the metadata of a table of positions: as JSON, the names of `actions` and of the observed `numbers`."""
    actions, numbers = ActionSpace.from_program(program).names, ObservationSpace.from_program(program).names
    return {"actions": json.dumps(actions), "numbers": json.dumps(numbers)}
