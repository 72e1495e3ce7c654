"""What all of lowering shares: the core under construction, where names live, procedures to come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from edict.backend import core
from edict.backend.core import Const, Expr, Label, Procedure, Var
from edict.backend.core_builder import Composing
from edict.backend.emit import Code
from edict.backend.optimize import optimize
from edict.backend.procedures import Writer
from edict.backend.statement_code import write
from edict.language import tree as t
from edict.lowering.constants import Constants
from edict.lowering.layout import Layout, cells_of, lay_out
from edict.lowering.program_parts import ProgramParts
from edict.meaning.link import AttachedAbility, Linked
from edict.meaning.symbols import NUMBER, Local, Meaning, Symbol, in_full
from edict.program import Question, Type, opcodes as o
from edict.program.option_keys import decline_key, keys_of
from edict.sources.folders import Module
from edict.sources.input_limits import MOST_CODE
from edict.sources.work_budget import work_on
from edict.text import Span

NOTHING = Const(0)
YOU, EVERYONE, PLAYERS = core.Cell(o.YOU), core.Cell(o.EVERYONE), core.Cell(o.PLAYERS)


def mask(members: tuple[int, ...]) -> Const:
    """A set known before play."""
    return Const(sum(1 << member for member in members))


@dataclass(frozen=True)
class Agreed:
    """What is noted when a player says yes, and what undoes that."""

    note: Callable[[], None]
    undo: Callable[[], None]


@dataclass(frozen=True)
class Surroundings:
    """What surrounds that which is put together now: see `Context.within`."""

    end: Label | None = None  # of the block
    unseen: int = -1  # the cause of the step in which a secret decides if it happens
    perhaps: bool = False  # whether it need not happen
    works: bool = False  # whether it is being asked if an ability's thing works
    noted: bool = False  # whether adjustments are worth an event
    accepted: bool = False  # whether the `may` that comes next has been answered yes
    agreed: Agreed | None = None  # what a yes to the `may` that comes next brings with it
    without: Mapping[t.Definition, tuple[tuple[AttachedAbility, ...], int]] = field(default_factory=dict)  # by which
    whole: str = ""  # the phase or routine whose own steps these are
    looked_into: frozenset[str] = frozenset()  # of which routines and effects it is being asked if they can be begun
    ahead: int = 0  # how many steps are being looked ahead at, each from the one before


Rule = tuple[str, str, Span]
"""What something is put down to: the name and title of a rule, and where it stands."""
Body = Callable[["Context", Procedure], None]


def rule_of(definition: t.Definition) -> Rule:
    return definition.name.word, definition.title or definition.name.word, definition.span


class Context(Composing):
    """Passed to every function of this room.

    What is known of the rules stays as it is. What surrounds the step that is put together now is `now` and `cause`,
    and the names that mean something there are `where`: all of it is put back behind the step, or begins anew with the
    next procedure. What comes out of it is gathered in `parts` and in the procedures.
    """

    def __init__(
        self, linked: Linked, modules: tuple[Module, ...], circles: Mapping[str, int], optimized: bool
    ) -> None:  # fmt: skip
        super().__init__()
        self.linked = linked
        self.typed = linked.typed
        self.resolved = linked.resolved
        self.code = Code(optimize if optimized else lambda code: None, MOST_CODE)
        self.layout: Layout = lay_out(linked, self.code)
        self.constants = Constants(linked)
        self.phases = {name: i for i, name in enumerate(self.layout.phases)}
        quantities = [d for d, x in linked.resolved.book.definitions.items() if isinstance(x, t.Quantity)]
        self.quantities = {name: i for i, name in enumerate(quantities)}
        self.now = Surroundings()
        self.where: dict[Local, Expr] = {}
        self.parts = ProgramParts.of(modules)
        self.writer = Writer(self.code, circles)
        self.procedures: dict[object, Procedure] = {}
        self.needing: dict[tuple[str, str], list[tuple[int, t.Thing]]] = {}  # by kind and effect
        self._names: dict[t.Node | None, tuple[tuple[t.Name, Meaning], ...]] = {}
        self._queue: list[tuple[Procedure, Body, int, dict[Local, Expr]]] = []

    # --- what surrounds a step -----------------------------------------------------------------

    @contextmanager
    def within(self, **now: Any) -> Iterator[None]:
        """What is put together inside is surrounded by this, besides what surrounds it already."""
        before, self.now = self.now, replace(self.now, **now)
        yield
        self.now = before

    @contextmanager
    def decided(self, really: bool = True) -> Iterator[None]:
        """What is put together here need not happen: somebody chooses, or it happens once in a while."""
        with self.within(perhaps=self.now.perhaps or really):
            yield

    @contextmanager
    def caused_by(self, cause: int) -> Iterator[None]:
        before, self.cause = self.cause, cause
        yield
        self.cause = before

    def paying(self) -> AbstractContextManager[None]:
        """What is added inside pays for what the rule does."""
        return self.caused_by(self.parts.changed(self.cause, pays=True))

    def because(self, name: str, title: str, span: Span) -> AbstractContextManager[None]:
        """What is added inside belongs to this rule."""
        return self.caused_by(self.add_cause(name, title, span))

    def because_of(self, held: AttachedAbility) -> AbstractContextManager[None]:
        return self.because(held.name, held.known_as, held.ability.span)

    def at(self, span: Span) -> AbstractContextManager[None]:
        """What is added inside belongs to the same rule, at this line."""
        now = self.parts.causes[self.cause]
        return self.caused_by(self.add_cause(now.name, now.title, span, now.asks, now.called))

    def asking(self, span: Span) -> int:
        """The cause of the condition written there."""
        now = self.parts.causes[self.cause]
        place = Span(now.file, now.line, now.column, 0, 0) if self.now.works else span
        return self.add_cause(now.name, now.title, place, asks=True, called=now.called)

    @contextmanager
    def if_works(self, held: AttachedAbility) -> Iterator[None]:
        """Conditions asked inside say whether the ability's thing works: they stem from its kind, not from itself."""
        with self.because_of(held), self.within(works=True):
            yield

    def add_cause(self, name: str, title: str, span: Span, asks: bool = False, called: bool = False) -> int:
        return self.parts.cause(name, title, span, asks, self.now.unseen, called)

    def question(self, question: Question, decline: str | None = None) -> int:
        """Its number; its cause is the rule that is being put together.

        Its keys are given as texts of the rules. decline: their words for declining, if any; None if that is not
        offered, or goes by other words.
        """
        question = replace(question, keys=keys_of(question.keys), cause=self.cause)
        if decline is not None:
            question = replace(question, decline=decline or "No", decline_key=decline_key(decline))
        self.parts.questions.append(question)
        return len(self.parts.questions) - 1

    # --- names and types -----------------------------------------------------------------------

    def type(self, expr: t.Expr) -> Type:
        return self.typed.of(expr)

    def cells(self, of: Type) -> int:
        """How many cells a value of the type takes."""
        return cells_of(self.linked, of)

    def sized(self, of: Type) -> Type:
        """The type as the program knows it."""
        return replace(of, cells=self.cells(of))

    def symbol(self, name: t.Name) -> Symbol:
        meaning = self.resolved.of(name)
        assert isinstance(meaning, Symbol), name.word
        return meaning

    def names(self, *nodes: t.Node | None) -> Iterator[tuple[t.Name, Meaning]]:
        """All names below these nodes that mean something, and what."""
        for node in nodes:
            if node not in self._names:
                names = (one for one in in_full(self.resolved, node) if isinstance(one, t.Name))
                meant = ((one, self.resolved.meaning.get(one)) for one in names)
                self._names[node] = tuple((name, meaning) for name, meaning in meant if meaning is not None)
            yield from self._names[node]

    def speaks_of(self, it: Local, node: t.Node | None) -> bool:
        """Whether something depends on this local name."""
        return any(meaning is it for _, meaning in self.names(node))

    def bind(self, node: t.Node, expr: Expr) -> None:
        self.where[self.resolved.binds[node]] = expr

    def bind_each(self, nodes: Iterable[t.Node], exprs: Iterable[Expr]) -> None:
        for node, expr in zip(nodes, exprs, strict=True):
            self.bind(node, expr)

    # --- procedures ----------------------------------------------------------------------------

    def procedure(
        self, key: object, params: int, body: Body, cause: Rule, gives: Type = NUMBER, called: bool = False
    ) -> Procedure:
        """The procedure of this key, which is put together once, later; what it is given takes one cell each.

        `called`: what it does is put down to the card that calls it. The names that mean something where it is asked
        for first mean the same in it.
        """
        if key not in self.procedures:
            procedure = Procedure(_spoken(key), tuple(Var() for _ in range(params)), Var(self.cells(gives)))
            self.procedures[key] = procedure
            self.writer.declare(procedure)
            self._queue.append((procedure, body, self.add_cause(*cause, called=called), dict(self.where)))
        return self.procedures[key]

    def call(self, procedure: Procedure, *args: Expr) -> None:
        with self.hushed():
            self.add(core.Call(procedure, args, perhaps=self.now.perhaps, cause=self.cause))

    @contextmanager
    def hushed(self) -> Iterator[None]:
        """What is carried out here by its name; the log learns when a secret decides whether it is."""
        if self.now.unseen < 0:
            yield
            return
        self.mark(Const(o.HUSHED))
        yield
        self.mark(Const(o.HEARD))

    @contextmanager
    def for_the_card(self, always: bool = False) -> Iterator[None]:
        """What is carried out here by its name; the log learns for which card.

        A rule that is none has nothing to lend its name to, unless (`always`) it matters when the next one begins.
        """
        rule = self.resolved.book.definitions.get(self.parts.causes[self.cause].name)
        if not always and not isinstance(rule, t.Thing):
            yield
            return
        self.mark(Const(o.CALLED))
        yield
        self.mark(Const(o.BACK))

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Who is asked here is asked at the same time; tables learn from the log when that begins and ends."""
        self.mark(Const(o.TOGETHER))
        yield
        self.mark(Const(o.APART))

    def put(self, base: int | Var, new: Expr, index: Expr | None = None, cells: int = 1) -> None:
        """A change of the state that is no event."""
        self.add(core.Store(base, index, new, event=False, cells=cells, cause=self.cause))

    def mark(self, what: Expr) -> None:
        """An event for the log that changes nothing: of a cell which is no variable, and which holds something else."""
        self.put(o.SCRATCH, NOTHING)
        self.add(core.Store(o.SCRATCH, None, what, cause=self.cause))

    def write_procedures(self) -> None:
        """Put together and write all procedures asked for, and those they ask for."""
        while self._queue:
            self._write(*self._queue.pop())

    def write_first(self, body: Body, cause: Rule) -> None:
        """The procedure that the game begins with."""
        self.procedure("start", 0, body, cause)
        self._write(*self._queue.pop())

    def _write(self, procedure: Procedure, body: Body, cause: int, where: dict[Local, Expr]) -> None:
        self.cause, self.now, self.where = cause, Surroundings(), where
        rule = self.parts.causes[cause]
        work_on(rule.name, Span(rule.file, rule.line, rule.column, rule.line, rule.column + 1))
        with self.apart() as statements:
            body(self, procedure)
        write(self.writer, procedure, tuple(statements), cause)


def _spoken(key: object) -> str:
    """A name for a procedure; the same each time the same rules are lowered."""
    if isinstance(key, tuple):
        return " ".join(_spoken(part) for part in key)
    if isinstance(key, t.Node):
        return f"{type(key).__name__}@{key.span}"
    return str(key)
