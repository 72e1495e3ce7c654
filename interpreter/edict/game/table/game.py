"""A game being played: questions, answers, the log, and undo."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from edict.game.table.addresses import seats_in
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import Step, Table, advance, before_events, chain_of, rebuilt
from edict.game.table.journal import Answer, Journal
from edict.game.table.knowledge import compute
from edict.game.table.log import Teller
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask, Option
from edict.game.table.panels import titled
from edict.game.table.tracing import taints, unknown_to
from edict.game.table.undo import BACK, FREELY, check_unrevealed, last_answer, last_typed
from edict.game.table.view import Result, View
from edict.runtime.program import Program
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    CHANCE,
    FIRST_OPTION,
    GAME_OVER,
    OPTIONS,
    QUESTION,
    SEAT,
    STATUS,
    WINNERS,
)


class Keeps(Protocol):
    """Anything that records a game's answers as they are given: a file (`Recorder`), a database."""

    def answer(self, answer: Answer) -> None: ...

    def undo(self, answers: int) -> None: ...

    def close(self) -> None: ...


class Game:
    """One game. Create it with `Rules.new_game`, and call `answer` until it is `over`.

    For one thread at a time; threads that play on from the same place each take a `copy`.
    """

    __slots__ = ("_ask", "_draws", "_entries", "_recorder", "_state", "_step", "_table", "_teller", "_told")

    def __init__(self, table: Table, state: list[int], draws: int = 0, step: Step | None = None) -> None:
        self._table = table
        self._state = state
        self._draws = draws
        self._recorder: Keeps | None = None
        self._ask: Ask | None = None
        self._teller: Teller | None = None
        self._entries: list[Entry] = []
        self._told: Step | None = None
        if step is None:
            state, self._draws, events = advance(table, state, draws)
            step = Step.beginning(state.copy(), self._draws, events)
            self._state = state
        self._step = step

    @staticmethod
    def begin(table: Table) -> Game:
        """A new game, played up to its first question."""
        return Game(table, table.first_state())

    # --- what is going on

    @property
    def table(self) -> Table:
        """What the game shares with its copies: rules, wording, set-up."""
        return self._table

    @property
    def program(self) -> Program:
        """The rules as the machine plays them."""
        return self._table.program

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names by seat."""
        return self._table.players

    @property
    def state(self) -> list[int]:
        """The whole state, secrets and all, as the machine has it; a copy."""
        return self._state.copy()

    @property
    def last_step(self) -> Step:
        """The last answer and what followed; from it one comes back to all before. For explaining, not for playing."""
        return self._step

    def names_unknown(self, seat: int) -> list[int]:
        """The cells of names, in the rule being carried out, that stand for what a seat may not know."""
        return unknown_to(taints(self._table, self._step)[-1].left, seat)

    @property
    def draws(self) -> int:
        """How often the seed has answered for chance so far."""
        return self._draws

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._state[STATUS] == GAME_OVER

    @property
    def seat(self) -> int:
        """Whose answer is waited for: a seat, or -1 for typed dice and when the game is over."""
        return CHANCE if self.over else self._state[SEAT]

    @property
    def count(self) -> int:
        """How many options the question has."""
        return 0 if self.over else self._state[OPTIONS]

    @property
    def ask(self) -> Ask:
        """The question being asked. Raises `GameError` when the game is over."""
        if self._ask is None:
            state = self._state
            if state[STATUS] != ASKING:
                raise GameError("the game is over, so nothing is asked", "look at `result`")
            values = state[FIRST_OPTION : FIRST_OPTION + state[OPTIONS]]
            options = self._table.options
            self._ask = titled(options, state, options.ask(state[QUESTION], state[SEAT], values))
        return self._ask

    @property
    def result(self) -> Result | None:
        """Scores and winners, once the game is over; None before."""
        if not self.over:
            return None
        return Result(self.scores(), tuple(self.players[i] for i in seats_in(self._state[WINNERS])))

    def scores(self) -> dict[str, int]:
        """Each player's score as it is, in points, by name."""
        program, state = self._table.program, self._state
        return {name: compute(program, state, program.score, seat) for seat, name in enumerate(self.players)}

    def judged(self, seat: int) -> int:
        """How the rules' own judgement of a position (their score, if they have none) values a seat's.

        In a unit of the rules' own, which only compares. Raises `GameError` if there is no such seat.
        """
        program = self._table.program
        return compute(program, self._state, program.score if program.judge < 0 else program.judge, self._seat(seat))

    def view(self, seat: int) -> View:
        """What one player may know. Raises `GameError` if there is no such seat."""
        return View(self, self._seat(seat))

    def _seat(self, seat: int) -> int:
        if not 0 <= seat < len(self.players):
            raise GameError(f"there is no seat {seat}", f"seats are 0 to {len(self.players) - 1}")
        return seat

    # --- playing

    def answer(self, choice: Option | str | int) -> None:
        """Answer the question with an option, its key or its index, and play on to the next question.

        Raises `GameError` if that cannot be answered, `RulesError` if the rules run into a fault; either way the
        game stays as it was.
        """
        index = self._index(choice)
        old = self._state
        question, seat, value = old[QUESTION], old[SEAT], old[FIRST_OPTION + index]
        state = old.copy()
        state[ANSWER] = index
        state, draws, events = advance(self._table, state, self._draws)
        if self._recorder is not None:
            self._recorder.answer(self._told_answer(question, seat, value))
        before = self._step
        self._step = Step(before, question, seat, index, value, draws, before.depth + 1, events, state)
        self._state, self._draws, self._ask = state, draws, None
        if before.before is not None:
            before.before.let_go()

    def _index(self, choice: Option | str | int) -> int:
        state = self._state
        if state[STATUS] != ASKING:
            raise GameError("the game is over", "start another, or take an answer back with `undo`")
        if isinstance(choice, int) and not isinstance(choice, bool):
            if 0 <= choice < state[OPTIONS]:
                return choice
            raise GameError(f"there is no option {choice}", f"the options are numbered 0 to {state[OPTIONS] - 1}")
        if isinstance(choice, Option):
            if choice in self.ask.options:
                return choice.index
            raise GameError(f"`{choice.text}` is not an option of `{self.ask.prompt}`", "use one of `ask.options`")
        if isinstance(choice, str):
            return self.ask.named(choice).index
        raise GameError(f"{choice!r} is not a valid answer", "give an option, its key or its index")

    def copy(self) -> Game:
        """The same game, to be played on by itself; it is not recorded."""
        return Game(self._table, self._state.copy(), self._draws, self._step)

    __copy__ = copy

    def undo(self) -> None:
        """Take back the last answer a player gave, as long as nothing has been revealed since.

        Raises `GameError` when there is none, or names what was revealed: luck that was seen, a secret that somebody
        came to know, a hidden fact that affected what happened.
        """
        steps = last_answer(self._step)
        check_unrevealed(self._table, steps, steps[-1].seat, BACK)
        self.back_by(len(steps))

    def take_back(self, seat: int, people: Collection[int], free: bool = False) -> str:
        """Take back what was typed last at a table of people and bots; returns what to say of it.

        seat: whose answer is to go, and what bots answered after it; dice just typed go first. people: the seats at
        which nobody else may be overruled. free: whatever was revealed since. Raises `GameError` with the reason if it
        stays.
        """
        steps, said = last_typed(self._table, self._step, seat, people)
        if not free:
            remedy = FREELY if len(people) == 1 else ""
            check_unrevealed(self._table, steps, seat if seat >= 0 else len(self.players), remedy)
        self.back_by(len(steps))
        return said

    def back(self) -> None:
        """Go back before the last answer a player gave, whatever was revealed since; luck will be as it was.

        For tools, and for those who play alone. Raises `GameError` when there is no answer.
        """
        self.back_by(len(last_answer(self._step)))

    def back_by(self, answers: int) -> None:
        """Go back by this many answers, including typed dice. Raises `GameError` if there are fewer."""
        step: Step | None = self._step
        for _ in range(answers):
            step = step.before if step is not None else None
        if step is None:
            raise GameError(f"the game cannot go back by {answers} answers", "go back by fewer")
        if self._recorder is not None and answers:
            self._recorder.undo(answers)
        self._step = step
        self._state, self._draws, self._ask = rebuilt(self._table, step), step.draws, None
        step.state = self._state

    # --- what has been

    @property
    def log(self) -> Sequence[Entry]:
        """Everything that happened, secrets included; `view(seat).log` is what one player may read."""
        new: list[Step] = []
        step: Step | None = self._step
        while step is not None and step is not self._told:
            new.append(step)
            step = step.before
        if step is None or self._teller is None:
            self._entries = []
            table = self._table
            self._teller = Teller(table.program, table.layout, table.wording, table.options, before_events(new[-1]))
        for later in reversed(new):
            self._entries += self._teller.tell(later.events, later.depth)
        self._told = self._step
        return self._entries

    @property
    def phases(self) -> tuple[str, ...]:
        """The titles of the phases being played, the outermost first."""
        titled = {title for name, title in self.program.phases if title not in ("", name)}
        return tuple(phase for phase in self._teller.phases if phase in titled) if self.log and self._teller else ()

    @property
    def journal(self) -> Journal:
        """All answers so far under their keys, enough to play the game again."""
        answers = (self._told_answer(one.question, one.seat, one.value) for one in chain_of(self._step)[1:])
        return Journal(self._table.header, tuple(answers), self._table.bundle)

    @property
    def answers(self) -> list[int]:
        """The index of every option taken so far, those that the seed drew left out."""
        return [step.index for step in chain_of(self._step)[1:]]

    def _told_answer(self, question: int, seat: int, value: int) -> Answer:
        return Answer(seat, self.program.questions[question].name, self._table.options.key(question, value))

    def record(self, recorder: Keeps | None) -> None:
        """Keep every answer from now on, on disk or elsewhere, or (None) stop doing so; the keeper before is closed."""
        if self._recorder is not None and self._recorder is not recorder:
            self._recorder.close()
        self._recorder = recorder

    def close(self) -> None:
        """Record no more, and let others continue the game."""
        self.record(None)
