"""The state that all of lowering shares: the core and the program under construction, bindings, pending procedures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field, replace
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.core import BlockLabel, Const, CoreExpr, Procedure, Var
from edict.compiler.codegen.core_builder import CoreBuilder
from edict.compiler.codegen.emit import CodeBuffer
from edict.compiler.codegen.optimize import optimize
from edict.compiler.codegen.procedures import ProcedureWriter
from edict.compiler.codegen.statement_code import emit_procedure
from edict.compiler.lowering.constants import FieldConstants
from edict.compiler.lowering.layout import ProgramLayout, count_cells, lay_out_state
from edict.compiler.semantics.link import AttachedAbility, LinkedBook
from edict.compiler.semantics.symbols import NUMBER, Local, Meaning, Symbol, walk_expanded
from edict.compiler.sources.folders import Module
from edict.compiler.sources.input_limits import MOST_CODE
from edict.compiler.sources.work_budget import set_current_definition
from edict.compiler.syntax import tree as t
from edict.runtime.program import AnnouncementPart, Cause, Question, ValueType
from edict.runtime.program import opcodes as o
from edict.runtime.program.option_keys import decline_key, option_keys
from edict.runtime.program.reasons import ComputedQuantity, ConditionCheck, OptionRequirement, Reasons
from edict.support.morphology import split_title
from edict.support.records import dataclass
from edict.support.text import Source, Span


@dataclass(frozen=True)
class PendingQuery:
    """A query whose addresses are not known yet."""

    procedure: Procedure
    type: ValueType


@dataclass(frozen=True)
class ProgramParts:
    """The parts of a program under construction; the index in each list is the number in the program."""

    sources: Mapping[str, Source]  # texts of the rules by file
    file_modules: Mapping[str, str]
    causes: list[Cause] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    says: list[AnnouncementPart] = field(default_factory=list)
    queries: list[PendingQuery] = field(default_factory=list)
    checks: list[ConditionCheck] = field(default_factory=list)
    demands: list[OptionRequirement] = field(default_factory=list)
    measures: list[ComputedQuantity] = field(default_factory=list)
    values: list[ComputedQuantity] = field(default_factory=list)
    when: dict[int, str] = field(default_factory=dict)
    parts: dict[int, str] = field(default_factory=dict)
    totals: dict[str, tuple[int, ...]] = field(default_factory=dict)
    shift_words: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    numbers: dict[object, int] = field(default_factory=dict)

    @classmethod
    def from_modules(cls, modules: tuple[Module, ...]) -> ProgramParts:
        """Create empty parts for the rules of these modules."""
        homes = {s.name: m.manifest.name for m in modules if m.manifest.kind != "game" for s in m.sources}
        return cls({s.name: s for m in modules for s in m.sources}, homes)

    def add_cause(self, name: str, title: str, span: Span, asks: bool, unseen: int, called: bool = False) -> int:
        """Add a cause unless it exists, and return its number."""
        key = (name, title, span.file, span.line, span.column, asks, unseen, called)
        number = self.numbers.get(key)
        if number is None:
            location = (span.file, span.line, span.column)
            cause = Cause(name, split_title(title)[0].replace("_ ", ""), *location, asks, unseen, called)
            number = self.numbers[key] = self.numbers.setdefault(cause, len(self.causes))
            if number == len(self.causes):
                self.causes.append(cause)
        return number

    def derive_cause(self, number: int, **changes: Any) -> int:
        """Return the number of a cause with some fields changed, such as that it pays or is unseen."""
        cause = replace(self.causes[number], **changes)
        new = self.numbers.setdefault(cause, len(self.causes))
        if new == len(self.causes):
            self.causes.append(cause)
        return new

    def add_announcement(self, text: str, value_type: ValueType | None, last: bool, panel: int = -1) -> int:
        """Add a part of an announcement unless it exists, and return its number."""
        say = AnnouncementPart(text, value_type, last, panel)
        if say not in self.numbers:
            self.numbers[say] = len(self.says)
            self.says.append(say)
        return self.numbers[say]

    def add_query(self, procedure: Procedure, result_type: ValueType) -> int:
        """Add a query, and return its number."""
        self.queries.append(PendingQuery(procedure, result_type))
        return len(self.queries) - 1

    def add_check(self, check: ConditionCheck) -> int:
        """Add a check, and return its number."""
        self.checks.append(check)
        return len(self.checks) - 1

    def build_reasons(self) -> Reasons:
        """Return the collected reasons."""
        files = {cause.file for cause in self.causes}
        homes = tuple((file, module) for file, module in self.file_modules.items() if file in files)
        lists = tuple(self.checks), tuple(self.demands), tuple(self.measures)
        named = tuple(self.when.items()), tuple(self.parts.items()), tuple(self.totals.items())
        return Reasons(*lists, *named, homes, tuple(self.values))


NOTHING = Const(0)
YOU, EVERYONE, PLAYERS = core.Cell(o.YOU), core.Cell(o.EVERYONE), core.Cell(o.PLAYERS)


def member_mask(members: tuple[int, ...]) -> Const:
    """Return the constant set of these members."""
    return Const(sum(1 << member for member in members))


@dataclass(frozen=True)
class AcceptanceHook:
    """Code that records when a player says yes, and code that undoes the record."""

    note: Callable[[], None]
    undo: Callable[[], None]


@dataclass(frozen=True)
class Environment:
    """The environment of the code being emitted, see `Context.with_environment`."""

    end: BlockLabel | None = None  # end of the block
    unseen: int = -1  # cause of the step in which a secret decides whether this happens; -1 is none
    perhaps: bool = False  # it may be skipped at run time
    works: bool = False  # the condition asks whether an ability's thing works
    noted: bool = False  # adjustments are reported as events
    accepted: bool = False  # the next `may` has been answered with yes
    agreed: AcceptanceHook | None = None  # what a yes to the next `may` triggers
    # exceptions to a phase or routine, and the index of the one that runs in its place
    without: Mapping[t.Definition, tuple[tuple[AttachedAbility, ...], int]] = field(default_factory=dict)
    whole: str = ""  # the phase or routine whose own steps these are
    # routines and effects whose requirements are being computed, to stop recursion
    looked_into: frozenset[str] = frozenset()
    ahead: int = 0  # depth of the lookahead
    # options that abilities add, among whose own steps these are; they are not offered there again
    own_options: frozenset[t.Ability] = frozenset()


RuleSource = tuple[str, str, Span]  # name, title and place of the rule to which code is attributed
ProcedureBody = Callable[["Context", Procedure], None]  # lowers a procedure's body


def rule_of(definition: t.Definition) -> RuleSource:
    """Return the name, title and place of a definition."""
    return definition.name.word, definition.title or definition.name.word, definition.span


class Context(CoreBuilder):
    """The context that every lowering function takes.

    The rules themselves never change. `env`, `cause` and `bindings` describe the step being lowered; they are
    restored behind the step, and reset for the next procedure. Results are collected in `parts` and in the
    procedures.
    """

    def __init__(
        self, linked: LinkedBook, modules: tuple[Module, ...], cycles: Mapping[str, int], optimized: bool
    ) -> None:
        super().__init__()
        self.linked = linked
        self.typed = linked.typed
        self.resolved = linked.resolved
        self.code = CodeBuffer(optimize if optimized else lambda code: None, MOST_CODE)
        self.layout: ProgramLayout = lay_out_state(linked, self.code)
        self.constants = FieldConstants(linked)
        self.phases = {name: i for i, name in enumerate(self.layout.phases)}
        quantities = [d for d, x in linked.resolved.book.definitions.items() if isinstance(x, t.Quantity)]
        self.quantities = {name: i for i, name in enumerate(quantities)}
        self.env = Environment()
        self.bindings: dict[Local, CoreExpr] = {}
        self.parts = ProgramParts.from_modules(modules)
        self.writer = ProcedureWriter(self.code, cycles)
        self.procedures: dict[object, Procedure] = {}
        self.effect_things: dict[tuple[str, str], list[tuple[int, t.Thing]]] = {}  # by kind and effect
        self.effects: dict[tuple[str, str], tuple[Procedure, ...]] = {}  # likewise
        # what effects need to begin, by the numbers of the things; likewise, and by `looked_into`
        self.effect_needs: dict[tuple[str, str, tuple[str, ...]], dict[int, Any]] = {}
        self._names: dict[t.Node | None, tuple[tuple[t.Name, Meaning], ...]] = {}
        self._queue: list[tuple[Procedure, ProcedureBody, int, dict[Local, CoreExpr]]] = []

    # --- environment ---------------------------------------------------------------------------

    @contextmanager
    def with_environment(self, **changes: Any) -> Iterator[None]:
        """Change parts of the environment for the code emitted inside."""
        outer, self.env = self.env, replace(self.env, **changes)
        yield
        self.env = outer

    @contextmanager
    def mark_optional(self, is_optional: bool = True) -> Iterator[None]:
        """Mark the code emitted inside as optional, by a player's choice or a limit such as `once per`."""
        with self.with_environment(perhaps=self.env.perhaps or is_optional):
            yield

    @contextmanager
    def with_cause(self, cause: int) -> Iterator[None]:
        """Attribute the code emitted inside to a cause."""
        outer, self.cause = self.cause, cause
        yield
        self.cause = outer

    def with_payment_cause(self) -> AbstractContextManager[None]:
        """Attribute the code emitted inside to the payment of the current rule."""
        return self.with_cause(self.parts.derive_cause(self.cause, pays=True))

    def with_rule(self, name: str, title: str, span: Span) -> AbstractContextManager[None]:
        """Attribute the code emitted inside to a rule."""
        return self.with_cause(self.add_cause(name, title, span))

    def with_ability(self, attached: AttachedAbility) -> AbstractContextManager[None]:
        """Attribute the code emitted inside to an ability."""
        return self.with_rule(attached.name, attached.cause_title, attached.ability.span)

    def with_line(self, span: Span) -> AbstractContextManager[None]:
        """Attribute the code emitted inside to a line of the current rule."""
        current = self.parts.causes[self.cause]
        return self.with_cause(self.add_cause(current.name, current.title, span, current.asks, current.called))

    def add_condition_cause(self, span: Span) -> int:
        """Add the cause of a condition at this place."""
        current = self.parts.causes[self.cause]
        place = Span(current.file, current.line, current.column, 0, 0) if self.env.works else span
        return self.add_cause(current.name, current.title, place, asks=True, called=current.called)

    @contextmanager
    def with_works_check(self, attached: AttachedAbility) -> Iterator[None]:
        """Attribute conditions emitted inside to the check whether an ability's thing works, which its kind defines."""
        with self.with_ability(attached), self.with_environment(works=True):
            yield

    def add_cause(self, name: str, title: str, span: Span, asks: bool = False, called: bool = False) -> int:
        """Add a cause, and return its number."""
        return self.parts.add_cause(name, title, span, asks, self.env.unseen, called)

    def add_question(self, question: Question, decline: str | None = None) -> int:
        """Add a question of the current rule, and return its number.

        Args:
            question: The question, with its keys as texts of the rules.
            decline: The rules' words for declining, or "" for the default; None if declining is not offered here.
        """
        question = replace(question, keys=option_keys(question.keys), cause=self.cause)
        if decline is not None:
            question = replace(question, decline=decline or "No", decline_key=decline_key(decline))
        self.parts.questions.append(question)
        return len(self.parts.questions) - 1

    # --- names and types -----------------------------------------------------------------------

    def type_of(self, expr: t.Expr) -> ValueType:
        """Return the type of an expression."""
        return self.typed.type_of(expr)

    def cell_count(self, value_type: ValueType) -> int:
        """Return the number of cells that a value of the type takes."""
        return count_cells(self.linked, value_type)

    def with_cell_count(self, value_type: ValueType) -> ValueType:
        """Return the type with its number of cells, as the program stores it."""
        return replace(value_type, cells=self.cell_count(value_type))

    def symbol_of(self, name: t.Name) -> Symbol:
        """Return the symbol that a name refers to, which must not be a local."""
        meaning = self.resolved.meaning_of(name)
        assert isinstance(meaning, Symbol), name.word
        return meaning

    def iter_names(self, *nodes: t.Node | None) -> Iterator[tuple[t.Name, Meaning]]:
        """Iterate over all resolved names below the nodes, each with its meaning."""
        for node in nodes:
            if node not in self._names:
                names = (name_node for name_node in walk_expanded(self.resolved, node) if isinstance(name_node, t.Name))
                candidates = ((name_node, self.resolved.meaning.get(name_node)) for name_node in names)
                self._names[node] = tuple((name, meaning) for name, meaning in candidates if meaning is not None)
            yield from self._names[node]

    def mentions(self, local: Local, node: t.Node | None) -> bool:
        """Return True if a node depends on a local name."""
        return any(meaning is local for _, meaning in self.iter_names(node))

    def bind(self, node: t.Node, expr: CoreExpr) -> None:
        """Bind the local that a node declares, such as the name of a `let`, to an expression of the core."""
        self.bindings[self.resolved.binds[node]] = expr

    def bind_all(self, nodes: Iterable[t.Node], exprs: Iterable[CoreExpr]) -> None:
        """Bind the locals that nodes declare to expressions."""
        for node, expr in zip(nodes, exprs, strict=True):
            self.bind(node, expr)

    # --- procedures ----------------------------------------------------------------------------

    def request_procedure(
        self,
        key: object,
        params: int,
        body: ProcedureBody,
        cause: RuleSource,
        result_type: ValueType = NUMBER,
        called: bool = False,
    ) -> Procedure:
        """Return the procedure of a key; on first use, schedule its body to be lowered later.

        Each argument takes one cell. The bindings at the first request also hold in the body.

        Args:
            key: What identifies the procedure.
            params: The number of parameters.
            body: Lowers the body.
            cause: The rule to which its code is attributed.
            result_type: The type of the result.
            called: Attribute its effects to the card that calls it.
        """
        if key not in self.procedures:
            procedure = Procedure(
                _procedure_name(key), tuple(Var() for _ in range(params)), Var(self.cell_count(result_type))
            )
            self.procedures[key] = procedure
            self.writer.declare(procedure)
            self._queue.append((procedure, body, self.add_cause(*cause, called=called), dict(self.bindings)))
        return self.procedures[key]

    def add_call(self, procedure: Procedure, *args: CoreExpr) -> None:
        """Add a call of a procedure."""
        with self.mark_hidden_call():
            self.add(core.Call(procedure, args, perhaps=self.env.perhaps, cause=self.cause))

    @contextmanager
    def mark_hidden_call(self) -> Iterator[None]:
        """Mark the call emitted inside for the log if a secret decides whether it happens."""
        if self.env.unseen < 0:
            yield
            return
        self.add_marker(Const(o.HUSHED))
        yield
        self.add_marker(Const(o.HEARD))

    @contextmanager
    def mark_card_call(self, always: bool = False) -> Iterator[None]:
        """Mark the call emitted inside for the log as made by the current card.

        Rules that are not things are marked only if `always`, when it matters where the next rule begins.
        """
        rule = self.resolved.book.definitions.get(self.parts.causes[self.cause].name)
        if not always and not isinstance(rule, t.Thing):
            yield
            return
        self.add_marker(Const(o.CALLED))
        yield
        self.add_marker(Const(o.BACK))

    @contextmanager
    def mark_simultaneous(self) -> Iterator[None]:
        """Mark the questions emitted inside for the log as simultaneous."""
        self.add_marker(Const(o.TOGETHER))
        yield
        self.add_marker(Const(o.APART))

    def store_silently(self, base: int | Var, value: CoreExpr, index: CoreExpr | None = None, cells: int = 1) -> None:
        """Add a store that is no event."""
        self.add(core.StoreState(base, index, value, event=False, cells=cells, cause=self.cause))

    def add_marker(self, marker: CoreExpr) -> None:
        """Add a marker event for the log, a change of a scratch cell that is no variable."""
        self.store_silently(o.SCRATCH, NOTHING)
        self.add(core.StoreState(o.SCRATCH, None, marker, cause=self.cause))

    def emit_procedures(self) -> None:
        """Lower and emit all requested procedures, and those they request in turn."""
        while self._queue:
            self._emit_procedure(*self._queue.pop())

    def emit_entry(self, body: ProcedureBody, cause: RuleSource) -> None:
        """Lower and emit the procedure with which the game begins."""
        self.request_procedure("start", 0, body, cause)
        self._emit_procedure(*self._queue.pop())

    def _emit_procedure(
        self, procedure: Procedure, body: ProcedureBody, cause: int, bindings: dict[Local, CoreExpr]
    ) -> None:
        """Lower a procedure's body with the given cause and bindings, and write its code."""
        self.cause, self.env, self.bindings = cause, Environment(), bindings
        rule = self.parts.causes[cause]
        set_current_definition(rule.name, Span(rule.file, rule.line, rule.column, rule.line, rule.column + 1))
        with self.collect() as statements:
            body(self, procedure)
        emit_procedure(self.writer, procedure, tuple(statements), cause)


def _procedure_name(key: object) -> str:
    """Return a readable name of a procedure that is the same each time the same rules are compiled."""
    if isinstance(key, tuple):
        return " ".join(_procedure_name(part) for part in key)
    if isinstance(key, t.Node):
        return f"{type(key).__name__}@{key.span}"
    return str(key)
