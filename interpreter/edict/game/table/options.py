"""A question as people and programs meet it: its options as text, and under keys that stay the same.

A key depends only on the rules, the players and the option's value, never on what else is offered,
so a journal written today can be read tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from edict.game.table.addresses import PLAYER
from edict.game.table.game_errors import GameError
from edict.game.table.wording import NO, Wording, bare
from edict.runtime.program import Program, Question
from edict.runtime.program.opcodes import CHANCE, DECLINE
from edict.runtime.program.option_keys import distinct, slug
from edict.support.morphology import inflect_title
from edict.support.report import did_you_mean

CHANCE_NAME = "chance"


@dataclass(frozen=True, slots=True)
class Option:
    """One answer. `caption` shows a thing's printed values, `words` say what it does; both may be empty.

    An option is the same whatever its words.
    """

    index: int
    value: int
    key: str
    text: str
    caption: str = ""
    words: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Ask:
    """What the game waits for. `seat` is -1 (chance) when dice rolled on a real table are to be typed."""

    seat: int
    player: str
    question: str
    prompt: str
    domain: str
    secret: bool
    options: tuple[Option, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(option.key for option in self.options)

    def taken(self, value: int) -> Option:
        """The option that stands for a value of the machine's. (Of chance, several of its options may be alike.)"""
        return next(option for option in self.options if option.value == value)

    def find(self, key: str) -> Option | None:
        """The option with this key, if there is one."""
        return next((option for option in self.options if option.key == key), None)

    def named(self, key: str) -> Option:
        """The same; raises `GameError` if there is none."""
        found = self.find(key)
        if found is not None:
            return found
        keys = self.keys
        remedy = did_you_mean(key, keys) or f"the options are: {', '.join(keys[:12])}{' ...' * (len(keys) > 12)}"
        raise GameError(f"`{key}` is not an answer to `{self.prompt}`", remedy)


class Options:
    """Makes options and their keys out of values, for one game."""

    def __init__(self, program: Program, wording: Wording) -> None:
        self.program = program
        self.wording = wording
        self._named: dict[int, dict[int, str]] = {}
        self._declines: dict[int, str] = {}

    def ask(self, number: int, seat: int, values: Sequence[int]) -> Ask:
        """The question with this number, put to a seat, with these values to choose from."""
        question = self.program.questions[number]
        player = CHANCE_NAME if seat == CHANCE else self.wording.players[seat]
        first = {value: index for index, value in reversed([*enumerate(values)])}  # chance may have several alike
        options = tuple(self.option(number, first[value], value) for value in dict.fromkeys(values))
        return Ask(seat, player, question.name, self.prompt(question), question.domain, question.secret, options)

    def option(self, number: int, index: int, value: int) -> Option:
        question = self.program.questions[number]
        thing = self.wording.thing(question.kind, value) if question.domain == "thing" else None
        caption, words = (thing.caption, thing.words) if thing else ("", "")
        return Option(index, value, self.key(number, value), self.text(number, value), caption, words)

    def prompt(self, question: Question) -> str:
        """What to ask when the rules give no words of their own."""
        if question.prompt:
            return question.prompt
        if question.domain == "thing":
            return f"Which {self.wording.kind_title(question.kind)}?"
        return {"number": "How many?", "die": "Which die?", "ways": "With which dice?"}.get(question.domain, "Which?")

    def text(self, number: int, value: int) -> str:
        """An option in words."""
        question = self.program.questions[number]
        if value == DECLINE:
            return bare(question.decline or NO)
        if question.domain == "thing":
            return self.wording.title(question.kind, value)
        if question.domain == "die":
            name, title, face = self.die(question, value)
            plain = self.program.dice.kinds[0][0] if self.program.dice.kinds else name
            return str(face) if name == plain else f"{inflect_title(1, title)} {face}"
        if question.domain == "ways":
            return self.wording.ways(question, value)
        if question.domain in ("branch", "ability") and value < len(question.labels):
            return bare(question.labels[value])
        return str(value)

    def key(self, number: int, value: int) -> str:
        """An option's name in journals and scripts, unique within its question."""
        question = self.program.questions[number]
        if value == DECLINE:
            return self._decline(number)
        if question.domain == "ways":
            return self._way(question, value)
        return self._names(number).get(value, str(value))

    def die(self, question: Question, value: int) -> tuple[str, str, int]:
        """Name, title and face; a roll of one kind of die offers faces, a choice among dice offers fields."""
        for name, title, _, _ in self.program.dice.kinds:
            if name == question.kind:
                return name, title or name, value
        return self.wording.field(value)

    def _names(self, number: int) -> dict[int, str]:
        """The keys of things, dice or branches by value, made once; numbers are their own."""
        if number not in self._named:
            question = self.program.questions[number]
            if question.domain == "thing" and question.kind == PLAYER:
                keys = self._players()
            elif question.domain == "thing":
                keys = tuple(thing.name for thing in self.wording.things(question.kind))
            else:
                keys = question.keys
            self._named[number] = dict(self._dice(question)) if question.domain == "die" else dict(enumerate(keys))
        return self._named[number]

    def _players(self) -> tuple[str, ...]:
        """Their names; where those are alike, or nothing that can be written, their seats, counted from 1."""
        names = [slug(name) for name in self.wording.players]
        return distinct(
            name if name and names.count(name) == 1 else f"player-{seat}" for seat, name in enumerate(names, 1)
        )

    def _dice(self, question: Question) -> Iterator[tuple[int, str]]:
        for name, _, sides, first in self.program.dice.kinds:
            if question.kind in (name, ""):
                start = 1 if question.kind else first
                yield from ((start + face, f"{name}-{face + 1}") for face in range(sides))

    def _decline(self, number: int) -> str:
        """Its key gives way to those of what there is to choose from."""
        if number not in self._declines:
            key = self.program.questions[number].decline_key
            self._declines[number] = distinct((*self._names(number).values(), key))[-1]
        return self._declines[number]

    def _way(self, question: Question, way: int) -> str:
        dice, _ = self.wording.split(question, way)
        parts = [f"{name}:{','.join(map(str, shown))}" for name, _, shown in self.wording.faces(dice)]
        shift = way >> self.program.dice.bits  # the first combination is none
        return " ".join((*parts, question.keys[shift]) if shift else parts)


def is_roll(question: Question) -> bool:
    """Whether chance is asked for the face of a die: its options are faces, as numbers or of one kind of die."""
    return question.domain == "die" or (question.domain == "number" and question.kind == "die")
