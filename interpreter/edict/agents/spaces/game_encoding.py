"""The encoding of a game for learning programs: its traits, actions, observations and payoffs, and texts of states.

Names in texts are unique where titles may not be, and do not depend on a language, so two texts are equal only if the
same is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import inf
from os import PathLike
from typing import Literal

from edict.agents.spaces.action_space import DECLINE as DECLINED
from edict.agents.spaces.action_space import ActionSpace, find_chance_questions, find_player_questions
from edict.agents.spaces.observation_space import ObservationSpace
from edict.game.table.addresses import PLAYER, StateLayout, VariableCell, find_phase_cells
from edict.game.table.game_errors import GameError
from edict.game.table.knowledge import Secrets
from edict.game.table.rules import Rules, load_rules
from edict.game.table.setup import check_players, check_settings
from edict.game.table.wording import NUMBER, Wording
from edict.runtime.machine.loop import LONGEST, PUTTING
from edict.runtime.program import Program, opcodes
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import CHANCE, DECLINE, FIRST_OPTION, LEAST, MOST, QUESTION, SCRATCH, SEAT, TOGETHER
from edict.support.records import dataclass

BY_CHANCE = "chance"


class StateWording:
    """The words for the states and answers of a program, played by these agents."""

    def __init__(self, program: Program, agents: Sequence[str]) -> None:
        self._program, self._words = program, _NameWording(program, agents)
        self._agents, self._secrets = tuple(agents), Secrets.from_program(program)
        self.initial_cells = program.initial[program.header_size : program.working]
        layout = StateLayout.from_program(program)
        self._cells = layout.cells
        self._other_names = {at: f"who knows {self._name_cell(cell)}" for at, cell in layout.watched.items()}
        self._other_names |= {at: f"in {phase}" for phase, at in find_phase_cells(program).items()}
        self._other_names |= {setting.cell: f"setting {setting.name}" for setting in program.settings}
        self._other_names |= {
            period.base + seat: f"done in {period.phase}[{agent}]"
            for period in program.periods
            for seat, agent in enumerate(agents)
        }

    def mask_cells(self, state: Sequence[int], seat: int) -> list[int]:
        """Return the cells of the game as a seat sees them; hidden cells read as 0."""
        return self._secrets.mask_state([*state], seat)[self._program.header_size : self._program.working]

    def iter_changes(self, before: Sequence[int], after: Sequence[int]) -> Iterator[str]:
        """Yield each change of the cells of a game: `gold[player_0] = 3`."""
        described, offset = set[int](), self._program.header_size
        for address, (old, value) in enumerate(zip(before, after, strict=True), offset):
            if old == value or address in described:
                continue
            cell = self._cells.get(address)
            if cell is None:
                yield f"{self._other_names.get(address, f'#{address}')} = {value}"
                continue
            described |= {cell.address + i for i in range(cell.variable.type.cells)}
            row = [0] * cell.address + [*after[cell.address - offset :][: cell.variable.type.cells]]
            yield f"{self._name_cell(cell)} = {self._words.value(cell.variable.type, cell.value(row))}"

    def describe_state(self, state: Sequence[int], seat: int) -> str:
        """Describe all that a seat sees of a state that differs from the initial state."""
        return "\n".join(
            [f"{self._agents[seat]} sees", *self.iter_changes(self.initial_cells, self.mask_cells(state, seat))]
        )

    def describe_question(self, state: Sequence[int]) -> str:
        """Describe the current question with the agent that is asked."""
        question = self._program.questions[state[QUESTION]]
        return f"{self._name_seat(state[SEAT])}: {question.name} ({state[QUESTION]})"

    def describe_answer(self, state: Sequence[int], option: int) -> str:
        """Describe the answer that an option of the current question gives."""
        question, value = self._program.questions[state[QUESTION]], state[FIRST_OPTION + option]
        if value == DECLINE:
            return DECLINED
        if question.domain == "thing":
            return self._words.title(question.kind, value)
        if question.domain in ("branch", "ability"):
            return question.keys[value]
        if question.domain == "die":
            name, _, face = self._words.describe_field(value)
            return f"{name} {face}"
        if question.domain == "ways":
            return self._words.payment(question, value)
        return str(value)

    def _name_seat(self, seat: int) -> str:
        """Return the agent's name of a seat, or the name for chance."""
        return BY_CHANCE if seat == CHANCE else self._agents[seat]

    def _name_cell(self, cell: VariableCell) -> str:
        """Return a cell as its variable with the titles of its keys, like `gold[player_0]`."""
        name = cell.variable.name
        if cell.of:
            return f"{name}[{', '.join(map(self._words.title, cell.variable.kinds, cell.of))}]"
        return name


