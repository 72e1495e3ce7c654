"""A game in progress: its questions, answers, log and undo; and games that branch off from it.

A branch holds nothing that its player may not know: neither the seed of the other game nor anything hidden from the
seat, which is drawn again consistently with everything the seat has seen.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from random import Random, SystemRandom
from typing import Protocol

from edict.game.table.addresses import bits_of
from edict.game.table.belief import History
from edict.game.table.game_errors import GameError
from edict.game.table.game_steps import GameStep, GameTable, advance, list_steps, rebuild_state, undo_first_events
from edict.game.table.journal import Answer, Journal, Opening
from edict.game.table.knowledge import compute_query
from edict.game.table.log import LogNarrator
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask, Option
from edict.game.table.panels import fill_titles
from edict.game.table.seeded_draws import create_seed
from edict.game.table.tracing import list_tainted_cells, trace_taint
from edict.game.table.undo import (
    BACK_REMEDY,
    FREE_TAKEBACKS_REMEDY,
    find_last_answer,
    find_last_typed_steps,
    require_no_revelation,
)
from edict.game.table.view import Result, View
from edict.runtime.machine.loop import run
from edict.runtime.program import Program
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    CHANCE,
    FIRST_OPTION,
    GAME_OVER,
    LOGGING,
    OPTIONS,
    QUESTION,
    SEAT,
    STATUS,
    WINNERS,
)


class GameRecorder(Protocol):
    """A recorder of a game's answers: a file (`Recorder`) or a database."""

    def answer(self, answer: Answer) -> None:
        """Record an answer."""

    def undo(self, answers: int) -> None:
        """Record that this many answers are taken back."""

    def close(self) -> None:
        """Stop recording."""


