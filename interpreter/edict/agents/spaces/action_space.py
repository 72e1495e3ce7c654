"""The action space of a game: its answers as numbers, each with one meaning throughout a game.

The program declares the possible answers of each question; there are no actions for impossible answers.

    decline                 decline a question
    KIND: THING             choose a thing; players are counted from the seat that is asked
    answer: KEY             choose a branch; the same words mean the same action
    use: ABILITY            choose the next effect
    die: KIND FACE          choose a die
    number: N               choose a number. Where the rules set no bound, a number is given in steps of sixteen:
                            `number: 16 more` as often as needed, and then the rest
    pay: KIND FACE          choose dice to pay with, one after the other, from the lowest kind and face on, and then
    help: TEXT              what helps
    pay: no more

So several options may share an action. After it, only these options remain in the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from edict.game.table.addresses import PLAYER
from edict.runtime.machine import encoding as m
from edict.runtime.machine.encoding import encode_actions
from edict.runtime.program import Program, Question, opcodes
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import OPTIONS
from edict.support.records import dataclass

DECLINE = "decline"
MAX_LISTED_NUMBERS = 128
NUMBER_STEP = 16


@dataclass(frozen=True)
class ActionSpace:
    """The actions of a program."""

    names: tuple[str, ...]  # the name of each action
    table: tuple[int, ...]  # the action table, as `machine.encoding` reads it

    @staticmethod
    def from_program(program: Program) -> ActionSpace:
        """Build the action space of the questions to players."""
        question_numbers = find_player_questions(program)
        names = dict[str, int]()
        if any(program.questions[number].decline for number in question_numbers):
            names[DECLINE] = 0
        encodings = {
            number: _AnswerEncoding.from_question(program, program.questions[number])
            for number in sorted(question_numbers)
        }
        encodings = {
            number: one
            for number, one in encodings.items()
            if not one.has_single_answer or program.questions[number].decline
        }
        for one in sorted(encodings.values(), key=lambda one: one.rank):
            for name in one.names:
                names.setdefault(name, len(names))
        return ActionSpace(tuple(names), _build_table([encodings.get(i) for i in range(len(program.questions))], names))

    @property
    def count(self) -> int:
        """The number of actions."""
        return len(self.names)

    @property
    def has_partial_answers(self) -> bool:
        """Return True if an answer may take several actions."""
        first = self.table[1] if self.table else 0
        return any(shape >= m.COUNTED_ACTIONS for shape in self.table[: first : m.ACTIONS_OF])

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The action of each name."""
        return {name: number for number, name in enumerate(self.names)}

    def list_option_actions(self, state: Sequence[int]) -> list[int]:
        """Return the action of each option of the current question; for chance, the index of each option."""
        actions = [0] * state[OPTIONS]
        encode_actions(state, self.table, actions)
        return actions


@dataclass(frozen=True)
class _AnswerEncoding:
    """The actions of a question's answers."""

    rank: int  # position of these actions in the action space
    shape: int
    names_by_value: tuple[str, ...]  # the name of the action at each place of the shape; empty for impossible values
    extra: tuple[int, ...] = ()  # further numbers of the shape

    @property
    def names(self) -> Iterable[str]:
        return filter(None, self.names_by_value)

    @property
    def has_single_answer(self) -> bool:
        """Return True if there is one answer; it is only asked if it can be declined."""
        return len({*self.names}) == 1

    @staticmethod
    def from_question(program: Program, question: Question) -> _AnswerEncoding:
        """Return how answers to a question become actions: their rank, kind of mapping, and names, empty if unused."""
        domain, answers = question.domain, question.answers
        if domain == "thing" and question.kind == PLAYER:
            return _AnswerEncoding(
                0, m.SEATED_ACTIONS, tuple(f"{PLAYER}: {seat}" for seat in list_relative_seats(program))
            )
        if domain == "thing":
            things = program.kind_by_name[question.kind].things
            possible = set(answers or range(len(things)))
            names = (f"{question.kind}: {thing.name}" if i in possible else "" for i, thing in enumerate(things))
            return _AnswerEncoding(1, m.LISTED_ACTIONS, tuple(names))
        if domain == "number" and 0 < len(answers) <= MAX_LISTED_NUMBERS:
            possible = set(answers)
            return _AnswerEncoding(
                4, m.LISTED_ACTIONS, tuple(f"number: {i}" if i in possible else "" for i in range(max(answers) + 1))
            )
        if domain == "number":
            return _AnswerEncoding(
                4, m.COUNTED_ACTIONS, (*(f"number: {i}" for i in range(NUMBER_STEP)), f"number: {NUMBER_STEP} more")
            )
        if domain == "die":
            return _AnswerEncoding(5, m.LISTED_ACTIONS, _name_dice_fields(program, "die"))
        if domain == "ways":
            return _encode_payments(program, question)
        head, rank = ("use", 3) if domain == "ability" else ("answer", 2)
        return _AnswerEncoding(rank, m.LISTED_ACTIONS, tuple(f"{head}: {key}" for key in question.keys))


def find_player_questions(program: Program) -> set[int]:
    """Return the numbers of the questions that are put to players."""
    return _find_questions(program, opcodes.ASK)


def find_chance_questions(program: Program) -> set[int]:
    """Return the numbers of the questions that are put to chance."""
    return _find_questions(program, opcodes.ASKC)


def _find_questions(program: Program, opcode: int) -> set[int]:
    """Return the numbers of the questions that instructions with this opcode ask."""
    return {program.code[pc + 1] for pc in find_instructions(program)[1] if program.code[pc] == opcode}


def list_relative_seats(program: Program) -> tuple[str, ...]:
    """Return the names of the seats as counted from one of them: `own`, `seat +1` and so on."""
    return ("own", *(f"seat +{i}" for i in range(1, program.most_players)))


def _name_dice_fields(program: Program, head: str) -> tuple[str, ...]:
    """Return a name such as `die: white 3` for each face in the dice fields, by field; empty for unused ones."""
    names_by_field = {
        first + i: f"{head}: {name} {i + 1}" for name, _, sides, first in program.dice.kinds for i in range(sides)
    }
    return tuple(names_by_field.get(field, "") for field in range(max(names_by_field, default=-1) + 1))


def _encode_payments(program: Program, question: Question) -> _AnswerEncoding:
    """Return the actions of a question on ways to pay: `no more`, one for each die field, one for each shift.

    Its names are "no more", the fields of dice, and the helping effects; its extra numbers are how often each effect
    helps, by combination.
    """
    combinations = [Counter(texts) for texts in program.shifts[question.kind]]
    help_texts = sorted({text for texts in combinations for text in texts})
    names = ("pay: no more", *_name_dice_fields(program, "pay"), *(f"help: {text}" for text in help_texts))
    return _AnswerEncoding(
        6, m.PAID_ACTIONS, names, tuple(texts[text] for texts in combinations for text in help_texts)
    )


def _build_table(encodings: Sequence[_AnswerEncoding | None], names: dict[str, int]) -> tuple[int, ...]:
    """Return the machine's action table: shape, start and length for each question, then its actions by value."""
    headers, rows = list[int](), list[int]()
    rows_start = m.ACTIONS_OF * len(encodings)
    for encoding in encodings:
        places = encoding.names_by_value if encoding is not None else ()
        shape = encoding.shape if encoding is not None else m.LISTED_ACTIONS
        headers += [shape, rows_start + len(rows), len(places) - (shape == m.COUNTED_ACTIONS)]
        rows += [0, *(names.get(name, 0) for name in places), *(encoding.extra if encoding is not None else ())]
    return (*headers, *rows)
