"""What may be the case, as far as a seat knows: other courses the game may have taken that look the same from there.

A game is its answers. Those that a seat could not see (cards drawn in secret, choices of others made in secret) are
drawn anew, all others stay; at every question the table must look to the seat as it did, and on the way to it the
seat must have seen the same. So whatever the rules make of hidden things, each state found is one that can be, and
none holds anything the seat may not know.

How courses are drawn `simulation.resampling` says; here is what it needs to know of the game, and what is kept from
question to question: a course that looked the same up to one question is the beginning of one that does so up to the
next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from edict.game.table.addresses import Layout, changes_in
from edict.game.table.control_flow import clear_dead_cells
from edict.game.table.evidence import (
    HandPlan,
    HiddenAnswer,
    Sighting,
    Sightings,
    find_deck_changes,
    find_hidden_answers,
)
from edict.game.table.game_steps import Table
from edict.game.table.knowledge import Secrets, has_secrets
from edict.runtime.machine.encoding import secret_cells
from edict.runtime.machine.events import make_event_buffer, run_logged
from edict.runtime.machine.loop import run
from edict.runtime.program import Program
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    BITS,
    CHANCE,
    FIRST_OPTION,
    LOGGING,
    QUESTION,
    SEAT,
    SIZE,
)
from edict.runtime.simulation import at_hand, batches, determinization, information_sets, resampling

# --- the questions of a game ----------------------------------------------------------------------------


class History:
    """The questions of a game in order, each with the state in which it was asked, and the answers given."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._secrets = Secrets.of(program)
        self._states = States(program)
        self._game = slice(program.header, program.working)
        self._kept = frozenset(Layout.of(program).cells)
        self._known_from: dict[int, tuple[int, int, bool]] = {}  # by seat, see `_known`
        self._worlds: dict[int, Determinizer] = {}  # by seat

    @staticmethod
    def of(table: Table, answers: Sequence[int]) -> History:
        """The history of a game at a table in which these answers were given, up to the question being asked."""
        found = History(table.program)
        state, draws = table.first_state(), 0
        state[LOGGING] = 0
        while run(table.program.code, state, [0]) == ASKING:
            found.asked(state)
            typed = table.asks_dice(state[QUESTION])
            if state[SEAT] == CHANCE and not typed:
                answer, draws = table.drawn(state, draws), draws + 1
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
            clear_dead_cells(self._program, found[0])
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

    def another(self, seat: int, luck: Random) -> list[int] | None:
        """The same, with all drawn again that was ever hidden from the seat, though it is of no account any more.

        None if no such course is found.
        """
        if not has_secrets(self._program):
            return self._states.indices
        found = self._worlds_of(seat).drawn(0, 1, luck)
        return list(found[0].indices) if found else None

    def _drawn(self, seat: int, number: int, luck: Random) -> list[Determinization]:
        return self._worlds_of(seat).drawn(self._known(seat), number, luck) if self.hides(seat) else []

    def _worlds_of(self, seat: int) -> Determinizer:
        if seat not in self._worlds:
            self._worlds[seat] = Determinizer(self._states, seat)
        return self._worlds[seat]

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
        state, events = self._states.state(at), list[int]()
        state[LOGGING], state[ANSWER] = 1, self._states.indices[at]
        code = self._program.code
        run_logged(code, state, make_event_buffer(), events)
        places = [pc for pc, changed, _, _ in changes_in(events) if changed == cell]
        if not places:
            return False
        operand = code[places[-1] + SIZE[code[places[-1]]] - 1]  # what is stored stands last
        return self._program.header <= operand < self._program.working and operand not in self._kept


# --- courses drawn again --------------------------------------------------------------------------------

WORK = 4_000  # questions played for each course wanted, at most, beside those played to shuffle what was found
HOPELESS = 8_000  # so many more as long as none was found
PATIENCE = 1500  # questions played for one course until another one is begun, beside ten times those there are
SHUFFLES = 3  # exchanges for each hidden answer
FEWEST_SHUFFLES = 24


@dataclass(frozen=True, slots=True)
class Determinization:
    """One course that looks the same: all answers, as values and as indices of options, and the state in which the last
    question is asked."""

    answers: tuple[int, ...]
    indices: tuple[int, ...]
    state: list[int]


