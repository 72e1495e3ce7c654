"""What may be the case, as far as a seat knows: other courses the game may have taken that look the same from there.

A game is its answers. Those that a seat could not see (cards drawn in secret, choices of others made in secret) are
drawn anew, all others stay, and at every question the table must look to the seat as it did. So whatever the rules
make of hidden things, each state found is one that can be, and none holds anything the seat may not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from edict.machine.loop import run
from edict.program import Program
from edict.program.opcodes import (
    ANSWER, ASKING, CHANCE, EV_SET, EVENT_SIZE, FIRST_OPTION, LOGGING, OPTIONS, QUESTION, SEAT, SIZE,
)  # fmt: skip
from edict.table.chance import draw
from edict.table.addresses import Layout
from edict.table.masking import Secrets
from edict.table.options import is_roll
from edict.table.steps import Table

ATTEMPTS = 40  # courses tried for each state wanted
HOPELESS = 400  # courses tried before the first is found
MOST_EVENTS = 4000  # between two questions


class History:
    """The questions of a game in order, each with the state in which it was asked, and the answers given."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._secrets = Secrets.of(program)
        self._states: list[list[int]] = []
        self._answers: list[int] = []
        self._game = slice(program.header, program.working)
        self._kept = frozenset(Layout.of(program).cells)
        self._known_from: dict[int, tuple[int, int, bool]] = {}  # by seat, see `_known`

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
        self._states.append(list(state))
        self._states[-1][LOGGING] = 0

    def answered(self, index: int) -> None:
        """The question asked last has been answered by the option of this index."""
        self._answers.append(index)

    def possible(self, seat: int, number: int, luck: Random) -> list[list[int]]:
        """States that can be the one in which the last question was asked, for all the seat knows: `number` of them,
        or a single one if nothing is hidden.

        Where no course can be found that looks the same, what is hidden reads as nothing.
        """
        first, last = self._known(seat), len(self._states) - 1
        if first == last:
            return [self._secrets.masked(self._states[last], seat)]
        found: list[list[int]] = []
        for attempt in range(ATTEMPTS * number):
            if len(found) == number or (not found and attempt == HOPELESS):
                break
            state = self._course(seat, first, last, luck)
            if state is not None:
                found.append(state)
        return found or [self._secrets.masked(self._states[last], seat)]

    def course(self, seat: int, luck: Random) -> list[int]:
        """The answers, as indices of options, of another course that looks the same to a seat, hidden ones drawn anew.

        Those that were given, if none is found or nothing is hidden.
        """
        first, last = self._known(seat), len(self._states) - 1
        for _ in range(HOPELESS if first < last else 0):
            answers: list[int] = []
            if self._course(seat, first, last, luck, answers) is not None:
                return self._answers[:first] + answers
        return self._answers

    def _course(
        self, seat: int, first: int, last: int, luck: Random, answers: list[int] | None = None
    ) -> list[int] | None:
        """One other course from question `first` on; None if it came to look different. `answers` are added to."""
        state = self._states[first].copy()
        for at in range(first, last):
            following = self._step(state, seat, at, luck)
            if following is None:
                return None
            state = following
            if answers is not None:
                answers.append(state[ANSWER])
        return state

    def _step(self, state: list[int], seat: int, at: int, luck: Random) -> list[int] | None:
        """The state after question `at`, answered as it was, or in any way the seat could not tell from that."""
        true = self._states[at]
        options = _options(state)
        if self._program.questions[true[QUESTION]].secret and true[SEAT] != seat:
            tries = luck.sample(range(len(options)), len(options))
        else:
            value = true[FIRST_OPTION + self._answers[at]]
            tries = [options.index(value)] if value in options else []
        for index in tries:
            following = state.copy()
            following[ANSWER] = index
            if run(self._program.code, following, [0]) == ASKING and self._alike(following, at + 1, seat):
                return following
        return None

    def _alike(self, state: list[int], at: int, seat: int) -> bool:
        """Whether a state looks to the seat like the one of question `at`."""
        true = self._states[at]
        if (state[QUESTION], state[SEAT]) != (true[QUESTION], true[SEAT]):
            return False
        if true[SEAT] == seat and _options(state) != _options(true):
            return False
        return self._secrets.masked(state, seat)[self._game] == self._secrets.masked(true, seat)[self._game]

    # --- from where on anything is hidden

    def _known(self, seat: int) -> int:
        """The last question at which the seat knew all there was to know."""
        known, looked, pending = self._known_from.get(seat, (0, 0, False))
        for at in range(looked + 1, len(self._states)):
            pending = pending or self._unseen(seat, at)
            if self._open(seat, known, at):
                pending = False  # it has come to the table, face down
            elif not pending:
                known = at
        self._known_from[seat] = known, len(self._states) - 1, pending
        return known

    def _unseen(self, seat: int, at: int) -> bool:
        """Whether the answer before a question was a secret of which nothing has come to the table yet."""
        before, now = self._states[at - 1], self._states[at]
        secret = self._program.questions[before[QUESTION]].secret and before[SEAT] != seat
        return secret and before[self._game] == now[self._game]

    def _open(self, seat: int, known: int, at: int) -> bool:
        """Whether there is a cell at a question that the seat cannot know, though at question `known` it knew all."""
        state = self._states[at]
        return any(
            not state[knowers] >> seat & 1 and not self._settled(cell, knowers, known, at)
            for cell, knowers, _ in self._secrets.cells
        )

    def _settled(self, cell: int, knowers: int, known: int, at: int) -> bool:
        """Whether a cell is as it was, or what stands in it was put there by rules that always put the same."""
        for number in range(at, known, -1):
            now, before = self._states[number], self._states[number - 1]
            if now[cell] != before[cell]:
                return self._constant(cell, number - 1)
            if now[knowers] != before[knowers]:
                return False
        return True

    def _constant(self, cell: int, at: int) -> bool:
        """Whether the last change of a cell after question `at` wrote a constant of the rules."""
        state, log = self._states[at].copy(), [0] * (EVENT_SIZE * MOST_EVENTS)
        state[LOGGING], state[ANSWER] = 1, self._answers[at]
        code = self._program.code
        run(code, state, log)
        places = [log[i + 2] for i in range(0, log[0], EVENT_SIZE) if log[i + 1] == EV_SET and log[i + 3] == cell]
        if not places:
            return False
        operand = code[places[-1] + SIZE[code[places[-1]]] - 1]  # what is stored stands last
        return self._program.header <= operand < self._program.working and operand not in self._kept


def _options(state: Sequence[int]) -> list[int]:
    """The values of the options offered."""
    return list(state[FIRST_OPTION : FIRST_OPTION + state[OPTIONS]])
