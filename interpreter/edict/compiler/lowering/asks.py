"""Descriptions of questions, with their options, the requirements of each option and bounds of the answers.

From a description come the code that asks, the condition that there is an answer, and the program's reasons: each
condition that decides what is offered is compiled once more as code that can be evaluated alone (see
`program_reasons`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from math import inf
from typing import TypeVar

from edict.compiler.codegen import core
from edict.compiler.codegen.core import BlockLabel, Condition, Const, CoreExpr, Var
from edict.compiler.codegen.core_builder import ALWAYS
from edict.compiler.lowering.context import YOU, Context
from edict.compiler.semantics.possible_values import ConditionReader, evaluate_abstractly
from edict.compiler.semantics.symbols import Local
from edict.compiler.semantics.types import TypedBook
from edict.compiler.sources.input_limits import GREATEST_CHOICE, SET_BITS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import RangeStep
from edict.runtime.program.reasons import OptionRequirement, ReasonAlternative
from edict.support.records import dataclass
from edict.support.text import Span

ConditionBuilder = Callable[[Context], Condition]  # builds a condition, anew wherever it is evaluated


@dataclass(frozen=True)
class ReasonScope:
    """The rule and the locals that a condition depends on."""

    rule: tuple[str, str]  # name and title of the rule it belongs to
    params: tuple[Local, ...] = ()  # locals that get a value when the condition is evaluated
    names: Mapping[Local, str] = field(default_factory=dict)  # words to put into its text

    def with_params(self, *locals_: Local) -> ReasonScope:
        """Return the scope with more parameters."""
        return replace(self, params=(*self.params, *locals_))


def current_scope(c: Context, *nodes: t.Node) -> ReasonScope:
    """Return the scope of the current rule with the locals that the nodes bind as parameters."""
    cause = c.parts.causes[c.cause]
    return ReasonScope((cause.name, cause.title), tuple(c.resolved.binds[node] for node in nodes))


def reason_cause(c: Context, scope: ReasonScope, span: Span) -> int:
    """Return the cause of a condition at a place, shared by equal ones."""
    key = (*scope.rule, span)
    if key not in c.parts.numbers:
        c.parts.numbers[key] = c.add_cause(*key)
    return c.parts.numbers[key]


def option_cause(c: Context, node: t.Node) -> int:
    """Return the cause of an option's words."""
    current = c.parts.causes[c.cause]
    return c.add_cause(current.name, current.title, node.span, current.asks)


# --- questions -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Requirement:
    """A requirement that an option must meet, see `OptionRequirement`."""

    sort: str
    scope: ReasonScope
    span: Span
    test: ConditionBuilder  # builds the condition
    check: Callable[[Context], int]  # number of the check, among the program's reasons, that explains it; -1 is none
    name: str = ""
    because: str = ""
    unless: Callable[[Context], tuple[ReasonAlternative, ...]] = lambda c: ()
    # the parts of the requirement that can be explained alone
    besides: Callable[[Context], tuple[Requirement, ...]] = lambda c: ()

    def add_reasons(self, c: Context, question: int, option: int | None = None) -> None:
        """Add the requirement to the program's reasons, for one option or for all."""
        for part in self.besides(c):
            part.add_reasons(c, question, option)
        unless, number = self.unless(c), self.check(c)
        if number >= 0:
            cause = reason_cause(c, self.scope, self.span)
            c.parts.demands.append(
                OptionRequirement(question, self.sort, cause, number, option, self.name, self.because, unless)
            )


@dataclass(frozen=True)
class MemberFilter:
    """Requirements that each member of a set must meet while bound to a local."""

    local: Local
    needs: tuple[Requirement, ...]


@dataclass(frozen=True)
class MemberDomain:
    """A question's options as the members of a set that pass all filters."""

    members: Callable[[Context], CoreExpr]
    origin: Requirement | None = None  # requirement that an option comes from this set
    filters: tuple[MemberFilter, ...] = ()

    def options(self, c: Context) -> CoreExpr:
        """Build the set of members that pass all filters, from which the player chooses."""
        members = self.members(c)
        for filter_ in self.filters:
            if filter_.needs:
                c.bindings[filter_.local] = member = Var()
                members = core.FilteredSet(members, member, tuple(need.test(c) for need in filter_.needs))
        return members

    def has_options(self, c: Context) -> Condition:
        """Build the condition that at least one member passes all filters."""
        return core.Test(self.options(c))

    def add_reasons(self, c: Context, question: int) -> None:
        """Add the reasons of all options to the program's reasons."""
        origin = () if self.origin is None else (self.origin,)
        for need in (*origin, *(need for filter_ in self.filters for need in filter_.needs)):
            need.add_reasons(c, question)