class States:
    """The questions of a game: the states in which they were asked, and how they were answered."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.count = 0
        self.indices: list[int] = []
        self.rows: Any = at_hand.rows(64, len(program.initial))

    def add(self, state: Sequence[int]) -> None:
        """A question is asked; the state is copied."""
        if self.count == len(self.rows):
            more = at_hand.rows(2 * self.count, len(state))
            more[: self.count] = self.rows
            self.rows = more
        self.rows[self.count][:] = state
        self.rows[self.count][LOGGING] = 0
        self.count += 1

    def state(self, at: int) -> list[int]:
        """Return a copy of the state in which a question was asked."""
        row = self.rows[at]
        return row.copy() if isinstance(row, list) else row.tolist()

    def value(self, at: int) -> int:
        """The value of the option that was taken."""
        return int(self.rows[at][FIRST_OPTION + self.indices[at]])


class Determinizer:
    """Courses that look the same to a seat. They are kept for the next question."""

    def __init__(self, states: States, seat: int) -> None:
        self._states, self._seat = states, seat
        self._program = states.program
        facts = facts_of(states.program, seat)
        self._facts = at_hand.integers(facts)
        self._marks: list[int] = [0]
        self._sightings = Sightings(states.program, facts)
        self._sighted: list[Sighting] = []
        self._kept: list[Determinization] = []
        width = len(states.program.initial)
        self._log = at_hand.integers(make_event_buffer())
        self._eyes, self._scratch = (at_hand.integers([0] * width) for _ in range(2))

    def drawn(self, first: int, number: int, luck: Random) -> list[Determinization]:
        """So many courses up to the last question; fewer, or none, where they are not found with reasonable work.

        first: a question at which the seat knew all there was to know.
        """
        found: list[Determinization] = []
        with at_hand.playing(self._program, True) as code:
            drawing = self._drawing(code, first, luck)
            left, attempt = WORK * number, 0
            while len(found) < number and left > (0 if found else -HOPELESS * number):
                tried = drawing.tried(attempt, self._start(attempt, drawing))
                left, attempt = left - tried.work, attempt + 1
                if tried.world is not None:
                    found.append(tried.world)
                else:
                    drawing.failed(tried)
        self._kept = found or self._kept
        return found

    def _start(self, attempt: int, drawing: Drawing) -> Start:
        """A course that looked the same at an earlier question, up to where another deck is used now; or what another
        attempt came to; every fourth attempt begins anew."""
        if attempt < len(self._kept):
            return self._kept[attempt].answers, drawing.decks[-1]
        return drawing.start if attempt % 4 else NOTHING

    def _drawing(self, code: Any, first: int, luck: Random) -> Drawing:
        states, last = self._states, self._states.count - 1
        self._observe(code, last)
        places = find_hidden_answers(self._program, states.rows, self._seat, first, last, self._sightings.piles)
        sightings = [sighting for sighting in self._sighted if sighting.at >= first]
        course = [0] * resampling.COURSE
        course[resampling.FIRST], course[resampling.LAST], course[resampling.MANY] = first, last, len(places)
        course[resampling.LUCK] = luck.getrandbits(60)
        groups = {place.at: place.group for place in places}
        course += [groups.get(at, 0) for at in range(last + 1)] + [place.at for place in places]
        wanted = [states.value(at) if at not in groups else resampling.NONE for at in range(last)]
        return Drawing(
            code,
            self._facts,
            course,
            states,
            at_hand.integers(self._marks),
            wanted,
            self._log,
            self._eyes,
            *self._rooms(first, last),
            partial(_planned, sightings, places, self._seat, luck),
            [(one.at, one.pile if one.passed else one.seat, one.value) for one in sightings],
            find_deck_changes(places),
        )

    def _rooms(self, first: int, last: int) -> tuple[Any, Any]:
        here, there = (at_hand.rows(last + 1, len(self._eyes)) for _ in range(2))
        state = self._states.state(first)
        clear_dead_cells(self._program, state)
        here[first][:] = state
        return here, there

    def _observe(self, code: Any, last: int) -> None:
        """Take in what the seat has observed up to question `last`: the mark of each step, and the sightings in it."""
        mark_events = at_hand.faster(information_sets.mark_events)
        for at in range(len(self._marks) - 1, last):
            events, before = self._replay(code, at), self._states.state(at)
            self._eyes[:] = self._states.rows[at]
            row = at_hand.integers([len(events), *events])
            self._marks.append(int(mark_events(self._facts, row, self._eyes, information_sets.UNMARKED, 0)))
            self._sighted += self._sightings.find(at, before, events)

    def _replay(self, code: Any, at: int) -> list[int]:
        """Return the events between question `at` and the next one, played again."""
        self._scratch[:] = self._states.rows[at]
        self._scratch[ANSWER], self._scratch[LOGGING] = self._states.indices[at], 1
        events: list[int] = []
        run_logged(code, self._scratch, self._log, events, at_hand.faster(batches.step))
        return events


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of an attempt: a course if it was found, questions played, the last one that looked as it should."""

    world: Determinization | None
    work: int
    reached: int
    answers: tuple[int, ...]


