"""What all of lowering shares: the core under construction, where names live, procedures to come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from edict.backend import core
from edict.backend.core import Const, Expr, Label, Procedure, Var
from edict.backend.emit import Code
from edict.backend.procedures import Writer
from edict.backend.spread_steps import spread
from edict.backend.statements import write
from edict.backend.optimize import optimize
from edict.language import tree as t
from edict.sources.limits import MOST_CODE
from edict.meaning.link import AttachedAbility, Linked
from edict.lowering.builder import Builder
from edict.lowering.reasons_builder import Collected
from edict.lowering.constants import Constants
from edict.lowering.layout import Layout, lay_out
from edict.lowering.room import cells_of, needs_cells
from edict.meaning.symbols import NUMBER, Local, Meaning, Symbol, brought
from edict.meaning.typed import param_type
from edict.language.walking import walk
from edict.program import Brought, Panel, Question, Say, Type
from edict.program import opcodes as o
from edict.text import Span

Body = Callable[["Context", Procedure], None]


STARTS = ("phase", "routine", "moment", "action", "table", "course", "ending")
WITH_VALUES = ("routine", "moment")  # of these, those too that something comes along with


@dataclass(frozen=True)
class Agreed:
    """What is noted when a player says yes, and what undoes that."""

    note: Callable[[], None]
    undo: Callable[[], None]


class Context(Builder):
    """Passed to every function of this room; the fields change as the core is put together."""

    def __init__(self, linked: Linked, circles: Mapping[str, int] | None = None, optimized: bool = True) -> None:
        super().__init__()
        self.linked = linked
        self.typed = linked.typed
        self.resolved = linked.resolved
        self.code = Code(optimize if optimized else lambda code: None, MOST_CODE)
        self.writer = Writer(self.code, circles or {})
        self.several = needs_cells(linked)  # whether values may take several cells
        self.numbered = False  # whether numbers are gone through in the procedure that is being put together
        self.layout: Layout = lay_out(linked, self.code)
        self.constants = Constants(linked)
        self.where: dict[Local, Expr] = {}
        self.skip: list[Label] = []  # the ends of the blocks being put together
        self.shown: tuple[int, int, tuple[Panel, ...]] = (-1, -1, ())
        self.asked: list[Any] = []  # queries, see `panels`
        self.reasons = Collected()
        self.noted = False  # whether adjustments are worth an event
        self.without: dict[t.Definition, tuple[tuple[AttachedAbility, ...], int]] = {}  # by which
        self.concerned: dict[str, list[int]] = {}  # the resources of which rules say more, when gaining or when losing
        self.looked_into = set[str]()  # the routines of which it is being asked whether they can be begun
        self.paying = False  # whether what is lost now is a price
        self.perhaps = False  # whether what is put together now need not happen
        self.accepted = False  # whether the `may` that comes next has been answered yes
        self.agreed: Agreed | None = None  # what a yes to the `may` that comes next brings with it
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
            self.add(core.Call(procedure, args, perhaps=self.perhaps, cause=self.cause))

    @contextmanager
    def hushed(self) -> Iterator[None]:
        """What is carried out here by its name; the log learns when a secret decides whether it is."""
        if self.unseen < 0:
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
        before, self.perhaps = self.perhaps, self.perhaps or really
        yield
        self.perhaps = before

    def write_procedures(self) -> None:
        """Put together and write all procedures asked for, and those they ask for."""
        while self._queue:
            self._write(*self._queue.pop())

    def write_first(self, body: Body, cause: tuple[str, str, Span]) -> None:
        """The procedure that the game begins with."""
        self.procedure("start", 0, body, cause)
        self._write(*self._queue.pop())

    def _write(self, procedure: Procedure, body: Body, cause: int) -> None:
        self.cause, self.unseen = cause, -1
        self.skip = []
        self.noted = self.accepted = self.perhaps = False
        self.agreed = None
        self.numbered = False
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