class _NameWording(Wording):
    """A wording that uses the names of things instead of their titles."""

    def title(self, kind: str, index: int) -> str:
        """Return an agent's name for a player and the name in the rules for a thing, not its title."""
        if kind == PLAYER and 0 <= index < len(self.players):
            return self.players[index]
        thing = self.thing(kind, index)
        if thing is not None and kind != NUMBER:
            return thing.name
        return super().title(kind, index)


Reward = Literal["victory", "score"]
REWARDS = ("victory", "score")


@dataclass(frozen=True)
class GameEncoding:
    """A game with its settings, actions and observations."""

    rules: Rules
    names: tuple[str, ...]  # the agents by seat
    settings: dict[str, int]
    actions: ActionSpace
    observer: ObservationSpace
    reward: Reward

    @property
    def program(self) -> Program:
        """The program of the rules."""
        return self.rules.program

    @cached_property
    def wording(self) -> StateWording:
        """The words for what is seen and answered."""
        return StateWording(self.program, self.names)

    def action_name(self, action: int) -> str:
        """Return the name of an action."""
        return self.actions.names[action]


def encode_game(
    rules: Rules | str | PathLike[str],
    modules: Sequence[str],
    players: int | None,
    settings: Mapping[str, object] | None,
    reward: Reward,
) -> GameEncoding:
    """Return the actions, observations and payoff bounds of a game by these rules for a number of players.

    Args:
        rules: Rules, or their name or path, as for `edict.load`.
        modules: The names of the modules.
        players: The number of players; None takes as many as possible.
        settings: The settings.
        reward: The kind of payoffs, see `compute_payoffs`.

    Raises:
        RulesError: If the rules are invalid.
        GameError: If the rules do not allow these players or settings.
    """
    if reward not in REWARDS:
        raise GameError(f"invalid reward {reward!r}", f"it is one of: {', '.join(REWARDS)}")
    loaded_rules = rules if isinstance(rules, Rules) else load_rules(rules, modules)
    program = loaded_rules.program
    names = tuple(f"player_{seat}" for seat in range(program.most_players if players is None else players))
    check_players(program, names)
    return GameEncoding(
        loaded_rules,
        names,
        check_settings(program, settings or {}),
        ActionSpace.from_program(program),
        ObservationSpace.from_program(program),
        reward,
    )


def compute_payoffs(reward: Reward, scores: Sequence[int], winners: Sequence[int]) -> list[float]:
    """Return the payoff of each seat from final scores and winners; they sum to 0 unless one plays alone.

    Args:
        reward: "victory" gives 1 to the winner and -1 shared by the others, and several winners share; "score" gives
            the score less the mean.
        scores: The scores by seat.
        winners: The seats that won.
    """
    players = len(scores)
    if reward == "score":
        mean = sum(scores) / players if players > 1 else 0.0
        return [score - mean for score in scores]
    shares = [(seat in winners) / max(1, len(winners)) for seat in range(players)]
    if players > 1:
        return [(share * players - 1) / (players - 1) for share in shares]
    return shares


# --- traits of a game -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class GameTraits:
    """Traits of a game that follow from its rules."""

    chance: bool  # dice are rolled or cards drawn
    hidden: bool  # something is secret, or chosen or drawn in secret
    simultaneous: bool  # several seats are asked at the same time
    score_bounds: tuple[float, float]  # least and greatest score, infinite where the rules set no bound
    max_chance_options: int  # options of chance at most
    max_actions: int  # actions after which every game is over, as the machine stops endless games

    @staticmethod
    def from_program(program: Program) -> GameTraits:
        """Derive the traits of a program."""
        chance_questions, player_questions = find_chance_questions(program), find_player_questions(program)
        secret = any(program.questions[number].secret for number in chance_questions | player_questions)
        least, greatest = program.scores
        options = [len(program.questions[number].answers) or program.max_options for number in chance_questions]
        return GameTraits(
            bool(chance_questions),
            secret or any(variable.known >= 0 for variable in program.variables),
            _has_simultaneous_questions(program),
            (-inf if least is None else least, inf if greatest is None else greatest),
            max(options, default=0),
            LONGEST // PUTTING * (program.max_options if ActionSpace.from_program(program).has_partial_answers else 1),
        )

    def payoff_bounds(self, reward: Reward, players: int) -> tuple[float, float]:
        """Return the least and the greatest payoff of a seat."""
        if reward == "victory":
            return (-1 / (players - 1), 1) if players > 1 else (0, 1)
        least, greatest = max(self.score_bounds[0], LEAST), min(self.score_bounds[1], MOST)
        if players == 1:
            return least, greatest
        max_lead = (greatest - least) * (players - 1) / players  # all others have the opposite extreme
        return -max_lead, max_lead


def _has_simultaneous_questions(program: Program) -> bool:
    """Return True if the code anywhere asks several seats `together`, without seeing the others' answers."""
    code, initial = program.code, program.initial
    return any(
        code[pc] == opcodes.SET and code[pc + 1] == SCRATCH and initial[code[pc + 2]] == TOGETHER
        for pc in find_instructions(program)[1]
    )
