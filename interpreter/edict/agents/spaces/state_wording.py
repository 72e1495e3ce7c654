"""Texts of game states as a seat sees them, with the names of everything.

Names are unique where titles may not be, and do not depend on a language, so two texts are equal only if the same is
seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.agents.spaces.action_space import DECLINE as DECLINED
from edict.game.table.addresses import PLAYER, StateLayout, VariableCell, find_phase_cells
from edict.game.table.knowledge import Secrets
from edict.game.table.wording import NUMBER, Wording
from edict.runtime.program import Program
from edict.runtime.program.opcodes import CHANCE, DECLINE, FIRST_OPTION, QUESTION, SEAT

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
