"""What all of lowering shares: the core under construction, where names live, procedures to come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from edict.backend import core
from edict.backend.composing import Composing
from edict.backend.core import Const, Expr, Label, Procedure, Var
from edict.backend.emit import Code
from edict.backend.optimize import optimize
from edict.backend.procedures import Writer
from edict.backend.spread_steps import spread
from edict.backend.statements import write
from edict.language import tree as t
from edict.language.walking import walk
from edict.lowering.constants import Constants
from edict.lowering.layout import Layout, cells_of, lay_out, needs_cells
from edict.meaning.link import AttachedAbility, Linked
from edict.meaning.symbols import NUMBER, Local, Meaning, Symbol, brought
from edict.meaning.types import param_type
from edict.program import Brought, Cause, Question, Say, Type
from edict.program import opcodes as o
from edict.program.reasons import Check, Demand, Measure, Reasons
from edict.sources.folders import Module
from edict.sources.limits import MOST_CODE
from edict.text import Source, Span


# --- core statements as they are put together ------------------------------------------------------


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
    """What surrounds that which is put together now: see `Builder.within`."""

    end: Label | None = None  # of the block
    unseen: int = -1  # the cause of the step in which a secret decides if it happens
    perhaps: bool = False  # whether it need not happen
    works: bool = False  # whether it is being asked if an ability's thing works
    noted: bool = False  # whether adjustments are worth an event
    accepted: bool = False  # whether the `may` that comes next has been answered yes
    agreed: Agreed | None = None  # what a yes to the `may` that comes next brings with it
    without: Mapping[t.Definition, tuple[tuple[AttachedAbility, ...], int]] = field(default_factory=dict)  # by which
    looked_into: frozenset[str] = frozenset()  # of which routines and effects it is being asked if they can be begun


class Builder(Composing):
    """Statements are added to the innermost block that is open, with the cause of now."""

    def __init__(self) -> None:
        super().__init__()
        self.causes: list[Cause] = []
        self.now = Surroundings()
        self._cause_numbers: dict[object, int] = {}  # of each cause, and of what it was made of

    @contextmanager
    def within(self, **now: Any) -> Iterator[None]:
        """What is put together inside is surrounded by this, besides what surrounds it already."""
        before, self.now = self.now, replace(self.now, **now)
        yield
        self.now = before

    # --- where they come from --------------------------------------------------------------------

    def add_cause(self, name: str, title: str, span: Span, asks: bool = False) -> int:
        key = (name, title, span.file, span.line, span.column, asks, self.now.unseen)
        number = self._cause_numbers.get(key)
        if number is None:
            where = (span.file, span.line, span.column)
            cause = Cause(name, title.partition("/")[0].replace("_ ", ""), *where, asks, self.now.unseen)
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
        place = Span(now.file, now.line, now.column, 0, 0) if self.now.works else span
        return self.add_cause(now.name, now.title, place, asks=True)

    @contextmanager
    def if_works(self, held: AttachedAbility) -> Iterator[None]:
        """Conditions asked inside say whether the ability's thing works: they stem from its kind, not from itself."""
        with self.because_of(held), self.within(works=True):
            yield


# --- what has been gathered of reasons -------------------------------------------------------------


@dataclass
class Collected:
    """What has been written so far; `queries` by what they ask."""

    sources: Mapping[str, Source] = field(default_factory=dict)
    homes: Mapping[str, str] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    demands: list[Demand] = field(default_factory=list)
    measures: list[Measure] = field(default_factory=list)
    when: dict[int, str] = field(default_factory=dict)
    parts: dict[int, str] = field(default_factory=dict)
    totals: dict[str, tuple[int, ...]] = field(default_factory=dict)
    queries: dict[object, int] = field(default_factory=dict)
    causes: dict[tuple[str, str, Span], int] = field(default_factory=dict)

    def finished(self, files: set[str]) -> Reasons:
        homes = tuple((file, module) for file, module in self.homes.items() if file in files)
        lists = tuple(self.checks), tuple(self.demands), tuple(self.measures)
        named = tuple(self.when.items()), tuple(self.parts.items()), tuple(self.totals.items())
        return Reasons(*lists, *named, homes)


def collecting(modules: tuple[Module, ...]) -> Collected:
    """For these modules, in whose texts the conditions are written; files of the game itself have no module."""
    homes = {s.name: m.manifest.name for m in modules if m.manifest.kind != "game" for s in m.sources}
    return Collected({s.name: s for m in modules for s in m.sources}, homes)


# --- what all is passed ----------------------------------------------------------------------------


Body = Callable[["Context", Procedure], None]


STARTS = ("phase", "routine", "moment", "action", "table", "course", "ending")
WITH_VALUES = ("routine", "moment")  # of these, those too that something comes along with


@dataclass
class Queried:
    """A query to be: its code, and what it gives."""

    procedure: Procedure
    type: Type


