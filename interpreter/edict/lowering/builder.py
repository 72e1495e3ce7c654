"""Core statements as they are put together: where the next one goes, and which rule and line it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edict.backend import core
from edict.backend.core import Condition, Const, Expr, Label, Stmt, Var
from edict.meaning.link import AttachedAbility
from edict.program import Cause
from edict.program import opcodes as o
from edict.text import Span

NOTHING = Const(0)
YOU, EVERYONE, PLAYERS = core.Cell(o.YOU), core.Cell(o.EVERYONE), core.Cell(o.PLAYERS)
ALWAYS = core.All(())


def op(code: int, *args: Expr | int | tuple[int, ...]) -> core.Op:
    return core.Op(code, args)


def mask(members: tuple[int, ...]) -> Const:
    """A set known before play."""
    return Const(sum(1 << member for member in members))


class Builder:
    """Statements are added to the innermost block that is open, with the cause of now."""

    def __init__(self) -> None:
        self.causes: list[Cause] = []
        self.cause = 0
        self.works = False  # whether it is being asked if an ability's thing works
        self._cause_numbers: dict[object, int] = {}  # of each cause, and of what it was made of
        self._body: list[Stmt] = []

    # --- statements ----------------------------------------------------------------------------

    @contextmanager
    def apart(self) -> Iterator[list[Stmt]]:
        """Statements added inside go into a list of their own."""
        before, self._body = self._body, []
        yield self._body
        self._body = before

    def add(self, statement: Stmt) -> None:
        self._body.append(statement)

    def declare(self, size: int = 1) -> Var:
        """A variable that is set in inner blocks, and used behind them; or a row of cells."""
        var = Var(size)
        self.add(core.Let(var, None, cause=self.cause))
        return var

    def let(self, value: Expr) -> Var:
        """A variable that begins with this value."""
        var = Var()
        self.set(var, value)
        return var

    def set(self, var: Var, value: Expr) -> None:
        self.add(core.Let(var, value, cause=self.cause))

    def once(self, value: Expr) -> Expr:
        """The value, worked out here, to be used several times before anything it is made of changes."""
        if isinstance(value, core.Const | core.Cell | core.Var):
            return value
        var = Var()
        self.add(core.Let(var, value, fixed=True, cause=self.cause))
        return var

    def step(self, code: int, *args: Expr | int | tuple[int, ...]) -> None:
        self.add(core.Step(code, args, cause=self.cause))

    def go(self, label: Label, condition: Condition | None = None) -> None:
        """Go there; if there is a condition, if it holds."""
        self.add(core.Go(label, condition, cause=self.cause))

    def unless(self, condition: Condition, label: Label) -> None:
        """Go there if the condition does not hold."""
        if condition is not ALWAYS:
            self.add(core.Go(label, condition, False, cause=self.cause))

    @contextmanager
    def block(self) -> Iterator[Label]:
        """A block; to go to its label is to leave it."""
        label, before = Label(), self._body
        body = self._body = []
        yield label
        self._body = before
        before.append(core.Block(label, tuple(body), cause=self.cause))

    @contextmanager
    def loop(self) -> Iterator[Label]:
        """A block that is carried out until it is left; to go to its label is to begin it again."""
        label = Label()
        with self.apart() as body:
            yield label
        self.add(core.Loop(label, tuple(body), cause=self.cause))

    @contextmanager
    def members(self, among: Expr) -> Iterator[Var]:
        """A loop over the members of a set, lowest first."""
        it = Var()
        with self.apart() as body:
            yield it
        self.add(core.Each(it, among, None, tuple(body), cause=self.cause))

    @contextmanager
    def line(self, order: Expr, among: Expr) -> Iterator[Var]:
        """A loop over the members of an order that are in a set, as they stand there."""
        it = Var()
        with self.apart() as body:
            yield it
        self.add(core.Each(it, among, order, tuple(body), cause=self.cause))

    # --- where they come from --------------------------------------------------------------------

    def add_cause(self, name: str, title: str, span: Span, asks: bool = False) -> int:
        key = (name, title, span.file, span.line, span.column, asks)
        number = self._cause_numbers.get(key)
        if number is None:
            cause = Cause(name, title.partition("/")[0].replace("_ ", ""), span.file, span.line, span.column, asks)
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
        """The cause of a condition that stands there."""
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
