"""Core statements as they are put together: where the next one goes, and which rule and line it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edict.backend import core
from edict.backend.composing import ALWAYS, Composing, op
from edict.backend.core import Const
from edict.meaning.link import AttachedAbility
from edict.program import Cause
from edict.program import opcodes as o
from edict.text import Span

NOTHING = Const(0)
YOU, EVERYONE, PLAYERS = core.Cell(o.YOU), core.Cell(o.EVERYONE), core.Cell(o.PLAYERS)


def mask(members: tuple[int, ...]) -> Const:
    """A set known before play."""
    return Const(sum(1 << member for member in members))


class Builder(Composing):
    """Statements are added to the innermost block that is open, with the cause of now."""

    def __init__(self) -> None:
        super().__init__()
        self.causes: list[Cause] = []
        self.works = False  # whether it is being asked if an ability's thing works
        self.unseen = -1  # the cause of the step in which a secret decides if what is put together now happens
        self._cause_numbers: dict[object, int] = {}  # of each cause, and of what it was made of

    # --- where they come from --------------------------------------------------------------------

    def add_cause(self, name: str, title: str, span: Span, asks: bool = False) -> int:
        key = (name, title, span.file, span.line, span.column, asks, self.unseen)
        number = self._cause_numbers.get(key)
        if number is None:
            where = (span.file, span.line, span.column)
            cause = Cause(name, title.partition("/")[0].replace("_ ", ""), *where, asks, self.unseen)
            number = self._cause_numbers.setdefault(cause, len(self.causes))
            self._cause_numbers[key] = number
            if number == len(self.causes):
                self.causes.append(cause)
        return number

    @contextmanager
    def because(self, name: str, title: str, span: Span) -> Iterator[None]:
        """What is added inside belongs to this rule."""
        before, self.cause = self.cause, self.add_cause(name, title, span)
        yield
        self.cause = before

    @contextmanager
    def because_of(self, held: AttachedAbility) -> Iterator[None]:
        with self.because(held.name, held.known_as, held.ability.span):
            yield

    @contextmanager
    def at(self, span: Span) -> Iterator[None]:
        """What is added inside belongs to the same rule, at this line."""
        before, now = self.cause, self.causes[self.cause]
        self.cause = self.add_cause(now.name, now.title, span, now.asks)
        yield
        self.cause = before

    def asking(self, span: Span) -> int:
        """The cause of the condition written there."""
        now = self.causes[self.cause]
        place = Span(now.file, now.line, now.column, 0, 0) if self.works else span
        return self.add_cause(now.name, now.title, place, asks=True)

    @contextmanager
    def if_works(self, held: AttachedAbility) -> Iterator[None]:
        """Conditions asked inside say whether the ability's thing works: they stem from its kind, not from itself."""
        with self.because_of(held):
            self.works = True
            yield
            self.works = False


__all__ = ["ALWAYS", "EVERYONE", "NOTHING", "PLAYERS", "YOU", "Builder", "mask", "op"]
