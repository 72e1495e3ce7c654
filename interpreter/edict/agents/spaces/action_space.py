"""The actions of a game: its answers as numbers, of which each means the same throughout a game.

What can be answered at each question, the program says; no action stands for what never can be.

    decline                 to decline, where anything can be declined
    KIND: THING             a thing that may be chosen; players are counted from the seat that is asked
    answer: KEY             one way or the other; the same words mean the same action
    use: ABILITY            an effect whose turn one chooses
    die: KIND FACE          a die
    number: N               a number. Where the rules set no bound, numbers are said by sixteens: as often as needed
                            `number: 16 more`, and then what is beyond
    pay: KIND FACE          with which dice: the next of them, and what helps, from the lowest kind and face on
    help: TEXT
    pay: no more

So an action may leave several options, of which one is then asked for; the others are left out of the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from edict.game.table.addresses import PLAYER
from edict.runtime.machine import encoding as m
from edict.runtime.machine.encoding import encode_actions
from edict.runtime.program import Program, Question, opcodes
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import OPTIONS

DECLINE = "decline"
LISTED = 128  # numbers that have an action each, where the rules set a bound
BY = 16  # otherwise numbers are said by so many


@dataclass(frozen=True)
class Actions:
    """The actions of a program. `names` says what each of the `count` stands for.

    coded: the same, as `machine.encoding.offered` reads it.
    """

    names: tuple[str, ...]
    coded: tuple[int, ...]

    @staticmethod
    def of(program: Program) -> Actions:
        """Those that can be offered to players."""
        asked = questions_to_players(program)
        names = dict[str, int]()
        if any(program.questions[number].decline for number in asked):
            names[DECLINE] = 0
        said = {number: _Said.of(program, program.questions[number]) for number in sorted(asked)}
        said = {number: one for number, one in said.items() if not one.alone or program.questions[number].decline}
        for one in sorted(said.values(), key=lambda one: one.rank):
            for name in one.names:
                names.setdefault(name, len(names))
        return Actions(tuple(names), _coded([said.get(i) for i in range(len(program.questions))], names))

    @property
    def count(self) -> int:
        return len(self.names)

    @property
    def in_parts(self) -> bool:
        """Whether an answer may take several actions."""
        first = self.coded[1] if self.coded else 0
        return any(shape >= m.COUNTED_ACTIONS for shape in self.coded[: first : m.ACTIONS_OF])

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The action of each name."""
        return {name: number for number, name in enumerate(self.names)}

    def offered(self, state: Sequence[int]) -> list[int]:
        """The action of each option, in their order, where something is asked; of chance, the options' numbers."""
        found = [0] * state[OPTIONS]
        encode_actions(state, self.coded, found)
        return found


@dataclass(frozen=True)
class _Said:
    """How the answers of a question are said: `names` by value, or as the shape has them; "" for what never is."""

    rank: int
    shape: int
    by_place: tuple[str, ...]
    more: tuple[int, ...] = ()

    @property
    def names(self) -> Iterable[str]:
        return filter(None, self.by_place)

    @property
    def alone(self) -> bool:
        """Whether there is one answer: then nobody is asked, unless it can be declined."""
        return len({*self.names}) == 1

    @staticmethod
    def of(program: Program, question: Question) -> _Said:
        domain, answers = question.domain, question.answers
        if domain == "thing" and question.kind == PLAYER:
            return _Said(0, m.SEATED_ACTIONS, tuple(f"{PLAYER}: {seat}" for seat in seats(program)))
        if domain == "thing":
            things = program.kind_by_name[question.kind].things
            among = set(answers or range(len(things)))
            named = (f"{question.kind}: {thing.name}" if i in among else "" for i, thing in enumerate(things))
            return _Said(1, m.LISTED_ACTIONS, tuple(named))
        if domain == "number" and 0 < len(answers) <= LISTED:
            among = set(answers)
            return _Said(
                4, m.LISTED_ACTIONS, tuple(f"number: {i}" if i in among else "" for i in range(max(answers) + 1))
            )
        if domain == "number":
            return _Said(4, m.COUNTED_ACTIONS, (*(f"number: {i}" for i in range(BY)), f"number: {BY} more"))
        if domain == "die":
            return _Said(5, m.LISTED_ACTIONS, _by_field(program, "die"))
        if domain == "ways":
            return _paid(program, question)
        head, rank = ("use", 3) if domain == "ability" else ("answer", 2)
        return _Said(rank, m.LISTED_ACTIONS, tuple(f"{head}: {key}" for key in question.keys))


def questions_to_players(program: Program) -> set[int]:
    """The questions, by number, that are put to players; the others are put to chance."""
    return _put(program, opcodes.ASK)


def questions_to_chance(program: Program) -> set[int]:
    """The questions, by number, that are put to chance."""
    return _put(program, opcodes.ASKC)


def _put(program: Program, by: int) -> set[int]:
    return {program.code[at + 1] for at in find_instructions(program)[1] if program.code[at] == by}


def seats(program: Program) -> tuple[str, ...]:
    """The seats as one of them calls them."""
    return ("own", *(f"seat +{i}" for i in range(1, program.most_players)))


def _by_field(program: Program, head: str) -> tuple[str, ...]:
    """A name for each field of dice."""
    named = {first + i: f"{head}: {name} {i + 1}" for name, _, sides, first in program.dice.kinds for i in range(sides)}
    return tuple(named.get(field, "") for field in range(max(named, default=-1) + 1))


def _paid(program: Program, question: Question) -> _Said:
    """Ways to pay: no more, the fields of dice, what helps; and how often each of these does, by combination."""
    combinations = [Counter(texts) for texts in program.shifts[question.kind]]
    helps = sorted({text for texts in combinations for text in texts})
    names = ("pay: no more", *_by_field(program, "pay"), *(f"help: {text}" for text in helps))
    return _Said(6, m.PAID_ACTIONS, names, tuple(texts[text] for texts in combinations for text in helps))


def _coded(said: Sequence[_Said | None], names: dict[str, int]) -> tuple[int, ...]:
    """See `machine.encoding.offered`."""
    heads, rows = list[int](), list[int]()
    begin = m.ACTIONS_OF * len(said)
    for one in said:
        places = one.by_place if one is not None else ()
        shape = one.shape if one is not None else m.LISTED_ACTIONS
        heads += [shape, begin + len(rows), len(places) - (shape == m.COUNTED_ACTIONS)]
        rows += [0, *(names.get(name, 0) for name in places), *(one.more if one is not None else ())]
    return (*heads, *rows)