@dataclass(frozen=True)
class BranchDomain:
    """A question's options as numbered branches with the requirements of each."""

    needs: tuple[tuple[Requirement, ...], ...]

    def options(self, c: Context) -> tuple[core.Option, ...]:
        """Build one option for each branch, with the conditions under which it is offered."""
        return tuple((number, tuple(need.test(c) for need in needs)) for number, needs in enumerate(self.needs))

    def has_options(self, c: Context) -> Condition:
        """Build the condition that at least one branch meets its requirements."""
        return core.Any_(tuple(core.All(conditions) for _, conditions in self.options(c)))

    def add_reasons(self, c: Context, question: int) -> None:
        """Add the reasons of all branches to the program's reasons."""
        for number, needs in enumerate(self.needs):
            for need in needs:
                need.add_reasons(c, question, number)


@dataclass(frozen=True)
class QuestionSpec:
    """A question with its seat, its options and where to continue without an answer."""

    question: int
    options: MemberDomain | BranchDomain
    seat: CoreExpr = YOU
    none: BlockLabel | None = None  # jump target if there is no option
    declined: BlockLabel | None = None  # jump target if the answer is -1; None if declining is not offered
    untaken: bool = False  # having no option counts as declining

    def lower(self, c: Context, reports_fork: bool = True) -> Var:
        """Add the question and its reasons; return its answer. With `reports_fork`, declining is logged."""
        answer, options = Var(), self.options.options(c)
        self.options.add_reasons(c, self.question)
        decline = ALWAYS if self.declined is not None else None
        c.add(core.AskSeat(self.question, self.seat, options, answer, self.none, decline, self.untaken, cause=c.cause))
        if self.declined is not None:
            c.jump_unless(core.Compare(">=", answer, Const(0), told=reports_fork), self.declined)
        return answer


CaseT = TypeVar("CaseT")


def add_switch(
    c: Context,
    answer: Var,
    cases: Iterable[CaseT],
    lower_case: Callable[[CaseT], None],
    case_node: Callable[[CaseT], t.Node] | None = None,
) -> None:
    """Add a switch over the cases by the answer; `case_node` returns the node that names a case in the rules."""
    bodies = []
    for case in cases:
        with c.collect() as body:
            lower_case(case)
        bodies.append((-1 if case_node is None else option_cause(c, case_node(case)), tuple(body)))
    c.add(core.Switch(answer, tuple(bodies), cause=c.cause))


MAX_LISTED = 1_000  # numbers that are listed


def possible_answers(
    c: Context, kind: t.Name, choice: RangeStep, source: t.Expr | None, where: t.Expr | None = None
) -> tuple[int, ...]:
    """Return the things or numbers that may be chosen or drawn, ascending; empty if the rules set no bound.

    `where` limits them to those that may meet it.
    """
    meaning = c.resolved.meaning_of(kind)
    if meaning.sort == "group":
        return tuple(sorted(c.linked.resource_indexes(meaning.name)))
    if meaning.name in c.linked.things:
        return _matching_things(c, meaning.name, where)
    if choice.low is not None and choice.high is not None:
        return _list_numbers(
            max(0, evaluate_abstractly(c.typed, choice.low).low), evaluate_abstractly(c.typed, choice.high).high
        )
    if meaning.sort == "number":
        if source is not None and _is_faces(source):
            return _die_faces(c)
        return tuple(range(SET_BITS))
    return ()


def value_bounds(typed: TypedBook, number: t.Expr) -> tuple[int | None, int | None]:
    """Return the least and greatest possible value; None where the rules set no bound."""
    low, high = evaluate_abstractly(typed, number).bounds
    return None if low == -inf else int(low), None if high == inf else int(high)


def _list_numbers(low: float, high: float) -> tuple[int, ...]:
    """Return the numbers from `low` to `high`; empty if they have no upper bound or are too many to list."""
    if high == inf or high > GREATEST_CHOICE or high - low >= MAX_LISTED:
        return ()
    return tuple(range(int(low), int(high) + 1))


def _is_faces(source: t.Expr) -> bool:
    """Return True if a source is `faces of ...`, the numbers that dice show."""
    return isinstance(source, t.Unary) and source.op == "faces"


def _die_faces(c: Context) -> tuple[int, ...]:
    """Return the numbers from 1 to the most sides of any die in the rules."""
    return tuple(range(1, max((sides for _, _, sides, _ in c.layout.dice.kinds), default=0) + 1))


def _matching_things(c: Context, kind: str, where: t.Expr | None) -> tuple[int, ...]:
    """Return the things that may meet a `where`."""
    things = c.linked.things[kind]
    if where is None:
        return tuple(range(len(things)))
    reader, matching = ConditionReader(c.typed), list[int]()
    for number, thing in enumerate(things):
        reader.substitutions = {c.resolved.member_locals[where]: thing}
        if not reader.are_contradictory([(where, True)]):
            matching.append(number)
    return tuple(matching)
