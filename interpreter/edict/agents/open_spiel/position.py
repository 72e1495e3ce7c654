"""Where a game stands, with all answers that led there: never changed, so copies of a game share it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

from edict.agents.spaces.game_coding import Coding, Reward, coding, payoffs
from edict.game.table.addresses import bits_of
from edict.game.table.belief import History
from edict.game.table.faults import fault_error
from edict.runtime.program.opcodes import FIRST_OPTION, GAME_OVER, QUESTION, STATUS, TOO_LONG, WINNERS
from edict.runtime.simulation.state_tree import StateTree

IN_GAME = "this happened in a game for OpenSpiel"


class TreePosition:
    """A question of a game, or its end. `answer`: the index of the option that led here from the position `before`.

    seat: who is asked; -1: chance. actions: that of each option, in their order; of chance, the options' indices.
    whole: where the question was asked of which this is the rest, as part of it is answered; else this one.
    """

    __slots__ = ("_told", "actions", "answer", "before", "branching", "coding", "over", "row", "seat", "whole")

    def __init__(
        self, coding: Coding, branching: StateTree, before: TreePosition | None = None, answer: int = -1
    ) -> None:
        """What follows a position, or begins a game. Raises `RulesError` for a fault."""
        self.coding, self.branching, self.before, self.answer = coding, branching, before, answer
        if before is None:
            self.row, status, self.seat, self.actions = branching.first_question()
        else:
            self.row, status, self.seat, self.actions = branching.apply(before.row, answer)
        self.whole: TreePosition = before.whole if before is not None and before.goes_on(answer) else self
        self.over = status in (GAME_OVER, TOO_LONG)  # OpenSpiel knows no truncation: the longest game ends there
        if status < 0 and not self.over:
            raise fault_error(coding.program, self.state, IN_GAME)
        self._told: dict[int, str] | None = None

    @property
    def _seen(self) -> dict[int, str]:
        """What seats have seen, by seat, as far as somebody asked."""
        if self._told is None:
            self._told = {}
        return self._told

    def __deepcopy__(self, memo: Any) -> TreePosition:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Kept as the answers, as OpenSpiel keeps all its states."""
        rules = self.coding.rules
        answers = [position.answer for position in self.line()[1:]]
        return _replayed, (rules.name, rules.modules, len(self.coding.names), self.coding.reward, answers)

    @staticmethod
    def first(coding: Coding) -> TreePosition:
        """The first question. Raises `RulesError` for a fault, as `after` does."""
        actions = coding.actions
        return TreePosition(coding, StateTree(coding.program, len(coding.names), coding.settings, actions.coded))

    @property
    def state(self) -> list[int]:
        """The state as the machine has it; a copy."""
        cells: list[int] = self.row.row.tolist()
        return cells

    def after(self, answer: int) -> TreePosition:
        """What follows the action of the option of this index."""
        return TreePosition(self.coding, self.branching, self, answer)

    def after_action(self, action: int) -> TreePosition:
        """What follows an action that is offered."""
        return self.after(self.actions.index(action))

    def goes_on(self, answer: int) -> bool:
        """Whether the action of an option leaves several: then they are asked for next."""
        return 1 < self.actions.count(self.actions[answer]) < len(self.actions)

    def after_all(self, answers: Iterable[int]) -> TreePosition:
        """What follows when these are the actions, each by the index of an option."""
        found = self
        for answer in answers:
            found = found.after(answer)
        return found

    def line(self) -> list[TreePosition]:
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
        """Return the returns by seat: zeros before the game is over, and if it was stopped because it did not end."""
        if self.row.row[STATUS] != GAME_OVER:
            return [0.0] * len(self.coding.names)
        winners = bits_of(int(self.row.row[WINNERS]))
        return payoffs(self.coding.reward, self.branching.compute_scores(self.row), winners)

    # --- what a seat has seen

    def observed(self, seat: int) -> str:
        """What a seat sees of the table now, and what is asked, in words."""
        sights, state = self.coding.sights, self.state
        end = "over" if self.over else "" if self._unseen(seat) else sights.asked(state)
        return "\n".join(filter(None, [sights.observed(state, seat), end]))

    def seen(self, seat: int) -> str:
        """All that a seat has seen, in order: equal texts, equal knowledge.

        A line for each question that it sees. What others choose and what is drawn in secret is none of them: how often
        that happens may be a secret too. So what came of it is told with the next question that is seen.
        """
        new: list[TreePosition] = []
        at: TreePosition | None = self
        while at is not None and seat not in at._seen:
            new.append(at)
            at = at.before
        for position in reversed(new):
            earlier = position.before._seen[seat] if position.before else self.coding.names[seat]
            position._seen[seat] = earlier if position._unseen(seat) else f"{earlier}\n{position._news(seat)}"
        return self._seen[seat]

    def moments(self, seat: int) -> list[tuple[TreePosition, list[int]]]:
        """The positions that a seat has seen, in order, each with the actions of the answer, or chance's option. Of
        another's answer it sees all parts together, once it is given."""
        found = list[tuple[TreePosition, list[int]]]()
        for at, later in pairwise(self.line()):
            if not at._unseen(seat):
                found.append((at, [at.actions[later.answer]]))
            elif found and found[-1][0] is at.whole:
                found[-1][1].append(at.actions[later.answer])
        if not self._unseen(seat):
            found.append((self, []))
        elif found and found[-1][0] is self.whole:
            found[-1][1].clear()
        return found

    def _unseen(self, seat: int) -> bool:
        """Whether a seat does not see that this is asked: a secret, or that another's answer is given in parts."""
        if self.over or self.seat == seat:
            return False
        return self.whole is not self or self.coding.program.questions[self.state[QUESTION]].secret

    def _news(self, seat: int) -> str:
        """What a seat sees since the last question it saw: the answer, what has changed, and what is asked now."""
        line = [self]
        while line[-1].before is not None and (len(line) == 1 or line[-1]._unseen(seat)):
            line.append(line[-1].before)
        last, sights, words = line[-1], self.coding.sights, list[str]()
        if last is not self and not last._unseen(seat):
            words.append(last._taken(line[-2::-1]))
        was = sights.seen(last.state, seat) if last is not self else sights.beginning
        words += sights.changed(was, sights.seen(self.state, seat))
        words.append("over" if self.over else sights.asked(self.state))
        return "; ".join(words)

    def _taken(self, later: Iterable[TreePosition]) -> str:
        """The answer to this question, in words; of one that is given in parts, to its end or to the last of these."""
        at = self
        for position in later:
            if position.whole is not self.whole:
                return self.coding.sights.answer(at.state, position.answer)
            at = position
        assert at.before is not None
        return self.coding.action_name(at.before.actions[at.answer])

    def otherwise(self, seat: int, luck: Random) -> TreePosition:
        """Another course of the game that looks the same to a seat; itself if none is found or nothing is hidden."""
        line, history = self.line(), History(self.coding.program)
        for position in line:
            if position.whole is position:
                if position.before is not None:
                    history.add_answer(position.before._index_in_whole(position.answer))
                history.add_question(position.state)
        found = line[0]
        for answer in history.sample_course(seat, luck):
            found = found._after_whole(answer)
        for position in line[line.index(self.whole) + 1 :]:
            assert position.before is not None
            found = found.after_action(position.before.actions[position.answer])
        return found

    # --- answers in parts

    def _values(self) -> list[int]:
        """The options as the machine has them."""
        return self.state[FIRST_OPTION:][: self.options]

    def _index_in_whole(self, option: int) -> int:
        """The index that an option had before a part of the answer was given."""
        if self.whole is self:
            return option
        return self.whole._values().index(self._values()[option])

    def _after_whole(self, option: int) -> TreePosition:
        """What follows when the question is answered by this option, in as many parts as it takes."""
        value, found = self._values()[option], self.after(option)
        while found.whole is self:
            found = found.after(found._values().index(value))
        return found


@cache
def coded(rules: str, modules: tuple[str, ...], players: int, reward: Reward) -> Coding:
    """Rules by name for so many players (0: as many as can play), read once."""
    return coding(rules, modules, players or None, None, reward)


def _replayed(rules: str, modules: tuple[str, ...], players: int, reward: Reward, answers: list[int]) -> TreePosition:
    return TreePosition.first(coded(rules, modules, players, reward)).after_all(answers)
