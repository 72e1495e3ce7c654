"""Values in words: things by title, sets as lists, dice by their faces."""

from __future__ import annotations

from collections.abc import Sequence

from edict.game.table.addresses import PLAYER, VariableCell, bits_of
from edict.runtime.program import LinkedThing, Program, Question, StateVariable, ValueType
from edict.runtime.program.cell_values import decode_order, split_value
from edict.runtime.program.option_keys import to_stable_slug
from edict.support.records import dataclass
from edict.support.translations import N_
from edict.support.translations.texts import (
    count_text,
    inflect_text,
    inflect_text_title,
    join_parts,
    join_texts,
    split_text,
    translate,
)

NUMBER = "number"  # numbers are members of sets and indexes, too
NONE, NOBODY, NO_DICE = N_("none"), N_("nobody"), N_("no dice")
BARE = YES, NO = N_("Yes"), N_("No")  # answers that mean nothing without their question
HIDDEN = "?"  # a value that the reader may not know


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of copies of something, with its singular and plural."""

    number: int
    one: str
    many: str

    def __str__(self) -> str:
        return count_text(self.number, self.one, self.many)

    @property
    def noun(self) -> str:
        """Return the noun in the form that goes with the number."""
        return inflect_text(self.number, self.one, self.many)


ONE_DIE, SEVERAL_DICE = N_("die {values}"), N_("dice {values}")


def is_empty_value(words: str) -> bool:
    """Return True for the words of an empty value, in the current language."""
    return words in map(translate, (NONE, NOBODY, NO_DICE))


def translate_bare(words: str) -> str:
    """Return `Yes` and `No` in the current language, other texts unchanged."""
    return translate(words) if words in BARE else words


class Wording:
    """The words of one game, from its rules and the names of its players."""

    def __init__(self, program: Program, players: Sequence[str]) -> None:
        self.program = program
        self.players = tuple(players)
        self._things = {kind.name: kind.things for kind in program.kinds}
        self._things[PLAYER] = tuple(
            LinkedThing(to_stable_slug(name), name, name, "", "", "", "", "") for name in players
        )

    def thing(self, kind: str, index: int) -> LinkedThing | None:
        """Return a thing of a kind by index, or None for `none`."""
        things = self._things.get(kind, ())
        return things[index] if 0 <= index < len(things) else None

    def things(self, kind: str) -> tuple[LinkedThing, ...]:
        """Return the things of a kind."""
        return self._things.get(kind, ())

    def kind_title(self, kind: str) -> str:
        """Return the title of a kind."""
        known = self.program.kind_by_name.get(kind)
        return (known.title or known.name) if known else kind

    def title(self, kind: str, index: int) -> str:
        """Return the title of a thing by index."""
        if kind == NUMBER:
            return str(index)
        thing = self.thing(kind, index)
        return (thing.title or thing.name) if thing else translate(NONE)

    def copies(self, kind: str, index: int, many: int) -> Amount:
        """Return a number of copies of one thing, such as `3 Shells`."""
        thing = self.thing(kind, index)
        return Amount(many, self.title(kind, index), thing.plural if thing is not None else "")

    def title_of_name(self, kind: str, name: str) -> str:
        """Return the title of a thing by name; an unknown name is returned unchanged."""
        match = next((thing for thing in self.things(kind) if thing.name == name), None)
        return match.title or match.name if match else name

    def value(self, type_: ValueType, value: int, number: int | None = None) -> str:
        """Return any value in words.

        `number` stands right before it and decides the form of a thing's title: `3 Shells`.
        """
        if type_.shape == "number":
            return str(value)
        if type_.shape == "truth":
            return translate("yes") if value else translate("no")
        if type_.shape == "thing":
            if number is None:
                return self.title(type_.kind, value)
            return self.copies(type_.kind, value, number).noun
        if type_.shape == "text":
            thing = self.thing(type_.kind, value)
            return thing.words if thing else ""
        if type_.shape == "dice":
            return self.dice(value)
        if type_.shape == "bag":
            texts = (
                translate("{number}× {title}", number=count, title=title) if count > 1 else title
                for title, count in self.bag_contents(type_, value)
            )
            return join_texts(texts) or translate(NONE)
        if type_.shape in ("set", "order"):
            members = bits_of(value) if type_.shape == "set" else decode_order(value)
            empty = NOBODY if type_.kind == PLAYER else NONE
            return join_texts(self.title(type_.kind, i) for i in members) or translate(empty)
        return ""

    def format_hidden_count(self, type_: ValueType, count: int) -> str:
        """Return the words for a set or bag of which only the size is known, such as `4 cards`."""
        kind = self.program.kind_by_name.get(type_.kind)
        if not count or kind is None:
            return translate(NONE) if not count else str(count)
        return str(Amount(count, *split_text(kind.title or kind.name, kind.plural)))

    def bag_contents(self, type_: ValueType, value: int) -> list[tuple[str, int]]:
        """Return title and number of each thing in a bag."""
        return [(self.title(type_.kind, i), count) for i, count in enumerate(split_value(type_, value)) if count]

    def faces(self, dice: int) -> list[tuple[str, str, list[int]]]:
        """Return (name, title, sorted faces) for each kind of die that occurs in a packed number of dice."""
        layout = self.program.dice
        mask = (1 << layout.width) - 1
        rows = []
        for name, title, sides, first in layout.kinds:
            counts = [dice >> layout.offset_of(first + i) & mask for i in range(sides)]
            faces = [face for face, count in enumerate(counts, 1) for _ in range(count)]
            if faces:
                rows.append((name, title or name, faces))
        return rows

    def dice(self, dice: int) -> str:
        """Return dice in words, such as `3 5 and bonus die 6`; the first kind of die needs no name."""
        default_die = self.program.dice.kinds[0][0] if self.program.dice.kinds else ""
        parts = []
        for name, title, faces in self.faces(dice):
            numbers = " ".join(map(str, faces))
            noun = inflect_text_title(len(faces), title)
            parts.append(numbers if name == default_die else translate("{dice} {numbers}", dice=noun, numbers=numbers))
        return join_texts(parts) or translate(NO_DICE)

    def list_dice(self, dice: int) -> str:
        """Return dice in words for a sentence, such as `3, 5 and bonus die 6`."""
        default_die = self.program.dice.kinds[0][0] if self.program.dice.kinds else ""
        texts = (
            str(face)
            if name == default_die
            else translate("{dice} {numbers}", dice=inflect_text_title(1, title), numbers=face)
            for name, title, faces in self.faces(dice)
            for face in faces
        )
        return join_texts(texts) or translate(NO_DICE)

    def name_dice(self, dice: int) -> str:
        """Return dice as a price: `die 3`, `dice 3, 5 and bonus die 6` or `bonus die 6`."""
        faces = [(name, face) for name, _, faces in self.faces(dice) for face in faces]
        if not faces or faces[0][0] != self.program.dice.kinds[0][0]:  # each says what it is
            return self.list_dice(dice)
        return translate(ONE_DIE if len(faces) == 1 else SEVERAL_DICE, values=self.list_dice(dice))

    def payment(self, question: Question, way: int) -> str:
        """Return a payment in words: its dice, and `with` the shifts it uses, as `3 5 with a +2 token`."""
        dice, shifts = self.split_payment(question, way)
        if not shifts:
            return self.dice(dice)
        return translate("{dice} with {shifts}", dice=self.dice(dice), shifts=join_texts(shifts))

    def split_payment(self, question: Question, way: int) -> tuple[int, tuple[str, ...]]:
        """Return (dice as packed number, texts of the shifts used) of a value of a payment question."""
        bits = self.program.dice.bits
        combinations = self.program.shifts.get(question.name, ())
        number = way >> bits
        return way & ((1 << bits) - 1), combinations[number] if number < len(combinations) else ()

    def describe_field(self, value: int) -> tuple[str, str, int]:
        """Return name and title of the die that a field belongs to and the face."""
        for name, title, sides, first in self.program.dice.kinds:
            if first <= value < first + sides:
                return name, title or name, value - first + 1
        return "die", "die", value

    def amount(self, variable: StateVariable, number: int) -> str:
        """Return an amount of a resource in words, such as `1 chip` or `2 chips`."""
        return str(self.resource_amount(variable, number))

    def resource_amount(self, variable: StateVariable, number: int) -> Amount:
        """Return an amount of a resource."""
        return Amount(number, *split_text(variable.title or variable.name, variable.plural))

    def owners(self, cell: VariableCell) -> str:
        """Return the titles of a cell's keys, joined by commas: `Ann, Merchant`; empty if it has no keys."""
        pairs = zip(cell.variable.kinds, cell.of, strict=True)
        return join_parts(", ", (self.title(kind, index) for kind, index in pairs))


def inflect_after_number(text: str, number: int | None) -> str:
    """Return a text in the form that follows a number, as in `good/goods`."""
    return text if number is None else inflect_text_title(number, text)
