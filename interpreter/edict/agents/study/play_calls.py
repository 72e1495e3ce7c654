"""The implementation of `edict.play`, `edict.decisions`, `edict.positions` and `edict.bot`.

Positions are a data set for imitation learning: what is seen, offered, answered and gained.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any

from edict.agents.bots import BOTS, Bot
from edict.agents.bots.guest_bot import warn_of_fault, warn_on_faults
from edict.agents.bots.match import Match
from edict.agents.bots.user_bots import Agent
from edict.agents.spaces.action_space import ActionSpace
from edict.agents.spaces.game_encoding import REWARDS, Reward, compute_payoffs
from edict.agents.spaces.observation_space import ObservationSpace
from edict.agents.study import table_files
from edict.agents.study.bot_games import GameRange, GameSetup, StudyError, play_range, split_games
from edict.agents.study.table_files import RequestedTables, TablePiece, play_piece
from edict.agents.study.tables import DECISIONS, REAL, TEXT, WHOLE, WHOLES, TableColumn, create_columns, game_columns
from edict.agents.study.totals import sum_games
from edict.game.table.addresses import bits_of
from edict.game.table.game_errors import GameError
from edict.game.table.rules import Rules, load_rules
from edict.game.table.setup import check_settings
from edict.runtime.machine.encoding import narrow_options
from edict.runtime.program import Program
from edict.runtime.program.opcodes import GAME_OVER, WINNERS
from edict.runtime.simulation import native
from edict.support.processes.distribution import process_starter, run_in_workers, start_inline
from edict.support.records import dataclass
from edict.support.resources import install_command

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


MAX_WARNINGS = 10
DEFAULT_PLAYERS = 4
MAX_SEED = (1 << 64) - 1
Kind = str | type[Agent]  # the name of a bot, or a user's own class


@dataclass(frozen=True, slots=True)
class PlayCall:
    """The arguments of `edict.play`."""

    rules: Rules | str | PathLike[str]
    games: int
    bots: Kind | Sequence[Kind]
    players: int | None
    modules: Sequence[str]
    settings: Mapping[str, object]
    seed: int
    workers: int

    def to_setup(self) -> GameSetup:
        """Return the setup of the games; raise `GameError` for invalid arguments."""
        if isinstance(self.rules, Rules) and self.modules:
            raise GameError("the rules are already loaded", "give their modules to `load`")
        _require_integer("games", self.games, 0, 10**9)
        _require_integer("seed", self.seed, 0, MAX_SEED)
        _require_integer("workers", self.workers, 1, 1024)
        program = (self.rules if isinstance(self.rules, Rules) else load_rules(self.rules, self.modules)).program
        settings = check_settings(program, self.settings)
        return GameSetup(program, self._resolve_seats(program), tuple(sorted(settings.items())), self.seed)

    def _resolve_seats(self, program: Program) -> tuple[str, ...]:
        """Return the bot of each seat, one repeated for all; raise `GameError` if bots and players do not fit."""
        kinds = [resolve_bot_name(kind) for kind in ([self.bots] if isinstance(self.bots, str | type) else self.bots)]
        default = len(kinds) if len(kinds) > 1 else min(DEFAULT_PLAYERS, program.most_players)
        players = default if self.players is None else self.players
        if not program.least_players <= players <= program.most_players:
            allowed = f"{program.least_players} to {program.most_players}"
            raise GameError(f"{program.title} is for {allowed} players, not {players}", f"give {allowed} players")
        if len(kinds) not in (1, players):
            raise GameError(f"{len(kinds)} bots for {players} players", "name one for all seats, or one for each")
        return tuple(kinds) if len(kinds) > 1 else tuple(kinds * players)


def _require_integer(name: str, number: object, low: int, high: int) -> None:
    """Raise `GameError`, naming the argument, unless it is an integer from `low` to `high`."""
    if not isinstance(number, int) or isinstance(number, bool) or not low <= number <= high:
        raise GameError(f"invalid value for {name}: {number!r}", f"it must be a whole number from {low} to {high}")


def resolve_bot_name(kind: object) -> str:
    """Return the name of a bot, for a class by its module and name. Raises `GameError` for an unknown bot."""
    if isinstance(kind, type):
        imported: object = getattr(sys.modules.get(kind.__module__), kind.__name__, None)
        if imported is not kind:
            raise GameError(f"`{kind.__qualname__}` cannot be found by its name", "define it at the top of a module")
        kind = f"{kind.__module__}:{kind.__name__}"
    if not isinstance(kind, str):
        raise GameError(f"a bot cannot be {kind!r}", "name a kind, as in `greedy`, or a class")
    return BOTS.validate(kind)


def play_game_table(call: PlayCall) -> Any:
    """Play the games, and return an Arrow table with a row for each game."""
    setup = call.to_setup()
    pieces = _play_pieces(call, setup, partial(play_piece, setup, RequestedTables(games=True)))
    return table_files.build_table(game_columns(setup), [piece.games for piece in pieces if piece.games])


def play_decision_table(call: PlayCall) -> Any:
    """Play the games, and return an Arrow table with a row for each decision."""
    setup = call.to_setup()
    pieces = _play_pieces(call, setup, partial(play_piece, setup, RequestedTables(decisions=True)))
    return table_files.build_table(DECISIONS, [piece.decisions for piece in pieces if piece.decisions])


def play_position_table(call: PlayCall, reward: Reward) -> Any:
    """Play the games, and return an Arrow table with a row for each action; its metadata names actions and numbers."""
    if reward not in REWARDS:
        raise GameError(f"invalid reward {reward!r}", f"it is one of: {', '.join(REWARDS)}")
    setup = call.to_setup()
    pieces = _play_pieces(call, setup, partial(play_positions, setup, reward))
    table = table_files.build_table(POSITIONS, [piece.positions for piece in pieces if piece.positions])
    return table.replace_schema_metadata(describe_encoding(setup.program))


def _play_pieces(call: PlayCall, setup: GameSetup, play: Callable[[GameRange], TablePiece]) -> list[TablePiece]:
    """Play the games piece by piece, in this process or in workers, and return the pieces in order."""
    if not table_files.is_available():
        raise StudyError("tables need pyarrow", install_command("data"))
    start = process_starter(call.workers) if call.workers > 1 else start_inline
    played = run_in_workers(play, split_games(call.games, setup.piece_size), start)
    pieces = [piece for _, piece in sorted(played, key=lambda item: item[0].first)]
    for fault, count in sum((piece.totals.mishaps for piece in pieces), Counter[str]()).most_common(MAX_WARNINGS):
        warn_of_fault(f"{fault} ({count:,} times)")
    return pieces


def create_bot(kind: Kind, rules: Rules, seed: int) -> Bot:
    """Create a bot by name, which uses native code only if that is in the cache; its faults become warnings."""
    name = resolve_bot_name(kind)
    if native.is_available():
        native.load_native()
    return warn_on_faults(BOTS[name](rules.program, seed))
