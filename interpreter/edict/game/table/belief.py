"""Beliefs of a seat: other courses that the game may have taken and that look the same to it.

A game is its answers. Those that a seat could not see (cards drawn in secret, secret choices of others) are drawn
again, all others stay; at every question the table must look to the seat as it did, and on the way the seat must have
seen the same. So whatever the rules do with hidden things, each resulting state is possible, and none holds anything
that the seat may not know.

`simulation.resampling` draws the courses; this module prepares what it needs to know of the game and keeps results
between questions: a course that looked the same up to one question is the beginning of one for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from edict.game.table.addresses import StateLayout, iter_changes
from edict.game.table.control_flow import clear_dead_cells
from edict.game.table.evidence import (
    HandPlan,
    HiddenAnswer,
    Sighting,
    SightingFinder,
    find_deck_changes,
    find_hidden_answers,
)
from edict.game.table.game_steps import GameTable
from edict.game.table.knowledge import Secrets, has_secrets
from edict.runtime.machine.encoding import list_secret_cells
from edict.runtime.machine.events import make_event_buffer, run_and_collect_events
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
from edict.runtime.simulation import batches, determinization, execution_backend, information_sets, resampling
from edict.support.records import dataclass

# --- the questions of a game ----------------------------------------------------------------------------


class History:
    """The questions of a game in order, each with its state and answer."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._secrets = Secrets.from_program(program)
        self._states = QuestionStates(program)
        self._game = slice(program.header_size, program.working)
        self._variable_cells = frozenset(StateLayout.from_program(program).cells)
        self._known_from: dict[int, tuple[int, int, bool]] = {}  # by seat, see `_last_known_question`
        self._determinizers: dict[int, Determinizer] = {}  # by seat

    @staticmethod
    def from_game(table: GameTable, answers: Sequence[int]) -> History:
        """Return the history of a game at a table with these answers up to the current question."""
        history = History(table.program)
        state, draws = table.first_state(), 0
        state[LOGGING] = 0
        while run(table.program.code, state, [0]) == ASKING:
            history.add_question(state)
            is_typed = table.asks_dice(state[QUESTION])
            if state[SEAT] == CHANCE and not is_typed:
                answer, draws = table.draw_option(state, draws), draws + 1
            elif len(answers) == 0:
                break
            else:
                answer, answers = answers[0], answers[1:]
            history.add_answer(answer)
            state[ANSWER] = answer
        return history

    def add_question(self, state: Sequence[int]) -> None:
        """Add a question with a copy of its state."""
        self._states.add(state)

    def add_answer(self, index: int) -> None:
        """Add the option index that answers the last question."""
        self._states.indices.append(index)

    def sample_worlds(self, seat: int, number: int, luck: Random) -> list[list[int]]:
        """Return up to `number` states that the last question may have been asked in as far as the seat knows.

        Fewer if that is too much work, none if nothing is hidden.
        """
        return [world.state for world in self._sample(seat, number, luck)]

    def sample_states(self, seat: int, number: int, luck: Random) -> list[list[int]]:
        """Return the sampled worlds or, if there are none, one state.

        If no course is found that looks the same, hidden cells read as nothing.
        """
        states = self.sample_worlds(seat, number, luck)
        if not states:
            states = [self._secrets.mask_state(self._states.copy_state(self._states.count - 1), seat)]
            clear_dead_cells(self._program, states[0])
        return states

    def has_hidden_cells(self, seat: int) -> bool:
        """Return True if the seat does not know everything at the last question."""
        return self._last_known_question(seat) < self._states.count - 1

    def sample_course(self, seat: int, luck: Random) -> list[int]:
        """Return the option indexes of a course that looks the same to a seat, with hidden answers drawn again.

        Returns the actual answers if none is found or nothing is hidden.
        """
        worlds = self._sample(seat, 1, luck)
        return list(worlds[0].indices) if worlds else self._states.indices

    def resample_all(self, seat: int, luck: Random) -> list[int] | None:
        """Return a course with everything drawn again that was ever hidden from the seat.

        That includes things that no longer matter. None if no such course is found.
        """
        if not has_secrets(self._program):
            return self._states.indices
        courses = self._determinizer_for(seat).sample(0, 1, luck)
        return list(courses[0].indices) if courses else None

    def _sample(self, seat: int, number: int, luck: Random) -> list[Determinization]:
        """Return up to `number` courses that look the same to the seat; none if nothing is hidden from it."""
        if self.has_hidden_cells(seat):
            return self._determinizer_for(seat).sample(self._last_known_question(seat), number, luck)
        return []

    def _determinizer_for(self, seat: int) -> Determinizer:
        """Return the seat's determinizer, created at the first call."""
        if seat not in self._determinizers:
            self._determinizers[seat] = Determinizer(self._states, seat)
        return self._determinizers[seat]

    # --- from where on anything is hidden

    def _last_known_question(self, seat: int) -> int:
        """Return the last question at which the seat knew everything."""
        known, checked, pending = self._known_from.get(seat, (0, 0, False))
        for number in range(checked + 1, self._states.count):
            pending = pending or self._is_pending_secret(seat, number)
            if self._has_unknown_cell(seat, known, number):
                pending = False  # it is on the table face down
            elif not pending:
                known = number
        self._known_from[seat] = known, self._states.count - 1, pending
        return known

    def _is_pending_secret(self, seat: int, question: int) -> bool:
        """Return True if the answer before a question was a secret with no effect on the table yet."""
        before, after = self._states.rows[question - 1], self._states.rows[question]
        is_secret = self._program.questions[before[QUESTION]].secret and before[SEAT] != seat
        return is_secret and list(before[self._game]) == list(after[self._game])

    def _has_unknown_cell(self, seat: int, known: int, question: int) -> bool:
        """Return True if a question has a cell unknown to the seat, which knew everything at question `known`."""
        state = self._states.rows[question]
        return any(
            not state[knowers] >> seat & 1 and not self._is_unchanged_or_constant(cell, knowers, known, question)
            for cell, knowers, _ in self._secrets.cells
        )

    def _is_unchanged_or_constant(self, cell: int, knowers: int, known: int, question: int) -> bool:
        """Return True if a cell is unchanged since then, or rules wrote a constant to it."""
        for number in range(question, known, -1):
            state, before = self._states.rows[number], self._states.rows[number - 1]
            if state[cell] != before[cell]:
                return self._wrote_constant(cell, number - 1)
            if state[knowers] != before[knowers]:
                return False
        return True

    def _wrote_constant(self, cell: int, question: int) -> bool:
        """Return True if the last change of a cell after a question wrote a constant of the rules."""
        state, events = self._states.copy_state(question), list[int]()
        state[LOGGING], state[ANSWER] = 1, self._states.indices[question]
        code = self._program.code
        run_and_collect_events(code, state, make_event_buffer(), events)
        places = [pc for pc, changed, _, _ in iter_changes(events) if changed == cell]
        if not places:
            return False
        operand = code[places[-1] + SIZE[code[places[-1]]] - 1]  # the stored operand is the last one
        return self._program.header_size <= operand < self._program.working and operand not in self._variable_cells


