"""What may be the case, as far as a seat knows: other courses the game may have taken that look the same from there.

A game is its answers. Those that a seat could not see (cards drawn in secret, choices of others made in secret) are
drawn anew, all others stay; at every question the table must look to the seat as it did, and on the way to it the
seat must have seen the same. So whatever the rules make of hidden things, each state found is one that can be, and
none holds anything the seat may not know. How courses are drawn `table.worlds` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from edict.machine.loop import run
from edict.program import Program
from edict.program.opcodes import (
    ANSWER, ASKING, CHANCE, EV_SET, EVENT_SIZE, LOGGING, OPTIONS, QUESTION, SEAT, SIZE,
)  # fmt: skip
from edict.table.chance import draw
from edict.table.addresses import Layout
from edict.table.leftovers import swept
from edict.table.masking import Secrets
from edict.table.options import is_roll
from edict.table.steps import Table
from edict.table.worlds import States, World, Worlds

MOST_EVENTS = 4000  # between two questions


class History:
    """The questions of a game in order, each with the state in which it was asked, and the answers given."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._secrets = Secrets.of(program)
        self._states = States(program)
        self._game = slice(program.header, program.working)
        self._kept = frozenset(Layout.of(program).cells)
        self._known_from: dict[int, tuple[int, int, bool]] = {}  # by seat, see `_known`
        self._worlds: dict[int, Worlds] = {}  # by seat

    @staticmethod
    def of(table: Table, answers: Sequence[int]) -> History:
        """The history of a game at a table in which these answers were given, up to the question being asked."""
        found = History(table.program)
        state, draws = table.first_state(), 0
        state[LOGGING] = 0
        while run(table.program.code, state, [0]) == ASKING:
            found.asked(state)
            typed = table.typed and is_roll(table.program.questions[state[QUESTION]])
            if state[SEAT] == CHANCE and not typed:
                answer, draws = draw(table.seed, draws, state[OPTIONS]), draws + 1
            elif len(answers) == 0:
                break
            else:
                answer, answers = answers[0], answers[1:]
            found.answered(answer)
            state[ANSWER] = answer
        return found

    def asked(self, state: Sequence[int]) -> None:
        """A question is asked; the state is copied."""
        self._states.add(state)

    def answered(self, index: int) -> None:
        """The question asked last has been answered by the option of this index."""
        self._states.indices.append(index)

    def worlds(self, seat: int, number: int, luck: Random) -> list[list[int]]:
        """States that can be the one in which the last question was asked, for all the seat knows: `number` of them,
        fewer where that is too much work, none if nothing is hidden."""
        return [world.state for world in self._drawn(seat, number, luck)]

    def possible(self, seat: int, number: int, luck: Random) -> list[list[int]]:
        """The same, but a single one if nothing is hidden.

        Where no course can be found that looks the same, what is hidden reads as nothing.
        """
        found = self.worlds(seat, number, luck)
        if not found:
            found = [self._secrets.masked(self._states.state(self._states.count - 1), seat)]
            swept(self._program, found[0])
        return found

    def hides(self, seat: int) -> bool:
        """Whether a seat may not know all there is to know at the last question."""
        return self._known(seat) < self._states.count - 1

    def course(self, seat: int, luck: Random) -> list[int]:
        """The answers, as indices of options, of another course that looks the same to a seat, hidden ones drawn again.

        Those that were given, if none is found or nothing is hidden.
        """
        worlds = self._drawn(seat, 1, luck)
        return list(worlds[0].indices) if worlds else self._states.indices

    def _drawn(self, seat: int, number: int, luck: Random) -> list[World]:
        if not self.hides(seat):
            return []
        if seat not in self._worlds:
            self._worlds[seat] = Worlds(self._states, seat)
        return self._worlds[seat].drawn(self._known(seat), number, luck)

    # --- from where on anything is hidden

    def _known(self, seat: int) -> int:
        """The last question at which the seat knew all there was to know."""
        known, looked, pending = self._known_from.get(seat, (0, 0, False))
        for at in range(looked + 1, self._states.count):
            pending = pending or self._unseen(seat, at)
            if self._open(seat, known, at):
                pending = False  # it has come to the table, face down
            elif not pending:
                known = at
        self._known_from[seat] = known, self._states.count - 1, pending
        return known

    def _unseen(self, seat: int, at: int) -> bool:
        """Whether the answer before a question was a secret of which nothing has come to the table yet."""
        before, now = self._states.rows[at - 1], self._states.rows[at]
        secret = self._program.questions[before[QUESTION]].secret and before[SEAT] != seat
        return secret and list(before[self._game]) == list(now[self._game])

    def _open(self, seat: int, known: int, at: int) -> bool:
        """Whether there is a cell at a question that the seat cannot know, though at question `known` it knew all."""
        state = self._states.rows[at]
        return any(
            not state[knowers] >> seat & 1 and not self._settled(cell, knowers, known, at)
            for cell, knowers, _ in self._secrets.cells
        )

    def _settled(self, cell: int, knowers: int, known: int, at: int) -> bool:
        """Whether a cell is as it was, or what stands in it was put there by rules that always put the same."""
        for number in range(at, known, -1):
            now, before = self._states.rows[number], self._states.rows[number - 1]
            if now[cell] != before[cell]:
                return self._constant(cell, number - 1)
            if now[knowers] != before[knowers]:
                return False
        return True

    def _constant(self, cell: int, at: int) -> bool:
        """Whether the last change of a cell after question `at` wrote a constant of the rules."""
        state, log = self._states.state(at), [0] * (EVENT_SIZE * MOST_EVENTS)
        state[LOGGING], state[ANSWER] = 1, self._states.indices[at]
        code = self._program.code
        run(code, state, log)
        places = [log[i + 2] for i in range(0, log[0], EVENT_SIZE) if log[i + 1] == EV_SET and log[i + 3] == cell]
        if not places:
            return False
        operand = code[places[-1] + SIZE[code[places[-1]]] - 1]  # what is stored stands last
        return self._program.header <= operand < self._program.working and operand not in self._kept
