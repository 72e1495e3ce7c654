"""What all of lowering shares: the code under construction, where names live, procedures to come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from edict.front import tree as t
from edict.front.limits import MOST_CODE
from edict.front.link import Held, Linked
from edict.front.lower.collected import Collected
from edict.front.lower.constants import Constants
from edict.backend.emit import Code, Frame, Label, Operand, Size, Slot
from edict.front.lower.layout import Layout, lay_out
from edict.backend.tidy import tidy
from edict.front.symbols import Local, Symbol
from edict.program import HOLDS, NEITHER, YES, Cause, Panel, Question, Say, Type
from edict.program import opcodes as o
from edict.text import Span


@dataclass(eq=False)
class Procedure:
    frame: Frame
    params: tuple[Slot, ...]
    result: Slot


Body = Callable[["Context", Procedure], None]


class Context:
    """Passed to every function of this room; the fields change as code is emitted."""

    def __init__(self, linked: Linked, circles: Mapping[str, int] | None = None, tidied: bool = True) -> None:
        self.linked = linked
        self.circles = circles or {}
        self.typed = linked.typed
        self.resolved = linked.resolved
        self.code = Code(tidy if tidied else lambda code: None, MOST_CODE)
        self.layout: Layout = lay_out(linked, self.code)
        self.constants = Constants(linked)
        self.frame = self.code.frame("start")
        self.where: dict[Local, Operand] = {}
        self.skip: list[Label] = []  # the ends of the blocks being emitted
        self.shown: tuple[int, int, tuple[Panel, ...]] = (-1, -1, ())
        self.asked: list[Any] = []  # queries, see `panels`
        self.reasons = Collected()
        self.noted = False  # whether adjustments are worth an event
        self.accepted = False  # whether the `may` that comes next has been answered yes
        self.agreed: Callable[[], None] | None = None  # what a yes to the `may` that comes next brings with it
        self.questions: list[Question] = []
        self.says: list[Say] = []
        self.causes: list[Cause] = []
        self.works = False  # whether it is being asked if an ability's thing works
        self.shift_words: dict[str, tuple[tuple[str, ...], ...]] = {}
        self.phases = {name: i for i, name in enumerate(self.layout.phases)}
        quantities = [d for d, x in linked.resolved.book.definitions.items() if isinstance(x, t.Quantity)]
        self.quantities = {name: i for i, name in enumerate(quantities)}
        self.copies = 1  # how often what is being written is written, once for each of a few members
        self._cause_numbers: dict[Cause, int] = {}
        self._say_numbers: dict[Say, int] = {}
        self._procedures: dict[object, Procedure] = {}
        self._queue: list[tuple[Procedure, Body, int]] = []

    # --- short ways ----------------------------------------------------------------------------

    def emit(self, op: int, *operands: Operand) -> None:
        self.code.emit(op, *operands)

    def const(self, value: int) -> int:
        return self.code.constant(value)

    def label(self) -> Label:
        return Label()

    def put(self, label: Label) -> None:
        self.code.put(label)

    def cell(self) -> Slot:
        return self.frame.cell()

    def type(self, expr: t.Expr) -> Type:
        return self.typed.of(expr)

    def symbol(self, name: t.Name) -> Symbol:
        meaning = self.resolved.of(name)
        assert isinstance(meaning, Symbol), name.word
        return meaning

    def bind(self, node: t.Node, operand: Operand) -> None:
        self.where[self.resolved.binds[node]] = operand

    def copy(self, operand: Operand) -> Slot:
        cell = self.cell()
        self.emit(o.MOV, cell, operand)
        return cell

    # --- where code comes from -----------------------------------------------------------------

    def add_cause(self, name: str, title: str, span: Span, asks: bool = False) -> int:
        cause = Cause(name, title.partition("/")[0].replace("_ ", ""), span.file, span.line, span.column, asks)
        if cause not in self._cause_numbers:
            self._cause_numbers[cause] = len(self.causes)
            self.causes.append(cause)
        return self._cause_numbers[cause]

    @contextmanager
    def because(self, name: str, title: str, span: Span) -> Iterator[None]:
        """Code emitted inside belongs to this rule."""
        before = self.code.cause
        self.code.cause = self.add_cause(name, title, span)
        yield
        self.code.cause = before

    @contextmanager
    def at(self, span: Span) -> Iterator[None]:
        """Code emitted inside belongs to the same rule, at this line."""
        before = self.code.cause
        now = self.causes[before]
        self.code.cause = self.add_cause(now.name, now.title, span, now.asks)
        yield
        self.code.cause = before

    @contextmanager
    def asking(self, span: Span) -> Iterator[None]:
        """Code emitted inside only looks whether this condition holds."""
        before = self.code.cause
        now = self.causes[before]
        place = Span(now.file, now.line, now.column, 0, 0) if self.works else span
        self.code.cause = self.add_cause(now.name, now.title, place, asks=True)
        yield
        self.code.cause = before

    @contextmanager
    def if_works(self, held: Held) -> Iterator[None]:
        """Conditions asked inside say whether the ability's thing works: they stem from its kind, not from itself."""
        with self.because_of(held):
            self.works = True
            yield
            self.works = False

    def fork(self, there: int, on: int, span: Span | None = None) -> None:
        """The jump emitted last is where the words at `span`, or those that are being lowered, part the ways."""
        if self.works:
            there, on = (HOLDS if way == YES else NEITHER for way in (there, on))
        now = self.causes[self.code.cause]
        cause = self.code.cause if span is None else self.add_cause(now.name, now.title, span, now.asks)
        self.code.forks[self.code.last] = (cause, there, on)

    def because_of(self, held: Held) -> AbstractContextManager[None]:
        return self.because(held.name, held.title, held.ability.span)

    # --- procedures ----------------------------------------------------------------------------

    def procedure(self, key: object, params: int, body: Body, cause: tuple[str, str, Span]) -> Procedure:
        """The procedure of this key, whose code is written once, later."""
        if key not in self._procedures:
            frame = self.code.frame(_spoken(key))
            result = frame.cell()
            procedure = Procedure(frame, tuple(frame.cell() for _ in range(params)), result)
            frame.open = frame.used
            self._procedures[key] = procedure
            self._queue.append((procedure, body, self.add_cause(*cause)))
        return self._procedures[key]

    def call(self, procedure: Procedure, args: list[Operand] | None = None) -> Slot:
        """Call it; arguments must already be values. Gives the cell of its result."""
        circular = self.circular(procedure)
        if circular:
            self.save()
        for param, arg in zip(procedure.params, args or [], strict=True):
            self.emit(o.MOV, param, arg)
        self.frame.calls.append(procedure.frame)
        self.emit(o.CALL, procedure.frame.entry)
        if not circular:
            return procedure.result
        self.emit(o.MOV, o.SCRATCH, procedure.result)
        self.restore()
        return self.copy(o.SCRATCH)

    def circular(self, procedure: Procedure) -> bool:
        """Whether it may come back to the procedure being written."""
        here = self.circles.get(self.frame.name)
        return here is not None and here == self.circles.get(procedure.frame.name)

    def save(self) -> None:
        self.emit(o.SAVE, Slot(self.frame, 0), Size(self.frame))

    def restore(self) -> None:
        self.emit(o.RESTORE, Slot(self.frame, 0), Size(self.frame))

    def write_procedures(self) -> None:
        """Write all procedures asked for, and those they ask for."""
        while self._queue:
            procedure, body, cause = self._queue.pop()
            self.frame = procedure.frame
            self.skip = []
            self.noted = self.accepted = False
            self.agreed = None
            self.code.cause = cause
            self.put(procedure.frame.entry)
            body(self, procedure)
            self.emit(o.RET)

    def entries(self) -> tuple[tuple[str, int], ...]:
        """After assembly: procedures without parameters that can be started alone."""
        found = []
        for key, procedure in self._procedures.items():
            if isinstance(key, tuple) and not procedure.params and all(isinstance(k, str) for k in key):
                sort = key[0] if key[0] in ("phase", "routine", "moment", "action", "table", "ending") else "effect"
                words = key[1:] if sort != "effect" else key
                found.append((" ".join((sort, *words)).strip(), procedure.frame.entry.at))
        return tuple(found)

    # --- questions -----------------------------------------------------------------------------

    def question(
        self, name: str, prompt: str, domain: str, kind: str = "", labels: tuple[str, ...] = (), decline: str = "",
        secret: bool = False,
    ) -> int:  # fmt: skip
        self.questions.append(Question(name, prompt, domain, kind, labels, decline, secret, self.code.cause))
        return len(self.questions) - 1

    def say(self, text: str, of: Type | None, last: bool) -> int:
        part = Say(text, of, last)
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
    return f"{key.frame.name}+{key.offset}" if isinstance(key, Slot) else str(key)
