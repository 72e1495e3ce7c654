"""Values as words: things by their titles, sets as lists, dice as the faces one sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edict.game.table.addresses import PLAYER, Cell, seats_in
from edict.runtime.program import Program, Question, Thing, Type, Variable
from edict.runtime.program.cells import ordered, parts_of
from edict.runtime.program.option_keys import slug
from edict.support.morphology import count_title, inflect, inflect_title, join_words, split_title
from edict.support.translations import N_, gettext

NUMBER = "number"  # numbers are members of sets and indices too
NONE, NOBODY, NO_DICE = N_("none"), N_("nobody"), N_("no dice")
BARE = YES, NO = N_("Yes"), N_("No")  # answers that say nothing without their question
HIDDEN = "?"  # a value that whoever reads may not know


@dataclass(frozen=True, slots=True)
class Amount:
    """So many of something, and what one and several of it are called."""

    number: int
    one: str
    many: str

    def __str__(self) -> str:
        return count_title(self.number, self.one, self.many)

    @property
    def noun(self) -> str:
        """What so many are called, without their number."""
        return inflect(self.number, self.one, self.many)


def says_nothing(words: str) -> bool:
    """Whether words for a value say that nothing is there, in the language that is spoken."""
    return words in map(gettext, (NONE, NOBODY, NO_DICE))


def bare(words: str) -> str:
    """An answer that rules give no words of their own for, in the language that is spoken; all others as they are."""
    return gettext(words) if words in BARE else words


class Wording:
    """The words of one game: those of its rules and the names of its players."""

    def __init__(self, program: Program, players: Sequence[str]) -> None:
        self.program = program
        self.players = tuple(players)
        self._things = {kind.name: kind.things for kind in program.kinds}
        self._things[PLAYER] = tuple(Thing(slug(name), name, name, "", "", "", "", "") for name in players)

    def thing(self, kind: str, index: int) -> Thing | None:
        """A thing of a kind by its number; None for `none`."""
        things = self._things.get(kind, ())
        return things[index] if 0 <= index < len(things) else None

    def things(self, kind: str) -> tuple[Thing, ...]:
        return self._things.get(kind, ())

    def kind_title(self, kind: str) -> str:
        known = self.program.kind_by_name.get(kind)
        return (known.title or known.name) if known else kind

    def title(self, kind: str, index: int) -> str:
        if kind == NUMBER:
            return str(index)
        thing = self.thing(kind, index)
        return (thing.title or thing.name) if thing else gettext(NONE)

    def copies(self, kind: str, index: int, many: int) -> Amount:
        """So many of one thing: `3 Shells`."""
        thing = self.thing(kind, index)
        return Amount(many, self.title(kind, index), thing.plural if thing is not None else "")

    def titled(self, kind: str, name: str) -> str:
        """The title of the thing of a kind that has this name; a name that is no thing's is as it is."""
        found = next((thing for thing in self.things(kind) if thing.name == name), None)
        return found.title or found.name if found else name

    def value(self, type_: Type, value: int, number: int | None = None) -> str:
        """Any value as words. number: what stands right before it, with which a thing agrees: `3 Shells`."""
        if type_.shape == "number":
            return str(value)
        if type_.shape == "truth":
            return gettext("yes") if value else gettext("no")
        if type_.shape == "thing":
            return self.title(type_.kind, value) if number is None else self.copies(type_.kind, value, number).noun
        if type_.shape == "text":
            thing = self.thing(type_.kind, value)
            return thing.words if thing else ""
        if type_.shape == "dice":
            return self.dice(value)
        if type_.shape == "bag":
            told = (f"{many}× {title}" if many > 1 else title for title, many in self.bag(type_, value))
            return join_words(told) or gettext(NONE)
        if type_.shape in ("set", "order"):
            members = seats_in(value) if type_.shape == "set" else ordered(value)
            empty = NOBODY if type_.kind == PLAYER else NONE
            return join_words(self.title(type_.kind, i) for i in members) or gettext(empty)
        return ""

    def how_many(self, type_: Type, count: int) -> str:
        """What is known of things in a set or a bag of which only their number is: `4 cards`."""
        kind = self.program.kind_by_name.get(type_.kind)
        if not count or kind is None:
            return gettext(NONE) if not count else str(count)
        return str(Amount(count, *split_title(kind.title or kind.name, kind.plural)))

    def bag(self, type_: Type, value: int) -> list[tuple[str, int]]:
        """The title of each thing in a bag, and how often it is there."""
        return [(self.title(type_.kind, i), many) for i, many in enumerate(parts_of(type_, value)) if many]

    def faces(self, dice: int) -> list[tuple[str, str, list[int]]]:
        """Name, title and faces shown (lowest first) of each kind of die among the dice."""
        layout = self.program.dice
        full = (1 << layout.width) - 1
        found = []
        for name, title, sides, first in layout.kinds:
            counts = [dice >> layout.place(first + i) & full for i in range(sides)]
            shown = [face for face, count in enumerate(counts, 1) for _ in range(count)]
            if shown:
                found.append((name, title or name, shown))
        return found

    def dice(self, dice: int) -> str:
        """`3 5 and bonus die 6`: the first kind of die needs no name."""
        plain = self.program.dice.kinds[0][0] if self.program.dice.kinds else ""
        parts = []
        for name, title, shown in self.faces(dice):
            numbers = " ".join(map(str, shown))
            parts.append(numbers if name == plain else f"{inflect_title(len(shown), title)} {numbers}")
        return join_words(parts) or gettext(NO_DICE)

    def ways(self, question: Question, way: int) -> str:
        """The dice of a way to make a total, and the shifts that help."""
        dice, shifts = self.split(question, way)
        return self.dice(dice) + (f" with {join_words(shifts)}" if shifts else "")

    def split(self, question: Question, way: int) -> tuple[int, tuple[str, ...]]:
        """A way's dice, and the texts of its combination of shifts."""
        bits = self.program.dice.bits
        combinations = self.program.shifts.get(question.name, ())
        number = way >> bits
        return way & ((1 << bits) - 1), combinations[number] if number < len(combinations) else ()

    def field(self, value: int) -> tuple[str, str, int]:
        """Name and title of the die a field belongs to, and the face."""
        for name, title, sides, first in self.program.dice.kinds:
            if first <= value < first + sides:
                return name, title or name, value - first + 1
        return "die", "die", value

    def amount(self, variable: Variable, number: int) -> str:
        """`1 chip`, `2 chips`."""
        return str(self.counted(variable, number))

    def counted(self, variable: Variable, number: int) -> Amount:
        return Amount(number, *split_title(variable.title or variable.name, variable.plural))

    def owners(self, cell: Cell) -> str:
        """Whose a cell is, in words: `Ann`, `Ann, Merchant`; nothing for what is everyone's."""
        return ", ".join(self.title(k, i) for k, i in zip(cell.variable.kinds, cell.of, strict=True))


def agreed(text: str, number: int | None) -> str:
    """A text right after a number takes the form that goes with it: `good/goods`."""
    return text if number is None else inflect_title(number, text)