# --- courses drawn again --------------------------------------------------------------------------------

WORK_PER_COURSE = 4_000  # questions played for each wanted course at most, besides those played to shuffle
EXTRA_WORK = 8_000  # additional questions for each course while none was found
WORK_PER_ATTEMPT = 1500  # questions played in one attempt, besides ten times the number of questions
SHUFFLES = 3  # exchanges for each hidden answer
FEWEST_SHUFFLES = 24


@dataclass(frozen=True, slots=True)
class Determinization:
    """One course of the game that looks the same to a seat."""

    answers: tuple[int, ...]  # values of all answers
    indices: tuple[int, ...]  # indexes of their options
    state: list[int]  # state of the last question


class QuestionStates:
    """The questions of a game: their states and the indexes of the answers."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.count = 0
        self.indices: list[int] = []
        self.rows: Any = execution_backend.make_rows(64, len(program.initial))

    def add(self, state: Sequence[int]) -> None:
        """Append a copy of a state, with events switched off; the array doubles when it is full."""
        if self.count == len(self.rows):
            enlarged = execution_backend.make_rows(2 * self.count, len(state))
            enlarged[: self.count] = self.rows
            self.rows = enlarged
        self.rows[self.count][:] = state
        self.rows[self.count][LOGGING] = 0
        self.count += 1

    def copy_state(self, question: int) -> list[int]:
        """Return a copy of the state of a question."""
        row = self.rows[question]
        return row.copy() if isinstance(row, list) else row.tolist()

    def answer_value(self, question: int) -> int:
        """Return the value of the option taken at a question."""
        return int(self.rows[question][FIRST_OPTION + self.indices[question]])


class Determinizer:
    """A sampler of courses that look the same to a seat; it keeps them for the next question."""

    def __init__(self, states: QuestionStates, seat: int) -> None:
        self._states, self._seat = states, seat
        self._program = states.program
        facts = build_facts(states.program, seat)
        self._facts = execution_backend.make_integers(facts)
        self._marks: list[int] = [0]
        self._sightings = SightingFinder(states.program, facts)
        self._sighting_list: list[Sighting] = []
        self._last_courses: list[Determinization] = []
        width = len(states.program.initial)
        self._log = execution_backend.make_integers(make_event_buffer())
        self._eyes, self._scratch = (execution_backend.make_integers([0] * width) for _ in range(2))

    def sample(self, first: int, number: int, luck: Random) -> list[Determinization]:
        """Sample up to `number` courses (all answers up to the last question) that look right to the seat.

        `first` is a question at which the seat knew everything.
        """
        courses: list[Determinization] = []
        with execution_backend.use_program(self._program, True) as code:
            sampler = self._prepare_sampler(code, first, luck)
            work_left, attempt = WORK_PER_COURSE * number, 0
            while len(courses) < number and work_left > (0 if courses else -EXTRA_WORK * number):
                result = sampler.attempt(attempt, self._choose_start(attempt, sampler))
                work_left, attempt = work_left - result.work, attempt + 1
                if result.world is not None:
                    courses.append(result.world)
                else:
                    sampler.note_failure(result)
        self._last_courses = courses or self._last_courses
        return courses

    def _choose_start(self, attempt: int, drawing: CourseSampler) -> SamplingStart:
        """Return the answers that attempt `attempt` starts from: a former course, the last result, or none.

        Every fourth attempt starts anew.
        """
        if attempt < len(self._last_courses):
            return self._last_courses[attempt].answers, drawing.decks[-1]
        return drawing.start if attempt % 4 else EMPTY_START

    def _prepare_sampler(self, code: Any, first: int, luck: Random) -> CourseSampler:
        """Build the sampler of courses from question `first` on: hidden answers, sightings and shared rows."""
        states, last = self._states, self._states.count - 1
        self._observe(code, last)
        hidden_answers = find_hidden_answers(self._program, states.rows, self._seat, first, last, self._sightings.piles)
        sightings = [sighting for sighting in self._sighting_list if sighting.at >= first]
        course = [0] * resampling.COURSE
        course[resampling.FIRST], course[resampling.LAST], course[resampling.MANY] = first, last, len(hidden_answers)
        course[resampling.LUCK] = luck.getrandbits(60)
        groups = {hidden_answer.at: hidden_answer.group for hidden_answer in hidden_answers}
        course += [groups.get(question, 0) for question in range(last + 1)] + [
            hidden_answer.at for hidden_answer in hidden_answers
        ]
        seen_answers = [
            states.answer_value(question) if question not in groups else resampling.NONE for question in range(last)
        ]
        return CourseSampler(
            code,
            self._facts,
            course,
            states,
            execution_backend.make_integers(self._marks),
            seen_answers,
            self._log,
            self._eyes,
            *self._allocate_rows(first, last),
            partial(_plan_hands, sightings, hidden_answers, self._seat, luck),
            [(seen.at, seen.pile if seen.passed else seen.seat, seen.value) for seen in sightings],
            find_deck_changes(hidden_answers),
        )

    def _allocate_rows(self, first: int, last: int) -> tuple[Any, Any]:
        """Return rows for states and for trials; the first state's row is filled, without cells no longer read."""
        rows, trial_rows = (execution_backend.make_rows(last + 1, len(self._eyes)) for _ in range(2))
        state = self._states.copy_state(first)
        clear_dead_cells(self._program, state)
        rows[first][:] = state
        return rows, trial_rows

    def _observe(self, code: Any, last: int) -> None:
        """Add the marks and sightings of each step up to question `last` that are not yet recorded."""
        mark_events = execution_backend.accelerate(information_sets.mark_events)
        for at in range(len(self._marks) - 1, last):
            events, before = self._replay(code, at), self._states.copy_state(at)
            self._eyes[:] = self._states.rows[at]
            row = execution_backend.make_integers([len(events), *events])
            self._marks.append(int(mark_events(self._facts, row, self._eyes, information_sets.UNMARKED, 0)))
            self._sighting_list += self._sightings.find(at, before, events)

    def _replay(self, code: Any, at: int) -> list[int]:
        """Return the events between question `at` and the next one, played again."""
        self._scratch[:] = self._states.rows[at]
        self._scratch[ANSWER], self._scratch[LOGGING] = self._states.indices[at], 1
        events: list[int] = []
        run_and_collect_events(code, self._scratch, self._log, events, execution_backend.accelerate(batches.step))
        return events