class Context(Builder):
    """Passed to every function of this room; the fields change as the core is put together."""

    def __init__(
        self, linked: Linked, modules: tuple[Module, ...], circles: Mapping[str, int], optimized: bool
    ) -> None:  # fmt: skip
        super().__init__()
        self.linked = linked
        self.typed = linked.typed
        self.resolved = linked.resolved
        self.code = Code(optimize if optimized else lambda code: None, MOST_CODE)
        self.writer = Writer(self.code, circles)
        self.several = needs_cells(linked)  # whether values may take several cells
        self.numbered = False  # whether numbers are gone through in the procedure that is being put together
        self.layout: Layout = lay_out(linked, self.code)
        self.constants = Constants(linked)
        self.where: dict[Local, Expr] = {}
        self.queries: list[Queried] = []
        self.reasons = collecting(modules)
        self.concerned: dict[str, list[int]] = {}  # the resources of which rules say more, when gaining or when losing
        self.questions: list[Question] = []
        self.says: list[Say] = []
        self.shift_words: dict[str, tuple[tuple[str, ...], ...]] = {}
        self.phases = {name: i for i, name in enumerate(self.layout.phases)}
        quantities = [d for d, x in linked.resolved.book.definitions.items() if isinstance(x, t.Quantity)]
        self.quantities = {name: i for i, name in enumerate(quantities)}
        self._names: dict[t.Node | None, tuple[tuple[t.Name, Meaning], ...]] = {}
        self._say_numbers: dict[Say, int] = {}
        self._procedures: dict[object, Procedure] = {}
        self._queue: list[tuple[Procedure, Body, int]] = []

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
                meant = ((n, self.resolved.meaning.get(n)) for n in walk(node) if isinstance(n, t.Name))
                self._names[node] = tuple((name, meaning) for name, meaning in meant if meaning is not None)
            yield from self._names[node]

    def speaks_of(self, it: Local, node: t.Node | None) -> bool:
        """Whether something depends on this local name."""
        return any(meaning is it for _, meaning in self.names(node))

    def bind(self, node: t.Node, expr: Expr) -> None:
        self.where[self.resolved.binds[node]] = expr

    # --- procedures ----------------------------------------------------------------------------

    def procedure(
        self, key: object, params: int, body: Body, cause: tuple[str, str, Span], gives: Type = NUMBER
    ) -> Procedure:
        """The procedure of this key, which is put together once, later; what it is given takes one cell each."""
        if key not in self._procedures:
            cells = self.cells(gives)
            procedure = Procedure(_spoken(key), tuple(Var() for _ in range(params)), Var(cells, cells))
            self._procedures[key] = procedure
            self.writer.declare(procedure)
            self._queue.append((procedure, body, self.add_cause(*cause)))
        return self._procedures[key]

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

    def mark(self, what: Expr) -> None:
        """An event for the log that changes nothing: of a cell which is no variable, and which holds something else."""
        self.add(core.Store(o.SCRATCH, None, Const(0), event=False, cause=self.cause))
        self.add(core.Store(o.SCRATCH, None, what, cause=self.cause))

    @contextmanager
    def decided(self, really: bool = True) -> Iterator[None]:
        """What is put together here need not happen: somebody chooses, or it happens once in a while."""
        with self.within(perhaps=self.now.perhaps or really):
            yield

    def write_procedures(self) -> None:
        """Put together and write all procedures asked for, and those they ask for."""
        while self._queue:
            self._write(*self._queue.pop())

    def write_first(self, body: Body, cause: tuple[str, str, Span]) -> None:
        """The procedure that the game begins with."""
        self.procedure("start", 0, body, cause)
        self._write(*self._queue.pop())

    def _write(self, procedure: Procedure, body: Body, cause: int) -> None:
        self.cause, self.now, self.numbered = cause, Surroundings(), False
        with self.apart() as statements:
            body(self, procedure)
        whole = tuple(statements)
        write(self.writer, procedure, spread(whole) if self.several or self.numbered else whole, cause)

    def written(self, key: object) -> Procedure | None:
        """The procedure of this key, if anything has asked for it."""
        return self._procedures.get(key)

    def entries(self) -> tuple[tuple[str, int], ...]:
        """After assembly: what can be started alone."""
        return tuple((name, self.writer.frames[procedure].entry.at) for name, _, procedure in self._alone())

    def brought(self) -> tuple[Brought, ...]:
        """After assembly: the values that come along there."""
        found = []
        for name, key, procedure in self._alone():
            params = brought(self.resolved, self.resolved.get(key[1])) if procedure.params else ()
            for param, var in zip(params, procedure.params, strict=True):
                of = self.sized(param_type(self.resolved, param))
                found.append(Brought(name, param.name.word, of, self.writer.address(var)))
        return tuple(found)

    def _alone(self) -> Iterator[tuple[str, tuple[str, ...], Procedure]]:
        """What can be started alone: its name, its key, and the procedure."""
        for key, procedure in self._procedures.items():
            if isinstance(key, tuple) and all(isinstance(k, str) for k in key):
                sort = key[0] if key[0] in STARTS else "effect"
                words = key[1:] if sort != "effect" else key
                if not procedure.params or sort in WITH_VALUES:
                    yield " ".join((sort, *words)).strip(), key, procedure

    # --- questions -----------------------------------------------------------------------------

    def question(self, question: Question) -> int:
        """Its number; its cause is the rule that is being put together."""
        self.questions.append(replace(question, cause=self.cause))
        return len(self.questions) - 1

    def say(self, text: str, of: Type | None, last: bool, panel: int = -1) -> int:
        part = Say(text, of, last, panel)
        if part not in self._say_numbers:
            self._say_numbers[part] = len(self.says)
            self.says.append(part)
        return self._say_numbers[part]


def _spoken(key: object) -> str:
    """A name for a procedure; the same each time the same rules are lowered."""
    if isinstance(key, tuple):
        return " ".join(_spoken(part) for part in key)
    if isinstance(key, t.Node):
        return f"{type(key).__name__}@{key.span}"
    return str(key)
