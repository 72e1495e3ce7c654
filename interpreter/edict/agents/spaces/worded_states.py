"""What a seat may see of a game, in words, with the name of everything.

Names differ where titles may not, and no language changes them: so two texts are equal only if what is seen is.
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
    """The words of a program, played by these agents."""

    def __init__(self, program: Program, agents: Sequence[str]) -> None:
        self._program, self._words = program, _Names(program, agents)
        self._agents, self._secrets = tuple(agents), Secrets.from_program(program)
        self.beginning = program.initial[program.header_size : program.working]
        layout = StateLayout.from_program(program)
        self._cells = layout.cells
        self._others = {at: f"who knows {self._called(cell)}" for at, cell in layout.watched.items()}
        self._others |= {at: f"in {phase}" for phase, at in find_phase_cells(program).items()}
        self._others |= {setting.cell: f"setting {setting.name}" for setting in program.settings}
        self._others |= {
            period.base + seat: f"done in {period.phase}[{agent}]"
            for period in program.periods
            for seat, agent in enumerate(agents)
        }

    def seen(self, state: Sequence[int], seat: int) -> list[int]:
        """The cells of the game as a seat sees them; what it may not know reads as nothing."""
        return self._secrets.mask_state([*state], seat)[self._program.header_size : self._program.working]

    def changed(self, before: Sequence[int], after: Sequence[int]) -> Iterator[str]:
        """What is otherwise in the cells of the game, once each: `gold[player_0] = 3`."""
        told, first = set[int](), self._program.header_size
        for at, (was, value) in enumerate(zip(before, after, strict=True), first):
            if was == value or at in told:
                continue
            cell = self._cells.get(at)
            if cell is None:
                yield f"{self._others.get(at, f'#{at}')} = {value}"
                continue
            told |= {cell.address + i for i in range(cell.variable.type.cells)}
            row = [0] * cell.address + [*after[cell.address - first :][: cell.variable.type.cells]]
            yield f"{self._called(cell)} = {self._words.value(cell.variable.type, cell.value(row))}"

    def observed(self, state: Sequence[int], seat: int) -> str:
        """All that a seat sees of a state: what is not as it was before the beginning."""
        return "\n".join([f"{self._agents[seat]} sees", *self.changed(self.beginning, self.seen(state, seat))])

    def asked(self, state: Sequence[int]) -> str:
        """What is asked, and who."""
        question = self._program.questions[state[QUESTION]]
        return f"{self._who(state[SEAT])}: {question.name} ({state[QUESTION]})"

    def answer(self, state: Sequence[int], option: int) -> str:
        """What an option of the question in a state says."""
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
        return self._words.payment(question, value) if question.domain == "ways" else str(value)

    def _who(self, seat: int) -> str:
        return BY_CHANCE if seat == CHANCE else self._agents[seat]

    def _called(self, cell: VariableCell) -> str:
        name = cell.variable.name
        return f"{name}[{', '.join(map(self._words.title, cell.variable.kinds, cell.of))}]" if cell.of else name


class _Names(Wording):
    """Words in which things go by their names."""

    def title(self, kind: str, index: int) -> str:
        if kind == PLAYER and 0 <= index < len(self.players):
            return self.players[index]
        thing = self.thing(kind, index)
        return thing.name if thing is not None and kind != NUMBER else super().title(kind, index)
