"""Where a game stands, with all answers that led there: never changed, so copies of a game share it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any

from edict.program.opcodes import FIRST_OPTION, GAME_OVER, QUESTION, WINNERS
from edict.simulation.branching import Branching
from edict.table.spaces import Coding, Reward, coding, payoffs
from edict.table.faults import fault
from edict.table.belief import History
from edict.table.addresses import seats_in
from edict.table.knowledge import Secrets

IN_GAME = "this happened in a game for OpenSpiel"


class Position:
    """A question of a game, or its end. `answer`: the index of the option that led here from the position `before`.

    seat: who is asked; -1: chance. actions: that of each option, in their order; of chance, the options' indices.
    """

    __slots__ = ("_told", "actions", "answer", "before", "branching", "coding", "over", "row", "seat")

    def __init__(self, coding: Coding, branching: Branching, before: Position | None = None, answer: int = -1) -> None:
        """What follows a position, or begins a game. Raises `RulesError` for a fault."""
        self.coding, self.branching, self.before, self.answer = coding, branching, before, answer
        if before is None:
            self.row, status, self.seat, self.actions = branching.begun()
        else:
            self.row, status, self.seat, self.actions = branching.after(before.row, answer)
        self.over = status == GAME_OVER
        if status < 0:
            raise fault(coding.program, self.state, IN_GAME)
        self._told: dict[int, str] | None = None

    @property
    def _seen(self) -> dict[int, str]:
        """What seats have seen, by seat, as far as somebody asked."""
        if self._told is None:
            self._told = {}
        return self._told

    def __deepcopy__(self, memo: Any) -> Position:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Kept as the answers, as OpenSpiel keeps all its states."""
        rules = self.coding.rules
        answers = [position.answer for position in self.line()[1:]]
        return _replayed, (rules.name, rules.modules, len(self.coding.names), self.coding.reward, answers)

    @staticmethod
    def first(coding: Coding) -> Position:
        """The first question. Raises `RulesError` for a fault, as `after` does."""
        actions = coding.actions
        return Position(coding, Branching(coding.program, len(coding.names), coding.settings, actions.coded))

    @property
    def state(self) -> list[int]:
        """The state as the machine has it; a copy."""
        cells: list[int] = self.row.row.tolist()
        return cells

    def after(self, answer: int) -> Position:
        """What follows when the question is answered by the option of this index."""
        return Position(self.coding, self.branching, self, answer)

    def after_all(self, answers: Iterable[int]) -> Position:
        """What follows when these are the answers, as indices of options."""
        found = self
        for answer in answers:
            found = found.after(answer)
        return found

    def line(self) -> list[Position]:
        """All positions from the first question to this one."""
        found = [self]
        while found[-1].before is not None:
            found.append(found[-1].before)
        return found[::-1]

    @property
    def options(self) -> int:
        """How many the question has."""
        return len(self.actions)

    def payoffs(self) -> list[float]:
        """The returns by seat; zeros before the game is over."""
        if not self.over:
            return [0.0] * len(self.coding.names)
        winners = seats_in(int(self.row.row[WINNERS]))
        return payoffs(self.coding.reward, self.branching.scores(self.row), winners)

    # --- what a seat has seen

    def seen(self, seat: int) -> str:
        """All that a seat has seen, in order: equal texts, equal knowledge.

        A line for each question that it sees. What others choose and what is drawn in secret is none of them: how often
        that happens may be a secret too. So what came of it is told with the next question that is seen.
        """
        new: list[Position] = []
        at: Position | None = self
        while at is not None and seat not in at._seen:
            new.append(at)
            at = at.before
        for position in reversed(new):
            earlier = position.before._seen[seat] if position.before else f"seat {seat}"
            position._seen[seat] = earlier if position._unseen(seat) else f"{earlier}\n{position._news(seat)}"
        return self._seen[seat]

    def _unseen(self, seat: int) -> bool:
        """Whether a seat does not see that this is asked."""
        return not self.over and self.seat != seat and self.coding.program.questions[self.state[QUESTION]].secret

    def _news(self, seat: int) -> str:
        """What a seat sees since the last question it saw: the answer, what has changed, and what is asked now."""
        line = [self]
        while line[-1].before is not None and (len(line) == 1 or line[-1]._unseen(seat)):
            line.append(line[-1].before)
        last, words = line[-1], list[str]()
        if last is not self and not last._unseen(seat):
            words.append(str(last.state[FIRST_OPTION + line[-2].answer]))
        words += [
            f"{self.coding.named(cell)}={value}"
            for cell, (value, was) in enumerate(
                zip(self._masked(seat), last._masked(seat), strict=True), self.coding.program.header
            )
            if value != was
        ]
        words.append("over" if self.over else f"{self.seat}:{self.state[QUESTION]}")
        return " ".join(words)

    def _masked(self, seat: int) -> list[int]:
        program = self.coding.program
        return Secrets.of(program).masked(self.state, seat)[program.header : program.working]

    def otherwise(self, seat: int, luck: Random) -> Position:
        """Another course of the game that looks the same to a seat; itself if none is found or nothing is hidden."""
        line, history = self.line(), History(self.coding.program)
        for position in line:
            if position.answer >= 0:
                history.answered(position.answer)
            history.asked(position.state)
        return line[0].after_all(history.course(seat, luck))


@cache
def coded(rules: str, modules: tuple[str, ...], players: int, reward: Reward) -> Coding:
    """Rules by name for so many players (0: as many as can play), read once."""
    return coding(rules, modules, players or None, None, reward)


def _replayed(rules: str, modules: tuple[str, ...], players: int, reward: Reward, answers: list[int]) -> Position:
    return Position.first(coded(rules, modules, players, reward)).after_all(answers)
