"""What is asked, described once: the options, what each must meet, and what explains it to a player.

From a description come the code that asks, whether there is anything to answer, and the reasons of the program: every
condition that decides what is offered, once more, as code that can be asked by itself (see `program_reasons`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Condition, Const, Expr, Label, Var
from edict.compiler.codegen.core_builder import ALWAYS
from edict.compiler.lowering.context import YOU, Context
from edict.compiler.semantics.symbols import Local
from edict.compiler.syntax import tree as t
from edict.runtime.program.reasons import Demand, Instead
from edict.support.text import Span

Test = Callable[[Context], Condition]
"""A condition, rebuilt wherever it is asked."""


@dataclass(frozen=True)
class Scope:
    """What a condition is asked about: `params` get a value when it is asked, `names` are put into its text.

    `rule` is the name and title of the rule it belongs to.
    """

    rule: tuple[str, str]
    params: tuple[Local, ...] = ()
    names: Mapping[Local, str] = field(default_factory=dict)

    def about(self, *locals_: Local) -> Scope:
        return replace(self, params=(*self.params, *locals_))


def here(c: Context, *nodes: t.Node) -> Scope:
    """The rule whose code is being written; the nodes bind the names to be asked about."""
    cause = c.parts.causes[c.cause]
    return Scope((cause.name, cause.title), tuple(c.resolved.binds[node] for node in nodes))


def cause_of(c: Context, scope: Scope, span: Span) -> int:
    key = (*scope.rule, span)
    if key not in c.parts.known:
        c.parts.known[key] = c.add_cause(*key)
    return c.parts.known[key]


def word_cause(c: Context, node: t.Node) -> int:
    """The cause of the words of an option."""
    now = c.parts.causes[c.cause]
    return c.add_cause(now.name, now.title, node.span, now.asks)


# --- questions -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Need:
    """What an option must meet.

    `test`: whether it does. `check`: the number of the check that tells why, among those of the program's reasons.
    `sort`, `name`, `because`, `unless`: see `program.reasons.Demand`. `besides`: what it consists of, as far as that
    can be told by itself.
    """

    sort: str
    scope: Scope
    span: Span
    test: Test
    check: Callable[[Context], int]
    name: str = ""
    because: str = ""
    unless: Callable[[Context], tuple[Instead, ...]] = lambda c: ()
    besides: Callable[[Context], tuple[Need, ...]] = lambda c: ()

    def note(self, c: Context, question: int, option: int | None = None) -> None:
        """Give the reason, if there is anything to tell: it goes for one option, or for all."""
        for one in self.besides(c):
            one.note(c, question, option)
        unless, number = self.unless(c), self.check(c)
        if number >= 0:
            cause = cause_of(c, self.scope, self.span)
            c.parts.demands.append(Demand(question, self.sort, cause, number, option, self.name, self.because, unless))


@dataclass(frozen=True)
class Filter:
    """Needs that all members of a set are asked about, each of them under this name."""

    it: Local
    needs: tuple[Need, ...]


@dataclass(frozen=True)
class Domain:
    """What is chosen from: the members of a set that pass all filters; `origin`: that an option stems from there."""

    members: Callable[[Context], Expr]
    origin: Need | None = None
    filters: tuple[Filter, ...] = ()

    def options(self, c: Context) -> Expr:
        members = self.members(c)
        for filter_ in self.filters:
            if filter_.needs:
                c.where[filter_.it] = it = Var()
                members = core.Kept(members, it, tuple(need.test(c) for need in filter_.needs))
        return members

    def answerable(self, c: Context) -> Condition:
        return core.Test(self.options(c))

    def note(self, c: Context, question: int) -> None:
        origin = () if self.origin is None else (self.origin,)
        for need in (*origin, *(need for filter_ in self.filters for need in filter_.needs)):
            need.note(c, question)


@dataclass(frozen=True)
class Branches:
    """Several things that are offered under their numbers: what each of them must meet."""

    needs: tuple[tuple[Need, ...], ...]

    def options(self, c: Context) -> tuple[core.Option, ...]:
        return tuple((number, tuple(need.test(c) for need in needs)) for number, needs in enumerate(self.needs))

    def answerable(self, c: Context) -> Condition:
        return core.Any_(tuple(core.All(met) for _, met in self.options(c)))

    def note(self, c: Context, question: int) -> None:
        for number, needs in enumerate(self.needs):
            for need in needs:
                need.note(c, question, number)


@dataclass(frozen=True)
class Ask:
    """A question: to whom, what may be answered, and where to go if nothing can be.

    declined: where to go if -1 is answered; None if that is not offered. `untaken`: to have no option is to decline.
    """

    question: int
    options: Domain | Branches
    seat: Expr = YOU
    none: Label | None = None
    declined: Label | None = None
    untaken: bool = False

    def put(self, c: Context, told: bool = True) -> Var:
        """The code that asks, and the reasons. Gives the answer; `told`: whether to decline is a parting of ways."""
        answer, options = Var(), self.options.options(c)
        self.options.note(c, self.question)
        decline = ALWAYS if self.declined is not None else None
        c.add(core.Ask(self.question, self.seat, options, answer, self.none, decline, self.untaken, cause=c.cause))
        if self.declined is not None:
            c.unless(core.Compare(">=", answer, Const(0), told=told), self.declined)
        return answer


CaseT = TypeVar("CaseT")


def switch(
    c: Context,
    answer: Var,
    cases: Iterable[CaseT],
    carry_out: Callable[[CaseT], None],
    words: Callable[[CaseT], t.Node] | None = None,
) -> None:
    """Carry out the case that was chosen; `words`: what it was called by, if the rules have words for it."""
    bodies = []
    for case in cases:
        with c.apart() as body:
            carry_out(case)
        bodies.append((-1 if words is None else word_cause(c, words(case)), tuple(body)))
    c.add(core.Switch(answer, tuple(bodies), cause=c.cause))