class Game:
    """One game. Create it with `Rules.new_game`, and call `answer` until it is `over`.

    A game belongs to one thread at a time; threads that continue from the same place each take a `copy`.
    """

    __slots__ = ("_ask", "_draws", "_entries", "_logged_step", "_narrator", "_recorder", "_state", "_step", "_table")

    def __init__(self, table: GameTable, state: list[int], draws: int = 0, step: GameStep | None = None) -> None:
        self._table = table
        self._state = state
        self._draws = draws
        self._recorder: GameRecorder | None = None
        self._ask: Ask | None = None
        self._narrator: LogNarrator | None = None
        self._entries: list[Entry] = []
        self._logged_step: GameStep | None = None
        if step is None:
            state, self._draws, events = advance(table, state, draws)
            step = GameStep.create_first(state.copy(), self._draws, events)
            self._state = state
        self._step = step

    @staticmethod
    def begin(table: GameTable) -> Game:
        """Start a game and play it up to its first question."""
        return Game(table, table.first_state())

    # --- what is going on

    @property
    def table(self) -> GameTable:
        """Return what the game shares with its copies: rules, wording and setup."""
        return self._table

    @property
    def program(self) -> Program:
        """Return the compiled rules."""
        return self._table.program

    @property
    def players(self) -> tuple[str, ...]:
        """Return the players' names by seat."""
        return self._table.players

    @property
    def state(self) -> list[int]:
        """Return a copy of the whole state, secrets included."""
        return self._state.copy()

    @property
    def last_step(self) -> GameStep:
        """Return the last answer with its consequences, linked to all before. For explaining, not for playing."""
        return self._step

    def names_unknown(self, seat: int) -> list[int]:
        """Return the cells of locals in the current rule whose values a seat may not know."""
        return list_tainted_cells(trace_taint(self._table, self._step).after, seat)

    @property
    def draws(self) -> int:
        """Return the number of draws that the seed has made so far."""
        return self._draws

    @property
    def over(self) -> bool:
        """Return True if the game has ended."""
        return self._state[STATUS] == GAME_OVER

    @property
    def seat(self) -> int:
        """Return the seat that must answer; -1 for typed dice and when the game is over."""
        return CHANCE if self.over else self._state[SEAT]

    @property
    def count(self) -> int:
        """Return the number of options of the question."""
        return 0 if self.over else self._state[OPTIONS]

    @property
    def ask(self) -> Ask:
        """Return the current question. Raises `GameError` when the game is over."""
        if self._ask is None:
            state = self._state
            if state[STATUS] != ASKING:
                raise GameError("the game is over, so nothing is asked", "look at `result`")
            values = state[FIRST_OPTION : FIRST_OPTION + state[OPTIONS]]
            options = self._table.options
            self._ask = fill_titles(options, state, options.build_question(state[QUESTION], state[SEAT], values))
        return self._ask

    @property
    def result(self) -> Result | None:
        """Return the scores and winners once the game is over, None before."""
        if not self.over:
            return None
        return Result(self.scores(), tuple(self.players[i] for i in bits_of(self._state[WINNERS])))

    def scores(self) -> dict[str, int]:
        """Return each player's current score in points, by name."""
        program, state = self._table.program, self._state
        return {name: compute_query(program, state, program.score, seat) for seat, name in enumerate(self.players)}

    def judged(self, seat: int) -> int:
        """Return the rules' own evaluation of a seat's position, or its score if they have none.

        Its unit only serves comparison. Raises `GameError` if there is no such seat.
        """
        program = self._table.program
        return compute_query(
            program, self._state, program.score if program.judge < 0 else program.judge, self._check_seat(seat)
        )

    def view(self, seat: int) -> View:
        """Return the view of one seat. Raises `GameError` if there is no such seat."""
        return View(self, self._check_seat(seat))

    def _check_seat(self, seat: int) -> int:
        """Return the seat. Raise `GameError` if no player has it."""
        if not 0 <= seat < len(self.players):
            raise GameError(f"there is no seat {seat}", f"seats are 0 to {len(self.players) - 1}")
        return seat

    # --- playing

    def answer(self, choice: Option | str | int) -> None:
        """Answer the question with an option, its key or its index, and play on to the next question.

        The game stays unchanged on errors. Raises `GameError` for an invalid answer, `RulesError` if the rules fail.
        """
        index = self._option_index(choice)
        old = self._state
        question, seat, value = old[QUESTION], old[SEAT], old[FIRST_OPTION + index]
        state = old.copy()
        state[ANSWER] = index
        state, draws, events = advance(self._table, state, self._draws)
        if self._recorder is not None:
            self._recorder.answer(self._to_answer(question, seat, value))
        before = self._step
        self._step = GameStep(before, question, seat, index, value, draws, before.depth + 1, events, state)
        self._state, self._draws, self._ask = state, draws, None
        if before.before is not None:
            before.before.drop_state()

    def _option_index(self, choice: Option | str | int) -> int:
        """Return the index of an option given as itself, key or index. Raise `GameError` if not offered."""
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
        """Return an independent copy that is not recorded."""
        return Game(self._table, self._state.copy(), self._draws, self._step)

    __copy__ = copy

    def undo(self) -> None:
        """Take back the last answer of a player, as long as nothing has been revealed since.

        Raises `GameError` if there is none, or with what was revealed: luck that was seen, a secret that somebody
        learned, or a hidden fact that affected what happened.
        """
        steps = find_last_answer(self._step)
        require_no_revelation(self._table, steps, steps[-1].seat, BACK_REMEDY)
        self.back_by(len(steps))

    def take_back(self, seat: int, people: Collection[int], free: bool = False) -> str:
        """Take back the last answer at a table of people and bots, and return a message about it.

        Args:
            seat: The seat whose answer goes, with the bots' answers after it; dice just typed go first.
            people: The seats of people; others may not overrule them.
            free: Allow it whatever was revealed since.

        Raises:
            GameError: The answer stays, with the reason.
        """
        steps, message = find_last_typed_steps(self._table, self._step, seat, people)
        if not free:
            remedy = FREE_TAKEBACKS_REMEDY if len(people) == 1 else ""
            require_no_revelation(self._table, steps, seat if seat >= 0 else len(self.players), remedy)
        self.back_by(len(steps))
        return message

    def back(self) -> None:
        """Go back before the last answer of a player, whatever was revealed since; later luck stays the same.

        For tools and for players who play alone. Raises `GameError` if there is no answer.
        """
        self.back_by(len(find_last_answer(self._step)))

    def back_by(self, answers: int) -> None:
        """Go back by this many answers, including typed dice. Raises `GameError` if there are fewer."""
        step: GameStep | None = self._step
        for _ in range(answers):
            step = step.before if step is not None else None
        if step is None:
            raise GameError(f"the game cannot go back by {answers} answers", "go back by fewer")
        if self._recorder is not None and answers:
            self._recorder.undo(answers)
        self._step = step
        self._state, self._draws, self._ask = rebuild_state(self._table, step), step.draws, None
        step.state = self._state

    # --- what has been

    @property
    def log(self) -> Sequence[Entry]:
        """Return every log entry, secrets included; `view(seat).log` is what one player may read."""
        new: list[GameStep] = []
        step: GameStep | None = self._step
        while step is not None and step is not self._logged_step:
            new.append(step)
            step = step.before
        if step is None or self._narrator is None:
            self._entries = []
            table = self._table
            self._narrator = LogNarrator(
                table.program, table.layout, table.wording, table.options, undo_first_events(new[-1])
            )
        for later in reversed(new):
            self._entries += self._narrator.narrate(later.events, later.depth)
        self._logged_step = self._step
        return self._entries

    @property
    def phases(self) -> tuple[str, ...]:
        """Return the titles of the phases in progress, the outermost first."""
        titles = {title for name, title in self.program.phases if title not in ("", name)}
        if self.log and self._narrator:
            return tuple(phase for phase in self._narrator.phases if phase in titles)
        return ()

    @property
    def journal(self) -> Journal:
        """Return all answers so far by key, enough to replay the game."""
        answers = (self._to_answer(step.question, step.seat, step.value) for step in list_steps(self._step)[1:])
        return Journal(self._table.header, tuple(answers), self._table.bundle)

    @property
    def answers(self) -> list[int]:
        """Return the option index of every answer so far, without draws by the seed."""
        return [step.index for step in list_steps(self._step)[1:]]

    def _to_answer(self, question: int, seat: int, value: int) -> Answer:
        """Return the journal's answer for the machine's question number and option value."""
        return Answer(seat, self.program.questions[question].name, self._table.options.key(question, value))

    def record(self, recorder: GameRecorder | None) -> None:
        """Record every answer from now on; None stops recording. The previous recorder is closed."""
        if self._recorder is not None and self._recorder is not recorder:
            self._recorder.close()
        self._recorder = recorder

    def close(self) -> None:
        """Stop recording and let others continue the game."""
        self.record(None)