Start = tuple[tuple[int, ...], int]
"""Answers to begin with, and up to which question they are good."""
NOTHING: Start = (), 0


@dataclass(slots=True)
class Drawing:
    """Courses drawn at one question, in rows that serve for all. `wanted`: the answers the seat has seen."""

    code: Any
    facts: Any
    course: Any
    states: States
    marks: Any
    wanted: Sequence[int]
    log: Any
    eyes: Any
    here: Any
    there: Any
    plan: Callable[[], HandPlan]
    glimpses: Sequence[tuple[int, int, int]]
    decks: Sequence[int]  # where other decks began to be used, 0 first
    start: Start = NOTHING

    def failed(self, tried: Attempt) -> None:
        """What an attempt came to is where others may begin: its decks that were used up."""
        decks = [at for at in self.decks if at <= tried.reached]
        if decks[-1] > self.start[1]:
            self.start = tried.answers, decks[-1]

    def tried(self, number: int, start: Start) -> Attempt:
        """One attempt at a course. number: other numbers give other courses."""
        first, last = self.course[resampling.FIRST], self.course[resampling.LAST]
        plan = self.plan()
        early = (at for at in range(first, min(start[1], len(start[0]))) if self.wanted[at] == resampling.NONE)
        answers = plan.answers | {at: start[0][at] for at in early}
        begun = [answers.get(at, value) for at, value in enumerate(self.wanted)]
        wanted, trial = (at_hand.integers(begun) for _ in range(2))
        glimpses = [*self.glimpses, *((-group, -1, value) for group, value in plan.left)]
        needed = (answers.get(at, resampling.NONE) for at in range(last))
        course = at_hand.integers([*self.course, *needed, *(number for glimpse in glimpses for number in glimpse)])
        course[resampling.GLIMPSES] = len(glimpses)
        rooms = (
            self.code,
            self.facts,
            course,
            self.states.rows,
            self.marks,
            self.here,
            self.there,
            wanted,
            trial,
            self.log,
            self.eyes,
        )
        course[resampling.BUDGET] = PATIENCE + 10 * (last - first)
        course[resampling.LUCK] += number
        reached = at_hand.faster(determinization.settled)(*rooms, first)
        work = int(course[resampling.PLAYED])
        world = None
        if reached == last:
            course[resampling.BUDGET] = 1 << 40
            at_hand.faster(resampling.shuffled)(*rooms, max(FEWEST_SHUFFLES, SHUFFLES * int(course[resampling.MANY])))
            world = self._made(wanted)
        return Attempt(world, work, reached, tuple(map(int, wanted)))

    def _made(self, wanted: Any) -> Determinization:
        first, last = self.course[resampling.FIRST], self.course[resampling.LAST]
        state = list(map(int, self.here[last]))
        state[LOGGING] = 0
        indices = (int(self.here[at + 1][ANSWER]) for at in range(first, last))
        return Determinization(tuple(map(int, wanted)), (*self.states.indices[:first], *indices), state)


def _planned(sightings: Sequence[Sighting], places: Sequence[HiddenAnswer], seat: int, luck: Random) -> HandPlan:
    plan = HandPlan(places, seat, luck)
    for sighting in sightings:
        plan.give(sighting)
    return plan


def facts_of(program: Program, seat: int) -> list[int]:
    """What does not change in a game, as `simulation.information_sets` takes it."""
    cells = program.working + 1
    guards, sets, owners = [0] * cells, [information_sets.FOREIGN] * cells, [-1] * cells
    for cell, known, _ in reversed(secret_cells(program)):
        guards[cell], guards[known] = known, -cell
    drawn = {question.kind for question in program.questions if question.secret and question.kind}
    numbers = any(question.secret and question.domain == "number" for question in program.questions)
    for cell, kept in Layout.of(program).cells.items():
        of = kept.variable.type
        owners[cell] = kept.owner
        if kept.variable.counts and kept.variable.kinds[-1] in drawn:
            sets[cell] = information_sets.COUNTED - kept.of[-1]
        elif of.kind in drawn or (numbers and of.shape == "number" and kept.known >= 0):
            packed = of.shape == "order" and of.cells == 1
            one = information_sets.PACKED if packed else information_sets.MEMBERLESS
            sets[cell] = BITS * (cell - kept.address) if of.shape == "set" else one
    parts = (information_sets.FACTS + cells * number for number in range(4))
    hushed = (int(question.secret) for question in program.questions)
    return [seat, program.header, *parts, *guards, *sets, *owners, *hushed]
