"""Questions and options for people and programs, with texts and stable keys.

A key depends only on the rules, the players and the option's value, never on the other options, so a journal written
today can be read tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from edict.game.table.addresses import PLAYER
from edict.game.table.game_errors import GameError
from edict.game.table.wording import NO, Wording, translate_bare
from edict.runtime.program import Program, Question
from edict.runtime.program.opcodes import CHANCE, DECLINE
from edict.runtime.program.option_keys import make_distinct, to_stable_slug
from edict.support.report import suggest_word
from edict.support.translations import N_
from edict.support.translations.texts import inflect_text_title, translate

CHANCE_NAME = "chance"
DEFAULT_PROMPTS = {
    "number": N_("How many?"),
    "die": N_("Which die?"),
    "ways": N_("With which dice?"),
    "": N_("Which?"),
}


@dataclass(frozen=True, slots=True)
class Option:
    """One possible answer. Options are equal whatever their words."""

    index: int
    value: int
    key: str
    text: str
    caption: str = ""  # printed values of a thing, may be empty
    words: str = field(default="", compare=False)  # its effect in words, may be empty

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that the game waits for."""

    seat: int  # -1 (chance) if dice rolled on a real table are to be typed
    player: str
    question: str
    prompt: str
    domain: str
    secret: bool
    options: tuple[Option, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of all options."""
        return tuple(option.key for option in self.options)

    def taken(self, value: int) -> Option:
        """Return the option for a value of the machine; of equal options of chance, the first."""
        return next(option for option in self.options if option.value == value)

    def find(self, key: str) -> Option | None:
        """Return the option with this key, or None."""
        return next((option for option in self.options if option.key == key), None)

    def named(self, key: str) -> Option:
        """Return the option with this key. Raises `GameError` if there is none."""
        option = self.find(key)
        if option is not None:
            return option
        keys = self.keys
        remedy = suggest_word(key, keys) or f"the options are: {', '.join(keys[:12])}{' ...' * (len(keys) > 12)}"
        raise GameError(f"`{key}` is not an answer to `{self.prompt}`", remedy)


class Options:
    """A factory of options and their keys for one game."""

    def __init__(self, program: Program, wording: Wording) -> None:
        self.program = program
        self.wording = wording
        self._keys_by_question: dict[int, dict[int, str]] = {}
        self._declines: dict[int, str] = {}

    def build_question(self, number: int, seat: int, values: Sequence[int]) -> Ask:
        """Return the question with this number for a seat, with these values to choose from."""
        question = self.program.questions[number]
        player = CHANCE_NAME if seat == CHANCE else self.wording.players[seat]
        # chance may have several equal options
        first = {value: index for index, value in reversed([*enumerate(values)])}
        options = tuple(self.build_option(number, first[value], value) for value in dict.fromkeys(values))
        return Ask(seat, player, question.name, self.prompt(question), question.domain, question.secret, options)

    def build_option(self, number: int, index: int, value: int) -> Option:
        """Return the option for a value of a question."""
        question = self.program.questions[number]
        thing = self.wording.thing(question.kind, value) if question.domain == "thing" else None
        caption, words = (thing.caption, thing.words) if thing else ("", "")
        return Option(index, value, self.key(number, value), self.text(number, value), caption, words)

    def prompt(self, question: Question) -> str:
        """Return the text of a question, with a default if the rules have none."""
        if question.prompt:
            return question.prompt
        if question.domain == "thing":
            return translate("Which {title}?", title=self.wording.kind_title(question.kind))
        return translate(DEFAULT_PROMPTS.get(question.domain, DEFAULT_PROMPTS[""]))

    def text(self, number: int, value: int) -> str:
        """Return the text of an option."""
        question = self.program.questions[number]
        if value == DECLINE:
            return translate_bare(question.decline or NO)
        if question.domain == "thing":
            return self.wording.title(question.kind, value)
        if question.domain == "die":
            name, title, face = self.describe_die(question, value)
            plain = self.program.dice.kinds[0][0] if self.program.dice.kinds else name
            if name == plain:
                return str(face)
            return translate("{dice} {numbers}", dice=inflect_text_title(1, title), numbers=face)
        if question.domain == "ways":
            return self.wording.payment(question, value)
        if question.domain in ("branch", "ability") and value < len(question.labels):
            return translate_bare(question.labels[value])
        return str(value)

    def key(self, number: int, value: int) -> str:
        """Return the key of a value of question `number`: a thing's name, a number, dice; `DECLINE` has its own."""
        question = self.program.questions[number]
        if value == DECLINE:
            return self._decline_key(number)
        if question.domain == "ways":
            return self._payment_key(question, value)
        return self._keys_by_value(number).get(value, str(value))

    def describe_die(self, question: Question, value: int) -> tuple[str, str, int]:
        """Return (name, title, face) of a value: a face in a roll of one kind of die, else a die field.

        A roll of one kind of die offers faces, a choice among dice offers fields.
        """
        for name, title, _, _ in self.program.dice.kinds:
            if name == question.kind:
                return name, title or name, value
        return self.wording.describe_field(value)

    def _keys_by_value(self, number: int) -> dict[int, str]:
        """Return the cached keys of things, dice or branches by value; numbers are their own keys."""
        if number not in self._keys_by_question:
            question = self.program.questions[number]
            if question.domain == "thing" and question.kind == PLAYER:
                keys = self._player_keys()
            elif question.domain == "thing":
                keys = tuple(thing.name for thing in self.wording.things(question.kind))
            else:
                keys = question.keys
            if question.domain == "die":
                self._keys_by_question[number] = dict(self._iter_dice_keys(question))
            else:
                self._keys_by_question[number] = dict(enumerate(keys))
        return self._keys_by_question[number]

    def _player_keys(self) -> tuple[str, ...]:
        """Return the players' names as keys; seats counted from 1 where names are ambiguous or empty."""
        names = [to_stable_slug(name) for name in self.wording.players]
        return make_distinct(
            name if name and names.count(name) == 1 else f"player-{seat}" for seat, name in enumerate(names, 1)
        )

    def _iter_dice_keys(self, question: Question) -> Iterator[tuple[int, str]]:
        """Yield value and key, such as `die-3`, of each face of the asked die, or of all dice."""
        for name, _, sides, first in self.program.dice.kinds:
            if question.kind in (name, ""):
                start = 1 if question.kind else first
                yield from ((start + face, f"{name}-{face + 1}") for face in range(sides))

    def _decline_key(self, number: int) -> str:
        """Return the key for declining, changed if an option has the same."""
        if number not in self._declines:
            key = self.program.questions[number].decline_key
            self._declines[number] = make_distinct((*self._keys_by_value(number).values(), key))[-1]
        return self._declines[number]

    def _payment_key(self, question: Question, way: int) -> str:
        """Return the key of a payment: its dice as `die:2,3`, then the key of its shifts if it has any."""
        dice, _ = self.wording.split_payment(question, way)
        parts = [f"{name}:{','.join(map(str, shown))}" for name, _, shown in self.wording.faces(dice)]
        shift = way >> self.program.dice.bits  # combination 0 has no shifts
        return " ".join((*parts, question.keys[shift]) if shift else parts)


def is_roll(question: Question) -> bool:
    """Return True if chance is asked for the face of a die."""
    return question.domain == "die" or (question.domain == "number" and question.kind == "die")