WAIT = "try it again when the cards are on the table"


def has_hidden_values(game: Game) -> bool:
    """Return True if something is hidden from any player now."""
    history = History.from_game(game.table, game.answers)
    return any(history.has_hidden_cells(seat) for seat in range(len(game.players)))


def build_branch(game: Game, seat: int, luck: Random | None = None) -> Journal:
    """Return the journal of a new game from here on, with all that is hidden from a seat drawn anew.

    Raises `GameError` if the game is over, or if no game is found that looks the same to the seat.
    """
    if game.over:
        raise GameError("the game is over, so there is nothing to continue", "begin a new one under other rules")
    answers = History.from_game(game.table, game.answers).resample_all(seat, luck or SystemRandom())
    if answers is None:
        raise GameError("too much is hidden from you for another game to continue from here", WAIT)
    return _build_journal(game, answers)


def _build_journal(game: Game, indices: list[int]) -> Journal:
    """Return the journal of a course of the game, given as the indexes of all answers including those of chance."""
    table, answers, drawn = game.table, list[Answer](), list[tuple[str, str]]()
    state = table.first_state()
    state[LOGGING] = 0
    for index in indices:
        if run(table.program.code, state, [0]) != ASKING:
            break
        number, seat, value = state[QUESTION], state[SEAT], state[FIRST_OPTION + index]
        question, key = table.program.questions[number].name, table.options.key(number, value)
        if seat == CHANCE and not table.asks_dice(number):
            drawn.append((question, key))
        else:
            answers.append(Answer(seat, question, key))
        state[ANSWER] = index
    chapter, opening = table.header.chapter, table.header.opening
    if chapter is not None and opening is None:
        opening = Opening("", table.lasting.to_cells(chapter.values))  # it does not belong to the campaign
    header = replace(table.header, seed=create_seed(), drawn=tuple(drawn), chapter=None, opening=opening)
    return Journal(header, tuple(answers), table.bundle)