@dataclass(frozen=True, slots=True)
class SamplingAttempt:
    """The result of an attempt."""

    world: Determinization | None  # the course, if found
    work: int  # questions played
    reached: int  # last question that looked the same
    answers: tuple[int, ...]


SamplingStart = tuple[tuple[int, ...], int]  # answers to begin with and the question up to which they are valid
EMPTY_START: SamplingStart = (), 0


@dataclass(slots=True)
class CourseSampler:
    """A sampler of courses at one question with arrays shared by all attempts."""

    code: Any
    facts: Any
    course: Any
    states: QuestionStates
    marks: Any
    seen_answers: Sequence[int]  # answers that the seat has seen
    log: Any
    eyes: Any
    rows: Any
    trial_rows: Any
    plan: Callable[[], HandPlan]
    glimpses: Sequence[tuple[int, int, int]]
    decks: Sequence[int]  # questions from which other decks are used, 0 first
    start: SamplingStart = EMPTY_START

    def note_failure(self, attempt: SamplingAttempt) -> None:
        """Let later attempts start at the last deck change that this attempt reached, if it is later than now."""
        decks = [question for question in self.decks if question <= attempt.reached]
        if decks[-1] > self.start[1]:
            self.start = attempt.answers, decks[-1]

    def attempt(self, number: int, start: SamplingStart) -> SamplingAttempt:
        """Try once, seeded by `number`, to complete the seen answers from `start`; the world is None if that fails."""
        first, last = self.course[resampling.FIRST], self.course[resampling.LAST]
        plan = self.plan()
        free = (
            question
            for question in range(first, min(start[1], len(start[0])))
            if self.seen_answers[question] == resampling.NONE
        )
        answers = plan.answers | {question: start[0][question] for question in free}
        values = [answers.get(question, value) for question, value in enumerate(self.seen_answers)]
        answers_array, trial = (execution_backend.make_integers(values) for _ in range(2))
        glimpses = [*self.glimpses, *((-group, -1, value) for group, value in plan.left)]
        required = (answers.get(question, resampling.NONE) for question in range(last))
        course = execution_backend.make_integers(
            [*self.course, *required, *(number for glimpse in glimpses for number in glimpse)]
        )
        course[resampling.GLIMPSES] = len(glimpses)
        arrays = (
            self.code,
            self.facts,
            course,
            self.states.rows,
            self.marks,
            self.rows,
            self.trial_rows,
            answers_array,
            trial,
            self.log,
            self.eyes,
        )
        course[resampling.BUDGET] = WORK_PER_ATTEMPT + 10 * (last - first)
        course[resampling.LUCK] += number
        reached = execution_backend.accelerate(determinization.determinize)(*arrays, first)
        work = int(course[resampling.PLAYED])
        world = None
        if reached == last:
            course[resampling.BUDGET] = 1 << 40
            execution_backend.accelerate(resampling.shuffle_course)(
                *arrays, max(FEWEST_SHUFFLES, SHUFFLES * int(course[resampling.MANY]))
            )
            world = self._make_course(answers_array)
        return SamplingAttempt(world, work, reached, tuple(map(int, answers_array)))

    def _make_course(self, answers: Any) -> Determinization:
        """Return a found course: answer values, option indexes from the start, and its last state without log."""
        first, last = self.course[resampling.FIRST], self.course[resampling.LAST]
        state = list(map(int, self.rows[last]))
        state[LOGGING] = 0
        indices = (int(self.rows[question + 1][ANSWER]) for question in range(first, last))
        return Determinization(tuple(map(int, answers)), (*self.states.indices[:first], *indices), state)


