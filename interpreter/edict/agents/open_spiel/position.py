"""Immutable positions of a game, each linked to the one before it, so that copies of a game share them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

from edict.agents.spaces.game_encoding import GameEncoding, Reward, compute_payoffs, encode_game
from edict.game.table.addresses import bits_of
from edict.game.table.belief import History
from edict.game.table.faults import fault_error
from edict.runtime.program.opcodes import FIRST_OPTION, GAME_OVER, QUESTION, STATUS, TOO_LONG, WINNERS
from edict.runtime.simulation.state_tree import StateTree

IN_GAME = "this happened in a game for OpenSpiel"


class TreePosition:
    """A question of a game, or its end.

    Attributes:
        answer: The index of the option that led here from the position `parent`.
        seat: The seat that is asked; -1 for chance.
        actions: The action of each option; for chance, the index of each option.
        question_start: The position in which the full question was asked, if part of its answer has been given already;
            otherwise this one.
    """

    __slots__ = (
        "_seen_texts",
        "actions",
        "answer",
        "branching",
        "coding",
        "is_over",
        "parent",
        "question_start",
        "row",
        "seat",
    )

    def __init__(
        self, coding: GameEncoding, branching: StateTree, before: TreePosition | None = None, answer: int = -1
    ) -> None:
        """Apply an answer to a position, or start a game. Raises `RulesError` for a fault."""
        self.coding, self.branching, self.parent, self.answer = coding, branching, before, answer
        if before is None:
            self.row, status, self.seat, self.actions = branching.first_question()
        else:
            self.row, status, self.seat, self.actions = branching.apply(before.row, answer)
        self.question_start: TreePosition = (
            before.question_start if before is not None and before.is_partial_answer(answer) else self
        )
        # OpenSpiel has no truncation: an endless game is over when it is stopped.
        self.is_over = status in (GAME_OVER, TOO_LONG)
        if status < 0 and not self.is_over:
            raise fault_error(coding.program, self.state, IN_GAME)
        self._seen_texts: dict[int, str] | None = None

    @property
    def _seat_text_cache(self) -> dict[int, str]:
        """A cache of `describe_information_state` by seat."""
        if self._seen_texts is None:
            self._seen_texts = {}
        return self._seen_texts

    def __deepcopy__(self, memo: Any) -> TreePosition:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the position as its answers, as OpenSpiel does with its states."""
        rules = self.coding.rules
        answers = [position.answer for position in self.list_path()[1:]]
        return _replay_position, (rules.name, rules.modules, len(self.coding.names), self.coding.reward, answers)

    @staticmethod
    def create_root(coding: GameEncoding) -> TreePosition:
        """Return the first question of a game. Raises `RulesError` for a fault."""
        actions = coding.actions
        return TreePosition(coding, StateTree(coding.program, len(coding.names), coding.settings, actions.table))

    @property
    def state(self) -> list[int]:
        """A copy of the machine's state."""
        cells: list[int] = self.row.row.tolist()
        return cells

    def apply_option(self, answer: int) -> TreePosition:
        """Return the position after the action of the option with this index."""
        return TreePosition(self.coding, self.branching, self, answer)

    def apply_action(self, action: int) -> TreePosition:
        """Return the position after an action that is offered."""
        return self.apply_option(self.actions.index(action))

    def is_partial_answer(self, answer: int) -> bool:
        """Return True if the action of an option leaves several options, which are asked for next."""
        return 1 < self.actions.count(self.actions[answer]) < len(self.actions)

    def apply_options(self, answers: Iterable[int]) -> TreePosition:
        """Return the position after a sequence of actions, each given by the index of an option."""
        position = self
        for answer in answers:
            position = position.apply_option(answer)
        return position

    def list_path(self) -> list[TreePosition]:
        """Return all positions from the first question to this one."""
        path = [self]
        while path[-1].parent is not None:
            path.append(path[-1].parent)
        return path[::-1]

    @property
    def option_count(self) -> int:
        """The number of options of the question."""
        return len(self.actions)

    def payoffs(self) -> list[float]:
        """Return the returns by seat: zeros before the end, and for a game that was stopped because it is endless."""
        if self.row.row[STATUS] != GAME_OVER:
            return [0.0] * len(self.coding.names)
        winners = bits_of(int(self.row.row[WINNERS]))
        return compute_payoffs(self.coding.reward, self.branching.compute_scores(self.row), winners)

    # --- information of a seat

    def describe_observation(self, seat: int) -> str:
        """Describe the table as a seat sees it now and the question."""
        sights, state = self.coding.wording, self.state
        if self.is_over:
            question = "over"
        else:
            question = "" if self._is_hidden_from(seat) else sights.describe_question(state)
        return "\n".join(filter(None, [sights.describe_state(state, seat), question]))

    def describe_information_state(self, seat: int) -> str:
        """Describe all that a seat has seen, in order: equal texts mean equal knowledge.

        There is a line for each question that the seat sees. Secret choices of others and secret draws have no lines,
        since their number may be secret too; their visible consequences are in the line of the next question seen.
        """
        uncached: list[TreePosition] = []
        node: TreePosition | None = self
        while node is not None and seat not in node._seat_text_cache:
            uncached.append(node)
            node = node.parent
        for position in reversed(uncached):
            earlier = position.parent._seat_text_cache[seat] if position.parent else self.coding.names[seat]
            position._seat_text_cache[seat] = (
                earlier if position._is_hidden_from(seat) else f"{earlier}\n{position._describe_news(seat)}"
            )
        return self._seat_text_cache[seat]

    def list_seen_positions(self, seat: int) -> list[tuple[TreePosition, list[int]]]:
        """Return the questions that a seat saw, in order, each with the actions of its answer.

        For chance, the action is the option. The parts of another seat's answer are seen together, once it is complete.
        """
        seen_positions = list[tuple[TreePosition, list[int]]]()
        for position, later in pairwise(self.list_path()):
            if not position._is_hidden_from(seat):
                seen_positions.append((position, [position.actions[later.answer]]))
            elif seen_positions and seen_positions[-1][0] is position.question_start:
                seen_positions[-1][1].append(position.actions[later.answer])
        if not self._is_hidden_from(seat):
            seen_positions.append((self, []))
        elif seen_positions and seen_positions[-1][0] is self.question_start:
            seen_positions[-1][1].clear()
        return seen_positions

    def _is_hidden_from(self, seat: int) -> bool:
        """Return True for another seat's question that is secret, or that is a later part of an answer."""
        if self.is_over or self.seat == seat:
            return False
        return self.question_start is not self or self.coding.program.questions[self.state[QUESTION]].secret

    def _describe_news(self, seat: int) -> str:
        """Describe the last answer the seat saw, the cells it saw change since, and the question or `over`."""
        path = [self]
        while path[-1].parent is not None and (len(path) == 1 or path[-1]._is_hidden_from(seat)):
            path.append(path[-1].parent)
        last, sights, words = path[-1], self.coding.wording, list[str]()
        if last is not self and not last._is_hidden_from(seat):
            words.append(last._describe_answer(path[-2::-1]))
        old_cells = sights.mask_cells(last.state, seat) if last is not self else sights.initial_cells
        words += sights.iter_changes(old_cells, sights.mask_cells(self.state, seat))
        words.append("over" if self.is_over else sights.describe_question(self.state))
        return "; ".join(words)

    def _describe_answer(self, later: Iterable[TreePosition]) -> str:
        """Describe the answer given here; if it is still incomplete within `later`, only its last action."""
        current = self
        for position in later:
            if position.question_start is not self.question_start:
                return self.coding.wording.describe_answer(current.state, position.answer)
            current = position
        assert current.parent is not None
        return self.coding.action_name(current.parent.actions[current.answer])

    def resample(self, seat: int, rng: Random) -> TreePosition:
        """Return the position of another course that looks the same to a seat; this one if none is found."""
        path, history = self.list_path(), History(self.coding.program)
        for position in path:
            if position.question_start is position:
                if position.parent is not None:
                    history.add_answer(position.parent._full_index(position.answer))
                history.add_question(position.state)
        resampled = path[0]
        for answer in history.sample_course(seat, rng):
            resampled = resampled._apply_full_answer(answer)
        for position in path[path.index(self.question_start) + 1 :]:
            assert position.parent is not None
            resampled = resampled.apply_action(position.parent.actions[position.answer])
        return resampled

    # --- answers in parts

    def _option_values(self) -> list[int]:
        """Return the machine's values of the options."""
        return self.state[FIRST_OPTION:][: self.option_count]

    def _full_index(self, option: int) -> int:
        """Return an option's index in the whole question, before earlier parts of the answer left fewer options."""
        if self.question_start is self:
            return option
        return self.question_start._option_values().index(self._option_values()[option])

    def _apply_full_answer(self, option: int) -> TreePosition:
        """Return the position after the option is settled, repeating its actions while it is answered in parts."""
        value, position = self._option_values()[option], self.apply_option(option)
        while position.question_start is self:
            position = position.apply_option(position._option_values().index(value))
        return position


@cache
def encode_named_game(rules: str, modules: tuple[str, ...], players: int, reward: Reward) -> GameEncoding:
    """Encode the game with these rules for a number of players, 0 for as many as possible; cached."""
    return encode_game(rules, modules, players or None, None, reward)


def _replay_position(
    rules: str, modules: tuple[str, ...], players: int, reward: Reward, answers: list[int]
) -> TreePosition:
    """Return the position after these option indices from the start of a game by named rules; used by pickle."""
    return TreePosition.create_root(encode_named_game(rules, modules, players, reward)).apply_options(answers)
