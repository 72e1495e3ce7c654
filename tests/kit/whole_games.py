"""Whole games, played at the table the way people and bots play them, beside the machine that nobody looks at.

A `TablePlan` says who plays what; `plan_table` draws one by its number. `play_whole_game` plays it to the end. Between
answers somebody does one of the `ACTIVITIES`, by lot. After each answer all of `AFTER_EACH_ANSWER` must hold, and at
the end all of `AFTER_EACH_GAME`: functions that take the `WholeGame` and raise `AssertionError`. To assert something
else of every game, append a function to one of these lists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from random import Random

import pytest

from edict import GameError
from edict.agents.bots import BOTS, Bot
from edict.apps.cli.playing import why
from edict.game.explanations.option_previews import preview_options
from edict.game.table import game_steps
from edict.game.table.addresses import iter_changes
from edict.game.table.game import Game
from edict.game.table.game_steps import GameTable, list_steps
from edict.game.table.rules import Rules
from edict.game.table.tracing import trace_step, trace_taint
from edict.runtime.machine.events import BUFFER_EVENTS, make_event_buffer, run_and_collect_events
from edict.runtime.machine.loop import run
from edict.runtime.program.opcodes import ANSWER, ASKING, CHANCE, EVENT_SIZE, GAME_OVER, LOGGING, QUESTION, SEAT
from edict.runtime.simulation import execution_backend
from log_balance import assert_log_balances
from secrecy import load_rules, open_session
from shipped import GAME, GAMES, MODULES, SCENARIOS

PEOPLE = ("Ann", "Brian", "Cindy", "Dora", "Emil", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Leo")
PERSON = ""
ADVISED = ("greedy", "judge", "learned", "random", PERSON)
THINKING = ("flat@3", "search@3")  # they try out games: seldom, and few
ROOT = Path(__file__).resolve().parent.parent.parent
GUESTS = tuple(
    f"{ROOT / 'examples' / 'bots' / name}" for name in ("copycat.py:Copycat", "eager.py:Eager", "reader.py:Reader")
)


@dataclass(frozen=True)
class TablePlan:
    """Who plays what: a game and the modules over it, and for each seat a kind of bot, or `PERSON`.

    `busy` is the share of answers after which somebody does something else than answer; `room`, how many events the
    table's buffer holds.
    """

    game: str
    modules: tuple[str, ...]
    seats: tuple[str, ...]
    seed: int
    dice: str = "seeded"
    busy: float = 0.1
    room: int = BUFFER_EVENTS
    settings: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        seats = "+".join(Path(kind).name or "person" for kind in self.seats)
        return f"{self.game}:{'+'.join(self.modules) or 'alone'}:{seats}:{self.seed}"

    @property
    def rules(self) -> Rules:
        return load_rules(self.game, *self.modules)


@cache
def _players(game: str) -> tuple[int, int]:
    program = load_rules(game).program
    return program.least_players, program.most_players


def plan_table(number: int) -> TablePlan:
    """Return the plan of this number: every shipped game, modules in any combination, from one seat to twelve."""
    rng = Random(number)
    game = GAME if number % 2 else GAMES[number // 2 % len(GAMES)]
    modules: tuple[str, ...] = ()
    if game == GAME:
        scenario = rng.choice([(), *((name,) for name in SCENARIOS)])
        modules = rng.choice(
            [
                (),
                (rng.choice(MODULES),),
                scenario,
                tuple(MODULES),
                (*MODULES, *scenario),
                (*(name for name in MODULES if rng.random() < 0.5), *scenario),
            ]
        )
    least, most = _players(game)
    kinds = rng.choice([ADVISED, ADVISED, ("greedy",), (PERSON,), (*ADVISED, *GUESTS)])
    kinds = (*ADVISED, *THINKING) if rng.random() < 0.05 else kinds
    seats = tuple(rng.choice(kinds) for _ in range(rng.randint(least, most)))
    if set(seats) <= set(GUESTS):  # they copy each other, and may roll on for ever
        seats = ("random", *seats[1:])
    settings = tuple(
        (one.name, int(rng.random() < 0.5)) for one in load_rules(game, *modules).program.settings if one.truth
    )
    dice, room = rng.choice(["seeded", "seeded", "typed"]), rng.choice([BUFFER_EVENTS, BUFFER_EVENTS, 20, 2])
    return TablePlan(game, modules, seats, number, dice, room=room, settings=settings)


class UntracedMachine:
    """The machine alone, given the answers of a game at a table: its state and events after each of them."""

    def __init__(self, table: GameTable, logging: bool = True, natively: bool = False) -> None:
        self._table = table
        first = table.first_state()
        first[LOGGING] = int(logging)
        integers = execution_backend.make_integers if natively else list
        self._code, self._cells = integers(table.program.code), integers(first)
        self._buffer = integers(make_event_buffer(4096))
        self._play = {"play": execution_backend.accelerate(run)} if natively else {}
        self.states: list[list[int]] = []
        self.events: list[tuple[int, ...]] = []
        self.draws: list[int] = []
        self._go_on(0)

    def answer(self, index: int) -> None:
        self._cells[ANSWER] = index
        self._go_on(self.draws[-1])

    def back_to(self, depth: int) -> None:
        """Go back to the state after this many answers."""
        for row in (self.states, self.events, self.draws):
            del row[depth + 1 :]
        self._cells[:] = self.states[-1]

    def _go_on(self, draws: int) -> None:
        events: list[int] = []
        while True:
            status = run_and_collect_events(self._code, self._cells, self._buffer, events, **self._play)
            state = [*map(int, self._cells)]
            if status != ASKING or state[SEAT] != CHANCE or self._table.asks_dice(state[QUESTION]):
                break
            self._cells[ANSWER] = self._table.draw_option(state, draws)
            draws += 1
        assert status in (ASKING, GAME_OVER), status
        self.states.append(state)
        self.events.append(tuple(events))
        self.draws.append(draws)


@dataclass
class WholeGame:
    """A game in progress: at the table, and in the untraced machine; `rng` is the luck of people and of activities."""

    plan: TablePlan
    path: Path
    game: Game = field(init=False)
    machine: UntracedMachine = field(init=False)
    bots: dict[int, Bot] = field(init=False)
    rng: Random = field(init=False)
    told: list[str] = field(init=False, default_factory=list)  # the log as it was when it was last looked at
    done: list[str] = field(init=False, default_factory=list)  # activities

    def begin(self) -> None:
        """Play up to the first question."""
        plan = self.plan
        self.rng = Random(plan.seed)
        self.game = plan.rules.new_game(
            PEOPLE[: len(plan.seats)], plan.seed, dict(plan.settings), plan.dice, self.path, plan.seats
        )
        self.machine = UntracedMachine(self.game.table)
        self.seat_bots()
        check_all(self, AFTER_EACH_ANSWER)

    def seat_bots(self) -> None:
        program, seed = self.game.program, self.plan.seed
        self.bots = {seat: BOTS[kind](program, seed + seat) for seat, kind in enumerate(self.plan.seats) if kind}

    def answer(self) -> None:
        """Let whoever is asked answer, at the table and in the machine."""
        game, bot = self.game, self.bots.get(self.game.seat)
        index = bot.choose(game.view(game.seat), game.ask) if bot else self.rng.randrange(game.count)
        game.answer(index)
        self.machine.answer(index)

    def use_time(self) -> None:
        """Do what people do between two answers, by lot."""
        if self.rng.random() < self.plan.busy:
            activity = self.rng.choice(ACTIVITIES)
            self.done.append(activity.__name__)
            activity(self)


def play_whole_game(plan: TablePlan, path: Path) -> WholeGame:
    """Play a game to its end; raises `AssertionError`, or whatever a player would have met, with a note of where."""
    played = WholeGame(plan, path)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(game_steps, "make_event_buffer", partial(make_event_buffer, plan.room))
            played.begin()
            while not played.game.over:
                played.use_time()
                played.answer()
                check_all(played, AFTER_EACH_ANSWER)
            check_all(played, AFTER_EACH_GAME)
    except Exception as problem:
        problem.add_note(f"in the game {plan}, saved in {path}; between answers: {', '.join(played.done) or 'nothing'}")
        raise
    played.game.close()
    return played


def check_all(played: WholeGame, invariants: list[Invariant]) -> None:
    for invariant in invariants:
        invariant(played)


# --- what people do between two answers ------------------------------------------------------------------


def look_around(played: WholeGame) -> None:
    """Look at the table from every seat, and as somebody who has none."""
    for seat in range(len(played.game.players)):
        view = played.game.view(seat)
        assert view.panels() and len(view.state) == len(played.game.state)
        asked = not played.game.over and played.game.seat in (seat, CHANCE)
        assert (view.ask is not None) == asked
        assert len(view.log) <= len(played.game.log) and view.values


def share_the_keyboard(played: WholeGame) -> None:
    """Work out what the screen shows to whoever is asked while all others look on."""
    if played.game.seat >= 0:
        sitting = open_session(played.game, played.game.seat)
        sitting.private = False
        assert sitting.panels() and sitting.build_question().ask == played.game.ask and sitting.take_news() is not None
        assert sitting.withheld_note() is not None


def ask_why(played: WholeGame) -> None:
    """Ask why of the question, an option, something that is none, lines of the log, and scores."""
    game, rng = played.game, played.rng
    sitting = open_session(game, game.seat if game.seat >= 0 else 0)
    lines = len(sitting.log_lines())
    asked = ["", str(1 + rng.randrange(game.count)), "not 1", "score", "last", f"#{rng.randint(1, max(1, lines))}"]
    for kind in rng.sample(game.program.kinds, min(2, len(game.program.kinds))):
        asked += [f"not {thing.title}" for thing in rng.sample(kind.things, min(2, len(kind.things)))]
    for about in asked:
        assert why.answer_why(sitting, about)


def weigh_options(played: WholeGame) -> None:
    """Read what each option would bring."""
    if played.game.seat >= 0:
        assert len(preview_options(played.game)) <= played.game.count


def take_back(played: WholeGame) -> None:
    """Take back the last answer, if that is allowed; else go back as somebody who plays alone. Then play on."""
    game, machine = played.game, played.machine
    if all(step.seat == CHANCE for step in list_steps(game.last_step)):
        return
    try:
        game.undo()
    except GameError:
        game.back()
    machine.back_to(len(game.answers))
    played.told = []
    played.seat_bots()
    check_all(played, AFTER_EACH_ANSWER)


def try_on_a_copy(played: WholeGame) -> None:
    """Play a copy on; the game stays as it is."""
    before, copy = played.game.state, played.game.copy()
    for _ in range(5):
        if not copy.over:
            copy.answer(played.rng.randrange(copy.count))
    assert copy.log is not None and played.game.state == before


def save_and_resume(played: WholeGame) -> None:
    """Stop, and go on from the saved game."""
    game = played.game
    state, answers, log = game.state, game.answers, [repr(entry) for entry in game.log]
    game.close()
    played.game = played.plan.rules.resume(played.path)
    assert (played.game.state, played.game.answers) == (state, answers)
    assert [repr(entry) for entry in played.game.log] == log


def trace_the_last_step(played: WholeGame) -> None:
    """Trace the last step: it has the same events."""
    game = played.game
    step = game.last_step
    found = trace_step(game.table, step, trace_taint(game.table, step).before)
    assert [(one.kind, one.pc) for one in found.events] == [
        (step.events[at], step.events[at + 1]) for at in range(0, len(step.events), EVENT_SIZE)
    ]


Activity = Callable[[WholeGame], None]


def has_a_log_that_balances(played: WholeGame) -> None:
    """What was there at the start and all that the log tells come to what is there now."""
    assert_log_balances(played.game)


ACTIVITIES: list[Activity] = [
    look_around,
    share_the_keyboard,
    ask_why,
    weigh_options,
    take_back,
    try_on_a_copy,
    save_and_resume,
    trace_the_last_step,
    has_a_log_that_balances,
]

# --- what holds of every game ----------------------------------------------------------------------------


def is_like_the_untraced_machine(played: WholeGame) -> None:
    """Every cell, every event and every draw of chance."""
    game, machine = played.game, played.machine
    assert game.state == machine.states[-1]
    assert game.last_step.events == machine.events[-1]
    assert game.draws == machine.draws[-1] and game.last_step.depth == len(machine.states) - 1


def has_told_events_that_lead_to_the_state(played: WholeGame) -> None:
    """The events of the last step, laid over the state before it, give the state after it."""
    states, events = played.machine.states, played.machine.events[-1]
    if len(states) < 2:
        return
    cells = {cell: states[-2][cell] for cell in played.game.table.layout.cells}
    for _, cell, old, new in iter_changes(events):
        if cell in cells:
            assert cells[cell] == old
            cells[cell] = new
    assert cells == {cell: states[-1][cell] for cell in cells}


def keeps_what_the_log_has_told(played: WholeGame) -> None:
    """The log grows at its end only."""
    told = [repr(entry) for entry in played.game.log]
    assert told[: len(played.told)] == played.told
    played.told = told


def plays_the_same_natively_and_unlogged(played: WholeGame) -> None:
    """The same answers give the same states where no events are written, and in native code."""
    game, steps = played.game, list_steps(played.game.last_step)[1:]
    for logging, natively in ((False, False), (True, execution_backend.is_accelerated())):
        machine = UntracedMachine(game.table, logging, natively)
        for step in steps:
            machine.answer(step.index)
        end = machine.states[-1]
        end[LOGGING] = 1
        assert end == played.machine.states[-1]
        assert not logging or machine.events == played.machine.events


def has_a_result(played: WholeGame) -> None:
    result = played.game.result
    assert result is not None and set(result.winners) <= set(played.game.players)


def is_saved_whole(played: WholeGame) -> None:
    """The file holds the game: what is read from it is played again to the same end, with the same log."""
    game = played.game
    again = played.plan.rules.replay(played.path)
    assert again.state == game.state and again.answers == game.answers
    assert [repr(entry) for entry in again.log] == [repr(entry) for entry in game.log]


Invariant = Callable[[WholeGame], None]
AFTER_EACH_ANSWER: list[Invariant] = [is_like_the_untraced_machine, has_told_events_that_lead_to_the_state]
AFTER_EACH_GAME: list[Invariant] = [
    has_a_log_that_balances,
    look_around,
    keeps_what_the_log_has_told,
    has_a_result,
    is_saved_whole,
    plays_the_same_natively_and_unlogged,
]