def _plan_hands(
    sightings: Sequence[Sighting], hidden_answers: Sequence[HiddenAnswer], seat: int, luck: Random
) -> HandPlan:
    """Return random hidden answers with which every seat has the things that it was seen to have."""
    plan = HandPlan(hidden_answers, seat, luck)
    for sighting in sightings:
        plan.give(sighting)
    return plan


def build_facts(program: Program, seat: int) -> list[int]:
    """Return the row of facts for a seat: which cell knows about which, their sets and their owners."""
    cells = program.working + 1
    guards, sets, owners = [0] * cells, [information_sets.FOREIGN] * cells, [-1] * cells
    for cell, knower_cell, _ in reversed(list_secret_cells(program)):
        guards[cell], guards[knower_cell] = knower_cell, -cell
    drawn = {question.kind for question in program.questions if question.secret and question.kind}
    numbers = any(question.secret and question.domain == "number" for question in program.questions)
    for cell, variable_cell in StateLayout.from_program(program).cells.items():
        type_ = variable_cell.variable.type
        owners[cell] = variable_cell.owner
        if variable_cell.variable.counts and variable_cell.variable.kinds[-1] in drawn:
            sets[cell] = information_sets.COUNTED - variable_cell.of[-1]
        elif type_.kind in drawn or (numbers and type_.shape == "number" and variable_cell.known >= 0):
            is_packed = type_.shape == "order" and type_.cells == 1
            marker = information_sets.PACKED if is_packed else information_sets.MEMBERLESS
            sets[cell] = BITS * (cell - variable_cell.address) if type_.shape == "set" else marker
    parts = (information_sets.FACTS + cells * number for number in range(4))
    secret_flags = (int(question.secret) for question in program.questions)
    return [seat, program.header_size, *parts, *guards, *sets, *owners, *secret_flags]
